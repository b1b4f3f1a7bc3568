//! PropagateAndCheck for learned nogoods, which are found through the literals that they watch.
//!
//! Main functions: [`visit_lists`] for the lists of watches, [`look_at`] for all other learned nogoods. In a
//! block of one thread the lists have input nogoods as well, and [`visit_list`] visits a list. The
//! paper looks at every learned nogood in every round. Here a round visits only the nogoods that watch a
//! literal of the frontier (see [`crate::watches`]). A learned unit watches its literal twice.
//!
//! Three kinds of nogoods are looked at although none of their watched literals was newly assigned:
//!
//! - *fresh* nogoods, which were learned since the last round;
//! - *late* nogoods, which were learned at a level above their own because the search could not jump as far
//!   as they asked for, or imported or told above the level at which they are unit: after a later jump they
//!   may be unit again, until their watched literals are like those of other nogoods;
//! - all nogoods, while some nogood stands in no list.
//!
//! When several threads visit one nogood, they exchange its pair of watched literals by compare-and-swap. A
//! thread that loses looks again. So each change of a pair is followed by one entry in each list that the
//! nogood is new in. A single block has a barrier between lists and other nogoods, and needs no
//! compare-and-swap when it visits a list: of two visits from lists only one acts.

use crate::assign::{in_frontier, later, level_of, propose, report_conflict, status, Status};
use crate::frontier::classes::LEARNED;
use crate::frontier::rows::{Batch, RowPosition, Rows};
use crate::frontier::sharing::Share;
use crate::frontier::visit::Visit;
use crate::frontier::{frontier, is_quiet, visit};
use crate::layout::{self, Beside, NogoodId, Record, Stored, NONE};
use crate::lit::{pack, unpack};
use crate::nogood::{nogood_in_learned, Nogood};
use crate::not_held::{not_held_by_warp, Found, Look};
use crate::threads::block::is_last_block;
use crate::threads::choose::warp_is_chosen;
use crate::threads::scratch::WarpScratch;
use crate::threads::stride::{is_first, is_single, over_warps, warp_width};
use crate::threads::token::{WholeBlock, WholeWarp};
use crate::threads::warp::{from_lane, lanes_below, sync_warp, warp_ballot};
use crate::watches::{
    append, cut, entry, list_len, listed_inputs, of_entry, pair_of, put_back, settle, INPUT,
};
use crate::{Launch, Own};
use crate::{Lit, Search};
use core::hint::cold_path;
use cuda_std::prelude::*;
use cuda_std::thread;

mod alone;
use alone::follow_alone;
pub use alone::visit_list;

/// # Inputs
/// The frontier `visited .. committed` of the trail, the lists of watches, the learned nogoods; `seen`,
/// `unlisted`, `late`, `look_late`, `value`.
/// # Writes
/// The watched literals of learned nogoods, `from` of their records, and the lists; `unlisted`, `late`;
/// proposals (`reason`, `trail`) and `conflict`; `seen` and `look_late` if there is no conflict.
/// # Thread mapping
/// Lists of literals of the frontier are shared out to warps (see [`crate::frontier`]), which read one after
/// the other, one lane an entry; then one thread a fresh or late nogood, grid-stride.
/// # Synchronisation
/// Block barriers while visits are shared out; claims, pairs of watches and lengths of lists are atomic; the
/// last block notes what was seen.
/// # Safety
/// `s` must describe valid memory that nobody else uses during the launch.
/// # Deterministic
/// As [`super::propagate_binary`].
#[kernel]
pub unsafe fn propagate_learned(s: Search) {
    // SAFETY: the kernel's entry.
    run(unsafe { &mut WholeBlock::at_entry() }, &s)
}

/// The kernel as a plain function.
#[cuda_std::inlined]
pub fn run(block: &mut WholeBlock, s: &Search) {
    let state = s.own.state();
    let others = others(state.stored(), state.beside());
    if is_quiet(block, &s.own) {
        visit::<Lists>(block, s, Share::of_all(&s.launch, LEARNED, LEARNED + 1), frontier(&s.own));
    }
    if is_quiet(block, &s.own) {
        look_at(block.warp(), s, others);
    }
    if is_last_block(block, &s.own, &s.launch) {
        finish(block, &s.own, others);
    }
}

struct Lists;

impl Visit for Lists {
    #[cuda_std::inlined]
    fn lists(warp: &mut WholeWarp, s: &Search, lists: Rows, first: Batch, are_narrow: bool) {
        visit_lists(warp, &s.own, &s.launch, lists, first, are_narrow);
    }

    #[cuda_std::inlined]
    fn list(_: &mut WholeWarp, s: &Search, lit: Lit, len: u32) {
        visit_list(s, lit, len);
    }
}

/// Learned nogoods that may be unit although no watched literal was newly assigned.
#[derive(Clone, Copy)]
pub struct Others {
    /// How many late nogoods there are.
    late: u32,
    /// The index of the first nogood to look at besides the late ones.
    from: u32,
    /// The index after the last nogood to look at.
    end: u32,
    /// Whether all input nogoods that belong into lists are to be looked at as well.
    with_inputs: bool,
}

impl Others {
    /// Whether there are any such nogoods.
    #[cuda_std::inlined]
    pub fn are_any(self) -> bool {
        self.late > 0 || self.from < self.end || self.with_inputs
    }
}

/// The nogoods to look at in the next round, by the control words.
#[cuda_std::inlined]
pub fn others(
    Stored { learned, unlisted, .. }: Stored,
    Beside { seen, late, look_late, .. }: Beside,
) -> Others {
    Others {
        late: if look_late == 1 { late } else { 0 },
        from: if unlisted == 1 { 0 } else { seen },
        end: learned,
        with_inputs: is_single() && unlisted == 1,
    }
}

/// Looks at `others`. All warps of the grid call this.
#[cuda_std::inlined]
pub fn look_at(warp: &mut WholeWarp, s: &Search, others: Others) {
    let (own, launch, late) = (&s.own, &s.launch, others.late);
    // Lists may become full meanwhile, so the lanes of a warp may read different control words.
    let from = from_lane(warp, others.from, 0);
    let all = late + others.end.saturating_sub(from);
    let (lane, width) = (thread::thread_idx_x() % warp_width(), warp_width());
    // The late nogoods come first, then the others. A warp stays together.
    for turn in over_warps(launch, 0, all.div_ceil(width)) {
        let at = turn * width + lane;
        let i = if at < late { own.late.read(at) } else { from + at.saturating_sub(late) };
        let i = (at < all && i != NONE).then_some(i);
        if let Some(i) = i.filter(|_| at < late) {
            if !is_late(own, i) {
                own.late.write(at, NONE);
            }
        }
        look(warp, s, i);
    }
    if others.with_inputs {
        cold_path();
        (0..listed_inputs(own)).for_each(|i| look(warp, s, Some(INPUT | i)));
    }
}

/// Whether learned nogood `i` may still be unit without a watched literal being newly assigned: one watched
/// literal holds, and the other is not falsified, or not at a lower or equal level. A unit has no other
/// watched literal.
#[cuda_std::inlined]
fn is_late(own: &Own, i: u32) -> bool {
    let (a, b) = unpack(own.learned_record.get(i).watch.load());
    let is_bad = |held: Lit, other: Lit| {
        status(own, held) == Status::Held
            && !(status(own, other) == Status::Falsified && level_of(own, other) <= level_of(own, held))
    };
    a == b || is_bad(a, b) || is_bad(b, a)
}

/// Ends the round. Only one block runs.
#[cuda_std::inlined]
fn finish(block: &mut WholeBlock, own: &Own, others: Others) {
    settle(block, own);
    if is_first() {
        note_seen(own, others);
    }
}

/// Notes that `others` were looked at, unless the round ended in a conflict. Called by one thread.
#[cuda_std::inlined]
pub fn note_seen(own: &Own, others: Others) {
    if own.state().conflicts.now() == 0 {
        own.state().seen.store(others.end);
        own.state().look_late.store(0);
    }
}

/// Visits lists of watches, whose first batch of entries is loaded already. Entries that need not stay are
/// taken out. Nobody else may use these lists meanwhile.
///
/// Entries are read 32 at a time, one list after the other. Most entries need not be followed, because their
/// other literal is falsified. To follow one entry takes long, and to follow 32 takes no longer. Therefore
/// the entries that have to be followed are taken out of their lists and wait until there are 32 of them, or
/// no more to come. `are_narrow`: the frontier is narrow, and the lanes help each other (see
/// [`not_held_by_warp`]).
#[cuda_std::inlined]
pub fn visit_lists(warp: &mut WholeWarp, own: &Own, launch: &Launch, lists: Rows, first: Batch, helps: bool) {
    let (room, lane) = (WarpScratch::of_warp(launch), thread::thread_idx_x() % 32);
    let (mut base, mut waiting, mut turn) = (0, 0, first);
    // The list of the last lane's entry, and how many of that list's entries stay so far.
    let (mut last, mut kept) = (Lit::TRUE, 0);
    while base < lists.total || waiting > 0 {
        let is_turn = base < lists.total && waiting < 32;
        let Batch { place: RowPosition { lit: of, start, at, left }, entry: old } = turn;
        let is_entry = is_turn && base + lane < lists.total;
        let stays = is_entry && status(own, of_entry(old).1) == Status::Falsified;
        // The entries that are followed now.
        let (has, i, lit) = if is_turn {
            (is_entry && !stays, of_entry(old).0, of)
        } else {
            let first = u32::saturating_sub(waiting, 32);
            sync_warp(warp);
            let has = first + lane < waiting;
            let (i, of) = if has { room.get(first + lane) } else { (0, Lit::TRUE.0) };
            waiting = first;
            (has, i, Lit(of))
        };
        // Most batches are followed at once. The next batch is loaded while the present one is sorted.
        let header = Header::of(own, launch, if has { i } else { 0 });
        let lanes = warp_ballot(warp, has);
        if is_turn {
            let staying = warp_ballot(warp, stays);
            // All lanes have read the entries and the lengths before one lane writes to them.
            sync_warp(warp);
            // Of the same list: from the list's beginning on, or from the batch's.
            let before = if at - start > lane { kept } else { 0 };
            let beside = staying & u32::MAX << lane.saturating_sub(at - start);
            let place = before + lanes_below(beside).count_ones();
            if stays {
                own.watch_list.write(start + place, old);
            }
            // The lane with the last entry of a list writes the list's new length.
            let so_far = place + stays as u32;
            if is_entry && (left == 1 || lane == 31) {
                cut(own, of, so_far);
            }
            base += 32;
            turn = lists.turn(warp, own, launch, base);
            if base < lists.total || waiting > 0 {
                if has {
                    room.set(waiting + lanes_below(lanes).count_ones(), i, lit.0);
                }
                waiting += lanes.count_ones();
                (last, kept) = (Lit(from_lane(warp, lit.0, 31)), from_lane(warp, so_far, 31));
                continue;
            }
            if lanes == 0 {
                break;
            }
        }
        // A nogood may stand in a list twice, if it watched the literal before. One visit is enough, so one
        // lane acts.
        let is_alone = lanes.is_power_of_two();
        let is_chosen = if is_alone { has } else { warp_is_chosen(warp, launch, has, entry(i, lit), i) };
        let followed = is_chosen.then_some((i, lit));
        if let Some(other) = follow(warp, own, launch, followed, header, true, helps) {
            // There is room in the list that the entry came from.
            put_back(own, lit, entry(i, other));
        }
        if base < lists.total {
            sync_warp(warp);
            kept = list_len(own, last);
        }
    }
}

/// Looks at the nogood with number `i`, whatever was assigned.
#[cuda_std::inlined]
fn look(warp: &mut WholeWarp, s: &Search, i: Option<u32>) {
    let (own, launch) = (&s.own, &s.launch);
    let (mut is_followed, mut lit) = (false, Lit::TRUE);
    if let Some(i) = i {
        let (a, b) = unpack(pair_of(own, i).load());
        (is_followed, lit) = match (status(own, a), status(own, b)) {
            (Status::Open, Status::Open) if a == b => {
                propose(own, !a, NogoodId::of_learned(i));
                (false, a)
            }
            (Status::Held, Status::Held | Status::Open) => (true, a),
            (held, other) => (held == Status::Open && other == Status::Held, b),
        };
    }
    let i = i.filter(|_| is_followed);
    if is_single() {
        if let Some(i) = i {
            follow_alone(s, (i, lit), false);
        }
        return;
    }
    let (followed, header) = (i.map(|i| (i, lit)), Header::of(own, launch, i.unwrap_or(0)));
    follow(warp, own, launch, followed, header, false, true);
}

/// What is loaded first of a learned nogood. A lane without a nogood loads the first nogood there is, because
/// a load that only some lanes make is waited for at once.
#[derive(Clone, Copy)]
struct Header {
    nogood: Nogood,
    /// The pair of literals that the nogood watches.
    watch: u64,
    /// The index within the nogood at which the search for another literal begins.
    from: u32,
}

impl Header {
    /// Loads the header of learned nogood `i`, all words together, as each load takes its time.
    #[cuda_std::inlined]
    fn of(own: &Own, launch: &Launch, i: u32) -> Header {
        let layout::Header { watch, place, from } =
            own.learned_record.get(i).header(launch.single_block == 1);
        Header { nogood: nogood_in_learned(own, place), watch, from }
    }
}

/// Follows a learned nogood in whose list `lit` has an entry; `lit` holds. Returns the literal that the
/// nogood watches besides `lit` afterwards, if the nogood still watches `lit`. When both watched literals are
/// of the frontier, only the visit of the smaller one acts (`in_turn`).
///
/// Lanes without a nogood call this as well: lanes that diverge do not rejoin before the next `sync_warp`,
/// and each branch would wait for memory alone.
#[cuda_std::inlined]
fn follow(
    warp: &mut WholeWarp,
    own: &Own,
    launch: &Launch,
    followed: Option<(u32, Lit)>,
    header: Header,
    in_turn: bool,
    helps: bool,
) -> Option<Lit> {
    let mut acts = followed.is_some();
    let (i, lit) = followed.unwrap_or_default();
    // Whether the nogood still watches `lit`, and what besides. (An `Option` would take a register in all of
    // the kernel.)
    let (mut stays, mut beside) = (false, lit);
    let (id, nogood, mut old) = (NogoodId::of_learned(i), header.nogood, header.watch);
    // Nobody else looks at the nogood then, so there is no second attempt.
    let acts_alone = in_turn && launch.single_block == 1;
    let Record { watch, from, .. } = own.learned_record.get(i);
    loop {
        // Loaded although it may not be needed: finding out takes as long as loading.
        let look = Look::at(nogood, header.from);
        let (mut other, mut is_open) = (lit, false);
        if acts {
            let (a, b) = unpack(old);
            other = if lit == a { b } else { a };
            let status = status(own, other);
            is_open = status == Status::Open;
            let is_watched = lit == a || lit == b;
            let is_others = in_turn && status == Status::Held && other < lit && in_frontier(own, other);
            acts = is_watched && status != Status::Falsified && !is_others;
            (stays, beside) = (is_watched && !acts, other);
        }
        let found = not_held_by_warp(warp, own, acts, nogood, look, (lit, other), helps);
        // A second literal is needed if the other watched literal holds, too. That is rare.
        let (asks, behind) = (acts && !is_open && found.is_any(), found.place.wrapping_add(1));
        let second = match warp_ballot(warp, asks) {
            0 => Found::none(lit),
            _ => not_held_by_warp(warp, own, asks, nogood, Look::at(nogood, behind), (lit, found.lit), false),
        };
        let (mut proposes, mut proposed) = (false, !other);
        if acts && !found.is_any() {
            if is_open {
                proposes = true;
            } else {
                report_conflict(own, id);
            }
            (acts, stays) = (false, true);
        } else if acts {
            from.store(found.place);
            // The partner to watch: the other watched literal; or if that holds, too, the second literal that
            // does not hold, or else the later of the two that hold.
            let partner = if is_open {
                other
            } else if second.is_any() {
                second.lit
            } else {
                later(own, lit, other)
            };
            let (first, new) = (found.lit, pack(found.lit, partner));
            let is_changed = if acts_alone {
                watch.store(new);
                true
            } else {
                watch.claim(old, new).is_ok()
            };
            if is_changed {
                append(own, first, i, partner);
                if partner != other && partner != lit {
                    append(own, partner, i, first);
                } else if !is_open && status(own, first) == Status::Open {
                    (proposes, proposed) = (true, !first);
                }
                (acts, stays, beside) = (false, partner == lit, first);
            }
        }
        if proposes {
            propose(own, proposed, id);
        }
        if acts_alone || warp_ballot(warp, acts) == 0 {
            return stays.then_some(beside);
        }
        if acts {
            old = watch.load();
        }
    }
}
