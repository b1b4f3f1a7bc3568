//! PropagateAndCheck for input nogoods of more than three literals, by watched literals (paper, Algorithm
//! "propandcheck").
//!
//! Each nogood watches two of its literals, packed in one word. Invariant, whenever the frontier is empty: if a watched
//! literal holds, the other watched literal is falsified, at no higher a level. So a nogood can only become unit or
//! violated when a watched literal is assigned, and a backjump never has to touch the watches: undoing what falsifies
//! one watch undoes what made the other hold.
//!
//! The paper's map lists a nogood under all its literals, so most visits find that the literal is not watched and stop
//! after 8 bytes. When both watched literals join in the same round, the visit of the smaller one acts. It may
//! replace the pair before the visit of the other reads it; the other then finds itself unwatched, or the same unit
//! literal once more, to which its claim agrees.

use crate::assign::{propose, report_conflict, status, Status};
use crate::frontier::classes::LONG;
use crate::frontier::sharing::Share;
use crate::frontier::visit::Visit;
use crate::frontier::{frontier, is_quiet, visit};
use crate::lit::{pack, unpack};
use crate::nogood::{nogood_of, Nogood};
use crate::not_held::not_held;
use crate::threads::stride::is_single;
use crate::Own;
use crate::{Lit, Search};
use cuda_std::atomic::SearchU64;
use cuda_std::prelude::*;

/// # Inputs
/// The frontier `visited .. committed` of the trail, `occurs_long`, `value`, `watch`.
/// # Writes
/// `watch`, proposals (`reason`, `trail`) and `conflict`.
/// # Thread mapping
/// One thread a visit (see [`crate::frontier`]), strided.
/// # Synchronisation
/// Block barriers while visits are shared out; claims are atomic, and a pair of watches is one word.
/// # Safety
/// `s` must describe valid memory that nobody else uses during the launch.
/// # Deterministic
/// As [`super::propagate_binary`].
#[kernel]
pub unsafe fn propagate_long(s: Search) {
    run(&s)
}

/// The kernel as a plain function.
#[inline(always)]
pub fn run(s: &Search) {
    if is_quiet(&s.own) {
        visit::<Follow>(s, Share::of_all(&s.launch, LONG, LONG + 1), frontier(&s.own));
    }
}

struct Follow;

impl Visit for Follow {
    #[inline(always)]
    fn nogood(s: &Search, _class: u32, lit: Lit, at: u32) {
        follow(s, lit, at);
    }
}

/// What follows from the nogood at place `at` of the row of `lit`, which is of the frontier.
#[inline(always)]
pub fn follow(s: &Search, lit: Lit, at: u32) {
    let id = s.problem.occurs_long.read(at);
    let watch = s.own.watch.atomic(id - s.problem.ternary_end);
    // Loaded at once on a GPU, though it may not be needed.
    let early = (!is_single()).then(|| nogood_of(&s.problem, &s.own, id));
    let (a, b) = unpack(watch.load_in(s.launch.single_block == 1));
    if lit != a && lit != b {
        return;
    }
    let other = if lit == a { b } else { a };
    let status = status(&s.own, other);
    // If both watched literals are of this frontier the visit of the smaller acts.
    if status == Status::Falsified || status == Status::Held && other < lit {
        return;
    }
    let nogood = early.unwrap_or_else(|| nogood_of(&s.problem, &s.own, id));
    rewatch(&s.own, id, nogood, watch, lit, (other, status == Status::Open));
}

/// `held` holds, and the `other` watched literal does as well or is open: looks for others to watch. If there is none the nogood is unit, and the
/// open one must not hold, or violated.
#[inline(always)]
fn rewatch(own: &Own, id: u32, nogood: Nogood, watch: &SearchU64, held: Lit, (other, is_open): (Lit, bool)) {
    let first = not_held(own, nogood, 0, held, other);
    if is_open {
        if first.is_any() {
            watch.store(pack(other, first.lit));
        } else {
            propose(own, !other, id);
        }
        return;
    }
    if !first.is_any() {
        return report_conflict(own, id);
    }
    // The search begins behind the first and comes around to it.
    let second = not_held(own, nogood, first.place + 1, held, first.lit);
    // Else `other` is of this round, so it is of the highest level among those that hold: the right partner for the first.
    let partner = if second.is_any() { second.lit } else { other };
    watch.store(pack(first.lit, partner));
    if !second.is_any() && status(own, first.lit) == Status::Open {
        propose(own, !first.lit, id);
    }
}
