//! Writes what proves the results of a search: `--proof`.
//!
//! Main type: [`Proving`], which a [searcher](super::Searcher) has while it is proved (see `proved.rs`). The kernels write
//! what they learn to a ring in the search's memory (see [`solver_gpu::trace`]). Whenever the search returns, the
//! host drains the ring and enters what it finds into a [`Ledger`], which writes the steps of the proof. `docs/proof.md`
//! describes them.
//!
//! Invariant: each step follows from the program and the steps before by unit propagation. So an answer set is
//! written before anything that was learned after it.

mod cubes;
mod format;
mod ledger;
mod prelude;

pub use ledger::Ledger;

use super::memory::Memory;
use super::ring::{self, Item};
use crate::search::{AnswerSet, SolveError};
use ledger::{Entry, NEVER};
use solver_gpu::layout::writes;
use solver_gpu::{Lit, Var};
use std::sync::Arc;

/// The part of a searcher in a proof.
pub struct Proving {
    ledger: Arc<Ledger>,
    seat: usize,
    /// The stamp of what comes next from the ring, if it has none of its own.
    stamp: u64,
}

impl Proving {
    /// Makes room for a ring of at least `least` words in the memory of a search that has not begun, and takes a seat.
    ///
    /// # Errors
    /// If the program is too large, or the device has too little memory or fails.
    pub fn begin(ledger: Arc<Ledger>, memory: &mut Memory, least: usize) -> Result<Proving, SolveError> {
        if !memory.fit_ring(writes::PROOF, least)? {
            return Err(SolveError::Proof("the program is too large to be proved".into()));
        }
        let seat = ledger.seat(NEVER);
        Ok(Proving { ledger, seat, stamp: 0 })
    }

    /// The proof.
    pub fn ledger(&self) -> &Arc<Ledger> {
        &self.ledger
    }

    /// Enters what is in the ring, and empties the ring. Returns whether the device had no more to write.
    ///
    /// # Errors
    /// If the device fails or the proof cannot be written.
    pub fn drain(&mut self, memory: &mut Memory) -> Result<bool, SolveError> {
        let drained = memory.drain_ring()?;
        let mut entries = Vec::new();
        for item in ring::items(&drained.words) {
            if let Item::Stamp(stamp) = item {
                self.stamp = stamp;
                continue;
            }
            let renamed = if let Item::Deleted(_) = item { drained.renamed.clone() } else { Vec::new() };
            entries.push((self.stamp, Entry::Item(item, renamed)));
        }
        self.ledger.take(self.seat, entries, NEVER)?;
        Ok(!drained.is_behind)
    }

    /// Enters an answer set. The ring has to be empty.
    ///
    /// # Errors
    /// If the proof cannot be written.
    pub fn answer(&mut self, answer: &AnswerSet) -> Result<(), SolveError> {
        self.ledger.take(self.seat, vec![(self.stamp, Entry::Answer(answer.clone()))], NEVER)
    }

    /// Enters a loop nogood over the program's atoms, with its unfounded set. The ring has to be empty.
    ///
    /// # Errors
    /// If the proof cannot be written.
    pub fn unfounded(&mut self, nogood: &[Lit], set: impl Iterator<Item = Var>) -> Result<(), SolveError> {
        let entry = Entry::Loop(nogood.to_vec(), set.collect());
        self.ledger.take(self.seat, vec![(self.stamp, entry)], NEVER)
    }
}
