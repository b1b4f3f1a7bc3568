//! What is to be run: instances, configurations of solvers, how often, how long.
//!
//! Main type: [`Suite`], as its JSON file says it. Invariant: a suite that was read has instances and configurations, each
//! with a name of its own that is a file name.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::generate::Family;
use crate::Error;

/// A suite file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    /// How often each pair of instance and configuration is run.
    #[serde(default = "three")]
    pub repetitions: usize,
    /// Seconds that a run may take, reading included.
    pub time_limit: f64,
    /// How the solvers are called.
    pub configurations: Vec<Configuration>,
    /// What they solve.
    pub instances: Vec<Instance>,
}

/// A solver and its options.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Configuration {
    /// What reports call it.
    pub name: String,
    /// Which solver.
    pub solver: Solver,
    /// Options as on its command line. With clasp, `{threads}` is the number of processors.
    #[serde(default)]
    pub options: Vec<String>,
    /// Whether ratios against it are of interest.
    #[serde(default)]
    pub reference: bool,
}

/// A solver that can be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Solver {
    /// This project's.
    Yasmin,
    /// Potassco's; left out where it is not found.
    Clasp,
}

/// A ground program and what is asked of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instance {
    /// What reports call it; its ground program is `NAME.aspif`.
    pub name: String,
    /// What it is reported with.
    pub family: String,
    /// What it is made from; without that, the ground program must be there already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// How many answer sets to look for; 0: all.
    #[serde(default = "one")]
    pub models: u64,
    /// Options for all solvers, such as `--opt-mode=ignore`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// Seconds, if not those of the suite.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_limit: Option<f64>,
    /// What is known about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<Known>,
}

/// What a ground program is made from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Logic programs, from the folder of the suite file; without any, the family's encoding.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<PathBuf>,
    /// A generated instance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generate: Option<Generate>,
    /// Constants, as `NAME=TERM`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constants: Vec<String>,
}

/// A generated instance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Generate {
    /// What kind.
    pub family: Family,
    /// How large.
    pub size: usize,
    /// Which of those.
    #[serde(default)]
    pub seed: u64,
}

/// What is known about an instance.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    /// Whether there is an answer set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub satisfiable: Option<bool>,
    /// How many there are in all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub models: Option<u64>,
    /// The costs of the best.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optimum: Option<Vec<i64>>,
}

fn one() -> u64 {
    1
}

fn three() -> usize {
    3
}

impl Suite {
    /// Reads a suite file.
    pub fn read(path: &Path) -> Result<Suite, Error> {
        let text = std::fs::read_to_string(path).map_err(|e| Error::file(path, e))?;
        let suite: Suite = serde_json::from_str(&text)
            .map_err(|e| Error::Suite(path.display().to_string(), e.to_string()))?;
        suite.check().map_err(|why| Error::Suite(path.display().to_string(), why))?;
        Ok(suite)
    }

    /// Keeps the instances whose name or family is one of these; all, if none is given.
    pub fn keep_instances(&mut self, only: &[String]) {
        self.instances.retain(|i| only.is_empty() || only.contains(&i.name) || only.contains(&i.family));
    }

    /// Keeps the configurations of these names; all, if none is given.
    pub fn keep_configurations(&mut self, only: &[String]) {
        self.configurations.retain(|c| only.is_empty() || only.contains(&c.name));
    }

    fn check(&self) -> Result<(), String> {
        let names = self.instances.iter().map(|i| &i.name);
        check_names("instance", names)?;
        check_names("configuration", self.configurations.iter().map(|c| &c.name))?;
        let limits = self.instances.iter().filter_map(|i| i.time_limit).chain([self.time_limit]);
        if limits.into_iter().any(|limit| limit.is_nan() || limit <= 0.0) {
            return Err("a time limit must be more than 0 seconds".into());
        }
        if self.repetitions == 0 {
            return Err("there must be at least one repetition".into());
        }
        Ok(())
    }
}

fn check_names<'a>(what: &str, names: impl Iterator<Item = &'a String>) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    for name in names {
        if name.is_empty() || name.starts_with('.') || name.contains(['/', '|', '\n']) {
            return Err(format!("`{name}` cannot be the name of a file, or of {what}"));
        }
        if !seen.insert(name) {
            return Err(format!("there are two of {what} `{name}`"));
        }
    }
    if seen.is_empty() {
        return Err(format!("there is no {what}"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suite(instances: &str, limit: &str) -> Result<Suite, String> {
        let text = format!(
            r#"{{"time_limit": {limit}, "configurations": [{{"name": "res", "solver": "yasmin"}}], "instances": {instances}}}"#
        );
        let suite: Suite = serde_json::from_str(&text).map_err(|e| e.to_string())?;
        suite.check().map(|()| suite)
    }

    #[test]
    fn what_is_not_said_has_a_default() {
        let suite = suite(r#"[{"name": "a", "family": "f"}]"#, "2.5").expect("a good suite");
        assert_eq!((suite.repetitions, suite.instances[0].models), (3, 1));
    }

    #[test]
    fn bad_suites_are_refused() {
        for (instances, limit, why) in [
            ("[]", "1", "no instance"),
            (r#"[{"name": "a/b", "family": "f"}]"#, "1", "name of a file"),
            (r#"[{"name": "a", "family": "f"}, {"name": "a", "family": "f"}]"#, "1", "two of instance"),
            (r#"[{"name": "a", "family": "f"}]"#, "0", "time limit"),
            (r#"[{"name": "a", "family": "f", "modles": 1}]"#, "1", "modles"),
        ] {
            let error = suite(instances, limit).expect_err(why);
            assert!(error.contains(why), "{error}");
        }
    }
}
