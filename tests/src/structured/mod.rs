//! Structured programs of medium size, with up to thousands of conflicts, compared with clasp or clingo.
//!
//! Main functions: [`make`] makes programs with what is known of their answer sets, [`write()`] and [`read()`] keep these in a folder, so
//! that [`check`] can run where there is no reference.

mod families;

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use solver_host::search::{Check, Engine, Learning, LoopCheck, Options, Preprocess, Restarts};

use crate::answers::{check_optimum, Facts, WAYS};
use crate::conform::Tally;
use crate::judge::{Judge, Judgement};
use crate::machine::Machine;
use crate::random::Random;
use families::FAMILIES;

/// The name of the list in a folder.
const LIST: &str = "expected.json";
/// How long the reference may look for an optimum, in seconds.
const REFERENCE_SECONDS: u32 = 60;
/// Programs with more answer sets are left out.
const MOST: usize = 20_000;
/// How many combinations of options each program is solved with.
const RUNS: usize = 4;

/// A program, and what is known of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    /// The family and the seed.
    pub name: String,
    /// What is known.
    pub expected: Expected,
    /// The ground program in aspif; in a folder it is a file of its own.
    #[serde(skip)]
    pub text: String,
}

/// What is known of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Expected {
    /// All about its answer sets.
    Facts(Facts),
    /// Its optimum; none if it has no answer set.
    Optimum(Option<Vec<i64>>),
}

/// Makes the programs of the seeds `first .. first + count`, one of each family in turn, and asks the reference. Returns also how many
/// had too many answer sets.
///
/// # Errors
/// If there is no reference, the reference fails, or what a family knows by itself is something else.
pub fn make(first: u64, count: usize) -> Result<(Vec<Known>, usize), String> {
    let judge = Judge::find()?;
    let mut all = Vec::new();
    let mut left_out = 0;
    for seed in first..first + count as u64 {
        let (family, generate) = FAMILIES[(seed % FAMILIES.len() as u64) as usize];
        let instance = generate(&mut Random::new(seed ^ 0x7374_7275));
        let text = instance.program.to_aspif();
        let name = format!("{family}-{seed}");
        let failed = |error: String| format!("{name}: {error}");
        let expected = match (instance.known, instance.only_optimum) {
            (Some(known), _) => {
                let facts = Facts::of(&known);
                // The reference may refuse the program.
                let listing = judge.reference.list(text.as_bytes(), &[], 0);
                if listing.is_ok_and(|listing| Facts::of(&listing.answers) != facts) {
                    return Err(failed("the reference does not say what the family knows".into()));
                }
                Expected::Facts(facts)
            }
            (None, true) => {
                let optimum = judge.reference.optimum(text.as_bytes(), REFERENCE_SECONDS);
                Expected::Optimum(optimum.map_err(failed)?.1)
            }
            (None, false) => {
                let listing = judge.reference.list(text.as_bytes(), &[], MOST + 1).map_err(failed)?;
                if !listing.is_complete || listing.answers.len() > MOST {
                    left_out += 1;
                    continue;
                }
                Expected::Facts(Facts::of(&listing.answers))
            }
        };
        all.push(Known { name, expected, text });
    }
    Ok((all, left_out))
}

/// Writes programs and what is known of them to a folder.
///
/// # Errors
/// If a file cannot be written.
pub fn write(folder: &Path, all: &[Known]) -> Result<(), String> {
    let told = |error: std::io::Error| format!("{}: {error}", folder.display());
    fs::create_dir_all(folder).map_err(told)?;
    for known in all {
        fs::write(folder.join(format!("{}.aspif", known.name)), &known.text).map_err(told)?;
    }
    let list = serde_json::to_string_pretty(all).map_err(|error| error.to_string())?;
    fs::write(folder.join(LIST), list + "\n").map_err(told)
}

/// Reads what [`write()`] wrote.
///
/// # Errors
/// If a file cannot be read, or the list is empty or none.
pub fn read(folder: &Path) -> Result<Vec<Known>, String> {
    let of = |name: &str| {
        let path = folder.join(name);
        fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let mut all: Vec<Known> = serde_json::from_str(&of(LIST)?)
        .map_err(|error| format!("{}: {error}", folder.join(LIST).display()))?;
    if all.is_empty() {
        return Err(format!("{}: no programs", folder.join(LIST).display()));
    }
    for known in &mut all {
        known.text = of(&format!("{}.aspif", known.name))?;
    }
    Ok(all)
}

/// Combination `index` of options with which a program with thousands of conflicts is solved in reasonable time: nogoods are learned by
/// resolution, and what keeps a search from going astray stays.
pub fn combination(index: usize, machine: Machine) -> Options {
    let mut rest = index;
    let mut pick = |count: usize| {
        let picked = rest % count;
        rest /= count;
        picked
    };
    let plain = Options { seed: index as u64, check: Check::All, ..Options::default() };
    // One search in four is the host's.
    let engine = [Engine::Resident, Engine::Resident, Engine::Resident, Engine::Host][pick(4)];
    let preprocess = [
        Preprocess::ALL,
        Preprocess::NONE,
        Preprocess { subsumed: true, eliminate: true, ..Preprocess::NONE },
    ];
    let restarts = [plain.restarts, Restarts::Luby(32), Restarts::Geometric(50, 1.3)];
    machine.set(Options {
        engine,
        preprocess: preprocess[pick(3)],
        keep_learned: [plain.keep_learned, 100][pick(2)],
        restarts: restarts[pick(3)],
        loop_check: [LoopCheck::Fixpoint, LoopCheck::Total][pick(2)],
        conflicts: [plain.conflicts, 1, 4][pick(3)],
        learning: [plain.learning, Learning::Resolution, Learning::Both][pick(3)],
        rephase: [plain.rephase, 50][pick(2)],
        ..plain
    })
}

/// Solves programs in several ways, each with several combinations of options. Calls `told` with each difference. A judge, if there is
/// one, decides about those.
pub fn check(
    all: &[Known],
    first: usize,
    machine: impl Into<Machine>,
    limit: Duration,
    judge: Option<&Judge>,
    told: &mut dyn FnMut(&str),
) -> Tally {
    let machine = machine.into();
    let mut tally = Tally::default();
    for (place, known) in all.iter().enumerate() {
        let text = known.text.as_bytes();
        for run in 0..RUNS {
            // 7 and 11 have no factor in common with the number of combinations, so that these come in turn.
            let options = combination(first + 7 * place + 11 * run, machine);
            let way = if run == 0 { 0 } else { 1 + (place + run) % (WAYS - 1) };
            tally.solves += 1;
            let compared = match &known.expected {
                Expected::Facts(facts) => {
                    tally.answer_sets += if way == 0 { facts.all.number as usize } else { 0 };
                    facts.compare(text, way, options, limit)
                }
                Expected::Optimum(optimum) => {
                    check_optimum(text, optimum.as_ref(), optimum.is_some(), options, limit)
                }
            };
            let Err(difference) = compared else { continue };
            let report = format!("{}, way {way}, {options:?}: {difference}", known.name);
            let agrees = |other: &Facts| other.compare(text, way, options, limit).is_ok();
            match judge
                .filter(|_| matches!(known.expected, Expected::Facts(_)))
                .map(|judge| judge.judge(text, &agrees))
            {
                Some(Judgement::Right(who)) => {
                    told(&format!("disputed, and {who} agrees with yasmin: {report}"));
                    tally.disputed += 1;
                }
                _ => {
                    told(&report);
                    tally.differences.push(report);
                }
            }
        }
    }
    tally
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let folder = std::env::temp_dir().join(format!("yasmin-structured-{}", std::process::id()));
        let facts = Facts::of(&[(vec!["a".into()], vec![1])]);
        let known =
            |name: &str, expected| Known { name: name.into(), expected, text: "asp 1 0 0\n0\n".into() };
        let all =
            [known("one", Expected::Facts(facts)), known("two", Expected::Optimum(Some(vec![-1 << 40])))];
        write(&folder, &all).expect("a temporary folder");
        assert_eq!(read(&folder).expect("just written"), all);
        fs::remove_dir_all(&folder).expect("just made");
        assert!(read(&folder).is_err());
    }

    #[test]
    fn a_seed_is_a_program_for_good() {
        for (name, generate) in FAMILIES {
            let text = |seed| generate(&mut Random::new(seed)).program.to_aspif();
            assert_eq!(text(1), text(1), "{name}");
            assert_ne!(text(1), text(2), "{name}");
        }
    }
}
