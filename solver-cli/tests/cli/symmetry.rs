//! Symmetries: when they are broken, what is told then, and what is refused.

use super::swarm::pigeons;
use super::*;

/// Three pigeons in three holes: six answer sets, which symmetries map to each other.
fn fitting() -> String {
    let atom = |pigeon: usize, hole: usize| 1 + 3 * pigeon + hole;
    let mut text = String::from("asp 1 0 0\n");
    for i in 0..3 {
        let [a, b, c] = [0, 1, 2].map(|hole| atom(i, hole));
        write!(text, "1 1 3 {a} {b} {c} 0 0\n1 0 0 0 3 -{a} -{b} -{c}\n").expect("a string takes everything");
        for hole in 0..3 {
            for other in 0..i {
                let both = format!("1 0 0 0 2 {} {}\n", atom(i, hole), atom(other, hole));
                text += &both;
            }
        }
    }
    text + "0\n"
}

/// The result, and how many symmetries were found.
fn broken(arguments: &[&str], text: &str) -> (i32, Value, u64) {
    let (code, out, err) = run(&[arguments, &["--json", "--stats=2"]].concat(), text);
    assert_eq!(err, "", "{arguments:?}");
    let all = json(&out);
    let found = all["Stats"]["Yasmin"]["preprocess"]["symmetries"].as_u64().expect("a number");
    (code, all, found)
}

#[test]
fn symmetries_are_broken_before_the_search_or_once_it_lasts() {
    let text = pigeons(8);
    let conflicts = |all: &Value| all["Stats"]["Core"]["Conflicts"].as_u64().expect("a number");
    let (code, plain, found) = broken(&["-t1", "--symmetry=no"], &text);
    assert_eq!((code, found), (20, 0), "{plain}");
    for searchers in [&["-t1"][..], &["-t3", "--join-after=0"]] {
        for how in [&["--symmetry=yes"][..], &["--symmetry-after=0"], &["--symmetry-after=100"]] {
            let (code, all, found) = broken(&[searchers, how].concat(), &text);
            // Neighbouring pigeons change places, and neighbouring holes.
            assert_eq!((code, found), (20, 7 + 6), "{how:?}: {all}");
            assert!(conflicts(&all) < conflicts(&plain) || searchers.len() > 1, "{how:?}: {all}");
            // Those who search anew are the same searchers.
            let threads = all["Threads"].as_u64().unwrap_or(1);
            assert!(threads <= 1 || searchers.len() > 1 && threads == 3, "{how:?}: {all}");
        }
        // The search does not last.
        assert_eq!(broken(&[searchers, &["--symmetry-after=4000000000"]].concat(), &text).2, 0);
    }
}

#[test]
fn an_answer_set_is_not_told_to_be_the_only_one() {
    for arguments in [&["--symmetry=yes"][..], &["-t1", "--symmetry-after=0"], &["--symmetry=yes", "-t3"]] {
        let (code, all, _) = broken(arguments, &fitting());
        assert_eq!((code, &all["Models"]["Number"], &all["Models"]["More"]), (10, &1.into(), &"yes".into()));
    }
    // All are wanted, so none is excluded.
    let (code, all, found) = broken(&["0", "-t1", "--symmetry-after=0"], &fitting());
    assert_eq!((code, &all["Models"]["Number"], found), (30, &6.into(), 0));
}

#[test]
fn what_asks_for_more_is_refused_by_name() {
    for (arguments, why) in [
        (&["0"][..], "ask for one answer set (-n 1) or for one optimum"),
        (&["2"], "ask for one answer set (-n 1) or for one optimum"),
        (&["--brave"], "consequences"),
        (&["--cautious"], "consequences"),
        (&["--opt-mode=optN"], "--opt-mode=optN"),
        (&["--proof=/nowhere/proof"], "--proof"),
    ] {
        let (code, out, err) = run(&[arguments, &["--symmetry=yes"]].concat(), fitting());
        assert_eq!((code, err.contains(why)), (65, true), "{arguments:?}: {out}{err}");
        assert!(!out.contains("Answer"), "{out}");
    }
}
