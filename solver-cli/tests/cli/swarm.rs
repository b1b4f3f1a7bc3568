//! Several searchers: what is printed of them, what is counted without being told, limits and signals, and which
//! options contradict others.

use super::*;

/// Options with which four searchers search from the beginning.
const FOUR: [&str; 3] = ["-t4", "--join-after=0", "-q"];

/// A run by four searchers of a program with 2^`n` answer sets.
fn by_four(arguments: &[&str], n: usize) -> (i32, String, String) {
    run(&[&FOUR, arguments].concat(), pairs(n))
}

/// A program without answer sets that takes long: `n` pigeons do not fit into one hole fewer.
pub fn pigeons(n: usize) -> String {
    let hole = |pigeon: usize, hole: usize| pigeon * (n - 1) + hole + 1;
    let mut text = String::from("asp 1 0 0\n");
    for pigeon in 0..n {
        let all: Vec<String> = (0..n - 1).map(|at| hole(pigeon, at).to_string()).collect();
        let none: Vec<String> = all.iter().map(|atom| format!("-{atom}")).collect();
        writeln!(text, "1 1 {len} {} 0 0\n1 0 0 0 {len} {}", all.join(" "), none.join(" "), len = n - 1)
            .expect("a string takes everything");
    }
    for at in 0..n - 1 {
        for (one, other) in (0..n).flat_map(|one| (0..one).map(move |other| (one, other))) {
            writeln!(text, "1 0 0 0 2 {} {}", hole(one, at), hole(other, at)).expect("as above");
        }
    }
    text + "0\n"
}

#[test]
fn searchers_are_told_as_clasps_threads_are() {
    let (code, out, err) = by_four(&["0", "--stats=2", "--json"], 8);
    assert_eq!((code, err.as_str()), (30, ""));
    let all = json(&out);
    assert_eq!((&all["Threads"], &all["Models"]["Number"]), (&4.into(), &256.into()));
    assert!(all["Winner"].as_u64().is_some_and(|winner| winner < 4), "{}", all["Winner"]);
    let keys: Vec<&String> = all.as_object().expect("an object").keys().collect();
    assert_eq!(keys[6..], ["Time", "Threads", "Winner", "Stats"]);
    let threads = all["Stats"]["Thread"].as_array().expect("a list");
    assert_eq!(threads.len(), 4);
    for key in ["/Core/Choices", "/Core/Conflicts", "/Core/Restarts", "/More/Models", "/More/Splits"] {
        let of =
            |stats: &Value| stats.pointer(key).and_then(Value::as_u64).unwrap_or_else(|| panic!("{key}"));
        assert_eq!(threads.iter().map(of).sum::<u64>(), of(&all["Stats"]), "{key}");
    }
    assert_eq!(all["Stats"]["More"]["Models"], 256);
    let swarm = &all["Stats"]["Yasmin"]["swarm"];
    let number = |name: &str| swarm[name].as_f64().unwrap_or_else(|| panic!("{name} in {swarm}"));
    assert_eq!((&swarm["searchers"], &swarm["classes"][0]["searchers"]), (&4.into(), &4.into()));
    assert_eq!(swarm["classes"][0]["answer_sets"], 256);
    // Nothing is left: each cube that was given was taken, and each was searched to its end.
    assert_eq!(number("cubes_given"), number("cubes_taken"));
    assert_eq!(number("cubes_refuted") + number("cubes_returned"), number("cubes_taken") + 1.0);
    assert!(number("cubes_given") > 0.0 && number("idle_share") <= 1.0 && number("searcher_seconds") > 0.0);

    let text = by_four(&["0", "--stats=2"], 8).1;
    assert!(text.contains("\nThreads      : 4        (Winner: "), "{text}");
    for line in ["============ Thread Stats ============", "[Thread 0]", "[Thread 3]", "Cpu          : 4"] {
        assert!(text.contains(&format!("\n{line}")), "{line} in {text}");
    }
    let basic = by_four(&["0", "--stats", "--json"], 8).1;
    assert!(json(&basic)["Stats"].get("Thread").is_none());
}

#[test]
fn of_a_single_search_no_searchers_are_told() {
    for searchers in ["-t1", "-t4"] {
        // The search is over before others join in.
        let (_, out, _) = run(&[searchers, "--join-after=100000", "--stats=2", "--json", "0"], pairs(4));
        let all = json(&out);
        assert!(all.get("Threads").is_none() && all.get("Winner").is_none(), "{out}");
        assert!(
            all["Stats"].get("Thread").is_none() && all["Stats"]["Yasmin"].get("swarm").is_none(),
            "{out}"
        );
        let text = run(&[searchers, "--join-after=100000", "--stats=2", "0"], pairs(4)).1;
        assert!(!text.contains("Threads  ") && !text.contains("Cubes"), "{text}");
    }
}

#[test]
fn answer_sets_that_are_only_counted_are_all_counted() {
    const ONE: [&str; 3] = ["-t1", "--device=cpu", "-q"];
    for (arguments, line) in [
        (&["0"][..], "\nModels       : 512\n"),
        (&["0", "-V2"], "\nModels       : 512\n"),
        (&["0", "--outf=1"], "\n% Models         : 512\n"),
        (&["0", "--stats"], "\nAnswer sets  : 512\n"),
        (&["0", "--json"], "\"Number\": 512"),
        (&["0", "--json-lines"], "\"Number\":512"),
        (&["0", "--quiet=1"], "\nAnswer: 512\n"),
        (&["0", "--quiet=2"], "\nModels       : 512\n"),
        (&["0", "--check=all"], "\nModels       : 512\n"),
    ] {
        // A level of its own stands for -q.
        let quiet = if arguments.iter().any(|word| word.starts_with("--quiet")) { 2 } else { 3 };
        for searchers in [&FOUR, &ONE] {
            let (code, out, err) = run(&[&searchers[..quiet], arguments].concat(), pairs(9));
            assert!(code == 30 && out.contains(line), "{searchers:?} {arguments:?}: {code} {out}{err}");
        }
    }
    // Three variables are free.
    let (code, out, err) = run(&[&FOUR[..], &["0"]].concat(), "p cnf 4 1\n4 0\n");
    assert!(code == 30 && out.contains("\nc Models         : 8\n"), "{code} {out}{err}");
}

#[test]
fn a_number_of_answer_sets_is_kept_to() {
    for (number, line) in [("1", "\nModels       : 1+\n"), ("7", "\nModels       : 7+\n")] {
        let (code, out, err) = by_four(&[number, "--stats"], 20);
        assert!(code == 10 && out.contains(line), "{code} {out}{err}");
        assert!(out.contains("\nThreads      : 4        (Winner: "), "{out}");
    }
}

#[test]
fn the_time_limit_ends_all_searchers_and_their_statistics_are_told() {
    for (program, counts) in [(pairs(60), true), (pigeons(13), false)] {
        let began = Instant::now();
        let arguments = [&FOUR[..], &["0", "--time-limit=1", "--stats=2", "--json"]].concat();
        let (code, out, _) = run(&arguments, program);
        assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
        let cut = json(&out);
        assert_eq!((code, &cut["TIME LIMIT"]), (if counts { 11 } else { 1 }, &1.into()), "{out}");
        assert_eq!((&cut["Threads"], cut.get("Winner")), (&4.into(), None));
        let models = cut["Models"]["Number"].as_u64().expect("a number");
        assert_eq!((models > 0, &cut["Stats"]["More"]["Models"]), (counts, &models.into()));
        let threads = cut["Stats"]["Thread"].as_array().expect("a list");
        let learned = |of: &Value| of["More"]["Lemma"]["Sum"].as_u64().expect("a number");
        assert_eq!(threads.iter().map(learned).sum::<u64>(), learned(&cut["Stats"]));
        // They had said nothing when the limit came.
        assert!(counts || threads.iter().all(|of| learned(of) > 0), "{out}");
    }
}

#[test]
fn a_signal_ends_all_searchers() {
    let mut child = start(&[&FOUR[..], &["0", "--json"]].concat(), pairs(60).as_bytes());
    thread::sleep(Duration::from_millis(500));
    kill(pid(&child), Signal::SIGINT).expect("it runs");
    let began = Instant::now();
    let mut out = String::new();
    child.stdout.take().expect("is piped").read_to_string(&mut out).expect("text");
    let code = child.wait().expect("it was started").code();
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    let cut = json(&out);
    assert_eq!((code, &cut["INTERRUPTED"], &cut["Result"]), (Some(11), &1.into(), &"SATISFIABLE".into()));
    assert_eq!(cut["Threads"], 4);
    assert!(cut["Time"]["Model"].as_f64().is_some_and(|first| first < 0.4), "{}", cut["Time"]);
}

#[test]
fn searchers_that_cannot_be_are_errors() {
    for (arguments, word) in [
        (&["-t4", "--engine=host"][..], "--engine host"),
        (&["--gpu-searchers=4"], "--device cpu"),
        (&["--gpu-searchers=4", "--device=simt", "--engine=host"], "--engine host"),
        (&["--device=gpu:all", "--engine=host"], "--engine host"),
    ] {
        let (code, out, err) = run(arguments, PAIR);
        assert_eq!((code, out.as_str()), (65, ""), "{arguments:?}");
        assert!(err.contains("is not possible with") && err.contains(word), "{arguments:?}: {err}");
    }
    for arguments in [&["-t1", "--engine=host"][..], &["-tauto", "--engine=host"], &["--gpu-searchers=auto"]]
    {
        let (code, _, err) = run(arguments, PAIR);
        assert_eq!((code, err.as_str()), (10, ""), "{arguments:?}");
    }
}

/// `a | b. a :- b. b :- a.`
const CYCLIC: &str = "asp 1 0 0\n1 0 2 1 2 0 0\n1 0 1 1 0 1 2\n1 0 1 2 0 1 1\n0\n";

#[test]
fn a_program_with_head_cycles_has_several_searchers_on_a_gpu() {
    let device = ["--device=simt", "--gpu-searchers=4", "--threads-per-block=32", "--stats=2", "--json", "0"];
    let (code, out, err) = run(&device, CYCLIC);
    let all = json(&out);
    assert_eq!((code, err.as_str()), (30, ""));
    assert_eq!((&all["Threads"], &all["Models"]["Number"]), (&4.into(), &1.into()), "{out}");
}

/// No fleet proves the loop nogoods of head cycles.
#[test]
fn a_proved_program_with_head_cycles_has_one_searcher_on_a_gpu() {
    let folder = Folder::new("proof-cyclic");
    let proof = format!("--proof={}", folder.path("proof"));
    let (code, out, err) =
        run(&["--device=simt", "--gpu-searchers=4", "--threads-per-block=32", &proof, "0"], CYCLIC);
    assert!(code == 30 && out.contains("\nModels       : 1\n"), "{code} {out}");
    assert!(err.starts_with("yasmin: warning: 4 searchers on a GPU: the program has head cycles"), "{err}");
}

#[test]
fn a_launch_of_searchers_is_one_class() {
    let device = ["--device=simt", "--gpu-searchers=3", "--threads-per-block=32", "-q", "0"];
    let (code, out, err) = run(&[&device[..], &["--stats=2", "--json"]].concat(), pairs(5));
    assert_eq!((code, err.as_str()), (30, ""));
    let all = json(&out);
    assert_eq!((&all["Threads"], &all["Models"]["Number"]), (&3.into(), &32.into()));
    assert!(all["Winner"].as_u64().is_some_and(|winner| winner < 3), "{out}");
    assert!(all["Stats"].get("Thread").is_none(), "none of them is told apart");
    let classes = all["Stats"]["Yasmin"]["swarm"]["classes"].as_array().expect("a list");
    assert_eq!((classes.len(), &classes[0]["searchers"]), (1, &3.into()));
    assert_eq!(classes[0]["answer_sets"], 32);
}

#[test]
fn searchers_that_join_are_a_class_of_their_own() {
    let both = ["--device=auto", "--join-device=simt", "--searcher-threads=32", "--gpu-searchers=3"];
    let asked = ["-t2", "--join-after=0", "-q", "0", "--stats=2", "--json"];
    let (code, out, err) = run(&[&both[..], &asked].concat(), pairs(7));
    assert_eq!((code, err.as_str()), (30, ""));
    let all = json(&out);
    assert_eq!((&all["Threads"], &all["Models"]["Number"]), (&5.into(), &128.into()));
    let classes = all["Stats"]["Yasmin"]["swarm"]["classes"].as_array().expect("a list");
    let number = |class: &Value, key: &str| class[key].as_u64().unwrap_or_else(|| panic!("{key} in {class}"));
    assert_eq!(classes.iter().map(|class| number(class, "searchers")).collect::<Vec<_>>(), [2, 3]);
    assert_eq!(classes.iter().map(|class| number(class, "answer_sets")).sum::<u64>(), 128);
}

#[test]
fn searchers_of_a_portfolio_find_what_one_does() {
    for many in ["--configuration=many", "--portfolio=many"] {
        let fourteen = ["-t14", "--join-after=0", "--split-after=1", many, "-q", "0"];
        let (code, out, err) = run(&fourteen, pairs(9));
        assert!(code == 30 && out.contains("\nModels       : 512\n"), "{many}: {code} {out}{err}");
        let (code, out, err) = run(&fourteen, pigeons(7));
        assert!(code == 20 && err.is_empty(), "{many}: {code} {out}{err}");
    }
}
