//! Programs of several steps: what is found in each, beside clingo and clasp, and how such a run ends early.

use super::*;

/// The towers of Hanoi with three disks, for which seven moves are needed.
const HANOI: &str = "#include <incmode>.
#program base.
peg(a;b;c). disk(1..3). on(D,a,0) :- disk(D).
#program step(t).
1 {move(D,P,t) : disk(D), peg(P)} 1.
moved(D,t) :- move(D,_,t).
on(D,P,t) :- move(D,P,t).
on(D,P,t) :- on(D,P,t-1), not moved(D,t).
:- move(D,P,t), on(D,P,t-1).
:- move(D,_,t), on(D,P,t-1), on(E,P,t-1), E < D.
:- move(D,P,t), on(E,P,t-1), E < D.
#program check(t).
:- query(t), disk(D), not on(D,c,t).
#show move/3.
";

/// A planner in the world of blocks: cheap moves are sought once the goal can be reached.
const BLOCKS: &str = "#include <incmode>.
#const imin = 3.
#program base.
block(1..4). on(1,2,0). on(2,table,0). on(3,4,0). on(4,table,0).
place(table). place(B) :- block(B).
#program step(t).
{move(B,P,t) : block(B), place(P), B != P} 1.
on(B,P,t) :- move(B,P,t).
on(B,P,t) :- on(B,P,t-1), not move(B,Q,t) : place(Q), B != Q.
:- move(B,_,t), on(_,B,t-1).
:- move(_,P,t), P != table, on(_,P,t-1).
:- move(B,P,t), on(B,P,t-1).
#minimize {1,B,t : move(B,table,t); 2,B,P,t : move(B,P,t), P != table}.
#program check(t).
:- query(t), not on(2,1,t).
:- query(t), not on(4,2,t).
#show move/3.
";

/// Questions about external atoms, some of which are released. What was found decides how to go on.
const QUERIES: &str = "#external lit(1..3). {a; b; c}. lamp(X) :- lit(X), a.
:- lit(1), lit(2), not b.
#program more(n). #external lit(n+10). d(n) :- lit(n+10), not c. :- d(n), a.
#script (python)
from clingo import Function, Number
def lit(n):
    return Function('lit', [Number(n)])
def main(prg):
    prg.ground([('base', [])])
    prg.assign_external(lit(1), True)
    first = prg.solve()
    prg.assign_external(lit(2), True)
    if first.satisfiable and not first.unknown:
        prg.solve()
    prg.release_external(lit(1))
    for n in range(3):
        prg.ground([('more', [Number(n)])])
        prg.assign_external(lit(n + 10), n != 1)
        result = prg.solve(assumptions=[(Function('c'), True)] if n == 2 else [])
        if str(result) != 'SAT':
            break
    prg.ground([('none', [])])
    seen = []
    prg.solve(on_finish=lambda result: seen.append(str(result)))
    if seen == ['UNSAT']:
        prg.ground([('last', [])])
        prg.solve()
#end.
#program none. :- not lit(3).
#program last. e.
";

/// A planner that releases and assigns what there is no atom for, as one does that releases the last
/// step's query before the first step.
const UNKNOWN: &str = "{a}. #external e.
#program step(n). #external query(n). b(n) :- a, query(n).
#script (python)
from clingo import Function, Number
def query(n):
    return Function('query', [Number(n)])
def main(prg):
    prg.ground([('base', [])])
    for n in range(3):
        prg.ground([('step', [Number(n)])])
        prg.release_external(query(n - 1))
        prg.assign_external(query(n), True)
        prg.assign_external(query(n + 1), None if n == 1 else True)
        prg.assign_external(Function('e'), n == 1)
        prg.solve(assumptions=[(query(7), n == 2)])
#end.
";

/// Runs clingo. `None` if it is not there.
fn clingo(arguments: &[&str]) -> Option<(i32, Value)> {
    let of_package = "import sys, clingo, clingo.script; clingo.script.enable_python(); \
        sys.exit(clingo.clingo_main(clingo.Application(), sys.argv[1:]))";
    let python = std::env::var("YASMIN_PYTHON").unwrap_or_else(|_| "python3".into());
    let ran = Command::new(python).args(["-c", of_package, "--outf=2"]).args(arguments).output().ok()?;
    let document = serde_json::from_slice(&ran.stdout).ok();
    if document.is_none() {
        eprintln!("SKIPPED: clingo is missing; scripts/setup.sh --tests installs it");
    }
    Some((ran.status.code()?, document?))
}

/// What both say of a document: the answer sets of each call in order, all or the last one, and the end.
fn found(document: &Value, only_last: bool) -> Value {
    let answers = |call: &Value| -> Vec<String> {
        let none = Vec::new();
        let all = call["Witnesses"].as_array().unwrap_or(&none);
        let from = if only_last { all.len().saturating_sub(1) } else { 0 };
        let mut told: Vec<String> = all[from..]
            .iter()
            .map(|witness| {
                let mut atoms: Vec<&str> = witness["Value"]
                    .as_array()
                    .expect("a list")
                    .iter()
                    .map(|atom| atom.as_str().expect("text"))
                    .collect();
                atoms.sort_unstable();
                match only_last {
                    true => format!("{:?}", witness["Costs"]),
                    false => format!("{atoms:?} {:?}", witness["Costs"]),
                }
            })
            .collect();
        told.sort_unstable();
        told
    };
    let calls: Vec<Vec<String>> = document["Call"].as_array().expect("a list").iter().map(answers).collect();
    let models = &document["Models"];
    serde_json::json!({
        "calls": calls, "Result": document["Result"], "Calls": document["Calls"], "More": models["More"],
        "Costs": models["Costs"], "Number": if only_last { Value::Null } else { models["Number"].clone() },
    })
}

#[test]
fn each_step_is_solved_as_by_clingo() {
    let folder = Folder::new("steps");
    let [hanoi, blocks, queries, unknown] =
        [("hanoi.lp", HANOI), ("blocks.lp", BLOCKS), ("queries.lp", QUERIES), ("unknown.lp", UNKNOWN)]
            .map(|(name, text)| folder.file(name, text));
    for (words, only_last) in [
        (&[hanoi.as_str(), "0"][..], false),
        (&[&hanoi], true),
        (&[&hanoi, "0", "-c", "imax=5"], false),
        (&[&hanoi, "0", "-c", "imax=1"], false),
        (&[&hanoi, "0", "-c", "istop=\"UNSAT\""], false),
        (&[&hanoi, "0", "-c", "imin=9"], false),
        (&[&hanoi, "0", "-e", "brave"], true),
        (&[&blocks, "0", "-c", "imax=5"], true),
        (&[&blocks, "0", "--opt-mode=optN", "-q1"], true),
        (&[&blocks, "0", "--opt-mode=enum"], false),
        (&[&blocks, "0", "--opt-mode=ignore", "--project=show", "-c", "imin=2"], false),
        (&[&blocks, "0", "-e", "cautious", "--opt-mode=ignore"], true),
        (&[&queries, "0"], false),
        (&[&queries, "0", "-e", "cautious"], true),
        (&[&unknown, "0"], false),
    ] {
        let Some((code, theirs)) = clingo(words) else { return };
        let (ours, out, err) = run(&[words, &["--json"]].concat(), "");
        assert!(ours == code && !err.contains("yasmin: "), "{words:?}: {ours} {out}{err}");
        assert_eq!(found(&json(&out), only_last), found(&theirs, only_last), "{words:?}: {out}");
    }
}

#[test]
fn every_language_and_every_grounder_solves_steps() {
    let folder = Folder::new("steps-grounders");
    let hanoi = folder.file("hanoi.lp", HANOI);
    for grounder in ["python", "lua"].into_iter().flat_map(scripts::grounders) {
        let (code, out, err) = run(&["--grounder", &grounder, &hanoi], "");
        if grounder.ends_with("gringo") {
            assert!(code == 65 && err.contains("gringo does not let scripts look at atoms"), "{err}");
            continue;
        }
        assert!(code == 10 && !err.contains("yasmin: "), "{grounder}: {out}{err}");
        let lines: Vec<&str> = out.lines().collect();
        assert_eq!(lines.iter().filter(|line| **line == "Solving...").count(), 8, "{out}");
        assert!(
            lines.contains(&"Calls        : 8") && lines.contains(&"Models       : 1+"),
            "{grounder}: {out}"
        );
        assert_eq!(lines.iter().filter(|line| line.starts_with("Answer: ")).count(), 1, "{out}");
    }
}

#[test]
fn a_script_in_lua_looks_at_results() {
    let text = "{a}. #program step(n). :- not a. :- n = 2, a.\n#script (lua)\nfunction main(prg)\n\
        \x20   prg:ground({{'base', {}}})\n    local n = 0\n    local r = prg:solve()\n    while r.satisfiable do\n\
        \x20       n = n + 1\n        prg:ground({{'step', {require('clingo').Number(n)}}})\n        r = prg:solve()\n\
        \x20   end\n    io.stderr:write(tostring(r), '\\n')\nend\n#end.";
    for grounder in scripts::grounders("lua") {
        let (code, out, err) = run(&["0", "--json", "--grounder", &grounder], text);
        let document = json(&out);
        assert_eq!((code, err.as_str(), &document["Calls"]), (20, "UNSAT\n", &3.into()), "{grounder}: {out}");
        assert_eq!(document["Models"]["Number"], 3);
    }
}

/// Ground steps: an external atom that is assumed, released and comes again, and a directive that assumes.
const GROUND: &str = "asp 1 0 0 incremental\n5 1 2\n1 1 1 2 0 0\n1 0 0 0 2 1 -2\n4 1 e 1 1\n4 1 a 1 2\n0\n\
    5 1 1\n0\n10 a comment\n1 1 1 3 0 0\n4 1 b 1 3\n6 2 1 -3\n5 1 0\n0\n1 0 0 0 1 -3\n0\n";

/// What clasp finds in a ground program.
fn clasp(program: &str) -> Option<(i32, Value)> {
    let mut child = Command::new("clasp")
        .args(["0", "--outf=2"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    child.stdin.take().expect("is piped").write_all(program.as_bytes()).expect("clasp reads");
    let ran = child.wait_with_output().expect("was started");
    Some((ran.status.code()?, serde_json::from_slice(&ran.stdout).ok()?))
}

#[test]
fn ground_steps_are_solved_one_by_one() {
    let folder = Folder::new("ground-steps");
    let file = folder.file("steps.aspif", GROUND);
    for (words, input) in [
        (&["0", "--json"][..], GROUND),
        (&["0", "--json", &file], ""),
        (&["0", "--json", "--mode=clasp"], GROUND),
    ] {
        let (code, out, err) = run(words, input);
        assert_eq!((code, err.as_str()), (30, ""), "{out}");
        let document = json(&out);
        let numbers: Vec<usize> = document["Call"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|call| call["Witnesses"].as_array().map_or(0, Vec::len))
            .collect();
        assert_eq!(numbers, [2, 1, 1, 3], "{out}");
        if let Some((theirs, told)) = clasp(GROUND) {
            assert_eq!((theirs, found(&told, false)), (code, found(&document, false)));
        }
    }
    // A line of JSON says of which call it is, but for the first.
    let (_, out, _) = run(&["0", "--json-lines"], GROUND);
    let schema = serde_json::from_str(&solver_host::output::schema_of_lines()).expect("the schema is JSON");
    let call = |line: &str| {
        let line: Value = serde_json::from_str(line).expect("JSON");
        jsonschema::validate(&schema, &line).expect("a line is as the schema says");
        line["Call"].clone()
    };
    let calls: Vec<Value> = out.lines().map(call).collect();
    assert_eq!(serde_json::json!(calls), serde_json::json!([null, null, 2, 3, 4, 4, 4, null]));
    // What an atom is that was released, and comes again, is another one's matter.
    let again =
        "asp 1 0 0 incremental\n5 1 2\n1 0 1 2 0 1 1\n4 1 e 1 1\n4 1 a 1 2\n0\n5 1 3\n0\n1 0 1 1 0 0\n0\n";
    assert_eq!(run(&["0", "-V0"], again), (30, "\n\ne\nSATISFIABLE\n".into(), String::new()));
    // An atom that no step has made external is false for good.
    let late = "asp 1 0 0 incremental\n1 0 1 2 0 1 -1\n4 1 b 1 2\n0\n1 0 1 1 0 0\n0\n";
    assert_eq!(run(&["0", "-V0"], late), (20, "b\nUNSATISFIABLE\n".into(), String::new()));
}

#[test]
fn a_first_step_is_solved_while_the_second_is_waited_for() {
    let mut child = command(&["-V0", "-"]).spawn().expect("the binary is there");
    let mut stdin = child.stdin.take().expect("is piped");
    let mut lines = BufReader::new(child.stdout.take().expect("is piped")).lines();
    for (step, want) in
        [("asp 1 0 0 incremental\n5 1 1\n4 1 a 1 1\n0\n", "a"), ("5 1 2\n0\n", ""), ("5 1 1\n0\n", "a")]
    {
        stdin.write_all(step.as_bytes()).expect("yasmin reads");
        assert_eq!(lines.next().expect("a line").expect("text"), want);
    }
    drop(stdin);
    assert_eq!(lines.next().expect("a line").expect("text"), "SATISFIABLE");
    assert_eq!(child.wait().expect("it ends").code(), Some(10));
}

#[test]
fn what_is_wrong_in_a_later_step_is_told_with_its_line() {
    let head = "asp 1 0 0 incremental\n1 1 1 1 0 0\n4 1 a 1 1\n0\n";
    for (step, line, word) in [
        ("foo\n", 5, "the kind of a statement"),
        ("1 0 1 1 0 0\n0\n", 5, "the atom 1 is defined again"),
        ("1 0 1 2 0 0\n", 6, "the kind of a statement"),
        ("9 0 1 7\n9 1 2 1 t\n9 5 0 2 0\n0\n", 0, "has no theories here"),
    ] {
        let (code, out, err) = run(&["--json", "0"], format!("{head}{step}"));
        let document = json(&out);
        let place = if line > 0 { format!("standard input:{line}: ") } else { String::new() };
        assert!(
            code == 75 && err.contains(&place) && err.contains(word) && err.lines().count() == 1,
            "{err}"
        );
        assert_eq!((&document["Calls"], &document["Models"]["Number"]), (&1.into(), &2.into()), "{out}");
        assert!(document["Error"].as_str().is_some_and(|error| error.contains(word)), "{out}");
    }
    // A later step of a grounder may fail, too.
    for grounder in scripts::grounders("python") {
        let text = scripts::with_main(&["prg.ground([('base', [])])", "prg.solve().satisfiable", "1 / 0"]);
        let (code, out, err) = run(&["0", "--json", "--grounder", &grounder], &text);
        assert!(code == 75 && err.contains("ZeroDivisionError"), "{grounder}: {err}");
        assert_eq!(json(&out)["Models"]["Number"], 2, "{out}");
    }
}

#[test]
fn options_for_one_step_are_refused_by_name() {
    let folder = Folder::new("one-step");
    let proof = folder.path("p");
    for words in [
        &["--proof", &proof][..],
        &["--trace", &proof],
        &["--lemma-out", &proof],
        &["--explain"],
        &["--supp-models"],
        &["--assume", "a"],
        &["--symmetry=yes"],
    ] {
        let (code, _, err) = run(words, GROUND);
        let option = words[0].split(' ').next().expect("a word");
        assert!(
            code == 65 && err.contains(&format!("{option} is for programs of one step")),
            "{words:?}: {err}"
        );
    }
    for words in [&["--pre"][..], &["--facets"]] {
        let (code, _, err) = run(words, GROUND);
        assert!(code == 65 && err.contains("a second step begins here"), "{words:?}: {err}");
    }
}

#[test]
fn a_run_of_steps_ends_early_with_what_is_known() {
    if scripts::grounders("python").is_empty() {
        return;
    }
    let folder = Folder::new("steps-signals");
    let endless = folder
        .file("p.lp", "#include <incmode>.\n#program step(t). {p(t)}.\n#program check(t). :- query(t).\n");
    let (code, out, err) = run(&["--time-limit=1", &endless], "");
    assert!(code == 1 && !err.contains("yasmin: ") && out.contains("TIME LIMIT   : 1"), "{code}: {out}{err}");
    let mut child = command(&["--json", &endless]).spawn().expect("the binary is there");
    drop(child.stdin.take());
    let mut stdout = BufReader::new(child.stdout.take().expect("is piped"));
    let mut text = String::new();
    // The first call has ended.
    while !text.contains("\"Stop\"") {
        assert!(stdout.read_line(&mut text).expect("text") > 0, "{text}");
    }
    kill(Pid::from_raw(child.id() as i32), Signal::SIGINT).expect("it runs");
    stdout.read_to_string(&mut text).expect("text");
    let (status, document) = (child.wait().expect("it ends"), json(&text));
    assert_eq!(
        (status.code(), &document["INTERRUPTED"], &document["Result"]),
        (Some(1), &1.into(), &"UNKNOWN".into())
    );
    assert_eq!(
        document["Call"].as_array().map(Vec::len),
        document["Calls"].as_u64().map(|calls| calls as usize)
    );
}
