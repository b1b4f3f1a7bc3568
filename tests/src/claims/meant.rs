//! What is true of a program, as far as a run may speak of it.
//!
//! Main type: [`Meant`], made from a program and what is asked by [`Subject::meant`].

use serde::{Deserialize, Serialize};

use super::asked::{Asked, Mode, Projection, Reasoning};
use super::known::{Known, Optimal};
use super::program::{Costs, Onto, Program, Table, Within};
use crate::rich::{leave_out, Rich};

/// What is solved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Subject {
    /// A program whose answer sets are known.
    Parts(Program),
    /// A program of which only something about its optimum is known.
    Known(Known),
}

impl Subject {
    /// The ground program.
    pub fn text(&self) -> String {
        match self {
            Subject::Parts(program) => program.merged().to_aspif(),
            Subject::Known(known) => known.text().to_string(),
        }
    }

    /// Whether the program has minimize statements.
    pub fn minimizes(&self) -> bool {
        match self {
            Subject::Parts(program) => program.parts.iter().any(|part| {
                let Rich { minimize, .. } = part.program();
                !minimize.is_empty()
            }),
            Subject::Known(_) => true,
        }
    }

    /// What is true of the answer sets that are asked for.
    pub fn meant(&self, asked: &Asked) -> Meant {
        let minimizes = self.minimizes();
        let (has_costs, optimizes) = (asked.has_costs(minimizes), asked.optimizes(minimizes));
        let bound = if has_costs { asked.bound.clone() } else { Vec::new() };
        let mut meant = Meant {
            has_costs,
            optimizes,
            limit: asked.limit(minimizes),
            within: Within { bound, optimal: false },
            is_satisfiable: true,
            optimum: None,
            number: None,
            consequences: None,
            always: Vec::new(),
            asked: None,
            table: None,
            optimal: None,
        };
        match self {
            Subject::Parts(program) => meant.of_parts(program, asked),
            Subject::Known(known) => meant.of_known(known, asked),
        }
        meant
    }
}

/// What is true of the answer sets that are asked for. What is not known is `None`.
pub struct Meant {
    /// Whether answer sets have costs.
    pub has_costs: bool,
    /// Whether an optimum is looked for.
    pub optimizes: bool,
    /// How many answer sets end the run; 0: no number does.
    pub limit: u64,
    /// The bound on costs, for answer sets on the way.
    pub within: Within,
    /// Whether there is an answer set within the bound.
    pub is_satisfiable: bool,
    /// The lowest costs within the bound, if there are costs.
    pub optimum: Option<Costs>,
    /// How many different answer sets there are; with `optN`, how many optimal ones.
    pub number: Option<u128>,
    /// The consequences asked for, sorted; of the optimal answer sets, if an optimum is looked for.
    pub consequences: Option<Vec<String>>,
    /// All names that may be consequences, sorted.
    pub asked: Option<Vec<String>>,
    /// The names that nobody asked for and that hold in all answer sets meant, sorted. They may be consequences, too.
    pub always: Vec<String>,
    /// All answer sets.
    pub table: Option<Table>,
    /// What each optimal answer set prints, sorted.
    pub optimal: Option<Vec<Vec<String>>>,
}

impl Meant {
    fn of_parts(&mut self, program: &Program, asked: &Asked) {
        let is_stated = program.parts.iter().any(|part| part.program().projection.is_some());
        let onto = match asked.projection {
            // Consequences are of all answer sets, and nothing is enumerated.
            _ if asked.reasoning != Reasoning::Enumerate => Onto::Atoms,
            Projection::No => Onto::Atoms,
            Projection::Project => Onto::Stated,
            Projection::Auto if is_stated => Onto::Stated,
            Projection::Auto | Projection::Show => Onto::Shown,
        };
        let table = Table::new(program, self.has_costs, onto, asked.projection != Projection::Show);
        self.is_satisfiable = table.is_satisfiable(&self.within);
        self.optimum = table.optimum().filter(|_| self.has_costs && self.is_satisfiable);
        let counted = Within { optimal: self.optimizes, ..self.within.clone() };
        if asked.reasoning == Reasoning::Enumerate {
            self.number = Some(table.number(&counted));
        } else {
            let is_cautious = asked.reasoning == Reasoning::Cautious;
            self.consequences = self.is_satisfiable.then(|| table.consequences(&counted, is_cautious));
            self.asked = Some(table.asked());
            self.always = table.always(&counted);
        }
        self.table = Some(table);
    }

    fn of_known(&mut self, known: &Known, asked: &Asked) {
        debug_assert!(self.optimizes && asked.bound.is_empty() && asked.projection == Projection::No);
        let Optimal { costs, number, sets } = known.optimal();
        self.optimum = Some(costs);
        self.number = (asked.mode == Mode::OptN).then_some(number);
        if let Some(sets) = sets.as_ref().filter(|_| asked.reasoning != Reasoning::Enumerate) {
            let is_shared = |name: &&String| sets.iter().all(|set| set.contains(name));
            let mut names: Vec<String> = match asked.reasoning {
                Reasoning::Cautious => sets[0].iter().filter(is_shared).cloned().collect(),
                _ => sets.concat(),
            };
            names.sort_unstable();
            names.dedup();
            self.consequences = Some(names);
        }
        self.optimal = sets;
    }

    /// What is told of consequences, without names that nobody asked for and that hold in all answer sets, as far as
    /// they are told more often than wanted.
    pub fn asked_of(&self, told: &[String], want: &[String]) -> Vec<String> {
        let mut told = told.to_vec();
        leave_out(&mut told, want, &self.always);
        told
    }

    /// Whether costs are those of the best answer sets.
    pub fn is_optimum(&self, costs: &[i64]) -> bool {
        self.optimum.as_ref().is_some_and(|optimum| costs == optimum)
    }

    /// Whether no answer set costs less.
    pub fn is_lower(&self, costs: &[i64]) -> bool {
        self.optimum.as_ref().is_none_or(|optimum| costs <= &optimum[..])
    }
}
