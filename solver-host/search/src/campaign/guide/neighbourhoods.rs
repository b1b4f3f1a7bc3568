//! Optimisation by neighbourhoods of the best answer set: large neighbourhood search (Shaw 1998; for answer
//! sets Eiter et al. 2022).
//!
//! Main type: [`Neighbourhoods`]. The search has the goal that answer sets are better. For some time it
//! searches among all of them. Then comes a series of *neighbourhoods*: the search assumes most of what was
//! chosen in the best answer set, and has a few conflicts to find a better one with that. What was chosen are
//! the atoms of choice rules that hold. What the search learns meanwhile holds without the assumptions.
//!
//! A neighbourhood that is refuted was too small, and one whose conflicts were not enough was too large. The
//! next ones have another size. A series ends after some neighbourhoods without a better answer set. If it
//! had none at all, more time goes by before the next one, so that neighbourhoods that lead nowhere cost a
//! search little.
//!
//! Invariant: nothing is assumed while a refutation is to mean that no answer set is better.

use super::steps::Steps;
use super::tactic::{Additions, Reason, Tactic, Verdict};
use crate::Statistics;
use solver_gpu::hash::mix;
use solver_gpu::Lit;

/// The most conflicts in one neighbourhood.
const CONFLICTS: u64 = 100;

/// After how many neighbourhoods without a better answer set a series ends: one that had none, and one that
/// had some.
const SERIES: (u32, u32) = (4, 16);

/// The part of the choices that the first neighbourhood leaves open, and the largest part.
const PART: (f64, f64) = (0.2, 0.9);

/// See the module's documentation.
pub struct Neighbourhoods {
    /// The tactic for several priorities, whose assumptions the search has besides.
    steps: Option<Steps>,
    /// What was chosen in the best answer set.
    chosen: Vec<Lit>,
    /// What the present neighbourhood assumes, in order; nothing outside of a series.
    fixed: Option<Vec<Lit>>,
    /// The part of what was chosen that a neighbourhood leaves open.
    part: f64,
    /// How many neighbourhoods follow in the present series, unless there is a better answer set.
    left: u32,
    /// Whether the present series has led to a better answer set.
    is_better: bool,
    /// How many conflicts go by before the next series, and at first.
    pause: u64,
    first: u64,
    /// How many random numbers were drawn.
    drawn: u64,
    seed: u64,
    counts: Statistics,
}

impl Neighbourhoods {
    /// A tactic that has seen no answer set. A series begins after `first` conflicts without a better answer
    /// set.
    pub fn new(steps: Option<Steps>, first: u64, seed: u64) -> Neighbourhoods {
        Neighbourhoods {
            steps,
            chosen: Vec::new(),
            fixed: None,
            part: PART.0,
            left: 0,
            is_better: false,
            pause: first,
            first,
            drawn: 0,
            seed,
            counts: Statistics::default(),
        }
    }

    /// A random number from 0 to 1, which is less than 1.
    fn random(&mut self) -> f64 {
        self.drawn += 1;
        (mix(self.seed ^ mix(self.drawn)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Begins the next neighbourhood of the series, or ends the series.
    fn next(&mut self) -> Verdict {
        if self.left == 0 {
            self.end_series();
            return Verdict::GoesOn;
        }
        self.left -= 1;
        self.counts.neighbourhoods += 1;
        let open = ((self.part * self.chosen.len() as f64) as usize).max(1);
        let mut rest: Vec<Lit> = self.chosen.clone();
        for _ in 0..open.min(rest.len()) {
            let at = (self.random() * rest.len() as f64) as usize;
            rest.swap_remove(at);
        }
        rest.sort_unstable();
        self.fixed = Some(rest);
        Verdict::GoesOn
    }

    fn end_series(&mut self) {
        self.fixed = None;
        if std::mem::take(&mut self.is_better) {
            self.pause = self.first;
        } else {
            self.pause = self.pause.saturating_mul(2);
        }
    }
}

impl Tactic for Neighbourhoods {
    fn demands_better(&self) -> bool {
        true
    }

    fn is_bounded_by_goal(&self) -> bool {
        self.steps.is_none()
    }

    fn chosen(&mut self, chosen: &[Lit]) {
        self.chosen = chosen.to_vec();
    }

    fn answered(&mut self, costs: &[i64]) -> Verdict {
        let verdict = self.steps.as_mut().map_or(Verdict::Stays, |steps| steps.answered(costs));
        if verdict == Verdict::Over || self.fixed.is_none() {
            return verdict;
        }
        self.counts.neighbourhoods_better += 1;
        (self.is_better, self.left) = (true, SERIES.1);
        self.next()
    }

    fn told(&mut self, costs: &[i64]) -> Verdict {
        match self.steps.as_mut().map(|steps| steps.told(costs)) {
            Some(Verdict::Over) => Verdict::Over,
            _ if self.fixed.is_some() => self.next(),
            // The search may have begun again, without its assumptions.
            _ => Verdict::GoesOn,
        }
    }

    fn refuted(&mut self, core: &[Lit]) -> Verdict {
        if self.is_local(core) {
            self.part = (self.part * 1.2).min(PART.1);
            return self.next();
        }
        match &mut self.steps {
            Some(steps) => steps.refuted(core),
            None => Verdict::Over,
        }
    }

    fn is_local(&self, core: &[Lit]) -> bool {
        self.fixed.as_ref().is_some_and(|fixed| core.iter().any(|lit| fixed.binary_search(lit).is_ok()))
    }

    fn conclude(&mut self, core: &[Lit]) {
        if let Some(steps) = &mut self.steps {
            steps.conclude(core);
        }
    }

    fn reasons(&mut self) -> Vec<Reason> {
        self.steps.as_mut().map_or(Vec::new(), Steps::reasons)
    }

    fn gave_up(&mut self) -> Verdict {
        if self.fixed.is_some() {
            self.part *= 0.9;
        } else {
            self.left = SERIES.0;
        }
        self.next()
    }

    fn assumptions(&self) -> Vec<Lit> {
        let guess = self.steps.as_ref().map_or(Vec::new(), Steps::assumptions);
        guess.into_iter().chain(self.fixed.iter().flatten().copied()).collect()
    }

    fn budget(&self) -> Option<u64> {
        match &self.fixed {
            Some(_) => Some(CONFLICTS),
            None => (!self.chosen.is_empty()).then_some(self.pause),
        }
    }

    fn additions(&mut self) -> Additions {
        self.steps.as_mut().map_or(Additions::default(), Steps::additions)
    }

    fn lower(&self) -> &[i64] {
        self.steps.as_ref().map_or(&[], Steps::lower)
    }

    fn counts(&self) -> Statistics {
        self.counts.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use solver_gpu::Var;

    /// A tactic for one priority that knows an answer set with 20 choices, in its first neighbourhood.
    fn in_series() -> (Neighbourhoods, Vec<Lit>) {
        let mut tactic = Neighbourhoods::new(None, 5, 1);
        assert_eq!((tactic.budget(), tactic.assumptions()), (None, Vec::new()), "there is no answer set");
        let chosen: Vec<Lit> = (0..20).map(|var| Lit::t(Var(var))).collect();
        tactic.chosen(&chosen);
        assert_eq!(tactic.answered(&[7]), Verdict::Stays);
        assert_eq!((tactic.budget(), tactic.assumptions()), (Some(5), Vec::new()));
        assert_eq!(tactic.gave_up(), Verdict::GoesOn);
        (tactic, chosen)
    }

    #[test]
    fn a_neighbourhood_assumes_a_part_of_what_was_chosen() {
        let (mut tactic, chosen) = in_series();
        let first = tactic.assumptions();
        assert_eq!((first.len(), tactic.budget()), (16, Some(CONFLICTS)));
        assert!(first.iter().all(|lit| chosen.contains(lit)));
        assert_eq!(tactic.refuted(&first[3..4]), Verdict::GoesOn);
        assert_ne!(tactic.assumptions(), first, "another neighbourhood");
        for _ in 0..2 {
            tactic.refuted(&tactic.assumptions());
        }
        assert!(tactic.assumptions().len() < 15, "refuted neighbourhoods were too small");
        let small = tactic.assumptions().len();
        tactic.answered(&[6]);
        for _ in 0..4 {
            tactic.gave_up();
        }
        assert!(tactic.assumptions().len() > small, "four neighbourhoods were too large");
        assert_eq!((tactic.counts().neighbourhoods, tactic.counts().neighbourhoods_better), (9, 1));
    }

    #[test]
    fn a_series_in_vain_is_short_and_the_next_one_comes_later() {
        let (mut tactic, _) = in_series();
        for _ in 0..SERIES.0 {
            assert_eq!(tactic.budget(), Some(CONFLICTS));
            tactic.gave_up();
        }
        assert_eq!((tactic.budget(), tactic.assumptions().len()), (Some(10), 0));
        // A better answer set makes the series longer, and the next one comes as early as the first one did.
        tactic.gave_up();
        assert_eq!(tactic.answered(&[6]), Verdict::GoesOn);
        for _ in 0..SERIES.1 {
            assert_eq!(tactic.budget(), Some(CONFLICTS));
            tactic.gave_up();
        }
        assert_eq!((tactic.budget(), tactic.assumptions().len()), (Some(5), 0));
    }

    #[test]
    fn only_a_refutation_without_what_was_chosen_is_one() {
        let (mut tactic, chosen) = in_series();
        let assumed = tactic.assumptions();
        let open = *chosen.iter().find(|lit| !assumed.contains(lit)).expect("a fifth is open");
        assert!(tactic.is_local(&assumed[..1]) && !tactic.is_local(&[open]) && !tactic.is_local(&[]));
        assert_eq!(tactic.refuted(&[]), Verdict::Over);
        tactic.gave_up();
        assert_eq!(tactic.told(&[6]), Verdict::GoesOn, "the search may have begun again");
    }
}
