//! A lesson: a queue without locks. Threads take tasks from the queue and put new tasks in, until none is
//! left.

use cuda_std::array::Array;
use cuda_std::prelude::*;

/// Words of `control`: how many places were taken, how many items were taken out, and how many tasks are
/// not done.
pub const TAIL: u32 = 0;
/// See [`TAIL`].
pub const HEAD: u32 = 1;
/// See [`TAIL`].
pub const PENDING: u32 = 2;

// ANCHOR: push
/// Puts a task into the queue. A place is used once, so there has to be one for every task.
#[inline(always)]
fn push(control: Array<u32>, items: Array<u32>, published: Array<u32>, task: u32) {
    let place = control.atomic(TAIL).add(1);
    items.write(place, task);
    // Whoever finds the place published has to find the item as well.
    thread::device_fence();
    published.atomic(place).store(1);
}
// ANCHOR_END: push

// ANCHOR: pop
/// Takes a task out of the queue, if there is one.
#[inline(always)]
fn pop(control: Array<u32>, items: Array<u32>, published: Array<u32>) -> Option<u32> {
    let place = control.atomic(HEAD).load();
    if place as usize >= items.len() || published.atomic(place).load() == 0 {
        return None;
    }
    // Of the threads that have found this place, one gets it.
    control.atomic(HEAD).claim(place, place + 1).ok()?;
    thread::device_fence();
    Some(items.read(place))
}
// ANCHOR_END: pop

// ANCHOR: kernel
/// Walks a binary tree. A task is the height of a node: a node of height 0 is a leaf and adds one to
/// `leaves`, and any other node puts its two children into the queue.
///
/// # Safety
/// The queue holds one task, published, with `PENDING` and `TAIL` 1 and `HEAD` 0; `items` and `published`
/// have an element for every node of the tree; nobody else uses the arrays during the launch.
#[kernel]
pub unsafe fn count_leaves(
    control: Array<u32>,
    items: Array<u32>,
    published: Array<u32>,
    leaves: Array<u32>,
) {
    while control.atomic(PENDING).load() > 0 {
        let Some(height) = pop(control, items, published) else {
            thread::nanosleep(100);
            continue;
        };
        if height == 0 {
            leaves.atomic(0u32).add(1);
        } else {
            // The children count before their parent stops to count, so the number is 0 at the end only.
            control.atomic(PENDING).add(2);
            push(control, items, published, height - 1);
            push(control, items, published, height - 1);
        }
        control.atomic(PENDING).sub(1);
    }
}
// ANCHOR_END: kernel

#[cfg(not(target_arch = "nvptx64"))]
pub use host::{run, run_with};

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use crate::lesson::Outcome;
    use cuda_launch::{Device, Error, Grid};
    use cuda_std::array::Array;

    /// Walks a tree of height 6.
    ///
    /// # Errors
    /// Those of the device.
    pub fn run(device: &mut Device) -> Result<Outcome, Error> {
        run_with(device, "count_leaves", super::count_leaves)
    }

    /// Does that with another kernel.
    ///
    /// # Errors
    /// Those of the device.
    pub fn run_with(
        device: &mut Device,
        name: &'static str,
        kernel: unsafe fn(Array<u32>, Array<u32>, Array<u32>, Array<u32>),
    ) -> Result<Outcome, Error> {
        let height = 6;
        let nodes = (2 << height) - 1;
        let control = device.upload("control", &[1u32, 0, 1])?;
        let (mut tasks, mut flags) = (vec![0u32; nodes], vec![0u32; nodes]);
        (tasks[0], flags[0]) = (height, 1);
        let (items, published) = (device.upload("items", &tasks)?, device.upload("published", &flags)?);
        let leaves = device.zeros::<u32>("leaves", 1)?;
        let arguments = (control.array(), items.array(), published.array(), leaves.array());
        // SAFETY: the queue holds the root, and has a place for every node.
        unsafe { device.launch(Grid::new(2, 32).cooperative(), name, kernel, arguments) }?;
        Ok(Outcome { found: device.download(&leaves)?, expected: vec![1 << height] })
    }
}

#[cfg(test)]
crate::lesson::on_every_device!(super::run);
