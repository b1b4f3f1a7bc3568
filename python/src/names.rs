//! The numbers of a program's atoms: [`Names`].

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};
use yasmin::Atom;

/// The numbers of a program's atoms. A clone knows the atoms that are named later as well, so that an answer
/// set needs no copy.
#[derive(Clone, Default)]
pub struct Names(Arc<RwLock<Table>>);

#[derive(Default)]
struct Table {
    /// The atom of each number. A number has at most 28 bits.
    atoms: HashMap<u32, Atom>,
    /// The number of each atom, by the atom's index; 0 if it has none.
    numbers: Vec<u32>,
    /// Numbers that belong to another atom now, with the atoms that they belonged to.
    before: Vec<(u32, Atom)>,
}

impl Names {
    fn table(&self) -> RwLockReadGuard<'_, Table> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The atom with a number.
    pub fn atom(&self, number: u64) -> Option<Atom> {
        self.table().atoms.get(&u32::try_from(number).ok()?).copied()
    }

    /// The atom that had a number when there were so many atoms.
    pub fn atom_among(&self, number: u64, atoms: u32) -> Option<Atom> {
        let (number, table) = (u32::try_from(number).ok()?, self.table());
        let before = table.before.iter().rev().filter(|(other, _)| *other == number).map(|(_, atom)| atom);
        table.atoms.get(&number).into_iter().chain(before).find(|atom| atom.index() < atoms).copied()
    }

    /// The number of an atom.
    pub fn number(&self, atom: Atom) -> Option<i64> {
        let number = self.table().numbers.get(atom.index() as usize).copied();
        number.filter(|&number| number > 0).map(i64::from)
    }

    /// Gives an atom a number, which must have at most 28 bits and may have been another atom's.
    pub fn note(&self, number: u64, atom: Atom) {
        let (number, at) = (number as u32, atom.index() as usize);
        let mut table = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(before) = table.atoms.insert(number, atom) {
            table.before.push((number, before));
        }
        if table.numbers.len() <= at {
            table.numbers.resize(at + 1, 0);
        }
        table.numbers[at] = number;
    }

    /// All numbers, in order.
    pub fn all(&self) -> Vec<u64> {
        let mut all: Vec<u64> = self.table().atoms.keys().copied().map(u64::from).collect();
        all.sort_unstable();
        all
    }
}
