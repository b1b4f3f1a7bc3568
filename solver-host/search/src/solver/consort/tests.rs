//! Consorts find the optimum that a single search finds: alone, told of it by others, and beside a crew.

use super::*;
use crate::crew::news::{Place, Role};
use crate::lockstep::programs::{cover_of, goal, rich_program};
use crate::threads::{find, Found};
use crate::{Goal, Optimization, Solver, When};
use yasmin_ground::program::Program;

const EACH: [&str; 5] = ["bb,dec", "bb,inc", "bb,hier", "usc", "usc,stratify"];

fn options(searchers: usize, strategy: &str) -> Options {
    Options {
        parallel_mode: ParallelMode::Searchers(searchers),
        join_after: When::Milliseconds(0),
        opt_strategy: strategy.parse().expect("a strategy"),
        ..Options::on_processor()
    }
}

/// Programs with costs of one priority and of several.
fn programs() -> Vec<Program> {
    let rich = (0..60).map(rich_program).filter(|program| !program.minimize.is_empty());
    rich.chain((0..6).map(|seed| cover_of(24, seed))).collect()
}

fn solver(program: Program, goal: &Goal, options: Options) -> Solver {
    let problem = Arc::new(Problem::new(program, &options, goal).expect("a small program"));
    Solver::of(&problem, options).expect("the processor works")
}

/// What a consort finds before the home is over, as costs.
fn costs_by(consort: &mut Consort, home: &Arc<Shared>, of: &Solver) -> Vec<Vec<i64>> {
    let command = Command {
        place: Place { number: 0, first: 0, has_others: true },
        home: home.clone(),
        role: Role::Joins,
        plan: Box::new(of.campaign.plan.clone()),
        assumed: None,
        keeps: false,
    };
    let before = consort.counts().0.answer_sets;
    consort.begin(&command).expect("the processor works");
    let mut all = Vec::new();
    while !home.is_over() {
        consort.advance(home).expect("the processor works");
        all.extend(consort.found().into_iter().map(|answer| answer.costs));
    }
    consort.end().expect("the processor works");
    assert!(consort.search.is_none());
    assert_eq!(consort.counts().0.answer_sets - before, all.len() as u64);
    all
}

#[test]
fn a_consort_proves_the_optimum_alone_and_once_it_is_told_of_it() {
    let goal = Goal::default();
    let (mut found, mut conflicts) = (0, 0);
    for program in programs() {
        let expected = find(&mut solver(program.clone(), &goal, options(1, "bb")), &goal);
        let optimum = expected.iter().next().map(|(_, costs)| costs.clone());
        for strategy in EACH {
            let of = solver(program.clone(), &goal, options(1, "auto"));
            if of.campaign.plan.phase() != Phase::Improve || of.task().is_unsatisfiable() {
                continue;
            }
            let home = Arc::new(of.home(1).expect("small"));
            let mut consort = Consort::new(&of.lead, strategy.parse().expect("a strategy"), 7);
            let costs = costs_by(&mut consort, &home, &of);
            assert!(costs.is_sorted_by(|worse, better| better < worse), "{strategy} {costs:?}");
            assert_eq!(costs.last(), optimum.as_ref(), "{strategy}");
            found += costs.len();
            // The same search again, after another one has found the optimum.
            let Some(optimum) = &optimum else { continue };
            let home = Arc::new(of.home(1).expect("small"));
            let mut best = of.campaign.plan.clone();
            best.note(of.program(), optimum, |_| false);
            home.tell_best(&best);
            assert_eq!(costs_by(&mut consort, &home, &of), Vec::<Vec<i64>>::new(), "{strategy}");
            conflicts += consort.counts().0.conflicts;
        }
    }
    assert!(found > 200 && conflicts > 1000, "{found} {conflicts}");
}

#[test]
fn a_crew_with_a_consort_finds_what_one_search_finds() {
    let mut consorts = 0;
    for (seed, program) in (0..).zip(programs()) {
        for goal in
            [Goal::default(), Goal { optimization: Optimization::OptN, ..Goal::default() }, goal(seed)]
        {
            let expected: Found = find(&mut solver(program.clone(), &goal, options(1, "bb")), &goal);
            let join_after = [When::Milliseconds(0), When::Conflict(1), When::Answer(1)][seed as usize % 3];
            let of = Options { join_after, ..options(9, "auto") };
            let mut several = solver(program.clone(), &goal, of);
            several.company.may_spread(&mut several.lead, &mut several.campaign);
            consorts += several.strategies_of_consorts(9).len();
            assert_eq!(find(&mut several, &goal), expected, "{goal:?}");
            assert_eq!(several.is_optimum_known(), several.campaign.plan.best().is_some(), "{goal:?}");
        }
    }
    assert!(consorts > 30, "{consorts}");
}
