//! The memory that all searchers of one device share.
//!
//! Main type: [`Shared`].
//!
//! Invariant: the arrays of [`Shared::view`] lie in memory of [`Shared::executor`], and are as long as
//! [`solver_gpu::Swarm::of_size`] says.

use crate::campaign::plan::{Phase, Plan};
use solver_gpu::layout::{Hub, Sizes};
use solver_gpu::{Array, Lit, Swarm, Var};
use std::hint::spin_loop;
use std::sync::{Mutex, PoisonError};
use yasmin_device::{DeviceError, Executor};

/// The words and arrays of a swarm, and the executor that owns them.
pub struct Shared {
    executor: Mutex<Box<dyn Executor>>,
    /// The addresses, as kernels get them.
    pub view: Swarm,
    /// Whether the searchers count answer sets, and keep none.
    pub counts: bool,
}

impl Shared {
    /// Allocates zeroed memory for a swarm with arrays of these sizes. The view has the numbers of `about`,
    /// and the new arrays.
    ///
    /// # Errors
    /// If the device has too little memory or fails.
    pub fn new(mut executor: Box<dyn Executor>, about: Swarm, sizes: Sizes) -> Result<Shared, DeviceError> {
        let sizes = Swarm::of_size(sizes);
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
            core: array(&mut *executor, sizes.core)?,
            near: array(&mut *executor, sizes.near)?,
            questions: Array::default(),
            replies: Array::default(),
            ..about
        };
        executor.synchronize()?;
        Ok(Shared { executor: Mutex::new(executor), view, counts: false })
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

    /// The bound of the goal, if one was published. The memory must be the host's.
    pub fn bound(&self) -> Option<Vec<i64>> {
        let version = self.lock_bound();
        let bound = (version != 0).then(|| self.read_bound());
        self.hub().bound_version.store_release(version);
        bound
    }

    /// The items of the goal that are known, as bits. The memory must be the host's.
    pub fn known(&self) -> Vec<u32> {
        let known = self.view.known;
        (0..known.len()).map(|i| known.get(i).load_relaxed()).collect()
    }

    /// Whether a refutation of a part of the search space needs what is assumed of a variable. The memory must be the
    /// host's, and the searchers under assumptions.
    pub fn needs(&self, var: Var) -> bool {
        self.view.core.get(var.0 / 32).load_relaxed() >> (var.0 % 32) & 1 == 1
    }

    /// Publishes a bound of the goal, if it is the lowest so far. The memory must be the host's.
    pub fn lower_bound(&self, most: &[i64]) {
        let version = self.lock_bound();
        let is_lower = version == 0 || *most < self.read_bound()[..];
        if is_lower {
            for (i, &most) in most.iter().enumerate() {
                self.view.bound.get(2 * i).store_relaxed(most as u32);
                self.view.bound.get(2 * i + 1).store_relaxed((most >> 32) as u32);
            }
        }
        self.hub().bound_version.store_release(version + 2 * is_lower as u32);
    }

    /// Tells what was chosen in the best answer set to the searchers that search near it. The memory must be
    /// the host's.
    pub fn tell_chosen(&self, chosen: &[Lit]) {
        let near = &self.view.near;
        let len = chosen.len().min(near.len().saturating_sub(1));
        for (i, lit) in chosen[..len].iter().enumerate() {
            near.get(1 + i).store_relaxed(lit.0);
        }
        if !near.is_empty() {
            near.get(0u32).store_relaxed(len as u32);
        }
    }

    /// The words of [`Swarm::near`]. The memory must be the host's.
    pub fn near(&self) -> Vec<u32> {
        let near = &self.view.near;
        let len = if near.is_empty() { 0 } else { 1 + near.get(0u32).load_relaxed() };
        (0..len).map(|i| near.get(i).load_relaxed()).collect()
    }

    /// Publishes the bound "less than the costs of the plan's best answer set", if that is the lowest so far.
    pub fn tell_best(&self, plan: &Plan) {
        if let Some(most) = plan.most_of_better().filter(|_| plan.phase() == Phase::Improve) {
            self.lower_bound(&most);
        }
    }

    /// Waits until nobody else changes the bound, locks it, and returns its version, which is to be written again.
    fn lock_bound(&self) -> u32 {
        let version = &self.hub().bound_version;
        loop {
            let found = version.load_relaxed();
            if found & 1 == 0 && version.compare_exchange(found, found + 1).is_ok() {
                return found;
            }
            spin_loop();
        }
    }

    fn read_bound(&self) -> Vec<i64> {
        let word = |i: usize| self.view.bound.get(i).load_relaxed() as u64;
        (0..self.view.bound.len() / 2).map(|i| (word(2 * i + 1) << 32 | word(2 * i)) as i64).collect()
    }

    /// Sets the shared words. No searcher may run meanwhile.
    ///
    /// # Errors
    /// If the device fails.
    pub fn write_hub(&mut self, hub: Hub) -> Result<(), DeviceError> {
        let executor = self.executor.get_mut().unwrap_or_else(PoisonError::into_inner);
        write_hub(&mut **executor, &self.view, hub)?;
        executor.synchronize()
    }

    /// The size of the memory in bytes.
    pub fn bytes(&self) -> u64 {
        self.executor.lock().unwrap_or_else(PoisonError::into_inner).traffic().peak_memory
    }
}

/// The type as which an executor copies the shared words.
type HubWords = [u64; size_of::<Hub>() / 8];

/// Returns a copy of the shared words, which may lie on a device.
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

/// Writes the shared words, which may lie on a device. No searcher may run meanwhile.
///
/// # Errors
/// If the device fails.
pub fn write_hub(executor: &mut dyn Executor, view: &Swarm, hub: Hub) -> Result<(), DeviceError> {
    // SAFETY: as in `read_hub`.
    let words = unsafe { std::mem::transmute::<Hub, HubWords>(hub) };
    executor.upload(view.hub.address(), bytemuck::cast_slice(&words))
}

/// Allocates zeroed memory for an array of the length of `array`.
fn array<T>(executor: &mut dyn Executor, sizes: Array<T>) -> Result<Array<T>, DeviceError> {
    let address = executor.alloc(sizes.len() * size_of::<T>())?;
    // SAFETY: allocated for as many elements, of which zeros are a value; freed with the executor.
    Ok(unsafe { Array::from_raw(address as *mut T, sizes.len()) })
}
