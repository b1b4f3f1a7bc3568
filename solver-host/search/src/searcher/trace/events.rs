//! The lines of a trace, as they are serialised.
//!
//! Main types: [`Event`] and [`Start`]. `schema.json` says the same for readers; a test compares the two.

use serde::Serialize;
use serde_json::{Map, Value};
use solver_gpu::layout::mode;
use solver_gpu::Lit;

/// A literal of the solver: `v + 1` for `T` of variable `v`, and the negative of that for `F`.
pub fn number(lit: Lit) -> i64 {
    lit.signed(lit.var().0 as i64 + 1)
}

/// The same for several literals, without those that always hold.
pub fn numbers(lits: &[Lit]) -> Vec<i64> {
    lits.iter().filter(|&&lit| lit != Lit::TRUE).map(|&lit| number(lit)).collect()
}

/// A literal of the solver, or what preparing found to hold always or never.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Literal {
    /// True or false in every answer set.
    Known(bool),
    /// A literal, as [`number`] writes it.
    Open(i64),
}

impl From<Lit> for Literal {
    fn from(lit: Lit) -> Literal {
        match lit {
            Lit::TRUE => Literal::Known(true),
            Lit::FALSE => Literal::Known(false),
            lit => Literal::Open(number(lit)),
        }
    }
}

/// An atom of the program.
#[derive(Clone, Debug, Serialize)]
pub struct Atom {
    /// What the atom is called. Several names may be printed for one atom.
    pub names: Vec<String>,
    /// The literal of the solver that stands for the atom.
    pub literal: Literal,
}

/// A rule of the program. Atoms are numbered from 1, in the order of [`Start::atoms`]; a negative number is
/// `not`.
#[derive(Clone, Debug, Serialize)]
pub struct Rule {
    /// What the rule says of its head.
    pub kind: RuleKind,
    /// The atoms of the head.
    pub head: Vec<i64>,
    /// The literals of the body.
    pub body: Vec<i64>,
    /// The literal of the solver that stands for the body, if there is one.
    pub literal: Option<Literal>,
}

/// See [`Rule::kind`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RuleKind {
    /// The head holds if the body does.
    Normal,
    /// Any of the head's atoms may hold if the body does.
    Choice,
    /// One of the head's atoms holds if the body does.
    Disjunction,
    /// The body must not hold.
    Constraint,
}

/// A weight constraint of the program: the atom holds if and only if the weights reach the bound.
#[derive(Clone, Debug, Serialize)]
pub struct Weight {
    /// The atom's number.
    pub atom: i64,
    /// What the weights must reach.
    pub bound: i64,
    /// Literals over atoms, each with its weight.
    pub items: Vec<(i64, i64)>,
}

/// A minimize statement of one priority.
#[derive(Clone, Debug, Serialize)]
pub struct Minimized {
    /// Higher priorities are minimized first.
    pub priority: i32,
    /// Literals over atoms, each with its weight.
    pub items: Vec<(i64, i64)>,
}

/// A sum nogood: violated if the condition holds and the counters, read as digits, are more than they may be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SumNogood {
    /// A literal, or true.
    pub condition: Literal,
    /// The digits, highest first.
    pub counters: Vec<Counter>,
}

/// A digit of a sum nogood.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Counter {
    /// What the counter may be at most.
    pub most: i64,
    /// Literals, each with the weight that it adds to the counter while it holds.
    pub items: Vec<(i64, i64)>,
}

/// The first line.
#[derive(Clone, Debug, Serialize)]
pub struct Start {
    /// Always `start`.
    pub event: &'static str,
    /// The version of the format.
    pub format: u32,
    /// What wrote the trace.
    pub solver: String,
    /// What ran the search.
    pub device: String,
    /// The seed.
    pub seed: u64,
    /// How many searchers there may be, if there may be several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub searchers: Option<u64>,
    /// All search options, by name.
    pub options: Map<String, Value>,
    /// The most events that the trace may have; 0: any number.
    pub limit: u64,
    /// The program's atoms.
    pub atoms: Vec<Atom>,
    /// The program's rules.
    pub rules: Vec<Rule>,
    /// The program's weight constraints.
    #[serde(rename = "weightConstraints")]
    pub weights: Vec<Weight>,
    /// The program's minimize statements.
    pub minimize: Vec<Minimized>,
    /// For each variable of the solver everything that its literal `T` stands for.
    pub variables: Vec<Vec<String>>,
    /// The input nogoods. A nogood's number is its place, from 0 on.
    pub nogoods: Vec<Vec<i64>>,
    /// The sum nogoods.
    pub sums: Vec<SumNogood>,
}

/// Why a nogood or a sum forced a literal, or is violated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Why {
    /// A nogood: the input's from 0 on, then learned ones in the order in which they were learned.
    Nogood {
        /// Its number.
        nogood: u64,
    },
    /// A sum nogood.
    Sum {
        /// Its number.
        sum: u64,
        /// The literals that together violate the sum.
        literals: Vec<i64>,
    },
}

/// Who learned a nogood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// Forward learning: the decisions that a conflict depends on.
    Forward,
    /// Resolution to the first unique implication point.
    Resolution,
    /// A check for unfounded sets.
    Loop,
    /// The refutation of a cube: the literals of the cube that it needs.
    Core,
    /// Nobody: the complement is a literal of level 1, which is offered to other searchers.
    Fact,
}

/// What a searcher of several searches for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Everything in a cube, which no other searcher has.
    Cube,
    /// Everything, as others do.
    Race,
    /// A better answer set near the best one: a neighbourhood.
    Near,
}

/// Why a trace ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Because {
    /// The search space is exhausted.
    Exhausted,
    /// There are as many answer sets as were wanted, or the search was asked to stop.
    Stopped,
    /// The trace has as many events as it may have.
    Limit,
}

/// A line after the first.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Event {
    /// A decision opens a level.
    Decide {
        level: u32,
        literal: i64,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        assumed: bool,
    },
    /// A nogood of which all other literals hold forces a literal.
    Propagate {
        level: u32,
        literal: i64,
        #[serde(flatten)]
        why: Why,
    },
    /// A decision is flipped, because everything under it was searched. It follows from all decisions.
    Flip { level: u32, literal: i64 },
    /// Nothing can be decided, so that what is open is false. It follows from all decisions.
    Complete { level: u32, literal: i64 },
    /// Nogoods are violated. The first one is learned from first.
    Conflict { level: u32, violated: Vec<Why> },
    /// A set of atoms that are not false has no foundation. The loop nogood follows.
    Unfounded { literals: Vec<i64> },
    /// A nogood is learned, from one of the last conflict's violated nogoods.
    Learn {
        nogood: u64,
        by: By,
        #[serde(skip_serializing_if = "Option::is_none")]
        from: Option<Why>,
        levels: u32,
        literals: Vec<i64>,
    },
    /// The levels above `to` are undone.
    Backjump { from: u32, to: u32 },
    /// The same, because a restart was due, or because nogoods are deleted or phases change.
    Restart { from: u32, to: u32, due: bool },
    /// Learned nogoods are deleted.
    Delete { nogoods: Vec<u64> },
    /// The assignment is an answer set.
    Answer {
        number: u64,
        atoms: Vec<String>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        costs: Vec<i64>,
    },
    /// A sum nogood is stricter from now on.
    Goal {
        sum: u64,
        #[serde(rename = "is")]
        stricter: SumNogood,
    },
    /// The search starts over for another goal: nothing is assigned, and nothing learned.
    Again { sums: Vec<SumNogood> },
    /// A further searcher begins: nothing is assigned, and nothing learned.
    Join { sums: Vec<SumNogood> },
    /// A searcher begins with a part of the search space: it decides on these literals first.
    Cube { mode: Mode, literals: Vec<i64> },
    /// A searcher gives one side of a decision away, and keeps the other one as its cube.
    Divide { literals: Vec<i64>, given: Vec<i64> },
    /// A searcher has searched its cube to the end.
    Refuted { literals: Vec<i64> },
    /// A nogood that searcher `of` has learned joins the nogoods of another one.
    Import { nogood: u64, of: u64, literals: Vec<i64> },
    /// Variables and sum nogoods are added to the search. `variable` and `sum` are the numbers of the first
    /// ones.
    Extend { variable: u64, variables: Vec<Vec<String>>, sum: u64, sums: Vec<SumNogood> },
    /// The search decides on these literals first from now on, instead of those that it assumed before.
    Assume { literals: Vec<i64> },
    /// Not all of these assumptions hold in an answer set that is better than the best one.
    Core { literals: Vec<i64> },
    /// No answer set that is to be found costs less than this.
    Bound { costs: Vec<i64> },
    /// The last line.
    End { because: Because, cut: bool, events: u64 },
}

impl Event {
    /// A searcher begins a cube of these literals, in a mode of the device.
    pub fn cube(mode: u32, lits: &[Lit]) -> Event {
        let mode = match mode {
            mode::RACE => Mode::Race,
            mode::NEAR => Mode::Near,
            _ => Mode::Cube,
        };
        Event::Cube { mode, literals: numbers(lits) }
    }
}

/// An event with its searcher. An event of searcher 0 does not name it.
#[derive(Serialize)]
pub struct Line<'a> {
    /// The event.
    #[serde(flatten)]
    pub event: &'a Event,
    /// The searcher.
    #[serde(skip_serializing_if = "is_zero")]
    pub searcher: u64,
}

fn is_zero(searcher: &u64) -> bool {
    *searcher == 0
}
