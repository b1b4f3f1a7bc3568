//! Unit propagation that knows why: what a conflict depends on is marked.
//!
//! Main type: [`Engine`]. As in [`crate::trusted::Engine`], what follows without assumptions stays on the trail. It is
//! taken back in the order in which it came when the steps are looked at backwards.

use super::nogoods::{Cause, Nogoods, Place, Values, Which};
use crate::trusted::lit::{normalised, Lit, Var};
use crate::trusted::{Conflict, Goal, Propagator, Sum, Sums, Terms};

/// The rank of a literal that does not hold, and the position of a variable that is not propagated.
const NEVER: u32 = u32::MAX;

/// The state of the propagation, and what is needed.
#[derive(Debug, Default)]
pub struct Engine {
    values: Values,
    nogoods: Nogoods,
    sums: Sums,
    goal: Goal,
    /// For each variable the place of its literal on the trail, once that was propagated.
    position: Vec<u32>,
    /// For each variable whether what its literal depends on is marked.
    is_explained: Vec<bool>,
    /// Literals on the trail that may not be explained yet.
    open: Vec<Lit>,
    /// How many literals of the trail were looked up in the lists of nogoods that are not marked.
    others: usize,
    /// How many literals held when the goal was propagated, if it has not changed since.
    goal_at: Option<usize>,
    /// How many literals hold without assumptions.
    base: usize,
    is_refuted: bool,
    /// What holds for any question.
    kept: Vec<(Lit, Cause)>,
    is_kept: bool,
    /// For each sum the number of its definition.
    sum_owners: Vec<u32>,
    /// The changes of weights by steps `r`.
    pub rewritten: Vec<(usize, Lit, i128)>,
    /// The number of the definition that is added; 0 for the program.
    pub definition: u32,
    /// For each definition whether something needed depends on it.
    pub is_definition_needed: Vec<bool>,
    /// The number of the step that is looked at.
    pub now: u32,
    /// For each serial number the last step that needs the nogood; 0 if none does.
    pub last: Vec<u32>,
}

impl Engine {
    /// An engine with `variables` variables, of which the first is true.
    pub fn new(variables: u32, goal: Goal) -> Engine {
        let mut engine =
            Engine { goal, last: vec![0], is_definition_needed: vec![true], ..Engine::default() };
        for _ in 0..variables.max(1) {
            engine.add_variable();
        }
        let is_true = engine.values.assign(Lit::TRUE).is_ok();
        engine.is_refuted = !is_true;
        engine
    }

    /// The values of literals.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// How many literals hold.
    pub fn length(&self) -> usize {
        self.values.trail().len()
    }

    /// Whether propagation without assumptions has found a conflict. What it depends on is marked.
    pub fn is_refuted(&self) -> bool {
        self.is_refuted
    }

    /// Whether there is no room for a nogood.
    pub fn is_full(&self, length: usize) -> bool {
        self.nogoods.is_full(length)
    }

    /// Nothing is left to look for.
    pub fn refute(&mut self) {
        self.undo_to(self.base);
        self.is_refuted = true;
    }

    /// A literal's rank as one to watch.
    fn rank(values: &Values, position: &[u32], lit: Lit) -> u32 {
        if values.is_true(lit) {
            position[lit.var().index()].min(NEVER - 1)
        } else {
            NEVER
        }
    }

    /// Adds the nogood with a serial number, and propagates without assumptions. Returns its place, if it can be of use.
    pub fn add(&mut self, lits: Vec<Lit>, serial: u32) -> Option<Place> {
        let lits = normalised(lits)?;
        if lits.iter().any(|&lit| self.values.is_false(lit)) {
            return None;
        }
        let place = self.nogoods.add(&lits, serial, false);
        self.enter(place, &lits);
        self.settle();
        Some(place)
    }

    /// Watches a nogood, or propagates it.
    fn enter(&mut self, place: Place, lits: &[Lit]) {
        let mut open = lits.iter().filter(|&&lit| !self.values.is_true(lit));
        match (open.next(), open.next()) {
            (None, _) => {
                self.values.cause = Cause::Nogood(place);
                self.explain_conflict();
                self.refute();
            }
            (Some(&lit), None) if self.values.is_open(lit) => {
                self.values.cause = Cause::Nogood(place);
                let _ = self.values.assign(!lit);
                if self.nogoods.owner(place).1 {
                    self.nogoods.watch(place, |lit| Engine::rank(&self.values, &self.position, lit));
                }
            }
            _ => self.nogoods.watch(place, |lit| Engine::rank(&self.values, &self.position, lit)),
        }
    }

    /// The literals of a nogood.
    pub fn lits(&self, place: Place) -> Vec<Lit> {
        self.nogoods.lits(place).collect()
    }

    /// Switches a nogood off.
    pub fn switch_off(&mut self, place: Place) {
        self.nogoods.switch_off(place);
    }

    /// Switches a nogood on again, after [`Engine::sweep`].
    pub fn switch_on(&mut self, place: Place) {
        self.nogoods.switch_on(place, |lit| Engine::rank(&self.values, &self.position, lit));
    }

    /// Forgets where nogoods are that are off.
    pub fn sweep(&mut self) {
        self.nogoods.sweep();
    }

    /// Keeps what has been derived so far for any question.
    pub fn keep(&mut self) {
        let trail = self.values.trail().iter();
        self.kept = trail.map(|&lit| (lit, self.values.cause_of(lit.var()))).collect();
        self.is_kept = true;
    }

    /// Begins a question with bounds for the costs, as [`crate::trusted::Engine::restart`] does.
    pub fn restart(&mut self, bounds: Vec<i128>) {
        self.return_to_kept();
        self.set_bounds(bounds);
    }

    /// Goes back to what holds for any question, without bounds. It is not propagated yet: all definitions are there now,
    /// and so there may be a conflict.
    pub fn return_to_kept(&mut self) {
        self.undo_to(0);
        self.is_refuted = false;
        self.restore_bounds(Vec::new());
        for &(lit, cause) in &self.kept {
            self.values.cause = cause;
            let _ = self.values.assign(lit);
        }
    }

    /// Sets the bounds and propagates.
    pub fn set_bounds(&mut self, bounds: Vec<i128>) {
        self.goal.set_bounds(bounds);
        self.goal_at = None;
        self.settle();
    }

    /// Sets bounds that were there before, after their consequences were taken back.
    pub fn restore_bounds(&mut self, bounds: Vec<i128>) {
        self.goal.set_bounds(bounds);
    }

    /// Takes back changes of weights, and returns them.
    pub fn restore_weights(&mut self, from: usize) -> Vec<(usize, Lit, i128)> {
        let changes = self.rewritten.split_off(from);
        for &(priority, lit, weight) in changes.iter().rev() {
            self.goal.add_weight(priority, lit, -weight, &self.values);
        }
        changes
    }

    /// Assumes literals and propagates. Whether that finds a conflict, whose reasons are marked then.
    pub fn refutes(&mut self, mut lits: impl Iterator<Item = Lit>) -> bool {
        let failed = lits.find(|&lit| self.assume(lit).is_err());
        if let Some(lit) = failed {
            self.need(!lit);
        } else if self.propagate().is_ok() {
            return false;
        }
        true
    }

    /// Assumes a literal.
    pub fn assume(&mut self, lit: Lit) -> Result<(), Conflict> {
        self.values.cause = Cause::Assumed;
        self.values.assign(lit)
    }

    /// Propagates what was assumed. What a conflict depends on is marked.
    pub fn propagate(&mut self) -> Result<(), Conflict> {
        let result = self.find();
        if result.is_err() {
            self.explain_conflict();
        }
        result
    }

    fn find(&mut self) -> Result<(), Conflict> {
        loop {
            if let Some((lit, _)) = self.values.next() {
                let sequence = self.values.propagated() as u32;
                self.position[lit.var().index()] = sequence - 1;
                self.sums.count(lit, 1);
                self.goal.count(lit, 1);
                self.nogoods.visit(Which::Marked, lit, &mut self.values)?;
                for number in self.sums.of(lit) {
                    self.values.cause = Cause::Sum(number, sequence);
                    self.sums.look_at(number, &mut self.values)?;
                }
            } else if self.goal_at != Some(self.length()) {
                self.goal_at = Some(self.length());
                self.values.cause = Cause::Goal(self.length() as u32);
                self.goal.visit(&mut self.values, false)?;
            } else if let Some(&lit) = self.values.trail().get(self.others) {
                self.nogoods.visit(Which::Others, lit, &mut self.values)?;
                self.others += 1;
            } else {
                return Ok(());
            }
        }
    }

    /// Takes back literals until `length` hold.
    pub fn undo_to(&mut self, length: usize) {
        while let Some((lit, was_counted)) = self.values.undo(length) {
            if was_counted {
                self.sums.count(lit, -1);
                self.goal.count(lit, -1);
            }
            self.position[lit.var().index()] = NEVER;
            self.is_explained[lit.var().index()] = false;
        }
        self.others = self.others.min(length);
        if self.goal_at.is_some_and(|at| at > length) {
            self.goal_at = None;
        }
        self.base = self.base.min(length);
    }

    /// Takes back all assumptions and what followed.
    pub fn undo(&mut self) {
        self.undo_to(self.base);
    }

    /// Something that is needed depends on a literal that holds: marks what that depends on.
    pub fn need(&mut self, lit: Lit) {
        self.open.push(lit);
        self.explain();
    }

    /// Marks what the conflict depends on that `values.cause` has just found.
    fn explain_conflict(&mut self) {
        match self.values.cause {
            Cause::Nogood(place) => {
                self.open.extend(self.nogoods.lits(place));
                self.mark(place);
            }
            Cause::Sum(number, _) => self.open_sum(number, None, NEVER),
            Cause::Goal(at) => self.open_goal(at),
            Cause::Assumed => {}
        }
        self.explain();
    }

    fn explain(&mut self) {
        while let Some(lit) = self.open.pop() {
            let lit = if self.values.is_true(lit) { lit } else { !lit };
            if std::mem::replace(&mut self.is_explained[lit.var().index()], true) {
                continue;
            }
            match self.values.cause_of(lit.var()) {
                Cause::Assumed => {}
                Cause::Nogood(place) => {
                    self.open.extend(self.nogoods.lits(place).filter(|other| other.var() != lit.var()));
                    self.mark(place);
                }
                Cause::Sum(number, at) => self.open_sum(number, Some(lit), at),
                Cause::Goal(at) => self.open_goal(at),
            }
        }
    }

    fn mark(&mut self, place: Place) {
        let (owner, is_permanent) = self.nogoods.owner(place);
        if is_permanent {
            self.is_definition_needed[owner as usize] = true;
        } else {
            self.nogoods.mark(place);
            let last = &mut self.last[owner as usize];
            *last = self.now.max(*last);
        }
    }

    /// The literal holds for a sum, because of literals that were propagated before `at`; or there is a conflict.
    fn open_sum(&mut self, number: u32, lit: Option<Lit>, at: u32) {
        self.is_definition_needed[self.sum_owners[number as usize] as usize] = true;
        let Sum { var, bound, terms, .. } = self.sums.get(number);
        let (values, position) = (&self.values, &self.position);
        // In a conflict literals count that were not propagated.
        let is_before = |other: Lit| lit.is_none() || position[other.var().index()] < at;
        let is_true =
            lit.map_or(values.is_false(*var), |lit| lit == *var || lit != !*var && values.is_false(*var));
        let mut left = match lit.and_then(|lit| terms.iter().find(|(term, _)| term.var() == lit.var())) {
            Some((_, weight)) => *weight,
            None => 0,
        };
        if lit.is_none_or(|lit| lit.var() != var.var()) {
            self.open.push(*var);
        }
        if !is_true {
            // Without the false literals the bound cannot be reached.
            left += bound - terms.iter().map(|(_, weight)| weight).sum::<i128>() - 1;
            left = -left;
        } else {
            left = bound - left;
        }
        for &(term, weight) in terms {
            let counts = if is_true { values.is_true(term) } else { values.is_false(term) };
            if left > 0 && counts && is_before(term) && lit.is_none_or(|lit| lit.var() != term.var()) {
                self.open.push(term);
                left -= weight;
            }
        }
    }

    /// The goal has made a literal hold, or has found a conflict, because of literals that were propagated before `at`.
    fn open_goal(&mut self, at: u32) {
        let is_before = |lit: &Lit| self.values.is_true(*lit) && self.position[lit.var().index()] < at;
        self.open.extend(self.goal.literals().filter(is_before));
    }
}

impl Propagator for Engine {
    fn add_variable(&mut self) -> Var {
        self.nogoods.add_variable();
        self.position.push(NEVER);
        self.is_explained.push(false);
        self.values.add()
    }

    fn add_permanent(&mut self, lits: Vec<Lit>) {
        let Some(lits) = normalised(lits) else { return };
        let place = self.nogoods.add(&lits, self.definition, true);
        if let (&[lit], true) = (&lits[..], self.is_kept) {
            self.kept.push((!lit, Cause::Nogood(place)));
        }
        self.enter(place, &lits);
    }

    fn add_sum(&mut self, var: Lit, bound: i128, terms: Terms) {
        self.settle();
        self.values.cause = Cause::Sum(self.sum_owners.len() as u32, self.length() as u32);
        self.sum_owners.push(self.definition);
        if self.sums.add(var, bound, terms, &mut self.values).is_err() {
            self.explain_conflict();
            self.refute();
        }
        self.settle();
    }

    fn settle(&mut self) {
        if self.is_refuted {
            return self.undo();
        }
        match self.propagate() {
            Ok(()) => self.base = self.length(),
            Err(_) => self.refute(),
        }
    }

    fn goal(&self) -> &Goal {
        &self.goal
    }

    fn add_weight(&mut self, priority: usize, lit: Lit, weight: i128) {
        self.goal.add_weight(priority, lit, weight, &self.values);
        self.goal_at = None;
        self.rewritten.push((priority, lit, weight));
    }
}
