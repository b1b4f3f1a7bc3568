//! The report of a run, in Markdown.
//!
//! Main function: [`markdown`]. Invariant: runs that timed out or failed stand in every table that their times would stand in.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::compare::{median_of, median_ratio, median_time, pairs, pairs_of_runs, time};
use crate::numbers::{geometric_mean, median_number, short, Time};
use crate::outcome::{End, Size, Verdict};
use crate::record::{Record, Run};
use crate::suite::Instance;
use crate::table::{number, or_dash, table};
use crate::{counting, scaling};

/// The report, with the sentences that [`crate::check::differences`] found.
pub fn markdown(record: &Record, differences: &[String]) -> String {
    let mut text = String::from("# Times of the solvers\n\n");
    head(&mut text, record);
    agreement(&mut text, differences);
    means(&mut text, record);
    times(&mut text, record);
    counting::section(&mut text, record);
    scaling::section(&mut text, record);
    sizes(&mut text, record);
    ends(&mut text, record);
    text.push_str("## Instance by instance\n\n");
    text.push_str(
        "Each cell is the median of the runs that did not fail. Rates of yasmin are per second of search. Rates of clasp are per \
         second of the whole run; clasp does not count propagations. *First* is the time that the solver reports until the first \
         answer set, or until the verdict that there is none. It includes reading.\n\n",
    );
    for instance in &record.suite.instances {
        details(&mut text, record, instance);
    }
    text
}

fn head(text: &mut String, record: &Record) {
    let suite = &record.suite;
    let all = suite.repetitions * suite.instances.len() * suite.configurations.len();
    let devices: BTreeSet<&str> =
        record.runs.iter().filter_map(|run| run.outcome.work.device.as_deref()).collect();
    let _ = writeln!(
        text,
        "{}; {} processors{}{}. Instances: {}. Repetitions: {}. Time limit of a run: {} s, unless an instance has its own.\n",
        record.versions.join("; "),
        record.threads,
        record.processor.as_ref().map_or(String::new(), |name| format!(" ({name})")),
        devices.iter().map(|device| format!("; yasmin on {device}")).collect::<String>(),
        suite.instances.len(),
        suite.repetitions,
        short(suite.time_limit),
    );
    for note in &record.notes {
        let _ = writeln!(text, "{note}.\n");
    }
    if !record.complete {
        let _ = writeln!(text, "**Incomplete: {} of {all} runs were made.**\n", record.runs.len());
    }
}

fn agreement(text: &mut String, differences: &[String]) {
    if differences.is_empty() {
        text.push_str(
            "Verdicts, numbers of answer sets and optima agree in all runs, and no run failed.\n\n",
        );
        return;
    }
    let _ = writeln!(text, "## What differs or failed\n\n**{} in all:**\n", differences.len());
    for difference in differences {
        let _ = writeln!(text, "- {difference}");
    }
    text.push('\n');
}

fn times(text: &mut String, record: &Record) {
    text.push_str(
        "## Times\n\nEach time is the median number of seconds from the start of the process to its end. Each ratio is the median over \
         the repetitions; below 1 the first configuration is faster.\n\n",
    );
    let mut header: Vec<String> = ["instance", "family", "answer"].map(String::from).to_vec();
    header.extend(record.suite.configurations.iter().map(|c| c.name.clone()));
    header.extend(pairs(record).iter().map(|(a, b)| format!("{} / {}", a.name, b.name)));
    let rows = record.suite.instances.iter().map(|instance| {
        let name = instance.name.as_str();
        let mut row = vec![name.to_string(), instance.family.clone(), answer(record, name)];
        row.extend(record.suite.configurations.iter().map(|c| time_cell(record, name, &c.name)));
        row.extend(pairs(record).iter().map(|(a, b)| or_dash(median_ratio(record, name, &a.name, &b.name))));
        row
    });
    table(text, &header, rows.collect());
}

fn time_cell(record: &Record, instance: &str, configuration: &str) -> String {
    let runs: Vec<&Run> = record.of(instance, configuration).collect();
    let count = |wanted: fn(&End) -> bool| runs.iter().filter(|run| wanted(&run.outcome.end)).count();
    let late = count(|end| *end == End::Timeout);
    let failed = count(|end| matches!(end, End::Failed(_)));
    let mut cell = or_dash(median_time(record, instance, configuration));
    for (number, what) in [(late, "timed out"), (failed, "failed")] {
        if number > 0 && number == runs.len() {
            let _ = write!(cell, " ({what})");
        } else if number > 0 {
            let _ = write!(cell, " ({number} of {} {what})", runs.len());
        }
    }
    cell
}

fn answer(record: &Record, instance: &str) -> String {
    let runs = || record.runs.iter().filter(|run| run.instance == instance);
    let best = runs().max_by_key(|run| (run.is_solved(), run.outcome.models));
    let Some(outcome) = best.map(|run| &run.outcome) else { return "–".into() };
    match (&outcome.costs, outcome.verdict) {
        (_, Verdict::Unknown) => "unknown".into(),
        (_, Verdict::Unsatisfiable) => "none".into(),
        (Some(costs), _) if outcome.optimal => format!("optimum {}", list(costs)),
        (Some(costs), _) => format!("costs {}", list(costs)),
        _ if outcome.exhausted => format!("{} in all", outcome.models),
        _ => format!("{} found", outcome.models),
    }
}

fn list(costs: &[i64]) -> String {
    costs.iter().map(i64::to_string).collect::<Vec<_>>().join(" ")
}

/// The instances of each family, and of all.
fn families(record: &Record) -> Vec<(String, Vec<&str>)> {
    let mut families: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for instance in &record.suite.instances {
        families.entry(&instance.family).or_default().push(&instance.name);
    }
    let mut listed: Vec<(String, Vec<&str>)> =
        families.into_iter().map(|(family, names)| (family.to_string(), names)).collect();
    listed.push(("**all**".into(), record.suite.instances.iter().map(|i| i.name.as_str()).collect()));
    listed
}

fn means(text: &mut String, record: &Record) {
    if pairs(record).is_empty() {
        return;
    }
    text.push_str(
        "## Geometric means of ratios\n\nA ratio below 1 means that the first configuration is faster. *Both* is the mean over the \
         instances that both configurations solved in time. The brackets say how many of all instances these are, and the words after \
         them how many instances only one configuration always solved. *PAR-2* is the mean over the instances that at least one \
         configuration solved. A run that timed out counts there as twice the time limit, which is a convention and not a \
         measurement. Instances that neither configuration solved are in no mean, and no mean includes runs that failed.\n\n",
    );
    let mut header = vec!["family".to_string()];
    for (a, b) in pairs(record) {
        header.extend(["both", "PAR-2"].map(|what| format!("{} / {}, {what}", a.name, b.name)));
    }
    let rows = families(record).into_iter().map(|(family, names)| {
        let mut row = vec![family];
        for (a, b) in pairs(record) {
            row.push(mean_cell(record, &names, &a.name, &b.name));
            row.push(penalized_cell(record, &names, &a.name, &b.name));
        }
        row
    });
    table(text, &header, rows.collect());
}

fn mean_cell(record: &Record, instances: &[&str], ours: &str, theirs: &str) -> String {
    let ratios: Vec<Option<Time>> =
        instances.iter().map(|name| median_ratio(record, name, ours, theirs)).collect();
    let both: Vec<f64> = ratios.iter().flatten().filter_map(|ratio| ratio.exact()).collect();
    let mean = geometric_mean(&both).map_or("–".to_string(), short);
    let mut cell = format!("{mean} ({} of {})", both.len(), instances.len());
    let only_ours = ratios.iter().flatten().filter(|ratio| matches!(ratio, Time::AtMost(_))).count();
    let only_theirs = ratios.iter().flatten().filter(|ratio| matches!(ratio, Time::MoreThan(_))).count();
    for (number, who) in [(only_ours, ours), (only_theirs, theirs)] {
        if number > 0 {
            let _ = write!(cell, "; {number} only {who}");
        }
    }
    cell
}

/// The geometric mean of the instances' median ratios in which a time-out is twice its limit.
fn penalized_cell(record: &Record, instances: &[&str], ours: &str, theirs: &str) -> String {
    let penalized = |run: &Run| match time(record, run)? {
        Time::MoreThan(limit) => Some(2.0 * limit),
        known => Some(known.bound()),
    };
    let ratio = |name: &str| {
        let solved = pairs_of_runs(record, name, ours, theirs).any(|(a, b)| a.is_solved() || b.is_solved());
        let ratios = pairs_of_runs(record, name, ours, theirs)
            .filter_map(|(a, b)| Some(penalized(a)? / penalized(b)?));
        solved.then(|| median_number(ratios)).flatten()
    };
    let ratios: Vec<f64> = instances.iter().filter_map(|name| ratio(name)).collect();
    let of = format!("({} of {})", ratios.len(), instances.len());
    format!("{} {of}", number(geometric_mean(&ratios)))
}

fn sizes(text: &mut String, record: &Record) {
    if record.runs.iter().all(|run| run.outcome.work.size.is_none()) {
        return;
    }
    text.push_str(
        "## Sizes\n\nThe sizes are those of the completion of each ground program, as yasmin counts them. Variables are atoms and bodies. \
         The last two columns count what preprocessing left to be searched.\n\n",
    );
    let header = ["instance", "atoms", "variables", "nogoods", "variables searched", "nogoods searched"]
        .map(String::from);
    let rows = record.suite.instances.iter().map(|instance| {
        let size = record
            .runs
            .iter()
            .filter(|run| run.instance == instance.name)
            .find_map(|run| run.outcome.work.size);
        let mut row = vec![instance.name.clone()];
        match size {
            Some(Size { atoms, variables, variables_searched, nogoods, nogoods_searched }) => row.extend(
                [atoms, variables, nogoods, variables_searched, nogoods_searched]
                    .map(|count| count.to_string()),
            ),
            None => row.extend(["–"; 5].map(String::from)),
        }
        row
    });
    table(text, &header, rows.collect());
}

fn ends(text: &mut String, record: &Record) {
    text.push_str("## Runs\n\n");
    let header = ["configuration", "solved", "timed out", "failed", "seconds in all"].map(String::from);
    let rows = record.suite.configurations.iter().map(|configuration| {
        let runs = || record.runs.iter().filter(|run| run.configuration == configuration.name);
        let count =
            |wanted: fn(&End) -> bool| runs().filter(|run| wanted(&run.outcome.end)).count().to_string();
        vec![
            configuration.name.clone(),
            count(|end| *end == End::Solved),
            count(|end| *end == End::Timeout),
            count(|end| matches!(end, End::Failed(_))),
            short(runs().map(|run| run.wall).sum()),
        ]
    });
    table(text, &header, rows.collect());
}

fn details(text: &mut String, record: &Record, instance: &Instance) {
    let asked = match instance.models {
        0 => "all answer sets".to_string(),
        1 => "one answer set".to_string(),
        n => format!("up to {n} answer sets"),
    };
    let _ = writeln!(text, "### {}\n\n{asked}\n", instance.name);
    let header = [
        "configuration",
        "seconds",
        "first",
        "propagations/s",
        "decisions/s",
        "conflicts/s",
        "learned/s",
        "mean length",
        "host MiB",
        "device MiB",
    ]
    .map(String::from);
    let rows = record.suite.configurations.iter().map(|configuration| {
        let value =
            |get: &dyn Fn(&Run) -> Option<f64>| median_of(record, &instance.name, &configuration.name, get);
        let work =
            |get: fn(&crate::outcome::Work) -> Option<f64>| number(value(&|run| get(&run.outcome.work)));
        let mebi = |bytes: Option<f64>| bytes.map(|bytes| bytes / f64::from(1 << 20));
        vec![
            configuration.name.clone(),
            time_cell(record, &instance.name, &configuration.name),
            number(value(&|run| run.outcome.first_answer)),
            work(|w| w.propagations_per_second),
            work(|w| w.decisions_per_second),
            work(|w| w.conflicts_per_second),
            work(|w| w.learned_per_second),
            work(|w| w.learned_length),
            number(mebi(value(&|run| Some(run.peak_bytes as f64)))),
            number(mebi(value(&|run| run.outcome.work.device_bytes.map(|bytes| bytes as f64)))),
        ]
    });
    table(text, &header, rows.collect());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tests::{record, run};

    #[test]
    fn medians_and_ratios_are_taken_within_repetitions() {
        let mut runs = Vec::new();
        for (repetition, (ours, theirs)) in [(1.0, 2.0), (4.0, 2.0), (9.0, 3.0)].into_iter().enumerate() {
            runs.push(run("res", repetition, ours, 5, false));
            runs.push(run("clasp-1", repetition, theirs, 5, false));
        }
        let record = record(runs);
        assert_eq!(median_time(&record, "one", "res"), Some(Time::Exactly(4.0)));
        assert_eq!(median_ratio(&record, "one", "res", "clasp-1"), Some(Time::Exactly(2.0)));
        let text = markdown(&record, &[]);
        assert!(text.contains("| one | some | 5 found | 2.00 | 4.00 | 2.00 |"), "{text}");
        assert!(text.contains("| **all** | 2.00 (1 of 1) | 2.00 (1 of 1) |"), "{text}");
    }

    #[test]
    fn means_are_geometric_and_by_family() {
        let mut record = record(vec![run("res", 0, 1.0, 5, false), run("clasp-1", 0, 2.0, 5, false)]);
        for (name, family, ours) in [("two", "some", 4.0), ("three", "other", 16.0)] {
            let instance =
                Instance { name: name.into(), family: family.into(), ..record.suite.instances[0].clone() };
            record.suite.instances.push(instance);
            for (configuration, wall) in [("res", ours), ("clasp-1", 2.0)] {
                record.runs.push(Run { instance: name.into(), ..run(configuration, 0, wall, 5, false) });
            }
        }
        // The ratios are 1/2 and 2 of one family, and 8 of the other.
        let text = markdown(&record, &[]);
        for row in ["| some | 1.00 (2 of 2) |", "| other | 8.00 (1 of 1) |", "| **all** | 2.00 (3 of 3) |"] {
            assert!(text.contains(row), "{row}: {text}");
        }
    }

    #[test]
    fn references_are_compared_once() {
        let mut runs = vec![run("clasp-1", 0, 4.0, 5, false), run("clasp-all", 0, 2.0, 5, false)];
        runs.push(run("res", 0, 1.0, 5, false));
        let record = record(runs);
        let names: Vec<_> = pairs(&record).iter().map(|(a, b)| (a.name.as_str(), b.name.as_str())).collect();
        assert_eq!(names, [("clasp-1", "clasp-all"), ("res", "clasp-1"), ("res", "clasp-all")]);
    }

    #[test]
    fn timeouts_and_failures_are_told() {
        let mut late = run("res", 0, 20.5, 1, false);
        late.outcome.end = End::Timeout;
        let mut failed = run("fwd", 0, 0.5, 1, false);
        failed.outcome.end = End::Failed("a crash".into());
        let record = record(vec![late, failed, run("clasp-1", 0, 2.0, 5, false)]);
        let text = markdown(&record, &["one: fwd failed".into()]);
        assert!(text.contains("| > 20.0 (timed out) |") && text.contains("| > 10.0 |"), "{text}");
        // Twice the limit of 20 s, divided by 2 s.
        assert!(text.contains("| – (0 of 1); 1 only clasp-1 | 20.0 (1 of 1) |"), "{text}");
        assert!(text.contains("– (0 of 1); 1 only clasp-1") && text.contains("– (failed)"), "{text}");
        assert!(text.contains("- one: fwd failed") && !text.contains("agree in all"), "{text}");
        assert!(text.contains("| res | 0 | 1 | 0 | 20.5 |"), "{text}");
    }

    #[test]
    fn a_run_that_was_cut_short_says_so() {
        let mut record = record(vec![run("res", 0, 1.0, 5, false)]);
        record.complete = false;
        assert!(markdown(&record, &[]).contains("**Incomplete: 1 of 3 runs were made.**"));
    }
}
