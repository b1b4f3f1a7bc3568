//! Whose turn it is, if two searches of one thread look for an optimum in turns.
//!
//! Main type: [`Turns`]. Covers and rotas are solved by cores at once, and hardly by one better answer set
//! after the other. For knapsacks and steel mills the opposite is the case. Nobody can tell from the program.
//! So there are two searches of the same problem: one by cores, which begins, and one by answer sets. Each
//! has nogoods of its own, because the sums that cores add make the nogoods of the other search longer.
//!
//! The longer nogoods are, the less of the search space each of them excludes. So the search that learns
//! shorter nogoods gets the longer turns, up to [`MOST`] times as long. Cores that hardly raise the lower bound
//! are worth little. So each turn of theirs in vain halves the next one, down to a part of [`LEAST`] of the
//! other search's.
//!
//! The solver's lead lets the searches go on.

use crate::effort::Effort;

/// The most times by which the nogoods' lengths make the turns of one search longer than those of the other.
const MOST: f64 = 2.0;

/// By this power of the ratio of the nogoods' lengths turns differ.
const POWER: i32 = 4;

/// The turns of cores are at least so many times as long as those of the other search.
const LEAST: f64 = 1.0 / 8.0;

/// A turn of the cores was in vain if more than so many turns like it are needed for the bounds to meet.
const FAR: i64 = 2;

/// The part of two turns beside a crew that is the cores', unless their last turn was in vain. Then it is
/// half.
const BESIDE: f64 = 0.75;

/// Whose turn it is, and for how long.
pub struct Turns {
    by_cores: bool,
    /// Whether a crew searches by answer sets besides.
    is_beside: bool,
    /// The propagations that two turns take together; nothing before the first turn is over.
    length: Option<u64>,
    /// What the present search has done when its turn ends: conflicts in the first turn, else propagations.
    ends: u64,
    /// The lower bound when the last turn ended.
    lower: Vec<i64>,
    /// How many turns of the cores in a row were in vain.
    in_vain: i32,
}

impl Turns {
    /// Turns of which the first, by cores, takes `first` conflicts.
    pub fn new(first: u64) -> Turns {
        Turns { by_cores: true, is_beside: false, length: None, ends: first, lower: Vec::new(), in_vain: 0 }
    }

    /// Turns beside a crew, of which the first, by cores, ends once that search has met so many conflicts.
    pub fn beside(ends: u64) -> Turns {
        Turns { is_beside: true, ..Turns::new(ends) }
    }

    /// Whether a crew searches besides.
    pub fn is_beside(&self) -> bool {
        self.is_beside
    }

    /// Whether the turn of a search that has done so much is over.
    pub fn is_over(&self, done: Effort) -> bool {
        self.ends <= if self.length.is_none() { done.conflicts } else { done.propagations }
    }

    /// The turn of a search that has done `done` is over, and that of the one that has done `other` begins.
    /// No answer set costs less than `lower`, and the best one that is known costs `best`.
    pub fn begin_next(&mut self, done: Effort, other: Effort, (lower, best): (Vec<i64>, Option<Vec<i64>>)) {
        if self.by_cores {
            let is_slow = is_slow(&self.lower, &lower, best.as_deref());
            self.in_vain = if is_slow { self.in_vain + 1 } else { 0 };
        }
        self.lower = lower;
        self.by_cores = !self.by_cores;
        let length = match self.length {
            None => done.propagations.saturating_mul(2).max(1),
            Some(length) if self.by_cores => length.saturating_add(length / 2 + 1),
            Some(length) => length,
        };
        self.length = Some(length);
        let (cores, steps) = if self.by_cores { (other, done) } else { (done, other) };
        let part = match self.is_beside {
            true if self.in_vain > 0 => 0.5,
            true => BESIDE,
            false => share(cores, steps, self.in_vain),
        };
        let part = if self.by_cores { part } else { 1.0 - part };
        self.ends = other.propagations.saturating_add((length as f64 * part) as u64);
    }
}

/// Whether a turn that has raised the lower bound from `before` to `lower` has done so little that many more
/// would be needed to reach the costs `best`.
fn is_slow(before: &[i64], lower: &[i64], best: Option<&[i64]>) -> bool {
    if before == lower {
        return true;
    }
    let Some(best) = best else { return false };
    // A turn that has ended with a priority was not slow.
    let level = lower.iter().zip(best).take_while(|(lower, best)| lower == best).count();
    match (before.get(level), lower.get(level)) {
        (Some(old), Some(new)) if before[..level] == lower[..level] => (best[level] - new) / FAR > new - old,
        _ => false,
    }
}

/// Which part of two turns is the cores', if the search by cores and the one by answer sets have done so
/// much, and if so many turns of the cores were in vain.
fn share(cores: Effort, steps: Effort, in_vain: i32) -> f64 {
    let [cores, steps] = [cores, steps].map(|done| done.literals as f64 / done.conflicts.max(1) as f64);
    let by_length = match cores == 0.0 || steps == 0.0 {
        true => 1.0,
        false => (steps / cores).powi(POWER).clamp(1.0 / MOST, MOST),
    };
    let times = (by_length * 0.5f64.powi(in_vain)).max(LEAST);
    times / (1.0 + times)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(conflicts: u64, literals: u64, propagations: u64) -> Effort {
        Effort { conflicts, literals, propagations, ..Effort::default() }
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
    fn cores_are_slow_that_need_many_more_turns() {
        let slow = |before: &[i64], lower: &[i64], best: &[i64]| is_slow(before, lower, Some(best));
        assert!(is_slow(&[3], &[3], None) && !is_slow(&[], &[0], None) && !is_slow(&[3], &[4], None));
        assert!(slow(&[3], &[4], &[9]) && !slow(&[3], &[5], &[9]));
        assert!(slow(&[7, 0], &[7, 1], &[7, 9]), "the first priority is done");
        assert!(!slow(&[6, 0], &[7, 1], &[7, 9]), "the turn has ended the first priority");
        assert!(!slow(&[6, 0], &[7, 9], &[7, 9]));
    }

    #[test]
    fn turns_become_longer() {
        let (alike, nothing) = (|propagations| done(300, 3000, propagations), done(0, 0, 0));
        let mut turns = Turns::new(300);
        assert!(!turns.is_over(done(299, 1, 1_000_000)) && turns.is_over(done(300, 1, 0)));
        // The cores took 1,000 propagations and raised the bound, and the other search gets as many.
        turns.begin_next(alike(1000), nothing, (vec![3], None));
        assert!(!turns.is_over(done(1_000_000, 1, 999)) && turns.is_over(done(0, 0, 1000)));
        // Of 3,001 propagations the cores get half.
        turns.begin_next(alike(1000), alike(1000), (vec![3], None));
        assert!(!turns.is_over(done(0, 0, 2499)) && turns.is_over(done(0, 0, 2500)));
        // They have not raised the bound, and the other search gets two thirds.
        turns.begin_next(alike(2500), alike(1000), (vec![3], None));
        assert!(!turns.is_over(done(0, 0, 2999)) && turns.is_over(done(0, 0, 3000)));
        // Of 4,502 propagations the cores get a third, which raise the bound.
        turns.begin_next(alike(3000), alike(2500), (vec![3], None));
        assert!(!turns.is_over(done(0, 0, 3999)) && turns.is_over(done(0, 0, 4000)));
        turns.begin_next(alike(4000), alike(3000), (vec![4], None));
        assert!(!turns.is_over(done(0, 0, 5250)) && turns.is_over(done(0, 0, 5251)));
    }
}
