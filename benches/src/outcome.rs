//! What a solver said: its JSON, read.
//!
//! Main function: [`read`]. Invariant: a run is solved only if the solver said so itself; what cannot be understood is a
//! failure, never a time.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::child::Ended;
use crate::suite::Solver;

/// How a run ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum End {
    /// With what was asked for.
    #[default]
    Solved,
    /// At the time limit.
    Timeout,
    /// With an error.
    Failed(String),
}

/// What was found out about the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It has an answer set.
    Satisfiable,
    /// It has none.
    Unsatisfiable,
    /// Nothing.
    #[default]
    Unknown,
}

/// How large a program is. Variables are atoms and bodies; simplification leaves fewer of them, and of nogoods.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    /// Atoms.
    pub atoms: u64,
    /// Atoms and bodies of the completion.
    pub variables: u64,
    /// Atoms and bodies that were searched.
    pub variables_searched: u64,
    /// Nogoods of the completion.
    pub nogoods: u64,
    /// Nogoods that were searched.
    pub nogoods_searched: u64,
}

/// Work that a solver counted; rates are per second of its search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Work {
    /// What the search ran on.
    pub device: Option<String>,
    /// The atoms, variables and nogoods of the program.
    pub size: Option<Size>,
    /// Seconds of search.
    pub solve_seconds: Option<f64>,
    /// Literals assigned.
    pub propagations_per_second: Option<f64>,
    /// Decisions.
    pub decisions_per_second: Option<f64>,
    /// Conflicts.
    pub conflicts_per_second: Option<f64>,
    /// Nogoods learned.
    pub learned_per_second: Option<f64>,
    /// Their literals, in the mean.
    pub learned_length: Option<f64>,
    /// The most device memory, if it was counted.
    pub device_bytes: Option<u64>,
}

/// What a solver said.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// How it ended.
    pub end: End,
    /// What it found out.
    pub verdict: Verdict,
    /// Whether it saw all there is.
    pub exhausted: bool,
    /// How many answer sets it found.
    pub models: u64,
    /// The costs of the best, in a program that minimizes.
    pub costs: Option<Vec<i64>>,
    /// Whether those are known to be optimal.
    pub optimal: bool,
    /// Seconds to the first answer set, or to the verdict that there is none, reading and preparing included. By the
    /// solver's own clock, which does not see the start of its process.
    pub first_answer: Option<f64>,
    /// Seconds of solving, by the solver's own clock, without reading.
    #[serde(default)]
    pub solving: Option<f64>,
    /// What it counted.
    pub work: Work,
}

/// Reads what a call left behind.
pub fn read(ended: &Ended, solver: Solver) -> Outcome {
    let Ok(said) = serde_json::from_str::<Value>(&ended.stdout) else {
        let end = match ended.killed {
            true => End::Timeout,
            false => End::Failed(failure(ended, "no JSON was printed")),
        };
        return Outcome { end, ..Outcome::default() };
    };
    let verdict = match said["Result"].as_str() {
        Some("SATISFIABLE" | "OPTIMUM FOUND") => Verdict::Satisfiable,
        Some("UNSATISFIABLE") => Verdict::Unsatisfiable,
        _ => Verdict::Unknown,
    };
    let mut outcome = Outcome { verdict, ..Outcome::default() };
    let models = &said["Models"];
    outcome.models = models["Number"].as_u64().unwrap_or(0);
    outcome.exhausted = models["More"] == "no";
    outcome.costs = models["Costs"].as_array().map(|costs| costs.iter().filter_map(Value::as_i64).collect());
    outcome.optimal = models["Optimum"] == "yes";
    let time = &said["Time"];
    outcome.first_answer = match outcome.verdict {
        // Both solvers count this one from the beginning of the search.
        Verdict::Satisfiable => {
            let [total, solve, model] = ["Total", "Solve", "Model"].map(|name| time[name].as_f64());
            total.zip(solve).zip(model).map(|((total, solve), model)| total - solve + model)
        }
        Verdict::Unsatisfiable => time["Total"].as_f64(),
        Verdict::Unknown => None,
    };
    outcome.solving = time["Solve"].as_f64();
    outcome.work = match solver {
        Solver::Yasmin => work_of_yasmin(&said["Stats"]["Yasmin"]),
        Solver::Clasp => work_of_clasp(&said["Stats"], time["Total"].as_f64()),
    };
    let code = ended.code.unwrap_or(-1);
    let cut = ended.killed || !said["TIME LIMIT"].is_null();
    outcome.end = if cut {
        End::Timeout
    } else if !said["INTERRUPTED"].is_null() {
        End::Failed(failure(ended, "interrupted"))
    } else if code != expected_code(&outcome) {
        End::Failed(failure(
            ended,
            &format!("`{}` and exit code {code}", said["Result"].as_str().unwrap_or("?")),
        ))
    } else {
        End::Solved
    };
    outcome
}

/// clasp's exit code for such an end, which is ours too.
fn expected_code(outcome: &Outcome) -> i32 {
    match (outcome.verdict, outcome.exhausted) {
        (Verdict::Satisfiable, false) => 10,
        (Verdict::Satisfiable, true) => 30,
        (Verdict::Unsatisfiable, _) => 20,
        (Verdict::Unknown, _) => -2,
    }
}

fn failure(ended: &Ended, what: &str) -> String {
    let last = ended.stderr.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("").trim();
    let code = ended.code.map_or("a signal".to_string(), |code| format!("code {code}"));
    match last {
        "" => format!("{what} (ended by {code})"),
        said => format!("{what} (ended by {code}): {said}"),
    }
}

fn work_of_yasmin(stats: &Value) -> Work {
    let solve_seconds = stats["solve_seconds"].as_f64();
    let rate = |name: &str| mean(stats[name].as_f64(), solve_seconds);
    let program = &stats["program"];
    Work {
        device: stats["device"].as_str().map(str::to_string),
        size: size(program),
        solve_seconds,
        propagations_per_second: rate("propagations"),
        decisions_per_second: rate("decisions"),
        conflicts_per_second: rate("conflicts"),
        learned_per_second: rate("learned"),
        learned_length: mean(stats["learned_literals"].as_f64(), stats["learned"].as_f64()),
        device_bytes: stats["bytes_on_device"].as_u64(),
    }
}

fn size(program: &Value) -> Option<Size> {
    Some(Size {
        atoms: program["atoms"].as_u64()?,
        variables: program["variables_before"].as_u64()?,
        variables_searched: program["variables_after"].as_u64()?,
        nogoods: program["nogoods_before"].as_u64()?,
        nogoods_searched: program["nogoods_after"].as_u64()?,
    })
}

fn work_of_clasp(stats: &Value, total: Option<f64>) -> Work {
    // clasp does not count propagations; its rates are per second of the whole run, reading included.
    let core = &stats["Core"];
    let lemmas = &stats["More"]["Lemma"];
    let conflict_lemmas = lemmas["Type"].as_array().into_iter().flatten().find(|of| of["Type"] == "Conflict");
    let rate = |value: &Value| mean(value.as_f64(), total);
    Work {
        solve_seconds: total,
        decisions_per_second: rate(&core["Choices"]),
        conflicts_per_second: rate(&core["Conflicts"]),
        learned_per_second: rate(&lemmas["Sum"]),
        learned_length: conflict_lemmas
            .filter(|of| of["Sum"].as_u64().unwrap_or(0) > 0)
            .and_then(|of| of["AvgLen"].as_f64()),
        ..Work::default()
    }
}

fn mean(sum: Option<f64>, of: Option<f64>) -> Option<f64> {
    let (sum, of) = (sum?, of?);
    (of > 0.0).then(|| sum / of)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(stdout: &str, code: Option<i32>, killed: bool) -> Ended {
        let (stdout, stderr) = (stdout.to_string(), "info\nlast words\n\n".to_string());
        Ended { wall: 1.0, code, stdout, stderr, peak_bytes: 1, killed, stopped: false }
    }

    #[test]
    fn reads_what_yasmin_says() {
        let said = r#"{"Result": "OPTIMUM FOUND", "Models": {"Number": 3, "More": "no", "Optimum": "yes", "Costs": [4, -1]},
            "Time": {"Total": 0.5, "Solve": 0.375, "Model": 0.125},
            "Stats": {"Core": {}, "Yasmin": {"device": "cpu", "propagations": 1000, "decisions": 10, "conflicts": 8, "learned": 4, "learned_literals": 10,
                      "solve_seconds": 0.5, "bytes_on_device": 4096,
                      "program": {"atoms": 3, "variables_before": 5, "variables_after": 4, "nogoods_before": 9, "nogoods_after": 7}}}}"#;
        let outcome = read(&ended(said, Some(30), false), Solver::Yasmin);
        assert_eq!((&outcome.end, outcome.verdict, outcome.models), (&End::Solved, Verdict::Satisfiable, 3));
        assert_eq!(
            (outcome.costs, outcome.optimal, outcome.first_answer),
            (Some(vec![4, -1]), true, Some(0.25))
        );
        assert_eq!(outcome.solving, Some(0.375));
        assert_eq!(
            (outcome.work.propagations_per_second, outcome.work.learned_length),
            (Some(2000.0), Some(2.5))
        );
        let size = Size { atoms: 3, variables: 5, variables_searched: 4, nogoods: 9, nogoods_searched: 7 };
        assert_eq!((outcome.work.size, outcome.work.device_bytes), (Some(size), Some(4096)));
    }

    #[test]
    fn reads_what_clasp_says() {
        let said = r#"{"Result": "UNSATISFIABLE", "Models": {"Number": 0, "More": "no"}, "Time": {"Total": 2.0, "Solve": 1.5, "Model": 0.0},
            "Stats": {"Core": {"Choices": 8, "Conflicts": 6},
                      "More": {"Lemma": {"Sum": 4, "Type": [{"Type": "Conflict", "Sum": 3, "AvgLen": 5.5}]}}}}"#;
        let outcome = read(&ended(said, Some(20), false), Solver::Clasp);
        assert_eq!(
            (outcome.verdict, outcome.exhausted, outcome.first_answer),
            (Verdict::Unsatisfiable, true, Some(2.0))
        );
        assert_eq!((outcome.work.decisions_per_second, outcome.work.learned_length), (Some(4.0), Some(5.5)));
        assert_eq!(outcome.solving, Some(1.5), "answer sets a second leave reading out, with both solvers");
    }

    #[test]
    fn a_time_limit_is_told_from_a_failure() {
        let limited = r#"{"Result": "SATISFIABLE", "TIME LIMIT": 1, "Models": {"Number": 2, "More": "yes"}, "Time": {"Solve": 4.5}}"#;
        let outcome = read(&ended(limited, Some(11), false), Solver::Yasmin);
        assert_eq!((outcome.end, outcome.models, outcome.solving), (End::Timeout, 2, Some(4.5)));
        assert_eq!(read(&ended("", None, true), Solver::Clasp).end, End::Timeout);
        let crashed = read(&ended("", Some(139), false), Solver::Clasp).end;
        assert_eq!(crashed, End::Failed("no JSON was printed (ended by code 139): last words".into()));
    }

    #[test]
    fn an_exit_code_that_does_not_fit_is_a_failure() {
        let said = r#"{"Result": "UNSATISFIABLE", "Models": {"Number": 0, "More": "no"}}"#;
        assert!(matches!(read(&ended(said, Some(10), false), Solver::Yasmin).end, End::Failed(_)));
        let error = r#"{"Result": "UNKNOWN", "Models": {"Number": 0, "More": "yes"}}"#;
        assert!(matches!(read(&ended(error, Some(65), false), Solver::Yasmin).end, End::Failed(_)));
    }
}
