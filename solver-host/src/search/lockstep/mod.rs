//! Every kernel, at every launch of real searches, against a plain sequential reference.
//!
//! In a test a search can be put in lockstep: before and after each launch all its memory is copied, and a reference that
//! shares nothing with the kernels but the layout says what must have changed, and that nothing else did. So each kernel is tested
//! on the states that searches really come to, on each executor. The resident search, which takes all the steps in one launch, is
//! compared with the search from the host (see [`whole`]); whether searches are right as a whole is tested elsewhere.

mod assign;
mod cover;
mod hard;
mod learn;
mod propagate;
mod snapshot;
mod stability;
mod sums;
mod whole;

use super::goal::{Goal, Optimization, Projection, Reasoning};
use super::memory::Memory;
use super::{Decide, Engine, Heuristic, Learning, LoopCheck, Options, Preprocess, Restarts, Solver, Step};
use crate::device::{DeviceError, DeviceKind, Kernel, Work};
use crate::nogoods::{Directive, Foundedness, Prepared};
use crate::program::Modifier::{Factor, False, Init, Level, Sign, True};
use crate::program::{Heuristic as Advise, Output, Program, ProgramBuilder};
use cover::cover;
use snapshot::Snapshot;
use solver_gpu::layout::MAX_CONFLICTS;
use solver_gpu::{Lit, Var};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering::Relaxed;

/// What the references need of the prepared program.
pub struct Problem {
    candidates: Vec<(Var, Lit, Lit)>,
    preferred: Vec<u32>,
    directives: Vec<Directive>,
    foundedness: Option<Foundedness>,
    device: DeviceKind,
    /// Whether to learn from all violated nogoods, also those that the search did not look at any more.
    all_conflicts: bool,
}

thread_local! {
    static PROBLEM: RefCell<Option<Problem>> = const { RefCell::new(None) };
    /// How often each kernel was checked, and how often it changed something.
    static SEEN: RefCell<BTreeMap<&'static str, (u64, u64)>> = const { RefCell::new(BTreeMap::new()) };
}

/// Launches a kernel and compares what it did.
pub fn launch(m: &mut Memory, kernel: Kernel, work: Work) -> Result<(), DeviceError> {
    // The host's copy of the control words must stay as it was: the search has not read them yet.
    let state = std::mem::take(&mut m.state);
    let mut before = Snapshot::take(m);
    if matches!(kernel, Kernel::LearnForward | Kernel::LearnResolution) {
        report_all_conflicts(m, &mut before)?;
    }
    m.launch_alone(kernel, work)?;
    let after = Snapshot::take(m);
    m.state = state;
    let v = &m.search;
    SEEN.with_borrow_mut(|seen| {
        let (times, changes) = seen.entry(kernel.name()).or_default();
        *times += 1;
        *changes += (before != after) as u64;
    });
    PROBLEM.with_borrow(|problem| {
        let problem = problem.as_ref().expect("set by the test");
        match kernel {
            Kernel::Commit | Kernel::Decide | Kernel::Complete | Kernel::Backjump | Kernel::Rephase => {
                assign::check(kernel, v, problem, &before, &after)
            }
            Kernel::LearnForward
            | Kernel::LearnResolution
            | Kernel::RecordLearned
            | Kernel::ReduceLearned
            | Kernel::RebuildWatches => learn::check(kernel, v, &before, &after),
            Kernel::Stability => stability::check(v, problem, &before, &after),
            Kernel::RecordUnfounded => stability::record(v, &before, &after),
            Kernel::PropagateSums => sums::propagate(&before, &after),
            Kernel::Tighten => sums::tighten(v, &before, &after),
            // It is checked where the block has been exchanged.
            Kernel::WidenDeps => {}
            _ => propagate::check(kernel, v, problem, &before, &after),
        }
    });
    Ok(())
}

/// Adds to the conflicts all other violated nogoods, last first, if the problem says so. Propagation stops at the first class
/// with a conflict, so that conflicts of different lengths are rare otherwise.
fn report_all_conflicts(m: &mut Memory, s: &mut Snapshot) -> Result<(), DeviceError> {
    if PROBLEM.with_borrow(|problem| !problem.as_ref().is_some_and(|p| p.all_conflicts)) {
        return Ok(());
    }
    let others = (0..s.input.len() + s.learned.len()).rev().map(|id| id as u32);
    let others: Vec<u32> =
        others.filter(|id| !s.conflict.contains(id) && s.is_violated(&s.nogood(*id))).collect();
    s.conflict.extend(others);
    s.conflict.truncate(MAX_CONFLICTS as usize);
    s.words.conflicts = s.words.conflicts.max(s.conflict.len() as u32);
    m.state.conflicts.store(s.words.conflicts, Relaxed);
    m.write_state()?;
    m.write(m.search.conflict, &s.conflict)
}

/// Calls `change`, which exchanges the block around a launch of `widen_deps`, and compares before and after.
pub fn exchange(
    m: &mut Memory,
    change: impl FnOnce(&mut Memory) -> Result<(), DeviceError>,
) -> Result<(), DeviceError> {
    let state = std::mem::take(&mut m.state);
    let before = Snapshot::take(m);
    m.state = state;
    m.in_lockstep = false;
    change(m)?;
    m.in_lockstep = true;
    let state = std::mem::take(&mut m.state);
    let after = Snapshot::take(m);
    m.state = state;
    SEEN.with_borrow_mut(|seen| {
        let (times, changes) = seen.entry(Kernel::WidenDeps.name()).or_default();
        *times += 1;
        *changes += (before != after) as u64;
    });
    assign::widen(&before, &after);
    Ok(())
}

/// Searches in lockstep for up to `most` answer sets; returns how many there are.
fn search(program: &Program, options: Options, most: usize) -> usize {
    search_from(program, options, most, |_| {})
}

/// The same, after `begin` has changed the memory.
fn search_from(program: &Program, options: Options, most: usize, begin: impl Fn(&mut Memory)) -> usize {
    search_for(&Goal::default(), program, options, most, begin)
}

/// The same for a goal.
fn search_for(
    goal: &Goal,
    program: &Program,
    options: Options,
    most: usize,
    begin: impl Fn(&mut Memory),
) -> usize {
    let mut solver = Solver::with_goal(program.clone(), options, goal.clone())
        .unwrap_or_else(|e| panic!("{options:?}: {e}"));
    let Prepared { candidates, preferred, foundedness, directives, .. } = &solver.prepared;
    let candidates = candidates.iter().map(|c| (c.head, c.positive, c.body)).collect();
    PROBLEM.set(Some(Problem {
        candidates,
        preferred: preferred.clone(),
        directives: directives.clone(),
        foundedness: foundedness.clone(),
        device: options.device,
        all_conflicts: options.seed / 2 % 2 == 1,
    }));
    begin(&mut solver.memory);
    solver.memory.write_state().expect("a working device");
    solver.memory.in_lockstep = true;
    let mut found = 0;
    while found < most {
        match solver.next_answer(&|| false) {
            Ok(Step::Answer(_)) => found += 1,
            Ok(_) => break,
            Err(e) => panic!("{options:?}: {e}"),
        }
    }
    found
}

/// A small generator (SplitMix64), so that seeds mean the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(1);
        solver_gpu::conflict::mix(self.0) % n
    }
}

/// A random program: choices, rules with loops, constraints.
fn random_program(seed: u64) -> Program {
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

/// A random program with everything: choices, sums (also on loops), disjunctions, something to minimize and to project on.
fn rich_program(seed: u64) -> Program {
    let mut r = Random(seed << 32 | 1 << 20);
    let atoms = 4 + r.below(9);
    let mut b = ProgramBuilder::default();
    let all: Vec<Var> = (0..atoms).map(|a| b.atom(a)).collect();
    let atom = |r: &mut Random| all[r.below(atoms) as usize];
    let lit = |r: &mut Random| Lit::new(atom(r), r.below(5) > 1);
    for _ in 0..2 + r.below(2 * atoms) {
        let mut body: Vec<Lit> = (0..r.below(3)).map(|_| lit(&mut r)).collect();
        if r.below(3) == 0 {
            let lits: Vec<(Lit, u32)> =
                (0..2 + r.below(4)).map(|_| (lit(&mut r), 1 + r.below(3) as u32)).collect();
            body.push(Lit::t(b.sum(1 + r.below(6) as i64, lits)));
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
        let lits: Vec<(Lit, i32)> =
            (0..1 + r.below(5)).map(|_| (lit(&mut r), r.below(6) as i32 - 2)).collect();
        b.minimize(level as i32, &lits);
    }
    for _ in 0..r.below(8) {
        let modifiers = [Level, Sign, Factor, Init, True, False];
        let (modifier, bias) = (modifiers[r.below(6) as usize], r.below(600) as i32 - 300);
        let condition = (0..r.below(3)).map(|_| lit(&mut r)).collect();
        b.heuristic(Advise { atom: atom(&mut r), modifier, bias, priority: r.below(3) as u32, condition });
    }
    b.project(&all[..1 + r.below(3) as usize]);
    all.iter().for_each(|&p| b.output(Output { name: p.0.to_string(), condition: vec![Lit::t(p)] }));
    b.build().expect("few")
}

/// Goals in turn.
fn goal(seed: u64) -> Goal {
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

/// `n` pairs of which no two neighbours may both be chosen, and a constraint over all: long nogoods, many levels.
fn chain(n: u64) -> Program {
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
fn founded_or_not() -> Program {
    let mut b = ProgramBuilder::default();
    let [p, q, c, d] = [1, 2, 3, 4].map(|a| b.atom(a));
    for (head, body) in [(p, Lit::t(q)), (q, Lit::t(p)), (p, Lit::t(c)), (c, Lit::f(d)), (d, Lit::f(c))] {
        b.rule(Some(head), &[body]).expect("few");
    }
    b.build().expect("few")
}

/// `n` pigeons in `holes` holes, one each. Many conflicts, also at once; no answer set if there are too few holes. Beside
/// them `pairs` independent choices, so that an enumeration flips decisions that later conflicts do not depend on.
fn pigeons(n: u64, holes: u64, pairs: u64) -> Program {
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

/// Options that vary with `i` over everything a kernel can see.
fn options(i: u64, device: DeviceKind) -> Options {
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
        keep_learned: [2, 2000][n / 4 % 2],
        threads_per_block: [32, 64, 96][n % 3],
        seed: i,
        device,
        loop_check: [LoopCheck::Fixpoint, LoopCheck::Total][n / 5 % 2],
        simplify: n % 4 != 3,
        preprocess: [Preprocess::NONE, Preprocess::ALL][n / 7 % 2],
        // A launch for each step, so that each step can be checked.
        engine: Engine::Host,
        ..Options::default()
    }
}

/// Searches that together make every kernel do something.
fn searches(device: DeviceKind, randoms: u64) {
    SEEN.set(BTreeMap::new());
    cover::begin();
    for seed in 0..randoms {
        search(&random_program(seed), options(seed, device), 40);
    }
    for i in 0..4 {
        assert_eq!(search(&pigeons(5, 4, 0), options(i, device), 1), 0);
        assert_eq!(search(&pigeons(4, 4, 2), options(i, device), usize::MAX), 24 * 4);
        assert_eq!(search(&chain(40), options(i + 4, device), 20), 20);
    }
    let total = Options { loop_check: LoopCheck::Total, ..options(0, device) };
    assert_eq!(search(&founded_or_not(), total, usize::MAX), 2);
    for i in 0..2 {
        // More than 128 levels: the bitmaps are widened.
        let wide = Options { restarts: Restarts::None, conflicts: 4, ..options(i, device) };
        assert_eq!(search(&chain(300), wide, 3), 3);
    }
    for seed in 0..3 * randoms {
        let goal = goal(seed);
        let mut options = options(seed, device);
        if seed % 4 == 1 {
            options.heuristic = Heuristic::Domain;
        }
        search_for(&goal, &rich_program(seed), options, 40, |_| {});
    }
    hard::searches(device);
    cover::report(device);
    let seen = SEEN.take();
    for kernel in Kernel::ALL {
        let (times, changes) = seen.get(kernel.name()).copied().unwrap_or_default();
        println!("{}: {times} launches, {changes} with an effect", kernel.name());
        if Kernel::SEARCHES.contains(kernel) {
            continue; // They take many steps: see `whole`.
        }
        let rearranges_only = *kernel == Kernel::WidenDeps;
        assert!(times > 0 && (changes > 0 || rearranges_only), "{} is not tested", kernel.name());
    }
}

/// A test for each executor. One for the GPU is ignored where tests usually run, and says so.
macro_rules! on_every_executor {
    ($($name:ident($randoms:expr) = $test:path;)*) => {$(
        mod $name {
            use super::*;

            #[test]
            fn cpu() {
                $test(DeviceKind::Cpu, 10 * $randoms);
            }

            #[test]
            fn simt() {
                $test(DeviceKind::Simt, $randoms);
            }

            #[test]
            #[ignore = "needs an NVIDIA GPU"]
            fn gpu() {
                $test(DeviceKind::Gpu(0), $randoms);
            }
        }
    )*};
}

on_every_executor! {
    every_launch_does_what_the_reference_says(40) = searches;
    the_resident_search_finds_the_same(20) = whole::searches;
    a_search_goes_on_in_a_copy_of_its_block(12) = whole::moving_searches;
}
