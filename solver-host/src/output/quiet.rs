//! What of each answer set is printed, and when: clasp's `--quiet`.
//!
//! Main type: `Filter`. Invariant: at most one answer set is held back, and only until `Filter::last` hands it out.

use super::{Answer, Format, Summary};
use crate::search::Consequences;

/// How much is printed of something that comes several times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Each time.
    #[default]
    All,
    /// The last time; those known to be optimal count as last.
    Last,
    /// Never.
    None,
}

/// What is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quiet {
    /// Of the atoms of answer sets.
    pub models: Level,
    /// Of their costs, and of how far consequences are known.
    pub costs: Level,
    /// Of the calls of the solver, of which there is one: whether it has a summary of its own.
    pub calls: Level,
}

impl Quiet {
    /// What clasp leaves out in that format.
    pub fn default_of(format: Format) -> Self {
        let level = if format == Format::Competition { Level::Last } else { Level::All };
        Quiet { models: level, costs: level, calls: Level::None }
    }
}

/// What is printed of one answer set.
#[derive(Clone, Debug)]
pub(super) struct Witness<'a> {
    /// Its number, from 1; the first that is known to be optimal has number 1 again.
    pub number: u64,
    /// When it was found, in seconds since the program started.
    pub seconds: f64,
    /// The names to show, unless they are left out.
    pub atoms: Option<Vec<&'a str>>,
    /// The costs, unless there are none or they are left out.
    pub costs: Option<&'a [i128]>,
    /// How far consequences are known, unless none are asked for or that is left out.
    pub consequences: Option<Consequences>,
    /// Whether it is known to be optimal.
    pub is_optimal: bool,
}

/// An answer set that is held back.
struct Held {
    number: u64,
    seconds: f64,
    atoms: Vec<String>,
    costs: Vec<i128>,
    consequences: Option<Consequences>,
    is_optimal: bool,
}

/// Numbers answer sets, and leaves out what is not to be printed; see the module's documentation.
pub(super) struct Filter {
    quiet: Quiet,
    number: u64,
    optimal: bool,
    held: Option<Held>,
}

impl Filter {
    /// Leaves out what `quiet` says.
    pub fn new(quiet: Quiet) -> Self {
        Filter { quiet, number: 0, optimal: false, held: None }
    }

    /// What is to be printed at once of an answer set that was found.
    pub fn now<'a>(&mut self, answer: &Answer<'a>, seconds: f64) -> Option<Witness<'a>> {
        if answer.is_optimal && !self.optimal {
            (self.optimal, self.number) = (true, 0);
        }
        self.number += 1;
        let Quiet { models, costs, .. } = self.quiet;
        let is_last = answer.is_optimal && answer.consequences.is_none();
        let has_costs = !answer.costs.is_empty() || answer.consequences.is_some();
        let wants_last = models == Level::Last || (costs == Level::Last && has_costs);
        self.held = (wants_last && !is_last).then(|| Held {
            number: self.number,
            seconds,
            atoms: match models <= Level::Last {
                true => (answer.atoms)().into_iter().map(str::to_string).collect(),
                false => Vec::new(),
            },
            costs: answer.costs.to_vec(),
            consequences: answer.consequences,
            is_optimal: answer.is_optimal,
        });
        let level = if is_last { Level::Last } else { Level::All };
        if models > level && !(has_costs && costs <= level) {
            return None;
        }
        Some(Witness {
            number: self.number,
            seconds,
            atoms: (models <= level).then(|| (answer.atoms)()),
            costs: Some(answer.costs).filter(|sums| costs <= level && !sums.is_empty()),
            consequences: answer.consequences.filter(|_| costs <= level),
            is_optimal: answer.is_optimal,
        })
    }

    /// Hands what was held back to `print`, at the end.
    pub fn last<T: Default>(&mut self, summary: &Summary, print: impl FnOnce(&Witness) -> T) -> T {
        let Some(held) = self.held.take().filter(|_| summary.models > 0) else { return T::default() };
        let Quiet { models, costs, .. } = self.quiet;
        print(&Witness {
            number: held.number,
            seconds: held.seconds,
            atoms: (models <= Level::Last).then(|| held.atoms.iter().map(String::as_str).collect()),
            // What is printed each time was printed already.
            costs: Some(&held.costs[..]).filter(|sums| costs == Level::Last && !sums.is_empty()),
            consequences: held.consequences.filter(|_| costs == Level::Last),
            is_optimal: held.is_optimal,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is printed of three answer sets, the last of which is optimal if that is `known`: numbers, `a` for atoms, `c`
    /// for costs, and `|` before what is printed at the end.
    fn printed(models: Level, costs: Level, known: bool) -> String {
        let mut filter = Filter::new(Quiet { models, costs, calls: Level::None });
        let mut text = String::new();
        let tell = |witness: &Witness| {
            let atoms = if witness.atoms.is_some() { "a" } else { "" };
            let costs = if witness.costs.is_some() { "c" } else { "" };
            format!("{}{atoms}{costs} ", witness.number)
        };
        for (cost, is_optimal) in [(3, false), (2, false), (2, known)] {
            let answer = Answer { atoms: &|| vec!["a"], costs: &[cost], is_optimal, ..Answer::default() };
            text += &filter.now(&answer, 0.0).as_ref().map_or(String::new(), tell);
        }
        let summary = Summary { models: 3, ..Summary::default() };
        format!("{text}|{}", filter.last(&summary, tell)).trim_end().into()
    }

    #[test]
    fn leaves_out_what_clasp_leaves_out() {
        use Level::{All, Last, None};
        for (models, costs, known, want) in [
            (All, All, false, "1ac 2ac 3ac |"),
            (Last, Last, false, "|3ac"),
            (Last, All, false, "1c 2c 3c |3a"),
            (Last, None, false, "|3a"),
            (None, None, false, "|"),
            (None, All, false, "1c 2c 3c |"),
            (None, Last, false, "|3c"),
            (All, None, false, "1a 2a 3a |"),
            (All, All, true, "1ac 2ac 1ac |"),
            (Last, Last, true, "1ac |"),
        ] {
            assert_eq!(printed(models, costs, known), want, "{models:?} {costs:?} {known}");
        }
    }
}
