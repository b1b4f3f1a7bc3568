//! Good input in both formats, and every kind of bad input.

use super::*;
use crate::program::{Head, Output, ProgramBuilder};
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
    assert_eq!((p.body(0), p.body(2)), (&[Lit::f(b)][..], &[Lit::t(a), Lit::t(b)][..]));
    assert_eq!(p.outputs[1], Output { name: "b\"\nc".into(), condition: vec![Lit::f(b), Lit::t(a)] });
}

#[test]
fn reads_smodels() {
    let p = parse(SMODELS).expect("good");
    assert_eq!((p.rules(), p.outputs.len()), (4, 3));
    assert_eq!(p.outputs[2].name, "c(\"x y\",1)");
    let (a, d) = (Var(0), Var(4));
    assert_eq!((p.heads[3], p.body(3)), (Head::Atom(Var(3)), &[Lit::f(d), Lit::t(a)][..]));
    assert_eq!(
        (p.heads[2], p.body(2)),
        (Head::Constraint, &[Lit::t(Var(0)), Lit::t(Var(1))][..]),
        "B- makes a constraint"
    );
    let forced = parse("1 2 1 1 3\n0\n2 a\n0\nB+\n2\n0\nB-\n0\n1\n").expect("good");
    assert_eq!((forced.heads[1], forced.body(1)), (Head::Constraint, &[Lit::f(Var(0))][..]));
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
    let mut rules: Vec<_> = (0..p.rules())
        .map(|r| {
            let mut body: Vec<_> = literals(r).collect();
            body.sort();
            (p.heads[r].atom().map(name), body)
        })
        .collect();
    rules.sort();
    rules
}

#[test]
fn both_formats_of_a_program_have_the_same_rules() {
    // What gringo writes, without and with `-o smodels`, for
    // a :- not b.  b :- not a.  c(X) :- b, not d(X), X = 1..2.  d(X) :- a, not c(X), X = 1..2.  d(2) :- c(1), b.
    // :- a, not c(1).  :- c(2), d(2).  p :- q, not a.  q :- p.  p :- b.
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
        (&p.heads[..], p.body(0)),
        (&[Head::Constraint, Head::Atom(Var(2))][..], &[Lit::t(Var(1))][..])
    );
    // One that was never named needs nothing; one that must also be true contradicts.
    assert_eq!(parse("1 2 0 0\n0\n0\nB+\n0\nB-\n1\n7\n0\n1\n").expect("good").atoms, 1);
    let p = parse("1 2 0 0\n0\n0\nB+\n2\n0\nB-\n2\n0\n1\n").expect("good");
    assert_eq!(p.heads, [Head::Constraint; 2], "`:- .` and `:- not a.`");
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
    refused("p.\n", "no ground program");
    refused("% comment\n", "gringo FILE | yasmin");
    refused("\u{7f}ELF\u{1}", "no ground program");
    // Texts that begin as the numeric format or aspif does.
    for text in ["1 {a; b} 1.", "2 { a; b } 3.", "0 {a} 1.", "1{a}1.", "asp :- not b.", "asp(1).", "a."] {
        refused(text, "f:1: ");
        refused(text, "ground a logic program with `gringo FILE | yasmin`");
    }
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
    for text in [ASPIF, SMODELS] {
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
        b.build().expect("few")
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
    fn broken_bytes_never_panic(
        smodels: bool,
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0u8..3, edit_byte()), 1..6),
        cut: prop::sample::Index,
    ) {
        let mut bytes = if smodels { SMODELS } else { ASPIF }.as_bytes().to_vec();
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
