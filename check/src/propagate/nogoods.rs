//! Unit propagation over nogoods.
//!
//! Main type: [`Nogoods`]. A nogood of two literals lies in a list of each. A longer one *watches* its first two
//! literals (Moskewicz et al., "Chaff", 2001). Invariant: once all literals are propagated, a nogood has a literal
//! that does not hold as its watched ones, or a false one.

use super::assignment::{Assignment, Conflict};
use crate::lit::Lit;

/// Where a nogood is, to remove it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handle {
    /// Nowhere: it was not stored.
    Nowhere,
    /// A nogood of two literals.
    Binary(Lit, Lit),
    /// The number of a longer one.
    Long(u32),
}

/// An entry of a literal's list of longer nogoods.
#[derive(Clone, Copy, Debug)]
struct Watch {
    number: u32,
    /// Another literal of the nogood. If it is false, the nogood need not be looked at.
    blocker: Lit,
}

/// Where a longer nogood's literals are. A removed one has none.
#[derive(Clone, Copy, Debug)]
struct Place {
    start: usize,
    length: usize,
}

/// The nogoods of two or more literals.
#[derive(Debug, Default)]
pub struct Nogoods {
    /// For each literal the other literals of its nogoods of two.
    binary: Vec<Vec<Lit>>,
    /// For each literal the longer nogoods that watch it. Removed ones are still in the lists.
    watches: Vec<Vec<Watch>>,
    places: Vec<Place>,
    lits: Vec<Lit>,
    /// Numbers of removed nogoods that no list has any more.
    free: Vec<u32>,
    /// How many of `lits` are of removed nogoods.
    wasted: usize,
}

/// From how many wasted literals on the memory is cleaned.
const MANY: usize = 1 << 20;

impl Nogoods {
    /// Makes room for a variable.
    pub fn add_variable(&mut self) {
        self.binary.extend([Vec::new(), Vec::new()]);
        self.watches.extend([Vec::new(), Vec::new()]);
    }

    /// Stores a nogood of two or more literals, of different variables. The first two are watched.
    pub fn store(&mut self, lits: &[Lit]) -> Handle {
        if let [a, b] = *lits {
            self.binary[a.index()].push(b);
            self.binary[b.index()].push(a);
            return Handle::Binary(a, b);
        }
        let place = Place { start: self.lits.len(), length: lits.len() };
        self.lits.extend_from_slice(lits);
        let number = match self.free.pop() {
            Some(number) => {
                self.places[number as usize] = place;
                number
            }
            None => {
                self.places.push(place);
                self.places.len() as u32 - 1
            }
        };
        self.watches[lits[0].index()].push(Watch { number, blocker: lits[1] });
        self.watches[lits[1].index()].push(Watch { number, blocker: lits[0] });
        Handle::Long(number)
    }

    /// Removes a nogood.
    pub fn remove(&mut self, handle: Handle) {
        match handle {
            Handle::Nowhere => {}
            Handle::Binary(a, b) => {
                for (from, other) in [(a, b), (b, a)] {
                    let list = &mut self.binary[from.index()];
                    if let Some(at) = list.iter().rposition(|&lit| lit == other) {
                        list.swap_remove(at);
                    }
                }
            }
            Handle::Long(number) => {
                let place = &mut self.places[number as usize];
                self.wasted += place.length;
                place.length = 0;
                if self.wasted > MANY && self.wasted > self.lits.len() / 2 {
                    self.clean();
                }
            }
        }
    }

    /// Frees the memory of removed nogoods.
    fn clean(&mut self) {
        let places = &self.places;
        for list in &mut self.watches {
            list.retain(|watch| places[watch.number as usize].length > 0);
        }
        self.free.clear();
        let mut lits = Vec::with_capacity(self.lits.len() - self.wasted);
        for (place, number) in self.places.iter_mut().zip(0..) {
            if place.length == 0 {
                self.free.push(number);
            }
            let start = lits.len();
            lits.extend_from_slice(&self.lits[place.start..place.start + place.length]);
            place.start = start;
        }
        (self.lits, self.wasted) = (lits, 0);
    }

    /// Propagates a literal that holds.
    pub fn visit(&mut self, lit: Lit, values: &mut Assignment) -> Result<(), Conflict> {
        for &other in &self.binary[lit.index()] {
            values.assign(!other)?;
        }
        let mut list = std::mem::take(&mut self.watches[lit.index()]);
        let mut result = Ok(());
        let mut kept = 0;
        for at in 0..list.len() {
            let watch = list[at];
            list[kept] = watch;
            kept += 1;
            if result.is_err() || values.is_false(watch.blocker) {
                continue;
            }
            let Place { start, length } = self.places[watch.number as usize];
            if length == 0 {
                kept -= 1;
                continue;
            }
            let lits = &mut self.lits[start..start + length];
            if lits[0] == lit {
                lits.swap(0, 1);
            }
            let other = lits[0];
            list[kept - 1].blocker = other;
            if values.is_false(other) {
                continue;
            }
            match (2..length).find(|&k| !values.is_true(lits[k])) {
                Some(k) => {
                    lits.swap(1, k);
                    self.watches[lits[1].index()].push(Watch { blocker: other, ..watch });
                    kept -= 1;
                }
                None => result = values.assign(!other),
            }
        }
        list.truncate(kept);
        self.watches[lit.index()] = list;
        result
    }
}
