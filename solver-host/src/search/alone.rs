//! A search by the solver's own searcher alone, and what is made of its answer sets.
//!
//! Main function: [`Solver::search_alone`].

use super::optimum::Course;
use super::searcher::Event;
use super::{AnswerSet, Resume, SolveError, Solver, Step};
use solver_gpu::Lit;

impl Solver {
    /// Searches until there is an answer set, until nothing is left to search, or until it is time to stop or for others
    /// to join.
    pub(super) fn search_alone(&mut self, interrupt: &dyn Fn() -> bool) -> Result<Step, SolveError> {
        match std::mem::replace(&mut self.resume, Resume::Anywhere) {
            Resume::Start => self.start()?,
            Resume::AfterAnswer if self.searcher.keeps_answers() => {}
            Resume::AfterAnswer => self.go_on_after_answer()?,
            Resume::Anywhere => {}
            Resume::Over(all) => return Ok(self.over(all)),
        }
        // The control words may have changed since they were read.
        self.searcher.memory.read_state()?;
        loop {
            if matches!(self.resume, Resume::Over(_)) {
                return Ok(Step::Exhausted);
            }
            if interrupt() || self.is_spread_due() {
                return Ok(Step::Interrupted);
            }
            let event = self.searcher.advance(interrupt)?;
            self.kept.extend(self.searcher.found.drain(..));
            let refuted = match event {
                Event::Paused => self.guide_between().map(Course::refuted)?,
                Event::Exhausted => self.guide_refuted()?,
                Event::Answer(answer) if self.is_told(&answer) => {
                    self.searcher.trace_answer()?;
                    return Ok(self.answer(answer));
                }
                Event::Answer(_) => {
                    self.go_on_after_answer()?;
                    None
                }
                Event::Interrupted => return Ok(Step::Interrupted),
                Event::Idle => return Err(SolveError::Internal("a single search waits for others")),
            };
            if let Some(refuted) = refuted {
                self.end_phase(refuted)?;
            }
            if let Some(answer) = self.kept.pop_front() {
                return Ok(self.answer(answer));
            }
        }
    }

    /// Tells an answer set.
    pub(super) fn answer(&mut self, answer: AnswerSet) -> Step {
        if !matches!(self.resume, Resume::Over(_)) {
            self.resume = Resume::AfterAnswer;
        }
        self.searcher.statistics.answer_sets += 1;
        Step::Answer(self.judged(answer))
    }

    /// The answer set with what the goal wants to know of it.
    fn judged(&mut self, answer: AnswerSet) -> AnswerSet {
        let holds = |lit: Lit| answer.holds(lit);
        let program = self.searcher.problem.program();
        let costs = self.plan.costs(program, holds);
        self.plan.note(program, &costs, holds);
        AnswerSet {
            printed: self.plan.printed().map(<[bool]>::to_vec),
            consequences: self.plan.consequences(),
            is_optimal: self.plan.is_optimum_known(),
            costs,
            holds: answer.holds,
        }
    }
}
