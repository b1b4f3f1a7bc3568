//! PropagateAndCheck for learned nogoods, found through the literals that they watch.
//!
//! The paper looks at every learned nogood in every round. Here only those are visited that watch a literal of the frontier (see
//! [`crate::watches`]). A learned unit is kept as the pair of its literal with itself.
//!
//! Three kinds of nogoods are looked at though none of their watched literals was assigned: those that were learned since the last
//! round (*fresh*); *late* ones, learned at a level above their own (for which the search could not jump as far as it asked), which may be
//! unit again after a jump; and all, while some stand in no list.
//!
//! Visits of one nogood from several threads exchange its pair of watches by compare-and-swap. Who loses looks again, so each
//! change of a pair is followed by one entry in each list that it is new in.

use super::propagate_long::{pack, unpack};
use crate::assign::{
    in_conflict, in_frontier, level_of, not_held_by_warp, propose, report_conflict, status, Status,
};
use crate::block::{from_lane, is_last_block, lanes_below, sync_warp, waiting_room, warp_ballot};
use crate::frontier::{frontier, is_quiet, visit, Share, LEARNED};
use crate::layout::Nogood;
use crate::stride::{is_single, over_warps, warp_width};
use crate::watches::{append, cut, entry, list_len, of_entry, put_back, settle};
use crate::{Lit, Search};
use core::sync::atomic::Ordering::Relaxed;
use cuda_std::prelude::*;

/// # Inputs
/// The frontier `visited .. committed` of the trail, the lists of watches, the learned nogoods; `seen`, `unlisted`, `late`,
/// `look_late`, `value`.
/// # Writes
/// `learned_watch` and the lists, `learned_from`, `unlisted`; proposals (`reason`, `trail`) and `conflict`; `seen` and `look_late` if there is no
/// conflict.
/// # Thread mapping
/// One warp a literal of the frontier and one lane an entry of its list (see [`crate::frontier`]), strided; then one thread a fresh or late
/// nogood, grid-stride.
/// # Synchronisation
/// Block barriers while visits are shared out; claims, pairs of watches and lengths of lists are atomic; the last block notes what was
/// seen.
/// # Safety
/// `s` must describe valid memory that nobody else uses during the launch.
/// # Deterministic
/// As [`super::propagate_binary`].
#[kernel]
pub unsafe fn propagate_learned(s: Search) {
    run(&s)
}

/// The kernel as a plain function.
#[inline(always)]
pub fn run(s: &Search) {
    let n = s.state().learned.load(Relaxed);
    if is_quiet(s) {
        visit(
            s,
            Share::of_all(LEARNED, LEARNED + 1),
            frontier(s),
            |_, _, _| {},
            |lit, len| visit_lists(s, lit, len),
        );
    }
    if is_quiet(s) {
        look_at_others(s, n);
    }
    if is_last_block(s) {
        finish(s, n);
    }
}

/// Looks at those of the `n` learned nogoods that may be unit though no watched literal was assigned.
#[inline(always)]
pub fn look_at_others(s: &Search, n: u32) {
    let state = s.state();
    // Read together, as each takes its time.
    let (unlisted, seen) = (state.unlisted.load(Relaxed), state.seen.load(Relaxed));
    let (look_late, late) = (state.look_late.load(Relaxed), state.late.load(Relaxed));
    let from = if unlisted == 1 { 0 } else { seen };
    let late = if look_late == 1 { late } else { 0 };
    let all = late + n.saturating_sub(from);
    let (lane, width) = (thread::thread_idx_x() % warp_width(), warp_width());
    // First the late ones, then the others from `from` on; a warp stays together.
    for turn in over_warps(0, all.div_ceil(width)) {
        let at = turn * width + lane;
        let i = if at < late { s.late.read(at) } else { from + at.saturating_sub(late) };
        look(s, (at < all).then_some(i));
    }
}

/// The end of the round, in which `n` learned nogoods were looked at. Called by all threads of the only block that runs.
#[inline(always)]
pub fn finish(s: &Search, n: u32) {
    settle(s);
    if thread::thread_idx_x() == 0 {
        note_seen(s, n);
    }
}

/// Notes that `n` learned nogoods were looked at, unless the round ended in a conflict. For one thread.
#[inline(always)]
pub fn note_seen(s: &Search, n: u32) {
    if !in_conflict(s) {
        s.state().seen.store(n, Relaxed);
        s.state().look_late.store(0, Relaxed);
    }
}

/// Visits lists, of the literals of all lanes of a warp, which calls this: how long each is, or 0. What need not stay is gone afterwards.
/// Nobody else may do anything with these lists.
#[inline(always)]
pub fn visit_lists(s: &Search, lit: Lit, len: u32) {
    if is_single() {
        return visit_list(s, lit, len);
    }
    let mut waiting = Waiting::none();
    let mut lists = warp_ballot(len > 0);
    while lists != 0 {
        let owner = lists.trailing_zeros();
        waiting.visit_list(s, Lit(from_lane(lit.0, owner)), from_lane(len, owner));
        lists &= lists - 1;
    }
    waiting.follow_all(s);
}

/// One thread takes one entry after the other.
#[inline(always)]
fn visit_list(s: &Search, lit: Lit, len: u32) {
    let (at, mut kept) = (s.watch_at.read(lit.0), 0);
    for place in at..at + len {
        let old = s.watch_list.read(place);
        let (i, other) = of_entry(old);
        let new = match status(s, other) {
            Status::Falsified => Some(old),
            _ => follow(s, Some((i, lit)), true).map(|other| entry(i, other)),
        };
        if let Some(new) = new {
            s.watch_list.write(at + kept, new);
            kept += 1;
        }
    }
    cut(s, lit, kept);
}

/// Entries of lists that a warp has to follow, as many as it has lanes at most, in shared memory. Most entries need not be, as their other
/// literal is falsified. To follow one takes long, and to follow 32 takes no longer.
struct Waiting {
    slots: *mut u32,
    count: u32,
}

impl Waiting {
    #[inline(always)]
    fn none() -> Waiting {
        Waiting { slots: waiting_room(), count: 0 }
    }

    /// Leaves those entries in the list of `lit` that need not be followed, and takes the others out to wait. Called by all lanes of a warp.
    #[inline(always)]
    fn visit_list(&mut self, s: &Search, lit: Lit, len: u32) {
        let (at, lane) = (s.watch_at.read(lit.0), thread::thread_idx_x() % 32);
        let (mut base, mut kept) = (0, 0);
        while base < len {
            let is_entry = base + lane < len;
            let old = if is_entry { s.watch_list.read(at + base + lane) } else { 0 };
            let stays = is_entry && status(s, of_entry(old).1) == Status::Falsified;
            // All lanes have read before one writes, to places that were read.
            let (staying, going) = (warp_ballot(stays), warp_ballot(is_entry && !stays));
            if stays {
                s.watch_list.write(at + kept + lanes_below(staying).count_ones(), old);
            }
            kept += staying.count_ones();
            if self.count + going.count_ones() > 32 {
                self.end_list(s, lit, kept);
                self.follow_all(s);
                kept = list_len(s, lit);
            }
            if is_entry && !stays {
                self.set(self.count + lanes_below(going).count_ones(), lit, old);
            }
            self.count += going.count_ones();
            base += 32;
        }
        self.end_list(s, lit, kept);
    }

    #[inline(always)]
    fn end_list(&self, s: &Search, lit: Lit, len: u32) {
        if thread::thread_idx_x().is_multiple_of(32) {
            cut(s, lit, len);
        }
    }

    /// Follows all that wait, and puts those back that stay: there is room where they came from. Called by all lanes of a warp.
    #[inline(always)]
    fn follow_all(&mut self, s: &Search) {
        if self.count == 0 {
            return;
        }
        sync_warp();
        let lane = thread::thread_idx_x() % 32;
        let (lit, (i, _)) = if lane < self.count { self.get(lane) } else { (Lit::TRUE, (0, Lit::TRUE)) };
        let partner = follow(s, (lane < self.count).then_some((i, lit)), true);
        if let Some(other) = partner {
            put_back(s, lit, entry(i, other));
        }
        sync_warp();
        self.count = 0;
    }

    #[inline(always)]
    fn set(&self, slot: u32, lit: Lit, entry: u64) {
        // SAFETY: within the warp's `waiting_room`, which is used here alone; each lane writes slots of its own, and the warp synchronises
        // before it reads.
        unsafe {
            *self.slots.add(slot as usize) = lit.0;
            *self.slots.add(32 + slot as usize) = entry as u32;
            *self.slots.add(64 + slot as usize) = (entry >> 32) as u32;
        }
    }

    #[inline(always)]
    fn get(&self, slot: u32) -> (Lit, (u32, Lit)) {
        // SAFETY: as above.
        unsafe {
            let (low, high) = (*self.slots.add(32 + slot as usize), *self.slots.add(64 + slot as usize));
            (Lit(*self.slots.add(slot as usize)), of_entry(low as u64 | (high as u64) << 32))
        }
    }
}

/// Looks at a learned nogood, whatever was assigned. Called by all lanes of a warp.
#[inline(always)]
fn look(s: &Search, i: Option<u32>) {
    let mut followed = None;
    if let Some(i) = i {
        let (a, b) = unpack(s.learned_watch.atomic(i).load(Relaxed));
        followed = match (status(s, a), status(s, b)) {
            (Status::Open, Status::Open) if a == b => {
                propose(s, !a, s.nogoods + i);
                None
            }
            (Status::Held, Status::Held | Status::Open) => Some((i, a)),
            (Status::Open, Status::Held) => Some((i, b)),
            _ => None,
        };
    }
    follow(s, followed, false);
}

/// What follows from a learned nogood, in whose list a literal has it and which holds; what it watches beside that literal afterwards, if it
/// still watches that. When both watched literals are of the frontier, only the visit of the smaller acts, if it is one (`in_turn`).
///
/// Called by all lanes of a warp, by some without a nogood: lanes that part are not together again by themselves, and each part would wait
/// for memory alone.
#[inline(always)]
fn follow(s: &Search, followed: Option<(u32, Lit)>, in_turn: bool) -> Option<Lit> {
    let (mut acts, mut result) = (followed.is_some(), None);
    let (i, lit) = followed.unwrap_or_default();
    let id = s.nogoods + i;
    let (watch, from) = (s.learned_watch.atomic(i), s.learned_from.atomic(i));
    // All that may be needed is asked for at once.
    let (nogood, start) = if acts { (s.nogood(id), from.load(Relaxed)) } else { (Nogood::default(), 0) };
    while warp_ballot(acts) != 0 {
        let (mut old, mut other, mut is_open) = (0, lit, false);
        if acts {
            old = watch.load(Relaxed);
            let (a, b) = unpack(old);
            other = if lit == a { b } else { a };
            let status = status(s, other);
            is_open = status == Status::Open;
            let is_watched = lit == a || lit == b;
            let is_others = in_turn && status == Status::Held && other < lit && in_frontier(s, other);
            acts = is_watched && status != Status::Falsified && !is_others;
            result = (is_watched && !acts).then_some(other);
        }
        let found = not_held_by_warp(s, acts, nogood, start, lit, other);
        // A second one, if the other watched literal holds, too.
        let asks = acts && !is_open && found.is_some();
        let second = match warp_ballot(asks) {
            0 => None,
            _ => {
                let (at, first) =
                    if asks { found.map_or((0, lit), |at| (at, nogood.lit(at))) } else { (0, lit) };
                not_held_by_warp(s, asks, nogood, at + 1, lit, first)
            }
        };
        match found {
            None if acts => {
                if is_open {
                    propose(s, !other, id);
                } else {
                    report_conflict(s, id);
                }
                (acts, result) = (false, Some(other));
            }
            Some(at) if acts => {
                from.store(at, Relaxed);
                let first = nogood.lit(at);
                // Who watches beside it: the other one; or if that holds, too, the second that does not, or else of the two that hold the
                // one of the higher level, which is undone first.
                let high = if level_of(s, lit) > level_of(s, other) { lit } else { other };
                let partner = match second {
                    _ if is_open => other,
                    Some(second) => nogood.lit(second),
                    None => high,
                };
                if watch.compare_exchange(old, pack(first, partner), Relaxed, Relaxed).is_ok() {
                    append(s, first, i, partner);
                    if partner != other && partner != lit {
                        append(s, partner, i, first);
                    } else if !is_open && status(s, first) == Status::Open {
                        propose(s, !first, id);
                    }
                    (acts, result) = (false, (partner == lit).then_some(first));
                }
            }
            _ => {}
        }
    }
    result
}
