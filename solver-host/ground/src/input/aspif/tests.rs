//! Theory atoms as they are read, and written again.

use crate::input::{read, InputError};
use crate::program::{Head, Program};

fn parse(text: &str) -> Result<Program, InputError> {
    read("f", text.as_bytes())
}

/// `{p}. &diff{a - b: p; [1]} <= f((), "x") :- p. q :- &diff{}.`, a directive, and an atom that a rule
/// defines.
const THEORY: &str = "asp 1 0 0\n1 1 1 1 0 0\n1 0 1 2 0 1 1\n1 0 1 4 0 1 3\n9 1 7 4 diff\n9 1 9 1 a\n9 1 3 1 b\n\
    9 1 0 1 -\n9 2 5 0 2 9 3\n9 0 20 1\n9 2 21 -3 1 20\n9 2 22 -1 0\n9 1 23 3 \"x\"\n9 1 24 1 f\n9 2 25 24 2 22 23\n\
    9 1 26 2 <=\n9 4 8 1 5 1 1\n9 4 9 1 21 0\n9 6 2 7 2 8 9 26 25\n9 5 3 7 0\n9 5 0 7 0\n4 1 p 1 1\n4 1 q 1 4\n0\n";

#[test]
fn reads_theory_atoms() {
    let p = parse(THEORY).expect("good");
    let texts: Vec<_> = p.theory.atoms.iter().map(|atom| p.theory.text_of(atom)).collect();
    assert_eq!(texts, ["&diff{(a-b); [1]} <= f((),\"x\")", "&diff{}", "&diff{}"]);
    let numbers: Vec<_> =
        p.theory.atoms.iter().map(|atom| atom.atom.and_then(|atom| p.number(atom))).collect();
    assert_eq!(numbers, [Some(2), Some(3), None]);
    // The atom of a body may be true or false. A rule defines the atom of a head.
    let choices: Vec<_> = p.heads.iter().filter(|head| matches!(head, Head::Choice(_))).collect();
    assert_eq!(choices.len(), 2, "p and the atom of the body");
    assert_eq!(p.theory.elements[0].condition.len(), 1);
    // Neither does a rule that derives nothing let an atom of a theory be true or false.
    let loops = parse("asp 1 0 0\n1 0 1 2 0 1 2\n9 1 0 1 d\n9 5 2 0 0\n0\n").expect("good");
    assert!(!loops.heads.iter().any(|head| matches!(head, Head::Choice(_))));
    for (text, what) in [
        ("9 0 1 1\n9 0 1 2\n", "a second theory term or element has the number 1"),
        ("9 4 1 0 0\n9 4 1 0 0\n", "a second theory term or element has the number 1"),
        ("9 1 1 1 a\n9 5 0 1 1 4\n", "no theory element has the number 4"),
    ] {
        let error = parse(&format!("asp 1 0 0\n{text}0\n")).expect_err(text).to_string();
        assert!(error.contains(what), "{error}");
    }
}

#[test]
fn theory_atoms_are_written_as_they_are_read() {
    let write = |p: &Program| {
        let mut text = Vec::new();
        p.to_aspif(&mut text).expect("a vector");
        String::from_utf8(text).expect("text")
    };
    let read = parse(THEORY).expect("good");
    let again = parse(&write(&read)).expect("what was written");
    assert_eq!(again.theory.atoms.len(), 3);
    assert_eq!((write(&again), &again.theory.terms), (write(&read), &read.theory.terms));
    // An atom that is false in every answer set stays false.
    let atom = read.theory.atoms[1].atom.expect("the atom of a body");
    let simple = write(&read.simplified(|a| (a == atom).then_some(false)));
    assert!(simple.contains(&format!("\n1 0 0 0 1 {}\n", atom.0 + 1)), "{simple}");
}
