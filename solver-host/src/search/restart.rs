//! When to start over: the restart sequences.

use super::options::Restarts;
use solver_gpu::quality::{is_poor, ONE};
use solver_gpu::State;

/// Counts conflicts towards the next restart.
#[derive(Debug)]
pub struct Schedule {
    kind: Restarts,
    restarts: u64,
    conflicts: u64,
    limit: u64,
}

impl Schedule {
    /// The sequence from its beginning.
    pub fn new(kind: Restarts) -> Self {
        let mut schedule = Schedule { kind, restarts: 0, conflicts: 0, limit: 0 };
        schedule.limit = schedule.interval();
        schedule
    }

    fn interval(&self) -> u64 {
        match self.kind {
            Restarts::None => u64::MAX,
            Restarts::Quality(least, _) => least as u64,
            Restarts::Luby(base) => base as u64 * luby(self.restarts + 1),
            // A float beyond u64 saturates.
            Restarts::Geometric(base, factor) => (base as f64 * factor.powf(self.restarts as f64)) as u64,
        }
    }

    /// So many more conflicts.
    pub fn conflicts(&mut self, more: u64) {
        self.conflicts += more;
    }

    /// How many more until it is time.
    pub fn left(&self) -> u64 {
        self.limit.saturating_sub(self.conflicts)
    }

    /// Whether it is time.
    pub fn is_due(&self, state: &State) -> bool {
        self.conflicts >= self.limit && is_poor(state, self.quality())
    }

    /// By what to multiply recent nogoods' levels to compare them with others', in 1 / [`ONE`]; 0: never mind.
    pub fn quality(&self) -> u32 {
        match self.kind {
            Restarts::Quality(_, factor) => ((factor * ONE as f64) as u32).max(1),
            _ => 0,
        }
    }

    /// A restart was made.
    pub fn restarted(&mut self) {
        self.restarts += 1;
        self.conflicts = 0;
        self.limit = self.interval();
    }
}

/// Number `i` (from 1) of the sequence 1 1 2 1 1 2 4 ... (Luby, Sinclair and Zuckerman 1993).
fn luby(mut i: u64) -> u64 {
    loop {
        let k = 64 - i.leading_zeros();
        if i == (1 << k) - 1 {
            return 1 << (k - 1);
        }
        i -= (1 << (k - 1)) - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn luby_begins_as_published() {
        let first: Vec<u64> = (1..=15).map(luby).collect();
        assert_eq!(first, [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
    }

    #[test]
    fn limits_follow_the_sequence() {
        let mut s = Schedule::new(Restarts::Geometric(10, 2.0));
        let mut limits = vec![];
        for _ in 0..4 {
            limits.push(s.limit);
            while !s.is_due(&State::default()) {
                s.conflicts(1);
            }
            s.restarted();
        }
        assert_eq!(limits, [10, 20, 40, 80]);
        assert!(!Schedule::new(Restarts::None).is_due(&State::default()));
    }
}
