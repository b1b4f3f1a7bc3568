//! Another crew that searches along, in a process of its own: at the other end of a stream.
//!
//! Main type: [`Remote`], at home, which is one more mate of a crew; main function: [`assist`], which is all that the
//! other process does. Both prepare the same program with the same goal and options. What passes are [`Message`]s.
//!
//! Invariant: a crew that goes away before it has said that it has ended is an error, since its part of the search space
//! may be lost.

use super::home::Terms;
use super::link::Link;
use super::member::Member;
use super::message::{mark_of, Begin, Message};
use super::news::{Command, News, Role};
use super::seat::{IdleThread, Mate};
use super::shared::Shared;
use super::store::Live;
use super::trade::{Away, Home};
use super::Crew;
use crate::program::Program;
use crate::search::campaign::plan::Plan;
use crate::search::campaign::task::Task;
use crate::search::searcher::event::Event;
use crate::search::searcher::problem::Problem;
use crate::search::searcher::Searcher;
use crate::search::{AnswerSet, Goal, Options, SolveError, Statistics};
use solver_gpu::Lit;
use std::io::{Read, Write};
use std::sync::mpsc::RecvTimeoutError;
use std::sync::Arc;
use std::time::Duration;

/// How long the searchers' side waits for messages and news before it looks at its memory again.
const WAIT: Duration = Duration::from_micros(500);

/// A crew elsewhere, as a mate of the crew at home.
pub struct Remote {
    task: Arc<Task>,
    link: Link,
    /// The number of searchers elsewhere.
    searchers: u32,
    home: Option<Home>,
    found: Vec<AnswerSet>,
    statistics: Statistics,
}

impl Remote {
    /// Waits for the crew at the other end of a stream to say that it is there, until `interrupt` says that it is enough.
    ///
    /// # Errors
    /// [`SolveError::Crew`] if it does not, or says something else.
    pub fn new(
        task: &Arc<Task>,
        from: Box<dyn Read + Send>,
        to: Box<dyn Write + Send>,
        interrupt: &dyn Fn() -> bool,
    ) -> Result<Remote, SolveError> {
        let link = Link::new(task, from, to)?;
        let searchers = match link.first(interrupt)? {
            Message::Hello(searchers, mark) if mark == mark_of(task) => searchers,
            Message::Hello(..) => {
                return Err(SolveError::Crew("it has another program, goal or options".into()));
            }
            other => return Err(SolveError::Crew(format!("its first message is {other:?}"))),
        };
        let statistics = Statistics { device: "another crew".into(), ..Statistics::default() };
        Ok(Remote { task: task.clone(), link, searchers, home: None, found: Vec::new(), statistics })
    }

    /// The number of searchers elsewhere.
    pub fn searchers(&self) -> u32 {
        self.searchers
    }

    /// Takes a message over. Returns whether it was the last one of the phase.
    fn hear(&mut self, message: Message) -> Result<bool, SolveError> {
        match message {
            Message::Ended(None) => return Ok(true),
            Message::Ended(Some(error)) => return Err(SolveError::Crew(error)),
            Message::Answer(words) => {
                self.found.push(AnswerSet::of_bits(&self.task.prepared, words));
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
        let (view, place) = (&command.home.view, command.place);
        let begin = Begin {
            phase: command.plan.phases_before(),
            best: command.plan.best().map(<[i64]>::to_vec),
            may_race: view.racers > 0 || view.races_first > 0 || view.split_after > 0 || view.look_ahead > 0,
            first: place.first,
            assumed: command.assumed.as_ref().map(|lits| lits.iter().map(|lit| lit.0).collect()),
        };
        self.home = Some(Home::new(command.home.clone(), place.first, self.searchers, true));
        self.link.say([Message::Begin(begin)])
    }

    fn advance(&mut self, _home: &Shared) -> Result<Event, SolveError> {
        let mut is_quiet = true;
        while let Some(message) = self.link.hear()? {
            is_quiet = false;
            if self.hear(message)? {
                return Err(SolveError::Crew("it has ended, and nobody has said so".into()));
            }
        }
        let Some(home) = &mut self.home else { return Ok(Event::Idle) };
        let say = home.say()?;
        if say.is_empty() {
            return Ok(if is_quiet { Event::Idle } else { Event::Paused });
        }
        self.link.say(say).map(|()| Event::Paused)
    }

    fn found(&mut self) -> Vec<AnswerSet> {
        self.statistics.answer_sets += self.found.len() as u64;
        std::mem::take(&mut self.found)
    }

    fn end(&mut self) -> Result<(), SolveError> {
        if let Some(home) = &mut self.home {
            // The home is over, so this is the end, unless it was said before.
            self.link.say(home.say()?)?;
        }
        let until = self.link.deadline();
        loop {
            let message = self.link.hear_by(until)?;
            if self.hear(message)? {
                self.home = None;
                return Ok(());
            }
        }
    }

    fn note_time(&mut self, _time: Duration, _is_idle: bool) {}

    fn counts(&self) -> (Statistics, u64) {
        (self.statistics.clone(), 0)
    }
}

impl Crew {
    /// Lets another crew join in the present phase.
    ///
    /// # Errors
    /// If the thread has ended.
    pub fn add_remote(&mut self, remote: Remote, thread: IdleThread, plan: &Plan) -> Result<(), SolveError> {
        let width = remote.searchers() as u64;
        self.add(remote, width, thread)?;
        self.remotes += 1;
        self.searching += 1;
        self.tell(self.commands.len() - 1, Role::Joins, plan)
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        // If the stream has failed, the other crew notices that too.
        let _ = self.link.say([Message::Leave]);
    }
}

/// Searches along with the solver at the other end of a stream (see [`Solver::admit`](crate::search::Solver::admit)),
/// with as many searchers on the processor as the options say, until the solver lets it go. Program, goal and options must be
/// those of the solver.
///
/// # Errors
/// If the program has too many nogoods or there is too little memory; [`SolveError::Crew`] if the stream fails or
/// something else comes than messages.
pub fn assist(
    program: Program,
    options: Options,
    goal: &Goal,
    from: Box<dyn Read + Send>,
    to: Box<dyn Write + Send>,
) -> Result<(), SolveError> {
    let problem = Arc::new(Problem::new(program, &options, goal)?);
    let members = options.parallel_mode.searchers();
    let terms = |plan: &Plan, may_race, is_assumed| {
        let (options, sums) = (&options, &problem.task.sums);
        let assumable = if is_assumed { problem.task.prepared.vars } else { 0 };
        let terms = Terms { options, plan, sums, assumable, may_race, counts: false, limit: 0 };
        terms.home_away(members).map(Arc::new)
    };
    let mut crew = Crew::new(terms(&problem.task.plan, false, false)?, members, 0);
    for number in 0..members {
        let thread = IdleThread::start(format!("searcher {number}"))?;
        let searcher = Searcher::new(&problem, options.of_searcher(number), |executor| executor)?;
        crew.add(Member::new(searcher), 1, thread)?;
    }
    let mut link = Link::new(&problem.task, from, to)?;
    link.say([Message::Hello(members as u32, mark_of(&problem.task))])?;
    loop {
        let begin = match link.wait()? {
            Message::Begin(begin) => begin,
            Message::Leave => return Ok(()),
            // Said before it was known that the phase has ended.
            _ => continue,
        };
        let plan = problem.task.plan.clone().at(begin.phase, begin.best);
        let plan = plan.ok_or(SolveError::Crew("there is no such phase".into()))?;
        crew.home = terms(&plan, begin.may_race, begin.assumed.is_some())?;
        crew.assumed = begin.assumed.map(|lits| lits.into_iter().map(Lit).collect());
        for number in 0..members {
            crew.tell(number, Role::Joins, &plan)?;
        }
        crew.searching = members;
        let error = assist_in_phase(&mut crew, &mut link, begin.first)?;
        link.say([Message::Ended(error.map(|error| error.to_string()))])?;
    }
}

/// Lets the crew search until the end is said. Returns the error of a searcher, if one has failed.
fn assist_in_phase(crew: &mut Crew, link: &mut Link, first: u32) -> Result<Option<SolveError>, SolveError> {
    let home = crew.home.clone();
    let (mut away, mut store) = (Away::of_running(first), Live(home.clone()));
    let mut failure = None;
    loop {
        while let Some(message) = link.hear()? {
            away.hear(message, &mut store)?;
            home.hub().answers_limit.store_relaxed(away.answers_limit());
        }
        if away.is_over() || failure.is_some() {
            home.hub().stop.store_relaxed(1);
            if crew.searching == 0 {
                return Ok(failure);
            }
        }
        match crew.news.recv_timeout(WAIT) {
            Ok(News::Answers(answers)) => {
                link.say(answers.iter().map(|answer| Message::Answer(answer.values.bits().to_vec())))?
            }
            Ok(News::Finished) => crew.searching -= 1,
            Ok(News::Failed(error)) => {
                crew.searching -= 1;
                failure = Some(error);
            }
            Ok(News::Ready(_) | News::Absent(_)) | Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(SolveError::Internal("the searchers have ended"))
            }
        }
        link.say(away.say(&mut store)?)?;
    }
}

#[cfg(test)]
mod tests;
