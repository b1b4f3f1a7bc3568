//! Propagators in longer searches, and what is refused.

mod common;

use common::enforcer::{Enforcer, Shared};
use common::{options_of_several, Random};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use yasmin::{
    Control, Descent, DeviceKind, Engine, Error, Failure, Goal, GpuSearchers, Init, Literal, OptStrategy,
    Optimization, Options, ParallelMode, Projection, Propagating, Propagator, Question, Restarts,
    SearcherThreads, Usc, When,
};

/// A control whose atoms may be chosen, and their literals.
fn chosen(options: Options, atoms: usize) -> (Control, Vec<Literal>) {
    let mut control = Control::new(options);
    let atoms: Vec<_> = (0..atoms).map(|_| control.atom()).collect();
    control.choice(&atoms, &[]).expect("few");
    for (at, atom) in atoms.iter().enumerate() {
        control.show(&format!("p({at})"), &[atom.positive()]).expect("few");
    }
    (control, atoms.iter().map(|atom| atom.positive()).collect())
}

/// Random clauses of three literals.
fn clauses(random: &mut Random, literals: &[Literal], count: usize) -> Vec<Vec<Literal>> {
    let mut literal = || {
        let literal = literals[random.below(literals.len())];
        if random.one_in(2) {
            literal
        } else {
            !literal
        }
    };
    (0..count).map(|_| vec![literal(), literal(), literal()]).collect()
}

/// The answers to a question, as sets of names, and the optimum. Of optimal answers alone if they are asked
/// for.
fn answers(
    control: &mut Control,
    question: &Question,
    optimal: bool,
) -> (Vec<BTreeSet<String>>, Option<Vec<i64>>) {
    let mut answers = control.solve(question).expect("a question");
    let mut found = Vec::new();
    for answer in answers.by_ref() {
        let answer = answer.expect("an answer");
        if answer.is_optimal() || !optimal {
            found.push(answer.names().map(String::from).collect());
        }
    }
    (found, answers.optimum().map(<[i64]>::to_vec))
}

/// Searches that restart and delete all the time, and those that do not: clauses of a propagator, and the
/// same clauses as constraints, have the same answer sets.
#[test]
fn clauses_of_a_propagator_are_like_constraints() {
    check_clauses(|_| Options::on_processor());
}

#[test]
fn clauses_that_several_searchers_are_told_of_are_like_constraints() {
    check_clauses(options_of_several);
}

/// See the tests. `options_of` has the options of each search with a propagator.
fn check_clauses(options_of: impl Fn(u64) -> Options) {
    let mut conflicts = 0;
    let mut done = [0; 5];
    for seed in yasmin_seeds::seeds(60) {
        let random = &mut Random(seed);
        // By answer sets, which is what is left open here, or by cores.
        let opt_strategy = [OptStrategy::Auto, OptStrategy::Usc(Usc::default())][random.below(2)];
        let options = Options { seed, opt_strategy, ..options_of(seed) };
        let options = match random.below(3) {
            0 => options,
            1 => Options { restarts: Restarts::Luby(1), keep_learned: 1, rephase: 3, ..options },
            _ if options.parallel_mode != ParallelMode::Searchers(1) => options,
            _ => Options { engine: Engine::Host, keep_learned: 1, restarts: Restarts::Luby(2), ..options },
        };
        let atoms = 12 + random.below(40);
        let (mut control, literals) = chosen(options, atoms);
        let count = atoms * (30 + random.below(20)) / 10;
        let clauses = clauses(random, &literals, count);
        let alone = Options { parallel_mode: ParallelMode::Searchers(1), ..options };
        let (mut direct, same) = chosen(alone, atoms);
        assert_eq!(literals, same);
        for clause in &clauses {
            let body: Vec<Literal> = clause.iter().map(|&literal| !literal).collect();
            direct.rule(&[], &body).expect("few");
        }
        let projects = random.one_in(4);
        let both = literals.iter().flat_map(|&literal| [literal, !literal]).collect();
        let shared = Shared { literals: both, clauses, may_decide: !projects, ..Shared::default() };
        let shared = Arc::new(Mutex::new(shared));
        control.register(Enforcer::new(&shared, seed));
        let mut goal = Goal::default();
        if projects {
            goal.projection = Projection::Project;
            for control in [&mut control, &mut direct] {
                let first: Vec<_> = literals[..6].iter().map(|literal| literal.atom()).collect();
                control.project(&first).expect("few");
            }
        }
        let minimizes = !projects && random.one_in(3);
        if minimizes {
            let weights: Vec<i64> = literals.iter().map(|_| random.below(9) as i64 - 2).collect();
            for control in [&mut control, &mut direct] {
                let terms: Vec<(Literal, i64)> = literals.iter().copied().zip(weights.clone()).collect();
                control.minimize(0, &terms).expect("few");
            }
            goal.optimization = [Optimization::Opt, Optimization::OptN][random.below(2)];
        }
        for _ in 0..3 {
            let limit = if minimizes { 0 } else { 500 };
            let assumed: Vec<Literal> = literals.iter().copied().filter(|_| random.one_in(15)).collect();
            let question = Question::new().goal(goal.clone()).limit(limit).assume(assumed);
            let what = format!("seed {seed}: {question:?}");
            let (found, optimum) = answers(&mut control, &question, minimizes);
            let (right, best) = answers(&mut direct, &question, minimizes);
            assert_eq!(optimum, best, "{what}");
            if goal.optimization == Optimization::Opt && minimizes {
                continue;
            }
            let set = |found: &[BTreeSet<String>]| -> BTreeSet<BTreeSet<String>> {
                let first: Vec<String> = (0..6).map(|at| format!("p({at})")).collect();
                let kept = |names: &BTreeSet<String>| match projects {
                    true => names.iter().filter(|name| first.contains(name)).cloned().collect(),
                    false => names.clone(),
                };
                found.iter().map(kept).collect()
            };
            let is_all = minimizes || right.len() < limit as usize;
            assert_eq!(found.len(), right.len(), "{what}");
            assert!(!is_all || set(&found) == set(&right), "{what}");
        }
        let question = Question::new().goal(goal).limit(1);
        let mut last = control.solve(&question).expect("a question");
        let _ = last.next();
        conflicts += last.statistics().conflicts;
        let shared = shared.lock().expect("no panic");
        let counts = [shared.added[0], shared.added[1], shared.told[0], shared.told[1], shared.decided];
        done = std::array::from_fn(|at| done[at] + counts[at]);
    }
    println!(
        "{conflicts} conflicts; clauses added, with a conflict; literals told, undone; decisions: {done:?}"
    );
    assert!(conflicts > 0 && done.iter().all(|&times| times > 100), "{conflicts} {done:?}");
}

/// Clauses that are added after an answer hold in all further ones, and all answer sets that satisfy all of
/// them are found. The next question knows nothing of them.
#[test]
fn clauses_between_answers_hold_in_further_answers() {
    let (mut added, mut excluded) = (0, 0);
    for seed in yasmin_seeds::seeds(200) {
        let random = &mut Random(seed + 10_000);
        let opt_strategy = OptStrategy::Bb(Descent::Lin);
        let options = Options { seed, opt_strategy, ..Options::on_processor() };
        let options = match random.below(4) {
            0 => Options { restarts: Restarts::Luby(1), keep_learned: 1, ..options },
            1 => Options { engine: Engine::Host, ..options },
            2 => Options { simplify: false, ..options },
            _ => options,
        };
        let atoms = 3 + random.below(7);
        let (mut control, literals) = chosen(options, atoms);
        for clause in clauses(random, &literals, atoms / 2) {
            let body: Vec<Literal> = clause.iter().map(|&literal| !literal).collect();
            control.rule(&[], &body).expect("few");
        }
        let weights: Vec<i64> = literals.iter().map(|_| random.below(7) as i64 - 2).collect();
        let minimizes = random.one_in(3);
        if minimizes {
            let terms: Vec<(Literal, i64)> = literals.iter().copied().zip(weights.clone()).collect();
            control.minimize(0, &terms).expect("few");
        }
        let plain = Question::new().goal(Goal { optimization: Optimization::Ignore, ..Goal::default() });
        let all: BTreeSet<BTreeSet<String>> = answers(&mut control, &plain, false).0.into_iter().collect();
        let names: Vec<String> =
            literals.iter().map(|&lit| control.name(lit).expect("shown").into()).collect();
        let satisfies = |set: &BTreeSet<String>, clause: &[Literal]| {
            let at =
                |lit: &Literal| literals.iter().position(|other| other.atom() == lit.atom()).expect("ours");
            clause.iter().any(|lit| set.contains(&names[at(lit)]) == lit.is_positive())
        };
        let costs = |set: &BTreeSet<String>| -> i64 {
            let of = |(name, &weight): (&String, &i64)| if set.contains(name) { weight } else { 0 };
            names.iter().zip(&weights).map(of).sum()
        };
        for _ in 0..2 {
            let assumed: Vec<Literal> = literals.iter().copied().filter(|_| random.one_in(12)).collect();
            let mut found: Vec<BTreeSet<String>> = Vec::new();
            let mut told: Vec<Vec<Literal>> = Vec::new();
            let mut asked = control.solve(&Question::new().assume(assumed.clone())).expect("a question");
            while let Some(answer) = asked.next() {
                let set: BTreeSet<String> = answer.expect("an answer").names().map(String::from).collect();
                assert!(
                    told.iter().all(|clause| satisfies(&set, clause)),
                    "seed {seed}: {set:?} after {told:?}"
                );
                found.push(set);
                for _ in 0..random.below(3) / 2 {
                    let length = 1 + random.below(4);
                    let clause: Vec<Literal> =
                        clauses(random, &literals, 2).concat().into_iter().take(length).collect();
                    asked.add_clause(&clause).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
                    added += 1;
                    told.push(clause);
                }
            }
            assert!(asked.is_exhausted());
            let distinct: BTreeSet<&BTreeSet<String>> = found.iter().collect();
            assert_eq!(distinct.len(), found.len(), "seed {seed}: one is told twice");
            let is_wanted = |set: &&BTreeSet<String>| assumed.iter().all(|&lit| satisfies(set, &[lit]));
            for set in all.iter().filter(is_wanted) {
                let holds = told.iter().all(|clause| satisfies(set, clause));
                excluded += u32::from(!holds);
                if minimizes {
                    let best = found.last().map(costs);
                    assert!(!holds || best.is_some_and(|best| best <= costs(set)), "seed {seed}: {set:?}");
                    continue;
                }
                assert!(!holds || distinct.contains(set), "seed {seed}: {set:?} is missing, of {told:?}");
            }
            assert!(found.iter().all(|set| all.contains(set)), "seed {seed}");
        }
        let again: BTreeSet<BTreeSet<String>> = answers(&mut control, &plain, false).0.into_iter().collect();
        assert_eq!(again, all, "seed {seed}: a clause has outlived its question");
    }
    assert!(added > 100 && excluded > 100, "{added} {excluded}");
}

/// A propagator of one function.
struct Once<F>(F);

impl<F: FnMut(&mut Propagating<'_, '_>) -> Result<(), Failure> + Send> Propagator for Once<F> {
    fn init(&mut self, _: &mut Init<'_>) -> Result<(), Failure> {
        Ok(())
    }

    fn check(&mut self, search: &mut Propagating<'_, '_>) -> Result<(), Failure> {
        (self.0)(search)
    }
}

fn first_error(control: &mut Control, goal: Goal) -> Error {
    match control.solve(&Question::new().goal(goal)) {
        Err(error) => error,
        Ok(mut answers) => loop {
            match answers.next().expect("an error before the end") {
                Ok(_) => {}
                Err(error) => break error,
            }
        },
    }
}

#[test]
fn an_error_of_a_propagator_ends_the_question() {
    let (mut control, literals) = chosen(Options::on_processor(), 3);
    control.register(Once(|_: &mut Propagating<'_, '_>| Err("no more of this".into())));
    let error = first_error(&mut control, Goal::default());
    assert_eq!(error.to_string(), "a propagator has failed: no more of this");
    let (mut control, _) = chosen(Options::on_processor(), 1);
    control.register(Once(move |search: &mut Propagating<'_, '_>| {
        search.add_clause(&[literals[2]])?;
        Ok(())
    }));
    let error = first_error(&mut control, Goal::default());
    assert_eq!(error.to_string(), "the program has no atom with the index 2");
}

#[test]
fn an_error_of_one_searcher_ends_the_question_and_no_other() {
    let at_once = Options {
        parallel_mode: ParallelMode::Searchers(3),
        join_after: When::Milliseconds(0),
        ..Options::on_processor()
    };
    let (mut control, literals) = chosen(at_once, 13);
    let fails = Arc::new(AtomicBool::new(true));
    let asked = fails.clone();
    control.register(Once(move |search: &mut Propagating<'_, '_>| {
        match asked.load(Relaxed) && search.assignment().searcher() > 0 {
            true => Err("enough".into()),
            false => Ok(()),
        }
    }));
    let mut answers = control.solve(&Question::new()).expect("a question");
    assert!(answers.any(|answer| answer.is_err_and(|error| error.to_string().contains("enough"))));
    assert!(answers.next().is_none());
    fails.store(false, Relaxed);
    for _ in 0..2 {
        let some = Question::new().assume([literals[0]]);
        assert_eq!(control.solve(&some).expect("a question").count(), 4096);
    }
}

#[test]
fn an_empty_clause_refutes() {
    let (mut control, literals) = chosen(Options::on_processor(), 3);
    control.register(Once(|search: &mut Propagating<'_, '_>| {
        assert!(!search.add_clause(&[])?);
        Ok(())
    }));
    let mut answers = control.solve(&Question::new().assume([literals[0]])).expect("a question");
    assert!(answers.next().is_none());
    assert_eq!(answers.core(), Some(&[][..]));
}

#[test]
fn what_cannot_take_propagators_says_so() {
    let none = || Once(|_: &mut Propagating<'_, '_>| Ok(()));
    let gpu = Options { device: DeviceKind::Gpu(0), ..Options::default() };
    let turns = Options { opt_strategy: OptStrategy::Turns(10), ..Options::on_processor() };
    let fleet = Options {
        device: DeviceKind::Simt,
        gpu_searchers: GpuSearchers::Searchers(2),
        searcher_threads: SearcherThreads::Threads(32),
        threads_per_block: 32,
        ..Options::on_processor()
    };
    // A machine without a GPU says that first.
    for (options, word) in [(gpu, "GPU"), (turns, "turns"), (fleet, "fleet")] {
        let (mut control, literals) = chosen(options, 3);
        control.minimize(0, &[(literals[0], 1)]).expect("few");
        control.register(none());
        let error = first_error(&mut control, Goal::default()).to_string();
        assert!(error.contains(word) || error.contains("cpu") || error.contains("driver"), "{error}");
    }
}
