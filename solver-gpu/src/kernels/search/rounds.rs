//! Rounds of propagation, by the block that searches.
//!
//! Main function: [`propagate`]. A round commits the proposals and visits the nogoods of the literals that
//! became part of the assignment: the frontier. Most rounds have a narrow frontier and run in
//! `narrow_rounds`, which is kept small.
//!
//! Invariant: all threads of the block go through the same rounds, and read a control word only where no
//! thread changes the word before the next barrier.

use crate::frontier::classes::{BINARY, TERNARY};
use crate::frontier::narrow::{load_lists, load_rows, visit_rows, visit_whole_lists};
use crate::frontier::rows::{Batch, Rows};
use crate::frontier::sharing::{is_narrow, Share};
use crate::frontier::visit::Visit;
use crate::frontier::wide::visit_wide;
use crate::kernels::propagate_learned::{visit_list, visit_lists, Others};
use crate::kernels::{
    commit, propagate_binary, propagate_learned, propagate_long, propagate_sums, propagate_ternary,
};
use crate::layout::{asks, Between, TrailPosition, BETTER};
use crate::swarm::queue::waiting;
use crate::threads::barrier::sync_block;
use crate::threads::stride::{is_first, is_in_warp_of_last, is_last, is_single};
use crate::threads::token::{WholeBlock, WholeWarp};
use crate::threads::warp::sync_warp;
use crate::watches::settle;
use crate::{Launch, Own, Problem};
use crate::{Lit, Search};
use core::hint::cold_path;
use cuda_std::array::kept;
use cuda_std::thread;

/// On the processor, this many visits, or as much other work, count as one round more.
const VISITS_A_ROUND: u64 = 128;

/// After this many rounds the search looks whether it has to return.
const ROUNDS_A_LOOK: u32 = 256;

/// After this many rounds a searcher of a swarm looks at what others want.
const ROUNDS_A_SWARM_LOOK: u32 = 32;

/// What each thread keeps in registers during a launch.
pub struct Run {
    /// What this thread's warp visits.
    share: Share,
    /// Whether the warps are shared out for lists of learned nogoods as well.
    has_lists: bool,
    /// The largest number of literals in a narrow frontier.
    max_narrow: u32,
    /// Rounds until the search has to return. The number is the same in all threads of a block.
    left: u32,
    /// After how many rounds the search looks whether it has to return.
    rounds_a_look: u32,
    /// Whether it is time to look whether the search has to return.
    pub looks: bool,
    /// Visits that this thread accounts for.
    visits: u64,
}

impl Run {
    /// The registers at the beginning of a launch that returns after `left` rounds. `has_lists` says whether
    /// there are lists of learned nogoods.
    #[cuda_std::inlined]
    pub fn new(s: &Search, left: u32, has_lists: bool) -> Run {
        let share = share(&s.problem, &s.launch, has_lists);
        Run {
            share,
            has_lists,
            max_narrow: kept(share.max_narrow()),
            left,
            rounds_a_look: if s.swarm.is_any() { ROUNDS_A_SWARM_LOOK } else { ROUNDS_A_LOOK },
            // A launch may end at the next fixpoint, before it is time to look what others want.
            looks: s.swarm.is_any() && s.settings.asks != asks::NEVER,
            visits: 0,
        }
    }

    /// Shares the warps out again if the first nogood was learned, or the last one deleted.
    #[cuda_std::inlined]
    fn share_out(&mut self, problem: &Problem, launch: &Launch, has_lists: bool) {
        if has_lists != self.has_lists {
            cold_path();
            (self.share, self.has_lists) = (share(problem, launch, has_lists), has_lists);
        }
    }

    /// Adds `visits` to the visits that this thread accounts for.
    #[cuda_std::inlined]
    fn visited(&mut self, visits: u64) {
        self.visits += visits;
        self.worked(visits);
    }

    /// Notes work that is like so many visits. On the processor nobody can ask a launch to return, so there
    /// much work in one round counts as several rounds.
    #[cuda_std::inlined]
    pub fn worked(&mut self, visits: u64) {
        if is_single() {
            let rounds = visits / VISITS_A_ROUND;
            self.left = self.left.saturating_sub(rounds.min(u32::MAX as u64) as u32);
        }
    }

    /// Waits for all threads of the block. Control words may change only after the next barrier.
    #[cuda_std::inlined]
    pub fn end_round(&mut self, block: &mut WholeBlock) {
        self.left = self.left.saturating_sub(1);
        self.looks |= self.left.is_multiple_of(self.rounds_a_look);
        sync_block(block);
    }

    /// Counts a look for a cube as a round, so that the launch ends. A searcher that has met a conflict at
    /// level 1 propagates no more, and would wait for a cube that the host has.
    #[cuda_std::inlined]
    pub fn wait(&mut self) {
        self.left = self.left.saturating_sub(1);
        self.looks = true;
    }

    /// Adds the counted visits to the control words.
    #[cuda_std::inlined]
    pub fn end(&self, own: &Own) {
        if self.visits > 0 {
            own.state().counts.visits.add(self.visits);
        }
    }
}

/// What the warps of the block that searches visit. `has_lists`: there are lists of learned nogoods.
#[cuda_std::inlined]
fn share(problem: &Problem, launch: &Launch, has_lists: bool) -> Share {
    Share::by_class(problem, launch, has_lists)
}

/// Commits the proposals at trail positions `committed .. end`, and waits for all threads of the block.
#[cuda_std::inlined]
pub fn commit_and_count(block: &mut WholeBlock, s: &Search, committed: TrailPosition, end: TrailPosition) {
    begin_commit(block, s, committed, end);
    end_commit(block, &s.own, committed, end);
}

/// The part of a commit before the wait: publishes the proposals.
#[cuda_std::inlined]
fn begin_commit(block: &mut WholeBlock, s: &Search, committed: TrailPosition, end: TrailPosition) {
    commit::publish(block, s, committed, end);
    note_visited(&s.own, committed);
}

/// The part of a commit before the wait, for at most as many proposals as the block has threads.
#[cuda_std::inlined]
fn begin_narrow_commit(block: &mut WholeBlock, s: &Search, committed: TrailPosition, end: TrailPosition) {
    commit::publish_narrow(block, s, committed, end);
    note_visited(&s.own, committed);
}

#[cuda_std::inlined]
fn note_visited(own: &Own, committed: TrailPosition) {
    if is_last() {
        own.state().visited.store(committed.0);
    }
}

/// The wait of a commit.
#[cuda_std::inlined]
fn wait_for_commit(block: &mut WholeBlock) {
    sync_block(block);
}

/// The wait of a commit, and what follows it: the last thread notes what is committed.
#[cuda_std::inlined]
fn end_commit(block: &mut WholeBlock, own: &Own, committed: TrailPosition, end: TrailPosition) {
    wait_for_commit(block);
    if is_last() {
        commit::note(own, committed, end);
    }
}

/// Rounds with a narrow frontier and nothing else to look at, until either changes or there is no next round.
///
/// Takes the number of committed literals, which it brings up to date, and the control words `now`. Returns
/// what is left of the last round, and the trail position at which its frontier begins.
///
/// What only some rounds need is placed elsewhere, so that these instructions lie close together. Fetching
/// instructions is a fifth of what a round waits for.
#[cuda_std::inlined]
fn narrow_rounds(
    block: &mut WholeBlock,
    s: &Search,
    run: &mut Run,
    others: Others,
    committed: &mut TrailPosition,
    mut now: Between,
) -> (Rest, TrailPosition) {
    // What does not change from round to round is read once, before the loop.
    let may_have_more = others.are_any() || s.problem.sums > 0;
    let (share, class) = (run.share, run.share.rows(&s.problem));
    // All warps share bitmaps and items of sums.
    let commits_by_all = s.settings.track_deps == 1 || s.problem.sums > 0;
    loop {
        let frontier @ (from, end) = (*committed, TrailPosition(now.trail_len));
        *committed = end;
        let literals = end - from;
        let commits = commits_by_all || is_in_warp_of_last(literals);
        run.visited(if !share.has_lists() {
            // In most rounds the warps with lists are enough to commit the proposals.
            if commits {
                begin_narrow_commit(block, s, from, end);
                sync_warp(block.warp());
            }
            let asked = load_rows(&s.own, share, class, frontier);
            wait_for_commit(block);
            visit_rows::<All>(block.warp(), s, share, class, frontier, asked)
        } else {
            if commits {
                begin_narrow_commit(block, s, from, end);
                // Without this the lanes that committed would go on apart from the others.
                sync_warp(block.warp());
            }
            if !share.has_lists_of(literals) {
                end_commit(block, &s.own, from, end);
                0
            } else {
                // A warp that commits is waited for by all others, so that warp loads its lists later.
                if commits {
                    end_commit(block, &s.own, from, end);
                }
                let asked = load_lists(block.warp(), s, share, frontier);
                if !commits {
                    end_commit(block, &s.own, from, end);
                }
                visit_whole_lists::<All>(block.warp(), s, asked)
            }
        });
        if may_have_more && (others.are_any() || s.own.state().touched.now() > 0) {
            return (Rest::Others, from);
        }
        run.end_round(block);
        now = s.own.state().between_rounds();
        if !is_narrow(TrailPosition(now.trail_len) - *committed, run.max_narrow)
            || run.looks
            || now.conflicts | now.queued != 0
        {
            return (Rest::None, from);
        }
    }
}

/// What is left of a round whose frontier was committed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rest {
    /// Nothing is left: the round is over.
    None,
    /// The frontier, which is not narrow, has to be visited; then the rest has to be looked at.
    Many,
    /// What there is besides the frontier has to be looked at: late nogoods, new nogoods, sums.
    Others,
}

/// Propagates until there is a conflict, nothing is left to visit, or it is time to look whether the search
/// has to return. Returns how many literals are committed.
#[cuda_std::inlined]
pub fn propagate(block: &mut WholeBlock, s: &Search, run: &mut Run) -> TrailPosition {
    let state = s.own.state();
    // All threads remember how much is committed, as the control word changes while some threads are further
    // on.
    let (mut committed, mut now) = (TrailPosition(state.depth().committed), state.between_rounds());
    run.share_out(&s.problem, &s.launch, state.learned.now() > 0);
    loop {
        // Narrow rounds that follow have no other nogoods to look at than there are now.
        let others = propagate_learned::others(state.stored(), state.beside());
        if now.conflicts > 0 {
            return committed;
        }
        let literals = TrailPosition(now.trail_len) - committed;
        let (rest, from) = if !is_single() && is_narrow(literals, run.max_narrow) {
            narrow_rounds(block, s, run, others, &mut committed, now)
        } else {
            let from = committed;
            committed = TrailPosition(now.trail_len);
            commit_and_count(block, s, from, committed);
            (Rest::Many, from)
        };
        if rest != Rest::None {
            if rest == Rest::Many {
                run.worked(literals as u64);
                run.visited(visit_wide::<All>(block, s, run.share, (from, committed)));
            }
            // Nogoods in lists that are still being visited have to wait.
            sync_block(block);
            propagate_learned::look_at(block.warp(), s, others);
            // The next commit touches more sums as soon as it begins.
            let has_touched = s.problem.sums > 0 && state.touched.now() > 0;
            if has_touched {
                run.worked(propagate_sums::look_at_touched(block, s));
            }
            run.end_round(block);
            if has_touched {
                propagate_sums::finish(block, &s.own);
            }
            if is_first() {
                propagate_learned::note_seen(&s.own, others);
            }
            sync_block(block);
        }
        if state.queued.now() > 0 {
            // The step begins with a barrier, as there is an entry.
            settle(block, &s.own);
            sync_block(block);
        }
        now = state.between_rounds();
        if run.looks || committed.0 == now.trail_len {
            return committed;
        }
    }
}

/// Visits nogoods of all classes.
pub struct All;

impl Visit for All {
    #[cuda_std::inlined]
    fn nogood(s: &Search, class: u32, lit: Lit, at: u32) {
        match class {
            BINARY => propagate_binary::follow(&s.problem, &s.own, lit, at),
            TERNARY => propagate_ternary::follow(&s.problem, &s.own, lit, at),
            _ => propagate_long::follow(s, lit, at),
        }
    }

    #[cuda_std::inlined]
    fn lists(warp: &mut WholeWarp, s: &Search, lists: Rows, first: Batch, are_narrow: bool) {
        visit_lists(warp, &s.own, &s.launch, lists, first, are_narrow);
    }

    #[cuda_std::inlined]
    fn list(_: &mut WholeWarp, s: &Search, lit: Lit, len: u32) {
        visit_list(s, lit, len);
    }
}

/// Whether somebody asks the search to return. Called by one thread.
///
/// Of a swarm, only the first searcher of a launch reads the word that the host may set, because all of them
/// could read it only a million times a second.
#[cuda_std::inlined]
fn is_stopped(s: &Search) -> bool {
    let is_asked = || s.launch.stop.get(0u32).load_relaxed() != 0;
    if !s.swarm.is_any() {
        return is_asked();
    }
    let (hub, state) = (s.swarm.hub(), s.own.state());
    if thread::block_idx_x() == 0 && is_asked() {
        hub.stop.store_relaxed(1);
    }
    let step = state.counts.rounds.now() ^ state.counts.decisions.now();
    state.races.store(s.swarm.races(s.swarm.me(), step) as u32);
    let hungry = hub.hungry.load_relaxed();
    state.wanted.store(if hungry > waiting(&s.swarm) { hungry } else { 0 });
    let version = hub.bound_version.load_relaxed();
    // What others know of consequences is taken over at the next restart or answer set. A jump for it would
    // cost the way to the next answer set, and there may be thousands of them.
    let is_bound = s.swarm.tightens == BETTER;
    let is_new = is_bound && version & 1 == 0 && version != state.bound_seen.now();
    state.news.store(is_new as u32);
    hub.stop.load_relaxed() != 0 || hub.done.load_relaxed() != 0
}

/// Whether the search has to return: its rounds are used up, or the host has set the stop word.
///
/// Reading the stop word takes as long as a round, and a loop that reads it begins with a pause (see
/// [`cuda_std::atomic::SearchU32::now`]). Therefore the loops of rounds do not read the word. Once the search
/// has to return, every later call says so as well.
#[cuda_std::inlined]
pub fn is_over(block: &mut WholeBlock, s: &Search, run: &mut Run) -> bool {
    let budget = &s.own.state().rounds_left;
    // A barrier has come since all threads read the word.
    if is_first() {
        budget.store(if is_stopped(s) { 0 } else { run.left });
    }
    sync_block(block);
    run.looks = budget.now() == 0;
    run.looks
}
