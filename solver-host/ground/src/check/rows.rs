//! Rows of items behind one another in one vector.
//!
//! Main function: [`Rows::new`]. Invariant: `start` has one entry more than there are rows, and starts with
//! 0.

/// Row `i` is `items[start[i] .. start[i + 1]]`.
#[derive(Clone, Debug)]
pub(super) struct Rows<T> {
    start: Vec<u32>,
    items: Vec<T>,
}

impl<T: Copy + Default> Rows<T> {
    /// Groups pairs of a row and an item by rows. `pairs` hands each pair to the function that it is given,
    /// in the same order each of the two times that it is called.
    ///
    /// # Panics
    /// If there are 2^32 pairs or more. No search takes a program with as many literals.
    pub fn new(rows: usize, pairs: impl Fn(&mut dyn FnMut(usize, T))) -> Rows<T> {
        let mut start = vec![0u32; rows + 1];
        let mut count = 0u64;
        pairs(&mut |row, _| {
            start[row] += 1;
            count += 1;
        });
        assert!(count <= u32::MAX as u64, "a program with {count} literals in one table");
        // Each start becomes the end of its row, and filling the rows from their ends moves it back.
        let mut end = 0;
        for start in &mut start {
            end += *start;
            *start = end;
        }
        let mut items = vec![T::default(); count as usize];
        pairs(&mut |row, item| {
            start[row] -= 1;
            items[start[row] as usize] = item;
        });
        Rows { start, items }
    }

    /// The items of row `i`, last one first.
    pub fn row(&self, i: usize) -> &[T] {
        &self.items[self.start[i] as usize..self.start[i + 1] as usize]
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.start.len() - 1
    }
}
