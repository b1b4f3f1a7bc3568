//! Reads the statements of a theory: which numbers atoms `&diff{u - v} <= k` are about.
//!
//! Main type: [`Theory`]. Each term is evaluated when it is read, as its parts come before it. Variables are
//! what is named by symbols, functions and tuples, whose arguments are evaluated (clingo-dl 1.5).

use std::collections::{BTreeMap, HashMap};

use crate::trusted::lit::Var;

/// Why a term or an atom is not understood.
pub type Wrong = &'static str;

const TOO_LARGE: Wrong = "a number of a difference constraint is too large";
const NO_SUM: Wrong = "a term is neither a number nor a variable, nor made of such with +, - and *";
const UNKNOWN: Wrong = "a theory term or element comes before it is defined";

/// The most variables of a sum.
const LONGEST: usize = 1000;

/// What a term is in the name of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Value {
    Number(i64),
    /// The number of a symbol or a function, and whether it has a minus sign.
    Function(u32, bool),
    /// The number of a string or a tuple.
    Other(u32),
}

/// A number, and variables with factors.
#[derive(Clone, Debug, Default)]
struct Sum {
    constant: i64,
    terms: BTreeMap<Value, i64>,
}

#[derive(Clone, Debug)]
struct Term {
    /// The symbol, if the term is one.
    symbol: String,
    value: Result<Value, Wrong>,
    sum: Result<Sum, Wrong>,
}

/// A relation between a difference and a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// `<=`
    AtMost,
    /// `=`
    Equal,
    /// `!=`
    Unequal,
}

/// A variable of a constraint; nothing stands for 0.
pub type End = Option<u32>;

/// A theory atom.
#[derive(Clone, Copy, Debug)]
pub struct Atom {
    /// The atom of the program. A directive has none.
    pub atom: Option<Var>,
    /// Whether the atom is one of a head, or one of a body. If nothing is said, the rules tell.
    pub is_of_head: Option<bool>,
    /// The variables whose difference is meant.
    pub ends: [End; 2],
    /// What the difference is.
    pub relation: Relation,
    /// What the difference is compared with.
    pub number: i64,
}

/// What was read.
#[derive(Debug, Default)]
pub struct Theory {
    /// The atoms, in the order of the file.
    pub atoms: Vec<Atom>,
    terms: HashMap<usize, Term>,
    /// For each element its term, unless it has several, or a condition.
    elements: HashMap<usize, Option<usize>>,
    /// Numbers of symbols, and of functions and tuples with arguments.
    names: HashMap<(String, Option<Vec<Value>>), u32>,
    /// Numbers of variables.
    variables: HashMap<Value, u32>,
}

impl Theory {
    /// How many variables there are.
    pub fn variables(&self) -> u32 {
        self.variables.len() as u32
    }

    /// Defines a term that is a number.
    pub fn number(&mut self, id: usize, number: i64) {
        self.terms.insert(id, of_number(number));
    }

    /// Defines a term that is a symbol, an operator or a string in quotes.
    pub fn symbol(&mut self, id: usize, symbol: String) {
        let quoted = symbol.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        let number = self.named(&symbol, None);
        let value = if quoted.is_some() { Value::Other(number) } else { Value::Function(number, false) };
        // A string may have a number.
        let sum = match quoted.and_then(|text| text.parse::<f64>().ok()) {
            Some(number) if number.fract() == 0.0 && number.abs() < 9e15 => of_number(number as i64).sum,
            Some(_) => Err("a number in a string is not whole, or is too large"),
            None => Ok(of_variable(value)),
        };
        self.terms.insert(id, Term { symbol, value: Ok(value), sum });
    }

    /// Defines a term with arguments: a tuple (`-1`), another sequence, or a function whose name is a term.
    ///
    /// # Errors
    /// If a part is not defined.
    pub fn compound(&mut self, id: usize, kind: i64, arguments: &[usize]) -> Result<(), Wrong> {
        let name = match kind {
            -1 => "(".into(),
            ..=-2 => String::new(),
            name => self.term(name as usize)?.symbol.clone(),
        };
        let parts = arguments.iter().map(|&part| self.term(part).cloned()).collect::<Result<Vec<_>, _>>()?;
        let values: Result<Vec<Value>, Wrong> = parts.iter().map(|part| part.value).collect();
        let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '\'');
        let (value, sum);
        if is_name || kind == -1 {
            value = values.map(|values| match self.named(&name, Some(values)) {
                tuple if kind == -1 => Value::Other(tuple),
                function => Value::Function(function, false),
            });
            sum = value.map(of_variable);
        } else {
            value = values.and_then(|values| evaluate(&name, &values));
            sum = add_up(&name, &parts);
        }
        self.terms.insert(id, Term { symbol: String::new(), value, sum });
        Ok(())
    }

    /// Defines an element.
    pub fn element(&mut self, id: usize, terms: &[usize], has_condition: bool) {
        let only = if let (&[only], false) = (terms, has_condition) { Some(only) } else { None };
        self.elements.insert(id, only);
    }

    /// Adds an atom, of this name and these elements, and with an operator and a term.
    ///
    /// # Errors
    /// If the atom is no difference constraint.
    pub fn atom(
        &mut self,
        atom: Option<Var>,
        name: usize,
        elements: &[usize],
        guard: Option<[usize; 2]>,
    ) -> Result<(), Wrong> {
        let is_of_head = match &self.term(name)?.symbol[..] {
            "diff" => None,
            "__diff_h" => Some(true),
            "__diff_b" => Some(false),
            _ => return Err("theory atoms are not supported, but for difference constraints `&diff`"),
        };
        let (&[element], Some([operator, right])) = (elements, guard) else {
            return Err("a difference constraint has the form `&diff{u - v} <= k`");
        };
        let element = *self.elements.get(&element).ok_or(UNKNOWN)?;
        let left = element.ok_or("a difference constraint has one element, without a condition")?;
        let (left, right) = (self.term(left)?.sum.clone()?, self.term(right)?.sum.clone()?);
        let Sum { constant, terms } = plus(left, right, -1)?;
        let mut number = constant.checked_neg().ok_or(TOO_LARGE)?;
        let mut ends = [None; 2];
        for (value, factor) in terms {
            let end = match factor {
                1 => &mut ends[0],
                -1 => &mut ends[1],
                _ => return Err("a difference constraint has factors 1 and -1"),
            };
            let next = self.variables.len() as u32;
            if end.replace(*self.variables.entry(value).or_insert(next)).is_some() {
                return Err("a difference constraint is about the difference of two variables");
            }
        }
        let operator = &self.term(operator)?.symbol[..];
        if let ">=" | ">" = operator {
            ends.reverse();
            number = number.checked_neg().ok_or(TOO_LARGE)?;
        }
        let (relation, shift) = match operator {
            "<=" | ">=" => (Relation::AtMost, 0),
            "<" | ">" => (Relation::AtMost, -1),
            "=" => (Relation::Equal, 0),
            "!=" => (Relation::Unequal, 0),
            _ => return Err("the operator of a difference constraint is none of <=, <, >=, >, = and !="),
        };
        let number = number.checked_add(shift).ok_or(TOO_LARGE)?;
        self.atoms.push(Atom { atom, is_of_head, ends, relation, number });
        Ok(())
    }

    fn term(&self, id: usize) -> Result<&Term, Wrong> {
        self.terms.get(&id).ok_or(UNKNOWN)
    }

    /// The number of a name.
    fn named(&mut self, name: &str, arguments: Option<Vec<Value>>) -> u32 {
        let next = self.names.len() as u32;
        *self.names.entry((name.into(), arguments)).or_insert(next)
    }
}

fn of_number(number: i64) -> Term {
    let sum = Sum { constant: number, ..Sum::default() };
    Term { symbol: String::new(), value: Ok(Value::Number(number)), sum: Ok(sum) }
}

fn of_variable(value: Value) -> Sum {
    Sum { constant: 0, terms: BTreeMap::from([(value, 1)]) }
}

/// An operator of what arguments are.
fn evaluate(operator: &str, values: &[Value]) -> Result<Value, Wrong> {
    use Value::{Function, Number};
    let number = match (operator, values) {
        ("-", &[Function(name, is_negative)]) => return Ok(Function(name, !is_negative)),
        ("-", &[Number(number)]) => number.checked_neg(),
        ("+", &[Number(left), Number(right)]) => left.checked_add(right),
        ("-", &[Number(left), Number(right)]) => left.checked_sub(right),
        ("*", &[Number(left), Number(right)]) => left.checked_mul(right),
        ("/", &[Number(left), Number(right)]) => left.checked_div(right),
        ("\\", &[Number(left), Number(right)]) => left.checked_rem(right),
        ("**", &[Number(left), Number(right)]) => {
            u32::try_from(right).ok().and_then(|right| left.checked_pow(right))
        }
        _ => return Err(NO_SUM),
    };
    number.map(Number).ok_or(TOO_LARGE)
}

/// An operator of sums.
fn add_up(operator: &str, parts: &[Term]) -> Result<Sum, Wrong> {
    let sum = |at: usize| parts[at].sum.clone();
    match (operator, parts.len()) {
        ("+", 1) => sum(0),
        ("-", 1) => plus(Sum::default(), sum(0)?, -1),
        ("+", 2) => plus(sum(0)?, sum(1)?, 1),
        ("-", 2) => plus(sum(0)?, sum(1)?, -1),
        ("*", 2) => match (sum(0)?, sum(1)?) {
            (one, other) if one.terms.is_empty() => plus(Sum::default(), other, one.constant),
            (one, other) if other.terms.is_empty() => plus(Sum::default(), one, other.constant),
            _ => Err("a difference constraint multiplies variables"),
        },
        _ => Err(NO_SUM),
    }
}

/// A sum, and another one times a factor.
fn plus(mut sum: Sum, other: Sum, factor: i64) -> Result<Sum, Wrong> {
    let add = |to: &mut i64, number: i64| {
        *to = number.checked_mul(factor).and_then(|number| to.checked_add(number)).ok_or(TOO_LARGE)?;
        Ok(())
    };
    add(&mut sum.constant, other.constant)?;
    for (value, number) in other.terms {
        add(sum.terms.entry(value).or_default(), number)?;
    }
    sum.terms.retain(|_, factor| *factor != 0);
    if sum.terms.len() > LONGEST {
        return Err("a difference constraint has too many variables");
    }
    Ok(sum)
}
