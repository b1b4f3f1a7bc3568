//! What fleets alone do: they ask the host about head cycles, and become narrower.

use super::*;
use crate::lockstep::programs::{disjunctive_program, Random};
use crate::SolveError;

/// Blocks ask the host whether answer sets have smaller models.
fn ask_about_head_cycles(device: DeviceKind, programs: u64) {
    let (mut checks, mut sets, mut plain) = (0, 0, 0);
    for seed in yasmin_seeds::seeds(programs) {
        let of = options_of(seed, 3, device);
        let program = disjunctive_program(&mut Random(seed << 32));
        let goal = if seed % 3 == 0 { goal(seed) } else { Goal::default() };
        let problem = Arc::new(Problem::new(program, &of, &goal).expect("a small program"));
        let alone = Options { device: DeviceKind::Cpu, ..of };
        let single = Problem::new(problem.program().clone(), &alone, &goal).expect("a small program");
        let expected = find(&mut Solver::of(&Arc::new(single), alone).expect("a processor"), &goal);
        let mut solver = swarm(&problem, of);
        assert_eq!(find(&mut solver, &goal), expected, "program {seed}");
        let told = solver.statistics();
        plain += (told.minimality_checks == 0) as u64;
        (checks, sets) = (checks + told.minimality_checks, sets + told.unfounded_sets);
    }
    assert_enough(&[
        ("checks", checks, programs / 2),
        ("unfounded sets", sets, programs / 8),
        ("without checks", plain, programs / 16),
    ]);
}

#[test]
fn blocks_ask_about_programs_with_head_cycles() {
    ask_about_head_cycles(DeviceKind::Simt, 60);
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn blocks_ask_about_programs_with_head_cycles_on_a_gpu() {
    ask_about_head_cycles(DeviceKind::Gpu(0), 300);
}

/// Under assumptions no guide leads a search on the processor, where the problem lies.
#[test]
fn fleets_that_search_alone_under_assumptions_are_on_their_device() {
    let mut program = ProgramBuilder::default();
    let atoms: Vec<Var> = (1..=6).map(|number| program.atom(number)).collect();
    program.choice(&atoms, &[]).expect("small");
    let weighted: Vec<(Lit, i64)> = atoms.iter().map(|&atom| (Lit::t(atom), 1)).collect();
    program.minimize(0, &weighted).expect("small");
    let of =
        Options { device: DeviceKind::Simt, gpu_searchers: GpuSearchers::Searchers(2), ..Options::default() };
    let goal = Goal::default();
    let problem = Arc::new(Problem::new(program.build().expect("small"), &of, &goal).expect("small"));
    let mut solver = swarm(&problem, of);
    solver.assume(&[Lit::t(atoms[0])]).expect("an atom of the program");
    while !matches!(solver.next_answer(&|| false).expect("a working device"), Step::Exhausted) {}
    assert_eq!(solver.optimum(), Some(&[1][..]));
    let searchers = solver.statistics().searchers;
    let fleet = searchers.iter().find(|row| row.swarm.searchers == 2).expect("a fleet");
    assert!(fleet.device.starts_with("simt"), "{}", fleet.device);
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn more_searchers_than_run_at_once_are_narrower_on_a_gpu_or_refused() {
    for (asked, runs) in [(400, true), (2000, true), (60000, false)] {
        let of = Options {
            device: DeviceKind::Gpu(0),
            gpu_searchers: GpuSearchers::Searchers(asked),
            ..Options::default()
        };
        let problem = Arc::new(Problem::new(pigeons(7, 6, 0), &of, &Goal::default()).expect("small"));
        let mut solver = swarm(&problem, of);
        match solver.next_answer(&|| false) {
            Ok(step) => assert!(runs && step == Step::Exhausted, "{asked}: {step:?}"),
            Err(SolveError::Crowd { searchers, resident, threads: 32 }) => {
                assert!(!runs && searchers == asked && resident < asked, "{resident} of {asked} run at once");
            }
            Err(other) => panic!("{asked}: {other}"),
        }
    }
}
