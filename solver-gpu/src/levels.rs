//! Sets of decision levels, in shared memory if they find room.

use crate::assign::level_of;
use crate::deps::words_of;
use crate::explanation::Explanation;
use crate::threads::block::block_reduce;
use crate::threads::scratch::Bits;
use crate::threads::stride::{over_block, over_lanes};
use crate::threads::warp::sync_warp;
use crate::{Lit, Search};
use cuda_std::atomic::SearchU32;

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
        let (words, row) = (words_of(s.own.level()), slot as usize * s.own.deps_words as usize);
        let bits = Bits::zero((behind + words) * 32);
        let levels = Levels { s, bits, behind, row, words };
        if !bits.are_there {
            over_block(0, words).for_each(|w| levels.word(w).store(0));
        }
        levels
    }

    /// The table, if the set is there.
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

    /// Adds a level above 1; whether it is new.
    #[inline(always)]
    pub fn add(&self, level: u32) -> bool {
        let (w, bit) = ((level - 2) / 32, (level - 2) % 32);
        // Mostly it is not, and looking is cheaper than an atomic.
        let is_there = |word: u32| word >> bit & 1 == 1;
        !is_there(self.word(w).load()) && !is_there(self.word(w).or(1 << bit))
    }

    /// Takes out all, of which there are none but those of `nogood`. Called by all lanes of the first warp.
    #[inline(always)]
    pub fn forget(&self, nogood: Explanation) {
        let forget = |w: u32| self.word(w).store(0);
        // All lanes have added theirs, and none adds more before all are out.
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
