//! Queues of atoms that a block fills and empties in waves.
//!
//! Main functions: [`waves`] and [`Queue::push`]. A wave visits the entries that the wave before has appended.
//! Groups of lanes share the entries of a wave, and the lanes of a group share the row of an entry ([`each`]).

use crate::threads::barrier::sync_block;
use crate::threads::scratch::{counter, Counter};
use crate::threads::stride::{is_first, is_single, Stride};
use crate::threads::token::WholeBlock;
use crate::{Launch, Var};
use cuda_std::array::Array;
use cuda_std::thread;

/// The number of lanes that share a row. Most checks look at only a handful of atoms, and the loads for one
/// rule wait for each other.
const LANES: u32 = 8;

/// Returns the number of lanes in a group that shares a row: [`LANES`], or 1 in a block of one thread.
#[cuda_std::inlined]
fn lanes() -> u32 {
    if is_single() {
        1
    } else {
        LANES
    }
}

/// Returns the indices `from .. to` that fall to the group of the calling lane. Each group of the block gets
/// one index in turn.
#[cuda_std::inlined]
pub fn over_groups(_: &mut WholeBlock, from: u32, to: u32) -> Stride<'_> {
    Stride::new(from, to, thread::thread_idx_x() / lanes(), thread::block_dim_x() / lanes())
}

/// The end of a queue, to which all threads of the block may append. All threads hold the same values.
#[derive(Clone, Copy)]
pub struct Queue {
    /// The array of the queue's entries: atoms.
    items: Array<u32>,
    /// The number of entries before the entries that the current wave appends.
    pub len: u32,
    /// Which of the queue's counters the current wave uses: 0, 1 or 2.
    current: usize,
    /// The index of the first of the queue's shared counters.
    counters: usize,
}

/// The number of counters of a queue, which the waves use in turn.
pub const COUNTERS: usize = 3;

impl Queue {
    /// Returns an empty queue in `items`, which uses the counters from index `counters` on. No thread may use
    /// these counters any more, and a barrier has to follow.
    #[cuda_std::inlined]
    pub fn empty(block: &mut WholeBlock, launch: &Launch, items: Array<u32>, counters: usize) -> Queue {
        let queue = Queue { items, len: 0, current: 0, counters };
        queue.reset(block, launch);
        queue
    }

    /// Returns the counter of the entries that the current wave appends.
    #[cuda_std::inlined]
    fn appended(self, launch: &Launch) -> Counter {
        counter(launch, self.counters + self.current)
    }

    /// Sets the current wave's counter to 0. The first thread writes.
    #[cuda_std::inlined]
    fn reset(self, _: &mut WholeBlock, launch: &Launch) {
        if is_first() {
            self.appended(launch).store(0);
        }
    }

    /// Appends atom `p` to the queue. May be called by any thread between two barriers of [`waves`].
    #[cuda_std::inlined]
    pub fn push(self, launch: &Launch, p: Var) {
        self.items.write(self.len + self.appended(launch).count(1), p.0);
    }
}

/// Calls `visit` with each entry of `queue` from index `from` on, and with the queue to append to, until a
/// wave appends nothing.
///
/// The groups of lanes share the entries. Entries that a wave appends are visited in the next wave. Returns
/// the queue's end.
///
/// There is one barrier for each wave, because the waves count in three counters in turn. While a thread
/// reads a wave's counter after the barrier, other threads may already append, and count with the next
/// counter. A thread that resets the third counter has passed a barrier that comes after all reads of that
/// counter.
#[cuda_std::inlined]
pub fn waves(
    block: &mut WholeBlock,
    launch: &Launch,
    mut from: u32,
    mut queue: Queue,
    visit: impl Fn(Queue, Var),
) -> Queue {
    loop {
        let next =
            Queue { current: if queue.current + 1 == COUNTERS { 0 } else { queue.current + 1 }, ..queue };
        next.reset(block, launch);
        sync_block(block);
        let to = queue.len + queue.appended(launch).now();
        queue = Queue { len: to, ..next };
        if from == to {
            return queue;
        }
        for i in over_groups(block, from, to) {
            visit(queue, Var(queue.items.read(i)));
        }
        from = to;
    }
}

/// Calls `f` with each item of row `row` of `items`, which begins at `start`. Must be called by all lanes of
/// a group, which share the items.
#[cuda_std::inlined]
pub fn each(start: Array<u32>, items: Array<u32>, row: u32, f: impl Fn(u32)) {
    let (mut at, end) = (start.read(row) + thread::thread_idx_x() % lanes(), start.read(row + 1));
    while at < end {
        f(items.read(at));
        at += lanes();
    }
}
