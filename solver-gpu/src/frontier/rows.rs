//! The rows of the literals that a warp visits, added up, so that the warp's lanes take their entries 32 at a
//! time.
//!
//! Main function: [`Rows::find`]. The rows are numbered through as one sequence of entries.

use crate::layout::NONE;
use crate::threads::scratch::{Row, WarpScratch};
use crate::threads::token::WholeWarp;
use crate::threads::warp::{lanes_below, sync_warp, warp_ballot, warp_or, warp_scan_of, warp_sum};
use crate::Lit;
use crate::{Launch, Own};
use cuda_std::thread;

/// The rows of up to 32 literals, one for each lane, added up.
#[derive(Clone, Copy)]
pub struct Rows {
    /// Whether there is one row only, which all lanes have.
    is_one: bool,
    /// This lane's literal.
    lit: Lit,
    /// Where this lane's row begins.
    start: u32,
    /// How many entries the rows of the lanes before this one have; [`NONE`] if this lane's row is empty.
    before: u32,
    /// How many entries all rows have.
    pub total: u32,
}

/// Up to 32 entries of lists, one for each lane.
#[derive(Clone, Copy, Default)]
pub struct Batch {
    /// Where the lane's entry is. A lane without an entry has the last one.
    pub place: RowPosition,
    /// The lane's entry.
    pub entry: u64,
}

/// The position of an entry within its row.
#[derive(Clone, Copy, Default)]
pub struct RowPosition {
    /// The literal in whose row the entry is.
    pub lit: Lit,
    /// Where the row begins.
    pub start: u32,
    /// Where the entry is.
    pub at: u32,
    /// How many entries of the row are left from this one on.
    pub left: u32,
}

impl Rows {
    /// The row of one literal that all lanes of a warp have. Most frontiers are that small, or fall to many
    /// warps.
    #[cuda_std::inlined]
    pub fn of_one(lit: Lit, (start, end): (u32, u32)) -> Rows {
        Rows { is_one: true, lit, start, before: 0, total: end - start }
    }

    /// The rows of the first `n` lanes' literals, each from `start` to `end`. The warp has synchronised
    /// since it looked for entries of other rows; those are no longer found.
    #[cuda_std::inlined]
    pub fn new(warp: &mut WholeWarp, launch: &Launch, n: u32, lit: Lit, (start, end): (u32, u32)) -> Rows {
        // All positions are 32-bit numbers, and no two rows share one.
        let len = end - start;
        // The sum is under way while the rows are added up.
        let total = warp_sum(warp, len);
        let end = warp_scan_of(warp, len, n);
        let (before, with_places) = (end - len, warp_ballot(warp, len > 0));
        if len > 0 {
            let place = lanes_below(with_places).count_ones();
            WarpScratch::of_warp(launch).set_row(place, Row { lit, start, before, end });
        }
        sync_warp(warp);
        let before = if len > 0 { before } else { NONE };
        Rows { is_one: false, lit, start, before, total }
    }

    /// The rows of lists: some lanes may have none, or an empty one.
    #[cuda_std::inlined]
    pub fn of_lists(warp: &mut WholeWarp, launch: &Launch, lit: Lit, (start, end): (u32, u32)) -> Rows {
        let n = 32 - warp_ballot(warp, start < end).leading_zeros();
        Rows::new(warp, launch, n, lit, (start, end))
    }

    /// The batch of list entries from number `base` on, if there are any.
    #[cuda_std::inlined]
    pub fn turn(&self, warp: &mut WholeWarp, own: &Own, launch: &Launch, base: u32) -> Batch {
        if base >= self.total {
            return Batch::default();
        }
        let place = self.find(warp, launch, base);
        Batch { place, entry: own.watch_list.read(place.at) }
    }

    /// The entry with number `base` plus the lane's number; the last entry for a lane without one. There must
    /// be an entry with number `base`.
    #[cuda_std::inlined]
    pub fn find(&self, warp: &mut WholeWarp, launch: &Launch, base: u32) -> RowPosition {
        let place = (base + thread::thread_idx_x() % 32).min(self.total - 1);
        let Row { lit, start, before, end } = if self.is_one {
            Row { lit: self.lit, start: self.start, before: 0, end: self.total }
        } else {
            self.row(warp, launch, base)
        };
        RowPosition { lit, start, at: start + (place - before), left: end - place }
    }

    /// The row of the lane's entry. The row's number is how many rows begin before the entry: those that
    /// begin up to number `base`, and of the others one bit for each beginning. (A binary search takes three
    /// times as long.)
    #[cuda_std::inlined]
    fn row(&self, warp: &mut WholeWarp, launch: &Launch, base: u32) -> Row {
        let behind = self.before.wrapping_sub(base);
        let begins = warp_or(warp, if behind.wrapping_sub(1) < 31 { 1 << behind } else { 0 });
        let up_to_here = u32::MAX >> (31 - thread::thread_idx_x() % 32);
        let rows = warp_ballot(warp, self.before <= base).count_ones() + (begins & up_to_here).count_ones();
        WarpScratch::of_warp(launch).row(rows - 1)
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use crate::hash::mix;
    use crate::threads::testing::results;
    use crate::Launch;

    #[test]
    fn places_of_rows_are_found() {
        for seed in 0..60u64 {
            let n = 1 + (mix(seed) % 32) as u32;
            let len =
                |lane: u32| if lane < n { (mix(seed << 6 | lane as u64) % 4 * (seed % 3)) as u32 } else { 0 };
            let start = |lane: u32| 1000 * (lane + 1);
            // Each entry of all rows, one row after the other.
            let places: std::vec::Vec<_> = (0..n)
                .flat_map(|lane| (0..len(lane)).map(move |i| (lane, start(lane) + i, len(lane) - i)))
                .collect();
            let launch = &Launch::default();
            let rows = |warp: &mut WholeWarp, lane: u32| match n {
                1 => Rows::of_one(Lit(0), (start(0), start(0) + len(0))),
                n => Rows::new(warp, launch, n, Lit(lane), (start(lane), start(lane) + len(lane))),
            };
            let total = places.len() as u32;
            let totals = results(32, seed, |block, lane| rows(block.warp(), lane).total);
            assert!(totals.iter().all(|&n| n == total), "seed {seed}");
            for base in (0..total).step_by(1 + seed as usize % 40) {
                let found = results(32, seed, |block, lane| {
                    let rows = rows(block.warp(), lane);
                    let RowPosition { lit, start: begin, at, left } = rows.find(block.warp(), launch, base);
                    assert_eq!(begin, start(lit.0), "seed {seed}, place {base} and lane {lane}");
                    (lit.0, at, left)
                });
                for (got, at) in found.into_iter().zip(base..) {
                    assert_eq!(got, places[at.min(total - 1) as usize], "seed {seed}, place {at}");
                }
            }
        }
    }
}
