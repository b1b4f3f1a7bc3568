//! Programs built for the cases that random ones do not come to (see [`super::cover`]).

use super::{chain, cover, options, pigeons, random_program, search, search_from};
use crate::{Decide, Heuristic, Learning, LoopCheck, Options, Restarts};
use solver_gpu::marks::LAST_STAMP;
use solver_gpu::Lit;
use yasmin_device::DeviceKind;
use yasmin_ground::program::{Program, ProgramBuilder};

/// Searches all of them.
pub fn searches(device: DeviceKind) {
    for learning in [Learning::Forward, Learning::Resolution] {
        let plain = Options { learning, restarts: Restarts::None, simplify: false, ..options(0, device) };
        assert_eq!(search(&not_minimal(), plain, 9), 2);
        assert_eq!(search(&sum_without_start(), plain, 9), 2);
        assert_eq!(search(&sum_against_rule(), Options { heuristic: Heuristic::Occurrences, ..plain }, 9), 2);
        // All at once, more than are kept and far more than slots.
        assert_eq!(search(&many_conflicts(160), Options { conflicts: 4, ..plain }, 9), 1);
        assert_eq!(search(&long_level(500), plain, 9), 1);
        let ranked = Options { heuristic: Heuristic::Occurrences, keep_learned: 2000, ..plain };
        assert_eq!(search(&held_up(3), ranked, 1000), 8 * 2);
        assert_eq!(search(&far_apart(40), Options { conflicts: 4, ..ranked }, 3), 3);
        assert_eq!(search(&late_loops(), ranked, 1000), 6);
        for threads_per_block in [64, 96] {
            let wide = Options { threads_per_block, ..plain };
            assert_eq!(search(&chain(120), Options { simplify: true, ..wide }, 2), 2);
            assert_eq!(search(&long_reason(50), wide, 3), 3);
            assert_eq!(search(&long_reason(100), wide, 3), 3);
        }
        // As after millions of conflicts: stamps begin again where there are old marks, activities are scaled
        // down.
        let late = Options { heuristic: Heuristic::Activity, conflicts: 2, ..plain };
        let late = search_from(&pigeons(4, 3, 0), late, 1, |m| {
            m.state.stamp.store(LAST_STAMP - 2);
            m.state.bump.store((0.99 * 2f32.powi(100)).to_bits());
            let marks = vec![1; m.search.own.mark.len()];
            m.write(m.search.own.mark, &marks).expect("a working device");
        });
        assert_eq!(late, 0);
        // Learned nogoods are violated beside longer ones of the input.
        let mixed =
            Options { heuristic: Heuristic::Activity, conflicts: 16, seed: 2, keep_learned: 2000, ..plain };
        assert_eq!(search(&pigeons(6, 5, 0), mixed, 1), 0);
        assert_eq!(search(&pigeons(6, 5, 0), Options { seed: 3, ..mixed }, 1), 0);
        // So many conflicts that some literal is watched by more nogoods than a warp has lanes.
        if learning == Learning::Resolution && device != DeviceKind::Simt {
            assert_eq!(search(&pigeons(7, 6, 0), mixed, 1), 0);
        }
        // Turns that are long enough to decide by the longest assignment.
        let turning = Options { decide: Decide::Any, heuristic: Heuristic::Activity, rephase: 8, ..plain };
        assert_eq!(search(&pigeons(6, 5, 0), turning, 1), 0);
        // Nothing is kept that need not be.
        let few = Options { keep_learned: 1, restarts: Restarts::Luby(1), conflicts: 16, ..plain };
        assert_eq!(search(&pigeons(4, 4, 0), few, 1000), 24);
        search(&random_program(7), few, 100);
    }
}

/// Searches ladders, whose unfounded sets are large and have few external bodies.
pub fn ladders(device: DeviceKind, _: u64) {
    cover::begin();
    for (i, learning) in [Learning::Forward, Learning::Resolution].into_iter().enumerate() {
        let any = Options {
            learning,
            decide: Decide::Any,
            heuristic: Heuristic::Occurrences,
            loop_check: LoopCheck::Fixpoint,
            restarts: Restarts::None,
            simplify: false,
            ..options(i as u64, device)
        };
        for kind in [Ladder::Free, Ladder::LastNeeded, Ladder::WithSum] {
            assert_eq!(search(&ladder(40, kind), any, 3), 3);
        }
    }
    cover::report_only(cover::SETS);
}

/// What a [`ladder`] has besides its rungs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ladder {
    /// Nothing.
    Free,
    /// The last atom has to hold if the first is false.
    LastNeeded,
    /// A weight constraint on the loop.
    WithSum,
}

/// Builds programs over numbered atoms.
#[derive(Default)]
struct Rules(ProgramBuilder);

impl Rules {
    /// Atoms are numbers; a negative one stands for the default negation of its absolute value.
    fn rule(&mut self, head: Option<i64>, body: &[i64]) {
        let head = head.map(|a| self.0.atom(a as u64));
        let body: Vec<Lit> = body.iter().map(|&a| Lit::new(self.0.atom(a.unsigned_abs()), a > 0)).collect();
        self.0.rule(head, &body).expect("few");
    }

    /// A free choice between two atoms.
    fn pair(&mut self, a: i64, b: i64) {
        self.rule(Some(a), &[-b]);
        self.rule(Some(b), &[-a]);
    }

    /// Makes an atom occur more often, so that it is chosen earlier.
    fn rank(&mut self, atom: i64, times: i64) {
        for i in 0..times {
            self.rule(Some(10_000 + 100 * atom + i), &[atom]);
        }
    }
}

/// Choosing the first atom makes `n` atoms true at once, of which no two may be: `n * (n - 1) / 2` conflicts
/// in one round. Where threads run side by side those that come late report none, so there must be many for
/// each thread.
fn many_conflicts(n: i64) -> Program {
    let mut p = Rules::default();
    p.pair(1, 2);
    p.rank(1, 9);
    for i in 0..n {
        p.rule(Some(10 + i), &[1]);
    }
    for i in 0..n {
        (0..i).for_each(|j| p.rule(None, &[10 + i, 10 + j]));
    }
    p.0.build().expect("few")
}

/// Choosing the first atom leads to a conflict of two that follow from it, one after the other of two rounds
/// of `n` atoms each: most of the trail has nothing to do with it.
fn long_level(n: i64) -> Program {
    let mut p = Rules::default();
    p.pair(1, 2);
    p.rank(1, 9);
    p.rule(Some(3), &[1]);
    for i in 0..n {
        p.rule(Some(100 + i), &[3]);
        p.rule(Some(1000 + i), &[100]);
    }
    p.rule(Some(4), &[1000]);
    p.rule(None, &[3, 4]);
    p.0.build().expect("few")
}

/// `k` choices, and below them one whose second alternative leads to an atom that is never true: once it is
/// flipped, that is learned, and depends on nothing else. The jump may not go above what was flipped.
fn held_up(k: i64) -> Program {
    let mut p = Rules::default();
    for i in 0..k {
        p.pair(10 + 2 * i, 11 + 2 * i);
        p.rank(10 + 2 * i, 40);
        p.rank(11 + 2 * i, 40);
    }
    let (y, no_y, x, no_x) = (1, 2, 3, 4);
    p.pair(no_y, y);
    p.rank(no_y, 20);
    p.rule(Some(x), &[y, -no_x]);
    p.rule(Some(no_x), &[y, -x]);
    p.rank(x, 10);
    p.rule(Some(5), &[x]);
    p.rule(Some(6), &[x]);
    p.rule(None, &[5, 6]);
    p.0.build().expect("few")
}

/// `k` choices, and a last one that conflicts with each of the first three alone: several nogoods of the same
/// length, each of one early and one late decision, that is of bits in different words of a bitmap.
fn far_apart(k: i64) -> Program {
    let mut p = Rules::default();
    for i in 0..k {
        p.pair(10 + 2 * i, 11 + 2 * i);
        p.rank(10 + 2 * i, if i < 3 { 40 } else { 30 });
    }
    let (x, no_x) = (1, 2);
    p.pair(x, no_x);
    p.rank(x, 5);
    for i in 0..3 {
        let (a, b) = (3 + 2 * i, 4 + 2 * i);
        p.rule(Some(a), &[x, 10 + 2 * i]);
        p.rule(Some(b), &[x, 10 + 2 * i]);
        p.rule(None, &[a, b]);
    }
    p.0.build().expect("few")
}

/// Two loops that choices found or not, one of them wanted true before that is known, and two without any
/// foundation.
fn late_loops() -> Program {
    let mut p = Rules::default();
    for (a, b, choice, other) in [(1, 2, 3, 4), (5, 6, 7, 8)] {
        p.rule(Some(a), &[b]);
        p.rule(Some(b), &[a]);
        p.rule(Some(a), &[choice]);
        p.pair(other, choice);
        p.rank(other, 10);
    }
    for (a, b) in [(9, 10), (13, 14)] {
        p.rule(Some(a), &[b]);
        p.rule(Some(b), &[a]);
    }
    p.pair(11, 12);
    p.rank(11, 30);
    p.rule(None, &[-1, 11]);
    p.0.build().expect("few")
}

/// A ladder of `n` atoms that found each other unless the link between two is cut. Only a choice founds the
/// first of them, and the search decides first that it does not: all `n` are unfounded at once.
fn ladder(n: i64, kind: Ladder) -> Program {
    let mut p = Rules::default();
    let (without, start) = (1, 2);
    p.pair(without, start);
    p.rank(start, 90);
    p.rule(Some(100), &[start]);
    for i in 0..n - 1 {
        let (atom, next, cut, link) = (100 + i, 101 + i, 300 + i, 400 + i);
        p.pair(cut, link);
        p.rule(Some(next), &[atom, link]);
        p.rule(Some(atom), &[next, link]);
    }
    match kind {
        Ladder::Free => {}
        Ladder::LastNeeded => p.rule(None, &[-100, -(99 + n)]),
        Ladder::WithSum => {
            let items = [100, 105, 2].map(|a| (Lit::t(p.0.atom(a)), 1));
            let (sum, head) = (p.0.sum(2, items.to_vec()).expect("few"), p.0.atom(110));
            p.0.rule(Some(head), &[Lit::t(sum)]).expect("few");
        }
    }
    p.0.build().expect("few")
}

/// `n` choices of which the first alternatives, chosen first, may not all be taken.
fn long_reason(n: i64) -> Program {
    let mut p = Rules::default();
    for i in 0..n {
        p.pair(10 + 2 * i, 11 + 2 * i);
        p.rank(10 + 2 * i, 1);
    }
    let all: Vec<i64> = (0..n).map(|i| 10 + 2 * i).collect();
    p.rule(None, &all);
    p.0.build().expect("few")
}

/// `{p, q, t}` is supported and each of its atoms could be founded by `p | q`, but `{p}` is smaller. Only
/// without it is `c` needed.
fn not_minimal() -> Program {
    let mut b = ProgramBuilder::default();
    let [p, q, t, c] = [1, 2, 3, 4].map(|a| b.atom(a));
    b.disjunction(&[p, q], &[]).expect("few");
    for (head, body) in [(p, [q, t]), (q, [p, t]), (t, [p, q])] {
        b.rule(Some(head), &body.map(Lit::t)).expect("few");
    }
    b.choice(&[c], &[]).expect("few");
    b.rule(None, &[Lit::f(t), Lit::f(c)]).expect("few");
    b.build().expect("few")
}

/// `a :- 2 {b; c; d}.` where `b` and `d` need `a`: with or without `c`, there is no start. Only then is `e`
/// needed.
fn sum_without_start() -> Program {
    let mut builder = ProgramBuilder::default();
    let [a, b, c, d, e] = [1, 2, 3, 4, 5].map(|atom| builder.atom(atom));
    let sum = builder.sum(2, [b, c, d].map(|p| (Lit::t(p), 1)).to_vec()).expect("few");
    for (head, body) in [(a, sum), (b, a), (d, a)] {
        builder.rule(Some(head), &[Lit::t(body)]).expect("few");
    }
    builder.choice(&[c, e], &[]).expect("few");
    builder.rule(None, &[Lit::f(a), Lit::f(e)]).expect("few");
    builder.build().expect("few")
}

/// `{d; y; z}. x :- d.` and at most one of `d`, `x`, `y`: `d` makes `x` true and false in one round.
fn sum_against_rule() -> Program {
    let mut b = ProgramBuilder::default();
    let [d, x, y, z] = [1, 2, 3, 4].map(|a| b.atom(a));
    b.choice(&[d, y], &[]).expect("few");
    b.rule(Some(x), &[Lit::t(d)]).expect("few");
    b.rule(Some(x), &[Lit::t(z)]).expect("few");
    b.choice(&[z], &[Lit::t(d)]).expect("few");
    let sum = b.sum(2, [d, x, y].map(|p| (Lit::t(p), 1)).to_vec()).expect("few");
    b.rule(None, &[Lit::t(sum)]).expect("few");
    b.build().expect("few")
}
