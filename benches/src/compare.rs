//! What two configurations did with the same instance, put side by side.
//!
//! Main functions: [`median_ratio`] of times, [`median_rate_ratio`] of answer sets a second. Invariant: ratios are taken
//! between runs of one repetition, and what is told is the median of those.

use crate::numbers::{median, median_number, Time};
use crate::outcome::End;
use crate::record::{Record, Run};
use crate::suite::{Configuration, Instance};

/// The time of a run, or what is known of it; nothing, if it failed.
pub fn time(record: &Record, run: &Run) -> Option<Time> {
    match run.outcome.end {
        End::Solved => Some(Time::Exactly(run.wall)),
        End::Timeout => Some(Time::MoreThan(record.limit(&run.instance))),
        End::Failed(_) => None,
    }
}

/// The median time of an instance with a configuration.
pub fn median_time(record: &Record, instance: &str, configuration: &str) -> Option<Time> {
    let times: Vec<Time> = record.of(instance, configuration).filter_map(|run| time(record, run)).collect();
    median(&times)
}

/// The median over the repetitions of one configuration's time divided by the other's.
pub fn median_ratio(record: &Record, instance: &str, ours: &str, theirs: &str) -> Option<Time> {
    let ratios: Vec<Time> = pairs_of_runs(record, instance, ours, theirs)
        .filter_map(|(a, b)| time(record, a)?.ratio(time(record, b)?))
        .collect();
    median(&ratios)
}

/// The runs of two configurations that stand beside each other: those of one repetition.
pub fn pairs_of_runs<'a>(
    record: &'a Record,
    instance: &'a str,
    ours: &'a str,
    theirs: &'a str,
) -> impl Iterator<Item = (&'a Run, &'a Run)> {
    record.of(instance, ours).filter_map(move |run| {
        let beside = record.of(instance, theirs).find(|other| other.repetition == run.repetition)?;
        Some((run, beside))
    })
}

/// Each configuration against each reference; of two references, the first against the second.
pub fn pairs(record: &Record) -> Vec<(&Configuration, &Configuration)> {
    let all = &record.suite.configurations;
    let against = |place: usize| {
        let others = all.iter().enumerate().filter(move |(other, _)| !all[place].reference || place < *other);
        others.filter(|(_, other)| other.reference).map(|(_, other)| other)
    };
    all.iter().enumerate().flat_map(|(place, c)| against(place).map(move |other| (c, other))).collect()
}

/// The median of a value over the runs that did not fail.
pub fn median_of(
    record: &Record,
    instance: &str,
    configuration: &str,
    get: &dyn Fn(&Run) -> Option<f64>,
) -> Option<f64> {
    let runs = record.of(instance, configuration);
    median_number(runs.filter(|run| !matches!(run.outcome.end, End::Failed(_))).filter_map(get))
}

/// Whether it is the number of answer sets that is of interest, and not all of them were found by everyone in time: then
/// configurations are compared by how many they found in a second.
pub fn is_cut_count(record: &Record, instance: &Instance) -> bool {
    let mut runs = record.runs.iter().filter(|run| run.instance == instance.name).peekable();
    let cut = runs.clone().any(|run| run.outcome.end == End::Timeout);
    // On the way to an optimum, the number of answer sets says nothing.
    instance.models == 0 && cut && runs.all(|run| run.outcome.costs.is_none())
}

/// The answer sets a second of solving; nothing, if the run failed or the solver did not tell its time.
pub fn answer_rate(run: &Run) -> Option<f64> {
    let seconds = run.outcome.solving.filter(|seconds| *seconds > 0.0)?;
    (!matches!(run.outcome.end, End::Failed(_))).then(|| run.outcome.models as f64 / seconds)
}

/// The median over the repetitions of one configuration's answer sets a second divided by the other's.
pub fn median_rate_ratio(record: &Record, instance: &str, ours: &str, theirs: &str) -> Option<f64> {
    let ratios = pairs_of_runs(record, instance, ours, theirs).filter_map(|(a, b)| {
        let theirs = answer_rate(b).filter(|rate| *rate > 0.0)?;
        Some(answer_rate(a)? / theirs)
    });
    median_number(ratios)
}
