//! Another crew that searches along, in a process of its own: at the other end of a stream.
//!
//! Main type: [`Remote`], at home, which is one more mate of a crew. What the other process does is in
//! [`assist`](super::assist). Both prepare the same program with the same goal and options. What passes are
//! [`Message`]s.
//!
//! Invariant: a crew that goes away before it has said that it has ended is an error, since its part of the
//! search space may be lost; or others search that part, if the crew was one that [may
//! go](super::arriving::Peer::may_go).

use super::link::Link;
use super::message::{Begin, Message};
use super::news::Command;
use super::seat::{IdleThread, Mate};
use super::shared::Shared;
use super::trade::{Home, Volume};
use super::Crew;
use crate::campaign::plan::Plan;
use crate::campaign::task::Task;
use crate::searcher::event::Event;
use crate::searcher::proof::Ledger;
use crate::{AnswerSet, SolveError, Statistics};
use std::sync::Arc;
use std::time::Duration;

/// The most answer sets that are heard before they are handed over.
const ANSWERS: usize = 256;

/// A crew elsewhere, as a mate of the crew at home.
pub struct Remote {
    task: Arc<Task>,
    link: Link,
    /// How many numbers the searchers elsewhere may have.
    numbers: u32,
    volume: Volume,
    /// Whether others go on if it is gone, and whether it is.
    may_go: bool,
    is_gone: bool,
    home: Option<Home>,
    /// The memory of the home.
    shared: Option<Arc<Shared>>,
    /// The proof, if there is one, and the part that the other process writes.
    proof: Option<(Arc<Ledger>, u32)>,
    /// Whether it is written that the part belongs to the proof.
    has_part: bool,
    found: Vec<AnswerSet>,
    /// The number of answer sets that were counted elsewhere and not told.
    counted: u64,
    /// The sum of what was done elsewhere, and in `searchers` what each crew there did. What has passed is in
    /// the latter alone.
    statistics: Statistics,
}

impl Remote {
    /// A crew that has said that it is there: of so many searchers, without those beyond it, and with so many
    /// numbers, those of crews beyond it included. `so_far` has its name, and what it has done if it was
    /// there before.
    pub fn new(
        task: &Arc<Task>,
        link: Link,
        (searchers, numbers): (u32, u32),
        so_far: Statistics,
        (volume, may_go): (Volume, bool),
        proof: Option<(Arc<Ledger>, u32)>,
    ) -> Remote {
        let mut statistics = so_far;
        if statistics.searchers.is_empty() {
            statistics.swarm.searchers = searchers as u64;
            statistics.searchers = vec![statistics.clone()];
        }
        Remote {
            task: task.clone(),
            link,
            numbers,
            volume,
            may_go,
            is_gone: false,
            home: None,
            shared: None,
            proof,
            has_part: false,
            found: Vec::new(),
            counted: 0,
            statistics,
        }
    }

    /// How many numbers the searchers elsewhere may have.
    pub fn numbers(&self) -> u32 {
        self.numbers
    }

    /// Whether the crew is gone, and others go on.
    pub fn is_gone(&self) -> bool {
        self.is_gone
    }

    /// The stream, what was done elsewhere, and what else the crew was waited for with.
    pub fn parts(self) -> (Link, Statistics, (Volume, bool)) {
        (self.link, self.statistics, (self.volume, self.may_go))
    }

    /// Notes that the crew is gone.
    pub fn note_loss(&mut self) {
        self.is_gone = true;
        for of in &mut self.statistics.searchers {
            of.device.push_str(", gone");
        }
    }

    /// Takes over what was done elsewhere: of the first crew there, or of all.
    fn note_reports(&mut self, reports: &[String]) {
        let news = reports.iter().filter_map(|report| serde_json::from_str::<Statistics>(report).ok());
        let news: Vec<Statistics> = news.collect();
        let mut each = std::mem::take(&mut self.statistics.searchers);
        each.splice(..news.len().min(each.len()), news);
        let mut all = Statistics { device: each[0].device.clone(), ..Statistics::default() };
        each.iter().for_each(|of| all.add(of));
        all.answer_sets = self.statistics.answer_sets;
        self.statistics = Statistics { searchers: each, ..all };
    }

    /// What came of the stream; nothing if the crew is gone and others go on. Then they search what it had.
    fn unless_gone<T>(&mut self, come: Result<T, SolveError>) -> Result<Option<T>, SolveError> {
        match come {
            Err(SolveError::Gone(_)) if self.may_go => {
                self.note_loss();
                self.home.as_mut().map_or(Ok(()), Home::lose)?;
                Ok(None)
            }
            come => come.map(Some),
        }
    }

    /// Says something, after the clock of all that it may rest on if the search is proved.
    fn say(&mut self, messages: impl IntoIterator<Item = Message>) -> Result<(), SolveError> {
        let proof = self.proof.as_ref().zip(self.shared.as_ref());
        let clock = proof.map(|((ledger, _), shared)| Message::Clock(ledger.clock(shared.hub())));
        self.link.say(clock.into_iter().chain(messages))
    }

    /// Takes a message over. Returns whether it was the last one of the phase.
    fn hear(&mut self, message: Message) -> Result<bool, SolveError> {
        match message {
            Message::Ended(None) => return Ok(true),
            Message::Ended(Some(error)) => return Err(SolveError::Crew(error)),
            Message::Answer(words) => {
                self.found.push(AnswerSet::of_bits(&self.task.prepared, words));
            }
            Message::Counted(more) => self.counted = self.counted.saturating_add(more),
            Message::Did(reports) => self.note_reports(&reports),
            Message::Clock(clock) => {
                if let Some((ledger, _)) = &self.proof {
                    ledger.hear_clock(clock, self.shared.as_ref().map(|shared| shared.hub()));
                }
            }
            Message::Cubes(news) => {
                if let Some((ledger, _)) = &self.proof {
                    ledger.hear_cubes(news)?;
                }
            }
            message => {
                if let Some(home) = &mut self.home {
                    home.hear(message)?;
                }
            }
        }
        Ok(false)
    }
}

impl Mate for Remote {
    fn begin(&mut self, command: &Command) -> Result<(), SolveError> {
        if self.is_gone {
            (self.home, self.shared) = (None, None);
            return Ok(());
        }
        let (view, place) = (&command.home.view, command.place);
        let begin = Begin {
            phase: command.plan.phases_before(),
            best: command.plan.best().map(<[i64]>::to_vec),
            may_race: view.may_race == 1,
            split_from: view.split_from,
            // Answer sets that are counted cannot be left out if there are too many.
            counts: command.home.counts && command.home.hub().answers_limit.load_relaxed() == 0,
            first: place.first,
            assumed: command.assumed.as_ref().map(|lits| lits.iter().map(|lit| lit.0).collect()),
        };
        let home = command.home.clone();
        self.home = Some(Home::of_process(home, place.first, self.numbers, self.volume, self.may_go));
        self.shared = Some(command.home.clone());
        if let Some((ledger, part)) = self.proof.as_ref().filter(|_| !self.has_part) {
            ledger.join(*part)?;
            self.has_part = true;
        }
        let said = self.say([Message::Begin(begin)]);
        self.unless_gone(said).map(drop)
    }

    fn advance(&mut self, _home: &Shared) -> Result<Event, SolveError> {
        let mut is_quiet = true;
        while self.found.len() < ANSWERS && !self.is_gone {
            let heard = self.link.hear();
            let Some(message) = self.unless_gone(heard)?.flatten() else { break };
            is_quiet = false;
            if self.hear(message)? {
                return Err(SolveError::Crew("it has ended, and nobody has said so".into()));
            }
        }
        let Some(home) = &mut self.home else { return Ok(Event::Idle) };
        home.set_room(self.link.has_room());
        let say = home.say()?;
        if say.is_empty() {
            return Ok(if is_quiet { Event::Idle } else { Event::Paused });
        }
        let said = self.say(say);
        self.unless_gone(said).map(|_| Event::Paused)
    }

    fn found(&mut self) -> Vec<AnswerSet> {
        self.statistics.answer_sets += self.found.len() as u64;
        std::mem::take(&mut self.found)
    }

    fn end(&mut self) -> Result<(), SolveError> {
        if let Some(home) = self.home.as_mut().filter(|_| !self.is_gone) {
            // The home is over, so this is the end, unless it was said before.
            let end = home.say()?;
            let said = self.say(end);
            self.unless_gone(said)?;
        }
        let until = self.link.deadline();
        while !self.is_gone {
            let heard = self.link.hear_by(until);
            let Some(message) = self.unless_gone(heard)? else { break };
            if self.hear(message)? {
                break;
            }
        }
        (self.home, self.shared) = (None, None);
        Ok(())
    }

    fn note_time(&mut self, _time: Duration, _is_idle: bool) {}

    fn counts(&self) -> (Statistics, u64) {
        (Statistics { passed: self.link.passed(), ..self.statistics.clone() }, self.counted)
    }
}

impl Crew {
    /// Gives another crew a seat.
    ///
    /// # Errors
    /// [`SolveError::Threads`] if the system has no thread to give.
    pub fn seat_remote(&mut self, remote: Remote) -> Result<(), SolveError> {
        let width = remote.numbers() as u64;
        self.add(remote, width, IdleThread::start("another crew".into())?)
    }

    /// Lets another crew join in the present phase.
    ///
    /// # Errors
    /// As [`Crew::seat_remote`].
    pub fn add_remote(&mut self, remote: Remote, plan: &Plan) -> Result<(), SolveError> {
        self.seat_remote(remote)?;
        self.remotes += 1;
        self.tell_last(plan)
    }
}

#[cfg(test)]
pub mod tests;
