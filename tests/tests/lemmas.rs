//! What a search has learned, as nogoods over atoms: no answer set violates them.

use solver_gpu::Lit;
use solver_host::input::read;
use solver_host::search::{
    Engine, Goal, Optimization, Options, ParallelMode, Projection, Reasoning, Restarts, SignDef, Solver,
    Step, When,
};
use yasmin_tests::oracle::Set;
use yasmin_tests::rich::{generate, generate_wide, Meaning, Rich};

/// How a program is searched, by a number: for one answer set, for all of them, for an optimum, for
/// consequences.
fn asked(way: usize) -> (Goal, u64) {
    let plain = Goal { optimization: Optimization::Ignore, ..Goal::default() };
    match way {
        0 => (plain, 1),
        1 => (plain, 0),
        2 => (Goal::default(), 0),
        3 => (Goal { optimization: Optimization::OptN, ..Goal::default() }, 0),
        4 => (Goal { reasoning: Reasoning::Brave, ..plain }, 0),
        5 => (Goal { optimization: Optimization::Enum, bound: vec![2], ..Goal::default() }, 0),
        6 => (Goal { projection: Projection::Show, ..plain }, 0),
        _ => (plain, 2),
    }
}
const WAYS: usize = 8;

fn options(seed: u64) -> Options {
    let mut options = Options { seed, ..Options::on_processor() };
    options.restarts = [Restarts::Luby(1), Restarts::None][seed as usize % 2];
    // Conflicts are wanted, and preparing leaves few of such small programs.
    (options.preprocess, options.sign_def) = ("none".parse().expect("no steps"), SignDef::Pos);
    options.simplify = !seed.is_multiple_of(7);
    if seed.is_multiple_of(3) {
        options.engine = Engine::Host;
    } else if seed.is_multiple_of(5) {
        (options.parallel_mode, options.join_after) = (ParallelMode::Searchers(3), When::Conflict(1));
    }
    options
}

/// What a search has learned, as literals of aspif.
fn learned(program: &Rich, way: usize, options: Options) -> Vec<Vec<i64>> {
    let read = read("random", program.to_aspif().as_bytes()).expect("a program");
    let (goal, wanted) = asked(way);
    let mut solver = Solver::with_lemmas(read, options, goal).expect("a solver");
    solver.want(wanted);
    let mut found = 0;
    while wanted == 0 || found < wanted {
        match solver.next_answer(&|| false).expect("no failure") {
            Step::Answer(_) => found += 1,
            Step::Counted(more) => found += more,
            Step::Exhausted | Step::Interrupted => break,
        }
    }
    let lemmas = solver.lemmas().expect("no failure");
    let number = |lit: &Lit| {
        let number = solver.program().number(lit.var()).expect("an atom of the input") as i64;
        if lit.is_false_sign() {
            -number
        } else {
            number
        }
    };
    assert!(lemmas.is_sorted_by_key(|(lbd, nogood)| (*lbd, nogood.len())));
    lemmas.iter().map(|(_, nogood)| nogood.iter().map(number).collect()).collect()
}

#[test]
fn no_answer_set_violates_what_was_learned() {
    let holds = |set: Set, lit: i64| (set >> lit.abs() & 1 == 1) == (lit > 0);
    let mut of_way = [0; WAYS];
    for seed in yasmin_seeds::seeds(3000) {
        let way = seed as usize % WAYS;
        let program = if seed.is_multiple_of(4) { generate_wide(seed) } else { generate(seed) };
        let lemmas = learned(&program, way, options(seed));
        of_way[way] += lemmas.len();
        for set in Meaning::of(&program).answer_sets {
            for nogood in &lemmas {
                let is_violated = nogood.iter().all(|&lit| holds(set, lit));
                assert!(
                    !is_violated,
                    "seed {seed}, way {way}: {nogood:?} excludes {set:b}\n{}",
                    program.to_aspif()
                );
            }
        }
    }
    assert!(of_way.iter().all(|&lemmas| lemmas > 4), "{of_way:?}");
}
