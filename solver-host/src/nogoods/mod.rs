//! From a program to the nogoods of its completion (paper, section 3), simplified and laid out for the device.
//!
//! Main function: [`prepare`]. Everything here is plain host data; `device` copies it over as it is.
//!
//! With simplification the way is `rules` (bodies as shared sets) -> `simplify` (values that hold in every answer
//! set; `closure` finds unfounded atoms) -> `completion` (nogoods, candidates) -> `store` (layout), with `components`
//! and `foundedness` for positive loops. `preprocess` then reduces what that gave, and knows nothing of rules. Without simplification,
//! `translate` is the paper's section 3 word for word.

mod closure;
mod completion;
mod components;
mod disjunctions;
mod foundedness;
mod limits;
mod preprocess;
mod rows;
mod rules;
mod simplify;
mod store;
mod sums;
#[cfg(test)]
mod tests;
mod translate;

use solver_gpu::{Lit, Var};

use crate::program::{Heuristic, Modifier, Program};
pub(crate) use disjunctions::Shifted;
pub use limits::{TooLarge, MAX_IDS, MAX_LITERALS};
pub use preprocess::{Preprocess, Preprocessed};
pub(crate) use sums::distinct;
pub use sums::SumStore;

/// What [`prepare`] made of a program.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The value of each program atom in terms of the solver: `T` of its variable, or a constant, or (once preprocessed) a literal of
    /// the atom's variable that stands for it.
    pub atom_lit: Vec<Lit>,
    /// Variables are `0 .. vars`; those below `atom_vars` are program atoms, the others auxiliaries (b_r, t_r, n_r).
    pub vars: u32,
    /// See `vars`.
    pub atom_vars: u32,
    /// All nogoods, shortest first.
    pub nogoods: NogoodStore,
    /// Weight constraints that no nogoods are written out for.
    pub sums: SumStore,
    /// What Decision may choose from (paper, section 3: the applicable rules).
    pub candidates: Vec<Candidate>,
    /// When projecting, the first so many of them go before all others: see [`Prepared::project`].
    pub first_candidates: Option<u32>,
    /// For each variable 1 plus the sign that a decision on it always takes, 0 if any; empty if all are 0: see [`Prepared::prefer`].
    pub preferred: Vec<u32>,
    /// Behind those come so many that are there for heuristic directives: see [`Prepared::follow`].
    pub advised: u32,
    /// The directives, by candidate.
    pub directives: Vec<Directive>,
    /// What the stability check needs; `None` when the program is tight.
    pub foundedness: Option<Foundedness>,
    /// Whether there is no answer set, as simplification found (or as the program says with `:- .`). Then the rest
    /// is empty, `atom_lit` too.
    pub unsatisfiable: bool,
    /// Counts before and after simplification.
    pub report: Report,
    /// What preprocessing did.
    pub preprocessed: Preprocessed,
}

/// Nogoods in Compressed Sparse Row form, sorted by length, so that a length class is a range of ids.
#[derive(Clone, Debug, Default)]
pub struct NogoodStore {
    /// Nogood `i` is `lits[start[i] .. start[i + 1]]`.
    pub start: Vec<u32>,
    /// The literals of all nogoods.
    pub lits: Vec<Lit>,
    /// Ids `0 .. units` have one literal.
    pub units: u32,
    /// Ids `units .. binary_end` have two.
    pub binary_end: u32,
    /// Ids `binary_end .. ternary_end` have three; the rest have more.
    pub ternary_end: u32,
    /// For each literal the binary, ternary and long nogoods that contain it (the paper's `Map`).
    pub occurrences: [Csr; 3],
}

/// Rows of `u32`: row `i` is `items[start[i] .. start[i + 1]]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Csr {
    /// Row boundaries; one entry more than there are rows.
    pub start: Vec<u32>,
    /// All rows, one after the other.
    pub items: Vec<u32>,
}

/// A rule that can be applied: when `positive` holds and `body` is unassigned, the rule may be chosen, which makes
/// `body` hold.
///
/// After simplification only rules with a negative part are listed, as propagation applies the others; in the plain
/// translation all are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The rule's head; only rules of unassigned heads are chosen.
    pub head: Var,
    /// `T t_r`: holds when the positive body does. [`Lit::TRUE`] if that is empty.
    pub positive: Lit,
    /// `T b_r`: the whole body. A literal of a variable, never a constant.
    pub body: Lit,
}

/// A heuristic directive, in terms of the solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Directive {
    /// Which of the advised candidates it is about.
    pub candidate: u32,
    /// What it changes.
    pub modifier: Modifier,
    /// By how much.
    pub bias: i32,
    /// Which one counts.
    pub priority: u32,
    /// A literal or [`Lit::TRUE`].
    pub condition: Lit,
}

/// The rules of a non-tight program that can take part in a positive loop: those whose head's strongly connected
/// component has more than one atom, or an edge to itself.
#[derive(Clone, Debug, Default)]
pub struct Foundedness {
    /// Component of each program-atom variable (`0 .. atom_vars`): `u32::MAX` outside non-trivial components, else
    /// numbered so that a rule's body lies in components numbered at most as its head's.
    pub component: Vec<u32>,
    /// The variables in non-trivial components.
    pub atoms: Vec<u32>,
    /// Head variable of each rule.
    pub head: Vec<u32>,
    /// `T b_r` of each rule (a literal of a variable, or [`Lit::TRUE`] when the body holds always).
    pub body: Vec<Lit>,
    /// For each rule its positive body atoms in the head's own component.
    pub positive: Csr,
    /// For each variable `0 .. atom_vars` the rules in whose `positive` row it stands.
    pub occurs_in: Csr,
    /// Weight constraints whose atoms are on a loop.
    pub sums: Vec<LoopSum>,
}

/// A weight constraint whose atom is on a positive loop: the atom is founded when the literals that are not falsified, positive ones
/// of its own component only if they are founded, add up to the bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopSum {
    /// The variable of its atom.
    pub atom: u32,
    /// What the weights must add up to.
    pub bound: i64,
    /// Literals and weights; first those that need a foundation.
    pub lits: Vec<(Lit, i64)>,
    /// How many those are.
    pub inner: u32,
}

/// Counts before and after simplification.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Report {
    /// Rules of the program.
    pub rules: u64,
    /// Program atoms.
    pub atoms: u64,
    /// Variables of the paper's unsimplified translation: atoms plus b_r, t_r, n_r of each rule.
    pub variables_before: u64,
    /// Variables left.
    pub variables_after: u64,
    /// Nogoods of the paper's unsimplified translation.
    pub nogoods_before: u64,
    /// Nogoods left.
    pub nogoods_after: u64,
    /// Literals in the nogoods left.
    pub literals_after: u64,
    /// Distinct bodies that are left with a variable or literal of their own.
    pub bodies_after: u64,
    /// Non-trivial strongly connected components; 0 means tight.
    pub components: u64,
}

/// Translates a program into nogoods, simplified or as the paper has it.
///
/// The answer sets are the total assignments that violate no nogood and, if there is a [`Foundedness`], in which no
/// true atom is unfounded; each answer set is one such assignment.
pub fn prepare(program: &Program, simplify: bool) -> Result<Prepared, TooLarge> {
    let before = limits::Counts::of(program);
    before.check()?;
    let prepared =
        if simplify { prepare_simplified(program, simplify::ROUNDS) } else { translate::translate(program) };
    Ok(prepared.with_counts(program, before))
}

fn prepare_simplified(program: &Program, rounds: usize) -> Prepared {
    let rules = rules::Rules::shared(program);
    let links = rules.links();
    match simplify::simplify(&rules, &links, rounds) {
        Ok(known) => completion::complete(&rules, &links, &known),
        Err(simplify::Conflict) => Prepared::unsatisfiable(),
    }
}

impl Prepared {
    /// What is left of a program without answer sets.
    fn unsatisfiable() -> Prepared {
        Prepared {
            atom_lit: Vec::new(),
            vars: 0,
            atom_vars: 0,
            nogoods: store::Collector::new(true).finish(0),
            sums: SumStore::default(),
            candidates: Vec::new(),
            first_candidates: None,
            preferred: Vec::new(),
            advised: 0,
            directives: Vec::new(),
            foundedness: None,
            unsatisfiable: true,
            report: Report::default(),
            preprocessed: Preprocessed::default(),
        }
    }

    /// Makes every variable a candidate, applicable while it is open. At first bodies are decided to be true, atoms to be false: most
    /// atoms of an answer set are.
    pub fn decide_any(&mut self) {
        let first = |v: u32| Lit::new(Var(v), v >= self.atom_vars);
        self.candidates =
            (0..self.vars).map(|v| Candidate { head: Var(v), positive: Lit::TRUE, body: first(v) }).collect();
    }

    /// Makes answer sets that agree on these literals count as the same; the search decides on them before all else.
    pub fn project(&mut self, lits: impl Iterator<Item = Lit>) {
        let mut vars: Vec<Var> = lits.filter(|lit| !lit.is_constant()).map(Lit::var).collect();
        vars.sort_unstable();
        vars.dedup();
        self.first_candidates = Some(vars.len() as u32);
        let first = |head: Var| Candidate { head, positive: Lit::TRUE, body: Lit::f(head) };
        // A variable that can be chosen whenever it is open is one candidate, not two.
        self.candidates.retain(|c| {
            c.positive != Lit::TRUE || c.body.var() != c.head || vars.binary_search(&c.head).is_err()
        });
        self.candidates.splice(0..0, vars.into_iter().map(first));
    }

    /// Lets the search follow the program's heuristic directives, whose conditions have at most one literal. To be done after
    /// [`Self::project`].
    pub fn follow(&mut self, program: &Program) {
        let lit_of = |lit: Lit| {
            let t = self.atom_lit[lit.var().0 as usize];
            if lit.is_false_sign() {
                !t
            } else {
                t
            }
        };
        let mut directives: Vec<(Var, Directive)> = Vec::new();
        for h in program.heuristics.iter().filter(|_| !self.unsatisfiable) {
            let (atom, condition) =
                (lit_of(Lit::t(h.atom)), h.condition.first().map_or(Lit::TRUE, |&l| lit_of(l)));
            if !atom.is_constant() && condition != Lit::FALSE {
                let &Heuristic { modifier, bias, priority, .. } = h;
                directives
                    .push((atom.var(), Directive { candidate: 0, modifier, bias, priority, condition }));
            }
        }
        directives.sort_by_key(|&(var, _)| var);
        let mut vars: Vec<Var> = directives.iter().map(|&(var, _)| var).collect();
        vars.dedup();
        let number = |var: Var| vars.binary_search(&var).expect("it is one of them") as u32;
        self.directives =
            directives.iter().map(|&(var, d)| Directive { candidate: number(var), ..d }).collect();
        self.advised = vars.len() as u32;
        let at = self.first_candidates.unwrap_or(0) as usize;
        let decide = |head: Var| Candidate { head, positive: Lit::TRUE, body: Lit::t(head) };
        self.candidates.splice(at..at, vars.into_iter().map(decide));
    }

    /// Lets what can be decided either way always be decided as these literals say.
    pub fn prefer(&mut self, lits: impl Iterator<Item = Lit>) {
        self.preferred.resize(self.vars as usize, 0);
        for lit in lits.filter(|lit| !lit.is_constant()) {
            let sign = &mut self.preferred[lit.var().0 as usize];
            if *sign == 0 {
                *sign = 1 + lit.is_false_sign() as u32;
            }
        }
    }

    fn with_counts(mut self, program: &Program, before: limits::Counts) -> Prepared {
        self.report = Report {
            rules: program.rules() as u64,
            atoms: program.atoms as u64,
            variables_before: before.variables,
            variables_after: self.vars as u64,
            nogoods_before: before.nogoods,
            nogoods_after: self.nogoods.len() as u64,
            literals_after: self.nogoods.lits.len() as u64,
            ..self.report
        };
        self
    }
}
