//! What a fleet and the searchers elsewhere pass to each other between two slices: cubes, nogoods and goals.
//!
//! Main type: [`Trade`]. The searchers of a device share the words and arrays of the device's own swarm. Another swarm,
//! in the host's memory, is the *home* of all searchers of a solver: those of the processor search there, and a fleet
//! trades with it. To its home a fleet is one more searcher, who may have several cubes at a time.
//!
//! While a slice runs, nobody but the fleet's blocks touches the device's words; between two slices nobody but
//! [`Trade`] does.
//!
//! Invariant: the home's count of open cubes includes one for each fleet that has any open cube. A cube that moves
//! counts where it goes before it ceases to count where it was.

use super::shared::Shared;
use crate::device::{DeviceError, Executor};
use bytemuck::Pod;
use solver_gpu::hash::{add_hashes, mix};
use solver_gpu::layout::{
    pool_word, width_of, Hub, Swarm, BETTER, CLASSES, CLASS_SLOTS, CUBE_WORDS, MAX_CUBE, QUEUE,
};
use solver_gpu::swarm::{pool, queue};
use solver_gpu::{Array, Lit};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Cubes that a fleet asks for, or takes, at a time at most.
const CUBES: u32 = 32;

/// Nogoods of one class that pass at a time at most, in each direction.
const NOGOODS: u32 = 1024;

/// How long it takes from one trade with nogoods to the next at least.
const PAUSE: Duration = Duration::from_millis(10);

/// A fleet's part in its home.
pub struct Trade {
    home: Arc<Shared>,
    /// The number of the fleet's first searcher among all searchers of the home.
    first: u32,
    /// Whether the home counts an open cube for the fleet.
    holds: bool,
    /// How many searchers that want a cube the home counts for the fleet.
    asked: u32,
    /// How far the nogoods of each class were looked at, at home and on the device.
    seen: [[u32; CLASSES as usize]; 2],
    /// The versions of the goal that were looked at, at home and on the device.
    versions: [u32; 2],
    /// The device's answer sets that the home has counted.
    answers: u64,
    /// When nogoods passed last.
    traded: Option<Instant>,
}

/// The device's side: its words as a copy, which the caller writes back, and its arrays.
pub struct Device<'a> {
    pub executor: &'a mut dyn Executor,
    pub view: &'a Swarm,
    pub hub: &'a Hub,
}

impl Device<'_> {
    /// Reads elements `from .. from + len` of an array.
    fn read<S, T: Pod>(&mut self, array: Array<S>, from: usize, len: usize) -> Result<Vec<T>, DeviceError> {
        assert!(size_of::<S>() == size_of::<T>() && from + len <= array.len());
        let mut elements = vec![T::zeroed(); len];
        let address = array.address() + (from * size_of::<S>()) as u64;
        self.executor.download(address, bytemuck::cast_slice_mut(&mut elements))?;
        Ok(elements)
    }

    /// Writes elements of an array, from index `from` on.
    fn write<S, T: Pod>(&mut self, array: Array<S>, from: usize, elements: &[T]) -> Result<(), DeviceError> {
        assert!(size_of::<S>() == size_of::<T>() && from + elements.len() <= array.len());
        let address = array.address() + (from * size_of::<S>()) as u64;
        self.executor.upload(address, bytemuck::cast_slice(elements))
    }

    /// Takes the oldest cube out of the queue: the length and the literals. There must be one.
    fn take_cube(&mut self) -> Result<Vec<u32>, DeviceError> {
        let ticket = self.hub.head.load_relaxed();
        let (slot, empty) = queue::place_of(ticket);
        let mut row: Vec<u32> =
            self.read(self.view.cubes, (slot * CUBE_WORDS) as usize, CUBE_WORDS as usize)?;
        self.write(self.view.cube_lap, slot as usize, &[empty.wrapping_add(QUEUE as u32)])?;
        self.hub.head.store_relaxed(ticket.wrapping_add(1));
        row.truncate(1 + row[0] as usize);
        Ok(row)
    }

    /// Puts a cube into the queue: the length and the literals. There must be room.
    fn put_cube(&mut self, row: &[u32]) -> Result<(), DeviceError> {
        let ticket = self.hub.tail.load_relaxed();
        let (slot, empty) = queue::place_of(ticket);
        self.write(self.view.cubes, (slot * CUBE_WORDS) as usize, row)?;
        self.write(self.view.cube_lap, slot as usize, &[empty.wrapping_add(1)])?;
        self.hub.tail.store_relaxed(ticket.wrapping_add(1));
        Ok(())
    }
}

/// A pool's tickets `from .. from + len`, cut where the ring begins anew: the first slot and the number of slots.
fn pieces(from: u32, len: u32) -> impl Iterator<Item = (u32, u32)> {
    let slot = from % CLASS_SLOTS;
    let before = len.min(CLASS_SLOTS - slot);
    [(slot, before), (0, len - before)].into_iter().filter(|&(_, len)| len > 0)
}

impl Trade {
    /// The part of a fleet that has no cube yet.
    pub fn new(home: Arc<Shared>, first: u32) -> Trade {
        let zeros = [[0; CLASSES as usize]; 2];
        Trade { home, first, holds: false, asked: 0, seen: zeros, versions: [0; 2], answers: 0, traded: None }
    }

    /// Whether all searchers of the home have to return.
    pub fn is_over(&self) -> bool {
        let hub = self.home.hub();
        hub.stop.load_relaxed() != 0 || hub.done.load_relaxed() != 0
    }

    /// The number of answer sets after which all searchers of the device have to return; 0 for no limit.
    pub fn answers_limit(&self) -> u64 {
        let hub = self.home.hub();
        match hub.answers_limit.load_relaxed() {
            0 => 0,
            limit => self.answers + limit.saturating_sub(hub.answers.load_relaxed()).max(1),
        }
    }

    /// Passes on what both sides have that the other one lacks. Afterwards [`Trade::is_over`] may be true.
    ///
    /// # Errors
    /// If the device fails.
    pub fn trade(&mut self, device: &mut Device) -> Result<(), DeviceError> {
        self.tell_news(device.hub);
        if self.is_over() {
            return Ok(());
        }
        self.cubes(device)?;
        self.goals(device)?;
        if self.traded.is_none_or(|at| at.elapsed() >= PAUSE) {
            self.nogoods_from(device)?;
            self.nogoods_to(device)?;
            self.traded = Some(Instant::now());
        }
        Ok(())
    }

    /// Tells the home how many answer sets there are, and whether nothing is left.
    fn tell_news(&mut self, device: &Hub) {
        let home = self.home.hub();
        let found = device.answers.load_relaxed();
        let all = home.answers.fetch_add(found - self.answers) + found - self.answers;
        self.answers = found;
        let limit = home.answers_limit.load_relaxed();
        if limit > 0 && all >= limit {
            self.tell_winner(device);
            home.stop.store_relaxed(1);
        }
        if device.refuted.load_relaxed() != 0 {
            self.end(device);
        }
        if self.holds && device.open.load_relaxed() == 0 {
            self.holds = false;
            // The fleet's racers go on.
            device.done.store_relaxed(0);
            if queue::finish(&self.home.view) {
                self.end(device);
            }
        }
    }

    fn end(&self, device: &Hub) {
        self.tell_winner(device);
        self.home.hub().done.store_relaxed(1);
    }

    fn tell_winner(&self, device: &Hub) {
        let winner = device.winner.load_relaxed();
        if winner > 0 {
            self.home.hub().winner.store_relaxed(self.first + winner);
        }
    }

    /// Moves cubes to where they are wanted.
    fn cubes(&mut self, device: &mut Device) -> Result<(), DeviceError> {
        let (view, home, hub) = (&self.home.view, self.home.hub(), device.hub);
        let others = || home.hungry.load_relaxed().saturating_sub(self.asked);
        while others() > queue::waiting(view) && queue::waiting_in(hub) > 0 && hub.open.load_relaxed() > 1 {
            let row = device.take_cube()?;
            if !queue::give(view, row[0], |i| Lit(row[1 + i as usize])) {
                device.put_cube(&row)?;
                break;
            }
            hub.open.fetch_add(u32::MAX);
        }
        let lacks = |hub: &Hub| hub.hungry.load_relaxed().saturating_sub(queue::waiting_in(hub)).min(CUBES);
        let mut row = [0; CUBE_WORDS as usize];
        for _ in 0..lacks(hub) {
            let Some(len) = queue::take(view, |i, lit| row[1 + i as usize] = lit.0) else { break };
            debug_assert!(len <= MAX_CUBE);
            row[0] = len;
            device.put_cube(&row[..1 + len as usize])?;
            hub.open.fetch_add(1);
            // The first cube's count stays, for the fleet.
            if self.holds {
                home.open.fetch_add(u32::MAX);
            }
            self.holds = true;
        }
        let asks = lacks(hub);
        home.hungry.fetch_add(asks.wrapping_sub(self.asked));
        self.asked = asks;
        Ok(())
    }

    /// Gives each side the stricter goal of both.
    fn goals(&mut self, device: &mut Device) -> Result<(), DeviceError> {
        let versions =
            [self.home.hub().bound_version.load_acquire(), device.hub.bound_version.load_relaxed()];
        if versions == self.versions {
            return Ok(());
        }
        let gains = match self.home.view.tightens {
            BETTER => self.bounds(device)?,
            _ => Some(self.known(device)?),
        };
        if let Some(gains) = gains {
            // If the goal changed at home in the meantime, the home's version is another one.
            self.versions = [0, 1].map(|side| versions[side].wrapping_add(2 * gains[side] as u32));
        }
        Ok(())
    }

    /// Gives each side the items that are known on either. Returns whether the home and the device gained any.
    fn known(&mut self, device: &mut Device) -> Result<[bool; 2], DeviceError> {
        let home = self.home.view.known;
        let theirs: Vec<u32> = device.read(device.view.known, 0, device.view.known.len())?;
        let ours: Vec<u32> = (0..theirs.len()).map(|i| home.get(i).fetch_or(theirs[i])).collect();
        let both: Vec<u32> = theirs.iter().zip(&ours).map(|(a, b)| a | b).collect();
        let gains = [both != ours, both != theirs];
        if gains[0] {
            self.home.hub().bound_version.fetch_add(2);
        }
        if gains[1] {
            device.write(device.view.known, 0, &both)?;
            device.hub.bound_version.fetch_add(2);
        }
        Ok(gains)
    }

    /// Gives each side the lower one of both bounds, compared highest priority first. Returns whether the home and the
    /// device gained, or nothing if a searcher at home has the words for the moment.
    fn bounds(&mut self, device: &mut Device) -> Result<Option<[bool; 2]>, DeviceError> {
        let (view, hub) = (&self.home.view, self.home.hub());
        let theirs: Vec<u32> = device.read(device.view.bound, 0, device.view.bound.len())?;
        let version = hub.bound_version.load_relaxed();
        if version & 1 == 1 || hub.bound_version.compare_exchange(version, version + 1).is_err() {
            return Ok(None);
        }
        let ours: Vec<u32> = (0..theirs.len()).map(|i| view.bound.get(i).load_relaxed()).collect();
        let has_theirs = device.hub.bound_version.load_relaxed() != 0;
        let takes = has_theirs && (version == 0 || is_less(&theirs, &ours));
        if takes {
            (0..theirs.len()).for_each(|i| view.bound.get(i).store_relaxed(theirs[i]));
        }
        hub.bound_version.store_release(version + 2 * takes as u32);
        let gives = version != 0 && (!has_theirs || is_less(&ours, &theirs));
        if gives {
            device.write(device.view.bound, 0, &ours)?;
            device.hub.bound_version.fetch_add(2);
        }
        Ok(Some([takes, gives]))
    }

    /// Offers the device's new nogoods at home.
    fn nogoods_from(&mut self, device: &mut Device) -> Result<(), DeviceError> {
        let ends: Vec<u32> = device.read(device.view.pool_end, 0, CLASSES as usize)?;
        for class in 0..CLASSES {
            let (end, seen) = (ends[class as usize], &mut self.seen[1][class as usize]);
            let new = end.wrapping_sub(*seen).min(NOGOODS);
            *seen = end;
            let mut ticket = end.wrapping_sub(new);
            let words = width_of(class) as usize + 1;
            for (slot, len) in pieces(ticket, new) {
                let from = (class * CLASS_SLOTS + slot) as usize;
                let versions: Vec<u32> = device.read(device.view.pool_version, from, len as usize)?;
                let from = pool_word(class, slot) as usize;
                let rows: Vec<u32> = device.read(device.view.pool_words, from, len as usize * words)?;
                for (row, version) in rows.chunks(words).zip(versions) {
                    let (giver, len) = pool::giver_and_len(row[0]);
                    if version == pool::version_of(ticket) && giver != pool::OUTSIDE {
                        let lit = |i: u32| Lit(row[1 + i as usize]);
                        let hash = (0..len).map(|i| mix(lit(i).0 as u64)).fold(0, add_hashes);
                        pool::offer(&self.home.view, self.first, len, hash, lit);
                    }
                    ticket = ticket.wrapping_add(1);
                }
            }
        }
        Ok(())
    }

    /// Puts the home's new nogoods into the device's pool.
    fn nogoods_to(&mut self, device: &mut Device) -> Result<(), DeviceError> {
        let mut ends: Vec<u32> = device.read(device.view.pool_end, 0, CLASSES as usize)?;
        for class in 0..CLASSES {
            let words = width_of(class) as usize + 1;
            let (end, seen) = (pool::end(&self.home.view, class), &mut self.seen[0][class as usize]);
            let new = end.wrapping_sub(*seen).min(NOGOODS);
            *seen = end;
            let (mut rows, mut row) = (Vec::new(), vec![0; words]);
            for i in 0..new {
                let ticket = end.wrapping_sub(new).wrapping_add(i);
                let copied = pool::copy(&self.home.view, class, ticket, self.first, |i, lit| {
                    row[1 + i as usize] = lit.0
                });
                if let Some(len) = copied {
                    row[0] = pool::first_word(pool::OUTSIDE, len);
                    rows.extend_from_slice(&row);
                }
            }
            let len = (rows.len() / words) as u32;
            let mut ticket = ends[class as usize];
            let mut at = 0;
            for (slot, len) in pieces(ticket, len) {
                let more = len as usize * words;
                device.write(
                    device.view.pool_words,
                    pool_word(class, slot) as usize,
                    &rows[at..at + more],
                )?;
                let versions: Vec<u32> = (0..len).map(|i| pool::version_of(ticket.wrapping_add(i))).collect();
                let from = (class * CLASS_SLOTS + slot) as usize;
                device.write(device.view.pool_version, from, &versions)?;
                at += more;
                ticket = ticket.wrapping_add(len);
            }
            ends[class as usize] = ticket;
            self.seen[1][class as usize] = ticket;
        }
        device.write(device.view.pool_end, 0, &ends)
    }
}

/// Whether limits of 64 bits, the low half of each first, are less than others, compared from the first one on.
fn is_less(these: &[u32], others: &[u32]) -> bool {
    let numbers = |words: &[u32]| -> Vec<i64> {
        words.chunks(2).map(|half| ((half[1] as u64) << 32 | half[0] as u64) as i64).collect()
    };
    numbers(these) < numbers(others)
}
