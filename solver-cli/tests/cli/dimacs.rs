//! Formulas in DIMACS: what is printed is what clasp prints, where clasp is installed, and the models are clasp's.

use super::*;

/// Two of three variables are in disjunctions: 6 models.
const OPEN: &str = "c a comment\np cnf 3 1\n1 -2 0\n";
/// One model.
const ONE: &str = "p cnf 4 4\n1 0\n-2 0\n2 3 0\n-3 -4 0\n";
/// No model.
const NONE: &str = "p cnf 2 4\n1 2 0\n-1 2 0\n1 -2 0\n-1 -2 0\n";
/// The header alone, without variables.
const EMPTY: &str = "p cnf 0 0\n";

/// What clasp prints, if it is there.
pub fn clasp(arguments: &[&str], input: &str) -> Option<(i32, String)> {
    let mut command = Command::new("clasp");
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else {
        println!("SKIPPED: clasp is missing");
        return None;
    };
    child.stdin.take().expect("is piped").write_all(input.as_bytes()).expect("it reads");
    let (code, out, _) = told(child.wait_with_output().expect("it was started"));
    Some((code, out))
}

/// The lines without times and versions; the answers in order, without their numbers.
pub fn comparable(text: &str) -> Vec<String> {
    let is_answer = |line: &&str| line.starts_with("v ") || line.starts_with("c Consequences:");
    let mut lines: Vec<String> = text.lines().filter(is_answer).map(String::from).collect();
    lines.sort_unstable();
    for line in text.lines().filter(|line| !is_answer(line)) {
        match line.split_once(':') {
            Some((name, _)) if name.contains("Time") => lines.push(name.to_string()),
            _ if line.contains(" version ") => lines.push("version".into()),
            _ => lines.push(line.to_string()),
        }
    }
    lines
}

/// `n` variables that must all be true, or must all be false.
fn units(n: i32, sign: i32) -> String {
    let mut text = format!("p cnf {n} {n}\n");
    (1..=n).for_each(|variable| writeln!(text, "{} 0", sign * variable).expect("a string takes everything"));
    text
}

#[test]
fn text_is_clasps_line_by_line() {
    let cases = [
        (OPEN, "0"),
        (OPEN, "0 -V0"),
        (OPEN, "0 -q"),
        (OPEN, "0 --outf=0"),
        (OPEN, "0 --outf=3"),
        (OPEN, "0 --project"),
        (ONE, ""),
        (ONE, "0 -q1"),
        (ONE, "-e brave"),
        (ONE, "-e cautious"),
        (OPEN, "-e cautious"),
        (NONE, ""),
        (NONE, "0 -V0"),
        (NONE, "-e brave"),
        (EMPTY, "0"),
    ];
    let long = [units(40, 1), units(40, -1), units(1200, 1), units(12_345, -1)];
    let cases = cases.into_iter().chain(long.iter().map(|text| (&text[..], "0")));
    for (formula, options) in cases {
        let arguments: Vec<&str> = options.split_whitespace().collect();
        let (code, ours, err) = run(&arguments, formula);
        let Some((their_code, theirs)) = clasp(&arguments, formula) else { return };
        assert_eq!((code, err.as_str()), (their_code, ""), "`{options}` on {formula}");
        assert_eq!(comparable(&ours), comparable(&theirs), "`{options}` on {formula}");
    }
}

#[test]
fn a_formula_has_its_own_words() {
    let (code, out, err) = run(&["0", "-V0"], ONE);
    assert_eq!((code, out.as_str(), err.as_str()), (30, "v 1 -2 3 -4 0\ns SATISFIABLE\n", ""));
    let (code, out, _) = run(&["--stats"], NONE);
    assert_eq!(code, 20);
    assert!(out.lines().all(|line| line.starts_with("c ") || line == "s UNSATISFIABLE"), "{out}");
    let (code, out, _) = run(&["--time-limit", "1", "0", "-q"], "p cnf 60 0\n");
    assert!(code == 11 && out.contains("\nc TIME LIMIT     : 1\n"), "{out}");
    // The numbers of literals are names.
    assert_eq!(run(&["--assume", "2", "-V0", "0"], "p cnf 2 0").1.matches("v ").count(), 2);
    assert_eq!(run(&["--assume=not 1,-2", "-V0"], "p cnf 2 0").1, "v -1 -2 0\ns SATISFIABLE\n");
    assert_eq!(run(&["--assume=-3"], "p cnf 2 0").0, 65);
    // As with clasp, input that is ground is solved with either mode.
    let folder = Folder::new("formula");
    let file = folder.file("f", &ONE.replace("p cnf", "c :- a.\nc\np cnf"));
    assert_eq!(run(&["--mode=clasp", &file, "-V0"], "").1, "v 1 -2 3 -4 0\ns SATISFIABLE\n");
}

#[test]
fn json_has_numbers() {
    let values = |text: &str| -> Vec<Value> {
        let witnesses = json(text)["Call"][0]["Witnesses"].clone();
        let mut values: Vec<Value> =
            witnesses.as_array().expect("a list").iter().map(|witness| witness["Value"].clone()).collect();
        values.sort_by_key(Value::to_string);
        values
    };
    let (code, out, _) = run(&["0", "--outf=2"], ONE);
    assert_eq!((code, values(&out)), (30, vec![serde_json::json!([1, -2, 3, -4])]));
    let (_, lines, _) = run(&["0", "--json-lines"], ONE);
    assert!(lines.contains("\"Value\":[1,-2,3,-4]"), "{lines}");
    let (_, held, _) = run(&["0", "--outf=2", "-q1"], ONE);
    assert_eq!(values(&held), values(&out));
    // clasp's JSON, which has no schema of ours.
    let Some((_, theirs)) = clasp(&["0", "--outf=2"], OPEN) else { return };
    let theirs: Value = serde_json::from_str(&theirs).expect("JSON");
    let theirs = theirs["Call"][0]["Witnesses"].as_array().expect("a list").len();
    assert_eq!((theirs, values(&run(&["0", "--outf=2"], OPEN).1).len()), (6, 6));
}

#[test]
fn what_is_no_formula_is_refused_in_one_line() {
    for (input, word) in [
        ("p wcnf 2 1 3\n3000000000 1\n", "is the file cut off?"),
        ("c\np cnf+ 2 1\n1 0\n", "`p cnf+`"),
        ("* no number\n", "`* #variable= VARIABLES"),
        ("* #variable= 1\n1 x2 >= 1;\n", "standard input:2: a variable is out of range: 2"),
        ("p cnf 2 1\n1 3 0\n", "standard input:2: a literal or 0 is out of range: 3"),
        ("p cnf 2 1\n1 2\n", "is the file cut off?"),
        ("p cnf 2\n", "`p cnf VARIABLES CLAUSES`"),
    ] {
        let (code, out, err) = run(&["--json"], input);
        assert_eq!((code, err.lines().count()), (65, 1), "{input}: {err}");
        assert!(err.contains(word) && json(&out)["Result"] == "UNKNOWN", "{input}: {err}");
    }
    for option in [&["--const=n=1"][..], &["--keep-ground=/dev/null"], &["--text"]] {
        assert_eq!(run(option, ONE).0, 65, "{option:?}");
    }
}

#[test]
fn logic_programs_may_begin_as_formulas_do() {
    if !ground::has_gringo() {
        return;
    }
    for (program, atoms) in [
        ("c :- not a.", "c"),
        ("c\n.", "c"),
        ("c.\np :- c.\n", "c p"),
        ("c :- c.\nc(1).", "c(1)"),
        ("p.", "p"),
        ("p :- not cnf.", "p"),
        ("p\n:- not q.", "p"),
    ] {
        // gringo may say that an atom has no rule.
        let (code, out, err) = run(&["-V0", "0"], program);
        assert_eq!(code, 30, "{program}: {err}");
        let mut shown: Vec<&str> = out.lines().next().expect("a line").split(' ').collect();
        shown.sort_unstable();
        assert_eq!(shown.join(" "), atoms, "{program}: {out}");
    }
}

/// A random formula: few variables, many or few disjunctions of one to four literals.
fn random(seed: u64) -> String {
    // A linear congruential generator (Knuth, MMIX).
    let mut state = seed;
    let mut below = |n: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    let variables = 1 + below(9);
    let disjunctions = below(4 * variables);
    let mut text = format!("p cnf {variables} {disjunctions}\n");
    for _ in 0..disjunctions {
        for _ in 0..1 + below(4) {
            let sign = if below(2) == 0 { "-" } else { "" };
            write!(text, "{sign}{} ", 1 + below(variables)).expect("a string takes everything");
        }
        text += "0\n";
    }
    text
}

/// The seeds are the same each day: clasp has errors of its own.
#[test]
fn random_formulas_have_clasps_models() {
    let mut satisfiable = 0;
    for seed in 0..200 {
        let formula = random(seed);
        let Some((code, theirs)) = clasp(&["0", "-V0"], &formula) else { return };
        let (our_code, ours, err) = run(&["0", "-V0"], &formula);
        assert_eq!((our_code, err.as_str()), (code, ""), "seed {seed}: {formula}");
        assert_eq!(comparable(&ours), comparable(&theirs), "seed {seed}: {formula}");
        satisfiable += (code == 30) as u32;
    }
    assert!((20..180).contains(&satisfiable), "{satisfiable} of 200 are satisfiable");
}
