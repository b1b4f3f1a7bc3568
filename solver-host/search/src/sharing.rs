//! Tests of what searches share: one problem for several solvers, on threads of their own.

use super::lockstep::programs::{pigeons, random_program};
use super::{Check, Decide, Engine, Goal, Heuristic, Learning, Options, Problem, SolveError, Solver, Step};
use solver_gpu::{State, Var};
use std::collections::BTreeSet;
use std::sync::{Arc, Barrier};
use yasmin_device::DeviceKind;

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
    // Fixed seeds: another random program may have millions of answer sets.
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
    assert_eq!(error, SolveError::OtherOptions("decide"));
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
}
