//! Traces of random programs, replayed and checked against the definitions (see `yasmin_tests::replay`).

mod several;
mod wrong;

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use serde_json::Value;
use solver_host::device::DeviceKind;
use solver_host::input;
use solver_host::search::{
    Decide, Descent, Engine, Goal, LoopCheck, OptStrategy, Optimization, Options, ParallelMode, Reasoning,
    Solver, Step,
};
use yasmin_tests::claims::Kind;
use yasmin_tests::conform::combination;
use yasmin_tests::random::{generate, Knobs};
use yasmin_tests::replay::{check, Seen};
use yasmin_tests::rich::{self, Meaning};
use yasmin_tests::traces::cases;
use yasmin_tests::{oracle, Spec};

use several::options_of_several;

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
pub fn pigeons_text(pigeons: usize) -> String {
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

/// Each of these things was met in a trace at least once.
fn assert_met(counts: &[(&str, usize)]) {
    for (what, times) in counts {
        assert!(*times > 0, "no trace has {what}");
    }
}

fn met_everything(plain: Seen, rich: Seen, pigeons: Seen, open: Seen) {
    println!("plain: {plain:?}\nrich: {rich:?}\npigeons: {pigeons:?}\nloops left open: {open:?}");
    assert_met(&[
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
    ]);
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
        assert_met(&[
            ("assumptions", seen.assumptions),
            ("cores", seen.cores),
            ("lower bounds", seen.bounds),
            ("additions", seen.extensions),
            ("goals", seen.goals),
        ]);
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
        let (first, kind) = (yasmin_seeds::seeds(count as u64).start, Kind { is_long, ..Kind::on(device) });
        let tally = cases(kind, first, count, &mut |report| println!("{report}"));
        println!("{tally:?}");
        assert!(tally.failures.is_empty(), "{} of {} traces are wrong", tally.failures.len(), tally.cases);
        // Whether a searcher imports in time is the machine's luck: `a_searcher_imports` waits for it.
        assert!(count < 100 || 3 * tally.whole > count && tally.seen.races > 0);
    }
}

/// The lines of a trace.
fn lines_of(trace: &str) -> Vec<Value> {
    trace.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect()
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
