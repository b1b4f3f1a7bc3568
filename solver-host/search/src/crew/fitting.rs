//! How many searchers a fleet has, and how wide they are.
//!
//! Main functions: [`fitting`], for their threads, and [`searchers_for`], for their number.

use crate::campaign::plan::Plan;
use crate::searcher::memory::Memory;
use crate::searcher::upload::Uploaded;
use crate::{Options, SearcherThreads, SolveError};
use std::sync::Arc;
use yasmin_device::DeviceKind;

/// The share of the device's free memory that searchers take by default, in percent.
const SHARE: u64 = 60;

/// The first blocks of all searchers take at most this fraction (one in so many) of the bytes that they may take.
const FIRST_SHARE: u64 = 4;

/// The fewest threads of a searcher: a warp.
const NARROWEST: u32 = 32;

/// The number of searchers whose blocks of `bytes` bytes fit into `most_bytes`. The number is at most `wanted`, or
/// `resident` if no number was asked for.
pub fn searchers_for(wanted: Option<u32>, resident: u32, bytes: usize, most_bytes: u64) -> u32 {
    let fitting = |most: u64| (most / bytes.max(1) as u64).min(u32::MAX as u64) as u32;
    match wanted {
        Some(wanted) => wanted.min(fitting(most_bytes)),
        // Blocks will want to grow.
        None => resident.min(fitting(most_bytes / FIRST_SHARE).max(fitting(most_bytes).min(1))),
    }
}

/// The bytes that searchers may take of a device with `free` free bytes; `asked` if that was said.
pub fn memory_share(asked: Option<u64>, free: u64) -> u64 {
    asked.unwrap_or(free / 100 * SHARE)
}

/// The options with so many threads for each searcher that as many searchers as are asked for run at once on the
/// device; a first searcher's memory; and how many such searchers run at once. A launch of more would search with a
/// fraction of them at a time, which took six times as long when it was measured.
///
/// # Errors
/// [`SolveError::Crowd`] if there is no such number of threads; else if the device fails.
pub fn fitting(
    device: DeviceKind,
    uploaded: &Arc<Uploaded>,
    options: Options,
    plan: &Plan,
) -> Result<(Options, Memory, u32), SolveError> {
    let may_be_narrower = options.searcher_threads == SearcherThreads::Auto;
    let mut threads = options.threads_of_searchers();
    loop {
        let narrow = Options { searcher_threads: SearcherThreads::Threads(threads), ..options };
        let executor = uploaded.sibling(narrow.setup_of_searchers())?;
        let memory = Memory::new(executor, uploaded.clone(), &narrow, plan)?;
        let wanted = options.gpu_searchers.number().unwrap_or(0);
        let resident = memory.resident_searchers()?;
        // The simulation runs any number at once.
        if wanted <= resident || device == DeviceKind::Simt {
            return Ok((narrow, memory, resident));
        }
        if !may_be_narrower || threads == NARROWEST {
            return Err(SolveError::Crowd { searchers: wanted, resident, threads });
        }
        threads = (threads / 2).max(NARROWEST);
    }
}
