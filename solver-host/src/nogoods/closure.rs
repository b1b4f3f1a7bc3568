//! What can be derived when negation is ignored: the least model of a choice of bodies.
//!
//! Main function: [`derivable`]. Used twice. Over all bodies that are not false, the atoms left out are unfounded:
//! `p :- q. q :- p. q :- r.` with `r` false has neither `p` nor `q`. Over the bodies that are true, it tells true
//! atoms that have a derivation from those that a constraint wants true, as in `:- not p.` Paper, section 2
//! (`T_P` and the computation of an answer set). Linear: each body literal is counted down once.

use solver_gpu::{Lit, Var};

use super::rules::{Links, Rules};

/// The least set of atoms that contains the heads of each usable body whose positive atoms it contains.
pub(super) fn derivable(rules: &Rules, links: &Links, usable: impl Fn(u32) -> bool) -> Vec<bool> {
    let mut derived = vec![false; rules.atoms as usize];
    let mut found: Vec<u32> = Vec::new();
    let mut derive = |b: u32, found: &mut Vec<u32>| {
        for &p in links.heads.row(b as usize) {
            if !std::mem::replace(&mut derived[p as usize], true) {
                found.push(p);
            }
        }
    };

    let mut missing = vec![0u32; rules.bodies.len()];
    for b in 0..rules.bodies.len() as u32 {
        missing[b as usize] = rules.positive(b).count() as u32;
        if missing[b as usize] == 0 && usable(b) {
            derive(b, &mut found);
        }
    }
    while let Some(p) = found.pop() {
        for &b in links.occurs.row(Lit::t(Var(p)).index()) {
            missing[b as usize] -= 1;
            if missing[b as usize] == 0 && usable(b) {
                derive(b, &mut found);
            }
        }
    }
    derived
}

#[cfg(test)]
mod tests {
    use super::super::tests::program;
    use super::*;

    #[test]
    fn loops_need_a_start() {
        let check = |text: &str, expect: &[bool]| {
            let rules = Rules::shared(&program(text));
            assert_eq!(derivable(&rules, &rules.links(), |_| true), expect, "{text}");
        };
        check("a :- b. b :- a.", &[false, false]);
        check("a :- b. b :- a. a :- not c.", &[true, true, false]);
        check("a. b :- a, not c. c :- b, d.", &[true, true, false, false]);
    }
}
