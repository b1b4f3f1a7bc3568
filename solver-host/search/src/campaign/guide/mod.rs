//! Searches for an optimum under assumptions: which answer sets the search assumes to exist, and what a refutation
//! of that means.
//!
//! Main type: [`Guide`]. A guide stands between a search and a tactic ([`Cores`], [`Steps`] or
//! [`Neighbourhoods`]). It is told what the search has come to, and answers with a [`Course`]: the search
//! goes on as it is, or under other assumptions and with more variables and sums, or ends. No search begins
//! anew, and learned nogoods stay.
//!
//! Invariant: the caller is told only of answer sets that are better than all before. If the tactic demands better
//! ones, so does the goal of the search (see [`super::plan`]); else the search has no goal.

mod cores;
mod neighbourhoods;
mod softs;
mod steps;
mod tactic;
#[cfg(test)]
mod tests;

use super::plan::{Levels, Plan};
use super::refuted::Refuted;
use crate::effort::Effort;
use crate::options::{Descent, OptStrategy, Options, Shrink, Usc};
use cores::Cores;
use neighbourhoods::Neighbourhoods;
use solver_gpu::Lit;
use steps::Steps;
pub use tactic::{Addition, Additions, Reason};
use tactic::{NextVar, Tactic, Verdict};

/// A trial with so many decisions for each conflict is given up: it would end with an answer set.
const QUIET: u64 = 100;

/// A tactic for finding an optimum, and what the search owes to it.
pub struct Guide {
    /// What says what to assume and to add.
    pub tactic: Box<dyn Tactic>,
    /// What the search had done when the present assumptions were made.
    since: Effort,
    /// Whether the search runs under the tactic's assumptions.
    has_begun: bool,
    /// The best costs that the tactic was told of, as the counters count them.
    known: Vec<i64>,
}

/// How a search goes on, by what the guide says.
pub enum Course {
    /// The search goes on as it is.
    Same,
    /// The search goes on under new assumptions.
    Follows(Orders),
    /// Nothing is left to search.
    Ends(Refuted),
}

/// What a search has to do before it goes on. Propagation comes first then: what new sums force at level 1 must be
/// assigned before a level is opened.
pub struct Orders {
    /// Variables and sums to add.
    pub additions: Additions,
    /// The literals to assume, instead of all that were assumed before.
    pub assumptions: Vec<Lit>,
}

impl Guide {
    /// The guide that the options ask for. The first free variable of the problem is `next`. There is no guide if the
    /// strategy only demands better answer sets (`bb`).
    pub fn new(options: &Options, levels: Levels, next: u32) -> Option<Guide> {
        let next = NextVar(next);
        let minimise = match options.opt_usc_shrink {
            Shrink::No => 0,
            Shrink::Min(limit) => limit,
        };
        let tactic: Box<dyn Tactic> = match options.opt_strategy {
            OptStrategy::Bb(Descent::Lin) => return None,
            OptStrategy::Bb(descent) => Box::new(Steps::new(descent, levels, next)),
            OptStrategy::Usc(usc) => Box::new(Cores::new(Usc { minimise, ..usc }, levels, next)),
            OptStrategy::Auto | OptStrategy::Turns(_) => {
                Box::new(Cores::new(Usc { minimise, ..Usc::default() }, levels, next))
            }
        };
        Some(Guide::of(tactic))
    }

    /// The guide of a search that goes from one answer set to a better one, beside one by cores. The first
    /// free variable of the problem is `next`. After `first` conflicts without a better answer set, the
    /// search looks into neighbourhoods of the best one, which depend on `seed`.
    pub fn by_answers(levels: Levels, next: u32, first: u64, seed: u64) -> Guide {
        let has_several = levels.len() > 1;
        let steps = has_several.then(|| Steps::new(Descent::Hier, levels, NextVar(next)));
        Guide::of(Box::new(Neighbourhoods::new(steps, first, seed)))
    }

    fn of(tactic: Box<dyn Tactic>) -> Guide {
        Guide { tactic, since: Effort::default(), has_begun: false, known: Vec::new() }
    }

    /// The search begins: its first orders, unless it has them. Here and below, `done` is what the
    /// search has done so far.
    pub fn begins(&mut self, done: Effort) -> Course {
        match self.has_begun {
            true => Course::Same,
            false => Course::Follows(self.orders(done)),
        }
    }

    /// The search has found an answer set, which the plan knows if it is the best one.
    pub fn answered(&mut self, plan: &mut Plan, done: Effort) -> Course {
        self.known = plan.best_counters();
        self.tactic.chosen(plan.chosen());
        let verdict = self.tactic.answered(&self.known);
        if verdict == Verdict::Stays {
            self.since = done;
        }
        self.course(verdict, plan, done)
    }

    /// Whether the tactic was told of the best answer set that the plan knows.
    pub fn knows_best(&self, plan: &Plan) -> bool {
        self.known == plan.best_counters()
    }

    /// Another search has found a better answer set, which the plan knows.
    pub fn told(&mut self, plan: &mut Plan, done: Effort) -> Course {
        self.known = plan.best_counters();
        self.tactic.chosen(plan.chosen());
        let verdict = self.tactic.told(&self.known);
        self.course(verdict, plan, done)
    }

    /// The search has refuted its assumptions; these are the ones that the refutation needs.
    pub fn refuted(&mut self, core: &[Lit], plan: &mut Plan, done: Effort) -> Course {
        let verdict = self.tactic.refuted(core);
        self.course(verdict, plan, done)
    }

    /// The search is between two launches, without a conflict. Gives the assumptions up if they have taken more
    /// conflicts than the tactic allows, or if a trial meets hardly any.
    pub fn between(&mut self, plan: &mut Plan, done: Effort) -> Course {
        let (conflicts, decisions) =
            (done.conflicts - self.since.conflicts, done.decisions - self.since.decisions);
        let is_over = self.tactic.budget().is_some_and(|budget| conflicts >= budget);
        let is_in_vain = self.tactic.is_trial() && decisions > QUIET * (1 + conflicts);
        if !is_over && !is_in_vain {
            return Course::Same;
        }
        let verdict = self.tactic.gave_up();
        self.course(verdict, plan, done)
    }

    /// What a verdict of the tactic means for the search. The plan notes the lower bound.
    fn course(&mut self, verdict: Verdict, plan: &mut Plan, done: Effort) -> Course {
        plan.raise_lower(self.tactic.lower());
        match Refuted::by_tactic(verdict == Verdict::Over) {
            None if verdict == Verdict::Stays => Course::Same,
            None => Course::Follows(self.orders(done)),
            Some(refuted) => Course::Ends(refuted),
        }
    }

    fn orders(&mut self, done: Effort) -> Orders {
        (self.has_begun, self.since) = (true, done);
        Orders { additions: self.tactic.additions(), assumptions: self.tactic.assumptions() }
    }
}
