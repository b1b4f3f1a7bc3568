//! What a ledger keeps for a proof that several processes write, a part each.
//!
//! Main type: [`Parts`]. A step has a *clock*: the stamp of its searcher. Processes tell each other their
//! clocks with all that they tell, and whoever hears of a clock stamps what comes next with a larger one
//! (Lamport 1978). So the clocks of all parts are such an order as the stamps of one process are. The cubes
//! of all processes are put together in the solver's part, at the end of a phase.
//!
//! Invariant: no step has a smaller clock than what it depends on, in whichever part.

use super::cubes::{Cube, Cubes};
use super::format::Part;
use super::prelude::Numbers;
use serde::{Deserialize, Serialize};
use solver_gpu::Lit;

/// What has become of a cube. Literals are the words of [`solver_gpu::Lit`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CubeNews {
    /// A cube with the first `had` literals of `whole`, to which enumeration has added the rest, is divided.
    Divided {
        /// How many literals the cube has.
        had: u32,
        /// The literals of the cube, and those that enumeration has flipped in it.
        whole: Vec<u32>,
        /// The decision that divides it.
        decision: u32,
    },
    /// A cube is refuted, or its answer sets were all told.
    Refuted(Vec<u32>),
}

impl CubeNews {
    /// All literals.
    pub fn lits(&self) -> impl Iterator<Item = u32> + '_ {
        let (lits, decision) = match self {
            CubeNews::Divided { whole, decision, .. } => (whole, Some(*decision)),
            CubeNews::Refuted(cube) => (cube, None),
        };
        lits.iter().copied().chain(decision)
    }

    /// Notes the news. Returns the cubes that are refuted by that besides.
    pub fn note(self, cubes: &mut Cubes, numbers: &Numbers) -> Vec<Cube> {
        let number = |lit: u32| numbers.of_solver(Lit(lit));
        let cube = |lits: Vec<u32>| lits.into_iter().map(number).collect::<Cube>();
        match self {
            CubeNews::Divided { had, whole, decision } => {
                cubes.divided(had as usize, cube(whole), number(decision))
            }
            CubeNews::Refuted(refuted) => cubes.refuted(cube(refuted)),
        }
    }
}

/// See the module's documentation.
pub struct Parts {
    /// The part that the ledger writes.
    pub own: Part,
    /// The largest clock that other processes have told.
    pub heard: u64,
    /// In the solver's part, the cubes that are refuted because both sides of a decision are. Sides may be
    /// refuted in parts with larger clocks than the steps here have, so that these cubes are written at the
    /// end of the phase.
    pub late: Vec<Cube>,
    /// In any other part, what the solver has not been told of.
    pub untold: Vec<CubeNews>,
}

impl Parts {
    /// Nothing is known of other parts.
    pub fn new(own: Part) -> Parts {
        Parts { own, heard: 0, late: Vec::new(), untold: Vec::new() }
    }
}
