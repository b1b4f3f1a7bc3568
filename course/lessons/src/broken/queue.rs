//! Mistake 11: an item is published without a fence.

use crate::queue::{HEAD, PENDING, TAIL};
use cuda_std::array::Array;
use cuda_std::prelude::*;

// ANCHOR: push
/// Puts a task into the queue, without the fence between the item and the word that publishes it.
#[inline(always)]
fn push(control: Array<u32>, items: Array<u32>, published: Array<u32>, task: u32) {
    let place = control.atomic(TAIL).add(1);
    items.write(place, task);
    published.atomic(place).store(1);
}
// ANCHOR_END: push

#[inline(always)]
fn pop(control: Array<u32>, items: Array<u32>, published: Array<u32>) -> Option<u32> {
    let place = control.atomic(HEAD).load();
    if place as usize >= items.len() || published.atomic(place).load() == 0 {
        return None;
    }
    control.atomic(HEAD).claim(place, place + 1).ok()?;
    thread::device_fence();
    Some(items.read(place))
}

/// [`crate::queue::count_leaves`] without the fence in `push`.
///
/// # Safety
/// None: a thread may read an item before it is written.
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
            control.atomic(PENDING).add(2);
            push(control, items, published, height - 1);
            push(control, items, published, height - 1);
        }
        control.atomic(PENDING).sub(1);
    }
}
