//! A place in a crew: gets commands, has somebody search, and tells the solver the news.
//!
//! Main types: [`Seat`], whose thread runs [`Seat::run`], and [`Mate`], who sits there: one searcher on a thread of the
//! processor, the searchers of a launch, or another crew.

use super::news::{Command, MateThread, News, Place, Told};
use super::shared::Shared;
use crate::searcher::event::Event;
use crate::{AnswerSet, SolveError, Statistics};
use std::any::Any;
use std::sync::mpsc::{sync_channel, Receiver, SyncSender};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How long a mate without work sleeps: the first time, and at most.
const NAP: (Duration, Duration) = (Duration::from_micros(20), Duration::from_millis(1));

/// Somebody who searches for a crew.
pub trait Mate: Send + 'static {
    /// Begins the phase of a command, as a part of its home.
    ///
    /// # Errors
    /// If the device fails or has too little memory. Then the mate is of no more use.
    fn begin(&mut self, command: &Command) -> Result<(), SolveError>;

    /// Searches on, for as long as a launch lasts.
    ///
    /// # Errors
    /// As [`Mate::begin`].
    fn advance(&mut self, home: &Shared) -> Result<Event, SolveError>;

    /// Takes the answer sets that were found since the last call.
    fn found(&mut self) -> Vec<AnswerSet>;

    /// All searchers of the home have to return. May find further answer sets.
    ///
    /// # Errors
    /// As [`Mate::begin`].
    fn end(&mut self) -> Result<(), SolveError> {
        Ok(())
    }

    /// Notes that the last step took so long, and whether there was nothing to search.
    fn note_time(&mut self, time: Duration, is_idle: bool);

    /// The statistics so far, without answer sets that were counted and not kept, and the number of these.
    fn counts(&self) -> (Statistics, u64);
}

/// A place in a crew, with the ends of its channels.
pub struct Seat<M> {
    mate: M,
    commands: Receiver<Command>,
    channel: Channel,
}

/// Where all who sit in a crew tell their news and their statistics.
#[derive(Clone)]
pub struct Channel {
    pub news: SyncSender<News>,
    pub told: Arc<Vec<Told>>,
}

impl<M: Mate> Seat<M> {
    /// A mate that waits for commands, and the end at which it gets them.
    pub fn new(mate: M, channel: Channel) -> (Seat<M>, SyncSender<Command>) {
        let (sender, commands) = sync_channel(1);
        (Seat { mate, commands, channel }, sender)
    }

    /// The mate.
    pub fn mate(&self) -> &M {
        &self.mate
    }

    /// Obeys one command after the other, until the solver has closed the channel of commands, or does not listen any
    /// more. Returns the mate, unless that has failed.
    pub fn run(mut self) -> Option<Box<dyn Any + Send>> {
        let mut has_failed = false;
        while let Ok(command) = self.commands.recv() {
            let news = match self.obey(&command) {
                Ok(()) => News::Finished,
                Err(error) => {
                    has_failed = true;
                    News::Failed(error)
                }
            };
            self.tell(command.place);
            if self.channel.news.send(news).is_err() {
                break;
            }
        }
        (!has_failed).then(|| Box::new(self.mate) as Box<dyn Any + Send>)
    }

    /// Searches until all searchers of the home have to return.
    fn obey(&mut self, command: &Command) -> Result<(), SolveError> {
        let told = self.channel.told.clone();
        let told = &told[command.place.number as usize];
        told.rest(false);
        self.mate.begin(command)?;
        let (home, mut nap) = (&command.home, NAP.0);
        while !home.is_over() {
            let began = Instant::now();
            let event = self.mate.advance(home)?;
            let is_idle = matches!(event, Event::Idle);
            self.tell(command.place);
            self.hand_over(home);
            told.turned();
            if is_idle {
                thread::sleep(nap);
                nap = (2 * nap).min(NAP.1);
            } else {
                nap = NAP.0;
            }
            self.mate.note_time(began.elapsed(), is_idle);
        }
        self.mate.end()?;
        self.hand_over(home);
        told.rest(true);
        Ok(())
    }

    /// Sends what was found to the solver. If nobody listens any more, all searchers have to return.
    fn hand_over(&mut self, home: &Shared) {
        let found = self.mate.found();
        if !found.is_empty() && self.channel.news.send(News::Answers(found)).is_err() {
            home.hub().stop.store_relaxed(1);
        }
    }

    /// Publishes the mate's statistics.
    fn tell(&self, place: Place) {
        let (statistics, counted) = self.mate.counts();
        self.channel.told[place.number as usize].tell(statistics, counted);
    }
}

/// Starts a thread.
///
/// # Errors
/// [`SolveError::Threads`] if the system has none to give.
pub fn spawn<T: Send + 'static>(
    name: String,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<JoinHandle<T>, SolveError> {
    let thread = thread::Builder::new().name(name).spawn(work);
    thread.map_err(|error| SolveError::Threads(error.to_string()))
}

/// What a thread of a crew does.
type Work = dyn FnOnce() -> Option<Box<dyn Any + Send>> + Send;

/// A thread that waits for a seat. The solver starts it before it hands the search over, because the system may have
/// no thread to give.
pub struct IdleThread {
    handle: MateThread,
    work: SyncSender<Box<Work>>,
}

impl IdleThread {
    /// Starts the thread.
    ///
    /// # Errors
    /// [`SolveError::Threads`] if the system has none to give.
    pub fn start(name: String) -> Result<IdleThread, SolveError> {
        let (work, comes) = sync_channel::<Box<Work>>(1);
        let run = move || comes.recv().ok().and_then(|work| work());
        Ok(IdleThread { handle: spawn(name, run)?, work })
    }

    /// Lets the thread run a seat.
    ///
    /// # Errors
    /// If the thread has ended.
    pub fn run<M: Mate>(self, seat: Seat<M>) -> Result<MateThread, SolveError> {
        let has_ended = SolveError::Internal("a searcher has ended");
        self.work.send(Box::new(move || seat.run())).map_err(|_| has_ended)?;
        Ok(self.handle)
    }
}
