//! Stores a nogood that the host tells the search: the loop nogood of a smaller model (disjunctive programs
//! with head cycles), or the complement of a propagator's clause.
//!
//! The main functions are [`run`] and [`enter_told`]. The host launches the kernel after it has written the
//! nogood to slot 0. The stability check calls [`enter_told`] for its loop nogoods.
//!
//! A told nogood may be violated at a lower level than the present one, or be unit there. The search stays at
//! its level. If the nogood would be unit after a jump to a level between, it is one of the late nogoods,
//! which are looked at again after each jump (see [`super::propagate_learned`]).
//!
//! Invariant: the nogood holds for every answer set that the caller asks for.

use super::record_learned::next_stamp;
use crate::activity::GLUE;
use crate::assign::{level_of, report_conflict, status, Status};
use crate::layout::Level;
use crate::learned::append::Store;
use crate::levels::Levels;
use crate::threads::barrier::sync_block;
use crate::threads::block::block_max;
use crate::threads::stride::{is_first, over_block};
use crate::threads::token::WholeBlock;
use crate::trace::learner;
use crate::watches::settle;
use crate::{Launch, Lit, Own, Search};
use cuda_std::prelude::*;

/// The bit of the launch's `argument` that says that no deletion removes the nogood.
pub const STAYS: u32 = 1 << 31;

/// Stores the nogood in slot 0, and reports it as a conflict if it is violated.
///
/// # Inputs
/// The launch's `argument`: the number of literals in slot 0, at least 1, plus [`STAYS`] if the nogood stays
/// for as long as the search lasts. `slot_lits`, `value`, `level`, `stamp`, `late`.
/// # Writes
/// The store of learned nogoods with one more nogood, the lists of watches, `late`, `serials`, `conflict` and
/// `conflicts`, `set_len`, `stamp`; `mark` when the stamps start over. Scratch: slot 0 of `slot_lits` and
/// `slot_deps`.
/// # Thread mapping
/// One block. Threads share the literals.
/// # Synchronisation
/// Block barriers.
/// # Safety
/// `s` must describe valid memory that nobody else uses during the launch, with capacity for one more learned
/// nogood. The grid must be one block.
/// # Deterministic
/// Yes.
#[kernel]
pub unsafe fn record_told(s: Search) {
    // SAFETY: the kernel's entry.
    run(unsafe { &mut WholeBlock::at_entry() }, &s)
}

/// The kernel as a plain function. There is one block.
#[cuda_std::inlined]
pub fn run(block: &mut WholeBlock, s: &Search) {
    let stamp = s.own.state().stamp.now();
    sync_block(block);
    let argument = s.launch.argument;
    let told = if argument & STAYS != 0 { Told::ToStay } else { Told::ByHost };
    enter_told(block, s, argument & !STAYS, told);
    if is_first() {
        // Slot 0 has another nogood now than that of the last unfounded set.
        s.own.state().set_len.store(0);
    }
    next_stamp(block, &s.own, stamp);
}

/// Who says that a nogood holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Told {
    /// The stability check. Unless the nogood is violated, another literal than the open one is of the
    /// current level, or all are of level 1: at the fixpoint before the last decision nothing was unfounded.
    /// A jump that leaves the nogood unit leaves its atom unfounded, so the next check finds the atom again.
    ByCheck,
    /// The host.
    ByHost,
    /// The host, and no deletion removes the nogood.
    ToStay,
}

/// Makes the `n` literals in slot 0 a learned nogood, and reports the nogood as a conflict if it is violated.
/// There is one block.
#[cuda_std::inlined]
pub fn enter_told(block: &mut WholeBlock, s: &Search, n: u32, told: Told) {
    watch_last(block, &s.own, &s.launch, n);
    let here = s.own.level();
    // An open literal will be assigned at the current level.
    let level = |i: u32| match level_of(&s.own, s.own.slot_lits.read(i)) {
        Level::OPEN => here,
        level => level,
    };
    let levels = Levels::none(block, s, 0, 0);
    sync_block(block);
    for i in over_block(block, 0, n) {
        if level(i) > Level::FIRST {
            levels.add(level(i));
        }
    }
    sync_block(block);
    let is_late = told != Told::ByCheck && is_late(s, n);
    let is_violated = status(&s.own, s.own.slot_lits.read(n - 1)) == Status::Held;
    let mut store = Store::open(s);
    // All threads have opened the store before they count, which has barriers.
    let lbd = levels.count(block);
    let lbd = if told == Told::ToStay { lbd.min(GLUE) } else { lbd };
    let id = store.append(block, 0, n, lbd, learner::LOOP);
    store.late(block, id, is_late);
    if is_first() {
        store.close();
        if is_violated {
            report_conflict(&s.own, id);
        }
    }
    sync_block(block);
    settle(block, &s.own);
}

/// Whether a jump may leave the nogood of the `n` literals in slot 0 unit or violated without undoing what
/// makes the nogood so: all literals but the last one hold at lower levels than the present one, and the last
/// one does not stay falsified for longer than they hold.
#[cuda_std::inlined]
fn is_late(s: &Search, n: u32) -> bool {
    let (own, here) = (&s.own, s.own.level());
    let last: Lit = own.slot_lits.read(n - 1);
    // A unit's other literals hold at level 1.
    let (held, held_at) = match n {
        1 => (true, Level::FIRST),
        _ => {
            let other: Lit = own.slot_lits.read(n - 2);
            (status(own, other) == Status::Held, level_of(own, other))
        }
    };
    let stays = status(own, last) == Status::Falsified && level_of(own, last) <= held_at;
    held && held_at < here && !stays
}

/// Moves the two literals to watch to the end of slot 0: those that do not hold, the open ones last of all,
/// and after these the ones of the highest levels. The slot has `n` literals.
#[cuda_std::inlined]
fn watch_last(block: &mut WholeBlock, own: &Own, launch: &Launch, n: u32) {
    for last in 0..2 {
        let end = n.saturating_sub(last);
        let mut best = 0;
        for i in over_block(block, 0, end) {
            let lit: Lit = own.slot_lits.read(i);
            let worth = match status(own, lit) {
                Status::Open => Level::BEYOND,
                Status::Falsified => Level::BEYOND.below(),
                Status::Held => level_of(own, lit),
            };
            best = best.max((worth.0 as u64) << 32 | i as u64);
        }
        let best = block_max(block, launch, best) as u32;
        if is_first() && end > 0 {
            let (a, b) = (own.slot_lits.read(best), own.slot_lits.read(end - 1));
            own.slot_lits.write(best, b);
            own.slot_lits.write(end - 1, a);
        }
        sync_block(block);
    }
}
