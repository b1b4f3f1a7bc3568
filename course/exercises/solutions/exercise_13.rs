//! A solution of exercise 13: how near to a copy.

// ANCHOR: kernel
/// At how many percent of a copy's rate a kernel works, rounded down. The kernel reads and writes so many
/// elements of 4 bytes, in so many nanoseconds. A copy moves so many gigabytes (1,000,000,000 bytes) a
/// second, counting what it reads and what it writes.
pub fn percent_of_copy(read: u32, written: u32, nanoseconds: u32, copy: u32) -> u32 {
    let bytes = 4 * (u64::from(read) + u64::from(written));
    // A byte for each nanosecond is a gigabyte for each second.
    (100 * bytes / (u64::from(nanoseconds) * u64::from(copy))) as u32
}
// ANCHOR_END: kernel
