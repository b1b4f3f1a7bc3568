//! The search of one run, and what of it is printed.
//!
//! Main function: [`search`]; `work.rs` has what comes before. Nothing here belongs to a process: what a run
//! asks and tells beside its results is [`Around`], so that a run can be one of many in a process (see
//! `in_memory.rs`). `process.rs` is a run that has the process to itself.

use std::cell::Cell;
use std::error::Error;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use solver_host::input::ground::Guard;
use solver_host::output::statistics::shaped;
use solver_host::output::{self, Answer, Level, Stop, Trouble};
use solver_host::program::Program;
use solver_host::search::{is_opening_device, Optimization, Solver};

use super::clingo::values::are_within;
use super::elsewhere::Elsewhere;
use super::engine::{Engine, Next};
use super::explain::Explainer;
use super::lemma_file::LemmaFile;
use super::memory::GoesOn;
use super::proof_check::ProofCheck;
use super::session::{Outcome, Purpose, Session};
use super::usage;
use super::validated::Request;
use super::{exit, Ending};

/// How long a grounder may linger after the search before its exit code does not count any more.
const LINGERS: Duration = Duration::from_secs(1);
/// How often conflicts and restarts are compared with their limit.
const COUNTED: Duration = Duration::from_millis(5);
/// How often somebody who looks is told of a lower bound on the costs.
const BOUNDED: Duration = Duration::from_millis(20);

/// What a run asks and tells, besides its results.
pub struct Around {
    /// Says something that is no error to the user, a line at a time.
    pub tell: Box<dyn Fn(&str) + Send + Sync>,
    /// Holds so much memory back for showing an answer set.
    pub hold_back: fn(usize),
    /// Who reads the proof along, if somebody does.
    pub proof_check: Option<Arc<ProofCheck>>,
    /// Says why the search is to stop, if so, after that many answer sets. It is asked whenever the search
    /// asks.
    pub asks_to_stop: Box<dyn Fn(u64) -> Option<Stop> + Send + Sync>,
    /// Who searches along in other processes, if anybody does.
    pub company: Option<Box<dyn Company>>,
    /// Hears how the run has ended, before what it has is given back.
    pub over: Box<dyn Fn(&Ending) + Send + Sync>,
}

/// Other processes that search along.
pub trait Company: Send + Sync {
    /// The program was read, and is going to be prepared.
    ///
    /// # Errors
    /// If it cannot be passed on.
    fn read(&self, program: &Program) -> Result<(), Box<dyn Error>>;

    /// Many questions are asked about this ground program. Returns who answers them as well.
    ///
    /// # Errors
    /// If the program cannot be passed on.
    fn asks(&self, program: &[u8]) -> Result<Vec<Elsewhere>, Box<dyn Error>>;

    /// The search is prepared, and has not begun.
    ///
    /// # Errors
    /// If nobody can join it.
    fn prepared(&self, solver: &mut Solver) -> Result<(), Box<dyn Error>>;
}

/// What worker and watcher share.
pub struct Shared {
    session: Mutex<Session>,
    /// 0, or 1 + which [`Stop`].
    stop: AtomicU8,
    /// Whether the search has begun, which listens when it is asked to stop.
    pub searching: AtomicBool,
    /// Whether an answer set was found.
    found: AtomicBool,
    /// How often somebody looks at how the run goes ([`Session::looks_every`]). The watcher must not wait for
    /// the session, which a worker that prints to a full pipe has.
    pub looks_every: Option<Duration>,
    pub guard: Guard,
    pub around: Around,
}

/// A session in use. A thread without memory ends the run through the session, so whoever has it goes on
/// until the session is free again.
pub struct Held<'a> {
    // Fields are dropped in this order.
    session: MutexGuard<'a, Session>,
    _goes_on: GoesOn,
}

impl Deref for Held<'_> {
    type Target = Session;

    fn deref(&self) -> &Session {
        &self.session
    }
}

impl DerefMut for Held<'_> {
    fn deref_mut(&mut self) -> &mut Session {
        &mut self.session
    }
}

impl Shared {
    /// Of a run that has not begun.
    pub fn new(session: Session, guard: Guard, around: Around) -> Shared {
        let (stop, searching, found) = (AtomicU8::new(0), AtomicBool::new(false), AtomicBool::new(false));
        let looks_every = session.looks_every();
        Shared { session: Mutex::new(session), stop, searching, found, looks_every, guard, around }
    }

    /// The session, once no other thread has it.
    pub fn session(&self) -> Held<'_> {
        let session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        Held { session, _goes_on: GoesOn::new() }
    }

    /// The exit code of a run that is interrupted while a thread has the session.
    pub fn code_without_session(&self) -> i32 {
        // Relaxed: the flag carries no other data.
        let found = self.found.load(Ordering::Relaxed);
        exit::INTERRUPTED | if found { exit::SATISFIABLE } else { 0 }
    }

    /// The session, unless another thread has it.
    pub fn free_session(&self) -> Option<Held<'_>> {
        let session = match self.session.try_lock() {
            Ok(session) => session,
            Err(TryLockError::Poisoned(session)) => session.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        Some(Held { session, _goes_on: GoesOn::new() })
    }

    /// Says that a run which has printed everything has ended so.
    pub fn over(&self, ending: Ending) -> Ending {
        (self.around.over)(&ending);
        ending
    }

    /// Notes for the exit code that a run that prints by itself has found an answer set.
    pub fn found_beside(&self) {
        self.found.store(true, Ordering::Relaxed);
        self.session().found_beside();
    }

    /// Says something that the user should know, besides the results.
    pub fn warn(&self, text: &str) {
        self.session().warn(&self.around.tell, &format!("yasmin: warning: {text}"));
    }

    /// Tells somebody who looks how far the run has come before the search. Who prints meanwhile is not
    /// waited for.
    pub fn progress_before_search(&self) {
        if let Ok(mut session) = self.session.try_lock() {
            session.progress_before_search(self.guard.reading());
        }
    }

    /// Says that a search has begun, which listens when it is asked to stop.
    pub fn searches(&self) {
        self.searching.store(true, Ordering::Release);
    }

    /// Says that the search of a step is over, and that the next step is waited for.
    pub fn reads(&self) {
        self.searching.store(false, Ordering::Release);
    }

    /// Asks the search to stop; the first reason counts.
    pub fn ask_to_stop(&self, why: Stop) {
        let code = if why == Stop::Interrupted { 1 } else { 2 };
        // Relaxed: the flag carries no other data.
        let _ = self.stop.compare_exchange(0, code, Ordering::Relaxed, Ordering::Relaxed);
        self.leave_check();
    }

    /// Ends a checker that is still at work, if there is one: nobody waits for it any more.
    pub fn leave_check(&self) {
        if let Some(check) = &self.around.proof_check {
            check.leave();
        }
    }

    /// Why the search is to stop, if so; once that is said it stays so.
    pub fn stopped(&self) -> Option<Stop> {
        match self.stop.load(Ordering::Relaxed) {
            0 => {
                let models = self.session.try_lock().ok()?.models();
                let why = (self.around.asks_to_stop)(models)?;
                self.ask_to_stop(why);
                Some(why)
            }
            1 => Some(Stop::Interrupted),
            _ => Some(Stop::TimeLimit),
        }
    }
}

/// Searches for as many answer sets as are asked for and prints them, and ends the run.
pub fn search(
    mut engine: impl Engine,
    request: &Request,
    (explainer, lemmas): (Option<Explainer>, Option<LemmaFile>),
    shared: &Shared,
) -> Ending {
    engine.asks_once();
    if request.limit(engine.minimizes()) == 0 && request.style.quiet.models == Level::None {
        engine.only_count();
    }
    let mut outcome = search_once(&mut engine, request, shared);
    let all = match outcome.ending {
        output::Ending::AllSearched(all) => Some(all),
        _ => None,
    };
    let check = shared.around.proof_check.as_deref();
    if let Some(check) = check.filter(|check| all.is_none() && !check.has_ended_early()) {
        // Nothing is claimed, and nobody waits for the checker.
        check.leave();
    }
    let written = engine.end_files(all);
    if outcome.ending.failure().is_none() {
        if let Err(error) = written {
            outcome.ending = output::Ending::Failed(exit::failure(error.as_ref()));
        }
    }
    if outcome.ending.failure().is_none() {
        let patience = if shared.stopped().is_some() { Duration::ZERO } else { LINGERS };
        if let Err(error) = shared.guard.conclude(Some(patience)) {
            outcome.ending = output::Ending::Failed(exit::failure(&error));
        }
    }
    let is_due = matches!(outcome.ending, output::Ending::AllSearched(_));
    // Of a proof that the checker does not read to its end, the checker says why.
    if let Some(check) = check.filter(|check| is_due || check.has_ended_early()) {
        shared.session().searched();
        match check.conclude(&|| shared.stopped().is_some()) {
            Ok(proved) => outcome.proved = proved,
            Err(error) => outcome.ending = output::Ending::Failed(exit::failure(error.as_ref())),
        }
    }
    let is_refuted =
        matches!(outcome.ending, output::Ending::AllSearched(_)) && shared.session().models() == 0;
    if let Some(explainer) = explainer.filter(|_| is_refuted) {
        shared.session().searched();
        match explainer.explain(&|| shared.stopped().is_some()) {
            Ok(Some(needed)) => outcome.explanation = Some(needed),
            Ok(None) => shared.warn("--explain: the search for an explanation was stopped"),
            Err(error) => outcome.ending = output::Ending::Failed(exit::failure(error.as_ref())),
        }
    }
    if let Some(file) = lemmas.filter(|_| outcome.ending.failure().is_none()) {
        if let Err(error) = engine.write_lemmas(file) {
            outcome.ending = output::Ending::Failed(exit::failure(error.as_ref()));
        }
    }
    let ending = shared.session().finish(outcome);
    shared.over(ending)
}

/// Searches for as many answer sets as are asked for and prints them. Returns how that has ended.
pub fn search_once(engine: &mut impl Engine, request: &Request, shared: &Shared) -> Outcome {
    let optimizes = request.optimizes(engine.minimizes());
    (shared.around.hold_back)(engine.bytes_to_show());
    let limit = request.limit(engine.minimizes());
    engine.want(limit);
    for warning in engine.warnings() {
        shared.warn(&warning);
    }
    if request.leaves_optimum_open(engine.minimizes()) {
        shared.warn("#models not 0: optimality of last model not guaranteed.");
    }
    shared.session().start(Purpose { reasoning: request.goal.reasoning, optimizes });
    // Of those that lead to the optimum, there are as many as it takes.
    let counts_optimal = optimizes && request.goal.optimization == Optimization::OptN;
    let looks_every = shared.looks_every;
    let told_at = Cell::new(Instant::now());
    let tells_bounds = optimizes && request.style.tells_bounds();
    if tells_bounds {
        shared.session().bound(engine.lower_bound());
    }
    let interrupt = || {
        let since = told_at.get().elapsed();
        shared.stopped().is_some()
            || looks_every.is_some_and(|every| since >= every)
            || (tells_bounds && since >= BOUNDED)
            || (request.solve_limit.is_some() && since >= COUNTED)
    };
    // Whatever stops the search, the search itself may know that nothing is left.
    let ended = |engine: &dyn Engine, stop: Stop| match engine.all_searched() {
        Some(all) => output::Ending::AllSearched(all),
        None => output::Ending::Stopped(stop),
    };
    let begins_over = request.solve_limit.is_some_and(|limit| limit.is_reached(0, 0));
    let ending = loop {
        if begins_over {
            break without_search(engine);
        }
        let (found, is_over) = {
            let session = shared.session();
            (if counts_optimal { session.optimal() } else { session.models() }, session.is_over())
        };
        let stop = match shared.stopped() {
            _ if limit != 0 && found >= limit || is_over => Some(Stop::Enough),
            stop => stop,
        };
        if let Some(stop) = stop {
            // Of a search that just began, nothing is known.
            break if found > 0 { ended(engine, stop) } else { output::Ending::Stopped(stop) };
        }
        let mut is_good_enough = false;
        let mut show = |answer: &Answer| {
            shared.found.store(true, Ordering::Relaxed);
            shared.session().answer(answer);
            is_good_enough =
                optimizes && request.opt_stop.as_deref().is_some_and(|stop| are_within(answer.costs, stop));
        };
        match engine.next(&interrupt, &mut show) {
            Ok(Next::Answer) if is_good_enough => break ended(engine, Stop::Enough),
            Ok(Next::Answer) => {}
            Ok(Next::Counted(more)) => shared.session().counted(more),
            Ok(Next::Exhausted) => match engine.all_searched() {
                Some(all) => break output::Ending::AllSearched(all),
                None => {
                    let what = "internal error: a search has ended that is not exhausted";
                    break output::Ending::failed(Trouble::Internal, what);
                }
            },
            Ok(Next::Interrupted) => {
                if let Some(stop) = shared.stopped() {
                    break output::Ending::Stopped(stop);
                }
                let work = engine.work();
                if request.solve_limit.is_some_and(|limit| limit.is_reached(work.conflicts, work.restarts)) {
                    break output::Ending::Stopped(Stop::SolveLimit);
                }
                let lower = if optimizes { engine.lower_bound() } else { Vec::new() };
                shared.session().progress(work, &lower);
                if tells_bounds {
                    shared.session().bound(lower);
                }
                told_at.set(Instant::now());
            }
            Err(error) => break output::Ending::Failed(exit::failure(error.as_ref())),
        }
    };
    let mut outcome = Outcome::of(ending);
    let counted = engine.stop_searchers();
    if counted > 0 {
        shared.session().counted(counted);
    }
    for warning in engine.late_warnings() {
        shared.warn(&warning);
    }
    outcome.searchers = engine.searchers();
    outcome.leaves_worker = is_opening_device();
    if outcome.ending.failure().is_none() {
        if let Err(error) = engine.check_end() {
            outcome.ending = output::Ending::Failed(exit::failure(error.as_ref()));
        }
    }
    outcome.is_optimum_known = optimizes && engine.is_optimum_known();
    outcome.lower = engine.lower_bound();
    outcome.statistics = (request.stats > 0).then(|| {
        let mut values = engine.statistics();
        values.extend(request.defaults_from.iter().map(|from| ("defaults_from".into(), from.clone().into())));
        values.extend(usage::of_the_run(shared.guard.reading().grounding));
        shaped(&values, request.stats)
    });
    outcome
}

/// The end of a search that may do no work: it may only say that preparing has left nothing to search.
fn without_search(engine: &mut impl Engine) -> output::Ending {
    match engine.next(&|| true, &mut |_| {}) {
        Ok(Next::Exhausted) => match engine.all_searched() {
            Some(all) => output::Ending::AllSearched(all),
            None => output::Ending::Stopped(Stop::SolveLimit),
        },
        Ok(_) => output::Ending::Stopped(Stop::SolveLimit),
        Err(error) => output::Ending::Failed(exit::failure(error.as_ref())),
    }
}

#[cfg(test)]
mod tests;
