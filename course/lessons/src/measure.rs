//! Times of the seven reductions and of the three transposes, in bytes a second, with a copy within the
//! device to compare with; and of sums in several streams.
//!
//! Main functions: [`reductions`], [`transposes`], [`streams`].

use crate::lesson::next_random;
use crate::reduce::{launch_version, THREADS, VERSIONS};
use crate::transpose;
use cuda_launch::{Device, Error, Grid};
use std::fmt;
use std::time::{Duration, Instant};

/// Blocks of a launch: enough to fill any GPU of today several times.
const BLOCKS: u32 = 2048;

/// A measured line: what was done, its median time, the bytes that it moved, and whether its result was
/// right.
pub struct Line {
    /// What was done.
    pub name: &'static str,
    /// The median time of the runs.
    pub time: Duration,
    /// The bytes read and written.
    pub bytes: u64,
    /// Whether the result was right.
    pub is_right: bool,
}

impl Line {
    fn gigabytes_a_second(&self) -> f64 {
        self.bytes as f64 / self.time.as_secs_f64() / 1e9
    }
}

/// What was measured: first what to compare with, for example a copy, then each version.
pub struct Table(pub Vec<Line>);

impl Table {
    /// Whether all results were right.
    pub fn is_right(&self) -> bool {
        self.0.iter().all(|line| line.is_right)
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = &self.0[0];
        for line in &self.0 {
            let (millis, rate) = (line.time.as_secs_f64() * 1e3, line.gigabytes_a_second());
            let wrong = if line.is_right { "" } else { "  WRONG" };
            writeln!(
                f,
                "{:36} {millis:9.3} ms {rate:8.1} GB/s {:6.3} of the {}{wrong}",
                line.name,
                rate / first.gigabytes_a_second(),
                first.name
            )?;
        }
        Ok(())
    }
}

/// The median time of `runs` runs, after one that is not counted.
fn median(
    device: &mut Device,
    runs: usize,
    mut work: impl FnMut(&mut Device) -> Result<(), Error>,
) -> Result<Duration, Error> {
    device.time(&mut work)?;
    let mut times = (0..runs).map(|_| device.time(&mut work)).collect::<Result<Vec<_>, _>>()?;
    times.sort();
    Ok(times[times.len() / 2])
}

/// Measures a copy of `elements` words, and each version's sum of them.
///
/// # Errors
/// Those of the device.
///
/// # Panics
/// If there are no runs.
pub fn reductions(device: &mut Device, elements: usize, runs: usize) -> Result<Table, Error> {
    let mut state = 1;
    let data: Vec<u32> = (0..elements).map(|_| next_random(&mut state)).collect();
    let expected = data.iter().fold(0u32, |sum, &x| sum.wrapping_add(x));
    let bytes = (elements * size_of::<u32>()) as u64;
    let x = device.upload_constant("x", &data)?;
    let mut lines = Vec::new();
    {
        let copy = device.zeros::<u32>("copy", elements)?;
        let time = median(device, runs, |device| device.copy(&x, &copy))?;
        let is_right = device.download(&copy)? == data;
        // A copy reads and writes each byte.
        lines.push(Line { name: "copy", time, bytes: 2 * bytes, is_right });
    }
    for (version, name) in VERSIONS.into_iter().enumerate() {
        let sum = device.zeros::<u32>("sum", 1)?;
        // Versions 3 and 4 have a tile of as many elements as a block has threads, and go on from tile to
        // tile.
        let grid = Grid::new(BLOCKS.min(elements.div_ceil(THREADS) as u32), THREADS as u32);
        let time = median(device, runs, |device| launch_version(device, version, grid, &x, &sum))?;
        // Each run, and the one that is not counted, has added the sum once.
        let is_right = device.download(&sum)?[0] == expected.wrapping_mul(runs as u32 + 1);
        lines.push(Line { name, time, bytes, is_right });
    }
    Ok(Table(lines))
}

/// Measures a copy of a square matrix with at most `elements` elements, and each version that turns it over.
///
/// # Errors
/// Those of the device.
///
/// # Panics
/// If there are no runs, or no elements.
pub fn transposes(device: &mut Device, elements: usize, runs: usize) -> Result<Table, Error> {
    let side = elements.isqrt();
    let mut state = 2;
    let data: Vec<f32> = (0..side * side).map(|_| next_random(&mut state) as f32).collect();
    let turned: Vec<f32> = (0..side * side).map(|i| data[i % side * side + i / side]).collect();
    // Each version reads and writes each byte, as a copy does.
    let bytes = 2 * (side * side * size_of::<f32>()) as u64;
    let a = device.upload_constant("a", &data)?;
    let copy = device.zeros::<f32>("copy", side * side)?;
    let time = median(device, runs, |device| device.copy(&a, &copy))?;
    let mut lines = vec![Line { name: "copy", time, bytes, is_right: device.download(&copy)? == data }];
    for version in transpose::VERSIONS {
        let b = device.zeros::<f32>("b", side * side)?;
        let work = |device: &mut Device| transpose::launch(device, version, BLOCKS, side, (&a, &b));
        let time = median(device, runs, work)?;
        lines.push(Line { name: version.0, time, bytes, is_right: device.download(&b)? == turned });
    }
    Ok(Table(lines))
}

/// How many sums [`streams`] launches, and with how many blocks each: too few to fill a GPU.
const SUMS: (usize, u32) = (8, 16);

/// Measures sums of `elements` words that are launched in one stream, in two, and so on. Each of the
/// `devices`, which are one GPU, has a stream of its own.
///
/// # Errors
/// Those of the devices.
///
/// # Panics
/// If there are no devices, or no runs.
pub fn streams(devices: &mut [Device], elements: usize, runs: usize) -> Result<Table, Error> {
    let (names, (sums, blocks)) = (["single stream", "2 streams", "4 streams", "8 streams"], SUMS);
    let x = devices.iter_mut().map(|device| device.upload_constant("x", &vec![1u32; elements]));
    let x = x.collect::<Result<Vec<_>, _>>()?;
    let mut lines = Vec::new();
    let most = devices.len();
    for (name, at_once) in names.into_iter().zip([1, 2, 4, 8]).filter(|row| row.1 <= most) {
        let all =
            devices.iter_mut().map(|device| device.zeros::<u32>("sum", 1)).collect::<Result<Vec<_>, _>>()?;
        let mut run = || {
            let before = Instant::now();
            for number in 0..sums {
                let (at, grid) = (number % at_once, Grid::new(blocks, THREADS as u32));
                launch_version(&mut devices[at], 5, grid, &x[at], &all[at])?;
            }
            devices.iter().try_for_each(Device::synchronize)?;
            Ok(before.elapsed())
        };
        let mut times = (0..=runs).map(|_| run()).collect::<Result<Vec<_>, Error>>()?;
        times.remove(0);
        times.sort();
        let sum = |(device, sum): (&Device, _)| Ok(device.download(sum)?[0]);
        let sums_of = devices.iter().zip(&all).map(sum).collect::<Result<Vec<u32>, Error>>()?;
        let expected = (elements * sums * (runs + 1)) as u32;
        let is_right = sums_of.into_iter().fold(0, u32::wrapping_add) == expected;
        let bytes = (sums * elements * size_of::<u32>()) as u64;
        lines.push(Line { name, time: times[runs / 2], bytes, is_right });
    }
    Ok(Table(lines))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_checked_and_rates_are_told() {
        let table = reductions(&mut Device::cpu(), 1000, 3).expect("no error");
        assert!(table.is_right() && table.0.len() == 8);
        let table = transposes(&mut Device::cpu(), 1000, 3).expect("no error");
        assert!(table.is_right() && table.0.len() == 4);
        let table = streams(&mut [Device::cpu(), Device::cpu()], 1000, 3).expect("no error");
        assert!(
            table.is_right() && table.0.len() == 2 && table.to_string().contains(" of the single stream")
        );
        let line = |millis, bytes, is_right| Line {
            name: "copy",
            time: Duration::from_millis(millis),
            bytes,
            is_right,
        };
        let table = Table(vec![line(1, 8_000_000, true), line(1, 4_000_000, false)]).to_string();
        assert!(table.contains("8.0 GB/s  1.000 of the copy\n"), "{table}");
        assert!(table.contains("4.0 GB/s  0.500 of the copy  WRONG\n"), "{table}");
    }
}
