//! Answer sets that are found again, because a process that has found some of them is gone and others search
//! its cubes.
//!
//! Main type: [`Repeats`], which knows the hashes of all answer sets that were told.

use super::plan::{Phase, Plan};
use super::watch::hash;
use crate::AnswerSet;
use std::collections::HashSet;

/// See the module's documentation.
#[derive(Debug, Default)]
pub struct Repeats {
    told: HashSet<u128>,
}

impl Repeats {
    /// Notes an answer set that is told, if it might be found again. In other phases than the one that
    /// enumerates, only what is better or says more is told anyway.
    pub fn note(&mut self, answer: &AnswerSet, plan: &Plan) {
        if plan.phase() == Phase::Enumerate {
            self.told.insert(hash(answer, plan.projected()));
        }
    }

    /// Whether an answer set was told before, or one with the same projection if that counts.
    pub fn has(&self, answer: &AnswerSet, plan: &Plan) -> bool {
        plan.phase() == Phase::Enumerate && self.told.contains(&hash(answer, plan.projected()))
    }
}
