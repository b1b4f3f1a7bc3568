//! The proof of a fleet: what the rings of its searchers said during a slice.
//!
//! Main function: [`Proved::enter`], called between a slice and the next trade. During a slice the searchers of a fleet
//! stamp by a counter of their own. What they have learned depends on nothing that others have found since the last trade, and
//! nobody else knows of it before the next. So the entries of a slice get stamps of the home here, in the order of
//! their own stamps.

use super::news::Place as Seats;
use super::shared::Shared;
use crate::searcher::proof::{is_raced, shared_by, Entry, Ledger, Looked, Looks, Place, Reader, Tickets};
use crate::{AnswerSet, SolveError};
use solver_gpu::layout::TraceWords;
use solver_gpu::Search;
use std::mem::offset_of;
use std::sync::Arc;
use yasmin_device::{DeviceError, Executor};

/// Words of a searcher's ring at least.
pub const LEAST_WORDS: usize = 1 << 12;

/// The part of a fleet in a proof.
pub struct Proved {
    ledger: Arc<Ledger>,
    place: Place,
    /// The number at home of the first searcher.
    first: u32,
    /// Whether others search besides the fleet. Nogoods pass then from pool to pool, and none of them is
    /// deleted.
    has_others: bool,
    /// For each searcher the stamp of its last item.
    stamps: Vec<u64>,
    /// Where the words about all rings are, on their way to the searchers.
    staging: u64,
}

/// The words about a ring, as an executor copies them.
type Words = [u32; size_of::<TraceWords>() / 4];

impl Proved {
    /// Takes seats for so many searchers.
    ///
    /// # Errors
    /// If the device has too little memory.
    pub fn new(
        ledger: Arc<Ledger>,
        executor: &mut dyn Executor,
        searchers: usize,
    ) -> Result<Proved, DeviceError> {
        let place = ledger.seat(searchers);
        let staging = executor.alloc(searchers * size_of::<Words>())?;
        let stamps = vec![0; searchers];
        Ok(Proved { ledger, place, first: 0, has_others: true, stamps, staging })
    }

    /// The searchers begin a phase at a place in a home.
    ///
    /// # Errors
    /// If the proof cannot be written.
    pub fn begin(&mut self, search: &Search, home: &Shared, place: Seats) -> Result<(), SolveError> {
        self.stamps.fill(0);
        (self.first, self.has_others) = (place.first, place.has_others);
        self.wait(search, home)
    }

    /// Says that nothing was learned since the last trade.
    ///
    /// # Errors
    /// If the proof cannot be written.
    pub fn wait(&self, search: &Search, home: &Shared) -> Result<(), SolveError> {
        let from = home.hub().stamps.load_relaxed() + 1;
        self.ledger.take(self.place.lane, Vec::new(), from, shared_by(&search.swarm))
    }

    /// Enters what the rings said during a slice, and empties them. `found` are the answer sets of the slice, those of one
    /// searcher after the other, and `answers` says how many each searcher has kept.
    ///
    /// # Errors
    /// If the device fails or the proof cannot be written.
    pub fn enter(
        &mut self,
        executor: &mut dyn Executor,
        search: &Search,
        home: &Shared,
        mut found: &[AnswerSet],
        answers: impl Iterator<Item = usize>,
    ) -> Result<(), SolveError> {
        const END: usize = offset_of!(TraceWords, end) / 4;
        const BEGIN: usize = offset_of!(TraceWords, begin) / 4;
        const RENAMED: usize = offset_of!(TraceWords, renamed) / 4;
        let (own, pitch, searchers) = (&search.own, search.own.bytes(), self.stamps.len());
        let mut about: Vec<Words> = vec![[0; size_of::<Words>() / 4]; searchers];
        let bytes = bytemuck::cast_slice_mut(&mut about);
        executor.download_rows(own.trace.address(), pitch, size_of::<Words>(), bytes)?;
        // The rings begin anew after each slice, so that what is in a ring lies in one piece.
        let most = about.iter().map(|words| words[END]).max().unwrap_or(0) as usize;
        let mut rings = vec![0u32; most * searchers];
        if most > 0 {
            let bytes = bytemuck::cast_slice_mut(&mut rings);
            executor.download_rows(own.trace_ring.address(), pitch, 4 * most, bytes)?;
        }
        let (first, is_raced) = (self.first, is_raced(&search.swarm));
        let mut reader = Reader { seat: 0, first, is_raced, entries: Vec::new() };
        for (number, (words, answers)) in about.iter_mut().zip(answers).enumerate() {
            let mut renamed = Vec::new();
            if words[RENAMED] == 1 {
                renamed = vec![0u32; own.renamed.len()];
                let address = own.renamed.address() + (number * pitch) as u64;
                executor.download(address, bytemuck::cast_slice_mut(&mut renamed))?;
            }
            let (of_searcher, rest) = found.split_at(answers);
            found = rest;
            let ring = &rings[number * most..][..words[END] as usize];
            reader.seat = self.place.first + number;
            self.stamps[number] = reader.read(ring, &renamed, of_searcher, self.stamps[number])?;
            (words[END], words[BEGIN], words[RENAMED]) = (0, 0, 0);
        }
        executor.upload(self.staging, bytemuck::cast_slice(&about))?;
        let to = (own.trace.address(), pitch);
        executor.copy_rows(to, (self.staging, size_of::<Words>()), size_of::<Words>(), searchers)?;
        let mut entries = reader.entries;
        entries.sort_by_key(|&(stamp, ..)| stamp);
        let first = home.hub().stamps.fetch_add(entries.len() as u64) + 1;
        entries.iter_mut().zip(first..).for_each(|(entry, stamp)| entry.0 = stamp);
        let from = home.hub().stamps.load_relaxed() + 1;
        let looks = self.looks(executor, search)?.into_iter();
        entries.extend(looks.zip(self.place.first..).map(|(looks, seat)| (from, seat, Entry::Looks(looks))));
        self.ledger.take(self.place.lane, entries, from, shared_by(&search.swarm))
    }

    /// How far each searcher is in the pool, if all share one. Parts of a proof need not know.
    fn looks(&self, executor: &mut dyn Executor, search: &Search) -> Result<Vec<Looks>, SolveError> {
        if self.has_others || self.ledger.has_parts {
            return Ok(Vec::new());
        }
        let (own, mut ends) = (&search.own, Tickets::default());
        executor.download(search.swarm.pool_end.address(), bytemuck::cast_slice_mut(&mut ends))?;
        let mut seen = vec![Tickets::default(); self.stamps.len()];
        let bytes = bytemuck::cast_slice_mut(&mut seen);
        executor.download_rows(own.pool_seen.address(), own.bytes(), size_of::<Tickets>(), bytes)?;
        Ok(seen.into_iter().map(|seen| Looks::At(Looked::new(seen, ends))).collect())
    }
}
