//! The answers to a question, one by one: [`Answers`].

use crate::answer::Answer;
use crate::asked::{Asked, Progress};
use crate::atom::Literal;
use crate::control::Control;
use crate::error::Error;
use crate::question::Question;
use solver_host::search::Statistics;

/// The answers to a question. Each is searched for when it is asked for.
pub struct Answers<'a> {
    pub(crate) control: &'a mut Control,
    pub(crate) asked: Asked,
}

impl Control {
    /// Asks about the program as it is now. The search begins when the first answer is asked for.
    ///
    /// A search that lasts is made by as many searchers as the options say. Between two questions they rest,
    /// with what they have learned (see [`Solver::assume`](solver_host::search::Solver::assume)).
    ///
    /// # Errors
    /// If an assumed atom is another control's, the program is too large, or the device fails.
    pub fn solve(&mut self, question: &Question) -> Result<Answers<'_>, Error> {
        let asked = self.ask(question)?;
        Ok(Answers { control: self, asked })
    }
}

impl Answers<'_> {
    /// Adds a clause: one of the literals holds in each further answer. See [`Control::add_clause`].
    ///
    /// # Errors
    /// As [`Control::add_clause`].
    pub fn add_clause(&mut self, clause: &[Literal]) -> Result<(), Error> {
        self.control.add_clause(&self.asked, clause)
    }

    /// See [`Asked::is_exhausted`].
    pub fn is_exhausted(&self) -> bool {
        self.asked.is_exhausted()
    }

    /// See [`Asked::is_satisfiable`].
    pub fn is_satisfiable(&self) -> Option<bool> {
        self.asked.is_satisfiable()
    }

    /// See [`Asked::core`].
    pub fn core(&self) -> Option<&[Literal]> {
        self.asked.core()
    }

    /// See [`Asked::optimum`].
    pub fn optimum(&self) -> Option<&[i64]> {
        self.asked.optimum()
    }

    /// See [`Asked::lower_bound`].
    pub fn lower_bound(&self) -> &[i64] {
        self.asked.lower_bound()
    }

    /// The statistics of all searches for this goal so far.
    pub fn statistics(&self) -> Statistics {
        self.control.statistics(&self.asked).unwrap_or_default()
    }
}

impl Iterator for Answers<'_> {
    type Item = Result<Answer, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            return match self.control.advance(&mut self.asked, &|| false) {
                Ok(Progress::Answer(answer)) => Some(Ok(answer)),
                Ok(Progress::Bound) => continue,
                Ok(Progress::Over | Progress::Interrupted) => None,
                Err(error) => Some(Err(error)),
            };
        }
    }
}
