//! Theory atoms that a grounder writes, where they are difference constraints.

use std::collections::HashMap;
use yasmin::{Atom, Brackets, Control, Error, Literal, TheoryElement, TheoryTerm};

/// What theory atoms are made of, by the grounder's numbers. With each step these begin anew, and each is
/// told of before it is used.
#[derive(Default)]
pub struct Parts {
    terms: HashMap<u32, TheoryTerm>,
    /// The names of functions, and operators.
    names: HashMap<u32, String>,
    elements: HashMap<u32, TheoryElement>,
}

/// What has a number.
fn known<T: Clone>(of: &HashMap<u32, T>, number: u32) -> Result<T, Error> {
    of.get(&number).cloned().ok_or(Error::Theory("the grounder has not told of a part of a theory atom"))
}

fn all<T: Clone>(of: &HashMap<u32, T>, numbers: &[u32]) -> Result<Vec<T>, Error> {
    numbers.iter().map(|&number| known(of, number)).collect()
}

impl Parts {
    pub fn number(&mut self, control: &mut Control, id: u32, number: i32) {
        self.terms.insert(id, control.add_theory_term_number(number));
        self.names.remove(&id);
    }

    pub fn name(&mut self, control: &mut Control, id: u32, name: String) {
        self.terms.insert(id, control.add_theory_term_string(&name));
        self.names.insert(id, name);
    }

    /// Adds a sequence, whose `kind` is below 0, or a function whose name has that number.
    pub fn compound(
        &mut self,
        control: &mut Control,
        id: u32,
        kind: i32,
        arguments: &[u32],
    ) -> Result<(), Error> {
        let arguments = all(&self.terms, arguments)?;
        let term = match kind {
            -1 => control.add_theory_term_sequence(Brackets::Tuple, &arguments)?,
            -2 => control.add_theory_term_sequence(Brackets::Set, &arguments)?,
            -3 => control.add_theory_term_sequence(Brackets::List, &arguments)?,
            _ => control.add_theory_term_function(&known(&self.names, kind as u32)?, &arguments)?,
        };
        self.terms.insert(id, term);
        self.names.remove(&id);
        Ok(())
    }

    pub fn element(
        &mut self,
        control: &mut Control,
        id: u32,
        terms: &[u32],
        condition: &[Literal],
    ) -> Result<(), Error> {
        let element = control.add_theory_element(&all(&self.terms, terms)?, condition)?;
        self.elements.insert(id, element);
        Ok(())
    }

    /// Adds an atom with a name, elements, and maybe an operator and a term, if it is of clingo-dl's theory. A
    /// directive has no atom, and holds.
    pub fn atom(
        &self,
        control: &mut Control,
        atom: Option<Atom>,
        (name, elements): (u32, &[u32]),
        guard: Option<(u32, u32)>,
    ) -> Result<(), Error> {
        // A propagator may know other theories.
        if !matches!(self.names.get(&name).map(String::as_str), Some("diff" | "__diff_h" | "__diff_b")) {
            return Ok(());
        }
        let (name, elements) = (known(&self.terms, name)?, all(&self.elements, elements)?);
        let added = match guard {
            Some((operator, right)) => {
                let (operator, right) = (known(&self.names, operator)?, known(&self.terms, right)?);
                control.add_theory_atom_with_guard(name, &elements, &operator, right, atom)?
            }
            None => control.add_theory_atom(name, &elements, atom)?,
        };
        match atom {
            Some(_) => Ok(()),
            None => control.rule(&[added], &[]),
        }
    }
}
