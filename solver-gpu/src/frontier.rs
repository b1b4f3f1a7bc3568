//! Who visits which nogoods of the frontier: the literals assigned in the last round.
//!
//! A literal has a row of nogoods in each class. Rows are of very different lengths, so neither a block nor a thread a literal is a
//! fair share. The lengths of a tile of literals are added up, and the warps take the visits in turn, 32 at a time, all of one class, so
//! that their lanes go the same way; the literal of a visit is found by binary search in the sums. The lists of learned nogoods change
//! while they are visited, so each belongs to one warp.
//!
//! Most frontiers are *few*, no more literals than a warp has lanes, or some windows of so many. Then no block waits for anything: each warp has a
//! class ([`Share`]), adds up the lengths of that class by itself, in registers, and takes its turns among the warps of its class. Else a tile is as many literals as
//! a block has threads; the block has the sums in shared memory, and where there are more blocks than tiles, each row is cut into as many
//! parts as blocks share a tile.

use crate::assign::in_conflict;
use crate::atomics::Atomics;
use crate::block::{
    block_scan, lanes_below, sync_warp, table, warp_ballot, warp_or, warp_scan_of, warp_sum, Room, Row,
};
use crate::layout::NONE;
use crate::stride::{block_of_grid, is_single, over_blocks, warp_of_grid};
use crate::watches::{about_list_len, list_len};
use crate::{Array, Lit, Search};
use core::array::from_fn;
use core::hint::cold_path;
use core::sync::atomic::Ordering::Relaxed;
use cuda_std::thread;

/// Input nogoods of two literals.
pub const BINARY: u32 = 0;
/// Of three.
pub const TERNARY: u32 = 1;
/// Of more.
pub const LONG: u32 = 2;
/// Learned nogoods that watch the literal.
pub const LEARNED: u32 = 3;
/// How many classes there are.
pub const CLASSES: u32 = 4;

/// Bytes of shared memory for each thread: a literal, and of each class where its row begins and what the lengths add up to.
pub const TABLE_BYTES: usize = (1 + 2 * CLASSES as usize) * 4;

/// The frontier of the last commit: places on the trail.
#[inline(always)]
pub fn frontier(s: &Search) -> (u32, u32) {
    (s.state().visited.now(), s.state().committed.now())
}

/// Whether there is no conflict yet. As others may report one meanwhile, a block's threads have to agree; called by all of them.
#[inline(always)]
pub fn is_quiet(s: &Search) -> bool {
    thread::sync_threads_or(in_conflict(s) as u32) == 0
}

/// Where the row of `lit` in a class begins and ends.
#[inline(always)]
fn row(s: &Search, class: u32, lit: Lit) -> (u32, u32) {
    if class == LEARNED {
        let at = s.watch_at.read(lit.0);
        return (at, at + list_len(s, lit));
    }
    Class::of(s, class).row(lit)
}

/// Where the rows of a class of input nogoods are.
#[derive(Clone, Copy)]
pub struct Class {
    /// Where each begins,
    starts: Array<u32>,
    /// in entries,
    entries: Array<u8>,
    /// of so many bytes.
    size: u32,
}

impl Class {
    #[inline(always)]
    fn of(s: &Search, class: u32) -> Class {
        // Spelled out here and below: an array that is indexed by a variable lies in slow memory.
        let (starts, entries, size) = match class {
            BINARY => (s.occurs_start[0], s.occurs_binary.bytes(), size_of::<u64>()),
            TERNARY => (s.occurs_start[1], s.occurs_ternary.bytes(), size_of::<u64>()),
            _ => (s.occurs_start[2], s.occurs_long.bytes(), size_of::<u32>()),
        };
        Class { starts, entries, size: size as u32 }
    }

    /// Where the row of `lit` begins and ends.
    #[inline(always)]
    fn row(self, lit: Lit) -> (u32, u32) {
        (self.starts.read(lit.0), self.starts.read(lit.0 + 1))
    }

    /// Asks for the beginning of a row, which may be an empty one.
    #[inline(always)]
    fn prefetch(self, start: u32) {
        self.entries.prefetch(start as usize * self.size as usize);
    }
}

/// The same of a class `from_class .. to_class` and a literal, an empty row of others.
#[inline(always)]
fn asked_row(s: &Search, class: u32, lit: Lit, (from_class, to_class): (u32, u32)) -> (u32, u32) {
    if lit == Lit::TRUE || class < from_class || class >= to_class {
        return (0, 0);
    }
    match class {
        LEARNED => (0, about_list_len(s, lit)),
        class => row(s, class, lit),
    }
}

/// Which classes the warps of a grid visit, and which of them one warp does where the frontier is of few.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Share {
    /// What the grid visits: from a class, to before another.
    all: (u32, u32),
    /// What this warp does; [`CLASSES`] if there are too few warps for that,
    class: u32,
    /// its number among those that do so,
    rank: u32,
    of: u32,
    /// and among how many windows they are shared out, less one: at most so many.
    windows: u32,
    /// Where there are more visits than this, they are not made: `wide` says so.
    most: u32,
}

impl Share {
    #[inline(always)]
    fn new(all: (u32, u32), class: u32, (rank, of): (u32, u32)) -> Share {
        let windows = match of {
            0..2 => 0,
            2..4 => 1,
            4..8 => 3,
            _ => 7,
        };
        Share { all, class, rank, of, windows, most: NONE }
    }

    /// How many literals are few: those that its warps can have in their lanes.
    #[inline(always)]
    pub fn few(self) -> u32 {
        match thread::block_dim_x() / FEW {
            _ if self.class == CLASSES => 0,
            0..8 => FEW,
            // Half of the warps may have lists, a lane each.
            warps => (warps / 2 * FEW).min(MOST_FEW),
        }
    }

    /// Where the rows of its class of input nogoods are.
    #[inline(always)]
    pub fn rows(self, s: &Search) -> Class {
        Class::of(s, self.class)
    }

    /// Whether this warp has lists of learned nogoods.
    #[inline(always)]
    pub fn has_lists(self) -> bool {
        self.class == LEARNED
    }

    /// Whether it has any, in a frontier of so many literals.
    #[inline(always)]
    pub fn has_lists_of(self, literals: u32) -> bool {
        self.rank < literals
    }

    /// The same for frontiers of at most so many visits, about; larger ones are left alone. (A list of learned nogoods is never too long.)
    #[inline(always)]
    pub fn of_at_most(self, most: u32) -> Share {
        Share { most, ..self }
    }

    /// Whether so many visits are too many; if so, says so. By all threads that would make them.
    #[inline(always)]
    fn leaves(self, s: &Search, visits: u32) -> bool {
        let leaves = visits > self.most;
        if leaves {
            cold_path();
            s.state().wide.store(1, Relaxed);
        }
        leaves
    }

    /// All warps of the grid visit the classes `from_class .. to_class`.
    #[inline(always)]
    pub fn of_all(s: &Search, from_class: u32, to_class: u32) -> Share {
        let class = if to_class == from_class + 1 { from_class } else { CLASSES };
        Share::new((from_class, to_class), class, warp_of_grid(s))
    }

    /// Each warp of the grid visits one class, if there are enough of them: half of them lists, which take longest, if there are any, the others
    /// input nogoods, as many warps a class as it has of the visits. Costs divisions.
    #[inline(always)]
    pub fn by_class(s: &Search, has_lists: bool) -> Share {
        let (warp, warps) = warp_of_grid(s);
        let sizes = [s.occurs_binary.len(), s.occurs_ternary.len(), s.occurs_long.len()].map(|n| n as u64);
        match share_out(warps, has_lists, sizes) {
            None => Share::of_all(s, BINARY, CLASSES),
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

/// How many of the warps visit input nogoods of each length, of which there are so many visits; none if each warp has to visit all.
#[inline(always)]
fn share_out(warps: u32, has_lists: bool, sizes: [u64; 3]) -> Option<[u32; 3]> {
    let present = sizes.map(|size| (size > 0) as u32);
    let classes = present[0] + present[1] + present[2];
    if warps < CLASSES {
        return None;
    }
    let of_inputs = if has_lists { warps.div_ceil(2) } else { warps - 1 };
    // One for each that there are any of; the others by size.
    let more = of_inputs.saturating_sub(classes) as u64;
    let all = (sizes[0] + sizes[1] + sizes[2]).max(1);
    Some(from_fn(|class| present[class] + (more * sizes[class] / all) as u32))
}

/// What to do with a frontier. (Not closures: the compiler must inline all of it, and only functions can be told so.)
pub trait Visit {
    /// Called with each literal and each place of its rows, in the classes of input nogoods that are visited.
    #[inline(always)]
    fn nogood(_s: &Search, _class: u32, _lit: Lit, _at: u32) {}

    /// If [`LEARNED`] is visited, called with the lists that are to be visited, and their first turn, and whether they are of few literals: by all
    /// lanes of a warp.
    #[inline(always)]
    fn lists(_s: &Search, _lists: Rows, _first: Turn, _are_few: bool) {}

    /// The same for one thread: a literal whose list is to be visited, and how long that is.
    #[inline(always)]
    fn list(_s: &Search, _lit: Lit, _len: u32) {}
}

/// Visits the literals at places `from .. to` of the trail, in the classes of `share`. Called by all threads of the grid; returns how many
/// visits fell to this thread's account.
#[inline(always)]
pub fn visit<V: Visit>(s: &Search, share: Share, (from, to): (u32, u32)) -> u64 {
    if !is_single() && is_few(to - from, FEW.min(share.few())) {
        visit_few::<V>(s, share, (from, to))
    } else {
        visit_many::<V>(s, share, (from, to))
    }
}

/// One thread has nothing to share out. It goes from class to class, until there is a conflict: what it has not visited then will be undone.
#[inline(always)]
fn visit_alone<V: Visit>(s: &Search, share: Share, (from, to): (u32, u32)) -> u64 {
    let mut visits = 0;
    for class in share.all.0..share.all.1 {
        if in_conflict(s) {
            break;
        }
        for at in over_blocks(s, from, to) {
            let lit = s.trail.read(at);
            if class == LEARNED {
                let len = list_len(s, lit);
                V::list(s, lit, len);
                visits += len as u64;
                continue;
            }
            let (from, to) = row(s, class, lit);
            visits += (to - from) as u64;
            for i in from..to {
                V::nogood(s, class, lit, i);
            }
        }
    }
    visits
}

/// Literals that a warp can have in its lanes: a window of a frontier.
pub const FEW: u32 = 32;

/// Literals of a frontier that warps visit by themselves, if there are enough: in so many windows that each may have some.
const MOST_FEW: u32 = 256;

/// Windows of a frontier of few that fall to a warp with a class of input nogoods, and its number among those that share these.
#[derive(Clone, Copy)]
struct Windows {
    /// The first,
    first: u32,
    /// how far apart they are,
    step: u32,
    rank: u32,
    of: u32,
}

impl Windows {
    #[inline(always)]
    fn of(share: Share, literals: u32) -> Windows {
        // How many there are, less one, if these are rounded up to one, two, four or eight: divisions take long.
        let more = (literals - 1) / FEW;
        let more = (more | more >> 1 | more >> 2).min(share.windows);
        let (first, shift) = (share.rank & more, more.count_ones());
        let of = (share.of - first + more) >> shift;
        Windows { first, step: more + 1, rank: share.rank >> shift, of }
    }
}

/// Whether so many literals are at least one, and at most so many.
#[inline(always)]
pub fn is_few(literals: u32, most: u32) -> bool {
    literals.wrapping_sub(1) < most
}

/// What a lane has of a window of a frontier of few, in a class of input nogoods.
#[derive(Clone, Copy)]
pub struct Asked {
    /// Whether it has a literal,
    has_lit: bool,
    /// which; any, if not;
    lit: Lit,
    /// where its row begins and ends.
    row: (u32, u32),
}

/// Asks for what a warp needs first to visit a frontier of few, if it has a class of input nogoods. None of that depends on the assignment, so it
/// may be on its way while the frontier is committed. Called by all lanes of a warp.
#[inline(always)]
pub fn ask_rows(s: &Search, share: Share, class: Class, frontier: (u32, u32)) -> Asked {
    ask_window(s, class, frontier, Windows::of(share, frontier.1 - frontier.0).first)
}

#[inline(always)]
fn ask_window(s: &Search, class: Class, (from, to): (u32, u32), window: u32) -> Asked {
    let at = from + window * FEW + thread::thread_idx_x() % 32;
    // What is asked for only by some is waited for at once, so all ask.
    let (has_lit, lit) = (at < to, s.trail.read(at.min(to - 1)));
    Asked { has_lit, lit, row: class.row(lit) }
}

/// The same if it has any lists: those of its literals, and their first turn.
#[inline(always)]
pub fn ask_lists(s: &Search, share: Share, (from, to): (u32, u32)) -> (Rows, Turn) {
    // Other warps may have ended their lists meanwhile, so whose they are must not depend on which have entries left; nor may lanes without a
    // list look at one of those.
    let first = from + share.rank;
    let at = first + thread::thread_idx_x() % 32 * share.of;
    let lit = s.trail.read(if at < to { at } else { first });
    let row = row(s, LEARNED, lit);
    let lists = if first + share.of >= to {
        Rows::of_one(lit, row)
    } else {
        Rows::of_lists(s, lit, if at < to { row } else { (0, 0) })
    };
    (lists, lists.turn(s, 0))
}

/// [`visit`] for a frontier of few: each warp by itself, places of rows, 32 at a time, or whole lists.
#[inline(always)]
fn visit_few<V: Visit>(s: &Search, share: Share, frontier: (u32, u32)) -> u64 {
    let literals = frontier.1 - frontier.0;
    if !share.has_lists() {
        let class = share.rows(s);
        visit_rows::<V>(s, share, class, frontier, ask_rows(s, share, class, frontier))
    } else if share.has_lists_of(literals) {
        visit_whole_lists::<V>(s, ask_lists(s, share, frontier))
    } else {
        0
    }
}

/// Visits what was asked for by [`ask_lists`].
#[inline(always)]
pub fn visit_whole_lists<V: Visit>(s: &Search, (lists, first): (Rows, Turn)) -> u64 {
    V::lists(s, lists, first, true);
    of_warp(lists.total)
}

/// Visits what was asked for by [`ask_rows`], and what else falls to this warp. The visits of a window are on the account of one of the warps that
/// share it.
#[inline(always)]
pub fn visit_rows<V: Visit>(
    s: &Search,
    share: Share,
    class: Class,
    frontier: (u32, u32),
    asked: Asked,
) -> u64 {
    let literals = frontier.1 - frontier.0;
    let mine = Windows::of(share, literals);
    let rows_of = |asked: Asked, window: u32| {
        let n = literals.saturating_sub(window * FEW).min(FEW);
        // All lanes have asked for an only one.
        let rows = if n == 1 {
            Rows::of_one(asked.lit, asked.row)
        } else {
            // On its way while rows are added up.
            class.prefetch(asked.row.0);
            Rows::new(s, n, asked.lit, if asked.has_lit { asked.row } else { (0, 0) })
        };
        // All blocks visit and count what this leaves.
        if share.leaves(s, rows.total) {
            Rows { total: 0, ..rows }
        } else {
            rows
        }
    };
    let (mut window, mut rows) = (mine.first, rows_of(asked, mine.first));
    let mut visits = rows.total;
    loop {
        let mut base = mine.rank * 32;
        while base < rows.total {
            let Place { lit, at, .. } = rows.find(s, base);
            if base + thread::thread_idx_x() % 32 < rows.total {
                V::nogood(s, share.class, lit, at);
            }
            base += mine.of * 32;
        }
        window += mine.step;
        if window * FEW >= literals {
            break;
        }
        sync_warp();
        rows = rows_of(ask_window(s, class, frontier, window), window);
        visits += rows.total;
    }
    if mine.rank == 0 {
        of_warp(visits)
    } else {
        0
    }
}

/// What a warp has done, on the account of its first lane.
#[inline(always)]
fn of_warp(visits: u32) -> u64 {
    if thread::thread_idx_x().is_multiple_of(32) {
        visits as u64
    } else {
        0
    }
}

/// Rows of few literals, added up: a literal a lane.
#[derive(Clone, Copy)]
pub struct Rows {
    /// Whether there is one row, which all lanes have;
    is_one: bool,
    /// this lane's literal,
    lit: Lit,
    /// where its row begins,
    start: u32,
    /// and how many places the rows of the lanes before this one have; [`NONE`] if its own has none.
    before: u32,
    /// Those of all.
    pub total: u32,
}

/// 32 places of lists, one a lane.
#[derive(Clone, Copy, Default)]
pub struct Turn {
    /// Where; the last of all if there are not so many.
    pub place: Place,
    /// The entry.
    pub entry: u64,
}

/// One of the places that [`Rows`] have.
#[derive(Clone, Copy, Default)]
pub struct Place {
    /// The literal in whose row it is,
    pub lit: Lit,
    /// where that begins,
    pub start: u32,
    /// where this is,
    pub at: u32,
    /// and how many are behind it in that row, itself among them.
    pub left: u32,
}

impl Rows {
    /// Of one literal, that all lanes of a warp have, with its row. Most frontiers are that small, or fall to so many warps.
    #[inline(always)]
    pub fn of_one(lit: Lit, (start, end): (u32, u32)) -> Rows {
        Rows { is_one: true, lit, start, before: 0, total: end - start }
    }

    /// Called by all lanes of a warp, of which the first `n` have a literal, whose row begins and ends there. Those of other rows are no longer
    /// found then, and the warp has synchronised since it looked for them.
    #[inline(always)]
    pub fn new(s: &Search, n: u32, lit: Lit, (start, end): (u32, u32)) -> Rows {
        // All places are numbers of 32 bits, and no two rows have one in common.
        let len = end - start;
        // On its way while they are added up.
        let total = warp_sum(len);
        let end = warp_scan_of(len, n);
        let (before, with_places) = (end - len, warp_ballot(len > 0));
        if len > 0 {
            let place = lanes_below(with_places).count_ones();
            Room::of_warp(s).set_row(place, Row { lit, start, before, end });
        }
        sync_warp();
        let before = if len > 0 { before } else { NONE };
        Rows { is_one: false, lit, start, before, total }
    }

    /// The same of lists: some lanes may have none, or an empty one.
    #[inline(always)]
    pub fn of_lists(s: &Search, lit: Lit, (start, end): (u32, u32)) -> Rows {
        Rows::new(s, 32 - warp_ballot(start < end).leading_zeros(), lit, (start, end))
    }

    /// Of lists, the places from place `base` of all on, if there are any. Called by all lanes of a warp.
    #[inline(always)]
    pub fn turn(&self, s: &Search, base: u32) -> Turn {
        if base >= self.total {
            return Turn::default();
        }
        let place = self.find(s, base);
        Turn { place, entry: s.watch_list.read(place.at) }
    }

    /// The places from place `base` of all on, which is one, a lane each; the last of all for a lane without. Called by all lanes of a warp.
    #[inline(always)]
    pub fn find(&self, s: &Search, base: u32) -> Place {
        let place = (base + thread::thread_idx_x() % 32).min(self.total - 1);
        let Row { lit, start, before, end } = if self.is_one {
            Row { lit: self.lit, start: self.start, before: 0, end: self.total }
        } else {
            self.row(s, base)
        };
        Place { lit, start, at: start + (place - before), left: end - place }
    }

    /// The row of that place. It is told by how many rows begin before it: those up to the first place, and of the others a bit for each place. (To
    /// look for it by halves takes as long as three such steps for each.)
    #[inline(always)]
    fn row(&self, s: &Search, base: u32) -> Row {
        let behind = self.before.wrapping_sub(base);
        let begins = warp_or(if behind.wrapping_sub(1) < 31 { 1 << behind } else { 0 });
        let up_to_here = u32::MAX >> (31 - thread::thread_idx_x() % 32);
        let rows = warp_ballot(self.before <= base).count_ones() + (begins & up_to_here).count_ones();
        Room::of_warp(s).row(rows - 1)
    }
}

/// [`visit`] for any frontier: tiles of literals, by blocks.
#[inline(always)]
pub fn visit_many<V: Visit>(s: &Search, share: Share, (from, to): (u32, u32)) -> u64 {
    if is_single() {
        return visit_alone::<V>(s, share, (from, to));
    }
    let threads = thread::block_dim_x();
    let (block, blocks) = block_of_grid(s);
    let (warp, warps, lane) = (thread::thread_idx_x() / 32, threads / 32, thread::thread_idx_x() % 32);
    let mut visits = 0;
    let tiles = (to - from).div_ceil(threads.max(1));
    // How many tiles are visited at the same time, and in how many parts each.
    let groups = tiles.min(blocks);
    let (mut tile, part, parts) = match groups {
        1 => (0, block, blocks),
        groups => (block % groups.max(1), block / groups.max(1), blocks / groups.max(1)),
    };
    while tile < tiles && part < parts {
        let (table, totals) = Table::of_tile(s, from + tile * threads, to, (part, parts), share.all);
        let [binary, ternary, long, learned] = totals;
        // Of the first tile what is expected of all.
        let inputs = binary.saturating_add(ternary).saturating_add(long);
        if tile == 0 && share.leaves(s, inputs.saturating_mul(tiles)) {
            thread::sync_threads();
            break;
        }
        let [binary_turns, ternary_turns, long_turns] = [binary, ternary, long].map(|n| n.div_ceil(32));
        let ends = [binary_turns, binary_turns + ternary_turns, binary_turns + ternary_turns + long_turns];
        let literals = (to - from - tile * threads).min(threads);
        // Where several blocks share a tile, each takes some of its lists, and of these each warp some, a lane each.
        let lists = if learned > 0 { literals.saturating_sub(part).div_ceil(parts.max(1)) } else { 0 };
        let mut first = warp;
        while first < lists {
            let list = first + lane * warps;
            let lit =
                if list < lists { Lit(table.get(0, (part + list * parts) as usize)) } else { Lit::TRUE };
            // Others may have ended theirs meanwhile, but these are this warp's.
            let lists = Rows::of_lists(s, lit, if list < lists { row(s, LEARNED, lit) } else { (0, 0) });
            V::lists(s, lists, lists.turn(s, 0), false);
            sync_warp();
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
        thread::sync_threads();
        if thread::thread_idx_x() == 0 {
            visits += binary as u64 + ternary as u64 + long as u64;
            visits += if part == 0 { learned as u64 } else { 0 };
        }
        tile += groups;
    }
    visits
}

/// The element of a class, without an array that would have to lie in memory.
#[inline(always)]
fn pick(of: &[u32; CLASSES as usize], class: u32) -> u32 {
    match class {
        BINARY => of[0],
        TERNARY => of[1],
        LONG => of[2],
        _ => of[3],
    }
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
        (from_class, to_class): (u32, u32),
    ) -> (Table, [u32; CLASSES as usize]) {
        let (tid, table) = (thread::thread_idx_x(), Table::new());
        let lit = if tid < to - from { s.trail.read(from + tid) } else { Lit::TRUE };
        let take = |class: u32| {
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
        let len @ [binary, ternary, long, learned] = [take(BINARY), take(TERNARY), take(LONG), take(LEARNED)];
        table.set(0, tid, lit.0);
        let scan = |low: u32, high: u32| block_scan(low as u64 | (high as u64) << 32);
        let (short, shorts) = if from_class < LONG { scan(binary, ternary) } else { (0, 0) };
        let (other, others) = if to_class > LONG { scan(long, learned) } else { (0, 0) };
        let sums = [short as u32, (short >> 32) as u32, other as u32, (other >> 32) as u32];
        for class in 0..CLASSES {
            table.set(1 + CLASSES + class, tid, sums[class as usize] + len[class as usize]);
        }
        thread::sync_threads();
        (table, [shorts as u32, (shorts >> 32) as u32, others as u32, (others >> 32) as u32])
    }

    #[inline(always)]
    fn set(&self, row: u32, i: u32, word: u32) {
        // SAFETY: there are TABLE_BYTES for each thread in every launch; each thread writes its own column, and barriers stand between that
        // and reads by others.
        unsafe { *self.words.add(row as usize * self.threads + i as usize) = word }
    }

    #[inline(always)]
    fn get(&self, row: u32, i: usize) -> u32 {
        // SAFETY: as above.
        unsafe { *self.words.add(row as usize * self.threads + i) }
    }

    /// The literal and the place of visit `w` of a class: in the first column whose sum is more than `w`.
    #[inline(always)]
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

#[cfg(test)]
mod tests {
    extern crate std;
    use super::{share_out, Place, Rows, Share, Windows, FEW, LONG, MOST_FEW};
    use crate::block::tests::results;
    use crate::conflict::mix;
    use crate::{Lit, Search};
    use std::vec::Vec;

    #[test]
    fn windows_are_shared_out() {
        for (of, literals) in (1..10).flat_map(|of| (1..=MOST_FEW).map(move |literals| (of, literals))) {
            for window in 0..literals.div_ceil(FEW) {
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
    fn places_of_rows_are_found() {
        for seed in 0..60u64 {
            let n = 1 + (mix(seed) % 32) as u32;
            let len =
                |lane: u32| if lane < n { (mix(seed << 6 | lane as u64) % 4 * (seed % 3)) as u32 } else { 0 };
            let start = |lane: u32| 1000 * (lane + 1);
            // Each place of all rows, one row after the other.
            let places: std::vec::Vec<_> = (0..n)
                .flat_map(|lane| (0..len(lane)).map(move |i| (lane, start(lane) + i, len(lane) - i)))
                .collect();
            let s = &Search::default();
            let rows = |lane: u32| match n {
                1 => Rows::of_one(Lit(0), (start(0), start(0) + len(0))),
                n => Rows::new(s, n, Lit(lane), (start(lane), start(lane) + len(lane))),
            };
            let total = places.len() as u32;
            assert!(results(32, seed, |lane| rows(lane).total).iter().all(|&n| n == total), "seed {seed}");
            for base in (0..total).step_by(1 + seed as usize % 40) {
                let found = results(32, seed, |lane| {
                    let Place { lit, start: begin, at, left } = rows(lane).find(s, base);
                    assert_eq!(begin, start(lit.0), "seed {seed}, place {base} and lane {lane}");
                    (lit.0, at, left)
                });
                for (got, at) in found.into_iter().zip(base..) {
                    assert_eq!(got, places[at.min(total - 1) as usize], "seed {seed}, place {at}");
                }
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
