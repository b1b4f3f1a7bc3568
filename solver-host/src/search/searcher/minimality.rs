//! Checks whether an answer set of a disjunctive program with head cycles is minimal.
//!
//! Main function: [`Minimality::unfounded`]. Shifting and the foundedness check leave open whether a
//! component with head cycles has a smaller model of the reduct. That is a search problem of its own (Leone,
//! Rullo and Scarcello 1997), one component at a time. The problem is written as a program over the true
//! atoms of the component, of which each may be kept or not, and another solver solves it.
//!
//! The atoms that are not kept are an unfounded set `U`. The loop nogood of `U` says that an atom `p` of `U`
//! is true, though each rule that could found an atom of `U` without `U` has a false body or another true
//! head (Lee 2005).

use super::event::Event;
use crate::nogoods::Shifted;
use crate::program::{Head, Program, ProgramBuilder, TooManyLiterals};
use crate::search::options::{GpuSearchers, ParallelMode};
use crate::search::{Options, SolveError};
use solver_gpu::{Lit, Var};
use std::collections::{BTreeSet, HashMap};

/// The components of a program that have head cycles.
pub struct Minimality {
    components: Vec<Component>,
    options: Options,
}

/// A component with a head cycle: its atoms, and the rules and sums that may found them.
struct Component {
    atoms: Vec<Var>,
    rules: Vec<(Vec<Var>, Vec<Lit>)>,
    /// The indices of the component's sums in the program.
    sums: Vec<usize>,
}

/// The result of a check.
pub enum Checked {
    /// There is no smaller model.
    Minimal,
    /// The answer set has a smaller model: `nogood`, over the program's atoms, holds in every answer set and is
    /// violated.
    Unfounded {
        /// The loop nogood.
        nogood: Vec<Lit>,
        /// The unfounded set.
        set: BTreeSet<Var>,
    },
    /// The caller asked to stop.
    Interrupted,
}

impl Minimality {
    /// Collects the components of the program that have a head cycle. `None` if there are none.
    pub fn new(program: &Program, options: Options) -> Option<Minimality> {
        if program.disjunctions.is_empty() {
            return None;
        }
        let shifted = Shifted::new(program);
        let mut number = HashMap::new();
        let mut components: Vec<Component> = Vec::new();
        for (c, _) in shifted.has_cycle.iter().enumerate().filter(|(_, has_cycle)| **has_cycle) {
            number.insert(c as u32, components.len());
            components.push(Component { atoms: Vec::new(), rules: Vec::new(), sums: Vec::new() });
        }
        if components.is_empty() {
            return None;
        }
        let of = |p: Var| number.get(&shifted.component[p.0 as usize]).copied();
        for p in (0..program.atoms).map(Var) {
            if let Some(c) = of(p) {
                components[c].atoms.push(p);
            }
        }
        let rules = program.rule_ids().filter_map(|r| match program.head(r) {
            Head::Constraint => None,
            // The reduct has the rule of a choice that was made.
            Head::Atom(p) | Head::Choice(p) => Some((vec![p], program.body(r))),
        });
        let disjunctions =
            program.disjunctions.iter().map(|rule| (rule.heads.clone(), program.body_lits_of(rule.body)));
        for (heads, body) in rules.chain(disjunctions) {
            let own: BTreeSet<usize> = heads.iter().filter_map(|&p| of(p)).collect();
            for c in own {
                components[c].rules.push((heads.clone(), body.to_vec()));
            }
        }
        for (s, sum) in program.sums.iter().enumerate() {
            if let Some(c) = of(sum.atom) {
                components[c].sums.push(s);
            }
        }
        // The check is one search of one searcher.
        let (parallel_mode, gpu_searchers) = (ParallelMode::Searchers(1), GpuSearchers::Searchers(1));
        Some(Minimality { components, options: Options { parallel_mode, gpu_searchers, ..options } })
    }

    /// Looks for a smaller model of the reduct with respect to the literals that hold. `search` searches a program for
    /// one answer set.
    ///
    /// # Errors
    /// Those of `search`.
    pub fn unfounded(
        &self,
        program: &Program,
        holds: impl Fn(Lit) -> bool + Copy,
        search: impl Fn(Program, Options) -> Result<Event, SolveError>,
    ) -> Result<Checked, SolveError> {
        for component in &self.components {
            let atoms: Vec<Var> = component.atoms.iter().copied().filter(|&p| holds(Lit::t(p))).collect();
            if atoms.is_empty() {
                continue;
            }
            let kept = component.smaller(program, &atoms, holds).map_err(|_| {
                SolveError::Internal("the check for smaller models has more than 2^32 literals")
            })?;
            match search(kept, self.options)? {
                Event::Exhausted => {}
                Event::Interrupted => return Ok(Checked::Interrupted),
                Event::Paused | Event::Idle => {
                    return Err(SolveError::Internal("the check for smaller models has no outcome"));
                }
                Event::Answer(smaller) => {
                    let is_kept = |i: usize| smaller.holds(Lit::t(Var(i as u32)));
                    let unfounded: BTreeSet<Var> =
                        atoms.iter().enumerate().filter(|&(i, _)| !is_kept(i)).map(|(_, &p)| p).collect();
                    let nogood = component.nogood(program, &unfounded, holds);
                    return Ok(Checked::Unfounded { nogood, set: unfounded });
                }
            }
        }
        Ok(Checked::Minimal)
    }
}

impl Component {
    /// The program whose answer sets are the smaller models. Its atom `i` says that `atoms[i]` is kept.
    fn smaller(
        &self,
        program: &Program,
        atoms: &[Var],
        holds: impl Fn(Lit) -> bool + Copy,
    ) -> Result<Program, TooManyLiterals> {
        let mut b = ProgramBuilder::default();
        let kept: HashMap<Var, Var> =
            atoms.iter().enumerate().map(|(i, &p)| (p, b.atom(i as u64 + 1))).collect();
        let all: Vec<Var> = atoms.iter().map(|p| kept[p]).collect();
        b.choice(&all, &[])?;
        b.rule(None, &all.iter().map(|&p| Lit::t(p)).collect::<Vec<_>>())?;
        for (heads, body) in &self.rules {
            let is_outside = |p: Var| !kept.contains_key(&p);
            let is_satisfied = heads.iter().any(|&p| is_outside(p) && holds(Lit::t(p)));
            let own: Vec<Lit> = heads.iter().filter_map(|p| kept.get(p)).map(|&p| Lit::f(p)).collect();
            if is_satisfied || own.is_empty() || !body.iter().all(|&lit| holds(lit)) {
                continue;
            }
            let positive = body.iter().filter(|lit| !lit.is_false_sign());
            let mut nogood: Vec<Lit> =
                positive.filter_map(|lit| kept.get(&lit.var())).map(|&p| Lit::t(p)).collect();
            nogood.extend(own);
            b.rule(None, &nogood)?;
        }
        for sum in self.sums.iter().map(|&s| &program.sums[s]) {
            let Some(&atom) = kept.get(&sum.atom) else { continue };
            let mut bound = sum.bound;
            let mut lits = Vec::new();
            for &(lit, weight) in sum.lits.iter().filter(|(lit, _)| holds(*lit)) {
                match kept.get(&lit.var()) {
                    Some(&p) if !lit.is_false_sign() => lits.push((Lit::t(p), weight)),
                    _ => bound -= weight as i64,
                }
            }
            let reached = b.sum(bound, lits);
            b.rule(None, &[Lit::t(reached), Lit::f(atom)])?;
        }
        b.build()
    }

    /// The loop nogood of an unfounded set.
    fn nogood(&self, program: &Program, unfounded: &BTreeSet<Var>, holds: impl Fn(Lit) -> bool) -> Vec<Lit> {
        let in_set = |lit: &Lit| !lit.is_false_sign() && unfounded.contains(&lit.var());
        let mut nogood: BTreeSet<Lit> = unfounded.first().map(|&p| Lit::t(p)).into_iter().collect();
        for (heads, body) in &self.rules {
            if !heads.iter().any(|p| unfounded.contains(p)) || body.iter().any(in_set) {
                continue;
            }
            let falsified = body.iter().find(|&&lit| !holds(lit)).map(|&lit| !lit);
            let other = || heads.iter().find(|&&p| !unfounded.contains(&p) && holds(Lit::t(p)));
            nogood.extend(falsified.or_else(|| other().map(|&p| Lit::t(p))));
        }
        for sum in self.sums.iter().map(|&s| &program.sums[s]).filter(|sum| unfounded.contains(&sum.atom)) {
            nogood.extend(sum.lits.iter().filter(|(lit, _)| !holds(*lit)).map(|&(lit, _)| !lit));
        }
        nogood.into_iter().collect()
    }
}
