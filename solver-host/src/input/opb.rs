//! Reads pseudo-Boolean formulas in OPB, the format of the pseudo-Boolean competitions, as clasp reads them:
//! linear ones, products of literals, and soft constraints (WBO). `<=` is read besides, which clasp refuses.
//!
//! Main function: [`read`]. A constraint is a weight constraint that must hold. Each variable becomes an atom
//! that may be chosen freely, and a product of literals an atom that holds if all of them do. `min:` becomes
//! a minimize statement, and so do the weights of violated soft constraints.
//!
//! Invariant: the variable `n` is the atom `Var(n - 1)`. The first line says how many variables there are, as
//! each variable is a part of each model.

use std::collections::HashMap;
use std::io::Read;

use solver_gpu::{Lit, Var};

use super::lexer::Lexer;
use super::{InputError, MAX_ATOM};
use crate::program::{Output, ProgramBuilder};

/// The largest absolute value of a coefficient.
const MOST: i64 = i32::MAX as i64;

const HEADER: &str =
    "a formula in OPB begins with the line `* #variable= VARIABLES #constraint= CONSTRAINTS`";

/// Reads a formula. White space before its first line was skipped.
///
/// # Errors
/// If the text is no formula in OPB, or its numbers are too large. The error names the line.
pub fn read<R: Read>(lexer: &mut Lexer<R>) -> Result<ProgramBuilder, InputError> {
    let variables = header(lexer)?;
    let mut program = ProgramBuilder::default();
    let atoms: Vec<Var> = (0..variables).map(|_| program.hidden()).collect();
    let mut formula = Formula { lexer, program, variables, products: HashMap::new(), violated: Vec::new() };
    formula.statements()?;
    let Formula { lexer, mut program, .. } = formula;
    program.choice(&atoms, &[]).map_err(|error| lexer.too_large(error))?;
    for (atom, number) in atoms.iter().zip(1..) {
        program.output(Output { name: format!("x{number}"), condition: vec![Lit::t(*atom)] });
        program.negation(format!("-x{number}"));
    }
    Ok(program)
}

/// Reads the first line. Returns the number of variables.
fn header<R: Read>(lexer: &mut Lexer<R>) -> Result<u64, InputError> {
    let (star, word) = (lexer.word()?, lexer.word()?);
    if star != "*" || word != "#variable=" {
        return Err(lexer.wrong("the number of variables is missing", HEADER));
    }
    let variables = lexer.integer("the number of variables", 0, MAX_ATOM as i64)?;
    lexer.skip_line()?;
    Ok(variables as u64)
}

/// What is read at once.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Number(i64),
    Literal(Lit),
    /// `min:`, `max:` or `soft:`, without the colon, or some other word.
    Word(String),
    /// `;`, `[`, `]`, `>=`, `=` or `<=`.
    Sign(&'static str),
    End,
}

/// A sum of literals with coefficients.
type Terms = Vec<(i64, Lit)>;

/// A formula that is being read.
struct Formula<'l, 'n, R> {
    lexer: &'l mut Lexer<'n, R>,
    program: ProgramBuilder,
    variables: u64,
    /// The atom of each product.
    products: HashMap<Vec<Lit>, Var>,
    /// A literal that holds if a soft constraint is violated, and the weight.
    violated: Terms,
}

impl<R: Read> Formula<'_, '_, R> {
    fn statements(&mut self) -> Result<(), InputError> {
        let mut token = self.token()?;
        let (mut top, mut is_soft) = (None, false);
        if let Token::Word(word) = &token {
            match word.as_str() {
                "min" => {
                    let (costs, end) = self.terms()?;
                    self.expect(end, ";")?;
                    self.minimize(costs)?;
                }
                "soft" => {
                    is_soft = true;
                    match self.token()? {
                        Token::Sign(";") => {}
                        Token::Number(number) if number >= 0 => {
                            top = Some(number);
                            let end = self.token()?;
                            self.expect(end, ";")?;
                        }
                        found => return Err(self.unexpected("a bound from 0, or `;`", found)),
                    }
                }
                "max" => return Err(self.lexer.wrong("`max:`", "write `min:` with opposite coefficients")),
                _ => return Err(self.unexpected("`min:`, `soft:` or a coefficient", token)),
            }
            token = self.token()?;
        }
        while token != Token::End {
            let weight = match token {
                Token::Sign("[") => {
                    let weight = match self.token()? {
                        Token::Number(weight @ 1..) => weight,
                        found => return Err(self.unexpected("a weight from 1", found)),
                    };
                    let end = self.token()?;
                    self.expect(end, "]")?;
                    token = self.token()?;
                    Some(weight)
                }
                _ => None,
            };
            self.constraint(token, weight)?;
            token = self.token()?;
        }
        if let Some(top) = top {
            // All that is violated weighs less than the bound.
            let always = self.violated.iter().filter(|(_, lit)| *lit == Lit::TRUE).map(|(weight, _)| *weight);
            let bound = 1 - i128::from(top) + always.map(i128::from).sum::<i128>();
            let open = self.violated.iter().filter(|(_, lit)| ![Lit::TRUE, !Lit::TRUE].contains(lit));
            let less: Terms = open.map(|&(weight, lit)| (-weight, lit)).collect();
            let holds = self.at_least(&less, bound)?;
            self.demand(holds)?;
        }
        let violated = std::mem::take(&mut self.violated);
        match is_soft || !violated.is_empty() {
            true => self.minimize(violated),
            false => Ok(()),
        }
    }

    /// Reads a constraint that begins with `token`, and adds it, as a soft one if it has a weight.
    fn constraint(&mut self, token: Token, weight: Option<i64>) -> Result<(), InputError> {
        let (terms, sign) = self.terms_from(token)?;
        let Token::Sign(sign @ (">=" | "=" | "<=")) = sign else {
            return Err(self.unexpected("a coefficient, `>=`, `=` or `<=`", sign));
        };
        let bound = match self.token()? {
            Token::Number(bound) => i128::from(bound),
            found => return Err(self.unexpected("a bound", found)),
        };
        let end = self.token()?;
        self.expect(end, ";")?;
        let mut holds = Vec::with_capacity(2);
        if sign != "<=" {
            holds.push(self.at_least(&terms, bound)?);
        }
        if sign != ">=" {
            let opposite: Terms = terms.iter().map(|&(by, lit)| (-by, lit)).collect();
            holds.push(self.at_least(&opposite, -bound)?);
        }
        let Some(weight) = weight else { return holds.into_iter().try_for_each(|lit| self.demand(lit)) };
        let needed: Vec<Lit> = holds.into_iter().filter(|&lit| lit != Lit::TRUE).collect();
        match needed[..] {
            [] => self.violated.push((weight, !Lit::TRUE)),
            _ if needed.contains(&!Lit::TRUE) => self.violated.push((weight, Lit::TRUE)),
            [one] => self.violated.push((weight, !one)),
            _ => {
                let all = self.product(needed)?;
                self.violated.push((weight, !all));
            }
        }
        Ok(())
    }

    fn terms(&mut self) -> Result<(Terms, Token), InputError> {
        let token = self.token()?;
        self.terms_from(token)
    }

    /// Reads coefficients with literals, of which `token` is the first. Returns the token after them as well.
    fn terms_from(&mut self, mut token: Token) -> Result<(Terms, Token), InputError> {
        let mut terms = Terms::new();
        while let Token::Number(by) = token {
            if !(-MOST..=MOST).contains(&by) {
                let what = format!("a coefficient is out of range: {by}");
                return Err(self.lexer.wrong(what, format!("it must be a number from -{MOST} to {MOST}")));
            }
            let mut factors = Vec::new();
            token = self.token()?;
            while let Token::Literal(lit) = token {
                factors.push(lit);
                token = self.token()?;
            }
            if factors.is_empty() {
                return Err(self.unexpected("a literal", token));
            }
            factors.sort_unstable();
            factors.dedup();
            // A product with a literal and its complement is 0.
            if !factors.iter().any(|&lit| factors.contains(&!lit)) {
                terms.push((by, self.product(factors)?));
            } else {
                terms.push((0, factors[0]));
            }
        }
        Ok((terms, token))
    }

    /// A literal that holds if all of `factors` hold. There is at least one.
    fn product(&mut self, factors: Vec<Lit>) -> Result<Lit, InputError> {
        if let [one] = factors[..] {
            return Ok(one);
        }
        if let Some(&atom) = self.products.get(&factors) {
            return Ok(Lit::t(atom));
        }
        let atom = self.program.hidden();
        self.program.rule(Some(atom), &factors).map_err(|error| self.lexer.too_large(error))?;
        self.products.insert(factors, atom);
        Ok(Lit::t(atom))
    }

    /// A literal that holds if the terms add up to the bound or more; [`Lit::TRUE`] or its complement if they
    /// always do or never.
    fn at_least(&mut self, terms: &[(i64, Lit)], mut bound: i128) -> Result<Lit, InputError> {
        let mut lits: Vec<(Lit, i64)> = Vec::with_capacity(terms.len());
        for &(by, lit) in terms.iter().filter(|(by, _)| *by != 0) {
            if by > 0 {
                lits.push((lit, by));
            } else {
                // -3 x is 3 (1 - x) - 3.
                lits.push((!lit, -by));
                bound -= i128::from(by);
            }
        }
        let all: i128 = lits.iter().map(|&(_, by)| i128::from(by)).sum();
        if bound <= 0 {
            return Ok(Lit::TRUE);
        }
        if all < bound {
            return Ok(!Lit::TRUE);
        }
        // A sum of numbers below 2^31 is below 2^63, as there are fewer than 2^32 of them.
        let bound = i64::try_from(bound).map_err(|_| self.lexer.wrong("a bound is too large", ""))?;
        let weights = lits.into_iter().map(|(lit, by)| (lit, by.min(bound))).collect();
        let sum = self.program.sum(bound, weights).map_err(|error| self.lexer.too_large(error))?;
        Ok(Lit::t(sum))
    }

    fn demand(&mut self, holds: Lit) -> Result<(), InputError> {
        let nogood = match holds {
            Lit::TRUE => return Ok(()),
            never if never == !Lit::TRUE => Vec::new(),
            lit => vec![!lit],
        };
        self.program.rule(None, &nogood).map_err(|error| self.lexer.too_large(error))
    }

    /// Minimizes the costs, even if they are always 0 or there are none.
    fn minimize(&mut self, costs: Terms) -> Result<(), InputError> {
        let mut lits = Vec::with_capacity(costs.len());
        for (by, lit) in costs {
            let lit = match lit {
                Lit::TRUE => self.fact()?,
                lit if lit == !Lit::TRUE => continue,
                lit => lit,
            };
            // A coefficient, or the weight of a soft constraint.
            let by = i32::try_from(by).map_err(|_| {
                let what = format!("a weight is out of range: {by}");
                self.lexer.wrong(what, format!("it must be a number up to {MOST}"))
            })?;
            lits.push((lit, by.into()));
        }
        self.program.minimize(0, &lits).map_err(|error| self.lexer.too_large(error))
    }

    /// A literal of an atom that always holds.
    fn fact(&mut self) -> Result<Lit, InputError> {
        let atom = self.program.hidden();
        self.program.rule(Some(atom), &[]).map_err(|error| self.lexer.too_large(error))?;
        Ok(Lit::t(atom))
    }

    fn expect(&mut self, found: Token, sign: &'static str) -> Result<(), InputError> {
        match found {
            Token::Sign(is) if is == sign => Ok(()),
            found => Err(self.unexpected(&format!("`{sign}`"), found)),
        }
    }

    fn unexpected(&self, expected: &str, found: Token) -> InputError {
        let found = match found {
            Token::Number(number) => format!("`{number}`"),
            Token::Literal(lit) => {
                format!("`{}x{}`", if lit.is_false_sign() { "~" } else { "" }, lit.var().0 + 1)
            }
            Token::Word(word) => format!("`{word}`"),
            Token::Sign(sign) => format!("`{sign}`"),
            Token::End => "the end of the input (is the file cut off?)".into(),
        };
        self.lexer.wrong(format!("expected {expected}, found {found}"), "")
    }

    /// The next token, after white space and comments.
    fn token(&mut self) -> Result<Token, InputError> {
        loop {
            return Ok(match self.lexer.first()? {
                None => Token::End,
                Some(b'*') => {
                    self.lexer.skip_line()?;
                    continue;
                }
                Some(b'+' | b'-' | b'0'..=b'9') => Token::Number(self.number()?),
                Some(b'x' | b'~') => self.literal()?,
                Some(b';') => self.sign(";")?,
                Some(b'[') => self.sign("[")?,
                Some(b']') => self.sign("]")?,
                Some(b'=') => self.sign("=")?,
                Some(b'>') => self.sign(">=")?,
                Some(b'<') => {
                    self.lexer.advance();
                    if self.lexer.peek()? != Some(b'=') {
                        return Err(self.lexer.wrong("`<`", "write `<=` with a bound that is less by one"));
                    }
                    self.sign("=")?;
                    Token::Sign("<=")
                }
                Some(byte) if byte.is_ascii_alphabetic() => self.word()?,
                Some(_) => {
                    let found = self.lexer.describe()?;
                    return Err(self
                        .lexer
                        .wrong(format!("expected a number or a literal, found {found}"), ""));
                }
            });
        }
    }

    fn sign(&mut self, sign: &'static str) -> Result<Token, InputError> {
        for byte in sign.bytes() {
            if self.lexer.peek()? != Some(byte) {
                let found = self.lexer.describe()?;
                return Err(self.lexer.wrong(format!("expected `{sign}`, found {found}"), ""));
            }
            self.lexer.advance();
        }
        Ok(Token::Sign(sign))
    }

    fn word(&mut self) -> Result<Token, InputError> {
        let mut word = String::new();
        while let Some(byte) = self.lexer.peek()?.filter(u8::is_ascii_alphanumeric) {
            self.lexer.advance();
            if word.len() < 20 {
                word.push(byte as char);
            }
        }
        if self.lexer.peek()? == Some(b':') {
            self.lexer.advance();
        }
        Ok(Token::Word(word))
    }

    fn number(&mut self) -> Result<i64, InputError> {
        let is_negative = self.lexer.peek()? == Some(b'-');
        if let Some(b'+' | b'-') = self.lexer.peek()? {
            self.lexer.advance();
        }
        let (value, _) = self.digits("a number")?;
        Ok(if is_negative { -value } else { value })
    }

    fn literal(&mut self) -> Result<Token, InputError> {
        let is_positive = self.lexer.peek()? == Some(b'x');
        if !is_positive {
            self.lexer.advance();
        }
        if self.lexer.peek()? != Some(b'x') {
            let found = self.lexer.describe()?;
            return Err(self.lexer.wrong(format!("expected a variable, found {found}"), ""));
        }
        self.lexer.advance();
        let (number, digits) = self.digits("the number of a variable")?;
        if number < 1 || number as u64 > self.variables {
            let found = if digits > 18 { format!("a number of {digits} digits") } else { number.to_string() };
            let remedy = format!("the first line says that there are {} variables", self.variables);
            return Err(self.lexer.wrong(format!("a variable is out of range: {found}"), remedy));
        }
        Ok(Token::Literal(Lit::new(Var(number as u32 - 1), is_positive)))
    }

    /// Digits up to something else that may follow a number. Returns how many there are as well.
    fn digits(&mut self, what: &str) -> Result<(i64, u32), InputError> {
        let (mut value, mut digits) = (0i64, 0u32);
        while let Some(digit @ b'0'..=b'9') = self.lexer.peek()? {
            value = value.saturating_mul(10).saturating_add(i64::from(digit - b'0'));
            digits = digits.saturating_add(1);
            self.lexer.advance();
        }
        let is_over = !self.lexer.peek()?.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'.');
        if digits == 0 || !is_over {
            let found = self.lexer.describe()?;
            return Err(self.lexer.wrong(format!("expected {what}, found {found}"), ""));
        }
        if value == i64::MAX {
            let found = format!("{what} is out of range: a number of {digits} digits");
            return Err(self.lexer.wrong(found, "64 bits with a sign must hold it"));
        }
        Ok((value, digits))
    }
}

#[cfg(test)]
mod tests;
