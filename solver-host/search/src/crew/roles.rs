//! Who of a crew searches everything, and who takes cubes: the crew decides that again and again while it
//! searches.
//!
//! Main type: [`Roles`]; [`super::deciding`] asks it. To divide the search space is right if the parts are
//! easier than the whole, and wrong if their refutations are the same one over and over again. The decisions
//! of refuted cubes tell: those that a refutation did not need have divided nothing. So the crew looks at
//! them each time that the number of conflicts has grown by half, and says anew how many of [`ROLES`] searchers
//! race. A searcher changes its role when it is next at its backtrack level (see
//! [`solver_gpu::swarm::cube::change_role`]).
//!
//! Invariant: the first searcher of each memory takes cubes, so that no cube is left alone.

use crate::options::Racers;
use crate::statistics::{Because, Decided};
use solver_gpu::layout::ROLES;
use solver_gpu::swarm::cube::WHOLE;

/// How many of [`ROLES`] searchers race if cubes divide the search space well, if none of them comes to an
/// end, and if they divide nothing.
const FEW: u32 = ROLES / 8;
const HALF: u32 = ROLES / 2;
const MOST: u32 = ROLES - ROLES / 8;

/// How many cubes have to be refuted before their decisions say anything.
const CUBES: u64 = 12;

/// Cubes divide nothing if the refutations spare one in so many decisions. Measured: in programs that a race
/// refutes two to three times as fast one in three to six, in programs that are divided with profit one in
/// ten to a hundred.
const SPARED: u64 = 7;

/// How many conflicts each searcher has to meet after the race before the part of the search space that is
/// closed says anything.
const CONFLICTS: u64 = 5_000;

/// What a crew has seen of its cubes in a phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// The number of conflicts.
    pub conflicts: u64,
    /// The number of searchers.
    pub searchers: u64,
    /// The number of refuted cubes.
    pub refuted: u64,
    /// The number of decisions that made these cubes, and of those that the refutations did not need.
    pub decisions: u64,
    /// See `decisions`.
    pub spared: u64,
    /// What they are of the search space, which is 2 to the power of [`WHOLE`].
    pub closed: u64,
}

impl Seen {
    /// What was seen since `before`. Another process may have begun to count anew.
    fn since(self, before: Seen) -> Seen {
        Seen {
            conflicts: self.conflicts.saturating_sub(before.conflicts),
            searchers: self.searchers,
            refuted: self.refuted.saturating_sub(before.refuted),
            decisions: self.decisions.saturating_sub(before.decisions),
            spared: self.spared.saturating_sub(before.spared),
            closed: self.closed.saturating_sub(before.closed),
        }
    }

    /// How many of [`ROLES`] searchers are to race, and why, after a race of `first` conflicts of each.
    fn judged(self, first: u32) -> (u32, Because) {
        if self.refuted >= CUBES && SPARED * self.spared > self.decisions {
            (MOST, Because::AreAlike)
        } else if self.conflicts > (CONFLICTS + u64::from(first)) * self.searchers
            && self.closed < 1 << (WHOLE - 5)
        {
            (HALF, Because::StayOpen)
        } else {
            (FEW, Because::Divide)
        }
    }
}

/// The roles of a crew's searchers.
#[derive(Clone, Debug)]
pub struct Roles {
    racers: Racers,
    /// What had been done when the phase began.
    before: Seen,
    /// The number of conflicts at which the crew looks next.
    next: u64,
    /// What was decided in all phases, as far as it changed something.
    pub decided: Vec<Decided>,
}

impl Default for Roles {
    /// Roles that nobody changes.
    fn default() -> Roles {
        Roles { racers: Racers::Each(0), before: Seen::default(), next: 0, decided: Vec::new() }
    }
}

impl Roles {
    /// Roles as the options say.
    pub fn of(racers: Racers) -> Roles {
        Roles { racers, ..Roles::default() }
    }

    /// Notes that a phase begins, when this had been seen.
    pub fn begin(&mut self, seen: Seen) {
        (self.before, self.next) = (seen, 0);
    }

    /// Whether it is time to look at the roles, after so many conflicts.
    pub fn is_due(&self, conflicts: u64) -> bool {
        self.racers == Racers::Auto && conflicts.saturating_sub(self.before.conflicts) >= self.next
    }

    /// How many of [`ROLES`] searchers are to race from now on, of whom `racing` did. The race was over after
    /// `first` conflicts of each.
    pub fn decide(&mut self, seen: Seen, racing: u32, first: u32) -> u32 {
        let seen = seen.since(self.before);
        self.next = seen.conflicts + seen.conflicts / 2 + first as u64;
        let (wanted, because) = seen.judged(first);
        if wanted != racing {
            self.decided.push(Decided { conflicts: seen.conflicts, racing: wanted, because });
        }
        wanted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cubes_that_divide_nothing_or_do_not_end_have_searchers_race() {
        let whole = 1 << WHOLE;
        let seen = |conflicts, refuted, decisions, spared, closed| {
            Seen { conflicts, searchers: 16, refuted, decisions, spared, closed }.judged(100)
        };
        assert_eq!(seen(0, 0, 0, 0, 0), (FEW, Because::Divide));
        assert_eq!(seen(20_000, 30, 100, 14, whole / 2), (FEW, Because::Divide));
        assert_eq!(seen(20_000, 30, 100, 15, whole / 2), (MOST, Because::AreAlike));
        assert_eq!(seen(20_000, 11, 100, 90, whole / 2), (FEW, Because::Divide));
        assert_eq!(seen(81_600, 11, 100, 10, whole / 33), (FEW, Because::Divide));
        assert_eq!(seen(81_601, 11, 100, 10, whole / 33), (HALF, Because::StayOpen));
        assert_eq!(seen(81_601, 11, 100, 10, whole / 32), (FEW, Because::Divide));
    }
}
