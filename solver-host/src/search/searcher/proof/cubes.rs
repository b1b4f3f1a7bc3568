//! Which parts of the search space are refuted, of those that searchers have given to each other.
//!
//! Main type: [`Cubes`]. When both sides of a decision are refuted, so is the cube that the decision divided. Literals that
//! enumeration had flipped in the cube belong to both sides. They follow from the cube's other literals, by the nogoods of
//! the flips.

use std::collections::{HashMap, HashSet};

/// The literals of a cube, in the order in which they were decided.
pub type Cube = Vec<i32>;

/// The cubes of a phase.
#[derive(Debug, Default)]
pub struct Cubes {
    /// Where each cube that came of a division comes from.
    origin: HashMap<Cube, Origin>,
    refuted: HashSet<Cube>,
}

/// Where a cube comes from.
#[derive(Debug)]
struct Origin {
    /// The other side of the decision.
    other: Cube,
    /// What was divided, with the flipped literals.
    whole: Cube,
    /// What was divided, without these.
    cube: Cube,
}

impl Cubes {
    /// A cube of the first `had` literals of `whole`, to which enumeration has added the rest, is divided by a decision.
    pub fn divided(&mut self, had: usize, whole: Cube, decision: i32) {
        let with = |lit: i32| whole.iter().copied().chain([lit]).collect::<Cube>();
        let sides = [with(decision), with(-decision)];
        for (own, other) in [(0, 1), (1, 0)] {
            let origin =
                Origin { other: sides[other].clone(), whole: whole.clone(), cube: whole[..had].to_vec() };
            self.origin.insert(sides[own].clone(), origin);
        }
    }

    /// A cube is refuted. Returns the cubes that are refuted by that, each of which follows from those before.
    pub fn refuted(&mut self, cube: Cube) -> Vec<Cube> {
        let mut all = vec![cube.clone()];
        let mut last = cube;
        while self.refuted.insert(last.clone()) {
            let Some(Origin { other, whole, cube }) = self.origin.get(&last) else { break };
            if !self.refuted.contains(other) {
                break;
            }
            all.push(whole.clone());
            if cube.len() < whole.len() {
                all.push(cube.clone());
            }
            last = cube.clone();
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_divided_is_refuted_once_both_sides_are() {
        let mut cubes = Cubes::default();
        cubes.divided(0, vec![], 1);
        // Enumeration has flipped 5.
        cubes.divided(1, vec![1, 5], 2);
        assert_eq!(cubes.refuted(vec![1, 5, -2]), [vec![1, 5, -2]]);
        assert_eq!(cubes.refuted(vec![1, 5, 2]), [vec![1, 5, 2], vec![1, 5], vec![1]]);
        assert_eq!(cubes.refuted(vec![-1]), [vec![-1], vec![]]);
    }
}
