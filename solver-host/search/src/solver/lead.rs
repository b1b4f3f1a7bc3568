//! The solver's own search, which the solver drives on its caller's thread.
//!
//! Main type: [`Lead`]; main function: [`Lead::advance`]. What the campaign says of each event, the searcher
//! does (`obey`). The lead searches the whole search space until a crew has taken that over. A lead with a
//! guide (see [`crate::campaign::guide`]) then goes on beside the crew: the guide's assumptions are no part
//! of the search space, and other searchers do not have the variables that a guide adds.
//!
//! With [`Turns`] two searches share the lead's thread, one by cores and one by answer sets. Alone they take
//! turns as [`Turns`] says. Beside a crew, which goes from one answer set to a better one, the second search
//! looks into neighbourhoods of the best answer set alone. Each of both is told of the best answer set that
//! the other has found, and one proof is enough.
//!
//! Invariants: the lead has the search whose turn it is, the campaign has that search's guide, and
//! [`Lead::at`] says how that search goes on. The caller is told of each answer set of the lead before the
//! lead goes on.

use super::assumed::Assumed;
use super::turns::Turns;
use crate::campaign::guide::{Course, Guide};
use crate::campaign::plan::{AllSearched, Phase, Plan};
use crate::campaign::refuted::Refuted;
use crate::campaign::Campaign;
use crate::crew::member::Member;
use crate::crew::seat::IdleThread;
use crate::crew::shared::Shared;
use crate::crew::Crew;
use crate::effort::Effort;
use crate::options::{OptStrategy, Options, ParallelMode};
use crate::searcher::event::Event;
use crate::searcher::problem::Problem;
use crate::searcher::propagation::Taking;
use crate::searcher::Searcher;
use crate::{SolveError, Statistics};
use solver_gpu::Lit;
use std::sync::Arc;
use std::time::Instant;
use yasmin_device::Executor;

/// How many times as many conflicts as the first turn takes go by before the search by answer sets looks into
/// neighbourhoods.
const PATIENCE: u64 = 3;

/// The most rounds of a launch of which nothing but a refutation is wanted.
const TRIAL: u32 = 200;

/// Where a search is, which says what is to be done first when the search goes on.
pub enum At {
    /// Nothing was searched yet.
    Start,
    /// The search has found an answer set, and has not been asked for the next one.
    Told,
    /// Between two launches.
    Anywhere,
    /// Nothing is left to search.
    Over(AllSearched),
}

/// What a step of the lead came to.
pub enum Came {
    /// The lead goes on.
    Paused,
    /// Nothing is left to search in the present phase.
    Refuted(Refuted),
    /// The caller asked to stop.
    Interrupted,
}

/// How a search was left that is to go on under other assumptions.
pub enum Left {
    /// All that was learned holds, and nothing is under way.
    Clean,
    /// All that was learned holds, and a conflict may be under way.
    HalfWay,
    /// What was learned may exclude answer sets.
    Unclean,
}

/// See the module's documentation.
pub struct Lead {
    pub searcher: Searcher,
    pub at: At,
    /// Whose turn it is, if two searches take turns.
    pub turns: Option<Turns>,
    /// The search whose turn it is not. None before the first turn of the search by answer sets.
    pub parked: Option<Box<Parked>>,
    /// When the caller last asked for an answer set.
    pub asked_at: Instant,
}

/// A search whose turn it is not.
pub struct Parked {
    searcher: Searcher,
    guide: Option<Guide>,
    at: At,
    /// The counters of the best answer set that the search knows.
    known: Vec<i64>,
}

impl Parked {
    /// Adds the statistics of the search, and of its guide.
    pub fn add_to(&self, all: &mut Statistics) {
        all.add(&self.searcher.counts());
        if let Some(guide) = &self.guide {
            all.add(&guide.tactic.counts());
        }
    }
}

impl Lead {
    /// A search that has not begun, and the campaign that it is for. The search is on an executor that
    /// `wrap` makes of the problem's.
    ///
    /// # Errors
    /// As for [`Searcher::new`].
    pub fn of(
        problem: &Arc<Problem>,
        options: Options,
        wrap: impl FnOnce(Box<dyn Executor>) -> Box<dyn Executor>,
    ) -> Result<(Lead, Campaign), SolveError> {
        let asked_at = Instant::now();
        let (mut campaign, all) = Campaign::new(&problem.task, &options);
        let mut searcher = Searcher::new(problem, options, wrap)?;
        if !campaign.demands_better() {
            searcher.memory.set_goal(None);
            searcher.memory.keep_phases(&options)?;
        }
        // Where the strategy is open, other searchers take the place of turns.
        let is_alone = options.parallel_mode == ParallelMode::Searchers(1);
        let takes_turns = is_alone || options.opt_strategy != OptStrategy::Auto;
        let first = options.opt_strategy.first_turn().filter(|_| campaign.is_guided());
        let may_be_near = options.near_best > 0 && campaign.plan.phase() == Phase::Improve;
        if first.is_some() || may_be_near {
            campaign.plan.note_choices(problem.program(), &problem.task.prepared);
        }
        let turns = first.filter(|_| takes_turns).map(Turns::new);
        let at = all.map_or(At::Start, At::Over);
        Ok((Lead { searcher, at, turns, parked: None, asked_at }, campaign))
    }

    /// Makes one launch. What was found is kept in the campaign.
    pub fn advance(
        &mut self,
        campaign: &mut Campaign,
        interrupt: &dyn Fn() -> bool,
    ) -> Result<Came, SolveError> {
        let rounds = self.searcher.memory.rounds_a_launch;
        if campaign.is_trial() {
            self.searcher.memory.rounds_a_launch = rounds.min(TRIAL);
        }
        let event = self.searcher.advance(interrupt);
        self.searcher.memory.rounds_a_launch = rounds;
        let event = event?;
        if !self.searcher.found.is_empty() {
            self.at = At::Told;
            campaign.kept.extend(self.searcher.found.drain(..));
        }
        let refuted = match event {
            Event::Paused => self.between(campaign)?,
            Event::Exhausted => self.refuted(campaign)?,
            Event::Answer(answer) if campaign.is_told(&answer) => {
                self.searcher.trace_answer()?;
                self.searcher.prove_answer(&answer)?;
                campaign.kept.push_back(answer);
                self.at = At::Told;
                None
            }
            Event::Answer(_) => self.answered(campaign)?,
            Event::Interrupted => return Ok(Came::Interrupted),
            Event::Idle => return Err(SolveError::Internal("the solver's own search waits for others")),
        };
        Ok(refuted.map_or(Came::Paused, Came::Refuted))
    }

    /// Makes one launch of a search with a guide beside the searchers of `home`, or does what is due
    /// before. An answer set of either side is an upper bound for both. Returns a refutation if nothing is
    /// better than the best one.
    pub fn advance_beside(
        &mut self,
        campaign: &mut Campaign,
        assumed: Option<&Assumed>,
        home: &Shared,
        interrupt: &dyn Fn() -> bool,
    ) -> Result<Option<Refuted>, SolveError> {
        let began = Instant::now();
        let mut refuted = None;
        if matches!(self.at, At::Start | At::Told) {
            home.tell_best(&campaign.plan);
            refuted = self.go_on(campaign, assumed)?;
        } else if !campaign.guide_knows_best() {
            refuted = self.tell_best(campaign)?;
        } else if self.is_turn_over() {
            refuted = self.end_turn(campaign, drop)?;
        } else if let Came::Refuted(by) = self.advance(campaign, interrupt)? {
            refuted = Some(by);
        }
        self.searcher.statistics.swarm.searcher_seconds += began.elapsed().as_secs_f64();
        Ok(refuted)
    }

    /// Does what comes before the next launch: begins the search, or asks for the answer set after the one
    /// that was told. Returns a refutation if a guide knows that there is no better answer set.
    pub fn go_on(
        &mut self,
        campaign: &mut Campaign,
        assumed: Option<&Assumed>,
    ) -> Result<Option<Refuted>, SolveError> {
        match std::mem::replace(&mut self.at, At::Anywhere) {
            At::Start => self.begin(campaign, assumed),
            At::Told if !self.searcher.keeps_answers() => self.answered(campaign),
            At::Told | At::Anywhere => Ok(None),
            At::Over(all) => {
                self.at = At::Over(all);
                Ok(None)
            }
        }
    }

    /// Begins a search without an assignment.
    fn begin(
        &mut self,
        campaign: &mut Campaign,
        assumed: Option<&Assumed>,
    ) -> Result<Option<Refuted>, SolveError> {
        self.searcher.start()?;
        if assumed.is_some() {
            return self.assume(&campaign.plan, assumed).map(|()| None);
        }
        let refuted = self.ask(campaign, |guide, _, done| guide.begins(done))?;
        // The search may begin with an answer set, if it begins anew.
        match refuted.is_none() && !campaign.guide_knows_best() {
            true => self.ask(campaign, Guide::told),
            false => Ok(refuted),
        }
    }

    /// Lets the search, of which nothing is under way, decide on the user's assumptions first.
    pub fn assume(&mut self, plan: &Plan, assumed: Option<&Assumed>) -> Result<(), SolveError> {
        let Some(assumed) = assumed else { return Ok(()) };
        self.searcher.retire_guard()?;
        let mut lits = assumed.open().to_vec();
        // Nothing is flipped and no goal is tightened by a search that stops at its first answer set.
        let excludes_answers = !self.searcher.stops_at_answers || plan.has_goal();
        if assumed.is_apart && excludes_answers || !assumed.nogoods.is_empty() {
            let goals = if assumed.is_apart { plan.goals() } else { Vec::new() };
            lits.push(self.searcher.guard(&assumed.nogoods, &goals)?);
        }
        self.searcher.assume(&lits)
    }

    /// How the search under the assumptions `before` was left, which a crew may have searched, if answer sets
    /// were enumerated.
    pub fn left(&self, before: Option<&Assumed>, crew: Option<&Crew>) -> Left {
        let searcher = &self.searcher;
        let Some(before) = before.filter(|before| before.is_searched && !searcher.is_tagged) else {
            return Left::Unclean;
        };
        let is_after = |found| searcher.statistics.answer_sets == before.found + found;
        match (crew, &self.at) {
            (Some(crew), _) if crew.goes_on_from_none(before.found) => Left::HalfWay,
            (Some(_), _) => Left::Unclean,
            (None, At::Over(_)) if before.core.is_some() => Left::Clean,
            (None, At::Told) if is_after(1) && !searcher.keeps_answers() => Left::Clean,
            (None, At::Anywhere) if is_after(0) => Left::HalfWay,
            _ => Left::Unclean,
        }
    }

    /// Notes the core, if the search has ended without an answer set under assumptions.
    pub fn note_core(&mut self, assumed: &mut Assumed, crew: Option<&Crew>) -> Result<(), SolveError> {
        if assumed.core.is_some() || self.searcher.statistics.answer_sets > assumed.found {
            return Ok(());
        }
        let core = match crew {
            Some(crew) => crew.core(&assumed.open()),
            None => self.searcher.memory.core()?,
        };
        assumed.note_core(&core);
        Ok(())
    }

    /// Writes that nothing is left of a call, if calls are proved.
    pub fn prove_end_of_call(&mut self, assumed: Option<&Assumed>) -> Result<(), SolveError> {
        let Some(assumed) = assumed else { return Ok(()) };
        let all = || assumed.lits.iter().map(|&(named, _)| named).collect();
        let core: Vec<Lit> = assumed.core.clone().unwrap_or_else(all);
        self.searcher.prove_end_of_call(&core)
    }

    /// Adds the number of answer sets that were counted, if there are some.
    pub fn note_counted(&mut self, counted: Option<u64>) -> Option<u64> {
        self.searcher.statistics.answer_sets += counted.unwrap_or(0);
        counted
    }

    /// Begins the plan's present phase.
    pub fn begin_phase(
        &mut self,
        campaign: &mut Campaign,
        assumed: Option<&Assumed>,
    ) -> Result<(), SolveError> {
        if campaign.drop_guide() {
            self.searcher.forget_orders()?;
        }
        match assumed.is_some_and(|assumed| assumed.is_apart) {
            true => self.searcher.begin_phase_again(&campaign.plan)?,
            false => self.searcher.begin_phase(&campaign.plan)?,
        }
        self.searcher.trace_again()?;
        self.searcher.start()?;
        self.at = At::Anywhere;
        self.assume(&campaign.plan, assumed)
    }

    /// Asks for the answer set after the last one, or for a better one. Returns a refutation if a guide knows
    /// that there is none.
    fn answered(&mut self, campaign: &mut Campaign) -> Result<Option<Refuted>, SolveError> {
        if campaign.demands_better() {
            self.searcher.ask_for_next()?;
        }
        if !campaign.is_guided() {
            return Ok(None);
        }
        // The search may have refuted by itself that a better answer set exists. If it assumes a guess, that
        // allows every answer set that is better than the one found under the guess, so the refutation holds
        // without it.
        if let Some(refuted) = Refuted::by_one(&self.searcher.memory.state) {
            let core = self.refuted_core()?;
            if !campaign.is_local(&core) {
                campaign.conclude(&core);
                let reasons = campaign.reasons();
                self.searcher.prove_reasons(reasons)?;
                return Ok(Some(refuted));
            }
        }
        self.ask(campaign, Guide::answered)
    }

    /// Called between two launches. Gives assumptions up that have taken more conflicts than a guide allows.
    fn between(&mut self, campaign: &mut Campaign) -> Result<Option<Refuted>, SolveError> {
        match self.searcher.is_pending() {
            true => Ok(None),
            false => self.ask(campaign, Guide::between),
        }
    }

    /// Called when the search space is exhausted under what the search assumes. Lets the search go on under
    /// other assumptions, or returns a refutation if there are none.
    fn refuted(&mut self, campaign: &mut Campaign) -> Result<Option<Refuted>, SolveError> {
        let Some(refuted) = Refuted::by_one(&self.searcher.memory.state) else {
            return Err(SolveError::Internal("a search has ended that is not exhausted"));
        };
        let core = if campaign.is_guided() { self.refuted_core()? } else { Vec::new() };
        let course = campaign.refuted(refuted, &core, self.searcher.effort());
        self.obey(campaign, course)
    }

    /// The assumptions that a refutation needs, which the proof is told of.
    fn refuted_core(&mut self) -> Result<Vec<Lit>, SolveError> {
        let core = self.searcher.memory.core()?;
        self.searcher.trace_core(&core)?;
        self.searcher.prove_core(&core)?;
        Ok(core)
    }

    /// Asks the guide, if there is one, and lets the searcher do what it says.
    fn ask(
        &mut self,
        campaign: &mut Campaign,
        guide: fn(&mut Guide, &mut Plan, Effort) -> Course,
    ) -> Result<Option<Refuted>, SolveError> {
        let course = campaign.ask(guide, self.searcher.effort());
        self.obey(campaign, course)
    }

    /// Lets the searcher do what the campaign says. Returns a refutation if nothing is left to search.
    fn obey(&mut self, campaign: &mut Campaign, course: Course) -> Result<Option<Refuted>, SolveError> {
        let reasons = campaign.reasons();
        self.searcher.prove_reasons(reasons)?;
        if campaign.is_guided() {
            self.searcher.trace_bound(|| campaign.plan.lower_bound())?;
        }
        match course {
            Course::Same => Ok(None),
            Course::Follows(orders) => self.searcher.follow(&orders).map(|()| None),
            Course::Ends(refuted) => Ok(Some(refuted)),
        }
    }

    /// Tells the search of the best answer set, which another search has found. Returns a refutation if
    /// nothing is better.
    pub fn tell_best(&mut self, campaign: &mut Campaign) -> Result<Option<Refuted>, SolveError> {
        let has_begun = !matches!(self.at, At::Start);
        let is_bounded = campaign.is_bounded_by_goal();
        // A search that begins is told by `begin`.
        if !is_bounded && !has_begun {
            return Ok(None);
        }
        // A launch may have returned right after the search has refuted what it searches. New assumptions, or
        // a new beginning, would let it forget that, with a conflict that no further round sees.
        if Refuted::by_one(&self.searcher.memory.state).is_some() {
            if let Some(refuted) = self.refuted(campaign)? {
                return Ok(Some(refuted));
            }
        }
        if !is_bounded {
            return self.ask(campaign, Guide::told);
        }
        campaign.plan.demand_better();
        // The bound on the costs is part of what propagation goes by, from level 1 on.
        if has_begun {
            self.searcher.begin_again()?;
            self.at = At::Start;
        }
        self.searcher.memory.write_limits(&campaign.plan)?;
        Ok(None)
    }

    /// Tells the goal that the search has reached to the searchers that join in.
    pub fn tell_goal(&mut self, campaign: &Campaign, home: &Shared) -> Result<(), SolveError> {
        match campaign.plan.phase() {
            Phase::Enumerate => {}
            Phase::Improve => home.tell_best(&campaign.plan),
            Phase::Narrow => {
                let known = self.searcher.known_items()?;
                for &i in &known {
                    home.view.known.get(i / 32).fetch_or(1 << (i % 32));
                }
                if !known.is_empty() {
                    home.hub().bound_version.store_release(2);
                }
            }
        }
        Ok(())
    }

    /// Gives seats to the members of a crew. Unless the lead has a guide, the first member goes on with its
    /// search.
    pub fn seat(
        &mut self,
        crew: &mut Crew,
        members: Vec<(Member, IdleThread)>,
        is_guided: bool,
        taking: &[Taking],
    ) -> Result<(), SolveError> {
        for (number, (mut member, thread)) in members.into_iter().enumerate() {
            let goes_on = number == 0 && !is_guided;
            if goes_on {
                self.searcher.exchange(&mut member.searcher);
                self.searcher.leave_proof();
            }
            member.searcher.memory.search.settings.seed = self.searcher.options.seed_of(number);
            if !goes_on {
                member.searcher.propagate_by((number + is_guided as usize) as u32, taking.to_vec())?;
            }
            crew.add(member, 1, thread)?;
        }
        Ok(())
    }

    /// Lets two searches take turns beside a crew. A search that is proved goes on alone, as a proof follows
    /// one search of each thread.
    pub fn take_turns_beside(&mut self) {
        let first = self.searcher.options.opt_strategy.first_turn().filter(|_| !self.searcher.is_proved());
        let ends = first.map(|first| self.searcher.conflicts().saturating_add(first));
        self.turns = ends.map(Turns::beside);
    }

    /// Whether two searches take turns and the present one's is over.
    pub fn is_turn_over(&self) -> bool {
        self.turns.as_ref().is_some_and(|turns| turns.is_over(self.searcher.effort()))
    }

    /// The number of conflicts of the search whose turn it is not.
    pub fn parked_conflicts(&self) -> u64 {
        self.parked.as_ref().map_or(0, |parked| parked.searcher.conflicts())
    }

    /// Makes the other search of two that take turns, unless there is one.
    ///
    /// # Errors
    /// If there is no memory for it: then the present search goes on alone.
    fn make_other(&mut self, campaign: &Campaign) -> Result<(), SolveError> {
        let Some(turns) = self.turns.as_ref().filter(|_| self.parked.is_none()) else { return Ok(()) };
        match self.other_search(campaign, turns.is_beside()) {
            Ok(other) => self.parked = Some(Box::new(other)),
            Err(lack) => {
                self.turns = None;
                return Err(lack);
            }
        }
        Ok(())
    }

    /// Lets the other search go on, if there are two. If there is no memory for the other one, which is
    /// told, the present one goes on alone. Returns a refutation if the other search knows that nothing is
    /// better than the best answer set.
    ///
    /// # Errors
    /// If the device fails.
    pub fn end_turn(
        &mut self,
        campaign: &mut Campaign,
        lacks: impl FnOnce(SolveError),
    ) -> Result<Option<Refuted>, SolveError> {
        if let Err(lack) = self.make_other(campaign) {
            lacks(lack);
        }
        let (Some(turns), Some(parked)) = (&mut self.turns, &mut self.parked) else { return Ok(None) };
        let bounds = (campaign.plan.lower_bound(), campaign.plan.best().map(<[i64]>::to_vec));
        turns.begin_next(self.searcher.effort(), parked.searcher.effort(), bounds);
        self.searcher.exchange(&mut parked.searcher);
        campaign.exchange_guide(&mut parked.guide);
        std::mem::swap(&mut self.at, &mut parked.at);
        let best = campaign.plan.best_counters();
        let is_news = std::mem::replace(&mut parked.known, best.clone()) != best;
        match is_news {
            true => self.tell_best(campaign),
            false => Ok(None),
        }
    }

    /// The search by answer sets, which has not begun.
    fn other_search(&self, campaign: &Campaign, is_beside: bool) -> Result<Parked, SolveError> {
        let searcher = Searcher::new(&self.searcher.problem, self.searcher.options, |executor| executor)?;
        let next = campaign.task.prepared.vars;
        let options = &self.searcher.options;
        let first = match is_beside {
            true => 0,
            false => options.opt_strategy.first_turn().unwrap_or(0).saturating_mul(PATIENCE),
        };
        let guide = Guide::by_answers(campaign.plan.cost_levels(), next, first, options.seed);
        Ok(Parked { searcher, guide: Some(guide), at: At::Start, known: Vec::new() })
    }

    /// Ends the search whose turn it is not, if there is one. What it has counted stays in the sums.
    pub fn end_turns(&mut self) {
        self.turns = None;
        if let Some(parked) = self.parked.take() {
            parked.add_to(&mut self.searcher.statistics);
        }
    }

    /// Drops the guide, so that the search goes from one answer set to a better one, without assumptions.
    pub fn leave_guide(&mut self, campaign: &mut Campaign) {
        if campaign.drop_guide() {
            self.searcher.assume_nothing(&campaign.plan);
        }
    }
}

#[cfg(test)]
mod tests;
