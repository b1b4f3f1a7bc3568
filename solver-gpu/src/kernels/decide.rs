//! Decision: chooses the best applicable candidate and makes its literal hold (paper, Algorithm 1, line 11).
//!
//! The candidates of the paper are rules. A rule is applicable when its positive body holds and its body is open, and
//! only rules of unassigned heads are chosen. So every atom that a decision makes true is founded by then (an ASP
//! computation, paper, section 1). Otherwise every variable is a candidate, applicable while it is open.
//!
//! Then the search does not look at all candidates, unless there are at most two for each thread. Of each [`CHUNK`]
//! candidates the key of the best one is kept, or a higher key. A literal that is undone raises the key ([`reopened`]);
//! a literal that is assigned does not lower it. So a chunk has to be looked through only if the candidate of its key is
//! no longer open, which happens once after that candidate was assigned. Ranks change only while variables are assigned.

use crate::advice::{advice, advised_rank};
use crate::assign::{decide as open_level, status, Status};
use crate::layout::{count_up, NONE, UNKNOWN};
use crate::threads::block::{block_max, is_last_block};
use crate::threads::stride::is_first;
use crate::threads::stride::{over_block, over_grid, over_lanes, warp_of_grid, warp_width};
use crate::threads::warp::{warp_ballot, warp_max_wide};
use crate::{Lit, Search, Var};
use crate::{Own, Problem, Settings};
use cuda_std::array::Array;
use cuda_std::prelude::*;
use cuda_std::thread;

/// How many candidates share a key.
pub const CHUNK: u32 = 64;

/// # Inputs
/// The candidates, `rank`, `preferred`, `longest`, `saved_phase`, the directives, `value`, `seed`, `chunk_best`.
/// # Writes
/// `best`; then either one proposal at a new level (and `projected`), or `no_candidate`; `chunk_best`.
/// # Thread mapping
/// One thread a candidate; or one thread a chunk, and one warp a chunk to look through; grid-stride. The best key of a block
/// comes from a reduction, and that of the grid from one atomic maximum a block.
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
    let state = s.own.state();
    let mine = match (s.problem.candidate_of.is_empty(), s.own.chunk_best.is_empty()) {
        (true, _) => best_of_all(s),
        (_, true) => best_of_variables(s),
        _ => best_of_chunks(s),
    };
    let mut best = block_max(&s.launch, mine);
    let first = is_first();
    if s.launch.single_block == 0 {
        if first {
            state.best.max(best);
        }
        if !is_last_block(&s.own, &s.launch) {
            return;
        }
        if first {
            best = state.best.put(0);
        }
    }
    if first {
        state.no_candidate.store((best == 0) as u32);
        if best != 0 {
            count_up(&state.decisions, 1);
            let chosen = index(&s.settings, best);
            open_level(&s.own, decision(&s.problem, &s.own, chosen));
            if chosen < s.problem.first_candidates {
                state.projected.store(s.own.level());
            }
        }
    }
}

/// The key of the best applicable candidate of those that fall to this thread, or 0.
#[inline(always)]
fn best_of_all(s: &Search) -> u64 {
    let mut best = 0;
    for i in over_grid(&s.launch, 0, s.problem.candidates) {
        if applicable(&s.problem, &s.own, i) {
            best = best.max(key(s, i));
        }
    }
    best
}

/// The best key of the candidates that fall to this thread, where each variable is one candidate at most; or 0.
#[inline(always)]
fn best_of_variables(s: &Search) -> u64 {
    let mut best = 0;
    for i in over_grid(&s.launch, 0, s.problem.candidates) {
        best = best.max(open_key(s, i));
    }
    best
}

/// The best key of the chunks that fall to this thread or to its warp.
#[inline(always)]
fn best_of_chunks(s: &Search) -> u64 {
    let (chunks, width) = (s.problem.candidates.div_ceil(CHUNK), warp_width());
    let lane = thread::thread_idx_x() % width;
    let mut best_key = 0;
    // Neighbouring chunks fall to different warps: chunks that have to be looked through are mostly near each other.
    let (warp, warps) = warp_of_grid(&s.launch);
    let mut first = warp;
    while first < chunks {
        let chunk = first + lane * warps;
        let key = if chunk < chunks { s.own.chunk_best.read(chunk) } else { 0 };
        let is_old = key == UNKNOWN || key != 0 && open_key(s, index(&s.settings, key)) == 0;
        if !is_old {
            best_key = best_key.max(key);
        }
        let mut left = warp_ballot(is_old);
        while left != 0 {
            let chunk = first + left.trailing_zeros() * warps;
            let end = s.problem.candidates.min((chunk + 1) * CHUNK);
            let mine = over_lanes(chunk * CHUNK, end).map(|i| open_key(s, i)).fold(0, u64::max);
            let key = warp_max_wide(mine);
            if lane == 0 {
                s.own.chunk_best.write(chunk, key);
                best_key = best_key.max(key);
            }
            left &= left - 1;
        }
        first += width * warps;
    }
    best_key
}

/// Notes that variable `p` is open again.
#[inline(always)]
pub fn reopened(s: &Search, p: u32) {
    if s.own.chunk_best.is_empty() {
        return;
    }
    let i = s.problem.candidate_of.read(p);
    if i != NONE {
        s.own.chunk_best.atomic(i / CHUNK).max(variable_key(s, i, p));
    }
}

/// Notes that all ranks have changed. Called by all threads of the only block.
#[inline(always)]
pub fn ranks_changed(own: &Own) {
    for chunk in over_block(0, own.chunk_best.len() as u32) {
        own.chunk_best.write(chunk, UNKNOWN);
    }
}

/// Whether candidate `i` may be chosen now. An atom with directives may be chosen while one of them is in force.
#[inline(always)]
fn applicable(problem: &Problem, own: &Own, i: u32) -> bool {
    let positive = problem.candidate_positive.read(i);
    if problem.advised > 0
        && i >= problem.first_candidates
        && i - problem.first_candidates < problem.advised
        && !advice(problem, own, i).any
    {
        return false;
    }
    status(own, Lit::t(Var(problem.candidate_head.read(i)))) == Status::Open
        && status(own, problem.candidate_body.read(i)) == Status::Open
        && (positive == Lit::TRUE || status(own, positive) == Status::Held)
}

/// The key of candidate `i`: whether it must be chosen first, then its rank, then its index, mixed with the seed. Never 0.
#[inline(always)]
fn key(s: &Search, i: u32) -> u64 {
    let (head, body) = (s.problem.candidate_head.read(i), s.problem.candidate_body.read(i).var().0);
    key_of(s, i, s.own.rank.read(head).saturating_add(s.own.rank.read(body)))
}

/// The key of candidate `i`, which is the variable `p`, both head and body.
#[inline(always)]
fn variable_key(s: &Search, i: u32, p: u32) -> u64 {
    key_of(s, i, s.own.rank.read(p).saturating_mul(2))
}

/// The key of candidate `i`, a variable, or 0 if the variable is not open. The rank and the value are loaded together.
#[inline(always)]
fn open_key(s: &Search, i: u32) -> u64 {
    let p = s.problem.candidate_body.read(i).var().0;
    let (value, key) = (s.own.value.read(p), variable_key(s, i, p));
    if value == 0 {
        key
    } else {
        0
    }
}

/// The key of candidate `i` of rank `rank`.
#[inline(always)]
fn key_of(s: &Search, i: u32, rank: u32) -> u64 {
    let rank = rank.min(u32::MAX >> 1);
    let rank = if s.problem.advised > 0 { advised_rank(advice(&s.problem, &s.own, i), rank) } else { rank };
    let rank = rank | ((i < s.problem.first_candidates) as u32) << 31;
    // Candidates and masks are below 2^30, so the complement is never 0.
    (rank as u64) << 32 | !(i ^ (s.settings.seed & 0x3fff_ffff)) as u64
}

/// The literal to decide on for candidate `i`.
///
/// The head of a choice may be decided either way. A directive's sign comes first. What costs something is always decided
/// not to hold: each answer set is a step of a descent, and the costs of the last one are of no use. Then the phase in the
/// longest assignment counts, where the search looks for that (see [`super::rephase`]), and then the saved phase
/// (Pipatsrisawat and Darwiche 2007), so that a search that jumped back finds its way again.
#[inline(always)]
fn decision(problem: &Problem, own: &Own, i: u32) -> Lit {
    let (lit, head) = (problem.candidate_body.read(i), problem.candidate_head.read(i));
    let sign = advice(problem, own, i).sign;
    if sign != 0 {
        return Lit::new(lit.var(), sign > 0);
    }
    if head != lit.var().0 {
        return lit;
    }
    let sign_of = |signs: Array<u32>| if signs.is_empty() { 0 } else { signs.read(head) };
    let (preferred, longest, phase) =
        (sign_of(problem.preferred), sign_of(own.longest), own.saved_phase.read(head));
    let sign = if preferred != 0 {
        preferred
    } else if longest != 0 {
        longest
    } else {
        phase
    };
    match sign {
        0 => lit,
        sign => Lit::new(lit.var(), sign == 1),
    }
}

/// The candidate of a key.
#[inline(always)]
fn index(settings: &Settings, key: u64) -> u32 {
    !(key as u32) ^ (settings.seed & 0x3fff_ffff)
}
