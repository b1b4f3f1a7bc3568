//! Reads propositional formulas in DIMACS CNF, the format of the SAT competitions, as clasp reads them.
//!
//! Main functions: [`header`], which also tells formulas with weights by their beginning, and [`read`]. The
//! format states a formula by disjunctions of literals. A disjunction is the nogood of its complements, so it
//! becomes a constraint, and each variable becomes an atom that may be chosen freely. The answer sets of the
//! program are the models of the formula, over all variables that the header counts.
//!
//! Invariant: the variable `n` is the atom `Var(n - 1)`. The numbers of the header decide how many atoms
//! there are, as each variable is a part of each model, but the atoms are made after everything was read.

use std::io::Read;

use solver_gpu::{Lit, Var};

use super::error::GROUND;
use super::lexer::{shown, Lexer};
use super::{InputError, MAX_ATOM};
use crate::program::{Output, ProgramBuilder};

/// Whether an input that begins with that byte may be in DIMACS, or in WCNF without a line `p wcnf`.
pub fn may_begin_with(byte: u8) -> bool {
    matches!(byte, b'c' | b'p' | b'h')
}

/// What the beginning of a formula says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Header {
    /// A formula with so many variables.
    Cnf(u64),
    /// A formula whose disjunctions have weights.
    Weighted {
        /// How many variables there are; none if that is not said.
        variables: Option<u64>,
        /// The weight from which a disjunction is hard; none if none is.
        top: Option<i128>,
    },
}

/// The formats of the problem line `p FORMAT ..`. All but the first two are refused by name.
pub const FORMATS: [&str; 7] = ["cnf", "wcnf", "cnf+", "wcnf+", "pcnf", "gcnf", "inccnf"];

const HEADER: &str = "the line `p cnf VARIABLES CLAUSES` begins a formula in DIMACS";

/// Reads the disjunctions of a formula with so many variables.
pub fn read<R: Read>(lexer: &mut Lexer<R>, variables: u64) -> Result<ProgramBuilder, InputError> {
    let mut program = ProgramBuilder::default();
    // The complements of a disjunction's literals, kept to reuse the memory.
    let mut nogood: Vec<Lit> = Vec::new();
    // The line of the last literal, or of the 0 after them.
    let mut line = lexer.line();
    loop {
        match lexer.first()? {
            None if nogood.is_empty() => break,
            None => return Err(lexer.wrong("expected a literal or 0, found the end of the input", CUT_OFF)),
            // A comment has a line of its own, or comes after a 0.
            Some(b'c') if nogood.is_empty() || lexer.line() > line => {
                lexer.skip_line()?;
                continue;
            }
            // The formulas of a well-known collection end so.
            Some(b'%') if nogood.is_empty() => break,
            Some(b'a' | b'e') if nogood.is_empty() => {
                let remedy =
                    "yasmin reads formulas without quantifiers; write the formula as a logic program";
                return Err(lexer.wrong("a quantifier (QDIMACS)", remedy));
            }
            Some(_) => {}
        }
        let literal = lexer.integer("a literal or 0", -(variables as i64), variables as i64)?;
        line = lexer.line();
        if literal != 0 {
            nogood.push(!Lit::new(variable(literal.unsigned_abs()), literal > 0));
            continue;
        }
        program.rule(None, &nogood).map_err(|error| lexer.too_large(error))?;
        nogood.clear();
    }
    with_variables(lexer, program, variables)
}

/// The program with an atom for each variable. No other atom was added before.
pub fn with_variables<R: Read>(
    lexer: &mut Lexer<R>,
    mut program: ProgramBuilder,
    variables: u64,
) -> Result<ProgramBuilder, InputError> {
    let atoms: Vec<Var> = (0..variables).map(|_| program.hidden()).collect();
    program.choice(&atoms, &[]).map_err(|error| lexer.too_large(error))?;
    for (atom, number) in atoms.iter().zip(1..) {
        program.output(Output { name: number.to_string(), condition: vec![Lit::t(*atom)] });
        program.negation(format!("-{number}"));
    }
    Ok(program)
}

/// The remedy for a formula that ends within a disjunction.
pub const CUT_OFF: &str = "each disjunction of literals ends with 0; is the file cut off?";

/// The atom of a variable, from 1 to [`MAX_ATOM`].
pub fn variable(number: u64) -> Var {
    // At most `MAX_ATOM`, which fits.
    Var(number as u32 - 1)
}

/// An error that says that the input is none of those that are read, and shows `word` or what comes next.
pub fn no_program<R: Read>(lexer: &mut Lexer<R>, word: &str) -> Result<InputError, InputError> {
    let found = if word.is_empty() { lexer.describe()? } else { format!("`{word}`") };
    let what = format!("this is no ground program, in aspif, smodels or DIMACS format: found {found}");
    Ok(lexer.wrong(what, GROUND))
}

/// Reads comments and the problem line.
pub fn header<R: Read>(lexer: &mut Lexer<R>) -> Result<Header, InputError> {
    while lexer.first()? == Some(b'c') {
        lexer.skip_line()?;
    }
    // Without a problem line, the first disjunction comes.
    if let Some(b'h' | b'-' | b'0'..=b'9') = lexer.first()? {
        return Ok(Header::Weighted { variables: None, top: None });
    }
    let word = lexer.word()?;
    if word != "p" {
        return Err(no_program(lexer, &word)?);
    }
    let is_weighted = match lexer.word()?.as_str() {
        "cnf" => false,
        "wcnf" => true,
        format if FORMATS.contains(&format) => {
            let what = format!("the format `p {format}`, and yasmin reads `p cnf` and `p wcnf` alone");
            return Err(lexer.wrong(what, "write the formula as a logic program"));
        }
        _ => {
            let what = "this is no ground program, in aspif, smodels or DIMACS format";
            return Err(lexer.wrong(what, GROUND));
        }
    };
    let counted = |error: InputError| error.with_remedy(HEADER);
    let variables = lexer.integer("the number of variables", 0, MAX_ATOM as i64)?;
    lexer.integer("the number of clauses", 0, i64::MAX).map_err(counted)?;
    let variables = variables as u64;
    let top = match is_weighted && lexer.is_at_number_on_line()? {
        true => match lexer.wide("the weight of hard clauses")? {
            top @ 1.. => Some(top),
            top => {
                let what = format!("the weight of hard clauses is out of range: {}", shown(top));
                return Err(lexer.wrong(what, "it must be a number from 1"));
            }
        },
        false => None,
    };
    lexer.end_of_line().map_err(counted)?;
    Ok(match is_weighted {
        true => Header::Weighted { variables: Some(variables), top },
        false => Header::Cnf(variables),
    })
}

#[cfg(test)]
mod tests;
