//! What a thread that [`simt`](super::simt()) runs can wait for, and how it waits.

use crate::operation::{Barrier, WarpOp};
use std::panic::Location;

/// What a suspended thread waits for; `at` is the place of the call in the kernel's source.
#[derive(Clone, Copy)]
pub(crate) enum Request {
    /// The thread waits at a barrier of its block.
    /// `orders` says that memory accesses before and after are ordered.
    Barrier { kind: Barrier, predicate: bool, orders: bool, at: &'static Location<'static> },
    /// The thread waits for the lanes of `mask`, with the value that the thread passes.
    Warp { op: WarpOp, mask: u32, value: u64, at: &'static Location<'static> },
    /// The thread waits until no lane of its warp can still come here, and asks which are here.
    Active { at: &'static Location<'static> },
    /// The thread waits for others, and lets them run.
    Sleep { at: &'static Location<'static> },
    /// The thread may go on, but other threads may run first.
    Turn { at: &'static Location<'static> },
}

/// The answer to a request: a value and a truth value.
pub(crate) type Reply = (u64, bool);
