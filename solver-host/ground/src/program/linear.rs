//! Reads theory terms as sums: `2*x(1+1) - y + 3`.
//!
//! Main function: [`linear`]. As for clingo-dl, a variable is named by a symbol, a function or a tuple, whose
//! arguments are evaluated.

use super::theory::{Brackets, Theory, TheoryTerm};
use crate::ids::TermId;

/// A sum of variables with factors, and a number.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Linear {
    /// The number.
    pub constant: i64,
    /// Factors and variables. A variable may occur several times.
    pub terms: Vec<(i64, u32)>,
}

/// Why a term is no sum.
type Wrong = &'static str;

const TOO_LARGE: Wrong = "a number is too large";
const NO_SUM: Wrong = "a term is neither a number nor a variable, nor made of such with +, - and *";
const NO_NUMBER: Wrong = "an operator is applied to what is no number";

/// Reads a term. `node` gives the variable of a name.
pub fn linear(theory: &Theory, term: TermId, node: &mut dyn FnMut(String) -> u32) -> Result<Linear, Wrong> {
    let number = |constant| Ok(Linear { constant, terms: Vec::new() });
    match theory.term(term) {
        TheoryTerm::Number(value) => number(i64::from(*value)),
        TheoryTerm::Symbol(name) => match integer_of(name)? {
            Some(value) => number(value),
            None => Ok(Linear { constant: 0, terms: vec![(1, node(name.clone()))] }),
        },
        TheoryTerm::Sequence(Brackets::Tuple, _) => variable(theory, term, node),
        TheoryTerm::Sequence(..) => Err(NO_SUM),
        TheoryTerm::Function(name, arguments) => match (theory.symbol(*name), &arguments[..]) {
            ("+", &[one]) => linear(theory, one, node),
            ("-", &[one]) => linear(theory, one, node)?.times(-1),
            ("+", &[left, right]) => linear(theory, left, node)?.plus(linear(theory, right, node)?),
            ("-", &[left, right]) => {
                linear(theory, left, node)?.plus(linear(theory, right, node)?.times(-1)?)
            }
            ("*", &[left, right]) => {
                let [left, right] = [linear(theory, left, node)?, linear(theory, right, node)?];
                match (&left.terms[..], &right.terms[..]) {
                    ([], _) => right.times(left.constant),
                    (_, []) => left.times(right.constant),
                    _ => Err("it multiplies variables"),
                }
            }
            (name, _) if is_operator(name) => Err(NO_SUM),
            _ => variable(theory, term, node),
        },
    }
}

fn variable(theory: &Theory, term: TermId, node: &mut dyn FnMut(String) -> u32) -> Result<Linear, Wrong> {
    let name = evaluate(theory, term)?.text();
    Ok(Linear { constant: 0, terms: vec![(1, node(name))] })
}

impl Linear {
    fn times(mut self, factor: i64) -> Result<Linear, Wrong> {
        for number in self.terms.iter_mut().map(|(number, _)| number).chain([&mut self.constant]) {
            *number = number.checked_mul(factor).ok_or(TOO_LARGE)?;
        }
        Ok(self)
    }

    fn plus(mut self, other: Linear) -> Result<Linear, Wrong> {
        self.constant = self.constant.checked_add(other.constant).ok_or(TOO_LARGE)?;
        self.terms.extend(other.terms);
        Ok(self)
    }
}

fn is_operator(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '\'')
}

/// The whole number in a string, if the symbol is a string with a number.
fn integer_of(symbol: &str) -> Result<Option<i64>, Wrong> {
    let text = symbol.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    match text.and_then(|text| text.parse::<f64>().ok()) {
        // Larger numbers have no exact place among these.
        Some(value) if value.fract() == 0.0 && value.abs() < 9e15 => Ok(Some(value as i64)),
        Some(_) => Err("a number in a string is not whole, or is too large"),
        None => Ok(None),
    }
}

/// What an argument of a variable's name is.
enum Value {
    Number(i64),
    /// A symbol or a function.
    Function(String),
    Other(String),
}

impl Value {
    fn text(self) -> String {
        match self {
            Value::Number(number) => number.to_string(),
            Value::Function(text) | Value::Other(text) => text,
        }
    }
}

fn evaluate(theory: &Theory, term: TermId) -> Result<Value, Wrong> {
    let texts = |terms: &[TermId]| -> Result<String, Wrong> {
        let each: Result<Vec<_>, Wrong> =
            terms.iter().map(|&term| evaluate(theory, term).map(Value::text)).collect();
        Ok(each?.join(","))
    };
    let number = |term| match evaluate(theory, term)? {
        Value::Number(number) => Ok(number),
        _ => Err(NO_NUMBER),
    };
    match theory.term(term) {
        TheoryTerm::Number(value) => Ok(Value::Number(i64::from(*value))),
        TheoryTerm::Symbol(name) if name.starts_with('"') => Ok(Value::Other(name.clone())),
        TheoryTerm::Symbol(name) => Ok(Value::Function(name.clone())),
        TheoryTerm::Sequence(Brackets::Tuple, terms) => {
            let comma = if terms.len() == 1 { "," } else { "" };
            Ok(Value::Other(format!("({}{comma})", texts(terms)?)))
        }
        TheoryTerm::Sequence(..) => Err(NO_SUM),
        TheoryTerm::Function(name, arguments) => match (theory.symbol(*name), &arguments[..]) {
            ("-", &[one]) => match evaluate(theory, one)? {
                Value::Number(number) => number.checked_neg().map(Value::Number).ok_or(TOO_LARGE),
                Value::Function(text) => Ok(Value::Function(match text.strip_prefix('-') {
                    Some(text) => text.to_string(),
                    None => format!("-{text}"),
                })),
                Value::Other(_) => Err(NO_NUMBER),
            },
            (operator, &[left, right]) if is_operator(operator) => {
                calculate(operator, number(left)?, number(right)?).map(Value::Number)
            }
            (operator, _) if is_operator(operator) => Err(NO_SUM),
            (name, arguments) => Ok(Value::Function(format!("{name}({})", texts(arguments)?))),
        },
    }
}

fn calculate(operator: &str, left: i64, right: i64) -> Result<i64, Wrong> {
    let value = match operator {
        "+" => left.checked_add(right),
        "-" => left.checked_sub(right),
        "*" => left.checked_mul(right),
        "/" | "\\" if right == 0 => return Err("it divides by 0"),
        "/" => left.checked_div(right),
        "\\" => left.checked_rem(right),
        "**" if right < 0 => return Err("an exponent is negative"),
        "**" => u32::try_from(right).ok().and_then(|right| left.checked_pow(right)),
        _ => return Err(NO_SUM),
    };
    value.ok_or(TOO_LARGE)
}
