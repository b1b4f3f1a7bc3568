//! What runs kernels: one thread of the processor, a simulated GPU, or a GPU. Main type: [`Device`].

use crate::arguments::{Arguments, Kernel};
use crate::grid::Grid;
use crate::memory::{Allocation, Buffer};
use crate::panics;
use crate::Error;
use bytemuck::Pod;
use cuda_std::host::{cpu, simt, Launch, Memory, Schedule};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::rc::{Rc, Weak};
use std::time::{Duration, Instant};

/// How the simulated GPU runs a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Simulation {
    /// What the order of the threads is drawn from. The same seed gives the same order.
    pub seed: u64,
    /// Whether each access is checked: for data races, for reads of shared memory that nobody wrote, and for
    /// accesses where no buffer is.
    pub checks: bool,
    /// In how many orders of its threads each launch runs, at least 1. Each order begins with the same
    /// memory. The results are those of the order that a single run would take.
    pub schedules: u32,
    /// The most accesses and waits of a thread: one that makes more does not come to an end.
    pub budget: u64,
}

impl Default for Simulation {
    fn default() -> Self {
        Simulation { seed: 1, checks: true, schedules: 1, budget: 1 << 22 }
    }
}

enum Executor {
    Cpu,
    Simt(Simulation),
    #[cfg(feature = "gpu")]
    Gpu(Rc<crate::gpu::Gpu>),
}

/// What runs kernels, and the memory that they use.
pub struct Device {
    executor: Executor,
    /// All memory that was handed out; what was freed since is gone.
    memory: Vec<Weak<Allocation>>,
}

impl Device {
    fn new(executor: Executor) -> Self {
        Device { executor, memory: Vec::new() }
    }

    /// One thread of the processor. Whatever the grid of a launch, the kernel sees one block of one thread.
    pub fn cpu() -> Self {
        Device::new(Executor::Cpu)
    }

    /// The simulated GPU, which names data races, with the default [`Simulation`].
    pub fn simt() -> Self {
        Device::simulating(Simulation::default())
    }

    /// The simulated GPU.
    pub fn simulating(simulation: Simulation) -> Self {
        Device::new(Executor::Simt(simulation))
    }

    /// The GPU with this ordinal, and the kernels that [`kernels!`](crate::kernels) gives.
    ///
    /// # Errors
    /// [`Error::NoGpu`] if there is no driver, no such GPU, or no PTX; [`Error::Failed`] if the driver does
    /// not load the PTX.
    #[cfg(feature = "gpu")]
    pub fn gpu(ordinal: u32, kernels: Result<&str, &str>) -> Result<Self, Error> {
        Ok(Device::new(Executor::Gpu(Rc::new(crate::gpu::Gpu::open(ordinal, kernels)?))))
    }

    /// What the device is, for people.
    pub fn name(&self) -> String {
        match &self.executor {
            Executor::Cpu => "cpu".into(),
            Executor::Simt(_) => "simt".into(),
            #[cfg(feature = "gpu")]
            Executor::Gpu(gpu) => gpu.name().into(),
        }
    }

    /// Whether the device is a GPU.
    pub fn is_gpu(&self) -> bool {
        !matches!(self.executor, Executor::Cpu | Executor::Simt(_))
    }

    /// How many threads a kernel sees that is launched with this grid: one on the processor.
    pub fn threads_of(&self, grid: Grid) -> usize {
        match self.executor {
            Executor::Cpu => 1,
            _ => grid.number_of_blocks() as usize * grid.number_of_threads() as usize,
        }
    }

    fn alloc<T: Pod>(
        &mut self,
        name: &'static str,
        len: usize,
        is_constant: bool,
    ) -> Result<Buffer<T>, Error> {
        let bytes = len.checked_mul(size_of::<T>()).ok_or(Error::OutOfMemory { name, bytes: usize::MAX })?;
        let memory = match &self.executor {
            #[cfg(feature = "gpu")]
            Executor::Gpu(gpu) => Allocation::on_gpu(gpu, name, bytes, size_of::<T>(), is_constant)?,
            _ => Allocation::on_host(name, bytes, size_of::<T>(), is_constant)?,
        };
        let memory = Rc::new(memory);
        self.memory.retain(|old| old.strong_count() > 0);
        self.memory.push(Rc::downgrade(&memory));
        Ok(Buffer::new(memory, len))
    }

    /// Copies elements to the device. The simulation calls the buffer `name` in its errors.
    ///
    /// # Errors
    /// If there is not as much memory.
    pub fn upload<T: Pod>(&mut self, name: &'static str, data: &[T]) -> Result<Buffer<T>, Error> {
        let buffer = self.alloc(name, data.len(), false)?;
        buffer.memory.write(bytemuck::cast_slice(data))?;
        Ok(buffer)
    }

    /// Copies elements to the device that kernels only read: to write one is an error of the simulation.
    ///
    /// # Errors
    /// If there is not as much memory.
    pub fn upload_constant<T: Pod>(&mut self, name: &'static str, data: &[T]) -> Result<Buffer<T>, Error> {
        let buffer = self.alloc(name, data.len(), true)?;
        buffer.memory.write(bytemuck::cast_slice(data))?;
        Ok(buffer)
    }

    /// `len` elements on the device, all bytes 0.
    ///
    /// # Errors
    /// If there is not as much memory.
    pub fn zeros<T: Pod>(&mut self, name: &'static str, len: usize) -> Result<Buffer<T>, Error> {
        self.alloc(name, len, false)
    }

    /// Writes all elements of a buffer.
    ///
    /// # Errors
    /// If the GPU fails.
    ///
    /// # Panics
    /// If the data has another length.
    pub fn write<T: Pod>(&mut self, buffer: &Buffer<T>, data: &[T]) -> Result<(), Error> {
        buffer.memory.write(bytemuck::cast_slice(data))
    }

    /// The elements of a buffer, after all launches so far.
    ///
    /// # Errors
    /// If a kernel has failed on the GPU since the last wait.
    pub fn download<T: Pod>(&self, buffer: &Buffer<T>) -> Result<Vec<T>, Error> {
        let mut data = vec![T::zeroed(); buffer.len()];
        buffer.memory.read(bytemuck::cast_slice_mut(&mut data))?;
        Ok(data)
    }

    /// Copies all elements from one buffer of the device to another of the same length.
    ///
    /// # Errors
    /// If the GPU fails.
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn copy<T: Pod>(&mut self, from: &Buffer<T>, to: &Buffer<T>) -> Result<(), Error> {
        from.memory.copy_to(&to.memory)
    }

    /// Waits for all launches so far.
    ///
    /// # Errors
    /// If a kernel has failed on the GPU since the last wait.
    pub fn synchronize(&self) -> Result<(), Error> {
        match &self.executor {
            #[cfg(feature = "gpu")]
            Executor::Gpu(gpu) => gpu.synchronize(),
            _ => Ok(()),
        }
    }

    /// The time that the launches and copies of `work` take, by the GPU's own clock if the device is a GPU.
    ///
    /// # Errors
    /// Those of `work`, or if a kernel fails on the GPU.
    pub fn time(&mut self, work: impl FnOnce(&mut Self) -> Result<(), Error>) -> Result<Duration, Error> {
        #[cfg(feature = "gpu")]
        if let Executor::Gpu(gpu) = &self.executor {
            let gpu = gpu.clone();
            return gpu.time(|| work(self));
        }
        let before = Instant::now();
        work(self)?;
        Ok(before.elapsed())
    }

    /// Launches a kernel; [`launch!`](crate::launch) is the short way to call this. On the host the launch
    /// has ended when this returns. On a GPU it has begun: later calls that need its results wait for it.
    ///
    /// # Safety
    /// The kernel's own contract: mostly, that the arrays are buffers of this device, as long as the kernel
    /// expects.
    ///
    /// # Errors
    /// What the simulation finds; a panic on the processor; what the driver refuses.
    pub unsafe fn launch<A: Arguments, K: Kernel<A>>(
        &mut self,
        grid: Grid,
        path: &'static str,
        kernel: K,
        arguments: A,
    ) -> Result<(), Error> {
        let name = path.rsplit("::").next().unwrap_or(path).trim();
        grid.check(name)?;
        // SAFETY: the caller's contract.
        let run = || unsafe { kernel.run(arguments) };
        match &self.executor {
            Executor::Cpu => {
                panics::watch();
                catch_unwind(AssertUnwindSafe(|| cpu(grid.shared_bytes, &run))).map_err(|panic| {
                    Error::Panicked { kernel: name, message: panics::with_place(&message(&*panic)) }
                })
            }
            Executor::Simt(simulation) => self.simulate(*simulation, grid, name, &run),
            #[cfg(feature = "gpu")]
            // SAFETY: the caller's contract; the addresses are those of the kernel's arguments, in order.
            Executor::Gpu(gpu) => unsafe { gpu.launch(grid, name, &mut arguments.addresses()) },
        }
    }

    /// Runs a kernel on simulated threads, in each order that the simulation asks for.
    fn simulate(
        &self,
        Simulation { seed, checks, schedules, budget }: Simulation,
        grid: Grid,
        name: &'static str,
        kernel: &dyn Fn(),
    ) -> Result<(), Error> {
        let all: Vec<Rc<Allocation>> = self.memory.iter().filter_map(Weak::upgrade).collect();
        let memory = Memory::new(all.iter().map(|part| part.region()));
        let launch = Launch {
            shared_bytes: grid.shared_bytes,
            check: checks.then_some(&memory),
            budget,
            grid: grid.blocks,
            block: grid.threads,
            ..Launch::new(name, 1, 1)
        };
        let orders = schedules.max(1);
        let changeable = all.iter().filter(|part| orders > 1 && !part.is_constant);
        let mut before = Vec::new();
        for part in changeable {
            let mut bytes = vec![0; part.bytes];
            part.read(&mut bytes)?;
            before.push((part, bytes));
        }
        panics::watch();
        // The first order comes last, so that the result is the same however many there are.
        for number in (0..orders).rev() {
            let (schedule, seed) = Schedule::repetition(number, seed);
            let order = (number > 0).then_some((number, schedule));
            let launch = Launch { schedule, seed, ..launch };
            simt(&launch, kernel).map_err(|mut error| {
                if error.what.starts_with("panicked: ") {
                    error.what = panics::with_place(&error.what);
                }
                Error::Simt { error, order }
            })?;
            if number > 0 {
                before.iter().try_for_each(|(part, bytes)| part.write(bytes))?;
            }
        }
        Ok(())
    }
}

/// What a panic said.
fn message(panic: &dyn std::any::Any) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("panicked").into()
}
