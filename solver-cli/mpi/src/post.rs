//! The thread of a rank that calls MPI: carries what is written into pipes to other ranks, and brings what
//! they have sent.
//!
//! Main type: [`Post`], whose [`Post::turn`] is called again and again. No call of MPI waits: a rank that is
//! stopped while it sends a message does not stop who receives that.
//!
//! Invariant: between two ranks messages keep their order, and nothing comes from a rank that has said that
//! it says nothing more, or that is gone. A rank that has said nothing for the time-out counts as gone. If
//! MPI lets the other ranks live, they go on without it; else the search fails.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::os::raw::c_int;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mpi::topology::SimpleCommunicator;

use crate::failures::Failures;
use crate::passing::Passing;
use crate::pipe::Pipe;
use crate::watch::Turns;

/// The tag of what passes through pipes, and of what the threads that call MPI tell each other.
const DATA: c_int = 1;
const CONTROL: c_int = 2;

/// What such threads tell each other, by the first byte: so many bytes were read (in the next eight bytes),
/// this rank is there, this rank says nothing more, the search has failed (for the reason that follows),
/// another rank is gone (which the text that follows says).
const READ: u8 = 0;
const THERE: u8 = 1;
const OVER: u8 = 2;
const FAILED: u8 = 3;
const GONE: u8 = 4;

/// The most bytes of a pipe that go at a time.
const PIECE: usize = 128 << 10;

/// How often a rank says that it is there: this part of the time-out, and at most and at least so long.
const BEATS: u32 = 5;
const BEAT: (Duration, Duration) = (Duration::from_millis(20), Duration::from_secs(1));

/// What connects this rank with another one.
struct Line {
    pipe: Arc<Pipe>,
    /// When the other rank was heard last, by the clock that counts this rank's turns.
    heard: Duration,
    said: Instant,
    data: Option<Passing>,
    control: Option<Passing>,
    /// Whether this rank has said that it says nothing more, and whether the other one has.
    has_ended: bool,
    is_over: bool,
}

/// See the module's documentation.
pub struct Post {
    world: SimpleCommunicator,
    lines: BTreeMap<u32, Line>,
    /// What comes of each rank and has not come yet, with its tags.
    incoming: BTreeMap<u32, VecDeque<(c_int, Passing)>>,
    parent: Option<u32>,
    timeout: Duration,
    turns: Turns,
    /// What was said to rank 0 besides.
    reports: Vec<Passing>,
    failure: Option<String>,
    /// What tells which ranks are gone, if MPI can, and whether the other ranks then go on.
    failures: Option<Failures>,
    goes_on: bool,
    /// The children that are gone, and whether the parent is.
    gone: BTreeSet<u32>,
    has_lost_parent: bool,
    /// What was said of ranks that are gone, on rank 0.
    told: Vec<String>,
}

impl Post {
    /// Connects this rank with its parent, if it has one, and its children. A rank may be silent for the
    /// time-out. `may_go_on` says whether the search can do without a rank that is gone.
    pub fn new(
        world: SimpleCommunicator,
        parent: Option<u32>,
        children: impl Iterator<Item = u32>,
        timeout: Duration,
        may_go_on: bool,
    ) -> Post {
        let line = |rank: u32| {
            let (pipe, heard, said) = (Pipe::new(), Duration::ZERO, Instant::now());
            let (data, control, has_ended, is_over) = (None, None, false, false);
            (rank, Line { pipe, heard, said, data, control, has_ended, is_over })
        };
        let lines = parent.into_iter().chain(children).map(line).collect();
        let (incoming, turns) = (BTreeMap::new(), Turns::new(timeout));
        let failures = Failures::of(&world);
        let goes_on = may_go_on && failures.is_some();
        Post {
            world,
            lines,
            incoming,
            parent,
            timeout,
            turns,
            reports: Vec::new(),
            failure: None,
            failures,
            goes_on,
            gone: BTreeSet::new(),
            has_lost_parent: false,
            told: Vec::new(),
        }
    }

    /// Whether the search goes on if a rank is gone.
    pub fn goes_on(&self) -> bool {
        self.goes_on
    }

    /// Takes what was said of ranks that are gone since this was asked last, on rank 0.
    pub fn take_told(&mut self) -> Vec<String> {
        std::mem::take(&mut self.told)
    }

    /// Whether a rank is gone, and the others have gone on.
    pub fn has_gone_on(&self) -> bool {
        let has_lost = !self.gone.is_empty() || self.failures.as_ref().is_some_and(Failures::has_any);
        self.goes_on && self.failure.is_none() && has_lost
    }

    /// The pipe to a rank, which must be the parent or a child.
    pub fn pipe(&self, rank: u32) -> Option<Arc<Pipe>> {
        self.lines.get(&rank).map(|line| line.pipe.clone())
    }

    /// Why the search has failed, if this rank has heard so or noticed it.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// Whether the parent has said that the search is over.
    pub fn is_over(&self) -> bool {
        self.parent.and_then(|parent| self.lines.get(&parent)).is_some_and(|line| line.is_over)
    }

    /// The rank that all hear from first has said nothing for too long.
    pub fn has_lost_parent(&self) -> bool {
        self.has_lost_parent || self.parent.is_some_and(|parent| self.is_lost(parent))
    }

    fn is_lost(&self, rank: u32) -> bool {
        let now = self.turns.last();
        self.lines.get(&rank).is_some_and(|line| !line.is_over && now - line.heard > self.timeout)
    }

    /// Notes that the search has failed, and tells rank 0.
    pub fn fail(&mut self, why: &str) {
        if self.failure.is_some() {
            return;
        }
        self.failure = Some(why.into());
        self.lines.values().for_each(|line| line.pipe.fail(why));
        if self.parent.is_some() {
            self.report(FAILED, why);
        }
    }

    /// Says something to rank 0.
    fn report(&mut self, what: u8, text: &str) {
        let message = [&[what], text.as_bytes()].concat();
        self.reports.push(Passing::send(&self.world, message, 0, CONTROL));
    }

    /// Notes that a rank is gone. What connects this rank with it, if anything does, is cut.
    fn lose(&mut self, rank: u32, why: &str) {
        if self.parent == Some(rank) {
            self.has_lost_parent = true;
        } else if self.goes_on {
            let Some(line) = self.lines.remove(&rank) else { return };
            line.pipe.fail(why);
            self.incoming.remove(&rank);
            self.gone.insert(rank);
            let told = format!("{why}; the other ranks search its part");
            match self.parent {
                None => self.told.push(told),
                Some(_) => self.report(GONE, &told),
            }
        } else if self.lines.contains_key(&rank) {
            self.fail(why);
        }
    }

    /// Carries and brings what there is. Returns whether anything has come or was begun to be sent.
    pub fn turn(&mut self) -> bool {
        let mut is_busy = self.receive();
        for (&rank, line) in &mut self.lines {
            is_busy |= line.send(&self.world, rank, self.timeout);
        }
        self.reports.retain_mut(|report| !report.is_done());
        let gone = self.failures.as_mut().map_or(Vec::new(), |failures| failures.news(&self.world));
        gone.into_iter().for_each(|rank| self.lose(rank, &format!("rank {rank} is gone")));
        let silent = self.lines.keys().copied().find(|&rank| self.is_lost(rank) && self.parent != Some(rank));
        if let Some(rank) = silent {
            self.lose(rank, &format!("rank {rank} has said nothing for {} s", self.timeout.as_secs_f64()));
        }
        is_busy
    }

    /// Takes what has come of all ranks, in the order of each.
    fn receive(&mut self) -> bool {
        let now = self.turns.read(Instant::now());
        while let Some((rank, tag, passing)) = Passing::receive(&self.world) {
            if self.gone.contains(&rank) {
                continue;
            }
            self.incoming.entry(rank).or_default().push_back((tag, passing));
            if let Some(line) = self.lines.get_mut(&rank) {
                line.heard = now;
            }
        }
        let mut come = Vec::new();
        for (&rank, queue) in &mut self.incoming {
            while let Some((tag, bytes)) = queue.front_mut().and_then(|(tag, of)| Some((*tag, of.take()?))) {
                queue.pop_front();
                come.push((rank, tag, bytes));
            }
        }
        let is_busy = !come.is_empty();
        come.into_iter().for_each(|(rank, tag, bytes)| self.take(rank, tag, &bytes));
        is_busy
    }

    /// Takes a message of a rank.
    fn take(&mut self, rank: u32, tag: c_int, bytes: &[u8]) {
        if tag == CONTROL && bytes.first() == Some(&FAILED) {
            return self.fail(&String::from_utf8_lossy(&bytes[1..]));
        }
        if tag == CONTROL && bytes.first() == Some(&GONE) {
            return self.told.push(String::from_utf8_lossy(&bytes[1..]).into_owned());
        }
        let Some(line) = self.lines.get_mut(&rank) else { return };
        line.heard = self.turns.last();
        match (tag, bytes.split_first()) {
            (DATA, _) => line.pipe.bring(bytes),
            (_, Some((&READ, number))) => {
                let number = number.try_into().map(u64::from_le_bytes);
                line.pipe.accepted(number.unwrap_or_default());
            }
            (_, Some((&OVER, _))) => {
                line.is_over = true;
                line.pipe.fail("the search is over");
            }
            _ => {}
        }
    }

    /// Says to all below that the search is over, and then to the parent that nothing more is said. Returns
    /// whether all have said so as well within `patience`. If not, MPI must not be ended in order.
    pub fn end(&mut self, patience: Duration) -> bool {
        let until = Instant::now() + patience;
        while Instant::now() < until && self.failure.is_none() {
            self.turn();
            let parent = self.parent;
            let mut is_over = true;
            for (&rank, line) in self.lines.iter_mut().filter(|(&rank, _)| Some(rank) != parent) {
                line.say_over(&self.world, rank);
                is_over &= line.has_passed();
            }
            let own = parent.and_then(|parent| Some((parent, self.lines.get_mut(&parent)?)));
            if let Some((rank, line)) = own.filter(|_| is_over) {
                line.say_over(&self.world, rank);
                is_over = line.has_passed();
            }
            if is_over && self.reports.is_empty() {
                // If a rank is gone, MPI cannot be ended in order.
                return !self.has_gone_on();
            }
            std::thread::sleep(Duration::from_micros(50));
        }
        false
    }
}

impl Line {
    /// Sends what is to be sent. Returns whether a message was begun. While one is under way, the other rank
    /// may need the core more than this one.
    fn send(&mut self, world: &SimpleCommunicator, rank: u32, timeout: Duration) -> bool {
        let mut has_begun = false;
        if self.data.as_mut().is_none_or(Passing::is_done) {
            let piece = if self.has_ended { None } else { self.pipe.take(PIECE) };
            self.data = piece.map(|bytes| Passing::send(world, bytes, rank, DATA));
            has_begun = self.data.is_some();
            if has_begun {
                self.said = Instant::now();
            }
        }
        if self.control.as_mut().is_none_or(Passing::is_done) && !self.has_ended {
            let beat = (timeout / BEATS).clamp(BEAT.0, BEAT.1);
            let message = match self.pipe.to_tell() {
                Some(read) => Some([&[READ], &read.to_le_bytes()[..]].concat()),
                None if self.said.elapsed() >= beat => Some(vec![THERE]),
                None => None,
            };
            self.control = message.map(|bytes| Passing::send(world, bytes, rank, CONTROL));
            if self.control.is_some() {
                self.said = Instant::now();
            }
        }
        has_begun
    }

    /// Says that nothing more is said, once what was said before has gone.
    fn say_over(&mut self, world: &SimpleCommunicator, rank: u32) {
        if !self.has_ended && self.control.as_mut().is_none_or(Passing::is_done) {
            self.control = Some(Passing::send(world, vec![OVER], rank, CONTROL));
            self.has_ended = true;
        }
    }

    /// Whether both ranks have said that nothing more is said, and all has gone.
    fn has_passed(&mut self) -> bool {
        let has_gone = |sending: &mut Option<Passing>| sending.as_mut().is_none_or(Passing::is_done);
        self.has_ended && self.is_over && has_gone(&mut self.data) && has_gone(&mut self.control)
    }
}
