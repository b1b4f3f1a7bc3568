//! What is printed, in each form.

use super::*;

/// A JSON document each line; the schema says what each is.
fn lines(text: &str) -> Vec<Value> {
    let schema: Value = serde_json::from_str(solver_host::output::SCHEMA).expect("the schema is JSON");
    let line = serde_json::json!({"$defs": schema["$defs"], "$ref": "#/$defs/line"});
    let line = jsonschema::validator_for(&line).expect("a schema");
    let read = |text: &str| -> Value {
        let value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in\n{text}"));
        line.validate(&value).unwrap_or_else(|error| panic!("{error} in\n{text}"));
        value
    };
    text.lines().map(read).collect()
}

#[test]
fn text_is_what_clasp_prints() {
    let (_, out, err) = run(&["0"], PAIR_ONE_SHOWN);
    assert_eq!(err, "");
    let lines: Vec<&str> = out.lines().collect();
    assert!(lines[0].starts_with("yasmin version "), "{out}");
    assert_eq!(lines[1..3], ["Reading from stdin", "Solving..."]);
    let mut answers = vec![lines[4], lines[6]];
    answers.sort_unstable();
    // The answer set without a shown atom has its line, an empty one.
    assert_eq!((lines[3], lines[5], answers), ("Answer: 1", "Answer: 2", vec!["", "a"]));
    assert_eq!(lines[7..11], ["SATISFIABLE", "", "Models       : 2", "Calls        : 1"]);
    assert!(lines[11].starts_with("Time         : ") && lines[11].contains("s (Solving: "), "{out}");
    assert!(lines[12].starts_with("CPU Time     : "), "{out}");
    assert_eq!(lines.len(), 13);

    let (_, one, _) = run(&[], PAIR);
    assert!(one.contains("\nModels       : 1+\n"), "{one}");
    let (_, none, _) = run(&[], CIRCLE);
    assert!(none.contains("\nUNSATISFIABLE\n\nModels       : 0\n"), "{none}");
}

#[test]
fn json_has_clingos_shape() {
    for form in ["--json", "--outf=2"] {
        let (code, out, err) = run(&[form, "0"], PAIR);
        assert_eq!((code, err.as_str()), (30, ""));
        let all = json(&out);
        let keys: Vec<&String> = all.as_object().expect("an object").keys().collect();
        assert_eq!(keys, ["Solver", "Input", "Call", "Result", "Models", "Calls", "Time"]);
        assert_eq!(all["Input"], serde_json::json!(["stdin"]));
        assert_eq!(all["Models"], serde_json::json!({"Number": 2, "More": "no"}));
        let witnesses = all["Call"][0]["Witnesses"].as_array().expect("a list");
        let mut values: Vec<String> = witnesses.iter().map(|witness| witness["Value"].to_string()).collect();
        values.sort_unstable();
        assert_eq!(values, [r#"["a"]"#, r#"["b"]"#]);
        assert!(witnesses.iter().all(|witness| witness["Time"].is_number()));
    }
    let none = json(&run(&["--json"], CIRCLE).1);
    assert_eq!(none["Result"], "UNSATISFIABLE");
    assert!(none["Call"][0].get("Witnesses").is_none());
}

#[test]
fn lines_of_json_come_one_by_one() {
    let (code, out, err) = run(&["--json-lines", "--stats", "0"], PAIR);
    assert_eq!((code, err.as_str()), (30, ""));
    let all = lines(&out);
    let mut values = vec![all[0]["Value"].to_string(), all[1]["Value"].to_string()];
    values.sort_unstable();
    assert_eq!(values, [r#"["a"]"#, r#"["b"]"#]);
    let end = &all[2];
    assert_eq!((all.len(), &end["Result"], &end["Models"]["Number"]), (3, &"SATISFIABLE".into(), &2.into()));
    assert!(end["Stats"]["decisions"].is_u64(), "{end}");
    // Each is there before the next is looked for.
    let mut child = start(&["--json-lines", "0"], pairs(60).as_bytes());
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("is piped")).read_line(&mut line).expect("a line");
    assert!(lines(&line)[0]["Value"].is_array(), "{line}");
    child.wait().expect("it was started");
}

#[test]
fn statistics_are_in_both_formats() {
    let (_, text, _) = run(&["--stats", "0"], pairs(4));
    for name in ["Decisions    : ", "Conflicts    : ", "Propagations : ", "Device       : "] {
        assert!(text.contains(&format!("\n{name}")), "{name} in\n{text}");
    }
    let stats = &json(&run(&["--stats=2", "--json", "0"], pairs(4)).1)["Stats"];
    for name in [
        "decisions",
        "conflicts",
        "propagations",
        "launches",
        "bytes_to_host",
        "bytes_to_device",
        "bytes_on_device",
    ] {
        assert!(stats[name].is_u64(), "{name} in {stats}");
    }
    assert!(stats["decisions"].as_u64() > Some(0), "{stats}");
    assert!(!run(&["0"], pairs(4)).1.contains("Decisions"));
}

#[test]
fn each_step_of_preprocessing_is_counted() {
    let done = |steps: &str| {
        let args = ["--stats", "--json", "--preprocess", steps, "0"];
        json(&run(&args, pairs(4)).1)["Stats"]["preprocess"].clone()
    };
    // Of each pair `a :- not b. b :- not a.` one atom is the other's complement.
    assert_eq!(done("equivalent")["equivalent_variables"], 4);
    assert_eq!(done("all")["equivalent_variables"], 4);
    assert_eq!(done("failed,subsumed")["equivalent_variables"], 0);
    let none = done("none");
    assert!(none.as_object().is_some_and(|steps| steps.values().all(|v| v.as_f64() == Some(0.0))), "{none}");
    let text = run(&["--stats", "--preprocess=equivalent", "0"], pairs(4)).1;
    assert!(text.contains("\nEquiv. vars  : 4\n") && text.contains("\nEquiv. sec.  : "), "{text}");
}

#[test]
fn each_format_has_its_words() {
    let verdicts = |form: &str| [run(&[form, "0"], PAIR).1, run(&[form, "0"], CIRCLE).1];
    let [some, none] = verdicts("--outf=1");
    assert!(some.contains("% Answer: 2\nANSWER\n") && some.contains("\n% Models         : 2\n"), "{some}");
    assert!(!some.contains("SATISFIABLE") && !some.contains("Answer: 1"), "{some}");
    assert!(none.contains("\nINCONSISTENT\n% \n"), "{none}");
    let (code, nothing, _) = run(&["--outf=3", "0"], PAIR);
    assert_eq!((code, nothing.as_str()), (30, ""));
    assert_eq!(verdicts("--outf=0").map(|text| text.contains("\nSATISFIABLE\n")), [true, false]);
}

#[test]
fn quiet_and_terse() {
    let numbers = |options: &[&str]| -> Vec<String> {
        let (code, out, _) = run(&[options, &["0"]].concat(), PAIR);
        assert_eq!(code, 30);
        out.lines().filter_map(|line| line.strip_prefix("Answer: ")).map(str::to_string).collect()
    };
    assert_eq!(numbers(&["-q0"]), ["1", "2"]);
    assert_eq!(numbers(&["-q1"]), ["2"]);
    assert_eq!(numbers(&["--quiet=1,2"]), ["2"]);
    assert!(numbers(&["-q"]).is_empty() && numbers(&["-q2"]).is_empty());
    let (_, terse, _) = run(&["-V0", "-q1", "0"], PAIR);
    assert!(["a\nSATISFIABLE\n", "b\nSATISFIABLE\n"].contains(&terse.as_str()), "{terse}");
    assert!(run(&["-q1,2,0", "0"], PAIR).1.contains("= Accumulation ="));
    assert!(run(&["--verbose=2"], PAIR).1.contains("\nPreprocessing: "));
    for options in [&["-q"][..], &["-q1"], &["-V0"], &["-V0", "-q"]] {
        json(&run(&[&["--json", "0"], options].concat(), PAIR).1);
    }
}

#[test]
fn assumptions_are_by_name() {
    let (code, out, _) = run(&["--assume", "not a", "-V0", "0"], PAIR);
    assert_eq!((code, out.as_str()), (30, "b\nSATISFIABLE\n"));
    assert_eq!(run(&["--assume", "a,b", "0"], PAIR).0, 20);
    let (code, out, err) = run(&["--assume", "a,not c(1)"], PAIR);
    assert!(code == 65 && knows_nothing(&out), "{out}");
    assert!(err.contains("`c(1)`"), "{err}");
}

#[test]
fn an_output_that_cannot_be_written_is_an_error() {
    for form in ["--outf=0", "--json", "--json-lines"] {
        let full = std::fs::File::options().write(true).open("/dev/full").expect("a device");
        let mut child = command(&[form]).stdout(full).spawn().expect("the binary is there");
        child.stdin.take().expect("is piped").write_all(PAIR.as_bytes()).expect("is read");
        let (code, _, err) = told(child.wait_with_output().expect("it was started"));
        assert_eq!(code & 65, 65, "{err}");
        assert!(err.starts_with("yasmin: error: cannot write to standard output: "), "{err}");
    }
}

/// What the command writes to standard error when that is a terminal.
fn on_a_terminal(arguments: &[&str], input: &str) -> String {
    let terminal = nix::pty::openpty(None, None).expect("a terminal");
    let mut child = command(arguments).stderr(terminal.slave).spawn().expect("the binary is there");
    child.stdin.take().expect("is piped").write_all(input.as_bytes()).expect("is read");
    let mut told = Vec::new();
    let mut master = std::fs::File::from(terminal.master);
    let reader = thread::spawn(move || {
        let mut some = [0; 4096];
        // The end of a terminal is an error.
        while let Ok(n @ 1..) = master.read(&mut some) {
            told.extend_from_slice(&some[..n]);
        }
        String::from_utf8_lossy(&told).into_owned()
    });
    child.wait_with_output().expect("it was started");
    reader.join().expect("no panic")
}

#[test]
fn a_long_search_tells_how_it_goes_on_a_terminal_only() {
    let long = ["0", "--time-limit", "2", "-q"];
    let told = on_a_terminal(&long, &pairs(60));
    assert!(told.contains(" s: 0 conflicts, ") && told.contains(" decisions, "), "{told:?}");
    assert_eq!(on_a_terminal(&["0"], PAIR), "");
    assert_eq!(on_a_terminal(&["0", "--time-limit", "2", "-q", "-V0"], &pairs(60)), "");
    assert_eq!(run(&long, pairs(60)).2, "");
}
