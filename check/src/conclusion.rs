//! What a proof has proved.
//!
//! Main type: [`Conclusion`].

use std::fmt;

use serde::Serialize;

use crate::program::Program;
use crate::question::{Kind, Question};

/// What a proof has proved of the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Conclusion {
    /// What was assumed besides the program.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub assumed: Vec<String>,
    /// What was asked.
    pub question: Kind,
    /// What the costs of the first priorities must not exceed, highest priority first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bounds: Vec<i128>,
    /// How many answer sets were found.
    pub answer_sets: u64,
    /// The costs of the last one, highest priority first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub costs: Option<Vec<i128>>,
    /// Whether these are the optimal costs: those of the last answer set found for the optimum, or those of all answer
    /// sets that other questions are about.
    pub optimal: bool,
    /// The consequences, if these were asked for and there is an answer set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub consequences: Option<Vec<String>>,
}

impl Conclusion {
    /// What is proved by the refutation of a question. `is_among_optimal` says that its bounds are the
    /// optimal costs.
    pub fn new(
        program: &Program,
        assumed: Vec<String>,
        question: &Question,
        is_among_optimal: bool,
    ) -> Conclusion {
        let is_found = question.answers > 0;
        Conclusion {
            assumed,
            question: question.kind,
            bounds: question.bounds.clone(),
            answer_sets: question.answers,
            costs: question.last_costs.clone().filter(|costs| !costs.is_empty()),
            optimal: is_found && (question.kind == Kind::Optimum || is_among_optimal),
            consequences: (is_found && question.kind.is_brave().is_some()).then(|| question.names(program)),
        }
    }
}

/// Writes numbers with blanks between them.
fn list(numbers: &[i128]) -> String {
    numbers.iter().map(i128::to_string).collect::<Vec<_>>().join(" ")
}

impl fmt::Display for Conclusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let within = match (&self.bounds[..], self.optimal && self.question != Kind::Optimum) {
            ([], _) => String::new(),
            (costs, true) => format!(" with the optimal costs {}", list(costs)),
            (bounds, false) => format!(" with costs of at most {}", list(bounds)),
        };
        if !self.assumed.is_empty() {
            write!(f, "assuming {}: ", self.assumed.join(", "))?;
        }
        let (count, s) = (self.answer_sets, if self.answer_sets == 1 { "" } else { "s" });
        match self.question {
            _ if count == 0 => write!(f, "the program has no answer set{within}"),
            Kind::AnswerSets => write!(f, "the program has {count} answer set{s}{within}, and no other"),
            Kind::Projections => {
                write!(f, "the answer sets{within} have {count} projection{s}, no other")
            }
            Kind::Shown => write!(f, "the answer sets{within} show {count} set{s} of names, and no other"),
            Kind::Optimum => match &self.costs {
                Some(costs) => write!(f, "the optimal costs are {}", list(costs)),
                None => write!(f, "the program has an answer set, and no costs"),
            },
            kind => {
                let kind = if kind.is_brave() == Some(true) { "brave" } else { "cautious" };
                write!(f, "the {kind} consequences of the answer sets{within} are:")?;
                self.consequences.iter().flatten().try_for_each(|name| write!(f, " {name}"))
            }
        }
    }
}
