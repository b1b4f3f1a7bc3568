//! Which atoms are external, which rules define, and which were released: [`Declared`].
//!
//! clingo takes an atom that was released, and that a search has seen as false, out of its grounder. If the
//! program declares the atom again, it is another one.

use std::collections::HashSet;

/// What was declared of atoms, by their numbers.
#[derive(Default)]
pub struct Declared {
    /// A bit for each atom that is in the head of a rule.
    defined: Vec<u64>,
    external: HashSet<u64>,
    /// Those that were released since the last search.
    released: Vec<u64>,
    /// Those that were released before.
    gone: HashSet<u64>,
}

/// The word and the bit of a number.
fn place(number: u64) -> (usize, u64) {
    (number as usize / 64, 1 << (number % 64))
}

impl Declared {
    /// These atoms are in the head of a rule.
    pub fn define(&mut self, head: &[u64]) {
        for &number in head {
            let (word, bit) = place(number);
            if self.defined.len() <= word {
                self.defined.resize(word + 1, 0);
            }
            self.defined[word] |= bit;
        }
    }

    /// Whether an atom is in the head of a rule.
    pub fn is_defined(&self, number: u64) -> bool {
        let (word, bit) = place(number);
        self.defined.get(word).is_some_and(|word| word & bit != 0)
    }

    /// An atom is made external. A released one is not before a search has seen that it is false.
    pub fn external(&mut self, number: u64) {
        if !self.released.contains(&number) {
            self.external.insert(number);
        }
    }

    /// An external atom is released.
    pub fn release(&mut self, number: u64) {
        if self.external.remove(&number) && !self.is_defined(number) {
            self.released.push(number);
        }
    }

    /// A search begins.
    pub fn end_step(&mut self) {
        self.gone.extend(self.released.drain(..));
    }

    /// Whether an atom that is declared now was released before a search.
    pub fn comes_again(&mut self, number: u64) -> bool {
        self.gone.remove(&number)
    }

    /// Whether an atom is external, and no rule defines it.
    pub fn is_external(&self, number: u64) -> bool {
        self.external.contains(&number) && !self.is_defined(number)
    }
}
