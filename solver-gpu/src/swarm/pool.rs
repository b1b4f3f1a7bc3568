//! The pool of nogoods that searchers offer to each other.
//!
//! Main functions: [`offer`] and [`copy`]. The pool has a ring of slots for each class of lengths. A new
//! nogood takes the place of the oldest one of its class. Each slot has a version, by which a reader knows
//! that nobody has written to the slot while the reader copied it (a sequence lock; Boehm 2012). A nogood
//! whose hash was offered lately is a double and is dropped.
//!
//! Invariant: one thread writes to a slot at a time, because it has set the slot's version to an odd number by
//! a compare-and-swap. A writer that finds an odd or a newer version drops its nogood.

use crate::layout::{class_of, pool_word, width_of, Origin, Swarm, CLASS_SLOTS, DOUBLES, SLOT_HEADER};
use crate::Lit;
use cuda_std::thread::device_fence;

/// What became of a nogood that was offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offer {
    /// The nogood is in the pool.
    Taken,
    /// The same nogood was offered lately.
    Double,
    /// Another searcher was writing to the slot.
    Dropped,
}

/// The version of a slot that holds the nogood with number `ticket` of its class. The version is never 0, but
/// after four billion nogoods.
#[cuda_std::inlined]
pub fn version_of(ticket: u32) -> u32 {
    ticket.wrapping_add(1) << 1
}

/// The first words of a slot that holds a nogood of `len` literals.
#[cuda_std::inlined]
pub fn header(len: u32, origin: Origin) -> [u32; SLOT_HEADER as usize] {
    let [low, high] = origin.words();
    [len, low, high]
}

/// The length and the origin that the first words of a slot say.
#[cuda_std::inlined]
pub fn of_header([len, low, high]: [u32; SLOT_HEADER as usize]) -> (u32, Origin) {
    (len, Origin::of_words([low, high]))
}

/// Offers a nogood of `len` literals, which has the hash `hash`, to the searchers that did not derive it.
/// `len` is at least 1 and at most [`MAX_SHARED`](crate::layout::MAX_SHARED). Called by one thread.
#[cuda_std::inlined]
pub fn offer(swarm: &Swarm, origin: Origin, len: u32, hash: u64, lit: impl Fn(u32) -> Lit) -> Offer {
    // 0 stands for no hash.
    let hash = hash | 1 << 63;
    if swarm.doubles.get(hash as u32 % DOUBLES).swap(hash) == hash {
        return Offer::Double;
    }
    let class = class_of(len);
    let ticket = swarm.pool_end.get(class).fetch_add(1);
    let slot = ticket % CLASS_SLOTS;
    let (version, wanted) = (swarm.pool_version.get(class * CLASS_SLOTS + slot), version_of(ticket));
    let found = version.load_relaxed();
    let is_newer = (found.wrapping_sub(wanted) as i32) >= 0 && found != 0;
    if found & 1 == 1 || is_newer || version.compare_exchange(found, wanted | 1).is_err() {
        return Offer::Dropped;
    }
    // Nobody may see a new word together with the old version.
    device_fence();
    let at = pool_word(class, slot);
    for (i, word) in (0..).zip(header(len, origin)) {
        swarm.pool_words.get(at + i).store_relaxed(word);
    }
    for i in 0..len {
        swarm.pool_words.get(at + SLOT_HEADER + i).store_relaxed(lit(i).0);
    }
    version.store_release(wanted);
    Offer::Taken
}

/// Copies the nogood with number `ticket` of `class`, unless `is_own` is true of the searcher that derived
/// the nogood: calls `to` with each index and literal, and returns the number of literals and the origin.
/// Returns `None` if the nogood is the searcher's own, or is not there, or was replaced during the copy: then
/// what `to` was called with means nothing. Called by one thread.
#[cuda_std::inlined]
pub fn copy(
    swarm: &Swarm,
    class: u32,
    ticket: u32,
    is_own: impl Fn(u32) -> bool,
    mut to: impl FnMut(u32, Lit),
) -> Option<(u32, Origin)> {
    let slot = ticket % CLASS_SLOTS;
    let version = swarm.pool_version.get(class * CLASS_SLOTS + slot);
    if version.load_acquire() != version_of(ticket) {
        return None;
    }
    let at = pool_word(class, slot);
    let word = |i: u32| swarm.pool_words.get(at + i).load_relaxed();
    let (len, origin) = of_header([word(0), word(1), word(2)]);
    if is_own(origin.searcher()) {
        return None;
    }
    for i in 0..len.min(width_of(class)) {
        to(i, Lit(word(SLOT_HEADER + i)));
    }
    // The words must have been read before the version is read again.
    device_fence();
    (version.load_relaxed() == version_of(ticket)).then_some((len, origin))
}

/// Returns how many nogoods of `class` were put into the pool, wrapping around.
#[cuda_std::inlined]
pub fn end(swarm: &Swarm, class: u32) -> u32 {
    swarm.pool_end.get(class).load_relaxed()
}
