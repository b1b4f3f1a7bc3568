//! Barriers of a block.
//!
//! Main function: [`sync_block`].
//!
//! Invariant: a function that takes a [`WholeBlock`] is called by all threads of the block, at the same place.

#![allow(clippy::disallowed_methods, reason = "the barriers themselves")]

use crate::threads::stride::is_first;
use crate::threads::token::WholeBlock;
use cuda_std::thread;

/// Waits for the other threads of the block. What they wrote before is visible after.
#[cuda_std::inlined]
#[track_caller]
pub fn sync_block(_: &mut WholeBlock) {
    thread::sync_threads();
}

/// Waits for the other threads of the block, and returns whether `predicate` holds in one of them.
#[cuda_std::inlined]
#[track_caller]
pub fn block_any(_: &mut WholeBlock, predicate: bool) -> bool {
    thread::sync_threads_or(predicate as u32) == 1
}

/// Lets the block do a step, with a barrier before and after.
#[cuda_std::inlined]
#[track_caller]
pub fn apart(block: &mut WholeBlock, step: impl FnOnce(&mut WholeBlock)) {
    thread::sync_threads();
    step(block);
    thread::sync_threads_after();
}

/// Lets the block's first thread do a step, with a barrier before and after.
#[cuda_std::inlined]
#[track_caller]
pub fn by_one(_: &mut WholeBlock, step: impl Fn()) {
    thread::sync_threads();
    if is_first() {
        step();
    }
    thread::sync_threads_after();
}
