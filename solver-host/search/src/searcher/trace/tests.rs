//! Tests of traces: the ring may be as small as it can be, a traced search takes the same steps, and each
//! line is as the schema says. Whether the events are right is tested by replay: `tests/tests/trace.rs`.

use super::TRACE_SCHEMA;
use crate::lockstep::programs::{
    chain, founded_or_not, goal, options, pigeons, random_program, rich_program,
};
use crate::options::ParallelMode;
use crate::searcher::LEAST_WORDS;
use crate::{Descent, Engine, Goal, OptStrategy, Options, SolveError, Solver, Step, When};
use solver_gpu::Lit;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use yasmin_device::DeviceKind;
use yasmin_ground::program::{Program, ProgramBuilder};

/// A file in memory, of so many bytes at most.
#[derive(Clone)]
struct Disk(Arc<Mutex<Vec<u8>>>, usize);

impl Disk {
    fn new(bytes: usize) -> Disk {
        Disk(Arc::default(), bytes)
    }

    fn text(&self) -> String {
        String::from_utf8(self.0.lock().expect("no panic").clone()).expect("it is text")
    }
}

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut written = self.0.lock().expect("no panic");
        if written.len() + bytes.len() > self.1 {
            return Err(io::Error::from(io::ErrorKind::StorageFull));
        }
        written.extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Some of the programs have more answer sets than anybody can wait for.
const MOST_ANSWERS: usize = 40;

/// A search for answer sets: its trace, if there is one, and how it went.
struct Ran {
    trace: String,
    answers: Vec<Vec<bool>>,
    conflicts: u64,
    decisions: u64,
}

fn run(
    program: &Program,
    goal: &Goal,
    options: Options,
    trace: Option<(u64, usize)>,
) -> Result<Ran, SolveError> {
    let disk = Disk::new(usize::MAX);
    let mut solver = Solver::with_goal(program.clone(), options, goal.clone())?;
    if !matches!(options.parallel_mode, ParallelMode::Searchers(2..)) {
        solver.company.others = Default::default();
    }
    if let Some((limit, words)) = trace {
        solver.trace_with_ring(Box::new(disk.clone()), limit, words)?;
    }
    let mut answers = Vec::new();
    while answers.len() < MOST_ANSWERS {
        let Step::Answer(answer) = solver.next_answer(&|| false)? else { break };
        answers.push(answer.atom_values());
    }
    solver.stop_searchers();
    solver.end_trace()?;
    let (conflicts, decisions) = (solver.statistics().conflicts, solver.statistics().decisions);
    Ok(Ran { trace: disk.text(), answers, conflicts, decisions })
}

/// Programs, goals and options that together have everything, so that the seeds are the same each day.
fn searches(device: DeviceKind, seeds: u64) -> Vec<(Program, Goal, Options)> {
    let mut searches = Vec::new();
    for seed in 0..seeds {
        let of = |i: u64| {
            let engine = [Engine::Resident, Engine::Host][(seed + i) as usize % 2];
            // The strategy of a traced search for an optimum, whether it is traced or not.
            Options { engine, opt_strategy: OptStrategy::Bb(Descent::Lin), ..options(seed + i, device) }
        };
        searches.push((random_program(seed), Goal::default(), of(0)));
        searches.push((rich_program(seed), goal(seed), of(1)));
    }
    searches.push((pigeons(5, 4, 0), Goal::default(), options(0, device)));
    searches.push((founded_or_not(), Goal::default(), options(1, device)));
    searches.push((chain(40), Goal::default(), options(2, device)));
    searches
}

/// Searches by several searchers, which meet as often as they can. Those for an optimum have one that goes by
/// cores.
fn swarms() -> impl Iterator<Item = (Program, Goal, Options)> {
    (0..30).map(|seed| {
        let parallel_mode = ParallelMode::Searchers(3);
        let (import_every, split_after) = (1, seed as u32 % 2);
        let join_after = When::Milliseconds(0);
        let of = Options { seed, parallel_mode, join_after, import_every, split_after, ..Options::default() };
        let opt_strategy = "usc".parse().expect("a strategy");
        match seed % 3 {
            0 => (pigeons(7, 6, 0), Goal::default(), of),
            1 => (random_program(seed), Goal::default(), of),
            _ => (rich_program(seed), Goal::default(), Options { opt_strategy, ..of }),
        }
    })
}

/// Searches by cores, of one searcher.
fn by_cores() -> impl Iterator<Item = (Program, Goal, Options)> {
    (0..60).map(|seed| {
        let engine = [Engine::Resident, Engine::Host][seed as usize % 2];
        let opt_strategy = ["usc", "bb,hier"][seed as usize / 2 % 2].parse().expect("a strategy");
        (rich_program(seed), Goal::default(), Options { seed, engine, opt_strategy, ..Options::default() })
    })
}

#[test]
fn a_small_ring_loses_nothing() {
    // On the simulated GPU each launch has an order of threads of its own, so more launches mean other steps.
    let searches = searches(DeviceKind::Cpu, 60).into_iter().chain(by_cores());
    for (i, (program, goal, options)) in searches.enumerate() {
        let of = |words| run(&program, &goal, options, Some((2000, words))).expect("a working device").trace;
        assert!(of(1) == of(LEAST_WORDS), "search {i}, {options:?}");
    }
}

#[test]
fn a_traced_search_takes_the_same_steps() {
    for (i, (program, goal, options)) in searches(DeviceKind::Cpu, 60).iter().enumerate() {
        let plain = run(program, goal, *options, None).expect("a working device");
        // With 20 events, most searches go on after the trace.
        for limit in [0, 20] {
            let traced = run(program, goal, *options, Some((limit, 1))).expect("a working device");
            assert_eq!(traced.answers, plain.answers, "search {i}, {options:?}");
            // Without a trace the device looks for several answer sets at once, also for some that nobody takes.
            if plain.answers.len() < MOST_ANSWERS {
                let steps = (traced.conflicts, traced.decisions);
                assert_eq!(steps, (plain.conflicts, plain.decisions), "search {i}, {options:?}");
            }
            let last = traced.trace.lines().last().expect("a last line");
            let events = traced.trace.lines().count() as u64 - 2;
            assert!(limit == 0 || events <= limit, "{events} events");
            assert!(last.contains(&format!("\"events\":{events}")), "{last}");
            assert!(last.contains("\"cut\":false") || events == limit, "{last}");
        }
    }
}

#[test]
fn each_line_is_as_the_schema_says() {
    let schema = serde_json::from_str(TRACE_SCHEMA).expect("it is JSON");
    let validator = jsonschema::validator_for(&schema).expect("it is a schema");
    let mut kinds = std::collections::BTreeSet::new();
    for (program, goal, options) in
        searches(DeviceKind::Cpu, 40).into_iter().chain(swarms()).chain(by_cores())
    {
        let trace = run(&program, &goal, options, Some((1000, 1))).expect("a working device").trace;
        for line in trace.lines() {
            let value: serde_json::Value = serde_json::from_str(line).expect("it is JSON");
            kinds.insert(value["event"].as_str().expect("an event").to_string());
            if let Err(error) = validator.validate(&value) {
                panic!("{line}: {error}");
            }
        }
    }
    let described = schema["oneOf"].as_array().expect("a list").len();
    // A sum's propagation has a shape of its own.
    assert_eq!(kinds.len(), described - 1, "{kinds:?}");
}

/// `n` pigeons in `holes` holes, one each at most. A pigeon without a hole costs 1.
fn costly_pigeons(n: u64, holes: u64) -> Program {
    let mut b = ProgramBuilder::default();
    let mut costs = Vec::new();
    for p in 0..n {
        let mut body = Vec::new();
        for h in 0..holes {
            let [is, not] = [p * holes + h, (n + p) * holes + h].map(|atom| b.atom(atom));
            b.rule(Some(is), &[Lit::f(not)]).expect("few");
            b.rule(Some(not), &[Lit::f(is)]).expect("few");
            body.push(Lit::f(is));
            for q in 0..p {
                let other = b.atom(q * holes + h);
                b.rule(None, &[Lit::t(is), Lit::t(other)]).expect("few");
            }
        }
        let out = b.atom(10_000 + p);
        b.rule(Some(out), &body).expect("few");
        costs.push((Lit::t(out), 1));
    }
    b.minimize(0, &costs).expect("few");
    b.build().expect("few")
}

/// Where the strategy is open, one thread takes two searches in turns, of which a trace would tell one.
#[test]
fn a_traced_search_for_an_optimum_takes_no_turns() {
    let parallel_mode = ParallelMode::Searchers(1);
    let options = Options { parallel_mode, device: DeviceKind::Cpu, ..Options::default() };
    let program = costly_pigeons(8, 7);
    let ran = run(&program, &Goal::default(), options, Some((0, 1))).expect("a working device");
    assert!(ran.conflicts > 300, "the first turn has 300 conflicts, and the search {}", ran.conflicts);
    let of = |kind: &str| ran.trace.matches(&format!("{{\"event\":\"{kind}\"")).count();
    assert_eq!((of("conflict") as u64, of("end")), (ran.conflicts, 1));
    assert_eq!(of("answer"), ran.answers.len());
}

/// What searchers tell that are not done when the trace is full may rest on what others were not asked for
/// any more.
#[test]
fn several_searchers_may_go_on_when_the_trace_is_full() {
    let mut full = 0;
    for (i, (program, goal, options)) in swarms().enumerate() {
        for limit in [20, 200, 1000] {
            let trace = run(&program, &goal, options, Some((limit, 1))).expect("a working device").trace;
            let end: serde_json::Value =
                serde_json::from_str(trace.lines().last().expect("an end")).expect("it is JSON");
            assert_eq!(end["event"], "end", "search {i}");
            assert_eq!(end["events"].as_u64(), Some(trace.lines().count() as u64 - 2), "search {i}");
            let is_full = end["because"] == "limit";
            assert!(
                !is_full || end["cut"] == true && end["events"].as_u64() == Some(limit),
                "search {i}: {end}"
            );
            full += is_full as usize;
        }
    }
    assert!(full > 0, "no trace is full");
}

#[test]
fn a_full_disk_is_an_error() {
    let mut solver = Solver::new(pigeons(6, 5, 0), Options::default()).expect("a working device");
    let start = Disk::new(usize::MAX);
    solver.trace(Box::new(start.clone()), 0).expect("a vector takes everything");
    let room = start.text().len() + 10;
    for bytes in [10, room] {
        let options = Options { engine: Engine::Host, ..Options::default() };
        let mut solver = Solver::new(pigeons(6, 5, 0), options).expect("a working device");
        let disk = Disk::new(bytes);
        let began = solver.trace(Box::new(disk.clone()), 0);
        let ended = began.and_then(|()| solver.next_answer(&|| false)).and_then(|_| solver.end_trace());
        assert!(matches!(ended, Err(SolveError::Trace(_))), "{ended:?}");
        assert!(disk.text().is_empty() || disk.text().ends_with('\n'));
    }
}

#[test]
fn a_program_without_answer_sets_has_a_trace() {
    let mut program = founded_or_not();
    program.push(yasmin_ground::program::Head::Constraint, &[]);
    let ran = run(&program, &Goal::default(), Options::default(), Some((0, 1))).expect("a working device");
    assert_eq!(ran.trace.lines().count(), 2, "{}", ran.trace);
    assert!(ran.trace.ends_with("\"because\":\"exhausted\",\"cut\":false,\"events\":0}\n"), "{}", ran.trace);
}
