//! Formulas in DIMACS: what is read, and what is refused.

use super::super::read as read_any;
use super::*;
use crate::ids::RuleId;
use crate::program::Head;
use crate::program::Program;

fn parse(text: &str) -> Result<Program, InputError> {
    read_any("f", text.as_bytes())
}

/// The disjunctions of a formula, as numbers.
fn disjunctions(text: &str) -> Vec<Vec<i64>> {
    let program = parse(text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
    let number = |lit: &Lit| if lit.is_false_sign() { 1 } else { -1 } * (lit.var().0 as i64 + 1);
    let constraints = program.rule_ids().filter(|&r| program.head(r) == Head::Constraint);
    constraints.map(|r| program.body(r).iter().map(number).collect()).collect()
}

#[test]
fn each_disjunction_is_a_nogood_and_each_variable_a_choice() {
    let program = parse("p cnf 3 1\n1 -2 0\n").expect("good");
    assert_eq!((program.atoms, program.rules()), (3, 4));
    assert_eq!(program.body(RuleId(0)), [Lit::f(Var(0)), Lit::t(Var(1))]);
    assert_eq!(program.heads[1..], [0, 1, 2].map(|a| Head::Choice(Var(a))));
    let names: Vec<&str> = program.outputs.iter().map(|output| &output.name[..]).collect();
    assert_eq!(
        (names, &program.negations[..]),
        (vec!["1", "2", "3"], &["-1", "-2", "-3"].map(String::from)[..])
    );
}

#[test]
fn what_clasp_reads_is_read() {
    for (text, want) in [
        ("p cnf 0 0\n", &[][..]),
        ("p cnf 0 0", &[]),
        ("p cnf 2 0\n", &[]),
        ("c\nc a comment\n\n c x\np cnf 3 2\n1 -2\n\n 3 0\n2 0\n", &[&[1, -2, 3][..], &[2]]),
        // More or fewer than the header says, and several on a line.
        ("p cnf 2 1\n1 0 2 0 -1\n-2 0", &[&[1], &[2], &[-1, -2]]),
        ("p cnf 2 7\n1 0\n", &[&[1]]),
        ("p  cnf\t2 1 \r\n1 0\r\n", &[&[1]]),
        // The empty one, a tautology, a literal twice.
        ("p cnf 2 3\n0\n1 -1 0\n2 2 0\n", &[&[], &[1, -1], &[2, 2]]),
        // Comments everywhere.
        ("p cnf 2 2\n1 0 c foo\n  c bar\n2\nc 1 0\n -1 0\nc", &[&[1], &[2, -1]]),
        // How files of a well-known collection end.
        ("p cnf 2 1\n1 2 0\n%\n0\n\n", &[&[1, 2]]),
    ] {
        assert_eq!(disjunctions(text), want, "{text:?}");
    }
}

#[test]
fn what_is_wrong_is_told_by_line() {
    for (text, expected) in [
        ("p cnf 2 1\n1 3 0\n", "f:2: a literal or 0 is out of range: 3; it must be a number from -2 to 2"),
        ("p cnf 2 1\n\n1 -3 0\n", "f:3: a literal or 0 is out of range: -3"),
        ("p cnf 0 1\n1 0\n", "f:2: a literal or 0 is out of range: 1"),
        ("p cnf 2 1\n1 2", "f:2: expected a literal or 0, found the end of the input; each disjunction"),
        ("p cnf 2 1\n1 2 c foo\n 0\n", "f:2: expected a literal or 0, found `c`"),
        ("p cnf 2 1\n1 x 0\n", "f:2: expected a literal or 0, found `x`"),
        ("p cnf 2 1\nx1 2 0\n", "f:2: expected a literal or 0, found `x1`"),
        ("p cnf 2 1\n1 0\np cnf 2 1\n", "f:3: expected a literal or 0, found `p`"),
        ("p cnf 2\n1 0\n", "f:1: expected the number of clauses, found the end of the line; the line `p cnf"),
        ("p cnf\n", "f:1: expected the number of variables, found the end of the line"),
        ("p cnf 2 1 3\n1 0\n", "f:1: expected the end of the line, found `3`"),
        ("p cnf -2 1\n", "f:1: the number of variables is out of range: -2"),
        ("p cnf 268435457 1\n", "f:1: the number of variables is out of range"),
        ("c\np cnf two 1\n", "f:2: expected the number of variables, found `two`"),
        ("p cnf+ 2 1\n1 2 >= 1\n", "f:1: the format `p cnf+`, and yasmin reads `p cnf` and `p wcnf` alone"),
        ("p cnf 2 1\na 1 0\ne 2 0\n1 2 0\n", "f:2: a quantifier (QDIMACS)"),
        // Without the problem line.
        (
            "1 2 0\n2 3 0\n",
            "f:3: a formula without a line `p cnf` or `p wcnf`, and without hard disjunctions (`h`)",
        ),
        ("1 2 0\n-1 2 0\n", "f:2: a formula without a line `p cnf`"),
        ("-1 2 0\n", "f:1: a formula without a line `p cnf`"),
        ("c x\n-1 2 0\n", "f:2: a formula without a line `p cnf`"),
        ("p dnf 2 1\n", "f:1: this is no ground program"),
        ("p", "f:1: this is no ground program"),
        ("c :- a.\na.", "f:2: this is no ground program, in aspif, smodels or DIMACS format: found `a.`"),
    ] {
        let error = parse(text).expect_err(text).to_string();
        assert!(error.starts_with(expected), "{text:?}: {error}");
    }
}

#[test]
fn every_truncation_of_a_formula_is_read_or_refused() {
    let text = "c x\np cnf 12 2\n1 -12\n0 c y\n3 0\n%\n0\n";
    for end in 0..text.len() {
        if let Ok(program) = parse(&text[..end]) {
            assert!(program.body_lits.iter().all(|lit| lit.var().0 < program.atoms), "{:?}", &text[..end]);
        }
    }
}
