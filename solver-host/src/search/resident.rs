//! The loop of a search that runs on the device: what the host does when the device returns.
//!
//! Main function: [`Solver::search_resident`]. The device returns with answer sets, when it is exhausted,
//! when something has to grow, or when it was asked to. Everything that it does by itself is in
//! [`solver_gpu::kernels::search`].

use super::options::Team;
use super::plan::Phase;
use super::{AnswerSet, Checked, Resume, SolveError, Solver, Step};
use crate::device::Geometry;
use solver_gpu::kernels::search::outcome;

/// Answer sets that the device collects at most before it returns.
const MOST_ANSWERS: u32 = 4096;
/// And their bits, in words.
const MOST_ANSWER_WORDS: u32 = 1 << 24;

impl Solver {
    /// Algorithm 1, on the device.
    pub(super) fn search_resident(&mut self, interrupt: &dyn Fn() -> bool) -> Result<Step, SolveError> {
        match std::mem::replace(&mut self.resume, Resume::Anywhere) {
            Resume::Start => self.start()?,
            Resume::AfterAnswer if self.keeps_answers() => {}
            Resume::AfterAnswer => self.go_on_after_answer()?,
            Resume::Anywhere => {}
            Resume::Over(all) => return Ok(self.over(all)),
        }
        // The control words may have changed since they were read.
        self.memory.read_state()?;
        loop {
            if matches!(self.resume, Resume::Over(_)) {
                return Ok(Step::Exhausted);
            }
            if interrupt() || self.is_spread_due() {
                return Ok(Step::Interrupted);
            }
            self.run(interrupt)?;
            self.drain_trace()?;
            let outcome = self.memory.state.outcome.load();
            if self.memory.state.answers.load() > 0 {
                self.collect()?;
            }
            match outcome {
                outcome::PAUSED | outcome::EXHAUSTED => {
                    let refuted = match outcome {
                        outcome::PAUSED => self.guide_between()?.refuted(),
                        _ => self.guide_refuted()?,
                    };
                    if let Some(refuted) = refuted {
                        if self.end_phase(refuted)? {
                            self.memory.read_state()?;
                        }
                    }
                }
                outcome::ANSWER if self.keeps_answers() => {}
                outcome::ANSWER => {
                    let answer = self.answer_set()?;
                    match self.check_minimality(&answer, interrupt)? {
                        Checked::Minimal if !self.is_told(&answer) => self.go_on_after_answer()?,
                        Checked::Minimal => {
                            self.trace_answer()?;
                            return Ok(self.answer(answer));
                        }
                        Checked::Unfounded(nogood) => self.learn_unfounded(&nogood)?,
                        Checked::Interrupted => return Ok(Step::Interrupted),
                    }
                    self.memory.read_state()?;
                }
                outcome::NO_ROOM => self.make_room()?,
                _ => return Err(SolveError::Internal("completion left variables open")),
            }
            if let Some(answer) = self.kept.pop_front() {
                return Ok(self.answer(answer));
            }
            if matches!(self.resume, Resume::Over(_)) {
                return Ok(Step::Exhausted);
            }
        }
    }

    /// Whether the device goes on to the next answer set by itself.
    pub(super) fn keeps_answers(&self) -> bool {
        (self.plan.phase() == Phase::Enumerate || self.memory.search.swarm.is_any())
            && self.minimality.is_none()
    }

    pub(super) fn answer(&mut self, answer: AnswerSet) -> Step {
        if !matches!(self.resume, Resume::Over(_)) {
            self.resume = Resume::AfterAnswer;
        }
        self.statistics.answer_sets += 1;
        Step::Answer(self.judged(answer))
    }

    /// One launch.
    pub(super) fn run(&mut self, interrupt: &dyn Fn() -> bool) -> Result<(), SolveError> {
        if self.keeps_answers() {
            // One at first, as that may be all that is wanted, then more and more. Where the answer sets change
            // the goal, each is told at once.
            let words = self.memory.search.problem.atom_vars.div_ceil(32).max(1);
            let most = (MOST_ANSWER_WORDS / words).clamp(1, MOST_ANSWERS);
            let wanted = self.statistics.answer_sets.max(1).min(most as u64) as u32;
            // A trace ends with the last answer set that is asked for.
            let wanted = if self.is_traced() || self.counts_answers() { 1 } else { wanted };
            self.memory.fit_answers(if self.plan.phase() == Phase::Enumerate { wanted } else { 1 })?;
        } else {
            self.memory.search.launch.answers_wanted = 0;
        }
        Ok(self.memory.search(self.geometry(), interrupt)?)
    }

    /// The team for the next launch.
    fn geometry(&self) -> Geometry {
        match self.options.team {
            Team::Warp => Geometry::Warp,
            Team::Block | Team::Auto => Geometry::Block,
        }
    }

    /// Takes over the answer sets that the device kept.
    pub(super) fn collect(&mut self) -> Result<(), SolveError> {
        let words = self.memory.read_answers()?;
        let rows = self.memory.state.answers.load() as usize;
        let len = words.len() / rows;
        for row in 0..rows {
            let bits = &words[row * len..(row + 1) * len];
            let answer = self.answer_set_of(|p| bits[p / 32] >> (p % 32) & 1 == 1);
            self.kept.push_back(answer);
        }
        Ok(())
    }
}
