//! The program: reading it, and what it says in plain rules.
//!
//! Main function: [`read`].

mod aspif;
mod builder;
mod data;
mod differences;
mod error;
mod lexer;
mod reader;
mod smodels;
mod theory;

pub use data::{Body, Costs, Output, Program, Rule};
pub use error::ProgramError;

use builder::Builder;
use lexer::Lexer;
use reader::Reader;

/// Reads a ground program, aspif or smodels. `file` is the name of the file in errors.
///
/// # Errors
/// If the text is no such program.
pub fn read(file: &str, text: &[u8]) -> Result<Program, ProgramError> {
    let mut lexer = Lexer::new(file, text);
    let is_smodels = lexer.peek().is_some_and(|byte| byte.is_ascii_digit());
    let mut reader = Reader { lexer: &mut lexer, builder: Builder::default() };
    if is_smodels {
        reader.smodels()?;
    } else {
        reader.aspif()?;
    }
    reader.lexer.end()?;
    let program = reader.builder.build();
    program.map_err(|(what, remedy)| lexer.wrong(what, remedy))
}
