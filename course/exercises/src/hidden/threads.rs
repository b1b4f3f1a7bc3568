//! Tests of the exercises on threads, warps and memory.

use super::{at_most, compare, did, numbers, text, On};
use cuda_launch::Grid;
use cuda_std::array::Array;

type From = unsafe fn(Array<u32>, Array<u32>);

pub fn reverse(on: On, kernel: From) -> Result<(), String> {
    on.each(|device, grid| {
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

pub fn reverse_tiles(on: On, kernel: From) -> Result<(), String> {
    on.each(|device, grid| {
        for n in [0, 1, 64, 100, 777] {
            let data = numbers(n);
            let x = device.upload_constant("x", &data).map_err(text)?;
            let reversed = device.zeros::<u32>("reversed", data.len()).map_err(text)?;
            let arguments = (x.array(), reversed.array());
            // SAFETY: both arrays have `n` elements, and a block has 64 words of shared memory.
            unsafe { device.launch(grid.with_shared(256), "reverse_tiles", kernel, arguments) }
                .map_err(text)?;
            let expected: Vec<u32> = data.chunks(64).flat_map(|tile| tile.iter().rev().copied()).collect();
            compare(&device.download(&reversed).map_err(text)?, &expected)?;
            if let Some(shared) = did(device).map(|did| did.shared).filter(|&k| k < 2 * n as u64) {
                return Err(format!(
                    "right, but {n} elements take {shared} accesses to shared memory: the exercise asks for each \
                     tile in shared memory, where one thread writes an element and another one reads it"
                ));
            }
        }
        Ok(())
    })
}

pub fn add_left(on: On, kernel: unsafe fn(Array<u32>)) -> Result<(), String> {
    on.each(|device, grid| {
        let n = grid.number_of_threads();
        let data = numbers(n);
        let x = device.upload("x", &data).map_err(text)?;
        // SAFETY: an element for each thread of the only block.
        unsafe { device.launch(Grid::new(1, n), "add_left", kernel, (x.array(),)) }.map_err(text)?;
        let left = |i: usize| if i == 0 { 0 } else { data[i - 1] };
        let expected: Vec<u32> = (0..data.len()).map(|i| data[i] + left(i)).collect();
        compare(&device.download(&x).map_err(text)?, &expected)
    })
}

pub fn add_neighbours(on: On, kernel: unsafe fn(Array<u32>, u32, Array<u32>)) -> Result<(), String> {
    on.each(|device, grid| {
        // Without columns there is nothing to add, and no row to be in.
        let x = device.upload_constant("x", &numbers(7)).map_err(text)?;
        let sums = device.zeros::<u32>("sums", 7).map_err(text)?;
        // SAFETY: both arrays have 7 elements.
        unsafe { device.launch(grid, "add_neighbours", kernel, (x.array(), 0, sums.array())) }
            .map_err(|why| format!("7 elements in 0 columns: {why}"))?;
        compare(&device.download(&sums).map_err(text)?, &[0; 7])
            .map_err(|why| format!("7 elements in 0 columns: {why}"))?;
        for (rows, columns) in [(0, 0), (1, 1), (1, 9), (9, 1), (2, 2), (13, 7), (30, 40)] {
            let data = numbers(rows * columns);
            let x = device.upload_constant("x", &data).map_err(text)?;
            let sums = device.zeros::<u32>("sums", data.len()).map_err(text)?;
            let arguments = (x.array(), columns, sums.array());
            // SAFETY: both arrays have the elements of the matrix.
            unsafe { device.launch(grid, "add_neighbours", kernel, arguments) }.map_err(text)?;
            let (rows, columns) = (rows as i32, columns as i32);
            let at = |row: i32, column: i32| match (0..rows).contains(&row) && (0..columns).contains(&column)
            {
                true => data[(row * columns + column) as usize],
                false => 0,
            };
            let around =
                |r: i32, c: i32| at(r, c) + at(r - 1, c) + at(r + 1, c) + at(r, c - 1) + at(r, c + 1);
            let expected: Vec<u32> = (0..rows)
                .flat_map(|r| (0..columns).map(move |c| (r, c)))
                .map(|(r, c)| around(r, c))
                .collect();
            compare(&device.download(&sums).map_err(text)?, &expected)
                .map_err(|why| format!("{rows} rows and {columns} columns: {why}"))?;
        }
        Ok(())
    })
}

pub fn greatest_of_warps(on: On, kernel: From) -> Result<(), String> {
    on.each(|device, grid| {
        for n in [1, 32, 100, 777] {
            let data = numbers(n);
            let x = device.upload_constant("x", &data).map_err(text)?;
            let greatest = device.zeros::<u32>("greatest", n.div_ceil(32) as usize).map_err(text)?;
            let arguments = (x.array(), greatest.array());
            // SAFETY: an element for each 32 of `x`, and blocks are whole warps or one thread.
            unsafe { device.launch(grid, "greatest_of_warps", kernel, arguments) }.map_err(text)?;
            let expected: Vec<u32> =
                data.chunks(32).map(|group| group.iter().copied().max().unwrap_or(0)).collect();
            compare(&device.download(&greatest).map_err(text)?, &expected)?;
            if did(device).is_some_and(|did| did.shuffles == 0) {
                return Err(
                    "right, but without a shuffle: the exercise asks that the lanes of a warp pass each \
                            other what they have found by shuffles"
                        .into(),
                );
            }
        }
        Ok(())
    })
}

pub fn count_above(on: On, kernel: unsafe fn(Array<u32>, u32, Array<u32>)) -> Result<(), String> {
    on.each(|device, grid| {
        for n in [777, 100, 1, 0] {
            let data = numbers(n);
            let x = device.upload_constant("x", &data).map_err(text)?;
            let count = device.zeros::<u32>("count", 1).map_err(text)?;
            let arguments = (x.array(), 1 << 23, count.array());
            // SAFETY: `count` has one element, and blocks are whole warps, or one thread.
            unsafe { device.launch(grid, "count_above", kernel, arguments) }.map_err(text)?;
            let expected = data.into_iter().filter(|&x| x > 1 << 23).count() as u32;
            compare(&device.download(&count).map_err(text)?, &[expected])?;
            at_most(device, n.div_ceil(32))?;
            if n > 0 && did(device).is_some_and(|did| did.votes == 0) {
                return Err("right, but no lane votes: the exercise asks for a vote of each warp".into());
            }
        }
        Ok(())
    })
}

pub fn part(on: On, kernel: unsafe fn(Array<u32>, Array<u32>, Array<u32>)) -> Result<(), String> {
    on.each(|device, grid| {
        for n in [0, 1, 100, 777] {
            let data = numbers(n);
            let x = device.upload_constant("x", &data).map_err(text)?;
            let parted = device.zeros::<u32>("parted", data.len()).map_err(text)?;
            let counts = device.zeros::<u32>("counts", 2).map_err(text)?;
            let arguments = (x.array(), parted.array(), counts.array());
            // SAFETY: `parted` is as long as `x`, and blocks are whole warps, or one thread.
            unsafe { device.launch(grid, "part", kernel, arguments) }.map_err(text)?;
            let (mut odd, mut even): (Vec<u32>, Vec<u32>) = data.into_iter().partition(|x| x % 2 == 1);
            let expected = [odd.len() as u32, even.len() as u32];
            compare(&device.download(&counts).map_err(text)?, &expected)
                .map_err(|why| format!("counts: {why}"))?;
            // Within each part, any order is right.
            let mut found = device.download(&parted).map_err(text)?;
            let (front, back) = found.split_at_mut(odd.len());
            for part in [front, back, &mut odd, &mut even] {
                part.sort_unstable();
            }
            compare(&found, &[odd, even].concat())?;
            at_most(device, 2 * n.div_ceil(32))?;
        }
        Ok(())
    })
}
