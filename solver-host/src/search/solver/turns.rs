//! A search for an optimum by two searches in turns, on one thread.
//!
//! Main function: [`Solver::search_in_turns`]. Covers and rotas are solved by cores at once, and hardly by one better
//! answer set after the other. For knapsacks and steel mills the opposite is the case. Nobody can tell from the program.
//! So there are two searches of the same problem: one by cores, which begins, and one by answer sets. Each has nogoods
//! of its own, because the sums that cores add make the nogoods of the other search longer. Each is told of the best
//! answer set that the other one has found, and one proof is enough.
//!
//! The longer nogoods are, the less of the search space each of them excludes. So the search that learns shorter nogoods
//! gets the longer turns, up to [`MOST`] times as long. Cores that raise no lower bound are worth nothing, so each turn of
//! theirs in vain halves the next one, down to a part of [`LEAST`] of the other search's.
//!
//! Invariant: the campaign has the guide of the search whose turn it is, and [`Solver::resume`] says how that search goes
//! on.

use super::{Others, Resume, Solver, Step};
use crate::search::campaign::guide::{Effort, Guide};
use crate::search::campaign::refuted::Refuted;
use crate::search::searcher::Searcher;
use crate::search::{SolveError, Statistics};

/// The most times by which the turns of one search are longer than those of the other, by what their nogoods say.
const MOST: f64 = 2.0;

/// By this power of the ratio of the nogoods' lengths turns differ.
const POWER: i32 = 4;

/// The turns of cores are at least so many times as long as those of the other search.
const LEAST: f64 = 1.0 / 8.0;

/// Whose turn it is, and for how long.
pub struct Turns {
    /// The search whose turn it is not. None before the first turn of the search by answer sets.
    parked: Option<Parked>,
    by_cores: bool,
    /// The propagations that two turns take together; nothing before the first turn is over.
    length: Option<u64>,
    /// What the present search has done when its turn ends: conflicts in the first turn, propagations in all others.
    ends: u64,
    /// The lower bound when the last turn of the cores began.
    lower: Vec<i64>,
    /// How many turns of the cores in a row have not raised the lower bound.
    in_vain: i32,
}

/// A search whose turn it is not.
struct Parked {
    searcher: Searcher,
    guide: Option<Guide>,
    resume: Resume,
    /// The counters of the best answer set that the search knows.
    known: Vec<i64>,
}

impl Turns {
    /// Turns of which the first, by cores, takes `first` conflicts.
    pub fn new(first: u64) -> Turns {
        Turns { parked: None, by_cores: true, length: None, ends: first, lower: Vec::new(), in_vain: 0 }
    }

    /// Adds the statistics of the search whose turn it is not, and of its guide.
    pub fn add_parked(&self, all: &mut Statistics) {
        let Some(parked) = &self.parked else { return };
        all.add(&parked.searcher.counts());
        if let Some(guide) = &parked.guide {
            all.add(&guide.counts());
        }
    }

    /// Whether the turn of a search that has done so much is over.
    fn is_over(&self, done: Effort) -> bool {
        self.ends <= if self.length.is_none() { done.conflicts } else { done.propagations }
    }

    /// The turn of a search that has done `done` is over, and that of the one that has done `other` begins. No answer set
    /// costs less than `lower`.
    fn begin_next(&mut self, done: Effort, other: Effort, lower: Vec<i64>) {
        if self.by_cores {
            self.in_vain = if self.lower == lower { self.in_vain + 1 } else { 0 };
        } else {
            self.lower = lower;
        }
        self.by_cores = !self.by_cores;
        let length = match self.length {
            None => done.propagations.saturating_mul(2).max(1),
            Some(length) if self.by_cores => length.saturating_add(length / 2 + 1),
            Some(length) => length,
        };
        self.length = Some(length);
        let (cores, steps) = if self.by_cores { (other, done) } else { (done, other) };
        let part = share(cores, steps, self.in_vain);
        let part = if self.by_cores { part } else { 1.0 - part };
        self.ends = other.propagations.saturating_add((length as f64 * part) as u64);
    }
}

/// Which part of two turns is the cores', if the search by cores and the one by answer sets have done so much, and if so
/// many turns of the cores were in vain.
fn share(cores: Effort, steps: Effort, in_vain: i32) -> f64 {
    let [cores, steps] = [cores, steps].map(|done| done.literals as f64 / done.conflicts.max(1) as f64);
    let by_length = match cores == 0.0 || steps == 0.0 {
        true => 1.0,
        false => (steps / cores).powi(POWER).clamp(1.0 / MOST, MOST),
    };
    let times = (by_length * 0.5f64.powi(in_vain)).max(LEAST);
    times / (1.0 + times)
}

impl Solver {
    /// Searches as [`Solver::search_alone`] does, by one search and by the other in turns.
    pub(super) fn search_in_turns(&mut self, interrupt: &dyn Fn() -> bool) -> Result<Step, SolveError> {
        loop {
            let step = self.search_alone(interrupt)?;
            if step != Step::Interrupted || !self.is_turn_over() || self.are_symmetries_due() {
                return Ok(step);
            }
            self.end_turn()?;
        }
    }

    /// Whether two searches take turns and the present one's is over.
    pub(super) fn is_turn_over(&self) -> bool {
        matches!(&self.others, Others::Turns(turns) if turns.is_over(self.searcher.effort()))
    }

    /// The number of conflicts of the search whose turn it is not.
    pub(super) fn parked_conflicts(&self) -> u64 {
        match &self.others {
            Others::Turns(turns) => {
                turns.parked.as_ref().map_or(0, |parked| parked.searcher.effort().conflicts)
            }
            _ => 0,
        }
    }

    /// Lets the other search go on. If there is no memory for it, the present one goes on alone.
    fn end_turn(&mut self) -> Result<(), SolveError> {
        let Others::Turns(mut turns) = std::mem::replace(&mut self.others, Others::None) else {
            return Ok(());
        };
        let parked = turns.parked.take().map_or_else(|| self.other_search(), Ok);
        let mut parked = match parked {
            Ok(parked) => parked,
            Err(lack) => {
                self.fewer = Some((1, lack));
                return Ok(());
            }
        };
        turns.begin_next(self.searcher.effort(), parked.searcher.effort(), self.campaign.plan.lower_bound());
        self.searcher.exchange(&mut parked.searcher);
        self.campaign.exchange_guide(&mut parked.guide);
        std::mem::swap(&mut self.resume, &mut parked.resume);
        let best = self.campaign.plan.best_counters();
        let is_news = std::mem::replace(&mut parked.known, best.clone()) != best;
        turns.parked = Some(parked);
        self.others = Others::Turns(turns);
        if is_news {
            self.tell_best()?;
        }
        Ok(())
    }

    /// The search by answer sets, which has not begun.
    fn other_search(&self) -> Result<Parked, SolveError> {
        let searcher = Searcher::new(&self.searcher.problem, self.searcher.options, |executor| executor)?;
        let next = self.campaign.task.prepared.vars;
        let guide = Guide::by_answers(self.campaign.plan.cost_levels(), next);
        Ok(Parked { searcher, guide, resume: Resume::Start, known: Vec::new() })
    }

    /// Tells the present search of the best answer set, which the other search has found.
    fn tell_best(&mut self) -> Result<(), SolveError> {
        let has_begun = !matches!(self.resume, Resume::Start);
        if self.campaign.is_guided() {
            // A search that begins is told by `start`.
            let refuted = if has_begun { self.told()? } else { None };
            return refuted.map_or(Ok(()), |refuted| self.end_phase(refuted));
        }
        // A launch may return right after the search has refuted everything.
        if let Some(refuted) = Refuted::by_one(&self.searcher.memory.state) {
            return self.end_phase(refuted);
        }
        self.campaign.plan.demand_better();
        // The bound on the costs is part of what propagation goes by, from level 1 on.
        if has_begun {
            self.searcher.begin_again()?;
        }
        self.searcher.memory.write_limits(&self.campaign.plan)?;
        if has_begun {
            self.searcher.start()?;
        }
        Ok(())
    }

    /// Ends the search whose turn it is not, if there is one. What it has counted stays in the sums.
    pub(super) fn end_turns(&mut self) {
        if !matches!(self.others, Others::Turns(_)) {
            return;
        }
        if let Others::Turns(turns) = std::mem::replace(&mut self.others, Others::None) {
            turns.add_parked(&mut self.searcher.statistics);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(conflicts: u64, literals: u64, propagations: u64) -> Effort {
        Effort { conflicts, literals, propagations }
    }

    #[test]
    fn shorter_nogoods_and_higher_bounds_make_longer_turns() {
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} {b}");
        near(share(done(10, 100, 0), done(10, 100, 0), 0), 0.5);
        near(share(done(10, 100, 0), done(5, 100, 0), 0), 2.0 / 3.0);
        near(share(done(10, 300, 0), done(10, 100, 0), 0), 1.0 / 3.0);
        near(share(done(0, 0, 0), done(10, 100, 0), 0), 0.5);
        near(share(done(10, 100, 0), done(10, 100, 0), 2), 1.0 / 5.0);
        near(share(done(10, 100, 0), done(10, 100, 0), 90), 1.0 / 9.0);
    }

    #[test]
    fn turns_become_longer() {
        let (alike, nothing) = (|propagations| done(300, 3000, propagations), done(0, 0, 0));
        let mut turns = Turns::new(300);
        assert!(!turns.is_over(done(299, 1, 1_000_000)) && turns.is_over(done(300, 1, 0)));
        // The cores took 1,000 propagations and raised the bound, and the other search gets as many.
        turns.begin_next(alike(1000), nothing, vec![3]);
        assert!(!turns.is_over(done(1_000_000, 1, 999)) && turns.is_over(done(0, 0, 1000)));
        // Of 3,001 propagations the cores get half.
        turns.begin_next(alike(1000), alike(1000), vec![3]);
        assert!(!turns.is_over(done(0, 0, 2499)) && turns.is_over(done(0, 0, 2500)));
        // They have not raised the bound, and the other search gets two thirds.
        turns.begin_next(alike(2500), alike(1000), vec![3]);
        assert!(!turns.is_over(done(0, 0, 2999)) && turns.is_over(done(0, 0, 3000)));
        // Of 4,502 propagations the cores get a third, which raise the bound.
        turns.begin_next(alike(3000), alike(2500), vec![3]);
        assert!(!turns.is_over(done(0, 0, 3999)) && turns.is_over(done(0, 0, 4000)));
        turns.begin_next(alike(4000), alike(3000), vec![4]);
        assert!(!turns.is_over(done(0, 0, 5250)) && turns.is_over(done(0, 0, 5251)));
    }
}
