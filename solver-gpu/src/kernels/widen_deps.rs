//! Copies the dependency bitmaps to wider rows, so that decision levels have no cap.

use crate::threads::stride::{over_lanes, over_warps};
use crate::{Launch, Own, Problem};
use cuda_std::prelude::*;

/// # Inputs
/// `narrow_deps`, whose rows have `argument` words.
/// # Writes
/// `deps`.
/// # Thread mapping
/// One warp a row, strided; one lane a word.
/// # Synchronisation
/// None.
/// # Safety
/// `s` must describe valid memory that nobody else uses during the launch.
/// # Deterministic
/// Yes.
#[kernel]
pub unsafe fn widen_deps(problem: Problem, own: Own, launch: Launch) {
    run(&problem, &own, &launch)
}

/// The kernel as a plain function.
#[inline(always)]
pub fn run(problem: &Problem, own: &Own, launch: &Launch) {
    let narrow = launch.argument;
    for p in over_warps(launch, 0, problem.vars) {
        for w in over_lanes(0, narrow) {
            let word = launch.narrow_deps.read(p as usize * narrow as usize + w as usize);
            own.deps.write(p as usize * own.deps_words as usize + w as usize, word);
        }
    }
}
