//! Traces of searches by several searchers.

use std::cell::Cell;
use std::time::{Duration, Instant};

use solver_host::device::DeviceKind;
use solver_host::input;
use solver_host::search::{
    Descent, Engine, Goal, OptStrategy, Optimization, Options, ParallelMode, Reasoning, Solver, Step, When,
};
use yasmin_tests::claims::part::Part;
use yasmin_tests::machine::racers_of;
use yasmin_tests::replay::{check, Seen};

use super::{assert_met, options, pigeons_text, plain_programs, replay, rich_programs, Memory};

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
pub fn options_of_several(seed: usize) -> Options {
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
    assert!(imports > 10, "{imports} nogoods were imported");
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
    assert_met(&[
        ("imports", pigeons.imports),
        ("literals that are offered", pigeons.facts + plain.facts),
        ("divided cubes", plain.divided),
        ("cubes that are done", plain.refuted),
        ("races", rich.races),
        ("cores of cubes", pigeons.cube_cores),
        ("deletions", pigeons.deleted),
        ("goals", rich.goals),
        ("answer sets", plain.answers),
    ]);
}
