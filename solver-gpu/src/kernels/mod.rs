//! The kernels, one a file. Each is a thin entry point over a plain function that tests call as well.
//!
//! | step of Algorithm 1 | kernels |
//! | --- | --- |
//! | InitialPropagation | [`initial_propagation`] |
//! | PropagateAndCheck | [`commit`], then [`propagate_binary`], [`propagate_ternary`], [`propagate_long`], [`propagate_sums`] and [`propagate_learned`] |
//! | Learning | [`learn_forward`] or [`learn_resolution`], then [`record_learned`] |
//! | Backjump | [`backjump`] |
//! | Decision | [`decide`] |
//! | CompleteAssignment | [`complete`] |
//! | (foundedness) | [`stability`], [`record_unfounded`] |
//! | (an answer set is reported: what is asked for next) | [`tighten`] |
//! | (deletion) | [`reduce_learned`] |
//! | (other phases) | [`rephase`] |
//! | (a list of watches is full) | [`rebuild_watches`] |
//! | all of them, in one launch | [`search`] |
//! | (a new decision level that the bitmaps have no word for) | [`widen_deps`] |

pub mod backjump;
pub mod commit;
pub mod complete;
pub mod decide;
pub mod initial_propagation;
pub mod learn_forward;
pub mod learn_resolution;
pub mod propagate_binary;
pub mod propagate_learned;
pub mod propagate_long;
pub mod propagate_sums;
pub mod propagate_ternary;
pub mod rebuild_watches;
pub mod record_learned;
pub mod record_unfounded;
pub mod reduce_learned;
pub mod rephase;
pub mod search;
pub mod stability;
pub mod tighten;
pub mod widen_deps;
