//! Tests of symmetries on programs that have some, against all answer sets of the program.

use super::*;
use crate::campaign::task::Task;
use crate::searcher::problem::Problem;
use crate::{
    Decide, Goal, OptStrategy, Optimization, Options, ParallelMode, ProofFormat, ProofSink, SolveError,
    Solver, Step, Symmetry,
};
use solver_gpu::hash::mix;
use solver_gpu::{Lit, Var};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;
use yasmin_ground::program::{Program, ProgramBuilder};
use yasmin_nogoods::symmetry::{Found, Permutation};
use yasmin_nogoods::Preprocess;

mod crews;

/// A set of atoms, as bits.
type Set = u64;

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = mix(self.0.wrapping_add(1));
        self.0 % n
    }
}

/// A program over some objects whose rules hold for all objects alike, but perhaps for one of the rules.
fn symmetric_program(seed: u64) -> Program {
    let mut random = Random(mix(seed));
    let objects = 2 + random.below(3);
    let predicates = 2 + random.below(3);
    let mut program = ProgramBuilder::default();
    // An atom says something of one object, or of a pair.
    let pairs = random.below(2) == 1;
    let number =
        |p: u64, x: u64, y: u64| 1 + (p * objects + x) * objects + if pairs && p == 0 { y } else { x };
    let mut templates: Vec<Vec<(u64, bool, bool)>> = Vec::new();
    for _ in 0..2 + random.below(4) {
        let len = 1 + random.below(3);
        let lit =
            |random: &mut Random| (random.below(predicates), random.below(2) == 0, random.below(2) == 0);
        templates.push((0..=len).map(|_| lit(&mut random)).collect());
    }
    let kinds: Vec<u64> = templates.iter().map(|_| random.below(4)).collect();
    let breaks = random.below(3) == 0;
    for x in 0..objects {
        for p in 0..predicates.min(2) {
            let choice = program.atom(number(p, x, (x + 1) % objects));
            program.choice(&[choice], &[]).expect("small");
        }
        for y in (0..objects).filter(|&y| y != x) {
            if pairs {
                let choice = program.atom(number(0, x, y));
                program.choice(&[choice], &[]).expect("small");
            }
            for (template, kind) in templates.iter().zip(&kinds) {
                let mut lits: Vec<Lit> = template
                    .iter()
                    .map(|&(p, of_x, sign)| {
                        let (a, b) = if of_x { (x, y) } else { (y, x) };
                        Lit::new(program.atom(number(p, a, b)), sign)
                    })
                    .collect();
                let head = lits.remove(0).var();
                match kind {
                    0 => program.rule(None, &lits),
                    1 => program.choice(&[head], &lits),
                    2 => program.disjunction(&[head, lits[0].var()], &lits[1..]),
                    _ => program.rule(Some(head), &lits),
                }
                .expect("small");
            }
        }
    }
    // A fact, and an atom that no rule has.
    if random.below(3) == 0 {
        let [fact, _] = [0, 1].map(|x| program.atom(number(predicates, x, 0)));
        program.rule(Some(fact), &[]).expect("small");
    }
    let all: Vec<Var> = (0..objects).map(|x| program.atom(number(1, x, (x + 1) % objects))).collect();
    if random.below(2) == 0 {
        let bound = 1 + random.below(objects) as i64;
        let sum = program.sum(bound, all.iter().map(|&p| (Lit::t(p), 1)).collect()).expect("few");
        program.rule(None, &[Lit::new(sum, random.below(2) == 0)]).expect("small");
    }
    if breaks {
        program.rule(None, &[Lit::t(all[0])]).expect("small");
    }
    if random.below(2) == 0 {
        let costs: Vec<(Lit, i64)> = all.iter().map(|&p| (Lit::f(p), 2)).collect();
        program.minimize(0, &costs).expect("few");
    }
    program.build().expect("small")
}

fn options() -> Options {
    Options { parallel_mode: ParallelMode::Searchers(1), symmetry: Symmetry::No, ..Options::on_processor() }
}

fn bits(program: &Program, holds: impl Fn(Lit) -> bool) -> Set {
    (0..program.atoms).filter(|&p| holds(Lit::t(Var(p)))).map(|p| 1 << p).sum()
}

/// All answer sets, whatever they cost.
fn all_of(program: &Program) -> BTreeSet<Set> {
    let goal = Goal { optimization: Optimization::Ignore, ..Goal::default() };
    let mut solver = Solver::with_goal(program.clone(), options(), goal).expect("small");
    let mut found = BTreeSet::new();
    while let Step::Answer(answer) = solver.next_answer(&|| false).expect("the processor works") {
        found.insert(bits(program, |lit| answer.holds(lit)));
    }
    found
}

fn image(permutation: &Permutation, set: Set, atoms: u32) -> Set {
    let moved = |&&(from, _): &&(u32, u32)| from < atoms && set >> from & 1 == 1;
    let stays = permutation.iter().filter(moved).fold(set, |set, &(from, _)| set & !(1 << from));
    permutation.iter().filter(moved).fold(stays, |set, &(_, to)| set | 1 << to)
}

/// All sets that permutations make of a set.
fn orbit(permutations: &[Permutation], set: Set, atoms: u32) -> BTreeSet<Set> {
    let (mut orbit, mut next) = (BTreeSet::from([set]), vec![set]);
    while let Some(set) = next.pop() {
        for permutation in permutations {
            let image = image(permutation, set, atoms);
            if orbit.insert(image) {
                next.push(image);
            }
        }
    }
    orbit
}

/// The task of a program without what symmetries exclude, if there are at least `least`.
fn without_symmetries(program: &Program, options: &Options, goal: &Goal, least: u32) -> Task {
    let task = Task::new(program.clone(), options, goal).expect("small");
    match task.symmetries(least, &|| false) {
        Some(found) => {
            Task::without_symmetries(task.program().clone(), options, goal, &found).expect("small")
        }
        None => task,
    }
}

/// The answer sets that stay.
fn kept(program: &Program, of: &BTreeSet<Set>, options: &Options) -> BTreeSet<Set> {
    let goal = Goal { optimization: Optimization::Ignore, ..Goal::default() };
    let stays = |set: &Set| {
        let mut task = without_symmetries(program, options, &goal, 1);
        let sign = |p: u32| Lit::new(Var(p), set >> p & 1 == 0);
        let excluded: Vec<Vec<Lit>> =
            (0..program.atoms).map(|p| vec![task.prepared.literal_of(sign(p))]).collect();
        if excluded.contains(&vec![Lit::TRUE]) {
            return false;
        }
        task.prepared.exclude(excluded.into_iter());
        let problem = Arc::new(Problem::of(task).expect("small"));
        let mut solver = Solver::of(&problem, *options).expect("small");
        solver.want(1);
        matches!(solver.next_answer(&|| false).expect("the processor works"), Step::Answer(_))
    };
    of.iter().copied().filter(stays).collect()
}

#[test]
fn permutations_map_answer_sets_to_answer_sets_and_one_of_each_orbit_stays() {
    let (mut symmetric, mut excluded) = (0, 0);
    for seed in yasmin_seeds::seeds(150) {
        let program = symmetric_program(seed);
        let all = all_of(&program);
        let goal = Goal { optimization: Optimization::Ignore, ..Goal::default() };
        let decide = [Decide::Any, Decide::Applicable][seed as usize % 2];
        let options = Options { decide, simplify: seed % 3 > 0, ..options() };
        let unprocessed = Options { preprocess: Preprocess::NONE, ..options };
        let task = Task::new(program.clone(), &unprocessed, &goal).expect("small");
        if task.prepared.unsatisfiable || all.len() > 60 {
            continue;
        }
        let is_open = |atom| !task.prepared.literal_of(Lit::t(atom)).is_constant();
        let found = Found::within(task.simplified(), is_open, u64::MAX, &|| false).symmetries;
        for permutation in &found.generators {
            for &set in &all {
                let image = image(permutation, set, program.atoms);
                assert!(all.contains(&image), "seed {seed}: {set:b} to {image:b} by {permutation:?}");
            }
        }
        symmetric += !found.generators.is_empty() as u32;
        let kept = kept(&program, &all, &options);
        for &set in &all {
            let orbit = orbit(&found.generators, set, program.atoms);
            assert!(!orbit.is_disjoint(&kept), "seed {seed}: nothing is left of {orbit:?}");
        }
        excluded += (all.len() - kept.len()) as u32;
    }
    assert!(
        symmetric > 50 && excluded > 300,
        "{symmetric} programs have symmetries, {excluded} are excluded"
    );
}

/// What a search for one answer set or an optimum comes to: its costs, and whether they are known to be
/// optimal.
type Outcome = (Option<Vec<i64>>, bool);

fn outcome(program: &Program, options: Options) -> Outcome {
    let mut solver = Solver::new(program.clone(), options).expect("small");
    outcome_of(&mut solver).expect("the processor works")
}

fn outcome_of(solver: &mut Solver) -> Result<Outcome, SolveError> {
    let optimizes = !solver.program().minimize.is_empty();
    solver.want(if optimizes { 0 } else { 1 });
    solver.asks_once();
    let mut costs = None;
    loop {
        match solver.next_answer(&|| false)? {
            Step::Answer(answer) => {
                assert!(costs.as_ref().is_none_or(|costs| answer.costs < *costs), "each one is better");
                costs = Some(answer.costs.clone());
                if !optimizes {
                    return Ok((costs, false));
                }
            }
            Step::Exhausted => return Ok((costs, solver.is_optimum_known())),
            step => panic!("{step:?}"),
        }
    }
}

#[test]
fn verdicts_and_optima_are_the_same_whenever_symmetries_are_broken() {
    let mut broken = 0;
    for seed in yasmin_seeds::seeds(200) {
        let program = symmetric_program(seed);
        let plain = outcome(&program, options());
        let strategies = [OptStrategy::Auto, "bb".parse().expect("known"), "usc".parse().expect("known")];
        for (i, symmetry_after) in [0, 1, 3].into_iter().enumerate() {
            for symmetry in [Symmetry::Yes, Symmetry::Auto] {
                for searchers in [1, 3] {
                    let options = Options {
                        symmetry,
                        symmetry_after,
                        parallel_mode: ParallelMode::Searchers(searchers),
                        join_after: "conflict:1".parse().expect("known"),
                        opt_strategy: strategies[(seed as usize + i) % 3],
                        seed,
                        ..options()
                    };
                    assert_eq!(outcome(&program, options), plain, "seed {seed}: {options:?}");
                }
            }
        }
        let task = without_symmetries(&program, &options(), &Goal::default(), 8);
        broken += task.are_symmetries_broken() as u32;
    }
    assert!(broken > 30, "only {broken} programs have eight symmetries or more");
}

#[test]
fn one_symmetry_is_enough_for_an_optimum_alone() {
    for optimizes in [false, true] {
        let mut program = ProgramBuilder::default();
        let atoms = [1, 2].map(|number| program.atom(number));
        let lits = atoms.map(Lit::t);
        // One of the two, and both are alike.
        program.choice(&atoms, &[]).expect("small");
        program.rule(None, &lits).expect("small");
        program.rule(None, &lits.map(|lit| !lit)).expect("small");
        if optimizes {
            program.minimize(0, &lits.map(|lit| (lit, 1))).expect("few");
        }
        let options = Options { symmetry: Symmetry::Auto, symmetry_after: 0, ..options() };
        let mut solver = Solver::new(program.build().expect("small"), options).expect("small");
        solver.want(if optimizes { 0 } else { 1 });
        solver.asks_once();
        assert!(matches!(solver.next_answer(&|| false).expect("the processor works"), Step::Answer(_)));
        assert_eq!(solver.campaign.task.are_symmetries_broken(), optimizes);
    }
}

#[test]
fn symmetries_are_found_without_a_thread_to_give() {
    for (program, are_some) in [(pigeons(7, 6), true), (pigeons(7, 0), false)] {
        let mut solver = Solver::new(program, options()).expect("small");
        solver.want(1);
        solver.asks_once();
        solver.break_symmetries_here().expect("the processor works");
        assert!(matches!(solver.symmetries, Symmetries::Absent));
        assert_eq!(solver.campaign.task.are_symmetries_broken(), are_some);
        assert_eq!(solver.next_answer(&|| false), Ok(Step::Exhausted));
    }
}

#[test]
fn a_caller_who_always_interrupts_does_not_keep_symmetries_from_being_found() {
    let options = Options { symmetry: Symmetry::Auto, symmetry_after: 0, ..options() };
    let mut solver = Solver::new(pigeons(7, 6), options).expect("small");
    solver.want(1);
    solver.asks_once();
    // Each step may begin something, and has to interrupt that.
    let steps = (0..10_000).map(|_| {
        let looks = Cell::new(0);
        let interrupt = || looks.replace(looks.get() + 1) > 0;
        solver.next_answer(&interrupt).expect("the processor works")
    });
    assert!(steps.into_iter().any(|step| !matches!(step, Step::Interrupted)));
    assert!(solver.campaign.task.are_symmetries_broken());
}

#[test]
fn a_search_by_cores_that_begins_anew_does_not_have_to_be_better() {
    let mut program = ProgramBuilder::default();
    let atoms: Vec<Var> = (1..=6).map(|number| program.atom(number)).collect();
    let dear = program.atom(7);
    program.choice(&atoms, &[]).expect("small");
    program.choice(&[dear], &[]).expect("small");
    let three = program.sum(3, atoms.iter().map(|&atom| (Lit::t(atom), 1)).collect()).expect("few");
    program.rule(None, &[Lit::f(three)]).expect("small");
    // What is dear is looked at first, and needs no conflict.
    let costs = atoms.iter().map(|&atom| (Lit::t(atom), 1)).chain([(Lit::t(dear), 100)]);
    program.minimize(0, &costs.collect::<Vec<_>>()).expect("few");
    let options = Options {
        symmetry: Symmetry::Auto,
        symmetry_after: 1,
        opt_strategy: "usc,stratify".parse().expect("known"),
        ..options()
    };
    let mut solver = Solver::new(program.build().expect("small"), options).expect("small");
    solver.want(0);
    solver.asks_once();
    let mut costs = Vec::new();
    while let Step::Answer(answer) = solver.next_answer(&|| false).expect("the processor works") {
        assert!(!costs.is_empty() || !solver.campaign.task.are_symmetries_broken());
        costs.push(answer.costs[0]);
    }
    assert_eq!(costs.last(), Some(&3));
    assert!(solver.campaign.task.are_symmetries_broken() && solver.campaign.plan.limits().is_none());
}

/// The vertices of pigeons that are to sit in holes: each is alike.
fn pigeons(pigeons: u64, holes: u64) -> Program {
    let mut program = ProgramBuilder::default();
    let atom = |program: &mut ProgramBuilder, p: u64, h: u64| program.atom(1 + p * holes + h);
    for p in 0..pigeons {
        let all: Vec<Var> = (0..holes).map(|h| atom(&mut program, p, h)).collect();
        program.choice(&all, &[]).expect("small");
        let none: Vec<Lit> = all.iter().map(|&p| Lit::f(p)).collect();
        program.rule(None, &none).expect("small");
        for h in 0..holes {
            for q in 0..p {
                let both = [Lit::t(atom(&mut program, p, h)), Lit::t(atom(&mut program, q, h))];
                program.rule(None, &both).expect("small");
            }
        }
    }
    program.build().expect("small")
}

#[test]
fn all_symmetries_of_pigeons_are_found_and_little_is_left_to_refute() {
    let program = pigeons(9, 8);
    let within = |most, interrupt| Found::within(program.clone(), |_| true, most, interrupt).symmetries;
    let found = within(u64::MAX, &|| false);
    // Neighbouring pigeons change places, and neighbouring holes.
    assert_eq!(found.generators.len(), 8 + 7);
    let moves: Vec<usize> = found.base.iter().map(|(_, moves)| moves.len()).collect();
    assert_eq!(moves[0], 9 * 8 - 1, "any pigeon may come first, and any hole");
    let factorial = |n: u64| (1..=n).map(|n| (n as f64).log2()).sum::<f64>();
    assert!((found.log_number() - factorial(9) - factorial(8)).abs() < 1e-6);
    let none = within(u64::MAX, &|| true);
    assert!(none.generators.is_empty(), "an interrupt ends the search");
    assert!(within(100, &|| false).generators.len() < 15, "the search ends in time");
    let mut solver = Solver::new(program, Options { symmetry: Symmetry::Yes, ..options() }).expect("small");
    solver.want(1);
    assert_eq!(solver.next_answer(&|| false), Ok(Step::Exhausted));
    let conflicts = solver.statistics().conflicts;
    assert!(solver.all_searched().is_some() && conflicts < 1000, "{conflicts} conflicts");
}

#[test]
fn more_than_one_answer_set_is_refused_by_name() {
    let refused = |mut solver: Solver, wanted: u64| {
        solver.want(wanted);
        loop {
            match solver.next_answer(&|| false) {
                Ok(Step::Answer(_)) => assert!(solver.all_searched().is_none(), "others were excluded"),
                Err(SolveError::Contradiction(why)) => return why.contains("--symmetry=no"),
                _ => return false,
            }
        }
    };
    let breaks = Options { symmetry: Symmetry::Yes, ..options() };
    assert!(refused(Solver::new(pigeons(3, 3), breaks).expect("small"), 0));
    assert!(refused(Solver::new(pigeons(3, 3), breaks).expect("small"), 1), "there is no second one");
    let mut solver = Solver::new(pigeons(3, 3), breaks).expect("small");
    assert!(matches!(solver.assume(&[]), Err(SolveError::Contradiction(_))));
    let grows = Solver::of_grown(pigeons(3, 3).into(), breaks, &Goal::default(), None, &[]);
    assert!(matches!(grows.err(), Some(SolveError::Contradiction(_))));
    let proved = Solver::proved(
        pigeons(3, 3),
        breaks,
        Goal::default(),
        ProofSink { to: Box::new(std::io::sink()), format: ProofFormat::Text, part: None },
    );
    assert!(matches!(proved.err(), Some(SolveError::Contradiction(_))));
    let late = Options { symmetry: Symmetry::Auto, symmetry_after: 0, ..options() };
    let mut solver = Solver::new(pigeons(3, 3), late).expect("small");
    solver.asks_once();
    assert_eq!(
        solver.answers().map(|answer| answer.is_ok()).collect::<Vec<_>>(),
        [true; 6],
        "all are asked for"
    );
}

#[test]
fn a_question_looks_for_no_more_answer_sets_than_are_wanted() -> Result<(), SolveError> {
    let mut program = ProgramBuilder::default();
    let atoms: Vec<_> = (1..=6).map(|number| program.atom(number)).collect();
    program.choice(&atoms, &[]).expect("small");
    let program = program.build().expect("small");
    let problem = Arc::new(Problem::new(program, &Options::on_processor(), &Goal::default())?);
    let mut solver = Solver::of(&problem, Options::on_processor())?;
    let mut told = 0;
    for wanted in [0, 2, 3] {
        solver.want(wanted);
        solver.assume(&[])?;
        told = 0;
        while wanted == 0 || told < wanted {
            match solver.next_answer(&|| false)? {
                Step::Answer(_) => told += 1,
                Step::Exhausted => break,
                Step::Interrupted | Step::Counted(_) => {}
            }
        }
        // After the first question there are many answer sets in all, of which the next one wants few.
        assert!(wanted > 0 || told == 64, "{told}");
        assert!(solver.campaign.kept.is_empty(), "{wanted} are wanted");
    }
    assert_eq!(told, 3);
    Ok(())
}
