//! First-UIP learning by resolution (paper, Algorithm "res-learning"; Marques-Silva and Sakallah 1996).
//!
//! Starting from a violated nogood, literals of the conflict's level are resolved with their reasons, the one that was assigned last first,
//! until only one of them is left: the unique implication point. Few take part in each step, so a warp goes this way alone, with its counts in
//! registers and no barrier; its lanes have 32 places of the trail with their reasons. Of the literals of the level that are marked all but the
//! lowest are going to be resolved, whatever their reasons add. So these are resolved together, in any order: a step waits for the
//! one before, and there are as many as the implications are deep.
//!
//! What is learned is then made smaller: a literal of a lower level goes if all of its reason that is above level 1 is in the nogood
//! anyway (local minimisation, Sörensson and Biere 2009). All literals may be judged at once, by the nogood as it was: what goes
//! follows from literals that were assigned before it, and those from what stays. If there are many, the whole block does it.
//!
//! A literal that follows from all decisions (completion, a flipped decision) is resolved with the nogood of itself and
//! all decisions at and below its level.

use crate::assign::{level_of, reason_of, GROUPS};
use crate::atomics::Atomics;
use crate::block::{
    counter, from_lane, lanes_below, sync_warp, warp_ballot, warp_is_chosen, warp_max, warp_or, warp_scan,
    wide_counter, Bits, Crew, WaitingRoom,
};
use crate::conflict::{
    add_hashes, bump, for_each_slot, improved, may_improve, mix, took_part, warp_hash, Learned, Learner,
    Levels,
};
use crate::layout::{Explanation, Nogood, ALL_DECISIONS, DECISION, NONE, SUMS};
use crate::stride::{is_single, over_lanes, warp_width};
use crate::team::is_first;
use crate::{Lit, Search, Var};
use core::array::from_fn;
use core::sync::atomic::Ordering::Relaxed;
use cuda_std::prelude::*;

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

/// Literals of lower levels that a warp judges by itself, one a lane; more are for the block.
const FEW: u32 = 32;

/// Literals of reasons that a warp adds together, one a lane.
const PACK: u32 = 32;

/// # Inputs
/// `conflict`, `trail`, `reason`, `value`, `position`, `round`.
/// # Writes
/// Row `slot` of `slot_lits`, `slot_deps` and `mark`, and the words of the slot; `learned_activity` and `learned_lbd` of learned nogoods that
/// took part; `rank` if activities are kept.
/// # Thread mapping
/// One block a conflict, strided over the slots; its first warp resolves, its lanes share places of the trail and literals of reasons. Then
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
    /// which nogood that is, if it is one, but for one thread,
    nogood: Nogood,
    /// and whether this may be of fewer levels now.
    is_improvable: bool,
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
        let levels = Levels::none(s, slot, s.vars.div_ceil(32));
        let bits = if levels.table().are_there { levels.table() } else { Bits::zero(s.vars) };
        let row = slot as usize * s.vars as usize;
        (Marks { s, row, stamp: s.state().stamp.now(), bits }, levels)
    }

    #[inline(always)]
    fn has(&self, var: u32) -> bool {
        match self.bits.are_there {
            true => self.bits.word(var / 32).load(Relaxed) >> (var % 32) & 1 == 1,
            false => self.s.mark.atomic(self.row + var as usize).load(Relaxed) == self.stamp,
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
            false => asks && self.s.mark.atomic(self.row + var as usize).put(self.stamp) != self.stamp,
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
            bump(self.s, lit.var().0);
            if level != self.level {
                let at = self.lower + lanes_below(lower).count_ones();
                self.s.slot_lits.write(self.row + at as usize, lit);
            }
        }
        self.open += open.count_ones();
        self.lower += lower.count_ones();
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
            let lit = if i < nogood.len { nogood.lit(s, i) } else { Lit::TRUE };
            let is_lit = lit != Lit::TRUE;
            let level = if is_lit { level_of(s, lit) } else { 0 };
            self.add(if is_lit { lit } else { Lit::default() }, level, is_lit && lit.var() != skip.var());
            if is_set_needed {
                levels += warp_ballot(level > 1 && self.levels.add(level)).count_ones();
            } else if is_improvable {
                let chosen = warp_is_chosen(level > 1, level, level);
                levels = warp_ballot(chosen).count_ones();
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
            return !(0..nogood.len).map(|i| nogood.lit(s, i)).any(|lit| lit != Lit::TRUE && stays(lit));
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

    /// Goes down the trail to the unique implication point. Called by all lanes of a warp.
    #[inline(always)]
    fn resolve_all(&mut self) -> Lit {
        let (s, width) = (self.s, warp_width());
        let lane = thread::thread_idx_x() % width;
        // Marked literals of lower levels are not to be resolved.
        let first = s.trail_at.read(self.level);
        let mut end = s.state().committed.now();
        // Lanes have the places of a window, from its end down, with what may be asked of them.
        loop {
            let is_place = lane < end - first;
            let lit = s.trail.read(if is_place { end - 1 - lane } else { first });
            let reason = if is_place { reason_of(s, lit) } else { NONE };
            let mut marked = warp_ballot(is_place && self.marks.has(lit.var().0));
            // In most windows of a long trail nothing is.
            if marked == 0 {
                end -= width.min(end - first);
                continue;
            }
            // One thread asks only for what it needs.
            let is_nogood = reason < SUMS && !is_single();
            let nogood = if is_nogood { s.nogood(reason) } else { Nogood::default() };
            if is_nogood {
                nogood.prefetch();
            }
            let is_improvable = is_nogood && may_improve(s, reason);
            let window = Window { end, lit, reason, nogood, is_improvable };
            let mut is_left = is_place;
            while marked != 0 {
                let lowest = 31 - marked.leading_zeros();
                let sure = if marked.count_ones() == self.open { marked & !(1 << lowest) } else { marked };
                if sure == 0 {
                    return Lit(from_lane(lit.0, lowest));
                }
                self.open -= sure.count_ones();
                is_left &= sure >> lane & 1 == 0;
                self.resolve(&window, sure);
                marked = warp_ballot(is_left && self.marks.has(lit.var().0));
            }
            end -= width.min(end - first);
        }
    }

    /// Resolves the literals in some lanes. Called by all lanes of a warp.
    #[inline(always)]
    fn resolve(&mut self, window: &Window, lanes: u32) {
        let lane = thread::thread_idx_x() % warp_width();
        let (is_asked, len) = (lanes >> lane & 1 == 1, window.nogood.len);
        let mut is_packed = is_asked && (1..=PACK).contains(&len);
        let mut alone = warp_ballot(is_asked && !is_packed);
        while alone != 0 {
            self.resolve_one(window, alone.trailing_zeros());
            alone &= alone - 1;
        }
        while warp_ballot(is_packed) != 0 {
            // As many as there are lanes for their literals.
            let mine = if is_packed { len } else { 0 };
            let end = if lanes.is_power_of_two() { mine } else { warp_scan(mine) };
            let is_taken = is_packed && end <= PACK;
            self.resolve_pack(window, is_taken, end);
            is_packed &= !is_taken;
        }
    }

    /// Adds the reasons of some lanes, nogoods of so many literals together that each lane has one: those of a lane up to its `end`.
    #[inline(always)]
    fn resolve_pack(&mut self, window: &Window, is_taken: bool, end: u32) {
        let (s, lane, room) = (self.s, thread::thread_idx_x() % 32, WaitingRoom::of_warp());
        let (begin, is_improvable) = (end.wrapping_sub(window.nogood.len), is_taken && window.is_improvable);
        if is_taken {
            took_part(s, window.reason);
            // A variable has 30 bits.
            let is_learned = window.reason >= s.nogoods;
            let of = window.lit.var().0 | (is_learned as u32) << 30 | (is_improvable as u32) << 31;
            room.set(begin, window.nogood.first(), of);
        }
        let begins = warp_or(if is_taken { 1 << begin } else { 0 });
        let total = warp_max(if is_taken { end } else { 0 });
        sync_warp();
        // Whose literals this lane's are among: the last to begin, of which the first begins with lane 0.
        let first = 31 - (begins & u32::MAX >> (31 - lane)).leading_zeros();
        let (from, of) = room.get(first);
        let own = Var(of & !(3 << 30));
        let lits = if of >> 30 & 1 == 1 { s.learned_lit } else { s.lits };
        let has_lit = lane < total;
        let lit = if has_lit { lits.read(from + lane - first) } else { Lit::t(own) };
        let level = level_of(s, lit);
        self.add(lit, level, lit.var() != own);
        if warp_ballot(is_improvable) != 0 {
            let counts = has_lit && of >> 31 == 1 && level > 1;
            let chosen = warp_is_chosen(counts, (first as u64) << 32 | level as u64, level + first * 37);
            let levels = warp_ballot(chosen);
            if is_improvable {
                let mine = levels >> begin & u32::MAX >> (32 - window.nogood.len);
                improved(s, window.reason, mine.count_ones());
            }
        }
        sync_warp();
    }

    /// Adds the reason of a lane's literal (one thread asks for more of it itself). Called by all lanes of a warp.
    #[inline(always)]
    fn resolve_one(&mut self, window: &Window, of: u32) {
        let s = self.s;
        let lane = thread::thread_idx_x() % warp_width();
        let (lit, at) = (Lit(from_lane(window.lit.0, of)), window.end - 1 - of);
        let (reason, place) = (from_lane(window.reason, of), window.nogood.of_lane(of));
        let is_improvable = from_lane(window.is_improvable as u32, of) == 1;
        if reason == ALL_DECISIONS {
            let mut base = 2;
            while base <= self.level {
                let level = base + lane;
                let is_level = level <= self.level;
                let lit = if is_level { s.decision_at.read(level) } else { Lit::default() };
                self.add(lit, level, is_level);
                base += warp_width();
            }
            return;
        }
        if lane == 0 {
            took_part(s, reason);
        }
        let (explanation, is_improvable) = match reason {
            reason if reason < SUMS && is_single() => (s.nogood(reason).into(), may_improve(s, reason)),
            reason if reason < SUMS => (s.nogood_at(reason, place).into(), is_improvable),
            // What a sum says depends on when it was said.
            reason => (s.explanation_by_warp(reason, s.round.read(at), lit), false),
        };
        self.add_all(reason, explanation, lit, is_improvable);
    }

    /// Takes out those of the `lower` literals that follow from others, puts one of the highest level second to last and the UIP last, and fills
    /// in the slot's words. The shared sums have to be 0. Called by all of the crew.
    #[inline(always)]
    fn store(&self, crew: Crew, slot: u32, lower: u32, uip: Lit) {
        let (s, row, lane) = (self.s, self.row, thread::thread_idx_x() % warp_width());
        let (kept, levels, low, high) = (counter(KEPT), counter(LEVELS), counter(HASH), counter(HASH + 1));
        let second = wide_counter(SECOND);
        let mut base = 0;
        while base < lower {
            let at = base + crew.rank();
            let lit = if at < lower { s.slot_lits.read(row + at as usize) } else { Lit::TRUE };
            let stays = at < lower && !self.is_implied(lit);
            // All have read before one writes.
            crew.sync();
            let staying = warp_ballot(stays);
            let level = if stays { level_of(s, lit) } else { 0 };
            let highest = warp_max(level);
            let has_highest = warp_ballot(stays && level == highest);
            let new = warp_ballot(stays && self.levels.add(level)).count_ones();
            let hash = warp_hash(if stays { mix(lit.0 as u64) } else { 0 });
            let mut before = 0;
            if lane == 0 && staying != 0 {
                before = kept.add(staying.count_ones());
                levels.add(new);
                low.add(hash as u32);
                high.add((hash >> 32) as u32);
                let place = before + (staying & ((1 << has_highest.trailing_zeros()) - 1)).count_ones();
                second.max((highest as u64) << 32 | place as u64);
            }
            let place = from_lane(before, 0) + lanes_below(staying).count_ones();
            if stays {
                s.slot_lits.write(row + place as usize, lit);
            }
            base += crew.size();
        }
        crew.sync();
        if crew.rank() == 0 {
            let (lower, best) = (kept.now(), second.now());
            s.slot_lits.write(row + lower as usize, uip);
            if lower > 0 {
                let (i, last) = (row + best as u32 as usize, row + lower as usize - 1);
                let (lit, other) = (s.slot_lits.read(i), s.slot_lits.read(last));
                s.slot_lits.write(i, other);
                s.slot_lits.write(last, lit);
            }
            let level = if lower > 0 { (best >> 32) as u32 } else { 1 };
            let hash = (high.now() as u64) << 32 | low.now() as u64;
            let hash = add_hashes(hash, mix(uip.0 as u64));
            let lbd = levels.now() + 1;
            Learned { len: lower + 1, top: self.level, second: level, lbd, hash }.write(s, slot);
        }
    }
}

/// Learns from one violated nogood. Called by all threads of a block.
#[inline(always)]
fn learn(s: &Search, slot: u32, violated: Explanation, id: u32) {
    let (marks, levels) = Marks::none(s, slot);
    let mut a = Analysis { s, level: 1, row: marks.row, marks, levels, open: 0, lower: 0 };
    if is_first() {
        for i in KEPT..=HASH + 1 {
            counter(i).store(0, Relaxed);
        }
        wide_counter(SECOND).store(0, Relaxed);
    }
    thread::sync_threads();
    if Crew::FirstWarp.has_this() {
        let mut highest = 1;
        for i in over_lanes(0, violated.len) {
            let lit = violated.lit(s, i);
            highest = highest.max(if lit == Lit::TRUE { 1 } else { level_of(s, lit) });
        }
        a.level = warp_max(highest);
        let mut uip = Lit::TRUE;
        if a.level > 1 {
            // What one lane sees: another block may improve the same nogood meanwhile.
            let is_improvable = from_lane(may_improve(s, id) as u32, 0) == 1;
            a.add_all(id, violated, Lit::TRUE, is_improvable);
            uip = a.resolve_all();
        }
        if is_first() {
            counter(LEVEL).store(a.level, Relaxed);
            counter(LOWER).store(a.lower, Relaxed);
            counter(UIP).store(uip.0, Relaxed);
        }
    }
    thread::sync_threads();
    a.level = counter(LEVEL).now();
    let lower = counter(LOWER).now();
    let crew = if lower <= FEW { Crew::FirstWarp } else { Crew::Block };
    if a.level <= 1 {
        Learned { len: 0, top: 1, second: 1, lbd: 0, hash: 0 }.write(s, slot);
    } else if crew.has_this() {
        a.store(crew, slot, lower, Lit(counter(UIP).now()));
    }
    // The table and the counters are used again.
    thread::sync_threads();
}
