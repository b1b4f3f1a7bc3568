//! Looking for a literal of a nogood that does not hold.

use crate::assign::{status, Status};
use crate::layout::NONE;
use crate::nogood::Nogood;
use crate::threads::stride::is_single;
use crate::threads::warp::{from_lane, warp_ballot};
use crate::{Lit, Search};
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
    fn find(&self, s: &Search, nogood: Nogood, held: Lit, except: Lit) -> (Found, u32) {
        let values = self.lits.map(|lit| s.own.value.read_here(lit.var().0));
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
pub fn not_held(s: &Search, nogood: Nogood, from: u32, held: Lit, except: Lit) -> Found {
    match is_single() {
        true => not_held_by_one(s, nogood, from, held, except),
        false => look_for_not_held(s, nogood, Look::at(nogood, from), held, except),
    }
}

/// The same for one thread, which takes one after the other.
#[inline(always)]
pub fn not_held_by_one(s: &Search, nogood: Nogood, from: u32, held: Lit, except: Lit) -> Found {
    let from = within(nogood, from);
    let is_other = |&at: &u32| {
        let lit = nogood.lit(at);
        lit != except && status(s, lit) != Status::Held
    };
    let found = (from..nogood.len).find(is_other).or_else(|| (0..from).find(is_other));
    found.map_or(Found::none(held), |place| Found { place, lit: nogood.lit(place) })
}

/// The same for each lane that `asks`, from a look on; all nogoods are of one store. Called by all lanes of a warp: who has found something waits for the
/// others, so that they go on together. `helps`: at the literals of a long one that was not settled by that all lanes look, one nogood after the other. (The code
/// for that is not wanted where it is seldom needed: fetching instructions is a part of what a round waits for.)
#[inline(always)]
pub fn not_held_by_warp(
    s: &Search,
    asks: bool,
    nogood: Nogood,
    look: Look,
    (held, except): (Lit, Lit),
    helps: bool,
) -> Found {
    let nogood = if asks { nogood } else { nogood.empty() };
    // Mostly the first look finds one; to begin a loop costs as much as half of it.
    let (mut found, next) = look.find(s, nogood, held, except);
    let mut left = left_behind(nogood.groups().1, found);
    let mut long = if helps { warp_ballot(left > LONG) } else { 0 };
    while long != 0 {
        cold_path();
        let lane = long.trailing_zeros();
        let (of, next) = (nogood.that_of(lane), from_lane(next, lane));
        let place = not_held_of_long(s, of, next, from_lane(left, lane), Lit(from_lane(except.0, lane)));
        if thread::thread_idx_x() % 32 == lane {
            left = 0;
            if place != NONE {
                found = Found { place, lit: nogood.lit(place) };
            }
        }
        long &= long - 1;
    }
    go_on(s, nogood, (held, except), (found, next, left), |goes_on| warp_ballot(goes_on) != 0)
}

/// A nogood with more groups left than this is long.
const LONG: u32 = 16;

/// The place of a literal that does not hold and is not `except`, or [`NONE`]: of so many groups of a nogood, from group `next` on and around. By all lanes of a
/// warp, for one nogood.
#[inline(always)]
fn not_held_of_long(s: &Search, nogood: Nogood, next: u32, left: u32, except: Lit) -> u32 {
    let mut behind = GROUPS as u32 * (thread::thread_idx_x() % 32);
    loop {
        let is_there = behind < left;
        let group = nogood.group_far_behind(next, if is_there { behind } else { 0 });
        let (found, _) = Look::of_group(nogood, group).find(s, nogood, except, except);
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
fn look_for_not_held(s: &Search, nogood: Nogood, look: Look, held: Lit, except: Lit) -> Found {
    let (found, next) = look.find(s, nogood, held, except);
    let left = left_behind(nogood.groups().1, found);
    go_on(s, nogood, (held, except), (found, next, left), |goes_on| goes_on)
}

/// Looks at what is left: so many groups from group `next` on and around, while `anybody` has some.
#[inline(always)]
fn go_on(
    s: &Search,
    nogood: Nogood,
    (held, except): (Lit, Lit),
    (mut found, mut next, mut left): (Found, u32, u32),
    anybody: impl Fn(bool) -> bool,
) -> Found {
    while anybody(left > 0) {
        if left > 0 {
            (found, next) = Look::of_group(nogood, next).find(s, nogood, held, except);
            left = left_behind(left, found);
        }
    }
    found
}
