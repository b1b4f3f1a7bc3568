//! Cores of assumptions, by brute force: with the program, the assumptions of a core have no answer set.

use solver_gpu::hash::mix;
use solver_host::device::DeviceKind;
use solver_host::search::{Engine, OptStrategy, Options, Solver, Step};
use solver_host::{input, program::Program};
use yasmin_tests::conform::combination;
use yasmin_tests::oracle::{self, Set};
use yasmin_tests::random::{generate, Knobs};
use yasmin_tests::Spec;

/// The number of the program's atom for each atom of the specification, if the program has it.
fn literals(program: &Program, spec: &Spec) -> Vec<Option<solver_gpu::Lit>> {
    let of = |a: usize| {
        let output = program.outputs.iter().find(|output| output.name == Spec::name(a))?;
        output.condition.first().copied()
    };
    (0..spec.atoms).map(of).collect()
}

fn check(device: DeviceKind, programs: u64) -> (u32, u32) {
    let (mut refuted, mut satisfied) = (0, 0);
    for seed in yasmin_seeds::seeds(programs) {
        let spec = generate(&Knobs::varied(seed), seed);
        let want = oracle::answer_sets(&spec);
        let engine = if seed % 2 == 0 { Engine::Host } else { Engine::Resident };
        let options =
            Options { engine, opt_strategy: OptStrategy::Auto, ..combination(seed as usize, device) };
        let program = input::read("random", spec.to_aspif().as_bytes()).expect("a program");
        let of = literals(&program, &spec);
        let mut solver = Solver::new(program, options).expect("a device");
        let mut random = mix(seed);
        let mut chance = |percent: u64| {
            random = mix(random.wrapping_add(1));
            random % 100 < percent
        };
        // The same solver again and again, under other assumptions.
        for _ in 0..4 {
            let mut named: Vec<(usize, bool)> = Vec::new();
            for a in (0..spec.atoms).filter(|&a| of[a].is_some()) {
                if chance(40) {
                    named.push((a, chance(50)));
                }
            }
            let literal = |&(a, holds): &(usize, bool)| {
                let lit = of[a].expect("it has one");
                if holds {
                    lit
                } else {
                    !lit
                }
            };
            let lits: Vec<_> = named.iter().map(literal).collect();
            solver.assume(&lits).expect("a plain search");
            let fits = |set: &Set, named: &[(usize, bool)]| {
                named.iter().all(|&(a, holds)| (set >> a & 1 == 1) == holds)
            };
            let right = want.iter().filter(|set| fits(set, &named)).count();
            let mut found = 0;
            while let Step::Answer(_) = solver.next_answer(&|| false).expect("no failure") {
                found += 1;
            }
            assert_eq!(found, right, "seed {seed}, {options:?}, under {named:?}: {}", spec.to_lp());
            match solver.core() {
                Some(core) => {
                    assert_eq!(found, 0, "a core although there are answer sets");
                    let core: Vec<(usize, bool)> =
                        named.iter().filter(|&pair| core.contains(&literal(pair))).copied().collect();
                    assert!(
                        !want.iter().any(|set| fits(set, &core)),
                        "seed {seed}, {options:?}: {core:?} of {named:?} is no core: {}",
                        spec.to_lp()
                    );
                    refuted += 1;
                }
                None => satisfied += 1,
            }
        }
    }
    assert!(refuted > 0 && satisfied > 0, "{refuted} refuted, {satisfied} satisfied");
    (refuted, satisfied)
}

#[test]
fn cores_of_random_programs_on_cpu() {
    let (refuted, _) = check(DeviceKind::Cpu, 600);
    assert!(refuted > 300, "{refuted}");
}

#[test]
fn cores_of_random_programs_on_simt() {
    check(DeviceKind::Simt, 25);
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn cores_of_random_programs_on_gpu() {
    check(DeviceKind::Gpu(0), 200);
}
