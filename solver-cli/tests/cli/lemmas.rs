//! Lemmas in a file: the program with them has the same answer sets, for yasmin and for clasp, and what is
//! refused.
//! `tests/tests/lemmas.rs` compares the lemmas of random programs with the definition.

use super::dimacs::clasp;
use super::swarm::pigeons;
use super::*;

/// Programs of data/, with their number of answer sets.
const PROGRAMS: [(&str, u64); 4] = [("hamilton", 9), ("queens-8", 92), ("grid", 116), ("colouring", 18)];

/// The lines of a file of lemmas in aspif between the first and the last one.
fn constraints(file: &str) -> Vec<String> {
    let text = fs::read_to_string(file).expect("the file was written");
    let inner = text.strip_prefix("asp 1 0 0\n").and_then(|rest| rest.strip_suffix("0\n"));
    inner.unwrap_or_else(|| panic!("{text}")).lines().map(String::from).collect()
}

/// Checks that a program has so many answer sets with the constraints added, says yasmin, and clasp if it
/// is there.
fn check_same(program: &str, lemmas: &[String], answer_sets: u64) {
    let all = format!("{}{}\n0\n", program.strip_suffix("0\n").expect("aspif"), lemmas.join("\n"));
    let wanted = format!("Models       : {answer_sets}");
    let (_, ours, err) = run(&["0", "-q", "--opt-mode=ignore"], &all);
    assert!(ours.lines().any(|line| line == wanted), "{wanted}: {ours}{err}");
    if let Some((_, theirs)) = clasp(&["0", "-q", "--opt-mode=ignore"], &all) {
        assert!(theirs.lines().any(|line| line.trim_end() == wanted), "clasp: {wanted}: {theirs}");
    }
}

#[test]
fn lemmas_exclude_no_answer_set() {
    let folder = Folder::new("lemmas");
    let file = folder.path("out");
    let mut written = [0; 4];
    for (name, answer_sets) in PROGRAMS {
        let path = format!("{}/../data/{name}.aspif", env!("CARGO_MANIFEST_DIR"));
        let program = fs::read_to_string(&path).expect("a program");
        let ways = [
            &["1", "--restarts=luby,4"][..],
            &["0", "-t1"],
            &["1", "-t3", "--join-after=conflict:1"],
            &["0", "-t3", "--join-after=conflict:1"],
        ];
        for (way, arguments) in ways.into_iter().enumerate() {
            let option = format!("--lemma-out={file}");
            let (code, out, err) = run(&[arguments, &["--sign-def=pos", &option, &path]].concat(), "");
            assert!((code == 10 || code == 30) && err.is_empty(), "{out}{err}");
            let lemmas = constraints(&file);
            written[way] += lemmas.len();
            check_same(&program, &lemmas, answer_sets);
        }
    }
    assert!(written.iter().all(|&lemmas| lemmas > 0), "{written:?}");
}

#[test]
fn bounds_on_costs_are_no_part_of_lemmas() {
    let folder = Folder::new("lemmas-costs");
    let file = folder.path("out");
    let path = format!("{}/../data/queens-8.aspif", env!("CARGO_MANIFEST_DIR"));
    let program = fs::read_to_string(path).expect("a program");
    let costs: Vec<String> = (1..=60).map(|atom| format!("{atom} {}", 1 + atom * 7 % 5)).collect();
    let minimizing =
        format!("{}2 0 60 {}\n0\n", program.strip_suffix("0\n").expect("aspif"), costs.join(" "));
    let mut written = 0;
    for strategy in ["bb", "usc", "auto"] {
        let options = [&format!("--opt-strategy={strategy}"), &format!("--lemma-out={file}"), "--stats"];
        let (code, out, err) = run(&options.map(|word: &str| word), &minimizing);
        assert_eq!((code, err.as_str()), (30, ""), "{out}");
        let lemmas = constraints(&file);
        written += lemmas.len();
        check_same(&program, &lemmas, 92);
    }
    assert!(written > 0);
}

#[test]
fn lemmas_are_chosen_and_written_as_asked() {
    let folder = Folder::new("lemmas-chosen");
    let file = folder.path("out");
    let text = pigeons(6);
    let option = format!("--lemma-out={file}");
    let lemmas = |arguments: &[&str], text: &str| {
        let (code, out, err) =
            run(&[&["-t1", "--symmetry=auto", "--symmetry-after=0", &option], arguments].concat(), text);
        assert_eq!((code, err.as_str()), (20, ""), "{out}");
    };
    lemmas(&[], &text);
    let all = constraints(&file);
    assert!(all.len() > 5, "{all:?}");
    lemmas(&["--lemma-out-max=3"], &text);
    assert_eq!(constraints(&file), all[..3]);
    lemmas(&["--lemma-out-max=-1", "--lemma-out-dom=input"], &text);
    assert_eq!(constraints(&file), all);
    lemmas(&["--lemma-out-lbd=0"], &text);
    assert_eq!(constraints(&file), Vec::<String>::new());
    lemmas(&["--lemma-out-lbd=2"], &text);
    let few = constraints(&file);
    assert!(!few.is_empty() && all.starts_with(&few) && few.len() < all.len(), "{few:?}");
    // Nothing is shown.
    lemmas(&["--lemma-out-dom=output"], &text);
    assert_eq!(constraints(&file), Vec::<String>::new());
    lemmas(&["--lemma-out-txt"], &text);
    assert_eq!(fs::read_to_string(&file).expect("a file"), "");
    let outputs: String = (1..=30).map(|atom| format!("4 3 p{atom:02} 1 {atom}\n")).collect();
    let shown = format!("{}{outputs}0\n", text.strip_suffix("0\n").expect("aspif"));
    lemmas(&["--lemma-out-txt"], &shown);
    let written = fs::read_to_string(&file).expect("a file");
    assert_eq!(written.lines().count(), all.len());
    let literal = |lit: &str| {
        let lit: i32 = lit.parse().expect("a literal");
        format!("{}p{:02}", if lit < 0 { "not " } else { "" }, lit.abs())
    };
    for (line, constraint) in written.lines().zip(&all) {
        let body: Vec<String> = constraint.split(' ').skip(5).map(literal).collect();
        let (rule, lbd) = line.split_once("  %lbd = ").expect("an LBD");
        assert_eq!(rule, format!(":- {}.", body.join(", ")));
        assert!(lbd.parse::<u32>().is_ok(), "{line}");
    }
}

#[test]
fn what_cannot_be_written_is_refused_by_name() {
    let formula = "p cnf 1 1\n1 0\n";
    for (arguments, input, why) in [
        (&["--lemma-out=-"][..], PAIR, "--lemma-out wants a file"),
        (&["--lemma-out=/nowhere/f"], PAIR, "cannot write the lemma-out /nowhere/f"),
        (&["--lemma-out=/dev/null", "--assume=a"], PAIR, "--assume"),
        (&["--lemma-out=/dev/null", "--symmetry=yes"], PAIR, "--symmetry=yes"),
        (&["--lemma-out=/dev/null", "--proof=/nowhere/p"], PAIR, "--proof"),
        (&["--lemma-out=/dev/null", "--pre"], PAIR, "nothing is searched here"),
        (&["--lemma-out=/dev/null", "--lemma-out-max=no"], PAIR, "a number, umax or -1"),
        (&["--lemma-out-txt"], PAIR, "--lemma-out"),
        (&["--lemma-out=/dev/null"], formula, "the input is a formula"),
    ] {
        let (code, out, err) = run(arguments, input);
        assert_eq!((code, err.contains(why)), (65, true), "{arguments:?}: {out}{err}");
        assert!(!out.contains("Answer"), "{out}");
    }
    full_disk_is_an_error_of("lemma-out");
}
