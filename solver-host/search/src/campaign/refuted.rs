//! Refutations: what says that nothing is left to search under the goal and the bound in force.
//!
//! Main type: [`Refuted`]. Only the functions of this file make one, each from what the device, the preparation, a
//! tactic or all searchers of a crew have refuted. A search that was stopped, by whatever, has no refutation to
//! show, and so cannot say that all was searched: [`super::plan::Plan::conclude`] takes one.

use solver_gpu::layout::Hub;
use solver_gpu::State;
use yasmin_nogoods::Prepared;

/// Nothing is left to search in the present phase. See the module's documentation.
#[derive(Debug)]
#[must_use]
pub struct Refuted(());

impl Refuted {
    /// By the preparation, which has found that there is no answer set.
    pub fn by_preparing(prepared: &Prepared) -> Option<Refuted> {
        prepared.unsatisfiable.then_some(Refuted(()))
    }

    /// By one search, whose control words say that its search space is exhausted under what it assumes. If a guide leads
    /// the search, the guide says whether the refutation holds without the assumptions.
    pub fn by_one(state: &State) -> Option<Refuted> {
        (state.exhausted.load() != 0).then_some(Refuted(()))
    }

    /// By the answer set in the assignment of a search that is alone: if no decision led to it, there is no other.
    /// When projecting, only decisions on the atoms that count matter.
    pub fn by_only_answer(state: &State, projects: bool) -> Option<Refuted> {
        let last = if projects { &state.projected } else { &state.level };
        (last.load() == 1).then_some(Refuted(()))
    }

    /// By a tactic, if its verdict is that nothing is better than the best answer set.
    pub fn by_tactic(is_over: bool) -> Option<Refuted> {
        is_over.then_some(Refuted(()))
    }

    /// By all searchers of a crew: the words of their home, which is the home of one phase, say that no cube is left
    /// or that one searcher has searched everything. All searchers must have returned, so that whatever they found is
    /// told.
    pub fn by_all(home: &Hub, searching: usize) -> Option<Refuted> {
        (searching == 0 && home.done.load_relaxed() != 0).then_some(Refuted(()))
    }

    /// Tells all searchers of a home that one of them, with this number, has refuted what all of them search.
    pub fn tell(self, home: &Hub, number: u32) {
        home.winner.store_relaxed(1 + number);
        home.done.store_relaxed(1);
    }
}
