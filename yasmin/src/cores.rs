//! Minimal cores: assumptions that exclude each other, and none of which can be left out.
//!
//! Main functions: [`Control::minimal_core`], which leaves one literal after the other out, and
//! [`Control::minimal_cores`], which finds all minimal cores by MARCO (Liffiton, Previti, Malik and
//! Marques-Silva 2016): a second program, the *map*, says which sets of assumptions are still unknown.

use crate::atom::{Atom, Literal};
use crate::control::Control;
use crate::error::Error;
use crate::question::Question;
use solver_host::program::External;
use solver_host::search::{minimal_core, Goal, Optimization, Options, SignDef, WithoutOne};

/// What is known of a set of assumptions.
enum Known {
    /// They hold in an answer set, as all of these do.
    Satisfiable(Vec<Literal>),
    /// These of them exclude each other.
    Core(Vec<Literal>),
    /// The search was stopped before that was known.
    Stopped,
}

/// The minimal cores of assumptions, one by one. See [`Control::minimal_cores`].
pub struct MinimalCores<'a> {
    control: &'a mut Control,
    question: Question,
    assumptions: Vec<Literal>,
    /// An atom of the map for each assumption. The map's answer sets are the unknown sets of assumptions.
    atoms: Vec<Atom>,
    map: Control,
    is_over: bool,
    is_complete: bool,
}

impl Control {
    /// Leaves literals out of a core as long as the rest excludes an answer set. The values of external atoms
    /// stay as they are. `question` says for how long to search. Returns `None` if the search was stopped, or
    /// if the literals exclude nothing.
    ///
    /// # Errors
    /// As [`Control::solve`].
    pub fn minimal_core(
        &mut self,
        core: &[Literal],
        question: &Question,
    ) -> Result<Option<Vec<Literal>>, Error> {
        let Known::Core(core) = self.known(core, core, question)? else { return Ok(None) };
        let (core, is_minimal) = minimal_core(core, |rest| {
            self.known(rest, rest, question).map(|known| match known {
                Known::Core(core) => WithoutOne::Core(core),
                Known::Satisfiable(_) => WithoutOne::Holds,
                Known::Stopped => WithoutOne::Stopped,
            })
        })?;
        Ok(is_minimal.then_some(core))
    }

    /// Why there is no answer set: values of external atoms, and assumptions of the question, that exclude
    /// each other, and of which none can be left out. If the list is empty, there is none whatever these
    /// values are. `None` if there is an answer set, or the search was stopped.
    ///
    /// To learn which rules exclude each other, give each an external atom in its body that is true.
    ///
    /// # Errors
    /// As [`Control::solve`].
    pub fn explain(&mut self, question: &Question) -> Result<Option<Vec<Literal>>, Error> {
        let values = self.external_values(&Goal { optimization: Optimization::Ignore, ..Goal::default() })?;
        let literal = |&(atom, value): &(Atom, External)| match value {
            External::True => atom.positive(),
            _ => !atom.positive(),
        };
        let mut all: Vec<Literal> = values.iter().map(literal).collect();
        all.extend(&question.assumptions);
        for &(atom, _) in &values {
            self.external(atom, External::Free)?;
        }
        let explained = self.minimal_core(&all, question);
        for &(atom, value) in &values {
            self.external(atom, value)?;
        }
        explained
    }

    /// All minimal cores of assumptions, one by one. There may be exponentially many. `question` says for how
    /// long to search.
    ///
    /// # Errors
    /// If an atom is another control's.
    pub fn minimal_cores(
        &mut self,
        assumptions: impl IntoIterator<Item = impl Into<Literal>>,
        question: &Question,
    ) -> Result<MinimalCores<'_>, Error> {
        let mut assumptions: Vec<Literal> = assumptions.into_iter().map(Into::into).collect();
        assumptions.sort_unstable();
        assumptions.dedup();
        self.lits(&assumptions)?;
        let mut map = Control::new(Options { sign_def: SignDef::Pos, ..Options::on_processor() });
        let atoms: Vec<Atom> = assumptions.iter().map(|_| map.atom()).collect();
        map.choice(&atoms, &[])?;
        let question = question.clone();
        Ok(MinimalCores {
            control: self,
            question,
            assumptions,
            atoms,
            map,
            is_over: false,
            is_complete: false,
        })
    }

    /// Whether assumptions hold together. If they do, says which of `others` hold with them.
    fn known(&mut self, lits: &[Literal], others: &[Literal], question: &Question) -> Result<Known, Error> {
        let goal = Goal { optimization: Optimization::Ignore, ..Goal::default() };
        let question = Question {
            assumptions: lits.to_vec(),
            goal,
            limit: 1,
            records_domain: false,
            ..question.clone()
        };
        let mut answers = self.solve(&question)?;
        match answers.next().transpose()? {
            Some(answer) => {
                Ok(Known::Satisfiable(others.iter().copied().filter(|&lit| answer.holds(lit)).collect()))
            }
            None => Ok(match answers.core() {
                Some(core) => Known::Core(lits.iter().copied().filter(|lit| core.contains(lit)).collect()),
                None => Known::Stopped,
            }),
        }
    }
}

impl MinimalCores<'_> {
    /// Whether all minimal cores were found.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// The next minimal core, or `None` if there is none or the search was stopped.
    fn find(&mut self) -> Result<Option<Vec<Literal>>, Error> {
        loop {
            let any = Question {
                limit: 1,
                assumptions: Vec::new(),
                goal: Goal::default(),
                ..self.question.clone()
            };
            let mut unknown = self.map.solve(&any)?;
            let Some(seed) = unknown.next().transpose()? else {
                self.is_complete = unknown.is_satisfiable() == Some(false);
                return Ok(None);
            };
            let pairs = self.assumptions.iter().zip(&self.atoms);
            let seed: Vec<Literal> =
                pairs.filter(|(_, &atom)| seed.holds(atom)).map(|(&lit, _)| lit).collect();
            match self.control.known(&seed, &self.assumptions, &self.question)? {
                Known::Stopped => return Ok(None),
                Known::Core(core) => {
                    let Some(core) = self.control.minimal_core(&core, &self.question)? else {
                        return Ok(None);
                    };
                    // No set with all of these is of interest any more.
                    let all = self.of_map(|lit| core.contains(lit));
                    self.map.rule(&[], &all)?;
                    return Ok(Some(core));
                }
                Known::Satisfiable(mut largest) => {
                    for &lit in &self.assumptions {
                        if largest.contains(&lit) {
                            continue;
                        }
                        let more = [&largest[..], &[lit]].concat();
                        match self.control.known(&more, &self.assumptions, &self.question)? {
                            Known::Satisfiable(larger) => largest = larger,
                            Known::Core(_) => {}
                            Known::Stopped => return Ok(None),
                        }
                    }
                    // No part of this set is of interest any more.
                    let mut none = self.of_map(|lit| !largest.contains(lit));
                    none.iter_mut().for_each(|lit| *lit = !*lit);
                    self.map.rule(&[], &none)?;
                }
            }
        }
    }

    /// The map's atoms of some assumptions.
    fn of_map(&self, is_wanted: impl Fn(&Literal) -> bool) -> Vec<Literal> {
        let pairs = self.assumptions.iter().zip(&self.atoms);
        pairs.filter(|(lit, _)| is_wanted(lit)).map(|(_, atom)| atom.positive()).collect()
    }
}

impl Iterator for MinimalCores<'_> {
    type Item = Result<Vec<Literal>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let found = self.find().transpose();
        self.is_over = !matches!(found, Some(Ok(_)));
        found
    }
}
