//! A small ground program with everything that aspif can say, in the plainest form there is, and its text in aspif.
//!
//! Atoms are numbers from 1, literals are atoms or negated atoms, as in aspif.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

/// A ground program over the atoms `1 ..= atoms`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rich {
    /// How many atoms there are.
    pub atoms: i32,
    /// The rules; one without heads that is no choice is a constraint.
    pub rules: Vec<Rule>,
    /// A priority, and literals with weights.
    pub minimize: Vec<(i32, Vec<(i32, i64)>)>,
    /// The atoms to project on, if the program says so.
    pub projection: Option<Vec<i32>>,
    /// Names and conditions.
    pub outputs: Vec<(String, Vec<i32>)>,
    /// Atoms, and what is said of them unless rules define them: 0 free, 1 true, 2 false, 3 released.
    pub externals: Vec<(i32, i32)>,
    /// Literals that must hold.
    pub assumptions: Vec<i32>,
    /// Modifier, atom, bias, priority, condition. They change no answer set.
    pub heuristics: Vec<(i32, i32, i32, i32, Vec<i32>)>,
    /// Two nodes and a condition: those whose conditions hold have no cycle.
    pub edges: Vec<(i32, i32, Vec<i32>)>,
    /// What atoms say of integers.
    #[serde(skip)]
    pub differences: Vec<Difference>,
}

/// What an atom says: `&diff{u - v} OPERATOR number`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The atom.
    pub atom: i32,
    /// The theory's name for such an atom.
    pub name: &'static str,
    /// `u` and `v`: the names of integers, or `0`.
    pub ends: [String; 2],
    /// The operator.
    pub operator: &'static str,
    /// The number.
    pub number: i64,
}

/// A rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    /// Whether the heads may or one of them must hold.
    pub choice: bool,
    /// Atoms.
    pub heads: Vec<i32>,
    /// When.
    pub body: Body,
}

/// A body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Body {
    /// All literals hold.
    All(Vec<i32>),
    /// The weights of those that hold reach a bound.
    Sum(i64, Vec<(i32, i64)>),
}

impl Rich {
    /// The text in aspif.
    pub fn to_aspif(&self) -> String {
        let mut text = String::from("asp 1 0 0\n");
        let mut line = |words: Vec<String>| writeln!(text, "{}", words.join(" ")).expect("a string");
        for rule in &self.rules {
            let mut words = numbers(&[1, rule.choice as i32, rule.heads.len() as i32]);
            words.extend(numbers(&rule.heads));
            match &rule.body {
                Body::All(lits) => words.extend(["0".to_string()].into_iter().chain(conjunction(lits))),
                Body::Sum(bound, lits) => {
                    words.extend(["1".to_string(), bound.to_string()]);
                    words.extend(weighted(lits));
                }
            }
            line(words);
        }
        for (priority, lits) in &self.minimize {
            line(numbers(&[2, *priority]).into_iter().chain(weighted(lits)).collect());
        }
        if let Some(atoms) = &self.projection {
            line(["3".to_string()].into_iter().chain(conjunction(atoms)).collect());
        }
        for (name, condition) in &self.outputs {
            let head = ["4".to_string(), name.len().to_string(), name.clone()];
            line(head.into_iter().chain(conjunction(condition)).collect());
        }
        for &(atom, value) in &self.externals {
            line(numbers(&[5, atom, value]));
        }
        if !self.assumptions.is_empty() {
            line(["6".to_string()].into_iter().chain(conjunction(&self.assumptions)).collect());
        }
        for (modifier, atom, bias, priority, condition) in &self.heuristics {
            let head = numbers(&[7, *modifier, *atom, *bias, *priority]);
            line(head.into_iter().chain(conjunction(condition)).collect());
        }
        for (from, to, condition) in &self.edges {
            line(numbers(&[8, *from, *to]).into_iter().chain(conjunction(condition)).collect());
        }
        self.theory(&mut line);
        text + "0\n"
    }

    /// The statements of the theory. Each atom has terms of its own.
    fn theory(&self, line: &mut dyn FnMut(Vec<String>)) {
        for (place, Difference { atom, name, ends, operator, number }) in self.differences.iter().enumerate()
        {
            let id = |part: usize| 8 * place + part;
            let mut symbol = |part, text: &str| line(vec![format!("9 1 {} {} {text}", id(part), text.len())]);
            symbol(0, name);
            symbol(1, "-");
            symbol(2, operator);
            ends.iter().zip(3..).filter(|(end, _)| *end != "0").for_each(|(end, part)| symbol(part, end));
            for (_, part) in ends.iter().zip(3..).filter(|(end, _)| *end == "0") {
                line(vec![format!("9 0 {} 0", id(part))]);
            }
            line(vec![format!("9 2 {} {} 2 {} {}", id(5), id(1), id(3), id(4))]);
            line(vec![format!("9 0 {} {number}", id(6))]);
            line(vec![format!("9 4 {place} 1 {} 0", id(5))]);
            line(vec![format!("9 6 {atom} {} 1 {place} {} {}", id(0), id(2), id(6))]);
        }
    }
}

fn numbers(values: &[i32]) -> Vec<String> {
    values.iter().map(i32::to_string).collect()
}

/// The number of literals, and the literals.
fn conjunction(lits: &[i32]) -> Vec<String> {
    numbers(&[lits.len() as i32]).into_iter().chain(numbers(lits)).collect()
}

/// The number of literals, and the literals with their weights.
fn weighted(lits: &[(i32, i64)]) -> Vec<String> {
    let pairs = lits.iter().flat_map(|&(lit, weight)| [lit.to_string(), weight.to_string()]);
    numbers(&[lits.len() as i32]).into_iter().chain(pairs).collect()
}
