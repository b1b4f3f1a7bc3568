//! The fuzz target for formulas in OPB, under libFuzzer.

#![no_main]

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use yasmin_fuzz::mutate::{self, OPB_WORDS};

fuzz_target!(|data: &[u8]| {
    yasmin_fuzz::check(yasmin_fuzz::program, data);
});
fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate::with_libfuzzer(data, size, max_size, seed, OPB_WORDS)
});
