//! First-UIP learning by resolution (paper, Algorithm "res-learning"; Marques-Silva and Sakallah 1996).
//!
//! Starting from a violated nogood, the literal of the conflict's level that was assigned last is resolved with its reason until only one
//! literal of that level is left. Literals that were committed together do not stand in each other's reasons, so all of them that take
//! part are resolved at once, round by round from the end of the trail; but the lowest, if no others of the level are left: it may be
//! the unique implication point. What is learned is what one after the other would give.
//!
//! What is learned is then made smaller: a literal of a lower level goes if all of its reason that is above level 1 is in the nogood
//! anyway (local minimisation, Sörensson and Biere 2009). All literals may be judged at once, by the nogood as it was: what goes
//! follows from literals that were assigned before it, and those from what stays.
//!
//! A literal that follows from all decisions (completion, a flipped decision) is resolved with the nogood of itself and
//! all decisions at and below its level.

use crate::assign::{level_of, reason_of, BATCH};
use crate::block::{block_reduce, block_scan, counter, warp_ballot, Bits};
use crate::conflict::{bump, for_each_slot, mix, took_part, Learned, Learner};
use crate::deps::words_of;
use crate::layout::{Explanation, ALL_DECISIONS, DECISION, NONE, SUMS};
use crate::stride::{over_block, over_lanes, warp_width};
use crate::{Lit, Search};
use core::array::from_fn;
use core::sync::atomic::Ordering::Relaxed;
use cuda_std::prelude::*;

/// Shared counter: literals of the conflict's level that were marked, so far,
const ADDED: usize = 1;
/// and that were met on the way down the trail.
const MET: usize = 2;
/// Shared: the lowest place on the trail where one was met. It only falls, as the way goes down.
const LOWEST: usize = 3;
/// Shared counter: literals of lower levels, stored so far.
const LOWER: usize = 4;

/// Places of the trail, for each thread, that are asked for in advance at most,
const MOST_PREFETCHED: u32 = 4;
/// and literals of each reason.
const MOST_PREFETCHED_LITS: u32 = 8;

/// # Inputs
/// `conflict`, `trail`, `reason`, `value`, `position`, `round`.
/// # Writes
/// Row `slot` of `slot_lits`, `slot_deps` and `mark`, and the words of the slot; `rank` if activities are kept.
/// # Thread mapping
/// One block a conflict, strided over the slots; threads share the literals of the violated nogood, warps the places of
/// the trail with the literals to resolve, lanes their reasons.
/// # Synchronisation
/// Block barriers; shared counters and marks are atomic.
/// # Safety
/// `s` must describe valid memory that nobody else uses during the launch.
/// # Deterministic
/// The learned set is, given the conflicts and the trail; the order of its lower literals is not.
#[kernel]
pub unsafe fn learn_resolution(s: Search) {
    run(&s)
}

/// The kernel as a plain function.
#[inline(always)]
pub fn run(s: &Search) {
    for_each_slot(s, Learner::Resolution, |slot, violated| learn(s, slot, violated));
}

/// The analysis of one conflict.
struct Analysis<'a> {
    s: &'a Search,
    /// The highest level in the violated nogood.
    level: u32,
    /// Where this slot's row of `slot_lits` begins.
    row: usize,
    /// What was marked.
    marks: Marks<'a>,
}

/// The variables that an analysis has seen: bits in the block's table, where reading one takes a tenth of the time, if there are
/// enough; else stamps in memory.
struct Marks<'a> {
    s: &'a Search,
    row: usize,
    stamp: u32,
    bits: Option<Bits>,
}

impl<'a> Marks<'a> {
    /// None yet. A barrier has to follow.
    #[inline(always)]
    fn none(s: &'a Search, row: usize) -> Self {
        Marks { s, row, stamp: s.state().stamp.load(Relaxed), bits: Bits::zero(s.vars) }
    }

    #[inline(always)]
    fn has(&self, var: u32) -> bool {
        match &self.bits {
            Some(bits) => bits.word(var / 32).load(Relaxed) >> (var % 32) & 1 == 1,
            None => self.s.mark.atomic(self.row + var as usize).load(Relaxed) == self.stamp,
        }
    }

    /// Marks a variable; whether it was not marked before.
    #[inline(always)]
    fn add(&self, var: u32) -> bool {
        match &self.bits {
            Some(bits) => bits.word(var / 32).fetch_or(1 << (var % 32), Relaxed) >> (var % 32) & 1 == 0,
            None => self.s.mark.atomic(self.row + var as usize).swap(self.stamp, Relaxed) != self.stamp,
        }
    }
}

impl Analysis<'_> {
    /// Marks `lit`, unless it was or is of level 1, and counts or stores it.
    #[inline(always)]
    fn add(&self, lit: Lit) {
        let level = level_of(self.s, lit);
        if level <= 1 || !self.marks.add(lit.var().0) {
            return;
        }
        bump(self.s, lit.var().0);
        if level == self.level {
            counter(ADDED).fetch_add(1, Relaxed);
        } else {
            let at = counter(LOWER).fetch_add(1, Relaxed);
            self.s.slot_lits.write(self.row + at as usize, lit);
        }
    }

    /// Adds the literal at place `i` of `nogood`, if it has one there that is not of the variable of `skip`.
    #[inline(always)]
    fn add_other(&self, nogood: Explanation, i: u32, skip: Lit) {
        match nogood.lit(self.s, i) {
            Some(lit) if lit.var() != skip.var() => self.add(lit),
            _ => {}
        }
    }

    /// Whether `lit`, of a lower level, follows from others that are marked.
    #[inline(always)]
    fn is_implied(&self, lit: Lit) -> bool {
        let (s, reason) = (self.s, reason_of(self.s, lit));
        if reason == DECISION || reason == ALL_DECISIONS {
            return false;
        }
        // Only what a sum says depends on when it was said.
        let before =
            if reason < SUMS { NONE } else { s.round.read(s.position.atomic(lit.var().0).load(Relaxed)) };
        let nogood = s.explanation(reason, before, lit);
        let mut i = 0;
        while i < nogood.len {
            let others: [Option<Lit>; BATCH as usize] =
                from_fn(|k| nogood.lit(s, (i + k as u32).min(nogood.len - 1)));
            let stays = others.map(|other| match other {
                Some(other) => {
                    other.var() != lit.var() && level_of(s, other) > 1 && !self.marks.has(other.var().0)
                }
                None => false,
            });
            if stays.into_iter().fold(false, |any, stays| any | stays) {
                return false;
            }
            i += BATCH;
        }
        true
    }

    /// Takes out the lower literals that follow from others.
    #[inline(always)]
    fn minimize(&self) {
        let (tid, threads) = (thread::thread_idx_x(), thread::block_dim_x());
        let lower = counter(LOWER).load(Relaxed);
        let (mut base, mut kept) = (0, 0);
        while base < lower {
            let at = base + tid;
            let mut lit = Lit::TRUE;
            let mut stays = false;
            if at < lower {
                lit = self.s.slot_lits.read(self.row + at as usize);
                stays = !self.is_implied(lit);
            }
            // The scan's barriers stand between this tile's reads and writes.
            let (before, total) = block_scan(stays as u64);
            if stays {
                self.s.slot_lits.write(self.row + (kept + before as u32) as usize, lit);
            }
            kept += total as u32;
            base += threads;
        }
        thread::sync_threads();
        if tid == 0 {
            counter(LOWER).store(kept, Relaxed);
        }
        thread::sync_threads();
    }

    /// The literals among 32 places of the trail, `step` apart from `at` on and below `end`, that take part; for the lanes of a warp.
    #[inline(always)]
    fn marked(&self, at: u32, step: u32, end: u32) -> u32 {
        let at = at + thread::thread_idx_x() % warp_width() * step;
        warp_ballot(at < end && self.marks.has(self.s.trail.read(at).var().0))
    }

    /// Asks for what `resolve_all` is going to read about the conflict's level, if that is not too much: there every step waits for the
    /// one before.
    #[inline(always)]
    fn prefetch(&self) {
        let s = self.s;
        let (from, to) = (s.trail_at.read(self.level), s.state().committed.load(Relaxed));
        if to - from > MOST_PREFETCHED * thread::block_dim_x() {
            return;
        }
        for at in over_block(from, to) {
            let lit = s.trail.read(at);
            let reason = reason_of(s, lit);
            s.round.prefetch(at);
            if reason < SUMS {
                let nogood = s.nogood(reason);
                for i in 0..nogood.len.min(MOST_PREFETCHED_LITS) {
                    s.value.prefetch(nogood.lit(i).var().0);
                }
            }
        }
    }

    /// Goes down to the unique implication point, round by round.
    #[inline(always)]
    fn resolve_all(&self) -> Lit {
        let s = self.s;
        let (tid, width) = (thread::thread_idx_x(), warp_width());
        let warps = thread::block_dim_x() / width;
        let mut end = s.state().committed.load(Relaxed);
        // All counts only grow, so that nobody has to set them back: these are what they were a round ago.
        let (mut resolved, mut met) = (0, 0);
        loop {
            thread::sync_threads();
            let open = counter(ADDED).load(Relaxed) - resolved;
            let from = s.round.read(end - 1);
            // Neighbours on the trail go to different warps, as those that take part often stand together.
            let first = from + tid / width;
            let mine = self.marked(first, warps, end);
            let mut base = first;
            while base < end {
                let marked = if base == first { mine } else { self.marked(base, warps, end) };
                if marked != 0 && tid % width == 0 {
                    counter(MET).fetch_add(marked.count_ones(), Relaxed);
                    counter(LOWEST).fetch_min(base + marked.trailing_zeros() * warps, Relaxed);
                }
                base += warps * width;
            }
            thread::sync_threads();
            let here = counter(MET).load(Relaxed) - met;
            let lowest = counter(LOWEST).load(Relaxed);
            if here == 1 && open == 1 {
                return s.trail.read(lowest);
            }
            // The lowest of the last that are open may be the unique implication point.
            let is_last = here == open;
            met += here;
            resolved += here - is_last as u32;
            let mut base = first;
            while base < end {
                let mut left = if base == first { mine } else { self.marked(base, warps, end) };
                while left != 0 {
                    let at = base + left.trailing_zeros() * warps;
                    if !is_last || at != lowest {
                        self.resolve_one(at, from);
                    }
                    left &= left - 1;
                }
                base += warps * width;
            }
            end = if is_last { lowest + 1 } else { from };
        }
    }

    /// Adds the reason of the literal at place `at`; called by the lanes of a warp.
    #[inline(always)]
    fn resolve_one(&self, at: u32, round: u32) {
        let lit = self.s.trail.read(at);
        match reason_of(self.s, lit) {
            ALL_DECISIONS => {
                for level in over_lanes(2, self.level + 1) {
                    self.add(self.s.decision_at.read(level));
                }
            }
            id => {
                if thread::thread_idx_x().is_multiple_of(warp_width()) {
                    took_part(self.s, id);
                }
                let nogood = self.s.explanation_by_warp(id, round, lit);
                for i in over_lanes(0, nogood.len) {
                    self.add_other(nogood, i, lit);
                }
            }
        }
    }
}

/// Learns from one violated nogood.
#[inline(always)]
fn learn(s: &Search, slot: u32, violated: Explanation) {
    let tid = thread::thread_idx_x();
    let mut highest = 1;
    for i in over_block(0, violated.len) {
        highest = highest.max(violated.lit(s, i).map_or(1, |lit| level_of(s, lit)));
    }
    let level = block_reduce(highest as u64, 1, u64::max) as u32;
    if level <= 1 {
        return Learned { len: 0, top: 1, second: 1, lbd: 0, hash: 0 }.write(s, slot);
    }
    let row = slot as usize * s.vars as usize;
    let a = Analysis { s, level, row, marks: Marks::none(s, row) };
    if tid == 0 {
        counter(ADDED).store(0, Relaxed);
        counter(MET).store(0, Relaxed);
        counter(LOWER).store(0, Relaxed);
        counter(LOWEST).store(NONE, Relaxed);
    }
    thread::sync_threads();
    for i in over_block(0, violated.len) {
        a.add_other(violated, i, Lit::TRUE);
    }
    if cfg!(target_arch = "nvptx64") {
        a.prefetch();
    }
    let uip = a.resolve_all();
    a.minimize();
    store(s, slot, row, level, uip);
}

/// Puts the lower literal of the highest level second to last and the UIP last; fills in the slot's words.
#[inline(always)]
fn store(s: &Search, slot: u32, row: usize, level: u32, uip: Lit) {
    let tid = thread::thread_idx_x();
    let lower = counter(LOWER).load(Relaxed);
    let words = words_of(level);
    let levels = slot as usize * s.deps_words as usize;
    for w in over_block(0, words) {
        s.slot_deps.write(levels + w as usize, 0);
    }
    thread::sync_threads();
    let (mut best, mut hash) = (0u64, 0u64);
    for i in over_block(0, lower) {
        let lit = s.slot_lits.read(row + i as usize);
        let l = level_of(s, lit);
        best = best.max((l as u64) << 32 | i as u64);
        hash = hash.wrapping_add(mix(lit.0 as u64));
        s.slot_deps.atomic(levels + ((l - 2) / 32) as usize).fetch_or(1 << ((l - 2) % 32), Relaxed);
    }
    let best = block_reduce(best, 0, u64::max);
    let hash = block_reduce(hash, 0, u64::wrapping_add).wrapping_add(mix(uip.0 as u64));
    let mut lbd = 0;
    for w in over_block(0, words) {
        lbd += s.slot_deps.atomic(levels + w as usize).load(Relaxed).count_ones();
    }
    let lbd = block_reduce(lbd as u64, 0, u64::wrapping_add) as u32 + 1;
    if tid == 0 {
        s.slot_lits.write(row + lower as usize, uip);
        if lower > 0 {
            let (i, last) = (row + best as u32 as usize, row + lower as usize - 1);
            let lit = s.slot_lits.read(i);
            s.slot_lits.write(i, s.slot_lits.read(last));
            s.slot_lits.write(last, lit);
        }
    }
    let second = if lower > 0 { (best >> 32) as u32 } else { 1 };
    Learned { len: lower + 1, top: level, second, lbd, hash }.write(s, slot);
}
