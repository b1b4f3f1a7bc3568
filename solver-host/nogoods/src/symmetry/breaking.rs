//! Nogoods that exclude answer sets of which a symmetry makes another answer set that comes earlier.
//!
//! Main function: [`exclude`]. The atoms have an order, and answer sets are compared as words of their atoms,
//! false before true. Of the answer sets that symmetries map to each other the first one stays. For a
//! symmetry `g` the nogoods say `x <= g(x)` for the first atom `x`. They say the same for each further atom,
//! if all atoms before it are equal to their images (Crawford, Ginsberg, Luks and Roy, "Symmetry-breaking
//! predicates for search problems", KR 1996). For each vertex of the base they say that the vertex is not
//! true unless all are that it moves to (Devriendt, Bogaerts, Bruynooghe and Denecker, "Improved static
//! symmetry breaking for SAT", SAT 2016).
//!
//! Invariant: all nogoods are about one order of the atoms. Hence the first answer set of each orbit violates
//! none of them.

use super::generators::{Permutation, Symmetries};
use crate::Prepared;
use solver_gpu::{Lit, Var};
use std::collections::HashMap;

/// The most atoms of one symmetry that are compared. Later ones matter only if all before them are equal.
const LONGEST: usize = 60;

/// Adds the nogoods, and the auxiliary variables that they need, to a translated program. `order` has the
/// atoms in the order of those that are not in the base. Returns the number of nogoods.
pub fn exclude(order: &[Var], symmetries: &Symmetries, prepared: &mut Prepared) -> u64 {
    let mut rank: HashMap<u32, usize> = HashMap::new();
    let base = symmetries.base.iter().map(|(v, _)| *v);
    for atom in base.chain(order.iter().map(|atom| atom.0)) {
        let next = rank.len();
        rank.entry(atom).or_insert(next);
    }
    let mut nogoods = Nogoods { prepared, found: Vec::new() };
    for (v, moves) in &symmetries.base {
        for &w in moves {
            let (v, w) = (nogoods.literal(*v), nogoods.literal(w));
            nogoods.push(&[v, !w]);
        }
    }
    for permutation in &symmetries.generators {
        nogoods.first_of_two(permutation, &rank);
    }
    let Nogoods { found, .. } = nogoods;
    let count = found.len() as u64;
    prepared.exclude(found.into_iter());
    count
}

struct Nogoods<'a> {
    prepared: &'a mut Prepared,
    found: Vec<Vec<Lit>>,
}

impl Nogoods<'_> {
    fn literal(&self, atom: u32) -> Lit {
        self.prepared.literal_of(Lit::t(Var(atom)))
    }

    fn push(&mut self, lits: &[Lit]) {
        if !lits.contains(&Lit::FALSE) {
            self.found.push(lits.to_vec());
        }
    }

    /// Says that an answer set is not after its image.
    fn first_of_two(&mut self, permutation: &Permutation, rank: &HashMap<u32, usize>) {
        let mut pairs = permutation.clone();
        pairs.sort_unstable_by_key(|(x, _)| rank[x]);
        // A literal that holds if all atoms so far are equal to their images.
        let mut equal = Lit::TRUE;
        let mut known = Equal::default();
        let mut left = LONGEST;
        for (x, y) in pairs {
            if left == 0 || equal == Lit::FALSE {
                return;
            }
            // Some pairs are equal if all before them are.
            if !known.join(x, y) {
                continue;
            }
            let (x, y) = (self.literal(x), self.literal(y));
            if x != y {
                left -= 1;
                self.push(&[equal, x, !y]);
                equal = self.still_equal(equal, x, y, left == 0);
            }
        }
    }

    /// A literal that holds if `equal` and `x` is as `y`, where `equal` excludes that `x` holds and `y` does
    /// not.
    fn still_equal(&mut self, equal: Lit, x: Lit, y: Lit, is_last: bool) -> Lit {
        match (x, y) {
            _ if is_last => Lit::FALSE,
            (Lit::FALSE, Lit::TRUE) => Lit::FALSE,
            // Else the nogood before has excluded that they differ.
            (Lit::TRUE, _) | (_, Lit::FALSE) => equal,
            _ => {
                let still = Lit::t(self.prepared.another());
                self.push(&[equal, !y, !still]);
                self.push(&[equal, x, !still]);
                // So that the variable has one value in each answer set.
                self.push(&[still, !equal]);
                self.push(&[still, !x, y]);
                still
            }
        }
    }
}

/// Which atoms are equal if all pairs so far are.
#[derive(Default)]
struct Equal(HashMap<u32, u32>);

impl Equal {
    fn find(&self, mut atom: u32) -> u32 {
        while let Some(&other) = self.0.get(&atom) {
            atom = other;
        }
        atom
    }

    /// Makes two atoms equal. Returns whether they were not known to be.
    fn join(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        a != b && self.0.insert(a, b).is_none()
    }
}
