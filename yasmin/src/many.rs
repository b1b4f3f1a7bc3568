//! Many questions about one program, answered at once: [`Control::ask_all`].
//!
//! Main functions: [`Control::submit`] and [`Control::reply`], for whoever cannot let an iterator borrow the
//! control or has questions that come late. The solvers are those of a [`Desk`].

use crate::answer::Answer;
use crate::atom::Literal;
use crate::control::Control;
use crate::error::Error;
use crate::prepared::{Assumed, Prepared};
use crate::question::Question;
use solver_gpu::Lit;
use solver_host::program::Program;
use solver_host::search::{Desk, Finding, Inquiry, Optimization, SolveError};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

/// How many questions wait for each searcher, so that it has the next one at once.
const AHEAD: u64 = 8;

/// How long it takes at most until a reply is waited for again.
pub(crate) const WAIT: Duration = Duration::from_secs(3600);

/// What has become of one of many questions.
#[derive(Debug)]
pub struct Reply {
    number: u64,
    answers: Vec<Answer>,
    core: Option<Vec<Literal>>,
    is_exhausted: bool,
    optimum: Option<Vec<i64>>,
    conflicts: u64,
    time: Duration,
    is_by_fleet: bool,
    error: Option<Error>,
}

/// The replies to many questions, in any order or in the order of the questions. Dropping it ends what is
/// searched.
pub struct Replies<'a, Q> {
    control: &'a mut Control,
    questions: Q,
    /// The numbers of the questions at the desk, and here.
    open: HashMap<u64, u64>,
    asked: u64,
    /// Whether all questions were asked.
    are_all: bool,
    /// Replies that wait for their turn.
    waiting: VecDeque<Reply>,
    /// The number of the question whose reply comes next, if they come in order.
    next: Option<u64>,
}

impl Control {
    /// Answers many questions about the program as it is, each under its assumptions, constraints and
    /// values of external atoms, by as many searchers as
    /// the options say: each takes the next question, and all share what they learn. Nothing is prepared
    /// again. All questions have the same goal. Of a question that looks for an optimum or for consequences
    /// the reply has the last answer.
    ///
    /// The questions are asked some ahead of the replies.
    pub fn ask_all<Q: IntoIterator<Item = Question>>(&mut self, questions: Q) -> Replies<'_, Q::IntoIter> {
        let (questions, waiting) = (questions.into_iter(), VecDeque::new());
        Replies {
            control: self,
            questions,
            open: HashMap::new(),
            asked: 0,
            are_all: false,
            waiting,
            next: None,
        }
    }

    /// A literal for each name that may be shown, in the order of the program, which holds if and only if the
    /// name is shown. A name that depends on several literals, or on none, gets an atom of its own, as a
    /// rule's head.
    ///
    /// # Errors
    /// If the program is too large.
    pub fn named(&mut self) -> Result<Vec<(String, Literal)>, Error> {
        let mut places: HashMap<&str, usize> = HashMap::new();
        let mut conditions: Vec<(String, Vec<Vec<Lit>>)> = Vec::new();
        for output in self.builder.outputs() {
            let place = *places.entry(&output.name).or_insert(conditions.len());
            if place == conditions.len() {
                conditions.push((output.name.clone(), Vec::new()));
            }
            conditions[place].1.push(output.condition.clone());
        }
        let (mut named, mut always) = (Vec::new(), None);
        for (name, conditions) in conditions {
            let literal = match &conditions[..] {
                [condition] if condition.len() == 1 => Literal(condition[0]),
                _ if conditions.iter().any(Vec::is_empty) => match always {
                    Some(always) => always,
                    None => *always.insert(self.standing_for(&[Vec::new()])?),
                },
                _ => self.standing_for(&conditions)?,
            };
            named.push((name, literal));
        }
        Ok(named)
    }

    /// A new atom that holds if one of the conditions does.
    fn standing_for(&mut self, conditions: &[Vec<Lit>]) -> Result<Literal, Error> {
        let atom = self.atom();
        for condition in conditions {
            let body: Vec<Literal> = condition.iter().map(|&lit| Literal(lit)).collect();
            self.rule(&[atom], &body)?;
        }
        Ok(atom.positive())
    }

    /// Asks a question whose reply comes by [`Control::reply`], and returns its number. Until the program
    /// grows these go up by one.
    ///
    /// # Errors
    /// As [`Control::solve`]; or if the program has propagators, is proved, or has open questions with
    /// another goal.
    pub fn submit(&mut self, question: Question) -> Result<u64, Error> {
        let is_followed = self.proofs.is_some() || !self.propagators.is_empty();
        SolveError::refuse(
            is_followed,
            "many questions at once are neither proved nor asked of propagators",
        )?;
        SolveError::refuse(question.records_domain, "many questions at once do not record domain atoms")?;
        let Assumed { at, lits, excluded, own } = self.assumed_by(&question)?;
        let options = self.options();
        let Prepared { solvers, desk, .. } = self.prepared.as_mut().ok_or(Error::Superseded)?;
        let desk = match desk {
            Some((goal, desk)) if *goal == at => desk,
            other => {
                let is_open = other.as_ref().is_some_and(|(_, desk)| desk.open() > 0);
                SolveError::refuse(is_open, "questions that are asked at once have the same goal")?;
                &mut other.insert((at, Desk::new(solvers[at].solver.problem(), options))).1
            }
        };
        let (wanted, minimal_core) = (question.limit, question.minimal_core);
        let may_be_left = question.cancel.is_some() || question.deadline.is_some();
        let is_over = may_be_left.then(|| Arc::new(move || question.is_over()) as Arc<_>);
        Ok(desk.ask(Inquiry { lits, excluded, own, wanted, minimal_core, is_over })?)
    }

    /// The next reply to a question that was [submitted](Control::submit), whichever comes first. Waits for
    /// `wait` at most.
    pub fn reply(&mut self, wait: Duration) -> Option<Reply> {
        let Prepared { program, solvers, desk, .. } = self.prepared.as_mut()?;
        let (at, desk) = desk.as_mut().filter(|(_, desk)| desk.open() > 0)?;
        let (number, found) = desk.next(wait)?;
        let improves = solvers[*at].solver.goal().optimization == Optimization::Opt;
        Some(Reply::of(number, found, program, improves))
    }

    /// Ends what is searched for open questions, and drops their replies.
    pub fn drop_questions(&mut self) {
        self.leave_questions();
        while self.open_questions() > 0 && self.reply(WAIT).is_some() {}
    }

    /// How many questions were submitted and have no reply yet.
    pub fn open_questions(&self) -> u64 {
        self.desk().map_or(0, Desk::open)
    }

    /// Ends what is searched for open questions. Their replies say what is known by then.
    pub fn leave_questions(&mut self) {
        self.desk().inspect(|desk| desk.cancel());
    }

    fn desk(&self) -> Option<&Desk> {
        self.prepared.as_ref()?.desk.as_ref().map(|(_, desk)| desk)
    }

    /// How many questions are to be open, so that each searcher has the next one at once.
    pub fn ahead(&self) -> u64 {
        self.desk().map_or(AHEAD * self.width(), |desk| desk.ahead(AHEAD))
    }

    /// How many searchers of GPUs answer questions at once, and why there are none if some were to join.
    pub fn question_fleets(&self) -> (usize, Option<Error>) {
        let (searchers, absent) = self.desk().map_or((0, None), Desk::fleets);
        (searchers, absent.map(Error::from))
    }

    /// How many searchers there are for questions at once.
    pub(crate) fn width(&self) -> u64 {
        self.options().parallel_mode.searchers() as u64
    }
}

impl<Q> Replies<'_, Q> {
    /// Lets the replies come in the order of the questions.
    pub fn in_order(mut self) -> Self {
        self.next = Some(0);
        self
    }

    /// The next reply that waits and may come.
    fn ready(&mut self) -> Option<Reply> {
        let Some(next) = &mut self.next else { return self.waiting.pop_front() };
        let at = self.waiting.iter().position(|reply| reply.number == *next)?;
        *next += 1;
        self.waiting.remove(at)
    }
}

impl<Q: Iterator<Item = Question>> Iterator for Replies<'_, Q> {
    type Item = Reply;

    fn next(&mut self) -> Option<Reply> {
        loop {
            if let Some(reply) = self.ready() {
                return Some(reply);
            }
            while !self.are_all && (self.open.is_empty() || (self.open.len() as u64) < self.control.ahead()) {
                let Some(question) = self.questions.next() else {
                    self.are_all = true;
                    break;
                };
                match self.control.submit(question) {
                    Ok(number) => drop(self.open.insert(number, self.asked)),
                    Err(error) => self.waiting.push_back(Reply::failed(self.asked, error)),
                }
                self.asked += 1;
            }
            if self.open.is_empty() {
                match self.ready() {
                    None if !self.are_all => continue,
                    last => return last,
                }
            }
            if let Some(mut reply) = self.control.reply(WAIT) {
                // A reply to a question of an earlier call was left there.
                if let Some(number) = self.open.remove(&reply.number) {
                    reply.number = number;
                    self.waiting.push_back(reply);
                }
            }
        }
    }
}

impl<Q> Drop for Replies<'_, Q> {
    fn drop(&mut self) {
        if !self.open.is_empty() {
            self.control.drop_questions();
        }
    }
}

impl Reply {
    fn failed(number: u64, error: Error) -> Reply {
        let (answers, core, time) = (Vec::new(), None, Duration::ZERO);
        let (is_exhausted, optimum, conflicts, error) = (false, None, 0, Some(error));
        let is_by_fleet = false;
        Reply { number, answers, core, is_exhausted, optimum, conflicts, time, is_by_fleet, error }
    }

    fn of(number: u64, found: Result<Finding, SolveError>, program: &Arc<Program>, improves: bool) -> Reply {
        let found = match found {
            Ok(found) => found,
            Err(error) => return Reply::failed(number, error.into()),
        };
        let Finding { answers, program: own, is_exhausted, optimum, core, conflicts, time, by_fleet, .. } =
            found;
        // As for a single question.
        let last = answers.last().filter(|last| improves && is_exhausted && !last.costs.is_empty());
        let optimum = optimum.or_else(|| last.map(|last| last.costs.clone()));
        let core = core.map(|core| core.into_iter().map(Literal).collect());
        let answer = |set| Answer { set, program: program.clone(), own: own.clone() };
        let answers = answers.into_iter().map(answer).collect();
        let (is_by_fleet, error) = (by_fleet, None);
        Reply { number, answers, core, is_exhausted, optimum, conflicts, time, is_by_fleet, error }
    }

    /// The number of the question, from 0 on.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The answers. Of those on the way to an optimum or to consequences it is the last.
    pub fn answers(&self) -> &[Answer] {
        &self.answers
    }

    /// The answers, or why there are none.
    ///
    /// # Errors
    /// Those of the search.
    pub fn into_answers(self) -> Result<Vec<Answer>, Error> {
        self.error.map_or(Ok(self.answers), Err)
    }

    /// Whether there is an answer set, if that is known.
    pub fn is_satisfiable(&self) -> Option<bool> {
        match (self.answers.is_empty(), self.is_exhausted) {
            (false, _) => Some(true),
            (true, true) => Some(false),
            (true, false) => None,
        }
    }

    /// Whether no answer was left out.
    pub fn is_exhausted(&self) -> bool {
        self.is_exhausted
    }

    /// The optimal costs, highest priority first, once they are proved.
    pub fn optimum(&self) -> Option<&[i64]> {
        self.optimum.as_deref()
    }

    /// Assumptions and values of external atoms that exclude each other, if there is no answer set.
    pub fn core(&self) -> Option<&[Literal]> {
        self.core.as_deref()
    }

    /// How many conflicts the search has met.
    pub fn conflicts(&self) -> u64 {
        self.conflicts
    }

    /// How long a searcher was busy with the question.
    pub fn time(&self) -> Duration {
        self.time
    }

    /// Whether a searcher of a GPU has answered the question.
    pub fn is_by_fleet(&self) -> bool {
        self.is_by_fleet
    }

    /// Why the question was not answered.
    pub fn error(&self) -> Option<&Error> {
        self.error.as_ref()
    }
}
