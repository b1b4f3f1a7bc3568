//! Who visits which nogoods of the frontier: the literals assigned in the last round.
//!
//! A literal has a row of nogoods in each class. Rows are of very different lengths, so neither a block nor a thread a literal is a
//! fair share. A block takes a tile of literals, one a thread, adds up the lengths of their rows (one prefix sum for two classes) and
//! leaves the sums in shared memory; visit number `w` of the tile is then found by binary search, and the threads take the visits in
//! turn. Where there are more blocks than tiles, each row is cut into as many parts as blocks share a tile.

use crate::assign::in_conflict;
use crate::block::{block_reduce, block_scan, table};
use crate::stride::over_blocks;
use crate::{Lit, Search};
use core::sync::atomic::Ordering::Relaxed;
use cuda_std::thread;

/// Input nogoods of two literals.
pub const BINARY: usize = 0;
/// Of three.
pub const TERNARY: usize = 1;
/// Of more.
pub const LONG: usize = 2;
/// Learned nogoods that watch the literal.
pub const LEARNED: usize = 3;
/// How many classes there are.
pub const CLASSES: usize = 4;

/// Bytes of shared memory for each thread: a literal, and of each class where its row begins and what the lengths add up to.
pub const TABLE_BYTES: usize = (1 + 2 * CLASSES) * 4;

/// Whether there is no conflict yet. As others may report one meanwhile, a block's threads have to agree; called by all of them.
#[inline(always)]
pub fn is_quiet(s: &Search) -> bool {
    block_reduce(in_conflict(s) as u64, 0, u64::max) == 0
}

/// Where the row of `lit` in a class begins and ends.
#[inline(always)]
fn row(s: &Search, class: usize, lit: Lit) -> (u32, u32) {
    if class == LEARNED {
        let from = s.watch_at.read(lit.0);
        return (from, from + s.watch_len.atomic(lit.0).load(Relaxed).min(s.watch_room.read(lit.0)));
    }
    // Spelled out here and below: an array that is indexed by a variable lies in slow memory.
    let start = match class {
        BINARY => s.occurs_start[0],
        TERNARY => s.occurs_start[1],
        _ => s.occurs_start[2],
    };
    (start.read(lit.0), start.read(lit.0 + 1))
}

/// Calls `visit` with each literal of the frontier and each place of its rows in the classes `from_class .. to_class`. Called by all threads of
/// the grid; returns how many visits fell to this block.
#[inline(always)]
pub fn visit(s: &Search, from_class: usize, to_class: usize, visit: impl Fn(usize, Lit, u32)) -> u64 {
    let state = s.state();
    let (from, to) = (state.visited.load(Relaxed), state.committed.load(Relaxed));
    let threads = thread::block_dim_x();
    let mut visits = 0;
    if threads == 1 {
        // Nothing to share out.
        for at in over_blocks(from, to) {
            let lit = s.trail.read(at);
            for class in from_class..to_class {
                let (from, to) = row(s, class, lit);
                for i in from..to {
                    visit(class, lit, i);
                }
                visits += (to - from) as u64;
            }
        }
        return visits;
    }
    let (block, blocks) = (thread::block_idx_x(), thread::grid_dim_x());
    let tiles = (to - from).div_ceil(threads.max(1));
    let groups = tiles.min(blocks).max(1);
    let parts = blocks / groups;
    let (mut tile, part) = (block % groups, block / groups);
    while tile < tiles && part < parts {
        let tile_from = from + tile * threads;
        visits += visit_tile(s, tile_from, to, (part, parts), (from_class, to_class), &visit);
        tile += groups;
    }
    visits
}

/// Visits part `part` of the rows of a tile of literals.
#[inline(always)]
fn visit_tile(
    s: &Search,
    from: u32,
    to: u32,
    (part, parts): (u32, u32),
    (from_class, to_class): (usize, usize),
    visit: &impl Fn(usize, Lit, u32),
) -> u64 {
    let (tid, threads) = (thread::thread_idx_x(), thread::block_dim_x());
    let table = Table { words: table(), threads: threads as usize };
    let lit = if tid < to - from { s.trail.read(from + tid) } else { Lit::TRUE };
    let take = |class: usize| {
        if lit == Lit::TRUE || class < from_class || class >= to_class {
            return 0;
        }
        let (from, to) = row(s, class, lit);
        let cut = |part: u32| ((to - from) as u64 * part as u64 / parts.max(1) as u64) as u32;
        let first = cut(part);
        table.set(1 + class, tid, from + first);
        cut(part + 1) - first
    };
    let len = [take(BINARY), take(TERNARY), take(LONG), take(LEARNED)];
    table.set(0, tid, lit.0);
    // A class has fewer than 2^32 places, so the sums of two fit into a word.
    let scan = |low: u32, high: u32| block_scan(low as u64 | (high as u64) << 32);
    let (short, shorts) = if from_class < LONG { scan(len[BINARY], len[TERNARY]) } else { (0, 0) };
    let (other, others) = if to_class > LONG { scan(len[LONG], len[LEARNED]) } else { (0, 0) };
    let low = |word: u64| word & u32::MAX as u64;
    let sums = [low(short), short >> 32, low(other), other >> 32];
    let totals = [low(shorts), shorts >> 32, low(others), others >> 32];
    for class in 0..CLASSES {
        table.set(1 + CLASSES + class, tid, sums[class] as u32 + len[class]);
    }
    thread::sync_threads();
    let all = totals[0] + totals[1] + totals[2] + totals[3];
    let ends = [totals[0], totals[0] + totals[1], totals[0] + totals[1] + totals[2]];
    let mut at = tid as u64;
    while at < all {
        let (class, before) = match at {
            at if at < ends[0] => (BINARY, 0),
            at if at < ends[1] => (TERNARY, ends[0]),
            at if at < ends[2] => (LONG, ends[1]),
            _ => (LEARNED, ends[2]),
        };
        let (literal, i) = table.find(class, (at - before) as u32);
        visit(class, Lit(literal), i);
        at += threads as u64;
    }
    thread::sync_threads();
    all
}

/// Rows of one word a thread: the literals, the beginnings of each class, the sums of each class.
struct Table {
    words: *mut u32,
    threads: usize,
}

impl Table {
    #[inline(always)]
    fn set(&self, row: usize, i: u32, word: u32) {
        // SAFETY: there are TABLE_BYTES for each thread in every launch; each thread writes its own column, and barriers stand between that
        // and reads by others.
        unsafe { *self.words.add(row * self.threads + i as usize) = word }
    }

    #[inline(always)]
    fn get(&self, row: usize, i: usize) -> u32 {
        // SAFETY: as above.
        unsafe { *self.words.add(row * self.threads + i) }
    }

    /// The literal and the place of visit `w` of a class: in the first column whose sum is more than `w`.
    #[inline(always)]
    fn find(&self, class: usize, w: u32) -> (u32, u32) {
        let (mut low, mut high) = (0, self.threads - 1);
        while low < high {
            let mid = (low + high) / 2;
            if self.get(1 + CLASSES + class, mid) > w {
                high = mid;
            } else {
                low = mid + 1;
            }
        }
        let before = if low == 0 { 0 } else { self.get(1 + CLASSES + class, low - 1) };
        (self.get(0, low), self.get(1 + class, low) + (w - before))
    }
}
