//! Searches programs with difference constraints, and compares what is found with the definition.
//!
//! Main function: [`programs`].

use std::collections::BTreeMap;

use solver_host::input::read;
use solver_host::search::{Goal, Optimization, Options, Reasoning, Solver, Step};

use super::{answers, generate, printed, Program};
use crate::conform::Tally;

/// What a search has found.
#[derive(Default)]
struct Found {
    /// The names without values, and how often each set of them came.
    printed: BTreeMap<Vec<String>, usize>,
    optimum: Option<i64>,
}

/// Searches a program, and checks the values of each answer set.
fn search(program: &Program, shares: bool, options: Options, goal: Goal) -> Result<Found, String> {
    let mut ground =
        read("random", program.to_aspif(shares).as_bytes()).map_err(|error| error.to_string())?;
    ground.read_differences().map_err(|error| error.to_string())?;
    let mut solver = Solver::with_goal(ground, options, goal.clone()).map_err(|error| error.to_string())?;
    let mut found = Found::default();
    loop {
        match solver.next_answer(&|| false).map_err(|error| error.to_string())? {
            Step::Answer(answer) => {
                let mut names: Vec<String> =
                    answer.shown(solver.program()).into_iter().map(String::from).collect();
                if goal.reasoning == Reasoning::Enumerate && !shares {
                    check_values(program, &names, &answer.values(solver.program()))?;
                }
                names.sort();
                if goal.optimization != Optimization::OptN || answer.is_optimal {
                    *found.printed.entry(names).or_default() += 1;
                }
            }
            Step::Exhausted => break,
            _ => {}
        }
    }
    solver.check_end().map_err(|error| error.to_string())?;
    found.optimum = solver.optimum().and_then(|costs| costs.first().copied());
    Ok(found)
}

/// Checks that the values that are printed of an answer set satisfy what the set says.
fn check_values(program: &Program, names: &[String], values: &[String]) -> Result<(), String> {
    let value = |name: &str| {
        let begin = format!("dl({name},");
        let text = values.iter().find_map(|value| value.strip_prefix(&begin)?.strip_suffix(')'));
        text.map_or(Ok(0), |text| text.parse().map_err(|_| format!("no value in {values:?}")))
    };
    let values = [value("x")?, value("y")?, value("z")?];
    let has = |name: String| names.contains(&name);
    let heads = program.heads.iter().enumerate().all(|(at, c)| !has(format!("h{at}")) || c.holds(&values));
    let bodies = program.bodies.iter().enumerate().all(|(at, c)| has(format!("b{at}")) == c.holds(&values));
    match heads && bodies {
        true => Ok(()),
        false => Err(format!("{values:?} do not satisfy {names:?}")),
    }
}

/// Searches the programs of the seeds `first .. first + count` with the options of each, and compares what is
/// found with the definition. Calls `told` with each difference.
pub fn programs(
    first: u64,
    count: usize,
    options: impl Fn(u64) -> Options,
    told: &mut dyn FnMut(&str),
) -> Tally {
    let mut tally = Tally::default();
    for seed in first..first + count as u64 {
        let program = generate(seed);
        if let Err(what) = compare(&program, seed, options(seed), &mut tally) {
            let text = program.to_aspif(seed % 2 == 0);
            let report = format!("differences seed {seed}: {what}\n{:?}\n{text}", options(seed));
            told(&report);
            tally.differences.push(report);
        }
    }
    tally
}

/// Searches a program for all answer sets, for its optimum, and for consequences.
fn compare(program: &Program, seed: u64, options: Options, tally: &mut Tally) -> Result<(), String> {
    let (all, shares) = (answers(program), seed.is_multiple_of(2));
    let want = printed(&all, shares);
    let mut found = |goal| {
        tally.solves += 1;
        let found = search(program, shares, options, goal)?;
        tally.answer_sets += found.printed.values().sum::<usize>();
        Ok::<_, String>(found)
    };
    let everything = found(Goal { optimization: Optimization::Ignore, ..Goal::default() })?;
    if everything.printed != want {
        return Err(format!("{:?} and not {want:?}", everything.printed));
    }
    let best = all.iter().map(|answer| answer.cost).min();
    if !program.minimize.is_empty() {
        let found = found(Goal { optimization: Optimization::OptN, ..Goal::default() })?;
        let optimal: Vec<_> = all.iter().filter(|answer| Some(answer.cost) == best).cloned().collect();
        if (found.optimum, &found.printed) != (best, &printed(&optimal, shares)) {
            return Err(format!("{:?} {:?} and not {best:?} {optimal:?}", found.optimum, found.printed));
        }
    }
    if seed.is_multiple_of(4) && !all.is_empty() {
        let (reasoning, optimization) = (Reasoning::Cautious, Optimization::Ignore);
        let found = found(Goal { reasoning, optimization, ..Goal::default() })?;
        let mut sets = want.keys();
        let mut all_have = sets.next().cloned().unwrap_or_default();
        sets.for_each(|set| all_have.retain(|name| set.contains(name)));
        if !found.printed.contains_key(&all_have) {
            return Err(format!("consequences {:?} and not {all_have:?}", found.printed));
        }
    }
    Ok(())
}
