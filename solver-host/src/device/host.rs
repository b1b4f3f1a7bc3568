//! The two executors of the host: `cpu`, one thread a kernel and fast; `simt`, every thread of the grid, exactly.

use super::{DeviceError, Executor, Geometry, Kernel, Traffic, Work};
use solver_gpu::block::shared_bytes;
use solver_gpu::near::fitting;
use solver_gpu::Search;
use std::alloc::{alloc_zeroed, dealloc, Layout};
use std::collections::HashMap;

/// Blocks of a simulated grid: few, so that tests stay fast, but several, so that blocks do meet.
const SIMT_BLOCKS: u32 = 3;

/// Simulated shared memory for arrays of a search: so little that in tests often not all find room.
const NEAR_BYTES: usize = 2000;

/// An executor in the host's own memory.
pub struct Host {
    memory: HashMap<u64, Layout>,
    /// Bytes allocated and not freed.
    held: u64,
    traffic: Traffic,
    mode: Mode,
    /// Nobody sets it: a search on the host returns often.
    stop: Box<u32>,
}

/// Rounds of a resident search: some milliseconds' worth.
const ROUNDS_A_LAUNCH: u32 = 1000;

enum Mode {
    Cpu,
    Simt { threads: u32, seed: u64 },
}

impl Host {
    /// The fast one: each launch is one block of one thread, so that every kernel is a plain loop.
    pub fn cpu() -> Self {
        Host::new(Mode::Cpu)
    }

    /// The exact one: blocks of `threads` threads, scheduled in an order that `seed` decides.
    pub fn simt(threads: u32, seed: u64) -> Self {
        Host::new(Mode::Simt { threads, seed })
    }

    fn new(mode: Mode) -> Self {
        Host { memory: HashMap::new(), held: 0, traffic: Traffic::default(), mode, stop: Box::new(0) }
    }

    /// Launches a kernel in blocks of `threads` threads where they are simulated, of one elsewhere.
    fn launch_grid(
        &mut self,
        kernel: Kernel,
        grid: u32,
        threads: u32,
        near_bytes: usize,
        search: &Search,
    ) -> Result<(), DeviceError> {
        self.traffic.launches += 1;
        // SAFETY: the search's arrays lie in this executor's memory, and launches are one after the other.
        let run = || unsafe { kernel.run(*search) };
        match &mut self.mode {
            Mode::Cpu => {
                cuda_std::host::cpu(shared_bytes(1) + near_bytes, &run);
                Ok(())
            }
            Mode::Simt { seed, .. } => {
                *seed = seed.wrapping_add(1);
                let launch = cuda_std::host::Launch {
                    kernel: kernel.name(),
                    grid,
                    block: threads,
                    shared_bytes: shared_bytes(threads) + near_bytes,
                    seed: *seed,
                };
                cuda_std::host::simt(&launch, &run).map_err(|e| DeviceError::Failed(e.to_string()))
            }
        }
    }
}

impl Executor for Host {
    fn name(&self) -> String {
        match self.mode {
            Mode::Cpu => "cpu".into(),
            Mode::Simt { threads, .. } => format!("simt, {threads} threads a block"),
        }
    }

    fn alloc(&mut self, bytes: usize) -> Result<u64, DeviceError> {
        let refused = || DeviceError::OutOfMemory { device: "the host".into(), bytes };
        let layout = Layout::from_size_align(bytes.max(16), 16).map_err(|_| refused())?;
        // SAFETY: the layout is not of size 0.
        let address = unsafe { alloc_zeroed(layout) };
        if address.is_null() {
            return Err(refused());
        }
        self.memory.insert(address as u64, layout);
        self.held += layout.size() as u64;
        self.traffic.peak_memory = self.traffic.peak_memory.max(self.held);
        Ok(address as u64)
    }

    fn free(&mut self, address: u64) {
        if let Some(layout) = self.memory.remove(&address) {
            self.held -= layout.size() as u64;
            // SAFETY: allocated above with this layout, and not freed since: it was in the table.
            unsafe { dealloc(address as *mut u8, layout) }
        }
    }

    fn upload(&mut self, address: u64, data: &[u8]) -> Result<(), DeviceError> {
        self.traffic.to_device += data.len() as u64;
        // SAFETY: the caller passes an address within an allocation of this executor, with room for the data.
        unsafe { std::ptr::copy_nonoverlapping(data.as_ptr(), address as *mut u8, data.len()) };
        Ok(())
    }

    fn download(&mut self, address: u64, data: &mut [u8]) -> Result<(), DeviceError> {
        self.traffic.to_host += data.len() as u64;
        // SAFETY: as for `upload`.
        unsafe { std::ptr::copy_nonoverlapping(address as *const u8, data.as_mut_ptr(), data.len()) };
        Ok(())
    }

    fn copy(&mut self, to: u64, from: u64, bytes: usize) -> Result<(), DeviceError> {
        // SAFETY: both are within allocations of this executor and do not overlap.
        unsafe { std::ptr::copy_nonoverlapping(from as *const u8, to as *mut u8, bytes) };
        Ok(())
    }

    fn load(&mut self, _: Kernel) -> Result<(), DeviceError> {
        Ok(())
    }

    fn launch(&mut self, kernel: Kernel, work: Work, search: &Search) -> Result<(), DeviceError> {
        let threads = self.threads();
        self.launch_grid(kernel, work.blocks(threads.max(32), SIMT_BLOCKS), threads, 0, search)
    }

    fn stop_word(&self) -> u64 {
        std::ptr::from_ref(&*self.stop) as u64
    }

    fn search(
        &mut self,
        geometry: Geometry,
        search: &Search,
        _: &dyn Fn() -> bool,
    ) -> Result<(), DeviceError> {
        let (grid, threads) = match geometry {
            Geometry::Warp => (1, 32),
            Geometry::Block => (1, self.threads()),
            Geometry::Grid => (SIMT_BLOCKS, self.threads()),
        };
        // On the processor nothing is nearer than anything else.
        let room = match &self.mode {
            Mode::Cpu => 0,
            _ => NEAR_BYTES,
        };
        let near = fitting(&search.own, room);
        let search = Search { near: near as u32, ..*search };
        self.launch_grid(Kernel::for_search(&search), grid, threads, near, &search)
    }

    fn rounds_a_launch(&self) -> u32 {
        ROUNDS_A_LAUNCH
    }

    fn threads(&self) -> u32 {
        match self.mode {
            Mode::Cpu => 1,
            Mode::Simt { threads, .. } => threads,
        }
    }

    fn rounds_at_once(&self) -> u32 {
        1
    }

    fn traffic(&self) -> Traffic {
        self.traffic
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        for address in self.memory.keys().copied().collect::<Vec<_>>() {
            self.free(address);
        }
    }
}
