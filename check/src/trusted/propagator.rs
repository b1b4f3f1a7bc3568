//! What definitions need of whatever propagates.
//!
//! Main trait: [`Propagator`]. The checker's is [`Engine`](super::Engine). Another one looks for the steps
//! that a proof needs, and is not trusted.

use super::goal::Goal;
use super::lit::{Lit, Var};
use super::sums::Terms;

/// Variables, the nogoods and sums that define them, and the costs.
pub trait Propagator {
    /// Adds a variable.
    fn add_variable(&mut self) -> Var;

    /// Adds a nogood that every answer set satisfies, or that defines a variable. Call [`Propagator::settle`]
    /// afterwards.
    fn add_permanent(&mut self, lits: Vec<Lit>);

    /// Adds a sum whose variable is new.
    fn add_sum(&mut self, var: Lit, bound: i128, terms: Terms);

    /// Propagates without assumptions.
    fn settle(&mut self);

    /// The costs and their bounds.
    fn goal(&self) -> &Goal;

    /// Adds to the weight of a literal in the lower bound of a priority. Call [`Propagator::settle`]
    /// afterwards.
    fn add_weight(&mut self, priority: usize, lit: Lit, weight: i128);
}
