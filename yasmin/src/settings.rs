//! How a control searches: its options, and what they become for its searches.

use crate::control::Control;
use solver_host::device::DeviceKind;
use solver_host::program::DomainModification;
use solver_host::search::{Descent, Heuristic, OptStrategy, Options, ParallelMode};

impl Control {
    /// Searches by other options from the next question on. What was learned stays.
    pub fn set_options(&mut self, options: Options) {
        if self.options != options {
            self.grows();
            self.options = options;
        }
    }

    /// Says what the domain heuristic does to atoms without a directive of their own, from the next question
    /// on: nothing, if `how` is `None`. It has no effect unless [`Options::heuristic`] is
    /// [`Heuristic::Domain`].
    pub fn modify_domain(&mut self, how: Option<DomainModification>) {
        if self.domain != how {
            self.grows();
            self.domain = how;
        }
    }

    /// The options of a search.
    pub(crate) fn options(&self) -> Options {
        let mut options = self.options;
        if self.propagators.is_empty() && self.proofs.is_none() {
            return options;
        }
        if options.parallel_mode == ParallelMode::Auto {
            options.parallel_mode = ParallelMode::Searchers(1);
        }
        if options.device == DeviceKind::Auto {
            options.device = DeviceKind::Cpu;
        }
        if options.opt_strategy == OptStrategy::Auto {
            options.opt_strategy = OptStrategy::Bb(Descent::Lin);
        }
        options
    }

    /// What the domain heuristic does by default, if the options follow it.
    pub(crate) fn domain_of(&self, options: &Options) -> Option<DomainModification> {
        self.domain.filter(|_| options.heuristic == Heuristic::Domain)
    }
}
