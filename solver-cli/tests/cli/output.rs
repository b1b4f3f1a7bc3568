//! What is printed, in each form.

use super::*;

/// A JSON document each line; the schema says what each is.
fn lines(text: &str) -> Vec<Value> {
    let (code, schema, _) = run(&["--schema=lines"], "");
    assert_eq!(code, 0);
    let line: Value = serde_json::from_str(&schema).expect("the schema is JSON");
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
    assert!(end["Stats"]["Core"]["Choices"].is_u64(), "{end}");
    // Each is there before the next is looked for.
    let mut child = start(&["--json-lines", "0"], pairs(60).as_bytes());
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("is piped")).read_line(&mut line).expect("a line");
    assert!(lines(&line)[0]["Value"].is_array(), "{line}");
    child.wait().expect("it was started");
}

#[test]
fn statistics_say_how_many_answer_sets_were_checked() {
    let checked = |arguments: &[&str]| {
        let (code, out, err) = run(&[arguments, &["--stats", "--json"]].concat(), pairs(4));
        assert_eq!((code & 10, err.as_str()), (10, ""));
        json(&out)["Stats"]["Yasmin"]["checked_answers"].as_u64().expect("a number")
    };
    assert_eq!((checked(&["0", "--check", "all"]), checked(&["0", "--check=no"])), (16, 0));
    // The first and the last, and what there is time for.
    assert!((2..=16).contains(&checked(&["0"])));
    assert_eq!((checked(&[]), checked(&["2"])), (1, 2));
    let text = run(&["--stats", "--check=all", "0"], pairs(4)).1;
    assert!(text.contains("\nChecked sets : 16\n"), "{text}");
}

#[test]
fn statistics_are_in_both_formats() {
    let (_, basic, _) = run(&["--stats", "0"], pairs(4));
    let (_, full, _) = run(&["-s2", "0"], pairs(4));
    for name in [
        "Choices",
        "Conflicts",
        "Lemmas",
        "Rules",
        "Atoms",
        "Constraints",
        "Propagations",
        "Device",
        "Seed",
        "Peak memory",
    ] {
        let line = format!("\n{name:<13}: ");
        assert!(basic.contains(&line) && full.contains(&line), "{name} in\n{basic}\n{full}");
    }
    for name in ["Launches", "Learning", "Rephase", "Equiv. vars"] {
        let line = format!("\n{name:<13}: ");
        assert!(!basic.contains(&line) && full.contains(&line), "{name} in\n{basic}\n{full}");
    }
    let stats = |level: &str| json(&run(&[level, "--json", "--seed=7", "0"], pairs(4)).1)["Stats"].clone();
    let (basic, full) = (stats("--stats=1"), stats("--stats=2"));
    assert_eq!(
        (&basic["LP"]["Rules"]["Original"], &basic["LP"]["Tight"]),
        (&8.into(), &"yes".into()),
        "{basic}"
    );
    assert_eq!((&basic["More"]["Models"], &basic["Yasmin"]["seed"]), (&16.into(), &7.into()), "{basic}");
    assert!(basic["Core"]["Choices"].as_u64() > Some(0), "{basic}");
    assert!(basic["Yasmin"]["peak_memory_bytes"].as_u64() > Some(1 << 20), "{basic}");
    assert!(basic["Yasmin"].get("grounding_seconds").is_none(), "nothing was grounded: {basic}");
    for name in ["conflicts", "launches", "bytes_to_host", "bytes_to_device", "bytes_on_device"] {
        assert!(full["Yasmin"][name].is_u64(), "{name} in {full}");
    }
    let options = &full["Yasmin"]["options"];
    assert_eq!(
        (&options["seed"], &options["device"], &options["simplify"]),
        (&7.into(), &"cpu".into(), &true.into())
    );
    assert_eq!(stats("--stats=0"), Value::Null);
    assert!(!run(&["0"], pairs(4)).1.contains("Choices"));
}

#[test]
fn statistics_have_no_key_that_clasp_lacks() {
    let said = |mut command: Command, form: &str| {
        let program = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/hamilton.aspif");
        command.args([form, "--stats=2", "-q", program, "0"]).stdin(Stdio::null());
        command.output().ok().map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let Some(clasps) = said(Command::new("clasp"), "--outf=2") else {
        return eprintln!("SKIPPED: clasp is missing");
    };
    let ours = json(&said(command(&[]), "--outf=2").expect("the binary is there"));
    let clasps: Value = serde_json::from_str(&clasps).expect("JSON");
    for group in ["Core", "More", "LP", "Problem"] {
        assert_covered(&ours["Stats"][group], &clasps["Stats"][group], group);
    }
    // The program is the same, and so are the counts of what was read.
    for key in ["/LP/Rules/Original", "/LP/Atoms", "/LP/Tight", "/LP/SCCs", "/More/Models"] {
        assert_eq!(ours["Stats"].pointer(key), clasps["Stats"].pointer(key), "{key}");
    }
}

/// Fails if `ours` has a key that `theirs` lacks, or a value of another sort.
fn assert_covered(ours: &Value, theirs: &Value, place: &str) {
    match (ours, theirs) {
        (Value::Object(ours), Value::Object(theirs)) => ours.iter().for_each(|(key, value)| {
            let theirs = theirs.get(key).unwrap_or_else(|| panic!("clasp has no {place}.{key}"));
            assert_covered(value, theirs, &format!("{place}.{key}"));
        }),
        (Value::Array(ours), Value::Array(theirs)) => ours.iter().for_each(|value| {
            let same = theirs.iter().find(|theirs| theirs["Type"] == value["Type"]);
            let theirs = same.unwrap_or_else(|| panic!("clasp has no {value} in {place}"));
            assert_covered(value, theirs, place);
        }),
        _ => assert_eq!(
            (ours.is_number(), ours.is_string()),
            (theirs.is_number(), theirs.is_string()),
            "{place}"
        ),
    }
}

#[test]
fn a_grounder_counts_in_statistics() {
    if !ground::has_gringo() {
        return;
    }
    let own = json(&run(&["--stats", "--json", "-"], "{a}.").1)["Stats"]["Yasmin"].clone();
    for name in ["grounding_seconds", "grounder_cpu_seconds"] {
        assert!(own[name].as_f64() > Some(0.0), "{name} in {own}");
    }
    let text = run(&["--stats", "-"], "{a}.").1;
    assert!(text.contains("\nGround. sec. : ") && text.contains("\nGrounder CPU : "), "{text}");
}

#[test]
fn each_step_of_preprocessing_is_counted() {
    let done = |steps: &str| {
        let args = ["--stats=2", "--json", "--preprocess", steps, "0"];
        json(&run(&args, pairs(4)).1)["Stats"]["Yasmin"]["preprocess"].clone()
    };
    // Of each pair `a :- not b. b :- not a.` one atom is the other's complement.
    assert_eq!(done("equivalent")["equivalent_variables"], 4);
    assert_eq!(done("all")["equivalent_variables"], 4);
    assert_eq!(done("failed,subsumed")["equivalent_variables"], 0);
    let none = done("none");
    assert!(none.as_object().is_some_and(|steps| steps.values().all(|v| v.as_f64() == Some(0.0))), "{none}");
    let text = run(&["--stats=2", "--preprocess=equivalent", "0"], pairs(4)).1;
    assert!(text.contains("\nEquiv. vars  : 4\n") && text.contains("\nEquiv. sec.  : "), "{text}");
}

/// At most 3 of 12 atoms hold. By default that gets auxiliary variables, unless there are costs.
#[test]
fn counts_are_sums_or_nogoods() {
    let atoms: String = (1..=12).map(|atom| format!(" {atom}")).collect();
    let weighted: String = (1..=12).map(|atom| format!(" {atom} 1")).collect();
    let program = |costs: &str| format!("asp 1 0 0\n1 1 12{atoms} 0 0\n1 0 0 1 4 12{weighted}\n{costs}0\n");
    let sums = |option: &str, costs: &str| {
        let found = run(&["--stats=2", "--json", "--opt-mode=ignore", option, "0"], program(costs)).1;
        let found = json(&found);
        assert_eq!(found["Models"]["Number"], 1 + 12 + 66 + 220, "{option}");
        found["Stats"]["Yasmin"]["program"]["sums_after"].clone()
    };
    for (option, of_free, of_costly) in [
        ("--trans-ext=dynamic", 0, 1),
        ("--trans-ext=no", 1, 1),
        ("--no-trans-ext", 1, 1),
        ("--trans-ext=choice", 1, 1),
        ("--trans-ext=scc", 1, 1),
        ("--trans-ext=integ", 0, 0),
        ("--trans-ext=all", 0, 0),
    ] {
        assert_eq!(sums(option, ""), of_free, "{option}");
        assert_eq!(sums(option, "2 0 1 1 1\n"), of_costly, "{option}");
    }
}

/// `{a; b}. #minimize {1: not a}.`
const COSTLY: &str = "asp 1 0 0\n1 1 2 1 2 0 0\n2 0 1 -1 1\n4 1 a 1 1\n4 1 b 1 2\n0\n";

#[test]
fn a_witness_says_that_it_is_optimal() {
    let witnesses = |mode: &str| {
        let all = json(&run(&["--json", mode, "0"], COSTLY).1);
        all["Call"][0]["Witnesses"].as_array().expect("a list").clone()
    };
    let all = witnesses("--opt-mode=optN");
    let optimal: Vec<&Value> = all.iter().filter(|witness| witness["Optimum"] == true).collect();
    assert!(
        optimal.len() == 2 && optimal.iter().all(|witness| witness["Costs"] == serde_json::json!([0])),
        "{all:?}"
    );
    assert!(all.len() > 2 && all.iter().any(|witness| witness.get("Optimum").is_none()), "{all:?}");
    assert!(witnesses("--opt-mode=opt").iter().all(|witness| witness.get("Optimum").is_none()));
    let (_, out, _) = run(&["--json-lines", "--opt-mode=optN", "0"], COSTLY);
    assert_eq!(lines(&out).iter().filter(|line| line["Optimum"] == true).count(), 2, "{out}");
}

#[test]
fn a_number_of_answer_sets_may_miss_the_optimum() {
    let warning = "yasmin: warning: #models not 0: optimality of last model not guaranteed.\n";
    for (arguments, told) in [
        (&["-n", "1"][..], warning),
        (&["2", "--json", "-V0"], warning),
        (&["1", "-q"], warning),
        (&["0"], ""),
        (&[], ""),
        (&["1", "--opt-mode=optN"], ""),
        (&["1", "--opt-mode=ignore"], ""),
    ] {
        assert_eq!(run(arguments, COSTLY).2, told, "{arguments:?}");
    }
    assert_eq!(run(&["-n", "1"], PAIR).2, "");
}

#[test]
fn times_have_six_decimals_at_most() {
    fn check(value: &Value) {
        match value {
            Value::Number(number) => {
                let value = number.as_f64().expect("a number");
                assert_eq!((value * 1e6).round() / 1e6, value, "{number}");
            }
            Value::Array(list) => list.iter().for_each(check),
            Value::Object(values) => values.values().for_each(check),
            _ => {}
        }
    }
    let all = json(&run(&["--json", "--stats=2", "0"], pairs(6)).1);
    check(&all);
    // A millisecond is not all there is.
    let fine = |time: &Value| time.as_f64().is_some_and(|seconds| (seconds * 1e3).fract() > 1e-6);
    assert!(fine(&all["Time"]["Total"]) || fine(&all["Time"]["CPU"]), "{all}");
}

#[test]
fn the_command_describes_itself() {
    for form in [&["--schema"][..], &["--schema", "no-such-file.lp"]] {
        let (code, out, err) = run(form, "");
        assert_eq!((code, out.as_str(), err.as_str()), (0, solver_host::output::SCHEMA, ""));
    }
    let schema: Value = serde_json::from_str(solver_host::output::SCHEMA).expect("JSON");
    assert!(schema["$id"].as_str().is_some_and(|id| id.starts_with("urn:")), "{}", schema["$id"]);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let (code, out, err) = run(&["--completions", shell], "");
        assert_eq!((code, err.as_str()), (0, ""), "{shell}");
        assert!(out.contains("--time-limit") || out.contains("-l time-limit"), "{shell}: {out}");
        let has_values = ["bash", "zsh", "fish"].contains(&shell);
        assert!(!has_values || out.contains("jeroslow-wang"), "{shell}: {out}");
    }
    assert_eq!(run(&["--completions", "cmd"], "").0, 65);
    let (code, out, err) = run(&["--man"], "");
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.contains("\n.TH yasmin 1 ") && out.contains("time\\-limit"), "{out}");
}

#[test]
fn the_heading_comes_before_grounding() {
    let folder = Folder::new("heading");
    let (program, go) = (folder.file("f.lp", "a."), folder.path("go"));
    // It waits for ten seconds at most.
    let script = format!(
        "#!/bin/sh\nfor i in $(seq 200); do\n[ -e '{go}' ] && printf 'asp 1 0 0\\n4 1 a 0\\n0\\n' && exit\n\
         sleep 0.05\ndone\nexit 3\n"
    );
    let grounder = folder.file("slow-grounder", &script);
    let mut child = start(&["-V2", "--grounder", &grounder, &program], b"");
    let mut out = BufReader::new(child.stdout.take().expect("is piped"));
    let mut head = String::new();
    for _ in 0..3 {
        out.read_line(&mut head).expect("a line");
    }
    fs::write(&go, "").expect("a file");
    let mut rest = String::new();
    out.read_to_string(&mut rest).expect("text");
    assert_eq!(child.wait().expect("it was started").code(), Some(30), "{head}{rest}");
    assert!(head.starts_with("yasmin version "), "{head}");
    assert!(head.contains("\nReading from ") && head.ends_with("/f.lp\nDevice       : cpu\n"), "{head}");
    assert!(rest.starts_with("Reading      : ") && rest.contains("\nSATISFIABLE\n"), "{rest}");
}

#[test]
fn a_missing_gpu_is_told_to_those_who_ask() {
    let told = |arguments: &[&str]| {
        let mut command = command(arguments);
        // No GPU is visible, and if there is no driver, none is there.
        command.env("CUDA_VISIBLE_DEVICES", "").stdin(Stdio::null());
        told(
            command
                .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../data/choice.aspif"))
                .output()
                .expect("it runs"),
        )
    };
    for options in [&["--device=auto", "-V"][..], &["--device=auto", "-V2", "--json"]] {
        let (code, out, err) = told(options);
        assert_eq!(code, 10, "{err}");
        assert!(err.starts_with("yasmin: warning: --device auto: no GPU: "), "{err}");
        assert!(err.ends_with("; the search runs on the processor\n") && err.lines().count() == 1, "{err}");
        assert!(options.contains(&"--json") || out.contains("\nDevice       : cpu\n"), "{out}");
    }
    assert_eq!(told(&["--device=auto"]).2, "");
    assert_eq!(told(&["--device=cpu", "-V"]).2, "");
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
    let negated = "asp 1 0 0\n1 1 1 1 0 0\n4 2 -p 1 1\n0\n";
    assert_eq!(run(&["--assume", "-p", "-V0"], negated).1, "-p\nSATISFIABLE\n");
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

/// The lines of a run that have such a key, in order.
fn with_key<'a>(lines: &'a [Value], key: &str) -> Vec<&'a Value> {
    lines.iter().filter_map(|line| line.get(key)).collect()
}

#[test]
fn progress_and_bounds_are_lines_if_that_is_asked_for() {
    let arguments = ["--json-lines", "--progress=0.1", "--symmetry=no", "--time-limit", "3"];
    let (code, out, err) = run(&arguments, super::formulas::contradictory());
    assert_eq!((code, err.as_str()), (11, ""));
    let all = lines(&out);
    let times: Vec<f64> = all.iter().filter_map(|line| line["Time"].as_f64()).collect();
    assert!(times.is_sorted(), "{times:?}");
    let progress = with_key(&all, "Progress");
    assert!((5..=40).contains(&progress.len()), "{out}");
    let searching: Vec<_> = progress.iter().filter(|told| told["Phase"] == "searching").collect();
    for name in ["Conflicts", "Decisions", "Restarts", "Models"] {
        let counts: Vec<u64> = searching.iter().map(|told| told[name].as_u64().expect(name)).collect();
        assert!(counts.is_sorted() && counts.last().is_some_and(|&last| last > 0), "{name}: {counts:?}");
    }
    // What is told last is what the end says.
    let end = all.last().expect("the end");
    assert_eq!(end["TIME LIMIT"], 1);
    assert_eq!(searching.last().expect("some")["Costs"], end["Models"]["Costs"]);
    let bounds = with_key(&all, "Bounds");
    let (last, between) = bounds.split_last().expect("the end has bounds");
    assert_eq!(last, &end.get("Bounds").expect("not optimal yet"));
    let lower: Vec<i64> = between.iter().map(|told| told["Lower"][0].as_i64().expect("a number")).collect();
    assert!(!lower.is_empty() && lower.is_sorted_by(|one, next| one < next), "{lower:?}");
    // The time limit may come right after a better bound.
    assert!(last["Lower"][0].as_i64() >= lower.last().copied(), "{last} after {lower:?}");
    // Nobody is told who has not asked.
    let (_, plain, _) =
        run(&["--json-lines", "--symmetry=no", "--time-limit", "1"], super::formulas::contradictory());
    let (answers, end) = plain.trim_end().rsplit_once('\n').expect("some answers");
    assert!(end.contains("Result"));
    assert!(!answers.contains("Progress") && !answers.contains("Bounds"), "{answers}");
}

#[test]
fn progress_is_told_while_a_grounder_runs() {
    let folder = Folder::new("progress");
    let program = folder.file("text", "a.");
    let text = PAIR.replace('\n', "\\n");
    let grounder = folder.file("grounder", &format!("#!/bin/sh\nsleep 1\nprintf '{text}'\n"));
    let (code, out, _) = run(&[&program, "--grounder", &grounder, "--json-lines", "--progress=0.05"], "");
    assert_eq!(code, 10, "{out}");
    let all = lines(&out);
    let progress = with_key(&all, "Progress");
    let grounding = serde_json::json!({"Phase": "grounding", "Bytes": 0});
    assert!(progress.iter().filter(|told| ***told == grounding).count() > 5, "{out}");
}
