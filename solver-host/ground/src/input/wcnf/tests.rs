//! Formulas in WCNF: what is read, and what is refused. The optima of random ones are compared in the command's tests.

use super::super::read as read_any;
use super::*;
use crate::program::{Head, Program};

fn parse(text: &str) -> Result<Program, InputError> {
    read_any("f", text.as_bytes())
}

#[test]
fn hard_disjunctions_are_constraints_and_soft_ones_cost() {
    for text in [
        "c x\np wcnf 3 3 10\n10 1 -2 0\n4 3 0\nc y\n5 -1 -3\n0\n",
        "c x\nh 1 -2 0\n4 3 0\nc y\n5 -1 -3\n0",
        "h 1 -2 0 4 3 0 5 -1 -3 0",
        "4 3 0\nh 1 -2 0\n5 -1 -3 0\n",
    ] {
        let program = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let constraints: Vec<_> = program
            .rule_ids()
            .filter(|&r| program.head(r) == Head::Constraint)
            .map(|r| program.body(r))
            .collect();
        assert_eq!(constraints, [[Lit::f(Var(0)), Lit::t(Var(1))]], "{text}");
        // `3` is violated if the atom is false, and the other one by an atom of its own.
        assert_eq!(program.minimize[0].lits, [(Lit::f(Var(2)), 4), (Lit::t(Var(3)), 5)], "{text}");
        let of_own = program.rule_ids().find(|&r| program.head(r) == Head::Atom(Var(3))).expect("a rule");
        assert_eq!(program.body(of_own), [Lit::t(Var(0)), Lit::t(Var(2))], "{text}");
        assert_eq!((program.outputs.len(), program.negations.len()), (3, 3), "{text}");
    }
    // Without soft disjunctions that can be violated every model costs 0.
    for text in ["h 3 0\n", "h 1 -1 0\n5 1 -1 0\n", "p wcnf 1 1 3\n3 1 0\n", "p wcnf 1 0\n"] {
        let program = parse(text).expect("good");
        assert!(program.minimize.len() == 1 && program.minimize[0].lits.is_empty(), "{text}");
    }
    // A file of this name need have no hard disjunctions.
    let named = read_any("f.wcnf", &b"7 1 0\n"[..]).expect("good");
    assert_eq!(named.minimize[0].lits, [(Lit::f(Var(0)), 7)]);
    // A weight of any size is hard if that of hard disjunctions is not larger.
    for top in ["9223372036854775808", "18446744073709551615", "340282366920938463463374607431768211456"] {
        let text = format!("p wcnf 1 1 {top}\n{top} 1 0\n9223372036854775806 -1 0\n");
        let huge = parse(&text).expect("good");
        assert_eq!(huge.minimize[0].lits, [(Lit::t(Var(0)), i64::MAX - 1)], "{top}");
    }
    // Costs that 64 bits do not hold have two digits.
    let wide = parse("18446744073709551615 1 0\nh -1 0\n").expect("good");
    let digits = wide.digits.expect("two");
    assert_eq!((wide.minimize.len(), digits.base), (2, 0));
    assert_eq!(wide.bound_of(&[18_446_744_073_709_551_615]).len(), 2);
    // An empty disjunction always costs its weight.
    let empty = parse("7 0\nh -1 0\n").expect("good");
    assert_eq!(empty.minimize[0].lits, [(Lit::t(Var(1)), 7)]);
    assert!(empty.rule_ids().any(|r| empty.head(r) == Head::Atom(Var(1)) && empty.body(r).is_empty()));
    // Without a weight of hard disjunctions, all are soft.
    let soft = parse("p wcnf 2 2\n99 1 0\n1 2 0\n").expect("good");
    assert_eq!(soft.minimize[0].lits, [(Lit::f(Var(0)), 99), (Lit::f(Var(1)), 1)]);
}

#[test]
fn what_is_wrong_is_told_by_line() {
    for (text, expected) in [
        ("p wcnf 2 1 3\n3 3 0\n", "f:2: a literal or 0 is out of range: 3; it must be a number from -2 to 2"),
        ("p wcnf 2 1 3\n0 1 0\n", "f:2: a weight is out of range: 0"),
        ("p wcnf 2 1 3\n-1 1 0\n", "f:2: a weight is out of range: -1"),
        ("p wcnf 2 1 3\n1 1", "f:2: expected a literal or 0, found the end of the input; each disjunction"),
        ("p wcnf 2 1 3\n1", "f:2: expected a literal or 0, found the end of the input; each disjunction"),
        ("p wcnf 2 1 3\nh 1 0\n", "f:2: expected a weight, found `h`"),
        ("p wcnf 2 1 3 4\n", "f:1: expected the end of the line, found `4`"),
        ("p wcnf 2 1 0\n", "f:1: the weight of hard clauses is out of range: 0"),
        (
            "h 1 0\n1237940039285380274899124225 1 0\n",
            "f:2: a weight is out of range: a number of 28 digits; it must be a number from 1 to 1237940039285380274899124224",
        ),
        (
            "1237940039285380274899124224 1 0\nh 1 0\n1 2 0\n1 -1 0\n",
            "f:3: the weights add up to more than 1237940039285380274899124224, which is 2^90; divide them all by",
        ),
        ("h 268435457 0\n", "f:1: a literal or 0 is out of range: 268435457"),
        ("h 1 0\nx 1 0\n", "f:2: expected a weight, found `x`"),
        (
            "h 1 0\nhard 1 0\n",
            "f:2: this is no ground program, in aspif, smodels or DIMACS format: found `hard`",
        ),
        ("h 1 x 0\n", "f:1: expected a literal or 0, found `x`"),
        ("hello", "f:1: this is no ground program, in aspif, smodels or DIMACS format: found `hello`"),
    ] {
        let error = parse(text).expect_err(text).to_string();
        assert!(error.starts_with(expected), "{text:?}: {error}");
    }
}

#[test]
fn every_truncation_is_read_or_refused() {
    let text = "c x\np wcnf 12 2 7\n7 1 -12\n0 3 5 6 0 c y\n";
    for end in 0..text.len() {
        if let Ok(program) = parse(&text[..end]) {
            assert!(program.body_lits.iter().all(|lit| lit.var().0 < program.atoms), "{:?}", &text[..end]);
        }
    }
}
