//! Joining: what a search begins with when it becomes a searcher of a swarm.
//!
//! Main function: [`join`], which the host calls on its copy of the control words, for searchers on threads
//! and for those of a launch alike. What a searcher begins a cube with is in [`super::begin`].
//!
//! Invariant: a searcher without a cube has `exhausted` set, unless it searches everything as others do.

use super::near;
use crate::layout::{looking, mode, State, Swarm};

/// The number of times at which searchers first import, so that they do not all import at the same time.
const TIMES: u64 = 4;

/// What a search has when it becomes a searcher of a swarm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Has {
    /// Nothing to search: the searcher searches everything as well if the swarm races first, and else waits
    /// for a cube. The search is at level 1.
    Nothing,
    /// The same, but the search is anywhere in another search. It jumps to level 1 first.
    Rest,
    /// The cube that is everything. The search is at level 1.
    Everything,
    /// The cube that is everything, which it searches already.
    Begun,
}

/// Sets the control words of a search that becomes searcher `number` of `swarm`, and that has `assumed`
/// assumptions, if any, at the beginning of its cube. The searchers of a launch have the control words of
/// searcher 0, unless they were in another search. Called by the host between two launches. The array
/// `pool_seen` has to be zero.
pub fn join(state: &State, swarm: &Swarm, number: u32, assumed: u32, has: Has) {
    let (conflicts, every) = (state.counts.conflicts.load(), swarm.import_every as u64);
    state.import_every.store(every);
    state.import_at.store(conflicts + every * (TIMES + number as u64 % TIMES) / TIMES);
    state.split_at.store(conflicts);
    state.near_at.store(conflicts);
    state.near_open.store(near::OPEN_FIRST);
    for word in [&state.bound_seen, &state.units_offered, &state.news, &state.wanted, &state.races] {
        word.store(0);
    }
    state.core_len.store(0);
    state.looking.store(looking::NOT);
    if has != Has::Begun {
        state.cube_len.store(assumed);
        state.root.store((assumed == 0) as u32);
        state.placed.store(0);
    }
    let is_racing = swarm.races_first == 1;
    let (mode, has_to_search) = match has {
        Has::Everything | Has::Begun => (mode::CUBE, true),
        Has::Nothing if is_racing => (mode::RACE, true),
        Has::Rest if is_racing => (mode::BACK, false),
        // A searcher that waits for a cube has nothing to search.
        Has::Nothing | Has::Rest => (mode::IDLE, false),
    };
    state.mode.store(mode);
    state.hungers.store((mode == mode::IDLE) as u32 * swarm.hungry_at_first(1));
    if mode != mode::CUBE {
        state.exhausted.store(!has_to_search as u32);
        state.backtrack_level.store(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The control words of a search of 30 conflicts that has joined.
    fn joined(races_first: u32, number: u32, assumed: u32, has: Has) -> State {
        let state = State::default();
        state.counts.conflicts.store(30);
        for word in [&state.bound_seen, &state.units_offered, &state.news, &state.wanted, &state.races] {
            word.store(7);
        }
        for word in [&state.cube_len, &state.root, &state.looking] {
            word.store(7);
        }
        let swarm = Swarm { searchers: 9, races_first, import_every: 100, ..Swarm::default() };
        join(&state, &swarm, number, assumed, has);
        state
    }

    #[test]
    fn who_has_no_cube_waits_or_races() {
        for (races_first, has, want) in [
            (0, Has::Everything, (mode::CUBE, 0)),
            (1, Has::Everything, (mode::CUBE, 0)),
            (1, Has::Begun, (mode::CUBE, 0)),
            (0, Has::Nothing, (mode::IDLE, 1)),
            (1, Has::Nothing, (mode::RACE, 0)),
            (0, Has::Rest, (mode::IDLE, 1)),
            (1, Has::Rest, (mode::BACK, 1)),
        ] {
            for assumed in [0, 3] {
                let state = joined(races_first, 1, assumed, has);
                let told = (state.mode.load(), state.exhausted.load());
                assert_eq!(told, want, "{races_first} {has:?}");
                assert_eq!(state.hungers.load(), (want.0 == mode::IDLE) as u32, "{races_first} {has:?}");
                let shared =
                    [&state.bound_seen, &state.units_offered, &state.news, &state.wanted, &state.races];
                assert!(shared.iter().all(|word| word.load() == 0));
                assert_eq!((state.looking.load(), state.split_at.load()), (looking::NOT, 30));
                let cube = (state.cube_len.load(), state.root.load());
                let begins = (assumed, (assumed == 0) as u32);
                assert_eq!(cube, if has == Has::Begun { (7, 7) } else { begins }, "{has:?}");
            }
        }
    }

    #[test]
    fn first_imports_are_spread() {
        let at = [0, 1, 2, 3, 4].map(|number| joined(0, number, 0, Has::Nothing).import_at.load());
        assert_eq!(at, [130, 155, 180, 205, 130]);
    }
}
