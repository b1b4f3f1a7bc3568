//! Reads the numeric format of smodels and lparse (Syrjänen, "Lparse 1.0 User's Manual", section 5.2), with clasp's
//! externals.
//!
//! Main function: [`Reader::smodels`].

use super::builder::External;
use super::data::{Body, Output};
use super::error::ProgramError;
use super::lexer::name;
use super::reader::Reader;
use crate::trusted::lit::{Lit, Var};

impl Reader<'_, '_> {
    /// Reads a program.
    pub fn smodels(&mut self) -> Result<(), ProgramError> {
        let mut minimized = 0;
        while self.smodels_rule(&mut minimized)? {}
        self.lexer.skip_white();
        while let Some(atom) = self.atom_or_zero()? {
            let name = name(self.lexer.rest_of_line());
            let output = Output { name, condition: vec![Lit::new(atom, true)] };
            self.builder.program.outputs.push(output);
            self.lexer.skip_white();
        }
        for (name, is_true) in [(&b"B+"[..], true), (b"B-", false)] {
            for atom in self.section(name)? {
                self.builder.assume(Lit::new(atom, is_true));
            }
        }
        self.lexer.skip_white();
        if self.lexer.peek() == Some(b'E') {
            for atom in self.section(b"E")? {
                self.builder.external(atom, External::Free);
            }
        }
        self.lexer.skip_white();
        self.lexer.length("the number of models").map(drop)
    }

    /// Reads a rule. Returns false for the `0` after the last rule. `minimized` is how many minimize rules came
    /// before; each has a higher priority than the one before.
    fn smodels_rule(&mut self, minimized: &mut i64) -> Result<bool, ProgramError> {
        self.lexer.skip_white();
        let kind = self.lexer.integer("the type of a rule", 0, 92)?;
        match kind {
            0 => {}
            1 | 3 | 8 => {
                let heads = if kind == 1 { vec![self.atom()?] } else { self.atoms()? };
                let counts = self.counts()?;
                let body = Body::All(self.body(counts)?);
                self.builder.rule(kind == 3, heads, body);
            }
            2 => {
                let (heads, counts, bound) = (vec![self.atom()?], self.counts()?, self.bound()?);
                let terms = self.body(counts)?.into_iter().map(|lit| (lit, 1)).collect();
                self.builder.rule(false, heads, Body::Sum(bound, terms));
            }
            5 => {
                let heads = vec![self.atom()?];
                let body = Body::Sum(self.bound()?, self.weighted()?);
                self.builder.rule(false, heads, body);
            }
            6 => {
                self.lexer.integer("the 0 of a minimize rule", 0, 0)?;
                let terms = self.weighted()?;
                self.builder.costs.insert(*minimized, terms);
                *minimized += 1;
            }
            91 | 92 => {
                let atom = self.atom()?;
                let values = [External::False, External::True, External::Free, External::Release];
                let value = if kind == 91 { self.lexer.integer("an external value", 0, 2)? } else { 3 };
                self.builder.external(atom, values[value as usize]);
            }
            kind => {
                let what = format!("rules of type {kind} are unknown");
                return Err(self.lexer.wrong(what, "write the program as aspif: `gringo FILE`"));
            }
        }
        self.lexer.end_of_line()?;
        Ok(kind != 0)
    }

    /// Reads the name of a section and its atoms, up to a 0.
    fn section(&mut self, name: &[u8]) -> Result<Vec<Var>, ProgramError> {
        self.lexer.skip_white();
        if self.lexer.word() != name {
            return Err(self
                .lexer
                .wrong(format!("expected `{}`", name.escape_ascii()), "is the file cut off?"));
        }
        let mut atoms = Vec::new();
        loop {
            self.lexer.skip_white();
            match self.atom_or_zero()? {
                Some(atom) => atoms.push(atom),
                None => return Ok(atoms),
            }
        }
    }

    /// Reads the number of literals and how many of them, the first, are negative.
    fn counts(&mut self) -> Result<(i64, i64), ProgramError> {
        let count = self.lexer.length("the number of body literals")? as i64;
        Ok((count, self.lexer.integer("the number of negative literals", 0, count)?))
    }

    fn body(&mut self, (count, negative): (i64, i64)) -> Result<Vec<Lit>, ProgramError> {
        (0..count).map(|at| Ok(Lit::new(self.atom()?, at >= negative))).collect()
    }

    /// Reads `literals negative n1 .. p1 .. w1 ..`.
    fn weighted(&mut self) -> Result<Vec<(Lit, i64)>, ProgramError> {
        let counts = self.counts()?;
        self.body(counts)?.into_iter().map(|lit| Ok((lit, self.weight(0)?))).collect()
    }
}
