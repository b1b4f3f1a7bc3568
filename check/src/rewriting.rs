//! Steps `r` and `l`: from literals that cost to sums that cost.
//!
//! Main type: [`Rewriting`]. Steps `r` are those of OLL (Andres, Kaufmann, Matheis and Schaub, "Unsatisfiability-based
//! optimization in clasp", 2012; Morgado, Dodaro and Marques-Silva 2014). Invariant: the costs of a priority are its
//! lower bound in the [`Goal`](crate::trusted::Goal) and the weights of the rests, each times the number of its
//! literals that hold beyond the first `k`. The number of literals that hold beyond `k - 1` is that beyond `k`, and one
//! more if `k` or more hold.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::propagate::Engine;
use crate::trusted::lit::Lit;

/// The literals of a sum with their weights, sorted, no literal twice.
type Terms = Rc<[(Lit, i128)]>;

/// A sum "the weights of those that hold add up to `k` or more", and the literal that stands for it.
#[derive(Clone, Debug)]
struct Sum {
    terms: Terms,
    k: i128,
    lit: Lit,
    /// Whether all literals were named with the weight 1.
    counts: bool,
}

/// The rests, and the sums that may be used.
#[derive(Debug, Default)]
pub struct Rewriting {
    terms: HashSet<Terms>,
    /// The sums, by the number of their variable in the proof.
    sums: HashMap<i64, Sum>,
    /// The weight of the rest of each list beyond a `k`, for each priority.
    rests: HashMap<(usize, Terms, i128), i128>,
}

impl Rewriting {
    /// Notes that the variable with a number stands for "the terms add up to `k` or more", with the literal `lit`.
    pub fn note(&mut self, number: i64, lit: Lit, k: i128, mut terms: Vec<(Lit, i128)>) {
        let counts = terms.iter().all(|&(_, weight)| weight == 1);
        terms.sort_unstable();
        terms.dedup_by(|next, first| {
            let is_same = next.0 == first.0;
            first.1 += if is_same { next.1 } else { 0 };
            is_same
        });
        let terms = self.terms.get(&terms[..]).cloned().unwrap_or_else(|| terms.into());
        self.terms.insert(terms.clone());
        self.sums.insert(number, Sum { terms, k, lit, counts });
    }

    /// Moves a weight of a priority, counted from 1.
    ///
    /// # Errors
    /// If the step is not allowed; says why.
    pub fn apply(&mut self, engine: &mut Engine, [priority, weight, number]: [i64; 3]) -> Result<(), String> {
        let known = self.sums.get(&number).filter(|sum| sum.counts).cloned();
        let Some(Sum { terms, k, lit, .. }) = known else {
            return Err(format!("{number} is no variable of a step `s` with weights 1"));
        };
        let priority = index_of(engine, priority)?;
        if weight < 1 {
            return Err(format!("the weight {weight} is not positive"));
        }
        if k < 1 {
            return Err(format!("the bound {k} of the sum is not positive"));
        }
        let weight = i128::from(weight);
        if k == 1 {
            // A literal that was named several times loses as often.
            for &(lit, times) in terms.iter() {
                let (has, loses) = (engine.goal().weight(priority, lit), weight * times);
                if has < loses {
                    return Err(format!("a literal of the sum costs {has}, and would lose {loses}"));
                }
            }
            for &(lit, times) in terms.iter() {
                engine.add_weight(priority, lit, -weight * times);
            }
        } else {
            let rest = self.rests.entry((priority, terms.clone(), k - 1)).or_default();
            if *rest < weight {
                return Err(format!("the rest beyond {} costs {rest}, and would lose {weight}", k - 1));
            }
            *rest -= weight;
        }
        engine.add_weight(priority, lit, weight);
        *self.rests.entry((priority, terms, k)).or_default() += weight;
        engine.settle();
        Ok(())
    }

    /// Raises the least costs of a priority, counted from 1, because the variable of a sum holds.
    ///
    /// # Errors
    /// If the step is not allowed; says why.
    pub fn least(&self, engine: &mut Engine, [priority, number]: [i64; 2]) -> Result<(), String> {
        let Some(Sum { terms, k, lit, .. }) = self.sums.get(&number) else {
            return Err(format!("{number} is no variable of a step `s`"));
        };
        let priority = index_of(engine, priority)?;
        if !engine.is_refuted() && !engine.values().is_true(*lit) {
            return Err(format!("{number} may be false"));
        }
        let costs: Vec<Lit> = engine.goal().literals().chain([*lit]).collect();
        engine.need(costs.into_iter());
        if !engine.raise(priority, terms, *k) {
            return Err("a literal of the sum costs less than its weight".into());
        }
        engine.settle();
        Ok(())
    }
}

/// The index of a priority that is counted from 1.
fn index_of(engine: &Engine, priority: i64) -> Result<usize, String> {
    let priorities = engine.goal().priorities();
    let index = usize::try_from(priority).ok().and_then(|priority| priority.checked_sub(1));
    let index = index.filter(|&index| index < priorities);
    index.ok_or_else(|| format!("the program has {priorities} priorities, and no number {priority}"))
}
