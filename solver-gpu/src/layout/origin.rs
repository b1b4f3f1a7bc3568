//! Where a learned nogood comes from.
//!
//! Main type: [`Origin`]. Invariant: no two nogoods of a swarm have the same origin, and a nogood keeps its
//! origin when its index changes and when another searcher imports it.

/// The number of bits of an origin that hold the serial number.
const SERIAL_BITS: u32 = 40;

/// The searcher that derived a nogood, and the nogood's serial number among all that this searcher derived.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origin(u64);

// SAFETY: the struct is an integer, of which zeros are a value.
unsafe impl bytemuck::Zeroable for Origin {}
// SAFETY: the struct is an integer without padding.
unsafe impl bytemuck::Pod for Origin {}

impl Origin {
    /// The number of searchers that origins tell apart. Numbers wrap around.
    pub const SEARCHERS: u32 = 1 << (u64::BITS - SERIAL_BITS);

    /// The origin of the nogood with the number `serial` of searcher `searcher`.
    #[cuda_std::inlined]
    pub const fn new(searcher: u32, serial: u64) -> Origin {
        Origin((searcher as u64) << SERIAL_BITS | serial & ((1 << SERIAL_BITS) - 1))
    }

    /// The number of the searcher, below [`Origin::SEARCHERS`].
    #[cuda_std::inlined]
    pub const fn searcher(self) -> u32 {
        (self.0 >> SERIAL_BITS) as u32
    }

    /// The nogood's number among all nogoods that the searcher derived, counted from 0.
    #[cuda_std::inlined]
    pub const fn serial(self) -> u64 {
        self.0 & ((1 << SERIAL_BITS) - 1)
    }

    /// The origin as two words, the low half first.
    #[cuda_std::inlined]
    pub const fn words(self) -> [u32; 2] {
        [self.0 as u32, (self.0 >> 32) as u32]
    }

    /// The origin that two words say (see [`Origin::words`]).
    #[cuda_std::inlined]
    pub const fn of_words([low, high]: [u32; 2]) -> Origin {
        Origin((high as u64) << 32 | low as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_keeps_its_searcher_and_its_serial_number() {
        for searcher in [0, 1, 2112, Origin::SEARCHERS - 1] {
            for serial in [0, 1, u32::MAX as u64 + 7, (1 << SERIAL_BITS) - 1] {
                let origin = Origin::new(searcher, serial);
                assert_eq!((origin.searcher(), origin.serial()), (searcher, serial));
                assert_eq!(Origin::of_words(origin.words()), origin);
            }
        }
        assert_eq!(Origin::new(Origin::SEARCHERS + 3, 5), Origin::new(3, 5), "searchers wrap around");
    }
}
