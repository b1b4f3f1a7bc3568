//! The kernels of the solver: a file for each kernel, or for a few that belong together.
//!
//! Each kernel is a thin entry point over a plain function. Tests call the plain functions as well.
//!
//! | step of Algorithm 1 | kernels |
//! | --- | --- |
//! | InitialPropagation | [`initial_propagation`] |
//! | PropagateAndCheck, commit | [`commit`] |
//! | PropagateAndCheck, nogoods | [`propagate_binary`], [`propagate_ternary`], [`propagate_long`] |
//! | PropagateAndCheck, the rest | [`propagate_sums`] and [`propagate_learned`] |
//! | Learning | [`learn_forward`] or [`learn_resolution`], then [`record_learned`] |
//! | Backjump | [`backjump`] |
//! | Decision | [`decide`] |
//! | (decisions that are assumed, and which of them a refutation needs) | [`place`] |
//! | CompleteAssignment | [`complete`] |
//! | (foundedness) | [`stability`] |
//! | (difference constraints) | [`mod@differences`] |
//! | (a nogood that the host tells) | [`record_told`] |
//! | (an answer set is reported, and the condition for the next one changes) | [`tighten`] |
//! | (deletion of learned nogoods) | [`reduce_learned`] |
//! | (change of phases) | [`rephase`] |
//! | (a list of watches is full) | [`rebuild_watches`] |
//! | (what was done is written to the trace) | [`mod@trace`] |
//! | all steps, in one launch | [`search`], and [`mod@swarm`] for several searchers |
//! | (the bitmaps have no word for a new decision level) | [`widen_deps`] |

pub mod backjump;
pub mod commit;
pub mod complete;
pub mod decide;
pub mod differences;
pub mod initial_propagation;
pub mod learn_forward;
pub mod learn_resolution;
pub mod place;
pub mod propagate_binary;
pub mod propagate_learned;
pub mod propagate_long;
pub mod propagate_sums;
pub mod propagate_ternary;
pub mod rebuild_watches;
pub mod record_learned;
pub mod record_told;
pub mod reduce_learned;
pub mod rephase;
pub mod search;
pub mod stability;
pub mod swarm;
pub mod tighten;
pub mod trace;
pub mod widen_deps;
