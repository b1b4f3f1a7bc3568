//! What the kernel `place` must do: decide on the next assumption, or find the core.

use super::cover;
use super::snapshot::Snapshot;
use solver_gpu::layout::{ALL_DECISIONS, DECISION};
use solver_gpu::marks::LAST_STAMP;
use solver_gpu::{Lit, Search};
use std::collections::BTreeSet;

/// Checks one launch.
pub fn check(v: &Search, before: &Snapshot, after: &Snapshot) {
    let mut expected = before.clone();
    let from = before.words.placed as usize;
    let next = before.cube[from..].iter().position(|&lit| !before.holds(lit));
    let w = &mut expected.words;
    w.placed = next.map_or(before.cube.len(), |i| from + i + 1) as u32;
    match next.map(|i| before.cube[from + i]) {
        None => {
            cover("all assumptions hold");
            (w.root, w.backtrack_level) = (w.level, w.level);
        }
        Some(lit) if before.is_open(lit) => {
            cover("a decision on an assumption");
            w.level += 1;
            w.counts.deepest_level = w.counts.deepest_level.max(w.level as u64);
            w.trail_len += 1;
            expected.trail.push(lit);
            expected.trail_at[w.level as usize] = before.words.trail_len;
            expected.decision_at[w.level as usize] = lit;
            expected.reason[lit.var().0 as usize] = DECISION << 1 | lit.is_false_sign() as u32;
            if v.problem.project == 1 {
                w.projected = w.level;
            }
        }
        Some(lit) => {
            w.exhausted = 1;
            if v.settings.assumes == 1 {
                expected.core = core(before, lit);
                cover(if expected.core.len() > 1 { "a core of several" } else { "a core of one" });
                w.core_len = expected.core.len() as u32;
                w.counts.cores += 1;
                w.stamp = if w.stamp == LAST_STAMP { 1 } else { w.stamp + 1 };
                assert!(after.mark.iter().all(|&m| m != after.words.stamp), "a mark of the step to come");
                expected.mark = after.mark.clone();
            }
        }
    }
    assert_eq!(&expected, after);
}

/// The assumptions that refute `failed`, and `failed`: all decisions that the complement of `failed` follows
/// from.
fn core(s: &Snapshot, failed: Lit) -> BTreeSet<Lit> {
    let mut core = BTreeSet::from([failed]);
    let mut open: Vec<Lit> = vec![!failed];
    let mut seen: BTreeSet<Lit> = BTreeSet::new();
    while let Some(lit) = open.pop() {
        if s.level(lit) <= 1 || !seen.insert(lit) {
            continue;
        }
        match s.claim(lit.var()).0 {
            DECISION => {
                core.insert(lit);
            }
            ALL_DECISIONS => open.extend((2..=s.level(lit)).map(|level| s.decision_at[level as usize])),
            id => {
                let before = s.round_start[s.position[lit.var().0 as usize] as usize];
                let nogood = s.explanation(id, before, lit);
                open.extend(nogood.iter().copied().filter(|other| other.var() != lit.var()));
            }
        }
    }
    core
}
