//! Theory atoms that are added one by one, and those that are difference constraints.
//!
//! Main functions: [`Control::add_theory_atom`] and [`Control::read_differences`]. The functions that add are
//! those of clingo's backend.

use crate::answer::Answer;
use crate::atom::{Atom, Literal};
use crate::control::Control;
use crate::error::Error;
use crate::term::Term;
use solver_host::ids::{ElementId, TermId};
use solver_host::program::{self, Brackets};

/// How deep terms may be nested, so that none exhausts the stack.
const DEEPEST: u32 = 1000;

/// A term of a theory, which a control has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TheoryTerm {
    id: TermId,
    depth: u32,
}

/// An element of theory atoms, which a control has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TheoryElement(ElementId);

impl Control {
    /// Adds a number as a term of a theory.
    pub fn add_theory_term_number(&mut self, number: i32) -> TheoryTerm {
        self.theory_term(program::TheoryTerm::Number(number), 0)
    }

    /// Adds a name or an operator, or a text with its quotation marks, as a term of a theory.
    pub fn add_theory_term_string(&mut self, name: &str) -> TheoryTerm {
        self.theory_term(program::TheoryTerm::Symbol(name.into()), 0)
    }

    /// Adds terms in brackets as a term of a theory.
    ///
    /// # Errors
    /// If a term is another control's, or the new one is nested deeper than 1000 times.
    pub fn add_theory_term_sequence(
        &mut self,
        brackets: Brackets,
        terms: &[TheoryTerm],
    ) -> Result<TheoryTerm, Error> {
        let (ids, depth) = self.term_ids(terms)?;
        Ok(self.theory_term(program::TheoryTerm::Sequence(brackets, ids), depth))
    }

    /// Adds a function, or an operator, of arguments as a term of a theory.
    ///
    /// # Errors
    /// As [`Control::add_theory_term_sequence`].
    pub fn add_theory_term_function(
        &mut self,
        name: &str,
        arguments: &[TheoryTerm],
    ) -> Result<TheoryTerm, Error> {
        let (ids, depth) = self.term_ids(arguments)?;
        let name = self.add_theory_term_string(name);
        Ok(self.theory_term(program::TheoryTerm::Function(name.id, ids), depth))
    }

    /// Adds a term of programs as a term of a theory.
    ///
    /// # Errors
    /// As [`Control::add_theory_term_sequence`].
    pub fn add_theory_term_symbol(&mut self, term: &Term) -> Result<TheoryTerm, Error> {
        let Term::Function { name, arguments, is_positive } = term else {
            return Ok(match term {
                Term::Number(number) => self.add_theory_term_number(*number),
                _ => self.add_theory_term_string(&term.to_string()),
            });
        };
        let arguments: Vec<TheoryTerm> = arguments
            .iter()
            .map(|argument| self.add_theory_term_symbol(argument))
            .collect::<Result<_, _>>()?;
        let term = match &name[..] {
            "" => self.add_theory_term_sequence(Brackets::Tuple, &arguments)?,
            _ if arguments.is_empty() => self.add_theory_term_string(name),
            _ => self.add_theory_term_function(name, &arguments)?,
        };
        match is_positive {
            true => Ok(term),
            false => self.add_theory_term_function("-", &[term]),
        }
    }

    /// Adds an element of theory atoms: terms, and the literals that all have to hold.
    ///
    /// # Errors
    /// If a term or an atom is another control's.
    pub fn add_theory_element(
        &mut self,
        terms: &[TheoryTerm],
        condition: &[Literal],
    ) -> Result<TheoryElement, Error> {
        let (terms, _) = self.term_ids(terms)?;
        let condition = self.lits(condition)?;
        self.grows();
        Ok(TheoryElement(self.builder.theory_element(program::TheoryElement { terms, condition })))
    }

    /// Adds a theory atom, and returns its atom: `atom`, or a new one. Without a rule it may be true or
    /// false.
    ///
    /// # Errors
    /// If a term, an element or an atom is another control's.
    pub fn add_theory_atom(
        &mut self,
        name: TheoryTerm,
        elements: &[TheoryElement],
        atom: Option<Atom>,
    ) -> Result<Atom, Error> {
        self.theory_atom(name, elements, None, atom)
    }

    /// Adds a theory atom with an operator, and a term after that. See [`Control::add_theory_atom`].
    ///
    /// # Errors
    /// As [`Control::add_theory_atom`].
    pub fn add_theory_atom_with_guard(
        &mut self,
        name: TheoryTerm,
        elements: &[TheoryElement],
        operator: &str,
        right: TheoryTerm,
        atom: Option<Atom>,
    ) -> Result<Atom, Error> {
        self.theory_atom(name, elements, Some((operator, right)), atom)
    }

    fn theory_atom(
        &mut self,
        name: TheoryTerm,
        elements: &[TheoryElement],
        guard: Option<(&str, TheoryTerm)>,
        atom: Option<Atom>,
    ) -> Result<Atom, Error> {
        let (terms, _) = self.term_ids(&[name])?;
        let right = guard.map(|(_, right)| self.term_ids(&[right])).transpose()?;
        let known = self.builder.theory().elements.len();
        if elements.iter().any(|element| element.0.index() >= known) {
            return Err(Error::Theory("an element of a theory atom is another control's"));
        }
        let atom = match atom {
            Some(atom) => self.lit(atom.positive())?.var(),
            None => self.atom().0,
        };
        let guard = guard
            .zip(right)
            .map(|((operator, _), (right, _))| (self.add_theory_term_string(operator).id, right[0]));
        self.grows_by(&[atom]);
        let elements = elements.iter().map(|element| element.0).collect();
        self.builder.theory_atom(program::TheoryAtom { atom: Some(atom), name: terms[0], elements, guard });
        Ok(Atom(atom))
    }

    /// Reads theory atoms `&diff` as clingo-dl does, from the next question on: each says that the difference
    /// of two integer variables is at most a number. Answers have the variables' values
    /// ([`Answer::values`]). Of what was learned nothing stays when the program grows. A question about a
    /// program with other theory atoms fails.
    pub fn read_differences(&mut self) {
        self.grows();
        self.past.forget();
        self.reads_differences = true;
    }

    fn theory_term(&mut self, term: program::TheoryTerm, depth: u32) -> TheoryTerm {
        self.grows();
        TheoryTerm { id: self.builder.theory_term(term), depth }
    }

    /// The numbers of terms, and how deep a term of these is nested.
    fn term_ids(&self, terms: &[TheoryTerm]) -> Result<(Vec<TermId>, u32), Error> {
        let known = self.builder.theory().terms.len();
        let depth = terms.iter().map(|term| term.depth + 1).max().unwrap_or(0);
        if terms.iter().any(|term| term.id.index() >= known) {
            return Err(Error::Theory("a term of a theory is another control's"));
        }
        if depth > DEEPEST {
            return Err(Error::Theory("terms of a theory are nested deeper than 1000 times"));
        }
        Ok((terms.iter().map(|term| term.id).collect(), depth))
    }
}

impl Answer {
    /// The integer variables of difference constraints, with the least values that the constraints allow:
    /// none for a variable that no true constraint is about. Consequences have no values.
    pub fn values(&self) -> impl Iterator<Item = (&str, Option<i64>)> {
        let differences = self.program.differences.as_ref().filter(|_| self.consequences().is_none());
        let values = differences.and_then(|differences| differences.values(|lit| self.set.holds(lit)));
        let names = differences.map_or(&[][..], |differences| &differences.names);
        names.iter().map(String::as_str).zip(values.unwrap_or_default())
    }
}
