//! Foundedness of the true atoms of a non-tight program: the least model of the reduct, and a loop nogood if there is
//! an unfounded set.
//!
//! Unit propagation can make a positive loop true without a foundation (`p :- q. q :- p. :- not p.`). So, in the
//! components with positive loops, atoms are founded bottom-up: a rule whose body is not falsified and whose positive body
//! atoms of the same component are founded makes its head founded. What is not founded and not false has no foundation. Of the lowest
//! component that has such atoms one is taken, `p`, a true one if there is one. An unfounded set `U` is what `p` rests on: with each atom
//! those unfounded ones that stand in its bodies that are not falsified. All bodies of rules for `U` that use no atom of
//! `U` (its external bodies) are false, and the loop nogood `{Tp} + {F b : b external}` (Lin and
//! Zhao 2004; Gebser, Kaufmann and Schaub 2012, section 5) is violated if `p` is true, unit if it is open. All unfounded atoms are an
//! unfounded set as well, but of more external bodies, that have nothing to do with `p`. What is false at level 1 is left out.
//!
//! Between checks each founded atom keeps its *source*, the rule that founded it (source pointers, Simons, Niemelä and Soininen 2002).
//! While that rule's body is not falsified the atom stays founded, since sources never go in a circle: an atom gets one when all that it
//! needs has one. So a check looks for atoms whose sources are gone, takes the foundation from all that rest on them, and founds only
//! these anew. What is false needs no source and keeps the old one; no body that is not falsified has a false atom, so nothing rests on it
//! meanwhile. Jumping back never takes a source away.
//!
//! The atom of a sum is founded when its items that are not falsified, those of its own component only if they are founded,
//! reach the bound. If it is of `U`, so are those of its items that are unfounded, and all that are falsified stand in the loop nogood, as
//! external bodies do: without one of them it has no foundation but in `U` (Gebser et al., ICLP 2009).

use super::record_learned::{next_stamp, Store};
use crate::assign::{level_of, report_conflict, status, Status};
use crate::layout::{count_up, NONE};
use crate::levels::Levels;
use crate::threads::block::block_max;
use crate::threads::scratch::{counter, Counter};
use crate::threads::stride::is_first;
use crate::threads::stride::{is_single, over_block, Stride};
use crate::watches::settle;
use crate::{Launch, Own, Problem};
use crate::{Lit, Search, Var};
use core::hint::cold_path;
use cuda_std::array::Array;
use cuda_std::prelude::*;
use cuda_std::thread;

/// `founded` of an atom of the unfounded set that is looked at.
const MEMBER: u32 = 2;

/// Shared counters: of what is appended to `lost`, three in turn (see [`waves`]),
const LOST: usize = 0;
/// of what is appended to `queue`,
const FOUNDED: usize = LOST + TURNS;
/// and of the literals of the loop nogood.
const LENGTH: usize = FOUNDED + TURNS;

/// # Inputs
/// The loop rules and atoms, `value`.
/// # Writes
/// `unfounded`, `founded`, `source`; if there is an unfounded set, a learned nogood, which is reported as a conflict if it
/// is violated. Scratch: `missing`, `queue`, `lost`, `mark`, `stamp`, slot 0, `slot_deps`.
/// # Thread mapping
/// One block; threads share the atoms, and groups of lanes the rules of those that lost their foundation, wave by wave.
/// # Synchronisation
/// Block barriers; counts of missing atoms are atomic.
/// # Safety
/// `s` must describe valid memory that nobody else uses during the launch, with room for one more learned nogood; the
/// grid must be one block.
/// # Deterministic
/// Yes, up to the order of the nogood's literals.
#[kernel]
pub unsafe fn stability(s: Search) {
    run(&s);
}

/// The kernel as a plain function. Returns whether atoms that are not false are unfounded, the same in all threads. Then a
/// loop nogood of one of them was learned, and a barrier has to follow.
#[inline(always)]
pub fn run(s: &Search) -> bool {
    // Atoms some of which may be unfounded, and how many there are.
    let (atoms, n) = if s.problem.loop_sums > 0 {
        found_all(s);
        (s.problem.loop_atom, s.problem.loop_atoms)
    } else {
        (s.own.lost, found_lost(s))
    };
    // The lowest component first; in it an atom that is true, if there is one. The greatest complement is the least key.
    let mut worst = 0;
    for i in over_block(0, n) {
        let p = atoms.read(i);
        if is_unfounded(&s.own, p) {
            let open = status(&s.own, Lit::t(Var(p))) == Status::Open;
            worst = worst.max(!((s.problem.component.read(p) as u64) << 33 | (open as u64) << 32 | p as u64));
        }
    }
    // Mostly there is none.
    let is_any = n > 0 && thread::sync_threads_or((worst != 0) as u32) == 1;
    if is_first() {
        let state = s.own.state();
        state.unfounded.store(is_any as u32);
        count_up(&state.stability_checks, 1);
        count_up(&state.unfounded_sets, is_any as u64);
    }
    if is_any {
        cold_path();
        loop_nogood(s, Var(!block_max(&s.launch, worst) as u32));
    }
    is_any
}

/// Whether atom `p`, of a component, needs a source and has none.
#[inline(always)]
fn has_lost(problem: &Problem, own: &Own, p: u32) -> bool {
    let has_source = own.founded.read(p) == 1 && !is_falsified(problem, own, own.source.read(p));
    !is_false(own, p) && !has_source
}

/// Brings `founded` and `source` up to date, with one wave of threads for each step; how many atoms are in `lost` now, which had no source.
#[inline(always)]
fn found_lost(s: &Search) -> u32 {
    let mut some = false;
    for i in over_block(0, s.problem.loop_atoms) {
        some |= has_lost(&s.problem, &s.own, s.problem.loop_atom.read(i));
    }
    let lost = Queue::empty(&s.launch, s.own.lost, LOST);
    // Mostly no atom is lost, and then nothing is left to do.
    if thread::sync_threads_or(some as u32) == 0 {
        return 0;
    }
    for i in over_block(0, s.problem.loop_atoms) {
        let p = s.problem.loop_atom.read(i);
        // No other thread uses this atom's words.
        if has_lost(&s.problem, &s.own, p) {
            s.own.founded.write(p, 0);
            lost.push(&s.launch, p);
        }
    }
    // The atoms that rest on a lost atom are lost, too.
    let all = waves(&s.launch, 0, lost, |next, p| {
        each(s.problem.loop_occurs_start, s.problem.loop_occurs, p, |r| {
            let head = s.problem.loop_head.read(r);
            let rests = s.own.source.read(head) == r && !is_false(&s.own, head);
            if rests && s.own.founded.atomic(head).put(0) == 1 {
                next.push(&s.launch, head);
            }
        });
    })
    .len;
    for i in over_groups(0, all) {
        each(s.problem.loop_rules_start, s.problem.loop_rules_of, s.own.lost.read(i), |r| {
            let mut missing = 0;
            for j in s.problem.loop_positive_start.read(r)..s.problem.loop_positive_start.read(r + 1) {
                missing += (s.own.founded.atomic(s.problem.loop_positive.read(j)).now() == 0) as u32;
            }
            // So many are never founded.
            s.own.missing.atomic(r).store(if is_falsified(&s.problem, &s.own, r) { NONE } else { missing });
        });
    }
    let founded = Queue::empty(&s.launch, s.own.queue, FOUNDED);
    thread::sync_threads();
    for i in over_groups(0, all) {
        each(s.problem.loop_rules_start, s.problem.loop_rules_of, s.own.lost.read(i), |r| {
            if s.own.missing.atomic(r).now() == 0 {
                found_by(s, founded, r);
            }
        });
    }
    waves(&s.launch, 0, founded, |next, p| {
        each(s.problem.loop_occurs_start, s.problem.loop_occurs, p, |r| {
            let head = s.problem.loop_head.read(r);
            let is_lost = s.own.founded.atomic(head).in_block() == 0 && !is_false(&s.own, head);
            if is_lost && s.own.missing.atomic(r).sub(1) == 1 {
                found_by(s, next, r);
            }
        });
    });
    all
}

/// Lanes that share a row. Mostly few atoms are looked at, and what is known of a rule takes several loads, one after the other.
const LANES: u32 = 8;

/// How many they are: one thread has nobody to share with.
#[inline(always)]
fn lanes() -> u32 {
    if is_single() {
        1
    } else {
        LANES
    }
}

/// `from .. to`, one index a group of lanes in turn.
#[inline(always)]
fn over_groups(from: u32, to: u32) -> Stride {
    Stride::new(from, to, thread::thread_idx_x() / lanes(), thread::block_dim_x() / lanes())
}

/// The end of a queue, to which all threads of the block may append.
#[derive(Clone, Copy)]
struct Queue {
    items: Array<u32>,
    /// The entries before those that are being appended.
    len: u32,
    /// The number of the counter that counts the appended entries.
    turn: usize,
    counters: usize,
}

/// How many counters take turns.
const TURNS: usize = 3;

impl Queue {
    /// An empty one. Called by all threads of the block, when nobody uses its counters any more; a barrier has to follow.
    #[inline(always)]
    fn empty(launch: &Launch, items: Array<u32>, counters: usize) -> Queue {
        let queue = Queue { items, len: 0, turn: 0, counters };
        queue.reset(launch);
        queue
    }

    /// The counter of the entries that are being appended.
    #[inline(always)]
    fn appended(self, launch: &Launch) -> Counter {
        counter(launch, self.counters + self.turn)
    }

    #[inline(always)]
    fn reset(self, launch: &Launch) {
        if is_first() {
            self.appended(launch).store(0);
        }
    }

    #[inline(always)]
    fn push(self, launch: &Launch, item: u32) {
        self.items.write(self.len + self.appended(launch).count(1), item);
    }
}

/// Calls `visit` with each entry of a queue from index `from` on, one group of lanes for each entry, and with the end of
/// the queue to append to. Goes on with the appended entries, wave by wave, until none is left. Returns the end of the
/// queue. Called by all threads of the block.
///
/// Each wave has one barrier. The entries that a wave appends are counted by one of three counters in turn. When a
/// counter is read, after the barrier, other threads may be counting with the next one already; and the thread that
/// resets the third one has passed the barrier after which that one was read.
#[inline(always)]
fn waves(launch: &Launch, mut from: u32, mut queue: Queue, visit: impl Fn(Queue, u32)) -> Queue {
    loop {
        let next = Queue { turn: if queue.turn + 1 == TURNS { 0 } else { queue.turn + 1 }, ..queue };
        next.reset(launch);
        thread::sync_threads();
        let to = queue.len + queue.appended(launch).now();
        queue = Queue { len: to, ..next };
        if from == to {
            return queue;
        }
        for i in over_groups(from, to) {
            visit(queue, queue.items.read(i));
        }
        from = to;
    }
}

/// Calls `f` with the items of a row, each by one lane of a group that calls this.
#[inline(always)]
fn each(start: Array<u32>, items: Array<u32>, row: u32, f: impl Fn(u32)) {
    let (mut at, end) = (start.read(row) + thread::thread_idx_x() % lanes(), start.read(row + 1));
    while at < end {
        f(items.read(at));
        at += lanes();
    }
}

/// Whether atom `p` is false.
#[inline(always)]
fn is_false(own: &Own, p: u32) -> bool {
    status(own, Lit::t(Var(p))) == Status::Falsified
}

/// Whether the body of rule `r` is falsified.
#[inline(always)]
fn is_falsified(problem: &Problem, own: &Own, r: u32) -> bool {
    let body = problem.loop_body.read(r);
    body != Lit::TRUE && status(own, body) == Status::Falsified
}

/// Rule `r`, whose positive body is founded, is the source of its head, if that has none.
#[inline(always)]
fn found_by(s: &Search, queue: Queue, r: u32) {
    let head = s.problem.loop_head.read(r);
    if s.own.founded.atomic(head).put(1) == 0 {
        s.own.source.write(head, r);
        queue.push(&s.launch, head);
    }
}

/// Computes `founded` from scratch, for programs with sums on loops: a least fixpoint, in time linear in the rules, with one wave of
/// threads for each step.
#[inline(always)]
fn found_all(s: &Search) {
    let founded = Queue::empty(&s.launch, s.own.queue, FOUNDED);
    for i in over_block(0, s.problem.loop_atoms) {
        s.own.founded.atomic(s.problem.loop_atom.read(i)).store(0);
    }
    for r in over_block(0, s.problem.loop_rules) {
        let missing = s.problem.loop_positive_start.read(r + 1) - s.problem.loop_positive_start.read(r);
        s.own.missing.atomic(r).store(missing);
    }
    for sum in over_block(0, s.problem.loop_sums) {
        s.own.loop_sum_missing.atomic(sum).store(s.problem.loop_sum_bound.read(sum));
    }
    thread::sync_threads();
    for item in over_block(0, s.problem.loop_items) {
        let sum = s.problem.loop_item_sum.read(item);
        if item >= s.problem.loop_sum_inner.read(sum)
            && status(&s.own, s.problem.loop_item_lit.read(item)) != Status::Falsified
        {
            s.own.loop_sum_missing.atomic(sum).sub(s.problem.loop_item_weight.read(item));
        }
    }
    for r in over_block(0, s.problem.loop_rules) {
        if s.problem.loop_positive_start.read(r + 1) == s.problem.loop_positive_start.read(r) {
            found_head(s, founded, r);
        }
    }
    thread::sync_threads();
    for sum in over_block(0, s.problem.loop_sums) {
        if s.own.loop_sum_missing.atomic(sum).now() <= 0 {
            found(&s.own, &s.launch, founded, s.problem.loop_sum_atom.read(sum));
        }
    }
    waves(&s.launch, 0, founded, |next, p| {
        each(s.problem.loop_occurs_start, s.problem.loop_occurs, p, |r| {
            if s.own.missing.atomic(r).sub(1) == 1 {
                found_head(s, next, r);
            }
        });
        found_sums(s, next, p);
    });
}

/// The positive body of rule `r` is founded: so is its head, unless its body is false.
#[inline(always)]
fn found_head(s: &Search, queue: Queue, r: u32) {
    if !is_falsified(&s.problem, &s.own, r) {
        found(&s.own, &s.launch, queue, s.problem.loop_head.read(r));
    }
}

/// The atom has a foundation, unless it is false.
#[inline(always)]
fn found(own: &Own, launch: &Launch, queue: Queue, p: u32) {
    if !is_false(own, p) && own.founded.atomic(p).put(1) == 0 {
        queue.push(launch, p);
    }
}

/// Counts the founded atom `p` in the sums of its component.
#[inline(always)]
fn found_sums(s: &Search, queue: Queue, p: u32) {
    each(s.problem.loop_item_occurs_start, s.problem.loop_item_occurs, p, |item| {
        let (sum, weight) = (s.problem.loop_item_sum.read(item), s.problem.loop_item_weight.read(item));
        let missing = s.own.loop_sum_missing.atomic(sum).sub(weight);
        if missing > 0 && missing <= weight {
            found(&s.own, &s.launch, queue, s.problem.loop_sum_atom.read(sum));
        }
    });
}

/// Whether `p`, an atom of a component, is not false and not founded.
#[inline(always)]
fn is_unfounded(own: &Own, p: u32) -> bool {
    own.founded.atomic(p).in_block() == 0 && !is_false(own, p)
}

/// Whether atom `p` is of the unfounded set that is looked at.
#[inline(always)]
fn is_member(own: &Own, p: u32) -> bool {
    own.founded.atomic(p).in_block() == MEMBER
}

/// Puts an unfounded atom into the set, unless it is there.
#[inline(always)]
fn join(own: &Own, launch: &Launch, queue: Queue, p: u32) {
    if own.founded.claim(p, 0, MEMBER).is_ok() {
        queue.push(launch, p);
    }
}

/// The unfounded atoms that `p` needs for a foundation, and those that these need: with `p` they are an unfounded set. Puts them into `queue`
/// and returns how many there are.
#[inline(always)]
fn unfounded_set(s: &Search, p: Var) -> u32 {
    let (mut members, mut from) = (Queue::empty(&s.launch, s.own.queue, FOUNDED), 0);
    if is_first() {
        join(&s.own, &s.launch, members, p.0);
    }
    loop {
        members = waves(&s.launch, from, members, |next, q| {
            each(s.problem.loop_rules_start, s.problem.loop_rules_of, q, |r| {
                if is_falsified(&s.problem, &s.own, r) {
                    return;
                }
                let (mut at, end) =
                    (s.problem.loop_positive_start.read(r), s.problem.loop_positive_start.read(r + 1));
                while at < end {
                    let needed = s.problem.loop_positive.read(at);
                    if is_unfounded(&s.own, needed) {
                        join(&s.own, &s.launch, next, needed);
                    }
                    at += 1;
                }
            });
        });
        if from == members.len {
            return from;
        }
        from = members.len;
        for item in over_block(0, s.problem.loop_items) {
            let sum = s.problem.loop_item_sum.read(item);
            if item < s.problem.loop_sum_inner.read(sum)
                && is_member(&s.own, s.problem.loop_sum_atom.read(sum))
            {
                let needed = s.problem.loop_item_lit.read(item).var().0;
                if is_unfounded(&s.own, needed) {
                    join(&s.own, &s.launch, members, needed);
                }
            }
        }
    }
}

/// Learns the loop nogood of `p` and a small unfounded set that contains `p`.
#[inline(always)]
fn loop_nogood(s: &Search, p: Var) {
    let (tid, length) = (thread::thread_idx_x(), counter(&s.launch, LENGTH));
    let stamp = s.own.state().stamp.now();
    if tid == 0 {
        length.store(0);
        // `x :- not p` is an external body too, and `Tp` is in the nogood already.
        s.own.mark.atomic(p.0).store(stamp);
    }
    let members = unfounded_set(s, p);
    for i in over_groups(0, members) {
        each(s.problem.loop_rules_start, s.problem.loop_rules_of, s.own.queue.read(i), |r| {
            let mut positive =
                s.problem.loop_positive_start.read(r)..s.problem.loop_positive_start.read(r + 1);
            // Every other rule uses an atom of the set.
            if is_falsified(&s.problem, &s.own, r)
                && !positive.any(|i| is_member(&s.own, s.problem.loop_positive.read(i)))
            {
                add(&s.own, &s.launch, s.problem.loop_body.read(r), stamp);
            }
        });
    }
    for item in over_block(0, s.problem.loop_items) {
        let lit = s.problem.loop_item_lit.read(item);
        let atom = s.problem.loop_sum_atom.read(s.problem.loop_item_sum.read(item));
        if is_member(&s.own, atom) && status(&s.own, lit) == Status::Falsified {
            add(&s.own, &s.launch, lit, stamp);
        }
    }
    thread::sync_threads();
    for i in over_block(0, members) {
        s.own.founded.atomic(s.own.queue.read(i)).store(0);
    }
    let (n, stamp) = (length.now(), s.own.state().stamp.now());
    if tid == 0 {
        s.own.slot_lits.write(n, Lit::t(p));
    }
    thread::sync_threads();
    learn_loop(s, n + 1, status(&s.own, Lit::t(p)) == Status::Held);
    next_stamp(&s.own, stamp);
}

/// Adds the complement of a falsified literal to the loop nogood, unless its variable has the mark.
#[inline(always)]
fn add(own: &Own, launch: &Launch, falsified: Lit, stamp: u32) {
    let is_sure = level_of(own, falsified) <= 1;
    if !is_sure && own.mark.atomic(falsified.var().0).put(stamp) != stamp {
        own.slot_lits.write(counter(launch, LENGTH).count(1), !falsified);
    }
}

/// Learns the `n` literals in slot 0, of which at most one is open and the others hold. If one is, another one is of the current level (or all
/// are of level 1): at the fixpoint before the last decision, nothing was unfounded. So the nogood is not late.
#[inline(always)]
pub fn learn_loop(s: &Search, n: u32, is_violated: bool) {
    watch_last(&s.own, &s.launch, n);
    let here = s.own.level();
    // An open one is going to be of this level.
    let level = |i: u32| match level_of(&s.own, s.own.slot_lits.read(i)) {
        0 => here,
        level => level,
    };
    let levels = Levels::none(s, 0, 0);
    thread::sync_threads();
    for i in over_block(0, n) {
        if level(i) > 1 {
            levels.add(level(i));
        }
    }
    thread::sync_threads();
    let mut store = Store::open(s);
    let id = store.append(0, n, levels.count());
    thread::sync_threads();
    if is_first() {
        store.close();
        if is_violated {
            report_conflict(&s.own, id);
        }
    }
    thread::sync_threads();
    settle(&s.own);
}

/// Moves the two literals of the highest levels to the end of slot 0, open ones last of all, so that they are watched.
#[inline(always)]
fn watch_last(own: &Own, launch: &Launch, n: u32) {
    for last in 0..2 {
        let end = n.saturating_sub(last);
        let mut best = 0;
        for i in over_block(0, end) {
            let level = level_of(own, own.slot_lits.read(i));
            let level = if level == 0 { NONE } else { level };
            best = best.max((level as u64) << 32 | i as u64);
        }
        let best = block_max(launch, best) as u32;
        if is_first() && end > 0 {
            let (a, b) = (own.slot_lits.read(best), own.slot_lits.read(end - 1));
            own.slot_lits.write(best, b);
            own.slot_lits.write(end - 1, a);
        }
        thread::sync_threads();
    }
}
