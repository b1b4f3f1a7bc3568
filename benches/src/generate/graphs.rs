//! Instances that are graphs, or nearly: colouring, covers, cycles, trees, forbidden combinations, rules, programs.

use std::collections::BTreeSet;

use super::Random;

/// Edges or arcs.
type Pairs = BTreeSet<(usize, usize)>;

/// Pairs of different numbers up to `n`, the smaller one first: so many, or as many as there are.
pub fn pairs(n: usize, count: usize, random: &mut Random) -> Pairs {
    let ordered = |(v, w): (usize, usize)| (v.min(w), v.max(w));
    filled(count.min(n * (n - 1) / 2), n, Pairs::new(), ordered, random)
}

/// Adds pairs of different numbers up to `n` to the chosen ones until there are so many.
fn filled(
    count: usize,
    n: usize,
    mut chosen: Pairs,
    ordered: fn((usize, usize)) -> (usize, usize),
    random: &mut Random,
) -> Pairs {
    while chosen.len() < count {
        let (v, w) = (1 + random.below(n), 1 + random.below(n));
        if v != w {
            chosen.insert(ordered((v, w)));
        }
    }
    chosen
}

/// A random graph of `n` nodes and `edges` edges, or as many as there can be.
pub fn undirected(n: usize, edges: usize, random: &mut Random) -> Vec<String> {
    let mut lines = vec![format!("node(1..{n}).")];
    lines.extend(pairs(n, edges, random).iter().map(|(v, w)| format!("edge({v},{w}).")));
    lines
}

/// A graph with two edges a node, whose nodes cost 1 to 9.
pub fn cover(n: usize, random: &mut Random) -> Vec<String> {
    let mut lines = undirected(n, 2 * n, random);
    lines.extend((1..=n).map(|v| format!("cost({v},{}).", 1 + random.below(9))));
    lines
}

/// A directed graph of four arcs a node, which has a Hamiltonian cycle, and about 1.47 times as many with each node more.
pub fn hamilton(n: usize, random: &mut Random) -> Vec<String> {
    directed(n, &with_cycle(n, 4 * n, random))
}

/// So many arcs, or as many as there can be, of which some are a cycle through all nodes.
pub fn with_cycle(n: usize, arcs: usize, random: &mut Random) -> Pairs {
    let order = random.permutation(n);
    let cycle = (0..n).map(|place| (order[place], order[(place + 1) % n])).collect();
    filled(arcs.min(n * (n - 1)), n, cycle, |arc| arc, random)
}

/// A directed graph of three arcs a node, in which all nodes can be reached from the first.
pub fn reach(n: usize, random: &mut Random) -> Vec<String> {
    let tree = (2..=n).map(|w| (1 + random.below(w - 1), w)).collect();
    directed(n, &filled((3 * n).min(n * (n - 1)), n, tree, |arc| arc, random))
}

fn directed(n: usize, arcs: &Pairs) -> Vec<String> {
    let mut lines = vec![format!("node(1..{n}).")];
    lines.extend(arcs.iter().map(|(v, w)| format!("arc({v},{w}).")));
    lines
}

/// Combinations of three signed variables out of `n`, 4.26 a variable: there about half of such problems have an answer.
pub fn sat(n: usize, random: &mut Random) -> Vec<String> {
    let mut lines = vec![format!("variable(1..{n}).")];
    for _ in 0..n * 426 / 100 {
        let mut literals: Vec<String> = Vec::new();
        let mut used = BTreeSet::new();
        while literals.len() < 3 {
            let variable = 1 + random.below(n);
            if used.insert(variable) {
                let sign = if random.chance(50) { "-" } else { "" };
                literals.push(format!("{sign}{variable}"));
            }
        }
        lines.push(format!("forbidden({}).", literals.join(",")));
    }
    lines
}

/// Rules with two body literals over `n` atoms, five an atom: about where such programs are hardest.
pub fn rules(n: usize, random: &mut Random) -> Vec<String> {
    let literal = |random: &mut Random| {
        let sign = if random.chance(70) { "-" } else { "" };
        format!("{sign}{}", 1 + random.below(n))
    };
    let rule = |random: &mut Random| {
        let head = 1 + random.below(n);
        format!("rule({head},{},{}).", literal(random), literal(random))
    };
    (0..5 * n).map(|_| rule(random)).collect()
}

/// A third of `n` atoms may be chosen; ten rules for each three atoms, with two or three body literals, half of them negative.
pub fn programs(n: usize, random: &mut Random) -> Vec<String> {
    let mut lines = vec![format!("atom(1..{n}). free(1..{}).", n / 3)];
    for _ in 0..10 * n / 3 {
        let head = 1 + random.below(n);
        let mut used = BTreeSet::from([head]);
        let length = 2 + random.below(2);
        let mut body = Vec::new();
        while body.len() < length {
            let atom = 1 + random.below(n);
            if used.insert(atom) {
                let sign = if random.chance(50) { "-" } else { "" };
                body.push(format!("{sign}{atom}"));
            }
        }
        // A third literal that holds anyway.
        body.resize(3, "0".into());
        lines.push(format!("rule({head},{}).", body.join(",")));
    }
    lines
}
