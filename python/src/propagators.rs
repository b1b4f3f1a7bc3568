//! Propagators that are written in Python.
//!
//! Main types: [`Propagators`], those of a control, and [`Search`], by which they look at a search. What has
//! the shape of clingo's package is in `python/yasmin/propagators.py`. Literals are numbers of atoms,
//! negative for complements. Those of a search that belong to no numbered atom have numbers from [`OTHERS`]
//! on.
//!
//! An object that takes part in searches has the functions `propagate(search, changes)`, `undo(search,
//! changes)`, `check(search)` and `decide(search, fallback)`.

use crate::failure::refused;
use crate::lease::Lease;
use crate::names::Names;
use pyo3::prelude::*;
use std::cell::RefCell;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use yasmin::{Assignment, Atom, Checks, Error, Failure, Init, Literal, Propagating, Propagator, Validity};

/// The first number of a literal that belongs to no numbered atom. Numbered atoms have at most 28 bits.
const OTHERS: i64 = (1 << 28) + 1;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Names {
    fn of(&self, literal: Literal) -> i64 {
        let atom = literal.atom();
        let number = self.number(atom).unwrap_or(OTHERS + i64::from(atom.index()));
        if literal.is_positive() {
            number
        } else {
            -number
        }
    }

    fn literal(&self, number: i64) -> PyResult<Literal> {
        let unknown = || refused(format!("the search has no literal {number}"));
        let atom = match number.unsigned_abs() {
            other if other >= OTHERS as u64 => {
                Atom::with_index(u32::try_from(other - OTHERS as u64).map_err(|_| unknown())?)
            }
            known => self.atom(known).ok_or_else(unknown)?,
        };
        Ok(if number < 0 { !atom.positive() } else { atom.positive() })
    }
}

thread_local! {
    /// The controls whose propagators this thread calls.
    static CALLED: RefCell<Vec<*const Mutex<Shared>>> = const { RefCell::new(Vec::new()) };
}

/// Notes that this thread calls a propagator, until it is dropped.
struct Call;

impl Call {
    fn begin(of: &Arc<Mutex<Shared>>) -> Call {
        CALLED.with_borrow_mut(|called| called.push(Arc::as_ptr(of)));
        Call
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        CALLED.with_borrow_mut(|called| called.pop());
    }
}

/// What a propagator has asked for before the search.
#[derive(Clone, Default)]
pub struct Wish {
    pub watches: Vec<i64>,
    checks: Checks,
    undoes_checks: bool,
    decides: bool,
}

impl Wish {
    /// See [`Control::ask`](crate::Control::ask).
    pub fn of(
        (watches, at_fixpoints, when_total, undoes_checks, decides): (Vec<i64>, bool, bool, bool, bool),
    ) -> Wish {
        Wish { watches, checks: Checks { at_fixpoints, when_total }, undoes_checks, decides }
    }
}

/// What the propagators of a control share with the control.
#[derive(Default)]
struct Shared {
    names: Names,
    wishes: Vec<Wish>,
    /// What a propagator has raised last.
    raised: Option<PyErr>,
}

/// The propagators of a control.
#[derive(Default)]
pub struct Propagators {
    shared: Arc<Mutex<Shared>>,
    count: Mutex<usize>,
}

impl Propagators {
    /// Whether there are any.
    pub fn are_any(&self) -> bool {
        *lock(&self.count) > 0
    }

    /// Whether this thread is calling one of them.
    pub fn are_called_here(&self) -> bool {
        CALLED.with_borrow(|called| called.contains(&Arc::as_ptr(&self.shared)))
    }

    /// A search is about to begin.
    pub fn begin(&self, names: Names, wishes: Vec<Wish>) {
        *lock(&self.shared) = Shared { names, wishes, raised: None };
    }

    /// Takes what a propagator has raised.
    pub fn raised(&self, _: Python<'_>) -> Option<PyErr> {
        lock(&self.shared).raised.take()
    }

    /// The propagator that calls an object.
    pub fn add(&self, py: Python<'_>, object: Py<PyAny>) -> PyResult<impl Propagator + 'static> {
        let mut count = lock(&self.count);
        *count += 1;
        let search = Py::new(py, Search { lent: Lease::default(), shared: self.shared.clone() })?;
        Ok(Caller { object, search, shared: self.shared.clone(), place: *count - 1 })
    }
}

/// What is lent to a propagator: all of a search, or its assignment.
enum Lent<'a, 'b, 'c> {
    Search(&'a mut Propagating<'b, 'c>),
    Assignment(Assignment<'a>),
}

/// What [`Search`] may do with what is lent, whatever the lifetimes are.
trait Searched: Send {
    fn look(&self) -> Assignment<'_>;
    fn add_clause(&mut self, clause: &[Literal], validity: Validity) -> Option<Result<bool, Error>>;
    fn propagate(&mut self) -> Option<Result<bool, Error>>;
    fn watch(&mut self, literal: Literal, watches: bool) -> Option<Result<(), Error>>;
    fn has_watch(&self, literal: Literal) -> Option<Result<bool, Error>>;
}

impl Searched for Lent<'_, '_, '_> {
    fn look(&self) -> Assignment<'_> {
        match self {
            Lent::Search(search) => search.assignment(),
            Lent::Assignment(assignment) => *assignment,
        }
    }

    fn add_clause(&mut self, clause: &[Literal], validity: Validity) -> Option<Result<bool, Error>> {
        let Lent::Search(search) = self else { return None };
        Some(search.add_valid_clause(clause, validity))
    }

    fn propagate(&mut self) -> Option<Result<bool, Error>> {
        let Lent::Search(search) = self else { return None };
        Some(search.propagate())
    }

    fn watch(&mut self, literal: Literal, watches: bool) -> Option<Result<(), Error>> {
        let Lent::Search(search) = self else { return None };
        Some(if watches { search.watch(literal) } else { search.unwatch(literal) })
    }

    fn has_watch(&self, literal: Literal) -> Option<Result<bool, Error>> {
        let Lent::Search(search) = self else { return None };
        Some(search.watches(literal))
    }
}

/// A search, as a propagator sees it while it is called.
#[pyclass(frozen)]
pub struct Search {
    lent: Lease<dyn Searched>,
    shared: Arc<Mutex<Shared>>,
}

impl Search {
    /// Uses the search that is lent.
    fn with<R>(&self, use_it: impl FnOnce(&mut dyn Searched, &Names) -> PyResult<R>) -> PyResult<R> {
        let names = lock(&self.shared).names.clone();
        let used = self.lent.with(|search| use_it(search, &names));
        used.ok_or_else(|| refused("the search can be used only while it calls the propagator".into()))?
    }

    fn look<R>(&self, look: impl FnOnce(Assignment<'_>, &Names) -> PyResult<R>) -> PyResult<R> {
        self.with(|search, names| look(search.look(), names))
    }

    fn number(&self, literal: Literal) -> i64 {
        lock(&self.shared).names.of(literal)
    }

    fn of<R>(done: Option<Result<R, Error>>) -> PyResult<R> {
        let not_now = || refused("only the assignment can be looked at now".into());
        done.ok_or_else(not_now)?.map_err(crate::failed)
    }
}

#[pymethods]
impl Search {
    /// The number of the searcher that calls.
    fn searcher(&self) -> PyResult<u32> {
        self.look(|assignment, _| Ok(assignment.searcher()))
    }

    /// Whether a literal holds; `None` if it is open.
    fn value(&self, literal: i64) -> PyResult<Option<bool>> {
        self.look(|assignment, names| Ok(assignment.value(names.literal(literal)?)))
    }

    /// Whether the search knows a literal.
    fn has(&self, literal: i64) -> PyResult<bool> {
        self.look(|assignment, names| Ok(names.literal(literal).is_ok_and(|literal| assignment.has(literal))))
    }

    /// The level of a literal; `None` if it is open.
    fn level(&self, literal: i64) -> PyResult<Option<u32>> {
        self.look(|assignment, names| Ok(assignment.level(names.literal(literal)?)))
    }

    /// The decision of a level; `None` if there is none.
    fn decision(&self, level: u32) -> PyResult<Option<i64>> {
        self.look(|assignment, names| Ok(assignment.decision(level).map(|literal| names.of(literal))))
    }

    /// The number of the present level, and of the root level.
    fn levels(&self) -> PyResult<(u32, u32)> {
        self.look(|assignment, _| Ok((assignment.decision_level(), assignment.root_level())))
    }

    /// How many literals hold, and how many variables there are.
    fn sizes(&self) -> PyResult<(usize, usize)> {
        self.look(|assignment, _| Ok((assignment.len(), assignment.variables())))
    }

    /// The literals of the trail from one position to another.
    fn trail(&self, from: usize, to: usize) -> PyResult<Vec<i64>> {
        self.look(|assignment, names| {
            Ok((from..to).filter_map(|at| assignment.trail(at)).map(|literal| names.of(literal)).collect())
        })
    }

    /// The positions of a level on the trail; `None` if there is no such level.
    fn of_level(&self, level: u32) -> PyResult<Option<(usize, usize)>> {
        self.look(|assignment, _| Ok(assignment.of_level(level).map(|range| (range.start, range.end))))
    }

    /// Whether a clause is violated.
    fn has_conflict(&self) -> PyResult<bool> {
        self.look(|assignment, _| Ok(assignment.has_conflict()))
    }

    /// See [`Propagating::add_valid_clause`].
    fn add_clause(&self, clause: Vec<i64>, tag: bool, lock: bool) -> PyResult<bool> {
        self.with(|search, names| {
            let clause: Vec<Literal> =
                clause.iter().map(|&literal| names.literal(literal)).collect::<PyResult<_>>()?;
            Self::of(
                search
                    .add_clause(&clause, Validity { is_tagged: tag, is_locked: lock, ..Validity::default() }),
            )
        })
    }

    /// See [`Propagating::propagate`].
    fn propagate(&self) -> PyResult<bool> {
        self.with(|search, _| Self::of(search.propagate()))
    }

    /// Watches a literal, or does so no more.
    fn watch(&self, literal: i64, watches: bool) -> PyResult<()> {
        self.with(|search, names| Self::of(search.watch(names.literal(literal)?, watches)))
    }

    /// Whether a literal is watched. An unknown one is not.
    fn has_watch(&self, literal: i64) -> PyResult<bool> {
        self.with(|search, names| match names.literal(literal) {
            Ok(literal) => Self::of(search.has_watch(literal)),
            Err(_) => Ok(false),
        })
    }
}

/// Calls the functions of an object.
struct Caller {
    object: Py<PyAny>,
    search: Py<Search>,
    shared: Arc<Mutex<Shared>>,
    /// Which of the control's propagators this is.
    place: usize,
}

impl Caller {
    /// Lends the search to the object while a function of it is called.
    fn call<R>(
        &self,
        lent: &mut Lent<'_, '_, '_>,
        call: impl FnOnce(Python<'_>, &Py<PyAny>, &Py<Search>) -> PyResult<R>,
    ) -> Result<R, Failure> {
        let lent: NonNull<dyn Searched + '_> = NonNull::from(lent);
        // SAFETY: only the lifetime changes, and the lease ends before the function returns.
        let lent: NonNull<dyn Searched> = unsafe { std::mem::transmute(lent) };
        let _call = Call::begin(&self.shared);
        // SAFETY: the pointer comes from a reference that the caller does not use meanwhile.
        let done = Python::attach(|py| unsafe {
            self.search.get().lent.lend(lent, || call(py, &self.object, &self.search))
        });
        done.map_err(|error| {
            let text = error.to_string();
            lock(&self.shared).raised = Some(error);
            text.into()
        })
    }

    fn numbers(&self, literals: &[Literal]) -> Vec<i64> {
        // Whoever has no memory left here, and so waits for Python's lock, must not have another one.
        let names = lock(&self.shared).names.clone();
        literals.iter().map(|&literal| names.of(literal)).collect()
    }
}

impl Propagator for Caller {
    fn init(&mut self, init: &mut Init<'_>) -> Result<(), Failure> {
        let shared = lock(&self.shared);
        let wish = shared.wishes.get(self.place).cloned().unwrap_or_default();
        for &number in &wish.watches {
            init.watch(shared.names.literal(number).map_err(|error| error.to_string())?);
        }
        init.checks(wish.checks);
        if wish.undoes_checks {
            init.undoes_checks();
        }
        if wish.decides {
            init.decides();
        }
        Ok(())
    }

    fn propagate(&mut self, search: &mut Propagating<'_, '_>, changes: &[Literal]) -> Result<(), Failure> {
        let changes = self.numbers(changes);
        self.call(&mut Lent::Search(search), |py, object, search| {
            object.call_method1(py, "propagate", (search, changes)).map(|_| ())
        })
    }

    fn undo(&mut self, assignment: Assignment<'_>, changes: &[Literal]) -> Result<(), Failure> {
        let changes = self.numbers(changes);
        self.call(&mut Lent::Assignment(assignment), |py, object, search| {
            object.call_method1(py, "undo", (search, changes)).map(|_| ())
        })
    }

    fn check(&mut self, search: &mut Propagating<'_, '_>) -> Result<(), Failure> {
        self.call(&mut Lent::Search(search), |py, object, search| {
            object.call_method1(py, "check", (search,)).map(|_| ())
        })
    }

    fn decide(&mut self, assignment: Assignment<'_>, fallback: Literal) -> Result<Option<Literal>, Failure> {
        let number = self.search.get().number(fallback);
        let chosen: i64 = self.call(&mut Lent::Assignment(assignment), |py, object, search| {
            object.call_method1(py, "decide", (search, number))?.extract(py)
        })?;
        if chosen == 0 {
            return Ok(None);
        }
        let literal = lock(&self.shared).names.literal(chosen);
        literal.map(Some).map_err(|error| error.to_string().into())
    }
}
