//! Why a nogood or a sum said what it said: the literals that learning goes on with.

use crate::layout::{FIRST_SUM, NONE};
use crate::nogood::{is_sum, nogood_of, Nogood};
use crate::sums::{held_before, needed, needed_by_warp};
use crate::Lit;
use crate::{Own, Problem};

/// Why nogood or sum `id` proposed `of`; or if that is [`Lit::TRUE`], why it is violated. Of a nogood that is all its literals. Of a
/// sum that is what it needs of the literals on the trail before position `before`.
#[inline(always)]
pub fn explanation_of(problem: &Problem, own: &Own, id: u32, before: u32, of: Lit) -> Explanation {
    if !is_sum(problem, id) {
        return nogood_of(problem, own, id).into();
    }
    of_sum(problem, id - FIRST_SUM, needed(problem, own, id - FIRST_SUM, before, of), before)
}

/// The same as [`explanation_of`], called by all lanes of a warp.
#[inline(always)]
pub fn explanation_by_warp(problem: &Problem, own: &Own, id: u32, before: u32, of: Lit) -> Explanation {
    if !is_sum(problem, id) {
        return nogood_of(problem, own, id).into();
    }
    of_sum(problem, id - FIRST_SUM, needed_by_warp(problem, own, id - FIRST_SUM, before, of), before)
}

#[inline(always)]
fn of_sum(problem: &Problem, sum: u32, items: u32, before: u32) -> Explanation {
    let nogood = Nogood::new(problem.sum_lit, problem.sum_start.read(sum), items);
    Explanation { nogood, len: items + 1, before, condition: problem.sum_condition.read(sum) }
}

/// How many literals nogood `id` has. A sum counts all its items and its condition.
#[inline(always)]
pub fn length_of(problem: &Problem, own: &Own, id: u32) -> u32 {
    if !is_sum(problem, id) {
        return nogood_of(problem, own, id).len;
    }
    let sum = id - FIRST_SUM;
    problem.sum_start.read(sum + 1) - problem.sum_start.read(sum) + 1
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
    /// The literal at place `i`; [`Lit::TRUE`] if there is none. (Not an `Option`, see [`crate::not_held::Found`].)
    #[inline(always)]
    pub fn lit(self, problem: &Problem, own: &Own, i: u32) -> Lit {
        if self.before != NONE {
            let item = self.nogood.first() + i;
            if i == self.nogood.len {
                return self.condition;
            }
            if !held_before(problem, own, item, self.before) || own.sum_weight.read(item) == 0 {
                return Lit::TRUE;
            }
        }
        self.nogood.lit(i)
    }
}
