//! Proofs of several ranks: random programs that all ranks of MPI solve together, each of which writes a part
//! of the proof, and parts that were changed.
//!
//! Main function: [`cases`], which every rank calls with the same arguments. Rank 0 reads the parts, has the
//! checker judge all of them together, and changes them.

use std::path::{Path, PathBuf};

use serde_json::Value;
use yasmin_check::parts::Merged;
use yasmin_check::program;
use yasmin_check::proof::{Item, Proof, Source, Writer};
use yasmin_mpi::rank::Rank;

use crate::claims::{ranks, Case, Kind, Outcome};
use crate::proofs::{self, accept, agrees, judge, proved};
use crate::random::Random;

/// What came of a number of cases.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// What came of the whole proofs.
    pub proofs: proofs::Tally,
    /// How many parts other ranks than rank 0 have written, and how many of these have a step.
    pub parts: (usize, usize),
    /// How many proofs were refused after a change, and how many were accepted and conclude what is true.
    pub changed: (usize, usize),
}

/// The files of all ranks: nothing of a rank that has written none.
type Files = Vec<Option<Vec<u8>>>;

/// Proves the cases of the seeds `first .. first + count` by all ranks. Calls `told` with each failure.
/// Returns what came of them on rank 0, and nothing on other ranks.
///
/// # Errors
/// A sentence, if the ranks cannot go on together. Then MPI is not ended, and this process has to end at
/// once.
pub fn cases(
    rank: &Rank,
    kind: Kind,
    first: u64,
    count: usize,
    told: &mut dyn FnMut(&str),
) -> Result<Option<Tally>, String> {
    let mut tally = Tally::default();
    // All ranks have one parent on this machine.
    let parent = std::os::unix::process::parent_id();
    let file = |seed: u64| std::env::temp_dir().join(format!("yasmin-{parent}-{seed}.proof"));
    let typed = |seed: u64| ranks::typed(proved(proofs::case(kind, seed), &file(seed)), seed);
    ranks::each(rank, first..first + count as u64, typed, |seed, case, typed, outcome| {
        let Some(outcome) = outcome else {
            // A rank that has come too late for the last case has written its part after rank 0 has looked.
            let _ = std::fs::remove_file(part(&file(seed.wrapping_sub(1)), rank.number() as usize));
            return;
        };
        if let Err(how) = tally.add(seed, case, &outcome, &file(seed)) {
            let words = &typed.rest;
            let report = format!("proofs seed {seed}: {how}\n{words:?}\n{}{}", case.told(), case.line());
            told(&report);
            tally.proofs.failures.push(report);
        }
    })?;
    Ok((rank.number() == 0).then_some(tally))
}

/// The file of a rank's part.
fn part(first: &Path, rank: usize) -> PathBuf {
    match rank {
        0 => first.to_path_buf(),
        _ => format!("{}.{rank}", first.display()).into(),
    }
}

impl Tally {
    /// Checks what came of a case whose proof is in this file and in those next to it, which are removed.
    fn add(&mut self, seed: u64, case: &Case, outcome: &Outcome, file: &Path) -> Result<(), String> {
        self.proofs.cases += 1;
        let files: Files = (0..MOST_RANKS).map(|rank| std::fs::read(part(file, rank)).ok()).collect();
        (0..MOST_RANKS).for_each(|rank| drop(std::fs::remove_file(part(file, rank))));
        if let Some(wrong) = outcome.wrong.first() {
            return Err(wrong.to_string());
        }
        let document: Value =
            serde_json::from_slice(&outcome.printed.out).map_err(|error| error.to_string())?;
        let program = case.subject.text();
        let merged = merge(program.as_bytes(), &files)?;
        let told = judge(case, &merged, &document, outcome.printed.code)?;
        self.proofs.proved += told.is_proved as usize;
        self.proofs.steps += told.steps;
        self.proofs.clauses += told.is_clauses as usize;
        let others = || files[1..].iter().flatten();
        self.parts.0 += others().count();
        self.parts.1 += others().filter(|bytes| has_steps(bytes)).count();
        let is_text = case.options.iter().all(|word| !word.starts_with("--proof-format"));
        if told.is_proved && is_text {
            self.change(&program, &files, &document, &mut Random::new(seed))?;
        }
        Ok(())
    }

    /// Changes the parts of an accepted proof in some ways.
    fn change(
        &mut self,
        program: &str,
        files: &Files,
        document: &Value,
        random: &mut Random,
    ) -> Result<(), String> {
        let lines = |bytes: &Option<Vec<u8>>| -> Option<Vec<String>> {
            Some(String::from_utf8_lossy(bytes.as_ref()?).lines().map(String::from).collect())
        };
        let texts: Vec<Option<Vec<String>>> = files.iter().map(lines).collect();
        for _ in 0..6 {
            let mut texts = texts.clone();
            let Some(must_say) = changed(&mut texts, random) else { continue };
            let told =
                || texts.iter().flatten().map(|text| text.join("\n")).collect::<Vec<_>>().join("\n---\n");
            let bytes: Files = texts
                .iter()
                .map(|text| Some(format!("{}\n", text.as_ref()?.join("\n")).into_bytes()))
                .collect();
            let concluded =
                merge(program.as_bytes(), &bytes).and_then(|merged| accept(program.as_bytes(), &merged[..]));
            match concluded {
                Err(why) if must_say.is_none_or(|word| why.contains(word)) => self.changed.0 += 1,
                Ok((Some(conclusion), _)) if must_say.is_none() => {
                    agrees(&conclusion, document).map_err(|how| format!("changed: {how}\n{}", told()))?;
                    self.changed.1 += 1;
                }
                other => return Err(format!("changed: {other:?} instead of {must_say:?}\n{}", told())),
            }
        }
        Ok(())
    }
}

/// More ranks than tests start.
const MOST_RANKS: usize = 16;

/// Whether a part has more than marks.
fn has_steps(bytes: &[u8]) -> bool {
    let mut proof = Proof::new(bytes);
    std::iter::from_fn(|| proof.item().ok().flatten()).any(|item| matches!(item, Item::Step(_)))
}

/// All parts as one proof.
fn merge(program: &[u8], files: &Files) -> Result<Vec<u8>, String> {
    let program = program::read("program", program).map_err(|error| error.to_string())?;
    let first = files[0].as_ref().ok_or("rank 0 has written no proof")?;
    let mut merged = Merged::new(&program, ("rank 0".into(), Box::new(&first[..])), |number| {
        let bytes = files.get(number as usize).and_then(Option::as_ref);
        let bytes = bytes.ok_or_else(|| format!("rank {number} has written no part"))?;
        Ok((format!("rank {number}"), Box::new(&bytes[..])))
    });
    let mut all = Vec::new();
    let mut writer = Writer::new(&mut all, first.starts_with(b"y")).map_err(|error| error.to_string())?;
    if let Err(why) = merged.write_to(&mut writer) {
        return Err(format!("{} of {}: {why}", merged.place(), merged.file().unwrap_or("the proof")));
    }
    drop(writer);
    Ok(all)
}

/// Changes something. Returns what has to be said of it, if it is surely refused; nothing if there was
/// nothing to change.
fn changed(texts: &mut [Option<Vec<String>>], random: &mut Random) -> Option<Option<&'static str>> {
    // Only the parts of those count that have joined.
    let joined: Vec<usize> =
        texts.iter().flatten().flatten().filter_map(|line| line.strip_prefix("j ")?.parse().ok()).collect();
    let of =
        |random: &mut Random, parts: &[usize]| (!parts.is_empty()).then(|| parts[random.below(parts.len())]);
    match random.below(6) {
        // A step less.
        0 | 1 => {
            let all: Vec<usize> = [0].into_iter().chain(joined).collect();
            let lines = texts[of(random, &all)?].as_mut()?;
            let is_step = |line: &&usize| lines[**line].starts_with(['n', 'u', 'a', 'x', 'r', 'l']);
            let steps: Vec<usize> = (0..lines.len()).collect();
            let steps: Vec<usize> = steps.iter().filter(is_step).copied().collect();
            lines.remove(of(random, &steps)?);
            Some(None)
        }
        // A part of another run.
        2 => {
            let lines = texts[of(random, &joined)?].as_mut()?;
            let (rest, _) = lines[1].rsplit_once(' ')?;
            lines[1] = format!("{rest} 17");
            Some(Some("of another run"))
        }
        // A part that was cut short.
        3 => {
            let lines = texts[of(random, &joined)?].as_mut()?;
            lines.truncate(2 + random.below(lines.len() - 2));
            Some(Some("ends too early"))
        }
        // Two clocks exchanged.
        4 => {
            let lines = texts[of(random, &joined)?].as_mut()?;
            let clocks: Vec<usize> = (0..lines.len()).filter(|&at| lines[at].starts_with("t ")).collect();
            let (one, other) = (of(random, &clocks)?, of(random, &clocks)?);
            lines.swap(one, other);
            (one != other).then_some(Some("the clock goes from"))
        }
        // A part whose clock goes ahead or behind.
        _ => {
            let lines = texts[of(random, &joined)?].as_mut()?;
            let clock = |line: &String| line.strip_prefix("t ")?.parse::<i64>().ok();
            let first = lines.iter().find_map(clock)?;
            let more = random.below(20) as i64 - 10;
            if first + more < 1 {
                return None;
            }
            for line in lines.iter_mut() {
                if let Some(clock) = clock(line) {
                    *line = format!("t {}", clock + more);
                }
            }
            // It may go before the part itself joins.
            Some(None)
        }
    }
}
