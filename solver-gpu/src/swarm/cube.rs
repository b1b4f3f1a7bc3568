//! Cubes: the parts of the search space that searchers share out.
//!
//! A *cube* is a list of literals. A searcher decides on them first, each at a level of its own if the
//! literal is still open, and then searches everything below. The level of the last of these decisions is
//! the *root level* ([`State::root`](crate::layout::State::root)): no jump, flip or restart undoes it while
//! the cube is searched. A conflict that depends on no level above the root level refutes the cube.
//!
//! A searcher gives the other side of its lowest decision above the root level away: the *guiding path* of
//! Zhang, Bonacina and Hsiang (1996). The decision is then a literal of its own cube. A lookahead may have
//! chosen that decision (see [`super::lookahead`]).
//!
//! Searchers under assumptions decide on these before all else: the assumptions are the first literals of
//! each cube of theirs, and no part of the cubes that they give away. A cube may be refuted because of some
//! assumptions. These are noted in [`Swarm::core`], so that in the end the array names assumptions that
//! exclude each other.
//!
//! Invariant: cubes that wait or are searched are disjoint, and together with what was refuted or enumerated
//! they are the whole search space. A literal of the root level that enumeration has flipped therefore
//! belongs to both cubes when a cube is divided.
//!
//! Why nogoods of an enumeration may be shared: such a nogood may exclude assignments under flipped
//! decisions, whose part of the search space the giver has enumerated to the end. A searcher that enumerates
//! gives the lowest decision away, so nothing below a flipped decision was ever given to others. No cube that
//! waits or is searched has a part in common with what the nogood excludes.

use super::begin::{begin, begin_untold, leave_if};
use super::end::{count_refuted, end, settle_hunger};
use super::told::{note_divided, note_given_back, note_refuted};
use super::{near, questions, queue};
use crate::assign::{decide, reason_of, status, Status};
use crate::layout::{count_up, looking, mode, NogoodId, MAX_CUBE, ROLES};
use crate::threads::barrier::sync_block;
use crate::threads::scratch::counter;
use crate::threads::stride::{is_first, over_block};
use crate::threads::token::WholeBlock;
use crate::{Search, Swarm};

pub use super::end::{Next, WHOLE};

/// Index of the shared counter that holds what a searcher does next.
const NEXT: usize = 1;

/// How often a searcher looks for a cube in vain before it has all return. Many searchers that wait together
/// so end a launch every few milliseconds.
const LOOKS: u64 = 1 << 16;

/// A searcher has all return if one in so many of those that take cubes wants one.
const HUNGRY: u32 = 4;

/// What a step has done about the cube's literals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placed {
    /// The search has decided on a literal of the cube.
    Decided,
    /// A literal of the cube is falsified: the cube is refuted, and `exhausted` is set.
    Refuted,
    /// All literals of the cube hold: the search may decide on what it likes.
    All,
}

/// Decides on the next open literal of the cube, at a fixpoint without a conflict. The function begins
/// and ends with a barrier.
#[cuda_std::inlined]
pub fn place(block: &mut WholeBlock, s: &Search) -> Placed {
    let state = s.own.state();
    sync_block(block);
    if is_first() {
        let (len, mut at) = (state.cube_len.now(), state.placed.now());
        let mut placed = Placed::All;
        while at < len {
            let lit = s.own.cube.read(at);
            at += 1;
            match status(&s.own, lit) {
                Status::Held => {}
                Status::Open => {
                    decide(&s.own, lit);
                    // When projecting, cubes consist of literals that count.
                    if s.problem.project == 1 {
                        state.projected.store(s.own.level().0);
                    }
                    placed = Placed::Decided;
                    break;
                }
                // A neighbourhood has what can be had of the best answer set.
                Status::Falsified if state.mode.now() == mode::NEAR && at > s.settings.assumed => {}
                Status::Falsified => {
                    state.exhausted.store(1);
                    placed = Placed::Refuted;
                    break;
                }
            }
        }
        state.placed.store(at);
        if placed == Placed::All {
            let level = s.own.level().0;
            state.root.store(level);
            state.backtrack_level.store(level);
        }
        counter(&s.launch, NEXT).store(placed as u32);
    }
    sync_block(block);
    let placed = counter(&s.launch, NEXT).now();
    sync_block(block);
    match placed {
        0 => Placed::Decided,
        1 => Placed::Refuted,
        _ => Placed::All,
    }
}

/// Says what the searcher does next, whose search space is exhausted and whose search is at level 1. If the
/// searcher goes on, its control words are those of a search that has assigned nothing above level 1. The
/// function begins and ends with a barrier.
#[cuda_std::inlined]
pub fn next(block: &mut WholeBlock, s: &Search) -> Next {
    sync_block(block);
    if is_first() {
        counter(&s.launch, NEXT).store(choose(s) as u32);
    }
    sync_block(block);
    let next = counter(&s.launch, NEXT).now();
    sync_block(block);
    if s.swarm.has_questions() && next == Next::Searches as u32 {
        questions::fetch(block, s);
    }
    match next {
        0 => Next::Over,
        1 => Next::Searches,
        _ => Next::Waits,
    }
}

/// [`next`], by one thread.
#[cuda_std::inlined]
fn choose(s: &Search) -> Next {
    if s.swarm.has_questions() {
        return questions::next(s);
    }
    let (state, hub) = (s.own.state(), s.swarm.hub());
    if hub.done.load_relaxed() != 0 {
        return Next::Over;
    }
    match state.mode.now() {
        mode::CUBE if state.refuted.now() == 1 => {
            // The conflict would be forgotten at level 1, which no cube undoes.
            count_refuted(s);
            hub.refuted.fetch_max(2);
            end(s);
            return Next::Over;
        }
        mode::CUBE => {
            count_refuted(s);
            note_refuted(s);
            note_core(s);
            state.mode.store(mode::IDLE);
            if queue::finish(&s.swarm) {
                end(s);
                return Next::Over;
            }
        }
        mode::NEAR if state.refuted.now() == 0 => {
            near::was_refuted(state);
            state.mode.store(mode::RACE);
            begin(s, 0);
            return Next::Searches;
        }
        mode::RACE | mode::NEAR => {
            note_core(s);
            hub.refuted.fetch_max(1 + state.refuted.now());
            end(s);
            return Next::Over;
        }
        mode::BACK => {
            state.mode.store(mode::RACE);
            begin(s, 0);
            return Next::Searches;
        }
        _ => {
            count_up(&state.counts.idle_looks, 1);
            ask_outside(s);
        }
    }
    if state.races.now() == 1 {
        state.mode.store(mode::RACE);
        settle_hunger(s);
        begin(s, 0);
        return Next::Searches;
    }
    settle_hunger(s);
    match take(s) {
        true => Next::Searches,
        false => Next::Waits,
    }
}

/// Ends the launch if many searchers have waited for a while, and there may be cubes outside. Called by one
/// thread.
#[cuda_std::inlined]
fn ask_outside(s: &Search) {
    let (hub, looks) = (s.swarm.hub(), s.own.state().counts.idle_looks.now());
    if s.swarm.asks_outside == 1
        && looks % LOOKS == 0
        && hub.hungry.load_relaxed() * HUNGRY >= takers(&s.swarm)
    {
        hub.stop.store_relaxed(1);
    }
}

/// Notes which assumptions the refutation of the searcher's cube needs. Called by one thread.
#[cuda_std::inlined]
fn note_core(s: &Search) {
    if s.settings.assumes == 1 {
        for i in 0..s.own.state().core_len.now() {
            let var = s.own.core.read(i).var().0;
            s.swarm.core.get(var / 32).fetch_or(1 << (var % 32));
        }
    }
}

/// Takes a cube from the queue, if there is one. The search is at level 1. Called by one thread.
#[cuda_std::inlined]
pub fn take(s: &Search) -> bool {
    let state = s.own.state();
    let Some(len) = queue::take(&s.swarm, |i, lit| s.own.cube.write(s.settings.assumed + i, lit)) else {
        return false;
    };
    count_up(&state.counts.cubes_taken, 1);
    state.mode.store(mode::CUBE);
    settle_hunger(s);
    begin(s, len);
    true
}

/// A searcher at its backtrack level changes what it does, if its role has changed: one that searches
/// everything takes a cube instead if there is one, and one that has a cube gives the cube back. The function
/// begins and ends with a barrier.
#[cuda_std::inlined]
pub fn change_role(block: &mut WholeBlock, s: &Search) {
    let changes = || match s.own.state().mode.now() {
        mode::RACE => {
            settle_hunger(s);
            s.own.state().races.now() == 0 && queue::waiting(&s.swarm) > 0
        }
        mode::CUBE => s.own.state().races.now() == 1,
        _ => false,
    };
    let changes = leave_if(block, s, changes);
    if changes && is_first() {
        if s.own.state().mode.now() == mode::CUBE {
            give_back(s);
        } else if !take(s) {
            begin(s, 0);
        }
    }
    sync_block(block);
}

/// Gives the searcher's cube back, to search everything, or begins the cube once more if the queue is full.
/// The search is at level 1. Called by one thread.
#[cuda_std::inlined]
fn give_back(s: &Search) {
    let (state, assumed) = (s.own.state(), s.settings.assumed);
    let len = state.cube_len.now() - assumed;
    let give = || queue::put(&s.swarm, len, |i| s.own.cube.read(assumed + i));
    if note_given_back(s, give) {
        count_up(&state.counts.cubes_returned, 1);
        state.mode.store(mode::RACE);
        begin_untold(s, 0);
    } else {
        begin_untold(s, len);
    }
}

/// Whether the searcher should give a cube away now: another searcher wants one, and there is a decision
/// whose other side nobody has searched.
#[cuda_std::inlined]
pub fn is_asked(s: &Search) -> bool {
    if !s.swarm.is_any() {
        return false;
    }
    let state = s.own.state();
    let root = state.root.now();
    state.wanted.now() > 0
        && state.mode.now() == mode::CUBE
        && root > 0
        && s.own.level().0 > root
        && (s.problem.project == 0 || root < state.projected.now())
        && state.counts.conflicts.now() >= s.swarm.split_from as u64
        && state.counts.conflicts.now() - state.split_at.now() >= patience(&s.swarm, state.wanted.now())
}

/// How many conflicts a searcher meets between two times that it gives a cube away, if `wanted` searchers
/// want one: the more searchers, the fewer conflicts. Few cubes for many searchers are most often a search
/// that is nearly over.
#[cuda_std::inlined]
fn patience(swarm: &Swarm, wanted: u32) -> u64 {
    let takers = takers(swarm);
    swarm.split_after as u64 * (takers - wanted.min(takers)) as u64 / takers as u64
}

/// About how many searchers take cubes, which is at least one.
#[cuda_std::inlined]
fn takers(swarm: &Swarm) -> u32 {
    let racing = (swarm.hub().racing.load_relaxed() as u32).min(ROLES);
    (swarm.searchers * (ROLES - racing) / ROLES).max(1)
}

/// Gives the other side of the lowest decision above the root level away. Called at a fixpoint without a
/// conflict, if [`is_asked`]; the function begins and ends with a barrier.
#[cuda_std::inlined]
pub fn give(block: &mut WholeBlock, s: &Search) {
    let state = s.own.state();
    let (root, had, assumed) = (state.root.now(), state.cube_len.now(), s.settings.assumed);
    let (from, end) = (s.own.trail_at.read(root), s.own.trail_at.read(root + 1));
    sync_block(block);
    // What enumeration has flipped at the root level belongs to the cube.
    for at in over_block(block, from, end) {
        let lit = s.own.trail.read(at);
        if reason_of(&s.own, lit) == NogoodId::ALL_DECISIONS {
            let i = state.cube_len.add(1);
            if i < assumed + MAX_CUBE {
                s.own.cube.write(i, lit);
            }
        }
    }
    sync_block(block);
    if is_first() {
        let (len, decision) = (state.cube_len.now(), s.own.decision_at.read(root + 1));
        state.wanted.store(0);
        let given = len - assumed;
        let lit = |i: u32| if i < given { s.own.cube.read(assumed + i) } else { !decision };
        let give = || queue::give(&s.swarm, given + 1, lit);
        let is_given = given < MAX_CUBE && note_divided(s, had, len, decision, give);
        if is_given {
            s.own.cube.write(len, decision);
            state.cube_len.store(len + 1);
            state.root.store(root + 1);
            state.backtrack_level.max(root + 1);
            state.split_at.store(state.counts.conflicts.now());
            state.looking.store(looking::NOT);
            count_up(&state.counts.cubes_given, 1);
        } else {
            state.cube_len.store(had);
        }
    }
    sync_block(block);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Hub;
    use crate::threads::testing::array_of;

    #[test]
    fn the_more_searchers_want_a_cube_the_sooner_one_is_given_away() {
        let mut hub = [Hub::default()];
        let hub = array_of(&mut hub);
        let swarm = Swarm { searchers: 10, split_after: 20, hub, ..Swarm::default() };
        assert_eq!([1, 5, 9, 10, 11].map(|wanted| patience(&swarm, wanted)), [18, 10, 2, 0, 0]);
        assert_eq!(patience(&Swarm { split_after: 0, ..swarm }, 1), 0);
    }
}
