//! How a fleet takes questions from the queue, and what becomes of its replies.
//!
//! Main type: [`FleetClerk`]; main function: [`FleetClerk::serve`]. The searchers of a fleet answer *plain*
//! questions ([`are_plain`], [`is_plain`]): those for answer sets under assumptions. All other questions are
//! for the solvers on threads. If these have nothing to do, the fleet gives the questions back to them that
//! it has had longest, because a solver is faster than a searcher of a fleet and can divide a question.
//!
//! Invariant: a question that the fleet has taken gets one finding from it, or goes back to the queue.

use super::queue::{Asked, Counter, Finding, Inquiry, Reply};
use crate::campaign::plan::Phase;
use crate::campaign::Campaign;
use crate::crew::answering::{Answering, Told, MOST_LITS};
use crate::{Options, Problem, SolveError};
use solver_gpu::Lit;
use std::collections::HashMap;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::Ordering;
use std::sync::mpsc::Sender;
use std::sync::Arc;
use std::time::{Duration, Instant};
use yasmin_device::DeviceKind;

/// How long a fleet has a question before it gives the question back to a solver that has nothing to do.
const PATIENCE: Duration = Duration::from_millis(100);

/// Whether the questions about a problem may be plain: they are about answer sets, and not about optima,
/// consequences or bounds, and no answer set is checked for smaller models.
pub fn are_plain(problem: &Problem) -> bool {
    let task = &problem.task;
    task.plan.phase() == Phase::Enumerate
        && !task.plan.has_goal()
        && task.plan.goal().bound.is_empty()
        && !task.prepared.unsatisfiable
        && !task.are_symmetries_broken()
        && task.program().differences.is_none()
        && problem.head_cycles().is_none()
}

/// Whether a question is plain, if those about the problem [may be](are_plain): it has no constraints and no
/// problem of its own, and asks for no minimal core.
pub fn is_plain(inquiry: &Inquiry) -> bool {
    inquiry.excluded.is_empty()
        && inquiry.own.is_none()
        && !inquiry.minimal_core
        && inquiry.lits.len() <= MOST_LITS
        && inquiry.wanted < u32::MAX as u64
}

/// Who has a fleet answer plain questions, on a thread.
pub struct FleetClerk {
    pub problem: Arc<Problem>,
    pub options: Options,
    /// Where the fleet is, if that is not where the problem was prepared.
    pub device: Option<DeviceKind>,
    /// Whether the fleet joins solvers that take plain questions as well. If it fails, they go on.
    pub joins: bool,
}

/// A question that the fleet has.
struct Open {
    asked: Arc<Asked>,
    /// The literals that were named, and the solver's for each.
    lits: Vec<(Lit, Lit)>,
    found: Finding,
    since: Instant,
    is_given_back: bool,
}

/// A fleet at work.
struct Work<'a> {
    clerk: &'a FleetClerk,
    counter: &'a Counter,
    tell: &'a Sender<Reply>,
    /// By their rows.
    open: HashMap<u32, Open>,
    campaign: Campaign,
    began: Instant,
}

impl FleetClerk {
    /// Answers plain questions until none comes any more.
    pub fn serve(self, counter: &Counter, tell: &Sender<Reply>) {
        let (campaign, _) = Campaign::new(&self.problem.task, &self.options);
        let (open, began) = (HashMap::new(), Instant::now());
        let mut work = Work { clerk: &self, counter, tell, open, campaign, began };
        let mut searchers = 0;
        let failure = catch_unwind(AssertUnwindSafe(|| work.answer(&mut searchers)))
            .unwrap_or(Err(SolveError::Internal("a fleet that answers questions has panicked")));
        counter.searchers.fetch_sub(searchers, Ordering::Relaxed);
        let Err(why) = failure else { return };
        if self.joins {
            *counter.absent() = Some(why);
            work.open.drain().for_each(|(_, open)| counter.give_back(open.asked));
        } else {
            work.tell_all(&Err(why));
        }
    }
}

impl Work<'_> {
    fn answer(&mut self, searchers: &mut usize) -> Result<(), SolveError> {
        let FleetClerk { problem, options, device, .. } = self.clerk;
        let mut fleet = Answering::new(problem, *options, *device)?;
        *searchers = fleet.searchers();
        self.counter.searchers.fetch_add(*searchers, Ordering::Relaxed);
        let reserve = self.reserve();
        loop {
            let Some(taken) = self.counter.take_plain(fleet.room(), self.open.is_empty(), reserve) else {
                return Ok(());
            };
            taken.into_iter().try_for_each(|(asked, _)| self.begin(asked, &mut fleet))?;
            self.leave_some(&mut fleet);
            if self.open.is_empty() {
                continue;
            }
            let has_more = self.counter.has_plain(reserve);
            let is_free = self.open.len() < fleet.searchers();
            let is_asked =
                || self.counter.is_closed() || is_free && !has_more && self.counter.has_plain(reserve);
            let told = fleet.advance(has_more, &is_asked)?;
            told.into_iter().for_each(|told| self.hear(told));
            if fleet.is_refuted() {
                let core = Some(Vec::new());
                self.tell_all(&Ok(Finding { is_exhausted: true, core, ..Finding::default() }));
                return Ok(());
            }
        }
    }

    /// How many plain questions are left to the solvers, which take the next one sooner.
    fn reserve(&self) -> usize {
        if self.clerk.joins {
            2 * self.clerk.options.parallel_mode.searchers()
        } else {
            0
        }
    }

    /// Puts a question into a row of the fleet, unless it is answered already.
    fn begin(&mut self, asked: Arc<Asked>, fleet: &mut Answering) -> Result<(), SolveError> {
        asked.began.get_or_init(Instant::now);
        let task = &self.clerk.problem.task;
        let mut found = Finding { by_fleet: true, ..Finding::default() };
        if self.counter.is_left(&asked) {
            self.tell(&asked, Ok(found));
            return Ok(());
        }
        if let Err(why) = task.check_atoms(&asked.inquiry.lits) {
            self.tell(&asked, Err(why));
            return Ok(());
        }
        let lits: Vec<(Lit, Lit)> =
            asked.inquiry.lits.iter().map(|&lit| (lit, task.prepared.literal_of(lit))).collect();
        if let Some(&(named, _)) = lits.iter().find(|(_, lit)| *lit == Lit::FALSE) {
            (found.is_exhausted, found.core) = (true, Some(vec![named]));
            self.tell(&asked, Ok(found));
            return Ok(());
        }
        let solver: Vec<Lit> = lits.iter().map(|&(_, lit)| lit).filter(|lit| !lit.is_constant()).collect();
        let row = fleet.put(&solver, asked.inquiry.wanted as u32)?;
        let since = Instant::now();
        self.open.insert(row, Open { asked, lits, found, since, is_given_back: false });
        Ok(())
    }

    /// Leaves the questions that nobody waits for any more, and gives some back that last.
    fn leave_some(&mut self, fleet: &mut Answering) {
        let mut idle = if self.clerk.joins { self.counter.idle() } else { 0 };
        let mut lasting: Vec<(Instant, u32)> = Vec::new();
        for (&row, open) in &self.open {
            if self.counter.is_left(&open.asked) || open.is_given_back {
                fleet.leave(row);
                idle = idle.saturating_sub(usize::from(open.is_given_back));
            } else if open.since.elapsed() >= PATIENCE {
                lasting.push((open.since, row));
            }
        }
        lasting.sort_unstable();
        for (_, row) in lasting.into_iter().take(idle) {
            fleet.leave(row);
            self.open.get_mut(&row).expect("the row is open").is_given_back = true;
        }
    }

    /// Notes what a searcher has told.
    fn hear(&mut self, told: Told) {
        let Some(open) = self.open.get_mut(&told.row) else { return };
        open.found.conflicts = open.found.conflicts.max(told.conflicts);
        let is_whole = told.is_all || told.answer.is_some();
        open.found.answers.extend(told.answer);
        if !told.is_end {
            return;
        }
        let Some(open) = self.open.remove(&told.row) else { return };
        if !is_whole && open.is_given_back && !self.counter.is_left(&open.asked) {
            self.counter.give_back(open.asked);
            return;
        }
        let mut found = open.found;
        found.is_exhausted = told.is_all;
        if told.is_all && found.answers.is_empty() {
            let needed = open.lits.iter().filter(|(_, lit)| told.core.contains(lit));
            found.core = Some(needed.map(|&(named, _)| named).collect());
        }
        let checked = self.checked(&open.asked.inquiry, found);
        self.tell(&open.asked, checked);
    }

    /// The finding with what the goal says of each answer set, some of which are verified.
    fn checked(&mut self, of: &Inquiry, mut found: Finding) -> Result<Finding, SolveError> {
        if found.answers.is_empty() {
            return Ok(found);
        }
        self.campaign.begin_again();
        self.campaign.plan_checks(self.began.elapsed().as_secs_f64());
        for answer in &mut found.answers {
            if !of.lits.iter().all(|&lit| answer.holds(lit)) {
                return Err(SolveError::Contradicts("an answer set violates an assumption".into()));
            }
            *answer = self.campaign.judged(std::mem::take(answer));
            self.campaign.check_answer(answer, false)?;
        }
        Ok(found)
    }

    /// Tells the finding of a question, which has no other parts.
    fn tell(&self, asked: &Asked, found: Result<Finding, SolveError>) {
        if let Some(found) = asked.note(found.map(|found| (found, true))) {
            // Nobody may listen any more.
            let _ = self.tell.send((asked.number, found));
        }
    }

    /// Tells the same finding of all questions that the fleet has, and of those that come, until none comes any
    /// more.
    fn tell_all(&mut self, found: &Result<Finding, SolveError>) {
        let open = std::mem::take(&mut self.open);
        open.values().for_each(|open| self.tell(&open.asked, found.clone()));
        while let Some(taken) = self.counter.take_plain(usize::MAX, true, self.reserve()) {
            taken.iter().for_each(|(asked, _)| self.tell(asked, found.clone()));
        }
    }
}
