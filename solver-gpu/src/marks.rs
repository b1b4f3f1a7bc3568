//! Marks of variables, in shared memory if they find room.
//!
//! Main type: [`Marks`], which resolution uses. Invariant: a mark holds for one analysis. Stamps in global
//! memory need no clearing, because the next analysis has another stamp.

use crate::levels::Levels;
use crate::threads::scratch::Bits;
use crate::threads::token::WholeBlock;
use crate::{Search, Var};

/// The bit of a stamp that says: the variable does not follow from the nogood.
const FAILED: u32 = 1 << 31;

/// The last stamp before stamps begin again.
pub const LAST_STAMP: u32 = FAILED - 1;

/// The variables that an analysis has seen.
///
/// If the block's table in shared memory is large enough, the marks are bits in it, which take a tenth of the
/// time to read. Else they are stamps in global memory.
pub struct Marks<'a> {
    /// The search.
    s: &'a Search,
    /// The index at which this slot's row of `mark` begins.
    pub row: usize,
    /// The stamp that means "marked".
    stamp: u32,
    /// The bitmap in the block's table, if there is capacity for it.
    bits: Bits,
}

impl<'a> Marks<'a> {
    /// Returns empty marks and an empty set of levels for slot `slot`. A barrier has to follow.
    #[cuda_std::inlined]
    pub fn none(block: &mut WholeBlock, s: &'a Search, slot: u32) -> (Self, Levels<'a>) {
        let levels = Levels::none(block, s, slot, s.problem.vars.div_ceil(32));
        let bits = if levels.table().are_there { levels.table() } else { Bits::zero(block, s.problem.vars) };
        let row = slot as usize * s.problem.vars as usize;
        (Marks { s, row, stamp: s.own.state().stamp.now(), bits }, levels)
    }

    /// Returns whether variable `var` is marked. The variable must not be marked by another thread at the
    /// same time: a barrier or [`sync_warp`](crate::threads::warp::sync_warp) must lie in between.
    #[cuda_std::inlined]
    pub fn has(&self, var: Var) -> bool {
        match self.bits.are_there {
            true => self.bits.word(var.0 / 32).now() >> (var.0 % 32) & 1 == 1,
            false => self.s.own.mark.atomic(self.row + var.0 as usize).load() == self.stamp,
        }
    }

    /// Returns whether variable `var` is marked. Other threads may mark variables at the same time.
    #[cuda_std::inlined]
    pub fn has_by_now(&self, var: Var) -> bool {
        match self.bits.are_there {
            true => self.bits.word(var.0 / 32).load() >> (var.0 % 32) & 1 == 1,
            false => self.s.own.mark.atomic(self.row + var.0 as usize).load() == self.stamp,
        }
    }

    /// Marks variable `var` if `wanted`. Returns whether `wanted` is set and the variable was not marked
    /// before.
    ///
    /// If `wanted` is not set, the bitmap gets an atomic operation that sets no bit. That is cheaper than a
    /// branch.
    #[cuda_std::inlined]
    pub fn add(&self, wanted: bool, var: Var) -> bool {
        match self.bits.are_there {
            true => {
                let old = self.bits.word(var.0 / 32).or((wanted as u32) << (var.0 % 32));
                wanted && old >> (var.0 % 32) & 1 == 0
            }
            false => {
                wanted && self.s.own.mark.atomic(self.row + var.0 as usize).put(self.stamp) != self.stamp
            }
        }
    }

    /// Notes that variable `var`, which is not marked, does not follow from the nogood. Any thread may call
    /// this.
    #[cuda_std::inlined]
    pub fn fail(&self, var: Var) {
        self.s.own.mark.atomic(self.row + var.0 as usize).store(self.stamp | FAILED);
    }

    /// Whether variable `var` is known not to follow from the nogood. Any thread may call this.
    #[cuda_std::inlined]
    pub fn has_failed(&self, var: Var) -> bool {
        self.s.own.mark.atomic(self.row + var.0 as usize).load() == self.stamp | FAILED
    }
}
