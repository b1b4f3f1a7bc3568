//! Each choice of steps against brute force: the models over the atoms, and what unit propagation derives,
//! before and after.
//!
//! The nogoods are random: definitions of auxiliaries as the completion has them, and others over all
//! variables. Whole programs, with loops and candidates, are compared in `nogoods/tests.rs`.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use solver_gpu::{Lit, Var};
use std::collections::BTreeSet;
use std::sync::Arc;

use super::Preprocess;
use crate::store::Collector;
use crate::tests::{program, propagate, solutions, Values};
use crate::{prepare, Auxiliaries, Candidate, Prepared};
use yasmin_ground::input::read;
use yasmin_ground::program::Program;

/// All choices of steps.
pub(crate) fn choices() -> impl Iterator<Item = Preprocess> {
    (0..16).map(|bits| Preprocess {
        failed: bits & 1 != 0,
        equivalent: bits & 2 != 0,
        subsumed: bits & 4 != 0,
        eliminate: bits & 8 != 0,
    })
}

/// Nogoods over `atoms` atoms and an auxiliary for each conjunction, with nothing else about them but
/// candidates.
fn with_nogoods(atoms: u32, conjunctions: &[Vec<Lit>], others: &[Vec<Lit>], candidates: &[Lit]) -> Prepared {
    let mut nogoods = Collector::new(true);
    for (i, lits) in conjunctions.iter().enumerate() {
        let c = Lit::t(Var(atoms + i as u32));
        nogoods.push(&[&lits[..], &[!c]].concat());
        lits.iter().for_each(|&lit| nogoods.push(&[c, !lit]));
    }
    others.iter().for_each(|lits| nogoods.push(lits));
    let vars = atoms + conjunctions.len() as u32;
    let candidate = |&body: &Lit| Candidate { head: Var(0), positive: Lit::TRUE, body };
    Prepared {
        atom_lit: Arc::new((0..atoms).map(|p| Lit::t(Var(p))).collect()),
        vars,
        atom_vars: atoms,
        nogoods: nogoods.finish(vars).into(),
        candidates: candidates.iter().map(candidate).collect(),
        unsatisfiable: false,
        ..Prepared::unsatisfiable()
    }
}

fn random() -> impl Strategy<Value = Prepared> {
    let lit = |vars: u32| (0..2 * vars).prop_map(Lit);
    let row = move |vars, most| prop::collection::vec(lit(vars), 1..=most);
    (2..6u32, 0..5u32).prop_flat_map(move |(atoms, more)| {
        let conjunctions: Vec<_> = (0..more).map(|i| row(atoms + i, 3)).collect();
        let others = prop::collection::vec(row(atoms + more, 4), 0..10);
        let candidates = prop::collection::vec(lit(atoms + more), 0..3);
        (Just(atoms), conjunctions, others, candidates).prop_map(
            |(atoms, conjunctions, others, candidates)| {
                with_nogoods(atoms, &conjunctions, &others, &candidates)
            },
        )
    })
}

fn none() -> Program {
    Program { body_start: vec![0], ..Program::default() }
}

/// The values that unit propagation gives to the atoms; `None` if a nogood is violated.
fn derived(prepared: &Prepared, decisions: &[Lit]) -> Option<Vec<Option<bool>>> {
    let mut values = Values::open(prepared.vars);
    if prepared.unsatisfiable {
        return None;
    }
    for &lit in decisions {
        let lit = prepared.literal_of(lit);
        match value(&values, lit) {
            Some(true) => {}
            Some(false) => return None,
            None => values.set(lit),
        }
    }
    let is_consistent = propagate(prepared, &mut values);
    is_consistent.then(|| prepared.atom_lit.iter().map(|&lit| value(&values, lit)).collect())
}

fn value(values: &Values, lit: Lit) -> Option<bool> {
    match lit {
        Lit::TRUE => Some(true),
        Lit::FALSE => Some(false),
        lit => values.of(lit),
    }
}

/// So many cases, others each day.
fn of_today(cases: u32) -> ProptestConfig {
    let rng_seed = RngSeed::Fixed(yasmin_seeds::seeds(1).start);
    ProptestConfig { cases, rng_seed, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(of_today(1000))]

    #[test]
    fn models_over_the_atoms_stay(before in random()) {
        let expect = solutions(&before);
        for steps in choices() {
            let after = before.clone().preprocess(&none(), steps);
            prop_assert_eq!(solutions(&after), expect.clone(), "{:?}: {:?}", steps, after);
            prop_assert!(after.vars <= before.vars);
            // Answer sets are compared by the bits of these variables.
            let named = after.atom_lit.iter().filter(|lit| !lit.is_constant()).map(|lit| lit.var());
            let vars: BTreeSet<Var> = named.chain(after.fixed_atoms.iter().map(|&(_, var)| var)).collect();
            prop_assert_eq!(vars, (0..after.atom_vars).map(Var).collect());
        }
    }

    #[test]
    fn unit_propagation_derives_no_less(before in random(), decisions in prop::collection::vec(0..10u32, 0..4)) {
        let decisions: Vec<Lit> = decisions.into_iter().map(|l| Lit(l % (2 * before.atom_vars))).collect();
        let less = derived(&before, &decisions);
        for steps in choices() {
            let after = before.clone().preprocess(&none(), steps);
            if let Some(more) = derived(&after, &decisions) {
                let less = less.clone();
                prop_assert!(less.is_some(), "{:?} lost a conflict of {:?}: {:?}", steps, decisions, after);
                for (p, value) in less.into_iter().flatten().enumerate() {
                    prop_assert!(value.is_none() || value == more[p], "{:?} lost {}: {:?}", steps, p, after);
                }
            }
        }
    }
}

/// The nogoods that one step leaves, and what it says it did.
fn left_by(steps: Preprocess, before: Prepared) -> (Vec<Vec<Lit>>, super::Preprocessed, Prepared) {
    let after = before.preprocess(&none(), steps);
    let nogoods = after.nogoods.ids().map(|id| after.nogoods.nogood(id).to_vec()).collect();
    (nogoods, after.preprocessed, after)
}

const NONE: Preprocess = Preprocess::NONE;

/// `T` of variables 0 to 5.
const ATOMS: [Lit; 6] = [Lit(0), Lit(2), Lit(4), Lit(6), Lit(8), Lit(10)];

#[test]
fn a_failed_literal_is_false() {
    let [a, b, c, d, ..] = ATOMS;
    let rows = [vec![a, !b], vec![a, !c], vec![b, c], vec![!a, d, b]];
    let steps = Preprocess { failed: true, ..NONE };
    let (left, done, after) = left_by(steps, with_nogoods(4, &[], &rows, &[]));
    // a is gone, and the others have moved up.
    assert_eq!((left, done.failed_literals), (vec![vec![a, b], vec![a, c]], 1));
    assert_eq!(after.atom_lit[..], [Lit::FALSE, a, b, c]);
}

#[test]
fn equivalent_literals_have_one_variable() {
    let [a, b, c, d, ..] = ATOMS;
    // b is not a, and d (an auxiliary) is c.
    let rows = [vec![a, b], vec![!a, !b], vec![!c, d], vec![c, !d], vec![b, d], vec![a, b, !c]];
    let steps = Preprocess { equivalent: true, ..NONE };
    let before = Prepared { atom_vars: 3, ..with_nogoods(4, &[], &rows, &[!b, d]) };
    let before = Prepared { atom_lit: Arc::new(before.atom_lit[..3].to_vec()), ..before };
    let (left, done, after) = left_by(steps, before);
    assert_eq!((left, done.equivalent_variables), (vec![vec![!a, b]], 2));
    assert_eq!(after.atom_lit[..], [a, !a, b]);
    let bodies: Vec<Lit> = after.candidates.iter().map(|candidate| candidate.body).collect();
    assert_eq!((bodies, after.vars, after.atom_vars), (vec![a, b], 2, 2));
}

#[test]
fn a_literal_that_implies_its_complement_and_back_is_a_conflict() {
    let [a, b, ..] = ATOMS;
    let rows = [vec![a, b], vec![a, !b], vec![!a, b], vec![!a, !b]];
    for steps in
        [Preprocess { equivalent: true, ..NONE }, Preprocess { failed: true, ..NONE }, Preprocess::ALL]
    {
        let after = with_nogoods(2, &[], &rows, &[]).preprocess(&none(), steps);
        // Without a root of the implications no literal is tried.
        assert_eq!(after.unsatisfiable, steps.equivalent, "{steps:?}");
    }
}

#[test]
fn a_nogood_that_contains_another_is_gone() {
    let [a, b, c, d, ..] = ATOMS;
    let rows = [vec![a, b], vec![a, b, c], vec![a, !b, !d], vec![c, d, !b]];
    let steps = Preprocess { subsumed: true, ..NONE };
    let (left, done, _) = left_by(steps, with_nogoods(4, &[], &rows, &[]));
    assert_eq!(left, [vec![a, b], vec![a, !d], vec![!b, c, d]]);
    assert_eq!((done.subsumed_nogoods, done.strengthened_nogoods), (1, 1));
}

#[test]
fn a_body_that_nothing_needs_is_resolved_away() {
    let [p, q, r, body, ..] = ATOMS;
    // p :- q, r.
    let rule = [vec![!p, body], vec![p, !body]];
    let steps = Preprocess { eliminate: true, ..NONE };
    let (left, done, after) = left_by(steps, with_nogoods(3, &[vec![q, r]], &rule, &[]));
    assert_eq!(left, [vec![p, !q], vec![p, !r], vec![!p, q, r]]);
    assert_eq!((done.eliminated_variables, after.vars), (1, 3));
    // Decision needs this one.
    let (left, done, _) = left_by(steps, with_nogoods(3, &[vec![q, r]], &rule, &[body]));
    assert_eq!((left.len(), done.eliminated_variables), (5, 0));
}

#[test]
fn what_the_foundedness_check_tells_apart_stays_apart() {
    // b is not a. But p and q, which imply each other, need variables of their own: each could be what founds
    // the other.
    let text = "p :- q. q :- p. q :- a. a :- not b. b :- not a.";
    let program = program(text);
    let after =
        prepare(&program, true, Auxiliaries::HEADS).expect("small").preprocess(&program, Preprocess::ALL);
    let check = after.foundedness.as_ref().expect("not tight");
    assert_eq!((check.atoms.len(), after.preprocessed.equivalent_variables), (2, 1));
    assert_eq!(solutions(&after).len(), 2);
}

#[test]
fn what_sums_count_is_merged_unless_one_sum_would_count_it_twice() {
    // {a; b; c}, and d, e and f are the same as a, b and c. Two of a, b, c; two of d, e, f; two of a, d, c.
    let text = "asp 1 0 0\n1 1 3 1 2 3 0 0\n1 0 1 4 0 1 1\n1 0 1 5 0 1 2\n1 0 1 6 0 1 3\n\
                1 0 1 7 1 2 3 1 1 2 1 3 1\n1 0 1 8 1 2 3 4 1 5 1 6 1\n1 0 1 9 1 2 3 1 1 4 1 3 1\n0\n";
    let program = read("test", text.as_bytes()).expect("a program");
    let before = prepare(&program, true, Auxiliaries::HEADS).expect("small");
    let expected = solutions(&before);
    let after = before.preprocess(&program, Preprocess::ALL);
    // The nogoods alone say nothing of the three atoms that have sums.
    assert_eq!((solutions(&after), expected.len()), (expected, 64));
    let lit = |atom: usize| after.atom_lit[atom - 1];
    assert_eq!((lit(5), lit(6)), (lit(2), lit(3)));
    assert_ne!(lit(4), lit(1));
    let sums = &after.sums;
    for s in 0..sums.len() {
        let of_sum = &sums.lits[sums.start[s] as usize..sums.start[s + 1] as usize];
        let mut vars: Vec<Var> = of_sum.iter().chain([&sums.condition[s]]).map(|lit| lit.var()).collect();
        vars.sort_unstable();
        vars.dedup();
        assert_eq!(vars.len(), of_sum.len() + 1, "sum {s}");
    }
}
