//! Sums of weights of more than 64 bits, as two digits of 64 bits each.
//!
//! Main functions: [`ProgramBuilder::wide_sum`] and [`ProgramBuilder::minimize_wide`]. A number is `high * 2^bits + low`
//! with `low` below `2^bits`. The low digits of some weights may add up to more than a digit. What they carry is a number
//! in binary, each bit of which is a weight constraint: with the weights 3 and 2, and digits below 4, the carry is 1 if the
//! low digits reach 4. Of the costs, the digits are priorities, which are compared as the numbers are.

use solver_gpu::Lit;

use super::super::data::Digits;
use super::{BuildError, ProgramBuilder, MOST_WEIGHT, MOST_WIDE};

/// The digits of a sum of literals with weights.
struct Parts {
    bits: u32,
    high: Vec<(Lit, i64)>,
    low: Vec<(Lit, i64)>,
    /// The bits of the carry, with what each is worth in the high digit.
    carry: Vec<(Lit, i64)>,
}

/// What wide weights add up to with another one more, whose sign does not count.
///
/// # Errors
/// If that is more than [`MOST_WIDE`].
pub fn add_weight(all: i128, weight: i128) -> Result<i128, BuildError> {
    let all = weight.checked_abs().and_then(|size| all.checked_add(size));
    all.filter(|&all| all <= MOST_WIDE).ok_or(BuildError::WideWeights)
}

fn total(lits: &[(Lit, i128)]) -> Result<i128, BuildError> {
    lits.iter().try_fold(0, |all, &(_, weight)| add_weight(all, weight))
}

/// The literals with weights of 64 bits, which have no more.
fn narrow(lits: &[(Lit, i128)]) -> Vec<(Lit, i64)> {
    lits.iter().map(|&(lit, weight)| (lit, weight as i64)).collect()
}

impl ProgramBuilder {
    /// A literal that holds if and only if the weights of the literals that hold add up to the bound or more. No weight
    /// is negative.
    ///
    /// # Errors
    /// If the weights add up to more than [`MOST_WIDE`], or if there are too many literals.
    pub fn wide_sum(&mut self, bound: i128, lits: &[(Lit, i128)]) -> Result<Lit, BuildError> {
        let all = total(lits)?;
        // A bound that is not from 1 to the sum is always reached, or never.
        let bound = bound.clamp(0, all + 1);
        if all <= MOST_WEIGHT.into() {
            return Ok(Lit::t(self.sum(bound as i64, narrow(lits))?));
        }
        let Parts { bits, mut high, mut low, carry } = self.parts(lits)?;
        let (most, mut least) = ((bound >> bits) as i64, (bound & ((1 << bits) - 1)) as i64);
        for (lit, worth) in carry {
            high.push((lit, worth));
            // What is carried is gone: `-w` for a literal is `w` for its complement, less `w`.
            low.push((!lit, worth << bits));
            least += worth << bits;
        }
        let reached = self.hidden();
        let more = self.sum(most + 1, high.clone())?;
        let (equal, enough) = (self.sum(most, high)?, self.sum(least, low)?);
        self.rule(Some(reached), &[Lit::t(more)])?;
        self.rule(Some(reached), &[Lit::t(equal), Lit::t(enough)])?;
        Ok(Lit::t(reached))
    }

    /// Minimizes a sum, as the only one. If its weights have more than 64 bits together, the program gets two priorities,
    /// which are the digits of one number.
    ///
    /// # Errors
    /// As [`ProgramBuilder::wide_sum`].
    pub fn minimize_wide(&mut self, lits: &[(Lit, i128)]) -> Result<(), BuildError> {
        if total(lits)? <= MOST_WEIGHT.into() {
            return self.minimize(0, &narrow(lits));
        }
        // A negative weight is one of the complement, and what that costs too much.
        let base = lits.iter().map(|&(_, weight)| weight.min(0)).sum();
        let sizes: Vec<(Lit, i128)> =
            lits.iter().map(|&(lit, weight)| (if weight < 0 { !lit } else { lit }, weight.abs())).collect();
        let Parts { bits, mut high, mut low, carry } = self.parts(&sizes)?;
        high.extend(&carry);
        low.extend(carry.iter().map(|&(lit, worth)| (lit, -(worth << bits))));
        self.minimize(1, &high)?;
        self.minimize(0, &low)?;
        self.program.statements.minimizes = 1;
        self.program.digits = Some(Digits { bits, base });
        Ok(())
    }

    /// The digits of a sum without negative weights.
    fn parts(&mut self, lits: &[(Lit, i128)]) -> Result<Parts, BuildError> {
        // The low digits add up to less than `2^bits` times the number of literals, and so does the carry. So neither has
        // more than 60 bits.
        let carries = usize::BITS - lits.len().leading_zeros();
        let bits = 60 - carries;
        let digit = |of: &dyn Fn(i128) -> i128| -> Vec<(Lit, i64)> {
            let digits = lits.iter().map(|&(lit, weight)| (lit, of(weight) as i64));
            digits.filter(|&(_, weight)| weight > 0).collect()
        };
        let (high, low) = (digit(&|weight| weight >> bits), digit(&|weight| weight & ((1 << bits) - 1)));
        let (mut carry, mut rest, mut known) = (Vec::new(), low.clone(), 0);
        for bit in (0..carries).rev() {
            let worth = 1 << (bits + bit);
            let is_carried = Lit::t(self.sum(worth + known, rest.clone())?);
            carry.push((is_carried, 1 << bit));
            rest.push((!is_carried, worth));
            known += worth;
        }
        Ok(Parts { bits, high, low, carry })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Checker;
    use crate::program::Program;
    use solver_gpu::Var;

    /// The program's atoms that hold if those of `chosen` are chosen, as the sums say, and whether `lit` is one.
    fn holds(program: &Program, chosen: u32, choices: u32) -> Vec<bool> {
        let mut held = vec![false; program.atoms as usize];
        (0..choices).for_each(|atom| held[atom as usize] = chosen >> atom & 1 == 1);
        let is = |held: &[bool], lit: Lit| held[lit.var().0 as usize] != lit.is_false_sign();
        for sum in &program.sums {
            let all: i64 = sum.lits.iter().filter(|(lit, _)| is(&held, *lit)).map(|(_, weight)| weight).sum();
            held[sum.atom.0 as usize] = all >= sum.bound;
        }
        for r in program.rule_ids() {
            if let (crate::program::Head::Atom(head), true) =
                (program.head(r), program.body(r).iter().all(|&lit| is(&held, lit)))
            {
                held[head.0 as usize] = true;
            }
        }
        held
    }

    #[test]
    fn digits_are_compared_as_numbers() {
        let random = |i: u64| solver_gpu::hash::mix(i);
        for seed in 0..200u64 {
            let mut b = ProgramBuilder::default();
            let choices = 1 + (random(seed) % 7) as u32;
            let atoms: Vec<Var> = (0..choices).map(|_| b.hidden()).collect();
            b.choice(&atoms, &[]).expect("few");
            let weight = |i: usize| -> i128 {
                let size = i128::from(random(seed << 8 | i as u64)) << (random(seed << 9 | i as u64) % 24);
                size >> (random(seed << 10 | i as u64) % 64)
            };
            let lits: Vec<(Lit, i128)> =
                atoms.iter().enumerate().map(|(i, &atom)| (Lit::new(atom, i % 3 > 0), weight(i))).collect();
            let value = |set: u32, lits: &[(Lit, i128)]| -> i128 {
                let held =
                    lits.iter().filter(|(lit, _)| (set >> lit.var().0 & 1 == 1) != lit.is_false_sign());
                held.map(|(_, weight)| weight).sum()
            };
            let bound = value(random(!seed) as u32, &lits) + i128::from(random(seed) % 3) - 1;
            let reached = b.wide_sum(bound, &lits).expect("90 bits");
            let signed: Vec<(Lit, i128)> = lits
                .iter()
                .enumerate()
                .map(|(i, &(lit, w))| (lit, if i % 2 == 0 { w } else { -w }))
                .collect();
            b.minimize_wide(&signed).expect("90 bits");
            let program = b.build().expect("few");
            let checker = Checker::new(&program);
            for set in 0..1 << choices {
                let held = holds(&program, set, choices);
                assert_eq!(held[reached.var().0 as usize], value(set, &lits) >= bound, "seed {seed}: {set}");
                let costs: Vec<i64> = program
                    .minimize
                    .iter()
                    .map(|level| {
                        let is = |lit: Lit| held[lit.var().0 as usize] != lit.is_false_sign();
                        level.lits.iter().filter(|(lit, _)| is(*lit)).map(|(_, weight)| weight).sum()
                    })
                    .collect();
                assert_eq!(program.told_costs(&costs), [value(set, &signed)], "seed {seed}: {set}");
                let claim = crate::check::Claim { holds: &held, costs: Some(&costs), is_shown: &|_| None };
                checker.check(&program, &claim, &mut Default::default()).expect("an answer set");
                let bound = program.bound_of(&[value(set, &signed)]);
                assert!(costs <= bound && bound == costs, "seed {seed}: {bound:?}, {costs:?}");
            }
        }
    }

    #[test]
    fn what_is_too_heavy_is_refused() {
        let mut b = ProgramBuilder::default();
        let lit = Lit::t(b.hidden());
        let heavy = [(lit, MOST_WIDE), (lit, 1)];
        assert_eq!(b.wide_sum(1, &heavy), Err(BuildError::WideWeights));
        assert_eq!(b.minimize_wide(&heavy), Err(BuildError::WideWeights));
        assert!(b.wide_sum(MOST_WIDE, &heavy[..1]).is_ok() && b.minimize_wide(&heavy[..1]).is_ok());
    }
}
