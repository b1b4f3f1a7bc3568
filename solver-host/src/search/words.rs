//! Control words of a search, as the host last read them.

use super::Solver;
use crate::device::Work;

impl Solver {
    pub(super) fn flag(&self, of: impl Fn(&solver_gpu::State) -> &cuda_std::atomic::SearchU32) -> bool {
        of(&self.memory.state).load() != 0
    }

    pub(super) fn in_conflict(&self) -> bool {
        self.flag(|s| &s.conflicts)
    }

    pub(super) fn level(&self) -> u32 {
        self.memory.state.level.load()
    }

    pub(super) fn learned(&self) -> u32 {
        self.memory.state.learned.load()
    }

    /// Work for a launch over what is on the trail.
    pub(super) fn trail(&self) -> Work {
        Work::Threads(self.memory.state.trail_len.load())
    }
}
