//! Leaving out a place of a kernel while it runs: without any of its places the kernel below has a race, with all
//! of them it has none.
//!
//! The environment of a process says what is left out. So the kernel is a test of its own, and the other test runs
//! it in processes.

use cuda_std::array::Array;
use cuda_std::atomic::SharedU32;
use cuda_std::host::{simt, Launch, Memory};
use cuda_std::shared::Words;
use cuda_std::{thread, warp};
use std::collections::BTreeSet;
use std::process::{Command, Output};

const THREADS: u32 = 64;
/// The test of the kernel.
const KERNEL: &str = "the_kernel_has_no_race";

/// Hands words from thread to thread: over the barriers of the block, within a warp, and to the other block by a
/// flag. Each place is needed.
fn kernel(data: Array<u32>, flag: &SharedU32, count: &SharedU32) {
    let tid = thread::thread_idx_x();
    // SAFETY: the launch has as many bytes of shared memory.
    let words: Words<u32> = unsafe { Words::at(0, THREADS as usize) };
    words.set(tid, tid);
    thread::sync_threads();
    let other = words.get((tid + 32) % THREADS);
    thread::sync_threads_after();
    words.set(tid, other);
    // SAFETY: all lanes of the warp are here.
    unsafe { warp::sync_warp(u32::MAX) };
    count.fetch_add(words.get(tid ^ 1));
    if tid == 0 && thread::block_idx_x() == 0 {
        data.write(0u32, 7);
        thread::device_fence();
        flag.store_relaxed(1);
    }
    if tid == 0 && thread::block_idx_x() == 1 {
        while flag.load_relaxed() == 0 {
            thread::nanosleep(100);
        }
        thread::device_fence();
        assert_eq!(data.read(0u32), 7);
    }
}

#[test]
fn the_kernel_has_no_race() {
    for seed in 0..5 {
        let (mut data, flag, count) = ([0], SharedU32::new(0), SharedU32::new(0));
        // SAFETY: the word outlives the launch.
        let data = unsafe { Array::from_raw(data.as_mut_ptr(), 1) };
        let memory = Memory::default();
        let launch = Launch::new("places", 2, THREADS);
        let launch = Launch { shared_bytes: 256, seed, check: Some(&memory), ..launch };
        simt(&launch, &|| kernel(data, &flag, &count)).expect("no race");
        assert_eq!(count.load_relaxed(), 2 * (0..THREADS).sum::<u32>());
    }
}

/// Runs a test in a process with this variable.
fn run(test: &str, variable: &str, value: &str) -> Output {
    Command::new(std::env::current_exe().expect("a path"))
        .args(["--exact", test])
        .env_remove("CUDA_STD_PLACES")
        .env_remove("CUDA_STD_WITHOUT")
        .env_remove("CUDA_STD_WARP_ORDER")
        .env(variable, value)
        .output()
        .expect("the test runs")
}

/// A ballot stands between the write and the read.
#[test]
#[ignore = "run by the test below, in processes"]
fn a_ballot_orders_the_lanes_of_a_warp() {
    let memory = Memory::default();
    let launch = Launch { shared_bytes: 128, check: Some(&memory), ..Launch::new("ballot", 1, 32) };
    let kernel = || {
        let tid = thread::thread_idx_x();
        // SAFETY: the launch has as many bytes of shared memory, and all lanes of the warp are here.
        unsafe {
            let words: Words<u32> = Words::at(0, 32);
            words.set(tid, tid);
            warp::warp_vote_ballot(u32::MAX, true);
            assert_eq!(words.get(tid ^ 1), tid ^ 1);
        }
    };
    simt(&launch, &kernel).expect("no race");
}

#[test]
fn a_ballot_orders_nothing_unless_all_operations_do() {
    let ballot = |value: &str| {
        let test = "a_ballot_orders_the_lanes_of_a_warp";
        let mut process = Command::new(std::env::current_exe().expect("a path"));
        process.args(["--exact", test, "--ignored"]).env_remove("CUDA_STD_WARP_ORDER");
        if !value.is_empty() {
            process.env("CUDA_STD_WARP_ORDER", value);
        }
        let output = process.output().expect("the test runs");
        (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (is_right, said) = ballot("");
    assert!(!is_right && said.contains("race"), "{said}");
    assert!(ballot("all").0, "as the book once had it");
    assert!(ballot("votes").1.contains("expected all instead of \"votes\""));
}

#[test]
fn what_is_left_out_is_noticed() {
    let file = std::env::temp_dir().join(format!("cuda-std-places-{}", std::process::id()));
    assert!(run(KERNEL, "CUDA_STD_PLACES", &file.to_string_lossy()).status.success());
    let listed = std::fs::read_to_string(&file).expect("a list of places");
    std::fs::remove_file(&file).expect("the list is there");
    let places: BTreeSet<&str> = listed.lines().collect();
    let mut kinds: Vec<&str> = places.iter().filter_map(|place| place.split(':').next()).collect();
    kinds.sort_unstable();
    assert_eq!(
        kinds,
        ["atomic", "atomic", "atomic", "barrier", "barrier-after", "fence", "fence", "warp"],
        "{listed}"
    );
    for place in places {
        let output = run(KERNEL, "CUDA_STD_WITHOUT", place);
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(!output.status.success(), "nobody noticed that {place} is left out");
        assert!(said.contains("race"), "{place}: {said}");
    }
    let elsewhere = format!("barrier:{}:1:1", file!());
    assert!(run(KERNEL, "CUDA_STD_WITHOUT", &elsewhere).status.success(), "there is no barrier");
    let wrong = run(KERNEL, "CUDA_STD_WITHOUT", "barrier");
    let said = String::from_utf8_lossy(&wrong.stdout);
    assert!(said.contains("expected KIND:FILE:LINE:COLUMN instead of \"barrier\""), "{said}");
}
