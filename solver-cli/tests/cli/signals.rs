//! Signals: which end a run, what is told then, and which stay ignored. And limits that the system tells by
//! signals.
//!
//! [`any_signal_in_any_format_at_any_moment`] ends random runs, others each day; `YASMIN_TIMES` asks for more.

use super::*;
use nix::sys::signal::{signal, SigHandler};
use std::collections::BTreeSet;
use std::os::unix::process::{CommandExt, ExitStatusExt};

/// The signals that end a run.
pub const ALL: [Signal; 9] = [
    Signal::SIGINT,
    Signal::SIGTERM,
    Signal::SIGHUP,
    Signal::SIGQUIT,
    Signal::SIGUSR1,
    Signal::SIGUSR2,
    Signal::SIGALRM,
    Signal::SIGXCPU,
    Signal::SIGXFSZ,
];

/// How long a run may go on after a signal, on a machine that is busy.
const PATIENCE: Duration = Duration::from_secs(10);

/// Lets a command start with no signal ignored, also where the tests themselves run under `nohup` or behind
/// `&`.
pub fn obeys_all(command: &mut Command) {
    let obey = || {
        // SAFETY: the default action is no handler.
        ALL.iter().try_for_each(|&of| unsafe { signal(of, SigHandler::SigDfl) }.map(drop))?;
        Ok(())
    };
    // SAFETY: between fork and exec the closure makes system calls alone, which a signal handler may make.
    unsafe { command.pre_exec(obey) };
}

/// Waits until the process handles the signal, or has ended. Linux says so; elsewhere it is given some time.
fn await_handler(child: &mut Child, signal: Signal) {
    let status = format!("/proc/{}/status", child.id());
    let until = Instant::now() + PATIENCE;
    while Instant::now() < until && child.try_wait().expect("it was started").is_none() {
        let Ok(text) = fs::read_to_string(&status) else { return thread::sleep(Duration::from_millis(300)) };
        let caught = text.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
        if caught >> (signal as u32 - 1) & 1 == 1 {
            return;
        }
        thread::sleep(Duration::from_millis(1));
    }
}

/// Exit code, standard output and standard error of a run that has to end soon, and by itself.
fn ended(child: Child, what: &str) -> (i32, String, String) {
    ended_within(PATIENCE, child, what)
}

/// The same, for a run that ends by itself after a while.
fn ended_within(patience: Duration, mut child: Child, what: &str) -> (i32, String, String) {
    let (mut out, mut err) = (child.stdout.take().expect("is piped"), child.stderr.take().expect("is piped"));
    let read = |stream: &mut dyn Read| {
        let mut text = String::new();
        stream.read_to_string(&mut text).map(|_| text).expect("text")
    };
    let (out, err) = thread::scope(|scope| {
        let (out, err) = (scope.spawn(|| read(&mut out)), scope.spawn(|| read(&mut err)));
        let until = Instant::now() + patience;
        while child.try_wait().expect("it was started").is_none() {
            if Instant::now() > until {
                child.kill().expect("it runs");
                panic!("{what}: the run goes on");
            }
            thread::sleep(Duration::from_millis(2));
        }
        (out.join().expect("no panic"), err.join().expect("no panic"))
    });
    let status = child.wait().expect("it was started");
    (status.code().unwrap_or_else(|| panic!("{what}: killed by {:?}", status.signal())), out, err)
}

/// A shell that does something, and becomes the command then.
fn shell(before: &str, arguments: &[&str]) -> Child {
    let mut shell = Command::new("bash");
    shell.args([
        "-c",
        &format!("{before}; exec \"$@\""),
        "bash",
        env!("CARGO_BIN_EXE_yasmin"),
        "--device",
        "cpu",
    ]);
    shell.args(arguments).env_remove("YASMIN_OPTIONS").env("XDG_CONFIG_HOME", "/nonexistent");
    shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    obeys_all(&mut shell);
    shell.spawn().expect("bash is there")
}

#[test]
fn a_signal_that_was_ignored_at_the_start_stays_ignored() {
    let folder = Folder::new("ignored");
    let program = folder.file("pairs.aspif", &pairs(60));
    for signal in ALL {
        let mut child = shell(&format!("trap '' {}", signal.as_str()), &[&program, "0", "--json", "-q"]);
        let last = if signal == Signal::SIGINT { Signal::SIGTERM } else { Signal::SIGINT };
        await_handler(&mut child, last);
        kill(pid(&child), signal).expect("it runs");
        thread::sleep(Duration::from_millis(100));
        assert!(child.try_wait().expect("it was started").is_none(), "{signal} has ended the run");
        kill(pid(&child), last).expect("it runs");
        let (code, out, _) = ended(child, signal.as_str());
        assert_eq!((code, &json(&out)["INTERRUPTED"]), (11, &1.into()), "{signal}");
    }
}

#[test]
fn what_is_started_in_the_background_outlives_what_the_terminal_sends() {
    let folder = Folder::new("background");
    let program = folder.file("pairs.aspif", &pairs(60));
    let yasmin = env!("CARGO_BIN_EXE_yasmin");
    // A shell without job control ignores SIGINT and SIGQUIT for what it starts so.
    let script = format!(
        "YASMIN_OPTIONS= nohup {yasmin} --device cpu {program} 0 -q --time-limit=1 2>/dev/null & P=$!; sleep 0.3; \
         for s in INT QUIT HUP; do kill -$s $P; done; wait $P; echo \"code $?\""
    );
    let done = Command::new("sh").args(["-c", &script]).stdin(Stdio::null()).output().expect("sh is there");
    let out = String::from_utf8(done.stdout).expect("text");
    assert!(out.contains("TIME LIMIT   : 1\n") && out.ends_with("code 11\n"), "{out}");
}

#[test]
fn a_limit_of_processor_time_ends_the_run_with_what_is_known() {
    let folder = Folder::new("cpu-limit");
    let program = folder.file("pairs.aspif", &pairs(60));
    // A second of the processor may take long on a busy machine.
    let patience = 12 * PATIENCE;
    // Of two limits that are the same, the kernel only knows the one at which it kills.
    for limit in ["ulimit -St 1", "ulimit -t 2"] {
        let child = shell(limit, &[&program, "0", "--json", "-q", "-t2"]);
        let (code, out, _) = ended_within(patience, child, limit);
        let cut = json(&out);
        assert_eq!((code, &cut["INTERRUPTED"], &cut["Result"]), (11, &1.into(), &"SATISFIABLE".into()));
    }
}

#[test]
fn a_limit_of_file_sizes_is_a_full_disk() {
    let folder = Folder::new("file-limit");
    let (out, proof, trace) = (folder.path("out"), folder.path("proof"), folder.path("trace"));
    let program = folder.file("pairs.aspif", &pairs(60));
    let wrong = "File too large";
    // The limit is 8 KiB.
    let child = shell(&format!("ulimit -f 8; exec >{out}"), &[&program, "0"]);
    let (code, _, err) = ended(child, "standard output");
    assert_eq!(code, 75, "{err}");
    assert!(err.contains("cannot write to standard output") && err.contains(wrong), "{err}");
    for (what, file) in [("proof", &proof), ("trace", &trace)] {
        let arguments = [&program, "0", "-q", "--json", &format!("--{what}"), file];
        let (code, out, err) = ended(shell("ulimit -f 8", &arguments), what);
        assert!(code & 65 == 65 && err.contains(&format!("cannot write the {what}")), "{what}: {code} {err}");
        assert!(err.contains(wrong) && json(&out)["ErrorCode"] == "write", "{what}: {err}");
    }
    if ground::has_gringo() {
        let (kept, program) = (folder.path("kept.aspif"), folder.file("large.lp", "{p(1..10000)}."));
        let (code, out, err) =
            ended(shell("ulimit -f 8", &[&program, "--json", "--keep-ground", &kept]), "kept");
        assert!(code == 65 && err.contains(wrong) && json(&out)["ErrorCode"] == "write", "{code} {err}");
        assert!(!std::path::Path::new(&kept).exists(), "half of the program is left");
    }
}

/// Numbers that a seed gives (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ x >> 31) % bound as u64) as usize
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

/// Nodes of a graph that are chosen so that each node is chosen or has a neighbour that is. Each weighs something.
struct Domination {
    neighbours: Vec<BTreeSet<usize>>,
    weights: Vec<i64>,
}

impl Domination {
    fn new(random: &mut Random, nodes: usize) -> Domination {
        let mut neighbours: Vec<BTreeSet<usize>> = (0..nodes).map(|node| BTreeSet::from([node])).collect();
        for _ in 0..2 * nodes {
            let (one, other) = (random.below(nodes), random.below(nodes));
            neighbours[one].insert(other);
            neighbours[other].insert(one);
        }
        Domination { neighbours, weights: (0..nodes).map(|_| 1 + random.below(9) as i64).collect() }
    }

    /// The program in aspif.
    fn aspif(&self) -> String {
        let nodes = self.weights.len();
        let atoms: String = (1..=nodes).map(|atom| format!(" {atom}")).collect();
        let mut text = format!("asp 1 0 0\n1 1 {nodes}{atoms} 0 0\n");
        for of in &self.neighbours {
            let none: String = of.iter().map(|node| format!(" -{}", node + 1)).collect();
            writeln!(text, "1 0 0 0 {}{none}", of.len()).expect("a string takes everything");
        }
        let costs: String =
            (1..).zip(&self.weights).map(|(atom, weight)| format!(" {atom} {weight}")).collect();
        writeln!(text, "2 0 {nodes}{costs}").expect("a string takes everything");
        for node in 0..nodes {
            let name = format!("s({node})");
            writeln!(text, "4 {} {name} 1 {}", name.len(), node + 1).expect("a string takes everything");
        }
        text + "0\n"
    }

    /// Checks an answer set, and what it costs.
    fn check(&self, atoms: &[String], costs: Option<i64>) {
        let node = |atom: &String| {
            let number = atom.strip_prefix("s(").and_then(|atom| atom.strip_suffix(')'));
            number.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("an atom {atom}"))
        };
        let chosen: BTreeSet<usize> = atoms.iter().map(node).collect();
        assert_eq!(chosen.len(), atoms.len(), "an atom is there twice");
        assert!(self.neighbours.iter().all(|of| !of.is_disjoint(&chosen)), "no answer set: {chosen:?}");
        if let Some(costs) = costs {
            assert_eq!(costs, chosen.iter().map(|&node| self.weights[node]).sum::<i64>(), "{chosen:?}");
        }
    }
}

/// What was printed of a run that may have been cut.
#[derive(Default)]
struct Seen {
    /// Answer sets with costs, if these are there.
    answers: Vec<(Vec<String>, Option<i64>)>,
    /// The number of answer sets, if that is told.
    number: Option<u64>,
    /// Whether it is told that a signal came.
    is_interrupted: Option<bool>,
}

/// Reads what was printed in a format, which has to be whole.
fn seen(format: &str, out: &str) -> Seen {
    let of_witness = |witness: &Value| {
        let atoms = witness["Value"].as_array()?.iter();
        let atoms = atoms.map(|atom| atom.as_str().expect("an atom").to_string()).collect();
        Some((atoms, witness["Costs"][0].as_i64()))
    };
    let of_end = |end: &Value, answers| Seen {
        answers,
        number: end["Models"]["Number"].as_u64(),
        is_interrupted: Some(end["INTERRUPTED"] == 1),
    };
    match format {
        "--json" | "--json -q" | "--json -V0" => {
            let document = json(out);
            let witnesses = document["Call"][0]["Witnesses"].as_array().cloned().unwrap_or_default();
            let seen = of_end(&document, witnesses.iter().filter_map(of_witness).collect());
            assert!(format != "--json" || seen.number == Some(seen.answers.len() as u64), "{out}");
            seen
        }
        "--json-lines" => {
            assert!(out.ends_with('\n'), "{out}");
            let lines: Vec<Value> =
                out.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
            let (end, answers) = lines.split_last().expect("a line");
            assert!(end["Result"].is_string() && answers.iter().all(|line| line.get("Result").is_none()));
            let seen = of_end(end, answers.iter().filter_map(of_witness).collect());
            assert_eq!(seen.number, Some(seen.answers.len() as u64), "{out}");
            seen
        }
        "--outf=3" => {
            assert_eq!(out, "");
            Seen::default()
        }
        _ => of_text(format, out),
    }
}

/// The same for text, and for the text of competitions.
fn of_text(format: &str, out: &str) -> Seen {
    assert!(out.ends_with('\n'), "{out}");
    let lines: Vec<&str> = out.lines().collect();
    let mut seen = Seen::default();
    let mut is_answer = false;
    for line in &lines {
        let words = line.trim_start_matches("% ");
        match words.split_once(':').map(|(name, value)| (name.trim(), value.trim())) {
            _ if std::mem::take(&mut is_answer) => {
                let atoms = line.split_whitespace().map(|atom| atom.trim_end_matches('.').to_string());
                seen.answers.push((atoms.collect(), None));
            }
            // Nothing says there what is an answer set.
            _ if format == "--outf=0 -V0" && line.starts_with("s(") => {
                seen.answers.push((line.split(' ').map(str::to_string).collect(), None));
            }
            Some(("Answer", _)) if format != "--outf=1" => is_answer = true,
            Some(("INTERRUPTED", _)) => seen.is_interrupted = Some(true),
            Some(("Models", number)) => {
                seen.number = Some(number.trim_end_matches('+').parse().expect("a number"));
                seen.is_interrupted.get_or_insert(false);
            }
            Some(("Optimization", costs)) if line.starts_with("Optimization:") => {
                seen.answers.last_mut().expect("an answer set").1 = costs.parse().ok();
            }
            _ if *line == "ANSWER" => is_answer = true,
            _ => {
                if let (Some(costs), Some(answer)) = (line.strip_prefix("COST "), seen.answers.last_mut()) {
                    answer.1 = costs.parse().ok();
                }
            }
        }
    }
    let verdicts = ["SATISFIABLE", "UNKNOWN", "OPTIMUM FOUND", "OPTIMUM"];
    let has_verdict = lines.iter().any(|line| verdicts.contains(line));
    // In competitions an answer set is the verdict.
    assert!(has_verdict || format == "--outf=1" && !seen.answers.is_empty(), "{format}: {out}");
    match format {
        "--outf=0" => assert_eq!(seen.number, Some(seen.answers.len() as u64), "{out}"),
        // The last one alone.
        "--outf=1" => {
            assert_eq!(seen.number.map(|number| number.min(1)), Some(seen.answers.len() as u64), "{out}")
        }
        _ => {}
    }
    seen
}

/// What a run is about when the signal comes.
const MOMENTS: [&str; 9] =
    ["read", "ground", "keep", "prepare", "optimize", "enumerate", "brave", "proof", "trace"];

/// The formats: all kinds of documents, and what is left out of them.
const FORMATS: [&str; 8] =
    ["--json", "--json-lines", "--outf=0", "--outf=1", "--outf=3", "--outf=0 -V0", "--json -q", "--json -V0"];

/// One run, and what ends it.
struct Killed {
    moment: &'static str,
    format: &'static str,
    signal: Signal,
    /// Milliseconds until the signal.
    after: u64,
    /// Another signal, after so many further milliseconds.
    second: Option<(Signal, u64)>,
    threads: usize,
}

impl Killed {
    fn new(random: &mut Random) -> Killed {
        Killed {
            moment: random.of(&MOMENTS),
            format: random.of(&FORMATS),
            signal: random.of(&ALL),
            after: random.below(400) as u64,
            second: (random.below(3) == 0).then(|| (random.of(&ALL), random.below(30) as u64)),
            threads: random.of(&[1, 1, 2, 4]),
        }
    }

    fn told(&self) -> String {
        let Killed { moment, format, signal, after, second, threads } = self;
        format!("{moment} {format} -t{threads}: {signal} after {after} ms, {second:?}")
    }

    /// Runs it and judges what was printed.
    fn run(&self, random: &mut Random) {
        let what = self.told();
        let folder = Folder::new(&format!("killed-{}", random.below(1 << 40)));
        let nodes = match self.moment {
            "prepare" => 20_000,
            "brave" => 5_000,
            _ => 150,
        };
        let problem = Domination::new(random, nodes);
        let (program, file) = (folder.file("domination.aspif", &problem.aspif()), folder.path("written"));
        let threads = format!("-t{}", self.threads);
        let mut arguments: Vec<&str> = self.format.split(' ').chain([threads.as_str()]).collect();
        let large = folder.file("large.lp", "p(1..4000). {q(X,Y) : p(X), p(Y)}.");
        match self.moment {
            "read" => {}
            "ground" => arguments.push(&large),
            "keep" => arguments.extend([&large, "--keep-ground", &file]),
            "enumerate" => arguments.extend([&program, "0", "--opt-mode=ignore"]),
            "brave" => arguments.extend([&program, "--brave", "--opt-mode=ignore"]),
            "proof" => arguments.extend([&program, "--proof", &file]),
            "trace" => arguments.extend([&program, "--trace", &file, "--trace-limit=0"]),
            _ => arguments.push(&program),
        }
        let mut child = command(&arguments).spawn().expect("the binary is there");
        let mut stdin = child.stdin.take().expect("is piped");
        if self.moment == "read" {
            // Nobody writes the other half, or closes standard input before the end.
            let half = problem.aspif();
            stdin.write_all(&half.as_bytes()[..half.len() / 2]).expect("it reads");
        }
        let reads_out = collect(child.stdout.take().expect("is piped"));
        await_handler(&mut child, self.signal);
        thread::sleep(Duration::from_millis(self.after));
        // A run may be over by itself.
        let _ = kill(pid(&child), self.signal);
        if let Some((second, after)) = self.second {
            thread::sleep(Duration::from_millis(after));
            let _ = kill(pid(&child), second);
        }
        let began = Instant::now();
        while child.try_wait().expect("it was started").is_none() {
            if began.elapsed() > PATIENCE {
                child.kill().expect("it runs");
                panic!("{what}: the run goes on");
            }
            thread::sleep(Duration::from_millis(2));
        }
        drop(stdin);
        let out = reads_out.join().expect("no panic");
        let mut err = String::new();
        child.stderr.take().expect("is piped").read_to_string(&mut err).expect("text");
        let status = child.wait().expect("it was started");
        let code = status.code().unwrap_or_else(|| panic!("{what}: killed by {:?}", status.signal()));
        assert!([1, 11, 30].contains(&code), "{what}: {code} {err}");
        assert_eq!(err, "", "{what}");
        let seen = std::panic::catch_unwind(|| seen(self.format, &out)).unwrap_or_else(|_| panic!("{what}"));
        if let Some(is_interrupted) = seen.is_interrupted {
            assert_eq!(is_interrupted, code & 1 == 1, "{what}: {code}\n{out}");
        }
        if let Some(number) = seen.number {
            assert_eq!(number > 0, code >= 10, "{what}: {code}\n{out}");
        }
        let has_grounder = ["ground", "keep"].contains(&self.moment);
        if !has_grounder {
            seen.answers.iter().for_each(|(atoms, costs)| problem.check(atoms, *costs));
        }
        let costs: Vec<i64> = seen.answers.iter().filter_map(|(_, costs)| *costs).collect();
        let gets_better = !["enumerate", "brave"].contains(&self.moment);
        assert!(!gets_better || costs.is_sorted_by(|a, b| a > b), "{what}: {costs:?}");
        // A second signal does not let the files come to their end.
        if let Some(text) = fs::read_to_string(&file).ok().filter(|_| code & 1 == 1) {
            let last = text.lines().last().unwrap_or_default();
            let is_ended = if self.moment == "proof" { last == "e 0" } else { last.contains("\"end\"") };
            if self.moment == "keep" {
                assert!(text.ends_with("\n0\n"), "{what}: half of the ground program");
                return;
            }
            let was_searched = seen.number.is_some_and(|number| number > 0);
            assert!(is_ended || self.second.is_some() || !was_searched, "{what}: {last}");
            let is_whole = text.is_empty() || text.ends_with('\n');
            assert!(is_whole || self.second.is_some(), "{what}: {last}");
        }
    }
}

/// Reads a stream to its end.
fn collect(mut from: impl Read + Send + 'static) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut text = String::new();
        from.read_to_string(&mut text).expect("text");
        text
    })
}

#[test]
fn any_signal_in_any_format_at_any_moment() {
    let has_gringo = ground::has_gringo();
    let mut wrong = Vec::new();
    for seed in yasmin_seeds::seeds(24) {
        let mut random = Random(seed);
        let killed = Killed::new(&mut random);
        if has_gringo || !["ground", "keep"].contains(&killed.moment) {
            let ran = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| killed.run(&mut random)));
            wrong.extend(ran.is_err().then(|| format!("seed {seed}: {}", killed.told())));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
