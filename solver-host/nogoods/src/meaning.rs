//! What the solver's variables stand for, and what was found on the way to them, so that a proof can say so.
//!
//! Main type: [`Meaning`], which a [`Prepared`](super::Prepared) carries. It is filled only if a proof was asked for.
//! A checker of proofs makes the completion by itself, and knows nothing of the variables that the translation
//! introduces, of bodies that were shared or shortened, or of what preprocessing found. [`Step`] has what it needs to
//! know, in this order.
//!
//! Invariant: each nogood of a step follows from the program and the steps before by unit propagation alone. What unit
//! propagation derives from the solver's nogoods, it derives from the program and the steps. So a nogood needs a step
//! where the solver has one variable for what are several to the checker:
//!
//! - a body that was shortened, or is a positive and a negative part, and the name of what is left of it;
//! - an atom that several bodies with one name support;
//! - an atom that stands for a sum, a condition or a part of a long head, and has no rule in the file;
//! - a resolvent of two nogoods with a common literal, and a literal that was found false.

use super::rows::LitRows;
use solver_gpu::{Lit, Var};
use std::collections::HashMap;
use yasmin_ground::program::Program;

/// The kind of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The variable stands for the conjunction of the literals.
    All(Var),
    /// The variable stands for their disjunction.
    Any(Var),
    /// The variable says that so many of the literals, or more, hold.
    Count(Var, i64),
    /// Not all of the literals hold.
    Nogood,
    /// The literals are atoms that form an unfounded set.
    Unfounded,
}

/// What variables stand for; see the module's documentation. The variables of steps are the program's atoms, and from
/// there on variables that steps define.
#[derive(Clone, Debug, Default)]
pub struct Meaning {
    is_wanted: bool,
    /// How many variables the steps have.
    vars: u32,
    /// For each atom of the program whether the file has its rules.
    in_file: Vec<bool>,
    /// The auxiliary atoms of long heads, with the atoms of which one holds.
    auxiliaries: HashMap<Var, Vec<Lit>>,
    steps: Vec<Step>,
    rows: LitRows,
    /// For each variable of the solver that of the steps.
    of: Vec<Var>,
}

impl Meaning {
    /// A meaning that takes note of what it is told of a program's translation.
    pub(super) fn wanted(program: &Program) -> Meaning {
        let in_file = (0..program.atoms).map(|p| program.number(Var(p)).is_some()).collect();
        Meaning { is_wanted: true, vars: program.atoms, in_file, ..Meaning::default() }
    }

    /// Whether anybody wants to know. If not, nothing needs to be told.
    pub(super) fn is_wanted(&self) -> bool {
        self.is_wanted
    }

    /// Whether the file has the rules of an atom.
    pub(super) fn is_in_file(&self, atom: Var) -> bool {
        self.in_file.get(atom.0 as usize).is_some_and(|&is_named| is_named)
    }

    /// The steps, each with its literals.
    pub fn steps(&self) -> impl Iterator<Item = (Step, &[Lit])> {
        self.steps.iter().copied().zip(self.rows.iter())
    }

    /// For each variable of the solver that of the steps.
    pub fn variables(&self) -> &[Var] {
        &self.of
    }

    /// The steps' literal for a literal of the solver.
    pub fn of(&self, lit: Lit) -> Lit {
        Lit::new(self.of[lit.var().0 as usize], !lit.is_false_sign())
    }

    /// Tells of a step. Its literals are those of steps.
    pub(super) fn step(&mut self, step: Step, lits: &[Lit]) {
        if self.is_wanted {
            self.steps.push(step);
            self.rows.push(lits);
        }
    }

    /// Tells of a nogood over the solver's variables, unless a literal is a constant: such a nogood says nothing.
    pub(super) fn nogood(&mut self, lits: &[Lit]) {
        if self.is_wanted && !lits.iter().any(|lit| lit.is_constant()) {
            let lits: Vec<Lit> = lits.iter().map(|&lit| self.of(lit)).collect();
            self.step(Step::Nogood, &lits);
        }
    }

    /// Defines a new variable of the steps, and returns it.
    pub(super) fn define(&mut self, lits: &[Lit]) -> Var {
        let var = self.fresh(1);
        self.step(Step::All(var), lits);
        var
    }

    /// The solver's next variable says that `bound` or more of its literals hold.
    pub(super) fn count(&mut self, bound: i64, lits: &[Lit]) {
        if self.is_wanted {
            let var = self.fresh(1);
            let lits: Vec<Lit> = lits.iter().map(|&lit| self.of(lit)).collect();
            self.step(Step::Count(var, bound), &lits);
            self.of.push(var);
        }
    }

    /// Defines an auxiliary atom, which holds if one of the atoms does.
    pub(super) fn define_any(&mut self, atom: Var, of: Vec<Lit>) {
        self.step(Step::Any(atom), &of);
        self.auxiliaries.insert(atom, of);
    }

    /// The literals of a shifted rule's body without auxiliary atoms, each of which stands for a part of a long head. `None`
    /// if the body has none, or is that of an auxiliary atom, or nobody wants to know.
    pub(super) fn without_auxiliaries(&self, body: &[Lit]) -> Option<Vec<Lit>> {
        let of_auxiliary = |lit: &&Lit| self.auxiliaries.contains_key(&lit.var());
        let is_shifted = |lit: &Lit| lit.is_false_sign();
        if !body.iter().any(|lit| of_auxiliary(&lit)) || !body.iter().filter(of_auxiliary).all(is_shifted) {
            return None;
        }
        let (mut flat, mut rest) = (Vec::new(), body.to_vec());
        while let Some(lit) = rest.pop() {
            match self.auxiliaries.get(&lit.var()) {
                Some(of) => rest.extend(of.iter().map(|&lit| !lit)),
                None => flat.push(lit),
            }
        }
        Some(flat)
    }

    /// Tells that one variable of the solver is the conjunction of others, as far as the definitions do not let unit
    /// propagation see it.
    pub(super) fn is_conjunction(&mut self, whole: Lit, parts: &[Lit]) {
        parts.iter().for_each(|&part| self.nogood(&[whole, !part]));
        self.nogood(&[&[!whole], parts].concat());
    }

    /// Tells that two literals of steps are equal, which unit propagation does not see by their definitions.
    pub(super) fn are_equal(&mut self, a: Lit, b: Lit) {
        self.step(Step::Nogood, &[a, !b]);
        self.step(Step::Nogood, &[!a, b]);
    }

    /// So many new variables of the steps, which other steps define; the first of them.
    pub(super) fn fresh(&mut self, count: u32) -> Var {
        self.vars += count;
        Var(self.vars - count)
    }

    /// The solver's variables stand for these variables of the steps.
    pub(super) fn set(&mut self, of: Vec<Var>) {
        if self.is_wanted {
            self.of = of;
        }
    }

    /// The solver's variables have new numbers: those of which `of` is not `gone` are left, in order.
    pub(super) fn renumber(&mut self, of: &[u32], gone: u32) {
        if self.is_wanted {
            let kept = self.of.iter().zip(of).filter(|&(_, &to)| to != gone);
            self.of = kept.map(|(&var, _)| var).collect();
        }
    }

    /// How many variables the steps have.
    pub fn vars(&self) -> u32 {
        self.vars
    }
}
