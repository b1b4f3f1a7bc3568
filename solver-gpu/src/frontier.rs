//! Who visits which nogoods of the frontier: the literals assigned in the last round.
//!
//! A literal has a row of nogoods in each class. Rows are of very different lengths, so neither a block nor a thread a literal is a
//! fair share. The lengths of a tile of literals are added up, and the warps take the visits in turn, 32 at a time, all of one class, so
//! that their lanes go the same way; the literal of a visit is found by binary search in the sums. The lists of learned nogoods change
//! while they are visited, so there a turn is a whole list, or a part of it of which the gaps are closed in the end.
//!
//! Most frontiers are *few*, no more literals than a warp has lanes, with short rows. Then every warp of the grid adds up the lengths by
//! itself, without a barrier, and has the sums in registers. Else a tile is as many literals as a block has threads; the block has the sums
//! in shared memory, and where there are more blocks than tiles, each row is cut into as many parts as blocks share a tile.

use crate::assign::in_conflict;
use crate::block::{block_reduce, block_scan, from_lane, table, warp_ballot, warp_reduce, warp_scan};
use crate::layout::NONE;
use crate::stride::{is_single, over_blocks};
use crate::watches::{bury, close_gaps, cut, list_len, sift};
use crate::{Lit, Search};
use core::array::from_fn;
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

/// Where the row of `lit` in a class begins and ends; of the learned ones only how far apart that is means something.
#[inline(always)]
fn row(s: &Search, class: usize, lit: Lit) -> (u32, u32) {
    if class == LEARNED {
        return (0, list_len(s, lit));
    }
    // Spelled out here and below: an array that is indexed by a variable lies in slow memory.
    let start = match class {
        BINARY => s.occurs_start[0],
        TERNARY => s.occurs_start[1],
        _ => s.occurs_start[2],
    };
    (start.read(lit.0), start.read(lit.0 + 1))
}

/// The same of a class `from_class .. to_class` and a literal, an empty row of others.
#[inline(always)]
fn asked_row(s: &Search, class: usize, lit: Lit, (from_class, to_class): (usize, usize)) -> (u32, u32) {
    if lit == Lit::TRUE || class < from_class || class >= to_class {
        return (0, 0);
    }
    row(s, class, lit)
}

/// Calls `visit` with each literal of the frontier and each place of its rows in the classes `from_class .. to_class`; but if [`LEARNED`] is one
/// of them, `visit_entry` with each entry of a literal's list, for what is to stand there afterwards. Called by all threads of the grid;
/// returns how many visits fell to this block. When it is all over, [`close_lists`] has to follow.
#[inline(always)]
pub fn visit(
    s: &Search,
    from_class: usize,
    to_class: usize,
    visit: impl Fn(usize, Lit, u32),
    visit_entry: impl Fn(Lit, u64) -> Option<u64>,
) -> u64 {
    let state = s.state();
    let (from, to) = (state.visited.load(Relaxed), state.committed.load(Relaxed));
    let mut visits = 0;
    if is_single() {
        // Nothing to share out.
        for at in over_blocks(from, to) {
            let lit = s.trail.read(at);
            for class in from_class..to_class {
                let (from, to) = row(s, class, lit);
                visits += (to - from) as u64;
                if class == LEARNED {
                    cut(s, lit, sift(s, lit, (0, to), |entry| visit_entry(lit, entry)));
                    continue;
                }
                for i in from..to {
                    visit(class, lit, i);
                }
            }
        }
        return visits;
    }
    let (threads, classes) = (thread::block_dim_x(), (from_class, to_class));
    let (block, blocks) = (thread::block_idx_x(), thread::grid_dim_x());
    let (warp, warps, lane) = (thread::thread_idx_x() / 32, threads / 32, thread::thread_idx_x() % 32);
    // All warps of all blocks come to the same here, as nothing that it depends on changes meanwhile.
    let few = Few::new(s, from, to, classes);
    let is_few = few.is_few;
    let tiles = if is_few { 1 } else { (to - from).div_ceil(threads.max(1)) };
    // How many tiles are visited at the same time, and in how many parts each.
    let groups = if is_few { 1 } else { tiles.min(blocks) };
    let (mut tile, part, parts) = match groups {
        1 if is_few => (0, 0, 1),
        1 => (0, block, blocks),
        groups => (block % groups.max(1), block / groups.max(1), blocks / groups.max(1)),
    };
    let (first_turn, step) = if is_few { (block * warps + warp, blocks * warps) } else { (warp, warps) };
    while tile < tiles && part < parts {
        let (table, totals) = match is_few {
            true => (Table::new(), few.totals()),
            false => Table::of_tile(s, from + tile * threads, to, (part, parts), classes),
        };
        let turns = |class: usize| totals[class].div_ceil(32);
        let ends =
            [turns(BINARY), turns(BINARY) + turns(TERNARY), turns(BINARY) + turns(TERNARY) + turns(LONG)];
        let literals = (to - from - tile * threads).min(threads);
        let lists = match is_few {
            true => totals[LEARNED],
            // Where several blocks share a tile, each takes some of its lists. Others may have shortened theirs meanwhile.
            false if totals[LEARNED] > 0 => literals.saturating_sub(part).div_ceil(parts.max(1)),
            false => 0,
        };
        let mut turn = first_turn;
        while turn < ends[2] + lists {
            if turn >= ends[2] {
                let list = turn - ends[2];
                let (i, lit, (first, end), len) = match is_few {
                    true => few.part_of_list(list),
                    false => {
                        let i = part + list * parts;
                        let lit = Lit(table.get(0, i as usize));
                        let len = list_len(s, lit);
                        (i, lit, (0, len), len)
                    }
                };
                let kept = sift(s, lit, (first, end - first), |entry| visit_entry(lit, entry));
                if is_few && len > 32 {
                    bury(s, lit, first + kept, end);
                } else if lane == 0 && is_few {
                    // Others may still be at adding up how long the lists are.
                    s.list_kept.write(i, kept);
                } else if lane == 0 {
                    cut(s, lit, kept);
                }
                turn += step;
                continue;
            }
            let (class, before) = match turn {
                turn if turn < ends[0] => (BINARY, 0),
                turn if turn < ends[1] => (TERNARY, ends[0]),
                _ => (LONG, ends[1]),
            };
            let w = (turn - before) * 32 + lane;
            let (literal, at) = if is_few { few.find(class, w) } else { table.find(class, w) };
            if w < pick(&totals, class) {
                visit(class, Lit(literal), at);
            }
            turn += step;
        }
        if !is_few {
            // The table is used again.
            thread::sync_threads();
        }
        if warp == 0 && (!is_few || block == 0) {
            visits += totals[BINARY] as u64 + totals[TERNARY] as u64 + totals[LONG] as u64;
            let entries = if is_few { few.entries() } else { totals[LEARNED] as u64 };
            visits += if part == 0 { entries } else { 0 };
        }
        tile += groups;
    }
    visits
}

/// Ends lists where [`visit`] said, and closes the gaps that it left in them. Called by all threads of the only block that runs, behind a
/// barrier.
#[inline(always)]
pub fn close_lists(s: &Search) {
    let state = s.state();
    let (from, to) = (state.visited.load(Relaxed), state.committed.load(Relaxed));
    if is_single() || to - from > FEW {
        return;
    }
    let (warp, lane) = (thread::thread_idx_x() / 32, thread::thread_idx_x() % 32);
    let lit = if lane < to - from { s.trail.read(from + lane) } else { Lit::TRUE };
    let len = if lit == Lit::TRUE { 0 } else { list_len(s, lit) };
    let mut long = warp_ballot(len > 32);
    if warp == 0 && len > 0 && len <= 32 && s.list_kept.read(lane) != NONE {
        cut(s, lit, s.list_kept.read(lane));
        s.list_kept.write(lane, NONE);
    }
    let mut turn = 0;
    while long != 0 {
        if turn == warp {
            close_gaps(s, Lit(from_lane(lit.0, long.trailing_zeros())));
        }
        turn = if (turn + 1) * 32 < thread::block_dim_x() { turn + 1 } else { 0 };
        long &= long - 1;
    }
}

/// Literals that a warp can have in its lanes.
pub const FEW: u32 = 32;

/// The element of a class, without an array that would have to lie in memory.
#[inline(always)]
fn pick(of: &[u32; CLASSES], class: usize) -> u32 {
    match class {
        BINARY => of[0],
        TERNARY => of[1],
        LONG => of[2],
        _ => of[3],
    }
}

/// The rows of few literals, added up: a literal a lane.
struct Few {
    /// Whether they are few, and no row is too long.
    is_few: bool,
    /// This lane's literal,
    lit: Lit,
    /// where its row ends in each class, and in the last how long its list is,
    ends: [u32; CLASSES],
    /// and the lengths of the rows of all lanes up to this one, 16 bits a class; of the last, how many parts their lists have.
    sums: u64,
}

/// How long a row of few literals may be, and of how many parts a list: 32 of them add up to less than 2^16.
const MOST_OF_FEW: u32 = 2047;

impl Few {
    /// Called by all lanes of a warp.
    #[inline(always)]
    fn new(s: &Search, from: u32, to: u32, classes: (usize, usize)) -> Few {
        let none = Few { is_few: false, lit: Lit::TRUE, ends: [0; CLASSES], sums: 0 };
        if to - from > FEW {
            return none;
        }
        let lane = thread::thread_idx_x() % 32;
        let lit = if lane < to - from { s.trail.read(from + lane) } else { Lit::TRUE };
        let rows: [(u32, u32); CLASSES] = from_fn(|class| asked_row(s, class, lit, classes));
        let len = |class: usize| rows[class].1 - rows[class].0;
        // Not of lists: other blocks may be at shortening them, and all have to come to the same here.
        let longest = len(BINARY).max(len(TERNARY)).max(len(LONG));
        if warp_ballot(longest > MOST_OF_FEW) != 0 {
            return none;
        }
        let short = len(BINARY) as u64 | (len(TERNARY) as u64) << 16;
        let other = len(LONG) as u64 | (parts_of_list(len(LEARNED)) as u64) << 16;
        Few { is_few: true, lit, ends: from_fn(|class| rows[class].1), sums: warp_scan(short | other << 32) }
    }

    /// What the rows of each class add up to; of the last, parts of lists.
    #[inline(always)]
    fn totals(&self) -> [u32; CLASSES] {
        let totals = from_lane(self.sums, 31);
        from_fn(|class| of_class(totals, class))
    }

    /// Entries of all lists. Called by all lanes of a warp.
    #[inline(always)]
    fn entries(&self) -> u64 {
        warp_reduce(self.ends[LEARNED] as u64, u64::wrapping_add)
    }

    /// The lane in whose row of a class place `w` is, and how far that is from the row's end; anything if there are not so many. Called by
    /// all lanes of a warp.
    #[inline(always)]
    fn lane_of(&self, class: usize, w: u32) -> (u32, u32) {
        let sum = of_class(self.sums, class);
        // How many lanes have sums of at most `w`.
        let (mut before, mut step) = (0, 16);
        while step > 0 {
            if from_lane(sum, before + step - 1) <= w {
                before += step;
            }
            step /= 2;
        }
        (before, from_lane(sum, before).wrapping_sub(w))
    }

    /// The literal and the place of visit `w` of a class; anything if there are not so many. Called by all lanes of a warp.
    #[inline(always)]
    fn find(&self, class: usize, w: u32) -> (u32, u32) {
        let (lane, behind) = self.lane_of(class, w);
        (from_lane(self.lit.0, lane), from_lane(pick(&self.ends, class), lane).wrapping_sub(behind))
    }

    /// Part `w` of the lists: which literal's, the literal, where in its list the part begins and ends, and how long the list is. Called by
    /// all lanes of a warp.
    #[inline(always)]
    fn part_of_list(&self, w: u32) -> (u32, Lit, (u32, u32), u32) {
        let (lane, behind) = self.lane_of(LEARNED, w);
        let len = from_lane(self.ends[LEARNED], lane);
        let first = (parts_of_list(len) - behind) * 32;
        let end = if behind == 1 { len } else { first + 32 };
        (lane, Lit(from_lane(self.lit.0, lane)), (first, end), len)
    }
}

/// Parts of 32 entries that a list of few literals has; the last one has what is left.
#[inline(always)]
fn parts_of_list(len: u32) -> u32 {
    len.div_ceil(32).min(MOST_OF_FEW)
}

/// The number of a class in a word of four.
#[inline(always)]
fn of_class(word: u64, class: usize) -> u32 {
    (word >> (16 * class)) as u32 & 0xffff
}

/// Rows of one word a thread: the literals, the beginnings of each class, the sums of each class.
#[derive(Clone, Copy)]
struct Table {
    words: *mut u32,
    threads: usize,
}

impl Table {
    #[inline(always)]
    fn new() -> Self {
        Table { words: table(), threads: thread::block_dim_x() as usize }
    }

    /// The rows of a tile of literals, added up: of part `part` of each, but of lists all. Also what the rows of each class add up to. Called
    /// by all threads of a block.
    #[inline(always)]
    fn of_tile(
        s: &Search,
        from: u32,
        to: u32,
        (part, parts): (u32, u32),
        (from_class, to_class): (usize, usize),
    ) -> (Table, [u32; CLASSES]) {
        let (tid, table) = (thread::thread_idx_x(), Table::new());
        let lit = if tid < to - from { s.trail.read(from + tid) } else { Lit::TRUE };
        let take = |class: usize| {
            let (from, to) = asked_row(s, class, lit, (from_class, to_class));
            let (part, parts) = if class == LEARNED { (0, 1) } else { (part, parts) };
            // Divisions take longer than all the rest.
            let cut = |part: u32| match parts {
                1 => (to - from) * part,
                parts => ((to - from) as u64 * part as u64 / parts.max(1) as u64) as u32,
            };
            let first = cut(part);
            table.set(1 + class, tid, from + first);
            cut(part + 1) - first
        };
        let len = [take(BINARY), take(TERNARY), take(LONG), take(LEARNED)];
        table.set(0, tid, lit.0);
        let scan = |low: u32, high: u32| block_scan(low as u64 | (high as u64) << 32);
        let (short, shorts) = if from_class < LONG { scan(len[BINARY], len[TERNARY]) } else { (0, 0) };
        let (other, others) = if to_class > LONG { scan(len[LONG], len[LEARNED]) } else { (0, 0) };
        let sums = [short as u32, (short >> 32) as u32, other as u32, (other >> 32) as u32];
        for class in 0..CLASSES {
            table.set(1 + CLASSES + class, tid, sums[class] + len[class]);
        }
        thread::sync_threads();
        (table, [shorts as u32, (shorts >> 32) as u32, others as u32, (others >> 32) as u32])
    }

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

#[cfg(test)]
mod tests {
    use super::{parts_of_list, FEW, MOST_OF_FEW};

    #[test]
    fn what_few_literals_have_adds_up_in_16_bits() {
        assert!(FEW * MOST_OF_FEW <= u16::MAX as u32);
        for len in [0, 1, 32, 33, 32 * MOST_OF_FEW, 32 * MOST_OF_FEW + 1, u32::MAX] {
            let parts = parts_of_list(len);
            assert!(parts <= MOST_OF_FEW && (parts > 0) == (len > 0), "{len}");
            // All parts but the last have 32 entries; the last has some.
            assert!(parts == 0 || (parts - 1) * 32 < len, "{len}");
        }
    }
}
