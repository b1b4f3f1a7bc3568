//! What is wrong with a claim about an answer set.
//!
//! Main type: [`Flaw`].

use solver_gpu::{Lit, Var};

use crate::ids::RuleId;
use crate::program::Program;

/// Why a set of atoms is no answer set, or what is wrong with what is said of it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    /// The set says something of more or of fewer atoms than the program has.
    #[error("it is about {0} atoms, and the program has {1}")]
    Atoms(usize, usize),
    /// A rule with a true body has a false head, or a constraint has a true body.
    #[error("it violates rule {}", .0.index())]
    Violated(RuleId),
    /// A disjunctive rule with a true body has no true head.
    #[error("it violates disjunctive rule {0}")]
    Disjunction(usize),
    /// The atom of a weight constraint is true and the bound is not reached, or it is reached and the atom is
    /// false.
    #[error("its weights add up to {reached} in weight constraint {sum}, whose bound is {bound}")]
    Sum {
        /// The number of the weight constraint.
        sum: usize,
        /// The sum of the weights that hold.
        reached: i64,
        /// The bound.
        bound: i64,
    },
    /// Nothing founds a true atom.
    #[error("its atom {} is unfounded", told(*.atom, .name))]
    Unfounded {
        /// The atom.
        atom: Var,
        /// The name that it is printed under, if it has one.
        name: Option<String>,
    },
    /// Its costs are others.
    #[error("its costs are {right:?} and not {claimed:?}")]
    Costs {
        /// What was said of its costs.
        claimed: Vec<i64>,
        /// What they are.
        right: Vec<i64>,
    },
    /// Its difference constraints contradict each other.
    #[error("no integers satisfy its difference constraints")]
    Differences,
    /// Something is printed of it that does not hold, or the other way round.
    #[error("whether `{0}` is printed of it is wrong")]
    Shown(String),
}

impl Flaw {
    /// The flaw that nothing founds `atom`.
    pub(super) fn unfounded(program: &Program, atom: Var) -> Flaw {
        let named = program.outputs.iter().find(|output| output.condition == [Lit::t(atom)]);
        Flaw::Unfounded { atom, name: named.map(|output| output.name.clone()) }
    }
}

/// An atom as an error names it.
fn told(atom: Var, name: &Option<String>) -> String {
    match name {
        Some(name) => format!("`{name}`"),
        None => format!("number {}", atom.0),
    }
}
