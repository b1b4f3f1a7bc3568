//! Programs of which it is known what an optimal answer set costs. clasp 3.3.5 has found that.
//!
//! Main type: [`Known`].

use serde::{Deserialize, Serialize};

/// A program of `tests/data`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Known {
    /// Tours of eleven places, of which only some are next to each other. Three tours cost least.
    Tours11,
    /// Tours of twelve places, each next to each other. Many tours cost least.
    Tours12,
}

/// What is known of the optimal answer sets.
pub struct Optimal {
    /// What they cost.
    pub costs: Vec<i64>,
    /// How many there are.
    pub number: u128,
    /// What each prints, sorted.
    pub sets: Option<Vec<Vec<String>>>,
}

/// What the optimal tours of eleven places print.
const TOURS_11: [&str; 3] = [
    "c(0,4) c(10,6) c(9,5) c(8,3) c(6,7) c(5,10) c(4,9) c(3,2) c(2,1) c(7,8) c(1,0)",
    "c(0,4) c(10,6) c(9,5) c(8,3) c(5,8) c(4,9) c(3,2) c(2,1) c(7,10) c(1,7) c(6,0)",
    "c(0,6) c(10,4) c(9,5) c(8,3) c(6,10) c(5,8) c(4,9) c(3,2) c(2,1) c(1,7) c(7,0)",
];

impl Known {
    /// The ground program.
    pub fn text(self) -> &'static str {
        match self {
            Known::Tours11 => include_str!("../../data/tours-11.aspif"),
            Known::Tours12 => include_str!("../../data/tours-12.aspif"),
        }
    }

    /// What is known of the optimal answer sets.
    pub fn optimal(self) -> Optimal {
        match self {
            Known::Tours11 => {
                let sorted = |tour: &str| {
                    let mut names: Vec<String> = tour.split(' ').map(String::from).collect();
                    names.sort_unstable();
                    names
                };
                Optimal { costs: vec![29], number: 3, sets: Some(TOURS_11.map(sorted).into()) }
            }
            Known::Tours12 => Optimal { costs: vec![53], number: 2400, sets: None },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::Reference;

    #[test]
    fn the_reference_agrees() {
        let Ok(reference) = Reference::find() else {
            println!("SKIPPED: there is no clasp");
            return;
        };
        for known in [Known::Tours11, Known::Tours12] {
            let optimum = reference.optimum(known.text().as_bytes(), 60).expect("clasp finds it");
            assert_eq!(optimum, (true, Some(known.optimal().costs)), "{known:?}");
        }
    }
}
