//! The device memory of one search: the program's arrays, which are only read, and one block with all that the search owns. When it
//! outgrows one of its arrays, it gets another block.
//!
//! Invariant: every array of [`Search`] lies in memory of `executor` and is as long as `Search`'s documentation says, so
//! launching a kernel on it is sound.

use super::options::{Decide, Heuristic, Learning, LoopCheck, Options, Restarts};
use super::rank::initial_ranks;
use crate::device::{DeviceError, Executor, Geometry, Kernel, Work};
use crate::nogoods::{Csr, Foundedness, NogoodStore, Prepared};
use bytemuck::Pod;
use solver_gpu::conflict::{mix, Learned};
use solver_gpu::deps::words_of;
use solver_gpu::kernels::decide::{CHUNK, UNKNOWN};
use solver_gpu::kernels::propagate_long::pack;
use solver_gpu::kernels::rebuild_watches::{entries, has_room};
use solver_gpu::layout::{Own, Team, MAX_CONFLICTS, NONE, UNCLAIMED};
use solver_gpu::schedule::{self, kind};
use solver_gpu::watches::SPARE;
use solver_gpu::{Array, Lit, Search, State};
use std::sync::atomic::Ordering::Relaxed;

/// Words of a dependency bitmap to begin with: 128 levels.
const INITIAL_WORDS: u32 = 4;
/// Room for learned nogoods, and for their literals, to begin with.
const INITIAL_LEARNED: (usize, usize) = (4096, 1 << 16);

/// A search's memory, and the executor that owns it.
pub struct Memory {
    executor: Box<dyn Executor>,
    /// Addresses, as kernels get them.
    pub search: Search,
    /// The control words, as last read.
    pub state: State,
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
            search: Search::default(),
            state: State::default(),
            #[cfg(test)]
            in_lockstep: false,
        };
        let s = &p.nogoods;
        let conflicts = options.conflicts.clamp(1, MAX_CONFLICTS);
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
            slots,
            // Mixed, as neighbouring seeds would differ in the lowest bits alone.
            seed: mix(options.seed) as u32,
            track_deps: forward as u32,
            resolves: (options.learning != Learning::Forward) as u32,
            track_activity: matches!(options.heuristic, Heuristic::Activity | Heuristic::Domain) as u32,
            check_fixpoints: (options.loop_check == LoopCheck::Fixpoint) as u32,
            restarts: sequence(options.restarts),
            turn_base: options.rephase,
            visits_alone: options.visits_alone,
            ..Search::default()
        };
        v.start = m.place(&s.start)?;
        v.lits = m.place(&s.lits)?;
        m.place_occurrences(&mut v, s)?;
        m.place_sums(&mut v, p)?;
        m.place_candidates(&mut v, p, options)?;
        m.place_directives(&mut v, p)?;
        v.preferred = m.place(&p.preferred)?;
        if let Some(f) = &p.foundedness {
            m.place_foundedness(&mut v, p, f)?;
        }
        // SAFETY: one word, which lives as long as the executor and is only read as an atomic.
        v.stop = unsafe { Array::from_raw(m.executor.stop_word() as *mut u32, 1) };
        m.search = v;
        let threads = m.executor.threads();
        m.make_block(|own| *own = lengths(&v, p, threads))?;
        m.fill_block(p, options)?;
        Ok(m)
    }

    /// What an own block has in it at first, other than zeros.
    fn fill_block(&mut self, p: &Prepared, options: &Options) -> Result<(), DeviceError> {
        let (own, vars) = (self.search.own, p.vars as usize);
        let s = &p.nogoods;
        let first_two = |i: u32| {
            let at = s.start[i as usize] as usize;
            pack(s.lits[at], s.lits[at + 1])
        };
        self.write(own.watch, &(s.ternary_end..s.len() as u32).map(first_two).collect::<Vec<_>>())?;
        self.write(own.sum_weight, &p.sums.weights)?;
        self.write(own.sum_most, &p.sums.most)?;
        self.write(own.rank, &initial_ranks(p, options.heuristic))?;
        self.write(own.watch_at, &(0..2 * p.vars).map(|lit| lit * SPARE).collect::<Vec<_>>())?;
        self.write(own.watch_room, &vec![SPARE; 2 * vars])?;
        let keep = options.keep_learned.max(1);
        let state = &self.state;
        for (word, value) in [
            (&state.deepest, 1),
            (&state.stamp, 1),
            (&state.bump, INITIAL_BUMP),
            (&state.watch_end, 2 * p.vars * SPARE),
            (&state.keep, keep),
            (&state.learned_limit, keep.saturating_mul(2)),
        ] {
            word.store(value, Relaxed);
        }
        schedule::begin(&self.search.restarts, state);
        schedule::begin_turns(self.search.turn_base, state);
        self.begin()
    }

    /// Where literals stand in input nogoods, each place with what a visit needs of the nogood.
    fn place_occurrences(&mut self, v: &mut Search, s: &NogoodStore) -> Result<(), DeviceError> {
        for class in 0..3 {
            v.occurs_start[class] = self.place(&s.occurrences[class].start)?;
        }
        let others = |id: u32, lit: usize| {
            let mut others =
                s.nogood(crate::ids::NogoodId(id)).iter().filter(move |other| other.index() != lit);
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
        v.sum_counter = self.place(&sums.counter_of)?;
        v.sum_of = self.place(&sums.sum_of_items())?;
        v.sum_counters = self.place(&sums.counters)?;
        if !sums.is_empty() {
            (v.sum_occurs_start, v.sum_occurs) = self.place_csr(&sums.occurrences(p.vars))?;
        }
        Ok(())
    }

    /// What Decision may choose.
    fn place_candidates(
        &mut self,
        v: &mut Search,
        p: &Prepared,
        options: &Options,
    ) -> Result<(), DeviceError> {
        v.candidate_head = self.place(&p.candidates.iter().map(|c| c.head.0).collect::<Vec<_>>())?;
        v.candidate_positive = self.place(&p.candidates.iter().map(|c| c.positive).collect::<Vec<_>>())?;
        v.candidate_body = self.place(&p.candidates.iter().map(|c| c.body).collect::<Vec<_>>())?;
        if options.decide == Decide::Any && p.advised == 0 {
            let mut candidate_of = vec![NONE; p.vars as usize];
            for (i, candidate) in p.candidates.iter().enumerate() {
                candidate_of[candidate.head.0 as usize] = i as u32;
            }
            v.candidate_of = self.place(&candidate_of)?;
        }
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

    /// Rules on positive loops.
    fn place_foundedness(
        &mut self,
        v: &mut Search,
        p: &Prepared,
        f: &Foundedness,
    ) -> Result<(), DeviceError> {
        v.loop_rules = f.head.len() as u32;
        v.loop_atoms = f.atoms.len() as u32;
        v.loop_atom = self.place(&f.atoms)?;
        v.component = self.place(&f.component)?;
        v.loop_head = self.place(&f.head)?;
        v.loop_body = self.place(&f.body)?;
        (v.loop_positive_start, v.loop_positive) = self.place_csr(&f.positive)?;
        (v.loop_occurs_start, v.loop_occurs) = self.place_csr(&f.occurs_in)?;
        let rules = f.head.iter().enumerate().map(|(r, &head)| (head as usize, r as u32));
        let rules = Csr::from_pairs(p.atom_vars as usize, rules);
        (v.loop_rules_start, v.loop_rules_of) = self.place_csr(&rules)?;
        self.place_loop_sums(v, f)
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
        Ok(())
    }

    /// Nothing is assigned or known of candidates, and nobody has looked at the sums.
    fn begin(&mut self) -> Result<(), DeviceError> {
        let (own, sums) = (self.search.own, self.search.sums);
        self.write(own.reason, &vec![UNCLAIMED; own.reason.len()])?;
        self.write(own.chunk_best, &vec![UNKNOWN; own.chunk_best.len()])?;
        self.write(own.sum_queue, &(0..sums).collect::<Vec<_>>())?;
        self.write(own.sum_touched, &vec![1; sums as usize])?;
        self.state.touched.store(sums, Relaxed);
        for word in [&self.state.level, &self.state.backtrack_level, &self.state.projected] {
            word.store(1, Relaxed);
        }
        self.write_state()
    }

    /// Forgets the assignment and all that was learned, but not the ranks: for a search with another goal.
    pub fn start_over(&mut self) -> Result<(), DeviceError> {
        let own = self.search.own;
        self.write(own.value, &vec![0; own.value.len()])?;
        self.write(own.sum_held, &vec![0; own.sum_held.len()])?;
        let s = &self.state;
        for word in [&s.trail_len, &s.committed, &s.visited, &s.conflicts, &s.exhausted, &s.no_candidate] {
            word.store(0, Relaxed);
        }
        for word in [&s.unfounded, &s.learned, &s.learned_lits, &s.flip, &s.seen, &s.late, &s.look_late] {
            word.store(0, Relaxed);
        }
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
        self.write(self.search.slot_lits, lits)
    }

    /// Loads what the search is going to launch: one kernel, or one for each step.
    pub fn load_kernels(&mut self, is_resident: bool) -> Result<(), DeviceError> {
        if is_resident {
            return self.executor.load(Kernel::for_search(&self.search));
        }
        let mut steps = Kernel::ALL.iter().filter(|kernel| !Kernel::SEARCHES.contains(kernel));
        steps.try_for_each(|&kernel| self.executor.load(kernel))
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
        self.executor.search(geometry, &self.search, interrupt)?;
        self.read_state()
    }

    /// Makes room for `rows` answer sets.
    pub fn fit_answers(&mut self, rows: u32) -> Result<(), DeviceError> {
        let words = rows as usize * self.search.atom_vars.div_ceil(32) as usize;
        if self.search.answers.len() < words {
            self.make_block(|own| own.answers = nowhere(2 * words))?;
        }
        self.search.answers_wanted = rows;
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

    /// Writes the first elements of an array.
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
            return super::lockstep::exchange(self, |m| m.widen(words));
        }
        self.widen(words)
    }

    fn widen(&mut self, words: u32) -> Result<(), DeviceError> {
        let v = self.search;
        let rows = if v.track_deps == 1 { v.vars as usize } else { 0 };
        let before = self.lay_out(|own| {
            own.deps = nowhere(rows * words as usize);
            own.slot_deps = nowhere((v.slots * words) as usize);
        })?;
        self.search.deps_words = words;
        self.search.narrow_deps = v.deps;
        let widened = match v.track_deps {
            1 => self.launch_with(Kernel::WidenDeps, Work::Warps(v.vars), v.deps_words),
            _ => Ok(()),
        };
        self.executor.free(before.base());
        widened
    }

    /// Makes room for `nogoods` more learned nogoods of `lits` literals in all.
    pub fn fit_learned(&mut self, nogoods: u32, lits: u64) -> Result<(), DeviceError> {
        let (have, have_lits) = (self.state.learned.load(Relaxed), self.state.learned_lits.load(Relaxed));
        let (nogoods, lits) = ((have + nogoods) as usize, have_lits as u64 + lits);
        let v = self.search;
        let (has_nogoods, has_lits) = (v.learned_start.len(), v.learned_lit.len());
        if nogoods <= has_nogoods && lits <= has_lits as u64 {
            return Ok(());
        }
        if lits > u32::MAX as u64 / 2 {
            let bytes = 2 * lits as usize * size_of::<Lit>();
            return Err(DeviceError::OutOfMemory { device: self.executor.name(), bytes });
        }
        let grown = |has: usize, wanted: usize| if wanted > has { 2 * wanted } else { has };
        let (nogoods, lits) = (grown(has_nogoods, nogoods), grown(has_lits, lits as usize));
        self.make_block(|own| fit_learned(own, nogoods, lits))
    }

    /// Deletes learned nogoods.
    pub fn reduce_learned(&mut self) -> Result<(), DeviceError> {
        self.launch(Kernel::ReduceLearned, Work::OneBlock)?;
        self.read_state()?;
        self.rebuild_watches()
    }

    /// Lays the lists of watches out anew, with room in each.
    pub fn rebuild_watches(&mut self) -> Result<(), DeviceError> {
        // And four times as much for those that grow.
        let entries = 5 * entries(self.state.learned.load(Relaxed), self.search.vars) as usize;
        if self.search.watch_list.len() < entries {
            self.make_block(|own| own.watch_list = nowhere(entries + INITIAL_LEARNED.1))?;
        }
        self.launch(Kernel::RebuildWatches, Work::OneBlock)?;
        self.read_state()
    }

    /// Whether the device could do the same by itself.
    pub fn has_room_for_watches(&self) -> bool {
        has_room(&self.search, &self.state)
    }

    /// Gives the search a new block, with arrays as long as `change` makes them.
    fn make_block(&mut self, change: impl FnOnce(&mut Own)) -> Result<(), DeviceError> {
        let before = self.lay_out(change)?;
        if before.base() != 0 {
            self.executor.free(before.base());
        }
        Ok(())
    }

    /// Moves the search to another block, and writes nonsense to the one that it leaves.
    #[cfg(test)]
    pub(super) fn move_block(&mut self) -> Result<(), DeviceError> {
        let before = self.lay_out(|_| {})?;
        // SAFETY: the block that the search is in now is laid out as the one before.
        let moved = unsafe { before.moved(self.search.own.base()) };
        assert_eq!(extents(&moved), extents(&self.search.own));
        self.executor.upload(before.base(), &vec![0xa5; before.bytes()])?;
        self.executor.free(before.base());
        Ok(())
    }

    /// The same, but leaves the block that was, which it returns. What was in an array is in the new one, as far as it fits; the rest is
    /// zeros.
    fn lay_out(&mut self, change: impl FnOnce(&mut Own)) -> Result<Own, DeviceError> {
        let before = self.search.own;
        let mut own = before;
        change(&mut own);
        let base = self.executor.alloc(own.bytes())?;
        // SAFETY: the block is large enough, aligned, zeroed, and zeros are a value of all types in it (see `nowhere`). It is freed only by
        // `make_block` and `widen`, when the search has another one, or with the executor.
        self.search.own = unsafe { own.laid_out(base) };
        for ((from, had), (to, has)) in extents(&before).into_iter().zip(extents(&self.search.own)) {
            self.executor.copy(to, from, had.min(has))?;
        }
        Ok(before)
    }

    /// A copy of `data` on the device.
    fn place<T: Pod>(&mut self, data: &[T]) -> Result<Array<T>, DeviceError> {
        let address = self.executor.alloc(size_of_val(data))?;
        self.executor.upload(address, bytemuck::cast_slice(data))?;
        // SAFETY: allocated for as many elements, with a value each; freed with the executor.
        Ok(unsafe { Array::from_raw(address as *mut T, data.len()) })
    }

    /// Row boundaries and rows.
    fn place_csr(&mut self, csr: &Csr) -> Result<(Array<u32>, Array<u32>), DeviceError> {
        Ok((self.place(&csr.start)?, self.place(&csr.items)?))
    }
}

/// An array of this length, that has to be laid out before anybody uses it.
fn nowhere<T: Plain>(len: usize) -> Array<T> {
    // SAFETY: it only ever is in an `Own` on its way to `lay_out`.
    unsafe { Array::from_raw(std::ptr::null_mut(), len) }
}

/// Where the arrays of a block lie, in order, and their sizes in bytes.
fn extents(own: &Own) -> Vec<(u64, usize)> {
    let mut extents = Vec::new();
    own.each(|address, bytes| extents.push((address, bytes)));
    extents
}

/// Whether all candidates are looked at sooner than what is known of chunks of them, which lies further away.
fn is_quick(v: &Search, threads: u32) -> bool {
    threads > 1 && v.candidates <= 2 * threads
}

/// How long the arrays are that a search owns, to begin with, if its blocks have so many threads.
fn lengths(v: &Search, p: &Prepared, threads: u32) -> Own {
    let (vars, atoms, slots) = (v.vars as usize, v.atom_vars as usize, v.slots as usize);
    let long = p.nogoods.len() - v.ternary_end as usize;
    let (loop_atoms, loop_atom_rows) = (v.loop_atoms as usize, if v.loop_rules > 0 { atoms } else { 0 });
    let (sums, counters) = (v.sums as usize, p.sums.most.len());
    let words = v.deps_words as usize;
    let turning = if v.turn_base > 0 { vars } else { 0 };
    let mut own = Own {
        state: nowhere(1),
        team: nowhere(1),
        value: nowhere(vars),
        reason: nowhere(vars),
        position: nowhere(vars),
        trail: nowhere(vars),
        round: nowhere(vars),
        decision_at: nowhere(vars + 2),
        trail_at: nowhere(vars + 2),
        deps: nowhere(if v.track_deps == 1 { vars * words } else { 0 }),
        conflict: nowhere(MAX_CONFLICTS as usize),
        slot_lits: nowhere(slots * vars),
        slot: nowhere(slots),
        slot_deps: nowhere(slots * words),
        mark: nowhere(slots * vars),
        watch_at: nowhere(2 * vars),
        watch_len: nowhere(2 * vars),
        watch_room: nowhere(2 * vars),
        watch_list: nowhere(8 * vars * SPARE as usize + INITIAL_LEARNED.1),
        watch_queue: nowhere(INITIAL_LEARNED.0),
        watch: nowhere(long),
        sum_weight: nowhere(v.sum_items as usize),
        sum_held: nowhere(counters),
        sum_most: nowhere(counters),
        sum_touched: nowhere(sums),
        sum_queue: nowhere(sums),
        chunk_best: nowhere(if v.candidate_of.is_empty() || is_quick(v, threads) {
            0
        } else {
            v.candidates.div_ceil(CHUNK) as usize
        }),
        rank: nowhere(vars),
        phase: nowhere(vars),
        longest: nowhere(turning),
        kept_phase: nowhere(turning),
        loop_sum_missing: nowhere(v.loop_sums as usize),
        founded: nowhere(loop_atom_rows),
        source: nowhere(loop_atom_rows),
        missing: nowhere(v.loop_rules as usize),
        queue: nowhere(loop_atoms),
        lost: nowhere(loop_atoms),
        ..Own::default()
    };
    fit_learned(&mut own, INITIAL_LEARNED.0, INITIAL_LEARNED.1);
    own
}

/// Makes the stores of learned nogoods as long as this.
fn fit_learned(own: &mut Own, nogoods: usize, lits: usize) {
    own.learned_start = nowhere(nogoods);
    own.learned_len = nowhere(nogoods);
    own.learned_lbd = nowhere(nogoods);
    own.learned_activity = nowhere(nogoods);
    own.learned_watch = nowhere(nogoods);
    own.learned_from = nowhere(nogoods);
    own.late = nowhere(nogoods);
    own.renamed = nowhere(nogoods);
    own.learned_lit = nowhere(lits);
    own.spare_lit = nowhere(lits);
}

/// The sequence of restarts that is asked for.
fn sequence(asked: Restarts) -> schedule::Restarts {
    let (kind, base, factor) = match asked {
        Restarts::None => (kind::NONE, 0, 0.0),
        Restarts::Luby(base) => (kind::LUBY, base, 0.0),
        Restarts::Geometric(base, factor) => (kind::GEOMETRIC, base, factor),
        Restarts::Quality(least, factor) => (kind::QUALITY, least, factor),
    };
    schedule::Restarts { kind, base, factor }
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
impl Plain for Team {}
impl Plain for Learned {}

/// The control words as bytes, to copy them from or to the device.
fn bytes_of_state(state: &mut State) -> &mut [u8] {
    // SAFETY: State is #[repr(C)], made of integers without padding (its size is asserted beside it), and borrowed
    // exclusively, so that its atomics may be written as plain bytes.
    unsafe { std::slice::from_raw_parts_mut(std::ptr::from_mut(state).cast(), size_of::<State>()) }
}
