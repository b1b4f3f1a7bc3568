//! The queue of cubes that wait for a searcher.
//!
//! Main functions: [`give`], [`take`] and [`finish`]. Any number of searchers may call them at once. The
//! queue is the bounded queue of Vyukov (2010): each slot has a word that says which lap of the queue the
//! slot is in, and whether the slot is full. Tickets and laps wrap around.
//!
//! The hub's word `open` counts the cubes that wait or are searched. Once the word is 0, nothing is left to
//! search: a cube counts before anybody can take it, and its giver's own cube counts at least until then.
//!
//! Invariant: a slot's literals are written only by the searcher that has drawn the slot's ticket at the
//! tail, and read only by the searcher that has drawn the same ticket at the head.

use crate::layout::{Hub, Swarm, CUBE_WORDS, QUEUE};
use crate::Lit;

/// Returns the slot of `ticket`, and the slot's word while it is empty in the ticket's lap. While it is full,
/// its word is one more.
#[cuda_std::inlined]
pub fn place_of(ticket: u32) -> (u32, u32) {
    let slot = ticket % QUEUE as u32;
    (slot, ticket - slot)
}

/// Puts a cube of `len` literals into the queue, by a searcher that has a cube. Returns false if the queue is
/// full. Called by one thread.
#[cuda_std::inlined]
pub fn give(swarm: &Swarm, len: u32, lit: impl Fn(u32) -> Lit) -> bool {
    let open = &swarm.hub().open;
    open.fetch_add(1);
    let is_given = put(swarm, len, lit);
    if !is_given {
        open.fetch_add(u32::MAX);
    }
    is_given
}

/// Says that nothing is left of a searcher's cube. Returns true if that was the last one of all cubes. What
/// others found need not be visible yet: the host reads that after all have returned. Called by one thread.
#[cuda_std::inlined]
pub fn finish(swarm: &Swarm) -> bool {
    swarm.hub().open.fetch_add(u32::MAX) == 1
}

/// [`give`], for a cube that counts already, as it is the whole cube of its giver.
#[cuda_std::inlined]
pub fn put(swarm: &Swarm, len: u32, lit: impl Fn(u32) -> Lit) -> bool {
    let hub = swarm.hub();
    loop {
        let ticket = hub.tail.load_relaxed();
        let (slot, empty) = place_of(ticket);
        let lap = swarm.cube_lap.get(slot);
        let found = lap.load_acquire();
        if found == empty {
            if hub.tail.compare_exchange_relaxed(ticket, ticket.wrapping_add(1)).is_ok() {
                let row = slot * CUBE_WORDS;
                swarm.cubes.write(row, len);
                for i in 0..len {
                    swarm.cubes.write(row + 1 + i, lit(i).0);
                }
                lap.store_release(empty.wrapping_add(1));
                return true;
            }
        } else if (found.wrapping_sub(empty) as i32) < 0 {
            // The cube of the last lap is still there.
            return false;
        }
    }
}

/// Takes the oldest cube out of the queue, calls `to` with each index and literal, and returns the number of
/// literals. Returns `None` if no cube is ready. Called by one thread.
#[cuda_std::inlined]
pub fn take(swarm: &Swarm, mut to: impl FnMut(u32, Lit)) -> Option<u32> {
    let hub = swarm.hub();
    loop {
        let ticket = hub.head.load_relaxed();
        let (slot, empty) = place_of(ticket);
        let lap = swarm.cube_lap.get(slot);
        let found = lap.load_acquire();
        if found == empty.wrapping_add(1) {
            if hub.head.compare_exchange_relaxed(ticket, ticket.wrapping_add(1)).is_ok() {
                let row = slot * CUBE_WORDS;
                let len = swarm.cubes.read(row);
                for i in 0..len {
                    to(i, Lit(swarm.cubes.read(row + 1 + i)));
                }
                lap.store_release(empty.wrapping_add(QUEUE as u32));
                return Some(len);
            }
        } else if (found.wrapping_sub(empty.wrapping_add(1)) as i32) < 0 {
            // Nobody has put a cube there yet, or somebody is about to.
            return None;
        }
    }
}

/// Returns about how many cubes wait.
#[cuda_std::inlined]
pub fn waiting(swarm: &Swarm) -> u32 {
    waiting_in(swarm.hub())
}

/// [`waiting`], by the shared words alone.
#[cuda_std::inlined]
pub fn waiting_in(hub: &Hub) -> u32 {
    let waiting = hub.tail.load_relaxed().wrapping_sub(hub.head.load_relaxed());
    // The two words are not read at once.
    if (waiting as i32) < 0 {
        0
    } else {
        waiting
    }
}
