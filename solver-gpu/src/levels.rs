//! Sets of decision levels, in shared memory if they fit.
//!
//! Learning by resolution and the stability check count the levels of nogoods (the LBD) with a [`Levels`].
//!
//! Invariant: a block has at most one set at a time, because the set may lie in the block's table (see
//! [`crate::threads::scratch`]).

use crate::assign::level_of;
use crate::deps::words_of;
use crate::explanation::Explanation;
use crate::layout::Level;
use crate::threads::block::block_reduce;
use crate::threads::scratch::Bits;
use crate::threads::stride::{over_block, over_lanes, Stride};
use crate::threads::token::{WholeBlock, WholeWarp};
use crate::threads::warp::sync_warp;
use crate::{Lit, Search};
use cuda_std::atomic::SearchU32;

/// A set of decision levels: a bitmap in the block's table if the table is large enough, else in a slot's row
/// of `slot_deps`.
pub struct Levels<'a> {
    /// The search.
    s: &'a Search,
    /// The bitmap in the table, if the table is large enough.
    bits: Bits,
    /// The first word of the set in the table.
    first: u32,
    /// The first word of the slot's row in `slot_deps`.
    row: usize,
    /// The number of words of the set.
    words: u32,
}

impl<'a> Levels<'a> {
    /// Returns an empty set for levels up to the current level.
    ///
    /// `slot` is the slot whose row of `slot_deps` holds the set if the table is too small. `first` is the
    /// number of words of the table that come before the set; they are zeroed too and belong to the caller.
    /// The block must synchronise afterwards. No other code may use the table while the set is in use.
    #[cuda_std::inlined]
    pub fn none(block: &mut WholeBlock, s: &'a Search, slot: u32, first: u32) -> Self {
        let (words, row) = (words_of(s.own.level()), slot as usize * s.own.deps_words as usize);
        let bits = Bits::zero(block, (first + words) * 32);
        let levels = Levels { s, bits, first, row, words };
        if !bits.are_there {
            levels.clear_by_block(block);
        }
        levels
    }

    /// The bitmap in the table that holds the caller's words and the set. `are_there` is false if the table
    /// is too small.
    #[cuda_std::inlined]
    pub fn table(&self) -> Bits {
        self.bits
    }

    /// Word `w` of the set, from 0.
    #[cuda_std::inlined]
    fn word(&self, w: u32) -> &SearchU32 {
        match self.bits.are_there {
            true => self.bits.word(self.first + w),
            false => self.s.own.slot_deps.atomic(self.row + w as usize),
        }
    }

    /// Adds decision level `level`, which must be above the first, and returns whether it is new. Any thread
    /// may call this.
    #[cuda_std::inlined]
    pub fn add(&self, level: Level) -> bool {
        let (w, bit) = level.place();
        // Most levels are in the set already, and a load is cheaper than an atomic.
        let is_there = |word: u32| word >> bit & 1 == 1;
        !is_there(self.word(w).load()) && !is_there(self.word(w).or(1 << bit))
    }

    /// Whether decision level `level`, which must be above the first, is in the set. No other thread may add
    /// levels at the same time.
    #[cuda_std::inlined]
    pub fn has(&self, level: Level) -> bool {
        let (w, bit) = level.place();
        self.word(w).load() >> bit & 1 == 1
    }

    /// Empties the set by all threads of the block. A barrier has to come before and to follow.
    #[cuda_std::inlined]
    pub fn clear_by_block(&self, block: &mut WholeBlock) {
        self.clear(over_block(block, 0, self.words));
    }

    /// Empties the set by all lanes of the first warp, which has to synchronise before and after.
    #[cuda_std::inlined]
    pub fn clear_by_warp(&self, warp: &mut WholeWarp) {
        self.clear(over_lanes(warp, 0, self.words));
    }

    /// Empties the words of the set that fall to this thread.
    #[cuda_std::inlined]
    fn clear(&self, words: Stride) {
        words.for_each(|w| self.word(w).store(0));
    }

    /// Empties the set, which must hold no levels but those of the literals of `nogood`. Called by the first
    /// warp.
    #[cuda_std::inlined]
    pub fn forget(&self, warp: &mut WholeWarp, nogood: Explanation) {
        let forget = |w: u32| self.word(w).store(0);
        // The lanes wait here, so that every level has been added before the first is removed. They wait
        // again at the end, so that no lane adds a level before all are removed.
        sync_warp(warp);
        if self.words <= nogood.len {
            self.clear_by_warp(warp);
        } else {
            for i in over_lanes(warp, 0, nogood.len) {
                let lit = nogood.lit(&self.s.problem, &self.s.own, i);
                let level = if lit == Lit::TRUE { Level::OPEN } else { level_of(&self.s.own, lit) };
                if level > Level::FIRST {
                    forget(level.place().0);
                }
            }
        }
        sync_warp(warp);
    }

    /// Returns the number of levels in the set to every thread. A barrier has to come before.
    #[cuda_std::inlined]
    pub fn count(&self, block: &mut WholeBlock) -> u32 {
        let mut count = 0;
        for w in over_block(block, 0, self.words) {
            count += self.word(w).now().count_ones();
        }
        block_reduce(block, count as u64, 0, u64::wrapping_add) as u32
    }
}
