//! What the readers of both formats share.
//!
//! Main type: [`Reader`].

use super::builder::Builder;
use super::error::ProgramError;
use super::lexer::Lexer;
use crate::numbers::MAX_NUMBER;
use crate::trusted::lit::Var;

/// A text and the program that becomes of it.
pub struct Reader<'l, 'a> {
    /// The text.
    pub lexer: &'l mut Lexer<'a>,
    /// The program so far.
    pub builder: Builder,
}

impl Reader<'_, '_> {
    /// Reads an atom; nothing for a 0.
    pub fn atom_or_zero(&mut self) -> Result<Option<Var>, ProgramError> {
        let number = self.lexer.integer("an atom, or 0", 0, i64::from(MAX_NUMBER))?;
        Ok((number > 0).then(|| self.builder.atom(number as u32)))
    }

    /// Reads an atom.
    pub fn atom(&mut self) -> Result<Var, ProgramError> {
        let number = self.lexer.integer("an atom", 1, i64::from(MAX_NUMBER))?;
        Ok(self.builder.atom(number as u32))
    }

    /// Reads `n a1 .. an`.
    pub fn atoms(&mut self) -> Result<Vec<Var>, ProgramError> {
        (0..self.lexer.length("a number of atoms")?).map(|_| self.atom()).collect()
    }

    /// Reads a number of 32 bits.
    pub fn number(&mut self, what: &str) -> Result<i64, ProgramError> {
        self.lexer.integer(what, i64::from(i32::MIN), i64::from(i32::MAX))
    }

    /// Reads a weight of `least` or more.
    pub fn weight(&mut self, least: i64) -> Result<i64, ProgramError> {
        self.lexer.integer("a weight", least, i64::MAX)
    }

    /// Reads the bound of a sum.
    pub fn bound(&mut self) -> Result<i64, ProgramError> {
        self.lexer.integer("a bound", i64::MIN, i64::MAX)
    }
}
