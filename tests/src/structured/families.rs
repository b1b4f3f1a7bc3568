//! The families of structured programs. Each function makes the program of a seed.
//!
//! Main list: [`FAMILIES`]. Sizes are such that clasp finds all answer sets, or the optimum, in about a second and after
//! hundreds to thousands of conflicts.

use crate::answers::Answer;
use crate::random::Random;
use crate::rich::program::{Body, Rich, Rule};

/// A program of a family.
pub struct Instance {
    /// The program.
    pub program: Rich,
    /// Whether only the optimum is asked for, since there are too many answer sets.
    pub only_optimum: bool,
    /// All answer sets, where the family knows them by itself.
    pub known: Option<Vec<Answer>>,
}

/// A family's name, and how its programs are made.
pub type Family = (&'static str, fn(&mut Random) -> Instance);

/// All families.
pub const FAMILIES: [Family; 9] = [
    ("hamilton", hamilton),
    ("tour", tour),
    ("pigeons", pigeons),
    ("seats", seats),
    ("subsets", subsets),
    ("large-subsets", large_subsets),
    ("knapsack", knapsack),
    ("companies", companies),
    ("qbf", qbf),
];

fn instance(program: Rich) -> Instance {
    Instance { program, only_optimum: false, known: None }
}

/// Adds atoms and rules to a program.
#[derive(Default)]
struct Builder(Rich);

impl Builder {
    fn hidden(&mut self) -> i32 {
        self.0.atoms += 1;
        self.0.atoms
    }

    /// An atom that is printed under this name.
    fn atom(&mut self, name: String) -> i32 {
        let atom = self.hidden();
        self.0.outputs.push((name, vec![atom]));
        atom
    }

    fn rule(&mut self, heads: &[i32], body: &[i32]) {
        self.0.rules.push(Rule { choice: false, heads: heads.to_vec(), body: Body::All(body.to_vec()) });
    }

    fn choice(&mut self, heads: &[i32]) {
        self.0.rules.push(Rule { choice: true, heads: heads.to_vec(), body: Body::All(vec![]) });
    }

    /// An atom that holds if the weights of the literals that hold reach the bound.
    fn sum(&mut self, bound: i32, lits: Vec<(i32, i32)>) -> i32 {
        let (atom, bound, lits) = (self.hidden(), bound.into(), wide(lits));
        self.0.rules.push(Rule { choice: false, heads: vec![atom], body: Body::Sum(bound, lits) });
        atom
    }

    /// Demands that from `low` to `high` of the atoms hold.
    fn between(&mut self, low: i32, high: i32, atoms: &[i32]) {
        let lits: Vec<(i32, i32)> = atoms.iter().map(|&atom| (atom, 1)).collect();
        if low > 0 {
            let enough = self.sum(low, lits.clone());
            self.rule(&[], &[-enough]);
        }
        if high < atoms.len() as i32 {
            let too_many = self.sum(high + 1, lits);
            self.rule(&[], &[too_many]);
        }
    }
}

/// Literals with weights of 64 bits.
fn wide(lits: Vec<(i32, i32)>) -> Vec<(i32, i64)> {
    lits.into_iter().map(|(lit, weight)| (lit, weight.into())).collect()
}

/// Edges of a random graph: each node has `degree` on the average, and no node is without one in and one out.
fn graph(random: &mut Random, nodes: usize, degree: usize) -> Vec<(usize, usize)> {
    let mut edges = Vec::new();
    for from in 0..nodes {
        for to in (0..nodes).filter(|&to| to != from) {
            if random.below(nodes - 1) < degree || to == (from + 1) % nodes {
                edges.push((from, to));
            }
        }
    }
    edges
}

/// The cycles through all nodes, each node reached from the first.
fn cycles(b: &mut Builder, nodes: usize, edges: &[(usize, usize)]) -> Vec<i32> {
    let chosen: Vec<i32> = edges.iter().map(|(from, to)| b.atom(format!("go({from},{to})"))).collect();
    let reached: Vec<i32> = (0..nodes).map(|_| b.hidden()).collect();
    b.choice(&chosen);
    for (node, &is_reached) in reached.iter().enumerate() {
        let of = |pick: fn(&(usize, usize)) -> usize| -> Vec<i32> {
            edges.iter().zip(&chosen).filter(|(edge, _)| pick(edge) == node).map(|(_, &atom)| atom).collect()
        };
        b.between(1, 1, &of(|edge| edge.0));
        b.between(1, 1, &of(|edge| edge.1));
        b.rule(&[], &[-is_reached]);
    }
    for (&(from, to), &atom) in edges.iter().zip(&chosen) {
        match from {
            0 => b.rule(&[reached[to]], &[atom]),
            _ => b.rule(&[reached[to]], &[atom, reached[from]]),
        }
    }
    chosen
}

/// All Hamiltonian cycles of a graph.
fn hamilton(random: &mut Random) -> Instance {
    let nodes = 40 + random.below(16);
    let edges = graph(random, nodes, 2);
    let mut b = Builder::default();
    cycles(&mut b, nodes, &edges);
    instance(b.0)
}

/// A shortest tour, with lengths near 2^31.
fn tour(random: &mut Random) -> Instance {
    let nodes = 11 + random.below(4);
    let edges = graph(random, nodes, 4);
    let mut b = Builder::default();
    let chosen = cycles(&mut b, nodes, &edges);
    let lengths = chosen.iter().map(|&atom| (atom, i32::MAX - random.below(1 << 30) as i32)).collect();
    b.0.minimize.push((1, wide(lengths)));
    Instance { only_optimum: true, ..instance(b.0) }
}

/// One more pigeon than there is room for, by cardinalities; sometimes just as many, with holes that not all like.
fn pigeons(random: &mut Random) -> Instance {
    let fits = random.chance(50);
    let holes = if fits { 11 } else { 7 } + random.below(2);
    let pigeons = holes + usize::from(!fits);
    let mut b = Builder::default();
    let atoms: Vec<Vec<i32>> = (0..pigeons)
        .map(|pigeon| (0..holes).map(|hole| b.atom(format!("in({pigeon},{hole})"))).collect())
        .collect();
    for row in &atoms {
        let liked: Vec<i32> = row.iter().copied().filter(|_| !fits || random.chance(36)).collect();
        b.choice(&liked);
        b.between(1, 1, &liked);
    }
    for hole in 0..holes {
        let column: Vec<i32> = atoms.iter().map(|row| row[hole]).collect();
        b.between(0, 1, &column);
    }
    instance(b.0)
}

/// People at tables of few seats, with who cannot bear whom; only where the first of them sit is printed.
fn seats(random: &mut Random) -> Instance {
    let (people, tables) = (12, 4);
    let mut b = Builder::default();
    let atoms: Vec<Vec<i32>> = (0..people)
        .map(|person| {
            let seat = |table| match person < 4 {
                true => b.atom(format!("at({person},{table})")),
                false => b.hidden(),
            };
            (0..tables).map(seat).collect()
        })
        .collect();
    for row in &atoms {
        b.choice(row);
        b.between(1, 1, row);
    }
    for table in 0..tables {
        let column: Vec<i32> = atoms.iter().map(|row| row[table]).collect();
        b.between(1, 3, &column);
        for one in 0..people {
            for other in 0..one {
                if (table + 3 * one + 5 * other) % 7 < 2 {
                    b.rule(&[], &[column[one], column[other]]);
                }
            }
        }
    }
    // Who has no choice at all makes the rest small enough to be listed.
    for (person, row) in atoms.iter().enumerate().skip(4) {
        if person % 2 == 0 {
            let table = random.below(tables);
            b.rule(&[], &[row[table]]);
        }
    }
    instance(b.0)
}

/// Subsets whose weights add up to a number from a range just below 2^31. All weights together are below 2^31 as well, which clasp demands.
fn subsets(random: &mut Random) -> Instance {
    let items = 18;
    let most = i32::MAX / items;
    let weights: Vec<i32> = (0..items).map(|_| most - random.below(most as usize / 3) as i32).collect();
    let total: i32 = weights.iter().sum();
    let mut b = Builder::default();
    let atoms: Vec<i32> = (0..items).map(|item| b.atom(format!("take({item})"))).collect();
    b.choice(&atoms);
    let lits = || -> Vec<(i32, i32)> { atoms.iter().copied().zip(weights.iter().copied()).collect() };
    let low = total - total / 3;
    let enough = b.sum(low, lits());
    let too_much = b.sum(low + most / 300, lits());
    b.rule(&[], &[-enough]);
    b.rule(&[], &[too_much]);
    instance(b.0)
}

/// Subsets whose weights add up to much more than 2^31. clasp refuses that: the subsets are counted here.
fn large_subsets(random: &mut Random) -> Instance {
    let items = 14;
    let weights: Vec<i32> = (0..items).map(|_| i32::MAX - random.below(1 << 28) as i32).collect();
    let mut b = Builder::default();
    let atoms: Vec<i32> = (0..items).map(|item| b.atom(format!("take({item})"))).collect();
    b.choice(&atoms);
    // At most so little is left out: a bound of a sum cannot be larger.
    let lits = atoms.iter().zip(&weights).map(|(&atom, &weight)| (-atom, weight)).collect();
    let left_out = i32::MAX - random.below(1 << 20) as i32;
    let too_little = b.sum(left_out, lits);
    b.rule(&[], &[too_little]);
    b.0.minimize.push((0, wide(atoms.iter().copied().zip(weights.iter().copied()).collect())));
    let sum = |set: u32, taken: bool| -> i64 {
        let of = (0..items).filter(|item| (set >> item & 1 == 1) == taken);
        of.map(|item| i64::from(weights[item])).sum()
    };
    let right = (0..1u32 << items).filter(|&set| sum(set, false) < i64::from(left_out));
    let named = |set: u32| {
        let mut names: Vec<String> =
            (0..items).filter(|item| set >> item & 1 == 1).map(|item| format!("take({item})")).collect();
        names.sort_unstable();
        (names, vec![sum(set, true)])
    };
    Instance { known: Some(right.map(named).collect()), ..instance(b.0) }
}

/// What to take so that it is worth the most, with values near 2^31 and room for a part; what is left open is to be light.
fn knapsack(random: &mut Random) -> Instance {
    let items = 16;
    let most = i32::MAX / items;
    let mut b = Builder::default();
    let atoms: Vec<i32> = (0..items).map(|item| b.atom(format!("take({item})"))).collect();
    b.choice(&atoms);
    let mut of = |least: i32, span: i32| -> Vec<(i32, i32)> {
        atoms.iter().map(|&atom| (atom, least + random.below(span as usize) as i32)).collect()
    };
    let weights = of(most - most / 2, most / 2);
    let values = of(i32::MAX - (1 << 29), 1 << 29);
    let full = b.sum(i32::MAX / 4, weights.clone());
    b.rule(&[], &[full]);
    b.0.minimize.push((2, wide(values.iter().map(|&(atom, value)| (atom, -value)).collect())));
    b.0.minimize.push((1, wide(weights)));
    Instance { only_optimum: true, ..instance(b.0) }
}

/// Strategic companies (Cadoli, Eiter and Gottlob, "Default Logic as a Query Language", 1997): minimal sets of companies that
/// produce everything, closed under control. Disjunctive, with head cycles.
fn companies(random: &mut Random) -> Instance {
    let companies = 40 + random.below(12);
    let mut b = Builder::default();
    let strategic: Vec<i32> = (0..companies).map(|company| b.atom(format!("strategic({company})"))).collect();
    for _ in 0..3 * companies {
        let makers: Vec<i32> = (0..2 + random.below(2)).map(|_| strategic[random.below(companies)]).collect();
        b.rule(&makers, &[]);
    }
    for &company in &strategic {
        if random.chance(60) {
            let owners: Vec<i32> =
                (0..1 + random.below(3)).map(|_| strategic[random.below(companies)]).collect();
            b.rule(&[company], &owners);
        }
    }
    instance(b.0)
}

/// The assignments of some variables under which a formula in disjunctive normal form is valid, by saturation (Eiter and Gottlob,
/// "On the Computational Cost of Disjunctive Logic Programming", 1995).
fn qbf(random: &mut Random) -> Instance {
    let (outer, inner, terms) = (10, 12, 40 + random.below(20));
    let mut b = Builder::default();
    let mut literals: Vec<[i32; 2]> = Vec::new();
    for variable in 0..outer {
        let pair = [b.atom(format!("x({variable})")), b.hidden()];
        b.rule(&pair, &[]);
        literals.push(pair);
    }
    let valid = b.hidden();
    for _ in 0..inner {
        let pair = [b.hidden(), b.hidden()];
        b.rule(&pair, &[]);
        pair.iter().for_each(|&literal| b.rule(&[literal], &[valid]));
        literals.push(pair);
    }
    let mut formula = Vec::new();
    for _ in 0..terms {
        // One literal of the outer variables, two of the inner ones.
        let places = [random.below(outer), outer + random.below(inner), outer + random.below(inner)];
        let term = places.map(|place| (place, random.below(2)));
        b.rule(&[valid], &term.map(|(place, sign)| literals[place][sign]));
        formula.push(term);
    }
    b.rule(&[], &[-valid]);
    let holds = |set: u32| {
        formula.iter().any(|term| term.iter().all(|&(place, sign)| (set >> place & 1 == 1) == (sign == 0)))
    };
    let is_valid = |xs: &u32| (0..1u32 << inner).all(|ys| holds(xs | ys << outer));
    let named = |xs: u32| -> Answer {
        ((0..outer).filter(|x| xs >> x & 1 == 1).map(|x| format!("x({x})")).collect(), vec![])
    };
    let known = (0..1u32 << outer).filter(is_valid).map(named).collect();
    Instance { known: Some(known), ..instance(b.0) }
}
