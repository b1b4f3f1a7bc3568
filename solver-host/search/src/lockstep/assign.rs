//! What commit, decide, complete, backjump and rephase must do.

use super::cover;
use super::snapshot::Snapshot;
use super::words::Words;
use solver_gpu::kernels::backjump::{AGAIN, ANSWER, LEARNED, RESTART};
use solver_gpu::kernels::rephase::phase_mode;
use solver_gpu::layout::{asks, restart_code, Restarts};
use solver_gpu::layout::{ALL_DECISIONS, DECISION, NONE, UNCLAIMED};
use solver_gpu::{Lit, Search, Var};
use std::collections::BTreeSet;
use yasmin_device::Kernel;
use yasmin_ground::program::Modifier;

/// Checks one launch.
pub fn check(kernel: Kernel, v: &Search, facts: &super::Facts, before: &Snapshot, after: &Snapshot) {
    match kernel {
        Kernel::Commit => commit(v, before, after),
        Kernel::Decide => decide(v, facts, before, after),
        Kernel::Complete => complete(v, before, after),
        Kernel::Rephase => rephase(v, before, after),
        _ => backjump(v, before, after),
    }
}

fn commit(v: &Search, before: &Snapshot, after: &Snapshot) {
    let (from, to, level) = (before.words.committed, before.words.trail_len, before.words.level);
    let mut expected = before.clone();
    for at in from..to {
        let lit = before.trail[at as usize];
        expected.value[lit.var().0 as usize] =
            if lit.is_false_sign() { -(level as i32) } else { level as i32 };
        expected.position[lit.var().0 as usize] = at;
        expected.round_start[at as usize] = from;
        if v.settings.track_deps == 1 {
            let depends: BTreeSet<u32> = match before.claim(lit.var()).0 {
                DECISION => [level].into(),
                ALL_DECISIONS => (2..=level).collect(),
                id => {
                    let nogood = before.explanation(id, from, lit);
                    let others = nogood.iter().filter(|l| l.var() != lit.var());
                    others.flat_map(|&l| before.depends(l)).collect()
                }
            };
            assert_eq!(after.depends(lit), depends, "what {lit:?} depends on");
            let row = lit.var().0 as usize * before.deps_words;
            let words = bitmap(&depends, level);
            expected.deps[row..row + words.len()].copy_from_slice(&words);
            match before.claim(lit.var()).0 {
                DECISION if level == 33 => cover("the last decision of a bitmap's word"),
                DECISION if level == 34 => cover("the first decision of a bitmap's second word"),
                ALL_DECISIONS if words.len() > 1 => cover("all decisions fill several words"),
                DECISION | ALL_DECISIONS => {}
                id if before.explanation(id, from, lit).len() > 96 => cover("a reason longer than a block"),
                id if before.explanation(id, from, lit).len() > 32 => cover("a reason longer than a warp"),
                id if before.explanation(id, from, lit).len() <= words.len() => {
                    cover("a bitmap longer than its reason")
                }
                _ if words.len() > 1 => cover("a bitmap of several words"),
                _ => {}
            }
        }
    }
    expected.held = expected.counted();
    for (i, sum) in before.sums.iter().enumerate() {
        // An item of weight 0 was taken out.
        let stands_in = |lit: &Lit| {
            sum.condition == *lit || sum.items.iter().any(|&(item, weight, _)| item == *lit && weight > 0)
        };
        if before.trail[from as usize..to as usize].iter().any(stands_in) {
            expected.queue.insert(i as u32);
        }
    }
    expected.words.visited = from;
    expected.words.committed = to;
    expected.words.counts.propagations += (to - from) as u64;
    expected.words.counts.rounds += (to > from) as u64;
    assert_eq!(&expected, after);
}

/// The words of a row of `deps` for a literal of `level`: all of them, and no bit beside those of the set.
fn bitmap(levels: &BTreeSet<u32>, level: u32) -> Vec<u32> {
    let mut words = vec![0; (level as usize - 1).div_ceil(32)];
    for l in levels {
        words[(*l as usize - 2) / 32] |= 1 << ((l - 2) % 32);
    }
    words
}

fn decide(v: &Search, facts: &super::Facts, before: &Snapshot, after: &Snapshot) {
    // The others are few, and all are looked at.
    if v.own.chunk_best.len() > 1 {
        cover("a choice among chunks");
        if v.problem.advised > 0 {
            cover("a choice among chunks with directives");
        }
    }
    let mut best: Option<((bool, u64), Lit)> = None;
    for (i, &(head, positive, body)) in facts.candidates.iter().enumerate() {
        let applicable = before.is_open(Lit::t(head))
            && before.is_open(body)
            && (positive == Lit::TRUE || before.holds(positive));
        let rank = |p: Var| f32::from_bits(before.rank[p.0 as usize]);
        let rank = 0.5 * rank(head) + 0.5 * rank(body.var());
        let advice = advice(v, facts, before, i as u32);
        let applicable = applicable && advice.as_ref().is_none_or(|advice| advice.any);
        let rank = advised_rank(v, advice.as_ref(), rank);
        let key = (rank as u64) << 32 | (u32::MAX - (i as u32 ^ v.settings.seed & 0x3fff_ffff)) as u64;
        let key = ((i as u32) < v.problem.first_candidates, key);
        if applicable && best.is_none_or(|(k, _)| key > k) {
            let phase = before.saved_phase[body.var().0 as usize];
            let longest = before.longest.get(head.0 as usize).copied().unwrap_or(0);
            let lit = match phase {
                _ if advice.as_ref().is_some_and(|advice| advice.sign != 0) => {
                    cover("a choice as a directive says");
                    Lit::new(head, advice.expect("just seen").sign > 0)
                }
                _ if head == body.var()
                    && before.words.counts.conflicts < v.settings.prefer_until as u64
                    && facts.preferred.get(head.0 as usize).is_some_and(|&p| p > 0) =>
                {
                    cover("a choice as costs are less");
                    Lit::new(head, facts.preferred[head.0 as usize] == 1)
                }
                _ if head == body.var() && longest > 0 => {
                    cover("a choice as in the longest assignment");
                    Lit::new(head, longest == 1)
                }
                1 | 2 if head == body.var() => {
                    cover("a choice as it was before");
                    Lit::new(head, phase == 1)
                }
                _ if head == body.var() && before.sign_score[head.0 as usize] != 0 => {
                    cover("a choice against most learned nogoods");
                    // In more nogoods as true: then false.
                    Lit::new(head, (before.sign_score[head.0 as usize] as i32) < 0)
                }
                _ => body,
            };
            best = Some((key, lit));
        }
    }
    let mut expected = before.clone();
    expected.words.no_candidate = best.is_none() as u32;
    if let Some(((is_first, _), lit)) = best {
        let level = before.words.level + 1;
        expected.words.level = level;
        expected.words.counts.decisions += 1;
        if is_first {
            expected.words.projected = level;
        }
        expected.words.counts.deepest_level = before.words.counts.deepest_level.max(level as u64);
        expected.trail_at[level as usize] = before.words.trail_len;
        expected.decision_at[level as usize] = lit;
        expected.reason[lit.var().0 as usize] = DECISION << 1 | lit.is_false_sign() as u32;
        expected.trail.push(lit);
        expected.words.trail_len += 1;
    }
    assert_eq!(&expected, after);
}

/// What directives say of an advised candidate.
pub struct Advice {
    any: bool,
    level: i32,
    sign: i32,
    factor: i32,
}

/// What directives say of candidate `i`, if it is advised.
pub fn advice(v: &Search, facts: &super::Facts, s: &Snapshot, i: u32) -> Option<Advice> {
    let row = i.checked_sub(v.problem.first_candidates).filter(|&row| row < v.problem.advised)?;
    let in_force: Vec<_> = facts
        .directives
        .iter()
        .filter(|d| d.candidate == row && (d.condition == Lit::TRUE || s.holds(d.condition)))
        .collect();
    // `max_by_key` takes the last of equals, as it should be.
    let best = |kinds: &[Modifier]| {
        in_force.iter().filter(|d| kinds.contains(&d.modifier)).max_by_key(|d| d.priority).copied()
    };
    Some(Advice {
        any: !in_force.is_empty(),
        level: best(&[Modifier::Level, Modifier::True, Modifier::False]).map_or(0, |d| d.bias),
        sign: best(&[Modifier::Sign, Modifier::True, Modifier::False]).map_or(0, |d| match d.modifier {
            Modifier::True => 1,
            Modifier::False => -1,
            _ => d.bias,
        }),
        factor: best(&[Modifier::Factor]).map_or(1, |d| d.bias),
    })
}

/// The high half of the key of a candidate that no projection makes first.
pub fn advised_rank(v: &Search, advice: Option<&Advice>, rank: f32) -> u32 {
    if v.problem.advised == 0 {
        return rank.to_bits();
    }
    let (level, factor) = advice.map_or((0, 1), |a| (a.level, a.factor));
    let rank = rank * factor as f32;
    ((level.clamp(-256, 255) + 256) as u32) << 22 | if rank > 0.0 { rank.to_bits() >> 9 } else { 0 }
}

fn complete(v: &Search, before: &Snapshot, after: &Snapshot) {
    let mut expected = before.clone();
    if before.words.no_candidate == 1 {
        expected.words.counts.completions += 1;
        let open: BTreeSet<Lit> =
            (0..v.problem.atom_vars).map(|p| Lit::f(Var(p))).filter(|&l| before.is_open(l)).collect();
        let proposed = &after.trail[before.trail.len()..];
        assert_eq!(proposed.iter().copied().collect::<BTreeSet<_>>(), open);
        assert_eq!(proposed.len(), open.len());
        cover("a completion");
        expected.trail = after.trail.clone();
        expected.words.trail_len += open.len() as u32;
        for lit in open {
            expected.reason[lit.var().0 as usize] = ALL_DECISIONS << 1 | 1;
        }
    }
    assert_eq!(&expected, after);
}

fn backjump(v: &Search, before: &Snapshot, after: &Snapshot) {
    let level = before.words.level;
    let mut expected = before.clone();
    let w = &mut expected.words;
    let last = if v.problem.project == 1 { w.projected } else { level };
    let (target, flip) = match v.launch.argument {
        RESTART | AGAIN => (w.backtrack_level, 0),
        ANSWER if last == 1 => {
            w.exhausted = 1;
            (1, 0)
        }
        ANSWER => (last - 1, last),
        _ => (w.target, w.flip),
    };
    match v.launch.argument {
        RESTART if target > 1 => cover("a restart within an enumeration"),
        RESTART => cover("a restart"),
        ANSWER if flip == 0 => cover("an answer set without decisions"),
        ANSWER if last < level => cover("a projected decision flipped below others"),
        ANSWER => cover("a decision flipped after an answer set"),
        _ if flip > 0 => cover("a decision flipped after a conflict"),
        _ => {}
    }
    if v.launch.argument == RESTART {
        restarted(&v.settings.restarts, w);
    }
    assert!(target <= level && target >= 1 && (flip == 0 || flip == target + 1));
    if v.launch.argument == LEARNED {
        let held = before.trail_at[level as usize];
        if held > w.longest_len {
            cover("a longer assignment without a conflict");
            w.longest_len = held;
            for lit in &before.trail[..held as usize] {
                expected.longest[lit.var().0 as usize] = 1 + lit.is_false_sign() as u32;
            }
        }
    }
    w.level = target;
    w.conflicts = 0;
    w.no_candidate = 0;
    w.placed = 0;
    w.projected = w.projected.min(target);
    w.look_late = 1;
    expected.queue = (v.settings.goal != NONE).then_some(v.settings.goal).into_iter().collect();
    expected.conflict.clear();
    for lit in &before.trail {
        let is_undone = before.value[lit.var().0 as usize] == 0 || before.level(*lit) > target;
        let far = v.settings.save_progress;
        let is_far = far > 0 && before.words.level > target && before.words.level - target > far;
        if !is_far {
            cover("a jump that saves no phases");
        } else if is_undone {
            expected.saved_phase[lit.var().0 as usize] = 1 + lit.is_false_sign() as u32;
        }
    }
    for (p, value) in expected.value.iter_mut().enumerate() {
        if value.unsigned_abs() > target {
            (*value, expected.reason[p]) = (0, UNCLAIMED);
        }
    }
    expected.held = expected.counted();
    let keep = expected.trail.iter().filter(|l| expected.value[l.var().0 as usize] != 0).count();
    let undone = expected.trail.split_off(keep);
    assert!(undone.iter().all(|l| expected.value[l.var().0 as usize] == 0), "the trail is ordered by level");
    let w = &mut expected.words;
    (w.trail_len, w.committed, w.visited) = (keep as u32, keep as u32, keep as u32);
    w.checked = w.checked.min(keep as u32);
    w.set_len = 0;
    if v.problem.arcs > 0 {
        w.bounded = w.bounded.min(keep as u32 + 1);
    }
    if v.settings.asks != asks::NEVER {
        w.asked = w.asked.min(keep as u64);
    }
    if flip > 0 {
        w.backtrack_level = target;
        w.flips += 1;
        w.trail_len += 1;
        let lit = !before.decision_at[flip as usize];
        expected.reason[lit.var().0 as usize] = ALL_DECISIONS << 1 | lit.is_false_sign() as u32;
        expected.trail.push(lit);
    }
    assert_eq!(&expected, after);
}

/// Counts a restart, if one was due, and says when the next one is.
fn restarted(restarts: &Restarts, w: &mut Words) {
    let is_poor = w.lbd_recent as f64 * restarts.factor > w.lbd_ever as f64;
    if w.counts.conflicts < w.next_restart || (restarts.kind == restart_code::QUALITY && !is_poor) {
        assert!(
            w.learned > w.learned_limit || w.counts.conflicts >= w.rephase_at,
            "nothing to start over for"
        );
        return cover(match w.learned > w.learned_limit {
            true => "nogoods deleted before a restart was due",
            false => "a turn of phases over before a restart was due",
        });
    }
    w.counts.restarts += 1;
    let base = restarts.base as u64;
    w.next_restart = w.counts.conflicts
        + match restarts.kind {
            restart_code::LUBY => base * luby(w.counts.restarts + 1),
            restart_code::GEOMETRIC => (base as f64 * restarts.factor.powi(w.counts.restarts as i32)) as u64,
            _ => base,
        };
}

fn rephase(v: &Search, before: &Snapshot, after: &Snapshot) {
    let mut expected = before.clone();
    let w = &mut expected.words;
    w.longest_len = 0;
    let phase = &mut expected.saved_phase;
    match before.words.phase_mode {
        phase_mode::SAVED => {
            cover("phases put aside");
            w.phase_mode = phase_mode::FRESH;
            expected.kept_phase = std::mem::replace(phase, vec![0; phase.len()]);
        }
        phase_mode::FRESH => {
            cover("phases of the longest assignment");
            w.phase_mode = phase_mode::LONGEST;
            let signs = phase.iter_mut().zip(&before.longest);
            signs.filter(|(_, longest)| **longest > 0).for_each(|(phase, longest)| *phase = *longest);
        }
        _ => {
            cover("phases taken up again");
            w.phase_mode = phase_mode::SAVED;
            w.longest_len = NONE;
            w.rephase_interval += v.settings.rephase as u64;
            phase.clone_from(&before.kept_phase);
        }
    }
    w.rephase_at =
        w.counts.conflicts + w.rephase_interval * if w.phase_mode == phase_mode::SAVED { 2 } else { 1 };
    expected.longest.fill(0);
    // There may be room for more variables than there are.
    let vars = v.problem.vars as usize;
    let pairs = [
        (&mut expected.saved_phase, &before.saved_phase),
        (&mut expected.kept_phase, &before.kept_phase),
        (&mut expected.longest, &before.longest),
    ];
    pairs.into_iter().for_each(|(phases, before)| phases[vars..].copy_from_slice(&before[vars..]));
    assert_eq!(&expected, after);
}

/// Number `i` of Luby's sequence, as it is defined.
fn luby(i: u64) -> u64 {
    match (i + 1).is_power_of_two() {
        true => i.div_ceil(2),
        false => luby(i + 1 - (i + 1).next_power_of_two() / 2),
    }
}
