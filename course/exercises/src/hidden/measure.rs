//! Tests of the exercises on measuring. They count what a GPU would do, by the rules on the book's pages.

use super::{compare, numbers, text, On};
use cuda_launch::Grid;
use cuda_std::array::Array;
use std::collections::BTreeSet;

pub fn element(element: fn(u32, u32, u32) -> u32) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    for warp in 0..4 {
        for pass in 0..32 {
            let read: Vec<u32> = (0..32).map(|lane| element(warp, lane, pass)).collect();
            if let Some(wrong) = read.iter().find(|&&i| i >= 4096 || !seen.insert(i)) {
                let why = if *wrong < 4096 { "is read twice" } else { "does not exist" };
                return Err(format!("warp {warp}, pass {pass}: element {wrong} {why}"));
            }
            let pieces: BTreeSet<u32> = read.iter().map(|i| i / 8).collect();
            if pieces.len() > 4 {
                let n = pieces.len();
                return Err(format!("warp {warp}, pass {pass}: {n} pieces of 32 bytes instead of 4"));
            }
        }
    }
    Ok(())
}

pub fn sum_in_passes(on: On, kernel: unsafe fn(Array<u32>, Array<u32>)) -> Result<(), String> {
    on.each(|device, grid| {
        let data = numbers(4096);
        let x = device.upload_constant("x", &data).map_err(text)?;
        let sum = device.zeros::<u32>("sum", 1).map_err(text)?;
        // SAFETY: `x` has 4,096 elements, and `sum` has one.
        unsafe { device.launch(grid, "sum_in_passes", kernel, (x.array(), sum.array())) }.map_err(text)?;
        let expected = data.iter().fold(0u32, |a, &b| a.wrapping_add(b));
        compare(&device.download(&sum).map_err(text)?, &[expected])
    })
}

pub fn place(place: fn(u32, u32) -> u32) -> Result<(), String> {
    let words: BTreeSet<u32> = (0..1024).map(|i| place(i / 32, i % 32)).collect();
    if words.len() < 1024 {
        return Err(format!("1,024 elements lie in {} words", words.len()));
    }
    if let Some(word) = words.into_iter().find(|&word| word >= 1056) {
        return Err(format!("there is no word {word}"));
    }
    for line in 0..32 {
        let banks = |of: &dyn Fn(u32) -> u32| (0..32).map(|k| of(k) % 32).collect::<BTreeSet<u32>>().len();
        let (row, column) = (banks(&|k| place(line, k)), banks(&|k| place(k, line)));
        if row < 32 || column < 32 {
            return Err(format!("row {line} lies in {row} banks, and column {line} in {column}, of 32"));
        }
    }
    Ok(())
}

pub fn turn_over(on: On, kernel: unsafe fn(Array<u32>, Array<u32>)) -> Result<(), String> {
    on.each(|device, grid| {
        let data = numbers(1024);
        let x = device.upload_constant("x", &data).map_err(text)?;
        let turned = device.zeros::<u32>("turned", 1024).map_err(text)?;
        let block = Grid::new(1, grid.threads).with_shared(4 * 1056);
        // SAFETY: both arrays have 1,024 elements, and the block has the memory.
        unsafe { device.launch(block, "turn_over", kernel, (x.array(), turned.array())) }.map_err(text)?;
        let expected: Vec<u32> = (0..1024).map(|i| data[i % 32 * 32 + i / 32]).collect();
        compare(&device.download(&turned).map_err(text)?, &expected)
    })
}

pub fn blocks_at_once(blocks: fn(u32, u32, u32) -> u32) -> Result<(), String> {
    for (threads, registers, shared, expected, limit) in [
        (32, 16, 0, 32, "blocks"),
        (256, 32, 0, 8, "warps"),
        (33, 16, 0, 32, "blocks, and as many warps"),
        (96, 16, 0, 21, "warps"),
        (512, 128, 0, 1, "registers"),
        (256, 33, 0, 6, "registers, which are handed out by 256"),
        (256, 40, 20_000, 6, "registers"),
        (64, 32, 20_000, 11, "shared memory"),
        (128, 32, 232_448, 1, "shared memory"),
        (128, 32, 57_344, 4, "shared memory, with 1,024 bytes more for each block"),
        (128, 32, 57_345, 3, "shared memory, in multiples of 128 bytes"),
    ] {
        let found = blocks(threads, registers, shared);
        if found != expected {
            return Err(format!(
                "{threads} threads with {registers} registers and {shared} bytes: {found} blocks instead of \
                 {expected}, the limit is {limit}"
            ));
        }
    }
    Ok(())
}
