//! `--explain`: what excludes each other where there is no answer set.

use super::{json, run};
use serde_json::{json, Value};

/// Two rules that exclude each other and one that does not, each with an external atom, and an external atom
/// that is false. `more` are further statements.
fn rules(more: &str) -> String {
    format!(
        "asp 1 0 0\n5 1 1\n5 2 1\n5 3 1\n5 5 2\n1 1 1 4 0 0\n1 0 0 0 2 1 4\n1 0 0 0 2 2 -4\n1 0 0 0 3 3 4 5\n{more}\
         4 7 rule(1) 1 1\n4 7 rule(2) 1 2\n4 7 rule(3) 1 3\n4 1 a 1 4\n4 4 late 1 5\n0\n"
    )
}

#[test]
fn values_of_external_atoms_that_exclude_each_other_are_named() {
    for arguments in
        [&[][..], &["-t2", "--join-after=0"], &["--device=simt"], &["0", "--brave"], &["--no-simplify"]]
    {
        let (code, out, err) = run(&[arguments, &["--explain"]].concat(), rules(""));
        assert_eq!((code, err.as_str()), (20, ""), "{out}");
        assert!(out.contains("\nExplanation  : rule(1), rule(2)\n"), "{arguments:?}: {out}");
    }
    for format in ["--json", "--json-lines"] {
        let (code, out, _) = run(&["--explain", format], rules(""));
        let last: Value = match format {
            "--json" => json(&out),
            _ => serde_json::from_str(out.lines().last().unwrap_or_default()).expect("a line of JSON"),
        };
        assert_eq!((code, &last["Explanation"]), (20, &json!(["rule(1)", "rule(2)"])), "{out}");
    }
    // It was asked for, however little else is.
    let told = |words: &str| {
        let words: Vec<&str> = words.split(' ').chain(["--explain"]).collect();
        let (code, out, _) = run(&words, rules(""));
        assert_eq!(code, 20, "{words:?}");
        out
    };
    assert_eq!(told("-V0"), "UNSATISFIABLE\nExplanation  : rule(1), rule(2)\n");
    assert_eq!(told("-V0 -q --outf=1"), "INCONSISTENT\n% Explanation    : rule(1), rule(2)\n");
    assert!(told("-q").contains("\nExplanation  : rule(1), rule(2)\n"));
    assert!(told("-q --outf=1").contains("\n% Explanation    : rule(1), rule(2)\n"));
    assert_eq!(json(&told("-V0 --json"))["Explanation"], json!(["rule(1)", "rule(2)"]));
    assert!(told("-V0 -q --json-lines").ends_with("\"Explanation\":[\"rule(1)\",\"rule(2)\"]}\n"));
    assert_eq!(told("--outf=3"), "", "nothing at all is asked for");
    // An atom that is false, and one that is not shown.
    let (_, out, _) = run(&["--explain"], rules("1 0 0 0 1 -5\n"));
    assert!(out.contains("\nExplanation  : not late\n"), "{out}");
    let (_, out, _) = run(&["--explain"], rules("5 6 1\n1 0 0 0 1 6\n"));
    assert!(out.contains("\nExplanation  : an external atom that is not shown\n"), "{out}");
}

#[test]
fn what_is_assumed_is_named_too() {
    let free = "asp 1 0 0\n1 1 2 1 2 0 0\n1 0 0 0 2 1 2\n4 1 a 1 1\n4 1 b 1 2\n0\n";
    let (code, out, _) = run(&["--explain", "--assume=a,b"], free);
    assert_eq!(code, 20);
    assert!(out.contains("\nExplanation  : a, b\n"), "{out}");
    let (code, out, _) = run(&["--explain", "--assume=a"], free);
    assert!(code == 10 || code == 30, "{out}");
    assert!(!out.contains("Explanation"), "{out}");
}

#[test]
fn where_nothing_is_needed_that_is_said() {
    let (code, out, _) = run(&["--explain"], rules("1 0 0 0 0\n"));
    assert_eq!(code, 20);
    assert!(out.contains("\nExplanation  : none of what could be left out is needed\n"), "{out}");
    let (_, out, _) = run(&["--explain", "--json"], rules("1 0 0 0 0\n"));
    assert_eq!(json(&out)["Explanation"], json!([]));
}

#[test]
fn a_run_that_searches_nothing_explains_nothing() {
    let (code, _, err) = run(&["--explain", "--pre"], rules(""));
    assert_eq!(code, 65);
    assert!(err.contains("--explain follows a search"), "{err}");
}
