//! Nogoods in their stores: ids, literals, and loading several literals at once.
//!
//! There are two stores: `nogood_lits` for input nogoods and `learned_lit` for learned nogoods. Propagation
//! and learning get a [`Nogood`] from [`nogood_of`] or [`learned_nogood`].
//!
//! Invariant: a group is four literals at an index of the store that is a multiple of four, so one load reads
//! a group.

use crate::layout::{NogoodId, FIRST_LEARNED, FIRST_SUM};
use crate::threads::token::WholeWarp;
use crate::threads::warp::from_lane;
use crate::Lit;
use crate::{Own, Problem};
use core::array::from_fn;
use cuda_std::array::Array;

/// Whether `id` is the id of a sum nogood. In a search compiled for programs without sums the answer is a
/// constant.
#[cuda_std::inlined]
pub fn is_sum(problem: &Problem, id: NogoodId) -> bool {
    problem.sums > 0 && id.0 >= FIRST_SUM
}

/// Returns nogood `id`, which must be an input nogood or a learned nogood.
#[cuda_std::inlined]
pub fn nogood_of(problem: &Problem, own: &Own, id: NogoodId) -> Nogood {
    if id.0 >= FIRST_LEARNED {
        return learned_nogood(own, id.learned_index());
    }
    let from = problem.nogood_start.read(id.0);
    nogood_at(problem, own, id, (from, problem.nogood_start.read(id.0 + 1) - from))
}

/// Returns the learned nogood with index `i`, counted from 0.
#[cuda_std::inlined]
pub fn learned_nogood(own: &Own, i: u32) -> Nogood {
    let record = own.learned_record.get(i);
    nogood_in_learned(own, (record.start.now(), record.len.now()))
}

/// Returns nogood `id` without reading memory. The nogood has `len` literals, which begin at index `from` of
/// their store.
#[cuda_std::inlined]
pub fn nogood_at(problem: &Problem, own: &Own, id: NogoodId, (from, len): (u32, u32)) -> Nogood {
    Nogood { lits: if id.0 < FIRST_LEARNED { problem.nogood_lits } else { own.learned_lit }, from, len }
}

/// Returns the learned nogood of `len` literals that begin at index `from` of their store, without reading
/// memory.
#[cuda_std::inlined]
pub fn nogood_in_learned(own: &Own, (from, len): (u32, u32)) -> Nogood {
    Nogood { lits: own.learned_lit, from, len }
}

/// Prefetches the data that learning needs of nogood `id`, which must not be a sum (see [`Array::prefetch`]).
#[cuda_std::inlined]
pub fn prefetch_nogood(problem: &Problem, own: &Own, id: NogoodId) {
    if id.0 >= FIRST_LEARNED {
        own.learned_record.prefetch(id.learned_index());
    }
    nogood_of(problem, own, id).prefetch();
}

/// A nogood: a range of literals in a store.
#[derive(Clone, Copy, Default)]
pub struct Nogood {
    /// The store.
    lits: Array<Lit>,
    /// The index in the store of the first literal.
    from: u32,
    /// The number of literals.
    pub len: u32,
}

impl Nogood {
    /// Returns the nogood of `len` literals that begin at index `from` of the store `lits`.
    #[cuda_std::inlined]
    pub fn new(lits: Array<Lit>, from: u32, len: u32) -> Nogood {
        Nogood { lits, from, len }
    }

    /// Returns the nogood without its literals: a nogood of length 0 in the same store.
    #[cuda_std::inlined]
    pub fn empty(self) -> Nogood {
        Nogood { len: 0, ..self }
    }

    /// Returns the literal with index `i`, counted from 0.
    #[cuda_std::inlined]
    pub fn lit(self, i: u32) -> Lit {
        self.lits.read(self.from + i)
    }

    /// Returns the index in the store of the first literal.
    #[cuda_std::inlined]
    pub fn first(self) -> u32 {
        self.from
    }

    /// Returns the first group that holds literals of this nogood, and the number of such groups.
    ///
    /// A group is four literals of the store and is read by one load. The first and the last group may hold
    /// literals of other nogoods too.
    #[cuda_std::inlined]
    pub fn groups(self) -> (u32, u32) {
        let first = self.from / 4;
        (first, if self.len > 0 { (self.from + self.len).div_ceil(4) - first } else { 0 })
    }

    /// Returns the group that holds the literal with index `i`.
    #[cuda_std::inlined]
    pub fn group_of(self, i: u32) -> u32 {
        (self.from + i) / 4
    }

    /// Returns the index in this nogood of literal `k` of a group, or a number from `len` on if the literal
    /// belongs to another nogood.
    #[cuda_std::inlined]
    pub fn place(self, group: u32, k: u32) -> u32 {
        (4 * group + k).wrapping_sub(self.from)
    }

    /// Returns the group after `group`, which must hold literals of this nogood. The first group follows the
    /// last.
    #[cuda_std::inlined]
    pub fn group_after(self, group: u32) -> u32 {
        let (first, groups) = self.groups();
        if group + 1 < first + groups {
            group + 1
        } else {
            first
        }
    }

    /// Returns the group `offset` groups after `group`. The first group follows the last; `offset` must not
    /// exceed the number of groups.
    #[cuda_std::inlined]
    pub fn group_far_after(self, group: u32, offset: u32) -> u32 {
        let (first, groups) = self.groups();
        let at = group + offset;
        if at < first + groups {
            at
        } else {
            at - groups
        }
    }

    /// Returns the four literals of a group, also those of other nogoods (see [`Nogood::place`]). The load
    /// happens where the call stands (see [`Array::four_here`]).
    #[cuda_std::inlined]
    pub fn group_here(self, group: u32) -> [Lit; 4] {
        self.lits.four_here(group)
    }

    /// Returns the four literals of a group, with `other` in place of each literal of another nogood.
    #[cuda_std::inlined]
    pub fn group(self, group: u32, other: Lit) -> [Lit; 4] {
        let lits = self.lits.four(group);
        from_fn(|k| if self.place(group, k as u32) < self.len { lits[k] } else { other })
    }

    /// Returns the index in the store and the number of literals of the nogood that lane `lane` has.
    #[cuda_std::inlined]
    pub fn of_lane(self, warp: &mut WholeWarp, lane: u32) -> (u32, u32) {
        (from_lane(warp, self.from, lane), from_lane(warp, self.len, lane))
    }

    /// Returns the nogood that lane `lane` has, which must be in the same store.
    #[cuda_std::inlined]
    pub fn of_lane_in_same_store(self, warp: &mut WholeWarp, lane: u32) -> Nogood {
        let (from, len) = self.of_lane(warp, lane);
        Nogood { from, len, ..self }
    }

    /// Prefetches the first literals (see [`Array::prefetch`]).
    #[cuda_std::inlined]
    pub fn prefetch(self) {
        self.lits.prefetch(self.from);
    }
}
