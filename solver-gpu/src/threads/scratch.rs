//! Scratch memory in shared memory: what every block has, and what every warp has.
//!
//! Dynamic shared memory, [`shared_bytes`] in every launch: 256 bytes for the reductions (one 64-bit value a warp), then [`COUNTERS`] words for
//! counters, the table of [`crate::frontier`], which learning uses for a bitmap, and each warp's [`WarpScratch`]. The shared-memory copy
//! ([`crate::shared_copy`]) follows.

use crate::frontier::classes::CLASSES;
use crate::threads::stride::over_block;
use crate::threads::warp::from_lane;
use crate::Launch;
use crate::Lit;
use cuda_std::atomic::{SearchU32, SearchU64};
use cuda_std::shared::{Address, Words};
use cuda_std::{shared, thread};

/// Counters in shared memory; the last one is used by [`super::block::is_last_block`].
pub const COUNTERS: usize = 16;

/// Where they begin,
const COUNTERS_AT: u32 = 32 * 8;

/// and the table of the frontier.
const TABLE_AT: usize = (COUNTERS_AT as usize + COUNTERS * 4).next_multiple_of(16);

/// Bytes for each lane in its warp's [`WarpScratch`]: a row,
const ROW_BYTES: u32 = size_of::<Row>() as u32;

/// two pairs of words,
const PAIRS_BYTES: u32 = 2 * 8;

/// two slots.
const SLOTS_BYTES: u32 = 2 * 4;

/// How many these are for a warp.
const SLOTS: u32 = 32 * SLOTS_BYTES / 4;

/// Bytes for each thread among its warp's.
const WARP_BYTES: u32 = ROW_BYTES + PAIRS_BYTES + SLOTS_BYTES;

/// Dynamic shared memory that every kernel is launched with, in blocks of so many threads.
pub const fn shared_bytes(threads: u32) -> usize {
    (TABLE_AT + threads as usize * (TABLE_BYTES + WARP_BYTES as usize)).next_multiple_of(16)
}

/// What is behind that, where there is more; 16-byte aligned.
#[inline(always)]
pub fn shared_copy_start() -> *mut u8 {
    // SAFETY: at the end of the dynamic shared memory of every launch, or within.
    unsafe { shared::dynamic_shared_mem::<u8>().add(shared_bytes(thread::block_dim_x())) }
}

/// The block's table for [`crate::frontier`]: `TABLE_BYTES` for each thread. Its words are undefined until a thread writes them.
#[inline(always)]
pub fn table() -> Words<u32> {
    // SAFETY: within the dynamic shared memory of every launch, 16-byte aligned. Who uses the table puts barriers between writes and reads
    // by other threads.
    unsafe { Words::at(TABLE_AT, thread::block_dim_x() as usize * TABLE_BYTES / 4) }
}

/// A 64-bit word for each warp of a block, for reductions.
#[inline(always)]
pub fn partials() -> Words<u64> {
    // SAFETY: the first 256 bytes of the dynamic shared memory of every launch. Reductions put barriers between writes and reads by other
    // threads.
    unsafe { Words::at(0, COUNTERS_AT as usize / 8) }
}

/// A row of nogoods that a warp visits (see [`crate::frontier::rows::Rows`]).
#[derive(Clone, Copy, Default)]
pub struct Row {
    /// Whose.
    pub lit: Lit,
    /// Where it begins,
    pub start: u32,
    /// how many addresses of rows before it come first,
    pub before: u32,
    /// and those up to its end.
    pub end: u32,
}

/// What the calling warp keeps in shared memory: a row for each lane, pairs of words, two for each lane, and slots for [`super::choose::warp_is_chosen`]. Each
/// lane writes to addresses of its own, and the warp synchronises before it reads what was written or writes what was read.
#[derive(Clone, Copy)]
pub struct WarpScratch(Address);

impl WarpScratch {
    /// The warp's.
    #[inline(always)]
    pub fn of_warp(launch: &Launch) -> Self {
        match launch.single_block {
            1 => WarpScratch(Address::from_number(launch.warp_scratch)),
            _ => WarpScratch::found(),
        }
    }

    #[inline(always)]
    fn found() -> Self {
        let (threads, warp) = (thread::block_dim_x(), thread::thread_idx_x() / 32);
        WarpScratch(
            Address::of_dynamic()
                .plus(TABLE_AT as u32 + threads * TABLE_BYTES as u32 + warp * 32 * WARP_BYTES),
        )
    }

    /// Puts a row there.
    #[inline(always)]
    pub fn set_row(self, place: u32, row: Row) {
        debug_assert!(place < 32);
        // SAFETY: within ROW_BYTES for each lane; all before it is of multiples of 16 bytes.
        unsafe { self.0.plus(place * ROW_BYTES).write_four([row.lit.0, row.start, row.before, row.end]) }
    }

    /// A row that was put there.
    #[inline(always)]
    pub fn row(self, place: u32) -> Row {
        debug_assert!(place < 32);
        // SAFETY: as above.
        let [lit, start, before, end] = unsafe { self.0.plus(place * ROW_BYTES).read_four() };
        Row { lit: Lit(lit), start, before, end }
    }

    #[inline(always)]
    fn pair(self, place: u32) -> Address {
        debug_assert!(place < 32 * PAIRS_BYTES / 8);
        self.0.plus(32 * ROW_BYTES + place * 8)
    }

    /// Puts a pair there.
    #[inline(always)]
    pub fn set(self, place: u32, a: u32, b: u32) {
        // SAFETY: behind the rows, within PAIRS_BYTES for each lane.
        unsafe { self.pair(place).write_two([a, b]) }
    }

    /// A pair that was put there.
    #[inline(always)]
    pub fn get(self, place: u32) -> (u32, u32) {
        // SAFETY: as above.
        unsafe { self.pair(place).read_two() }.into()
    }

    /// Slot `i` of `SLOTS`, counted around.
    #[inline(always)]
    pub fn slot(self, i: u32) -> Address {
        self.0.plus(32 * (ROW_BYTES + PAIRS_BYTES) + i % SLOTS * 4)
    }
}

/// A bitmap in the block's table. (Not an `Option`, see [`crate::not_held::Found`].)
#[derive(Clone, Copy)]
pub struct Bits {
    at: Words<u32>,
    /// Whether there is room for it.
    pub are_there: bool,
}

impl Bits {
    /// One of `bits` zeros. Called by all threads of the block, which have to synchronise afterwards; nobody may
    /// use the table otherwise until the bitmap is done with.
    #[inline(always)]
    pub fn zero(bits: u32) -> Bits {
        let words = bits.div_ceil(32);
        let are_there = words as usize <= thread::block_dim_x() as usize * TABLE_BYTES / 4;
        let bits = Bits { at: table(), are_there };
        if are_there {
            over_block(0, words).for_each(|w| bits.word(w).store(0));
        }
        bits
    }

    /// 32 bits.
    #[inline(always)]
    pub fn word<'a>(self, i: u32) -> &'a SearchU32 {
        self.at.atomic(i)
    }
}

/// Where the block's dynamic shared memory begins.
#[inline(always)]
pub fn shared_base(launch: &Launch) -> Address {
    match launch.single_block {
        1 => Address::from_number(launch.shared_base),
        _ => Address::of_dynamic(),
    }
}

/// That, and the calling warp's [`WarpScratch`], as numbers that stay in registers: a GPU's compiler finds them out anew wherever they are asked for, unless
/// it cannot know what they are, as what another lane says. Called by all lanes of a warp.
#[inline(always)]
pub fn addresses() -> (u32, u32) {
    (from_lane(Address::of_dynamic().number(), 0), from_lane(WarpScratch::found().0.number(), 0))
}

/// A counter of a block.
#[derive(Clone, Copy)]
pub struct Counter(Address);

/// Shared counter `i` of this block. Its value is undefined until somebody stores one.
#[inline(always)]
pub fn counter(launch: &Launch, i: usize) -> Counter {
    debug_assert!(i < COUNTERS);
    Counter(shared_base(launch).plus(COUNTERS_AT + i as u32 * 4))
}

impl Counter {
    /// Sets it. For one thread, with a barrier before others read it or add.
    #[inline(always)]
    pub fn store(self, value: u32) {
        // SAFETY: every launch has `shared_bytes` of dynamic shared memory, 16-byte aligned; the counters lie behind the reductions' words.
        unsafe { self.0.write([value]) }
    }

    /// What it is, while nobody changes it.
    #[inline(always)]
    pub fn now(self) -> u32 {
        // SAFETY: as above.
        let [now] = unsafe { self.0.read() };
        now
    }

    /// Adds, and returns what was there before.
    #[inline(always)]
    pub fn count(self, more: u32) -> u32 {
        // SAFETY: as above, and while several threads change it they add.
        unsafe { self.0.add(more) }
    }
}

/// Two counters, `i` and the next, as one of 64 bits; `i` is even.
#[inline(always)]
pub fn wide_counter<'a>(i: usize) -> &'a SearchU64 {
    debug_assert!(i + 1 < COUNTERS && i.is_multiple_of(2));
    // SAFETY: the counters are in the dynamic shared memory of every launch and begin at a multiple of 8 bytes; who uses these two as one
    // does not use them otherwise.
    let counters: Words<u64> = unsafe { Words::at(COUNTERS_AT as usize, COUNTERS / 2) };
    counters.atomic(i / 2)
}

/// Bytes of shared memory for each thread: a literal, and of each class where its row begins and what the lengths add up to.
pub const TABLE_BYTES: usize = (1 + 2 * CLASSES as usize) * 4;
