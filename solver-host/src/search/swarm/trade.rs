//! What a fleet and the searchers elsewhere pass to each other between two slices: cubes, nogoods and goals.
//!
//! Main type: [`Trade`]. The searchers of a device share the words and arrays of the device's own swarm. Another swarm,
//! in the host's memory, is the *home* of all searchers of a solver. The members of a crew search at home, and each
//! fleet trades with the home. To its home a fleet is one more searcher, which may have several cubes at a time.
//!
//! While a slice runs, only the fleet's blocks access the device's words. Between two slices only the fleet's thread
//! does.
//!
//! Invariant: the home's count of open cubes includes one for each fleet that has any open cube. A cube that moves
//! counts at its new place before it ceases to count at its old place.

use super::shared::Shared;
use crate::device::{DeviceError, Executor};
use bytemuck::Pod;
use solver_gpu::hash::{add_hashes, mix};
use solver_gpu::layout::{
    pool_word, slot_words, Hub, Origin, Swarm, BETTER, CLASSES, CLASS_SLOTS, CUBE_WORDS, MAX_CUBE, QUEUE,
    SLOT_HEADER,
};
use solver_gpu::swarm::{pool, queue};
use solver_gpu::{Array, Lit};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The most cubes that a fleet asks for, or takes, at a time.
const CUBES: u32 = 32;

/// The most nogoods of one class that pass in each direction at a time.
const NOGOODS: u32 = 1024;

/// The shortest time between two trades of nogoods.
const PAUSE: Duration = Duration::from_millis(10);

/// What a fleet knows of its trades with its home.
pub struct Trade {
    home: Arc<Shared>,
    /// The number of the fleet's first searcher among all searchers of the home.
    first: u32,
    /// Whether the home counts an open cube for the fleet.
    holds: bool,
    /// The number of hungry searchers that the home counts for the fleet.
    asked: u32,
    /// The tickets up to which the nogoods of each class have passed: of the home's pool, and of the device's.
    seen: [[u32; CLASSES as usize]; 2],
    /// The versions of the goal that were compared last: the home's, and the device's.
    versions: [u32; 2],
    /// The number of the device's answer sets that the home has counted.
    answers: u64,
    /// The time of the last trade of nogoods.
    traded: Option<Instant>,
    /// Whether the home has searchers besides the fleet's.
    has_others: bool,
}

/// The device's side of a trade: a copy of its words, which the caller writes back, and its arrays.
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

    /// Takes the oldest cube out of the queue and returns its length and its literals. The queue must have a cube.
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

    /// Puts a cube into the queue; `row` has its length and its literals. The queue must have room.
    fn put_cube(&mut self, row: &[u32]) -> Result<(), DeviceError> {
        let ticket = self.hub.tail.load_relaxed();
        let (slot, empty) = queue::place_of(ticket);
        self.write(self.view.cubes, (slot * CUBE_WORDS) as usize, row)?;
        self.write(self.view.cube_lap, slot as usize, &[empty.wrapping_add(1)])?;
        self.hub.tail.store_relaxed(ticket.wrapping_add(1));
        Ok(())
    }
}

/// Cuts a pool's tickets `from .. from + len` where the ring begins anew. Each piece is a first slot and a number of
/// slots.
fn pieces(from: u32, len: u32) -> impl Iterator<Item = (u32, u32)> {
    let slot = from % CLASS_SLOTS;
    let before = len.min(CLASS_SLOTS - slot);
    [(slot, before), (0, len - before)].into_iter().filter(|&(_, len)| len > 0)
}

impl Trade {
    /// Begins the trades of a fleet without a cube, whose first searcher has the number `first`. `has_others` says
    /// whether others search besides the fleet.
    pub fn new(home: Arc<Shared>, first: u32, has_others: bool) -> Trade {
        let (seen, versions) = ([[0; CLASSES as usize]; 2], [0; 2]);
        Trade { home, first, holds: false, asked: 0, seen, versions, answers: 0, traded: None, has_others }
    }

    /// Whether the fleet has asked for cubes, and a cube waits at home.
    pub fn is_answered(&self) -> bool {
        self.asked > 0 && queue::waiting(&self.home.view) > 0
    }

    /// Whether all searchers of the home have to return.
    pub fn is_over(&self) -> bool {
        self.home.is_over()
    }

    /// The number of answer sets after which all searchers of the device have to return; 0 for no limit.
    pub fn answers_limit(&self) -> u64 {
        let hub = self.home.hub();
        match hub.answers_limit.load_relaxed() {
            0 => 0,
            limit => self.answers + limit.saturating_sub(hub.answers.load_relaxed()).max(1),
        }
    }

    /// Gives each side the cubes, the goal and the nogoods of the other. Afterwards [`Trade::is_over`] may be true.
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
        if self.has_others && self.traded.is_none_or(|at| at.elapsed() >= PAUSE) {
            self.nogoods_from(device)?;
            self.nogoods_to(device)?;
            self.traded = Some(Instant::now());
        }
        Ok(())
    }

    /// Tells the home how many answer sets the device has found, and whether the fleet has nothing left to search.
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

    /// Moves cubes to the side whose searchers want them.
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
            // The home keeps counting the first cube, as the one open cube of the fleet.
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
            // If the goal has changed at home meanwhile, the home's version differs from this number.
            self.versions = [0, 1].map(|side| versions[side].wrapping_add(2 * gains[side] as u32));
        }
        Ok(())
    }

    /// Gives each side the known items of the other. Returns whether the home gained any, and whether the device did.
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

    /// Gives each side the lower bound of the two, compared highest priority first. Returns whether the home gained,
    /// and whether the device did; or `None` if a searcher at home has locked the words of the bound.
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
            let words = slot_words(class) as usize;
            for (slot, len) in pieces(ticket, new) {
                let from = (class * CLASS_SLOTS + slot) as usize;
                let versions: Vec<u32> = device.read(device.view.pool_version, from, len as usize)?;
                let from = pool_word(class, slot) as usize;
                let rows: Vec<u32> = device.read(device.view.pool_words, from, len as usize * words)?;
                for (row, version) in rows.chunks(words).zip(versions) {
                    let (len, origin) = pool::of_header([row[0], row[1], row[2]]);
                    if version == pool::version_of(ticket) && origin.searcher() < device.view.searchers {
                        let lit = |i: u32| Lit(row[(SLOT_HEADER + i) as usize]);
                        let hash = (0..len).map(|i| mix(lit(i).0 as u64)).fold(0, add_hashes);
                        pool::offer(&self.home.view, at_home(self.first, origin), len, hash, lit);
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
        let first = self.first;
        for class in 0..CLASSES {
            let words = slot_words(class) as usize;
            let (end, seen) = (pool::end(&self.home.view, class), &mut self.seen[0][class as usize]);
            let new = end.wrapping_sub(*seen).min(NOGOODS);
            *seen = end;
            let (mut rows, mut row) = (Vec::new(), vec![0; words]);
            for i in 0..new {
                let ticket = end.wrapping_sub(new).wrapping_add(i);
                let is_own = |searcher: u32| searcher.wrapping_sub(first) < device.view.searchers;
                let to = |i: u32, lit: Lit| row[(SLOT_HEADER + i) as usize] = lit.0;
                if let Some((len, origin)) = pool::copy(&self.home.view, class, ticket, is_own, to) {
                    let header = pool::header(len, on_device(first, origin));
                    row[..SLOT_HEADER as usize].copy_from_slice(&header);
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

/// The origin at home of a nogood of a device, whose first searcher has the number `first` at home.
///
/// A fleet numbers its searchers from 0 on. Searchers elsewhere have numbers there that follow on the fleet's,
/// or wrap around below 0.
fn at_home(first: u32, there: Origin) -> Origin {
    Origin::new(there.searcher().wrapping_add(first), there.serial())
}

/// The origin on a device of a nogood at home: the inverse of [`at_home`].
fn on_device(first: u32, at_home: Origin) -> Origin {
    Origin::new(at_home.searcher().wrapping_sub(first), at_home.serial())
}

/// Whether `these` limits are less than `others`, compared from the first one on. A limit is two words, the low half
/// first.
fn is_less(these: &[u32], others: &[u32]) -> bool {
    let numbers = |words: &[u32]| -> Vec<i64> {
        words.chunks(2).map(|half| ((half[1] as u64) << 32 | half[0] as u64) as i64).collect()
    };
    numbers(these) < numbers(others)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::{open, DeviceKind, Setup};
    use solver_gpu::layout::NARROW;

    fn shared(tightens: u32, counters: usize, items: usize) -> Shared {
        let executor = open(DeviceKind::Cpu, Setup::default()).expect("a processor");
        let about = Swarm { searchers: 2, tightens, ..Swarm::default() };
        Shared::new(executor, about, counters, items).expect("enough memory")
    }

    /// One trade between a home and a device whose memory is the host's too.
    fn once(trade: &mut Trade, device: &Shared) {
        let mut executor = open(DeviceKind::Cpu, Setup::default()).expect("a processor");
        let (view, hub) = (&device.view, device.hub());
        trade.trade(&mut Device { executor: &mut *executor, view, hub }).expect("a working device");
    }

    fn bound(of: &Shared, limits: &[i64]) {
        for (i, &limit) in limits.iter().enumerate() {
            of.view.bound.get(2 * i).store_relaxed(limit as u32);
            of.view.bound.get(2 * i + 1).store_relaxed((limit >> 32) as u32);
        }
        of.hub().bound_version.fetch_add(2);
    }

    fn limits(of: &Shared) -> Vec<i64> {
        let half = |i: usize| of.view.bound.get(i).load_relaxed() as u64;
        (0..of.view.bound.len() / 2).map(|i| (half(2 * i + 1) << 32 | half(2 * i)) as i64).collect()
    }

    #[test]
    fn a_ring_is_cut_where_it_begins_anew() {
        let all = |from, len| pieces(from, len).collect::<Vec<_>>();
        assert_eq!(all(CLASS_SLOTS - 2, 5), [(CLASS_SLOTS - 2, 2), (0, 3)]);
        assert_eq!(all(3 * CLASS_SLOTS + 1, 5), [(1, 5)]);
        assert_eq!(all(u32::MAX, 2), [(CLASS_SLOTS - 1, 1), (0, 1)]);
        assert_eq!(all(7, 0), []);
    }

    #[test]
    fn the_lower_bound_goes_to_both() {
        let (home, device) = (Arc::new(shared(BETTER, 2, 0)), shared(BETTER, 2, 0));
        let mut trade = Trade::new(home.clone(), 1, true);
        for (of, given, both) in [
            (&*home, [5, 7], [5, 7]),
            (&device, [5, 6], [5, 6]),
            (&device, [-1, 1 << 40], [-1, 1 << 40]),
            // A searcher that did not know the better one.
            (&device, [0, 0], [-1, 1 << 40]),
            (&*home, [-1, 3], [-1, 3]),
        ] {
            bound(of, &given);
            once(&mut trade, &device);
            assert_eq!((limits(&home), limits(&device)), (both.to_vec(), both.to_vec()), "{given:?}");
        }
        // Nothing is new.
        let versions = || [&*home, &device].map(|of| of.hub().bound_version.load_relaxed());
        let before = versions();
        once(&mut trade, &device);
        assert_eq!(versions(), before);
    }

    #[test]
    fn what_is_known_goes_to_both() {
        let (home, device) = (Arc::new(shared(NARROW, 0, 40)), shared(NARROW, 0, 40));
        let mut trade = Trade::new(home.clone(), 1, true);
        home.view.known.get(0u32).fetch_or(5);
        home.hub().bound_version.fetch_add(2);
        device.view.known.get(1u32).fetch_or(1);
        device.hub().bound_version.fetch_add(2);
        once(&mut trade, &device);
        for of in [&*home, &device] {
            assert_eq!([0u32, 1].map(|i| of.view.known.get(i).load_relaxed()), [5, 1]);
            assert_eq!(of.hub().bound_version.load_relaxed(), 4);
        }
    }

    #[test]
    fn nogoods_go_to_both_once() {
        let (home, device) = (Arc::new(shared(BETTER, 0, 0)), shared(BETTER, 0, 0));
        let mut trade = Trade::new(home.clone(), 1, true);
        let offer = |of: &Shared, giver: u32, n: u32| {
            let lits = [Lit(2 * n), Lit(2 * n + 1), Lit(1)];
            let hash = lits.iter().map(|lit| mix(lit.0 as u64)).fold(0, add_hashes);
            pool::offer(&of.view, Origin::new(giver, n as u64), 3, hash, |i| lits[i as usize]);
        };
        // The origins and first variables of the nogoods that a searcher copies.
        let copied = |of: &Shared, me: u32| {
            let class = solver_gpu::layout::class_of(3);
            let mut found = Vec::new();
            for ticket in 0..pool::end(&of.view, class) {
                let mut lits = Vec::new();
                if let Some((3, origin)) =
                    pool::copy(&of.view, class, ticket, |searcher| searcher == me, |_, lit| lits.push(lit.0))
                {
                    assert_eq!(origin.serial(), lits[0] as u64 / 2);
                    found.push((origin.searcher(), lits[0] / 2));
                }
            }
            found.sort_unstable();
            found
        };
        // The fleet's searchers are 1 and 2 at home, where 0 and 3 are others.
        [(0, 10), (3, 11), (0, 12)].into_iter().for_each(|(giver, n)| offer(&home, giver, n));
        [(0, 20), (1, 21)].into_iter().for_each(|(giver, n)| offer(&device, giver, n));
        for _ in 0..3 {
            trade.traded = None;
            once(&mut trade, &device);
        }
        assert_eq!(copied(&home, 7), [(0, 10), (0, 12), (1, 20), (2, 21), (3, 11)]);
        let last = Origin::SEARCHERS - 1;
        assert_eq!(copied(&device, 7), [(0, 20), (1, 21), (2, 11), (last, 10), (last, 12)]);
        // Nobody gets back what was their own.
        assert_eq!(copied(&home, 0), [(1, 20), (2, 21), (3, 11)]);
        assert_eq!(copied(&device, 0), [(1, 21), (2, 11), (last, 10), (last, 12)]);
    }

    #[test]
    fn a_fleet_that_is_alone_keeps_its_nogoods() {
        let (home, device) = (Arc::new(shared(BETTER, 0, 0)), shared(BETTER, 0, 0));
        let mut trade = Trade::new(home.clone(), 0, false);
        pool::offer(&device.view, Origin::new(0, 0), 1, 1, |_| Lit(2));
        once(&mut trade, &device);
        assert_eq!(pool::end(&home.view, 0), 0);
    }

    #[test]
    fn cubes_go_where_they_are_wanted_and_all_are_counted() {
        let (home, device) = (Arc::new(shared(BETTER, 0, 0)), shared(BETTER, 0, 0));
        let mut trade = Trade::new(home.clone(), 1, true);
        let open = || [&*home, &device].map(|of| of.hub().open.load_relaxed());
        let waiting = || [&*home, &device].map(|of| queue::waiting(&of.view));
        // Two cubes at home, and three searchers of the device want one.
        home.hub().open.store_relaxed(1);
        (0..2).for_each(|n| assert!(queue::give(&home.view, 1, |_| Lit(n))));
        device.hub().hungry.store_relaxed(3);
        once(&mut trade, &device);
        assert_eq!((open(), waiting()), ([2, 2], [0, 2]));
        assert_eq!(home.hub().hungry.load_relaxed(), 1, "the device wants one more");
        assert!(!trade.is_answered());
        assert!(queue::give(&home.view, 1, |_| Lit(7)));
        assert!(trade.is_answered());
        assert_eq!((queue::take(&home.view, |_, _| ()), queue::finish(&home.view)), (Some(1), false));
        // They are taken. Then one searcher gives two away, and one at home wants one.
        (0..2).for_each(|_| assert!(queue::take(&device.view, |_, _| ()).is_some()));
        device.hub().hungry.store_relaxed(0);
        (4..6).for_each(|n| assert!(queue::give(&device.view, 1, |_| Lit(n))));
        home.hub().hungry.fetch_add(1);
        once(&mut trade, &device);
        assert_eq!((open(), waiting()), ([3, 3], [1, 1]));
        let mut cube = Vec::new();
        assert_eq!(queue::take(&home.view, |_, lit| cube.push(lit.0)), Some(1));
        assert_eq!(cube, [4], "the oldest one");
        home.hub().hungry.store_relaxed(0);
        // The device refutes all of its cubes. Its home goes on.
        assert_eq!([0; 3].map(|_| queue::finish(&device.view)), [false, false, true]);
        device.hub().done.store_relaxed(1);
        once(&mut trade, &device);
        assert_eq!((open(), device.hub().done.load_relaxed(), trade.is_over()), ([2, 0], 0, false));
        // The rest is refuted at home.
        assert!(!queue::finish(&home.view) && queue::finish(&home.view));
    }

    #[test]
    fn a_fleet_that_refutes_the_last_cube_ends_the_search() {
        let (home, device) = (Arc::new(shared(BETTER, 0, 0)), shared(BETTER, 0, 0));
        let mut trade = Trade::new(home.clone(), 3, true);
        assert!(queue::give(&home.view, 0, |_| Lit(0)));
        device.hub().hungry.store_relaxed(1);
        once(&mut trade, &device);
        assert!(queue::take(&device.view, |_, _| ()) == Some(0) && queue::finish(&device.view));
        device.hub().winner.store_relaxed(1);
        once(&mut trade, &device);
        assert!(trade.is_over() && home.hub().done.load_relaxed() == 1);
        assert_eq!(home.hub().winner.load_relaxed(), 4);
    }
}
