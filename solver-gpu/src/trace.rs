//! Writes what a search does to a ring of words, which the host drains whenever the search returns.
//!
//! Main function: [`note`], at a fixpoint or a conflict. It writes the literals that joined the trail since
//! it was last called, each with its reason, and the violated nogoods. If the ring is full, [`note`] says so,
//! and the search returns to the host with what is left to write; the next launch goes on there. What a step
//! does besides (jumps, learned nogoods, answer sets) is written by the step itself, into room that [`note`]
//! has kept free.
//!
//! What a search writes is said by [`Launch::writes`], one of the constants of [`writes`]: everything, for a trace, or
//! what a proof consists of. The kernels of searches that write nothing are compiled for that, so that nothing of this
//! file is in them.
//!
//! Invariant: the ring has the items of [`item`] in the order in which the search did what they say, and no
//! item is dropped or written twice.

use crate::assign::reason_of;
use crate::explanation::{explanation_by_warp, length_of, Explanation};
use crate::layout::{
    writes, Level, NogoodId, Origin, TraceWords, TrailPosition, CLASS_SLOTS, MAX_CONFLICTS, MAX_CUBE,
    MAX_SHARED, NONE,
};
use crate::nogood::is_sum;
use crate::threads::barrier::sync_block;
use crate::threads::stride::{is_first, over_block, over_lanes};
use crate::threads::token::{WholeBlock, WholeWarp};
use crate::threads::warp::sync_warp;
use crate::{Launch, Lit, Own, Search};
use core::hint::cold_path;

/// The first word of each item of the ring. The comments list the words that follow.
pub mod item {
    /// Literals that joined the trail: the level, their number, then each literal with its reason.
    pub const TRAIL: u32 = 1;
    /// Why a sum forced the next literal, or is violated: the number of words, then literals. A word may be
    /// [`crate::Lit::TRUE`], which says nothing.
    pub const BECAUSE: u32 = 2;
    /// A violated nogood: its id, and the length by which learning orders conflicts.
    pub const CONFLICT: u32 = 3;
    /// A learned nogood: which of the ordered conflicts it is from, one of [`super::learner`], the two words of
    /// its origin, its number of levels, its length, then the literals.
    pub const LEARNED: u32 = 4;
    /// An unfounded set: the number of its atoms, then their variables.
    pub const UNFOUNDED: u32 = 5;
    /// A jump: one of the constants of [`crate::kernels::backjump`], the level before, the level after, 1 if
    /// the decision above it is flipped, 1 if the search restarts.
    pub const JUMP: u32 = 6;
    /// An answer set is in the assignment. No word follows.
    pub const ANSWER: u32 = 7;
    /// Learned nogoods were deleted: how many there were. Array `renamed` has the new index of each.
    pub const DELETED: u32 = 8;
    /// Everything under these decisions was reported or is refuted, and the last of them is flipped: their number, then
    /// the literals.
    pub const DECISIONS: u32 = 9;
    /// The stamp of the items up to the next stamp: its low word, then its high word.
    pub const STAMP: u32 = 10;
    /// These atoms are unfounded under these decisions: the number of decisions, the literals, the number of atoms,
    /// then their variables.
    pub const COMPLETED: u32 = 11;
    /// Nogoods of other searchers joined the store: their number, the number of words that follow, and the
    /// origins of the first of them, as far as there is room, of two words each.
    pub const IMPORTED: u32 = 12;
    /// A cube is refuted, or its answer sets were all reported: the number of its literals, then these.
    pub const REFUTED: u32 = 13;
    /// A cube was divided: the number of literals that it had, the number of literals with those that enumeration has
    /// flipped in it, these literals, and the decision that divides it.
    pub const DIVIDED: u32 = 14;
    /// A nogood of another searcher joined the store: the two words of its origin, its length, then the
    /// literals.
    pub const FOREIGN: u32 = 15;
    /// Others are offered the literals of level 1, as nogoods of one literal each: their number, then these
    /// literals.
    pub const OFFERED: u32 = 16;
    /// A searcher begins a cube: what it searches for with it (one of [`crate::layout::mode`]), the number of
    /// its literals, then these.
    pub const BEGUN: u32 = 17;
    /// The goal is stricter. No word follows.
    pub const GOAL: u32 = 18;
    /// Why the next nogood of a slot follows: the rank as in [`LEARNED`], two numbers, then as the first one says
    /// ids of nogoods and sums: the violated one, and the reasons that resolution went through, the last one on
    /// the trail first. Then as the second one says pairs of a position on the trail and the reason of the literal
    /// there, which minimisation went through.
    pub const REASONS: u32 = 19;
}

/// What learned a nogood.
pub mod learner {
    /// Forward learning.
    pub const FORWARD: u32 = 0;
    /// Resolution to the first unique implication point.
    pub const RESOLUTION: u32 = 1;
    /// The check for unfounded sets, or the host's check for smaller models.
    pub const LOOP: u32 = 2;
    /// The refutation of a cube: its core.
    pub const CORE: u32 = 3;

    /// What learns in slot `slot` of a search with these settings.
    #[cuda_std::inlined]
    pub fn of_slot(settings: &crate::Settings, slot: u32) -> u32 {
        match settings.track_deps & settings.resolves {
            1 => slot % 2,
            _ => settings.resolves,
        }
    }
}

/// Words of an item without its lists, at most, with a stamp before it.
pub(crate) const HEADER: u32 = 10;

/// The number of words of a ring: enough for the longest item and for all that a step writes by itself.
///
/// `sum_items` is the number of items of the longest sum, and `shared` what [`shared_words`] says if a
/// searcher of a swarm is traced, else 0. The number is a power of two, and at least `least`.
pub fn ring_words(vars: usize, slots: usize, sum_items: usize, shared: usize, least: usize) -> usize {
    let longest = 2 * HEADER as usize + sum_items + 2;
    (2 * (step_words(vars, slots) + reason_words(vars, slots) + shared + longest))
        .max(least)
        .next_power_of_two()
}

/// Words that a step of a searcher of a swarm writes by itself besides, at most: offered literals, nogoods of
/// others, of which there are `import_most` besides those of one literal, and what becomes of its cube.
pub fn shared_words(vars: usize, import_most: u32) -> usize {
    let imports = (CLASS_SLOTS / 2 + import_most) * (MAX_SHARED + HEADER);
    imports as usize + 4 * (vars + (MAX_CUBE + 2 * HEADER) as usize)
}

/// Words that a step writes by itself at most: a nogood for each slot, a loop nogood with its unfounded set,
/// a jump or the decisions above it, an answer set and a deletion.
fn step_words(vars: usize, slots: usize) -> usize {
    (slots + 3) * (vars + HEADER as usize) + 5 * HEADER as usize
}

/// Words of [`item::REASONS`] of all slots at most: a variable has one reason.
fn reason_words(vars: usize, slots: usize) -> usize {
    slots * (2 * vars + HEADER as usize)
}

/// Words for which [`note`] keeps room.
#[cuda_std::inlined]
fn needed(s: &Search) -> usize {
    let (vars, slots) = (s.problem.vars as usize, s.settings.slots as usize);
    let shared = match is_trace(&s.launch) && s.swarm.is_any() {
        true => shared_words(vars, s.swarm.import_most),
        false => 0,
    };
    let reasons = if is_proof(&s.launch) { reason_words(vars, slots) } else { 0 };
    step_words(vars, slots) + reasons + shared
}

/// How many words of the ring are neither taken nor kept for what a step writes.
#[cuda_std::inlined]
pub(crate) fn spare_words(s: &Search) -> u32 {
    room(s).saturating_sub(needed(s)) as u32
}

/// How many words of the ring are not taken.
#[cuda_std::inlined]
fn room(s: &Search) -> usize {
    let words = words(&s.own);
    s.own.trace_ring.len() - words.end.now().wrapping_sub(words.begin.now()) as usize
}

/// Whether the search of this launch writes to its ring.
#[cuda_std::inlined]
pub fn is_on(launch: &Launch) -> bool {
    launch.writes != writes::NOTHING
}

/// Whether the search of this launch is proved.
#[cuda_std::inlined]
pub fn is_proof(launch: &Launch) -> bool {
    launch.writes == writes::PROOF
}

/// Whether the items of a search have stamps: in the proof or the trace of a swarm.
#[cuda_std::inlined]
fn is_stamped(s: &Search) -> bool {
    is_on(&s.launch) && s.swarm.is_any()
}

/// Whether the search of this launch is traced.
#[cuda_std::inlined]
pub fn is_trace(launch: &Launch) -> bool {
    launch.writes == writes::TRACE
}

/// The words that say how far the trace is.
#[cuda_std::inlined]
pub(crate) fn words(own: &Own) -> &TraceWords {
    own.trace.get(0u32)
}

/// The end of the ring, to which all threads of a block append together. Each holds the same values.
pub struct Ring<'a> {
    /// The search.
    s: &'a Search,
    /// The number of words that were ever written.
    end: u32,
}

impl<'a> Ring<'a> {
    /// The present end. No thread may change it before all threads have opened the ring.
    #[cuda_std::inlined]
    pub fn open(s: &'a Search) -> Ring<'a> {
        Ring { s, end: if is_on(&s.launch) { words(&s.own).end.now() } else { 0 } }
    }

    /// Writes word number `at` after the end.
    #[cuda_std::inlined]
    pub(crate) fn put(&self, at: u32, word: u32) {
        let mask = self.s.own.trace_ring.len() as u32 - 1;
        self.s.own.trace_ring.write(self.end.wrapping_add(at) & mask, word);
    }

    /// Has the first thread of the block write the first words of an item.
    #[cuda_std::inlined]
    pub(crate) fn header<const N: usize>(&self, header: [u32; N]) {
        let mut at = 0;
        while at < N && is_first() {
            self.put(at as u32, header[at]);
            at += 1;
        }
    }

    /// Stamps what comes next, in a swarm. What others were told before has a smaller stamp, and what they
    /// are told afterwards has a larger one.
    #[cuda_std::inlined]
    pub(crate) fn stamp(&mut self) {
        if !is_stamped(self.s) {
            return;
        }
        if is_first() {
            let stamp = self.s.swarm.hub().stamps.fetch_add(1) + 1;
            self.put(0, item::STAMP);
            self.put(1, stamp as u32);
            self.put(2, (stamp >> 32) as u32);
        }
        self.end = self.end.wrapping_add(3);
    }

    /// Moves the end behind an item of so many words.
    #[cuda_std::inlined]
    pub(crate) fn move_on(&mut self, words: u32) {
        self.end = self.end.wrapping_add(words);
    }

    /// Appends the nogood that `learner` learned in `slot`: its origin, its number of levels and its length.
    #[cuda_std::inlined]
    pub fn learned(
        &mut self,
        block: &mut WholeBlock,
        slot: u32,
        learner: u32,
        (origin, lbd, len): (Origin, u32, u32),
    ) {
        if !is_on(&self.s.launch) {
            return;
        }
        cold_path();
        self.stamp();
        let both = self.s.settings.track_deps & self.s.settings.resolves;
        let [low, high] = origin.words();
        self.header([item::LEARNED, slot >> both, learner, low, high, lbd, len]);
        let from = slot as usize * self.s.problem.vars as usize;
        for i in over_block(block, 0, len) {
            self.put(7 + i, self.s.own.slot_lits.read(from + i as usize).0);
        }
        self.end = self.end.wrapping_add(7 + len);
    }

    /// Appends the unfounded set that `queue` has, of `members` atoms.
    #[cuda_std::inlined]
    pub fn unfounded(&mut self, block: &mut WholeBlock, members: u32) {
        if !is_on(&self.s.launch) {
            return;
        }
        cold_path();
        self.header([item::UNFOUNDED, members]);
        for i in over_block(block, 0, members) {
            self.put(2 + i, self.s.own.queue.read(i));
        }
        self.end = self.end.wrapping_add(2 + members);
    }

    /// Makes what was appended part of the ring. Called by one thread, after a barrier that all threads have
    /// passed since they opened the ring.
    #[cuda_std::inlined]
    pub fn close(&self) {
        if is_on(&self.s.launch) {
            words(&self.s.own).end.store(self.end);
        }
    }
}

/// Appends an item of known length. Called by the first thread of a block.
#[cuda_std::inlined]
pub(crate) fn append<const N: usize>(s: &Search, words: [u32; N]) {
    let mut ring = Ring::open(s);
    ring.stamp();
    ring.header(words);
    ring.end = ring.end.wrapping_add(N as u32);
    ring.close();
}

/// Notes a jump from level `from` to `to`, after which the trail has `keep` literals. Called by the first
/// thread of a block.
#[cuda_std::inlined]
pub fn note_jump(
    s: &Search,
    how: u32,
    (from, to): (Level, Level),
    flips: bool,
    restarts: bool,
    keep: TrailPosition,
) {
    if !is_on(&s.launch) {
        return;
    }
    cold_path();
    if !is_trace(&s.launch) {
        // The level above `to` is still on the trail.
        return if flips {
            note_decisions(s, to.above())
        };
    }
    let words = words(&s.own);
    // A flipped decision follows, which is a new literal.
    words.noted.store(words.noted.now().min(keep.0));
    words.conflicts.store(0);
    append(s, [item::JUMP, how, from.0, to.0, flips as u32, restarts as u32]);
}

/// Notes the decisions of the levels up to `last`. Called by the first thread of a block.
#[cuda_std::inlined]
fn note_decisions(s: &Search, last: Level) {
    let mut ring = Ring::open(s);
    ring.stamp();
    // Level 1 has no decision.
    let n = last.0 - 1;
    ring.header([item::DECISIONS, n]);
    let mut i = 0;
    while i < n {
        ring.put(2 + i, s.own.decision_of(Level(2 + i)).0);
        i += 1;
    }
    ring.end = ring.end.wrapping_add(2 + n);
    ring.close();
}

/// Notes that the assignment is an answer set. Called by the first thread of the block.
#[cuda_std::inlined]
pub fn note_answer(s: &Search) {
    if is_trace(&s.launch) || is_stamped(s) {
        append(s, [item::ANSWER]);
    }
}

/// Notes that the learned nogoods, of which there were `learned`, were renumbered. The search has to return
/// before they are renumbered again, and [`note`] makes it return. Called by the first thread of the block.
#[cuda_std::inlined]
pub fn note_deleted(s: &Search, learned: u32) {
    if is_on(&s.launch) {
        append(s, [item::DELETED, learned]);
        words(&s.own).renamed.store(1);
    }
}

/// Brings the trace up to date at a fixpoint or a conflict, where all literals of the trail are committed.
///
/// Returns whether everything is written and there is room for what the next step writes. Otherwise the
/// search has to return, so that the host drains the ring, and [`note`] has to be called again. There is
/// one block. A barrier has to come before; the function ends with a barrier.
#[cuda_std::inlined]
pub fn note(block: &mut WholeBlock, s: &Search) -> bool {
    cold_path();
    if let Some(warp) = block.first_warp() {
        note_by_warp(warp, s);
    }
    sync_block(block);
    words(&s.own).behind.now() == 0
}

/// Brings the trace up to date, by the first warp.
#[cuda_std::inlined]
fn note_by_warp(warp: &mut WholeWarp, s: &Search) {
    if !is_trace(&s.launch) {
        if is_first() {
            note_room(s);
        }
        return;
    }
    let (words, state) = (words(&s.own), s.own.state());
    let (committed, level) = (s.own.committed(), state.level.now());
    let (mut noted, mut conflicts) = (TrailPosition(words.noted.now()), words.conflicts.now());
    let begin = words.begin.now();
    let capacity = s.own.trace_ring.len() as u32;
    let mut ring = Ring::open(s);
    let room = |ring: &Ring| capacity - ring.end.wrapping_sub(begin);
    // Reasons are named by ids, which the host does not know yet, and it reads the goal as that is now.
    let mut is_behind = words.renamed.now() == 1 || words.tightened.now() == 1;
    // What is propagated after the end of the search leads to nothing.
    let is_over = state.exhausted.now() == 1;
    if is_stamped(s) && !is_behind && !is_over {
        is_behind = room(&ring) < HEADER;
        if !is_behind {
            ring.stamp();
        }
    }
    while noted < committed && !is_behind && !is_over {
        let lit = s.own.literal_at(noted);
        let reason = reason_of(&s.own, lit);
        let fits = if is_sum(&s.problem, reason) && is_nogood(reason) {
            let before = s.own.round_start_of(noted);
            let why = explanation_by_warp(warp, &s.problem, &s.own, reason, before, lit);
            let fits = room(&ring) >= why.len + 2 * HEADER;
            if fits {
                because(warp, s, &mut ring, why);
                ring.header([item::TRAIL, level, 1, lit.0, reason.0]);
                ring.end = ring.end.wrapping_add(5);
                noted += 1;
            }
            fits
        } else {
            // The literals up to the next one that a sum forces. Most programs have no sums.
            let most = (room(&ring).saturating_sub(HEADER) / 2).min(committed - noted);
            let mut n = most.min(1);
            while n < most && !is_forced_by_sum(s, noted + n) {
                n += if s.problem.sums > 0 { 1 } else { most - n };
            }
            if n > 0 {
                ring.header([item::TRAIL, level, n]);
                for i in over_lanes(warp, 0, n) {
                    let lit = s.own.literal_at(noted + i);
                    ring.put(3 + 2 * i, lit.0);
                    ring.put(4 + 2 * i, reason_of(&s.own, lit).0);
                }
                ring.end = ring.end.wrapping_add(3 + 2 * n);
                noted += n;
            }
            n > 0
        };
        is_behind = !fits;
    }
    let reported = state.conflicts.now().min(MAX_CONFLICTS);
    while conflicts < reported && !is_behind && !is_over {
        let id = NogoodId(s.own.conflict.read(conflicts));
        let why = explanation_by_warp(warp, &s.problem, &s.own, id, committed, Lit::TRUE);
        let len = if is_sum(&s.problem, id) { why.len } else { 0 };
        is_behind = room(&ring) < len + 2 * HEADER;
        if !is_behind {
            if len > 0 {
                because(warp, s, &mut ring, why);
            }
            ring.header([item::CONFLICT, id.0, length_of(&s.problem, &s.own, id)]);
            ring.end = ring.end.wrapping_add(3);
            conflicts += 1;
        }
    }
    let needed = needed(s);
    // All lanes have read the words.
    sync_warp(warp);
    if is_first() {
        words.noted.store(noted.0);
        words.conflicts.store(conflicts);
        words.behind.store((is_behind || (room(&ring) as usize) < needed) as u32);
        ring.close();
    }
}

/// Notes that nothing can be decided, so that the open atoms become false next. Called by one thread.
#[cuda_std::inlined]
pub fn note_no_candidate(s: &Search) {
    if is_proof(&s.launch) {
        words(&s.own).noted.store(s.own.trail_end().0);
    }
}

/// Notes the atoms from position `from` of the trail on that became false because nothing could be decided. Called by
/// one thread.
#[cuda_std::inlined]
fn note_completed(s: &Search, from: TrailPosition) {
    let mut ring = Ring::open(s);
    ring.stamp();
    let decisions = s.own.level().0 - 1;
    ring.header([item::COMPLETED, decisions]);
    let mut at = 2;
    while at < 2 + decisions {
        ring.put(at, s.own.decision_of(Level(at)).0);
        at += 1;
    }
    let (number_at, mut position, committed) = (at, from, s.own.committed());
    while position < committed {
        let lit = s.own.literal_at(position);
        if reason_of(&s.own, lit) == NogoodId::ALL_DECISIONS {
            at += 1;
            ring.put(at, lit.var().0);
        }
        position += 1;
    }
    if at > number_at {
        ring.put(number_at, at - number_at);
        ring.end = ring.end.wrapping_add(at + 1);
        ring.close();
    }
}

/// Notes what was completed, and says whether a proof's ring has room for what the next step writes. Called by one
/// thread.
#[cuda_std::inlined]
fn note_room(s: &Search) {
    let words = words(&s.own);
    if s.own.state().no_candidate.now() == 1 && words.noted.now() != NONE {
        note_completed(s, TrailPosition(words.noted.now()));
        words.noted.store(NONE);
    }
    words.behind.store((words.renamed.now() == 1 || room(s) < needed(s)) as u32);
}

/// Whether `reason` is the id of a nogood or a sum, and not one of the reasons that are no nogoods.
#[cuda_std::inlined]
fn is_nogood(reason: NogoodId) -> bool {
    reason != NogoodId::DECISION && reason != NogoodId::ALL_DECISIONS
}

/// Whether a sum forced the literal at a position of the trail.
#[cuda_std::inlined]
fn is_forced_by_sum(s: &Search, at: TrailPosition) -> bool {
    let reason = reason_of(&s.own, s.own.literal_at(at));
    is_sum(&s.problem, reason) && is_nogood(reason)
}

/// Appends the literals of an explanation.
#[cuda_std::inlined]
fn because(warp: &mut WholeWarp, s: &Search, ring: &mut Ring, why: Explanation) {
    ring.header([item::BECAUSE, why.len]);
    for i in over_lanes(warp, 0, why.len) {
        ring.put(2 + i, why.lit(&s.problem, &s.own, i).0);
    }
    ring.end = ring.end.wrapping_add(2 + why.len);
}
