//! A solution of exercise 18: how many blocks run at once.

// ANCHOR: kernel
/// How many blocks a multiprocessor of compute capability 9.0 runs at once. A block has so many threads, each
/// with so many registers, and so many bytes of shared memory. The page "Occupancy" has the limits.
pub fn blocks_at_once(threads: u32, registers: u32, shared_bytes: u32) -> u32 {
    let warps = threads.div_ceil(32);
    let by_warps = 64 / warps;
    // The registers of a warp are handed out by 256.
    let by_registers = 65_536 / (warps * (32 * registers).next_multiple_of(256));
    // Each block takes a kilobyte more than it asks for.
    let by_shared = 228 * 1024 / (shared_bytes + 1024).next_multiple_of(128);
    [32, by_warps, by_registers, by_shared].into_iter().min().unwrap_or(0)
}
// ANCHOR_END: kernel
