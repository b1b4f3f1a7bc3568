//! Dependency bitmaps: bit `i` of a literal's row says that its assignment depends on the decision of level
//! `i + 2` (paper, section 4.2). The paper has one more bit, for level 1, which has no decision.
//!
//! `commit` writes the rows with [`collect`], and forward learning reads them.
//!
//! Invariant: a row is written when its variable is committed, in full up to the words of the variable's
//! level. No code reads further words, so a backjump need not clear them.

use crate::assign::level_of;
use crate::explanation::Explanation;
use crate::layout::Level;
use crate::Lit;
use crate::{Own, Problem};

/// Returns the number of 32-bit words that a literal of level `level` needs. Levels `2 ..= 33` share the
/// first word, and level 1 needs none.
#[cuda_std::inlined]
pub const fn words_of(level: Level) -> u32 {
    (level.0 + 30) / 32
}

/// Returns word `w` of the row of `lit`, which must be assigned; 0 if `w` is past the words of the literal's
/// level.
#[cuda_std::inlined]
pub fn word_of(own: &Own, lit: Lit, w: u32) -> u32 {
    if w < words_of(level_of(own, lit)) {
        own.deps.read(row(own, lit) + w as usize)
    } else {
        0
    }
}

/// Returns the index in `deps` at which the row of `lit` begins.
#[cuda_std::inlined]
pub fn row(own: &Own, lit: Lit) -> usize {
    lit.var().0 as usize * own.deps_words as usize
}

/// Returns word `w` of the set of all decisions of the levels `2 ..= level`. The word must be one of
/// `words_of(level)` words.
#[cuda_std::inlined]
pub const fn all_decisions(level: Level, w: u32) -> u32 {
    let bits = level.0 - 1;
    if (w + 1) * 32 <= bits {
        u32::MAX
    } else {
        (1u32 << (bits - w * 32)) - 1
    }
}

/// Returns word `w` of the union of the rows of the literals with indices `from`, `from + step`, ... of
/// `reason`, without the variable of `skip` (paper, `mk_dl_bitmap`). Each thread calls this for itself.
#[cuda_std::inlined]
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
