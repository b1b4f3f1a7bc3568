//! Why a search failed: [`SolveError`].

use yasmin_device::DeviceError;
use yasmin_ground::check::Flaw;
use yasmin_nogoods::TooLarge;

/// Why a search failed.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum SolveError {
    /// The program has too many nogoods for the solver's indices.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// A search of a problem that was prepared with another value of this option.
    #[error("the problem was prepared with another value of {0}")]
    OtherOptions(&'static str),
    /// An answer set failed its check: an error of ours.
    #[error("internal error: a wrong answer set was found: {0}; please report it with the program")]
    WrongAnswer(Flaw),
    /// What was told contradicts what was told before: an error of ours.
    #[error("internal error: {0}; please report it with the program")]
    Contradicts(String),
    /// The device has no room for the searchers' learned nogoods.
    #[error(
        "{searchers} searchers want {bytes} bytes of device memory; ask for fewer, or let them have more"
    )]
    Searchers {
        /// How many there are.
        searchers: u32,
        /// What they want.
        bytes: u64,
    },
    /// The device does not run as many searchers at once.
    #[error(
        "{searchers} searchers of {threads} threads do not run at once on this GPU, but {resident} do; ask for as many, \
         or for narrower ones"
    )]
    Crowd {
        /// How many were asked for.
        searchers: u32,
        /// How many run at once.
        resident: u32,
        /// The number of threads of each of them.
        threads: u32,
    },
    /// A literal about an atom that the program does not have.
    #[error("the program has no atom with the index {0}")]
    NoAtom(u32),
    /// Options that contradict each other.
    #[error("{0}")]
    Contradiction(String),
    /// Threads for the searchers cannot be started.
    #[error("cannot start a thread for a searcher: {0}; ask for fewer")]
    Threads(String),
    /// Another crew that searches along, or the stream to it, has failed.
    #[error("the crew at the other end of a stream: {0}")]
    Crew(String),
    /// Another crew that searches along is gone.
    #[error("the crew at the other end of a stream is gone: {0}")]
    Gone(String),
    /// The proof cannot be written.
    #[error("cannot write the proof: {0}")]
    Proof(String),
    /// A propagator has failed.
    #[error("a propagator has failed: {0}")]
    Propagator(String),
    /// The trace cannot be written.
    #[error("cannot write the trace: {0}")]
    Trace(String),
    /// The search is in a state that it should never reach: an error of ours.
    #[error("internal error: {0}; please report it with the program")]
    Internal(&'static str),
}

impl SolveError {
    /// Refuses what the caller asks for if that contradicts something.
    ///
    /// # Errors
    /// [`SolveError::Contradiction`] then.
    pub fn refuse(contradicts: bool, why: &str) -> Result<(), SolveError> {
        match contradicts {
            true => Err(SolveError::Contradiction(why.into())),
            false => Ok(()),
        }
    }
}
