//! Tests of the exercises on the solver.

use super::{compare, numbers, text, On};
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
