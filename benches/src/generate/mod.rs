//! Seeded instances of our own: facts for the encodings in `data/bench/`.
//!
//! Main function: [`facts`]. Invariant: the random numbers are PCG's and what is made of them uses integers only, so that
//! a family, a size and a seed mean the same facts everywhere.

mod boards;
mod costs;
mod graphs;
mod puzzles;

use std::ops::RangeInclusive;

use clap::ValueEnum;
use rand_pcg::rand_core::{RngCore, SeedableRng};
use rand_pcg::Pcg32;
use serde::{Deserialize, Serialize};

/// A kind of problem; each has an encoding of that name, except that kinds of colouring, of patterns, of labyrinths and of
/// Hamiltonian cycles share one each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// A walk through all cells of a grid of N x N with holes
    Visitall,
    /// Sokoban in a room of N x N; solvable, and often in fewer steps
    Sokoban,
    /// Three colours for a random graph of N nodes, about as dense as is critical
    Colouring,
    /// The same for a sparse graph, to count colourings
    Colourings,
    /// Pushing tiles of a square of N x N until there is a way to the goal
    Labyrinth,
    /// A pattern in a permutation of N numbers; it occurs for sure if the seed is even
    Patterns,
    /// Stable marriages of N couples with ties
    Marriage,
    /// N queens (any seed)
    Queens,
    /// Hamiltonian cycles of a random directed graph of N nodes, which has one
    Hamilton,
    /// Random combinations of three signed variables out of N forbidden, about as many as is critical
    Sat,
    /// Random rules over N atoms, about as many as is critical; not tight
    Rules,
    /// Trees that reach all of N nodes; not tight
    Reach,
    /// A cheapest vertex cover of a random graph of N nodes
    Cover,
    /// Independent sets of a grid of N cells (a seed orders the cells)
    Independent,
    /// Connected sets of cells of a grid of N cells (a seed orders the cells)
    Connected,
    /// Closed walks that come by each of N cells of a grid once (a seed orders the cells); none if N is odd
    Tours,
    /// The same for a knight on a board of N cells (a seed orders the cells)
    Knights,
    /// A pattern in a permutation of N numbers, a quarter as long whatever N is; it occurs for sure if the seed is even
    Motifs,
    /// A labyrinth of N x N whose tiles have hardly an opening besides the way's, so that it takes more pushes
    Mazes,
    /// Random rules over N atoms, a third of which may be chosen; not tight, and has very many answer sets
    Programs,
    /// A cheapest vertex cover of a random graph of N nodes, with more edges and costs than `cover`
    Covers,
    /// Two sides for N nodes of a random graph, between which the edges weigh most
    Cuts,
    /// A cheapest closed walk by N nodes of a random directed graph; not tight
    Salesman,
    /// A timetable of N lessons with wishes
    Timetable,
    /// A cheapest stable marriage of N couples
    Couples,
    /// A cheapest tree that reaches a quarter of N nodes; not tight
    Steiner,
    /// A most likely state of a network of N variables
    Network,
    /// A rota for N days, with four priorities
    Rota,
}

impl Family {
    /// The file of its encoding.
    pub fn encoding(self) -> String {
        let name = match self {
            Family::Colourings => "colouring".into(),
            Family::Mazes => "labyrinth".into(),
            Family::Covers => "cover".into(),
            Family::Motifs => "patterns".into(),
            Family::Tours | Family::Knights => "hamilton".into(),
            other => other.name(),
        };
        format!("{name}.lp")
    }

    /// Its name, as it is typed.
    pub fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_string())
    }

    /// The sizes that make sense; beyond the largest, facts alone would fill gigabytes.
    pub fn sizes(self) -> RangeInclusive<usize> {
        match self {
            Family::Queens => 1..=1000,
            Family::Sokoban => 5..=1000,
            Family::Visitall | Family::Labyrinth | Family::Mazes | Family::Marriage => 2..=1000,
            Family::Patterns | Family::Motifs => 8..=1_000_000,
            _ => 4..=1_000_000,
        }
    }
}

/// The facts of an instance, one line a fact or a few; sizes outside of [`Family::sizes`] count as the nearest in it.
pub fn facts(family: Family, size: usize, seed: u64) -> String {
    let n = size.clamp(*family.sizes().start(), *family.sizes().end());
    let mut random = Random(Pcg32::seed_from_u64(seed));
    let lines = match family {
        Family::Visitall => puzzles::visitall(n, &mut random),
        Family::Sokoban => puzzles::sokoban(n, &mut random),
        Family::Labyrinth => puzzles::labyrinth(n, 2, &mut random),
        // Beyond 100 numbers a pattern of 12 is likely to occur: the program is large then rather than hard.
        Family::Patterns => {
            puzzles::patterns(n, if n > 100 { 12 } else { n / 4 }, seed.is_multiple_of(2), &mut random)
        }
        Family::Motifs => puzzles::patterns(n, n / 4, seed.is_multiple_of(2), &mut random),
        Family::Marriage => puzzles::marriage(n, &mut random),
        Family::Queens => vec![format!("side({n}).")],
        // A random graph stops to be three-colourable at about 2.35 edges a node.
        Family::Colouring => graphs::undirected(n, n * 235 / 100, &mut random),
        Family::Colourings => graphs::undirected(n, n * 3 / 2, &mut random),
        Family::Cover => graphs::cover(n, &mut random),
        Family::Hamilton => graphs::hamilton(n, &mut random),
        Family::Reach => graphs::reach(n, &mut random),
        Family::Rules => graphs::rules(n, &mut random),
        Family::Sat => graphs::sat(n, &mut random),
        Family::Independent | Family::Connected => boards::edges(n, &mut random),
        Family::Tours => boards::arcs(n, &boards::STEPS, &mut random),
        Family::Knights => boards::arcs(n, &boards::LEAPS, &mut random),
        Family::Mazes => puzzles::labyrinth(n, 0, &mut random),
        Family::Programs => graphs::programs(n, &mut random),
        Family::Covers => costs::covers(n, &mut random),
        Family::Cuts => costs::cuts(n, &mut random),
        Family::Salesman => costs::salesman(n, &mut random),
        Family::Timetable => costs::timetable(n, &mut random),
        Family::Couples => costs::couples(n, &mut random),
        Family::Steiner => costs::steiner(n, &mut random),
        Family::Network => costs::network(n, &mut random),
        Family::Rota => costs::rota(n, &mut random),
    };
    let mut text = format!("% {} of size {n}, seed {seed}\n", family.name());
    for line in lines {
        text.push_str(&line);
        text.push('\n');
    }
    text
}

/// Random numbers that mean the same in every version.
struct Random(Pcg32);

impl Random {
    /// A number below `n`.
    fn below(&mut self, n: usize) -> usize {
        ((u64::from(self.0.next_u32()) * n as u64) >> 32) as usize
    }

    /// True in so many cases of a hundred.
    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// The numbers from 1 to `n` in some order.
    fn permutation(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (1..=n).collect();
        for place in (1..n).rev() {
            order.swap(place, self.below(place + 1));
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_means_the_same_facts() {
        for &family in Family::value_variants() {
            let once = facts(family, 9, 5);
            assert_eq!(once, facts(family, 9, 5), "{family:?}");
            assert!(once.lines().count() > 1, "{family:?}");
            if family != Family::Queens {
                assert_ne!(
                    once.lines().skip(1).collect::<Vec<_>>(),
                    facts(family, 9, 6).lines().skip(1).collect::<Vec<_>>()
                );
            }
        }
    }

    /// Numbers in reports are about these facts: a change to a generator makes them mean something else.
    #[test]
    fn facts_are_those_of_earlier_versions() {
        // FNV-1a, which the standard library's hasher need not stay.
        let hash = |sum: u64, byte: u8| (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        let sum = |families: &[Family]| {
            let all: String = families.iter().map(|&family| facts(family, 9, 5)).collect();
            format!("{:x}", all.bytes().fold(0xcbf2_9ce4_8422_2325, hash))
        };
        let (first, later) = Family::value_variants().split_at(Family::Independent as usize);
        let (later, costs) = later.split_at(Family::Covers as usize - Family::Independent as usize);
        assert_eq!((sum(first), sum(later)), ("144cdff22c8fec11".into(), "f86ae9043e9c2e86".into()));
        assert_eq!(sum(costs), "8fa8edb0805a7b3");
    }

    #[test]
    fn the_smallest_sizes_are_made() {
        for &family in Family::value_variants() {
            for seed in 0..20 {
                facts(family, 0, seed);
            }
        }
    }
}
