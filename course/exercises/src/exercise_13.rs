//! Exercise 13: how near to a copy.

// ANCHOR: kernel
/// At how many percent of a copy's rate a kernel works, rounded down. The kernel reads and writes so many
/// elements of 4 bytes, in so many nanoseconds. A copy moves so many gigabytes (1,000,000,000 bytes) a
/// second, counting what it reads and what it writes.
pub fn percent_of_copy(read: u32, written: u32, nanoseconds: u32, copy: u32) -> u32 {
    // Not solved yet. These are elements for each nanosecond, and only those that are read.
    let _ = (written, copy);
    read / nanoseconds
}
// ANCHOR_END: kernel
