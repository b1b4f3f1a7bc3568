//! Propagators: code that takes part in the search. [`Propagator`].

use crate::atom::Literal;
use crate::control::{Control, Registered};
use crate::error::Error;
use solver_gpu::Lit;
use solver_host::search::{self, Checks, Failure, SolveError, Validity, Wishes};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// Code that takes part in the search: it is told of literals that come to hold, and may add clauses. So
/// constraints that are hard to write as rules, such as differences of times, become part of the program.
///
/// Of several searchers each tells of its own assignment, one at a time: [`Assignment::searcher`] says which
/// one calls. Each undoes what it has told of, and has to be told of clauses itself.
///
/// An error of any function ends the search with [`SolveError::Propagator`]. An [`Error`] of the search is
/// passed on.
pub trait Propagator: Send {
    /// Called before each search. Says which literals are watched, and may add to the program.
    ///
    /// # Errors
    /// Whatever is to end the question.
    fn init(&mut self, init: &mut Init<'_>) -> Result<(), Failure>;

    /// Called at a fixpoint with the watched literals that hold now and of which no call has told before,
    /// unless they were undone since.
    ///
    /// # Errors
    /// Whatever is to end the search.
    fn propagate(&mut self, search: &mut Propagating<'_, '_>, changes: &[Literal]) -> Result<(), Failure> {
        let _ = (search, changes);
        Ok(())
    }

    /// Called for each decision level that is undone, highest first, with the watched literals that were told
    /// of at that level. The assignment still has the level. The call comes before the next of any other
    /// kind, and not at the time of the jump.
    ///
    /// # Errors
    /// Whatever is to end the search.
    fn undo(&mut self, assignment: Assignment<'_>, changes: &[Literal]) -> Result<(), Failure> {
        let _ = (assignment, changes);
        Ok(())
    }

    /// Called without changes: when the assignment is total, unless [`Init::checks`] says otherwise. A total
    /// assignment that passes is an answer set, as far as this propagator goes.
    ///
    /// # Errors
    /// Whatever is to end the search.
    fn check(&mut self, search: &mut Propagating<'_, '_>) -> Result<(), Failure> {
        let _ = search;
        Ok(())
    }

    /// Called before each decision, if [`Init::decides`] was called. Returns the open literal to decide on.
    /// `None` leaves that to the propagators that were registered later, and to the search, which would
    /// decide on `fallback`.
    ///
    /// # Errors
    /// Whatever is to end the search.
    fn decide(&mut self, assignment: Assignment<'_>, fallback: Literal) -> Result<Option<Literal>, Failure> {
        let _ = (assignment, fallback);
        Ok(None)
    }
}

/// What a propagator may do before a search.
pub struct Init<'a> {
    control: &'a mut Control,
    wishes: Wishes,
}

impl Init<'_> {
    /// The program. What is added to it stays, so that the next search has it as well.
    pub fn control(&mut self) -> &mut Control {
        self.control
    }

    /// Tells the propagator when a literal holds.
    pub fn watch(&mut self, literal: impl Into<Literal>) {
        let Literal(lit) = literal.into();
        if !self.wishes.watches.contains(&lit) {
            self.wishes.watches.push(lit);
        }
    }

    /// Does not tell the propagator of a literal.
    pub fn unwatch(&mut self, literal: impl Into<Literal>) {
        let Literal(lit) = literal.into();
        self.wishes.watches.retain(|&other| other != lit);
    }

    /// Says when [`Propagator::check`] is called.
    pub fn checks(&mut self, checks: Checks) {
        self.wishes.checks = checks;
    }

    /// Has [`Propagator::undo`] called for levels at which there was only a check, too.
    pub fn undoes_checks(&mut self) {
        self.wishes.undoes_checks = true;
    }

    /// Has [`Propagator::decide`] called.
    pub fn decides(&mut self) {
        self.wishes.decides = true;
    }

    /// A new literal over an atom that may be true or false.
    ///
    /// # Errors
    /// If there are too many rules.
    pub fn add_literal(&mut self) -> Result<Literal, Error> {
        let atom = self.control.atom();
        self.control.choice(&[atom], &[])?;
        Ok(atom.positive())
    }

    /// Adds a clause to the program: one of the literals has to hold.
    ///
    /// # Errors
    /// If an atom is another control's, or there are too many rules.
    pub fn add_clause(&mut self, clause: &[Literal]) -> Result<(), Error> {
        let body: Vec<Literal> = clause.iter().map(|&literal| !literal).collect();
        self.control.rule(&[], &body)
    }
}

/// The search, while it waits for a propagator.
pub struct Propagating<'a, 'b>(&'a mut search::PropagateControl<'b>);

impl Propagating<'_, '_> {
    /// The assignment.
    pub fn assignment(&self) -> Assignment<'_> {
        Assignment(self.0.assignment())
    }

    /// Adds a clause: one of the literals has to hold in every answer set, for this question and all later
    /// ones. The search may forget the clause once nothing rests on it. Returns false if no literal can hold
    /// any more. Then the propagator has to return.
    ///
    /// # Errors
    /// If a literal is unknown to the search, or there is too little memory.
    pub fn add_clause(&mut self, clause: &[Literal]) -> Result<bool, Error> {
        self.add_valid_clause(clause, Validity::default())
    }

    /// The same, and says for how long the search keeps the clause.
    ///
    /// # Errors
    /// As [`Propagating::add_clause`].
    pub fn add_valid_clause(&mut self, clause: &[Literal], validity: Validity) -> Result<bool, Error> {
        let lits: Vec<Lit> = clause.iter().map(|literal| literal.0).collect();
        Ok(self.0.add_clause(&lits, validity)?)
    }

    /// Propagates what follows from the clauses that were added. Literals that are assigned meanwhile are
    /// told of in a later call. Returns false if there is a conflict. Then the propagator has to return.
    ///
    /// # Errors
    /// If there is too little memory.
    pub fn propagate(&mut self) -> Result<bool, Error> {
        Ok(self.0.propagate()?)
    }

    /// Watches a literal, from its next assignment on and for this search.
    ///
    /// # Errors
    /// If the literal is unknown to the search.
    pub fn watch(&mut self, literal: impl Into<Literal>) -> Result<(), Error> {
        Ok(self.0.add_watch(literal.into().0)?)
    }

    /// Watches a literal no more.
    ///
    /// # Errors
    /// If the literal is unknown to the search.
    pub fn unwatch(&mut self, literal: impl Into<Literal>) -> Result<(), Error> {
        Ok(self.0.remove_watch(literal.into().0)?)
    }

    /// Whether a literal is watched.
    ///
    /// # Errors
    /// If the literal is unknown to the search.
    pub fn watches(&self, literal: impl Into<Literal>) -> Result<bool, Error> {
        Ok(self.0.has_watch(literal.into().0)?)
    }
}

/// What holds at a point of the search. Level 0 has what follows without decisions. The literals of the trail
/// include those of variables that stand for no atom; these literals are of use in clauses, and only as long
/// as the search lasts.
#[derive(Clone, Copy)]
pub struct Assignment<'a>(&'a search::Assignment);

impl Assignment<'_> {
    /// The number of the searcher, from 0 on, whose assignment it is.
    pub fn searcher(self) -> u32 {
        self.0.searcher()
    }

    /// Whether a literal holds. `None` if it is open.
    pub fn value(self, literal: impl Into<Literal>) -> Option<bool> {
        self.0.value(literal.into().0)
    }

    /// Whether the literal can stand in clauses. Those of variables that a search by cores adds cannot.
    pub fn has(self, literal: impl Into<Literal>) -> bool {
        self.0.has(literal.into().0)
    }

    /// The level at which a literal or its complement was assigned. `None` if it is open.
    pub fn level(self, literal: impl Into<Literal>) -> Option<u32> {
        self.0.level(literal.into().0)
    }

    /// How many decisions there are.
    pub fn decision_level(self) -> u32 {
        self.0.decision_level()
    }

    /// The level of the last assumption.
    pub fn root_level(self) -> u32 {
        self.0.root_level()
    }

    /// The decision of a level. `None` at level 0 and above the present level.
    pub fn decision(self, level: u32) -> Option<Literal> {
        self.0.decision(level).map(Literal)
    }

    /// How many literals hold.
    pub fn len(self) -> usize {
        self.0.len()
    }

    /// Whether nothing is assigned.
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// The literal that was assigned as the `at`-th, from 0 on.
    pub fn trail(self, at: usize) -> Option<Literal> {
        self.0.trail(at).map(Literal)
    }

    /// The positions of a level on the trail. `None` above the present level.
    pub fn of_level(self, level: u32) -> Option<Range<usize>> {
        self.0.of_level(level)
    }

    /// Whether all variables are assigned.
    pub fn is_total(self) -> bool {
        self.0.is_total()
    }

    /// How many variables the search has.
    pub fn variables(self) -> usize {
        self.0.variables()
    }

    /// Whether a clause is violated.
    pub fn has_conflict(self) -> bool {
        self.0.has_conflict()
    }
}

impl Control {
    /// Lets a propagator take part in all later searches, after those that were registered before. These
    /// searches are on the processor, by one searcher where the options leave the number open, and go from
    /// one answer set to a better one where the options leave open how to find an optimum. Options that name
    /// a GPU, or two searches in turns, are refused when a question is asked.
    pub fn register(&mut self, propagator: impl Propagator + 'static) {
        let propagator = Arc::new(Mutex::new(Caller(Box::new(propagator))));
        let called = propagator.clone();
        let begin = move |control: &mut Control| {
            let mut init = Init { control, wishes: Wishes::default() };
            let mut propagator = called.lock().unwrap_or_else(PoisonError::into_inner);
            propagator.0.init(&mut init).map_err(failed)?;
            Ok(init.wishes)
        };
        self.take_part(Registered { propagator, begin: Arc::new(begin) });
    }
}

/// A propagator as the search calls it.
struct Caller(Box<dyn Propagator>);

/// The errors of the search itself are passed on as they are.
fn inner(failure: Failure) -> Failure {
    match failure.downcast::<Error>() {
        Ok(error) => match *error {
            Error::Solve(error) => Box::new(error),
            error => Box::new(error),
        },
        Err(failure) => failure,
    }
}

impl search::Propagator for Caller {
    fn propagate(
        &mut self,
        control: &mut search::PropagateControl<'_>,
        changes: &[Lit],
    ) -> Result<(), Failure> {
        self.0.propagate(&mut Propagating(control), &literals(changes)).map_err(inner)
    }

    fn undo(&mut self, assignment: &search::Assignment, changes: &[Lit]) -> Result<(), Failure> {
        self.0.undo(Assignment(assignment), &literals(changes)).map_err(inner)
    }

    fn check(&mut self, control: &mut search::PropagateControl<'_>) -> Result<(), Failure> {
        self.0.check(&mut Propagating(control)).map_err(inner)
    }

    fn decide(&mut self, assignment: &search::Assignment, fallback: Lit) -> Result<Option<Lit>, Failure> {
        let chosen = self.0.decide(Assignment(assignment), Literal(fallback)).map_err(inner)?;
        Ok(chosen.map(|literal| literal.0))
    }
}

fn literals(lits: &[Lit]) -> Vec<Literal> {
    lits.iter().map(|&lit| Literal(lit)).collect()
}

/// The error of a propagator before the search.
fn failed(failure: Failure) -> Error {
    match failure.downcast::<Error>() {
        Ok(error) => *error,
        Err(failure) => Error::Solve(SolveError::Propagator(failure.to_string())),
    }
}
