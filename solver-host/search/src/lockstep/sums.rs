//! What the kernels about sums must do: each sum added up anew, its counters compared as the digits of a
//! number.

use super::cover;
use super::snapshot::Snapshot;
use solver_gpu::layout::BETTER;
use solver_gpu::layout::{FIRST_SUM, MAX_CONFLICTS, UNCLAIMED};
use solver_gpu::{Lit, Search};
use std::collections::BTreeMap;

/// Checks one launch of `propagate_sums`.
pub fn propagate(before: &Snapshot, after: &Snapshot) {
    assert_eq!(before.held, before.counted(), "what is counted");
    // What must not hold, and what is violated, as far as the queue says.
    let mut refuted: BTreeMap<Lit, Vec<u32>> = BTreeMap::new();
    let mut violated = Vec::new();
    for &s in &before.queue {
        let sum = &before.sums[s as usize];
        let holds = sum.condition == Lit::TRUE || before.holds(sum.condition);
        let is_open = !holds && before.is_open(sum.condition);
        let is_exceeded = before.is_exceeded(sum, u32::MAX, 0);
        if holds && is_exceeded {
            violated.push(FIRST_SUM + s);
            cover("a sum violated");
        } else if is_open && is_exceeded {
            refuted.entry(sum.condition).or_default().push(FIRST_SUM + s);
            cover("a sum's condition refuted");
        } else if holds {
            let slack = |c: u32| before.most[c as usize] - before.held[c as usize];
            for &(lit, weight, counter) in &sum.items {
                if weight > 0 && before.is_open(lit) && before.is_exceeded(sum, counter, weight) {
                    refuted.entry(lit).or_default().push(FIRST_SUM + s);
                    cover("an item of a sum refuted");
                    if slack(counter) == weight {
                        cover("counters that hand over");
                    }
                }
            }
        }
    }
    let mut expected = before.clone();
    let proposed = &after.trail[before.trail.len()..];
    for &lit in proposed {
        let (id, sign) = after.claim(lit.var());
        assert_eq!(before.claim(lit.var()).0, UNCLAIMED >> 1, "{lit:?} was claimed before");
        assert_eq!(sign, lit.is_false_sign());
        assert!(refuted.get(&!lit).is_some_and(|sums| sums.contains(&id)), "{lit:?} because of {id}");
        expected.reason[lit.var().0 as usize] = after.reason[lit.var().0 as usize];
    }
    let reported = &after.conflict[before.conflict.len()..];
    let refused = |lit: Lit| {
        let (reason, sign) = after.claim(lit.var());
        reason != UNCLAIMED >> 1 && sign == lit.is_false_sign()
    };
    for id in reported {
        let claim_refused = refuted.iter().any(|(&lit, sums)| sums.contains(id) && refused(lit));
        if claim_refused && !violated.contains(id) {
            cover("a claim refused to a sum");
        }
        assert!(violated.contains(id) || claim_refused, "{id} is no conflict");
    }
    let is_reported = |id: &u32| reported.contains(id) || after.words.conflicts > MAX_CONFLICTS;
    assert!(violated.iter().all(is_reported), "a conflict was missed");
    for (&lit, sums) in &refuted {
        assert!(after.claim(lit.var()).0 != UNCLAIMED >> 1, "{lit:?} was missed");
        assert!(!refused(lit) || sums.iter().all(is_reported), "{lit:?} was claimed, and nobody minds");
    }
    expected.trail = after.trail.clone();
    expected.words.trail_len = after.trail.len() as u32;
    expected.words.conflicts = after.words.conflicts;
    expected.conflict = after.conflict.clone();
    expected.queue.clear();
    assert_eq!(&expected, after);
}

/// Checks one launch of `tighten`.
pub fn tighten(v: &Search, before: &Snapshot, after: &Snapshot) {
    let goal = before.sums[v.settings.goal as usize].clone();
    let (first, last) = (goal.counters.start as usize, goal.counters.end as usize - 1);
    let mut expected = before.clone();
    if v.launch.argument == BETTER {
        cover("a bound that falls");
        if first < last {
            cover("a goal of several counters");
        }
        expected.most[first..=last].copy_from_slice(&before.held[first..=last]);
        expected.most[last] -= 1;
    } else {
        let mut held = 0;
        for item in &mut expected.sums[v.settings.goal as usize].items {
            if item.1 > 0 && !before.holds(item.0) {
                item.1 = 0;
                cover("something taken out of a goal");
            }
            held += item.1;
        }
        (expected.held[first], expected.most[first]) = (held, held - 1);
        assert_eq!(expected.held, expected.counted());
    }
    if v.launch.argument != BETTER && expected.held[first] == 0 {
        expected.words.exhausted = 1;
        cover("nothing left to ask");
    } else {
        expected.words.conflicts += 1;
        expected.conflict.push(FIRST_SUM + v.settings.goal);
    }
    assert_eq!(&expected, after);
}
