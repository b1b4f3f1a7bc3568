//! Flat lists of rows: `Csr` (rows of numbers), `LitRows` (rows of literals) and `UniqueRows` (distinct rows
//! of literals).
//!
//! Main functions: [`Csr::from_pairs`]; [`UniqueRows::intern`] for rows that come one by one;
//! [`LitRows::unify`] for millions of rows at once. No row has an allocation of its own, so a program of
//! millions of rules is a handful of vectors.
//!
//! Invariant: `start` has one entry more than there are rows, and starts with 0. Paper, section 4 (the CSR
//! format).

use solver_gpu::Lit;

/// Rows of numbers in Compressed Sparse Row form: row `i` is `items[start[i] .. start[i + 1]]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Csr<T = u32> {
    /// Where the rows start. There is one entry more than rows.
    pub start: Vec<u32>,
    /// The items of all rows, one row after the other.
    pub items: Vec<T>,
}

impl<T: Copy + Default> Csr<T> {
    /// Groups `(row, item)` pairs by row. Items of a row keep the order of the pairs. The iterator runs
    /// twice.
    pub fn from_pairs(rows: usize, pairs: impl Iterator<Item = (usize, T)> + Clone) -> Csr<T> {
        let (start, items) = grouped(rows, pairs);
        Csr { start, items }
    }

    /// The items of row `i`.
    pub fn row(&self, i: usize) -> &[T] {
        &self.items[self.start[i] as usize..self.start[i + 1] as usize]
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.start.len().saturating_sub(1)
    }
}

/// Sorts `(row, item)` pairs by counting. Returns where each row starts, and all items.
fn grouped<T: Copy + Default>(
    rows: usize,
    pairs: impl Iterator<Item = (usize, T)> + Clone,
) -> (Vec<u32>, Vec<T>) {
    let mut start = vec![0u32; rows + 1];
    // `for_each` runs nested iterators as nested loops.
    pairs.clone().for_each(|(row, _)| start[row + 1] += 1);
    for row in 0..rows {
        start[row + 1] += start[row];
    }
    let mut items = vec![T::default(); start[rows] as usize];
    // `start[row]` serves as the position of the row's next item, and ends as the row's end: shift back.
    pairs.for_each(|(row, item)| {
        items[start[row] as usize] = item;
        start[row] += 1;
    });
    start.copy_within(..rows, 1);
    start[0] = 0;
    (start, items)
}

/// Rows of literals that can grow at the end.
#[derive(Clone, Debug)]
pub(super) struct LitRows {
    /// Where the rows start. There is one entry more than rows.
    pub start: Vec<u32>,
    /// The literals of all rows, one row after the other.
    pub lits: Vec<Lit>,
}

impl Default for LitRows {
    fn default() -> LitRows {
        LitRows::new()
    }
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

    pub fn last(&self) -> Option<&[Lit]> {
        self.len().checked_sub(1).map(|i| self.row(i))
    }

    pub fn iter(&self) -> impl Iterator<Item = &[Lit]> + Clone {
        (0..self.len()).map(|i| self.row(i))
    }

    /// No rows yet, with room for `rows` rows and `lits` literals.
    pub fn with_room(rows: usize, lits: usize) -> LitRows {
        let mut start = Vec::with_capacity(rows + 1);
        start.push(0);
        LitRows { start, lits: Vec::with_capacity(lits) }
    }

    /// Appends a row. `limits` has checked that the literals of all rows can be indexed by 32 bits.
    pub fn push(&mut self, row: &[Lit]) {
        self.lits.extend_from_slice(row);
        self.start.push(self.lits.len() as u32);
    }

    /// Removes rows that are equal to an earlier row. If there are any, returns the new number of each row.
    pub fn unify(&mut self) -> Option<Vec<u32>> {
        let equal = self.equal_to_earlier();
        if equal.is_empty() {
            return None;
        }
        let mut equal = equal.into_iter().peekable();
        let mut number: Vec<u32> = Vec::with_capacity(self.len());
        let (mut rows, mut lits) = (0, 0);
        for i in 0..self.len() {
            if let Some((_, first)) = equal.next_if(|&(row, _)| row as usize == i) {
                number.push(number[first as usize]);
                continue;
            }
            let row = self.start[i] as usize..self.start[i + 1] as usize;
            number.push(rows as u32);
            let length = row.len();
            self.lits.copy_within(row, lits);
            lits += length;
            rows += 1;
            // Row `i + 1` keeps its start: `rows` is less than `i + 1`, or nothing has moved.
            self.start[rows] = lits as u32;
        }
        self.start.truncate(rows + 1);
        self.lits.truncate(lits);
        Some(number)
    }

    /// The rows that are equal to an earlier row, in order, each with the first row that it is equal to.
    ///
    /// Rows are first distributed to heaps by their hashes: one table for all rows would not fit a cache, a
    /// table for one heap does.
    fn equal_to_earlier(&self) -> Vec<(u32, u32)> {
        let bits = (self.len() / HEAP).next_power_of_two().trailing_zeros();
        // With one heap nothing is shifted. A shift by all 64 bits is not defined.
        let heap_of = |hash: u64| hash.checked_shr(64 - bits).unwrap_or(0) as usize;
        let entries = self.iter().enumerate().map(|(i, row)| {
            let hash = hash(row);
            (heap_of(hash), hash & HIGH | i as u64)
        });
        let (start, entries) = grouped(1 << bits, entries);

        let mut equal = Vec::new();
        let mut table = Vec::new();
        for heap in start.windows(2).map(|pair| &entries[pair[0] as usize..pair[1] as usize]) {
            let size = (2 * heap.len()).next_power_of_two().max(2);
            table.clear();
            table.resize(size, FREE);
            for &entry in heap {
                let mut slot = ((entry << bits) >> (64 - size.trailing_zeros())) as usize;
                let row = |entry: u64| self.row(entry as u32 as usize);
                loop {
                    let other = table[slot];
                    if other == FREE {
                        table[slot] = entry;
                        break;
                    }
                    if other & HIGH == entry & HIGH && row(other) == row(entry) {
                        equal.push((entry as u32, other as u32));
                        break;
                    }
                    slot = (slot + 1) & (size - 1);
                }
            }
        }
        equal.sort_unstable();
        equal
    }
}

/// About how many rows a heap has, which are compared by one table.
const HEAP: usize = 1 << 12;

/// Distinct rows of literals, numbered in the order in which they are first seen.
#[derive(Clone, Debug)]
pub(super) struct UniqueRows {
    /// The distinct rows.
    pub rows: LitRows,
    /// A hash table with open addressing and linear probing. Its size is a power of two, and at most half of
    /// the table is full. An entry has the number of a row in its low half and the high half of the row's
    /// hash in its high half, so a probe reads a row only if the row is almost surely equal.
    table: Vec<u64>,
}

const FREE: u64 = u64::MAX;
const HIGH: u64 = !(u32::MAX as u64);

impl UniqueRows {
    pub fn new() -> UniqueRows {
        UniqueRows { rows: LitRows::new(), table: vec![FREE; 16] }
    }

    /// The number of `row`, if the row is known.
    pub fn find(&self, row: &[Lit]) -> Option<u32> {
        self.look_up(row, hash(row) & HIGH).ok()
    }

    /// The number of `row`, which is added if it is new. Rows are compared literal by literal, so the caller
    /// sorts them first.
    pub fn intern(&mut self, row: &[Lit]) -> u32 {
        if self.rows.len() * 2 >= self.table.len() {
            self.grow();
        }
        let hash = hash(row) & HIGH;
        self.look_up(row, hash).unwrap_or_else(|slot| {
            let id = self.rows.len() as u32;
            self.table[slot] = hash | id as u64;
            self.rows.push(row);
            id
        })
    }

    /// The number of `row`, or the free slot where the row belongs.
    fn look_up(&self, row: &[Lit], hash: u64) -> Result<u32, usize> {
        let mut slot = self.slot(hash);
        while self.table[slot] != FREE {
            let id = self.table[slot] as u32;
            if self.table[slot] & HIGH == hash && self.rows.row(id as usize) == row {
                return Ok(id);
            }
            slot = (slot + 1) & (self.table.len() - 1);
        }
        Err(slot)
    }

    /// The slot where a probe starts: the topmost bits of the hash.
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

/// The hash of a row: multiply and fold over the literals. The last step carries what the low bits depend on
/// into the high half.
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
        assert_eq!(Csr::<u32>::from_pairs(0, [].into_iter()), Csr { start: vec![0], items: vec![] });
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
        assert_eq!((set.find(&row(3)), set.find(&[Lit(1)])), (Some(3), None));
    }

    #[test]
    fn unified_rows_are_those_interned() {
        // Rows of up to three literals; with many different ones there is more than one heap.
        for (count, kinds) in [(0, 1), (1, 1), (50, 7), (1000, 1), (40_000, 30_000), (40_000, u32::MAX)] {
            let (mut rows, mut set) = (LitRows::new(), UniqueRows::new());
            let number: Vec<u32> = (0..count)
                .map(|i: u32| {
                    let kind = i.wrapping_mul(0x9e37_79b9) % kinds;
                    let row = &[Lit(kind), Lit(kind / 2), Lit(kind / 3)][..(kind % 4) as usize];
                    rows.push(row);
                    set.intern(row)
                })
                .collect();
            let unified = rows.unify();
            assert_eq!(unified.is_none(), set.rows.len() == count as usize);
            assert_eq!(unified.unwrap_or((0..count).collect()), number);
            assert_eq!((rows.start, rows.lits), (set.rows.start, set.rows.lits));
        }
    }
}
