//! What is left of a proof.
//!
//! Main types: [`Plan`], which says what is needed, and [`Steps`], which are the steps. Definitions come first.

use super::search::{Failure, Search, Wrong};
use crate::program::Program;
use crate::proof::{Place, Proof, ProofError, Source, Step};

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
        "step {number} ({place}): {what} not looked at backwards; check the proof without --backward and \
         --trim"
    )]
    Beyond {
        /// The number of the first step that is not looked at.
        number: u64,
        /// Where it is.
        place: Place,
        /// What is not looked at, with a verb.
        what: &'static str,
    },
}

/// Which steps of a proof are needed.
#[derive(Debug)]
pub struct Plan {
    /// The definitions that are needed, and where they are.
    definitions: Vec<(Step, Place)>,
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
    /// If a step cannot be read, makes no sense, or is needed and does not follow; or if the last question is not refuted.
    pub fn new(program: Program, bytes: &[u8]) -> Result<Plan, Rejection> {
        let mut search = Search::new(program);
        let mut definitions = Vec::new();
        for_each(bytes, |step, number, place| {
            search.step(step, number)?;
            if matches!(step, Step::Definition { .. } | Step::Sum { .. }) {
                definitions.push((step.clone(), place));
            }
            Ok(())
        })?;
        let (last, mut is_needed) = search.finish().map_err(|wrong| rejection(bytes, wrong))?;
        let mut plan = Plan { definitions: Vec::new(), last, by_last: Vec::new() };
        plan.by_last = (1..plan.last.len() as u32).filter(|&serial| plan.last[serial as usize] > 0).collect();
        plan.by_last.sort_by_key(|&serial| plan.last[serial as usize]);
        plan.find_definitions(bytes, definitions, &mut is_needed)?;
        Ok(plan)
    }

    /// Keeps the definitions that are needed, and those of variables that the needed steps name.
    fn find_definitions(
        &mut self,
        bytes: &[u8],
        definitions: Vec<(Step, Place)>,
        is_needed: &mut [bool],
    ) -> Result<(), Rejection> {
        let number_of = |(at, (step, _)): (usize, &(Step, Place))| match step {
            Step::Definition { var, .. } | Step::Sum { var, .. } => Some((*var, at + 1)),
            _ => None,
        };
        let numbers: std::collections::HashMap<i64, usize> =
            definitions.iter().enumerate().filter_map(number_of).collect();
        let name = |lit: &i64, is_needed: &mut [bool]| {
            if let Some(&at) = numbers.get(&lit.abs()) {
                is_needed[at] = true;
            }
        };
        let mut serial = 0;
        for_each(bytes, |step, _, _| {
            let count = step.nogoods() as u32;
            if self.keeps(step, serial, count) {
                match step {
                    Step::Nogood(lits) | Step::Loop { lits, .. } => {
                        lits.iter().for_each(|lit| name(lit, is_needed));
                    }
                    Step::Assumption(lits) => lits.iter().for_each(|lit| name(lit, is_needed)),
                    Step::Rewriting { var, .. } | Step::Least { var, .. } => name(var, is_needed),
                    _ => {}
                }
            }
            serial += count;
            Ok(())
        })?;
        for (at, (step, _)) in definitions.iter().enumerate().rev() {
            match step {
                _ if !is_needed[at + 1] => {}
                Step::Definition { lits, .. } => lits.iter().for_each(|lit| name(lit, is_needed)),
                Step::Sum { terms, .. } => terms.iter().for_each(|(_, lit)| name(lit, is_needed)),
                _ => {}
            }
        }
        let mut is_needed = is_needed.iter().skip(1);
        self.definitions = definitions.into_iter().filter(|_| is_needed.next() == Some(&true)).collect();
        Ok(())
    }

    /// Whether a step that adds `count` nogoods after the serial number `serial` is needed. Definitions stay out, as they
    /// come before the other steps.
    fn keeps(&self, step: &Step, serial: u32, count: u32) -> bool {
        match step {
            Step::Definition { .. } | Step::Sum { .. } | Step::Because(_) | Step::Deletion(_) => false,
            Step::Nogood(_) | Step::Loop { .. } => {
                (serial + 1..=serial + count).any(|serial| self.last[serial as usize] > 0)
            }
            Step::Assumption(_)
            | Step::Question { .. }
            | Step::Call(_)
            | Step::Finished { .. }
            | Step::Answer(_)
            | Step::Rewriting { .. }
            | Step::Least { .. }
            | Step::End(_) => true,
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

/// Calls `told` with each step, its number and its place.
fn for_each(
    bytes: &[u8],
    mut told: impl FnMut(&Step, u32, Place) -> Result<(), Failure>,
) -> Result<(), Rejection> {
    let mut from = bytes;
    let mut proof = Proof::new(&mut from);
    let mut serial = 0;
    for number in 1.. {
        let step = proof.step();
        let place = proof.place();
        let refused = |why: String| Rejection::Refused { number, place, why };
        let Some(step) = step.map_err(|error| refused(error.to_string()))? else { break };
        serial += step.nogoods() as u64;
        if number.max(serial) > MOST {
            return Err(Rejection::Beyond { number, place, what: "a proof of more than 2^30 steps is" });
        }
        told(&step, number as u32, place).map_err(|failure| match failure {
            Failure::Wrong((at, why)) if u64::from(at) == number => refused(format!("{why}: {step}")),
            Failure::Wrong(wrong) => rejection(bytes, wrong),
            Failure::Beyond(what) => Rejection::Beyond { number, place, what },
        })?;
    }
    Ok(())
}

/// Says that a step that was read before is refused.
fn rejection(bytes: &[u8], (number, why): Wrong) -> Rejection {
    let mut from = bytes;
    let mut proof = Proof::new(&mut from);
    let mut step = None;
    for _ in 0..number {
        step = proof.step().ok().flatten();
    }
    let why = step.map_or(why.clone(), |step| format!("{why}: {step}"));
    Rejection::Refused { number: number.into(), place: proof.place(), why }
}

/// The steps that are left of a proof, one after the other.
pub struct Steps<'a> {
    plan: &'a Plan,
    proof: Proof<'a>,
    place: Place,
    /// How many definitions were returned.
    definition: usize,
    /// How many steps of the proof were read, and how many nogoods they add.
    number: u32,
    serial: u32,
    /// For each serial number in the proof the one here.
    new_serials: Vec<u32>,
    new_serial: u32,
    /// How many of `Plan::by_last` were deleted.
    deleted: usize,
    /// Deletions that come before the next step, the last one first.
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
        if let Some((step, place)) = self.plan.definitions.get(self.definition) {
            self.definition += 1;
            self.place = *place;
            return Ok(Some(step.clone()));
        }
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
            if !self.plan.keeps(&step, before, count) {
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
            while let Some(&serial) = self.plan.by_last.get(self.deleted) {
                if self.plan.last[serial as usize] > self.number {
                    break;
                }
                self.deleted += 1;
                self.waiting.push(Step::Deletion(self.new_serials[serial as usize].into()));
            }
            return Ok(Some(step));
        }
    }
}
