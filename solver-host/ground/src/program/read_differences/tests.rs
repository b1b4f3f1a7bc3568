//! What theory atoms become as difference constraints, and which values follow.

use crate::input;
use crate::program::{Head, Program};
use solver_gpu::Lit;

/// `&diff{ELEMENT} OPERATOR NUMBER` in aspif, as atom 2 of the program. `term` defines term 9 in terms of the
/// symbols 1 to 4, `x`, `y`, `-`, and `*`; and the numbers 5 to 7, which are 1, 2 and 1000.
fn read(term: &str, operator: &str, number: i32, is_head: bool) -> Result<Program, String> {
    let rule = if is_head { "1 0 1 2 0 1 1" } else { "1 0 0 0 2 2 1" };
    let text = format!(
        "asp 1 0 0\n1 1 1 1 0 0\n{rule}\n9 1 0 4 diff\n9 1 1 1 x\n9 1 2 1 y\n9 1 3 1 -\n9 1 4 1 *\n9 0 5 1\n9 0 6 2\n\
         9 0 7 1000\n{term}\n9 0 10 {number}\n9 1 11 {} {operator}\n9 4 0 1 9 0\n9 6 2 0 1 0 11 10\n0\n",
        operator.len()
    );
    let mut program = input::read("f", text.as_bytes()).map_err(|error| error.to_string())?;
    program.read_differences().map_err(|error| error.to_string())?;
    Ok(program)
}

/// The edges: name of the first node, name of the second, number, and whether the literal is positive.
fn edges(program: &Program) -> Vec<(&str, &str, i64, bool)> {
    let differences = program.differences.as_ref().expect("there are some");
    let name = |node: u32| differences.names.get(node as usize).map_or("0", String::as_str);
    let edge = |e: &super::Edge| (name(e.from), name(e.to), e.most, !e.lit.is_false_sign());
    differences.edges.iter().map(edge).collect()
}

/// `x - y`.
const X_Y: &str = "9 2 9 3 2 1 2";

#[test]
fn an_operator_becomes_edges() {
    let of = |operator, is_head| {
        let program = read(X_Y, operator, 5, is_head).expect("a difference");
        edges(&program)
            .iter()
            .map(|&(from, to, most, is)| format!("{from}{to}{most}{is}"))
            .collect::<Vec<_>>()
    };
    assert_eq!(of("<=", true), ["xy5true"]);
    assert_eq!(of("<", true), ["xy4true"]);
    assert_eq!(of(">=", true), ["yx-5true"]);
    assert_eq!(of(">", true), ["yx-6true"]);
    assert_eq!(of("=", true), ["xy5true", "yx-5true"]);
    assert_eq!(of("!=", true), ["xy4true", "yx-6true"]);
    assert_eq!(of("<=", false), ["xy5true", "yx-6false"]);
    assert_eq!(of(">", false), ["yx-6true", "xy5false"]);
    assert_eq!(of("=", false), ["xy5true", "yx-6false", "yx-5true", "xy4false"]);
}

#[test]
fn sums_are_differences_or_errors() {
    let of = |term| {
        let read = read(term, "<=", 3, true);
        read.map(|program| {
            edges(&program)
                .iter()
                .map(|&(from, to, most, _)| format!("{from}-{to} {most}"))
                .collect::<Vec<_>>()
        })
    };
    for (term, want) in [
        // `2*x - (x*1000 - x*999)` would be long: `2*x - x`, `-x`, `1000`, `x - (y - 2)`, `x(1+2, (y,))`.
        ("9 2 20 4 2 6 1\n9 2 9 3 2 20 1", "x-0 3"),
        ("9 2 9 3 1 1", "0-x 3"),
        ("9 2 20 3 2 2 6\n9 2 9 3 2 1 20", "x-y 1"),
        ("9 1 21 1 +\n9 2 20 21 2 5 6\n9 2 22 -1 1 2\n9 2 9 1 2 20 22", "x(3,(y,))-0 3"),
        ("9 1 9 3 \"7\"", ""),
    ] {
        assert_eq!(of(term).expect(term).join(";"), want, "{term}");
    }
    for (term, what) in [
        ("9 2 9 4 2 1 2", "it multiplies variables"),
        ("9 2 9 4 2 6 1", "more than the difference of two variables"),
        ("9 2 9 -3 1 1", "neither a number nor a variable"),
        ("9 1 9 5 \"1.5\"", "not whole"),
    ] {
        let error = of(term).expect_err(term);
        assert!(error.contains(what) && error.contains("`&diff{"), "{error}");
    }
    // A thousand to the power of seven.
    let mut power = String::from("9 2 20 4 2 7 7");
    (21..27).for_each(|id| power += &format!("\n9 2 {id} 4 2 7 {}", id - 1));
    assert!(of(&format!("{power}\n9 2 9 3 2 1 26")).expect_err("too large").contains("too large"));
}

#[test]
fn an_atom_of_head_and_body_is_two_atoms() {
    // `{p; r}. &diff{x} <= 3 :- p. q :- &diff{x} <= 3, r.`
    let text = "asp 1 0 0\n1 1 2 1 2 0 0\n1 0 1 3 0 1 1\n1 0 1 4 0 2 2 3\n9 1 0 4 diff\n9 1 1 1 x\n9 1 2 2 <=\n9 0 3 3\n\
        9 4 0 1 1 0\n9 6 3 0 1 0 2 3\n0\n";
    let mut program = input::read("f", text.as_bytes()).expect("good");
    let before = program.atoms;
    program.read_differences().expect("differences");
    assert_eq!(program.atoms, before + 1);
    let head = program.heads[2].atom().expect("the head of the theory's rule");
    let other = solver_gpu::Var(before);
    assert!(program.heads.contains(&Head::Choice(other)) && !program.heads.contains(&Head::Choice(head)));
    let q = program.rule_ids().nth(3).expect("the last rule");
    assert!(program.body(q).contains(&Lit::t(other)) && !program.body(q).contains(&Lit::t(head)));
    assert_eq!(edges(&program), [("x", "0", 3, true), ("x", "0", 3, true), ("0", "x", -4, false)]);
}

#[test]
fn values_are_the_least() {
    let program = read(X_Y, ">=", 5, true).expect("a difference");
    let differences = program.differences.expect("there are some");
    assert_eq!(differences.shown(|_| true), ["dl(x,5)", "dl(y,0)"]);
    assert_eq!(differences.shown(|_| false), [""; 0]);
    let below =
        read("9 2 9 3 1 1", ">=", 5, true).expect("a difference").differences.expect("there are some");
    assert_eq!(below.shown(|_| true), ["dl(x,-5)"]);
    // `x - y < 0` and `y - x < 0`.
    let both = read(X_Y, "!=", 0, true).expect("a difference").differences.expect("there are some");
    assert_eq!(both.values(|_| true), None);
}
