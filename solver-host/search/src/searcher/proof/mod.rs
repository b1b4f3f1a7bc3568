//! Writes what proves the results of a search: `--proof`.
//!
//! Main type: [`Proving`], which a [searcher](super::Searcher) has while it is proved (see `proved.rs`). The
//! kernels write what they learn to a ring in the search's memory (see [`solver_gpu::trace`]). Whenever the
//! search returns, the host drains the ring and enters what it finds into a [`Ledger`], which writes the
//! steps of the proof. `docs/proof.md` describes them.
//!
//! Invariant: each step follows from the program and the steps before by unit propagation. So an answer set
//! is written before anything that was learned after it.

mod cubes;
mod format;
mod ledger;
mod parts;
mod prelude;
mod seat;
mod shown;

pub use format::{Part, ProofSink};
pub use ledger::{Asked, Entry, Ledger, Place};
pub use parts::CubeNews;
pub use shown::{passed_over, Looked, Looks, Shared, Tickets};

use super::memory::Memory;
use super::ring::{self, Item, LEAST_WORDS};
use super::stamps::Stamps;
use crate::{AnswerSet, SolveError};
use shown::ends_of;
use solver_gpu::layout::{writes, Origin, CLASSES, MAX_SHARED};
use solver_gpu::Swarm;
use std::sync::Arc;

/// The part of a searcher in a proof.
pub struct Proving {
    ledger: Arc<Ledger>,
    place: Place,
    /// The stamps of what it enters.
    pub stamps: Stamps,
    /// How far it was in the pool when it last said so.
    looks: Looks,
}

impl Proving {
    /// Makes room for a ring in the memory of a search that has not begun, and takes a seat.
    ///
    /// # Errors
    /// If the program is too large, or the device has too little memory or fails.
    pub fn begin(ledger: Arc<Ledger>, memory: &mut Memory) -> Result<Proving, SolveError> {
        fit_ring(memory, LEAST_WORDS)?;
        ledger.know(|| memory.nogoods())?;
        let place = ledger.seat(1);
        Ok(Proving { ledger, place, stamps: Stamps::default(), looks: Looks::Unknown })
    }

    /// The proof.
    pub fn ledger(&self) -> &Arc<Ledger> {
        &self.ledger
    }

    /// The searcher becomes one of a swarm that has no stamps yet.
    pub fn join(&mut self) {
        (self.stamps.now, self.looks) = (0, Looks::Unknown);
    }

    /// The searcher is not going to search any more.
    pub fn leave(&mut self) {
        self.stamps.go_beside(None);
        self.ledger.leave(self.place.lane);
    }

    /// Enters what is in the ring, and empties the ring. `found` are the answer sets that the device has kept
    /// since the ring was last emptied. Returns whether the device had no more to write.
    ///
    /// # Errors
    /// If the device fails or the proof cannot be written.
    pub fn drain(&mut self, memory: &mut Memory, found: &[AnswerSet]) -> Result<bool, SolveError> {
        let drained = memory.drain_ring()?;
        self.stamps.take_beside(memory);
        let is_raced = is_raced(&memory.search.swarm);
        let mut reader = Reader { seat: self.place.first, first: 0, is_raced, entries: Vec::new() };
        self.stamps.now = reader.read(&drained.words, &drained.renamed, found, self.stamps.now)?;
        let mut entries = reader.entries;
        entries.extend(self.looks(memory)?.map(|looks| (self.stamps.next(memory), self.place.first, looks)));
        self.enter(memory, entries)?;
        Ok(!drained.is_behind)
    }

    /// How far the searcher is in the pool, if that is news. Nothing is deleted in parts of a proof.
    fn looks(&mut self, memory: &mut Memory) -> Result<Option<Entry>, SolveError> {
        let swarm = memory.search.swarm;
        let looks = if self.stamps.is_beside() {
            Looks::Never
        } else if swarm.is_any() {
            let seen = memory.read(memory.search.own.pool_seen, CLASSES as usize)?;
            Looks::At(Looked::new(std::array::from_fn(|class| seen[class]), ends_of(&swarm)))
        } else {
            return Ok(None);
        };
        let is_news = looks != self.looks && !self.ledger.has_parts;
        self.looks = looks;
        Ok(is_news.then_some(Entry::Looks(looks)))
    }

    /// Enters something that the host has found. The ring has to be empty.
    ///
    /// # Errors
    /// If the proof cannot be written.
    pub fn enter_one(&mut self, memory: &Memory, entry: Entry) -> Result<(), SolveError> {
        self.stamps.take(memory);
        self.enter(memory, vec![(self.stamps.now, self.place.first, entry)])
    }

    fn enter(&self, memory: &Memory, entries: Vec<(u64, usize, Entry)>) -> Result<(), SolveError> {
        let (from, shared) = (self.stamps.next(memory), shared_by(&memory.search.swarm));
        self.ledger.take(self.place.lane, entries, from, shared)
    }
}

/// Makes room for a ring of at least `least` words in the memory of a search that has not begun and is to be
/// proved.
///
/// # Errors
/// If the program is too large, or the device has too little memory or fails.
pub fn fit_ring(memory: &mut Memory, least: usize) -> Result<(), SolveError> {
    match memory.fit_ring(writes::PROOF, None, least)? {
        true => Ok(()),
        false => Err(SolveError::Proof("the program is too large to be proved".into())),
    }
}

/// Turns the items of rings into entries.
pub struct Reader {
    /// The seat of the searcher whose ring is read.
    pub seat: usize,
    /// What is added to the numbers of searchers in origins, so that all rings have the same.
    pub first: u32,
    /// Whether searchers race.
    pub is_raced: bool,
    /// The entries so far, each with its stamp and its seat.
    pub entries: Vec<(u64, usize, Entry)>,
}

impl Reader {
    /// Reads what a ring said. `found` are the answer sets that the searcher has kept meanwhile, and `stamp`
    /// is that of the last item before. Returns the stamp of the last item.
    ///
    /// # Errors
    /// If the ring tells of an answer set that was not kept.
    pub fn read(
        &mut self,
        words: &[u32],
        renamed: &[u32],
        found: &[AnswerSet],
        mut stamp: u64,
    ) -> Result<u64, SolveError> {
        let mut found = found.iter();
        let first = self.first;
        let renumber = |origin: &mut Origin| {
            *origin = Origin::new(origin.searcher().wrapping_add(first), origin.serial());
        };
        for mut item in ring::items(words) {
            match &mut item {
                Item::Learned { origin, .. } => renumber(origin),
                Item::Imported(_, origins) => origins.iter_mut().for_each(renumber),
                _ => {}
            }
            let entry = match item {
                Item::Stamp(next) => {
                    stamp = next;
                    continue;
                }
                Item::Answer => match found.next() {
                    Some(answer) => Entry::Answer { answer: answer.clone(), is_raced: self.is_raced },
                    None => return Err(SolveError::Internal("an answer set was proved and not kept")),
                },
                Item::Deleted(_) => Entry::Item(item, renamed.to_vec()),
                item => Entry::Item(item, Vec::new()),
            };
            self.entries.push((stamp, self.seat, entry));
        }
        Ok(stamp)
    }
}

/// Which learned nogoods the searchers of a swarm show to others.
pub fn shared_by(swarm: &Swarm) -> Shared {
    Shared { len: swarm.share_len.min(MAX_SHARED), lbd: swarm.share_lbd }
}

/// Whether searchers of the swarm search the same, so that two may find the same answer set.
pub fn is_raced(swarm: &Swarm) -> bool {
    swarm.may_race == 1
}
