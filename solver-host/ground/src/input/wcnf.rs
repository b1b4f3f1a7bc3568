//! Reads formulas with weights in WCNF, the format of the MaxSAT evaluations: the older one with the line `p
//! wcnf`, as clasp reads it, and the one since 2022 without a line before the disjunctions.
//!
//! Main function: [`read`]. A hard disjunction is a constraint, as in DIMACS CNF. A soft one costs its weight
//! if it is violated, and the costs are minimized.
//!
//! Invariant: the variable `n` is the atom `Var(n - 1)`, and the atoms of violated disjunctions come after
//! all variables.

use std::io::Read;

use solver_gpu::{Lit, Var};

use super::dimacs::{no_program, variable, with_variables, CUT_OFF};
use super::lexer::Lexer;
use super::{InputError, MAX_ATOM};
use crate::program::{add_weight, ProgramBuilder, MOST_WIDE};

/// The weights of a formula's disjunctions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weights {
    /// A weight begins each disjunction.
    Written {
        /// The weight from which a disjunction is hard; none if none is.
        top: Option<i128>,
    },
    /// None is written, and each disjunction is soft and weighs 1.
    Ones,
}

/// Reads the disjunctions of a formula. A problem line says how many variables there are. Without a problem
/// line, hard disjunctions begin with `h`. If there are none either, the formula may as well be in DIMACS CNF and
/// have lost its problem line, so that `is_maxsat` has to say that its weights are weights.
///
/// # Errors
/// If the text is no such formula, or its numbers are too large. The error names the line.
pub fn read<R: Read>(
    lexer: &mut Lexer<R>,
    said: Option<u64>,
    weights: Weights,
    is_maxsat: bool,
) -> Result<ProgramBuilder, InputError> {
    let most = said.unwrap_or(MAX_ATOM) as i64;
    let mut program = ProgramBuilder::default();
    let mut soft: Vec<(i128, Vec<Lit>)> = Vec::new();
    let mut all = 0;
    let mut variables = said.unwrap_or(0);
    let mut is_wcnf = is_maxsat || said.is_some();
    loop {
        let weight = match lexer.first()? {
            None => break,
            Some(b'c') => {
                lexer.skip_line()?;
                continue;
            }
            Some(b'h') if said.is_none() => match lexer.word()?.as_str() {
                "h" => {
                    is_wcnf = true;
                    None
                }
                word => return Err(no_program(lexer, word)?),
            },
            Some(b'-') if !is_wcnf => return Err(without_header(lexer)),
            Some(_) => match weights {
                Weights::Written { top } => weight(lexer, top)?,
                Weights::Ones => Some(1),
            },
        };
        let mut nogood: Vec<Lit> = Vec::new();
        loop {
            if lexer.first()?.is_none() {
                return Err(lexer.wrong("expected a literal or 0, found the end of the input", CUT_OFF));
            }
            let literal = lexer.integer("a literal or 0", -most, most)?;
            if literal == 0 {
                break;
            }
            variables = variables.max(literal.unsigned_abs());
            nogood.push(!Lit::new(variable(literal.unsigned_abs()), literal > 0));
        }
        match weight {
            None => program.rule(None, &nogood).map_err(|error| lexer.too_large(error))?,
            // A disjunction with a literal and its complement is never violated.
            Some(_) if nogood.iter().any(|&lit| nogood.contains(&!lit)) => {}
            Some(weight) => {
                all = add_weight(all, weight).map_err(|error| lexer.too_large(error))?;
                soft.push((weight, nogood));
            }
        }
    }
    if !is_wcnf {
        return Err(without_header(lexer));
    }
    let mut program = with_variables(lexer, program, variables)?;
    let mut costs: Vec<(Lit, i128)> = Vec::with_capacity(soft.len());
    for (weight, nogood) in soft {
        let violated = match nogood[..] {
            [one] => one,
            _ => {
                let atom: Var = program.hidden();
                program.rule(Some(atom), &nogood).map_err(|error| lexer.too_large(error))?;
                Lit::t(atom)
            }
        };
        costs.push((violated, weight));
    }
    // Without soft disjunctions every model costs 0.
    program.minimize_wide(&costs).map_err(|error| lexer.too_large(error))?;
    Ok(program)
}

/// An error that says that a formula has neither a problem line nor hard disjunctions.
fn without_header<R: Read>(lexer: &Lexer<R>) -> InputError {
    let what = "a formula without a line `p cnf` or `p wcnf`, and without hard disjunctions (`h`)";
    let remedy =
        "begin DIMACS CNF with the line `p cnf VARIABLES CLAUSES`; for WCNF without hard disjunctions give \
        --parse-maxsat, or call the file .wcnf";
    lexer.wrong(what, remedy)
}

/// The weight of a soft disjunction; none of a hard one.
fn weight<R: Read>(lexer: &mut Lexer<R>, top: Option<i128>) -> Result<Option<i128>, InputError> {
    let weight = lexer.wide("a weight")?;
    match top.is_some_and(|top| weight >= top) {
        true => Ok(None),
        false => lexer.in_range("a weight", weight, 1, MOST_WIDE).map(Some),
    }
}

#[cfg(test)]
mod tests;
