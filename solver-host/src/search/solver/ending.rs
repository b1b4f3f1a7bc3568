//! How a phase ends, and whether the last answer set was the last one: what a search knows without searching
//! on.
//!
//! Main functions: [`Solver::end_phase`] and [`Solver::all_searched`]. If an answer set needed no open
//! decision, there is nothing else to try. clasp tells that as well: its exit code for a program of facts
//! says that the search is exhausted.

use super::{Others, Resume, Solver, Step};
use crate::search::campaign::plan::{AllSearched, Conclusion, Phase};
use crate::search::campaign::refuted::Refuted;
use crate::search::SolveError;

impl Solver {
    /// The statement that nothing is left to search, if that is known: no step but
    /// [`Step::Exhausted`] follows.
    pub fn all_searched(&self) -> Option<AllSearched> {
        if !self.campaign.kept.is_empty() || self.are_others_excluded() {
            return None;
        }
        let refuted = match (&self.resume, &self.others) {
            (&Resume::Over(all), _) => return Some(all),
            // The search's own control words say nothing of the other searchers.
            (_, Others::Crew(crew)) => crew.refuted(),
            (Resume::Start | Resume::Anywhere, _) => None,
            // The device went on after the last answer set that the device kept, and wrote what it found.
            (Resume::AfterAnswer, _) if self.searcher.keeps_answers() => {
                Refuted::by_one(&self.searcher.memory.state)
            }
            (Resume::AfterAnswer, _) => {
                // Answer sets that differ in costs alone count as different on the way to an optimum.
                let memory = &self.searcher.memory;
                let is_enumerated = self.campaign.plan.phase() == Phase::Enumerate;
                let projects = memory.search.problem.project == 1 && is_enumerated;
                Refuted::by_only_answer(&memory.state, projects)
            }
        };
        self.campaign.plan.foresees_end(refuted?)
    }

    /// Nothing is left to search.
    pub(super) fn over(&mut self, all: AllSearched) -> Step {
        self.resume = Resume::Over(all);
        Step::Exhausted
    }

    /// Ends the present phase, in which nothing is left to search, and begins the next one if there is one.
    pub(super) fn end_phase(&mut self, refuted: Refuted) -> Result<(), SolveError> {
        if let Conclusion::Over(all) = self.campaign.plan.conclude(refuted) {
            self.resume = Resume::Over(all);
            return Ok(());
        }
        self.searcher.prove_phase(&self.campaign.plan)?;
        self.end_turns();
        if self.campaign.drop_guide() {
            self.searcher.forget_orders();
        }
        self.searcher.begin_phase(&self.campaign.plan)?;
        self.searcher.trace_again()?;
        self.searcher.start()?;
        self.begin_assumed()
    }
}

#[cfg(test)]
mod tests {
    use crate::input::read;
    use crate::program::Program;
    use crate::search::{Engine, Goal, Optimization, Options, Projection, Reasoning, Solver, Step};

    fn program(text: &str) -> Program {
        read("test", text.as_bytes()).expect("a program")
    }

    /// `a :- not b. b :- not a.`
    const PAIR: &str = "asp 1 0 0\n1 0 1 1 0 1 -2\n1 0 1 2 0 1 -1\n4 1 a 1 1\n4 1 b 1 2\n0\n";
    /// `a. b :- a.`
    const FACTS: &str = "asp 1 0 0\n1 0 1 1 0 0\n1 0 1 2 0 1 1\n4 1 a 1 1\n4 1 b 1 2\n0\n";
    /// `{a; b}.`, of which only `a` is shown, and `a` costs 1.
    const CHOICE: &str = "asp 1 0 0\n1 1 2 1 2 0 0\n4 1 a 1 1\n2 0 1 1 1\n0\n";

    /// Whether each step of a whole search says that it is the last one; both loops have to agree.
    fn told(text: &str, goal: &Goal) -> Vec<bool> {
        let mut told: Vec<Vec<bool>> = Vec::new();
        for engine in [Engine::Host, Engine::Resident] {
            let options = Options { engine, device: crate::device::DeviceKind::Cpu, ..Options::default() };
            let mut solver =
                Solver::with_goal(program(text), options, goal.clone()).expect("the processor is there");
            assert!(solver.all_searched().is_none(), "nothing was searched yet");
            told.push(Vec::new());
            while let Step::Answer(_) = solver.next_answer(&|| false).expect("no failure") {
                told.last_mut().expect("just pushed").push(solver.all_searched().is_some());
            }
            assert!(solver.all_searched().is_some(), "{engine:?}");
        }
        assert_eq!(told[0], told[1], "{text}");
        told.remove(0)
    }

    #[test]
    fn the_last_answer_set_is_known_to_be_the_last() {
        assert_eq!(told(FACTS, &Goal::default()), [true]);
        assert_eq!(told(PAIR, &Goal::default()), [false, true]);
        let all = Goal { optimization: Optimization::Ignore, ..Goal::default() };
        assert_eq!(told(CHOICE, &all), [false, false, false, true]);
        let projected = Goal { projection: Projection::Show, ..all };
        assert_eq!(told(CHOICE, &projected), [false, true]);
    }

    #[test]
    fn other_goals_know_it_too() {
        for reasoning in [Reasoning::Brave, Reasoning::Cautious] {
            assert_eq!(told(FACTS, &Goal { reasoning, ..Goal::default() }), [true]);
        }
        let optimal = Goal { optimization: Optimization::OptN, ..Goal::default() };
        // The first answer set is optimal, but the search has to look for others.
        assert!(!told(CHOICE, &optimal)[0]);
    }
}
