//! What the program `lessons` prints, and the page of the book that runs it in a browser. Main functions:
//! [`run`], [`broken`], [`solve_text`].

use crate::lesson::{Lesson, Outcome};
use crate::lessons::{find, twins, LESSONS};
use crate::solve::solve;
use crate::solving::{solve_on, Program};
use cuda_launch::{Device, Error};
use cuda_std::host::printed;

/// Why the program ends early.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The command line, or a file that it names, is wrong.
    #[error("{0}")]
    Usage(String),
    /// The device failed.
    #[error(transparent)]
    Device(#[from] Error),
}

/// Lists the lessons and their twins.
pub fn list(say: &mut dyn FnMut(String)) {
    for lesson in LESSONS {
        let twins: Vec<&str> = lesson.twins.iter().map(|twin| twin.name).collect();
        say(format!("{:13} {} (twins: {})", lesson.name, lesson.about, twins.join(", ")));
    }
}

/// Runs lessons, all if none is named; returns whether all were right.
///
/// # Errors
/// If there is no such lesson.
pub fn run(names: &[String], device: &mut Device, say: &mut dyn FnMut(String)) -> Result<bool, Failure> {
    let unknown = |name: &String| Failure::Usage(format!("there is no lesson `{name}`; see `lessons list`"));
    let lessons: Vec<&Lesson> = match names {
        [] => LESSONS.iter().collect(),
        names => {
            names.iter().map(|name| find(name).ok_or_else(|| unknown(name))).collect::<Result<_, _>>()?
        }
    };
    say(format!("on {}", device.name()));
    let mut all_right = true;
    for lesson in lessons {
        let ((outcome, verdict), text) = printed(|| {
            let outcome = (lesson.run)(device);
            let verdict = verdict(lesson, &outcome, device.is_gpu());
            (outcome, verdict)
        });
        // A GPU's driver has printed what the kernels print there. What simt said then is the same.
        text.lines().filter(|_| !device.is_gpu()).for_each(|line| say(line.into()));
        say(format!("{:13} {}", lesson.name, verdict.as_deref().unwrap_or_else(|why| why)));
        all_right &= verdict.is_ok();
        if outcome.is_err() && device.is_gpu() {
            say("After an error, the process cannot use the GPU any more: the rest was not run.".into());
            break;
        }
    }
    Ok(all_right)
}

/// What there is to say of a lesson's outcome; an error if it is wrong.
fn verdict(lesson: &Lesson, outcome: &Result<Outcome, Error>, is_gpu: bool) -> Result<String, String> {
    let outcome = outcome.as_ref().map_err(|error| format!("ERROR: {error}"))?;
    if let Some(difference) = outcome.difference() {
        return Err(format!("WRONG: {difference}"));
    }
    let words = outcome.found.len();
    if !is_gpu {
        return Ok(format!("right, {words} words"));
    }
    let simulated = (lesson.run)(&mut Device::simt()).map_err(|error| format!("ERROR of simt: {error}"))?;
    let compared = Outcome { found: outcome.found.clone(), expected: simulated.found };
    match compared.difference() {
        None => Ok(format!("right, {words} words, equal to simt")),
        Some(difference) => Err(format!("DIFFERS from simt: {difference}")),
    }
}

/// Runs twins, all if none is named, in an order of the threads that is drawn from a seed.
///
/// # Errors
/// If there is no such twin.
pub fn broken(names: &[String], seed: u64, say: &mut dyn FnMut(String)) -> Result<bool, Failure> {
    if let Some(name) = names.iter().find(|name| twins().all(|twin| twin.name != **name)) {
        return Err(Failure::Usage(format!("there is no twin `{name}`; see `lessons list`")));
    }
    for twin in twins().filter(|twin| names.is_empty() || names.iter().any(|name| name == twin.name)) {
        say(format!("{}: simt says {}", twin.name, twin.said(seed)));
    }
    Ok(true)
}

/// The most answer sets that are printed.
const MOST_ANSWERS: usize = 1000;

/// Finds all answer sets of the program in `text`, which is that of `file`.
///
/// # Errors
/// If the text is no program.
pub fn solve_text(
    file: &str,
    text: &str,
    device: &mut Device,
    say: &mut dyn FnMut(String),
) -> Result<bool, Failure> {
    let program = Program::parse(text).map_err(|why| Failure::Usage(format!("{file}: {why}")))?;
    let (answers, count) = solve_on(device, ("solve", solve), &program, MOST_ANSWERS)?;
    for (number, answer) in (1..).zip(&answers) {
        say(format!("Answer {number}: {}", program.names(answer)));
    }
    say(match count {
        0 => "no answer set".into(),
        1 => "1 answer set".into(),
        count => format!("{count} answer sets"),
    });
    Ok(true)
}
