//! The device memory of one search: laid out once, grown where the search outgrows it.
//!
//! Invariant: every array of [`Search`] lies in memory of `executor` and is as long as `Search`'s documentation says, so
//! launching a kernel on it is sound.

use super::options::{Decide, Heuristic, Learning, LoopCheck, Options};
use super::rank::initial_ranks;
use crate::device::{DeviceError, Executor, Geometry, Kernel, Work};
use crate::nogoods::{Csr, Foundedness, NogoodStore, Prepared};
use bytemuck::Pod;
use solver_gpu::deps::words_of;
use solver_gpu::kernels::decide::{CHUNK, UNKNOWN};
use solver_gpu::kernels::propagate_long::pack;
use solver_gpu::layout::{MAX_CONFLICTS, NONE, UNCLAIMED};
use solver_gpu::watches::SPARE;
use solver_gpu::{Array, Lit, Search, State};
use std::sync::atomic::Ordering::Relaxed;

/// Words of a dependency bitmap to begin with: 128 levels.
const INITIAL_WORDS: u32 = 4;
/// Room for learned nogoods, and for their literals, to begin with.
const INITIAL_LEARNED: (u32, u32) = (4096, 1 << 16);

/// A search's memory, and the executor that owns it.
pub struct Memory {
    executor: Box<dyn Executor>,
    /// Addresses, as kernels get them.
    pub search: Search,
    /// The control words, as last read.
    pub state: State,
    sums: u32,
    /// Rounds after which the resident search returns; at least 2, as the first one may repeat what the launch before did last.
    pub rounds_a_launch: u32,
    /// Whether tests check every launch against a reference.
    #[cfg(test)]
    pub in_lockstep: bool,
}

impl Memory {
    /// Copies a prepared program to the device and makes room for the search.
    pub fn new(executor: Box<dyn Executor>, p: &Prepared, options: &Options) -> Result<Self, DeviceError> {
        let mut m = Memory {
            rounds_a_launch: executor.rounds_a_launch(),
            executor,
            sums: p.sums.len() as u32,
            search: Search::default(),
            state: State::default(),
            #[cfg(test)]
            in_lockstep: false,
        };
        let s = &p.nogoods;
        let (vars, conflicts) = (p.vars as usize, options.conflicts.clamp(1, MAX_CONFLICTS) as usize);
        let forward = options.learning != Learning::Resolution;
        let slots = if options.learning == Learning::Both { 2 * conflicts } else { conflicts };
        let mut v = Search {
            vars: p.vars,
            atom_vars: p.atom_vars,
            nogoods: s.len() as u32,
            units: s.units,
            binary_end: s.binary_end,
            ternary_end: s.ternary_end,
            candidates: p.candidates.len() as u32,
            sums: p.sums.len() as u32,
            sum_items: p.sums.lits.len() as u32,
            goal: NONE,
            first_candidates: p.first_candidates.unwrap_or(0),
            advised: p.advised,
            project: p.first_candidates.is_some() as u32,
            deps_words: INITIAL_WORDS,
            slots: slots as u32,
            seed: (options.seed ^ options.seed >> 32) as u32,
            track_deps: forward as u32,
            resolves: (options.learning != Learning::Forward) as u32,
            track_activity: matches!(options.heuristic, Heuristic::Activity | Heuristic::Domain) as u32,
            ..Search::default()
        };
        v.state = m.room(1)?;
        v.start = m.place(&s.start)?;
        v.lits = m.place(&s.lits)?;
        m.place_occurrences(&mut v, s)?;
        let watches: Vec<u64> = (s.ternary_end..v.nogoods)
            .map(|i| s.start[i as usize] as usize)
            .map(|at| pack(s.lits[at], s.lits[at + 1]))
            .collect();
        v.watch = m.place(&watches)?;
        m.place_sums(&mut v, p)?;
        v.candidate_head = m.place(&p.candidates.iter().map(|c| c.head.0).collect::<Vec<_>>())?;
        v.candidate_positive = m.place(&p.candidates.iter().map(|c| c.positive).collect::<Vec<_>>())?;
        v.candidate_body = m.place(&p.candidates.iter().map(|c| c.body).collect::<Vec<_>>())?;
        if options.decide == Decide::Any && p.advised == 0 {
            let mut candidate_of = vec![NONE; vars];
            for (i, candidate) in p.candidates.iter().enumerate() {
                candidate_of[candidate.head.0 as usize] = i as u32;
            }
            v.candidate_of = m.place(&candidate_of)?;
            v.chunk_best = m.place(&vec![UNKNOWN; (v.candidates.div_ceil(CHUNK)) as usize])?;
        }
        v.rank = m.place(&initial_ranks(p, options.heuristic))?;
        m.place_directives(&mut v, p)?;
        v.phase = m.room(vars)?;
        if let Some(f) = &p.foundedness {
            v.loop_rules = f.head.len() as u32;
            v.loop_atoms = f.atoms.len() as u32;
            v.loop_atom = m.place(&f.atoms)?;
            v.component = m.place(&f.component)?;
            v.loop_head = m.place(&f.head)?;
            v.loop_body = m.place(&f.body)?;
            (v.loop_positive_start, v.loop_positive) = m.place_csr(&f.positive)?;
            (v.loop_occurs_start, v.loop_occurs) = m.place_csr(&f.occurs_in)?;
            m.place_loop_sums(&mut v, f)?;
            v.founded = m.room(p.atom_vars as usize)?;
            v.missing = m.room(f.head.len())?;
            v.source = m.room(p.atom_vars as usize)?;
            v.queue = m.room(f.atoms.len())?;
            v.lost = m.room(f.atoms.len())?;
            let rules = f.head.iter().enumerate().map(|(r, &head)| (head as usize, r as u32));
            let rules = Csr::from_pairs(p.atom_vars as usize, rules);
            (v.loop_rules_start, v.loop_rules_of) = m.place_csr(&rules)?;
        }
        v.value = m.room(vars)?;
        v.reason = m.place(&vec![UNCLAIMED; vars])?;
        v.position = m.room(vars)?;
        v.trail = m.room(vars)?;
        v.round = m.room(vars)?;
        v.decision_at = m.room(vars + 2)?;
        v.trail_at = m.room(vars + 2)?;
        v.deps = m.room(if forward { vars * INITIAL_WORDS as usize } else { 0 })?;
        v.conflict = m.room(MAX_CONFLICTS as usize)?;
        v.slot_lits = m.room(slots * vars)?;
        v.slot_len = m.room(slots)?;
        v.slot_top = m.room(slots)?;
        v.slot_second = m.room(slots)?;
        v.slot_lbd = m.room(slots)?;
        v.slot_hash = m.room(slots)?;
        v.slot_deps = m.room(slots * INITIAL_WORDS as usize)?;
        v.mark = m.room(slots * vars)?;
        let (nogoods, lits) = INITIAL_LEARNED;
        v.learned_start = m.room(nogoods as usize)?;
        v.learned_len = m.room(nogoods as usize)?;
        v.learned_lbd = m.room(nogoods as usize)?;
        v.learned_watch = m.room(nogoods as usize)?;
        v.late = m.room(nogoods as usize)?;
        v.learned_from = m.room(nogoods as usize)?;
        v.learned_activity = m.room(nogoods as usize)?;
        v.watch_at = m.place(&(0..2 * p.vars).map(|lit| lit * SPARE).collect::<Vec<_>>())?;
        v.watch_len = m.room(2 * vars)?;
        v.watch_room = m.place(&vec![SPARE; 2 * vars])?;
        v.watch_list = m.room(4 * vars * SPARE as usize + lits as usize)?;
        v.watch_queue = m.room(nogoods as usize)?;
        m.state.watch_end.store(2 * p.vars * SPARE, Relaxed);
        v.learned_lit = m.room(lits as usize)?;
        v.check_fixpoints = (options.loop_check == LoopCheck::Fixpoint) as u32;
        // SAFETY: one word, which lives as long as the executor and is only read as an atomic.
        v.stop = unsafe { Array::from_raw(m.executor.stop_word() as *mut u32, 1) };
        m.search = v;
        for (word, value) in [
            (&m.state.level, 1),
            (&m.state.deepest, 1),
            (&m.state.backtrack_level, 1),
            (&m.state.stamp, 1),
            (&m.state.bump, INITIAL_BUMP),
        ] {
            word.store(value, Relaxed);
        }
        m.executor.upload(m.search.state.address(), bytes_of_state(&mut m.state))?;
        m.begin()?;
        Ok(m)
    }

    /// Where literals stand in input nogoods, each place with what a visit needs of the nogood.
    fn place_occurrences(&mut self, v: &mut Search, s: &NogoodStore) -> Result<(), DeviceError> {
        for class in 0..3 {
            v.occurs_start[class] = self.place(&s.occurrences[class].start)?;
        }
        let others = |id: u32, lit: usize| {
            let mut others = s.nogood(id as usize).iter().filter(move |other| other.index() != lit);
            move || *others.next().expect("a nogood of two or three distinct variables")
        };
        let binary = |id: u32, lit: usize| (id as u64) << 32 | others(id, lit)().0 as u64;
        let ternary = |id: u32, lit: usize| {
            let mut other = others(id, lit);
            let first = other();
            pack(first, other())
        };
        v.occurs_binary = self.place(&each_occurrence(&s.occurrences[0], binary))?;
        v.occurs_ternary = self.place(&each_occurrence(&s.occurrences[1], ternary))?;
        v.occurs_ternary_id = self.place(&s.occurrences[1].items)?;
        v.occurs_long = self.place(&s.occurrences[2].items)?;
        Ok(())
    }

    /// Sum nogoods, their counters and where literals stand in them.
    fn place_sums(&mut self, v: &mut Search, p: &Prepared) -> Result<(), DeviceError> {
        let sums = &p.sums;
        v.sum_condition = self.place(&sums.condition)?;
        v.sum_start = self.place(&sums.start)?;
        v.sum_lit = self.place(&sums.lits)?;
        v.sum_weight = self.place(&sums.weights)?;
        v.sum_counter = self.place(&sums.counter_of)?;
        v.sum_of = self.place(&sums.sum_of_items())?;
        v.sum_counters = self.place(&sums.counters)?;
        v.sum_held = self.room(sums.most.len())?;
        v.sum_most = self.place(&sums.most)?;
        if !sums.is_empty() {
            (v.sum_occurs_start, v.sum_occurs) = self.place_csr(&sums.occurrences(p.vars))?;
        }
        v.sum_touched = self.room(sums.len())?;
        v.sum_queue = self.room(sums.len())?;
        Ok(())
    }

    /// Heuristic directives, by candidate.
    fn place_directives(&mut self, v: &mut Search, p: &Prepared) -> Result<(), DeviceError> {
        let d = &p.directives;
        let start: Vec<u32> =
            (0..=p.advised).map(|i| d.partition_point(|directive| directive.candidate < i) as u32).collect();
        v.directive_start = self.place(&start)?;
        v.directive_kind = self.place(&d.iter().map(|d| d.modifier as u32).collect::<Vec<_>>())?;
        v.directive_bias = self.place(&d.iter().map(|d| d.bias).collect::<Vec<_>>())?;
        v.directive_priority = self.place(&d.iter().map(|d| d.priority).collect::<Vec<_>>())?;
        v.directive_condition = self.place(&d.iter().map(|d| d.condition).collect::<Vec<_>>())?;
        Ok(())
    }

    /// Sums on loops.
    fn place_loop_sums(&mut self, v: &mut Search, f: &Foundedness) -> Result<(), DeviceError> {
        let (mut start, mut inner) = (vec![0], Vec::new());
        let (mut lits, mut weights, mut sum_of) = (Vec::new(), Vec::new(), Vec::new());
        let mut needed: Vec<(usize, u32)> = Vec::new();
        for (number, sum) in f.sums.iter().enumerate() {
            inner.push(lits.len() as u32 + sum.inner);
            for (i, &(lit, weight)) in sum.lits.iter().enumerate() {
                if i < sum.inner as usize {
                    needed.push((lit.var().0 as usize, lits.len() as u32));
                }
                lits.push(lit);
                weights.push(weight);
                sum_of.push(number as u32);
            }
            start.push(lits.len() as u32);
        }
        v.loop_sums = f.sums.len() as u32;
        v.loop_items = lits.len() as u32;
        v.loop_sum_atom = self.place(&f.sums.iter().map(|sum| sum.atom).collect::<Vec<_>>())?;
        v.loop_sum_bound = self.place(&f.sums.iter().map(|sum| sum.bound).collect::<Vec<_>>())?;
        v.loop_sum_start = self.place(&start)?;
        v.loop_sum_inner = self.place(&inner)?;
        v.loop_item_lit = self.place(&lits)?;
        v.loop_item_weight = self.place(&weights)?;
        v.loop_item_sum = self.place(&sum_of)?;
        if !f.sums.is_empty() {
            let rows = Csr::from_pairs(f.component.len(), needed.into_iter());
            (v.loop_item_occurs_start, v.loop_item_occurs) = self.place_csr(&rows)?;
        }
        v.loop_sum_missing = self.room(f.sums.len())?;
        Ok(())
    }

    /// Puts all sums into the queue, as nobody has looked at them.
    fn begin(&mut self) -> Result<(), DeviceError> {
        let all: Vec<u32> = (0..self.sums).collect();
        self.executor.upload(self.search.sum_queue.address(), bytemuck::cast_slice(&all))?;
        let ones = vec![1u32; self.sums as usize];
        self.executor.upload(self.search.sum_touched.address(), bytemuck::cast_slice(&ones))?;
        self.state.touched.store(self.sums, Relaxed);
        self.state.projected.store(1, Relaxed);
        self.executor.upload(self.search.state.address(), bytes_of_state(&mut self.state))
    }

    /// Forgets the assignment and all that was learned, but not the ranks: for a search with another goal.
    pub fn start_over(&mut self) -> Result<(), DeviceError> {
        let v = self.search;
        self.executor.upload(v.value.address(), bytemuck::cast_slice(&vec![0i32; v.vars as usize]))?;
        self.executor.upload(v.reason.address(), bytemuck::cast_slice(&vec![UNCLAIMED; v.vars as usize]))?;
        self.executor.upload(v.sum_held.address(), bytemuck::cast_slice(&vec![0i64; v.sum_held.len()]))?;
        let unknown = vec![UNKNOWN; v.chunk_best.len()];
        self.executor.upload(v.chunk_best.address(), bytemuck::cast_slice(&unknown))?;
        let s = &self.state;
        for word in [&s.trail_len, &s.committed, &s.visited, &s.conflicts, &s.exhausted, &s.no_candidate] {
            word.store(0, Relaxed);
        }
        for word in [&s.unfounded, &s.learned, &s.learned_lits, &s.flip, &s.seen, &s.late, &s.look_late] {
            word.store(0, Relaxed);
        }
        [&s.level, &s.backtrack_level].into_iter().for_each(|word| word.store(1, Relaxed));
        self.begin()?;
        self.rebuild_watches()
    }

    /// Sets what the counters from `first` on may be at most.
    pub fn write_most(&mut self, first: u32, most: &[i64]) -> Result<(), DeviceError> {
        let address = self.search.sum_most.address() + first as u64 * size_of::<i64>() as u64;
        self.executor.upload(address, bytemuck::cast_slice(most))
    }

    /// Writes a nogood to slot 0, for [`Kernel::RecordUnfounded`].
    pub fn write_slot(&mut self, lits: &[Lit]) -> Result<(), DeviceError> {
        self.executor.upload(self.search.slot_lits.address(), bytemuck::cast_slice(lits))
    }

    /// The executor, for its name and its totals.
    pub fn executor(&self) -> &dyn Executor {
        &*self.executor
    }

    /// Launches a kernel on this search.
    pub fn launch(&mut self, kernel: Kernel, work: Work) -> Result<(), DeviceError> {
        #[cfg(test)]
        if self.in_lockstep {
            return super::lockstep::launch(self, kernel, work);
        }
        self.launch_alone(kernel, work)
    }

    pub(super) fn launch_alone(&mut self, kernel: Kernel, work: Work) -> Result<(), DeviceError> {
        self.executor.launch(kernel, work, &self.search)
    }

    /// Launches a kernel with its argument.
    pub fn launch_with(&mut self, kernel: Kernel, work: Work, argument: u32) -> Result<(), DeviceError> {
        self.search.argument = argument;
        self.launch(kernel, work)
    }

    /// Runs the resident search until it returns, for some rounds at most, and reads the control words.
    pub fn search(&mut self, geometry: Geometry, interrupt: &dyn Fn() -> bool) -> Result<(), DeviceError> {
        self.state.budget.store(self.rounds_a_launch, Relaxed);
        self.state.answers.store(0, Relaxed);
        self.write_state()?;
        self.search.state_is_own = (geometry != Geometry::Grid) as u32;
        let outcome = self.executor.search(geometry, &self.search, interrupt);
        self.search.state_is_own = 0;
        outcome?;
        self.read_state()
    }

    /// Makes room for `rows` answer sets.
    pub fn fit_answers(&mut self, rows: u32) -> Result<(), DeviceError> {
        let mut v = self.search;
        self.refit(&mut v.answers, rows as usize * v.atom_vars.div_ceil(32) as usize)?;
        v.answers_wanted = rows;
        self.search = v;
        Ok(())
    }

    /// The answer sets that the resident search kept: of each, a bit for each program atom.
    pub fn read_answers(&mut self) -> Result<Vec<u32>, DeviceError> {
        let words = self.state.answers.load(Relaxed) as usize * self.search.atom_vars.div_ceil(32) as usize;
        self.read(self.search.answers, words)
    }

    /// Reads the control words, after all kernels so far.
    pub fn read_state(&mut self) -> Result<(), DeviceError> {
        self.executor.download(self.search.state.address(), bytes_of_state(&mut self.state))
    }

    /// Writes the control words.
    pub(super) fn write_state(&mut self) -> Result<(), DeviceError> {
        self.executor.upload(self.search.state.address(), bytes_of_state(&mut self.state))
    }

    /// Writes the first elements of an array, likewise.
    #[cfg(test)]
    pub(super) fn write<T: Pod>(&mut self, array: Array<T>, elements: &[T]) -> Result<(), DeviceError> {
        assert!(elements.len() <= array.len());
        self.executor.upload(array.address(), bytemuck::cast_slice(elements))
    }

    /// The assignment of the program atoms.
    pub fn read_values(&mut self) -> Result<Vec<i32>, DeviceError> {
        self.read(self.search.value, self.search.atom_vars as usize)
    }

    /// The first `len` elements of an array.
    pub(super) fn read<T: Pod>(&mut self, array: Array<T>, len: usize) -> Result<Vec<T>, DeviceError> {
        let mut elements = vec![T::zeroed(); len];
        self.executor.download(array.address(), bytemuck::cast_slice_mut(&mut elements))?;
        Ok(elements)
    }

    /// Makes bitmaps wide enough for decisions up to `level`.
    pub fn fit_level(&mut self, level: u32) -> Result<(), DeviceError> {
        let old = self.search.deps_words;
        if words_of(level) <= old {
            return Ok(());
        }
        let words = words_of(level).max(2 * old);
        #[cfg(test)]
        if self.in_lockstep {
            return super::lockstep::exchange(self, Kernel::WidenDeps, |m| m.widen(words));
        }
        self.widen(words)
    }

    fn widen(&mut self, words: u32) -> Result<(), DeviceError> {
        let old = self.search.deps_words;
        self.free(self.search.slot_deps.address());
        self.search.slot_deps = self.room((self.search.slots * words) as usize)?;
        self.search.deps_words = words;
        if self.search.track_deps == 1 {
            let narrow = self.search.deps;
            self.search.narrow_deps = narrow;
            self.search.deps = self.room(self.search.vars as usize * words as usize)?;
            self.launch_with(Kernel::WidenDeps, Work::Warps(self.search.vars), old)?;
            self.free(narrow.address());
        }
        Ok(())
    }

    /// Makes room for `nogoods` more learned nogoods of `lits` literals in all.
    pub fn fit_learned(&mut self, nogoods: u32, lits: u64) -> Result<(), DeviceError> {
        let (have, have_lits) = (self.state.learned.load(Relaxed), self.state.learned_lits.load(Relaxed));
        let mut v = self.search;
        if v.learned_start.len() < (have + nogoods) as usize {
            let len = (have + nogoods) as usize * 2;
            self.grow(&mut v.learned_start, len)?;
            self.grow(&mut v.learned_len, len)?;
            self.grow(&mut v.learned_lbd, len)?;
            self.grow(&mut v.learned_watch, len)?;
            self.grow(&mut v.late, len)?;
            self.grow(&mut v.learned_from, len)?;
            self.grow(&mut v.learned_activity, len)?;
        }
        if (v.learned_lit.len() as u64) < have_lits as u64 + lits {
            let len = (have_lits as u64 + lits) * 2;
            if len > u32::MAX as u64 {
                return Err(DeviceError::OutOfMemory {
                    device: self.executor.name(),
                    bytes: len as usize * size_of::<Lit>(),
                });
            }
            self.grow(&mut v.learned_lit, len as usize)?;
        }
        self.search = v;
        Ok(())
    }

    /// Deletes learned nogoods down to about `keep`.
    pub fn reduce_learned(&mut self, keep: u32) -> Result<(), DeviceError> {
        #[cfg(test)]
        if self.in_lockstep {
            super::lockstep::exchange(self, Kernel::ReduceLearned, |m| m.reduce(keep))?;
            return self.rebuild_watches();
        }
        self.reduce(keep)?;
        self.rebuild_watches()
    }

    fn reduce(&mut self, keep: u32) -> Result<(), DeviceError> {
        let mut v = self.search;
        self.refit(&mut v.spare_start, v.learned_start.len())?;
        self.refit(&mut v.spare_len, v.learned_len.len())?;
        self.refit(&mut v.spare_lbd, v.learned_lbd.len())?;
        self.refit(&mut v.spare_watch, v.learned_watch.len())?;
        self.refit(&mut v.spare_lit, v.learned_lit.len())?;
        self.refit(&mut v.renamed, v.learned_start.len())?;
        v.keep = keep;
        self.search = v;
        self.launch(Kernel::ReduceLearned, Work::OneBlock)?;
        let v = &mut self.search;
        std::mem::swap(&mut v.spare_start, &mut v.learned_start);
        std::mem::swap(&mut v.spare_len, &mut v.learned_len);
        std::mem::swap(&mut v.spare_lbd, &mut v.learned_lbd);
        std::mem::swap(&mut v.spare_watch, &mut v.learned_watch);
        std::mem::swap(&mut v.spare_lit, &mut v.learned_lit);
        self.read_state()
    }

    /// Lays the lists of watches out anew, with room in each.
    pub fn rebuild_watches(&mut self) -> Result<(), DeviceError> {
        // The lists as they are laid out, and as much again for those that grow.
        let most =
            3 * self.state.learned.load(Relaxed) as usize + 2 * self.search.vars as usize * SPARE as usize;
        let mut v = self.search;
        self.refit(&mut v.watch_list, 2 * most + INITIAL_LEARNED.1 as usize)?;
        self.search = v;
        self.launch(Kernel::RebuildWatches, Work::OneBlock)?;
        self.read_state()
    }

    /// Zeroed memory for `len` elements.
    fn room<T: Plain>(&mut self, len: usize) -> Result<Array<T>, DeviceError> {
        let address = self.executor.alloc(len * size_of::<T>())?;
        // SAFETY: allocated for `len` elements, zeroed, of a type for which zeros are a value; freed only by `free`, when
        // the array is replaced, or with the executor.
        Ok(unsafe { Array::from_raw(address as *mut T, len) })
    }

    /// A copy of `data` on the device.
    fn place<T: Pod + Plain>(&mut self, data: &[T]) -> Result<Array<T>, DeviceError> {
        let array = self.room(data.len())?;
        self.executor.upload(array.address(), bytemuck::cast_slice(data))?;
        Ok(array)
    }

    /// Row boundaries and rows.
    fn place_csr(&mut self, csr: &Csr) -> Result<(Array<u32>, Array<u32>), DeviceError> {
        Ok((self.place(&csr.start)?, self.place(&csr.items)?))
    }

    /// Replaces an array by a longer one with the same beginning.
    fn grow<T: Plain>(&mut self, array: &mut Array<T>, len: usize) -> Result<(), DeviceError> {
        let old = *array;
        *array = self.room(len)?;
        self.executor.copy(array.address(), old.address(), old.len() * size_of::<T>())?;
        self.free(old.address());
        Ok(())
    }

    /// Makes a scratch array as long as `len`; its contents are lost.
    fn refit<T: Plain>(&mut self, array: &mut Array<T>, len: usize) -> Result<(), DeviceError> {
        if array.len() < len {
            self.free(array.address());
            *array = self.room(len)?;
        }
        Ok(())
    }

    fn free(&mut self, address: u64) {
        self.executor.free(address);
    }
}

/// Maps each nogood and literal of a map from literals to nogoods.
fn each_occurrence<T>(map: &Csr, mut f: impl FnMut(u32, usize) -> T) -> Vec<T> {
    let rows = (0..map.rows()).flat_map(|lit| map.row(lit).iter().map(move |&id| (id, lit)));
    rows.map(|(id, lit)| f(id, lit)).collect()
}

/// What the first bump adds to an activity.
const INITIAL_BUMP: u32 = 32;

/// Types of which zero bytes are a value.
trait Plain {}
impl Plain for u32 {}
impl Plain for i32 {}
impl Plain for u64 {}
impl Plain for i64 {}
impl Plain for Lit {}
impl Plain for State {}

/// The control words as bytes, to copy them from or to the device.
fn bytes_of_state(state: &mut State) -> &mut [u8] {
    // SAFETY: State is #[repr(C)], made of integers without padding (its size is asserted beside it), and borrowed
    // exclusively, so that its atomics may be written as plain bytes.
    unsafe { std::slice::from_raw_parts_mut(std::ptr::from_mut(state).cast(), size_of::<State>()) }
}
