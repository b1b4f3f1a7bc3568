//! Variables that stand for conjunctions and sums. What was defined before is not defined again.
//!
//! Main type: [`Definitions`].

use std::collections::{BTreeMap, HashMap};

use crate::lit::{normalised, Lit};
use crate::propagate::{Propagator, Terms};

/// All definitions so far, found by what they define.
#[derive(Debug, Default)]
pub struct Definitions {
    conjunctions: HashMap<Vec<Lit>, Lit>,
    sums: HashMap<(i128, Terms), Lit>,
}

impl Definitions {
    /// The literal that stands for a conjunction. Call [`Propagator::settle`] afterwards.
    pub fn conjunction(&mut self, engine: &mut impl Propagator, lits: Vec<Lit>) -> Lit {
        let Some(lits) = normalised(lits) else { return Lit::FALSE };
        match lits[..] {
            [] => return Lit::TRUE,
            [lit] => return lit,
            _ => {}
        }
        if let Some(&known) = self.conjunctions.get(&lits) {
            return known;
        }
        let var = Lit::new(engine.add_variable(), true);
        equate(engine, var, &lits);
        self.conjunctions.insert(lits, var);
        var
    }

    /// The literal that stands for the conjunction of `parts` and `others`, and of `whole`, which stands for `parts`. Call
    /// [`Propagator::settle`] afterwards.
    pub fn extended(
        &mut self,
        engine: &mut impl Propagator,
        whole: Lit,
        parts: &[Lit],
        others: &[Lit],
    ) -> Lit {
        let var = self.conjunction(engine, [parts, others].concat());
        equate(engine, var, &[&[whole], others].concat());
        var
    }

    /// The literal that says that the weights of the literals that hold reach a bound. Weights are not negative. Call
    /// [`Propagator::settle`] afterwards.
    pub fn sum(&mut self, engine: &mut impl Propagator, bound: i128, terms: Terms) -> Lit {
        // In order, with the weights of a variable put together: what one of two complements always weighs is certain.
        let (mut weights, mut bound) = (BTreeMap::<Lit, i128>::new(), bound);
        for (lit, weight) in terms {
            let common = weights.get(&!lit).map_or(0, |&other| other.min(weight));
            bound -= common;
            *weights.entry(!lit).or_default() -= common;
            *weights.entry(lit).or_default() += weight - common;
        }
        let terms: Terms = weights.into_iter().filter(|&(_, weight)| weight > 0).collect();
        let most: i128 = terms.iter().map(|(_, weight)| weight).sum();
        if bound <= 0 || bound > most {
            return if bound <= 0 { Lit::TRUE } else { Lit::FALSE };
        }
        let key = (bound, terms);
        if let Some(&known) = self.sums.get(&key) {
            return known;
        }
        let var = Lit::new(engine.add_variable(), true);
        engine.add_sum(var, bound, key.1.clone());
        self.sums.insert(key, var);
        var
    }
}

/// Adds the nogoods that say that `var` stands for a conjunction.
fn equate(engine: &mut impl Propagator, var: Lit, lits: &[Lit]) {
    for &lit in lits {
        engine.add_permanent(vec![var, !lit]);
    }
    engine.add_permanent([&[!var], lits].concat());
}
