//! What a run is asked for, as words of a command line.
//!
//! Main type: [`Asked`].

use serde::{Deserialize, Serialize};

/// How answer sets are looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reasoning {
    /// One by one.
    #[default]
    Enumerate,
    /// `--brave`
    Brave,
    /// `--cautious`
    Cautious,
}

/// `--opt-mode`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mode {
    /// `opt`
    #[default]
    Opt,
    /// `enum`
    Enum,
    /// `optN`
    OptN,
    /// `ignore`
    Ignore,
}

/// `--project`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Projection {
    /// The option is not given.
    #[default]
    No,
    /// `auto`
    Auto,
    /// `show`
    Show,
    /// `project`
    Project,
}

/// The form of what is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Format {
    /// `--json`
    #[default]
    Json,
    /// `--json-lines`
    Lines,
    /// Text, as clasp prints it.
    Text,
}

/// What a run is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// How answer sets are looked at.
    pub reasoning: Reasoning,
    /// What is done about minimize statements.
    pub mode: Mode,
    /// The bounds that follow the mode.
    pub bound: Vec<i64>,
    /// What distinguishes answer sets.
    pub projection: Projection,
    /// `-n`
    pub models: Option<u64>,
    /// `--opt-stop`
    pub opt_stop: Option<Vec<i64>>,
    /// `--quiet`: of answer sets and of costs 0 (each), 1 (the last) or 2 (none).
    pub quiet: Option<(u8, u8)>,
    /// `--time-limit`, in microseconds.
    pub time_limit: Option<u64>,
    /// `--solve-limit`: conflicts and restarts.
    pub solve_limit: Option<(u64, u64)>,
    /// The form of what is printed.
    pub format: Format,
}

impl Asked {
    /// The words of the command line.
    pub fn words(&self) -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        let numbers = |all: &[i64]| all.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
        match self.format {
            Format::Json => words.push("--json".into()),
            Format::Lines => words.push("--json-lines".into()),
            Format::Text => {}
        }
        match self.reasoning {
            Reasoning::Enumerate => {}
            Reasoning::Brave => words.push("--brave".into()),
            Reasoning::Cautious => words.push("--cautious".into()),
        }
        if self.mode != Mode::Opt || !self.bound.is_empty() {
            let mode = match self.mode {
                Mode::Opt => "opt",
                Mode::Enum => "enum",
                Mode::OptN => "optN",
                Mode::Ignore => "ignore",
            };
            let comma = if self.bound.is_empty() { "" } else { "," };
            words.push(format!("--opt-mode={mode}{comma}{}", numbers(&self.bound)));
        }
        match self.projection {
            Projection::No => {}
            Projection::Auto => words.push("--project=auto".into()),
            Projection::Show => words.push("--project=show".into()),
            Projection::Project => words.push("--project=project".into()),
        }
        words.extend(self.models.map(|models| format!("-n{models}")));
        words.extend(self.opt_stop.as_ref().map(|stop| format!("--opt-stop={}", numbers(stop))));
        words.extend(self.quiet.map(|(models, costs)| format!("--quiet={models},{costs}")));
        words.extend(self.time_limit.map(|micros| format!("--time-limit={:.6}", micros as f64 * 1e-6)));
        words.extend(
            self.solve_limit.map(|(conflicts, restarts)| format!("--solve-limit={conflicts},{restarts}")),
        );
        words
    }

    /// Whether an optimum is looked for in a program that minimizes, or does not.
    pub fn optimizes(&self, minimizes: bool) -> bool {
        minimizes && matches!(self.mode, Mode::Opt | Mode::OptN)
    }

    /// Whether answer sets have costs in a program that minimizes, or does not.
    pub fn has_costs(&self, minimizes: bool) -> bool {
        minimizes && self.mode != Mode::Ignore
    }

    /// How many answer sets end the run in a program that minimizes, or does not; 0: no number does. With `optN` those
    /// count that are known to be optimal.
    pub fn limit(&self, minimizes: bool) -> u64 {
        let wants_all = self.optimizes(minimizes) || self.reasoning != Reasoning::Enumerate;
        self.models.unwrap_or(if wants_all { 0 } else { 1 })
    }

    /// Whether of each answer set everything is printed.
    pub fn prints_all(&self) -> bool {
        matches!(self.quiet, None | Some((0, 0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_a_command_line() {
        let asked = Asked {
            reasoning: Reasoning::Brave,
            mode: Mode::OptN,
            bound: vec![i64::MIN, 3],
            models: Some(0),
            opt_stop: Some(vec![-1]),
            quiet: Some((1, 0)),
            time_limit: Some(2500),
            format: Format::Lines,
            ..Asked::default()
        };
        let want =
            "--json-lines --brave --opt-mode=optN,-9223372036854775808,3 -n0 --opt-stop=-1 --quiet=1,0 \
                    --time-limit=0.002500";
        assert_eq!(asked.words().join(" "), want);
        assert_eq!(Asked::default().words(), ["--json"]);
        assert_eq!(Asked::default().limit(true), 0);
    }
}
