//! An answer set as the search hands it out.
//!
//! Main type: [`AnswerSet`].

use super::goal::Consequences;
use solver_gpu::{Lit, Var};
use std::fmt;
use std::sync::Arc;
use yasmin_ground::program::Program;
use yasmin_nogoods::Prepared;

/// An answer set: which program atoms are true, and what the goal wants to know beside.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerSet {
    pub(super) values: Values,
    /// Which outputs are printed, where that is not for `values` to say.
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

/// The values of the program's atoms, as the solver's variables say them.
///
/// There may be millions of answer sets, and nobody looks at most of their atoms. So an atom's value is looked
/// up when somebody asks. Two answer sets of one problem are the same if their bits are equal, and only then:
/// each variable that has a bit is the variable of an atom, or its value is fixed.
#[derive(Clone, Default)]
pub(super) struct Values {
    /// A bit for each of the solver's variables that stand for atoms.
    bits: Vec<u32>,
    /// The solver's literal, or a constant, for each atom of the program (see [`Prepared::atom_lit`]).
    atom_lit: Arc<Vec<Lit>>,
}

impl Values {
    /// The bits, 32 in a word.
    pub fn bits(&self) -> &[u32] {
        &self.bits
    }

    /// Takes over the values of `other`, without new memory if there is enough.
    pub fn copy_from(&mut self, other: &Values) {
        self.bits.clone_from(&other.bits);
        self.atom_lit = other.atom_lit.clone();
    }

    /// The bits of `vars` variables, of which those are 1 that are true.
    fn packed(vars: u32, is_true: impl Fn(u32) -> bool) -> Vec<u32> {
        let word = |from: u32| {
            let each = from..vars.min(from + 32);
            each.fold(0, |word, var| word | (is_true(var) as u32) << (var - from))
        };
        (0..vars).step_by(32).map(word).collect()
    }

    #[inline]
    fn is_true(&self, atom: Var) -> bool {
        let lit = self.atom_lit[atom.0 as usize];
        // A constant is a literal of a variable that is true.
        (lit.is_constant() || has_bit(&self.bits, lit.var().0 as usize)) != lit.is_false_sign()
    }

    /// The value of each atom.
    fn each(&self) -> impl Iterator<Item = bool> + '_ {
        (0..self.atom_lit.len() as u32).map(|atom| self.is_true(Var(atom)))
    }
}

impl PartialEq for Values {
    fn eq(&self, other: &Values) -> bool {
        match Arc::ptr_eq(&self.atom_lit, &other.atom_lit) {
            true => self.bits == other.bits,
            false => self.each().eq(other.each()),
        }
    }
}

impl Eq for Values {}

impl fmt::Debug for Values {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_list().entries(self.each()).finish()
    }
}

/// Whether bit `i` of words of 32 bits is set.
#[inline]
fn has_bit(words: &[u32], i: usize) -> bool {
    words[i / 32] >> (i % 32) & 1 == 1
}

impl AnswerSet {
    /// The answer set in which those variables of the solver are true whose bits are 1 in `bits`.
    pub(crate) fn of_bits(prepared: &Prepared, bits: Vec<u32>) -> AnswerSet {
        let values = Values { bits, atom_lit: prepared.atom_lit.clone() };
        AnswerSet { values, ..AnswerSet::default() }
    }

    /// The answer set in which these of the solver's variables are true.
    pub(crate) fn of_solver(prepared: &Prepared, is_true: impl Fn(u32) -> bool) -> AnswerSet {
        AnswerSet::of_bits(prepared, Values::packed(prepared.atom_vars, is_true))
    }

    /// The answer set with these values of its atoms, each of which has a variable of its own.
    #[cfg(test)]
    pub(crate) fn of(holds: &[bool]) -> AnswerSet {
        let atoms = holds.len() as u32;
        let bits = Values::packed(atoms, |atom| holds[atom as usize]);
        let values = Values { bits, atom_lit: Arc::new((0..atoms).map(|atom| Lit::t(Var(atom))).collect()) };
        AnswerSet { values, ..AnswerSet::default() }
    }

    /// Whether a literal over the program's atoms holds.
    #[inline]
    pub fn holds(&self, lit: Lit) -> bool {
        self.values.is_true(lit.var()) != lit.is_false_sign()
    }

    /// The value of each atom of the program.
    pub(crate) fn atom_values(&self) -> Vec<bool> {
        self.values.each().collect()
    }

    /// The true atoms, in order.
    pub fn atoms(&self) -> impl Iterator<Item = Var> + '_ {
        (0..self.values.atom_lit.len() as u32).map(Var).filter(|&atom| self.values.is_true(atom))
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

    /// The values of the integer variables, each as `dl(x,3)`, if the program has difference constraints: the
    /// least that they allow. Consequences have none.
    pub fn values(&self, program: &Program) -> Vec<String> {
        match &program.differences {
            Some(differences) if self.printed.is_none() => differences.shown(|lit| self.holds(lit)),
            _ => Vec::new(),
        }
    }

    /// The value of the integer variable that is minimized, if one is.
    pub fn minimized(&self, program: &Program) -> Option<i64> {
        program.differences.as_ref().and_then(|differences| differences.minimized(|lit| self.holds(lit)))
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
