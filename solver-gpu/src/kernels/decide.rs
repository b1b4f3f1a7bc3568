//! Decision: chooses the best applicable candidate and makes its literal hold (paper, Algorithm 1, line 11).
//!
//! The main function is [`run`]. The host loop launches the kernel at a fixpoint, and the resident search
//! calls [`run`] there.
//!
//! The candidates of the paper are rules. A rule is applicable when its positive body holds and its body is
//! open, and only rules of unassigned heads are chosen. Every atom that a decision makes true is therefore
//! founded by the time it becomes true (an ASP computation, paper, section 1). Without `--decide applicable`
//! every variable is a candidate, which is applicable while it is open.
//!
//! In that case the kernel does not look at all candidates, if there are many. It keeps one key for each
//! chunk of candidates. Invariant: the key of a chunk is at least the key of its best open candidate.
//! Undoing a variable raises the key ([`reopened`]), and assigning one does not lower it. A chunk has to be
//! looked through only if its key is no longer that of the candidate that it names, which happens once after
//! that candidate was assigned. Ranks change only while their variables are assigned. Levels and factors of
//! directives change with their conditions, and then the keys of those chunks change ([`advice_changed`]). A
//! single thread does not look at all keys either (see [`crate::tournament`]).

use crate::advice::{advised_rank, is_any_in_force, is_conditional, sign};
use crate::assign::{decide as open_level, status, Status};
use crate::layout::{count_up, NONE, UNKNOWN};
use crate::threads::block::{block_max, is_last_block};
use crate::threads::stride::{is_first, is_single};
use crate::threads::stride::{over_block, over_grid, over_lanes, warp_of_grid, warp_width};
use crate::threads::token::{WholeBlock, WholeWarp};
use crate::threads::warp::{warp_ballot, warp_max_wide};
use crate::tournament::{Tournament, CHUNK};
use crate::trace::note_no_candidate;
use crate::{Lit, Search, Var};
use crate::{Own, Problem, Settings};
use cuda_std::array::Array;
use cuda_std::prelude::*;
use cuda_std::thread;

/// Chooses the best applicable candidate and proposes its literal at a new level.
///
/// # Inputs
/// The candidates, `rank`, `preferred`, `longest`, `saved_phase`, `sign_score`, the directives, `value`,
/// `seed`, `chunk_best`.
/// # Writes
/// `best` and `chunk_best`. Then either `no_candidate`, or one proposal (`reason`, `trail`, `trail_len`) at a
/// new level (`level`, `trail_at`, `decision_at`), with `counts.deepest_level`,
/// `counts.decisions` and `projected`.
/// # Thread mapping
/// One thread for each candidate, grid-stride. With chunks: one thread for each chunk, and a warp for each
/// chunk that has to be looked through. Each block reduces to its best key and adds it by one atomic maximum.
/// # Synchronisation
/// Block barriers. The last block decides.
/// # Safety
/// `s` must describe valid memory that nobody else uses during the launch, with capacity for one more level.
/// # Deterministic
/// Yes: the highest key wins, and keys are distinct.
#[kernel]
pub unsafe fn decide(s: Search) {
    // SAFETY: the kernel's entry.
    run(unsafe { &mut WholeBlock::at_entry() }, &s)
}

/// The kernel as a plain function. All blocks of the grid call this.
#[cuda_std::inlined]
pub fn run(block: &mut WholeBlock, s: &Search) {
    let state = s.own.state();
    let mine = match (s.problem.candidate_of.is_empty(), s.own.chunk_best.is_empty()) {
        (true, _) => best_of_all(block, s),
        (_, true) => best_of_variables(block, s),
        _ => best_of_chunks(block.warp(), s),
    };
    let mut best = block_max(block, &s.launch, mine);
    let first = is_first();
    if s.launch.single_block == 0 {
        if first {
            state.best.max(best);
        }
        if !is_last_block(block, &s.own, &s.launch) {
            return;
        }
        if first {
            best = state.best.put(0);
        }
    }
    if first {
        state.no_candidate.store((best == 0) as u32);
        if best == 0 {
            note_no_candidate(s);
        } else {
            count_up(&state.counts.decisions, 1);
            let chosen = index(&s.settings, best);
            open_level(&s.own, decision(s, chosen));
            if chosen < s.problem.first_candidates {
                state.projected.store(s.own.level().0);
            }
        }
    }
}

/// Returns the key of the best applicable candidate among the candidates that fall to this thread, or 0.
#[cuda_std::inlined]
fn best_of_all(block: &mut WholeBlock, s: &Search) -> u64 {
    let mut best = 0;
    for i in over_grid(block, &s.launch, 0, s.problem.candidates) {
        if applicable(&s.problem, &s.own, i) {
            best = best.max(key(s, i));
        }
    }
    best
}

/// Does the same as [`best_of_all`] where each variable is at most one candidate.
#[cuda_std::inlined]
fn best_of_variables(block: &mut WholeBlock, s: &Search) -> u64 {
    let mut best = 0;
    for i in over_grid(block, &s.launch, 0, s.problem.candidates) {
        best = best.max(open_key(s, i));
    }
    best
}

/// Returns the best key of the chunks that fall to this thread or to its warp, or 0.
#[cuda_std::inlined]
fn best_of_chunks(warp: &mut WholeWarp, s: &Search) -> u64 {
    if is_single() {
        return tournament(s).best(|i| open_key(s, i), |key| index(&s.settings, key));
    }
    let (chunks, width) = (s.problem.candidates.div_ceil(CHUNK), warp_width());
    let lane = thread::thread_idx_x() % width;
    let mut best_key = 0;
    // Neighbouring chunks go to different warps, because chunks that have to be looked through are mostly
    // close to each other.
    let (mut first, warps) = warp_of_grid(&s.launch);
    while first < chunks {
        let chunk = first + lane * warps;
        let key = if chunk < chunks { s.own.chunk_best.read(chunk) } else { 0 };
        let is_old = key == UNKNOWN || key != 0 && open_key(s, index(&s.settings, key)) != key;
        if !is_old {
            best_key = best_key.max(key);
        }
        let mut left = warp_ballot(warp, is_old);
        while left != 0 {
            let owner = left.trailing_zeros();
            let chunk = first + owner * warps;
            let end = s.problem.candidates.min((chunk + 1) * CHUNK);
            let mine = over_lanes(warp, chunk * CHUNK, end).map(|i| open_key(s, i)).fold(0, u64::max);
            let key = warp_max_wide(warp, mine);
            // The lane that has read the key writes the new one: no other lane reads the key.
            if lane == owner {
                s.own.chunk_best.write(chunk, key);
                best_key = best_key.max(key);
            }
            left &= left - 1;
        }
        first += width * warps;
    }
    best_key
}

/// Raises the key of the chunk of variable `p`, which is open again. May be called by any thread.
#[cuda_std::inlined]
pub fn reopened(s: &Search, p: Var) {
    if s.own.chunk_best.is_empty() {
        return;
    }
    let i = s.problem.candidate_of.read(p.0);
    if i == NONE {
        return;
    }
    if is_single() {
        tournament(s).raise(i, variable_key(s, i, p));
    } else {
        // Other threads undo conditions at the same time.
        let is_known = s.problem.advised == 0 || !is_conditional(&s.problem, i);
        let key = if is_known { variable_key(s, i, p) } else { UNKNOWN };
        s.own.chunk_best.atomic(i / CHUNK).max(key);
    }
}

/// Raises the keys of the chunks of those candidates whose level or factor depends on `lit`, which holds now
/// or no longer does. May be called by any thread, while others change the assignment. So several threads
/// note that the chunks have to be looked through. A single thread has changed everything when it comes here
/// with the last literal, and raises the keys to what they are then.
#[cuda_std::inlined]
pub fn advice_changed(s: &Search, lit: Lit) {
    if s.own.chunk_best.is_empty() {
        return;
    }
    let mut at = s.problem.advises_start.read(lit.index() as u32);
    let end = s.problem.advises_start.read(lit.index() as u32 + 1);
    while at < end {
        let i = s.problem.advises.read(at);
        if is_single() {
            tournament(s).raise(i, open_key(s, i));
        } else {
            s.own.chunk_best.atomic(i / CHUNK).max(UNKNOWN);
        }
        at += 1;
    }
}

/// The keys as a single thread uses them.
#[cuda_std::inlined]
fn tournament(s: &Search) -> Tournament {
    Tournament::new(s.own.chunk_best, s.problem.candidates)
}

/// Notes that all ranks have changed: every chunk has to be looked through. There is one block.
#[cuda_std::inlined]
pub fn ranks_changed(block: &mut WholeBlock, own: &Own) {
    for chunk in over_block(block, 0, own.chunk_best.len() as u32) {
        own.chunk_best.write(chunk, UNKNOWN);
    }
}

/// Returns whether candidate `i` may be chosen now. An atom that is a candidate only because of its
/// directives may be chosen while a directive is in force.
#[cuda_std::inlined]
fn applicable(problem: &Problem, own: &Own, i: u32) -> bool {
    let positive = problem.candidate_positive.read(i);
    status(own, Lit::t(Var(problem.candidate_head.read(i)))) == Status::Open
        && status(own, problem.candidate_body.read(i)) == Status::Open
        && (positive == Lit::TRUE || status(own, positive) == Status::Held)
        && (problem.advised == 0 || is_any_in_force(problem, own, i))
}

/// Returns the key of candidate `i`, which is never 0.
///
/// A key orders candidates by whether they must be chosen first, then by rank, then by index, mixed with the
/// seed.
#[cuda_std::inlined]
fn key(s: &Search, i: u32) -> u64 {
    let (head, body) = (s.problem.candidate_head.read(i), s.problem.candidate_body.read(i).var().0);
    let (head, body) = (f32::from_bits(s.own.rank.read(head)), f32::from_bits(s.own.rank.read(body)));
    // Both are the same variable where each variable is at most one candidate.
    key_of(s, i, (0.5 * head + 0.5 * body).to_bits())
}

/// Returns the key of candidate `i`, whose head and body are the variable `p`.
#[cuda_std::inlined]
fn variable_key(s: &Search, i: u32, p: Var) -> u64 {
    key_of(s, i, s.own.rank.read(p.0))
}

/// Returns the key of candidate `i`, a variable, or 0 if the variable is not open. Value and rank are loaded
/// at the same time.
#[cuda_std::inlined]
fn open_key(s: &Search, i: u32) -> u64 {
    let p = s.problem.candidate_body.read(i).var();
    let (value, rank) = (s.own.value.read(p.0), s.own.rank.read(p.0));
    if value == 0 {
        key_of(s, i, rank)
    } else {
        0
    }
}

/// Returns the key of candidate `i`, whose rank without directives is the float with the bits `rank`. The bits of floats
/// that are not negative are in the order of the floats, and their highest bit is 0.
#[cuda_std::inlined]
fn key_of(s: &Search, i: u32, rank: u32) -> u64 {
    let rank = match s.problem.advised {
        0 => rank,
        _ => advised_rank(&s.problem, &s.own, i, rank),
    };
    let rank = rank | ((i < s.problem.first_candidates) as u32) << 31;
    // Candidate numbers and the seed mask are below 2^30, so the complement is never 0.
    (rank as u64) << 32 | !(i ^ (s.settings.seed & 0x3fff_ffff)) as u64
}

/// Returns the literal to decide on for candidate `i`.
///
/// A directive's sign goes first. Else the head of a choice may be decided either way. If something costs,
/// the head is decided so that it costs nothing until there are `prefer_until` conflicts: each answer set is
/// one step of a descent, and decisions that follow the last answer set would only find its costs again. Else
/// the sign is the sign of the longest assignment (see [`super::rephase`]) or the saved phase (phase saving,
/// Pipatsrisawat and Darwiche 2007). The saved phase lets a search that jumped back find its way again.
/// Without these, a decision makes more of the learned nogoods false than its complement would (as in clasp).
#[cuda_std::inlined]
fn decision(s: &Search, i: u32) -> Lit {
    let (problem, own) = (&s.problem, &s.own);
    let (lit, head) = (problem.candidate_body.read(i), problem.candidate_head.read(i));
    let sign = sign(problem, own, i);
    if sign != 0 {
        return Lit::new(lit.var(), sign > 0);
    }
    if head != lit.var().0 {
        return lit;
    }
    let sign_of = |signs: Array<u32>| if signs.is_empty() { 0 } else { signs.read(head) };
    let prefers = own.state().counts.conflicts.now() < s.settings.prefer_until as u64;
    let preferred = if prefers { sign_of(problem.preferred) } else { 0 };
    let (longest, phase) = (sign_of(own.longest), own.saved_phase.read(head));
    let sign = if preferred != 0 {
        preferred
    } else if longest != 0 {
        longest
    } else {
        phase
    };
    match sign {
        0 => match own.sign_score.read(head) as i32 {
            0 => lit,
            score => Lit::new(lit.var(), score < 0),
        },
        sign => Lit::new(lit.var(), sign == 1),
    }
}

/// Returns the candidate that `key` names.
#[cuda_std::inlined]
fn index(settings: &Settings, key: u64) -> u32 {
    !(key as u32) ^ (settings.seed & 0x3fff_ffff)
}
