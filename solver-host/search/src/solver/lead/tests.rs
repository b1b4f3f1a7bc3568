//! Tests of the solver's own search: answer sets that it only counts, and variables that it adds.

use crate::lockstep::programs::{goal, options, pigeons, random_program, rich_program};
use crate::{Check, Engine, OptStrategy, Options, ParallelMode, Solver, Step, Usc};
use solver_gpu::{Lit, Var};
use std::cell::Cell;
use yasmin_device::DeviceKind;
use yasmin_ground::program::{Program, ProgramBuilder};

/// What came of a search: how many answer sets were told and how many were counted.
#[derive(Debug, Default, PartialEq)]
struct Number {
    told: u64,
    counted: u64,
}

/// Searches to the end. If the search `is_stopped`, it is stopped again and again, later each time, and goes
/// on afterwards.
fn number(solver: &mut Solver, is_stopped: bool) -> Number {
    let (asked, mut number) = (Cell::new(0u64), Number::default());
    let interrupt = || {
        asked.set(asked.get() + 1);
        is_stopped && asked.get().isqrt().pow(2) == asked.get()
    };
    loop {
        match solver.next_answer(&interrupt).expect("a working device") {
            Step::Answer(_) => number.told += 1,
            Step::Counted(more) => {
                assert!(more > 0 && number.told > 0, "the first answer set is told: {more} {number:?}");
                number.counted += more;
            }
            Step::Interrupted => {}
            Step::Exhausted => {
                assert_eq!(solver.statistics().answer_sets, number.told + number.counted);
                assert_eq!(solver.next_answer(&interrupt), Ok(Step::Exhausted), "the end is the end");
                return number;
            }
        }
    }
}

fn counting_is_exact_on(device: DeviceKind, programs: u64) {
    let mut counted = 0;
    for i in 0..programs {
        let program = match i / 6 % 3 {
            0 => random_program(i),
            1 => rich_program(i),
            _ => pigeons(3 + i % 2, 4, i % 3),
        };
        let goal = goal(i);
        let parallel_mode = ParallelMode::Searchers(1);
        let of = |check, engine| Options { check, engine, parallel_mode, ..options(i, device) };
        let search = |options: Options, only_counts: bool| {
            let mut solver = Solver::with_goal(program.clone(), options, goal.clone()).expect("small");
            if only_counts {
                solver.only_count();
            }
            number(&mut solver, i % 2 == 0)
        };
        let told = search(of(Check::Auto, Engine::Resident), false);
        assert_eq!(told.counted, 0, "program {i}: nobody has asked to count");
        let number = search(of(Check::Auto, Engine::Resident), true);
        // On the way to an optimum, and to consequences, there are as many as it takes, and each is told.
        if number.counted > 0 {
            assert_eq!(number.told + number.counted, told.told, "program {i}: {number:?}");
        }
        counted += number.counted;
        // All are told if all are verified, or if the host drives the search.
        assert_eq!(search(of(Check::All, Engine::Resident), true).counted, 0, "program {i}");
        assert_eq!(search(of(Check::Auto, Engine::Host), true).counted, 0, "program {i}");
    }
    assert!(counted > programs / 2, "too little was counted: {counted}");
}

#[test]
fn counting_is_exact_on_the_processor() {
    counting_is_exact_on(DeviceKind::Cpu, 120);
}

#[test]
fn counting_is_exact_on_the_simulator() {
    counting_is_exact_on(DeviceKind::Simt, 12);
}

/// Pairs of atoms that support each other, of which all but one pair cost something.
fn costly_loops(pairs: u64) -> Program {
    let mut program = ProgramBuilder::default();
    let mut held: Vec<Var> = Vec::new();
    for i in 0..pairs {
        let [a, x, y] = [1, 2, 3].map(|n| program.atom(3 * i + n));
        program.choice(&[a], &[]).expect("small");
        for (head, body) in [(x, a), (x, y), (y, x)] {
            program.rule(Some(head), &[Lit::t(body)]).expect("small");
        }
        for &other in &held {
            program.rule(None, &[Lit::f(y), Lit::f(other)]).expect("small");
        }
        program.minimize(0, &[(Lit::t(x), 1)]).expect("few");
        held.push(y);
    }
    program.build().expect("small")
}

/// The check of foundedness once looked for the rules of a variable that a core had added.
#[test]
fn cores_add_variables_to_a_program_with_loops() {
    for (device, pairs) in [(DeviceKind::Cpu, 9), (DeviceKind::Simt, 5)] {
        let options = Options {
            device,
            parallel_mode: ParallelMode::Searchers(1),
            opt_strategy: OptStrategy::Usc(Usc::default()),
            ..Options::default()
        };
        let mut solver = Solver::new(costly_loops(pairs), options).expect("small");
        let costs = solver.answers().map(|answer| answer.expect("a working device").costs).last();
        assert_eq!((costs, solver.is_optimum_known()), (Some(vec![pairs as i64 - 1]), true), "{device}");
        let statistics = solver.statistics();
        assert!(statistics.extensions > 0 && statistics.stability_checks > 0, "{device}: {statistics:?}");
    }
}
