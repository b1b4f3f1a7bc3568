//! The two executors of the host: `cpu`, one thread a kernel and fast; `simt`, every thread of the grid,
//! exactly.

use super::executor::on_blocks;
use super::simulation::{Shape, Simulation};
use super::{DeviceError, Executor, Geometry, Kernel, Progress, Setup, Traffic, Work};
use cuda_std::atomic::SharedU32;
use nix::libc;
use solver_gpu::threads::scratch::shared_bytes;
use solver_gpu::Search;
use std::alloc::{alloc_zeroed, dealloc, Layout};
use std::collections::HashMap;
use std::slice::{from_raw_parts, from_raw_parts_mut};

/// Blocks of a simulated grid: few, so that tests stay fast, but several, so that blocks do meet.
const SIMT_BLOCKS: u32 = 3;

/// Simulated shared memory for arrays of a search: so little that in tests often not all find room.
const SHARED_COPY_ROOM: usize = 2000;

/// The bytes that are copied at once, if they differ.
const PAGE: usize = 4096;

/// What a page of new memory has.
static ZEROS: [u8; PAGE] = [0; PAGE];

/// What each allocation begins at a multiple of, in bytes: a cache line.
const LINE: usize = 64;

/// As many bytes or more are taken from the system itself. Most of a search's block is never written, and so takes no
/// memory; from the allocator, which hands out again what was freed, all of it would be written with zeros.
const MAPPED: usize = 1 << 20;

/// An executor in the host's own memory.
pub struct Host {
    /// What was allocated, by the address that was given out: where the memory begins, and its layout.
    memory: HashMap<u64, (u64, Layout)>,
    /// Bytes allocated and not freed.
    held: u64,
    traffic: Traffic,
    mode: Mode,
    /// The word by which a resident search is asked to return.
    stop: Box<SharedU32>,
    /// A resident search that was started and not run yet.
    started: Option<(Geometry, Search)>,
}

/// Rounds of a resident search: some milliseconds' worth.
const ROUNDS_A_LAUNCH: u32 = 1000;

enum Mode {
    Cpu,
    Simt(Simulation),
}

impl Host {
    /// The fast one: each launch is one block of one thread, so that every kernel is a plain loop.
    pub fn cpu() -> Self {
        Host::new(Mode::Cpu)
    }

    /// The exact one: blocks of as many threads, in the order and with the checks that `setup` says.
    pub fn simt(setup: Setup) -> Self {
        Host::new(Mode::Simt(Simulation { setup }))
    }

    fn new(mode: Mode) -> Self {
        Host {
            memory: HashMap::new(),
            held: 0,
            traffic: Traffic::default(),
            mode,
            stop: Box::default(),
            started: None,
        }
    }

    /// Launches a kernel in blocks of `threads` threads where they are simulated, of one elsewhere.
    fn launch_grid(
        &mut self,
        kernel: Kernel,
        grid: u32,
        threads: u32,
        copy_bytes: usize,
        search: &Search,
    ) -> Result<(), DeviceError> {
        self.traffic.launches += 1;
        let blocks = match &self.mode {
            Mode::Cpu => 1,
            Mode::Simt(_) => grid,
        };
        let search = &on_blocks(search, blocks);
        match &mut self.mode {
            Mode::Cpu => {
                // SAFETY: the search's arrays lie in this executor's memory, and launches are one after the
                // other.
                let run = || unsafe { kernel.run_alone(search) };
                cuda_std_alone::host::cpu(shared_bytes(1) + copy_bytes, &run);
                Ok(())
            }
            Mode::Simt(simulation) => {
                let shape = Shape { blocks, threads, copy_bytes };
                // SAFETY: as above.
                let run = || unsafe { kernel.run(search) };
                // SAFETY: as above; a search's own arrays lie in one allocation.
                unsafe { simulation.launch(kernel.name(), &shape, search, &run) }
            }
        }
    }
}

impl Host {
    /// Runs the resident search.
    fn run(&mut self, geometry: Geometry, mut search: Search) -> Result<(), DeviceError> {
        let (grid, threads) = match geometry {
            Geometry::Block => (1, self.threads()),
            Geometry::Searchers(searchers) => (searchers, self.threads()),
        };
        // On the processor no memory is nearer than any other.
        let room = match &self.mode {
            Mode::Cpu => 0,
            Mode::Simt(_) => SHARED_COPY_ROOM,
        };
        let bytes = search.own.shared_copy_fitting(room);
        search.launch.shared_copy_bytes = bytes as u32;
        self.launch_grid(Kernel::for_search(&search), grid, threads, bytes, &search)
    }
}

impl Executor for Host {
    fn sibling(&self, setup: Setup) -> Result<Box<dyn Executor>, DeviceError> {
        Ok(Box::new(match self.mode {
            Mode::Cpu => Host::cpu(),
            Mode::Simt(_) => Host::simt(setup),
        }))
    }

    fn synchronize(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }

    fn name(&self) -> String {
        match self.mode {
            Mode::Cpu => "cpu".into(),
            Mode::Simt(_) => format!("simt, {} threads a block", self.threads()),
        }
    }

    fn alloc(&mut self, bytes: usize) -> Result<u64, DeviceError> {
        let refused = || DeviceError::OutOfMemory { device: "the host".into(), bytes };
        // With a greater alignment the allocator would write the zeros by itself, and touch each page.
        let layout = Layout::from_size_align(bytes.saturating_add(LINE), 16).map_err(|_| refused())?;
        let begin = zeroed(layout).ok_or_else(refused)?;
        let address = (begin as u64).next_multiple_of(LINE as u64);
        self.memory.insert(address, (begin as u64, layout));
        self.held += layout.size() as u64;
        self.traffic.peak_memory = self.traffic.peak_memory.max(self.held);
        Ok(address)
    }

    fn free(&mut self, address: u64) {
        if let Some((begin, layout)) = self.memory.remove(&address) {
            self.held -= layout.size() as u64;
            // SAFETY: allocated with this layout, and not freed since: it was in the table.
            unsafe {
                match layout.size() {
                    MAPPED.. => drop(libc::munmap(begin as *mut libc::c_void, layout.size())),
                    _ => dealloc(begin as *mut u8, layout),
                }
            }
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
        // SAFETY: both are within allocations of this executor and do not overlap, and no kernel runs.
        let pages = unsafe { pages(to, from, bytes) };
        // A page that was never written takes no memory, and most of a new block is to stay so.
        for (to, from) in pages {
            if to != from {
                to.copy_from_slice(from);
            }
        }
        Ok(())
    }

    fn copy_to_new(&mut self, to: u64, from: u64, bytes: usize) -> Result<(), DeviceError> {
        // SAFETY: as in `copy`.
        let pages = unsafe { pages(to, from, bytes) };
        // New memory is not looked at: the system would have to find a page even for that.
        for (to, from) in pages {
            if *from != ZEROS[..from.len()] {
                to.copy_from_slice(from);
            }
        }
        Ok(())
    }

    fn discard(&mut self, address: u64, bytes: usize) {
        let (page, address) = (PAGE, address as usize);
        let (start, end) = (address.next_multiple_of(page), (address + bytes) / page * page);
        if start < end {
            // SAFETY: the pages are within an allocation of this executor, and their contents are not needed.
            // (Where pages are larger, the system refuses, and the memory stays until it is freed.)
            unsafe { libc::madvise(start as *mut libc::c_void, end - start, libc::MADV_DONTNEED) };
        }
    }

    fn load(&mut self, _: Kernel) -> Result<(), DeviceError> {
        Ok(())
    }

    fn launch(&mut self, kernel: Kernel, work: Work, search: &Search) -> Result<(), DeviceError> {
        let threads = self.threads();
        self.launch_grid(kernel, work.blocks(threads.max(32), SIMT_BLOCKS), threads, 0, search)
    }

    fn stop_word(&mut self) -> Result<u64, DeviceError> {
        Ok(std::ptr::from_ref(&*self.stop) as u64)
    }

    fn start(&mut self, geometry: Geometry, search: &Search) -> Result<(), DeviceError> {
        self.stop.store_relaxed(0);
        self.started = Some((geometry, *search));
        Ok(())
    }

    fn poll(&mut self) -> Result<Progress, DeviceError> {
        if let Some((geometry, search)) = self.started.take() {
            self.run(geometry, search)?;
        }
        Ok(Progress::Returned)
    }

    fn ask_to_return(&self) {
        self.stop.store_relaxed(1);
    }

    fn resident_blocks(&self, _: Kernel) -> Result<u32, DeviceError> {
        Ok(match &self.mode {
            Mode::Cpu => 1,
            Mode::Simt(_) => SIMT_BLOCKS,
        })
    }

    fn rounds_a_launch(&self) -> u32 {
        ROUNDS_A_LAUNCH
    }

    fn threads(&self) -> u32 {
        match &self.mode {
            Mode::Cpu => 1,
            Mode::Simt(simulation) => simulation.setup.threads,
        }
    }

    fn rounds_at_once(&self) -> u32 {
        1
    }

    fn traffic(&self) -> Traffic {
        self.traffic
    }
}

/// What is copied, in pieces of a page.
///
/// # Safety
/// Both places have as many bytes, do not overlap, and nobody else uses them meanwhile.
unsafe fn pages<'a>(to: u64, from: u64, bytes: usize) -> impl Iterator<Item = (&'a mut [u8], &'a [u8])> {
    // SAFETY: the caller's.
    let (to, from) =
        unsafe { (from_raw_parts_mut(to as *mut u8, bytes), from_raw_parts(from as *const u8, bytes)) };
    to.chunks_mut(PAGE).zip(from.chunks(PAGE))
}

/// Memory that is zeroed, if there is enough.
fn zeroed(layout: Layout) -> Option<*mut u8> {
    if layout.size() < MAPPED {
        // SAFETY: the layout is not of size 0.
        let begin = unsafe { alloc_zeroed(layout) };
        return (!begin.is_null()).then_some(begin);
    }
    let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: new memory, wherever the system likes, which belongs to no file.
    let begin = unsafe { libc::mmap(std::ptr::null_mut(), layout.size(), access, kind, -1, 0) };
    (begin != libc::MAP_FAILED).then_some(begin.cast())
}

impl Drop for Host {
    fn drop(&mut self) {
        for address in self.memory.keys().copied().collect::<Vec<_>>() {
            self.free(address);
        }
    }
}
