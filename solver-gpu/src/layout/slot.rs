//! What learning says of one conflict.

use super::ids::NONE;

/// What a learning kernel says of the nogood in a slot.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Learned {
    /// The nogood's length in literals; [`NONE`]: nothing was learned.
    pub len: u32,
    /// The highest decision level in the nogood, or 1.
    pub top: u32,
    /// The second highest decision level in the nogood, or 1.
    pub second: u32,
    /// The number of decision levels of the nogood's literals.
    pub lbd: u32,
    /// A hash of the set of the nogood's literals.
    pub hash: u64,
}

// SAFETY: words, and nothing between them.
unsafe impl bytemuck::Zeroable for Learned {}
// SAFETY: as above.
unsafe impl bytemuck::Pod for Learned {}

impl Learned {
    /// What a slot without a nogood says.
    pub const NOTHING: Learned = Learned { len: NONE, top: 0, second: 0, lbd: 0, hash: 0 };
}
