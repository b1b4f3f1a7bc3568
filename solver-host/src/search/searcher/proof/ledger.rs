//! What all searchers of a search have found, in an order in which each step follows from those before.
//!
//! Main type: [`Ledger`]. Each searcher has a *seat*: a queue of what its ring said. A searcher of a swarm stamps what it
//! has learned before it shows that to others (see [`solver_gpu::trace`]), so the order of the stamps is such an order. A
//! seat also knows a stamp that whatever comes next is not below. The ledger writes the entry with the smallest stamp, as
//! long as no seat may still come with a smaller one.
//!
//! Invariant: entries of one seat are written in their order.

use super::cubes::Cubes;
use super::format::{failed, Steps};
use super::prelude::{self, Numbers};
use crate::search::campaign::plan::Plan;
use crate::search::campaign::task::Task;
use crate::search::options::ProofFormat;
use crate::search::searcher::ring::Item;
use crate::search::{AnswerSet, SolveError};
use solver_gpu::layout::NONE;
use solver_gpu::trace::learner;
use solver_gpu::{Lit, Var};
use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The stamp of a seat from which nothing comes.
pub const NEVER: u64 = u64::MAX;

/// Something that a searcher tells.
pub enum Entry {
    /// An item of its ring. After a deletion the new index of each learned nogood comes with it.
    Item(Item, Vec<u32>),
    /// An answer set.
    Answer(AnswerSet),
    /// A loop nogood over the program's atoms, with its unfounded set.
    Loop(Vec<Lit>, Vec<Var>),
}

/// See the module's documentation.
pub struct Ledger {
    task: Arc<Task>,
    book: Mutex<Book>,
}

/// What is known of the proof so far.
struct Book {
    steps: Steps,
    numbers: Numbers,
    /// What is looked for, and what is known of it.
    plan: Plan,
    seats: Vec<Seat>,
    cubes: Cubes,
}

/// What is known of a searcher.
struct Seat {
    queue: VecDeque<(u64, Entry)>,
    /// What comes next has at least this stamp.
    from: u64,
    /// The serial number of each nogood that the searcher has learned and kept, or 0 of one that another has learned.
    learned: Vec<u64>,
    /// The unfounded set of the loop nogood that comes next.
    unfounded: Option<Vec<i32>>,
    /// The serial number of the last answer set's nogood, which the next flipped decision makes superfluous.
    answer: Option<u64>,
    /// For each flipped decision the number of decisions on which the flip depends, and the serial number of the nogood
    /// that says so.
    flips: Vec<(usize, u64)>,
}

impl Seat {
    fn new(from: u64) -> Seat {
        let (queue, learned, flips) = (VecDeque::new(), Vec::new(), Vec::new());
        Seat { queue, from, learned, unfounded: None, answer: None, flips }
    }
}

impl Ledger {
    /// Begins a proof: writes what the search begins with, and what it looks for.
    ///
    /// # Errors
    /// If `to` cannot be written, or the proof has too many variables.
    pub fn begin(
        task: &Arc<Task>,
        to: Box<dyn Write + Send>,
        format: ProofFormat,
    ) -> Result<Arc<Ledger>, SolveError> {
        let mut steps = Steps::new(to, format).map_err(failed)?;
        let numbers = prelude::write(task.program(), &task.prepared.meaning, &mut steps)?;
        let plan = task.plan.clone();
        let (seats, cubes) = (Vec::new(), Cubes::default());
        let mut book = Book { steps, numbers, plan, seats, cubes };
        book.ask(task).map_err(failed)?;
        Ok(Arc::new(Ledger { task: task.clone(), book: Mutex::new(book) }))
    }

    /// A seat for a searcher, of which nothing with a stamp below `from` comes. Returns its number.
    pub fn seat(&self, from: u64) -> usize {
        let seats = &mut self.book().seats;
        seats.push(Seat::new(from));
        seats.len() - 1
    }

    /// Takes entries of a seat with their stamps. What comes next has at least the stamp `from`.
    ///
    /// # Errors
    /// If the proof cannot be written.
    pub fn take(&self, seat: usize, entries: Vec<(u64, Entry)>, from: u64) -> Result<(), SolveError> {
        let mut book = self.book();
        book.seats[seat].queue.extend(entries);
        book.seats[seat].from = from;
        book.write(&self.task).map_err(failed)
    }

    /// Writes that nothing is left to search in the present phase, and what the next phase of the plan looks for.
    ///
    /// # Errors
    /// If the proof cannot be written.
    pub fn next_phase(&self, plan: &Plan) -> Result<(), SolveError> {
        let mut book = self.book();
        book.write_all(&self.task).map_err(failed)?;
        book.steps.nogood([].into_iter()).map_err(failed)?;
        book.plan = plan.clone();
        book.ask(&self.task).map_err(failed)
    }

    /// Writes the last step, which says whether everything that was asked is proved.
    ///
    /// # Errors
    /// If the proof cannot be written.
    pub fn end(&self, is_proved: bool) -> Result<(), SolveError> {
        let mut book = self.book();
        book.write_all(&self.task).map_err(failed)?;
        if is_proved {
            book.steps.nogood([].into_iter()).map_err(failed)?;
        }
        book.steps.conclude(is_proved).map_err(failed)
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Book {
    /// Writes what is looked for from here on. Nothing that was learned before is used any more.
    fn ask(&mut self, task: &Task) -> io::Result<()> {
        for seat in &mut self.seats {
            *seat = Seat::new(seat.from);
        }
        self.cubes = Cubes::default();
        let question = self.plan.question(task.program());
        self.steps.question(question.kind.code(), &question.bounds)
    }

    /// Writes the entries that no other one can come before.
    fn write(&mut self, task: &Task) -> io::Result<()> {
        loop {
            let next =
                |seat: &Seat| seat.queue.front().map_or((seat.from, true), |&(stamp, _)| (stamp, false));
            let first = (0..self.seats.len()).min_by_key(|&at| next(&self.seats[at]));
            let Some((at, (_, entry))) = first.and_then(|at| Some((at, self.seats[at].queue.pop_front()?)))
            else {
                return Ok(());
            };
            self.entry(at, entry, task)?;
        }
    }

    /// Writes all entries: no searcher is going to tell anything.
    fn write_all(&mut self, task: &Task) -> io::Result<()> {
        self.seats.iter_mut().for_each(|seat| seat.from = NEVER);
        self.write(task)
    }

    fn entry(&mut self, at: usize, entry: Entry, task: &Task) -> io::Result<()> {
        let (steps, numbers, seat) = (&mut self.steps, &self.numbers, &mut self.seats[at]);
        let (item, renamed) = match entry {
            Entry::Answer(answer) => return self.answer(at, &answer, task),
            Entry::Loop(nogood, set) => {
                let set: Vec<i32> = set.into_iter().filter_map(|p| numbers.of_program(p)).collect();
                let lits: Vec<i32> = nogood.into_iter().map(|lit| numbers.of_step(lit)).collect();
                return steps.unfounded(lits.into_iter(), set.into_iter()).map(|_| ());
            }
            Entry::Item(item, renamed) => (item, renamed),
        };
        match item {
            Item::Unfounded(atoms) => {
                let atoms = atoms.into_iter().filter_map(|p| numbers.atom_of_solver(Var(p)));
                seat.unfounded = Some(atoms.collect());
            }
            Item::Completed(decisions, atoms) => {
                let lits: Vec<i32> = decisions.into_iter().map(|lit| numbers.of_solver(lit)).collect();
                let set: Vec<i32> =
                    atoms.into_iter().filter_map(|p| numbers.atom_of_solver(Var(p))).collect();
                if !set.is_empty() {
                    steps.unfounded(lits.into_iter(), set.into_iter())?;
                }
            }
            Item::Learned { learner, lits, .. } => {
                let lits = lits.into_iter().map(|lit| numbers.of_solver(lit));
                let set = seat.unfounded.take().filter(|_| learner == learner::LOOP);
                let serial = match set {
                    Some(set) => {
                        let lits: Vec<i32> = lits.collect();
                        steps.unfounded(lits.into_iter(), set.into_iter())?
                    }
                    None => steps.nogood(lits)?,
                };
                seat.learned.push(serial);
            }
            Item::Decisions(lits) => {
                let depth = lits.len();
                let serial = steps.nogood(lits.into_iter().map(|lit| numbers.of_solver(lit)))?;
                if let Some(answer) = seat.answer.take() {
                    steps.delete(answer)?;
                }
                // Flips of deeper decisions depend on the one that is flipped now.
                while let Some((_, deeper)) = seat.flips.pop_if(|(other, _)| *other > depth) {
                    steps.delete(deeper)?;
                }
                seat.flips.push((depth, serial));
            }
            Item::Deleted(n) => {
                let renamed = &renamed[..n as usize];
                let mut left = vec![0; renamed.iter().filter(|&&to| to != NONE).count()];
                for (&serial, &to) in seat.learned.iter().zip(renamed) {
                    match to {
                        NONE if serial > 0 => steps.delete(serial)?,
                        NONE => {}
                        to => left[to as usize] = serial,
                    }
                }
                seat.learned = left;
            }
            // The stamp came with the entry; the others are for traces.
            Item::Stamp(_)
            | Item::Literal { .. }
            | Item::Because(_)
            | Item::Conflict { .. }
            | Item::Jump { .. }
            | Item::Answer => {}
        }
        Ok(())
    }

    /// Writes an answer set, unless another one has said as much.
    fn answer(&mut self, at: usize, answer: &AnswerSet, task: &Task) -> io::Result<()> {
        let (program, holds) = (task.program(), |lit: Lit| answer.holds(lit));
        if !self.plan.is_news(program, holds) {
            return Ok(());
        }
        let costs = self.plan.costs(program, holds);
        self.plan.note(program, &costs, holds);
        let atoms: Vec<i32> = answer.atoms().filter_map(|p| self.numbers.in_file(p)).collect();
        self.seats[at].answer = Some(self.steps.answer(atoms.into_iter())?);
        Ok(())
    }
}
