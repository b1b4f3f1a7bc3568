//! What the translation makes of a program: nogoods and everything else that the search needs.
//!
//! Main type: [`Prepared`]. Its methods add what a search wants besides the answer sets of the program:
//! projection, heuristic directives, preferred signs.
//!
//! Invariant: literals are those of the solver's variables. [`Prepared::literal_of`] is the one place that
//! maps a literal over the program's atoms to them.

use solver_gpu::{Lit, Var};
use std::sync::Arc;

use super::atom_map::literal_of;
use super::bodies::Bodies;
use super::foundedness::Foundedness;
use super::limits::Counts;
use super::meaning::Meaning;
use super::store::{Collector, NogoodStore};
use super::sums::SumStore;
use yasmin_ground::program::{Heuristic, Modifier, Program, Statements};

/// A program in terms of the solver: see [`prepare`](super::prepare()).
#[derive(Clone, Debug, Default)]
pub struct Prepared {
    /// The literal of the solver that stands for each program atom: `T` of the atom's variable, a constant
    /// or, after preprocessing, any literal of an atom's variable. See [`Prepared::literal_of`].
    pub atom_lit: Arc<Vec<Lit>>,
    /// The atoms that have a variable of their own although [`Prepared::atom_lit`] says a constant, with the
    /// variables: preprocessing found their values, but the foundedness check or a sum looks at them.
    pub fixed_atoms: Vec<(Var, Var)>,
    /// How many variables there are. They are numbered from 0.
    pub vars: u32,
    /// How many of the variables, the first ones, are program atoms. The others are auxiliaries (`b_r`,
    /// `t_r`, `n_r`).
    pub atom_vars: u32,
    /// All nogoods, shortest first.
    pub nogoods: Arc<NogoodStore>,
    /// The sum nogoods of weight constraints that are not written out as nogoods.
    pub sums: SumStore,
    /// The candidates that Decision may choose from (paper, section 2: the applicable rules).
    pub candidates: Vec<Candidate>,
    /// How many candidates, the first ones, are decided before all others; `None` without projection. See
    /// [`Prepared::project`].
    pub first_candidates: Option<u32>,
    /// For each variable 1 plus the sign that a decision on the variable always takes, or 0 if a decision may
    /// take either sign. Empty if all are 0. See [`Prepared::prefer`].
    pub preferred: Vec<u32>,
    /// How many candidates, after the first ones for projection, are there for heuristic directives. See
    /// [`Prepared::follow`].
    pub advised: u32,
    /// The heuristic directives, in the order of their candidates.
    pub directives: Vec<Directive>,
    /// The rules on positive loops, for the foundedness check. `None` if the program is tight.
    pub foundedness: Option<Foundedness>,
    /// Whether the translation found that the program has no answer set. Then all other fields are empty,
    /// `atom_lit` too.
    pub unsatisfiable: bool,
    /// Counts before and after simplification.
    pub report: Report,
    /// Counts and times of preprocessing.
    pub preprocessed: Preprocessed,
    /// What the variables stand for, if that was asked for.
    pub meaning: Meaning,
    /// The literals of bodies, if that was asked for.
    pub(super) bodies: Bodies,
}

/// A rule that Decision may apply: while `positive` holds and `body` is unassigned, the rule may be chosen,
/// which makes `body` hold.
///
/// The simplified translation lists only rules with a negative part, as propagation applies the others. The
/// plain translation lists all rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The variable of the rule's head. Only rules with an unassigned head are chosen.
    pub head: Var,
    /// `T t_r`, which holds when the positive body holds. [`Lit::TRUE`] if the positive body is empty.
    pub positive: Lit,
    /// `T b_r`, which holds when the whole body holds. It is a literal of a variable, never a constant.
    pub body: Lit,
}

/// A heuristic directive, in terms of the solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Directive {
    /// The index, among the advised candidates, of the one that the directive is about.
    pub candidate: u32,
    /// What the directive changes.
    pub modifier: Modifier,
    /// The new level, sign, factor or initial score.
    pub bias: i32,
    /// The priority: of several directives for one candidate, the one with the highest priority counts.
    pub priority: u32,
    /// The literal on which the directive depends, or [`Lit::TRUE`].
    pub condition: Lit,
}

/// Counts before and after simplification.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Report {
    /// Counts of what was read.
    pub statements: Statements,
    /// The number of rules of the program. A choice between several atoms is one rule for each atom.
    pub rules: u64,
    /// The number of atoms of the program.
    pub atoms: u64,
    /// The number of variables of the paper's unsimplified translation: the atoms, and `b_r`, `t_r`, `n_r` of
    /// each rule.
    pub variables_before: u64,
    /// The number of variables that are left.
    pub variables_after: u64,
    /// The number of nogoods of the paper's unsimplified translation.
    pub nogoods_before: u64,
    /// The number of nogoods that are left.
    pub nogoods_after: u64,
    /// The number of nogoods of two literals that are left.
    pub binary_after: u64,
    /// The number of nogoods of three literals that are left.
    pub ternary_after: u64,
    /// The number of literals in the nogoods that are left.
    pub literals_after: u64,
    /// The number of sum nogoods of weight constraints that are not written out.
    pub sums_after: u64,
    /// The number of distinct bodies that are left with a variable or literal of their own.
    pub bodies_after: u64,
    /// The number of non-trivial strongly connected components. A tight program has 0.
    pub components: u64,
}

/// Counts and times of preprocessing.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Preprocessed {
    /// The number of symmetries that were found; they generate more.
    pub symmetries: u64,
    /// The number of nogoods that exclude what symmetries map to other answer sets.
    pub symmetry_nogoods: u64,
    /// The number of literals that were found to be false because they failed, and of literals that follow
    /// from these.
    pub failed_literals: u64,
    /// The number of variables that were replaced by an equivalent literal.
    pub equivalent_variables: u64,
    /// The number of nogoods that were removed because a subset is a nogood.
    pub subsumed_nogoods: u64,
    /// The number of literals that self-subsuming resolution removed.
    pub strengthened_nogoods: u64,
    /// The number of auxiliary variables that were resolved away.
    pub eliminated_variables: u64,
    /// The seconds spent on symmetries.
    pub symmetry_seconds: f64,
    /// The seconds spent on failed literals.
    pub failed_seconds: f64,
    /// The seconds spent on equivalent literals.
    pub equivalent_seconds: f64,
    /// The seconds spent on subsumption.
    pub subsumed_seconds: f64,
    /// The seconds spent on elimination.
    pub eliminate_seconds: f64,
    /// The seconds spent on laying out the nogoods that are left.
    pub rebuild_seconds: f64,
}

impl Prepared {
    /// The translation of a program without answer sets.
    pub(super) fn unsatisfiable() -> Prepared {
        let nogoods = Arc::new(Collector::new(true).finish(0));
        Prepared { nogoods, unsatisfiable: true, ..Prepared::default() }
    }

    /// The literal of the solver that stands for `lit`, a literal over the program's atoms or a constant.
    pub fn literal_of(&self, lit: Lit) -> Lit {
        literal_of(&self.atom_lit, lit)
    }

    /// Makes every variable a candidate that is applicable while the variable is open. `is_true` says what a
    /// variable is decided to be at first, by the variable and whether the variable is a program atom. By
    /// default bodies are true and atoms are false, as most atoms are false in an answer set.
    pub fn decide_any(&mut self, is_true: impl Fn(Var, bool) -> bool) {
        let first = |v: u32| Lit::new(Var(v), is_true(Var(v), v < self.atom_vars));
        self.candidates =
            (0..self.vars).map(|v| Candidate { head: Var(v), positive: Lit::TRUE, body: first(v) }).collect();
    }

    /// Makes answer sets that agree on `lits` count as the same. The search decides on these literals before
    /// all others.
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

    /// Lets the search follow the program's heuristic directives. Each condition must have at most one
    /// literal, and [`Self::project`] must have been called before. Directives about a variable that is
    /// decided first anyway are left out.
    ///
    /// A variable with directives is one candidate, also if it can be chosen whenever it is open. Such a
    /// variable gets a directive that is always in force and changes nothing. As a second candidate without
    /// directives it would be chosen with another level or sign than a directive says.
    pub fn follow(&mut self, program: &Program) {
        let mut rest = self.candidates.split_off(self.first_candidates.unwrap_or(0) as usize);
        let first = &self.candidates;
        let is_first = |var: Var| first.binary_search_by_key(&var, |c| c.head).is_ok();
        let mut directives: Vec<(Var, Directive)> = Vec::new();
        for h in program.heuristics.iter().filter(|_| !self.unsatisfiable) {
            let (atom, condition) = (
                self.literal_of(Lit::t(h.atom)),
                h.condition.first().map_or(Lit::TRUE, |&l| self.literal_of(l)),
            );
            if !atom.is_constant() && condition != Lit::FALSE && !is_first(atom.var()) {
                let &Heuristic { modifier, bias, priority, .. } = h;
                directives
                    .push((atom.var(), Directive { candidate: 0, modifier, bias, priority, condition }));
            }
        }
        directives.sort_by_key(|&(var, _)| var);
        let of_each: Vec<&[(Var, Directive)]> = directives.chunk_by(|a, b| a.0 == b.0).collect();
        let mut body: Vec<Option<Lit>> = vec![None; of_each.len()];
        rest.retain(|c| {
            let is_plain = c.positive == Lit::TRUE && c.body.var() == c.head;
            match of_each.binary_search_by_key(&c.head, |of| of[0].0) {
                Ok(i) if is_plain => {
                    body[i] = Some(c.body);
                    false
                }
                _ => true,
            }
        });
        let condition = Lit::TRUE;
        for (candidate, (of, body)) in (0..).zip(of_each.iter().zip(&body)) {
            let head = of[0].0;
            self.candidates.push(Candidate { head, positive: Lit::TRUE, body: body.unwrap_or(Lit::t(head)) });
            // It comes before the others, so that any other one for the same property counts.
            let nothing = Directive { candidate, modifier: Modifier::Init, bias: 0, priority: 0, condition };
            self.directives.extend(body.map(|_| nothing));
            self.directives.extend(of.iter().map(|&(_, d)| Directive { candidate, ..d }));
        }
        self.advised = of_each.len() as u32;
        self.candidates.extend(rest);
    }

    /// Makes the search always decide for what the candidates are decided to be at first. A candidate for
    /// projection comes before the candidates of all variables, and decides as the latter do.
    pub fn prefer_first(&mut self) {
        let first: Vec<Lit> = self.candidates.iter().map(|candidate| candidate.body).collect();
        self.prefer(first.into_iter());
    }

    /// Makes the search always decide for `lits` where it may decide either way.
    pub fn prefer(&mut self, lits: impl Iterator<Item = Lit>) {
        self.preferred.resize(self.vars as usize, 0);
        for lit in lits.filter(|lit| !lit.is_constant()) {
            let sign = &mut self.preferred[lit.var().0 as usize];
            if *sign == 0 {
                *sign = 1 + lit.is_false_sign() as u32;
            }
        }
    }

    pub(super) fn with_counts(mut self, program: &Program, before: Counts) -> Prepared {
        self.report = Report {
            statements: program.statements,
            rules: program.rules() as u64,
            atoms: program.atoms as u64,
            variables_before: before.variables,
            nogoods_before: before.nogoods,
            ..self.report
        };
        self.count_what_is_left();
        self
    }

    /// Brings the counts of the report that end in `after` up to date, except that of bodies.
    pub(super) fn count_what_is_left(&mut self) {
        let nogoods = &self.nogoods;
        self.report = Report {
            variables_after: self.vars as u64,
            nogoods_after: nogoods.len() as u64,
            binary_after: (nogoods.binary_end - nogoods.units) as u64,
            ternary_after: (nogoods.ternary_end - nogoods.binary_end) as u64,
            literals_after: nogoods.lits.len() as u64,
            sums_after: self.sums.len() as u64,
            ..self.report
        };
    }
}
