//! Choosing what a search does next, after PropagateAndCheck has reached a fixpoint or a conflict (paper,
//! Algorithm 1).
//!
//! Main function: [`next_step`]. The device's loop ([`crate::kernels::search`]) and the host's loop both
//! match on its result.
//!
//! Invariant: [`next_step`] reads control words, settings and lengths of arrays, and nothing else. The host
//! therefore calls the function on a copy of the control words.

use crate::deps::words_of;
use crate::kernels::rebuild_watches;
use crate::layout::{asks, Depth, Level, Stored};
use crate::schedule::is_worthwhile;
use crate::swarm::lookahead;
use crate::swarm::near;
use crate::swarm::share::is_import_due;
use crate::Own;
use crate::Search;
use crate::State;
use core::hint::cold_path;

/// The next step of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextStep {
    /// The search space is exhausted.
    Exhausted,
    /// A learned nogood is missing from a watch list, and the array of the watch lists is large enough to
    /// rebuild them.
    RebuildWatches,
    /// The host must enlarge an array before the step that is due.
    MakeRoom,
    /// There is a conflict: the search learns from the conflict and jumps back.
    Learn,
    /// The search looks for unfounded sets. If there is none, the search calls [`next_step`] again with
    /// `is_founded`.
    CheckFoundedness,
    /// The search brings the bounds of difference constraints up to date. If nothing is excluded, the search
    /// calls [`next_step`] again.
    CheckDifferences,
    /// The host is asked for nogoods that the assignment violates, or that it leaves one open literal of.
    Ask,
    /// The searcher decides on the next literal of its cube, if one is open (see [`crate::swarm::cube`]).
    Place,
    /// The searcher makes the next probe of its lookahead (see [`crate::swarm::lookahead`]).
    LookAhead,
    /// The assignment is total, violates no nogood, and has no unfounded set.
    Answer,
    /// CompleteAssignment left variables open, which is an error in the solver.
    Incomplete,
    /// The search jumps back as far as enumeration allows, deletes learned nogoods, or rephases, whichever is
    /// due.
    Restart,
    /// A searcher of a swarm imports nogoods (see [`crate::swarm::share`]), at whatever level it is.
    Import,
    /// The search takes a decision, or completes the assignment if no candidate is applicable.
    Decide,
}

/// Returns the next step of search `s`, whose control words are `state`.
///
/// `is_founded` says that the stability check has run at this fixpoint and has found no unfounded set. Each
/// thread calls this for itself.
#[cuda_std::inlined]
pub fn next_step(s: &Search, state: &State, is_founded: bool) -> NextStep {
    // Four loads read all the words, because each load has the latency of the memory.
    let (now, depth) = (state.between_rounds(), state.depth());
    let (stored, beside) = (state.stored(), state.beside());
    let is_total = depth.committed == s.problem.vars;
    let checks = !is_founded && s.problem.loop_rules > 0 && (is_total || s.settings.check_fixpoints == 1);
    let has_next_level = words_of(Level(depth.level).above()) <= s.own.deps_words;
    let has_many = stored.learned > stored.learned_limit;
    let asks = |when| s.settings.asks == when && state.asked.now() <= depth.committed as u64;
    if depth.exhausted == 1 {
        cold_path();
        NextStep::Exhausted
    } else if stored.unlisted == 1 && rebuild_watches::has_room(&s.problem, &s.own, state) {
        cold_path();
        NextStep::RebuildWatches
    } else if now.conflicts > 0 {
        let longest = if s.settings.resolves == 0 { depth.level } else { s.problem.vars };
        step_with_room(NextStep::Learn, has_room(&s.own, stored, s.settings.slots, longest))
    } else if checks {
        step_with_room(NextStep::CheckFoundedness, has_room(&s.own, stored, 1, s.problem.vars))
    } else if s.problem.arcs > 0 && s.settings.bounds == 1 && state.bounded.now() <= depth.committed {
        step_with_room(NextStep::CheckDifferences, has_room(&s.own, stored, 1, s.problem.vars))
    } else if asks(asks::AT_FIXPOINTS) {
        cold_path();
        NextStep::Ask
    } else if is_placing(s, state) {
        // A total assignment may be outside the cube.
        cold_path();
        step_with_room(NextStep::Place, has_next_level)
    } else if is_total && asks(asks::AT_ANSWERS) {
        cold_path();
        NextStep::Ask
    } else if is_total {
        NextStep::Answer
    } else if beside.no_candidate == 1 {
        cold_path();
        NextStep::Incomplete
    } else if s.swarm.is_any() && lookahead::is_under_way(now) {
        cold_path();
        step_with_room(NextStep::LookAhead, has_next_level)
    } else if has_many || is_worthwhile(&s.settings.restarts, state, depth) || has_to_jump(s, state, depth) {
        cold_path();
        step_with_room(NextStep::Restart, !has_many || rebuild_watches::has_room(&s.problem, &s.own, state))
    } else if s.swarm.is_any() && is_import_due(s, state) {
        cold_path();
        NextStep::Import
    } else {
        step_with_room(NextStep::Decide, has_next_level)
    }
}

/// Whether a searcher of a swarm has to jump back to adopt a goal, to delete nogoods because of too little
/// memory, or to take another neighbourhood.
#[cuda_std::inlined]
fn has_to_jump(s: &Search, state: &State, depth: Depth) -> bool {
    s.swarm.is_any()
        && depth.level > depth.backtrack_level
        && (state.news.now() == 1 || is_short(s, state) || near::is_due(s, state))
}

/// Nogoods of any length for which a searcher keeps room that makes do with the room it has.
const RESERVE: u32 = 4;

/// Conflicts between two deletions because of too little memory, at least.
const PATIENCE: u64 = 16;

/// Whether the searcher makes do with its memory, and the room for learned nogoods is nearly used up. Such a
/// searcher deletes nogoods before there is none: at a conflict of the backtrack level it could not.
#[cuda_std::inlined]
pub fn is_short(s: &Search, state: &State) -> bool {
    if s.swarm.makes_do == 0 || state.counts.conflicts.now() - state.short_at.now() < PATIENCE {
        return false;
    }
    // Small stores keep no more than half of themselves.
    let lacks =
        |has: u64, reserve: u64, capacity: usize| has + reserve.min(capacity as u64 / 2) > capacity as u64;
    let (stored, reserve) = (state.stored(), (RESERVE * s.settings.slots) as u64);
    stored.unlisted == 1
        || lacks(stored.learned as u64, 8 * reserve, s.own.learned_record.len())
        || lacks(stored.learned_lits as u64, reserve * s.problem.vars as u64, s.own.learned_lit.len())
}

/// Whether the search has yet to decide on literals of its cube.
#[cuda_std::inlined]
fn is_placing(s: &Search, state: &State) -> bool {
    (s.swarm.is_any() || s.settings.assumes == 1) && state.root.now() == 0
}

/// Returns `step` if `has_room`, else [`NextStep::MakeRoom`].
#[cuda_std::inlined]
fn step_with_room(step: NextStep, has_room: bool) -> NextStep {
    if has_room {
        step
    } else {
        cold_path();
        NextStep::MakeRoom
    }
}

/// Whether the arrays have room for `nogoods` more learned nogoods of at most `longest` literals each, and
/// every learned nogood is in its watch lists. `stored` says how much the arrays hold now.
#[cuda_std::inlined]
pub fn has_room(own: &Own, stored: Stored, nogoods: u32, longest: u32) -> bool {
    stored.learned as usize + nogoods as usize <= own.learned_record.len()
        && stored.learned_lits as u64 + nogoods as u64 * longest as u64 <= own.learned_lit.len() as u64
        && stored.unlisted == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::rephase;
    use crate::layout::{Search, Shape};
    use crate::schedule;

    /// A search with ten variables at level 3, and with room for two learned nogoods of ten literals each.
    fn search() -> (Search, State) {
        let mut s = Search::default();
        (s.problem.vars, s.settings.slots, s.settings.resolves) = (10, 1, 1);
        let shape =
            Shape { vars: 10, slots: 1, deps_words: 1, learned: 2, learned_lits: 20, ..Shape::default() };
        s.own = Own::of_shape(&Shape { watch_entries: 10_000, ..shape });
        let state = State::default();
        schedule::begin(&s.settings.restarts, &state);
        rephase::begin(0, &state);
        for (word, value) in [(&state.level, 3), (&state.backtrack_level, 1), (&state.learned_limit, 2)] {
            word.store(value);
        }
        (s, state)
    }

    fn next(s: &Search, state: &State, is_founded: bool) -> NextStep {
        next_step(s, state, is_founded)
    }

    /// The next step after `change` has changed the search.
    fn after(change: impl FnOnce(&mut Search, &State)) -> NextStep {
        let (mut s, state) = search();
        change(&mut s, &state);
        next(&s, &state, false)
    }

    #[test]
    fn each_step_has_its_time() {
        assert_eq!(after(|_, _| {}), NextStep::Decide);
        assert_eq!(after(|_, state| state.exhausted.store(1)), NextStep::Exhausted);
        assert_eq!(after(|_, state| state.conflicts.store(1)), NextStep::Learn);
        assert_eq!(after(|_, state| state.committed.store(10)), NextStep::Answer);
        assert_eq!(after(|_, state| state.no_candidate.store(1)), NextStep::Incomplete);
        assert_eq!(after(|_, state| state.unlisted.store(1)), NextStep::RebuildWatches);
        assert_eq!(after(|_, state| state.learned.store(3)), NextStep::Restart);
        assert_eq!(after(|_, state| state.rephase_at.store(0)), NextStep::Restart);
        assert_eq!(after(|_, state| state.level.store(33)), NextStep::MakeRoom, "a level has no bit");
    }

    #[test]
    fn a_searcher_imports_where_it_is_unless_it_restarts() {
        let with = |change: &dyn Fn(&mut Search, &State)| {
            after(|s, state| {
                (s.swarm.searchers, s.swarm.share_len) = (2, 10);
                state.root.store(1);
                change(s, state);
            })
        };
        assert_eq!(with(&|_, _| {}), NextStep::Import);
        assert_eq!(with(&|_, state| state.import_at.store(1)), NextStep::Decide);
        assert_eq!(with(&|s, _| s.swarm.share_len = 0), NextStep::Decide);
        assert_eq!(with(&|_, state| state.backtrack_level.store(2)), NextStep::Decide, "flipped decisions");
        assert_eq!(with(&|_, state| state.news.store(1)), NextStep::Restart);
        assert_eq!(with(&|_, state| state.learned.store(3)), NextStep::Restart);
    }

    /// The next step of a search that asks, if the host was last asked at so many literals.
    fn asking(when: u32, asked: u64, committed: u32) -> NextStep {
        after(|s, state| {
            s.settings.asks = when;
            state.asked.store(asked);
            state.committed.store(committed);
        })
    }

    #[test]
    fn the_host_is_asked_once_at_each_fixpoint() {
        let asking = |asked, committed| asking(asks::AT_FIXPOINTS, asked, committed);
        assert_eq!(asking(0, 0), NextStep::Ask, "nothing is assigned, and the host may know of something");
        assert_eq!(asking(1, 0), NextStep::Decide);
        assert_eq!(asking(5, 5), NextStep::Ask);
        assert_eq!(asking(6, 5), NextStep::Decide);
        assert_eq!(asking(10, 10), NextStep::Ask, "before an answer set is one");
        assert_eq!(asking(11, 10), NextStep::Answer);
        let in_conflict = after(|s, state| {
            s.settings.asks = asks::AT_FIXPOINTS;
            state.conflicts.store(1);
        });
        assert_eq!(in_conflict, NextStep::Learn);
    }

    #[test]
    fn the_host_is_asked_once_about_each_answer_set() {
        let asking = |asked, committed| asking(asks::AT_ANSWERS, asked, committed);
        assert_eq!(asking(0, 9), NextStep::Decide, "a variable is open");
        assert_eq!(asking(10, 10), NextStep::Ask);
        assert_eq!(asking(11, 10), NextStep::Answer);
    }

    #[test]
    fn bounds_are_brought_up_to_date_at_each_fixpoint() {
        let next = |bounds: u32, bounded: u32, committed: u32| {
            after(|s, state| {
                (s.problem.arcs, s.settings.bounds) = (2, bounds);
                state.bounded.store(bounded);
                state.committed.store(committed);
            })
        };
        assert_eq!(next(1, 0, 0), NextStep::CheckDifferences, "nothing is assigned");
        assert_eq!(next(1, 1, 0), NextStep::Decide);
        assert_eq!(next(0, 0, 0), NextStep::Decide, "a propagator of the host does it");
        assert_eq!(next(1, 5, 5), NextStep::CheckDifferences);
        assert_eq!(next(1, 10, 10), NextStep::CheckDifferences, "before an answer set is one");
        assert_eq!(next(1, 11, 10), NextStep::Answer);
    }

    /// The arrays of the test's search have no memory: whoever reads the control words there, as the loop of
    /// the host does for a search on a GPU, ends the process.
    #[test]
    fn assumptions_are_placed_first() {
        assert_eq!(after(|s, _| s.settings.assumes = 1), NextStep::Place);
        let placed = after(|s, state| {
            s.settings.assumes = 1;
            state.root.store(1);
        });
        assert_eq!(placed, NextStep::Decide);
    }

    #[test]
    fn learning_needs_room() {
        let conflict_with = |learned: u32, lits: u32| {
            after(|_, state| {
                state.conflicts.store(1);
                state.learned.store(learned);
                state.learned_lits.store(lits);
            })
        };
        assert_eq!(conflict_with(1, 10), NextStep::Learn);
        assert_eq!(conflict_with(2, 10), NextStep::MakeRoom);
        assert_eq!(conflict_with(1, 11), NextStep::MakeRoom);
    }

    #[test]
    fn foundedness_is_checked_once() {
        let (mut s, state) = search();
        s.problem.loop_rules = 1;
        s.settings.check_fixpoints = 1;
        assert_eq!(next(&s, &state, false), NextStep::CheckFoundedness);
        assert_eq!(next(&s, &state, true), NextStep::Decide);
        s.settings.check_fixpoints = 0;
        assert_eq!(next(&s, &state, false), NextStep::Decide);
        state.committed.store(10);
        assert_eq!(next(&s, &state, false), NextStep::CheckFoundedness);
        assert_eq!(next(&s, &state, true), NextStep::Answer);
    }
}
