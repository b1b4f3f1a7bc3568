//! A ground program as the checker uses it.
//!
//! Main type: [`Program`].

use std::collections::BTreeMap;

use crate::numbers::Numbers;
use crate::trusted::differences::Difference;
use crate::trusted::lit::{Lit, Var};

/// The body of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// All of the literals hold. They are sorted, without repetition.
    All(Vec<Lit>),
    /// The weights of the literals that hold add up to the bound or more.
    Sum(i64, Vec<(Lit, i64)>),
}

impl Body {
    /// Whether the body holds if `is_true` says which literals do.
    pub fn holds(&self, is_true: impl Fn(Lit) -> bool) -> bool {
        match self {
            Body::All(lits) => lits.iter().all(|&lit| is_true(lit)),
            Body::Sum(bound, terms) => {
                let held = terms.iter().filter(|(lit, _)| is_true(*lit));
                held.map(|&(_, weight)| i128::from(weight)).sum::<i128>() >= i128::from(*bound)
            }
        }
    }

    /// The literals.
    pub fn lits(&self) -> Vec<Lit> {
        match self {
            Body::All(lits) => lits.clone(),
            Body::Sum(_, terms) => terms.iter().map(|&(lit, _)| lit).collect(),
        }
    }

    /// The atoms of the positive literals.
    pub fn positive(&self) -> Vec<Var> {
        self.lits().into_iter().filter(|lit| lit.is_positive()).map(Lit::var).collect()
    }
}

/// A rule. Without heads, a disjunctive rule is a constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Whether each head may hold by itself if the body holds. Otherwise one of the heads must.
    pub is_choice: bool,
    /// The heads, without repetition.
    pub heads: Vec<Var>,
    /// The body.
    pub body: Body,
}

/// A name and when it is shown.
#[derive(Clone, Debug)]
pub struct Output {
    /// The name.
    pub name: String,
    /// The literals that hold when the name is shown, as they were read.
    pub condition: Vec<Lit>,
}

impl Output {
    /// Whether the name does not begin with `_`.
    pub fn is_shown(&self) -> bool {
        !self.name.starts_with('_')
    }
}

/// The costs of one priority: a constant and literals with positive weights. No two literals have the same variable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Costs {
    /// What every answer set costs.
    pub constant: i128,
    /// What the literals cost.
    pub terms: Vec<(Lit, i128)>,
}

impl Costs {
    /// Puts the weights of each variable together. `weight` of a false variable is `weight` in any case, and
    /// `-weight` if the variable is true.
    pub fn of(read: &[(Lit, i64)]) -> Costs {
        let mut costs = Costs::default();
        let mut weights: BTreeMap<Var, i128> = BTreeMap::new();
        for &(lit, weight) in read {
            let weight = i128::from(weight);
            if !lit.is_positive() {
                costs.constant += weight;
            }
            *weights.entry(lit.var()).or_default() += if lit.is_positive() { weight } else { -weight };
        }
        for (var, weight) in weights {
            costs.constant += weight.min(0);
            if weight != 0 {
                costs.terms.push((Lit::new(var, weight > 0), weight.abs()));
            }
        }
        costs
    }
}

/// A ground program. Edges, externals and assumptions are rules already, and heads are as `docs/proof.md` says.
#[derive(Debug, Default)]
pub struct Program {
    /// The rules.
    pub rules: Vec<Rule>,
    /// The atoms that the file names and those of difference constraints, and their numbers.
    pub atoms: Vec<(Var, u32)>,
    /// How many variables there are: one that is true, the atoms, and those of edges and nodes.
    pub variables: u32,
    /// The largest number of an atom. The atoms that the file does not name are false.
    pub last_atom: u32,
    /// The largest number of a variable that the proof need not introduce.
    pub last_number: u32,
    /// The literals of the variables of the program, and later of those that the proof introduces.
    pub numbers: Numbers,
    /// The difference constraints.
    pub differences: Vec<Difference>,
    /// What is minimized, highest priority first.
    pub costs: Vec<Costs>,
    /// The atoms to project on, if there is a projection statement.
    pub projection: Option<Vec<Var>>,
    /// The names.
    pub outputs: Vec<Output>,
}

impl Program {
    /// A literal, by its number, in words: its name or its number, and `not` if it is a complement. A name has no control
    /// characters, and names nothing else: it is no number, and no other output has it.
    pub fn told(&self, number: i64) -> String {
        let var = number.unsigned_abs();
        let own = self.numbers.get(u32::try_from(var).unwrap_or(0));
        let is_own = |output: &&Output| own.is_some_and(|own| output.condition[..] == [own]);
        let is_clear = |named: &&Output| {
            let is_shared = |output: &Output| output.name == named.name && !is_own(&output);
            !named.name.bytes().all(|byte| byte.is_ascii_digit()) && !self.outputs.iter().any(is_shared)
        };
        let name = match self.outputs.iter().filter(is_own).find(is_clear) {
            Some(output) => output.name.replace(char::is_control, " "),
            None => var.to_string(),
        };
        if number > 0 {
            name
        } else {
            format!("not {name}")
        }
    }

    /// The literal of a variable that the file names or the proof has introduced.
    pub fn lit(&self, number: i64) -> Option<Lit> {
        let var = u32::try_from(number.unsigned_abs()).ok()?;
        let lit = match self.numbers.get(var) {
            Some(lit) => lit,
            None if (1..=self.last_atom).contains(&var) => Lit::FALSE,
            None => return None,
        };
        Some(if number > 0 { lit } else { !lit })
    }

    /// The number of a variable of the program in the files, for messages.
    pub fn number(&self, var: Var) -> u32 {
        // Atoms are numbered in the order in which they were read, from variable 1.
        let at = var.index().checked_sub(1);
        let edge = || self.last_number - (self.variables - 1).saturating_sub(var.0);
        at.and_then(|at| self.atoms.get(at)).map_or_else(edge, |atom| atom.1)
    }
}
