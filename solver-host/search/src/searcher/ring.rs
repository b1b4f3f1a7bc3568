//! Reads what a search has written to its ring (see [`solver_gpu::trace`]), for a trace or a proof.
//!
//! Main functions: [`Memory::drain_ring`] and [`items`]. The words are read in pieces, and a piece may begin
//! or end within the ring at any item.

use super::memory::Memory;
use solver_gpu::layout::{Origin, TraceWords};
use solver_gpu::trace::{item, ring_words, shared_words};
use solver_gpu::Lit;
use std::mem::offset_of;
use yasmin_device::DeviceError;

/// Words of a ring at least: half a MiB.
pub const LEAST_WORDS: usize = 1 << 17;

/// Words of a ring at most, as positions have 32 bits.
const MOST_WORDS: usize = 1 << 30;

/// An item of the ring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A literal joined the trail. The reason is the device's.
    Literal { level: u32, lit: Lit, reason: u32 },
    /// Why a sum forced the next literal, or is violated.
    Because(Vec<Lit>),
    /// A violated nogood, and the length by which learning orders conflicts.
    Conflict { id: u32, length: u32 },
    /// A learned nogood.
    Learned { rank: u32, learner: u32, origin: Origin, levels: u32, lits: Vec<Lit> },
    /// The nogoods and sums by which a learned nogood follows, in the order in which each is unit, the
    /// violated one last: the rank of the conflict, and ids of the device.
    Reasons { rank: u32, ids: Vec<u32> },
    /// The variables of an unfounded set.
    Unfounded(Vec<u32>),
    /// A jump, from a level to another.
    Jump { how: u32, to: u32, flips: bool, restarts: bool },
    /// An answer set.
    Answer,
    /// So many learned nogoods were renumbered.
    Deleted(u32),
    /// Everything under these decisions was reported or is refuted.
    Decisions(Vec<Lit>),
    /// These variables, which are atoms, are unfounded under these decisions.
    Completed(Vec<Lit>, Vec<u32>),
    /// The stamp of the items up to the next stamp.
    Stamp(u64),
    /// So many nogoods of other searchers joined the store. The first of them have these origins.
    Imported(u32, Vec<Origin>),
    /// A cube is refuted, or its answer sets were all reported.
    Refuted(Vec<Lit>),
    /// A cube of so many literals, which has these with those that were flipped in it, was divided by a
    /// decision.
    Divided(u32, Vec<Lit>, Lit),
    /// A nogood of another searcher joined the store.
    Foreign(Origin, Vec<Lit>),
    /// Others are offered these literals of level 1.
    Offered(Vec<Lit>),
    /// A cube of these literals begins, in a mode of the device.
    Begun(u32, Vec<Lit>),
    /// The goal is stricter.
    Goal,
}

/// What was in a ring.
pub struct Drained {
    pub words: Vec<u32>,
    /// The new index of each learned nogood, if some were deleted.
    pub renamed: Vec<u32>,
    /// Whether the goal was made stricter, and is to be read.
    pub is_tightened: bool,
    /// Whether the device has more to write.
    pub is_behind: bool,
}

impl Memory {
    /// Makes room for an empty ring of at least `least` words, to which the search writes what `writes` says,
    /// in a search that has not begun. `imports` says how many nogoods the search imports at most, if it may
    /// become a traced searcher of a swarm. Returns false if the program is too large for a ring.
    ///
    /// # Errors
    /// If the device has too little memory or fails.
    pub fn fit_ring(&mut self, writes: u32, imports: Option<u32>, least: usize) -> Result<bool, DeviceError> {
        let words = self.ring_words(imports, least);
        if words > MOST_WORDS {
            return Ok(false);
        }
        self.reshape(|shape| shape.trace_words = words)?;
        self.search.launch.writes = writes;
        Ok(true)
    }

    /// Reads what is in the ring, and empties it.
    ///
    /// # Errors
    /// If the device fails.
    pub fn drain_ring(&mut self) -> Result<Drained, DeviceError> {
        let (own, mut words) = (self.search.own, [0u32; size_of::<TraceWords>() / 4]);
        self.executor_mut().download(own.trace.address(), bytemuck::bytes_of_mut(&mut words))?;
        let word = |offset: usize| words[offset / 4];
        let begin = word(offset_of!(TraceWords, begin));
        let end = word(offset_of!(TraceWords, end));
        let ring = own.trace_ring;
        let (from, n) = (begin as usize & (ring.len() - 1), end.wrapping_sub(begin) as usize);
        let mut read = vec![0u32; n];
        let first = n.min(ring.len() - from);
        let (head, tail) = read.split_at_mut(first);
        for (piece, address) in [(head, ring.address() + 4 * from as u64), (tail, ring.address())] {
            if !piece.is_empty() {
                self.executor_mut().download(address, bytemuck::cast_slice_mut(piece))?;
            }
        }
        let is_renamed = word(offset_of!(TraceWords, renamed)) == 1;
        let renamed = if is_renamed { self.read(own.renamed, own.renamed.len())? } else { Vec::new() };
        self.write_trace_word(offset_of!(TraceWords, begin), end)?;
        if is_renamed {
            self.write_trace_word(offset_of!(TraceWords, renamed), 0)?;
        }
        let is_tightened = word(offset_of!(TraceWords, tightened)) == 1;
        if is_tightened {
            self.write_trace_word(offset_of!(TraceWords, tightened), 0)?;
        }
        let is_behind = word(offset_of!(TraceWords, behind)) == 1;
        Ok(Drained { words: read, renamed, is_tightened, is_behind })
    }

    /// The nogoods of the search: where they start, and their literals.
    ///
    /// # Errors
    /// If the device fails.
    pub fn nogoods(&mut self) -> Result<(Vec<u32>, Vec<Lit>), DeviceError> {
        let view = self.search.problem;
        if view.nogoods == 0 {
            return Ok((vec![0], Vec::new()));
        }
        let start = self.read(view.nogood_start, view.nogoods as usize + 1)?;
        let lits = self.read(view.nogood_lits, start[view.nogoods as usize] as usize)?;
        Ok((start, lits))
    }

    /// Makes the ring, which is empty, as long as a program with added variables and sums needs.
    ///
    /// # Errors
    /// If the device has too little memory or fails.
    pub fn refit_ring(&mut self, imports: Option<u32>) -> Result<(), DeviceError> {
        let has = self.search.own.trace_ring.len();
        let words = self.ring_words(imports, has);
        match words > has {
            true => self.reshape(|shape| shape.trace_words = words),
            false => Ok(()),
        }
    }

    /// The words of a ring, at least `least`.
    fn ring_words(&self, imports: Option<u32>, least: usize) -> usize {
        let view = self.search.problem;
        let slots = self.search.settings.slots as usize;
        let shared = imports.map_or(0, |most| shared_words(view.vars as usize, most));
        ring_words(view.vars as usize, slots, view.sum_items as usize, shared, least)
    }

    /// Says that nothing of the trail is in the trace.
    ///
    /// # Errors
    /// If the device fails.
    pub fn restart_trace(&mut self) -> Result<(), DeviceError> {
        self.write_trace_word(offset_of!(TraceWords, noted), 0)?;
        self.write_trace_word(offset_of!(TraceWords, conflicts), 0)
    }

    fn write_trace_word(&mut self, offset: usize, word: u32) -> Result<(), DeviceError> {
        let address = self.search.own.trace.address() + offset as u64;
        self.executor_mut().upload(address, bytemuck::bytes_of(&word))
    }
}

/// All items in `words`.
///
/// # Panics
/// If the words are no items: an error in the solver.
pub fn items(words: &[u32]) -> Vec<Item> {
    let mut items = Vec::new();
    let mut rest = Words(words);
    while let [kind, after @ ..] = rest.0 {
        rest.0 = after;
        let item = match *kind {
            item::TRAIL => {
                let [level, n] = rest.take();
                let pairs = rest.many(2 * n).chunks_exact(2);
                items.extend(pairs.map(|pair| Item::Literal { level, lit: Lit(pair[0]), reason: pair[1] }));
                continue;
            }
            item::BECAUSE => Item::Because(rest.lits()),
            item::CONFLICT => {
                let [id, length] = rest.take();
                Item::Conflict { id, length }
            }
            item::LEARNED => {
                let [rank, learner, low, high, levels] = rest.take();
                let origin = Origin::of_words([low, high]);
                Item::Learned { rank, learner, origin, levels, lits: rest.lits() }
            }
            item::REASONS => {
                let [rank, resolved, minimised] = rest.take();
                let resolved = rest.many(resolved);
                let mut by_position: Vec<[u32; 2]> = rest.many(2 * minimised).as_chunks().0.to_vec();
                by_position.sort_unstable();
                let ids = by_position.iter().map(|&[_, id]| id).chain(resolved.iter().rev().copied());
                Item::Reasons { rank, ids: ids.collect() }
            }
            item::UNFOUNDED => Item::Unfounded(rest.list().to_vec()),
            item::JUMP => {
                let [how, _, to, flips, restarts] = rest.take();
                Item::Jump { how, to, flips: flips == 1, restarts: restarts == 1 }
            }
            item::ANSWER => Item::Answer,
            item::DELETED => Item::Deleted(rest.one()),
            item::STAMP => {
                let [low, high] = rest.take();
                Item::Stamp((high as u64) << 32 | low as u64)
            }
            item::IMPORTED => {
                let (n, words) = (rest.one(), rest.list());
                Item::Imported(n, words.as_chunks().0.iter().map(|&words| Origin::of_words(words)).collect())
            }
            item::REFUTED => Item::Refuted(rest.lits()),
            item::DIVIDED => Item::Divided(rest.one(), rest.lits(), Lit(rest.one())),
            item::COMPLETED => Item::Completed(rest.lits(), rest.list().to_vec()),
            item::DECISIONS => Item::Decisions(rest.lits()),
            item::FOREIGN => Item::Foreign(Origin::of_words(rest.take()), rest.lits()),
            item::OFFERED => Item::Offered(rest.lits()),
            item::BEGUN => Item::Begun(rest.one(), rest.lits()),
            item::GOAL => Item::Goal,
            other => unreachable!("no item begins with {other}"),
        };
        items.push(item);
    }
    items
}

/// The words that are not read yet.
struct Words<'a>(&'a [u32]);

impl<'a> Words<'a> {
    fn many(&mut self, n: u32) -> &'a [u32] {
        let (taken, rest) = self.0.split_at(n as usize);
        self.0 = rest;
        taken
    }

    fn take<const N: usize>(&mut self) -> [u32; N] {
        self.many(N as u32).try_into().expect("so many words were taken")
    }

    fn one(&mut self) -> u32 {
        self.many(1)[0]
    }

    /// A number and so many words.
    fn list(&mut self) -> &'a [u32] {
        let n = self.one();
        self.many(n)
    }

    fn lits(&mut self) -> Vec<Lit> {
        self.list().iter().map(|&word| Lit(word)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_read() {
        let words = [
            &[item::TRAIL, 2, 2, 4, 9, 7, 8][..],
            &[item::BECAUSE, 2, 3, Lit::TRUE.0],
            &[item::CONFLICT, 5, 3],
            &[item::REASONS, 0, 2, 2, 11, 10, 8, 13, 7, 12],
            &[item::LEARNED, 0, 1, 5, 2 << 8, 2, 1, 6],
            &[item::UNFOUNDED, 2, 0, 1],
            &[item::JUMP, 0, 5, 2, 0, 1],
            &[item::ANSWER],
            &[item::DELETED, 12],
            &[item::STAMP, 5, 1],
            &[item::COMPLETED, 1, 4, 2, 6, 7],
            &[item::IMPORTED, 3, 2, 7, 3 << 8],
            &[item::REFUTED, 1, 4],
            &[item::DIVIDED, 1, 2, 4, 6, 9],
            &[item::DECISIONS, 1, 9],
            &[item::FOREIGN, 7, 3 << 8, 2, 4, 9],
            &[item::OFFERED, 2, 4, 9],
            &[item::BEGUN, 1, 1, 4],
            &[item::GOAL],
        ]
        .concat();
        let want = [
            Item::Literal { level: 2, lit: Lit(4), reason: 9 },
            Item::Literal { level: 2, lit: Lit(7), reason: 8 },
            Item::Because(vec![Lit(3), Lit::TRUE]),
            Item::Conflict { id: 5, length: 3 },
            Item::Reasons { rank: 0, ids: vec![12, 13, 10, 11] },
            Item::Learned { rank: 0, learner: 1, origin: Origin::new(2, 5), levels: 2, lits: vec![Lit(6)] },
            Item::Unfounded(vec![0, 1]),
            Item::Jump { how: 0, to: 2, flips: false, restarts: true },
            Item::Answer,
            Item::Deleted(12),
            Item::Stamp(5 | 1 << 32),
            Item::Completed(vec![Lit(4)], vec![6, 7]),
            Item::Imported(3, vec![Origin::new(3, 7)]),
            Item::Refuted(vec![Lit(4)]),
            Item::Divided(1, vec![Lit(4), Lit(6)], Lit(9)),
            Item::Decisions(vec![Lit(9)]),
            Item::Foreign(Origin::new(3, 7), vec![Lit(4), Lit(9)]),
            Item::Offered(vec![Lit(4), Lit(9)]),
            Item::Begun(1, vec![Lit(4)]),
            Item::Goal,
        ];
        assert_eq!(items(&words), want);
    }
}
