//! The memory that all searchers of one device share.
//!
//! Main type: [`Shared`].
//!
//! Invariant: the arrays of [`Shared::view`] lie in memory of [`Shared::executor`], and are as long as
//! [`solver_gpu::Swarm::of_size`] says.

use crate::device::{DeviceError, Executor};
use solver_gpu::layout::Hub;
use solver_gpu::{Array, Swarm};
use std::sync::{Mutex, PoisonError};

/// The words and arrays of a swarm, and the executor that owns them.
pub struct Shared {
    executor: Mutex<Box<dyn Executor>>,
    /// The addresses, as kernels get them.
    pub view: Swarm,
}

impl Shared {
    /// Zeroed memory for a swarm whose goal has that many counters and items. `about` has the numbers of the
    /// view, whose arrays are replaced.
    ///
    /// # Errors
    /// If the device has too little memory or fails.
    pub fn new(
        mut executor: Box<dyn Executor>,
        about: Swarm,
        counters: usize,
        items: usize,
    ) -> Result<Shared, DeviceError> {
        let sizes = Swarm::of_size(counters, items);
        let view = Swarm {
            hub: array(&mut *executor, sizes.hub)?,
            cube_lap: array(&mut *executor, sizes.cube_lap)?,
            cubes: array(&mut *executor, sizes.cubes)?,
            pool_end: array(&mut *executor, sizes.pool_end)?,
            pool_version: array(&mut *executor, sizes.pool_version)?,
            pool_words: array(&mut *executor, sizes.pool_words)?,
            doubles: array(&mut *executor, sizes.doubles)?,
            bound: array(&mut *executor, sizes.bound)?,
            known: array(&mut *executor, sizes.known)?,
            ..about
        };
        executor.synchronize()?;
        Ok(Shared { executor: Mutex::new(executor), view })
    }

    /// The shared words. The memory must be the host's.
    pub fn hub(&self) -> &Hub {
        self.view.hub()
    }

    /// Whether all searchers have to return. The memory must be the host's.
    pub fn is_over(&self) -> bool {
        let hub = self.hub();
        hub.stop.load_relaxed() != 0 || hub.done.load_relaxed() != 0
    }

    /// Sets the shared words, while nobody searches.
    ///
    /// # Errors
    /// If the device fails.
    pub fn write_hub(&mut self, hub: Hub) -> Result<(), DeviceError> {
        let executor = self.executor.get_mut().unwrap_or_else(PoisonError::into_inner);
        write_hub(&mut **executor, &self.view, hub)?;
        executor.synchronize()
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> u64 {
        self.executor.lock().unwrap_or_else(PoisonError::into_inner).traffic().peak_memory
    }
}

/// The shared words as an executor copies them.
type HubWords = [u64; size_of::<Hub>() / 8];

/// A copy of the shared words, which may be a device's.
///
/// # Errors
/// If the device fails.
pub fn read_hub(executor: &mut dyn Executor, view: &Swarm) -> Result<Hub, DeviceError> {
    let mut words: HubWords = [0; size_of::<Hub>() / 8];
    executor.download(view.hub.address(), bytemuck::cast_slice_mut(&mut words))?;
    // SAFETY: `Hub` consists of integers without padding, is as long as the words, and needs no greater
    // alignment.
    Ok(unsafe { std::mem::transmute::<HubWords, Hub>(words) })
}

/// Writes the shared words, which may be a device's, while nobody searches.
///
/// # Errors
/// If the device fails.
pub fn write_hub(executor: &mut dyn Executor, view: &Swarm, hub: Hub) -> Result<(), DeviceError> {
    // SAFETY: as in `read_hub`.
    let words = unsafe { std::mem::transmute::<Hub, HubWords>(hub) };
    executor.upload(view.hub.address(), bytemuck::cast_slice(&words))
}

/// Zeroed memory for an array of this length.
fn array<T>(executor: &mut dyn Executor, sizes: Array<T>) -> Result<Array<T>, DeviceError> {
    let address = executor.alloc(sizes.len() * size_of::<T>())?;
    // SAFETY: allocated for as many elements, of which zeros are a value; freed with the executor.
    Ok(unsafe { Array::from_raw(address as *mut T, sizes.len()) })
}
