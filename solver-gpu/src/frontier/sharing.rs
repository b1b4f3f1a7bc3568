//! How the visits of a frontier are shared out to the warps of a grid.
//!
//! Main function: [`Share::by_class`]. Invariant: each entry of a frontier falls to exactly one warp.

use crate::frontier::classes::{Class, BINARY, CLASSES, LEARNED, LONG, TERNARY};
use crate::threads::stride::warp_of_grid;
use crate::{Launch, Problem};
use core::array::from_fn;
use cuda_std::thread;

/// The classes that the grid visits, and the class that this warp visits if the frontier is narrow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Share {
    /// The classes that the grid visits: from the first number to before the second.
    pub all: (u32, u32),
    /// The class that this warp visits; [`CLASSES`] if there are too few warps to give each a class.
    pub class: u32,
    /// This warp's number among the warps of its class.
    pub rank: u32,
    /// How many warps have this class.
    pub of: u32,
    /// How many windows the warps of the class are shared out among at most, less one.
    windows: u32,
}

impl Share {
    #[cuda_std::inlined]
    fn new(all: (u32, u32), class: u32, (rank, of): (u32, u32)) -> Share {
        let windows = match of {
            0..2 => 0,
            2..4 => 1,
            4..8 => 3,
            _ => 7,
        };
        Share { all, class, rank, of, windows }
    }

    /// The most literals of a narrow frontier: as many as the warps of a class can have in their lanes.
    #[cuda_std::inlined]
    pub fn max_narrow(self) -> u32 {
        match thread::block_dim_x() / WINDOW {
            _ if self.class == CLASSES => 0,
            0..8 => WINDOW,
            // Half of the warps may have lists, one for each lane.
            warps => (warps / 2 * WINDOW).min(MAX_NARROW),
        }
    }

    /// The rows of this warp's class of input nogoods.
    #[cuda_std::inlined]
    pub fn rows(self, problem: &Problem) -> Class {
        Class::of(problem, self.class)
    }

    /// Whether this warp has lists of learned nogoods.
    #[cuda_std::inlined]
    pub fn has_lists(self) -> bool {
        self.class == LEARNED
    }

    /// Whether this warp has any lists, in a frontier of `literals` literals.
    #[cuda_std::inlined]
    pub fn has_lists_of(self, literals: u32) -> bool {
        self.rank < literals
    }

    /// The share in which all warps of the grid visit the classes `from_class .. to_class`.
    #[cuda_std::inlined]
    pub fn of_all(launch: &Launch, from_class: u32, to_class: u32) -> Share {
        let class = if to_class == from_class + 1 { from_class } else { CLASSES };
        Share::new((from_class, to_class), class, warp_of_grid(launch))
    }

    /// The share in which each warp of the grid visits one class, if there are enough warps. Half of the
    /// warps have lists, which take longest, if `has_lists`. The others have input nogoods, as many warps for
    /// each class as the class has of the visits. This takes divisions, so the share is kept.
    #[cuda_std::inlined]
    pub fn by_class(problem: &Problem, launch: &Launch, has_lists: bool) -> Share {
        let (warp, warps) = warp_of_grid(launch);
        let sizes = [problem.occurs_binary.len(), problem.occurs_ternary.len(), problem.occurs_long.len()]
            .map(|n| n as u64);
        match share_out(warps, has_lists, sizes) {
            None => Share::of_all(launch, BINARY, CLASSES),
            Some([binary, ternary, long]) => {
                let (class, first, end) = match warp {
                    warp if warp < binary => (BINARY, 0, binary),
                    warp if warp < binary + ternary => (TERNARY, binary, binary + ternary),
                    warp if warp < binary + ternary + long => {
                        (LONG, binary + ternary, binary + ternary + long)
                    }
                    _ => (LEARNED, binary + ternary + long, warps),
                };
                Share::new((BINARY, CLASSES), class, (warp - first, end - first))
            }
        }
    }
}

/// How many of `warps` warps visit input nogoods of each length, of which there are `sizes` entries. `None`
/// if there are too few warps, so that each warp has to visit all classes.
#[cuda_std::inlined]
pub fn share_out(warps: u32, has_lists: bool, sizes: [u64; 3]) -> Option<[u32; 3]> {
    let present = sizes.map(|size| (size > 0) as u32);
    let classes = present[0] + present[1] + present[2];
    if warps < CLASSES {
        return None;
    }
    let of_inputs = if has_lists { warps.div_ceil(2) } else { warps - 1 };
    // One warp for each class that has entries; the other warps by size.
    let more = of_inputs.saturating_sub(classes) as u64;
    let all = (sizes[0] + sizes[1] + sizes[2]).max(1);
    Some(from_fn(|class| present[class] + (more * sizes[class] / all) as u32))
}

/// Literals that a warp can have in its lanes: one window of a frontier.
pub const WINDOW: u32 = 32;

/// The most literals of a narrow frontier, which has one or several windows.
const MAX_NARROW: u32 = 256;

/// The windows of a narrow frontier that fall to a warp with a class of input nogoods.
#[derive(Clone, Copy)]
pub struct Windows {
    /// The first window.
    pub first: u32,
    /// How far apart the windows are.
    pub step: u32,
    /// This warp's number among the warps that share its windows.
    pub rank: u32,
    /// How many warps share its windows.
    pub of: u32,
}

impl Windows {
    /// The windows of a frontier of `literals` literals that fall to a warp with this share.
    #[cuda_std::inlined]
    pub fn of(share: Share, literals: u32) -> Windows {
        // The number of windows, less one, rounded up to one, two, four or eight windows: divisions take
        // long.
        let more = (literals - 1) / WINDOW;
        let more = (more | more >> 1 | more >> 2).min(share.windows);
        let (first, shift) = (share.rank & more, more.count_ones());
        let of = (share.of - first + more) >> shift;
        Windows { first, step: more + 1, rank: share.rank >> shift, of }
    }
}

/// Whether `literals` is at least one and at most `most`.
#[cuda_std::inlined]
pub fn is_narrow(literals: u32, most: u32) -> bool {
    literals.wrapping_sub(1) < most
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use crate::frontier::classes::LONG;
    use std::vec::Vec;

    #[test]
    fn windows_are_shared_out() {
        for (of, literals) in (1..10).flat_map(|of| (1..=MAX_NARROW).map(move |literals| (of, literals))) {
            for window in 0..literals.div_ceil(WINDOW) {
                let mine = |rank| Windows::of(Share::new((LONG, LONG + 1), LONG, (rank, of)), literals);
                let of_window = |w: &Windows| window >= w.first && (window - w.first).is_multiple_of(w.step);
                let those: Vec<Windows> = (0..of).map(mine).filter(of_window).collect();
                let ranks: Vec<u32> = those.iter().map(|w| w.rank).collect();
                assert_eq!(ranks, (0..those.len() as u32).collect::<Vec<_>>(), "{of} {literals} {window}");
                assert!(!those.is_empty() && those.iter().all(|w| w.of == those.len() as u32));
            }
        }
    }

    #[test]
    fn each_class_that_there_is_has_a_warp() {
        for (warps, has_lists) in (4..300).flat_map(|warps| [(warps, false), (warps, true)]) {
            for sizes in [[0, 0, 0], [1, 0, 0], [1, 1, 1], [1_000_000, 1, 0], [3, 2, 1], [0, 0, 7]] {
                let shares = share_out(warps, has_lists, sizes).expect("enough warps");
                for (share, size) in shares.iter().zip(sizes) {
                    assert_eq!(*share > 0, size > 0, "{warps} {sizes:?} {shares:?}");
                }
                let most = if has_lists { warps.div_ceil(2) } else { warps - 1 };
                let sum = shares.iter().sum::<u32>();
                assert!(sum < warps, "none is left for lists: {warps} {sizes:?}");
                assert!(sum <= most.max(3), "{warps} {sizes:?}");
                assert!(sizes[0] == 0 || sum + 3 > most, "some have nothing: {warps} {sizes:?} {shares:?}");
            }
        }
        assert_eq!(share_out(3, true, [1, 1, 1]), None);
    }
}
