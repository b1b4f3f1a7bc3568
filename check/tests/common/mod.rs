//! Small random programs, what they mean by the definition, and proofs as text and bytes. Nothing is shared with the
//! checker.

#![allow(dead_code, reason = "each test uses a part of it")]

pub mod proofs;
pub mod told;

use std::collections::BTreeMap;
use std::fmt::Write;

use yasmin_check::proof::Step;
use yasmin_check::{program, Checker, Share};

/// Random numbers (splitmix64).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number from `low` to `high`.
    pub fn range(&mut self, low: i64, high: i64) -> i64 {
        low + (self.next() % (high - low + 1) as u64) as i64
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.next().is_multiple_of(n)
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[(self.next() % from.len() as u64) as usize]
    }

    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for i in (1..list.len()).rev() {
            list.swap(i, self.range(0, i as i64) as usize);
        }
    }
}

#[derive(Clone, Debug)]
pub enum Body {
    All(Vec<i64>),
    Sum(i64, Vec<(i64, i64)>),
}

#[derive(Clone, Debug)]
pub struct Rule {
    pub is_choice: bool,
    pub heads: Vec<i64>,
    pub body: Body,
}

/// A program over the atoms `1 ..= atoms`, whose numbers in files are multiplied by `stride`.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub atoms: i64,
    pub stride: i64,
    pub rules: Vec<Rule>,
    pub minimize: Vec<(i64, Vec<(i64, i64)>)>,
    pub projection: Option<Vec<i64>>,
    pub outputs: Vec<(String, Vec<i64>)>,
    pub externals: Vec<(i64, i64)>,
    pub assumptions: Vec<i64>,
    pub edges: Vec<(i64, i64, Vec<i64>)>,
    pub is_smodels: bool,
}

/// A set of atoms: bit `a` is atom `a`.
pub type Set = u32;

/// Whether a literal holds: a positive one in `model`, a negative one by `set`.
fn holds_in(lit: i64, set: Set, model: Set) -> bool {
    if lit > 0 {
        model >> lit & 1 == 1
    } else {
        set >> -lit & 1 == 0
    }
}

pub fn holds(lit: i64, set: Set) -> bool {
    holds_in(lit, set, set)
}

pub fn all_hold(lits: &[i64], set: Set) -> bool {
    lits.iter().all(|&lit| holds(lit, set))
}

impl Program {
    pub fn random(random: &mut Random) -> Program {
        let atoms = random.range(1, 5);
        let mut p = Program { atoms, stride: *random.pick(&[1, 1, 3]), ..Program::default() };
        p.is_smodels = random.one_in(5);
        let is_disjunctive = random.one_in(2);
        for _ in 0..random.range(1, 9) {
            let is_choice = random.one_in(3);
            let count = match (is_choice, is_disjunctive) {
                (true, _) | (_, true) => random.range(0, 3),
                _ => random.range(0, 1),
            };
            let heads = (0..count).map(|_| random.range(1, atoms)).collect();
            let body = match random.one_in(4) {
                true => Body::Sum(random.range(-1, 5), p.terms(random, 0)),
                false => {
                    let count = random.range(0, 3);
                    Body::All((0..count).map(|_| p.literal(random)).collect())
                }
            };
            p.rules.push(Rule { is_choice, heads, body });
        }
        for _ in 0..random.range(0, 3) {
            p.minimize.push((random.range(1, 2), p.terms(random, -3)));
        }
        for atom in 1..=atoms {
            if random.one_in(3) {
                p.outputs.push((format!("n{atom}"), vec![atom]));
            }
        }
        if !p.is_smodels {
            p.random_extras(random);
        }
        if random.one_in(4) {
            p.assumptions.push(p.literal(random));
        }
        if p.is_smodels {
            p.leave_smodels(random);
        }
        p
    }

    /// A program with many positive cycles, through disjunctions, too.
    pub fn random_loops(random: &mut Random) -> Program {
        let atoms = random.range(2, 6);
        let mut p = Program { atoms, stride: 1, ..Program::default() };
        for _ in 0..random.range(2, 12) {
            let is_choice = random.one_in(6);
            let heads = (0..random.range(1, 3)).map(|_| random.range(1, atoms)).collect();
            let lit = |random: &mut Random| p.literal(random) * if random.one_in(5) { -1 } else { 1 };
            let positive = |random: &mut Random| match random.one_in(8) {
                true => lit(random),
                false => random.range(1, atoms),
            };
            let body = match random.one_in(4) {
                true => {
                    let bound = random.range(1, 4);
                    let terms = (0..random.range(1, 4)).map(|_| (positive(random), random.range(1, 3)));
                    Body::Sum(bound, terms.collect())
                }
                false => Body::All((0..random.range(0, 2)).map(|_| positive(random)).collect()),
            };
            p.rules.push(Rule { is_choice, heads, body });
        }
        for _ in 0..random.range(0, 2) {
            let body = Body::All(vec![-random.range(1, atoms)]);
            p.rules.push(Rule { is_choice: false, heads: Vec::new(), body });
        }
        p
    }

    fn random_extras(&mut self, random: &mut Random) {
        for k in 0..random.range(0, 2) {
            let condition = (0..random.range(0, 3)).map(|_| self.literal(random)).collect();
            let name = if random.one_in(3) { format!("_h{k}") } else { format!("m{k}") };
            self.outputs.push((name, condition));
        }
        if random.one_in(3) {
            let atoms = (0..random.range(0, 2)).map(|_| random.range(1, self.atoms)).collect();
            self.projection = Some(atoms);
        }
        for _ in 0..random.range(0, 2) {
            self.externals.push((random.range(1, self.atoms), random.range(0, 3)));
        }
        if random.one_in(3) {
            for _ in 0..random.range(1, 4) {
                let condition = (0..random.range(0, 2)).map(|_| self.literal(random)).collect();
                self.edges.push((random.range(0, 2), random.range(0, 2), condition));
            }
        }
    }

    /// Leaves what smodels can say.
    fn leave_smodels(&mut self, random: &mut Random) {
        for rule in &mut self.rules {
            let is_sum = matches!(rule.body, Body::Sum(..));
            if rule.heads.is_empty() || is_sum {
                rule.heads.push(random.range(1, self.atoms));
            }
            if is_sum {
                rule.heads.truncate(1);
                rule.is_choice = false;
            }
        }
        for (_, terms) in &mut self.minimize {
            terms.iter_mut().for_each(|(_, weight)| *weight = weight.abs());
        }
        // Each statement has a priority of its own.
        (1..).zip(&mut self.minimize).for_each(|(i, (priority, _))| *priority = i);
    }

    pub fn literal(&self, random: &mut Random) -> i64 {
        random.range(1, self.atoms) * if random.one_in(2) { 1 } else { -1 }
    }

    fn terms(&self, random: &mut Random, least: i64) -> Vec<(i64, i64)> {
        (0..random.range(0, 4)).map(|_| (self.literal(random), random.range(least, 3))).collect()
    }

    pub fn to_text(&self) -> String {
        if self.is_smodels {
            self.to_smodels()
        } else {
            self.to_aspif()
        }
    }

    fn to_aspif(&self) -> String {
        let number = |lit: &i64| (lit * self.stride).to_string();
        let list = |lits: &[i64]| {
            let mut words = vec![lits.len().to_string()];
            words.extend(lits.iter().map(number));
            words.join(" ")
        };
        let weighted = |terms: &[(i64, i64)]| {
            let mut words = vec![terms.len().to_string()];
            words.extend(terms.iter().map(|(lit, weight)| format!("{} {weight}", number(lit))));
            words.join(" ")
        };
        let mut text = String::from("asp 1 0 0\n");
        for rule in &self.rules {
            let body = match &rule.body {
                Body::All(lits) => format!("0 {}", list(lits)),
                Body::Sum(bound, terms) => format!("1 {bound} {}", weighted(terms)),
            };
            let _ = writeln!(text, "1 {} {} {body}", i64::from(rule.is_choice), list(&rule.heads));
        }
        for (priority, terms) in &self.minimize {
            let _ = writeln!(text, "2 {priority} {}", weighted(terms));
        }
        if let Some(atoms) = &self.projection {
            let _ = writeln!(text, "3 {}", list(atoms));
        }
        for (name, condition) in &self.outputs {
            let _ = writeln!(text, "4 {} {name} {}", name.len(), list(condition));
        }
        for (atom, value) in &self.externals {
            let _ = writeln!(text, "5 {} {value}", number(atom));
        }
        if !self.assumptions.is_empty() {
            let _ = writeln!(text, "6 {}", list(&self.assumptions));
        }
        for (from, to, condition) in &self.edges {
            let _ = writeln!(text, "8 {from} {to} {}", list(condition));
        }
        text + "0\n"
    }

    fn to_smodels(&self) -> String {
        let split = |lits: &[i64]| {
            let mut sorted: Vec<i64> = lits.iter().copied().filter(|&lit| lit < 0).collect();
            let negative = sorted.len();
            sorted.extend(lits.iter().copied().filter(|&lit| lit > 0));
            let atoms: Vec<String> = sorted.iter().map(|lit| (lit.abs() * self.stride).to_string()).collect();
            (format!("{} {negative}", lits.len()), atoms.join(" "))
        };
        let weighted = |terms: &[(i64, i64)]| {
            let lits: Vec<i64> = terms.iter().map(|&(lit, _)| lit).collect();
            let (counts, atoms) = split(&lits);
            let weights = |is_negative: bool| {
                let of_sign = terms.iter().filter(move |(lit, _)| (*lit < 0) == is_negative);
                of_sign.map(|(_, weight)| weight.to_string())
            };
            let weights: Vec<String> = weights(true).chain(weights(false)).collect();
            format!("{counts} {atoms} {}", weights.join(" "))
        };
        let mut text = String::new();
        for rule in &self.rules {
            let heads: Vec<String> = rule.heads.iter().map(|head| (head * self.stride).to_string()).collect();
            let heads = heads.join(" ");
            let _ = match &rule.body {
                Body::All(lits) => {
                    let (counts, atoms) = split(lits);
                    match (rule.is_choice, rule.heads.len()) {
                        (true, count) => writeln!(text, "3 {count} {heads} {counts} {atoms}"),
                        (false, 1) => writeln!(text, "1 {heads} {counts} {atoms}"),
                        (false, count) => writeln!(text, "8 {count} {heads} {counts} {atoms}"),
                    }
                }
                Body::Sum(bound, terms) if terms.iter().all(|(_, weight)| *weight == 1) => {
                    let lits: Vec<i64> = terms.iter().map(|&(lit, _)| lit).collect();
                    let (counts, atoms) = split(&lits);
                    writeln!(text, "2 {heads} {counts} {bound} {atoms}")
                }
                Body::Sum(bound, terms) => writeln!(text, "5 {heads} {bound} {}", weighted(terms)),
            };
        }
        for (_, terms) in &self.minimize {
            let _ = writeln!(text, "6 0 {}", weighted(terms));
        }
        text += "0\n";
        for (name, condition) in &self.outputs {
            let _ = writeln!(text, "{} {name}", condition[0] * self.stride);
        }
        for (section, sign) in [("0\nB+\n", 1), ("0\nB-\n", -1)] {
            text += section;
            for lit in self.assumptions.iter().filter(|&&lit| lit * sign > 0) {
                let _ = writeln!(text, "{}", lit.abs() * self.stride);
            }
        }
        text + "0\n1\n"
    }

    /// The atoms that the file names.
    pub fn named(&self) -> Vec<i64> {
        let mut atoms: Vec<i64> = Vec::new();
        for rule in &self.rules {
            atoms.extend(&rule.heads);
            match &rule.body {
                Body::All(lits) => atoms.extend(lits),
                Body::Sum(_, terms) => atoms.extend(terms.iter().map(|(lit, _)| lit)),
            }
        }
        atoms.extend(self.minimize.iter().flat_map(|(_, terms)| terms).map(|(lit, _)| lit));
        atoms.extend(self.projection.iter().flatten());
        atoms.extend(self.outputs.iter().flat_map(|(_, condition)| condition));
        atoms.extend(self.externals.iter().map(|(atom, _)| atom));
        atoms.extend(&self.assumptions);
        atoms.extend(self.edges.iter().flat_map(|(_, _, condition)| condition));
        atoms.iter_mut().for_each(|atom| *atom = atom.abs());
        atoms.sort_unstable();
        atoms.dedup();
        atoms
    }

    /// The largest number of an atom.
    pub fn last_atom(&self) -> i64 {
        self.named().last().map_or(0, |atom| atom * self.stride)
    }

    /// The nodes of edges, in order.
    pub fn nodes(&self) -> Vec<i64> {
        let mut nodes: Vec<i64> = self.edges.iter().flat_map(|&(from, to, _)| [from, to]).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// The largest number of a variable that need not be introduced.
    pub fn last_number(&self) -> i64 {
        self.last_atom() + 2 * self.edges.len() as i64 + self.nodes().len() as i64
    }

    /// All answer sets.
    pub fn answer_sets(&self) -> Vec<Set> {
        let (free, given) = (self.external_atoms(0), self.external_atoms(1));
        let is_answer = |&set: &Set| {
            all_hold(&self.assumptions, set)
                && self.is_model(set, set, free, given)
                && self.smaller(set).is_none()
                && self.cycle(set).is_empty()
        };
        (0..1 << self.atoms).map(|bits: Set| bits << 1).filter(is_answer).collect()
    }

    /// Whether a set satisfies the rules, without regard to edges and assumptions.
    pub fn is_classical_model(&self, set: Set) -> bool {
        self.is_model(set, set, self.external_atoms(0), self.external_atoms(1))
    }

    /// A smaller model of the reduct.
    pub fn smaller(&self, set: Set) -> Option<Set> {
        let (free, given) = (self.external_atoms(0), self.external_atoms(1));
        let mut smaller = set;
        while smaller != 0 {
            smaller = (smaller - 1) & set;
            if self.is_model(set, smaller, free, given) {
                return Some(smaller);
            }
        }
        None
    }

    fn is_model(&self, set: Set, model: Set, free: Set, given: Set) -> bool {
        let satisfied = |rule: &Rule| {
            let heads = rule.heads.iter().fold(0, |heads, &head| heads | 1 << head);
            !body_holds(&rule.body, set, model)
                || if rule.is_choice { heads & set & !model == 0 } else { heads & model != 0 }
        };
        given & !model == 0 && free & set & !model == 0 && self.rules.iter().all(satisfied)
    }

    /// External atoms that no rule defines, with this value.
    fn external_atoms(&self, wanted: i64) -> Set {
        let mut values: BTreeMap<i64, i64> = BTreeMap::new();
        for &(atom, value) in &self.externals {
            let told = values.entry(atom).or_insert(value);
            *told = if *told == 3 { 3 } else { value };
        }
        let mut defined: Set = 0;
        for rule in &self.rules {
            let parts: Vec<&[i64]> =
                if rule.is_choice { rule.heads.chunks(1).collect() } else { vec![&rule.heads] };
            for heads in parts {
                defined |= defined_heads(self.atoms, heads, &rule.body);
            }
        }
        let wanted = values.into_iter().filter(|&(_, value)| value == wanted);
        wanted.fold(0, |atoms: Set, (atom, _)| atoms | 1 << atom) & !defined
    }

    /// The nodes from which present edges lead to a cycle.
    pub fn cycle(&self, set: Set) -> Vec<i64> {
        let present: Vec<(i64, i64)> = self
            .edges
            .iter()
            .filter(|(_, _, condition)| all_hold(condition, set))
            .map(|&(from, to, _)| (from, to))
            .collect();
        let mut nodes = self.nodes();
        loop {
            let before = nodes.len();
            let kept = nodes.clone();
            nodes.retain(|node| present.iter().any(|(from, to)| from == node && kept.contains(to)));
            if nodes.len() == before {
                return nodes;
            }
        }
    }

    /// The costs, highest priority first.
    pub fn costs(&self, set: Set) -> Vec<i64> {
        let mut costs: BTreeMap<i64, i64> = BTreeMap::new();
        for (priority, terms) in &self.minimize {
            let held = terms.iter().filter(|(lit, _)| holds(*lit, set));
            *costs.entry(*priority).or_default() += held.map(|(_, weight)| weight).sum::<i64>();
        }
        costs.into_values().rev().collect()
    }

    /// The outputs that consequences of a kind of question are about.
    pub fn asked(&self, kind: i64) -> Vec<&(String, Vec<i64>)> {
        let counts = |output: &&(String, Vec<i64>)| {
            let is_named = match (&self.projection, &output.1[..]) {
                (Some(atoms), [lit]) if *lit > 0 => atoms.contains(lit),
                _ => true,
            };
            is_named || kind > 6
        };
        self.outputs.iter().filter(counts).collect()
    }

    /// What a question of the kinds 1 to 3 sees of a set.
    pub fn seen(&self, kind: i64, set: Set) -> Vec<bool> {
        match kind {
            1 => (1..=self.atoms).map(|atom| holds(atom, set)).collect(),
            2 => self.projection.iter().flatten().map(|&atom| holds(atom, set)).collect(),
            _ => {
                let shown = self.outputs.iter().filter(|(name, _)| !name.starts_with('_'));
                shown.map(|(_, condition)| all_hold(condition, set)).collect()
            }
        }
    }

    /// The consequences of some answer sets, for the kinds of questions 5 to 8.
    pub fn consequences(&self, kind: i64, sets: &[Set]) -> Vec<String> {
        let held = |condition: &[i64]| match kind % 2 {
            1 => sets.iter().any(|&set| all_hold(condition, set)),
            _ => sets.iter().all(|&set| all_hold(condition, set)),
        };
        let asked = self.asked(kind).into_iter();
        asked.filter(|(_, condition)| held(condition)).map(|(name, _)| name.clone()).collect()
    }

    pub fn checker(&self) -> Checker {
        self.sharing(Share::WHOLE)
    }

    /// A checker of a share of the nogoods.
    pub fn sharing(&self, share: Share) -> Checker {
        let text = self.to_text();
        match program::read("p", text.as_bytes()) {
            Ok(program) => Checker::sharing(program, share),
            Err(error) => panic!("{error}\n{text}"),
        }
    }
}

/// Whether costs are within bounds.
pub fn within(costs: &[i64], bounds: &[i64]) -> bool {
    costs[..bounds.len()] <= *bounds
}

/// The steps as a text.
pub fn to_text(steps: &[Step]) -> String {
    let mut text = String::from("p yasmin 1\n");
    for step in steps {
        let join = |numbers: &[i64]| {
            let words: Vec<String> = numbers.iter().map(i64::to_string).collect();
            words.join(" ")
        };
        let list = |numbers: &[i64]| join(&[numbers, &[0]].concat());
        let _ = match step {
            Step::Assumption(lits) => writeln!(text, "h {}", list(lits)),
            Step::Definition { var, lits } => writeln!(text, "d {var} {}", list(lits)),
            Step::Sum { var, bound, terms } => {
                let terms: Vec<i64> = terms.iter().flat_map(|&(weight, lit)| [weight, lit]).collect();
                writeln!(text, "s {var} {bound} {}", list(&terms))
            }
            Step::Because(serials) => writeln!(text, "b {}", list(serials)),
            Step::Nogood(lits) => writeln!(text, "n {}", list(lits)),
            Step::Loop { lits, atoms } => writeln!(text, "u {} {}", list(lits), list(atoms)),
            Step::Cycle(numbers) => writeln!(text, "g {}", list(numbers)),
            Step::Question { kind, bounds } => writeln!(text, "q {kind} {}", list(bounds)),
            Step::Call(lits) => writeln!(text, "k {}", list(lits)),
            Step::Finished { is_refuted, core } => {
                writeln!(text, "f {} {}", i64::from(*is_refuted), list(core))
            }
            Step::Answer(atoms) => writeln!(text, "a {}", list(atoms)),
            Step::Rewriting { priority, weight, var } => writeln!(text, "r {priority} {weight} {var}"),
            Step::Least { priority, var } => writeln!(text, "l {priority} {var}"),
            Step::Deletion(number) => writeln!(text, "x {number}"),
            Step::End(is_concluded) => writeln!(text, "e {}", i64::from(*is_concluded)),
        };
    }
    text
}

/// The steps in the binary form.
pub fn to_binary(steps: &[Step]) -> Vec<u8> {
    let mut bytes = b"yasmin01\0".to_vec();
    for step in steps {
        let counted = |list: &[i64]| [&[list.len() as i64], list].concat();
        let (letter, numbers) = match step {
            Step::Assumption(lits) => (b'h', counted(lits)),
            Step::Definition { var, lits } => (b'd', [&[*var][..], &counted(lits)].concat()),
            Step::Sum { var, bound, terms } => {
                let pairs = terms.iter().flat_map(|&(weight, lit)| [weight, lit]);
                (b's', [*var, *bound, terms.len() as i64].into_iter().chain(pairs).collect())
            }
            Step::Because(serials) => (b'b', counted(serials)),
            Step::Nogood(lits) => (b'n', counted(lits)),
            Step::Loop { lits, atoms } => (b'u', [counted(lits), counted(atoms)].concat()),
            Step::Cycle(numbers) => (b'g', counted(numbers)),
            Step::Question { kind, bounds } => (b'q', [&[*kind][..], &counted(bounds)].concat()),
            Step::Call(lits) => (b'k', counted(lits)),
            Step::Finished { is_refuted, core } => {
                (b'f', [&[i64::from(*is_refuted)][..], &counted(core)].concat())
            }
            Step::Answer(atoms) => (b'a', counted(atoms)),
            Step::Rewriting { priority, weight, var } => (b'r', vec![*priority, *weight, *var]),
            Step::Least { priority, var } => (b'l', vec![*priority, *var]),
            Step::Deletion(number) => (b'x', vec![*number]),
            Step::End(is_concluded) => (b'e', vec![i64::from(*is_concluded)]),
        };
        bytes.push(letter);
        for number in numbers {
            let mut rest = if number < 0 { (-(number + 1)) as u64 * 2 + 1 } else { number as u64 * 2 };
            while rest > 0x7f {
                bytes.push(rest as u8 | 0x80);
                rest >>= 7;
            }
            bytes.push(rest as u8);
        }
    }
    bytes
}

/// Whether a body holds: a positive literal in `model`, a negative one by the value that `set` gives it.
fn body_holds(body: &Body, set: Set, model: Set) -> bool {
    match body {
        Body::All(lits) => lits.iter().all(|&lit| holds_in(lit, set, model)),
        Body::Sum(bound, terms) => {
            let held = terms.iter().filter(|(lit, _)| holds_in(*lit, set, model));
            held.map(|(_, weight)| weight).sum::<i64>() >= *bound
        }
    }
}

/// The heads of a rule for which some set of atoms satisfies the body together with the head, and some set without
/// it; none if there is no set without some of the heads.
fn defined_heads(atoms: i64, heads: &[i64], body: &Body) -> Set {
    let sets = (0..1 << (atoms + 1)).filter(|&set| body_holds(body, set, set));
    let (mut with, mut without) = (0, 0);
    sets.for_each(|set: Set| (with, without) = (with | set, without | !set));
    let heads: Set = heads.iter().fold(0, |all, head| all | 1 << head);
    match heads & !without {
        0 => heads & with,
        _ => 0,
    }
}
