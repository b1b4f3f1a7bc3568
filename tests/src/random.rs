//! Random small programs: the same seed gives the same program everywhere.
//!
//! Main function: [`generate`]; [`Knobs::varied`] turns the knobs by seed, so that a range of seeds covers tight and
//! non-tight programs, few and many rules, little and much negation.
//!
//! Invariant: the random numbers are PCG's (`Lcg64Xsh32`), and what is made of them is written here with integers
//! only, so that a seed printed by a failing test means the same program in another version of `rand`.

use rand_pcg::rand_core::{RngCore, SeedableRng};
use rand_pcg::Pcg32;

use crate::Spec;

/// What kind of program to make. Chances are in percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Knobs {
    /// How many atoms.
    pub atoms: usize,
    /// How many rules, constraints and facts included.
    pub rules: usize,
    /// The longest body.
    pub longest_body: usize,
    /// Chance that a body literal is negative.
    pub negation: u32,
    /// Chance that a rule is a constraint.
    pub constraints: u32,
    /// Chance that a rule is a fact.
    pub facts: u32,
    /// Chance that a rule's positive body begins with the head of the rule before, which makes chains that close
    /// to loops.
    pub chaining: u32,
    /// How many pairs `a :- not b. b :- not a.` to begin with, which make for several answer sets.
    pub pairs: usize,
    /// Chance that a body literal `not h` in a rule for `h` stays; such rules rarely leave an answer set.
    pub odd: u32,
    /// Whether positive body atoms must be smaller than the head, so that the program is tight.
    pub tight: bool,
}

impl Knobs {
    /// Knobs that depend on the seed; every third program is tight.
    pub fn varied(seed: u64) -> Self {
        let mut random = Random::new(seed ^ 0x6b6e_6f62);
        let atoms = 3 + random.below(12);
        Knobs {
            atoms,
            rules: atoms / 3 + random.below(3 * atoms / 2),
            longest_body: 1 + random.below(4),
            negation: [20, 40, 60, 80][random.below(4)],
            constraints: [0, 5, 15][random.below(3)],
            facts: [0, 3, 8][random.below(3)],
            chaining: [0, 30, 60][random.below(3)],
            pairs: random.below(2 * atoms / 3 + 1),
            odd: [0, 0, 20][random.below(3)],
            tight: seed.is_multiple_of(3),
        }
    }
}

/// Random numbers that mean the same in every version.
pub struct Random(Pcg32);

impl Random {
    /// The random numbers of this seed.
    pub fn new(seed: u64) -> Self {
        Random(Pcg32::seed_from_u64(seed))
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        ((u64::from(self.0.next_u32()) * n as u64) >> 32) as usize
    }

    /// A number from `low` to `high`.
    pub fn between(&mut self, low: i32, high: i32) -> i32 {
        low + self.below((high - low + 1) as usize) as i32
    }

    /// One of them.
    pub fn of<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }

    /// True in so many cases of a hundred.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent as usize
    }
}

/// The program of this seed.
pub fn generate(knobs: &Knobs, seed: u64) -> Spec {
    let mut random = Random::new(seed);
    let mut rules = Vec::with_capacity(2 * knobs.pairs + knobs.rules);
    for _ in 0..knobs.pairs {
        let (a, b) = (random.below(knobs.atoms), random.below(knobs.atoms));
        if a != b {
            rules.push((Some(a), vec![], vec![b]));
            rules.push((Some(b), vec![], vec![a]));
        }
    }
    let mut previous = None;
    for _ in 0..knobs.rules {
        let head = (!random.chance(knobs.constraints)).then(|| random.below(knobs.atoms));
        let (mut positive, mut negative) = (Vec::new(), Vec::new());
        let fact = head.is_some() && random.chance(knobs.facts);
        let length = if fact { 0 } else { 1 + random.below(knobs.longest_body) };
        // In a tight program a positive body atom is smaller than the head.
        let allowed = |a: usize| !knobs.tight || head.is_none_or(|h| a < h);
        for place in 0..length {
            let chained = previous.filter(|_| place == 0 && random.chance(knobs.chaining));
            let atom = chained.unwrap_or_else(|| random.below(knobs.atoms));
            let wants_negative = chained.is_none() && random.chance(knobs.negation);
            if wants_negative || !allowed(atom) {
                if head != Some(atom) || random.chance(knobs.odd) {
                    negative.push(atom);
                }
            } else {
                positive.push(atom);
            }
        }
        previous = head.or(previous);
        if head.is_none() && positive.is_empty() && negative.is_empty() {
            continue;
        }
        rules.push((head, positive, negative));
    }
    Spec { atoms: knobs.atoms, rules }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle;

    #[test]
    fn a_seed_is_a_program_for_good() {
        let spec = generate(&Knobs::varied(7), 7);
        assert_eq!(spec, generate(&Knobs::varied(7), 7));
        assert_eq!(spec.to_lp(), include_str!("../seed-7.lp"), "seeds printed earlier lost their meaning");
    }

    #[test]
    fn a_range_of_seeds_covers_much() {
        let specs: Vec<Spec> = (0..300).map(|seed| generate(&Knobs::varied(seed), seed)).collect();
        let counts: Vec<usize> = specs.iter().map(|spec| oracle::answer_sets(spec).len()).collect();
        let share = |holds: &dyn Fn(usize) -> bool| counts.iter().filter(|&&n| holds(n)).count();
        assert!(share(&|n| n == 0) > 40 && share(&|n| n > 1) > 90 && share(&|n| n > 2) > 30, "{counts:?}");
        let loops = specs.iter().filter(|spec| has_positive_loop(spec)).count();
        assert!((90..210).contains(&loops), "{loops} programs that are not tight");
    }

    fn has_positive_loop(spec: &Spec) -> bool {
        let mut reach = vec![0u32; spec.atoms];
        for (head, positive, _) in &spec.rules {
            if let Some(h) = head {
                positive.iter().for_each(|&a| reach[*h] |= 1 << a);
            }
        }
        for via in 0..spec.atoms {
            for from in 0..spec.atoms {
                if reach[from] >> via & 1 == 1 {
                    reach[from] |= reach[via];
                }
            }
        }
        (0..spec.atoms).any(|a| reach[a] >> a & 1 == 1)
    }
}
