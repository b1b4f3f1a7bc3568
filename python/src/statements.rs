//! What a grounder or a caller says of a program, by the numbers of a ground program.

use crate::{Inner, Shown};
use yasmin::{Atom, Error, External, Literal};

impl Inner {
    pub(crate) fn atom(&mut self, number: u64) -> Result<Atom, Error> {
        if let Some(known) = self.names.atom(number) {
            return Ok(known);
        }
        let atom = self.control.numbered(number)?;
        self.names.note(number, atom);
        Ok(atom)
    }

    pub(crate) fn literal(&mut self, literal: i64) -> Result<Literal, Error> {
        let atom = self.atom(literal.unsigned_abs())?.positive();
        Ok(if literal < 0 { !atom } else { atom })
    }

    /// The atom of a number that a rule or a directive declares anew. Of a released atom nothing but the
    /// number comes again, as with clingo: rules that came before are about another atom, which is false.
    pub(crate) fn declared(&mut self, number: u64) -> Result<Atom, Error> {
        if !self.declared.comes_again(number) {
            return self.atom(number);
        }
        let atom = self.control.atom();
        self.names.note(number, atom);
        let is_its_own = |shown: &&Shown| shown.atom.map(u64::from) == Some(number);
        if let Some(&shown) = self.shown.iter().rev().find(is_its_own) {
            self.show(shown, &[number as i64])?;
        }
        Ok(atom)
    }

    pub(crate) fn atoms(&mut self, numbers: &[u64]) -> Result<Vec<Atom>, Error> {
        numbers.iter().map(|&number| self.atom(number)).collect()
    }

    pub(crate) fn literals(&mut self, literals: &[i64]) -> Result<Vec<Literal>, Error> {
        literals.iter().map(|&literal| self.literal(literal)).collect()
    }

    pub(crate) fn weighted(&mut self, literals: &[(i64, i64)]) -> Result<Vec<(Literal, i64)>, Error> {
        literals.iter().map(|&(literal, weight)| Ok((self.literal(literal)?, weight))).collect()
    }

    /// The numbers of literals that all have one.
    pub(crate) fn numbers(&self, literals: &[Literal]) -> Vec<i64> {
        let number = |lit: &Literal| {
            let number = self.names.number(lit.atom())?;
            Some(if lit.is_positive() { number } else { -number })
        };
        literals.iter().filter_map(number).collect()
    }

    pub(crate) fn rule(&mut self, is_choice: bool, head: &[u64], body: &[Literal]) -> Result<(), Error> {
        self.declared.define(head);
        let head: Vec<Atom> = head.iter().map(|&atom| self.declared(atom)).collect::<Result<_, _>>()?;
        match is_choice {
            true => self.control.choice(&head, body),
            false => self.control.rule(&head, body),
        }
    }

    pub(crate) fn weight_rule(
        &mut self,
        is_choice: bool,
        head: &[u64],
        bound: i64,
        body: &[(i64, i64)],
    ) -> Result<(), Error> {
        let body = self.weighted(body)?;
        let sum = self.control.sum(bound, &body)?;
        self.rule(is_choice, head, &[sum.positive()])
    }

    /// Shows a symbol.
    pub(crate) fn show(&mut self, shown: Shown, condition: &[i64]) -> Result<(), Error> {
        let condition = self.literals(condition)?;
        // The number that represents the symbol names it, too.
        let text = self.texts.and_then(|texts| texts.of(shown.symbol));
        let name = text.unwrap_or_else(|| shown.symbol.to_string());
        self.control.show(&name, &condition)?;
        self.shown.push(shown);
        Ok(())
    }

    /// Gives an external atom a value. If `declares` does not make it external now, it is external before.
    pub(crate) fn external(&mut self, number: u64, value: External, declares: bool) -> Result<(), Error> {
        if declares && value != External::Release {
            self.declared.external(number);
        }
        let atom = if declares { self.declared(number)? } else { self.atom(number)? };
        if value == External::Release {
            self.declared.release(number);
        }
        self.control.external(atom, value)
    }
}
