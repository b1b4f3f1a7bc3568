//! Minimal cores of random programs, by brute force.

mod common;

use common::Random;
use std::collections::BTreeSet;
use std::time::Duration;
use yasmin::{Atom, Control, External, Literal, Options, Question};

/// Constraints over atoms that may be chosen, and some rules.
fn program(random: &mut Random) -> (Control, Vec<Literal>) {
    let mut control = Control::new(Options::on_processor());
    let atoms: Vec<Atom> = (0..7).map(|_| control.atom()).collect();
    control.choice(&atoms[..5], &[]).expect("atoms of the control");
    control
        .external(atoms[5], [External::True, External::False][random.below(2)])
        .expect("an atom of the control");
    let lit = |random: &mut Random| {
        let lit = atoms[random.below(7)].positive();
        if random.below(3) == 0 {
            !lit
        } else {
            lit
        }
    };
    for _ in 0..3 + random.below(6) {
        let body: Vec<Literal> = (0..1 + random.below(3)).map(|_| lit(random)).collect();
        match random.below(3) {
            0 => control.rule(&[atoms[6]], &body),
            _ => control.rule(&[], &body),
        }
        .expect("atoms of the control");
    }
    let assumptions = atoms.iter().map(|atom| match random.below(3) {
        0 => !atom.positive(),
        _ => atom.positive(),
    });
    (control, assumptions.collect())
}

fn is_satisfiable(control: &mut Control, lits: &[Literal]) -> bool {
    let question = Question::new().assume(lits.iter().copied()).limit(1);
    control.solve(&question).expect("a question").next().is_some()
}

#[test]
fn all_minimal_cores_are_found() {
    let mut several = 0;
    for seed in yasmin_seeds::seeds(300) {
        let random = &mut Random(seed);
        let (mut control, assumptions) = program(random);
        let subset = |bits: u32| -> Vec<Literal> {
            (0..assumptions.len()).filter(|i| bits >> i & 1 == 1).map(|i| assumptions[i]).collect()
        };
        let cores: Vec<u32> = (0..1 << assumptions.len())
            .filter(|&bits| !is_satisfiable(&mut control, &subset(bits)))
            .collect();
        let is_minimal = |&bits: &u32| !cores.iter().any(|&other| other != bits && other & bits == other);
        let sorted = |mut lits: Vec<Literal>| {
            lits.sort();
            lits
        };
        let expected: BTreeSet<Vec<Literal>> =
            cores.iter().copied().filter(is_minimal).map(|bits| sorted(subset(bits))).collect();
        let mut found =
            control.minimal_cores(assumptions.clone(), &Question::new()).expect("atoms of the control");
        let told: Vec<Vec<Literal>> = found.by_ref().map(|core| sorted(core.expect("a core"))).collect();
        assert!(found.is_complete(), "seed {seed}");
        assert_eq!(told.len(), expected.len(), "seed {seed}: one is told twice: {told:?}");
        assert_eq!(told.into_iter().collect::<BTreeSet<_>>(), expected, "seed {seed}");
        several += u32::from(expected.len() > 1);
        let one = control.minimal_core(&assumptions, &Question::new()).expect("atoms of the control");
        assert_eq!(one.is_some(), !expected.is_empty(), "seed {seed}");
        assert!(one.is_none_or(|core| expected.contains(&sorted(core))), "seed {seed}");
    }
    assert!(several > 30, "{several}");
}

#[test]
fn a_search_for_cores_can_be_stopped() {
    let random = &mut Random(1);
    let (mut control, assumptions) = program(random);
    let no_time = Question::new().within(Duration::ZERO);
    assert_eq!(control.minimal_core(&assumptions, &no_time).expect("no failure"), None);
    let mut cores = control.minimal_cores(assumptions, &no_time).expect("atoms of the control");
    assert!(cores.next().is_none() && !cores.is_complete());
}
