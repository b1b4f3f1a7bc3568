//! A program of parts, and what is known of its answer sets.
//!
//! Main types: [`Program`], whose text is solved, and [`Table`], which has the answer sets of each part. No part
//! mentions an atom of another: the answer sets of the program are all combinations of those of its parts, and their
//! costs are sums.
//!
//! Invariant: nothing here uses code of the solver.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use super::part::{Part, Sets};
use crate::rich::program::{Body, Rich, Rule};

/// Costs, highest priority first.
pub type Costs = Vec<i64>;

/// How many there are of each costs.
pub type Numbers = BTreeMap<Costs, u128>;

/// A program of parts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// The parts.
    pub parts: Vec<Part>,
}

impl Program {
    /// The program as one. The names of part `i` begin with `p` and the number.
    pub fn merged(&self) -> Rich {
        let mut all = Rich::default();
        for (number, part) in self.parts.iter().enumerate() {
            let part = part.program();
            let first = all.atoms;
            let lit = |lit: i32| lit + lit.signum() * first;
            let lits = |lits: &[i32]| lits.iter().map(|&one| lit(one)).collect::<Vec<_>>();
            let weighted =
                |lits: &[(i32, i64)]| lits.iter().map(|&(one, w)| (lit(one), w)).collect::<Vec<_>>();
            all.atoms += part.atoms;
            all.rules.extend(part.rules.iter().map(|rule| Rule {
                choice: rule.choice,
                heads: lits(&rule.heads),
                body: match &rule.body {
                    Body::All(body) => Body::All(lits(body)),
                    Body::Sum(bound, body) => Body::Sum(*bound, weighted(body)),
                },
            }));
            all.minimize.extend(part.minimize.iter().map(|(priority, costs)| (*priority, weighted(costs))));
            if let Some(atoms) = &part.projection {
                all.projection.get_or_insert_default().extend(lits(atoms));
            }
            all.outputs
                .extend(part.outputs.iter().map(|(name, when)| (format!("p{number}{name}"), lits(when))));
            all.externals.extend(part.externals.iter().map(|&(atom, value)| (atom + first, value)));
            all.assumptions.extend(lits(&part.assumptions));
            for (modifier, atom, bias, priority, when) in &part.heuristics {
                all.heuristics.push((*modifier, lit(*atom), *bias, *priority, lits(when)));
            }
            // Nodes of different parts are different.
            let node = |node: i32| node + 100 * number as i32;
            // And so are integers.
            all.differences.extend(part.differences.into_iter().map(|mut difference| {
                difference.atom += first;
                for end in difference.ends.iter_mut().filter(|end| *end != "0") {
                    *end += &number.to_string();
                }
                difference
            }));
            all.edges.extend(part.edges.iter().map(|(from, to, when)| (node(*from), node(*to), lits(when))));
        }
        all
    }
}

/// What distinguishes answer sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Onto {
    /// All atoms.
    Atoms,
    /// What is printed.
    Shown,
    /// The atoms of the projection statements.
    Stated,
}

/// An answer set of a part.
struct Row {
    costs: Costs,
    /// What distinguishes the answer set from others.
    key: Vec<bool>,
    /// Whether each output is printed.
    prints: Vec<bool>,
}

/// The answer sets of a part.
enum Rows {
    /// One by one, and those that print the same names.
    Listed { rows: Vec<Row>, by_names: HashMap<Vec<String>, Vec<usize>> },
    /// All sets of so many atoms, which have no costs; whether they are printed, and whether they distinguish.
    All { atoms: u32, shown: bool, count: bool },
}

/// The answer sets of the parts of a program, looked at in one way.
pub struct Table {
    parts: Vec<Rows>,
    /// The names of the outputs of each part, without what they begin with, and whether each may be a consequence.
    outputs: Vec<Vec<(String, bool)>>,
    /// The lowest costs of each part; none if a part has no answer set.
    lowest: Option<Vec<Costs>>,
}

/// Which answer sets are meant.
#[derive(Clone, Debug, Default)]
pub struct Within {
    /// The most that they may cost; priorities beyond it are free.
    pub bound: Costs,
    /// Whether only the best of those count.
    pub optimal: bool,
}

/// Whether costs are at most a bound, highest priority first; priorities beyond it are free.
pub fn fits(costs: &[i64], bound: &[i64]) -> bool {
    costs[..bound.len().min(costs.len())] <= *bound
}

fn sum(a: &[i64], b: &[i64]) -> Costs {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

/// The numbers of all combinations.
fn product(all: &Numbers, more: &Numbers) -> Numbers {
    let mut product = Numbers::new();
    for (a, n) in all {
        for (b, m) in more {
            *product.entry(sum(a, b)).or_default() += n * m;
        }
    }
    product
}

fn holds(lit: i32, set: u64) -> bool {
    (set >> lit.abs() & 1 == 1) == (lit > 0)
}

fn all_hold(lits: &[i32], set: u64) -> bool {
    lits.iter().all(|&lit| holds(lit, set))
}

/// The costs of a set of atoms of a part, at these priorities.
fn costs(program: &Rich, priorities: &[i32], set: u64) -> Costs {
    let mut costs = vec![0; priorities.len()];
    for (priority, lits) in &program.minimize {
        if let Some(place) = priorities.iter().position(|known| known == priority) {
            let held = lits.iter().filter(|(lit, _)| holds(*lit, set));
            costs[place] += held.map(|&(_, weight)| weight).sum::<i64>();
        }
    }
    costs
}

/// The priorities of a program, highest first.
fn priorities(program: &Rich) -> Vec<i32> {
    let found: BTreeSet<i32> = program.minimize.iter().map(|&(priority, _)| priority).collect();
    found.into_iter().rev().collect()
}

impl Table {
    /// The answer sets of a program: with costs or not, distinguished by what is said. With `only_stated`, consequences
    /// are about the atoms of the projection statements, if there are any.
    pub fn new(program: &Program, has_costs: bool, onto: Onto, only_stated: bool) -> Table {
        let merged = program.merged();
        let priorities = if has_costs { priorities(&merged) } else { Vec::new() };
        let is_stated = merged.projection.is_some();
        let mut table = Table { parts: Vec::new(), outputs: Vec::new(), lowest: Some(Vec::new()) };
        for part in &program.parts {
            let of = part.program();
            let stated = of.projection.clone().unwrap_or_default();
            // Terms whose condition is not one atom are asked about whatever is stated.
            let is_asked = |when: &[i32]| match when {
                [atom] if *atom > 0 && only_stated && is_stated => stated.contains(atom),
                _ => true,
            };
            table
                .outputs
                .push(of.outputs.iter().map(|(name, when)| (name.clone(), is_asked(when))).collect());
            let sets = match part.sets() {
                Sets::Listed(sets) => sets,
                Sets::All(atoms) => {
                    let shown = !of.outputs.is_empty();
                    let count = onto == Onto::Atoms || (onto == Onto::Shown && shown);
                    table.parts.push(Rows::All { atoms, shown, count });
                    if let Some(lowest) = &mut table.lowest {
                        lowest.push(vec![0; priorities.len()]);
                    }
                    continue;
                }
            };
            let row = |&set: &u64| {
                let prints: Vec<bool> = of.outputs.iter().map(|(_, when)| all_hold(when, set)).collect();
                let key = match onto {
                    Onto::Atoms => (1..=of.atoms).map(|atom| holds(atom, set)).collect(),
                    Onto::Shown => prints.clone(),
                    Onto::Stated => stated.iter().map(|&atom| holds(atom, set)).collect(),
                };
                Row { costs: costs(&of, &priorities, set), key, prints }
            };
            let rows: Vec<Row> = sets.iter().map(row).collect();
            let lowest = rows.iter().map(|row| row.costs.clone()).min();
            table.lowest = table.lowest.zip(lowest).map(|(mut all, lowest)| {
                all.push(lowest);
                all
            });
            let mut by_names: HashMap<Vec<String>, Vec<usize>> = HashMap::new();
            for (i, row) in rows.iter().enumerate() {
                let printed = of.outputs.iter().zip(&row.prints).filter(|(_, prints)| **prints);
                let mut names: Vec<String> = printed.map(|((name, _), _)| name.clone()).collect();
                names.sort_unstable();
                by_names.entry(names).or_default().push(i);
            }
            table.parts.push(Rows::Listed { rows, by_names });
        }
        table
    }

    /// The lowest costs; none if there is no answer set.
    pub fn optimum(&self) -> Option<Costs> {
        let lowest = self.lowest.as_ref()?;
        let zero = vec![0; lowest.first().map_or(0, Vec::len)];
        Some(lowest.iter().fold(zero, |all, costs| sum(&all, costs)))
    }

    /// Whether there is an answer set within the bound.
    pub fn is_satisfiable(&self, within: &Within) -> bool {
        self.optimum().is_some_and(|optimum| fits(&optimum, &within.bound))
    }

    /// Whether costs are those of an answer set that is meant, if they are those of an answer set.
    fn is_meant(&self, costs: &[i64], within: &Within) -> bool {
        fits(costs, &within.bound) && (!within.optimal || self.optimum().is_some_and(|best| costs == best))
    }

    /// How many answer sets are meant, each counted once of those that nothing distinguishes.
    pub fn number(&self, within: &Within) -> u128 {
        let of_part = |part: &Rows| -> Numbers {
            match part {
                Rows::All { atoms, count, .. } => {
                    let zero = vec![0; self.optimum().map_or(0, |costs| costs.len())];
                    [(zero, if *count { 1 << atoms } else { 1 })].into()
                }
                Rows::Listed { rows, .. } => {
                    // Of those that nothing distinguishes, the cheapest one decides whether they are meant.
                    let mut cheapest: BTreeMap<&[bool], &Costs> = BTreeMap::new();
                    for row in rows {
                        let known = cheapest.entry(&row.key).or_insert(&row.costs);
                        *known = (*known).min(&row.costs);
                    }
                    let mut numbers = Numbers::new();
                    cheapest.into_values().for_each(|costs| *numbers.entry(costs.clone()).or_default() += 1);
                    numbers
                }
            }
        };
        let Some(zero) = self.optimum().map(|costs| vec![0; costs.len()]) else { return 0 };
        let all = self.parts.iter().map(of_part).fold([(zero, 1)].into(), |all, more| product(&all, &more));
        all.iter().filter(|(costs, _)| self.is_meant(costs, within)).map(|(_, number)| number).sum()
    }

    /// The names that are printed for some of the answer sets that are meant (`all`: for all of them), sorted; those that
    /// may be consequences.
    pub fn consequences(&self, within: &Within, all: bool) -> Vec<String> {
        self.names(within, all, true)
    }

    /// The names that are printed for all answer sets that are meant, and that nobody has asked for, sorted.
    pub fn always(&self, within: &Within) -> Vec<String> {
        self.names(within, true, false)
    }

    fn names(&self, within: &Within, all: bool, asked: bool) -> Vec<String> {
        let mut names = Vec::new();
        let (Some(lowest), Some(optimum)) = (&self.lowest, self.optimum()) else { return names };
        for (number, part) in self.parts.iter().enumerate() {
            let others: Costs = optimum.iter().zip(&lowest[number]).map(|(all, own)| all - own).collect();
            let is_consequence = |output: usize| match part {
                Rows::All { .. } => !all,
                Rows::Listed { rows, .. } => {
                    let mut meant =
                        rows.iter().filter(|row| self.is_meant(&sum(&row.costs, &others), within));
                    match all {
                        true => meant.all(|row| row.prints[output]),
                        false => meant.any(|row| row.prints[output]),
                    }
                }
            };
            for (output, (name, is_asked)) in self.outputs[number].iter().enumerate() {
                if *is_asked == asked && is_consequence(output) {
                    names.push(format!("p{number}{name}"));
                }
            }
        }
        names.sort_unstable();
        names
    }

    /// All names that may be consequences, sorted.
    pub fn asked(&self) -> Vec<String> {
        let outputs = self.outputs.iter().enumerate();
        let asked = outputs.flat_map(|(number, outputs)| {
            outputs.iter().filter(|(_, is_asked)| *is_asked).map(move |(name, _)| format!("p{number}{name}"))
        });
        let mut asked: Vec<String> = asked.collect();
        asked.sort_unstable();
        asked
    }

    /// The answer sets that print exactly these names: how many of each costs, of those that are distinguished. None if there is
    /// no such answer set.
    pub fn printing(&self, names: &[&str]) -> Option<Numbers> {
        let mut of_parts: Vec<Vec<String>> = vec![Vec::new(); self.parts.len()];
        for name in names {
            let digits = name.strip_prefix('p')?.bytes().take_while(u8::is_ascii_digit).count();
            let number: usize = name[1..1 + digits].parse().ok()?;
            of_parts.get_mut(number)?.push(name[1 + digits..].to_string());
        }
        let zero = vec![0; self.optimum()?.len()];
        let mut all = Numbers::from([(zero.clone(), 1)]);
        for ((names, part), outputs) in of_parts.iter_mut().zip(&self.parts).zip(&self.outputs) {
            names.sort_unstable();
            let numbers = match part {
                Rows::Listed { rows, by_names } => {
                    let distinct: BTreeSet<(&Costs, &[bool])> =
                        by_names.get(names)?.iter().map(|&i| (&rows[i].costs, &rows[i].key[..])).collect();
                    let mut numbers = Numbers::new();
                    distinct
                        .into_iter()
                        .for_each(|(costs, _)| *numbers.entry(costs.clone()).or_default() += 1);
                    numbers
                }
                Rows::All { atoms, shown, count } => {
                    let is_known = |name: &String| outputs.iter().any(|(known, _)| known == name);
                    let are_distinct = names.windows(2).all(|pair| pair[0] != pair[1]);
                    if !names.iter().all(is_known) || !are_distinct {
                        return None;
                    }
                    [(zero.clone(), if *count && !shown { 1 << atoms } else { 1 })].into()
                }
            };
            all = product(&all, &numbers);
        }
        Some(all)
    }

    /// What distinguishes the answer sets that print exactly these names, if that is the same for all of them.
    pub fn key(&self, names: &[&str]) -> Option<Vec<bool>> {
        let mut key = Vec::new();
        for (number, (part, outputs)) in self.parts.iter().zip(&self.outputs).enumerate() {
            let begin = format!("p{number}");
            let is_own = |rest: &&str| !rest.starts_with(|c: char| c.is_ascii_digit());
            let own = names.iter().filter_map(|name| name.strip_prefix(begin.as_str())).filter(is_own);
            let mut own: Vec<String> = own.map(str::to_string).collect();
            own.sort_unstable();
            match part {
                Rows::Listed { rows, by_names } => {
                    let mut keys = by_names.get(&own)?.iter().map(|&i| &rows[i].key);
                    let first = keys.next()?;
                    keys.all(|other| other == first).then_some(())?;
                    key.extend(first);
                }
                Rows::All { shown: true, count: true, .. } => {
                    key.extend(outputs.iter().map(|(name, _)| own.binary_search(name).is_ok()));
                }
                Rows::All { count: false, .. } => {}
                Rows::All { shown: false, count: true, .. } => return None,
            }
        }
        Some(key)
    }
}

#[cfg(test)]
mod tests {
    use super::super::part::head_cycle;
    use super::*;
    use crate::rich::{self, Meaning};

    /// Two small programs and an atom that is not printed, as parts and as one program.
    #[test]
    fn parts_have_the_answer_sets_of_the_whole() {
        for seed in 0..60 {
            let small = |seed: u64| {
                let program = rich::generate_weighted(seed);
                (program.atoms <= 6).then_some(Part::Rich(program))
            };
            let Some((a, b)) = (0..40).find_map(|i| small(1000 * seed + i).zip(small(9999 * seed + i)))
            else {
                continue;
            };
            let program = Program { parts: vec![a, b, Part::Free { atoms: 1, shown: seed % 2 == 0 }] };
            let whole = program.merged();
            let meaning = Meaning::of(&whole);
            let table = Table::new(&program, true, Onto::Atoms, true);
            assert_eq!(table.optimum().as_ref(), meaning.optimum(), "seed {seed}");
            assert_eq!(table.number(&Within::default()), meaning.answer_sets.len() as u128);
            let optimal = Within { optimal: true, ..Within::default() };
            assert_eq!(table.number(&optimal), meaning.optimal().len() as u128, "seed {seed}");
            let bound = meaning.costs.first().cloned().unwrap_or_default();
            let within = Within { bound: bound.clone(), optimal: false };
            assert_eq!(table.number(&within), meaning.within(&bound).len() as u128, "seed {seed}");
            for (sets, within) in [(meaning.optimal(), optimal), (meaning.within(&bound), within)] {
                let (brave, cautious) = rich::consequences(&whole, &sets);
                let has = !sets.is_empty();
                assert_eq!(has.then(|| table.consequences(&within, false)), brave, "seed {seed}");
                assert_eq!(has.then(|| table.consequences(&within, true)), cautious, "seed {seed}");
            }
            let stated = Table::new(&program, false, Onto::Stated, true);
            if whole.projection.is_some() {
                let want = rich::projections(&whole, &meaning.answer_sets).len() as u128;
                assert_eq!(stated.number(&Within::default()), want, "seed {seed}");
            }
            for (&set, costs) in meaning.answer_sets.iter().zip(&meaning.costs) {
                let names = rich::printed(&whole, set);
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                let same = |other: &&u32| rich::printed(&whole, **other) == names;
                let printing = table.printing(&names).expect("there is one");
                let number = meaning.answer_sets.iter().filter(same).count() as u128;
                assert_eq!((printing.values().sum::<u128>(), printing.contains_key(costs)), (number, true));
            }
        }
    }

    #[test]
    fn combinations_are_counted_and_not_listed() {
        let mut parts = vec![Part::Rich(head_cycle()); 14];
        parts.push(Part::Free { atoms: 40, shown: true });
        let table = Table::new(&Program { parts }, true, Onto::Atoms, false);
        assert_eq!(table.number(&Within::default()), 5u128.pow(14) << 40);
        assert_eq!(table.printing(&["p14x1", "p14x40", "p3x3"]), None);
        let one = table.printing(&["p3x1", "p3x3", "p14x40"]);
        assert_eq!(one, Some([(vec![], 1)].into()));
        assert_eq!(table.printing(&["p15x1"]), None);
    }
}
