//! An answer set as the search hands it out.
//!
//! Main type: [`AnswerSet`].

use super::goal::Consequences;
use crate::nogoods::Prepared;
use crate::program::Program;
use solver_gpu::{Lit, Var};

/// An answer set: which program atoms are true, and what the goal wants to know beside.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerSet {
    pub(super) holds: Vec<bool>,
    /// Which outputs are printed, where that is not for `holds` to say.
    pub(super) printed: Option<Vec<bool>>,
    /// The sum of each priority of the minimize statements, highest first; empty if there are none or they
    /// are ignored.
    pub costs: Vec<i64>,
    /// Whether it is known to be optimal: with [`Optimization::OptN`](super::Optimization::OptN), after the
    /// optimum was found.
    pub is_optimal: bool,
    /// For brave and cautious reasoning: then what is shown of this answer set is the union or intersection
    /// so far.
    pub consequences: Option<Consequences>,
}

/// Whether bit `i` of an answer set that was packed into words is set.
pub fn has_bit(words: &[u32], i: usize) -> bool {
    words[i / 32] >> (i % 32) & 1 == 1
}

impl AnswerSet {
    /// The atoms alone.
    pub(in crate::search) fn of(holds: Vec<bool>) -> AnswerSet {
        AnswerSet { holds, ..AnswerSet::default() }
    }

    /// The answer set in which these of the solver's atoms are true.
    pub(in crate::search) fn of_solver(prepared: &Prepared, is_true: impl Fn(usize) -> bool) -> AnswerSet {
        // A constant is a literal of a variable that is true.
        let holds = |&lit: &Lit| (lit.is_constant() || is_true(lit.var().0 as usize)) != lit.is_false_sign();
        AnswerSet::of(prepared.atom_lit.iter().map(holds).collect())
    }

    /// Whether a literal over the program's atoms holds.
    pub fn holds(&self, lit: Lit) -> bool {
        self.holds[lit.var().0 as usize] != lit.is_false_sign()
    }

    /// The true atoms, in order.
    pub fn atoms(&self) -> impl Iterator<Item = Var> + '_ {
        (0..self.holds.len()).filter(|&a| self.holds[a]).map(|a| Var(a as u32))
    }

    /// What to print of it: names whose conditions hold, in the order of the input; one that is given twice
    /// comes twice. A formula's literals that do not hold are told as well, except among consequences.
    pub fn shown<'p>(&self, program: &'p Program) -> Vec<&'p str> {
        let negations = if self.printed.is_some() { &[] } else { &program.negations[..] };
        // For most answer sets nothing else takes as long as this, if all are printed.
        let mut names = Vec::with_capacity(program.outputs.len());
        for (i, output) in program.outputs.iter().enumerate() {
            if self.is_shown(program, i) {
                names.push(output.name.as_str());
            } else if let Some(negation) = negations.get(i) {
                names.push(negation);
            }
        }
        names
    }

    /// Whether the program's output of this number is printed.
    #[inline]
    pub fn is_shown(&self, program: &Program, output: usize) -> bool {
        match (&self.printed, &program.outputs[output].condition[..]) {
            (Some(printed), _) => printed[output],
            (None, &[lit]) => self.holds(lit),
            (None, lits) => lits.iter().all(|&lit| self.holds(lit)),
        }
    }
}
