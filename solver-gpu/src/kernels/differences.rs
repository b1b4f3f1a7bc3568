//! Difference constraints: bounds of the integer variables, and a nogood where constraints contradict each
//! other or exclude one that is open.
//!
//! The main function is [`run`]. The host loop launches the kernel, and the resident search calls [`run`], at
//! a fixpoint of propagation. A searcher on the processor has a propagator of the host in place of this.
//!
//! A constraint `u - v <= k` is two *arcs*: the lower bound of `v` is at least that of `u` less `k`, and
//! the same holds of the upper bounds, negated, from `v` to `u`. So there is one graph, in which every
//! bound can only rise. The bounds are the least that satisfy all arcs whose literals hold. One node of
//! each part of the graph is 0. A check raises bounds in rounds (Bellman and Ford): from the new literals'
//! arcs first, then from the bounds that the round before has raised. A bound becomes the most that its
//! arcs demand, for the first arc that demands it, so that a check comes to the same whatever the order of
//! the threads.
//!
//! Each bound remembers its arc. If these arcs form a cycle, it rises by more than 0, and the literals of
//! its arcs exclude each other. There is one at the latest after as many rounds as there are bounds. An
//! open arc is excluded if it would raise a bound above the upper one: with its literal, those on the ways
//! to both bounds are a nogood (Cotton and Maler 2006).
//!
//! What a check raises is written to a log, from which the check after a jump takes the bounds back. If
//! the log is full, it begins anew, and so do the bounds after a jump to what was before.
//!
//! Invariant: between two checks `bound` satisfies the arcs of the first `bounded - 1` literals of the trail,
//! `bound_next` is equal to `bound`, and the arcs in `bound_by` form no cycle.

use super::record_learned::next_stamp;
use super::record_told::{enter_told, Told};
use crate::assign::{is_held, level_of, status, Status};
use crate::layout::{Level, NONE};
use crate::next_step::has_room;
use crate::threads::barrier::{block_any, sync_block};
use crate::threads::block::block_max;
use crate::threads::scratch::counter;
use crate::threads::stride::{is_first, over_block, over_groups};
use crate::threads::token::WholeBlock;
use crate::{Lit, Search};
use core::hint::cold_path;
use cuda_std::array::Array;
use cuda_std::prelude::*;

/// The bound of a node that is 0. Of a node that no arc bounds it is about 0: weights add up to at most 2^59.
pub const ZERO: i64 = 1 << 61;

/// Bounds from this one on count from a node that is 0.
const BOUNDED: i64 = ZERO / 2;

/// The log has room for at least so many entries for each bound.
pub const LEAST_LOG: usize = 3;

/// Rounds between two looks for a cycle, at most. A round raises no bound by more than 2^59.
const ROUNDS_A_LOOK: u32 = 8;

/// Index of the shared counter of the bounds that a round raises.
const RAISED: usize = 0;
/// Index of the shared counter of a nogood's literals.
const LENGTH: usize = 1;

/// Brings the bounds up to date, and learns nogoods of arcs that exclude each other.
///
/// # Inputs
/// The arcs; `trail`, `value`, `level`, `stamp`; the bounds and the log of the last check.
/// # Writes
/// `bound`, `bound_next`, `bound_by`, the log (`log_bound`, `log_value`, `log_by`, `log_at`); `bounded`,
/// `logged`. For each nogood: slot 0 of `slot_lits`, `mark`, `stamp`, `set_len`, the store of learned
/// nogoods, the lists of watches, and `conflict` and `conflicts` if the nogood is violated. `exhausted`
/// and `refuted` if no literal is needed. Scratch: `bound_cause`, slot 0 of `slot_deps`.
/// # Thread mapping
/// One block. Groups of lanes share the arcs of literals and of raised bounds, round by round. Then each
/// raised bound has a thread, which follows the arcs back.
/// # Synchronisation
/// Block barriers. The largest demand and the first arc of each bound are atomic.
/// # Safety
/// `s` must describe valid memory that nobody else uses during the launch, with capacity for one more learned
/// nogood. The grid must be one block.
/// # Deterministic
/// Yes, up to the order of a round's entries in the log.
#[kernel]
pub unsafe fn differences(s: Search) {
    // SAFETY: the kernel's entry.
    run(unsafe { &mut WholeBlock::at_entry() }, &s);
}

/// What a round looks at.
#[derive(Clone, Copy)]
struct Wave {
    rows: Rows,
    from: u32,
    to: u32,
}

/// What the numbers of a [`Wave`] are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rows {
    /// Positions of the trail: the arcs of their literals.
    Trail,
    /// Entries of the log: the arcs from their bounds.
    Log,
    /// Bounds: the arcs from them.
    Bounds,
}

/// A check under way. All threads hold the same values.
struct Check<'a> {
    s: &'a Search,
    /// The number of literals that it takes into account.
    committed: u32,
    /// The entry of the log at which the check began.
    begin: u32,
    /// The end of the log.
    end: u32,
    /// Whether the log cannot take the check back: the bounds are computed anew, or it became full.
    is_anew: bool,
}

/// The kernel as a plain function. Returns, in all threads, whether nogoods were learned or the search is
/// over. There is one block.
#[cuda_std::inlined]
pub fn run(block: &mut WholeBlock, s: &Search) -> bool {
    let state = s.own.state();
    let (known, logged) = (state.bounded.now(), state.logged.now());
    let begin = if known == 0 { 0 } else { first_after(s, logged, known - 1) };
    let committed = s.own.committed().0;
    let mut check = Check { s, committed, begin, end: begin, is_anew: begin == 0 };
    // A step before may still read its counters.
    sync_block(block);
    let wave = if check.is_anew {
        check.begin_anew(block);
        Wave { rows: Rows::Bounds, from: 0, to: s.problem.bounds }
    } else {
        check.take_back(block, begin, logged);
        Wave { rows: Rows::Trail, from: known - 1, to: committed }
    };
    if let Some(on_cycle) = check.raise(block, wave) {
        cold_path();
        check.contradiction(block, on_cycle);
        return true;
    }
    if is_first() {
        state.bounded.store(committed + 1);
        state.logged.store(if check.is_anew { 1 } else { check.end });
        if check.is_anew {
            s.own.log_at.write(0u32, committed);
        }
    }
    sync_block(block);
    check.exclude(block)
}

/// The first of the `logged` entries of the log that a check of more than `known` literals has written.
#[cuda_std::inlined]
fn first_after(s: &Search, logged: u32, known: u32) -> u32 {
    let (mut from, mut to) = (0, logged);
    while from < to {
        let middle = (from + to) / 2;
        if s.own.log_at.read(middle) > known {
            to = middle;
        } else {
            from = middle + 1;
        }
    }
    from
}

impl Check<'_> {
    /// Gives all bounds their first values.
    #[cuda_std::inlined]
    fn begin_anew(&self, block: &mut WholeBlock) {
        let (problem, own) = (&self.s.problem, &self.s.own);
        for b in over_block(block, 0, problem.bounds) {
            let first = problem.bound_first.read(b);
            own.bound.write(b, first);
            own.bound_next.write(b, first);
            own.bound_by.write(b, NONE);
            own.bound_cause.write(b, NONE);
        }
        sync_block(block);
    }

    /// Takes back what the last entries of the log say, `from .. to`. Ends with a barrier if there are any.
    #[cuda_std::inlined]
    fn take_back(&self, block: &mut WholeBlock, from: u32, to: u32) {
        let own = &self.s.own;
        if from == to {
            return;
        }
        // Bounds only rise, so the least value of a bound was its first.
        for i in over_block(block, from, to) {
            own.bound.atomic(own.log_bound.read(i)).min(own.log_value.read(i));
        }
        sync_block(block);
        for i in over_block(block, from, to) {
            let (b, value) = (own.log_bound.read(i), own.log_value.read(i));
            if own.bound.atomic(b).now() == value {
                own.bound_next.write(b, value);
                own.bound_by.write(b, own.log_by.read(i));
            }
        }
        sync_block(block);
    }

    /// Raises bounds until all arcs are satisfied, from those of `wave` on. Returns a bound of a cycle if
    /// there is one: of the shortest that was found, the bound with the least number.
    #[cuda_std::inlined]
    fn raise(&mut self, block: &mut WholeBlock, mut wave: Wave) -> Option<u32> {
        let (s, own) = (self.s, &self.s.own);
        let raised = counter(&s.launch, RAISED);
        let mut round = 0u32;
        loop {
            if self.end as usize + s.problem.bounds as usize > own.log_bound.len() {
                // The entries of the last round lie behind: there are at most as many as there are bounds.
                cold_path();
                (self.end, self.is_anew) = (0, true);
            }
            if is_first() {
                raised.store(0);
            }
            each_arc(block, s, wave, |arc| {
                if let Some((to, value)) = demand(s, arc) {
                    own.bound_next.atomic(to).max(value);
                }
            });
            sync_block(block);
            each_arc(block, s, wave, |arc| {
                if let Some((to, value)) = demand(s, arc) {
                    let is_most = own.bound_next.atomic(to).now() == value;
                    if is_most && own.bound_cause.atomic(to).min(arc) == NONE {
                        own.log_bound.write(self.end + raised.count(1), to);
                    }
                }
            });
            sync_block(block);
            let n = raised.now();
            if n == 0 {
                return None;
            }
            for i in over_block(block, self.end, self.end + n) {
                self.take_over(i);
            }
            sync_block(block);
            wave = Wave { rows: Rows::Log, from: self.end, to: self.end + n };
            self.end += n;
            round += 1;
            if round.is_power_of_two() || round.is_multiple_of(ROUNDS_A_LOOK) {
                let mut found = 0;
                for i in over_block(block, wave.from, wave.to) {
                    found = found.max(self.cycle_behind(own.log_bound.read(i)));
                }
                if block_any(block, found != 0) {
                    return Some(!block_max(block, &s.launch, found) as u32);
                }
            }
        }
    }

    /// Gives the bound of entry `i` of the log the value that was demanded. The entry has what was before.
    #[cuda_std::inlined]
    fn take_over(&self, i: u32) {
        let own = &self.s.own;
        let b = own.log_bound.read(i);
        own.log_value.write(i, own.bound.read(b));
        own.log_by.write(i, own.bound_by.read(b));
        own.log_at.write(i, self.committed);
        own.bound.write(b, own.bound_next.atomic(b).now());
        own.bound_by.write(b, own.bound_cause.atomic(b).now());
        own.bound_cause.atomic(b).write(NONE);
    }

    /// The cycle that the arcs behind bound `b` lead to, if there is one: the complement of a word with
    /// its length and one of its bounds. Else 0. Each time that the way is twice as long, the bound where
    /// it is then is kept, and the way comes back to that one in the end.
    #[cuda_std::inlined]
    fn cycle_behind(&self, b: u32) -> u64 {
        let (mut at, mut kept, mut steps, mut most) = (b, b, 0u32, 1u32);
        loop {
            let arc = self.s.own.bound_by.read(at);
            if arc == NONE {
                return 0;
            }
            at = self.s.problem.arc_from.read(arc);
            steps += 1;
            if at == kept {
                return !((steps as u64) << 32 | at as u64);
            }
            if steps == most {
                (kept, steps, most) = (at, 0, most << 1);
            }
        }
    }

    /// Learns the nogood of a cycle, and leaves the bounds as they were before the check.
    #[cuda_std::inlined]
    fn contradiction(&self, block: &mut WholeBlock, on_cycle: u32) {
        let (s, state) = (self.s, self.s.own.state());
        if is_first() {
            let n = add_way(s, on_cycle, 0);
            counter(&s.launch, LENGTH).store(n);
        }
        // The ways are read before the bounds go back.
        sync_block(block);
        let n = counter(&s.launch, LENGTH).now();
        if !self.is_anew {
            self.take_back(block, self.begin, self.end);
        }
        if is_first() {
            state.logged.store(self.begin);
            if self.is_anew {
                state.bounded.store(0);
            }
            if n == 0 {
                state.exhausted.store(1);
                state.refuted.store(1);
            }
        }
        if n > 0 {
            enter(block, s, n);
        }
        sync_block(block);
    }

    /// Learns a nogood of each literal whose arc the bounds exclude, as long as there is room. Returns, in
    /// all threads, whether there is one.
    #[cuda_std::inlined]
    fn exclude(&self, block: &mut WholeBlock) -> bool {
        let s = self.s;
        let wave = match self.is_anew {
            true => Wave { rows: Rows::Bounds, from: 0, to: s.problem.bounds },
            false => Wave { rows: Rows::Log, from: self.begin, to: self.end },
        };
        // The complement of the least key that is looked for.
        let mut below = u64::MAX;
        loop {
            let best = least_excluded(block, s, wave, below);
            if !block_any(block, best != 0) {
                return below != u64::MAX;
            }
            cold_path();
            let key = !block_max(block, &s.launch, best);
            if is_first() {
                let n = add_ways(s, key as u32);
                counter(&s.launch, LENGTH).store(n);
            }
            sync_block(block);
            enter(block, s, counter(&s.launch, LENGTH).now());
            sync_block(block);
            // Each literal once.
            below = !(key | u32::MAX as u64);
            if !has_room(&s.own, s.own.state().stored(), 1, s.problem.vars) {
                return true;
            }
        }
    }
}

/// The complement of the least key among those of open arcs that are excluded, of the calling thread's
/// part of a wave, if it is below `below`; else 0. A key is a literal and an arc.
#[cuda_std::inlined]
fn least_excluded(block: &mut WholeBlock, s: &Search, wave: Wave, below: u64) -> u64 {
    let best = core::cell::Cell::new(0);
    each_arc(block, s, wave, |arc| {
        let lit = s.problem.arc_lit.read(arc);
        let key = !((lit.0 as u64) << 32 | arc as u64);
        if key < below && key > best.get() && is_excluded(s, arc, lit) {
            best.set(key);
        }
    });
    best.get()
}

/// Calls `f` with each arc of a wave that falls to the calling thread.
#[cuda_std::inlined]
fn each_arc(block: &mut WholeBlock, s: &Search, wave: Wave, f: impl Fn(u32)) {
    let (problem, own) = (&s.problem, &s.own);
    let (rows, member) = over_groups(block, &s.launch, wave.from, wave.to);
    for i in rows {
        let (start, row): (Array<u32>, u32) = match wave.rows {
            Rows::Trail => (problem.arc_occurs_start, own.trail.read(i).0),
            Rows::Log => (problem.arc_start, own.log_bound.read(i)),
            Rows::Bounds => (problem.arc_start, i),
        };
        for j in member.over(start.read(row), start.read(row + 1)) {
            f(if wave.rows == Rows::Trail { problem.arc_occurs.read(j) } else { j });
        }
    }
}

/// The bound that an arc demands more of than it is, and what it demands; none if the arc's literal does not
/// hold.
#[cuda_std::inlined]
fn demand(s: &Search, arc: u32) -> Option<(u32, i64)> {
    let (problem, own) = (&s.problem, &s.own);
    let (to, lit) = (problem.arc_to.read(arc), problem.arc_lit.read(arc));
    let value = own.bound.read(problem.arc_from.read(arc)) + problem.arc_adds.read(arc);
    let is_more = value > own.bound.read(to) && (lit == Lit::TRUE || is_held(own, lit));
    is_more.then_some((to, value))
}

/// The bound on the other side of the same node.
#[cuda_std::inlined]
fn opposite(s: &Search, bound: u32) -> u32 {
    let nodes = s.problem.bounds / 2;
    if bound < nodes {
        bound + nodes
    } else {
        bound - nodes
    }
}

/// Whether an arc, whose literal is `lit`, is open and demands more than the node may be.
#[cuda_std::inlined]
fn is_excluded(s: &Search, arc: u32, lit: Lit) -> bool {
    let (problem, own) = (&s.problem, &s.own);
    if lit == Lit::TRUE || status(own, lit) != Status::Open {
        return false;
    }
    let low = own.bound.read(problem.arc_from.read(arc));
    let high = own.bound.read(opposite(s, problem.arc_to.read(arc)));
    low >= BOUNDED && high >= BOUNDED && (low - ZERO) + (high - ZERO) + problem.arc_adds.read(arc) > 0
}

/// Writes the literals of the arcs behind a bound to slot 0, from number `n` on: up to a bound without an
/// arc, or once around a cycle. Returns the number after the last one. Called by one thread.
#[cuda_std::inlined]
fn add_way(s: &Search, bound: u32, mut n: u32) -> u32 {
    let mut at = bound;
    loop {
        let arc = s.own.bound_by.read(at);
        if arc == NONE {
            return n;
        }
        n = add(s, s.problem.arc_lit.read(arc), n);
        at = s.problem.arc_from.read(arc);
        if at == bound {
            return n;
        }
    }
}

/// Writes the nogood of an arc that is excluded to slot 0, and returns its length. Called by one thread.
#[cuda_std::inlined]
fn add_ways(s: &Search, arc: u32) -> u32 {
    let n = add_way(s, s.problem.arc_from.read(arc), 0);
    let n = add_way(s, opposite(s, s.problem.arc_to.read(arc)), n);
    s.own.slot_lits.write(n, s.problem.arc_lit.read(arc));
    n + 1
}

/// Writes a literal that holds to slot 0 as number `n`, unless it is there or holds at level 1. Returns the
/// number of the next one. Called by one thread.
#[cuda_std::inlined]
fn add(s: &Search, lit: Lit, n: u32) -> u32 {
    let own = &s.own;
    if lit == Lit::TRUE || level_of(own, lit) <= Level::FIRST {
        return n;
    }
    let stamp = own.state().stamp.now();
    if own.mark.atomic(lit.var().0).put(stamp) == stamp {
        return n;
    }
    own.slot_lits.write(n, lit);
    n + 1
}

/// Learns the nogood of the `n` literals in slot 0. A barrier has to come before and to follow.
#[cuda_std::inlined]
fn enter(block: &mut WholeBlock, s: &Search, n: u32) {
    let stamp = s.own.state().stamp.now();
    enter_told(block, s, n, Told::ByHost);
    if is_first() {
        // Slot 0 has another nogood now than that of the last unfounded set.
        s.own.state().set_len.store(0);
    }
    next_stamp(block, &s.own, stamp);
}
