//! Why a nogood or a sum said what it said: the literals that learning goes on with.

use crate::layout::{FIRST_SUM, NONE};
use crate::nogood::{is_sum, nogood_of, Nogood};
use crate::sums::{held_before, needed, needed_by_warp};
use crate::{Lit, Search};

/// Why nogood or sum `id` proposed `of`; or if that is [`Lit::TRUE`], why it is violated. Of a nogood that is all its literals. Of a
/// sum that is what it needs of the literals on the trail before position `before`.
#[inline(always)]
pub fn explanation_of(s: &Search, id: u32, before: u32, of: Lit) -> Explanation {
    if !is_sum(s, id) {
        return nogood_of(s, id).into();
    }
    of_sum(s, id - FIRST_SUM, needed(s, id - FIRST_SUM, before, of), before)
}

/// The same as [`explanation_of`], called by all lanes of a warp.
#[inline(always)]
pub fn explanation_by_warp(s: &Search, id: u32, before: u32, of: Lit) -> Explanation {
    if !is_sum(s, id) {
        return nogood_of(s, id).into();
    }
    of_sum(s, id - FIRST_SUM, needed_by_warp(s, id - FIRST_SUM, before, of), before)
}

#[inline(always)]
fn of_sum(s: &Search, sum: u32, items: u32, before: u32) -> Explanation {
    let nogood = Nogood::new(s.problem.sum_lit, s.problem.sum_start.read(sum), items);
    Explanation { nogood, len: items + 1, before, condition: s.problem.sum_condition.read(sum) }
}

/// How many literals nogood `id` has. A sum counts all its items and its condition.
#[inline(always)]
pub fn length_of(s: &Search, id: u32) -> u32 {
    if !is_sum(s, id) {
        return nogood_of(s, id).len;
    }
    let sum = id - FIRST_SUM;
    s.problem.sum_start.read(sum + 1) - s.problem.sum_start.read(sum) + 1
}

/// The literals for which a nogood was unit or violated. Of a sum nogood these are its condition and of its first items, which are
/// enough, those that held before.
#[derive(Clone, Copy)]
pub struct Explanation {
    nogood: Nogood,
    /// Places to look at; not all need have a literal.
    pub len: u32,
    before: u32,
    condition: Lit,
}

impl From<Nogood> for Explanation {
    #[inline(always)]
    fn from(nogood: Nogood) -> Self {
        Explanation { nogood, len: nogood.len, before: NONE, condition: Lit::TRUE }
    }
}

impl Explanation {
    /// The literal at place `i`; [`Lit::TRUE`] if there is none. (Not an `Option`, see [`crate::assign::Found`].)
    #[inline(always)]
    pub fn lit(self, s: &Search, i: u32) -> Lit {
        if self.before != NONE {
            let item = self.nogood.first() + i;
            if i == self.nogood.len {
                return self.condition;
            }
            if !held_before(s, item, self.before) || s.own.sum_weight.read(item) == 0 {
                return Lit::TRUE;
            }
        }
        self.nogood.lit(i)
    }
}
