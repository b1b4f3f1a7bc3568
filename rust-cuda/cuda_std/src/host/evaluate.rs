//! What a warp operation gives to one lane, as the PTX manual defines it. Main function: [`evaluate`].

use crate::operation::{WarpOp, WarpReductionOp};

/// The mask of the lanes that warp `warp` of a block of `threads` threads has.
pub(crate) fn lanes_of(threads: u32, warp: u32) -> u32 {
    match threads - 32 * warp {
        0..=31 => (1 << (threads - 32 * warp)) - 1,
        _ => u32::MAX,
    }
}

/// Whether lanes that do `a` and `b` at one place of the source take part in one operation.
pub(crate) fn same_instruction(a: WarpOp, b: WarpOp) -> bool {
    match (a, b) {
        (WarpOp::Reduce { op: a, .. }, WarpOp::Reduce { op: b, .. }) => a == b,
        _ => std::mem::discriminant(&a) == std::mem::discriminant(&b),
    }
}

/// The width of a shuffle, if the width is not a power of two up to 32.
pub(crate) fn wrong_width(op: WarpOp) -> Option<u32> {
    match op {
        WarpOp::ShuffleDown { width, .. }
        | WarpOp::ShuffleUp { width, .. }
        | WarpOp::ShuffleIdx { width, .. }
        | WarpOp::ShuffleXor { width, .. } => Some(width).filter(|&w| !w.is_power_of_two() || w > 32),
        _ => None,
    }
}

/// The lane that `lane` reads from, or `None` if that lane is out of range. Only the last five bits of a
/// distance count.
pub(crate) fn source(op: WarpOp, lane: u32) -> Option<u32> {
    let segment = |width: u32| (lane & !(width - 1), lane | (width - 1));
    match op {
        WarpOp::ShuffleDown { delta, width } => {
            Some(lane + (delta & 31)).filter(|&from| from <= segment(width).1)
        }
        WarpOp::ShuffleUp { delta, width } => {
            lane.checked_sub(delta & 31).filter(|&from| from >= segment(width).0)
        }
        WarpOp::ShuffleIdx { idx, width } => Some(segment(width).0 | (idx & (width - 1))),
        WarpOp::ShuffleXor { lane_mask, width } => {
            Some(lane ^ (lane_mask & 31)).filter(|&from| from <= segment(width).1)
        }
        _ => Some(lane),
    }
}

/// What lane `lane` of the mask gets: a value and a truth value. `value` gives what each lane of the mask
/// passed.
pub(crate) fn evaluate(op: WarpOp, mask: u32, lane: u32, value: &dyn Fn(u32) -> u64) -> (u64, bool) {
    let members = || (0..32).filter(|&l| mask >> l & 1 == 1);
    let bits = |keep: &dyn Fn(u32) -> bool| members().filter(|&l| keep(l)).fold(0u64, |m, l| m | 1 << l);
    match op {
        WarpOp::Sync => (0, true),
        WarpOp::VoteAll => (0, members().all(|l| value(l) != 0)),
        WarpOp::VoteAny => (0, members().any(|l| value(l) != 0)),
        WarpOp::Reduce { op, signed } => {
            let reduced = members().map(|l| value(l) as u32).reduce(|a, b| reduce(op, signed, a, b));
            (reduced.unwrap_or(0) as u64, true)
        }
        WarpOp::Ballot => (bits(&|l| value(l) != 0), true),
        WarpOp::MatchAny => (bits(&|l| value(l) == value(lane)), true),
        _ => match source(op, lane) {
            // A lane that is alone reads its own value.
            Some(from) if mask >> from & 1 == 1 => (value(from), true),
            _ => (value(lane), false),
        },
    }
}

fn reduce(op: WarpReductionOp, signed: bool, a: u32, b: u32) -> u32 {
    match op {
        WarpReductionOp::Add => a.wrapping_add(b),
        WarpReductionOp::Min if signed => (a as i32).min(b as i32) as u32,
        WarpReductionOp::Min => a.min(b),
        WarpReductionOp::Max if signed => (a as i32).max(b as i32) as u32,
        WarpReductionOp::Max => a.max(b),
        WarpReductionOp::And => a & b,
        WarpReductionOp::Or => a | b,
        WarpReductionOp::Xor => a ^ b,
    }
}
