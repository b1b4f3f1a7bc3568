//! Tests of the exercises on races.

use super::{compare, did, numbers, text, On};
use cuda_launch::Grid;
use cuda_std::array::Array;

pub fn greatest(on: On, kernel: unsafe fn(Array<u32>, Array<u32>)) -> Result<(), String> {
    on.each(|device, grid| {
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

pub fn sum_by_last(
    on: On,
    kernel: unsafe fn(Array<u32>, Array<u32>, Array<u32>, Array<u32>),
) -> Result<(), String> {
    on.each(|device, grid| {
        for n in [0, 1, 100, 777] {
            let data: Vec<u32> = numbers(n).into_iter().map(|x| x % 1000).collect();
            let x = device.upload_constant("x", &data).map_err(text)?;
            let parts = device.zeros::<u32>("parts", device.threads_of(grid)).map_err(text)?;
            let arrived = device.zeros::<u32>("arrived", 1).map_err(text)?;
            let sum = device.zeros::<u32>("sum", 1).map_err(text)?;
            let arguments = (x.array(), parts.array(), arrived.array(), sum.array());
            // SAFETY: a part for each thread, and nobody has arrived.
            unsafe { device.launch(grid, "sum_by_last", kernel, arguments) }.map_err(text)?;
            compare(&device.download(&sum).map_err(text)?, &[data.iter().sum()])?;
        }
        Ok(())
    })
}

pub fn count_different(on: On, kernel: unsafe fn(Array<u32>, Array<u32>, Array<u32>)) -> Result<(), String> {
    on.each(|device, grid| {
        for (n, values) in [(0, 1), (1, 1), (100, 7), (300, 40), (777, 777)] {
            let data: Vec<u32> = numbers(n).into_iter().map(|x| 1 + x % values).collect();
            let x = device.upload_constant("x", &data).map_err(text)?;
            let table = device.zeros::<u32>("table", 1024).map_err(text)?;
            let count = device.zeros::<u32>("count", 1).map_err(text)?;
            let arguments = (x.array(), table.array(), count.array());
            // SAFETY: there are fewer than 1,024 different values, none of them 0.
            unsafe { device.launch(grid, "count_different", kernel, arguments) }.map_err(text)?;
            let (mut expected, mut found) = (data, device.download(&table).map_err(text)?);
            expected.sort_unstable();
            expected.dedup();
            compare(&device.download(&count).map_err(text)?, &[expected.len() as u32])
                .map_err(|why| format!("count: {why}"))?;
            found.retain(|&value| value != 0);
            found.sort_unstable();
            if found != expected {
                return Err(format!("the table has {} values instead of {}", found.len(), expected.len()));
            }
        }
        Ok(())
    })
}

pub fn sort(on: On, kernel: unsafe fn(Array<u32>)) -> Result<(), String> {
    on.each(|device, grid| {
        let x = device.upload("x", &numbers(256)).map_err(text)?;
        let block = Grid::new(1, grid.number_of_threads()).with_shared(4 * 256);
        // SAFETY: `x` has 256 elements, and the block has the memory.
        unsafe { device.launch(block, "sort", kernel, (x.array(),)) }.map_err(text)?;
        let mut expected = numbers(256);
        expected.sort_unstable();
        compare(&device.download(&x).map_err(text)?, &expected)?;
        // One after the copy, and one after each step.
        match did(device).map(|did| did.barriers / u64::from(grid.number_of_threads())) {
            Some(barriers @ 38..) => Err(format!(
                "right, but a thread waits at {barriers} barriers, and 37 are enough: the exercise asks for the \
                 barrier that nobody needs"
            )),
            _ => Ok(()),
        }
    })
}

pub fn spread(
    on: On,
    kernel: unsafe fn(Array<u32>, Array<u32>, Array<u32>, Array<u32>),
) -> Result<(), String> {
    on.each(|device, grid| {
        // Edges in both directions between vertices with the same remainder by 5.
        let n = 150;
        let mut edges: Vec<Vec<u32>> = vec![Vec::new(); n as usize];
        for (vertex, number) in (0..n).zip(numbers(n)) {
            let other = number % (n / 5) * 5 + vertex % 5;
            edges[vertex as usize].push(other);
            edges[other as usize].push(vertex);
        }
        let mut begins = vec![0];
        edges.iter().for_each(|of| begins.push(begins.last().map_or(0, |last| last + of.len() as u32)));
        let starts = device.upload_constant("starts", &begins).map_err(text)?;
        let ends = device.upload_constant("ends", &edges.concat()).map_err(text)?;
        let labels = device.upload("labels", &(0..n).collect::<Vec<u32>>()).map_err(text)?;
        let changed = device.zeros::<u32>("changed", 1).map_err(text)?;
        let arguments = (starts.array(), ends.array(), labels.array(), changed.array());
        // A label takes at most a round for each vertex.
        let mut rounds = 0;
        loop {
            device.write(&changed, &[0]).map_err(text)?;
            // SAFETY: the arrays are those of one graph.
            unsafe { device.launch(grid, "spread", kernel, arguments) }.map_err(text)?;
            if device.download(&changed).map_err(text)? == [0] {
                break;
            }
            rounds += 1;
            if rounds > n {
                return Err(format!("labels still change after {n} rounds"));
            }
        }
        compare(&device.download(&labels).map_err(text)?, &least_labels(&edges))
    })
}

/// The least vertex that each vertex can be reached from, by a sequential program.
fn least_labels(edges: &[Vec<u32>]) -> Vec<u32> {
    let mut labels = vec![u32::MAX; edges.len()];
    for first in 0..edges.len() {
        let mut waiting = vec![first];
        while let Some(vertex) = waiting.pop() {
            if labels[vertex] == u32::MAX {
                labels[vertex] = first as u32;
                waiting.extend(edges[vertex].iter().map(|&end| end as usize));
            }
        }
    }
    labels
}
