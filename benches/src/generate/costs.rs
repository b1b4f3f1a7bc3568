//! Instances that ask for an optimum: cuts, tours, timetables, marriages, trees, networks, rotas.

use std::collections::BTreeSet;

use super::graphs::{pairs, undirected, with_cycle};
use super::Random;

/// A graph with three edges a node, whose nodes cost 1 to 20.
pub fn covers(n: usize, random: &mut Random) -> Vec<String> {
    let mut lines = undirected(n, 3 * n, random);
    lines.extend((1..=n).map(|v| format!("cost({v},{}).", 1 + random.below(20))));
    lines
}

/// A graph with three edges a node, which weigh 1 to 30.
pub fn cuts(n: usize, random: &mut Random) -> Vec<String> {
    let mut lines = vec![format!("node(1..{n}).")];
    let edges: Vec<String> = pairs(n, 3 * n, random)
        .iter()
        .map(|(v, w)| format!("edge({v},{w},{}).", 1 + random.below(30)))
        .collect();
    lines.extend(edges);
    lines
}

/// A directed graph of five arcs a node, which cost 1 to 40, and which has a closed walk by all nodes.
pub fn salesman(n: usize, random: &mut Random) -> Vec<String> {
    let chosen = with_cycle(n, 5 * n, random);
    let mut lines = vec![format!("node(1..{n}).")];
    lines.extend(chosen.iter().map(|(v, w)| format!("arc({v},{w},{}).", 1 + random.below(40))));
    lines
}

/// Lessons for eight times with some rooms, which exclude each other, want to be side by side, and shun times.
pub fn timetable(n: usize, random: &mut Random) -> Vec<String> {
    let times = 8;
    let mut lines = vec![format!("lesson(1..{n}). time(1..{times}). rooms({}).", n.div_ceil(times) + 1)];
    lines.extend(pairs(n, 2 * n, random).iter().map(|(l, m)| format!("excludes({l},{m}).")));
    lines
        .extend(pairs(n, n, random).iter().map(|(l, m)| format!("beside({l},{m},{}).", 1 + random.below(9))));
    for lesson in 1..=n {
        for time in random.permutation(times).into_iter().take(4) {
            lines.push(format!("shuns({lesson},{time},{}).", 1 + random.below(15)));
        }
    }
    lines
}

/// Ranks that `n` women and men give each other, all different, and what each pair costs.
pub fn couples(n: usize, random: &mut Random) -> Vec<String> {
    let mut lines = vec![format!("person(1..{n}).")];
    for side in ["woman", "man"] {
        for person in 1..=n {
            // Neighbouring ranks are alike for all, so that there are many stable marriages.
            for (rank, other) in random.permutation(n).into_iter().enumerate() {
                lines.push(format!("rank({side},{person},{other},{}).", rank + 1));
            }
        }
    }
    for w in 1..=n {
        for m in 1..=n {
            lines.push(format!("cost({w},{m},{}).", 1 + random.below(1000)));
        }
    }
    lines
}

/// A graph with two edges a node, which cost 1 to 30, and whose nodes are terminals one in four.
pub fn steiner(n: usize, random: &mut Random) -> Vec<String> {
    let mut lines = vec![format!("node(1..{n}). terminal(1..{}).", (n / 4).max(2))];
    let mut edges: BTreeSet<(usize, usize)> = (2..=n).map(|w| (1 + random.below(w - 1), w)).collect();
    edges.extend(pairs(n, n, random));
    lines.extend(edges.iter().map(|(v, w)| format!("edge({v},{w},{}).", 1 + random.below(30))));
    lines
}

/// A network of `n` yes-or-no variables, each with up to three earlier ones that it depends on. What is less likely
/// costs more: six digits, as of a logarithm. Every tenth variable was seen.
pub fn network(n: usize, random: &mut Random) -> Vec<String> {
    let mut lines = vec![format!("variable(1..{n}).")];
    for variable in 1..=n {
        let mut parents = BTreeSet::new();
        for _ in 0..3.min(variable - 1) {
            // Mostly near ones.
            let back = 1 + random.below(8.min(variable - 1));
            parents.insert(variable - back);
        }
        let parents: Vec<usize> = parents.into_iter().collect();
        for case in 0..1usize << parents.len() {
            lines.extend(
                parents
                    .iter()
                    .enumerate()
                    .map(|(i, parent)| format!("in({variable},{case},{parent},{}).", case >> i & 1)),
            );
            lines.push(format!("case({variable},{case})."));
            for value in 0..2 {
                lines.push(format!("cost({variable},{case},{value},{}).", 1 + random.below(2_000_000)));
            }
        }
        if variable % 10 == 0 {
            lines.push(format!("seen({variable},{}).", random.below(2)));
        }
    }
    lines
}

/// A rota of `n` days for six people: who wants to be off when, and how much; who cannot work with whom.
pub fn rota(n: usize, random: &mut Random) -> Vec<String> {
    let people = 6;
    let mut lines = vec![format!("day(1..{n}). person(1..{people}).")];
    lines.extend(pairs(people, 4, random).iter().map(|(p, q)| format!("apart({p},{q}).")));
    for day in 1..=n {
        lines.push(format!("need({day},{}).", 2 + random.below(2)));
        for person in 1..=people {
            if random.chance(45) {
                lines.push(format!("off({person},{day},{}).", 1 + random.below(5)));
            }
        }
    }
    lines
}
