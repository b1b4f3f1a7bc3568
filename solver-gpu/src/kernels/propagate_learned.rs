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
use crate::assign::{in_conflict, in_frontier, level_of, not_held, propose, report_conflict, status, Status};
use crate::block::is_last_block;
use crate::frontier::{frontier, is_quiet, visit, Share, LEARNED};
use crate::stride::over_grid;
use crate::watches::{append, entry, of_entry, settle};
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
            |lit, entry| follow_entry(s, lit, entry),
        );
    }
    if !in_conflict(s) {
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
    // First the late ones, then the others from `from` on.
    for at in over_grid(0, late + n.saturating_sub(from)) {
        look(s, if at < late { s.late.read(at) } else { from + (at - late) });
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

/// Follows an entry of the list of `lit`, which is of the frontier; the entry that is to stand there afterwards, if any.
#[inline(always)]
pub fn follow_entry(s: &Search, lit: Lit, old: u64) -> Option<u64> {
    let (i, other) = of_entry(old);
    if status(s, other) == Status::Falsified {
        return Some(old);
    }
    follow(s, i, lit, true).map(|other| entry(i, other))
}

/// Looks at learned nogood `i`, whatever was assigned.
#[inline(always)]
fn look(s: &Search, i: u32) {
    let (a, b) = unpack(s.learned_watch.atomic(i).load(Relaxed));
    let held = match (status(s, a), status(s, b)) {
        (Status::Open, Status::Open) if a == b => return propose(s, !a, s.nogoods + i),
        (Status::Held, Status::Held | Status::Open) => a,
        (Status::Open, Status::Held) => b,
        _ => return,
    };
    follow(s, i, held, false);
}

/// What follows from learned nogood `i`, in whose list `lit` has it and which holds; the literal that it watches beside `lit` afterwards,
/// if it still watches that. When both watched literals are of the frontier, only the visit of the smaller acts, if it is one (`in_turn`).
#[inline(always)]
fn follow(s: &Search, i: u32, lit: Lit, in_turn: bool) -> Option<Lit> {
    let id = s.nogoods + i;
    let watch = s.learned_watch.atomic(i);
    // All that may be needed is asked for at once.
    let (nogood, from) = (s.nogood(id), s.learned_from.atomic(i));
    let start = from.load(Relaxed);
    loop {
        let old = watch.load(Relaxed);
        let (a, b) = unpack(old);
        if lit != a && lit != b {
            return None;
        }
        let other = if lit == a { b } else { a };
        let is_open = match status(s, other) {
            Status::Falsified => return Some(other),
            Status::Held if in_turn && other < lit && in_frontier(s, other) => return Some(other),
            Status::Held => false,
            Status::Open => true,
        };
        let Some(at) = not_held(s, nogood, start, other, lit) else {
            if is_open {
                propose(s, !other, id);
            } else {
                report_conflict(s, id);
            }
            return Some(other);
        };
        from.store(at, Relaxed);
        let first = nogood.lit(at);
        // Who watches beside it: the other one; or if that holds, too, the second that does not, or else of the two that hold the one of
        // the higher level, which is undone first.
        let partner = if is_open {
            other
        } else {
            let second = not_held(s, nogood, at + 1, other, lit).filter(|&second| second != at);
            let high = if level_of(s, lit) > level_of(s, other) { lit } else { other };
            second.map_or(high, |second| nogood.lit(second))
        };
        if watch.compare_exchange(old, pack(first, partner), Relaxed, Relaxed).is_ok() {
            append(s, first, i, partner);
            if partner != other && partner != lit {
                append(s, partner, i, first);
            } else if !is_open && status(s, first) == Status::Open {
                propose(s, !first, id);
            }
            return (partner == lit).then_some(first);
        }
    }
}
