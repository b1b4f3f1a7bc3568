//! Fuzz targets: what must hold of every input, however damaged, and the changes that make inputs of others.
//!
//! Main functions: [`program()`], [`proof()`] and [`options::command_line`], each of which says what is wrong, and [`check`], which panics then.
//! `tests/fuzz.rs` runs them on the corpus and on a fixed number of changed inputs; the binaries run them under libFuzzer, guided by
//! coverage, for as long as `scripts/long.sh` says.
//!
//! Invariant: an input means the same verdict in every run, unless time or memory decide.

pub mod mutate;
pub mod options;
mod program;
mod proof;

pub use program::program;
pub use proof::proof;

use std::time::{Duration, Instant};

use peak_alloc::PeakAlloc;

/// Counts what is allocated, so that a target can say how much an input takes.
#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// The longest that one input may take, on a machine with much else to do.
pub const LONGEST: Duration = Duration::from_secs(20);

/// How far an input came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Came {
    /// It is refused, with an error as errors should be.
    Refused,
    /// It is accepted.
    Accepted,
    /// It is accepted and has the answer sets of the definition.
    Solved,
}

/// How far an input came, or what is wrong with how it was dealt with.
pub type Verdict = Result<Came, String>;

/// Runs a target on one input. Says how far the input came.
///
/// # Panics
/// If anything is wrong. The message has the input, in a form that can be pasted into a test.
pub fn check(target: fn(&[u8]) -> Verdict, input: &[u8]) -> Came {
    let began = Instant::now();
    let verdict = target(input).and_then(|came| match began.elapsed() {
        short if short <= LONGEST => Ok(came),
        long => Err(format!("takes {long:?}")),
    });
    verdict.unwrap_or_else(|wrong| panic!("{wrong}; the input is b\"{}\"", input.escape_ascii()))
}

/// What `make` returns, and the most bytes that were allocated beside those before.
fn measured<T>(make: impl FnOnce() -> T) -> (T, usize) {
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let made = make();
    (made, ALLOCATOR.peak_usage().saturating_sub(before))
}
