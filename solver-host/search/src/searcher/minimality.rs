//! Checks whether an answer set of a disjunctive program with head cycles is minimal.
//!
//! Main function: [`Minimality::unfounded`]. Shifting and the foundedness check leave open whether a
//! component with head cycles has a smaller model of the reduct: whether some of its atoms are an unfounded
//! set. That is a search problem of its own (Leone, Rullo and Scarcello 1997), one component at a time. The
//! problem is written once as a program, whose *inputs* stand for what the assignment says (Gebser, Kaufmann
//! and Schaub 2013). A search of its own is asked for an answer set of that program, under assumptions about
//! all inputs, and keeps what it learns from check to check. Partial assignments are checked in the same way.
//!
//! What is learned is about the part of an unfounded set that one true atom needs. The loop nogood of an
//! unfounded set `U` (Lee 2005) says that an atom of `U` is true. It also says that
//! each rule that could found an atom of `U` without `U` has a false body, or another true head.

use super::event::Event;
use crate::options::{GpuSearchers, ParallelMode, HAS_HOST};
use crate::{Options, SolveError};
use component::{Component, Rule};
use solver_gpu::{Lit, Var};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use yasmin_device::DeviceKind;
use yasmin_ground::program::{Head, Program};
use yasmin_nogoods::Shifted;

mod component;

/// A search that is asked for one answer set after another, each under other assumptions.
pub trait Test: Send {
    /// Looks for an answer set in which these literals hold, which are about the program's atoms.
    ///
    /// # Errors
    /// If the device fails or memory runs out.
    fn ask(&mut self, assumed: &[Lit], interrupt: &dyn Fn() -> bool) -> Result<Event, SolveError>;
}

/// The components of a program that have head cycles. All searches of the program share them.
pub struct HeadCycles(Vec<Component>);

/// The checks of one search.
pub struct Minimality {
    cycles: Arc<HeadCycles>,
    /// For each component the test for smaller models, once there was one.
    testers: Vec<Option<Tester>>,
    options: Options,
}

/// The test for unfounded sets of a component. Its program has, for each atom of the component, an atom that
/// says that the atom is *kept*: that it is not in the unfounded set.
struct Tester {
    search: Box<dyn Test>,
    /// Literals of the solved program, and for each its input: the test's atom that says that the literal
    /// holds or is open.
    inputs: Vec<(Lit, Var)>,
    /// For each atom of the component the test's literal that says that the atom is kept.
    kept: Vec<Lit>,
    /// The assumptions under which there was no unfounded set when the component was last searched in vain.
    last: Vec<Lit>,
}

/// The result of a check.
pub enum Checked {
    /// There is no unfounded set. A total assignment is minimal then.
    Founded,
    /// There is an unfounded set.
    Unfounded {
        /// The loop nogood, over the program's atoms. It holds in every answer set and is violated.
        nogood: Vec<Lit>,
        /// The unfounded set.
        set: BTreeSet<Var>,
    },
    /// The caller asked to stop.
    Interrupted,
}

impl HeadCycles {
    /// Collects the components of the program that have a head cycle. `None` if there are none.
    pub fn of(program: &Program) -> Option<Arc<HeadCycles>> {
        if program.disjunctions.is_empty() {
            return None;
        }
        let shifted = Shifted::new(program);
        let mut number = HashMap::new();
        for (c, _) in shifted.has_cycle.iter().enumerate().filter(|(_, has_cycle)| **has_cycle) {
            number.insert(c as u32, number.len());
        }
        if number.is_empty() {
            return None;
        }
        let mut components: Vec<Component> = Vec::new();
        components.resize_with(number.len(), Component::default);
        let of = |p: Var| number.get(&shifted.component[p.0 as usize]).copied();
        for p in (0..program.atoms).map(Var) {
            if let Some(c) = of(p) {
                components[c].atoms.push(p);
            }
        }
        let rules = program.rule_ids().filter_map(|r| match program.head(r) {
            Head::Constraint => None,
            Head::Atom(p) | Head::Choice(p) => Some((vec![p], program.body(r))),
        });
        let disjunctions =
            program.disjunctions.iter().map(|rule| (rule.heads.clone(), program.body_lits_of(rule.body)));
        for (mut heads, body) in rules.chain(disjunctions) {
            heads.sort_unstable();
            heads.dedup();
            let own: BTreeSet<usize> = heads.iter().filter_map(|&p| of(p)).collect();
            for c in own {
                components[c].rules.push(Rule { heads: heads.clone(), body: body.to_vec() });
            }
        }
        for (s, sum) in program.sums.iter().enumerate() {
            if let Some(c) = of(sum.atom) {
                components[c].sums.push(s);
            }
        }
        Some(Arc::new(HeadCycles(components.into_iter().map(Component::indexed).collect())))
    }
}

impl Minimality {
    /// Checks of the components that have not been checked yet.
    pub fn new(cycles: &Arc<HeadCycles>, options: Options) -> Minimality {
        // The check is one search of one searcher.
        let (parallel_mode, gpu_searchers) = (ParallelMode::Searchers(1), GpuSearchers::Searchers(1));
        // Each assumption of a test is a round, and a round of the processor is the shorter one.
        let device = if HAS_HOST { DeviceKind::Cpu } else { options.device };
        // A test that decides as was good the last time finds nearly the same nogood again and again.
        // It keeps no phases that it could leave.
        let signs = Options { sign_fix: true, rephase: 0, ..options };
        let options = Options { device, parallel_mode, gpu_searchers, ..signs };
        let testers = cycles.0.iter().map(|_| None).collect();
        Minimality { cycles: cycles.clone(), testers, options }
    }

    /// Looks for an unfounded set, one of whose atoms is true, of an assignment that may be partial. `level`
    /// is the level at which a literal holds, or 0 if it does not hold. `open` makes a search of a program.
    ///
    /// # Errors
    /// Those of `open` and of the search.
    pub fn unfounded(
        &mut self,
        program: &Program,
        level: impl Fn(Lit) -> u32 + Copy,
        open: impl Fn(Program, Options) -> Result<Box<dyn Test>, SolveError>,
        interrupt: &dyn Fn() -> bool,
    ) -> Result<Checked, SolveError> {
        let holds = |lit: Lit| level(lit) > 0;
        for (component, tester) in self.cycles.0.iter().zip(&mut self.testers) {
            if !component.atoms.iter().any(|&p| holds(Lit::t(p))) {
                continue;
            }
            let tester = match tester {
                Some(tester) => tester,
                None => {
                    let (test, inputs, kept) = component.test(program).map_err(|_| {
                        SolveError::Internal("the check for smaller models has more than 2^32 literals")
                    })?;
                    let search = open(test, self.options)?;
                    tester.insert(Tester { search, inputs, kept, last: Vec::new() })
                }
            };
            let is_possible = |lit: Lit| !holds(!lit);
            let inputs = tester.inputs.iter().map(|&(lit, input)| Lit::new(input, is_possible(lit)));
            let assumed: Vec<Lit> = inputs.collect();
            if tester.last == assumed {
                continue;
            }
            match tester.search.ask(&assumed, interrupt)? {
                Event::Exhausted => tester.last = assumed,
                Event::Interrupted => return Ok(Checked::Interrupted),
                Event::Paused | Event::Idle => {
                    return Err(SolveError::Internal("the check for smaller models has no outcome"));
                }
                Event::Answer(found) => {
                    let is_in_set = |(&p, &kept): (&Var, &Lit)| is_possible(Lit::t(p)) && !found.holds(kept);
                    let of = component.atoms.iter().zip(&tester.kept);
                    let set = component.part(program, &of.map(is_in_set).collect(), level);
                    let nogood = component.nogood(program, &set, level);
                    let set = Component::numbers(&set).map(|at| component.atoms[at]).collect();
                    return Ok(Checked::Unfounded { nogood, set });
                }
            }
        }
        Ok(Checked::Founded)
    }
}

#[cfg(test)]
mod tests;
