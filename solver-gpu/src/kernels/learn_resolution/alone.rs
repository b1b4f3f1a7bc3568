//! First-UIP learning by one thread, which has nothing to share out and no lanes to fill.
//!
//! Main function: [`learn`]. It goes down the trail literal by literal, and goes through the literals of each
//! nogood as they lie in the store. Of a sum it looks at no more items than the explanation needs.
//!
//! Invariant: what is learned, and what is noted of nogoods and variables, is what a warp would learn and note.

use crate::activity::{bump, improved, may_improve, took_part};
use crate::assign::{level_of, reason_of};
use crate::conflict::write_learned;
use crate::explanation::first_literal;
use crate::hash::{add_hashes, mix};
use crate::layout::{Learned, Level, NogoodId, TrailPosition};
use crate::levels::Levels;
use crate::marks::Marks;
use crate::minimise::is_implied;
use crate::nogood::nogood_of;
use crate::reasons::Reasons;
use crate::threads::token::WholeBlock;
use crate::{Lit, Search};

/// What an analysis has found so far.
struct Analysis<'a> {
    s: &'a Search,
    /// The level of the conflict.
    level: Level,
    /// The variables in the analysis.
    marks: Marks<'a>,
    /// The levels of the nogood that is being added; empty between two nogoods.
    levels: Levels<'a>,
    /// Where the slot's literals begin.
    row: usize,
    /// The number of literals of the level of the conflict that are yet to be resolved.
    open: u32,
    /// The number of literals of lower levels.
    lower: u32,
}

/// Learns from violated nogood or sum `id`, and stores the result in slot `slot`.
///
/// In the build for one thread this is a function of its own, so that the compiler keeps in registers what
/// these loops need, and not what the rest of the search does.
#[cfg_attr(feature = "alone", inline(never))]
#[cfg_attr(not(feature = "alone"), inline(always))]
pub(super) fn learn(block: &mut WholeBlock, s: &Search, slot: u32, id: NogoodId) {
    let (marks, levels) = Marks::none(block, s, slot);
    let mut a = Analysis { s, level: Level::FIRST, row: marks.row, marks, levels, open: 0, lower: 0 };
    let mut highest = Level::FIRST;
    let before = s.own.committed();
    first_literal(&s.problem, &s.own, id, before, Lit::TRUE, |lit| {
        highest = highest.max(level_of(&s.own, lit));
        false
    });
    a.level = highest;
    if highest == Level::FIRST {
        let nothing = Learned { len: 0, top: Level::FIRST, second: Level::FIRST, lbd: 0, hash: 0 };
        return write_learned(&s.own, slot, nothing);
    }
    let mut reasons = Reasons::none(s);
    reasons.add(id);
    a.explain(block, id, before, Lit::TRUE);
    let uip = a.descend(block, &mut reasons);
    a.store(block, slot, uip, &reasons);
    reasons.close(slot);
}

impl Analysis<'_> {
    /// Adds literal `lit` of level `level` to the analysis, unless its variable is marked or is of level 1.
    #[cuda_std::inlined]
    fn add_one(&mut self, lit: Lit, level: Level) {
        if level <= Level::FIRST || !self.marks.add(true, lit.var()) {
            return;
        }
        bump(&self.s.settings, &self.s.own, lit.var());
        if level == self.level {
            self.open += 1;
        } else {
            self.s.own.slot_lits.write(self.row + self.lower as usize, lit);
            self.lower += 1;
        }
    }

    /// Adds the literals for which nogood or sum `id` proposed `of`, or for which it is violated if `of` is
    /// [`Lit::TRUE`]. Of a sum, only literals before position `before` of the trail count.
    ///
    /// If the nogood's LBD may have fallen, the function also counts the levels.
    #[cuda_std::inlined]
    fn explain(&mut self, block: &mut WholeBlock, id: NogoodId, before: TrailPosition, of: Lit) {
        let s = self.s;
        let (problem, own) = (&s.problem, &s.own);
        if !may_improve(own, &s.launch, id) {
            first_literal(problem, own, id, before, of, |lit| {
                if lit.var() != of.var() {
                    self.add_one(lit, level_of(own, lit));
                }
                false
            });
            return;
        }
        let nogood = nogood_of(problem, own, id);
        let mut levels = 0;
        for i in 0..nogood.len {
            let lit = nogood.lit(i);
            let level = level_of(own, lit);
            levels += (level > Level::FIRST && self.levels.add(level)) as u32;
            if lit.var() != of.var() {
                self.add_one(lit, level);
            }
        }
        self.levels.forget(block.warp(), nogood.into());
        improved(own, id, levels);
    }

    /// Goes down the trail to the unique implication point and returns it.
    #[cuda_std::inlined]
    fn descend(&mut self, block: &mut WholeBlock, reasons: &mut Reasons) -> Lit {
        let s = self.s;
        let mut at = s.own.committed();
        loop {
            at = TrailPosition(at.0 - 1);
            let lit = s.own.literal_at(at);
            if !self.marks.has(lit.var()) {
                continue;
            }
            if self.open == 1 {
                return lit;
            }
            self.open -= 1;
            let reason = reason_of(&s.own, lit);
            reasons.add(reason);
            if reason == NogoodId::ALL_DECISIONS {
                for level in 2..=self.level.0 {
                    self.add_one(s.own.decision_of(Level(level)), Level(level));
                }
                continue;
            }
            self.explain(block, reason, s.own.round_start_of(at), lit);
            took_part(&s.own, reason);
        }
    }

    /// Drops implied literals of lower levels, puts a literal of the second-highest level second to last and
    /// `uip` last, and fills in the element `slot` of `slot`.
    #[cuda_std::inlined]
    fn store(&self, block: &mut WholeBlock, slot: u32, uip: Lit, reasons: &Reasons) {
        let (own, row) = (&self.s.own, self.row);
        for i in 0..self.lower {
            self.levels.add(level_of(own, own.slot_lits.read(row + i as usize)));
        }
        let (mut kept, mut hash) = (0, mix(uip.0 as u64));
        // The highest level of a kept literal, and where the last one of that level is.
        let (mut second, mut place) = (Level::FIRST, 0);
        for i in 0..self.lower {
            let lit = own.slot_lits.read(row + i as usize);
            if is_implied(self.s, &self.marks, &self.levels, lit, |lit| reasons.add_minimised(lit)) {
                continue;
            }
            let level = level_of(own, lit);
            if level >= second {
                (second, place) = (level, kept);
            }
            hash = add_hashes(hash, mix(lit.0 as u64));
            own.slot_lits.write(row + kept as usize, lit);
            kept += 1;
        }
        self.levels.clear_by_block(block);
        let mut lbd = 1;
        for i in 0..kept {
            lbd += self.levels.add(level_of(own, own.slot_lits.read(row + i as usize))) as u32;
        }
        if kept > 0 {
            let last = row + kept as usize - 1;
            let lit = own.slot_lits.read(row + place as usize);
            own.slot_lits.write(row + place as usize, own.slot_lits.read(last));
            own.slot_lits.write(last, lit);
        }
        own.slot_lits.write(row + kept as usize, uip);
        write_learned(own, slot, Learned { len: kept + 1, top: self.level, second, lbd, hash });
    }
}
