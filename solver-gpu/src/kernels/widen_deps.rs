//! Copies the dependency bitmaps to wider rows, so that decision levels have no cap.
//!
//! The main function is [`run`]. The host launches the kernel when the search needs a level that the bitmaps
//! have no word for.
//!
//! Invariant: a row's words keep their values and their numbers.

use crate::threads::stride::{over_lanes, over_warps};
use crate::threads::token::WholeBlock;
use crate::Search;
use cuda_std::prelude::*;

/// Copies each row of `narrow_deps` to the beginning of the variable's row of `deps`.
///
/// # Inputs
/// `narrow_deps`, whose rows have `argument` words.
/// # Writes
/// `deps`.
/// # Thread mapping
/// One warp for each row, strided; one lane for each word.
/// # Synchronisation
/// None.
/// # Safety
/// `s` must describe valid memory that nobody else uses during the launch.
/// # Deterministic
/// Yes.
#[kernel]
pub unsafe fn widen_deps(s: Search) {
    // SAFETY: the kernel's entry.
    run(unsafe { &mut WholeBlock::at_entry() }, &s)
}

/// The kernel as a plain function. All blocks of the grid call this.
#[cuda_std::inlined]
pub fn run(block: &mut WholeBlock, s: &Search) {
    let narrow = s.launch.argument;
    for p in over_warps(&s.launch, 0, s.problem.vars) {
        for w in over_lanes(block.warp(), 0, narrow) {
            let word = s.launch.narrow_deps.read(p as usize * narrow as usize + w as usize);
            s.own.deps.write(p as usize * s.own.deps_words as usize + w as usize, word);
        }
    }
}
