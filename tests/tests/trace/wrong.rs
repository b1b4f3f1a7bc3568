//! Wrong traces, which a replay refuses.

use serde_json::{json, Value};
use solver_host::device::DeviceKind;
use solver_host::search::{Goal, Options};
use yasmin_tests::replay::check;
use yasmin_tests::rich::{self, Meaning};

use super::several::options_of_several;
use super::{are_bounds, lines_of, options, pigeons_text, traced};

/// Whether lines are refused as a trace once the last one tells the right number of events.
fn is_refused(mut lines: Vec<Value>, answer_sets: Option<&[Vec<String>]>) -> bool {
    let events = lines.len() - 2;
    lines.last_mut().expect("an end")["events"] = json!(events);
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    check(&text, answer_sets, &mut |_| ()).is_err()
}

/// Where the first line is that has an event of this kind and passes the test.
fn find(lines: &[Value], kind: &str, is_wanted: impl Fn(&Value) -> bool) -> usize {
    let found = lines.iter().position(|line| line["event"] == kind && is_wanted(line));
    found.unwrap_or_else(|| panic!("there is no such {kind}"))
}

/// The number of literals of a line.
fn len(line: &Value) -> usize {
    line["literals"].as_array().map_or(0, Vec::len)
}

/// Changes the sign of the first literal of a list.
fn turn(literals: &mut Value) {
    literals[0] = json!(-literals[0].as_i64().expect("a literal"));
}

/// A way to make a trace wrong.
type Change<'a> = (&'a str, &'a dyn Fn(&mut Vec<Value>));

/// Tries each change of a right trace.
fn all_are_found(lines: &[Value], answer_sets: Option<&[Vec<String>]>, changes: &[Change]) {
    assert!(!is_refused(lines.to_vec(), answer_sets), "{lines:?}");
    for (what, change) in changes {
        let mut wrong = lines.to_vec();
        change(&mut wrong);
        assert!(is_refused(wrong, answer_sets), "{what} is not found\n{lines:?}");
    }
}

#[test]
fn a_wrong_trace_is_found() {
    let text = "asp 1 0 0\n1 1 2 1 2 0 0\n1 0 0 0 2 1 2\n1 0 0 0 2 -1 -2\n4 2 x1 1 1\n4 2 x2 1 2\n0\n";
    let all = [vec!["x1".to_string()], vec!["x2".to_string()]];
    let (trace, _) = traced(text, &Goal::default(), options(0, DeviceKind::Cpu));
    check(&trace, Some(&all), &mut |_| ()).expect("it is right");
    let lines: Vec<&str> = trace.lines().collect();
    let has = |kind: &str| trace.contains(&format!("\"event\":\"{kind}\""));
    assert!(has("decide") && has("answer"), "{trace}");
    // Without any one event, or with any one twice, it is wrong.
    for i in 0..lines.len() {
        for copies in [0, 2] {
            let mut wrong = lines.clone();
            wrong.splice(i..i + 1, vec![lines[i]; copies]);
            let wrong = format!("{}\n", wrong.join("\n"));
            assert!(check(&wrong, Some(&all), &mut |_| ()).is_err(), "{copies} of line {}\n{trace}", i + 1);
        }
    }
}

/// Only searchers of which one races may find one answer set, and each of them once.
#[test]
fn an_answer_set_that_is_found_twice_is_allowed_in_a_race() {
    let text = "asp 1 0 0\n1 1 2 1 2 0 0\n1 0 0 0 2 1 2\n1 0 0 0 2 -1 -2\n4 2 x1 1 1\n4 2 x2 1 2\n0\n";
    let all = [vec!["x1".to_string()], vec!["x2".to_string()]];
    let (trace, _) = traced(text, &Goal::default(), options(0, DeviceKind::Cpu));
    let alone = lines_of(&trace);
    let found = &alone[1..=find(&alone, "answer", |_| true)];
    // The way to the first answer set, by a searcher that begins in this mode.
    let way = |searcher: u64, number: u64, mode: &str| {
        let joins = (searcher > 0).then(|| json!({"event": "join", "sums": []}));
        let begins = json!({"event": "cube", "mode": mode, "literals": []});
        let lines = joins.into_iter().chain([begins]).chain(found.iter().cloned());
        let lines = lines.map(move |mut line| {
            line["searcher"] = json!(searcher);
            if line["event"] == "answer" {
                line["number"] = json!(number);
            }
            line
        });
        lines.collect::<Vec<Value>>()
    };
    let end = json!({"event": "end", "because": "stopped", "cut": false});
    let is_refused = |ways: [Vec<Value>; 2]| {
        let lines = [vec![alone[0].clone()], ways.concat(), vec![end.clone()]].concat();
        is_refused(lines, Some(&all))
    };
    for (mode, other) in [("race", "race"), ("race", "cube"), ("cube", "race")] {
        assert!(!is_refused([way(0, 1, mode), way(1, 2, other)]), "{mode} and {other}\n{trace}");
    }
    // A single search that others join with a cube, though nobody has given it away before.
    assert!(is_refused([found.to_vec(), way(1, 2, "cube")]), "nobody races\n{trace}");
    let level = found.iter().filter_map(|line| line["level"].as_i64()).max();
    let back = json!({"event": "restart", "from": level, "to": 1, "due": false});
    let again = [vec![back], way(0, 2, "race")].concat();
    assert!(is_refused([way(0, 1, "race"), again]), "one searcher finds it twice\n{trace}");
}

#[test]
fn a_wrong_trace_of_several_searchers_is_found() {
    let text = pigeons_text(6);
    let of = |seed: usize| lines_of(&traced(&text, &Goal::default(), options_of_several(9 * seed)).0);
    let kinds = ["import", "divide", "refuted"];
    let has = |lines: &Vec<Value>| kinds.iter().all(|kind| lines.iter().any(|line| line["event"] == *kind));
    let lines = (0..50).map(of).find(has).expect("searchers meet");
    let import = find(&lines, "import", |_| true);
    let learn = find(&lines, "learn", |line| line["nogood"] == lines[import]["nogood"]);
    let (divide, refuted) = (find(&lines, "divide", |_| true), find(&lines, "refuted", |_| true));
    let taken = find(&lines, "cube", |line| len(line) > 0);
    let joined = find(&lines, "join", |_| true);
    let changes: [Change; 14] = [
        ("an import before the nogood is learned", &|lines| {
            let line = lines.remove(import);
            lines.insert(learn, line);
        }),
        ("an import with another literal", &|lines| turn(&mut lines[import]["literals"])),
        ("an import of the searcher's own", &|lines| {
            lines[import]["of"] = json!(lines[import]["searcher"].as_u64().unwrap_or(0));
        }),
        ("an import of another searcher's", &|lines| {
            lines[import]["of"] = json!(lines[import]["of"].as_u64().expect("a number") + 1);
        }),
        ("an import that comes twice", &|lines| lines.insert(import, lines[import].clone())),
        ("a learned nogood of another searcher", &|lines| {
            let at = find(lines, "learn", |line| line["searcher"] == 1 && line["by"] != "fact");
            lines[at]["searcher"] = json!(2);
        }),
        ("a decision of a searcher that is not there", &|lines| {
            let at = find(lines, "decide", |line| line["searcher"] == 1);
            lines[at]["searcher"] = json!(99);
        }),
        ("a cube that nobody gave", &|lines| drop(lines.remove(divide))),
        ("a cube that is taken twice", &|lines| {
            let mut again = lines[taken].clone();
            again["searcher"] = json!(0);
            lines.insert(taken + 1, again);
        }),
        ("sides that do not differ", &|lines| lines[divide]["given"] = lines[divide]["literals"].clone()),
        ("another cube that is done", &|lines| lines[refuted]["literals"] = json!([1, 2, 3])),
        ("a cube that is done before it was searched", &|lines| {
            let line = lines.remove(refuted);
            let begins = |i: &usize| {
                ["cube", "divide"].iter().any(|kind| lines[*i]["event"] == *kind)
                    && lines[*i]["searcher"] == line["searcher"]
            };
            let begun = (0..refuted).rev().find(begins).expect("it has begun");
            lines.insert(begun + 1, line);
        }),
        ("a searcher that joins twice", &|lines| lines.insert(joined, lines[joined].clone())),
        ("a searcher that does not join", &|lines| drop(lines.remove(joined))),
    ];
    all_are_found(&lines, Some(&[]), &changes);
}

#[test]
fn a_wrong_trace_of_a_search_by_cores_is_found() {
    let opt_strategy = "usc,oll,stratify".parse().expect("a strategy");
    let of = |seed| {
        let program = rich::generate(seed);
        let optimum = Meaning::of(&program).optimum().cloned()?;
        let options = Options { opt_strategy, ..options(0, DeviceKind::Cpu) };
        let (trace, _) = traced(&program.to_aspif(), &Goal::default(), options);
        let lines = lines_of(&trace);
        let adds = lines.iter().any(|line| line["event"] == "extend" && line["variables"][0].is_array());
        let has = |kind: &str, least| lines.iter().any(|line| line["event"] == kind && len(line) >= least);
        (has("core", 2) && adds && has("assume", 2)).then_some((trace, lines, optimum))
    };
    let (trace, lines, optimum) = (0..300).find_map(of).expect("a search has such cores");
    let core = find(&lines, "core", |line| len(line) > 1);
    let extend = find(&lines, "extend", |line| line["variables"][0].is_array());
    let assumed = find(&lines, "decide", |line| line["assumed"] == true);
    let changes: [Change; 7] = [
        ("a core of a literal that is not assumed", &|lines| turn(&mut lines[core]["literals"])),
        ("a core of nothing", &|lines| lines[core]["literals"] = json!([])),
        ("a decision that is said to be free", &|lines| lines[assumed]["assumed"] = json!(false)),
        ("variables that are not added", &|lines| drop(lines.remove(extend))),
        ("variables without sums", &|lines| lines[extend]["sums"] = json!([])),
        ("another number of a variable", &|lines| lines[extend]["variable"] = json!(1)),
        ("another number of a sum", &|lines| lines[extend]["sum"] = json!(99)),
    ];
    all_are_found(&lines, None, &changes);
    let mut higher = lines.clone();
    let bound = higher.iter().rposition(|line| line["event"] == "bound").expect("a lower bound");
    let first = higher[bound]["costs"][0].as_i64().expect("a number");
    higher[bound]["costs"][0] = json!(first + 1);
    let text: String = higher.iter().map(|line| format!("{line}\n")).collect();
    assert!(are_bounds(&trace, Some(&optimum)) && !are_bounds(&text, Some(&optimum)), "{trace}");
}
