//! The assignment of a search, as its propagators see it.

use super::names::Names;
use crate::searcher::memory::Memory;
use crate::SolveError;
use solver_gpu::Lit;
use std::ops::Range;
use std::sync::Arc;

/// The assignment of a search at a fixpoint. Levels are counted as in clingo: level 0 has what follows
/// without decisions.
pub struct Assignment {
    names: Arc<Names>,
    /// Of each variable 1 plus its level, negative if the variable is false, or 0 if it is open.
    value: Vec<i32>,
    /// The literals of the search that hold, in the order in which they were assigned.
    trail: Vec<Lit>,
    /// At which position of the trail each level begins.
    begin: Vec<usize>,
    /// How many variables there are.
    vars: usize,
    /// The level of the last assumption.
    root: u32,
    is_in_conflict: bool,
    searcher: u32,
}

impl Assignment {
    pub(super) fn new(names: Arc<Names>, searcher: u32) -> Assignment {
        let (value, trail) = (Vec::new(), Vec::new());
        Assignment { names, value, trail, begin: vec![0], vars: 0, root: 0, is_in_conflict: false, searcher }
    }

    /// The number of the searcher, from 0 on, whose assignment it is.
    pub fn searcher(&self) -> u32 {
        self.searcher
    }

    /// Whether a literal holds. `None` if it is open, or the search does not know it.
    pub fn value(&self, lit: Lit) -> Option<bool> {
        match self.names.seen(lit) {
            Lit::TRUE => Some(true),
            Lit::FALSE => Some(false),
            lit => self.of(lit).map(|(holds, _)| holds),
        }
    }

    /// Whether the literal can stand in clauses. Those of variables that a search by cores adds cannot.
    pub fn has(&self, lit: Lit) -> bool {
        self.names.searched(lit).is_ok()
    }

    /// The level at which a literal or its complement was assigned. `None` if it is open.
    pub fn level(&self, lit: Lit) -> Option<u32> {
        match self.names.seen(lit) {
            lit if lit.is_constant() => Some(0),
            lit => self.of(lit).map(|(_, level)| level),
        }
    }

    /// How many decisions there are.
    pub fn decision_level(&self) -> u32 {
        self.begin.len() as u32 - 1
    }

    /// The level of the last assumption, below which the search does not go.
    pub fn root_level(&self) -> u32 {
        self.root
    }

    /// The decision of a level. `None` at level 0 and above the present level.
    pub fn decision(&self, level: u32) -> Option<Lit> {
        let begin = *self.begin.get(level as usize).filter(|_| level > 0)?;
        self.trail.get(begin).map(|&lit| self.names.named(lit))
    }

    /// How many literals hold.
    pub fn len(&self) -> usize {
        self.trail.len()
    }

    /// Whether nothing is assigned.
    pub fn is_empty(&self) -> bool {
        self.trail.is_empty()
    }

    /// The literal that was assigned as the `at`-th, from 0 on.
    pub fn trail(&self, at: usize) -> Option<Lit> {
        self.trail.get(at).map(|&lit| self.names.named(lit))
    }

    /// The positions of a level on the trail. `None` above the present level.
    pub fn of_level(&self, level: u32) -> Option<Range<usize>> {
        let level = level as usize;
        let begin = *self.begin.get(level)?;
        Some(begin..self.begin.get(level + 1).copied().unwrap_or(self.trail.len()))
    }

    /// Whether all variables are assigned.
    pub fn is_total(&self) -> bool {
        self.trail.len() == self.vars
    }

    /// How many variables the search has.
    pub fn variables(&self) -> usize {
        self.vars
    }

    /// Whether a clause or a nogood is violated.
    pub fn has_conflict(&self) -> bool {
        self.is_in_conflict
    }

    pub(super) fn conflicts(&mut self) {
        self.is_in_conflict = true;
    }

    /// Whether a literal of the search holds, and its level, unless it is open.
    pub(super) fn of(&self, lit: Lit) -> Option<(bool, u32)> {
        let value = self.value.get(lit.var().0 as usize).copied().filter(|&value| value != 0)?;
        Some(((value > 0) != lit.is_false_sign(), value.unsigned_abs() - 1))
    }

    /// The number of levels, level 0 included.
    pub(super) fn levels(&self) -> usize {
        self.begin.len()
    }

    /// How many literals level 0 has.
    pub(super) fn end_of_first(&self) -> usize {
        self.begin.get(1).copied().unwrap_or(self.trail.len())
    }

    /// The literals of the search from a position of the trail on.
    pub(super) fn since(&self, at: usize) -> &[Lit] {
        &self.trail[at..]
    }

    /// Undoes the highest level.
    pub(super) fn pop_level(&mut self) {
        let begin = if self.begin.len() > 1 { self.begin.pop().unwrap_or(0) } else { 0 };
        for lit in self.trail.drain(begin..) {
            self.value[lit.var().0 as usize] = 0;
        }
    }

    /// Takes over what the search has assigned besides.
    pub(super) fn extend(&mut self, memory: &mut Memory) -> Result<(), SolveError> {
        let state = &memory.state;
        let (end, level) = (state.committed.load() as usize, state.level.load() as usize);
        (self.root, self.is_in_conflict) = (state.root.load().saturating_sub(1), false);
        self.vars = memory.search.problem.vars as usize;
        self.value.resize(self.vars, 0);
        let own = memory.search.own;
        // The device's level 1 is level 0 here.
        let mut begins = vec![0u32; level - self.begin.len()];
        memory.read_at(own.trail_at, self.begin.len() + 1, &mut begins)?;
        let from = self.trail.len();
        self.trail.resize(end, Lit::TRUE);
        memory.read_at(own.trail, from, &mut self.trail[from..])?;
        let mut begins = begins.into_iter().peekable();
        for (at, lit) in self.trail.iter().enumerate().skip(from) {
            if begins.next_if(|&begin| begin as usize <= at).is_some() {
                self.begin.push(at);
            }
            let value = self.begin.len() as i32;
            self.value[lit.var().0 as usize] = if lit.is_false_sign() { -value } else { value };
        }
        Ok(())
    }
}
