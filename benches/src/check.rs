//! Do the runs agree, with each other and with what is known?
//!
//! Main function: [`differences`]. Each run says something that must hold: how many answer sets there are at least, or
//! exactly, and what the optimum is. What two runs say must be true together.
//!
//! Invariant: runs at the time limit count too, with what they had found by then.

use crate::outcome::{End, Verdict};
use crate::record::{Record, Run};
use crate::suite::{Instance, Known};

/// What one run, or the suite, says about a program.
struct Claim {
    who: String,
    at_least: u64,
    exactly: Option<u64>,
    optimum: Option<Vec<i64>>,
    reached: Option<Vec<i64>>,
}

/// What does not fit together, and runs that failed, one sentence each.
pub fn differences(record: &Record) -> Vec<String> {
    let mut found = Vec::new();
    for instance in &record.suite.instances {
        let runs: Vec<&Run> = record.runs.iter().filter(|run| run.instance == instance.name).collect();
        let mut claims: Vec<Claim> = instance.known.iter().map(known).collect();
        for run in runs {
            let who = format!("{} (repetition {})", run.configuration, run.repetition + 1);
            if let End::Failed(why) = &run.outcome.end {
                found.push(format!("{}: {who} failed: {why}", instance.name));
                continue;
            }
            if let Some(short) = too_few(instance, run) {
                found.push(format!("{}: {who} {short}", instance.name));
            }
            claims.push(claim(run, who));
        }
        // Each is compared with the first that contradicts it: enough to see, and no flood.
        for (place, one) in claims.iter().enumerate() {
            if let Some(why) = claims[..place].iter().find_map(|other| contradiction(other, one)) {
                found.push(format!("{}: {why}", instance.name));
            }
        }
    }
    found
}

fn known(known: &Known) -> Claim {
    let none = known.satisfiable == Some(false);
    Claim {
        who: "the suite".into(),
        at_least: known.models.unwrap_or(u64::from(known.satisfiable == Some(true))),
        exactly: known.models.or(none.then_some(0)),
        optimum: known.optimum.clone(),
        reached: known.optimum.clone(),
    }
}

fn claim(run: &Run, who: String) -> Claim {
    let outcome = &run.outcome;
    // With costs, the number of answer sets on the way to an optimum says nothing; that there is one does.
    let counts = outcome.exhausted && outcome.costs.is_none();
    Claim {
        who,
        at_least: if outcome.costs.is_none() { outcome.models } else { outcome.models.min(1) },
        exactly: match outcome.verdict {
            Verdict::Unsatisfiable => Some(0),
            _ => counts.then_some(outcome.models),
        },
        optimum: outcome.costs.clone().filter(|_| outcome.optimal),
        reached: outcome.costs.clone(),
    }
}

/// A run that ended without being cut off, and yet with less than was asked for.
fn too_few(instance: &Instance, run: &Run) -> Option<String> {
    let outcome = &run.outcome;
    let all = outcome.exhausted || outcome.verdict == Verdict::Unsatisfiable;
    if !run.is_solved() || all || (instance.models > 0 && outcome.models >= instance.models) {
        return None;
    }
    Some(format!("stopped after {} answer sets, without saying that there are no more", outcome.models))
}

fn contradiction(a: &Claim, b: &Claim) -> Option<String> {
    for (a, b) in [(a, b), (b, a)] {
        if let Some(exactly) = a.exactly {
            if b.at_least > exactly || b.exactly.is_some_and(|other| other != exactly) {
                let other = b.exactly.map_or(format!("at least {}", b.at_least), |n| n.to_string());
                return Some(format!("{} says {exactly} answer sets, {} says {other}", a.who, b.who));
            }
        }
        if let (Some(optimum), Some(reached)) = (&a.optimum, &b.reached) {
            // Priorities come highest first, so the order of the costs is that of the numbers in them.
            if reached < optimum || (b.optimum.is_some() && reached != optimum) {
                return Some(format!(
                    "{} says that {optimum:?} is optimal, {} has {reached:?}",
                    a.who, b.who
                ));
            }
        }
    }
    None
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::outcome::{Outcome, Work};
    use crate::suite::Suite;

    /// A record of one instance and these runs.
    pub(crate) fn record(runs: Vec<Run>) -> Record {
        let mut names: Vec<&str> = runs.iter().map(|run| run.configuration.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        let configurations: Vec<serde_json::Value> = names
            .iter()
            .map(|name| {
                let solver = if name.starts_with("clasp") { "clasp" } else { "yasmin" };
                serde_json::json!({"name": name, "solver": solver, "reference": solver == "clasp"})
            })
            .collect();
        let suite: Suite = serde_json::from_value(serde_json::json!({
            "time_limit": 20.0, "configurations": configurations,
            "instances": [{"name": "one", "family": "some", "models": 5}],
        }))
        .expect("a suite");
        let (versions, notes) = (vec!["yasmin 0".into()], Vec::new());
        Record {
            complete: true,
            began: 0,
            threads: 2,
            processor: None,
            device: "cpu".into(),
            versions,
            notes,
            suite,
            runs,
        }
    }

    /// A run that took so long and found so many of five answer sets, and whether it saw all.
    pub(crate) fn run(
        configuration: &str,
        repetition: usize,
        wall: f64,
        models: u64,
        exhausted: bool,
    ) -> Run {
        let verdict = if models > 0 { Verdict::Satisfiable } else { Verdict::Unsatisfiable };
        let outcome = Outcome {
            end: End::Solved,
            verdict,
            exhausted,
            models,
            costs: None,
            optimal: false,
            first_answer: Some(wall / 2.0),
            solving: Some(wall / 2.0),
            work: Work::default(),
        };
        let (instance, configuration) = ("one".to_string(), configuration.to_string());
        Run { instance, configuration, repetition, wall, code: Some(10), peak_bytes: 1 << 20, outcome }
    }

    fn optimal(mut run: Run, costs: &[i64], optimal: bool) -> Run {
        run.outcome.costs = Some(costs.to_vec());
        run.outcome.optimal = optimal;
        run
    }

    #[test]
    fn runs_that_agree() {
        let runs =
            vec![run("res", 0, 1.0, 3, true), run("clasp", 0, 1.0, 3, true), run("res", 1, 1.0, 3, true)];
        assert_eq!(differences(&record(runs)), [""; 0]);
        let mut late = run("fwd", 0, 20.0, 2, false);
        late.outcome.end = End::Timeout;
        assert_eq!(differences(&record(vec![late, run("clasp", 0, 1.0, 3, true)])), [""; 0]);
        let some = vec![run("res", 0, 1.0, 5, false), run("clasp", 0, 1.0, 5, true)];
        assert_eq!(differences(&record(some)), [""; 0]);
    }

    #[test]
    fn verdicts_that_differ() {
        let runs = vec![run("res", 0, 1.0, 5, false), run("clasp", 0, 1.0, 0, true)];
        let want = "one: clasp (repetition 1) says 0 answer sets, res (repetition 1) says at least 5";
        assert_eq!(differences(&record(runs)), [want]);
    }

    #[test]
    fn numbers_that_differ_between_repetitions() {
        let runs = vec![run("res", 0, 1.0, 4, true), run("res", 1, 1.0, 3, true)];
        assert_eq!(differences(&record(runs)).len(), 1);
    }

    #[test]
    fn a_timeout_that_had_found_too_many() {
        let mut late = run("fwd", 0, 20.0, 4, false);
        late.outcome.end = End::Timeout;
        assert_eq!(differences(&record(vec![late, run("clasp", 0, 1.0, 3, true)])).len(), 1);
    }

    #[test]
    fn optima() {
        let proved = |name, costs: &[i64]| optimal(run(name, 0, 1.0, 2, true), costs, true);
        assert_eq!(differences(&record(vec![proved("a", &[3, 9]), proved("b", &[3, 9])])), [""; 0]);
        assert_eq!(differences(&record(vec![proved("a", &[3, 9]), proved("b", &[3, 8])])).len(), 1);
        let mut late = optimal(run("b", 0, 20.0, 1, false), &[4, 0], false);
        late.outcome.end = End::Timeout;
        assert_eq!(differences(&record(vec![proved("a", &[3, 9]), late.clone()])), [""; 0]);
        late.outcome.costs = Some(vec![2, 99]);
        assert_eq!(differences(&record(vec![proved("a", &[3, 9]), late])).len(), 1);
    }

    #[test]
    fn failures_and_what_is_known() {
        let mut failed = run("res", 0, 1.0, 3, true);
        failed.outcome.end = End::Failed("a crash".into());
        assert_eq!(differences(&record(vec![failed])), ["one: res (repetition 1) failed: a crash"]);
        let mut known = record(vec![run("res", 0, 1.0, 3, true)]);
        known.suite.instances[0].known = Some(Known { models: Some(4), ..Known::default() });
        assert_eq!(differences(&known).len(), 1);
        let too_early = vec![run("res", 0, 1.0, 3, false)];
        assert!(differences(&record(too_early))[0].contains("stopped after 3"));
    }
}
