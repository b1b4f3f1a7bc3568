//! Which learned nogoods watch a literal: a list a literal, all in one array.
//!
//! Whoever watches a literal stands in its list. The list may also have nogoods that watch it no longer; they are taken out when the
//! literal is visited. Visited is a literal only in the round in which it joined the assignment, by one block, and nobody appends to
//! its list then: what is newly watched does not hold. Appending is one atomic addition.
//!
//! An entry also has another literal of the nogood, the one watched beside this when the entry was made. If that is falsified the
//! nogood is of no interest, and need not be looked at.
//!
//! What finds its list full goes to the end of a queue. At the end of the kernel, when nobody else runs, [`settle`] moves such a list to
//! where there is twice the room, at the end of what is used of the array. When the array is used up, `unlisted` is set, every round
//! looks at all learned nogoods, and the host launches `rebuild_watches` as soon as it sees that.
//!
//! Invariant: while `unlisted` is 0, each learned nogood stands in the lists of its two watched literals, between kernels.

use crate::kernels::propagate_long::unpack;
use crate::{Lit, Search};
use core::sync::atomic::Ordering::Relaxed;

/// Room in a list to begin with.
pub const SPARE: u32 = 4;

/// How much room a list gets that has `len` nogoods.
#[inline(always)]
pub const fn room_for(len: u32) -> u32 {
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
pub fn append(s: &Search, lit: Lit, i: u32, other: Lit) {
    let room = s.watch_room.read(lit.0);
    let at = s.watch_len.atomic(lit.0).fetch_add(1, Relaxed);
    if at < room {
        s.watch_list.write(s.watch_at.read(lit.0) + at, entry(i, other));
        return;
    }
    let state = s.state();
    let at = state.queued.fetch_add(1, Relaxed);
    if (at as usize) < s.watch_queue.len() {
        s.watch_queue.write(at, (lit.0 as u64) << 32 | i as u64);
    } else {
        state.unlisted.store(1, Relaxed);
    }
}

/// Works off the queue. For one thread, with nobody beside it; what others appended must be visible.
#[inline(always)]
pub fn settle(s: &Search) {
    let state = s.state();
    let n = state.queued.load(Relaxed).min(s.watch_queue.len() as u32);
    let mut at = 0;
    while at < n {
        let word = s.watch_queue.read(at);
        let (lit, i) = ((word >> 32) as u32, word as u32);
        let room = s.watch_room.read(lit);
        // Whoever queued has added to the length.
        let len = s.watch_len.atomic(lit).load(Relaxed).min(room);
        if len == room && !grow(s, lit, room) {
            state.unlisted.store(1, Relaxed);
            break;
        }
        let (a, b) = unpack(s.learned_watch.read(i));
        let other = if a == Lit(lit) { b } else { a };
        s.watch_list.write(s.watch_at.read(lit) + len, entry(i, other));
        s.watch_len.atomic(lit).store(len + 1, Relaxed);
        at += 1;
    }
    state.queued.store(0, Relaxed);
}

/// Moves a list that is full to twice the room; false if there is none.
#[inline(always)]
fn grow(s: &Search, lit: u32, room: u32) -> bool {
    let end = &s.state().watch_end;
    let (from, to) = (s.watch_at.read(lit), end.load(Relaxed));
    let wanted = 2 * room + SPARE;
    if to as usize + wanted as usize > s.watch_list.len() {
        return false;
    }
    let mut k = 0;
    while k < room {
        s.watch_list.write(to + k, s.watch_list.read(from + k));
        k += 1;
    }
    s.watch_at.write(lit, to);
    s.watch_room.write(lit, wanted);
    end.store(to + wanted, Relaxed);
    true
}
