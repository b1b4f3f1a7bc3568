//! What accesses of warps cost: each rule of NVIDIA's guides by the smallest kernel that shows it.

use cuda_std::array::Array;
use cuda_std::host::{costs, simt, Cost, Launch, Memory};
use cuda_std::shared::Words;
use cuda_std::{thread, warp};

/// What a kernel's accesses cost with blocks of `threads` threads. Every order of the threads costs the same.
#[track_caller]
fn costs_of(threads: u32, kernel: &dyn Fn(u32)) -> Vec<Cost> {
    let of = |seed| {
        let memory = Memory::default();
        let launch =
            Launch { shared_bytes: 8192, seed, check: Some(&memory), ..Launch::new("k", 1, threads) };
        let (ended, costs) = costs(|| simt(&launch, &|| kernel(thread::thread_idx_x())));
        ended.expect("no error");
        costs
    };
    let first = of(0);
    (1..4).for_each(|seed| assert_eq!(of(seed), first));
    first
}

/// How often, how often with fewer lanes, the cost, and the least cost.
fn numbers(cost: &Cost) -> [u64; 4] {
    [cost.times, cost.fewer, cost.cost, cost.best]
}

#[repr(C, align(256))]
struct Aligned([u32; 2048]);

/// 2,048 words from a multiple of 256 bytes on.
fn with_words(does: impl FnOnce(Array<u32>)) {
    let mut words = Box::new(Aligned([0; 2048]));
    // SAFETY: the words outlive the call.
    does(unsafe { Array::from_raw(words.0.as_mut_ptr(), 2048) });
}

/// The table of the book's page on addresses, and more.
#[test]
fn an_access_costs_the_sectors_that_its_lanes_touch() {
    type Index = fn(u32) -> u32;
    let rows: [(Index, u64); 7] = [
        (|lane| lane, 4),
        (|lane| 31 - lane, 4),
        (|lane| lane + 1, 5),
        (|lane| 2 * lane, 8),
        (|lane| 8 * lane, 32),
        (|lane| 32 * lane, 32),
        (|_| 7, 1),
    ];
    with_words(|words| {
        for (index, sectors) in rows {
            let costs = costs_of(32, &|lane| _ = words.read(index(lane)));
            let best = if index(0) == index(1) { 1 } else { 4 };
            assert_eq!(costs.iter().map(numbers).collect::<Vec<_>>(), [[1, 0, sectors, best]]);
            assert_eq!((costs[0].access, costs[0].is_shared, costs[0].kernel), ("read", false, "k"));
        }
    });
}

#[test]
fn a_load_of_four_elements_is_one_access() {
    with_words(|words| {
        let costs = costs_of(64, &|t| _ = words.four(t));
        assert_eq!(costs.iter().map(numbers).collect::<Vec<_>>(), [[2, 0, 32, 32]]);
    });
}

/// The table of the book's page on banks, and words of several sizes.
#[test]
fn an_access_costs_the_steps_of_the_fullest_bank() {
    type Index = fn(u32) -> u32;
    let rows: [(Index, u64); 7] = [
        (|lane| lane, 1),
        (|lane| 5 * lane % 32, 1),
        (|_| 3, 1),
        (|lane| 2 * lane, 2),
        (|lane| 32 * lane, 32),
        (|lane| 33 * lane, 1),
        (|lane| lane / 2 * 32, 16),
    ];
    for (index, steps) in rows {
        // SAFETY: the launch has as much shared memory, and lanes that write one word write nothing else.
        let costs = costs_of(32, &|lane| unsafe { Words::<u32>::at(0, 2048) }.atomic(index(lane)).store(1));
        assert_eq!((costs[0].times, costs[0].cost, costs[0].is_shared), (1, steps, true));
    }
    // SAFETY: as above, and each lane has words of its own.
    let wide = costs_of(32, &|lane| unsafe { Words::<u64>::at(0, 64) }.set(lane, 1));
    assert_eq!(numbers(&wide[0]), [1, 0, 2, 2]);
    // SAFETY: as above.
    let wider = costs_of(32, &|lane| unsafe { Words::<u128>::at(0, 64) }.set(lane, 1));
    assert_eq!(numbers(&wider[0]), [1, 0, 4, 4]);
    // SAFETY: as above.
    let apart = costs_of(32, &|lane| unsafe { Words::<u64>::at(0, 1024) }.set(16 * lane, 1));
    assert_eq!(numbers(&apart[0]), [1, 0, 32, 2]);
}

#[test]
fn lanes_that_change_one_word_take_turns() {
    with_words(|words| {
        for (words_changed, turns) in [(1, 32), (4, 8), (32, 1)] {
            let costs = costs_of(32, &|lane| _ = words.atomic(lane % words_changed).add(1));
            assert_eq!((costs[0].access, costs[0].turns), ("atomic change", turns));
        }
        // A claim that fails is a change, too.
        let costs = costs_of(32, &|_| _ = words.claim(9u32, 0, 1));
        assert_eq!(costs.iter().map(|cost| (cost.times, cost.turns)).collect::<Vec<_>>(), [(1, 32)]);
    });
}

#[test]
fn lanes_that_are_elsewhere_do_not_take_part() {
    with_words(|words| {
        let branches = costs_of(48, &|t| match t % 32 {
            0..16 => _ = words.read(t),
            _ => _ = words.read(32 + t),
        });
        // The second warp has 16 lanes, and all of them go one way.
        assert_eq!(branches.iter().map(numbers).collect::<Vec<_>>(), [[2, 1, 4, 4], [1, 1, 2, 2]]);
        let loops = costs_of(32, &|t| (0..t).for_each(|_| _ = words.read(t)));
        assert_eq!((loops[0].times, loops[0].fewer), (31, 31));
    });
}

/// Without the meetings, the first pass of odd lanes would count as one with the second pass of even ones.
#[test]
fn accesses_are_put_together_between_two_meetings() {
    with_words(|words| {
        for meet in [&(|| thread::sync_threads()) as &dyn Fn(), &|| {
            // SAFETY: all lanes of the warp are here.
            _ = unsafe { warp::warp_vote_any(u32::MAX, true) }
        }] {
            let costs = costs_of(64, &|t| {
                for pass in 0..4 {
                    if t % 2 == pass % 2 {
                        words.read(t);
                    }
                    meet();
                }
            });
            assert_eq!((costs[0].times, costs[0].fewer), (8, 8));
        }
    });
}

#[test]
fn nothing_is_counted_of_launches_that_are_not_checked() {
    let (_, costs) = costs(|| simt(&Launch::new("k", 1, 32), &|| ()).expect("no error"));
    assert!(costs.is_empty());
}
