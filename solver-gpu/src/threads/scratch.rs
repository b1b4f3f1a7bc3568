//! Scratch memory in shared memory: what every block has, and what every warp has.
//!
//! Every launch has [`shared_bytes`] of dynamic shared memory. The first 256 bytes are for reductions, one
//! 64-bit value for each warp. [`COUNTERS`] words for counters follow, then the table of [`crate::frontier`],
//! which learning uses as a bitmap, then each warp's [`WarpScratch`]. The shared-memory copy
//! ([`crate::shared_copy`]) comes last.

use crate::frontier::classes::CLASSES;
use crate::threads::stride::{is_single, over_block};
use crate::threads::token::{WholeBlock, WholeWarp};
use crate::threads::warp::from_lane;
use crate::Launch;
use crate::Lit;
use cuda_std::atomic::{SearchU32, SearchU64};
use cuda_std::shared::{Address, Words};
use cuda_std::{shared, thread};

/// How many counters a block has in shared memory. The last one is used by [`super::block::is_last_block`].
pub const COUNTERS: usize = 16;

/// The byte at which the counters begin.
const COUNTERS_AT: u32 = 32 * 8;

/// The byte at which the table of the frontier begins.
const TABLE_AT: usize = (COUNTERS_AT as usize + COUNTERS * 4).next_multiple_of(16);

/// Bytes of a lane's row in its warp's [`WarpScratch`].
const ROW_BYTES: u32 = size_of::<Row>() as u32;

/// Bytes of a lane's two pairs of words.
const PAIRS_BYTES: u32 = 2 * 8;

/// Bytes of a lane's two slots.
const SLOTS_BYTES: u32 = 2 * 4;

/// How many slots a warp has.
const SLOTS: u32 = 32 * SLOTS_BYTES / 4;

/// Bytes of a warp's scratch memory for each of its threads.
const WARP_BYTES: u32 = ROW_BYTES + PAIRS_BYTES + SLOTS_BYTES;

/// The dynamic shared memory that every kernel is launched with in blocks of `threads` threads, in bytes.
pub const fn shared_bytes(threads: u32) -> usize {
    (TABLE_AT + threads as usize * (TABLE_BYTES + WARP_BYTES as usize)).next_multiple_of(16)
}

/// The byte after the scratch memory, 16-byte aligned: the shared-memory copy begins here.
#[cuda_std::inlined]
pub fn shared_copy_start() -> *mut u8 {
    // SAFETY: at the end of the dynamic shared memory of every launch, or within.
    unsafe { shared::dynamic_shared_mem::<u8>().add(shared_bytes(thread::block_dim_x())) }
}

/// The block's table for [`crate::frontier`]: `TABLE_BYTES` for each thread. Words are undefined until a
/// thread writes them.
#[cuda_std::inlined]
pub fn table() -> Words<u32> {
    // SAFETY: within the dynamic shared memory of every launch, 16-byte aligned. Who uses the table puts
    // barriers between writes and reads by other threads.
    unsafe { Words::at(TABLE_AT, thread::block_dim_x() as usize * TABLE_BYTES / 4) }
}

/// A 64-bit word for each warp of a block, for reductions.
#[cuda_std::inlined]
pub fn partials() -> Words<u64> {
    // SAFETY: the first 256 bytes of the dynamic shared memory of every launch. Reductions put barriers
    // between writes and reads by other threads.
    unsafe { Words::at(0, COUNTERS_AT as usize / 8) }
}

/// A row of nogoods that a warp visits (see [`crate::frontier::rows::Rows`]).
#[derive(Clone, Copy, Default)]
pub struct Row {
    /// The literal of the row.
    pub lit: Lit,
    /// Where the row begins.
    pub start: u32,
    /// How many entries the rows before this one have.
    pub before: u32,
    /// How many entries the rows up to this one's end have.
    pub end: u32,
}

/// What the calling warp keeps in shared memory: a row for each lane, two pairs of words for each lane, and
/// slots for [`super::choose::warp_is_chosen`].
///
/// Each lane writes to words of its own. The warp synchronises between writing and reading.
#[derive(Clone, Copy)]
pub struct WarpScratch(Address);

impl WarpScratch {
    /// The scratch memory of the calling warp.
    #[cuda_std::inlined]
    pub fn of_warp(launch: &Launch) -> Self {
        match launch.single_block {
            1 => WarpScratch(Address::from_number(launch.warp_scratch)),
            _ => WarpScratch::found(),
        }
    }

    #[cuda_std::inlined]
    fn found() -> Self {
        let (threads, warp) = (thread::block_dim_x(), thread::thread_idx_x() / 32);
        WarpScratch(
            Address::of_dynamic()
                .plus(TABLE_AT as u32 + threads * TABLE_BYTES as u32 + warp * 32 * WARP_BYTES),
        )
    }

    /// Stores a row under number `place`.
    #[cuda_std::inlined]
    pub fn set_row(self, place: u32, row: Row) {
        debug_assert!(place < 32);
        // SAFETY: within ROW_BYTES for each lane; all before it is of multiples of 16 bytes.
        unsafe { self.0.plus(place * ROW_BYTES).write_four([row.lit.0, row.start, row.before, row.end]) }
    }

    /// The row that was stored under number `place`.
    #[cuda_std::inlined]
    pub fn row(self, place: u32) -> Row {
        debug_assert!(place < 32);
        // SAFETY: as above.
        let [lit, start, before, end] = unsafe { self.0.plus(place * ROW_BYTES).read_four() };
        Row { lit: Lit(lit), start, before, end }
    }

    #[cuda_std::inlined]
    fn pair(self, place: u32) -> Address {
        debug_assert!(place < 32 * PAIRS_BYTES / 8);
        self.0.plus(32 * ROW_BYTES + place * 8)
    }

    /// Stores a pair under number `place`.
    #[cuda_std::inlined]
    pub fn set(self, place: u32, a: u32, b: u32) {
        // SAFETY: behind the rows, within PAIRS_BYTES for each lane.
        unsafe { self.pair(place).write_two([a, b]) }
    }

    /// The pair that was stored under number `place`.
    #[cuda_std::inlined]
    pub fn get(self, place: u32) -> (u32, u32) {
        // SAFETY: as above.
        unsafe { self.pair(place).read_two() }.into()
    }

    /// Slot `i`, modulo the number of slots.
    #[cuda_std::inlined]
    pub fn slot(self, i: u32) -> Address {
        self.0.plus(32 * (ROW_BYTES + PAIRS_BYTES) + i % SLOTS * 4)
    }
}

/// A bitmap in the block's table. (Not an `Option`, see [`crate::not_held::Found`].)
#[derive(Clone, Copy)]
pub struct Bits {
    at: Words<u32>,
    /// Whether the table has room for the bitmap.
    pub are_there: bool,
}

impl Bits {
    /// A bitmap of `bits` zeros. The block has to synchronise afterwards. Nobody may use the table for
    /// anything else while the bitmap is in use.
    #[cuda_std::inlined]
    pub fn zero(block: &mut WholeBlock, bits: u32) -> Bits {
        let words = bits.div_ceil(32);
        // For one thread, shared memory is memory like other memory.
        let are_there = !is_single() && words as usize <= thread::block_dim_x() as usize * TABLE_BYTES / 4;
        let bits = Bits { at: table(), are_there };
        if are_there {
            over_block(block, 0, words).for_each(|w| bits.word(w).store(0));
        }
        bits
    }

    /// Word `i` of the bitmap: 32 bits.
    #[cuda_std::inlined]
    pub fn word<'a>(self, i: u32) -> &'a SearchU32 {
        self.at.atomic(i)
    }
}

/// The address at which the block's dynamic shared memory begins.
#[cuda_std::inlined]
pub fn shared_base(launch: &Launch) -> Address {
    match launch.single_block {
        1 => Address::from_number(launch.shared_base),
        _ => Address::of_dynamic(),
    }
}

/// The addresses of the block's dynamic shared memory and of the calling warp's [`WarpScratch`], as numbers
/// that stay in registers. A GPU's compiler computes such addresses anew wherever they are used, unless it
/// cannot know them; so they come from a shuffle.
#[cuda_std::inlined]
pub fn addresses(warp: &mut WholeWarp) -> (u32, u32) {
    (from_lane(warp, Address::of_dynamic().number(), 0), from_lane(warp, WarpScratch::found().0.number(), 0))
}

/// A counter of a block, in shared memory.
#[derive(Clone, Copy)]
pub struct Counter(Address);

/// Counter `i` of this block. Its value is undefined until a thread stores one.
#[cuda_std::inlined]
pub fn counter(launch: &Launch, i: usize) -> Counter {
    debug_assert!(i < COUNTERS);
    Counter(shared_base(launch).plus(COUNTERS_AT + i as u32 * 4))
}

impl Counter {
    /// Sets the counter. Called by one thread, with a barrier before other threads read the counter or add to
    /// it.
    #[cuda_std::inlined]
    pub fn store(self, value: u32) {
        // SAFETY: every launch has `shared_bytes` of dynamic shared memory, 16-byte aligned; the counters lie
        // behind the reductions' words.
        unsafe { self.0.write([value]) }
    }

    /// The counter's value, while no thread changes it.
    #[cuda_std::inlined]
    pub fn now(self) -> u32 {
        // SAFETY: as above.
        let [now] = unsafe { self.0.read() };
        now
    }

    /// Adds `more`, and returns the value before.
    #[cuda_std::inlined]
    #[track_caller]
    pub fn count(self, more: u32) -> u32 {
        // SAFETY: as above, and while several threads change it they add.
        unsafe { self.0.add(more) }
    }
}

/// Counters `i` and `i + 1` as one counter of 64 bits; `i` is even.
#[cuda_std::inlined]
pub fn wide_counter<'a>(i: usize) -> &'a SearchU64 {
    debug_assert!(i + 1 < COUNTERS && i.is_multiple_of(2));
    // SAFETY: the counters are in the dynamic shared memory of every launch and begin at a multiple of 8
    // bytes; who uses these two as one does not use them otherwise.
    let counters: Words<u64> = unsafe { Words::at(COUNTERS_AT as usize, COUNTERS / 2) };
    counters.atomic(i / 2)
}

/// Bytes of the table for each thread: a literal, and of each class the beginning of the row and the sum of
/// lengths.
pub const TABLE_BYTES: usize = (1 + 2 * CLASSES as usize) * 4;
