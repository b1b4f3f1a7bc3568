//! Proofs about small random programs: right ones, changed ones, and whether what they conclude is true.

use super::{all_hold, holds, to_text, within, Body, Program, Random, Set};
use yasmin_check::proof::{Proof, Step};
use yasmin_check::{Checker, Conclusion, Kind};

/// What the test knows of a proof so far.
#[derive(Clone)]
pub struct World<'a> {
    pub program: &'a Program,
    pub answer_sets: Vec<Set>,
    pub definitions: Vec<Step>,
    pub kind: i64,
    pub bounds: Vec<i64>,
    pub answers: Vec<Set>,
}

impl World<'_> {
    pub fn new(program: &Program) -> World<'_> {
        let answer_sets = program.answer_sets();
        let none = Vec::new;
        World { program, answer_sets, definitions: Vec::new(), kind: 0, bounds: Vec::new(), answers: none() }
    }

    pub fn ask(&mut self, kind: i64, bounds: Vec<i64>) -> Step {
        (self.kind, self.bounds, self.answers) = (kind, bounds.clone(), Vec::new());
        Step::Question { kind, bounds }
    }

    /// The step of an answer set.
    pub fn tell(&mut self, set: Set) -> Step {
        self.answers.push(set);
        let atoms = (1..=self.program.atoms).filter(|&atom| holds(atom, set));
        Step::Answer(atoms.map(|atom| atom * self.program.stride).collect())
    }

    /// The answer sets that are still looked for.
    pub fn looked_for(&self) -> Vec<Set> {
        let p = self.program;
        let is_news = |&set: &Set| {
            let is_more = |conditions: bool| {
                let asked = p.asked(self.kind);
                let mut news = asked.iter().filter(|(_, condition)| {
                    let mut held = self.answers.iter().map(|&answer| all_hold(condition, answer));
                    match conditions {
                        true => !held.any(|holds| holds) && all_hold(condition, set),
                        false => held.all(|holds| holds) && !all_hold(condition, set),
                    }
                });
                self.answers.is_empty() || news.next().is_some()
            };
            match self.kind {
                0 => true,
                1..=3 => {
                    let seen = p.seen(self.kind, set);
                    !self.answers.iter().any(|&answer| p.seen(self.kind, answer) == seen)
                }
                4 => self.answers.last().is_none_or(|&last| p.costs(set) < p.costs(last)),
                5 | 7 => is_more(true),
                _ => is_more(false),
            }
        };
        let fits = |set: &Set| within(&p.costs(*set), &self.bounds) && is_news(set);
        self.answer_sets.iter().copied().filter(fits).collect()
    }

    /// Whether a literal of the proof holds in an answer set.
    pub fn holds(&self, lit: i64, set: Set) -> bool {
        let p = self.program;
        if lit < 0 {
            return !self.holds(-lit, set);
        }
        let (last_atom, edges) = (p.last_atom(), p.edges.len() as i64);
        match lit {
            _ if lit <= last_atom => lit % p.stride == 0 && holds(lit / p.stride, set),
            _ if lit <= last_atom + edges => all_hold(&p.edges[(lit - last_atom - 1) as usize].2, set),
            _ if lit <= p.last_number() => true,
            _ => self.definitions.iter().any(|step| match step {
                Step::Definition { var, lits } if *var == lit => lits.iter().all(|&lit| self.holds(lit, set)),
                Step::Sum { var, bound, terms } if *var == lit => {
                    let held = terms.iter().filter(|&&(_, lit)| self.holds(lit, set));
                    held.map(|&(weight, _)| i128::from(weight)).sum::<i128>() >= i128::from(*bound)
                }
                _ => false,
            }),
        }
    }

    /// Whether a literal holds in an answer set that a conclusion tells of in words.
    fn holds_as_told(&self, told: &str, set: Set) -> bool {
        if let Some(complement) = told.strip_prefix("not ") {
            return !self.holds_as_told(complement, set);
        }
        match self.program.outputs.iter().find(|(name, _)| name == told) {
            Some((_, condition)) => all_hold(condition, set),
            None => self.holds(told.parse().expect("a name or a number"), set),
        }
    }

    pub fn last_number(&self) -> i64 {
        let of = |step: &Step| match step {
            Step::Definition { var, .. } | Step::Sum { var, .. } => *var,
            _ => 0,
        };
        self.definitions.iter().map(of).max().unwrap_or(0).max(self.program.last_number())
    }

    pub fn literal(&self, random: &mut Random) -> i64 {
        let introduced = self.definitions.iter().filter_map(|step| match step {
            Step::Definition { var, .. } | Step::Sum { var, .. } => Some(*var),
            _ => None,
        });
        let known: Vec<i64> = (1..=self.program.last_number()).chain(introduced).collect();
        random.pick(&known) * if random.one_in(2) { 1 } else { -1 }
    }

    pub fn lits(&self, random: &mut Random, most: i64) -> Vec<i64> {
        (0..random.range(0, most)).map(|_| self.literal(random)).collect()
    }

    /// A random step, which may be wrong if it is none of `d`, `s`, `q` and `a`. `round` is the number of steps tried before.
    pub fn step(&mut self, random: &mut Random, round: i64) -> Option<Step> {
        Some(match random.range(0, 11) {
            0 | 1 => self.definition(random),
            2 if round > 3 => self.ask(random.range(1, 8), some_bounds(self.program, random)),
            3 if self.kind > 0 => match self.looked_for()[..] {
                [] => return None,
                ref sets => self.tell(*random.pick(sets)),
            },
            4 | 5 if priorities(self.program) > 0 && !self.definitions.is_empty() => {
                let &Step::Sum { var, .. } = random.pick(&self.definitions) else { return None };
                let priority = random.range(1, priorities(self.program));
                match random.range(0, 3) {
                    0 | 1 => Step::Rewriting { priority, weight: random.range(1, 2), var },
                    2 => Step::Least { priority, var },
                    _ => Step::Nogood(vec![-var]),
                }
            }
            6 => Step::Deletion(random.range(1, round + 1)),
            7..=9 => {
                let mut lits = self.lits(random, 4);
                let mut atoms: Vec<i64> = lits.iter().copied().filter(|&lit| lit > 0).collect();
                atoms.retain(|&atom| atom <= self.program.last_number());
                let more = random.range(0, 2);
                atoms.extend((0..more).map(|_| random.range(1, self.program.last_number())));
                if random.one_in(3) {
                    // A nogood for each of the atoms.
                    lits.retain(|lit| !atoms.contains(lit));
                }
                Step::Loop { lits, atoms }
            }
            _ => Step::Nogood(self.lits(random, 3)),
        })
    }

    /// A random definition. Some define what is there already.
    pub fn definition(&mut self, random: &mut Random) -> Step {
        let var = self.last_number() + random.range(1, 2);
        let step = match random.range(0, 3) {
            0 => Step::Definition { var, lits: self.lits(random, 3) },
            1 => {
                let terms = (0..random.range(0, 3)).map(|_| (random.range(1, 3), self.literal(random)));
                Step::Sum { var, terms: terms.collect(), bound: random.range(-1, 5) }
            }
            2 => match &random.pick(&self.program.rules).body {
                Body::All(lits) => {
                    let mut lits: Vec<i64> = lits.iter().map(|lit| lit * self.program.stride).collect();
                    random.shuffle(&mut lits);
                    Step::Definition { var, lits }
                }
                Body::Sum(bound, terms) => {
                    let terms = terms.iter().filter(|(_, weight)| *weight > 0);
                    let terms = terms.map(|&(lit, weight)| (weight, lit * self.program.stride));
                    Step::Sum { var, bound: *bound, terms: terms.collect() }
                }
            },
            // A sum over what costs, for `r`.
            _ => {
                let terms: Vec<_> = self.program.minimize.iter().flat_map(|(_, terms)| terms).collect();
                let mut list: Vec<(i64, i64)> = Vec::new();
                for (lit, weight) in terms {
                    if *weight != 0 && !list.iter().any(|(_, known)| known.abs() == lit.abs()) {
                        list.push((1, lit * weight.signum() * self.program.stride));
                    }
                }
                random.shuffle(&mut list);
                list.truncate(random.range(1, 3) as usize);
                list.sort_unstable();
                Step::Sum { var, bound: random.range(1, 2), terms: list }
            }
        };
        self.definitions.push(step.clone());
        step
    }
}

pub fn priorities(program: &Program) -> i64 {
    program.costs(0).len() as i64
}

pub fn some_bounds(program: &Program, random: &mut Random) -> Vec<i64> {
    let count = if random.one_in(2) { 0 } else { random.range(0, priorities(program)) };
    (0..count).map(|_| random.range(-3, 5)).collect()
}

pub fn told<T>(result: Result<T, String>, program: &Program, steps: &[Step], seed: u64) -> T {
    result.unwrap_or_else(|error| panic!("seed {seed}: {error}\n{}\n{}", program.to_text(), to_text(steps)))
}

/// Writes proofs by splitting over all atoms.
pub struct Writer<'a, 'r> {
    pub world: World<'a>,
    pub random: &'r mut Random,
    pub steps: Vec<Step>,
    /// How many nogoods there are.
    pub serial: i64,
}

impl Writer<'_, '_> {
    pub fn push(&mut self, step: Step) {
        if matches!(step, Step::Nogood(_)) && self.random.one_in(2) {
            self.steps.push(some_reasons(self.serial, self.random));
        }
        self.serial += match &step {
            Step::Loop { lits, atoms } if !lits.iter().any(|lit| atoms.contains(lit)) => atoms.len() as i64,
            Step::Nogood(_) | Step::Loop { .. } | Step::Answer(_) => 1,
            _ => 0,
        };
        self.steps.push(step);
    }

    /// A proof of a question, and perhaps of another about the optimal answer sets.
    pub fn write(&mut self) {
        for _ in 0..self.random.range(0, 2) {
            let step = self.world.definition(self.random);
            self.push(step);
        }
        let kind = self.random.range(1, 8);
        let bounds = some_bounds(self.world.program, self.random);
        self.question(kind, bounds);
        if kind == 4 && self.random.one_in(2) {
            if let Some(&best) = self.world.answers.last() {
                let bounds = self.world.program.costs(best);
                let kind = self.random.range(1, 8);
                self.question(kind, bounds);
            }
        }
        self.push(Step::End(true));
    }

    pub fn question(&mut self, kind: i64, bounds: Vec<i64>) {
        let step = self.world.ask(kind, bounds);
        self.push(step);
        self.refute();
    }

    /// Tells all answer sets that are left, and shows that there is no other.
    pub fn refute(&mut self) {
        while let sets @ [_, ..] = &self.world.looked_for()[..] {
            let set = *self.random.pick(sets);
            let step = self.world.tell(set);
            self.push(step);
        }
        let mut atoms = self.world.program.named();
        self.random.shuffle(&mut atoms);
        self.split(&atoms, &mut Vec::new());
    }

    /// Shows that nothing is left with the literals of `prefix`.
    pub fn split(&mut self, atoms: &[i64], prefix: &mut Vec<i64>) {
        let program = self.world.program;
        let nogood = prefix.iter().map(|lit| lit * program.stride).collect();
        let Some((&atom, rest)) = atoms.split_first() else {
            let step = self.leaf(nogood, prefix);
            return self.push(step);
        };
        let mut children = Vec::new();
        for lit in [atom, -atom] {
            prefix.push(lit);
            self.split(rest, prefix);
            children.push(self.serial);
            prefix.pop();
        }
        self.push(Step::Nogood(nogood));
        for child in children {
            if self.random.one_in(2) {
                self.push(Step::Deletion(child));
            }
        }
    }

    /// Shows that an assignment is no answer set that is left.
    pub fn leaf(&self, mut lits: Vec<i64>, prefix: &[i64]) -> Step {
        let p = self.world.program;
        let set = prefix.iter().filter(|&&lit| lit > 0).fold(0, |set: Set, lit| set | 1 << lit);
        if !p.is_classical_model(set) {
            return Step::Nogood(lits);
        }
        if let Some(smaller) = p.smaller(set) {
            let atoms = (1..=p.atoms).filter(|&atom| holds(atom, set & !smaller));
            return Step::Loop { lits, atoms: atoms.map(|atom| atom * p.stride).collect() };
        }
        let cycle = p.cycle(set);
        let [first, ..] = cycle[..] else { return Step::Nogood(lits) };
        let (nodes, edges) = (p.nodes(), p.edges.len() as i64);
        let node = |node: i64| {
            let place = nodes.binary_search(&node).expect("a node");
            p.last_atom() + 2 * edges + 1 + place as i64
        };
        lits.push(node(first));
        let mut atoms: Vec<i64> = cycle.iter().map(|&name| node(name)).collect();
        for (number, (_, to, condition)) in (1..).zip(&p.edges) {
            if cycle.contains(to) && all_hold(condition, set) {
                atoms.push(p.last_atom() + edges + number);
            }
        }
        Step::Loop { lits, atoms }
    }
}

/// Checks all steps. The conclusion is there only if the proof has one of one question.
pub fn check(program: &Program, steps: &[Step]) -> Result<Option<Conclusion>, String> {
    run(program.checker(), steps)
        .map_err(|(number, error)| format!("step {number}: {error}: {}", steps[number]))
}

/// What a checker says. A refused step has a number, from 0.
pub fn run(checker: Checker, steps: &[Step]) -> Result<Option<Conclusion>, (usize, String)> {
    after(checker, steps).map(|checker| checker.conclusion())
}

/// A checker that has accepted all steps. A refused step has a number, from 0.
pub fn after(mut checker: Checker, steps: &[Step]) -> Result<Checker, (usize, String)> {
    for (number, step) in steps.iter().enumerate() {
        checker.step(step).map_err(|error| (number, error))?;
    }
    Ok(checker)
}

/// Whether a conclusion is true of the answer sets in which all holds that the conclusion says is assumed.
pub fn verify(world: &World<'_>, conclusion: &Conclusion) -> Result<(), String> {
    let program = world.program;
    let is_meant = |set: &Set| conclusion.assumed.iter().all(|told| world.holds_as_told(told, *set));
    let sets: Vec<Set> = world.answer_sets.iter().copied().filter(is_meant).collect();
    let bounds: Vec<i64> = conclusion.bounds.iter().map(|&bound| bound as i64).collect();
    let inside: Vec<Set> = sets.iter().copied().filter(|&set| within(&program.costs(set), &bounds)).collect();
    let best = |sets: &[Set]| sets.iter().map(|&set| program.costs(set)).min();
    let count = |kind: i64| {
        let mut seen: Vec<_> = inside.iter().map(|&set| program.seen(kind, set)).collect();
        seen.sort_unstable();
        seen.dedup();
        seen.len() as u64
    };
    let wrong = |what: &str| Err(format!("{what}: {conclusion:?}"));
    let found = conclusion.answer_sets;
    if (found == 0) != inside.is_empty() {
        return wrong("whether there is an answer set");
    }
    let costs: Option<Vec<i64>> =
        conclusion.costs.as_ref().map(|costs| costs.iter().map(|&cost| cost as i64).collect());
    let kind = match conclusion.question {
        Kind::AnswerSets => 1,
        Kind::Projections => 2,
        Kind::Shown => 3,
        Kind::Optimum => 4,
        Kind::Brave => 5,
        Kind::Cautious => 6,
        Kind::BraveOfAll => 7,
        Kind::CautiousOfAll => 8,
    };
    if conclusion.optimal && conclusion.question != Kind::Optimum && best(&sets).as_ref() != Some(&bounds) {
        return wrong("the bounds are not optimal");
    }
    match kind {
        1..=3 if count(kind) != found => wrong("the count"),
        4 if found > 0 && costs.unwrap_or_default() != best(&sets).unwrap_or_default() => {
            wrong("the optimum")
        }
        4 if found > 0 && !conclusion.optimal => wrong("the optimum is not said"),
        5..=8 if found > 0 => match &conclusion.consequences {
            Some(names) if *names == program.consequences(kind, &inside) => Ok(()),
            _ => wrong("the consequences"),
        },
        _ => Ok(()),
    }
}

/// Reads a proof.
pub fn read(mut bytes: &[u8]) -> Vec<Step> {
    let mut proof = Proof::new(&mut bytes);
    let mut steps = Vec::new();
    while let Some(step) = proof.step().expect("it can be read") {
        steps.push(step);
    }
    steps
}

/// Changes something of a proof.
/// Any nogoods, right or wrong, of those so far, of which there are `serial`, and some that are not there.
pub fn some_reasons(serial: i64, random: &mut Random) -> Step {
    Step::Because(
        (0..random.range(0, 5)).map(|_| random.range(-1, serial + 1)).filter(|&at| at != 0).collect(),
    )
}

pub fn mutate(steps: &mut Vec<Step>, program: &Program, random: &mut Random) {
    if steps.len() < 2 {
        return;
    }
    let at = random.range(0, steps.len() as i64 - 1) as usize;
    let last = program.last_number() + 1;
    match random.range(0, 7) {
        0 | 1 => drop(steps.remove(at)),
        2 => {
            let other = random.range(0, steps.len() as i64 - 1) as usize;
            steps.swap(at, other);
        }
        3 => {
            let copy = steps[at].clone();
            steps.insert(random.range(0, steps.len() as i64 - 1) as usize, copy);
        }
        _ => {
            let change = |list: &mut Vec<i64>, random: &mut Random| match random.range(0, 2) {
                0 if !list.is_empty() => {
                    list.swap_remove(random.range(0, list.len() as i64 - 1) as usize);
                }
                1 => list.push(random.range(1, last) * if random.one_in(2) { 1 } else { -1 }),
                _ => {
                    if let Some(number) = list.first_mut() {
                        *number = -*number;
                    }
                }
            };
            match &mut steps[at] {
                Step::Nogood(lits)
                | Step::Cycle(lits)
                | Step::Because(lits)
                | Step::Definition { lits, .. }
                | Step::Answer(lits)
                | Step::Call(lits)
                | Step::Finished { core: lits, .. }
                | Step::Assumption(lits) => change(lits, random),
                Step::Loop { lits, .. } if random.one_in(2) => change(lits, random),
                Step::Loop { atoms, .. } => change(atoms, random),
                Step::Question { kind, .. } if random.one_in(2) => *kind = random.range(1, 8),
                Step::Question { bounds, .. } => match bounds.last_mut() {
                    Some(bound) => *bound += random.range(-1, 1),
                    None => bounds.push(random.range(-3, 3)),
                },
                Step::Sum { bound, .. } => *bound += random.range(-1, 1),
                Step::Deletion(number) => *number += random.range(-1, 1),
                Step::Rewriting { weight, .. } => *weight += 1,
                Step::Least { var, .. } => *var += 1,
                Step::End(is_concluded) => *is_concluded = !*is_concluded,
            }
        }
    }
}
