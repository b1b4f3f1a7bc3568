//! Difference constraints and other theory atoms in the command: what is printed and what is refused.
//! `tests/tests/differences.rs` compares random programs with the definition and with clingo-dl.

use super::ground::has_gringo;
use super::*;

/// The page about difference constraints.
const PAGE: &str = include_str!("../../../docs/differences.md");

/// `{p}. &diff{x - y} >= 3 :- p. q :- &diff{x} <= 2.` of a grounder.
const GROUND: &str = "asp 1 0 0\n1 1 1 1 0 0\n1 0 1 2 0 1 1\n1 0 1 4 0 1 3\n9 1 0 4 diff\n9 1 1 1 x\n9 1 2 1 y\n9 1 3 1 -\n\
    9 2 4 3 2 1 2\n9 0 5 3\n9 0 6 2\n9 1 7 2 >=\n9 1 8 2 <=\n9 4 0 1 4 0\n9 4 1 1 1 0\n9 6 2 0 1 0 7 5\n9 6 3 0 1 1 8 6\n\
    4 1 p 1 1\n4 1 q 1 4\n0\n";

/// Searchers that kernels propagate for.
const FLEET: &[&str] = &["--device=simt", "--gpu-searchers=3"];

/// The atoms of each answer set, sorted.
fn answers(text: &str) -> Vec<String> {
    let words = |line: &str| {
        let mut words: Vec<&str> = line.split(' ').filter(|word| !word.is_empty()).collect();
        words.sort_unstable();
        words.join(" ")
    };
    let mut all: Vec<String> = text.lines().filter(|line| !line.contains("SATIS")).map(words).collect();
    all.sort();
    all
}

#[test]
fn values_are_printed() {
    let want = ["dl(x,2) dl(y,-1) p q", "dl(x,0) q", "dl(x,3) dl(y,0) p", "dl(x,3)"];
    for options in [&["-t1"][..], &["-t3"], &["--engine=host"], &["--device=simt"], FLEET] {
        let (code, out, err) = run(&[options, &["-V0", "0", "-"]].concat(), GROUND);
        assert_eq!((code, err.as_str()), (30, ""), "{options:?}");
        let mut want = want.map(String::from).to_vec();
        want.sort();
        assert_eq!(answers(&out), want, "{options:?}");
    }
    let (_, out, _) = run(&["--json", "-n0", "-"], GROUND);
    let all = json(&out);
    assert!(out.contains("\"dl(x,3)\"") && all["Models"]["Number"] == 4, "{out}");
    let (_, out, _) = run(&["--brave", "-V0", "-"], GROUND);
    assert!(out.contains("p q\n") && !out.contains("dl("), "{out}");
}

#[test]
fn a_variable_is_minimized() {
    // `{p}. &diff{x - y} >= 3 :- p. q :- &diff{y} >= 1.`, and `q` has to hold.
    let program = GROUND.replace("9 4 1 1 1 0", "9 4 1 1 2 0").replace("9 0 6 2", "9 0 6 1");
    let program = program
        .replace("0 1 1 8 6", "0 1 1 7 6")
        .replace("asp 1 0 0\n", "asp 1 0 0\n1 0 0 0 1 -4\n1 0 0 0 1 -1\n");
    for options in [&["-t1"][..], &["-t3"], &["--device=simt"]] {
        let (code, out, err) = run(&[options, &["--minimize-variable=x", "--json", "-"]].concat(), &program);
        let all = json(&out);
        let models = &all["Models"];
        assert_eq!((code, err.as_str(), &all["Result"]), (30, "", &"OPTIMUM FOUND".into()), "{out}");
        assert_eq!((&models["Costs"][0], &models["Optimum"]), (&4.into(), &"yes".into()), "{out}");
        assert!(out.contains("\"dl(x,4)\",\"dl(y,1)\""), "{out}");
    }
    let (code, _, err) = run(&["--minimize-variable=x", "-"], GROUND);
    assert!(code & 65 == 65 && err.contains("does not bound the variable from below"), "{code} {err}");
    let (code, _, err) = run(&["--minimize-variable=z", "-"], &program);
    assert!(code == 65 && err.contains("no difference constraint has a variable `z`"), "{err}");
    for other in ["--brave", "--project=show", "--opt-mode=opt,3", "--opt-mode=optN"] {
        let (code, _, err) = run(&["--minimize-variable=x", other, "-"], &program);
        assert!(code == 65 && err.contains("leave other goals, bounds and projection out"), "{err}");
    }
}

#[test]
fn what_does_not_go_together_is_refused() {
    for (option, what) in [
        (
            "--explain",
            "--explain knows no theories, and the program has `&diff{(x-y)} >= 3`: leave --explain out",
        ),
        ("--pre", "--pre knows no theories"),
        ("--symmetry=yes", "leave --symmetry=yes out"),
    ] {
        let (code, _, err) = run(&[option, "-"], GROUND);
        assert!(code == 65 && err.contains(what), "{option}: {code} {err}");
    }
    for device in ["--device=simt", "--device=auto"] {
        let options = [device, "--gpu-searchers=2", "--join-device=simt", "--minimize-variable=x", "-"];
        let (code, _, err) = run(&options, GROUND);
        assert!(
            code == 65 && err.contains("no fleet minimizes an integer variable"),
            "{device}: {code} {err}"
        );
    }
    for options in [&["--device=gpu"][..], &["--device=simt", "--gpu-searchers=2"]] {
        let (code, _, err) = run(&[options, &["--minimize-variable=x", "-"]].concat(), GROUND);
        assert!(code == 65 && err.contains("integer variable"), "{options:?}: {code} {err}");
    }
    let folder = Folder::new("theory");
    for option in ["--trace", "--lemma-out"] {
        let (code, _, err) = run(&[option, &folder.file("none", ""), "-"], GROUND);
        assert!(code == 65 && err.contains(&format!("{option} knows no theories")), "{option}: {code} {err}");
    }
    for (options, what) in [
        (
            &["--device=simt", "--gpu-searchers=2"][..],
            "difference constraints are proved on the processor alone",
        ),
        (
            &["--device=auto", "--gpu-searchers=2", "--join-device=simt"],
            "difference constraints are proved on the processor alone",
        ),
        (&["--minimize-variable=x"], "leave --proof or --minimize-variable out"),
        (&["--theory=none"], "--proof knows no theories"),
    ] {
        let (code, _, err) = run(&[options, &["--proof", &folder.file("none", ""), "-"]].concat(), GROUND);
        assert!(code == 65 && err.contains(what), "{options:?}: {code} {err}");
    }
    let other = GROUND.replace("4 diff", "3 sum");
    let (code, _, err) = run(&["-"], &other);
    let want = "the theory atom `&sum{(x-y)} >= 3` is of no theory that yasmin knows; it knows `&diff`";
    assert!(code == 65 && err.contains(want), "{code} {err}");
    let (code, out, _) = run(&["--theory=none", "-V0", "0", "-"], &other);
    assert_eq!((code, answers(&out)), (30, vec!["".into(), "p".into(), "p q".into(), "q".into()]));
    let large =
        GROUND.replace("9 0 5 3\n", "9 1 9 1 *\n9 0 10 2000000000\n9 2 11 9 2 10 10\n9 2 5 9 2 10 11\n");
    let (code, _, err) = run(&["-"], large);
    assert!(code == 65 && err.contains("a number is too large"), "{code} {err}");
    let terms: String =
        (10..1100).map(|id| format!("9 2 {id} 9 1 {}\n", if id == 10 { 0 } else { id - 1 })).collect();
    let deep = GROUND.replace("9 0 5 3\n", &format!("9 0 5 3\n9 1 9 1 f\n{terms}"));
    let (code, _, err) = run(&["-"], deep);
    assert!(code == 65 && err.contains("nested deeper than 1000"), "{code} {err}");
}

#[test]
fn the_example_of_the_page_is_right() {
    if !has_gringo() {
        return;
    }
    let program =
        PAGE.split("```yasmin\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a program");
    let mut examples = 0;
    for line in PAGE.lines().filter_map(|line| line.strip_prefix("    yasmin ")) {
        let (arguments, want) = line.split_once(" shop.lp").expect("the file's name");
        let arguments: Vec<&str> = arguments.split(' ').chain(["-V0", "-"]).collect();
        let (_, out, err) = run(&arguments, program);
        assert!(out.starts_with(want.trim()), "{arguments:?}: {out} {err}");
        // A fleet may find another order of the operations.
        let (code, out, err) = run(&[FLEET, &arguments].concat(), program);
        let is_satisfiable = !want.contains("UNSAT");
        assert_eq!(
            (code, out.contains("dl(start(2,2),")),
            (if is_satisfiable { 10 } else { 20 }, is_satisfiable)
        );
        assert_eq!(err, "");
        examples += 1;
    }
    assert_eq!(examples, 2);
    let dl = run(&["--theory=dl", "--text", "-"], "&diff{x} <= 3.");
    assert_eq!((dl.0, dl.1.as_str()), (0, "&diff{x}<=(3).\n"), "{}", dl.2);
}
