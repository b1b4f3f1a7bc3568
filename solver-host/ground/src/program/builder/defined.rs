//! Which atoms a rule defines. The value of an external atom counts only if no rule defines the atom.
//!
//! Main function: `Program::defined_by`. As for clasp, a rule defines its head only if the rule can derive it: the
//! body can hold both if the head holds and if not. So `a :- a, b.` and `a :- not a.` define nothing, and the second is
//! a constraint on `a`. A disjunction whose body needs one of the heads is satisfied whenever it applies, and
//! defines nothing.

use std::collections::HashMap;

use solver_gpu::{Lit, Var};

use crate::program::data::{Program, Sum};
use crate::program::ProgramBuilder;

impl ProgramBuilder {
    /// The heads that such a rule defines if it is added: what makes an external atom one with a rule.
    pub fn defined_by(&self, heads: &[Var], body: &[Lit]) -> Vec<Var> {
        self.present().defined_by(heads, body)
    }
}

impl Program {
    /// The heads that a rule with these heads and this body defines. Each head of a choice is a rule by itself.
    pub(super) fn defined_by(&self, heads: &[Var], body: &[Lit]) -> Vec<Var> {
        if heads.iter().any(|&head| !self.can_hold(body, Lit::f(head))) {
            return Vec::new();
        }
        heads.iter().copied().filter(|&head| self.can_hold(body, Lit::t(head))).collect()
    }

    /// Whether a body can hold if `given` does, as far as its literals and each of its weight constraints tell.
    fn can_hold(&self, body: &[Lit], given: Lit) -> bool {
        let is_open = |lit: Lit| lit != !given && !body.contains(&!lit);
        body.iter()
            .all(|&lit| is_open(lit) && (lit.is_false_sign() || self.can_be_reached(lit.var(), is_open)))
    }

    /// Whether the bound of the weight constraint that an atom stands for can be reached by such literals. For any other
    /// atom nothing has to be reached.
    fn can_be_reached(&self, atom: Var, is_open: impl Fn(Lit) -> bool) -> bool {
        // The atoms of weight constraints are in order.
        let Ok(at) = self.sums.binary_search_by_key(&atom, |sum| sum.atom) else { return true };
        let Sum { bound, lits, .. } = &self.sums[at];
        // Of each atom the weight of its literal, and that of the complement.
        let mut weights: HashMap<Var, [i128; 2]> = HashMap::new();
        for &(lit, weight) in lits.iter().filter(|(lit, _)| is_open(*lit)) {
            weights.entry(lit.var()).or_default()[usize::from(lit.is_false_sign())] += i128::from(weight);
        }
        weights.values().map(|[one, other]| one.max(other)).sum::<i128>() >= i128::from(*bound)
    }
}
