//! Reads the numeric format of smodels and lparse (Syrjänen, "Lparse 1.0 User's Manual", section 5.2;
//! `gringo -o smodels`).
//!
//! Main function: [`read`]. The text has these parts: rules up to `0`, the names of atoms up to `0`, atoms
//! that must be true (`B+`) up to `0`, atoms that must be false (`B-`) up to `0`, perhaps external atoms
//! (`E`), and the number of models. Of clasp's extensions the externals (`91`, `92`) are read.
//!
//! The format has no constraints: gringo writes `:- B` as the rule `1 :- B`, with atom 1 in `B-`. So rules of
//! atoms in `B-` are read as constraints, and a program has the same rules in both formats.

use super::lexer::Lexer;
use super::InputError;
use crate::program::{External, Output, ProgramBuilder};
use solver_gpu::{Lit, Var};
use std::io::Read;

/// Reads a program. White space before its first number was skipped.
pub fn read<R: Read>(lexer: &mut Lexer<R>) -> Result<ProgramBuilder, InputError> {
    let mut reader = Reader { lexer, program: ProgramBuilder::default(), minimized: 0 };
    while reader.rule()? {}
    reader.names()?;
    reader.compute()?;
    let Reader { lexer, program, .. } = reader;
    lexer.end_of_input()?;
    Ok(program)
}

struct Reader<'a, 'n, R> {
    lexer: &'a mut Lexer<'n, R>,
    program: ProgramBuilder,
    /// How many minimize statements were read. Each has a higher priority than the one before.
    minimized: i32,
}

impl<R: Read> Reader<'_, '_, R> {
    /// Reads a rule. Returns false for the `0` after the last rule.
    fn rule(&mut self) -> Result<bool, InputError> {
        let kind = self.lexer.integer("the type of a rule", 0, i64::MAX)?;
        let added = match kind {
            0 => Ok(()),
            1 => {
                let head = self.atom()?;
                let body = self.body()?;
                self.program.rule(Some(head), &body)
            }
            2 => {
                let head = self.atom()?;
                let (count, negative) = self.counts()?;
                let bound = self.bound()?;
                let lits = self.literals(count, negative)?.into_iter().map(|lit| (lit, 1)).collect();
                self.program.sum(bound, lits).and_then(|sum| self.program.rule(Some(head), &[Lit::t(sum)]))
            }
            3 | 8 => {
                let heads = self.heads()?;
                let body = self.body()?;
                match kind {
                    3 => self.program.choice(&heads, &body),
                    _ => self.program.disjunction(&heads, &body),
                }
            }
            5 => {
                let head = self.atom()?;
                let bound = self.bound()?;
                let lits = self.weighted()?;
                self.program.sum(bound, lits).and_then(|sum| self.program.rule(Some(head), &[Lit::t(sum)]))
            }
            6 => {
                self.lexer.integer("the 0 of a minimize statement", 0, 0)?;
                let lits = self.weighted()?;
                let added = self.program.minimize(self.minimized, &lits);
                self.minimized = self.minimized.saturating_add(1);
                added
            }
            91 => {
                let atom = self.atom()?;
                let value = match self.lexer.integer("the value of an external atom", 0, 2)? {
                    0 => External::False,
                    1 => External::True,
                    _ => External::Free,
                };
                self.program.external(atom, value);
                Ok(())
            }
            92 => {
                let atom = self.atom()?;
                self.program.external(atom, External::Release);
                Ok(())
            }
            kind => {
                return Err(self.lexer.wrong(
                    format!("a rule of unknown type {kind}"),
                    "write the program as aspif: `gringo FILE` without `-o smodels`",
                ))
            }
        };
        added.map_err(|error| self.lexer.too_large(error))?;
        self.lexer.end_of_line()?;
        Ok(kind != 0)
    }

    /// Reads the names of atoms.
    fn names(&mut self) -> Result<(), InputError> {
        loop {
            let atom = self.lexer.integer("an atom to name, or 0", 0, super::MAX_ATOM as i64)? as u64;
            if atom == 0 {
                return self.lexer.end_of_line();
            }
            let name = self.lexer.rest_of_line()?;
            if name.is_empty() {
                let what = format!("expected the name of atom {atom}, found the end of the line");
                return Err(self.lexer.wrong(what, ""));
            }
            let condition = vec![Lit::t(self.program.atom(atom))];
            self.program.output(Output { name, condition });
            self.lexer.end_of_line()?;
        }
    }

    /// Reads the atoms that must be true and false, the external atoms, and the number of models. The number
    /// is ignored, as it is not the program's to decide.
    fn compute(&mut self) -> Result<(), InputError> {
        self.section("B+")?;
        for atom in self.listed()? {
            let atom = self.program.atom(atom);
            self.program.assume(Lit::t(atom)).map_err(|error| self.lexer.too_large(error))?;
        }
        self.section("B-")?;
        let listed = self.listed()?;
        let mut word = self.lexer.word()?;
        if word == "E" {
            self.lexer.end_of_line()?;
            for atom in self.listed()? {
                let atom = self.program.atom(atom);
                self.program.external(atom, External::Free);
            }
            word = self.lexer.word()?;
        }
        // This comes last because an atom in `B-` is false even if `E` has it too. An atom that no rule names
        // is false anyway.
        let forbidden: Vec<Var> = listed.into_iter().filter_map(|a| self.program.known(a)).collect();
        self.program.forbid(&forbidden).map_err(|error| self.lexer.too_large(error))?;
        match word.as_str() {
            "" => {
                let found = self.lexer.describe()?;
                return Err(self.lexer.wrong(format!("expected the number of models, found {found}"), ""));
            }
            number if number.bytes().all(|b| b.is_ascii_digit()) => {}
            other => {
                return Err(self.lexer.wrong(format!("expected the number of models, found `{other}`"), ""))
            }
        }
        self.lexer.end_of_line()
    }

    fn section(&mut self, name: &str) -> Result<(), InputError> {
        let word = self.lexer.word()?;
        if word != name {
            let found = if word.is_empty() { self.lexer.describe()? } else { format!("`{word}`") };
            return Err(self.lexer.wrong(format!("expected `{name}`, found {found}"), ""));
        }
        self.lexer.end_of_line()
    }

    /// Reads a list of atoms, one a line, up to `0`.
    fn listed(&mut self) -> Result<Vec<u64>, InputError> {
        let mut atoms = Vec::new();
        loop {
            let atom = self.lexer.integer("an atom, or 0", 0, super::MAX_ATOM as i64)? as u64;
            self.lexer.end_of_line()?;
            if atom == 0 {
                return Ok(atoms);
            }
            atoms.push(atom);
        }
    }

    /// Reads `heads a1 ..`, a list of heads.
    fn heads(&mut self) -> Result<Vec<Var>, InputError> {
        let mut heads = Vec::new();
        for _ in 0..self.lexer.length("the number of head atoms")? {
            heads.push(self.atom()?);
        }
        Ok(heads)
    }

    /// Reads `literals negative n1 .. p1 ..`, a body.
    fn body(&mut self) -> Result<Vec<Lit>, InputError> {
        let (count, negative) = self.counts()?;
        self.literals(count, negative)
    }

    /// Reads `literals negative n1 .. p1 .. w1 ..`, a body with weights.
    fn weighted(&mut self) -> Result<Vec<(Lit, i64)>, InputError> {
        let (count, negative) = self.counts()?;
        let lits = self.literals(count, negative)?;
        let mut weighted = Vec::with_capacity(lits.len());
        for lit in lits {
            weighted.push((lit, self.lexer.integer("a weight", 0, i64::MAX)?));
        }
        Ok(weighted)
    }

    fn counts(&mut self) -> Result<(u64, u64), InputError> {
        let literals = self.lexer.length("the number of body literals")?;
        let negative = self.lexer.length("the number of negative literals")?;
        if negative > literals {
            return Err(self
                .lexer
                .wrong(format!("{negative} of {literals} literals cannot be negative"), ""));
        }
        Ok((literals, negative))
    }

    fn literals(&mut self, count: u64, negative: u64) -> Result<Vec<Lit>, InputError> {
        let mut lits = Vec::new();
        for i in 0..count {
            let atom = self.atom()?;
            lits.push(Lit::new(atom, i >= negative));
        }
        Ok(lits)
    }

    fn bound(&mut self) -> Result<i64, InputError> {
        self.lexer.integer("a bound", i64::MIN, i64::MAX)
    }

    fn atom(&mut self) -> Result<Var, InputError> {
        Ok(self.program.atom(self.lexer.atom()?))
    }
}
