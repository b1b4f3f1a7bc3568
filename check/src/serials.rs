//! The serial numbers of nogoods.
//!
//! Main type: [`Serials`]. A proof may have any number of nogoods, of which few are left at a time.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::trusted::Handle;

/// What is left of the nogoods, by their serial numbers. Its memory is in proportion to the most that were
/// left at a time.
#[derive(Debug, Default)]
pub struct Serials {
    left: HashMap<usize, Handle, BuildHasherDefault<Spread>>,
    /// The serial number of the last nogood, or 0.
    last: usize,
}

impl Serials {
    /// Gives the next serial number to a nogood.
    pub fn push(&mut self, handle: Handle) {
        self.last += 1;
        if handle != Handle::NOWHERE {
            self.left.insert(self.last, handle);
        }
    }

    /// The serial number of the last nogood, or 0.
    pub fn last(&self) -> usize {
        self.last
    }

    /// The nogood with a serial number, if it is left.
    #[inline]
    pub fn get(&self, serial: i64) -> Option<Handle> {
        self.left.get(&usize::try_from(serial).ok()?).copied()
    }

    /// The same, which is not left from here on.
    pub fn take(&mut self, serial: i64) -> Option<Handle> {
        self.left.remove(&usize::try_from(serial).ok()?)
    }

    /// All that are left with larger numbers than `last`, which are not left from here on.
    pub fn take_after(&mut self, last: usize) -> Vec<Handle> {
        self.left.extract_if(|&serial, _| serial > last).map(|(_, handle)| handle).collect()
    }
}

/// Leaves numbers that follow on each other next to each other. Nobody gains by other numbers: a check would
/// only be slow.
#[derive(Default)]
struct Spread(u64);

impl Hasher for Spread {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_usize(byte.into()));
    }

    #[inline]
    fn write_usize(&mut self, number: usize) {
        // The table tells neighbours apart by the highest seven bits.
        self.0 = number as u64 | (number as u64) << 57;
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trusted::Nogoods;

    #[test]
    fn memory_is_in_proportion_to_what_is_left() {
        let (mut serials, mut nogoods) = (Serials::default(), Nogoods::default());
        let handles = [nogoods.store(&[]), nogoods.store(&[])];
        for serial in 1..=20_000 {
            serials.push(handles[serial as usize % 2]);
            assert_eq!(serials.get(serial), Some(handles[serial as usize % 2]));
            let gone = serial - 50;
            // One of a hundred stays.
            if gone % 100 != 0 {
                assert_eq!(serials.take(gone).is_some(), gone > 0);
            }
        }
        assert!(serials.left.capacity() < 2_000, "{}", serials.left.capacity());
        assert_eq!(serials.take_after(19_950).len(), 50);
        assert_eq!((serials.last(), serials.get(19_951), serials.get(0)), (20_000, None, None));
        assert_eq!(serials.get(19_900), Some(handles[0]));
    }
}
