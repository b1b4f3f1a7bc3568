//! Whatever follows by the propagation that `docs/proof.md` demands is accepted. The propagation here is the plainest
//! there is: it looks at everything until nothing changes.

mod common;

use std::collections::HashMap;

use common::{holds, to_text, within, Body, Program, Random};
use yasmin_check::proof::Step;

/// A variable, a bound, and weights with literals.
type Sum = (i64, i64, Vec<(i64, i64)>);

/// All that is propagated.
#[derive(Default)]
struct Reference {
    hidden: i64,
    /// Nogoods that stay.
    program: Vec<Vec<i64>>,
    sums: Vec<Sum>,
    /// What was defined, and the variable.
    conjunctions: HashMap<Vec<i64>, i64>,
    defined_sums: HashMap<(i64, Vec<(i64, i64)>), i64>,
    /// The nogoods of steps by serial number, and whether a step `x` may remove them.
    steps: Vec<(Vec<i64>, bool)>,
    kept: Option<usize>,
    /// The constant and the literals of each priority.
    costs: Vec<Sum>,
    bounds: Vec<i64>,
    is_closed: bool,
}

impl Reference {
    fn new(p: &Program) -> Reference {
        let mut this = Reference { hidden: 1_000_000, ..Reference::default() };
        let number = |lit: i64| lit * p.stride;
        let mut supports: Vec<Vec<i64>> = vec![Vec::new(); p.last_number() as usize + 1];
        let mut rules: Vec<(bool, Vec<i64>, Body)> = Vec::new();
        for rule in &p.rules {
            let body = match &rule.body {
                Body::All(lits) => Body::All(lits.iter().map(|&lit| number(lit)).collect()),
                Body::Sum(bound, terms) => {
                    Body::Sum(*bound, terms.iter().map(|&(lit, weight)| (number(lit), weight)).collect())
                }
            };
            rules.push((rule.is_choice, rule.heads.iter().map(|&head| number(head)).collect(), body));
        }
        let (last, edges, nodes) = (p.last_atom(), p.edges.len() as i64, p.nodes());
        let node = |name: i64| last + 2 * edges + 1 + nodes.binary_search(&name).expect("a node") as i64;
        for (k, (_, to, condition)) in (1..).zip(&p.edges) {
            let condition = condition.iter().map(|&lit| number(lit)).collect();
            rules.push((false, vec![last + k], Body::All(condition)));
            rules.push((false, vec![last + edges + k], Body::All(vec![-last - k])));
            rules.push((false, vec![last + edges + k], Body::All(vec![node(*to)])));
        }
        for &name in &nodes {
            let leaving = (1..).zip(&p.edges).filter(|(_, edge)| edge.0 == name);
            rules.push((
                false,
                vec![node(name)],
                Body::All(leaving.map(|(k, _)| last + edges + k).collect()),
            ));
            this.program.push(vec![-node(name)]);
        }
        this.program.extend(p.assumptions.iter().map(|&lit| vec![-number(lit)]));
        for (is_choice, mut heads, body) in rules {
            if let Body::All(lits) = &body {
                if is_choice {
                    heads.retain(|head| !lits.contains(head));
                } else if heads.iter().any(|head| lits.contains(head)) {
                    continue;
                }
                heads.retain(|head| !lits.contains(&-head));
            }
            heads.sort_unstable();
            heads.dedup();
            let var = match body {
                Body::All(lits) => this.conjunction(None, lits),
                Body::Sum(bound, terms) => {
                    this.sum(None, bound, terms.into_iter().map(|(lit, weight)| (weight, lit)).collect())
                }
            };
            let negated = heads.iter().map(|head| -head);
            if !is_choice {
                this.program.push(negated.clone().chain([var]).collect());
            }
            for &head in &heads {
                let others = negated.clone().filter(|&other| other != -head && !is_choice);
                let support = this.conjunction(None, others.chain([var]).collect());
                supports[head as usize].push(-support);
            }
        }
        for (head, supports) in (0..).zip(supports).skip(1) {
            this.program.push(supports.into_iter().chain([head]).collect());
        }
        let mut costs: HashMap<i64, HashMap<i64, i64>> = HashMap::new();
        let mut constants: HashMap<i64, i64> = HashMap::new();
        for (priority, terms) in &p.minimize {
            let row = costs.entry(*priority).or_default();
            for &(lit, weight) in terms {
                *constants.entry(*priority).or_default() += if lit > 0 { 0 } else { weight };
                *row.entry(number(lit.abs())).or_default() += weight * lit.signum();
            }
        }
        let mut priorities: Vec<_> = costs.into_iter().collect();
        priorities.sort_by_key(|(priority, _)| -priority);
        for (priority, row) in priorities {
            let constant = constants.get(&priority).copied().unwrap_or(0);
            let negative: i64 = row.values().map(|&weight| weight.min(0)).sum();
            let terms = row.into_iter().map(|(var, weight)| (weight.abs(), var * weight.signum()));
            this.costs.push((0, constant + negative, terms.filter(|(weight, _)| *weight > 0).collect()));
        }
        this
    }

    fn conjunction(&mut self, var: Option<i64>, mut lits: Vec<i64>) -> i64 {
        self.hidden += 1;
        let var = var.unwrap_or(self.hidden);
        lits.sort_unstable();
        lits.dedup();
        self.program.extend(lits.iter().map(|&lit| vec![var, -lit]));
        self.program.push([&lits[..], &[-var]].concat());
        let first = *self.conjunctions.entry(lits).or_insert(var);
        self.program.extend([vec![first, -var], vec![var, -first]]);
        var
    }

    fn sum(&mut self, var: Option<i64>, bound: i64, terms: Vec<(i64, i64)>) -> i64 {
        self.hidden += 1;
        let var = var.unwrap_or(self.hidden);
        let mut weights: HashMap<i64, i64> = HashMap::new();
        terms.iter().for_each(|&(weight, lit)| *weights.entry(lit).or_default() += weight);
        let terms = weights.into_iter().filter(|(_, weight)| *weight > 0).map(|(lit, weight)| (weight, lit));
        let mut terms: Vec<(i64, i64)> = terms.collect();
        terms.sort_unstable();
        self.sums.push((var, bound, terms.clone()));
        let first = *self.defined_sums.entry((bound, terms)).or_insert(var);
        self.program.extend([vec![first, -var], vec![var, -first]]);
        var
    }

    /// Whether propagation finds a conflict under assumptions.
    fn conflicts(&self, assumed: &[i64]) -> bool {
        let mut values: HashMap<i64, bool> = HashMap::new();
        let mut queue: Vec<i64> = assumed.to_vec();
        loop {
            let mut changed = false;
            for lit in queue.drain(..) {
                match values.insert(lit.abs(), lit > 0) {
                    None => changed = true,
                    Some(value) if value != (lit > 0) => return true,
                    _ => {}
                }
            }
            let is =
                |lit: i64, wanted: bool| values.get(&lit.abs()).is_some_and(|&v| (v == (lit > 0)) == wanted);
            for nogood in self.program.iter().chain(self.steps.iter().map(|(lits, _)| lits)) {
                let open: Vec<i64> = nogood.iter().copied().filter(|&lit| !is(lit, true)).collect();
                match open[..] {
                    [] => return true,
                    [lit] => queue.push(-lit),
                    _ => {}
                }
            }
            let low = |terms: &[(i64, i64)]| -> i64 {
                terms.iter().filter(|&&(_, lit)| is(lit, true)).map(|(weight, _)| weight).sum()
            };
            for (var, bound, terms) in &self.sums {
                let low = low(terms);
                let high: i64 =
                    terms.iter().filter(|&&(_, lit)| !is(lit, false)).map(|(weight, _)| weight).sum();
                if low >= *bound {
                    queue.push(*var);
                }
                if high < *bound {
                    queue.push(-var);
                }
                for &(weight, lit) in terms {
                    if is(*var, true) && !is(lit, false) && high - weight < *bound {
                        queue.push(lit);
                    }
                    if is(*var, false) && !is(lit, true) && low + weight >= *bound {
                        queue.push(-lit);
                    }
                }
            }
            // The least costs, if a literal holds as well.
            let exceed = |with: i64| {
                let rows = self.costs.iter().take(self.bounds.len());
                let least = rows.map(|(_, constant, terms)| {
                    let more = terms.iter().filter(|&&(_, lit)| lit == with && !is(lit, true));
                    constant + low(terms) + more.map(|(weight, _)| weight).sum::<i64>()
                });
                least.gt(self.bounds.iter().copied())
            };
            if exceed(0) {
                return true;
            }
            let costly = self.costs.iter().flat_map(|(_, _, terms)| terms).map(|&(_, lit)| lit);
            queue.extend(costly.filter(|&lit| !is(lit, false) && exceed(lit)).map(|lit| -lit));
            if !changed && queue.iter().all(|&lit| is(lit, true)) {
                return self.is_closed;
            }
        }
    }
}

#[test]
fn what_follows_is_accepted() {
    let (mut followed, mut more) = (0, 0);
    for seed in yasmin_seeds::seeds(300) {
        let random = &mut Random(seed ^ 0xbee << 44);
        let p = if random.one_in(3) { Program::random_loops(random) } else { Program::random(random) };
        if p.named().is_empty() || !p.externals.is_empty() {
            continue;
        }
        let mut reference = Reference::new(&p);
        let mut checker = p.checker();
        let mut steps: Vec<Step> = Vec::new();
        let mut known: Vec<i64> = (1..=p.last_number()).collect();
        let mut question: Option<(i64, Vec<i64>)> = None;
        for _ in 0..60 {
            let literal = |random: &mut Random| random.pick(&known) * if random.one_in(2) { 1 } else { -1 };
            let list = |random: &mut Random, most| -> Vec<i64> {
                (0..random.range(0, most)).map(|_| literal(random)).collect()
            };
            let var = known.last().expect("a variable") + 1;
            let step = match random.range(0, 12) {
                0 => Step::Definition { var, lits: list(random, 3) },
                1 => {
                    let terms = list(random, 4).into_iter().map(|lit| (random.range(1, 3), lit));
                    let terms: Vec<(i64, i64)> = terms.collect();
                    Step::Sum { var, bound: random.range(-1, 7), terms }
                }
                2 if question.is_none() || random.one_in(3) => {
                    let count = random.range(0, p.costs(0).len() as i64);
                    let bounds = (0..count).map(|_| random.range(-2, 5)).collect();
                    Step::Question { kind: *random.pick(&[1, 4]), bounds }
                }
                3 if question.is_some() => {
                    let set = *random.pick(&(0..1 << p.atoms).collect::<Vec<u32>>()) << 1;
                    let atoms = p.named().into_iter().filter(|&atom| holds(atom, set));
                    Step::Answer(atoms.map(|atom| atom * p.stride).collect())
                }
                4 if !reference.steps.is_empty() => {
                    Step::Deletion(random.range(1, reference.steps.len() as i64))
                }
                _ => Step::Nogood(list(random, 4)),
            };
            let follows = match &step {
                Step::Nogood(lits) => reference.conflicts(lits),
                _ => true,
            };
            let result = checker.step(&step);
            steps.push(step.clone());
            if result.is_err() && (!follows || matches!(step, Step::Answer(_))) {
                steps.pop();
                continue;
            }
            assert!(result.is_ok(), "seed {seed}: {result:?}\n{}\n{}", p.to_text(), to_text(&steps));
            match step {
                Step::Definition { var, lits } => {
                    known.push(var);
                    reference.conjunction(Some(var), lits);
                }
                Step::Sum { var, bound, terms } => {
                    known.push(var);
                    reference.sum(Some(var), bound, terms);
                }
                Step::Nogood(lits) => {
                    followed += u32::from(follows);
                    more += u32::from(!follows);
                    reference.steps.push((lits, true));
                }
                Step::Question { kind, bounds } => {
                    let kept = *reference.kept.get_or_insert(reference.steps.len());
                    let forgotten = vec![-2_000_000, 2_000_000];
                    reference.steps[kept..].iter_mut().for_each(|step| *step = (forgotten.clone(), false));
                    reference.bounds.clone_from(&bounds);
                    reference.is_closed = false;
                    question = Some((kind, bounds));
                }
                Step::Answer(atoms) => {
                    let set = atoms.iter().fold(0, |set: u32, atom| set | 1 << (atom / p.stride));
                    let (kind, bounds) = question.clone().expect("a question");
                    assert!(p.answer_sets().contains(&set) && within(&p.costs(set), &bounds));
                    let mut nogood = vec![-2_000_000, 2_000_000];
                    if kind == 4 {
                        reference.bounds = p.costs(set);
                        match reference.bounds.last_mut() {
                            Some(last) => *last -= 1,
                            None => reference.is_closed = true,
                        }
                    } else {
                        let named = p.named().into_iter();
                        nogood = named.map(|a| a * p.stride * if holds(a, set) { 1 } else { -1 }).collect();
                    }
                    reference.steps.push((nogood, kind != 4));
                }
                Step::Deletion(number) => {
                    let (lits, may_go) = &mut reference.steps[number as usize - 1];
                    if *may_go {
                        *lits = vec![-2_000_000, 2_000_000];
                    }
                }
                _ => {}
            }
        }
    }
    assert!(followed > 1000, "{followed} {more}");
}
