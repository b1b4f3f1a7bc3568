//! Mistake 17: a loop's condition is read while a thread already changes it for the next pass.

use crate::first_uip::{Nogoods, Trail, NONE};
use cuda_std::array::Array;
use cuda_std::prelude::*;

#[inline(always)]
fn mark(
    (nogoods, trail): (Nogoods, Trail),
    (nogood, except): (u32, u32),
    top: u32,
    (marks, open, learned): (Array<u32>, Array<u32>, Array<u32>),
) {
    let mut at = nogoods.starts.read(nogood) + thread::thread_idx_x();
    while at < nogoods.starts.read(nogood + 1) {
        let literal = nogoods.literals.read(at);
        let (variable, level) = (literal / 2, trail.levels.read(literal / 2));
        if variable != except && level > 0 && marks.claim(variable, 0, 1).is_ok() {
            if level == top {
                open.atomic(0u32).add(1);
            } else {
                let place = learned.atomic(0u32).add(1);
                learned.write(1 + place, literal);
            }
        }
        at += thread::block_dim_x();
    }
}

/// [`crate::first_uip::first_uip`] with one barrier in each pass in place of two.
///
/// # Safety
/// None: a thread may change the number of open literals before another one has read it.
#[kernel]
pub unsafe fn first_uip(
    nogoods: Nogoods,
    trail: Trail,
    violated: u32,
    marks: Array<u32>,
    learned: Array<u32>,
) {
    let open = unsafe { Array::from_raw(shared_array![u32; 1], 1) };
    let t = thread::thread_idx_x();
    if t == 0 {
        open.write(0u32, 0);
    }
    thread::sync_threads();
    let mut at = trail.literals.len() as u32 - 1;
    let top = trail.levels.read(trail.literals.read(at) / 2);
    mark((nogoods, trail), (violated, NONE), top, (marks, open, learned));
    thread::sync_threads();
    // ANCHOR: loop
    loop {
        while marks.atomic(trail.literals.read(at) / 2).load() == 0 {
            at -= 1;
        }
        let literal = trail.literals.read(at);
        let is_last = open.read(0u32) == 1;
        if is_last {
            if t == 0 {
                let place = learned.atomic(0u32).add(1);
                learned.write(1 + place, literal);
            }
            return;
        }
        if t == 0 {
            open.atomic(0u32).sub(1);
        }
        let reason = trail.reasons.read(literal / 2);
        mark((nogoods, trail), (reason, literal / 2), top, (marks, open, learned));
        thread::sync_threads();
        at -= 1;
    }
    // ANCHOR_END: loop
}
