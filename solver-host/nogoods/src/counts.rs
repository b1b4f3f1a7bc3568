//! Counts as nogoods over auxiliary variables, so that learned nogoods can speak of parts of a count.
//!
//! Main function: [`write()`]. The literals of a count are the leaves of a balanced tree. A node has a variable for each
//! number that its parent needs, which holds if and only if so many leaves of the node hold (Bailleux and Boufkhad,
//! "Efficient CNF Encoding of Boolean Cardinality Constraints", 2003). Counts of the same literals share a tree.
//!
//! Invariant: each variable has one value in each answer set.

use solver_gpu::{Lit, Var};

use super::disjunctions::LONGEST_HEAD;
use super::meaning::{Meaning, Step};
use super::rules::Rules;
use super::store::Collector;
use super::sums::{Sum, SumStore};

/// What gets auxiliary variables.
#[derive(Clone, Copy, Debug)]
pub struct Auxiliaries {
    /// Disjunctive heads of more atoms than this.
    pub longest_head: u32,
    /// These counts.
    pub counts: Counted,
}

impl Auxiliaries {
    /// Long heads alone.
    pub const HEADS: Auxiliaries = Auxiliaries { longest_head: LONGEST_HEAD, counts: Counted::No };
}

/// Which counts get auxiliary variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// None.
    No,
    /// Those of 12 literals or more which three may decide, but not two, and a third of all may.
    Few,
    /// Those of `Few`, if they need no more than one new variable for sixteen others.
    Rare,
    /// Those whose atom is known to be true or false.
    Known,
    /// Those whose atom is on a positive loop.
    OnLoops,
    /// All.
    All,
}

/// The most variables, about, of counts of the same literals, and of all counts: if only some get variables, and else.
const MOST_OF_SOME: [i64; 2] = [3000, 1 << 17];
const MOST: [i64; 2] = [1 << 18, 1 << 24];

/// What is left of a sum, over literals whose values are open: `atom` holds if and only if the literals that hold weigh
/// `bound` or more.
#[derive(Debug)]
pub(super) struct Left {
    /// The number of the sum.
    pub number: usize,
    pub lits: Vec<(Lit, i64)>,
    pub bound: i64,
    pub atom: Lit,
    pub is_on_loop: bool,
}

impl Left {
    /// How many literals decide a count, at least.
    fn height(&self) -> i64 {
        self.bound.min(self.lits.len() as i64 - self.bound + 1)
    }

    /// Whether a count gets auxiliary variables.
    fn is_one_of(&self, which: Counted) -> bool {
        match which {
            Counted::No => false,
            Counted::Few | Counted::Rare => {
                self.height() >= 3 && self.lits.len() as i64 >= 12.max(3 * self.height())
            }
            Counted::Known => self.atom.is_constant(),
            Counted::OnLoops => self.is_on_loop,
            Counted::All => true,
        }
    }
}

/// Writes what is left of sums: counts with auxiliary variables as nogoods, the others as sums. The first new variable has
/// the number `vars`; returns how many there are then.
pub(super) fn write(
    mut left: Vec<Left>,
    which: Counted,
    rules: &Rules,
    vars: u32,
    (nogoods, sums): (&mut Collector, &mut SumStore),
    meaning: &mut Meaning,
) -> u32 {
    let mut writer = Writer { vars, nogoods, meaning };
    let is_count = |sum: &Left| rules.sums[sum.number].lits.iter().all(|&(_, weight)| weight == 1);
    let wanted = left.iter().filter(|sum| sum.is_one_of(which) && is_count(sum));
    let variables: i64 = wanted.map(|count| count.height() * count.lits.len() as i64).sum();
    if which != Counted::No && (which != Counted::Rare || variables <= i64::from(vars) / 16) {
        left.sort_by(|a, b| (&a.lits, a.bound).cmp(&(&b.lits, b.bound)));
        let is_some = matches!(which, Counted::Few | Counted::Rare);
        let [most, mut room] = if is_some { MOST_OF_SOME } else { MOST };
        let mut others = Vec::new();
        for same in left.chunk_by(|a, b| a.lits == b.lits) {
            let size = same[0].lits.len() as i64;
            // The tree has all numbers from the least bound to the largest, of which one needs most.
            let middle = (size / 2 + 1).clamp(same[0].bound, same[same.len() - 1].bound);
            let variables = middle.min(size - middle + 1).saturating_mul(size);
            if variables <= most.min(room)
                && same.iter().all(is_count)
                && same.iter().any(|count| count.is_one_of(which))
            {
                room -= variables;
                writer.tree(&rules.sums, same);
            } else {
                others.extend(same.iter().map(|sum| sum.number));
            }
        }
        others.sort_unstable();
        left.retain(|sum| others.binary_search(&sum.number).is_ok());
        left.sort_by_key(|sum| sum.number);
    }
    left.iter().for_each(|sum| sums.define(sum.atom, sum.bound, &sum.lits));
    writer.vars
}

/// A node of the tree.
struct Node {
    /// How many leaves it has.
    size: usize,
    /// The least number that has a literal. The others follow.
    low: usize,
    outs: Vec<Lit>,
}

impl Node {
    /// The literal that says that `count` or more leaves hold.
    fn at(&self, count: usize) -> Lit {
        match count {
            0 => Lit::TRUE,
            _ if count > self.size => Lit::FALSE,
            _ => self.outs[count - self.low],
        }
    }
}

/// Writes trees.
struct Writer<'a> {
    vars: u32,
    nogoods: &'a mut Collector,
    meaning: &'a mut Meaning,
}

impl Writer<'_> {
    /// Writes the tree of counts of the same literals, the lowest bound first.
    fn tree(&mut self, whole: &[Sum], counts: &[Left]) {
        let (low, high) = (counts[0].bound as usize, counts[counts.len() - 1].bound as usize);
        let names = |lits: &[(Lit, i64)]| lits.iter().map(|&(lit, _)| lit).collect::<Vec<_>>();
        let root = self.node(&names(&counts[0].lits), low, high);
        for count in counts {
            let out = root.at(count.bound as usize);
            if self.meaning.is_wanted() {
                // In a proof, literals count as well whose values are known.
                let sum = &whole[count.number];
                let step = self.meaning.fresh(1);
                self.meaning.step(Step::Count(step, sum.bound), &names(&sum.lits));
                self.meaning.are_equal(Lit::t(step), self.meaning.of(out));
            }
            self.push(&[count.atom, !out]);
            self.push(&[!count.atom, out]);
        }
    }

    /// A node, of which the numbers from `low` to `high` are needed.
    fn node(&mut self, lits: &[Lit], low: usize, high: usize) -> Node {
        let size = lits.len();
        if let [lit] = lits {
            return Node { size, low: 1, outs: vec![*lit] };
        }
        let (left, right) = lits.split_at(size / 2);
        let (a, b) = (left.len(), right.len());
        let left = self.node(left, low.saturating_sub(b).max(1), high.min(a));
        let right = self.node(right, low.saturating_sub(a).max(1), high.min(b));
        let outs: Vec<Lit> = (low..=high).map(|count| self.introduce(count, lits)).collect();
        for (count, &out) in (low..).zip(&outs) {
            // So many on the left and the rest on the right are enough. With one less on each side they are not.
            for i in count.saturating_sub(b)..=a.min(count) {
                self.push(&[left.at(i), right.at(count - i), !out]);
            }
            for i in (count - 1).saturating_sub(b)..=a.min(count - 1) {
                self.push(&[out, !left.at(i + 1), !right.at(count - i)]);
            }
        }
        outs.windows(2).for_each(|pair| self.push(&[pair[1], !pair[0]]));
        Node { size, low, outs }
    }

    /// A new variable, which says that `count` or more of the literals hold.
    fn introduce(&mut self, count: usize, lits: &[Lit]) -> Lit {
        self.meaning.count(count as i64, lits);
        self.vars += 1;
        Lit::t(Var(self.vars - 1))
    }

    fn push(&mut self, lits: &[Lit]) {
        if let Some(rest) = self.nogoods.push_rest(lits) {
            self.meaning.nogood(&rest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::NogoodStore;

    /// Whether unit propagation finds no conflict. `values` has for each variable whether it holds, if that is known.
    fn propagate(nogoods: &NogoodStore, values: &mut [Option<bool>]) -> bool {
        let of = |values: &[Option<bool>], lit: Lit| {
            values[lit.var().0 as usize].map(|value| value != lit.is_false_sign())
        };
        loop {
            let before = values.to_vec();
            for nogood in nogoods.ids().map(|id| nogoods.nogood(id)) {
                let mut rest = nogood.iter().filter(|&&lit| of(values, lit) != Some(true));
                match (rest.next(), rest.next()) {
                    (None, _) => return false,
                    (Some(lit), None) => values[lit.var().0 as usize] = Some(lit.is_false_sign()),
                    _ => {}
                }
            }
            if values == before {
                return true;
            }
        }
    }

    /// Whether each of the literals holds or not in a number of base 3; 2 is unknown.
    fn digits(number: usize, size: usize) -> Vec<Option<bool>> {
        (0..size as u32).map(|at| [Some(false), Some(true), None][number / 3usize.pow(at) % 3]).collect()
    }

    #[test]
    fn propagation_finds_what_follows_of_two_counts() {
        for size in 3..=6usize {
            for (first, second) in (1..=size).flat_map(|a| (a..=size).map(move |b| (a, b))) {
                let lits = || (0..size as u32).map(|v| (Lit::t(Var(v)), 1)).collect::<Vec<_>>();
                let atom = |at: usize| Lit::t(Var((size + at) as u32));
                let left = [first, second].into_iter().enumerate().map(|(number, bound)| Left {
                    number,
                    lits: lits(),
                    bound: bound as i64,
                    atom: atom(number),
                    is_on_loop: false,
                });
                let mut nogoods = Collector::new(true);
                let mut meaning = Meaning::default();
                let mut writer =
                    Writer { vars: size as u32 + 2, nogoods: &mut nogoods, meaning: &mut meaning };
                writer.tree(&[], &left.collect::<Vec<_>>());
                let vars = writer.vars;
                let nogoods = nogoods.finish(vars);
                for known in (0..3usize.pow(size as u32 + 2)).map(|number| digits(number, size + 2)) {
                    let mut values = known.clone();
                    values.resize(vars as usize, None);
                    let is_right = propagate(&nogoods, &mut values);
                    let true_ones = known[..size].iter().filter(|&&value| value == Some(true)).count();
                    let open = known[..size].iter().filter(|value| value.is_none()).count();
                    let mut least = true_ones;
                    let mut most = true_ones + open;
                    for (bound, value) in [(first, known[size]), (second, known[size + 1])] {
                        match value {
                            Some(true) => least = least.max(bound),
                            Some(false) => most = most.min(bound - 1),
                            None => {}
                        }
                    }
                    assert_eq!(is_right, least <= most, "{size} {first} {second} {known:?}");
                    if !is_right {
                        continue;
                    }
                    // Every value that all numbers from the least to the most have.
                    let forced = match (least - true_ones == open, most == true_ones) {
                        _ if open == 0 => None,
                        (true, _) => Some(true),
                        (_, true) => Some(false),
                        _ => None,
                    };
                    for (&known, &found) in known[..size].iter().zip(&values) {
                        assert_eq!(found, known.or(forced), "{size} {first} {second} {values:?}");
                    }
                    for (bound, found) in [(first, values[size]), (second, values[size + 1])] {
                        let expect =
                            if least >= bound { Some(true) } else { (most < bound).then_some(false) };
                        assert_eq!(found, expect, "{size} {first} {second} {values:?}");
                    }
                    if open == 0 {
                        assert!(values.iter().all(Option::is_some), "one value each: {values:?}");
                    }
                }
            }
        }
    }
}
