//! Reads propositional formulas in DIMACS CNF, the format of the SAT competitions, as clasp reads them.
//!
//! Main function: [`read`]. The format states a formula by disjunctions of literals. A disjunction is the
//! nogood of its complements, so it becomes a constraint, and each variable becomes an atom that may be chosen
//! freely. The answer sets of the program are the models of the formula, over all variables that the header
//! counts.
//!
//! Invariant: the variable `n` is the atom `Var(n - 1)`. The numbers of the header decide how many atoms there
//! are, as each variable is a part of each model, but the atoms are made after everything was read.

use std::io::Read;

use solver_gpu::{Lit, Var};

use super::error::GROUND;
use super::lexer::Lexer;
use super::{InputError, MAX_ATOM};
use crate::program::{Output, ProgramBuilder};

/// Whether an input that begins with that byte may be in DIMACS. A `*` begins a pseudo-Boolean formula, which
/// is refused by name.
pub fn may_begin_with(byte: u8) -> bool {
    matches!(byte, b'c' | b'p' | b'*')
}

/// The formats of the problem line `p FORMAT ..`. All but the first are refused by name.
pub const FORMATS: [&str; 7] = ["cnf", "wcnf", "cnf+", "wcnf+", "pcnf", "gcnf", "inccnf"];

const HEADER: &str = "the line `p cnf VARIABLES CLAUSES` begins a formula in DIMACS";

/// Reads a formula. White space before its first line was skipped.
pub fn read<R: Read>(lexer: &mut Lexer<R>) -> Result<ProgramBuilder, InputError> {
    let variables = header(lexer)?;
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
        program.rule(None, &nogood).map_err(|error| lexer.too_many(error))?;
        nogood.clear();
    }
    let atoms: Vec<Var> = (0..variables).map(|_| program.hidden()).collect();
    program.choice(&atoms, &[]).map_err(|error| lexer.too_many(error))?;
    for (atom, number) in atoms.iter().zip(1..) {
        program.output(Output { name: number.to_string(), condition: vec![Lit::t(*atom)] });
        program.negation(format!("-{number}"));
    }
    Ok(program)
}

const CUT_OFF: &str = "each disjunction of literals ends with 0; is the file cut off?";

fn variable(number: u64) -> Var {
    // At most `MAX_ATOM`, which fits.
    Var(number as u32 - 1)
}

/// Reads comments and the problem line. Returns the number of variables.
fn header<R: Read>(lexer: &mut Lexer<R>) -> Result<u64, InputError> {
    while lexer.first()? == Some(b'c') {
        lexer.skip_line()?;
    }
    let word = lexer.word()?;
    match word.as_str() {
        "p" => {}
        "*" => {
            let what = "a pseudo-Boolean formula (OPB), and yasmin does not read these";
            return Err(lexer.wrong(what, "write the formula as a logic program, with `#sum`"));
        }
        _ => {
            let found = if word.is_empty() { lexer.describe()? } else { format!("`{word}`") };
            let what =
                format!("this is no ground program, in aspif, smodels or DIMACS format: found {found}");
            return Err(lexer.wrong(what, GROUND));
        }
    }
    match lexer.word()?.as_str() {
        "cnf" => {}
        "wcnf" => {
            let what = "a formula with weights (MaxSAT, `p wcnf`), and yasmin does not read these";
            return Err(lexer.wrong(what, "write the formula as a logic program, with `#minimize`"));
        }
        format if FORMATS.contains(&format) => {
            let what = format!("the format `p {format}`, and of DIMACS yasmin reads `p cnf` alone");
            return Err(lexer.wrong(what, "write the formula as a logic program"));
        }
        _ => {
            let what = "this is no ground program, in aspif, smodels or DIMACS format";
            return Err(lexer.wrong(what, GROUND));
        }
    }
    let counted = |error: InputError| error.with_remedy(HEADER);
    let variables = lexer.integer("the number of variables", 0, MAX_ATOM as i64)?;
    lexer.integer("the number of clauses", 0, i64::MAX).map_err(counted)?;
    lexer.end_of_line().map_err(counted)?;
    Ok(variables as u64)
}

#[cfg(test)]
mod tests;
