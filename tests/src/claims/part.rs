//! Parts of programs whose answer sets are known: by the definition if they are small, else by construction.
//!
//! Main type: [`Part`]. The answer sets of a program of several parts are all combinations of the parts' answer sets
//! (see [`Program`](super::program::Program)), so that a program may have millions of them, and nobody has to list them.

use serde::{Deserialize, Serialize};

use crate::differences;
use crate::random::Random;
use crate::rich::program::{Body, Rich, Rule};
use crate::rich::{self, Meaning};

/// The most atoms of a part whose sets of atoms are all tried.
pub const MOST_ATOMS: i32 = 16;

/// A part of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Part {
    /// A small program of any kind, of at most [`MOST_ATOMS`] atoms.
    Rich(Rich),
    /// So many atoms, each of which may be chosen.
    Free {
        /// How many.
        atoms: u32,
        /// Whether they are printed.
        shown: bool,
    },
    /// One more pigeon than holes, if an atom is chosen that costs as much as is said if it is not: the only answer set
    /// has no atom, and the proof takes conflicts.
    Pigeons {
        /// How many holes.
        holes: i32,
        /// The priority of the costs, and how high they are; none if nothing is minimized.
        cost: Option<(i32, i32)>,
    },
    /// A matrix of 0 and 1 with one 1 in each row and column. Each place has its costs.
    Permutation {
        /// How many rows and columns.
        size: i32,
        /// The priority of the costs.
        priority: i32,
        /// The costs of the places, row by row; none if nothing is minimized.
        costs: Vec<i32>,
    },
    /// A program with difference constraints.
    Differences {
        /// Its seed.
        seed: u64,
        /// Whether an atom of a body has the number of an atom of a head with the same constraint.
        shares: bool,
    },
}

/// The answer sets of a part.
pub enum Sets {
    /// Each is a set of atoms: bit `a` is atom `a`.
    Listed(Vec<u64>),
    /// All sets of atoms `1 ..= n`.
    All(u32),
}

/// The atom of a place in a square of that size; the first atom is `first`.
fn place(first: i32, size: i32, row: i32, column: i32) -> i32 {
    first + row * size + column
}

fn rule(choice: bool, heads: Vec<i32>, lits: Vec<i32>) -> Rule {
    Rule { choice, heads, body: Body::All(lits) }
}

/// Constraints: no two of these atoms hold.
fn at_most_one(atoms: &[i32], rules: &mut Vec<Rule>) {
    for (i, &a) in atoms.iter().enumerate() {
        rules.extend(atoms[i + 1..].iter().map(|&b| rule(false, vec![], vec![a, b])));
    }
}

impl Part {
    /// The part as a program of its own.
    pub fn program(&self) -> Rich {
        match self {
            Part::Rich(program) => program.clone(),
            &Part::Free { atoms, shown } => {
                let atoms = atoms as i32;
                let rules = vec![rule(true, (1..=atoms).collect(), vec![])];
                Rich { atoms, rules, outputs: named(if shown { atoms } else { 0 }), ..Rich::default() }
            }
            &Part::Pigeons { holes, cost } => {
                let at = |pigeon, hole| place(2, holes, pigeon, hole);
                let atoms = 1 + (holes + 1) * holes;
                let mut rules = vec![rule(true, vec![1], vec![]), rule(true, (2..=atoms).collect(), vec![1])];
                for pigeon in 0..=holes {
                    let nowhere = (0..holes).map(|hole| -at(pigeon, hole));
                    rules.push(rule(false, vec![], [1].into_iter().chain(nowhere).collect()));
                }
                for hole in 0..holes {
                    let there: Vec<i32> = (0..=holes).map(|pigeon| at(pigeon, hole)).collect();
                    at_most_one(&there, &mut rules);
                }
                let minimize =
                    cost.iter().map(|&(priority, cost)| (priority, vec![(-1, cost.into())])).collect();
                Rich { atoms, rules, minimize, outputs: named(1), ..Rich::default() }
            }
            Part::Permutation { size, priority, costs } => {
                let size = *size;
                let atoms = size * size;
                let mut rules = vec![rule(true, (1..=atoms).collect(), vec![])];
                for i in 0..size {
                    let row: Vec<i32> = (0..size).map(|j| place(1, size, i, j)).collect();
                    let column: Vec<i32> = (0..size).map(|j| place(1, size, j, i)).collect();
                    for line in [row, column] {
                        rules.push(rule(false, vec![], line.iter().map(|atom| -atom).collect()));
                        at_most_one(&line, &mut rules);
                    }
                }
                let costs: Vec<(i32, i64)> = (1..=atoms).zip(costs.iter().copied().map(i64::from)).collect();
                let minimize = if costs.is_empty() { vec![] } else { vec![(*priority, costs)] };
                Rich { atoms, rules, minimize, outputs: named(atoms), ..Rich::default() }
            }
            &Part::Differences { seed, shares } => differences::generate(seed).to_rich(shares),
        }
    }

    /// The answer sets.
    pub fn sets(&self) -> Sets {
        match self {
            Part::Rich(program) => {
                Sets::Listed(Meaning::of(program).answer_sets.into_iter().map(u64::from).collect())
            }
            &Part::Free { atoms, .. } => Sets::All(atoms),
            Part::Pigeons { .. } => Sets::Listed(vec![0]),
            &Part::Permutation { size, .. } => {
                let mut sets = Vec::new();
                permutations(size, 0, 0, 0, &mut sets);
                Sets::Listed(sets)
            }
            &Part::Differences { seed, .. } => {
                let sets = differences::sets(&differences::generate(seed));
                Sets::Listed(sets.into_iter().map(|set| set << 1).collect())
            }
        }
    }
}

/// The sets of places of all permutations that put rows from `row` on into columns that are not `taken`.
fn permutations(size: i32, row: i32, taken: u64, set: u64, sets: &mut Vec<u64>) {
    if row == size {
        sets.push(set);
        return;
    }
    for column in (0..size).filter(|column| taken >> column & 1 == 0) {
        let atom = place(1, size, row, column);
        permutations(size, row + 1, taken | 1 << column, set | 1 << atom, sets);
    }
}

/// The first `n` atoms, printed.
fn named(n: i32) -> Vec<(String, Vec<i32>)> {
    (1..=n).map(|a| (format!("x{a}"), vec![a])).collect()
}

/// `{c}. a ; b :- c. a :- b, d. b :- a, d. d :- a, b. {d}.`: a cycle through the heads of a disjunction, with three
/// answer sets and another two without `c`.
pub fn head_cycle() -> Rich {
    let [a, b, c, d] = [1, 2, 3, 4];
    let rules = vec![
        rule(true, vec![c], vec![]),
        rule(false, vec![a, b], vec![c]),
        rule(false, vec![a], vec![b, d]),
        rule(false, vec![b], vec![a, d]),
        rule(false, vec![d], vec![a, b]),
        rule(true, vec![d], vec![]),
    ];
    Rich { atoms: 4, rules, outputs: named(4), ..Rich::default() }
}

/// `a ; b ; c. a :- b, c. b :- a, e. a :- b, e. e :- f. {f}.`: three answer sets without `f`, and two with it.
pub fn three_heads() -> Rich {
    let [a, b, c, e, f] = [1, 2, 3, 4, 5];
    let rules = vec![
        rule(false, vec![a, b, c], vec![]),
        rule(false, vec![a], vec![b, c]),
        rule(false, vec![b], vec![a, e]),
        rule(false, vec![a], vec![b, e]),
        rule(false, vec![e], vec![f]),
        rule(true, vec![f], vec![]),
    ];
    Rich { atoms: 5, rules, outputs: named(5), ..Rich::default() }
}

/// A small program of any kind. Some of its atoms may not be printed.
pub fn random_rich(random: &mut Random, weighted: u32) -> Part {
    let seed = random.below(1 << 30) as u64;
    let mut program = match random.below(100) as u32 {
        below if below < weighted => rich::generate_weighted(seed),
        below if below % 4 == 0 => rich::generate_overlapping(seed),
        below if below % 4 == 1 => rich::generate_wide(seed),
        _ => rich::generate(seed),
    };
    if random.chance(25) {
        program.outputs.retain(|_| random.chance(60));
    }
    Part::Rich(program)
}

/// A permutation of random size and costs.
pub fn random_permutation(random: &mut Random, largest: i32) -> Part {
    let size = random.between(2, largest);
    let most = [1, 3, 20][random.below(3)];
    let minimizes = random.chance(75);
    let costs = (0..if minimizes { size * size } else { 0 }).map(|_| random.between(0, most)).collect();
    Part::Permutation { size, priority: random.between(-1, 2), costs }
}

/// A program with difference constraints.
pub fn random_differences(random: &mut Random) -> Part {
    let seed = random.below(1 << 30) as u64;
    let may_share = !differences::generate(seed).pays_for_shared();
    Part::Differences { seed, shares: may_share && random.chance(50) }
}

/// Pigeons of random number and costs.
pub fn random_pigeons(random: &mut Random, most: i32) -> Part {
    let cost = random.chance(60).then(|| (random.between(-1, 2), random.between(1, 3)));
    Part::Pigeons { holes: random.between(2, most), cost }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a part says of its answer sets is the definition's, where that can be asked.
    #[test]
    fn what_is_known_by_construction_is_the_definition() {
        let parts = [
            Part::Free { atoms: 3, shown: false },
            Part::Pigeons { holes: 2, cost: Some((1, 2)) },
            Part::Pigeons { holes: 3, cost: None },
            Part::Permutation { size: 3, priority: 0, costs: (0..9).collect() },
            Part::Permutation { size: 1, priority: 0, costs: vec![] },
        ];
        for part in parts {
            let mut known = match part.sets() {
                Sets::Listed(sets) => sets,
                Sets::All(n) => (0..1 << n).map(|bits: u64| bits << 1).collect(),
            };
            known.sort_unstable();
            let meant: Vec<u64> =
                Meaning::of(&part.program()).answer_sets.into_iter().map(u64::from).collect();
            assert_eq!(known, meant, "{part:?}");
        }
    }

    #[test]
    fn head_cycles_have_their_answer_sets() {
        let number = |program: &Rich| Meaning::of(program).answer_sets.len();
        assert_eq!((number(&head_cycle()), number(&three_heads())), (5, 5));
    }
}
