//! What a search of a program with difference constraints may be.
//!
//! Main function: [`fitting`]. The propagator of the constraints takes part in each search of one thread
//! on the processor (`searcher/differences.rs`), with the limits of propagators. Other searches have a
//! kernel, which knows no variable that is minimized.

use super::company::Others;
use crate::options::{Descent, OptStrategy, Options, Symmetry};
use crate::SolveError;
use yasmin_device::DeviceKind;
use yasmin_ground::program::Program;

/// Why a search with difference constraints writes no trace, or is no search of several processes.
pub const UNTOLD: &str =
    "a search with difference constraints is neither traced nor asked for lemmas, and other processes do not join it";

/// Why a search with difference constraints is not proved.
pub const UNPROVED: &str =
    "difference constraints are proved on the processor alone: say --device cpu, or leave --proof out";

/// Why no fleet joins a search that minimizes a variable.
const NO_FLEET: &str =
    "no fleet minimizes an integer variable: ask for searchers on the processor alone, by -t";

/// The options with which a program is searched: what is left open is decided where the program has
/// difference constraints.
///
/// # Errors [`SolveError::Contradiction`] if the options say something else.
pub fn fitting(program: &Program, options: Options) -> Result<Options, SolveError> {
    if program.differences.is_none() {
        return Ok(options);
    }
    let mut options = options;
    if program.minimizes_variable() {
        without_fleet(&mut options, NO_FLEET)?;
    }
    if options.opt_strategy == OptStrategy::Auto {
        options.opt_strategy = OptStrategy::Bb(Descent::Lin);
    }
    SolveError::refuse(
        program.minimizes_variable() && !matches!(options.device, DeviceKind::Cpu | DeviceKind::Simt),
        "an integer variable is minimized on the processor alone: say --device cpu",
    )?;
    SolveError::refuse(
        matches!(options.opt_strategy, OptStrategy::Turns(_)),
        "difference constraints are propagated in no two searches in turns: say --opt-strategy=bb or usc",
    )?;
    SolveError::refuse(
        options.symmetry == Symmetry::Yes,
        "nothing is known of symmetries of difference constraints: leave --symmetry=yes out",
    )?;
    Ok(options)
}

/// Leaves the search on the processor where the device is open.
///
/// # Errors
/// [`SolveError::Contradiction`], which says `why`, if a fleet was asked for.
fn without_fleet(options: &mut Options, why: &str) -> Result<(), SolveError> {
    if options.device == DeviceKind::Auto {
        SolveError::refuse(options.gpu_searchers.number().is_some_and(|blocks| blocks > 1), why)?;
        options.device = DeviceKind::Cpu;
    }
    Ok(())
}

/// Refuses a search that minimizes a variable of difference constraints and that fleets join.
///
/// # Errors
/// [`SolveError::Contradiction`].
pub fn refuse_fleets(others: &Others, program: &Program) -> Result<(), SolveError> {
    let has_fleet = matches!(others, Others::MayJoin(_, true));
    SolveError::refuse(has_fleet && program.minimizes_variable(), NO_FLEET)
}

/// The options with which a program is searched if that is proved: with difference constraints on the
/// processor alone.
///
/// # Errors
/// [`SolveError::Contradiction`] if the options say something else, or a variable is minimized.
pub fn provable(program: &Program, mut options: Options) -> Result<Options, SolveError> {
    if program.differences.is_some() {
        without_fleet(&mut options, UNPROVED)?;
    }
    SolveError::refuse(
        program.minimizes_variable(),
        "no proof says that the value of an integer variable is the least: leave --proof or --minimize-variable out",
    )?;
    fitting(program, options)
}

/// Refuses what cannot be done with difference constraints.
///
/// # Errors
/// [`SolveError::Contradiction`].
pub fn refuse_untold(program: &Program) -> Result<(), SolveError> {
    SolveError::refuse(program.differences.is_some(), UNTOLD)
}
