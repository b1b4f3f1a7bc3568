//! How to search: every choice with its default in one place.

use crate::device::DeviceKind;
use crate::nogoods::Preprocess;

/// How nogoods are learned from conflicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Learning {
    /// Dependency bitmaps: the decisions that the conflict depends on (`fwd`).
    Forward,
    /// Resolution to the first unique implication point (`res`).
    Resolution,
    /// A nogood each way from each conflict.
    Both,
}

/// What makes a variable worth deciding on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heuristic {
    /// Occurrences in nogoods, of either sign.
    Occurrences,
    /// Occurrences as `Tp`.
    Positive,
    /// Occurrences as `Fp`.
    Negative,
    /// Occurrences, each weighed by 2 to the minus length of its nogood (Jeroslow and Wang 1990).
    JeroslowWang,
    /// Part in recent conflicts (VSIDS, Moskewicz et al. 2001); occurrences to begin with.
    Activity,
    /// The same, as the program's heuristic directives change it.
    Domain,
}

/// What may be decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decide {
    /// Any open variable, atom or body: first as bodies are true and atoms are not, then as it was before.
    Any,
    /// Bodies of applicable rules, to be true (the paper's way), and choices.
    Applicable,
}

/// When to look for unfounded sets, in a program that is not tight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopCheck {
    /// At every fixpoint of propagation: unfounded atoms become false early.
    Fixpoint,
    /// Only for total assignments, as CompleteAssignment makes them (the paper's way).
    Total,
}

/// When to start over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Restarts {
    /// Never.
    None,
    /// After this many conflicts times the next number of the Luby sequence.
    Luby(u32),
    /// When the nogoods learned of late, times the second number, are of more levels than usual, but not before so many conflicts.
    Quality(u32, f64),
    /// After the first number of conflicts, then each time the second number times as many.
    Geometric(u32, f64),
}

/// Where the loop of the search runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Resident: it measured faster on a GPU and on the processor.
    Auto,
    /// On the host, which launches a kernel for each step.
    Host,
    /// On the device, in one launch.
    Resident,
}

/// Which threads share a resident search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Team {
    /// A grid if the program is large enough for such rounds, else a block.
    Auto,
    /// One warp.
    Warp,
    /// One block.
    Block,
    /// One block; in rounds of many visits a block a multiprocessor.
    Grid,
}

/// What a search is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// How nogoods are learned.
    pub learning: Learning,
    /// What may be decided.
    pub decide: Decide,
    /// How that is ranked.
    pub heuristic: Heuristic,
    /// Conflicts to learn from at most in one step, 1 to 64.
    pub conflicts: u32,
    /// When to look for unfounded sets.
    pub loop_check: LoopCheck,
    /// When to start over.
    pub restarts: Restarts,
    /// Conflicts by which turns of phases grow (see [`solver_gpu::kernels::rephase`]); 0: phases are as they were saved.
    pub rephase: u32,
    /// Learned nogoods to keep when some are deleted; grows as the search goes on.
    pub keep_learned: u32,
    /// Threads in a block: a multiple of 32, 32 to 1024. Means nothing on the CPU.
    pub threads_per_block: u32,
    /// Mixed into the order of equally ranked candidates.
    pub seed: u64,
    /// What to run on.
    pub device: DeviceKind,
    /// Where the loop runs.
    pub engine: Engine,
    /// Which threads share a resident search. Means nothing on the CPU.
    pub team: Team,
    /// A round of more visits than this is for all blocks of a grid, about; the first makes fewer by itself.
    pub visits_alone: u32,
    /// Whether the nogoods are simplified before the search.
    pub simplify: bool,
    /// What is done to the nogoods then; nothing unless they are simplified.
    pub preprocess: Preprocess,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            learning: Learning::Resolution,
            decide: Decide::Any,
            heuristic: Heuristic::Activity,
            conflicts: 1,
            loop_check: LoopCheck::Fixpoint,
            restarts: Restarts::Quality(50, 0.8),
            rephase: 1000,
            keep_learned: 2000,
            threads_per_block: 512,
            seed: 1,
            device: DeviceKind::Auto,
            engine: Engine::Auto,
            team: Team::Auto,
            visits_alone: 6000,
            simplify: true,
            preprocess: Preprocess::default(),
        }
    }
}
