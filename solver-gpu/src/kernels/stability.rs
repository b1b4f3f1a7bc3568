//! Checks the foundedness of the true atoms of a non-tight program: computes the least model of the reduct,
//! and learns a loop nogood if there is an unfounded set.
//!
//! The main function is [`run`]. The host loop launches the kernel, and the resident search calls [`run`], at
//! a fixpoint of propagation.
//!
//! Unit propagation can make a positive loop true without a foundation (`p :- q. q :- p. :- not p.`). The
//! check therefore founds atoms bottom-up in the components with positive loops: a rule makes its head
//! founded if its body is not falsified and the body's positive atoms of the same component are founded. An
//! atom that is neither founded nor false is unfounded.
//!
//! Of the lowest component with unfounded atoms the check takes one atom `p`, a true one if there is one. The
//! unfounded set `U` has `p`, and for each of its atoms the unfounded atoms in the atom's bodies that are not
//! falsified. All external bodies of `U` (bodies of rules for `U` that use no atom of `U` positively) are
//! false. The loop nogood `{Tp} + {F b : b external}` (Lin and Zhao 2004; Gebser, Kaufmann and Schaub 2012,
//! section 5) is therefore violated if `p` is true, and unit if `p` is open. The set of all unfounded atoms
//! is an unfounded set as well, but it has more external bodies, which have nothing to do with `p`. The
//! nogood leaves out literals that are false at level 1.
//!
//! Between two checks each founded atom keeps its *source*: the rule that founded it (source pointers,
//! Simons, Niemelä and Soininen 2002). An atom stays founded while its source's body is not falsified.
//! Invariant: sources never form a circle, because an atom gets a source only when all atoms that the source
//! needs have one. A check looks for atoms whose sources have falsified bodies, takes the foundation from all
//! atoms that rest on them, and founds only these atoms anew. A false atom needs no source. It keeps its old
//! one if no jump can undo the atom and leave the source's body falsified. No body that is not falsified has
//! a false atom, so nothing rests on a false atom meanwhile. A backjump never takes a source away.
//!
//! A check costs what has changed since the last check, and not what the program has on loops. It looks at
//! the bodies that were falsified since then, and at the atoms that had no source then or that a jump has
//! undone since (`unfounded_atom`).
//!
//! A loop nogood that is unit makes one atom of `U` false, and often no other. Until a jump, the rest of `U`
//! stays unfounded for the same external bodies. If `U` is large ([`REUSE`]), the checks that follow exchange
//! the atom of the nogood for the next atom of `U`, and look at nothing else. A ladder of `n` atoms, whose
//! rungs found each other, would otherwise cost `n` sets of up to `n` atoms. An atom of a loop that becomes
//! true meanwhile ends that: a whole check finds the conflict.
//!
//! The atom of a sum is founded when the sum's items reach the bound. Falsified items do not count, and items
//! of the atom's own component count only if they are founded. If the sum's atom is in `U`, so are the sum's
//! unfounded items. All falsified items of the sum then stand in the loop nogood, as external bodies do:
//! without one of these items the atom has no foundation outside `U` (Gebser et al., ICLP 2009).

use super::record_learned::next_stamp;
use super::record_told::{enter_told, Told};
use crate::assign::{level_of, status, Status};
use crate::layout::{count_up, founded, Level, TrailPosition, NONE};
use crate::threads::barrier::{block_any, sync_block};
use crate::threads::block::block_max;
use crate::threads::scratch::counter;
use crate::threads::stride::{is_first, over_block};
use crate::threads::token::WholeBlock;
use crate::threads::waves::{each, over_groups, waves, Queue, COUNTERS};
use crate::trace::Ring;
use crate::{Launch, Own, Problem};
use crate::{Lit, Search, Var};
use core::hint::cold_path;
use cuda_std::prelude::*;
use cuda_std::thread;

/// Index of the first of the three shared counters of entries appended to `lost` (see [`waves`]).
const LOST: usize = 0;
/// Index of the first of the three shared counters of entries appended to `queue`.
const FOUNDED: usize = LOST + COUNTERS;
/// Index of the shared counter of the loop nogood's literals.
const LENGTH: usize = FOUNDED + COUNTERS;

/// A set that has more than this many times as many atoms as its loop nogood has literals is used again. For a
/// smaller set, looking for a set of the next atom costs little, and gives shorter nogoods.
pub const REUSE: u32 = 8;

/// Checks foundedness and learns a loop nogood if there is an unfounded set.
///
/// # Inputs
/// The rules, sums and atoms in positive loops; `trail`, `value`, `position`, `level`, `stamp`; `founded`,
/// `source`, `checked` and `unfounded_atom` of the last check; `queue` and slot 0 of `slot_lits`, if the last
/// unfounded set is used again.
/// # Writes
/// `unfounded`, `founded`, `source`, `checked`, `unfounded_atom`, `set_len`, `set_at`, `set_seen`,
/// `set_lits`, and `stability_checks` and `unfounded_sets` of `counts`. If there is an unfounded set: `mark`,
/// `stamp`, the stores of learned nogoods with one more nogood, the lists of watches, and `conflict` and
/// `conflicts` if the nogood is violated. `queue` and slot 0 of `slot_lits`, which a set that is used again
/// needs. Scratch: `missing`, `loop_sum_missing`, `lost`, slot 0 of `slot_deps`.
/// # Thread mapping
/// One block. Threads share the atoms. Groups of lanes share the rules of atoms that lost their foundation,
/// wave by wave.
/// # Synchronisation
/// Block barriers. Counts of missing atoms are atomic.
/// # Safety
/// `s` must describe valid memory that nobody else uses during the launch, with capacity for one more learned
/// nogood. The grid must be one block.
/// # Deterministic
/// Yes, up to the order of the nogood's literals.
#[kernel]
pub unsafe fn stability(s: Search) {
    // SAFETY: the kernel's entry.
    run(unsafe { &mut WholeBlock::at_entry() }, &s);
}

/// The kernel as a plain function. Returns, in all threads, whether some atom that is not false is unfounded.
///
/// If so, a loop nogood of one such atom was learned, and a barrier has to follow. There is one
/// block.
#[cuda_std::inlined]
pub fn run(block: &mut WholeBlock, s: &Search) -> bool {
    if let Some(atom) = next_of_set(block, s) {
        cold_path();
        note_check(s, true);
        nogood_of_next(block, s, atom);
        return true;
    }
    // The atoms among which all unfounded atoms are, and their number.
    let (atoms, n) = if s.problem.loop_sums > 0 {
        found_all(block, s);
        (s.problem.loop_atom, s.problem.loop_atoms)
    } else {
        (s.own.lost, found_lost(block, s))
    };
    // The lowest component comes first, and in it a true atom before an open one. The key that is to be least
    // is complemented, because the reduction finds a maximum.
    let mut worst = 0;
    for i in over_block(block, 0, n) {
        let p = Var(atoms.read(i));
        if is_unfounded(&s.own, p) {
            let open = status(&s.own, Lit::t(p)) == Status::Open;
            let component = s.problem.component.read(p.0);
            worst = worst.max(!((component as u64) << 33 | (open as u64) << 32 | p.0 as u64));
        }
    }
    // Most checks find no unfounded atom.
    let is_any = n > 0 && block_any(block, worst != 0);
    note_check(s, is_any);
    if is_any {
        cold_path();
        let atom = Var(!block_max(block, &s.launch, worst) as u32);
        loop_nogood(block, s, atom);
        if s.problem.loop_sums == 0 {
            for i in over_block(block, 0, n) {
                let p = Var(s.own.lost.read(i));
                if s.own.founded.read(p.0) == founded::NOT {
                    list_unfounded(&s.own, p);
                }
            }
        }
    }
    is_any
}

/// Notes a check, and whether it has found an unfounded set.
#[cuda_std::inlined]
fn note_check(s: &Search, is_any: bool) {
    if is_first() {
        let state = s.own.state();
        state.unfounded.store(is_any as u32);
        count_up(&state.counts.stability_checks, 1);
        count_up(&state.counts.unfounded_sets, is_any as u64);
    }
}

/// Returns the next open atom of the last unfounded set, if that set is used again and no atom without a
/// foundation has become true since. If there is none, the set is used no more. All threads get the same.
#[cuda_std::inlined]
fn next_of_set(block: &mut WholeBlock, s: &Search) -> Option<Var> {
    let (own, state) = (&s.own, s.own.state());
    let (members, mut from) = (state.set_len.now(), state.set_at.now());
    if members == 0 {
        return None;
    }
    cold_path();
    let mut is_true = false;
    for at in over_block(block, state.set_seen.now(), own.committed().0) {
        let lit = own.literal_at(TrailPosition(at));
        is_true |= !lit.is_false_sign()
            && is_on_loop(&s.problem, lit.var())
            && own.founded.atomic(lit.var().0).in_block() != founded::FOUNDED;
    }
    // The words are written after this barrier.
    let mut goes_on = !block_any(block, is_true);
    while goes_on && from < members {
        let at = from + thread::thread_idx_x();
        let is_open = at < members && status(own, Lit::t(Var(own.queue.read(at)))) == Status::Open;
        // The first atom of the queue has the largest key.
        let found = block_max(block, &s.launch, if is_open { !at as u64 } else { 0 });
        if found != 0 {
            let at = !(found as u32);
            if is_first() {
                state.set_at.store(at + 1);
                state.set_seen.store(own.committed().0);
            }
            return Some(Var(own.queue.read(at)));
        }
        from += thread::block_dim_x();
        goes_on = from < members;
    }
    if is_first() {
        state.set_len.store(0);
    }
    None
}

/// Learns the loop nogood of the last unfounded set for its atom `p`, which is open. Slot 0 has the set's last
/// loop nogood, whose atom is the last literal, as it was open.
#[cuda_std::inlined]
fn nogood_of_next(block: &mut WholeBlock, s: &Search, p: Var) {
    let (own, state) = (&s.own, s.own.state());
    let (stamp, members, len) = (state.stamp.now(), state.set_len.now(), state.set_lits.now());
    let mut ring = Ring::open(s);
    ring.unfounded(block, members);
    sync_block(block);
    if is_first() {
        own.slot_lits.write(len - 1, Lit::t(p));
        ring.close();
    }
    sync_block(block);
    enter_told(block, s, len, Told::ByCheck);
    next_stamp(block, own, stamp);
}

/// Returns whether variable `p` is an atom of a positive loop.
#[cuda_std::inlined]
fn is_on_loop(problem: &Problem, p: Var) -> bool {
    p.0 < problem.atom_vars && problem.component.read(p.0) != NONE
}

/// Appends to `lost` the atoms that are not false and have no source whose body is not falsified, and takes
/// the foundation from each of them. May look at all atoms of a component instead of only at those that can
/// be concerned. Ends without a barrier.
///
/// Such an atom is one of the `listed` first of `unfounded_atom`, or the body of the atom's source was
/// falsified since the last check.
#[cuda_std::inlined]
fn find_lost(block: &mut WholeBlock, s: &Search, lost: Queue, listed: u32) {
    let (problem, own, state) = (&s.problem, &s.own, s.own.state());
    let from = TrailPosition(state.checked.now());
    let looks_at_all = from.0 == 0;
    for i in over_block(block, 0, listed) {
        let p = Var(own.unfounded_atom.read(i));
        own.founded.atomic(p.0).store(founded::NOT);
        if !looks_at_all && !is_false(own, p) {
            lost.push(&s.launch, p);
        }
    }
    if looks_at_all {
        for i in over_block(block, 0, problem.loop_atoms) {
            let p = Var(problem.loop_atom.read(i));
            // Other threads write here only that a listed atom is not founded.
            let has_source = own.founded.atomic(p.0).in_block() == founded::FOUNDED
                && !is_falsified(problem, own, own.source.read(p.0));
            if !has_source {
                own.founded.atomic(p.0).store(founded::NOT);
                if !is_false(own, p) {
                    lost.push(&s.launch, p);
                }
            }
        }
        return;
    }
    for at in over_groups(block, from.0, own.committed().0) {
        let at = TrailPosition(at);
        each(problem.loop_bodies_start, problem.loop_bodies, (!own.literal_at(at)).0, |r| {
            let p = Var(problem.loop_head.read(r));
            // Other threads write here only that a listed atom is not founded.
            if own.source.read(p.0) != r || own.founded.atomic(p.0).in_block() != founded::FOUNDED {
                return;
            }
            if !is_false(own, p) {
                own.founded.atomic(p.0).store(founded::NOT);
                lost.push(&s.launch, p);
            } else if own.position.read(p.0) > at.0 {
                // A jump may undo the atom and not the body. (Other false atoms keep their sources.)
                own.founded.atomic(p.0).store(founded::NOT);
            }
        });
    }
}

/// Notes that the literal of an atom of a component is undone. If the atom has no source, the next check has
/// to found the atom. Each atom is noted by one thread.
#[cuda_std::inlined]
pub fn note_undone(problem: &Problem, own: &Own, lit: Lit) {
    // Sums have no sources: each check looks at all atoms.
    if problem.loop_rules == 0 || problem.loop_sums > 0 || !lit.is_false_sign() {
        return;
    }
    let p = lit.var();
    if is_on_loop(problem, p) && own.founded.read(p.0) == founded::NOT {
        list_unfounded(own, p);
    }
}

/// Lists atom `p`, which has no source, for the next check.
#[cuda_std::inlined]
fn list_unfounded(own: &Own, p: Var) {
    own.founded.write(p.0, founded::LISTED);
    own.unfounded_atom.write(own.state().unfounded_atoms.add(1), p.0);
}

/// Brings `founded` and `source` up to date, with one wave of threads for each step. Returns the number of
/// atoms in `lost`, which are the atoms that had no source.
#[cuda_std::inlined]
fn found_lost(block: &mut WholeBlock, s: &Search) -> u32 {
    let state = s.own.state();
    let lost = Queue::empty(block, &s.launch, s.own.lost, LOST);
    let listed = state.unfounded_atoms.now();
    sync_block(block);
    // The next atom is listed after a barrier of the waves: a check that finds nothing ends without another
    // one, and a jump may follow.
    if is_first() {
        state.unfounded_atoms.store(0);
    }
    find_lost(block, s, lost, listed);
    // Atoms that rest on lost atoms are lost as well.
    let all = waves(block, &s.launch, 0, lost, |next, p| {
        each(s.problem.loop_occurs_start, s.problem.loop_occurs, p.0, |r| {
            let head = Var(s.problem.loop_head.read(r));
            let rests = s.own.source.read(head.0) == r && !is_false(&s.own, head);
            if rests && s.own.founded.claim(head.0, founded::FOUNDED, founded::NOT).is_ok() {
                next.push(&s.launch, head);
            }
        });
    })
    .len;
    if is_first() {
        state.checked.store(s.own.committed().0);
    }
    // Most checks find that no atom has lost its source, and end here.
    if all == 0 {
        return 0;
    }
    for i in over_groups(block, 0, all) {
        each(s.problem.loop_rules_start, s.problem.loop_rules_of, s.own.lost.read(i), |r| {
            let mut missing = 0;
            for j in s.problem.loop_positive_start.read(r)..s.problem.loop_positive_start.read(r + 1) {
                let is_founded = s.own.founded.atomic(s.problem.loop_positive.read(j)).now();
                missing += (is_founded != founded::FOUNDED) as u32;
            }
            // `NONE` is more atoms than can ever be founded.
            s.own.missing.atomic(r).store(if is_falsified(&s.problem, &s.own, r) { NONE } else { missing });
        });
    }
    let found = Queue::empty(block, &s.launch, s.own.queue, FOUNDED);
    sync_block(block);
    for i in over_groups(block, 0, all) {
        each(s.problem.loop_rules_start, s.problem.loop_rules_of, s.own.lost.read(i), |r| {
            if s.own.missing.atomic(r).now() == 0 {
                found_by(s, found, r);
            }
        });
    }
    waves(block, &s.launch, 0, found, |next, p| {
        each(s.problem.loop_occurs_start, s.problem.loop_occurs, p.0, |r| {
            let head = Var(s.problem.loop_head.read(r));
            let is_lost = s.own.founded.atomic(head.0).in_block() == founded::NOT && !is_false(&s.own, head);
            if is_lost && s.own.missing.atomic(r).sub(1) == 1 {
                found_by(s, next, r);
            }
        });
    });
    all
}

/// Returns whether atom `p` is false.
#[cuda_std::inlined]
fn is_false(own: &Own, p: Var) -> bool {
    status(own, Lit::t(p)) == Status::Falsified
}

/// Returns whether the body of rule `r` is falsified.
#[cuda_std::inlined]
fn is_falsified(problem: &Problem, own: &Own, r: u32) -> bool {
    let body = problem.loop_body.read(r);
    body != Lit::TRUE && status(own, body) == Status::Falsified
}

/// Makes rule `r`, whose positive body is founded, the source of its head, unless the head is founded.
/// Appends a newly founded head to `queue`. May be called by any thread.
#[cuda_std::inlined]
fn found_by(s: &Search, queue: Queue, r: u32) {
    let head = Var(s.problem.loop_head.read(r));
    if s.own.founded.atomic(head.0).put(founded::FOUNDED) != founded::FOUNDED {
        s.own.source.write(head.0, r);
        queue.push(&s.launch, head);
    }
}

/// Computes `founded` from scratch, for programs with sums on loops. The least fixpoint takes time linear in
/// the rules, with one wave of threads for each step.
#[cuda_std::inlined]
fn found_all(block: &mut WholeBlock, s: &Search) {
    let found = Queue::empty(block, &s.launch, s.own.queue, FOUNDED);
    for i in over_block(block, 0, s.problem.loop_atoms) {
        s.own.founded.atomic(s.problem.loop_atom.read(i)).store(founded::NOT);
    }
    for r in over_block(block, 0, s.problem.loop_rules) {
        let missing = s.problem.loop_positive_start.read(r + 1) - s.problem.loop_positive_start.read(r);
        s.own.missing.atomic(r).store(missing);
    }
    for sum in over_block(block, 0, s.problem.loop_sums) {
        s.own.loop_sum_missing.atomic(sum).store(s.problem.loop_sum_bound.read(sum));
    }
    sync_block(block);
    for item in over_block(block, 0, s.problem.loop_items) {
        let sum = s.problem.loop_item_sum.read(item);
        if item >= s.problem.loop_sum_inner.read(sum)
            && status(&s.own, s.problem.loop_item_lit.read(item)) != Status::Falsified
        {
            s.own.loop_sum_missing.atomic(sum).sub(s.problem.loop_item_weight.read(item));
        }
    }
    for r in over_block(block, 0, s.problem.loop_rules) {
        if s.problem.loop_positive_start.read(r + 1) == s.problem.loop_positive_start.read(r) {
            found_head(s, found, r);
        }
    }
    sync_block(block);
    for sum in over_block(block, 0, s.problem.loop_sums) {
        if s.own.loop_sum_missing.atomic(sum).now() <= 0 {
            found_atom(&s.own, &s.launch, found, Var(s.problem.loop_sum_atom.read(sum)));
        }
    }
    waves(block, &s.launch, 0, found, |next, p| {
        each(s.problem.loop_occurs_start, s.problem.loop_occurs, p.0, |r| {
            if s.own.missing.atomic(r).sub(1) == 1 {
                found_head(s, next, r);
            }
        });
        found_sums(s, next, p);
    });
}

/// Makes the head of rule `r` founded, unless the body is false. The positive body of `r` is founded. May be
/// called by any thread.
#[cuda_std::inlined]
fn found_head(s: &Search, queue: Queue, r: u32) {
    if !is_falsified(&s.problem, &s.own, r) {
        found_atom(&s.own, &s.launch, queue, Var(s.problem.loop_head.read(r)));
    }
}

/// Makes atom `p` founded unless it is false, and appends a newly founded atom to `queue`. May be called by
/// any thread.
#[cuda_std::inlined]
fn found_atom(own: &Own, launch: &Launch, queue: Queue, p: Var) {
    if !is_false(own, p) && own.founded.atomic(p.0).put(founded::FOUNDED) == founded::NOT {
        queue.push(launch, p);
    }
}

/// Counts the founded atom `p` in the sums of its component, and founds the atoms of sums that reach their
/// bounds. Must be called by all lanes of a group.
#[cuda_std::inlined]
fn found_sums(s: &Search, queue: Queue, p: Var) {
    each(s.problem.loop_item_occurs_start, s.problem.loop_item_occurs, p.0, |item| {
        let (sum, weight) = (s.problem.loop_item_sum.read(item), s.problem.loop_item_weight.read(item));
        let missing = s.own.loop_sum_missing.atomic(sum).sub(weight);
        if missing > 0 && missing <= weight {
            found_atom(&s.own, &s.launch, queue, Var(s.problem.loop_sum_atom.read(sum)));
        }
    });
}

/// Returns whether `p`, an atom of a component, is neither false nor founded.
#[cuda_std::inlined]
fn is_unfounded(own: &Own, p: Var) -> bool {
    own.founded.atomic(p.0).in_block() == founded::NOT && !is_false(own, p)
}

/// Returns whether atom `p` is in the unfounded set for which a nogood is being built.
#[cuda_std::inlined]
fn is_member(own: &Own, p: Var) -> bool {
    own.founded.atomic(p.0).in_block() == founded::MEMBER
}

/// Puts the unfounded atom `p` into the set and into `queue`, unless it is there. May be called by any
/// thread.
#[cuda_std::inlined]
fn join(own: &Own, launch: &Launch, queue: Queue, p: Var) {
    if own.founded.claim(p.0, founded::NOT, founded::MEMBER).is_ok() {
        queue.push(launch, p);
    }
}

/// Puts `p`, the unfounded atoms that `p` needs for a foundation, the unfounded atoms that these need, and so
/// on, into `queue`.
///
/// Together they are an unfounded set. Returns their number.
#[cuda_std::inlined]
fn unfounded_set(block: &mut WholeBlock, s: &Search, p: Var) -> u32 {
    let (mut members, mut from) = (Queue::empty(block, &s.launch, s.own.queue, FOUNDED), 0);
    if is_first() {
        join(&s.own, &s.launch, members, p);
    }
    loop {
        members = waves(block, &s.launch, from, members, |next, q| {
            each(s.problem.loop_rules_start, s.problem.loop_rules_of, q.0, |r| {
                if is_falsified(&s.problem, &s.own, r) {
                    return;
                }
                let (mut at, end) =
                    (s.problem.loop_positive_start.read(r), s.problem.loop_positive_start.read(r + 1));
                while at < end {
                    let needed = Var(s.problem.loop_positive.read(at));
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
        for item in over_block(block, 0, s.problem.loop_items) {
            let sum = s.problem.loop_item_sum.read(item);
            if item < s.problem.loop_sum_inner.read(sum)
                && is_member(&s.own, Var(s.problem.loop_sum_atom.read(sum)))
            {
                let needed = s.problem.loop_item_lit.read(item).var();
                if is_unfounded(&s.own, needed) {
                    join(&s.own, &s.launch, members, needed);
                }
            }
        }
    }
}

/// Learns the loop nogood of `p` and of a small unfounded set that contains `p`.
#[cuda_std::inlined]
fn loop_nogood(block: &mut WholeBlock, s: &Search, p: Var) {
    let (tid, length) = (thread::thread_idx_x(), counter(&s.launch, LENGTH));
    let stamp = s.own.state().stamp.now();
    if tid == 0 {
        length.store(0);
        // The body of `x :- not p` is an external body too, but `Tp` is in the nogood already.
        s.own.mark.atomic(p.0).store(stamp);
    }
    let (members, mut ring) = (unfounded_set(block, s, p), Ring::open(s));
    ring.unfounded(block, members);
    for i in over_groups(block, 0, members) {
        each(s.problem.loop_rules_start, s.problem.loop_rules_of, s.own.queue.read(i), |r| {
            let mut positive =
                s.problem.loop_positive_start.read(r)..s.problem.loop_positive_start.read(r + 1);
            // A body that is not falsified uses an atom of the set, and is not external.
            if is_falsified(&s.problem, &s.own, r)
                && !positive.any(|i| is_member(&s.own, Var(s.problem.loop_positive.read(i))))
            {
                add(&s.own, &s.launch, s.problem.loop_body.read(r), stamp);
            }
        });
    }
    for item in over_block(block, 0, s.problem.loop_items) {
        let lit = s.problem.loop_item_lit.read(item);
        let atom = Var(s.problem.loop_sum_atom.read(s.problem.loop_item_sum.read(item)));
        if is_member(&s.own, atom) && status(&s.own, lit) == Status::Falsified {
            add(&s.own, &s.launch, lit, stamp);
        }
    }
    sync_block(block);
    for i in over_block(block, 0, members) {
        s.own.founded.atomic(s.own.queue.read(i)).store(founded::NOT);
    }
    let (n, stamp) = (length.now(), s.own.state().stamp.now());
    if tid == 0 {
        s.own.slot_lits.write(n, Lit::t(p));
        ring.close();
        // A violated nogood leads to a jump.
        if members > REUSE * (n + 1) && status(&s.own, Lit::t(p)) == Status::Open {
            let state = s.own.state();
            state.set_len.store(members);
            state.set_at.store(0);
            state.set_seen.store(s.own.committed().0);
            state.set_lits.store(n + 1);
        }
    }
    sync_block(block);
    enter_told(block, s, n + 1, Told::ByCheck);
    next_stamp(block, &s.own, stamp);
}

/// Adds the complement of `falsified` to the loop nogood, unless the literal is false at level 1 or its
/// variable has the mark `stamp`. May be called by any thread.
#[cuda_std::inlined]
fn add(own: &Own, launch: &Launch, falsified: Lit, stamp: u32) {
    let is_sure = level_of(own, falsified) <= Level::FIRST;
    if !is_sure && own.mark.atomic(falsified.var().0).put(stamp) != stamp {
        own.slot_lits.write(counter(launch, LENGTH).count(1), !falsified);
    }
}
