//! What all searchers of a traced search have told, in an order in which nobody imports a nogood before it
//! was learned.
//!
//! Main type: [`Log`]. Each searcher has a *lane*, in which what it tells waits for its turn. A searcher of a
//! swarm stamps what it does before others can know (see [`solver_gpu::trace`]). A lane also knows a stamp
//! that whatever comes next is not below. The log writes what has the smallest stamp, as long as no lane may
//! still come with a smaller one. A search by itself takes no stamps, and what it tells is written at once.
//!
//! Invariant: what one lane tells is written in its order, and a nogood before anybody imports it.

use super::events::{numbers, Because, Event, Start, SumNogood};
use super::follow::{Follower, Found, Numbers};
use super::writer::Writer;
use crate::campaign::task::Task;
use crate::searcher::proof::Shared;
use crate::searcher::ring::Item;
use crate::searcher::stamps::NEVER;
use crate::{AnswerSet, SolveError};
use solver_gpu::layout::Hub;
use solver_gpu::Lit;
use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Something that a searcher tells.
pub enum Told {
    /// An item of its ring. After a deletion the new index of each learned nogood comes with it.
    Item(Item, Vec<u32>),
    /// The assignment is an answer set, as the host has judged.
    Answer,
    /// What a sum nogood has become.
    Goal(u32, SumNogood),
    /// The search starts over, with these sum nogoods.
    Again(Vec<SumNogood>),
    /// The searcher begins a phase in a swarm.
    Joins(Joins),
    /// Variables of these names and sum nogoods are added. The numbers are those of the first ones.
    Extend {
        /// The first variable, from 1 on.
        variable: u64,
        /// The names of each.
        names: Vec<Vec<String>>,
        /// The first sum nogood.
        sum: u64,
        /// The sum nogoods.
        sums: Vec<SumNogood>,
    },
    /// The search assumes these literals.
    Assume(Vec<Lit>),
    /// Not all of these assumptions hold.
    Core(Vec<Lit>),
    /// No answer set that is to be found costs less.
    Bound(Vec<i64>),
}

/// What a searcher begins a phase in a swarm with.
pub struct Joins {
    /// Its number in the swarm, which origins of nogoods name.
    pub number: u32,
    /// The serial number of the next nogood that it derives.
    pub serial: u64,
    /// Which of its nogoods it shows to others.
    pub shared: Shared,
    /// The sum nogoods, if the searcher begins with nothing assigned and nothing learned.
    pub sums: Option<Vec<SumNogood>>,
    /// Whether the searcher has told nothing before.
    pub is_new: bool,
    /// What it searches for, and the literals of its cube, if it has one.
    pub cube: Option<(u32, Vec<Lit>)>,
}

/// See the module's documentation.
pub struct Log {
    task: Arc<Task>,
    /// How many words each ring has at least.
    pub least: usize,
    book: Mutex<Book>,
}

/// What is known of the trace so far.
struct Book {
    writer: Writer,
    vars: u32,
    lanes: Vec<Lane>,
    /// The lane of the first searcher of a swarm.
    first: usize,
    numbers: Numbers,
    /// How many answer sets there were.
    answers: u64,
    /// The largest stamp of what was written.
    clock: u64,
}

/// What one searcher tells, in order.
struct Lane {
    /// Each with its stamp.
    queue: VecDeque<(u64, Told)>,
    /// What comes next has at least this stamp.
    from: u64,
    follower: Follower,
    /// The last goal that was told, with its sum's number.
    goal: Option<(u32, SumNogood)>,
    /// The last lower bound that was told.
    bound: Vec<i64>,
}

impl Log {
    /// A trace of `task` that begins with `start`, in rings of at least `least` words.
    ///
    /// # Errors
    /// If the sink fails.
    pub fn begin(
        task: &Arc<Task>,
        start: &Start,
        vars: u32,
        to: Box<dyn Write + Send>,
        least: usize,
    ) -> Result<Arc<Log>, SolveError> {
        let mut writer = Writer::new(to, start.limit);
        writer.start(start).map_err(failed)?;
        let numbers = Numbers::new(start.nogoods.len() as u64);
        let book = Book { writer, vars, lanes: Vec::new(), first: 0, numbers, answers: 0, clock: 0 };
        Ok(Arc::new(Log { task: task.clone(), least, book: Mutex::new(book) }))
    }

    /// Whether the trace is full, or its last line is written.
    pub fn is_over(&self) -> bool {
        self.book().writer.is_over()
    }

    /// So many searchers of a swarm are about to begin, of which none has taken a stamp. Their stamps follow
    /// on those of the last phase. If `is_beside`, the search of lane 0 goes on beside them.
    ///
    /// # Errors
    /// If the trace cannot be written.
    pub fn expect_all(&self, hub: &Hub, searchers: usize, is_beside: bool) -> Result<(), SolveError> {
        let mut book = self.book();
        book.write_all(&self.task)?;
        hub.stamps.store_relaxed(book.clock);
        let from = book.clock + 1;
        if is_beside {
            (book.lane(0).from, book.first) = (from, 1);
        }
        for at in book.first..book.first + searchers {
            book.lane(at).from = from;
        }
        Ok(())
    }

    /// The lane of searcher `number` of a swarm that tells something for the first time.
    pub fn lane_of(&self, number: u32) -> usize {
        self.book().first + number as usize
    }

    /// Takes what a lane tells, with stamps. What comes next has at least the stamp `from`.
    ///
    /// # Errors
    /// If the trace cannot be written.
    pub fn take(&self, lane: usize, told: Vec<(u64, Told)>, from: u64) -> Result<(), SolveError> {
        let mut book = self.book();
        if book.writer.is_over() {
            return Ok(());
        }
        let lane = book.lane(lane);
        lane.queue.extend(told);
        lane.from = from;
        book.write(&self.task)
    }

    /// Writes the last line, which says whether the search space is exhausted. If a searcher has not returned
    /// yet, the line says that events are missing: those that it has not told, and those of others that may
    /// come after them.
    ///
    /// # Errors
    /// If the trace cannot be written.
    pub fn end(&self, is_exhausted: bool) -> Result<(), SolveError> {
        let mut book = self.book();
        book.write(&self.task)?;
        (0..book.lanes.len()).try_for_each(|at| book.end_conflict(at))?;
        let is_cut = book.lanes.iter().any(|lane| lane.from != NEVER);
        book.writer
            .end(if is_exhausted { Because::Exhausted } else { Because::Stopped }, is_cut)
            .map_err(failed)
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Book {
    fn lane(&mut self, at: usize) -> &mut Lane {
        while self.lanes.len() <= at {
            let follower = Follower::new(self.vars, self.lanes.len());
            self.lanes.push(Lane {
                queue: VecDeque::new(),
                from: NEVER,
                follower,
                goal: None,
                bound: Vec::new(),
            });
        }
        &mut self.lanes[at]
    }

    /// Writes what nothing else can come before. Nothing is told any more after the trace's last line.
    fn write(&mut self, task: &Task) -> Result<(), SolveError> {
        while !self.writer.is_over() {
            let next =
                |lane: &Lane| lane.queue.front().map_or((lane.from, true), |&(stamp, _)| (stamp, false));
            let first = (0..self.lanes.len()).min_by_key(|&at| next(&self.lanes[at]));
            let popped = first.and_then(|at| Some((at, self.lanes[at].queue.pop_front()?)));
            let Some((at, (stamp, told))) = popped else { return Ok(()) };
            self.clock = self.clock.max(stamp);
            self.tell(at, told, task)?;
        }
        self.lanes.iter_mut().for_each(|lane| lane.queue = VecDeque::new());
        Ok(())
    }

    /// Writes everything: no searcher is going to tell anything.
    fn write_all(&mut self, task: &Task) -> Result<(), SolveError> {
        self.lanes.iter_mut().for_each(|lane| lane.from = NEVER);
        self.write(task)
    }

    fn tell(&mut self, at: usize, told: Told, task: &Task) -> Result<(), SolveError> {
        match told {
            Told::Item(item, renamed) => {
                let (mut found, lane) = (Vec::new(), &mut self.lanes[at]);
                lane.follower.follow(item, &renamed, &mut self.numbers, |event| found.push(event))?;
                for found in found {
                    let event = match found {
                        Found::Event(event) => event,
                        Found::Answer => self.answer(at, task),
                    };
                    self.event(at, &event)?;
                }
                Ok(())
            }
            Told::Answer => {
                self.end_conflict(at)?;
                let event = self.answer(at, task);
                self.event(at, &event)
            }
            Told::Goal(sum, stricter) => {
                let goal = Some((sum, stricter.clone()));
                if self.lanes[at].goal == goal {
                    return Ok(());
                }
                self.lanes[at].goal = goal;
                self.end_conflict(at)?;
                self.event(at, &Event::Goal { sum: sum as u64, stricter })
            }
            Told::Again(sums) => {
                self.end_conflict(at)?;
                self.lanes[at].follower.again();
                self.event(at, &Event::Again { sums })
            }
            Told::Extend { variable, names, sum, sums } => {
                self.end_conflict(at)?;
                self.lanes[at].follower.extend(names.len());
                self.event(at, &Event::Extend { variable, variables: names, sum, sums })
            }
            Told::Assume(lits) => {
                self.end_conflict(at)?;
                self.lanes[at].follower.assume(&lits);
                self.event(at, &Event::Assume { literals: numbers(&lits) })
            }
            Told::Core(lits) => {
                self.end_conflict(at)?;
                self.event(at, &Event::Core { literals: numbers(&lits) })
            }
            Told::Bound(costs) if costs == self.lanes[at].bound => Ok(()),
            Told::Bound(costs) => {
                self.end_conflict(at)?;
                self.lanes[at].bound.clone_from(&costs);
                self.event(at, &Event::Bound { costs })
            }
            Told::Joins(Joins { number, serial, shared, sums, is_new, cube }) => {
                self.end_conflict(at)?;
                if let Some(sums) = sums {
                    self.lanes[at].follower.again();
                    self.event(at, &if is_new { Event::Join { sums } } else { Event::Again { sums } })?;
                }
                self.lanes[at].follower.joins(number, serial, shared);
                match cube {
                    Some((mode, lits)) => self.event(at, &Event::cube(mode, &lits)),
                    None => Ok(()),
                }
            }
        }
    }

    fn end_conflict(&mut self, at: usize) -> Result<(), SolveError> {
        match self.lanes[at].follower.end_conflict() {
            Some(event) => self.event(at, &event),
            None => Ok(()),
        }
    }

    fn event(&mut self, at: usize, event: &Event) -> Result<(), SolveError> {
        self.writer.event(event, at as u64).map_err(failed)
    }

    /// The answer set that is in the assignment of a searcher.
    fn answer(&mut self, at: usize, task: &Task) -> Event {
        let follower = &self.lanes[at].follower;
        let answer = AnswerSet::of_solver(&task.prepared, |var| follower.is_true(solver_gpu::Var(var)));
        self.answers += 1;
        Event::Answer {
            number: self.answers,
            atoms: answer.shown(task.program()).into_iter().map(str::to_string).collect(),
            costs: task.plan.costs(task.program(), |lit| answer.holds(lit)),
        }
    }
}

/// An error of the sink.
fn failed(error: io::Error) -> SolveError {
    SolveError::Trace(error.to_string())
}
