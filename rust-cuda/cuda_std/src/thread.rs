//! The calling thread's place in its block and grid; barriers and fences.
//!
//! Blocks and grids have three dimensions, of which the last letter of a name says one. A GPU numbers the
//! threads of a block along `x`, then `y`, then `z`; 32 numbers in a row are a warp. The simulation's errors
//! name a thread, and a block, by that number.

#[cfg(target_arch = "nvptx64")]
use core::arch::{asm, nvptx};

#[cfg(not(target_arch = "nvptx64"))]
use crate::host::current;
#[cfg(not(target_arch = "nvptx64"))]
use crate::operation::{Barrier, Scope};

/// A place in two dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UVec2 {
    /// Its place in the first dimension.
    pub x: u32,
    /// Its place in the second dimension.
    pub y: u32,
}

macro_rules! index {
    ($(#[$doc:meta] $($name:ident = $intrinsic:ident),*;)*) => {$($(
        #[$doc]
        #[inline(always)]
        pub fn $name() -> u32 {
            #[cfg(target_arch = "nvptx64")]
            // SAFETY: reads a special register.
            return opaque(unsafe { nvptx::$intrinsic() as u32 });
            #[cfg(not(target_arch = "nvptx64"))]
            current::$name()
        }
    )*)*};
}

/// Returns `value`, but the compiler does not know that the result is `value`. Otherwise the compiler
/// computes all conditions on a thread's index in advance. There are too few predicate registers for them,
/// and loops then spend their time packing and unpacking predicates.
#[cfg(target_arch = "nvptx64")]
#[inline(always)]
fn opaque(mut value: u32) -> u32 {
    // SAFETY: does nothing.
    unsafe { asm!("// {0}", inout(reg32) value, options(nomem, nostack, preserves_flags)) };
    value
}

index! {
    /// Index of the thread in its block.
    thread_idx_x = _thread_idx_x, thread_idx_y = _thread_idx_y, thread_idx_z = _thread_idx_z;
    /// Index of the block in its grid.
    block_idx_x = _block_idx_x, block_idx_y = _block_idx_y, block_idx_z = _block_idx_z;
    /// Threads in a block.
    block_dim_x = _block_dim_x, block_dim_y = _block_dim_y, block_dim_z = _block_dim_z;
    /// Blocks in the grid.
    grid_dim_x = _grid_dim_x, grid_dim_y = _grid_dim_y, grid_dim_z = _grid_dim_z;
}

/// Index of the thread in a one-dimensional grid.
#[inline(always)]
pub fn index_1d() -> u32 {
    block_idx_x() * block_dim_x() + thread_idx_x()
}

/// Index of the thread in a two-dimensional grid.
#[inline(always)]
pub fn index_2d() -> UVec2 {
    UVec2 { x: index_1d(), y: block_idx_y() * block_dim_y() + thread_idx_y() }
}

/// The number of threads in the block.
#[inline(always)]
pub(crate) fn threads_of_block() -> u32 {
    block_dim_x() * block_dim_y() * block_dim_z()
}

/// The number of the thread in its block.
#[inline(always)]
pub(crate) fn number_in_block() -> u32 {
    thread_idx_x() + block_dim_x() * (thread_idx_y() + block_dim_y() * thread_idx_z())
}

/// Whether the block is one thread, as the executor [`cpu`](crate::host::cpu) launches it. A GPU's blocks are
/// whole warps: its code has no branch for this, nor has code that is built for launches of one thread.
#[inline(always)]
pub fn is_single() -> bool {
    !cfg!(target_arch = "nvptx64") && threads_of_block() == 1
}

/// Waits until all threads of the block are here. What they wrote before is visible afterwards. All threads
/// of the block have to reach the same call.
#[inline(always)]
#[track_caller]
pub fn sync_threads() {
    #[cfg(target_arch = "nvptx64")]
    // SAFETY: a barrier.
    unsafe {
        nvptx::_syncthreads()
    }
    #[cfg(not(target_arch = "nvptx64"))]
    current::barrier(Barrier::Plain, 0);
}

/// Waits as [`sync_threads`] does, where a helper ends that begins with [`sync_threads`] and whose barriers
/// stand, by `#[track_caller]`, at the caller's place: this function tells the two barriers of one place
/// apart.
#[inline(always)]
#[track_caller]
pub fn sync_threads_after() {
    #[cfg(target_arch = "nvptx64")]
    // SAFETY: a barrier.
    unsafe {
        nvptx::_syncthreads()
    }
    #[cfg(not(target_arch = "nvptx64"))]
    current::barrier(Barrier::After, 0);
}

#[cfg(target_arch = "nvptx64")]
macro_rules! reduce_barrier {
    ($instruction:literal, $predicate:expr) => {{
        let result: u32;
        // SAFETY: a barrier with a reduction over the block.
        unsafe {
            asm!(
                "{{ .reg .pred pin; .reg .pred pout; setp.ne.u32 pin, {1}, 0;",
                $instruction,
                "}}",
                out(reg32) result,
                in(reg32) $predicate,
            );
        }
        result
    }};
}

/// Waits as [`sync_threads`] does, and returns how many threads of the block passed something other than 0.
#[inline(always)]
#[track_caller]
pub fn sync_threads_count(predicate: u32) -> u32 {
    #[cfg(target_arch = "nvptx64")]
    return reduce_barrier!("bar.red.popc.u32 {0}, 0, pin;", predicate);
    #[cfg(not(target_arch = "nvptx64"))]
    current::barrier(Barrier::Count, predicate)
}

/// Waits as [`sync_threads`] does, and returns 1 if every thread of the block passed something other than 0,
/// else 0.
#[inline(always)]
#[track_caller]
pub fn sync_threads_and(predicate: u32) -> u32 {
    #[cfg(target_arch = "nvptx64")]
    return reduce_barrier!("bar.red.and.pred pout, 0, pin; selp.u32 {0}, 1, 0, pout;", predicate);
    #[cfg(not(target_arch = "nvptx64"))]
    current::barrier(Barrier::And, predicate)
}

/// Waits as [`sync_threads`] does, and returns 1 if some thread of the block passed something other than 0,
/// else 0.
#[inline(always)]
#[track_caller]
pub fn sync_threads_or(predicate: u32) -> u32 {
    #[cfg(target_arch = "nvptx64")]
    return reduce_barrier!("bar.red.or.pred pout, 0, pin; selp.u32 {0}, 1, 0, pout;", predicate);
    #[cfg(not(target_arch = "nvptx64"))]
    current::barrier(Barrier::Or, predicate)
}

/// Orders this thread's memory accesses before and after, as seen by the threads of its block.
#[inline(always)]
#[track_caller]
pub fn block_fence() {
    #[cfg(target_arch = "nvptx64")]
    // SAFETY: a fence.
    unsafe {
        asm!("fence.acq_rel.cta;")
    }
    // On the host one operating-system thread runs the whole grid.
    #[cfg(not(target_arch = "nvptx64"))]
    current::fence(Scope::Block);
}

/// Orders this thread's memory accesses before and after, as seen by all threads of the device.
#[inline(always)]
#[track_caller]
pub fn device_fence() {
    #[cfg(target_arch = "nvptx64")]
    // SAFETY: a fence.
    unsafe {
        asm!("fence.acq_rel.gpu;")
    }
    // On the host one operating-system thread runs a whole grid, but launches on other threads may share words.
    #[cfg(not(target_arch = "nvptx64"))]
    {
        core::sync::atomic::fence(core::sync::atomic::Ordering::AcqRel);
        current::fence(Scope::Device);
    }
}

/// Lets the calling thread wait for about `nanos` nanoseconds, at most a millisecond. Loops that wait for
/// another block call this function. On the host, other threads run meanwhile.
#[inline(always)]
#[track_caller]
pub fn nanosleep(nanos: u32) {
    #[cfg(target_arch = "nvptx64")]
    // SAFETY: waits.
    unsafe {
        asm!("nanosleep.u32 {};", in(reg32) nanos)
    }
    #[cfg(not(target_arch = "nvptx64"))]
    {
        let _ = nanos;
        current::sleep();
    }
}
