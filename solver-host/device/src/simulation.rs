//! Launches of simulated blocks: which memory they may access, and in which orders their threads run.
//!
//! Main function: [`Simulation::launch`].

use super::{DeviceError, Setup};
use cuda_std::host::{simt, Launch, Memory, Region, Schedule};
use solver_gpu::layout::{Hub, Record, State, TraceWords, ALIGNMENT};
use solver_gpu::threads::scratch::shared_bytes;
use solver_gpu::{Array, Own, Search};
use std::slice::{from_raw_parts, from_raw_parts_mut};

/// The simulation of one executor.
pub struct Simulation {
    /// What the simulation was asked for. The seed is the next launch's.
    pub setup: Setup,
}

/// The shape of a launch.
pub struct Shape {
    /// The number of blocks in the grid.
    pub blocks: u32,
    /// The number of threads in a block.
    pub threads: u32,
    /// The bytes of shared memory in which a block keeps a copy of the search's arrays.
    pub copy_bytes: usize,
}

impl Simulation {
    /// Runs a kernel on all threads of the launch, in each of the orders that the setup asks for.
    ///
    /// # Safety
    /// The arrays of `search` must lie in the host's memory, and nobody else may access them meanwhile. The
    /// search's own arrays must lie in one block (see [`solver_gpu::Own`]).
    ///
    /// # Errors
    /// The first error that the simulation finds, with the order in which it did.
    pub unsafe fn launch(
        &mut self,
        name: &'static str,
        shape: &Shape,
        search: &Search,
        kernel: &dyn Fn(),
    ) -> Result<(), DeviceError> {
        let Setup { checks, schedules, seed, .. } = self.setup;
        self.setup.seed = seed.wrapping_add(1);
        let memory = checks.then(|| memory_of(search, shape));
        let launch = Launch {
            shared_bytes: shared_bytes(shape.threads) + shape.copy_bytes,
            check: memory.as_ref(),
            ..Launch::new(name, shape.blocks, shape.threads)
        };
        // SAFETY: the caller's contract.
        let before = (schedules > 1).then(|| unsafe { Snapshot::new(search, shape) });
        // The first order comes last, so that the result is the same however many there are.
        for number in (0..schedules).rev() {
            let (schedule, seed) = Schedule::repetition(number, seed);
            simt(&Launch { schedule, seed, ..launch }, kernel).map_err(|error| {
                let order = match number {
                    0 => String::new(),
                    _ => format!(" (order {number} of the threads, {schedule:?})"),
                };
                DeviceError::Failed(format!("{error}{order}"))
            })?;
            if let (Some(before), 1..) = (&before, number) {
                // SAFETY: the caller's contract; the launch has ended.
                unsafe { before.restore() };
            }
        }
        Ok(())
    }
}

/// The blocks of memory of all searches of a launch.
fn each_own(search: &Search, shape: &Shape) -> impl Iterator<Item = Own> {
    let (own, swarm) = (search.own, search.swarm);
    let searches = if swarm.is_any() { shape.blocks as u64 } else { 1 };
    // SAFETY: the host has laid the searchers' blocks of memory out at this distance.
    (0..searches).map(move |number| unsafe { own.moved(own.base() + number * swarm.block_bytes) })
}

/// The arrays that a launch may access.
fn memory_of(search: &Search, shape: &Shape) -> Memory {
    let Search { problem, launch, .. } = search;
    let (mut regions, mut copies) = (Vec::new(), Vec::new());
    let region = |name, element, array: Array<u8>, is_constant| {
        let (address, bytes) = (array.address(), array.len());
        let words = match name {
            "state" => State::NAMES,
            "hub" => Hub::NAMES,
            "trace" => TraceWords::NAMES,
            "learned_record" => Record::NAMES,
            _ => &[],
        };
        Region { name, address, bytes, element, words, is_constant }
    };
    problem.each_array(|name, element, array| regions.push(region(name, element, array, true)));
    for (number, own) in each_own(search, shape).enumerate() {
        own.each_array(|name, element, array| {
            let mut original = region(name, element, array, false);
            let at = original.address - own.base();
            if at < shape.copy_bytes as u64 {
                // The copy is made of whole words, with the bytes between the arrays.
                original.bytes = original.bytes.next_multiple_of(ALIGNMENT);
                if number == 0 {
                    copies.push(Region { address: shared_bytes(shape.threads) as u64 + at, ..original });
                }
            }
            regions.push(original);
        });
    }
    search.swarm.each_array(|name, element, array| regions.push(region(name, element, array, false)));
    regions.push(region("stop", launch.stop.element_bytes(), launch.stop.bytes(), true));
    let narrow = launch.narrow_deps;
    regions.push(region("narrow_deps", narrow.element_bytes(), narrow.bytes(), true));
    Memory::new(regions).with_shared(copies)
}

/// All that a kernel may change, as it was before a launch.
struct Snapshot {
    /// The address and the contents of each part.
    parts: Vec<(u64, Vec<u8>)>,
}

impl Snapshot {
    /// # Safety
    /// The arrays of each search, and those of the swarm, must lie in the host's memory, which nobody changes
    /// meanwhile; a search's own arrays in one block.
    unsafe fn new(search: &Search, shape: &Shape) -> Snapshot {
        let mut places: Vec<(u64, usize)> =
            each_own(search, shape).map(|own| (own.base(), own.bytes())).collect();
        search.swarm.each_array(|_, _, array| places.push((array.address(), array.len())));
        places.retain(|&(_, bytes)| bytes > 0);
        // SAFETY: the caller's contract.
        let part = |(address, bytes)| unsafe { from_raw_parts(address as *const u8, bytes) }.to_vec();
        Snapshot { parts: places.into_iter().map(|place| (place.0, part(place))).collect() }
    }

    /// # Safety
    /// As for [`Snapshot::new`], and the memory must still be there.
    unsafe fn restore(&self) {
        for (address, bytes) in &self.parts {
            // SAFETY: the caller's contract.
            let place = unsafe { from_raw_parts_mut(*address as *mut u8, bytes.len()) };
            place.copy_from_slice(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cuda_std::thread;
    use solver_gpu::layout::Shape as Sizes;

    /// What `kernel` leaves in the words `reason` of two variables, run as two blocks of 32 threads.
    fn left_by(setup: Setup, kernel: impl Fn(Array<u32>)) -> Result<[u32; 2], DeviceError> {
        let sizes = Sizes { vars: 2, ..Sizes::default() };
        let unplaced = Own::of_shape(&sizes);
        let mut block = vec![0_u128; unplaced.bytes() / 16];
        // SAFETY: the block has the size that the arrays need, and zeros are a value of all that they hold.
        let own = unsafe { unplaced.laid_out(block.as_mut_ptr() as u64) };
        let search = Search { own, ..Search::default() };
        let mut simulation = Simulation { setup };
        let shape = Shape { blocks: 2, threads: 32, copy_bytes: 0 };
        // SAFETY: the arrays lie in `block`, which only the kernel accesses.
        unsafe { simulation.launch("test", &shape, &search, &|| kernel(own.reason))? };
        Ok([own.reason.read(0u32), own.reason.read(1u32)])
    }

    /// The thread's index in the grid.
    fn rank() -> u32 {
        thread::block_idx_x() * 32 + thread::thread_idx_x()
    }

    #[test]
    fn each_order_begins_with_the_same_memory() {
        let setup = Setup { threads: 32, schedules: 6, ..Setup::default() };
        let left = left_by(setup, |reason| {
            if rank() == 40 {
                reason.write(1u32, reason.read(1u32) + 1);
            }
        });
        assert_eq!(left.expect("no error"), [0, 1]);
    }

    #[test]
    fn a_race_is_told_with_the_name_of_the_array() {
        let races = |reason: Array<u32>| {
            if rank() == 5 || rank() == 37 {
                reason.write(1u32, rank());
            }
        };
        let error = left_by(Setup::default(), races).expect_err("a race").to_string();
        for part in ["data race on reason[1]: writes at", "simulation.rs", "thread 5 of block"] {
            assert!(error.contains(part), "{error}");
        }
        assert!(left_by(Setup { checks: false, ..Setup::default() }, races).is_ok());
    }

    #[test]
    fn a_pointer_to_no_array_is_told() {
        let strays = |reason: Array<u32>| {
            if rank() == 1 {
                // SAFETY: none; the simulation refuses the access.
                let stray: Array<u32> = unsafe { Array::from_raw((reason.address() + 16) as *mut u32, 1) };
                stray.write(0u32, 7);
            }
        };
        let error = left_by(Setup::default(), strays).expect_err("no array is there").to_string();
        assert!(error.contains("where no array is, at"), "{error}");
    }

    #[test]
    fn an_error_names_the_order_of_the_threads() {
        let setup = Setup { schedules: 3, ..Setup::default() };
        let error = left_by(setup, |reason| reason.write(2u32, 0)).expect_err("two words").to_string();
        assert!(error.ends_with("(order 2 of the threads, Reversed)"), "{error}");
    }
}
