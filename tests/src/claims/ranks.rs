//! The cases of the claims, each solved by all ranks of MPI together, in one start of `mpirun`.
//!
//! Main function: [`cases`], which every rank calls with the same arguments. Each rank makes the case of a
//! seed by itself. Rank 0 runs the command, which the other ranks join as those of `yasmin-mpi` do, and
//! judges what is printed as [`Case::run`] does.
//!
//! Invariant: no rank begins a case before all ranks have ended the one before in order, and each of its
//! threads has ended.

use std::ffi::OsString;
use std::ops::Range;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use yasmin_cli::{exit, run_request_in_memory, Ending};
use yasmin_mpi::rank::{self, Rank, Searched};
use yasmin_mpi::typed::Typed;

use super::case::{Case, Outcome};
use super::check::all_wrong;
use super::generate::{case, Kind};
use super::Tally;
use crate::random::Random;

/// How long the ranks, and the threads of each, may take to end a search when it is over.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// The name of the thread that waits for signals.
const WAITS_FOR_SIGNALS: &str = "signals";

/// Runs the cases of the seeds `first .. first + count` by all ranks. Calls `told` with each failure. Returns
/// what came of them on rank 0, and nothing on other ranks.
///
/// # Errors
/// A sentence, if the ranks cannot go on together. Then MPI is not ended, and this process has to end at
/// once.
pub fn cases(
    rank: &Rank,
    kind: Kind,
    first: u64,
    count: usize,
    told: &mut dyn FnMut(&str),
) -> Result<Option<Tally>, String> {
    let mut tally = Tally::default();
    let seeds = first..first + count as u64;
    each(
        rank,
        seeds,
        |seed| typed(case(kind, seed), seed),
        |seed, case, typed, outcome| {
            let Some(outcome) = outcome else { return };
            tally.add(&outcome);
            if !outcome.wrong.is_empty() {
                let report = format!(
                    "claims seed {seed}: {}\n{:?}\n{}{}\n{}",
                    all_wrong(&outcome.wrong),
                    typed.rest,
                    case.told(),
                    case.line(),
                    String::from_utf8_lossy(&outcome.printed.out)
                );
                told(&report);
                tally.failures.push(report);
            }
        },
    )?;
    Ok((rank.number() == 0).then_some(tally))
}

/// Has all ranks solve the case of each seed. `judge` gets what came of a case on rank 0, and nothing on
/// others.
///
/// # Errors
/// As [`cases`].
pub fn each(
    rank: &Rank,
    seeds: Range<u64>,
    typed: impl Fn(u64) -> Result<(Case, Typed), String>,
    mut judge: impl FnMut(u64, &Case, &Typed, Option<Outcome>),
) -> Result<(), String> {
    let threads = threads()?;
    for seed in seeds {
        let (case, typed) = typed(seed)?;
        let failed = |why: String| format!("seed {seed}, rank {}: {why}\n{}", rank.number(), case.told());
        let (outcome, searched) = search(rank, &case, &typed).map_err(failed)?;
        if !searched.is_orderly() {
            return Err(failed("the ranks have not ended the search in order".into()));
        }
        drop(searched);
        wait_for_threads(threads).map_err(failed)?;
        judge(seed, &case, &typed, outcome);
    }
    Ok(())
}

/// The case of a seed as ranks can solve it, and what would be typed for it.
///
/// # Errors
/// If one of the words is wrong.
pub fn typed(mut case: Case, seed: u64) -> Result<(Case, Typed), String> {
    let mut random = Random::new(seed ^ 0x7261_6e6b);
    // A search that the host drives is a single one.
    case.options.retain(|word| word != "--engine=host");
    if random.chance(60) {
        case.options.retain(|word| !word.starts_with("--join-after="));
        case.options.push("--join-after=0".into());
    }
    let mut words = vec!["yasmin-mpi".to_string()];
    words.push(format!("--rank-children={}", [1, 2, 3, 8][random.below(4)]));
    words.extend(random.chance(80).then(|| "--rank-wait".into()));
    words.extend(case.words());
    Ok((case, Typed::of(words.into_iter().map(OsString::from))?))
}

/// Does this rank's part of a case. On rank 0 there is an outcome.
fn search(rank: &Rank, case: &Case, typed: &Typed) -> Result<(Option<Outcome>, Searched), String> {
    let request = yasmin_cli::request(typed.rest.clone());
    if let Some(why) = request.as_ref().ok().and_then(|request| rank::refusal(request, true)) {
        return Err(why);
    }
    let tell = |line: &str| eprintln!("{line}");
    if rank.number() > 0 {
        // No other rank calls it.
        let none = |_, _| Ending::Done { code: exit::ERROR, error: None, leaves_worker: false };
        return Ok((None, rank.search(typed, request, tell, none)));
    }
    let mut searched = None;
    let outcome = case.run_by(|_, input, asks_to_stop| {
        let (send, inbox) = mpsc::channel();
        let command = move |request, company| {
            let printed = run_request_in_memory(request, input, company, asks_to_stop);
            let (code, error) = match &printed {
                Ok(printed) => (printed.code, printed.error.clone()),
                Err(ending) => (exit::ERROR, Some(format!("{ending:?}"))),
            };
            // This thread's end is waited for.
            let _ = send.send(printed);
            Ending::Done { code, error, leaves_worker: false }
        };
        let mut ended = rank.search(typed, request, tell, command);
        let ending = ended.ending.take();
        searched = Some(ended);
        inbox.try_recv().unwrap_or_else(|_| Err(ending.unwrap_or(Ending::Help("no end".into()))))
    });
    searched.map(|searched| (Some(outcome), searched)).ok_or("the case was not run".into())
}

/// How many threads this process has, without the one that waits for signals, which stays.
fn threads() -> Result<usize, String> {
    let tasks = std::fs::read_dir("/proc/self/task").map_err(|error| format!("/proc/self/task: {error}"))?;
    let name = |task: std::io::Result<std::fs::DirEntry>| {
        // A thread that ends meanwhile is none.
        std::fs::read_to_string(task.ok()?.path().join("comm")).ok()
    };
    Ok(tasks.filter_map(name).filter(|name| name.trim_end() != WAITS_FOR_SIGNALS).count())
}

/// Waits until this process has no more threads than that.
fn wait_for_threads(most: usize) -> Result<(), String> {
    let until = Instant::now() + PATIENCE;
    loop {
        let now = threads()?;
        if now <= most {
            return Ok(());
        }
        if Instant::now() > until {
            return Err(format!("{} threads of the search go on", now - most));
        }
        thread::sleep(Duration::from_micros(200));
    }
}
