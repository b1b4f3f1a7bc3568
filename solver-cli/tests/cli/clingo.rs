//! Line by line what clingo prints, where clingo and gringo are installed.
//!
//! What may differ: times and versions, the order of answer sets and of atoms, which answer sets lead to an optimum or to
//! consequences, and how many. clingo 5.8 puts the time behind `Answer: 1`, clasp 3.3 does not.

use super::*;

/// What two runs have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Compare {
    /// All that is printed, with answer sets in any order.
    All,
    /// What is said at the end, but for how many answer sets were printed.
    End,
}

const PAIRS: &str = "a :- not b. b :- not a. c :- not d. d :- not c. e.";
const NONE: &str = "a :- not a.";
const CHOICE: &str = "{a; b; c}. :- not a, not b. #show a/0. #show b/0. #show c/0.";
const COSTS: &str = "1 {a; b; c}. d :- a. #minimize {3@2,a: a; 2@2,b: b; 2@2,c: c; 1@1,c: c; 1@1,d: d}.";
const EQUAL: &str = "1 {a; b; c}. #minimize {1,a: a; 1,b: b; 1,c: c}. #show a/0.";
const COSTLY: &str = "{a}. :- a. :- not a. #minimize {1: a}.";
const PROJECTED: &str = "{a; b; c}. #project a/0. #project b/0.";

const CASES: [(&str, &str, Compare); 45] = [
    (PAIRS, "-e brave", Compare::End),
    (PAIRS, "-e cautious", Compare::End),
    (PAIRS, "-e cautious --outf=1", Compare::End),
    (PAIRS, "-e brave 1", Compare::End),
    (PAIRS, "-e brave -V0 -q", Compare::End),
    (PAIRS, "0 --project=show", Compare::All),
    (PAIRS, "0", Compare::All),
    (PAIRS, "", Compare::End),
    (PAIRS, "2", Compare::End),
    (PAIRS, "0 -q", Compare::All),
    (PAIRS, "0 -q1", Compare::End),
    (PAIRS, "0 -q1,2,0", Compare::End),
    (PAIRS, "0 -V0", Compare::All),
    (PAIRS, "0 --outf=1", Compare::End),
    (PAIRS, "0 --outf=3", Compare::All),
    (PAIRS, "0 --opt-mode=optN", Compare::All),
    (NONE, "", Compare::All),
    (NONE, "0 -V0", Compare::All),
    (NONE, "--outf=1", Compare::All),
    (NONE, "-e brave", Compare::All),
    (CHOICE, "0", Compare::All),
    (CHOICE, "-e brave", Compare::End),
    (CHOICE, "-e cautious", Compare::End),
    (CHOICE, "-e brave -V0 -q", Compare::End),
    (CHOICE, "-e cautious --outf=1", Compare::End),
    (COSTS, "", Compare::End),
    (COSTS, "0", Compare::End),
    (COSTS, "-q1", Compare::End),
    (COSTS, "-q1,0 -V0", Compare::End),
    (COSTS, "--outf=1", Compare::All),
    (COSTS, "--opt-mode=optN 0", Compare::End),
    (COSTS, "--opt-mode=enum 0", Compare::All),
    (COSTS, "--opt-mode=enum,3,1 0", Compare::All),
    (COSTS, "--opt-mode=enum,2 0", Compare::All),
    (COSTS, "--opt-mode=enum,1 0", Compare::All),
    (COSTS, "--opt-mode=enum", Compare::End),
    (COSTS, "--opt-mode=ignore 0", Compare::All),
    (COSTS, "-e brave --opt-mode=ignore", Compare::End),
    (COSTS, "-e cautious --opt-mode=optN", Compare::End),
    (EQUAL, "--opt-mode=optN", Compare::End),
    (EQUAL, "--opt-mode=optN -q1 --outf=1", Compare::End),
    (EQUAL, "-e brave --opt-mode=optN", Compare::End),
    (COSTLY, "", Compare::All),
    (PROJECTED, "0 --project", Compare::End),
    (PROJECTED, "0", Compare::All),
];

const VERDICTS: [&str; 6] =
    ["SATISFIABLE", "UNSATISFIABLE", "OPTIMUM FOUND", "UNKNOWN", "INCONSISTENT", "OPTIMUM"];

/// The text that a program printed, without what may differ: its lines, those of each answer set together as one.
fn comparable(text: &str, compare: Compare) -> Vec<String> {
    let without_comment = |line: &str| line.strip_prefix("% ").unwrap_or(line).to_string();
    let lines: Vec<String> = text.lines().map(without_comment).collect();
    let block = lines.iter().position(|line| line.starts_with("Models "));
    // The verdict is the last line, or there is an empty one before the block. The competition has none for some.
    let behind = block.map_or(lines.len(), |at| at.saturating_sub(1));
    let end = match lines[..behind].last() {
        Some(line) if VERDICTS.contains(&line.as_str()) => behind - 1,
        _ => behind,
    };
    let mut answers: Vec<String> = Vec::new();
    for line in &lines[..end] {
        let mut words: Vec<&str> = line.split(' ').collect();
        words.sort_unstable();
        match line.split_once(':') {
            Some(("Answer", _)) => answers.push("Answer".into()),
            Some(("Optimization" | "Consequences" | "Progression", _)) => answers.push(line.clone()),
            _ if line.contains(" version ") || line.starts_with("Reading from") => {}
            _ => answers.push(words.join(" ")),
        }
    }
    answers.sort_unstable();
    // How many answer sets lead to the consequences of optimal ones is anybody's choice.
    let has_consequences = lines.iter().any(|line| line.starts_with("Consequences "));
    let counts = |line: &&String| has_consequences && line.trim_start().starts_with("Optimal ");
    // As is how many are found on the way to an optimum.
    let has_optimum = lines.iter().any(|line| line.starts_with("  Optimum "));
    let plain = |line: &String| -> String {
        match line.split_once(':') {
            Some((name, _)) if name.trim_end().ends_with("Time") => name.to_string(),
            Some((name, value)) if name.starts_with("Models") && (compare == Compare::End || has_optimum) => {
                format!("{name}{}", if value.ends_with('+') { "+" } else { "" })
            }
            _ => line.clone(),
        }
    };
    let told = lines[end..].iter().filter(|line| !counts(line)).map(plain);
    match compare {
        Compare::All => answers.into_iter().chain(told).collect(),
        Compare::End => told.collect(),
    }
}

fn clingo(arguments: &[&str], program: &str) -> Option<String> {
    let python = std::env::var("YASMIN_PYTHON").unwrap_or_else(|_| "python3".into());
    let mut child = Command::new(python)
        .args(["-m", "clingo"])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    child.stdin.take().expect("is piped").write_all(program.as_bytes()).ok()?;
    let output = child.wait_with_output().expect("it was started");
    output.status.success().then(|| String::from_utf8(output.stdout).expect("text"))
}

#[test]
fn text_is_clingos_line_by_line() {
    if !ground::has_gringo() || clingo(&["--version"], "").is_none() {
        eprintln!("SKIPPED: clingo is missing; scripts/setup.sh --tests installs it");
        return;
    }
    let mut differ = String::new();
    for (program, options, compare) in CASES {
        let arguments: Vec<&str> = options.split_whitespace().collect();
        let (_, ours, err) = run(&arguments, program);
        let theirs = clingo(&arguments, program).expect("it ran a moment ago");
        let (ours, theirs) = (comparable(&ours, compare), comparable(&theirs, compare));
        if ours != theirs {
            writeln!(differ, "`{options}` on `{program}`: {ours:#?}, and not {theirs:#?} {err}")
                .expect("a string");
        }
    }
    assert!(differ.is_empty(), "{differ}");
}

#[test]
fn a_term_that_always_holds_is_a_consequence() {
    if !ground::has_gringo() {
        eprintln!("SKIPPED: gringo is missing; scripts/setup.sh --tests installs it");
        return;
    }
    // The only answer set has the term, which the statement does not name. clingo tells of the term, too.
    let program = "{a; b}. #show t : a, not b. #show a/0. #project a/0. :- not a. :- b.";
    for mode in ["brave", "cautious"] {
        let (code, out, err) = run(&["-e", mode], program);
        assert_eq!((code, out.lines().any(|line| line == "a t")), (30, true), "{mode}: {out} {err}");
    }
}

#[test]
fn a_solve_limit_of_zero_leaves_the_search_out() {
    for limit in ["--solve-limit=0", "--solve-limit=umax,0"] {
        let (code, out, err) = run(&[limit, "0", "-V0"], PAIR);
        assert_eq!((code, out.as_str(), err.as_str()), (0, "UNKNOWN\n", ""), "{limit}");
        let (code, out, _) = run(&[limit, "--json"], PAIR);
        let told = json(&out);
        assert_eq!((code, &told["Result"], &told["Models"]["Number"]), (0, &"UNKNOWN".into(), &0.into()));
    }
    // What preparing finds out is known all the same.
    let none = "asp 1 0 0\n1 0 0 0 0\n0\n";
    assert_eq!(run(&["--solve-limit=0", "-V0"], none), (20, "UNSATISFIABLE\n".into(), String::new()));
    assert_eq!(run(&["--solve-limit=1", "-V0", "0"], PAIR).0, 30);
}

#[test]
fn a_printed_portfolio_is_a_file_of_configurations() {
    let (code, out, err) = run(&["--print-portfolio"], "");
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(
        out.lines().count() == 10 && out.contains("\n[solver.2]:\n[solver.3]: --restarts=luby,100\n"),
        "{out}"
    );
    let folder = Folder::new("portfolio");
    for line in out.lines().skip(1) {
        let file = folder.file("f", line);
        let (code, out, err) = run(&["-V0", "0", &format!("--configuration={file}")], PAIR);
        assert_eq!((code, out.lines().count(), err.as_str()), (30, 3, ""), "{line}");
    }
}

#[test]
fn the_ground_program_is_printed_in_aspif() {
    for output in [&["-o", "intermediate"][..], &["--output=intermediate"], &["--mode=gringo"]] {
        let (code, out, err) = run(output, "{a}. b :- a.");
        assert_eq!((code, out.starts_with("asp 1 0 0"), err.as_str()), (0, true, ""), "{output:?}: {out}");
        let (code, out, _) = run(&["-V0", "0"], &out);
        assert_eq!((code, out.lines().count()), (30, 3), "{output:?}: {out}");
    }
}
