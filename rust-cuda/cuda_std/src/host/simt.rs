//! Running every thread of a grid as a coroutine: with exact semantics, with checks, in any order.
//!
//! Main function: [`simt`]. A thread runs until it reaches a barrier or a warp operation. Then the thread is
//! suspended with its [`Request`] until all threads that take part are there. A seeded generator draws the
//! thread that runs next: different seeds give different interleavings, and the same seed gives the same
//! interleaving.
//!
//! The simulation reports what a GPU leaves undefined:
//!
//! - a barrier that some threads of the block do not reach, or reach at another place;
//! - a mask with a lane that has finished, does not exist, or waits at another place;
//! - a mask that does not contain the caller;
//! - a shuffle whose width is not a power of two up to 32;
//! - a shuffle that reads a lane outside the mask;
//! - a write close to the shared memory;
//! - an index past the end of an array;
//! - threads that wait for ever, or that do more than the launch's budget;
//! - more threads or shared memory than a block can have;
//! - a panic.
//!
//! If the launch asks for checks, the simulation reports also:
//!
//! - a data race (see [`super::detector`]): two accesses of different threads, one of them a write, that no
//!   barrier, warp operation, fence or order of an atomic puts one after the other;
//! - a read of shared memory that nobody wrote;
//! - a write to a shared array that is no access of an [`Array`](crate::array::Array);
//! - an access to memory where no array is, or to an element at a wrong address.

use super::current::{self, Place};
use super::detector::Detector;
use super::error::SimtError;
use super::evaluate::{evaluate, lanes_of, same_instruction, source, wrong_width};
use super::guarded::{Arrays, Guarded, MOST_SHARED};
use super::memory::Memory;
use super::places::only_sync_orders;
use super::request::{Reply, Request};
use super::schedule::{Queue, Schedule};
use super::switch::{Suspender, Thread};
use super::trace::Trace;
use crate::operation::{Barrier, WarpOp};
use std::panic::Location;
use std::rc::Rc;

/// The most threads that run at once, but at least one block runs. Further blocks follow when these have
/// finished.
const RESIDENT: u32 = 2048;

/// The most threads that a block of a GPU has.
const MOST_THREADS: u32 = 1024;

/// How often threads may sleep while no thread does anything else. After that the launch has failed.
const MOST_NAPS: u32 = 1 << 18;

/// A launch.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// The kernel's name, for errors.
    pub kernel: &'static str,
    /// The blocks of the grid in each dimension.
    pub grid: [u32; 3],
    /// The threads of a block in each dimension.
    pub block: [u32; 3],
    /// The bytes of dynamic shared memory that a block has.
    pub shared_bytes: usize,
    /// The order in which threads run.
    pub schedule: Schedule,
    /// The seed of the schedule.
    pub seed: u64,
    /// The arrays that the launch may access, if each access is to be checked: for data races, reads of shared
    /// memory that nobody wrote, and accesses where no array is.
    pub check: Option<&'a Memory>,
    /// The most accesses, if they are checked, and waits of a thread. A thread that makes more does not come
    /// to an end.
    pub budget: u64,
}

impl Launch<'_> {
    /// A launch of one dimension without dynamic shared memory, in a random order, whose accesses are not
    /// checked.
    pub const fn new(kernel: &'static str, grid: u32, block: u32) -> Self {
        Launch {
            kernel,
            grid: [grid, 1, 1],
            block: [block, 1, 1],
            shared_bytes: 0,
            schedule: Schedule::Random,
            seed: 0,
            check: None,
            budget: u64::MAX,
        }
    }

    /// The number of blocks.
    fn blocks(&self) -> u32 {
        self.grid.into_iter().fold(1, u32::saturating_mul)
    }

    /// The number of threads in a block.
    fn threads(&self) -> u32 {
        self.block.into_iter().fold(1, u32::saturating_mul)
    }

    /// Refuses a block that no GPU can have.
    fn check_limits(&self) -> Result<(), SimtError> {
        let what = match (self.threads(), self.shared_bytes) {
            (1..=MOST_THREADS, 0..=MOST_SHARED) => return Ok(()),
            (1..=MOST_THREADS, bytes) => {
                format!("a block has at most {MOST_SHARED} bytes of shared memory (227 KiB), not {bytes}")
            }
            (threads, _) => format!("a block has 1 to {MOST_THREADS} threads, not {threads}"),
        };
        Err(SimtError { kernel: self.kernel, block: 0, thread: 0, what })
    }
}

enum State {
    Ready(Reply),
    Waiting(Request),
    Finished,
}

impl State {
    /// Whether the thread waits at this very operation.
    fn takes_part(&self, op: WarpOp, mask: u32, at: &'static Location<'static>) -> bool {
        matches!(self, State::Waiting(Request::Warp { op: o, mask: m, at: a, .. })
            if same_instruction(*o, op) && *m == mask && *a == at)
    }
}

struct Block {
    index: u32,
    shared: Guarded,
    arrays: Rc<Arrays>,
    finished: u32,
    at_barrier: u32,
}

struct Grid<'a> {
    launch: &'a Launch<'a>,
    /// The index of the first of `blocks`.
    first_block: u32,
    blocks: Vec<Block>,
    threads: Vec<Thread>,
    states: Vec<State>,
    queue: Queue,
    /// How many threads ask which lanes are active.
    asking: usize,
    /// How often threads have slept since a thread last did something else.
    naps: u32,
    /// How many writes the detector had seen when a thread last slept.
    writes: u64,
    /// Whether somebody watches what the threads do.
    is_watched: bool,
}

/// Runs `kernel` on all threads of the launch.
///
/// # Errors
/// The first error found. The launch ends there.
pub fn simt(launch: &Launch, kernel: &dyn Fn()) -> Result<(), SimtError> {
    launch.check_limits()?;
    current::begin(launch.budget, launch.seed);
    if let Some(memory) = launch.check {
        current::check(|before| Detector::new(launch.blocks(), launch.threads(), memory, before));
    }
    let at_once = (RESIDENT / launch.threads()).max(1);
    let mut first = 0;
    while first < launch.blocks() {
        let last = launch.blocks().min(first.saturating_add(at_once));
        let mut grid = Grid::new(launch, first..last, kernel);
        let outcome = grid.run();
        if outcome.is_err() || last == launch.blocks() {
            let trace = current::with_detector(|detector| detector.trace.take()).flatten();
            let error = outcome.as_ref().err().map(|error| error.to_string());
            trace.into_iter().for_each(|trace| {
                trace.end(launch.kernel, (launch.blocks(), launch.threads()), error.clone());
            });
        }
        grid.clear();
        if outcome.is_err() {
            current::leave();
            return outcome;
        }
        first = last;
    }
    if let Some(costs) = current::with_detector(|detector| detector.costs.take()).flatten() {
        costs.end(launch.kernel);
    }
    current::leave();
    Ok(())
}

impl<'a> Grid<'a> {
    fn new(launch: &'a Launch<'a>, blocks: std::ops::Range<u32>, kernel: &'a dyn Fn()) -> Self {
        let first_block = blocks.start;
        let make = |index| {
            let (shared, arrays) = (Guarded::new(launch.shared_bytes), Rc::default());
            let address = shared.pointer() as usize;
            current::with_detector(|detector| detector.share(index, address, launch.shared_bytes, None));
            Block { index, shared, arrays, finished: 0, at_barrier: 0 }
        };
        let blocks: Vec<Block> = blocks.map(make).collect();
        let mut threads = Vec::with_capacity(blocks.len() * launch.threads() as usize);
        for block in &blocks {
            for thread in 0..launch.threads() {
                let place = Place {
                    rank: block.index * launch.threads() + thread,
                    thread,
                    block: block.index,
                    threads: launch.block,
                    blocks: launch.grid,
                    shared: block.shared.pointer(),
                    arrays: Rc::as_ptr(&block.arrays),
                    suspender: std::ptr::null(),
                };
                threads.push(start(place, kernel));
            }
        }
        let n = threads.len();
        let states = (0..n).map(|_| State::Ready((0, false))).collect();
        Grid {
            launch,
            first_block,
            blocks,
            threads,
            states,
            queue: Queue::new(n, launch.schedule, launch.seed),
            asking: 0,
            naps: 0,
            writes: 0,
            is_watched: with_trace(|_| ()),
        }
    }

    /// Runs the threads, one at a time, until all have finished.
    fn run(&mut self) -> Result<(), SimtError> {
        while let Some(t) = self.queue.next() {
            self.step(t)?;
            if self.asking > 0 {
                self.answer(t, false);
            }
        }
        match (0..self.states.len()).find(|&t| matches!(self.states[t], State::Waiting(_))) {
            Some(t) => Err(self.explain(t)),
            None => Ok(()),
        }
    }

    /// Resumes thread `t` until it waits or finishes.
    fn step(&mut self, t: usize) -> Result<(), SimtError> {
        let State::Ready(reply) = self.states[t] else { unreachable!("only ready threads are drawn") };
        match self.threads[t].resume(reply) {
            Ok(Some(request)) => {
                self.states[t] = State::Waiting(request);
                if self.is_watched {
                    self.show_wait(t, request);
                }
                self.check_guards(t)?;
                if !matches!(request, Request::Sleep { .. } | Request::Turn { .. }) {
                    self.naps = 0;
                }
                match request {
                    Request::Barrier { .. } => self.arrive_at_barrier(t),
                    Request::Warp { op, mask, at, .. } => self.arrive_at_warp(t, op, mask, at),
                    Request::Active { .. } => {
                        self.asking += 1;
                        Ok(())
                    }
                    Request::Sleep { at } => self.sleep(t, at),
                    Request::Turn { at } => self.take_turns(t, at),
                }
            }
            Ok(None) => {
                self.states[t] = State::Finished;
                if self.is_watched {
                    let rank = (self.first_block * self.launch.threads()) as usize + t;
                    with_trace(|trace| trace.threads("end", std::iter::once(rank)));
                }
                self.naps = 0;
                let block = t / self.launch.threads() as usize;
                self.blocks[block].finished += 1;
                self.check_guards(t)
            }
            Err(what) => {
                self.states[t] = State::Finished;
                Err(self.error(t, what))
            }
        }
    }

    /// Thread `t` has reached a barrier. The last thread of the block to do so releases all of them.
    fn arrive_at_barrier(&mut self, t: usize) -> Result<(), SimtError> {
        let size = self.launch.threads() as usize;
        let block = &mut self.blocks[t / size];
        block.at_barrier += 1;
        if block.at_barrier < self.launch.threads() {
            return Ok(());
        }
        block.at_barrier = 0;
        let members = t / size * size..t / size * size + size;
        let requests = self.states[members.clone()].iter().map(|state| match state {
            State::Waiting(Request::Barrier { kind, predicate, orders, at }) => {
                (*kind, *predicate, *at, *orders)
            }
            _ => unreachable!("all threads of the block are at a barrier"),
        });
        let requests: Vec<_> = requests.collect();
        let (kind, _, at, orders) = requests[0];
        if let Some(other) = requests.iter().position(|&(k, _, a, _)| k != kind || a != at) {
            let there = requests[other].2;
            return Err(self.error(
                members.start + other,
                format!("divergent barrier: waits at {there}, thread 0 of the block at {at}"),
            ));
        }
        let holding = requests.iter().filter(|r| r.1).count() as u64;
        let reply = match kind {
            Barrier::Plain | Barrier::After => 0,
            Barrier::Count => holding,
            Barrier::And => (holding == size as u64) as u64,
            Barrier::Or => (holding > 0) as u64,
        };
        self.meet(members.clone(), orders);
        for member in members {
            self.release(member, (reply, true));
        }
        Ok(())
    }

    /// Thread `t` has reached a warp operation. The last lane of the mask to do so releases all of them.
    fn arrive_at_warp(
        &mut self,
        t: usize,
        op: WarpOp,
        mask: u32,
        at: &'static Location<'static>,
    ) -> Result<(), SimtError> {
        let thread = t as u32 % self.launch.threads();
        let (warp, lane) = (thread / 32, thread % 32);
        let first = t - lane as usize;
        let members = || (0..32u32).filter(|&l| mask >> l & 1 == 1);
        if mask >> lane & 1 == 0 {
            return Err(self.error(t, format!("lane {lane} is not in its own mask {mask:#010x}, at {at}")));
        }
        let absent = mask & !lanes_of(self.launch.threads(), warp);
        if absent != 0 {
            return Err(self.error(t, format!("mask {mask:#010x} has lanes that the warp has not, at {at}")));
        }
        if let Some(width) = wrong_width(op) {
            return Err(self.error(t, format!("width {width} is not a power of two up to 32, at {at}")));
        }
        for l in members() {
            match &self.states[first + l as usize] {
                state if state.takes_part(op, mask, at) => {}
                State::Finished => {
                    return Err(self.error(t, format!("lane {l} of mask {mask:#010x} has finished, at {at}")));
                }
                // The lane is not there yet. If it never comes, `explain` says so.
                _ => return Ok(()),
            }
        }
        let request = |l: u32| match &self.states[first + l as usize] {
            State::Waiting(Request::Warp { op, value, .. }) => (*op, *value),
            _ => unreachable!("all lanes of the mask are there"),
        };
        let mut replies = Vec::with_capacity(32);
        for l in members() {
            let (op, _) = request(l);
            if let Some(from) = source(op, l).filter(|&from| mask >> from & 1 == 0) {
                return Err(self.error(
                    first + l as usize,
                    format!("reads lane {from}, which is not in mask {mask:#010x}, at {at}"),
                ));
            }
            replies.push((l, evaluate(op, mask, l, &|l| request(l).1)));
        }
        let orders = op == WarpOp::Sync || !only_sync_orders();
        self.meet(members().map(|l| first + l as usize), orders);
        for (l, reply) in replies {
            self.release(first + l as usize, reply);
        }
        Ok(())
    }

    /// Tells the lanes of thread `t`'s warp that ask which lanes are active, by places in the source, once
    /// none of the others can come to one of these places; or at once, if they only wait for something.
    fn answer(&mut self, t: usize, at_once: bool) {
        let thread = t as u32 % self.launch.threads();
        let (first, lanes) = (t - thread as usize % 32, lanes_of(self.launch.threads(), thread / 32));
        let states = &self.states[first..first + lanes.count_ones() as usize];
        if !at_once && states.iter().any(|state| matches!(state, State::Ready(_))) {
            return;
        }
        let asks = |state: &State| match state {
            State::Waiting(Request::Active { at }) => Some(*at),
            _ => None,
        };
        let asking: Vec<_> = states.iter().map(asks).collect();
        for (lane, at) in asking.iter().enumerate().filter(|(_, at)| at.is_some()) {
            let mask = (0..asking.len()).filter(|&l| asking[l] == *at).fold(0, |mask, l| mask | 1 << l);
            self.asking -= 1;
            self.release(first + lane, (mask, true));
        }
    }

    /// Tells who watches that thread `t` waits.
    #[cold]
    fn show_wait(&self, t: usize, request: Request) {
        let (what, at) = match request {
            Request::Barrier { at, .. } => ("barrier", at),
            Request::Warp { at, .. } => ("warp", at),
            Request::Active { at } => ("active", at),
            Request::Sleep { .. } | Request::Turn { .. } => return,
        };
        let rank = self.first_block * self.launch.threads() + t as u32;
        with_trace(|trace| trace.stops(rank, what, at));
    }

    /// These threads, of one batch of blocks, have waited for each other, and accesses are in order if it
    /// `orders`.
    fn meet(&self, members: impl Iterator<Item = usize> + Clone, orders: bool) {
        let first = (self.first_block * self.launch.threads()) as usize;
        current::with_detector(|detector| detector.meet(members.map(|t| first + t), orders));
    }

    /// Thread `t` sleeps. The thread is ready again at once, but some thread has to do something else in the
    /// end.
    fn sleep(&mut self, t: usize, at: &'static Location<'static>) -> Result<(), SimtError> {
        self.wrote_something();
        self.naps += 1;
        if self.naps > MOST_NAPS && self.asking > 0 {
            // The thread may wait for one that asks.
            self.naps = 0;
            let size = self.launch.threads() as usize;
            let warps = (0..self.states.len()).filter(|t| (t % size).is_multiple_of(32));
            warps.for_each(|first| self.answer(first, true));
        }
        if self.naps > MOST_NAPS {
            return Err(self.error(t, format!("waits at {at} for what no other thread does")));
        }
        self.states[t] = State::Ready((0, true));
        self.queue.add(t, true);
        Ok(())
    }

    /// Thread `t` is at an atomic access, or at a plain one that it repeats: perhaps in a loop that waits for another
    /// thread.
    fn take_turns(&mut self, t: usize, at: &'static Location<'static>) -> Result<(), SimtError> {
        if !self.wrote_something() {
            return self.sleep(t, at);
        }
        self.release(t, (0, true));
        Ok(())
    }

    /// Whether some thread has written since the last call. Then nobody has waited in vain.
    fn wrote_something(&mut self) -> bool {
        let writes = current::with_detector(|detector| detector.writes()).unwrap_or(self.writes);
        let more = writes != self.writes;
        if more {
            (self.writes, self.naps) = (writes, 0);
        }
        more
    }

    fn release(&mut self, t: usize, reply: Reply) {
        self.states[t] = State::Ready(reply);
        self.queue.add(t, false);
    }

    /// The error that says why thread `t` waits for ever.
    fn explain(&self, t: usize) -> SimtError {
        let size = self.launch.threads() as usize;
        let (block, lane) = (t / size, t as u32 % self.launch.threads() % 32);
        match &self.states[t] {
            State::Waiting(Request::Warp { op, mask, at, .. }) => {
                let first = t - lane as usize;
                let missing = (0..32u32)
                    .filter(|l| mask >> l & 1 == 1)
                    .find(|&l| !self.states[first + l as usize].takes_part(*op, *mask, at));
                let missing = missing.unwrap_or(lane);
                let does = self.describe(first + missing as usize);
                self.error(t, format!("waits at {at} for lane {missing} of mask {mask:#010x}, which {does}"))
            }
            State::Waiting(Request::Barrier { at, .. }) => {
                let other = (block * size..block * size + size)
                    .find(|&o| !matches!(self.states[o], State::Waiting(Request::Barrier { .. })))
                    .unwrap_or(t);
                let does = self.describe(other);
                let thread = other % size;
                self.error(t, format!("divergent barrier: waits at {at} for thread {thread}, which {does}"))
            }
            _ => self.error(t, "waits for nothing".into()),
        }
    }

    /// What thread `t` does, for the error of a thread that waits for `t`.
    fn describe(&self, t: usize) -> String {
        match &self.states[t] {
            State::Ready(_) => "is running".into(),
            State::Finished => "has finished".into(),
            State::Waiting(Request::Barrier { at, .. }) => format!("waits at a barrier at {at}"),
            State::Waiting(Request::Warp { mask, at, .. }) => {
                format!("waits at {at} with mask {mask:#010x}")
            }
            State::Waiting(Request::Sleep { at } | Request::Turn { at } | Request::Active { at }) => {
                format!("sleeps at {at}")
            }
        }
    }

    /// Whether the words around the shared memory of thread `t`'s block are unchanged.
    fn check_guards(&self, t: usize) -> Result<(), SimtError> {
        let block = &self.blocks[t / self.launch.threads() as usize];
        if !block.shared.intact() {
            let bytes = block.shared.bytes();
            return Err(self.error(t, format!("wrote beside the {bytes} bytes of shared memory")));
        }
        if let Some((bytes, at)) = block.arrays.damaged() {
            return Err(self.error(t, format!("wrote beside the {bytes} bytes of the shared array at {at}")));
        }
        let unseen = current::with_detector(|detector| {
            let unseen = block.arrays.written_unseen(&detector.written);
            detector.written.clear();
            unseen
        });
        match unseen.flatten() {
            Some((number, bytes, at)) => Err(self.error(
                t,
                format!(
                    "wrote element {number}, of {bytes} bytes, of the shared array of {at} through a raw pointer, which \
                     no check sees: make the pointer an array, by `Array::from_raw`"
                ),
            )),
            None => Ok(()),
        }
    }

    fn error(&self, t: usize, what: String) -> SimtError {
        let block = &self.blocks[t / self.launch.threads() as usize];
        SimtError {
            kernel: self.launch.kernel,
            block: block.index,
            thread: t as u32 % self.launch.threads(),
            what,
        }
    }

    /// Ends the threads that have not finished.
    fn clear(self) {
        self.threads.into_iter().for_each(Thread::end);
    }
}

/// Lets `does` record what happens. Returns whether anybody watches.
fn with_trace(does: impl FnOnce(&mut Trace)) -> bool {
    current::with_detector(|detector| detector.trace.as_mut().map(does)).flatten().is_some()
}

/// A thread of the grid that is not running yet.
///
/// The caller drops the thread before the things that `kernel` borrows.
fn start(place: Place, kernel: &dyn Fn()) -> Thread {
    // SAFETY: a coroutine requires a `'static` closure. A launch's coroutines are owned by its `Grid`, and
    // `simt` drops the `Grid` on every path before `simt` returns, so that `kernel` outlives them.
    let kernel: &'static dyn Fn() = unsafe { std::mem::transmute(kernel) };
    Thread::new(move |suspender: &Suspender| {
        current::enter(Place { suspender, ..place });
        kernel();
    })
}
