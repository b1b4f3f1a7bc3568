//! Instances that are boards: all of their sets or tours of some kind are counted.
//!
//! Main functions: [`edges`] and [`arcs`]. Invariant: a seed only says which cell has which number, so that the number of
//! answer sets is that of the board, whatever the seed.

use super::Random;

/// Steps of one cell to the right, or down; those back are the same ones backward.
pub const STEPS: [Offset; 2] = [(1, 0), (0, 1)];
/// Leaps of a knight downward; those upward are the same ones backward.
pub const LEAPS: [Offset; 4] = [(1, 2), (2, 1), (-1, 2), (-2, 1)];

type Offset = (i32, i32);

/// A grid of `n` cells, each side by side with its neighbours.
pub fn edges(n: usize, random: &mut Random) -> Vec<String> {
    let mut lines = vec![format!("node(1..{n}).")];
    lines.extend(joined(n, &STEPS, random).iter().map(|(v, w)| format!("edge({v},{w}).")));
    lines
}

/// Arcs both ways between the cells of a board of `n` cells which one of these moves joins.
pub fn arcs(n: usize, moves: &[Offset], random: &mut Random) -> Vec<String> {
    let mut lines = vec![format!("node(1..{n}).")];
    lines.extend(joined(n, moves, random).iter().map(|(v, w)| format!("arc({v},{w}). arc({w},{v}).")));
    lines
}

/// Pairs of cells of the rectangle of `n` cells that is closest to a square.
fn joined(n: usize, moves: &[Offset], random: &mut Random) -> Vec<(usize, usize)> {
    let height = (1..=n.isqrt()).rev().find(|side| n.is_multiple_of(*side)).unwrap_or(1);
    let width = n / height;
    let number = random.permutation(n);
    let mut pairs = Vec::new();
    for y in 0..height {
        for x in 0..width {
            for (right, down) in moves {
                let to = x.checked_add_signed(*right as isize).zip(y.checked_add_signed(*down as isize));
                if let Some((v, w)) = to.filter(|(v, w)| *v < width && *w < height) {
                    pairs.push((number[y * width + x], number[w * width + v]));
                }
            }
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_pcg::rand_core::SeedableRng;
    use rand_pcg::Pcg32;

    #[test]
    fn boards_have_as_many_pairs_as_they_should() {
        // Cells, pairs side by side, and pairs that a knight joins: 4 by 5, 6 by 8, and a row of 7.
        for (cells, steps, leaps) in [(20, 31, 34), (48, 82, 116), (7, 6, 0)] {
            let mut random = Random(Pcg32::seed_from_u64(3));
            assert_eq!(edges(cells, &mut random).len(), 1 + steps, "{cells}");
            assert_eq!(arcs(cells, &LEAPS, &mut random).len(), 1 + leaps, "{cells}");
        }
    }
}
