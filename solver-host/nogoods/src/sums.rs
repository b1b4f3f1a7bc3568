//! Weight constraints in a normal form, and as the nogoods of the device.
//!
//! Main functions: [`normal_form`] and [`SumStore::push`]. Invariant of a [`Sum`]: weights are positive and
//! at most `bound`, the heaviest come first, no literal occurs twice, and `1 < bound < total`, so that the
//! sum can be reached and missed. Both `p` and `not p` may occur: one of them holds, but `p` needs a
//! foundation and `not p` needs none.
//!
//! A weight constraint `w <-> sum >= bound` is two *sum nogoods*. A sum nogood `(c; l_1 = w_1, ..; most)` is
//! violated if `c` holds and the weights of the `l_i` that hold add up to more than `most`. The sum nogood
//! stands for all nogoods `{c} + S` with a set `S` of such a weight, without writing them out.
//!
//! - `w -> sum >= bound` is `(Tw; complements; total - bound)`.
//! - `sum >= bound -> w` is `(Fw; literals; bound - 1)`.
//!
//! Gebser, Kaminski, Kaufmann and Schaub, "On the Implementation of Weight Constraint Rules in
//! Conflict-Driven ASP Solvers", ICLP 2009.

use solver_gpu::{Lit, Var};

use super::rows::Csr;
use yasmin_ground::program;

/// A weight constraint in normal form: `atom` holds if and only if the weights of the literals that hold add
/// up to `bound` or more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sum {
    pub atom: Var,
    pub bound: i64,
    pub lits: Vec<(Lit, i64)>,
}

impl Sum {
    /// The sum of all weights.
    pub fn total(&self) -> i64 {
        self.lits.iter().map(|&(_, weight)| weight).sum()
    }
}

/// The normal form of a weight constraint.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// The bound cannot be reached.
    Never,
    /// The bound is reached if all of these literals hold. An empty list means that the bound is always
    /// reached.
    All(Vec<Lit>),
    /// The bound is reached if one of these literals holds.
    Any(Vec<Lit>),
    /// The constraint is a sum that is no conjunction and no disjunction.
    Sum(Sum),
}

/// The normal form of a weight constraint of the program.
pub(super) fn normal_form(sum: &program::Sum) -> Form {
    reduced(sum.atom, sum.bound, joined(sum.lits.iter().copied()))
}

/// Literals with positive weights, sorted. The weights of a literal that occurs twice are added.
fn joined(lits: impl Iterator<Item = (Lit, i64)>) -> Vec<(Lit, i64)> {
    let mut lits: Vec<(Lit, i64)> = lits.filter(|&(_, weight)| weight > 0).collect();
    lits.sort_unstable();
    lits.dedup_by(|next, first| {
        let is_same = next.0 == first.0;
        first.1 += if is_same { next.1 } else { 0 };
        is_same
    });
    lits
}

/// Literals with positive weights, sorted, with no variable twice. This is for sums that found nothing. The
/// weight that `p` and `not p` have in common is always reached, so it is passed to `sure`.
pub fn distinct(lits: impl Iterator<Item = (Lit, i64)>, mut sure: impl FnMut(i64)) -> Vec<(Lit, i64)> {
    let lits = joined(lits);
    let mut kept: Vec<(Lit, i64)> = Vec::with_capacity(lits.len());
    for (lit, weight) in lits {
        match kept.last_mut() {
            Some((last, other)) if *last == !lit => {
                let common = weight.min(*other);
                sure(common);
                *other -= common;
                if *other == 0 {
                    kept.pop();
                }
                if weight > common {
                    kept.push((lit, weight - common));
                }
            }
            _ => kept.push((lit, weight)),
        }
    }
    kept
}

/// The form of a sum of distinct literals with positive weights.
pub(super) fn reduced(atom: Var, bound: i64, mut lits: Vec<(Lit, i64)>) -> Form {
    if bound <= 0 {
        return Form::All(Vec::new());
    }
    lits.iter_mut().for_each(|(_, weight)| *weight = bound.min(*weight));
    let total: i64 = lits.iter().map(|&(_, weight)| weight).sum();
    let least = lits.iter().map(|&(_, weight)| weight).min().unwrap_or(0);
    let names = |lits: &[(Lit, i64)]| lits.iter().map(|&(lit, _)| lit).collect();
    if total < bound {
        Form::Never
    } else if total - least < bound {
        Form::All(names(&lits))
    } else if least >= bound {
        Form::Any(names(&lits))
    } else {
        lits.sort_by_key(|&(lit, weight)| (-weight, lit));
        Form::Sum(Sum { atom, bound, lits })
    }
}

/// Sum nogoods, as the device has them. A sum's items are its literals with weights, and each item adds to a
/// counter.
#[derive(Clone, Debug, Default)]
pub struct SumStore {
    /// The condition of each sum: a literal, or [`Lit::TRUE`].
    pub condition: Vec<Lit>,
    /// Where the items of each sum start: items `start[s] .. start[s + 1]` are those of sum `s`.
    pub start: Vec<u32>,
    /// The literal of each item.
    pub lits: Vec<Lit>,
    /// The weight of each item, which is not negative. Within a counter the heaviest items come first.
    pub weights: Vec<i64>,
    /// The counter that each item adds to. A sum's items are in the order of its counters.
    pub counter_of: Vec<u32>,
    /// Where the counters of each sum start: counters `counters[s] .. counters[s + 1]` are those of sum `s`.
    /// Several counters are compared as one number, of which the first counter is the highest digit.
    pub counters: Vec<u32>,
    /// The most that each counter may reach.
    pub most: Vec<i64>,
}

impl SumStore {
    /// Makes ready for the first sum.
    fn begin(&mut self) {
        if self.start.is_empty() {
            self.start.push(0);
            self.counters.push(0);
        }
    }

    /// How many sums there are.
    pub fn len(&self) -> usize {
        self.condition.len()
    }

    /// The number of counters of a sum, and the number of its items.
    pub fn sizes_of(&self, sum: u32) -> (usize, usize) {
        let of = |starts: &[u32]| (starts[sum as usize + 1] - starts[sum as usize]) as usize;
        (of(&self.counters), of(&self.start))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.condition.is_empty()
    }

    /// Adds a sum with one counter. `lits` must have no variable twice.
    pub fn push(&mut self, condition: Lit, lits: impl Iterator<Item = (Lit, i64)>, most: i64) {
        let lits: Vec<(Lit, i64)> = lits.collect();
        self.push_levels(condition, &[(lits, most)]);
    }

    /// Adds a sum with a counter for each of `levels`, the highest digit first. A level is a list of literals
    /// with weights, and the most that its counter may reach.
    pub fn push_levels(&mut self, condition: Lit, levels: &[(Vec<(Lit, i64)>, i64)]) {
        self.begin();
        self.condition.push(condition);
        for (lits, most) in levels {
            let mut lits = lits.clone();
            lits.sort_by_key(|&(lit, weight)| (-weight, lit));
            for (lit, weight) in lits {
                self.lits.push(lit);
                self.weights.push(weight);
                self.counter_of.push(self.most.len() as u32);
            }
            self.most.push(*most);
        }
        self.start.push(self.lits.len() as u32);
        self.counters.push(self.most.len() as u32);
    }

    /// Adds the sums of another store. `number` gives its literals their numbers here.
    pub fn append(&mut self, other: &SumStore, number: impl Fn(Lit) -> Lit) {
        if other.is_empty() {
            return;
        }
        self.begin();
        let (items, counters) = (self.lits.len() as u32, self.most.len() as u32);
        self.condition.extend(other.condition.iter().map(|&lit| number(lit)));
        self.lits.extend(other.lits.iter().map(|&lit| number(lit)));
        self.weights.extend_from_slice(&other.weights);
        self.counter_of.extend(other.counter_of.iter().map(|counter| counters + counter));
        self.most.extend_from_slice(&other.most);
        self.start.extend(other.start.iter().skip(1).map(|at| items + at));
        self.counters.extend(other.counters.iter().skip(1).map(|at| counters + at));
    }

    /// Adds the two sum nogoods of `atom <-> sum >= bound`. `atom` is a literal of a variable or a constant.
    pub fn define(&mut self, atom: Lit, bound: i64, lits: &[(Lit, i64)]) {
        let total: i64 = lits.iter().map(|&(_, weight)| weight).sum();
        if atom != Lit::FALSE {
            self.push(atom, lits.iter().map(|&(lit, weight)| (!lit, weight)), total - bound);
        }
        if atom != Lit::TRUE {
            let condition = if atom == Lit::FALSE { Lit::TRUE } else { !atom };
            self.push(condition, lits.iter().copied(), bound - 1);
        }
    }

    /// The number of the sum that each item belongs to.
    pub fn sum_of_items(&self) -> Vec<u32> {
        let mut sum_of = vec![0; self.lits.len()];
        for s in 0..self.len() {
            sum_of[self.start[s] as usize..self.start[s + 1] as usize].fill(s as u32);
        }
        sum_of
    }

    /// For each literal of variables `0 .. vars` the items that contain the literal. A sum whose condition is
    /// the literal is listed as the number of items plus the number of the sum.
    pub fn occurrences(&self, vars: u32) -> Csr {
        let items = self.lits.len() as u32;
        let lits = self.lits.iter().enumerate().map(|(i, lit)| (lit.index(), i as u32));
        let conditions = self.condition.iter().enumerate().filter(|(_, lit)| !lit.is_constant());
        let conditions = conditions.map(|(s, lit)| (lit.index(), items + s as u32));
        Csr::from_pairs(2 * vars as usize, lits.chain(conditions))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(bound: i64, lits: &[(i64, i64)]) -> Form {
        let lit = |l: i64| Lit::new(Var(l.unsigned_abs() as u32), l > 0);
        let lits = lits.iter().map(|&(l, weight)| (lit(l), weight)).collect();
        normal_form(&program::Sum { atom: Var(0), bound, lits })
    }

    #[test]
    fn what_is_no_sum_is_told() {
        let t = |p| Lit::t(Var(p));
        assert_eq!(form(0, &[(1, 1)]), Form::All(vec![]));
        assert_eq!(form(3, &[(1, 1), (2, 1)]), Form::Never);
        assert_eq!(form(2, &[(1, 1), (2, 1)]), Form::All(vec![t(1), t(2)]));
        assert_eq!(form(1, &[(1, 1), (2, 5)]), Form::Any(vec![t(1), t(2)]));
        assert_eq!(form(2, &[(1, 0), (2, 7), (2, 1)]), Form::All(vec![t(2)]));
    }

    #[test]
    fn complements_are_joined_where_nothing_is_founded() {
        let (p, q) = (Lit::t(Var(1)), Lit::t(Var(2)));
        let mut sure = 0;
        let lits = distinct([(p, 1), (q, 2), (!p, 3), (!q, 2), (p, 1)].into_iter(), |common| sure += common);
        assert_eq!((lits, sure), (vec![(!p, 1)], 4));
    }

    #[test]
    fn a_sum_is_sorted_and_its_weights_are_cut() {
        let Form::Sum(sum) = form(3, &[(1, 1), (2, 9), (-3, 2), (1, 1)]) else { panic!("a sum") };
        let (a, b, c) = (Lit::t(Var(1)), Lit::t(Var(2)), Lit::f(Var(3)));
        assert_eq!(sum.lits, [(b, 3), (a, 2), (c, 2)]);
        assert_eq!((sum.bound, sum.total()), (3, 7));
    }
}
