//! Unit propagation over nogoods.
//!
//! Main type: [`Nogoods`]. A nogood of two literals lies in a list of each. A longer one *watches* its first
//! two literals (Moskewicz et al., "Chaff", 2001). Invariant: once all literals are propagated, a nogood has
//! a literal that does not hold as its watched ones, or a false one.

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
    /// Where the nogood's literals begin.
    start: u32,
    /// Another literal of the nogood. If it is false, the nogood need not be looked at.
    blocker: Lit,
}

/// The nogoods of two or more literals.
#[derive(Debug, Default)]
pub struct Nogoods {
    /// For each literal the other literals of its nogoods of two.
    binary: Vec<Vec<Lit>>,
    /// For each literal the longer nogoods that watch it. Removed ones are still in the lists.
    watches: Vec<Vec<Watch>>,
    /// By the numbers of longer nogoods where their literals begin; 0 for numbers that are free.
    starts: Vec<u32>,
    /// The length of each longer nogood, 0 once it is removed, and then its literals.
    words: Vec<u32>,
    /// Numbers of removed nogoods that no list has any more.
    free: Vec<u32>,
    /// How many of `words` are of removed nogoods.
    wasted: usize,
}

/// From how many wasted words on the memory is cleaned.
const MANY: usize = 1 << 14;

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
        // A nogood that has no room is not used. What follows without it is right.
        let Ok(start) = u32::try_from(self.words.len() + 1) else { return Handle::Nowhere };
        self.words.push(lits.len() as u32);
        self.words.extend(lits.iter().map(|lit| lit.word()));
        let number = match self.free.pop() {
            Some(number) => {
                self.starts[number as usize] = start;
                number
            }
            None => {
                self.starts.push(start);
                self.starts.len() as u32 - 1
            }
        };
        for (lit, blocker) in [(lits[0], lits[1]), (lits[1], lits[0])] {
            self.watches[lit.index()].push(Watch { start, blocker });
        }
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
                let length = &mut self.words[self.starts[number as usize] as usize - 1];
                self.wasted += 1 + *length as usize;
                *length = 0;
                if self.wasted > MANY && self.wasted > self.words.len() / 2 {
                    self.clean();
                }
            }
        }
    }

    /// Frees the memory of removed nogoods.
    fn clean(&mut self) {
        let old = &mut self.words;
        for list in &mut self.watches {
            list.retain(|watch| old[watch.start as usize - 1] > 0);
        }
        self.free.clear();
        let mut words = Vec::with_capacity(old.len() - self.wasted);
        for (place, number) in self.starts.iter_mut().zip(0..) {
            let start = *place as usize;
            let length = if start > 0 { old[start - 1] } else { 0 };
            if length == 0 {
                *place = 0;
                self.free.push(number);
                continue;
            }
            words.extend_from_slice(&old[start - 1..start + length as usize]);
            // The new place is left where the length was.
            *place = words.len() as u32 - length;
            old[start - 1] = *place;
        }
        for watch in self.watches.iter_mut().flatten() {
            watch.start = old[watch.start as usize - 1];
        }
        (self.words, self.wasted) = (words, 0);
    }

    /// Looks at one nogood: if all of its literals but one hold, the complement of that one holds.
    pub fn follow(&self, handle: Handle, values: &mut Assignment) -> Result<(), Conflict> {
        let pair;
        let words = match handle {
            Handle::Nowhere => return Ok(()),
            Handle::Binary(a, b) => {
                pair = [a.word(), b.word()];
                &pair[..]
            }
            Handle::Long(number) => {
                let start = self.starts[number as usize] as usize;
                &self.words[start..start + self.words[start - 1] as usize]
            }
        };
        let mut others = words.iter().map(|&word| Lit::from_word(word)).filter(|&lit| !values.is_true(lit));
        match (others.next(), others.next()) {
            (None, _) => Err(Conflict),
            (Some(lit), None) if values.is_open(lit) => values.assign(!lit),
            _ => Ok(()),
        }
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
            let start = watch.start as usize;
            let length = self.words[start - 1] as usize;
            if length == 0 {
                kept -= 1;
                continue;
            }
            let lits = &mut self.words[start..start + length];
            if lits[0] == lit.word() {
                lits.swap(0, 1);
            }
            let other = Lit::from_word(lits[0]);
            list[kept - 1].blocker = other;
            if values.is_false(other) {
                continue;
            }
            match (2..length).find(|&k| !values.is_true(Lit::from_word(lits[k]))) {
                Some(k) => {
                    lits.swap(1, k);
                    self.watches[Lit::from_word(lits[1]).index()].push(Watch { blocker: other, ..watch });
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
