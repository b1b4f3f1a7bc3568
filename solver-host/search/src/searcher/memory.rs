//! One search on its device: the five parts that kernels get, the control words, and every launch.
//!
//! Main type: [`Memory`]. Invariant: every array of [`Memory::search`] lies in memory of this search's
//! executor or of the program's upload, and is as long as its documentation says, so launching a kernel on it
//! is sound.

use crate::campaign::plan::{Phase, Plan};
use crate::options::{Descent, Heuristic, Learning, LoopCheck, OptStrategy, Options};
use crate::searcher::block::{wanted_entries, with_initial_room, Block, INITIAL_ASSUMED};
use crate::searcher::upload::{Filler, Uploaded};
use bytemuck::Pod;
use solver_gpu::deps::words_of;
use solver_gpu::hash::mix;
use solver_gpu::kernels::rebuild_watches::has_room;
use solver_gpu::kernels::rephase;
use solver_gpu::layout::{
    Level, Own, Record, Shape, CLASSES, MAX_CONFLICTS, MAX_CUBE, MAX_LOOK, NONE, SPARE,
};
use solver_gpu::next_step::{next_step, NextStep};
use solver_gpu::schedule;
use solver_gpu::tournament::keys_of;
use solver_gpu::{Array, Launch, Lit, Problem, Search, Settings, State, Swarm};
use std::sync::Arc;
use yasmin_device::{self as device, DeviceError, Executor, Geometry, Kernel, Work};

/// What the first bump adds to an activity.
const INITIAL_BUMP: f32 = 1.0;

/// A search's memory, and the executor that owns it.
pub struct Memory {
    executor: Box<dyn Executor>,
    uploaded: Arc<Uploaded>,
    block: Block,
    heuristic: Heuristic,
    /// The five parts, as kernels get them.
    pub search: Search,
    /// The control words, as last read.
    pub state: State,
    /// The number of rounds after which the resident search returns. It is at least 2, because the first
    /// round may repeat what the launch before did last.
    pub rounds_a_launch: u32,
}

impl Memory {
    /// Makes room for a search of an uploaded program, on an executor of the program's device. `plan` says
    /// what is asked.
    ///
    /// # Errors
    /// If the device has too little memory or fails.
    pub fn new(
        mut executor: Box<dyn Executor>,
        uploaded: Arc<Uploaded>,
        options: &Options,
        plan: &Plan,
    ) -> Result<Self, DeviceError> {
        let mut settings = settings(options, plan);
        // In a search of one thread a propagator looks after difference constraints.
        settings.bounds = (uploaded.view.arcs > 0 && executor.threads() > 1) as u32;
        let shape = first_shape(&uploaded, &settings, options.rephase, executor.threads());
        let template = uploaded.template(&shape, options.heuristic)?;
        let block = Block::from_template(&mut *executor, shape, &template)?;
        let stop = executor.stop_word()?;
        let launch = Launch {
            // SAFETY: one word, which lives as long as the executor and is only accessed as an atomic.
            stop: unsafe { Array::from_raw(stop as *mut _, 1) },
            ..Launch::default()
        };
        let mut memory = Memory {
            rounds_a_launch: executor.rounds_a_launch(),
            search: Search {
                problem: uploaded.view,
                settings,
                own: block.own,
                swarm: Swarm::default(),
                launch,
            },
            executor,
            uploaded,
            block,
            heuristic: options.heuristic,
            state: State::default(),
        };
        let (s, vars) = (&memory.state, memory.search.problem.vars);
        let keep = options.keep_learned.max(1);
        s.counts.deepest_level.store(1);
        s.stamp.store(1);
        s.bump.store(INITIAL_BUMP.to_bits());
        s.watch_end.store(2 * vars * SPARE);
        s.keep.store(keep);
        s.learned_limit.store(keep.saturating_mul(2));
        schedule::begin(&settings.restarts, s);
        rephase::begin(settings.rephase, s);
        memory.begin()?;
        if shape.listed > 0 {
            memory.rebuild_watches()?;
        }
        Ok(memory)
    }

    /// Sets the control words of a search that has not assigned anything and has looked at no sum.
    fn begin(&mut self) -> Result<(), DeviceError> {
        let s = &self.state;
        s.touched.store(self.search.problem.sums);
        for word in [&s.level, &s.backtrack_level, &s.projected, &s.root] {
            word.store(1);
        }
        self.write_state()
    }

    /// Forgets the assignment and all that was learned, but not the ranks: for a search with another goal.
    ///
    /// # Errors
    /// If the device fails.
    pub fn start_over(&mut self) -> Result<(), DeviceError> {
        self.state.learned.store(0);
        self.state.learned_lits.store(0);
        self.forget_assignment()
    }

    /// Forgets what answer sets have changed of the goal: bounds, and consequences that are known.
    ///
    /// # Errors
    /// If the device fails.
    pub fn forget_found(&mut self) -> Result<(), DeviceError> {
        let uploaded = self.uploaded.clone();
        uploaded.first_values(self.heuristic, |first| {
            self.write(self.search.own.sum_weight, first.sum_weight)?;
            self.write(self.search.own.sum_most, first.sum_most)
        })
    }

    /// Forgets the assignment. Learned nogoods stay, and are looked at as if they were new.
    ///
    /// # Errors
    /// If the device fails.
    pub fn forget_assignment(&mut self) -> Result<(), DeviceError> {
        let mut filler = Filler { executor: &mut *self.executor, is_zero: false };
        let own = &self.block.own;
        self.uploaded.first_values(self.heuristic, |first| own.fill_for_goal(first, &mut filler))?;
        self.begin_again()
    }

    /// Sets the control words of a search that has learned, but assigned nothing, and lays the lists of
    /// watches out.
    fn begin_again(&mut self) -> Result<(), DeviceError> {
        let s = &self.state;
        for word in [&s.trail_len, &s.committed, &s.visited, &s.conflicts, &s.exhausted, &s.refuted] {
            word.store(0);
        }
        for word in
            [&s.no_candidate, &s.unfounded, &s.checked, &s.flip, &s.seen, &s.late, &s.look_late, &s.set_len]
        {
            word.store(0);
        }
        s.asked.store(0);
        s.bounded.store(0);
        self.begin()?;
        self.rebuild_watches()
    }

    /// The executor, the block, the five parts and the control words, for searchers that begin like this
    /// search.
    pub fn into_parts(self) -> (Box<dyn Executor>, Block, Search, State) {
        (self.executor, self.block, self.search, self.state)
    }

    /// The size in bytes of the search's block.
    pub fn block_bytes(&self) -> usize {
        self.block.own.bytes()
    }

    /// How many blocks of the resident search, as part of a swarm, run at once on the device.
    ///
    /// # Errors
    /// If the device refuses the kernel.
    pub fn resident_searchers(&self) -> Result<u32, DeviceError> {
        let swarm = Swarm { searchers: 1, ..Swarm::default() };
        self.executor.resident_blocks(Kernel::for_search(&Search { swarm, ..self.search }))
    }

    /// Sets the number of the sum that the next answer set must satisfy, or that there is none.
    pub fn set_goal(&mut self, goal: Option<u32>) {
        self.search.settings.goal = goal.unwrap_or(NONE);
    }

    /// Lets the search, which has not begun, decide by the phases that it had, where one for something better
    /// would not.
    ///
    /// # Errors
    /// If the device fails.
    pub fn keep_phases(&mut self, options: &Options) -> Result<(), DeviceError> {
        self.search.settings.save_progress = options.save_progress.levels(NEAR);
        self.search.settings.rephase = options.rephase;
        rephase::begin(options.rephase, &self.state);
        self.write_state()
    }

    /// Begins the present phase of a plan, with its goal and its bound: forgets the assignment and all that
    /// was learned, but not the ranks. The first propagation is the caller's.
    ///
    /// # Errors
    /// If the device fails.
    pub fn begin_phase(&mut self, plan: &Plan) -> Result<(), DeviceError> {
        self.start_over()?;
        self.write_limits(plan)?;
        self.set_goal(plan.goal_sum());
        Ok(())
    }

    /// Writes the bound of the present phase of a plan (see [`write_limits`]).
    ///
    /// # Errors
    /// If the device fails.
    pub fn write_limits(&mut self, plan: &Plan) -> Result<(), DeviceError> {
        write_limits(&mut *self.executor, &self.search.own, plan)
    }

    /// Writes a nogood to slot 0, for [`Kernel::RecordTold`].
    ///
    /// # Errors
    /// If the device fails.
    pub fn write_slot(&mut self, lits: &[Lit]) -> Result<(), DeviceError> {
        self.write(self.search.own.slot_lits, lits)
    }

    /// The executor, for its name and its totals.
    pub fn executor(&self) -> &dyn Executor {
        &*self.executor
    }

    /// The executor, to copy from and to its memory.
    pub(crate) fn executor_mut(&mut self) -> &mut dyn Executor {
        &mut *self.executor
    }

    /// The sizes of the search's arrays.
    pub(crate) fn shape(&self) -> Shape {
        self.block.shape
    }

    /// The problem as it was uploaded.
    pub(crate) fn uploaded_view(&self) -> Problem {
        self.uploaded.view
    }

    /// Launches a kernel on this search.
    ///
    /// # Errors
    /// If the device fails.
    pub fn launch(&mut self, kernel: Kernel, work: Work) -> Result<(), DeviceError> {
        self.executor.launch(kernel, work, &self.search)
    }

    /// InitialPropagation: launches the kernel that assigns what unit nogoods of the input force.
    ///
    /// # Errors
    /// If the device fails.
    pub fn initial_propagation(&mut self) -> Result<(), DeviceError> {
        match self.search.problem.units {
            0 => Ok(()),
            units => self.launch(Kernel::InitialPropagation, Work::Threads(units)),
        }
    }

    /// Launches a kernel with its argument.
    ///
    /// # Errors
    /// If the device fails.
    pub fn launch_with(&mut self, kernel: Kernel, work: Work, argument: u32) -> Result<(), DeviceError> {
        self.search.launch.argument = argument;
        self.launch(kernel, work)
    }

    /// Runs the resident search until it returns, for some rounds at most, and reads the control words.
    ///
    /// # Errors
    /// If the device fails.
    pub fn search(&mut self, geometry: Geometry, interrupt: &dyn Fn() -> bool) -> Result<(), DeviceError> {
        self.search.launch.budget = self.rounds_a_launch;
        self.state.answers.store(0);
        self.write_state()?;
        device::search(&mut *self.executor, geometry, &self.search, interrupt)?;
        self.read_state()
    }

    /// Makes room for `rows` answer sets, and has the resident search keep as many.
    ///
    /// # Errors
    /// If the device has too little memory or fails.
    pub fn fit_answers(&mut self, rows: u32) -> Result<(), DeviceError> {
        let words = rows as usize * answer_words(&self.search.problem);
        if self.block.shape.answer_words < words {
            self.reshape(|shape| shape.answer_words = 2 * words)?;
        }
        self.search.launch.answers_wanted = rows;
        Ok(())
    }

    /// The answer sets that the resident search kept: of each, a bit for each program atom.
    ///
    /// # Errors
    /// If the device fails.
    pub fn read_answers(&mut self) -> Result<Vec<u32>, DeviceError> {
        let words = self.state.answers.load() as usize * answer_words(&self.search.problem);
        self.read(self.search.own.answers, words)
    }

    /// Reads the control words, after all kernels so far.
    ///
    /// # Errors
    /// If the device or a kernel fails.
    pub fn read_state(&mut self) -> Result<(), DeviceError> {
        self.executor.download(self.search.own.state.address(), bytes_of_state(&mut self.state))
    }

    /// Writes the control words.
    pub(crate) fn write_state(&mut self) -> Result<(), DeviceError> {
        self.executor.upload(self.search.own.state.address(), bytes_of_state(&mut self.state))
    }

    /// Writes the first elements of an array.
    pub(crate) fn write<T: Pod>(&mut self, array: Array<T>, elements: &[T]) -> Result<(), DeviceError> {
        self.write_at(array, 0, elements)
    }

    /// Reads elements of an array, from one on.
    pub(crate) fn read_at<T: Pod>(
        &mut self,
        array: Array<T>,
        at: usize,
        elements: &mut [T],
    ) -> Result<(), DeviceError> {
        assert!(at + elements.len() <= array.len());
        let address = array.address() + (at * size_of::<T>()) as u64;
        self.executor.download(address, bytemuck::cast_slice_mut(elements))
    }

    /// Writes elements of an array, from one on.
    pub(crate) fn write_at<T: Pod>(
        &mut self,
        array: Array<T>,
        at: usize,
        elements: &[T],
    ) -> Result<(), DeviceError> {
        assert!(at + elements.len() <= array.len());
        let address = array.address() + (at * size_of::<T>()) as u64;
        match elements.is_empty() {
            true => Ok(()),
            false => self.executor.upload(address, bytemuck::cast_slice(elements)),
        }
    }

    /// The assignment of the program atoms.
    ///
    /// # Errors
    /// If the device fails.
    pub fn read_values(&mut self) -> Result<Vec<i32>, DeviceError> {
        self.read(self.search.own.value, self.search.problem.atom_vars as usize)
    }

    /// The first `len` elements of an array.
    pub(crate) fn read<T: Pod>(&mut self, array: Array<T>, len: usize) -> Result<Vec<T>, DeviceError> {
        let mut elements = vec![T::zeroed(); len];
        self.read_at(array, 0, &mut elements)?;
        Ok(elements)
    }

    /// The learned nogoods with their LBDs. The control words must have been read after the last launch.
    ///
    /// # Errors
    /// If the device fails.
    pub fn learned(&mut self) -> Result<Vec<(u32, Vec<Lit>)>, DeviceError> {
        let own = self.search.own;
        let words = size_of::<Record>() / 4;
        let mut records = vec![0u32; words * self.state.learned.load() as usize];
        self.executor.download(own.learned_record.address(), bytemuck::cast_slice_mut(&mut records))?;
        let lits = self.read(own.learned_lit, self.state.learned_lits.load() as usize)?;
        let at = |offset: usize| offset / 4;
        let (start, len, lbd) = (
            at(std::mem::offset_of!(Record, start)),
            at(std::mem::offset_of!(Record, len)),
            at(std::mem::offset_of!(Record, lbd)),
        );
        let nogood =
            |record: &[u32]| (record[lbd], lits[record[start] as usize..][..record[len] as usize].to_vec());
        Ok(records.chunks(words).map(nogood).collect())
    }

    /// Makes bitmaps wide enough for decisions up to `level`.
    ///
    /// # Errors
    /// If the device has too little memory or fails.
    pub fn fit_level(&mut self, level: u32) -> Result<(), DeviceError> {
        let old = self.search.own.deps_words;
        if words_of(Level(level)) <= old {
            return Ok(());
        }
        let words = words_of(Level(level)).max(2 * old) as usize;
        let shape = Shape { deps_words: words, ..self.block.shape };
        let before = self.block.reshape_and_keep(&mut *self.executor, shape)?;
        self.search.own = self.block.own;
        self.search.launch.narrow_deps = before.deps;
        let vars = self.search.problem.vars;
        let widened = match self.search.settings.track_deps {
            1 => self.launch_with(Kernel::WidenDeps, Work::Warps(vars), old),
            _ => Ok(()),
        };
        self.executor.free(before.base());
        widened
    }

    /// Makes room for `nogoods` more learned nogoods of `lits` literals in all.
    ///
    /// # Errors
    /// If the device has too little memory or fails.
    pub fn fit_learned(&mut self, nogoods: u32, lits: u64) -> Result<(), DeviceError> {
        let (have, have_lits) = (self.state.learned.load(), self.state.learned_lits.load());
        let (nogoods, lits) = ((have + nogoods) as usize, have_lits as u64 + lits);
        self.block.fit_learned(&mut *self.executor, nogoods, lits)?;
        self.search.own = self.block.own;
        Ok(())
    }

    /// Deletes learned nogoods.
    ///
    /// # Errors
    /// If the device fails.
    pub fn reduce_learned(&mut self) -> Result<(), DeviceError> {
        self.launch(Kernel::ReduceLearned, Work::OneBlock)?;
        self.read_state()?;
        self.rebuild_watches()
    }

    /// Lays the lists of watches out anew, with room in each.
    ///
    /// # Errors
    /// If the device has too little memory or fails.
    pub fn rebuild_watches(&mut self) -> Result<(), DeviceError> {
        if !self.has_room_for_watches() {
            let (learned, vars) = (self.state.learned.load(), self.search.problem.vars);
            self.reshape(|shape| {
                shape.watch_entries = wanted_entries(learned as usize, shape.listed, vars as usize)
            })?;
        }
        self.launch(Kernel::RebuildWatches, Work::OneBlock)?;
        self.read_state()
    }

    /// Whether the device can rebuild the lists of watches in the room that they have.
    pub fn has_room_for_watches(&self) -> bool {
        has_room(&self.search.problem, &self.search.own, &self.state)
    }

    /// What the search does next, by the control words as last read. `is_founded`: foundedness was checked at
    /// this fixpoint.
    pub fn next_step(&self, is_founded: bool) -> NextStep {
        next_step(&self.search, &self.state, is_founded)
    }

    /// Moves the search to a block of the shape that `change` makes of the present one.
    pub(crate) fn reshape(&mut self, change: impl FnOnce(&mut Shape)) -> Result<(), DeviceError> {
        let mut shape = self.block.shape;
        change(&mut shape);
        self.block.reshape(&mut *self.executor, shape)?;
        self.search.own = self.block.own;
        Ok(())
    }

    /// Moves the search to another block, and writes nonsense to the one that it leaves.
    #[cfg(test)]
    pub(crate) fn move_block(&mut self) -> Result<(), DeviceError> {
        let before = self.block.reshape_and_keep(&mut *self.executor, self.block.shape)?;
        self.search.own = self.block.own;
        self.executor.upload(before.base(), &vec![0xa5; before.bytes()])?;
        self.executor.free(before.base());
        Ok(())
    }
}

/// Words of one answer set.
fn answer_words(problem: &Problem) -> usize {
    problem.atom_vars.div_ceil(32) as usize
}

/// The number of conflicts after which decisions no longer prefer what costs nothing. At first each answer
/// set is to be much better than the one before. Later the search proves that nothing is better, and learns
/// longer nogoods if all of its decisions are of one kind.
const PREFER_UNTIL: u32 = 1000;

/// A search saves the phases of jumps over more levels than this by default.
const FAR: u32 = 160;

/// The same for a search by cores, which begins at level 1 with each core.
const NEAR: u32 = 1;

/// The settings that the options ask for.
fn settings(options: &Options, plan: &Plan) -> Settings {
    let conflicts = options.conflicts.clamp(1, MAX_CONFLICTS);
    // Most of a search by answer sets is a proof. Phases that lead back to an assignment without a conflict
    // make conflicts come late there.
    let improves = plan.phase() == Phase::Improve;
    // A guess that is far from the best costs is a search for an answer set.
    let guesses = matches!(options.opt_strategy, OptStrategy::Bb(Descent::Inc | Descent::Dec));
    Settings {
        slots: if options.learning == Learning::Both { 2 * conflicts } else { conflicts },
        // Mixed, as neighbouring seeds would differ in the lowest bits alone.
        seed: mix(options.seed) as u32,
        track_deps: (options.learning != Learning::Resolution) as u32,
        resolves: (options.learning != Learning::Forward) as u32,
        track_activity: matches!(options.heuristic, Heuristic::Activity | Heuristic::Domain) as u32,
        check_fixpoints: (options.loop_check == LoopCheck::Fixpoint) as u32,
        prefer_until: if options.sign_fix { u32::MAX } else { PREFER_UNTIL },
        save_progress: options.save_progress.levels(if improves && !guesses { 0 } else { FAR }),
        goal: plan.goal_sum().unwrap_or(NONE),
        rephase: if improves { 0 } else { options.rephase },
        ..options.settings()
    }
}

/// The sizes of a search's arrays to begin with, in blocks of `threads` threads.
fn first_shape(uploaded: &Uploaded, settings: &Settings, rephase: u32, threads: u32) -> Shape {
    let (v, shape) = (&uploaded.view, uploaded.shape());
    // So few candidates are looked at sooner than the keys of their chunks, which lie further away.
    let is_quick = threads > 1 && v.candidates <= 2 * threads;
    let has_chunks = !v.candidate_of.is_empty() && !is_quick;
    let begin = Shape {
        answer_words: 2 * answer_words(v),
        tracked_vars: if settings.track_deps == 1 { shape.vars } else { 0 },
        rephased_vars: if rephase > 0 { shape.vars } else { 0 },
        slots: settings.slots as usize,
        cube_lits: INITIAL_ASSUMED + MAX_CUBE as usize,
        look_lits: MAX_LOOK as usize,
        pool_classes: CLASSES as usize,
        listed: if threads == 1 { shape.long_nogoods } else { 0 },
        chunk_keys: if has_chunks { keys_of(v.candidates, threads == 1) as usize } else { 0 },
        ..shape
    };
    with_initial_room(begin, threads)
}

/// Writes what the objective's counters may be at most in the present phase of a plan, if that is not what
/// the problem says.
///
/// # Errors
/// If the device fails.
pub fn write_limits(executor: &mut dyn Executor, own: &Own, plan: &Plan) -> Result<(), DeviceError> {
    let Some(limits) = plan.limits() else { return Ok(()) };
    let address = own.sum_most.address() + limits.first_counter as u64 * size_of::<i64>() as u64;
    executor.upload(address, bytemuck::cast_slice(&limits.most))
}

/// The control words as bytes, to copy them from or to the device.
pub(crate) fn bytes_of_state(state: &mut State) -> &mut [u8] {
    // SAFETY: State is #[repr(C)], made of integers without padding (its size is asserted beside it), and
    // borrowed exclusively, so that its atomics may be written as plain bytes.
    unsafe { std::slice::from_raw_parts_mut(std::ptr::from_mut(state).cast(), size_of::<State>()) }
}
