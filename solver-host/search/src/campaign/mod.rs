//! What is asked of a solver, and what is known so far: the goal, the bounds, the way to the optimum, and the checks of
//! what is told. Nothing here knows a device.
//!
//! Main type: [`Campaign`]. It is told what searches come to, and says what is news, what each search does next, and
//! when all was searched.

pub mod checking;
pub mod guide;
pub mod plan;
pub mod question;
pub mod refuted;
mod repeats;
pub mod task;
mod verifying;
mod watch;

use super::effort::Effort;
use super::options::Options;
use super::{AnswerSet, SolveError, Statistics};
use checking::Checking;
use guide::{Course, Guide, Reason};
use plan::{Conclusion, Phase, Plan};
use refuted::Refuted;
use repeats::Repeats;
use solver_gpu::Lit;
use std::collections::VecDeque;
use std::sync::Arc;
use task::Task;

/// Why a goal is refused while symmetries are broken.
const ONE_ONLY: &str =
    "of the answer sets that are symmetric one is kept: ask for one answer set (-n 1) or for one \
                        optimum, or say --symmetry=no";

/// See the module's documentation.
pub struct Campaign {
    /// The program and the goal.
    pub task: Arc<Task>,
    /// How the goal is pursued.
    pub plan: Plan,
    /// The way to the optimum, if an optimum is looked for by another way than by one answer set after another.
    guide: Option<Guide>,
    /// Answer sets that were found and that nobody has asked for yet.
    pub kept: VecDeque<AnswerSet>,
    /// How many answer sets the caller is going to ask for; 0: all.
    pub wanted: u64,
    /// Whether the caller wants to know only how many there are.
    pub only_counts: bool,
    /// A lower bound that the caller knows: the search is interrupted as soon as a higher one is found.
    pub known_bound: Option<Vec<i64>>,
    /// What was told, if a process may go away whose cubes others search again.
    repeats: Option<Repeats>,
    /// What is verified, and when.
    pub(super) checking: Checking,
    /// What guides counted that are no more, and what the checks count.
    statistics: Statistics,
}

impl Campaign {
    /// The campaign for a task, of which nothing was searched. With it comes the statement that nothing is left to
    /// search, if the preparation has found that there is no answer set.
    pub fn new(task: &Arc<Task>, options: &Options) -> (Campaign, Option<plan::AllSearched>) {
        let mut plan = task.plan.clone();
        let all = match Refuted::by_preparing(&task.prepared).map(|refuted| plan.conclude(refuted)) {
            Some(Conclusion::Over(all)) => Some(all),
            _ => None,
        };
        let guide = match plan.phase() {
            Phase::Improve if all.is_none() => Guide::new(options, plan.cost_levels(), task.prepared.vars),
            _ => None,
        };
        let campaign = Campaign {
            task: task.clone(),
            plan,
            guide,
            kept: VecDeque::new(),
            wanted: 0,
            only_counts: false,
            known_bound: None,
            repeats: None,
            checking: Checking::new(options.check),
            statistics: Statistics::default(),
        };
        (campaign, all)
    }

    /// Goes on with another translation of the program, with what is known of costs and with what was told.
    pub fn goes_on_as(&mut self, other: Campaign) {
        self.statistics = self.counts();
        let before = std::mem::replace(&mut self.plan, other.plan);
        self.plan.goes_on_from(&before);
        (self.task, self.guide) = (other.task, other.guide);
        self.kept.clear();
    }

    /// Begins again under other assumptions, with nothing found, and without a guide.
    pub fn begin_again(&mut self) {
        self.drop_guide();
        self.plan = self.task.plan.clone();
        self.kept.clear();
        self.repeats = self.repeats.take().map(|_| Repeats::default());
        self.checking.begin_again();
    }

    /// What the checks and the guides count.
    pub fn counts(&self) -> Statistics {
        let mut all = self.statistics.clone();
        if let Some(guide) = &self.guide {
            all.add(&guide.tactic.counts());
        }
        all
    }

    /// The answer set with what the goal wants to know of it. The plan notes the answer set.
    pub fn judged(&mut self, answer: AnswerSet) -> AnswerSet {
        let holds = |lit: Lit| answer.holds(lit);
        let program = self.task.program();
        if let Some(repeats) = &mut self.repeats {
            repeats.note(&answer, &self.plan);
        }
        let costs = self.plan.costs(program, holds);
        self.plan.note(program, &costs, holds);
        AnswerSet {
            printed: self.plan.printed().map(<[bool]>::to_vec),
            consequences: self.plan.consequences(),
            is_optimal: self.plan.is_optimum_known(),
            costs,
            values: answer.values,
        }
    }

    /// Whether the next answer set was found already, and is to be told.
    pub fn is_next_at_hand(&self) -> bool {
        // In another phase it may be worse than the last one.
        self.plan.phase() == Phase::Enumerate && !self.kept.is_empty()
    }

    /// Whether an answer set is better than those before, or says more. Without a goal each one is news, but
    /// for one that was told before.
    pub fn is_news(&self, answer: &AnswerSet) -> bool {
        self.plan.is_news(self.task.program(), |lit| answer.holds(lit)) && !self.is_repeated(answer)
    }

    /// Says that a process may go away, and that others then search again what it had.
    pub fn expect_repeats(&mut self) {
        self.repeats.get_or_insert_default();
    }

    /// Whether a process may go away that searches along.
    pub fn expects_repeats(&self) -> bool {
        self.repeats.is_some()
    }

    /// Whether an answer set was told before, and is found again.
    pub fn is_repeated(&self, answer: &AnswerSet) -> bool {
        self.repeats.as_ref().is_some_and(|repeats| repeats.has(answer, &self.plan))
    }

    /// Whether the caller is to be told of an answer set of the search that the guide leads, or of the only search. A
    /// search with a guide may find answer sets that are not better than the best one, and keeps them to itself.
    pub fn is_told(&self, answer: &AnswerSet) -> bool {
        self.guide.is_none() || self.is_news(answer)
    }

    /// Whether the answer sets that were told account for how strict the goal has become: for the bound
    /// "better than the best one", and for the items that are known, as bits.
    pub fn accounts_for(&self, bound: Option<Vec<i64>>, known: &[u32]) -> bool {
        match self.plan.phase() {
            Phase::Enumerate => true,
            Phase::Improve => {
                let most = self.plan.most_of_better();
                bound.is_none_or(|bound| most.is_some_and(|most| most <= bound))
            }
            Phase::Narrow => {
                let (sums, prepared) = (&self.task.sums, &self.task.prepared);
                let Some(sum) = self.plan.goal_sum() else { return true };
                let items =
                    &sums.lits[sums.start[sum as usize] as usize..sums.start[sum as usize + 1] as usize];
                let is_known = |i: usize| known.get(i / 32).is_some_and(|word| word >> (i % 32) & 1 == 1);
                let shown = self.plan.shown_items(self.task.program(), prepared);
                items.iter().enumerate().all(|(i, item)| !is_known(i) || shown.contains(item))
            }
        }
    }

    /// Whether a search of the present phase may count answer sets instead of reporting them.
    pub fn may_count(&self) -> bool {
        self.only_counts
            && self.plan.phase() == Phase::Enumerate
            && !self.plan.has_costs()
            && !self.checking.checks_all()
    }

    /// Whether one answer set or one optimum is all that is still asked for, after so many answer sets.
    pub fn wants_one(&self, told: u64) -> bool {
        match self.plan.phase() {
            Phase::Enumerate => self.wanted == 1 && told == 0,
            Phase::Improve => self.plan.is_last_phase(),
            Phase::Narrow => false,
        }
    }

    /// Fails if more is asked for after so many answer sets than one answer set or one optimum, and
    /// symmetries are broken.
    pub fn check_symmetries(&self, told: u64) -> Result<(), SolveError> {
        SolveError::refuse(self.task.are_symmetries_broken() && !self.wants_one(told), ONE_ONLY)
    }

    /// Whether answer sets are excluded that a symmetry makes of those that were told, which are so many.
    pub fn excludes_others(&self, told: u64) -> bool {
        self.task.are_symmetries_broken() && self.plan.phase() == Phase::Enumerate && told > 0
    }

    /// Whether the lower bound is above the one that the caller knows, if the caller asks.
    pub fn has_bound_grown(&self) -> bool {
        self.known_bound.as_ref().is_some_and(|known| self.plan.lower_bound() > *known)
    }

    /// Whether a guide leads the search.
    pub fn is_guided(&self) -> bool {
        self.guide.is_some()
    }

    /// Whether each answer set of the solver's own search has to be better than the one before.
    pub fn demands_better(&self) -> bool {
        self.guide.as_ref().is_none_or(|guide| guide.tactic.demands_better())
    }

    /// Whether nothing but the goal of the solver's own search says how much a better answer set may cost.
    pub fn is_bounded_by_goal(&self) -> bool {
        self.guide.as_ref().is_none_or(|guide| guide.tactic.is_bounded_by_goal())
    }

    /// Whether the guide was told of the best answer set.
    pub fn guide_knows_best(&self) -> bool {
        self.guide.as_ref().is_none_or(|guide| guide.knows_best(&self.plan))
    }

    /// What the guide, if there is one, says to what has come of the search, which has done so much.
    pub fn ask(&mut self, guide: fn(&mut Guide, &mut Plan, Effort) -> Course, done: Effort) -> Course {
        self.guide.as_mut().map_or(Course::Same, |of| guide(of, &mut self.plan, done))
    }

    /// Whether nothing is to be found but a refutation, so that a search without conflicts is in vain.
    pub fn is_trial(&self) -> bool {
        self.guide.as_ref().is_some_and(|guide| guide.tactic.is_trial())
    }

    /// The search has refuted what it assumes; `core` are the assumptions that the refutation needs.
    pub fn refuted(&mut self, refuted: Refuted, core: &[Lit], done: Effort) -> Course {
        match &mut self.guide {
            None => Course::Ends(refuted),
            Some(guide) => guide.refuted(core, &mut self.plan, done),
        }
    }

    /// Whether the refutation of the assumptions `core` leaves answer sets that are better than the best one.
    pub fn is_local(&self, core: &[Lit]) -> bool {
        self.guide.as_ref().is_some_and(|guide| guide.tactic.is_local(core))
    }

    /// Tells the guide that the search is proved.
    pub fn prove(&mut self) {
        if let Some(guide) = &mut self.guide {
            guide.tactic.prove();
        }
    }

    /// Concludes for a proof what it means that the assumptions `core` are refuted, if nobody asks the guide for a course.
    pub fn conclude(&mut self, core: &[Lit]) {
        if let Some(guide) = &mut self.guide {
            guide.tactic.conclude(core);
        }
    }

    /// Takes what the guide has concluded since it was last asked, for a proof.
    pub fn reasons(&mut self) -> Vec<Reason> {
        self.guide.as_mut().map_or(Vec::new(), |guide| guide.tactic.reasons())
    }

    /// Exchanges the guide with that of another search for the same optimum.
    pub fn exchange_guide(&mut self, other: &mut Option<Guide>) {
        std::mem::swap(&mut self.guide, other);
    }

    /// Drops the guide. Returns whether there was one.
    pub fn drop_guide(&mut self) -> bool {
        let Some(guide) = self.guide.take() else { return false };
        self.statistics.add(&guide.tactic.counts());
        true
    }
}
