//! A watch over what is claimed: each answer set, bound and consequence that is told is compared with what
//! was told before.
//!
//! Main type: [`Watch`]. The checker ([`yasmin_ground::check`]) says whether one answer set is right by
//! itself. The watch says whether all that is claimed fits together: no answer set is better than an optimum
//! or a proved bound, none is told twice, and consequences agree with every answer set that led to them. A
//! contradiction is an error of the solver, and the run ends with it and without a verdict.
//!
//! Invariant: the watch knows answer sets, costs and claims, and nothing of how the search found them.

use solver_gpu::hash::mix;
use solver_gpu::Lit;
use std::collections::HashSet;
use yasmin_ground::program::Program;

use crate::answer::AnswerSet;
use crate::goal::Reasoning;

/// How many answer sets a sample remembers at most.
const SAMPLE: usize = 1 << 14;

/// What is claimed of an answer set that is about to be told.
pub struct Told<'a> {
    /// The answer set.
    pub answer: &'a AnswerSet,
    /// Whether the answer set has to be better than all before.
    pub improves: bool,
    /// Whether the answer set has to differ from all before, in the literals that count if there are any.
    pub differs: Option<Option<&'a [Lit]>>,
    /// Costs that no answer set is below, highest priority first; empty if nothing is known.
    pub lower: &'a [i64],
    /// Costs that no answer set may exceed, highest priority first; priorities beyond it are free.
    pub bound: &'a [i64],
    /// The reasoning of which the answer set says something, and which outputs that is about.
    pub consequences: Option<(Reasoning, &'a [bool])>,
}

/// What was told so far. See the module's documentation.
#[derive(Default)]
pub struct Watch {
    /// The least costs.
    best: Option<Vec<i64>>,
    /// Whether costs were claimed to be optimal.
    has_optimum: bool,
    /// Hashes of answer sets: those whose low bits are zeros, as many bits as `skipped` says.
    seen: HashSet<u128>,
    skipped: u32,
    /// What all, or some, answer sets say of each output.
    consequences: Option<Vec<bool>>,
}

impl Watch {
    /// Notes an answer set that is about to be told. `remembers_all` says whether all answer sets are
    /// compared with each other, and not a sample.
    ///
    /// # Errors
    /// What contradicts what, in words.
    pub fn note(&mut self, program: &Program, told: &Told, remembers_all: bool) -> Result<(), String> {
        let Told { answer, .. } = told;
        if !answer.costs.is_empty() {
            self.note_costs(told)?;
        }
        if let Some(counts) = told.differs {
            if !self.is_new(hash(answer, counts), remembers_all) {
                return Err("an answer set was told twice".into());
            }
        }
        if let Some((reasoning, asked)) = told.consequences {
            self.note_consequences(program, answer, reasoning, asked)?;
        }
        Ok(())
    }

    fn note_costs(&mut self, told: &Told) -> Result<(), String> {
        let costs = &told.answer.costs;
        if costs[..] < *told.lower {
            return Err(format!(
                "an answer set costs {costs:?}, and {:?} was proved to be a bound",
                told.lower
            ));
        }
        let within = told.bound.len().min(costs.len());
        if costs[..within] > told.bound[..within] {
            return Err(format!("an answer set costs {costs:?}, and the bound is {:?}", told.bound));
        }
        if let Some(best) = &self.best {
            if told.improves && costs >= best {
                return Err(format!("an answer set costs {costs:?} after one of {best:?}, which is no less"));
            }
            if self.has_optimum && costs < best {
                return Err(format!("an answer set costs {costs:?}, and {best:?} was said to be optimal"));
            }
            if told.answer.is_optimal && costs != best {
                return Err(format!(
                    "an answer set of costs {costs:?} is not optimal: another costs {best:?}"
                ));
            }
        }
        self.has_optimum |= told.answer.is_optimal;
        if self.best.as_ref().is_none_or(|best| costs < best) {
            self.best = Some(costs.clone());
        }
        Ok(())
    }

    /// Whether an answer set with this hash is new, as far as the watch remembers.
    fn is_new(&mut self, hash: u128, remembers_all: bool) -> bool {
        let is_in_sample = |hash: u128, skipped: u32| hash.trailing_zeros() >= skipped;
        if !is_in_sample(hash, self.skipped) {
            return true;
        }
        let is_new = self.seen.insert(hash);
        while !remembers_all && self.seen.len() > SAMPLE {
            self.skipped += 1;
            let skipped = self.skipped;
            self.seen.retain(|&hash| is_in_sample(hash, skipped));
        }
        is_new
    }

    fn note_consequences(
        &mut self,
        program: &Program,
        answer: &AnswerSet,
        reasoning: Reasoning,
        asked: &[bool],
    ) -> Result<(), String> {
        let is_brave = reasoning == Reasoning::Brave;
        let known = self.consequences.get_or_insert_with(|| vec![!is_brave; asked.len()]);
        for (i, output) in program.outputs.iter().enumerate().filter(|&(i, _)| asked[i]) {
            let holds = output.condition.iter().all(|&lit| answer.holds(lit));
            known[i] = if is_brave { known[i] || holds } else { known[i] && holds };
            if answer.printed.as_ref().is_some_and(|printed| printed[i] != known[i]) {
                let name = &output.name;
                return Err(format!(
                    "{name} was said to be a consequence, or not to be one, against an answer set"
                ));
            }
        }
        Ok(())
    }

    /// Compares what is claimed at the end with what was told: costs that no answer set is below, and the
    /// costs that are said to be optimal, if any are.
    ///
    /// # Errors
    /// What contradicts what, in words.
    pub fn conclude(&self, lower: &[i64], optimum: Option<&[i64]>) -> Result<(), String> {
        let Some(best) = &self.best else { return Ok(()) };
        if best[..] < *lower {
            return Err(format!("an answer set costs {best:?}, and {lower:?} was proved to be a bound"));
        }
        match optimum {
            Some(optimum) if optimum != best => {
                Err(format!("{optimum:?} was said to be optimal, and an answer set costs {best:?}"))
            }
            _ => Ok(()),
        }
    }
}

/// A hash of an answer set, or of the literals that count. Two that differ have the same hash once in 2^128.
pub(super) fn hash(answer: &AnswerSet, counts: Option<&[Lit]>) -> u128 {
    let mut words = [0x9e37_79b9_7f4a_7c15u64, 0xd1b5_4a32_d192_ed03];
    let mut take = |chunk: u64| {
        words = [mix(words[0] ^ chunk), mix(words[1].rotate_left(23) ^ chunk)];
    };
    match counts {
        // This is done for each answer set, and others are found in less than a microsecond.
        None => {
            let (pairs, rest) = answer.values.bits().as_chunks();
            pairs.iter().for_each(|&[low, high]| take((high as u64) << 32 | low as u64));
            rest.iter().for_each(|&word| take(word as u64));
        }
        Some(lits) => lits.chunks(64).for_each(|chunk| {
            let holds = (0..).zip(chunk.iter().map(|&lit| answer.holds(lit)));
            take(holds.fold(0, |bits, (i, holds)| bits | (holds as u64) << i));
        }),
    }
    (words[0] as u128) << 64 | words[1] as u128
}

#[cfg(test)]
mod tests {
    use super::*;
    use yasmin_ground::input::read;

    /// `{a; b}.`, with both shown.
    fn program() -> Program {
        read("test", "asp 1 0 0\n1 1 2 1 2 0 0\n4 1 a 1 1\n4 1 b 1 2\n0\n".as_bytes()).expect("a program")
    }

    fn answer(holds: [bool; 2], costs: &[i64]) -> AnswerSet {
        AnswerSet { costs: costs.to_vec(), ..AnswerSet::of(&holds) }
    }

    fn told(answer: &AnswerSet) -> Told<'_> {
        Told { answer, improves: false, differs: None, lower: &[], bound: &[], consequences: None }
    }

    #[test]
    fn costs_have_to_fit_together() {
        let program = program();
        let five = answer([true, false], &[5, 1]);
        let four = answer([true, false], &[4, 9]);
        let mut watch = Watch::default();
        assert_eq!(watch.note(&program, &told(&five), true), Ok(()));
        assert!(watch.note(&program, &Told { improves: true, ..told(&five) }, true).is_err());
        assert!(watch.note(&program, &Told { lower: &[5, 0], ..told(&four) }, true).is_err());
        assert!(watch.note(&program, &Told { bound: &[3], ..told(&four) }, true).is_err());
        assert_eq!(watch.note(&program, &Told { bound: &[4], lower: &[4, 9], ..told(&four) }, true), Ok(()));
        assert!(watch.conclude(&[5, 0], None).is_err());
        assert!(watch.conclude(&[], Some(&[5, 1])).is_err());
        assert_eq!(watch.conclude(&[4, 9], Some(&[4, 9])), Ok(()));
        let optimal = AnswerSet { is_optimal: true, ..five.clone() };
        assert!(watch.note(&program, &told(&optimal), true).is_err());
        let optimal = AnswerSet { is_optimal: true, ..four.clone() };
        assert_eq!(watch.note(&program, &told(&optimal), true), Ok(()));
        assert!(watch.note(&program, &told(&answer([false, false], &[0, 0])), true).is_err());
    }

    #[test]
    fn an_answer_set_is_told_once() {
        let program = program();
        let (both, one) = (answer([true, true], &[]), answer([true, false], &[]));
        let mut watch = Watch::default();
        let all = |answer| Told { differs: Some(None), ..told(answer) };
        assert_eq!(watch.note(&program, &all(&both), true), Ok(()));
        assert_eq!(watch.note(&program, &all(&one), true), Ok(()));
        assert!(watch.note(&program, &all(&both), true).is_err());
        let mut watch = Watch::default();
        let lits = [Lit::t(solver_gpu::Var(0))];
        let projected = |answer| Told { differs: Some(Some(&lits)), ..told(answer) };
        assert_eq!(watch.note(&program, &projected(&both), true), Ok(()));
        assert!(watch.note(&program, &projected(&one), true).is_err());
    }

    #[test]
    fn a_sample_has_a_fixed_size_and_knows_its_members() {
        let mut watch = Watch::default();
        let hashes: Vec<u128> = (0..100_000u64).map(|i| (mix(i) as u128) << 64 | mix(!i) as u128).collect();
        assert!(hashes.iter().all(|&hash| watch.is_new(hash, false)));
        assert!(watch.seen.len() <= SAMPLE && watch.seen.len() > SAMPLE / 3, "{}", watch.seen.len());
        assert!(hashes.iter().filter(|&&hash| !watch.is_new(hash, false)).count() == watch.seen.len());
    }

    #[test]
    fn consequences_have_to_agree_with_every_answer_set() {
        let program = program();
        let with =
            |holds, printed: [bool; 2]| AnswerSet { printed: Some(printed.to_vec()), ..answer(holds, &[]) };
        for (reasoning, second) in [(Reasoning::Brave, [true, true]), (Reasoning::Cautious, [false, false])] {
            let asked = Some((reasoning, &[true, true][..]));
            let mut watch = Watch::default();
            let mut note = |answer: &AnswerSet| {
                watch.note(&program, &Told { consequences: asked, ..told(answer) }, true)
            };
            assert_eq!(note(&with([true, false], [true, false])), Ok(()));
            assert_eq!(note(&with([false, true], second)), Ok(()));
            assert!(note(&with([false, true], [false, true])).is_err());
        }
    }
}
