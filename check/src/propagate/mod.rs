//! Unit propagation, which finds the nogoods that a step without reasons follows by.
//!
//! Main type: [`Watches`]. Nothing here has to be trusted: whatever is found is looked at by
//! [`crate::trusted`], and what is not found leads to a refusal. A nogood *watches* its first two literals
//! (Moskewicz et al., "Chaff", 2001). Invariant: once all literals are propagated, a nogood has a literal
//! that does not hold as its watched ones, or a false one.

mod record;

use crate::trusted::lit::Lit;
use crate::trusted::{self, Cause, Conflict, Finder, Handle, Known, Look, Nogoods, Terms};
pub use record::{Node, Record};

/// The engine of the checker.
pub type Engine = trusted::Engine<Watches>;

/// What was added to an engine, for whoever writes that elsewhere.
#[derive(Clone, Debug)]
pub enum Logged {
    /// A nogood that defines a variable, or is part of the program.
    Nogood(Vec<Lit>),
    /// A variable that stands for a sum.
    Sum {
        /// The variable.
        var: Lit,
        /// What the weights have to reach.
        bound: i128,
        /// The literals with their weights.
        terms: Terms,
    },
    /// An answer set that was accepted.
    Answer {
        /// What tells the answer set from others: literals that hold in it.
        apart: Vec<Lit>,
        /// Those from which the others follow.
        nogood: Vec<Lit>,
    },
}

/// An entry of a literal's list of nogoods.
#[derive(Clone, Copy, Debug)]
struct Watch {
    nogood: Handle,
    /// Another literal of the nogood. If it is false, the nogood need not be looked at.
    blocker: Lit,
}

/// For each literal the nogoods that watch it. Removed ones are still in the lists.
#[derive(Debug, Default)]
pub struct Watches {
    /// Those of two literals.
    pairs: Vec<Vec<Watch>>,
    longer: Vec<Vec<Watch>>,
    /// What follows from what, if somebody wants to know.
    record: Option<Box<Record>>,
    /// What was added, if somebody wants to know.
    log: Option<Vec<Logged>>,
}

impl Watches {
    /// Logs something, if that is wanted.
    fn log(&mut self, what: impl FnOnce() -> Logged) {
        if let Some(log) = &mut self.log {
            log.push(what());
        }
    }
}

impl Engine {
    /// Begins to log what is added.
    pub fn begin_log(&mut self) {
        self.tell(|watches, _| watches.log = Some(Vec::new()));
    }

    /// Logs an answer set, if that is wanted.
    pub fn log(&mut self, what: impl FnOnce() -> Logged) {
        self.tell(|watches, _| watches.log(what));
    }

    /// Takes what was logged.
    pub fn take_log(&mut self) -> Vec<Logged> {
        let mut taken = Vec::new();
        self.tell(|watches, _| taken = watches.log.as_mut().map(std::mem::take).unwrap_or_default());
        taken
    }

    /// Begins to record what follows from what.
    pub fn begin_record(&mut self) {
        self.tell(|watches, _| watches.record = Some(Box::default()));
    }

    /// Lets somebody note something in the record, if there is one.
    pub fn record(&mut self, note: impl FnOnce(&mut Record, &Known<'_>)) {
        self.tell(|watches, known| {
            if let Some(record) = &mut watches.record {
                note(record, known);
            }
        });
    }

    /// Records why there is a conflict, once these literals were assumed.
    pub fn explain(&mut self, assumed: &[Lit]) {
        self.record(|record, known| {
            let failed = assumed.iter().copied().filter(|&lit| known.values.is_false(lit));
            match known.values.cause {
                Cause::Assumed => record.explain(known, Cause::Assumed, failed),
                cause => record.explain(known, cause, std::iter::empty()),
            }
        });
    }

    /// Records why literals have their values.
    pub fn need(&mut self, lits: impl Iterator<Item = Lit>) {
        self.record(|record, known| record.explain(known, Cause::Assumed, lits));
    }
}

impl Finder for Watches {
    fn add_variable(&mut self) {
        self.pairs.extend([Vec::new(), Vec::new()]);
        self.longer.extend([Vec::new(), Vec::new()]);
    }

    fn add(&mut self, nogood: Handle, lits: &[Lit]) {
        if let Some(record) = &mut self.record {
            record.own(nogood);
        }
        if lits.len() < 2 {
            return;
        }
        let lists = if lits.len() == 2 { &mut self.pairs } else { &mut self.longer };
        for (lit, blocker) in [(lits[0], lits[1]), (lits[1], lits[0])] {
            lists[lit.index()].push(Watch { nogood, blocker });
        }
    }

    fn add_permanent(&mut self, lits: &[Lit]) {
        self.log(|| Logged::Nogood(lits.to_vec()));
    }

    fn add_sum(&mut self, var: Lit, bound: i128, terms: &Terms) {
        self.log(|| Logged::Sum { var, bound, terms: terms.clone() });
        self.record.iter_mut().for_each(|record| record.own_sum());
    }

    fn settle(&mut self, known: &Known<'_>, is_conflict: bool) {
        if let Some(record) = &mut self.record {
            record.settle(known, is_conflict);
        }
    }

    fn forget_removed(&mut self, nogoods: &Nogoods) {
        for list in self.pairs.iter_mut().chain(&mut self.longer) {
            list.retain(|watch| !nogoods.lits(watch.nogood).is_empty());
        }
    }

    fn visit(&mut self, lit: Lit, look: &mut Look<'_>) -> Result<(), Conflict> {
        for &Watch { nogood, blocker } in &self.pairs[lit.index()] {
            if !look.values().is_false(blocker) {
                look.follow(nogood)?;
            }
        }
        let mut list = std::mem::take(&mut self.longer[lit.index()]);
        let mut result = Ok(());
        let mut kept = 0;
        for at in 0..list.len() {
            let Watch { nogood, blocker } = list[at];
            list[kept] = list[at];
            kept += 1;
            if result.is_err() || look.values().is_false(blocker) {
                continue;
            }
            let Some((other, watched)) = look.replace(nogood, lit) else {
                kept -= 1;
                continue;
            };
            list[kept - 1].blocker = other;
            if watched != lit {
                self.longer[watched.index()].push(Watch { nogood, blocker: other });
                kept -= 1;
            } else if !look.values().is_false(other) {
                result = look.follow(nogood);
            }
        }
        list.truncate(kept);
        self.longer[lit.index()] = list;
        result
    }
}
