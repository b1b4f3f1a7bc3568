//! Flat lists of rows: `Csr` (rows of numbers) and `LitRows` (rows of literals), and a set of distinct rows.
//!
//! Main functions: [`Csr::from_pairs`], [`UniqueRows::intern`]. Nothing here allocates per row, so that a program
//! of millions of rules is a handful of vectors.
//!
//! Invariant: `start` has one entry more than there are rows, and starts with 0. Paper, section 5 (the CSR format).

use solver_gpu::Lit;

use super::Csr;

impl Csr {
    /// Groups `(row, item)` pairs by row; items of a row keep the order of the pairs. The iterator runs twice.
    pub fn from_pairs(rows: usize, pairs: impl Iterator<Item = (usize, u32)> + Clone) -> Csr {
        let mut start = vec![0u32; rows + 1];
        for (row, _) in pairs.clone() {
            start[row + 1] += 1;
        }
        for row in 0..rows {
            start[row + 1] += start[row];
        }
        let mut items = vec![0; start[rows] as usize];
        // `start[row]` serves as the place of the row's next item, which leaves it at the row's end: shift back.
        for (row, item) in pairs {
            items[start[row] as usize] = item;
            start[row] += 1;
        }
        for row in (0..rows).rev() {
            start[row + 1] = start[row];
        }
        start[0] = 0;
        Csr { start, items }
    }

    /// The items of row `i`.
    pub fn row(&self, i: usize) -> &[u32] {
        &self.items[self.start[i] as usize..self.start[i + 1] as usize]
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.start.len().saturating_sub(1)
    }
}

/// Rows of literals that can grow at the end.
#[derive(Clone, Debug)]
pub(super) struct LitRows {
    /// Row boundaries.
    pub start: Vec<u32>,
    /// All rows, one after the other.
    pub lits: Vec<Lit>,
}

impl LitRows {
    pub fn new() -> LitRows {
        LitRows { start: vec![0], lits: Vec::new() }
    }

    pub fn len(&self) -> usize {
        self.start.len() - 1
    }

    pub fn row(&self, i: usize) -> &[Lit] {
        &self.lits[self.start[i] as usize..self.start[i + 1] as usize]
    }

    pub fn iter(&self) -> impl Iterator<Item = &[Lit]> + Clone {
        (0..self.len()).map(|i| self.row(i))
    }

    /// Appends a row. `limits` has made sure that the sum of all rows fits 32 bits.
    pub fn push(&mut self, row: &[Lit]) {
        self.lits.extend_from_slice(row);
        self.start.push(self.lits.len() as u32);
    }
}

/// Distinct rows of literals, numbered in the order they are first seen.
#[derive(Clone, Debug)]
pub(super) struct UniqueRows {
    /// The rows.
    pub rows: LitRows,
    /// Open addressing with linear probing. A power of two, at most half full. An entry has the number of a row in
    /// its low half and the hash's high half in its own: a probe touches a row only if it is almost surely equal.
    table: Vec<u64>,
}

const FREE: u64 = u64::MAX;
const HIGH: u64 = !(u32::MAX as u64);

impl UniqueRows {
    pub fn new() -> UniqueRows {
        UniqueRows { rows: LitRows::new(), table: vec![FREE; 16] }
    }

    /// None yet, with room for so many: growing costs as much as filling.
    pub fn with_room(rows: usize) -> UniqueRows {
        UniqueRows { rows: LitRows::new(), table: vec![FREE; (2 * rows + 1).next_power_of_two().max(16)] }
    }

    /// The number of `row`, which is added if it is new. Rows are compared literal by literal: sort them first.
    pub fn intern(&mut self, row: &[Lit]) -> u32 {
        if self.rows.len() * 2 >= self.table.len() {
            self.grow();
        }
        let hash = hash(row) & HIGH;
        let mut slot = self.slot(hash);
        while self.table[slot] != FREE {
            let id = self.table[slot] as u32;
            if self.table[slot] & HIGH == hash && self.rows.row(id as usize) == row {
                return id;
            }
            slot = (slot + 1) & (self.table.len() - 1);
        }
        let id = self.rows.len() as u32;
        self.table[slot] = hash | id as u64;
        self.rows.push(row);
        id
    }

    /// Where to look first: the topmost bits of the hash.
    fn slot(&self, hash: u64) -> usize {
        (hash >> (64 - self.table.len().trailing_zeros())) as usize
    }

    fn grow(&mut self) {
        let size = self.table.len() * 2;
        // Entries are moved in the order of the topmost bits, so that both tables are walked front to back.
        for entry in std::mem::replace(&mut self.table, vec![FREE; size]) {
            if entry != FREE {
                let mut slot = self.slot(entry);
                while self.table[slot] != FREE {
                    slot = (slot + 1) & (size - 1);
                }
                self.table[slot] = entry;
            }
        }
    }
}

/// Multiply and fold over the literals; the last step brings what the low bits know into the high half.
fn hash(row: &[Lit]) -> u64 {
    let mut h = row.len() as u64;
    for lit in row {
        h = (h.rotate_left(5) ^ lit.0 as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    h ^= h >> 32;
    h.wrapping_mul(0xd6e8_feb8_6659_fd93)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_grouped_in_order() {
        let csr = Csr::from_pairs(4, [(2, 7), (0, 1), (2, 5), (0, 9)].into_iter());
        assert_eq!(csr, Csr { start: vec![0, 2, 2, 4, 4], items: vec![1, 9, 7, 5] });
        assert_eq!((csr.rows(), csr.row(2)), (4, &[7, 5][..]));
        assert_eq!(Csr::from_pairs(0, [].into_iter()), Csr { start: vec![0], items: vec![] });
    }

    #[test]
    fn rows_are_unique() {
        let mut set = UniqueRows::new();
        let row = |i: u32| [Lit(i % 100), Lit(i % 70)];
        for i in 0..5000 {
            let id = set.intern(&row(i)) as usize;
            assert_eq!(set.rows.row(id), row(i));
        }
        assert_eq!(set.rows.len(), 700); // lcm(100, 70)
        assert_eq!((set.intern(&[]), set.intern(&[])), (700, 700));
    }
}
