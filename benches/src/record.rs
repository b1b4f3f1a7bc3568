//! What is kept of all runs: `results.json`.
//!
//! Main type: [`Record`]. Invariant: the file is always whole: it is written beside and then renamed.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::outcome::{End, Outcome};
use crate::suite::Suite;
use crate::Error;

/// All runs so far, and what they are runs of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Whether all runs of the suite are in it.
    pub complete: bool,
    /// When it began, in seconds since 1970.
    pub began: u64,
    /// The number of processors, which is that of clasp's threads where it may take all.
    pub threads: usize,
    /// What the processors are, if the system says so.
    #[serde(default)]
    pub processor: Option<String>,
    /// What yasmin was told to run on, where a configuration does not say.
    #[serde(default)]
    pub device: String,
    /// Each solver's version, as it says it.
    pub versions: Vec<String>,
    /// What should be known to read it, such as a solver that was not found.
    pub notes: Vec<String>,
    /// What was to be run.
    pub suite: Suite,
    /// The runs, in the order in which they were made.
    pub runs: Vec<Run>,
}

/// One run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The instance's name.
    pub instance: String,
    /// The configuration's name.
    pub configuration: String,
    /// Which repetition, from 0.
    pub repetition: usize,
    /// Seconds from the start of the process to its end.
    pub wall: f64,
    /// The exit code, unless a signal ended it.
    pub code: Option<i32>,
    /// The most host memory it had, in bytes.
    pub peak_bytes: u64,
    /// What it said.
    #[serde(flatten)]
    pub outcome: Outcome,
}

impl Run {
    /// Whether it did what was asked for, in time.
    pub fn is_solved(&self) -> bool {
        self.outcome.end == End::Solved
    }
}

impl Record {
    /// Reads it.
    pub fn read(path: &Path) -> Result<Record, Error> {
        let text = fs::read_to_string(path).map_err(|e| Error::file(path, e))?;
        serde_json::from_str(&text).map_err(|e| Error::file(path, e.into()))
    }

    /// Writes it.
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        let text = serde_json::to_string_pretty(self).map_err(|e| Error::file(path, e.into()))?;
        replace(path, &text)
    }

    /// The runs of an instance with a configuration.
    pub fn of<'a>(&'a self, instance: &'a str, configuration: &'a str) -> impl Iterator<Item = &'a Run> {
        self.runs.iter().filter(move |run| run.instance == instance && run.configuration == configuration)
    }

    /// Whether that run was made.
    pub fn has(&self, instance: &str, configuration: &str, repetition: usize) -> bool {
        self.of(instance, configuration).any(|run| run.repetition == repetition)
    }

    /// The runs to be made yet, in order: repetition, place of the instance, place of the configuration.
    pub fn missing(&self) -> Vec<(usize, usize, usize)> {
        let (instances, configurations) = (&self.suite.instances, &self.suite.configurations);
        let all = (0..self.suite.repetitions).flat_map(|repetition| {
            (0..instances.len()).flat_map(move |i| (0..configurations.len()).map(move |c| (repetition, i, c)))
        });
        all.filter(|&(repetition, i, c)| !self.has(&instances[i].name, &configurations[c].name, repetition))
            .collect()
    }

    /// Takes over the runs of an earlier record; an error is what about it is not the same. There may be more
    /// repetitions now; if there are fewer, those that were to be made still are.
    pub fn continue_from(&mut self, old: Record) -> Result<(), &'static str> {
        let same = [
            ("the solvers", self.versions == old.versions),
            ("the processors", self.threads == old.threads && self.processor == old.processor),
            ("the devices", self.device == old.device),
            ("the configurations", self.suite.configurations == old.suite.configurations),
            ("the instances", self.suite.instances == old.suite.instances),
            ("the time limit", self.suite.time_limit == old.suite.time_limit),
        ];
        if let Some((what, _)) = same.iter().find(|(_, same)| !same) {
            return Err(what);
        }
        self.began = old.began;
        self.runs = old.runs;
        self.suite.repetitions = self.suite.repetitions.max(old.suite.repetitions);
        Ok(())
    }

    /// The seconds that a run of the instance could take.
    pub fn limit(&self, instance: &str) -> f64 {
        self.suite
            .instances
            .iter()
            .find(|i| i.name == instance)
            .map_or(self.suite.time_limit, |i| self.suite.limit(i))
    }
}

/// Writes a file whole: under another name first.
pub fn replace(path: &Path, text: &str) -> Result<(), Error> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".part");
    let beside = Path::new(&beside);
    fs::write(beside, text).map_err(|e| Error::file(beside, e))?;
    fs::rename(beside, path).map_err(|e| Error::file(path, e))
}

#[cfg(test)]
mod tests {
    use crate::check::tests::{record, run};

    #[test]
    fn a_record_goes_on_where_the_earlier_one_ended() {
        let all = || vec![run("clasp", 0, 1.0, 5, false), run("res", 0, 1.0, 5, false)];
        let mut old = record(all());
        old.runs.pop();
        let mut new = record(all());
        new.runs.clear();
        assert_eq!(new.missing().len(), 6);
        new.continue_from(old.clone()).expect("the same suite");
        assert_eq!((new.missing()[0], new.missing().len()), ((0, 0, 1), 5));
        new.versions.push("another".into());
        assert_eq!(new.continue_from(old), Err("the solvers"));
    }
}
