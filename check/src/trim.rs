//! Proofs without the steps that are not needed.
//!
//! Main types: [`Plan`], which says what is needed, and [`Steps`], which are the steps. A checker records
//! what follows from what, and that is looked at backwards. Nothing here is trusted: [`Checker`] checks
//! what is left of a proof like any other.

use std::collections::HashMap;

use crate::checker::Checker;
use crate::program::Program;
use crate::proof::{Place, Proof, ProofError, Source, Step};
use crate::propagate::{Node, Record};

/// Why a proof cannot be trimmed.
#[derive(Debug, thiserror::Error)]
pub enum Rejection {
    /// A step is wrong.
    #[error("step {number} ({place}) is refused: {why}")]
    Refused {
        /// The number of the step.
        number: u64,
        /// Where it is.
        place: Place,
        /// The reason.
        why: String,
    },
    /// The proof may be right.
    #[error(
        "step {number} ({place}): a proof of more than 2^30 steps is not looked at backwards; check it \
         without --backward and --trim"
    )]
    Beyond {
        /// The number of the first step that is not looked at.
        number: u64,
        /// Where it is.
        place: Place,
    },
}

/// Which steps of a proof are needed.
#[derive(Debug)]
pub struct Plan {
    record: Box<Record>,
    /// Whether a call, or the proof as a whole, ends with a conclusion.
    is_concluded: bool,
    /// For each definition whether it is needed.
    definitions: Vec<bool>,
    /// For each serial number from 1 the last step that needs the nogood; 0 if none does.
    last: Vec<u32>,
    /// Serial numbers of needed nogoods, in the order in which they are used for the last time.
    by_last: Vec<u32>,
}

/// The largest number of a step, and of a nogood.
const MOST: u64 = 1 << 30;

impl Plan {
    /// Looks for the steps of a proof that are needed. `bytes` is the whole proof.
    ///
    /// # Errors
    /// If a step cannot be read, makes no sense, or is needed and does not follow; or if the last question is
    /// not refuted.
    pub fn new(program: Program, bytes: &[u8]) -> Result<Plan, Rejection> {
        let mut checker = Checker::recording(program);
        let mut definitions = Definitions::default();
        let mut from = bytes;
        let mut proof = Proof::new(&mut from);
        let (mut serial, mut is_concluded) = (0, false);
        for number in 1.. {
            let step = proof.step();
            let place = proof.place();
            let refused = |why: String| Rejection::Refused { number, place, why };
            let Some(step) = step.map_err(|error| refused(error.to_string()))? else { break };
            serial += step.nogoods() as u64;
            if number.max(serial) > MOST {
                return Err(Rejection::Beyond { number, place });
            }
            checker.record(|record| definitions.begin(&step, number as u32, record));
            checker.step(&step).map_err(|why| refused(format!("{why}: {step}")))?;
            if !matches!(step, Step::Nogood(_) | Step::Loop { .. } | Step::Cycle(_) | Step::Answer(_)) {
                checker.record(Record::need);
            }
            // A call that has ended is checked whether or not the proof has a conclusion.
            is_concluded |= matches!(step, Step::End(true) | Step::Finished { is_refuted: true, .. });
        }
        let mut plan = Plan {
            record: checker.take_record(),
            is_concluded,
            definitions: Vec::new(),
            last: vec![0],
            by_last: Vec::new(),
        };
        let last =
            plan.record.needed(is_concluded).map_err(|(number, why)| rejection(bytes, number, &why))?;
        plan.definitions =
            definitions.all.iter().map(|&node| !is_concluded || last[node as usize] > 0).collect();
        plan.last.extend((1..=serial as u32).map(|serial| last[plan.record.node(serial) as usize]));
        plan.by_last = (1..=serial as u32).filter(|&serial| plan.last[serial as usize] > 0).collect();
        plan.by_last.sort_by_key(|&serial| plan.last[serial as usize]);
        Ok(plan)
    }

    /// Whether a step that adds `count` nogoods after the serial number `serial` is needed. Of reasons and
    /// deletions there are new ones.
    fn keeps(&self, step: &Step, serial: u32, count: u32) -> bool {
        match step {
            Step::Because(_) | Step::Deletion(_) => false,
            Step::Nogood(_) | Step::Loop { .. } | Step::Cycle(_) => {
                (serial + 1..=serial + count).any(|serial| self.last[serial as usize] > 0)
            }
            // What it says is known to hold may have followed from nogoods.
            Step::Least { .. } => self.is_concluded,
            _ => true,
        }
    }

    /// The steps that are left of the proof.
    pub fn steps<'a>(&'a self, bytes: &'a [u8]) -> Steps<'a> {
        Steps {
            plan: self,
            proof: Proof::new(bytes),
            place: Place::Byte(0),
            definition: 0,
            number: 0,
            serial: 0,
            new_serials: vec![0; self.last.len()],
            new_serial: 0,
            deleted: 0,
            waiting: Vec::new(),
            is_counted: false,
        }
    }
}

/// The definitions of a proof.
#[derive(Default)]
struct Definitions {
    all: Vec<Node>,
    /// The same by their variables.
    of: HashMap<i64, Node>,
}

impl Definitions {
    /// Begins a step, which needs the definitions of the variables that it names.
    fn begin(&mut self, step: &Step, number: u32, record: &mut Record) {
        record.begin(number);
        let mut name = |lit: &i64| record.because.extend(self.of.get(&lit.abs()));
        match step {
            Step::Assumption(lits)
            | Step::Nogood(lits)
            | Step::Call(lits)
            | Step::Definition { lits, .. }
            | Step::Loop { lits, .. } => lits.iter().for_each(name),
            Step::Sum { terms, .. } => terms.iter().for_each(|(_, lit)| name(lit)),
            Step::Rewriting { var, .. } | Step::Least { var, .. } => name(var),
            _ => {}
        }
        if let Step::Definition { var, .. } | Step::Sum { var, .. } = step {
            let node = record.define();
            self.all.push(node);
            self.of.insert(*var, node);
            record.because.clear();
        }
    }
}

/// Says that a step that was read before is refused.
fn rejection(bytes: &[u8], number: u32, why: &str) -> Rejection {
    let mut from = bytes;
    let mut proof = Proof::new(&mut from);
    let mut step = None;
    for _ in 0..number {
        step = proof.step().ok().flatten();
    }
    let why = step.map_or(why.into(), |step| format!("{why}: {step}"));
    Rejection::Refused { number: number.into(), place: proof.place(), why }
}

/// The steps that are left of a proof, one after the other.
pub struct Steps<'a> {
    plan: &'a Plan,
    proof: Proof<'a>,
    place: Place,
    /// How many definitions were read.
    definition: usize,
    /// How many steps of the proof were read, and how many nogoods they add.
    number: u32,
    serial: u32,
    /// For each serial number in the proof the one here.
    new_serials: Vec<u32>,
    new_serial: u32,
    /// How many of `Plan::by_last` were deleted.
    deleted: usize,
    /// Steps that come before the next one of the proof, the last one first.
    waiting: Vec<Step>,
    /// Whether the question's answer sets have nogoods that may be deleted.
    is_counted: bool,
}

impl Source for Steps<'_> {
    /// A deletion is where the step before it is.
    fn place(&self) -> Place {
        self.place
    }

    fn step(&mut self) -> Result<Option<Step>, ProofError> {
        loop {
            if let Some(step) = self.waiting.pop() {
                return Ok(Some(step));
            }
            let step = self.proof.step();
            self.place = self.proof.place();
            let Some(step) = step? else { return Ok(None) };
            self.number += 1;
            let (before, count) = (self.serial, step.nogoods() as u32);
            self.serial += count;
            let is_definition = matches!(step, Step::Definition { .. } | Step::Sum { .. });
            self.definition += usize::from(is_definition);
            let is_left = match is_definition {
                true => self.plan.definitions[self.definition - 1],
                false => self.plan.keeps(&step, before, count),
            };
            if !is_left {
                continue;
            }
            if let Step::Question { kind, .. } = &step {
                self.is_counted = (1..=3).contains(kind);
            }
            let has_effect = self.is_counted || !matches!(step, Step::Answer(_));
            for serial in before + 1..=before + count {
                self.new_serial += 1;
                self.new_serials[serial as usize] = self.new_serial;
                if self.plan.last[serial as usize] == 0 && has_effect {
                    self.waiting.push(Step::Deletion(self.new_serial.into()));
                }
            }
            if matches!(step, Step::End(_)) {
                return Ok(Some(step));
            }
            let mut reasons = None;
            if let Step::Nogood(_) = step {
                reasons = self.plan.record.reasons(self.serial).filter(|reasons| !reasons.is_empty());
            }
            while let Some(&serial) = self.plan.by_last.get(self.deleted) {
                if self.plan.last[serial as usize] > self.number {
                    break;
                }
                self.deleted += 1;
                self.waiting.push(Step::Deletion(self.new_serials[serial as usize].into()));
            }
            let Some(mut reasons) = reasons else { return Ok(Some(step)) };
            for reason in reasons.iter_mut().filter(|reason| **reason > 0) {
                *reason = self.new_serials[*reason as usize].into();
            }
            self.waiting.push(step);
            return Ok(Some(Step::Because(reasons)));
        }
    }
}
