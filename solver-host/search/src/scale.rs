//! Tests that work and memory grow with the size of a program, and no faster. No test looks at a clock.

use super::options::{Descent, OptStrategy, Options, ParallelMode};
use super::Solver;
use solver_gpu::{Lit, Var};
use yasmin_device::DeviceKind;
use yasmin_ground::program::{Program, ProgramBuilder};
use yasmin_nogoods::{prepare, Auxiliaries};

/// Atoms of which any may be chosen.
fn chosen(b: &mut ProgramBuilder, n: u32) -> Vec<Var> {
    let atoms: Vec<Var> = (1..=n as u64).map(|i| b.atom(i)).collect();
    b.choice(&atoms, &[]).expect("few");
    atoms
}

/// Half of `n` atoms have to be chosen: one sum over all of them.
fn half(n: u32) -> Program {
    let mut b = ProgramBuilder::default();
    let atoms = chosen(&mut b, n);
    let reached = b.sum(n as i64 / 2, atoms.iter().map(|&p| (Lit::t(p), 1)).collect()).expect("few");
    b.rule(None, &[Lit::f(reached)]).expect("few");
    b.build().expect("few")
}

/// As few of `n` atoms as possible.
fn fewest(n: u32) -> Program {
    let mut b = ProgramBuilder::default();
    let atoms = chosen(&mut b, n);
    b.minimize(0, &atoms.iter().map(|&p| (Lit::t(p), 1)).collect::<Vec<_>>()).expect("few");
    b.build().expect("few")
}

/// One of `n` atoms.
fn one_of(n: u32) -> Program {
    let mut b = ProgramBuilder::default();
    let atoms: Vec<Var> = (1..=n as u64).map(|i| b.atom(i)).collect();
    b.disjunction(&atoms, &[]).expect("few");
    b.build().expect("few")
}

fn options() -> Options {
    // Cores lead to an optimum in few decisions.
    let opt_strategy = OptStrategy::Bb(Descent::Lin);
    // A search that lasts would hand its block over to a searcher of a crew.
    let parallel_mode = ParallelMode::Searchers(1);
    Options { device: DeviceKind::Cpu, opt_strategy, parallel_mode, ..Options::default() }
}

#[test]
fn a_deep_search_stays_in_its_block() {
    for program in [half(10_000), fewest(10_000)] {
        let mut solver = Solver::new(program, options()).expect("small");
        let base = solver.lead.searcher.memory.search.own.base();
        // The first answer set, and what comes after: the next one, or that no better one is left.
        for _ in 0..2 {
            solver.next_answer(&|| false).expect("small");
            assert!(solver.statistics().decisions >= 5000, "the search was to be deep");
            assert_eq!(solver.lead.searcher.memory.search.own.base(), base, "the block has moved");
        }
    }
}

#[test]
fn a_long_head_takes_few_literals() {
    for simplify in [true, false] {
        let size = |n: u32| {
            let report = prepare(&one_of(n), simplify, Auxiliaries::HEADS).expect("small").report;
            (report.literals_after, report.variables_after, report.nogoods_before)
        };
        let ((some, vars, before), (twice, twice_vars, twice_before)) = (size(1000), size(2000));
        assert!(2 * twice <= 5 * some, "{some} literals for 1000 atoms, {twice} for 2000");
        assert!(2 * twice_vars <= 5 * vars, "{vars} variables for 1000 atoms, {twice_vars} for 2000");
        assert!(2 * twice_before <= 5 * before, "{before} nogoods for 1000 atoms, {twice_before} for 2000");
    }
}

#[test]
fn one_of_the_atoms_of_a_long_head_is_true() {
    for (n, longest_head) in [(17, 16), (40, 16), (300, 16), (40, 1), (40, 5), (40, 1000)] {
        for simplify in [true, false] {
            let options = Options { longest_head, simplify, ..options() };
            let mut solver = Solver::new(one_of(n), options).expect("small");
            let answers: Vec<_> = solver.answers().map(|answer| answer.expect("small")).collect();
            let mut found: Vec<u32> = Vec::new();
            for answer in &answers {
                let held: Vec<u32> = (0..n).filter(|&p| answer.holds(Lit::t(Var(p)))).collect();
                assert_eq!(held.len(), 1, "{n} atoms, {longest_head}: {held:?}");
                found.extend(held);
            }
            found.sort_unstable();
            assert_eq!(found, (0..n).collect::<Vec<u32>>(), "{n} atoms, {longest_head}");
        }
    }
}
