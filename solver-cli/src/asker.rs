//! Many questions about one program, a line each: `--questions`.
//!
//! Main functions: [`answer_all`], and [`answer_along`] for a process that answers questions of another one.
//! Threads read lines and find out what they ask, and each is asked as soon as there is room for it, here or
//! [`Elsewhere`]. What is answered is printed at once, while further lines arrive. A line that is no
//! question is told by its number, and the others are answered.

use std::collections::{HashMap, VecDeque};
use std::error::Error;
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::sync::mpsc::{channel, Receiver, RecvTimeoutError, Sender, TryRecvError};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use library::{Answer, Reply};
use serde::Serialize;
use serde_json::json;
use solver_host::output::{Level, Trouble};

use super::elsewhere::Elsewhere;
use super::exit::{self, Known};
use super::lines::lines;
use super::questions::{Asked, Names, Read as Line, Spoken};
use super::run::Shared;
use super::standard_output::{self, StandardOutput};
use super::validated::Request;
use super::Ending;

/// How many questions are open at most in a process that nobody helps. What is read ahead besides waits for
/// them.
const OPEN: usize = 256;

/// How many questions are open at most for each searcher, if several processes answer.
const EACH: usize = 16;

/// How long a reply or a line is waited for before the other one is looked at.
const WAIT: Duration = Duration::from_millis(1);

/// How long a reply is waited for if no line is.
const LONG: Duration = Duration::from_millis(20);

/// How many searchers one thread reads lines for: to find out what thirty assumptions mean takes some 30
/// us, a tenth of what a searcher needs for a short question.
const SEARCHERS_A_READER: usize = 4;

/// How many threads read lines at most.
const MOST_READERS: usize = 4;

/// So many bytes are printed at once at most.
const MOST: usize = 1 << 16;

/// What comes on the way to a process that answers: a line with its number from 1 on, or nothing more is
/// wanted. What a line asks is found out later if another process may answer.
enum Come {
    Line(u64, String, Option<Box<Line>>),
    Broken(u64, io::Error),
    Leave,
}

/// What replies say, for the exit code: bits.
#[derive(Clone, Copy, Default)]
struct Told(u8);

impl Told {
    const FOUND: u8 = 1;
    const FAILED: u8 = 2;
    /// Some were asked, and not all were searched to the end.
    const ASKED: u8 = 4;
    const OPEN: u8 = 8;

    fn has(self, bit: u8) -> bool {
        self.0 & bit != 0
    }
}

/// A process that answers questions, as the asker knows it.
struct Other {
    to: Box<dyn Write + Send>,
    /// The questions that it has, which are asked again if it is gone.
    open: HashMap<u64, String>,
    searchers: usize,
    is_gone: bool,
}

/// The number of another process, and what it has written; nothing once it is gone.
type Heard = (usize, Option<String>);

/// What is told of a question, on a line.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Answered<'a> {
    line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    result: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    witnesses: Option<Vec<Witness<'a>>>,
    models: Models<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    core: Option<Vec<String>>,
    conflicts: u64,
    time: f64,
}

/// Why nothing else is told of a line.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Failed<'a> {
    line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    error: &'a str,
    error_code: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Witness<'a> {
    value: Vec<&'a str>,
    #[serde(skip_serializing_if = "<[i64]>::is_empty")]
    costs: &'a [i64],
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Models<'a> {
    number: usize,
    more: &'a str,
}

/// Who asks and tells.
struct Asker<'a> {
    asked: Asked,
    request: &'a Request,
    /// The run that prints. None if another process does.
    shared: Option<&'a Shared>,
    /// The line and the name of each open question, and what it assumes.
    open: HashMap<u64, (u64, Option<String>, Vec<Spoken>)>,
    others: Vec<Other>,
    heard: Receiver<Heard>,
    out: Vec<u8>,
    to: Box<dyn Write + Send>,
    told: Told,
    replies: u64,
    /// How many of them come from fleets of this process.
    by_fleets: u64,
    conflicts: u64,
    is_left: bool,
}

impl Asker<'_> {
    /// The place among the others of who has the fewest open questions for each searcher, and room for one
    /// more; the end of the list is this process. `None` if nobody has room.
    fn room(&self) -> Option<usize> {
        let others = self.others.iter().enumerate().filter(|(_, other)| !other.is_gone);
        let others = others.map(|(at, other)| (other.open.len(), other.searchers, at));
        let all = others.chain([(self.open.len(), self.searchers(), self.others.len())]);
        let ahead = OPEN.max(self.asked.control.ahead() as usize);
        let most = |searchers: usize| if self.others.is_empty() { ahead } else { EACH * searchers };
        let free = all.filter(|&(open, searchers, _)| open < most(searchers));
        // The numbers for each searcher are fractions.
        free.min_by(|a, b| (a.0 * b.1).cmp(&(b.0 * a.1))).map(|(.., at)| at)
    }

    fn searchers(&self) -> usize {
        self.request.options.parallel_mode.searchers()
    }

    fn come(&mut self, come: Come) -> io::Result<()> {
        match come {
            Come::Line(line, text, read) => self.ask(line, text, read),
            Come::Broken(line, why) => {
                self.fail(line, None, Trouble::Input.code(), &format!("cannot read on: {why}"))
            }
            Come::Leave => {
                self.leave();
                Ok(())
            }
        }
    }

    fn ask(&mut self, line: u64, text: String, read: Option<Box<Line>>) -> io::Result<()> {
        let at = self.room().unwrap_or(self.others.len());
        if let Some(other) = self.others.get_mut(at) {
            // Whoever cannot be written to is gone, which the reader hears.
            let _ = writeln!(other.to, "{line}\t{text}").and_then(|()| other.to.flush());
            other.open.insert(line, text);
            return Ok(());
        }
        let Line { name, question } = read.map_or_else(|| self.asked.names.question(&text), |read| *read);
        match question {
            Err(why) => self.fail(line, name, Trouble::Input.code(), &why),
            Ok((question, spoken)) => match self.asked.control.submit(question) {
                Ok(number) => {
                    self.open.insert(number, (line, name, spoken));
                    if self.is_left {
                        self.asked.control.leave_questions();
                    }
                    Ok(())
                }
                Err(why) => self.fail(line, name, why.code(), &why.to_string()),
            },
        }
    }

    /// Leaves the open questions.
    fn leave(&mut self) {
        self.is_left = true;
        self.asked.control.leave_questions();
        for other in &mut self.others {
            let _ = writeln!(other.to).and_then(|()| other.to.flush());
        }
    }

    fn fail(&mut self, line: u64, name: Option<String>, code: &str, why: &str) -> io::Result<()> {
        self.print(Told(Told::FAILED), line, &json_of(&Failed { line, name, error: why, error_code: code }))
    }

    fn tell(&mut self, reply: &Reply) -> io::Result<()> {
        let (line, name, spoken) = self.open.remove(&reply.number()).unwrap_or_default();
        if let Some(why) = reply.error() {
            return self.fail(line, name, why.code(), &why.to_string());
        }
        self.conflicts += reply.conflicts();
        self.by_fleets += u64::from(reply.is_by_fleet());
        let result = match reply.is_satisfiable() {
            Some(true) if reply.optimum().is_some() => "OPTIMUM FOUND",
            Some(true) => "SATISFIABLE",
            Some(false) => "UNSATISFIABLE",
            None => "UNKNOWN",
        };
        let hides = |name: &&str| self.request.shows_auxiliary || !name.starts_with('_');
        let witness =
            |answer| Witness { value: Answer::names(answer).filter(hides).collect(), costs: answer.costs() };
        let has_witnesses = self.request.style.quiet.models != Level::None && !reply.answers().is_empty();
        let core = reply.core().map(|core| {
            let mut names: Vec<String> = Vec::new();
            for name in core.iter().map(|&literal| self.asked.names.name(literal, &spoken)) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            names
        });
        let more = if reply.is_exhausted() { "no" } else { "yes" };
        let text = json_of(&Answered {
            line,
            name,
            result,
            witnesses: has_witnesses.then(|| reply.answers().iter().map(witness).collect()),
            models: Models { number: reply.answers().len(), more },
            core,
            conflicts: reply.conflicts(),
            time: reply.time().as_micros() as f64 / 1e6,
        });
        let found = if reply.is_satisfiable() == Some(true) { Told::FOUND } else { 0 };
        let open = if reply.is_exhausted() { 0 } else { Told::OPEN };
        self.print(Told(Told::ASKED | found | open), line, &text)
    }

    /// Prints what `--stats` asks for, after all replies.
    fn print_statistics(&mut self) -> io::Result<()> {
        if self.request.stats == 0 || self.shared.is_none() {
            return Ok(());
        }
        let (searchers, absent) = self.asked.control.question_fleets();
        let mut fleets = json!({ "Searchers": searchers, "Replies": self.by_fleets });
        if let Some(why) = absent {
            fleets["Absent"] = why.to_string().into();
        }
        let all = json!({ "Replies": self.replies, "Conflicts": self.conflicts, "Fleets": fleets });
        writeln!(self.out, "{}", json!({ "Stats": all }))
    }

    /// Notes what another process has written, or that it is gone.
    fn hear(&mut self, (at, written): Heard) -> io::Result<()> {
        let other = &mut self.others[at];
        let Some(written) = written else {
            other.is_gone = true;
            let open = std::mem::take(&mut other.open);
            return open.into_iter().try_for_each(|(line, text)| self.ask(line, text, None));
        };
        let mut parts = written.splitn(3, '\t');
        let (told, line, text) = (parts.next(), parts.next(), parts.next().unwrap_or_default());
        let number = |part: Option<&str>| part.and_then(|part| part.parse::<u64>().ok());
        let (Some(told), Some(line)) = (number(told), number(line)) else {
            return Err(io::Error::new(
                ErrorKind::InvalidData,
                "what comes from another process is no reply",
            ));
        };
        // A question that was asked again has a reply already.
        match other.open.remove(&line) {
            Some(_) => self.print(Told(told as u8), line, text),
            None => Ok(()),
        }
    }

    fn print(&mut self, told: Told, line: u64, text: &str) -> io::Result<()> {
        if let Some(shared) = self.shared.filter(|_| told.has(Told::FOUND) && !self.told.has(Told::FOUND)) {
            // Whoever cuts the run short knows it from there.
            shared.found_beside();
        }
        self.told.0 |= told.0;
        self.replies += 1;
        if self.shared.is_none() {
            write!(self.out, "{}\t{line}\t", told.0)?;
        }
        writeln!(self.out, "{text}")?;
        match self.out.len() < MOST {
            true => Ok(()),
            false => self.flush(),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.out.is_empty() {
            return Ok(());
        }
        let (to, out) = (&mut self.to, &self.out);
        let mut print = || to.write_all(out).and_then(|()| to.flush());
        match self.shared {
            Some(shared) => shared.session().aside(print),
            None => print(),
        }?;
        self.out.clear();
        Ok(())
    }

    fn is_waiting(&self) -> bool {
        !self.open.is_empty() || self.others.iter().any(|other| !other.open.is_empty())
    }

    /// Tells what is answered by now, or waits for so long.
    fn replies(&mut self, wait: Duration) -> io::Result<()> {
        let mut is_quiet = true;
        while let Ok(heard) = self.heard.try_recv() {
            is_quiet = false;
            self.hear(heard)?;
        }
        while let Some(reply) = self.asked.control.reply(Duration::ZERO) {
            is_quiet = false;
            self.tell(&reply)?;
            if !self.others.is_empty() {
                break;
            }
        }
        if !is_quiet {
            return Ok(());
        }
        self.flush()?;
        if let Some(shared) = self.shared {
            let open = self.open.len() + self.others.iter().map(|other| other.open.len()).sum::<usize>();
            let (replies, conflicts) = (self.replies, self.conflicts);
            let told = || format!("{replies} replies, {open} questions open, {conflicts} conflicts");
            shared.session().progress_beside(told);
        }
        match self.open.is_empty() {
            true => match self.heard.recv_timeout(wait) {
                Ok(heard) => self.hear(heard),
                Err(_) => Ok(()),
            },
            false => {
                let wait = if self.others.is_empty() { wait } else { WAIT };
                self.asked.control.reply(wait).map_or(Ok(()), |reply| self.tell(&reply))
            }
        }
    }

    fn answer_all(&mut self, lines: &Receiver<Vec<Come>>, is_stopped: &dyn Fn() -> bool) -> io::Result<()> {
        let (mut are_all, mut read) = (false, VecDeque::new());
        while !are_all || self.is_waiting() {
            if is_stopped() && !self.is_left {
                self.leave();
                are_all = true;
            }
            while !are_all && self.room().is_some() {
                if let Some(line) = read.pop_front() {
                    self.come(line)?;
                    continue;
                }
                match lines.try_recv() {
                    Ok(lines) => read.extend(lines),
                    Err(TryRecvError::Empty) => break,
                    Err(TryRecvError::Disconnected) => are_all = true,
                }
            }
            if self.is_waiting() {
                self.replies(if are_all { LONG } else { WAIT })?;
            } else if !are_all {
                self.flush()?;
                match lines.recv_timeout(LONG) {
                    Ok(lines) => read.extend(lines),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => are_all = true,
                }
            }
        }
        self.print_statistics()?;
        self.flush()
    }
}

fn json_of(told: &impl Serialize) -> String {
    serde_json::to_string(told).expect("names and numbers are JSON")
}

/// What a line asks. Nobody finds out yet if another process may answer.
fn understood(line: u64, text: &str, names: &Option<Arc<Names>>) -> Come {
    Come::Line(line, text.into(), names.as_ref().map(|names| Box::new(names.question(text))))
}

/// The lines that are asked for, with what they ask by the given names.
fn lines_of(request: &Request, names: Option<Arc<Names>>) -> Result<Receiver<Vec<Come>>, Box<dyn Error>> {
    let input: Box<dyn Read + Send> =
        match request.questions.as_os_str() == "-" {
            true => Box::new(io::stdin()),
            false => {
                let path = &request.questions;
                // A folder can be opened, and not read.
                let opened = File::open(path).and_then(|file| match file.metadata()?.is_dir() {
                    true => Err(ErrorKind::IsADirectory.into()),
                    false => Ok(file),
                });
                Box::new(opened.map_err(|why| {
                    Known(Trouble::Input, format!("{}: cannot be read: {why}", path.display()))
                })?)
            }
        };
    let understand = move |line, text: io::Result<&str>| match text {
        Ok(text) if text.is_empty() || text.starts_with('%') => None,
        Ok(text) => Some(understood(line, text, &names)),
        Err(why) => Some(Come::Broken(line, why)),
    };
    Ok(lines(input, understand, reading_threads(request))?)
}

/// How many threads read lines.
fn reading_threads(request: &Request) -> usize {
    (request.options.parallel_mode.searchers() / SEARCHERS_A_READER).clamp(1, MOST_READERS)
}

/// Lets a thread read what another process writes.
fn listen(at: usize, from: Box<dyn Read + Send>, tell: Sender<Heard>) -> io::Result<()> {
    let listens = move || {
        for line in BufReader::new(from).lines() {
            let Ok(line) = line else { break };
            if tell.send((at, Some(line))).is_err() {
                return;
            }
        }
        // Nobody may listen any more.
        let _ = tell.send((at, None));
    };
    thread::Builder::new().name("replies".into()).spawn(listens).map(|_| ())
}

impl<'a> Asker<'a> {
    fn new(
        asked: Asked,
        request: &'a Request,
        shared: Option<&'a Shared>,
        elsewhere: Vec<Elsewhere>,
        to: Box<dyn Write + Send>,
    ) -> io::Result<Asker<'a>> {
        let (tell, heard) = channel();
        let mut others = Vec::new();
        for (at, Elsewhere { to, from, searchers }) in elsewhere.into_iter().enumerate() {
            listen(at, from, tell.clone())?;
            others.push(Other { to, open: HashMap::new(), searchers: searchers.max(1), is_gone: false });
        }
        let (open, out, told) = (HashMap::new(), Vec::new(), Told::default());
        let (replies, by_fleets, conflicts, is_left) = (0, 0, 0, false);
        Ok(Asker {
            asked,
            request,
            shared,
            open,
            others,
            heard,
            out,
            to,
            told,
            replies,
            by_fleets,
            conflicts,
            is_left,
        })
    }
}

/// Answers all questions that are asked for, until it is time to stop. Other processes may help.
///
/// # Errors
/// If the questions cannot be read, or what is found cannot be written.
pub fn answer_all(
    asked: Asked,
    request: &Request,
    (shared, elsewhere): (&Shared, Vec<Elsewhere>),
) -> Result<Ending, Box<dyn Error>> {
    let lines = lines_of(request, elsewhere.is_empty().then(|| asked.names.clone()))?;
    let to = Box::new(StandardOutput::default());
    let mut asker = Asker::new(asked, request, Some(shared), elsewhere, to)?;
    let is_stopped = || shared.stopped().is_some();
    let written = asker.answer_all(&lines, &is_stopped);
    // Nobody waits for what is still searched.
    asker.asked.control.leave_questions();
    shared.session().end_progress();
    standard_output::told(written).map_err(Known::not_printed)?;
    let told = asker.told;
    let found = if told.has(Told::FOUND) { exit::SATISFIABLE } else { 0 };
    let end = match is_stopped() {
        true => exit::INTERRUPTED,
        false if told.has(Told::FAILED) => exit::ERROR,
        false if told.has(Told::ASKED) && !told.has(Told::OPEN) => exit::EXHAUSTED,
        false => 0,
    };
    Ok(shared.over(Ending::Done { code: found | end, error: None, leaves_worker: false }))
}

/// Answers the questions that come from another process, to which the replies go ([`Elsewhere`]), until none
/// comes any more.
///
/// # Errors
/// If what comes is no question, or a stream fails.
pub fn answer_along(
    asked: Asked,
    request: &Request,
    (from, to): (Box<dyn Read + Send>, Box<dyn Write + Send>),
    elsewhere: Vec<Elsewhere>,
) -> Result<(), Box<dyn Error>> {
    let names = elsewhere.is_empty().then(|| asked.names.clone());
    let understand = move |_, line: io::Result<&str>| {
        let question = line.ok().and_then(|line| line.split_once('\t'));
        let question = question.and_then(|(number, text)| Some((number.parse().ok()?, text)));
        // Without a question, nothing more is wanted, or the other process is gone.
        Some(question.map_or(Come::Leave, |(number, text)| understood(number, text, &names)))
    };
    let lines = lines(from, understand, reading_threads(request))?;
    let mut asker = Asker::new(asked, request, None, elsewhere, to)?;
    let answered = asker.answer_all(&lines, &|| false);
    asker.asked.control.leave_questions();
    Ok(answered?)
}
