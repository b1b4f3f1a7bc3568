//! Joining: what a search begins with when it becomes a searcher of a swarm.
//!
//! Main function: [`join`], which the host calls on its copy of the control words, for searchers on threads
//! and for those of a launch alike. What a searcher begins a cube with is in [`super::cube`].
//!
//! Invariant: a searcher without a cube has `exhausted` set, unless it searches everything as others do.

use crate::layout::{looking, mode, State, Swarm};

/// The number of times at which searchers first import, so that they do not all import at the same time.
const TIMES: u64 = 4;

/// Sets the control words of a search that becomes searcher `number` of `swarm`. The searchers of a launch have
/// the control words of searcher 0.
///
/// `has_cube` says that the searcher has the cube that is everything, or a search of it that has begun. Any
/// other searcher searches everything as well if the swarm races first, and else waits for a cube. Called by
/// the host between two launches. The array `pool_seen` has to be zero.
pub fn join(state: &State, swarm: &Swarm, number: u32, has_cube: bool) {
    let (conflicts, every) = (state.counts.conflicts.load(), swarm.import_every as u64);
    state.import_every.store(every);
    state.import_at.store(conflicts + every * (TIMES + number as u64 % TIMES) / TIMES);
    state.split_at.store(conflicts);
    for word in [&state.bound_seen, &state.units_offered, &state.cube_len] {
        word.store(0);
    }
    state.root.store(1);
    state.looking.store(looking::NOT);
    if has_cube {
        state.mode.store(mode::CUBE);
        return;
    }
    let is_racing = swarm.races_first == 1;
    state.mode.store(if is_racing { mode::RACE } else { mode::IDLE });
    // A searcher that waits for a cube has nothing to search.
    state.exhausted.store(!is_racing as u32);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The control words of a search of 30 conflicts that has joined.
    fn joined(races_first: u32, number: u32, has_cube: bool) -> State {
        let state = State::default();
        state.counts.conflicts.store(30);
        for word in [&state.bound_seen, &state.units_offered, &state.cube_len, &state.root, &state.looking] {
            word.store(7);
        }
        let swarm = Swarm { searchers: 9, races_first, import_every: 100, ..Swarm::default() };
        join(&state, &swarm, number, has_cube);
        state
    }

    #[test]
    fn who_has_no_cube_waits_or_races() {
        for (races_first, has_cube, want) in [
            (0, true, (mode::CUBE, 0)),
            (1, true, (mode::CUBE, 0)),
            (0, false, (mode::IDLE, 1)),
            (1, false, (mode::RACE, 0)),
        ] {
            let state = joined(races_first, 1, has_cube);
            assert_eq!((state.mode.load(), state.exhausted.load()), want, "{races_first} {has_cube}");
            assert_eq!(
                (state.bound_seen.load(), state.units_offered.load(), state.cube_len.load()),
                (0, 0, 0)
            );
            assert_eq!(
                (state.root.load(), state.looking.load(), state.split_at.load()),
                (1, looking::NOT, 30)
            );
        }
    }

    #[test]
    fn first_imports_are_spread() {
        let at = [0, 1, 2, 3, 4].map(|number| joined(0, number, false).import_at.load());
        assert_eq!(at, [130, 155, 180, 205, 130]);
    }
}
