//! Narrow frontiers: each warp visits the rows of one class alone, or whole lists of learned nogoods.
//!
//! Main functions: [`visit_rows`] and [`visit_whole_lists`]. What does not depend on the assignment is loaded
//! before, by [`load_rows`] and [`load_lists`], while the frontier is committed.

use crate::frontier::classes::{row, Class, LEARNED};
use crate::frontier::rows::{Batch, RowPosition, Rows};
use crate::frontier::sharing::{Share, Windows, WINDOW};
use crate::frontier::visit::{of_warp, Visit};
use crate::layout::TrailPosition;
use crate::threads::token::WholeWarp;
use crate::threads::warp::sync_warp;
use crate::Own;
use crate::{Lit, Search};
use cuda_std::thread;

/// What a lane has of a window of a narrow frontier, in a class of input nogoods.
#[derive(Clone, Copy)]
pub struct LoadedRow {
    /// Whether the lane has a literal.
    has_lit: bool,
    /// The lane's literal; any literal if the lane has none.
    lit: Lit,
    /// The beginning and the end of the literal's row.
    row: (u32, u32),
}

/// Loads what a warp with a class of input nogoods needs first to visit a narrow frontier. Nothing of that
/// depends on the assignment, so the loads may be under way while the frontier is committed. Each lane loads
/// a row of its own.
#[cuda_std::inlined]
pub fn load_rows(
    own: &Own,
    share: Share,
    class: Class,
    frontier: (TrailPosition, TrailPosition),
) -> LoadedRow {
    load_window(own, class, frontier, Windows::of(share, frontier.1 - frontier.0).first)
}

#[cuda_std::inlined]
fn load_window(
    own: &Own,
    class: Class,
    (from, to): (TrailPosition, TrailPosition),
    window: u32,
) -> LoadedRow {
    let at = from + window * WINDOW + thread::thread_idx_x() % 32;
    // A load that only some lanes make is waited for at once, so all lanes load.
    let (has_lit, lit) = (at < to, own.trail.read(at.0.min(to.0 - 1)));
    LoadedRow { has_lit, lit, row: class.row(lit) }
}

/// The lists of a warp with lists of learned nogoods, and their first batch of entries.
#[cuda_std::inlined]
pub fn load_lists(
    warp: &mut WholeWarp,
    s: &Search,
    share: Share,
    (from, to): (TrailPosition, TrailPosition),
) -> (Rows, Batch) {
    // Other warps may have ended their lists meanwhile. So which lists a warp has must not depend on which
    // lists have entries left, and lanes without a list must not look at such a list.
    let first = from + share.rank;
    let at = first + thread::thread_idx_x() % 32 * share.of;
    let lit = s.own.literal_at(if at < to { at } else { first });
    let row = row(&s.problem, &s.own, LEARNED, lit);
    let lists = if first + share.of >= to {
        Rows::of_one(lit, row)
    } else {
        Rows::of_lists(warp, &s.launch, lit, if at < to { row } else { (0, 0) })
    };
    (lists, lists.turn(warp, &s.own, &s.launch, 0))
}

/// Visits a narrow frontier: entries of rows, 32 at a time, or whole lists. See [`super::visit()`].
#[cuda_std::inlined]
pub fn visit_narrow<V: Visit>(
    warp: &mut WholeWarp,
    s: &Search,
    share: Share,
    frontier: (TrailPosition, TrailPosition),
) -> u64 {
    let literals = frontier.1 - frontier.0;
    if !share.has_lists() {
        let class = share.rows(&s.problem);
        visit_rows::<V>(warp, s, share, class, frontier, load_rows(&s.own, share, class, frontier))
    } else if share.has_lists_of(literals) {
        let asked = load_lists(warp, s, share, frontier);
        visit_whole_lists::<V>(warp, s, asked)
    } else {
        0
    }
}

/// Visits the lists that [`load_lists`] has loaded.
#[cuda_std::inlined]
pub fn visit_whole_lists<V: Visit>(warp: &mut WholeWarp, s: &Search, (lists, first): (Rows, Batch)) -> u64 {
    V::lists(warp, s, lists, first, true);
    of_warp(lists.total)
}

/// Visits the window that [`load_rows`] has loaded, and the other windows that fall to this warp. One of the
/// warps that share a window accounts for its visits.
#[cuda_std::inlined]
pub fn visit_rows<V: Visit>(
    warp: &mut WholeWarp,
    s: &Search,
    share: Share,
    class: Class,
    frontier: (TrailPosition, TrailPosition),
    asked: LoadedRow,
) -> u64 {
    let literals = frontier.1 - frontier.0;
    let mine = Windows::of(share, literals);
    let rows_of = |warp: &mut WholeWarp, asked: LoadedRow, window: u32| {
        let n = literals.saturating_sub(window * WINDOW).min(WINDOW);
        // All lanes have loaded the same row if there is only one.
        if n == 1 {
            Rows::of_one(asked.lit, asked.row)
        } else {
            // The load is under way while the rows are added up.
            class.prefetch(asked.row.0);
            Rows::new(warp, &s.launch, n, asked.lit, if asked.has_lit { asked.row } else { (0, 0) })
        }
    };
    let (mut window, mut rows) = (mine.first, rows_of(warp, asked, mine.first));
    let mut visits = rows.total;
    loop {
        let mut base = mine.rank * 32;
        while base < rows.total {
            let RowPosition { lit, at, .. } = rows.find(warp, &s.launch, base);
            if base + thread::thread_idx_x() % 32 < rows.total {
                V::nogood(s, share.class, lit, at);
            }
            base += mine.of * 32;
        }
        window += mine.step;
        if window * WINDOW >= literals {
            break;
        }
        sync_warp(warp);
        rows = rows_of(warp, load_window(&s.own, class, frontier, window), window);
        visits += rows.total;
    }
    if mine.rank == 0 {
        of_warp(visits)
    } else {
        0
    }
}
