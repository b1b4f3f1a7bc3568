//! What the kernels of Learning must do, and the deletion of learned nogoods.

use super::snapshot::Snapshot;
use crate::device::Kernel;
use solver_gpu::kernels::propagate_long::unpack;
use solver_gpu::layout::{ALL_DECISIONS, NONE};
use solver_gpu::{Lit, Search};
use std::collections::BTreeSet;

/// Checks one launch.
pub fn check(kernel: Kernel, v: &Search, before: &Snapshot, after: &Snapshot) {
    match kernel {
        Kernel::LearnForward | Kernel::LearnResolution => learn(kernel, v, before, after),
        Kernel::RecordLearned => record(v, before, after),
        _ => reduce(v, before, after),
    }
}

/// A learned nogood, and the variables that took part in learning it, as often as they did.
type Learned = (BTreeSet<Lit>, Vec<u32>);

fn learn(kernel: Kernel, v: &Search, before: &Snapshot, after: &Snapshot) {
    let mut conflicts: Vec<u32> = before.conflict.clone();
    conflicts.sort_by_key(|&id| (before.nogood(id).len(), id));
    conflicts.dedup();
    let mut expected = before.clone();
    for slot in 0..v.slots as usize {
        let Some(&id) = conflicts.get(slot) else {
            assert_eq!(after.slot_len[slot], NONE, "slot {slot}");
            continue;
        };
        let (learned, involved) = match kernel {
            Kernel::LearnForward => forward(before, before.nogood(id)),
            _ => resolution(before, before.nogood(id)),
        };
        let row = slot * v.vars as usize;
        let lits = &after.slot_lits[row..row + after.slot_len[slot] as usize];
        assert_eq!(lits.iter().copied().collect::<BTreeSet<_>>(), learned, "slot {slot}, from {id}");
        assert_eq!(lits.len(), learned.len());
        let mut levels: Vec<u32> = learned.iter().map(|&l| before.level(l)).collect();
        levels.sort();
        let from_top = |n: usize| levels.len().checked_sub(n).map_or(1, |i| levels[i]);
        assert_eq!(
            (after.slot_top[slot], after.slot_second[slot]),
            (from_top(1), from_top(2)),
            "slot {slot}"
        );
        if let [.., second, top] = *lits {
            assert_eq!((before.level(top), before.level(second)), (from_top(1), from_top(2)));
        }
        levels.dedup();
        assert_eq!(after.slot_lbd[slot], levels.len() as u32);
        if v.track_activity == 1 {
            involved.iter().for_each(|&p| expected.rank[p as usize] += before.words.bump);
        }
    }
    let a = after.clone();
    (expected.slot_lits, expected.slot_len, expected.slot_lbd) = (a.slot_lits, a.slot_len, a.slot_lbd);
    (expected.slot_top, expected.slot_second) = (a.slot_top, a.slot_second);
    assert_eq!(&expected, after);
}

/// The decisions that a violated nogood depends on.
fn forward(s: &Snapshot, violated: &[Lit]) -> Learned {
    let levels: BTreeSet<u32> = violated.iter().flat_map(|&l| s.depends(l)).collect();
    let decisions: BTreeSet<Lit> = levels.iter().map(|&l| s.decision_at[l as usize]).collect();
    let involved = violated.iter().chain(&decisions).map(|l| l.var().0).collect();
    (decisions, involved)
}

/// The first-UIP nogood, by the textbook.
fn resolution(s: &Snapshot, violated: &[Lit]) -> Learned {
    let level = violated.iter().map(|&l| s.level(l)).max().unwrap_or(1);
    let above = |lits: &[Lit]| lits.iter().copied().filter(|&l| s.level(l) > 1).collect::<BTreeSet<Lit>>();
    let mut nogood = above(violated);
    let mut involved = nogood.clone();
    if level <= 1 {
        return (BTreeSet::new(), vec![]);
    }
    loop {
        let of_level: Vec<Lit> = nogood.iter().copied().filter(|&l| s.level(l) == level).collect();
        if of_level.len() == 1 {
            return (nogood, involved.iter().map(|l| l.var().0).collect());
        }
        let last = of_level.into_iter().max_by_key(|l| s.position[l.var().0 as usize]).expect("several");
        nogood.remove(&last);
        let reason = match s.claim(last.var()).0 {
            ALL_DECISIONS => (2..=level).map(|l| s.decision_at[l as usize]).collect(),
            id => s.nogood(id).to_vec(),
        };
        let others: Vec<Lit> = reason.into_iter().filter(|l| l.var() != last.var()).collect();
        involved.extend(above(&others));
        nogood.extend(above(&others));
    }
}

fn record(v: &Search, before: &Snapshot, after: &Snapshot) {
    let used: Vec<usize> = (0..v.slots as usize).filter(|&i| before.slot_len[i] != NONE).collect();
    let slot = |i: usize| &before.slot_lits[i * v.vars as usize..][..before.slot_len[i] as usize];
    let mut seen = BTreeSet::new();
    let mut expected = before.clone();
    for &i in &used {
        let set: BTreeSet<Lit> = slot(i).iter().copied().collect();
        if set.is_empty() || !seen.insert(set) {
            continue;
        }
        let n = expected.learned.len() as u32;
        let class = [0, 0, 0, 1, 2][slot(i).len().min(4)];
        expected.learned_class[class].push(n);
        expected.words.learned_of[class] += 1;
        expected.learned.push(slot(i).to_vec());
        expected.learned_lbd.push(before.slot_lbd[i]);
        let (a, b) = unpack(after.learned_watch[n as usize]);
        let last = slot(i).len() - 1;
        assert_eq!((a, b), (slot(i)[last.saturating_sub(1)], slot(i)[last]), "watches of {n}");
        expected.learned_watch.push(after.learned_watch[n as usize]);
    }
    let w = &mut expected.words;
    w.learned = expected.learned.len() as u32;
    w.learned_lits = expected.learned.iter().map(|n| n.len() as u32).sum();
    w.learned_total += (w.learned - before.words.learned) as u64;
    w.learned_total_lits += (w.learned_lits - before.words.learned_lits) as u64;
    w.violations += before.words.conflicts as u64;
    let top = used.iter().map(|&i| before.slot_top[i]).min().expect("a conflict");
    let second = used.iter().map(|&i| before.slot_second[i]).min().expect("a conflict");
    (w.target, w.flip) = match top {
        1 => (1, 0),
        _ if top <= w.backtrack_level => (top - 1, top),
        _ => (second.max(w.backtrack_level), 0),
    };
    w.exhausted = (top == 1) as u32;
    if before.words.bump > 1 << 20 {
        if v.track_activity == 1 {
            expected.rank.iter_mut().for_each(|r| *r >>= 10);
        }
        w.bump >>= 10;
    } else {
        w.bump += w.bump / 20 + 1;
    }
    assert_eq!(&expected, after);
}

fn reduce(v: &Search, before: &Snapshot, after: &Snapshot) {
    let n = before.learned.len();
    let id = |i: usize| v.nogoods + i as u32;
    let reasons: BTreeSet<u32> = before.trail.iter().map(|l| before.claim(l.var()).0).collect();
    let needed = |i: usize| before.learned_lbd[i] <= 2 || reasons.contains(&id(i));
    let mut free: Vec<usize> = (0..n).filter(|&i| !needed(i)).collect();
    free.sort_by_key(|&i| (before.learned_lbd[i], n - i));
    free.truncate(v.keep as usize);
    let kept: Vec<usize> = (0..n).filter(|i| needed(*i) || free.contains(i)).collect();
    let mut expected = before.clone();
    expected.learned = kept.iter().map(|&i| before.learned[i].clone()).collect();
    expected.learned_lbd = kept.iter().map(|&i| before.learned_lbd[i]).collect();
    expected.learned_watch = kept.iter().map(|&i| before.learned_watch[i]).collect();
    expected.words.learned = kept.len() as u32;
    expected.words.learned_lits = expected.learned.iter().map(|l| l.len() as u32).sum();
    for class in 0..3 {
        let of_class = |&i: &u32| [0, 0, 0, 1, 2][expected.learned[i as usize].len().min(4)] == class;
        let members: BTreeSet<u32> = (0..kept.len() as u32).filter(of_class).collect();
        assert_eq!(after.learned_class[class].iter().copied().collect::<BTreeSet<_>>(), members);
        expected.words.learned_of[class] = members.len() as u32;
    }
    expected.learned_class = after.learned_class.clone();
    for lit in &before.trail {
        let (reason, sign) = before.claim(lit.var());
        if let Some(new) = kept.iter().position(|&i| id(i) == reason) {
            expected.reason[lit.var().0 as usize] = id(new) << 1 | sign as u32;
        }
    }
    assert_eq!(&expected, after);
}
