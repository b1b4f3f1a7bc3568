//! Each kind of wrong claim is rejected for its reason.

use solver_gpu::{Lit, Var};

use super::{Checker, Claim, Flaw, Workspace};
use crate::ids::RuleId;
use crate::input;
use crate::program::{Output, Program, ProgramBuilder};

/// Checks that `atoms` are the true atoms of an answer set of `program`.
fn check(program: &Program, atoms: &[Var]) -> Result<(), Flaw> {
    check_claim(program, atoms, None, &|_| None)
}

/// The same, with costs and with what is said of outputs.
fn check_claim(
    program: &Program,
    atoms: &[Var],
    costs: Option<&[i64]>,
    is_shown: &dyn Fn(usize) -> Option<bool>,
) -> Result<(), Flaw> {
    let mut holds = vec![false; program.atoms as usize];
    atoms.iter().for_each(|p| holds[p.0 as usize] = true);
    let claim = Claim { holds: &holds, costs, is_shown };
    // What an earlier check has left in the workspace does not matter.
    let mut work = Workspace::default();
    let checker = Checker::new(program);
    let all = vec![true; holds.len()];
    let _ = checker.check(program, &Claim { holds: &all, costs: None, is_shown: &|_| None }, &mut work);
    checker.check(program, &claim, &mut work)
}

/// A program over the first atoms, made by `rules`.
fn program<const N: usize>(rules: impl FnOnce(&mut ProgramBuilder, [Var; N])) -> (Program, [Var; N]) {
    let mut builder = ProgramBuilder::default();
    let atoms = std::array::from_fn(|i| builder.atom(i as u64 + 1));
    rules(&mut builder, atoms);
    (builder.build().expect("few literals"), atoms)
}

/// Why an atom without a name is no part of an answer set.
fn unfounded(atom: Var) -> Result<(), Flaw> {
    Err(Flaw::Unfounded { atom, name: None })
}

#[test]
fn an_atom_that_is_flipped() {
    // `p :- not q. q :- not p. :- q.`
    let (program, [p, q]) = program(|b, [p, q]| {
        b.rule(Some(p), &[Lit::f(q)]).expect("few");
        b.rule(Some(q), &[Lit::f(p)]).expect("few");
        b.rule(None, &[Lit::t(q)]).expect("few");
    });
    assert_eq!(check(&program, &[p]), Ok(()));
    assert_eq!(check(&program, &[]), Err(Flaw::Violated(RuleId(0))));
    assert_eq!(check(&program, &[q]), Err(Flaw::Violated(RuleId(2))));
    assert_eq!(check(&program, &[p, q]), Err(Flaw::Violated(RuleId(2))));
}

#[test]
fn a_choice_founds_what_was_chosen() {
    // `{p} :- q. {q}.`
    let (program, [p, q]) = program(|b, [p, q]| {
        b.choice(&[p], &[Lit::t(q)]).expect("few");
        b.choice(&[q], &[]).expect("few");
    });
    for set in [&[][..], &[q], &[p, q]] {
        assert_eq!(check(&program, set), Ok(()));
    }
    assert_eq!(check(&program, &[p]), unfounded(p));
}

#[test]
fn a_positive_loop() {
    // `p :- q. q :- p. p :- r. {r}.`
    let (mut program, [p, q, r]) = program(|b, [p, q, r]| {
        b.rule(Some(p), &[Lit::t(q)]).expect("few");
        b.rule(Some(q), &[Lit::t(p)]).expect("few");
        b.rule(Some(p), &[Lit::t(r), Lit::t(r)]).expect("few");
        b.choice(&[r], &[]).expect("few");
    });
    assert_eq!(check(&program, &[]), Ok(()));
    assert_eq!(check(&program, &[p, q, r]), Ok(()));
    assert_eq!(check(&program, &[p, q]), unfounded(p));
    // The error names the atom if the program does.
    program.outputs.push(Output { name: "on(1)".into(), condition: vec![Lit::t(p)] });
    let flaw = check(&program, &[p, q]).expect_err("a loop");
    assert_eq!(flaw.to_string(), "its atom `on(1)` is unfounded");
}

#[test]
fn a_weight_body() {
    // `p :- 3 { q = 2, not r = 1, p = 2 }. {q; r}.`
    let (program, [p, q, r]) = program(|b, [p, q, r]| {
        let body = b.sum(3, vec![(Lit::t(q), 2), (Lit::f(r), 1), (Lit::t(p), 2)]).expect("few");
        b.rule(Some(p), &[Lit::t(body)]).expect("few");
        b.choice(&[q, r], &[]).expect("few");
    });
    let sum = program.sums[0].atom;
    for set in [&[p, q, sum][..], &[q, r], &[r], &[]] {
        assert_eq!(check(&program, set), Ok(()), "{set:?}");
    }
    assert_eq!(check(&program, &[q]), Err(Flaw::Sum { sum: 0, reached: 3, bound: 3 }));
    assert_eq!(check(&program, &[q, r, p, sum]), unfounded(p));
    assert_eq!(check(&program, &[q, r, sum]), Err(Flaw::Violated(RuleId(0))));
    assert_eq!(check(&program, &[r, sum, p]), Err(Flaw::Sum { sum: 0, reached: 2, bound: 3 }));
    // `not r` alone does not reach the bound without `p`.
    assert_eq!(check(&program, &[p, sum]), unfounded(p));
}

#[test]
fn a_weight_body_that_always_holds() {
    // `p :- 0 { q }.`, and `q` twice is 2.
    let (program, [p, q]) = program(|b, [p, q]| {
        let body = b.sum(-1, vec![(Lit::t(q), 1)]).expect("few");
        b.rule(Some(p), &[Lit::t(body)]).expect("few");
        let twice = b.sum(2, vec![(Lit::t(q), 1), (Lit::t(q), 1)]).expect("few");
        b.rule(None, &[Lit::t(twice)]).expect("few");
        b.choice(&[q], &[]).expect("few");
    });
    let [always, twice] = [program.sums[0].atom, program.sums[1].atom];
    assert_eq!(check(&program, &[p, always]), Ok(()));
    assert_eq!(check(&program, &[]), Err(Flaw::Sum { sum: 0, reached: 0, bound: -1 }));
    assert_eq!(check(&program, &[p, q, always]), Err(Flaw::Sum { sum: 1, reached: 2, bound: 2 }));
    assert_eq!(check(&program, &[p, q, always, twice]), Err(Flaw::Violated(RuleId(1))));
}

#[test]
fn an_assumption() {
    let text = "asp 1 0 0\n1 1 2 1 2 0 0\n6 2 1 -2\n4 1 p 1 1\n4 1 q 1 2\n0\n";
    let program = input::read("text", text.as_bytes()).expect("a program");
    let [p, q] = [Var(0), Var(1)];
    assert_eq!(check(&program, &[p]), Ok(()));
    for set in [&[][..], &[p, q], &[q]] {
        assert!(matches!(check(&program, set), Err(Flaw::Violated(_))), "{set:?}");
    }
}

#[test]
fn externals_have_the_value_that_was_set() {
    // Free, true, false and released, and `q :- p` for each.
    for (value, given) in [(0, None), (1, Some(true)), (2, Some(false)), (3, Some(false))] {
        let text = format!("asp 1 0 0\n5 1 {value}\n1 0 1 2 0 1 1\n0\n");
        let program = input::read("text", text.as_bytes()).expect("a program");
        let both = check(&program, &[Var(0), Var(1)]).is_ok();
        let none = check(&program, &[]).is_ok();
        assert_eq!((both, none), (given != Some(false), given != Some(true)), "{text}");
    }
}

#[test]
fn a_cycle_of_edges() {
    // `{a; b}. #edge (1, 2) : a. #edge (2, 1) : b.`
    let text = "asp 1 0 0\n1 1 2 1 2 0 0\n8 1 2 1 1\n8 2 1 1 2\n0\n";
    let program = input::read("text", text.as_bytes()).expect("a program");
    // The atoms of nodes and edges are determined by the rest; with a cycle nothing makes them right.
    let others = program.atoms - 2;
    let right = |chosen: u32| -> Vec<u32> {
        let sets = (0..1 << others).map(|hidden: u32| chosen | hidden << 2);
        let atoms =
            |set: u32| -> Vec<Var> { (0..program.atoms).filter(|p| set >> p & 1 == 1).map(Var).collect() };
        sets.filter(|&set| check(&program, &atoms(set)).is_ok()).collect()
    };
    assert_eq!([0, 1, 2, 3].map(|chosen| right(chosen).len()), [1, 1, 1, 0]);
}

#[test]
fn wrong_costs_and_names() {
    let (program, [p, q]) = program(|b, [p, q]| {
        b.choice(&[p, q], &[]).expect("few");
        b.minimize(1, &[(Lit::t(p), 3), (Lit::f(q), -2)]).expect("few");
        b.minimize(2, &[(Lit::t(q), 5), (Lit::t(q), 1)]).expect("few");
        b.output(Output { name: "both".into(), condition: vec![Lit::t(p), Lit::f(q)] });
        b.output(Output { name: "always".into(), condition: vec![] });
    });
    let shown = |shown: [bool; 2]| move |i: usize| Some(shown[i]);
    let checked =
        |atoms: &[Var], costs: &[i64], is_shown| check_claim(&program, atoms, Some(costs), &shown(is_shown));
    assert_eq!(checked(&[p], &[0, 1], [true, true]), Ok(()));
    assert_eq!(checked(&[p, q], &[6, 3], [false, true]), Ok(()));
    let costs = |right: &[i64], claimed: &[i64]| {
        Err(Flaw::Costs { claimed: claimed.to_vec(), right: right.to_vec() })
    };
    assert_eq!(checked(&[p], &[0, 2], [true, true]), costs(&[0, 1], &[0, 2]));
    assert_eq!(checked(&[p], &[1, 0], [true, true]), costs(&[0, 1], &[1, 0]));
    assert_eq!(checked(&[p], &[0], [true, true]), costs(&[0, 1], &[0]));
    let name = |name: &str| Err(Flaw::Shown(name.into()));
    assert_eq!(checked(&[p], &[0, 1], [false, true]), name("both"));
    assert_eq!(checked(&[p, q], &[6, 3], [true, true]), name("both"));
    assert_eq!(checked(&[p], &[0, 1], [true, false]), name("always"));
    assert_eq!(check_claim(&program, &[p], None, &|_| None), Ok(()));
}

#[test]
fn a_set_of_other_atoms() {
    let (program, _) = program(|b, [p]| b.choice(&[p], &[]).expect("few"));
    let claim = Claim { holds: &[true, true], costs: None, is_shown: &|_| None };
    let checked = Checker::new(&program).check(&program, &claim, &mut Workspace::default());
    assert_eq!(checked, Err(Flaw::Atoms(2, 1)));
}

#[test]
fn a_disjunction_without_head_cycles_is_exact() {
    // `p | q. r | s :- p. r :- p, s.`
    let (program, [p, q, r, s]) = program(|b, [p, q, r, s]| {
        b.disjunction(&[p, q], &[]).expect("few");
        b.disjunction(&[r, s], &[Lit::t(p)]).expect("few");
        b.rule(Some(r), &[Lit::t(p), Lit::t(s)]).expect("few");
    });
    assert_eq!(check(&program, &[q]), Ok(()));
    assert_eq!(check(&program, &[p, r]), Ok(()));
    assert_eq!(check(&program, &[]), Err(Flaw::Disjunction(0)));
    assert_eq!(check(&program, &[p]), Err(Flaw::Disjunction(1)));
    assert_eq!(check(&program, &[p, q, r]), unfounded(p));
    // `s` would have to be true without `r`.
    assert!(check(&program, &[p, r, s]).is_err());
    assert_eq!(check(&program, &[q, s]), unfounded(s));
}

#[test]
fn heads_of_one_rule_in_loops_of_their_own() {
    // `a | b. a :- c. c :- a. b :- d. d :- b.`: `{a, b, c, d}` is no minimal model.
    let (program, [a, b, c, d]) = program(|program, [a, b, c, d]| {
        program.disjunction(&[a, b], &[]).expect("few");
        for (head, lit) in [(a, c), (c, a), (b, d), (d, b)] {
            program.rule(Some(head), &[Lit::t(lit)]).expect("few");
        }
    });
    assert_eq!(check(&program, &[a, c]), Ok(()));
    assert_eq!(check(&program, &[b, d]), Ok(()));
    assert_eq!(check(&program, &[a, b, c, d]), unfounded(a));
}

#[test]
fn with_head_cycles_only_minimality_is_left_out() {
    // `a | b. a :- b. b :- a.`
    let (cycle, [a, b]) = program(|program, [a, b]| {
        program.disjunction(&[a, b], &[]).expect("few");
        program.rule(Some(a), &[Lit::t(b)]).expect("few");
        program.rule(Some(b), &[Lit::t(a)]).expect("few");
    });
    assert_eq!(check(&cycle, &[a, b]), Ok(()));
    assert_eq!(check(&cycle, &[a]), Err(Flaw::Violated(RuleId(1))));
    // `a | b. {c}. a :- b, c. b :- a, c.`: without `c`, no rule has `a` as its only true head.
    let (chosen, [a, b, c]) = program(|program, [a, b, c]| {
        program.disjunction(&[a, b], &[]).expect("few");
        program.choice(&[c], &[]).expect("few");
        program.rule(Some(a), &[Lit::t(b), Lit::t(c)]).expect("few");
        program.rule(Some(b), &[Lit::t(a), Lit::t(c)]).expect("few");
    });
    assert_eq!(check(&chosen, &[a, b, c]), Ok(()));
    assert_eq!(check(&chosen, &[a, b]), unfounded(a));
    // A head that is given twice is one head.
    let (twice, [p]) = program(|program, [p]| program.disjunction(&[p, p], &[]).expect("few"));
    assert_eq!(check(&twice, &[p]), Ok(()));
}

#[test]
fn a_long_chain_takes_no_recursion() {
    const LENGTH: usize = 200_000;
    let mut builder = ProgramBuilder::default();
    let atoms: Vec<Var> = (0..LENGTH).map(|i| builder.atom(i as u64 + 1)).collect();
    builder.disjunction(&atoms[..2], &[]).expect("few");
    for pair in atoms.windows(2) {
        builder.rule(Some(pair[1]), &[Lit::t(pair[0])]).expect("few");
    }
    let program = builder.build().expect("few");
    assert_eq!(check(&program, &atoms[1..]), Ok(()));
    assert_eq!(check(&program, &atoms[2..]), Err(Flaw::Disjunction(0)));
}
