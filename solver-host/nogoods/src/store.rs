//! The nogoods in Compressed Sparse Row form, shortest first, with a map from literals to nogoods.
//!
//! Main functions: [`Collector::push`] and [`Collector::finish`]. Invariants: a nogood's literals are sorted
//! and distinct. Nogoods of one length keep the order in which they were pushed. Each length class is a range
//! of numbers, so the device runs one kernel for each class without looking at lengths. Paper, section 4
//! (`Map`, nogoods by length).

use solver_gpu::Lit;

use super::lit_set::{is_tautological, load_set};
use super::rows::{Csr, LitRows, UniqueRows};
use yasmin_ground::ids::NogoodId;

/// Nogoods in Compressed Sparse Row form, sorted by length, so that a length class is a range of numbers.
#[derive(Clone, Debug, Default)]
pub struct NogoodStore {
    /// Where the nogoods start: nogood `i` is `lits[start[i] .. start[i + 1]]`.
    pub start: Vec<u32>,
    /// The literals of all nogoods, one nogood after the other.
    pub lits: Vec<Lit>,
    /// The end of the unit nogoods: nogoods `0 .. units` have one literal.
    pub units: u32,
    /// The end of the binary nogoods: nogoods `units .. binary_end` have two literals.
    pub binary_end: u32,
    /// The end of the ternary nogoods: nogoods `binary_end .. ternary_end` have three literals. All that
    /// follow have more.
    pub ternary_end: u32,
    /// For each literal the binary, the ternary and the long nogoods that contain the literal (the paper's
    /// `Map`).
    pub occurrences: [Csr; 3],
}

/// Collects nogoods in any order.
pub(crate) struct Collector {
    /// The nogoods of two literals. There may be millions, and equal ones are found by the map from literals
    /// that `finish` makes anyway.
    pairs: Vec<[Lit; 2]>,
    others: UniqueRows,
    /// Whether equal nogoods are kept once, and tautological ones (`{Tp, Fp}` is never violated) are left
    /// out.
    clean: bool,
    set: Vec<Lit>,
}

impl Collector {
    pub fn new(clean: bool) -> Collector {
        Collector { pairs: Vec::new(), others: UniqueRows::new(), clean, set: Vec::new() }
    }

    /// Adds a nogood. A literal that occurs twice counts once.
    pub fn push(&mut self, lits: &[Lit]) {
        debug_assert!(lits.iter().all(|lit| !lit.is_constant()), "a constant in a nogood");
        load_set(&mut self.set, lits);
        if self.clean && is_tautological(&self.set) {
            return;
        }
        match self.set[..] {
            [a, b] => self.pairs.push([a, b]),
            _ if self.clean => {
                self.others.intern(&self.set);
            }
            _ => self.others.rows.push(&self.set),
        }
    }

    /// Adds what is left of a nogood whose literals may be constants. Returns what was added: nothing of a nogood
    /// that nothing violates.
    pub fn push_rest(&mut self, lits: &[Lit]) -> Option<Vec<Lit>> {
        if lits.contains(&Lit::FALSE) {
            return None;
        }
        let rest: Vec<Lit> = lits.iter().copied().filter(|&lit| lit != Lit::TRUE).collect();
        self.push(&rest);
        Some(rest)
    }

    /// Sorts the nogoods and makes the occurrence maps. The literals must be those of variables `0 .. vars`.
    pub fn finish(mut self, vars: u32) -> NogoodStore {
        let (other_start, other_lits) = sort_by_length(self.others.rows);
        let others = other_start.len() - 1;
        let length = |i: usize| other_start[i + 1] - other_start[i];
        let [units, to_ternary] = [2, 4].map(|l| first_that((0, others), |i| length(i) >= l));

        let map_pairs = |pairs: &[[Lit; 2]]| {
            let items = (units as u32..).zip(pairs).flat_map(|(id, pair)| pair.map(|lit| (lit.index(), id)));
            Csr::from_pairs(2 * vars as usize, items)
        };
        let mut of_pairs = map_pairs(&self.pairs);
        if self.clean && remove_equal_pairs(&mut self.pairs, &of_pairs, units as u32) {
            of_pairs = map_pairs(&self.pairs);
        }

        let (pairs, first) = (self.pairs.len(), other_start[units]);
        let pair_lits = 2 * pairs as u32;
        let mut start = Vec::with_capacity(others + pairs + 1);
        start.extend_from_slice(&other_start[..units]);
        start.extend((0..pairs as u32).map(|i| first + 2 * i));
        start.extend(other_start[units..].iter().map(|at| at + pair_lits));
        let (shorter, longer) = other_lits.split_at(first as usize);
        let mut lits = self.pairs.into_flattened();
        lits.splice(0..0, shorter.iter().copied());
        lits.extend_from_slice(longer);

        let ends = [units, units + pairs, to_ternary + pairs].map(|end| end as u32);
        let mut store = NogoodStore { start, lits, ..NogoodStore::default() };
        store.index(ends, vars, Some(of_pairs));
        store
    }
}

/// Sorts rows by length. Sorting by counting is stable, and linear also with many long nogoods.
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

/// Removes pairs that are equal to an earlier pair. Returns whether there were any. `of` maps literals to
/// pairs, which are numbered from `first` on.
fn remove_equal_pairs(pairs: &mut Vec<[Lit; 2]>, of: &Csr, first: u32) -> bool {
    // For each literal the last smaller literal of a pair with it. At first that is the number of literals,
    // which no literal reaches.
    let mut beside = vec![of.rows() as u32; of.rows()];
    let mut equal = Vec::new();
    for a in 0..of.rows() as u32 {
        for i in of.row(a as usize).iter().map(|id| id - first) {
            let [smaller, larger] = pairs[i as usize];
            if smaller.0 == a && std::mem::replace(&mut beside[larger.index()], a) == a {
                equal.push(i);
            }
        }
    }
    equal.sort_unstable();
    let mut removed = equal.iter().copied().peekable();
    let mut i = 0..;
    pairs.retain(|_| removed.next_if_eq(&i.next().expect("there is no last number")).is_none());
    !equal.is_empty()
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
    /// The nogoods of two stores, those of one length together. `old` gives the literals of `first` their
    /// numbers, and keeps their order. The literals are those of variables `0 .. vars` then.
    pub(super) fn joined(
        first: &NogoodStore,
        old: impl Fn(Lit) -> Lit,
        second: &NogoodStore,
        vars: u32,
    ) -> NogoodStore {
        let mut store = NogoodStore {
            start: Vec::with_capacity(first.start.len() + second.len()),
            lits: Vec::with_capacity(first.lits.len() + second.lits.len()),
            ..NogoodStore::default()
        };
        store.start.push(0);
        let (mut left, mut right) = (first.ids().peekable(), second.ids().peekable());
        let length =
            |store: &NogoodStore, id: Option<&NogoodId>| id.map_or(usize::MAX, |&id| store.nogood(id).len());
        loop {
            let (of_left, of_right) = (length(first, left.peek()), length(second, right.peek()));
            let id = if of_left <= of_right { left.next() } else { right.next() };
            let Some(id) = id else { break };
            match of_left <= of_right {
                true => store.lits.extend(first.nogood(id).iter().map(|&lit| old(lit))),
                false => store.lits.extend_from_slice(second.nogood(id)),
            }
            store.start.push(store.lits.len() as u32);
        }
        let ends = [
            first.units + second.units,
            first.binary_end + second.binary_end,
            first.ternary_end + second.ternary_end,
        ];
        store.index(ends, vars, None);
        store
    }

    /// Notes where the classes of lengths end, and maps literals to nogoods; to those of two literals by a
    /// map that there is already, if there is.
    fn index(&mut self, [units, binary_end, ternary_end]: [u32; 3], vars: u32, of_pairs: Option<Csr>) {
        let map = |from: u32, to: u32| {
            let items = (from..to).flat_map(|id| {
                let row = self.nogood(NogoodId(id));
                row.iter().map(move |lit| (lit.index(), id))
            });
            Csr::from_pairs(2 * vars as usize, items)
        };
        let end = self.len() as u32;
        let of_pairs = of_pairs.unwrap_or_else(|| map(units, binary_end));
        self.occurrences = [of_pairs, map(binary_end, ternary_end), map(ternary_end, end)];
        (self.units, self.binary_end, self.ternary_end) = (units, binary_end, ternary_end);
    }

    /// How many nogoods there are.
    pub fn len(&self) -> usize {
        self.start.len().saturating_sub(1)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The nogoods of two literals, in the order of their numbers.
    pub fn pairs(&self) -> &[[Lit; 2]] {
        let [from, to] = [self.units, self.binary_end].map(|id| self.start[id as usize] as usize);
        self.lits[from..to].as_chunks().0
    }

    /// The numbers of all nogoods, in order.
    pub fn ids(&self) -> impl Iterator<Item = NogoodId> + Clone {
        (0..self.len()).map(NogoodId::new)
    }

    /// The literals of nogood `id`.
    pub fn nogood(&self, id: NogoodId) -> &[Lit] {
        &self.lits[self.start[id.index()] as usize..self.start[id.index() + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::Random;
    use super::*;

    #[test]
    fn classes_and_occurrences_agree_with_a_scan() {
        for seed in yasmin_seeds::seeds(100) {
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
            let stored: Vec<Vec<Lit>> = store.ids().map(|id| store.nogood(id).to_vec()).collect();
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
