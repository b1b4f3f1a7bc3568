//! Optimisation priority by priority, with guesses: clasp's `bb,hier`, `bb,inc` and `bb,dec`.
//!
//! Main type: [`Steps`]. The search finds the least costs of one priority, then those of the next one. A *guess* says
//! that the costs of the present priority are at most some number. A guess is a sum nogood whose condition is a new
//! variable, which the search assumes. Learned nogoods stay valid if a guess is refuted, because a nogood that depends
//! on the guess contains its condition.
//!
//! Invariant: in every answer set that is better than the best one, the costs of the present priority are at least
//! [`Steps::lower`], and all higher priorities have the costs of the best one.

use crate::campaign::guide::tactic::{Addition, Additions, NextVar, Reason, Tactic, Verdict};
use crate::campaign::plan::Levels;
use crate::options::Descent;
use solver_gpu::Lit;

/// See the module's documentation.
pub struct Steps {
    descent: Descent,
    levels: Levels,
    /// Whether a guess that was answered is demanded from then on.
    keeps: bool,
    /// The index of the present priority.
    level: usize,
    lower: Vec<i64>,
    best: Option<Vec<i64>>,
    /// The distance of the next guess from the best costs, for [`Descent::Inc`].
    step: i64,
    /// Whether nothing was guessed of the present priority.
    is_new: bool,
    /// The condition of the present guess, and the largest costs that the guess allows.
    guess: Option<(Lit, i64)>,
    /// The next new variable.
    next: NextVar,
    additions: Additions,
    reasons: Vec<Reason>,
}

impl Steps {
    /// A tactic that has seen no answer set. Its first new variable will be `next`.
    pub fn new(descent: Descent, levels: Levels, next: NextVar) -> Steps {
        let lower = vec![0; levels.len()];
        Steps {
            descent,
            levels,
            keeps: true,
            level: 0,
            lower,
            best: None,
            step: 1,
            is_new: true,
            guess: None,
            next,
            additions: Additions::default(),
            reasons: Vec::new(),
        }
    }

    /// Ends the present guess and makes the next one, for the next priority if the present one is done.
    fn guess(&mut self) -> Verdict {
        if let Some((condition, most)) = self.guess.take() {
            // What is better than the best answer set meets a guess that this one meets. So what was learned
            // from the guess goes on to exclude answer sets.
            let is_met = self.best.as_ref().is_some_and(|best| best[self.level] <= most);
            let holds = if is_met && self.keeps { condition } else { !condition };
            self.additions.demand(std::iter::once(holds));
        }
        let Some(best) = self.best.clone() else { return Verdict::GoesOn };
        while self.lower[self.level] >= best[self.level] {
            self.lower[self.level] = best[self.level];
            if self.level + 1 == self.levels.len() {
                return Verdict::Over;
            }
            let fixed = (Lit::TRUE, self.levels[self.level].clone(), best[self.level]);
            self.additions.sums.push(Addition::Nogood(fixed.0, fixed.1, fixed.2));
            self.level += 1;
            (self.step, self.is_new) = (1, true);
        }
        let (lower, upper) = (self.lower[self.level], best[self.level]);
        let half = (upper - lower + 1) / 2;
        let most = match self.descent {
            Descent::Lin | Descent::Hier => upper - 1,
            Descent::Inc => upper - self.step.min(half),
            Descent::Dec if self.is_new => lower,
            Descent::Dec => upper - half,
        };
        self.is_new = false;
        let condition = Lit::t(self.next.take(&mut self.additions));
        let items = self.levels[self.level].clone();
        // The guess is wrong if the costs are more than it allows. (The search only knows that a wrong guess does not hold.)
        self.reasons.push(Reason::Stands(!condition, most + 1, items.clone()));
        self.additions.sums.push(Addition::Nogood(condition, items, most));
        self.guess = Some((condition, most));
        Verdict::GoesOn
    }
}

impl Tactic for Steps {
    fn demands_better(&self) -> bool {
        true
    }

    fn answered(&mut self, costs: &[i64]) -> Verdict {
        self.best = Some(costs.to_vec());
        self.step = self.step.saturating_mul(2);
        self.guess()
    }

    fn told(&mut self, costs: &[i64]) -> Verdict {
        if self.best.as_deref() == Some(costs) {
            // Nothing is new, so the guess stays.
            return Verdict::Stays;
        }
        // Nor has a guess been answered that is below what another search has found.
        let stays = self.best.as_ref().zip(self.guess).is_some_and(|(best, (_, most))| {
            best[..self.level] == costs[..self.level] && most < costs[self.level]
        });
        self.best = Some(costs.to_vec());
        match stays {
            true => Verdict::Stays,
            false => self.guess(),
        }
    }

    fn refuted(&mut self, core: &[Lit]) -> Verdict {
        let (Some((_, most)), false) = (self.guess, core.is_empty()) else { return Verdict::Over };
        self.conclude(core);
        self.lower[self.level] = most + 1;
        self.step = 1;
        self.guess()
    }

    fn prove(&mut self) {
        self.keeps = false;
    }

    fn conclude(&mut self, core: &[Lit]) {
        if let (Some((condition, _)), false) = (self.guess, core.is_empty()) {
            self.reasons.push(Reason::Least { level: self.level, lit: !condition });
        }
    }

    fn reasons(&mut self) -> Vec<Reason> {
        std::mem::take(&mut self.reasons)
    }

    fn gave_up(&mut self) -> Verdict {
        Verdict::GoesOn
    }

    fn assumptions(&self) -> Vec<Lit> {
        self.guess.iter().map(|&(condition, _)| condition).collect()
    }

    fn budget(&self) -> Option<u64> {
        None
    }

    fn additions(&mut self) -> Additions {
        std::mem::take(&mut self.additions)
    }

    fn lower(&self) -> &[i64] {
        &self.lower
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How much the guesses allow, one priority whose costs are answered or refuted as `tells` says: the best
    /// costs, or nothing.
    fn guesses(descent: Descent, tells: &[Option<i64>]) -> Vec<i64> {
        let mut steps = Steps::new(descent, vec![vec![(Lit(2), 1)]], NextVar(9));
        let told = |tell: &Option<i64>| {
            match tell {
                Some(costs) => steps.answered(&[*costs]),
                None => steps.refuted(&[Lit(0)]),
            };
            steps.guess.expect("the bounds have not met").1
        };
        tells.iter().map(told).collect()
    }

    #[test]
    fn a_guess_below_what_others_find_stays() {
        let mut steps = Steps::new(Descent::Dec, vec![vec![(Lit(2), 1)]], NextVar(9));
        let guess = |steps: &Steps| steps.guess.expect("the bounds have not met").1;
        steps.answered(&[100]);
        assert_eq!((steps.told(&[40]), guess(&steps)), (Verdict::Stays, 0));
        steps.refuted(&[Lit(0)]);
        assert_eq!(guess(&steps), 20);
        assert_eq!((steps.told(&[20]), guess(&steps)), (Verdict::GoesOn, 10));
    }

    /// What is demanded when a guess of at most 99 ends, whose condition is literal 18.
    fn demanded(is_proved: bool, tell: impl FnOnce(&mut Steps) -> Verdict) -> Additions {
        let mut steps = Steps::new(Descent::Hier, vec![vec![(Lit(2), 1)]], NextVar(9));
        if is_proved {
            steps.prove();
        }
        steps.answered(&[100]);
        steps.additions();
        tell(&mut steps);
        let made = steps.additions();
        Additions { vars: 0, sums: made.sums.into_iter().take(1).collect() }
    }

    #[test]
    fn a_guess_that_was_met_is_demanded_unless_there_is_a_proof() {
        let [met, not_met] = [Lit(18), Lit(19)].map(|lit| {
            let mut additions = Additions::default();
            additions.demand(std::iter::once(lit));
            additions
        });
        assert_eq!(demanded(false, |steps| steps.answered(&[99])), met);
        assert_eq!(demanded(false, |steps| steps.told(&[40])), met);
        assert_eq!(demanded(false, |steps| steps.refuted(&[Lit(0)])), not_met);
        assert_eq!(demanded(true, |steps| steps.answered(&[99])), not_met);
    }

    #[test]
    fn guesses_are_those_of_clasp() {
        assert_eq!(guesses(Descent::Hier, &[Some(100), Some(40)]), [99, 39]);
        assert_eq!(guesses(Descent::Inc, &[Some(100), Some(90), Some(70), Some(9)]), [98, 86, 62, 4]);
        assert_eq!(guesses(Descent::Dec, &[Some(100), None, Some(40), None]), [0, 50, 20, 30]);
    }
}
