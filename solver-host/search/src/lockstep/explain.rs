//! Nogoods and sums of a snapshot: what they consist of, what they weigh, and what explains an assignment.

use super::cover;
use super::snapshot::{Snapshot, Sum};
use solver_gpu::layout::{FIRST_LEARNED, FIRST_SUM};
use solver_gpu::Lit;
use std::borrow::Cow;
use std::collections::BTreeMap;

impl Snapshot {
    /// Counts the signs in a nogood that is learned.
    pub fn score_signs(&mut self, learned: &[Lit]) {
        for lit in learned {
            let score = &mut self.sign_score[lit.var().0 as usize];
            *score = if lit.is_false_sign() { score.wrapping_sub(1) } else { score.wrapping_add(1) };
        }
    }

    /// The literals of nogood `id`; of a sum, those that hold now.
    pub fn nogood(&self, id: u32) -> Cow<'_, [Lit]> {
        self.nogood_before(id, self.words.committed)
    }

    /// The literals of nogood `id`; of a sum, the condition and what held at place `before` of the trail.
    pub fn nogood_before(&self, id: u32, before: u32) -> Cow<'_, [Lit]> {
        if id >= FIRST_SUM {
            let sum = &self.sums[(id - FIRST_SUM) as usize];
            let condition = Some(sum.condition).filter(|&lit| lit != Lit::TRUE);
            return self.held_before(sum, before).map(|&(lit, ..)| lit).chain(condition).collect();
        }
        Cow::Borrowed(match id.checked_sub(FIRST_LEARNED) {
            None => &self.input[id as usize],
            Some(i) => &self.learned[i as usize],
        })
    }

    /// The items of a sum that held at place `before` of the trail.
    fn held_before<'a>(
        &'a self,
        sum: &'a Sum,
        before: u32,
    ) -> impl DoubleEndedIterator<Item = &'a (Lit, i64, u32)> {
        sum.items.iter().filter(move |&&(lit, weight, _)| {
            weight > 0 && self.holds(lit) && self.position[lit.var().0 as usize] < before
        })
    }

    /// What of that is enough for `of`, or for a conflict if that is [`Lit::TRUE`]: of a sum items from the
    /// end are left out, while the first counter that is exceeded stays so.
    pub fn explanation(&self, id: u32, before: u32, of: Lit) -> Cow<'_, [Lit]> {
        if id < FIRST_SUM {
            return self.nogood_before(id, before);
        }
        let sum = &self.sums[(id - FIRST_SUM) as usize];
        let own = sum.items.iter().filter(|&&(lit, ..)| lit == !of);
        let mut weights: BTreeMap<u32, i64> = sum.counters.clone().map(|c| (c, 0)).collect();
        for &(_, weight, counter) in self.held_before(sum, before).chain(own) {
            *weights.get_mut(&counter).expect("a counter of the sum") += weight;
        }
        let exceeded = sum.counters.clone().find(|c| weights[c] != self.most[*c as usize]);
        let exceeded = exceeded.expect("a counter that is not at its limit");
        let mut left = weights[&exceeded] - self.most[exceeded as usize] - 1;
        assert!(left >= 0, "sum {id} says nothing of {of:?}");
        let mut lits: Vec<Lit> = Some(sum.condition).filter(|&lit| lit != Lit::TRUE).into_iter().collect();
        let mut is_enough = true;
        for &(lit, weight, counter) in self.held_before(sum, before).filter(|item| item.0 != !of).rev() {
            // Counters behind the one that is exceeded do not matter.
            let weight = if counter > exceeded { 0 } else { weight };
            is_enough = is_enough && counter >= exceeded && weight <= left;
            if is_enough {
                left -= weight;
                cover("an item that is not needed");
            } else {
                lits.push(lit);
            }
        }
        if sum.items.len() > 8
            && of != Lit::TRUE
            && lits.iter().filter(|&&lit| lit != sum.condition).count() == 1
        {
            cover("one item of a long sum is enough");
        }
        lits.into()
    }

    /// What the counters must have: the weights of the items that hold.
    pub fn counted(&self) -> Vec<i64> {
        let mut held = vec![0; self.held.len()];
        for (lit, weight, counter) in self.sums.iter().flat_map(|sum| sum.items.iter().copied()) {
            held[counter as usize] += if self.holds(lit) { weight } else { 0 };
        }
        held
    }

    /// Whether a sum's counters are above what they may be, once `weight` is added to `counter`: as digits,
    /// highest first.
    pub fn is_exceeded(&self, sum: &Sum, counter: u32, weight: i64) -> bool {
        let value = |c: u32| self.held[c as usize] + if c == counter { weight } else { 0 };
        let held: Vec<i64> = sum.counters.clone().map(value).collect();
        let most: Vec<i64> = sum.counters.clone().map(|c| self.most[c as usize]).collect();
        held > most
    }
}
