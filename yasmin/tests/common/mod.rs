//! What several tests of the library need.

#![allow(dead_code, reason = "each test uses a part of it")]

pub mod enforcer;
pub mod pair;
pub mod proofs;
pub mod spec;

use yasmin::{Options, ParallelMode, Racers, When};

/// Random numbers (splitmix64).
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) % n as u64) as usize
    }

    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

/// Options of some searchers that join at any time and have much to do with each other.
pub fn options_of_several(seed: u64) -> Options {
    let random = &mut Random(seed);
    let join_after = match random.below(3) {
        0 => When::Milliseconds(0),
        1 => When::Conflict(random.below(30) as u32),
        _ => When::Answer(random.below(3) as u32),
    };
    Options {
        parallel_mode: ParallelMode::Searchers(2 + random.below(3)),
        join_after,
        import_every: 1 + random.below(3) as u32,
        split_after: random.below(3) as u32,
        split_from: [0, 50][random.below(2)],
        racers: [Racers::Change, Racers::Each(1), Racers::Each(2), Racers::Auto][random.below(4)],
        near_best: random.below(4) as u32,
        cube_lookahead: 4 * random.below(3) as u32,
        share_lbd: 32,
        ..Options::on_processor()
    }
}
