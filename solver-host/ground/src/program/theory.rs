//! The theory atoms of a program, as read: terms, elements and atoms (Gebser et al., "Theory Solving Made
//! Easy with Clingo 5", 2016).
//!
//! Main type: [`Theory`]. What the atoms mean is not said here: [`differences`](super::differences) reads
//! those of one theory. Invariant: a term's arguments, an element's terms and an atom's parts come before it,
//! so terms have no cycle.

use std::fmt::Write;
use std::io;

use serde::{Deserialize, Serialize};
use solver_gpu::{Lit, Var};

use crate::ids::{ElementId, TermId};
use crate::text;

/// A term of a theory.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TheoryTerm {
    /// A number.
    Number(i32),
    /// A name, an operator or a string in quotes.
    Symbol(String),
    /// Terms in brackets.
    Sequence(Brackets, Vec<TermId>),
    /// A function, or an operator, of arguments.
    Function(TermId, Vec<TermId>),
}

/// The brackets around a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Brackets {
    /// `(` and `)`.
    Tuple,
    /// `{` and `}`.
    Set,
    /// `[` and `]`.
    List,
}

/// An element of a theory atom: `terms: condition`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TheoryElement {
    /// The terms, which are a tuple.
    pub terms: Vec<TermId>,
    /// The literals that all have to hold.
    pub condition: Vec<Lit>,
}

/// A theory atom: `&name{elements} operator term`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TheoryAtom {
    /// The program's atom. None for a directive.
    pub atom: Option<Var>,
    /// The name, which may have arguments.
    pub name: TermId,
    /// The elements.
    pub elements: Vec<ElementId>,
    /// The operator, and the term after it, if there are any.
    pub guard: Option<(TermId, TermId)>,
}

/// All theory atoms of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Theory {
    /// The terms, by number.
    pub terms: Vec<TheoryTerm>,
    /// The elements, by number.
    pub elements: Vec<TheoryElement>,
    /// The atoms, in the order of the input.
    pub atoms: Vec<TheoryAtom>,
}

impl Theory {
    /// A term.
    pub fn term(&self, id: TermId) -> &TheoryTerm {
        &self.terms[id.index()]
    }

    /// The name of an atom, without arguments.
    pub fn name_of(&self, atom: &TheoryAtom) -> &str {
        match self.term(atom.name) {
            TheoryTerm::Function(name, _) => self.symbol(*name),
            _ => self.symbol(atom.name),
        }
    }

    /// The text of a symbol; empty for other terms.
    pub fn symbol(&self, id: TermId) -> &str {
        match self.term(id) {
            TheoryTerm::Symbol(name) => name,
            _ => "",
        }
    }

    /// A term as a logic program has it.
    pub fn text_of_term(&self, id: TermId) -> String {
        let all = |terms: &[TermId]| self.text_of_terms(terms);
        match self.term(id) {
            TheoryTerm::Number(number) => number.to_string(),
            TheoryTerm::Symbol(name) => name.clone(),
            TheoryTerm::Sequence(Brackets::Tuple, terms) if terms.len() == 1 => format!("({},)", all(terms)),
            TheoryTerm::Sequence(Brackets::Tuple, terms) => format!("({})", all(terms)),
            TheoryTerm::Sequence(Brackets::Set, terms) => format!("{{{}}}", all(terms)),
            TheoryTerm::Sequence(Brackets::List, terms) => format!("[{}]", all(terms)),
            TheoryTerm::Function(name, arguments) => {
                let name = self.text_of_term(*name);
                let is_operator = !name.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '\'');
                match arguments[..] {
                    [one] if is_operator => format!("({name}{})", self.text_of_term(one)),
                    [left, right] if is_operator => {
                        format!("({}{name}{})", self.text_of_term(left), self.text_of_term(right))
                    }
                    _ => format!("{name}({})", all(arguments)),
                }
            }
        }
    }

    fn text_of_terms(&self, terms: &[TermId]) -> String {
        terms.iter().map(|&term| self.text_of_term(term)).collect::<Vec<_>>().join(",")
    }

    /// An atom as a logic program has it, without the conditions of its elements.
    pub fn text_of(&self, atom: &TheoryAtom) -> String {
        let element = |id: &ElementId| self.text_of_terms(&self.elements[id.index()].terms);
        let elements: Vec<_> = atom.elements.iter().map(element).collect();
        let mut text = format!("&{}{{{}}}", self.text_of_term(atom.name), elements.join("; "));
        if let Some((operator, term)) = atom.guard {
            let _ = write!(text, " {} {}", self.text_of_term(operator), self.text_of_term(term));
        }
        text
    }

    /// Writes the theory's statements in aspif, with `literal` and `number` as those of the program's
    /// literals and atoms.
    pub(super) fn to_aspif(
        &self,
        to: &mut impl io::Write,
        literal: impl Fn(Lit) -> i64,
        number: impl Fn(Var) -> i64,
    ) -> io::Result<()> {
        let ids = |ids: &mut dyn Iterator<Item = u32>, count: usize| {
            ids.fold(count.to_string(), |text, id| format!("{text} {id}"))
        };
        let terms = |list: &[TermId]| ids(&mut list.iter().map(|id| id.0), list.len());
        for (id, term) in self.terms.iter().enumerate() {
            match term {
                TheoryTerm::Number(number) => writeln!(to, "9 0 {id} {number}")?,
                TheoryTerm::Symbol(name) => {
                    let name = text::to_bytes(name);
                    write!(to, "9 1 {id} {} ", name.len())?;
                    to.write_all(&name)?;
                    writeln!(to)?;
                }
                TheoryTerm::Sequence(brackets, list) => {
                    let kind = [-1, -2, -3][*brackets as usize];
                    writeln!(to, "9 2 {id} {kind} {}", terms(list))?;
                }
                TheoryTerm::Function(name, list) => writeln!(to, "9 2 {id} {} {}", name.0, terms(list))?,
            }
        }
        for (id, element) in self.elements.iter().enumerate() {
            write!(to, "9 4 {id} {} {}", terms(&element.terms), element.condition.len())?;
            element.condition.iter().try_for_each(|&lit| write!(to, " {}", literal(lit)))?;
            writeln!(to)?;
        }
        for TheoryAtom { atom, name, elements, guard } in &self.atoms {
            let kind = if guard.is_some() { 6 } else { 5 };
            let list = ids(&mut elements.iter().map(|id| id.0), elements.len());
            write!(to, "9 {kind} {} {} {list}", atom.map_or(0, &number), name.0)?;
            match guard {
                Some((operator, term)) => writeln!(to, " {} {}", operator.0, term.0)?,
                None => writeln!(to)?,
            }
        }
        Ok(())
    }
}
