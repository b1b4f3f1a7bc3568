//! What a check of difference constraints must do: bounds by passes over all constraints, and nogoods that
//! contradict them.

use super::cover;
use super::programs::{options, random_program, Random};
use super::snapshot::Snapshot;
use super::{search_from, Facts};
use crate::{Decide, Descent, OptStrategy, Options};
use solver_gpu::kernels::differences::ZERO;
use solver_gpu::layout::asks;
use solver_gpu::{Lit, Var};
use std::collections::BTreeSet;
use yasmin_device::DeviceKind;
use yasmin_ground::program::{Differences, Edge, Program, ProgramBuilder};
use yasmin_nogoods::Prepared;

/// The constraints of a program, with literals of the search.
#[derive(Default)]
pub struct Constraints {
    edges: Vec<Edge>,
    nodes: usize,
    fixed: Vec<u32>,
}

impl Constraints {
    /// Those of a program, which was prepared.
    pub fn of(program: &Program, p: &Prepared) -> Constraints {
        let Some(differences) = program.differences.as_ref().filter(|_| !p.unsatisfiable) else {
            return Constraints::default();
        };
        let edge = |edge: &Edge| Edge { lit: p.literal_of(edge.lit), ..*edge };
        let edges = differences.edges.iter().map(edge).filter(|edge| edge.lit != Lit::FALSE).collect();
        Constraints { edges, nodes: differences.nodes, fixed: differences.fixed() }
    }

    /// The least lower bounds that the constraints demand whose literals hold, and the upper ones,
    /// negated; none if they contradict each other.
    fn bounds(&self, holds: impl Fn(Lit) -> bool) -> Option<Vec<i64>> {
        let mut bounds = vec![0; 2 * self.nodes];
        for &node in &self.fixed {
            (bounds[node as usize], bounds[self.nodes + node as usize]) = (ZERO, ZERO);
        }
        for _ in 0..=self.nodes {
            let before = bounds.clone();
            for edge in self.edges.iter().filter(|edge| edge.lit == Lit::TRUE || holds(edge.lit)) {
                let (u, v) = (edge.from as usize, edge.to as usize);
                bounds[v] = bounds[v].max(bounds[u] - edge.most);
                let (u, v) = (self.nodes + u, self.nodes + v);
                bounds[u] = bounds[u].max(bounds[v] - edge.most);
            }
            if bounds == before {
                return Some(bounds);
            }
        }
        None
    }

    /// The open literals of constraints that these bounds exclude.
    fn excluded(&self, s: &Snapshot, bounds: &[i64]) -> BTreeSet<Lit> {
        let is_excluded = |edge: &&Edge| {
            let (low, high) = (bounds[edge.from as usize], bounds[self.nodes + edge.to as usize]);
            low > ZERO / 2 && high > ZERO / 2 && (low - ZERO) + (high - ZERO) > edge.most
        };
        let open = self.edges.iter().filter(|edge| !edge.lit.is_constant() && s.is_open(edge.lit));
        open.filter(is_excluded).map(|edge| edge.lit).collect()
    }
}

/// Checks one launch.
pub fn check(facts: &Facts, before: &Snapshot, after: &Snapshot) {
    let constraints = &facts.constraints;
    let is_sure = |lit: Lit| before.holds(lit) && before.level(lit) == 1;
    let told = &after.learned[before.learned.len()..];
    for nogood in told {
        let lits: BTreeSet<Lit> = nogood.iter().copied().collect();
        assert_eq!(lits.len(), nogood.len(), "each literal once");
        assert!(nogood.iter().all(|&lit| before.level(lit) != 1), "no literal is of level 1");
        assert!(before.is_violated(nogood) || before.unit(nogood).is_some(), "a nogood that says something");
        let with = constraints.bounds(|lit| lits.contains(&lit) || is_sure(lit));
        assert!(with.is_none(), "{nogood:?} is no nogood of the constraints");
    }
    let bounded = after.words.bounded;
    match constraints.bounds(|lit| before.holds(lit)) {
        None if told.is_empty() => {
            cover::cover("differences that contradict each other for good");
            assert!(constraints.bounds(is_sure).is_none(), "nothing was learned");
            assert_eq!((after.words.exhausted, after.words.refuted), (1, 1));
        }
        None => {
            cover::cover("differences that contradict each other");
            assert!(told.len() == 1 && before.is_violated(&told[0]), "{told:?}");
            assert_eq!(after.words.conflicts, 1);
        }
        Some(bounds) => {
            assert_eq!((bounded, after.words.conflicts), (before.words.committed + 1, 0));
            let excluded = constraints.excluded(before, &bounds);
            let open: BTreeSet<Lit> = told.iter().filter_map(|nogood| before.unit(nogood)).collect();
            assert!(open.is_subset(&excluded), "{open:?} and not {excluded:?}");
            assert!(after.words.unlisted == 1 || open.len() == told.len(), "each literal once");
            if !open.is_empty() {
                cover::cover("differences that exclude an open one");
            }
        }
    }
    let (was, logged) = (before.words.bounded, before.words.logged);
    let is_anew = was == 0 || before.anew_at.is_none_or(|at| at >= was);
    if was > 0 && is_anew {
        cover::cover("bounds computed anew after a jump");
    } else if was > 0 && after.anew_at != before.anew_at {
        cover::cover("a full log of bounds");
    } else if after.words.logged < logged {
        cover::cover("bounds taken back");
    }
    if bounded > 0 {
        // After a contradiction they are those of the check before.
        let trail = &before.trail[..bounded as usize - 1];
        let bounds = constraints.bounds(|lit| trail.contains(&lit));
        assert_eq!(Some(&after.bound), bounds.as_ref());
    }
    assert_eq!(after.bound, after.bound_next);
    assert_eq!(&unchanged(before, after), after);
}

/// What is after, in which all is as it was before that the check does not write.
fn unchanged(before: &Snapshot, after: &Snapshot) -> Snapshot {
    let mut expected = before.clone();
    let (w, now) = (&mut expected.words, &after.words);
    (w.counts.learned, w.counts.learned_literals) = (now.counts.learned, now.counts.learned_literals);
    (w.learned, w.learned_lits, w.serials, w.unlisted) =
        (now.learned, now.learned_lits, now.serials, now.unlisted);
    (w.conflicts, w.exhausted, w.refuted) = (now.conflicts, now.exhausted, now.refuted);
    (w.bounded, w.logged, w.stamp) = (now.bounded, now.logged, now.stamp);
    if now.learned > before.words.learned {
        w.set_len = 0;
    }
    let of = after.clone();
    (expected.bound, expected.bound_next, expected.anew_at) = (of.bound, of.bound_next, of.anew_at);
    expected.conflict = of.conflict;
    (expected.slot_lits, expected.mark, expected.sign_score) = (of.slot_lits, of.mark, of.sign_score);
    let before = before.learned.len();
    expected.learned.extend_from_slice(&of.learned[before..]);
    expected.learned_lbd.extend_from_slice(&of.learned_lbd[before..]);
    expected.learned_activity.extend_from_slice(&of.learned_activity[before..]);
    expected.learned_flags.extend_from_slice(&of.learned_flags[before..]);
    expected.learned_watch.extend_from_slice(&of.learned_watch[before..]);
    expected.learned_origin.extend_from_slice(&of.learned_origin[before..]);
    (expected.watch_lists, expected.late) = (of.watch_lists, of.late);
    expected
}

/// A random program with random constraints on its atoms.
fn timed_program(seed: u64) -> Program {
    let program = random_program(seed);
    let mut r = Random(seed << 32 | 5 << 20);
    // Variables, and after them the node that is 0.
    let variables = 2 + r.below(5) as u32;
    let mut edges = Vec::new();
    for _ in 0..3 + r.below(4 * variables as u64) {
        let atom = Var(r.below(program.atoms as u64) as u32);
        let lit = Lit::new(atom, r.below(3) > 0);
        let (from, to) = (r.below(variables as u64 + 1) as u32, r.below(variables as u64 + 1) as u32);
        // Some are of the largest size that there may be: the sum is below 2^59.
        let most = (r.below(12) as i64 - 4) << if seed.is_multiple_of(5) { 49 } else { 0 };
        edges.push(Edge { lit, from, to, most });
    }
    with(program, edges, variables)
}

/// A program with these constraints between so many variables.
fn with(mut program: Program, edges: Vec<Edge>, variables: u32) -> Program {
    program.differences = Some(Differences {
        edges,
        names: (0..variables).map(|v| format!("v{v}")).collect(),
        zero_of: vec![variables; variables as usize],
        nodes: variables as usize + 1,
        minimized: None,
    });
    program
}

/// Three variables in a row, and choices each of which may raise the lower bounds of all three, and lower
/// the upper ones. Conflicts of choices lead far back.
fn raising_program(seed: u64) -> Program {
    let mut r = Random(seed << 32 | 6 << 20);
    let mut b = ProgramBuilder::default();
    let all: Vec<Var> = (0..40).map(|a| b.atom(a)).collect();
    b.choice(&all, &[]).expect("few");
    for _ in 0..60 {
        let (one, other, last) = (r.below(40), r.below(40), r.below(40));
        for is_so in [false, true] {
            let lits = [Lit::f(all[one as usize]), Lit::f(all[other as usize])];
            b.rule(None, &[lits[0], lits[1], Lit::new(all[last as usize], is_so)]).expect("few");
        }
    }
    let fact = b.atom(40);
    b.rule(Some(fact), &[]).expect("few");
    let edge = |lit, from, to, most| Edge { lit, from, to, most };
    let mut edges: Vec<Edge> = [(0, 1), (1, 2)].map(|(from, to)| edge(Lit::t(fact), from, to, 0)).to_vec();
    for &atom in &all {
        edges.push(edge(Lit::f(atom), 3, 0, -(r.below(400) as i64)));
        edges.push(edge(Lit::f(atom), 2, 3, 1000 - r.below(400) as i64));
    }
    with(b.build().expect("few"), edges, 3)
}

/// Searches random programs, each launch of which is checked.
pub fn searches(device: DeviceKind, randoms: u64) {
    for seed in 0..2 * randoms {
        if random_program(seed).atoms == 0 {
            continue;
        }
        search_in_kernels(&timed_program(seed), options(seed, device));
    }
}

/// Searches programs that raise bounds more often than the log has room for.
pub fn full_logs(device: DeviceKind, randoms: u64) {
    cover::begin();
    for seed in 0..randoms {
        search_in_kernels(&raising_program(seed), Options { decide: Decide::Any, ..options(seed, device) });
    }
    cover::report_only(cover::LOGS);
}

/// Searches a program, each launch of which is checked. One thread would have a propagator.
fn search_in_kernels(program: &Program, options: Options) {
    let options = Options { opt_strategy: OptStrategy::Bb(Descent::Lin), ..options };
    search_from(program, options, 20, |memory| {
        let settings = &mut memory.search.settings;
        (settings.asks, settings.bounds) = (asks::NEVER, (memory.search.problem.arcs > 0) as u32);
    });
}
