//! Where kernels run: the GPU, the host's fast executor, or the host's exact simulation of threads.
//!
//! An [`Executor`] owns memory and launches kernels on it; the search knows nothing else of the machine. All
//! executors run the same kernel functions of `solver-gpu`.

mod driver;
mod executor;
mod gpu;
#[cfg(feature = "executors")]
mod host;
mod kernel;
mod kind;
mod ptx;
mod rows;
mod setup;
#[cfg(feature = "executors")]
mod simulation;

pub use executor::{DeviceError, Executor, Geometry, Progress, Traffic, Work};
pub use kernel::Kernel;
pub use kind::{DeviceKind, GpuSet};
pub use setup::Setup;

use solver_gpu::Search;
use std::time::{Duration, Instant};

/// How long a wait for a resident search spins before it sleeps, and how long it sleeps at a time.
const SPIN: Duration = Duration::from_micros(200);
const NAP: Duration = Duration::from_micros(50);

/// Runs the resident search and waits until it returns. Asks it to return once `interrupt` holds.
///
/// # Errors
/// If the launch fails.
pub fn search(
    executor: &mut dyn Executor,
    geometry: Geometry,
    search: &Search,
    interrupt: &dyn Fn() -> bool,
) -> Result<(), DeviceError> {
    executor.start(geometry, search)?;
    let started = Instant::now();
    while executor.poll()? == Progress::Running {
        if interrupt() {
            executor.ask_to_return();
        }
        match started.elapsed() < SPIN {
            true => std::hint::spin_loop(),
            false => std::thread::sleep(NAP),
        }
    }
    Ok(())
}

/// What a search of some [`DeviceKind`] will run on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InUse {
    /// Its name, for people.
    pub name: String,
    /// Why it is not the GPU, if [`DeviceKind::Auto`] found none.
    pub no_gpu: Option<DeviceError>,
}

/// Finds out what a search will run on, by opening the device. What takes long of that is done once a process.
///
/// # Errors
/// As [`open`].
pub fn in_use(kind: DeviceKind, setup: Setup) -> Result<InUse, DeviceError> {
    if let DeviceKind::Gpus(_) = kind {
        let names = each(kind)?.into_iter().map(|gpu| Ok(open(gpu, setup)?.name()));
        let names = names.collect::<Result<Vec<_>, DeviceError>>()?;
        return Ok(InUse { name: names.join("; "), no_gpu: None });
    }
    let gpu = match kind {
        DeviceKind::Auto => open(DeviceKind::Gpu(0), setup),
        kind => open(kind, setup),
    };
    match gpu {
        Ok(device) => Ok(InUse { name: device.name(), no_gpu: None }),
        Err(error) if kind == DeviceKind::Auto => {
            let name = open(DeviceKind::Cpu, setup)?.name();
            Ok(InUse { name, no_gpu: Some(error) })
        }
        Err(error) => Err(error),
    }
}

/// Whether there is an NVIDIA driver, and hence perhaps a GPU. The question does not wake the GPU.
pub fn has_driver() -> bool {
    driver::available().is_ok()
}

/// Whether this process has loaded the driver, without which it has no GPU open.
pub fn has_loaded_driver() -> bool {
    driver::is_loaded()
}

/// The devices that a kind stands for, one by one.
///
/// # Errors
/// If all GPUs are meant and there is none.
pub fn each(kind: DeviceKind) -> Result<Vec<DeviceKind>, DeviceError> {
    match kind {
        DeviceKind::Gpus(set) => {
            let gpus = if set == GpuSet::ALL { driver::count()? } else { 0 };
            Ok(set.ordinals(gpus).map(DeviceKind::Gpu).collect())
        }
        kind => Ok(vec![kind]),
    }
}

/// The devices that a kind seems to stand for, one by one. The question does not wake the GPUs, of which
/// there may be fewer.
pub fn each_seen(kind: DeviceKind) -> Vec<DeviceKind> {
    match kind {
        DeviceKind::Gpus(set) => set.ordinals(driver::seen()).map(DeviceKind::Gpu).collect(),
        kind => vec![kind],
    }
}

/// Opens a device, which runs kernels as `setup` says.
///
/// # Errors
/// [`DeviceError::NoGpu`] for [`DeviceKind::Gpu`] where there is none; `Auto` falls back to the CPU.
pub fn open(kind: DeviceKind, setup: Setup) -> Result<Box<dyn Executor>, DeviceError> {
    match kind {
        #[cfg(feature = "executors")]
        DeviceKind::Cpu => Ok(Box::new(host::Host::cpu())),
        #[cfg(feature = "executors")]
        DeviceKind::Simt => Ok(Box::new(host::Host::simt(setup))),
        #[cfg(not(feature = "executors"))]
        DeviceKind::Cpu | DeviceKind::Simt => {
            Err(DeviceError::Failed("this yasmin was built without the host's executors".into()))
        }
        DeviceKind::Gpu(ordinal) => Ok(Box::new(gpu::Gpu::open(ordinal, setup.threads)?)),
        DeviceKind::Gpus(_) => Err(DeviceError::Failed("several GPUs are opened one by one".into())),
        DeviceKind::Auto => open(DeviceKind::Gpu(0), setup).or_else(|_| open(DeviceKind::Cpu, setup)),
    }
}
