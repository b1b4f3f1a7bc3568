//! Exercise 11: a barrier that nobody needs.

use cuda_std::array::Array;
use cuda_std::prelude::*;
use cuda_std::shared::Words;

// ANCHOR: kernel
/// Sorts the 256 elements of `x`: bitonic sort, which compares pairs in the same places whatever the elements
/// are. Runs of `size` elements are sorted, every second one downwards, then merged to runs of twice the
/// size.
///
/// # Safety
/// `x` has 256 elements; the launch is one block with 256 words of dynamic shared memory; nobody else uses
/// `x` during the launch.
#[kernel]
pub unsafe fn sort(x: Array<u32>) {
    // Not solved yet. This is right, but one barrier is superfluous. Which one?
    // SAFETY: the launch has this memory; barriers are between one thread's accesses and another's.
    let words = unsafe { Words::<u32>::at(0, 256) };
    let (t, threads) = (thread::thread_idx_x(), thread::block_dim_x());
    let mut i = t;
    while i < 256 {
        words.set(i, x.read(i));
        i += threads;
    }
    thread::sync_threads();
    let mut size = 2;
    while size <= 256 {
        let mut distance = size / 2;
        while distance > 0 {
            let mut pair = t;
            while pair < 128 {
                // The lower place of the pair, and the upper one.
                let low = 2 * pair - pair % distance;
                let high = low + distance;
                let (a, b) = (words.get(low), words.get(high));
                if (a > b) == (low & size == 0) {
                    words.set(low, b);
                    words.set(high, a);
                }
                pair += threads;
            }
            thread::sync_threads();
            distance /= 2;
        }
        thread::sync_threads();
        size *= 2;
    }
    let mut i = t;
    while i < 256 {
        x.write(i, words.get(i));
        i += threads;
    }
}
// ANCHOR_END: kernel
