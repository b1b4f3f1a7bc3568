//! In what the searchers on the processor differ, besides their seeds.
//!
//! Main function: [`Options::of_searcher`].
//!
//! Invariants: the first searchers search as the options say, and what is changed for others are options on which
//! preparing the problem does not depend, because all searchers share one problem.

use solver_gpu::hash::mix;

use super::{Options, Portfolio, Restarts};

/// When every second searcher restarts, in turn. Programs that have answer sets are often solved at once by restarts of
/// another kind, and refutations lose little, because what is learned is shared.
const OTHERS: [Restarts; 3] =
    [Restarts::Luby(100), Restarts::Geometric(100, 1.5), Restarts::Quality(20, 0.9)];

/// The first searcher that may differ: with two or three searchers, each of them counts.
const FIRST: usize = 3;

impl Options {
    /// The seed of searcher `number`, from 0: the first one has the search's.
    pub(crate) fn seed_of(&self, number: usize) -> u32 {
        mix(self.seed.wrapping_add(number as u64)) as u32
    }

    /// What the searchers of `--portfolio=many` change, a line `[solver.N]: OPTIONS` for each, as clasp writes portfolios.
    pub fn portfolio() -> String {
        let options = Options::default();
        let line = |number: usize| match options.of_searcher(number).restarts {
            restarts if restarts == options.restarts => format!("[solver.{number}]:\n"),
            restarts => format!("[solver.{number}]: --restarts={restarts}\n"),
        };
        (0..FIRST + 2 * OTHERS.len()).map(line).collect()
    }

    /// The options of searcher `number`, from 0, apart from its seed. Restarts that were asked for are everybody's.
    pub(crate) fn of_searcher(&self, number: usize) -> Options {
        let is_asked = self.restarts != Options::default().restarts;
        if self.portfolio == Portfolio::Seeds || is_asked || number < FIRST || number.is_multiple_of(2) {
            return *self;
        }
        Options { restarts: OTHERS[(number - FIRST) / 2 % OTHERS.len()], ..*self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searchers_differ_by_seeds_alone_if_asked() {
        let options = Options { seed: 7, portfolio: Portfolio::Seeds, ..Options::default() };
        assert!((0..40).all(|number| options.of_searcher(number) == options));
    }

    #[test]
    fn every_second_searcher_restarts_in_another_way() {
        let options = Options::default();
        let others: Vec<usize> = (0..12).filter(|&number| options.of_searcher(number) != options).collect();
        assert_eq!(others, [3, 5, 7, 9, 11]);
        let restarts = |number: usize| options.of_searcher(number).restarts;
        assert_eq!([3, 5, 7, 9].map(restarts), [OTHERS[0], OTHERS[1], OTHERS[2], OTHERS[0]]);
    }

    #[test]
    fn restarts_that_are_asked_for_stay() {
        let asked = Options { restarts: Restarts::Luby(7), ..Options::default() };
        assert!((0..40).all(|number| asked.of_searcher(number) == asked));
    }
}
