//! The programs, goals and options that the tests search with.
//!
//! All are made from seeds, so that a failure can be repeated. Programs for rare cases are in
//! [`super::hard`].

use crate::goal::{Goal, Optimization, Projection, Reasoning};
use crate::{
    Check, Decide, Descent, Engine, Heuristic, Learning, LoopCheck, OptStrategy, Options, Preprocess,
    Restarts, SaveProgress,
};
use solver_gpu::hash::mix;
use solver_gpu::{Lit, Var};
use yasmin_device::DeviceKind;
use yasmin_ground::program::Modifier::{Factor, False, Init, Level, Sign, True};
use yasmin_ground::program::{Heuristic as Advise, Modifier, Output, Program, ProgramBuilder};

/// All modifiers of directives.
const MODIFIERS: [Modifier; 6] = [Level, Sign, Factor, Init, True, False];

/// A small generator (SplitMix64), so that seeds mean the same everywhere.
pub struct Random(pub u64);

impl Random {
    /// A number below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(1);
        mix(self.0) % n
    }
}

/// A random program: choices, rules with loops, constraints.
pub fn random_program(seed: u64) -> Program {
    let mut r = Random(seed << 32);
    let atoms = 4 + r.below(24);
    let mut b = ProgramBuilder::default();
    let add = |b: &mut ProgramBuilder, head: Option<u64>, body: &[(u64, bool)]| {
        let head = head.map(|a| b.atom(a));
        let body: Vec<Lit> = body.iter().map(|&(a, sign)| Lit::new(b.atom(a), sign)).collect();
        b.rule(head, &body).expect("few literals");
    };
    for a in 0..r.below(atoms) {
        add(&mut b, Some(a), &[(a + 100, false)]);
        add(&mut b, Some(a + 100), &[(a, false)]);
    }
    for _ in 0..r.below(3 * atoms) {
        let head = (r.below(8) > 0).then(|| r.below(atoms));
        let body: Vec<(u64, bool)> = (0..1 + r.below(5)).map(|_| (r.below(atoms), r.below(3) > 0)).collect();
        add(&mut b, head, &body);
    }
    b.build().expect("few")
}

/// A random program with everything: choices, sums (also on loops), disjunctions, something to minimize and
/// to project on.
pub fn rich_program(seed: u64) -> Program {
    let mut r = Random(seed << 32 | 1 << 20);
    let atoms = 4 + r.below(9);
    let mut b = ProgramBuilder::default();
    let all: Vec<Var> = (0..atoms).map(|a| b.atom(a)).collect();
    let atom = |r: &mut Random| all[r.below(atoms) as usize];
    let lit = |r: &mut Random| Lit::new(atom(r), r.below(5) > 1);
    for _ in 0..2 + r.below(2 * atoms) {
        let mut body: Vec<Lit> = (0..r.below(3)).map(|_| lit(&mut r)).collect();
        if r.below(3) == 0 {
            let lits: Vec<(Lit, i64)> =
                (0..2 + r.below(4)).map(|_| (lit(&mut r), 1 + r.below(3) as i64)).collect();
            body.push(Lit::t(b.sum(1 + r.below(6) as i64, lits).expect("few")));
        }
        let heads: Vec<Var> = (0..2 + r.below(2)).map(|_| atom(&mut r)).collect();
        match r.below(6) {
            0 | 1 => b.choice(&heads, &body),
            2 => b.disjunction(&heads, &body),
            3 if !body.is_empty() => b.rule(None, &body),
            _ => b.rule(Some(heads[0]), &body),
        }
        .expect("few");
    }
    for level in 0..1 + r.below(3) {
        let lits: Vec<(Lit, i64)> =
            (0..1 + r.below(5)).map(|_| (lit(&mut r), r.below(6) as i64 - 2)).collect();
        b.minimize(level as i32, &lits).expect("few");
    }
    for _ in 0..r.below(8) {
        let (modifier, bias) = (MODIFIERS[r.below(6) as usize], r.below(600) as i32 - 300);
        let condition = (0..r.below(3)).map(|_| lit(&mut r)).collect();
        b.heuristic(Advise { atom: atom(&mut r), modifier, bias, priority: r.below(3) as u32, condition });
    }
    b.project(&all[..1 + r.below(3) as usize]);
    all.iter().for_each(|&p| b.output(Output { name: p.0.to_string(), condition: vec![Lit::t(p)] }));
    b.build().expect("few")
}

/// Goals in turn.
pub fn goal(seed: u64) -> Goal {
    let plain = Goal::default();
    match seed % 6 {
        0 => Goal { optimization: Optimization::OptN, ..plain },
        1 => Goal { optimization: Optimization::Ignore, ..plain },
        2 => Goal { reasoning: Reasoning::Brave, optimization: Optimization::Ignore, ..plain },
        3 => Goal { reasoning: Reasoning::Cautious, ..plain },
        4 => Goal { projection: Projection::Project, optimization: Optimization::Ignore, ..plain },
        _ => Goal { optimization: Optimization::Enum, bound: vec![seed as i64 % 4], ..plain },
    }
}

/// `n` pairs of which no two neighbours may both be chosen, and a constraint over all: long nogoods, many
/// levels.
pub fn chain(n: u64) -> Program {
    let mut b = ProgramBuilder::default();
    let lit = |b: &mut ProgramBuilder, a: u64, sign: bool| Lit::new(b.atom(a), sign);
    for i in 0..n {
        let (yes, no) = (b.atom(2 * i), b.atom(2 * i + 1));
        b.rule(Some(yes), &[Lit::f(no)]).expect("few");
        b.rule(Some(no), &[Lit::f(yes)]).expect("few");
    }
    for i in 1..n {
        let body = [
            lit(&mut b, 2 * i - 2, i % 3 == 0),
            lit(&mut b, 2 * i, true),
            lit(&mut b, (7 * i) % (2 * n), true),
        ];
        b.rule(None, &body).expect("few");
    }
    let body: Vec<Lit> = (0..n).map(|i| lit(&mut b, 2 * i, false)).collect();
    b.rule(None, &body).expect("few");
    let some = b.atom(3 * n);
    b.rule(Some(some), &body).expect("few");
    b.build().expect("few")
}

/// A loop over the first two atoms that another choice founds or not.
pub fn founded_or_not() -> Program {
    let mut b = ProgramBuilder::default();
    let [p, q, c, d] = [1, 2, 3, 4].map(|a| b.atom(a));
    for (head, body) in [(p, Lit::t(q)), (q, Lit::t(p)), (p, Lit::t(c)), (c, Lit::f(d)), (d, Lit::f(c))] {
        b.rule(Some(head), &[body]).expect("few");
    }
    b.build().expect("few")
}

/// `n` pigeons in `holes` holes, one each. Many conflicts, also at once; no answer set if there are too few
/// holes. Beside them `pairs` independent choices, so that an enumeration flips decisions that later
/// conflicts do not depend on.
pub fn pigeons(n: u64, holes: u64, pairs: u64) -> Program {
    let mut b = ProgramBuilder::default();
    for i in 0..pairs {
        let [yes, no] = [1000 + 2 * i, 1001 + 2 * i].map(|a| b.atom(a));
        b.rule(Some(yes), &[Lit::f(no)]).expect("few");
        b.rule(Some(no), &[Lit::f(yes)]).expect("few");
    }
    let at = |b: &mut ProgramBuilder, p: u64, h: u64| (b.atom(p * holes + h), b.atom((n + p) * holes + h));
    for p in 0..n {
        let mut body = vec![];
        for h in 0..holes {
            let (is, not) = at(&mut b, p, h);
            b.rule(Some(is), &[Lit::f(not)]).expect("few");
            b.rule(Some(not), &[Lit::f(is)]).expect("few");
            body.push(Lit::f(is));
            for q in 0..p {
                let (other, _) = at(&mut b, q, h);
                b.rule(None, &[Lit::t(is), Lit::t(other)]).expect("few");
            }
        }
        b.rule(None, &body).expect("few");
    }
    b.build().expect("few")
}

/// A square of `side` times `side` places, one of which is chosen in each row and in each column, by sums,
/// and pairs of places that exclude each other.
pub fn square(side: u64, seed: u64) -> Program {
    let mut r = Random(seed << 32 | 1 << 22);
    let mut b = ProgramBuilder::default();
    let places: Vec<Var> = (0..side * side).map(|a| b.atom(a)).collect();
    let at = |row: u64, column: u64| places[(row * side + column) as usize];
    b.choice(&places, &[]).expect("few");
    for i in 0..side {
        let (row, column) = ((0..side).map(|k| at(i, k)), (0..side).map(|k| at(k, i)));
        for line in [row.collect::<Vec<Var>>(), column.collect()] {
            b.rule(None, &line.iter().map(|&p| Lit::f(p)).collect::<Vec<Lit>>()).expect("few");
            let two = b.sum(2, line.into_iter().map(|p| (Lit::t(p), 1)).collect()).expect("few");
            b.rule(None, &[Lit::t(two)]).expect("few");
        }
    }
    for _ in 0..side * side {
        let mut any = || Lit::t(places[r.below(side * side) as usize]);
        b.rule(None, &[any(), any()]).expect("few");
    }
    b.build().expect("few")
}

/// `n` atoms that may be chosen, and 4.3 random constraints of three literals for each of them. About half of such
/// programs have an answer set.
pub fn threes(n: u64, seed: u64) -> Program {
    let mut r = Random(seed << 32 | 1 << 21);
    let mut b = ProgramBuilder::default();
    let all: Vec<Var> = (0..n).map(|a| b.atom(a)).collect();
    b.choice(&all, &[]).expect("few");
    for _ in 0..43 * n / 10 {
        let body: Vec<Lit> = (0..3).map(|_| Lit::new(all[r.below(n) as usize], r.below(2) > 0)).collect();
        b.rule(None, &body).expect("few");
    }
    b.build().expect("few")
}

/// Choices between 100 atoms with constraints, and three directives for each atom, most of them with
/// conditions. There are more candidates than a warp looks at without keys.
pub fn advised(seed: u64) -> Program {
    let mut r = Random(seed << 32 | 3 << 20);
    let mut b = ProgramBuilder::default();
    let all: Vec<Var> = (0..100).map(|a| b.atom(a)).collect();
    let lit = |r: &mut Random| Lit::new(all[r.below(100) as usize], r.below(2) > 0);
    b.choice(&all, &[]).expect("few");
    for _ in 0..330 {
        let body: Vec<Lit> = (0..3).map(|_| lit(&mut r)).collect();
        b.rule(None, &body).expect("few");
    }
    for _ in 0..300 {
        let (atom, modifier) = (all[r.below(100) as usize], MODIFIERS[r.below(6) as usize]);
        let (bias, priority) = (r.below(9) as i32 - 3, r.below(3) as u32);
        let condition = (0..r.below(3)).map(|_| lit(&mut r)).collect();
        b.heuristic(Advise { atom, modifier, bias, priority, condition });
    }
    b.project(&all[..20]);
    b.build().expect("few")
}

/// The options of a search that follows directives, with keys of chunks.
pub fn following(i: u64, device: DeviceKind) -> Options {
    let (decide, heuristic) = (Decide::Any, Heuristic::Domain);
    Options { decide, heuristic, threads_per_block: 32, ..options(i, device) }
}

/// Options that vary with `i` over everything a kernel can see.
pub fn options(i: u64, device: DeviceKind) -> Options {
    let n = i as usize;
    Options {
        learning: [Learning::Forward, Learning::Resolution, Learning::Both, Learning::Resolution][n % 4],
        heuristic: [
            Heuristic::Activity,
            Heuristic::Occurrences,
            Heuristic::Positive,
            Heuristic::Negative,
            Heuristic::JeroslowWang,
        ][n / 2 % 5],
        decide: [Decide::Applicable, Decide::Any][n / 6 % 2],
        conflicts: [1, 4, 16][n % 3],
        restarts: [Restarts::Luby(2), Restarts::None, Restarts::Quality(2, 0.9), Restarts::Geometric(3, 1.5)]
            [n / 3 % 4],
        rephase: [1, 0, 3][n / 2 % 3],
        save_progress: SaveProgress::Levels([1, 0, 2][n % 3]),
        keep_learned: [2, 2000][n / 4 % 2],
        threads_per_block: [32, 64, 96][n % 3],
        seed: i,
        device,
        loop_check: [LoopCheck::Fixpoint, LoopCheck::Total][n / 5 % 2],
        longest_head: [16, 1][n % 2],
        simplify: n % 4 != 3,
        preprocess: [Preprocess::NONE, Preprocess::ALL][n / 7 % 2],
        opt_strategy: [
            OptStrategy::Bb(Descent::Lin),
            OptStrategy::Auto,
            OptStrategy::Bb(Descent::Inc),
            OptStrategy::Auto,
            OptStrategy::Bb(Descent::Lin),
        ][n / 6 % 5],
        // A launch for each step, so that each step can be checked.
        engine: Engine::Host,
        check: Check::All,
        ..Options::default()
    }
}

/// A program of five atoms and up to two sums, with disjunctions, choices and loops.
pub fn disjunctive_program(random: &mut Random) -> Program {
    let mut b = ProgramBuilder::default();
    let mut atoms: Vec<Var> = (1..=5).map(|i| b.atom(i)).collect();
    for _ in 0..random.below(3) {
        let lits =
            (0..1 + random.below(4)).map(|_| (lit(random, &atoms), 1 + random.below(3) as i64)).collect();
        let sum = b.sum(random.below(5) as i64, lits).expect("few");
        atoms.push(sum);
    }
    for _ in 0..4 + random.below(7) {
        let heads: Vec<Var> = (0..1 + random.below(3)).map(|_| atoms[random.below(5) as usize]).collect();
        let body: Vec<Lit> = (0..random.below(4)).map(|_| lit(random, &atoms)).collect();
        let added = match random.below(6) {
            0 => b.choice(&heads, &body),
            1 | 2 => b.rule(Some(heads[0]), &body),
            _ => b.disjunction(&heads, &body),
        };
        added.expect("a small program");
    }
    b.build().expect("a small program")
}

/// A literal, mostly positive.
fn lit(random: &mut Random, atoms: &[Var]) -> Lit {
    Lit::new(atoms[random.below(atoms.len() as u64) as usize], random.below(4) > 0)
}

/// A cover of the edges of a random graph of `n` vertices: each edge has a chosen end. Each vertex costs 1 to
/// 4.
pub(crate) fn cover_of(n: u64, seed: u64) -> Program {
    let mut b = ProgramBuilder::default();
    let all: Vec<_> = (0..n).map(|a| b.atom(a)).collect();
    b.choice(&all, &[]).expect("few");
    let random = |at: u64| mix(seed << 32 | at);
    for (i, &one) in all.iter().enumerate() {
        for (j, &other) in all[..i].iter().enumerate() {
            if random((i as u64) << 16 | j as u64) % n < 4 {
                b.rule(None, &[Lit::f(one), Lit::f(other)]).expect("few");
            }
        }
    }
    let weight = |i: usize| 1 + (random(1 << 31 | i as u64) % 4) as i64;
    b.minimize(0, &all.iter().enumerate().map(|(i, &atom)| (Lit::t(atom), weight(i))).collect::<Vec<_>>())
        .expect("few");
    b.build().expect("few")
}
