//! The nogoods of a backward check, each of which may be switched off and on again.
//!
//! Main type: [`Nogoods`]. A nogood is *marked* once something that is needed depends on it. Each literal has two lists
//! of nogoods that watch it: those that are marked are looked at first, as what follows from them costs nothing more.
//! (Heule, Hunt and Wetzler, "Trimming while checking clausal proofs", 2013.) Invariant: a nogood that is on and was not
//! satisfied or unit without assumptions when it was added watches its first two literals, as in
//! [`crate::propagate`].

use crate::trusted::lit::Lit;
use crate::trusted::{Assignment, Conflict};

/// What has made a literal hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cause {
    /// It was assumed.
    #[default]
    Assumed,
    /// A nogood.
    Nogood(Place),
    /// The sum with this number, once so many literals had been propagated.
    Sum(u32, u32),
    /// The goal, once so many literals had been propagated.
    Goal(u32),
}

/// The literals that hold, with their causes.
pub type Values = Assignment<Cause>;

/// Where a nogood is: the offset of its first word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place(u32);

/// The words before the literals: the owner; and the length with the flags.
pub const HEADER: usize = 2;
/// How many bits are flags.
const FLAGS: u32 = 3;
/// The nogood propagates.
const ON: u32 = 1;
/// The nogood is marked.
const MARKED: u32 = 2;
/// The nogood is of the program or of a definition.
const PERMANENT: u32 = 4;
/// In the place of a watch: the nogood has two literals.
const BINARY: u32 = 1 << 31;

/// An entry of a literal's list.
#[derive(Clone, Copy, Debug)]
struct Watch {
    /// The place, and perhaps `BINARY`.
    place: u32,
    /// Another literal of the nogood: the other one of two.
    blocker: Lit,
}

/// Which lists of a literal: those of marked nogoods, or the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// Marked and permanent nogoods.
    Marked = 0,
    /// The other nogoods.
    Others = 1,
}

/// The nogoods.
#[derive(Debug, Default)]
pub struct Nogoods {
    words: Vec<u32>,
    /// For each literal, by [`Which`].
    lists: [Vec<Vec<Watch>>; 2],
}

impl Nogoods {
    /// Makes room for a variable.
    pub fn add_variable(&mut self) {
        self.lists.iter_mut().for_each(|lists| lists.extend([Vec::new(), Vec::new()]));
    }

    /// Whether there is no room for another nogood of so many literals.
    pub fn is_full(&self, length: usize) -> bool {
        self.words.len() + length + HEADER >= BINARY as usize || length >= 1 << (32 - FLAGS)
    }

    /// Stores a nogood over different variables, which propagates once it is watched.
    pub fn add(&mut self, lits: &[Lit], owner: u32, is_permanent: bool) -> Place {
        let place = Place(self.words.len() as u32);
        let flags = ON | if is_permanent { PERMANENT | MARKED } else { 0 };
        self.words.extend([owner, (lits.len() as u32) << FLAGS | flags]);
        self.words.extend(lits.iter().map(|lit| lit.word()));
        place
    }

    fn state(&mut self, place: Place) -> &mut u32 {
        &mut self.words[place.0 as usize + 1]
    }

    /// The literals of a nogood.
    pub fn lits(&self, place: Place) -> impl Iterator<Item = Lit> + '_ {
        let start = place.0 as usize + HEADER;
        let length = (self.words[start - 1] >> FLAGS) as usize;
        self.words[start..start + length].iter().map(|&word| Lit::from_word(word))
    }

    /// Whose a nogood is: the number of a definition if it is permanent (0 for the program), otherwise its serial number.
    pub fn owner(&self, place: Place) -> (u32, bool) {
        let [owner, state] = [0, 1].map(|at| self.words[place.0 as usize + at]);
        (owner, state & PERMANENT != 0)
    }

    /// Marks a nogood.
    pub fn mark(&mut self, place: Place) {
        *self.state(place) |= MARKED;
    }

    /// Switches a nogood off.
    pub fn switch_off(&mut self, place: Place) {
        *self.state(place) &= !ON;
    }

    /// Switches a nogood on that no list has: call [`Nogoods::sweep`] after nogoods were switched off.
    pub fn switch_on(&mut self, place: Place, rank: impl Fn(Lit) -> u32) {
        *self.state(place) |= ON;
        self.watch(place, rank);
    }

    /// Puts a nogood into the lists of the two literals with the highest ranks: those that do not hold, or were the last
    /// ones that began to.
    pub fn watch(&mut self, place: Place, rank: impl Fn(Lit) -> u32) {
        let start = place.0 as usize + HEADER;
        let state = self.words[start - 1];
        let lits = &mut self.words[start..][..(state >> FLAGS) as usize];
        if lits.len() < 2 {
            return;
        }
        for first in 0..2 {
            let best = (first..lits.len()).max_by_key(|&at| rank(Lit::from_word(lits[at])));
            lits.swap(first, best.unwrap_or(first));
        }
        let binary = if lits.len() == 2 { BINARY } else { 0 };
        let [a, b] = [lits[0], lits[1]].map(Lit::from_word);
        let lists = &mut self.lists[if state & MARKED != 0 { 0 } else { 1 }];
        for (lit, blocker) in [(a, b), (b, a)] {
            lists[lit.index()].push(Watch { place: place.0 | binary, blocker });
        }
    }

    /// Takes nogoods that are off out of all lists.
    pub fn sweep(&mut self) {
        let words = &self.words;
        for list in self.lists.iter_mut().flatten() {
            list.retain(|watch| words[(watch.place & !BINARY) as usize + 1] & ON != 0);
        }
    }

    /// Propagates a literal that holds. `values.cause` is the nogood if there is a conflict.
    pub fn visit(&mut self, which: Which, lit: Lit, values: &mut Values) -> Result<(), Conflict> {
        let mut list = std::mem::take(&mut self.lists[which as usize][lit.index()]);
        let mut result = Ok(());
        let (mut at, mut kept) = (0, 0);
        while at < list.len() {
            let watch = list[at];
            at += 1;
            list[kept] = watch;
            kept += 1;
            if values.is_false(watch.blocker) {
                continue;
            }
            let start = (watch.place & !BINARY) as usize + HEADER;
            let state = self.words[start - 1];
            if state & ON == 0 {
                kept -= 1;
                continue;
            }
            let is_marked = state & MARKED != 0;
            let mut blocker = watch.blocker;
            let mut place_of_watch = None;
            if watch.place & BINARY == 0 {
                let lits = &mut self.words[start..][..(state >> FLAGS) as usize];
                if lits[0] == lit.word() {
                    lits.swap(0, 1);
                }
                blocker = Lit::from_word(lits[0]);
                list[kept - 1].blocker = blocker;
                if !values.is_false(blocker) {
                    place_of_watch = (2..lits.len()).find(|&at| !values.is_true(Lit::from_word(lits[at])));
                    if let Some(other) = place_of_watch {
                        lits.swap(1, other);
                        let lists = &mut self.lists[if is_marked { 0 } else { 1 }];
                        lists[Lit::from_word(lits[1]).index()].push(Watch { blocker, ..watch });
                        kept -= 1;
                    }
                }
            }
            if place_of_watch.is_some() {
                continue;
            }
            if is_marked && which == Which::Others {
                // It was marked after it got into this list.
                self.lists[0][lit.index()].push(Watch { blocker, ..watch });
                kept -= 1;
            }
            if !values.is_false(blocker) {
                values.cause = Cause::Nogood(Place((start - HEADER) as u32));
                result = values.assign(!blocker);
                if result.is_err() {
                    break;
                }
            }
        }
        list.copy_within(at.., kept);
        list.truncate(kept + list.len() - at);
        self.lists[which as usize][lit.index()] = list;
        result
    }
}
