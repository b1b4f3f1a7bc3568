//! A task on a device, for searches to share.
//!
//! Main type: [`Problem`]. Any number of searches share one problem, on as many threads: see
//! [`Solver::of`](crate::Solver::of).

use super::minimality::HeadCycles;
use super::upload::Uploaded;
use crate::campaign::task::Task;
use crate::goal::Goal;
use crate::options::{Decide, Options};
use crate::SolveError;
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use yasmin_device::{self as device, DeviceKind};
use yasmin_ground::program::Program;

/// A program that was prepared for a goal and copied to a device.
pub struct Problem {
    /// What was prepared.
    pub(crate) task: Arc<Task>,
    /// What was copied.
    pub(crate) uploaded: Arc<Uploaded>,
    /// Where it was copied to.
    pub(crate) device: DeviceKind,
    /// Seconds spent on opening the device and copying the task to it.
    pub(crate) upload_seconds: f64,
    /// See [`Problem::head_cycles`].
    head_cycles: OnceLock<Option<Arc<HeadCycles>>>,
}

impl Problem {
    /// Translates `program` for a goal, and copies the outcome to the device that `options` name.
    ///
    /// # Errors
    /// If the program has too many nogoods, there is no such device, or not enough memory.
    pub fn new(program: Program, options: &Options, goal: &Goal) -> Result<Problem, SolveError> {
        Problem::of(Task::new(program, options, goal)?)
    }

    /// Copies a task to the device where its search begins (see [`Task::first_device`]).
    ///
    /// # Errors
    /// If there is no such device, or not enough memory.
    pub fn of(mut task: Task) -> Result<Problem, SolveError> {
        let started = Instant::now();
        let device = task.first_device();
        let executor = device::open(device, task.options.setup())?;
        let decides_any = task.options.decide == Decide::Any;
        let uploaded = Arc::new(Uploaded::new(executor, task.program(), &task.prepared, decides_any)?);
        task.free_nogoods();
        let upload_seconds = started.elapsed().as_secs_f64();
        Ok(Problem { task: Arc::new(task), uploaded, device, upload_seconds, head_cycles: OnceLock::new() })
    }

    /// The program.
    pub fn program(&self) -> &Program {
        self.task.program()
    }

    /// The program's components with head cycles, if there are any. The first search looks for them.
    pub(crate) fn head_cycles(&self) -> Option<&Arc<HeadCycles>> {
        self.head_cycles.get_or_init(|| HeadCycles::of(self.program())).as_ref()
    }

    /// What was copied to the device for the problem, and the memory that this takes there. Searches count
    /// their own.
    pub fn traffic(&self) -> device::Traffic {
        self.uploaded.traffic()
    }
}
