//! What the kernels of PropagateAndCheck must do: a scan of all nogoods, without watches or maps.

use super::cover;
use super::snapshot::Snapshot;
use solver_gpu::layout::{FIRST_LEARNED, MAX_CONFLICTS, UNCLAIMED};
use solver_gpu::lit::unpack;
use solver_gpu::watches::INPUT;
use solver_gpu::{Lit, Search, Var};
use std::collections::BTreeSet;
use yasmin_device::{DeviceKind, Kernel};

/// Ids of the nogoods that the kernel must look at.
fn considered(kernel: Kernel, v: &Search, before: &Snapshot) -> Vec<u32> {
    let frontier: BTreeSet<Lit> = before.trail
        [before.words.visited as usize..before.words.committed as usize]
        .iter()
        .copied()
        .collect();
    let class = |from: u32, to: u32| -> Vec<u32> {
        (from..to).filter(|&id| before.nogood(id).iter().any(|l| frontier.contains(l))).collect()
    };
    // Any nogood that belongs into lists may be noticed.
    let listed = || before.numbers().map(|i| id_of(v, i)).collect();
    match kernel {
        Kernel::InitialPropagation => (0..v.problem.units).collect(),
        Kernel::PropagateBinary => class(v.problem.units, v.problem.binary_end),
        Kernel::PropagateTernary => class(v.problem.binary_end, v.problem.ternary_end),
        Kernel::PropagateLong => class(v.problem.ternary_end, v.problem.nogoods),
        _ => listed(),
    }
}

/// The id of the nogood with a number in lists.
fn id_of(v: &Search, number: u32) -> u32 {
    match number & INPUT {
        0 => FIRST_LEARNED + number,
        _ => v.problem.ternary_end + (number & !INPUT),
    }
}

/// Whether a round must notice what follows from a nogood: of those in lists these are the ones of which a
/// watched literal is of the frontier and, if the lists led to no conflict, the fresh ones and the late ones
/// after a jump.
fn must_be_noticed(v: &Search, before: &Snapshot, after: &Snapshot, id: u32) -> bool {
    let number = match id.checked_sub(FIRST_LEARNED) {
        Some(learned) => learned,
        None if before.listed > 0 && id >= v.problem.ternary_end => INPUT | (id - v.problem.ternary_end),
        None => return true,
    };
    let (a, b) = before.watched(number);
    let w = &before.words;
    let frontier = &before.trail[w.visited as usize..w.committed as usize];
    let is_fresh = number & INPUT == 0 && number >= w.seen;
    let looks = after.words.conflicts == 0;
    looks && (w.unlisted == 1 || is_fresh || (w.look_late == 1 && before.late.contains(&number)))
        || frontier.contains(&a)
        || frontier.contains(&b)
}

/// What follows from learned nogoods, by their length.
const LEARNED_REASONS: [&str; 4] = [
    "a learned unit's literal",
    "a learned binary is unit",
    "a learned ternary is unit",
    "a learned long one is unit",
];

/// Checks one launch.
pub fn check(kernel: Kernel, v: &Search, facts: &super::Facts, before: &Snapshot, after: &Snapshot) {
    if before.words.conflicts > 0 {
        assert_eq!(before, after, "{kernel:?} does nothing once there is a conflict");
        return;
    }
    let ids = considered(kernel, v, before);
    let proposed = &after.trail[before.trail.len()..];
    for &lit in proposed {
        let (id, sign) = after.claim(lit.var());
        assert_eq!(before.claim(lit.var()).0, UNCLAIMED >> 1, "{lit:?} was claimed before");
        assert_eq!(sign, lit.is_false_sign());
        assert!(ids.contains(&id), "{lit:?} is proposed because of {id}, which is not of the class");
        assert_eq!(before.unit(&before.nogood(id)), Some(!lit), "nogood {id} does not give {lit:?}");
        if id >= FIRST_LEARNED {
            cover(LEARNED_REASONS[before.nogood(id).len().min(4) - 1]);
        }
    }
    let variables: BTreeSet<Var> = proposed.iter().map(|l| l.var()).collect();
    assert_eq!(variables.len(), proposed.len(), "proposed once each");
    // A nogood may be visited for either watched literal, and refused both times.
    let distinct: BTreeSet<&u32> = after.conflict.iter().collect();
    assert!(
        matches!(kernel, Kernel::PropagateLong | Kernel::PropagateLearned)
            || distinct.len() == after.conflict.len(),
        "{:?}",
        after.conflict
    );
    for &id in &after.conflict {
        let nogood = before.nogood(id);
        let refused = before.unit(&nogood).is_some_and(|open| {
            let (reason, sign) = after.claim(open.var());
            reason != UNCLAIMED >> 1 && sign == open.is_false_sign()
        });
        cover(if refused { "a claim refused" } else { "a violated nogood" });
        assert!(ids.contains(&id) && (before.is_violated(&nogood) || refused), "{id} is no conflict");
    }
    // Where threads run side by side, those that come late to a conflict leave the rest alone.
    if after.words.conflicts == 0 || facts.device == DeviceKind::Cpu {
        let reported = |id: u32| distinct.contains(&id) || after.words.conflicts > MAX_CONFLICTS;
        for &id in ids.iter().filter(|&&id| must_be_noticed(v, before, after, id)) {
            let nogood = before.nogood(id);
            assert!(!before.is_violated(&nogood) || reported(id), "the conflict {id} was missed");
            if let Some(open) = before.unit(&nogood) {
                let (reason, sign) = after.claim(open.var());
                assert!(
                    reason != UNCLAIMED >> 1 && (sign != open.is_false_sign() || reported(id)),
                    "unit nogood {id} was missed"
                );
            }
        }
    }
    if after.words.conflicts > MAX_CONFLICTS {
        cover("more conflicts than are kept");
    }
    for (kind, pairs, first) in
        [("input", &after.watch, v.problem.ternary_end), ("learned", &after.learned_watch, FIRST_LEARNED)]
    {
        for (i, &pair) in pairs.iter().enumerate() {
            let (a, b) = unpack(pair);
            let nogood = before.nogood(first + i as u32);
            assert!(
                nogood.contains(&a) && nogood.contains(&b) && (a != b || nogood.len() == 1),
                "{kind} {i}"
            );
        }
    }
    if kernel == Kernel::PropagateLong && after.words.conflicts == 0 && before.words.exhausted == 0 {
        for &pair in &after.watch {
            let (a, b) = unpack(pair);
            for (held, other) in [(a, b), (b, a)] {
                let level = before.level(other);
                let falsified = level > 0 && !before.holds(other) && level <= before.level(held);
                let claimed = after.claim(other.var()).0 != UNCLAIMED >> 1 && before.is_open(other);
                assert!(
                    !before.holds(held) || falsified || claimed,
                    "watches {held:?} of level {}, {other:?} of level {}, at level {}; visited {} of {}",
                    before.level(held),
                    before.value[other.var().0 as usize],
                    before.words.level,
                    before.words.visited,
                    before.words.committed
                );
            }
        }
    }
    let pairs = before.watch.iter().zip(&after.watch);
    let learned = before.learned_watch.iter().zip(&after.learned_watch);
    for (old, new) in pairs.chain(learned).filter(|(old, new)| old != new) {
        let ((a, b), (c, d)) = (unpack(*old), unpack(*new));
        let kept = [a, b].iter().filter(|l| [c, d].contains(l)).count();
        if before.holds(a) && before.holds(b) && kept == 1 {
            let (stays, goes) = if [c, d].contains(&a) { (a, b) } else { (b, a) };
            assert!(before.level(stays) >= before.level(goes), "{stays:?} is undone before {goes:?}");
        }
        cover(match (kept, before.holds(a) && before.holds(b)) {
            (0, _) => "both watches moved",
            (_, true) => "one watch of two that hold moved",
            _ => "one watch moved",
        });
    }
    // Nothing else changed.
    let mut expected = before.clone();
    expected.trail = after.trail.clone();
    expected.words.trail_len = after.trail.len() as u32;
    expected.words.conflicts = after.words.conflicts;
    expected.conflict = after.conflict.clone();
    for &lit in proposed {
        expected.reason[lit.var().0 as usize] = after.reason[lit.var().0 as usize];
    }
    if kernel == Kernel::PropagateLong || kernel == Kernel::PropagateLearned && before.listed > 0 {
        expected.watch = after.watch.clone();
    }
    if kernel == Kernel::PropagateLearned {
        after.check_lists();
        let frontier = &before.trail[before.words.visited as usize..before.words.committed as usize];
        if frontier.iter().any(|lit| before.watch_lists[lit.index()].len() > 32) {
            cover("a list of several parts");
        }
        expected.learned_watch = after.learned_watch.clone();
        expected.watch_lists = after.watch_lists.clone();
        expected.words.unlisted = after.words.unlisted;
        for &i in before.late.difference(&after.late) {
            let (a, b) = unpack(after.learned_watch[i as usize]);
            assert!(before.words.look_late == 1 && a != b, "{i} was not looked at, or is a unit");
            for (held, other) in [(a, b), (b, a)] {
                let level = before.level(other);
                let is_falsified = level > 0 && !before.holds(other) && level <= before.level(held);
                assert!(!before.holds(held) || is_falsified, "{i} is still late");
            }
            cover("a nogood late no more");
            expected.late.remove(&i);
        }
        if after.words.conflicts == 0 {
            (expected.words.seen, expected.words.look_late) = (before.words.learned, 0);
        }
        for (lit, list) in after.watch_lists.iter().enumerate() {
            for i in list.difference(&before.watch_lists[lit]) {
                let (a, b) = after.watched(*i);
                assert!(
                    a.index() == lit || b.index() == lit,
                    "{i} is in the list of a literal it never watched"
                );
            }
        }
    }
    assert_eq!(&expected, after, "{kernel:?}");
}
