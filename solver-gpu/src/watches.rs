//! Which learned nogoods watch a literal: a list a literal, all in one array.
//!
//! Whoever watches a literal stands in its list. The list may also have nogoods that watch it no longer; when the literal is visited,
//! their entries are taken out. Visited is a literal only in the round in which it joined the assignment, and nobody appends to
//! its list then: what is newly watched does not hold. Appending is one atomic addition.
//!
//! An entry also has another literal of the nogood, the one watched beside this when the entry was made. If that is falsified the
//! nogood is of no interest, and need not be looked at.
//!
//! What finds its list full goes to the end of a queue. At the end of the kernel, when nobody else runs, [`settle`] moves such a list to
//! where there is more room, at the end of what is used of the array. When the array is used up, `unlisted` is set, every round looks at
//! all learned nogoods, and `rebuild_watches` is to be launched.
//!
//! Invariant: while `unlisted` is 0, each learned nogood stands in the lists of its two watched literals, between kernels.

use crate::lit::unpack;
use crate::threads::stride::is_first;
use crate::threads::stride::over_block;
use crate::Lit;
use crate::Own;
use cuda_std::thread;

/// WarpScratch in a list to begin with.
pub const SPARE: u32 = 8;

/// How much room a list gets that has `len` nogoods.
#[inline(always)]
pub const fn capacity_for(len: u32) -> u32 {
    len + len / 2 + SPARE
}

/// The entry of learned nogood `i`, which also has the literal `other`.
#[inline(always)]
pub const fn entry(i: u32, other: Lit) -> u64 {
    (other.0 as u64) << 32 | i as u64
}

/// The nogood and the other literal of an entry.
#[inline(always)]
pub const fn of_entry(entry: u64) -> (u32, Lit) {
    (entry as u32, Lit((entry >> 32) as u32))
}

/// Appends learned nogood `i`, which watches `lit` and `other`, to the list of `lit`, or to the queue.
#[inline(always)]
pub fn append(own: &Own, lit: Lit, i: u32, other: Lit) {
    let (room, from) = (own.watch_capacity.read(lit.0), own.watch_at.read(lit.0));
    let at = own.watch_len.atomic(lit.0).add(1);
    if at < room {
        own.watch_list.write(from + at, entry(i, other));
        return;
    }
    let state = own.state();
    let at = state.queued.add(1);
    if (at as usize) < own.watch_queue.len() {
        own.watch_queue.write(at, (lit.0 as u64) << 32 | i as u64);
    } else {
        state.unlisted.store(1);
    }
}

/// What visits of the list of `lit`, which is of the frontier, left of it: `len` entries. Nobody else may do anything with the list.
#[inline(always)]
pub fn cut(own: &Own, lit: Lit, len: u32) {
    own.watch_len.atomic(lit.0).store(len);
}

/// Puts an entry back into the list of `lit`, from which it was taken and which others of the warp put entries back into.
#[inline(always)]
pub fn put_back(own: &Own, lit: Lit, entry: u64) {
    let at = own.watch_len.atomic(lit.0).add(1);
    own.watch_list.write(own.watch_at.read(lit.0) + at, entry);
}

/// How many entries the list of `lit` has, which nobody else does anything with.
#[inline(always)]
pub fn list_len(own: &Own, lit: Lit) -> u32 {
    own.watch_len.read(lit.0).min(own.watch_capacity.read(lit.0))
}

/// The same of a list that others may be visiting: before or after that.
#[inline(always)]
pub fn about_list_len(own: &Own, lit: Lit) -> u32 {
    own.watch_len.atomic(lit.0).load().min(own.watch_capacity.read(lit.0))
}

/// Works off the queue. Called by all threads of the only block that runs; what others appended must be visible.
#[inline(always)]
pub fn settle(own: &Own) {
    let state = own.state();
    let n = state.queued.now().min(own.watch_queue.len() as u32);
    for at in 0..n {
        let word = own.watch_queue.read(at);
        let (lit, i) = ((word >> 32) as u32, word as u32);
        let room = own.watch_capacity.read(lit);
        // Whoever queued has added to the length.
        let len = own.watch_len.atomic(lit).now().min(room);
        thread::sync_threads();
        let has_room = len < room || make_room(own, lit, room);
        if is_first() {
            if has_room {
                let (a, b) = unpack(own.learned_watch.read(i));
                let other = if a == Lit(lit) { b } else { a };
                own.watch_list.write(own.watch_at.read(lit) + len, entry(i, other));
                own.watch_len.atomic(lit).store(len + 1);
            } else {
                state.unlisted.store(1);
            }
        }
        thread::sync_threads();
    }
    if n > 0 && is_first() {
        state.queued.store(0);
    }
}

/// Moves a list that is full to where there is more room for it; whether there is.
#[inline(always)]
fn make_room(own: &Own, lit: u32, room: u32) -> bool {
    let end = &own.state().watch_end;
    let (from, to, wanted) = (own.watch_at.read(lit), end.now(), capacity_for(2 * room));
    if to as usize + wanted as usize > own.watch_list.len() {
        return false;
    }
    for at in over_block(0, room) {
        own.watch_list.write(to + at, own.watch_list.read(from + at));
    }
    thread::sync_threads();
    if is_first() {
        own.watch_at.write(lit, to);
        own.watch_capacity.write(lit, wanted);
        end.store(to + wanted);
    }
    true
}
