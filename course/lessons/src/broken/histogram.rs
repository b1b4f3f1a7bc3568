//! Mistakes 7 and 8: shared memory that is not set to zero. The other mistake is in the launch.

use cuda_std::array::Array;
use cuda_std::prelude::*;
use cuda_std::shared::Words;

// ANCHOR: kernel
/// [`crate::histogram::histogram`] without the zeros.
///
/// # Safety
/// None: shared memory is read that nobody wrote.
#[kernel]
pub unsafe fn histogram(x: Array<u32>, bins: Array<u32>) {
    let counts = unsafe { Words::<u32>::at(0, bins.len()) };
    let (t, threads) = (thread::thread_idx_x(), thread::block_dim_x());
    let mut i = thread::index_1d();
    while (i as usize) < x.len() {
        counts.atomic(x.read(i)).add(1);
        i += threads * thread::grid_dim_x();
    }
    thread::sync_threads();
    let mut bin = t;
    while (bin as usize) < bins.len() {
        bins.atomic(bin).add(counts.get(bin));
        bin += threads;
    }
}
// ANCHOR_END: kernel
