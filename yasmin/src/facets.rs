//! What holds in all answer sets, in some and in none: [`Control::facets`].

use crate::answer::Answer;
use crate::atom::Literal;
use crate::control::Control;
use crate::error::Error;
use crate::many::WAIT;
use crate::prepared::{Assumed, Prepared};
use crate::question::Question;
use solver_host::search::{Goal, Optimization, Projection, Reasoning, SolveError, Solver, Step};

/// In which answer sets a literal holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// In all.
    Always,
    /// In some, and not in all.
    Sometimes,
    /// In none.
    Never,
}

/// What [`Control::facets`] finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Facets {
    /// Of each literal, in which answer sets it holds.
    Each(Vec<Holds>),
    /// There is no answer set.
    Unsatisfiable,
    /// It was time to stop.
    Stopped,
}

impl Control {
    /// Finds out of each literal in which answer sets it holds: under the question's assumptions, and among
    /// the optimal ones if the question looks for an optimum. The searchers are those of
    /// [`Control::ask_all`]. Each answer set that is found tells something of all literals, so that most
    /// literals need no question of their own.
    ///
    /// # Errors
    /// As [`Control::submit`], or if there are open questions; [`SolveError::Contradiction`] if the question
    /// looks for an optimum and has constraints.
    pub fn facets(&mut self, literals: &[Literal], question: &Question) -> Result<Facets, Error> {
        self.lits(literals)?;
        let Some(base) = self.among(question)? else { return Ok(Facets::Stopped) };
        // Whether each literal holds in some answer set, and whether its complement does.
        let mut known = vec![[false; 2]; literals.len()];
        let note = |known: &mut [[bool; 2]], answer: &Answer| {
            for (known, &literal) in known.iter_mut().zip(literals) {
                known[usize::from(!answer.holds(literal))] = true;
            }
        };
        self.submit(base.clone())?;
        match self.reply_to_facets()? {
            Some(Some(answer)) => note(&mut known, &answer),
            Some(None) => return Ok(Facets::Unsatisfiable),
            None => return Ok(Facets::Stopped),
        }
        let mut wanted = (0..2 * literals.len()).map(|place| (place / 2, place % 2));
        let (mut is_stopped, mut are_all) = (false, false);
        while !are_all || self.open_questions() > 0 {
            let searchers = self.width().max(self.question_fleets().0 as u64);
            while !are_all && self.open_questions() < 2 * searchers {
                match wanted.find(|&(at, sign)| !known[at][sign]) {
                    Some((at, sign)) => {
                        let literal = if sign == 0 { literals[at] } else { !literals[at] };
                        self.submit(base.clone().assume([literal]))?;
                    }
                    None => are_all = true,
                }
            }
            if self.open_questions() > 0 {
                match self.reply_to_facets()? {
                    Some(Some(answer)) => note(&mut known, &answer),
                    Some(None) => {}
                    None => {
                        self.leave_questions();
                        (is_stopped, are_all) = (true, true);
                    }
                }
            }
        }
        let holds = |seen: [bool; 2]| match seen {
            [true, true] => Holds::Sometimes,
            [true, false] => Holds::Always,
            [false, _] => Holds::Never,
        };
        Ok(if is_stopped { Facets::Stopped } else { Facets::Each(known.into_iter().map(holds).collect()) })
    }

    /// In how many answer sets each literal holds, and how many there are, by going through all of them:
    /// under the question's assumptions, and among the optimal ones if the question looks for an optimum.
    /// `None` if it was time to stop.
    ///
    /// # Errors
    /// As [`Control::facets`].
    pub fn facet_counts(
        &mut self,
        literals: &[Literal],
        question: &Question,
    ) -> Result<Option<(Vec<u64>, u64)>, Error> {
        self.lits(literals)?;
        let Some(base) = self.among(question)? else { return Ok(None) };
        let (mut counts, mut all) = (vec![0; literals.len()], 0);
        let mut note = |answer: &Answer| {
            all += 1;
            counts
                .iter_mut()
                .zip(literals)
                .for_each(|(count, &literal)| *count += u64::from(answer.holds(literal)));
        };
        let is_exhausted = if base.constraints.is_empty() {
            let mut answers = self.solve(&base.limit(0))?;
            while let Some(answer) = answers.next().transpose()? {
                note(&answer);
            }
            answers.is_exhausted()
        } else {
            self.each_apart(&base, &mut note)?
        };
        Ok(is_exhausted.then_some((counts, all)))
    }

    /// Calls `note` with each answer set that a question with constraints is about. A solver of its own finds
    /// them, because what the control's solver learns has to hold for the program. Returns whether these are
    /// all.
    fn each_apart(&mut self, question: &Question, note: &mut dyn FnMut(&Answer)) -> Result<bool, Error> {
        let Assumed { at, lits, excluded, .. } = self.assumed_by(question)?;
        let options = self.options();
        let Prepared { program, solvers, .. } = self.prepared.as_ref().ok_or(Error::Superseded)?;
        let mut solver = Solver::apart(solvers[at].solver.problem(), options)?;
        solver.assume_without(&lits, &excluded)?;
        loop {
            match solver.next_answer(&|| question.is_over())? {
                Step::Answer(set) => note(&Answer { set, program: program.clone(), own: None }),
                Step::Exhausted => return Ok(true),
                Step::Interrupted | Step::Counted(_) if question.is_over() => return Ok(false),
                Step::Interrupted | Step::Counted(_) => {}
            }
        }
    }

    /// The answer set of the next reply, if there is one. `None` if the question was left.
    fn reply_to_facets(&mut self) -> Result<Option<Option<Answer>>, Error> {
        let Some(reply) = self.reply(WAIT) else { return Ok(None) };
        let known = reply.is_satisfiable();
        match reply.into_answers() {
            Err(error) => {
                self.drop_questions();
                Err(error)
            }
            Ok(answers) => Ok(known.map(|_| answers.into_iter().next())),
        }
    }

    /// A question for one of the answer sets that a question is about: the optimal ones, if it looks for an
    /// optimum. `None` if it was time to stop.
    fn among(&mut self, question: &Question) -> Result<Option<Question>, Error> {
        SolveError::refuse(self.open_questions() > 0, "there are open questions")?;
        SolveError::refuse(
            question.has_own(),
            "facets are those of the program: rules, a bound and a projection of one question alone are for many \
             questions at once",
        )?;
        let goal =
            Goal { reasoning: Reasoning::Enumerate, projection: Projection::No, ..question.goal.clone() };
        let one = |goal: Goal| Question { goal, limit: 1, minimal_core: false, ..question.clone() };
        let optimizes = matches!(goal.optimization, Optimization::Opt | Optimization::OptN);
        if !optimizes || self.builder.statements().minimizes == 0 {
            return Ok(Some(one(Goal { optimization: Optimization::Enum, ..goal })));
        }
        let opt = Goal { optimization: Optimization::Opt, ..goal.clone() };
        let mut answers = self.solve(&Question { limit: 0, ..one(opt) })?;
        while answers.next().transpose()?.is_some() {}
        if !answers.is_exhausted() {
            return Ok(None);
        }
        let bound = answers.optimum().map_or(goal.bound, <[i64]>::to_vec);
        Ok(Some(one(Goal { optimization: Optimization::Enum, bound, ..Goal::default() })))
    }
}
