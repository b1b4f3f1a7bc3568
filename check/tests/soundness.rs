//! Random small programs, compared with brute force: whatever the checker accepts is true, and right proofs are
//! accepted.
//!
//! `SEEDS=20000 cargo test --release -p yasmin-check --test soundness` tries more, `SEED=7` only one.

mod common;

use common::{all_hold, holds, to_binary, to_text, within, Program, Random, Set};
use yasmin_check::proof::{Proof, Step};
use yasmin_check::{Checker, Conclusion, Kind};

fn seeds() -> Vec<u64> {
    let number = |name| std::env::var(name).ok().and_then(|text: String| text.parse::<u64>().ok());
    match number("SEED") {
        Some(seed) => vec![seed],
        None => (0..number("SEEDS").unwrap_or(300)).collect(),
    }
}

/// What the test knows of a proof so far.
#[derive(Clone)]
struct World<'a> {
    program: &'a Program,
    answer_sets: Vec<Set>,
    definitions: Vec<Step>,
    kind: i64,
    bounds: Vec<i64>,
    answers: Vec<Set>,
}

impl World<'_> {
    fn new(program: &Program) -> World<'_> {
        let answer_sets = program.answer_sets();
        let none = Vec::new;
        World { program, answer_sets, definitions: Vec::new(), kind: 0, bounds: Vec::new(), answers: none() }
    }

    fn ask(&mut self, kind: i64, bounds: Vec<i64>) -> Step {
        (self.kind, self.bounds, self.answers) = (kind, bounds.clone(), Vec::new());
        Step::Question { kind, bounds }
    }

    /// The step of an answer set.
    fn tell(&mut self, set: Set) -> Step {
        self.answers.push(set);
        let atoms = (1..=self.program.atoms).filter(|&atom| holds(atom, set));
        Step::Answer(atoms.map(|atom| atom * self.program.stride).collect())
    }

    /// The answer sets that are still looked for.
    fn looked_for(&self) -> Vec<Set> {
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
    fn holds(&self, lit: i64, set: Set) -> bool {
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

    fn last_number(&self) -> i64 {
        let of = |step: &Step| match step {
            Step::Definition { var, .. } | Step::Sum { var, .. } => *var,
            _ => 0,
        };
        self.definitions.iter().map(of).max().unwrap_or(0).max(self.program.last_number())
    }

    fn literal(&self, random: &mut Random) -> i64 {
        let introduced = self.definitions.iter().filter_map(|step| match step {
            Step::Definition { var, .. } | Step::Sum { var, .. } => Some(*var),
            _ => None,
        });
        let known: Vec<i64> = (1..=self.program.last_number()).chain(introduced).collect();
        random.pick(&known) * if random.one_in(2) { 1 } else { -1 }
    }

    fn lits(&self, random: &mut Random, most: i64) -> Vec<i64> {
        (0..random.range(0, most)).map(|_| self.literal(random)).collect()
    }

    /// A random definition. Some define what is there already.
    fn definition(&mut self, random: &mut Random) -> Step {
        let var = self.last_number() + random.range(1, 2);
        let step = match random.range(0, 3) {
            0 => Step::Definition { var, lits: self.lits(random, 3) },
            1 => {
                let terms = (0..random.range(0, 3)).map(|_| (random.range(1, 3), self.literal(random)));
                Step::Sum { var, terms: terms.collect(), bound: random.range(-1, 5) }
            }
            2 => match &random.pick(&self.program.rules).body {
                common::Body::All(lits) => {
                    let mut lits: Vec<i64> = lits.iter().map(|lit| lit * self.program.stride).collect();
                    random.shuffle(&mut lits);
                    Step::Definition { var, lits }
                }
                common::Body::Sum(bound, terms) => {
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

fn priorities(program: &Program) -> i64 {
    program.costs(0).len() as i64
}

fn some_bounds(program: &Program, random: &mut Random) -> Vec<i64> {
    let count = if random.one_in(2) { 0 } else { random.range(0, priorities(program)) };
    (0..count).map(|_| random.range(-3, 5)).collect()
}

fn told<T>(result: Result<T, String>, program: &Program, steps: &[Step], seed: u64) -> T {
    result.unwrap_or_else(|error| panic!("seed {seed}: {error}\n{}\n{}", program.to_text(), to_text(steps)))
}

#[test]
fn accepted_nogoods_hold() {
    let mut accepted = [0; 5];
    for seed in seeds() {
        let random = &mut Random(seed);
        let program = Program::random(random);
        if program.named().is_empty() {
            continue;
        }
        let mut world = World::new(&program);
        let mut checker = program.checker();
        let mut steps = Vec::new();
        for round in 0..60 {
            let step = match random.range(0, 11) {
                0 | 1 => world.definition(random),
                2 if round > 3 => world.ask(random.range(1, 8), some_bounds(&program, random)),
                3 if world.kind > 0 => match world.looked_for()[..] {
                    [] => continue,
                    ref sets => world.tell(*random.pick(sets)),
                },
                4 | 5 if priorities(&program) > 0 && !world.definitions.is_empty() => {
                    let &Step::Sum { var, .. } = random.pick(&world.definitions) else { continue };
                    let priority = random.range(1, priorities(&program));
                    match random.range(0, 3) {
                        0 | 1 => Step::Rewriting { priority, weight: random.range(1, 2), var },
                        2 => Step::Least { priority, var },
                        _ => Step::Nogood(vec![-var]),
                    }
                }
                6 => Step::Deletion(random.range(1, round + 1)),
                7..=9 => {
                    let mut lits = world.lits(random, 4);
                    let mut atoms: Vec<i64> = lits.iter().copied().filter(|&lit| lit > 0).collect();
                    atoms.retain(|&atom| atom <= program.last_number());
                    let more = random.range(0, 2);
                    atoms.extend((0..more).map(|_| random.range(1, program.last_number())));
                    if random.one_in(3) {
                        // A nogood for each of the atoms.
                        lits.retain(|lit| !atoms.contains(lit));
                    }
                    Step::Loop { lits, atoms }
                }
                _ => Step::Nogood(world.lits(random, 3)),
            };
            steps.push(step.clone());
            let is_sure = matches!(
                step,
                Step::Definition { .. } | Step::Sum { .. } | Step::Question { .. } | Step::Answer(_)
            );
            match checker.step(&step) {
                Err(error) if is_sure => told(Err(error), &program, &steps, seed),
                Err(_) => {
                    steps.pop();
                    continue;
                }
                Ok(_) => {}
            }
            let nogoods: Vec<Vec<i64>> = match &step {
                Step::Nogood(lits) => vec![lits.clone()],
                Step::Loop { lits, atoms } if lits.iter().any(|lit| atoms.contains(lit)) => {
                    vec![lits.clone()]
                }
                Step::Loop { lits, atoms } => {
                    atoms.iter().map(|&atom| [&lits[..], &[atom]].concat()).collect()
                }
                Step::Rewriting { .. } => {
                    accepted[2] += 1;
                    continue;
                }
                Step::Least { .. } => {
                    accepted[4] += 1;
                    continue;
                }
                _ => continue,
            };
            accepted[usize::from(matches!(step, Step::Loop { .. }))] += 1;
            for set in world.looked_for() {
                accepted[3] += 1;
                if nogoods.iter().any(|lits| lits.iter().all(|&lit| world.holds(lit, set))) {
                    let error = format!("the answer set {set:b} violates the last step");
                    told(Err(error), &program, &steps, seed)
                }
            }
        }
    }
    assert!(accepted.iter().all(|&count| count > 50), "{accepted:?}");
}

/// Writes proofs by splitting over all atoms.
struct Writer<'a, 'r> {
    world: World<'a>,
    random: &'r mut Random,
    steps: Vec<Step>,
    /// How many nogoods there are.
    serial: i64,
}

impl Writer<'_, '_> {
    fn push(&mut self, step: Step) {
        self.serial += i64::from(matches!(step, Step::Nogood(_) | Step::Loop { .. } | Step::Answer(_)));
        self.steps.push(step);
    }

    /// A proof of a question, and perhaps of another about the optimal answer sets.
    fn write(&mut self) {
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

    fn question(&mut self, kind: i64, bounds: Vec<i64>) {
        let step = self.world.ask(kind, bounds);
        self.push(step);
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
    fn split(&mut self, atoms: &[i64], prefix: &mut Vec<i64>) {
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
    fn leaf(&self, mut lits: Vec<i64>, prefix: &[i64]) -> Step {
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

/// Checks all steps. The conclusion is there only if the proof has one.
fn check(program: &Program, steps: &[Step]) -> Result<Option<Conclusion>, String> {
    let mut checker: Checker = program.checker();
    for (step, number) in steps.iter().zip(1..) {
        checker.step(step).map_err(|error| format!("step {number}: {error}: {step}"))?;
    }
    Ok(checker.conclusion())
}

/// Whether a conclusion is true.
fn verify(program: &Program, conclusion: &Conclusion) -> Result<(), String> {
    let sets = program.answer_sets();
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
fn read(mut bytes: &[u8]) -> Vec<Step> {
    let mut proof = Proof::new(&mut bytes);
    let mut steps = Vec::new();
    while let Some(step) = proof.step().expect("it can be read") {
        steps.push(step);
    }
    steps
}

#[test]
fn right_proofs_are_accepted_and_mutants_prove_nothing_wrong() {
    let (mut accepted, mut refused) = (0, 0);
    for seed in seeds() {
        let random = &mut Random(seed ^ 0x5eed << 40);
        let program = Program::random(random);
        if program.named().is_empty() {
            continue;
        }
        let world = World::new(&program);
        let mut writer = Writer { world, random, steps: Vec::new(), serial: 0 };
        writer.write();
        let steps = writer.steps;
        let conclusion = told(check(&program, &steps), &program, &steps, seed);
        let conclusion = conclusion.expect("the proof has a conclusion");
        told(verify(&program, &conclusion), &program, &steps, seed);
        assert_eq!(read(to_text(&steps).as_bytes()), steps, "seed {seed}");
        assert_eq!(read(&to_binary(&steps)), steps, "seed {seed}");
        for _ in 0..30 {
            let mut mutant = steps.clone();
            for _ in 0..random.range(1, 3) {
                mutate(&mut mutant, &program, random);
            }
            match check(&program, &mutant) {
                Ok(Some(conclusion)) => {
                    accepted += 1;
                    told(verify(&program, &conclusion), &program, &mutant, seed);
                }
                Ok(None) => {}
                Err(_) => refused += 1,
            }
        }
    }
    assert!(accepted > 100 && refused > 100, "{accepted} {refused}");
}

/// Changes something of a proof.
fn mutate(steps: &mut Vec<Step>, program: &Program, random: &mut Random) {
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
                | Step::Definition { lits, .. }
                | Step::Answer(lits)
                | Step::Assumption(lits) => {
                    change(lits, random);
                }
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

#[test]
fn exactly_the_answer_sets_are_accepted() {
    let (mut accepted, mut refused) = (0, 0);
    for seed in seeds() {
        let random = &mut Random(seed ^ 0xa << 50);
        let program = match random.one_in(2) {
            true => Program::random(random),
            false => Program::random_loops(random),
        };
        if program.named().is_empty() {
            continue;
        }
        let mut world = World::new(&program);
        let mut checker = program.checker();
        let kind = random.range(1, 8);
        let question = world.ask(kind, some_bounds(&program, random));
        let mut steps = vec![question];
        told(checker.step(&steps[0]), &program, &steps, seed);
        let mut sets: Vec<Set> = (0..1 << program.atoms).map(|bits: Set| bits << 1).collect();
        random.shuffle(&mut sets);
        let named = program.named().into_iter().fold(0, |named: Set, atom| named | 1 << atom);
        for set in sets.into_iter().filter(|set| set & !named == 0) {
            let is_right = world.looked_for().contains(&set);
            let step = world.clone().tell(set);
            let result = checker.step(&step);
            steps.push(step);
            match result {
                Ok(_) if is_right => {
                    world.tell(set);
                    accepted += 1;
                }
                Err(_) if !is_right => {
                    steps.pop();
                    refused += 1;
                }
                result => told(Err(format!("{result:?}")), &program, &steps, seed),
            }
        }
    }
    assert!(accepted > 100 && refused > 100, "{accepted} {refused}");
}
