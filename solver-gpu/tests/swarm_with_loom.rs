//! The queue of cubes, the end of a search and the pool of nogoods, in every order of two or three searchers.
//!
//! The sources of `swarm/queue.rs` and `swarm/pool.rs` are built once more here, on words of `loom`: `loom` runs
//! a model in all orders of its threads' accesses, and with all values that an access may see by the memory
//! model. The modules [`layout`], [`thread`] and the type [`Lit`] take the places of what these sources import,
//! with the names that these sources know. Queue and pool have very few slots here, so that they soon wrap around.
//!
//! Invariant: what a model asserts holds in each order.

// The modules take the places of documented ones.
#![allow(clippy::modulo_one, missing_docs)]

// The sources say `cuda_std::thread`, which is [`thread`] here.
extern crate self as cuda_std;
pub use cuda_std_macros::inlined;

#[path = "../src/layout/origin.rs"]
#[allow(dead_code)]
mod origin;
#[path = "../src/swarm/pool.rs"]
#[allow(dead_code)]
mod pool;
#[path = "../src/swarm/queue.rs"]
#[allow(dead_code)]
mod queue;

/// As in `solver_gpu`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lit(pub u32);

/// As in `cuda_std`.
pub mod thread {
    /// As on a GPU: an acquiring and releasing fence.
    pub fn device_fence() {
        loom::sync::atomic::fence(loom::sync::atomic::Ordering::AcqRel);
    }
}

/// What takes the place of `solver_gpu::layout`.
pub mod layout {
    pub use crate::origin::Origin;

    use loom::cell::UnsafeCell;
    use loom::sync::atomic::{AtomicU32, AtomicU64, Ordering::*};

    pub const QUEUE: usize = 2;
    pub const CUBE_WORDS: u32 = 3;
    pub const CLASS_SLOTS: u32 = 1;
    pub const DOUBLES: u32 = 1;
    pub const SLOT_HEADER: u32 = 3;
    const CLASSES: u32 = 2;

    pub fn class_of(len: u32) -> u32 {
        len - 1
    }

    pub fn width_of(class: u32) -> u32 {
        class + 1
    }

    pub fn pool_word(class: u32, slot: u32) -> u32 {
        assert!(class < CLASSES && slot < CLASS_SLOTS);
        class * (SLOT_HEADER + 1)
    }

    macro_rules! shared_words {
        ($($Word:ident($Atomic:ident) = $Value:ident;)*) => {$(
            /// The word of this name in `cuda_std::atomic`. The orderings are the same.
            #[derive(Default)]
            pub struct $Word($Atomic);

            #[allow(dead_code)]
            impl $Word {
                pub fn load_relaxed(&self) -> $Value {
                    self.0.load(Relaxed)
                }
                pub fn load_acquire(&self) -> $Value {
                    self.0.load(Acquire)
                }
                pub fn store_relaxed(&self, value: $Value) {
                    self.0.store(value, Relaxed)
                }
                pub fn store_release(&self, value: $Value) {
                    self.0.store(value, Release)
                }
                pub fn fetch_add(&self, more: $Value) -> $Value {
                    self.0.fetch_add(more, Relaxed)
                }
                pub fn swap(&self, value: $Value) -> $Value {
                    self.0.swap(value, Relaxed)
                }
                pub fn compare_exchange(&self, from: $Value, to: $Value) -> Result<$Value, $Value> {
                    self.0.compare_exchange(from, to, AcqRel, Relaxed)
                }
                pub fn compare_exchange_relaxed(&self, from: $Value, to: $Value) -> Result<$Value, $Value> {
                    self.0.compare_exchange(from, to, Relaxed, Relaxed)
                }
            }
        )*};
    }

    shared_words! {
        SharedU32(AtomicU32) = u32;
        SharedU64(AtomicU64) = u64;
    }

    /// An array of words.
    pub struct Array<T>(Vec<T>);

    impl<T: Default> Array<T> {
        fn new(len: u32) -> Array<T> {
            Array((0..len).map(|_| T::default()).collect())
        }

        pub fn get(&self, i: u32) -> &T {
            &self.0[i as usize]
        }
    }

    /// A word whose accesses are plain: `loom` fails if two may happen at once.
    pub struct Plain(UnsafeCell<u32>);

    // SAFETY: `loom` looks for two accesses at once.
    unsafe impl Sync for Plain {}

    impl Default for Plain {
        fn default() -> Plain {
            Plain(UnsafeCell::new(0))
        }
    }

    impl Array<Plain> {
        pub fn read(&self, i: u32) -> u32 {
            // SAFETY: `loom` fails if somebody writes at once.
            self.0[i as usize].0.with(|word| unsafe { *word })
        }

        pub fn write(&self, i: u32, value: u32) {
            // SAFETY: as above.
            self.0[i as usize].0.with_mut(|word| unsafe { *word = value })
        }
    }

    #[derive(Default)]
    pub struct Hub {
        pub open: SharedU32,
        pub head: SharedU32,
        pub tail: SharedU32,
    }

    pub struct Swarm {
        hub: Hub,
        pub cube_lap: Array<SharedU32>,
        pub cubes: Array<Plain>,
        pub pool_end: Array<SharedU32>,
        pub pool_version: Array<SharedU32>,
        pub pool_words: Array<SharedU32>,
        pub doubles: Array<SharedU64>,
    }

    impl Swarm {
        /// A swarm with an empty pool, and an empty queue that has had so many cubes. The number is one of
        /// whole laps.
        pub fn new(tickets: u32) -> Swarm {
            let swarm = Swarm {
                hub: Hub::default(),
                cube_lap: Array::new(QUEUE as u32),
                cubes: Array::new(QUEUE as u32 * CUBE_WORDS),
                pool_end: Array::new(CLASSES),
                pool_version: Array::new(CLASSES * CLASS_SLOTS),
                pool_words: Array::new(2 * SLOT_HEADER + 1 + 2),
                doubles: Array::new(DOUBLES),
            };
            assert_eq!(tickets % QUEUE as u32, 0);
            swarm.hub.head.store_relaxed(tickets);
            swarm.hub.tail.store_relaxed(tickets);
            (0..QUEUE as u32).for_each(|slot| swarm.cube_lap.get(slot).store_relaxed(tickets));
            swarm
        }

        pub fn hub(&self) -> &Hub {
            &self.hub
        }
    }
}

use layout::{Origin, Swarm};
use loom::sync::atomic::{AtomicU32, Ordering::Relaxed};
use loom::sync::Arc;
use pool::Offer;

/// The numbers of tickets that a queue begins with: a fresh queue, and one whose tickets wrap around.
const TICKETS: [u32; 2] = [0, u32::MAX - 1];

/// Runs searchers on threads of their own, the last one on this thread, and returns what they return.
fn at_once<T: Send + 'static>(swarm: &Arc<Swarm>, searchers: Vec<fn(&Swarm) -> T>) -> Vec<T> {
    let mut searchers = searchers;
    let last = searchers.pop().expect("a searcher");
    let others: Vec<_> = searchers
        .into_iter()
        .map(|searcher| {
            let swarm = swarm.clone();
            loom::thread::spawn(move || searcher(&swarm))
        })
        .collect();
    let last = last(swarm);
    let mut results: Vec<T> = others.into_iter().map(|other| other.join().expect("no panic")).collect();
    results.push(last);
    results
}

fn put(swarm: &Swarm, number: u32) -> bool {
    queue::give(swarm, 2, |i| Lit(2 * number + i))
}

/// Takes a cube, which is whole, and returns its number.
fn take(swarm: &Swarm) -> Option<u32> {
    let mut found = [0; 2];
    let len = queue::take(swarm, |i, lit| found[i as usize] = lit.0)?;
    assert!(len == 2 && found[0].is_multiple_of(2) && found[1] == found[0] + 1, "{len}: {found:?}");
    Some(found[0] / 2)
}

/// Runs a model for each number of tickets that a queue begins with.
fn with_queues(model: fn(&Arc<Swarm>)) {
    for tickets in TICKETS {
        loom::model(move || model(&Arc::new(Swarm::new(tickets))));
    }
}

#[test]
fn two_give_and_one_takes() {
    with_queues(|swarm| {
        let moved = at_once(
            swarm,
            vec![|swarm| vec![put(swarm, 1) as u32], |swarm| vec![put(swarm, 2) as u32], |swarm| {
                take(swarm).into_iter().chain(take(swarm)).collect::<Vec<u32>>()
            }],
        );
        assert_eq!(moved[..2], [[1], [1]], "there is room");
        let mut taken = moved[2].clone();
        taken.extend(std::iter::from_fn(|| take(swarm)));
        taken.sort_unstable();
        assert_eq!(taken, [1, 2]);
    });
}

#[test]
fn one_gives_and_two_take() {
    with_queues(|swarm| {
        let moved = at_once(
            swarm,
            vec![
                |swarm| {
                    assert!(put(swarm, 1) && put(swarm, 2));
                    None
                },
                take,
                take,
            ],
        );
        let mut taken: Vec<u32> = moved.into_iter().flatten().collect();
        taken.extend(std::iter::from_fn(|| take(swarm)));
        taken.sort_unstable();
        assert_eq!(taken, [1, 2]);
    });
}

#[test]
fn a_slot_is_given_again_once_it_is_empty() {
    with_queues(|swarm| {
        assert!(put(swarm, 1) && put(swarm, 2));
        let moved = at_once(swarm, vec![|swarm| put(swarm, 3) as u32, |swarm| take(swarm).expect("a cube")]);
        assert_eq!(moved[1], 1, "the oldest");
        let left: Vec<u32> = std::iter::from_fn(|| take(swarm)).collect();
        assert_eq!(left, if moved[0] == 1 { vec![2, 3] } else { vec![2] });
    });
}

/// Searches a cube that a searcher has, and asserts what is true once there is nothing left of all.
fn finish(swarm: &Swarm, done: &AtomicU32, ends: &AtomicU32, all: u32) {
    done.fetch_add(1, Relaxed);
    if queue::finish(swarm) {
        assert_eq!(ends.fetch_add(1, Relaxed), 0, "once");
        // The end orders no other memory, so a plain load might give an old number.
        assert_eq!(done.fetch_add(0, Relaxed), all, "all cubes are done");
    }
}

/// A searcher gives so many cubes away, which the others take if the cubes are there in time, and finishes the
/// cube of its own. One of them says that the search is over, and then all cubes are done.
fn ends_once(given: u32, others: u32, builder: loom::model::Builder) {
    builder.check(move || {
        let state = Arc::new((Swarm::new(0), AtomicU32::new(0), AtomicU32::new(0)));
        state.0.hub().open.store_relaxed(1);
        let others: Vec<_> = (0..others)
            .map(|_| {
                let state = state.clone();
                loom::thread::spawn(move || {
                    if take(&state.0).is_some() {
                        finish(&state.0, &state.1, &state.2, 1 + given);
                    }
                })
            })
            .collect();
        assert!((0..given).all(|number| put(&state.0, number)));
        finish(&state.0, &state.1, &state.2, 1 + given);
        while take(&state.0).is_some() {
            finish(&state.0, &state.1, &state.2, 1 + given);
        }
        others.into_iter().for_each(|other| other.join().expect("no panic"));
        while take(&state.0).is_some() {
            finish(&state.0, &state.1, &state.2, 1 + given);
        }
        assert_eq!(state.2.load(Relaxed), 1);
    });
}

#[test]
fn the_search_of_two_is_over_once_and_then_all_is_done() {
    ends_once(1, 1, loom::model::Builder::new());
}

/// All orders of three searchers are too many: these are all with at most two switches that nobody waits for.
#[test]
fn the_search_of_three_is_over_once_and_then_all_is_done() {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(2);
    ends_once(2, 2, builder);
}

/// Offers a nogood of two literals.
fn offer(swarm: &Swarm, giver: u32, number: u32) -> Offer {
    let origin = Origin::new(giver, number as u64 + (1 << 33));
    pool::offer(swarm, origin, 2, number as u64, |i| Lit(10 * number + i))
}

/// Copies a nogood, which is whole, and returns its number.
fn copy(swarm: &Swarm, ticket: u32, me: u32) -> Option<u32> {
    let mut found = [0; 2];
    let to = |i: u32, lit: Lit| found[i as usize] = lit.0;
    let (len, origin) = pool::copy(swarm, 1, ticket, |searcher| searcher == me, to)?;
    assert!(len == 2 && found[0].is_multiple_of(10) && found[1] == found[0] + 1, "{len}: {found:?}");
    assert_eq!(origin.serial(), found[0] as u64 / 10 + (1 << 33));
    Some(found[0] / 10)
}

#[test]
fn a_nogood_is_copied_whole_or_not_at_all() {
    loom::model(|| {
        let swarm = Arc::new(Swarm::new(0));
        assert_eq!(offer(&swarm, 0, 1), Offer::Taken);
        let copied = at_once(
            &swarm,
            vec![|swarm| (offer(swarm, 0, 2) == Offer::Taken).then_some(2), |swarm| {
                let first = copy(swarm, 0, 9);
                assert!(first.is_none_or(|number| number == 1));
                let second = copy(swarm, 1, 9);
                assert!(second.is_none_or(|number| number == 2));
                second
            }],
        );
        assert_eq!(copied[0], Some(2), "nobody else writes");
        assert_eq!((copy(&swarm, 0, 9), copy(&swarm, 1, 9), copy(&swarm, 1, 0)), (None, Some(2), None));
    });
}

/// Two writers come to the same slot, and one reader: a nogood of the writers is there afterwards.
#[test]
fn two_write_to_a_slot_and_one_copies() {
    loom::model(|| {
        let swarm = Arc::new(Swarm::new(0));
        let offered = at_once(
            &swarm,
            vec![
                |swarm| offer(swarm, 0, 1) == Offer::Taken,
                |swarm| offer(swarm, 1, 2) == Offer::Taken,
                |swarm| {
                    [0, 1]
                        .into_iter()
                        .all(|t| copy(swarm, t, 9).is_none_or(|number| [1, 2].contains(&number)))
                },
            ],
        );
        assert!(offered[2], "a nogood that nobody has offered");
        let left: Vec<u32> = [0, 1].into_iter().filter_map(|ticket| copy(&swarm, ticket, 9)).collect();
        let taken: Vec<u32> = [1, 2].into_iter().filter(|&n| offered[n as usize - 1]).collect();
        assert_eq!(left.len(), 1, "one slot: {left:?} of {taken:?}");
        assert!(taken.contains(&left[0]), "{left:?} of {taken:?}");
    });
}

#[test]
fn of_two_doubles_one_is_taken() {
    loom::model(|| {
        let swarm = Arc::new(Swarm::new(0));
        let offers = at_once(&swarm, vec![|swarm| offer(swarm, 0, 1), |swarm| offer(swarm, 1, 1)]);
        assert!(
            matches!(offers[..], [Offer::Taken, Offer::Double] | [Offer::Double, Offer::Taken]),
            "{offers:?}"
        );
        assert_eq!(copy(&swarm, 0, 9), Some(1));
    });
}
