//! A thread that looks for symmetries while a search goes on.
//!
//! Main types: [`Symmetries`] and [`Sought`]; main function: [`look`]. What is found is in
//! [`yasmin_nogoods::symmetry`].

use crate::campaign::task::Task;
use crate::crew::seat::spawn;
use crate::SolveError;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::Arc;
use std::thread::JoinHandle;

/// What a solver knows of symmetries.
#[derive(Default)]
pub enum Symmetries {
    /// Nobody looks for them, or there are too few.
    #[default]
    Absent,
    /// They may be looked for while the search goes on.
    Possible,
    /// A thread looks for them.
    Sought(Sought),
}

/// A thread that looks for symmetries, and translates the program without what they exclude.
pub struct Sought {
    pub thread: JoinHandle<Result<Option<Task>, SolveError>>,
    /// Tells the thread to give up if nobody waits for it any more.
    _unless: Dropped,
}

/// Set once it is dropped.
#[derive(Default)]
struct Dropped(Arc<AtomicBool>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

impl Sought {
    /// Starts a thread that looks for `least` symmetries and more of a task.
    ///
    /// # Errors
    /// [`SolveError::Threads`].
    pub fn start(task: Arc<Task>, least: u32) -> Result<Sought, SolveError> {
        let unless = Dropped::default();
        let is_over = unless.0.clone();
        let look = move || look(&task, least, &|| is_over.load(Relaxed));
        Ok(Sought { thread: spawn("symmetries".into(), look)?, _unless: unless })
    }
}

/// The task without what `least` symmetries and more exclude, if there are so many. `is_over` ends the
/// search for them.
///
/// # Errors
/// As for [`Task::new`].
pub fn look(task: &Task, least: u32, is_over: &dyn Fn() -> bool) -> Result<Option<Task>, SolveError> {
    let Some(found) = task.symmetries(least, is_over) else { return Ok(None) };
    let (program, goal) = (task.program().clone(), task.plan.goal());
    let without = Task::without_symmetries(program, &task.options, goal, &found)?;
    Ok(without.are_symmetries_broken().then_some(without))
}
