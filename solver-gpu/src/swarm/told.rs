//! What a searcher of a swarm writes to its ring besides what every search does (see [`crate::trace`]).
//!
//! A proof has cubes that are divided and refuted, and origins of imported nogoods. A trace has the imported
//! nogoods themselves, with their origins, and besides what is offered, the cubes that begin and goals that
//! become stricter. Room for all that is kept by [`crate::trace::note`].

use crate::layout::mode;
use crate::nogood::learned_nogood;
use crate::trace::{append, is_on, is_proof, is_trace, item, spare_words, words, Ring, HEADER};
use crate::{Lit, Search};
use core::hint::cold_path;

/// Notes that `nogoods` nogoods of other searchers joined the store, as its last ones. Called by one thread.
#[cuda_std::inlined]
pub fn note_imported(s: &Search, nogoods: u32) {
    if !is_on(&s.launch) || nogoods == 0 {
        return;
    }
    cold_path();
    let (mut ring, learned) = (Ring::open(s), s.own.state().learned.now());
    ring.stamp();
    if is_proof(&s.launch) {
        let told = nogoods.min(spare_words(s).saturating_sub(HEADER) / 2);
        ring.header([item::IMPORTED, nogoods, 2 * told]);
        for i in 0..told {
            let [low, high] = s.own.learned_origin.read(learned - nogoods + i).words();
            ring.put(3 + 2 * i, low);
            ring.put(4 + 2 * i, high);
        }
        ring.move_on(3 + 2 * told);
        return ring.close();
    }
    for i in learned - nogoods..learned {
        let (nogood, [low, high]) = (learned_nogood(&s.own, i), s.own.learned_origin.read(i).words());
        ring.header([item::FOREIGN, low, high, nogood.len]);
        for at in 0..nogood.len {
            ring.put(4 + at, nogood.lit(at).0);
        }
        ring.move_on(4 + nogood.len);
    }
    ring.close();
}

/// Notes that others are offered the literals of the trail at the positions `from .. end`, which are of level
/// 1. Called by one thread, before others can know.
#[cuda_std::inlined]
pub fn note_offered(s: &Search, from: u32, end: u32) {
    if !is_trace(&s.launch) || from >= end {
        return;
    }
    let mut ring = Ring::open(s);
    ring.stamp();
    ring.header([item::OFFERED, end - from]);
    for at in from..end {
        ring.put(2 + at - from, s.own.trail.read(at).0);
    }
    ring.move_on(2 + end - from);
    ring.close();
}

/// Notes that the searcher begins the cube that it has. Called by one thread.
#[cuda_std::inlined]
pub fn note_begun(s: &Search) {
    if is_trace(&s.launch) {
        let (mode, len) = (s.own.state().mode.now(), s.own.state().cube_len.now());
        cube_if(s, [item::BEGUN, mode, len], len, None, || true);
    }
}

/// Notes that the searcher's cube is done. Called by one thread, before others can know.
#[cuda_std::inlined]
pub fn note_refuted(s: &Search) {
    if is_on(&s.launch) {
        let len = s.own.state().cube_len.now();
        cube_if(s, [item::REFUTED, len], len, None, || true);
    }
}

/// Notes that the searcher gives the other side of `decision` away, if `give` does so: the cube had `had`
/// literals, and has `len` with those that were flipped. Returns what `give` says. Called by one thread.
#[cuda_std::inlined]
pub fn note_divided(s: &Search, had: u32, len: u32, decision: Lit, give: impl FnOnce() -> bool) -> bool {
    match is_on(&s.launch) {
        true => cube_if(s, [item::DIVIDED, had, len], len, Some(decision), give),
        false => give(),
    }
}

/// Notes that the searcher gives its whole cube back and searches everything, if `give` does so. Returns what
/// `give` says. Called by one thread.
#[cuda_std::inlined]
pub fn note_given_back(s: &Search, give: impl FnOnce() -> bool) -> bool {
    let assumed = s.settings.assumed;
    match is_trace(&s.launch) {
        true => cube_if(s, [item::BEGUN, mode::RACE, assumed], assumed, None, give),
        false => give(),
    }
}

/// Appends an item of these words, the first `len` literals of the searcher's cube, and `decision`, if `give`
/// says that it has done what the item tells. Returns what `give` says.
///
/// The stamp comes before another searcher can take what is given, and counts only if that is given.
#[cuda_std::inlined]
fn cube_if<const N: usize>(
    s: &Search,
    words: [u32; N],
    len: u32,
    decision: Option<Lit>,
    give: impl FnOnce() -> bool,
) -> bool {
    cold_path();
    let mut ring = Ring::open(s);
    ring.stamp();
    ring.header(words);
    let mut end = N as u32 + len;
    for i in 0..len {
        ring.put(N as u32 + i, s.own.cube.read(i).0);
    }
    if let Some(decision) = decision {
        ring.put(end, decision.0);
        end += 1;
    }
    ring.move_on(end);
    let is_given = give();
    if is_given {
        ring.close();
    }
    is_given
}

/// Notes that the goal may be stricter than it was. The search has to return before it changes again, so that
/// the host reads what it is now. Called by one thread.
#[cuda_std::inlined]
pub fn note_goal(s: &Search) {
    if is_trace(&s.launch) {
        append(s, [item::GOAL]);
        words(&s.own).tightened.store(1);
    }
}
