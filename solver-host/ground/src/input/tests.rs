//! Good input in both formats, and every kind of bad input.

use super::*;
use crate::ids::RuleId;
use crate::program::{Head, Heuristic, Modifier, Output, ProgramBuilder};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use solver_gpu::{Lit, Var};
use std::path::PathBuf;

fn parse(text: &str) -> Result<Program, InputError> {
    read("f", text.as_bytes())
}

#[track_caller]
fn refused(text: &str, expected: &str) {
    let error = parse(text).expect_err(text).to_string();
    assert!(error.contains(expected), "{text:?}: {error}");
}

/// `gringo -o smodels` of `a :- not b. b :- not a. :- a, b. c("x y",1) :- a, not d.`
const SMODELS: &str =
    "1 2 1 1 3\n1 3 1 1 2\n1 1 2 0 2 3\n1 4 2 1 5 2\n0\n2 a\n3 b\n4 c(\"x y\",1)\n0\nB+\n0\nB-\n1\n0\n1\n";

const ASPIF: &str = "asp 1 0 0\n1 0 1 1 0 1 -2\n1 0 1 2 0 1 -1\n1 0 0 0 2 1 2\n10 a comment\n4 1 a 1 1\n4 4 b\"\nc 2 -2 1\n0\n";

#[test]
fn reads_aspif() {
    let p = parse(ASPIF).expect("good");
    let (a, b) = (Var(0), Var(1));
    assert_eq!((p.atoms, p.rules()), (2, 3));
    assert_eq!(p.heads, [Head::Atom(a), Head::Atom(b), Head::Constraint]);
    assert_eq!((p.body(RuleId(0)), p.body(RuleId(2))), (&[Lit::f(b)][..], &[Lit::t(a), Lit::t(b)][..]));
    assert_eq!(p.outputs[1], Output { name: "b\"\nc".into(), condition: vec![Lit::f(b), Lit::t(a)] });
}

#[test]
fn reads_smodels() {
    let p = parse(SMODELS).expect("good");
    assert_eq!((p.rules(), p.outputs.len()), (4, 3));
    assert_eq!(p.outputs[2].name, "c(\"x y\",1)");
    let (a, d) = (Var(0), Var(4));
    assert_eq!((p.heads[3], p.body(RuleId(3))), (Head::Atom(Var(3)), &[Lit::f(d), Lit::t(a)][..]));
    assert_eq!(
        (p.heads[2], p.body(RuleId(2))),
        (Head::Constraint, &[Lit::t(Var(0)), Lit::t(Var(1))][..]),
        "B- makes a constraint"
    );
    let forced = parse("1 2 1 1 3\n0\n2 a\n0\nB+\n2\n0\nB-\n0\n1\n").expect("good");
    assert_eq!((forced.heads[1], forced.body(RuleId(1))), (Head::Constraint, &[Lit::f(Var(0))][..]));
}

/// A head and a body, with the names of atoms.
type NamedRule<'p> = (Option<&'p str>, Vec<(&'p str, bool)>);

/// The rules, in no order.
fn named_rules(p: &Program) -> Vec<NamedRule<'_>> {
    let name = |atom: Var| {
        let output = p.outputs.iter().find(|o| o.condition == [Lit::t(atom)]);
        output.map_or("no name", |o| &o.name[..])
    };
    let literals = |r| p.body(r).iter().map(|lit| (name(lit.var()), lit.is_false_sign()));
    let mut rules: Vec<_> = p
        .rule_ids()
        .map(|r| {
            let mut body: Vec<_> = literals(r).collect();
            body.sort();
            (p.head(r).atom().map(name), body)
        })
        .collect();
    rules.sort();
    rules
}

#[test]
fn both_formats_of_a_program_have_the_same_rules() {
    // What gringo writes, without and with `-o smodels`, for a :- not b.  b :- not a.  c(X) :- b, not d(X), X
    // = 1..2.  d(X) :- a, not c(X), X = 1..2.  d(2) :- c(1), b. :- a, not c(1).  :- c(2), d(2).  p :- q, not
    // a.  q :- p.  p :- b.
    let aspif = "asp 1 0 0\n1 0 1 1 0 1 -2\n1 0 1 2 0 1 -1\n1 0 1 3 0 1 1\n1 0 1 4 0 1 3\n1 0 1 3 0 2 -2 4\n\
        1 0 1 5 0 2 2 -6\n1 0 1 7 0 2 2 -8\n1 0 1 6 0 2 1 -5\n1 0 1 8 0 2 1 -7\n1 0 1 7 0 2 1 6\n1 0 0 0 2 7 8\n\
        1 0 0 0 2 -6 2\n4 1 b 1 1\n4 1 a 1 2\n4 4 d(1) 1 5\n4 4 d(2) 1 7\n4 4 c(1) 1 6\n4 4 c(2) 1 8\n4 1 q 1 4\n\
        4 1 p 1 3\n0\n";
    let smodels =
        "1 2 1 1 3\n1 3 1 1 2\n1 4 1 0 2\n1 5 1 0 4\n1 4 2 1 3 5\n1 6 2 1 7 3\n1 8 2 1 9 3\n1 7 2 1 6 2\n\
        1 9 2 1 8 2\n1 8 2 0 2 7\n1 1 2 0 8 9\n1 1 2 1 7 3\n0\n2 b\n3 a\n4 p\n5 q\n6 d(1)\n7 c(1)\n8 d(2)\n\
        9 c(2)\n0\nB+\n0\nB-\n1\n0\n1\n";
    let (aspif, smodels) = (parse(aspif).expect("good"), parse(smodels).expect("good"));
    assert_eq!(named_rules(&aspif), named_rules(&smodels));
    assert_eq!(aspif.rules(), 12);
}

#[test]
fn an_atom_that_must_be_false_is_false_wherever_it_stands() {
    // 1 is forbidden, and also in a body: `:- b.` is left of its rule, and nothing derives it.
    let p = parse("1 1 1 0 2\n1 3 1 0 1\n0\n3 c\n0\nB+\n0\nB-\n1\n0\n1\n").expect("good");
    assert_eq!(
        (&p.heads[..], p.body(RuleId(0))),
        (&[Head::Constraint, Head::Atom(Var(2))][..], &[Lit::t(Var(1))][..])
    );
    // One that was never named needs nothing; one that must also be true contradicts.
    assert_eq!(parse("1 2 0 0\n0\n0\nB+\n0\nB-\n1\n7\n0\n1\n").expect("good").atoms, 1);
    let p = parse("1 2 0 0\n0\n0\nB+\n2\n0\nB-\n2\n0\n1\n").expect("good");
    assert_eq!(p.heads, [Head::Constraint; 2], "`:- .` and `:- not a.`");
}

/// As clasp: `B-` counts for more than that an atom is external, in whichever way that is said.
#[test]
fn an_external_atom_that_must_be_false_is_false() {
    let with = |external: &str, tail: &str| {
        parse(&format!("1 2 1 0 3\n{external}0\n2 a\n3 e\n0\nB+\n0\nB-\n3\n0\n{tail}1\n")).expect("good")
    };
    // Free: `{e}.` is gone, so that nothing derives `e`.
    for p in [with("", "E\n3\n0\n"), with("91 3 2\n", ""), with("91 3 0\n", ""), with("92 3\n", "")] {
        assert_eq!(p.heads, [Head::Atom(Var(0))]);
    }
    // True: `:- .`
    let p = with("91 3 1\n", "");
    assert_eq!((&p.heads[..], p.body(RuleId(1))), (&[Head::Atom(Var(0)), Head::Constraint][..], &[][..]));
    // It has a rule, so it is no external: `:- x.` is all that is left.
    let p = with("3 1 4 0 0\n1 3 1 0 4\n91 3 1\n", "");
    assert_eq!(p.heads, [Head::Atom(Var(0)), Head::Choice(Var(2)), Head::Constraint]);
    assert_eq!(p.body(RuleId(2)), [Lit::t(Var(2))]);
    // Named in `B-` and `E` alone.
    let p = parse("1 2 0 0\n0\n2 a\n0\nB+\n0\nB-\n5\n0\nE\n5\n0\n1\n").expect("good");
    assert_eq!(p.heads, [Head::Atom(Var(0))]);
}

#[test]
fn accepts_carriage_returns_and_no_final_newline() {
    let text = b"asp 1 0 0\n10 in any \xe9ncoding\n1 0 1 1 0 0\n0\n";
    assert_eq!(read("f", &text[..]).expect("comments are skipped").rules(), 1);
    let text = "asp 1 0 0\r\n1 0 1 1 0 0\r\n0";
    assert_eq!(parse(text).expect("good").rules(), 1);
    let smodels = "1 2 0 0\r\n0\r\n2 a\r\n0\r\nB+\r\n0\r\nB-\r\n1\r\n0\r\n1\r\n";
    assert_eq!(parse(smodels).expect("good").outputs[0].name, "a");
}

#[test]
fn refuses_what_is_no_ground_program() {
    refused("", "f:1: expected a ground program, found nothing; ground a logic program");
    refused(" \n\n", "found nothing");
    refused("a :- not b.\n", "expected `asp`");
    refused("p.\n", "found `p.`; ground a logic program");
    refused(":- p.\n", "no ground program");
    refused("% comment\n", "gringo FILE | yasmin");
    refused("\u{7f}ELF\u{1}", "no ground program");
    // Texts that begin as the numeric format or aspif does.
    for text in ["1 {a; b} 1.", "2 { a; b } 3.", "0 {a} 1.", "1{a}1.", "asp :- not b.", "asp(1).", "a."] {
        refused(text, "f:1: ");
        refused(text, "ground a logic program with `gringo FILE | yasmin`");
    }
    assert!(read("f", &[0xff, 0x00, 0x80][..]).is_err());
    let other = read("f", &b"asp 1 0 0\n4 2 \xe9\xff 0\n0\n"[..]).expect("any bytes are a name");
    assert_eq!(other.outputs[0].name, "\u{10ffe9}\u{10ffff}");
    let mut written = Vec::new();
    other.to_aspif(&mut written).expect("a vector takes everything");
    assert_eq!(written, b"asp 1 0 0\n4 2 \xe9\xff 0\n0\n");
}

/// Every statement of aspif.
const RICH: &str = "asp 1 0 0\n1 1 2 1 2 0 1 -3\n1 0 2 4 5 0 0\n1 0 1 6 1 3 3 1 2 -2 1 4 1\n\n2 1 2 1 -4 -5 2\n2 0 1 6 1\n\
    2 1 1 4 7\n3 2 1 6\n4 1 a 1 1\n5 7 0\n5 8 1\n5 9 2\n5 10 3\n5 1 1\n6 2 1 -7\n7 0 1 5 1 0\n7 5 2 -3 0 1 4\n8 0 1 1 2\n\
    8 1 0 0\n10 a comment\n0\n";

/// Every rule of smodels' format.
const RICH_SMODELS: &str =
    "1 2 1 1 3\n2 4 2 1 1 3 2\n3 2 3 5 0 0\n5 6 3 2 1 2 3 2 3\n6 0 2 1 4 2 1 5\n6 0 1 0 6 1\n8 2 7 8 1 0 2\n\
    91 9 0\n91 10 1\n91 11 2\n92 12\n0\n2 a\n0\nB+\n2\n0\nB-\n1\n0\nE\n13\n0\n1\n";

#[test]
fn reads_every_statement_of_aspif() {
    let p = parse(RICH).expect("good");
    let atom = |number: u32| Var(number - 1);
    let (t, f) = (|n| Lit::t(atom(n)), |n| Lit::f(atom(n)));
    // Atoms come in the order 1, 2, 3, .. here; the sum's atom is the first that is hidden.
    assert_eq!(&p.heads[..2], [Head::Choice(atom(1)), Head::Choice(atom(2))]);
    assert_eq!(
        (p.body(RuleId(0)), p.body(RuleId(1)), p.body_of[0]),
        (&[f(3)][..], &[f(3)][..], p.body_of[1])
    );
    assert_eq!(p.disjunctions[0].heads, [atom(4), atom(5)]);
    let sum = &p.sums[0];
    assert_eq!((sum.bound, &sum.lits[..]), (3, &[(t(1), 2), (f(2), 1), (t(4), 1)][..]));
    assert_eq!((p.heads[2], p.body(RuleId(2))), (Head::Atom(atom(6)), &[Lit::t(sum.atom)][..]));
    assert_eq!(p.minimize.iter().map(|level| level.priority).collect::<Vec<_>>(), [1, 0]);
    assert_eq!(p.minimize[0].lits, [(t(1), -4), (f(5), 2), (t(4), 7)]);
    assert_eq!(p.projection, Some(vec![atom(1), atom(6)]));
    let heuristics: Vec<(Modifier, i32, u32, usize)> =
        p.heuristics.iter().map(|h| (h.modifier, h.bias, h.priority, h.condition.len())).collect();
    assert_eq!(heuristics, [(Modifier::Level, 5, 1, 0), (Modifier::False, -3, 0, 1)]);
    // Behind 6 and the sum: 7 is free, 8 true, 9 and 10 are nothing; that 1 is external means nothing, it has
    // a rule.
    assert!(p.heads.contains(&Head::Choice(Var(7))) && p.heads.contains(&Head::Atom(Var(8))));
    assert!(!p.heads.iter().any(|head| head.atom().is_some_and(|p| [9, 10].contains(&p.0))));
    let constraints = p.rule_ids().filter(|&r| p.head(r) == Head::Constraint);
    // Two assumptions, two nodes of the graph.
    assert_eq!(constraints.count(), 4);
}

#[test]
fn reads_every_rule_of_smodels() {
    let p = parse(RICH_SMODELS).expect("good");
    let (choices, disjunctions) =
        (p.heads.iter().filter(|h| matches!(h, Head::Choice(_))).count(), &p.disjunctions);
    // `{3; 5}`, and the externals 11 and 13.
    assert_eq!((choices, disjunctions.len()), (4, 1));
    assert_eq!(p.sums.iter().map(|s| (s.bound, s.lits.len())).collect::<Vec<_>>(), [(1, 2), (3, 2)]);
    assert_eq!(
        p.sums[1].lits.iter().map(|&(lit, w)| (lit.is_false_sign(), w)).collect::<Vec<_>>(),
        [(true, 2), (false, 3)]
    );
    // The later of two minimize statements comes first.
    assert_eq!(p.minimize.iter().map(|m| (m.priority, m.lits.len())).collect::<Vec<_>>(), [(1, 1), (0, 2)]);
}

#[test]
fn what_is_not_known_is_refused_by_name() {
    for (statement, name) in [
        ("9 7 1 1", "the kind of a theory statement is out of range: 7"),
        ("9 3 1 1", "unknown theory statement 3"),
        ("9 2 1 -4 0", "the kind of a compound term is out of range: -4"),
        ("9 4 0 1 5 0", "no theory term has the number 5"),
        ("9 5 1 5 0", "no theory term has the number 5"),
        ("9 0 0 2147483648", "a number of a theory is out of range"),
        ("11 1", "unknown statement 11"),
        ("1 0 1 1 1 1 1 2 9223372036854775808", "a weight is out of range: 9223372036854775808"),
        ("1 0 1 1 1 1 1 2 -1", "a weight is out of range: -1"),
        ("1 0 1 1 1 9223372036854775808 1 2 1", "a bound is out of range"),
        ("1 0 1 1 1 1 2 2 9223372036854775807 3 1", "the weights add up to more than 9223372036854775806"),
        ("2 0 1 1 -9223372036854775808", "a weight is out of range"),
        ("2 0 2 1 -9223372036854775807 2 1", "the weights add up to more than 9223372036854775806"),
        ("2 2147483648 0", "a priority is out of range"),
        ("5 1 4", "the value of an external atom is out of range: 4"),
        ("7 6 1 1 1 0", "a heuristic modifier is out of range"),
        ("7 0 1 1 -1 0", "a heuristic priority is out of range"),
        ("8 0 x 0", "expected a node, found `x`"),
        ("3 1 0", "an atom is out of range: 0"),
    ] {
        let text = format!("asp 1 0 0\n1 0 1 1 0 0\n{statement}\n0\n");
        refused(&text, name);
        refused(&text, "f:3: ");
    }
    refused("asp 1 0 0 parts\n0\n", "f:1: the tag `parts`");
    refused("asp 1 0 0 incremental\n1 1 1 1 0 0\n0\n0\n", "f:4: a second step begins here");
    refused(
        "Asp 1 0 0\n0\n",
        "f:1: expected `asp` or a number at the beginning, found `Asp`; the first line",
    );
    refused(
        "asp1 0 0\n0\n",
        "f:1: expected `asp` or a number at the beginning, found `asp1`; the first line",
    );
    refused("asp 2 0 0\n0\n", "aspif 2.0");
    for (rule, name) in [
        ("90 1", "a rule of unknown type 90"),
        ("5 2 1 1 0 3 9223372036854775808", "a weight is out of range"),
        ("2 2 1 2 1 3", "2 of 1 literals cannot be negative"),
        ("6 1 1 0 2 1", "the 0 of a minimize statement is out of range"),
    ] {
        refused(&format!("1 2 0 0\n{rule}\n0\n"), &format!("f:2: {name}"));
    }
}

#[test]
fn errors_show_no_control_characters() {
    for text in ["as\0p", "asp 1 0 0 \u{1b}[2J", "0\n0\nB+\u{7}\n"] {
        let told = parse(text).expect_err("bad").to_string();
        assert!(!told.contains(char::is_control) && told.contains('\u{fffd}'), "{told:?}");
    }
}

#[test]
fn refuses_bad_numbers_by_line() {
    let with = |line: &str| format!("asp 1 0 0\n{line}\n0\n");
    for (line, expected) in [
        ("1 0 1 x 0 0", "f:2: expected an atom, found `x`"),
        ("1 0 1 1 0 1 2y", "f:2: expected a literal, found `y`"),
        ("1 0 1 x123456789012345678901234567890 0 0", "found `x1234567890123456789`"),
        ("1 0 1 1 0 1 0", "f:2: 0 is no literal"),
        ("1 0 1 0 0 0", "an atom is out of range: 0; it must be a number from 1 to 268435456"),
        ("1 0 1 268435457 0 0", "out of range"),
        ("1 0 1 1 0 1 -268435457", "out of range"),
        ("1 0 1 1 0 1 999999999999999999999999999999", "out of range: a number of 30 digits"),
        ("1 0 1 1 0 999999999999999999999999999999", "out of range: a number of 30 digits"),
        ("1 0 1 1 0 -1", "a number of literals is out of range: -1"),
        ("1 0 1 1 0 2 1", "f:2: expected a literal, found the end of the line"),
        ("1 0 1 1 0 1 1 2", "expected the end of the line, found `2`; a length may be wrong"),
        ("1 0 1 1 0 4294967295 1", "expected a literal"),
        ("1 0 1 1 0 4294967296 1", "out of range"),
        ("4 4294967295 a 0", "expected a string of 4294967295 bytes, found the end of the input"),
        ("4 -1 a 0", "out of range"),
        ("4 1 ab 0", "expected a number of literals, found `b`"),
        ("1 0 1 - 0 0", "expected an atom"),
        ("1 2 1 1 0 0", "the kind of a head is out of range"),
    ] {
        refused(&with(line), expected);
    }
    refused("asp 1 0 0\n1 0 1 1 0 0\n", "f:3: expected the kind of a statement, found the end of the input");
    refused("asp 1 0 0\n0\n1 0 1 1 0 0\n", "f:3: expected the end of the input, found `1`");
    refused("1 2 1 2 3\n0\n", "2 of 1 literals");
    refused("1 2 0 0\n0\n0\nB+\n0\nB-\n0\n", "number of models");
    refused("1 2 0 0\n0\n0\nB-\n0\n", "expected `B+`, found `B-`");
    refused("1 2 0 0\n0\n2\n0\n", "name of atom 2");
}

#[test]
fn every_truncation_is_an_error() {
    // Without the newline at the end a program is still complete.
    for text in [ASPIF, SMODELS, RICH, RICH_SMODELS] {
        assert!(parse(&text[..text.len() - 1]).is_ok());
        for end in 0..text.len() - 2 {
            assert!(parse(&text[..end]).is_err(), "{:?}", &text[..end]);
        }
    }
}

/// A stream of one byte a read, now and then interrupted, that ends in an error.
struct Trickle<'b>(&'b [u8], bool);

impl Read for Trickle<'_> {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        self.1 = !self.1;
        match self.0.split_first() {
            _ if self.1 => Err(std::io::ErrorKind::Interrupted.into()),
            None => Err(std::io::ErrorKind::ConnectionReset.into()),
            Some((&byte, rest)) => {
                (to[0], self.0) = (byte, rest);
                Ok(1)
            }
        }
    }
}

#[test]
fn a_stream_may_give_little_at_once_and_may_fail() {
    let text = [ASPIF.as_bytes(), &b" ".repeat(100_000)].concat();
    let whole = read("f", &text[..]).expect("good");
    assert_eq!(
        read("f", Trickle(&text, false).take(text.len() as u64)).expect("good").outputs,
        whole.outputs
    );
    let error = read("f", Trickle(&text[..40], false)).expect_err("reset").to_string();
    assert!(error.starts_with("f: cannot be read: "), "{error}");
}

/// The ground program in these files.
fn read_files(files: &[PathBuf]) -> Result<Program, ground::ReadError> {
    Ok(ground::Inputs::open(files)?.read_ground()?)
}

#[test]
fn files_are_named_in_errors() {
    let folder = std::env::temp_dir().join(format!("yasmin-input-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let [good, bad, missing] = ["good", "bad", "missing"].map(|name| folder.join(name));
    std::fs::write(&good, ASPIF).expect("a file");
    std::fs::write(&bad, "asp 1 0 0\nx\n").expect("a file");
    assert_eq!(read_files(std::slice::from_ref(&good)).expect("good").rules(), 3);
    for (files, expected) in [
        (&[bad.clone()][..], format!("{}:2: expected", bad.display())),
        (&[missing.clone()][..], format!("{}: cannot be read: ", missing.display())),
        (&[folder.clone()][..], format!("{}: cannot be read: ", folder.display())),
        (&[good, bad.clone()][..], format!("{}: a second ground program", bad.display())),
    ] {
        let error = read_files(files).expect_err("bad").to_string();
        assert!(error.starts_with(&expected), "{error}");
    }
    std::fs::remove_dir_all(&folder).expect("the folder is there");
}

#[test]
fn a_huge_atom_takes_no_memory() {
    let p = parse("asp 1 0 0\n1 0 1 268435456 0 1 -268435455\n0\n").expect("good");
    assert_eq!(p.atoms, 2);
    let mut b = ProgramBuilder::default();
    // Far apart first, near enough to be small later: each keeps its number.
    let numbers: Vec<u64> = (0..20_000).map(|i| if i % 2 == 0 { 268_000_000 - i } else { i * 3 }).collect();
    let first: Vec<Var> = numbers.iter().map(|&n| b.atom(n)).collect();
    let again: Vec<Var> = numbers.iter().map(|&n| b.atom(n)).collect();
    assert_eq!(first, again);
    assert_eq!(b.build().expect("few").atoms as usize, numbers.len());
}

/// A kind of rule, atoms, literals with weights.
type AnyRule = (u8, Vec<u64>, Vec<(u64, bool, i64)>);

fn programs() -> impl Strategy<Value = Program> {
    let body = prop::collection::vec((0u64..9, any::<bool>(), 0i64..5), 0..5);
    let rule = (0u8..9, prop::collection::vec(0u64..9, 1..4), body);
    prop::collection::vec(rule, 0..12).prop_map(|rules: Vec<AnyRule>| {
        let mut b = ProgramBuilder::default();
        let atoms: Vec<Var> = (0..9).map(|a| b.atom(a + 1)).collect();
        for (kind, heads, body) in rules {
            let heads: Vec<Var> = heads.iter().map(|&a| atoms[a as usize]).collect();
            let weighted: Vec<(Lit, i64)> =
                body.iter().map(|&(a, sign, weight)| (Lit::new(atoms[a as usize], sign), weight)).collect();
            let body: Vec<Lit> = weighted.iter().map(|&(lit, _)| lit).collect();
            let costs: Vec<(Lit, i64)> = weighted.iter().map(|&(lit, w)| (lit, w - 2)).collect();
            match kind {
                0 => b.rule(None, &body).expect("few"),
                1 => b.choice(&heads[..1], &body).expect("few"),
                2 => b.disjunction(&heads, &body).expect("few"),
                3 => {
                    let sum = b.sum(weighted.len() as i64, weighted).expect("few");
                    b.rule(Some(heads[0]), &[Lit::t(sum)]).expect("few");
                }
                4 => b.minimize(heads.len() as i32, &costs).expect("few"),
                5 => b.project(&heads),
                6 => b.heuristic(Heuristic {
                    atom: heads[0],
                    modifier: Modifier::Factor,
                    bias: -3,
                    priority: 2,
                    condition: body,
                }),
                _ => b.rule(Some(heads[0]), &body).expect("few"),
            }
        }
        b.output(Output { name: "x y\n".into(), condition: vec![Lit::f(Var(3))] });
        for atom in atoms {
            b.output(Output { name: format!("p{}", atom.0), condition: vec![Lit::t(atom)] });
        }
        b.build().expect("few")
    })
}

/// A rule with a weight body: its head, the bound, literals with weights.
type WeightRule<'p> = (&'p str, i64, Vec<(&'p str, bool, i64)>);

/// The rules over sums, by the names of atoms, which reading does not change as it does their numbers.
fn weight_rules(p: &Program) -> Vec<WeightRule<'_>> {
    let name = |atom: Var| {
        let output = p.outputs.iter().find(|o| o.condition == [Lit::t(atom)]);
        output.map(|o| &o.name[..])
    };
    let head = |body: Var| {
        let r = p.rule_ids().find(|&r| p.body(r) == [Lit::t(body)]).expect("a sum has a rule");
        p.head(r).atom().expect("which is no constraint")
    };
    p.sums
        .iter()
        .map(|sum| {
            // Written and read, a sum's atom has a rule over another one, and that has the rule.
            let mut top = head(sum.atom);
            while name(top).is_none() {
                top = head(top);
            }
            let lits = sum.lits.iter().map(|&(lit, w)| {
                (name(lit.var()).expect("a sum is over named atoms"), lit.is_false_sign(), w)
            });
            (name(top).expect("just looked"), sum.bound, lits.collect())
        })
        .collect()
}

/// The program with its atoms renumbered in the order in which aspif names them.
fn renumbered(p: &Program) -> Program {
    let mut text = Vec::new();
    p.to_aspif(&mut text).expect("memory");
    read("f", &text[..]).expect("what is written can be read")
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(yasmin_seeds::seeds(1).start), ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_back(p in programs()) {
        let once = renumbered(&p);
        prop_assert_eq!(once.rules(), p.rules() + p.sums.len());
        let sizes = |p: &Program| (p.disjunctions.len(), p.sums.len(), p.minimize.len(), p.heuristics.len());
        prop_assert_eq!(sizes(&once), sizes(&p));
        prop_assert_eq!(once.projection.as_ref().map(Vec::len), p.projection.as_ref().map(Vec::len));
        prop_assert_eq!(weight_rules(&once), weight_rules(&p));
        let twice = renumbered(&once);
        prop_assert_eq!(weight_rules(&twice), weight_rules(&p));
        // A sum's atom gets a rule over the sum, so the numbers stay only without.
        if p.sums.is_empty() {
            prop_assert_eq!(&once.heads, &twice.heads);
            prop_assert_eq!(&once.body_lits, &twice.body_lits);
            prop_assert_eq!(&once.body_start, &twice.body_start);
            prop_assert_eq!(&once.disjunctions, &twice.disjunctions);
            prop_assert_eq!(&once.minimize, &twice.minimize);
            prop_assert_eq!(&once.projection, &twice.projection);
            prop_assert_eq!(&once.heuristics, &twice.heuristics);
            prop_assert_eq!(&once.outputs, &twice.outputs);
        }
    }

    #[test]
    fn broken_bytes_never_panic(
        smodels: bool,
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0u8..3, edit_byte()), 1..6),
        cut: prop::sample::Index,
    ) {
        let mut bytes = if smodels { RICH_SMODELS } else { RICH }.as_bytes().to_vec();
        for (at, edit, byte) in edits {
            let at = at.index(bytes.len());
            match edit {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ => drop(bytes.remove(at)),
            }
        }
        let cut = cut.index(bytes.len());
        for bytes in [&bytes[..], &bytes[cut..], &bytes[..cut]] {
            if let Ok(p) = read("f", bytes) {
                prop_assert!(p.body_lits.iter().all(|lit| lit.var().0 < p.atoms));
                prop_assert_eq!(*p.body_start.last().expect("never empty") as usize, p.body_lits.len());
                prop_assert_eq!(p.body_start.len(), p.bodies() + 1);
            }
        }
    }
}

/// Any byte, and often one that means something.
fn edit_byte() -> impl Strategy<Value = u8> {
    prop_oneof![any::<u8>(), prop::sample::select(&b"0123456789 \n-B+"[..])]
}

/// Time and memory of a large input, which `YASMIN_MEASURE` names:
/// `YASMIN_MEASURE=FILE /usr/bin/time -v cargo test --release --lib measures -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement of a file that YASMIN_MEASURE names"]
fn measures_a_file() {
    let file = PathBuf::from(std::env::var_os("YASMIN_MEASURE").expect("YASMIN_MEASURE names a file"));
    let bytes = file.metadata().expect("the file exists").len();
    let started = std::time::Instant::now();
    let p = read_files(&[file]).expect("good");
    let seconds = started.elapsed().as_secs_f64();
    let result = 12 * p.heads.len() + 4 * p.body_start.len() + 4 * p.body_lits.len();
    println!(
        "{bytes} bytes, {} rules, {} atoms, {seconds:.2} s; rules take {result} bytes",
        p.rules(),
        p.atoms
    );
}

/// As clasp: a rule that cannot apply unless its head holds, or not at all, does not define an external atom.
#[test]
fn degenerate_rules_leave_an_atom_external() {
    let rules =
        ["1 0 1 1 0 1 1", "1 0 1 1 0 2 1 2", "1 1 1 1 0 1 1", "1 0 1 1 1 1 1 1 1", "1 0 1 1 0 2 2 -2"];
    for rule in rules {
        let with = |value| parse(&format!("asp 1 0 0\n5 1 {value}\n{rule}\n0\n")).expect("good");
        assert!(with(1).heads.contains(&Head::Atom(Var(0))), "{rule}: true");
        let is_fact = |program: &Program| {
            program.rule_ids().any(|r| program.head(r) == Head::Atom(Var(0)) && program.body(r).is_empty())
        };
        assert!(is_fact(&with(1)) && !is_fact(&with(2)), "{rule}");
    }
    let defined = parse("asp 1 0 0\n5 1 1\n1 0 1 1 0 1 2\n1 0 1 1 0 1 1\n0\n").expect("good");
    assert!(defined.rule_ids().all(|r| !defined.body(r).is_empty()), "the first rule defines the atom");
}

/// clingo 5.8 calls each program so.
#[test]
fn an_incremental_program_of_one_step_is_read() {
    let text = "asp 1 0 0 incremental\n1 1 1 1 0 0\n4 1 a 1 1\n0\n";
    assert_eq!(
        parse(text).expect("good").heads,
        parse(&text.replace(" incremental", "")).expect("good").heads
    );
}
