//! Core-guided optimisation: OLL, with stratification, disjoint cores, hardening, core minimisation and core
//! exhaustion.
//!
//! Main type: [`Cores`]. The search assumes that nothing costs anything. A refutation yields a core: at least one of
//! its literals must be paid for. So every answer set pays the least weight of the core, and the lower bound rises by
//! this weight. The core is then *relaxed*: each of its literals loses the weight, and a new literal "two of them are
//! paid" gets it. Once that literal is in a core as well, "three of them are paid" follows, and so on (Andres,
//! Kaufmann, Matheis and Schaub 2012; Morgado, Dodaro and Marques-Silva 2014). The first answer set under all
//! assumptions is optimal.
//!
//! - *Stratification*: heavy literals are assumed first. Each answer set is an upper bound.
//! - *Disjoint cores*: new literals are assumed once there is no core without them.
//! - *Hardening*: no better answer set pays for a literal that weighs more than the distance of the bounds.
//! - *Minimisation*: literals are taken out of a core as long as few conflicts refute the rest (Ignatiev,
//!   Morgado and Marques-Silva 2019).
//! - *Exhaustion*: if few conflicts refute "at most `k` literals of the core are paid", `k + 1` are, and `k + 1` is
//!   tried next.
//!
//! Priorities are done one after the other. Invariant: in every answer set that is better than the best one, the costs
//! of the present priority are [`Cores::lower`] plus the weights of the *softs* that do not hold, and all higher
//! priorities have the costs of the best one.

use crate::campaign::guide::softs::{Soft, Softs};
use crate::campaign::guide::tactic::{Addition, Additions, NextVar, Reason, Tactic, Verdict, Weighted};
use crate::campaign::plan::Levels;
use crate::options::Usc;
use crate::Statistics;
use solver_gpu::Lit;

/// The most conflicts for one step of exhaustion.
const FEW: u64 = 64;

/// The longest core that is minimised, in literals.
const LONGEST: usize = 200;

/// The purpose of the present assumptions.
#[derive(Clone, Debug)]
enum Stage {
    /// To find an answer set or a core: all softs of the stratum are assumed.
    Descend,
    /// To make a core smaller: the literals `needed` are in it, `tried` is left out as a trial, and `left` were not
    /// tried yet.
    Minimise { needed: Vec<Lit>, tried: Lit, left: Vec<Lit> },
    /// To find out whether `count` literals of relaxed core `core` are paid for sure: the assumption is `output`, which
    /// says that fewer are. `weight` is the core's weight.
    Exhaust { core: usize, count: i64, weight: i64, output: Lit },
}

/// See the module's documentation.
pub struct Cores {
    tactics: Usc,
    levels: Levels,
    level: usize,
    lower: Vec<i64>,
    best: Option<Vec<i64>>,
    softs: Softs,
    /// For each relaxed core, the complements of its literals: those that hold are paid.
    cores: Vec<Vec<Weighted>>,
    /// The least weight of a soft that is assumed.
    stratum: i64,
    stage: Stage,
    /// The next new variable.
    next: NextVar,
    additions: Additions,
    reasons: Vec<Reason>,
    counts: Statistics,
}

impl Cores {
    /// The first new variable will be `next`.
    pub fn new(tactics: Usc, levels: Levels, next: NextVar) -> Cores {
        let mut cores = Cores {
            tactics,
            lower: vec![0; levels.len()],
            levels,
            level: 0,
            best: None,
            softs: Softs::default(),
            cores: Vec::new(),
            stratum: 0,
            stage: Stage::Descend,
            next,
            additions: Additions::default(),
            reasons: Vec::new(),
            counts: Statistics::default(),
        };
        cores.begin_level();
        cores
    }

    /// Makes the complements of what the present priority minimizes softs.
    fn begin_level(&mut self) {
        self.softs.clear();
        self.cores.clear();
        for &(lit, weight) in &self.levels[self.level] {
            self.softs.insert(!lit, Soft { weight, counts: None, waits: false });
        }
        self.stratum = i64::MAX;
        self.lower_stratum();
        self.stage = Stage::Descend;
    }

    /// Lets lighter softs be assumed, too. Returns whether there are any.
    fn lower_stratum(&mut self) -> bool {
        let mut weights: Vec<i64> =
            self.softs.iter().map(|(_, soft)| soft.weight).filter(|&weight| weight < self.stratum).collect();
        if weights.is_empty() {
            return false;
        }
        weights.sort_unstable_by(|a, b| b.cmp(a));
        if !self.tactics.stratify {
            self.stratum = 1;
            return true;
        }
        // As many different weights as still make literals of one weight common (Ansótegui, Bonet, Gabàs and
        // Levy 2012 call that diversity).
        let (mut different, mut at) = (0, 0);
        while at < weights.len() {
            let weight = weights[at];
            at += weights[at..].iter().take_while(|&&other| other == weight).count();
            different += 1;
            self.stratum = weight;
            if at * 4 > different * 5 {
                break;
            }
        }
        if at == weights.len() {
            self.stratum = 1;
        }
        true
    }

    /// Judges by the bounds whether a better answer set may exist. Goes on to the next priority if the bounds of the
    /// present one meet.
    fn compare_bounds(&mut self) -> Verdict {
        let Some(best) = self.best.clone() else { return Verdict::GoesOn };
        while self.lower[self.level] >= best[self.level] {
            self.lower[self.level] = best[self.level];
            if self.level + 1 == self.levels.len() {
                return Verdict::Over;
            }
            // The softs that are left are not paid for: the lower bound has all the costs.
            self.additions.demand(self.softs.iter().map(|(lit, _)| lit));
            self.level += 1;
            self.begin_level();
        }
        self.harden(best[self.level] - self.lower[self.level]);
        Verdict::GoesOn
    }

    /// Demands the softs that no better answer set can pay for. `gap` is the distance of the bounds.
    fn harden(&mut self, gap: i64) {
        // At the last priority, an answer set with the best costs is no better one.
        let is_last = self.level + 1 == self.levels.len();
        let is_hard = |soft: &Soft| soft.weight > gap || (is_last && soft.weight == gap);
        let hard: Vec<Lit> =
            self.softs.iter().filter(|(_, soft)| is_hard(soft)).map(|(lit, _)| lit).collect();
        for &lit in &hard {
            self.softs.remove(lit);
        }
        self.counts.costs_hardened += hard.len() as u64;
        self.additions.demand(hard.into_iter());
    }

    /// Called after an answer set under the assumptions of the stratum. Assumes more, or ends the priority.
    fn after_stratum(&mut self) -> Verdict {
        let waiting = self.softs.wake();
        let is_assumed = waiting.into_iter().any(|lit| self.softs[lit].weight >= self.stratum);
        // The lower bound rises by cores alone. If all softs hold, the answer set costs as much as that bound says. But
        // the answer set may have been found before this search was told of another one, under other assumptions.
        if !is_assumed {
            self.lower_stratum();
        }
        self.compare_bounds()
    }

    /// Ends the work on the present core and assumes the stratum again.
    fn descend(&mut self) -> Verdict {
        self.stage = Stage::Descend;
        let verdict = self.compare_bounds();
        // There may be nothing left to assume of this stratum.
        while verdict == Verdict::GoesOn
            && self.assumptions().is_empty()
            && self.softs.iter().next().is_some()
        {
            if self.softs.wake().is_empty() && !self.lower_stratum() {
                break;
            }
        }
        verdict
    }

    /// Tries to leave the next literal out of a core, or relaxes the core if all were tried.
    fn minimise(&mut self, needed: Vec<Lit>, mut left: Vec<Lit>) -> Verdict {
        // A core without its last literal would be empty.
        if needed.len() + left.len() <= 1 || left.is_empty() {
            let core: Vec<Lit> = needed.into_iter().chain(left).collect();
            return self.relax(&core);
        }
        let tried = left.remove(0);
        self.stage = Stage::Minimise { needed, tried, left };
        Verdict::GoesOn
    }

    /// Raises the lower bound by a core's least weight, and relaxes the core.
    fn relax(&mut self, core: &[Lit]) -> Verdict {
        let weight = core.iter().map(|&lit| self.softs[lit].weight).min().expect("a core has literals");
        self.lower[self.level] += weight;
        self.counts.cores_relaxed += 1;
        self.counts.core_literals += core.len() as u64;
        let costs: Vec<Lit> = core.iter().map(|&lit| !lit).collect();
        if core.len() > 1 {
            self.reasons.push(Reason::Relaxed { level: self.level, weight, costs: costs.clone() });
        }
        for &lit in core {
            let soft = self.softs.of(lit);
            soft.weight -= weight;
            let counts = soft.counts;
            if soft.weight == 0 {
                self.softs.remove(lit);
            }
            if let Some((core, count)) = counts {
                self.count(core, count + 1, weight);
            }
        }
        if let &[lit] = core {
            self.additions.demand(std::iter::once(!lit));
            return self.descend();
        }
        let items = |lits: &[Lit]| lits.iter().map(|&lit| (lit, 1)).collect();
        self.additions.sums.push(Addition::Nogood(Lit::TRUE, items(core), core.len() as i64 - 1));
        self.cores.push(items(&costs));
        self.exhaust(self.cores.len() - 1, 2, weight)
    }

    /// Begins to find out whether `count` literals of relaxed core `core` are paid for sure.
    fn exhaust(&mut self, core: usize, count: i64, weight: i64) -> Verdict {
        let Some(output) = self.output(core, count) else { return self.descend() };
        self.counted(output, weight);
        if !self.tactics.exhaust {
            self.soft(output, core, count, weight);
            return self.descend();
        }
        if self.best.as_ref().is_some_and(|best| self.lower[self.level] >= best[self.level]) {
            // The priority is done, and no optimum pays for one more. All softs are demanded from now on.
            self.soft(output, core, count, weight);
            return self.descend();
        }
        self.stage = Stage::Exhaust { core, count, weight, output };
        Verdict::GoesOn
    }

    /// Adds `weight` to the soft that says that less than `count` literals of relaxed core `core` are paid.
    fn count(&mut self, core: usize, count: i64, weight: i64) {
        let known = self.softs.iter().find(|(_, soft)| soft.counts == Some((core, count)));
        if let Some(lit) = known.map(|(lit, _)| lit) {
            self.softs.of(lit).weight += weight;
            self.counted(lit, weight);
        } else if let Some(output) = self.output(core, count) {
            self.counted(output, weight);
            self.soft(output, core, count, weight);
        }
    }

    /// Makes a literal that says that less than `count` literals of relaxed core `core` are paid. `None` if the core is
    /// shorter than that.
    fn output(&mut self, core: usize, count: i64) -> Option<Lit> {
        let items = &self.cores[core];
        if count > items.len() as i64 {
            return None;
        }
        let atom = Lit::t(self.next.take(&mut self.additions));
        self.reasons.push(Reason::Stands(atom, count, items.clone()));
        self.additions.sums.push(Addition::Defined(atom, count, items.clone()));
        Some(!atom)
    }

    /// Concludes that the complement of `output` costs `weight` more than before.
    fn counted(&mut self, output: Lit, weight: i64) {
        self.reasons.push(Reason::Counted { level: self.level, weight, lit: !output });
    }

    fn soft(&mut self, output: Lit, core: usize, count: i64, weight: i64) {
        let waits = self.tactics.disjoint;
        self.softs.insert(output, Soft { weight, counts: Some((core, count)), waits });
    }

    /// The literals of a core, the lightest first.
    fn by_weight(&self, core: &[Lit]) -> Vec<Lit> {
        let mut lits: Vec<Lit> = core.to_vec();
        lits.sort_by_key(|lit| (self.softs.get(*lit).map_or(0, |soft| soft.weight), *lit));
        lits
    }
}

impl Tactic for Cores {
    fn demands_better(&self) -> bool {
        // A goal "better than the best" would make each step as hard as the proof that nothing is better.
        false
    }

    fn answered(&mut self, costs: &[i64]) -> Verdict {
        self.best = Some(costs.to_vec());
        match self.stage.clone() {
            Stage::Descend => self.after_stratum(),
            Stage::Minimise { .. } | Stage::Exhaust { .. } => self.gave_up(),
        }
    }

    fn told(&mut self, costs: &[i64]) -> Verdict {
        self.best = Some(costs.to_vec());
        let verdict = match self.stage {
            Stage::Descend => self.compare_bounds(),
            _ => Verdict::GoesOn,
        };
        match verdict {
            Verdict::GoesOn if self.additions.is_empty() => Verdict::Stays,
            verdict => verdict,
        }
    }

    fn refuted(&mut self, core: &[Lit]) -> Verdict {
        match self.stage.clone() {
            _ if core.is_empty() => {
                if let Some(best) = &self.best {
                    // No better answer set exists at all, so the bounds of lower priorities meet as well.
                    self.lower[self.level..].copy_from_slice(&best[self.level..]);
                }
                Verdict::Over
            }
            Stage::Descend if self.tactics.minimise == 0 || core.len() > LONGEST => self.relax(core),
            Stage::Descend => {
                let left = self.by_weight(core);
                self.minimise(Vec::new(), left)
            }
            Stage::Minimise { needed, left, .. } => {
                let stays = |lits: Vec<Lit>| -> Vec<Lit> {
                    lits.into_iter().filter(|lit| core.contains(lit)).collect()
                };
                let before = needed.len() + left.len() + 1;
                let (needed, left) = (stays(needed), stays(left));
                self.counts.core_literals_dropped += (before - needed.len() - left.len()) as u64;
                self.minimise(needed, left)
            }
            Stage::Exhaust { core, count, weight, output } => {
                self.lower[self.level] += weight;
                self.additions.demand(std::iter::once(!output));
                self.exhaust(core, count + 1, weight)
            }
        }
    }

    fn reasons(&mut self) -> Vec<Reason> {
        std::mem::take(&mut self.reasons)
    }

    fn gave_up(&mut self) -> Verdict {
        match self.stage.clone() {
            Stage::Descend => Verdict::GoesOn,
            Stage::Minimise { mut needed, tried, left } => {
                needed.push(tried);
                self.minimise(needed, left)
            }
            Stage::Exhaust { core, count, weight, output } => {
                self.soft(output, core, count, weight);
                self.descend()
            }
        }
    }

    fn assumptions(&self) -> Vec<Lit> {
        match &self.stage {
            Stage::Descend => {
                let is_assumed = |soft: &Soft| !soft.waits && soft.weight >= self.stratum;
                self.softs.iter().filter(|(_, soft)| is_assumed(soft)).map(|(lit, _)| lit).collect()
            }
            Stage::Minimise { needed, left, .. } => needed.iter().chain(left).copied().collect(),
            Stage::Exhaust { output, .. } => vec![*output],
        }
    }

    fn budget(&self) -> Option<u64> {
        match self.stage {
            Stage::Descend => None,
            Stage::Minimise { .. } => Some(self.tactics.minimise),
            Stage::Exhaust { .. } => Some(FEW),
        }
    }

    fn is_trial(&self) -> bool {
        !matches!(self.stage, Stage::Descend)
    }

    fn additions(&mut self) -> Additions {
        std::mem::take(&mut self.additions)
    }

    fn lower(&self) -> &[i64] {
        &self.lower
    }

    fn counts(&self) -> Statistics {
        self.counts.clone()
    }
}
