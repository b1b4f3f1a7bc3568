//! The nogoods of each searcher, and their serial numbers in the proof.
//!
//! Main type: [`Seat`]. A learned nogood comes with what the searcher went through to learn it (step `b`), so
//! that a checker need not look for that again. A nogood of the translation stands in the proof once it is
//! such a reason.

use super::format::Steps;
use super::prelude::Numbers;
use super::shown::{Looks, Shown};
use solver_gpu::layout::{NogoodId, Origin, NONE};
use solver_gpu::trace::learner;
use solver_gpu::Lit;
use std::collections::HashMap;
use std::io;
use std::sync::Arc;

/// What is known of a searcher.
#[derive(Default)]
pub struct Seat {
    /// Each nogood that the searcher has learned or imported, and kept.
    pub learned: Vec<Held>,
    /// What the nogoods that come next rest on: ids of the device, for each rank of a conflict.
    pub reasons: Vec<(u32, Vec<u32>)>,
    /// The unfounded set of the loop nogood that comes next.
    pub unfounded: Option<Vec<i32>>,
    /// The cycle of difference constraints whose nogood comes next, and its serial number.
    pub cycle: Option<(Arc<Cycle>, u64)>,
    /// The serial number of the last answer set's nogood, which the next flipped decision makes superfluous.
    pub answer: Option<u64>,
    /// For each flipped decision the number of decisions on which the flip depends, and the serial number of
    /// the nogood that says so.
    pub flips: Vec<(usize, u64)>,
    /// How far the searcher is in the pool, and what it has shown to others since it said so.
    looks: Looks,
    shows: Vec<Origin>,
}

/// A nogood that a searcher has learned or imported, and kept.
#[derive(Clone, Default)]
pub struct Held {
    /// Its serial number, or 0 if that is not known.
    pub serial: u64,
    /// Where it comes from, if others may have it. Otherwise it is deleted with the searcher's.
    pub shown: Option<Origin>,
    /// How the nogood is written before it is a reason, if it is that of a cycle: once more if others have
    /// found the cycle, and over the search's literals if those of the constraints are others.
    pub cycle: Option<Arc<Cycle>>,
}

/// A cycle of difference constraints.
pub struct Cycle {
    /// The constraints.
    pub edges: Vec<u32>,
    /// The nogood, over the search's literals.
    pub nogood: Vec<Lit>,
    /// The nogood as the proof has it, if the constraints have other literals.
    pub lits: Option<Vec<i32>>,
}

impl Cycle {
    fn write(&self, steps: &mut Steps) -> io::Result<u64> {
        steps.cycle(self.edges.iter().map(|&edge| i64::from(edge) + 1))
    }
}

impl Held {
    /// The number by which the nogood is named as a reason.
    fn named(&mut self, steps: &mut Steps) -> io::Result<i64> {
        if let Some(cycle) = self.cycle.take() {
            if self.serial == 0 {
                self.serial = cycle.write(steps)?;
            }
            if let Some(lits) = &cycle.lits {
                let serial = steps.nogood(lits.iter().copied())?;
                steps.delete(std::mem::replace(&mut self.serial, serial))?;
            }
        }
        Ok(self.serial as i64)
    }
}

/// A nogood that was learned, as the ring has it.
pub struct New {
    /// The rank of the conflict, and what has learned.
    pub by: (u32, u32),
    /// Where it comes from.
    pub origin: Origin,
    /// The literals.
    pub lits: Vec<Lit>,
    /// Whether it is shown to others.
    pub is_shared: bool,
}

impl Seat {
    /// Writes a nogood that was learned.
    ///
    /// # Errors
    /// If the proof cannot be written.
    pub fn learn(
        &mut self,
        new: New,
        known: &mut Known,
        numbers: &Numbers,
        steps: &mut Steps,
    ) -> io::Result<()> {
        let New { by: (rank, learner), origin, lits, is_shared } = new;
        let len = lits.len() as u32;
        let is_same = |told: &[Lit]| told.len() == lits.len() && told.iter().all(|lit| lits.contains(lit));
        let cycle = self.cycle.take_if(|(told, _)| learner == learner::LOOP && is_same(&told.nogood));
        if let Some((cycle, serial)) = cycle {
            // Whoever imports the nogood writes the cycle again.
            if is_shared {
                known.cycles.insert(origin.words(), cycle.clone());
            }
            let cycle = Some(cycle).filter(|cycle| cycle.lits.is_some());
            self.learned.push(Held { serial, shown: None, cycle });
            return Ok(());
        }
        let lits = lits.into_iter().map(|lit| numbers.of_solver(lit));
        let set = self.unfounded.take().filter(|_| learner == learner::LOOP);
        let reasons = self.reasons.iter().position(|&(of, _)| of == rank);
        let reasons = reasons.filter(|_| learner == learner::RESOLUTION);
        let serial = if let Some(set) = set {
            let lits: Vec<i32> = lits.collect();
            steps.unfounded(lits.into_iter(), set.into_iter())?
        } else {
            if let Some(at) = reasons {
                let (_, reasons) = self.reasons.swap_remove(at);
                let serials = known.serials(&reasons, self, numbers, steps)?;
                steps.because(&serials)?;
            }
            steps.nogood(lits)?
        };
        if is_shared {
            known.shown.learn(origin, len, serial);
            self.shows.push(origin);
        }
        self.learned.push(Held { serial, shown: is_shared.then_some(origin), cycle: None });
        Ok(())
    }

    /// Writes a cycle of difference constraints, whose nogood is learned next.
    ///
    /// # Errors
    /// If the proof cannot be written.
    pub fn note_cycle(&mut self, cycle: Cycle, steps: &mut Steps) -> io::Result<()> {
        // The last one was not learned.
        if let Some((_, serial)) = self.cycle.take() {
            steps.delete(serial)?;
        }
        let serial = cycle.write(steps)?;
        self.cycle = Some((Arc::new(cycle), serial));
        Ok(())
    }

    /// Notes `n` imported nogoods, the first of which have these origins.
    pub fn import(&mut self, n: u32, origins: &[Origin], known: &mut Known) {
        let held = |&origin: &Origin| match known.cycles.get(&origin.words()) {
            Some(cycle) => Held { cycle: Some(cycle.clone()), ..Held::default() },
            None => {
                let serial = known.shown.import(origin).unwrap_or(0);
                Held { serial, shown: Some(origin), cycle: None }
            }
        };
        self.learned.extend(origins.iter().map(held));
        let untold = n as usize - origins.len();
        if untold > 0 {
            known.shown.import_any();
        }
        self.learned.extend((0..untold).map(|_| Held::default()));
    }

    /// Notes how far the searcher is in the pool.
    pub fn look(&mut self, looks: Looks, known: &mut Known) {
        if let Looks::At(looked) = &looks {
            known.shown.offer(self.shows.drain(..), looked);
        }
        self.looks = looks;
    }

    /// How far the searcher is in the pool.
    pub fn looks(&self) -> Looks {
        self.looks
    }

    /// Writes which nogoods are deleted. `renamed` has the new index of each.
    ///
    /// # Errors
    /// If the proof cannot be written.
    pub fn delete(&mut self, renamed: &[u32], known: &mut Known, steps: &mut Steps) -> io::Result<()> {
        let mut left = vec![Held::default(); renamed.iter().filter(|&&to| to != NONE).count()];
        for (held, &to) in std::mem::take(&mut self.learned).into_iter().zip(renamed) {
            if to != NONE {
                left[to as usize] = held;
            } else if let Some(serial) = known.unneeded(&held) {
                steps.delete(serial)?;
            }
        }
        self.learned = left;
        Ok(())
    }
}

/// The reason that is no nogood, but the sums and the goal.
const THE_SUMS: i64 = -1;

/// What is known of nogoods that any searcher may have.
#[derive(Default)]
pub struct Known {
    /// Where the nogoods of the search start, and their literals.
    nogoods: (Vec<u32>, Vec<Lit>),
    /// Their serial numbers since the last question; 0 of those that were not written.
    written: Vec<u64>,
    /// Learned nogoods that others may have, but for those of cycles.
    pub shown: Shown,
    /// The cycles of these.
    cycles: HashMap<[u32; 2], Arc<Cycle>>,
}

impl Known {
    /// Whether the nogoods of the search are still to be told.
    pub fn is_empty(&self) -> bool {
        self.nogoods.0.is_empty()
    }

    /// Notes the nogoods of the search: where they start, and their literals.
    pub fn tell(&mut self, nogoods: (Vec<u32>, Vec<Lit>)) {
        self.written = vec![0; nogoods.0.len().saturating_sub(1)];
        self.nogoods = nogoods;
    }

    /// A question or a call begins: what was written may be forgotten.
    pub fn forget(&mut self) {
        self.written.fill(0);
        self.shown.clear();
        self.cycles.clear();
    }

    /// A searcher has dropped what it held. Returns the serial number if that is to be deleted in the proof.
    pub fn unneeded(&mut self, held: &Held) -> Option<u64> {
        match held.shown {
            Some(origin) => self.shown.drop(origin),
            None => (held.serial > 0).then_some(held.serial),
        }
    }

    /// A searcher's reasons as a step `b` has them, in their order, without those that it cannot name.
    /// Nogoods of the search that were not written before are written.
    fn serials(
        &mut self,
        reasons: &[u32],
        seat: &mut Seat,
        numbers: &Numbers,
        steps: &mut Steps,
    ) -> io::Result<Vec<i64>> {
        let mut named = Vec::with_capacity(reasons.len());
        if reasons.contains(&NogoodId::ALL_DECISIONS.0) {
            // A flip follows from decisions alone, and these are in the nogood.
            named.extend(seat.flips.iter().map(|&(_, serial)| serial as i64));
        }
        for &reason in reasons {
            let id = NogoodId(reason);
            let name = if id.is_learned() {
                match seat.learned.get_mut(id.learned_index() as usize) {
                    Some(held) => held.named(steps)?,
                    None => 0,
                }
            } else if let Some(written) = self.written.get_mut(reason as usize) {
                if *written == 0 {
                    let [from, end] = [0, 1].map(|i| self.nogoods.0[reason as usize + i] as usize);
                    let lits = &self.nogoods.1[from..end];
                    *written = steps.nogood(lits.iter().map(|&lit| numbers.of_solver(lit)))?;
                }
                *written as i64
            } else if id == NogoodId::ALL_DECISIONS {
                // What follows from all decisions follows from the flips.
                0
            } else {
                THE_SUMS
            };
            if name != 0 && named.last() != Some(&name) {
                named.push(name);
            }
        }
        Ok(named)
    }
}
