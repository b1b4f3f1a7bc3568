//! The memory in which the searchers of a phase meet: what they are asked for, and with what the memory
//! begins.
//!
//! Main function: [`Terms::home`].

use super::shared::Shared;
use crate::campaign::plan::{Phase, Plan};
use crate::{Options, SolveError};
use solver_gpu::layout::{Sizes, BETTER, NARROW};
use solver_gpu::swarm::queue;
use solver_gpu::{Lit, Swarm};
use yasmin_device::{self as device, DeviceKind, Setup};
use yasmin_nogoods::SumStore;

/// The shortest race of many searchers, in conflicts of each.
const SHORTEST_RACE: u32 = 400;

/// So many searchers race for as many conflicts of each as one does.
const FEW: u32 = 16;

/// What the searchers of a phase are asked for.
pub struct Terms<'a> {
    pub options: &'a Options,
    pub plan: &'a Plan,
    pub sums: &'a SumStore,
    /// The number of variables, if the searchers are under assumptions; else 0.
    pub assumable: u32,
    /// Whether an answer set may be found twice, so that searchers may race for one.
    pub may_race: bool,
    /// The number of conflicts that each searcher meets in the race before it first gives a cube away; 0 if
    /// they do not race first (see [`race_of`]).
    pub split_from: u32,
    /// Whether searchers count answer sets instead of reporting them.
    pub counts: bool,
    /// The number of answer sets after which all searchers return; 0 for no limit.
    pub limit: u64,
    /// Whether searchers may search near the best answer set, which somebody has to
    /// [tell](Shared::tell_chosen).
    pub may_be_near: bool,
}

impl Terms<'_> {
    /// The swarm as kernels see it, with numbers and without arrays.
    pub(super) fn about(&self, searchers: u32) -> Swarm {
        let (options, may_race) = (self.options, self.may_race);
        Swarm {
            searchers,
            may_race: may_race as u32,
            near_best: if self.may_be_near && self.plan.choices() > 0 { options.near_best } else { 0 },
            races_first: (self.split_from > 0) as u32,
            split_from: self.split_from,
            split_after: if may_race { options.split_after } else { 0 },
            look_ahead: if may_race { options.cube_lookahead } else { 0 },
            share_len: options.share_length,
            share_lbd: options.share_lbd,
            import_every: options.import_every,
            import_most: options.import_most,
            tightens: if self.plan.phase() == Phase::Improve { BETTER } else { NARROW },
            ..Swarm::default()
        }
    }

    /// Memory for the searchers of a phase, `searchers` of which are on the processor. The first of them
    /// begins with the cube that is everything.
    ///
    /// # Errors
    /// If there is too little memory.
    pub fn home(&self, searchers: usize) -> Result<Shared, SolveError> {
        let shared = self.empty(searchers)?;
        if searchers > 0 {
            shared.hub().open.store_relaxed(1);
            shared.hub().hungry.store_relaxed(shared.view.hungry_at_first(searchers as u32 - 1));
        } else {
            queue::give(&shared.view, 0, |_| Lit::TRUE);
        }
        Ok(shared)
    }

    /// The same, for searchers of which none begins with a cube, as cubes come from elsewhere.
    ///
    /// # Errors
    /// If there is too little memory.
    pub fn home_away(&self, searchers: usize) -> Result<Shared, SolveError> {
        let shared = self.empty(searchers)?;
        shared.hub().open.store_relaxed(1);
        shared.hub().hungry.store_relaxed(shared.view.hungry_at_first(searchers as u32));
        Ok(shared)
    }

    /// The memory without a cube.
    fn empty(&self, searchers: usize) -> Result<Shared, SolveError> {
        let setup = Setup { threads: 1, ..self.options.setup() };
        let executor = device::open(DeviceKind::Cpu, setup)?;
        let (counters, items) = self.plan.goal_sum().map_or((0, 0), |sum| self.sums.sizes_of(sum));
        let about = self.about(searchers.max(1) as u32);
        let choices = if about.near_best > 0 { self.plan.choices() } else { 0 };
        let sizes = Sizes { counters, items, vars: self.assumable as usize, choices };
        let mut shared = Shared::new(executor, about, sizes)?;
        shared.counts = self.counts;
        shared.hub().answers_limit.store_relaxed(self.limit);
        shared.hub().racing.store_relaxed(self.options.racers.at_first() as u64);
        Ok(shared)
    }
}

/// The number of conflicts that each of `searchers` searchers meets before it first gives a cube away.
/// Refutations that [`FEW`] searchers find together without cubes are over then, as far as it was
/// measured.
pub fn race_of(options: &Options, searchers: u32) -> u32 {
    let of_all = options.split_from.saturating_mul(FEW);
    (of_all / searchers).max(SHORTEST_RACE).min(options.split_from)
}
