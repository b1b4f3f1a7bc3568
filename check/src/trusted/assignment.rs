//! The values of literals, and the order in which they were assigned.
//!
//! Main type: [`Values`]. Invariant: the trail has exactly the literals that hold. Those before `head`
//! have been propagated, and these and perhaps more, those before `counted`, are counted in sums and in the
//! goal.

use super::lit::{Lit, Var};

/// A nogood is violated. Only this folder can say so.
#[derive(Debug)]
pub struct Conflict(());

impl Conflict {
    /// A conflict that was found.
    pub(super) fn found() -> Conflict {
        Conflict(())
    }
}

/// The number of a nogood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handle(pub(super) u32);

impl Handle {
    /// That of a nogood that was not stored.
    pub const NOWHERE: Handle = Handle(u32::MAX);

    /// The index of arrays over nogoods.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What has made a literal hold, or was violated last.
#[derive(Clone, Copy, Debug, Default)]
pub enum Cause {
    /// It was assumed, or held when the question began.
    #[default]
    Assumed,
    /// A nogood.
    Nogood(Handle),
    /// The sum with this number.
    Sum(u32),
    /// The goal.
    Goal,
}

/// The literals that hold, each with what made it hold.
#[derive(Debug, Default)]
pub struct Values {
    /// For each literal whether it holds (1), its complement does (-1), or neither (0).
    value: Vec<i8>,
    trail: Vec<Lit>,
    head: usize,
    counted: usize,
    causes: Vec<Cause>,
    /// What makes the literals hold that are assigned from here on.
    pub cause: Cause,
}

impl Values {
    /// Adds a variable without a value.
    pub fn add(&mut self) -> Var {
        self.value.extend([0, 0]);
        self.causes.push(Cause::Assumed);
        Var(self.variables() as u32 - 1)
    }

    /// How many variables there are.
    pub fn variables(&self) -> usize {
        self.value.len() / 2
    }

    /// Whether the literal holds.
    pub fn is_true(&self, lit: Lit) -> bool {
        self.value[lit.index()] > 0
    }

    /// Whether the literal's complement holds.
    pub fn is_false(&self, lit: Lit) -> bool {
        self.value[lit.index()] < 0
    }

    /// Whether neither the literal nor its complement holds.
    pub fn is_open(&self, lit: Lit) -> bool {
        self.value[lit.index()] == 0
    }

    /// Makes a literal hold.
    pub fn assign(&mut self, lit: Lit) -> Result<(), Conflict> {
        match self.value[lit.index()] {
            0 => {
                self.value[lit.index()] = 1;
                self.value[(!lit).index()] = -1;
                self.causes[lit.var().index()] = self.cause;
                self.trail.push(lit);
                Ok(())
            }
            value if value > 0 => Ok(()),
            _ => Err(Conflict::found()),
        }
    }

    /// What has made a variable's literal hold.
    pub fn cause_of(&self, var: Var) -> Cause {
        self.causes[var.index()]
    }

    /// All literals that hold.
    pub fn trail(&self) -> &[Lit] {
        &self.trail
    }

    /// The next literal to propagate, which counts as propagated from here on, and whether to count it.
    pub fn next(&mut self) -> Option<(Lit, bool)> {
        let lit = self.trail.get(self.head).copied()?;
        self.head += 1;
        let is_new = self.counted < self.head;
        self.counted = self.counted.max(self.head);
        Some((lit, is_new))
    }

    /// The next literal to count, which is counted from here on.
    pub fn next_to_count(&mut self) -> Option<Lit> {
        let lit = self.trail.get(self.counted).copied()?;
        self.counted += 1;
        Some(lit)
    }

    /// Takes back the last literal if more than `length` hold. Returns it, and whether it was counted.
    pub fn undo(&mut self, length: usize) -> Option<(Lit, bool)> {
        if self.trail.len() <= length {
            return None;
        }
        let lit = self.trail.pop()?;
        self.value[lit.index()] = 0;
        self.value[(!lit).index()] = 0;
        let was_counted = self.counted > self.trail.len();
        self.counted = self.counted.min(self.trail.len());
        self.head = self.head.min(self.trail.len());
        Some((lit, was_counted))
    }
}
