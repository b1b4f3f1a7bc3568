//! Narrow frontiers: each warp visits the rows of one class by itself, or whole lists of learned nogoods.

use crate::frontier::classes::{row, Class, LEARNED};
use crate::frontier::rows::{Batch, RowPosition, Rows};
use crate::frontier::sharing::{Share, Windows, WINDOW};
use crate::frontier::visit::{of_warp, Visit};
use crate::threads::warp::sync_warp;
use crate::Own;
use crate::{Lit, Search};
use cuda_std::thread;

/// What a lane has of a window of a frontier of few, in a class of input nogoods.
#[derive(Clone, Copy)]
pub struct LoadedRow {
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
pub fn load_rows(own: &Own, share: Share, class: Class, frontier: (u32, u32)) -> LoadedRow {
    load_window(own, class, frontier, Windows::of(share, frontier.1 - frontier.0).first)
}

#[inline(always)]
fn load_window(own: &Own, class: Class, (from, to): (u32, u32), window: u32) -> LoadedRow {
    let at = from + window * WINDOW + thread::thread_idx_x() % 32;
    // What is asked for only by some is waited for at once, so all ask.
    let (has_lit, lit) = (at < to, own.trail.read(at.min(to - 1)));
    LoadedRow { has_lit, lit, row: class.row(lit) }
}

/// The same if it has any lists: those of its literals, and their first turn.
#[inline(always)]
pub fn load_lists(s: &Search, share: Share, (from, to): (u32, u32)) -> (Rows, Batch) {
    // Other warps may have ended their lists meanwhile, so whose they are must not depend on which have entries left; nor may lanes without a
    // list look at one of those.
    let first = from + share.rank;
    let at = first + thread::thread_idx_x() % 32 * share.of;
    let lit = s.own.trail.read(if at < to { at } else { first });
    let row = row(&s.problem, &s.own, LEARNED, lit);
    let lists = if first + share.of >= to {
        Rows::of_one(lit, row)
    } else {
        Rows::of_lists(&s.launch, lit, if at < to { row } else { (0, 0) })
    };
    (lists, lists.turn(&s.own, &s.launch, 0))
}

/// [`super::visit()`] for a frontier of few: each warp by itself, addresses of rows, 32 at a time, or whole lists.
#[inline(always)]
pub fn visit_narrow<V: Visit>(s: &Search, share: Share, frontier: (u32, u32)) -> u64 {
    let literals = frontier.1 - frontier.0;
    if !share.has_lists() {
        let class = share.rows(&s.problem);
        visit_rows::<V>(s, share, class, frontier, load_rows(&s.own, share, class, frontier))
    } else if share.has_lists_of(literals) {
        visit_whole_lists::<V>(s, load_lists(s, share, frontier))
    } else {
        0
    }
}

/// Visits what was asked for by [`load_lists`].
#[inline(always)]
pub fn visit_whole_lists<V: Visit>(s: &Search, (lists, first): (Rows, Batch)) -> u64 {
    V::lists(s, lists, first, true);
    of_warp(lists.total)
}

/// Visits what was asked for by [`load_rows`], and what else falls to this warp. The visits of a window are on the account of one of the warps that
/// share it.
#[inline(always)]
pub fn visit_rows<V: Visit>(
    s: &Search,
    share: Share,
    class: Class,
    frontier: (u32, u32),
    asked: LoadedRow,
) -> u64 {
    let literals = frontier.1 - frontier.0;
    let mine = Windows::of(share, literals);
    let rows_of = |asked: LoadedRow, window: u32| {
        let n = literals.saturating_sub(window * WINDOW).min(WINDOW);
        // All lanes have asked for an only one.
        let rows = if n == 1 {
            Rows::of_one(asked.lit, asked.row)
        } else {
            // On its way while rows are added up.
            class.prefetch(asked.row.0);
            Rows::new(&s.launch, n, asked.lit, if asked.has_lit { asked.row } else { (0, 0) })
        };
        // All blocks visit and count what this leaves.
        if share.leaves(&s.own, rows.total) {
            rows.none()
        } else {
            rows
        }
    };
    let (mut window, mut rows) = (mine.first, rows_of(asked, mine.first));
    let mut visits = rows.total;
    loop {
        let mut base = mine.rank * 32;
        while base < rows.total {
            let RowPosition { lit, at, .. } = rows.find(&s.launch, base);
            if base + thread::thread_idx_x() % 32 < rows.total {
                V::nogood(s, share.class, lit, at);
            }
            base += mine.of * 32;
        }
        window += mine.step;
        if window * WINDOW >= literals {
            break;
        }
        sync_warp();
        rows = rows_of(load_window(&s.own, class, frontier, window), window);
        visits += rows.total;
    }
    if mine.rank == 0 {
        of_warp(visits)
    } else {
        0
    }
}
