//! Solves programs with the solver under every combination of its options and compares with the definition.
//!
//! Main functions: [`random_programs`] for a range of seeds, [`solve`] for one program. Used by the tests and, where
//! there is neither cargo nor a network, by the `yasmin-conformance` binary.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use solver_host::input;
use solver_host::search::{
    Check, Decide, Descent, Engine, Heuristic, Learning, LoopCheck, OptStrategy, Options, Preprocess,
    Restarts, SaveProgress, Shrink, SignDef, Solver, Step, TransExt, Usc,
};

use crate::machine::Machine;
use crate::oracle;
use crate::random::{generate, Knobs};
use crate::Spec;

const LEARNINGS: [Learning; 3] = [Learning::Forward, Learning::Resolution, Learning::Both];
const HEURISTICS: [Heuristic; 6] = [
    Heuristic::Occurrences,
    Heuristic::Positive,
    Heuristic::Negative,
    Heuristic::JeroslowWang,
    Heuristic::Activity,
    Heuristic::Domain,
];
const DECIDE: [Decide; 2] = [Decide::Any, Decide::Applicable];
const CONFLICTS: [u32; 2] = [1, 4];
const RESTARTS: [Restarts; 4] =
    [Restarts::None, Restarts::Luby(2), Restarts::Geometric(2, 1.5), Restarts::Quality(2, 0.9)];
const THREADS: [u32; 3] = [32, 64, 512];
// A limit of 2 makes small programs delete learned nogoods, too.
const KEEP_LEARNED: [u32; 2] = [2000, 2];
const LOOP_CHECK: [LoopCheck; 2] = [LoopCheck::Fixpoint, LoopCheck::Total];
// Preprocessing comes after simplification only; first and last what each can do without the other.
const SIMPLIFY: [(bool, Preprocess); 5] = [
    (true, Preprocess::ALL),
    (true, Preprocess::NONE),
    (true, Preprocess { failed: true, equivalent: true, ..Preprocess::NONE }),
    (true, Preprocess { subsumed: true, eliminate: true, ..Preprocess::NONE }),
    (false, Preprocess::NONE),
];
/// As many atoms as no head of a random program has, and few: longer heads get auxiliary variables.
const LONGEST_HEAD: [u32; 2] = [16, 1];
/// Small counts do without auxiliary variables, unless all get some.
const TRANS_EXT: [TransExt; 4] = [TransExt::All, TransExt::Dynamic, TransExt::Integ, TransExt::Scc];
/// Turns of phases that come often, none, and some that come seldom.
const REPHASE: [u32; 3] = [1, 0, 20];
// Two of three searches are resident.
const ENGINES: [Engine; 3] = [Engine::Host, Engine::Resident, Engine::Resident];

/// How far a jump has to go to save phases. Small programs have few levels.
const SAVE_PROGRESS: [SaveProgress; 4] =
    [SaveProgress::Levels(1), SaveProgress::Auto, SaveProgress::Levels(0), SaveProgress::Levels(2)];

const SIGNS: [SignDef; 4] = [SignDef::Asp, SignDef::Pos, SignDef::Neg, SignDef::Rnd];

const ALL_OF_USC: Usc = Usc { disjoint: true, stratify: true, minimise: 64, exhaust: true };
const STRATEGIES: [(OptStrategy, Shrink); 11] = [
    (OptStrategy::Auto, Shrink::Min(64)),
    (OptStrategy::Turns(1), Shrink::Min(64)),
    (OptStrategy::Turns(3), Shrink::No),
    (OptStrategy::Bb(Descent::Lin), Shrink::Min(64)),
    (OptStrategy::Bb(Descent::Hier), Shrink::Min(64)),
    (OptStrategy::Bb(Descent::Inc), Shrink::Min(64)),
    (OptStrategy::Bb(Descent::Dec), Shrink::Min(64)),
    (OptStrategy::Usc(ALL_OF_USC), Shrink::No),
    (OptStrategy::Usc(Usc { stratify: false, disjoint: false, ..ALL_OF_USC }), Shrink::Min(64)),
    (OptStrategy::Usc(Usc { stratify: false, exhaust: false, ..ALL_OF_USC }), Shrink::No),
    (OptStrategy::Usc(Usc { disjoint: false, ..ALL_OF_USC }), Shrink::Min(64)),
];

const SYMMETRY_AFTER: [u32; 4] = [20_000, 0, 1, 5];

/// How many combinations of options there are.
pub const COMBINATIONS: usize = LEARNINGS.len()
    * ENGINES.len()
    * HEURISTICS.len()
    * DECIDE.len()
    * SIMPLIFY.len()
    * CONFLICTS.len()
    * RESTARTS.len()
    * REPHASE.len()
    * THREADS.len()
    * KEEP_LEARNED.len()
    * LOOP_CHECK.len();

/// Combination `index` (taken modulo [`COMBINATIONS`]); neighbours differ in learning and engine first, so that
/// few programs already cover these. A machine may ask for other neighbours (see [`Machine::step`]).
pub fn combination(index: usize, machine: impl Into<Machine>) -> Options {
    let machine = machine.into();
    let index = index.wrapping_mul(machine.step);
    let mut rest = index % COMBINATIONS;
    let mut pick = |count: usize| {
        let picked = rest % count;
        rest /= count;
        picked
    };
    // By the parity of the bits, which goes with none of the other options. No factor of its own, as only
    // programs with disjunctions differ.
    let longest_head = LONGEST_HEAD[(index % COMBINATIONS).count_ones() as usize % 2];
    // Likewise: signs change where the search begins, and no other option depends on them.
    let sign_def = SIGNS[(index % COMBINATIONS) / 7 % SIGNS.len()];
    let sign_fix = (index % COMBINATIONS).is_multiple_of(11);
    let trans_ext = TRANS_EXT[(index % COMBINATIONS) / 2 % TRANS_EXT.len()];
    // Only searches for one answer set or one optimum differ in this.
    let symmetry_after = SYMMETRY_AFTER[(index % COMBINATIONS) / 3 % SYMMETRY_AFTER.len()];
    let save_progress = SAVE_PROGRESS[(index % COMBINATIONS) / 5 % SAVE_PROGRESS.len()];
    // And only programs with minimize statements differ in these.
    let (opt_strategy, opt_usc_shrink) = STRATEGIES[mixed(index % COMBINATIONS) % STRATEGIES.len()];
    let learning = LEARNINGS[pick(LEARNINGS.len())];
    let engine = ENGINES[pick(ENGINES.len())];
    let rephase = REPHASE[pick(REPHASE.len())];
    let (simplify, preprocess) = SIMPLIFY[pick(SIMPLIFY.len())];
    let options = Options {
        learning,
        engine,
        heuristic: HEURISTICS[pick(HEURISTICS.len())],
        decide: DECIDE[pick(DECIDE.len())],
        rephase,
        loop_check: LOOP_CHECK[pick(LOOP_CHECK.len())],
        simplify,
        preprocess,
        conflicts: CONFLICTS[pick(CONFLICTS.len())],
        restarts: RESTARTS[pick(RESTARTS.len())],
        longest_head,
        trans_ext,
        sign_def,
        sign_fix,
        save_progress,
        symmetry_after,
        opt_strategy,
        opt_usc_shrink,
        threads_per_block: THREADS[pick(THREADS.len())],
        keep_learned: KEEP_LEARNED[pick(KEEP_LEARNED.len())],
        seed: index as u64,
        check: Check::All,
        ..Options::default()
    };
    machine.set(options)
}

/// A number that goes with none of the other options.
fn mixed(index: usize) -> usize {
    ((index as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize
}

/// Combination `index` for programs that need a search worth the name: ranks, restarts, turns and deletion stay the default's, since
/// without them some of `data/` take hours.
pub fn sensible(index: usize, machine: impl Into<Machine>) -> Options {
    let Options { heuristic, restarts, rephase, keep_learned, .. } = Options::default();
    Options { heuristic, restarts, rephase, keep_learned, ..combination(index, machine) }
}

/// An answer set as it is printed: the names of its atoms, sorted.
pub type Shown = Vec<String>;

/// Up to `most` answer sets of the program in `file` (0: all), in the order found, and whether these are all.
pub fn solve(file: &Path, options: Options, most: usize) -> Result<(Vec<Shown>, bool), String> {
    let opened = input::ground::Inputs::open(&[file.to_path_buf()]).map_err(|error| error.to_string())?;
    let program = opened.read_ground().map_err(|error| error.to_string())?;
    let mut solver = Solver::new(program, options).map_err(|error| error.to_string())?;
    let mut found = Vec::new();
    while most == 0 || found.len() < most {
        match solver.next_answer(&|| false).map_err(|error| error.to_string())? {
            Step::Answer(answer) => {
                let mut names: Shown =
                    answer.shown(solver.program()).into_iter().map(str::to_string).collect();
                names.sort_unstable();
                found.push(names);
            }
            Step::Counted(_) => return Err("answer sets were only counted".into()),
            Step::Exhausted => return Ok((found, true)),
            Step::Interrupted => return Err("interrupted, though nobody asked".into()),
        }
    }
    Ok((found, false))
}

/// What came of a number of solves.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// How many solves there were.
    pub solves: usize,
    /// How many answer sets they found.
    pub answer_sets: usize,
    /// How many programs had too many answer sets to be compared.
    pub left_out: usize,
    /// How many solves differ from a reference, and agree with the definition or another reference.
    pub disputed: usize,
    /// A report for each solve that differs from what is right.
    pub differences: Vec<String>,
}

/// Solves the programs of the seeds `first .. first + count`, `runs` times each, each time with another combination of
/// options, and compares each set of answer sets with [`oracle::answer_sets`]. Calls `told` with each difference.
///
/// A run of at least [`COMBINATIONS`] programs covers all combinations.
pub fn random_programs(
    first: u64,
    count: usize,
    runs: usize,
    machine: impl Into<Machine>,
    told: &mut dyn FnMut(&str),
) -> std::io::Result<Tally> {
    let folder = Scratch::new()?;
    let machine = machine.into();
    let mut tally = Tally::default();
    let mut programs = Vec::with_capacity(count);
    for seed in first..first + count as u64 {
        let spec = generate(&Knobs::varied(seed), seed);
        let file = folder.0.join(format!("seed-{seed}.aspif"));
        fs::write(&file, spec.to_aspif())?;
        let want = expected(&spec);
        programs.push((seed, spec, file, want));
    }
    for run in 0..runs {
        for (place, (seed, spec, file, want)) in programs.iter().enumerate() {
            // 7 has no factor in common with the number of combinations: a program meets another one in each run.
            let options = combination(place + 7 * run, machine);
            let got = solve(file, options, 0).map(|(found, _)| found);
            tally.solves += 1;
            tally.answer_sets += got.as_ref().map_or(0, Vec::len);
            if let Some(report) = difference(want, got) {
                let report = format!("seed {seed}, {options:?}: {report}\n{}", spec.to_lp());
                told(&report);
                tally.differences.push(report);
            }
        }
    }
    Ok(tally)
}

/// The answer sets by the definition, as they are printed.
fn expected(spec: &Spec) -> Vec<Shown> {
    let named = |set: &oracle::Set| {
        let mut names: Shown = (0..spec.atoms).filter(|a| set >> a & 1 == 1).map(Spec::name).collect();
        names.sort_unstable();
        names
    };
    oracle::answer_sets(spec).iter().map(named).collect()
}

/// How what was found differs from what is right; `None` if it does not. An answer set found twice is a difference.
fn difference(want: &[Shown], got: Result<Vec<Shown>, String>) -> Option<String> {
    let got = match got {
        Ok(got) => got,
        Err(error) => return Some(format!("error: {error}")),
    };
    let mut counts: BTreeMap<&Shown, i64> = BTreeMap::new();
    got.iter().for_each(|set| *counts.entry(set).or_default() += 1);
    want.iter().for_each(|set| *counts.entry(set).or_default() -= 1);
    let mut report = String::new();
    for (set, surplus) in counts {
        let how = match surplus {
            0 => continue,
            1.. => "wrong or found twice",
            _ => "missing",
        };
        let _ = write!(report, "{how}: {{{}}}; ", set.join(" "));
    }
    (!report.is_empty()).then_some(report)
}

/// A folder of its own under the system's temporary one, removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> std::io::Result<Self> {
        use std::sync::atomic::{AtomicU32, Ordering};
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("yasmin-conform-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder)?;
        Ok(Scratch(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left in the temporary folder is the system's to clean.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use solver_host::device::DeviceKind;
    use std::collections::BTreeSet;

    #[test]
    fn a_run_covers_all_combinations() {
        let of_run = |run: usize| -> BTreeSet<String> {
            (0..COMBINATIONS)
                .map(|place| {
                    let options = Options { seed: 0, ..combination(place + 7 * run, DeviceKind::Cpu) };
                    format!("{options:?}")
                })
                .collect()
        };
        assert_eq!(of_run(0).len(), COMBINATIONS);
        assert_eq!(of_run(3), of_run(0));
    }

    #[test]
    fn differences_are_told() {
        let set = |names: &str| -> Shown { names.split_whitespace().map(str::to_string).collect() };
        let want = [set("a"), set("b")];
        assert_eq!(difference(&want, Ok(vec![set("b"), set("a")])), None);
        assert!(difference(&want, Ok(vec![set("b"), set("a"), set("a")])).is_some());
        assert!(difference(&want, Ok(vec![set("a")])).is_some());
        assert!(difference(&want, Err("lost".into())).is_some());
    }
}
