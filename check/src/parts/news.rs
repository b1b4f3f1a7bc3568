//! Which answer sets of several parts are news.
//!
//! Main type: [`News`]. Processes that search at the same time may find the same answer set, or one that is
//! no better than another's. A proof tells only news, so that the others are left out.

use std::collections::{HashMap, HashSet};

use crate::program::{Costs, Output, Program};
use crate::question::{hashes, Kind};
use crate::trusted::lit::{Lit, Var};

/// What is known of the answer sets of the present question.
pub struct News {
    /// The variables of the atoms that the file names.
    atoms: HashMap<i64, Var>,
    costs: Vec<Costs>,
    projection: Option<Vec<Var>>,
    outputs: Vec<Output>,
    /// For each variable whether the answer set that is looked at has it.
    is_told: Vec<bool>,
    kind: Option<Kind>,
    /// Hashes of what tells the answer sets apart. Two that differ might be taken for one, and the proof would be refused.
    told: HashSet<[u64; 2]>,
    /// The lowest costs so far.
    lowest: Option<Vec<i128>>,
    /// For each output whether it is a consequence so far.
    is_consequence: Option<Vec<bool>>,
}

impl News {
    /// Before the first question about a program.
    pub fn new(program: &Program) -> News {
        News {
            atoms: program.atoms.iter().map(|&(var, number)| (i64::from(number), var)).collect(),
            costs: program.costs.clone(),
            projection: program.projection.clone(),
            outputs: program.outputs.clone(),
            is_told: vec![false; program.variables as usize],
            kind: None,
            told: HashSet::new(),
            lowest: None,
            is_consequence: None,
        }
    }

    /// A question of this kind is asked.
    pub fn ask(&mut self, kind: i64) {
        self.kind = Kind::of(kind);
        self.ask_again();
    }

    /// The question is asked again.
    pub fn ask_again(&mut self) {
        self.told.clear();
        (self.lowest, self.is_consequence) = (None, None);
    }

    /// Whether an answer set with these atoms is news, from which moment on it is not. What makes no sense
    /// is, as the checker says why.
    pub fn is_news(&mut self, atoms: &[i64]) -> bool {
        self.is_told.fill(false);
        for atom in atoms {
            if let Some(var) = self.atoms.get(atom) {
                self.is_told[var.index()] = true;
            }
        }
        let holds = |lit: Lit| lit.var() == Lit::TRUE.var() || self.is_told[lit.var().index()];
        let holds = |lit: Lit| holds(lit) == lit.is_positive();
        let all_hold = |output: &Output| output.condition.iter().all(|&lit| holds(lit));
        let is_named = |output: &Output| match (&self.projection, &output.condition[..]) {
            (Some(atoms), [lit]) if lit.is_positive() => atoms.contains(&lit.var()),
            _ => true,
        };
        match self.kind {
            None => true,
            Some(Kind::AnswerSets) => self.told.insert(hashes(&self.is_told)),
            Some(Kind::Projections) => {
                let atoms = self.projection.iter().flatten();
                let held: Vec<bool> = atoms.map(|var| self.is_told[var.index()]).collect();
                self.told.insert(hashes(&held))
            }
            Some(Kind::Shown) => {
                let shown = self.outputs.iter().filter(|output| output.is_shown());
                let held: Vec<bool> = shown.map(all_hold).collect();
                self.told.insert(hashes(&held))
            }
            Some(Kind::Optimum) => {
                let cost = |costs: &Costs| {
                    let held = costs.terms.iter().filter(|&&(lit, _)| holds(lit));
                    costs.constant + held.map(|&(_, weight)| weight).sum::<i128>()
                };
                let costs: Vec<i128> = self.costs.iter().map(cost).collect();
                let is_lower = self.lowest.as_ref().is_none_or(|lowest| costs < *lowest);
                if is_lower {
                    self.lowest = Some(costs);
                }
                is_lower
            }
            Some(kind) => {
                let is_brave = kind.is_brave() == Some(true);
                let is_asked = |output: &Output| {
                    matches!(kind, Kind::BraveOfAll | Kind::CautiousOfAll) || is_named(output)
                };
                let held: Vec<bool> =
                    self.outputs.iter().filter(|output| is_asked(output)).map(all_hold).collect();
                let Some(known) = &mut self.is_consequence else {
                    self.is_consequence = Some(held);
                    return true;
                };
                let mut is_news = false;
                for (known, holds) in known.iter_mut().zip(held) {
                    is_news |= *known != is_brave && holds == is_brave;
                    *known = if is_brave { *known || holds } else { *known && holds };
                }
                is_news
            }
        }
    }
}
