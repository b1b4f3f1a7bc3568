//! Programs that grow by hundreds of small steps. Each answer is compared with a control that is told
//! everything at once, and each answer set is an answer set there.
//!
//! `STEPS=2000 YASMIN_TIMES=12 cargo test --release -p yasmin --test growth` tries more.

mod common;

use common::spec::Lit;
use common::{options_of_several, Random};
use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Instant;
use yasmin::{Atom, Control, DeviceKind, External, Literal, Options, ParallelMode, Question};
use yasmin_seeds::seeds;

/// What is said to a control, so that it can be said to another one. Atoms are numbered in the order in which
/// they are first said.
#[derive(Clone, Debug)]
enum Said {
    Choice(Vec<usize>),
    Rule(Vec<usize>, Vec<Lit>),
    /// A rule for an atom by a weight constraint.
    Sum(usize, i64, Vec<(Lit, i64)>),
    Minimize(Lit, i64),
    External(usize, External),
}

/// A control with its atoms.
struct Told {
    control: Control,
    atoms: Vec<Atom>,
}

impl Told {
    fn new(options: Options) -> Told {
        Told { control: Control::new(options), atoms: Vec::new() }
    }

    fn atom(&mut self, place: usize) -> Atom {
        while self.atoms.len() <= place {
            let (control, name) = (&mut self.control, format!("p({})", self.atoms.len()));
            let atom = control.atom();
            control.show(&name, &[atom.positive()]).expect("an atom of the control");
            self.atoms.push(atom);
        }
        self.atoms[place]
    }

    fn lit(&mut self, &(place, is_positive): &Lit) -> Literal {
        let lit = self.atom(place).positive();
        if is_positive {
            lit
        } else {
            !lit
        }
    }

    fn lits(&mut self, lits: &[Lit]) -> Vec<Literal> {
        lits.iter().map(|lit| self.lit(lit)).collect()
    }

    fn heads(&mut self, heads: &[usize]) -> Vec<Atom> {
        heads.iter().map(|&head| self.atom(head)).collect()
    }

    fn say(&mut self, said: &Said) {
        let done = match said {
            Said::Choice(heads) => {
                let heads = self.heads(heads);
                self.control.choice(&heads, &[])
            }
            Said::Rule(heads, body) => {
                let (heads, body) = (self.heads(heads), self.lits(body));
                self.control.rule(&heads, &body)
            }
            Said::Sum(head, bound, terms) => {
                let head = self.atom(*head);
                let terms: Vec<(Literal, i64)> =
                    terms.iter().map(|(lit, weight)| (self.lit(lit), *weight)).collect();
                let sum = self.control.sum(*bound, &terms).expect("small weights");
                self.control.rule(&[head], &[sum.positive()])
            }
            Said::Minimize(lit, weight) => {
                let lit = self.lit(lit);
                self.control.minimize(0, &[(lit, *weight)])
            }
            Said::External(place, value) => {
                let atom = self.atom(*place);
                self.control.external(atom, *value)
            }
        };
        done.expect("atoms of the control");
    }

    /// Whether there is an answer set under assumptions; its costs, and which atoms it has.
    fn ask(&mut self, assumed: &[Lit]) -> Option<(Vec<i64>, Vec<bool>)> {
        let assumed = self.lits(assumed);
        let atoms = self.atoms.clone();
        let has_costs = |costs: &[i64]| !costs.is_empty();
        let answers = self.control.solve(&Question::new().assume(assumed)).expect("a question");
        let mut last = None;
        for answer in answers {
            let answer = answer.expect("an answer");
            let holds = atoms.iter().map(|&atom| answer.holds(atom)).collect();
            last = Some((answer.costs().to_vec(), holds));
            // Of answer sets without costs one is enough, of others the last one is the best one.
            if !has_costs(answer.costs()) {
                break;
            }
        }
        last
    }
}

/// The program that grows.
struct Growing {
    random: Random,
    /// All that was said but for the values of externals.
    all: Vec<Said>,
    externals: BTreeMap<usize, External>,
    atoms: usize,
    minimizes: bool,
}

impl Growing {
    /// What one step says.
    fn step(&mut self) -> Vec<Said> {
        let (first, minimizes) = (self.atoms, self.minimizes);
        self.atoms += 7;
        let end = self.atoms;
        let random = &mut self.random;
        let [a, b, c, q, d, e, f] = std::array::from_fn(|at| first + at);
        // A literal of this step or of one of the last ones, now and then of any. Atoms that this step defines are not
        // negated: a program with `d :- not d.` has no answer set ever after.
        let lit = |random: &mut Random| {
            let from = if random.one_in(8) { 0 } else { end.saturating_sub(21) };
            let place = from + random.below(end - from);
            (place, place >= d || random.one_in(2))
        };
        let mut said = vec![Said::Choice(vec![a, b, c])];
        let value = [External::Free, External::True, External::True, External::False][random.below(4)];
        said.push(Said::External(q, value));
        self.externals.insert(q, value);
        // What holds while the external atom does.
        for _ in 0..1 + random.below(3) {
            let mut body = vec![(q, true)];
            body.extend((0..1 + random.below(3)).map(|_| lit(random)));
            said.push(Said::Rule(Vec::new(), body));
        }
        match random.below(4) {
            // A positive loop.
            0 => {
                said.push(Said::Rule(vec![d], vec![(e, true), lit(random)]));
                said.push(Said::Rule(vec![e], vec![(d, true)]));
                said.push(Said::Rule(vec![[d, e][random.below(2)]], vec![lit(random), lit(random)]));
            }
            1 => said.push(Said::Rule(vec![d, e], vec![lit(random)])),
            2 => said.push(Said::Rule(vec![d], vec![(e, false), lit(random)])),
            _ => said.extend((0..3).map(|_| Said::Rule(vec![d], vec![lit(random), lit(random)]))),
        }
        if random.one_in(3) {
            let terms: Vec<(Lit, i64)> =
                (0..2 + random.below(4)).map(|_| (lit(random), 1 + random.below(3) as i64)).collect();
            // No atom founds itself by a sum here.
            let terms = terms.into_iter().filter(|&((place, _), _)| place != f).collect();
            said.push(Said::Sum(f, 1 + random.below(5) as i64, terms));
        }
        if minimizes && random.one_in(12) {
            said.push(Said::Minimize(lit(random), 1 + random.below(4) as i64));
        }
        // Now and then a rule for an older external atom, after which all is translated again.
        if random.one_in(40) {
            let mut older = self.externals.range(..q).filter(|(_, value)| **value != External::Release);
            if let Some((&older, _)) = older.next_back() {
                said.push(Said::Rule(vec![older], vec![(a, random.one_in(2))]));
            }
        }
        self.all.extend(said.iter().filter(|said| !matches!(said, Said::External(..))).cloned());
        // Older external atoms get other values, and most are released in the end.
        for (&place, known) in self.externals.range_mut(..q) {
            if *known != External::Release && random.one_in(3) {
                let values = [External::Release, External::Release, External::True, External::False];
                *known = values[random.below(4)];
                said.push(Said::External(place, *known));
            }
        }
        said
    }

    /// A control that is told everything at once.
    fn fresh(&self) -> Told {
        let mut told = Told::new(Options::on_processor());
        if self.atoms > 0 {
            told.atom(self.atoms - 1);
        }
        self.all.iter().for_each(|said| told.say(said));
        self.externals.iter().for_each(|(&place, &value)| told.say(&Said::External(place, value)));
        told
    }
}

fn check(options_of: impl Fn(u64) -> Options, seeds: Range<u64>, steps: usize) {
    let (mut found, mut refuted, mut whole, mut new) = (0, 0, 0, 0);
    let sequences = seeds.end - seeds.start;
    for seed in seeds {
        let mut grows = Growing {
            random: Random(seed),
            all: Vec::new(),
            externals: BTreeMap::new(),
            atoms: 0,
            minimizes: seed % 2 == 1,
        };
        let mut told = Told::new(Options { seed, ..options_of(seed) });
        for step in 0..steps {
            let said = grows.step();
            told.atom(grows.atoms - 1);
            said.iter().for_each(|said| told.say(said));
            let random = &mut grows.random;
            let atoms = grows.atoms;
            let assumed: Vec<Lit> = (0..random.below(6))
                .map(|_| {
                    let from = if random.one_in(3) { 0 } else { atoms.saturating_sub(28) };
                    (from + random.below(atoms - from), random.one_in(2))
                })
                .collect();
            let what = format!("seed {seed}, step {step}, assumed {assumed:?}");
            let (answer, mut fresh) = (told.ask(&assumed), grows.fresh());
            let expected = fresh.ask(&assumed);
            assert_eq!(
                answer.as_ref().map(|(costs, _)| costs),
                expected.as_ref().map(|(costs, _)| costs),
                "{what}"
            );
            let Some((costs, holds)) = answer else {
                refuted += 1;
                continue;
            };
            found += 1;
            let all: Vec<Lit> = holds.into_iter().enumerate().collect();
            assert!(assumed.iter().all(|&(place, is_positive)| all[place].1 == is_positive), "{what}");
            let same = fresh.ask(&all);
            assert_eq!(same.map(|(costs, _)| costs), Some(costs), "{what}: not an answer set");
        }
        let translated = told.control.translated();
        (whole, new) = (whole + translated.whole, new + translated.new);
    }
    println!(
        "{found} found, {refuted} refuted; {whole} translations of whole programs, {new} of what was new"
    );
    assert!(found > sequences * steps as u64 / 8 && refuted > sequences, "{found} {refuted}");
    assert!(new > 5 * whole, "{whole} {new}");
}

/// The number of steps; `STEPS` in the environment chooses another.
fn steps(otherwise: usize) -> usize {
    std::env::var("STEPS").map_or(otherwise, |text| text.parse().expect("a number"))
}

#[test]
fn many_small_steps() {
    let options_of = |_| Options { parallel_mode: ParallelMode::Searchers(1), ..Options::on_processor() };
    check(options_of, seeds(4), steps(250));
}

#[test]
fn many_small_steps_of_several_searchers() {
    check(options_of_several, seeds(4), steps(250) / 4);
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn many_small_steps_on_a_gpu() {
    check(|_| Options { device: DeviceKind::Gpu(0), ..Options::default() }, seeds(4), 60);
}

/// The memory that the process has, in KiB.
fn memory() -> i64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find(|line| line.starts_with("VmRSS")).expect("Linux");
    line.split_whitespace().nth(1).expect("a number").parse().expect("a number")
}

#[test]
#[ignore = "a measurement: see scripts/growth.py"]
fn measured() {
    let options = Options { parallel_mode: ParallelMode::Searchers(1), ..Options::on_processor() };
    let mut control = Control::new(options);
    let (mut begun, mut last, mut start) = (Instant::now(), 0, 0);
    for step in 1..=steps(1600) {
        let [a, b, c, q] = std::array::from_fn(|_| control.atom());
        for (name, atom) in [("a", a), ("b", b), ("c", c), ("q", q)] {
            control.show(&format!("{name}({step})"), &[atom.positive()]).expect("an atom of the control");
        }
        control.choice(&[a, b, c], &[]).expect("atoms of the control");
        control.external(q, External::True).expect("an atom of the control");
        let body = [!a.positive(), !b.positive(), q.positive()];
        control.rule(&[], &body).expect("atoms of the control");
        let answer = control.solve(&Question::new().limit(1)).expect("a question").next();
        assert!(answer.is_some());
        control.external(q, External::Release).expect("an atom of the control");
        if step == 1 {
            start = memory();
        }
        if [100, 200, 400, 800, 1600, 3200, 6400].contains(&step) {
            let (each, more) = (begun.elapsed().as_secs_f64() / (step - last) as f64, memory() - start);
            println!("steps {} to {step}: {:.2} ms a step, {more} KiB", last + 1, 1000.0 * each);
            (begun, last) = (Instant::now(), step);
        }
    }
    assert_eq!(control.translated().whole, 1);
}
