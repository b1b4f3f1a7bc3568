//! Running a function on each thread of a simulated block or grid, with the search for races, for tests.

extern crate std;
use crate::layout::{BlocksDone, Shape, ALIGNMENT};
use crate::threads::scratch::shared_bytes;
use crate::threads::token::WholeBlock;
use crate::Own;
use cuda_std::array::Array;
use cuda_std::host::{simt, Launch, Memory};
use cuda_std::thread;
use std::cell::RefCell;
use std::vec;
use std::vec::Vec;

/// What `does` gives for each of `threads` threads of one block, run in an order that `seed` decides. `does`
/// gets the block's token and the thread's number.
pub fn results<T: Clone + Default>(
    threads: u32,
    seed: u64,
    does: impl Fn(&mut WholeBlock, u32) -> T,
) -> Vec<T> {
    results_of_grid(1, threads, seed, does)
}

/// The same for each thread of a grid of `blocks` blocks. Threads are numbered through all blocks.
pub fn results_of_grid<T: Clone + Default>(
    blocks: u32,
    threads: u32,
    seed: u64,
    does: impl Fn(&mut WholeBlock, u32) -> T,
) -> Vec<T> {
    let results = RefCell::new(vec![T::default(); (blocks * threads) as usize]);
    let shared_bytes = shared_bytes(threads);
    let memory = Memory::default();
    let launch = Launch { shared_bytes, seed, check: Some(&memory), ..Launch::new("test", blocks, threads) };
    let run = || {
        let number = thread::block_idx_x() * threads + thread::thread_idx_x();
        // SAFETY: the entry of a simulated kernel.
        let result = does(unsafe { &mut WholeBlock::at_entry() }, number);
        results.borrow_mut()[number as usize] = result;
    };
    simt(&launch, &run).expect("no errors");
    results.into_inner()
}

/// The memory of a search that has the word `blocks_done`, and nothing else.
pub fn own_with(blocks_done: &mut BlocksDone) -> Own {
    // SAFETY: one element; a test uses the memory while it has the word.
    Own { blocks_done: unsafe { Array::from_raw(blocks_done, 1) }, ..Own::default() }
}

/// An array of the test's own elements.
pub fn array_of<T>(elements: &mut [T]) -> Array<T> {
    // SAFETY: these elements; a test uses the array while it has them.
    unsafe { Array::from_raw(elements.as_mut_ptr(), elements.len()) }
}

/// The memory of a search of this shape, all zeros, and what has to live as long.
pub fn own_of(shape: &Shape) -> (Own, Vec<u8>) {
    let own = Own::of_shape(shape);
    let memory = vec![0; own.bytes() + ALIGNMENT];
    let base = (memory.as_ptr() as u64).next_multiple_of(ALIGNMENT as u64);
    // SAFETY: the block has the bytes, zeros are a value of each element, and a test uses them while it has them.
    (unsafe { own.laid_out(base) }, memory)
}
