//! Computes the size of the paper's translation without making it, and checks the limits of the data layout.
//!
//! Main function: [`Counts::of`]. The simplified translation never has more variables, nogoods or literals
//! than the paper's. So one check before the translation is enough, and all later numbers fit their `u32`.
//! Paper, section 2.

use super::lit_set::load_set;
use yasmin_ground::program::Program;

/// A program whose translation does not fit the layout. A literal has 32 bits, and so has each index into an
/// array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the program is too large: its translation has {count} {what}, the limit is {limit}")]
pub struct TooLarge {
    /// What the translation has too many of.
    pub what: &'static str,
    /// How many the translation has.
    pub count: u64,
    /// How many are possible.
    pub limit: u64,
}

/// The most variables, and the most nogoods. Their numbers keep two bits free, one for a sign and one for
/// marks.
pub const MAX_IDS: u64 = 1 << 30;
/// The most literals of all nogoods together.
pub const MAX_LITERALS: u64 = u32::MAX as u64;

/// The size of the unsimplified translation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub variables: u64,
    pub nogoods: u64,
    pub literals: u64,
}

impl Counts {
    /// Counts the translation of `program`, its bodies taken as sets. Disjunctive heads of more than
    /// `longest_head` atoms get auxiliary atoms.
    pub fn of(program: &Program, longest_head: u32) -> Counts {
        let atoms = program.atoms as u64;
        // The atom's nogood {Tp} ∪ {F b_r}: each `F b_r` is counted with its rule.
        let mut counts = Counts { variables: atoms, nogoods: atoms, literals: atoms };
        let mut set = Vec::new();
        for r in program.rule_ids() {
            load_set(&mut set, program.body(r));
            counts.add_rule(program.head(r).atom().is_some(), set.len() as u64);
        }
        for rule in &program.disjunctions {
            let (heads, body) = (rule.heads.len() as u64, program.body_lits_of(rule.body).len() as u64);
            if heads > longest_head as u64 {
                counts.add_long_head(heads, body, longest_head.max(2) as u64);
                continue;
            }
            // Each head has at most two rules, shifted over the other heads.
            (0..2 * heads).for_each(|_| counts.add_rule(true, body + heads));
        }
        for sum in &program.sums {
            // A sum becomes a rule for each literal, or two sums.
            (0..sum.lits.len()).for_each(|_| counts.add_rule(true, 1));
            counts.literals += 2 * sum.lits.len() as u64;
        }
        counts
    }

    /// Adds the most that a rule with `heads` atoms in its head comes to with auxiliary atoms. The nodes of
    /// the tree have at most `width` children.
    fn add_long_head(&mut self, heads: u64, body: u64, width: u64) {
        // Each head has at most two rules, shifted over its neighbours in the tree and one atom more.
        (0..2 * heads).for_each(|_| self.add_rule(true, body + width));
        // There are fewer inner nodes than heads. Each has two auxiliary atoms: one with a rule for each node
        // below it, and one with a rule for each neighbour and one more.
        let (nodes, below) = (heads - 1, 2 * heads);
        (self.variables, self.nogoods) = (self.variables + 2 * nodes, self.nogoods + 2 * nodes);
        self.literals += 2 * nodes;
        (0..below + nodes * width).for_each(|_| self.add_rule(true, 1));
    }

    fn add_rule(&mut self, has_head: bool, body: u64) {
        if has_head {
            self.variables += 3;
            // Three nogoods define b_r, one belongs to each body literal, two long ones define t_r and n_r,
            // and one is {Fp, T b_r}.
            self.nogoods += 3 + body + 2 + 1;
            self.literals += (3 + 2 + 2) + 2 * body + (2 + body) + 2 + 1;
        } else {
            self.nogoods += 1;
            self.literals += body;
        }
    }

    /// Whether the translation fits the layout.
    pub fn check(&self) -> Result<(), TooLarge> {
        for (what, count, limit) in [
            ("variables", self.variables, MAX_IDS),
            ("nogoods", self.nogoods, MAX_IDS),
            ("literals", self.literals, MAX_LITERALS),
        ] {
            if count > limit {
                return Err(TooLarge { what, count, limit });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_checked() {
        let fits = Counts { variables: MAX_IDS, nogoods: MAX_IDS, literals: MAX_LITERALS };
        assert_eq!(fits.check(), Ok(()));
        let error = Counts { nogoods: MAX_IDS + 1, ..fits }.check().unwrap_err();
        assert_eq!((error.what, error.count), ("nogoods", MAX_IDS + 1));
        assert!(Counts { literals: 1 << 40, ..fits }.check().is_err());
        assert!(error.to_string().contains("1073741825 nogoods"));
    }
}
