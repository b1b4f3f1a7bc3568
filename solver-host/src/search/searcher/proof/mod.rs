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
use ledger::{Entry, Shared, NEVER};
use solver_gpu::layout::{writes, MAX_SHARED};
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
    /// Makes room for a ring in the memory of a search that has not begun, and takes a seat.
    ///
    /// # Errors
    /// If the program is too large, or the device has too little memory or fails.
    pub fn begin(ledger: Arc<Ledger>, memory: &mut Memory) -> Result<Proving, SolveError> {
        if !memory.fit_ring(writes::PROOF, ledger.least)? {
            return Err(SolveError::Proof("the program is too large to be proved".into()));
        }
        let seat = ledger.seat();
        Ok(Proving { ledger, seat, stamp: 0 })
    }

    /// The proof.
    pub fn ledger(&self) -> &Arc<Ledger> {
        &self.ledger
    }

    /// The searcher joins a swarm that has no stamps yet.
    pub fn join(&mut self) {
        self.stamp = 0;
    }

    /// The searcher is not going to search any more.
    pub fn leave(&self) {
        self.ledger.leave(self.seat);
    }

    /// Enters what is in the ring, and empties the ring. `found` are the answer sets that the device has kept since the
    /// ring was last emptied. Returns whether the device had no more to write.
    ///
    /// # Errors
    /// If the device fails or the proof cannot be written.
    pub fn drain(&mut self, memory: &mut Memory, found: &[AnswerSet]) -> Result<bool, SolveError> {
        let drained = memory.drain_ring()?;
        let (mut entries, mut found) = (Vec::new(), found.iter());
        let is_raced = is_raced(memory);
        for item in ring::items(&drained.words) {
            let entry = match item {
                Item::Stamp(stamp) => {
                    self.stamp = stamp;
                    continue;
                }
                Item::Answer => match found.next() {
                    Some(answer) => Entry::Answer { answer: answer.clone(), is_raced },
                    None => return Err(SolveError::Internal("an answer set was proved and not kept")),
                },
                Item::Deleted(_) => Entry::Item(item, drained.renamed.clone()),
                item => Entry::Item(item, Vec::new()),
            };
            entries.push((self.stamp, entry));
        }
        self.enter(memory, entries)?;
        Ok(!drained.is_behind)
    }

    /// Enters an answer set that the host has judged. The ring has to be empty.
    ///
    /// # Errors
    /// If the proof cannot be written.
    pub fn answer(&mut self, memory: &Memory, answer: &AnswerSet) -> Result<(), SolveError> {
        self.take_stamp(memory);
        let entry = Entry::Answer { answer: answer.clone(), is_raced: is_raced(memory) };
        self.enter(memory, vec![(self.stamp, entry)])
    }

    /// Enters a loop nogood over the program's atoms, with its unfounded set. The ring has to be empty.
    ///
    /// # Errors
    /// If the proof cannot be written.
    pub fn unfounded(
        &mut self,
        memory: &Memory,
        nogood: &[Lit],
        set: impl Iterator<Item = Var>,
    ) -> Result<(), SolveError> {
        self.take_stamp(memory);
        let entry = Entry::Loop(nogood.to_vec(), set.collect());
        self.enter(memory, vec![(self.stamp, entry)])
    }

    fn enter(&self, memory: &Memory, entries: Vec<(u64, Entry)>) -> Result<(), SolveError> {
        let swarm = &memory.search.swarm;
        let from = if swarm.is_any() { swarm.hub().stamps.load_relaxed() + 1 } else { NEVER };
        let shared = Shared { len: swarm.share_len.min(MAX_SHARED), lbd: swarm.share_lbd };
        self.ledger.take(self.seat, entries, from, shared)
    }

    /// Stamps what the host enters, as kernels stamp what they write.
    fn take_stamp(&mut self, memory: &Memory) {
        let swarm = &memory.search.swarm;
        if swarm.is_any() {
            self.stamp = swarm.hub().stamps.fetch_add(1) + 1;
        }
    }
}

/// Whether searchers of the swarm search the same, so that two may find the same answer set.
fn is_raced(memory: &Memory) -> bool {
    let swarm = &memory.search.swarm;
    swarm.racers > 0 || swarm.races_first == 1
}
