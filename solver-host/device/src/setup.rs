//! How an executor runs kernels: the size of a block, and the simulation's order and checks. Main type:
//! [`Setup`].

/// How an executor runs kernels. All but the size of a block concerns the simulation `simt` alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The number of threads in a block: a multiple of 32, from 32 to 1024.
    pub threads: u32,
    /// What the order of the simulated threads is drawn from.
    pub seed: u64,
    /// Whether the simulation looks for data races, reads of shared memory that nobody wrote, and accesses
    /// where no array is.
    pub checks: bool,
    /// In how many orders of its threads the simulation runs each launch, at least 1. Each order begins with
    /// the same memory; what the last order leaves is the launch's result.
    pub schedules: u32,
}

impl Default for Setup {
    fn default() -> Self {
        Setup { threads: 512, seed: 1, checks: true, schedules: 1 }
    }
}
