//! The cases of the claims, solved by a command of choice in processes of its own, such as `yasmin-mpi`.
//!
//! Main function: [`cases`]. Where a case in this process is told to stop at a certain poll or answer set, the command gets a
//! signal after a time that depends on the seed.
//!
//! Invariant: what the command prints is judged as what [`Case::run`] prints.

use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use solver_host::output::Stop;
use yasmin_cli::Printed;

use super::asked::Format;
use super::case::{Case, End, Outcome};
use super::check::{all_wrong, check, Wrong};
use super::generate::{case, Kind};
use super::Tally;
use crate::random::Random;

/// How long a run may take, and how much longer after it was told to stop.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long the command may take to start, in microseconds.
const START_MICROSECONDS: u64 = 300_000;

/// The shortest time after which a signal comes, in milliseconds: no process handles signals at once.
const EARLIEST: usize = 100;

/// The longest time after which a signal comes, in milliseconds.
const LATEST: usize = 1500;

/// What a process came to.
struct Run {
    printed: Printed,
    is_stopped: bool,
}

/// Runs the cases of the seeds `first .. first + count` by the command, whose words come before those of each case. Calls
/// `told` with each failure.
pub fn cases(command: &[String], kind: Kind, first: u64, count: usize, told: &mut dyn FnMut(&str)) -> Tally {
    let mut tally = Tally::default();
    for seed in first..first + count as u64 {
        let mut case = case(kind, seed);
        // A search that the host drives is a single one.
        case.options.retain(|word| word != "--engine=host");
        // Many processes take some time to start.
        if let Some(limit) = &mut case.asked.time_limit {
            *limit += START_MICROSECONDS;
        }
        // A text that is cut before the search does not say that there may be more.
        let may_be_cut = case.end != End::Never || case.asked.time_limit.is_some();
        if may_be_cut && case.asked.format == Format::Text {
            case.asked.format = Format::Json;
        }
        let outcome = outcome(command, &case, seed);
        tally.add(&outcome);
        if !outcome.wrong.is_empty() {
            let report = format!(
                "claims seed {seed}: {}\n{}{}\n{}{}",
                all_wrong(&outcome.wrong),
                case.told(),
                case.line(),
                String::from_utf8_lossy(&outcome.printed.out),
                outcome.printed.told.join("\n")
            );
            told(&report);
            tally.failures.push(report);
        }
    }
    tally
}

/// Runs a case, and says what is wrong.
fn outcome(command: &[String], case: &Case, seed: u64) -> Outcome {
    let signal_after = (case.end != End::Never).then(|| {
        let after = Random::new(seed ^ 0x7369_676e).below(LATEST - EARLIEST);
        Duration::from_millis((EARLIEST + after) as u64)
    });
    match run(command, case, signal_after) {
        Err(how) => Outcome { wrong: vec![Wrong { what: "hangs", how }], ..Outcome::default() },
        Ok(run) => {
            let stop = run.is_stopped.then_some(Stop::Interrupted);
            let mut wrong = check(&run.printed, &case.asked, &case.subject.meant(&case.asked), stop);
            // A run that is cut before the search does not warn of what the search leaves open.
            let may_be_early = run.is_stopped || case.asked.time_limit.is_some();
            wrong.retain(|wrong| !(may_be_early && wrong.what == "warning"));
            Outcome { wrong, printed: run.printed, is_stopped: run.is_stopped }
        }
    }
}

/// Runs the command on the case, and sends it a signal after that time.
fn run(command: &[String], case: &Case, signal_after: Option<Duration>) -> Result<Run, String> {
    let (name, words) = command.split_first().ok_or("there is no command")?;
    let mut child = Command::new(name)
        .args(words)
        .args(case.words())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot start {name}: {error}"))?;
    let text = case.subject.text().into_bytes();
    let mut input = child.stdin.take();
    let feeds = thread::spawn(move || {
        // The command may have ended before it has read all.
        let _ = input.as_mut().map(|input| input.write_all(&text));
    });
    let out = collect(child.stdout.take());
    let err = collect(child.stderr.take());
    let began = Instant::now();
    let mut is_stopped = false;
    let status = loop {
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            break status;
        }
        let passed = began.elapsed();
        if !is_stopped && (passed > PATIENCE || signal_after.is_some_and(|after| passed >= after)) {
            is_stopped = true;
            terminate(&child);
        }
        if passed > 2 * PATIENCE {
            // What it has printed does not count.
            let _ = child.kill();
            return Err("the command does not end".into());
        }
        thread::sleep(Duration::from_millis(2));
    };
    let _ = feeds.join();
    let lines: Vec<String> =
        String::from_utf8_lossy(&err.recv().unwrap_or_default()).lines().map(String::from).collect();
    let error =
        lines.iter().find_map(|line| line.split_once(": error: ")).map(|(_, error)| error.to_string());
    let out = out.recv().unwrap_or_default();
    Ok(Run { printed: Printed { out, code: code_of(status), error, told: lines }, is_stopped })
}

/// The exit code; that of a process which a signal has ended is what shells say.
fn code_of(status: ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or_default())
}

/// Reads all that comes, on a thread.
fn collect(from: Option<impl Read + Send + 'static>) -> mpsc::Receiver<Vec<u8>> {
    let (send, all) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut from) = from {
            // What came before a failure counts.
            let _ = from.read_to_end(&mut bytes);
        }
        let _ = send.send(bytes);
    });
    all
}

/// Sends the process the signal that asks it to end.
fn terminate(child: &Child) {
    // Whoever has ended needs no signal.
    let _ = Command::new("kill").arg(child.id().to_string()).status();
}

#[cfg(test)]
mod tests {
    use super::*;
    use solver_host::device::DeviceKind;

    #[test]
    fn a_command_that_says_nothing_true_is_found_out() {
        let kind =
            Kind { device: DeviceKind::Cpu, joins: DeviceKind::Cpu, is_long: false, has_differences: false };
        let says = |text: &str| ["sh", "-c", text].map(String::from);
        for text in ["exit 0", "echo '{}'; exit 30", "echo 'x: error: broken' >&2; exit 65"] {
            let mut reports = 0;
            let tally = cases(&says(text), kind, 1, 5, &mut |_| reports += 1);
            assert_eq!((tally.cases, tally.failures.len(), reports), (5, 5, 5), "{text}");
        }
        assert_eq!(cases(&["/nonexistent".to_string()], kind, 1, 1, &mut |_| ()).failures.len(), 1);
    }
}
