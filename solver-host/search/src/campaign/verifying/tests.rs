//! Which answer sets are verified, and what becomes of a wrong one. An executor that changes what it copies
//! to the host makes wrong ones.

use crate::Check;
use crate::{AnswerSet, Engine, Goal, Optimization, Options, Problem, Projection, Reasoning, SolveError};
use crate::{Flaw, Solver, Step};
use solver_gpu::{Lit, Search, Var};
use std::sync::Arc;
use yasmin_device::{
    DeviceError, DeviceKind, Executor, Geometry, Kernel, Progress, Setup, Traffic, Work as LaunchWork,
};
use yasmin_ground::program::{Output, Program, ProgramBuilder};

/// Flips a variable in each answer set from the one of a given number on, where answer sets are copied to the
/// host.
struct Faulty {
    inner: Box<dyn Executor>,
    var: usize,
    /// The first wrong answer set, from 0.
    first: usize,
    /// How many answer sets were copied.
    copied: usize,
    search: Option<Search>,
}

impl Executor for Faulty {
    fn download(&mut self, address: u64, data: &mut [u8]) -> Result<(), DeviceError> {
        self.inner.download(address, data)?;
        let Some(search) = &self.search else { return Ok(()) };
        let own = &search.own;
        let (row, flip): (usize, fn(&mut [u8], usize)) = if address == own.answers.address() {
            let words = search.problem.atom_vars.div_ceil(32).max(1) as usize;
            (4 * words, |row, var| row[var / 8] ^= 1 << (var % 8))
        } else if address == own.value.address() {
            (data.len(), |row, var| {
                let values: &mut [i32] = bytemuck::cast_slice_mut(row);
                values[var] = -values[var];
            })
        } else {
            return Ok(());
        };
        for answer in data.chunks_exact_mut(row) {
            if self.copied >= self.first {
                flip(answer, self.var);
            }
            self.copied += 1;
        }
        Ok(())
    }

    fn launch(&mut self, kernel: Kernel, work: LaunchWork, search: &Search) -> Result<(), DeviceError> {
        self.search = Some(*search);
        self.inner.launch(kernel, work, search)
    }

    fn start(&mut self, geometry: Geometry, search: &Search) -> Result<(), DeviceError> {
        self.search = Some(*search);
        self.inner.start(geometry, search)
    }

    fn poll(&mut self) -> Result<Progress, DeviceError> {
        self.inner.poll()
    }

    fn upload(&mut self, address: u64, data: &[u8]) -> Result<(), DeviceError> {
        self.inner.upload(address, data)
    }

    fn name(&self) -> String {
        self.inner.name()
    }

    fn sibling(&self, setup: Setup) -> Result<Box<dyn Executor>, DeviceError> {
        self.inner.sibling(setup)
    }

    fn alloc(&mut self, bytes: usize) -> Result<u64, DeviceError> {
        self.inner.alloc(bytes)
    }

    fn free(&mut self, address: u64) {
        self.inner.free(address);
    }

    fn copy(&mut self, to: u64, from: u64, bytes: usize) -> Result<(), DeviceError> {
        self.inner.copy(to, from, bytes)
    }

    fn synchronize(&mut self) -> Result<(), DeviceError> {
        self.inner.synchronize()
    }

    fn load(&mut self, kernel: Kernel) -> Result<(), DeviceError> {
        self.inner.load(kernel)
    }

    fn stop_word(&mut self) -> Result<u64, DeviceError> {
        self.inner.stop_word()
    }

    fn ask_to_return(&self) {
        self.inner.ask_to_return();
    }

    fn threads(&self) -> u32 {
        self.inner.threads()
    }

    fn rounds_a_launch(&self) -> u32 {
        self.inner.rounds_a_launch()
    }

    fn rounds_at_once(&self) -> u32 {
        self.inner.rounds_at_once()
    }

    fn traffic(&self) -> Traffic {
        self.inner.traffic()
    }
}

/// `a_i :- not b_i. b_i :- not a_i.` for each `i`, where each `a_i` costs 1. Never are both true.
fn pairs(count: u64) -> Program {
    let mut b = ProgramBuilder::default();
    for i in 0..count {
        let [p, q] = [b.atom(2 * i + 1), b.atom(2 * i + 2)];
        b.rule(Some(p), &[Lit::f(q)]).expect("few");
        b.rule(Some(q), &[Lit::f(p)]).expect("few");
        b.minimize(0, &[(Lit::t(p), 1)]).expect("few");
        b.output(Output { name: format!("a({i})"), condition: vec![Lit::t(p)] });
        b.output(Output { name: format!("both({i})"), condition: vec![Lit::t(p), Lit::t(q)] });
    }
    b.build().expect("few")
}

const ENGINES: [Engine; 2] = [Engine::Host, Engine::Resident];

fn enumerate() -> Goal {
    Goal { optimization: Optimization::Ignore, ..Goal::default() }
}

/// A search whose answer sets are wrong from number `first` on, counted from 0.
fn faulty(count: u64, goal: &Goal, engine: Engine, check: Check, first: usize) -> Solver {
    let options = Options { engine, check, simplify: false, device: DeviceKind::Cpu, ..Options::default() };
    let problem = Arc::new(Problem::new(pairs(count), &options, goal).expect("small"));
    let var = problem.task.prepared.atom_lit[0].var().0 as usize;
    let wrap = |inner| Box::new(Faulty { inner, var, first, copied: 0, search: None }) as Box<dyn Executor>;
    Solver::wrapped(&problem, options, wrap).expect("a working device")
}

/// How many answer sets a search hands out, and its error if it has one.
fn outcome(solver: &mut Solver, most: usize) -> (usize, Option<SolveError>) {
    for found in 0..most {
        match solver.next_answer(&|| false) {
            Ok(Step::Answer(_)) => {}
            Ok(_) => return (found, None),
            Err(error) => return (found, Some(error)),
        }
    }
    (most, solver.check_end().err())
}

fn is_wrong(error: &Option<SolveError>) -> bool {
    matches!(error, Some(SolveError::WrongAnswer(Flaw::Violated(_) | Flaw::Unfounded { .. })))
}

#[test]
fn without_checks_a_wrong_answer_set_is_handed_out() {
    for engine in ENGINES {
        let mut solver = faulty(3, &enumerate(), engine, Check::No, 0);
        assert_eq!(outcome(&mut solver, usize::MAX), (8, None), "{engine:?}");
        assert_eq!(solver.statistics().checked_answers, 0);
    }
}

#[test]
fn a_wrong_first_answer_set_is_not_handed_out() {
    for engine in ENGINES {
        for check in [Check::All, Check::Auto] {
            let (found, error) = outcome(&mut faulty(3, &enumerate(), engine, check, 0), usize::MAX);
            assert!(found == 0 && is_wrong(&error), "{engine:?} {check:?} {found} {error:?}");
        }
    }
}

#[test]
fn no_wrong_answer_set_is_handed_out_if_all_are_checked() {
    for engine in ENGINES {
        for first in [1, 5, 1000, 1023] {
            let (found, error) =
                outcome(&mut faulty(10, &enumerate(), engine, Check::All, first), usize::MAX);
            assert!(found == first && is_wrong(&error), "{engine:?} {found} {error:?}");
        }
    }
}

#[test]
fn the_last_answer_set_is_checked() {
    for engine in ENGINES {
        // There are 2^11: the last one only is wrong, or all from some number on of which some are looked
        // for.
        let (found, error) = outcome(&mut faulty(11, &enumerate(), engine, Check::Auto, 2047), usize::MAX);
        assert!(found == 2047 && is_wrong(&error), "{engine:?} {found} {error:?}");
        let (found, error) = outcome(&mut faulty(11, &enumerate(), engine, Check::Auto, 1500), 1501);
        assert!((1500..=1501).contains(&found) && is_wrong(&error), "{engine:?} {found} {error:?}");
    }
}

#[test]
fn the_optimum_is_checked_before_it_is_known() {
    for engine in ENGINES {
        for (optimization, reasoning) in [
            (Optimization::Opt, Reasoning::Enumerate),
            (Optimization::OptN, Reasoning::Enumerate),
            (Optimization::Opt, Reasoning::Cautious),
        ] {
            // How many answer sets lead to the optimum depends on the search.
            let goal = Goal { optimization, reasoning, ..Goal::default() };
            let mut right = faulty(6, &goal, engine, Check::Auto, usize::MAX);
            let mut improving = 0;
            while let Step::Answer(answer) = right.next_answer(&|| false).expect("nothing is wrong") {
                improving += usize::from(!right.is_optimum_known());
                assert!(answer.costs.len() == 1);
            }
            assert!(improving >= 1 && right.is_optimum_known());
            let mut solver = faulty(6, &goal, engine, Check::Auto, improving - 1);
            let (found, error) = outcome(&mut solver, usize::MAX);
            assert!(found <= improving && is_wrong(&error), "{engine:?} {goal:?} {found} {error:?}");
        }
    }
}

#[test]
fn every_way_of_reasoning_is_checked() {
    for engine in ENGINES {
        for reasoning in [Reasoning::Brave, Reasoning::Cautious] {
            let goal = Goal { reasoning, ..enumerate() };
            let mut right = faulty(4, &goal, engine, Check::All, usize::MAX);
            assert_eq!(outcome(&mut right, usize::MAX).1, None);
            assert_eq!(right.statistics().checked_answers, right.statistics().answer_sets);
            let last = right.statistics().answer_sets as usize - 1;
            let (found, error) = outcome(&mut faulty(4, &goal, engine, Check::All, last), usize::MAX);
            assert!(found == last && is_wrong(&error), "{engine:?} {reasoning:?} {found} {error:?}");
        }
        let goal = Goal { projection: Projection::Show, ..enumerate() };
        assert!(is_wrong(&outcome(&mut faulty(4, &goal, engine, Check::All, 3), usize::MAX).1));
    }
}

#[test]
fn checks_take_their_share_of_the_time() {
    let mut solver = faulty(14, &enumerate(), Engine::Resident, Check::Auto, usize::MAX);
    assert_eq!(outcome(&mut solver, usize::MAX), (1 << 14, None));
    let s = solver.statistics();
    assert!((2..1 << 14).contains(&s.checked_answers), "{s:?}");
    assert!(s.check_seconds > 0.0);
}

#[test]
fn wrong_costs_and_wrong_names_are_found() {
    let goal = Goal { optimization: Optimization::Enum, ..Goal::default() };
    let mut solver = faulty(3, &goal, Engine::Host, Check::No, usize::MAX);
    let Ok(Step::Answer(answer)) = solver.next_answer(&|| false) else { panic!("there is one") };
    assert_eq!(solver.campaign.check(&answer), Ok(()));
    let mut dear = answer.clone();
    dear.costs[0] += 1;
    assert!(matches!(solver.campaign.check(&dear), Err(SolveError::WrongAnswer(Flaw::Costs { .. }))));
    let mut unprinted = answer.clone();
    unprinted.costs.clear();
    assert!(solver.campaign.check(&unprinted).is_err());
    // What is said to be an intersection so far has something that does not hold.
    let mut cautious = answer.clone();
    cautious.printed = Some(vec![true; solver.program().outputs.len()]);
    assert!(matches!(solver.campaign.check(&cautious), Err(SolveError::WrongAnswer(Flaw::Shown(_)))));
    cautious.printed = Some(vec![false; solver.program().outputs.len()]);
    assert_eq!(solver.campaign.check(&cautious), Ok(()), "an intersection may be smaller");
    // A union so far lacks what holds.
    let brave = Goal { reasoning: Reasoning::Brave, ..enumerate() };
    let mut solver = faulty(3, &brave, Engine::Host, Check::No, usize::MAX);
    let Ok(Step::Answer(mut answer)) = solver.next_answer(&|| false) else { panic!("there is one") };
    assert_eq!(solver.campaign.check(&answer), Ok(()));
    let mut values = answer.atom_values();
    values[..2].copy_from_slice(&[true, false]);
    answer.values = AnswerSet::of(&values).values;
    let first = |shown| Some(vec![shown, false, true, false, true, false]);
    answer.printed = first(true);
    // The second pair may be the other way round; only names are wrong from here on.
    let told = |solver: &mut Solver, answer: &AnswerSet| match solver.campaign.check(answer) {
        Err(SolveError::WrongAnswer(Flaw::Shown(name))) => name,
        _ => String::new(),
    };
    assert_eq!(told(&mut solver, &answer), "");
    answer.printed = first(false);
    assert_eq!(told(&mut solver, &answer), "a(0)");
}

#[test]
fn a_program_that_is_searched_has_a_checker_once() {
    let options = Options { device: DeviceKind::Cpu, ..Options::default() };
    let problem = Arc::new(Problem::new(pairs(2), &options, &enumerate()).expect("small"));
    let mut seen: Vec<*const yasmin_ground::check::Checker> = Vec::new();
    for seed in 0..2 {
        let mut solver = Solver::of(&problem, Options { seed, ..options }).expect("a working device");
        let Ok(Step::Answer(answer)) = solver.next_answer(&|| false) else { panic!("there is one") };
        assert!(answer.holds(Lit::t(Var(0))) != answer.holds(Lit::t(Var(1))));
        seen.push(solver.campaign.task.checker());
    }
    assert_eq!(seen[0], seen[1]);
}
