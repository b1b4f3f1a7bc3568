//! A fleet that answers questions: cubes with names (see [`solver_gpu::swarm::questions`]).
//!
//! Main type: [`Answering`]; main function: [`Answering::advance`]. The host fills rows with the literals of
//! questions. During a slice each searcher takes one row after the other and writes replies. Then the host
//! reads all replies, and fills the rows that have become free. Nothing but the literals is copied for a
//! question.
//!
//! Invariants: a row is free, or has one question, from [`Answering::put`] until the reply that ends it. What
//! the searchers learn holds for the program.

use super::fleet::{run, Fleet, SLICE};
use super::home::Terms;
use super::shared::{read_hub, write_hub};
use crate::{AnswerSet, Options, Problem, SolveError};
use solver_gpu::kernels::search::outcome;
use solver_gpu::layout::Shape;
use solver_gpu::swarm::questions::{reply, row};
use solver_gpu::{Array, Lit, Swarm};
use std::sync::Arc;
use std::time::Duration;
use yasmin_device::{DeviceKind, Kernel};

/// The longest slice. Replies wait for its end.
const LONGEST: Duration = Duration::from_millis(30);

/// How many rows there are for each searcher: the question that it has, and those that wait.
const ROWS: usize = 4;

/// The fewest and the most rows.
const ROWS_WITHIN: (usize, usize) = (64, 1 << 15);

/// The words of replies at first, for each searcher.
const REPLY_WORDS: usize = 256;

/// The most literals of a question.
pub const MOST_LITS: usize = 4096;

/// See the module's documentation.
pub struct Answering {
    fleet: Fleet,
    /// What the device has in [`Swarm::questions`]: the order, then the rows.
    questions: Vec<u32>,
    rows: usize,
    free: Vec<u32>,
    /// The ticket of the next question.
    tail: u32,
    /// Whether the device's rows are older than the host's.
    is_changed: bool,
    /// Whether the program was found to have no answer set.
    is_refuted: bool,
}

/// What a searcher has told of the question of a row.
#[derive(Debug)]
pub struct Told {
    pub row: u32,
    pub answer: Option<AnswerSet>,
    /// Nothing more comes of the question.
    pub is_end: bool,
    /// There are no answer sets but those that were told.
    pub is_all: bool,
    /// The solver's literals that exclude each other, if the question has no answer set.
    pub core: Vec<Lit>,
    pub conflicts: u64,
}

impl Answering {
    /// A fleet on the device where the problem was prepared, or on another one.
    ///
    /// # Errors
    /// If the device cannot be opened, fails, or has no memory for a single searcher.
    pub fn new(
        problem: &Arc<Problem>,
        options: Options,
        device: Option<DeviceKind>,
    ) -> Result<Answering, SolveError> {
        // There are many questions, so many narrow searchers answer most.
        let options = options.of_fleet(true);
        let uploaded = match device {
            None => problem.uploaded.clone(),
            Some(device) => {
                let executor = yasmin_device::open(device, options.setup_of_searchers())?;
                Arc::new(problem.uploaded.on(executor)?)
            }
        };
        let device = device.unwrap_or(options.device);
        let mut fleet = Fleet::new(device, problem.clone(), uploaded, options, None)?;
        let terms = Terms {
            options: &options,
            plan: &problem.task.plan,
            sums: &problem.task.sums,
            assumable: 0,
            may_race: false,
            split_from: 0,
            counts: false,
            limit: 0,
            may_be_near: false,
        };
        // Nobody gives a part of a question away.
        let about = Swarm { split_from: u32::MAX, question_words: 1, ..terms.about(fleet.searchers) };
        fleet.begin_questions(&about)?;
        let rows = (ROWS * fleet.searchers as usize).next_power_of_two();
        let rows = rows.clamp(ROWS_WITHIN.0, ROWS_WITHIN.1);
        let free = (0..rows as u32).rev().collect();
        let (tail, is_changed, is_refuted) = (0, true, false);
        let mut all = Answering { fleet, questions: Vec::new(), rows, free, tail, is_changed, is_refuted };
        all.fit_rows(0)?;
        all.fit_replies(REPLY_WORDS * all.fleet.searchers as usize)?;
        all.fleet.executor.load(Kernel::for_search(&all.fleet.search))?;
        Ok(all)
    }

    /// The number of searchers.
    pub fn searchers(&self) -> usize {
        self.fleet.searchers as usize
    }

    /// How many further questions there is room for.
    pub fn room(&self) -> usize {
        self.free.len()
    }

    fn words(&self) -> usize {
        self.fleet.search.swarm.question_words as usize
    }

    fn row(&mut self, row: u32) -> &mut [u32] {
        let words = self.words();
        &mut self.questions[self.rows + row as usize * words..][..words]
    }

    /// Makes rows that have room for `lits` literals.
    fn fit_rows(&mut self, lits: usize) -> Result<(), SolveError> {
        let before = if self.questions.is_empty() { 0 } else { self.words() };
        let words = row::LITS as usize + lits;
        if words <= before {
            return Ok(());
        }
        let words = words.next_power_of_two().max(32);
        let mut grown = vec![0; self.rows * (1 + words)];
        if before > 0 {
            grown[..self.rows].copy_from_slice(&self.questions[..self.rows]);
            let rows = self.questions[self.rows..].chunks(before);
            for (to, from) in grown[self.rows..].chunks_mut(words).zip(rows) {
                to[..before].copy_from_slice(from);
            }
        }
        let executor = &mut self.fleet.executor;
        let address = executor.alloc(grown.len() * size_of::<u32>())?;
        let swarm = &mut self.fleet.search.swarm;
        if before > 0 {
            executor.free(swarm.questions.address());
        }
        // SAFETY: allocated for as many words, of which zeros are a value; freed above, or with the executor.
        swarm.questions = unsafe { Array::from_raw(address as *mut u32, grown.len()) };
        swarm.question_words = words as u32;
        (self.questions, self.is_changed) = (grown, true);
        Ok(())
    }

    /// Makes room for so many words of replies.
    fn fit_replies(&mut self, words: usize) -> Result<(), SolveError> {
        let (swarm, executor) = (&mut self.fleet.search.swarm, &mut self.fleet.executor);
        if !swarm.replies.is_empty() {
            executor.free(swarm.replies.address());
        }
        let address = executor.alloc(words * size_of::<u32>())?;
        // SAFETY: as in `fit_rows`.
        swarm.replies = unsafe { Array::from_raw(address as *mut u32, words) };
        Ok(())
    }

    /// Puts a question into a row, and returns the row. There has to be [room](Self::room). The question has
    /// these literals of the solver, at most [`MOST_LITS`], none of which is constant. It wants so many
    /// answer sets; 0: all.
    ///
    /// # Errors
    /// If the device has too little memory or fails.
    pub fn put(&mut self, lits: &[Lit], wanted: u32) -> Result<u32, SolveError> {
        self.fit_rows(lits.len())?;
        let vars = self.fleet.search.problem.vars as usize;
        // Turned literals stand twice.
        let most = lits.len() + if wanted == 1 { 2 } else { 2 * vars + 2 };
        if self.fleet.shape.cube_lits < most {
            self.fleet.reshape(Shape { cube_lits: most + MOST_LITS, ..self.fleet.shape })?;
        }
        let row = self.free.pop().ok_or(SolveError::Internal("there is no row for a question"))?;
        let words = self.row(row);
        words[row::LEFT as usize] = 0;
        words[row::WANTED as usize] = wanted;
        words[row::LEN as usize] = lits.len() as u32;
        words[row::LITS as usize..][..lits.len()].copy_from_slice(bytemuck::cast_slice(lits));
        let place = self.tail as usize % self.rows;
        self.questions[place] = row;
        self.tail = self.tail.wrapping_add(1);
        self.is_changed = true;
        Ok(row)
    }

    /// Says that nobody waits any more for what comes of the question of a row, which ends soon.
    pub fn leave(&mut self, row: u32) {
        let left = &mut self.row(row)[row::LEFT as usize];
        let is_new = *left == 0;
        *left = 1;
        self.is_changed |= is_new;
    }

    /// Lets the searchers search for a slice, and returns what they tell. `has_more` says whether questions
    /// wait elsewhere for room, and `is_asked` whether a slice is to end early.
    ///
    /// # Errors
    /// If the device fails or has too little memory.
    pub fn advance(&mut self, has_more: bool, is_asked: &dyn Fn() -> bool) -> Result<Vec<Told>, SolveError> {
        let fleet = &mut self.fleet;
        if self.is_changed {
            let address = fleet.search.swarm.questions.address();
            fleet.executor.upload(address, bytemuck::cast_slice(&self.questions))?;
            self.is_changed = false;
        }
        let hub = read_hub(&mut *fleet.executor, &fleet.search.swarm)?;
        for word in [&hub.stop, &hub.parked, &hub.replied, &hub.unreplied] {
            word.store_relaxed(0);
        }
        hub.tail.store_relaxed(self.tail);
        write_hub(&mut *fleet.executor, &fleet.search.swarm, hub)?;
        fleet.search.swarm.asks_outside = has_more as u32;
        fleet.search.launch.answers_wanted = 0;
        fleet.search.launch.budget = fleet.executor.rounds_a_launch();
        let (most, searchers) = (fleet.slice, fleet.searchers);
        run(&mut *fleet.executor, searchers, &fleet.search, |time| {
            time >= most || time >= SLICE.0 && is_asked()
        })?;
        fleet.note_slice(LONGEST);
        fleet.read_states()?;
        let is_outcome = |of: u32| fleet.states.iter().any(|state| state.outcome.load() == of);
        if is_outcome(outcome::INCOMPLETE) {
            return Err(SolveError::Internal("completion left variables open"));
        }
        if is_outcome(outcome::NO_ROOM) {
            fleet.make_room()?;
        }
        let hub = read_hub(&mut *fleet.executor, &fleet.search.swarm)?;
        let mut words = vec![0; hub.replied.load_relaxed() as usize];
        let replies = fleet.search.swarm.replies;
        fleet.executor.download(replies.address(), bytemuck::cast_slice_mut(&mut words))?;
        let unreplied = hub.unreplied.load_relaxed() as usize;
        if unreplied > 0 {
            self.fit_replies((2 * replies.len()).max(2 * unreplied))?;
        }
        self.is_refuted |= hub.refuted.load_relaxed() > 0;
        Ok(self.read(&words))
    }

    /// Whether the program was found to have no answer set: no reply comes to the questions that are there.
    pub fn is_refuted(&self) -> bool {
        self.is_refuted
    }

    /// What replies say.
    fn read(&mut self, mut words: &[u32]) -> Vec<Told> {
        let mut told = Vec::new();
        while !words.is_empty() {
            let of = |at: u32| words[at as usize];
            let (tells, row, len) = (of(reply::TELLS), of(reply::ROW), of(reply::LEN) as usize);
            let body = &words[reply::WORDS as usize..][..len];
            let is_answer = tells & reply::ANSWER != 0;
            let prepared = &self.fleet.problem.task.prepared;
            let is_end = tells & reply::END != 0;
            told.push(Told {
                row,
                answer: is_answer.then(|| AnswerSet::of_bits(prepared, body.to_vec())),
                is_end,
                is_all: tells & reply::ALL != 0,
                core: if is_answer { Vec::new() } else { body.iter().map(|&lit| Lit(lit)).collect() },
                conflicts: of(reply::CONFLICTS) as u64,
            });
            if is_end {
                self.free.push(row);
            }
            words = &words[reply::WORDS as usize + len..];
        }
        told
    }
}
