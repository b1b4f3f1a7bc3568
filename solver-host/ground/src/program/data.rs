//! A ground program as plain arrays.
//!
//! Main type: [`Program`]. Invariant: `body_start` has one entry more than there are bodies and starts with
//! 0, so that every [`BodyId`] of the program is a row of `body_lits`.

use serde::{Deserialize, Serialize};
use solver_gpu::{Lit, Var};

use super::differences::Differences;
use super::theory::Theory;
use crate::ids::{BodyId, RuleId};

/// A ground program: normal and choice rules, constraints, disjunctions, weight constraints, what to minimize
/// and what to print.
///
/// Atoms are `Var(0) .. Var(atoms)`, numbered densely in the order in which the input first names them. A
/// body is a conjunction of literals: `Tp` stands for the atom `p`, `Fp` for `not p`. A weight body is an
/// atom of its own, defined by a [`Sum`]. All bodies lie in one array, and heads that were read with one body
/// share the body.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Program {
    /// How many atoms the program has.
    pub atoms: u32,
    /// The number of each atom in the file, or 0 for an atom that the file does not name. The atoms of edges have
    /// numbers after the largest one, as `docs/proof.md` says. Missing numbers at the end are 0.
    pub numbers: Vec<u32>,
    /// The largest number that the file gives to an atom.
    pub largest_number: u32,
    /// The head of each rule, in the order of rule numbers.
    pub heads: Vec<Head>,
    /// The body of each rule, in the order of rule numbers.
    pub body_of: Vec<BodyId>,
    /// Where the bodies start: body `b` is `body_lits[body_start[b] .. body_start[b + 1]]`. There is one
    /// entry more than bodies.
    pub body_start: Vec<u32>,
    /// The literals of all bodies, one body after the other.
    pub body_lits: Vec<Lit>,
    /// Rules whose head is a disjunction of two or more atoms. They have no rule numbers.
    pub disjunctions: Vec<Disjunction>,
    /// The weight constraints, each with the atom that stands for it.
    pub sums: Vec<Sum>,
    /// What to minimize, highest priority first. Each priority occurs once. Empty if nothing is minimized.
    pub minimize: Vec<Minimize>,
    /// How the costs are one number, if the program has two priorities for want of weights of more than 64 bits.
    pub digits: Option<Digits>,
    /// The atoms to project on, if the program has a projection statement.
    pub projection: Option<Vec<Var>>,
    /// Heuristic directives for the search. They change no answer set.
    pub heuristics: Vec<Heuristic>,
    /// The theory atoms, with their parts.
    pub theory: Theory,
    /// What the theory atoms say, once they were read as difference constraints.
    pub differences: Option<Differences>,
    /// What to print, in the order of the input.
    pub outputs: Vec<Output>,
    /// What to print in place of each output whose condition does not hold. Empty if nothing is printed then:
    /// only a formula in DIMACS prints a literal for each variable.
    pub negations: Vec<String>,
    /// Nogoods that were assumed, besides what was read. Each is a constraint as well.
    pub assumed: Vec<Vec<Lit>>,
    /// How much was read, before anything was made of it.
    pub statements: Statements,
}

/// Counts of what was read. A choice between several atoms is one rule here, and atoms and rules that the reader adds
/// count nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statements {
    /// The number of rules of any sort: normal and choice rules, disjunctions, constraints and facts.
    pub rules: u64,
    /// The number of choice rules.
    pub choices: u64,
    /// The number of rules whose head is a disjunction of two or more atoms.
    pub disjunctions: u64,
    /// The number of priorities of minimize statements.
    pub minimizes: u64,
    /// The number of atoms that were named.
    pub atoms: u64,
}

/// How much a program has of what grows with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// The number of atoms.
    pub atoms: u32,
    /// The number of rules, with constraints and facts and without disjunctions.
    pub rules: usize,
    /// The number of disjunctions.
    pub disjunctions: usize,
    /// The number of weight constraints.
    pub sums: usize,
}

impl Program {
    /// How large the program is.
    pub fn size(&self) -> Size {
        let Program { atoms, disjunctions, sums, .. } = self;
        Size { atoms: *atoms, rules: self.rules(), disjunctions: disjunctions.len(), sums: sums.len() }
    }

    /// How many rules the program has, with constraints and facts and without disjunctions.
    pub fn rules(&self) -> usize {
        self.heads.len()
    }

    /// The numbers of all rules, in order.
    pub fn rule_ids(&self) -> impl Iterator<Item = RuleId> + Clone {
        (0..self.rules()).map(RuleId::new)
    }

    /// How many bodies the program has.
    pub fn bodies(&self) -> usize {
        self.body_start.len() - 1
    }

    /// The head of rule `r`.
    pub fn head(&self, r: RuleId) -> Head {
        self.heads[r.index()]
    }

    /// The literals of the body of rule `r`.
    pub fn body(&self, r: RuleId) -> &[Lit] {
        self.body_lits_of(self.body_of[r.index()])
    }

    /// The literals of body `b`.
    pub fn body_lits_of(&self, b: BodyId) -> &[Lit] {
        &self.body_lits[self.body_start[b.index()] as usize..self.body_start[b.index() + 1] as usize]
    }

    /// Adds a rule with a body of its own.
    pub fn push(&mut self, head: Head, body: &[Lit]) {
        self.heads.push(head);
        self.body_of.push(BodyId::new(self.bodies()));
        self.body_lits.extend_from_slice(body);
        self.body_start.push(self.body_lits.len() as u32);
    }

    /// Adds a disjunctive rule with a body of its own.
    pub fn push_disjunction(&mut self, heads: Vec<Var>, body: &[Lit]) {
        self.disjunctions.push(Disjunction { heads, body: BodyId::new(self.bodies()) });
        self.body_lits.extend_from_slice(body);
        self.body_start.push(self.body_lits.len() as u32);
    }

    /// The number of an atom in the file, if it has one.
    pub fn number(&self, atom: Var) -> Option<u32> {
        self.numbers.get(atom.0 as usize).copied().filter(|&number| number > 0)
    }

    /// Costs as a user is told them: those of each priority, or one number whose digits they are.
    pub fn told_costs(&self, costs: &[i64]) -> Vec<i128> {
        match (self.digits, costs) {
            // A lower bound of the lower digit may be less than any.
            (Some(Digits { bits, base }), &[high, low]) => {
                vec![base + (i128::from(high) << bits) + i128::from(low.max(0))]
            }
            _ => costs.iter().copied().map(i128::from).collect(),
        }
    }

    /// A bound on the costs of each priority that says the same as one on the costs that a user is told. Numbers beyond
    /// 64 bits become the nearest ones, which all costs are within, or none.
    pub fn bound_of(&self, told: &[i128]) -> Vec<i64> {
        let nearest = |number: i128| number.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
        match (self.digits, told) {
            (Some(Digits { bits, base }), &[bound, ..]) => {
                let above = bound.saturating_sub(base);
                vec![nearest(above >> bits), (above & ((1 << bits) - 1)) as i64]
            }
            _ => told.iter().copied().map(nearest).collect(),
        }
    }

    /// Adds an atom that the input does not name.
    pub(super) fn hidden(&mut self) -> Var {
        self.atoms += 1;
        Var(self.atoms - 1)
    }
}

/// Two priorities that are the digits of one number: `base + high * 2^bits + low`, with `low` from 0 to `2^bits - 1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digits {
    /// The bits of the lower digit.
    pub bits: u32,
    /// The number whose digits are 0.
    pub base: i128,
}

/// A formula that a program was made of, whose models are printed as solvers of such formulas print them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Formula {
    /// In DIMACS CNF or WCNF: a variable is a number.
    Clauses,
    /// In OPB: a variable is `x` and a number.
    PseudoBoolean,
}

/// The head of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Head {
    /// No head: the body must not hold.
    Constraint,
    /// The atom holds if the body does.
    Atom(Var),
    /// The atom may hold if the body does (`{p} :- B`). A choice between several atoms is one rule for each
    /// atom, over one body.
    Choice(Var),
}

impl Head {
    /// The head's atom; a constraint has none.
    pub fn atom(self) -> Option<Var> {
        match self {
            Head::Constraint => None,
            Head::Atom(p) | Head::Choice(p) => Some(p),
        }
    }
}

/// A disjunctive rule: if the body holds, one of the head's atoms holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Disjunction {
    /// The atoms of the head, two or more.
    pub heads: Vec<Var>,
    /// The body.
    pub body: BodyId,
}

/// A weight constraint: `atom` holds if and only if the weights of the literals that hold add up to `bound`
/// or more. The atom is in no head.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sum {
    /// The atom that stands for the weight constraint.
    pub atom: Var,
    /// The number that the weights must add up to.
    pub bound: i64,
    /// Literals with their weights, which are not negative and add up to at most [`MOST_WEIGHT`](super::MOST_WEIGHT).
    /// A literal that is listed twice counts twice.
    pub lits: Vec<(Lit, i64)>,
}

/// What to minimize at one priority: the sum of the weights of the literals that hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Minimize {
    /// The priority. Higher priorities are minimized first.
    pub priority: i32,
    /// Literals with their weights, which may be negative. Without their signs they add up to at most
    /// [`MOST_WEIGHT`](super::MOST_WEIGHT).
    pub lits: Vec<(Lit, i64)>,
}

/// What a heuristic directive changes (Gebser et al., "Domain-specific Heuristics in Answer Set Programming",
/// AAAI 2013).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Modifier {
    /// The level: atoms of a higher level are decided first.
    Level,
    /// The sign: a decision makes the atom true if the bias is positive, false if the bias is negative.
    Sign,
    /// The factor that the atom's score is multiplied by.
    Factor,
    /// The number that is added to the atom's initial score.
    Init,
    /// The level, together with a positive sign.
    True,
    /// The level, together with a negative sign.
    False,
}

/// A heuristic directive, in force while its condition holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heuristic {
    /// The atom that the directive is about.
    pub atom: Var,
    /// What the directive changes.
    pub modifier: Modifier,
    /// The new level, sign, factor or initial score.
    pub bias: i32,
    /// The priority: of several directives for one atom, the one with the highest priority counts.
    pub priority: u32,
    /// The conjunction of literals on which the directive depends.
    pub condition: Vec<Lit>,
}

/// A name that is printed in each answer set in which all literals of its condition hold. A name without
/// condition is always printed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    /// The text, as the grounder wrote it. Bytes that are no UTF-8 are as [`crate::text`] has them.
    pub name: String,
    /// The conjunction of literals on which the name depends.
    pub condition: Vec<Lit>,
}
