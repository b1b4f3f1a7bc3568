//! Appending nogoods to the store.
//!
//! Main types and functions: [`Store`], by which the threads of a block append one nogood after the other,
//! and [`append_each`], by which each thread appends one of its own.
//!
//! Invariant: every appended nogood passes through `enter`. It is in the lists of its two watched literals,
//! or `unlisted` is set.

use crate::layout::{count_up, flag, NogoodId, Origin};
use crate::lit::pack;
use crate::threads::barrier::sync_block;
use crate::threads::block::block_scan;
use crate::threads::stride::{is_first, is_single, over_block};
use crate::threads::token::WholeBlock;
use crate::trace::Ring;
use crate::watches::each_watch;
use crate::{watches, Lit, Own, Search};

/// A nogood that is new in the store, without its literals.
#[derive(Clone, Copy)]
pub struct New {
    /// The number of literals, at least 1.
    pub len: u32,
    /// The LBD.
    pub lbd: u32,
    /// How often the nogood has taken part in learning.
    pub activity: u32,
    /// The sum of constants of [`flag`].
    pub flags: u32,
    /// The literals to watch. A nogood of one literal has the same literal twice.
    pub watch: (Lit, Lit),
    /// Where the nogood comes from.
    pub origin: Origin,
}

/// Makes `new` the learned nogood with index `i`, whose literals begin at index `start` of `learned_lit`, and
/// enters the nogood in the lists of its watched literals. Called by one thread.
///
/// The index at which the search for another literal begins ([`Record::from`](crate::layout::Record::from))
/// stays that of the nogood that had the record before.
#[cuda_std::inlined]
fn enter(own: &Own, i: u32, start: u32, new: New) {
    let record = own.learned_record.get(i);
    record.watch.write(pack(new.watch.0, new.watch.1));
    record.start.write(start);
    record.len.write(new.len);
    record.lbd.write(new.lbd);
    record.activity.write(new.activity);
    record.flags.write(new.flags);
    if is_single() {
        record.from.write(new.watch.0 .0);
    }
    own.learned_origin.write(i, new.origin);
    each_watch(own, i, |lit, other| watches::append(own, lit, i, other));
}

/// The end of the store, to which the threads of a block append together. All threads of the block hold the
/// same values.
pub struct Store<'a> {
    /// The search.
    s: &'a Search,
    /// The end of the trace.
    ring: Ring<'a>,
    /// The number of learned nogoods, appended nogoods included.
    learned: u32,
    /// The number of literals of learned nogoods, appended literals included.
    lits: u32,
    /// The number of late nogoods, appended ones included.
    late: u32,
    /// The numbers of learned nogoods and of their literals when the store was opened.
    old: (u32, u32),
    /// The serial number of the first appended nogood.
    serial: u64,
}

impl<'a> Store<'a> {
    /// Returns the present end of the store of `s`. No other thread may change the store before
    /// [`Store::close`].
    #[cuda_std::inlined]
    pub fn open(s: &'a Search) -> Self {
        let state = s.own.state();
        let (learned, lits) = (state.learned.now(), state.learned_lits.now());
        let (late, serial) = (state.late.now(), state.serials.now());
        Store { s, ring: Ring::open(s), learned, lits, late, old: (learned, lits), serial }
    }

    /// Appends the nogood of slot `slot`, which has `len` literals of `lbd` levels, and returns its id.
    /// `learner` is one of the constants of [`crate::trace::learner`].
    ///
    /// The last two literals are watched.
    #[cuda_std::inlined]
    pub fn append(
        &mut self,
        block: &mut WholeBlock,
        slot: u32,
        len: u32,
        lbd: u32,
        learner: u32,
    ) -> NogoodId {
        let s = self.s;
        let from = slot as usize * s.problem.vars as usize;
        for i in over_block(block, 0, len) {
            let lit: Lit = s.own.slot_lits.read(from + i as usize);
            s.own.learned_lit.write(self.lits + i, lit);
            // One less is 2^32 - 1 more.
            s.own.sign_score.atomic(lit.var().0).add(if lit.is_false_sign() { u32::MAX } else { 1 });
        }
        let origin = Origin::new(s.swarm.me(), self.serial + (self.learned - self.old.0) as u64);
        if is_first() {
            let lit = |i: u32| -> Lit { s.own.slot_lits.read(from + i as usize) };
            let watch = (lit(len.saturating_sub(2)), lit(len - 1));
            enter(&s.own, self.learned, self.lits, New { len, lbd, activity: 1, flags: 0, watch, origin });
        }
        self.ring.learned(block, slot, learner, (origin, lbd, len));
        self.lits += len;
        self.learned += 1;
        NogoodId::of_learned(self.learned - 1)
    }

    /// Notes that nogood `id` may be unit although no watched literal is newly assigned, if `is_late`.
    #[cuda_std::inlined]
    pub fn late(&mut self, _: &mut WholeBlock, id: NogoodId, is_late: bool) {
        if is_late {
            if is_first() {
                self.s.own.late.write(self.late, id.learned_index());
            }
            self.late += 1;
        }
    }

    /// Makes the appended nogoods part of the store. Must be called by one thread, after a barrier.
    #[cuda_std::inlined]
    pub fn close(&self) {
        let state = self.s.own.state();
        let appended = (self.learned - self.old.0) as u64;
        state.learned.store(self.learned);
        state.learned_lits.store(self.lits);
        state.late.store(self.late);
        state.serials.store(self.serial + appended);
        count_up(&state.counts.learned, appended);
        count_up(&state.counts.learned_literals, (self.lits - self.old.1) as u64);
        self.ring.close();
    }
}

/// A nogood of another searcher that a thread has found: its literals lie in `spare_lit`.
#[derive(Clone, Copy)]
pub struct Foreign {
    /// The index in `spare_lit` of the first literal.
    pub at: u32,
    /// The number of literals, at least 1.
    pub len: u32,
    /// The literals to watch. A nogood of one literal has the same literal twice.
    pub watch: (Lit, Lit),
    /// Whether the nogood may be unit at a lower level than the present one.
    pub is_late: bool,
    /// Where the nogood comes from.
    pub origin: Origin,
}

/// What the nogoods of several threads are together.
#[derive(Clone, Copy)]
struct Sums {
    nogoods: u32,
    lits: u32,
    late: u32,
}

impl Sums {
    /// One word for the nogood that a thread has found, so that one scan adds all three numbers up. A block has at most
    /// 1024 threads, and a shared nogood at most [`MAX_SHARED`](crate::layout::MAX_SHARED) literals.
    #[cuda_std::inlined]
    fn word(found: Option<Foreign>) -> u64 {
        found.map_or(0, |found| (found.is_late as u64) << 48 | 1 << 32 | found.len as u64)
    }

    /// The numbers of such a word, or of a sum of such words.
    #[cuda_std::inlined]
    fn of(word: u64) -> Sums {
        Sums { nogoods: (word >> 32) as u32 & 0xffff, lits: word as u32, late: (word >> 48) as u32 }
    }
}

/// Appends the nogood that each thread has found, if it has found one. Returns how many nogoods were
/// appended, or `None` if there is no room for all of them: then none was appended, and room for the next
/// conflict is left. A traced search has no such nogoods.
///
/// The function begins and ends with a barrier, and lists of watches may have to be settled afterwards.
#[cuda_std::inlined]
pub fn append_each(block: &mut WholeBlock, s: &Search, found: Option<Foreign>) -> Option<u32> {
    let state = s.own.state();
    let (learned, lits, late) = (state.learned.now(), state.learned_lits.now(), state.late.now());
    let (before, total) = block_scan(block, Sums::word(found));
    let (before, total, slots) = (Sums::of(before), Sums::of(total), s.settings.slots);
    let has_room = (learned + total.nogoods + 2 * slots) as usize <= s.own.learned_record.len()
        && (lits + total.lits) as usize + (2 * slots * s.problem.vars) as usize <= s.own.learned_lit.len();
    if !has_room {
        return None;
    }
    if let Some(Foreign { at, len, watch, is_late, origin }) = found {
        let (i, to) = (learned + before.nogoods, lits + before.lits);
        for j in 0..len {
            s.own.learned_lit.write(to + j, s.own.spare_lit.read(at + j));
        }
        // The levels that the giver saw say little about this search.
        enter(&s.own, i, to, New { len, lbd: len, activity: 0, flags: flag::FOREIGN, watch, origin });
        if is_late {
            s.own.late.write(late + before.late, i);
        }
    }
    sync_block(block);
    if is_first() {
        state.learned.store(learned + total.nogoods);
        state.learned_lits.store(lits + total.lits);
        state.late.store(late + total.late);
    }
    sync_block(block);
    Some(total.nogoods)
}
