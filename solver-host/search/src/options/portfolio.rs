//! In what the searchers on the processor differ, besides their seeds.
//!
//! Main function: [`Options::of_searcher`].
//!
//! Invariants: the first searcher searches as the options say, and what is changed for others are options on which
//! preparing the problem does not depend, because all searchers share one problem.

use solver_gpu::hash::mix;

use super::{Decide, Heuristic, Learning, Options, Portfolio, Restarts};

/// What a searcher changes; nothing where there is no value.
#[derive(Clone, Copy, Debug)]
struct Changes {
    restarts: Option<Restarts>,
    heuristic: Option<Heuristic>,
    learning: Option<Learning>,
    rephase: Option<u32>,
    keep_learned: Option<u32>,
}

const NO_CHANGE: Changes =
    Changes { restarts: None, heuristic: None, learning: None, rephase: None, keep_learned: None };

/// What the searchers from the second on change, in turn. As with clasp's `many`, those at the front do well on many
/// programs, and those at the end on a few.
const MANY: [Changes; 11] = [
    Changes { restarts: Some(Restarts::Luby(100)), ..NO_CHANGE },
    Changes { restarts: Some(Restarts::Geometric(128, 1.5)), rephase: Some(0), ..NO_CHANGE },
    Changes { restarts: Some(Restarts::Quality(100, 0.7)), keep_learned: Some(6000), ..NO_CHANGE },
    Changes { learning: Some(Learning::Both), restarts: Some(Restarts::Luby(64)), ..NO_CHANGE },
    Changes { rephase: Some(300), keep_learned: Some(1000), ..NO_CHANGE },
    Changes { heuristic: Some(Heuristic::JeroslowWang), restarts: Some(Restarts::Luby(128)), ..NO_CHANGE },
    Changes { restarts: Some(Restarts::Quality(20, 0.9)), rephase: Some(0), ..NO_CHANGE },
    Changes { learning: Some(Learning::Forward), restarts: Some(Restarts::Geometric(100, 1.5)), ..NO_CHANGE },
    Changes { restarts: Some(Restarts::Geometric(16, 1.0)), keep_learned: Some(4000), ..NO_CHANGE },
    Changes { heuristic: Some(Heuristic::Occurrences), restarts: Some(Restarts::Luby(32)), ..NO_CHANGE },
    Changes {
        restarts: Some(Restarts::Luby(512)),
        rephase: Some(5000),
        keep_learned: Some(8000),
        ..NO_CHANGE
    },
];

impl Options {
    /// The seed of searcher `number`, from 0: the first one has the search's.
    pub(crate) fn seed_of(&self, number: usize) -> u32 {
        mix(self.seed.wrapping_add(number as u64)) as u32
    }

    /// What the searchers of `--portfolio=many` change, a line `[solver.N]: OPTIONS` for each, as clasp writes portfolios.
    pub fn portfolio() -> String {
        let line = |(number, of): (usize, &Changes)| {
            let said = [
                of.restarts.map(|restarts| format!(" --restarts={restarts}")),
                of.heuristic.map(|heuristic| format!(" --heuristic={heuristic}")),
                of.learning.map(|learning| format!(" --learning={learning}")),
                of.rephase.map(|rephase| format!(" --rephase={rephase}")),
                of.keep_learned.map(|keep| format!(" --keep-learned={keep}")),
            ];
            format!("[solver.{number}]:{}\n", said.into_iter().flatten().collect::<String>())
        };
        std::iter::once(&NO_CHANGE).chain(&MANY).enumerate().map(line).collect()
    }

    /// The options of searcher `number`, from 0, apart from its seed.
    pub(crate) fn of_searcher(&self, number: usize) -> Options {
        if self.portfolio == Portfolio::Seeds || number == 0 {
            return *self;
        }
        let of = MANY[(number - 1) % MANY.len()];
        // Directives hold for all searchers.
        let follows = self.heuristic == Heuristic::Domain;
        Options {
            restarts: of.restarts.unwrap_or(self.restarts),
            heuristic: of.heuristic.filter(|_| !follows).unwrap_or(self.heuristic),
            learning: of.learning.unwrap_or(self.learning),
            // Phases are not saved if only what is applicable is decided.
            rephase: of.rephase.filter(|_| self.decide == Decide::Any).unwrap_or(self.rephase),
            keep_learned: of.keep_learned.unwrap_or(self.keep_learned),
            ..*self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searchers_differ_by_seeds_alone_unless_asked() {
        let options = Options { seed: 7, ..Options::default() };
        assert!((0..40).all(|number| options.of_searcher(number) == options));
    }

    #[test]
    fn each_searcher_of_many_differs_from_the_others() {
        let options = Options { portfolio: Portfolio::Many, ..Options::default() };
        assert_eq!(options.of_searcher(0), options);
        let all: Vec<Options> = (0..=MANY.len()).map(|number| options.of_searcher(number)).collect();
        for (number, of) in all.iter().enumerate() {
            assert!(!all[..number].contains(of), "{number}");
        }
        assert_eq!(options.of_searcher(MANY.len() + 1), all[1], "they come in turn");
        for way in [Learning::Resolution, Learning::Forward, Learning::Both] {
            assert!(all.iter().any(|of| of.learning == way), "{way}");
        }
    }

    #[test]
    fn what_is_asked_for_stays() {
        let asked = Options {
            portfolio: Portfolio::Many,
            heuristic: Heuristic::Domain,
            decide: Decide::Applicable,
            rephase: 77,
            ..Options::default()
        };
        for of in (0..40).map(|number| asked.of_searcher(number)) {
            assert_eq!((of.heuristic, of.rephase, of.seed), (asked.heuristic, asked.rephase, asked.seed));
        }
    }
}
