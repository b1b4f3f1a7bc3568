//! From the numbers that files give to variables to the checker's literals.
//!
//! Main type: [`Numbers`]. Several numbers may stand for one literal: a definition that was made before names the
//! same thing.

use std::collections::HashMap;

use crate::trusted::lit::Lit;

/// The largest number of a variable.
pub const MAX_NUMBER: u32 = i32::MAX as u32;

/// A map from numbers to literals. Its memory is in proportion to the entries, whatever the numbers are.
#[derive(Debug, Default)]
pub struct Numbers {
    /// The literals of numbers that are small compared with the number of entries.
    near: Vec<Option<Lit>>,
    /// The literals of other numbers.
    far: HashMap<u32, Lit>,
    /// How many numbers have a literal.
    known: usize,
}

impl Numbers {
    /// The literal of a number, if it has one.
    pub fn get(&self, number: u32) -> Option<Lit> {
        match self.near.get(number as usize) {
            Some(&Some(lit)) => Some(lit),
            _ if self.far.is_empty() => None,
            _ => self.far.get(&number).copied(),
        }
    }

    /// Gives a literal to a number that has none.
    pub fn insert(&mut self, number: u32, lit: Lit) {
        self.known += 1;
        let number_index = number as usize;
        if number_index >= self.near.len() && number_index < 4 * self.known + 1024 {
            self.near.resize((number_index + 1).next_power_of_two(), None);
        }
        match self.near.get_mut(number_index) {
            Some(place) => *place = Some(lit),
            None => drop(self.far.insert(number, lit)),
        }
    }
}
