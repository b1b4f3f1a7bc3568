//! What is asked of a program: [`Question`].

use crate::atom::{Atom, Literal};
use crate::cancel::Cancel;
use solver_host::program::External;
use solver_host::search::Goal;
use std::time::{Duration, Instant};

/// What is asked of a program. A new question is about all answer sets, or about an optimal one if the
/// program minimizes.
#[derive(Clone, Debug, Default)]
pub struct Question {
    pub(crate) assumptions: Vec<Literal>,
    pub(crate) externals: Vec<(Atom, External)>,
    pub(crate) constraints: Vec<Vec<Literal>>,
    pub(crate) rules: Vec<String>,
    pub(crate) bound: Option<Vec<i64>>,
    pub(crate) projection: Option<Vec<Atom>>,
    pub(crate) goal: Goal,
    pub(crate) limit: u64,
    pub(crate) records_domain: bool,
    pub(crate) tells_bounds: bool,
    pub(crate) minimal_core: bool,
    pub(crate) deadline: Option<Instant>,
    pub(crate) cancel: Option<Cancel>,
}

impl Question {
    /// See the type.
    pub fn new() -> Question {
        Question::default()
    }

    /// Only answer sets in which these literals hold, and those of earlier calls.
    pub fn assume(mut self, lits: impl IntoIterator<Item = impl Into<Literal>>) -> Question {
        self.assumptions.extend(lits.into_iter().map(Into::into));
        self
    }

    /// Gives an external atom another value, for this question alone. The question is refused if the atom is
    /// not external, is released, or has a rule.
    pub fn external(mut self, atom: Atom, value: External) -> Question {
        self.externals.push((atom, value));
        self
    }

    /// Only answer sets in which not all of these literals hold, and those of earlier calls. The program
    /// stays without such a constraint. The question has to be one of many at once
    /// ([`Control::ask_all`](crate::Control::ask_all)).
    pub fn constraint(mut self, lits: impl IntoIterator<Item = impl Into<Literal>>) -> Question {
        self.constraints.push(lits.into_iter().map(Into::into).collect());
        self
    }

    /// The answer sets of the program with these ground rules, and those of earlier calls: `a :- b, not
    /// c.`, `a | b.`, `{a; b} :- c.` or `:- a.` about what the program shows. Other names in heads are new
    /// atoms, which are shown; each name in a body is one of both. An external atom that a rule defines
    /// has no value. The program is the ground one: a grounder may have left out what it could not derive,
    /// unless that is external. The question has to be one of many at once, and is refused if a text is no
    /// such rule.
    pub fn rules(mut self, text: impl Into<String>) -> Question {
        self.rules.push(text.into());
        self
    }

    /// Only answer sets whose costs are at most these, compared highest priority first, whatever the goal's
    /// bound is. Priorities without a number are free. The question has to be one of many at once, as for all
    /// that changes what is prepared: see `docs/questions.md` for what that takes.
    pub fn bound(mut self, costs: impl Into<Vec<i64>>) -> Question {
        self.bound = Some(costs.into());
        self
    }

    /// Answer sets count as different if they differ in one of these atoms, or those of earlier calls,
    /// whatever the goal and the program say. The question has to be one of many at once.
    pub fn project(mut self, atoms: impl IntoIterator<Item = Atom>) -> Question {
        self.projection.get_or_insert_default().extend(atoms);
        self
    }

    /// Says which answer sets are wanted, and what is to be told of them.
    pub fn goal(mut self, goal: Goal) -> Question {
        self.goal = goal;
        self
    }

    /// At most so many answer sets; 0: all.
    pub fn limit(mut self, answers: u64) -> Question {
        self.limit = answers;
        self
    }

    /// Lets each answer set exclude all that deviate from what the domain heuristic prefers in the same atoms
    /// or more, as clasp's `--enum-mode=domRec`. One searcher searches. The question is refused if
    /// [`Options::heuristic`](crate::Options::heuristic) is another one, or if which answer sets come would
    /// depend on the order of decisions.
    pub fn record_domain(mut self) -> Question {
        self.records_domain = true;
        self
    }

    /// Lets [`Control::advance`](crate::Control::advance) return [`Progress::Bound`](crate::Progress::Bound)
    /// when the lower bound on the costs has grown, unless it has an answer or the end to tell.
    pub fn tell_bounds(mut self) -> Question {
        self.tells_bounds = true;
        self
    }

    /// Lets [`Control::ask_all`](crate::Control::ask_all) leave out of a core what can be left out.
    pub fn minimal_core(mut self) -> Question {
        self.minimal_core = true;
        self
    }

    /// Searches for so long at most, from now on.
    pub fn within(mut self, time: Duration) -> Question {
        // A time that no clock reaches is none.
        self.deadline = Instant::now().checked_add(time);
        self
    }

    /// Lets another thread end the search.
    pub fn cancelled_by(mut self, cancel: &Cancel) -> Question {
        self.cancel = Some(cancel.clone());
        self
    }

    /// Whether the question changes what is prepared.
    pub(crate) fn has_own(&self) -> bool {
        !self.rules.is_empty() || self.bound.is_some() || self.projection.is_some()
    }

    /// Whether it is time to stop.
    pub(crate) fn is_over(&self) -> bool {
        self.cancel.as_ref().is_some_and(Cancel::is_cancelled)
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}
