//! The plots of a run, as SVG.
//!
//! Main function: [`draw`]. Four of them have the form of the paper's evaluation: over the instances, propagations and
//! decisions per second, learned nogoods per second and their mean length, one line a configuration of yasmin (so that
//! `--learning res` stands against `fwd`). Then come the time per instance and the cactus plot, with every
//! configuration, the scatter plot against the references, and the speed-up with more searchers, one line a solver.

use std::collections::BTreeSet;
use std::path::Path;

use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::compare::{median_of, median_time, pairs};
use crate::numbers::{short, Time};
use crate::outcome::Work;
use crate::record::Record;
use crate::scaling::{curves, Curve};

use crate::suite::Solver;
use crate::Error;

const HEIGHT: u32 = 560;
/// Room for a name across, which is written downward.
const COLUMN: u32 = 20;
const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(100, 100, 100),
    RGBColor(0, 0, 0),
];

/// A line of a plot: its name, its points, and which of them are only known to be longer; and from where to where values
/// lie of which a point is the mean.
struct Line {
    name: String,
    points: Vec<(f64, f64, bool)>,
    spread: Vec<(f64, f64, f64)>,
}

/// What stands beside a plot.
struct Plot<'a> {
    title: &'a str,
    down: &'a str,
    /// What the whole numbers across stand for, if not for themselves.
    across: Option<Vec<String>>,
    across_name: &'a str,
    /// The numbers down are those of which each is so many times the one before.
    base: f64,
}

/// Draws all plots into a folder; those without a point are left out.
pub fn draw(record: &Record, out: &Path) -> Result<(), Error> {
    type Get = fn(&Work) -> Option<f64>;
    let forms: [(&str, &str, &str, Get); 4] = [
        ("propagations.svg", "Propagations per second", "propagations/s", |w| w.propagations_per_second),
        ("decisions.svg", "Decisions per second", "decisions/s", |w| w.decisions_per_second),
        ("learned.svg", "Learned nogoods per second", "nogoods/s", |w| w.learned_per_second),
        ("length.svg", "Mean length of learned nogoods", "literals", |w| w.learned_length),
    ];
    for (file, title, down, get) in forms {
        let lines = lines(
            record,
            |solver| solver == Solver::Yasmin,
            |instance, configuration| {
                median_of(record, instance, configuration, &|run| get(&run.outcome.work)).map(Time::Exactly)
            },
        );
        chart(&out.join(file), &by_instance(record, title, down), &lines)?;
    }
    let times =
        lines(record, |_| true, |instance, configuration| median_time(record, instance, configuration));
    let title = "Time per instance (hollow: timed out)";
    chart(&out.join("times.svg"), &by_instance(record, title, "seconds"), &times)?;
    let title = "Instances solved within a time each";
    let plot = Plot { title, down: "seconds", across: None, across_name: "instances solved", base: 10.0 };
    let pairs = scatter(record, &times);
    chart(&out.join("cactus.svg"), &plot, &cactus(times))?;
    let path = out.join("scatter.svg");
    square(&path, &pairs).map_err(|why| Error::Plot(path.display().to_string(), why))?;
    scaling(&out.join("scaling.svg"), &curves(record))
}

/// Speed-ups by numbers of searchers, which stand side by side as names do: mostly each is twice the one before.
fn scaling(path: &Path, curves: &[Curve]) -> Result<(), Error> {
    let all: BTreeSet<usize> = curves.iter().flat_map(|c| c.points.iter().map(|p| p.searchers)).collect();
    let place =
        |searchers| all.iter().position(|of| *of == searchers).map_or(0.0, |place| place as f64 + 1.0);
    let mut lines: Vec<Line> = Vec::new();
    for (curve, aside) in curves.iter().zip([-0.04, 0.04]) {
        let across = |searchers| place(searchers) + aside;
        let points = curve.points.iter();
        lines.push(Line {
            name: format!("{} over {} searcher(s)", curve.solver.name(), curve.first),
            points: points.clone().map(|point| (across(point.searchers), point.mean, false)).collect(),
            spread: points.map(|point| (across(point.searchers), point.least, point.most)).collect(),
        });
    }
    let title = "Speed-up with more searchers (geometric mean; bars: least and most of an instance)";
    let across = Some(all.iter().map(usize::to_string).collect());
    chart(path, &Plot { title, down: "times as fast", across, across_name: "searchers", base: 2.0 }, &lines)
}

fn by_instance<'a>(record: &Record, title: &'a str, down: &'a str) -> Plot<'a> {
    let names = record.suite.instances.iter().map(|instance| instance.name.clone()).collect();
    Plot { title, down, across: Some(names), across_name: "", base: 10.0 }
}

fn lines(record: &Record, of: fn(Solver) -> bool, get: impl Fn(&str, &str) -> Option<Time>) -> Vec<Line> {
    let configurations = record.suite.configurations.iter().filter(|c| of(c.solver));
    configurations
        .map(|configuration| {
            let instances = record.suite.instances.iter().enumerate();
            let points = instances.filter_map(|(place, instance)| {
                let time = get(&instance.name, &configuration.name)?;
                // The axis is logarithmic.
                let height = Some(time.bound()).filter(|height| *height > 0.0)?;
                Some((place as f64 + 1.0, height, time.exact().is_none()))
            });
            Line { name: configuration.name.clone(), points: points.collect(), spread: Vec::new() }
        })
        .collect()
}

/// The same times in order: so many instances are solved if each may take so long.
fn cactus(times: Vec<Line>) -> Vec<Line> {
    times
        .into_iter()
        .map(|line| {
            let mut solved: Vec<f64> =
                line.points.iter().filter(|point| !point.2).map(|point| point.1).collect();
            solved.sort_by(f64::total_cmp);
            let points =
                solved.into_iter().enumerate().map(|(place, time)| (place as f64 + 1.0, time, false));
            Line { name: line.name, points: points.collect(), spread: Vec::new() }
        })
        .collect()
}

/// Each configuration that is no reference against each reference: a point for each instance, the reference's
/// time across and the configuration's down. A point is only known to be longer if one of the two times is.
fn scatter(record: &Record, times: &[Line]) -> Vec<Line> {
    let of = |name: &str| times.iter().find(|line| line.name == name).map_or(&[][..], |line| &line.points);
    pairs(record)
        .into_iter()
        .filter(|(ours, _)| !ours.reference)
        .map(|(ours, reference)| {
            let theirs = of(&reference.name);
            let points = of(&ours.name).iter().filter_map(|&(place, down, is_open)| {
                let (_, across, is_longer) = theirs.iter().find(|point| point.0 == place)?;
                Some((*across, down, is_open || *is_longer))
            });
            let name = format!("{} (down), {} (across)", ours.name, reference.name);
            Line { name, points: points.collect(), spread: Vec::new() }
        })
        .filter(|line| !line.points.is_empty())
        .collect()
}

/// Points on two axes of the same times, with a line where both are equal.
fn square(path: &Path, pairs: &[Line]) -> Result<(), String> {
    let told = |error: DrawingAreaErrorKind<_>| error.to_string();
    let times = pairs.iter().flat_map(|line| line.points.iter().flat_map(|point| [point.0, point.1]));
    let Some((low, high)) = range_of(times) else { return Ok(()) };
    let root = SVGBackend::new(path, (HEIGHT + 400, HEIGHT + 60)).into_drawing_area();
    root.fill(&WHITE).map_err(told)?;
    let (plot, beside) = root.split_horizontally(HEIGHT + 60);
    let mut chart = ChartBuilder::on(&plot)
        .caption("Time against time (hollow: timed out)", ("sans-serif", 20))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(80)
        .build_cartesian_2d((low..high).log_scale(), (low..high).log_scale())
        .map_err(told)?;
    let seconds = |time: &f64| short(*time);
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .x_desc("seconds")
        .y_desc("seconds")
        .x_label_formatter(&seconds)
        .y_label_formatter(&seconds)
        .draw()
        .map_err(told)?;
    let equal = [(low, low), (high, high)];
    chart.draw_series(LineSeries::new(equal, BLACK.stroke_width(1))).map_err(told)?;
    for ((line, colour), row) in pairs.iter().zip(COLOURS.iter().cycle()).zip(0..) {
        chart.draw_series(line.points.iter().map(|&point| dot(point, colour))).map_err(told)?;
        // The names stand beside the plot, whose corners all have points.
        let at = (10, 60 + 22 * row);
        beside.draw(&Circle::new(at, 4, colour.filled())).map_err(told)?;
        beside.draw_text(&line.name, &("sans-serif", 13).into(), (at.0 + 12, at.1 - 6)).map_err(told)?;
    }
    root.present().map_err(told)
}

/// A point of a [`Line`], which is hollow if it is only known to be longer.
fn dot((x, y, is_open): (f64, f64, bool), colour: &RGBColor) -> Circle<(f64, f64), i32> {
    Circle::new((x, y), 4, if is_open { colour.stroke_width(1) } else { colour.filled() })
}

/// From where to where an axis for these numbers goes, with some room at both ends; none if all are 0.
fn range_of(numbers: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let (low, high) = numbers.fold((f64::INFINITY, 0.0_f64), |(low, high), n| (low.min(n), high.max(n)));
    (high > 0.0).then_some((low / 1.5, high * 1.5))
}

fn chart(path: &Path, plot: &Plot, lines: &[Line]) -> Result<(), Error> {
    let points = lines.iter().flat_map(|line| line.points.iter().map(|point| point.1));
    let bars = lines.iter().flat_map(|line| line.spread.iter().flat_map(|bar| [bar.1, bar.2]));
    let Some((low, high)) = range_of(points.chain(bars)) else { return Ok(()) };
    let widest = lines.iter().flat_map(|line| &line.points).map(|point| point.0).fold(1.0, f64::max);
    let columns = plot.across.as_ref().map_or(widest, |names| names.len() as f64);
    let (across, down) = (0.5..columns + 0.5, (low..high).log_scale().base(plot.base));
    on_axes(path, plot, lines, across, down).map_err(|why| Error::Plot(path.display().to_string(), why))
}

fn on_axes<Y>(
    path: &Path,
    plot: &Plot,
    lines: &[Line],
    across: std::ops::Range<f64>,
    down: Y,
) -> Result<(), String>
where
    Y: AsRangedCoord<Value = f64>,
    Y::CoordDescType: ValueFormatter<f64>,
{
    let told = |error: DrawingAreaErrorKind<_>| error.to_string();
    let columns = across.end as usize;
    let width = (columns as u32 * COLUMN + 300).max(1000);
    let root = SVGBackend::new(path, (width, HEIGHT)).into_drawing_area();
    root.fill(&WHITE).map_err(told)?;
    let names = plot.across.as_deref();
    let longest = names.unwrap_or_default().iter().map(|name| name.len() as u32).max().unwrap_or(4);
    let mut chart = ChartBuilder::on(&root)
        .caption(plot.title, ("sans-serif", 20))
        .margin(12)
        .x_label_area_size(20 + longest * 7)
        .y_label_area_size(80)
        // The legend stands to the right of all points.
        .build_cartesian_2d(across.start..across.end * 1.18, down)
        .map_err(told)?;
    let number_of = |x: &f64| if names.is_none() { format!("{x:.0}") } else { String::new() };
    chart
        .configure_mesh()
        .x_labels(columns.min(40) + 2)
        .disable_x_mesh()
        .x_label_formatter(&number_of)
        .x_desc(plot.across_name)
        .y_desc(plot.down)
        .y_label_formatter(&|y| short(*y))
        .light_line_style(WHITE)
        .draw()
        .map_err(told)?;
    // The mesh would write names across its line; these begin below it.
    let turned = ("sans-serif", 13).into_font().transform(FontTransform::Rotate90);
    let turned = TextStyle::from(turned).pos(Pos::new(HPos::Left, VPos::Center));
    let (_, below) = chart.plotting_area().get_pixel_range();
    for (place, name) in names.unwrap_or_default().iter().enumerate() {
        let x = chart.plotting_area().map_coordinate(&(place as f64 + 1.0, chart.y_range().start)).0;
        root.draw_text(name, &turned, (x, below.end + 8)).map_err(told)?;
    }
    for (line, colour) in lines.iter().zip(COLOURS.iter().cycle()) {
        let colour = *colour;
        let through = line.points.iter().map(|point| (point.0, point.1));
        chart
            .draw_series(LineSeries::new(through, colour.stroke_width(1)))
            .map_err(told)?
            .label(&line.name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour.stroke_width(3)));
        chart.draw_series(line.points.iter().map(|&point| dot(point, &colour))).map_err(told)?;
        let bars = line.spread.iter();
        chart
            .draw_series(
                bars.map(|&(x, low, high)| PathElement::new([(x, low), (x, high)], colour.stroke_width(1))),
            )
            .map_err(told)?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK.mix(0.3))
        .label_font(("sans-serif", 13))
        .draw()
        .map_err(told)?;
    root.present().map_err(told)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tests::{record, run};

    #[test]
    fn plots_are_drawn_where_there_are_points() {
        let folder = std::env::temp_dir().join(format!("yasmin-bench-plot-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let mut ours = run("res", 0, 1.5, 5, false);
        ours.outcome.work.propagations_per_second = Some(1e6);
        draw(&record(vec![ours, run("clasp-1", 0, 0.5, 5, false)]), &folder).expect("drawn");
        let svg = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap_or_default();
        assert!(svg("times.svg").contains("clasp-1") && svg("cactus.svg").contains("</svg>"));
        assert!(svg("scatter.svg").contains("res (down), clasp-1 (across)"), "{}", svg("scatter.svg"));
        assert!(svg("propagations.svg").contains("res") && !svg("propagations.svg").contains("clasp"));
        assert!(svg("decisions.svg").is_empty());
        std::fs::remove_dir_all(&folder).expect("removed");
    }

    #[test]
    fn a_cactus_has_only_what_was_solved() {
        let line = Line {
            name: "a".into(),
            points: vec![(1.0, 3.0, false), (2.0, 9.0, true), (3.0, 1.0, false)],
            spread: Vec::new(),
        };
        assert_eq!(cactus(vec![line])[0].points, [(1.0, 1.0, false), (2.0, 3.0, false)]);
    }

    #[test]
    fn a_point_of_a_scatter_has_both_times() {
        let line = |name: &str, points: &[(f64, f64, bool)]| Line {
            name: name.into(),
            points: points.to_vec(),
            spread: Vec::new(),
        };
        // The second instance has no time of the reference, and the third timed out there.
        let ours = line("res", &[(1.0, 3.0, false), (2.0, 9.0, false), (3.0, 1.0, false)]);
        let theirs = line("clasp-1", &[(1.0, 2.0, false), (3.0, 20.0, true)]);
        let runs = vec![run("res", 0, 1.5, 5, false), run("clasp-1", 0, 0.5, 5, false)];
        let pairs = scatter(&record(runs), &[ours, theirs]);
        assert_eq!(pairs.len(), 1);
        assert_eq!(pairs[0].points, [(2.0, 3.0, false), (20.0, 1.0, true)]);
    }

    #[test]
    fn speed_ups_are_drawn_if_a_solver_has_two_numbers_of_searchers() {
        let folder = std::env::temp_dir().join(format!("yasmin-bench-scaling-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let names = ["res-1", "res-8", "clasp-1", "clasp-8"];
        let mut record = record(names.map(|name| run(name, 0, 1.5, 5, false)).to_vec());
        let svg = || std::fs::read_to_string(folder.join("scaling.svg")).unwrap_or_default();
        draw(&record, &folder).expect("drawn");
        assert_eq!(svg(), "", "nothing says how many searchers there are");
        for configuration in &mut record.suite.configurations {
            configuration.searchers = configuration.name.rsplit('-').next().and_then(|n| n.parse().ok());
        }
        draw(&record, &folder).expect("drawn");
        for name in ["yasmin over 1 searcher(s)", "clasp over 1 searcher(s)", "times as fast"] {
            assert!(svg().contains(name), "{name}: {}", svg());
        }
        assert_eq!(svg().matches("<circle").count(), 4, "a point for each solver and number of searchers");
        std::fs::remove_dir_all(&folder).expect("removed");
    }
}
