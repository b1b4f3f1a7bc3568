//! A search by a crew: what the solver makes of the news.
//!
//! Main function: [`Solver::search_by_all`]. The solver waits for news, judges answer sets, and begins the next phase. If
//! a guide leads its own search, it also goes on by itself (see `beside`).

use super::{Others, Resume, Solver, Step};
use crate::search::campaign::plan::Conclusion;
use crate::search::crew::news::{News, Role};
use crate::search::SolveError;
use std::sync::mpsc::RecvTimeoutError;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

/// How long the solver waits for news before it asks whether to go on.
const WAIT: Duration = Duration::from_millis(2);

impl Solver {
    /// Waits for the next answer set of the searchers.
    pub(super) fn search_by_all(&mut self, interrupt: &dyn Fn() -> bool) -> Result<Step, SolveError> {
        if matches!(self.resume, Resume::Over(_)) {
            return Ok(Step::Exhausted);
        }
        loop {
            self.open_awaited()?;
            self.receive_crews()?;
            if let Some(answer) = self.campaign.kept.pop_front() {
                // Meanwhile another searcher's answer set may have been better, or may have said as much. Or
                // the answer set was in a cube that is searched again.
                if self.campaign.is_news(&answer) {
                    let step = self.answer(answer);
                    if let Others::Crew(crew) = &self.others {
                        crew.home.tell_chosen(self.campaign.plan.chosen());
                    }
                    return Ok(step);
                }
                continue;
            }
            self.search_beside(interrupt)?;
            if !self.campaign.kept.is_empty() {
                continue;
            }
            if self.are_symmetries_due() {
                return Ok(Step::Interrupted);
            }
            let Others::Crew(crew) = &mut self.others else {
                return Err(SolveError::Internal("there are no searchers"));
            };
            let is_beside = crew.beside.is_some() && !crew.home.is_over();
            if !is_beside && crew.searching == 0 && !crew.commands.is_empty() {
                if let Some(more) = crew.counted_since() {
                    self.searcher.statistics.answer_sets += more;
                    return Ok(Step::Counted(more));
                }
                // Without a refutation, searchers have returned because they have found as many as are wanted.
                let Some(refuted) = crew.refuted() else { return Ok(Step::Interrupted) };
                if self.campaign.expects_repeats()
                    && !self.campaign.accounts_for(crew.home.bound(), &crew.home.known())
                {
                    let why = "it has found a better answer set, and was gone before it could tell it";
                    return Err(SolveError::Gone(why.into()));
                }
                if let Conclusion::Over(all) = self.campaign.plan.conclude(refuted) {
                    return Ok(self.over(all));
                }
                self.searcher.prove_phase(&self.campaign.plan)?;
                self.next_phase_of_all()?;
                continue;
            }
            let mut is_quiet = false;
            match crew.news.recv_timeout(if is_beside { Duration::ZERO } else { WAIT }) {
                Ok(News::Answers(answers)) => self.campaign.kept.extend(answers),
                Ok(News::Finished) => crew.searching -= 1,
                Ok(News::Failed(error)) => {
                    crew.searching -= 1;
                    return Err(error);
                }
                Ok(News::Ready(fleet)) => crew.add_fleet(fleet, &self.campaign.plan)?,
                Ok(News::Absent(why)) if !self.searcher.options.joins() => return Err(why),
                Ok(News::Absent(why)) => self.absent = Some(why),
                Err(RecvTimeoutError::Timeout) if crew.threads.iter().any(JoinHandle::is_finished) => {
                    return Err(SolveError::Internal("a searcher has ended"));
                }
                Err(RecvTimeoutError::Timeout) => is_quiet = true,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(SolveError::Internal("the searchers have ended"));
                }
            }
            if self.campaign.kept.is_empty() && interrupt() {
                return Ok(Step::Interrupted);
            }
            // The caller is told of counted answer sets only if no news has come, because telling takes time.
            if let Some(more) = is_quiet.then(|| crew.counted_since()).flatten() {
                self.searcher.statistics.answer_sets += more;
                return Ok(Step::Counted(more));
            }
        }
    }

    /// Begins the plan's present phase, for all searchers.
    fn next_phase_of_all(&mut self) -> Result<(), SolveError> {
        self.end_turns();
        self.leave_guide();
        let Others::Crew(crew) = &mut self.others else { return Ok(()) };
        crew.beside = None;
        self.searcher.leave_proof();
        let searchers = crew.members;
        let home = Arc::new(self.home(searchers)?);
        let Others::Crew(crew) = &mut self.others else { return Ok(()) };
        crew.home = home;
        // What was learned may exclude answer sets of this phase.
        crew.keeps = false;
        self.searcher.ledger().inspect(|ledger| ledger.expect_all(crew.home.hub()));
        self.searcher.log().map_or(Ok(()), |log| log.expect_all(crew.home.hub(), searchers, false))?;
        for number in 0..crew.commands.len() {
            let role = if number == 0 { Role::Begins } else { Role::Joins };
            crew.tell(number, role, &self.campaign.plan)?;
        }
        crew.searching = crew.commands.len();
        Ok(())
    }
}
