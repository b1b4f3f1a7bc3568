//! The hidden tests: each runs a kernel in many shapes and orders and compares it with a sequential program.
//!
//! Main macro: [`test!`](crate::test). Invariant: a kernel passes only if it is right on every device and in
//! every grid of `On::each`.

#[doc(hidden)]
pub mod measure;
#[doc(hidden)]
pub mod races;
#[doc(hidden)]
pub mod solver;
#[doc(hidden)]
pub mod threads;

use crate::list::EXERCISES;
use cuda_launch::{Device, Error, Grid, Simulation};
use cuda_std::host::{counts, Counts};

/// What runs a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    /// The processor, and the simulated GPU.
    Host,
    /// The first GPU.
    #[cfg(feature = "gpu")]
    Gpu,
}

/// The test of an exercise, `test!(NUMBER, on what, CRATE OR MODULE)`, of the kernels there.
#[macro_export]
macro_rules! test {
    (1, $on:expr, $of:ident) => {
        $crate::hidden::threads::reverse($on, $of::reverse)
    };
    (2, $on:expr, $of:ident) => {
        $crate::hidden::threads::reverse_tiles($on, $of::reverse_tiles)
    };
    (3, $on:expr, $of:ident) => {
        $crate::hidden::threads::add_left($on, $of::add_left)
    };
    (4, $on:expr, $of:ident) => {
        $crate::hidden::threads::add_neighbours($on, $of::add_neighbours)
    };
    (5, $on:expr, $of:ident) => {
        $crate::hidden::threads::greatest_of_warps($on, $of::greatest_of_warps)
    };
    (6, $on:expr, $of:ident) => {
        $crate::hidden::threads::count_above($on, $of::count_above)
    };
    (7, $on:expr, $of:ident) => {
        $crate::hidden::threads::part($on, $of::part)
    };
    (8, $on:expr, $of:ident) => {
        $crate::hidden::races::greatest($on, $of::greatest)
    };
    (9, $on:expr, $of:ident) => {
        $crate::hidden::races::sum_by_last($on, $of::sum_by_last)
    };
    (10, $on:expr, $of:ident) => {
        $crate::hidden::races::count_different($on, $of::count_different)
    };
    (11, $on:expr, $of:ident) => {
        $crate::hidden::races::sort($on, $of::sort)
    };
    (12, $on:expr, $of:ident) => {
        $crate::hidden::races::spread($on, $of::spread)
    };
    (13, $on:expr, $of:ident) => {
        $crate::hidden::measure::percent_of_copy($on, $of::percent_of_copy)
    };
    (14, $on:expr, $of:ident) => {
        $crate::hidden::measure::sum($on, $of::sum)
    };
    (15, $on:expr, $of:ident) => {
        $crate::hidden::measure::passes($on, $of::passes)
    };
    (16, $on:expr, $of:ident) => {
        $crate::hidden::measure::sum_in_passes($on, $of::sum_in_passes)
    };
    (17, $on:expr, $of:ident) => {
        $crate::hidden::measure::turn_over($on, $of::turn_over)
    };
    (18, $on:expr, $of:ident) => {
        $crate::hidden::measure::blocks_at_once($on, $of::blocks_at_once)
    };
    (19, $on:expr, $of:ident) => {
        $crate::hidden::solver::follow($on, $of::follow)
    };
    (20, $on:expr, $of:ident) => {
        $crate::hidden::solver::find_violated($on, $of::find_violated)
    };
    (21, $on:expr, $of:ident) => {
        $crate::hidden::solver::two_levels($on, $of::two_levels)
    };
    ($none:literal, $on:expr, $of:ident) => {
        $crate::hidden::none($none)
    };
}

/// A test, on what.
type Test = fn(On) -> Result<(), String>;

/// The tests of the kernels in a module, in the order of the exercises.
macro_rules! tests {
    ($of:ident: $($number:tt $file:ident)*) => {
        &[$(|on| { use crate::$of::$file; test!($number, on, $file) }),*]
    };
    ($of:ident) => {
        tests!($of: 1 exercise_1 2 exercise_2 3 exercise_3 4 exercise_4 5 exercise_5 6 exercise_6 7 exercise_7
            8 exercise_8 9 exercise_9 10 exercise_10 11 exercise_11 12 exercise_12 13 exercise_13
            14 exercise_14 15 exercise_15 16 exercise_16 17 exercise_17 18 exercise_18 19 exercise_19
            20 exercise_20 21 exercise_21)
    };
}

/// The tests of our solutions.
const OURS: &[Test] = tests!(solutions);

/// Tests our solution of an exercise.
///
/// # Errors
/// What is wrong with the kernel, or that there is no such exercise.
pub fn check(number: u32, on: On) -> Result<(), String> {
    match (number as usize).checked_sub(1).and_then(|index| OURS.get(index)) {
        Some(test) => test(on),
        None => none(number),
    }
}

/// Says that there is no such exercise.
///
/// # Errors
/// Always.
pub fn none(number: u32) -> Result<(), String> {
    Err(format!("there is no exercise {number}; there are {}, from 1 on", EXERCISES.len()))
}

/// The blocks and threads of the grids in which every kernel has to be right.
const GRIDS: [(u32, u32); 3] = [(1, 32), (2, 64), (3, 96)];

impl On {
    /// Tests a kernel in every grid.
    fn each(self, test: impl Fn(&mut Device, Grid) -> Result<(), String>) -> Result<(), String> {
        match self {
            On::Host => {
                // The simulation ends a loop that does not, and the processor would not.
                for (blocks, threads) in GRIDS {
                    for seed in 0..3 {
                        let simulation = Simulation { seed, schedules: 4, ..Simulation::default() };
                        test(&mut Device::simulating(simulation), Grid::new(blocks, threads)).map_err(
                            |why| format!("simulated, in a grid of {blocks} times {threads} threads: {why}"),
                        )?;
                    }
                }
                test(&mut Device::cpu(), Grid::new(1, 1)).map_err(|why| format!("on the processor: {why}"))
            }
            #[cfg(feature = "gpu")]
            On::Gpu => {
                let mut device = Device::gpu(0, crate::KERNELS).map_err(text)?;
                GRIDS.into_iter().try_for_each(|(blocks, threads)| {
                    test(&mut device, Grid::new(blocks, threads))
                        .map_err(|why| format!("in a grid of {blocks} times {threads} threads: {why}"))
                })
            }
        }
    }
}

/// Numbers that look random.
fn numbers(n: u32) -> Vec<u32> {
    (0..n).map(|i| i.wrapping_mul(2654435761) >> 8).collect()
}

/// Whether two results are equal.
fn compare(found: &[u32], expected: &[u32]) -> Result<(), String> {
    match (0..expected.len()).find(|&i| found[i] != expected[i]) {
        Some(i) => Err(format!("element {i} of {} is {} instead of {}", found.len(), found[i], expected[i])),
        None => Ok(()),
    }
}

/// What the threads of the last launch did, if the device counts that.
fn did(device: &Device) -> Option<Counts> {
    (device.name() == "simt").then(counts)
}

/// Refuses more atomic operations in the last launch.
fn at_most(device: &Device, most: u32) -> Result<(), String> {
    match did(device).map(|did| did.atomics) {
        Some(found) if found > most.into() => Err(format!(
            "right, but with {found} atomic operations where {most} are enough: the exercise asks that one lane \
             adds for all 32"
        )),
        _ => Ok(()),
    }
}

fn text(error: Error) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tests of the files that the reader changes.
    const YOURS: &[Test] = tests!(yours);

    #[test]
    fn our_solutions_pass() {
        for number in 1..=OURS.len() as u32 {
            assert_eq!(check(number, On::Host), Ok(()), "exercise {number}");
        }
        for none in [0, OURS.len() as u32 + 1] {
            assert!(check(none, On::Host).is_err_and(|why| why.starts_with("there is no exercise")));
        }
    }

    /// A right result is not enough: each of these kernels does without what its exercise is about.
    #[test]
    fn a_kernel_that_misses_the_point_is_told_so() {
        use cuda_std::array::Array;
        use cuda_std::{thread, warp};
        fn over(n: usize, mut does: impl FnMut(u32)) {
            let mut i = thread::index_1d();
            while (i as usize) < n {
                does(i);
                i += thread::block_dim_x() * thread::grid_dim_x();
            }
        }
        fn tiles(x: Array<u32>, reversed: Array<u32>) {
            let n = x.len() as u32;
            over(x.len(), |i| {
                reversed.write(i, x.read(i / 64 * 64 + (n - i / 64 * 64).min(64) - 1 - i % 64))
            });
        }
        fn greatest(x: Array<u32>, greatest: Array<u32>) {
            let of = |g: u32| (32 * g..32 * g + 32).filter(|&i| (i as usize) < x.len()).map(|i| x.read(i));
            over(greatest.len(), |g| greatest.write(g, of(g).max().unwrap_or(0)));
        }
        fn count(x: Array<u32>, limit: u32, count: Array<u32>) {
            over(x.len(), |i| {
                count.atomic(0u32).add((x.read(i) > limit) as u32);
            });
        }
        fn count_by_warps(x: Array<u32>, limit: u32, count: Array<u32>) {
            let lanes = if thread::is_single() { 1 } else { 32 };
            over(x.len(), |i| {
                let mine = warp::lane_id() == 0;
                let last = (i as usize + lanes).min(x.len()) as u32;
                let above = (i..last).filter(|&k| mine && x.read(k) > limit).count();
                if mine {
                    count.atomic(0u32).add(above as u32);
                }
            });
        }
        fn part(x: Array<u32>, parted: Array<u32>, counts: Array<u32>) {
            over(x.len(), |i| match x.read(i) % 2 {
                1 => parted.write(counts.atomic(0u32).add(1), x.read(i)),
                _ => parted.write(x.len() as u32 - 1 - counts.atomic(1u32).add(1), x.read(i)),
            });
        }
        let on = On::Host;
        for (told, word) in [
            (threads::reverse_tiles(on, tiles), "in shared memory"),
            (threads::greatest_of_warps(on, greatest), "shuffle"),
            (threads::count_above(on, count), "atomic operation"),
            (threads::count_above(on, count_by_warps), "vote"),
            (threads::part(on, part), "atomic operation"),
        ] {
            assert!(
                told.as_ref().is_err_and(|why| why.contains("right, but") && why.contains(word)),
                "{told:?}"
            );
        }
    }

    /// An exercise that says that it is not solved is not solved. Readers take that line out.
    #[test]
    fn what_is_not_solved_fails() {
        for (number, test) in (1..).zip(YOURS) {
            let file = format!("{}/src/exercise_{number}.rs", env!("CARGO_MANIFEST_DIR"));
            let source = std::fs::read_to_string(&file).expect("an exercise");
            if source.contains("// Not solved yet.") {
                assert!(test(On::Host).is_err(), "{file}");
            }
        }
    }

    #[cfg(feature = "gpu")]
    #[test]
    fn our_solutions_pass_on_a_gpu() {
        if let Err(why) = crate::KERNELS {
            assert!(why.starts_with("no Rust with the sources"), "{why}");
        }
        for number in 1..=OURS.len() as u32 {
            match check(number, On::Gpu) {
                Ok(()) => eprintln!("exercise {number}: right"),
                Err(why) if why.starts_with("no GPU: ") => return eprintln!("SKIPPED: {why}"),
                Err(why) => panic!("exercise {number}: {why}"),
            }
        }
    }
}
