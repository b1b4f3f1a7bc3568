//! Finds equivalent literals: literals that imply each other by nogoods of two literals (Aspvall, Plass and
//! Tarjan 1979).
//!
//! Main function: [`merge`]. The atom of a single rule and its body are the most common case: `p :- q, r.`
//! has `{Fp, Tb}` and `{Tp, Fb}`, so `p` can stand for `b`. In `a :- not b. b :- not a.`, `Fb` can stand for
//! `a`. An atom is chosen to stand for others before an auxiliary is, because answer sets are read from the
//! atoms' variables. A variable that must stay is chosen before others, and then one of sums.

use std::collections::HashSet;

use solver_gpu::{Lit, Var};

use super::known::{Conflict, Known};
use super::roles::Roles;
use crate::components::components;
use crate::rows::Csr;
use crate::store::NogoodStore;

/// Lets one literal of each class stand for the others. Returns how many variables were replaced.
pub(super) fn merge(store: &NogoodStore, known: &mut Known, roles: &Roles) -> Result<u64, Conflict> {
    let vars = roles.stays.len();
    // If a literal's complement is in no pair, nothing implies the literal or the literal implies nothing.
    // Such a literal is in a class of its own. Mostly that leaves few pairs.
    let binary = &store.occurrences[0];
    let is_between = |lit: Lit| !binary.row(lit.index()).is_empty() && !binary.row((!lit).index()).is_empty();
    let may_be_in_class: Vec<bool> =
        (0..vars as u32).map(|v| known.is_open(Lit::t(Var(v))) && is_between(Lit::t(Var(v)))).collect();
    let implications = store
        .pairs()
        .iter()
        .filter(|pair| pair.iter().all(|lit| may_be_in_class[lit.var().0 as usize]))
        .flat_map(|pair| [(pair[0].index(), (!pair[1]).0), (pair[1].index(), (!pair[0]).0)]);
    let (class, classes) = components(&Csr::from_pairs(2 * vars, implications));
    let class_of = |lit: Lit| class[lit.index()] as usize;

    // A class and the class of the complements get the same choice, as only the variable counts.
    let mut best: Vec<Option<Lit>> = vec![None; classes as usize];
    let rank = |lit: Lit| {
        let v = lit.var().0;
        (v >= roles.atom_vars, !roles.stays[v as usize], roles.sums.row(v as usize).is_empty(), v)
    };
    for v in (0..vars as u32).map(Var).filter(|&v| known.is_open(Lit::t(v))) {
        if class_of(Lit::t(v)) == class_of(Lit::f(v)) {
            known.meaning.nogood(&[Lit::t(v)]);
            return Err(Conflict);
        }
        for lit in [Lit::t(v), Lit::f(v)] {
            let best = &mut best[class_of(lit)];
            *best = Some(best.filter(|&other| rank(other) < rank(lit)).unwrap_or(lit));
        }
    }
    // The sums in which a variable occurs that stands for others, together with the variable.
    let mut occupied: HashSet<(Var, u32)> = HashSet::new();
    let mut merged = 0;
    for v in (0..vars as u32).map(Var).filter(|v| !roles.stays[v.0 as usize]) {
        match best[class_of(Lit::t(v))] {
            Some(other) if other.var() != v && known.is_open(Lit::t(v)) => {
                let mine = roles.sums.row(v.0 as usize);
                if !mine.is_empty() {
                    let with_other = |&sum: &u32| (other.var(), sum);
                    occupied.extend(roles.sums.row(other.var().0 as usize).iter().map(with_other));
                    if mine.iter().map(with_other).any(|place| occupied.contains(&place)) {
                        continue;
                    }
                    occupied.extend(mine.iter().map(with_other));
                }
                known.replace(v, other);
                merged += 1;
            }
            _ => {}
        }
    }
    Ok(merged)
}
