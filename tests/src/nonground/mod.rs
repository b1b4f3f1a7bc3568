//! Small random programs with variables, grounded by a grounder and compared with clasp or clingo.
//!
//! Main function: [`programs`].

mod generate;

pub use generate::generate;

use std::time::Duration;

use crate::answers::{Facts, WAYS};
use crate::conform::{combination, Tally};
use crate::judge::{Judge, Judgement};
use crate::machine::Machine;

/// How long a search may take.
const LIMIT: Duration = Duration::from_secs(120);

/// Programs with more answer sets are left out.
const MOST: usize = 2000;

/// Solves the programs of the seeds `first .. first + count` in every way of reasoning, each with another combination of
/// options. Calls `told` with each difference, and with what else is worth a line.
///
/// # Errors
/// If there is no grounder or nothing to compare with, or if one of these fails.
pub fn programs(
    first: u64,
    count: usize,
    machine: impl Into<Machine>,
    told: &mut dyn FnMut(&str),
) -> Result<Tally, String> {
    let judge = Judge::find()?;
    let grounder = crate::reference::Grounder::find()?;
    let machine = machine.into();
    let mut tally = Tally::default();
    for seed in first..first + count as u64 {
        let source = generate(seed);
        let ground =
            grounder.ground(&source).map_err(|error| format!("nonground seed {seed}: {error}\n{source}"))?;
        let listing = judge.reference.list(&ground, &[], MOST + 1)?;
        if !listing.is_complete || listing.answers.len() > MOST {
            tally.left_out += 1;
            continue;
        }
        let facts = Facts::of(&listing.answers);
        tally.answer_sets += listing.answers.len();
        for way in 0..WAYS {
            let options = combination(seed as usize * WAYS + way, machine);
            tally.solves += 1;
            let Err(difference) = facts.compare(&ground, way, options, LIMIT) else { continue };
            let agrees = |other: &Facts| other.compare(&ground, way, options, LIMIT).is_ok();
            let note = format!("nonground seed {seed}, {options:?}: {difference}");
            match judge.judge(&ground, &agrees) {
                Judgement::Wrong => {
                    let report = format!("{note}\n{source}");
                    told(&report);
                    tally.differences.push(report);
                }
                Judgement::Right(who) => {
                    told(&format!("disputed, and {who} agrees with yasmin: {note}"));
                    tally.disputed += 1;
                }
            }
        }
    }
    Ok(tally)
}
