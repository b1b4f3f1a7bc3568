//! Which clauses another one follows from, in an order in which each becomes unit (LRAT; Cruz-Filipe et al.
//! 2017).
//!
//! Main type: [`Chains`]. A clause is kept as the nogood of its complements. What follows without assumptions
//! is a clause of its own, a *fact*. Invariant: all that follows without assumptions is on the trail, and
//! what was assumed is not.

use std::collections::HashSet;

use crate::propagate::Watches;
use crate::trusted::lit::{Lit, Var};
use crate::trusted::{Cause, Conflict, Finder, Handle, Look, Nogoods, Values};

/// The number of a clause in LRAT, from 1.
pub type Id = u64;

/// The clauses so far.
#[derive(Debug, Default)]
pub struct Chains {
    nogoods: Nogoods,
    values: Values,
    finder: Watches,
    /// For each nogood the number of its clause.
    ids: Vec<Id>,
    /// For each variable the number of the fact that gives it a value, or 0.
    facts: Vec<Id>,
    /// For each variable whether a conflict depends on it, while that is looked for.
    is_seen: Vec<bool>,
    /// How many literals hold without assumptions.
    base: usize,
    /// A clause that cannot hold.
    violated: Option<Handle>,
}

impl Chains {
    /// Makes room for the variables of a nogood.
    fn know(&mut self, nogood: &[Lit]) {
        let most = nogood.iter().map(|lit| lit.var().index() + 1).max().unwrap_or(0);
        while self.values.variables() < most {
            self.values.add();
            self.finder.add_variable();
            self.facts.push(0);
            self.is_seen.push(false);
        }
    }

    /// Adds a clause over different variables, with a number. Call [`Chains::settle`] afterwards.
    pub fn add(&mut self, mut nogood: Vec<Lit>, id: Id) -> Handle {
        self.know(&nogood);
        // The literals to watch come first.
        nogood.sort_by_key(|&lit| self.values.is_true(lit));
        let handle = self.nogoods.store(&nogood);
        self.ids.resize(self.ids.len().max(handle.index() + 1), 0);
        self.ids[handle.index()] = id;
        if nogood.len() > 1 {
            self.finder.add(handle, &nogood);
        }
        if self.nogoods.follow(handle, &mut self.values).is_err() {
            self.violated = Some(handle);
        }
        handle
    }

    /// Removes a clause, unless it is a fact. Returns its number.
    pub fn remove(&mut self, handle: Handle) -> Option<Id> {
        if self.nogoods.lits(handle).len() < 2 {
            return None;
        }
        if self.nogoods.remove(handle) {
            self.finder.forget_removed(&self.nogoods);
            self.nogoods.clean();
        }
        Some(self.ids[handle.index()])
    }

    /// Tells all new facts and what they follow from: a literal, or none in a conflict. `tell` returns the
    /// fact's number.
    pub fn settle(&mut self, mut tell: impl FnMut(Option<Lit>, &[Id]) -> Id) {
        loop {
            while let Some(&lit) = self.values.trail().get(self.base) {
                self.base += 1;
                let Cause::Nogood(cause) = self.values.cause_of(lit.var()) else { continue };
                let lits = self.nogoods.lits(cause);
                let own = self.ids[cause.index()];
                self.facts[lit.var().index()] = match lits.len() {
                    1 => own,
                    _ => {
                        let others = lits.iter().filter(|other| other.var() != lit.var());
                        let others = others.map(|other| self.facts[other.var().index()]);
                        tell(Some(lit), &others.chain([own]).collect::<Vec<Id>>())
                    }
                };
            }
            if let Some(handle) = self.violated {
                let facts = self.nogoods.lits(handle).iter().map(|lit| self.facts[lit.var().index()]);
                tell(None, &facts.chain([self.ids[handle.index()]]).collect::<Vec<Id>>());
                return;
            }
            let Some((lit, _)) = self.values.next() else { return };
            if self.visit(lit).is_err() {
                self.violated = nogood(self.values.cause);
            }
        }
    }

    fn visit(&mut self, lit: Lit) -> Result<(), Conflict> {
        self.finder.visit(lit, &mut Look::new(&mut self.nogoods, &mut self.values))
    }

    /// What a clause follows from, if it does by unit propagation. These `reasons` are looked at first.
    pub fn follows(&mut self, nogood: &[Lit], reasons: &[Handle]) -> Option<Vec<Id>> {
        self.know(nogood);
        let chain = match self.assume(nogood) {
            Err(known) => Some(known),
            Ok(()) => self.conflict(nogood, reasons),
        };
        self.undo();
        chain
    }

    /// The same for the resolvent of a clause with the clause `other`, on the first literal. It may always
    /// hold, and then follows from nothing.
    pub fn resolves(&mut self, nogood: &[Lit], other: Handle) -> Option<Vec<Id>> {
        let mut rest = self.nogoods.lits(other).to_vec();
        rest.retain(|lit| lit.var() != nogood[0].var());
        rest.extend(nogood);
        let chain = match self.assume(&rest) {
            Err(known) => Some(known),
            Ok(()) => self.conflict(&rest, &[]),
        };
        self.undo();
        chain
    }

    /// The number of a clause.
    pub fn id(&self, handle: Handle) -> Id {
        self.ids[handle.index()]
    }

    /// Whether a clause has the complement of the first literal of a clause.
    pub fn opposes(&self, nogood: &[Lit], other: Handle) -> bool {
        nogood.first().is_some_and(|&lit| self.nogoods.lits(other).contains(&!lit))
    }

    /// Assumes literals. The error is the fact that one of them is false, or nothing if that was assumed.
    fn assume(&mut self, lits: &[Lit]) -> Result<(), Vec<Id>> {
        self.values.cause = Cause::Assumed;
        lits.iter().try_for_each(|&lit| {
            let fact = self.facts[lit.var().index()];
            self.values.assign(lit).map_err(|_| if fact > 0 { vec![fact] } else { Vec::new() })
        })
    }

    /// Looks at the reasons, and then at whatever propagates. Returns what a conflict follows from once the
    /// literals are assumed: without the facts that are among them.
    fn conflict(&mut self, assumed: &[Lit], reasons: &[Handle]) -> Option<Vec<Id>> {
        let Chains { nogoods, values, .. } = self;
        let mut result = reasons.iter().try_for_each(|&reason| nogoods.follow(reason, values));
        while let (Ok(()), Some((lit, _))) = (&result, self.values.next()) {
            result = self.visit(lit);
        }
        let violated = result.err().and(nogood(self.values.cause))?;
        let mut chain = vec![self.ids[violated.index()]];
        let mut facts = Vec::new();
        let assumed: HashSet<Var> = assumed.iter().map(|lit| lit.var()).collect();
        let mut seen: Vec<Var> = Vec::new();
        let mut open = self.nogoods.lits(violated);
        let mut trail = self.values.trail()[self.base..].iter().rev();
        loop {
            for var in open.iter().map(|lit| lit.var()) {
                if std::mem::replace(&mut self.is_seen[var.index()], true) {
                    continue;
                }
                seen.push(var);
                let fact = self.facts[var.index()];
                facts.extend((fact > 0 && !assumed.contains(&var)).then_some(fact));
            }
            let caused = trail.find_map(|lit| {
                let cause = nogood(self.values.cause_of(lit.var()));
                cause.filter(|_| self.is_seen[lit.var().index()])
            });
            let Some(cause) = caused else { break };
            chain.push(self.ids[cause.index()]);
            open = self.nogoods.lits(cause);
        }
        seen.into_iter().for_each(|var| self.is_seen[var.index()] = false);
        chain.extend(facts);
        chain.reverse();
        Some(chain)
    }

    fn undo(&mut self) {
        while self.values.undo(self.base).is_some() {}
    }
}

/// The nogood that is a cause: there are no others, but assumptions.
fn nogood(cause: Cause) -> Option<Handle> {
    match cause {
        Cause::Nogood(handle) => Some(handle),
        _ => None,
    }
}
