//! Reading ground programs: gringo's aspif, the older smodels/lparse format, and formulas in DIMACS, WCNF and OPB, told
//! apart by content.
//!
//! Main functions: [`read`] for ground programs, [`ground::read_inputs`] for ground programs and programs that a grounder
//! has to ground first. Input is read once, from front to back, in linear time. No
//! number in the input decides how much memory is allocated: memory grows only with the bytes that have been
//! read. The number of variables of a formula is the exception, as each variable is a part of each model.

mod aspif;
mod dimacs;
mod error;
mod format;
pub mod ground;
mod lexer;
mod message;
mod opb;
mod smodels;
mod wcnf;

pub use aspif::Step;
pub use error::InputError;
pub use format::{begin, InputFormat};
pub use lexer::MAX_ATOM;
pub use message::{Kind, Message};

use crate::program::{Formula, Program, ProgramBuilder};
use dimacs::Header;
use error::GROUND;
use lexer::Lexer;
use std::io::Read;
use wcnf::Weights;

/// Reads a ground program, in aspif, the smodels format or DIMACS. Errors call the input `name`.
///
/// ```
/// // `{a}. b :- not a.`
/// let text = "asp 1 0 0\n1 1 1 1 0 0\n1 0 1 2 0 1 -1\n4 1 a 1 1\n4 1 b 1 2\n0\n";
/// let program = yasmin_ground::input::read("example", text.as_bytes())?;
/// assert_eq!((program.atoms, program.rules()), (2, 2));
/// # Ok::<(), yasmin_ground::input::InputError>(())
/// ```
///
/// # Errors
/// If the stream cannot be read, or is no ground program that yasmin can solve. The error names the line.
pub fn read(name: &str, stream: impl Read) -> Result<Program, InputError> {
    built(name, read_builder(name, stream)?)
}

/// The same, for a program that is going to grow.
///
/// # Errors
/// As [`read`].
pub fn read_builder(name: &str, mut stream: impl Read) -> Result<ProgramBuilder, InputError> {
    let (format, bytes) = format::begin(&mut stream).map_err(|error| InputError::unreadable(name, &error))?;
    read_from(Lexer::new(name, bytes.chain(stream)), format.formula(), false)
}

/// The program that was read from `name`.
fn built(name: &str, builder: ProgramBuilder) -> Result<Program, InputError> {
    builder.build().map_err(|error| InputError::new(name, None, error.to_string(), ""))
}

/// Reads a ground program, which is a formula of that format if one is named. `are_soft` says that each
/// disjunction of a formula without weights is soft and weighs 1, and that numbers without a problem line are weights.
fn read_from<R: Read>(
    mut lexer: Lexer<'_, R>,
    formula: Option<Formula>,
    are_soft: bool,
) -> Result<ProgramBuilder, InputError> {
    let (mut program, step) = begin_from(&mut lexer, formula, are_soft)?;
    if let Some(step) = step {
        if aspif::next_kind(&mut lexer)?.is_some() {
            return Err(several_steps(&lexer));
        }
        aspif::assume(&lexer, &mut program, &step)?;
    }
    Ok(program)
}

/// A second step begins, where there has to be one.
fn several_steps<R: Read>(lexer: &Lexer<R>) -> InputError {
    let remedy = "the command `yasmin` solves each step if no option asks for more than answer sets";
    lexer.wrong("a second step begins here, and this asks for a program of one step", remedy)
}

/// Reads a ground program, or its first step. A step is returned if there may be more of them.
fn begin_from<R: Read>(
    lexer: &mut Lexer<'_, R>,
    formula: Option<Formula>,
    are_soft: bool,
) -> Result<(ProgramBuilder, Option<Step>), InputError> {
    let whole = |program| Ok((program, None));
    match lexer.first()? {
        Some(_) if formula == Some(Formula::PseudoBoolean) => return opb::read(lexer).and_then(whole),
        Some(byte) if formula == Some(Formula::Clauses) || dimacs::may_begin_with(byte) => {
            let is_maxsat = are_soft || lexer.name().ends_with(".wcnf");
            let program = match dimacs::header(lexer)? {
                Header::Cnf(variables) if are_soft => {
                    wcnf::read(lexer, Some(variables), Weights::Ones, is_maxsat)
                }
                Header::Cnf(variables) => dimacs::read(lexer, variables),
                Header::Weighted { variables, top } => {
                    wcnf::read(lexer, variables, Weights::Written { top }, is_maxsat)
                }
            };
            return program.and_then(whole);
        }
        None => return Err(lexer.wrong("expected a ground program, found nothing", GROUND)),
        Some(b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9') => {}
        Some(_) => return Err(lexer.wrong("this is no ground program, in aspif or smodels format", GROUND)),
    }
    let first_line = lexer.line();
    let program = match lexer.first()? {
        Some(b'0'..=b'9') => smodels::read(lexer).and_then(whole),
        _ => aspif::begin(lexer),
    };
    // A text may begin as a ground program does: `1 {a; b} 1.` or `asp :- not b.`
    program.map_err(|error| match error.line() == Some(first_line) && lexer.is_at_text() {
        true => error.with_remedy(GROUND),
        false => error,
    })
}

#[cfg(test)]
mod tests;
