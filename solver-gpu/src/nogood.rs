//! Nogoods in their stores: ids, literals, and how several literals are loaded at once.

use crate::layout::{FIRST_LEARNED, FIRST_SUM, MAX_LEARNED};
use crate::threads::warp::from_lane;
use crate::Lit;
use crate::{Own, Problem};
use core::array::from_fn;
use cuda_std::array::Array;

/// Whether nogood `id` is a learned one.
#[inline(always)]
pub fn is_learned(id: u32) -> bool {
    id.wrapping_sub(FIRST_LEARNED) < MAX_LEARNED
}

/// Whether `id`, a nogood's or a sum's, is a sum's. (The compiler may know that there are no sums.)
#[inline(always)]
pub fn is_sum(problem: &Problem, id: u32) -> bool {
    problem.sums > 0 && id >= FIRST_SUM
}

/// The literals of nogood `id`, input or learned.
#[inline(always)]
pub fn nogood_of(problem: &Problem, own: &Own, id: u32) -> Nogood {
    if id >= FIRST_LEARNED {
        return learned_nogood(own, id - FIRST_LEARNED);
    }
    let from = problem.nogood_start.read(id);
    nogood_at(problem, own, id, (from, problem.nogood_start.read(id + 1) - from))
}

/// Learned nogood `i`, by index from 0.
#[inline(always)]
pub fn learned_nogood(own: &Own, i: u32) -> Nogood {
    Nogood { lits: own.learned_lit, from: own.learned_start.read(i), len: own.learned_len.read(i) }
}

/// Nogood `id`, whose literals begin at `from` in their store, `len` of them.
#[inline(always)]
pub fn nogood_at(problem: &Problem, own: &Own, id: u32, (from, len): (u32, u32)) -> Nogood {
    Nogood { lits: if id < FIRST_LEARNED { problem.nogood_lits } else { own.learned_lit }, from, len }
}

/// Prefetches what learning needs of nogood `id` (see [`Array::prefetch`]).
#[inline(always)]
pub fn prefetch_nogood(problem: &Problem, own: &Own, id: u32) {
    if id >= FIRST_LEARNED {
        let i = id - FIRST_LEARNED;
        own.learned_len.prefetch(i);
        own.learned_lbd.prefetch(i);
    }
    nogood_of(problem, own, id).prefetch();
}

/// A nogood in one of the two stores.
#[derive(Clone, Copy, Default)]
pub struct Nogood {
    lits: Array<Lit>,
    from: u32,
    /// Number of literals.
    pub len: u32,
}

impl Nogood {
    /// The nogood of `len` literals from `from` on in a store.
    #[inline(always)]
    pub fn new(lits: Array<Lit>, from: u32, len: u32) -> Nogood {
        Nogood { lits, from, len }
    }

    /// One without literals.
    #[inline(always)]
    pub fn empty(self) -> Nogood {
        Nogood { len: 0, ..self }
    }

    /// Literal `i`.
    #[inline(always)]
    pub fn lit(self, i: u32) -> Lit {
        self.lits.read(self.from + i)
    }

    /// Where its literals begin in their store.
    #[inline(always)]
    pub fn first(self) -> u32 {
        self.from
    }

    /// Its literals stand in so many groups of four, from the first on: aligned, so that a group is one load; others may share them.
    #[inline(always)]
    pub fn groups(self) -> (u32, u32) {
        let first = self.from / 4;
        (first, if self.len > 0 { (self.from + self.len).div_ceil(4) - first } else { 0 })
    }

    /// In which of these the literal at a place is.
    #[inline(always)]
    pub fn group_of(self, place: u32) -> u32 {
        (self.from + place) / 4
    }

    /// What is `k`th in a group: its place, or a number that is too large for one.
    #[inline(always)]
    pub fn place(self, group: u32, k: u32) -> u32 {
        (4 * group + k).wrapping_sub(self.from)
    }

    /// The group behind one of its groups; the first comes behind the last.
    #[inline(always)]
    pub fn group_behind(self, group: u32) -> u32 {
        let (first, groups) = self.groups();
        if group + 1 < first + groups {
            group + 1
        } else {
            first
        }
    }

    /// The one so many behind, no more than there are.
    #[inline(always)]
    pub fn group_far_behind(self, group: u32, behind: u32) -> u32 {
        let (first, groups) = self.groups();
        let at = group + behind;
        if at < first + groups {
            at
        } else {
            at - groups
        }
    }

    /// What a group has: its literals, at their [`Nogood::place`]s, and others. Loaded where the call stands.
    #[inline(always)]
    pub fn group_here(self, group: u32) -> [Lit; 4] {
        self.lits.four_here(group)
    }

    /// The literals of a group, `other` for those of others.
    #[inline(always)]
    pub fn group(self, group: u32, other: Lit) -> [Lit; 4] {
        let lits = self.lits.four(group);
        from_fn(|k| if self.place(group, k as u32) < self.len { lits[k] } else { other })
    }

    /// Where the literals of that of another lane begin, and how many there are. Called by all lanes of a warp.
    #[inline(always)]
    pub fn of_lane(self, lane: u32) -> (u32, u32) {
        (from_lane(self.from, lane), from_lane(self.len, lane))
    }

    /// That of another lane, which is in the same store. Called by all lanes of a warp.
    #[inline(always)]
    pub fn that_of(self, lane: u32) -> Nogood {
        let (from, len) = self.of_lane(lane);
        Nogood { from, len, ..self }
    }

    /// Asks for its first literals.
    #[inline(always)]
    pub fn prefetch(self) {
        self.lits.prefetch(self.from);
    }
}
