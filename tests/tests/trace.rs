//! Traces of random programs, replayed and checked against the definitions (see `yasmin_tests::replay`).

use std::cell::Cell;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{json, Value};
use solver_host::device::DeviceKind;
use solver_host::input;
use solver_host::search::{
    Decide, Descent, Engine, Goal, LoopCheck, OptStrategy, Optimization, Options, ParallelMode, Reasoning,
    Solver, Step, When,
};
use yasmin_tests::claims::part::Part;
use yasmin_tests::claims::Kind;
use yasmin_tests::conform::combination;
use yasmin_tests::machine::racers_of;
use yasmin_tests::random::{generate, Knobs};
use yasmin_tests::replay::{check, Seen};
use yasmin_tests::rich::{self, Meaning};
use yasmin_tests::traces::cases;
use yasmin_tests::{oracle, Spec};

/// A file in memory.
#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Vec<u8>>>);

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Memory {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().expect("no panic").clone()).expect("it is text")
    }
}

/// The trace of a search for all answer sets, or for what the goal asks, and the answer sets as they are
/// printed.
fn traced(text: &str, goal: &Goal, options: Options) -> (String, Vec<Vec<String>>) {
    let program = input::read("text", text.as_bytes()).expect("a program");
    let mut solver = Solver::with_goal(program, options, goal.clone()).expect("a device");
    let memory = Memory::default();
    solver.trace(Box::new(memory.clone()), 0).expect("a vector takes everything");
    let mut printed = Vec::new();
    while let Step::Answer(answer) = solver.next_answer(&|| false).expect("a working device") {
        printed.push(answer.shown(solver.program()).into_iter().map(str::to_string).collect());
    }
    solver.end_trace().expect("a vector takes everything");
    (memory.text(), printed)
}

/// Options of a seed on a device, for one searcher.
fn options(seed: usize, device: DeviceKind) -> Options {
    let engine = [Engine::Resident, Engine::Host][seed % 2];
    // Neither adds to the program when it is traced.
    let opt_strategy = [OptStrategy::Auto, OptStrategy::Bb(Descent::Lin)][seed / 2 % 2];
    // Neighbouring combinations are alike.
    let others = combination(seed * 40_009, device);
    Options { engine, opt_strategy, parallel_mode: ParallelMode::Searchers(1), ..others }
}

fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort_unstable();
    names
}

/// Replays the trace of one search. `answer_sets` are those of the definition.
fn replay(
    told: &str,
    text: &str,
    goal: &Goal,
    options: Options,
    answer_sets: Option<&[Vec<String>]>,
) -> Seen {
    let (trace, mut printed) = traced(text, goal, options);
    let mut shown = Vec::new();
    let seen = check(&trace, answer_sets, &mut |names| shown.push(names))
        .unwrap_or_else(|wrong| panic!("{told}, {options:?}: {wrong}\n{text}\n{trace}"));
    let is_ordered = options.parallel_mode == ParallelMode::Searchers(1);
    if !is_ordered {
        // An answer set is told by its searcher, and then by the solver.
        shown.sort();
        printed.sort();
    }
    // Of searchers for an optimum, several may find answer sets that are no better.
    if goal.reasoning == Reasoning::Enumerate && (is_ordered || answer_sets.is_some()) {
        assert_eq!(
            shown, printed,
            "{told}, {options:?}: the answer sets of the trace and those that are printed"
        );
    }
    seen
}

/// When others join the first searcher, by a seed: half of them at the beginning.
fn join_of(seed: usize) -> When {
    let step = (seed / 16 % 4) as u32;
    match seed / 2 % 8 {
        0..=3 => When::Milliseconds(0),
        4 => When::Answer(step),
        5 => When::Phase(step % 3),
        _ => When::Conflict(step),
    }
}

/// Options of a seed for several searchers, which meet as often as they can.
fn options_of_several(seed: usize) -> Options {
    Options {
        engine: Engine::Resident,
        parallel_mode: ParallelMode::Searchers(2 + seed % 3),
        join_after: join_of(seed),
        import_every: 1 + seed as u32 % 3,
        split_after: seed as u32 / 3 % 3,
        racers: racers_of(seed as u64 / 9),
        near_best: seed as u32 / 5 % 4,
        cube_lookahead: seed as u32 / 54 % 3 * 3,
        split_from: seed as u32 / 27 % 2 * 10,
        share_lbd: 32,
        ..options(seed, DeviceKind::Cpu)
    }
}

/// Random programs without sums, by the oracle.
fn plain_programs(options: &dyn Fn(usize) -> Options, count: u64) -> Seen {
    let mut total = Seen::default();
    for seed in yasmin_seeds::seeds(count) {
        let spec = generate(&Knobs::varied(seed), seed);
        let names = |set: u32| (0..spec.atoms).filter(|a| set >> a & 1 == 1).map(Spec::name).collect();
        let all: Vec<Vec<String>> =
            oracle::answer_sets(&spec).into_iter().map(|set| sorted(names(set))).collect();
        let told = format!("seed {seed}\n{}", spec.to_lp());
        total.add(&replay(&told, &spec.to_aspif(), &Goal::default(), options(seed as usize), Some(&all)));
    }
    total
}

/// Random programs with everything: all answer sets, then optima, brave and cautious consequences.
fn rich_programs(options: &dyn Fn(usize) -> Options, count: u64) -> Seen {
    let mut total = Seen::default();
    for seed in yasmin_seeds::seeds(count) {
        let (program, seed) = (rich::generate(seed), seed as usize);
        let meaning = Meaning::of(&program);
        let printed = |&set: &u32| sorted(rich::printed(&program, set));
        let all: Vec<Vec<String>> = meaning.answer_sets.iter().map(printed).collect();
        let plain = Goal { optimization: Optimization::Ignore, ..Goal::default() };
        let (text, told) = (program.to_aspif(), format!("rich seed {seed}"));
        total.add(&replay(&told, &text, &plain, options(seed), Some(&all)));
        let goals = [
            Goal { optimization: Optimization::OptN, ..Goal::default() },
            Goal { reasoning: Reasoning::Brave, ..Goal::default() },
            Goal { reasoning: Reasoning::Cautious, ..plain },
        ];
        for (i, goal) in goals.iter().enumerate() {
            total.add(&replay(&told, &text, goal, options(seed + i + 1), None));
        }
    }
    total
}

/// `pigeons` that do not fit into as many holes less one: no answer set, and enough conflicts for restarts
/// and deletions.
fn pigeons(device: DeviceKind, pigeons: usize) -> Seen {
    let text = pigeons_text(pigeons);
    let mut total = Seen::default();
    for engine in [Engine::Resident, Engine::Host] {
        let restarts = "luby,2".parse().expect("a sequence");
        let options = Options { engine, device, restarts, keep_learned: 1, ..Options::default() };
        total.add(&replay("pigeons", &text, &Goal::default(), options, Some(&[])));
    }
    total
}

/// The program of [`pigeons`].
fn pigeons_text(pigeons: usize) -> String {
    let holes = pigeons - 1;
    let atom = |pigeon: usize, hole: usize| (pigeon * holes + hole + 1) as i64;
    let mut text = String::from("asp 1 0 0\n");
    let mut constraint = |body: &[i64]| {
        let body: Vec<String> = body.iter().map(i64::to_string).collect();
        text += &format!("1 0 0 0 {} {}\n", body.len(), body.join(" "));
    };
    for p in 0..pigeons {
        constraint(&(0..holes).map(|h| -atom(p, h)).collect::<Vec<i64>>());
        (0..p).for_each(|q| (0..holes).for_each(|h| constraint(&[atom(p, h), atom(q, h)])));
    }
    for a in 1..=pigeons * holes {
        text += &format!("1 1 1 {a} 0 0\n4 {} x{a} 1 {a}\n", 1 + a.to_string().len());
    }
    text + "0\n"
}

/// Two atoms that support each other, beside a choice: once the choice is decided, no rule is applicable, and
/// completion makes both false.
fn loops_left_open(device: DeviceKind) -> Seen {
    let text = "asp 1 0 0\n1 1 1 1 0 0\n1 0 1 2 0 1 3\n1 0 1 3 0 1 2\n\
                4 2 x1 1 1\n4 2 x2 1 2\n4 2 x3 1 3\n0\n";
    let all = [vec![], vec!["x1".to_string()]];
    let mut total = Seen::default();
    for engine in [Engine::Resident, Engine::Host] {
        // The program's simplification, or an earlier check for loops, would make the two atoms false before.
        let options = Options { engine, device, simplify: false, ..Options::default() };
        let options = Options { decide: Decide::Applicable, loop_check: LoopCheck::Total, ..options };
        total.add(&replay("loops left open", text, &Goal::default(), options, Some(&all)));
    }
    total
}

fn met_everything(plain: Seen, rich: Seen, pigeons: Seen, open: Seen) {
    println!("plain: {plain:?}\nrich: {rich:?}\npigeons: {pigeons:?}\nloops left open: {open:?}");
    for (what, times) in [
        ("conflicts", plain.conflicts),
        ("resolution", plain.resolved),
        ("forward learning", plain.forward),
        ("loop nogoods", plain.loops),
        ("flips", plain.flips),
        ("completions", open.completions),
        ("restarts", pigeons.restarts),
        ("deletions", pigeons.deleted),
        ("answer sets", plain.answers),
        ("names of bodies", plain.bodies),
        ("sums", rich.by_sums),
        ("goals", rich.goals),
    ] {
        assert!(times > 0, "no trace has {what}");
    }
}

#[test]
fn replays_on_cpu() {
    let device = DeviceKind::Cpu;
    let of = |seed| options(seed, device);
    let (plain, rich) = (plain_programs(&of, 400), rich_programs(&of, 120));
    met_everything(plain, rich, pigeons(device, 7), loops_left_open(device));
}

#[test]
fn replays_on_simt() {
    let device = DeviceKind::Simt;
    let of = |seed| options(seed, device);
    let (plain, rich) = (plain_programs(&of, 120), rich_programs(&of, 40));
    met_everything(plain, rich, pigeons(device, 6), loops_left_open(device));
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn replays_on_gpu() {
    let device = DeviceKind::Gpu(0);
    let of = |seed| options(seed, device);
    let (plain, rich) = (plain_programs(&of, 100), rich_programs(&of, 40));
    met_everything(plain, rich, pigeons(device, 7), loops_left_open(device));
}

/// Whether the lower bounds of a trace are right: no answer set costs less, and none is below the one before.
fn are_bounds(trace: &str, optimum: Option<&[i64]>) -> bool {
    let lines = lines_of(trace).into_iter();
    let bounds = lines.filter(|line| line["event"] == "bound").map(|line| costs_of(&line));
    let bounds: Vec<Vec<i64>> = bounds.collect();
    bounds.is_sorted() && optimum.zip(bounds.last()).is_none_or(|(optimum, last)| last[..] <= *optimum)
}

/// Random programs, whose optima are looked for by cores and guesses.
fn by_cores(options: &dyn Fn(usize) -> Options, count: u64) -> Seen {
    let mut total = Seen::default();
    let strategies =
        ["usc", "usc,oll,stratify", "usc,oll,disjoint", "bb,hier", "bb,inc", "bb,dec", "usc,oll"];
    for seed in yasmin_seeds::seeds(count) {
        let (program, seed) = (rich::generate(seed), seed as usize);
        let optimum = Meaning::of(&program).optimum().cloned();
        let opt_strategy = strategies[seed % strategies.len()].parse().expect("a strategy");
        let options = Options { opt_strategy, ..options(seed) };
        let told = format!("rich seed {seed}, {opt_strategy}");
        for optimization in [Optimization::Opt, Optimization::OptN] {
            let (goal, text) = (Goal { optimization, ..Goal::default() }, program.to_aspif());
            total.add(&replay(&told, &text, &goal, options, None));
            let trace = traced(&text, &goal, options).0;
            assert!(are_bounds(&trace, optimum.as_deref()), "{told}: {optimum:?}\n{trace}");
            let lines = lines_of(&trace);
            let costs = lines.iter().filter(|line| line["event"] == "answer").map(costs_of);
            assert_eq!(costs.min(), optimum, "{told}: {trace}");
        }
    }
    total
}

/// The costs that a line tells; none if there are none.
fn costs_of(line: &Value) -> Vec<i64> {
    let costs = line["costs"].as_array().into_iter().flatten();
    costs.map(|cost| cost.as_i64().expect("a number")).collect()
}

#[test]
fn replays_of_searches_by_cores() {
    let one = by_cores(&|seed| options(seed, DeviceKind::Cpu), 300);
    let several = by_cores(&options_of_several, 300);
    println!("one: {one:?}\nseveral: {several:?}");
    for seen in [one, several] {
        for (what, times) in [
            ("assumptions", seen.assumptions),
            ("cores", seen.cores),
            ("lower bounds", seen.bounds),
            ("additions", seen.extensions),
            ("goals", seen.goals),
        ] {
            assert!(times > 0, "no trace has {what}");
        }
    }
    assert!(several.races > 0, "nobody else searches");
}

/// Every goal and bound, joins at any point, and runs that are told to stop. `yasmin-conformance --traces N`
/// tries more.
#[test]
fn replays_of_random_cases() {
    for (device, is_long, count) in
        [(DeviceKind::Cpu, false, 500), (DeviceKind::Simt, false, 20), (DeviceKind::Cpu, true, 5)]
    {
        let (first, kind) =
            (yasmin_seeds::seeds(count as u64).start, Kind { device, joins: DeviceKind::Simt, is_long });
        let tally = cases(kind, first, count, &mut |report| println!("{report}"));
        println!("{tally:?}");
        assert!(tally.failures.is_empty(), "{} of {} traces are wrong", tally.failures.len(), tally.cases);
        // Whether a searcher imports in time is the machine's luck: `a_searcher_imports` waits for it.
        assert!(count < 100 || 3 * tally.whole > count && tally.seen.races > 0);
    }
}

/// A search that goes on until a searcher has imported, however the machine lets the threads run.
#[test]
fn a_searcher_imports() {
    let options = Options {
        parallel_mode: ParallelMode::Searchers(2),
        join_after: When::Milliseconds(0),
        import_every: 1,
        share_length: 32,
        share_lbd: 32,
        ..Options::on_processor()
    };
    // One searcher alone takes much longer than the other one takes to begin.
    let program = input::read("text", pigeons_text(11).as_bytes()).expect("a program");
    let mut solver = Solver::new(program, options).expect("a device");
    let (memory, read, began) = (Memory::default(), Cell::new(0), Instant::now());
    solver.trace(Box::new(memory.clone()), 0).expect("a vector takes everything");
    let has_import = || {
        let text = memory.0.lock().expect("no panic");
        let new = &text[read.replace(text.len())..];
        std::str::from_utf8(new).expect("it is text").contains(r#"{"event":"import""#)
    };
    let step = solver.next_answer(&|| has_import() || began.elapsed() > Duration::from_secs(60));
    assert!(matches!(step, Ok(Step::Interrupted)), "{step:?}");
    solver.end_trace().expect("a vector takes everything");
    let trace = memory.text();
    let seen = check(&trace, Some(&[]), &mut |_| ()).expect("it is right");
    assert!(seen.imports > 0, "{seen:?}");
    // Nobody has told them to return, and what they do meanwhile is missing.
    assert!(trace.contains(r#"{"event":"end","because":"stopped","cut":true,"#), "{}", trace.len());
}

/// What a search learns from an answer set comes before what it learns beside others that join it then.
#[test]
fn others_join_right_after_an_answer_set() {
    let costs = (0..49).map(|place| place * 37 % 11).collect();
    let text = Part::Permutation { size: 7, priority: 0, costs }.program().to_aspif();
    let consequences =
        Goal { reasoning: Reasoning::Brave, optimization: Optimization::Ignore, ..Goal::default() };
    let mut imports = 0;
    for (step, goal) in (0..8).flat_map(|step| [(step, Goal::default()), (step, consequences.clone())]) {
        let options = Options {
            join_after: When::Answer(1 + step % 3),
            opt_strategy: OptStrategy::Bb(Descent::Lin),
            parallel_mode: ParallelMode::Searchers(2),
            import_every: 1,
            share_lbd: 32,
            ..Options::on_processor()
        };
        imports += replay("a permutation", &text, &goal, options, None).imports;
    }
    assert!(imports > 50, "{imports} nogoods were imported");
}

#[test]
fn replays_of_several_searchers() {
    let (plain, rich) = (plain_programs(&options_of_several, 400), rich_programs(&options_of_several, 120));
    let mut total = Seen::default();
    let text = pigeons_text(7);
    for seed in 0..12 {
        let restarts = "luby,2".parse().expect("a sequence");
        let options = Options { restarts, keep_learned: 1, ..options_of_several(seed) };
        total.add(&replay("pigeons", &text, &Goal::default(), options, Some(&[])));
    }
    let pigeons = total;
    println!("plain: {plain:?}\nrich: {rich:?}\npigeons: {pigeons:?}");
    for (what, times) in [
        ("imports", pigeons.imports),
        ("literals that are offered", pigeons.facts + plain.facts),
        ("divided cubes", plain.divided),
        ("cubes that are done", plain.refuted),
        ("races", rich.races),
        ("cores of cubes", pigeons.cube_cores),
        ("deletions", pigeons.deleted),
        ("goals", rich.goals),
        ("answer sets", plain.answers),
    ] {
        assert!(times > 0, "no trace has {what}");
    }
}

/// The events of a search, without what only the end of a search differs in.
fn events(text: &str, options: Options) -> Vec<Value> {
    let mut lines = lines_of(&traced(text, &Goal::default(), options).0);
    lines.pop();
    lines.split_off(1)
}

/// Of one thread the order of all events is known. Of many threads, any may be the first of its round. The
/// engines may differ from a conflict on: once a class of nogoods has a violated one, the host loop visits no
/// other class in that round. So it may see fewer propagations and fewer violated nogoods of the round.
#[test]
fn both_engines_take_the_same_steps_up_to_a_conflict() {
    let (mut same, mut others) = (0, 0);
    // A program where they differ comes first.
    for seed in [2_078_500_123].into_iter().chain(yasmin_seeds::seeds(400)) {
        let (text, device) = (generate(&Knobs::varied(seed), seed).to_aspif(), DeviceKind::Cpu);
        let of = |engine| events(&text, Options { engine, device, seed, ..Options::default() });
        let (resident, host) = (of(Engine::Resident), of(Engine::Host));
        let Some(at) = (0..resident.len().max(host.len())).find(|&at| resident.get(at) != host.get(at))
        else {
            same += 1;
            continue;
        };
        let mut round = resident[at..].iter().skip_while(|line| line["event"] == "propagate");
        let (Some(whole), Some(part)) = (round.next(), host.get(at)) else {
            panic!("seed {seed}: one of them ends\n{text}")
        };
        let is_conflict = |line: &Value| line["event"] == "conflict" && line["level"] == part["level"];
        assert!(is_conflict(whole) && is_conflict(part), "seed {seed}: {whole} and {part}\n{text}");
        let violated = |line: &Value| line["violated"].as_array().expect("a list").clone();
        let is_part = violated(part).iter().all(|nogood| violated(whole).contains(nogood));
        assert!(is_part, "seed {seed}: {whole} and {part}\n{text}");
        others += 1;
    }
    println!("{same} programs are searched in the same steps, {others} are not");
    assert!(same > 200 && others > 0, "{same} and {others}");
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

/// The lines of a trace.
fn lines_of(trace: &str) -> Vec<Value> {
    trace.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect()
}

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
