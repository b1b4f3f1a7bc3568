//! Tokens of a whole block and of a whole warp.
//!
//! Main types: [`WholeBlock`] and [`WholeWarp`]. A barrier waits for all threads of the block, and a vote or a
//! shuffle for all lanes of the warp. A function with such an operation therefore takes a *token* as its first
//! argument, and so does a function whose work is shared out among the threads of a block or a warp. Who has
//! the token says that all threads of the block, or all lanes of the warp, make the same call at the same
//! place. A token takes no memory and no instruction.
//!
//! A kernel makes its block's token at its entry, by [`WholeBlock::at_entry`]. There is no other way to get
//! one. Functions pass the token on by `&mut`. The borrow checker then keeps it from code in which threads go
//! separate ways:
//!
//! - A stride borrows the token until its loop ends (see [`over_block`](super::stride::over_block)). The body
//!   of the loop, in which threads make different numbers of passes, has no token.
//! - A closure that one thread calls, or each thread for itself, is an `Fn`. An `Fn` cannot use a token that
//!   it has captured. A closure that all threads call together is an `FnMut`, or gets the token as its
//!   argument.
//! - [`WholeBlock::first_warp`] gives the lanes of the first warp the warp's token. As long as they use it,
//!   nobody has the block's.
//!
//! Types do not see an `if`, a `while` or a `return` whose condition differs from thread to thread: there the
//! token stays in scope. Such code has to make sure that all threads get there, or none. The executor `simt`
//! reports a barrier or a warp operation that some threads miss. Nor do types see other blocks: a function
//! that all blocks of a search have to call says so.
//!
//! The file `barrier.rs` alone calls barriers that take no token. Clippy refuses them elsewhere
//! (`solver-gpu/clippy.toml`). Operations of a warp that take no token are unsafe.
//!
//! Invariant: a thread has one token of its block.

use cuda_std::thread;

/// Says that all threads of the block are here.
///
/// ```
/// # use solver_gpu::threads::{barrier::sync_block, stride::over_block, token::WholeBlock};
/// fn step(block: &mut WholeBlock) {
///     for _ in over_block(block, 0, 100) {}
///     sync_block(block);
/// }
/// ```
///
/// The compiler refuses a barrier in the loop, in which some threads make one pass more than others:
///
/// ```compile_fail,E0499
/// # use solver_gpu::threads::{barrier::sync_block, stride::over_block, token::WholeBlock};
/// fn step(block: &mut WholeBlock) {
///     for _ in over_block(block, 0, 100) {
///         sync_block(block);
///     }
/// }
/// ```
#[derive(Debug)]
pub struct WholeBlock {
    warp: WholeWarp,
}

/// Says that all lanes of the warp are here. The one thread of a block of one thread is a whole warp.
#[derive(Debug)]
pub struct WholeWarp(());

impl WholeBlock {
    /// The token of the calling thread's block.
    ///
    /// # Safety
    /// The call stands at the entry of a kernel, where all threads of the block are, and comes once. The block
    /// is one thread or whole warps.
    #[cuda_std::inlined]
    pub unsafe fn at_entry() -> WholeBlock {
        WholeBlock { warp: WholeWarp(()) }
    }

    /// The token of the calling thread's warp: where the block is whole, so is each warp.
    #[cuda_std::inlined]
    pub fn warp(&mut self) -> &mut WholeWarp {
        &mut self.warp
    }

    /// The token of the warp for the lanes of the block's first warp, and nothing for all other threads.
    #[cuda_std::inlined]
    pub fn first_warp(&mut self) -> Option<&mut WholeWarp> {
        // In a block of one thread the only thread has number 0.
        (thread::thread_idx_x() < 32).then_some(&mut self.warp)
    }
}

const _: () = assert!(size_of::<WholeBlock>() == 0, "a token takes no memory");
