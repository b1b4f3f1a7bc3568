//! First-UIP learning by resolution (paper, Algorithm "res-learning"; Marques-Silva and Sakallah 1996).
//!
//! The main function is [`run`]. The host loop launches the kernel, and the resident search calls [`run`].
//!
//! The analysis starts from a violated nogood. It resolves literals of the conflict's level with their
//! reasons, the last assigned literal first, until only one literal of the level is left: the first unique
//! implication point (UIP). Each step involves only a handful of literals. One warp therefore does the
//! resolution without barriers and keeps the counts in registers. Its lanes hold 32 positions of the trail
//! with their reasons. Meanwhile the block's other warps prefetch these reasons.
//!
//! Of the marked literals of the level, all but the lowest on the trail will be resolved, whatever their
//! reasons add. The warp therefore resolves all of them together, in any order. Each such step waits for the
//! step before, so the number of steps is the depth of the implications. Most steps resolve at most four
//! literals whose reasons have at most eight literals, so that each literal of these reasons has a lane.
//!
//! The learned nogood is then made smaller by recursive minimisation (see [`crate::minimise`]). A literal of
//! a lower level is dropped if it follows from the others by any number of reasons. All literals are judged
//! at the same time: a dropped literal follows from literals that were assigned before it, and dropped ones
//! among these follow from literals that stay. If there are more literals than a warp has lanes, the whole
//! block does the minimisation.
//!
//! A literal that follows from all decisions (completion, a flipped decision) is resolved with the nogood of
//! itself and all decisions at and below its level.
//!
//! Invariant: every literal of the nogood holds, and each literal above level 1 that resolution has seen is
//! marked.

use crate::activity::{bump, improved, may_improve, took_part};
use crate::assign::{level_of, reason_of};
use crate::conflict::{for_each_slot, violated, write_learned, Learner};
use crate::explanation::{explanation_by_warp, Explanation};
use crate::hash::{add_hashes, mix, warp_hash};
use crate::layout::{Learned, Level, NogoodId, TrailPosition};
use crate::levels::Levels;
use crate::marks::Marks;
use crate::minimise::is_implied;
use crate::nogood::{is_sum, nogood_at, nogood_of, prefetch_nogood, Nogood};
use crate::reasons::Reasons;
use crate::threads::barrier::sync_block;
use crate::threads::choose::warp_is_chosen;
use crate::threads::scratch::{counter, wide_counter};
use crate::threads::stride::{is_first, is_single, over_block, over_lanes, warp_width};
use crate::threads::token::{WholeBlock, WholeWarp};
use crate::threads::warp::{from_lane, lanes_below, sync_warp, warp_ballot, warp_max};
use crate::{Lit, Search};
use crate::{Own, Problem};
use cuda_std::prelude::*;
use cuda_std::thread;

mod alone;

/// Index of the shared counter that holds the conflict's level.
const LEVEL: usize = 1;
/// Index of the shared counter that holds the number of literals of lower levels.
const LOWER: usize = 2;
/// Index of the shared counter that holds the unique implication point.
const UIP: usize = 3;
/// Index of the shared counter that holds the number of literals of lower levels kept so far.
const KEPT: usize = 4;
/// Index of the shared counter that holds the number of distinct levels of the kept literals.
const LEVELS: usize = 5;
/// Index of two shared counters: the low and the high word of the kept literals' hash.
const HASH: usize = 6;
/// Index of two shared counters, used as one of 64 bits: the highest level of the kept literals, and in the
/// low half the index of a kept literal of that level.
const SECOND: usize = 8;

/// Lanes that a short reason gets for its literals, and the most literals that a short reason has.
const OCTET: u32 = 8;

/// Learns one nogood from each conflict that it selects, by resolution to the first unique implication point.
///
/// # Inputs
/// `conflict`, `trail`, `trail_at`, `decision_at`, `reason`, `value`, `position`, `round_start`, and the
/// nogoods.
/// # Writes
/// Row `slot` of `slot_lits`, `slot_deps` and `mark`, and the slot's element of `slot`. The activities and
/// LBDs of learned nogoods that took part. `rank` if activities are kept. The proof's reasons. Scratch:
/// `spare_lit`.
/// # Thread mapping
/// One block a conflict, strided over the slots. The block's first warp resolves: its lanes share positions
/// of the trail and literals of reasons. Then each literal of a lower level has one thread, of the first warp
/// or of the block.
/// # Synchronisation
/// Votes, shuffles and reductions of a warp. Block barriers between the steps. Marks and the counts of kept
/// literals are atomic.
/// # Safety
/// `s` must describe valid memory that nobody else uses during the launch.
/// # Deterministic
/// The learned set is, given the conflicts and the trail, unless a thread of several gives up on a literal
/// (see [`is_implied`]). The order of its lower literals is not.
#[kernel]
pub unsafe fn learn_resolution(s: Search) {
    // SAFETY: the kernel's entry.
    run(unsafe { &mut WholeBlock::at_entry() }, &s)
}

/// The kernel as a plain function. All blocks that work for the search `s` call this.
#[cuda_std::inlined]
pub fn run(block: &mut WholeBlock, s: &Search) {
    for_each_slot(block, s, Learner::Resolution, |block, slot, id| match is_single() {
        true => alone::learn(block, s, slot, id),
        false => learn(block, s, slot, id),
    });
}

/// The analysis of one conflict. All lanes of the warp hold the same values.
struct Analysis<'a> {
    /// The search.
    s: &'a Search,
    /// The conflict's level: the highest level in the violated nogood.
    level: Level,
    /// The index at which this slot's row of `slot_lits` begins.
    row: usize,
    /// The marked variables.
    marks: Marks<'a>,
    /// The levels of the nogood that is being added; empty between two nogoods.
    levels: Levels<'a>,
    /// The number of literals of the conflict's level that are marked and not yet resolved.
    open: u32,
    /// The number of literals of lower levels stored so far.
    lower: u32,
    /// What the analysis went through.
    reasons: Reasons<'a>,
}

/// Up to 32 neighbouring positions of the trail, one for each lane, counted down from `end`.
struct Window {
    /// The position after the highest position of the window.
    end: u32,
    /// The literal at the lane's position.
    lit: Lit,
    /// The reason of the lane's literal.
    reason: NogoodId,
    /// The nogood that is the lane's reason. Empty if the reason is no nogood.
    nogood: Nogood,
    /// The lanes whose nogoods have at most [`OCTET`] literals, as bits.
    short: u32,
    /// The lanes whose learned nogoods may now have fewer levels than noted, as bits.
    improvable: u32,
}

impl Analysis<'_> {
    /// Adds each lane's literal `lit` of level `level` to the analysis if `wanted`, unless its variable is
    /// marked or is of level 1.
    ///
    /// A literal of the conflict's level is counted in `open`. A literal of a lower level is stored.
    #[cuda_std::inlined]
    fn add(&mut self, warp: &mut WholeWarp, lit: Lit, level: Level, wanted: bool) {
        let is_new = self.marks.add(wanted && level > Level::FIRST, lit.var());
        let open = warp_ballot(warp, is_new && level == self.level);
        let lower = warp_ballot(warp, is_new && level != self.level);
        if is_new {
            bump(&self.s.settings, &self.s.own, lit.var());
            if level != self.level {
                let at = self.lower + lanes_below(lower).count_ones();
                self.s.own.slot_lits.write(self.row + at as usize, lit);
            }
        }
        self.open += open.count_ones();
        self.lower += lower.count_ones();
    }

    /// Returns literal `i` of `nogood` and its level, or [`Lit::TRUE`] and [`Level::OPEN`] if `nogood` has no
    /// such literal.
    #[cuda_std::inlined]
    fn literal_and_level(problem: &Problem, own: &Own, nogood: Explanation, i: u32) -> (Lit, Level) {
        let lit = if i < nogood.len { nogood.lit(problem, own, i) } else { Lit::TRUE };
        (lit, if lit == Lit::TRUE { Level::OPEN } else { level_of(own, lit) })
    }

    /// Adds the literals of `nogood`, whose id is `id`, except the variable of `skip`.
    ///
    /// `first` is the lane's first literal with its level. If `is_improvable`, the function also counts the
    /// levels of the nogood, and notes them if there are fewer than before.
    #[cuda_std::inlined]
    fn add_all(
        &mut self,
        warp: &mut WholeWarp,
        id: NogoodId,
        nogood: Explanation,
        first: (Lit, Level),
        skip: Lit,
        is_improvable: bool,
    ) {
        let (s, width) = (self.s, warp_width());
        let lane = thread::thread_idx_x() % width;
        let (mut base, mut levels, (mut lit, mut level)) = (0, 0, first);
        // If all literals of the nogood are in lanes, the lanes count the levels. A longer nogood needs the
        // set.
        let is_set_needed = is_improvable && nogood.len > width;
        while base < nogood.len {
            let is_lit = lit != Lit::TRUE;
            self.add(
                warp,
                if is_lit { lit } else { Lit::default() },
                level,
                is_lit && lit.var() != skip.var(),
            );
            if is_set_needed {
                levels += warp_ballot(warp, level > Level::FIRST && self.levels.add(level)).count_ones();
            } else if is_improvable {
                let chosen = warp_is_chosen(warp, &s.launch, level > Level::FIRST, level.0, level.0);
                levels = warp_ballot(warp, chosen).count_ones();
                // The next choice writes to the slots that all lanes have read.
                sync_warp(warp);
            }
            base += width;
            if base < nogood.len {
                (lit, level) = Self::literal_and_level(&s.problem, &s.own, nogood, base + lane);
            }
        }
        if is_set_needed {
            self.levels.forget(warp, nogood);
        }
        if is_improvable && lane == 0 {
            improved(&s.own, id, levels);
        }
    }

    /// Goes down the trail to the unique implication point and returns it.
    #[cuda_std::inlined]
    fn resolve_all(&mut self, warp: &mut WholeWarp) -> Lit {
        let (s, width) = (self.s, warp_width());
        let lane = thread::thread_idx_x() % width;
        // The loop stops at the first position of the level, because marked literals of lower levels are not
        // resolved.
        let first = s.own.trail_at.read(self.level.0);
        let mut end = s.own.state().committed.now();
        let mut follows_unmarked = false;
        // All lanes must see what any lane has marked.
        sync_warp(warp);
        // Each lane has one position of a window, counted down from `end`, and prefetches that position's
        // reason.
        loop {
            let has_position = lane < end - first;
            let lit = s.own.trail.read(if has_position { end - 1 - lane } else { first });
            let reason = if has_position { reason_of(&s.own, lit) } else { NogoodId::NONE };
            let mut marked = warp_ballot(warp, has_position && self.marks.has(lit.var()));
            if marked == 0 {
                end -= width.min(end - first);
                if follows_unmarked {
                    end = self.skip_unmarked(warp, first, end);
                }
                follows_unmarked = !follows_unmarked;
                continue;
            }
            follows_unmarked = false;
            let is_nogood = reason.is_written_out();
            let nogood = if is_nogood { nogood_of(&s.problem, &s.own, reason) } else { Nogood::default() };
            if is_nogood {
                nogood.prefetch();
            }
            let improvable = warp_ballot(warp, is_nogood && may_improve(&s.own, &s.launch, reason));
            let short = warp_ballot(warp, (1..=OCTET).contains(&nogood.len));
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
                // All lanes have read marks before one marks: a vote does not put accesses into an order.
                sync_warp(warp);
                self.resolve(warp, &window, sure);
                marked = warp_ballot(warp, has_position && self.marks.has(lit.var())) & !resolved;
            }
            let is_resolved = resolved >> lane & 1 == 1;
            if is_resolved {
                took_part(&s.own, reason);
            }
            self.reasons.add_of_lanes(warp, resolved, is_resolved, reason);
            sync_warp(warp);
            if marked != 0 {
                return Lit(from_lane(warp, lit.0, 31 - marked.leading_zeros()));
            }
            end -= width.min(end - first);
        }
    }

    /// Returns the end of the highest window with a marked literal, among the windows of positions `first ..
    /// end`.
    ///
    /// Most windows of a long trail have no marked literal. The function therefore loads four windows at
    /// once.
    #[cuda_std::inlined]
    fn skip_unmarked(&self, warp: &mut WholeWarp, first: u32, mut end: u32) -> u32 {
        let lane = thread::thread_idx_x() % 32;
        loop {
            let distances = [0, 32, 64, 96].map(|window| window + lane);
            let lits = distances
                .map(|distance| self.s.own.trail.read_here(first.max(end.saturating_sub(distance + 1))));
            let (mut is_found, mut skipped) = (false, 0);
            for i in 0..4 {
                let is_marked = distances[i] < end - first && self.marks.has(lits[i].var());
                is_found |= warp_ballot(warp, is_marked) != 0;
                skipped += if is_found { 0 } else { 32 };
            }
            end -= skipped.min(end - first);
            if is_found {
                return end;
            }
        }
    }

    /// Resolves the literals of `window` that the bits `lanes` name.
    #[cuda_std::inlined]
    fn resolve(&mut self, warp: &mut WholeWarp, window: &Window, lanes: u32) {
        let (mut short, mut others) = (lanes & window.short, lanes & !window.short);
        while others != 0 {
            self.resolve_one(warp, window, others.trailing_zeros());
            others &= others - 1;
        }
        while short != 0 {
            short = self.resolve_four(warp, window, short);
        }
        // All lanes must see what this step has marked.
        sync_warp(warp);
    }

    /// Adds the reasons of the lowest four of the lanes in the bits `lanes`; these reasons are short nogoods.
    ///
    /// Returns the bits of the remaining lanes.
    #[cuda_std::inlined]
    fn resolve_four(&mut self, warp: &mut WholeWarp, window: &Window, lanes: u32) -> u32 {
        let (s, lane) = (self.s, thread::thread_idx_x() % 32);
        // Lane number 32 means that there is no further literal.
        let next = |lanes: u32| (lanes.trailing_zeros(), lanes & lanes.wrapping_sub(1));
        let (a, left) = next(lanes);
        let (b, left) = next(left);
        let (c, left) = next(left);
        let (d, left) = next(left);
        let (even, odd) = if lane & (2 * OCTET) == 0 { (a, b) } else { (c, d) };
        let of = if lane & OCTET == 0 { even } else { odd };
        let (from, len) = window.nogood.of_lane(warp, of % 32);
        let (own, reason) = (
            Lit(from_lane(warp, window.lit.0, of % 32)),
            NogoodId(from_lane(warp, window.reason.0, of % 32)),
        );
        let i = lane % OCTET;
        let is_there = of < 32 && i < len;
        let lit = if is_there { nogood_at(&s.problem, &s.own, reason, (from, len)).lit(i) } else { own };
        let level = level_of(&s.own, lit);
        self.add(warp, lit, level, lit.var() != own.var());
        if window.improvable & (lanes ^ left) != 0 {
            let is_improvable = of < 32 && window.improvable >> of & 1 == 1;
            let octet = lane / OCTET;
            let counts = is_improvable && is_there && level > Level::FIRST;
            let chosen = warp_is_chosen(
                warp,
                &s.launch,
                counts,
                (octet as u64) << 32 | level.0 as u64,
                level.0 + octet * 37,
            );
            let levels = (warp_ballot(warp, chosen) >> (octet * OCTET)) & ((1 << OCTET) - 1);
            if is_improvable && i == 0 {
                improved(&s.own, reason, levels.count_ones());
            }
            sync_warp(warp);
        }
        left
    }

    /// Adds the reason of the literal in lane `of` of `window`, whatever the reason's length.
    #[cuda_std::inlined]
    fn resolve_one(&mut self, warp: &mut WholeWarp, window: &Window, of: u32) {
        let s = self.s;
        let lane = thread::thread_idx_x() % warp_width();
        let (lit, at) = (Lit(from_lane(warp, window.lit.0, of)), TrailPosition(window.end - 1 - of));
        let (reason, span) =
            (NogoodId(from_lane(warp, window.reason.0, of)), window.nogood.of_lane(warp, of));
        if reason == NogoodId::ALL_DECISIONS {
            let mut base = 2;
            while base <= self.level.0 {
                let level = Level(base + lane);
                let is_level = level <= self.level;
                let lit = if is_level { s.own.decision_of(level) } else { Lit::default() };
                self.add(warp, lit, level, is_level);
                base += warp_width();
            }
            return;
        }
        let (explanation, is_improvable) = match reason {
            reason if !is_sum(&s.problem, reason) => {
                (nogood_at(&s.problem, &s.own, reason, span).into(), window.improvable >> of & 1 == 1)
            }
            // A sum explains a literal by the items that held when the sum proposed it.
            reason => {
                (explanation_by_warp(warp, &s.problem, &s.own, reason, s.own.round_start_of(at), lit), false)
            }
        };
        let first = Self::literal_and_level(&s.problem, &s.own, explanation, lane);
        self.add_all(warp, reason, explanation, first, lit, is_improvable);
    }

    /// Drops implied literals of lower levels, puts a literal of the second-highest level second to last and
    /// `uip` last, and fills in the element `slot` of `slot`.
    ///
    /// There are at most as many literals of lower levels as a warp has lanes.
    #[cuda_std::inlined]
    fn store_narrow(&self, warp: &mut WholeWarp, slot: u32, uip: Lit) {
        let (s, row, lane) = (self.s, self.row, thread::thread_idx_x() % warp_width());
        // Lanes read what other lanes have written.
        sync_warp(warp);
        let is_there = lane < self.lower;
        let lit = if is_there { s.own.slot_lits.read(row + lane as usize) } else { Lit::TRUE };
        let level = if is_there { level_of(&s.own, lit) } else { Level::OPEN };
        if is_there {
            self.levels.add(level);
        }
        // All lanes must see all levels.
        sync_warp(warp);
        let stays =
            is_there && !is_implied(s, &self.marks, &self.levels, lit, |lit| self.reasons.add_minimised(lit));
        // All lanes must have read the literals and the levels before one of them writes.
        sync_warp(warp);
        self.levels.clear_by_warp(warp);
        sync_warp(warp);
        let staying = warp_ballot(warp, stays);
        let level = if stays { level } else { Level::OPEN };
        let (kept, highest) = (staying.count_ones(), Level(warp_max(warp, level.0)));
        let last = warp_ballot(warp, stays && level == highest).trailing_zeros();
        let lbd = warp_ballot(warp, stays && self.levels.add(level)).count_ones() + 1;
        let hash = warp_hash(warp, if stays { mix(lit.0 as u64) } else { 0 });
        if stays {
            let before = lanes_below(staying).count_ones();
            let index = if lane == last { kept - 1 } else { before - (lane > last) as u32 };
            s.own.slot_lits.write(row + index as usize, lit);
        }
        if lane == 0 {
            s.own.slot_lits.write(row + kept as usize, uip);
        }
        let hash = add_hashes(hash, mix(uip.0 as u64));
        write_learned(
            &s.own,
            slot,
            Learned { len: kept + 1, top: self.level, second: highest.max(Level::FIRST), lbd, hash },
        );
    }

    /// Does the same as [`Analysis::store_narrow`] for any number `lower` of literals of lower levels.
    #[cuda_std::inlined]
    fn store_wide(&self, block: &mut WholeBlock, slot: u32, lower: u32, uip: Lit) {
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
        for i in over_block(block, 0, lower) {
            self.levels.add(level_of(&s.own, s.own.slot_lits.read(row + i as usize)));
        }
        sync_block(block);
        let mut base = 0;
        while base < lower {
            let at = base + thread::thread_idx_x();
            let lit = if at < lower { s.own.slot_lits.read(row + at as usize) } else { Lit::TRUE };
            let stays = at < lower
                && !is_implied(s, &self.marks, &self.levels, lit, |lit| self.reasons.add_minimised(lit));
            // All threads must have read the literals before one of them writes.
            sync_block(block);
            let staying = warp_ballot(block.warp(), stays);
            let level = if stays { level_of(&s.own, lit) } else { Level::OPEN };
            let highest = Level(warp_max(block.warp(), level.0));
            let has_highest = warp_ballot(block.warp(), stays && level == highest);
            let hash = warp_hash(block.warp(), if stays { mix(lit.0 as u64) } else { 0 });
            let mut before = 0;
            if lane == 0 && staying != 0 {
                before = kept.count(staying.count_ones());
                low.count(hash as u32);
                high.count((hash >> 32) as u32);
                let index = before + (staying & ((1 << has_highest.trailing_zeros()) - 1)).count_ones();
                second.max((highest.0 as u64) << 32 | index as u64);
            }
            let index = from_lane(block.warp(), before, 0) + lanes_below(staying).count_ones();
            if stays {
                s.own.slot_lits.write(row + index as usize, lit);
            }
            base += thread::block_dim_x();
        }
        sync_block(block);
        self.levels.clear_by_block(block);
        sync_block(block);
        for i in over_block(block, 0, kept.now()) {
            if self.levels.add(level_of(&s.own, s.own.slot_lits.read(row + i as usize))) {
                levels.count(1);
            }
        }
        sync_block(block);
        if is_first() {
            let (lower, best) = (kept.now(), second.now());
            s.own.slot_lits.write(row + lower as usize, uip);
            if lower > 0 {
                let (i, last) = (row + best as u32 as usize, row + lower as usize - 1);
                let (lit, other) = (s.own.slot_lits.read(i), s.own.slot_lits.read(last));
                s.own.slot_lits.write(i, other);
                s.own.slot_lits.write(last, lit);
            }
            let level = if lower > 0 { Level((best >> 32) as u32) } else { Level::FIRST };
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

/// Prefetches the reasons of the trail's highest positions, one for each thread; the first warp will need
/// them soon.
///
/// Must be called by threads of the other warps.
#[cuda_std::inlined]
fn prefetch_reasons(problem: &Problem, own: &Own) {
    let (end, back) = (own.state().committed.now(), thread::thread_idx_x() - warp_width());
    if back < end - own.trail_at.read(own.level().0) {
        let reason = reason_of(own, own.trail.read(end - 1 - back));
        if reason.is_written_out() {
            prefetch_nogood(problem, own, reason);
        }
    }
}

/// Learns from violated nogood or sum `id`, and stores the result in slot `slot`.
#[cuda_std::inlined]
fn learn(block: &mut WholeBlock, s: &Search, slot: u32, id: NogoodId) {
    let violated = violated(block.warp(), s, id);
    let (marks, levels) = Marks::none(block, s, slot);
    let reasons = Reasons::none(s);
    let mut a =
        Analysis { s, level: Level::FIRST, row: marks.row, marks, levels, open: 0, lower: 0, reasons };
    sync_block(block);
    if let Some(warp) = block.first_warp() {
        let first = Analysis::literal_and_level(&s.problem, &s.own, violated, thread::thread_idx_x());
        let mut highest = first.1.max(Level::FIRST);
        for i in over_lanes(warp, warp_width(), violated.len) {
            highest = highest.max(Analysis::literal_and_level(&s.problem, &s.own, violated, i).1);
        }
        a.level = Level(warp_max(warp, highest.0));
        let mut uip = Lit::TRUE;
        if a.level > Level::FIRST {
            // All lanes use what lane 0 sees, because another block may improve the same nogood meanwhile.
            let is_improvable = from_lane(warp, may_improve(&s.own, &s.launch, id) as u32, 0) == 1;
            a.reasons.add(id);
            a.add_all(warp, id, violated, first, Lit::TRUE, is_improvable);
            uip = a.resolve_all(warp);
            if a.lower <= warp_width() {
                a.store_narrow(warp, slot, uip);
            }
        } else {
            write_learned(
                &s.own,
                slot,
                Learned { len: 0, top: Level::FIRST, second: Level::FIRST, lbd: 0, hash: 0 },
            );
        }
        if is_first() {
            counter(&s.launch, LEVEL).store(a.level.0);
            counter(&s.launch, LOWER).store(a.lower);
            counter(&s.launch, UIP).store(uip.0);
            a.reasons.tell();
        }
    } else {
        prefetch_reasons(&s.problem, &s.own);
    }
    sync_block(block);
    a.level = Level(counter(&s.launch, LEVEL).now());
    a.reasons.hear();
    let lower = counter(&s.launch, LOWER).now();
    if lower > warp_width() {
        a.store_wide(block, slot, lower, Lit(counter(&s.launch, UIP).now()));
    }
    if is_first() {
        a.reasons.close(slot);
    }
    // The table and the counters are used again for the next slot, which takes a second conflict, and to select
    // that takes barriers.
}
