//! The hidden tests: each runs a kernel in many shapes and orders and compares it with a sequential program.
//!
//! Main function: [`check`].

use crate::{exercise_1, exercise_2, exercise_3, exercise_4, exercise_5, solutions};
use cuda_launch::{Device, Grid, Simulation};
use cuda_std::array::Array;

/// The number of exercises.
pub const EXERCISES: u32 = 5;

/// Whose kernel is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// The reader's.
    Yours,
    /// That of the folder `solutions`.
    Ours,
}

/// Tests an exercise.
///
/// # Errors
/// What is wrong with the kernel, or that there is no such exercise.
pub fn check(number: u32, whose: Whose) -> Result<(), String> {
    let is_yours = whose == Whose::Yours;
    match number {
        1 => reverse(if is_yours { exercise_1::reverse } else { solutions::exercise_1::reverse }),
        2 => greatest(if is_yours { exercise_2::greatest } else { solutions::exercise_2::greatest }),
        3 => count(if is_yours { exercise_3::count_above } else { solutions::exercise_3::count_above }),
        4 => neighbours(if is_yours { exercise_4::add_left } else { solutions::exercise_4::add_left }),
        5 => follow(if is_yours { exercise_5::follow } else { solutions::exercise_5::follow }),
        _ => Err(format!("there is no exercise {number}; there are {EXERCISES}, from 1 on")),
    }
}

/// The devices and grids in which every kernel has to be right.
fn each_launch(test: impl Fn(&mut Device, Grid) -> Result<(), String>) -> Result<(), String> {
    test(&mut Device::cpu(), Grid::new(1, 1)).map_err(|why| format!("on the processor: {why}"))?;
    for (blocks, threads) in [(1, 32), (2, 64), (3, 96)] {
        for seed in 0..3 {
            let simulation = Simulation { seed, schedules: 4, ..Simulation::default() };
            test(&mut Device::simulating(simulation), Grid::new(blocks, threads))
                .map_err(|why| format!("simulated, in a grid of {blocks} times {threads} threads: {why}"))?;
        }
    }
    Ok(())
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

fn text(error: cuda_launch::Error) -> String {
    error.to_string()
}

fn reverse(kernel: unsafe fn(Array<u32>, Array<u32>)) -> Result<(), String> {
    each_launch(|device, grid| {
        for n in [0, 1, 100, 777] {
            let data = numbers(n);
            let x = device.upload_constant("x", &data).map_err(text)?;
            let reversed = device.zeros::<u32>("reversed", data.len()).map_err(text)?;
            // SAFETY: both arrays have `n` elements.
            unsafe { device.launch(grid, "reverse", kernel, (x.array(), reversed.array())) }.map_err(text)?;
            let expected: Vec<u32> = data.into_iter().rev().collect();
            compare(&device.download(&reversed).map_err(text)?, &expected)?;
        }
        Ok(())
    })
}

fn greatest(kernel: unsafe fn(Array<u32>, Array<u32>)) -> Result<(), String> {
    each_launch(|device, grid| {
        for n in [1, 100, 777] {
            let data = numbers(n);
            let x = device.upload_constant("x", &data).map_err(text)?;
            let greatest = device.zeros::<u32>("greatest", 1).map_err(text)?;
            // SAFETY: `greatest` has one element.
            unsafe { device.launch(grid, "greatest", kernel, (x.array(), greatest.array())) }
                .map_err(text)?;
            let expected = data.into_iter().max().unwrap_or(0);
            compare(&device.download(&greatest).map_err(text)?, &[expected])?;
        }
        Ok(())
    })
}

fn count(kernel: unsafe fn(Array<u32>, u32, Array<u32>)) -> Result<(), String> {
    each_launch(|device, grid| {
        for n in [0, 1, 100, 777] {
            let data = numbers(n);
            let x = device.upload_constant("x", &data).map_err(text)?;
            let count = device.zeros::<u32>("count", 1).map_err(text)?;
            let arguments = (x.array(), 1 << 23, count.array());
            // SAFETY: `count` has one element, and blocks are whole warps, or one thread.
            unsafe { device.launch(grid, "count_above", kernel, arguments) }.map_err(text)?;
            let expected = data.into_iter().filter(|&x| x > 1 << 23).count() as u32;
            compare(&device.download(&count).map_err(text)?, &[expected])?;
        }
        Ok(())
    })
}

fn neighbours(kernel: unsafe fn(Array<u32>)) -> Result<(), String> {
    each_launch(|device, grid| {
        let n = if grid.threads == 1 { 1 } else { grid.threads };
        let data = numbers(n);
        let x = device.upload("x", &data).map_err(text)?;
        // SAFETY: an element for each thread of the only block.
        unsafe { device.launch(Grid::new(1, n), "add_left", kernel, (x.array(),)) }.map_err(text)?;
        let left = |i: usize| if i == 0 { 0 } else { data[i - 1] };
        let expected: Vec<u32> = (0..data.len()).map(|i| data[i] + left(i)).collect();
        compare(&device.download(&x).map_err(text)?, &expected)
    })
}

fn follow(kernel: unsafe fn(Array<u32>, Array<u32>, Array<u32>)) -> Result<(), String> {
    each_launch(|device, grid| {
        // Nogoods {a, b} over 40 variables, in which some literals hold.
        let pairs: Vec<u32> = numbers(120).into_iter().map(|x| x % 80).collect();
        let values: Vec<u32> = numbers(40).into_iter().map(|x| x % 5 % 3).collect();
        let nogoods = device.upload_constant("nogoods", &pairs).map_err(text)?;
        let known = device.upload_constant("values", &values).map_err(text)?;
        let follows = device.zeros::<u32>("follows", 80).map_err(text)?;
        let arguments = (nogoods.array(), known.array(), follows.array());
        // SAFETY: there are two literals for each nogood, and a word for each literal.
        unsafe { device.launch(grid, "follow", kernel, arguments) }.map_err(text)?;
        let holds = |literal: u32| values[literal as usize / 2] == 1 + literal % 2;
        let is_open = |literal: u32| values[literal as usize / 2] == 0;
        let mut expected = vec![0; 80];
        for pair in pairs.chunks(2) {
            for (a, b) in [(pair[0], pair[1]), (pair[1], pair[0])] {
                if holds(a) && is_open(b) {
                    expected[(b ^ 1) as usize] = 1;
                }
            }
        }
        compare(&device.download(&follows).map_err(text)?, &expected)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_solutions_pass() {
        for number in 1..=EXERCISES {
            assert_eq!(check(number, Whose::Ours), Ok(()), "exercise {number}");
        }
        assert!(check(EXERCISES + 1, Whose::Ours).is_err());
    }

    /// An exercise that says that it is not solved is not solved. Readers take that line out.
    #[test]
    fn what_is_not_solved_fails() {
        let sources = [
            include_str!("exercise_1.rs"),
            include_str!("exercise_2.rs"),
            include_str!("exercise_3.rs"),
            include_str!("exercise_4.rs"),
            include_str!("exercise_5.rs"),
        ];
        for (number, source) in (1..).zip(sources) {
            if source.contains("// Not solved yet.") {
                assert!(check(number, Whose::Yours).is_err(), "exercise {number}");
            }
        }
    }
}
