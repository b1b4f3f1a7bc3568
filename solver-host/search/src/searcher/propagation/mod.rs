//! Propagators: code of the library's user that is asked at every fixpoint of a search, and that may add
//! clauses.
//!
//! Main type: [`Propagation`]; main function: [`Propagation::at_fixpoint`]. The search returns to the host at
//! a fixpoint ([`Ask`](solver_gpu::next_step::NextStep::Ask)). The host finds what was undone and what was
//! assigned since the last fixpoint, tells the propagators, and hands their clauses to the search as nogoods
//! ([`RecordTold`](yasmin_device::Kernel::RecordTold)). The interface is that of clingo's propagators (Gebser
//! et al. 2016). See `docs/propagators.md`.
//!
//! What a propagator sees is numbered as follows: the first numbers are the program's atoms, and after these
//! come the variables of the search, of which some stand for no atom ([`Names`]).
//!
//! Invariant: a propagator has been told of exactly those watched literals that hold in
//! [`Propagation::assignment`] up to the position [`Registered::seen`].

mod asks;
mod assignment;
mod clause;
mod control;
mod names;
mod watches;

pub use asks::Asks;
pub use assignment::Assignment;
pub use clause::nogood_of;
pub use control::{PropagateControl, Validity};

use crate::SolveError;
use names::Names;
use solver_gpu::Lit;
use std::sync::{Arc, Mutex, PoisonError};
use watches::Watches;
use yasmin_nogoods::Prepared;

/// Why a propagator wants the search to end.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Code that takes part in a search. Every function may be left out. An error ends the search. Of several
/// searchers each calls the propagator at its own fixpoints, one at a time: [`Assignment::searcher`] says
/// which one does.
pub trait Propagator: Send {
    /// Called at a fixpoint with the watched literals that hold now and of which no call has told before,
    /// unless they were undone since.
    ///
    /// # Errors
    /// Whatever is to end the search.
    fn propagate(&mut self, control: &mut PropagateControl<'_>, changes: &[Lit]) -> Result<(), Failure> {
        let _ = (control, changes);
        Ok(())
    }

    /// Called for each level that is undone, highest first, with the watched literals that were told of at
    /// the level. The assignment still has the level. The call comes before the next of any other kind, and
    /// not at the time of the jump.
    ///
    /// # Errors
    /// Whatever is to end the search.
    fn undo(&mut self, assignment: &Assignment, changes: &[Lit]) -> Result<(), Failure> {
        let _ = (assignment, changes);
        Ok(())
    }

    /// Called after [`Propagator::propagate`] where [`Checks`] say so. A total assignment that passes is an
    /// answer set, as far as this propagator goes.
    ///
    /// # Errors
    /// Whatever is to end the search.
    fn check(&mut self, control: &mut PropagateControl<'_>) -> Result<(), Failure> {
        let _ = control;
        Ok(())
    }

    /// Called before each decision if [`Wishes::decides`]. Returns the open literal to decide on; `None`
    /// leaves that to the propagators after this one, and to the search, which would decide on `fallback`.
    ///
    /// # Errors
    /// Whatever is to end the search.
    fn decide(&mut self, assignment: &Assignment, fallback: Lit) -> Result<Option<Lit>, Failure> {
        let _ = (assignment, fallback);
        Ok(None)
    }
}

/// When a search calls [`Propagator::check`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checks {
    /// At every fixpoint.
    pub at_fixpoints: bool,
    /// When the assignment is total.
    pub when_total: bool,
}

impl Default for Checks {
    /// When the assignment is total.
    fn default() -> Checks {
        Checks { at_fixpoints: false, when_total: true }
    }
}

/// A propagator as a search has it.
pub struct Registered {
    propagator: Arc<Mutex<dyn Propagator>>,
    watches: Watches,
    checks: Checks,
    /// Whether [`Propagator::undo`] is called for a level at which there was only a check, too.
    undoes_checks: bool,
    decides: bool,
    /// How many literals of the trail were looked at.
    seen: usize,
    /// What the propagator was told of at each level, lowest first.
    told: Vec<(usize, Vec<Lit>)>,
}

/// What a propagator has asked for before the search.
#[derive(Clone, Debug, Default)]
pub struct Wishes {
    /// The literals to tell of when they hold.
    pub watches: Vec<Lit>,
    /// When to check.
    pub checks: Checks,
    /// Whether levels with nothing but a check are undone, too.
    pub undoes_checks: bool,
    /// Whether the propagator decides.
    pub decides: bool,
}

/// A propagator that takes part in a search, and what it wishes for there.
pub type Taking = (Arc<Mutex<dyn Propagator>>, Wishes);

/// The propagators of a search, and how far they have followed it.
pub struct Propagation {
    registered: Vec<Registered>,
    assignment: Assignment,
    names: Arc<Names>,
}

impl Propagation {
    /// Propagators of a search of a prepared program, which has so many atoms. `searcher` is the number of
    /// the search among those that the propagators take part in.
    ///
    /// # Errors
    /// [`SolveError::NoAtom`] if a watched literal is about no atom.
    pub fn new(
        prepared: &Prepared,
        atoms: u32,
        searcher: u32,
        propagators: Vec<Taking>,
    ) -> Result<Propagation, SolveError> {
        let names = Arc::new(Names::new(prepared, atoms));
        let registered = propagators.into_iter().map(|(propagator, wishes)| {
            Ok(Registered {
                watches: Watches::new(&names, &wishes.watches)?,
                propagator,
                checks: wishes.checks,
                undoes_checks: wishes.undoes_checks,
                decides: wishes.decides,
                seen: 0,
                told: Vec::new(),
            })
        });
        let registered = registered.collect::<Result<_, SolveError>>()?;
        Ok(Propagation { registered, assignment: Assignment::new(names.clone(), searcher), names })
    }

    /// How many literals of the trail the propagators could know of.
    pub fn known(&self) -> usize {
        self.assignment.len()
    }

    /// Tells the propagators that all levels are undone but the first.
    ///
    /// # Errors
    /// Those of the propagators.
    pub fn undo_decisions(&mut self) -> Result<(), SolveError> {
        self.undo_to(self.assignment.end_of_first())
    }

    /// Tells the propagators what has changed, and lets them propagate, check and decide, until nothing
    /// changes any more or there is a conflict.
    ///
    /// # Errors
    /// Those of the propagators, and of the search.
    pub fn at_fixpoint(&mut self, search: &mut (dyn Asks + Send)) -> Result<(), SolveError> {
        self.follow(search)?;
        loop {
            if !self.propagate(search)? {
                return Ok(());
            }
            let before = self.assignment.len();
            if !self.check(search)? {
                return Ok(());
            }
            if self.assignment.len() == before {
                break;
            }
        }
        self.decide(search)
    }

    /// Takes over the assignment of the search, after what was undone is undone here.
    fn follow(&mut self, search: &mut (dyn Asks + Send)) -> Result<(), SolveError> {
        let same = search.memory().state.asked.load() as usize;
        self.undo_to(same)?;
        self.assignment.extend(search.memory())
    }

    /// Undoes the levels that begin at a position of the trail or above.
    fn undo_to(&mut self, len: usize) -> Result<(), SolveError> {
        while self.assignment.len() > len {
            let level = self.assignment.levels();
            for registered in self.registered.iter_mut().rev() {
                if registered.told.last().is_some_and(|(of, _)| *of == level) {
                    let (_, changes) = registered.told.pop().unwrap_or_default();
                    let mut propagator = lock(&registered.propagator);
                    propagator.undo(&self.assignment, &changes).map_err(failed)?;
                }
            }
            self.assignment.pop_level();
            let left = self.assignment.len();
            for registered in &mut self.registered {
                registered.seen = registered.seen.min(left);
                if level == 1 {
                    registered.watches.tell_again();
                }
            }
        }
        Ok(())
    }

    /// Tells each propagator of what it watches, until no one has missed anything. Returns whether there is
    /// no conflict.
    fn propagate(&mut self, search: &mut (dyn Asks + Send)) -> Result<bool, SolveError> {
        loop {
            let mut is_quiet = true;
            for at in 0..self.registered.len() {
                let changes = self.registered[at].changes(&self.assignment);
                if changes.is_empty() {
                    continue;
                }
                is_quiet = false;
                self.registered[at].note(self.assignment.levels(), &changes);
                let call = |propagator: &mut dyn Propagator, control: &mut PropagateControl<'_>| {
                    propagator.propagate(control, &changes)
                };
                if !self.call(at, search, call)? {
                    return Ok(false);
                }
            }
            if is_quiet {
                return Ok(true);
            }
        }
    }

    /// Lets each propagator check that wants to. Returns whether there is no conflict.
    fn check(&mut self, search: &mut (dyn Asks + Send)) -> Result<bool, SolveError> {
        let is_total = self.assignment.is_total();
        for at in 0..self.registered.len() {
            let registered = &mut self.registered[at];
            let Checks { at_fixpoints, when_total } = registered.checks;
            let checks = at_fixpoints || is_total && when_total;
            if !checks {
                continue;
            }
            if registered.undoes_checks {
                registered.note(self.assignment.levels(), &[]);
            }
            if !self.call(at, search, |propagator, control| propagator.check(control))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Calls a propagator and propagates what it has added. Returns whether there is no conflict.
    fn call(
        &mut self,
        at: usize,
        search: &mut (dyn Asks + Send),
        call: impl FnOnce(&mut dyn Propagator, &mut PropagateControl<'_>) -> Result<(), Failure>,
    ) -> Result<bool, SolveError> {
        let registered = &mut self.registered[at];
        let propagator = registered.propagator.clone();
        let mut control = PropagateControl {
            search,
            assignment: &mut self.assignment,
            watches: &mut registered.watches,
            names: &self.names,
        };
        call(&mut *lock(&propagator), &mut control).map_err(failed)?;
        control.propagate()
    }

    /// Lets the propagators decide, if the search would decide now.
    fn decide(&mut self, search: &mut (dyn Asks + Send)) -> Result<(), SolveError> {
        if !self.registered.iter().any(|registered| registered.decides) {
            return Ok(());
        }
        let Some(decided) = search.decision(self.assignment.len())? else { return Ok(()) };
        let fallback = self.names.named(decided);
        for registered in self.registered.iter().filter(|registered| registered.decides) {
            let chosen = lock(&registered.propagator).decide(&self.assignment, fallback).map_err(failed)?;
            let Some(chosen) = chosen else { continue };
            // It may be one that stands in no clause.
            if chosen == fallback {
                break;
            }
            let lit = self.names.searched(chosen)?;
            if lit == decided {
                break;
            }
            if lit.is_constant() || self.assignment.value(chosen).is_some() {
                return Err(SolveError::Propagator(
                    "a propagator decides on a literal that is assigned".into(),
                ));
            }
            return search.decide_instead(decided, lit);
        }
        Ok(())
    }
}

impl Registered {
    /// The watched literals that hold and were not told of yet.
    fn changes(&mut self, assignment: &Assignment) -> Vec<Lit> {
        let mut changes = self.watches.untold_constants();
        for &lit in assignment.since(self.seen) {
            self.watches.add_watched(lit, &mut changes);
        }
        self.seen = assignment.len();
        changes
    }

    /// Remembers what the propagator was told of, to undo it with the level.
    fn note(&mut self, level: usize, changes: &[Lit]) {
        match self.told.last_mut() {
            Some((last, told)) if *last == level => told.extend(changes),
            _ => self.told.push((level, changes.to_vec())),
        }
    }
}

fn lock<'a>(
    propagator: &'a Arc<Mutex<dyn Propagator>>,
) -> std::sync::MutexGuard<'a, dyn Propagator + 'static> {
    propagator.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The error of a propagator, or the one of the search that it passes on.
fn failed(failure: Failure) -> SolveError {
    match failure.downcast::<SolveError>() {
        Ok(error) => *error,
        Err(failure) => SolveError::Propagator(failure.to_string()),
    }
}
