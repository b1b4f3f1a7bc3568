//! What the kernels of Learning must do, and the deletion of learned nogoods.

use super::cover;
use super::snapshot::Snapshot;
use solver_gpu::layout::{flag, Learned, Origin, ALL_DECISIONS, DECISION, FIRST_LEARNED, FIRST_SUM, NONE};
use solver_gpu::lit::unpack;
use solver_gpu::marks::LAST_STAMP;
use solver_gpu::{Lit, Search};
use std::collections::BTreeSet;
use yasmin_device::Kernel;

/// Checks one launch.
pub fn check(kernel: Kernel, v: &Search, before: &Snapshot, after: &Snapshot) {
    match kernel {
        Kernel::LearnForward | Kernel::LearnResolution => learn(kernel, v, before, after),
        Kernel::RecordLearned => record(v, before, after),
        Kernel::RebuildWatches => rebuild(before, after),
        _ => reduce(before, after),
    }
}

fn rebuild(before: &Snapshot, after: &Snapshot) {
    after.check_lists();
    assert_eq!(after.words.unlisted, 0);
    let mut expected = before.clone();
    expected.words.unlisted = 0;
    for (lit, list) in expected.watch_lists.iter_mut().enumerate() {
        let watches = |&i: &u32| {
            let (a, b) = before.watched(i);
            a.index() == lit || b.index() == lit
        };
        *list = before.numbers().filter(watches).collect();
    }
    cover("lists of watches rebuilt");
    assert_eq!(&expected, after);
}

/// A learned nogood, the variables that took part in learning it, and the nogoods beside the violated one, as
/// often as they did.
type Analysis = (BTreeSet<Lit>, Vec<u32>, Vec<u32>);

fn learn(kernel: Kernel, v: &Search, before: &Snapshot, after: &Snapshot) {
    let mut conflicts: Vec<u32> = before.conflict.clone();
    let length = |id: u32| match id.checked_sub(FIRST_SUM) {
        Some(sum) => before.sums[sum as usize].items.len() + 1,
        None => before.nogood(id).len(),
    };
    conflicts.sort_by_key(|&id| (length(id), id));
    conflicts.dedup();
    if !conflicts.is_sorted() {
        cover("a shorter conflict of a higher id");
    }
    if conflicts.len() > (v.settings.slots >> (v.settings.track_deps & v.settings.resolves)) as usize {
        cover("more conflicts than slots");
    }
    let violated = |id| before.explanation(id, before.words.committed, Lit::TRUE);
    let mut expected = before.clone();
    for slot in 0..v.settings.slots as usize {
        let both = v.settings.track_deps == 1 && v.settings.resolves == 1;
        if both && (slot % 2 == 0) != (kernel == Kernel::LearnForward) {
            continue;
        }
        let Some(&id) = conflicts.get(if both { slot / 2 } else { slot }) else {
            expected.slot[slot] = Learned::NOTHING;
            continue;
        };
        let (learned, involved, mut nogoods) = match kernel {
            Kernel::LearnForward => forward(before, &violated(id)),
            _ => resolution(before, &violated(id)),
        };
        nogoods.push(id);
        for id in nogoods.into_iter().filter(|id| (FIRST_LEARNED..FIRST_SUM).contains(id)) {
            let i = (id - FIRST_LEARNED) as usize;
            expected.learned_activity[i] += 1;
            let levels: BTreeSet<u32> = before.learned[i].iter().map(|&l| before.level(l)).collect();
            let levels = levels.into_iter().filter(|&level| level > 1).count() as u32;
            let old = expected.learned_lbd[i];
            // A conflict of level 1 ends the search, and nobody looks at it.
            if kernel == Kernel::LearnResolution && old > 2 && (1..old).contains(&levels) {
                cover("a learned nogood of fewer levels than it was");
                expected.learned_lbd[i] = levels;
            }
        }
        let row = slot * v.problem.vars as usize;
        let lits = &after.slot_lits[row..row + after.slot[slot].len as usize];
        assert_eq!(lits.iter().copied().collect::<BTreeSet<_>>(), learned, "slot {slot}, from {id}");
        assert_eq!(lits.len(), learned.len());
        let mut levels: Vec<u32> = learned.iter().map(|&l| before.level(l)).collect();
        levels.sort();
        let from_top = |n: usize| levels.len().checked_sub(n).map_or(1, |i| levels[i]);
        assert_eq!(
            (after.slot[slot].top.0, after.slot[slot].second.0),
            (from_top(1), from_top(2)),
            "slot {slot}"
        );
        if let [.., second, top] = *lits {
            assert_eq!((before.level(top), before.level(second)), (from_top(1), from_top(2)));
        }
        if kernel == Kernel::LearnForward {
            assert!(lits.is_sorted_by_key(|&l| before.level(l)), "decisions in order, slot {slot}");
        } else if lits.len() == 1 {
            cover("a unique implication point alone");
        }
        if from_top(1) > 33 && from_top(2) > 1 && (from_top(1) - 2) / 32 > (from_top(2) - 2) / 32 {
            cover("the two highest levels in different words");
        }
        let alike = |&i: &usize| after.slot[i].len as usize == lits.len();
        if (0..slot).filter(alike).any(|i| {
            let other = i * v.problem.vars as usize;
            after.slot_lits[other..other + lits.len()].iter().any(|l| !learned.contains(l))
        }) {
            cover("different nogoods of one length");
        }
        levels.dedup();
        // Behind the nogood stands what was taken out of it.
        let all = row..row + v.problem.vars as usize;
        expected.slot_lits[all.clone()].copy_from_slice(&after.slot_lits[all]);
        expected.slot[slot] =
            Learned { len: lits.len() as u32, lbd: levels.len() as u32, ..after.slot[slot] };
        if v.settings.track_activity == 1 {
            involved.iter().for_each(|&p| {
                let rank = &mut expected.rank[p as usize];
                *rank = (f32::from_bits(*rank) + f32::from_bits(before.words.bump)).to_bits();
            });
        }
    }
    if kernel == Kernel::LearnResolution {
        expected.mark = after.mark.clone();
    }
    assert_eq!(&expected, after);
}

/// The decisions that a violated nogood depends on.
fn forward(s: &Snapshot, violated: &[Lit]) -> Analysis {
    let levels: BTreeSet<u32> = violated.iter().flat_map(|&l| s.depends(l)).collect();
    let decisions: BTreeSet<Lit> = levels.iter().map(|&l| s.decision_at[l as usize]).collect();
    let involved = violated.iter().chain(&decisions).map(|l| l.var().0).collect();
    (decisions, involved, vec![])
}

/// The first-UIP nogood, by the textbook.
fn resolution(s: &Snapshot, violated: &[Lit]) -> Analysis {
    let level = violated.iter().map(|&l| s.level(l)).max().unwrap_or(1);
    let above = |lits: &[Lit]| lits.iter().copied().filter(|&l| s.level(l) > 1).collect::<BTreeSet<Lit>>();
    let mut nogood = above(violated);
    let mut involved = nogood.clone();
    let mut last_at = s.words.committed;
    let mut nogoods = Vec::new();
    if level <= 1 {
        return (BTreeSet::new(), vec![], vec![]);
    }
    loop {
        let of_level: Vec<Lit> = nogood.iter().copied().filter(|&l| s.level(l) == level).collect();
        if of_level.len() == 1 {
            let stays = |&l: &Lit| l == of_level[0] || !follows(s, &nogood, l);
            let smaller: BTreeSet<Lit> = nogood.iter().copied().filter(stays).collect();
            if smaller.len() < nogood.len() {
                cover("a learned nogood made smaller");
            }
            if nogood.iter().any(|l| !smaller.contains(l) && !is_implied(s, &nogood, *l)) {
                cover("a literal dropped that follows by several reasons");
            }
            return (smaller, involved.iter().map(|l| l.var().0).collect(), nogoods);
        }
        let last = of_level.into_iter().max_by_key(|l| s.position[l.var().0 as usize]).expect("several");
        nogood.remove(&last);
        let at = s.position[last.var().0 as usize];
        // On a GPU two windows of 32 places are looked at one after the other, then four at once, as often as
        // it takes: here at least twice.
        if last_at - at > 64 + 4 * 32 {
            cover("a search of the trail over many windows");
        }
        last_at = at;
        if s.claim(last.var()).0 == ALL_DECISIONS {
            cover("a literal that follows from all decisions is resolved");
        }
        let reason = match s.claim(last.var()).0 {
            ALL_DECISIONS => (2..=level).map(|l| s.decision_at[l as usize]).collect(),
            id => {
                nogoods.push(id);
                s.explanation(id, s.round_start[at as usize], last).to_vec()
            }
        };
        let others: Vec<Lit> = reason.into_iter().filter(|l| l.var() != last.var()).collect();
        involved.extend(above(&others));
        nogood.extend(above(&others));
    }
}

/// Whether all of the literal's reason that is above level 1 is in the nogood.
fn is_implied(s: &Snapshot, nogood: &BTreeSet<Lit>, lit: Lit) -> bool {
    match s.claim(lit.var()).0 {
        DECISION | ALL_DECISIONS => false,
        id => {
            let at = s.position[lit.var().0 as usize];
            let reason = s.explanation(id, s.round_start[at as usize], lit);
            reason.iter().all(|l| l.var() == lit.var() || s.level(*l) <= 1 || nogood.contains(l))
        }
    }
}

/// Whether all of the literal's reason that is above level 1 follows from the nogood: is in it, or is of one
/// of its levels and follows likewise.
fn follows(s: &Snapshot, nogood: &BTreeSet<Lit>, lit: Lit) -> bool {
    let levels: BTreeSet<u32> = nogood.iter().map(|&l| s.level(l)).collect();
    let mut known = nogood.clone();
    // What is assigned first comes first, so that reasons are judged before what they force.
    for &l in &s.trail[..=s.position[lit.var().0 as usize] as usize] {
        if levels.contains(&s.level(l)) && is_implied(s, &known, l) {
            if l == lit {
                return true;
            }
            known.insert(l);
        }
    }
    false
}

/// The classes of learned nogoods, by length.
const LENGTHS: [&str; 4] = ["a unit learned", "a binary learned", "a ternary learned", "a long one learned"];

fn record(v: &Search, before: &Snapshot, after: &Snapshot) {
    let used: Vec<usize> = (0..v.settings.slots as usize).filter(|&i| before.slot[i].len != NONE).collect();
    let slot = |i: usize| &before.slot_lits[i * v.problem.vars as usize..][..before.slot[i].len as usize];
    let mut seen = BTreeSet::new();
    let mut expected = before.clone();
    for &i in &used {
        let set: BTreeSet<Lit> = slot(i).iter().copied().collect();
        if set.is_empty() || !seen.insert(set) {
            cover(if slot(i).is_empty() { "nothing learned at level 1" } else { "a nogood learned twice" });
            continue;
        }
        cover(LENGTHS[slot(i).len().min(4) - 1]);
        let n = expected.learned.len() as u32;
        expected.learned.push(slot(i).to_vec());
        expected.score_signs(slot(i));
        expected.learned_lbd.push(before.slot[i].lbd);
        expected.learned_activity.push(1);
        expected.learned_flags.push(0);
        expected.learned_origin.push(Origin::new(0, expected.words.serials));
        expected.words.serials += 1;
        let average = |old: u32, share: u32| {
            let (new, share) =
                (before.slot[i].lbd << 12, share.min(1 << (before.words.counts.conflicts + 1).ilog2()));
            if new < old {
                old - (old - new) / share
            } else {
                old + (new - old) / share
            }
        };
        let w = &mut expected.words;
        (w.lbd_recent, w.lbd_ever) = (average(w.lbd_recent, 32), average(w.lbd_ever, 4096));
        let (a, b) = unpack(after.learned_watch[n as usize]);
        let last = slot(i).len() - 1;
        assert_eq!((a, b), (slot(i)[last.saturating_sub(1)], slot(i)[last]), "watches of {n}");
        expected.learned_watch.push(after.learned_watch[n as usize]);
        for lit in [a, b] {
            expected.watch_lists[lit.index()].insert(n);
        }
        if before.slot[i].second.0 < before.words.backtrack_level {
            cover("a late nogood");
            expected.late.insert(n);
        }
    }
    if after.words.unlisted == 1 {
        expected.words.unlisted = 1;
        expected.watch_lists = after.watch_lists.clone();
    }
    let w = &mut expected.words;
    w.learned = expected.learned.len() as u32;
    w.learned_lits = expected.learned.iter().map(|n| n.len() as u32).sum();
    w.counts.learned += (w.learned - before.words.learned) as u64;
    w.counts.learned_literals += (w.learned_lits - before.words.learned_lits) as u64;
    w.counts.violations += before.words.conflicts as u64;
    w.counts.conflicts += 1;
    let top = used.iter().map(|&i| before.slot[i].top.0).min().expect("a conflict");
    let second = used.iter().map(|&i| before.slot[i].second.0).min().expect("a conflict");
    // Assumptions are refuted: the search goes below the root level, and decides on them again.
    let root = w.root.max(1);
    let reopens = v.settings.assumes == 1 && top > 1 && top <= root && w.flips == 0;
    if reopens {
        cover("a conflict of assumptions alone");
        (w.root, w.backtrack_level) = (0, 1);
    }
    (w.target, w.flip) = match top {
        1 => (1, 0),
        _ if reopens => (second.max(1), 0),
        _ if top <= root => (1, 0),
        _ if top <= w.backtrack_level => (top - 1, top),
        _ => (second.max(w.backtrack_level), 0),
    };
    if !reopens && top > w.backtrack_level && second < w.backtrack_level {
        cover("a jump held up at the backtrack level");
    }
    if w.stamp == LAST_STAMP {
        cover("the stamps begin again");
    }
    w.stamp = if w.stamp == LAST_STAMP { 1 } else { w.stamp + 1 };
    assert!(after.mark.iter().all(|&m| m != after.words.stamp), "a mark of the step to come");
    expected.mark = after.mark.clone();
    let w = &mut expected.words;
    w.exhausted = (top <= root && !reopens) as u32;
    w.refuted = w.refuted.max((top <= 1 && w.exhausted == 1) as u32);
    let scale = 2f32.powi(100);
    let mut bump = f32::from_bits(w.bump);
    if bump > scale {
        cover("activities are scaled down");
        if v.settings.track_activity == 1 {
            // What is too small to be divided keeps its place in the order of activities.
            expected.rank[..v.problem.vars as usize].iter_mut().for_each(|rank| {
                let scaled = f32::from_bits(*rank) / scale;
                *rank = match scaled {
                    ..0.0 => 0,
                    0.0..f32::MIN_POSITIVE => *rank / 101,
                    _ => scaled.to_bits(),
                };
            });
        }
        bump /= scale;
    }
    w.bump = (bump * 1.05).to_bits();
    assert_eq!(&expected, after);
}

fn reduce(before: &Snapshot, after: &Snapshot) {
    let n = before.learned.len();
    let id = |i: usize| FIRST_LEARNED + i as u32;
    let reasons: BTreeSet<u32> = before.trail.iter().map(|l| before.claim(l.var()).0).collect();
    let needed = |i: usize| before.learned_lbd[i] <= 2 || reasons.contains(&id(i));
    let mut free: Vec<usize> = (0..n).filter(|&i| !needed(i)).collect();
    let times = |i: usize| before.learned_activity[i];
    let is_useless = |i: usize| times(i) == 0 && before.learned_flags[i] & flag::FOREIGN != 0;
    let worth = |i: usize| (is_useless(i), times(i) == 0, before.learned_lbd[i]);
    free.sort_by_key(|&i| (worth(i), n - i));
    let cut = before.words.keep as usize;
    if cut > 0 && cut < free.len() && worth(free[cut - 1]) == worth(free[cut]) {
        cover("the newer of equal nogoods kept");
    }
    if free.len() > 1 && worth(free[0]).1 != worth(free[free.len() - 1]).1 {
        cover("a nogood that takes part kept before one that does not");
    }
    free.truncate(cut);
    let kept: Vec<usize> = (0..n).filter(|i| needed(*i) || free.contains(i)).collect();
    let mut expected = before.clone();
    expected.learned = kept.iter().map(|&i| before.learned[i].clone()).collect();
    expected.learned_lbd = kept.iter().map(|&i| before.learned_lbd[i]).collect();
    expected.learned_activity = kept.iter().map(|&i| times(i) / 2).collect();
    expected.learned_flags = kept.iter().map(|&i| before.learned_flags[i] & !flag::FOREIGN).collect();
    expected.learned_watch = kept.iter().map(|&i| before.learned_watch[i]).collect();
    expected.learned_origin = kept.iter().map(|&i| before.learned_origin[i]).collect();
    expected.words.learned = kept.len() as u32;
    expected.words.learned_lits = expected.learned.iter().map(|l| l.len() as u32).sum();
    let new_index = |i: &u32| kept.iter().position(|&k| k == *i as usize).map(|i| i as u32);
    expected.late = before.late.iter().filter_map(new_index).collect();
    let w = &mut expected.words;
    w.seen = 0;
    w.counts.deleted += (n - kept.len()) as u64;
    w.keep = before.words.keep + before.words.keep.div_ceil(20).min(100);
    w.learned_limit = w.learned + w.keep;
    for lit in &before.trail {
        let (reason, sign) = before.claim(lit.var());
        if let Some(new) = kept.iter().position(|&i| id(i) == reason) {
            cover(if kept[new] == new { "a reason kept in place" } else { "a reason renamed" });
            expected.reason[lit.var().0 as usize] = id(new) << 1 | sign as u32;
        }
    }
    assert_eq!(&expected, after);
}
