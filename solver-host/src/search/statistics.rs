//! What a search did, in numbers.

use crate::nogoods::{Preprocessed, Report};
use serde::Serialize;
use serde_json::{Map, Value};
use solver_gpu::State;

/// What the searchers of a swarm did for each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct SwarmStatistics {
    /// How many searchers there are.
    pub searchers: u64,
    /// 1 plus the number of the searcher that ended the search, or 0.
    #[serde(skip)]
    pub winner: u64,
    /// Cubes that searchers took,
    pub cubes_taken: u64,
    /// gave to others,
    pub cubes_given: u64,
    /// and searched to their end.
    pub cubes_refuted: u64,
    /// Literals that searchers tried before they divided a cube.
    pub probes: u64,
    /// Nogoods offered to others,
    pub offered: u64,
    /// not offered because they had been,
    pub doubled: u64,
    /// taken over,
    pub imported: u64,
    /// and of these, how many took part in a conflict.
    pub useful: u64,
    /// How often a searcher looked for a cube and found none.
    pub idle_looks: u64,
    /// Seconds that the searchers had, all together,
    pub searcher_seconds: f64,
    /// and of these, how many they had no cube in.
    pub idle_seconds: f64,
}

impl SwarmStatistics {
    /// Sets the counts to the sums over searchers with these control words.
    pub fn set_to<'a>(&mut self, states: impl Iterator<Item = &'a State> + Clone) {
        let sum = |of: fn(&State) -> u64| states.clone().map(of).sum::<u64>();
        self.cubes_taken = sum(|s| s.cubes_taken.load());
        self.cubes_given = sum(|s| s.cubes_given.load());
        self.cubes_refuted = sum(|s| s.cubes_refuted.load());
        self.probes = sum(|s| s.probes.load());
        self.offered = sum(|s| s.offered.load());
        self.doubled = sum(|s| s.doubled.load());
        self.imported = sum(|s| s.imported.load());
        self.useful = sum(|s| s.useful.load());
        self.idle_looks = sum(|s| s.idle_looks.load());
    }

    /// Adds the counts of other searchers.
    pub fn add(&mut self, other: &SwarmStatistics) {
        self.searchers += other.searchers;
        self.cubes_taken += other.cubes_taken;
        self.cubes_given += other.cubes_given;
        self.cubes_refuted += other.cubes_refuted;
        self.probes += other.probes;
        self.offered += other.offered;
        self.doubled += other.doubled;
        self.imported += other.imported;
        self.useful += other.useful;
        self.idle_looks += other.idle_looks;
        self.searcher_seconds += other.searcher_seconds;
        self.idle_seconds += other.idle_seconds;
    }

    /// Whether there are no several searchers.
    pub fn is_none(&self) -> bool {
        self.searchers == 0
    }
}

/// What one searcher on the processor did, or all searchers of a launch together.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SearcherStatistics {
    /// What the searcher ran on.
    pub device: String,
    /// How many searchers these are.
    pub searchers: u64,
    /// The counts of [`Statistics`] that say how a searcher searched.
    pub answer_sets: u64,
    /// Decisions.
    pub decisions: u64,
    /// Steps that ended in a conflict.
    pub conflicts: u64,
    /// Restarts.
    pub restarts: u64,
    /// Nogoods learned.
    pub learned: u64,
    /// Their literals.
    pub learned_literals: u64,
    /// Learned nogoods deleted.
    pub deleted: u64,
    /// Unfounded sets found.
    pub unfounded_sets: u64,
    /// What the searcher did for others.
    pub swarm: SwarmStatistics,
}

/// Counts of work since the search began, and what it was given.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Statistics {
    /// What the kernels ran on.
    pub device: String,
    /// The seed of every random choice.
    pub seed: u64,
    /// Decisions.
    pub decisions: u64,
    /// Steps that ended in a conflict.
    pub conflicts: u64,
    /// Violated nogoods found; several may be found in one step.
    pub violations: u64,
    /// Literals assigned, decisions included.
    pub propagations: u64,
    /// Rounds of PropagateAndCheck.
    pub rounds: u64,
    /// Visits of nogoods in these, by the resident search: one for each literal of a frontier and each nogood
    /// of its rows.
    pub visits: u64,
    /// Nogoods learned.
    pub learned: u64,
    /// Their literals.
    pub learned_literals: u64,
    /// Learned nogoods deleted.
    pub deleted: u64,
    /// Restarts.
    pub restarts: u64,
    /// Times CompleteAssignment was needed.
    pub completions: u64,
    /// Checks for foundedness.
    pub stability_checks: u64,
    /// Checks for smaller models, in programs with head cycles.
    pub minimality_checks: u64,
    /// Unfounded sets they found.
    pub unfounded_sets: u64,
    /// The highest decision level.
    pub deepest_level: u64,
    /// Answer sets found.
    pub answer_sets: u64,
    /// How many of them were verified against the program.
    pub checked_answers: u64,
    /// Times that assumptions were refuted, in a search by cores.
    pub cores: u64,
    /// Cores that were relaxed.
    pub cores_relaxed: u64,
    /// Their literals.
    pub core_literals: u64,
    /// Literals that were taken out of cores.
    pub core_literals_dropped: u64,
    /// Literals with costs that no better answer set can pay.
    pub costs_hardened: u64,
    /// Times that variables and sums were added to the search.
    pub extensions: u64,
    /// Kernel launches.
    pub launches: u64,
    /// Bytes copied to the device before the search.
    pub bytes_to_device_setup: u64,
    /// Bytes copied to the device during the search.
    pub bytes_to_device: u64,
    /// Bytes copied to the host during the search, answer sets included.
    pub bytes_to_host: u64,
    /// The most device memory held at a time, in bytes.
    pub bytes_on_device: u64,
    /// Seconds spent on translating and simplifying.
    pub prepare_seconds: f64,
    /// Seconds spent on opening the device and copying the problem to it.
    pub setup_seconds: f64,
    /// Seconds spent searching.
    pub solve_seconds: f64,
    /// Seconds spent on verifying answer sets.
    pub check_seconds: f64,
    /// What the searchers did for each other, if there were several.
    #[serde(skip_serializing_if = "SwarmStatistics::is_none")]
    pub swarm: SwarmStatistics,
    /// What each of them did; those of a launch are one entry.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub searchers: Vec<SearcherStatistics>,
    /// The program and its nogoods, before and after simplification.
    pub program: Report,
    /// What preprocessing did about them.
    pub preprocess: Preprocessed,
    /// The options in force, by name.
    pub options: Map<String, Value>,
}
