//! Proofs: read, checked, and believed only if they are right.
//!
//! Main function: [`proof`].

use yasmin_check::clauses::{Clauses, Unwritten};
use yasmin_check::proof::Proof;
use yasmin_check::{program, Checker, Conclusion, Kind};
use yasmin_tests::rich::{self, Meaning};

use crate::program::is_small;
use crate::{Came, Verdict};

/// The line between the program and the proof.
const BETWEEN: &[u8] = b"\n---\n";

/// Reads a text as a ground program and a proof, with a line `---` between them, and checks the proof, also as clauses. A proof that is
/// accepted proves what the definition says.
///
/// # Errors
/// What is wrong.
pub fn proof(text: &[u8]) -> Verdict {
    let Some(at) = text.windows(BETWEEN.len()).position(|window| window == BETWEEN) else {
        return Ok(Came::Refused);
    };
    let (text, proof) = (&text[..at + 1], &text[at + BETWEEN.len()..]);
    let Ok(plain) = program::read("input", text) else { return Ok(Came::Refused) };
    let Ok(logged) = program::read("input", text) else {
        return Err("a program can only be read once".into());
    };
    let told = conclude(Checker::new(plain), proof, None)?;
    let (mut checker, mut lrat) = (Checker::logging(logged), Vec::new());
    if let Ok(clauses) = Clauses::new(&mut checker, &mut lrat, proof.len() as u64) {
        if let Some(other) = conclude(checker, proof, Some(clauses))? {
            if told.as_ref() != Some(&other) {
                return Err(format!("{told:?}, and as clauses {other:?}"));
            }
        }
    }
    let Some(told) = told else { return Ok(Came::Refused) };
    if !told.assumed.is_empty() {
        // The definition knows the program alone.
        return Ok(Came::Accepted);
    }
    match rich::read(text).filter(is_small) {
        Some(small) => is_true(&told, &Meaning::of(&small)).map(|()| Came::Solved),
        None => Ok(Came::Accepted),
    }
}

/// What a proof proves, if it is accepted and proves something.
fn conclude(
    mut checker: Checker,
    mut proof: &[u8],
    mut clauses: Option<Clauses>,
) -> Result<Option<Conclusion>, String> {
    let mut proof = Proof::new(&mut proof);
    loop {
        let step = match proof.step() {
            Ok(Some(step)) => step,
            Ok(None) => return Ok(checker.conclusion()),
            Err(error) => return is_a_line(&error.to_string()).map(|()| None),
        };
        let checked = match &mut clauses {
            Some(clauses) => clauses.step(&mut checker, &step),
            None => checker.step(&step).map_err(Unwritten::from),
        };
        if let Err(why) = checked {
            return is_a_line(&format!("{why}: {step}")).map(|()| None);
        }
    }
}

/// A reason is one line of printable text.
fn is_a_line(why: &str) -> Result<(), String> {
    match why.chars().any(char::is_control) || why.len() > 1000 {
        true => Err(format!("a reason with control characters, or of {} bytes: {why:?}", why.len())),
        false => Ok(()),
    }
}

/// Compares a conclusion with the definition.
fn is_true(told: &Conclusion, meaning: &Meaning) -> Result<(), String> {
    let is_within = |costs: &[i64]| {
        let costs = costs.iter().map(|&cost| i128::from(cost)).take(told.bounds.len());
        costs.collect::<Vec<_>>() <= told.bounds
    };
    let within: Vec<&Vec<i64>> = meaning.costs.iter().filter(|costs| is_within(costs)).collect();
    let best = within.iter().min().map(|best| best.iter().map(|&cost| i128::from(cost)).collect::<Vec<_>>());
    let is_right = match told.question {
        Kind::AnswerSets => told.answer_sets == within.len() as u64,
        Kind::Optimum => {
            let is_found = told.answer_sets > 0;
            is_found != within.is_empty() && (!is_found || told.costs.is_none() || told.costs == best)
        }
        // How many there are depends on what is shown; that there is one does not.
        _ => (told.answer_sets > 0) != within.is_empty(),
    };
    match is_right {
        true => Ok(()),
        false => Err(format!("{told:?}, and the costs of the answer sets are {:?}", meaning.costs)),
    }
}
