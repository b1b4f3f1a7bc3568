//! A search for an optimum beside a crew, by another strategy than the solver's own search.
//!
//! Main type: [`Consort`]. Nobody can tell from a program which way to its optimum is short. So where
//! there are many searchers, a few of them have a guide of their own (see [`crate::campaign::guide`]), as
//! the lead has one. A consort is a lead on a thread of the crew. Its guide adds variables that others do
//! not have, so that it shares no nogoods. Answer sets of either side are bounds for both.

use super::lead::Lead;
use crate::campaign::plan::Phase;
use crate::campaign::Campaign;
use crate::crew::news::Command;
use crate::crew::seat::Mate;
use crate::crew::shared::Shared;
use crate::options::{Descent, OptStrategy, Options, ParallelMode};
use crate::searcher::event::Event;
use crate::searcher::problem::Problem;
use crate::{AnswerSet, SolveError, Statistics};
use std::sync::Arc;
use std::time::Duration;

/// The strategies of consorts, each of which takes one of so many searchers.
const STRATEGIES: [(usize, OptStrategy); 1] = [(8, OptStrategy::Bb(Descent::Dec))];

/// The strategies of the consorts of a crew of so many searchers.
pub fn strategies(searchers: usize) -> Vec<OptStrategy> {
    STRATEGIES.into_iter().filter(|(least, _)| searchers >= *least).map(|(_, strategy)| strategy).collect()
}

/// See the module's documentation.
pub struct Consort {
    problem: Arc<Problem>,
    options: Options,
    seed: u32,
    /// The number of the searcher among all searchers of the crew.
    number: u32,
    /// The search, in the phase in which an optimum is looked for, until it has ended.
    search: Option<(Lead, Campaign)>,
    found: Vec<AnswerSet>,
    /// What earlier searches have counted.
    before: Statistics,
}

impl Consort {
    /// A consort of a lead, which waits for commands.
    pub fn new(lead: &Lead, strategy: OptStrategy, seed: u32) -> Consort {
        let of = &lead.searcher;
        let parallel_mode = ParallelMode::Searchers(1);
        let options = Options { opt_strategy: strategy, parallel_mode, ..of.options };
        let before = Statistics { device: of.statistics.device.clone(), ..Statistics::default() };
        Consort {
            problem: of.problem.clone(),
            options,
            seed,
            number: 0,
            search: None,
            found: Vec::new(),
            before,
        }
    }
}

impl Mate for Consort {
    fn begin(&mut self, command: &Command) -> Result<(), SolveError> {
        self.number = command.place.first;
        if command.plan.phase() == Phase::Improve {
            let (mut lead, campaign) = Lead::of(&self.problem, self.options, |executor| executor)?;
            lead.searcher.memory.search.settings.seed = self.seed;
            self.search = Some((lead, campaign));
        }
        Ok(())
    }

    fn advance(&mut self, home: &Shared) -> Result<Event, SolveError> {
        let Some((lead, campaign)) = &mut self.search else { return Ok(Event::Idle) };
        if let Some(most) = home.bound() {
            campaign.plan.hear_of_better(&most);
        }
        let refuted = lead.advance_beside(campaign, None, home, &|| home.is_over())?;
        while let Some(answer) = campaign.kept.pop_front() {
            if campaign.is_news(&answer) {
                self.found.push(campaign.judged(answer));
            }
        }
        if let Some(refuted) = refuted {
            refuted.tell(home.hub(), self.number);
        }
        Ok(Event::Paused)
    }

    fn found(&mut self) -> Vec<AnswerSet> {
        let found = std::mem::take(&mut self.found);
        self.before.answer_sets += found.len() as u64;
        found
    }

    fn end(&mut self) -> Result<(), SolveError> {
        self.before = self.counts().0;
        self.search = None;
        Ok(())
    }

    fn note_time(&mut self, _: Duration, _: bool) {}

    fn counts(&self) -> (Statistics, u64) {
        let mut all = self.before.clone();
        if let Some((lead, campaign)) = &self.search {
            all.add(&lead.searcher.counts());
            all.add(&campaign.counts());
        }
        (all, 0)
    }
}

#[cfg(test)]
mod tests;
