//! Tests of the exercises on the solver.

use super::{compare, numbers, text, On};
use cuda_launch::Grid;
use cuda_std::array::Array;

pub fn follow(on: On, kernel: unsafe fn(Array<u32>, Array<u32>, Array<u32>)) -> Result<(), String> {
    on.each(|device, grid| {
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

pub fn find_violated(
    on: On,
    kernel: unsafe fn(Array<u32>, Array<u32>, Array<u32>, Array<u32>),
) -> Result<(), String> {
    on.each(|device, grid| {
        // Over 40 variables that all have a value, at first without a violated nogood.
        let values: Vec<u32> = numbers(40).into_iter().map(|x| 1 + x % 2).collect();
        let holds = |literal: u32| values[literal as usize / 2] == 1 + literal % 2;
        for longest in [0, 3, 9, 60] {
            let (mut starts, mut literals) = (vec![0], Vec::new());
            for length in numbers(200).into_iter().map(|x| x % (longest + 1)) {
                literals.extend(numbers(length + 3).into_iter().skip(3).map(|x| (x + length) % 80));
                if longest == 9 {
                    literals.extend((0..80).find(|&literal| !holds(literal)));
                }
                starts.push(literals.len() as u32);
            }
            let of = |k: &usize| &literals[starts[*k] as usize..starts[k + 1] as usize];
            let expected = (0..200).find(|k| of(k).iter().all(|&literal| holds(literal)));
            let begins = device.upload_constant("starts", &starts).map_err(text)?;
            let rows = device.upload_constant("literals", &literals).map_err(text)?;
            let known = device.upload_constant("values", &values).map_err(text)?;
            let least = device.upload("least", &[u32::MAX]).map_err(text)?;
            let arguments = (begins.array(), rows.array(), known.array(), least.array());
            // SAFETY: the arrays describe nogoods and values of their variables.
            unsafe { device.launch(grid, "find_violated", kernel, arguments) }.map_err(text)?;
            let expected = expected.map_or(u32::MAX, |k| k as u32);
            compare(&device.download(&least).map_err(text)?, &[expected])?;
        }
        Ok(())
    })
}

pub fn two_levels(on: On, kernel: unsafe fn(Array<u32>, Array<u32>, Array<u32>)) -> Result<(), String> {
    on.each(|device, grid| {
        for (n, most) in [(0, 1), (1, 9), (2, 9), (50, 1), (50, 9), (50, 1000)] {
            let nogood: Vec<u32> = numbers(n).into_iter().map(|x| x % 200).collect();
            let levels: Vec<u32> = numbers(100).into_iter().map(|x| 1 + x % most).collect();
            let literals = device.upload_constant("nogood", &nogood).map_err(text)?;
            let known = device.upload_constant("levels", &levels).map_err(text)?;
            let two = device.zeros::<u32>("two", 2).map_err(text)?;
            let arguments = (literals.array(), known.array(), two.array());
            let block = Grid::new(1, grid.number_of_threads());
            // SAFETY: each variable has a level, and `two` has two elements.
            unsafe { device.launch(block, "two_levels", kernel, arguments) }.map_err(text)?;
            let mut expected: Vec<u32> = nogood.iter().map(|l| levels[*l as usize / 2]).chain([0]).collect();
            expected.sort_unstable_by(|a, b| b.cmp(a));
            expected.dedup();
            expected.resize(2, 0);
            compare(&device.download(&two).map_err(text)?, &expected[..2])?;
        }
        Ok(())
    })
}
