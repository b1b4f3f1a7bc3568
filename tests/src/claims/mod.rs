//! Whether what the command says is true: its exit code, and every statement of its document, at each kind of end.
//!
//! Main functions: [`case()`] makes the case of a seed, [`Case::run`] runs the command in this process and checks each
//! statement ([`check`]), [`cases`] does both for many seeds, and [`shrink()`] makes a case smaller that fails.
//! [`part`] and [`program`] have programs whose answer sets are known however many there are.
//!
//! # Which statements are allowed
//!
//! *Meant* are the answer sets within the bounds of `--opt-mode`. With `opt` and `optN` the *optimal* ones are those of
//! the lowest costs among them. What is asked for is *wanted*: with `opt` one optimal answer set, with `optN` all
//! optimal ones, with `--brave` and `--cautious` the consequences (of the optimal ones, if the program minimizes and the mode is
//! `opt` or `optN`), else all that are meant. With a projection those count as one that nothing distinguishes.
//!
//! A run ends for one of these reasons: nothing is left (*whole*), so many answer sets were found as `-n` says
//! (*number*; with `optN` optimal ones), an answer set is as good as `--opt-stop` says (*good*), the time limit passed
//! (*time*), a signal came (*signal*), or so many conflicts were met as `--solve-limit` says (*limit*).
//!
//! | statement | at *whole* | at all other ends |
//! | --- | --- | --- |
//! | exit code | 20, plus 10 if there is an answer set | 10 if there is one, plus 1 at *time* and *signal* |
//! | `TIME LIMIT`, `INTERRUPTED` | never | at *time*, at *signal*; if another reason holds as well, it may be left out |
//! | `More` | `no`, and all that is wanted was told | `yes`; `no` only if *whole* holds as well |
//! | `UNSATISFIABLE` | without an answer set: none is meant | never |
//! | `UNKNOWN` | never | without an answer set |
//! | `OPTIMUM FOUND` | with costs: the last ones are the lowest (with `enum`: all were told) | only if `Optimum` is `yes` |
//! | `SATISFIABLE` | without costs | with an answer set, unless the optimum is known |
//! | `Number` | as many as are wanted, each once; plus those on the way | at most as many; exactly as many as are printed |
//! | `Optimum` | `yes` | `yes` only if the last costs are the lowest of all that are meant |
//! | `Optimal` | how many optimal ones were told, at least 1 | the same; 0 unless `Optimum` is `yes` |
//! | `Costs` | the last answer set's | the same |
//! | `Bounds` | none, unless nothing is meant | `Lower` is at most the lowest costs, `Upper` is `Costs` |
//! | `Brave`, `Cautious` | `yes`, and the last answer set prints exactly the consequences | `unknown` |
//! | `Consequences` | exactly so many, none open | as many as the last answer set says |
//! | the warning about `#models` | with `-n` and `opt`, if the program minimizes | the same |
//!
//! Of each answer set that is printed:
//!
//! - Its names are those of one that is meant, and its costs are that one's.
//! - On the way to an optimum each is better than the one before. None follows one that is as good as `--opt-stop` says.
//! - With `Optimum` it is optimal, and all that follow are. Those of `optN` come each once.
//! - With `Consequences` its names are the brave consequences of some of the answer sets, so that they are among the
//!   brave ones of all; or the cautious ones, so that those of all are among them. Each has more, or fewer, than the one before.
//!   `True` is at most the number of consequences, and `True` with `Open` at least.
//!
//! Text leaves out some of this, and says nothing else.

pub mod asked;
mod case;
pub mod check;
mod generate;
pub mod known;
mod meant;
pub mod outside;
pub mod part;
pub mod program;
#[cfg(feature = "mpi")]
pub mod ranks;
mod said;
mod shrink;

use std::thread;

pub use asked::Asked;
pub use case::{Case, End, Outcome};
use check::all_wrong;
pub use generate::{case, Kind};
pub use meant::Subject;
pub use shrink::{fails, shrink, Effort};

/// What came of a number of cases.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// How many there were.
    pub cases: usize,
    /// How many runs ended before the whole was known.
    pub unfinished: usize,
    /// How many runs were told to stop.
    pub stopped: usize,
    /// How many runs had several searchers.
    pub swarms: usize,
    /// A report for each case that failed.
    pub failures: Vec<String>,
}

impl Tally {
    fn add(&mut self, outcome: &Outcome) {
        let says = |word: &str| String::from_utf8_lossy(&outcome.printed.out).contains(word);
        self.cases += 1;
        self.unfinished += (outcome.printed.code & 20 != 20) as usize;
        self.stopped += outcome.is_stopped as usize;
        self.swarms += (says("\"Threads\":") || says("\nThreads")) as usize;
    }
}

/// Runs the cases of the seeds `first .. first + count`. Calls `told` with each failure. With an effort, failures are
/// made smaller first.
pub fn cases(
    kind: Kind,
    first: u64,
    count: usize,
    effort: Option<Effort>,
    told: &mut dyn FnMut(&str),
) -> Tally {
    let mut tally = Tally::default();
    for seed in first..first + count as u64 {
        let case = case(kind, seed);
        let outcome = case.run_with_patience();
        tally.add(&outcome);
        if let Some(wrong) = outcome.wrong.first() {
            let all = all_wrong(&outcome.wrong);
            let report = format!("claims seed {seed}: {all}\n{}{}", case.told(), case.line());
            told(&report);
            if let Some(effort) = effort.filter(|_| wrong.what != "hangs") {
                told(&format!("smaller: {}", smaller(&case, wrong.what, effort)));
            }
            tally.failures.push(report);
        }
    }
    tally
}

/// A smaller case that fails with the same statement, as it is told.
pub fn smaller(case: &Case, what: &str, effort: Effort) -> String {
    let case = shrink(case, what, effort);
    let mut wrong = case.run().wrong;
    for _ in 0..effort.tries {
        if wrong.iter().any(|wrong| wrong.what == what) {
            break;
        }
        wrong = case.run().wrong;
        thread::yield_now();
    }
    format!("{}\n{}{}", all_wrong(&wrong), case.told(), case.line())
}
