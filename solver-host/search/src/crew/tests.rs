//! Searches by several searchers find what a single search finds: on threads, and in the blocks of a simulated grid.
//!
//! Searchers on threads are hindered at random in tests (see `Member::hinder`). `scripts/threads.sh` runs the tests
//! on `cpu` under ThreadSanitizer, and `scripts/long.sh` repeats the enumerations more often.
//!
//! Invariant: what a search finds does not depend on how many searchers there are, nor on how fast each of them is.

mod fleets;
mod smaller_models;

use smaller_models::head_cycles;

use crate::crew::fleet;
use crate::lockstep::programs::{chain, cover_of, goal, options, pigeons, random_program, rich_program};
use crate::statistics::SwarmStatistics;
use crate::threads::{find, project, Found};
use crate::{
    AnswerSet, Check, Descent, Engine, Goal, GpuSearchers, OptStrategy, Optimization, Options, ParallelMode,
    Problem, Reasoning, SearcherThreads, Solver, Step, When,
};
use solver_gpu::hash::mix;
use solver_gpu::{Lit, Var};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::Arc;
use std::time::{Duration, Instant};
use yasmin_device::DeviceKind;
use yasmin_ground::input;
use yasmin_ground::program::{Program, ProgramBuilder};
use yasmin_seeds::seeds;

/// Options of a search by so many searchers, from the beginning. `i` decides about all else.
fn options_of(i: u64, searchers: usize, device: DeviceKind) -> Options {
    Options {
        engine: Engine::Resident,
        parallel_mode: ParallelMode::Searchers(searchers),
        gpu_searchers: GpuSearchers::Searchers(searchers as u32),
        join_after: When::Milliseconds(0),
        // The programs have few conflicts.
        import_every: 1 + i as u32 % 3,
        split_after: i as u32 / 3 % 3,
        cube_lookahead: i as u32 / 9 % 3 * 4,
        share_lbd: 32,
        searcher_threads: SearcherThreads::Threads([32, 64][i as usize % 2]),
        join_device: DeviceKind::Simt,
        ..options(i, device)
    }
}

/// The searchers of a search.
fn swarm(problem: &Arc<Problem>, options: Options) -> Solver {
    let mut solver = Solver::of(problem, options).expect("a working device");
    solver.company.may_spread(&mut solver.lead, &mut solver.campaign);
    solver
}

/// Whether a goal tells each answer set once, and no others.
fn tells_each_once(program: &Program, goal: &Goal) -> bool {
    goal.reasoning == Reasoning::Enumerate
        && (program.minimize.is_empty()
            || matches!(goal.optimization, Optimization::Ignore | Optimization::Enum))
}

/// Several searchers find what one finds, in each of the ways to ask.
fn swarm_agrees(
    i: u64,
    searchers: usize,
    device: DeviceKind,
    program: Program,
    goal: &Goal,
    done: &mut SwarmStatistics,
) {
    agrees(options_of(i, searchers, device), program, goal, done);
}

/// The same, with these options.
fn agrees(of: Options, program: Program, goal: &Goal, done: &mut SwarmStatistics) {
    let told = format!("{of:?}, {goal:?}");
    let problem = Arc::new(Problem::new(program, &of, goal).expect("a small program"));
    let mut single = Solver::of(&problem, of).expect("a working device");
    let expected = find(&mut single, goal);
    let mut solver = swarm(&problem, of);
    let found = find(&mut solver, goal);
    assert_eq!(found, expected, "{told}");
    let optimum = (solver.is_optimum_known(), single.is_optimum_known());
    assert_eq!(optimum.0, optimum.1, "{told}: whether the optimum is known");
    done.add(&solver.statistics().swarm);
    let is_each_once = tells_each_once(problem.program(), goal);
    if is_each_once {
        assert_eq!(
            solver.statistics().answer_sets,
            expected.len() as u64,
            "{told}: an answer set is told twice"
        );
        // Without a check of each answer set, searchers may count them and tell none.
        let uncounted = Options { check: Check::No, ..of };
        let problem = Arc::new(Problem::new(problem.program().clone(), &uncounted, goal).expect("as before"));
        let mut solver = swarm(&problem, uncounted);
        solver.only_count();
        assert_eq!(count(&mut solver), expected.len() as u64, "{told}: counting");
    }
    // Of one answer set it is not said which one is found.
    let mut solver = swarm(&problem, of);
    solver.want(1);
    match solver.next_answer(&|| false).expect("a working device") {
        Step::Answer(answer) if is_each_once && *goal != project() => {
            assert!(expected.contains(&(answer.atom_values(), answer.costs)), "{told}: the first one")
        }
        first => assert_eq!(matches!(first, Step::Answer(_)), !expected.is_empty(), "{told}: {first:?}"),
    }
}

/// Counts answer sets, told or not.
fn count(solver: &mut Solver) -> u64 {
    let mut counted = 0;
    loop {
        match solver.next_answer(&|| false).expect("a working device") {
            Step::Answer(_) => counted += 1,
            Step::Counted(more) => counted += more,
            Step::Exhausted => return counted,
            Step::Interrupted => panic!("nobody has asked for that"),
        }
    }
}

/// All of `counts` are at least as large as the numbers after them.
fn assert_enough(counts: &[(&str, u64, u64)]) {
    assert!(counts.iter().all(|(_, count, least)| count >= least), "too little was done: {counts:?}");
}

#[test]
fn searchers_on_threads_find_what_one_finds() {
    let mut done = SwarmStatistics::default();
    let plain = Goal::default();
    for (i, searchers) in [2, 3, 7].into_iter().enumerate() {
        let mut agree = |seed, program, goal: &Goal| {
            swarm_agrees(seed, searchers, DeviceKind::Cpu, program, goal, &mut done);
        };
        for (seed, program) in
            [chain(9), pigeons(4, 4, 2), pigeons(6, 5, 0), pigeons(5, 5, 0)].into_iter().enumerate()
        {
            agree(seed as u64, program, &plain);
        }
        for seed in seeds(16) {
            agree(seed, random_program(seed + 100 * i as u64), &plain);
        }
        for seed in seeds(60) {
            agree(seed, rich_program(seed + 100 * i as u64), &goal(seed));
        }
    }
    let SwarmStatistics { cubes_taken, cubes_given, offered, doubled, imported, .. } = done;
    assert_enough(&[
        ("taken", cubes_taken, 50),
        ("given", cubes_given, 50),
        ("offered", offered, 300),
        ("doubled", doubled, 20),
        ("imported", imported, 100),
    ]);
}

#[test]
fn searchers_in_blocks_find_what_one_finds() {
    let mut done = SwarmStatistics::default();
    let plain = Goal::default();
    let mut agree =
        |seed, program, goal: &Goal| swarm_agrees(seed, 3, DeviceKind::Simt, program, goal, &mut done);
    for (seed, program) in
        [chain(9), pigeons(5, 4, 0), pigeons(4, 4, 2), pigeons(6, 5, 0)].into_iter().enumerate()
    {
        agree(seed as u64, program, &plain);
    }
    for seed in seeds(3) {
        agree(seed, random_program(seed), &plain);
    }
    for seed in seeds(12) {
        agree(seed, rich_program(seed), &goal(seed));
    }
    assert_enough(&[
        ("taken", done.cubes_taken, 5),
        ("offered", done.offered, 20),
        ("imported", done.imported, 1),
    ]);
}

/// Two fleets share everything, without and with searchers on the processor.
#[test]
fn two_fleets_find_what_one_finds() {
    for (i, device) in [DeviceKind::Simt, DeviceKind::Auto, DeviceKind::Simt].into_iter().enumerate() {
        let of = Options { fleets: 2, ..options_of(i as u64, 2, device) };
        for (program, answers) in [(pigeons(5, 4, 0), 0), (pigeons(4, 4, 2), 96)] {
            let problem = Arc::new(Problem::new(program, &of, &Goal::default()).expect("a small program"));
            let mut solver = swarm(&problem, of);
            assert_eq!(count(&mut solver), answers, "{of:?}");
            let threads = if device == DeviceKind::Auto { 2 } else { 0 };
            let searchers = &solver.statistics().searchers;
            let fleets = searchers[threads..].iter();
            // A fleet comes when it is ready.
            assert!(searchers.len() >= threads && fleets.map(|s| s.swarm.searchers).sum::<u64>() <= 4);
        }
    }
    for seed in seeds(6) {
        let of = Options { fleets: 2, ..options_of(seed, 2, DeviceKind::Auto) };
        let problem = Arc::new(Problem::new(rich_program(seed), &of, &goal(seed)).expect("small"));
        let expected = find(&mut Solver::of(&problem, of).expect("a working device"), &goal(seed));
        let mut solver = swarm(&problem, of);
        assert_eq!(find(&mut solver, &goal(seed)), expected, "problem {seed}");
    }
}

/// Searchers whose memory is used up delete what they have learned, and find everything all the same.
#[test]
fn searchers_in_blocks_make_do_with_little_memory() {
    fleet::IS_NARROW.store(true, Relaxed);
    let plain = Goal::default();
    let (mut deleted, mut done) = (0, SwarmStatistics::default());
    for (seed, program) in [pigeons(7, 6, 0), pigeons(6, 6, 0)].into_iter().enumerate() {
        let of = Options { simt_check: false, ..options_of(seed as u64, 3, DeviceKind::Simt) };
        let problem = Arc::new(Problem::new(program, &of, &plain).expect("a small program"));
        let mut solver = swarm(&problem, of);
        assert_eq!(count(&mut solver), [0, 720][seed]);
        deleted += solver.statistics().deleted;
    }
    for seed in seeds(8) {
        swarm_agrees(seed, 3, DeviceKind::Simt, rich_program(seed), &goal(seed), &mut done);
    }
    fleet::IS_NARROW.store(false, Relaxed);
    assert!(deleted > 100, "{deleted} nogoods were deleted");
}

/// Blocks take cubes from a searcher on a thread, and give it theirs. Two fleets do so besides.
#[test]
fn blocks_take_part_in_what_threads_do() {
    let text = &include_bytes!("../../../../data/queens-8.aspif")[..];
    let program = input::read("queens", text).expect("a program");
    for fleets in [1, 2] {
        let of = Options {
            join_after: When::Milliseconds(0),
            device: DeviceKind::Auto,
            join_device: DeviceKind::Simt,
            parallel_mode: ParallelMode::Searchers(1),
            gpu_searchers: GpuSearchers::Searchers(3),
            searcher_threads: SearcherThreads::Threads(32),
            fleets,
            ..Options::default()
        };
        let problem = Problem::new(program.clone(), &of, &Goal::default()).map(Arc::new).expect("a program");
        let takes_part = |_| {
            let mut solver = swarm(&problem, of);
            assert_eq!(count(&mut solver), 92);
            let [thread, fleets @ ..] = &solver.statistics().searchers[..] else { panic!("a thread") };
            assert!(thread.swarm.searchers == 1 && fleets.iter().all(|s| s.swarm.searchers == 3));
            assert_eq!(thread.answer_sets + fleets.iter().map(|s| s.answer_sets).sum::<u64>(), 92);
            thread.conflicts > 0 && fleets.iter().any(|s| s.conflicts > 0)
        };
        // The thread may be done before a fleet has begun.
        assert!((0..20).any(takes_part), "{fleets} fleets");
    }
}

/// A device is opened when the search has lasted for a while, and not before.
#[test]
fn a_fleet_joins_a_search_that_lasts() {
    let mut b = ProgramBuilder::default();
    let atoms: Vec<_> = (0..40).map(|a| b.atom(a)).collect();
    b.choice(&atoms, &[]).expect("few");
    let program = b.build().expect("few");
    for (open_after, joins) in [(1, true), (u32::MAX, false)] {
        let of = Options {
            join_after: When::Milliseconds(1),
            open_after: When::Milliseconds(open_after),
            device: DeviceKind::Auto,
            join_device: DeviceKind::Simt,
            parallel_mode: ParallelMode::Searchers(2),
            gpu_searchers: GpuSearchers::Searchers(3),
            searcher_threads: SearcherThreads::Threads(32),
            ..Options::default()
        };
        let problem =
            Arc::new(Problem::new(program.clone(), &of, &Goal::default()).expect("a small program"));
        let mut solver = swarm(&problem, of);
        let (began, mut answers) = (Instant::now(), 0);
        let are_all_there = |solver: &mut Solver| solver.statistics().searchers.len() == 2 + joins as usize;
        while answers < 5000 || !are_all_there(&mut solver) {
            assert!(matches!(solver.next_answer(&|| false), Ok(Step::Answer(_))));
            answers += 1;
            assert!(
                began.elapsed() < Duration::from_secs(60),
                "{answers} answer sets, and nobody has joined"
            );
        }
    }
}

/// Threads and blocks share cubes, nogoods and goals with each other.
#[test]
fn searchers_on_threads_and_in_blocks_find_what_one_finds() {
    let mut done = SwarmStatistics::default();
    let plain = Goal::default();
    let mut agree =
        |seed, program, goal: &Goal| swarm_agrees(seed, 2, DeviceKind::Auto, program, goal, &mut done);
    for (seed, program) in [pigeons(5, 4, 0), pigeons(4, 4, 2), pigeons(6, 5, 0)].into_iter().enumerate() {
        agree(seed as u64, program, &plain);
    }
    for seed in seeds(3) {
        agree(seed, random_program(seed), &plain);
    }
    for seed in seeds(12) {
        agree(seed, rich_program(seed), &goal(seed));
    }
    assert_enough(&[
        ("taken", done.cubes_taken, 5),
        ("offered", done.offered, 20),
        ("imported", done.imported, 1),
    ]);
}

/// Searchers look into neighbourhoods of the best answer set, find better ones there, and prove the same
/// optimum.
#[test]
fn searchers_near_the_best_answer_set_find_the_same_optimum() {
    for (device, vertices, programs) in
        [(DeviceKind::Cpu, 40, 30), (DeviceKind::Simt, 40, 2), (DeviceKind::Auto, 36, 3)]
    {
        let (mut looked, mut better) = (0, 0);
        for seed in 0..programs {
            let of = Options {
                near_best: [1, 2, 3][seed as usize % 3],
                opt_strategy: OptStrategy::Bb(Descent::Lin),
                simt_check: false,
                ..options_of(seed, 4, device)
            };
            let (program, goal) = (cover_of(vertices, seed), Goal::default());
            let problem = Arc::new(Problem::new(program, &of, &goal).expect("a small program"));
            let expected = find(&mut Solver::of(&problem, of).expect("a working device"), &goal);
            let mut solver = swarm(&problem, of);
            assert_eq!(find(&mut solver, &goal), expected, "{of:?}");
            assert!(solver.is_optimum_known(), "{of:?}");
            looked += solver.statistics().neighbourhoods;
            better += solver.statistics().neighbourhoods_better;
        }
        // On the simulation, better answer sets become known after a launch only, and a launch may be the
        // last.
        let (least, least_better) = if device == DeviceKind::Cpu { (3, 1) } else { (1, 0) };
        let enough = [("looked", looked, least * programs), ("better", better, least_better * programs)];
        assert_enough(&enough);
    }
}

/// Searchers that join after a conflict, an answer set or a phase take over the goal, the bound and the phase.
#[test]
fn searchers_may_join_at_any_time() {
    let mut done = SwarmStatistics::default();
    for (i, join) in (0..).zip([
        When::Phase(1),
        When::Answer(1),
        When::Conflict(1),
        When::Answer(2),
        When::Conflict(3),
        When::Phase(0),
    ]) {
        for seed in seeds(20) {
            let of = Options {
                join_after: join,
                ..options_of(20 * i + seed, 2 + seed as usize % 2, DeviceKind::Cpu)
            };
            agrees(of, rich_program(20 * i + seed), &goal(seed), &mut done);
        }
        for (joins, opens) in [(join, When::Milliseconds(0)), (When::Milliseconds(0), join)] {
            let of = options_of(i, 2, DeviceKind::Auto);
            let of = Options { join_after: joins, open_after: opens, ..of };
            let optima = Goal { optimization: Optimization::OptN, ..Goal::default() };
            agrees(of, costed(), &optima, &mut done);
        }
    }
    assert_enough(&[("taken", done.cubes_taken, 5), ("given", done.cubes_given, 5)]);
}

/// `1 {a; b; c; d}. {e; f}.`, of which `a` costs 1, `b` 1, `c` 2, `d` 2.
fn costed() -> Program {
    let text = "asp 1 0 0\n1 1 4 1 2 3 4 0 0\n1 1 2 5 6 0 0\n1 0 0 0 4 -1 -2 -3 -4\n\
                2 0 4 1 1 2 1 3 2 4 2\n4 1 a 1 1\n4 1 b 1 2\n4 1 c 1 3\n4 1 d 1 4\n4 1 e 1 5\n4 1 f 1 6\n0\n";
    input::read("costed", text.as_bytes()).expect("a program")
}

/// A search that has told as many answer sets as are wanted has not searched all, whatever its searchers do meanwhile.
#[test]
fn a_search_that_is_stopped_has_not_searched_all() {
    let consequences =
        Goal { reasoning: Reasoning::Brave, optimization: Optimization::Ignore, ..Goal::default() };
    for (i, (program, goal)) in [
        (head_cycles(4), Goal::default()),
        (costed(), Goal::default()),
        (costed(), consequences),
        (pigeons(4, 4, 2), Goal::default()),
    ]
    .into_iter()
    .enumerate()
    {
        for seed in 0..20 {
            let of = options_of(seed, 2 + seed as usize % 3, DeviceKind::Cpu);
            let of = Options { opt_strategy: OptStrategy::Bb(Descent::Lin), ..of };
            let problem = Arc::new(Problem::new(program.clone(), &of, &goal).expect("a small program"));
            let expected = find(&mut Solver::of(&problem, of).expect("a working device"), &goal);
            let mut solver = swarm(&problem, of);
            solver.want(1);
            let first = solver.next_answer(&|| false).expect("a working device");
            let Step::Answer(first) = first else { panic!("{i}, {seed}: {first:?}") };
            if solver.all_searched().is_some() {
                // Then the answer set was the last one, as the searchers have proved.
                assert!(
                    first.costs.is_empty() || expected.contains(&(first.atom_values(), first.costs)),
                    "{i}, {seed}"
                );
                assert!(i != 0 && i != 3, "{i}, {seed}: there are others");
            }
            solver.stop_searchers();
        }
    }
}

/// The programs of the enumerations again and again, each with its goal.
fn enumerations() -> Vec<(&'static str, Program, Goal)> {
    let data = |name: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data").join(name);
        input::read(name, std::fs::read(path).expect("a sample").as_slice()).expect("a program")
    };
    let plain = Goal::default();
    let bounded = Goal { optimization: Optimization::Enum, bound: vec![4], ..plain.clone() };
    vec![
        ("queens", data("queens-8.aspif"), plain.clone()),
        ("not tight", data("hamilton.aspif"), plain.clone()),
        ("not tight, more answers", data("grid.aspif"), plain),
        ("projected", weighted(9, Some(5)), project()),
        ("bounded", weighted(8, None), bounded),
    ]
}

/// `n` choices of which no three neighbours are all chosen; each costs 1. If asked for, to project on the first ones.
fn weighted(n: u64, shown: Option<usize>) -> Program {
    let mut b = ProgramBuilder::default();
    let all: Vec<_> = (0..n).map(|a| b.atom(a)).collect();
    b.choice(&all, &[]).expect("few");
    for three in all.windows(3) {
        b.rule(None, &[Lit::t(three[0]), Lit::t(three[1]), Lit::t(three[2])]).expect("few");
    }
    b.minimize(0, &all.iter().map(|&atom| (Lit::t(atom), 1)).collect::<Vec<_>>()).expect("few");
    if let Some(shown) = shown {
        b.project(&all[..shown]);
    }
    b.build().expect("few")
}

/// Enumerates again and again: the same set of answers each time, and none of them twice.
fn enumerate_again(times: u64) {
    let mut given = 0;
    for (name, program, goal) in enumerations() {
        let of = |i: u64| {
            let searchers = [2, 3, 7][i as usize % 3];
            // How to search is the same for a problem; all else varies.
            let split_after = i as u32 % 2;
            Options { check: Check::No, split_after, seed: i, ..options_of(4, searchers, DeviceKind::Cpu) }
        };
        let problem = Arc::new(Problem::new(program, &of(0), &goal).expect("a small program"));
        let expected: Found = find(&mut Solver::of(&problem, of(0)).expect("a working device"), &goal);
        assert!(expected.len() >= 9, "{name}: {} answer sets", expected.len());
        for i in 0..times {
            let mut solver = swarm(&problem, of(i));
            let found = find(&mut solver, &goal);
            let told = solver.statistics().answer_sets;
            assert_eq!((found.len(), told), (expected.len(), expected.len() as u64), "{name}, time {i}");
            assert!(found == expected, "{name}, time {i}: other answer sets");
            given += solver.statistics().swarm.cubes_given;
        }
    }
    assert!(given >= 5 * times, "{given} cubes were given away");
}

#[test]
fn the_same_enumeration_again_and_again() {
    enumerate_again(20);
}

#[test]
#[ignore = "long; for scripts/long.sh"]
fn the_same_enumeration_five_hundred_times() {
    enumerate_again(500);
}

/// A search whose searchers are at work is dropped, or stopped and taken up again.
#[test]
fn searchers_end_when_nobody_listens_and_go_on_when_asked() {
    for searchers in [2, 7] {
        let of = options_of(0, searchers, DeviceKind::Cpu);
        let problem = Arc::new(Problem::new(pigeons(4, 4, 3), &of, &Goal::default()).expect("small"));
        let mut solver = swarm(&problem, of);
        let first = solver.next_answer(&|| false).expect("a working device");
        assert!(matches!(first, Step::Answer(_)) && solver.company.crew().is_some());
        drop(solver);
        let (mut solver, mut found, mut asks) = (swarm(&problem, of), BTreeSet::new(), true);
        loop {
            asks = !asks;
            match solver.next_answer(&|| asks).expect("a working device") {
                Step::Answer(answer) => assert!(found.insert(answer.atom_values()), "told twice"),
                Step::Interrupted => assert!(asks),
                Step::Exhausted => break,
                Step::Counted(_) => panic!("nobody has asked for that"),
            }
        }
        assert_eq!(found.len(), 24 * 8, "{searchers} searchers");
    }
}

#[test]
fn a_solver_that_has_spread_is_asked_again() {
    let holds_all = |answer: &AnswerSet, lits: &[Lit]| lits.iter().all(|&lit| answer.holds(lit));
    for seed in 0..6 {
        let program = if seed % 2 == 0 { pigeons(5, 5, 0) } else { rich_program(40 + seed) };
        let ignore = Goal { optimization: Optimization::Ignore, ..Goal::default() };
        let options = options_of(seed, 4, DeviceKind::Cpu);
        let problem = Problem::new(program, &options, &ignore).expect("small");
        let mut solver = swarm(&Arc::new(problem), options);
        let first = match seed {
            // The search is left half-way.
            4 | 5 => solver.next_answer(&|| false).map(|_| Vec::new()).expect("a working device"),
            _ => all_of(&mut solver),
        };
        assert_eq!(solver.statistics().searchers.len(), 4, "seed {seed}: it has spread");
        solver.assume(&[]).expect("it may be asked again");
        let all = all_of(&mut solver);
        assert!(first.is_empty() || first.len() == all.len(), "seed {seed}");
        let atoms = solver.program().atoms;
        for time in 0..10 {
            let random = |more: u64| mix(seed << 20 | time << 10 | more);
            let lits: Vec<Lit> = (0..1 + time % 3)
                .map(|i| Lit::new(Var((random(i) % atoms as u64) as u32), random(i) >> 32 & 1 == 1))
                .collect();
            let expected = all.iter().filter(|answer| holds_all(answer, &lits)).count();
            solver.assume(&lits).expect("it may be asked again");
            let found = all_of(&mut solver);
            assert_eq!(found.len(), expected, "seed {seed}, time {time}: {lits:?}");
            assert!(
                found.iter().all(|answer| holds_all(answer, &lits)),
                "seed {seed}, time {time}: {lits:?}"
            );
            if let Some(core) = solver.core() {
                assert!(core.iter().all(|lit| lits.contains(lit)), "{core:?} of {lits:?}");
                assert!(!all.iter().any(|answer| holds_all(answer, core)), "{core:?} is no core");
            }
        }
    }
}

/// All answer sets that a solver still tells.
fn all_of(solver: &mut Solver) -> Vec<AnswerSet> {
    solver.answers().map(|answer| answer.expect("a working device")).collect()
}
