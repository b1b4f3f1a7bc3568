//! First-UIP learning by resolution (paper, Algorithm "res-learning"; Marques-Silva and Sakallah 1996).
//!
//! Starting from a violated nogood, the literal of the conflict's level that was assigned last is resolved with its reason until only one
//! literal of that level is left: the unique implication point. Every step waits for the one before, and few literals take part in each. So a
//! warp goes this way alone, with its counts in registers and no barrier; its lanes have 32 places of the trail with their reasons.
//!
//! What is learned is then made smaller: a literal of a lower level goes if all of its reason that is above level 1 is in the nogood
//! anyway (local minimisation, Sörensson and Biere 2009). All literals may be judged at once, by the nogood as it was: what goes
//! follows from literals that were assigned before it, and those from what stays. If there are many, the whole block does it.
//!
//! A literal that follows from all decisions (completion, a flipped decision) is resolved with the nogood of itself and
//! all decisions at and below its level.

use crate::assign::{level_of, reason_of, GROUPS};
use crate::atomics::Atomics;
use crate::block::{counter, from_lane, lanes_below, warp_ballot, warp_count_different, Bits, Crew};
use crate::conflict::{bump, for_each_slot, improved, may_improve, mix, took_part, Learned, Learner, Levels};
use crate::layout::{Explanation, Nogood, ALL_DECISIONS, DECISION, NONE, SUMS};
use crate::stride::{is_single, over_lanes, warp_width};
use crate::{Lit, Search};
use core::array::from_fn;
use core::sync::atomic::Ordering::Relaxed;
use cuda_std::prelude::*;

/// Shared: the conflict's level,
const LEVEL: usize = 1;
/// how many literals of lower levels there are,
const LOWER: usize = 2;
/// and the unique implication point.
const UIP: usize = 3;

/// Literals of lower levels that a warp judges by itself, one a lane; more are for the block.
const FEW: u32 = 32;
/// # Inputs
/// `conflict`, `trail`, `reason`, `value`, `position`, `round`.
/// # Writes
/// Row `slot` of `slot_lits`, `slot_deps` and `mark`, and the words of the slot; `learned_activity` and `learned_lbd` of learned nogoods that
/// took part; `rank` if activities are kept.
/// # Thread mapping
/// One block a conflict, strided over the slots; its first warp resolves, its lanes share places of the trail and literals of reasons. Then
/// one thread a literal of a lower level, of that warp or of the block.
/// # Synchronisation
/// Votes; block barriers between the parts; marks are atomic.
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
    for_each_slot(s, Learner::Resolution, |slot, violated, id| learn(s, slot, violated, id));
}

/// The analysis of one conflict, the same in all lanes of a warp.
struct Analysis<'a> {
    s: &'a Search,
    /// The highest level in the violated nogood.
    level: u32,
    /// Where this slot's row of `slot_lits` begins.
    row: usize,
    /// What was marked.
    marks: Marks<'a>,
    /// Levels of the nogood that is being added; none between two.
    levels: Levels<'a>,
    /// Literals of the conflict's level that were marked and not resolved.
    open: u32,
    /// Literals of lower levels, stored so far.
    lower: u32,
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
    /// None yet, and no levels. Called by all threads of the block; a barrier has to follow.
    #[inline(always)]
    fn none(s: &'a Search, slot: u32) -> (Self, Levels<'a>) {
        let levels = Levels::none(s, slot, s.vars.div_ceil(32));
        let bits = levels.table().or_else(|| Bits::zero(Crew::Block, s.vars));
        let row = slot as usize * s.vars as usize;
        (Marks { s, row, stamp: s.state().stamp.load(Relaxed), bits }, levels)
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
            Some(bits) => bits.word(var / 32).or(1 << (var % 32)) >> (var % 32) & 1 == 0,
            None => self.s.mark.atomic(self.row + var as usize).put(self.stamp) != self.stamp,
        }
    }
}

impl Analysis<'_> {
    /// Marks each lane's literal, if it has one of this level, unless it was marked or is of level 1, and counts or stores it. Called by all
    /// lanes of a warp.
    #[inline(always)]
    fn add(&mut self, lit: Option<Lit>, level: u32) {
        let (mut is_here, mut is_lower) = (false, false);
        if let Some(lit) = lit {
            if level > 1 && self.marks.add(lit.var().0) {
                bump(self.s, lit.var().0);
                is_here = level == self.level;
                is_lower = !is_here;
            }
        }
        let lower = warp_ballot(is_lower);
        if let Some(lit) = lit.filter(|_| is_lower) {
            let at = self.lower + lanes_below(lower).count_ones();
            self.s.slot_lits.write(self.row + at as usize, lit);
        }
        self.lower += lower.count_ones();
        self.open += warp_ballot(is_here).count_ones();
    }

    /// Adds what nogood `id` says, but for the variable of `skip`. If it `is_improvable`, and of fewer levels than it was, notes that. Called
    /// by all lanes of a warp.
    #[inline(always)]
    fn add_all(&mut self, id: u32, nogood: Explanation, skip: Lit, is_improvable: bool) {
        let (s, width) = (self.s, warp_width());
        let lane = thread::thread_idx_x() % width;
        let (mut base, mut levels) = (0, 0);
        // What a warp has in its lanes it can count there.
        let is_set_needed = is_improvable && nogood.len > width;
        while base < nogood.len {
            let i = base + lane;
            let lit = if i < nogood.len { nogood.lit(s, i) } else { None };
            let level = lit.map_or(0, |lit| level_of(s, lit));
            self.add(lit.filter(|lit| lit.var() != skip.var()), level);
            if is_set_needed {
                levels += warp_ballot(level > 1 && self.levels.add(level)).count_ones();
            } else if is_improvable {
                levels = warp_count_different(level > 1, level);
            }
            base += width;
        }
        if is_set_needed {
            self.levels.forget(nogood);
        }
        if is_improvable && lane == 0 {
            improved(s, id, levels);
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
        let stays =
            |other: Lit| other.var() != lit.var() && level_of(s, other) > 1 && !self.marks.has(other.var().0);
        if is_single() || reason >= SUMS {
            let nogood = s.explanation(reason, before, lit);
            return !(0..nogood.len).any(|i| nogood.lit(s, i).is_some_and(stays));
        }
        // On a GPU a load takes as long as hundreds of additions, but many can be under way.
        let nogood = s.nogood(reason);
        let (mut group, groups) = nogood.groups();
        let end = group + groups;
        while group < end {
            let lits: [[Lit; 4]; GROUPS] = from_fn(|i| nogood.group((group + i as u32).min(end - 1), lit));
            let stays = lits.map(|lits| lits.map(stays).into_iter().fold(false, |any, stays| any | stays));
            if stays.into_iter().fold(false, |any, stays| any | stays) {
                return false;
            }
            group += GROUPS as u32;
        }
        true
    }

    /// Takes out those of the `lower` literals that follow from others; how many stay. Called by all of the crew.
    #[inline(always)]
    fn minimize(&self, crew: Crew, lower: u32) -> u32 {
        let (mut base, mut kept) = (0, 0);
        while base < lower {
            let at = base + crew.rank();
            let mut lit = Lit::TRUE;
            let mut stays = false;
            if at < lower {
                lit = self.s.slot_lits.read(self.row + at as usize);
                stays = !self.is_implied(lit);
            }
            // All have read, and are told, before one writes.
            let (before, total) = crew.scan(stays as u64);
            if stays {
                self.s.slot_lits.write(self.row + (kept + before as u32) as usize, lit);
            }
            kept += total as u32;
            base += crew.size();
        }
        crew.sync();
        kept
    }

    /// Goes down the trail to the unique implication point. Called by all lanes of a warp.
    #[inline(always)]
    fn resolve_all(&mut self) -> Lit {
        let (s, width) = (self.s, warp_width());
        let lane = thread::thread_idx_x() % width;
        let mut end = s.state().committed.load(Relaxed);
        // Lanes have the places of a window, from its end down, with what may be asked of them.
        loop {
            let is_place = lane < end;
            let lit = if is_place { s.trail.read(end - 1 - lane) } else { Lit::TRUE };
            let reason = if is_place { reason_of(s, lit) } else { NONE };
            // One thread asks only for what it needs.
            let is_nogood = reason < SUMS && !is_single();
            let nogood = if is_nogood { s.nogood(reason) } else { Nogood::default() };
            let improvable = warp_ballot(is_nogood && may_improve(s, reason));
            if is_nogood {
                nogood.prefetch();
            }
            let mut left = u32::MAX;
            loop {
                let is_marked = is_place && left >> lane & 1 == 1 && self.marks.has(lit.var().0);
                let marked = warp_ballot(is_marked);
                if marked == 0 {
                    break;
                }
                let top = marked.trailing_zeros();
                let lit = Lit(from_lane(lit.0, top));
                if self.open == 1 {
                    return lit;
                }
                self.open -= 1;
                left &= !(1 << top);
                let reason = (from_lane(reason, top), nogood.of_lane(top), improvable >> top & 1 == 1);
                self.resolve(lit, reason, end - 1 - top);
            }
            end -= width.min(end);
        }
    }

    /// Adds the reason of the literal at place `at` of the trail; if it is a nogood, also given are where its literals begin and how many they
    /// are, and whether it may be improved (one thread asks for that itself). Called by all lanes of a warp.
    #[inline(always)]
    fn resolve(&mut self, lit: Lit, (reason, place, is_improvable): (u32, (u32, u32), bool), at: u32) {
        let s = self.s;
        let lane = thread::thread_idx_x() % warp_width();
        if reason == ALL_DECISIONS {
            let mut base = 2;
            while base <= self.level {
                let level = base + lane;
                self.add((level <= self.level).then(|| self.s.decision_at.read(level)), level);
                base += warp_width();
            }
            return;
        }
        if lane == 0 {
            took_part(self.s, reason);
        }
        let (explanation, is_improvable) = match reason {
            reason if reason < SUMS && is_single() => (s.nogood(reason).into(), may_improve(s, reason)),
            reason if reason < SUMS => (s.nogood_at(reason, place).into(), is_improvable),
            // What a sum says depends on when it was said.
            reason => (s.explanation_by_warp(reason, s.round.read(at), lit), false),
        };
        self.add_all(reason, explanation, lit, is_improvable);
    }

    /// Puts the lower literal of the highest level second to last and the UIP last; fills in the slot's words. Called by all of the crew.
    #[inline(always)]
    fn store(&self, crew: Crew, slot: u32, lower: u32, uip: Lit) {
        let (s, row) = (self.s, self.row);
        let (mut best, mut hash) = (0u64, 0u64);
        for i in crew.over(0, lower) {
            let lit = s.slot_lits.read(row + i as usize);
            let l = level_of(s, lit);
            best = best.max((l as u64) << 32 | i as u64);
            hash = hash.wrapping_add(mix(lit.0 as u64));
            self.levels.add(l);
        }
        let best = crew.reduce(best, 0, u64::max);
        let hash = crew.reduce(hash, 0, u64::wrapping_add).wrapping_add(mix(uip.0 as u64));
        let lbd = self.levels.count(crew) + 1;
        if crew.rank() == 0 {
            s.slot_lits.write(row + lower as usize, uip);
            if lower > 0 {
                let (i, last) = (row + best as u32 as usize, row + lower as usize - 1);
                let lit = s.slot_lits.read(i);
                s.slot_lits.write(i, s.slot_lits.read(last));
                s.slot_lits.write(last, lit);
            }
        }
        let second = if lower > 0 { (best >> 32) as u32 } else { 1 };
        Learned { len: lower + 1, top: self.level, second, lbd, hash }.write(s, slot);
    }
}

/// Learns from one violated nogood. Called by all threads of a block.
#[inline(always)]
fn learn(s: &Search, slot: u32, violated: Explanation, id: u32) {
    let (marks, levels) = Marks::none(s, slot);
    let mut a = Analysis { s, level: 1, row: marks.row, marks, levels, open: 0, lower: 0 };
    thread::sync_threads();
    if Crew::FirstWarp.has_this() {
        let mut highest = 1;
        for i in over_lanes(0, violated.len) {
            highest = highest.max(violated.lit(s, i).map_or(1, |lit| level_of(s, lit)));
        }
        a.level = Crew::FirstWarp.reduce(highest as u64, 1, u64::max) as u32;
        let mut uip = Lit::TRUE;
        if a.level > 1 {
            // What one lane sees: another block may improve the same nogood meanwhile.
            let is_improvable = from_lane(may_improve(s, id) as u32, 0) == 1;
            a.add_all(id, violated, Lit::TRUE, is_improvable);
            uip = a.resolve_all();
        }
        if thread::thread_idx_x() == 0 {
            counter(LEVEL).store(a.level, Relaxed);
            counter(LOWER).store(a.lower, Relaxed);
            counter(UIP).store(uip.0, Relaxed);
        }
    }
    thread::sync_threads();
    a.level = counter(LEVEL).load(Relaxed);
    let lower = counter(LOWER).load(Relaxed);
    let crew = if lower <= FEW { Crew::FirstWarp } else { Crew::Block };
    if a.level <= 1 {
        Learned { len: 0, top: 1, second: 1, lbd: 0, hash: 0 }.write(s, slot);
    } else if crew.has_this() {
        let lower = a.minimize(crew, lower);
        a.store(crew, slot, lower, Lit(counter(UIP).load(Relaxed)));
    }
    // The table and the counters are used again.
    thread::sync_threads();
}
