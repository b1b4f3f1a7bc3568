//! What all searchers of a search have found, in an order in which each step follows from those before.
//!
//! Main type: [`Ledger`]. Each searcher has a *seat*, and what its ring said goes into a *lane*: a searcher
//! on the processor has a lane of its own, and those of a fleet share one. A searcher of a swarm stamps what
//! it has learned before it shows that to others (see [`solver_gpu::trace`]), so the order of the stamps is
//! such an order. A lane also knows a stamp that whatever comes next is not below. The ledger writes the
//! entry with the smallest stamp, as long as no lane may still come with a smaller one.
//!
//! Invariant: entries of one lane are written in their order.

use super::cubes::Cubes;
use super::format::{failed, Part, ProofSink, Steps};
use super::parts::{CubeNews, Parts};
use super::prelude::{self, Numbers};
use super::seat::{Cycle, Known, New, Seat};
use super::shown::{Looks, Shared};
use crate::campaign::guide::Reason;
use crate::campaign::plan::{Phase, Plan};
use crate::campaign::task::Task;
use crate::searcher::ring::Item;
use crate::searcher::stamps::NEVER;
use crate::{AnswerSet, SolveError};
use solver_gpu::layout::Hub;
use solver_gpu::{Lit, Var};
use std::collections::{HashSet, VecDeque};
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Something that a searcher tells.
pub enum Entry {
    /// An item of its ring. After a deletion the new index of each learned nogood comes with it.
    Item(Item, Vec<u32>),
    /// An answer set. If searchers race, another one may have found the same.
    Answer {
        /// The answer set.
        answer: AnswerSet,
        /// Whether searchers race.
        is_raced: bool,
    },
    /// A loop nogood over the program's atoms, with its unfounded set.
    Loop(Vec<Lit>, Vec<Var>),
    /// A cycle of difference constraints, in its order, and its nogood over the search's literals.
    Cycle(Vec<u32>, Vec<Lit>),
    /// Assumptions that are refuted.
    Core(Vec<Lit>),
    /// What a tactic for finding an optimum has concluded.
    Reasons(Vec<Reason>),
    /// How far a searcher is in the pool.
    Looks(Looks),
}

/// See the module's documentation.
pub struct Ledger {
    task: Arc<Task>,
    /// Whether other processes write parts of the proof.
    pub has_parts: bool,
    book: Mutex<Book>,
}

/// What is known of the proof so far.
struct Book {
    steps: Steps,
    numbers: Numbers,
    /// What is looked for, and what is known of it.
    plan: Plan,
    lanes: Vec<Lane>,
    seats: Vec<Seat>,
    cubes: Cubes,
    known: Known,
    /// The largest stamp of what was written.
    clock: u64,
    /// What is known of other parts of the proof, if there are any.
    parts: Option<Parts>,
    /// What distinguishes the answer sets of searchers that race. A race ends with the first answer set that
    /// anybody hears of.
    raced: HashSet<Vec<bool>>,
    /// The present call, if the question is asked again and again.
    call: Call,
    /// Whether the last step is written.
    is_over: bool,
}

/// What becomes of the question.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Call {
    /// It is asked once.
    Never,
    /// It is asked again, of the answer sets with some literals.
    Open,
    /// The last call is over.
    Over,
}

/// A call of the question that is asked again and again.
pub struct Asked<'a> {
    /// What is looked for.
    pub plan: &'a Plan,
    /// The literals over the program's atoms that have to hold.
    pub lits: &'a [Lit],
    /// Whether the search has forgotten what it has learned.
    pub is_fresh: bool,
}

/// What one searcher or one fleet tells, in order.
struct Lane {
    /// The stamp, the seat and the entry.
    queue: VecDeque<(u64, usize, Entry)>,
    /// What comes next has at least this stamp.
    from: u64,
    /// Whether anybody tells anything.
    is_taken: bool,
    /// The seats.
    seats: Range<usize>,
    /// The nogoods that other searchers may have.
    shared: Shared,
}

/// The places of a searcher, or of those of a fleet.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The lane.
    pub lane: usize,
    /// The seat of the first searcher. The others follow.
    pub first: usize,
}

impl Ledger {
    /// Begins a proof: writes what the search begins with, and what it looks for. That stands in the solver's
    /// part alone, if there are parts.
    ///
    /// # Errors
    /// If the sink cannot be written, or the proof has too many variables.
    pub fn begin(task: &Arc<Task>, sink: ProofSink) -> Result<Arc<Ledger>, SolveError> {
        let (part, format) = (sink.part, sink.format);
        let is_first = part.is_none_or(Part::is_first);
        let mut steps = Steps::new(sink).map_err(failed)?;
        let mut nowhere =
            Steps::new(ProofSink { to: Box::new(io::sink()), format, part: None }).map_err(failed)?;
        let begins = if is_first { &mut steps } else { &mut nowhere };
        let numbers = prelude::write(task.program(), &task.prepared.meaning, begins)?;
        let plan = task.plan.clone();
        let (lanes, seats, cubes) = (Vec::new(), Vec::new(), Cubes::default());
        let mut book = Book {
            steps,
            numbers,
            plan,
            lanes,
            seats,
            cubes,
            known: Known::default(),
            clock: 0,
            parts: part.map(Parts::new),
            raced: HashSet::new(),
            call: Call::Never,
            is_over: false,
        };
        if is_first {
            book.ask(task).map_err(failed)?;
        }
        let (task, has_parts) = (task.clone(), part.is_some());
        Ok(Arc::new(Ledger { task, has_parts, book: Mutex::new(book) }))
    }

    /// A lane for so many searchers, with a seat for each.
    pub fn seat(&self, searchers: usize) -> Place {
        let mut book = self.book();
        let place = Place { lane: book.lanes.len(), first: book.seats.len() };
        let (seats, shared) = (place.first..place.first + searchers, Shared::default());
        book.seats.resize_with(seats.end, Seat::default);
        book.lanes.push(Lane { queue: VecDeque::new(), from: NEVER, is_taken: true, seats, shared });
        place
    }

    /// Notes the nogoods of the search, which `read` reads: where they start, and their literals. All
    /// searchers have the same.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn know<E>(&self, read: impl FnOnce() -> Result<(Vec<u32>, Vec<Lit>), E>) -> Result<(), E> {
        let mut book = self.book();
        if book.known.is_empty() {
            book.known.tell(read()?);
        }
        Ok(())
    }

    /// Nothing comes from the lane any more.
    pub fn leave(&self, lane: usize) {
        let lane = &mut self.book().lanes[lane];
        (lane.from, lane.is_taken) = (NEVER, false);
    }

    /// The searchers of a swarm begin, of which none has taken a stamp. Their stamps follow on those of the
    /// last phase, and on the clocks that were heard of.
    pub fn expect_all(&self, hub: &Hub) {
        let mut book = self.book();
        let last = book.last_clock();
        hub.stamps.store_relaxed(last);
        book.lanes.iter_mut().filter(|lane| lane.is_taken).for_each(|lane| lane.from = last + 1);
    }

    /// Notes the clock of another process, and has the searchers of a swarm take larger stamps from now on.
    pub fn hear_clock(&self, clock: u64, hub: Option<&Hub>) {
        if let Some(parts) = &mut self.book().parts {
            parts.heard = parts.heard.max(clock);
        }
        if let Some(hub) = hub {
            hub.stamps.fetch_max(clock);
        }
    }

    /// A clock that is not below those of all that searchers of a swarm have shown others so far.
    pub fn clock(&self, hub: &Hub) -> u64 {
        self.book().last_clock().max(hub.stamps.load_relaxed())
    }

    /// Writes that the part with this number belongs to the proof from here on.
    ///
    /// # Errors
    /// If the proof cannot be written.
    pub fn join(&self, part: u32) -> Result<(), SolveError> {
        self.book().steps.join(part).map_err(failed)
    }

    /// Notes what has become of cubes in other processes.
    ///
    /// # Errors
    /// If the proof cannot be written.
    pub fn hear_cubes(&self, news: Vec<CubeNews>) -> Result<(), SolveError> {
        let mut book = self.book();
        news.into_iter().try_for_each(|news| book.cube(news)).map_err(failed)
    }

    /// Takes what has become of cubes and the solver's process does not know, to which it has to be told.
    pub fn take_cubes(&self) -> Vec<CubeNews> {
        self.book().parts.as_mut().map(|parts| std::mem::take(&mut parts.untold)).unwrap_or_default()
    }

    /// A phase begins of a search whose questions stand in another part.
    pub fn begin_phase(&self, plan: &Plan) {
        let mut book = self.book();
        book.plan = plan.clone();
        book.forget();
    }

    /// Writes that nothing comes before the next phase begins, in a part without questions. Then everything
    /// is in the file.
    ///
    /// # Errors
    /// If the proof cannot be written.
    pub fn rest(&self) -> Result<(), SolveError> {
        let mut book = self.book();
        book.write_all(&self.task).map_err(failed)?;
        book.go_on();
        book.steps.rest().map_err(failed)
    }

    /// Takes entries of a lane with their stamps and seats. What comes next has at least the stamp `from`,
    /// and others have what `shared` says.
    ///
    /// # Errors
    /// If the proof cannot be written.
    pub fn take(
        &self,
        lane: usize,
        entries: Vec<(u64, usize, Entry)>,
        from: u64,
        shared: Shared,
    ) -> Result<(), SolveError> {
        let mut book = self.book();
        if book.is_over {
            // A searcher that has not returned in time is not waited for.
            return Ok(());
        }
        let lane = &mut book.lanes[lane];
        lane.queue.extend(entries);
        (lane.from, lane.shared) = (from, shared);
        book.write(&self.task).and_then(|()| book.delete_shown()).map_err(failed)
    }

    /// Writes that the question is asked again. A call that is under way ends without a conclusion.
    ///
    /// # Errors
    /// If the proof cannot be written.
    pub fn call(&self, asked: &Asked<'_>) -> Result<(), SolveError> {
        let mut book = self.book();
        book.write_all(&self.task).map_err(failed)?;
        book.call(asked, &self.task).map_err(failed)
    }

    /// Writes that nothing is left to search in a call, as these of its literals exclude each other.
    ///
    /// # Errors
    /// If the proof cannot be written.
    pub fn finish(&self, core: &[Lit]) -> Result<(), SolveError> {
        let mut book = self.book();
        book.write_all(&self.task).map_err(failed)?;
        book.finish(Some(core)).map_err(failed)
    }

    /// Writes that nothing is left to search in the present phase, and what the next phase of the plan looks
    /// for.
    ///
    /// # Errors
    /// If the proof cannot be written.
    pub fn next_phase(&self, plan: &Plan) -> Result<(), SolveError> {
        let mut book = self.book();
        book.write_all(&self.task).map_err(failed)?;
        book.go_on();
        book.refuted().map_err(failed)?;
        book.plan = plan.clone();
        book.ask(&self.task).map_err(failed)
    }

    /// Writes the last step, which says whether everything that was asked is proved. Of several calls each
    /// has said so by itself.
    ///
    /// # Errors
    /// If the proof cannot be written.
    pub fn end(&self, is_proved: bool) -> Result<(), SolveError> {
        let mut book = self.book();
        book.write_all(&self.task).map_err(failed)?;
        book.go_on();
        let is_called = book.call != Call::Never;
        book.finish(None).map_err(failed)?;
        if is_proved {
            book.refuted().map_err(failed)?;
        }
        book.is_over = true;
        book.steps.conclude(is_proved || is_called).map_err(failed)
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Book {
    /// See [`Ledger::call`].
    fn call(&mut self, asked: &Asked<'_>, task: &Task) -> io::Result<()> {
        let is_first = self.call == Call::Never;
        self.finish(None)?;
        self.plan = asked.plan.clone();
        if asked.plan.phase() != Phase::Enumerate && !is_first {
            self.ask(task)?;
        }
        for seat in &mut self.seats {
            // What the flips say rests on answer sets of the last call, and is forgotten with it.
            (seat.answer, seat.unfounded) = (None, None);
            seat.flips.clear();
            let gone = if asked.is_fresh { std::mem::take(&mut seat.learned) } else { Vec::new() };
            let gone: Vec<u64> = gone.iter().filter_map(|held| self.known.unneeded(held)).collect();
            gone.into_iter().try_for_each(|serial| self.steps.delete(serial))?;
        }
        self.known.forget();
        self.call = Call::Open;
        self.steps.call(asked.lits.iter().map(|&lit| self.numbers.of_step(lit)))
    }

    /// Ends the call that is under way, if there is one: with a conclusion if it has a core.
    fn finish(&mut self, core: Option<&[Lit]>) -> io::Result<()> {
        if self.call != Call::Open {
            return Ok(());
        }
        self.call = Call::Over;
        let lits = core.unwrap_or_default().iter().map(|&lit| self.numbers.of_step(lit));
        self.steps.finish(core.is_some(), lits)
    }

    /// The largest clock that is known.
    fn last_clock(&self) -> u64 {
        self.clock.max(self.parts.as_ref().map_or(0, |parts| parts.heard))
    }

    /// What comes next comes after all that is known of.
    fn go_on(&mut self) {
        self.clock = self.last_clock() + 1;
        self.steps.set_clock(self.clock);
    }

    /// Writes that nothing is left to search. In a call this holds under assumptions alone.
    fn refuted(&mut self) -> io::Result<()> {
        let late = self.parts.as_mut().map(|parts| std::mem::take(&mut parts.late)).unwrap_or_default();
        late.into_iter().try_for_each(|cube| self.steps.nogood(cube.into_iter()).map(|_| ()))?;
        match self.call {
            Call::Never => self.steps.nogood([].into_iter()).map(|_| ()),
            Call::Open | Call::Over => Ok(()),
        }
    }

    /// Forgets what belongs to the last phase.
    fn forget(&mut self) {
        self.seats.iter_mut().for_each(|seat| *seat = Seat::default());
        self.cubes = Cubes::default();
        self.known.forget();
        self.raced.clear();
    }

    /// Writes what is looked for from here on. Nothing that was learned before is used any more.
    fn ask(&mut self, task: &Task) -> io::Result<()> {
        self.forget();
        let question = self.plan.question(task.program());
        self.steps.question(question.kind.code(), &question.bounds)
    }

    /// Writes the entries that no other one can come before.
    fn write(&mut self, task: &Task) -> io::Result<()> {
        loop {
            let next =
                |lane: &Lane| lane.queue.front().map_or((lane.from, true), |&(stamp, ..)| (stamp, false));
            let first = (0..self.lanes.len()).min_by_key(|&at| next(&self.lanes[at]));
            let popped =
                first.and_then(|at| Some((self.lanes[at].shared, self.lanes[at].queue.pop_front()?)));
            let Some((shared, (stamp, seat, entry))) = popped else { return Ok(()) };
            // A search by itself takes no stamps.
            self.clock = self.clock.max(stamp);
            self.steps.set_clock(self.clock);
            self.entry(seat, shared, entry, task)?;
        }
    }

    /// Deletes nogoods that no searcher has or can have any more. Those of searchers in other processes stay.
    fn delete_shown(&mut self) -> io::Result<()> {
        if self.parts.is_some() {
            return Ok(());
        }
        let taken = self.lanes.iter().filter(|lane| lane.is_taken);
        let all = taken.flat_map(|lane| &self.seats[lane.seats.clone()]).map(Seat::looks);
        let unneeded = self.known.shown.pass(all);
        unneeded.into_iter().try_for_each(|serial| self.steps.delete(serial))
    }

    /// Writes all entries: no searcher is going to tell anything.
    fn write_all(&mut self, task: &Task) -> io::Result<()> {
        self.lanes.iter_mut().for_each(|lane| lane.from = NEVER);
        self.write(task)
    }

    fn entry(&mut self, at: usize, shared: Shared, entry: Entry, task: &Task) -> io::Result<()> {
        let (steps, numbers, seat) = (&mut self.steps, &self.numbers, &mut self.seats[at]);
        let (item, renamed) = match entry {
            Entry::Answer { answer, is_raced } => return self.answer(at, &answer, is_raced, task),
            Entry::Loop(nogood, set) => {
                let set: Vec<i32> = set.into_iter().filter_map(|p| numbers.of_program(p)).collect();
                let lits: Vec<i32> = nogood.into_iter().map(|lit| numbers.of_step(lit)).collect();
                return steps.unfounded(lits.into_iter(), set.into_iter()).map(|_| ());
            }
            Entry::Cycle(cycle, nogood) => {
                let edges = task.program().differences.as_ref().map_or(&[][..], |known| &known.edges);
                let own = cycle.iter().filter_map(|&edge| edges.get(edge as usize));
                let own: Vec<i32> = own.map(|edge| numbers.of_step(edge.lit)).collect();
                let lits: Vec<i32> = nogood.iter().map(|&lit| numbers.of_solver(lit)).collect();
                let lits = Some(lits).filter(|lits| lits.iter().any(|lit| !own.contains(lit)));
                return seat.note_cycle(Cycle { edges: cycle, nogood, lits }, steps);
            }
            Entry::Core(core) => {
                return steps.nogood(core.into_iter().map(|lit| numbers.of_solver(lit))).map(|_| ());
            }
            Entry::Looks(looks) => {
                seat.look(looks, &mut self.known);
                return Ok(());
            }
            Entry::Reasons(reasons) => return reasons.into_iter().try_for_each(|reason| self.reason(reason)),
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
            Item::Reasons { rank, ids } => {
                seat.reasons.retain(|&(other, _)| other != rank);
                seat.reasons.push((rank, ids));
            }
            Item::Learned { rank, learner, origin, lits, levels } => {
                let is_shared = shared.has(learner, lits.len() as u32, levels);
                let new = New { by: (rank, learner), origin, lits, is_shared };
                seat.learn(new, &mut self.known, numbers, steps)?;
            }
            Item::Imported(n, origins) => seat.import(n, &origins, &mut self.known),
            Item::Divided(had, whole, decision) => {
                let whole = whole.into_iter().map(|lit| lit.0).collect();
                return self.cube(CubeNews::Divided { had, whole, decision: decision.0 });
            }
            Item::Refuted(cube) => {
                // Another cube comes next, which has nothing to do with these flips.
                seat.flips.clear();
                seat.answer = None;
                steps.nogood(cube.iter().map(|&lit| numbers.of_solver(lit)))?;
                return self.cube(CubeNews::Refuted(cube.into_iter().map(|lit| lit.0).collect()));
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
            Item::Deleted(n) => seat.delete(&renamed[..n as usize], &mut self.known, steps)?,
            // The stamp came with the entry; the others are for traces.
            Item::Stamp(_)
            | Item::Literal { .. }
            | Item::Because(_)
            | Item::Conflict { .. }
            | Item::Jump { .. }
            | Item::Answer
            | Item::Foreign(..)
            | Item::Offered(_)
            | Item::Begun(..)
            | Item::Goal => {}
        }
        Ok(())
    }

    /// Notes what has become of a cube, and writes what follows. In the solver's part that waits for the end
    /// of the phase.
    fn cube(&mut self, news: CubeNews) -> io::Result<()> {
        match &mut self.parts {
            Some(parts) if !parts.own.is_first() => parts.untold.push(news),
            Some(parts) => parts.late.extend(news.note(&mut self.cubes, &self.numbers)),
            None => {
                for cube in news.note(&mut self.cubes, &self.numbers) {
                    self.steps.nogood(cube.into_iter())?;
                }
            }
        }
        Ok(())
    }

    /// Writes what a tactic has concluded.
    fn reason(&mut self, reason: Reason) -> io::Result<()> {
        let (steps, numbers) = (&mut self.steps, &mut self.numbers);
        match reason {
            Reason::Stands(lit, bound, items) => {
                let var = numbers.introduce()?;
                let items = items.iter().map(|&(lit, weight)| (weight, numbers.of_solver(lit)));
                steps.sum(var, bound, items)?;
                numbers.stand_for(lit, var);
                Ok(())
            }
            Reason::Relaxed { level, weight, costs } => {
                let var = numbers.introduce()?;
                steps.sum(var, 1, costs.iter().map(|&lit| (1, numbers.of_solver(lit))))?;
                steps.nogood([-var].into_iter())?;
                steps.rewrite(1 + level as i64, weight, var)
            }
            Reason::Counted { level, weight, lit } => {
                steps.rewrite(1 + level as i64, weight, numbers.of_solver(lit))
            }
            Reason::Least { level, lit } => steps.least(1 + level as i64, numbers.of_solver(lit)),
        }
    }

    /// Writes an answer set, unless another one has said as much.
    fn answer(&mut self, at: usize, answer: &AnswerSet, is_raced: bool, task: &Task) -> io::Result<()> {
        let (program, holds) = (task.program(), |lit: Lit| answer.holds(lit));
        if !self.plan.is_news(program, holds) {
            return Ok(());
        }
        if is_raced && self.plan.phase() == Phase::Enumerate {
            let distinct = match self.plan.projected() {
                Some(lits) => lits.iter().map(|&lit| holds(lit)).collect(),
                None => answer.atom_values(),
            };
            if !self.raced.insert(distinct) {
                return Ok(());
            }
        }
        let costs = self.plan.costs(program, holds);
        self.plan.note(program, &costs, holds);
        let atoms: Vec<i32> = answer.atoms().filter_map(|p| self.numbers.in_file(p)).collect();
        self.seats[at].answer = Some(self.steps.answer(atoms.into_iter())?);
        Ok(())
    }
}
