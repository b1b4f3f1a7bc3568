//! Looking for a literal of a nogood that does not hold.
//!
//! The visits of long input nogoods and of learned nogoods call [`not_held`] or [`not_held_by_warp`] to find
//! another literal to watch, and judge the nogood by the result.
//!
//! Invariant: all functions find a literal if there is one. Which literal they find may differ.

use crate::assign::is_held;
use crate::layout::NONE;
use crate::nogood::Nogood;
use crate::threads::stride::is_single;
use crate::threads::token::WholeWarp;
use crate::threads::warp::{from_lane, warp_ballot};
use crate::Lit;
use crate::Own;
use core::hint::cold_path;
use cuda_std::thread;

/// The literal that a search of a nogood found, and its index, or none.
///
/// The type is not an `Option`, because the compiler would reserve a register for the undefined content of
/// `None` from the beginning of the kernel to its end.
#[derive(Clone, Copy)]
pub struct Found {
    /// The index of the literal in its nogood, or [`NONE`] if no literal was found.
    pub place: u32,
    /// The literal that was found. Any literal if none was found.
    pub lit: Lit,
}

impl Found {
    /// The result of a search that found nothing. `any` may be any literal.
    #[cuda_std::inlined]
    pub fn none(any: Lit) -> Found {
        Found { place: NONE, lit: any }
    }

    /// Whether a literal was found.
    #[cuda_std::inlined]
    pub fn is_any(self) -> bool {
        self.place != NONE
    }
}

/// The number of groups of four literals that a thread looks at together.
///
/// On a GPU a load takes as long as hundreds of additions, but many loads can be under way at once.
pub const GROUPS: usize = 2;

/// [`GROUPS`] successive groups of four literals of a nogood, which a thread has loaded together. The first
/// group of a nogood succeeds its last group.
#[derive(Clone, Copy)]
pub struct Look {
    /// The first of the groups.
    from: u32,
    /// The literals of the groups, in the order of the groups.
    lits: [Lit; 4 * GROUPS],
}

impl Look {
    /// Loads groups of `nogood`, from the group that holds the literal with index `index` on. An `index` past
    /// the end stands for 0.
    ///
    /// A lane that needs no literals may pass any nogood that exists.
    #[cuda_std::inlined]
    pub fn at(nogood: Nogood, index: u32) -> Look {
        Look::of_group(nogood, nogood.group_of(within(nogood, index)))
    }

    /// Loads groups of `nogood`, from group `from` on.
    #[cuda_std::inlined]
    fn of_group(nogood: Nogood, from: u32) -> Look {
        let ([a, b, c, d], [e, f, g, h]) =
            (nogood.group_here(from), nogood.group_here(nogood.group_after(from)));
        Look { from, lits: [a, b, c, d, e, f, g, h] }
    }

    /// Returns the first of the loaded literals that does not hold and is not `except`, and the group after
    /// the loaded groups. `held` is any literal, which fills the result if none is found.
    #[cuda_std::inlined]
    fn find_not_held(&self, own: &Own, nogood: Nogood, held: Lit, except: Lit) -> (Found, u32) {
        let values = self.lits.map(|lit| own.value.read_here(lit.var().0));
        let second = nogood.group_after(self.from);
        let mut found = Found::none(held);
        for i in (0..4 * GROUPS).rev() {
            let place = nogood.place(if i < 4 { self.from } else { second }, i as u32 % 4);
            let (lit, value) = (self.lits[i], values[i]);
            let is_held = value != 0 && (value < 0) == lit.is_false_sign();
            if place < nogood.len && !is_held && lit != except {
                found = Found { place, lit };
            }
        }
        (found, nogood.group_after(second))
    }
}

/// Returns `index` if the nogood has a literal with that index, else 0.
#[cuda_std::inlined]
fn within(nogood: Nogood, index: u32) -> u32 {
    if index < nogood.len {
        index
    } else {
        0
    }
}

/// Returns a literal of `nogood` that does not hold and is not `except`, with its index.
///
/// The search begins at index `from`, goes on to the end and comes around to the literals before `from`.
/// Callers pass the index at which the last search found a literal, because the literals before that index
/// usually still hold (Gent 2013). `held` is any literal that holds. Each thread calls this for itself.
#[cuda_std::inlined]
pub fn not_held(own: &Own, nogood: Nogood, from: u32, held: Lit, except: Lit) -> Found {
    match is_single() {
        true => not_held_by_one(own, nogood, from, held, except),
        false => look_for_not_held(own, nogood, Look::at(nogood, from), held, except),
    }
}

/// Returns the first index of `from .. end` whose literal does not hold and is not `except`, or [`NONE`].
#[cuda_std::inlined]
fn index_not_held(own: &Own, nogood: Nogood, from: u32, end: u32, except: Lit) -> u32 {
    for at in from..end {
        let lit = nogood.lit(at);
        if !is_held(own, lit) && lit != except {
            return at;
        }
    }
    NONE
}

/// Returns the first literal of `nogood` that does not hold and is not `except`. Any thread may call this.
#[cuda_std::inlined]
pub fn first_not_held(own: &Own, nogood: Nogood, except: Lit) -> Option<Lit> {
    match index_not_held(own, nogood, 0, nogood.len, except) {
        NONE => None,
        at => Some(nogood.lit(at)),
    }
}

/// Returns the same as [`not_held`], but looks at one literal after the other. Any thread may call this.
#[cuda_std::inlined]
fn not_held_by_one(own: &Own, nogood: Nogood, from: u32, held: Lit, except: Lit) -> Found {
    let from = within(nogood, from);
    // Two plain loops: a loop over a chain of two ranges asks at each literal which of the two is meant.
    let mut place = index_not_held(own, nogood, from, nogood.len, except);
    if place == NONE {
        place = index_not_held(own, nogood, 0, from, except);
    }
    match place {
        NONE => Found::none(held),
        place => Found { place, lit: nogood.lit(place) },
    }
}

/// Returns the same as [`not_held`] to each lane with `asks`, and nothing found to the other lanes.
///
/// `look` holds the literals of `nogood` with which the search begins. The nogoods of all lanes must lie in
/// one store. `held` and `except` have the meaning that they have in [`not_held`]. With `helps`, all lanes
/// search the rest of a long nogood together, one such nogood after the other. Callers that seldom meet long
/// nogoods pass a constant false, which removes the code: a round spends some of its time on loading
/// instructions.
///
/// A lane that has found a literal waits for the others, so that the lanes continue together.
#[cuda_std::inlined]
pub fn not_held_by_warp(
    warp: &mut WholeWarp,
    own: &Own,
    asks: bool,
    nogood: Nogood,
    look: Look,
    (held, except): (Lit, Lit),
    helps: bool,
) -> Found {
    let nogood = if asks { nogood } else { nogood.empty() };
    // The first look usually finds a literal, and beginning a loop takes half the time of the look.
    let (mut found, next) = look.find_not_held(own, nogood, held, except);
    let mut left = left_after(nogood.groups().1, found);
    let mut long = if helps { warp_ballot(warp, left > LONG) } else { 0 };
    while long != 0 {
        cold_path();
        let lane = long.trailing_zeros();
        let (of, next) = (nogood.of_lane_in_same_store(warp, lane), from_lane(warp, next, lane));
        let (left_of, except) = (from_lane(warp, left, lane), Lit(from_lane(warp, except.0, lane)));
        let place = not_held_of_long(warp, own, of, next, left_of, except);
        if thread::thread_idx_x() % 32 == lane {
            left = 0;
            if place != NONE {
                found = Found { place, lit: nogood.lit(place) };
            }
        }
        long &= long - 1;
    }
    go_on(own, nogood, (held, except), (found, next, left), |goes_on| warp_ballot(warp, goes_on) != 0)
}

/// The number of remaining groups above which all lanes of a warp search a nogood together.
const LONG: u32 = 16;

/// Returns the index of a literal of `nogood` that does not hold and is not `except`, or [`NONE`].
///
/// The search looks at `left` groups, from group `next` on, and comes around to the nogood's first group.
/// All lanes pass the same arguments.
#[cuda_std::inlined]
fn not_held_of_long(
    warp: &mut WholeWarp,
    own: &Own,
    nogood: Nogood,
    next: u32,
    left: u32,
    except: Lit,
) -> u32 {
    let mut offset = GROUPS as u32 * (thread::thread_idx_x() % 32);
    loop {
        let is_there = offset < left;
        let group = nogood.group_far_after(next, if is_there { offset } else { 0 });
        let (found, _) = Look::of_group(nogood, group).find_not_held(own, nogood, except, except);
        let lanes = warp_ballot(warp, is_there && found.is_any());
        if lanes != 0 {
            return from_lane(warp, found.place, lanes.trailing_zeros());
        }
        offset += GROUPS as u32 * 32;
        if warp_ballot(warp, offset < left) == 0 {
            return NONE;
        }
    }
}

/// Returns how many of `groups` groups remain after a look that found `found`: 0 if the look found a literal.
#[cuda_std::inlined]
fn left_after(groups: u32, found: Found) -> u32 {
    if found.is_any() {
        0
    } else {
        groups.saturating_sub(GROUPS as u32)
    }
}

/// Returns the same as [`not_held`]; the search begins with the literals of `look`. Each thread calls this
/// for itself.
#[cuda_std::inlined]
fn look_for_not_held(own: &Own, nogood: Nogood, look: Look, held: Lit, except: Lit) -> Found {
    let (found, next) = look.find_not_held(own, nogood, held, except);
    let left = left_after(nogood.groups().1, found);
    go_on(own, nogood, (held, except), (found, next, left), |goes_on| goes_on)
}

/// Searches the groups that remain, and returns the literal that was found.
///
/// `found`, `next` and `left` are the result of the last look, the group after it and the number of groups
/// that remain. The loop runs while `anybody` returns true; its argument is whether this thread has groups
/// left.
#[cuda_std::inlined]
fn go_on(
    own: &Own,
    nogood: Nogood,
    (held, except): (Lit, Lit),
    (mut found, mut next, mut left): (Found, u32, u32),
    mut anybody: impl FnMut(bool) -> bool,
) -> Found {
    while anybody(left > 0) {
        if left > 0 {
            (found, next) = Look::of_group(nogood, next).find_not_held(own, nogood, held, except);
            left = left_after(left, found);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use crate::hash::mix;
    use crate::layout::Record;
    use crate::nogood::learned_nogood;
    use crate::threads::testing::results;
    use crate::Var;
    use cuda_std::array::Array;
    use cuda_std::atomic::SearchU32;
    use std::vec;
    use std::vec::Vec;

    #[test]
    fn what_does_not_hold_is_found() {
        for seed in 0..60u64 {
            // Each lane has one nogood. Some are empty and some are long.
            let len = |lane: u32| (mix(seed << 8 | lane as u64) % [9, 200, 1200][seed as usize % 3]) as u32;
            let from = |lane: u32| (0..lane).map(len).sum::<u32>();
            let total = from(32);
            // Most literals hold.
            let rare =
                |i: u32| mix(seed << 40 | i as u64).is_multiple_of([5, 150, 900][seed as usize / 3 % 3]);
            let mut values: Vec<i32> = (0..total).map(|i| if rare(i) { 0 } else { 1 }).collect();
            let mut lits: Vec<Lit> = (0..total).map(|i| Lit::t(Var(i))).collect();
            // The last group of the last nogood goes past the nogood's end.
            lits.resize((total as usize).next_multiple_of(4) + 8, Lit::t(Var(0)));
            values.push(1);
            let record = |lane: u32| {
                let (start, len) = (SearchU32::new(from(lane)), SearchU32::new(len(lane)));
                Record { start, len, ..Record::default() }
            };
            let mut records: Vec<Record> = (0..32).map(record).collect();
            let mut own = Own::default();
            // SAFETY: the vectors live until the end of this turn of the loop.
            unsafe {
                own.value = Array::from_raw(values.as_mut_ptr(), values.len());
                own.learned_lit = Array::from_raw(lits.as_mut_ptr(), lits.len());
                own.learned_record = Array::from_raw(records.as_mut_ptr(), records.len());
            }
            let asks = |lane: u32| len(lane) > 0 && !mix(seed << 9 | lane as u64).is_multiple_of(4);
            let begin = |lane: u32| (mix(seed << 10 | lane as u64) % (len(lane) + 3) as u64) as u32;
            let any = Lit::t(Var(0));
            let except =
                |lane: u32| if len(lane) > 0 { lits[(from(lane) + begin(lane) / 2) as usize] } else { any };
            let found = results(32, seed, |block, lane| {
                let nogood = learned_nogood(&own, lane);
                let look = Look::at(nogood, begin(lane));
                let found = not_held_by_warp(
                    block.warp(),
                    &own,
                    asks(lane),
                    nogood,
                    look,
                    (any, except(lane)),
                    seed.is_multiple_of(2),
                );
                vec![found.place, found.lit.0]
            });
            for lane in (0..32).filter(|&lane| asks(lane)) {
                let is_other = |&place: &u32| {
                    let at = from(lane) + place;
                    values[at as usize] == 0 && lits[at as usize] != except(lane)
                };
                let others: Vec<u32> = (0..len(lane)).filter(is_other).collect();
                let (place, lit) = (found[lane as usize][0], found[lane as usize][1]);
                assert_eq!(place != NONE, !others.is_empty(), "seed {seed}, lane {lane}");
                if place != NONE {
                    assert!(others.contains(&place), "seed {seed}, lane {lane}: {place} of {others:?}");
                    assert_eq!(lit, lits[(from(lane) + place) as usize].0, "seed {seed}, lane {lane}");
                }
                // One thread finds one of the same, from wherever it begins.
                for from in [0, begin(lane), len(lane) - 1, len(lane)] {
                    let found = not_held_by_one(&own, learned_nogood(&own, lane), from, any, except(lane));
                    assert_eq!(found.is_any(), !others.is_empty(), "seed {seed}, lane {lane}, from {from}");
                    assert!(!found.is_any() || others.contains(&found.place), "seed {seed}, lane {lane}");
                }
            }
        }
    }
}
