//! Which of the violated nogoods a block learns from: shortest first.

use crate::assign::level_of;
use crate::atomics::Atomics;
use crate::block::{block_max, block_reduce, sync_warp, warp_sum, Bits};
use crate::deps::words_of;
use crate::layout::{Explanation, MAX_CONFLICTS, MAX_NOGOODS, NONE};
use crate::stride::{over_block, over_blocks, over_lanes};
use crate::{Lit, Search};
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use cuda_std::thread;

/// Learned nogoods of at most so many levels are kept whatever happens.
pub const GLUE: u32 = 2;

/// The conflict that has rank `slot` by length, then id: [`NONE`] if there are not so many. Called by all threads of a
/// block, at the same place.
#[inline(always)]
fn select(s: &Search, slot: u32) -> u32 {
    let n = s.state().conflicts.now().min(MAX_CONFLICTS);
    if n == 1 {
        return if slot == 0 { s.conflict.read(0u32) } else { NONE };
    }
    // Those with keys below this come before.
    let (mut from, mut found) = (0, u64::MAX);
    for _ in 0..=slot {
        let mut least = u64::MAX;
        for i in over_block(0, n) {
            let key = key(s, i);
            if key >= from {
                least = least.min(key);
            }
        }
        found = !block_max(s, !least);
        from = found.saturating_add(1);
    }
    // An id is below 2^31, so no key is the maximum, whose low half is `NONE`.
    found as u32
}

/// Who learns into a slot.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Learner {
    /// Even slots, if both learn.
    Forward,
    /// Odd ones.
    Resolution,
}

/// Calls `learn` with each slot of the learner, the nogood to learn from in it and its id, one block a slot; in slots without one nothing is
/// learned.
#[inline(always)]
pub fn for_each_slot(s: &Search, learner: Learner, learn: impl Fn(u32, Explanation, u32)) {
    let both = s.track_deps & s.resolves;
    for slot in over_blocks(s, 0, s.slots) {
        if both == 1 && (slot % 2 == 0) != (learner == Learner::Forward) {
            continue;
        }
        match select(s, slot >> both) {
            NONE => Learned::NOTHING.write(s, slot),
            id => {
                if thread::thread_idx_x() == 0 {
                    took_part(s, id);
                }
                learn(slot, s.explanation_by_warp(id, s.state().committed.now(), Lit::TRUE), id)
            }
        }
    }
}

/// A set of decision levels: bits in the block's table if there are enough, else in a slot's row of `slot_deps`.
pub struct Levels<'a> {
    s: &'a Search,
    /// In the table, if they are there,
    bits: Bits,
    /// from this word on;
    behind: u32,
    /// else where the row begins.
    row: usize,
    words: u32,
}

impl<'a> Levels<'a> {
    /// None yet, of levels up to the current one, behind so many words of the table that are zeroed as well. Called by all threads of the
    /// block, which have to synchronise afterwards; nobody may use the table otherwise until the set is done with.
    #[inline(always)]
    pub fn none(s: &'a Search, slot: u32, behind: u32) -> Self {
        let (words, row) = (words_of(s.level()), slot as usize * s.deps_words as usize);
        let bits = Bits::zero((behind + words) * 32);
        let levels = Levels { s, bits, behind, row, words };
        if !bits.are_there {
            over_block(0, words).for_each(|w| levels.word(w).store(0, Relaxed));
        }
        levels
    }

    /// The table, if the set is there.
    #[inline(always)]
    pub fn table(&self) -> Bits {
        self.bits
    }

    #[inline(always)]
    fn word(&self, w: u32) -> &AtomicU32 {
        match self.bits.are_there {
            true => self.bits.word(self.behind + w),
            false => self.s.slot_deps.atomic(self.row + w as usize),
        }
    }

    /// Adds a level above 1; whether it is new.
    #[inline(always)]
    pub fn add(&self, level: u32) -> bool {
        let (w, bit) = ((level - 2) / 32, (level - 2) % 32);
        // Mostly it is not, and looking is cheaper than an atomic.
        let is_there = |word: u32| word >> bit & 1 == 1;
        !is_there(self.word(w).load(Relaxed)) && !is_there(self.word(w).or(1 << bit))
    }

    /// Takes out all, of which there are none but those of `nogood`. Called by all lanes of the first warp.
    #[inline(always)]
    pub fn forget(&self, nogood: Explanation) {
        let forget = |w: u32| self.word(w).store(0, Relaxed);
        // All lanes have added theirs, and none adds more before all are out.
        sync_warp();
        if self.words <= nogood.len {
            over_lanes(0, self.words).for_each(forget);
        } else {
            for i in over_lanes(0, nogood.len) {
                let lit = nogood.lit(self.s, i);
                let level = if lit == Lit::TRUE { 0 } else { level_of(self.s, lit) };
                if level > 1 {
                    forget((level - 2) / 32);
                }
            }
        }
        sync_warp();
    }

    /// How many there are. Called by all threads of the block, behind a barrier; all of them get the number.
    #[inline(always)]
    pub fn count(&self) -> u32 {
        let mut count = 0;
        for w in over_block(0, self.words) {
            count += self.word(w).now().count_ones();
        }
        block_reduce(count as u64, 0, u64::wrapping_add) as u32
    }
}

/// What a learning kernel says of the nogood in a slot.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Learned {
    /// Its length; [`NONE`]: nothing was learned.
    pub len: u32,
    /// The highest decision level in it, or 1.
    pub top: u32,
    /// The second highest, or 1.
    pub second: u32,
    /// How many levels its literals are of.
    pub lbd: u32,
    /// A hash of the set of its literals.
    pub hash: u64,
}

// SAFETY: words, and nothing between them.
unsafe impl bytemuck::Zeroable for Learned {}
// SAFETY: as above.
unsafe impl bytemuck::Pod for Learned {}

impl Learned {
    /// Of a slot without a nogood.
    pub const NOTHING: Learned = Learned { len: NONE, top: 0, second: 0, lbd: 0, hash: 0 };

    /// Writes it, by the block's first thread.
    #[inline(always)]
    pub fn write(self, s: &Search, slot: u32) {
        if thread::thread_idx_x() == 0 {
            s.slot.write(slot, self);
        }
    }
}

/// Length, then id. Of a sum the length is that of all its items.
#[inline(always)]
fn key(s: &Search, i: u32) -> u64 {
    let id = s.conflict.read(i);
    (s.length(id) as u64) << 32 | id as u64
}

/// Notes that nogood `id` took part in learning, if it is a learned one. By one thread for each time.
#[inline(always)]
pub fn took_part(s: &Search, id: u32) {
    if id >= s.nogoods && id < MAX_NOGOODS {
        s.learned_activity.atomic(id - s.nogoods).add(1);
    }
}

/// Whether it is worth while to see if the literals of nogood `id` are of fewer levels now: it is a learned one that may be deleted.
#[inline(always)]
pub fn may_improve(s: &Search, id: u32) -> bool {
    id >= s.nogoods && id < MAX_NOGOODS && s.learned_lbd.atomic(id - s.nogoods).shared(s) > GLUE
}

/// Notes that the literals of learned nogood `id` are of so many levels now.
#[inline(always)]
pub fn improved(s: &Search, id: u32, levels: u32) {
    s.learned_lbd.atomic(id - s.nogoods).min(levels);
}

/// Adds a bump to the activity of variable `p`, if activities are kept.
#[inline(always)]
pub fn bump(s: &Search, p: u32) {
    if s.track_activity == 1 {
        s.rank.atomic(p).add(s.state().bump.now());
    }
}

/// The hash of two sets together, from theirs: the low and the high halves add up, each by itself.
#[inline(always)]
pub fn add_hashes(a: u64, b: u64) -> u64 {
    let high = ((a >> 32) as u32).wrapping_add((b >> 32) as u32);
    (high as u64) << 32 | (a as u32).wrapping_add(b as u32) as u64
}

/// The hash of the sets of all lanes of a warp together, for all of them.
#[inline(always)]
pub fn warp_hash(hash: u64) -> u64 {
    (warp_sum((hash >> 32) as u32) as u64) << 32 | warp_sum(hash as u32) as u64
}

/// A well-mixed word from `x`, for order-independent hashes by addition (the finaliser of SplitMix64, Steele et al. 2014).
#[inline(always)]
pub const fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
