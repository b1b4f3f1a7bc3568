//! A lesson: the sum of an array in seven versions, from atomic additions to warp shuffles.
//!
//! All versions have the same arguments and give the same sum, which wraps around. A block has up to 256
//! threads, a power of two.

use cuda_std::array::Array;
use cuda_std::prelude::*;

/// The most threads of a block.
pub const THREADS: usize = 256;
/// The mask of all lanes of a warp.
pub const ALL_LANES: u32 = u32::MAX;

// ANCHOR: atomics
/// Version 1: every element is added to the sum by an atomic addition.
///
/// # Safety
/// `sum` has one element, and nobody else uses `sum` during the launch.
#[kernel]
pub unsafe fn reduce_1_atomics(x: Array<u32>, sum: Array<u32>) {
    let mut i = thread::index_1d();
    while (i as usize) < x.len() {
        sum.atomic(0u32).add(x.read(i));
        i += thread::block_dim_x() * thread::grid_dim_x();
    }
}
// ANCHOR_END: atomics

// ANCHOR: shared
/// Version 2: the threads of a block add to a word in shared memory, and one thread adds that word to the
/// sum.
///
/// # Safety
/// As for [`reduce_1_atomics`].
#[kernel]
pub unsafe fn reduce_2_shared_atomics(x: Array<u32>, sum: Array<u32>) {
    // SAFETY: one element; a barrier is between each plain access and the atomic ones.
    let total = unsafe { Array::from_raw(shared_array![u32; 1], 1) };
    if thread::thread_idx_x() == 0 {
        total.write(0u32, 0);
    }
    thread::sync_threads();
    let mut i = thread::index_1d();
    while (i as usize) < x.len() {
        total.atomic(0u32).add(x.read(i));
        i += thread::block_dim_x() * thread::grid_dim_x();
    }
    thread::sync_threads();
    if thread::thread_idx_x() == 0 {
        sum.atomic(0u32).add(total.read(0u32));
    }
}
// ANCHOR_END: shared

// ANCHOR: interleaved
/// Version 3: a tree in shared memory. In step `s`, each thread whose index is a multiple of `2 * s` adds the
/// word `s` places further on. The busy threads are spread over all warps.
///
/// # Safety
/// As for [`reduce_1_atomics`]; the number of threads in a block is a power of two up to [`THREADS`].
#[kernel]
pub unsafe fn reduce_3_interleaved_tree(x: Array<u32>, sum: Array<u32>) {
    // SAFETY: `THREADS` elements; barriers are between the accesses of different threads.
    let words = unsafe { Array::from_raw(shared_array![u32; THREADS], THREADS) };
    let (t, threads) = (thread::thread_idx_x(), thread::block_dim_x());
    let mut first = thread::block_idx_x() * threads;
    while (first as usize) < x.len() {
        let i = first + t;
        words.write(t, if (i as usize) < x.len() { x.read(i) } else { 0 });
        thread::sync_threads();
        let mut s = 1;
        while s < threads {
            if t & (2 * s - 1) == 0 {
                words.write(t, words.read(t).wrapping_add(words.read(t + s)));
            }
            thread::sync_threads();
            s *= 2;
        }
        if t == 0 {
            sum.atomic(0u32).add(words.read(0u32));
        }
        first += threads * thread::grid_dim_x();
    }
}
// ANCHOR_END: interleaved

/// Adds up one word of each thread of the block, in a tree whose busy threads are the first ones. Thread 0
/// gets the sum. All threads of the block have to call this; `words` has an element for each.
// ANCHOR: tree
#[inline(always)]
fn tree(words: Array<u32>, mine: u32) -> u32 {
    let t = thread::thread_idx_x();
    words.write(t, mine);
    thread::sync_threads();
    let mut s = thread::block_dim_x() / 2;
    while s > 0 {
        if t < s {
            words.write(t, words.read(t).wrapping_add(words.read(t + s)));
        }
        thread::sync_threads();
        s /= 2;
    }
    words.read(0u32)
}
// ANCHOR_END: tree

/// Version 4: the tree's busy threads are the first ones, so that whole warps have nothing to do.
///
/// # Safety
/// As for [`reduce_3_interleaved_tree`].
// ANCHOR: sequential
#[kernel]
pub unsafe fn reduce_4_tree(x: Array<u32>, sum: Array<u32>) {
    // SAFETY: `THREADS` elements; barriers are between the accesses of different threads.
    let words = unsafe { Array::from_raw(shared_array![u32; THREADS], THREADS) };
    let (t, threads) = (thread::thread_idx_x(), thread::block_dim_x());
    let mut first = thread::block_idx_x() * threads;
    while (first as usize) < x.len() {
        let i = first + t;
        let total = tree(words, if (i as usize) < x.len() { x.read(i) } else { 0 });
        // Every thread has read the total before the next tile is written.
        thread::sync_threads();
        if t == 0 {
            sum.atomic(0u32).add(total);
        }
        first += threads * thread::grid_dim_x();
    }
}
// ANCHOR_END: sequential

/// The sum of the elements that a grid-stride loop gives to the calling thread.
// ANCHOR: own_sum
#[inline(always)]
fn own_sum(x: Array<u32>) -> u32 {
    let mut total: u32 = 0;
    let mut i = thread::index_1d();
    while (i as usize) < x.len() {
        total = total.wrapping_add(x.read(i));
        i += thread::block_dim_x() * thread::grid_dim_x();
    }
    total
}
// ANCHOR_END: own_sum

/// Version 5: each thread adds up many elements in a register before the only tree.
///
/// # Safety
/// As for [`reduce_3_interleaved_tree`].
// ANCHOR: registers
#[kernel]
pub unsafe fn reduce_5_registers(x: Array<u32>, sum: Array<u32>) {
    // SAFETY: `THREADS` elements; barriers are between the accesses of different threads.
    let words = unsafe { Array::from_raw(shared_array![u32; THREADS], THREADS) };
    let total = tree(words, own_sum(x));
    if thread::thread_idx_x() == 0 {
        sum.atomic(0u32).add(total);
    }
}
// ANCHOR_END: registers

/// Adds up one word of each lane of the warp. Lane 0 gets the sum.
// ANCHOR: warp_sum
#[inline(always)]
fn warp_sum(mut total: u32) -> u32 {
    let mut delta = 16;
    while delta > 0 {
        // SAFETY: all lanes of the warp are here.
        let (other, is_lane) = unsafe { warp::warp_shuffle_down(ALL_LANES, total, delta, 32) };
        if is_lane {
            total = total.wrapping_add(other);
        }
        delta /= 2;
    }
    total
}
// ANCHOR_END: warp_sum

/// Adds up one word of each warp, which its lane 0 passes, and adds the sum to `sum`. All threads of the
/// block have to call this.
// ANCHOR: add_warps
#[inline(always)]
fn add_warps(words: Array<u32>, total: u32, sum: Array<u32>) {
    let t = thread::thread_idx_x();
    if t.is_multiple_of(32) {
        words.write(t / 32, total);
    }
    thread::sync_threads();
    if t < 32 {
        let warps = thread::block_dim_x().div_ceil(32);
        let total = warp_sum(if t < warps { words.read(t) } else { 0 });
        if t == 0 {
            sum.atomic(0u32).add(total);
        }
    }
}
// ANCHOR_END: add_warps

/// Version 6: the lanes of a warp pass their sums from register to register. Shared memory holds one word for
/// each warp.
///
/// # Safety
/// As for [`reduce_3_interleaved_tree`]; on a GPU, blocks are whole warps.
// ANCHOR: shuffles
#[kernel]
pub unsafe fn reduce_6_shuffles(x: Array<u32>, sum: Array<u32>) {
    // SAFETY: a word for each warp; a barrier is between the accesses of different threads.
    let words = unsafe { Array::from_raw(shared_array![u32; THREADS / 32], THREADS / 32) };
    add_warps(words, warp_sum(own_sum(x)), sum);
}
// ANCHOR_END: shuffles

/// Version 7: each load takes four elements at once, and four such loads are under way before the first is
/// needed.
///
/// # Safety
/// As for [`reduce_6_shuffles`].
// ANCHOR: wide
#[kernel]
pub unsafe fn reduce_7_wide_loads(x: Array<u32>, sum: Array<u32>) {
    // SAFETY: a word for each warp; a barrier is between the accesses of different threads.
    let words = unsafe { Array::from_raw(shared_array![u32; THREADS / 32], THREADS / 32) };
    let threads = thread::block_dim_x() * thread::grid_dim_x();
    let groups = (x.len() / 4) as u32;
    let add = |four: [u32; 4]| four[0].wrapping_add(four[1]).wrapping_add(four[2]).wrapping_add(four[3]);
    let mut total: u32 = 0;
    let mut group = thread::index_1d();
    while group + 3 * threads < groups {
        let (a, b) = (x.four(group), x.four(group + threads));
        let (c, d) = (x.four(group + 2 * threads), x.four(group + 3 * threads));
        total = total.wrapping_add(add(a)).wrapping_add(add(b)).wrapping_add(add(c)).wrapping_add(add(d));
        group += 4 * threads;
    }
    while group < groups {
        total = total.wrapping_add(add(x.four(group)));
        group += threads;
    }
    let mut i = 4 * groups + thread::index_1d();
    while (i as usize) < x.len() {
        total = total.wrapping_add(x.read(i));
        i += threads;
    }
    add_warps(words, warp_sum(total), sum);
}
// ANCHOR_END: wide

/// The tree of version 4 on one tile, which writes its words after each step to `steps`, for a picture: a
/// row of as many words as the block has threads for the beginning and for each step.
///
/// # Safety
/// As for [`reduce_4_tree`], with one block.
#[kernel]
pub unsafe fn tree_steps(x: Array<u32>, steps: Array<u32>) {
    // SAFETY: `THREADS` elements; barriers are between the accesses of different threads.
    let words = unsafe { Array::from_raw(shared_array![u32; THREADS], THREADS) };
    let (t, threads) = (thread::thread_idx_x(), thread::block_dim_x());
    words.write(t, x.read(t));
    let (mut s, mut row) = (threads, 0);
    while s > 0 {
        thread::sync_threads();
        if s < threads && t < s {
            words.write(t, words.read(t).wrapping_add(words.read(t + s)));
        }
        steps.write(row * threads + t, words.read(t));
        (s, row) = (s / 2, row + 1);
    }
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::{launch_version, run, run_with, VERSIONS};

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use super::*;
    use crate::lesson::{next_random, Outcome};
    use cuda_launch::{launch, Buffer, Device, Error, Grid};

    /// The versions' names, from the first one to the last.
    pub const VERSIONS: [&str; 7] = [
        "atomic additions",
        "atomic additions in shared memory",
        "tree, interleaved",
        "tree",
        "sums in registers, then a tree",
        "sums in registers, then shuffles",
        "four elements a load, then shuffles",
    ];

    /// Launches version `version`, counted from 0, which adds the sum of `x` to `sum`.
    ///
    /// # Errors
    /// Those of the device.
    ///
    /// # Panics
    /// If there is no such version.
    pub fn launch_version(
        device: &mut Device,
        version: usize,
        grid: Grid,
        x: &Buffer<u32>,
        sum: &Buffer<u32>,
    ) -> Result<(), Error> {
        let (x, sum) = (x.array(), sum.array());
        // SAFETY: `sum` has one element; the callers' grids have blocks of a power of two of threads.
        unsafe {
            match version {
                0 => launch!(device, grid, reduce_1_atomics(x, sum)),
                1 => launch!(device, grid, reduce_2_shared_atomics(x, sum)),
                2 => launch!(device, grid, reduce_3_interleaved_tree(x, sum)),
                3 => launch!(device, grid, reduce_4_tree(x, sum)),
                4 => launch!(device, grid, reduce_5_registers(x, sum)),
                5 => launch!(device, grid, reduce_6_shuffles(x, sum)),
                6 => launch!(device, grid, reduce_7_wide_loads(x, sum)),
                _ => panic!("there are 7 versions"),
            }
        }
    }

    /// Adds up 1,000 elements with another kernel.
    ///
    /// # Errors
    /// Those of the device.
    pub fn run_with(
        device: &mut Device,
        name: &'static str,
        kernel: unsafe fn(Array<u32>, Array<u32>),
    ) -> Result<Outcome, Error> {
        let x = device.upload_constant("x", &(0..1000).collect::<Vec<u32>>())?;
        let sum = device.zeros::<u32>("sum", 1)?;
        // SAFETY: `sum` has one element.
        unsafe { device.launch(Grid::new(2, 128), name, kernel, (x.array(), sum.array())) }?;
        Ok(Outcome { found: device.download(&sum)?, expected: vec![999 * 500] })
    }

    /// Runs all versions on arrays of several lengths.
    ///
    /// # Errors
    /// Those of the device.
    pub fn run(device: &mut Device) -> Result<Outcome, Error> {
        let (mut found, mut expected) = (Vec::new(), Vec::new());
        let mut state = 3;
        for n in [0, 1, 5, 255, 1000, 3001] {
            let data: Vec<u32> = (0..n).map(|_| next_random(&mut state)).collect();
            let x = device.upload_constant("x", &data)?;
            for version in 0..VERSIONS.len() {
                let sum = device.zeros::<u32>("sum", 1)?;
                launch_version(device, version, Grid::new(2, 128), &x, &sum)?;
                found.extend(device.download(&sum)?);
                expected.push(data.iter().fold(0, |sum: u32, &x| sum.wrapping_add(x)));
            }
        }
        Ok(Outcome { found, expected })
    }
}

#[cfg(test)]
crate::lesson::on_every_device!(super::run);
