//! Follows a search by the items of its ring: the assignment, the numbers of learned nogoods, and the events.
//!
//! Main type: [`Follower`]; main function: [`Follower::follow`].
//!
//! Learned nogoods are renumbered on the device when some are deleted. A trace counts them in the order in
//! which they were learned, after the input's nogoods.

use super::events::{number, numbers as as_numbers, By, Event, Why};
use crate::searcher::proof::Shared;
use crate::searcher::ring::Item;
use crate::SolveError;
use solver_gpu::kernels::backjump::RESTART;
use solver_gpu::layout::{ALL_DECISIONS, DECISION, FIRST_LEARNED, FIRST_SUM, NONE};
use solver_gpu::trace::learner;
use solver_gpu::{Lit, Var};
use std::collections::{HashMap, HashSet};

/// Why a trace ends whose items do not belong together.
const UNKNOWN: SolveError = SolveError::Internal("the trace names a nogood that nobody has learned");

/// What is known of a search, by what it has written so far.
pub struct Follower {
    /// For each variable 1 if it is true, -1 if it is false, or 0.
    value: Vec<i8>,
    /// The literals of the trail with their levels.
    trail: Vec<(Lit, u32)>,
    level: u32,
    /// The number in the trace of each nogood that the device has learned, or imported, and kept.
    learned: Vec<u64>,
    /// The searcher's number in the trace.
    lane: usize,
    /// The searcher's number in its swarm, and the serial number of the next nogood that it derives. Only
    /// searchers of a swarm offer nogoods to others.
    origin: Option<(u32, u64)>,
    /// Which of its nogoods the searcher shows to others.
    shared: Shared,
    /// What the search assumes.
    assumed: HashSet<Lit>,
    /// The number of variables before any were added.
    vars: u32,
    /// The violated nogoods of a conflict of which there may be more, each with what orders them.
    violated: Vec<((u32, u32), Why)>,
    /// The same of the last conflict that was told, in order.
    last: Vec<Why>,
    because: Option<Vec<Lit>>,
    /// Whether the next literal is a flipped decision.
    flips: bool,
}

/// What [`Follower::follow`] finds.
pub enum Found {
    /// An event.
    Event(Event),
    /// An answer set is in the assignment.
    Answer,
}

/// The numbers of nogoods in the trace.
pub struct Numbers {
    /// The number of the next nogood.
    next: u64,
    /// The number of each nogood that others may import, and whose it is.
    by_origin: HashMap<(u32, u64), (u64, usize)>,
}

impl Numbers {
    /// Numbers that follow on those of so many input nogoods.
    pub fn new(nogoods: u64) -> Numbers {
        Numbers { next: nogoods, by_origin: HashMap::new() }
    }
}

impl Follower {
    /// Follows the search of searcher `lane` that has assigned nothing, with so many variables.
    pub fn new(vars: u32, lane: usize) -> Follower {
        Follower {
            value: vec![0; vars as usize],
            trail: Vec::new(),
            level: 1,
            learned: Vec::new(),
            lane,
            origin: None,
            shared: Shared::default(),
            assumed: HashSet::new(),
            vars,
            violated: Vec::new(),
            last: Vec::new(),
            because: None,
            flips: false,
        }
    }

    /// Whether a variable is true.
    pub fn is_true(&self, var: Var) -> bool {
        self.value[var.0 as usize] > 0
    }

    /// The search starts over: nothing is assigned, and nothing is learned.
    pub fn again(&mut self) {
        let (origin, shared) = (self.origin, self.shared);
        *self = Follower { origin, shared, ..Follower::new(self.vars, self.lane) };
    }

    /// So many variables are added, which are open.
    pub fn extend(&mut self, vars: usize) {
        self.value.resize(self.value.len() + vars, 0);
    }

    /// The search assumes these literals from now on.
    pub fn assume(&mut self, lits: &[Lit]) {
        self.assumed = lits.iter().copied().collect();
    }

    /// The searcher is number `number` of a swarm from now on. The next nogood that it derives has the serial
    /// number `serial`.
    pub fn joins(&mut self, number: u32, serial: u64, shared: Shared) {
        (self.origin, self.shared) = (Some((number, serial)), shared);
    }

    /// The number of a nogood that the searcher derives, by `learner`, which has so many literals and levels.
    fn number(&mut self, learner: u32, len: usize, levels: u32, numbers: &mut Numbers) -> u64 {
        let nogood = numbers.next;
        numbers.next += 1;
        if let Some((number, serial)) = &mut self.origin {
            if self.shared.has(learner, len as u32, levels) {
                numbers.by_origin.insert((*number, *serial), (nogood, self.lane));
            }
            *serial += 1;
        }
        nogood
    }

    /// Takes an item in, and tells what it means by `tell`. After a deletion `renamed` has the new index of
    /// each learned nogood.
    ///
    /// # Errors
    /// If an item names a nogood that nobody has derived: an error in the solver.
    pub fn follow(
        &mut self,
        item: Item,
        renamed: &[u32],
        numbers: &mut Numbers,
        mut tell: impl FnMut(Found),
    ) -> Result<(), SolveError> {
        if !matches!(item, Item::Conflict { .. } | Item::Because(_)) {
            self.end_conflict().into_iter().for_each(|event| tell(Found::Event(event)));
        }
        match item {
            Item::Because(lits) => self.because = Some(lits),
            Item::Literal { level, lit, reason } => tell(Found::Event(self.assign(level, lit, reason)?)),
            Item::Conflict { id, length } => {
                let why = self.why(id, None)?;
                self.violated.push(((length, id), why));
            }
            Item::Learned { rank, learner, levels, lits, .. } => {
                let by = match learner {
                    learner::FORWARD => By::Forward,
                    learner::RESOLUTION => By::Resolution,
                    learner::CORE => By::Core,
                    _ => By::Loop,
                };
                let is_of_conflict = matches!(by, By::Forward | By::Resolution);
                let from = self.last.get(rank as usize).filter(|_| is_of_conflict).cloned();
                let nogood = self.number(learner, lits.len(), levels, numbers);
                self.learned.push(nogood);
                tell(Found::Event(Event::Learn { nogood, by, from, levels, literals: as_numbers(&lits) }));
            }
            Item::Unfounded(atoms) => {
                let literals = atoms.iter().map(|&p| number(Lit::t(Var(p)))).collect();
                tell(Found::Event(Event::Unfounded { literals }));
            }
            Item::Jump { how, to, flips, restarts } => {
                // A level may have been opened that was not told.
                let from = self.level.max(to);
                while let Some((lit, _)) = self.trail.pop_if(|(_, level)| *level > to) {
                    self.value[lit.var().0 as usize] = 0;
                }
                (self.level, self.flips) = (to, flips);
                if how == RESTART {
                    tell(Found::Event(Event::Restart { from, to, due: restarts }));
                } else if from > to {
                    tell(Found::Event(Event::Backjump { from, to }));
                }
            }
            Item::Answer => tell(Found::Answer),
            Item::Foreign(origin, lits) => {
                let Some(&(nogood, of)) = numbers.by_origin.get(&(origin.searcher(), origin.serial())) else {
                    return Err(UNKNOWN);
                };
                self.learned.push(nogood);
                let (of, literals) = (of as u64, as_numbers(&lits));
                tell(Found::Event(Event::Import { nogood, of, literals }));
            }
            Item::Offered(lits) => {
                for lit in lits {
                    let (nogood, literals) =
                        (self.number(learner::RESOLUTION, 1, 0, numbers), as_numbers(&[!lit]));
                    let by = By::Fact;
                    tell(Found::Event(Event::Learn { nogood, by, from: None, levels: 0, literals }));
                }
            }
            Item::Begun(mode, lits) => tell(Found::Event(Event::cube(mode, &lits))),
            Item::Refuted(lits) => tell(Found::Event(Event::Refuted { literals: as_numbers(&lits) })),
            Item::Divided(_, cube, decision) => {
                let with = |lit: Lit| as_numbers(&[&cube[..], &[lit]].concat());
                tell(Found::Event(Event::Divide { literals: with(decision), given: with(!decision) }));
            }
            // These are for proofs, or came with the item.
            Item::Decisions(_)
            | Item::Completed(..)
            | Item::Stamp(_)
            | Item::Imported(..)
            | Item::Reasons { .. }
            | Item::Goal => {}
            Item::Deleted(n) => match renamed.get(..n as usize) {
                Some(renamed) => tell(Found::Event(self.delete(renamed)?)),
                None => return Err(UNKNOWN),
            },
        }
        Ok(())
    }

    /// The conflict whose violated nogoods came last, if there is one that was not told.
    pub fn end_conflict(&mut self) -> Option<Event> {
        if self.violated.is_empty() {
            return None;
        }
        let mut violated = std::mem::take(&mut self.violated);
        violated.sort_by_key(|&(order, _)| order);
        violated.dedup_by_key(|&mut (order, _)| order);
        self.last = violated.into_iter().map(|(_, why)| why).collect();
        Some(Event::Conflict { level: self.level, violated: self.last.clone() })
    }

    /// Takes a deletion in, after which the nogoods have these indices.
    fn delete(&mut self, renamed: &[u32]) -> Result<Event, SolveError> {
        let kept = renamed.iter().filter(|&&to| to != NONE).count();
        let (mut left, mut nogoods) = (vec![0; kept], Vec::new());
        if renamed.len() != self.learned.len() {
            return Err(UNKNOWN);
        }
        for (&number, &to) in self.learned.iter().zip(renamed) {
            match to {
                NONE => nogoods.push(number),
                to => *left.get_mut(to as usize).ok_or(UNKNOWN)? = number,
            }
        }
        self.learned = left;
        Ok(Event::Delete { nogoods })
    }

    fn assign(&mut self, level: u32, lit: Lit, reason: u32) -> Result<Event, SolveError> {
        self.value[lit.var().0 as usize] = if lit.is_false_sign() { -1 } else { 1 };
        self.trail.push((lit, level));
        self.level = level;
        let literal = number(lit);
        let flips = std::mem::take(&mut self.flips);
        Ok(match reason {
            DECISION => Event::Decide { level, literal, assumed: self.assumed.contains(&lit) },
            ALL_DECISIONS if flips => Event::Flip { level, literal },
            ALL_DECISIONS => Event::Complete { level, literal },
            reason => Event::Propagate { level, literal, why: self.why(reason, Some(lit))? },
        })
    }

    /// A nogood by the device's id. Of a sum it also says which literals violate it, with the complement of
    /// what it has forced.
    fn why(&mut self, id: u32, forced: Option<Lit>) -> Result<Why, SolveError> {
        let because = self.because.take();
        if id < FIRST_LEARNED {
            return Ok(Why::Nogood { nogood: id as u64 });
        }
        if id < FIRST_SUM {
            let learned = self.learned.get((id - FIRST_LEARNED) as usize);
            return learned.map(|&nogood| Why::Nogood { nogood }).ok_or(UNKNOWN);
        }
        let mut lits = because.unwrap_or_default();
        lits.extend(forced.map(|lit| !lit));
        let mut literals = as_numbers(&lits);
        let mut seen = std::collections::HashSet::new();
        literals.retain(|&lit| seen.insert(lit));
        Ok(Why::Sum { sum: (id - FIRST_SUM) as u64, literals })
    }
}
