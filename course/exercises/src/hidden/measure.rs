//! Tests of the exercises on measuring. The simulated GPU counts what accesses would cost a GPU.

use super::{at_most, compare, numbers, text, On};
use cuda_launch::Grid;
use cuda_std::array::Array;
use cuda_std::host::{costs, Cost};

pub fn percent_of_copy(_: On, percent: fn(u32, u32, u32, u32) -> u32) -> Result<(), String> {
    for (read, written, nanoseconds, copy, expected) in [
        (1000, 1000, 8000, 1, 100),
        (1000, 0, 4000, 2, 50),
        (2000, 1000, 1000, 120, 10),
        (2_000_000_000, 1_000_000_000, 3_000_000, 4000, 100),
        (3, 0, 1000, 1, 1),
    ] {
        let found = percent(read, written, nanoseconds, copy);
        if found != expected {
            return Err(format!(
                "{read} elements read and {written} written in {nanoseconds} ns, beside a copy of {copy} GB a second: \
                 {found} instead of {expected} percent"
            ));
        }
    }
    Ok(())
}

pub fn sum(on: On, kernel: unsafe fn(Array<u32>, Array<u32>)) -> Result<(), String> {
    on.each(|device, grid| {
        for n in [777, 100, 1, 0] {
            let data = numbers(n);
            let x = device.upload_constant("x", &data).map_err(text)?;
            let sum = device.zeros::<u32>("sum", 1).map_err(text)?;
            // SAFETY: `sum` has one element, and blocks are whole warps, or one thread.
            unsafe { device.launch(grid, "sum", kernel, (x.array(), sum.array())) }.map_err(text)?;
            let expected = data.iter().fold(0u32, |a, &b| a.wrapping_add(b));
            compare(&device.download(&sum).map_err(text)?, &[expected])?;
            at_most(device, grid.number_of_blocks() * grid.number_of_threads().div_ceil(32))?;
        }
        Ok(())
    })
}

pub fn passes(_: On, passes: fn([u32; 32]) -> (u32, u32)) -> Result<(), String> {
    let mut one_long = [2; 32];
    one_long[7] = 100;
    let rows = [[0; 32], [1; 32], [32; 32], [33; 32], one_long];
    for (lengths, expected) in rows.into_iter().zip([(0, 0), (1, 32), (32, 32), (33, 64), (100, 35)]) {
        let found = passes(lengths);
        if found != expected {
            return Err(format!(
                "rows of the lengths {lengths:?} take {found:?} passes instead of {expected:?}"
            ));
        }
    }
    Ok(())
}

/// Refuses accesses to a kind of memory that take more sectors or steps than as many bytes need.
fn at_best(costs: &[Cost], is_shared: bool) -> Result<(), String> {
    match costs.iter().find(|cost| cost.is_shared == is_shared && cost.cost > cost.best) {
        Some(Cost { at, access, cost, best, .. }) => {
            let unit = if is_shared { "steps of the banks" } else { "pieces of 32 bytes" };
            Err(format!(
                "right, but the accesses ({access}) at {at} take {cost} {unit} where {best} are enough"
            ))
        }
        None => Ok(()),
    }
}

pub fn sum_in_passes(on: On, kernel: unsafe fn(Array<u32>, Array<u32>)) -> Result<(), String> {
    on.each(|device, grid| {
        let data = numbers(4096);
        let x = device.upload_constant("x", &data).map_err(text)?;
        let sum = device.zeros::<u32>("sum", 1).map_err(text)?;
        // SAFETY: `x` has 4,096 elements, and `sum` has one.
        let launch = || unsafe { device.launch(grid, "sum_in_passes", kernel, (x.array(), sum.array())) };
        let (launched, costs) = costs(launch);
        launched.map_err(text)?;
        let expected = data.iter().fold(0u32, |a, &b| a.wrapping_add(b));
        compare(&device.download(&sum).map_err(text)?, &[expected])?;
        at_best(&costs, false)
    })
}

pub fn turn_over(on: On, kernel: unsafe fn(Array<u32>, Array<u32>)) -> Result<(), String> {
    on.each(|device, grid| {
        let data = numbers(1024);
        let x = device.upload_constant("x", &data).map_err(text)?;
        let turned = device.zeros::<u32>("turned", 1024).map_err(text)?;
        let block = Grid::new(1, grid.number_of_threads()).with_shared(4 * 1056);
        // SAFETY: both arrays have 1,024 elements, and the block has the memory.
        let launch = || unsafe { device.launch(block, "turn_over", kernel, (x.array(), turned.array())) };
        let (launched, costs) = costs(launch);
        launched.map_err(text)?;
        let expected: Vec<u32> = (0..1024).map(|i| data[i % 32 * 32 + i / 32]).collect();
        compare(&device.download(&turned).map_err(text)?, &expected)?;
        at_best(&costs, true)
    })
}

pub fn blocks_at_once(_: On, blocks: fn(u32, u32, u32) -> u32) -> Result<(), String> {
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
