//! Wide frontiers: whole blocks visit tiles of literals.

use crate::frontier::classes::{pick, row, row_in_classes, BINARY, CLASSES, LEARNED, LONG, TERNARY};
use crate::frontier::rows::Rows;
use crate::frontier::sharing::Share;
use crate::frontier::visit::Visit;
use crate::layout::TrailPosition;
use crate::threads::barrier::sync_block;
use crate::threads::block::block_scan;
use crate::threads::scratch::table;
use crate::threads::stride::is_first;
use crate::threads::stride::{block_of_grid, is_single, over_blocks};
use crate::threads::token::WholeBlock;
use crate::threads::warp::sync_warp;
use crate::watches::{list_len, listed_inputs};
use crate::{Lit, Search};
use cuda_std::shared::Words;
use cuda_std::thread;

/// Visits a frontier by one thread, which has nothing to share out. It visits all classes even if there is a
/// conflict already: the search learns from the shortest of all conflicts of a round, and needs fewer of them
/// than one that ends the round at its first.
///
/// In the build for one thread this is a function of its own, for the reason that
/// [`visit_list`](crate::kernels::propagate_learned::visit_list) states.
#[cfg_attr(feature = "alone", inline(never))]
#[cfg_attr(not(feature = "alone"), inline(always))]
fn visit_alone<V: Visit>(
    block: &mut WholeBlock,
    s: &Search,
    share: Share,
    (from, to): (TrailPosition, TrailPosition),
) -> u64 {
    let mut visits = 0;
    for class in share.all.0..share.all.1 {
        // Each class is a loop of its own, which does not ask for the class again.
        visits += match class {
            BINARY => visit_rows_alone::<V, BINARY>(s, (from, to)),
            TERNARY => visit_rows_alone::<V, TERNARY>(s, (from, to)),
            // Lists have these nogoods.
            LONG if listed_inputs(&s.own) > 0 => 0,
            LONG => visit_rows_alone::<V, LONG>(s, (from, to)),
            _ => visit_lists_alone::<V>(block, s, (from, to)),
        };
    }
    visits
}

/// Visits the rows of one class of input nogoods, as [`visit_alone`] does. Returns how many entries they have.
#[cuda_std::inlined]
fn visit_rows_alone<V: Visit, const CLASS: u32>(
    s: &Search,
    (from, to): (TrailPosition, TrailPosition),
) -> u64 {
    let mut visits = 0;
    for at in over_blocks(&s.launch, from.0, to.0) {
        let lit = s.own.literal_at(TrailPosition(at));
        let (first, end) = row(&s.problem, &s.own, CLASS, lit);
        visits += (end - first) as u64;
        for i in first..end {
            V::nogood(s, CLASS, lit, i);
        }
    }
    visits
}

/// Visits the lists of learned nogoods, as [`visit_alone`] does. Returns how many entries they have.
#[cuda_std::inlined]
fn visit_lists_alone<V: Visit>(
    block: &mut WholeBlock,
    s: &Search,
    (from, to): (TrailPosition, TrailPosition),
) -> u64 {
    let mut visits = 0;
    for at in over_blocks(&s.launch, from.0, to.0) {
        let lit = s.own.literal_at(TrailPosition(at));
        let len = list_len(&s.own, lit);
        V::list(block.warp(), s, lit, len);
        visits += len as u64;
    }
    visits
}

/// Visits any frontier: tiles of literals, by whole blocks. See [`super::visit()`].
#[cuda_std::inlined]
pub fn visit_wide<V: Visit>(
    block: &mut WholeBlock,
    s: &Search,
    share: Share,
    (from, to): (TrailPosition, TrailPosition),
) -> u64 {
    if is_single() {
        return visit_alone::<V>(block, s, share, (from, to));
    }
    let threads = thread::block_dim_x();
    let (number, blocks) = block_of_grid(&s.launch);
    let (warp, warps, lane) = (thread::thread_idx_x() / 32, threads / 32, thread::thread_idx_x() % 32);
    let mut visits = 0;
    let tiles = (to - from).div_ceil(threads.max(1));
    // How many tiles are visited at the same time, and into how many parts each row of a tile is cut.
    let groups = tiles.min(blocks);
    let (mut tile, part, parts) = match groups {
        1 => (0, number, blocks),
        groups => (number % groups.max(1), number / groups.max(1), blocks / groups.max(1)),
    };
    while tile < tiles && part < parts {
        let (table, totals) = Table::of_tile(block, s, from + tile * threads, to, (part, parts), share.all);
        let [binary, ternary, long, learned] = totals;
        let [binary_turns, ternary_turns, long_turns] = [binary, ternary, long].map(|n| n.div_ceil(32));
        let ends = [binary_turns, binary_turns + ternary_turns, binary_turns + ternary_turns + long_turns];
        let literals = (to - from - tile * threads).min(threads);
        // Blocks that share a tile each take some of its lists, and each warp of a block takes some of these,
        // one for each lane.
        let lists = if learned > 0 { literals.saturating_sub(part).div_ceil(parts.max(1)) } else { 0 };
        let mut first = warp;
        while first < lists {
            let list = first + lane * warps;
            let lit =
                if list < lists { Lit(table.get(0, (part + list * parts) as usize)) } else { Lit::TRUE };
            // Other warps may have ended their lists meanwhile, but these lists are this warp's.
            let lists = Rows::of_lists(
                block.warp(),
                &s.launch,
                lit,
                if list < lists { row(&s.problem, &s.own, LEARNED, lit) } else { (0, 0) },
            );
            let asked = lists.turn(block.warp(), &s.own, &s.launch, 0);
            V::lists(block.warp(), s, lists, asked, false);
            sync_warp(block.warp());
            first += warps * 32;
        }
        let mut turn = warp;
        while turn < ends[2] {
            let (class, before) = match turn {
                turn if turn < ends[0] => (BINARY, 0),
                turn if turn < ends[1] => (TERNARY, ends[0]),
                _ => (LONG, ends[1]),
            };
            let w = (turn - before) * 32 + lane;
            let (literal, at) = table.find(class, w);
            if w < pick(&totals, class) {
                V::nogood(s, class, Lit(literal), at);
            }
            turn += warps;
        }
        // The table is used again.
        sync_block(block);
        if is_first() {
            visits += binary as u64 + ternary as u64 + long as u64;
            visits += if part == 0 { learned as u64 } else { 0 };
        }
        tile += groups;
    }
    visits
}

/// The sums of a tile in shared memory, one column for each thread: the literal, and of each class the row's
/// beginning and sum.
#[derive(Clone, Copy)]
struct Table {
    words: Words<u32>,
    threads: usize,
}

impl Table {
    #[cuda_std::inlined]
    fn new() -> Self {
        Table { words: table(), threads: thread::block_dim_x() as usize }
    }

    /// Adds up the rows of a tile of literals: part `part` of `parts` of each row, but whole lists. Returns
    /// the table and how many entries each class has.
    #[cuda_std::inlined]
    fn of_tile(
        block: &mut WholeBlock,
        s: &Search,
        from: TrailPosition,
        to: TrailPosition,
        (part, parts): (u32, u32),
        (from_class, to_class): (u32, u32),
    ) -> (Table, [u32; CLASSES as usize]) {
        let (tid, table) = (thread::thread_idx_x(), Table::new());
        let lit = if tid < to - from { s.own.literal_at(from + tid) } else { Lit::TRUE };
        let take = |class: u32| {
            let (from, to) = row_in_classes(&s.problem, &s.own, class, lit, (from_class, to_class));
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
        let len @ [binary, ternary, long, learned] = [take(BINARY), take(TERNARY), take(LONG), take(LEARNED)];
        table.set(0, tid, lit.0);
        let mut scan = |low: u32, high: u32| block_scan(block, low as u64 | (high as u64) << 32);
        let (short, shorts) = if from_class < LONG { scan(binary, ternary) } else { (0, 0) };
        let (other, others) = if to_class > LONG { scan(long, learned) } else { (0, 0) };
        let sums = [short as u32, (short >> 32) as u32, other as u32, (other >> 32) as u32];
        for class in 0..CLASSES {
            table.set(1 + CLASSES + class, tid, sums[class as usize] + len[class as usize]);
        }
        sync_block(block);
        (table, [shorts as u32, (shorts >> 32) as u32, others as u32, (others >> 32) as u32])
    }

    #[cuda_std::inlined]
    fn set(&self, row: u32, i: u32, word: u32) {
        // Each thread writes its own column, and barriers are between that and reads by other threads.
        self.words.set(row as usize * self.threads + i as usize, word);
    }

    #[cuda_std::inlined]
    fn get(&self, row: u32, i: usize) -> u32 {
        self.words.get(row as usize * self.threads + i)
    }

    /// The literal and the position of entry `w` of a class: in the first column whose sum is more than `w`.
    #[cuda_std::inlined]
    fn find(&self, class: u32, w: u32) -> (u32, u32) {
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
