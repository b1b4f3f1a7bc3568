//! One solver that is asked again and again finds what new solvers find, whatever the goal and however the last question was
//! left.

use super::lockstep::programs::{goal, rich_program};
use super::solver::Step;
use super::threads::{find, Found};
use super::{Engine, Goal, Options, ParallelMode, Reasoning, Solver, When};
use solver_gpu::hash::mix;
use solver_gpu::{Lit, Var};
use yasmin_device::DeviceKind;
use yasmin_ground::program::{Head, Program};

/// The program with a constraint for each literal that has to hold.
fn with(program: &Program, lits: &[Lit]) -> Program {
    let mut program = program.clone();
    lits.iter().for_each(|&lit| program.push(Head::Constraint, &[!lit]));
    program
}

/// What a new solver finds.
fn fresh(program: &Program, goal: &Goal, lits: &[Lit]) -> Found {
    let options =
        Options { device: DeviceKind::Cpu, parallel_mode: ParallelMode::Searchers(1), ..Options::default() };
    find(&mut Solver::with_goal(with(program, lits), options, goal.clone()).expect("a small program"), goal)
}

fn check(device: DeviceKind, programs: u64) {
    let (mut refuted, mut left_early, mut found_some) = (0, 0, 0);
    for seed in yasmin_seeds::seeds(programs) {
        let (mut program, goal) = (rich_program(seed), goal(mix(seed)));
        if goal.reasoning != Reasoning::Enumerate {
            // Consequences that a projection statement leaves out are told all the same if preparing finds them, which
            // the constraints of a new solver's program help.
            program.projection = None;
        }
        let options = Options {
            device,
            seed,
            engine: if seed % 4 == 2 { Engine::Host } else { Engine::Resident },
            parallel_mode: ParallelMode::Searchers([1, 3][seed as usize % 2]),
            join_after: When::Milliseconds(0),
            ..Options::default()
        };
        let mut solver = Solver::with_goal(program.clone(), options, goal.clone()).expect("a small program");
        let mut random = seed << 8;
        let mut below = |n: u64| {
            random = mix(random.wrapping_add(1));
            random % n
        };
        for call in 0..8 {
            let atoms = (0..program.atoms).filter(|_| below(100) < 25).collect::<Vec<_>>();
            let lits: Vec<Lit> = atoms.into_iter().map(|atom| Lit::new(Var(atom), below(2) == 0)).collect();
            let wanted = below(3);
            solver.want(wanted);
            // The first question may come without assumptions.
            if call > 0 || below(2) == 0 {
                solver.assume(&lits).expect("atoms of the program");
            } else {
                continue;
            }
            let what = || format!("seed {seed}, call {call}, {goal:?}, {lits:?}, {options:?}");
            let expected = fresh(&program, &goal, &lits);
            match wanted {
                0 => {
                    assert_eq!(find(&mut solver, &goal), expected, "{}", what());
                    assert!(solver.all_searched().is_some() || solver.core().is_some(), "{}", what());
                }
                _ => {
                    left_early += 1;
                    let patience = std::cell::Cell::new(below(4));
                    let interrupt = || {
                        patience.set(patience.get().saturating_sub(1));
                        wanted == 2 && patience.get() == 1
                    };
                    match solver.next_answer(&interrupt).expect("a working device") {
                        Step::Answer(answer) => {
                            assert!(lits.iter().all(|&lit| answer.holds(lit)), "{}", what());
                            assert!(!expected.is_empty(), "{}", what());
                        }
                        Step::Exhausted => {
                            assert!(expected.is_empty(), "{}", what());
                        }
                        Step::Interrupted => {}
                        Step::Counted(_) => unreachable!("nobody asked to count"),
                    }
                }
            }
            found_some += u32::from(!expected.is_empty());
            if let Some(core) = solver.core() {
                refuted += 1;
                assert!(core.iter().all(|lit| lits.contains(lit)), "{}", what());
                assert_eq!(fresh(&program, &goal, core), Found::new(), "{core:?} is no core: {}", what());
            } else if wanted == 0 && goal.reasoning == Reasoning::Enumerate {
                assert!(!expected.is_empty(), "no core: {}", what());
            }
        }
    }
    assert!(refuted > 10 && left_early > 10 && found_some > 10, "{refuted} {left_early} {found_some}");
}

#[test]
fn questions_on_cpu() {
    check(DeviceKind::Cpu, 1200);
}

#[test]
fn questions_on_simt() {
    check(DeviceKind::Simt, 24);
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn questions_on_gpu() {
    check(DeviceKind::Gpu(0), 200);
}

#[test]
fn an_unknown_atom_is_an_error() {
    let program = rich_program(1);
    let atoms = program.atoms;
    let options = Options { device: DeviceKind::Cpu, ..Options::default() };
    let mut solver = Solver::new(program, options).expect("a small program");
    assert_eq!(solver.assume(&[Lit::t(Var(atoms))]), Err(super::SolveError::NoAtom(atoms)));
    solver.assume(&[]).expect("the solver is as it was");
}
