//! Reads aspif 1.0, the format that gringo writes (Gebser et al., "Theory Solving Made Easy with Clingo 5", 2016,
//! appendix A).
//!
//! Main function: [`Reader::aspif`].

use super::builder::External;
use super::data::{Body, Output};
use super::error::ProgramError;
use super::lexer::GROUND;
use super::reader::Reader;
use crate::numbers::MAX_NUMBER;
use crate::trusted::lit::Lit;

impl Reader<'_, '_> {
    /// Reads a program.
    pub fn aspif(&mut self) -> Result<(), ProgramError> {
        if self.lexer.word() != b"asp" {
            return Err(self
                .lexer
                .wrong("expected `asp 1 0 0` or rules of smodels at the beginning", GROUND));
        }
        self.lexer.integer("the major version of aspif", 1, 1)?;
        self.lexer.integer("the minor version of aspif", 0, 0)?;
        self.lexer.length("the revision of aspif")?;
        if !matches!(self.lexer.word(), b"" | b"incremental") {
            return Err(self.lexer.wrong("unknown words after the version of aspif", "use gringo 5"));
        }
        self.lexer.end_of_line()?;
        while self.statement()? {}
        Ok(())
    }

    /// Reads a statement. Returns false for the last one, `0`.
    fn statement(&mut self) -> Result<bool, ProgramError> {
        self.lexer.skip_white();
        let kind = self.lexer.integer("the kind of a statement", 0, 10)?;
        match kind {
            0 => {}
            1 => {
                let is_choice = self.lexer.integer("the kind of a head", 0, 1)? == 1;
                let heads = self.atoms()?;
                let body = match self.lexer.integer("the kind of a body", 0, 1)? {
                    0 => Body::All(self.literals()?),
                    _ => Body::Sum(self.bound()?, self.terms(0)?),
                };
                self.builder.rule(is_choice, heads, body);
            }
            2 => {
                let (priority, terms) = (self.number("a priority")?, self.terms(-i64::MAX)?);
                self.builder.costs.entry(priority).or_default().extend(terms);
            }
            3 => {
                let atoms = self.atoms()?;
                self.builder.program.projection.get_or_insert_default().extend(atoms);
            }
            4 => {
                let length = self.lexer.length("the length of a string")?;
                let output = Output { name: self.lexer.string(length)?, condition: self.literals()? };
                self.builder.program.outputs.push(output);
            }
            5 => {
                let atom = self.atom()?;
                let values = [External::Free, External::True, External::False, External::Release];
                let value = self.lexer.integer("the value of an external atom", 0, 3)?;
                self.builder.external(atom, values[value as usize]);
            }
            6 => self.literals()?.into_iter().for_each(|lit| self.builder.assume(lit)),
            7 => {
                // Heuristics change no answer set, but their atoms are atoms of the program.
                self.lexer.integer("the kind of a heuristic", 0, 5)?;
                self.atom()?;
                self.number("a bias")?;
                self.number("a priority")?;
                self.literals()?;
            }
            8 => {
                let (from, to) = (self.number("a node")?, self.number("a node")?);
                let condition = self.literals()?;
                self.builder.edges.push((from, to, condition));
            }
            9 => self.theory()?,
            _ => drop(self.lexer.rest_of_line()),
        }
        self.lexer.end_of_line()?;
        Ok(kind != 0)
    }

    /// Reads what follows a 9: a term, an element, or an atom of a theory.
    fn theory(&mut self) -> Result<(), ProgramError> {
        let kind = self.lexer.integer("the kind of a theory statement", 0, 6)?;
        let read = if kind < 5 {
            let id = self.lexer.length("the number of a theory term")?;
            match kind {
                0 => {
                    let number = self.number("a number of a theory")?;
                    self.builder.theory.number(id, number);
                    Ok(())
                }
                1 => {
                    let length = self.lexer.length("the length of a string")?;
                    let symbol = self.lexer.string(length)?;
                    self.builder.theory.symbol(id, symbol);
                    Ok(())
                }
                2 => {
                    let name = self.lexer.integer("the kind of a term", -3, u32::MAX.into())?;
                    let arguments = self.terms_of_theory()?;
                    self.builder.theory.compound(id, name, &arguments)
                }
                4 => {
                    let terms = self.terms_of_theory()?;
                    let condition = self.literals()?;
                    self.builder.theory.element(id, &terms, !condition.is_empty());
                    Ok(())
                }
                _ => Err("there is no theory statement 3"),
            }
        } else {
            // A directive has no atom.
            let atom = self.atom_or_zero()?;
            let name = self.lexer.length("the number of a theory term")?;
            let elements = self.terms_of_theory()?;
            let guard = match kind {
                6 => Some([self.lexer.length("an operator")?, self.lexer.length("a theory term")?]),
                _ => None,
            };
            self.builder.theory.atom(atom, name, &elements, guard)
        };
        read.map_err(|what| self.lexer.wrong(what, "write the program with nothing but `&diff{u - v} <= k`"))
    }

    /// Reads `n t1 .. tn`, numbers of terms or elements.
    fn terms_of_theory(&mut self) -> Result<Vec<usize>, ProgramError> {
        let length = self.lexer.length("a number of theory terms")?;
        (0..length).map(|_| self.lexer.length("the number of a theory term")).collect()
    }

    /// Reads `n l1 w1 .. ln wn`, with weights of at least `least`.
    fn terms(&mut self, least: i64) -> Result<Vec<(Lit, i64)>, ProgramError> {
        let count = self.lexer.length("a number of literals")?;
        (0..count).map(|_| Ok((self.literal()?, self.weight(least)?))).collect()
    }

    /// Reads `n l1 .. ln`.
    fn literals(&mut self) -> Result<Vec<Lit>, ProgramError> {
        (0..self.lexer.length("a number of literals")?).map(|_| self.literal()).collect()
    }

    fn literal(&mut self) -> Result<Lit, ProgramError> {
        let most = i64::from(MAX_NUMBER);
        match self.lexer.integer("a literal", -most, most)? {
            0 => Err(self.lexer.wrong("0 is no literal", "is the file damaged?")),
            number => Ok(Lit::new(self.builder.atom(number.unsigned_abs() as u32), number > 0)),
        }
    }
}
