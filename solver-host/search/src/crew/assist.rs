//! What another process does that searches along: it has a crew, at the other end of a stream from the solver.
//!
//! Main function: [`assist`]. The crew's memory is away from the home at the other end, and is the home of the crew's own
//! fleets and of further crews, each at the other end of a stream of its own. So crews may form a tree, whose root is the
//! solver's.
//!
//! Invariant: what has failed here ends the search of the whole tree, and no crew takes its silence for a refutation.

use super::arriving::{arrived, Arriving, Peer};
use super::home::Terms;
use super::link::Link;
use super::member::Member;
use super::message::{Begin, Message};
use super::news::{Heard, Role};
use super::remote::Remote;
use super::seat::IdleThread;
use super::shared::Shared;
use super::store::Live;
use super::trade::{Away, Refutations, Volume};
use super::Crew;
use crate::campaign::plan::Plan;
use crate::campaign::task::Task;
use crate::searcher::problem::Problem;
use crate::searcher::proof::{Ledger, ProofSink};
use crate::searcher::Searcher;
use crate::{AnswerSet, Goal, Options, SolveError, Statistics};
use solver_gpu::Lit;
use std::sync::Arc;
use std::time::{Duration, Instant};
use yasmin_device::{self as device, DeviceKind};
use yasmin_ground::program::Program;

/// How long the searchers' side waits for messages and news before it looks at its memory again.
const WAIT: Duration = Duration::from_micros(500);

/// How many answer sets are told together at most, and how long the first of them waits for others.
const ANSWERS: usize = 256;
const PAUSE: Duration = Duration::from_millis(2);

/// How often a crew says what it has done so far.
const REPORTS: Duration = Duration::from_millis(200);

/// How many numbers are kept for the searchers of a fleet that joins later.
const NUMBERS_OF_FLEET: u32 = 4096;

/// Another process's part in a search.
pub struct Helper {
    /// What its crew is called in statistics.
    pub name: String,
    /// The program of the solver.
    pub program: Program,
    /// The options of the solver, but for the number of searchers and the devices that join them.
    pub options: Options,
    /// The goal of the solver.
    pub goal: Goal,
    /// The solver, or the crew between this one and the solver.
    pub home: Peer,
    /// Crews that get their cubes from this one. It must be known how many searchers they have.
    pub others: Vec<Peer>,
    /// The number of searchers on processors in all crews before this one: seeds differ by it.
    pub before: usize,
    /// Where the crew writes its part of the proof, if the search is proved.
    pub proof: Option<ProofSink>,
}

/// What another process can tell of its part once it is over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Helped {
    /// How long before the end of the last phase was heard this crew had said that nothing is open here any
    /// more. `None` if something was, or if the crew never had anything to search.
    pub idle_at_end: Option<Duration>,
}

/// Searches along with the solver at the other end of a stream (see [`Solver::admit`](crate::Solver::admit)),
/// with as many searchers on the processor as the options say and on the devices that the options let join, until the
/// solver lets it go. Program, goal and options must be those of the solver.
///
/// # Errors
/// If the program has too many nogoods or there is too little memory; [`SolveError::Crew`] if a stream fails or
/// something else comes than messages; [`SolveError::Proof`] if the part of the proof cannot be written.
pub fn assist(helper: Helper) -> Result<Helped, SolveError> {
    let Helper { name, program, options, goal, home, others, before, proof } = helper;
    let task = match proof {
        Some(_) => Task::to_prove(program, &options, &goal)?,
        None => Task::new(program, &options, &goal)?,
    };
    let problem = Arc::new(Problem::of(task)?);
    let ledger = proof.map(|sink| Ledger::begin(&problem.task, sink)).transpose()?;
    let mut link = Link::new(&problem.task, home.from, home.to, home.patience)?;
    let mut away = Elsewhere {
        name,
        options,
        before,
        ledger,
        devices: devices_that_join(&options),
        beyond: others.iter().map(|peer| peer.searchers).sum(),
        volume: Volume::of_crews(home.crews),
        may_go: home.may_go,
        so_far: Statistics::default(),
        arriving: Vec::new(),
        helped: Helped::default(),
        problem,
    };
    for peer in others {
        away.arriving.push(Arriving::new(&away.problem.task, away.ledger.as_ref(), peer)?);
    }
    let mut crew = away.crew(Vec::new())?;
    link.say([away.hello()])?;
    loop {
        match link.wait()? {
            Message::Begin(begin) => away.search_phase(&mut crew, &mut link, begin)?,
            Message::Anew(least) => {
                crew = away.begin_anew(crew, least)?;
                link.turn_to(&away.problem.task);
                link.say([away.hello()])?;
            }
            Message::Leave => return Ok(away.helped),
            Message::Clock(clock) => {
                away.ledger.iter().for_each(|ledger| ledger.hear_clock(clock, None));
            }
            // Said before it was known that the phase has ended.
            _ => {}
        }
    }
}

/// Says something, if there is anything, after the clock of all that it may rest on if the search is proved.
fn say(crew: &Crew, link: &mut Link, messages: impl IntoIterator<Item = Message>) -> Result<(), SolveError> {
    let mut messages = messages.into_iter().peekable();
    let clock = crew.ledger.as_ref().filter(|_| messages.peek().is_some());
    let clock = clock.map(|ledger| Message::Clock(ledger.clock(crew.home.hub())));
    link.say(clock.into_iter().chain(messages))
}

/// What has become of cubes, if the search is proved and the solver does not know that.
fn told_of(crew: &Crew) -> Option<Message> {
    let news = crew.ledger.as_ref().map(|ledger| ledger.take_cubes())?;
    (!news.is_empty()).then_some(Message::Cubes(news))
}

/// The memory in which the crew's searchers meet: in a phase, or before the first one.
fn terms(
    problem: &Problem,
    options: &Options,
    phase: Option<(&Plan, &Begin)>,
) -> Result<Arc<Shared>, SolveError> {
    let task: &Task = &problem.task;
    let is_assumed = phase.is_some_and(|(_, begin)| begin.assumed.is_some());
    let terms = Terms {
        options,
        plan: phase.map_or(&task.plan, |(plan, _)| plan),
        sums: &task.sums,
        assumable: if is_assumed { task.prepared.vars } else { 0 },
        may_race: phase.is_some_and(|(_, begin)| begin.may_race),
        split_from: phase.map_or(0, |(_, begin)| begin.split_from),
        counts: phase.is_some_and(|(_, begin)| begin.counts),
        limit: 0,
        // The home does not say what was chosen.
        may_be_near: false,
    };
    terms.home_away(options.parallel_mode.searchers()).map(Arc::new)
}

/// The devices whose searchers join the crew's.
fn devices_that_join(options: &Options) -> Vec<DeviceKind> {
    let is_there = |device: &DeviceKind| match device {
        DeviceKind::Gpu(_) | DeviceKind::Gpus(_) => device::has_driver(),
        _ => true,
    };
    match options.joins() {
        true => options.devices_of_fleets().unwrap_or_default().into_iter().filter(is_there).collect(),
        false => Vec::new(),
    }
}

/// The crew, as one that searches away from the solver.
struct Elsewhere {
    name: String,
    options: Options,
    /// The number of searchers on processors in all crews before this one.
    before: usize,
    ledger: Option<Arc<Ledger>>,
    problem: Arc<Problem>,
    /// The devices of the crew's fleets.
    devices: Vec<DeviceKind>,
    /// Crews that have not said yet that they are there.
    arriving: Vec<Arriving>,
    /// How many searchers the crews beyond this one have.
    beyond: u32,
    volume: Volume,
    /// Whether the search goes on if this process is gone.
    may_go: bool,
    /// What the crew has done before the search began anew.
    so_far: Statistics,
    helped: Helped,
}

/// Whether every answer set was told that had been found before something was refuted. Otherwise a process
/// that is gone could take an answer set along whose cube nobody searches again.
#[derive(Default)]
struct AllTold {
    /// What was refuted when this was looked at last.
    noticed: Refutations,
    /// How often everybody had handed over what was found when that was noticed.
    turns: Option<Vec<Option<u64>>>,
    /// Whether everybody has done so again since, from the beginning of a turn to its end, or searches no
    /// more.
    have_turned: bool,
}

impl AllTold {
    /// Looks once more, at what is refuted now. `is_quiet` says that nothing waits to be told. Returns the
    /// refutations to keep back.
    fn look(&mut self, refuted: Refutations, crew: &Crew, is_quiet: bool) -> Refutations {
        let all = Refutations { of_all: true, of_cubes: true };
        if refuted != self.noticed {
            *self = AllTold { noticed: refuted, ..AllTold::default() };
        }
        if refuted == Refutations::default() {
            return all;
        }
        if self.have_turned && is_quiet {
            return Refutations { of_all: !refuted.of_all, of_cubes: !refuted.of_cubes };
        }
        if !self.have_turned {
            let now = crew.turns();
            let then = self.turns.get_or_insert_with(|| now.clone());
            // The first turn to end since may have begun before. Who has come since has found nothing before.
            let has_turned = |(then, now): (&Option<u64>, &Option<u64>)| match (then, now) {
                (Some(then), Some(now)) => now - then > 1,
                _ => true,
            };
            self.have_turned = then.iter().zip(&now).all(has_turned);
        }
        all
    }
}

impl Elsewhere {
    /// The crew that is to search the problem, before its first phase. Fleets join in that phase. `gone` are
    /// crews of which statistics have to tell.
    fn crew(&self, gone: Vec<Remote>) -> Result<Crew, SolveError> {
        let members = self.options.parallel_mode.searchers();
        let others = self.devices.len() + self.arriving.len() + gone.len();
        let mut crew = Crew::new(terms(&self.problem, &self.options, None)?, members, others);
        crew.ledger = self.ledger.clone();
        crew.awaited = self.devices.clone();
        for number in self.before..self.before + members {
            let thread = IdleThread::start(format!("searcher {}", number - self.before))?;
            let mut searcher =
                Searcher::new(&self.problem, self.options.of_searcher(number), |executor| executor)?;
            searcher.memory.search.settings.seed = self.options.seed_of(number);
            if let Some(ledger) = &self.ledger {
                searcher.begin_proof(ledger.clone())?;
            }
            crew.add(Member::new(searcher), 1, thread)?;
        }
        for remote in gone {
            crew.seat_remote(remote)?;
        }
        Ok(crew)
    }

    /// How many numbers the searchers here and beyond may have.
    fn numbers(&self) -> u32 {
        let members = self.options.parallel_mode.searchers() as u32;
        members + NUMBERS_OF_FLEET * self.devices.len() as u32 + self.beyond
    }

    /// Says that the crew is there.
    fn hello(&self) -> Message {
        let members = self.options.parallel_mode.searchers() as u32;
        Message::Hello(members, self.numbers(), self.problem.task.mark())
    }

    /// Ends a crew, whose phase is over, and prepares the task without what symmetries exclude. Returns the
    /// crew that is to search that.
    fn begin_anew(&mut self, crew: Crew, least: u32) -> Result<Crew, SolveError> {
        if self.ledger.is_some() {
            return Err(SolveError::Crew("it begins anew in a search that is proved".into()));
        }
        self.so_far = self.own(&crew);
        let mut rested = crew.retire(&mut Statistics::default());
        rested.begin_anew(&mut self.arriving, least)?;
        let gone = std::mem::take(&mut rested.remotes);
        // Their memory is needed for the next ones.
        drop(rested);
        let before = &self.problem.task;
        let (program, goal) = (before.program().clone(), before.plan.goal());
        let found = before.symmetries(least, &|| false);
        let found = found.ok_or(SolveError::Crew("there are no symmetries".into()))?;
        let task = Task::without_symmetries(program, &before.options, goal, &found)?;
        self.problem = Arc::new(Problem::of(task)?);
        self.arriving.iter_mut().for_each(|crew| crew.expect(&self.problem.task));
        self.crew(gone)
    }

    /// Lets the crew search a phase, and says what has come of that.
    fn search_phase(&mut self, crew: &mut Crew, link: &mut Link, begin: Begin) -> Result<(), SolveError> {
        let problem = self.problem.clone();
        let plan = problem.task.plan.clone().at(begin.phase, begin.best.clone());
        let plan = plan.ok_or(SolveError::Crew("there is no such phase".into()))?;
        crew.home = terms(&problem, &self.options, Some((&plan, &begin)))?;
        if let Some(ledger) = &self.ledger {
            ledger.begin_phase(&plan);
            ledger.expect_all(crew.home.hub());
        }
        crew.assumed = begin.assumed.map(|lits| lits.into_iter().map(Lit).collect());
        crew.begin(crew.commands.len(), Role::Joins, &plan)?;
        for device in std::mem::take(&mut crew.awaited) {
            crew.open_fleet(&problem, self.options.of_fleet(begin.counts), device)?;
        }
        let away = Away::of_process(begin.first, self.numbers(), self.volume);
        let error = self.search(crew, link, &plan, away)?;
        // Whoever claims something once this crew has ended relies on its part of the proof.
        let error = error.or(self.ledger.as_ref().and_then(|ledger| ledger.rest().err()));
        let reports = self.reports(crew, link);
        let ended = Message::Ended(error.map(|error| format!("{}: {error}", self.name)));
        let counted = crew.counted_since().map(Message::Counted);
        let last = told_of(crew).into_iter().chain(counted).chain([Message::Did(reports), ended]);
        say(crew, link, last)
    }

    /// Lets the crew search until the end is said. Returns the error of a searcher, if one has failed.
    fn search(
        &mut self,
        crew: &mut Crew,
        link: &mut Link,
        plan: &Plan,
        mut away: Away,
    ) -> Result<Option<SolveError>, SolveError> {
        let home = crew.home.clone();
        let (mut store, mut failure, mut reported) = (Live(home.clone()), None, Instant::now());
        let (mut idle_since, mut told) = (None::<Instant>, AllTold::default());
        // Answer sets that are to be told together, since each batch wakes threads at both ends.
        let (mut found, mut told_at) = (Vec::new(), Instant::now());
        loop {
            while let Some(message) = link.hear()? {
                match message {
                    Message::Clock(clock) => {
                        crew.ledger.iter().for_each(|ledger| ledger.hear_clock(clock, Some(home.hub())));
                    }
                    Message::Cube(_) => (idle_since, told) = (None, AllTold::default()),
                    Message::End => self.helped.idle_at_end = idle_since.map(|since| since.elapsed()),
                    _ => {}
                }
                away.hear(message, &mut store)?;
                home.hub().answers_limit.store_relaxed(away.answers_limit());
            }
            if away.is_over() || failure.is_some() {
                home.hub().stop.store_relaxed(1);
                if crew.searching == 0 {
                    say(crew, link, found)?;
                    return Ok(failure);
                }
            }
            if let Err(error) = self.receive(crew, plan) {
                failure = failure.or(Some(error));
            }
            // Answer sets wait in the crew while the other end reads slowly, and then the searchers wait.
            let has_room = link.has_room();
            let listens = has_room || away.is_over();
            let heard = match listens {
                true => crew.hear(WAIT, plan)?,
                false => {
                    std::thread::sleep(WAIT);
                    Heard::Nothing
                }
            };
            let is_quiet = listens && matches!(heard, Heard::Nothing);
            match heard {
                Heard::Answers(answers) => {
                    let bits = |answer: AnswerSet| Message::Answer(answer.values.bits().to_vec());
                    found.extend(answers.into_iter().map(bits));
                }
                Heard::Failed(error) => failure = failure.or(Some(error)),
                // The others go on.
                Heard::Absent(_) | Heard::Change | Heard::Nothing => {}
            }
            away.set_room(has_room);
            if self.may_go {
                away.keep(told.look(away.refutations(home.hub()), crew, is_quiet));
            }
            let news = away.say(&mut store)?;
            if news.iter().any(|message| matches!(message, Message::Idle(..) | Message::Refuted(..))) {
                idle_since = Some(Instant::now());
            }
            // Whoever hears a refutation has heard of these answer sets.
            let is_due = is_quiet || found.len() >= ANSWERS || told_at.elapsed() >= PAUSE;
            if is_due || !news.is_empty() {
                told_at = Instant::now();
                say(crew, link, std::mem::take(&mut found).into_iter().chain(news))?;
            }
            if reported.elapsed() >= REPORTS && has_room {
                reported = Instant::now();
                let report = Message::Did(vec![self.own_report(crew, link)]);
                let counted = crew.counted_since().map(Message::Counted);
                say(crew, link, told_of(crew).into_iter().chain(counted).chain([report]))?;
            }
        }
    }

    /// Lets crews join that have said that they are there.
    fn receive(&mut self, crew: &mut Crew, plan: &Plan) -> Result<(), SolveError> {
        for remote in arrived(&mut self.arriving)? {
            crew.add_remote(remote, plan)?;
        }
        Ok(())
    }

    /// What this crew and those beyond it have done, this one first.
    fn reports(&self, crew: &Crew, link: &Link) -> Vec<String> {
        let seats = crew.each_seat().into_iter().flat_map(|of| of.searchers);
        let beyond = seats.chain(self.arriving.iter().flat_map(|crew| crew.counts().searchers));
        let beyond = beyond.map(|of| serde_json::to_string(&of).unwrap_or_default());
        std::iter::once(self.own_report(crew, link)).chain(beyond).collect()
    }

    /// What this crew has done without those beyond it, in words.
    fn own_report(&self, crew: &Crew, link: &Link) -> String {
        let mut own = Statistics { passed: link.passed(), ..self.own(crew) };
        crew.each_seat().iter().for_each(|of| own.passed.add(&of.passed));
        self.arriving.iter().for_each(|crew| own.passed.add(&crew.counts().passed));
        // Numbers and texts have a form in JSON.
        serde_json::to_string(&own).unwrap_or_default()
    }

    /// What this crew has done without those beyond it, but for what has passed.
    fn own(&self, crew: &Crew) -> Statistics {
        let mut own = Statistics { device: self.name.clone(), ..self.so_far.clone() };
        // Those who search now may be as many as before.
        own.swarm.searchers = 0;
        for of in &crew.each_seat() {
            if of.searchers.is_empty() {
                own.add(of);
                own.answer_sets += of.answer_sets;
            }
        }
        own.prepare_seconds = self.so_far.prepare_seconds + self.problem.task.prepare_seconds;
        own
    }
}
