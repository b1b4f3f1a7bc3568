//! Unfounded sets of random assignments, total and partial, against the definition.

use super::super::judging::Asked;
use super::*;
use crate::lockstep::programs::{disjunctive_program, Random};
use crate::options::{Check, Engine, Learning};
use yasmin_device::DeviceKind;
use yasmin_ground::program::{BuildError, ProgramBuilder};

/// The definition (Leone, Rullo and Scarcello 1997): whether `set` is unfounded in the assignment in which
/// `holds` says what holds.
fn is_unfounded(program: &Program, set: &BTreeSet<Var>, holds: &dyn Fn(Lit) -> bool) -> bool {
    let is_in = |p: Var| set.contains(&p);
    let is_void = |lit: Lit| holds(!lit) || !lit.is_false_sign() && is_in(lit.var());
    let rules = program.rule_ids().all(|r| match program.head(r) {
        Head::Constraint => true,
        Head::Atom(p) | Head::Choice(p) => !is_in(p) || program.body(r).iter().any(|&lit| is_void(lit)),
    });
    let disjunctions = program.disjunctions.iter().all(|rule| {
        !rule.heads.iter().any(|&p| is_in(p))
            || program.body_lits_of(rule.body).iter().any(|&lit| is_void(lit))
            || rule.heads.iter().any(|&p| holds(Lit::t(p)) && !is_in(p))
    });
    let sums = program.sums.iter().filter(|sum| is_in(sum.atom)).all(|sum| {
        let most = sum.lits.iter().filter(|(lit, _)| !is_void(*lit)).map(|&(_, weight)| weight);
        most.sum::<i64>() < sum.bound
    });
    rules && disjunctions && sums
}

/// All subsets of these atoms.
fn subsets(atoms: &[Var]) -> impl Iterator<Item = BTreeSet<Var>> + '_ {
    let is_in = |bits: u32, i: usize| bits >> i & 1 == 1;
    (0..1u32 << atoms.len())
        .map(move |bits| atoms.iter().enumerate().filter(|&(i, _)| is_in(bits, i)).map(|(_, &p)| p).collect())
}

/// Asks for unfounded sets of several assignments of each of some random programs, one after the other.
fn compare(options: Options, programs: u64) {
    let (mut found, mut missing, mut partial) = (0, 0, 0);
    for seed in yasmin_seeds::seeds(programs) {
        let mut random = Random(seed << 32);
        let program = disjunctive_program(&mut random);
        let Some(cycles) = HeadCycles::of(&program) else { continue };
        let mut minimality = Minimality::new(&cycles, options);
        for _ in 0..12 {
            let openness = random.below(3);
            // 0 is open.
            let values: Vec<i32> = (0..program.atoms)
                .map(|_| {
                    if random.below(4) < openness {
                        0
                    } else {
                        random.below(2) as i32 * 8 - 4 + random.below(3) as i32
                    }
                })
                .collect();
            let level = |lit: Lit| match values[lit.var().0 as usize] {
                value if (value < 0) == lit.is_false_sign() => value.unsigned_abs(),
                _ => 0,
            };
            let holds = |lit: Lit| level(lit) > 0;
            let open = |program, options| Ok(Box::new(Asked::new(program, options)?) as Box<dyn Test>);
            let checked = minimality.unfounded(&program, level, open, &|| false);
            let is_wanted = |set: &BTreeSet<Var>| {
                set.iter().any(|&p| holds(Lit::t(p)))
                    && set.iter().all(|&p| !holds(Lit::f(p)))
                    && is_unfounded(&program, set, &holds)
            };
            let exists = cycles.0.iter().any(|c| subsets(&c.atoms).any(|set| is_wanted(&set)));
            let (nogood, set) = match checked.unwrap_or_else(|e| panic!("{seed}: {e}")) {
                Checked::Unfounded { nogood, set } => (nogood, set),
                Checked::Founded => {
                    assert!(!exists, "{seed}: {values:?} have an unfounded set");
                    missing += 1;
                    continue;
                }
                Checked::Interrupted => panic!("nobody has asked to stop"),
            };
            found += 1;
            partial += values.contains(&0) as u32;
            assert!(is_wanted(&set), "{seed}: {set:?} of {values:?}");
            assert!(nogood.iter().all(|&lit| holds(lit)), "{seed}: {nogood:?} of {values:?} is not violated");
            // Whatever violates the nogood has an unfounded set.
            for bits in 0..1u32 << program.atoms {
                let holds = |lit: Lit| (bits >> lit.var().0 & 1 == 1) != lit.is_false_sign();
                if nogood.iter().all(|&lit| holds(lit)) {
                    let is_true: BTreeSet<Var> = set.iter().copied().filter(|&p| holds(Lit::t(p))).collect();
                    let is_right = !is_true.is_empty() && is_unfounded(&program, &is_true, &holds);
                    assert!(is_right, "{seed}: {nogood:?} for {set:?}, and {bits:b}");
                }
            }
        }
    }
    let each = programs as u32 / 4;
    assert!(
        found > each && missing > each && partial > each / 4,
        "{found} found, {partial} partial, {missing} not"
    );
}

#[test]
fn unfounded_sets_are_those_of_the_definition() {
    let cpu = Options { device: DeviceKind::Cpu, check: Check::All, ..Options::default() };
    compare(cpu, 400);
    compare(Options { engine: Engine::Host, learning: Learning::Forward, ..cpu }, 60);
}

#[test]
fn checks_are_made_on_the_processor_wherever_the_search_is() {
    let cycles = Arc::new(HeadCycles(Vec::new()));
    for device in [DeviceKind::Auto, DeviceKind::Gpu(0), DeviceKind::Simt, DeviceKind::Cpu] {
        let minimality = Minimality::new(&cycles, Options { device, ..Options::default() });
        assert_eq!(minimality.options.first_device(), DeviceKind::Cpu);
    }
}

#[test]
fn what_is_learned_is_about_one_true_atom() -> Result<(), SolveError> {
    let mut b = ProgramBuilder::default();
    let [x, y, a, c, d, e] = [(); 6].map(|()| b.hidden());
    let add = |b: &mut ProgramBuilder| {
        b.choice(&[x, y], &[])?;
        // Two head cycles, which rules from one to the other make one component.
        for (p, q, other) in [(a, c, d), (d, e, a)] {
            b.disjunction(&[p, q], &[Lit::t(x)])?;
            b.rule(Some(p), &[Lit::t(q)])?;
            b.rule(Some(q), &[Lit::t(p)])?;
            b.rule(Some(p), &[Lit::t(other), Lit::t(y)])?;
        }
        Ok::<(), BuildError>(())
    };
    add(&mut b).expect("the program is small");
    let program = b.build().expect("the program is small");
    let cycles = HeadCycles::of(&program).expect("there are head cycles");
    assert_eq!(cycles.0.len(), 1);
    // At level 1 nothing leads from one cycle to the other, and all atoms of both are unfounded.
    let level = |lit: Lit| match lit {
        _ if lit == Lit::f(y) => 1,
        _ if lit == Lit::f(x) => 2,
        _ if [a, c, d, e].contains(&lit.var()) && !lit.is_false_sign() => 3,
        _ => 0,
    };
    let options = Options { device: DeviceKind::Cpu, ..Options::default() };
    let open = |program, options| Ok(Box::new(Asked::new(program, options)?) as Box<dyn Test>);
    let checked = Minimality::new(&cycles, options).unfounded(&program, level, open, &|| false)?;
    let Checked::Unfounded { set, .. } = checked else { panic!("all atoms are unfounded") };
    assert!([[a, c], [d, e]].map(BTreeSet::from).contains(&set), "{set:?}");
    Ok(())
}
