//! Memory that searchers share, as an end of a trade sees it.
//!
//! Main type: [`Store`], of which there are two: the host's memory, whose searchers may run meanwhile ([`Live`]), and a
//! device's, whose searchers are between two launches ([`Paused`]). A nogood passes as words: the number of its literals,
//! the two words of its origin, and the literals.

use super::message::each_nogood;
use super::shared::Shared;
use bytemuck::Pod;
use solver_gpu::hash::{add_hashes, mix};
use solver_gpu::layout::{
    pool_word, slot_words, width_of, Hub, Origin, Swarm, CLASSES, CLASS_SLOTS, CUBE_WORDS, QUEUE, SLOT_HEADER,
};
use solver_gpu::swarm::{pool, queue};
use solver_gpu::{Array, Lit};
use std::sync::Arc;
use yasmin_device::{DeviceError, Executor};

/// The most nogoods of one class that pass at a time.
const NOGOODS: u32 = 1024;

/// The words of a nogood before its literals: their number, and its origin.
const HEADER: usize = SLOT_HEADER as usize;

/// The ticket up to which the nogoods of each class have passed.
pub type Seen = [u32; CLASSES as usize];

/// See the module's documentation.
pub trait Store {
    /// The sizes and numbers of the swarm.
    fn view(&self) -> &Swarm;

    /// The shared words.
    fn hub(&self) -> &Hub;

    /// Takes the oldest cube that waits, if there is one. It stays open.
    fn take_cube(&mut self) -> Result<Option<Vec<u32>>, DeviceError>;

    /// Lets a cube wait, and counts it as open. Returns false if there is no room.
    fn put_cube(&mut self, cube: &[u32]) -> Result<bool, DeviceError>;

    /// The bound of the goal, if there is one.
    fn bound(&mut self) -> Result<Option<Vec<i64>>, DeviceError>;

    /// Lowers the bound of the goal to this one, unless it is as low already.
    fn lower_bound(&mut self, most: &[i64]) -> Result<(), DeviceError>;

    /// The items of the goal that are known, as bits.
    fn known(&mut self) -> Result<Vec<u32>, DeviceError>;

    /// Adds items of the goal that are known.
    fn add_known(&mut self, known: &[u32]) -> Result<(), DeviceError>;

    /// The variables whose assumptions refutations need, as bits (see [`Swarm::core`]).
    fn core(&mut self) -> Result<Vec<u32>, DeviceError>;

    /// Adds variables whose assumptions refutations need.
    fn add_core(&mut self, core: &[u32]) -> Result<(), DeviceError>;

    /// The nogoods in the pool that are newer than `seen` says, but for those of searchers that `is_away` names.
    fn nogoods(&mut self, seen: &mut Seen, is_away: &dyn Fn(u32) -> bool) -> Result<Vec<u32>, DeviceError>;

    /// Adds nogoods to the pool, of searchers that are elsewhere. `seen` then says that they have passed.
    fn add_nogoods(&mut self, nogoods: &[u32], seen: &mut Seen) -> Result<(), DeviceError>;
}

/// Whether a bound is lower than another one, compared from the first number on. No bound at all is the highest.
pub fn is_lower(bound: &[i64], than: Option<&Vec<i64>>) -> bool {
    than.is_none_or(|than| bound < &than[..])
}

/// The origin in the header of a nogood.
pub fn origin_of(nogood: &[u32]) -> Origin {
    Origin::of_words([nogood[1], nogood[2]])
}

/// The host's memory. Other threads may change it at any time.
pub struct Live(pub Arc<Shared>);

impl Store for Live {
    fn view(&self) -> &Swarm {
        &self.0.view
    }

    fn hub(&self) -> &Hub {
        self.0.hub()
    }

    fn take_cube(&mut self) -> Result<Option<Vec<u32>>, DeviceError> {
        let mut cube = [0; CUBE_WORDS as usize];
        let len = queue::take(&self.0.view, |i, lit| cube[i as usize] = lit.0);
        Ok(len.map(|len| cube[..len as usize].to_vec()))
    }

    fn put_cube(&mut self, cube: &[u32]) -> Result<bool, DeviceError> {
        Ok(queue::give(&self.0.view, cube.len() as u32, |i| Lit(cube[i as usize])))
    }

    fn bound(&mut self) -> Result<Option<Vec<i64>>, DeviceError> {
        Ok(self.0.bound())
    }

    fn lower_bound(&mut self, most: &[i64]) -> Result<(), DeviceError> {
        self.0.lower_bound(most);
        Ok(())
    }

    fn known(&mut self) -> Result<Vec<u32>, DeviceError> {
        Ok(self.0.known())
    }

    fn add_known(&mut self, known: &[u32]) -> Result<(), DeviceError> {
        let mut gains = false;
        for (i, &word) in known.iter().enumerate() {
            gains |= self.0.view.known.get(i).fetch_or(word) & word != word;
        }
        if gains {
            self.hub().bound_version.fetch_add(2);
        }
        Ok(())
    }

    fn core(&mut self) -> Result<Vec<u32>, DeviceError> {
        let core = self.0.view.core;
        Ok((0..core.len()).map(|i| core.get(i).load_relaxed()).collect())
    }

    fn add_core(&mut self, core: &[u32]) -> Result<(), DeviceError> {
        for (i, &word) in core.iter().enumerate() {
            self.0.view.core.get(i).fetch_or(word);
        }
        Ok(())
    }

    fn nogoods(&mut self, seen: &mut Seen, is_away: &dyn Fn(u32) -> bool) -> Result<Vec<u32>, DeviceError> {
        let mut nogoods = Vec::new();
        for class in 0..CLASSES {
            let seen = &mut seen[class as usize];
            let end = pool::end(&self.0.view, class);
            let new = end.wrapping_sub(*seen).min(NOGOODS);
            *seen = end;
            let mut lits = vec![0; width_of(class) as usize];
            for i in 0..new {
                let ticket = end.wrapping_sub(new).wrapping_add(i);
                let to = |i: u32, lit: Lit| lits[i as usize] = lit.0;
                if let Some((len, origin)) = pool::copy(&self.0.view, class, ticket, is_away, to) {
                    nogoods.extend(pool::header(len, origin));
                    nogoods.extend_from_slice(&lits[..len as usize]);
                }
            }
        }
        Ok(nogoods)
    }

    fn add_nogoods(&mut self, nogoods: &[u32], _seen: &mut Seen) -> Result<(), DeviceError> {
        for nogood in each_nogood(nogoods) {
            let (origin, lits) = (origin_of(nogood), &nogood[HEADER..]);
            let hash = lits.iter().map(|&lit| mix(lit as u64)).fold(0, add_hashes);
            pool::offer(&self.0.view, origin, lits.len() as u32, hash, |i| Lit(lits[i as usize]));
        }
        Ok(())
    }
}

/// A device's memory between two launches: a copy of its words, which the caller writes back, and its arrays.
pub struct Paused<'a> {
    pub executor: &'a mut dyn Executor,
    pub view: &'a Swarm,
    pub hub: &'a Hub,
}

impl Paused<'_> {
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
}

/// Cuts a pool's tickets `from .. from + len` where the ring begins anew. Each piece is a first slot and a number of
/// slots.
fn pieces(from: u32, len: u32) -> impl Iterator<Item = (u32, u32)> {
    let slot = from % CLASS_SLOTS;
    let before = len.min(CLASS_SLOTS - slot);
    [(slot, before), (0, len - before)].into_iter().filter(|&(_, len)| len > 0)
}

impl Store for Paused<'_> {
    fn view(&self) -> &Swarm {
        self.view
    }

    fn hub(&self) -> &Hub {
        self.hub
    }

    fn take_cube(&mut self) -> Result<Option<Vec<u32>>, DeviceError> {
        if queue::waiting_in(self.hub) == 0 {
            return Ok(None);
        }
        let ticket = self.hub.head.load_relaxed();
        let (slot, empty) = queue::place_of(ticket);
        let mut row: Vec<u32> =
            self.read(self.view.cubes, (slot * CUBE_WORDS) as usize, CUBE_WORDS as usize)?;
        self.write(self.view.cube_lap, slot as usize, &[empty.wrapping_add(QUEUE as u32)])?;
        self.hub.head.store_relaxed(ticket.wrapping_add(1));
        row.truncate(1 + row[0] as usize);
        Ok(Some(row.split_off(1)))
    }

    fn put_cube(&mut self, cube: &[u32]) -> Result<bool, DeviceError> {
        if queue::waiting_in(self.hub) == QUEUE as u32 {
            return Ok(false);
        }
        let ticket = self.hub.tail.load_relaxed();
        let (slot, empty) = queue::place_of(ticket);
        let row: Vec<u32> = std::iter::once(cube.len() as u32).chain(cube.iter().copied()).collect();
        self.write(self.view.cubes, (slot * CUBE_WORDS) as usize, &row)?;
        self.write(self.view.cube_lap, slot as usize, &[empty.wrapping_add(1)])?;
        self.hub.tail.store_relaxed(ticket.wrapping_add(1));
        self.hub.open.fetch_add(1);
        Ok(true)
    }

    fn bound(&mut self) -> Result<Option<Vec<i64>>, DeviceError> {
        if self.hub.bound_version.load_relaxed() == 0 {
            return Ok(None);
        }
        let words: Vec<u32> = self.read(self.view.bound, 0, self.view.bound.len())?;
        Ok(Some(words.chunks(2).map(|half| ((half[1] as u64) << 32 | half[0] as u64) as i64).collect()))
    }

    fn lower_bound(&mut self, most: &[i64]) -> Result<(), DeviceError> {
        if is_lower(most, self.bound()?.as_ref()) {
            let words: Vec<u32> = most.iter().flat_map(|&most| [most as u32, (most >> 32) as u32]).collect();
            self.write(self.view.bound, 0, &words)?;
            self.hub.bound_version.fetch_add(2);
        }
        Ok(())
    }

    fn known(&mut self) -> Result<Vec<u32>, DeviceError> {
        self.read(self.view.known, 0, self.view.known.len())
    }

    fn add_known(&mut self, known: &[u32]) -> Result<(), DeviceError> {
        let had = self.known()?;
        let both: Vec<u32> = had.iter().zip(known).map(|(a, b)| a | b).collect();
        if both != had {
            self.write(self.view.known, 0, &both)?;
            self.hub.bound_version.fetch_add(2);
        }
        Ok(())
    }

    fn core(&mut self) -> Result<Vec<u32>, DeviceError> {
        self.read(self.view.core, 0, self.view.core.len())
    }

    fn add_core(&mut self, core: &[u32]) -> Result<(), DeviceError> {
        let both: Vec<u32> = self.core()?.iter().zip(core).map(|(a, b)| a | b).collect();
        self.write(self.view.core, 0, &both)
    }

    fn nogoods(&mut self, seen: &mut Seen, is_away: &dyn Fn(u32) -> bool) -> Result<Vec<u32>, DeviceError> {
        let ends: Vec<u32> = self.read(self.view.pool_end, 0, CLASSES as usize)?;
        let mut nogoods = Vec::new();
        for class in 0..CLASSES {
            let (end, seen) = (ends[class as usize], &mut seen[class as usize]);
            let new = end.wrapping_sub(*seen).min(NOGOODS);
            *seen = end;
            let mut ticket = end.wrapping_sub(new);
            let words = slot_words(class) as usize;
            for (slot, len) in pieces(ticket, new) {
                let from = (class * CLASS_SLOTS + slot) as usize;
                let versions: Vec<u32> = self.read(self.view.pool_version, from, len as usize)?;
                let from = pool_word(class, slot) as usize;
                let rows: Vec<u32> = self.read(self.view.pool_words, from, len as usize * words)?;
                for (row, version) in rows.chunks(words).zip(versions) {
                    let is_whole = version == pool::version_of(ticket) && row[0] <= width_of(class);
                    if is_whole && !is_away(origin_of(row).searcher()) {
                        nogoods.extend_from_slice(&row[..HEADER + row[0] as usize]);
                    }
                    ticket = ticket.wrapping_add(1);
                }
            }
        }
        Ok(nogoods)
    }

    fn add_nogoods(&mut self, nogoods: &[u32], seen: &mut Seen) -> Result<(), DeviceError> {
        if nogoods.is_empty() {
            return Ok(());
        }
        let mut ends: Vec<u32> = self.read(self.view.pool_end, 0, CLASSES as usize)?;
        for class in 0..CLASSES {
            let words = slot_words(class) as usize;
            let mut rows = Vec::new();
            for nogood in
                each_nogood(nogoods).filter(|nogood| solver_gpu::layout::class_of(nogood[0]) == class)
            {
                let end = rows.len() + words;
                rows.extend_from_slice(nogood);
                rows.resize(end, 0);
            }
            let len = ((rows.len() / words) as u32).min(CLASS_SLOTS);
            let (mut ticket, mut at) = (ends[class as usize], 0);
            for (slot, len) in pieces(ticket, len) {
                let more = len as usize * words;
                self.write(self.view.pool_words, pool_word(class, slot) as usize, &rows[at..at + more])?;
                let versions: Vec<u32> = (0..len).map(|i| pool::version_of(ticket.wrapping_add(i))).collect();
                let from = (class * CLASS_SLOTS + slot) as usize;
                self.write(self.view.pool_version, from, &versions)?;
                at += more;
                ticket = ticket.wrapping_add(len);
            }
            ends[class as usize] = ticket;
            seen[class as usize] = ticket;
        }
        self.write(self.view.pool_end, 0, &ends)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_is_cut_where_it_begins_anew() {
        let all = |from, len| pieces(from, len).collect::<Vec<_>>();
        assert_eq!(all(CLASS_SLOTS - 2, 5), [(CLASS_SLOTS - 2, 2), (0, 3)]);
        assert_eq!(all(3 * CLASS_SLOTS + 1, 5), [(1, 5)]);
        assert_eq!(all(u32::MAX, 2), [(CLASS_SLOTS - 1, 1), (0, 1)]);
        assert_eq!(all(7, 0), []);
    }
}
