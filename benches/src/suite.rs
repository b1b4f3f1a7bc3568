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
    /// Options as on its command line, where `{threads}` is the number of processors.
    #[serde(default)]
    pub options: Vec<String>,
    /// How many searches it makes at once, if that is what configurations of one solver are to be compared by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub searchers: Option<usize>,
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

impl Solver {
    /// Its name, as in a suite file.
    pub fn name(self) -> &'static str {
        match self {
            Solver::Yasmin => "yasmin",
            Solver::Clasp => "clasp",
        }
    }
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

/// What is wrong with a suite, and a name that stands where it is wrong.
struct Wrong {
    why: String,
    name: Option<String>,
}

impl Suite {
    /// Reads a suite file. Errors say the line, where there is one, and what to do.
    pub fn read(path: &Path) -> Result<Suite, Error> {
        let text = std::fs::read_to_string(path).map_err(|e| Error::file(path, e))?;
        Suite::parse(&text).map_err(|why| Error::Suite(path.display().to_string(), why))
    }

    fn parse(text: &str) -> Result<Suite, String> {
        let suite: Suite = serde_json::from_str(text).map_err(|e| e.to_string())?;
        suite.check().map_err(|wrong| match wrong.name.and_then(|name| last_line_of(text, &name)) {
            Some(line) => format!("{} at line {line}", wrong.why),
            None => wrong.why,
        })?;
        Ok(suite)
    }

    /// Keeps the instances whose name or family is one of these; all, if none is given.
    pub fn keep_instances(&mut self, only: &[String]) -> Result<(), Error> {
        let unknown = only.iter().find(|only| !self.instances.iter().any(|i| i.is_called(only)));
        if let Some(unknown) = unknown {
            let mut names: Vec<&str> = self.instances.iter().map(|i| i.family.as_str()).collect();
            names.dedup();
            return Err(unknown_name("instance or family", unknown, &names));
        }
        self.instances.retain(|i| only.is_empty() || only.iter().any(|only| i.is_called(only)));
        Ok(())
    }

    /// Keeps the configurations of these names; all, if none is given.
    pub fn keep_configurations(&mut self, only: &[String]) -> Result<(), Error> {
        let names: Vec<&str> = self.configurations.iter().map(|c| c.name.as_str()).collect();
        if let Some(unknown) = only.iter().find(|only| !names.contains(&only.as_str())) {
            return Err(unknown_name("configuration", unknown, &names));
        }
        self.configurations.retain(|c| only.is_empty() || only.contains(&c.name));
        Ok(())
    }

    /// The seconds that a run of the instance may take.
    pub fn limit(&self, instance: &Instance) -> f64 {
        instance.time_limit.unwrap_or(self.time_limit)
    }

    fn check(&self) -> Result<(), Wrong> {
        let wrong = |why: &str, name: Option<&str>| Wrong { why: why.into(), name: name.map(String::from) };
        check_names("instance", self.instances.iter().map(|i| &i.name))?;
        check_names("configuration", self.configurations.iter().map(|c| &c.name))?;
        // A limit becomes a duration, which has an end too.
        let good = |limit: f64| limit > 0.0 && limit <= 1e6;
        if !good(self.time_limit) {
            return Err(wrong("`time_limit` must be more than 0 and at most a million seconds", None));
        }
        if self.repetitions == 0 {
            return Err(wrong("`repetitions` must be at least 1; leave it out for 3", None));
        }
        let mut seen = BTreeSet::new();
        for configuration in &self.configurations {
            let name = Some(configuration.name.as_str());
            match configuration.searchers {
                Some(0) => {
                    return Err(wrong(
                        "`searchers` must be at least 1; leave it out if it is of no interest",
                        name,
                    ));
                }
                Some(searchers) if !seen.insert((configuration.solver, searchers)) => {
                    let why = "two configurations of one solver have as many `searchers`: leave them out of one of the two";
                    return Err(wrong(why, name));
                }
                _ => {}
            }
        }
        for instance in &self.instances {
            let name = Some(instance.name.as_str());
            if !instance.time_limit.is_none_or(good) {
                return Err(wrong("`time_limit` must be more than 0 and at most a million seconds", name));
            }
            let Some(source) = &instance.source else { continue };
            if let Some(made) = &source.generate {
                let sizes = made.family.sizes();
                if !sizes.contains(&made.size) {
                    let (from, to) = (sizes.start(), sizes.end());
                    let why = format!("`size` of {} must be from {from} to {to}", made.family.name());
                    return Err(wrong(&why, name));
                }
            } else if source.files.is_empty() {
                let why = "a `source` needs `files` or `generate`; without a source, give NAME.aspif in the ground folder";
                return Err(wrong(why, name));
            }
        }
        Ok(())
    }
}

impl Instance {
    fn is_called(&self, only: &str) -> bool {
        self.name == only || self.family == only
    }
}

fn unknown_name(what: &str, unknown: &str, names: &[&str]) -> Error {
    Error::Nothing(format!("the suite has no {what} `{unknown}`; it has {}", names.join(", ")))
}

/// The line of the last place where this stands as a JSON string, from 1.
fn last_line_of(text: &str, name: &str) -> Option<usize> {
    let quoted = serde_json::to_string(name).ok()?;
    text.lines().enumerate().filter(|(_, line)| line.contains(&quoted)).last().map(|(place, _)| place + 1)
}

fn check_names<'a>(what: &str, names: impl Iterator<Item = &'a String>) -> Result<(), Wrong> {
    let mut seen = BTreeSet::new();
    for name in names {
        let wrong = |why: String| Err(Wrong { why, name: Some(name.clone()) });
        if name.is_empty()
            || name.starts_with('.')
            || name.contains(['/', '|'])
            || name.contains(char::is_control)
        {
            return wrong(format!(
                "`{name}` cannot be the name of a file, or of {what}: use letters, digits and `-`"
            ));
        }
        if !seen.insert(name) {
            return wrong(format!("there are two of {what} `{name}`: give one of them another name"));
        }
    }
    if seen.is_empty() {
        return Err(Wrong { why: format!("there is no {what}: list one in `{what}s`"), name: None });
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
        Suite::parse(&text)
    }

    #[test]
    fn what_is_not_said_has_a_default() {
        let suite = suite(r#"[{"name": "a", "family": "f"}]"#, "2.5").expect("a good suite");
        assert_eq!((suite.repetitions, suite.instances[0].models), (3, 1));
    }

    #[test]
    fn our_suites_are_good_and_described() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/bench");
        let described = std::fs::read_to_string(folder.join("instances.txt")).expect("a description");
        for name in ["smoke.json", "paper.json", "suite.json", "hard.json", "scaling.json"] {
            let suite = Suite::read(&folder.join(name)).expect("a good suite");
            for instance in suite.instances {
                let made = instance.source.and_then(|source| source.generate).expect("a generated instance");
                assert!(folder.join(made.family.encoding()).is_file(), "{}", instance.name);
                // Of some hard ones nothing is known, and the table says so.
                let told =
                    |asked: &str| described.contains(&format!("| {} | {asked}: not known |", instance.name));
                let open = name == "hard.json" && (told("one") || told("all"));
                assert!(
                    instance.known.is_some() || open,
                    "{}: what is known is checked where there is no clasp",
                    instance.name
                );
                let row = format!("| {} |", instance.name);
                assert!(
                    name == "smoke.json" || described.contains(&row),
                    "{}: the table has no size",
                    instance.name
                );
            }
        }
    }

    #[test]
    fn study_and_exam_share_no_family() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/bench");
        let described = std::fs::read_to_string(folder.join("instances.txt")).expect("a description");
        let mut halves: Vec<BTreeSet<String>> = Vec::new();
        for half in ["study", "exam"] {
            let suite = Suite::read(&folder.join(format!("{half}.json"))).expect("a good suite");
            for instance in &suite.instances {
                let source = instance.source.as_ref().expect("files");
                assert!(source.files.iter().all(|file| folder.join(file).is_file()), "{}", instance.name);
                assert!(instance.known.is_some(), "{}", instance.name);
                let row = format!("| `{}` | {half} |", instance.family);
                assert!(described.contains(&row), "{}: the table does not have it", instance.family);
            }
            halves.push(suite.instances.into_iter().map(|instance| instance.family).collect());
        }
        assert!(halves[0].is_disjoint(&halves[1]));
        let files = std::fs::read_dir(folder.join("wide")).expect("encodings").count();
        assert_eq!(files, halves[0].len() + halves[1].len(), "each encoding is used");
    }

    #[test]
    fn bad_suites_are_refused() {
        for (instances, limit, why) in [
            ("[]", "1", "no instance"),
            (r#"[{"name": "a/b", "family": "f"}]"#, "1", "name of a file"),
            (r#"[{"name": "a", "family": "f"}, {"name": "a", "family": "f"}]"#, "1", "two of instance"),
            (r#"[{"name": "a", "family": "f"}]"#, "0", "time_limit"),
            (r#"[{"name": "a", "family": "f", "modles": 1}]"#, "1", "modles"),
            (
                "[{\"name\": \"a\", \"family\": \"f\"},\n{\"name\": \"a\", \"family\": \"f\"}]",
                "1",
                "at line 2",
            ),
            (r#"[{"name": "a", "family": "f", "time_limit": -1}]"#, "1", "at line 1"),
            (r#"[{"name": "a", "family": "f", "source": {}}]"#, "1", "needs `files` or `generate`"),
            (
                r#"[{"name": "a", "family": "f", "source": {"generate": {"family": "sat", "size": 2}}}]"#,
                "1",
                "from 4 to",
            ),
            (
                r#"[{"name": "a", "family": "f", "source": {"generate": {"family": "sta", "size": 9}}}]"#,
                "1",
                "`sta`",
            ),
        ] {
            let error = suite(instances, limit).expect_err(why);
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn numbers_of_searchers_tell_configurations_of_a_solver_apart() {
        let suite = |searchers: [&str; 3]| {
            let [a, b, c] = searchers;
            Suite::parse(&format!(
                r#"{{"time_limit": 1, "instances": [{{"name": "a", "family": "f"}}], "configurations": [
                    {{"name": "ours", "solver": "yasmin", "searchers": {a}}},
                    {{"name": "more", "solver": "yasmin", "searchers": {b}}},
                    {{"name": "theirs", "solver": "clasp", "searchers": {c}}}]}}"#
            ))
        };
        assert_eq!(suite(["1", "4", "4"]).expect("a good suite").configurations[1].searchers, Some(4));
        for (searchers, why) in [
            (
                ["1", "0", "1"],
                "`searchers` must be at least 1; leave it out if it is of no interest at line 3",
            ),
            (["4", "4", "1"], "as many `searchers`: leave them out of one of the two at line 3"),
        ] {
            let error = suite(searchers).expect_err(why);
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn what_is_not_in_a_suite_cannot_be_chosen() {
        let mut suite = suite(r#"[{"name": "a", "family": "f"}]"#, "1").expect("a good suite");
        assert!(suite.keep_instances(&["f".into()]).is_ok() && suite.keep_configurations(&[]).is_ok());
        let error = suite.keep_configurations(&["fwd".into()]).expect_err("there is none").to_string();
        assert!(error.contains("no configuration `fwd`; it has res"), "{error}");
    }
}
