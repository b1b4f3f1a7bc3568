//! Answer sets by the definition: a set of atoms is one if it satisfies the constraints and is the least model of the
//! program's reduct with respect to itself.
//!
//! Main functions: [`answer_sets`] tries every set of a small program, [`check`] one set of a program of any size.
//! Slow and plain on purpose.

use std::collections::BTreeSet;

use crate::Spec;

/// The most atoms [`answer_sets`] takes.
pub const MAX_ATOMS: usize = 20;

/// A set of atoms of a small program: bit `a` is atom `a`.
pub type Set = u32;

struct MaskRule {
    /// The head's bit; 0 for a constraint.
    head: Set,
    positive: Set,
    negative: Set,
}

/// All answer sets of a program of at most [`MAX_ATOMS`] atoms, in increasing order.
///
/// # Panics
/// If the program has more atoms.
pub fn answer_sets(spec: &Spec) -> Vec<Set> {
    assert!(spec.atoms <= MAX_ATOMS, "{} atoms are too many to try all sets", spec.atoms);
    let mask = |atoms: &[usize]| atoms.iter().fold(0, |set, &a| set | 1 << a);
    let rules: Vec<MaskRule> = spec
        .rules
        .iter()
        .map(|(head, positive, negative)| MaskRule {
            head: head.map_or(0, |a| 1 << a),
            positive: mask(positive),
            negative: mask(negative),
        })
        .collect();
    (0..1 << spec.atoms).filter(|&set| is_answer_set(&rules, set)).collect()
}

fn is_answer_set(rules: &[MaskRule], set: Set) -> bool {
    let mut least = 0;
    loop {
        let before = least;
        for rule in rules {
            // A rule whose negative body meets `set` is not in the reduct.
            if rule.negative & set == 0 && rule.positive & !least == 0 {
                if rule.head == 0 {
                    // Constraint: once its positive body is derived it stays so. It refutes `set` if `set` is the
                    // least model, and otherwise `set` is no answer set anyway.
                    return false;
                }
                least |= rule.head;
            }
        }
        // A model of the reduct that is not within `set` can only grow.
        if least & !set != 0 {
            return false;
        }
        if least == before {
            return least == set;
        }
    }
}

/// Why a set of atoms is no answer set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// This rule's body holds and its head does not (a constraint: its body holds).
    Violated(usize),
    /// This atom is in the set but not derived by the reduct.
    Unfounded(usize),
}

/// Checks that `set` is an answer set of a program of any size.
pub fn check(spec: &Spec, set: &BTreeSet<usize>) -> Result<(), Flaw> {
    let mut inside = vec![false; spec.atoms];
    for &a in set {
        inside[a] = true;
    }
    let mut least = vec![false; spec.atoms];
    // Count down the positive body atoms that are not derived yet; `users[a]` are the rules to tell.
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); spec.atoms];
    let mut missing: Vec<usize> = Vec::with_capacity(spec.rules.len());
    let mut ready = Vec::new();
    for (r, (head, positive, negative)) in spec.rules.iter().enumerate() {
        let kept = negative.iter().all(|&a| !inside[a]);
        if kept && positive.iter().all(|&a| inside[a]) && !head.is_some_and(|h| inside[h]) {
            return Err(Flaw::Violated(r));
        }
        let distinct: BTreeSet<usize> = positive.iter().copied().collect();
        missing.push(if kept && head.is_some() { distinct.len() } else { usize::MAX });
        if missing[r] == 0 {
            ready.push(r);
        }
        for a in distinct {
            users[a].push(r);
        }
    }
    while let Some(r) = ready.pop() {
        let Some(head) = spec.rules[r].0 else { continue };
        if std::mem::replace(&mut least[head], true) {
            continue;
        }
        for &user in &users[head] {
            if missing[user] != usize::MAX {
                missing[user] -= 1;
                if missing[user] == 0 {
                    ready.push(user);
                }
            }
        }
    }
    match set.iter().find(|&&a| !least[a]) {
        Some(&a) => Err(Flaw::Unfounded(a)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{generate, Knobs};

    #[test]
    fn knows_the_textbook_programs() {
        // a :- not b.  b :- not a.
        let pair = Spec { atoms: 2, rules: vec![(Some(0), vec![], vec![1]), (Some(1), vec![], vec![0])] };
        assert_eq!(answer_sets(&pair), [0b01, 0b10]);
        // p :- q.  q :- p.  :- not p.
        let circle = vec![(Some(0), vec![1], vec![]), (Some(1), vec![0], vec![]), (None, vec![], vec![0])];
        assert_eq!(answer_sets(&Spec { atoms: 2, rules: circle }), [0; 0]);
        // p :- not p.
        let odd = Spec { atoms: 1, rules: vec![(Some(0), vec![], vec![0])] };
        assert_eq!(answer_sets(&odd), [0; 0]);
        assert_eq!(answer_sets(&Spec::default()), [0]);
    }

    #[test]
    fn both_ways_to_tell_agree() {
        for seed in 0..200 {
            let spec = generate(&Knobs::varied(seed), seed);
            let all = answer_sets(&spec);
            for set in 0..1u32 << spec.atoms {
                let atoms: BTreeSet<usize> = (0..spec.atoms).filter(|a| set >> a & 1 == 1).collect();
                assert_eq!(check(&spec, &atoms).is_ok(), all.contains(&set), "seed {seed}, set {set:b}");
            }
        }
    }
}
