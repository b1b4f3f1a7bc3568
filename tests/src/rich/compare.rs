//! A rich program solved in every way of reasoning, and compared with its meaning.
//!
//! Main functions: [`programs`] for a range of seeds, [`compare`] for one program.

use std::collections::BTreeSet;

use solver_host::input;
use solver_host::search::{AnswerSet, Goal, Optimization, Options, Projection, Reasoning, Solver, Step};

use super::meaning::{always, consequences, printed, Meaning, Set};
use super::program::Rich;
use crate::conform::{combination, Tally};
use crate::machine::Machine;

/// The ways of reasoning.
const WAYS: usize = 10;

/// Solves the programs of the seeds `first .. first + count` in every way of reasoning, each with another combination of
/// options. Calls `told` with each difference.
pub fn programs(first: u64, count: usize, machine: impl Into<Machine>, told: &mut dyn FnMut(&str)) -> Tally {
    programs_of(super::generate, "rich", first, count, machine, told)
}

/// The same for programs from [`super::generate_overlapping`].
pub fn overlapping_programs(
    first: u64,
    count: usize,
    machine: impl Into<Machine>,
    told: &mut dyn FnMut(&str),
) -> Tally {
    programs_of(super::generate_overlapping, "overlapping", first, count, machine, told)
}

/// The same for programs from [`super::generate_external`].
pub fn external_programs(
    first: u64,
    count: usize,
    machine: impl Into<Machine>,
    told: &mut dyn FnMut(&str),
) -> Tally {
    programs_of(super::generate_external, "external", first, count, machine, told)
}

/// The same for programs from [`super::generate_wide`].
pub fn wide_programs(
    first: u64,
    count: usize,
    machine: impl Into<Machine>,
    told: &mut dyn FnMut(&str),
) -> Tally {
    programs_of(super::generate_wide, "wide", first, count, machine, told)
}

/// The same for programs from [`super::generate_weighted`].
pub fn weighted_programs(
    first: u64,
    count: usize,
    machine: impl Into<Machine>,
    told: &mut dyn FnMut(&str),
) -> Tally {
    programs_of(super::generate_weighted, "weighted", first, count, machine, told)
}

/// The same for programs from [`super::generate_heavy`].
pub fn heavy_programs(
    first: u64,
    count: usize,
    machine: impl Into<Machine>,
    told: &mut dyn FnMut(&str),
) -> Tally {
    programs_of(super::generate_heavy, "heavy", first, count, machine, told)
}

fn programs_of(
    generate: fn(u64) -> Rich,
    kind: &str,
    first: u64,
    count: usize,
    machine: impl Into<Machine>,
    told: &mut dyn FnMut(&str),
) -> Tally {
    let machine = machine.into();
    let mut tally = Tally::default();
    for seed in first..first + count as u64 {
        let program = generate(seed);
        let meaning = Meaning::of(&program);
        tally.answer_sets += meaning.answer_sets.len();
        for way in 0..WAYS {
            let options = combination(seed as usize * WAYS + way, machine);
            tally.solves += 1;
            if let Err(difference) = compare(&program, &meaning, way, options) {
                let report = format!("{kind} seed {seed}, {options:?}: {difference}\n{}", program.to_aspif());
                told(&report);
                tally.differences.push(report);
            }
        }
    }
    tally
}

/// Solves a program in one way of reasoning; says what differs from its meaning.
///
/// # Errors
/// A difference, or an error of the solver, in words.
pub fn compare(program: &Rich, meaning: &Meaning, way: usize, options: Options) -> Result<(), String> {
    let plain = Goal { optimization: Optimization::Ignore, ..Goal::default() };
    let all = &meaning.answer_sets;
    match way {
        0 => {
            let found = solve(program, &plain, options)?;
            same("all answer sets", &found.sets(program), all)?;
            let shown: Vec<Vec<String>> = found.answers.iter().map(|(_, names)| sorted(names)).collect();
            let want: Vec<Vec<String>> = found.sets(program).iter().map(|&s| printed(program, s)).collect();
            same("what is printed", &shown, &want)
        }
        1 => {
            let found = solve(program, &Goal::default(), options)?;
            let last = found.answers.last().map(|(answer, _)| answer.costs.clone());
            same("the optimum", &last.as_ref(), &meaning.optimum())?;
            let costs: Vec<&Vec<i64>> = found.answers.iter().map(|(answer, _)| &answer.costs).collect();
            let better = program.minimize.is_empty() || costs.windows(2).all(|pair| pair[1] < pair[0]);
            same("each is better than the one before", &better, &true)
        }
        2 => {
            let goal = Goal { optimization: Optimization::OptN, ..Goal::default() };
            let found = solve(program, &goal, options)?;
            let optimal: Vec<Set> =
                found.sets_of(program, |answer| answer.is_optimal || program.minimize.is_empty());
            same("the optimal answer sets", &optimal, &meaning.optimal())
        }
        3 => {
            let bound: Vec<i64> = meaning.costs.get(all.len() / 2).cloned().unwrap_or_default();
            let goal = Goal { optimization: Optimization::Enum, bound: bound.clone(), ..Goal::default() };
            let found = solve(program, &goal, options)?;
            same(&format!("those within {bound:?}"), &found.sets(program), &meaning.within(&bound))
        }
        4 | 5 => {
            let reasoning = if way == 4 { Reasoning::Brave } else { Reasoning::Cautious };
            let found = solve(program, &Goal { reasoning, ..plain }, options)?;
            check_consequences(program, all, reasoning, &found)
        }
        6 | 7 => {
            // Of the optimal ones only.
            let reasoning = if way == 6 { Reasoning::Cautious } else { Reasoning::Brave };
            let goal = Goal { reasoning, ..Goal::default() };
            let mut found = solve(program, &goal, options)?;
            found.answers.retain(|(answer, _)| answer.consequences.is_some());
            check_consequences(program, &meaning.optimal(), reasoning, &found)
        }
        _ => {
            let atoms = program.projection.clone().unwrap_or_else(|| (1..=program.atoms).collect());
            let mask = atoms.iter().fold(0, |mask, &a| mask | 1 << a);
            // Without a statement what is printed counts, and all atoms are.
            let projection = Projection::Auto;
            let (goal, sets) = match way {
                8 => (Goal { projection, ..plain }, all.clone()),
                _ => {
                    let goal = Goal { projection, optimization: Optimization::OptN, ..Goal::default() };
                    (goal, meaning.optimal())
                }
            };
            let found = solve(program, &goal, options)?;
            let counts = |answer: &AnswerSet| way == 8 || answer.is_optimal || program.minimize.is_empty();
            let mut projected: Vec<Set> =
                found.sets_of(program, counts).iter().map(|set| set & mask).collect();
            projected.sort_unstable();
            let want: BTreeSet<Set> = sets.iter().map(|set| set & mask).collect();
            same("the projections", &projected, &want.into_iter().collect())
        }
    }
}

/// What a search found: answer sets, each with what is printed of it.
struct Found {
    answers: Vec<(AnswerSet, Vec<String>)>,
}

impl Found {
    /// The answer sets, sorted.
    fn sets(&self, program: &Rich) -> Vec<Set> {
        self.sets_of(program, |_| true)
    }

    fn sets_of(&self, program: &Rich, wanted: impl Fn(&AnswerSet) -> bool) -> Vec<Set> {
        let of_names = |names: &[String]| {
            let has = |a: &i32| names.contains(&format!("x{a}"));
            (1..=program.atoms).filter(has).fold(0, |set, a| set | 1 << a)
        };
        let wanted = self.answers.iter().filter(|(answer, _)| wanted(answer));
        let mut sets: Vec<Set> = wanted.map(|(_, names)| of_names(names)).collect();
        sets.sort_unstable();
        sets
    }
}

fn solve(program: &Rich, goal: &Goal, options: Options) -> Result<Found, String> {
    let read = input::read("text", program.to_aspif().as_bytes()).map_err(|error| error.to_string())?;
    let mut solver =
        Solver::with_goal(read, options, goal.clone()).map_err(|error| format!("{goal:?}: {error}"))?;
    let mut answers = Vec::new();
    loop {
        match solver.next_answer(&|| false).map_err(|error| format!("{goal:?}: {error}"))? {
            Step::Answer(answer) => {
                let names = answer.shown(solver.program()).into_iter().map(str::to_string).collect();
                answers.push((answer, names));
            }
            Step::Counted(_) => return Err("answer sets were only counted".into()),
            Step::Exhausted => break,
            Step::Interrupted => return Err("interrupted, though nobody asked".into()),
        }
    }
    // In the order of the sets, so that lists can be compared.
    let mut found = Found { answers };
    if goal.reasoning == Reasoning::Enumerate && goal.optimization == Optimization::Ignore {
        let key = |(_, names): &(AnswerSet, Vec<String>)| {
            (1..=program.atoms)
                .filter(|a| names.contains(&format!("x{a}")))
                .fold(0, |set: Set, a| set | 1 << a)
        };
        found.answers.sort_by_key(key);
    }
    Ok(found)
}

/// Compares the last of what brave or cautious reasoning found.
fn check_consequences(
    program: &Rich,
    sets: &[Set],
    reasoning: Reasoning,
    found: &Found,
) -> Result<(), String> {
    let (brave, cautious) = consequences(program, sets);
    let want = if reasoning == Reasoning::Brave { brave } else { cautious };
    let mut got = found.answers.last().map(|(_, names)| sorted(names));
    if let (Some(got), Some(want)) = (&mut got, &want) {
        // Outputs that the statement does not name may be told if they hold in every answer set.
        leave_out(got, want, &always(program, sets));
    }
    same(&format!("{reasoning:?}"), &got, &want)
}

/// Takes those of `free` out of the sorted names `got` that are there more often than in `want`.
pub fn leave_out(got: &mut Vec<String>, want: &[String], free: &[String]) {
    let times = |names: &[String], name: &String| names.iter().filter(|other| *other == name).count();
    for name in free {
        if times(got, name) > times(want, name) {
            let at = got.iter().position(|other| other == name).expect("it is there");
            got.remove(at);
        }
    }
}

fn sorted(names: &[String]) -> Vec<String> {
    let mut names = names.to_vec();
    names.sort_unstable();
    names
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, got: &T, want: &T) -> Result<(), String> {
    match got == want {
        true => Ok(()),
        false => Err(format!("{what}: {got:?}, and not {want:?}")),
    }
}
