//! Questions: cubes with names, which searchers take one after the other and reply to.
//!
//! Main functions: [`next`], when nothing is left of a searcher's cube, and [`answer`], at an answer set. The
//! host fills rows of [`Swarm::questions`] with the literals of many questions and lets the searchers run. A
//! searcher takes the next question, whose literals are its cube, and appends what it finds to
//! [`Swarm::replies`]: answer sets, and that nothing is left, with the core. So a launch answers thousands of
//! questions, and nothing is prepared for one of them.
//!
//! After an answer set a search for all of them usually flips decisions, and what it learns then excludes
//! answer sets that it has told. Another question may ask for these. So a searcher flips nothing here: the
//! decisions of the answer set become literals of its cube, the last one with the other sign (it is
//! *turned*), and the searcher decides on the cube again. Once that cube is refuted, the last literal that
//! was not turned is turned, and the literals after it leave the cube. A literal that was turned stands twice.
//!
//! Invariant: what is learned holds for the program, because a question's literals and turned literals are
//! decisions, and no decision is flipped. The cubes of a question are disjoint.

use super::begin::begin;
use super::end::{count_refuted, end, settle_hunger, Next};
use crate::kernels::backjump;
use crate::layout::{count_up, mode, Level, NONE};
use crate::threads::barrier::sync_block;
use crate::threads::scratch::counter;
use crate::threads::stride::{is_first, over_block};
use crate::threads::token::WholeBlock;
use crate::{Lit, Search, Swarm};

/// Index of the shared counter that says where the reply begins.
const PLACE: usize = 1;

/// All searchers return if one in so many waits for a question, and the host has more.
const WAITING: u32 = 4;

/// The words of a row of [`Swarm::questions`] before the literals.
pub mod row {
    /// 1 if nobody waits for the reply any more.
    pub const LEFT: u32 = 0;
    /// How many answer sets are wanted; 0: all.
    pub const WANTED: u32 = 1;
    /// The number of literals.
    pub const LEN: u32 = 2;
    /// Where the literals begin.
    pub const LITS: u32 = 3;
}

/// The words of a reply in [`Swarm::replies`].
pub mod reply {
    /// What is told, as bits: the constants below.
    pub const TELLS: u32 = 0;
    /// The row of the question.
    pub const ROW: u32 = 1;
    /// The number of conflicts that the searcher has met since the question began.
    pub const CONFLICTS: u32 = 2;
    /// The number of words that follow.
    pub const LEN: u32 = 3;
    /// Where these begin: the program's true atoms of an answer set, as bits, or the literals of a core.
    pub const WORDS: u32 = 4;

    /// The words are an answer set, and else a core if [`ALL`] is told and the question has no answer set.
    pub const ANSWER: u32 = 1;
    /// Nothing more comes of the question, whose row is free.
    pub const END: u32 = 2;
    /// There are no answer sets but those that were told.
    pub const ALL: u32 = 4;
}

/// A row has the literals of a question. The number of rows is a power of two. Before the rows lies the order
/// in which they are to be taken: a word for each ticket.
#[cuda_std::inlined]
fn rows(swarm: &Swarm) -> u32 {
    // Saturating, because the compiler has to see that the divisor is not 0.
    swarm.questions.len() as u32 / swarm.question_words.saturating_add(1)
}

/// Where the row of the searcher's question begins.
#[cuda_std::inlined]
fn begin_of_row(s: &Search) -> u32 {
    rows(&s.swarm) + (s.own.state().question.now() - 1) * s.swarm.question_words
}

/// Word `at` of the searcher's question.
#[cuda_std::inlined]
fn word(s: &Search, at: u32) -> u32 {
    s.swarm.questions.read(begin_of_row(s) + at)
}

/// Whether nobody waits for the reply to the searcher's question.
#[cuda_std::inlined]
fn is_left(s: &Search) -> bool {
    word(s, row::LEFT) == 1
}

/// Says what the searcher does next, whose cube is refuted, or who has none. Called by one thread, at level
/// 1.
#[cuda_std::inlined]
pub fn next(s: &Search) -> Next {
    let (state, hub) = (s.own.state(), s.swarm.hub());
    if hub.done.load_relaxed() != 0 {
        return Next::Over;
    }
    if state.mode.now() == mode::CUBE {
        if state.refuted.now() == 1 {
            // No question has an answer set.
            hub.refuted.fetch_max(2);
            end(s);
            return Next::Over;
        }
        let is_left = is_left(s);
        if !is_left && turn(s) {
            return Next::Searches;
        }
        if !tell_end(s, is_left) {
            return Next::Waits;
        }
        count_refuted(s);
        leave(s);
    }
    let is_taken = take(s);
    settle_hunger(s);
    if is_taken {
        return Next::Searches;
    }
    count_up(&state.counts.idle_looks, 1);
    let waiting = hub.hungry.load_relaxed();
    if waiting >= s.swarm.searchers || s.swarm.asks_outside == 1 && waiting * WAITING >= s.swarm.searchers {
        hub.stop.store_relaxed(1);
    }
    Next::Waits
}

/// The searcher has no question any more. Called by one thread.
#[cuda_std::inlined]
fn leave(s: &Search) {
    let state = s.own.state();
    state.mode.store(mode::IDLE);
    state.question.store(0);
}

/// Takes the next question, if there is one. Its literals are [fetched](fetch) by the block. Called by one
/// thread, at level 1.
#[cuda_std::inlined]
fn take(s: &Search) -> bool {
    let (state, hub) = (s.own.state(), s.swarm.hub());
    loop {
        let ticket = hub.head.load_relaxed();
        if ticket == hub.tail.load_relaxed() {
            return false;
        }
        if hub.head.compare_exchange_relaxed(ticket, ticket.wrapping_add(1)).is_ok() {
            state.question.store(1 + s.swarm.questions.read(ticket & (rows(&s.swarm) - 1)));
            break;
        }
    }
    count_up(&state.counts.cubes_taken, 1);
    let (wanted, len) = (word(s, row::WANTED), word(s, row::LEN));
    state.mode.store(mode::CUBE);
    state.question_len.store(len);
    state.answers_found.store(0);
    state.answers_left.store(if wanted == 0 { NONE } else { wanted });
    state.question_at.store(state.counts.conflicts.now());
    begin(s, len);
    true
}

/// Copies the literals of the question to the searcher's cube. The function ends with a barrier.
#[cuda_std::inlined]
pub fn fetch(block: &mut WholeBlock, s: &Search) {
    let from = begin_of_row(s) + row::LITS;
    for i in over_block(block, 0, s.own.state().question_len.now()) {
        s.own.cube.write(i, Lit(s.swarm.questions.read(from + i)));
    }
    sync_block(block);
}

/// The number of literals of the cube without those that were turned last, and after which nothing is left.
#[cuda_std::inlined]
fn len_of_open(s: &Search) -> u32 {
    let (base, mut len) = (s.own.state().question_len.now(), s.own.state().cube_len.now());
    while len >= base + 2 && s.own.cube.read(len - 1) == s.own.cube.read(len - 2) {
        len -= 2;
    }
    len
}

/// Begins the next cube of the question, after one that was searched to the end, if there is one. Called by
/// one thread, at level 1.
#[cuda_std::inlined]
fn turn(s: &Search) -> bool {
    let len = len_of_open(s);
    if len == s.own.state().question_len.now() {
        return false;
    }
    let turned = !s.own.cube.read(len - 1);
    s.own.cube.write(len - 1, turned);
    s.own.cube.write(len, turned);
    begin(s, len + 1);
    true
}

/// Begins a reply that tells `tells` and has `len` words. Returns where its words begin, or [`NONE`] if there
/// is no room: then all return, for the host to make room. Called by one thread.
#[cuda_std::inlined]
fn begin_reply(s: &Search, tells: u32, len: u32) -> u32 {
    let (state, hub, replies) = (s.own.state(), s.swarm.hub(), &s.swarm.replies);
    let words = reply::WORDS + len;
    loop {
        let at = hub.replied.load_relaxed();
        if at + words > replies.len() as u32 {
            hub.unreplied.fetch_max(words);
            hub.stop.store_relaxed(1);
            return NONE;
        }
        if hub.replied.compare_exchange_relaxed(at, at + words).is_ok() {
            let conflicts = state.counts.conflicts.now() - state.question_at.now();
            replies.write(at + reply::TELLS, tells);
            replies.write(at + reply::ROW, state.question.now() - 1);
            replies.write(at + reply::CONFLICTS, conflicts.min(NONE as u64) as u32);
            replies.write(at + reply::LEN, len);
            return at + reply::WORDS;
        }
    }
}

/// Tells that nothing more comes of the searcher's question. Returns false if there is no room. Called by one
/// thread.
#[cuda_std::inlined]
fn tell_end(s: &Search, is_left: bool) -> bool {
    let state = s.own.state();
    let has_core = !is_left && state.answers_found.now() == 0;
    let len = if has_core { state.core_len.now() } else { 0 };
    let at = begin_reply(s, if is_left { reply::END } else { reply::END | reply::ALL }, len);
    if at == NONE {
        return false;
    }
    for i in 0..len {
        s.swarm.replies.write(at + i, s.own.core.read(i).0);
    }
    true
}

/// The highest level whose decision counts: those above it are on atoms that are not projected on.
#[cuda_std::inlined]
fn top(s: &Search) -> u32 {
    if s.problem.project == 1 {
        s.own.state().projected.now()
    } else {
        s.own.level().0
    }
}

/// Tells the answer set that the searcher has found, whose words `write` writes from a place of
/// [`Swarm::replies`] on, and begins what comes next: another cube of the question, or another question.
/// Returns false if there is no room; then the searcher has to return. The function begins and ends with a
/// barrier.
#[cuda_std::inlined]
pub fn answer(block: &mut WholeBlock, s: &Search, write: impl FnOnce(&mut WholeBlock, u32)) -> bool {
    let state = s.own.state();
    let root = Level(state.root.now()).max(Level::FIRST).0;
    let (top, had) = (top(s), state.cube_len.now());
    let (above, left) = (top.saturating_sub(root), state.answers_left.now());
    sync_block(block);
    if is_first() {
        let is_all = above == 0 && len_of_open(s) == state.question_len.now();
        let end = if is_all || left == 1 { reply::END } else { 0 };
        let tells = reply::ANSWER | end | if is_all { reply::ALL } else { 0 };
        let at = begin_reply(s, tells, s.problem.atom_vars.div_ceil(32));
        if at != NONE {
            state.answers_found.add(1);
            state.answers_left.store(if end != 0 { 0 } else { left.saturating_sub((left != NONE) as u32) });
        }
        counter(&s.launch, PLACE).store(at);
    }
    sync_block(block);
    let (at, left) = (counter(&s.launch, PLACE).now(), state.answers_left.now());
    if at == NONE {
        sync_block(block);
        return false;
    }
    write(block, at);
    if left > 0 {
        for i in over_block(block, 0, above) {
            s.own.cube.write(had + i, s.own.decision_of(Level(root + 1 + i)));
        }
    }
    go_to_level_1(block, s);
    if is_first() {
        if left == 0 {
            leave(s);
        } else {
            state.cube_len.store(had + above);
            // The cube has a literal that was not turned, or else there is no other answer set.
            turn(s);
        }
    }
    sync_block(block);
    true
}

/// Jumps to level 1, where the searcher has nothing to search. The function begins and ends with a barrier.
#[cuda_std::inlined]
fn go_to_level_1(block: &mut WholeBlock, s: &Search) {
    sync_block(block);
    if is_first() {
        s.own.state().backtrack_level.store(1);
    }
    sync_block(block);
    if s.own.level() > Level::FIRST {
        backjump::jump(block, s, backjump::AGAIN);
    }
    sync_block(block);
    if is_first() {
        s.own.state().exhausted.store(1);
    }
    sync_block(block);
}

/// Lets a searcher leave its question at the beginning of a launch if nobody waits for the reply. The
/// function begins and ends with a barrier.
#[cuda_std::inlined]
pub fn leave_if_left(block: &mut WholeBlock, s: &Search) {
    sync_block(block);
    if s.own.state().mode.now() == mode::CUBE && is_left(s) {
        go_to_level_1(block, s);
    }
}
