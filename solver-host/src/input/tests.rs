//! Good input in both formats, and every kind of bad input.

use super::*;
use crate::program::{Output, ProgramBuilder};
use proptest::prelude::*;
use solver_gpu::{Lit, Var};

fn parse(text: &str) -> Result<Program, InputError> {
    read("f", text.as_bytes())
}

#[track_caller]
fn refused(text: &str, expected: &str) {
    let error = parse(text).expect_err(text).to_string();
    assert!(error.contains(expected), "{text:?}: {error}");
}

const ASPIF: &str = "asp 1 0 0\n1 0 1 1 0 1 -2\n1 0 1 2 0 1 -1\n1 0 0 0 2 1 2\n10 a comment\n4 1 a 1 1\n4 4 b\"\nc 2 -2 1\n0\n";

#[test]
fn reads_aspif() {
    let p = parse(ASPIF).expect("good");
    let (a, b) = (Var(0), Var(1));
    assert_eq!((p.atoms, p.rules()), (2, 3));
    assert_eq!(p.heads, [Some(a), Some(b), None]);
    assert_eq!((p.body(0), p.body(2)), (&[Lit::f(b)][..], &[Lit::t(a), Lit::t(b)][..]));
    assert_eq!(p.outputs[1], Output { name: "b\"\nc".into(), condition: vec![Lit::f(b), Lit::t(a)] });
}

#[test]
fn reads_smodels_as_aspif() {
    // `gringo -o smodels` of `a :- not b. b :- not a. :- a, b. c :- a, not d.`
    let smodels = "1 2 1 1 3\n1 3 1 1 2\n1 1 2 0 2 3\n1 4 2 1 5 2\n0\n2 a\n3 b\n4 c(\"x y\",1)\n0\nB+\n0\nB-\n1\n0\n1\n";
    let p = parse(smodels).expect("good");
    assert_eq!((p.rules(), p.outputs.len()), (5, 3));
    assert_eq!(p.outputs[2].name, "c(\"x y\",1)");
    let (a, d) = (Var(0), Var(4));
    assert_eq!((p.heads[3], p.body(3)), (Some(Var(3)), &[Lit::f(d), Lit::t(a)][..]));
    assert_eq!((p.heads[4], p.body(4)), (None, &[Lit::t(Var(2))][..]), "B- makes a constraint");
    let forced = parse("1 2 1 1 3\n0\n2 a\n0\nB+\n2\n0\nB-\n0\n1\n").expect("good");
    assert_eq!((forced.heads[1], forced.body(1)), (None, &[Lit::f(Var(0))][..]));
}

#[test]
fn accepts_carriage_returns_and_no_final_newline() {
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
    refused("p.\n", "no ground program");
    refused("% comment\n", "gringo FILE | yasmin");
    refused("\u{7f}ELF\u{1}", "no ground program");
    assert!(read("f", &[0xff, 0x00, 0x80][..]).is_err());
    assert!(read("f", &[b"asp 1 0 0\n4 1 ", &[0xff][..], b" 0\n0\n"].concat()[..]).is_err(), "not UTF-8");
}

#[test]
fn names_what_it_does_not_support() {
    for (statement, name) in [
        ("1 1 1 1 0 0", "choice rule"),
        ("1 0 2 1 2 0 0", "disjunctive rule"),
        ("1 0 1 1 1 1 1 2 1", "weight body"),
        ("2 0 1 1 1", "minimize"),
        ("3 1 1", "projection"),
        ("5 1 0", "external"),
        ("6 1 1", "assumption"),
        ("7 0 1 1 1 0", "heuristic"),
        ("8 0 1 0", "edge"),
        ("9 0 1 1", "theory"),
        ("11 1", "unknown"),
    ] {
        let text = format!("asp 1 0 0\n1 0 1 1 0 0\n{statement}\n0\n");
        refused(&text, name);
        refused(&text, "f:3: ");
        refused(&text, "not supported yet");
    }
    refused("asp 1 0 0 incremental\n0\n", "incremental");
    refused("asp 2 0 0\n0\n", "aspif 2.0");
    for (rule, name) in [
        ("2 1 1 0 1 2", "cardinality"),
        ("3 1 2 0 0", "choice"),
        ("5 1 1 1 0 2 1", "weight rule"),
        ("6 0 1 0 2 1", "minimize"),
        ("8 2 2 3 0 0", "disjunctive"),
        ("90 1", "unknown"),
    ] {
        refused(
            &format!("1 2 0 0\n{rule}\n0\n"),
            &format!("f:2: a {}", if name == "cardinality" { "constraint" } else { "" }),
        );
        refused(&format!("1 2 0 0\n{rule}\n0\n"), name);
    }
}

#[test]
fn refuses_bad_numbers_by_line() {
    let with = |line: &str| format!("asp 1 0 0\n{line}\n0\n");
    for (line, expected) in [
        ("1 0 1 x 0 0", "f:2: expected an atom, found `x`"),
        ("1 0 1 1 0 1 2y", "f:2: expected a literal, found `y`"),
        ("1 0 1 1 0 1 0", "f:2: 0 is no literal"),
        ("1 0 1 0 0 0", "an atom is out of range; it must be a number from 1 to 268435456"),
        ("1 0 1 268435457 0 0", "out of range"),
        ("1 0 1 1 0 1 -268435457", "out of range"),
        ("1 0 1 1 0 1 99999999999999999999999999999999", "out of range"),
        ("1 0 1 1 0 -1", "out of range"),
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
fn every_truncation_is_an_error_or_a_program() {
    for end in 0..ASPIF.len() - 2 {
        assert!(parse(&ASPIF[..end]).is_err(), "{:?}", &ASPIF[..end]);
    }
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
    assert_eq!(b.build().atoms as usize, numbers.len());
}

fn programs() -> impl Strategy<Value = Program> {
    let rule = (prop::option::of(0u64..9), prop::collection::vec((0u64..9, any::<bool>()), 0..5));
    prop::collection::vec(rule, 0..12).prop_map(|rules| {
        let mut b = ProgramBuilder::default();
        (0..9).for_each(|a| {
            b.atom(a + 1);
        });
        for (head, body) in rules {
            let head = head.map(|a| b.atom(a + 1));
            let body: Vec<Lit> = body.iter().map(|&(a, sign)| Lit::new(b.atom(a + 1), sign)).collect();
            b.rule(head, &body).expect("few literals");
        }
        b.output(Output { name: "x y\n".into(), condition: vec![Lit::f(Var(3))] });
        b.build()
    })
}

/// The program with its atoms renumbered in the order in which aspif names them.
fn renumbered(p: &Program) -> Program {
    let mut text = Vec::new();
    p.to_aspif(&mut text).expect("memory");
    read("f", &text[..]).expect("what is written can be read")
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(p in programs()) {
        let once = renumbered(&p);
        let twice = renumbered(&once);
        prop_assert_eq!(once.rules(), p.rules());
        prop_assert_eq!(&once.heads, &twice.heads);
        prop_assert_eq!(&once.body_lits, &twice.body_lits);
        prop_assert_eq!(&once.body_start, &p.body_start);
        prop_assert_eq!(&once.outputs, &twice.outputs);
    }

    #[test]
    fn broken_bytes_never_panic(at in 0usize..ASPIF.len(), byte: u8, cut in 0usize..ASPIF.len()) {
        let mut bytes = ASPIF.as_bytes().to_vec();
        bytes[at] = byte;
        let _ = read("f", &bytes[..]);
        let _ = read("f", &bytes[cut..]);
        let _ = read("f", &bytes[..cut]);
    }
}

/// Time and memory of a large input; `cargo test --release -- --ignored --nocapture five_million`.
#[test]
#[ignore = "a measurement"]
fn five_million_rules() {
    use std::fmt::Write;
    let mut text = String::from("asp 1 0 0\n");
    for i in 0..5_000_000u64 {
        let a = i % 1_000_000 + 1;
        writeln!(
            text,
            "1 0 1 {a} 0 3 {} -{} {}",
            i * 7 % 1_000_000 + 1,
            i * 3 % 1_000_000 + 1,
            i * 11 % 1_000_000 + 1
        )
        .expect("memory");
    }
    text.push_str("0\n");
    let started = std::time::Instant::now();
    let p = parse(&text).expect("good");
    println!("{} bytes, {} rules, {:?}", text.len(), p.rules(), started.elapsed());
    assert_eq!(p.rules(), 5_000_000);
}
