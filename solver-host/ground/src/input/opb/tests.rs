//! Formulas in OPB: what is read, and what is refused. The optima of random ones are compared in the command's tests.

use super::super::read as read_any;
use super::*;
use crate::program::Program;

fn parse(text: &str) -> Result<Program, InputError> {
    read_any("f", text.as_bytes())
}

const WHOLE: &str =
    "* #variable= 3 #constraint= 2 #product= 1 sizeproduct= 2\n* a comment\nmin: +2 x1 -1 ~x2 ;\n\
                     +1 x1 x2 -3 ~x3 >= -2 ;\n* another\n1 x1\n1 x2 = 1;";

#[test]
fn a_constraint_is_a_sum_that_must_hold() {
    let program = parse("* #variable= 2 #constraint= 1\nmin: 3 x1 ;\n2 x1 -5 x2 >= -3 ;\n").expect("good");
    // 2 x1 + 5 (1 - x2) >= 2, and no weight above the bound is needed.
    let sum = &program.sums[0];
    assert_eq!((sum.bound, &sum.lits[..]), (2, &[(Lit::t(Var(0)), 2), (Lit::f(Var(1)), 2)][..]));
    assert_eq!(program.body(crate::ids::RuleId(0)), [Lit::f(sum.atom)]);
    assert_eq!(program.minimize[0].lits, [(Lit::t(Var(0)), 3)]);
    let names: Vec<&str> = program.outputs.iter().map(|output| &output.name[..]).collect();
    assert_eq!((names, &program.negations[..]), (vec!["x1", "x2"], &["-x1", "-x2"].map(String::from)[..]));
    let whole = parse(WHOLE).expect("good");
    assert_eq!((whole.sums.len(), whole.outputs.len()), (3, 3));
}

#[test]
fn at_most_is_at_least_with_opposite_signs() {
    let line = "* #variable= 3 #constraint= 1\n";
    for (one, other) in [
        ("1 x1 2 x2 -3 x3 <= 1 ;", "-1 x1 -2 x2 3 x3 >= -1 ;"),
        ("soft: ;\n[2] 1 x1 2 x2 <=+2;", "soft: ;\n[2] -1 x1 -2 x2 >= -2 ;"),
    ] {
        let parsed = [one, other].map(|text| parse(&format!("{line}{text}")).expect("good"));
        let read = parsed.map(|program| (program.sums, program.body_lits, program.minimize));
        assert_eq!(read[0], read[1], "{one}");
    }
}

#[test]
fn an_objective_without_terms_is_one() {
    let line = "* #variable= 1 #constraint= 1\n";
    for (text, are_there) in [("min: ;\n", true), ("soft: 5 ;\n", true), ("soft: ;\n", true), ("", false)] {
        let program = parse(&format!("{line}{text}1 x1 >= 1 ;")).expect("good");
        let lengths: Vec<usize> = program.minimize.iter().map(|level| level.lits.len()).collect();
        assert_eq!(lengths, if are_there { vec![0] } else { vec![] }, "{text}");
    }
}

#[test]
fn numbers_have_any_size() {
    let line = "* #variable= 3 #constraint= 1\n";
    // A weight above the bound counts as the bound.
    let cut = parse(&format!("{line}18446744073709551616 x1 9 x2 3 x3 >= 5 ;")).expect("good");
    assert_eq!(cut.sums[0].lits.iter().map(|&(_, weight)| weight).collect::<Vec<_>>(), [5, 5, 3]);
    // The digits are sums of their own.
    let wide =
        parse(&format!("{line}9223372036854775807 x1 9223372036854775807 x2 >= 18446744073709551614 ;"));
    assert!(wide.expect("good").sums.len() > 3);
    // Bounds of any size that are always reached, or never.
    let digits = "9".repeat(50);
    assert_eq!(parse(&format!("{line}1 x1 >= -{digits} ;")).expect("good").heads.len(), 3);
    let never = parse(&format!("{line}1 x1 >= {digits} ;")).expect("good");
    assert_eq!(never.head(crate::ids::RuleId(0)), crate::program::Head::Constraint);
    assert!(never.body(crate::ids::RuleId(0)).is_empty());
}

#[test]
fn equal_products_share_an_atom() {
    let program =
        parse("* #variable= 2 #constraint= 1\n1 x1 x2 1 x2 x1 x1 1 x1 ~x1 1 x1 >= 2 ;").expect("good");
    let product = Lit::t(Var(2));
    assert_eq!(program.sums[0].lits, [(product, 1), (product, 1), (Lit::t(Var(0)), 1)]);
}

#[test]
fn what_is_wrong_is_told_by_line() {
    let line = "* #variable= 2 #constraint= 1\n";
    for (text, expected) in [
        ("* no header\n1 x1 >= 1;", "f:1: the number of variables is missing; a formula in OPB begins"),
        ("* #variable= x\n", "f:1: expected the number of variables, found `x`"),
        ("* #variable= 268435457\n", "f:1: the number of variables is out of range"),
        ("1 x3 >= 1 ;", "f:2: a variable is out of range: 3; the first line says that there are 2 variables"),
        ("1 x0 >= 1 ;", "f:2: a variable is out of range: 0"),
        (
            "1 x99999999999999999999 >= 1 ;",
            "f:2: a variable is out of range: 99999999999999999999; the first line says that there are 2 variables",
        ),
        (
            "-1237940039285380274899124225 x1 >= 1 ;",
            "f:2: a coefficient is out of range: a number of 28 digits; it must be a number from -1237940039285380274899124224",
        ),
        (
            "min: 1237940039285380274899124224 x1\n-1 x2 ;",
            "f:3: the weights add up to more than 1237940039285380274899124224, which is 2^90; divide them all by",
        ),
        ("1 x1 >= 1 ;\n1237940039285380274899124224 x1 -1 x2 >= 1 ;", "f:3: the weights add up to more than"),
        ("1.5 x1 >= 1 ;", "f:2: expected a number, found `.5`"),
        ("1 x1 >= 1", "f:2: expected `;`, found the end of the input (is the file cut off?)"),
        ("1 x1 >=", "f:2: expected a bound, found the end of the input"),
        ("1 x1", "f:2: expected a coefficient, `>=`, `=` or `<=`, found the end of the input"),
        ("1 x1\n1 >= 1 ;", "f:3: expected a literal, found `>=`"),
        ("x1 >= 1 ;", "f:2: expected a coefficient, `>=`, `=` or `<=`, found `x1`"),
        ("1 x1 < 1 ;", "f:2: `<`; write `<=` with a bound that is less by one"),
        ("1 x1 > 1 ;", "f:2: expected `>=`, found the byte 0x20"),
        ("max: 1 x1 ;", "f:2: `max:`; write `min:` with opposite coefficients"),
        ("most: 1 x1 ;", "f:2: expected `min:`, `soft:` or a coefficient, found `most`"),
        ("1 x1 >= 1 ;\nmin: 1 x1 ;", "f:3: expected a coefficient, `>=`, `=` or `<=`, found `min`"),
        ("soft: x1 ;", "f:2: expected a bound from 0, or `;`, found `x1`"),
        ("soft: 3 ;\n[0] 1 x1 >= 1 ;", "f:3: expected a weight from 1, found `0`"),
        (
            "soft: 3 ;\n[1237940039285380274899124224] 1 x1 >= 1 ;\n[1] 1 x1 >= 0 ;\n",
            "f:4: the weights add up to more than",
        ),
        ("soft: 3 ;\n[2 1 x1 >= 1 ;", "f:3: expected `]`, found `1`"),
        ("# x ;", "f:2: expected a number or a literal, found `#`"),
    ] {
        let whole = if text.starts_with('*') { text.to_string() } else { format!("{line}{text}") };
        let error = parse(&whole).expect_err(text).to_string();
        assert!(error.starts_with(expected), "{text:?}: {error}");
    }
}

#[test]
fn a_formula_without_its_first_line_is_refused_as_one() {
    for text in ["1 x1 >= 1 ;", "min: -2 x2 ;\n+1 ~x1 >= 1 ;", "-1 ~x1 = 0 ;"] {
        let error = parse(text).expect_err(text).to_string();
        assert!(error.starts_with("f:1: the number of variables is missing"), "{text}: {error}");
    }
}

#[test]
fn every_truncation_is_read_or_refused() {
    for end in 0..WHOLE.len() {
        if let Ok(program) = parse(&WHOLE[..end]) {
            assert!(program.body_lits.iter().all(|lit| lit.var().0 < program.atoms), "{:?}", &WHOLE[..end]);
        }
    }
}
