//! What is known of all answer sets of a program, in a form that is small enough to be kept in a file.
//!
//! Main function: [`Facts::of`]; [`Facts::compare`] solves a program in one way of reasoning and compares with its facts.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use solver_host::input;
use solver_host::search::{Goal, Optimization, Options, Projection, Reasoning, Solver, Step};

use crate::conform::Shown;

/// The ways of reasoning that [`Facts::compare`] knows.
pub const WAYS: usize = 6;

/// An answer set: what is printed of it, sorted, and its costs, highest priority first.
pub type Answer = (Shown, Vec<i64>);

/// What is known of a program's answer sets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// All answer sets.
    pub all: Sets,
    /// What is printed of answer sets, each text of printed names once.
    pub projected: Sets,
    /// The lowest costs; none without an answer set or without minimize statements.
    pub optimum: Option<Vec<i64>>,
    /// The answer sets of these costs.
    pub optimal: Sets,
    /// The names that some answer set prints; none if there is no answer set.
    pub brave: Option<Sets>,
    /// The names that all answer sets print.
    pub cautious: Option<Sets>,
}

/// A number of sets, or of names, and a hash of them that does not depend on their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sets {
    /// How many.
    pub number: u64,
    /// The sum of their hashes.
    pub hash: u64,
}

impl Sets {
    fn add(&mut self, names: &[String]) {
        // FNV-1a. Names are separated by a byte that UTF-8 does not have.
        let bytes = names.iter().flat_map(|name| name.bytes().chain([0xff]));
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        self.number += 1;
        self.hash = self.hash.wrapping_add(bytes.fold(0xcbf2_9ce4_8422_2325, step));
    }

    fn of<'a>(all: impl IntoIterator<Item = &'a [String]>) -> Sets {
        let mut sets = Sets::default();
        all.into_iter().for_each(|names| sets.add(names));
        sets
    }

    /// Each name for itself.
    fn of_names<'a>(names: impl IntoIterator<Item = &'a String>) -> Sets {
        Sets::of(names.into_iter().map(std::slice::from_ref))
    }
}

impl Facts {
    /// The facts of a program that has exactly these answer sets.
    pub fn of(answers: &[Answer]) -> Facts {
        let names = || answers.iter().map(|(names, _)| &names[..]);
        let costs = answers.iter().map(|(_, costs)| costs).min();
        let optimum = costs.filter(|costs| !costs.is_empty()).cloned();
        let is_optimal = |answer: &&Answer| optimum.as_ref().is_none_or(|optimum| answer.1 == *optimum);
        let union: BTreeSet<&String> = names().flatten().collect();
        let in_all = |name: &&&String| names().all(|set| set.binary_search(name).is_ok());
        let any = !answers.is_empty();
        Facts {
            all: Sets::of(names()),
            projected: Sets::of(names().collect::<BTreeSet<_>>()),
            optimal: Sets::of(answers.iter().filter(is_optimal).map(|(names, _)| &names[..])),
            optimum,
            brave: any.then(|| Sets::of_names(union.iter().copied())),
            cautious: any.then(|| Sets::of_names(union.iter().filter(in_all).copied())),
        }
    }

    /// Solves the ground program in one way of reasoning; says what differs.
    ///
    /// # Errors
    /// What differs, an error of the solver, or that there was no end within the limit.
    pub fn compare(&self, text: &[u8], way: usize, options: Options, limit: Duration) -> Result<(), String> {
        let plain = Goal { optimization: Optimization::Ignore, ..Goal::default() };
        let names = |found: &[Answer]| Sets::of(found.iter().map(|(names, _)| &names[..]));
        match way % WAYS {
            0 => {
                let found = solve(text, &Goal { optimization: Optimization::Enum, ..plain }, options, limit)?;
                same("all answer sets", &names(&found), &self.all)?;
                let lowest = found.iter().map(|(_, costs)| costs).min().filter(|costs| !costs.is_empty());
                same("the lowest costs", &lowest, &self.optimum.as_ref())
            }
            1 => check_optimum(text, self.optimum.as_ref(), self.all.number > 0, options, limit),
            2 => {
                let found = solve(text, &Goal { optimization: Optimization::OptN, ..plain }, options, limit)?;
                same("the optimal answer sets", &names(&found), &self.optimal)
            }
            3 | 4 => {
                let (reasoning, want) = match way % WAYS {
                    3 => (Reasoning::Brave, self.brave),
                    _ => (Reasoning::Cautious, self.cautious),
                };
                let found = solve(text, &Goal { reasoning, ..plain }, options, limit)?;
                // A name may have several conditions, and is one consequence.
                let last =
                    found.last().map(|(names, _)| Sets::of_names(names.iter().collect::<BTreeSet<_>>()));
                same(&format!("{reasoning:?} consequences"), &last, &want)
            }
            _ => {
                let found = solve(text, &Goal { projection: Projection::Show, ..plain }, options, limit)?;
                same("the projections", &names(&found), &self.projected)
            }
        }
    }
}

/// Looks for an optimum, or for an answer set if nothing is minimized; says what differs.
///
/// # Errors
/// As [`Facts::compare`].
pub fn check_optimum(
    text: &[u8],
    optimum: Option<&Vec<i64>>,
    is_satisfiable: bool,
    options: Options,
    limit: Duration,
) -> Result<(), String> {
    let found = solve(text, &Goal::default(), options, limit)?;
    same("satisfiable", &!found.is_empty(), &is_satisfiable)?;
    let last = found.last().map(|(_, costs)| costs).filter(|costs| !costs.is_empty());
    same("the optimum", &last, &optimum)
}

/// Every answer that the goal leads to; of optimal ones only those that are known to be. Without minimize statements any is.
pub fn solve(text: &[u8], goal: &Goal, options: Options, limit: Duration) -> Result<Vec<Answer>, String> {
    let began = Instant::now();
    let program = input::read("text", text).map_err(|error| error.to_string())?;
    let of_optimal = goal.optimization == Optimization::OptN && !program.minimize.is_empty();
    let mut solver =
        Solver::with_goal(program, options, goal.clone()).map_err(|error| format!("{goal:?}: {error}"))?;
    let mut found = Vec::new();
    loop {
        let step = solver.next_answer(&|| began.elapsed() > limit);
        match step.map_err(|error| format!("{goal:?}: {error}"))? {
            Step::Answer(answer) if of_optimal && !answer.is_optimal => {}
            Step::Answer(answer) => {
                let mut names: Shown =
                    answer.shown(solver.program()).into_iter().map(str::to_string).collect();
                names.sort_unstable();
                found.push((names, answer.costs));
            }
            Step::Counted(_) => return Err("answer sets were only counted".into()),
            Step::Exhausted => return Ok(found),
            Step::Interrupted => return Err(format!("{goal:?}: no end after {limit:?}")),
        }
        if began.elapsed() > limit {
            return Err(format!("{goal:?}: no end after {limit:?}, {} answer sets", found.len()));
        }
    }
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, got: &T, want: &T) -> Result<(), String> {
    match got == want {
        true => Ok(()),
        false => Err(format!("{what}: {got:?}, and not {want:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conform::combination;
    use solver_host::device::DeviceKind;

    /// `{a; b}. c :- a. :~ b. [3]`, whose answer sets are {}, {b}, {a, c}, {a, b, c}.
    const TEXT: &str =
        "asp 1 0 0\n1 1 2 1 2 0 0\n1 0 1 3 0 1 1\n2 0 1 2 3\n4 1 a 1 1\n4 1 b 1 2\n4 1 c 1 3\n0\n";

    fn answers() -> Vec<Answer> {
        let set = |names: &str, cost| (names.chars().map(String::from).collect(), vec![cost]);
        vec![set("abc", 3), set("", 0), set("ac", 0), set("b", 3)]
    }

    #[test]
    fn all_ways_agree_with_what_is_right_and_with_nothing_else() {
        let right = Facts::of(&answers());
        let limit = Duration::from_secs(60);
        assert_eq!((right.all.number, &right.optimum, right.optimal.number), (4, &Some(vec![0]), 2));
        let (brave, cautious) = (right.brave.expect("one"), right.cautious.expect("one"));
        assert_eq!((brave.number, cautious.number), (3, 0));
        // `{b}` is missing, and what is left without the dearer ones.
        let wrong = Facts::of(&[(vec!["a".into()], vec![1])]);
        for way in 0..WAYS {
            let options = combination(way, DeviceKind::Cpu);
            assert_eq!(right.compare(TEXT.as_bytes(), way, options, limit), Ok(()), "way {way}");
            assert!(wrong.compare(TEXT.as_bytes(), way, options, limit).is_err(), "way {way}");
        }
    }

    #[test]
    fn the_order_does_not_matter_and_the_sets_do() {
        let mut turned = answers();
        turned.reverse();
        assert_eq!(Facts::of(&turned), Facts::of(&answers()));
        turned[0].0.push("d".into());
        assert_ne!(Facts::of(&turned).all, Facts::of(&answers()).all);
    }
}
