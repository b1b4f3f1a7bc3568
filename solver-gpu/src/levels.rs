//! Sets of decision levels, in shared memory if they find room.
//!
//! Main type: [`Levels`]. Learning uses a set to count the levels of a nogood's literals (its LBD).

use crate::assign::level_of;
use crate::deps::words_of;
use crate::explanation::Explanation;
use crate::threads::block::block_reduce;
use crate::threads::scratch::Bits;
use crate::threads::stride::{over_block, over_lanes};
use crate::threads::warp::sync_warp;
use crate::{Lit, Search};
use cuda_std::atomic::SearchU32;

/// A set of decision levels: bits in the block's table if they find room there, else in a slot's row of `slot_deps`.
pub struct Levels<'a> {
    s: &'a Search,
    /// The block's table, if the set is there.
    bits: Bits,
    /// The word of the table at which the set begins.
    behind: u32,
    /// Where the slot's row of `slot_deps` begins, if the set is there.
    row: usize,
    words: u32,
}

impl<'a> Levels<'a> {
    /// An empty set of levels up to the current one. The set begins after `behind` words of the table, which are zeroed as
    /// well. Called by all threads of the block, which have to synchronise afterwards. Nobody may use the table for anything
    /// else while the set is in use.
    #[inline(always)]
    pub fn none(s: &'a Search, slot: u32, behind: u32) -> Self {
        let (words, row) = (words_of(s.own.level()), slot as usize * s.own.deps_words as usize);
        let bits = Bits::zero((behind + words) * 32);
        let levels = Levels { s, bits, behind, row, words };
        if !bits.are_there {
            over_block(0, words).for_each(|w| levels.word(w).store(0));
        }
        levels
    }

    /// The block's table, which has the set if there is room.
    #[inline(always)]
    pub fn table(&self) -> Bits {
        self.bits
    }

    #[inline(always)]
    fn word(&self, w: u32) -> &SearchU32 {
        match self.bits.are_there {
            true => self.bits.word(self.behind + w),
            false => self.s.own.slot_deps.atomic(self.row + w as usize),
        }
    }

    /// Adds a level above 1. Returns whether the level is new.
    #[inline(always)]
    pub fn add(&self, level: u32) -> bool {
        let (w, bit) = ((level - 2) / 32, (level - 2) % 32);
        // Most levels are in the set already, and a load is cheaper than an atomic.
        let is_there = |word: u32| word >> bit & 1 == 1;
        !is_there(self.word(w).load()) && !is_there(self.word(w).or(1 << bit))
    }

    /// Empties the set, which has no levels but those of `nogood`'s literals. Called by all lanes of the first warp.
    #[inline(always)]
    pub fn forget(&self, nogood: Explanation) {
        let forget = |w: u32| self.word(w).store(0);
        // All lanes have added their levels, and none adds more before the set is empty.
        sync_warp();
        if self.words <= nogood.len {
            over_lanes(0, self.words).for_each(forget);
        } else {
            for i in over_lanes(0, nogood.len) {
                let lit = nogood.lit(&self.s.problem, &self.s.own, i);
                let level = if lit == Lit::TRUE { 0 } else { level_of(&self.s.own, lit) };
                if level > 1 {
                    forget((level - 2) / 32);
                }
            }
        }
        sync_warp();
    }

    /// How many levels the set has. Called by all threads of the block after a barrier; all of them get the number.
    #[inline(always)]
    pub fn count(&self) -> u32 {
        let mut count = 0;
        for w in over_block(0, self.words) {
            count += self.word(w).now().count_ones();
        }
        block_reduce(count as u64, 0, u64::wrapping_add) as u32
    }
}
