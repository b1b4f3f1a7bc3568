//! PropagateAndCheck for input nogoods of more than three literals, by watched literals (paper, Algorithm
//! "propandcheck").
//!
//! The main functions are [`run`], the kernel, and [`follow`], which the resident search calls for each
//! visit. Where one thread searches, the lists of watches have these nogoods instead (see [`crate::watches`]).
//!
//! Each nogood watches two of its literals, packed in one word. Invariant, whenever the frontier is empty: if
//! a watched literal holds, the other watched literal is falsified, at no higher a level. A nogood can
//! therefore become unit or violated only when a watched literal is assigned. A backjump never has to touch
//! the watches: undoing the assignment that falsified one watch also undoes the assignment that made the
//! other hold.
//!
//! The paper's map (section 4) lists a nogood under all its literals. Most visits therefore find that the
//! literal is not watched, and stop after 8 bytes. When both watched literals join the assignment in the same
//! round, the visit of the smaller literal acts. It may replace the pair before the visit of the other
//! literal reads it. The other visit then finds its literal unwatched, or it finds the same unit literal
//! again, and its claim agrees.

use crate::assign::{propose, report_conflict, status, Status};
use crate::frontier::classes::LONG;
use crate::frontier::sharing::Share;
use crate::frontier::visit::Visit;
use crate::frontier::{frontier, is_quiet, visit};
use crate::layout::NogoodId;
use crate::lit::{pack, unpack};
use crate::nogood::{nogood_of, Nogood};
use crate::not_held::not_held;
use crate::threads::token::WholeBlock;
use crate::Own;
use crate::{Lit, Search};
use cuda_std::atomic::SearchU64;
use cuda_std::prelude::*;

/// Visits the long input nogoods of the frontier, moves their watches and proposes or reports.
///
/// # Inputs
/// The frontier `visited .. committed` of the trail, `occurs_long`, the input nogoods, `value`, `watch`.
/// # Writes
/// `watch`. Proposals (`reason`, `trail`, `trail_len`), and `conflict` and `conflicts`.
/// # Thread mapping
/// One thread for each visit of a nogood (see [`crate::frontier`]), strided.
/// # Synchronisation
/// Block barriers while visits are shared out. Claims are atomic, and a pair of watches is one word.
/// # Safety
/// `s` must describe valid memory that nobody else uses during the launch.
/// # Deterministic
/// As [`super::propagate_binary`].
#[kernel]
pub unsafe fn propagate_long(s: Search) {
    // SAFETY: the kernel's entry.
    run(unsafe { &mut WholeBlock::at_entry() }, &s)
}

/// The kernel as a plain function. All blocks of the grid call this.
#[cuda_std::inlined]
pub fn run(block: &mut WholeBlock, s: &Search) {
    if is_quiet(block, &s.own) {
        visit::<Follow>(block, s, Share::of_all(&s.launch, LONG, LONG + 1), frontier(&s.own));
    }
}

/// Visits the nogoods of this class with [`follow`].
struct Follow;

impl Visit for Follow {
    #[cuda_std::inlined]
    fn nogood(s: &Search, _class: u32, lit: Lit, at: u32) {
        follow(s, lit, at);
    }
}

/// Does what follows from the nogood at index `at` of `occurs_long`, in the row of `lit`, a literal of the
/// frontier. May be called by any thread.
#[cuda_std::inlined]
pub fn follow(s: &Search, lit: Lit, at: u32) {
    let id = NogoodId(s.problem.occurs_long.read(at));
    let index = id.0 - s.problem.ternary_end;
    let watch = s.own.watch.atomic(index);
    // The load of the nogood starts at once, though the visit may not need it.
    let nogood = nogood_of(&s.problem, &s.own, id);
    let (a, b) = unpack(watch.load_in(s.launch.single_block == 1));
    if lit != a && lit != b {
        return;
    }
    let other = if lit == a { b } else { a };
    let status = status(&s.own, other);
    // If both watched literals are in this frontier, the visit of the smaller acts.
    if status == Status::Falsified || status == Status::Held && other < lit {
        return;
    }
    rewatch(&s.own, id, nogood, watch, lit, (other, status == Status::Open));
}

/// Looks for other literals to watch for nogood `id`, of which the watched literal `held` holds and `other`
/// holds or is open.
///
/// `watch` is the nogood's pair of watches. If there is no other literal to watch, the nogood is unit or
/// violated: if `is_open`, the complement of `other` is proposed, else a conflict is reported.
#[cuda_std::inlined]
fn rewatch(
    own: &Own,
    id: NogoodId,
    nogood: Nogood,
    watch: &SearchU64,
    held: Lit,
    (other, is_open): (Lit, bool),
) {
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
        report_conflict(own, id);
        return;
    }
    // The search begins after the first literal found and comes around to it.
    let second = not_held(own, nogood, first.place + 1, held, first.lit);
    // Otherwise `other` was assigned in this round, so it has the highest level among the literals that hold.
    // That makes it the right partner for the first.
    let partner = if second.is_any() { second.lit } else { other };
    watch.store(pack(first.lit, partner));
    if !second.is_any() && status(own, first.lit) == Status::Open {
        propose(own, !first.lit, id);
    }
}
