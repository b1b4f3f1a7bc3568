//! First-UIP learning by resolution (paper, Algorithm "res-learning"; Marques-Silva and Sakallah 1996).
//!
//! Starting from a violated nogood, literals of the conflict's level are resolved with their reasons, the one that was assigned last first,
//! until only one of them is left: the unique implication point. Few take part in each step, so a warp goes this way alone, with its counts in
//! registers and no barrier; its lanes have 32 addresses of the trail with their reasons, and the other warps ask for these ahead of it. Of the
//! literals of the level that are marked all but the lowest are going to be resolved, whatever their reasons add. So these are resolved together,
//! in any order: a step waits for the one before, and there are as many as the implications are deep. Most have up to four reasons of up to
//! eight literals, so that each literal has a lane.
//!
//! What is learned is then made smaller: a literal of a lower level goes if all of its reason that is above level 1 is in the nogood
//! anyway (local minimisation, Sörensson and Biere 2009). All literals may be judged at once, by the nogood as it was: what goes
//! follows from literals that were assigned before it, and those from what stays. If there are many, the whole block does it.
//!
//! A literal that follows from all decisions (completion, a flipped decision) is resolved with the nogood of itself and
//! all decisions at and below its level.

use crate::activity::{bump, improved, may_improve, took_part};
use crate::assign::{level_of, reason_of};
use crate::conflict::write_learned;
use crate::conflict::{for_each_slot, Learner};
use crate::explanation::{explanation_by_warp, explanation_of, Explanation};
use crate::hash::{add_hashes, mix, warp_hash};
use crate::layout::{Learned, ALL_DECISIONS, DECISION, FIRST_SUM, NONE};
use crate::levels::Levels;
use crate::nogood::{is_sum, nogood_at, nogood_of, prefetch_nogood, Nogood};
use crate::threads::choose::warp_is_chosen;
use crate::threads::scratch::{counter, wide_counter, Bits};
use crate::threads::stride::{is_first, is_single, over_lanes, warp_width};
use crate::threads::warp::{from_lane, lanes_below, sync_warp, warp_ballot, warp_max};
use crate::{Lit, Search};
use crate::{Own, Problem};
use cuda_std::prelude::*;
use cuda_std::thread;

/// Shared: the conflict's level,
const LEVEL: usize = 1;
/// how many literals of lower levels there are,
const LOWER: usize = 2;
/// the unique implication point;
const UIP: usize = 3;
/// of the literals of lower levels that stay, how many they are so far,
const KEPT: usize = 4;
/// of how many levels,
const LEVELS: usize = 5;
/// their hash, low and high,
const HASH: usize = 6;
/// and the highest level and a place of it, 64 bits.
const SECOND: usize = 8;

/// Lanes that a short reason has for its literals.
const OCTET: u32 = 8;

/// # Inputs
/// `conflict`, `trail`, `reason`, `value`, `position`, `round`.
/// # Writes
/// Row `slot` of `slot_lits`, `slot_deps` and `mark`, and the words of the slot; `learned_activity` and `learned_lbd` of learned nogoods that
/// took part; `rank` if activities are kept.
/// # Thread mapping
/// One block a conflict, strided over the slots; its first warp resolves, its lanes share addresses of the trail and literals of reasons. Then
/// one thread a literal of a lower level, of that warp or of the block.
/// # Synchronisation
/// Votes, shuffles and reductions of a warp; block barriers between the parts; marks, and counts of what stays, are atomic.
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

/// Places of the trail below `end`, one a lane, from the highest down.
struct Window {
    end: u32,
    /// The literal,
    lit: Lit,
    /// why it holds,
    reason: u32,
    /// and which nogood that is, if it is one, but for one thread.
    nogood: Nogood,
    /// Lanes whose nogoods have [`OCTET`] literals at most,
    short: u32,
    /// and those whose nogoods may be of fewer levels now.
    improvable: u32,
}

/// The variables that an analysis has seen: bits in the block's table, where reading one takes a tenth of the time, if there are
/// enough; else stamps in memory.
struct Marks<'a> {
    s: &'a Search,
    row: usize,
    stamp: u32,
    bits: Bits,
}

impl<'a> Marks<'a> {
    /// None yet, and no levels. Called by all threads of the block; a barrier has to follow.
    #[inline(always)]
    fn none(s: &'a Search, slot: u32) -> (Self, Levels<'a>) {
        let levels = Levels::none(s, slot, s.problem.vars.div_ceil(32));
        let bits = if levels.table().are_there { levels.table() } else { Bits::zero(s.problem.vars) };
        let row = slot as usize * s.problem.vars as usize;
        (Marks { s, row, stamp: s.own.state().stamp.now(), bits }, levels)
    }

    /// Whether a variable is marked. Others must not be marking it, but for what is behind a barrier or [`sync_warp`].
    #[inline(always)]
    fn has(&self, var: u32) -> bool {
        match self.bits.are_there {
            true => self.bits.word(var / 32).now() >> (var % 32) & 1 == 1,
            false => self.s.own.mark.atomic(self.row + var as usize).load() == self.stamp,
        }
    }

    /// Marks a variable, if `asks`; whether it does and the variable was not marked before. (Setting no bit is cheaper than going another way.)
    #[inline(always)]
    fn add(&self, asks: bool, var: u32) -> bool {
        match self.bits.are_there {
            true => {
                let old = self.bits.word(var / 32).or((asks as u32) << (var % 32));
                asks && old >> (var % 32) & 1 == 0
            }
            false => asks && self.s.own.mark.atomic(self.row + var as usize).put(self.stamp) != self.stamp,
        }
    }
}

impl Analysis<'_> {
    /// Marks each lane's literal, of this level, if it `asks`, unless it was marked or is of level 1, and counts or stores it. Called by all lanes of
    /// a warp.
    #[inline(always)]
    fn add(&mut self, lit: Lit, level: u32, asks: bool) {
        let is_new = self.marks.add(asks && level > 1, lit.var().0);
        let open = warp_ballot(is_new && level == self.level);
        let lower = warp_ballot(is_new && level != self.level);
        if is_new {
            bump(&self.s.settings, &self.s.own, lit.var().0);
            if level != self.level {
                let at = self.lower + lanes_below(lower).count_ones();
                self.s.own.slot_lits.write(self.row + at as usize, lit);
            }
        }
        self.open += open.count_ones();
        self.lower += lower.count_ones();
    }

    /// The literal at place `i` of a nogood, if there is one, else [`Lit::TRUE`], and its level.
    #[inline(always)]
    fn look(problem: &Problem, own: &Own, nogood: Explanation, i: u32) -> (Lit, u32) {
        let lit = if i < nogood.len { nogood.lit(problem, own, i) } else { Lit::TRUE };
        (lit, if lit == Lit::TRUE { 0 } else { level_of(own, lit) })
    }

    /// Adds what nogood `id` says, of which lanes have the `first` literals, but for the variable of `skip`. If it `is_improvable`, and of fewer
    /// levels than it was, notes that. Called by all lanes of a warp.
    #[inline(always)]
    fn add_all(&mut self, id: u32, nogood: Explanation, first: (Lit, u32), skip: Lit, is_improvable: bool) {
        let (s, width) = (self.s, warp_width());
        let lane = thread::thread_idx_x() % width;
        let (mut base, mut levels, (mut lit, mut level)) = (0, 0, first);
        // What a warp has in its lanes it can count there.
        let is_set_needed = is_improvable && nogood.len > width;
        while base < nogood.len {
            let is_lit = lit != Lit::TRUE;
            self.add(if is_lit { lit } else { Lit::default() }, level, is_lit && lit.var() != skip.var());
            if is_set_needed {
                levels += warp_ballot(level > 1 && self.levels.add(level)).count_ones();
            } else if is_improvable {
                let chosen = warp_is_chosen(&s.launch, level > 1, level, level);
                levels = warp_ballot(chosen).count_ones();
            }
            base += width;
            if base < nogood.len {
                (lit, level) = Self::look(&s.problem, &s.own, nogood, base + lane);
            }
        }
        if is_set_needed {
            self.levels.forget(nogood);
        }
        if is_improvable && lane == 0 {
            improved(&s.own, id, levels);
        }
    }

    /// Whether `lit`, of a lower level, follows from others that are marked.
    #[inline(always)]
    fn is_implied(&self, lit: Lit) -> bool {
        let (s, reason) = (self.s, reason_of(&self.s.own, lit));
        if reason == DECISION || reason == ALL_DECISIONS {
            return false;
        }
        if is_single() || is_sum(&s.problem, reason) {
            // Only what a sum says depends on when it was said.
            let before = match is_sum(&s.problem, reason) {
                true => s.own.round_start.read(s.own.position.atomic(lit.var().0).load()),
                false => NONE,
            };
            let stays = |other: Lit| {
                other.var() != lit.var() && level_of(&s.own, other) > 1 && !self.marks.has(other.var().0)
            };
            let nogood = explanation_of(&s.problem, &s.own, reason, before, lit);
            return !(0..nogood.len)
                .map(|i| nogood.lit(&s.problem, &s.own, i))
                .any(|lit| lit != Lit::TRUE && stays(lit));
        }
        // On a GPU a load takes as long as hundreds of additions, but many can be under way.
        let nogood = nogood_of(&s.problem, &s.own, reason);
        let (mut group, groups) = nogood.groups();
        let end = group + groups;
        let mut stays = false;
        while group < end && !stays {
            for lits in [group, group + 1].map(|group| nogood.group(group.min(end - 1), lit)) {
                let values = lits.map(|other| s.own.value.read_here(other.var().0));
                let marks = lits.map(|other| self.marks.has(other.var().0));
                for i in 0..4 {
                    stays |= (lits[i].var() != lit.var()) & (values[i].unsigned_abs() > 1) & !marks[i];
                }
            }
            group += 2;
        }
        !stays
    }

    /// Goes down the trail to the unique implication point. Called by all lanes of a warp.
    #[inline(always)]
    fn resolve_all(&mut self) -> Lit {
        let (s, width) = (self.s, warp_width());
        let lane = thread::thread_idx_x() % width;
        // Marked literals of lower levels are not to be resolved.
        let first = s.own.trail_at.read(self.level);
        let mut end = s.own.state().committed.now();
        let mut is_behind_unmarked = false;
        // What is marked is seen by all.
        sync_warp();
        // Lanes have the addresses of a window, from its end down, with what may be asked of them.
        loop {
            let is_place = lane < end - first;
            let lit = s.own.trail.read(if is_place { end - 1 - lane } else { first });
            let reason = if is_place { reason_of(&s.own, lit) } else { NONE };
            let mut marked = warp_ballot(is_place && self.marks.has(lit.var().0));
            if marked == 0 {
                end -= width.min(end - first);
                if is_behind_unmarked && !is_single() {
                    end = self.skip_unmarked(first, end);
                }
                is_behind_unmarked = !is_behind_unmarked;
                continue;
            }
            is_behind_unmarked = false;
            // One thread asks only for what it needs.
            let is_nogood = reason < FIRST_SUM && !is_single();
            let nogood = if is_nogood { nogood_of(&s.problem, &s.own, reason) } else { Nogood::default() };
            if is_nogood {
                nogood.prefetch();
            }
            let improvable = warp_ballot(is_nogood && may_improve(&s.own, &s.launch, reason));
            let short = warp_ballot((1..=OCTET).contains(&nogood.len));
            let window = Window { end, lit, reason, nogood, short, improvable };
            let mut resolved = 0;
            while marked != 0 {
                let lowest = 31 - marked.leading_zeros();
                let sure = if marked.count_ones() == self.open { marked & !(1 << lowest) } else { marked };
                if sure == 0 {
                    break;
                }
                self.open -= sure.count_ones();
                resolved |= sure;
                self.resolve(&window, sure);
                marked = warp_ballot(is_place && self.marks.has(lit.var().0)) & !resolved;
            }
            if resolved >> lane & 1 == 1 {
                took_part(&s.own, reason);
            }
            sync_warp();
            if marked != 0 {
                return Lit(from_lane(lit.0, 31 - marked.leading_zeros()));
            }
            end -= width.min(end - first);
        }
    }

    /// Where the first window ends that has something marked, of those from place `end` down to `first`: in most of a long trail nothing is, and what is
    /// there is asked for of several windows at once. Called by all lanes of a warp.
    #[inline(always)]
    fn skip_unmarked(&self, first: u32, mut end: u32) -> u32 {
        let lane = thread::thread_idx_x() % 32;
        loop {
            let behind = [0, 32, 64, 96].map(|window| window + lane);
            let lits =
                behind.map(|behind| self.s.own.trail.read_here(first.max(end.saturating_sub(behind + 1))));
            let (mut is_found, mut skipped) = (false, 0);
            for i in 0..4 {
                let is_marked = behind[i] < end - first && self.marks.has(lits[i].var().0);
                is_found |= warp_ballot(is_marked) != 0;
                skipped += if is_found { 0 } else { 32 };
            }
            end -= skipped.min(end - first);
            if is_found {
                return end;
            }
        }
    }

    /// Resolves the literals in some lanes. Called by all lanes of a warp.
    #[inline(always)]
    fn resolve(&mut self, window: &Window, lanes: u32) {
        let (mut short, mut others) = (lanes & window.short, lanes & !window.short);
        while others != 0 {
            self.resolve_one(window, others.trailing_zeros());
            others &= others - 1;
        }
        while short != 0 {
            short = self.resolve_four(window, short);
        }
        // What is marked now is seen by all.
        sync_warp();
    }

    /// Adds the reasons of the lowest four of some lanes, short nogoods; returns the others. Called by all lanes of a warp.
    #[inline(always)]
    fn resolve_four(&mut self, window: &Window, lanes: u32) -> u32 {
        let (s, lane) = (self.s, thread::thread_idx_x() % 32);
        // 32 is none.
        let next = |lanes: u32| (lanes.trailing_zeros(), lanes & lanes.wrapping_sub(1));
        let (a, left) = next(lanes);
        let (b, left) = next(left);
        let (c, left) = next(left);
        let (d, left) = next(left);
        let (even, odd) = if lane & (2 * OCTET) == 0 { (a, b) } else { (c, d) };
        let of = if lane & OCTET == 0 { even } else { odd };
        let (from, len) = window.nogood.of_lane(of % 32);
        let (own, reason) = (Lit(from_lane(window.lit.0, of % 32)), from_lane(window.reason, of % 32));
        let i = lane % OCTET;
        let is_there = of < 32 && i < len;
        let lit = if is_there { nogood_at(&s.problem, &s.own, reason, (from, len)).lit(i) } else { own };
        let level = level_of(&s.own, lit);
        self.add(lit, level, lit.var() != own.var());
        if window.improvable & (lanes ^ left) != 0 {
            let is_improvable = of < 32 && window.improvable >> of & 1 == 1;
            let octet = lane / OCTET;
            let counts = is_improvable && is_there && level > 1;
            let chosen =
                warp_is_chosen(&s.launch, counts, (octet as u64) << 32 | level as u64, level + octet * 37);
            let levels = (warp_ballot(chosen) >> (octet * OCTET)) & ((1 << OCTET) - 1);
            if is_improvable && i == 0 {
                improved(&s.own, reason, levels.count_ones());
            }
            sync_warp();
        }
        left
    }

    /// Adds the reason of a lane's literal (one thread asks for more of it itself). Called by all lanes of a warp.
    #[inline(always)]
    fn resolve_one(&mut self, window: &Window, of: u32) {
        let s = self.s;
        let lane = thread::thread_idx_x() % warp_width();
        let (lit, at) = (Lit(from_lane(window.lit.0, of)), window.end - 1 - of);
        let (reason, place) = (from_lane(window.reason, of), window.nogood.of_lane(of));
        if reason == ALL_DECISIONS {
            let mut base = 2;
            while base <= self.level {
                let level = base + lane;
                let is_level = level <= self.level;
                let lit = if is_level { s.own.decision_at.read(level) } else { Lit::default() };
                self.add(lit, level, is_level);
                base += warp_width();
            }
            return;
        }
        let (explanation, is_improvable) = match reason {
            reason if !is_sum(&s.problem, reason) && is_single() => {
                (nogood_of(&s.problem, &s.own, reason).into(), may_improve(&s.own, &s.launch, reason))
            }
            reason if !is_sum(&s.problem, reason) => {
                (nogood_at(&s.problem, &s.own, reason, place).into(), window.improvable >> of & 1 == 1)
            }
            // What a sum says depends on when it was said.
            reason => {
                (explanation_by_warp(&s.problem, &s.own, reason, s.own.round_start.read(at), lit), false)
            }
        };
        let first = Self::look(&s.problem, &s.own, explanation, lane);
        self.add_all(reason, explanation, first, lit, is_improvable);
    }

    /// Takes out those of the literals of lower levels that follow from others, puts one of the highest level second to last and the UIP last,
    /// and fills in the slot's words. There are as many as a warp has lanes at most; called by all of a warp.
    #[inline(always)]
    fn store_narrow(&self, slot: u32, uip: Lit) {
        let (s, row, lane) = (self.s, self.row, thread::thread_idx_x() % warp_width());
        // What lanes have written others read.
        sync_warp();
        let is_there = lane < self.lower;
        let lit = if is_there { s.own.slot_lits.read(row + lane as usize) } else { Lit::TRUE };
        let stays = is_there && !self.is_implied(lit);
        // All have read before one writes.
        sync_warp();
        let staying = warp_ballot(stays);
        let level = if stays { level_of(&s.own, lit) } else { 0 };
        let (kept, highest) = (staying.count_ones(), warp_max(level));
        let last = warp_ballot(stays && level == highest).trailing_zeros();
        let lbd = warp_ballot(stays && self.levels.add(level)).count_ones() + 1;
        let hash = warp_hash(if stays { mix(lit.0 as u64) } else { 0 });
        if stays {
            let before = lanes_below(staying).count_ones();
            let place = if lane == last { kept - 1 } else { before - (lane > last) as u32 };
            s.own.slot_lits.write(row + place as usize, lit);
        }
        if lane == 0 {
            s.own.slot_lits.write(row + kept as usize, uip);
        }
        let hash = add_hashes(hash, mix(uip.0 as u64));
        write_learned(
            &s.own,
            slot,
            Learned { len: kept + 1, top: self.level, second: highest.max(1), lbd, hash },
        );
    }

    /// The same by all threads of the block, for any number of them.
    #[inline(always)]
    fn store_wide(&self, slot: u32, lower: u32, uip: Lit) {
        let (s, row, lane) = (self.s, self.row, thread::thread_idx_x() % warp_width());
        let (kept, levels, low, high) = (
            counter(&s.launch, KEPT),
            counter(&s.launch, LEVELS),
            counter(&s.launch, HASH),
            counter(&s.launch, HASH + 1),
        );
        let second = wide_counter(SECOND);
        if is_first() {
            for i in KEPT..=HASH + 1 {
                counter(&s.launch, i).store(0);
            }
            second.store(0);
        }
        let mut base = 0;
        while base < lower {
            let at = base + thread::thread_idx_x();
            let lit = if at < lower { s.own.slot_lits.read(row + at as usize) } else { Lit::TRUE };
            let stays = at < lower && !self.is_implied(lit);
            // All have read before one writes.
            thread::sync_threads();
            let staying = warp_ballot(stays);
            let level = if stays { level_of(&s.own, lit) } else { 0 };
            let highest = warp_max(level);
            let has_highest = warp_ballot(stays && level == highest);
            let new = warp_ballot(stays && self.levels.add(level)).count_ones();
            let hash = warp_hash(if stays { mix(lit.0 as u64) } else { 0 });
            let mut before = 0;
            if lane == 0 && staying != 0 {
                before = kept.count(staying.count_ones());
                levels.count(new);
                low.count(hash as u32);
                high.count((hash >> 32) as u32);
                let place = before + (staying & ((1 << has_highest.trailing_zeros()) - 1)).count_ones();
                second.max((highest as u64) << 32 | place as u64);
            }
            let place = from_lane(before, 0) + lanes_below(staying).count_ones();
            if stays {
                s.own.slot_lits.write(row + place as usize, lit);
            }
            base += thread::block_dim_x();
        }
        thread::sync_threads();
        if is_first() {
            let (lower, best) = (kept.now(), second.now());
            s.own.slot_lits.write(row + lower as usize, uip);
            if lower > 0 {
                let (i, last) = (row + best as u32 as usize, row + lower as usize - 1);
                let (lit, other) = (s.own.slot_lits.read(i), s.own.slot_lits.read(last));
                s.own.slot_lits.write(i, other);
                s.own.slot_lits.write(last, lit);
            }
            let level = if lower > 0 { (best >> 32) as u32 } else { 1 };
            let hash = (high.now() as u64) << 32 | low.now() as u64;
            let hash = add_hashes(hash, mix(uip.0 as u64));
            let lbd = levels.now() + 1;
            write_learned(
                &s.own,
                slot,
                Learned { len: lower + 1, top: self.level, second: level, lbd, hash },
            );
        }
    }
}

/// Asks for the reasons of the highest addresses of the trail, one a thread, which the first warp is going to need.
#[inline(always)]
fn ask_ahead(problem: &Problem, own: &Own) {
    let (end, back) = (own.state().committed.now(), thread::thread_idx_x() - warp_width());
    if back < end - own.trail_at.read(own.level()) {
        let reason = reason_of(own, own.trail.read(end - 1 - back));
        if reason < FIRST_SUM {
            prefetch_nogood(problem, own, reason);
        }
    }
}

/// Learns from one violated nogood. Called by all threads of a block.
#[inline(always)]
fn learn(s: &Search, slot: u32, violated: Explanation, id: u32) {
    let (marks, levels) = Marks::none(s, slot);
    let mut a = Analysis { s, level: 1, row: marks.row, marks, levels, open: 0, lower: 0 };
    thread::sync_threads();
    if thread::thread_idx_x() < warp_width() {
        let first = Analysis::look(&s.problem, &s.own, violated, thread::thread_idx_x());
        let mut highest = first.1.max(1);
        for i in over_lanes(warp_width(), violated.len) {
            highest = highest.max(Analysis::look(&s.problem, &s.own, violated, i).1);
        }
        a.level = warp_max(highest);
        let mut uip = Lit::TRUE;
        if a.level > 1 {
            // What one lane sees: another block may improve the same nogood meanwhile.
            let is_improvable = from_lane(may_improve(&s.own, &s.launch, id) as u32, 0) == 1;
            a.add_all(id, violated, first, Lit::TRUE, is_improvable);
            uip = a.resolve_all();
            if a.lower <= warp_width() {
                a.store_narrow(slot, uip);
            }
        } else {
            write_learned(&s.own, slot, Learned { len: 0, top: 1, second: 1, lbd: 0, hash: 0 });
        }
        if is_first() {
            counter(&s.launch, LEVEL).store(a.level);
            counter(&s.launch, LOWER).store(a.lower);
            counter(&s.launch, UIP).store(uip.0);
        }
    } else {
        ask_ahead(&s.problem, &s.own);
    }
    thread::sync_threads();
    a.level = counter(&s.launch, LEVEL).now();
    let lower = counter(&s.launch, LOWER).now();
    if lower > warp_width() {
        a.store_wide(slot, lower, Lit(counter(&s.launch, UIP).now()));
    }
    // The table and the counters are used again.
    thread::sync_threads();
}
