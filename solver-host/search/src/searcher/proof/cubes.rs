//! Which parts of the search space are refuted, of those that searchers have given to each other.
//!
//! Main type: [`Cubes`]. When both sides of a decision are refuted, so is the cube that the decision divided.
//! Literals that enumeration had flipped in the cube belong to both sides. They follow from the cube's other
//! literals, by the nogoods of the flips.

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
    /// A cube of the first `had` literals of `whole`, to which enumeration has added the rest, is divided by
    /// a decision. Returns the cubes that are refuted by that, as both sides were before; each follows from
    /// those before.
    pub fn divided(&mut self, had: usize, whole: Cube, decision: i32) -> Vec<Cube> {
        let with = |lit: i32| whole.iter().copied().chain([lit]).collect::<Cube>();
        let sides = [with(decision), with(-decision)];
        for (own, other) in [(0, 1), (1, 0)] {
            let origin =
                Origin { other: sides[other].clone(), whole: whole.clone(), cube: whole[..had].to_vec() };
            self.origin.insert(sides[own].clone(), origin);
        }
        let [side, _] = sides;
        if self.refuted.contains(&side) {
            return self.refuted_by(side);
        }
        Vec::new()
    }

    /// A cube is refuted. Returns the cubes that are refuted by that besides, each of which follows from
    /// those before.
    pub fn refuted(&mut self, cube: Cube) -> Vec<Cube> {
        if self.refuted.insert(cube.clone()) {
            return self.refuted_by(cube);
        }
        Vec::new()
    }

    /// The cubes that are refuted as `side` is now, one side of the first of them.
    fn refuted_by(&mut self, side: Cube) -> Vec<Cube> {
        let (mut all, mut last) = (Vec::new(), side);
        while let Some(Origin { other, whole, cube }) = self.origin.get(&last) {
            if !self.refuted.contains(other) {
                break;
            }
            all.push(whole.clone());
            if cube.len() < whole.len() {
                all.push(cube.clone());
            }
            last = cube.clone();
            if !self.refuted.insert(last.clone()) {
                break;
            }
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
        assert!(cubes.divided(0, vec![], 1).is_empty());
        // Enumeration has flipped 5.
        assert!(cubes.divided(1, vec![1, 5], 2).is_empty());
        assert!(cubes.refuted(vec![1, 5, -2]).is_empty());
        assert_eq!(cubes.refuted(vec![1, 5, 2]), [vec![1, 5], vec![1]]);
        assert!(cubes.refuted(vec![1, 5, 2]).is_empty());
        assert_eq!(cubes.refuted(vec![-1]), [Cube::new()]);
    }

    #[test]
    fn what_other_processes_tell_may_come_in_any_order() {
        let mut cubes = Cubes::default();
        assert!(cubes.refuted(vec![1, 5, 2]).is_empty());
        assert!(cubes.refuted(vec![-1]).is_empty());
        assert!(cubes.divided(0, vec![], 1).is_empty());
        assert!(cubes.refuted(vec![1, 5, -2]).is_empty());
        assert_eq!(cubes.divided(1, vec![1, 5], 2), [vec![1, 5], vec![1], vec![]]);
    }
}
