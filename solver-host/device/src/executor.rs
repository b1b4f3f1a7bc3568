//! What a device does for a search: [`Executor`], and what its functions take and return.

use super::kernel::Kernel;
use super::setup::Setup;
use solver_gpu::Search;

/// Why a device could not do what was asked of it.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum DeviceError {
    /// There is no GPU, or no kernels for it in this build.
    #[error("no GPU: {0}")]
    NoGpu(String),
    /// Device memory is exhausted.
    #[error("out of memory on {device}: {bytes} more bytes wanted")]
    OutOfMemory {
        /// The device's name.
        device: String,
        /// What was asked for.
        bytes: usize,
    },
    /// The driver refused or a kernel failed.
    #[error("{0}")]
    Failed(String),
}

/// How many threads a launch has work for. The grid may be smaller (kernels stride) but is never larger.
#[derive(Clone, Copy, Debug)]
pub enum Work {
    /// One block.
    OneBlock,
    /// One block an item.
    Blocks(u32),
    /// One warp an item.
    Warps(u32),
    /// One thread an item.
    Threads(u32),
}

impl Work {
    /// Blocks of `threads` threads for this work: at least one, at most `most`.
    pub fn blocks(self, threads: u32, most: u32) -> u32 {
        let blocks = match self {
            Work::OneBlock => 1,
            Work::Blocks(n) => n,
            Work::Warps(n) => n.div_ceil(threads / 32),
            Work::Threads(n) => n.div_ceil(threads),
        };
        blocks.clamp(1, most)
    }
}

/// A launch of the resident search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Geometry {
    /// One block.
    Block,
    /// This many blocks, each of which is a searcher of a swarm.
    Searchers(u32),
}

/// What crossed between host and device, how often a kernel was launched, and the memory that took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Bytes copied to the device.
    pub to_device: u64,
    /// Bytes copied to the host.
    pub to_host: u64,
    /// Kernel launches.
    pub launches: u64,
    /// The most device memory held at a time, in bytes.
    pub peak_memory: u64,
}

/// Whether a launch of the resident search has returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The launch is under way.
    Running,
    /// The launch is over, or there was none.
    Returned,
}

/// A queue of launches on a device, with memory of its own: what one search needs of a machine.
///
/// Operations of one executor take effect in the order of the calls. Executors of one device run beside each
/// other; what one has written another may use after [`Executor::synchronize`]. An executor may move to
/// another thread between two calls.
pub trait Executor: Send {
    /// What this is, for people.
    fn name(&self) -> String;

    /// Another executor on the same device, which runs kernels as `setup` says.
    ///
    /// # Errors
    /// If the device refuses.
    fn sibling(&self, setup: Setup) -> Result<Box<dyn Executor>, DeviceError>;

    /// Allocates zeroed memory, aligned to 16 bytes or more.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`].
    fn alloc(&mut self, bytes: usize) -> Result<u64, DeviceError>;

    /// Gives back what [`Executor::alloc`] returned.
    fn free(&mut self, address: u64);

    /// Copies `data` to the device.
    ///
    /// # Errors
    /// If the device fails.
    fn upload(&mut self, address: u64, data: &[u8]) -> Result<(), DeviceError>;

    /// Copies from the device, after all launches so far are done.
    ///
    /// # Errors
    /// If the device or a launch fails.
    fn download(&mut self, address: u64, data: &mut [u8]) -> Result<(), DeviceError>;

    /// Copies within the device, after all launches so far.
    ///
    /// # Errors
    /// If the device fails.
    fn copy(&mut self, to: u64, from: u64, bytes: usize) -> Result<(), DeviceError>;

    /// The same as [`Executor::copy`], to memory that was allocated and not written since.
    ///
    /// # Errors
    /// If the device fails.
    fn copy_to_new(&mut self, to: u64, from: u64, bytes: usize) -> Result<(), DeviceError> {
        self.copy(to, from, bytes)
    }

    /// Copies rows within the device, after all launches so far: `width` bytes of each of `rows` rows. `to` and
    /// `from` are the address of the first row and the distance between two rows in bytes.
    ///
    /// # Errors
    /// If the device fails.
    fn copy_rows(
        &mut self,
        to: (u64, usize),
        from: (u64, usize),
        width: usize,
        rows: usize,
    ) -> Result<(), DeviceError> {
        (0..rows)
            .try_for_each(|row| self.copy(to.0 + (row * to.1) as u64, from.0 + (row * from.1) as u64, width))
    }

    /// Copies rows from the device, after all launches so far are done: `width` bytes of each row, from
    /// `address` on, at a distance of `pitch` bytes. `data` has room for as many rows as are wanted.
    ///
    /// # Errors
    /// If the device or a launch fails.
    fn download_rows(
        &mut self,
        address: u64,
        pitch: usize,
        width: usize,
        data: &mut [u8],
    ) -> Result<(), DeviceError> {
        data.chunks_mut(width.max(1))
            .enumerate()
            .try_for_each(|(row, data)| self.download(address + (row * pitch) as u64, data))
    }

    /// How many bytes of the device's memory are free.
    fn free_memory(&self) -> u64 {
        u64::MAX
    }

    /// How many blocks of a kernel run at once on the device.
    ///
    /// # Errors
    /// If the device refuses the kernel.
    fn resident_blocks(&self, _kernel: Kernel) -> Result<u32, DeviceError> {
        Ok(1)
    }

    /// What lies there is not read any more before [`Executor::free`]: where memory is scarce it may go back
    /// to the system.
    fn discard(&mut self, _address: u64, _bytes: usize) {}

    /// Waits until all that was asked of this executor is done.
    ///
    /// # Errors
    /// If the device or a launch fails.
    fn synchronize(&mut self) -> Result<(), DeviceError>;

    /// Makes ready to launch a kernel, which may take some seconds the first time; else the first launch
    /// does.
    ///
    /// # Errors
    /// If the device refuses the kernel.
    fn load(&mut self, kernel: Kernel) -> Result<(), DeviceError>;

    /// Launches a kernel. The kernel may still be running when this returns.
    ///
    /// # Errors
    /// If the launch fails.
    fn launch(&mut self, kernel: Kernel, work: Work, search: &Search) -> Result<(), DeviceError>;

    /// The address of the word by which a resident search is asked to return.
    ///
    /// # Errors
    /// If there is no memory for the word.
    fn stop_word(&mut self) -> Result<u64, DeviceError>;

    /// Starts the resident search. Nothing else may be asked of this executor, but [`Executor::poll`] and
    /// [`Executor::ask_to_return`], before the search has returned.
    ///
    /// # Errors
    /// If the launch fails.
    fn start(&mut self, geometry: Geometry, search: &Search) -> Result<(), DeviceError>;

    /// Whether the resident search has returned. On the host the thread that polls is the device: there the
    /// call runs the launch, which takes some milliseconds.
    ///
    /// # Errors
    /// If the launch failed.
    fn poll(&mut self) -> Result<Progress, DeviceError>;

    /// Asks a resident search that is under way to return soon.
    fn ask_to_return(&self);

    /// How many threads a block has.
    fn threads(&self) -> u32;

    /// Rounds after which a resident search should return, so that somebody asks whether to go on.
    fn rounds_a_launch(&self) -> u32;

    /// How many rounds of propagation to launch before the host looks at the outcome: more where looking is
    /// dear.
    fn rounds_at_once(&self) -> u32;

    /// Totals so far.
    fn traffic(&self) -> Traffic;
}

/// The same search in a launch of `blocks` blocks, all of which work for it.
pub fn on_blocks(search: &Search, blocks: u32) -> Search {
    let mut search = *search;
    search.launch.blocks = blocks;
    search
}
