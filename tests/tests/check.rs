//! The check of answer sets against the definition: on small random programs it accepts the answer sets and
//! nothing else.
//!
//! Every set of a program's atoms is tried. Atoms that the input does not name (those of weight bodies and of
//! the edges of graphs) get the values that follow from the set; other values are then tried, too, and
//! rejected. For disjunctive programs with head cycles the check is a necessary condition only: there it must
//! accept the answer sets, and whatever else it accepts is a model.

use std::collections::BTreeMap;

use solver_gpu::{Lit, Var};
use solver_host::check::{Checker, Claim, Workspace};
use solver_host::ids::RuleId;
use solver_host::input;
use solver_host::program::{Head, Program};
use yasmin_tests::random::{generate, Knobs};
use yasmin_tests::rich::{self, Meaning, Rich};
use yasmin_tests::{oracle, Spec};

/// A program as it is read, with what its check needs.
struct Subject {
    program: Program,
    checker: Checker,
    work: Workspace,
    /// The atom of each number in the text.
    atoms: BTreeMap<usize, Var>,
}

impl Subject {
    /// Reads a program that prints each atom `a` as `x{a}`.
    fn new(text: &str) -> Subject {
        let program = input::read("text", text.as_bytes()).expect("a program");
        let mut atoms = BTreeMap::new();
        for output in &program.outputs {
            if let ([lit], Some(number)) = (&output.condition[..], output.name.strip_prefix('x')) {
                atoms.insert(number.parse().expect("a number"), lit.var());
            }
        }
        Subject { checker: Checker::new(&program), work: Workspace::default(), program, atoms }
    }

    fn accepts(&mut self, holds: &[bool]) -> bool {
        let claim = Claim { holds, costs: None, is_shown: &|_| None };
        self.checker.check(&self.program, &claim, &mut self.work).is_ok()
    }

    /// The values of all atoms, if those with names are in `set` or not.
    fn completed(&self, set: u32) -> Vec<bool> {
        let p = &self.program;
        let mut holds = vec![false; p.atoms as usize];
        self.atoms.iter().for_each(|(number, atom)| holds[atom.0 as usize] = set >> number & 1 == 1);
        let mut is_hidden = vec![true; p.atoms as usize];
        self.atoms.values().for_each(|atom| is_hidden[atom.0 as usize] = false);
        let value = |holds: &[bool], lit: Lit| holds[lit.var().0 as usize] != lit.is_false_sign();
        for sum in &p.sums {
            let reached: i64 = sum.lits.iter().filter(|(lit, _)| value(&holds, *lit)).map(|&(_, w)| w).sum();
            holds[sum.atom.0 as usize] = reached >= sum.bound;
            is_hidden[sum.atom.0 as usize] = false;
        }
        // First what depends on named atoms alone (whether an edge is there), then the rest bottom up.
        let is_named = |r: RuleId| p.body(r).iter().all(|lit| !is_hidden[lit.var().0 as usize]);
        for rest in [false, true] {
            let rules: Vec<(Var, RuleId)> = p
                .rule_ids()
                .filter(|&r| rest != is_named(r) || p.body(r).is_empty())
                .filter_map(|r| match p.head(r) {
                    Head::Atom(head) if is_hidden[head.0 as usize] => Some((head, r)),
                    _ => None,
                })
                .collect();
            loop {
                let before = holds.clone();
                for &(head, r) in &rules {
                    if p.body(r).iter().all(|&lit| value(&holds, lit)) {
                        holds[head.0 as usize] = true;
                    }
                }
                if holds == before {
                    break;
                }
            }
        }
        holds
    }

    /// Whether a disjunctive rule has two heads that depend on each other.
    fn has_head_cycle(&self) -> bool {
        let p = &self.program;
        let atoms = p.atoms as usize;
        let mut reaches = vec![vec![false; atoms]; atoms];
        let mut depend = |head: Var, body: &[Lit]| {
            for lit in body.iter().filter(|lit| !lit.is_false_sign()) {
                reaches[head.0 as usize][lit.var().0 as usize] = true;
            }
        };
        for r in p.rule_ids() {
            p.head(r).atom().into_iter().for_each(|head| depend(head, p.body(r)));
        }
        for rule in &p.disjunctions {
            rule.heads.iter().for_each(|&head| depend(head, p.body_lits_of(rule.body)));
        }
        for sum in &p.sums {
            let lits: Vec<Lit> = sum.lits.iter().map(|&(lit, _)| lit).collect();
            depend(sum.atom, &lits);
        }
        for middle in 0..atoms {
            for from in 0..atoms {
                if reaches[from][middle] {
                    let through = reaches[middle].clone();
                    reaches[from].iter_mut().zip(through).for_each(|(reach, through)| *reach |= through);
                }
            }
        }
        let both = |a: Var, b: Var| {
            a != b && reaches[a.0 as usize][b.0 as usize] && reaches[b.0 as usize][a.0 as usize]
        };
        let rules = p.disjunctions.iter();
        rules.into_iter().any(|rule| rule.heads.iter().any(|&a| rule.heads.iter().any(|&b| both(a, b))))
    }
}

#[test]
fn normal_programs() {
    let mut answer_sets = 0;
    for seed in yasmin_seeds::seeds(1500) {
        let spec: Spec = generate(&Knobs::varied(seed), seed);
        let right = oracle::answer_sets(&spec);
        answer_sets += right.len();
        let mut subject = Subject::new(&spec.to_aspif());
        for set in 0..1u32 << spec.atoms {
            let accepted = subject.accepts(&subject.completed(set));
            assert_eq!(accepted, right.contains(&set), "seed {seed}, {set:b}\n{}", spec.to_lp());
        }
    }
    assert!(answer_sets > 1000, "{answer_sets} are too few to say something");
}

/// Counts of what the rich programs were.
#[derive(Debug, Default)]
struct Seen {
    answer_sets: usize,
    others: usize,
    exact: usize,
    with_head_cycles: usize,
    /// Sets that were accepted though they are not minimal.
    not_minimal: usize,
    /// Completions with a hidden atom's value changed.
    changed: usize,
}

fn rich_program(program: &Rich, seed: u64, seen: &mut Seen) {
    let text = program.to_aspif();
    let mut subject = Subject::new(&text);
    let right = Meaning::of(program).answer_sets;
    let has_head_cycle = subject.has_head_cycle();
    seen.with_head_cycles += usize::from(has_head_cycle);
    seen.exact += usize::from(!has_head_cycle);
    for bits in 0..1u32 << program.atoms {
        let set = bits << 1;
        let mut holds = subject.completed(set);
        let accepted = subject.accepts(&holds);
        let is_right = right.contains(&set);
        if is_right || !has_head_cycle {
            assert_eq!(accepted, is_right, "seed {seed}, {set:b}\n{text}");
        }
        seen.not_minimal += usize::from(accepted && !is_right);
        if !is_right {
            seen.others += 1;
            continue;
        }
        seen.answer_sets += 1;
        let named: Vec<usize> = subject.atoms.values().map(|atom| atom.0 as usize).collect();
        for hidden in (0..holds.len()).filter(|p| !named.contains(p)) {
            holds[hidden] = !holds[hidden];
            assert!(!subject.accepts(&holds), "seed {seed}, {set:b}, atom {hidden}\n{text}");
            holds[hidden] = !holds[hidden];
            seen.changed += 1;
        }
    }
}

#[test]
fn rich_programs() {
    let mut seen = Seen::default();
    for seed in yasmin_seeds::seeds(800) {
        rich_program(&rich::generate(seed), seed, &mut seen);
        rich_program(&rich::generate_overlapping(seed), seed, &mut seen);
    }
    println!("{seen:?}");
    assert!(seen.answer_sets > 1000 && seen.others > 10_000 && seen.changed > 100, "{seen:?}");
    assert!(seen.exact > 500 && seen.with_head_cycles > 50, "{seen:?}");
}
