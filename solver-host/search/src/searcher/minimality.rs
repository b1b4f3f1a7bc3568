//! Checks whether an answer set of a disjunctive program with head cycles is minimal.
//!
//! Main function: [`Minimality::unfounded`]. Shifting and the foundedness check leave open whether a
//! component with head cycles has a smaller model of the reduct: whether some of its atoms are an unfounded
//! set. That is a search problem of its own (Leone, Rullo and Scarcello 1997), one component at a time. The
//! problem is written once as a program, whose *inputs* stand for what the assignment says (Gebser, Kaufmann
//! and Schaub 2013). A search of its own is asked for an answer set of that program, under assumptions about
//! all inputs, and keeps what it learns from check to check. Partial assignments are checked in the same way.
//!
//! The loop nogood of an unfounded set `U` (Lee 2005) says that an atom of `U` is true. It also says that
//! each rule that could found an atom of `U` without `U` has a false body, or another true head.

use super::event::Event;
use crate::options::{GpuSearchers, ParallelMode, HAS_HOST};
use crate::{Options, SolveError};
use solver_gpu::{Lit, Var};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use yasmin_device::DeviceKind;
use yasmin_ground::program::{BuildError, Head, Program, ProgramBuilder};
use yasmin_nogoods::Shifted;

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

/// A component with a head cycle: its atoms, and the rules and sums that may found them.
struct Component {
    atoms: Vec<Var>,
    rules: Vec<Rule>,
    /// The indices of the component's sums in the program.
    sums: Vec<usize>,
}

/// A rule that may found atoms of a component.
struct Rule {
    heads: Vec<Var>,
    body: Vec<Lit>,
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
            Head::Atom(p) | Head::Choice(p) => Some((vec![p], program.body(r))),
        });
        let disjunctions =
            program.disjunctions.iter().map(|rule| (rule.heads.clone(), program.body_lits_of(rule.body)));
        for (heads, body) in rules.chain(disjunctions) {
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
        Some(Arc::new(HeadCycles(components)))
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
        let options = Options { device, parallel_mode, gpu_searchers, sign_fix: true, ..options };
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
                    let is_in_set =
                        |&(&p, &kept): &(&Var, &Lit)| is_possible(Lit::t(p)) && !found.holds(kept);
                    let of = component.atoms.iter().zip(&tester.kept);
                    let set: BTreeSet<Var> = of.filter(is_in_set).map(|(&p, _)| p).collect();
                    let nogood = component.nogood(program, &set, level);
                    return Ok(Checked::Unfounded { nogood, set });
                }
            }
        }
        Ok(Checked::Founded)
    }
}

/// The inputs of a test's program.
#[derive(Default)]
struct Inputs(BTreeMap<Lit, Var>);

impl Inputs {
    /// The input that says that `lit` holds or is open.
    fn of(&mut self, b: &mut ProgramBuilder, lit: Lit) -> Result<Lit, BuildError> {
        if let Some(&input) = self.0.get(&lit) {
            return Ok(Lit::t(input));
        }
        let input = b.hidden();
        b.choice(&[input], &[])?;
        self.0.insert(lit, input);
        Ok(Lit::t(input))
    }
}

/// The program of a test, the inputs of [`Tester::inputs`], and the literals of [`Tester::kept`].
type Written = (Program, Vec<(Lit, Var)>, Vec<Lit>);

impl Component {
    /// The program whose answer sets are the unfounded sets of an assignment, which is given by the inputs.
    /// At least one atom of the set is true. For each rule of an atom in the set, the body is false, or an
    /// atom of the body is in the set, or another head is true and not in the set.
    fn test(&self, program: &Program) -> Result<Written, BuildError> {
        let mut b = ProgramBuilder::default();
        let own: BTreeSet<Var> = self.atoms.iter().copied().collect();
        // An atom that is not kept adds a literal to the nogood for each rule that founds it from outside.
        let is_inside = |lit: &Lit| !lit.is_false_sign() && own.contains(&lit.var());
        let from_outside = self.rules.iter().filter(|rule| !rule.body.iter().any(is_inside));
        let founded = from_outside.filter_map(|rule| {
            let mut heads = rule.heads.iter().filter(|p| own.contains(p));
            heads.next().filter(|_| heads.next().is_none())
        });
        let is_costly: BTreeSet<Var> = founded.copied().collect();
        let mut kept = Vec::new();
        for p in &self.atoms {
            // The test decides that its atoms are false.
            let choice = b.hidden();
            b.choice(&[choice], &[])?;
            kept.push(Lit::new(choice, !is_costly.contains(p)));
        }
        let kept_of: HashMap<Var, Lit> = self.atoms.iter().copied().zip(kept.iter().copied()).collect();
        let mut inputs = Inputs::default();
        let mut in_set: HashMap<Var, Lit> = HashMap::new();
        let mut none_is_true = Vec::new();
        for (&p, &kept) in self.atoms.iter().zip(&kept) {
            let (may_hold, is_open) = (inputs.of(&mut b, Lit::t(p))?, inputs.of(&mut b, Lit::f(p))?);
            // What is not kept is in the set, also where nothing says so.
            let (is_outside, is_harmless) = (b.hidden(), b.hidden());
            b.rule(None, &[kept, !may_hold])?;
            b.rule(Some(is_outside), &[kept])?;
            b.rule(Some(is_outside), &[!may_hold])?;
            b.rule(Some(is_harmless), &[kept])?;
            b.rule(Some(is_harmless), &[is_open])?;
            in_set.insert(p, Lit::f(is_outside));
            none_is_true.push(Lit::t(is_harmless));
        }
        b.rule(None, &none_is_true)?;
        // A literal of a body holds without the set: an atom of the component only if it is kept.
        let holds = |b: &mut ProgramBuilder, inputs: &mut Inputs, lit: Lit| match kept_of.get(&lit.var()) {
            Some(&kept) if !lit.is_false_sign() => Ok(kept),
            _ => inputs.of(b, lit),
        };
        for sum in self.sums.iter().map(|&s| &program.sums[s]) {
            let mut lits = Vec::new();
            for &(lit, weight) in &sum.lits {
                lits.push((holds(&mut b, &mut inputs, lit)?, weight));
            }
            let reached = b.sum(sum.bound, lits)?;
            b.rule(None, &[in_set[&sum.atom], Lit::t(reached)])?;
        }
        for Rule { heads, body } in &self.rules {
            let mut refuted = Vec::new();
            for &lit in body {
                refuted.push(holds(&mut b, &mut inputs, lit)?);
            }
            // The other heads that are true and not in the set.
            for &p in heads.iter().filter(|_| heads.len() > 1) {
                let is_open = inputs.of(&mut b, Lit::f(p))?;
                refuted.push(match kept_of.get(&p) {
                    Some(&kept) => {
                        let other = b.hidden();
                        b.rule(Some(other), &[!is_open, kept])?;
                        Lit::f(other)
                    }
                    None => is_open,
                });
            }
            for p in heads.iter().filter(|p| kept_of.contains_key(p)) {
                refuted.push(in_set[p]);
                b.rule(None, &refuted)?;
                refuted.pop();
            }
        }
        Ok((b.build()?, inputs.0.into_iter().collect(), kept))
    }

    /// The loop nogood of an unfounded set of the assignment in which literals hold at the levels that
    /// `level` says.
    ///
    /// Of several literals for one rule the one of the lowest level is taken, because learning drops what is
    /// of level 1, and jumps further over what is of few levels.
    fn nogood(&self, program: &Program, set: &BTreeSet<Var>, level: impl Fn(Lit) -> u32) -> Vec<Lit> {
        let mut is_in_set = vec![false; program.atoms as usize];
        set.iter().for_each(|p| is_in_set[p.0 as usize] = true);
        let in_set = |p: Var| is_in_set[p.0 as usize];
        let lowest = |lits: &mut dyn Iterator<Item = Lit>| {
            lits.filter(|&lit| level(lit) > 0).min_by_key(|&lit| level(lit))
        };
        let mut nogood: Vec<Lit> = lowest(&mut set.iter().map(|&p| Lit::t(p))).into_iter().collect();
        for Rule { heads, body } in &self.rules {
            if !heads.iter().any(|&p| in_set(p)) || body.iter().any(|l| !l.is_false_sign() && in_set(l.var()))
            {
                continue;
            }
            let falsified = body.iter().map(|&lit| !lit);
            let others = heads.iter().filter(|&&p| !in_set(p)).map(|&p| Lit::t(p));
            nogood.extend(lowest(&mut falsified.chain(others)));
        }
        for sum in self.sums.iter().map(|&s| &program.sums[s]).filter(|sum| in_set(sum.atom)) {
            nogood.extend(sum.lits.iter().map(|&(lit, _)| !lit).filter(|&lit| level(lit) > 0));
        }
        nogood.sort_unstable();
        nogood.dedup();
        nogood
    }
}

#[cfg(test)]
mod tests;
