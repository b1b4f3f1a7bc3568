//! What has to be trusted when a nogood is said to follow: what follows from a nogood, a sum or the goal.
//!
//! Main type: [`Engine`]. It looks at what a proof names as a reason, and without that at what a [`Finder`]
//! says, which need not be trusted.

mod assignment;
pub mod definitions;
pub mod differences;
mod goal;
pub mod lit;
mod nogoods;
mod sums;

pub use assignment::{Cause, Conflict, Handle, Values};
pub use goal::Goal;
pub use nogoods::{Look, Nogoods};

pub use sums::{Sums, Terms};

use lit::{normalised, Lit, Var};

/// What looks for nogoods from which something follows.
pub trait Finder: Default {
    /// Makes room for a variable.
    fn add_variable(&mut self);

    /// A nogood was added with these literals. The first two do not hold, unless all others do.
    fn add(&mut self, nogood: Handle, lits: &[Lit]);

    /// A nogood comes that every answer set satisfies, or that defines a variable.
    fn add_permanent(&mut self, _: &[Lit]) {}

    /// A sum comes, with the next number: its variable, the bound and the terms.
    fn add_sum(&mut self, _var: Lit, _bound: i128, _: &Terms) {}

    /// Propagation without assumptions has come to its end, or to a conflict. What is known from
    /// [`Known::base`] on is new.
    fn settle(&mut self, _: &Known<'_>, _is_conflict: bool) {}

    /// Forgets the nogoods that were removed: those without literals.
    fn forget_removed(&mut self, nogoods: &Nogoods);

    /// A literal holds: has all nogoods looked at from which something follows now.
    ///
    /// # Errors
    /// If that finds a conflict.
    fn visit(&mut self, lit: Lit, look: &mut Look<'_>) -> Result<(), Conflict>;
}

/// What an engine knows, lent to its [`Finder`].
pub struct Known<'a> {
    pub values: &'a Values,
    pub nogoods: &'a Nogoods,
    pub sums: &'a Sums,
    pub goal: &'a Goal,
    /// How many literals hold without assumptions.
    pub base: usize,
}

/// What stays when a question begins.
#[derive(Clone, Debug, Default)]
struct Kept {
    lits: Vec<Lit>,
    /// Whether nothing is left to look for.
    is_refuted: bool,
}

/// What follows without assumptions stays on the trail (*the base*). Assumptions are made on top of it and
/// undone. Invariant: once the engine is refuted, nothing is on the trail.
#[derive(Debug, Default)]
pub struct Engine<F> {
    values: Values,
    nogoods: Nogoods,
    finder: F,
    sums: Sums,
    goal: Goal,
    is_refuted: bool,
    /// How many literals hold without assumptions.
    base: usize,
    /// What holds for any question.
    kept: Kept,
    /// What holds within the bounds of the present question.
    kept_within: Kept,
}

impl<F: Finder> Engine<F> {
    /// An engine with `variables` variables, of which the first is true.
    pub fn new(variables: u32, goal: Goal) -> Engine<F> {
        let mut engine = Engine { goal, ..Engine::default() };
        for _ in 0..variables.max(1) {
            engine.add_variable();
        }
        engine.kept.lits.push(Lit::TRUE);
        engine.kept_within = engine.kept.clone();
        engine.is_refuted = engine.values.assign(Lit::TRUE).is_err();
        engine
    }

    /// Lets the finder see what is known.
    pub fn tell(&mut self, to: impl FnOnce(&mut F, &Known<'_>)) {
        let Engine { values, nogoods, sums, goal, base, finder, .. } = self;
        to(finder, &Known { values, nogoods, sums, goal, base: *base });
    }

    /// The values of literals.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// Raises the least costs of a priority to what `sum` adds up to at least, together with what else is
    /// paid. `sum` has different literals, with weights. Returns `false` if the weights are larger than those
    /// of the lower bound.
    pub fn raise(&mut self, priority: usize, sum: &[(Lit, i128)], least: i128) -> bool {
        let rest = self.goal.rest(priority, sum, &self.values);
        rest.is_some_and(|rest| {
            self.goal.raise(priority, rest + least);
            true
        })
    }

    /// Whether propagation without assumptions has found a conflict.
    pub fn is_refuted(&self) -> bool {
        self.is_refuted
    }

    /// Adds a nogood over different variables as it is.
    fn store(&mut self, mut lits: Vec<Lit>) -> Handle {
        // The first two must not hold, if that is possible, so that their watches notice what happens.
        let mut open = 0;
        for at in 0..lits.len() {
            if open < 2 && !self.values.is_true(lits[at]) {
                lits.swap(open, at);
                open += 1;
            }
        }
        let handle = self.nogoods.store(&lits);
        self.finder.add(handle, &lits);
        self.values.cause = Cause::Nogood(handle);
        match open {
            _ if self.is_refuted => {}
            0 => self.conflict(),
            1 if self.values.is_open(lits[0]) => drop(self.values.assign(!lits[0])),
            _ => {}
        }
        // The number of a nogood without literals is given to others.
        match lits[..] {
            [] => Handle::NOWHERE,
            _ => handle,
        }
    }

    /// Adds a nogood without what is known of its literals already. Call [`Engine::settle`] afterwards.
    pub fn add(&mut self, lits: Vec<Lit>) -> Handle {
        match normalised(lits) {
            Some(mut lits) if !lits.iter().any(|&lit| self.values.is_false(lit)) => {
                lits.retain(|&lit| !self.values.is_true(lit));
                self.store(lits)
            }
            _ => Handle::NOWHERE,
        }
    }

    /// Removes a nogood. What was derived from it stays.
    pub fn remove(&mut self, handle: Handle) {
        if self.nogoods.remove(handle) {
            self.finder.forget_removed(&self.nogoods);
            self.nogoods.clean();
        }
    }

    /// Keeps what has been derived so far for questions within the present bounds, and perhaps for any.
    pub fn keep(&mut self, is_for_any: bool) {
        let is_refuted = self.kept_within.is_refuted || self.is_refuted;
        self.kept_within = Kept { lits: self.values.trail().to_vec(), is_refuted };
        if is_for_any {
            self.kept = self.kept_within.clone();
        }
    }

    /// Begins a question with bounds for the costs: what was derived since [`Engine::keep`] is forgotten. So
    /// is what was kept for the bounds before, unless these are within them. (The nogoods themselves are the
    /// caller's to remove.)
    pub fn restart(&mut self, bounds: Vec<i128>, is_within: bool) {
        self.undo_to(0);
        (self.base, self.values.cause) = (0, Cause::Assumed);
        self.goal.reset();
        self.goal.set_bounds(bounds);
        if !is_within {
            self.kept_within = self.kept.clone();
        }
        let Kept { lits, is_refuted } = &self.kept_within;
        self.is_refuted = *is_refuted;
        if !lits.iter().all(|&lit| self.is_refuted || self.values.assign(lit).is_ok()) {
            self.conflict();
        }
        self.settle();
    }

    /// Lowers the bounds.
    pub fn set_bounds(&mut self, bounds: Vec<i128>) {
        self.goal.set_bounds(bounds);
        self.settle();
    }

    /// There is a conflict without assumptions.
    fn conflict(&mut self) {
        self.tell(|finder, known| finder.settle(known, true));
        self.refute();
    }

    /// Nothing is left to look for.
    pub fn refute(&mut self) {
        self.undo_to(0);
        self.base = 0;
        self.is_refuted = true;
    }

    /// Nothing is left to look for within the bounds for which something is kept, or whatever is asked.
    pub fn refute_for_good(&mut self, is_for_any: bool) {
        self.refute();
        self.kept_within.is_refuted = true;
        self.kept.is_refuted |= is_for_any;
    }

    /// Assumes a literal. Call [`Engine::propagate`] afterwards.
    pub fn assume(&mut self, lit: Lit) -> Result<(), Conflict> {
        self.values.cause = Cause::Assumed;
        self.values.assign(lit)
    }

    /// Looks at one reason after the other, and at nothing else: at a nogood, or at the sums and the goal.
    pub fn follow(&mut self, mut reasons: impl Iterator<Item = Option<Handle>>) -> Result<(), Conflict> {
        reasons.try_for_each(|reason| match reason {
            Some(handle) => self.nogoods.follow(handle, &mut self.values),
            None => self.propagate_by(false, false),
        })
    }

    /// Propagates what was assumed.
    pub fn propagate(&mut self) -> Result<(), Conflict> {
        self.propagate_by(true, false)
    }

    /// Propagates sums and the goal, and nogoods too if it `finds` them. `is_base` says that nothing is
    /// assumed.
    fn propagate_by(&mut self, finds: bool, is_base: bool) -> Result<(), Conflict> {
        loop {
            let next = |values: &mut Values| match finds {
                true => values.next(),
                false => values.next_to_count().map(|lit| (lit, true)),
            };
            while let Some((lit, is_new)) = next(&mut self.values) {
                if is_new {
                    self.count(lit, 1);
                }
                if finds {
                    self.finder.visit(lit, &mut Look::new(&mut self.nogoods, &mut self.values))?;
                }
                self.sums.visit(lit, &mut self.values)?;
            }
            let length = self.values.trail().len();
            self.goal.visit(&mut self.values, is_base)?;
            if self.values.trail().len() == length {
                return Ok(());
            }
        }
    }

    /// Counts a literal that has begun to hold (`sign` 1), or no longer does (`sign` -1).
    fn count(&mut self, lit: Lit, sign: i128) {
        self.sums.count(lit, sign);
        self.goal.count(lit, sign);
    }

    /// Takes back all assumptions and what followed.
    pub fn undo(&mut self) {
        self.undo_to(self.base);
    }

    /// Takes back literals until `length` hold.
    pub fn undo_to(&mut self, length: usize) {
        while let Some((lit, was_counted)) = self.values.undo(length) {
            if was_counted {
                self.count(lit, -1);
            }
        }
    }

    /// Adds a variable.
    pub fn add_variable(&mut self) -> Var {
        self.finder.add_variable();
        self.values.add()
    }

    /// Adds a nogood that every answer set satisfies, or that defines a variable. Call [`Engine::settle`]
    /// afterwards.
    pub fn add_permanent(&mut self, lits: Vec<Lit>) {
        let Some(lits) = normalised(lits) else { return };
        self.finder.add_permanent(&lits);
        for kept in [&mut self.kept, &mut self.kept_within] {
            match lits[..] {
                [] => kept.is_refuted = true,
                [lit] => kept.lits.push(!lit),
                _ => {}
            }
        }
        self.store(lits);
    }

    /// Adds a sum whose variable is new.
    pub fn add_sum(&mut self, var: Lit, bound: i128, terms: Terms) {
        // All values have to be propagated, as the sum counts them.
        self.settle();
        self.finder.add_sum(var, bound, &terms);
        if self.sums.add(var, bound, terms, &mut self.values).is_err() {
            self.conflict();
        }
        self.settle();
    }

    /// Propagates without assumptions.
    pub fn settle(&mut self) {
        if !self.is_refuted {
            match self.propagate_by(true, true) {
                Ok(()) => self.tell(|finder, known| finder.settle(known, false)),
                Err(_) => self.conflict(),
            }
        }
        self.base = self.values.trail().len();
    }

    /// The costs and their bounds.
    pub fn goal(&self) -> &Goal {
        &self.goal
    }

    /// Adds to the weight of a literal in the lower bound of a priority. Call [`Engine::settle`] afterwards.
    pub fn add_weight(&mut self, priority: usize, lit: Lit, weight: i128) {
        self.goal.add_weight(priority, lit, weight, &self.values);
    }
}
