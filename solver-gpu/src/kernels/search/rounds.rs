//! Rounds of propagation, by the block that searches.

use super::apart;
use super::wide::{are_for_all, task};
use crate::atomics::Atomics;
use crate::frontier::{visit_few, visit_many, Share, Visit, BINARY, FEW, TERNARY};
use crate::kernels::propagate_learned::{self, visit_lists, Others};
use crate::kernels::{commit, propagate_binary, propagate_long, propagate_sums, propagate_ternary};
use crate::layout::{count_up, NONE};
use crate::stride::is_single;
use crate::team::{self, is_first};
use crate::watches::settle;
use crate::{Lit, Search};
use core::hint::cold_path;
use core::sync::atomic::Ordering::Relaxed;
use cuda_std::thread;

/// A round of so many visits more counts as one more.
const VISITS_A_ROUND: u64 = 128;

/// After so many rounds the search looks whether the host wants it to stop.
const ROUNDS_A_LOOK: u32 = 16;

/// What each thread keeps of the launch in registers.
pub struct Run {
    /// What its warp visits.
    share: Share,
    /// Rounds until the search has to return, the same in all threads of a block,
    left: u32,
    /// and whether it has to now.
    pub is_over: bool,
    /// Rounds that had something to commit,
    rounds: u32,
    /// and how much, the same in all threads.
    propagations: u64,
    /// Visits on this thread's account.
    visits: u64,
    /// What all blocks have to do next, the same in all threads.
    pub task: u32,
}

impl Run {
    #[inline(always)]
    pub fn new(s: &Search, left: u32) -> Run {
        let most = if team::has_others() { s.visits_alone } else { NONE };
        Run {
            share: Share::by_class(s).of_at_most(most),
            left,
            is_over: false,
            rounds: 0,
            propagations: 0,
            visits: 0,
            task: task::SEARCH,
        }
    }

    /// Counts a commit.
    #[inline(always)]
    pub fn committed(&mut self, from: u32, end: u32) {
        self.propagations += (end - from) as u64;
        self.rounds += (end > from) as u32;
    }

    /// Counts visits on this thread's account. On the processor nobody can ask a launch to return, so there a round of many counts as several.
    #[inline(always)]
    fn visited(&mut self, visits: u64) {
        self.visits += visits;
        if is_single() {
            let rounds = visits / VISITS_A_ROUND;
            self.left = self.left.saturating_sub(rounds.min(u32::MAX as u64) as u32);
        }
    }

    /// Adds what was counted to the control words.
    #[inline(always)]
    pub fn end(&self, s: &Search) {
        let state = s.state();
        if self.visits > 0 {
            state.visits.add(self.visits);
        }
        if is_first() {
            count_up(&state.propagations, self.propagations);
            count_up(&state.rounds, self.rounds as u64);
        }
    }
}

/// Commits what is proposed at places `committed .. end` of the trail, and waits for all.
#[inline(always)]
pub fn commit_and_count(s: &Search, committed: u32, end: u32, run: &mut Run) {
    commit::publish(s, committed, end);
    if is_first() {
        s.state().visited.store(committed, Relaxed);
    }
    run.committed(committed, end);
    thread::sync_threads();
    // Now all have read what it was.
    if is_first() {
        s.state().committed.store(end, Relaxed);
    }
}

/// What the control words say between two rounds. They are read together, as each takes its time.
#[derive(Clone, Copy)]
struct Control {
    conflicts: u32,
    trail_len: u32,
    queued: u32,
    wide: u32,
    others: Others,
}

impl Control {
    #[inline(always)]
    fn read(s: &Search) -> Control {
        let state = s.state();
        Control {
            conflicts: state.conflicts.load(Relaxed),
            trail_len: state.trail_len.load(Relaxed),
            queued: state.queued.load(Relaxed),
            wide: state.wide.load(Relaxed),
            others: propagate_learned::others(s),
        }
    }
}

/// Why a round leaves the inner loop of [`propagate`].
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rest {
    /// Its frontier is not of few literals.
    Many,
    /// There is something to look at beside the frontier.
    Others,
    /// Lists of watches have no room for what was appended.
    Queued,
}

/// Rounds, until there is a conflict, nothing left to visit, a round that is for all blocks, or the search has to return; how much is
/// committed then.
///
/// The inner loop is what most rounds are. What few of them need stands behind it, so that its instructions lie close together: fetching
/// them is a fifth of what a round waits for.
#[inline(always)]
pub fn propagate(s: &Search, run: &mut Run) -> u32 {
    let state = s.state();
    // All threads keep in mind how much is committed, as the control word changes while others are further on.
    let mut committed = state.committed.load(Relaxed);
    loop {
        let (mut from, mut others);
        let mut now = Control::read(s);
        let rest = loop {
            if now.conflicts > 0 {
                return committed;
            }
            (from, others) = (committed, now.others);
            if are_for_all(s, now.trail_len - from) {
                run.task = task::COMMIT;
                return committed;
            }
            committed = now.trail_len;
            commit_and_count(s, from, committed, run);
            if is_single() || committed - from > FEW {
                break Rest::Many;
            }
            run.visited(visit_few::<All>(s, run.share, (from, committed)));
            if others.are_any() || s.sums > 0 && state.touched.load(Relaxed) > 0 {
                break Rest::Others;
            }
            end_round(s, run);
            now = Control::read(s);
            if now.queued > 0 {
                break Rest::Queued;
            }
            if ends(now, committed, run) {
                return committed;
            }
        };
        if rest != Rest::Queued {
            if rest == Rest::Many {
                run.visited(visit_many::<All>(s, run.share, (from, committed)));
            }
            // What stands in lists that are still visited has to wait.
            thread::sync_threads();
            propagate_learned::look_at(s, others);
            // The next commit touches more as soon as it begins.
            let has_touched = s.sums > 0 && state.touched.load(Relaxed) > 0;
            if has_touched {
                propagate_sums::look_at_touched(s);
            }
            end_round(s, run);
            if has_touched {
                apart(s, propagate_sums::finish);
            }
            if is_first() {
                propagate_learned::note_seen(s, others);
            }
            thread::sync_threads();
        }
        if state.queued.load(Relaxed) > 0 {
            apart(s, settle);
        }
        if ends(Control::read(s), committed, run) {
            return committed;
        }
    }
}

/// Whether there is no next round, or this one is left to all blocks.
#[inline(always)]
fn ends(now: Control, committed: u32, run: &mut Run) -> bool {
    if now.wide == 1 {
        cold_path();
        run.task = task::VISIT;
    }
    now.wide == 1 || run.is_over || committed == now.trail_len
}

/// Nogoods of all classes.
pub struct All;

impl Visit for All {
    #[inline(always)]
    fn nogood(s: &Search, class: usize, lit: Lit, at: u32) {
        match class {
            BINARY => propagate_binary::follow(s, lit, at),
            TERNARY => propagate_ternary::follow(s, lit, at),
            _ => propagate_long::follow(s, lit, at),
        }
    }

    #[inline(always)]
    fn lists(s: &Search, lit: Lit, len: u32) {
        visit_lists(s, lit, len);
    }
}

/// Waits for all. What the control words say afterwards changes behind the next barrier.
#[inline(always)]
pub fn end_round(s: &Search, run: &mut Run) {
    let budget = &s.state().budget;
    run.left = run.left.saturating_sub(1);
    // The host's word is as far away as a whole round.
    let looks = run.left.is_multiple_of(ROUNDS_A_LOOK);
    if looks && is_first() && s.stop.atomic(0u32).load(Relaxed) != 0 {
        budget.store(0, Relaxed);
    }
    thread::sync_threads();
    run.is_over = run.left == 0 || looks && budget.load(Relaxed) == 0;
}
