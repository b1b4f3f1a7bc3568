//! The steps of a proof, with the numbers of the file.
//!
//! Main types: [`Step`], and [`Mark`], which only parts of a proof have.

use std::fmt;

use super::error::ProofError;

/// The number in a step `b` that names no nogood, but the sums and the goal.
pub const THE_SUMS: i64 = -1;

/// A step. See the table in `docs/proof.md`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// `h`: a nogood that is assumed besides the program.
    Assumption(Vec<i64>),
    /// `d`: a variable stands for a conjunction.
    Definition {
        /// The variable.
        var: i64,
        /// The literals.
        lits: Vec<i64>,
    },
    /// `s`: a variable stands for a sum.
    Sum {
        /// The variable.
        var: i64,
        /// What the weights have to reach.
        bound: i64,
        /// Weights and literals.
        terms: Vec<(i64, i64)>,
    },
    /// `b`: the serial numbers of nogoods by which that of the next step follows, or [`THE_SUMS`].
    Because(Vec<i64>),
    /// `n`: a nogood.
    Nogood(Vec<i64>),
    /// `u`: a loop nogood.
    Loop {
        /// The nogood.
        lits: Vec<i64>,
        /// The atoms that are unfounded.
        atoms: Vec<i64>,
    },
    /// `g`: the numbers of difference constraints that are a cycle, in its order.
    Cycle(Vec<i64>),
    /// `q`: a question.
    Question {
        /// Its number in the table of questions.
        kind: i64,
        /// What the costs must not exceed, highest priority first.
        bounds: Vec<i64>,
    },
    /// `k`: a call: the question is asked anew, of the answer sets in which these literals hold.
    Call(Vec<i64>),
    /// `f`: a call is finished.
    Finished {
        /// Whether nothing is left to look for.
        is_refuted: bool,
        /// Literals of the call that refute it.
        core: Vec<i64>,
    },
    /// `a`: an answer set.
    Answer(Vec<i64>),
    /// `r`: a rewriting of costs.
    Rewriting {
        /// The number of the priority, 1 for the highest.
        priority: i64,
        /// The weight that is moved.
        weight: i64,
        /// The variable of a sum.
        var: i64,
    },
    /// `l`: the least costs of a priority.
    Least {
        /// The number of the priority, 1 for the highest.
        priority: i64,
        /// The variable of a sum that holds.
        var: i64,
    },
    /// `x`: a nogood is not used again.
    Deletion(i64),
    /// `e`: the end, and whether with a conclusion.
    End(bool),
}

/// What a part of a proof says of itself. See the table in `docs/proof.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// `i`: which part of which proof this is.
    Part(Identity),
    /// `t`: the clock of the steps that follow.
    Clock(i64),
    /// `j`: from here on the part with this number belongs to the proof, too.
    Join(i64),
    /// `y`: nothing comes any more before the next question.
    Rest,
}

/// Which part of which proof a file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The number of the part, from 0.
    pub number: i64,
    /// How many parts there may be.
    pub of: i64,
    /// A number that all parts of the proof have.
    pub run: i64,
}

/// What a file has: a step or a mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A step.
    Step(Step),
    /// A mark.
    Mark(Mark),
}

impl Item {
    /// Reads what follows a letter.
    pub fn read(letter: &[u8], from: &mut impl Numbers) -> Result<Item, ProofError> {
        Ok(Item::Mark(match letter {
            b"i" => Mark::Part(Identity { number: from.number()?, of: from.number()?, run: from.number()? }),
            b"t" => Mark::Clock(from.number()?),
            b"j" => Mark::Join(from.number()?),
            b"y" => Mark::Rest,
            _ => return Step::read(letter, from).map(Item::Step),
        }))
    }
}

/// Where the numbers of a step come from.
pub trait Numbers {
    /// Reads a number.
    fn number(&mut self) -> Result<i64, ProofError>;
    /// Reads a list of numbers that are not 0.
    fn list(&mut self) -> Result<Vec<i64>, ProofError>;
    /// Reads a list of pairs, the first numbers of which are not 0.
    fn pairs(&mut self) -> Result<Vec<(i64, i64)>, ProofError>;
    /// Reads a list of any numbers that is the last one of the step.
    fn last_list(&mut self) -> Result<Vec<i64>, ProofError>;
}

impl Step {
    /// How many nogoods the step adds.
    pub fn nogoods(&self) -> usize {
        match self {
            Step::Nogood(_) | Step::Cycle(_) | Step::Answer(_) => 1,
            Step::Loop { lits, atoms } if !lits.iter().any(|lit| atoms.contains(lit)) => atoms.len(),
            Step::Loop { .. } => 1,
            _ => 0,
        }
    }

    /// Reads what follows the letter of a step.
    pub fn read(letter: &[u8], from: &mut impl Numbers) -> Result<Step, ProofError> {
        Ok(match letter {
            b"h" => Step::Assumption(from.list()?),
            b"d" => Step::Definition { var: from.number()?, lits: from.list()? },
            b"s" => Step::Sum { var: from.number()?, bound: from.number()?, terms: from.pairs()? },
            b"b" => Step::Because(from.list()?),
            b"n" => Step::Nogood(from.list()?),
            b"u" => Step::Loop { lits: from.list()?, atoms: from.list()? },
            b"g" => Step::Cycle(from.list()?),
            b"q" => Step::Question { kind: from.number()?, bounds: from.last_list()? },
            b"k" => Step::Call(from.list()?),
            b"f" => Step::Finished { is_refuted: truth(from)?, core: from.list()? },
            b"a" => Step::Answer(from.list()?),
            b"r" => Step::Rewriting { priority: from.number()?, weight: from.number()?, var: from.number()? },
            b"l" => Step::Least { priority: from.number()?, var: from.number()? },
            b"x" => Step::Deletion(from.number()?),
            b"e" => Step::End(truth(from)?),
            _ => return Err(ProofError::Unknown(letter.escape_ascii().to_string())),
        })
    }
}

/// Reads 0 or 1.
fn truth(from: &mut impl Numbers) -> Result<bool, ProofError> {
    match from.number()? {
        number @ (0 | 1) => Ok(number == 1),
        number => Err(ProofError::TooMany(number.to_string())),
    }
}

/// How many numbers of a step a message shows.
const SHOWN: usize = 20;

impl Step {
    /// Tells the step as a proof has it: its letter, the numbers after that, and the lists at the end. The list of a sum
    /// is one of pairs.
    pub fn told<T>(&self, to: impl FnOnce(char, &[i64], &[&[i64]]) -> T) -> T {
        match self {
            Step::Assumption(lits) => to('h', &[], &[lits]),
            Step::Definition { var, lits } => to('d', &[*var], &[lits]),
            Step::Sum { var, bound, terms } => {
                let pairs: Vec<i64> = terms.iter().flat_map(|&(weight, lit)| [weight, lit]).collect();
                to('s', &[*var, *bound], &[&pairs])
            }
            Step::Because(serials) => to('b', &[], &[serials]),
            Step::Nogood(lits) => to('n', &[], &[lits]),
            Step::Loop { lits, atoms } => to('u', &[], &[lits, atoms]),
            Step::Cycle(numbers) => to('g', &[], &[numbers]),
            Step::Question { kind, bounds } => to('q', &[*kind], &[bounds]),
            Step::Call(lits) => to('k', &[], &[lits]),
            Step::Finished { is_refuted, core } => to('f', &[i64::from(*is_refuted)], &[core]),
            Step::Answer(atoms) => to('a', &[], &[atoms]),
            Step::Rewriting { priority, weight, var } => to('r', &[*priority, *weight, *var], &[]),
            Step::Least { priority, var } => to('l', &[*priority, *var], &[]),
            Step::Deletion(number) => to('x', &[*number], &[]),
            Step::End(is_concluded) => to('e', &[i64::from(*is_concluded)], &[]),
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.told(|letter, first, lists| {
            write!(f, "{letter}")?;
            first.iter().try_for_each(|number| write!(f, " {number}"))?;
            for list in lists {
                list.iter().take(SHOWN).try_for_each(|number| write!(f, " {number}"))?;
                f.write_str(if list.len() > SHOWN { " .. 0" } else { " 0" })?;
            }
            Ok(())
        })
    }
}
