//! The keys of the chunks of candidates, and which of them is best.
//!
//! Main type: [`Tournament`]. The keys are the array `chunk_best` (see [`crate::kernels::decide`]). Where
//! many threads decide, there is a key for each [`CHUNK`] candidates, and the threads look at all of these
//! keys at once. A single thread looks at one candidate after the other. There, the array has a key for each
//! [`GROUP`] candidates, then a key for each [`GROUP`] of these keys, and so on up to a single key. This is a
//! tournament tree (Knuth 1998, section 5.2.3).
//!
//! Invariant: either all keys are [`UNKNOWN`], or the key of a chunk is at least the key of its best open
//! candidate, and every other key is the highest of the keys that it stands for.

use crate::layout::UNKNOWN;
use cuda_std::array::Array;

/// The number of candidates that share a key where many threads decide.
pub const CHUNK: u32 = 64;

/// The number of candidates, or of keys, that share a key where a single thread decides.
pub const GROUP: u32 = 16;

/// Returns how many keys there are for `candidates` candidates. `is_single` says that a single thread decides.
pub const fn keys_of(candidates: u32, is_single: bool) -> u32 {
    if !is_single {
        return candidates.div_ceil(CHUNK);
    }
    let mut row = candidates.div_ceil(GROUP);
    let mut keys = row;
    while row > 1 {
        row = row.div_ceil(GROUP);
        keys += row;
    }
    keys
}

/// The keys of a search in which a single thread decides.
#[derive(Clone, Copy)]
pub struct Tournament {
    /// The keys: those of the groups first, the highest of all last.
    keys: Array<u64>,
    /// How many candidates there are, which is at least 1.
    candidates: u32,
}

impl Tournament {
    /// The tournament whose keys are `keys`, of which there are [`keys_of`] the candidates.
    #[cuda_std::inlined]
    pub fn new(keys: Array<u64>, candidates: u32) -> Tournament {
        Tournament { keys, candidates }
    }

    /// Returns the highest of the keys that `open_key` returns for the candidates, or 0 if all are 0.
    ///
    /// `open_key` returns the key of an open candidate, and 0 for any other. `index` returns the candidate
    /// that a key names. A group is looked through if its key is the highest of all and no longer the key of
    /// the candidate that it names. That happens once after that candidate was assigned or got a lower key.
    #[cuda_std::inlined]
    pub fn best(&self, open_key: impl Fn(u32) -> u64, index: impl Fn(u64) -> u32) -> u64 {
        let last = self.keys.len() as u32 - 1;
        loop {
            let best = self.keys.read(last);
            if best == UNKNOWN {
                self.refresh_all(&open_key);
            } else if best == 0 || open_key(index(best)) == best {
                return best;
            } else {
                self.refresh(index(best) / GROUP, &open_key);
            }
        }
    }

    /// Raises the key of the group of candidate `i`, which is open and has the key `key` now.
    #[cuda_std::inlined]
    pub fn raise(&self, i: u32, key: u64) {
        let (mut at, mut from, mut row) = (i / GROUP, 0, self.candidates.div_ceil(GROUP));
        // A key that is high enough already stands below keys that are high enough.
        while self.keys.read(from + at) < key {
            self.keys.write(from + at, key);
            if row == 1 {
                break;
            }
            from += row;
            (at, row) = (at / GROUP, row.div_ceil(GROUP));
        }
    }

    /// Looks through group `group`, and brings the keys above it up to date.
    #[cuda_std::inlined]
    fn refresh(&self, group: u32, open_key: &impl Fn(u32) -> u64) {
        let (mut at, mut from, mut row) = (group, 0, self.candidates.div_ceil(GROUP));
        self.keys.write(at, self.best_of_group(group, open_key));
        while row > 1 {
            (at, from, row) = self.refresh_above(at / GROUP, from, row);
        }
    }

    /// Looks through all groups.
    #[cuda_std::inlined]
    fn refresh_all(&self, open_key: &impl Fn(u32) -> u64) {
        let (mut from, mut row) = (0, self.candidates.div_ceil(GROUP));
        for group in 0..row {
            self.keys.write(group, self.best_of_group(group, open_key));
        }
        while row > 1 {
            for at in 0..row.div_ceil(GROUP) {
                self.refresh_above(at, from, row);
            }
            (from, row) = (from + row, row.div_ceil(GROUP));
        }
    }

    /// Returns the best key of the open candidates of group `group`, or 0.
    #[cuda_std::inlined]
    fn best_of_group(&self, group: u32, open_key: &impl Fn(u32) -> u64) -> u64 {
        let end = self.candidates.min((group + 1) * GROUP);
        (group * GROUP..end).map(open_key).fold(0, u64::max)
    }

    /// Brings the key at `at` of a row of keys up to date. The row stands above the row of `row` keys that
    /// begins at `from`. Returns `at`, and where the row above begins and how long it is.
    #[cuda_std::inlined]
    fn refresh_above(&self, at: u32, from: u32, row: u32) -> (u32, u32, u32) {
        let end = row.min((at + 1) * GROUP);
        let best = (at * GROUP..end).map(|i| self.keys.read(from + i)).fold(0, u64::max);
        self.keys.write(from + row + at, best);
        (at, from + row, row.div_ceil(GROUP))
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use crate::hash::mix;
    use std::cell::{Cell, RefCell};
    use std::vec::Vec;

    /// Candidates with random keys, which name them, and their tournament.
    struct Candidates {
        key: RefCell<Vec<u64>>,
        is_open: RefCell<Vec<bool>>,
        keys: Vec<u64>,
        /// How often the key of a candidate was asked for.
        asked: Cell<u64>,
    }

    impl Candidates {
        fn new(n: u32) -> Candidates {
            let key = |i: u32| mix(i as u64) << 32 | i as u64;
            Candidates {
                key: RefCell::new((0..n).map(key).collect()),
                is_open: RefCell::new(std::vec![true; n as usize]),
                keys: std::vec![UNKNOWN; keys_of(n, true) as usize],
                asked: Cell::new(0),
            }
        }

        fn open_key(&self, i: u32) -> u64 {
            self.asked.set(self.asked.get() + 1);
            if self.is_open.borrow()[i as usize] {
                self.key.borrow()[i as usize]
            } else {
                0
            }
        }

        fn tournament(&mut self) -> Tournament {
            // SAFETY: the keys are used by this test's only thread, and outlive the tournament.
            let keys = unsafe { Array::from_raw(self.keys.as_mut_ptr(), self.keys.len()) };
            Tournament::new(keys, self.key.borrow().len() as u32)
        }
    }

    #[test]
    fn rows_end_in_a_single_key() {
        assert_eq!([1, 16, 17, 256, 257].map(|n| keys_of(n, true)), [1, 1, 3, 17, 17 + 2 + 1]);
        assert_eq!([0, 1, 64, 65, 4097].map(|n| keys_of(n, false)), [0, 1, 1, 2, 65]);
    }

    #[test]
    fn the_best_is_found_whatever_was_assigned_and_undone() {
        for n in [1, 63, 64, 65, 130, 4097, 5000] {
            let mut all = Candidates::new(n);
            let t = all.tournament();
            for step in 0..1000_u64 {
                let expected = (0..n).map(|i| all.open_key(i)).fold(0, u64::max);
                assert_eq!(t.best(|i| all.open_key(i), |key| key as u32), expected, "{n}, step {step}");
                if expected != 0 {
                    all.is_open.borrow_mut()[expected as u32 as usize] = false;
                }
                // The rank of an open candidate changes as its directives come into force.
                let i = mix(1 << 40 | step) as u32 % n;
                let changed = mix(1 << 41 | step) << 32 | i as u64;
                all.key.borrow_mut()[i as usize] = changed;
                t.raise(i, all.open_key(i));
                for j in 0..2 {
                    let i = mix(2 * step + j) as u32 % n;
                    let was_open = std::mem::replace(&mut all.is_open.borrow_mut()[i as usize], j == 0);
                    if j == 0 && !was_open {
                        // The rank has grown while the candidate was assigned.
                        all.key.borrow_mut()[i as usize] += 1 << 40;
                        t.raise(i, all.open_key(i));
                    }
                }
            }
        }
    }

    #[test]
    fn deciding_on_every_candidate_is_linear() {
        let asked = |n: u32| {
            let mut all = Candidates::new(n);
            let t = all.tournament();
            for _ in 0..n {
                let best = t.best(|i| all.open_key(i), |key| key as u32);
                all.is_open.borrow_mut()[best as u32 as usize] = false;
            }
            assert_eq!(t.best(|i| all.open_key(i), |key| key as u32), 0);
            all.asked.get()
        };
        let (some, twice) = (asked(20_000), asked(40_000));
        assert!(
            twice * 2 < some * 5,
            "{some} candidates were looked at for 20,000 decisions, {twice} for 40,000"
        );
    }
}
