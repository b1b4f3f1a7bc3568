//! What a warp operation gives to one lane, as the PTX manual defines it.

use super::WarpOp;

/// Mask of the lanes that warp `warp` of a block of `threads` has.
pub(crate) fn lanes(threads: u32, warp: u32) -> u32 {
    match threads - 32 * warp {
        0..=31 => (1 << (threads - 32 * warp)) - 1,
        _ => u32::MAX,
    }
}

/// Lane that `lane` reads from, or `None` if that is out of range.
pub(crate) fn source(op: WarpOp, lane: u32) -> Option<u32> {
    let segment = |width: u32| (lane & !(width - 1), lane | (width - 1));
    match op {
        WarpOp::ShuffleDown { delta, width } => {
            let from = lane as u64 + delta as u64;
            (from <= segment(width).1 as u64).then_some(from as u32)
        }
        WarpOp::ShuffleUp { delta, width } => {
            lane.checked_sub(delta).filter(|&from| from >= segment(width).0)
        }
        WarpOp::ShuffleIdx { idx, width } => Some(segment(width).0 | (idx & (width - 1))),
        WarpOp::ShuffleXor { lane_mask, width } => {
            Some(lane ^ lane_mask).filter(|&from| from <= segment(width).1)
        }
        _ => Some(lane),
    }
}

/// What `lane`, one of `mask`, gets: a value and a truth value. `value` tells what each lane of the mask passed.
pub(crate) fn evaluate(op: WarpOp, mask: u32, lane: u32, value: &dyn Fn(u32) -> u64) -> (u64, bool) {
    let members = || (0..32).filter(|&l| mask >> l & 1 == 1);
    let bits = |keep: &dyn Fn(u32) -> bool| members().filter(|&l| keep(l)).fold(0u64, |m, l| m | 1 << l);
    match op {
        WarpOp::Sync => (0, true),
        WarpOp::VoteAll => (0, members().all(|l| value(l) != 0)),
        WarpOp::VoteAny => (0, members().any(|l| value(l) != 0)),
        WarpOp::Ballot => (bits(&|l| value(l) != 0), true),
        WarpOp::MatchAny => (bits(&|l| value(l) == value(lane)), true),
        _ => match source(op, lane) {
            // A lane that is alone has nobody to read from.
            Some(from) if mask >> from & 1 == 1 => (value(from), true),
            _ => (value(lane), false),
        },
    }
}
