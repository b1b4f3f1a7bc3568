//! What the search makes of answer sets of programs with head cycles, of which some have smaller models.
//!
//! Main functions: [`Searcher::judge`], for an answer set, and [`Searcher::doubt`], for a fixpoint. A search
//! that has just found a smaller model looks at its next fixpoint as well, and goes on to do so until there
//! is nothing unfounded there (as in clasp, Gebser, Kaufmann and Schaub 2013): the decisions that follow
//! would often lead to a similar answer set.

use super::event::Event;
use super::minimality::{Checked, Minimality, Test};
use super::problem::Problem;
use super::Searcher;
use crate::goal::Goal;
use crate::options::Check;
use crate::{AnswerSet, Options, SolveError};
use solver_gpu::layout::asks::{AT_FIXPOINTS, NEVER};
use solver_gpu::Lit;
use std::sync::Arc;
use yasmin_device::{Kernel, Work};
use yasmin_ground::check::{Claim, Workspace};
use yasmin_ground::program::Program;
use yasmin_nogoods::Prepared;

impl Searcher {
    /// What comes of an answer set that the device has found: the same, unless it has a smaller model.
    pub(super) fn judge(&mut self, interrupt: &dyn Fn() -> bool) -> Result<Event, SolveError> {
        let values = self.memory.read_values()?;
        let Some(event) = self.test(&values, interrupt)? else {
            let prepared = &self.problem.task.prepared;
            return Ok(Event::Answer(AnswerSet::of_solver(prepared, |var| values[var as usize] > 0)));
        };
        // Propagators are asked at fixpoints themselves, and may add nogoods there.
        if self.propagation.is_none() {
            self.ask_at_fixpoints(true)?;
        }
        Ok(event)
    }

    /// Looks for unfounded sets at a fixpoint.
    pub(super) fn doubt(&mut self, interrupt: &dyn Fn() -> bool) -> Result<Event, SolveError> {
        // A total assignment is judged in a moment.
        if self.memory.state.committed.load() < self.memory.search.problem.vars {
            let values = self.memory.read_values()?;
            if let Some(event) = self.test(&values, interrupt)? {
                return Ok(event);
            }
        }
        self.ask_at_fixpoints(false)?;
        Ok(Event::Paused)
    }

    /// Lets the device return at each fixpoint, or no more.
    fn ask_at_fixpoints(&mut self, asks: bool) -> Result<(), SolveError> {
        self.memory.search.settings.asks = if asks { AT_FIXPOINTS } else { NEVER };
        self.memory.state.asked.store(0);
        Ok(self.memory.write_state()?)
    }

    /// Looks for an unfounded set of the assignment, and learns its loop nogood. `None` if there is no such
    /// set. `values` are those of `Memory::read_values`.
    fn test(&mut self, values: &[i32], interrupt: &dyn Fn() -> bool) -> Result<Option<Event>, SolveError> {
        let Some(minimality) = &mut self.minimality else { return Ok(None) };
        self.statistics.minimality_checks += 1;
        match unfounded(minimality, &self.problem, values, interrupt)? {
            Checked::Founded => Ok(None),
            Checked::Interrupted => Ok(Some(Event::Interrupted)),
            Checked::Unfounded { nogood, set } => {
                self.prove_unfounded(&nogood, set.into_iter())?;
                self.learn_unfounded(&nogood)?;
                Ok(Some(Event::Paused))
            }
        }
    }

    /// Learns a loop nogood over the program's atoms, which is violated. The search learns from the conflict
    /// when it goes on, and offers others what it learns.
    fn learn_unfounded(&mut self, nogood: &[Lit]) -> Result<(), SolveError> {
        self.statistics.unfounded_sets += 1;
        let lits = searched(nogood, &self.problem.task.prepared);
        if lits.is_empty() {
            self.memory.state.exhausted.store(1);
            return Ok(self.memory.write_state()?);
        }
        self.has_learned = true;
        self.fit_learned(1, self.memory.search.problem.vars)?;
        self.memory.write_slot(&lits)?;
        self.memory.launch_with(Kernel::RecordTold, Work::OneBlock, lits.len() as u32)?;
        Ok(self.memory.read_state()?)
    }
}

/// Looks for an unfounded set of an assignment. `values` are those of the variables of the program's atoms, as in
/// [`Own::value`](solver_gpu::Own::value).
///
/// # Errors
/// If the test's device fails or has too little memory.
pub(crate) fn unfounded(
    minimality: &mut Minimality,
    problem: &Problem,
    values: &[i32],
    interrupt: &dyn Fn() -> bool,
) -> Result<Checked, SolveError> {
    let prepared = &problem.task.prepared;
    let level = |lit: Lit| match prepared.literal_of(lit) {
        Lit::TRUE => 1,
        Lit::FALSE => 0,
        lit => match values[lit.var().0 as usize] {
            value if (value < 0) == lit.is_false_sign() => value.unsigned_abs(),
            _ => 0,
        },
    };
    let open = |program, options| Ok(Box::new(Asked::new(program, options)?) as Box<dyn Test>);
    minimality.unfounded(problem.program(), level, open, interrupt)
}

/// The literals that a nogood over the program's atoms consists of in the search: sorted, and without those that hold
/// in every assignment.
pub(crate) fn searched(nogood: &[Lit], prepared: &Prepared) -> Vec<Lit> {
    let lits = nogood.iter().map(|&lit| prepared.literal_of(lit));
    let mut lits: Vec<Lit> = lits.filter(|lit| !lit.is_constant()).collect();
    lits.sort_unstable();
    lits.dedup();
    lits
}

/// A search of its own that is asked for an answer set under assumptions. If all answer sets are to be
/// verified, those that it finds are.
pub(super) struct Asked {
    /// The search, unless the program has no answer set under any assumptions.
    searcher: Option<Searcher>,
    /// What was assumed last, in the order in which the search decides: what changes often comes last.
    assumed: Vec<Lit>,
    /// Whether nothing is under way in the search.
    is_clean: bool,
}

impl Asked {
    /// A search of the program that has assigned nothing.
    ///
    /// # Errors
    /// If the device fails or has too little memory.
    pub(super) fn new(program: Program, options: Options) -> Result<Asked, SolveError> {
        let problem = Arc::new(Problem::new(program, &options, &Goal::default())?);
        if problem.task.prepared.unsatisfiable {
            return Ok(Asked { searcher: None, assumed: Vec::new(), is_clean: true });
        }
        let mut searcher = Searcher::new(&problem, options, |executor| executor)?;
        searcher.stops_at_answers = true;
        searcher.start()?;
        Ok(Asked { searcher: Some(searcher), assumed: Vec::new(), is_clean: true })
    }
}

impl Test for Asked {
    fn ask(&mut self, assumed: &[Lit], interrupt: &dyn Fn() -> bool) -> Result<Event, SolveError> {
        let Some(searcher) = &mut self.searcher else { return Ok(Event::Exhausted) };
        let problem = searcher.problem.clone();
        let lits: Vec<Lit> = assumed.iter().map(|&lit| problem.task.prepared.literal_of(lit)).collect();
        let mut wanted = vec![Lit::TRUE; problem.task.prepared.vars as usize];
        for &lit in lits.iter().filter(|&&lit| lit != Lit::TRUE) {
            if lit == Lit::FALSE || std::mem::replace(&mut wanted[lit.var().0 as usize], lit) == !lit {
                return Ok(Event::Exhausted);
            }
        }
        let is_assumed = |lit: Lit| wanted[lit.var().0 as usize] == lit;
        searcher.memory.read_state()?;
        if !std::mem::take(&mut self.is_clean) {
            searcher.begin_again()?;
            searcher.start()?;
        }
        // The search keeps what follows from decisions that it would take again.
        self.assumed.retain(|&lit| is_assumed(lit));
        let mut is_old = vec![false; wanted.len()];
        self.assumed.iter().for_each(|lit| is_old[lit.var().0 as usize] = true);
        let is_new = |lit: &Lit| !lit.is_constant() && !is_old[lit.var().0 as usize];
        self.assumed.extend(lits.into_iter().filter(is_new));
        searcher.is_settled = false;
        searcher.memory.assume_further(&self.assumed, is_assumed)?;
        loop {
            // Whoever interrupts every so often finds the search further on each time.
            let event = match searcher.advance(interrupt)? {
                Event::Paused if interrupt() => return Ok(Event::Interrupted),
                Event::Paused => continue,
                event => event,
            };
            self.is_clean = matches!(event, Event::Exhausted | Event::Answer(_));
            match &event {
                Event::Answer(answer) if searcher.options.check == Check::All => {
                    let claim = Claim { holds: &answer.atom_values(), costs: None, is_shown: &|_| None };
                    let checked =
                        problem.task.checker().check(problem.program(), &claim, &mut Workspace::default());
                    checked.map_err(SolveError::WrongAnswer)?;
                }
                // There is nothing whatever is assumed.
                Event::Exhausted if searcher.memory.core()?.is_empty() => self.searcher = None,
                _ => {}
            }
            return Ok(event);
        }
    }
}
