//! Counts that were cut off: how many answer sets a second each configuration found.
//!
//! Main function: [`section`]. Invariant: only instances that ask for all answer sets, and of which some run was stopped by
//! its limit, are in it: of the others, times tell more.

use std::fmt::Write;

use crate::compare::{answer_rate, is_cut_count, median_of, median_rate_ratio, pairs};
use crate::numbers::{geometric_mean, median_number, short};
use crate::record::Record;
use crate::suite::{Configuration, Instance};
use crate::table::{number, table};

/// The section of the report, if there is such an instance.
pub fn section(text: &mut String, record: &Record) {
    let cut: Vec<&Instance> =
        record.suite.instances.iter().filter(|instance| is_cut_count(record, instance)).collect();
    if cut.is_empty() {
        return;
    }
    text.push_str(
        "## Answer sets a second\n\nThese instances ask for all answer sets, and at least one run was stopped by its limit. Each \
         cell is the median number of answer sets for each second of solving, by the solver's own clock. Each ratio is the median \
         over the repetitions; above 1 the first configuration is faster.",
    );
    let references: Vec<&Configuration> =
        record.suite.configurations.iter().filter(|configuration| configuration.reference).collect();
    let others: Vec<&Configuration> =
        record.suite.configurations.iter().filter(|c| !c.reference && references.len() > 1).collect();
    if !others.is_empty() {
        text.push_str(" *Best* is the reference that finds most on that instance.");
    }
    text.push_str("\n\n");
    let mut header: Vec<String> = ["instance", "family"].map(String::from).to_vec();
    header.extend(record.suite.configurations.iter().map(|c| c.name.clone()));
    header.extend(pairs(record).iter().map(|(a, b)| format!("{} / {}", a.name, b.name)));
    header.extend(others.iter().map(|c| format!("{} / best", c.name)));
    let mut columns: Vec<Vec<Option<f64>>> = Vec::new();
    let mut rows: Vec<Vec<String>> = Vec::new();
    for instance in &cut {
        let name = instance.name.as_str();
        let mut row = vec![name.to_string(), instance.family.clone()];
        let rates = record.suite.configurations.iter();
        row.extend(rates.map(|c| number(median_of(record, name, &c.name, &answer_rate))));
        let mut ratios: Vec<Option<f64>> =
            pairs(record).iter().map(|(a, b)| median_rate_ratio(record, name, &a.name, &b.name)).collect();
        ratios.extend(others.iter().map(|c| over_best(record, name, c, &references)));
        row.extend(ratios.iter().map(|ratio| number(*ratio)));
        columns.push(ratios);
        rows.push(row);
    }
    if columns.iter().any(|ratios| !ratios.is_empty()) {
        let mut row = vec!["**geometric mean**".to_string(), String::from("–")];
        row.resize(2 + record.suite.configurations.len(), "–".into());
        row.extend((0..columns[0].len()).map(|place| mean_cell(columns.iter().map(|ratios| ratios[place]))));
        rows.push(row);
    }
    table(text, &header, rows);
}

/// The rate against that of the reference that is fastest: the median over the repetitions, each with its own fastest.
fn over_best(
    record: &Record,
    instance: &str,
    configuration: &Configuration,
    references: &[&Configuration],
) -> Option<f64> {
    let ratios = record.of(instance, &configuration.name).filter_map(|run| {
        let of_repetition = |reference: &&Configuration| {
            let beside = record
                .of(instance, &reference.name)
                .find(|other| other.repetition == run.repetition)
                .and_then(answer_rate);
            beside.filter(|rate| *rate > 0.0)
        };
        let best = references.iter().filter_map(of_repetition).max_by(f64::total_cmp)?;
        Some(answer_rate(run)? / best)
    });
    median_number(ratios)
}

/// The geometric mean of the ratios that there are, and of how many. A ratio of 0 has no logarithm: it is not one of them.
fn mean_cell(ratios: impl Iterator<Item = Option<f64>>) -> String {
    let all: Vec<Option<f64>> = ratios.collect();
    let known: Vec<f64> = all.iter().flatten().copied().filter(|ratio| *ratio > 0.0).collect();
    let mut cell = geometric_mean(&known).map_or("–".to_string(), short);
    let _ = write!(cell, " ({} of {})", known.len(), all.len());
    cell
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tests::{record, run};
    use crate::outcome::End;
    use crate::record::Run;

    /// A run that found so many in ten seconds of solving, and was stopped.
    fn late(configuration: &str, repetition: usize, models: u64) -> Run {
        let mut late = run(configuration, repetition, 20.0, models, false);
        late.outcome.end = End::Timeout;
        late
    }

    fn told(runs: Vec<Run>) -> String {
        let mut record = record(runs);
        record.suite.instances[0].models = 0;
        let mut text = String::new();
        section(&mut text, &record);
        text
    }

    #[test]
    fn rates_of_counts_that_were_cut_off_are_compared() {
        let text = told(vec![late("res", 0, 800), late("clasp-1", 0, 50), late("clasp-16", 0, 100)]);
        assert!(text.contains("| one | some | 5.00 | 10.0 | 80.0 | 0.500 | 16.0 | 8.00 | 8.00 |"), "{text}");
        assert!(text.contains("| res / clasp-1 | res / clasp-16 | res / best |"), "{text}");
        assert!(
            text.contains("| – | 0.500 (1 of 1) | 16.0 (1 of 1) | 8.00 (1 of 1) | 8.00 (1 of 1) |"),
            "{text}"
        );
    }

    #[test]
    fn ratios_of_rates_are_taken_within_repetitions() {
        let mut runs = Vec::new();
        for (repetition, (ours, theirs)) in [(100, 10), (40, 20), (90, 30)].into_iter().enumerate() {
            runs.extend([late("res", repetition, ours), late("clasp-1", repetition, theirs)]);
        }
        // The ratios are 10, 2 and 3; that of the medians would be 4.5. With one reference there is no best.
        let text = told(runs);
        assert!(text.contains("| one | some | 2.00 | 9.00 | 3.00 |\n") && !text.contains("best"), "{text}");
    }

    #[test]
    fn what_was_counted_in_time_is_compared_by_its_time() {
        let in_time = vec![run("res", 0, 2.0, 5, true), run("clasp-1", 0, 4.0, 5, true)];
        assert_eq!(told(in_time), "");
        // Where only one was in time, both rates are told: 5 in one second, and 4 in ten.
        let one = vec![run("res", 0, 2.0, 5, true), late("clasp-1", 0, 4)];
        assert!(told(one).contains("| one | some | 0.400 | 5.00 | 12.5 |"));
        let mut with_costs = late("res", 0, 4);
        with_costs.outcome.costs = Some(vec![3]);
        assert_eq!(told(vec![with_costs]), "");
    }

    #[test]
    fn a_run_without_a_rate_is_a_dash() {
        let mut failed = late("fwd", 0, 4);
        failed.outcome.end = End::Failed("a crash".into());
        let mut silent = late("res", 0, 0);
        silent.outcome.solving = None;
        let text = told(vec![failed, silent, late("clasp-1", 0, 50)]);
        assert!(text.contains("| one | some | 5.00 | – | – | – | – |"), "{text}");
        assert!(text.contains("| – (0 of 1) | – (0 of 1) |"), "{text}");
    }
}
