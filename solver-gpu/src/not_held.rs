//! Looking for a literal of a nogood that does not hold.

use crate::assign::{status, Status};
use crate::layout::NONE;
use crate::nogood::Nogood;
use crate::threads::stride::is_single;
use crate::threads::warp::{from_lane, warp_ballot};
use crate::Lit;
use crate::Own;
use core::hint::cold_path;
use cuda_std::thread;

/// A literal at a place of a nogood, or none. (Not an `Option`: the compiler would keep a register for what it leaves open, from the beginning
/// of the kernel to its end.)
#[derive(Clone, Copy)]
pub struct Found {
    /// Where; [`NONE`] if there is none.
    pub place: u32,
    /// Any, if there is none.
    pub lit: Lit,
}

impl Found {
    /// None, and any literal.
    #[inline(always)]
    pub fn none(any: Lit) -> Found {
        Found { place: NONE, lit: any }
    }

    /// Whether there is one.
    #[inline(always)]
    pub fn is_any(self) -> bool {
        self.place != NONE
    }
}

/// Groups of four literals that are looked at together. On a GPU a load takes as long as hundreds of additions, but many can be under way.
pub const GROUPS: usize = 2;

/// Literals of a nogood that are looked at together: what some groups of four have, from one of these on and around.
#[derive(Clone, Copy)]
pub struct Look {
    /// The first group,
    from: u32,
    /// and what that and those behind have.
    lits: [Lit; 4 * GROUPS],
}

impl Look {
    /// Asks for them, from the group of a place on. The nogood need not be looked at; then it may be any that there is.
    #[inline(always)]
    pub fn at(nogood: Nogood, place: u32) -> Look {
        Look::of_group(nogood, nogood.group_of(within(nogood, place)))
    }

    #[inline(always)]
    fn of_group(nogood: Nogood, from: u32) -> Look {
        let ([a, b, c, d], [e, f, g, h]) =
            (nogood.group_here(from), nogood.group_here(nogood.group_behind(from)));
        Look { from, lits: [a, b, c, d, e, f, g, h] }
    }

    /// The first of them that does not hold and is not `except`; and the group behind.
    #[inline(always)]
    fn find_not_held(&self, own: &Own, nogood: Nogood, held: Lit, except: Lit) -> (Found, u32) {
        let values = self.lits.map(|lit| own.value.read_here(lit.var().0));
        let behind = nogood.group_behind(self.from);
        let mut found = Found::none(held);
        for i in (0..4 * GROUPS).rev() {
            let place = nogood.place(if i < 4 { self.from } else { behind }, i as u32 % 4);
            let (lit, value) = (self.lits[i], values[i]);
            let is_held = value != 0 && (value < 0) == lit.is_false_sign();
            if place < nogood.len && !is_held && lit != except {
                found = Found { place, lit };
            }
        }
        (found, nogood.group_behind(behind))
    }
}

/// A place of a nogood: this, if it is one, else the first.
#[inline(always)]
fn within(nogood: Nogood, place: u32) -> u32 {
    if place < nogood.len {
        place
    } else {
        0
    }
}

/// A literal of a nogood that does not hold and is not `except`, with its place, looked for from place `from` on and around: where the last one
/// was found, as literals before it mostly hold still (Gent 2013). `held` is any literal that holds.
#[inline(always)]
pub fn not_held(own: &Own, nogood: Nogood, from: u32, held: Lit, except: Lit) -> Found {
    match is_single() {
        true => not_held_by_one(own, nogood, from, held, except),
        false => look_for_not_held(own, nogood, Look::at(nogood, from), held, except),
    }
}

/// The same for one thread, which takes one after the other.
#[inline(always)]
pub fn not_held_by_one(own: &Own, nogood: Nogood, from: u32, held: Lit, except: Lit) -> Found {
    let from = within(nogood, from);
    let is_other = |&at: &u32| {
        let lit = nogood.lit(at);
        lit != except && status(own, lit) != Status::Held
    };
    let found = (from..nogood.len).find(is_other).or_else(|| (0..from).find(is_other));
    found.map_or(Found::none(held), |place| Found { place, lit: nogood.lit(place) })
}

/// The same for each lane that `asks`, from a look on; all nogoods are of one store. Called by all lanes of a warp: who has found something waits for the
/// others, so that they go on together. `helps`: at the literals of a long one that was not settled by that all lanes look, one nogood after the other. (The code
/// for that is not wanted where it is seldom needed: fetching instructions is a part of what a round waits for.)
#[inline(always)]
pub fn not_held_by_warp(
    own: &Own,
    asks: bool,
    nogood: Nogood,
    look: Look,
    (held, except): (Lit, Lit),
    helps: bool,
) -> Found {
    let nogood = if asks { nogood } else { nogood.empty() };
    // Mostly the first look finds one; to begin a loop costs as much as half of it.
    let (mut found, next) = look.find_not_held(own, nogood, held, except);
    let mut left = left_behind(nogood.groups().1, found);
    let mut long = if helps { warp_ballot(left > LONG) } else { 0 };
    while long != 0 {
        cold_path();
        let lane = long.trailing_zeros();
        let (of, next) = (nogood.that_of(lane), from_lane(next, lane));
        let place = not_held_of_long(own, of, next, from_lane(left, lane), Lit(from_lane(except.0, lane)));
        if thread::thread_idx_x() % 32 == lane {
            left = 0;
            if place != NONE {
                found = Found { place, lit: nogood.lit(place) };
            }
        }
        long &= long - 1;
    }
    go_on(own, nogood, (held, except), (found, next, left), |goes_on| warp_ballot(goes_on) != 0)
}

/// A nogood with more groups left than this is long.
const LONG: u32 = 16;

/// The place of a literal that does not hold and is not `except`, or [`NONE`]: of so many groups of a nogood, from group `next` on and around. By all lanes of a
/// warp, for one nogood.
#[inline(always)]
fn not_held_of_long(own: &Own, nogood: Nogood, next: u32, left: u32, except: Lit) -> u32 {
    let mut behind = GROUPS as u32 * (thread::thread_idx_x() % 32);
    loop {
        let is_there = behind < left;
        let group = nogood.group_far_behind(next, if is_there { behind } else { 0 });
        let (found, _) = Look::of_group(nogood, group).find_not_held(own, nogood, except, except);
        let lanes = warp_ballot(is_there && found.is_any());
        if lanes != 0 {
            return from_lane(found.place, lanes.trailing_zeros());
        }
        behind += GROUPS as u32 * 32;
        if warp_ballot(behind < left) == 0 {
            return NONE;
        }
    }
}

/// How many of so many groups are left behind a look.
#[inline(always)]
fn left_behind(groups: u32, found: Found) -> u32 {
    if found.is_any() {
        0
    } else {
        groups.saturating_sub(GROUPS as u32)
    }
}

/// [`not_held`] from a look on, by each thread for itself.
#[inline(always)]
fn look_for_not_held(own: &Own, nogood: Nogood, look: Look, held: Lit, except: Lit) -> Found {
    let (found, next) = look.find_not_held(own, nogood, held, except);
    let left = left_behind(nogood.groups().1, found);
    go_on(own, nogood, (held, except), (found, next, left), |goes_on| goes_on)
}

/// Looks at what is left: so many groups from group `next` on and around, while `anybody` has some.
#[inline(always)]
fn go_on(
    own: &Own,
    nogood: Nogood,
    (held, except): (Lit, Lit),
    (mut found, mut next, mut left): (Found, u32, u32),
    anybody: impl Fn(bool) -> bool,
) -> Found {
    while anybody(left > 0) {
        if left > 0 {
            (found, next) = Look::of_group(nogood, next).find_not_held(own, nogood, held, except);
            left = left_behind(left, found);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use crate::hash::mix;
    use crate::nogood::learned_nogood;
    use crate::threads::testing::results;
    use crate::Var;
    use cuda_std::array::Array;
    use std::vec;
    use std::vec::Vec;

    #[test]
    fn what_does_not_hold_is_found() {
        for seed in 0..60u64 {
            // A nogood a lane, from none to long ones, one after the other.
            let len = |lane: u32| (mix(seed << 8 | lane as u64) % [9, 200, 1200][seed as usize % 3]) as u32;
            let from = |lane: u32| (0..lane).map(len).sum::<u32>();
            let total = from(32);
            // Few do not hold.
            let rare =
                |i: u32| mix(seed << 40 | i as u64).is_multiple_of([5, 150, 900][seed as usize / 3 % 3]);
            let mut values: Vec<i32> = (0..total).map(|i| if rare(i) { 0 } else { 1 }).collect();
            let mut lits: Vec<Lit> = (0..total).map(|i| Lit::t(Var(i))).collect();
            // Groups of the last one have more.
            lits.resize((total as usize).next_multiple_of(4) + 8, Lit::t(Var(0)));
            values.push(1);
            let (mut starts, mut lens): (Vec<u32>, Vec<u32>) =
                (0..32).map(|lane| (from(lane), len(lane))).unzip();
            let mut own = Own::default();
            // SAFETY: of memory that is there until the end of the loop.
            unsafe {
                own.value = Array::from_raw(values.as_mut_ptr(), values.len());
                own.learned_lit = Array::from_raw(lits.as_mut_ptr(), lits.len());
                own.learned_start = Array::from_raw(starts.as_mut_ptr(), starts.len());
                own.learned_len = Array::from_raw(lens.as_mut_ptr(), lens.len());
            }
            let asks = |lane: u32| len(lane) > 0 && !mix(seed << 9 | lane as u64).is_multiple_of(4);
            let begin = |lane: u32| (mix(seed << 10 | lane as u64) % (len(lane) + 3) as u64) as u32;
            let any = Lit::t(Var(0));
            let except =
                |lane: u32| if len(lane) > 0 { lits[(from(lane) + begin(lane) / 2) as usize] } else { any };
            let found = results(32, seed, |lane| {
                let nogood = learned_nogood(&own, lane);
                let look = Look::at(nogood, begin(lane));
                let found = not_held_by_warp(
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
            }
        }
    }
}
