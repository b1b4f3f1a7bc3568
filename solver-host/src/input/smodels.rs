//! The numeric format of smodels and lparse (Syrjänen, "Lparse 1.0 User's Manual", section 5.2; `gringo -o smodels`).
//!
//! Rules up to `0`, the names of atoms up to `0`, atoms that must be true (`B+`) and false (`B-`), each up to `0`, and the
//! number of models. Here: basic rules (type 1); the others are refused by name.
//!
//! The format has no constraints: gringo writes `:- B` as the rule `1 :- B`, with atom 1 in `B-`. So rules of atoms in `B-`
//! are read as constraints, and a program has the same rules in both formats.

use super::lexer::Lexer;
use super::InputError;
use crate::program::{Output, Program, ProgramBuilder};
use solver_gpu::{Lit, Var};
use std::io::Read;

/// Reads what follows white space.
pub fn read<R: Read>(lexer: &mut Lexer<R>) -> Result<Program, InputError> {
    let mut program = ProgramBuilder::default();
    let mut body = Vec::new();
    loop {
        match lexer.integer("the type of a rule", 0, i64::MAX)? {
            0 => break,
            1 => rule(lexer, &mut program, &mut body)?,
            kind => {
                lexer.integer("a number", i64::MIN, i64::MAX)?;
                return Err(lexer.wrong(
                    format!("{} is not supported yet", rule_type(kind)),
                    "yasmin solves normal rules and constraints so far",
                ));
            }
        }
        lexer.end_of_line()?;
    }
    lexer.end_of_line()?;
    loop {
        let atom = lexer.integer("an atom to name, or 0", 0, super::MAX_ATOM as i64)? as u64;
        if atom == 0 {
            break;
        }
        let name = lexer.rest_of_line()?;
        if name.is_empty() {
            return Err(
                lexer.wrong(format!("expected the name of atom {atom}, found the end of the line"), "")
            );
        }
        let condition = vec![Lit::t(program.atom(atom))];
        program.output(Output { name, condition });
        lexer.end_of_line()?;
    }
    lexer.end_of_line()?;
    for atom in compute(lexer, "B+")? {
        let atom = program.atom(atom);
        program.rule(None, &[Lit::f(atom)]).map_err(|error| lexer.wrong(error.to_string(), ""))?;
    }
    // An atom that was not named is false as it is.
    let forbidden: Vec<Var> = compute(lexer, "B-")?.into_iter().filter_map(|a| program.known(a)).collect();
    program.forbid(&forbidden).map_err(|error| lexer.wrong(error.to_string(), ""))?;
    let word = lexer.word()?;
    match word.as_str() {
        "E" => return Err(lexer.wrong("a section of external atoms is not supported yet", "")),
        "" => {
            let found = lexer.describe()?;
            return Err(lexer.wrong(format!("expected the number of models, found {found}"), ""));
        }
        number if number.bytes().all(|b| b.is_ascii_digit()) => {}
        other => return Err(lexer.wrong(format!("expected the number of models, found `{other}`"), "")),
    }
    lexer.end_of_input()?;
    program.build().map_err(|error| lexer.wrong(error.to_string(), ""))
}

/// `1 head literals negative n1 .. p1 ..`
fn rule<R: Read>(
    lexer: &mut Lexer<R>,
    program: &mut ProgramBuilder,
    body: &mut Vec<Lit>,
) -> Result<(), InputError> {
    let head = lexer.atom()?;
    let head = program.atom(head);
    let literals = lexer.length("the number of body literals")?;
    let negative = lexer.length("the number of negative literals")?;
    if negative > literals {
        return Err(lexer.wrong(format!("{negative} of {literals} literals cannot be negative"), ""));
    }
    body.clear();
    for i in 0..literals {
        let atom = lexer.atom()?;
        body.push(Lit::new(program.atom(atom), i >= negative));
    }
    program.rule(Some(head), body).map_err(|error| lexer.wrong(error.to_string(), ""))
}

/// `B+` or `B-`, then a line an atom, then `0`.
fn compute<R: Read>(lexer: &mut Lexer<R>, section: &str) -> Result<Vec<u64>, InputError> {
    let word = lexer.word()?;
    if word != section {
        let found = if word.is_empty() { lexer.describe()? } else { format!("`{word}`") };
        return Err(lexer.wrong(format!("expected `{section}`, found {found}"), ""));
    }
    lexer.end_of_line()?;
    let mut atoms = Vec::new();
    loop {
        let atom = lexer.integer("an atom, or 0", 0, super::MAX_ATOM as i64)? as u64;
        lexer.end_of_line()?;
        if atom == 0 {
            return Ok(atoms);
        }
        atoms.push(atom);
    }
}

/// The name of a rule type that is not read here.
fn rule_type(kind: i64) -> &'static str {
    match kind {
        2 => "a constraint rule (cardinality body)",
        3 => "a choice rule",
        5 => "a weight rule",
        6 => "a minimize statement",
        8 => "a disjunctive rule",
        _ => "a rule of unknown type",
    }
}
