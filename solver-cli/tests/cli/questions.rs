//! Many questions at once (`--questions`) and facets (`--facets`), as docs/questions.md shows them and
//! beyond.

use super::*;
use serde_json::json;

/// `{a; b}. :- a, b. #minimize {2,a : a; 3,b : not b}.`, and a name that depends on both atoms, one on none.
const CHOICE: &str = "asp 1 0 0\n1 1 2 1 2 0 0\n1 0 0 0 2 1 2\n2 0 2 1 2 -2 3\n\
                      4 1 a 1 1\n4 1 b 1 2\n4 4 none 2 -1 -2\n4 1 f 0\n0\n";

/// What was printed, a value for each line, which is as the schema says.
fn replies(out: &str) -> Vec<Value> {
    let schema: Value =
        serde_json::from_str(&solver_host::output::schema_of_replies()).expect("the schema is JSON");
    let read = |line: &str| {
        let reply = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in {line}"));
        jsonschema::validate(&schema, &reply).unwrap_or_else(|error| panic!("{error} in {line}"));
        reply
    };
    out.lines().map(read).collect()
}

/// The same without times, in the order of the lines, with atoms and answer sets in order.
fn sorted(out: &str) -> Vec<Value> {
    let mut replies = replies(out);
    replies.sort_by_key(|reply| reply["Line"].as_u64());
    for reply in &mut replies {
        let object = reply.as_object_mut().expect("an object");
        for key in ["Time", "Conflicts"] {
            object.remove(key);
        }
        let Some(witnesses) = object.get_mut("Witnesses").and_then(Value::as_array_mut) else { continue };
        for witness in witnesses.iter_mut() {
            witness["Value"].as_array_mut().expect("a list").sort_by_key(Value::to_string);
        }
        witnesses.sort_by_key(Value::to_string);
    }
    replies
}

fn in_order(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

/// What is between the fences of a language in the page.
fn blocks(language: &str) -> Vec<String> {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/questions.md");
    let page = fs::read_to_string(page).expect("the page");
    let fence = format!("```{language}\n");
    page.split(&fence).skip(1).map(|rest| rest.split("```").next().unwrap_or_default().to_string()).collect()
}

#[test]
fn the_page_tells_what_the_command_prints() {
    let folder = Folder::new("questions");
    let program = folder.file("bike.lp", &blocks("prolog")[0]);
    let questions = folder.file("questions.txt", &blocks("text")[0]);
    let shown = blocks("console");
    assert_eq!(shown.len(), 2);
    for block in shown {
        let (line, expected) = block.split_once('\n').expect("a command and what it prints");
        let line = line.trim_start_matches("$ yasmin ").replace("bike.lp", &program);
        let line = line.replace("questions.txt", &questions);
        let (code, out, err) = run(&line.split(' ').collect::<Vec<_>>(), "");
        assert_eq!(err, "");
        match line.contains("--questions") {
            true => assert_eq!((code, sorted(&out)), (75, sorted(expected))),
            // The order of the names is the grounder's.
            false => assert_eq!((code, in_order(&out)), (30, in_order(expected))),
        }
    }
}

#[test]
fn each_line_has_a_reply() {
    let folder = Folder::new("lines");
    let program = folder.file("choice.aspif", CHOICE);
    let questions = "a\n% a comment\n\nnot b, f\nnone\nnot f\n[1]\n{\"name\": 7, \"models\": -1}\n{\"name\":\n\
                     {\"name\": \"n\", \"assumptions\": [\"a, b\"], \"minimal_core\": true}\n\
                     {\"assumptions\": \"a\"}\n{\"assumptions\": [\"zzz\"]}\n{\"time_limit\": -2}\n{\"colour\": 1}\n{}\n";
    for more in [&[][..], &["-t3"], &["--device=simt"], &["--engine=host"]] {
        let (code, out, err) = run(&[&[program.as_str(), "--questions=-"], more].concat(), questions);
        assert_eq!((code, err.as_str()), (75, ""), "{out}");
        let lines: Vec<(u64, Value)> = sorted(&out)
            .into_iter()
            .map(|reply| {
                let costs = reply["Witnesses"][0]["Costs"].clone();
                let told = if reply["Result"].is_null() { &reply["ErrorCode"] } else { &reply["Result"] };
                (
                    reply["Line"].as_u64().expect("a number"),
                    if costs.is_null() { told.clone() } else { costs },
                )
            })
            .collect();
        let expected = json!([
            [1, [5]],
            [4, [3]],
            [5, [3]],
            [6, "UNSATISFIABLE"],
            [7, "input"],
            [8, "input"],
            [9, "input"],
            [10, "UNSATISFIABLE"],
            [11, "input"],
            [12, "input"],
            [13, "input"],
            [14, "input"],
            [15, [0]]
        ]);
        assert_eq!(json!(lines), expected, "{out}");
    }
    let (code, out, _) =
        run(&[&program, "--questions=-", "-q", "--opt-mode=ignore", "0", "--assume=not a"], "none\nb\n");
    assert_eq!(code, 30);
    assert!(
        sorted(&out).iter().all(|reply| reply["Models"]["Number"] == 1 && reply["Witnesses"].is_null()),
        "{out}"
    );
    let (code, out, _) = run(&[&program, "--questions=-"], "a, b\n");
    assert_eq!((code, &sorted(&out)[0]["Core"]), (20, &json!(["a", "b"])));
}

#[test]
fn an_answer_comes_while_questions_still_arrive() {
    let folder = Folder::new("stream");
    let program = folder.file("choice.aspif", CHOICE);
    let mut child = command(&[&program, "--questions=-", "-t2"]).spawn().expect("the binary is there");
    let (mut ask, mut told) = (
        child.stdin.take().expect("is piped"),
        BufReader::new(child.stdout.take().expect("is piped")).lines(),
    );
    for question in ["a", "b", "none"] {
        writeln!(ask, "{question}").expect("it reads");
        let line = told.next().expect("a reply").expect("text");
        assert!(line.contains("OPTIMUM FOUND"), "{line}");
    }
    kill(pid(&child), Signal::SIGINT).expect("it runs");
    assert_eq!(child.wait().expect("it was started").code(), Some(11));
}

#[test]
fn a_run_that_is_cut_short_tells_that_an_answer_set_was_found() {
    let folder = Folder::new("cut-questions");
    let program = folder.file("many.lp", "{a(1..60)}.");
    // Nobody has room for all answer sets.
    let questions = folder.file("questions.txt", "a(1)\n{\"models\": 0}\n");
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -v 300000; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_yasmin"), "--device=cpu"]);
    let output = limited.args([&program, "--questions", &questions]).output().expect("there is a shell");
    assert_eq!(output.status.code(), Some(43), "{output:?}");
    // The second signal ends the run without whoever answers.
    let mut child = command(&[&program, "--questions=-"]).spawn().expect("the binary is there");
    let mut ask = child.stdin.take().expect("is piped");
    ask.write_all(b"a(1)\n{\"models\": 0}\n").expect("it reads");
    let out = BufReader::new(child.stdout.take().expect("is piped"));
    assert!(out.lines().next().expect("a reply").expect("text").contains("SATISFIABLE"));
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        kill(pid(&child), signal).expect("it runs");
    }
    assert_eq!(child.wait().expect("it was started").code(), Some(11));
}

#[test]
fn an_interrupted_question_is_unknown() {
    let folder = Folder::new("interrupted");
    let questions = folder.file("questions.txt", "{\"time_limit\": 0.05}\n{}\n");
    let hard = folder.file("hard.lp", "1 {in(P,1..11)} 1 :- P = 1..12. :- in(P,H), in(Q,H), P < Q.");
    let (code, out, _) = run(&[&hard, "--questions", &questions, "-t2", "--time-limit=1"], "");
    assert_eq!(code, 1, "{out}");
    assert!(
        replies(&out).len() == 2 && replies(&out).iter().all(|reply| reply["Result"] == "UNKNOWN"),
        "{out}"
    );
    let (code, out, _) = run(&[&hard, "--facets", "--time-limit=1"], "");
    assert_eq!((code, out.as_str()), (1, "UNKNOWN\n"));
}

#[test]
fn facets_are_about_the_optimal_answer_sets_too() {
    let of = |arguments: &[&str]| run(arguments, CHOICE);
    let (code, out, _) = of(&["--facets"]);
    assert_eq!(
        (code, out.as_str()),
        (30, "never      a\nalways     b\nnever      none\nalways     f\nSATISFIABLE\n")
    );
    let (_, out, _) = of(&["--facets=counts", "--opt-mode=ignore"]);
    let expected = "sometimes  a     1 of 3\nsometimes  b     1 of 3\nsometimes  none  1 of 3\nalways     f     3 of 3\n";
    assert_eq!(out, format!("{expected}SATISFIABLE\n"));
    let (code, out, _) = of(&["--facets=counts", "--json", "--assume=a"]);
    let document: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(
        (code, &document["Facets"][0]),
        (30, &json!({"Name": "a", "Holds": "always", "With": 1, "Without": 0}))
    );
    assert_eq!(of(&["--facets", "--assume=a,b"]).0, 20);
    assert_eq!(of(&["--facets", "--assume=zzz"]).0, 65);
    assert_eq!(of(&["--facets", "--brave"]).0, 65);
}

#[test]
fn what_is_about_one_search_is_refused() {
    for with in
        ["--proof=x", "--trace=x", "--explain", "--pre", "--text", "--enum-mode=domRec", "--mode=clasp"]
    {
        let (code, out, err) = run(&["--questions=q", with], PAIR);
        assert!(code == 65 && out.is_empty() && err.contains("--questions"), "{with}: {err}");
    }
    let (code, _, err) = run(&["--questions=-"], PAIR);
    assert!(code == 65 && err.contains("standard input can be read only once"), "{err}");
    let (code, out, err) = run(&["--questions=/nonexistent", "--json"], PAIR);
    assert!(code == 65 && err.contains("/nonexistent") && json(&out)["ErrorCode"] == "input", "{err}");
}

#[test]
fn the_exit_code_says_whether_all_was_searched_and_found() {
    let folder = Folder::new("codes");
    let program = folder.file("choice.aspif", CHOICE);
    let free = folder.file("free.aspif", "asp 1 0 0\n1 1 2 1 2 0 0\n4 1 a 1 1\n4 1 b 1 2\n0\n");
    let code = |program: &str, questions: &str| run(&[program, "--questions=-", "-q"], questions).0;
    assert_eq!(code(&free, "a"), 10, "there may be more answer sets");
    assert_eq!(code(&free, "{\"models\":0}"), 30);
    assert_eq!(code(&free, "a, not a"), 20);
    assert_eq!(code(&free, "a\na, not a"), 10);
    assert_eq!(code(&program, "a\nb"), 30, "each question has its optimum");
    for nothing in ["", "% a comment\n\n", "{\"time_limit\":0}"] {
        assert_eq!(code(&free, nothing), 0, "{nothing}");
    }
    assert_eq!(code(&free, "a, not a\n{\"time_limit\":0}"), 0);
    assert_eq!(run(&[&free, "--questions=-", "--opt-mode=optN", "-q"], "{}").0, 10, "one answer set");
    let (code, out, err) = run(&[&free, &format!("--questions={}", folder.0.display())], "");
    assert_eq!((code, out.as_str()), (65, ""), "a folder: {err}");
}

/// A core has the words of the question, each once, whatever else is the same literal.
#[test]
fn a_core_speaks_as_the_question_does() {
    let folder = Folder::new("cores");
    let program =
        "asp 1 0 0\n1 0 1 1 0 0\n1 0 1 2 0 0\n1 1 1 3 0 0\n4 1 b 0\n4 1 c 0\n4 1 d 1 3\n4 1 x 1 -3\n0\n";
    let program = folder.file("facts.aspif", program);
    let formula = folder.file("one.cnf", "p cnf 2 1\n1 -2 0\n");
    let core = |arguments: &[&str], question: &str| {
        let (_, out, err) = run(&[arguments, &["--questions=-"]].concat(), question);
        assert_eq!(err, "");
        replies(&out)[0]["Core"].clone()
    };
    assert_eq!(core(&[&program], "not b"), json!(["not b"]));
    assert_eq!(core(&[&program], "d, not d, d"), json!(["d", "not d"]));
    assert_eq!(core(&[&program, "--assume=d, not d"], "d"), json!(["d", "not d"]));
    // The command calls the literal by another of its names.
    assert_eq!(core(&[&program, "--assume=not b"], "not c"), json!(["not c"]));
    assert_eq!(core(&[&formula], "-1, 2"), json!(["-1", "2"]));
}

#[test]
fn a_theory_is_refused_by_name() {
    let folder = Folder::new("theory");
    let program = folder.file("diff.lp", "a. &diff{x-0} <= 3 :- a. &diff{0-x} <= -5 :- a.");
    for asks in ["--questions=-", "--facets"] {
        let (code, out, err) = run(&[&program, asks], "a\n");
        assert_eq!((code, out.as_str()), (65, ""), "{err}");
        assert!(err.contains("know no theories") && err.contains("&diff{"), "{err}");
    }
    let plain = folder.file("plain.lp", "a.");
    let (code, _, err) = run(&[&plain, "--questions=-", "--minimize-variable=x"], "a\n");
    assert!(code == 65 && err.contains("--minimize-variable=x"), "{err}");
}

/// `{a; p(1,2); p("x, (y)")}. #external e. #external f. :- e, a.`, where `f` has a rule.
const EXTERNALS: &str = "asp 1 0 0\n1 1 3 1 2 3 0 0\n5 4 2\n5 5 1\n1 0 1 5 0 1 1\n1 0 0 0 2 4 1\n4 1 a 1 1\n\
                         4 6 p(1,2) 1 2\n4 11 p(\"x, (y)\") 1 3\n4 1 e 1 4\n4 1 f 1 5\n0\n";

#[test]
fn a_question_has_constraints_and_values_of_its_own() {
    let folder = Folder::new("own");
    let program = folder.file("externals.aspif", EXTERNALS);
    let asked = [
        (json!({}), json!(8)),
        (json!({ "externals": { "e": true } }), json!(4)),
        (json!({ "externals": { "e": "free" } }), json!(12)),
        (json!({ "constraints": ["a, p(1, 2)", "not a"] }), json!(2)),
        (json!({ "constraints": ["a", "not a"] }), json!(0)),
        (json!({ "assumptions": ["p( 1 ,2), p(\"x, (y)\")"], "externals": { "e": true } }), json!(1)),
        (json!({ "externals": { "f": true } }), json!("input")),
        (json!({ "externals": { "a": true } }), json!("input")),
        (json!({ "externals": { "e": 1 } }), json!("input")),
        (json!({ "externals": ["e"] }), json!("input")),
        (json!({ "constraints": "a" }), json!("input")),
        (json!({ "constraints": ["zzz"] }), json!("input")),
        (json!({ "rules": ["a :- not p(1, 2), not e.", "q(1)|q(2) :- a", ":- q(2)."] }), json!(6)),
        (json!({ "rules": ["{e}. f :- e."], "constraints": ["not a, not e"] }), json!(8)),
        (json!({ "rules": ["{e}."], "externals": { "e": true } }), json!("usage")),
        (json!({ "rules": ["b :- zzz."] }), json!("input")),
        (json!({ "rules": ["b(X) :- a."] }), json!("input")),
        (json!({ "rules": ["b :- a"], "project": ["a", "p(1,2)"] }), json!(4)),
        (json!({ "project": [] }), json!(1)),
        (json!({ "project": ["not a"] }), json!("input")),
        (json!({ "rules": "b." }), json!("input")),
        (json!({ "bound": [1] }), json!("usage")),
        (json!({ "bound": 1 }), json!("input")),
        (json!({}), json!(8)),
    ];
    let questions: String = asked.iter().map(|(question, _)| format!("{question}\n")).collect();
    let expected: Vec<&Value> = asked.iter().map(|(_, number)| number).collect();
    for more in [&[][..], &["-t3"], &["--device=simt"], &["--engine=host"]] {
        let (code, out, err) = run(&[&[program.as_str(), "--questions=-", "0"], more].concat(), &questions);
        assert_eq!((code, err.as_str()), (75, ""), "{out}");
        let told = sorted(&out);
        let numbers: Vec<&Value> = told
            .iter()
            .map(|of| if of["Result"].is_null() { &of["ErrorCode"] } else { &of["Models"]["Number"] })
            .collect();
        assert_eq!(numbers, expected, "{out}");
    }
    let doubled = "{\"models\": 1, \"models\": 2}\n{\"externals\": {\"e\": true, \"e\": false}}\n[{}]\n";
    let (code, out, _) = run(&[&program, "--questions=-"], doubled);
    let told = sorted(&out);
    assert_eq!(code, 65, "{out}");
    for (reply, what) in told.iter().zip(["`models` is there twice", "`e` is there twice", "called `[{}]`"]) {
        assert!(reply["Error"].as_str().is_some_and(|error| error.contains(what)), "{out}");
    }
}

#[test]
fn a_question_has_rules_and_a_bound_of_its_own() {
    let folder = Folder::new("own-rules");
    let program = folder.file("choice.aspif", CHOICE);
    let asked = [
        (json!({}), json!([["b", "f"], [0]])),
        (
            json!({ "rules": ["c :- b, f, not none. {_d}. :- not _d"], "bound": [1] }),
            json!([["_d", "b", "c", "f"], [0]]),
        ),
        (json!({ "rules": [":- b."], "bound": [2] }), json!("UNSATISFIABLE")),
        (
            json!({ "rules": ["-b :- a. b :- b. -a :- not a, not b."], "assumptions": ["none"], "bound": [3] }),
            { json!([["-a", "f", "none"], [3]]) },
        ),
        (json!({ "rules": ["-b :- b."] }), json!([["f", "none"], [3]])),
        (json!({ "rules": ["none :- a."] }), json!("input")),
        (json!({ "rules": ["a :- a."], "assumptions": ["a"] }), json!([["a", "f"], [5]])),
    ];
    let questions: String = asked.iter().map(|(question, _)| format!("{question}\n")).collect();
    for more in [&[][..], &["-t3"], &["--device=simt"]] {
        let (_, out, err) = run(&[&[program.as_str(), "--questions=-"], more].concat(), &questions);
        assert_eq!(err, "");
        for ((question, expected), told) in asked.iter().zip(sorted(&out)) {
            let witness = &told["Witnesses"][0];
            let is_answer = !told["Witnesses"].is_null();
            let other = if told["Result"].is_null() { &told["ErrorCode"] } else { &told["Result"] };
            let found = if is_answer { json!([witness["Value"], witness["Costs"]]) } else { other.clone() };
            assert_eq!(&found, expected, "{question}: {told}");
        }
    }
}

#[test]
fn facets_are_about_all_answer_sets() {
    let folder = Folder::new("facets-number");
    let program = folder.file("choice.aspif", CHOICE);
    let (code, _, err) = run(&[&program, "--facets", "-n", "3"], "");
    assert!(code == 65 && err.contains("--facets") && err.contains("-n"), "{code} {err}");
}
