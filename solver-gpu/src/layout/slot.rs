//! The result of learning from one conflict.
//!
//! A learning kernel writes one [`Learned`] for each slot; `record_learned` reads them and stores the
//! nogoods.

use super::ids::NONE;
use super::level::Level;

/// The description of the nogood that a learning kernel left in a slot.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Learned {
    /// The nogood's length in literals, or [`NONE`] if nothing was learned.
    pub len: u32,
    /// The highest decision level among the nogood's literals; at least 1.
    pub top: Level,
    /// The second highest decision level among the nogood's literals; at least 1.
    pub second: Level,
    /// The number of distinct decision levels among the nogood's literals.
    pub lbd: u32,
    /// A hash of the set of the nogood's literals, which does not depend on their order.
    pub hash: u64,
}

// SAFETY: the struct consists of integers, of which zeros are a value.
unsafe impl bytemuck::Zeroable for Learned {}
// SAFETY: the struct consists of integers without padding: four words, then a double word at a multiple of 8
// bytes.
unsafe impl bytemuck::Pod for Learned {}

impl Learned {
    /// The content of a slot from which nothing was learned.
    pub const NOTHING: Learned =
        Learned { len: NONE, top: Level::OPEN, second: Level::OPEN, lbd: 0, hash: 0 };
}
