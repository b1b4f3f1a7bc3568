//! Neighbourhoods: some searchers search near the best answer set that is known, as in large neighbourhood
//! search (Shaw 1998; for answer sets Eiter et al. 2022).
//!
//! Main function: [`renew`]. A *neighbourhood* is a cube of a kind of its own: a random part of what was
//! chosen in the best answer set ([`Swarm::near`](crate::Swarm::near)). A literal of the part that is
//! falsified is left out. The searcher has a few conflicts to find a better answer set with the rest. If
//! there is none, the next neighbourhood is larger; if the conflicts were not enough, the next one is
//! smaller.
//!
//! Invariant: a refuted neighbourhood says nothing about the search space. What a searcher learns there holds
//! everywhere, as conflicts are not resolved with a cube's decisions.

use super::begin::{begin_untold, leave_if};
use super::told::note_begun;
use crate::assign::{status, Status};
use crate::hash::mix;
use crate::layout::{count_up, mode, State};
use crate::threads::barrier::sync_block;
use crate::threads::stride::{is_first, over_block};
use crate::threads::token::WholeBlock;
use crate::{Lit, Search};

/// The most conflicts in one neighbourhood.
const CONFLICTS: u64 = 100;

/// How many of 1024 choices the first neighbourhood leaves open.
pub const OPEN_FIRST: u64 = 205;

/// How many of 1024 choices the largest neighbourhood leaves open.
const OPEN_MOST: u64 = 922;

/// How many of 1024 choices the smallest neighbourhood leaves open.
const OPEN_LEAST: u64 = 8;

/// Whether a searcher near the best answer set has to take a neighbourhood, and an answer set is known.
#[cuda_std::inlined]
pub fn is_due(s: &Search, state: &State) -> bool {
    s.swarm.near_best > 0
        && state.counts.conflicts.now() >= state.near_at.now()
        && s.swarm.is_near(s.swarm.me())
        && s.swarm.near.get(0u32).load_relaxed() > 0
}

/// Takes the next neighbourhood if one [is due](is_due), at the backtrack level. The function begins and ends
/// with a barrier.
#[cuda_std::inlined]
pub fn renew(block: &mut WholeBlock, s: &Search) {
    let state = s.own.state();
    if leave_if(block, s, || is_due(s, state)) {
        draw(block, s);
        sync_block(block);
    }
}

/// Draws the literals of a neighbourhood, and begins it. The search is at level 1. A barrier has to come
/// before and afterwards.
#[cuda_std::inlined]
fn draw(block: &mut WholeBlock, s: &Search) {
    let state = s.own.state();
    if is_first() {
        if state.mode.now() == mode::NEAR {
            // The conflicts were not enough.
            state.near_open.store((state.near_open.now() * 9 / 10).max(OPEN_LEAST));
        }
        begin_untold(s, 0);
    }
    sync_block(block);
    let (open, drawn) = (state.near_open.now(), state.counts.neighbourhoods.now());
    let len = s.swarm.near.get(0u32).load_relaxed();
    for i in over_block(block, 0, len.min(s.swarm.near.len() as u32 - 1)) {
        let lit = Lit(s.swarm.near.get(1 + i).load_relaxed());
        let random = mix(s.settings.seed as u64 ^ mix(drawn << 32 | i as u64));
        if random % 1024 >= open && status(&s.own, lit) == Status::Open {
            let at = state.cube_len.add(1);
            s.own.cube.write(at, lit);
        }
    }
    sync_block(block);
    if is_first() {
        count_up(&state.counts.neighbourhoods, 1);
        state.near_at.store(state.counts.conflicts.now() + CONFLICTS);
        state.root.store(0);
        state.mode.store(mode::NEAR);
        note_begun(s);
    }
}

/// Notes that a neighbourhood has no better answer set: the next one is due, and larger. Called by one
/// thread.
#[cuda_std::inlined]
pub fn was_refuted(state: &State) {
    state.near_open.store((state.near_open.now() * 6 / 5 + 1).min(OPEN_MOST));
    state.near_at.store(state.counts.conflicts.now());
}

/// Notes that the searcher has found a better answer set. Called by one thread.
#[cuda_std::inlined]
pub fn note_better(state: &State) {
    if state.mode.now() == mode::NEAR {
        count_up(&state.counts.neighbourhoods_better, 1);
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use crate::layout::{Hub, Shape, Swarm};
    use crate::threads::testing::{array_of, own_of, results};
    use cuda_std::atomic::SharedU32;
    use std::vec::Vec;

    const VARS: u32 = 200;

    /// The search of a swarm of 9, whose searcher `number` is at level 1, with random values. Half of the
    /// variables were chosen in the best answer set. `test` gets the search and the number of chosen
    /// literals.
    fn with_search(number: u32, seed: u64, mut test: impl FnMut(&Search, u32)) {
        let mut chosen: Vec<SharedU32> = Vec::new();
        chosen.resize_with(1 + VARS as usize, SharedU32::default);
        let vars: Vec<u32> = (0..VARS).filter(|&var| mix(seed << 32 | var as u64) & 1 == 1).collect();
        chosen[0].store_relaxed(vars.len() as u32);
        for (word, var) in chosen[1..].iter().zip(&vars) {
            word.store_relaxed(Lit::t(crate::Var(*var)).0);
        }
        let mut hub = [Hub::default()];
        let mut s = Search::default();
        (s.problem.vars, s.settings.seed) = (VARS, seed as u32);
        let swarm = Swarm { searchers: 9, first: number, near_best: 4, ..Swarm::default() };
        s.swarm = Swarm { hub: array_of(&mut hub), near: array_of(&mut chosen), ..swarm };
        let shape = Shape { vars: VARS as usize, cube_lits: VARS as usize, ..Shape::default() };
        let (own, _memory) = own_of(&shape);
        s.own = own;
        let state = s.own.state();
        for (word, value) in [(&state.level, 1), (&state.root, 1), (&state.mode, mode::RACE)] {
            word.store(value);
        }
        state.near_open.store(OPEN_FIRST);
        state.counts.neighbourhoods.store(seed % 5);
        state.counts.conflicts.store(50);
        for var in 0..VARS {
            s.own.value.write(var, [0, 0, 1, -1][mix(seed ^ (var as u64) << 20) as usize % 4]);
        }
        test(&s, vars.len() as u32);
    }

    /// The literals of the cube.
    fn cube_of(s: &Search) -> Vec<u32> {
        let mut cube: Vec<u32> = (0..s.own.state().cube_len.now()).map(|i| s.own.cube.read(i).0).collect();
        cube.sort_unstable();
        cube
    }

    #[test]
    fn a_neighbourhood_has_a_random_part_of_the_open_choices() {
        let mut cubes = std::collections::BTreeSet::new();
        for seed in 0..40 {
            with_search(2, seed, |s, chosen| {
                let state = s.own.state();
                results([1, 32, 64][seed as usize % 3], seed, |block, _| renew(block, s));
                let drawn = seed % 5;
                let mut expected: Vec<u32> = (0..chosen)
                    .filter(|&i| mix(seed ^ mix(drawn << 32 | i as u64)) % 1024 >= OPEN_FIRST)
                    .map(|i| Lit(s.swarm.near.get(1 + i).load_relaxed()))
                    .filter(|&lit| status(&s.own, lit) == Status::Open)
                    .map(|lit| lit.0)
                    .collect();
                expected.sort_unstable();
                assert_eq!(cube_of(s), expected, "seed {seed}");
                assert!((20..80).contains(&expected.len()), "seed {seed}: {}", expected.len());
                let words = [&state.mode, &state.root, &state.placed, &state.backtrack_level];
                assert_eq!(words.map(|word| word.now()), [mode::NEAR, 0, 0, 1], "seed {seed}");
                let counts = (state.counts.neighbourhoods.now(), state.near_at.now(), state.near_open.now());
                assert_eq!(counts, (drawn + 1, 150, OPEN_FIRST), "seed {seed}");
                // Before the conflicts are used up, there is no other one.
                let before = cube_of(s);
                state.root.store(1);
                results(32, seed, |block, _| renew(block, s));
                assert_eq!(
                    (cube_of(s), state.counts.neighbourhoods.now()),
                    (before, drawn + 1),
                    "seed {seed}"
                );
                // Afterwards the next one is smaller.
                state.counts.conflicts.store(150);
                results(32, seed, |block, _| renew(block, s));
                assert_eq!(state.counts.neighbourhoods.now(), drawn + 2, "seed {seed}");
                assert_eq!((state.near_open.now(), state.near_at.now()), (OPEN_FIRST * 9 / 10, 250));
            });
            with_search(2, seed, |s, _| {
                results(32, seed, |block, _| renew(block, s));
                cubes.insert(cube_of(s));
            });
        }
        assert_eq!(cubes.len(), 40, "each neighbourhood is another one");
    }

    #[test]
    fn only_some_searchers_have_neighbourhoods_and_only_of_an_answer_set() {
        for number in 0..9 {
            with_search(number, 1, |s, _| {
                assert_eq!(is_due(s, s.own.state()), [2, 6].contains(&number), "searcher {number}");
                assert_eq!(s.swarm.races(number, 0), [2, 6].contains(&number), "searcher {number}");
                results(32, 1, |block, _| renew(block, s));
                let has_begun = s.own.state().mode.now() == mode::NEAR;
                assert_eq!(has_begun, [2, 6].contains(&number), "searcher {number}");
            });
        }
        with_search(2, 1, |s, _| {
            s.swarm.near.get(0u32).store_relaxed(0);
            results(32, 1, |block, _| renew(block, s));
            assert_eq!(s.own.state().mode.now(), mode::RACE, "there is no answer set");
        });
    }

    #[test]
    fn refuted_neighbourhoods_grow_up_to_a_limit_and_others_shrink() {
        with_search(2, 1, |s, _| {
            let state = s.own.state();
            state.counts.conflicts.store(70);
            state.near_at.store(150);
            was_refuted(state);
            assert_eq!((state.near_open.now(), state.near_at.now()), (OPEN_FIRST * 6 / 5 + 1, 70));
            (0..30).for_each(|_| was_refuted(state));
            assert_eq!(state.near_open.now(), OPEN_MOST);
            for _ in 0..60 {
                state.near_at.store(0);
                state.mode.store(mode::NEAR);
                state.root.store(1);
                results(32, 1, |block, _| renew(block, s));
            }
            assert_eq!(state.near_open.now(), OPEN_LEAST);
            note_better(state);
            state.mode.store(mode::RACE);
            note_better(state);
            assert_eq!(state.counts.neighbourhoods_better.now(), 1);
        });
    }
}
