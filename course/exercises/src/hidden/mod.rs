//! The hidden tests: each runs a kernel in many shapes and orders and compares it with a sequential program.
//!
//! Main function: [`check`]. Invariant: a kernel passes only if it is right on every device and in every grid
//! of `On::each`.

mod measure;
mod races;
mod solver;
mod threads;

use crate::list::EXERCISES;
use cuda_launch::{Device, Error, Grid, Simulation};

/// Whose kernel is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// The reader's.
    Yours,
    /// That of the folder `solutions`.
    Ours,
}

/// What runs a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    /// The processor, and the simulated GPU.
    Host,
    /// The first GPU.
    #[cfg(feature = "gpu")]
    Gpu,
}

/// Chooses the reader's kernel or ours, of the same name.
macro_rules! choose {
    ($whose:expr, $module:ident::$kernel:ident) => {
        match $whose {
            $crate::hidden::Whose::Yours => $crate::$module::$kernel,
            $crate::hidden::Whose::Ours => $crate::solutions::$module::$kernel,
        }
    };
}

/// A test: of whose kernel, on what.
type Test = fn(Whose, On) -> Result<(), String>;

/// The tests, in the order of the exercises.
const TESTS: [Test; EXERCISES.len()] = [
    |whose, on| threads::reverse(on, choose!(whose, exercise_1::reverse)),
    |whose, on| threads::reverse_tiles(on, choose!(whose, exercise_2::reverse_tiles)),
    |whose, on| threads::add_left(on, choose!(whose, exercise_3::add_left)),
    |whose, on| threads::add_neighbours(on, choose!(whose, exercise_4::add_neighbours)),
    |whose, on| threads::greatest_of_warps(on, choose!(whose, exercise_5::greatest_of_warps)),
    |whose, on| threads::count_above(on, choose!(whose, exercise_6::count_above)),
    |whose, on| threads::part(on, choose!(whose, exercise_7::part)),
    |whose, on| races::greatest(on, choose!(whose, exercise_8::greatest)),
    |whose, on| races::sum_by_last(on, choose!(whose, exercise_9::sum_by_last)),
    |whose, on| races::count_different(on, choose!(whose, exercise_10::count_different)),
    |whose, on| races::spread(on, choose!(whose, exercise_11::spread)),
    |whose, on| {
        measure::element(choose!(whose, exercise_12::element))?;
        measure::sum_in_passes(on, choose!(whose, exercise_12::sum_in_passes))
    },
    |whose, on| {
        measure::place(choose!(whose, exercise_13::place))?;
        measure::turn_over(on, choose!(whose, exercise_13::turn_over))
    },
    |whose, _| measure::blocks_at_once(choose!(whose, exercise_14::blocks_at_once)),
    |whose, on| solver::follow(on, choose!(whose, exercise_15::follow)),
];

/// Tests an exercise on the processor and on the simulated GPU.
///
/// # Errors
/// What is wrong with the kernel, or that there is no such exercise.
pub fn check(number: u32, whose: Whose) -> Result<(), String> {
    check_on(number, whose, On::Host)
}

/// Tests an exercise.
///
/// # Errors
/// What is wrong with the kernel, or that there is no such exercise.
pub fn check_on(number: u32, whose: Whose, on: On) -> Result<(), String> {
    let test = (number as usize).checked_sub(1).and_then(|index| TESTS.get(index));
    test.ok_or_else(|| format!("there is no exercise {number}; there are {}, from 1 on", TESTS.len()))?(
        whose, on,
    )
}

/// The blocks and threads of the grids in which every kernel has to be right.
const GRIDS: [(u32, u32); 3] = [(1, 32), (2, 64), (3, 96)];

impl On {
    /// Tests a kernel in every grid.
    fn each(self, test: impl Fn(&mut Device, Grid) -> Result<(), String>) -> Result<(), String> {
        match self {
            On::Host => {
                test(&mut Device::cpu(), Grid::new(1, 1))
                    .map_err(|why| format!("on the processor: {why}"))?;
                for (blocks, threads) in GRIDS {
                    for seed in 0..3 {
                        let simulation = Simulation { seed, schedules: 4, ..Simulation::default() };
                        test(&mut Device::simulating(simulation), Grid::new(blocks, threads)).map_err(
                            |why| format!("simulated, in a grid of {blocks} times {threads} threads: {why}"),
                        )?;
                    }
                }
                Ok(())
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

fn text(error: Error) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_solutions_pass() {
        for number in 1..=TESTS.len() as u32 {
            assert_eq!(check(number, Whose::Ours), Ok(()), "exercise {number}");
        }
        for none in [0, TESTS.len() as u32 + 1] {
            assert!(check(none, Whose::Ours).is_err_and(|why| why.starts_with("there is no exercise")));
        }
    }

    /// An exercise that says that it is not solved is not solved. Readers take that line out.
    #[test]
    fn what_is_not_solved_fails() {
        for number in 1..=TESTS.len() as u32 {
            let file = format!("{}/src/exercise_{number}.rs", env!("CARGO_MANIFEST_DIR"));
            let source = std::fs::read_to_string(&file).expect("an exercise");
            if source.contains("// Not solved yet.") {
                assert!(check(number, Whose::Yours).is_err(), "{file}");
            }
        }
    }

    #[cfg(feature = "gpu")]
    #[test]
    fn our_solutions_pass_on_a_gpu() {
        if let Err(why) = crate::KERNELS {
            assert!(why.starts_with("no Rust with the sources"), "{why}");
        }
        for number in 1..=TESTS.len() as u32 {
            match check_on(number, Whose::Ours, On::Gpu) {
                Ok(()) => eprintln!("exercise {number}: right"),
                Err(why) if why.starts_with("no GPU: ") => return eprintln!("SKIPPED: {why}"),
                Err(why) => panic!("exercise {number}: {why}"),
            }
        }
    }
}
