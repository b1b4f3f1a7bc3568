//! First-UIP learning by resolution (paper, Algorithm "res-learning"; Marques-Silva and Sakallah 1996).
//!
//! Starting from a violated nogood, the literal of the conflict's level that was assigned last is resolved with its
//! reason until only one literal of that level is left. The trail is in an order in which each literal comes after its
//! reason's, so "assigned last" is the highest marked position.
//!
//! What is learned is then made smaller: a literal of a lower level goes if all of its reason that is above level 1 is in the nogood
//! anyway (local minimisation, Sörensson and Biere 2009). All literals may be judged at once, by the nogood as it was: what goes
//! follows from literals that were assigned before it, and those from what stays.
//!
//! A literal that follows from all decisions (completion, a flipped decision) is resolved with the nogood of itself and
//! all decisions at and below its level.

use crate::assign::{level_of, reason_of};
use crate::block::{block_reduce, block_scan, counter};
use crate::conflict::{bump, for_each_slot, mix, Learned};
use crate::deps::words_of;
use crate::layout::{Explanation, ALL_DECISIONS, DECISION};
use crate::stride::over_block;
use crate::{Lit, Search};
use core::sync::atomic::Ordering::Relaxed;
use cuda_std::prelude::*;

/// Shared counter: marked literals of the conflict's level that are not resolved yet.
const OPEN: usize = 1;
/// Shared counter: literals of lower levels, stored so far.
const LOWER: usize = 2;

/// # Inputs
/// `conflict`, `trail`, `reason`, `value`, `position`.
/// # Writes
/// Row `slot` of `slot_lits`, `slot_deps` and `mark`, and the words of the slot; `rank` if activities are kept.
/// # Thread mapping
/// One block a conflict, strided over the slots; threads share the literals of each nogood and the search of the trail.
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
    for_each_slot(s, |slot, violated| learn(s, slot, violated));
}

/// The analysis of one conflict.
struct Analysis<'a> {
    s: &'a Search,
    /// The highest level in the violated nogood.
    level: u32,
    /// Where this slot's rows of `mark` and `slot_lits` begin.
    row: usize,
    /// Marks of this analysis are equal to this.
    stamp: u32,
}

impl Analysis<'_> {
    /// Marks `lit`, unless it was or is of level 1, and counts or stores it.
    #[inline(always)]
    fn add(&self, lit: Lit) {
        let level = level_of(self.s, lit);
        let mark = self.s.mark.atomic(self.row + lit.var().0 as usize);
        if level <= 1 || mark.swap(self.stamp, Relaxed) == self.stamp {
            return;
        }
        bump(self.s, lit.var().0);
        if level == self.level {
            counter(OPEN).fetch_add(1, Relaxed);
        } else {
            let at = counter(LOWER).fetch_add(1, Relaxed);
            self.s.slot_lits.write(self.row + at as usize, lit);
        }
    }

    /// Adds the literals of `nogood`, leaving out the variable of `skip`.
    #[inline(always)]
    fn add_nogood(&self, nogood: Explanation, skip: Lit) {
        for i in over_block(0, nogood.len) {
            match nogood.lit(self.s, i) {
                Some(lit) if lit.var() != skip.var() => self.add(lit),
                _ => {}
            }
        }
    }

    /// Whether `lit`, of a lower level, follows from others that are marked.
    #[inline(always)]
    fn is_implied(&self, lit: Lit) -> bool {
        let (s, reason) = (self.s, reason_of(self.s, lit));
        if reason == DECISION || reason == ALL_DECISIONS {
            return false;
        }
        let nogood = s.explanation(reason, s.position.atomic(lit.var().0).load(Relaxed));
        let mut i = 0;
        while i < nogood.len {
            match nogood.lit(s, i) {
                Some(other) if other.var() != lit.var() => {
                    let mark = s.mark.atomic(self.row + other.var().0 as usize).load(Relaxed);
                    if mark != self.stamp && level_of(s, other) > 1 {
                        return false;
                    }
                }
                _ => {}
            }
            i += 1;
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

    /// The highest trail position below `below` whose literal is marked and of the conflict's level. There is one.
    #[inline(always)]
    fn last_marked(&self, below: u32) -> u32 {
        let mut end = below;
        while end > 0 {
            let tid = thread::thread_idx_x();
            let mut mine = 0;
            if tid < end {
                let at = end - 1 - tid;
                let lit = self.s.trail.read(at);
                if level_of(self.s, lit) == self.level
                    && self.s.mark.atomic(self.row + lit.var().0 as usize).load(Relaxed) == self.stamp
                {
                    mine = at + 1;
                }
            }
            let found = block_reduce(mine as u64, 0, u64::max) as u32;
            if found > 0 {
                return found - 1;
            }
            end = end.saturating_sub(thread::block_dim_x());
        }
        0
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
    let a = Analysis { s, level, row, stamp: s.state().stamp.load(Relaxed) };
    if tid == 0 {
        counter(OPEN).store(0, Relaxed);
        counter(LOWER).store(0, Relaxed);
    }
    thread::sync_threads();
    a.add_nogood(violated, Lit::TRUE);
    let mut below = s.state().committed.load(Relaxed);
    let uip = loop {
        thread::sync_threads();
        let open = counter(OPEN).load(Relaxed);
        below = a.last_marked(below);
        thread::sync_threads();
        let last = s.trail.read(below);
        if open <= 1 {
            break last;
        }
        if tid == 0 {
            counter(OPEN).fetch_sub(1, Relaxed);
        }
        match reason_of(s, last) {
            ALL_DECISIONS => {
                for l in over_block(2, level + 1) {
                    a.add(s.decision_at.read(l));
                }
            }
            id => a.add_nogood(s.explanation(id, below), last),
        }
    };
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
