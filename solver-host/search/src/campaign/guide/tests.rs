//! What a search by cores costs, and that every strategy finds the same optimum.

use crate::options::{OptStrategy, Options};
use crate::{Engine, Goal, Optimization, ParallelMode, Problem, Shrink, Solver, Step, When};
use solver_gpu::Lit;
use std::cell::Cell;
use std::sync::Arc;
use yasmin_device::DeviceKind;
use yasmin_ground::program::{Program, ProgramBuilder};

const STRATEGIES: [&str; 11] = [
    "auto",
    "turns,1",
    "turns,9",
    "bb",
    "bb,hier",
    "bb,inc",
    "bb,dec",
    "usc",
    "usc,oll,0",
    "usc,oll,stratify",
    "usc,disjoint",
];

/// A weighted cover of a ring of `n` nodes with chords: of each edge one end has to be paid.
fn cover(n: u64) -> Program {
    cover_among(n, 0)
}

/// The same, with `open` atoms that cost nothing and may hold or not.
fn cover_among(n: u64, open: u64) -> Program {
    let mut text = String::from("asp 1 0 0\n");
    for v in n + 1..=n + open {
        text.push_str(&format!("1 1 1 {v} 0 0\n"));
    }
    let mut costs = String::new();
    for v in 1..=n {
        text.push_str(&format!("1 1 1 {v} 0 0\n"));
        costs.push_str(&format!(" {v} {}", 1 + v * 7 % 5));
        for w in [v % n + 1, (v + 2) % n + 1] {
            text.push_str(&format!("1 0 0 0 2 -{v} -{w}\n"));
        }
        text.push_str(&format!("4 1 x 1 {v}\n"));
    }
    text.push_str(&format!("2 0 {n}{costs}\n0\n"));
    yasmin_ground::input::read("cover", text.as_bytes()).expect("a program")
}

/// A knapsack that has room for half of `n` things: what is left at home costs something.
fn knapsack(n: u64) -> Program {
    let (mut text, mut sizes, mut values, mut all) =
        (String::from("asp 1 0 0\n"), String::new(), String::new(), 0);
    for v in 1..=n {
        let (size, value) = (20 + v * 37 % 23, 20 + v * 53 % 29);
        text.push_str(&format!("1 1 1 {v} 0 0\n4 1 x 1 {v}\n"));
        sizes.push_str(&format!(" {v} {size}"));
        values.push_str(&format!(" -{v} {value}"));
        all += size;
    }
    text.push_str(&format!("1 0 0 1 {} {n}{sizes}\n2 0 {n}{values}\n0\n", all / 2));
    yasmin_ground::input::read("knapsack", text.as_bytes()).expect("a program")
}

fn options(strategy: &str, engine: Engine) -> Options {
    let opt_strategy: OptStrategy = strategy.parse().expect("a strategy");
    Options { device: DeviceKind::Cpu, opt_strategy, engine, ..Options::default() }
}

/// The optimum, and the solver afterwards.
fn optimum(problem: &Arc<Problem>, options: Options) -> (Vec<i64>, Solver) {
    let mut solver = Solver::of(problem, options).expect("the processor is there");
    let mut best = Vec::new();
    while let Step::Answer(answer) = solver.next_answer(&|| false).expect("no failure") {
        assert!(best.is_empty() || answer.costs < best, "each is better than the one before");
        best = answer.costs;
    }
    (best, solver)
}

#[test]
fn every_strategy_finds_the_same_optimum_with_both_loops() {
    let made = options("auto", Engine::Auto);
    let problem = Arc::new(Problem::new(cover(24), &made, &Goal::default()).expect("small"));
    let (best, _) = optimum(&problem, options("bb", Engine::Resident));
    for strategy in STRATEGIES {
        for engine in [Engine::Host, Engine::Resident] {
            for opt_usc_shrink in [Shrink::No, Shrink::default()] {
                let options = Options { opt_usc_shrink, ..options(strategy, engine) };
                let (found, solver) = optimum(&problem, options);
                assert_eq!(found, best, "{strategy}, {engine:?}");
                assert!(solver.lower_bound() <= best, "{strategy}: a lower bound above the optimum");
            }
        }
    }
}

/// Two searches take turns of a few conflicts, and the caller stops them whenever they ask.
#[test]
fn what_two_searches_in_turns_have_done_is_counted_together() {
    let made = Options { seed: 3, ..options("turns,1", Engine::Auto) };
    let problem = Arc::new(Problem::new(knapsack(16), &made, &Goal::default()).expect("small"));
    let (best, _) = optimum(&problem, options("usc", Engine::Resident));
    for engine in [Engine::Host, Engine::Resident] {
        let mut solver = Solver::of(&problem, Options { engine, ..made }).expect("the processor is there");
        let (asked, mut before, mut found) = (Cell::new(0u64), solver.statistics(), Vec::new());
        loop {
            let stops = || {
                asked.set(asked.get() + 1);
                asked.get().is_multiple_of(2)
            };
            match solver.next_answer(&stops).expect("no failure") {
                Step::Answer(answer) => found.push(answer.costs),
                Step::Exhausted => break,
                _ => {}
            }
            let now = solver.statistics();
            assert!(now.conflicts >= before.conflicts && now.learned >= before.learned, "{engine:?}");
            assert!(now.cores >= before.cores && now.launches >= before.launches, "{engine:?}");
            assert_eq!(now.answer_sets, found.len() as u64, "{engine:?}");
            before = now;
        }
        assert!(
            found.is_sorted_by(|a, b| a > b),
            "{engine:?}: each is better than the one before: {found:?}"
        );
        assert_eq!((found.last(), solver.is_optimum_known()), (Some(&best), true), "{engine:?}");
        assert!(
            before.cores > 0 && before.conflicts > 50,
            "{engine:?}: {} cores, {} conflicts",
            before.cores,
            before.conflicts
        );
    }
}

/// Neighbourhoods of the best answer set begin after three conflicts. With them, each seed and both loops end
/// with the optimum.
#[test]
fn neighbourhoods_lead_to_the_same_optimum() {
    for (program, is_better) in [(knapsack(14), true), (cover(24), false)] {
        let made = options("turns,1", Engine::Auto);
        let problem = Arc::new(Problem::new(program, &made, &Goal::default()).expect("small"));
        let (best, _) = optimum(&problem, options("bb", Engine::Resident));
        let mut counts = (0, 0);
        for seed in 1..=4 {
            let engine = if seed % 2 == 0 { Engine::Host } else { Engine::Resident };
            let (found, solver) = optimum(&problem, Options { seed, engine, ..made });
            let statistics = solver.statistics();
            assert_eq!((found, solver.is_optimum_known()), (best.clone(), true), "seed {seed}");
            counts.0 += statistics.neighbourhoods;
            counts.1 += statistics.neighbourhoods_better;
        }
        assert!(counts.0 > 0 && (counts.1 > 0 || !is_better), "{counts:?}");
    }
}

/// Beside a crew, a search by cores and one that looks into neighbourhoods take turns.
#[test]
fn neighbourhoods_beside_a_crew_lead_to_the_same_optimum() {
    let mut looked = 0;
    for program in [knapsack(18), cover(24)] {
        let made = options("turns,1", Engine::Auto);
        let problem = Arc::new(Problem::new(program.clone(), &made, &Goal::default()).expect("small"));
        let (best, _) = optimum(&problem, options("bb", Engine::Resident));
        for seed in 1..=8 {
            let parallel_mode = ParallelMode::Searchers(2 + seed as usize % 2);
            let options = Options { seed, parallel_mode, join_after: When::Milliseconds(0), ..made };
            let mut solver = Solver::new(program.clone(), options).expect("the processor is there");
            let mut last = Vec::new();
            loop {
                match solver.next_answer(&|| false).expect("no failure") {
                    Step::Answer(answer) => {
                        assert!(
                            last.is_empty() || answer.costs < last,
                            "seed {seed}: not better than {last:?}"
                        );
                        last = answer.costs;
                    }
                    Step::Exhausted => break,
                    _ => {}
                }
            }
            assert_eq!((&last, solver.is_optimum_known()), (&best, true), "seed {seed}");
            looked += solver.statistics().neighbourhoods;
        }
    }
    assert!(looked > 0);
}

/// The first priority is done with a core whose counting literal says what else would cost: that literal has
/// to hold at the second priority. Found by a random program.
#[test]
fn what_the_last_core_of_a_priority_counts_is_demanded() {
    let text = "asp 1 0 0\n1 0 1 1 0 1 -3\n1 0 1 3 0 1 -1\n1 1 2 2 1 0 2 2 -3\n1 0 1 2 0 2 2 -1\n\
                1 0 1 3 0 1 -2\n1 0 1 2 0 1 -3\n1 1 4 4 5 6 7 0 0\n1 0 0 0 2 -4 -6\n1 0 0 0 2 -7 -5\n\
                1 0 0 0 2 -4 -5\n1 0 0 0 2 -4 -7\n1 0 0 0 2 -5 -6\n1 0 0 0 2 -6 -7\n\
                2 2 5 3 1 5 1 1 1 7 1 4 1\n2 0 8 -7 1 -5 1 -7 1 6 1 2 1 1 1 7 1 3 1\n0\n";
    let program = yasmin_ground::input::read("text", text.as_bytes()).expect("a program");
    for strategy in STRATEGIES {
        for opt_usc_shrink in [Shrink::No, Shrink::default()] {
            let options = Options { opt_usc_shrink, ..options(strategy, Engine::Resident) };
            let problem = Arc::new(Problem::new(program.clone(), &options, &Goal::default()).expect("small"));
            assert_eq!(optimum(&problem, options).0, [3, 3], "{strategy}, {opt_usc_shrink:?}");
        }
    }
}

/// Of 48 trials each would end with an answer set, after 3,000 decisions.
#[test]
fn trials_without_conflicts_end_soon() {
    let made = options("usc", Engine::Resident);
    let problem = Arc::new(Problem::new(cover_among(24, 3000), &made, &Goal::default()).expect("small"));
    let (best, solver) = optimum(&problem, made);
    let decisions = solver.statistics().decisions;
    assert_eq!((best, solver.is_optimum_known()), (vec![35], true));
    assert!(decisions < 48 * 1000, "{decisions} decisions");
}

#[test]
fn no_core_costs_a_copy_of_the_program() {
    let made = options("usc", Engine::Resident);
    let problem = Arc::new(Problem::new(cover(60), &made, &Goal::default()).expect("small"));
    // The first search makes a template.
    drop(Solver::of(&problem, made));
    let before = problem.traffic();
    let (_, solver) = optimum(&problem, made);
    let statistics = solver.statistics();
    assert!(statistics.cores_relaxed >= 10, "{} cores", statistics.cores_relaxed);
    assert!(statistics.extensions > 0 && statistics.cores >= statistics.cores_relaxed);
    assert_eq!(problem.traffic().to_device, before.to_device, "the problem was copied once");
}

#[test]
fn bounds_meet_when_the_optimum_is_known() {
    let made = options("usc", Engine::Resident);
    let goal = Goal { optimization: Optimization::OptN, ..Goal::default() };
    let problem = Arc::new(Problem::new(cover(12), &made, &goal).expect("small"));
    let mut solver = Solver::of(&problem, made).expect("the processor is there");
    let (mut best, mut optimal) = (Vec::new(), 0);
    while let Step::Answer(answer) = solver.next_answer(&|| false).expect("no failure") {
        optimal += answer.is_optimal as u64;
        best = answer.costs;
    }
    assert!(optimal > 0 && solver.is_optimum_known());
    assert_eq!(solver.lower_bound(), best);
}

#[test]
fn assumptions_have_cores_and_what_was_learned_stays() {
    // Of three pigeons each is in one of two holes, if it is there at all.
    let mut b = ProgramBuilder::default();
    for pigeon in 0..3u64 {
        let there = b.atom(100 + pigeon);
        let not = b.atom(200 + pigeon);
        b.rule(Some(there), &[Lit::f(not)]).expect("few");
        b.rule(Some(not), &[Lit::f(there)]).expect("few");
        let (first, second) = (b.atom(2 * pigeon), b.atom(2 * pigeon + 1));
        b.rule(Some(first), &[Lit::t(there), Lit::f(second)]).expect("few");
        b.rule(Some(second), &[Lit::t(there), Lit::f(first)]).expect("few");
    }
    for hole in 0..2u64 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let both = [Lit::t(b.atom(2 * p + hole)), Lit::t(b.atom(2 * q + hole))];
            b.rule(None, &both).expect("few");
        }
    }
    let there: Vec<Lit> = (0..3u64).map(|pigeon| Lit::t(b.atom(100 + pigeon))).collect();
    let program = b.build().expect("few");
    for engine in [Engine::Host, Engine::Resident] {
        let mut solver = Solver::new(program.clone(), options("auto", engine)).expect("small");
        solver.assume(&there).expect("a plain search");
        assert_eq!(solver.next_answer(&|| false).expect("no failure"), Step::Exhausted);
        let core = solver.core().expect("there is a core").to_vec();
        assert_eq!(core.len(), 3, "{core:?}");
        let learned = solver.statistics().learned;
        solver.assume(&there[..2]).expect("a plain search");
        let mut found = 0;
        while let Step::Answer(answer) = solver.next_answer(&|| false).expect("no failure") {
            assert!(there[..2].iter().all(|&lit| answer.holds(lit)));
            found += 1;
        }
        assert_eq!((found, solver.core()), (2, None), "{engine:?}");
        assert!(solver.statistics().learned >= learned);
        // Again, and the other way round.
        solver.assume(&[!there[0], !there[1], !there[2]]).expect("a plain search");
        assert!(matches!(solver.next_answer(&|| false).expect("no failure"), Step::Answer(_)));
    }
}
