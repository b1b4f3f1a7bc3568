//! A fleet: the searchers of one launch. Each block of the grid is a searcher, on a GPU or on simulated threads.
//!
//! Main type: [`Fleet`]. The host lets all searchers run for a *slice* of time.
//! Then it takes over their answer sets, makes room for searchers that are out of room, and trades with the searchers
//! elsewhere (see [`super::trade`]). What searchers of a fleet do for each other is in the kernels (see
//! [`solver_gpu::swarm`]).
//!
//! Invariant: the searchers' blocks of memory lie one after the other in one allocation, and have one shape.

use super::fitting::{fitting, memory_share, searchers_for};
use super::home::race_of;
use super::news::Command;
use super::proved::{Proved, LEAST_WORDS};
use super::seat::Mate;
use super::shared::{read_hub, write_hub, Shared};
use super::store::Paused;
use super::trade::{trade, Away, Home};
use crate::campaign::plan::{Phase, Plan};
use crate::searcher::block::{extents, wanted_entries, Block};
use crate::searcher::event::Event;
use crate::searcher::memory::{bytes_of_state, write_limits};
use crate::searcher::minimality::Minimality;
use crate::searcher::proof::{fit_ring, passed_over, Ledger};
use crate::searcher::upload::Uploaded;
use crate::{AnswerSet, Options, Problem, SolveError, Statistics};
use bytemuck::Zeroable;
use solver_gpu::deps::words_of;
use solver_gpu::kernels::rebuild_watches::has_room;
use solver_gpu::kernels::search::outcome;
use solver_gpu::layout::{mode, Hub, Level, Own, Shape, CLASSES, COUNTED, MAX_CUBE};
use solver_gpu::swarm::join::{join, Has};
use solver_gpu::{Lit, Search, State, Swarm};
use std::sync::Arc;
use std::time::{Duration, Instant};
use yasmin_device::{DeviceError, DeviceKind, Executor, Geometry, Kernel, Progress};

/// The length of a slice: the first one, and at most. A display's watchdog would end a launch after some seconds.
pub(super) const SLICE: (Duration, Duration) = (Duration::from_millis(2), Duration::from_millis(100));

/// How long the host sleeps between two looks at a launch.
const NAP: Duration = Duration::from_micros(50);

/// The most answer sets that a searcher keeps during a slice, and the most bytes that those of all searchers take.
const ANSWERS: (usize, usize) = (4096, 1 << 28);

/// Set by tests: the first blocks have room for few nogoods, and may not grow.
#[cfg(test)]
pub static IS_NARROW: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);

/// The searchers of one launch.
pub struct Fleet {
    /// Where the fleet is.
    pub device: DeviceKind,
    pub(super) problem: Arc<Problem>,
    uploaded: Arc<Uploaded>,
    pub(super) options: Options,
    plan: Plan,
    pub(super) executor: Box<dyn Executor>,
    /// The search of the first searcher.
    pub(super) search: Search,
    /// The control words that every searcher begins with.
    first_state: State,
    pub(super) shape: Shape,
    pub(super) searchers: u32,
    /// The most bytes that all blocks together may take.
    most_bytes: u64,
    /// The words and arrays that the blocks share, in the present phase.
    shared: Option<Shared>,
    /// The trade with the home, in the present phase.
    trade: Option<(Home, Away)>,
    /// The words of [`Swarm::near`] that the searchers know.
    near: Vec<u32>,
    /// The length of the next slice.
    pub(super) slice: Duration,
    /// Answer sets for the solver.
    found: Vec<AnswerSet>,
    /// Where the searchers write what proves their results, if they are proved.
    proved: Option<Proved>,
    /// The check for smaller models, if the program has head cycles.
    pub(super) minimality: Option<Minimality>,
    /// The statistics that the host counts, and not the kernels.
    pub(super) statistics: Statistics,
    /// The control words of all searchers, as last read.
    pub(super) states: Vec<State>,
    /// The control words of all searchers at the end of each earlier phase.
    earlier: Vec<State>,
}

impl Fleet {
    /// A fleet that waits for commands.
    ///
    /// # Errors
    /// If the device fails, or has no memory for a single searcher.
    pub fn new(
        device: DeviceKind,
        problem: Arc<Problem>,
        uploaded: Arc<Uploaded>,
        options: Options,
        ledger: Option<Arc<Ledger>>,
    ) -> Result<Fleet, SolveError> {
        let plan = problem.task.plan.clone();
        let (options, mut memory, resident) = fitting(device, &uploaded, options, &plan)?;
        if let Some(ledger) = &ledger {
            ledger.know(|| memory.nogoods())?;
            fit_ring(&mut memory, LEAST_WORDS)?;
        }
        let most_bytes = memory_share(options.gpu_memory.bytes(), memory.executor().free_memory());
        let (wanted, bytes) = (options.gpu_searchers.number(), memory.block_bytes());
        let searchers = searchers_for(wanted, resident, bytes, most_bytes);
        if searchers == 0 {
            return Err(SolveError::Searchers { searchers: 1, bytes: bytes as u64 });
        }
        let statistics = Statistics { device: memory.executor().name(), ..Statistics::default() };
        let (mut executor, mut block, search, first_state) = memory.into_parts();
        if block.shape.tracked_vars > 0 {
            // Bitmaps have a bit for every possible level, because one searcher of a fleet cannot widen its own.
            let all_words = words_of(Level(search.problem.vars + 2)) as usize;
            block.reshape(&mut *executor, Shape { deps_words: all_words, ..block.shape })?;
        }
        #[cfg(test)]
        let most_bytes = match IS_NARROW.load(std::sync::atomic::Ordering::Relaxed) {
            true => {
                use solver_gpu::kernels::rebuild_watches::entries;
                // An import takes 32 words for each thread.
                let lits = (10 * block.shape.vars).max(32 * options.threads_of_searchers() as usize);
                let entries = 3 * entries(80 + search.problem.vars, search.problem.vars) as usize;
                let narrow = Shape { learned: 80, learned_lits: lits, watch_entries: entries, ..block.shape };
                block.reshape(&mut *executor, narrow)?;
                searchers as u64 * block.own.bytes() as u64
            }
            false => most_bytes,
        };
        let mut fleet = Fleet {
            device,
            searchers,
            most_bytes,
            problem,
            uploaded,
            options,
            plan,
            executor,
            search,
            first_state,
            shape: block.shape,
            shared: None,
            trade: None,
            near: Vec::new(),
            slice: SLICE.0,
            found: Vec::new(),
            proved: None,
            minimality: None,
            statistics,
            states: Vec::new(),
            earlier: Vec::new(),
        };
        fleet.statistics.swarm.searchers = searchers as u64;
        fleet.check_minimality();
        let swarm = Swarm { searchers, ..Swarm::default() };
        fleet.executor.load(Kernel::for_search(&Search { swarm, ..fleet.search }))?;
        fleet.lay_out(&block)?;
        if let Some(ledger) = ledger {
            fleet.proved = Some(Proved::new(ledger, &mut *fleet.executor, searchers as usize)?);
        }
        Ok(fleet)
    }

    /// Notes that a slice is over, after which the next one is longer, but no longer than `most`.
    pub(super) fn note_slice(&mut self, most: Duration) {
        self.statistics.launches += 1;
        self.slice = (self.slice + self.slice / 2).min(most);
    }

    /// Makes the searches, which have begun nothing, searchers that answer questions, with the numbers of
    /// `about`.
    ///
    /// # Errors
    /// If the device fails or has too little memory.
    pub(super) fn begin_questions(&mut self, about: &Swarm) -> Result<(), SolveError> {
        self.begin_phase()?;
        self.assume(None)?;
        self.join(about, false)
    }

    /// The number of conflicts that the searchers have met.
    pub fn conflicts(&self) -> u64 {
        self.states.iter().chain(&self.earlier).map(|state| state.counts.conflicts.load()).sum()
    }

    /// Lays a block for each searcher out, with the contents of `block`, which is freed.
    fn lay_out(&mut self, block: &Block) -> Result<(), SolveError> {
        let own = Own::of_shape(&self.shape);
        let bytes = own.bytes();
        let base = self.executor.alloc(bytes * self.searchers as usize)?;
        // SAFETY: allocated for as many blocks, zeroed, and zeros are a value of all types in them.
        self.search.own = unsafe { own.laid_out(base) };
        self.executor.copy(base, block.own.base(), bytes)?;
        self.executor.free(block.own.base());
        self.spread_first()
    }

    /// Copies the first searcher's block to all others.
    fn spread_first(&mut self) -> Result<(), SolveError> {
        let own = self.search.own;
        self.spread(own.base(), own.bytes())
    }

    /// Copies `width` bytes from `address` on, of the first searcher's block, to the same place of all others.
    fn spread(&mut self, address: u64, width: usize) -> Result<(), SolveError> {
        let pitch = self.search.own.bytes();
        let mut have = 1;
        while have < self.searchers as usize {
            let more = have.min(self.searchers as usize - have);
            let to = address + (have * pitch) as u64;
            match width == pitch {
                true => self.executor.copy(to, address, more * pitch)?,
                false => self.executor.copy_rows((to, pitch), (address, pitch), width, more)?,
            }
            have += more;
        }
        Ok(())
    }

    /// Makes room for `lits` literals in cubes besides those of other searchers.
    fn make_room_in_cubes(&mut self, lits: usize) -> Result<(), SolveError> {
        if self.shape.cube_lits < lits + MAX_CUBE as usize {
            self.reshape(Shape { cube_lits: 2 * lits + MAX_CUBE as usize, ..self.shape })?;
        }
        Ok(())
    }

    /// Lets the searchers begin under assumptions, or without, from now on. The first block gets them.
    fn assume(&mut self, assumed: Option<&[Lit]>) -> Result<(), SolveError> {
        let lits = assumed.unwrap_or_default();
        self.make_room_in_cubes(lits.len())?;
        let settings = &mut self.search.settings;
        (settings.assumes, settings.assumed) = (assumed.is_some() as u32, lits.len() as u32);
        Ok(self.executor.upload(self.search.own.cube.address(), bytemuck::cast_slice(lits))?)
    }

    /// Whether the searchers can keep what they have learned in an earlier phase.
    fn can_keep(&self) -> bool {
        // A conflict of level 1 would be forgotten.
        let is_whole = |state: &State| state.refuted.load() == 0;
        !self.states.is_empty() && self.proved.is_none() && self.states.iter().all(is_whole)
    }

    /// Fills the first block as for a search that begins the present phase of `plan`.
    fn begin_phase(&mut self) -> Result<(), SolveError> {
        self.earlier.append(&mut self.states);
        self.search.settings.goal = self.plan.goal_sum().unwrap_or(solver_gpu::layout::NONE);
        let template = self.uploaded.template(&self.shape, self.options.heuristic)?;
        let block = Block::from_template(&mut *self.executor, self.shape, &template)?;
        self.executor.copy(self.search.own.base(), block.own.base(), block.own.bytes())?;
        self.executor.free(block.own.base());
        Ok(write_limits(&mut *self.executor, &self.search.own, &self.plan)?)
    }

    /// Makes the searches searchers of a new swarm on the device, with the numbers of the home's swarm. None of them
    /// has a cube.
    fn join(&mut self, home: &Swarm, has_others: bool) -> Result<(), SolveError> {
        let swarm = self.meet(home, has_others)?;
        join(&self.first_state, &swarm, 0, self.search.settings.assumed, Has::Nothing);
        let words = bytes_of_state(&mut self.first_state).to_vec();
        self.executor.upload(self.search.own.state.address(), &words)?;
        if self.search.problem.units > 0 {
            let units = yasmin_device::Work::Threads(self.search.problem.units);
            let alone = Search { swarm: Swarm::default(), ..self.search };
            self.executor.launch(Kernel::InitialPropagation, units, &alone)?;
        }
        self.spread_first()?;
        Ok(self.executor.synchronize()?)
    }

    /// The same, for searchers that are somewhere in another search, and keep what they have learned.
    fn join_again(&mut self, home: &Swarm, has_others: bool) -> Result<(), SolveError> {
        let swarm = self.meet(home, has_others)?;
        let (own, pitch) = (self.search.own, self.search.own.bytes());
        for (number, state) in self.states.iter().enumerate() {
            join(state, &swarm, number as u32, self.search.settings.assumed, Has::Rest);
        }
        let words: Vec<u8> =
            self.states.iter_mut().flat_map(|state| bytes_of_state(state).to_vec()).collect();
        let rows = self.executor.alloc(words.len())?;
        self.executor.upload(rows, &words)?;
        let width = size_of::<State>();
        let searchers = self.searchers as usize;
        self.executor.copy_rows((own.state.address(), pitch), (rows, width), width, searchers)?;
        self.spread(own.cube.address(), self.search.settings.assumed as usize * size_of::<Lit>())?;
        self.executor.upload(own.pool_seen.address(), &[0; CLASSES as usize * size_of::<u32>()])?;
        self.spread(own.pool_seen.address(), CLASSES as usize * size_of::<u32>())?;
        self.executor.synchronize()?;
        self.executor.free(rows);
        Ok(())
    }

    /// Makes the words and arrays that the searchers share in the present phase.
    fn meet(&mut self, home: &Swarm, has_others: bool) -> Result<Swarm, SolveError> {
        let about = Swarm {
            searchers: self.searchers,
            first: 0,
            asks_outside: has_others as u32,
            split_from: match home.races_first {
                1 => race_of(&self.options, self.searchers),
                _ if home.has_questions() => home.split_from,
                _ => 0,
            },
            ..*home
        };
        let executor = self.uploaded.sibling(self.options.setup_of_searchers())?;
        let mut shared = Shared::new(executor, about, home.sizes())?;
        self.near.clear();
        let hub = Hub::default();
        hub.hungry.store_relaxed(about.hungry_at_first(self.searchers));
        shared.write_hub(hub)?;
        let swarm = shared.view;
        self.shared = Some(shared);
        let bytes = self.search.own.bytes();
        self.search.swarm = Swarm { block_bytes: bytes as u64, ..swarm };
        Ok(swarm)
    }

    /// Gives the home and the device the news of each other. Returns whether no searcher has anything to search.
    fn trade(&mut self) -> Result<bool, SolveError> {
        let Some((home, away)) = &mut self.trade else {
            return Err(SolveError::Internal("a fleet searches without a home"));
        };
        let hub = read_hub(&mut *self.executor, &self.search.swarm)?;
        let (view, executor) = (&self.search.swarm, &mut *self.executor);
        trade(home, away, &mut Paused { executor, view, hub: &hub })?;
        hub.answers_limit.store_relaxed(away.answers_limit());
        hub.stop.store_relaxed(0);
        hub.parked.store_relaxed(0);
        // A searcher that has nothing to search, and may take a cube, says so in its first launch.
        let all_wait = hub.hungry.load_relaxed() >= self.searchers && self.search.swarm.races_first == 0;
        let is_idle = hub.open.load_relaxed() == 0 && all_wait;
        write_hub(&mut *self.executor, &self.search.swarm, hub)?;
        Ok(is_idle)
    }

    /// Tells the searchers near the best answer set what was chosen there, if that is new.
    fn hear_chosen(&mut self, home: &Shared) -> Result<(), SolveError> {
        let near = home.near();
        if near != self.near {
            self.executor.upload(self.search.swarm.near.address(), bytemuck::cast_slice(&near))?;
            self.near = near;
        }
        Ok(())
    }

    /// One launch of all searchers, for about the length of a slice.
    fn run_slice(&mut self) -> Result<(), SolveError> {
        self.search.launch.budget = self.executor.rounds_a_launch();
        let (home, slice) = (self.trade.as_ref().map(|(home, _)| home), self.slice);
        run(&mut *self.executor, self.searchers, &self.search, |time| {
            let is_answered = home.is_some_and(Home::is_answered);
            time >= slice || time >= SLICE.0 && is_answered || home.is_none_or(Home::is_over)
        })?;
        self.note_slice(SLICE.1);
        Ok(())
    }

    /// Reads the control words of all searchers.
    pub(super) fn read_states(&mut self) -> Result<(), SolveError> {
        let (address, pitch) = (self.search.own.state.address(), self.search.own.bytes());
        self.states.clear();
        self.states.resize_with(self.searchers as usize, State::zeroed);
        // SAFETY: `State` consists of integers without padding (its size is asserted beside it).
        let bytes = unsafe {
            std::slice::from_raw_parts_mut(
                self.states.as_mut_ptr().cast::<u8>(),
                self.states.len() * size_of::<State>(),
            )
        };
        Ok(self.executor.download_rows(address, pitch, size_of::<State>(), bytes)?)
    }

    /// The number of words of one answer set.
    fn answer_words(&self) -> usize {
        self.search.problem.atom_vars.div_ceil(32) as usize
    }

    /// Sets how many answer sets each searcher keeps, and makes room for them. No answer set is
    /// kept if the searchers count.
    fn fit_answers(&mut self, counts: bool) -> Result<(), SolveError> {
        if counts {
            self.search.launch.answers_wanted = COUNTED;
            return Ok(());
        }
        let words = self.answer_words().max(1);
        let fitting = ANSWERS.1 / 4 / words / self.searchers as usize;
        // What comes after the only answer set that is wanted would exclude it.
        let is_last = self.trade.as_ref().is_some_and(|(_, away)| away.answers_limit() == 1);
        let rows = match self.plan.phase() {
            Phase::Enumerate if is_last => 1,
            Phase::Enumerate => fitting.clamp(1, ANSWERS.0),
            _ => fitting.clamp(1, 16),
        };
        self.search.launch.answers_wanted = rows as u32;
        if self.shape.answer_words < rows * words {
            self.reshape(Shape { answer_words: rows * words, ..self.shape })?;
        }
        Ok(())
    }

    /// Takes over the answer sets that searchers have kept.
    fn collect(&mut self) -> Result<(), SolveError> {
        let most = self.states.iter().map(|s| s.answers.load()).max().unwrap_or(0) as usize;
        if most == 0 {
            return Ok(());
        }
        let words = self.answer_words();
        let mut rows = vec![0u32; most * words * self.searchers as usize];
        let (address, pitch) = (self.search.own.answers.address(), self.search.own.bytes());
        if words > 0 {
            let bytes = bytemuck::cast_slice_mut(&mut rows);
            self.executor.download_rows(address, pitch, most * words * 4, bytes)?;
        }
        let prepared = &self.problem.task.prepared;
        for (searcher, state) in self.states.iter().enumerate() {
            let answers = (0..state.answers.load() as usize).map(|row| {
                AnswerSet::of_bits(prepared, rows[(searcher * most + row) * words..][..words].to_vec())
            });
            self.found.extend(answers);
        }
        Ok(())
    }

    /// Enlarges, for all searchers, the arrays that are too short for one of them. If there is no memory for that, the
    /// searchers make do: they delete learned nogoods.
    pub(super) fn make_room(&mut self) -> Result<(), SolveError> {
        let (problem, own) = (&self.search.problem, &self.search.own);
        let slots = self.search.settings.slots as usize;
        let mut shape = self.shape;
        for state in self.states.iter().filter(|s| s.outcome.load() == outcome::NO_ROOM) {
            let (learned, lits) = (state.learned.load() as usize, state.learned_lits.load() as usize);
            if learned + slots > self.shape.learned {
                shape.learned = 2 * self.shape.learned;
            }
            if lits + slots * problem.vars as usize > self.shape.learned_lits {
                shape.learned_lits = 2 * self.shape.learned_lits;
            }
            if state.unlisted.load() == 1 || !has_room(problem, own, state) {
                shape.watch_entries =
                    shape.watch_entries.max(wanted_entries(learned, shape.listed, problem.vars as usize));
            }
        }
        if shape == self.shape {
            return Err(SolveError::Internal("a searcher is out of room, and has enough"));
        }
        let bytes = Own::of_shape(&shape).bytes() as u64 * self.searchers as u64;
        // A searcher that makes do has deleted what it can, and is out of room all the same.
        let is_urgent = self.search.swarm.makes_do == 1;
        if bytes <= self.most_bytes || is_urgent {
            match self.reshape(shape) {
                Err(SolveError::Device(DeviceError::OutOfMemory { .. })) => {}
                other => return other,
            }
        }
        if is_urgent {
            return Err(SolveError::Searchers { searchers: self.searchers, bytes });
        }
        self.search.swarm.makes_do = 1;
        Ok(())
    }

    /// Moves all searchers to blocks of another shape. Arrays keep their contents.
    pub(super) fn reshape(&mut self, shape: Shape) -> Result<(), SolveError> {
        let before = self.search.own;
        let own = Own::of_shape(&shape);
        let base = self.executor.alloc(own.bytes() * self.searchers as usize)?;
        // SAFETY: as in `lay_out`.
        let own = unsafe { own.laid_out(base) };
        let (from_pitch, to_pitch) = (before.bytes(), own.bytes());
        for (from, to) in extents(&before).into_iter().zip(extents(&own)) {
            let width = from.len().min(to.len());
            self.executor.copy_rows(
                (to.address(), to_pitch),
                (from.address(), from_pitch),
                width,
                self.searchers as usize,
            )?;
        }
        self.executor.synchronize()?;
        self.executor.free(before.base());
        (self.shape, self.search.own) = (shape, own);
        self.search.swarm.block_bytes = to_pitch as u64;
        Ok(())
    }
}

/// One launch of so many searchers, which are asked to return once `is_due`, of the time since the beginning.
pub(super) fn run(
    executor: &mut dyn Executor,
    searchers: u32,
    search: &Search,
    is_due: impl Fn(Duration) -> bool,
) -> Result<(), SolveError> {
    executor.start(Geometry::Searchers(searchers), search)?;
    let began = Instant::now();
    while executor.poll()? == Progress::Running {
        if is_due(began.elapsed()) {
            executor.ask_to_return();
        }
        std::thread::sleep(NAP);
    }
    Ok(())
}

impl Mate for Fleet {
    fn begin(&mut self, command: &Command) -> Result<(), SolveError> {
        let Command { home, plan, place, .. } = command;
        self.plan = Plan::clone(plan);
        self.make_room_in_cubes(home.view.sizes().choices)?;
        if command.keeps && self.can_keep() {
            self.assume(command.assumed.as_deref())?;
            self.join_again(&home.view, place.has_others)?;
        } else {
            self.begin_phase()?;
            self.assume(command.assumed.as_deref())?;
            self.join(&home.view, place.has_others)?;
        }
        self.executor.load(Kernel::for_search(&self.search))?;
        let mut at_home = Home::new(home.clone(), place.first, self.searchers, place.has_others);
        if self.proved.is_some() {
            at_home.pass_over(passed_over(&home.view));
        }
        self.trade = Some((at_home, Away::new(place.first, place.has_others)));
        self.slice = SLICE.0;
        match &mut self.proved {
            Some(proved) => proved.begin(&self.search, home, *place),
            None => Ok(()),
        }
    }

    fn advance(&mut self, home: &Shared) -> Result<Event, SolveError> {
        let is_idle = self.trade()?;
        if home.is_over() {
            return Ok(Event::Paused);
        }
        if is_idle {
            if let Some(proved) = &self.proved {
                proved.wait(&self.search, home)?;
            }
            return Ok(Event::Idle);
        }
        self.fit_answers(home.counts)?;
        self.hear_chosen(home)?;
        self.run_slice()?;
        self.read_states()?;
        self.judge(home)?;
        let before = self.found.len();
        self.collect()?;
        if let Some(proved) = &mut self.proved {
            let answers = self.states.iter().map(|state| state.answers.load() as usize);
            proved.enter(&mut *self.executor, &self.search, home, &self.found[before..], answers)?;
        }
        if self.states.iter().any(|s| s.outcome.load() == outcome::INCOMPLETE) {
            return Err(SolveError::Internal("completion left variables open"));
        }
        if self.states.iter().any(|s| s.outcome.load() == outcome::NO_ROOM) {
            self.make_room()?;
        }
        Ok(Event::Paused)
    }

    fn found(&mut self) -> Vec<AnswerSet> {
        self.statistics.answer_sets += self.found.len() as u64;
        std::mem::take(&mut self.found)
    }

    fn end(&mut self) -> Result<(), SolveError> {
        // The home counts what the last slice has found.
        self.trade().map(|_| ())
    }

    fn note_time(&mut self, time: Duration, is_idle: bool) {
        // A searcher that waits for a cube at the end of a slice counts as idle during the whole slice.
        let idle = match is_idle {
            true => self.searchers as usize,
            false => self.states.iter().filter(|s| s.mode.load() == mode::IDLE).count(),
        };
        let of = &mut self.statistics.swarm;
        of.searcher_seconds += time.as_secs_f64() * self.searchers as f64;
        of.idle_seconds += time.as_secs_f64() * idle as f64;
    }

    fn counts(&self) -> (Statistics, u64) {
        let all = || self.states.iter().chain(&self.earlier);
        let mut told = self.statistics.clone();
        all().for_each(|state| told.add_counts(&state.counts));
        told.bytes_on_device = self.executor.traffic().peak_memory;
        (told, all().map(|state| state.counted.load()).sum())
    }
}
