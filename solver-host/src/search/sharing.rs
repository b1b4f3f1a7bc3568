//! Tests of what searches share: one problem for several solvers, on threads of their own, and a problem that
//! grows.

use super::lockstep::programs::{pigeons, random_program};
use super::memory::Memory;
use super::upload::Uploaded;
use super::{Check, Decide, Engine, Goal, Heuristic, Learning, Options, Problem, SolveError, Solver, Step};
use crate::device::{self, DeviceKind, Geometry, Setup};
use crate::nogoods::{prepare, Collector, Prepared};
use solver_gpu::kernels::search::outcome;
use solver_gpu::{Lit, State, Var};
use std::collections::BTreeSet;
use std::sync::{Arc, Barrier};

/// The answer sets that a solver finds, each as its true atoms.
fn all(solver: &mut Solver) -> BTreeSet<Vec<Var>> {
    let mut found = BTreeSet::new();
    while let Step::Answer(answer) = solver.next_answer(&|| false).expect("a working device") {
        assert!(found.insert(answer.atoms().collect()), "an answer set is found twice");
    }
    found
}

/// Options for a solver on a device: those that a problem is prepared with, with another seed and another way
/// to learn.
fn options_of(seed: u64, device: DeviceKind) -> Options {
    let learning = [Learning::Resolution, Learning::Forward, Learning::Both][seed as usize % 3];
    let heuristic = [Heuristic::Activity, Heuristic::JeroslowWang][seed as usize / 3 % 2];
    Options {
        seed,
        learning,
        heuristic,
        device,
        threads_per_block: 64,
        check: Check::All,
        ..Options::default()
    }
}

/// Two solvers of one problem search at once, each on a thread of its own, and find all answer sets. The
/// problem is uploaded once.
fn two_solvers(device: DeviceKind) {
    for seed in 0..6 {
        let program = if seed % 2 == 0 { pigeons(4, 4, 2) } else { random_program(seed) };
        let problem = Problem::new(program, &options_of(seed, device), &Goal::default()).expect("small");
        let problem = Arc::new(problem);
        let uploaded = problem.traffic().to_device;
        let expected = all(&mut Solver::of(&problem, options_of(seed, device)).expect("a working device"));
        let begin = Barrier::new(2);
        let find = |seed: u64| {
            let mut solver = Solver::of(&problem, options_of(seed, device)).expect("a working device");
            begin.wait();
            all(&mut solver)
        };
        let found = std::thread::scope(|scope| {
            let searches = [seed, seed + 1].map(|seed| scope.spawn(move || find(seed)));
            searches.map(|search| search.join().expect("no panic"))
        });
        assert!(found.iter().all(|found| *found == expected), "seed {seed}");
        // What came since are templates, which have some words for each variable.
        let templates = problem.traffic().to_device - uploaded;
        let third = Solver::of(&problem, options_of(seed, device)).expect("a working device");
        assert_eq!(problem.traffic().to_device - uploaded, templates, "a template is made once");
        // What was copied for the problem counts for each search, besides the control words of its own.
        let own = third.statistics().bytes_to_device_setup - problem.traffic().to_device;
        assert!(own <= size_of::<State>() as u64, "{own} bytes");
    }
}

/// A problem whose next generation has a variable and nogoods more.
fn growing_problem(device: DeviceKind) {
    // Six pigeons of which each goes into one of five holes: there is no way, and it takes conflicts to see
    // that.
    for (seed, holes) in [(0, 5), (1, 6)] {
        let program = pigeons(6, holes, 1);
        let mut first = prepare(&program, false, 16).expect("a small program");
        first.decide_any(|_, is_atom| !is_atom);
        let options = Options { decide: Decide::Any, keep_learned: 100_000, ..options_of(3 * seed, device) };
        let setup = Setup { threads: 64, seed, ..Setup::default() };
        let executor = || device::open(device, setup).expect("the device");
        let upload = |p: &Prepared| Arc::new(Uploaded::new(executor(), p, true).expect("a working device"));
        let uploaded = upload(&first);
        let own = uploaded.sibling(setup).expect("a working device");
        let mut memory = Memory::new(own, uploaded, &options, None).expect("a working device");
        memory.rounds_a_launch = 40;
        run(&mut memory);
        let (learned, vars) = (memory.state.learned.load(), first.vars);
        assert_eq!(memory.state.outcome.load(), outcome::PAUSED, "there is more to do");
        assert!(learned > 0 || holes == 6, "nothing was learned");
        // The new variable is what the first atom is, and the second atom is false.
        let (new, [p, q]) = (Var(vars), [Var(0), Var(1)]);
        let mut nogoods = Collector::new(false);
        first.nogoods.ids().for_each(|id| nogoods.push(first.nogoods.nogood(id)));
        for nogood in [&[Lit::t(new), Lit::f(p)][..], &[Lit::f(new), Lit::t(p)], &[Lit::t(q)]] {
            nogoods.push(nogood);
        }
        let mut second = Prepared { vars: vars + 1, nogoods: nogoods.finish(vars + 1), ..first };
        second.decide_any(|_, is_atom| !is_atom);
        memory.follow(upload(&second)).expect("a working device");
        assert_eq!(memory.state.learned.load(), learned, "learned nogoods stay");
        memory.rounds_a_launch = u32::MAX;
        memory.initial_propagation().expect("a working device");
        memory.read_state().expect("a working device");
        run(&mut memory);
        while memory.state.outcome.load() == outcome::PAUSED {
            run(&mut memory);
        }
        match holes {
            5 => assert_eq!(memory.state.outcome.load(), outcome::EXHAUSTED),
            _ => {
                assert_eq!(memory.state.outcome.load(), outcome::ANSWER);
                let values =
                    memory.read(memory.search.own.value, vars as usize + 1).expect("a working device");
                assert_eq!(values[vars as usize] > 0, values[0] > 0, "the new variable is the first atom");
                assert!(values[1] < 0, "the second atom is false");
            }
        }
    }
}

/// Runs the resident search once.
fn run(memory: &mut Memory) {
    memory.search(Geometry::Block, &|| false).expect("a working device");
}

#[test]
fn a_solver_may_move_to_another_thread() {
    fn is_send<T: Send>() {}
    is_send::<Solver>();
}

#[test]
fn a_problem_says_which_option_it_was_prepared_with() {
    let options = options_of(0, DeviceKind::Cpu);
    let problem = Arc::new(Problem::new(random_program(1), &options, &Goal::default()).expect("small"));
    let other = Options { decide: Decide::Applicable, ..options };
    let error = Solver::of(&problem, other).map(|_| ()).expect_err("another way to decide");
    assert_eq!(error, SolveError::OtherOptions("--decide"));
    let host = Options { engine: Engine::Host, ..options };
    assert!(Solver::of(&problem, host).is_ok(), "the engine is each search's own");
}

/// A test for each executor. The one for the GPU is ignored where tests usually run, and says so.
macro_rules! on_every_executor {
    ($($name:ident = $test:path;)*) => {$(
        mod $name {
            use super::*;

            #[test]
            fn cpu() {
                $test(DeviceKind::Cpu);
            }

            #[test]
            fn simt() {
                $test(DeviceKind::Simt);
            }

            #[test]
            #[ignore = "needs an NVIDIA GPU"]
            fn gpu() {
                $test(DeviceKind::Gpu(0));
            }
        }
    )*};
}

on_every_executor! {
    two_solvers_share_a_problem = two_solvers;
    a_problem_grows = growing_problem;
}
