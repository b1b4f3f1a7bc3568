//! Propagators of the library's user in a solver's search.
//!
//! Main functions: [`Solver::propagate_by`], before a search, and [`Solver::end_propagation`], after it. What
//! happens in between is in `searcher/propagation/`.

use super::{Others, Solver};
use crate::device::DeviceKind;
use crate::search::searcher::propagation::{Propagator, Wishes};
use crate::search::SolveError;
use std::sync::{Arc, Mutex};

impl Solver {
    /// Lets these propagators take part in the search from now on, in place of those that did before. The
    /// search is one of a single searcher on the processor.
    ///
    /// # Errors
    /// [`SolveError::Contradiction`] if the options say otherwise, symmetries are broken, or the search is
    /// traced or proved; [`SolveError::NoAtom`] if a watched literal is about no atom.
    pub fn propagate_by(
        &mut self,
        propagators: Vec<(Arc<Mutex<dyn Propagator>>, Wishes)>,
    ) -> Result<(), SolveError> {
        let refused = |why: &str| Err(SolveError::Contradiction(why.into()));
        if !propagators.is_empty() {
            if !matches!(self.searcher.options.device, DeviceKind::Cpu | DeviceKind::Simt) {
                return refused(
                    "propagators take part in searches on the processor alone: the device has to be cpu",
                );
            }
            if !matches!(self.others, Others::None) {
                return refused("propagators take part in a search by one searcher: ask for one");
            }
            if self.turns.is_some() {
                return refused(
                    "propagators take part in a search by one searcher: an optimum by turns has two",
                );
            }
            if self.searcher.is_traced() || self.searcher.is_proved() {
                return refused("a search with propagators is neither traced nor proved");
            }
            if self.campaign.task.are_symmetries_broken() {
                return refused("propagators know nothing of symmetries: keep all answer sets");
            }
        }
        self.searcher.propagate_by(propagators)
    }

    /// Tells the propagators that the search is over, so that they undo all decisions.
    ///
    /// # Errors
    /// Those of the propagators.
    pub fn end_propagation(&mut self) -> Result<(), SolveError> {
        self.searcher.end_propagation()
    }
}
