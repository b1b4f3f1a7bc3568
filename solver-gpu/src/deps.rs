//! Dependency bitmaps: bit `i` of a literal's row says that its assignment depends on the decision of level `i + 2`
//! (paper, section 4.2, with one bit less: level 1 takes no decision and has none).
//!
//! Invariant: a row is written when its variable is committed, in full up to the words of its own level, and read only
//! so far. Words beyond may hold anything, so that nothing has to be cleared on a backjump.

use crate::assign::level_of;
use crate::explanation::Explanation;
use crate::Lit;
use crate::{Own, Problem};

/// Words that a literal of this level needs: levels 2..=33 share the first one, level 1 needs none.
#[inline(always)]
pub const fn words_of(level: u32) -> u32 {
    (level + 30) / 32
}

/// Word `w` of the row of `lit`, which is assigned; 0 beyond its level.
#[inline(always)]
pub fn word_of(own: &Own, lit: Lit, w: u32) -> u32 {
    if w < words_of(level_of(own, lit)) {
        own.deps.read(row(own, lit) + w as usize)
    } else {
        0
    }
}

/// Where the row of `lit` begins.
#[inline(always)]
pub fn row(own: &Own, lit: Lit) -> usize {
    lit.var().0 as usize * own.deps_words as usize
}

/// Word `w` of the set of all decisions of levels `2 ..= level`.
#[inline(always)]
pub const fn all_decisions(level: u32, w: u32) -> u32 {
    let bits = level - 1;
    if (w + 1) * 32 <= bits {
        u32::MAX
    } else {
        (1u32 << (bits - w * 32)) - 1
    }
}

/// Word `w` of the disjunction over the literals at indices `from`, `from + step`, ... of `reason`, leaving out the variable of `skip`
/// (paper, `mk_dl_bitmap`).
#[inline(always)]
pub fn collect(
    problem: &Problem,
    own: &Own,
    reason: Explanation,
    skip: Lit,
    w: u32,
    from: u32,
    step: u32,
) -> u32 {
    let mut word = 0;
    let mut i = from;
    while i < reason.len {
        let lit = reason.lit(problem, own, i);
        if lit != Lit::TRUE && lit.var() != skip.var() {
            word |= word_of(own, lit, w);
        }
        i += step;
    }
    word
}
