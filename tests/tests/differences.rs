//! Programs with difference constraints, against the definition and, where clingo-dl is installed, against
//! clingo-dl.

use std::io::{Cursor, Write};
use std::process::{Command, Stdio};

use serde_json::Value;
use solver_host::device::DeviceKind;
use solver_host::input::ground::{read_inputs, Grounding, Guard, Inputs};
use solver_host::search::{
    Engine, GpuSearchers, OptStrategy, Options, ParallelMode, Restarts, SearcherThreads, Solver, Step, Usc,
    When,
};
use yasmin_tests::differences::compare::programs;
use yasmin_tests::differences::{generate, Constraint, Program};
use yasmin_tests::random::Random;

/// Options of a search of a seed.
fn options(seed: u64) -> Options {
    let mut random = Random::new(seed ^ 0x6f70_7469);
    let mut options = Options { device: DeviceKind::Cpu, seed, ..Options::default() };
    options.parallel_mode = ParallelMode::Searchers(1);
    match random.below(6) {
        0 => options.engine = Engine::Host,
        1 => options.device = DeviceKind::Simt,
        _ => {}
    }
    if random.chance(30) {
        options.opt_strategy = OptStrategy::Usc(Usc::default());
    }
    if random.chance(30) {
        options.restarts = Restarts::Luby(1);
        options.keep_learned = 1;
    }
    options
}

#[test]
fn answer_sets_with_differences_are_those_of_the_definition() {
    compare(400, options);
}

/// Options of a search of a seed in kernels: of one block, of a fleet, or of one that joins searchers of
/// the processor.
fn in_kernels(seed: u64, device: DeviceKind) -> Options {
    let mut random = Random::new(seed ^ 0x6b65_726e);
    let options = Options {
        device,
        engine: Engine::Resident,
        parallel_mode: ParallelMode::Searchers(1),
        gpu_searchers: GpuSearchers::Searchers([2, 3, 7][random.below(3)]),
        searcher_threads: SearcherThreads::Threads([32, 64][random.below(2)]),
        import_every: 1 + random.below(3) as u32,
        split_after: random.below(3) as u32,
        ..options(seed)
    };
    let (parallel_mode, now) = (ParallelMode::Searchers(2), When::Milliseconds(0));
    match random.below(4) {
        0 => Options { engine: Engine::Host, gpu_searchers: GpuSearchers::Auto, ..options },
        1 => Options {
            device: DeviceKind::Auto,
            join_device: device,
            parallel_mode,
            join_after: now,
            open_after: now,
            ..options
        },
        _ => options,
    }
}

#[test]
fn answer_sets_with_differences_are_those_of_the_definition_in_kernels() {
    compare(150, |seed| in_kernels(seed, DeviceKind::Simt));
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn answer_sets_with_differences_are_those_of_the_definition_on_a_gpu() {
    compare(400, |seed| in_kernels(seed, DeviceKind::Gpu(0)));
}

/// Compares what is found of `count` random programs with what the definition says.
fn compare(count: u64, options: impl Fn(u64) -> Options) {
    let first = yasmin_seeds::seeds(count).start;
    let tally = programs(first, count as usize, options, &mut |report| eprintln!("{report}"));
    assert!(tally.differences.is_empty(), "{} of {} differ", tally.differences.len(), tally.solves);
    // Most programs have an answer set, or several.
    assert!(tally.answer_sets > count as usize, "{tally:?}");
}

/// The Python that has clingo-dl: the one in `YASMIN_PYTHON`, else `python3`.
fn clingo_dl(program: &str, arguments: &[&str]) -> Option<Value> {
    let python = std::env::var("YASMIN_PYTHON").unwrap_or_else(|_| "python3".into());
    let mut command = Command::new(python);
    command.args(["-m", "clingodl", "--outf=2", "-"]).args(arguments);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
    child.stdin.take()?.write_all(program.as_bytes()).ok()?;
    serde_json::from_slice(&child.wait_with_output().ok()?.stdout).ok()
}

/// The program in clingo-dl's language.
fn to_lp(program: &Program) -> String {
    let variable = |at: Option<usize>| at.map_or("0", |at| ["x", "y", "z"][at]);
    let constraint = |c: &Constraint| {
        format!("&diff{{{}-{}}} {} {}", variable(c.from), variable(c.to), c.operator, c.number)
    };
    let first_body = program.plain + program.heads.len();
    let name = |atom: usize| match atom {
        plain if plain < program.plain => format!("p{plain}"),
        head if head < first_body => constraint(&program.heads[head - program.plain]),
        body => constraint(&program.bodies[body - first_body]),
    };
    let literal = |(atom, is): &(usize, bool)| format!("{}{}", if *is { "" } else { "not " }, name(*atom));
    let mut text: String = program.open.iter().map(|atom| format!("{{p{atom}}}.\n")).collect();
    for (head, body) in &program.rules {
        let body: Vec<_> = body.iter().map(literal).collect();
        let head = head.map_or(String::new(), name);
        let body = if body.is_empty() { String::new() } else { format!(" :- {}", body.join(", ")) };
        text += &format!("{head}{body}.\n");
    }
    text + "#defined p0/0. #defined p1/0. #defined p2/0. #defined p3/0. #defined p4/0.\n"
}

#[test]
fn answer_sets_with_differences_are_those_of_clingo_dl() {
    if clingo_dl("a.", &[]).is_none() {
        eprintln!("SKIPPED: `python3 -m clingodl` does not run; `pip install clingo-dl` installs it");
        return;
    }
    let (mut programs, mut alike) = (0, 0);
    for seed in yasmin_seeds::seeds(100) {
        let program = generate(seed);
        let text = to_lp(&program);
        let theirs = clingo_dl(&text, &["0"]).expect("it ran a moment ago");
        let grounding = Grounding { differences: true, ..Default::default() };
        let inputs = Inputs::of_stream(Cursor::new(text.clone().into_bytes()));
        let guard = Guard::default();
        let ground = read_inputs(inputs.expect("text"), &grounding, &guard);
        let mut ground = ground.expect("a grounder is there, as clingo-dl is");
        ground.read_differences().expect("differences");
        let mut solver = Solver::new(ground, options(seed)).expect("a processor");
        let mut ours = Vec::new();
        while let Step::Answer(answer) = solver.next_answer(&|| false).expect("a processor") {
            let mut names: Vec<String> =
                answer.shown(solver.program()).into_iter().map(String::from).collect();
            names.extend(answer.values(solver.program()));
            ours.push(names);
        }
        let witnesses = theirs["Call"][0]["Witnesses"].as_array().into_iter().flatten();
        let mut theirs: Vec<Vec<String>> = witnesses
            .map(|witness| {
                let names = witness["Value"].as_array().expect("a list").iter();
                names.filter_map(Value::as_str).map(String::from).collect()
            })
            .collect();
        for sets in [&mut ours, &mut theirs] {
            sets.iter_mut().for_each(|names| names.sort());
            sets.sort();
        }
        programs += 1;
        alike += usize::from(ours == theirs);
        for sets in [&mut ours, &mut theirs] {
            sets.iter_mut().for_each(|names| names.retain(|name| !name.starts_with("dl(")));
            sets.sort();
        }
        assert_eq!(ours, theirs, "seed {seed}\n{text}");
    }
    // Other values are the least as well if clingo-dl knows that an atom is false, and leaves its edges out.
    assert!(alike * 20 > programs * 19, "{alike} of {programs}");
}

/// A cycle is found again if its nogood was deleted, so its nogood may be deleted whenever it is found.
#[test]
fn nogoods_of_cycles_are_deleted() {
    // One place, seven tasks and six times.
    let text = "t(1..7). {b(I,J)} :- t(I), t(J), I<J. &diff{s(I)-s(J)} <= -1 :- b(I,J).
        &diff{s(J)-s(I)} <= -1 :- t(I), t(J), I<J, not b(I,J). &diff{0-s(I)} <= 0 :- t(I). &diff{s(I)-0} <= 5 :- t(I).";
    let grounding = Grounding { differences: true, ..Default::default() };
    let inputs = Inputs::of_stream(Cursor::new(text.as_bytes().to_vec())).expect("text");
    let Ok(mut ground) = read_inputs(inputs, &grounding, &Guard::default()) else {
        eprintln!("SKIPPED: no grounder is there");
        return;
    };
    ground.read_differences().expect("differences");
    let options = Options { device: DeviceKind::Cpu, keep_learned: 10, ..Options::default() };
    let options = Options { parallel_mode: ParallelMode::Searchers(1), ..options };
    let mut solver = Solver::new(ground, options).expect("a processor");
    assert_eq!(solver.next_answer(&|| false).expect("a processor"), Step::Exhausted);
    let counts = solver.statistics();
    assert!(counts.learned > 3_000 && counts.deleted * 5 > counts.learned * 4, "{counts:?}");
}

/// What bounds exclude is not decided on, wherever the bounds are counted from, by propagators and in
/// kernels.
#[test]
fn bounds_exclude_open_constraints() {
    use DeviceKind::{Cpu, Simt};
    for (origin, device) in [("0", Cpu), ("o", Cpu), ("0", Simt), ("o", Simt)] {
        // Twenty tasks, whose times do not overlap.
        let text = format!(
            "t(1..20). {{b(I,J)}} :- t(I), t(J), I<J. &diff{{s(I)-s(J)}} <= -1 :- b(I,J).
            &diff{{s(J)-s(I)}} <= -1 :- t(I), t(J), I<J, not b(I,J).
            &diff{{{origin}-s(I)}} <= -9*I :- t(I). &diff{{s(I)-{origin}}} <= 9*I+4 :- t(I)."
        );
        let grounding = Grounding { differences: true, ..Default::default() };
        let inputs = Inputs::of_stream(Cursor::new(text.into_bytes())).expect("text");
        let Ok(mut ground) = read_inputs(inputs, &grounding, &Guard::default()) else {
            eprintln!("SKIPPED: no grounder is there");
            return;
        };
        ground.read_differences().expect("differences");
        let options = Options { device, parallel_mode: ParallelMode::Searchers(1), ..Options::default() };
        let mut solver = Solver::new(ground, options).expect("a processor");
        assert!(matches!(solver.next_answer(&|| false).expect("a processor"), Step::Answer(_)));
        let counts = solver.statistics();
        assert_eq!((counts.decisions, counts.conflicts), (0, 0), "{origin} {device:?}");
    }
}
