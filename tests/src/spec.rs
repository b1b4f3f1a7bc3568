//! A small ground program in the plainest form there is, and its text in gringo's aspif.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

/// A rule: its head (none: a constraint), the atoms of the positive body, those of the negative body.
pub type Rule = (Option<usize>, Vec<usize>, Vec<usize>);

/// A ground program over the atoms `0 .. atoms`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spec {
    /// How many atoms there are.
    pub atoms: usize,
    /// The rules.
    pub rules: Vec<Rule>,
}

impl Spec {
    /// The name atom `a` is printed under.
    pub fn name(a: usize) -> String {
        format!("x{a}")
    }

    /// The program in aspif, every atom named, also those that no rule has: `asp 1 0 0`, one line a statement, `0`.
    pub fn to_aspif(&self) -> String {
        let mut text = String::from("asp 1 0 0\n");
        let mut line = |numbers: &[i64]| {
            let words: Vec<String> = numbers.iter().map(i64::to_string).collect();
            text.push_str(&words.join(" "));
            text.push('\n');
        };
        for (head, positive, negative) in &self.rules {
            let mut numbers = vec![1, 0];
            match head {
                Some(a) => numbers.extend([1, *a as i64 + 1]),
                None => numbers.push(0),
            }
            numbers.extend([0, (positive.len() + negative.len()) as i64]);
            numbers.extend(positive.iter().map(|&a| a as i64 + 1));
            numbers.extend(negative.iter().map(|&a| -(a as i64 + 1)));
            line(&numbers);
        }
        for a in 0..self.atoms {
            let name = Spec::name(a);
            writeln!(text, "4 {} {name} 1 {}", name.len(), a + 1).expect("a string takes everything");
        }
        text.push_str("0\n");
        text
    }

    /// The program as a person would write it, for failure reports.
    pub fn to_lp(&self) -> String {
        let mut text = String::new();
        for (head, positive, negative) in &self.rules {
            let mut body: Vec<String> = positive.iter().map(|&a| Spec::name(a)).collect();
            body.extend(negative.iter().map(|&a| format!("not {}", Spec::name(a))));
            text.push_str(&head.map(Spec::name).unwrap_or_default());
            if head.is_none() || !body.is_empty() {
                text.push_str(" :- ");
            }
            text.push_str(&body.join(", "));
            text.push_str(".\n");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_aspif() {
        let spec = Spec { atoms: 2, rules: vec![(Some(0), vec![], vec![1]), (None, vec![0, 1], vec![])] };
        let want = "asp 1 0 0\n1 0 1 1 0 1 -2\n1 0 0 0 2 1 2\n4 2 x0 1 1\n4 2 x1 1 2\n0\n";
        assert_eq!(spec.to_aspif(), want);
        assert_eq!(spec.to_lp(), "x0 :- not x1.\n :- x0, x1.\n");
    }
}
