//! Nogoods and sum nogoods, and what follows from them by unit propagation.
//!
//! Main type: [`Base`].

use super::json::{list, number};
use serde_json::Value;
use std::collections::BTreeSet;

/// A literal: `v` or `-v`, with variables from 1 on.
pub type Lit = i64;

/// A sum nogood: a condition, and counters with what each may be at most and its items.
#[derive(Clone, Debug)]
pub struct Sum {
    /// A literal, or none if it is true.
    pub condition: Option<Lit>,
    counters: Vec<(i64, Vec<(Lit, i64)>)>,
}

impl Sum {
    /// Reads a sum nogood.
    pub fn of(value: &Value) -> Sum {
        let item = |pair: &Value| (number(&pair[0]), number(&pair[1]));
        let counter =
            |counter: &Value| (number(&counter["most"]), list(&counter["items"]).iter().map(item).collect());
        Sum {
            condition: value["condition"].as_i64(),
            counters: list(&value["counters"]).iter().map(counter).collect(),
        }
    }

    /// Whether the items that `holds` says are more than may be; the counters are digits.
    fn exceeds(&self, holds: impl Fn(Lit) -> bool) -> bool {
        let digit =
            |items: &[(Lit, i64)]| items.iter().filter(|item| holds(item.0)).map(|item| item.1).sum::<i64>();
        let digits: Vec<i64> = self.counters.iter().map(|(_, items)| digit(items)).collect();
        let most: Vec<i64> = self.counters.iter().map(|&(most, _)| most).collect();
        digits > most
    }

    /// Whether these literals violate the sum, whatever else holds.
    pub fn is_violated_by(&self, lits: &[Lit]) -> bool {
        self.condition.is_none_or(|condition| lits.contains(&condition))
            && self.exceeds(|lit| lits.contains(&lit))
    }

    fn items(&self) -> impl Iterator<Item = Lit> + '_ {
        self.counters.iter().flat_map(|(_, items)| items.iter().map(|item| item.0))
    }
}

/// Nogoods and sums, and what follows from them by unit propagation.
#[derive(Clone, Debug, Default)]
pub struct Base {
    /// The nogoods.
    pub nogoods: Vec<Vec<Lit>>,
    /// The sums, by number.
    pub sums: Vec<Sum>,
}

impl Base {
    /// Propagates `held` to a fixpoint. Returns whether something is violated.
    pub fn propagate(&self, held: &mut BTreeSet<Lit>) -> bool {
        loop {
            let mut new = Vec::new();
            for nogood in &self.nogoods {
                let mut open = nogood.iter().filter(|lit| !held.contains(lit));
                match (open.next(), open.next()) {
                    (None, _) => return true,
                    (Some(&lit), None) if !held.contains(&-lit) => new.push(-lit),
                    _ => {}
                }
            }
            for sum in &self.sums {
                let exceeds = |with: Option<Lit>| sum.exceeds(|lit| held.contains(&lit) || with == Some(lit));
                let condition = sum.condition.filter(|lit| !held.contains(lit));
                match condition {
                    Some(lit) if exceeds(None) && !held.contains(&-lit) => new.push(-lit),
                    Some(_) => {}
                    None if exceeds(None) => return true,
                    None => {
                        let open = sum.items().filter(|lit| !held.contains(lit) && !held.contains(&-lit));
                        new.extend(open.filter(|&lit| exceeds(Some(lit))).map(|lit| -lit));
                    }
                }
            }
            if new.is_empty() {
                return false;
            }
            for lit in new {
                if held.contains(&-lit) {
                    return true;
                }
                held.insert(lit);
            }
        }
    }

    /// Whether the nogood follows: assuming its literals leads to a violation.
    pub fn implies(&self, nogood: &[Lit]) -> bool {
        let mut held: BTreeSet<Lit> = nogood.iter().copied().collect();
        held.iter().any(|lit| held.contains(&-lit)) || self.propagate(&mut held)
    }
}
