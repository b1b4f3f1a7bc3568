//! Variables that stand for conjunctions and sums. What was defined before is not defined again.
//!
//! Main type: [`Definitions`].

use std::collections::{BTreeMap, HashMap};

use crate::trusted::lit::{normalised, Lit, Var};
use crate::trusted::{Engine, Finder, Terms, Values};

/// All definitions so far, found by what they define.
#[derive(Debug, Default)]
pub struct Definitions {
    conjunctions: HashMap<Vec<Lit>, Lit>,
    sums: HashMap<(i128, Terms), Lit>,
    /// The bound and the terms of each variable that stands for a sum.
    of: HashMap<Var, (i128, Terms)>,
}

impl Definitions {
    /// The literal that stands for a conjunction. Call [`Engine::settle`] afterwards.
    pub fn conjunction(&mut self, engine: &mut Engine<impl Finder>, lits: Vec<Lit>) -> Lit {
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

    /// The literal that stands for the conjunction of `parts` and `others`, and of `whole`, which stands for
    /// `parts`. Call [`Engine::settle`] afterwards.
    pub fn extended(
        &mut self,
        engine: &mut Engine<impl Finder>,
        whole: Lit,
        parts: &[Lit],
        others: &[Lit],
    ) -> Lit {
        let var = self.conjunction(engine, [parts, others].concat());
        equate(engine, var, &[&[whole], others].concat());
        var
    }

    /// The literal that says that the weights of the literals that hold reach a bound. Weights are not
    /// negative. Call [`Engine::settle`] afterwards.
    pub fn sum(&mut self, engine: &mut Engine<impl Finder>, bound: i128, terms: Terms) -> Lit {
        // In order, with the weights of a variable put together: what one of two complements always weighs is
        // certain.
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
        self.of.insert(var.var(), key.clone());
        self.sums.insert(key, var);
        var
    }

    /// Whether the sums that literals stand for exclude each other under the values: together they ask for
    /// more weight than there is. Returns the variables that they weigh.
    pub fn exclude(&self, lits: &[Lit], values: &Values) -> Option<Vec<Var>> {
        let (mut asked, mut weights) = (0, BTreeMap::<Var, [i128; 2]>::new());
        for lit in lits {
            let Some((bound, terms)) = self.of.get(&lit.var()) else { continue };
            let total: i128 = terms.iter().map(|(_, weight)| weight).sum();
            // If a sum is below its bound, the complements of its terms have the rest.
            asked += if lit.is_positive() { *bound } else { total - bound + 1 };
            for &(term, weight) in terms {
                let holds = term.is_positive() == lit.is_positive();
                weights.entry(term.var()).or_default()[usize::from(holds)] += weight;
            }
        }
        let most = weights.iter().map(|(&var, [falsified, held])| match Lit::new(var, true) {
            lit if values.is_true(lit) => held,
            lit if values.is_false(lit) => falsified,
            _ => held.max(falsified),
        });
        (most.sum::<i128>() < asked).then(|| weights.keys().copied().collect())
    }
}

/// Adds the nogoods that say that `var` stands for a conjunction.
fn equate(engine: &mut Engine<impl Finder>, var: Lit, lits: &[Lit]) {
    for &lit in lits {
        engine.add_permanent(vec![var, !lit]);
    }
    engine.add_permanent([&[!var], lits].concat());
}
