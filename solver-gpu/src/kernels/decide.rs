//! Decision: chooses the best applicable rule and makes its body hold (paper, Algorithm 1, line 11).
//!
//! A rule is applicable when its positive body holds and its body is open; only rules of unassigned heads are chosen.
//! So every atom made true by a decision is founded by the time it becomes true (an ASP computation, paper, section 2).

use crate::advice::{advice, advised_rank};
use crate::assign::{decide as open_level, status, Status};
use crate::block::{block_reduce, is_last_block};
use crate::stride::over_grid;
use crate::{Lit, Search, Var};
use core::sync::atomic::Ordering::Relaxed;
use cuda_std::prelude::*;

/// # Inputs
/// The candidates, `rank`, `phase`, the directives, `value`, `seed`.
/// # Writes
/// `best`; then either one proposal at a new level (and `projected`), or `no_candidate`.
/// # Thread mapping
/// One thread a rule, grid-stride; shuffle-reduction to the best of a block, one atomic maximum a block.
/// # Synchronisation
/// Block barriers; the last block decides.
/// # Safety
/// `s` must describe valid memory that nobody else uses during the launch, with room for one more level.
/// # Deterministic
/// Yes: the highest key wins, and keys are distinct.
#[kernel]
pub unsafe fn decide(s: Search) {
    run(&s)
}

/// The kernel as a plain function.
#[inline(always)]
pub fn run(s: &Search) {
    let state = s.state();
    let mut best = 0;
    for i in over_grid(0, s.candidates) {
        if applicable(s, i) {
            best = best.max(key(s, i));
        }
    }
    let best = block_reduce(best, 0, |a, b| if a > b { a } else { b });
    if thread::thread_idx_x() == 0 {
        state.best.fetch_max(best, Relaxed);
    }
    if is_last_block(s) && thread::thread_idx_x() == 0 {
        let best = state.best.swap(0, Relaxed);
        state.no_candidate.store((best == 0) as u32, Relaxed);
        if best != 0 {
            state.decisions.fetch_add(1, Relaxed);
            let chosen = index(s, best);
            open_level(s, decision(s, chosen));
            if chosen < s.first_candidates {
                state.projected.store(s.level(), Relaxed);
            }
        }
    }
}

/// Whether rule `i` may be chosen now. An atom that is there for its directives is, while one is in force.
#[inline(always)]
fn applicable(s: &Search, i: u32) -> bool {
    let positive = s.candidate_positive.read(i);
    if s.advised > 0 && i >= s.first_candidates && i - s.first_candidates < s.advised && !advice(s, i).any {
        return false;
    }
    status(s, Lit::t(Var(s.candidate_head.read(i)))) == Status::Open
        && status(s, s.candidate_body.read(i)) == Status::Open
        && (positive == Lit::TRUE || status(s, positive) == Status::Held)
}

/// What must be chosen first, then rank, then the candidate's index, mixed with the seed. Never 0.
#[inline(always)]
fn key(s: &Search, i: u32) -> u64 {
    let (head, body) = (s.candidate_head.read(i), s.candidate_body.read(i).var().0);
    let rank = s.rank.read(head).saturating_add(s.rank.read(body)).min(u32::MAX >> 1);
    let rank = if s.advised > 0 { advised_rank(advice(s, i), rank) } else { rank };
    let rank = rank | ((i < s.first_candidates) as u32) << 31;
    // Candidates and masks are below 2^30, so the complement is never 0.
    (rank as u64) << 32 | !(i ^ (s.seed & 0x3fff_ffff)) as u64
}

/// The literal to decide on. The head of a choice may be decided either way: as it was before, if it was (phase saving, Pipatsrisawat
/// and Darwiche 2007), so that a search that jumped back finds its way again; or as a directive says.
#[inline(always)]
fn decision(s: &Search, i: u32) -> Lit {
    let lit = s.candidate_body.read(i);
    let sign = advice(s, i).sign;
    if sign != 0 {
        return Lit::new(lit.var(), sign > 0);
    }
    let phase = s.phase.read(lit.var().0);
    if s.candidate_head.read(i) != lit.var().0 || phase == 0 {
        return lit;
    }
    Lit::new(lit.var(), phase == 1)
}

/// The candidate of a key.
#[inline(always)]
fn index(s: &Search, key: u64) -> u32 {
    !(key as u32) ^ (s.seed & 0x3fff_ffff)
}
