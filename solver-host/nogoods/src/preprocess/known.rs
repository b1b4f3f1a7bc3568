//! What is known of variables: that a variable has a value, that another literal stands for it, or that it
//! was resolved away.
//!
//! Main type: [`Known`]; main function: [`Known::resolve`]. Invariant: a literal that stands for a variable
//! stands for itself, and is open.

use crate::meaning::Meaning;
use solver_gpu::{Lit, Var};

/// The program has no answer set.
#[derive(Debug)]
pub struct Conflict;

/// Each variable's state.
pub(super) struct Known {
    /// The value of each variable: 1 is true, -1 is false, 0 is open.
    value: Vec<i8>,
    /// The literal that stands for `T v`: `T v` itself unless another literal stands for it.
    same_as: Vec<Lit>,
    /// Whether each variable was resolved away.
    pub eliminated: Vec<bool>,
    /// What takes note of nogoods that do not follow from those before by unit propagation.
    pub meaning: Meaning,
}

impl Known {
    pub fn nothing(vars: u32, meaning: Meaning) -> Known {
        let same_as = (0..vars).map(|v| Lit::t(Var(v))).collect();
        Known { value: vec![0; vars as usize], same_as, eliminated: vec![false; vars as usize], meaning }
    }

    pub fn is_open(&self, lit: Lit) -> bool {
        self.value[lit.var().0 as usize] == 0
    }

    pub fn holds(&self, lit: Lit) -> bool {
        self.value[lit.var().0 as usize] == if lit.is_false_sign() { -1 } else { 1 }
    }

    pub fn assign(&mut self, lit: Lit) {
        self.value[lit.var().0 as usize] = if lit.is_false_sign() { -1 } else { 1 };
    }

    /// Forgets a value again.
    pub fn take_back(&mut self, lit: Lit) {
        self.value[lit.var().0 as usize] = 0;
    }

    /// Lets `other` stand for `T v`.
    pub fn replace(&mut self, v: Var, other: Lit) {
        self.same_as[v.0 as usize] = other;
    }

    /// A constant if the value is known, else the literal that stands for this one.
    pub fn resolve(&self, lit: Lit) -> Lit {
        if lit.is_constant() {
            return lit;
        }
        if !self.is_open(lit) {
            return if self.holds(lit) { Lit::TRUE } else { Lit::FALSE };
        }
        self.same_as[lit.var().0 as usize].signed_as(lit)
    }

    /// Makes a set of a resolved nogood. More follows from one literal by unit propagation than from two that
    /// are equivalent, so that a shorter nogood is explained.
    pub fn unify(&mut self, nogood: &mut Vec<Lit>) {
        let length = nogood.len();
        nogood.sort_unstable();
        nogood.dedup();
        if nogood.len() < length {
            self.meaning.nogood(nogood);
        }
    }

    /// Whether resolving changes nothing.
    pub fn is_nothing(&self) -> bool {
        let is_itself = |(v, &lit): (usize, &Lit)| lit == Lit::t(Var(v as u32));
        self.value.iter().all(|&value| value == 0) && self.same_as.iter().enumerate().all(is_itself)
    }

    /// Whether the variable stands for itself in what is left.
    pub fn is_left(&self, v: Var) -> bool {
        self.is_open(Lit::t(v)) && self.same_as[v.0 as usize] == Lit::t(v) && !self.eliminated[v.0 as usize]
    }
}
