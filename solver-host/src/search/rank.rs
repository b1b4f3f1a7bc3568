//! Initial ranks of variables, one for each heuristic (paper, section 4: occurrences, Jeroslow-Wang, activity).

use super::options::Heuristic;
use crate::nogoods::Prepared;

/// Weight of a nogood of one literal for Jeroslow-Wang; halves with each literal more.
const JEROSLOW_WANG: u32 = 1 << 20;
/// Activities begin with the occurrences, so that first decisions are sensible, but not more than this: a few conflicts
/// outweigh them.
const INITIAL_ACTIVITY: u32 = 64;

/// A score for each variable; higher is chosen first.
pub fn initial_ranks(prepared: &Prepared, heuristic: Heuristic) -> Vec<u32> {
    let mut rank = vec![0u32; prepared.vars as usize];
    let store = &prepared.nogoods;
    for nogood in store.ids().map(|id| store.nogood(id)) {
        for lit in nogood {
            let weight = match heuristic {
                Heuristic::Occurrences | Heuristic::Activity | Heuristic::Domain => 1,
                Heuristic::Positive => !lit.is_false_sign() as u32,
                Heuristic::Negative => lit.is_false_sign() as u32,
                Heuristic::JeroslowWang => JEROSLOW_WANG >> (nogood.len() - 1).min(31),
            };
            let r = &mut rank[lit.var().0 as usize];
            *r = r.saturating_add(weight);
        }
    }
    if matches!(heuristic, Heuristic::Activity | Heuristic::Domain) {
        for r in &mut rank {
            *r = (*r).min(INITIAL_ACTIVITY);
        }
    }
    rank
}
