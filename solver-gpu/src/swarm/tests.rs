//! Several blocks of the simulation share the queue of cubes and the pool of nogoods, in many orders of their
//! threads and with the search for races. `tests/swarm_with_loom.rs` has every order of a few threads.
//!
//! Invariant: what a test asserts holds in each order.

extern crate std;
use super::cube::change_role;
use super::{pool, queue, share};
use crate::assign::{level_of, status, Status};
use crate::hash::{add_hashes, mix};
use crate::layout::{
    class_of, mode, races_of, Hub, Origin, Sizes, Swarm, CLASS_SLOTS, CUBE_WORDS, MAX_CUBE, MAX_SHARED,
    QUEUE, ROLES,
};
use crate::layout::{Shape, CLASSES, NONE};
use crate::lit::unpack;
use crate::nogood::learned_nogood;
use crate::threads::stride::is_first;
use crate::threads::testing::{array_of, own_of, results, results_of_grid};
use crate::watches::{list_len, of_entry};
use crate::{Lit, Search};
use cuda_std::atomic::{SharedU32, SharedU64};
use cuda_std::thread;
use pool::Offer;
use std::collections::BTreeSet;
use std::vec;
use std::vec::Vec;

/// The memory of a swarm's queue and pool.
struct Memory {
    hub: [Hub; 1],
    cube_lap: Vec<SharedU32>,
    cubes: Vec<u32>,
    pool_end: Vec<SharedU32>,
    pool_version: Vec<SharedU32>,
    pool_words: Vec<SharedU32>,
    doubles: Vec<SharedU64>,
}

/// So many words that are 0.
fn words<T: Default>(len: usize) -> Vec<T> {
    let mut words = Vec::new();
    words.resize_with(len, T::default);
    words
}

impl Memory {
    fn new() -> Memory {
        let sizes = Swarm::of_size(Sizes::default());
        Memory {
            hub: [Hub::default()],
            cube_lap: words(sizes.cube_lap.len()),
            cubes: vec![0; sizes.cubes.len()],
            pool_end: words(sizes.pool_end.len()),
            pool_version: words(sizes.pool_version.len()),
            pool_words: words(sizes.pool_words.len()),
            doubles: words(sizes.doubles.len()),
        }
    }

    /// A queue that has had so many cubes already, of which the swarm's are a part.
    fn with_tickets(first: u32) -> Memory {
        let memory = Memory::new();
        memory.hub[0].head.store_relaxed(first);
        memory.hub[0].tail.store_relaxed(first);
        let of_lap = first % QUEUE as u32;
        for (slot, lap) in (0..QUEUE as u32).zip(&memory.cube_lap) {
            let lap_begins = first - of_lap;
            let is_done = slot < of_lap;
            lap.store_relaxed(lap_begins.wrapping_add(if is_done { QUEUE as u32 } else { 0 }));
        }
        memory
    }

    fn swarm(&mut self) -> Swarm {
        Swarm {
            hub: array_of(&mut self.hub),
            cube_lap: array_of(&mut self.cube_lap),
            cubes: array_of(&mut self.cubes),
            pool_end: array_of(&mut self.pool_end),
            pool_version: array_of(&mut self.pool_version),
            pool_words: array_of(&mut self.pool_words),
            doubles: array_of(&mut self.doubles),
            ..Swarm::default()
        }
    }
}

/// The first tickets of the tests: a fresh queue, and one whose tickets wrap around.
const TICKETS: [u32; 3] = [0, QUEUE as u32 - 2, u32::MAX - 5];

/// The length and the literals of cube `number`, all of which depend on the number.
fn cube(number: u32) -> (u32, impl Fn(u32) -> Lit) {
    (1 + number % 5, move |i| Lit(number * 8 + i))
}

/// Takes a cube, which is whole, and returns its number.
fn take(swarm: &Swarm) -> Option<u32> {
    let mut found = [Lit(0); 8];
    let len = queue::take(swarm, |i, lit| found[i as usize] = lit)?;
    let number = found[0].0 / 8;
    let (expected, lit) = cube(number);
    assert_eq!(len, expected, "cube {number}");
    assert!((0..len).all(|i| found[i as usize] == lit(i)), "cube {number}: {found:?}");
    Some(number)
}

fn put(swarm: &Swarm, number: u32) -> bool {
    let (len, lit) = cube(number);
    queue::give(swarm, len, lit)
}

#[test]
fn cubes_come_out_in_the_order_in_which_they_went_in() {
    for first in TICKETS {
        let mut memory = Memory::with_tickets(first);
        let swarm = memory.swarm();
        results_of_grid(1, 1, 0, |_, _| {
            assert_eq!(take(&swarm), None, "from {first} on");
            // The queue is filled to the end and emptied, and each time begins at another slot.
            for lap in 0..3 {
                assert!((0..QUEUE as u32).all(|i| put(&swarm, lap + i)), "from {first} on, lap {lap}");
                assert!(!put(&swarm, 9999) && queue::waiting(&swarm) == QUEUE as u32, "from {first} on");
                assert_eq!(swarm.hub().open.load_relaxed(), QUEUE as u32);
                for i in 0..QUEUE as u32 {
                    assert_eq!(take(&swarm), Some(lap + i), "from {first} on");
                    assert_eq!(queue::finish(&swarm), i + 1 == QUEUE as u32, "from {first} on");
                }
                assert!(take(&swarm).is_none() && queue::waiting(&swarm) == 0, "from {first} on");
                assert!(put(&swarm, 7) && take(&swarm) == Some(7) && queue::finish(&swarm));
            }
        });
    }
}

#[test]
fn the_longest_cube_fits_into_its_row() {
    let mut memory = Memory::new();
    let swarm = memory.swarm();
    results_of_grid(1, 1, 0, |_, _| {
        for number in 0..2 {
            assert!(queue::give(&swarm, MAX_CUBE, |i| Lit(1000 * number + i)));
        }
        for number in 0..2 {
            let len = queue::take(&swarm, |i, lit| assert_eq!(lit, Lit(1000 * number + i)));
            assert_eq!(len, Some(CUBE_WORDS - 1));
        }
    });
}

#[test]
fn each_cube_is_taken_by_one_block() {
    const EACH: u32 = 6;
    for seed in 0..40 {
        let first = TICKETS[seed as usize % 3];
        let mut memory = Memory::with_tickets(first);
        let swarm = memory.swarm();
        let taken = results_of_grid(4, 32, seed, |_, _| {
            let mut taken = Vec::new();
            if is_first() {
                for i in 0..EACH {
                    assert!(put(&swarm, thread::block_idx_x() * EACH + i));
                    taken.extend(take(&swarm));
                }
                // The other blocks may have taken more than they gave, but then they gave all of theirs.
                while let Some(number) = take(&swarm) {
                    taken.push(number);
                }
            }
            taken
        });
        let mut taken = taken.concat();
        // A block that was late to say that a cube is whole hides those after that cube from the others.
        results_of_grid(1, 1, 0, |_, _| assert_eq!(take(&swarm), None, "seed {seed}"));
        taken.sort_unstable();
        assert_eq!(taken, (0..4 * EACH).collect::<Vec<u32>>(), "seed {seed}, tickets from {first} on");
    }
}

#[test]
fn a_full_queue_refuses_cubes_and_loses_none() {
    for seed in 0..20 {
        let mut memory = Memory::with_tickets(TICKETS[seed as usize % 3]);
        let swarm = memory.swarm();
        let room = 3;
        results_of_grid(1, 1, 0, |_, _| {
            assert!((0..QUEUE as u32 - room).all(|i| put(&swarm, 1000 + i)));
        });
        // Two blocks put more than there is room for, another one takes some.
        let moved = results_of_grid(3, 32, seed, |_, _| match thread::block_idx_x() {
            0 if is_first() => (0..5).filter_map(|_| take(&swarm)).collect(),
            block if is_first() => (0..5).map(|i| 10 * block + i).filter(|&i| put(&swarm, i)).collect(),
            _ => Vec::new(),
        });
        let (taken, given) = (moved[0].clone(), [&moved[32][..], &moved[64][..]].concat());
        assert_eq!(taken, (1000..1005).collect::<Vec<u32>>(), "seed {seed}: the oldest");
        assert!(given.len() >= room as usize, "seed {seed}: {given:?}");
        let left = results_of_grid(1, 1, 0, |_, _| {
            std::iter::from_fn(|| take(&swarm)).filter(|&number| number < 1000).collect::<BTreeSet<u32>>()
        });
        assert_eq!(left[0], given.iter().copied().collect(), "seed {seed}");
        assert_eq!(swarm.hub().open.load_relaxed(), QUEUE as u32 - room + given.len() as u32);
    }
}

/// Searchers divide a space of numbers: who has a part gives half of it away or searches one number of it.
/// The search is over once, and then every number was searched by one searcher.
#[test]
fn one_searcher_says_that_the_search_is_over_and_it_is() {
    const SPACE: u32 = 40;
    for seed in 0..60 {
        let mut memory = Memory::with_tickets(TICKETS[seed as usize % 3]);
        let swarm = memory.swarm();
        swarm.hub().open.store_relaxed(1);
        let searched: Vec<SharedU32> = words(SPACE as usize);
        let ends = results_of_grid(3, 32, seed, |_, number| {
            if !is_first() {
                return 0;
            }
            let (mut mine, mut ends) = (if number == 0 { Some((0, SPACE)) } else { None }, 0);
            let mut step = seed as u32 + number;
            while swarm.hub().done.load_relaxed() == 0 {
                let Some((from, end)) = mine else {
                    let mut part = [0; 2];
                    mine = queue::take(&swarm, |i, lit| part[i as usize] = lit.0).map(|_| part.into());
                    thread::nanosleep(50);
                    continue;
                };
                step = mix(step as u64) as u32;
                let middle = from + (end - from) / 2;
                if end - from > 1 && step.is_multiple_of(2) {
                    let part = [middle, end];
                    assert!(queue::give(&swarm, 2, |i| Lit(part[i as usize])));
                    mine = Some((from, middle));
                } else if from < end {
                    searched[from as usize].fetch_add(1);
                    mine = Some((from + 1, end));
                } else {
                    mine = None;
                    if queue::finish(&swarm) {
                        assert!(searched.iter().all(|times| times.load_relaxed() == 1), "seed {seed}");
                        swarm.hub().done.store_relaxed(1);
                        ends += 1;
                    }
                }
            }
            ends
        });
        assert_eq!(ends.iter().sum::<u32>(), 1, "seed {seed}");
    }
}

/// A searcher of a swarm of 8, at level 1, with a cube of two literals and what it assumes before them.
/// `test` gets its search and the literals of the cube.
fn with_cube(assumed: u32, test: impl Fn(&Search, Vec<Lit>)) {
    let mut memory = Memory::new();
    let shape = Shape { vars: 8, cube_lits: 8, ..Shape::default() };
    let (own, _own_memory) = own_of(&shape);
    let swarm = Swarm { searchers: 8, first: 1, may_race: 1, ..memory.swarm() };
    let mut s = Search { own, swarm, ..Search::default() };
    s.settings.assumed = assumed;
    let state = s.own.state();
    for (word, value) in [(&state.level, 1), (&state.root, 1), (&state.mode, mode::CUBE)] {
        word.store(value);
    }
    state.cube_len.store(assumed + 2);
    (0..assumed + 2).for_each(|i| s.own.cube.write(i, Lit(2 * i)));
    s.swarm.hub().open.store_relaxed(1);
    test(&s, (assumed..assumed + 2).map(|i| Lit(2 * i)).collect());
}

#[test]
fn a_searcher_whose_role_changes_gives_its_cube_back_and_takes_one_later() {
    for (seed, assumed) in [(0, 0), (1, 3), (2, 0), (3, 2)] {
        with_cube(assumed, |s, cube| {
            let (state, hub) = (s.own.state(), s.swarm.hub());
            let change = || results([1, 32, 64][seed % 3], seed as u64, |block, _| change_role(block, s));
            let told = || (state.mode.now(), state.cube_len.now(), hub.open.load_relaxed());
            change();
            assert_eq!(told(), (mode::CUBE, assumed + 2, 1), "its role is to take cubes");
            state.races.store(1);
            change();
            assert_eq!(told(), (mode::RACE, assumed, 1));
            assert_eq!((state.root.now(), state.placed.now()), ((assumed == 0) as u32, 0));
            assert_eq!((queue::waiting(&s.swarm), hub.hungry.load_relaxed()), (1, 0));
            change();
            assert_eq!(told(), (mode::RACE, assumed, 1), "it goes on racing");
            state.races.store(0);
            change();
            assert_eq!(told(), (mode::CUBE, assumed + 2, 1));
            assert_eq!((queue::waiting(&s.swarm), hub.hungry.load_relaxed()), (0, 0));
            let had: Vec<Lit> = (assumed..assumed + 2).map(|i| s.own.cube.read(i)).collect();
            assert_eq!(had, cube);
            // Without a cube it races on, and is counted among those that want one, once.
            state.races.store(1);
            change();
            assert!(queue::take(&s.swarm, |_, _| ()).is_some());
            state.races.store(0);
            change();
            change();
            assert_eq!((state.mode.now(), hub.hungry.load_relaxed()), (mode::RACE, 1));
        });
    }
}

#[test]
fn a_searcher_keeps_its_cube_if_the_queue_is_full() {
    with_cube(1, |s, _| {
        (0..QUEUE as u32).for_each(|number| assert!(put(&s.swarm, number)));
        s.own.state().races.store(1);
        results(32, 1, |block, _| change_role(block, s));
        let state = s.own.state();
        assert_eq!((state.mode.now(), state.cube_len.now(), state.root.now()), (mode::CUBE, 3, 0));
    });
}

#[test]
fn those_who_race_are_spread_and_never_the_first() {
    for searchers in [1, 2, 4, 8, 16, 64, 128] {
        for racing in 0..=ROLES {
            let racers: Vec<u32> = (0..searchers).filter(|&number| races_of(number, racing)).collect();
            assert!(!racers.contains(&0));
            let share = (searchers * racing / ROLES).min(searchers - 1);
            assert_eq!(racers.len() as u32, share, "{racing} of {searchers}: {racers:?}");
        }
    }
}

/// The literals of a nogood of `len` literals: all depend on the number.
fn nogood_lit(number: u32, i: u32) -> Lit {
    Lit(number * 64 + i)
}

fn offer(swarm: &Swarm, giver: u32, number: u32, len: u32) -> Offer {
    let hash = (0..len).map(|i| mix(nogood_lit(number, i).0 as u64)).fold(0, add_hashes);
    pool::offer(swarm, Origin::new(giver, number as u64), len, hash, |i| nogood_lit(number, i))
}

/// Copies a nogood of `class`: its number, which its literals tell, if it is there. It is whole.
fn copy(swarm: &Swarm, class: u32, ticket: u32, me: u32) -> Option<u32> {
    let mut found = [Lit(0); MAX_SHARED as usize];
    let to = |i: u32, lit: Lit| found[i as usize] = lit;
    let (len, origin) = pool::copy(swarm, class, ticket, |searcher| searcher == me, to)?;
    let number = found[0].0 / 64;
    assert_eq!(origin.serial(), number as u64, "the origin is of another nogood");
    assert_eq!(class_of(len), class, "nogood {number}");
    assert!((0..len).all(|i| found[i as usize] == nogood_lit(number, i)), "{number}, {len}: {found:?}");
    Some(number)
}

#[test]
fn a_nogood_of_each_length_is_copied_whole_and_not_by_its_giver() {
    let mut memory = Memory::new();
    let swarm = memory.swarm();
    results_of_grid(1, 1, 0, |_, _| {
        for len in 1..=MAX_SHARED {
            let (class, ticket) = (class_of(len), pool::end(&swarm, class_of(len)));
            assert_eq!(copy(&swarm, class, ticket, 1), None, "nothing was offered");
            assert_eq!(offer(&swarm, 7, len, len), Offer::Taken);
            assert_eq!(offer(&swarm, 8, len, len), Offer::Double);
            assert_eq!(copy(&swarm, class, ticket, 1), Some(len));
            assert_eq!(copy(&swarm, class, ticket, 7), None, "it is the searcher's own");
            assert_eq!(pool::end(&swarm, class), ticket + 1, "a double takes no place");
        }
    });
}

#[test]
fn the_oldest_nogoods_make_way() {
    let mut memory = Memory::new();
    let swarm = memory.swarm();
    results_of_grid(1, 1, 0, |_, _| {
        let more = 5;
        let class = class_of(2);
        for number in 0..CLASS_SLOTS + more {
            assert_eq!(offer(&swarm, 0, number, 2), Offer::Taken);
        }
        assert_eq!(pool::end(&swarm, class), CLASS_SLOTS + more);
        assert!((0..more).all(|ticket| copy(&swarm, class, ticket, 1).is_none()), "these are gone");
        let there = more..CLASS_SLOTS + more;
        assert!(there.clone().all(|ticket| copy(&swarm, class, ticket, 1) == Some(ticket)));
        // The neighbouring classes have words of their own.
        assert_eq!(pool::end(&swarm, class - 1), 0);
        assert_eq!(offer(&swarm, 0, 50_000, 1), Offer::Taken);
        assert_eq!(offer(&swarm, 0, 50_001, 3), Offer::Taken);
        assert!(there.clone().all(|ticket| copy(&swarm, class, ticket, 1) == Some(ticket)));
    });
}

#[test]
fn copies_that_others_write_over_are_whole_or_none() {
    let (mut whole, mut none) = (0, 0);
    for seed in 0..60 {
        let mut memory = Memory::new();
        let class = class_of(4);
        // Some slots before the end: the writers' third nogood is in the first slot again.
        let first = 3 * CLASS_SLOTS - 2;
        memory.pool_end[class as usize].store_relaxed(first);
        let swarm = memory.swarm();
        results_of_grid(1, 1, 0, |_, _| {
            // The readers look at these, and the writers write over the same slots a lap later.
            for number in 0..4 {
                assert_eq!(offer(&swarm, 9, number, 4), Offer::Taken);
            }
        });
        memory.pool_end[class as usize].store_relaxed(first + CLASS_SLOTS);
        let swarm = memory.swarm();
        let counts = results_of_grid(4, 32, seed, |_, _| {
            let (block, mut counts) = (thread::block_idx_x(), (0, 0));
            for i in (0..4).filter(|_| is_first()) {
                if block < 2 {
                    assert_eq!(offer(&swarm, block, 100 * (block + 1) + i, 3 + i % 2), Offer::Taken);
                    continue;
                }
                for (ticket, low) in [(first + i, 0), (first + CLASS_SLOTS + i, 100)] {
                    match copy(&swarm, class, ticket, block) {
                        Some(number) => {
                            let expected = if low == 0 { i..i + 1 } else { 100..204 };
                            assert!(expected.contains(&number), "seed {seed}: {number}");
                            counts.0 += 1;
                        }
                        None => counts.1 += 1,
                    }
                }
            }
            counts
        });
        whole += counts.iter().map(|&(whole, _)| whole).sum::<u32>();
        none += counts.iter().map(|&(_, none)| none).sum::<u32>();
        // At the end all that were offered are there.
        results_of_grid(1, 1, 0, |_, _| {
            let there = (0..8).filter_map(|i| copy(&swarm, class, first + CLASS_SLOTS + i, 99));
            assert_eq!(there.collect::<BTreeSet<u32>>().len(), 8, "seed {seed}");
        });
    }
    assert!(whole > 100 && none > 100, "{whole} whole copies, {none} none");
}

#[test]
fn of_doubles_one_is_taken() {
    for seed in 0..30 {
        let mut memory = Memory::new();
        let swarm = memory.swarm();
        let offers =
            results_of_grid(4, 32, seed, |_, number| is_first().then(|| offer(&swarm, number, 77, 2)));
        let taken = offers.iter().filter(|&&offered| offered == Some(Offer::Taken)).count();
        assert_eq!(taken, 1, "seed {seed}");
        results_of_grid(1, 1, 0, |_, _| {
            assert_eq!(copy(&swarm, class_of(2), 0, 999), Some(77), "seed {seed}")
        });
    }
}

/// The nogoods that an import is to find, for a seed: different variables in each, in the order of the pool.
fn offered(seed: u64, vars: u32) -> Vec<Vec<Lit>> {
    let nogood = |number: u64| {
        let (word, len) = (mix(seed << 20 | number << 8), 1 + number as u32 % 9);
        (0..len)
            .map(|i| Lit(((word as u32 % vars + i) % vars) << 1 | (word >> (40 + i)) as u32 & 1))
            .collect()
    };
    let mut nogoods: Vec<Vec<Lit>> = (0..90).map(nogood).collect();
    nogoods.sort_by_key(|nogood| class_of(nogood.len() as u32));
    nogoods
}

#[test]
fn nogoods_are_imported_at_any_level_with_the_right_watches() {
    const VARS: u32 = 16;
    let (mut late, mut useless, mut units) = (0, 0, 0);
    for seed in 0..60 {
        let shape = Shape {
            vars: VARS as usize,
            learned: 200,
            learned_lits: 2000,
            watch_entries: 4000,
            pool_classes: CLASSES as usize,
            ..Shape::default()
        };
        let ((own, _own_memory), mut memory) = (own_of(&shape), Memory::new());
        let mut s = Search { own, ..Search::default() };
        (s.problem.vars, s.settings.slots) = (VARS, 1);
        s.settings.assumes = (seed % 2 == 1) as u32;
        let searchers = if seed % 5 == 4 { 40 } else { 2 };
        s.swarm = Swarm { searchers, share_len: 10, import_most: 2000, ..memory.swarm() };
        let (backtrack, state) = (1 + seed as u32 / 2 % 3, s.own.state());
        // Assumptions may be decided on again, which undoes what holds at the backtrack level.
        let kept = if s.settings.assumes == 1 { 1 } else { backtrack };
        // Every third search is at its backtrack level.
        let level = if seed % 3 == 0 { backtrack } else { 5 };
        for word in [&state.backtrack_level, &state.root] {
            word.store(backtrack);
        }
        state.level.store(level);
        state.import_every.store(100);
        for p in 0..VARS {
            let word = mix(seed << 8 | p as u64);
            let at = (1 + (word >> 8) as u32 % level) as i32;
            s.own.value.write(p, [0, at, -at][word as usize % 3]);
        }
        let nogoods = offered(seed, VARS);
        results_of_grid(1, 1, 0, |_, _| {
            for (serial, nogood) in (0..).zip(&nogoods) {
                let lit = |i: u32| nogood[i as usize];
                let origin = Origin::new(1, serial);
                assert_eq!(
                    pool::offer(&s.swarm, origin, nogood.len() as u32, serial, lit),
                    Offer::Taken,
                    "seed {seed}"
                );
            }
        });
        for _ in 0..2 {
            results([1, 32, 64][seed as usize % 3], seed, |block, _| share::import(block, &s));
        }
        // What a literal is worth to be watched.
        let worth = |lit: Lit| match status(&s.own, lit) {
            Status::Held => level_of(&s.own, lit).0,
            Status::Open | Status::Falsified => NONE,
        };
        let is_useless = |nogood: &Vec<Lit>| {
            nogood
                .iter()
                .any(|&lit| status(&s.own, lit) == Status::Falsified && level_of(&s.own, lit).0 <= backtrack)
        };
        let comes = |nogood: &&Vec<Lit>| !is_useless(nogood) && (nogood.len() > 1 || level == backtrack);
        let expected: Vec<&Vec<Lit>> = nogoods.iter().filter(comes).collect();
        assert_eq!(state.learned.now() as usize, expected.len(), "seed {seed}");
        assert_eq!(state.import_at.now(), 100, "seed {seed}: the second import was not due");
        // Many searchers look more seldom, and half of what they import counts for the next deletion.
        let (every, spares) = if searchers > 32 { (105, 2) } else { (100, 1) };
        assert_eq!(state.import_every.now(), every, "seed {seed}");
        let (limit, all) = (state.learned_limit.now(), expected.len() as u32);
        assert_eq!(limit, all / spares, "seed {seed}");
        let mut expected_late = Vec::new();
        for (i, nogood) in (0..).zip(&expected) {
            let stored = learned_nogood(&s.own, i);
            assert!((0..stored.len).map(|at| stored.lit(at)).eq(nogood.iter().copied()), "seed {seed}: {i}");
            let (a, b) = unpack(s.own.learned_record.get(i).watch.now());
            let mut worths: Vec<u32> = nogood.iter().map(|&lit| worth(lit)).collect();
            worths.sort_unstable();
            worths.reverse();
            let second = worths.get(1).copied().unwrap_or(0);
            assert_eq!((worth(a).max(worth(b)), a == b), (worths[0], nogood.len() == 1), "seed {seed}: {i}");
            assert!(a == b || worth(a).min(worth(b)) == second, "seed {seed}: {i}");
            if level > kept && second < level {
                expected_late.push(i);
            }
            for (lit, other) in [(a, b), (b, a)] {
                let from = s.own.watch_at.read(lit.0);
                let is_listed = (from..from + list_len(&s.own, lit))
                    .any(|at| of_entry(s.own.watch_list.read(at)) == (i, other));
                assert!(is_listed, "seed {seed}: {i}");
            }
        }
        let found_late: Vec<u32> = (0..state.late.now()).map(|at| s.own.late.read(at)).collect();
        assert_eq!(found_late, expected_late, "seed {seed}");
        late += found_late.len();
        units += expected.iter().filter(|nogood| nogood.len() == 1).count();
        useless += nogoods.iter().filter(|nogood| is_useless(nogood)).count();
    }
    assert!(late > 100 && useless > 100 && units > 20, "{late} late, {useless} useless, {units} units");
}
