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

use super::lexer::{shown, Lexer};
use super::{InputError, MAX_ATOM};
use crate::program::{add_weight, Output, ProgramBuilder, MOST_WIDE};

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
    let mut formula =
        Formula { lexer, program, variables, products: HashMap::new(), costs: Vec::new(), weight: 0 };
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
    /// The largest one of 128 bits stands for all that are larger.
    Number(i128),
    Literal(Lit),
    /// `min:`, `max:` or `soft:`, without the colon, or some other word.
    Word(String),
    /// `;`, `[`, `]`, `>=`, `=` or `<=`.
    Sign(&'static str),
    End,
}

/// A sum of literals with coefficients.
type Terms = Vec<(i128, Lit)>;

/// A formula that is being read.
struct Formula<'l, 'n, R> {
    lexer: &'l mut Lexer<'n, R>,
    program: ProgramBuilder,
    variables: u64,
    /// The atom of each product.
    products: HashMap<Vec<Lit>, Var>,
    /// What is minimized: that of `min:`, and for each soft constraint a literal that holds if it is violated.
    costs: Terms,
    /// What the weights of the costs add up to without their signs.
    weight: i128,
}

impl<R: Read> Formula<'_, '_, R> {
    fn statements(&mut self) -> Result<(), InputError> {
        let mut token = self.token()?;
        let (mut top, mut has_costs) = (None, false);
        if let Token::Word(word) = &token {
            match word.as_str() {
                "min" => {
                    let (costs, end) = self.terms()?;
                    self.expect(end, ";")?;
                    has_costs = true;
                    costs.into_iter().try_for_each(|(by, lit)| self.add_cost(by, lit))?;
                }
                "soft" => {
                    has_costs = true;
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
                        Token::Number(weight @ 1..) => {
                            self.lexer.in_range("a weight", weight, 1, MOST_WIDE)?
                        }
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
            let always = self.costs.iter().filter(|(_, lit)| *lit == Lit::TRUE).map(|(weight, _)| weight);
            let bound = 1 - top + always.sum::<i128>();
            let open = self.costs.iter().filter(|(_, lit)| ![Lit::TRUE, !Lit::TRUE].contains(lit));
            let less: Terms = open.map(|&(weight, lit)| (-weight, lit)).collect();
            let holds = self.at_least(&less, bound)?;
            self.demand(holds)?;
        }
        match has_costs || !self.costs.is_empty() {
            true => self.minimize(),
            false => Ok(()),
        }
    }

    /// Reads a constraint that begins with `token`, and adds it, as a soft one if it has a weight.
    fn constraint(&mut self, token: Token, weight: Option<i128>) -> Result<(), InputError> {
        let (terms, sign) = self.terms_from(token)?;
        let Token::Sign(sign @ (">=" | "=" | "<=")) = sign else {
            return Err(self.unexpected("a coefficient, `>=`, `=` or `<=`", sign));
        };
        let bound = match self.token()? {
            Token::Number(bound) => bound,
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
        let holds = match needed[..] {
            [] => Lit::TRUE,
            _ if needed.contains(&!Lit::TRUE) => !Lit::TRUE,
            _ => self.product(needed)?,
        };
        self.add_cost(weight, !holds)
    }

    /// Adds a literal with its weight to what is minimized.
    fn add_cost(&mut self, weight: i128, lit: Lit) -> Result<(), InputError> {
        self.weight = add_weight(self.weight, weight).map_err(|error| self.lexer.too_large(error))?;
        self.costs.push((weight, lit));
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
            let by = self.lexer.in_range("a coefficient", by, -MOST_WIDE, MOST_WIDE)?;
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
    fn at_least(&mut self, terms: &[(i128, Lit)], mut bound: i128) -> Result<Lit, InputError> {
        let mut lits: Vec<(Lit, i128)> = Vec::with_capacity(terms.len());
        let mut all = 0;
        for &(by, lit) in terms.iter().filter(|(by, _)| *by != 0) {
            all = add_weight(all, by).map_err(|error| self.lexer.too_large(error))?;
            if by > 0 {
                lits.push((lit, by));
            } else {
                // -3 x is 3 (1 - x) - 3.
                lits.push((!lit, -by));
                bound = bound.saturating_sub(by);
            }
        }
        if bound <= 0 {
            return Ok(Lit::TRUE);
        }
        if all < bound {
            return Ok(!Lit::TRUE);
        }
        // No weight above the bound is needed.
        lits.iter_mut().for_each(|(_, by)| *by = bound.min(*by));
        self.program.wide_sum(bound, &lits).map_err(|error| self.lexer.too_large(error))
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
    fn minimize(&mut self) -> Result<(), InputError> {
        let costs = std::mem::take(&mut self.costs);
        let mut lits = Vec::with_capacity(costs.len());
        for (by, lit) in costs {
            let lit = match lit {
                Lit::TRUE => self.fact()?,
                lit if lit == !Lit::TRUE => continue,
                lit => lit,
            };
            lits.push((lit, by));
        }
        self.program.minimize_wide(&lits).map_err(|error| self.lexer.too_large(error))
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
            Token::Number(number) => format!("`{}`", shown(number)),
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

    fn number(&mut self) -> Result<i128, InputError> {
        let is_negative = self.lexer.peek()? == Some(b'-');
        if let Some(b'+' | b'-') = self.lexer.peek()? {
            self.lexer.advance();
        }
        let value = self.digits("a number")?;
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
        let number = self.digits("the number of a variable")?;
        if !(1..=i128::from(self.variables)).contains(&number) {
            let remedy = format!("the first line says that there are {} variables", self.variables);
            return Err(self.lexer.wrong(format!("a variable is out of range: {}", shown(number)), remedy));
        }
        Ok(Token::Literal(Lit::new(Var(number as u32 - 1), is_positive)))
    }

    /// Digits up to something else that may follow a number.
    fn digits(&mut self, what: &str) -> Result<i128, InputError> {
        let value = self.lexer.digits()?;
        let is_over = !self.lexer.peek()?.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'.');
        match value.filter(|_| is_over) {
            Some(value) => Ok(value),
            None => {
                let found = self.lexer.describe()?;
                Err(self.lexer.wrong(format!("expected {what}, found {found}"), ""))
            }
        }
    }
}

#[cfg(test)]
mod tests;
