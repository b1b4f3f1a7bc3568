//! What holds of any copy of a search's memory, whichever kernel ran last.
//!
//! Main functions: [`check`], for any time between two launches, and [`check_paused`], for when the resident
//! search has returned. The invariants:
//!
//! | invariant | what it says |
//! | --- | --- |
//! | lists | Lists of watches do not overlap and end before `watch_end`. Their queue is worked off. |
//! | listed | Each nogood stands in the lists of its watched literals, unless `unlisted` is set. |
//! | trail | Each committed literal holds at its level and position. Levels and rounds are in order. |
//! | decisions | Each level above 1 begins with its decision. |
//! | reasons | All other literals of a reason were committed before the round of what follows. |
//! | counters | Each counter of a sum has the weight of its items that are committed. |
//! | queue | The queue of sums has the sums that are flagged, each once. |
//! | chunks | No open candidate is better than the key of its chunk, and no key than the key above it. |
//! | sources | The source of a founded atom is a rule for it, and sources do not go in a circle. |
//! | foundations | After a check, the atoms that have a foundation are founded, each by its source. |
//! | completeness | At a pause without a conflict, no nogood is violated, and what is unit was proposed. |

use super::assign::{advice, advised_rank};
use super::snapshot::{list, Snapshot, Sum, Taken};
use super::{look_ahead, stability, Facts};
use solver_gpu::kernels::search::outcome;
use solver_gpu::layout::{founded, ALL_DECISIONS, DECISION, FIRST_SUM, UNCLAIMED};
use solver_gpu::tournament::{keys_of, CHUNK, GROUP};
use solver_gpu::{Lit, Search, Var};
use std::collections::BTreeSet;

/// Checks what holds between any two launches.
pub fn check(v: &Search, facts: &Facts, taken: &Taken) {
    let s = &taken.snapshot;
    lists(taken);
    if v.swarm.is_any() && s.words.exhausted == 1 {
        // A searcher whose cube is refuted keeps the backtrack level of the cube until it has another one.
        return;
    }
    trail(s);
    decisions(s);
    reasons(s);
    assert_eq!(s.held, s.counted(), "the counters of sums");
    queue(taken);
    chunks(v, facts, taken);
    sources(v, facts, taken);
}

/// Checks what holds when the resident search has returned.
pub fn check_paused(v: &Search, facts: &Facts, taken: &Taken) {
    let (s, w) = (&taken.snapshot, &taken.snapshot.words);
    check(v, facts, taken);
    s.check_lists();
    look_ahead::check_paused(v, facts, taken);
    if w.conflicts == 0 && w.exhausted == 0 {
        complete(facts, s);
    }
    // Answer sets that the device keeps were checked before its last jump.
    if taken.state.outcome.load() == outcome::ANSWER && v.launch.answers_wanted == 0 {
        assert_eq!((w.conflicts, w.committed), (0, v.problem.vars), "an answer set is total");
        foundations(v, facts, taken);
    }
}

/// Lists of watches do not overlap and end before `watch_end`. No entry is dead, and what found its list full
/// has been given room.
fn lists(taken: &Taken) {
    let (a, state) = (&taken.arrays, &taken.state);
    let mut places: Vec<(u32, u32)> =
        a.watch_at.iter().zip(&a.watch_capacity).map(|(&at, &capacity)| (at, at + capacity)).collect();
    places.sort_unstable();
    assert!(places.windows(2).all(|w| w[0].1 <= w[1].0), "lists of watches overlap");
    assert!(places.last().is_none_or(|last| last.1 <= state.watch_end.load()), "a list beyond the end");
    assert!(state.watch_end.load() as usize <= a.watch_list.len(), "the end lies beyond the array");
    for lit in 0..a.watch_at.len() {
        assert!(list(a, lit).iter().all(|&entry| entry != u64::MAX), "a list has a dead entry");
    }
    let is_worked_off = state.queued.load() == 0 || state.unlisted.load() == 1;
    assert!(is_worked_off, "the queue of watches is worked off");
}

/// The trail, its levels and rounds, and what is not on it.
fn trail(s: &Snapshot) {
    let w = &s.words;
    assert!(w.visited <= w.committed && w.committed <= w.trail_len);
    // What a refuted search leaves is set when it begins something else.
    let is_set = w.backtrack_level >= 1 && w.backtrack_level <= w.level && w.projected <= w.level;
    assert!(is_set || w.exhausted == 1);
    let mut vars = BTreeSet::new();
    for (at, &lit) in s.trail.iter().enumerate() {
        let (reason, sign) = s.claim(lit.var());
        assert!(vars.insert(lit.var()), "{lit:?} is on the trail twice");
        assert!(reason != UNCLAIMED >> 1 && sign == lit.is_false_sign(), "{lit:?} was claimed otherwise");
        if at >= w.committed as usize {
            assert!(s.is_open(lit), "{lit:?} is only proposed");
            continue;
        }
        assert!(s.holds(lit), "{lit:?} is committed");
        assert_eq!(s.position[lit.var().0 as usize], at as u32, "the position of {lit:?}");
        let levels_begun = (2..=w.level).filter(|&level| s.trail_at[level as usize] <= at as u32).count();
        assert_eq!(s.level(lit), 1 + levels_begun as u32, "the level of {lit:?}");
        let start = s.round_start[at] as usize;
        assert!(start <= at && s.round_start[start] as usize == start, "the round of {lit:?}");
        assert!(at == 0 || start == at || s.round_start[at - 1] as usize == start, "a round is interrupted");
    }
    for p in (0..s.value.len() as u32).map(Var).filter(|p| !vars.contains(p)) {
        let claim = s.reason[p.0 as usize];
        assert_eq!((s.value[p.0 as usize], claim), (0, UNCLAIMED), "{p:?} is not on the trail");
    }
}

/// Each level above 1 begins with its decision, in a round of its own.
fn decisions(s: &Snapshot) {
    for level in 2..=s.words.level as usize {
        let (at, lit) = (s.trail_at[level] as usize, s.decision_at[level]);
        assert!(s.trail_at[level - 1] <= at as u32 || level == 2, "levels are in order");
        assert_eq!(s.trail.get(at), Some(&lit), "the decision of level {level}");
        assert_eq!(s.claim(lit.var()).0, DECISION, "the decision of level {level}");
        assert!(at >= s.words.committed as usize || s.round_start[at] as usize == at);
    }
}

/// What each literal on the trail follows from was committed before.
fn reasons(s: &Snapshot) {
    for (at, &lit) in s.trail.iter().enumerate() {
        let before = match at < s.words.committed as usize {
            true => s.round_start[at],
            false => s.words.committed,
        };
        let held = |l: Lit| s.holds(l) && s.position[l.var().0 as usize] < before;
        match s.claim(lit.var()).0 {
            DECISION => {
                let levels = 2..=s.words.level as usize;
                assert!(levels.into_iter().any(|l| s.trail_at[l] as usize == at), "{lit:?} is a decision");
            }
            ALL_DECISIONS => {}
            id if id >= FIRST_SUM => {
                let sum = &s.sums[(id - FIRST_SUM) as usize];
                let applies = [Lit::TRUE, !lit].contains(&sum.condition) || held(sum.condition);
                let is_enough = exceeds(s, sum, |item| item == !lit || held(item));
                assert!(applies && is_enough, "sum {id:#x} is no reason for {lit:?}");
            }
            id => {
                let nogood = s.nogood(id);
                assert!(nogood.contains(&!lit), "nogood {id:#x} is no reason for {lit:?}");
                let others = nogood.iter().filter(|&&l| l != !lit);
                others.for_each(|&l| assert!(held(l), "{l:?} of nogood {id:#x}, the reason of {lit:?}"));
            }
        }
    }
}

/// Whether the items of a sum that are `counted` weigh more than they may: counters compare as digits,
/// highest first.
fn exceeds(s: &Snapshot, sum: &Sum, counted: impl Fn(Lit) -> bool) -> bool {
    let weight = |c: u32| {
        let items = sum.items.iter().filter(|item| item.2 == c && counted(item.0));
        items.map(|item| item.1).sum::<i64>()
    };
    let most = sum.counters.clone().map(|c| s.most[c as usize]);
    sum.counters.clone().map(weight).gt(most)
}

/// The queue of sums and its flags.
fn queue(taken: &Taken) {
    let (queue, flags) = (&taken.snapshot.queue, &taken.arrays.sum_touched);
    // There may be room for more sums.
    let flagged: BTreeSet<u32> =
        (0..taken.snapshot.sums.len() as u32).filter(|&sum| flags[sum as usize] == 1).collect();
    let touched = taken.state.touched.load() as usize;
    assert_eq!((queue.len(), queue), (touched, &flagged), "the queue of sums and its flags");
}

/// No candidate that is open is better than what its chunk says.
fn chunks(v: &Search, facts: &Facts, taken: &Taken) {
    let (best, s) = (&taken.arrays.chunk_best, &taken.snapshot);
    // Where a single thread decides, the chunks are smaller.
    let is_single = best.len() as u32 == keys_of(v.problem.candidates, true);
    let chunk = if is_single { GROUP } else { CHUNK };
    for &(i, p) in taken.candidates.iter().filter(|_| !best.is_empty()) {
        let rank = f32::from_bits(s.rank[p as usize]);
        let rank = advised_rank(v, advice(v, facts, s, i).as_ref(), rank);
        let rank = if i < v.problem.first_candidates { rank | 1 << 31 } else { rank };
        let key = (rank as u64) << 32 | (u32::MAX - (i ^ v.settings.seed & 0x3fff_ffff)) as u64;
        let is_open = s.value[p as usize] == 0;
        assert!(
            !is_open || key <= best[(i / chunk) as usize],
            "candidate {i} is better than its chunk's best"
        );
    }
    // There, keys of keys follow, up to a single key.
    let mut row = v.problem.candidates.div_ceil(chunk) as usize;
    let mut rest = &best[..];
    while rest.len() > row {
        let (keys, above) = rest.split_at(row);
        for (group, key) in keys.chunks(chunk as usize).zip(above) {
            assert_eq!(group.iter().max(), Some(key), "the best of some keys");
        }
        (row, rest) = (row.div_ceil(chunk as usize), above);
    }
}

/// The source of each founded atom is a rule for it, and sources do not go in a circle. Sums have no sources.
fn sources(v: &Search, facts: &Facts, taken: &Taken) {
    let a = &taken.arrays;
    let Some(f) = facts.foundedness.as_ref().filter(|_| v.problem.loop_sums == 0) else { return };
    let with = |state: u32| f.atoms.iter().copied().filter(move |&p| a.founded[p as usize] == state);
    assert_eq!(with(founded::MEMBER).next(), None, "marks of a check");
    let listed = &a.unfounded_atom[..taken.state.unfounded_atoms.load() as usize];
    assert_eq!(listed.len(), with(founded::LISTED).count(), "atoms that are listed twice, or no more");
    assert!(with(founded::LISTED).all(|p| listed.contains(&p)), "the atoms that the next check has to found");
    let mut left: Vec<u32> = with(founded::FOUNDED).collect();
    for &p in &left {
        assert_eq!(f.head[a.source[p as usize] as usize], p, "the source of atom {p} is a rule for it");
    }
    while !left.is_empty() {
        let waits = |p: &u32| f.positive.row(a.source[*p as usize] as usize).iter().any(|q| left.contains(q));
        let later: Vec<u32> = left.iter().copied().filter(waits).collect();
        assert!(later.len() < left.len(), "the sources of {left:?} go in a circle");
        left = later;
    }
}

/// After a check of foundedness of the present assignment: founded are those atoms that have a foundation, as
/// far as they are not false, and each one's source gives it one.
pub fn foundations(v: &Search, facts: &Facts, taken: &Taken) {
    let (a, s) = (&taken.arrays, &taken.snapshot);
    let Some(f) = &facts.foundedness else { return };
    if taken.state.set_len.load() > 0 && taken.state.set_at.load() > 0 {
        // The check has used an unfounded set again, and has looked at nothing else.
        return;
    }
    let sure = stability::founded(f, s);
    for &p in f.atoms.iter().filter(|&&p| !stability::is_falsified(s, Lit::t(Var(p)))) {
        assert_eq!(
            a.founded[p as usize] == founded::FOUNDED,
            sure.contains(&p),
            "whether atom {p} is founded"
        );
        if sure.contains(&p) && v.problem.loop_sums == 0 {
            let rule = a.source[p as usize] as usize;
            assert!(!stability::is_falsified(s, f.body[rule]), "the source of atom {p} has a false body");
            assert!(f.positive.row(rule).iter().all(|q| sure.contains(q)), "the source of atom {p}");
        }
    }
}

/// All committed literals were visited: no nogood is violated, and what must not hold was proposed not to.
/// That is not said of learned nogoods that were not looked at yet or are late, nor of sums that are in the
/// queue. Where loop nogoods are learned, a learned nogood may be unit unnoticed: a violated loop nogood is
/// not kept as late, though the search may be unable to jump as far back as it asks.
fn complete(facts: &Facts, s: &Snapshot) {
    // Its complement is committed or proposed.
    let is_refuted = |lit: Lit| {
        let (reason, sign) = s.claim(lit.var());
        reason != UNCLAIMED >> 1 && sign != lit.is_false_sign()
    };
    let seen = (0..s.words.seen).filter(|i| !s.late.contains(i)).map(|i| &s.learned[i as usize]);
    for nogood in s.input.iter().chain(seen.clone()) {
        assert!(!s.is_violated(nogood), "{nogood:?} is violated, and nobody has noticed");
    }
    for nogood in s.input.iter().chain(seen.filter(|_| !facts.has_loop_nogoods)) {
        assert!(s.unit(nogood).is_none_or(is_refuted), "{nogood:?} is unit, and nobody has noticed");
    }
    for (i, sum) in s.sums.iter().enumerate().filter(|(i, _)| !s.queue.contains(&(*i as u32))) {
        let holds = |lit: Lit| lit == Lit::TRUE || s.holds(lit);
        if exceeds(s, sum, holds) {
            assert!(!holds(sum.condition), "sum {i} is violated, and nobody has noticed");
            assert!(is_refuted(sum.condition), "the condition of sum {i} is open");
        } else if holds(sum.condition) {
            let open = sum.items.iter().map(|item| item.0).filter(|&lit| s.is_open(lit));
            let mut refuted = open.filter(|&lit| exceeds(s, sum, |item| item == lit || s.holds(item)));
            assert!(refuted.all(is_refuted), "an item of sum {i} is open");
        }
    }
}
