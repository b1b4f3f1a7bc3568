//! Tests of `simt`: each operation gives what its definition says, and each kind of error is found.

// Where a call is sound, all lanes of its mask make the call. Where a call is not sound, the test is that the
// simulation stops there.
#![allow(clippy::undocumented_unsafe_blocks)]

use cuda_std::host::{simt, Launch, Memory, SimtError, MOST_SHARED};
use cuda_std::shared::{self, Address, Words};
use cuda_std::{thread, warp};
use std::cell::RefCell;

fn run(grid: u32, block: u32, seed: u64, kernel: &dyn Fn()) -> Result<(), SimtError> {
    simt(&Launch { shared_bytes: 256, seed, ..Launch::new("test", grid, block) }, kernel)
}

/// What each thread of one block returns, for several seeds, which all have to agree.
fn results(block: u32, kernel: impl Fn() -> u64) -> Vec<u64> {
    let outcomes: Vec<Vec<u64>> = (0..5)
        .map(|seed| {
            let out = RefCell::new(vec![u64::MAX; block as usize]);
            run(1, block, seed, &|| {
                let result = kernel();
                out.borrow_mut()[thread::thread_idx_x() as usize] = result;
            })
            .expect("a correct kernel");
            out.into_inner()
        })
        .collect();
    assert!(outcomes.iter().all(|o| *o == outcomes[0]), "depends on the order of threads");
    outcomes[0].clone()
}

#[test]
fn indices() {
    let seen = RefCell::new(vec![]);
    run(3, 40, 1, &|| seen.borrow_mut().push(thread::index_1d())).expect("no errors");
    let mut seen = seen.into_inner();
    seen.sort();
    assert_eq!(seen, (0..120).collect::<Vec<_>>());
}

#[test]
fn indices_in_three_dimensions() {
    let seen = RefCell::new(vec![]);
    let launch = Launch { grid: [2, 3, 2], block: [5, 4, 3], ..Launch::new("test", 1, 1) };
    simt(&launch, &|| {
        let (thread::UVec2 { x, y }, lane) = (thread::index_2d(), warp::lane_id());
        let z = thread::block_idx_z() * thread::block_dim_z() + thread::thread_idx_z();
        let number = thread::thread_idx_x() + 5 * (thread::thread_idx_y() + 4 * thread::thread_idx_z());
        assert_eq!(lane, number % 32);
        assert_eq!(thread::block_dim_x() * thread::grid_dim_x(), 10);
        assert_eq!(thread::block_dim_y() * thread::grid_dim_y(), 12);
        assert_eq!(thread::block_dim_z() * thread::grid_dim_z(), 6);
        // The 60 threads are a warp and a part of one.
        let lanes = unsafe { warp::warp_vote_ballot(if number < 32 { u32::MAX } else { 0x0fff_ffff }, true) };
        assert_eq!(lanes.count_ones(), if number < 32 { 32 } else { 28 });
        assert_eq!(thread::sync_threads_count(1), 60);
        seen.borrow_mut().push((z, y, x));
    })
    .expect("no errors");
    let mut seen = seen.into_inner();
    seen.sort();
    let all = (0..6).flat_map(|z| (0..12).flat_map(move |y| (0..10).map(move |x| (z, y, x))));
    assert_eq!(seen, all.collect::<Vec<_>>());
}

#[test]
fn orders_depend_on_the_seed_and_only_on_it() {
    let order = |seed| {
        let seen = RefCell::new(vec![]);
        run(2, 32, seed, &|| seen.borrow_mut().push(thread::index_1d())).expect("no errors");
        seen.into_inner()
    };
    assert_eq!(order(1), order(1));
    assert_ne!(order(1), order(2));
}

#[test]
fn shuffles() {
    let lane = || thread::thread_idx_x();
    let flat = |(value, valid): (u32, bool)| (value as u64) << 1 | valid as u64;
    let expect = |f: &dyn Fn(u32) -> (u32, bool)| (0..32).map(|l| flat(f(l))).collect::<Vec<_>>();
    let down = results(32, || flat(unsafe { warp::warp_shuffle_down(u32::MAX, lane() * 3, 5, 32) }));
    assert_eq!(down, expect(&|l| if l + 5 < 32 { ((l + 5) * 3, true) } else { (l * 3, false) }));
    let up = results(32, || flat(unsafe { warp::warp_shuffle_up(u32::MAX, lane(), 2, 8) }));
    assert_eq!(up, expect(&|l| if l % 8 >= 2 { (l - 2, true) } else { (l, false) }));
    let idx = results(32, || flat(unsafe { warp::warp_shuffle_idx(u32::MAX, lane(), 7, 32) }));
    assert_eq!(idx, expect(&|_| (7, true)));
    let xor = results(32, || flat(unsafe { warp::warp_shuffle_xor(u32::MAX, lane(), 9, 32) }));
    assert_eq!(xor, expect(&|l| (l ^ 9, true)));
    let wide = results(32, || unsafe { warp::warp_shuffle_down(u32::MAX, (lane() as u64) << 40, 1, 32).0 });
    assert_eq!(wide[3], 4 << 40);
}

#[test]
fn votes_and_matches() {
    let ballot = results(40, || unsafe {
        warp::warp_vote_ballot(warp::activemask(), warp::lane_id().is_multiple_of(2)) as u64
    });
    assert_eq!((ballot[0], ballot[39]), (0x5555_5555, 0x55));
    let any = results(32, || unsafe { warp::warp_vote_any(u32::MAX, warp::lane_id() == 31) as u64 });
    assert_eq!(any, [1; 32]);
    let all = results(32, || unsafe { warp::warp_vote_all(u32::MAX, warp::lane_id() != 31) as u64 });
    assert_eq!(all, [0; 32]);
    let same = results(32, || unsafe { warp::warp_match_any(u32::MAX, warp::lane_id() % 4) as u64 });
    assert_eq!(same[5], 0x2222_2222);
}

#[test]
fn a_part_of_a_warp_may_go_its_own_way() {
    let sums = results(32, || {
        let mask = if warp::lane_id() < 8 { 0xff } else { 0xffff_ff00 };
        unsafe { warp::warp_vote_ballot(mask, true) as u64 }
    });
    assert_eq!((sums[7], sums[8]), (0xff, 0xffff_ff00));
}

#[test]
fn barriers_order_shared_memory() {
    let sums = results(64, || {
        let memory = shared::dynamic_shared_mem::<u32>();
        let tid = thread::thread_idx_x();
        // SAFETY: 64 words are there; every thread writes its own, a barrier stands before others read it.
        unsafe { *memory.add(tid as usize) = tid };
        thread::sync_threads();
        (0..64).map(|i| unsafe { *memory.add(i) } as u64).sum()
    });
    assert_eq!(sums, [2016; 64]);
    assert_eq!(results(64, || thread::sync_threads_count(thread::thread_idx_x() % 4) as u64), [48; 64]);
    assert_eq!(results(64, || thread::sync_threads_and(thread::thread_idx_x()) as u64), [0; 64]);
    assert_eq!(results(64, || thread::sync_threads_or(thread::thread_idx_x()) as u64), [1; 64]);
}

#[test]
fn words_at_addresses_are_those_of_shared_memory() {
    let at = |tid: u32| Address::of_dynamic().plus(16 * (tid % 16));
    let sums = results(64, || {
        let tid = thread::thread_idx_x();
        // SAFETY: 256 bytes are there; a barrier stands between writes and reads by others, and changes by
        // several are atomic.
        unsafe {
            if tid < 16 {
                at(tid).write_four([tid, 2 * tid, 3 * tid, 0]);
            }
            thread::sync_threads();
            let ([a, b, c, _], [d]) = (at(tid + 1).read_four(), at(tid + 1).plus(4).read());
            assert_eq!((at(tid + 1).read_two(), d), ([a, b], 2 * a));
            let before = at(tid).plus(12).add(1);
            thread::sync_threads();
            let [all] = at(tid).plus(12).read();
            thread::sync_threads();
            let other = at(0).plus(12).exchange(tid);
            assert!(before < 4 && (other < 64 || other == all) && c == 3 * a, "{before}, {other}, {c}");
            (100 * all + a) as u64
        }
    });
    assert_eq!(sums, (0..64).map(|tid| 400 + (tid + 1) % 16).collect::<Vec<u64>>());
}

#[test]
fn words_and_arrays_are_those_of_shared_memory() {
    let sums = results(32, || {
        let tid = thread::thread_idx_x();
        // SAFETY: 256 bytes are there; a barrier stands between writes and reads by others, and changes by
        // several are atomic.
        let (words, wide, array) = unsafe {
            (
                Words::<u32>::at(128, 32),
                Words::<u64>::at(16, 2),
                Words::<u8>::at(0, 256).array::<u32>(128, 32),
            )
        };
        words.set(tid, tid);
        if tid == 0 {
            wide.set(1u32, 0);
        }
        thread::sync_threads();
        wide.atomic(1u32).add(words.get(31 - tid) as u64);
        thread::sync_threads();
        words.atomic(tid ^ 1).or(32);
        thread::sync_threads();
        wide.get(1usize) + array.read(tid) as u64
    });
    assert_eq!(sums, (0..32).map(|tid| 496 + (tid | 32)).collect::<Vec<u64>>());
}

#[test]
#[cfg(debug_assertions)]
fn finds_an_index_past_the_end_of_words() {
    finds(32, &["index 4 of 4 in shared memory"], &|| unsafe { Words::<u32>::at(0, 4) }.set(4u32, 1));
}

#[track_caller]
fn finds(block: u32, words: &[&str], kernel: &dyn Fn()) {
    for seed in 0..5 {
        let error = run(2, block, seed, kernel).expect_err("the kernel is wrong");
        let text = error.to_string();
        assert!(text.starts_with("kernel test, block "), "{text}");
        for word in words {
            assert!(text.contains(word), "{text}: {word}?");
        }
    }
    run(2, 64, 1, &thread::sync_threads).expect("the next launch is not disturbed");
}

#[test]
fn finds_divergent_barriers() {
    finds(64, &["divergent barrier", "thread 3", "has finished"], &|| {
        if thread::thread_idx_x() != 3 {
            thread::sync_threads();
        }
    });
    finds(64, &["divergent barrier", "simt.rs"], &|| match thread::thread_idx_x() {
        3 => thread::sync_threads(),
        tid => {
            std::hint::black_box(tid);
            thread::sync_threads()
        }
    });
}

#[test]
fn finds_wrong_masks() {
    finds(32, &["lane 4 of mask 0xffffffff"], &|| {
        if thread::thread_idx_x() != 4 {
            unsafe { warp::sync_warp(u32::MAX) };
        }
    });
    finds(32, &["not in its own mask"], &|| {
        unsafe { warp::sync_warp(0xff) };
    });
    finds(40, &["lanes that the warp has not"], &|| {
        if thread::thread_idx_x() >= 32 {
            unsafe { warp::sync_warp(u32::MAX) };
        }
    });
    finds(32, &["reads lane 8, which is not in mask"], &|| {
        if thread::thread_idx_x() < 8 {
            unsafe { warp::warp_shuffle_down(0xff, 1u32, 1, 32) };
        }
    });
    finds(64, &["waits"], &|| {
        if thread::thread_idx_x() == 4 {
            thread::sync_threads();
        } else {
            unsafe { warp::sync_warp(u32::MAX) };
        }
    });
}

#[test]
fn finds_writes_beside_shared_memory() {
    finds(32, &["beside the 256 bytes of shared memory"], &|| {
        let memory = shared::dynamic_shared_mem::<u8>();
        // SAFETY: in the guard zone behind the shared memory, which is ours.
        unsafe { *memory.add(256 + thread::thread_idx_x() as usize) = 1 };
    });
}

#[test]
fn reports_panics() {
    finds(32, &["panicked: thread 5 fails"], &|| {
        let tid = thread::thread_idx_x();
        assert!(tid != 5, "thread {tid} fails");
        thread::sync_threads();
    });
}

#[test]
fn alone_everything_is_a_plain_loop() {
    let seen = RefCell::new(vec![]);
    cuda_std::host::cpu(64, &|| {
        thread::sync_threads();
        // SAFETY: the only lane calls them.
        let (down, any, ballot) = unsafe {
            (
                warp::warp_shuffle_down(1, 7u32, 1, 32),
                warp::warp_vote_any(1, true),
                warp::warp_vote_ballot(1, true),
            )
        };
        assert_eq!((down, any, ballot, warp::activemask()), ((7, false), true, 1, 1));
        assert_eq!(thread::sync_threads_count(9), 1);
        assert_eq!(shared::dynamic_shared_mem::<u8>() as usize % 16, 0);
        seen.borrow_mut().push((thread::index_1d(), thread::block_dim_x(), thread::grid_dim_x()));
    });
    assert_eq!(seen.into_inner(), [(0, 1, 1)]);
}

#[test]
fn distances_count_to_five_bits_as_in_ptx() {
    let lane = || thread::thread_idx_x();
    let flat = |(value, valid): (u32, bool)| (value as u64) << 1 | valid as u64;
    let own: Vec<u64> = (0..32).map(|l| flat((l, true))).collect();
    assert_eq!(results(32, || flat(unsafe { warp::warp_shuffle_down(u32::MAX, lane(), 32, 32) })), own);
    assert_eq!(results(32, || flat(unsafe { warp::warp_shuffle_up(u32::MAX, lane(), 32, 32) })), own);
    assert_eq!(results(32, || flat(unsafe { warp::warp_shuffle_xor(u32::MAX, lane(), 32, 32) })), own);
}

#[test]
fn reductions() {
    use warp::WarpReductionOp::{Add, And, Max, Min, Or, Xor};
    let reduce = |op| {
        // 40 threads: a full warp with values -16 to 15, and a partial one with 16 to 23.
        let signed = || thread::thread_idx_x() as i32 - 16;
        results(40, || {
            let (mask, value) = (warp::activemask(), signed());
            let (s, u) =
                unsafe { (warp::warp_reduce(mask, value, op), warp::warp_reduce(mask, value as u32, op)) };
            (s as u32 as u64) << 32 | u as u64
        })
    };
    let both = |s: i32, u: u32| (s as u32 as u64) << 32 | u as u64;
    for (op, full, partial) in [
        (Add, both(-16, -16i32 as u32), both(156, 156)),
        (Min, both(-16, 0), both(16, 16)),
        (Max, both(15, u32::MAX), both(23, 23)),
        (And, both(0, 0), both(16, 16)),
        (Or, both(-1, u32::MAX), both(23, 23)),
        (Xor, both(0, 0), both(0, 0)),
    ] {
        let got = reduce(op);
        assert_eq!(got[..32], [full; 32], "{op:?}");
        assert_eq!(got[32..], [partial; 8], "{op:?}");
    }
}

#[test]
fn matches_take_any_value() {
    let same =
        results(32, || unsafe { warp::warp_match_any(u32::MAX, (warp::lane_id() as u64 / 16) << 40) as u64 });
    assert_eq!((same[0], same[31]), (0xffff, 0xffff_0000));
    let same = results(32, || unsafe {
        // Bit by bit: 0.0 and -0.0 differ.
        warp::warp_match_any(u32::MAX, if warp::lane_id() == 0 { -0.0f32 } else { 0.0 }) as u64
    });
    assert_eq!((same[0], same[1]), (1, 0xffff_fffe));
}

#[test]
fn shared_arrays_are_one_a_block_and_place() {
    fn place() -> *mut u32 {
        cuda_std::shared_array![u32; 8]
    }
    let sums = results(64, || {
        let (words, other) = (cuda_std::shared_array![u32; 64], cuda_std::shared_array![u32; 64]);
        assert!(words != other && place() == place() && (words as usize).is_multiple_of(16));
        let tid = thread::thread_idx_x() as usize;
        unsafe { (*words.add(tid), *other.add(tid)) = (tid as u32, 0) };
        thread::sync_threads();
        (0..64).map(|i| unsafe { *words.add(i) } as u64).sum()
    });
    assert_eq!(sums, [2016; 64]);
    let places = RefCell::new(vec![]);
    run(4, 32, 1, &|| places.borrow_mut().push((thread::block_idx_x(), place()))).expect("no errors");
    let mut places = places.into_inner();
    places.sort();
    places.dedup();
    assert_eq!(places.len(), 4, "one a block");
    cuda_std::host::cpu(0, &|| {
        assert_eq!(place(), place());
        unsafe { *place().add(7) = 1 };
    });
}

#[test]
fn finds_writes_beside_shared_arrays() {
    finds(32, &["beside the 12 bytes of the shared array at", "simt.rs"], &|| {
        let words = cuda_std::shared_array![u32; 3];
        // In what rounding up to whole words added.
        unsafe { *words.add(3) = 1 };
        thread::sync_threads();
    });
}

#[test]
fn finds_writes_into_the_rounding() {
    let launch = Launch { shared_bytes: 20, ..Launch::new("test", 1, 1) };
    let write = |at: usize| simt(&launch, &|| unsafe { *shared::dynamic_shared_mem::<u8>().add(at) = 1 });
    assert_eq!(write(19), Ok(()));
    assert!(write(20).is_err());
}

#[test]
fn finds_widths_that_are_none() {
    for width in [0, 12, 64] {
        finds(32, &["is not a power of two up to 32", "simt.rs"], &|| {
            unsafe { warp::warp_shuffle_down(u32::MAX, 1u32, 1, width) };
        });
    }
}

#[test]
fn finds_lanes_that_reduce_differently() {
    use warp::WarpReductionOp::{Max, Min};
    finds(32, &["waits at", "lane"], &|| {
        let op = if warp::lane_id() == 9 { Max } else { Min };
        unsafe { warp::warp_reduce(u32::MAX, 1u32, op) };
    });
}

/// 31 of 32 lanes elect a leader, which counts them. The last lane is elsewhere.
#[test]
fn active_lanes_are_those_that_are_here() {
    let counts = results(40, || match warp::lane_id() {
        31 => 0,
        lane => {
            let mask = warp::activemask();
            if lane == mask.trailing_zeros() {
                mask.count_ones() as u64
            } else {
                0
            }
        }
    });
    assert_eq!((counts[0], counts[32], counts.iter().sum()), (31, 8, 39u64));
    let masks = results(32, || match warp::lane_id() % 2 {
        0 => warp::activemask() as u64,
        _ => warp::activemask() as u64 | 1 << 32,
    });
    assert_eq!(masks[..2], [0x5555_5555, 0x1_aaaa_aaaa]);
}

/// A lane that waits for one that asks does not let it wait for ever.
#[test]
fn who_asks_for_active_lanes_is_answered() {
    let flag = cuda_std::atomic::SharedU32::new(0);
    run(2, 40, 1, &|| match thread::thread_idx_x() {
        3 => {
            assert_ne!(warp::activemask() & 8, 0);
            flag.fetch_add(1);
        }
        4 => {
            while flag.load_relaxed() == 0 {
                thread::nanosleep(100);
            }
        }
        _ => {}
    })
    .expect("thread 3 is answered");
}

#[test]
fn a_block_has_the_limits_of_a_real_one() {
    for (block, bytes, says) in [
        (0, 0, "a block has 1 to 1024 threads, not 0"),
        (1025, 0, "a block has 1 to 1024 threads, not 1025"),
        (32, MOST_SHARED + 1, "at most 232448 bytes of shared memory (227 KiB), not 232449"),
    ] {
        let launch = Launch { shared_bytes: bytes, ..Launch::new("test", 1, block) };
        let error = simt(&launch, &|| {}).expect_err("no such block");
        assert!(error.what.contains(says), "{error}");
    }
    simt(&Launch { shared_bytes: MOST_SHARED, ..Launch::new("test", 1, 1024) }, &|| {}).expect("a block");
    let memory = Memory::default();
    let full = Launch { shared_bytes: MOST_SHARED, check: Some(&memory), ..Launch::new("test", 1, 32) };
    let error =
        simt(&full, &|| assert!(!cuda_std::shared_array![u32; 1].is_null())).expect_err("4 bytes more");
    assert!(error.what.contains("(227 KiB), not more, at "), "{error}");
    finds(32, &["at most 49152 bytes (48 KiB), not 49156, at ", "simt.rs:"], &|| {
        let (one, other) = (cuda_std::shared_array![u32; 12 * 1024], cuda_std::shared_array![u32; 1]);
        assert_ne!(one, other);
    });
}

#[test]
fn a_thread_that_does_not_come_to_an_end_is_named() {
    let mut words = [0u32; 64];
    // SAFETY: the words outlive the launch.
    let words = unsafe { cuda_std::array::Array::from_raw(words.as_mut_ptr(), 64) };
    let forgets_to_count = || {
        let i = thread::thread_idx_x();
        while std::hint::black_box(i) == 5 {
            words.write(i, words.read(i) + 1);
        }
    };
    let waits = || loop {
        thread::sync_threads();
    };
    let adds = || {
        while thread::thread_idx_x() == 5 {
            words.atomic(0u32).add(1);
        }
    };
    for (kernel, says) in
        [(&forgets_to_count as &dyn Fn(), "thread 5: "), (&waits, ""), (&adds, "thread 5: ")]
    {
        let launch = Launch { check: Some(&Memory::default()), budget: 5000, ..Launch::new("test", 1, 32) };
        let error = simt(&launch, kernel).expect_err("no end").to_string();
        let told = "does not come to an end: after 5000 accesses and waits the next one is at ";
        assert!(error.contains(told) && error.contains("simt.rs:") && error.contains(says), "{error}");
    }
}

#[test]
fn elements_are_named_beside_bytes() {
    let checked = |kernel: &dyn Fn()| {
        let launch =
            Launch { shared_bytes: 64, check: Some(&Memory::default()), ..Launch::new("test", 1, 1) };
        simt(&launch, kernel).expect_err("nobody wrote").to_string()
    };
    let dynamic = checked(&|| {
        // SAFETY: the launch has so many bytes.
        unsafe { Words::<u64>::at(0, 8) }.get(3u32);
    });
    assert!(
        dynamic.contains("reads byte 24 of shared memory (element 3 of 8 bytes each), which"),
        "{dynamic}"
    );
    let array = checked(&|| {
        // SAFETY: the array is so long.
        unsafe { cuda_std::array::Array::from_raw(cuda_std::shared_array![u32; 8], 8) }.read(6u32);
    });
    assert!(array.contains("reads element 6 (byte 24) of the shared array of "), "{array}");
}

#[test]
fn a_write_through_a_raw_pointer_is_told() {
    let launch = |kernel: &dyn Fn()| {
        simt(&Launch { check: Some(&Memory::default()), ..Launch::new("test", 1, 32) }, kernel)
    };
    let error = launch(&|| {
        let words = cuda_std::shared_array![u64; 32];
        if thread::thread_idx_x() == 7 {
            // SAFETY: within the array, and nobody else writes.
            unsafe { *words.add(9) = 1 };
        }
        thread::sync_threads();
    });
    let error = error.expect_err("a write that no check sees").to_string();
    let told = "thread 7: wrote element 9, of 8 bytes, of the shared array of ";
    assert!(error.contains(told) && error.contains("`Array::from_raw`"), "{error}");
    launch(&|| {
        // SAFETY: the array is so long.
        let words = unsafe { cuda_std::array::Array::from_raw(cuda_std::shared_array![u64; 32], 32) };
        words.write(thread::thread_idx_x(), 1);
        thread::sync_threads();
        words.atomic(3u32).add(1);
    })
    .expect("all accesses are seen");
}
