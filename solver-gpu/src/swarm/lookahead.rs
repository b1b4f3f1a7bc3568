//! Lookahead: which decision divides a cube best.
//!
//! Main functions: [`begin`] and [`probe`]. Before a searcher gives a part of its cube away, it jumps back to
//! the root level and tries the decisions that it had taken above, one by one and with both signs. A trial is
//! a *probe*: the searcher decides on the literal, propagates, and measures what has become smaller. The
//! decision with the largest product of both measures divides the cube (Heule, Kullmann, Wieringa and Biere
//! 2011). The searchers of a swarm look ahead at the same time, each below its own cube. The paper names this
//! parallel lookahead as future work.
//!
//! A literal whose probe ends in a conflict fails. The search learns from the conflict as from any other.
//!
//! Invariant: a probe's decision is the only one above the root level, and nothing is decided between two
//! probes.

use crate::assign::{decide, status, Status};
use crate::kernels::backjump;
use crate::layout::{count_up, looking, Between, MAX_LOOK};
use crate::threads::barrier::sync_block;
use crate::threads::block::block_reduce;
use crate::threads::stride::{is_first, over_block};
use crate::threads::token::WholeBlock;
use crate::{Lit, Problem, Search};

/// The largest measure of one probe, of which two have a product of 64 bits.
const MOST: u64 = u32::MAX as u64;

/// Whether the searcher, which is asked for a cube, looks ahead first. Enumeration divides at its lowest
/// decision only, and a projection at the atoms that count.
#[cuda_std::inlined]
pub fn is_due(s: &Search) -> bool {
    let state = s.own.state();
    s.swarm.look_ahead > 0
        && s.problem.project == 0
        && state.looking.now() == looking::NOT
        && state.backtrack_level.now() == state.root.now()
}

/// Whether the next step is a probe, of a search whose control words are `now`.
#[cuda_std::inlined]
pub fn is_under_way(now: Between) -> bool {
    matches!(now.looking, looking::BETWEEN | looking::PROBES)
}

/// Takes the decisions above the root level as candidates, the lowest first, and jumps back to the root
/// level. Called at a fixpoint, if [`is_due`]; the function begins and ends with a barrier.
#[cuda_std::inlined]
pub fn begin(block: &mut WholeBlock, s: &Search) {
    let state = s.own.state();
    let root = state.root.now();
    let candidates = (s.own.level().0 - root).min(s.swarm.look_ahead).min(MAX_LOOK);
    sync_block(block);
    for i in over_block(block, 0, candidates) {
        s.own.look.write(i, s.own.decision_at.read(root + 1 + i));
    }
    backjump::jump(block, s, backjump::PROBED);
    if is_first() {
        state.look_len.store(candidates);
        state.look_at.store(0);
        state.look_best.store(0);
        state.look_best_at.store(0);
        state.looking.store(looking::BETWEEN);
    }
    sync_block(block);
}

/// Ends the probe that was made, if there is one, and begins the next. After the last one the search decides
/// on the best candidate, which divides the cube. Called at a fixpoint without a conflict, if
/// [`is_under_way`]; the function begins and ends with a barrier.
#[cuda_std::inlined]
pub fn probe(block: &mut WholeBlock, s: &Search) {
    let state = s.own.state();
    sync_block(block);
    let (root, at, was) = (state.root.now(), state.look_at.now(), state.looking.now());
    let is_whole = was == looking::PROBES && s.own.level().0 == root + 1;
    sync_block(block);
    let mut measured = 0;
    if is_whole {
        let trail = over_block(block, s.own.trail_at.read(root + 1), state.committed.now());
        let mine = trail.map(|at| weight(&s.problem, s.own.trail.read(at))).sum::<u64>();
        measured = block_reduce(block, mine, 0, |a, b| a + b).min(MOST);
        backjump::jump(block, s, backjump::PROBED);
    }
    if is_first() {
        let mut next = at;
        if is_whole {
            next = at + 1;
            if is_second(at) {
                let score = state.look_first.now() * measured;
                if score > state.look_best.now() {
                    state.look_best.store(score);
                    state.look_best_at.store(1 + at / 2);
                }
            } else {
                state.look_first.store(measured);
            }
        } else if was == looking::PROBES {
            next = next_candidate(at);
        }
        begin_probe(s, next);
    }
    sync_block(block);
}

/// Whether probe number `at` is the second one of its candidate, with the other sign.
#[cuda_std::inlined]
fn is_second(at: u32) -> bool {
    at % 2 == 1
}

/// The number of the first probe of the next candidate.
#[cuda_std::inlined]
fn next_candidate(at: u32) -> u32 {
    at - at % 2 + 2
}

/// Begins the first probe from number `at` on whose literal is open, or decides on the best candidate if
/// there is none. Called by one thread, at the root level.
#[cuda_std::inlined]
fn begin_probe(s: &Search, mut at: u32) {
    let state = s.own.state();
    while at < 2 * state.look_len.now() {
        let candidate = s.own.look.read(at / 2);
        if status(&s.own, candidate) == Status::Open {
            decide(&s.own, if is_second(at) { !candidate } else { candidate });
            count_up(&state.counts.probes, 1);
            state.look_at.store(at);
            state.looking.store(looking::PROBES);
            return;
        }
        at = next_candidate(at);
    }
    state.looking.store(looking::LOOKED);
    if let Some(lit) = best(s) {
        decide(&s.own, lit);
    }
}

/// The best candidate, if one was measured and is open. Called by one thread.
#[cuda_std::inlined]
fn best(s: &Search) -> Option<Lit> {
    let candidate = s.own.state().look_best_at.now().checked_sub(1)?;
    let lit = s.own.look.read(candidate);
    (status(&s.own, lit) == Status::Open).then_some(lit)
}

/// How much smaller a literal that holds makes the search: one variable, and each ternary nogood that becomes
/// binary.
#[cuda_std::inlined]
fn weight(problem: &Problem, lit: Lit) -> u64 {
    let rows = problem.occurs_ternary_start;
    1 + (rows.read(lit.0 + 1) - rows.read(lit.0)) as u64
}
