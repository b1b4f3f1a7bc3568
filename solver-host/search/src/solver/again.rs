//! How a search goes on, or begins anew, when something else is asked: under other assumptions, or for the
//! grown program. The others rest meanwhile, with what they have learned if that still holds.
//!
//! Main functions: [`Solver::assume`] and [`Solver::core`]; [`Solver::leaving`] and [`Solver::of_grown`].

use super::assumed::Assumed;
use super::exchange::{Board, Exchange};
use super::lead::{At, Left};
use super::legacy::Legacy;
use super::{differing, Solver};
use crate::campaign::plan::Phase;
use crate::campaign::task::{differs, Task};
use crate::searcher::experience::Experience;
use crate::searcher::problem::Problem;
use crate::searcher::proof::Asked;
use crate::searcher::propagation::nogood_of;
use crate::{Goal, Options, ParallelMode, SolveError, Symmetry};
use solver_gpu::Lit;
use std::sync::Arc;
use yasmin_ground::program::Program;
use yasmin_nogoods::{Growth, Lemma, Shift};

/// The most nogoods that a solver leaves.
const MOST: usize = 5000;

impl Solver {
    /// From now on, looks for what the goal says among the answer sets in which these literals over the
    /// program's atoms hold. What was found before does not count: an optimum is looked for again, and
    /// consequences are asked for again.
    ///
    /// The search decides on the literals first. It keeps what it has learned if that holds without them:
    /// after a refutation, after an interrupted search, and after one answer set that was all the caller
    /// wanted (see [`Solver::want`]); but not on the way to an optimum or to consequences, and not after
    /// several answer sets, which the search excludes one by one (but see `searcher/guards.rs`). Other
    /// searchers, if there are any, return. They join again if the search lasts, with what they have learned.
    /// An optimum is looked for by one better answer set after the other.
    ///
    /// # Errors
    /// [`SolveError::NoAtom`] if a literal is about no atom of the program; [`SolveError::Contradiction`] if
    /// symmetries are broken; else if the device fails.
    pub fn assume(&mut self, lits: &[Lit]) -> Result<(), SolveError> {
        self.assume_without(lits, &[])
    }

    /// The same, of answer sets in which no list of `excluded` holds as a whole. What is learned from these
    /// lists has a guard (see `searcher/guards.rs`), and the rest stays as after [`Solver::assume`].
    ///
    /// # Errors
    /// As [`Solver::assume`]; [`SolveError::Contradiction`] if something is excluded, and the solver is not
    /// [apart](Solver::apart).
    pub fn assume_without(&mut self, lits: &[Lit], excluded: &[Vec<Lit>]) -> Result<(), SolveError> {
        self.assume_in(lits, excluded, &[])
    }

    /// The same, in the part of the search space where these literals of the solver hold as well. A solver
    /// [that shares](Solver::share) keeps all that it learns of the program, whatever it is asked.
    ///
    /// # Errors
    /// As [`Solver::assume_without`].
    pub(crate) fn assume_in(
        &mut self,
        lits: &[Lit],
        excluded: &[Vec<Lit>],
        cube: &[Lit],
    ) -> Result<(), SolveError> {
        SolveError::refuse(
            self.exchange.is_none() && !excluded.is_empty(),
            "constraints of one question alone are for many questions at once",
        )?;
        excluded.iter().try_for_each(|lits| self.campaign.task.check_atoms(lits))?;
        SolveError::refuse(self.campaign.task.are_symmetries_broken(), Symmetry::NOT_HERE)?;
        let are_several = self.lead.searcher.is_proved() && !self.company.is_none();
        SolveError::refuse(are_several, "a proof of several calls is that of one searcher (parallel_mode)")?;
        self.campaign.task.check_atoms(lits)?;
        self.campaign.check_end()?;
        let before = self.assumed.take();
        let left = self.leave(before.as_ref())?;
        self.post(!matches!(left, Left::Unclean))?;
        match left {
            Left::Unclean => self.lead.searcher.forget_orders()?,
            // The guards stay.
            Left::Clean | Left::HalfWay => self.lead.searcher.memory.assume_nothing(),
        }
        let (left, kept) = match left {
            Left::Clean | Left::HalfWay if self.lead.searcher.has_many_guards() => {
                (Left::Unclean, self.lead.searcher.without_guards()?)
            }
            left => (left, Vec::new()),
        };
        let is_first = matches!(self.lead.at, At::Start);
        let prepared = &self.campaign.task.prepared;
        let was_unsatisfiable = prepared.unsatisfiable;
        let named = lits;
        let (mut lits, mut nogoods) = (Vec::new(), Vec::new());
        if !was_unsatisfiable {
            lits.extend(named.iter().map(|&lit| (lit, prepared.literal_of(lit))));
            let nogood = |lits: &Vec<Lit>| nogood_of(lits.iter().map(|&lit| prepared.literal_of(!lit)));
            nogoods.extend(excluded.iter().filter_map(nogood));
        }
        let found = self.lead.searcher.statistics.answer_sets;
        // Without assumptions as well, there is nothing, unless what a propagator has added held for one
        // question.
        let was_refuted = before.as_ref().is_some_and(Assumed::refutes_program);
        let is_hopeless = was_unsatisfiable || was_refuted && !self.lead.searcher.is_tagged;
        self.campaign.begin_again();
        let is_fresh = !is_first && matches!(left, Left::Unclean);
        self.lead.searcher.prove_call(&Asked { plan: &self.campaign.plan, lits: named, is_fresh })?;
        self.lead.searcher.memory.set_goal(self.campaign.plan.goal_sum());
        self.lead.searcher.stops_at_answers = self.campaign.wanted == 1;
        let falsified = lits.iter().find(|(_, lit)| *lit == Lit::FALSE).map(|&(named, _)| vec![named]);
        let is_excluded = nogoods.iter().any(Vec::is_empty);
        let core = if is_hopeless || is_excluded { Some(Vec::new()) } else { falsified };
        let is_over = core.is_some();
        let (cube, excluded) = (cube.to_vec(), excluded.to_vec());
        let needs = if is_excluded && !is_hopeless { vec![Lit::TRUE] } else { Vec::new() };
        let (is_searched, is_apart) = (!is_over, self.exchange.is_some());
        self.assumed =
            Some(Assumed { lits, cube, excluded, nogoods, is_apart, found, is_searched, core, needs });
        if is_first || is_hopeless {
            return Ok(());
        }
        self.lead.searcher.memory.read_state()?;
        match left {
            Left::Clean => {}
            Left::HalfWay => {
                self.lead.searcher.begin_phase_again(&self.campaign.plan)?;
                self.lead.searcher.start()?;
            }
            Left::Unclean => {
                self.lead.searcher.begin_with(&self.campaign.plan, kept)?;
                self.lead.searcher.start()?;
            }
        }
        self.lead.at = At::Anywhere;
        if is_over {
            return Ok(());
        }
        self.take()?;
        self.lead.assume(&self.campaign.plan, self.assumed.as_ref())
    }

    /// Lets all other searchers rest. Returns how the search under the assumptions `before` was left.
    fn leave(&mut self, before: Option<&Assumed>) -> Result<Left, SolveError> {
        let left = match self.campaign.task.plan.phase() {
            Phase::Enumerate => self.lead.left(before, self.company.crew()),
            Phase::Improve | Phase::Narrow => Left::Unclean,
        };
        // Of a solver that shares, everything that excludes answer sets has a guard.
        let left = match left {
            Left::Unclean if self.exchange.is_some() => Left::HalfWay,
            left => left,
        };
        self.rest(matches!(left, Left::HalfWay))?;
        // Whether a clause of any searcher was tagged is known once all have returned.
        Ok(if self.lead.searcher.is_tagged { Left::Unclean } else { left })
    }

    /// Gives a part of what is left to search away: returns the literals of the solver that hold there
    /// besides the assumptions, for [`Solver::assume_in`]. `None` if the search is not one for answer sets,
    /// or there is nothing to give now.
    pub(crate) fn divide(&mut self) -> Result<Option<Vec<Lit>>, SolveError> {
        let is_alone = self.company.is_none() && !self.campaign.plan.has_goal();
        let Some(assumed) = self.assumed.as_mut().filter(|assumed| is_alone && assumed.core.is_none()) else {
            return Ok(None);
        };
        if !matches!(self.lead.at, At::Anywhere) {
            return Ok(None);
        }
        let Some(lits) = self.lead.searcher.memory.divide()? else { return Ok(None) };
        assumed.cube.extend(lits);
        let (last, others) = assumed.cube.split_last().ok_or(SolveError::Internal("nothing is divided"))?;
        Ok(Some([others, &[!*last]].concat()))
    }

    /// Whether the core holds outside of the part of the search space that was searched.
    pub(crate) fn is_core_of_all(&self) -> bool {
        self.assumed.as_ref().is_some_and(|of| !of.cube.iter().any(|lit| of.needs.contains(lit)))
    }

    /// A search as [`Solver::of`] makes it, which may be asked under constraints of one question alone
    /// ([`Solver::assume_without`]).
    ///
    /// # Errors
    /// As [`Solver::of`].
    pub fn apart(problem: &Arc<Problem>, options: Options) -> Result<Solver, SolveError> {
        let options = Options { parallel_mode: ParallelMode::Searchers(1), ..options };
        let mut solver = Solver::of(problem, options)?;
        solver.share(&Arc::default(), 0);
        Ok(solver)
    }

    /// Lets the solver, which is the one of this number, learn from others that answer other questions, and
    /// others from it.
    pub(crate) fn share(&mut self, board: &Arc<Board>, solver: usize) {
        self.exchange = Some(Exchange::new(board, solver));
    }

    /// The number of conflicts of the solver's own search.
    pub(crate) fn conflicts(&self) -> u64 {
        self.lead.searcher.conflicts()
    }

    /// Posts what was learned, after a question. `holds` says whether it holds for the program; if not, the
    /// search is about to forget it.
    fn post(&mut self, holds: bool) -> Result<(), SolveError> {
        let Some(exchange) = &mut self.exchange else { return Ok(()) };
        let searcher = &mut self.lead.searcher;
        if !holds {
            exchange.forgets();
        } else if exchange.is_post_due(searcher.conflicts()) {
            let Options { share_length, share_lbd, .. } = searcher.options;
            let is_worth = |(lbd, nogood): &(u32, Vec<Lit>)| {
                nogood.len() <= share_length as usize && (*lbd <= share_lbd || nogood.len() <= 2)
            };
            let learned = searcher.without_guards()?.into_iter();
            exchange.post(learned.filter(is_worth).map(|(_, nogood)| nogood));
        }
        Ok(())
    }

    /// Takes what others have posted, before a question.
    fn take(&mut self) -> Result<(), SolveError> {
        let searcher = &mut self.lead.searcher;
        let conflicts = searcher.conflicts();
        let Some(exchange) = &mut self.exchange else { return Ok(()) };
        match exchange.is_news_due(conflicts) {
            true => searcher.learn(&exchange.news()),
            false => Ok(()),
        }
    }

    /// The assumptions that exclude each other, after [`Solver::next_answer`] has said that there is no
    /// answer set under the assumptions: no answer set has all of these literals. The list is empty if the
    /// program has no answer set.
    pub fn core(&self) -> Option<&[Lit]> {
        self.assumed.as_ref()?.core.as_deref()
    }

    /// A solver of a program that may grow. If it has grown, `growth` says what a solver before with the same
    /// goal has left, and what is new since: only that is translated, where that can be
    /// ([`Task::has_grown`]), and the search begins with all that the solver knew. Else the search begins
    /// with the nogoods that the solvers of `legacies` have learned.
    ///
    /// The legacies have to be of programs that exclude nothing that the grown program allows: those that
    /// lack rules for new and for external atoms, and constraints.
    ///
    /// # Errors
    /// As [`Solver::new`].
    pub fn of_grown(
        program: Arc<Program>,
        options: Options,
        goal: &Goal,
        growth: Option<(&Legacy, Growth)>,
        legacies: &[&Legacy],
    ) -> Result<Solver, SolveError> {
        SolveError::refuse(options.symmetry == Symmetry::Yes, Symmetry::NOT_HERE)?;
        let options = differing::fitting(&program, options)?;
        let before = growth.as_ref().and_then(|(legacy, growth)| {
            // A task that was prepared for other options or another goal has another translation.
            let is_same = legacy.goal == *goal && differs(&legacy.options, &options).is_none();
            (is_same && legacy.can_grow).then_some((&*legacy.translation, growth))
        });
        let mut solver = Solver::spreading(options, || Task::to_grow(program, &options, goal, before))?;
        differing::refuse_fleets(&solver.company.others, solver.program())?;
        let task = solver.campaign.task.clone();
        if task.prepared.unsatisfiable {
            return Ok(solver);
        }
        match growth {
            Some((legacy, _)) if task.has_grown => {
                let kept = legacy.translation.atom_vars;
                let shift = Shift { kept, by: task.prepared.atom_vars - kept };
                solver.lead.searcher.recall(&legacy.experience, shift)?;
            }
            _ => {
                let lemmas: Vec<Lemma> = legacies.iter().flat_map(|legacy| legacy.lemmas()).collect();
                let learned = task.prepared.recalled(&lemmas);
                // A search that knows nothing has not to begin again.
                if !learned.is_empty() {
                    solver.lead.searcher.remember(&learned)?;
                }
            }
        }
        Ok(solver)
    }

    /// Ends the solver, and returns what it leaves.
    ///
    /// # Errors
    /// If the device fails.
    pub fn leaving(mut self) -> Result<Legacy, SolveError> {
        // What was learned under a bound holds only under the bound.
        let is_free = self.campaign.plan.goal().bound.is_empty();
        let before = self.assumed.take();
        let left = self.leave(before.as_ref())?;
        let task = self.campaign.task.clone();
        let mut experience = Experience::default();
        if !task.prepared.unsatisfiable {
            let holds = is_free && !matches!(left, Left::Unclean);
            // A goal may have added others.
            let vars = task.before_goal.as_ref().map_or(task.prepared.vars, |before| before.vars);
            experience = self.lead.searcher.experience(vars, holds)?;
            for member in
                self.company.resting.members.iter_mut().filter(|_| holds && self.company.resting.keeps)
            {
                experience.learned.extend(member.searcher.learned()?);
            }
            experience.limited(vars, MOST);
        }
        drop(self);
        Ok(Legacy::of(task, experience))
    }
}
