//! What a search has learned, as nogoods over the program's atoms: clasp's `--lemma-out`.
//!
//! Main functions: [`Solver::with_lemmas`], before the search, and [`Solver::lemmas`], after it.
//!
//! Invariant: no answer set violates a lemma. What the search learns from the program alone holds in every
//! answer set. After an answer set, or under a bound on costs, a learned nogood may exclude others; then it
//! has to follow from the program's nogoods, and from lemmas, by unit propagation.

use super::{Others, Resume, Solver};
use crate::nogoods::Implied;
use crate::program::Program;
use crate::search::campaign::plan::Phase;
use crate::search::campaign::task::Task;
use crate::search::{Goal, Options, SolveError, Symmetry};
use solver_gpu::{Lit, Var};
use std::collections::HashSet;

/// How many nogoods are looked at at most to find out which of those that were learned hold in every answer
/// set.
const EFFORT: u64 = 1 << 26;

impl Solver {
    /// The same as [`Solver::with_goal`], and the search can tell what it has learned ([`Solver::lemmas`]).
    ///
    /// # Errors
    /// As [`Solver::with_goal`], and [`SolveError::Contradiction`] if symmetries are to be broken.
    pub fn with_lemmas(program: Program, options: Options, goal: Goal) -> Result<Self, SolveError> {
        if options.symmetry == Symmetry::Yes {
            let why = "lemmas hold in every answer set, and symmetries exclude some: keep all answer sets";
            return Err(SolveError::Contradiction(why.into()));
        }
        Self::spreading(options, || Task::with_lemmas(program, &options, &goal))
    }

    /// Whether what is learned is told in the end.
    pub(super) fn has_lemmas(&self) -> bool {
        self.campaign.task.nogoods.is_some()
    }

    /// Ends the search, and returns nogoods over the program's atoms that the searchers of the processor
    /// have learned or taken over, and have not deleted: each once, with its LBD, the best ones first. None
    /// of them is about atoms that the input does not name. No answer set violates any of them. There are
    /// none unless the solver is one [with lemmas](Solver::with_lemmas).
    ///
    /// # Errors
    /// If the device fails.
    pub fn lemmas(&mut self) -> Result<Vec<(u32, Vec<Lit>)>, SolveError> {
        let task = self.campaign.task.clone();
        let Some(nogoods) = task.nogoods.as_ref().filter(|_| !task.prepared.unsatisfiable) else {
            return Ok(Vec::new());
        };
        let hold = self.learned_from_program_alone();
        self.rest(false)?;
        let hold = hold && !self.searcher.is_tagged;
        let mut learned = self.searcher.learned()?;
        for member in &mut self.resting.members {
            learned.extend(member.searcher.learned()?);
        }
        // A search for an optimum may add variables.
        let vars = task.prepared.vars;
        learned.retain(|(_, lits)| lits.iter().all(|lit| lit.var() < Var(vars)));
        if !hold {
            let mut implied = Implied::of(nogoods, vars, EFFORT);
            learned.retain(|(_, lits)| {
                let follows = implied.follows(lits);
                if follows {
                    implied.add(lits);
                }
                follows
            });
        }
        let program = task.program();
        let is_named =
            |lit: &Lit| program.number(lit.var()).is_some_and(|number| number <= program.largest_number);
        let mut lemmas = Vec::new();
        for lemma in task.prepared.lemmas(program.atoms, &learned) {
            let over_atoms = lemma.over_atoms().unwrap_or_default();
            let named = over_atoms.into_iter().filter(|nogood| nogood.iter().all(is_named));
            lemmas.extend(named.map(|nogood| (lemma.lbd, nogood)));
        }
        lemmas.sort_by_key(|(lbd, nogood)| (*lbd, nogood.len()));
        let mut seen = HashSet::new();
        lemmas.retain(|(_, nogood)| seen.insert(nogood.clone()));
        Ok(lemmas)
    }

    /// Whether nothing but the program has led to what the searchers have learned: no bound on costs, and
    /// no answer set that a search goes on from.
    fn learned_from_program_alone(&self) -> bool {
        let is_free = self.campaign.task.plan.phase() == Phase::Enumerate
            && self.campaign.plan.goal().bound.is_empty()
            && self.recording.is_none()
            && self.campaign.kept.is_empty();
        let found = self.searcher.statistics.answer_sets;
        is_free
            && match (&self.others, &self.resume) {
                (Others::Crew(crew), _) => {
                    let hub = crew.home.hub();
                    let (told, limit) = (hub.answers.load_relaxed(), hub.answers_limit.load_relaxed());
                    crew.found == 0 && (told == 0 || limit == 1 && crew.has_no_remotes())
                }
                (_, Resume::AfterAnswer) => found == 1 && !self.searcher.keeps_answers(),
                _ => found == 0,
            }
    }
}
