//! Running a function on each thread of a simulated block, for tests.

extern crate std;
use crate::threads::scratch::shared_bytes;
use cuda_std::host::{simt, Launch, Memory};
use cuda_std::thread;
use std::cell::RefCell;
use std::vec;
use std::vec::Vec;

/// What `does` gives for each of `threads` threads of one block, run in an order that `seed` decides.
pub fn results<T: Clone + Default>(threads: u32, seed: u64, does: impl Fn(u32) -> T) -> Vec<T> {
    let results = RefCell::new(vec![T::default(); threads as usize]);
    let shared_bytes = shared_bytes(threads);
    let memory = Memory::default();
    let launch = Launch { shared_bytes, seed, check: Some(&memory), ..Launch::new("test", 1, threads) };
    let run = || {
        let tid = thread::thread_idx_x();
        let result = does(tid);
        results.borrow_mut()[tid as usize] = result;
    };
    simt(&launch, &run).expect("no errors");
    results.into_inner()
}
