//! What a rich program means, by the definition: every set of atoms is tried.
//!
//! A set is an answer set if it is a model of the program's reduct with respect to itself, no smaller set is one, the edges whose
//! conditions hold have no cycle, and assumptions hold. In the reduct negative literals (also those in sums) have the value
//! that the set gives them, and a choice of what the set has is a rule (Calimeri et al., "ASP-Core-2 Input Language Format", 2020;
//! Ferraris and Lifschitz, "Weight constraints as nested expressions", 2005).

use std::collections::{BTreeMap, BTreeSet};

use super::program::{Body, Rich, Rule};

/// A set of atoms: bit `a` is atom `a`.
pub type Set = u32;

/// The answer sets of a program and what can be asked of them.
#[derive(Clone, Debug)]
pub struct Meaning {
    /// In increasing order.
    pub answer_sets: Vec<Set>,
    /// Highest priority first.
    pub costs: Vec<Vec<i64>>,
}

impl Meaning {
    /// Tries all sets.
    pub fn of(program: &Rich) -> Meaning {
        let free = external_atoms(program, 0);
        let given = external_atoms(program, 1);
        let answer_sets: Vec<Set> = (0..1 << program.atoms)
            .map(|bits: Set| bits << 1)
            .filter(|&set| {
                program.assumptions.iter().all(|&lit| holds(lit, set, set))
                    && is_model(program, set, set, free, given)
                    && is_minimal(program, set, free, given)
                    && is_acyclic(program, set)
            })
            .collect();
        let costs = answer_sets.iter().map(|&set| costs(program, set)).collect();
        Meaning { answer_sets, costs }
    }

    /// The costs of an optimal answer set.
    pub fn optimum(&self) -> Option<&Vec<i64>> {
        self.costs.iter().min()
    }

    /// The optimal answer sets; without costs, all.
    pub fn optimal(&self) -> Vec<Set> {
        let pairs = self.answer_sets.iter().zip(&self.costs);
        pairs.filter(|(_, costs)| Some(*costs) == self.optimum()).map(|(&set, _)| set).collect()
    }

    /// The answer sets whose costs are at most `bound`; priorities beyond it are free.
    pub fn within(&self, bound: &[i64]) -> Vec<Set> {
        let fits = |costs: &[i64]| costs[..bound.len().min(costs.len())] <= *bound;
        let pairs = self.answer_sets.iter().zip(&self.costs);
        pairs.filter(|(_, costs)| fits(costs)).map(|(&set, _)| set).collect()
    }
}

/// What is left of answer sets when only the atoms of the projection statement count, each once; all atoms without one.
pub fn projections(program: &Rich, sets: &[Set]) -> BTreeSet<Set> {
    let mask = match &program.projection {
        None => !0,
        Some(atoms) => atoms.iter().fold(0, |mask, &a| mask | 1 << a),
    };
    sets.iter().map(|set| set & mask).collect()
}

/// What is printed of a set, sorted.
pub fn printed(program: &Rich, set: Set) -> Vec<String> {
    names(program, |condition| all_hold(condition, set))
}

/// What is printed of the brave and of the cautious consequences of some answer sets, sorted; `None` if there are none. With a
/// projection statement consequences are about its atoms, and about terms whose condition is not one atom.
pub fn consequences(program: &Rich, sets: &[Set]) -> (Option<Vec<String>>, Option<Vec<String>>) {
    if sets.is_empty() {
        return (None, None);
    }
    let asked = |condition: &[i32]| is_asked(program, condition);
    let brave = |condition: &[i32]| asked(condition) && sets.iter().any(|&set| all_hold(condition, set));
    let cautious = |condition: &[i32]| asked(condition) && sets.iter().all(|&set| all_hold(condition, set));
    (Some(names(program, brave)), Some(names(program, cautious)))
}

/// The names of the outputs that hold in all of some answer sets, although the projection statement does not ask for
/// them, sorted.
pub fn always(program: &Rich, sets: &[Set]) -> Vec<String> {
    names(program, |condition| {
        !is_asked(program, condition) && sets.iter().all(|&set| all_hold(condition, set))
    })
}

/// Whether consequences are about outputs with this condition: with a projection statement not about other atoms.
fn is_asked(program: &Rich, condition: &[i32]) -> bool {
    match &program.projection {
        Some(atoms) if condition.len() == 1 && condition[0] > 0 => atoms.contains(&condition[0]),
        _ => true,
    }
}

/// The names of the outputs with such conditions, sorted.
fn names(program: &Rich, wanted: impl Fn(&[i32]) -> bool) -> Vec<String> {
    let outputs = program.outputs.iter().filter(|(_, condition)| wanted(condition));
    let mut names: Vec<String> = outputs.map(|(name, _)| name.clone()).collect();
    names.sort_unstable();
    names
}

/// Whether all literals hold in `set`.
fn all_hold(lits: &[i32], set: Set) -> bool {
    lits.iter().all(|&lit| holds(lit, set, set))
}

/// External atoms with this value: the last one counts, but an atom once released stays so, and what is said of an atom that
/// a rule defines does not count. (Asked of clingo 5.8.3, which however forgets more rules that it finds to be useless while
/// it reads: `b. a :- not b.` does not define `a`, and `a :- not b. b.` does. Programs like these are not made.)
fn external_atoms(program: &Rich, wanted: i32) -> Set {
    const RELEASED: i32 = 3;
    let mut values: BTreeMap<i32, i32> = BTreeMap::new();
    for &(atom, value) in &program.externals {
        let told = values.entry(atom).or_insert(value);
        if *told != RELEASED {
            *told = value;
        }
    }
    let wanted = values.into_iter().filter(|&(_, value)| value == wanted);
    wanted.fold(0, |atoms: Set, (atom, _)| atoms | 1 << atom) & !defined(&program.rules)
}

/// The atoms that rules define, so that what is said of them as external atoms does not count.
pub fn defined(rules: &[Rule]) -> Set {
    let mut defined: Set = 0;
    for rule in rules {
        // Each head of a choice is a rule of its own.
        let parts: Vec<&[i32]> = if rule.choice { rule.heads.chunks(1).collect() } else { vec![&rule.heads] };
        defined |= parts.iter().fold(0, |atoms, heads| atoms | defined_heads(heads, &rule.body));
    }
    defined
}

/// The heads of a rule for which some set of atoms satisfies the body together with the head, and some set without it.
/// None, if there is no such set without some of the heads: such a rule holds by itself.
fn defined_heads(heads: &[i32], body: &Body) -> Set {
    let atoms = match body {
        Body::All(lits) => lits.iter().fold(0, |atoms: Set, lit| atoms | 1 << lit.abs()),
        Body::Sum(_, lits) => lits.iter().fold(0, |atoms: Set, (lit, _)| atoms | 1 << lit.abs()),
    };
    let heads = heads.iter().fold(0, |heads: Set, head| heads | 1 << head);
    // What these may be, by counting down.
    let all = atoms | heads;
    let sets = std::iter::successors(Some(all), |&set| (set > 0).then(|| (set - 1) & all));
    let (mut with, mut without) = (0, 0);
    for set in sets.filter(|&set| body_holds(body, set, set)) {
        (with, without) = (with | set, without | !set);
    }
    match heads & !without {
        0 => heads & with,
        _ => 0,
    }
}

/// Whether a literal holds: a positive one in `model`, a negative one by the value that `set` gives it.
fn holds(lit: i32, set: Set, model: Set) -> bool {
    match lit > 0 {
        true => model >> lit & 1 == 1,
        false => set >> -lit & 1 == 0,
    }
}

fn body_holds(body: &Body, set: Set, model: Set) -> bool {
    match body {
        Body::All(lits) => lits.iter().all(|&lit| holds(lit, set, model)),
        Body::Sum(bound, lits) => {
            let held = lits.iter().filter(|(lit, _)| holds(*lit, set, model));
            held.map(|&(_, weight)| i128::from(weight)).sum::<i128>() >= i128::from(*bound)
        }
    }
}

/// Whether `model` is a model of the reduct with respect to `set`.
fn is_model(program: &Rich, set: Set, model: Set, free: Set, given: Set) -> bool {
    let satisfied = |rule: &Rule| {
        if !body_holds(&rule.body, set, model) {
            return true;
        }
        let heads = rule.heads.iter().fold(0, |heads, &head| heads | 1 << head);
        match rule.choice {
            true => heads & set & !model == 0,
            false => heads & model != 0,
        }
    };
    given & !model == 0 && free & set & !model == 0 && program.rules.iter().all(satisfied)
}

fn is_minimal(program: &Rich, set: Set, free: Set, given: Set) -> bool {
    // All proper subsets, by counting down within the bits of `set`.
    let mut smaller = set;
    while smaller != 0 {
        smaller = (smaller - 1) & set;
        if is_model(program, set, smaller, free, given) {
            return false;
        }
    }
    true
}

fn is_acyclic(program: &Rich, set: Set) -> bool {
    let mut edges: Vec<(i32, i32)> = program
        .edges
        .iter()
        .filter(|(_, _, condition)| all_hold(condition, set))
        .map(|&(from, to, _)| (from, to))
        .collect();
    // Nodes without successors are on no cycle: take their edges away until there are none.
    loop {
        let before = edges.len();
        let sources: Vec<i32> = edges.iter().map(|&(from, _)| from).collect();
        edges.retain(|(_, to)| sources.contains(to));
        if edges.len() == before {
            return edges.is_empty();
        }
    }
}

fn costs(program: &Rich, set: Set) -> Vec<i64> {
    let mut priorities: Vec<i32> = program.minimize.iter().map(|&(priority, _)| priority).collect();
    priorities.sort_unstable_by(|a, b| b.cmp(a));
    priorities.dedup();
    let cost = |wanted: i32| {
        let lits =
            program.minimize.iter().filter(|(priority, _)| *priority == wanted).flat_map(|(_, lits)| lits);
        // The solver refuses what is more than 64 bits.
        lits.filter(|(lit, _)| holds(*lit, set, set)).map(|&(_, weight)| i128::from(weight)).sum::<i128>()
            as i64
    };
    priorities.into_iter().map(cost).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(choice: bool, heads: &[i32], body: Body) -> Rule {
        Rule { choice, heads: heads.to_vec(), body }
    }

    fn sets(rules: Vec<Rule>, atoms: i32) -> Vec<Set> {
        Meaning::of(&Rich { atoms, rules, ..Rich::default() }).answer_sets
    }

    #[test]
    fn the_definition_on_what_is_known() {
        let fact = || Body::All(vec![]);
        // `{a; b}.`
        assert_eq!(sets(vec![rule(true, &[1, 2], fact())], 2), [0, 2, 4, 6]);
        // `a | b. a :- b. b :- a.`: shifted it has none.
        let cycle = [(1, 2), (2, 1)].map(|(head, lit)| rule(false, &[head], Body::All(vec![lit])));
        let disjunction = rule(false, &[1, 2], fact());
        assert_eq!(sets([vec![disjunction], cycle.to_vec()].concat(), 2), [6]);
        // `a :- 1 {a; not b}.`: `not b` founds it; `a :- 1 {a}.` does not.
        assert_eq!(sets(vec![rule(false, &[1], Body::Sum(1, vec![(1, 1), (-2, 1)]))], 2), [2]);
        assert_eq!(sets(vec![rule(false, &[1], Body::Sum(1, vec![(1, 1)]))], 1), [0]);
    }

    #[test]
    fn externals_with_rules() {
        let with = |externals: &[(i32, i32)], rules: Vec<Rule>| {
            let program = Rich { atoms: 2, rules, externals: externals.to_vec(), ..Rich::default() };
            Meaning::of(&program).answer_sets
        };
        assert_eq!(with(&[(1, 2), (1, 1)], vec![]), [2]);
        assert_eq!(with(&[(1, 3), (1, 1)], vec![]), [0]);
        // `a :- b.` defines `a`, even though nothing founds `b`.
        assert_eq!(with(&[(1, 1)], vec![rule(false, &[1], Body::All(vec![2]))]), [0]);
        assert_eq!(with(&[(1, 0)], vec![]), [0, 2]);
        // `a :- a.`, `a :- b, not b.` and `a :- 1 {a}.` define nothing, and neither do those that are constraints on `a`.
        for body in
            [Body::All(vec![1]), Body::All(vec![2, -2]), Body::All(vec![-1]), Body::Sum(1, vec![(1, 1)])]
        {
            assert_eq!(with(&[(1, 1)], vec![rule(false, &[1], body)]), [2]);
        }
        for body in [Body::All(vec![-1]), Body::Sum(2, vec![(-1, 2), (2, 1)])] {
            assert_eq!(with(&[(1, 0)], vec![rule(true, &[1], body)]), [0, 2]);
        }
        // `a | b :- not a.` defines `b` alone.
        let disjunction = || vec![rule(false, &[1, 2], Body::All(vec![-1]))];
        assert_eq!(with(&[(1, 0), (2, 0)], disjunction()), [2, 4]);
        assert_eq!(with(&[(1, 2), (2, 1)], disjunction()), [4]);
    }

    #[test]
    fn graphs_and_costs() {
        let program = Rich {
            atoms: 2,
            rules: vec![rule(true, &[1, 2], Body::All(vec![]))],
            edges: vec![(1, 2, vec![1]), (2, 1, vec![2])],
            minimize: vec![(1, vec![(1, -2), (-2, 1)]), (3, vec![(2, 4)])],
            ..Rich::default()
        };
        let meaning = Meaning::of(&program);
        assert_eq!(meaning.answer_sets, [0, 2, 4]);
        assert_eq!(meaning.costs, [[0, 1], [0, -1], [4, 0]]);
        assert_eq!((meaning.optimum(), meaning.within(&[0, 0])), (Some(&vec![0, -1]), vec![2]));
        assert_eq!(meaning.within(&[0]), [0, 2]);
    }
}
