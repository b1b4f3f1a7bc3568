//! aspif, what gringo writes (Gebser et al., "Theory Solving Made Easy with Clingo 5", 2016, appendix A).
//!
//! Here: normal rules, constraints and facts (`1 0`), output (`4`), comments (`10`). Everything else is refused by name.

use super::lexer::Lexer;
use super::{InputError, MAX_ATOM};
use crate::program::{Output, Program, ProgramBuilder};
use solver_gpu::Lit;
use std::io::Read;

/// Reads what follows white space, from the header on.
pub fn read<R: Read>(lexer: &mut Lexer<R>) -> Result<Program, InputError> {
    header(lexer)?;
    let mut program = ProgramBuilder::default();
    let mut literals = Vec::new();
    loop {
        match lexer.integer("the kind of a statement", 0, i64::MAX)? {
            0 => break,
            1 => rule(lexer, &mut program, &mut literals)?,
            4 => {
                let length = lexer.length("the length of a string")?;
                let name = lexer.string(length)?;
                read_literals(lexer, &mut program, &mut literals)?;
                program.output(Output { name, condition: literals.clone() });
            }
            10 => lexer.skip_line()?,
            kind => return Err(unsupported(lexer, statement(kind))),
        }
        lexer.end_of_line()?;
    }
    lexer.end_of_line()?;
    lexer.end_of_input()?;
    program.build().map_err(|error| lexer.wrong(error.to_string(), ""))
}

fn header<R: Read>(lexer: &mut Lexer<R>) -> Result<(), InputError> {
    let word = lexer.word()?;
    if word != "asp" {
        return Err(lexer
            .wrong(format!("expected `asp` or a number at the beginning, found `{word}`"), super::GROUND));
    }
    let major = lexer.length("aspif's major version")?;
    let minor = lexer.length("aspif's minor version")?;
    lexer.length("aspif's revision")?;
    if (major, minor) != (1, 0) {
        return Err(lexer.wrong(format!("aspif {major}.{minor}, and only 1.0 is known"), "use gringo 5"));
    }
    match lexer.word()?.as_str() {
        "" => lexer.end_of_line(),
        tag => Err(unsupported(lexer, &format!("the tag `{tag}` (a program in parts)"))),
    }
}

/// `1 H m a1 .. am B n l1 .. ln`
fn rule<R: Read>(
    lexer: &mut Lexer<R>,
    program: &mut ProgramBuilder,
    literals: &mut Vec<Lit>,
) -> Result<(), InputError> {
    if lexer.integer("the kind of a head", 0, 1)? == 1 {
        return Err(unsupported(lexer, "a choice rule"));
    }
    let heads = lexer.length("the number of head atoms")?;
    if heads > 1 {
        return Err(unsupported(lexer, "a disjunctive rule"));
    }
    let head = match heads {
        0 => None,
        _ => Some(lexer.atom()?),
    };
    let head = head.map(|atom| program.atom(atom));
    if lexer.integer("the kind of a body", 0, 1)? == 1 {
        return Err(unsupported(lexer, "a rule with a weight body"));
    }
    read_literals(lexer, program, literals)?;
    program.rule(head, literals).map_err(|error| lexer.wrong(error.to_string(), ""))
}

/// `n l1 .. ln`
fn read_literals<R: Read>(
    lexer: &mut Lexer<R>,
    program: &mut ProgramBuilder,
    literals: &mut Vec<Lit>,
) -> Result<(), InputError> {
    literals.clear();
    for _ in 0..lexer.length("a number of literals")? {
        let literal = lexer.integer("a literal", -(MAX_ATOM as i64), MAX_ATOM as i64)?;
        if literal == 0 {
            return Err(lexer.wrong("0 is no literal", ""));
        }
        let atom = program.atom(literal.unsigned_abs());
        literals.push(Lit::new(atom, literal > 0));
    }
    Ok(())
}

/// The name of a statement that is not read here.
fn statement(kind: i64) -> &'static str {
    match kind {
        2 => "a minimize statement",
        3 => "a projection statement",
        5 => "an external statement",
        6 => "an assumption statement",
        7 => "a heuristic statement",
        8 => "an edge statement",
        9 => "a theory statement",
        _ => "a statement of unknown kind",
    }
}

fn unsupported<R: Read>(lexer: &Lexer<R>, what: &str) -> InputError {
    lexer.wrong(format!("{what} is not supported yet"), "yasmin solves normal rules and constraints so far")
}
