//! Solvers that answer many questions at once find what a new solver finds for each.

use super::{Desk, Finding, Inquiry, Own};
use crate::lockstep::programs::{goal, pigeons, rich_program, threes};
use crate::threads::{find, found, Found};
use crate::{
    Check, Goal, GpuSearchers, Options, ParallelMode, Problem, Reasoning, SearcherThreads, SolveError,
    Solver, When,
};
use solver_gpu::hash::mix;
use solver_gpu::{Lit, Var};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::Duration;
use yasmin_device::DeviceKind;
use yasmin_ground::program::{Head, Program};

const LONG: Duration = Duration::from_secs(100);

/// What a new solver finds.
fn fresh(program: &Program, goal: &Goal, lits: &[Lit], excluded: &[Vec<Lit>]) -> Found {
    let mut program = program.clone();
    lits.iter().for_each(|&lit| program.push(Head::Constraint, &[!lit]));
    excluded.iter().for_each(|lits| program.push(Head::Constraint, lits));
    let options = options(DeviceKind::Cpu, 1);
    find(&mut Solver::with_goal(program, options, goal.clone()).expect("a small program"), goal)
}

fn options(device: DeviceKind, solvers: usize) -> Options {
    // Each question lasts long enough to be divided.
    let join_after = When::Milliseconds(0);
    Options { device, parallel_mode: ParallelMode::Searchers(solvers), join_after, ..Options::default() }
}

fn desk(program: Program, goal: &Goal, options: Options) -> Desk {
    Desk::new(&Arc::new(Problem::new(program, &options, goal).expect("a small program")), options)
}

fn check(device: DeviceKind, programs: u64, questions: u64) {
    let (mut refuted, mut found_some, mut minimal) = (0, 0, 0);
    for seed in yasmin_seeds::seeds(programs) {
        let (mut program, goal) = (rich_program(seed), goal(mix(seed)));
        if goal.reasoning != Reasoning::Enumerate {
            // As in the tests of one living solver.
            program.projection = None;
        }
        let options = Options { seed, ..options(device, [1, 3][seed as usize % 2]) };
        let mut desk = desk(program.clone(), &goal, options);
        let mut random = seed << 8;
        let mut below = |n: u64| {
            random = mix(random.wrapping_add(1));
            random % n
        };
        let asked: Vec<Inquiry> = (0..questions)
            .map(|_| {
                let atoms = (0..program.atoms).filter(|_| below(100) < 25).collect::<Vec<_>>();
                let lits = atoms.into_iter().map(|atom| Lit::new(Var(atom), below(2) == 0)).collect();
                let lists = if below(2) == 0 && program.atoms > 0 { below(3) } else { 0 };
                let mut excluded = Vec::new();
                for _ in 0..lists {
                    let (first, len) = (below(u64::from(program.atoms)) as u32, below(4) as u32);
                    let atoms = (0..=len).map(|i| Var((first + i) % program.atoms));
                    excluded.push(atoms.map(|atom| Lit::new(atom, below(2) == 0)).collect());
                }
                let (wanted, minimal_core) = (below(3), below(2) == 0);
                Inquiry { lits, excluded, wanted, minimal_core, ..Inquiry::default() }
            })
            .collect();
        let mut findings: HashMap<u64, Finding> = HashMap::new();
        for (number, inquiry) in asked.iter().enumerate() {
            assert_eq!(desk.ask(inquiry.clone()), Ok(number as u64));
            // Some come late.
            if below(3) == 0 {
                let (number, found) = desk.next(LONG).expect("in time");
                findings.insert(number, found.expect("a working device"));
            }
        }
        while desk.open() > 0 {
            let (number, found) = desk.next(LONG).expect("in time");
            findings.insert(number, found.expect("a working device"));
        }
        assert_eq!(findings.len(), asked.len());
        for (number, Inquiry { lits, excluded, wanted, minimal_core, .. }) in asked.iter().enumerate() {
            let what =
                || format!("seed {seed}, question {number}, {goal:?}, {lits:?}, {excluded:?}, {options:?}");
            let (finding, expected) = (&findings[&(number as u64)], fresh(&program, &goal, lits, excluded));
            let found = found(&finding.answers, &program, &goal);
            if *wanted == 0 || goal.reasoning != Reasoning::Enumerate {
                assert_eq!(found, expected, "{}", what());
                assert!(finding.is_exhausted, "{}", what());
            } else {
                assert!(found.is_subset(&expected), "{}", what());
                assert!(found.len() >= expected.len().min(*wanted as usize), "{}", what());
            }
            found_some += u32::from(!expected.is_empty());
            assert_eq!(
                finding.core.is_some(),
                finding.answers.is_empty() && finding.is_exhausted,
                "{}",
                what()
            );
            let Some(core) = &finding.core else { continue };
            refuted += 1;
            assert!(core.iter().all(|lit| lits.contains(lit)), "{}", what());
            assert_eq!(
                fresh(&program, &goal, core, excluded),
                Found::new(),
                "{core:?} is no core: {}",
                what()
            );
            if *minimal_core && goal.reasoning == Reasoning::Enumerate {
                minimal += 1;
                for at in 0..core.len() {
                    let rest = [&core[..at], &core[at + 1..]].concat();
                    assert_ne!(
                        fresh(&program, &goal, &rest, excluded),
                        Found::new(),
                        "{core:?} is not minimal: {}",
                        what()
                    );
                }
            }
        }
    }
    assert!(refuted > 10 && found_some > 10 && minimal > 5, "{refuted} {found_some} {minimal}");
}

#[test]
fn questions_on_cpu() {
    check(DeviceKind::Cpu, 300, 20);
}

#[test]
fn questions_on_simt() {
    check(DeviceKind::Simt, 12, 6);
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn questions_on_gpu() {
    check(DeviceKind::Gpu(0), 50, 20);
}

#[test]
fn what_solvers_learn_holds_for_the_others() {
    let (mut satisfiable, mut refuted) = (0, 0);
    for seed in yasmin_seeds::seeds(3) {
        let program = threes(60, seed);
        let mut desk = desk(program.clone(), &Goal::default(), options(DeviceKind::Cpu, 3));
        let lits = |number: u64| -> Vec<Lit> {
            (0..4)
                .map(|i| mix(mix(seed) ^ (4 * number + i)))
                .map(|n| Lit::new(Var(n as u32 % 60), n >> 40 & 1 == 1))
                .collect()
        };
        for number in 0..40 {
            desk.ask(Inquiry { lits: lits(number), wanted: 1, ..Inquiry::default() }).expect("a thread");
        }
        while desk.open() > 0 {
            let (number, found) = desk.next(LONG).expect("in time");
            let found = found.expect("a working device");
            let expected = fresh(&program, &Goal::default(), &lits(number), &[]);
            assert_eq!(found.answers.is_empty(), expected.is_empty(), "seed {seed}, question {number}");
            match found.answers.is_empty() {
                true => refuted += 1,
                false => satisfiable += 1,
            }
        }
    }
    assert!(satisfiable + refuted == 120, "{satisfiable} {refuted}");
}

#[test]
fn what_questions_exclude_is_forgotten_and_what_they_have_learned_is_not() {
    let (mut answers, mut refuted) = (0, 0);
    for seed in yasmin_seeds::seeds(8) {
        let program = threes(24, seed);
        // So many questions that a solver runs out of guards several times.
        let mut desk = desk(program.clone(), &Goal::default(), options(DeviceKind::Cpu, 1));
        let asked: Vec<Inquiry> = (0..300)
            .map(|number| {
                let mut random = mix(seed << 10 | number);
                let mut lit = || {
                    random = mix(random.wrapping_add(1));
                    Lit::new(Var(random as u32 % 24), random >> 40 & 1 == 1)
                };
                let excluded = vec![vec![lit(), lit()], vec![lit(), lit(), lit()]];
                Inquiry { lits: vec![lit()], excluded, ..Inquiry::default() }
            })
            .collect();
        for inquiry in &asked {
            desk.ask(inquiry.clone()).expect("a thread");
        }
        while desk.open() > 0 {
            let (number, finding) = desk.next(LONG).expect("in time");
            let (finding, of) = (finding.expect("a working device"), &asked[number as usize]);
            let expected = fresh(&program, &Goal::default(), &of.lits, &of.excluded);
            let told = found(&finding.answers, &program, &Goal::default());
            assert_eq!(told, expected, "seed {seed}, question {number}");
            assert_eq!(finding.answers.len(), expected.len(), "seed {seed}, question {number}: one twice");
            answers += expected.len();
            refuted += u32::from(expected.is_empty());
        }
    }
    assert!(answers > 1000 && refuted > 100, "{answers} {refuted}");
}

#[test]
fn a_question_that_lasts_is_divided() {
    let mut parts = 0;
    for seed in yasmin_seeds::seeds(4) {
        let program = threes(70, seed);
        let mut desk = desk(program.clone(), &Goal::default(), options(DeviceKind::Cpu, 3));
        let lits = vec![Lit::new(Var(seed as u32 % 70), seed % 2 == 0)];
        desk.ask(Inquiry { lits: lits.clone(), ..Inquiry::default() }).expect("a thread");
        let (_, finding) = desk.next(LONG).expect("in time");
        let finding = finding.expect("a working device");
        let expected = fresh(&program, &Goal::default(), &lits, &[]);
        assert_eq!(found(&finding.answers, &program, &Goal::default()), expected, "seed {seed}");
        assert!(finding.is_exhausted && finding.core.is_some() == expected.is_empty(), "seed {seed}");
        parts += finding.parts;
    }
    // Pigeons are refuted by nobody soon. On a machine with other work a thread may be idle too late to help.
    let is_divided = || {
        let mut desk = desk(pigeons(8, 7, 0), &Goal::default(), options(DeviceKind::Cpu, 2));
        desk.ask(Inquiry { lits: vec![Lit::t(Var(0))], ..Inquiry::default() }).expect("a thread");
        let (_, finding) = desk.next(LONG).expect("in time");
        let finding = finding.expect("a working device");
        assert!(finding.is_exhausted && finding.answers.is_empty() && finding.core.is_some());
        finding.parts > 1
    };
    assert!((0..50).any(|_| is_divided()) && parts >= 4, "{parts}");
}

#[test]
fn each_question_has_a_finding_whatever_becomes_of_it() {
    // Too many pigeons: nobody waits for the end.
    let mut desk = desk(pigeons(12, 11, 0), &Goal::default(), options(DeviceKind::Cpu, 2));
    let is_over = Arc::new(AtomicBool::new(false));
    let mine = is_over.clone();
    let stops =
        Inquiry { is_over: Some(Arc::new(move || mine.load(Ordering::Relaxed))), ..Inquiry::default() };
    assert_eq!(desk.ask(stops), Ok(0));
    assert_eq!(desk.ask(Inquiry { lits: vec![Lit::t(Var(u32::MAX / 4))], ..Inquiry::default() }), Ok(1));
    let (number, found) = desk.next(LONG).expect("in time");
    assert!(number == 1 && matches!(found, Err(SolveError::NoAtom(_))), "{found:?}");
    is_over.store(true, Ordering::Relaxed);
    let (number, found) = desk.next(LONG).expect("in time");
    assert!(number == 0 && !found.expect("it was left").is_exhausted);
    for number in 2..10 {
        assert_eq!(desk.ask(Inquiry::default()), Ok(number));
    }
    desk.cancel();
    for left in (0..8).rev() {
        assert!(!desk.next(LONG).expect("in time").1.expect("it was left").is_exhausted);
        assert_eq!(desk.open(), left);
    }
    // Whoever leaves waits for nothing.
    desk.ask(Inquiry::default()).expect("a thread");
}

/// Options for a fleet of the simulation: alone, or beside solvers on the processor.
fn fleet(device: DeviceKind, searchers: u32) -> Options {
    Options {
        gpu_searchers: GpuSearchers::Searchers(searchers),
        searcher_threads: SearcherThreads::Threads(32),
        join_device: DeviceKind::Simt,
        open_after: When::Milliseconds(0),
        check: Check::All,
        ..options(device, 2)
    }
}

#[test]
fn a_fleet_finds_what_a_new_solver_finds() {
    let (mut answers, mut refuted, mut by_fleet) = (0, 0, 0);
    for (seed, device) in yasmin_seeds::seeds(6).zip([DeviceKind::Simt, DeviceKind::Auto].into_iter().cycle())
    {
        let program = threes(12, seed);
        let mut desk = desk(program.clone(), &Goal::default(), fleet(device, 2 + seed as u32 % 4));
        let asked: Vec<Inquiry> = (0..60).map(|number| inquiry(&program, mix(seed << 8 | number))).collect();
        for of in &asked {
            desk.ask(of.clone()).expect("a thread");
        }
        for _ in 0..asked.len() {
            let (number, finding) = desk.next(LONG).expect("in time");
            let (finding, of) = (finding.expect("a working device"), &asked[number as usize]);
            let what = || format!("seed {seed}, question {number}, {:?}: {finding:?}", of.lits);
            let expected = fresh(&program, &Goal::default(), &of.lits, &of.excluded);
            let told = found(&finding.answers, &program, &Goal::default());
            assert_eq!(told.len(), finding.answers.len(), "one twice: {}", what());
            assert!(told.is_subset(&expected), "{}", what());
            let wanted = if of.wanted == 0 { usize::MAX } else { of.wanted as usize };
            assert_eq!(finding.answers.len(), expected.len().min(wanted), "{}", what());
            assert_eq!(finding.core.is_some(), expected.is_empty(), "{}", what());
            if let Some(core) = &finding.core {
                assert!(core.iter().all(|lit| of.lits.contains(lit)), "{}", what());
                assert!(fresh(&program, &Goal::default(), core, &of.excluded).is_empty(), "{}", what());
            }
            assert!(of.excluded.is_empty() || !finding.by_fleet, "{}", what());
            answers += expected.len();
            refuted += u32::from(expected.is_empty());
            by_fleet += u32::from(finding.by_fleet);
        }
    }
    assert!(answers > 200 && refuted > 20 && by_fleet > 50, "{answers} {refuted} {by_fleet}");
}

/// A random question about some answer sets.
fn inquiry(program: &Program, seed: u64) -> Inquiry {
    let mut random = seed;
    let mut below = |n: u64| {
        random = mix(random.wrapping_add(1));
        random % n
    };
    let lit =
        |below: &mut dyn FnMut(u64) -> u64| Lit::new(Var(below(program.atoms as u64) as u32), below(2) == 0);
    let lits: Vec<Lit> = (0..below(7)).map(|_| lit(&mut below)).collect();
    let excluded = (0..below(6) / 5).map(|_| vec![lit(&mut below), lit(&mut below)]).collect();
    Inquiry { lits, excluded, wanted: [0, 1, 1, 2, 3][below(5) as usize], ..Inquiry::default() }
}

#[test]
fn questions_with_problems_of_their_own_are_answered_beside_the_others() {
    let (mut satisfiable, mut refuted) = (0, 0);
    for seed in yasmin_seeds::seeds(60) {
        let (program, goal) = (rich_program(seed), Goal::default());
        let mut desk = desk(program.clone(), &goal, options(DeviceKind::Cpu, 1 + seed as usize % 3));
        let with_fact = |atom: u32| {
            let mut program = program.clone();
            program.push(Head::Atom(Var(atom)), &[]);
            (program, Goal { bound: vec![atom as i64], ..goal.clone() })
        };
        let problems: Vec<(Program, Goal)> = (0..program.atoms.min(3)).map(with_fact).collect();
        let owns: Vec<Arc<Own>> = problems
            .iter()
            .map(|(program, goal)| {
                let program = Arc::new(program.clone());
                Arc::new(Own::new(goal.clone(), move || Ok((program.clone(), None))))
            })
            .collect();
        let asked: Vec<(usize, Inquiry)> = (0..20)
            .map(|number| {
                let at = mix(seed ^ mix(number)) as usize % (owns.len() + 1);
                let own = owns.get(at).cloned();
                (at, Inquiry { own, wanted: 0, ..inquiry(&program, mix(seed << 8 | number)) })
            })
            .collect();
        for (_, of) in &asked {
            desk.ask(of.clone()).expect("a thread");
        }
        while desk.open() > 0 {
            let (number, finding) = desk.next(LONG).expect("in time");
            let (at, of) = &asked[number as usize];
            let finding = finding.expect("a working device");
            let (own, goal) = problems.get(*at).map_or((&program, &goal), |(own, goal)| (own, goal));
            let expected = fresh(own, goal, &of.lits, &of.excluded);
            let what = format!("seed {seed}, question {number} of {at}, {:?}", of.lits);
            assert_eq!(found(&finding.answers, own, goal), expected, "{what}");
            assert_eq!(finding.program.is_some(), *at < problems.len(), "{what}");
            match expected.is_empty() {
                true => refuted += 1,
                false => satisfiable += 1,
            }
        }
    }
    assert!(satisfiable > 100 && refuted > 100, "{satisfiable} {refuted}");
}
