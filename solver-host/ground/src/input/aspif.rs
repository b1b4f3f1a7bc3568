//! Reads aspif 1.0, the format that gringo writes (Gebser et al., "Theory Solving Made Easy with Clingo 5",
//! 2016, appendix A).
//!
//! Main functions: [`begin`], which reads a program or the first of several steps, and [`read_step`]. (clingo
//! calls each program `incremental`, also one of a single step.)
//!
//! Invariant: a later step defines only atoms that are new or external, as for clasp.

use super::error::GROUND;
use super::lexer::Lexer;
use super::{InputError, MAX_ATOM};
use crate::ids::{ElementId, TermId};
use crate::program::{
    Brackets, External, Heuristic, Modifier, Output, ProgramBuilder, Size, TheoryAtom, TheoryElement,
    TheoryTerm,
};
use solver_gpu::{Lit, Var};
use std::collections::{HashMap, HashSet};
use std::io::Read;

/// How deep the terms of a theory may be nested: whoever reads them goes down by recursion.
const DEEPEST: u32 = 1000;

/// What a step says besides what it adds to the program.
#[derive(Debug, Default)]
pub struct Step {
    /// Literals that hold in the answer sets of this step.
    pub assumptions: Vec<Lit>,
    /// The external atoms that got a value, or were released.
    pub externals: Vec<Var>,
    /// Whether there are edges of a graph that must have no cycle.
    pub has_edges: bool,
}

/// What the steps before the present one have declared.
#[derive(Debug, Default)]
pub struct Earlier {
    size: Size,
    /// The atoms in heads of rules.
    defined: HashSet<u32>,
}

impl Earlier {
    /// Notes what the program has by now.
    fn note(&mut self, program: &ProgramBuilder) {
        self.defined.extend(program.heads_from(self.size).map(|head| head.0));
        self.size = program.size();
    }
}

/// Reads a program from its header on. White space before the header was skipped. Returns also what the step
/// says besides if there may be further steps. The end of the input is not waited for then.
pub fn begin<R: Read>(lexer: &mut Lexer<R>) -> Result<(ProgramBuilder, Option<Step>), InputError> {
    let is_incremental = header(lexer)?;
    let mut program = ProgramBuilder::default();
    let step = read_statements(lexer, &mut program, &mut Earlier::default(), None)?;
    if is_incremental {
        return Ok((program, Some(step)));
    }
    lexer.end_of_input()?;
    assume(lexer, &mut program, &step)?;
    Ok((program, None))
}

/// Demands what a step assumes of the whole program.
pub fn assume<R: Read>(
    lexer: &Lexer<R>,
    program: &mut ProgramBuilder,
    step: &Step,
) -> Result<(), InputError> {
    let mut assumed = step.assumptions.iter().map(|&lit| program.assume(lit));
    assumed.try_for_each(|assumed| assumed.map_err(|error| lexer.too_large(error)))
}

/// Adds the next step to a program. Its first statement is of that kind, which was read already.
pub fn read_step<R: Read>(
    lexer: &mut Lexer<R>,
    program: &mut ProgramBuilder,
    earlier: &mut Earlier,
    kind: i64,
) -> Result<Step, InputError> {
    earlier.note(program);
    read_statements(lexer, program, earlier, Some(kind))
}

/// The kind of the next statement that is no comment; none at the end of the input.
pub fn next_kind<R: Read>(lexer: &mut Lexer<R>) -> Result<Option<i64>, InputError> {
    while lexer.first()?.is_some() {
        match kind(lexer)? {
            COMMENT => lexer.skip_line()?,
            kind => return Ok(Some(kind)),
        }
    }
    Ok(None)
}

/// The kind of a comment.
const COMMENT: i64 = 10;

fn kind<R: Read>(lexer: &mut Lexer<R>) -> Result<i64, InputError> {
    lexer.skip_blank_lines()?;
    lexer.integer("the kind of a statement", 0, i64::MAX)
}

/// Reads statements to the end of the step. The kind of the first may have been read already.
fn read_statements<R: Read>(
    lexer: &mut Lexer<R>,
    program: &mut ProgramBuilder,
    earlier: &mut Earlier,
    first: Option<i64>,
) -> Result<Step, InputError> {
    let (literals, terms, elements) = (Vec::new(), HashMap::new(), HashMap::new());
    let step = Step::default();
    let mut reader = Reader { lexer, program, step, earlier, literals, terms, elements, depth: 0 };
    let mut next = first;
    loop {
        let kind = next.take().map_or_else(|| kind(reader.lexer), Ok)?;
        if !reader.statement(kind)? {
            return Ok(reader.step);
        }
    }
}

/// Reads the first line. Returns whether the program may have several steps.
fn header<R: Read>(lexer: &mut Lexer<R>) -> Result<bool, InputError> {
    let word = lexer.word()?;
    if word != "asp" {
        let what = format!("expected `asp` or a number at the beginning, found `{word}`");
        let is_like = word.to_ascii_lowercase().starts_with("as") && lexer.is_at_number();
        let remedy = "the first line of aspif is `asp 1 0 0`";
        return Err(lexer.wrong(what, if is_like { remedy } else { GROUND }));
    }
    let major = lexer.length("aspif's major version")?;
    let minor = lexer.length("aspif's minor version")?;
    lexer.length("aspif's revision")?;
    if (major, minor) != (1, 0) {
        return Err(lexer.wrong(format!("aspif {major}.{minor}, and only 1.0 is known"), "use gringo 5"));
    }
    match lexer.word()?.as_str() {
        "" => lexer.end_of_line().map(|()| false),
        "incremental" => lexer.end_of_line().map(|()| true),
        tag => Err(lexer.wrong(format!("the tag `{tag}` of aspif is unknown"), "use gringo 5")),
    }
}

struct Reader<'a, 'n, R> {
    lexer: &'a mut Lexer<'n, R>,
    program: &'a mut ProgramBuilder,
    step: Step,
    earlier: &'a Earlier,
    /// The literals of one list, kept to reuse the memory.
    literals: Vec<Lit>,
    /// The terms of theory atoms, each with how deep it is nested, and the elements, by their numbers in the
    /// input.
    terms: HashMap<u64, (TermId, u32)>,
    elements: HashMap<u64, ElementId>,
    /// How deep the deepest term is that the present statement has named.
    depth: u32,
}

impl<R: Read> Reader<'_, '_, R> {
    /// Reads the rest of a statement of that kind. Returns false for the last one, `0`.
    fn statement(&mut self, kind: i64) -> Result<bool, InputError> {
        match kind {
            0 => {}
            1 => self.rule()?,
            2 => self.minimize()?,
            3 => {
                let atoms = self.atoms("the number of atoms to project on")?;
                self.program.project(&atoms);
            }
            4 => {
                let length = self.lexer.length("the length of a string")?;
                let name = self.lexer.string(length)?;
                self.conjunction()?;
                self.program.output(Output { name, condition: self.literals.clone() });
            }
            5 => self.external()?,
            6 => {
                self.conjunction()?;
                self.step.assumptions.extend_from_slice(&self.literals);
            }
            7 => self.heuristic()?,
            8 => {
                let [from, to] = [self.number("a node")?, self.number("a node")?];
                self.conjunction()?;
                self.step.has_edges = true;
                let added = self.program.edge(from, to, &self.literals);
                added.map_err(|error| self.lexer.too_large(error))?;
            }
            9 => self.theory_statement()?,
            COMMENT => self.lexer.skip_line()?,
            kind => return Err(self.lexer.wrong(format!("unknown statement {kind}"), "use gringo 5")),
        }
        self.lexer.end_of_line()?;
        Ok(kind != 0)
    }

    /// Reads `H m a1 .. am B`: the kind of a head, its atoms and a body.
    fn rule(&mut self) -> Result<(), InputError> {
        let is_choice = self.lexer.integer("the kind of a head", 0, 1)? == 1;
        let mut heads = Vec::new();
        for _ in 0..self.lexer.length("the number of head atoms")? {
            let number = self.lexer.atom()?;
            heads.extend(self.declared(number, true)?);
        }
        self.body()?;
        let (program, body) = (&mut *self.program, &self.literals);
        let added = if is_choice { program.choice(&heads, body) } else { program.disjunction(&heads, body) };
        added.map_err(|error| self.lexer.too_large(error))
    }

    /// Reads a body: `0 n l1 .. ln`, or `1 bound n l1 w1 .. ln wn`, which gets an atom that stands for it.
    fn body(&mut self) -> Result<(), InputError> {
        if self.lexer.integer("the kind of a body", 0, 1)? == 0 {
            return self.conjunction();
        }
        let bound = self.lexer.integer("a bound", i64::MIN, i64::MAX)?;
        let lits = self.weighted(0)?;
        let sum = self.program.sum(bound, lits).map_err(|error| self.lexer.too_large(error))?;
        self.literals.clear();
        self.literals.push(Lit::t(sum));
        Ok(())
    }

    /// Reads `priority n l1 w1 .. ln wn`, a minimize statement.
    fn minimize(&mut self) -> Result<(), InputError> {
        let priority = self.number("a priority")? as i32;
        let lits = self.weighted(-i64::MAX)?;
        self.program.minimize(priority, &lits).map_err(|error| self.lexer.too_large(error))
    }

    /// Reads `atom value`, an external. The atom 0 is what gringo writes if a script gives a value to, or
    /// releases, what there is no atom for: clingo does nothing then.
    fn external(&mut self) -> Result<(), InputError> {
        let number = self.lexer.integer("an atom", 0, MAX_ATOM as i64)? as u64;
        let value = match self.lexer.integer("the value of an external atom", 0, 3)? {
            0 => External::Free,
            1 => External::True,
            2 => External::False,
            _ => External::Release,
        };
        if number == 0 {
            return Ok(());
        }
        let known = self.program.known(number).filter(|_| value == External::Release);
        if let Some(atom) = known.map_or_else(|| self.declared(number, false), |known| Ok(Some(known)))? {
            self.program.external(atom, value);
            self.step.externals.push(atom);
        }
        Ok(())
    }

    /// The atom that the step defines by a rule (`is_head`) or makes external. `None` for an atom that an
    /// earlier step has made false for good. An atom that an earlier step has released comes again as another
    /// one, as for clingo: what was said of it before is about an atom that is false.
    fn declared(&mut self, number: u64, is_head: bool) -> Result<Option<Var>, InputError> {
        let atom = self.program.atom(number);
        if atom.0 >= self.earlier.size.atoms {
            return Ok(Some(atom));
        }
        match self.earlier.defined.contains(&atom.0) {
            true if is_head => {
                let what = format!("the atom {number} is defined again, which an earlier step has defined");
                Err(self.lexer.wrong(what, "define each atom in one step"))
            }
            false if self.program.is_released(atom) && !self.step.externals.contains(&atom) => {
                Ok(Some(self.program.renumbered(number)))
            }
            is_defined => Ok(Some(atom).filter(|&atom| is_defined || self.program.is_external(atom))),
        }
    }

    /// Reads `modifier atom bias priority n l1 .. ln`, a heuristic directive.
    fn heuristic(&mut self) -> Result<(), InputError> {
        let modifier = match self.lexer.integer("a heuristic modifier", 0, 5)? {
            0 => Modifier::Level,
            1 => Modifier::Sign,
            2 => Modifier::Factor,
            3 => Modifier::Init,
            4 => Modifier::True,
            _ => Modifier::False,
        };
        let atom = self.atom()?;
        let bias = self.number("a heuristic bias")? as i32;
        let priority = self.lexer.integer("a heuristic priority", 0, i32::MAX as i64)? as u32;
        self.conjunction()?;
        let condition = self.literals.clone();
        self.program.heuristic(Heuristic { atom, modifier, bias, priority, condition });
        Ok(())
    }

    /// Reads what follows a 9: a term, an element, or an atom of a theory.
    fn theory_statement(&mut self) -> Result<(), InputError> {
        let kind = self.lexer.integer("the kind of a theory statement", 0, 6)?;
        if kind >= 5 {
            return self.theory_atom(kind == 6);
        }
        let id = self.lexer.length("the number of a theory term")?;
        self.depth = 0;
        if kind == 4 {
            let terms = self.terms("the number of terms")?;
            self.conjunction()?;
            let condition = self.literals.clone();
            let element = self.program.theory_element(TheoryElement { terms, condition });
            let is_known = self.elements.insert(id, element).is_some();
            return self.is_new(id, is_known);
        }
        let term = match kind {
            0 => TheoryTerm::Number(self.number("a number of a theory")? as i32),
            1 => {
                let length = self.lexer.length("the length of a string")?;
                TheoryTerm::Symbol(self.lexer.string(length)?)
            }
            2 => match self.lexer.integer("the kind of a compound term", -3, u32::MAX as i64)? {
                -1 => TheoryTerm::Sequence(Brackets::Tuple, self.terms("the number of terms")?),
                -2 => TheoryTerm::Sequence(Brackets::Set, self.terms("the number of terms")?),
                -3 => TheoryTerm::Sequence(Brackets::List, self.terms("the number of terms")?),
                name => {
                    let name = self.known_term(name as u64)?;
                    TheoryTerm::Function(name, self.terms("the number of arguments")?)
                }
            },
            _ => return Err(self.lexer.wrong("unknown theory statement 3", "use gringo 5")),
        };
        let depth = self.depth + 1;
        if depth > DEEPEST {
            let remedy = "write long sums as several atoms";
            return Err(self
                .lexer
                .wrong(format!("terms of a theory are nested deeper than {DEEPEST}"), remedy));
        }
        let term = self.program.theory_term(term);
        let is_known = self.terms.insert(id, (term, depth)).is_some();
        self.is_new(id, is_known)
    }

    /// Reads `atom name n e1 .. en`, and an operator and a term if `is_guarded`.
    fn theory_atom(&mut self, is_guarded: bool) -> Result<(), InputError> {
        // A directive has no atom.
        let number = self.lexer.integer("an atom", 0, MAX_ATOM as i64)? as u64;
        let atom = (number > 0).then(|| self.program.atom(number));
        let name = self.lexer.length("a theory term")?;
        let name = self.known_term(name)?;
        let mut elements = Vec::new();
        for _ in 0..self.lexer.length("the number of elements")? {
            let id = self.lexer.length("a theory element")?;
            let Some(&element) = self.elements.get(&id) else {
                return Err(self.lexer.wrong(format!("no theory element has the number {id}"), ""));
            };
            elements.push(element);
        }
        let mut part = || {
            let id = self.lexer.length("a theory term")?;
            self.known_term(id)
        };
        let guard = if is_guarded { Some((part()?, part()?)) } else { None };
        self.program.theory_atom(TheoryAtom { atom, name, elements, guard });
        Ok(())
    }

    /// Reads `n t1 .. tn`, a list of theory terms.
    fn terms(&mut self, what: &str) -> Result<Vec<TermId>, InputError> {
        let mut terms = Vec::new();
        for _ in 0..self.lexer.length(what)? {
            let id = self.lexer.length("a theory term")?;
            terms.push(self.known_term(id)?);
        }
        Ok(terms)
    }

    fn known_term(&mut self, id: u64) -> Result<TermId, InputError> {
        let Some(&(term, depth)) = self.terms.get(&id) else {
            let what = format!("no theory term has the number {id}");
            return Err(self.lexer.wrong(what, "terms come before what has them"));
        };
        self.depth = self.depth.max(depth);
        Ok(term)
    }

    fn is_new(&self, id: u64, is_known: bool) -> Result<(), InputError> {
        match is_known {
            true => Err(self.lexer.wrong(format!("a second theory term or element has the number {id}"), "")),
            false => Ok(()),
        }
    }

    /// Reads `n l1 .. ln` into the reused list.
    fn conjunction(&mut self) -> Result<(), InputError> {
        self.literals.clear();
        for _ in 0..self.lexer.length("a number of literals")? {
            let literal = self.literal()?;
            self.literals.push(literal);
        }
        Ok(())
    }

    /// Reads `n l1 w1 .. ln wn`, with weights of at least `least`.
    fn weighted(&mut self, least: i64) -> Result<Vec<(Lit, i64)>, InputError> {
        let mut lits = Vec::new();
        for _ in 0..self.lexer.length("a number of literals")? {
            let literal = self.literal()?;
            lits.push((literal, self.lexer.integer("a weight", least, i64::MAX)?));
        }
        Ok(lits)
    }

    fn literal(&mut self) -> Result<Lit, InputError> {
        let literal = self.lexer.integer("a literal", -(MAX_ATOM as i64), MAX_ATOM as i64)?;
        if literal == 0 {
            return Err(self.lexer.wrong("0 is no literal", ""));
        }
        Ok(Lit::new(self.program.atom(literal.unsigned_abs()), literal > 0))
    }

    /// Reads `n a1 .. an`, a list of atoms.
    fn atoms(&mut self, what: &str) -> Result<Vec<Var>, InputError> {
        let mut atoms = Vec::new();
        for _ in 0..self.lexer.length(what)? {
            atoms.push(self.atom()?);
        }
        Ok(atoms)
    }

    fn atom(&mut self) -> Result<Var, InputError> {
        Ok(self.program.atom(self.lexer.atom()?))
    }

    /// Reads a signed number of 32 bits.
    fn number(&mut self, what: &str) -> Result<i64, InputError> {
        self.lexer.integer(what, i32::MIN as i64, i32::MAX as i64)
    }
}

#[cfg(test)]
mod tests;
