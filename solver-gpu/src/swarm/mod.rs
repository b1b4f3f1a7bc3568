//! What a searcher does as part of a swarm: it takes cubes, gives cubes away, and shares nogoods.
//!
//! | file | what is in it |
//! | --- | --- |
//! | [`join`] | what a search begins with as a searcher |
//! | [`begin`] | what a searcher begins a cube with |
//! | [`queue`] | cubes that wait for a searcher |
//! | [`pool`] | nogoods that searchers offer to each other |
//! | [`end`] | the end of a cube, and wanting another one |
//! | [`cube`] | deciding on a cube's literals, the end of a cube, giving a cube away |
//! | [`lookahead`] | choosing the decision that divides a cube |
//! | [`near`] | searching near the best answer set that is known |
//! | [`share`] | offering what was learned, and importing what others learned |
//! | [`told`] | what a searcher writes to its ring, for a proof or a trace |
//! | [`goals`] | bounds and consequences that hold for all searchers |
//! | [`questions`] | cubes with names, and replies to them |
//!
//! The host calls [`join`], and the resident search ([`crate::kernels::search`]) all other functions. In a
//! search that is alone the compiler leaves them out on a GPU, and one condition skips them on the host.

pub mod begin;
pub mod cube;
pub mod end;
pub mod goals;
pub mod join;
pub mod lookahead;
pub mod near;
pub mod pool;
pub mod questions;
pub mod queue;
pub mod share;
#[cfg(test)]
mod tests;
pub mod told;
