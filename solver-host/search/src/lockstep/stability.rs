//! What the stability check must do: a naive fixpoint, and any loop nogood that is one.

use super::cover;
use super::snapshot::Snapshot;
use solver_gpu::activity::GLUE;
use solver_gpu::kernels::record_told::STAYS;
use solver_gpu::kernels::stability::REUSE;
use solver_gpu::layout::{Origin, FIRST_LEARNED};
use solver_gpu::lit::unpack;
use solver_gpu::marks::LAST_STAMP;
use solver_gpu::{Lit, Search, Var};
use std::collections::BTreeSet;
use yasmin_nogoods::Foundedness;

/// Checks one launch.
pub fn check(facts: &super::Facts, before: &Snapshot, after: &Snapshot) {
    let f = facts.foundedness.as_ref().expect("not tight");
    if is_used_again(before, after) {
        return check_next_of_set(f, before, after);
    }
    let falsified = |lit: Lit| is_falsified(before, lit);
    let founded = founded(f, before);
    let unfounded: BTreeSet<u32> =
        f.atoms.iter().copied().filter(|&p| !founded.contains(&p) && !falsified(Lit::t(Var(p)))).collect();
    let mut expected = before.clone();
    if before.words.set_len > 0 {
        let is_true = |p: &u32| before.holds(Lit::t(Var(*p)));
        cover(match unfounded.iter().any(is_true) {
            true => "a true atom ends the use of an unfounded set",
            false => "an unfounded set used up",
        });
        expected.words.set_len = 0;
    }
    expected.words.unfounded = !unfounded.is_empty() as u32;
    expected.words.counts.stability_checks += 1;
    if f.sums.is_empty() {
        expected.words.checked = before.words.committed;
    }
    expected.words.counts.unfounded_sets += !unfounded.is_empty() as u64;
    if let Some(lowest) = unfounded.iter().map(|&p| f.component[p as usize]).min() {
        if unfounded.iter().any(|&p| f.component[p as usize] != lowest) {
            cover("unfounded sets in several components");
        }
        let learned = after.learned.last().expect("a loop nogood").clone();
        let lits: BTreeSet<Lit> = learned.iter().copied().collect();
        assert_eq!(learned.len(), lits.len());
        let of_lowest = |p: &u32| unfounded.contains(p) && f.component[*p as usize] == lowest;
        let nogood = |p: Lit| {
            let set = closure(f, &unfounded, p.var().0, falsified);
            let (sure, mut lits): (BTreeSet<Lit>, BTreeSet<Lit>) =
                external(f, &set, falsified).into_iter().partition(|&lit| before.level(lit) == 1);
            let has_external = lits.iter().any(|&lit| lit != p);
            lits.insert(p);
            (set, lits, has_external, !sure.is_empty())
        };
        // With `x :- not p.` the literal `T p` is that of an external body as well, so any of the literals
        // may be the atom's.
        let (p, (set, _, has_external, has_sure)) = learned
            .iter()
            .filter(|p| !p.is_false_sign() && of_lowest(&p.var().0))
            .map(|&p| (p, nogood(p)))
            .find(|(_, (_, wanted, ..))| *wanted == lits)
            .unwrap_or_else(|| panic!("{learned:?} is no loop nogood"));
        assert!(
            before.holds(p)
                || unfounded.iter().filter(|p| of_lowest(p)).all(|&q| !before.holds(Lit::t(Var(q)))),
            "true atoms come first"
        );
        assert!(learned.iter().all(|&l| l == p || before.holds(l)), "external bodies are false");
        if unfounded.iter().any(|p| of_lowest(p) && !set.contains(p)) {
            cover("an unfounded set that another one does not need");
        }
        if set.len() > 1 {
            cover("an unfounded set of several atoms");
        }
        if has_sure {
            cover("an external body that is false for good");
        }
        if set.len() > REUSE as usize * lits.len() && before.is_open(p) {
            let w = &mut expected.words;
            (w.set_len, w.set_at, w.set_seen, w.set_lits) =
                (set.len() as u32, 0, w.committed, lits.len() as u32);
        }
        learned_last(&mut expected, before, after, learned, before.holds(p));
        let n = expected.learned[before.learned.len()].len();
        expected.slot_lits[..n].copy_from_slice(&after.slot_lits[..n]);
        expected.words.stamp = if before.words.stamp == LAST_STAMP { 1 } else { before.words.stamp + 1 };
        assert!(after.mark.iter().all(|&m| m != after.words.stamp), "a mark of the step to come");
        expected.mark = after.mark.clone();
        cover(if before.holds(p) { "a loop nogood violated" } else { "a loop nogood unit" });
        cover(if has_external { "a loop with external bodies" } else { "a loop without external bodies" });
    }
    assert_eq!(&expected, after);
}

/// Whether the check has taken the next atom of the last unfounded set and has looked at nothing else.
pub fn is_used_again(before: &Snapshot, after: &Snapshot) -> bool {
    before.words.set_len > 0
        && after.words.set_len == before.words.set_len
        && after.words.set_at > before.words.set_at
        && after.words.checked == before.words.checked
}

/// Checks one launch that has used the last unfounded set again. The set itself is not looked at: what is
/// learned has to be a loop nogood of some set.
fn check_next_of_set(f: &Foundedness, before: &Snapshot, after: &Snapshot) {
    cover("an unfounded set used again");
    let learned = after.learned.last().expect("a loop nogood").clone();
    let (&last, external) = learned.split_last().expect("the set's atom");
    assert!(!last.is_false_sign() && before.is_open(last), "an open atom");
    assert!(external.iter().all(|&lit| before.holds(lit)), "external bodies are false");
    let by_nogood = |lit: Lit| {
        lit != Lit::TRUE && (external.contains(&!lit) || before.level(lit) == 1 && !before.holds(lit))
    };
    let p = last.var().0;
    assert!(!founded_unless(f, by_nogood).contains(&p), "{learned:?} is no loop nogood");
    let founded = founded(f, before);
    let is_of_component = |q: &&u32| f.component[**q as usize] == f.component[p as usize];
    let is_true = |q: &u32| before.holds(Lit::t(Var(*q))) && !founded.contains(q);
    assert!(!f.atoms.iter().filter(is_of_component).any(is_true), "true atoms come first");
    let mut expected = before.clone();
    expected.words.unfounded = 1;
    expected.words.counts.stability_checks += 1;
    expected.words.counts.unfounded_sets += 1;
    // The order of the set is that in which threads have found it.
    (expected.words.set_at, expected.words.set_seen) = (after.words.set_at, before.words.committed);
    assert_eq!(learned.len(), before.words.set_lits as usize);
    learned_last(&mut expected, before, after, learned.clone(), false);
    expected.slot_lits[..learned.len()].copy_from_slice(&after.slot_lits[..learned.len()]);
    expected.words.stamp = if before.words.stamp == LAST_STAMP { 1 } else { before.words.stamp + 1 };
    expected.mark = after.mark.clone();
    assert_eq!(&expected, after);
}

/// Whether a literal does not hold and will not before something is undone.
pub fn is_falsified(s: &Snapshot, lit: Lit) -> bool {
    lit != Lit::TRUE && s.level(lit) > 0 && !s.holds(lit)
}

/// The atoms on positive loops that have a foundation: the least fixpoint of the rules and sums that are not
/// falsified.
pub fn founded(f: &Foundedness, s: &Snapshot) -> BTreeSet<u32> {
    founded_unless(f, |lit| is_falsified(s, lit))
}

/// The same, where `falsified` says which literals are.
fn founded_unless(f: &Foundedness, falsified: impl Fn(Lit) -> bool) -> BTreeSet<u32> {
    let mut founded: BTreeSet<u32> = BTreeSet::new();
    loop {
        let old = founded.len();
        for r in 0..f.head.len() {
            let from_founded = f.positive.row(r).iter().all(|p| founded.contains(p));
            if from_founded && !falsified(f.body[r]) && !falsified(Lit::t(Var(f.head[r]))) {
                founded.insert(f.head[r]);
            }
        }
        for sum in &f.sums {
            let counts = |(i, (lit, _)): &(usize, &(Lit, i64))| match *i < sum.inner as usize {
                true => founded.contains(&lit.var().0),
                false => !falsified(*lit),
            };
            let reached: i64 =
                sum.lits.iter().enumerate().filter(counts).map(|(_, (_, weight))| weight).sum();
            if reached >= sum.bound && !falsified(Lit::t(Var(sum.atom))) {
                founded.insert(sum.atom);
            }
        }
        if founded.len() == old {
            return founded;
        }
    }
}

/// The unfounded set of `p`: with an atom of it whatever unfounded atom of its component its rules and sums
/// could found it by.
fn closure(
    f: &Foundedness,
    unfounded: &BTreeSet<u32>,
    p: u32,
    falsified: impl Fn(Lit) -> bool,
) -> BTreeSet<u32> {
    let mut set = BTreeSet::from([p]);
    loop {
        let of_rules = (0..f.head.len())
            .filter(|&r| set.contains(&f.head[r]) && !falsified(f.body[r]))
            .flat_map(|r| f.positive.row(r).iter().copied());
        let of_sums = f
            .sums
            .iter()
            .filter(|sum| set.contains(&sum.atom))
            .flat_map(|sum| sum.lits[..sum.inner as usize].iter().map(|(lit, _)| lit.var().0));
        let needed: BTreeSet<u32> = of_rules.chain(of_sums).filter(|q| unfounded.contains(q)).collect();
        if needed.is_subset(&set) {
            return set;
        }
        set.extend(needed);
    }
}

/// What holds since the set has no foundation from outside.
fn external(f: &Foundedness, set: &BTreeSet<u32>, falsified: impl Fn(Lit) -> bool) -> BTreeSet<Lit> {
    let of_rules = (0..f.head.len())
        .filter(|&r| set.contains(&f.head[r]) && !f.positive.row(r).iter().any(|p| set.contains(p)))
        .map(|r| !f.body[r]);
    let of_sums = f
        .sums
        .iter()
        .filter(|sum| set.contains(&sum.atom))
        .flat_map(|sum| sum.lits.iter().map(|&(lit, _)| lit))
        .filter(|&lit| falsified(lit))
        .map(|lit| {
            cover("a loop nogood of a sum");
            !lit
        });
    of_rules.chain(of_sums).collect()
}

/// What learning a loop nogood changes, wherever it comes from.
fn learned_last(
    expected: &mut Snapshot,
    before: &Snapshot,
    after: &Snapshot,
    learned: Vec<Lit>,
    is_violated: bool,
) {
    let order = |l: Lit| match (before.is_open(l), before.holds(l)) {
        (true, _) => u32::MAX,
        (_, false) => u32::MAX - 1,
        (_, true) => before.level(l),
    };
    let mut levels: Vec<u32> = learned.iter().map(|&l| order(l)).collect();
    let last = levels.split_off(levels.len().saturating_sub(2));
    assert!(
        levels.iter().all(|l| last.iter().all(|k| l <= k)) && last.is_sorted(),
        "the last two are watched"
    );
    if is_violated {
        expected.conflict.push(FIRST_LEARNED + before.learned.len() as u32);
        expected.words.conflicts += 1;
    }
    let n = learned.len();
    let w = &mut expected.words;
    w.learned += 1;
    w.serials += 1;
    w.counts.learned += 1;
    w.learned_lits += n as u32;
    w.counts.learned_literals += n as u64;
    let (a, b) = unpack(after.learned_watch[before.learned.len()]);
    assert_eq!((a, b), (learned[n.saturating_sub(2)], learned[n - 1]), "watches");
    for lit in [a, b] {
        expected.watch_lists[lit.index()].insert(before.words.learned);
    }
    if after.words.unlisted == 1 {
        expected.words.unlisted = 1;
        expected.watch_lists = after.watch_lists.clone();
    }
    let level = |l: &Lit| if before.is_open(*l) { before.words.level } else { before.level(*l) };
    let levels: BTreeSet<u32> = learned.iter().map(level).filter(|&level| level > 1).collect();
    expected.learned_lbd.push(levels.len() as u32);
    expected.score_signs(&learned);
    expected.learned.push(learned);
    expected.learned_activity.push(1);
    expected.learned_flags.push(0);
    expected.learned_origin.push(Origin::new(0, before.words.serials));
    expected.learned_watch.push(after.learned_watch[before.learned.len()]);
}

/// Checks one launch of `record_told`.
pub fn record(v: &Search, before: &Snapshot, after: &Snapshot) {
    let (stays, n) = (v.launch.argument & STAYS != 0, (v.launch.argument & !STAYS) as usize);
    let told = after.learned.last().expect("a nogood").clone();
    let given: BTreeSet<Lit> = before.slot_lits[..n].iter().copied().collect();
    assert_eq!((told.iter().copied().collect::<BTreeSet<_>>(), told.len()), (given, n));
    let is_violated = before.is_violated(&told);
    let mut expected = before.clone();
    learned_last(&mut expected, before, after, told.clone(), is_violated);
    expected.words.set_len = 0;
    let lbd = expected.learned_lbd.last_mut().expect("a nogood");
    *lbd = if stays { (*lbd).min(GLUE) } else { *lbd };
    // Does a jump to some level leave the nogood unit or violated that is so now, or that was satisfied?
    let here = before.words.level;
    let falsified: Vec<u32> =
        told.iter().filter(|&&l| !before.is_open(l) && !before.holds(l)).map(|&l| before.level(l)).collect();
    let after_jump = |to: u32| {
        let holds = |l: &&Lit| before.holds(**l) && before.level(**l) <= to;
        let is_satisfied = falsified.iter().any(|&level| level <= to);
        !is_satisfied && told.iter().filter(holds).count() + 1 >= n
    };
    cover(match (is_violated, told.iter().filter(|&&l| before.is_open(l)).count(), falsified.len()) {
        (true, ..) => "a told nogood violated",
        (_, 1, 0) => "a told nogood unit",
        (_, _, 0) => "a told nogood open",
        _ => "a told nogood satisfied",
    });
    if (1..here).any(after_jump) {
        cover("a told nogood that a jump makes unit");
        expected.late.insert(before.learned.len() as u32);
    }
    if stays {
        cover("a told nogood that stays");
    }
    expected.slot_lits[..n].copy_from_slice(&after.slot_lits[..n]);
    expected.words.stamp = if before.words.stamp == LAST_STAMP { 1 } else { before.words.stamp + 1 };
    expected.mark = after.mark.clone();
    assert_eq!(&expected, after);
}
