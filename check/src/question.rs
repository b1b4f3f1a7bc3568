//! What a proof looks for, and what each answer set adds to that.
//!
//! Main type: [`Question`].

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::program::{Output, Program};
use crate::trusted::lit::Lit;
use crate::trusted::{Handle, Values};

/// The sorts of questions, in the order of their numbers from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub enum Kind {
    /// All answer sets.
    AnswerSets,
    /// Projections to the atoms of projection statements.
    Projections,
    /// Projections to what is shown.
    Shown,
    /// The optimum.
    Optimum,
    /// Brave consequences, of atoms only those that projection statements name, if there are any.
    Brave,
    /// Cautious consequences, of the same outputs.
    Cautious,
    /// Brave consequences among all outputs.
    BraveOfAll,
    /// Cautious consequences among all outputs.
    CautiousOfAll,
}

use Kind::{AnswerSets, Brave, BraveOfAll, Cautious, CautiousOfAll, Optimum, Projections, Shown};

impl Kind {
    /// The sort with a number.
    pub fn of(number: i64) -> Option<Kind> {
        let all = [AnswerSets, Projections, Shown, Optimum, Brave, Cautious, BraveOfAll, CautiousOfAll];
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        all.get(index).copied()
    }

    /// Whether the question is for brave consequences, if it is for consequences.
    pub fn is_brave(self) -> Option<bool> {
        match self {
            Brave | BraveOfAll => Some(true),
            Cautious | CautiousOfAll => Some(false),
            _ => None,
        }
    }
}

/// A question, and the answer sets so far.
#[derive(Debug)]
pub struct Question {
    /// The sort.
    pub kind: Kind,
    /// What the costs of the first priorities must not exceed.
    pub bounds: Vec<i128>,
    /// How many answer sets were accepted.
    pub answers: u64,
    /// The costs of the last one.
    pub last_costs: Option<Vec<i128>>,
    /// The outputs that consequences are about.
    outputs: Vec<usize>,
    /// For each of `outputs` whether it is a consequence of the answer sets so far.
    is_consequence: Vec<bool>,
    /// The nogood that the answer sets have added, if the question is for consequences.
    pub added: Vec<Handle>,
    /// Hashes of what tells the answer sets apart. Two that differ might be taken for one, which would be refused.
    told: HashSet<[u64; 2]>,
}

impl Question {
    /// A question without answer sets.
    pub fn new(program: &Program, kind: Kind, bounds: Vec<i128>) -> Question {
        let counts = |output: &Output| {
            let is_named = match (&program.projection, &output.condition[..]) {
                (Some(atoms), [lit]) if lit.is_positive() => atoms.contains(&lit.var()),
                _ => true,
            };
            is_named || matches!(kind, BraveOfAll | CautiousOfAll)
        };
        let mut outputs: Vec<usize> = Vec::new();
        if kind.is_brave().is_some() {
            outputs = (0..program.outputs.len()).filter(|&at| counts(&program.outputs[at])).collect();
        }
        let is_consequence = vec![kind.is_brave() == Some(false); outputs.len()];
        Question {
            kind,
            bounds,
            answers: 0,
            last_costs: None,
            outputs,
            is_consequence,
            added: Vec::new(),
            told: HashSet::new(),
        }
    }

    /// Whether the question is about the optimal answer sets, if these costs are the optimal ones, and some
    /// were found.
    pub fn is_among(&self, costs: &[i128]) -> bool {
        self.answers > 0 && self.kind != Optimum && !costs.is_empty() && self.bounds == costs
    }

    /// Whether an answer set that these literals tell from others was accepted.
    pub fn has_heard_of(&self, apart: &[Lit]) -> bool {
        self.told.contains(&hashes(apart))
    }

    /// Remembers an answer set that was accepted.
    pub fn hear_of(&mut self, apart: &[Lit]) {
        self.told.insert(hashes(apart));
    }

    /// What tells an answer set from others, if the question is about that: literals that hold in it. The first ones are
    /// true atoms. `holds` says which literals over atoms hold.
    pub fn told_apart(&self, program: &Program, conditions: &[Lit], holds: &dyn Fn(Lit) -> bool) -> Vec<Lit> {
        let held = |var| Lit::new(var, holds(Lit::new(var, true)));
        let mut lits: Vec<Lit> = match self.kind {
            AnswerSets => program.atoms.iter().map(|&(var, _)| held(var)).collect(),
            Projections => program.projection.iter().flatten().map(|&var| held(var)).collect(),
            Shown => {
                let outputs = program.outputs.iter().zip(conditions).filter(|(output, _)| output.is_shown());
                let all_hold = |output: &Output| output.condition.iter().all(|&lit| holds(lit));
                outputs.map(|(output, &lit)| if all_hold(output) { lit } else { !lit }).collect()
            }
            _ => Vec::new(),
        };
        lits.sort_by_key(|lit| !lit.is_positive());
        lits
    }

    /// Takes the consequences of an answer set into account. Returns the nogood that says that they have to change.
    pub fn consequences(&mut self, conditions: &[Lit], values: &Values) -> Vec<Lit> {
        let mut nogood = Vec::new();
        let is_brave = self.kind.is_brave() == Some(true);
        for (&at, is_consequence) in self.outputs.iter().zip(&mut self.is_consequence) {
            let holds = values.is_true(conditions[at]);
            *is_consequence = if is_brave { *is_consequence || holds } else { *is_consequence && holds };
            if *is_consequence != is_brave {
                nogood.push(if is_brave { !conditions[at] } else { conditions[at] });
            }
        }
        nogood
    }

    /// The names of the consequences of the answer sets so far.
    pub fn names(&self, program: &Program) -> Vec<String> {
        let outputs = self.outputs.iter().zip(&self.is_consequence);
        let held = outputs.filter(|(_, &is_consequence)| is_consequence);
        held.map(|(&at, _)| program.outputs[at].name.clone()).collect()
    }
}

/// Two hashes of literals or values.
pub fn hashes(of: impl Hash) -> [u64; 2] {
    [0, 1].map(|seed| {
        let mut hasher = DefaultHasher::new();
        (seed, &of).hash(&mut hasher);
        hasher.finish()
    })
}
