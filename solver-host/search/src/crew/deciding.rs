//! When a crew decides about the roles of its searchers, and what it looks at (see [`super::roles`]).

use super::roles::Seen;
use super::Crew;

impl Crew {
    /// Notes that a phase begins.
    pub(super) fn begin_roles(&mut self) {
        let seen = self.seen();
        self.roles.begin(seen);
    }

    /// Decides about the roles, if it is time.
    pub(super) fn decide_roles(&mut self) {
        let view = self.home.view;
        if view.may_race == 0 || !self.roles.is_due(self.conflicts()) {
            return;
        }
        let (seen, hub) = (self.seen(), self.home.hub());
        let racing = self.roles.decide(seen, hub.racing.load_relaxed() as u32, view.split_from);
        hub.racing.store_relaxed(racing as u64);
    }

    /// What the crew has seen since it was there.
    fn seen(&self) -> Seen {
        let mut seen = Seen::default();
        for (told, &width) in self.channel.told.iter().zip(&self.widths) {
            let of = told.statistics();
            seen.conflicts += of.conflicts;
            seen.searchers += width;
            seen.refuted += of.swarm.cubes_refuted;
            seen.decisions += of.swarm.cube_decisions;
            seen.spared += of.swarm.spared_decisions;
            seen.closed += of.swarm.closed;
        }
        seen
    }
}
