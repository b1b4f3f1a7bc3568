//! What a search has learned, for a search of the same program after the program has grown.
//!
//! Main type: [`Experience`]; main functions: [`Searcher::experience`] and [`Searcher::recall`].

use super::memory::Memory;
use super::Searcher;
use crate::SolveError;
use solver_gpu::layout::{Origin, Record};
use solver_gpu::lit::pack;
use solver_gpu::{Lit, Var};
use std::mem::offset_of;
use yasmin_device::DeviceError;
use yasmin_nogoods::Shift;

/// See the module's documentation. Literals and variables are those of the search that has learned.
#[derive(Clone, Debug, Default)]
pub struct Experience {
    /// Nogoods that hold for the program, the best ones first, each with its LBD.
    pub learned: Vec<(u32, Vec<Lit>)>,
    /// What is known of each variable.
    habits: Habits,
}

/// What a search knows of each variable: which to decide on, and how.
#[derive(Clone, Debug, Default)]
struct Habits {
    rank: Vec<u32>,
    saved_phase: Vec<u32>,
    sign_score: Vec<u32>,
    /// What the next bump adds to a rank.
    bump: u32,
    /// How many nogoods the next deletion keeps, and the number at which it is due.
    keep: (u32, u32),
}

impl Searcher {
    /// What the search has learned about the first `vars` variables. `holds` says whether its nogoods hold
    /// for the program.
    ///
    /// # Errors
    /// If the device fails.
    pub fn experience(&mut self, vars: u32, holds: bool) -> Result<Experience, SolveError> {
        let learned = if holds { self.learned()? } else { Vec::new() };
        let memory = &mut self.memory;
        memory.read_state()?;
        let (own, vars) = (memory.search.own, vars as usize);
        let habits = Habits {
            rank: memory.read(own.rank, vars)?,
            saved_phase: memory.read(own.saved_phase, vars)?,
            sign_score: memory.read(own.sign_score, vars)?,
            bump: memory.state.bump.load(),
            keep: (memory.state.keep.load(), memory.state.learned_limit.load()),
        };
        Ok(Experience { learned, habits })
    }

    /// The nogoods that the search has learned, each with its LBD.
    ///
    /// # Errors
    /// If the device fails.
    pub fn learned(&mut self) -> Result<Vec<(u32, Vec<Lit>)>, SolveError> {
        self.memory.read_state()?;
        Ok(self.memory.learned()?)
    }

    /// Begins with what a search of a smaller program has learned, of which this one's is grown. The search
    /// has not begun.
    ///
    /// # Errors
    /// If the device fails or has too little memory.
    pub fn recall(&mut self, experience: &Experience, shift: Shift) -> Result<(), SolveError> {
        let Habits { rank, saved_phase, sign_score, bump, keep } = &experience.habits;
        let memory = &mut self.memory;
        let own = memory.search.own;
        for (array, known) in [(own.rank, rank), (own.saved_phase, saved_phase), (own.sign_score, sign_score)]
        {
            let (kept, moved) = known.split_at((shift.kept as usize).min(known.len()));
            memory.write(array, kept)?;
            memory.write_at(array, (shift.kept + shift.by) as usize, moved)?;
        }
        if !rank.is_empty() {
            memory.state.bump.store(*bump);
            memory.state.keep.store(keep.0);
            memory.state.learned_limit.store(keep.1);
        }
        if experience.learned.is_empty() {
            // A search that knows nothing has not to begin again.
            return Ok(self.memory.write_state()?);
        }
        let moved = |(lbd, lits): &(u32, Vec<Lit>)| (*lbd, lits.iter().map(|&lit| shift.of(lit)).collect());
        let learned: Vec<(u32, Vec<Lit>)> = experience.learned.iter().map(moved).collect();
        self.remember(&learned)
    }

    /// Begins with these nogoods, each with its LBD, as if the search had learned them. It has not begun.
    ///
    /// # Errors
    /// If the device fails or has too little memory.
    pub fn remember(&mut self, learned: &[(u32, Vec<Lit>)]) -> Result<(), SolveError> {
        self.has_learned |= !learned.is_empty();
        Ok(self.memory.remember(learned)?)
    }
}

impl Memory {
    /// Puts nogoods into the empty store of learned ones, and begins again.
    fn remember(&mut self, learned: &[(u32, Vec<Lit>)]) -> Result<(), DeviceError> {
        let lits: Vec<Lit> = learned.iter().flat_map(|(_, lits)| lits).copied().collect();
        self.fit_learned(learned.len() as u32, lits.len() as u64)?;
        let words = size_of::<Record>() / 4;
        let mut records = vec![0u32; words * learned.len()];
        let mut start = 0;
        for (record, (lbd, lits)) in records.chunks_mut(words).zip(learned) {
            let mut set = |offset: usize, word: u32| record[offset / 4] = word;
            // Nothing is assigned, so that any two literals may be watched.
            let watch = pack(lits[0], lits[lits.len().min(2) - 1]);
            set(offset_of!(Record, watch), watch as u32);
            set(offset_of!(Record, watch) + 4, (watch >> 32) as u32);
            set(offset_of!(Record, start), start);
            set(offset_of!(Record, len), lits.len() as u32);
            // For one thread a literal of the nogood, else any number.
            set(offset_of!(Record, from), lits[0].0);
            set(offset_of!(Record, lbd), *lbd);
            start += lits.len() as u32;
        }
        let origins: Vec<Origin> = (0..learned.len() as u64).map(|serial| Origin::new(0, serial)).collect();
        let own = self.search.own;
        self.executor_mut().upload(own.learned_record.address(), bytemuck::cast_slice(&records))?;
        self.write(own.learned_origin, &origins)?;
        self.write(own.learned_lit, &lits)?;
        self.state.learned.store(learned.len() as u32);
        self.state.learned_lits.store(lits.len() as u32);
        self.state.serials.store(learned.len() as u64);
        self.forget_assignment()
    }
}

impl Experience {
    /// Leaves out nogoods about other variables than the first `vars`, and all but the best `most`.
    pub fn limited(&mut self, vars: u32, most: usize) {
        self.learned.retain(|(_, lits)| lits.iter().all(|lit| lit.var() < Var(vars)));
        self.learned.sort_by_key(|(lbd, lits)| (*lbd, lits.len()));
        self.learned.truncate(most);
    }
}
