//! How much faster a solver is with more searchers.
//!
//! Main function: [`curves`]. Invariant: each speed-up is that over the first configuration of the same solver that has a
//! number of searchers, within a repetition; a mean has the same instances for every number of searchers.

use crate::compare::{is_cut_count, median_rate_ratio, median_ratio};
use crate::numbers::{geometric_mean, short, Time};
use crate::record::Record;
use crate::suite::{Configuration, Instance, Solver};
use crate::table::{or_dash, table};

/// The speed-ups of a solver.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Which solver.
    pub solver: Solver,
    /// How many searchers the first configuration has: that of which the speed-up is 1.
    pub first: usize,
    /// By numbers of searchers, from few to many.
    pub points: Vec<Point>,
    /// How many instances are in each point's mean: those that were solved, or counted, with every number of searchers.
    pub instances: usize,
}

/// The speed-ups with a number of searchers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// How many searchers.
    pub searchers: usize,
    /// The geometric mean.
    pub mean: f64,
    /// The least.
    pub least: f64,
    /// The most.
    pub most: f64,
}

/// The curves of the solvers that have two or more numbers of searchers, and an instance with all of them.
pub fn curves(record: &Record) -> Vec<Curve> {
    let curve = |configurations: Vec<&Configuration>| {
        let all: Vec<Vec<f64>> = record
            .suite
            .instances
            .iter()
            .filter_map(|instance| exact(record, instance, &configurations))
            .collect();
        let point = |(place, configuration): (usize, &&Configuration)| {
            let column = || all.iter().map(|speed_ups| speed_ups[place]);
            Some(Point {
                searchers: configuration.searchers?,
                mean: geometric_mean(&column().collect::<Vec<_>>())?,
                least: column().min_by(f64::total_cmp)?,
                most: column().max_by(f64::total_cmp)?,
            })
        };
        let mut points: Vec<Point> = configurations.iter().enumerate().filter_map(point).collect();
        points.sort_by_key(|point| point.searchers);
        let (solver, first) = (configurations[0].solver, configurations[0].searchers?);
        (!points.is_empty()).then_some(Curve { solver, first, points, instances: all.len() })
    };
    scaled(record).into_iter().filter_map(curve).collect()
}

/// The section of the report, if a solver has two or more numbers of searchers.
pub fn section(text: &mut String, record: &Record) {
    let solvers = scaled(record);
    if solvers.is_empty() {
        return;
    }
    text.push_str(
        "## Speed-up with more searchers\n\nEach number says how many times as fast a configuration is as the first one of the same \
         solver, in the median over the repetitions; where a count was stopped by its limit, it is the ratio of the answer sets a \
         second. The mean is geometric, over the instances with a number in every column of that solver; its brackets say how many \
         these are, and the least and the most.\n\n",
    );
    let mut header = vec!["instance".to_string()];
    for configurations in &solvers {
        let first = &configurations[0].name;
        header.extend(configurations[1..].iter().map(|c| format!("{} over {first}", c.name)));
    }
    let row = |instance: &Instance| {
        let mut row = vec![instance.name.clone()];
        for configurations in &solvers {
            let all = configurations[1..].iter();
            row.extend(all.map(|c| or_dash(speed_up(record, instance, configurations[0], c))));
        }
        row
    };
    let mut rows: Vec<Vec<String>> = record.suite.instances.iter().map(row).collect();
    let curves = curves(record);
    let mut means = vec!["**geometric mean**".to_string()];
    for configurations in &solvers {
        let curve = curves.iter().find(|curve| curve.solver == configurations[0].solver);
        means.extend(configurations[1..].iter().map(|configuration| {
            let point = curve.and_then(|curve| {
                let point =
                    curve.points.iter().find(|point| Some(point.searchers) == configuration.searchers)?;
                Some((curve.instances, point))
            });
            point.map_or("– (0)".into(), |(instances, Point { mean, least, most, .. })| {
                format!("{} ({instances}; {} to {})", short(*mean), short(*least), short(*most))
            })
        }));
    }
    rows.push(means);
    table(text, &header, rows);
}

/// The configurations that say how many searchers they have, solver by solver; of each solver two at least.
fn scaled(record: &Record) -> Vec<Vec<&Configuration>> {
    let of = |solver: Solver| {
        let all = record.suite.configurations.iter();
        all.filter(|c| c.solver == solver && c.searchers.is_some()).collect::<Vec<_>>()
    };
    [Solver::Yasmin, Solver::Clasp].map(of).into_iter().filter(|all| all.len() > 1).collect()
}

/// The speed-ups of an instance, if all of them are known.
fn exact(record: &Record, instance: &Instance, configurations: &[&Configuration]) -> Option<Vec<f64>> {
    let known = |c: &&Configuration| {
        speed_up(record, instance, configurations[0], c)?.exact().filter(|speed_up| *speed_up > 0.0)
    };
    configurations.iter().map(known).collect()
}

/// How many times as fast as the first another configuration is.
fn speed_up(
    record: &Record,
    instance: &Instance,
    first: &Configuration,
    other: &Configuration,
) -> Option<Time> {
    match is_cut_count(record, instance) {
        true => median_rate_ratio(record, &instance.name, &other.name, &first.name).map(Time::Exactly),
        false => median_ratio(record, &instance.name, &first.name, &other.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tests::{record, run};
    use crate::outcome::End;
    use crate::record::Run;

    /// A record in which the number at the end of a configuration's name is that of its searchers, and each of these wall
    /// times is an instance.
    fn scaling(runs: &[(&str, &[f64])]) -> Record {
        let mut made: Vec<Run> = Vec::new();
        for (configuration, walls) in runs {
            made.extend(walls.iter().enumerate().map(|(place, wall)| Run {
                instance: format!("i{place}"),
                ..run(configuration, 0, *wall, 5, false)
            }));
        }
        let mut record = record(made);
        let one = record.suite.instances.remove(0);
        for place in 0..runs[0].1.len() {
            record.suite.instances.push(Instance { name: format!("i{place}"), ..one.clone() });
        }
        for configuration in &mut record.suite.configurations {
            configuration.searchers = configuration.name.rsplit('-').next().and_then(|n| n.parse().ok());
        }
        record
    }

    #[test]
    fn speed_ups_are_those_over_the_first_configuration() {
        let record = scaling(&[
            ("ours-1", &[8.0, 9.0]),
            ("ours-2", &[4.0, 9.0]),
            ("ours-4", &[1.0, 4.5]),
            ("clasp", &[1.0, 1.0]),
        ]);
        let point = |searchers, mean, least, most| Point { searchers, mean, least, most };
        let found = curves(&record);
        assert_eq!(
            (found.len(), found[0].solver, found[0].first, found[0].instances),
            (1, Solver::Yasmin, 1, 2)
        );
        assert_eq!((found[0].points[0], found[0].points.len()), (point(1, 1.0, 1.0, 1.0), 3));
        assert!((found[0].points[1].mean - 2.0_f64.sqrt()).abs() < 1e-12);
        assert!((found[0].points[2].mean - 4.0).abs() < 1e-12);
        assert_eq!((found[0].points[2].least, found[0].points[2].most), (2.0, 8.0));
        let mut text = String::new();
        section(&mut text, &record);
        assert!(text.contains("| instance | ours-2 over ours-1 | ours-4 over ours-1 |\n"), "{text}");
        assert!(text.contains("| i1 | 1.00 | 2.00 |\n"), "{text}");
        assert!(
            text.contains("| **geometric mean** | 1.41 (2; 1.00 to 2.00) | 4.00 (2; 2.00 to 8.00) |"),
            "{text}"
        );
    }

    #[test]
    fn solvers_have_a_curve_each() {
        let record =
            scaling(&[("ours-2", &[8.0]), ("ours-4", &[4.0]), ("clasp-1", &[6.0]), ("clasp-8", &[2.0])]);
        let found = curves(&record);
        let last: Vec<_> =
            found.iter().map(|curve| (curve.solver, curve.first, curve.points[1].most)).collect();
        assert_eq!(last, [(Solver::Yasmin, 2, 2.0), (Solver::Clasp, 1, 3.0)]);
    }

    #[test]
    fn an_instance_that_timed_out_is_told_and_in_no_mean() {
        let mut record = scaling(&[("ours-1", &[8.0, 20.0]), ("ours-2", &[4.0, 5.0])]);
        let cut = record.runs.iter_mut().find(|run| run.wall == 20.0).expect("made above");
        cut.outcome.end = End::Timeout;
        assert_eq!(curves(&record)[0].instances, 1);
        let mut text = String::new();
        section(&mut text, &record);
        assert!(text.contains("| i1 | > 4.00 |") && text.contains("| 2.00 (1; 2.00 to 2.00) |"), "{text}");
        record.runs.iter_mut().for_each(|run| run.outcome.end = End::Timeout);
        assert_eq!(curves(&record), []);
        text.clear();
        section(&mut text, &record);
        assert!(text.contains("| **geometric mean** | – (0) |"), "{text}");
    }

    #[test]
    fn counts_that_were_cut_off_scale_by_their_rates() {
        let mut record = scaling(&[("ours-1", &[20.0]), ("ours-2", &[20.0])]);
        record.suite.instances[0].models = 0;
        for (run, models) in record.runs.iter_mut().zip([10, 30]) {
            (run.outcome.end, run.outcome.models) = (End::Timeout, models);
        }
        assert_eq!(curves(&record)[0].points[1].mean.round(), 3.0);
    }

    #[test]
    fn one_number_of_searchers_is_no_curve() {
        let record = scaling(&[("ours-1", &[8.0]), ("clasp-1", &[6.0])]);
        let mut text = String::new();
        section(&mut text, &record);
        assert_eq!((curves(&record), text), (Vec::new(), String::new()));
    }
}
