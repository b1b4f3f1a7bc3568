//! The goal: costs of at most a bound for each priority, compared highest priority first.
//!
//! Main type: [`Goal`]. A priority has two rows: its costs, and the lower bound of them that steps `r` have
//! made (see [`crate::rewriting`]). Invariant: `now` counts exactly the literals that the assignment says are
//! counted.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::assignment::{Cause, Conflict, Values};
use super::lit::Lit;
use crate::program::Costs;

/// A constant and literals with weights of at least 0. What holds of it is a lower bound of the costs.
#[derive(Clone, Debug, Default)]
struct Row {
    constant: i128,
    terms: Vec<(Lit, i128)>,
    place: HashMap<Lit, usize>,
    /// The constant and the weights of the literals that hold.
    now: i128,
    /// Places of terms, the heaviest first. Empty if it has to be made again.
    sorted: Vec<u32>,
    /// How many of `sorted` are known to have values without assumptions.
    known: usize,
}

/// The costs and their bounds.
#[derive(Debug, Default)]
pub struct Goal {
    /// For each priority its costs, and their rewritten lower bound.
    rows: Vec<[Row; 2]>,
    /// For each literal its priorities, whether it is in their lower bounds, and its places there.
    occurs: Vec<Vec<(u32, bool, u32)>>,
    bounds: Vec<i128>,
    /// For each priority the least costs, if steps `l` have said what they are.
    floors: Vec<Option<i128>>,
}

impl Goal {
    /// The goal of a program without bounds. No literal has a value.
    pub fn new(costs: &[Costs]) -> Goal {
        let mut goal = Goal::default();
        for (priority, costs) in costs.iter().enumerate() {
            let row = Row { constant: costs.constant, now: costs.constant, ..Row::default() };
            goal.rows.push([row.clone(), row]);
            for &(lit, weight) in &costs.terms {
                for is_rewritten in [false, true] {
                    let place = goal.place(priority, is_rewritten, lit);
                    goal.rows[priority][usize::from(is_rewritten)].terms[place].1 = weight;
                }
            }
        }
        goal.floors.resize(costs.len(), None);
        goal
    }

    /// The place of a literal in a row, which is made if there is none.
    fn place(&mut self, priority: usize, is_rewritten: bool, lit: Lit) -> usize {
        let row = &mut self.rows[priority][usize::from(is_rewritten)];
        *row.place.entry(lit).or_insert_with(|| {
            let place = row.terms.len();
            row.terms.push((lit, 0));
            if self.occurs.len() <= lit.index() {
                self.occurs.resize(lit.index() + 1, Vec::new());
            }
            self.occurs[lit.index()].push((priority as u32, is_rewritten, place as u32));
            place
        })
    }

    /// How many priorities there are.
    pub fn priorities(&self) -> usize {
        self.rows.len()
    }

    /// Sets the bounds of the first priorities.
    pub fn set_bounds(&mut self, bounds: Vec<i128>) {
        self.bounds = bounds;
        self.rows.iter_mut().flatten().for_each(|row| row.known = 0);
    }

    /// The literals that cost.
    pub fn literals(&self) -> impl Iterator<Item = Lit> + '_ {
        self.rows.iter().flatten().flat_map(|row| row.terms.iter().map(|&(lit, _)| lit))
    }

    /// The bounds of the first priorities.
    pub fn bounds(&self) -> &[i128] {
        &self.bounds
    }

    /// The costs of an assignment of all variables.
    pub fn costs(&self, values: &Values) -> Vec<i128> {
        let held = |[row, _]: &[Row; 2]| {
            let terms = row.terms.iter().filter(|(lit, _)| values.is_true(*lit));
            row.constant + terms.map(|(_, weight)| weight).sum::<i128>()
        };
        self.rows.iter().map(held).collect()
    }

    /// Forgets what was counted, and the floors: no literal is propagated.
    pub fn reset(&mut self) {
        self.floors.fill(None);
        for row in self.rows.iter_mut().flatten() {
            (row.now, row.known) = (row.constant, 0);
        }
    }

    /// Counts a literal that has begun to hold (`sign` 1), or no longer does (`sign` -1).
    pub fn count(&mut self, lit: Lit, sign: i128) {
        for &(priority, is_rewritten, place) in self.occurs.get(lit.index()).into_iter().flatten() {
            let row = &mut self.rows[priority as usize][usize::from(is_rewritten)];
            row.now += sign * row.terms[place as usize].1;
        }
    }

    /// Propagates the goal once all literals are counted: a literal is false with which the costs would
    /// exceed their bounds, compared highest priority first. `is_base` says that nothing is assumed.
    pub fn visit(&mut self, values: &mut Values, is_base: bool) -> Result<(), Conflict> {
        values.cause = Cause::Goal;
        for priority in 0..self.bounds.len() {
            let (least, bound) = (self.least(priority), self.bounds[priority]);
            // If the costs were equal to the bound, the next priorities would decide.
            let most = if self.next_exceed(priority, None) { bound - 1 } else { bound };
            if least > most {
                return Err(Conflict::found());
            }
            for row in &mut self.rows[priority] {
                row.limit(most, values, is_base)?;
            }
            if least < bound {
                return self.limit_ties(priority, values);
            }
        }
        Ok(())
    }

    /// Makes each open literal false with which a priority would cost as much as its bound, and the next
    /// priorities too much. Of literals that cost more, [`Row::limit`] has made each open one false.
    fn limit_ties(&self, priority: usize, values: &mut Values) -> Result<(), Conflict> {
        if priority + 1 == self.bounds.len() {
            return Ok(());
        }
        for Row { terms, sorted, now, .. } in &self.rows[priority] {
            let with = |place: u32| now + terms[place as usize].1;
            let bound = self.bounds[priority];
            let first = sorted.partition_point(|&place| with(place) > bound);
            for &place in sorted[first..].iter().take_while(|&&place| with(place) == bound) {
                let lit = terms[place as usize].0;
                if values.is_open(lit) && self.next_exceed(priority, Some(lit)) {
                    values.assign(!lit)?;
                }
            }
        }
        Ok(())
    }

    /// Whether the least costs of the priorities after this one exceed their bounds, compared highest
    /// priority first, if an open literal holds as well.
    fn next_exceed(&self, priority: usize, lit: Option<Lit>) -> bool {
        let next = self.bounds.iter().zip(0..).skip(priority + 1);
        let mut differ = next.map(|(bound, at)| self.least_with(at, lit).cmp(bound)).filter(|o| o.is_ne());
        differ.next().is_some_and(Ordering::is_gt)
    }

    /// The least costs of a priority, as far as is known.
    fn least(&self, priority: usize) -> i128 {
        self.least_with(priority, None)
    }

    /// The same, if an open literal holds as well.
    fn least_with(&self, priority: usize, lit: Option<Lit>) -> i128 {
        let [mut own, mut rewritten] = [0, 1].map(|at| self.rows[priority][at].now);
        let occurs = lit.and_then(|lit| self.occurs.get(lit.index())).into_iter().flatten();
        for &(_, is_rewritten, place) in occurs.filter(|(at, ..)| *at as usize == priority) {
            let now = if is_rewritten { &mut rewritten } else { &mut own };
            *now += self.rows[priority][usize::from(is_rewritten)].terms[place as usize].1;
        }
        own.max(rewritten).max(self.floors[priority].unwrap_or(i128::MIN))
    }

    /// The costs of a priority are at least `floor`.
    pub fn raise(&mut self, priority: usize, floor: i128) {
        let known = &mut self.floors[priority];
        *known = (*known).max(Some(floor));
    }

    /// What the lower bound of a priority comes to if some of its literals count for nothing: the constant,
    /// and the weights of literals that hold, each less the weight that `part` has for the literal. `None` if
    /// `part` has more than there is.
    pub fn rest(&self, priority: usize, part: &[(Lit, i128)], values: &Values) -> Option<i128> {
        let row = &self.rows[priority][1];
        let mut rest = row.now;
        for &(lit, weight) in part {
            if weight > self.weight(priority, lit) {
                return None;
            }
            rest -= if values.is_true(lit) { weight } else { 0 };
        }
        Some(rest)
    }

    /// The weight of a literal in the lower bound of a priority.
    pub fn weight(&self, priority: usize, lit: Lit) -> i128 {
        let row = &self.rows[priority][1];
        row.place.get(&lit).map_or(0, |&place| row.terms[place].1)
    }

    /// Adds to the weight of a literal in the lower bound of a priority. The sum must not be negative, and
    /// nothing may be assumed.
    pub fn add_weight(&mut self, priority: usize, lit: Lit, weight: i128, values: &Values) {
        let place = self.place(priority, true, lit);
        let row = &mut self.rows[priority][1];
        (row.known, row.sorted) = (0, Vec::new());
        row.terms[place].1 += weight;
        if values.is_true(lit) {
            row.now += weight;
        }
    }
}

impl Row {
    /// Makes each open literal false that costs too much.
    fn limit(&mut self, bound: i128, values: &mut Values, is_base: bool) -> Result<(), Conflict> {
        let Row { terms, sorted, .. } = self;
        if sorted.is_empty() {
            *sorted = (0..terms.len() as u32).collect();
            sorted.sort_by_key(|&place| std::cmp::Reverse(terms[place as usize].1));
        }
        let mut at = self.known;
        while let Some(&place) = sorted.get(at) {
            let (lit, weight) = terms[place as usize];
            if self.now + weight <= bound {
                break;
            }
            if values.is_open(lit) {
                values.assign(!lit)?;
            }
            at += 1;
        }
        if is_base {
            self.known = at;
        }
        Ok(())
    }
}
