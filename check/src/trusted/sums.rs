//! Propagation of sums: a variable that is true if and only if the weights of the literals that hold reach a
//! bound.
//!
//! Main type: [`Sums`]. Two counters for each sum: the weight of the literals that hold, and the weight of
//! those that are not false. Invariant: they count exactly the literals that the assignment says are counted.

use super::assignment::{Cause, Conflict, Values};
use super::lit::Lit;

/// The literals of a sum with their weights.
pub type Terms = Vec<(Lit, i128)>;

/// A sum.
#[derive(Debug)]
pub struct Sum {
    /// The literal that says that the bound is reached.
    pub var: Lit,
    /// What the weights have to reach.
    pub bound: i128,
    /// The heaviest literals come first.
    pub terms: Terms,
    /// The weight of the literals that hold.
    low: i128,
    /// The weight of the literals that are not false.
    high: i128,
}

/// The sums.
#[derive(Debug, Default)]
pub struct Sums {
    sums: Vec<Sum>,
    /// For each literal the sums that have it or its complement as a term, and the place of the term.
    terms: Vec<Vec<(u32, u32)>>,
    /// For each literal the sums whose variable it is, or is the complement of.
    vars: Vec<Vec<u32>>,
}

impl Sums {
    /// Adds a sum. The weights are positive, and the present values are propagated.
    pub fn add(&mut self, var: Lit, bound: i128, mut terms: Terms, now: &mut Values) -> Result<(), Conflict> {
        self.terms.resize(2 * now.variables(), Vec::new());
        self.vars.resize(2 * now.variables(), Vec::new());
        terms.sort_by_key(|&(_, weight)| std::cmp::Reverse(weight));
        let number = self.sums.len() as u32;
        let (mut low, mut high) = (0, 0);
        for (&(lit, weight), place) in terms.iter().zip(0..) {
            low += if now.is_true(lit) { weight } else { 0 };
            high += if now.is_false(lit) { 0 } else { weight };
            self.terms[lit.index()].push((number, place));
            self.terms[(!lit).index()].push((number, place));
        }
        self.vars[var.index()].push(number);
        self.vars[(!var).index()].push(number);
        self.sums.push(Sum { var, bound, terms, low, high });
        self.look_at(number, now)
    }

    /// The sum with a number: the first is 0.
    pub fn get(&self, number: u32) -> &Sum {
        &self.sums[number as usize]
    }

    /// Counts a literal that has begun to hold (`sign` 1), or no longer does (`sign` -1).
    pub fn count(&mut self, lit: Lit, sign: i128) {
        for &(number, place) in self.terms.get(lit.index()).into_iter().flatten() {
            let sum = &mut self.sums[number as usize];
            let (term, weight) = sum.terms[place as usize];
            if term == lit {
                sum.low += sign * weight;
            } else {
                sum.high -= sign * weight;
            }
        }
    }

    /// Propagates the sums that a literal is in, after it was counted.
    pub fn visit(&self, lit: Lit, values: &mut Values) -> Result<(), Conflict> {
        for &(number, place) in self.terms.get(lit.index()).into_iter().flatten() {
            let Sum { var, terms, .. } = &self.sums[number as usize];
            // Nothing follows if the sum only comes closer to what its variable says.
            let said = if terms[place as usize].0 == lit { *var } else { !*var };
            if !values.is_true(said) {
                self.look_at(number, values)?;
            }
        }
        let mut own = self.vars.get(lit.index()).into_iter().flatten();
        own.try_for_each(|&number| self.look_at(number, values))
    }

    /// Propagates one sum.
    fn look_at(&self, number: u32, values: &mut Values) -> Result<(), Conflict> {
        values.cause = Cause::Sum(number);
        let Sum { var, bound, terms, low, high } = &self.sums[number as usize];
        if low >= bound {
            return values.assign(*var);
        }
        if high < bound {
            return values.assign(!*var);
        }
        if values.is_true(*var) {
            for &(lit, _) in terms.iter().take_while(|(_, weight)| high - weight < *bound) {
                if !values.is_false(lit) {
                    values.assign(lit)?;
                }
            }
        } else if values.is_false(*var) {
            for &(lit, _) in terms.iter().take_while(|(_, weight)| low + weight >= *bound) {
                if !values.is_true(lit) {
                    values.assign(!lit)?;
                }
            }
        }
        Ok(())
    }
}
