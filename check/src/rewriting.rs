//! Steps `r`: from literals that cost to sums that cost (OLL: Andres, Kaufmann, Matheis and Schaub, "Unsatisfiability-based
//! optimization in clasp", 2012; Morgado, Dodaro and Marques-Silva 2014).
//!
//! Main type: [`Rewriting`]. Invariant: the costs of a priority are its lower bound in the [`Goal`](crate::propagate::Goal)
//! and the weights of the rests, each times the number of its literals that hold beyond the first `k`. The number of
//! literals that hold beyond `k - 1` is that beyond `k`, and one more if `k` or more hold.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::lit::Lit;
use crate::propagate::Propagator;

/// A sum "at least `k` of the list hold", and the literal that stands for it.
#[derive(Clone, Debug)]
struct Count {
    list: Rc<[Lit]>,
    k: i128,
    lit: Lit,
}

/// The rests, and the sums that may be used.
#[derive(Debug, Default)]
pub struct Rewriting {
    lists: HashSet<Rc<[Lit]>>,
    /// The sums with weights 1, by the number of their variable in the proof.
    counts: HashMap<i64, Count>,
    /// The weight of the rest of each list beyond a `k`, for each priority.
    rests: HashMap<(usize, Rc<[Lit]>, i128), i128>,
}

impl Rewriting {
    /// Notes that the variable with a number stands for "at least `k` of `list` hold", with the literal `lit`.
    pub fn note(&mut self, number: i64, lit: Lit, k: i128, mut list: Vec<Lit>) {
        list.sort_unstable();
        let list = self.lists.get(&list[..]).cloned().unwrap_or_else(|| list.into());
        self.lists.insert(list.clone());
        self.counts.insert(number, Count { list, k, lit });
    }

    /// Moves a weight of a priority, counted from 0.
    ///
    /// # Errors
    /// If the step is not allowed; says why.
    pub fn apply(
        &mut self,
        engine: &mut impl Propagator,
        [priority, weight, number]: [i64; 3],
    ) -> Result<(), String> {
        let Some(Count { list, k, lit }) = self.counts.get(&number).cloned() else {
            return Err(format!("{number} is no variable of a step `s` with weights 1"));
        };
        let priorities = engine.goal().priorities();
        let index = usize::try_from(priority).ok().and_then(|priority| priority.checked_sub(1));
        let Some(priority) = index.filter(|&index| index < priorities) else {
            return Err(format!("the program has {priorities} priorities, and no number {priority}"));
        };
        if weight < 1 {
            return Err(format!("the weight {weight} is not positive"));
        }
        if k < 1 {
            return Err(format!("the bound {k} of the sum is not positive"));
        }
        let weight = i128::from(weight);
        if k == 1 {
            // A literal may be in the list several times, and then loses as often.
            for same in list.chunk_by(|a, b| a == b) {
                let (has, loses) = (engine.goal().weight(priority, same[0]), weight * same.len() as i128);
                if has < loses {
                    return Err(format!("a literal of the sum costs {has}, and would lose {loses}"));
                }
            }
            for &lit in list.iter() {
                engine.add_weight(priority, lit, -weight);
            }
        } else {
            let rest = self.rests.entry((priority, list.clone(), k - 1)).or_default();
            if *rest < weight {
                return Err(format!("the rest beyond {} costs {rest}, and would lose {weight}", k - 1));
            }
            *rest -= weight;
        }
        engine.add_weight(priority, lit, weight);
        *self.rests.entry((priority, list, k)).or_default() += weight;
        engine.settle();
        Ok(())
    }
}
