//! The cubes that another process was given and has not searched to their ends. If that process is gone,
//! others search them.
//!
//! Main type: [`Given`]. Invariant: every cube that was given and is not known to be finished is part of one
//! that is kept here.

use std::collections::VecDeque;

/// The most cubes that are kept. More of them become fewer that are larger.
const MOST: usize = 1024;

/// See the module's documentation.
#[derive(Debug, Default)]
pub struct Given {
    /// The cubes in the order in which they were given, each with its number, from 1 on. A cube that stands
    /// for several has the number of the last of them.
    cubes: VecDeque<(u64, Vec<u32>)>,
}

impl Given {
    /// Notes a cube that is given, with its number among all that were.
    pub fn note(&mut self, number: u64, cube: &[u32]) {
        self.cubes.push_back((number, cube.to_vec()));
        if self.cubes.len() > MOST {
            if let (Some((_, first)), Some((number, second))) =
                (self.cubes.pop_front(), self.cubes.pop_front())
            {
                // With fewer literals a cube has more answer sets in it: those of both.
                let common = first.into_iter().filter(|lit| second.contains(lit)).collect();
                self.cubes.push_front((number, common));
            }
        }
    }

    /// Nothing is left of the first so many cubes, and every answer set in them was told.
    pub fn finish(&mut self, cubes: u64) {
        while self.cubes.front().is_some_and(|&(number, _)| number <= cubes) {
            self.cubes.pop_front();
        }
    }

    /// Takes all cubes that are kept.
    pub fn take(&mut self) -> impl Iterator<Item = Vec<u32>> {
        std::mem::take(&mut self.cubes).into_iter().map(|(_, cube)| cube)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use solver_gpu::hash::mix;

    #[test]
    fn what_is_finished_is_not_kept() {
        let mut given = Given::default();
        (1..=5).for_each(|number| given.note(number, &[2 * number as u32]));
        given.finish(0);
        given.finish(3);
        given.finish(2);
        assert_eq!(given.take().collect::<Vec<_>>(), [[8], [10]]);
        assert_eq!(given.take().count(), 0);
    }

    /// However many cubes are given and finished, each that is not finished is part of one that is kept.
    #[test]
    fn every_open_cube_is_covered() {
        for seed in 0..20 {
            let mut given = Given::default();
            let all: Vec<Vec<u32>> = (0..3 * MOST as u64)
                .map(|n| {
                    (0..8)
                        .filter(|i| !mix(seed << 40 | n << 8 | i).is_multiple_of(3))
                        .map(|i| i as u32)
                        .collect()
                })
                .collect();
            let mut finished = 0;
            for (i, cube) in all.iter().enumerate() {
                given.note(i as u64 + 1, cube);
                if mix(seed ^ i as u64).is_multiple_of(64 * (1 + seed)) {
                    finished = finished.max(i as u64 / 2);
                    given.finish(finished);
                }
            }
            let kept: Vec<Vec<u32>> = given.take().collect();
            assert!(kept.len() <= MOST && !kept.is_empty(), "{} cubes", kept.len());
            let covers = |cube: &Vec<u32>| kept.iter().any(|of| of.iter().all(|lit| cube.contains(lit)));
            assert!(all[finished as usize..].iter().all(covers), "seed {seed}");
        }
    }
}
