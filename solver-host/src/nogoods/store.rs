//! The nogoods in Compressed Sparse Row form, shortest first, with a map from literals to nogoods.
//!
//! Main functions: [`Collector::push`] and [`Collector::finish`]. Invariants: a nogood's literals are sorted and
//! distinct; nogoods of one length keep the order in which they were pushed; each length class is a range of ids, so
//! that the device runs one kernel a class without looking at lengths. Paper, section 5 (`Map`, nogoods by length).

use solver_gpu::Lit;

use super::rows::{LitRows, UniqueRows};
use super::rules::is_tautological;
use super::{Csr, NogoodStore};

/// Takes nogoods in any order.
pub(super) struct Collector {
    nogoods: UniqueRows,
    /// Whether equal nogoods and tautological ones (`{Tp, Fp}` is never violated) are left out.
    clean: bool,
    set: Vec<Lit>,
}

impl Collector {
    pub fn new(clean: bool) -> Collector {
        Collector { nogoods: UniqueRows::new(), clean, set: Vec::new() }
    }

    /// Adds a nogood; a literal that stands in it twice counts once.
    pub fn push(&mut self, lits: &[Lit]) {
        debug_assert!(lits.iter().all(|lit| !lit.is_constant()), "a constant in a nogood");
        self.set.clear();
        self.set.extend_from_slice(lits);
        self.set.sort_unstable();
        self.set.dedup();
        if self.clean && is_tautological(&self.set) {
            return;
        }
        // Of two literals there may be millions, and `finish` finds equal ones faster.
        if self.clean && self.set.len() != 2 {
            self.nogoods.intern(&self.set);
        } else {
            self.nogoods.rows.push(&self.set);
        }
    }

    /// Adds `{a, b}` without a look at the others: for pairs of two variables that are known to come only once.
    pub fn push_distinct(&mut self, a: Lit, b: Lit) {
        self.nogoods.rows.push(&[a.min(b), a.max(b)]);
    }

    /// Sorts the nogoods and makes the occurrence maps; literals are those of variables `0 .. vars`.
    pub fn finish(self, vars: u32) -> NogoodStore {
        let (mut start, mut lits) = sort_by_length(self.nogoods.rows);
        if self.clean {
            remove_equal_pairs(&mut start, &mut lits, vars);
        }
        let length = |i: usize| start[i + 1] - start[i];
        let nogoods = start.len() - 1;
        let shorter_than = |l: u32| first_that((0, nogoods), |i| length(i) >= l) as u32;
        let [units, binary_end, ternary_end] = [2, 3, 4].map(shorter_than);

        let occurrences = [(units, binary_end), (binary_end, ternary_end), (ternary_end, nogoods as u32)];
        let occurrences = occurrences.map(|(from, to)| {
            let row = |id: u32| &lits[start[id as usize] as usize..start[id as usize + 1] as usize];
            let pairs = (from..to).flat_map(|id| row(id).iter().map(move |lit| (lit.index(), id)));
            Csr::from_pairs(2 * vars as usize, pairs)
        });
        NogoodStore { start, lits, units, binary_end, ternary_end, occurrences }
    }
}

/// A counting sort: stable, and linear also with many long nogoods.
pub(super) fn sort_by_length(rows: LitRows) -> (Vec<u32>, Vec<Lit>) {
    let longest = rows.iter().map(<[Lit]>::len).max().unwrap_or(0);
    let by_length =
        Csr::from_pairs(longest + 1, rows.iter().enumerate().map(|(id, row)| (row.len(), id as u32)));
    let mut start = Vec::with_capacity(rows.len() + 1);
    let mut lits = Vec::with_capacity(rows.lits.len());
    start.push(0);
    for &id in &by_length.items {
        lits.extend_from_slice(rows.row(id as usize));
        start.push(lits.len() as u32);
    }
    (start, lits)
}

/// Leaves the first of equal nogoods of two literals alone. The nogoods are sorted by length.
fn remove_equal_pairs(start: &mut Vec<u32>, lits: &mut Vec<Lit>, vars: u32) {
    let length = |i: usize| start[i + 1] - start[i];
    let nogoods = start.len() - 1;
    let [from, to] = [2, 3].map(|l| first_that((0, nogoods), |i| length(i) >= l));
    let first = start[from] as usize;
    let pair = |i: usize| (lits[first + 2 * i], lits[first + 2 * i + 1]);
    let by_lit = Csr::from_pairs(2 * vars as usize, (0..to - from).map(|i| (pair(i).0.index(), i as u32)));
    // For each literal the last one that it stood beside; no literal has the index of `vars`.
    let mut beside = vec![2 * vars; 2 * vars as usize];
    let mut is_equal = vec![false; to - from];
    for a in 0..by_lit.rows() {
        for &i in by_lit.row(a) {
            let last = &mut beside[pair(i as usize).1.index()];
            is_equal[i as usize] = std::mem::replace(last, a as u32) == a as u32;
        }
    }
    let removed = is_equal.iter().filter(|&&is_equal| is_equal).count();
    if removed == 0 {
        return;
    }
    let (mut kept, end) = (first, start[to] as usize);
    for (i, _) in is_equal.iter().enumerate().filter(|(_, is_equal)| !**is_equal) {
        lits.copy_within(first + 2 * i..first + 2 * i + 2, kept);
        kept += 2;
    }
    lits.copy_within(end.., kept);
    lits.truncate(lits.len() - 2 * removed);
    // The boundaries of the pairs that are left are those of the first ones.
    start.drain(to - removed + 1..=to);
    start[to - removed + 1..].iter_mut().for_each(|at| *at -= 2 * removed as u32);
}

/// The first index in `from .. to` with a property that all later ones have, or `to`.
fn first_that((mut from, mut to): (usize, usize), has: impl Fn(usize) -> bool) -> usize {
    while from < to {
        let middle = from + (to - from) / 2;
        if has(middle) {
            to = middle;
        } else {
            from = middle + 1;
        }
    }
    from
}

impl NogoodStore {
    /// How many nogoods there are.
    pub fn len(&self) -> usize {
        self.start.len().saturating_sub(1)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The literals of nogood `i`.
    pub fn nogood(&self, i: usize) -> &[Lit] {
        &self.lits[self.start[i] as usize..self.start[i + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::Random;
    use super::*;

    #[test]
    fn classes_and_occurrences_agree_with_a_scan() {
        for seed in 0..100 {
            let mut random = Random(seed);
            let vars = 1 + random.below(8);
            let clean = random.below(2) == 0;
            let mut collector = Collector::new(clean);
            let mut pushed: Vec<Vec<Lit>> = Vec::new();
            for _ in 0..random.below(40) {
                let lits: Vec<Lit> =
                    (0..1 + random.below(6)).map(|_| Lit(random.below(2 * vars) as u32)).collect();
                collector.push(&lits);
                let mut set = lits;
                set.sort();
                set.dedup();
                if !clean || !set.iter().any(|&l| set.contains(&!l)) && !pushed.contains(&set) {
                    pushed.push(set);
                }
            }
            let store = collector.finish(vars as u32);
            pushed.sort_by_key(Vec::len); // stable
            let stored: Vec<Vec<Lit>> = (0..store.len()).map(|i| store.nogood(i).to_vec()).collect();
            assert_eq!(stored, pushed, "seed {seed}");
            let ends = [store.units, store.binary_end, store.ternary_end, store.len() as u32];
            for (i, nogood) in stored.iter().enumerate() {
                let class = nogood.len().min(4) - 1;
                assert_eq!(ends.iter().position(|&end| (i as u32) < end), Some(class), "seed {seed}");
            }
            for class in 1..4 {
                let map = &store.occurrences[class - 1];
                assert_eq!(map.rows(), 2 * vars);
                for lit in 0..2 * vars {
                    let scan: Vec<u32> = (ends[class - 1]..ends[class])
                        .filter(|&i| stored[i as usize].contains(&Lit(lit as u32)))
                        .collect();
                    assert_eq!(map.row(lit), scan, "seed {seed}");
                }
            }
        }
    }
}
