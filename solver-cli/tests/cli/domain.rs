//! Domain recording: which answer sets are found, and what is refused; what directives do to a decision.
//! `tests/tests/domain.rs` compares random programs with the definition and with clasp.

use super::*;

/// `{a; b; c}. :- not a, not b. d :- a, b.`, all shown but `c`.
const CHOICE: &str = "asp 1 0 0\n1 1 3 1 2 3 0 0\n1 0 0 0 2 -1 -2\n1 0 1 4 0 2 1 2\n\
                      4 1 a 1 1\n4 1 b 1 2\n4 1 d 1 4\n";

const VSIDS: &str = "--heuristic=Vsids";
const RECORDING: [&str; 4] = ["--heuristic=Domain", "-e", "domRec", "-n0"];

/// What is printed of each answer set, sorted.
fn recorded(arguments: &[&str], directives: &str) -> Vec<String> {
    let text = format!("{CHOICE}{directives}0\n");
    let (code, out, err) = run(&[&RECORDING[..], &["--json"], arguments].concat(), text);
    assert_eq!((code, err.as_str()), (30, ""), "{arguments:?}: {out}");
    let all = json(&out);
    let witnesses = all["Call"][0]["Witnesses"].as_array().expect("answer sets");
    let value = |witness: &Value| {
        let names = witness["Value"].as_array().into_iter().flatten();
        let mut names: Vec<&str> = names.filter_map(Value::as_str).collect();
        names.sort_unstable();
        names.join(" ")
    };
    assert_eq!(all["Models"]["Number"], witnesses.len(), "{out}");
    let mut sets: Vec<String> = witnesses.iter().map(value).collect();
    sets.sort();
    sets
}

#[test]
fn the_smallest_and_the_largest_answer_sets_are_found() {
    assert_eq!(recorded(&["--dom-mod=5,16"], ""), ["a", "b"]);
    assert_eq!(recorded(&["--dom-mod=true,show"], ""), ["a b d"]);
    // The level alone prefers no value, so that all answer sets that differ in what is shown are found.
    assert_eq!(recorded(&["--dom-mod=level,show"], ""), ["a", "a b d", "b"]);
    // `#heuristic a. [2,true]` and `#heuristic b. [1,false]`: the first answer set deviates nowhere.
    assert_eq!(recorded(&[], "7 4 1 2 0 0\n7 5 2 1 0 0\n"), ["a"]);
    for more in [&["-t1"][..], &["--engine=host"], &["--check=all"], &["--no-simplify"], &["--opt-mode=optN"]]
    {
        assert_eq!(recorded(&[more, &["--dom-mod=5,16"]].concat(), ""), ["a", "b"], "{more:?}");
    }
    let (code, out, _) = run(&[&RECORDING[..], &["--dom-mod=5,16", "-q"]].concat(), format!("{CHOICE}0\n"));
    assert!(code == 30 && out.contains("Models       : 2\n"), "{out}");
    let (code, out, _) =
        run(&[&RECORDING[..3], &["--dom-mod=5,16", "1", "-V0"]].concat(), format!("{CHOICE}0\n"));
    assert!(code == 10 && (out.starts_with("a\n") || out.starts_with("b\n")), "{out}");
}

#[test]
fn what_depends_on_the_order_of_decisions_is_refused_by_name() {
    let minimize = format!("{CHOICE}2 0 1 1 1\n0\n");
    let plain = format!("{CHOICE}0\n");
    let with = |directives: &str| format!("{CHOICE}{directives}0\n");
    for (arguments, text, why) in [
        (&[VSIDS, "--dom-mod=5,16"][..], &plain, "say --heuristic=Domain"),
        (&[], &plain, "say for example --dom-mod=false,show"),
        (&["--dom-mod=pos,show"], &plain, "say for example --dom-mod=false,show"),
        (&["--dom-mod=factor,show"], &plain, "`a` has no level above 0"),
        (&[], &with("7 5 1 0 0 0\n"), "`a` has no level above 0"),
        (&[], &with("7 5 1 -1 0 0\n"), "`a` has no level above 0"),
        (&[], &with("7 5 3 1 0 1 1\n"), "an atom that is not shown depends on a condition"),
        (&["--dom-mod=5,16"], &with("4 1 n 1 -1\n"), "`not ATOM`"),
        (&["--dom-mod=5,16"], &minimize, "--opt-mode=enum or ignore"),
        (&["--dom-mod=5,16", "--opt-mode=optN"], &minimize, "--opt-mode=enum or ignore"),
        (&["--dom-mod=5,16", "--project"], &plain, "leave the projection out"),
        (&["--dom-mod=5,16", "-t4"], &plain, "leave -t 4 out, or say -t 1"),
        (&["--dom-mod=5,16", "--device=gpu", "--gpu-searchers=2"], &plain, "leave --gpu-searchers 2 out"),
        (&["--dom-mod=5,16", "--symmetry=yes"], &plain, "--symmetry=yes"),
        (&["--dom-mod=5,16", "--proof=/nowhere/proof"], &plain, "leave --trace and --proof out"),
        (&["--dom-mod=5,16", "--trace=/nowhere/trace"], &plain, "leave --trace and --proof out"),
        (&["--dom-mod=5,16", "--pre"], &plain, "nothing is searched here"),
    ] {
        let heuristic = if arguments.contains(&VSIDS) { &[][..] } else { &RECORDING[..1] };
        let (code, out, err) = run(&[heuristic, &RECORDING[1..], arguments].concat(), text);
        assert_eq!((code, err.contains(why)), (65, true), "{arguments:?}: {out}{err}");
        assert!(!out.contains("Answer"), "{out}");
    }
    assert_eq!(recorded(&["--dom-mod=5,16", "--opt-mode=ignore"], "2 0 1 1 1\n"), ["a", "b"]);
    // Only `b` costs nothing.
    assert_eq!(recorded(&["--dom-mod=5,16", "--opt-mode=enum,0"], "2 0 1 1 1\n"), ["b"]);
}

#[test]
fn a_condition_lowers_a_level() {
    // `{a; c}.`, `c` is decided first, as true. Then `a` has a level below 0, and a sign.
    let program = "asp 1 0 0\n1 1 2 1 2 0 0\n4 1 a 1 1\n4 1 c 1 2\n7 4 2 2 0 0\n";
    for seed in ["1", "2", "3", "4"] {
        for directives in ["7 0 1 -1 0 1 2\n7 1 1 1 0 1 2\n", "7 4 1 -1 0 1 2\n"] {
            let options = ["--heuristic=Domain", "-V0", "-t1", "--seed", seed];
            let (_, out, err) = run(&options, format!("{program}{directives}0\n"));
            assert_eq!(out.lines().next(), Some("a c"), "{seed}, {directives}: {out}{err}");
        }
    }
}

#[test]
fn a_sign_counts_without_a_level() {
    // `{a; b; c}.` with a directive for the sign of `a` and `b`.
    let program = "asp 1 0 0\n1 1 3 1 2 3 0 0\n4 1 a 1 1\n4 1 b 1 2\n4 1 c 1 3\n";
    for seed in ["1", "2", "3", "4"] {
        for (bias, first) in [(1, "a b"), (-1, "")] {
            let directives = format!("7 1 1 {bias} 0 0\n7 1 2 {bias} 0 0\n");
            let options = ["--heuristic=Domain", "-V0", "-t1", "--seed", seed];
            let (_, out, err) = run(&options, format!("{program}{directives}0\n"));
            assert_eq!(out.lines().next(), Some(first), "{seed}: {out}{err}");
        }
    }
}
