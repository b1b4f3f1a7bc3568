//! Runs a suite: repetition by repetition, instance by instance, one configuration after the other.
//!
//! Main function: [`run`]. Configurations take turns on the same ground program, so that what slows the machine down for a
//! while slows all of them; ratios are taken within a repetition. Nothing runs beside a solver.
//!
//! Invariant: after each run, `results.json` holds all runs so far. A run that was cut short is not one of them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use indicatif::{ProgressBar, ProgressStyle};

use crate::check::differences;
use crate::child::call;
use crate::outcome;
use crate::record::{Record, Run};
use crate::suite::{Configuration, Instance, Solver, Suite};
use crate::Error;

/// How long after its time limit a solver may still be ending by itself.
const GRACE: Duration = Duration::from_secs(5);

/// Where things are.
#[derive(Clone, Debug)]
pub struct Places {
    /// The folder of ground programs.
    pub ground: PathBuf,
    /// The folder to write to.
    pub out: PathBuf,
    /// What to call as yasmin.
    pub yasmin: PathBuf,
    /// What to call as clasp.
    pub clasp: PathBuf,
    /// What yasmin runs on, where a configuration does not say.
    pub device: String,
}

impl Places {
    /// The ground program of an instance.
    pub fn ground_program(&self, instance: &Instance) -> PathBuf {
        self.ground.join(format!("{}.aspif", instance.name))
    }

    fn solver(&self, solver: Solver) -> &Path {
        match solver {
            Solver::Yasmin => &self.yasmin,
            Solver::Clasp => &self.clasp,
        }
    }
}

/// What to do about runs that are in the folder already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Earlier {
    /// Keep them; say so instead of running.
    Keep,
    /// Make those that are missing.
    Resume,
    /// Begin anew.
    Replace,
}

/// Runs the suite until it is done or `stop` is set, and returns what was written. Calls `tell` with each sentence of
/// [`differences`] as soon as it is known.
pub fn run(
    suite: Suite,
    places: &Places,
    earlier: Earlier,
    stop: &AtomicBool,
    mut tell: impl FnMut(&str),
) -> Result<Record, Error> {
    let mut record = begin(suite, places)?;
    std::fs::create_dir_all(&places.out).map_err(|e| Error::file(&places.out, e))?;
    let file = places.out.join("results.json");
    if earlier != Earlier::Replace && file.exists() {
        let old = Record::read(&file)?;
        match earlier {
            Earlier::Resume => {
                record.continue_from(old).map_err(|what| Error::Resume(file.display().to_string(), what))?
            }
            _ => return Err(Error::Exists(file.display().to_string())),
        }
    }
    record.write(&file)?;
    let bar = progress(&record);
    let suite = record.suite.clone();
    let mut told = BTreeSet::new();
    for (repetition, instance, configuration) in record.missing() {
        let (instance, configuration) = (&suite.instances[instance], &suite.configurations[configuration]);
        let title = format!("{} {}", instance.name, configuration.name);
        bar.set_message(title.clone());
        let mut command = command(configuration, instance, &suite, places, record.threads);
        let limit = Duration::from_secs_f64(suite.limit(instance));
        let ended = match stop.load(Ordering::Relaxed) {
            true => None,
            false => Some(
                call(&mut command, limit + GRACE, stop)
                    .map_err(|e| Error::Call(places.solver(configuration.solver).display().to_string(), e))?,
            ),
        };
        let Some(ended) = ended.filter(|ended| !ended.stopped) else {
            bar.abandon_with_message("cut short");
            return Ok(record);
        };
        if bar.is_hidden() {
            // Standard error is a file: a line a run is what can be followed there.
            eprintln!("{}/{} {title} {:.2} s", bar.position() + 1, bar.length().unwrap_or(0), ended.wall);
        }
        record.runs.push(Run {
            instance: instance.name.clone(),
            configuration: configuration.name.clone(),
            repetition,
            wall: ended.wall,
            code: ended.code,
            peak_bytes: ended.peak_bytes,
            outcome: outcome::read(&ended, configuration.solver),
        });
        record.write(&file)?;
        bar.inc(1);
        for difference in differences(&record) {
            if !told.contains(&difference) {
                bar.suspend(|| tell(&difference));
                told.insert(difference);
            }
        }
    }
    record.complete = true;
    record.write(&file)?;
    bar.finish_and_clear();
    Ok(record)
}

/// The record before the first run, once all that is needed for runs is there.
fn begin(mut suite: Suite, places: &Places) -> Result<Record, Error> {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    let mut versions = Vec::new();
    let mut notes = Vec::new();
    if suite.configurations.iter().any(|c| c.solver == Solver::Yasmin) {
        let said = version(&places.yasmin);
        versions.push(said.map_err(|e| Error::Call(places.yasmin.display().to_string(), e))?);
    }
    if suite.configurations.iter().any(|c| c.solver == Solver::Clasp) {
        match version(&places.clasp) {
            Ok(said) => versions.push(said),
            Err(error) => {
                suite.configurations.retain(|c| c.solver != Solver::Clasp);
                notes.push(format!("clasp is left out: {}: {error}", places.clasp.display()));
            }
        }
    }
    if suite.configurations.is_empty() || suite.instances.is_empty() {
        return Err(Error::Nothing("no solver, or no instance, is left".into()));
    }
    for instance in &suite.instances {
        let program = places.ground_program(instance);
        if !program.is_file() {
            return Err(Error::Missing(program.display().to_string()));
        }
    }
    let began = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
    let processor = processor();
    let device = places.device.clone();
    Ok(Record {
        complete: false,
        began,
        threads,
        processor,
        device,
        versions,
        notes,
        suite,
        runs: Vec::new(),
    })
}

/// The processor's name, as Linux has it.
fn processor() -> Option<String> {
    let said = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = said.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_string())
}

/// The call of a solver.
fn command(
    configuration: &Configuration,
    instance: &Instance,
    suite: &Suite,
    places: &Places,
    threads: usize,
) -> Command {
    let limit = suite.limit(instance);
    let mut command = Command::new(places.solver(configuration.solver));
    match configuration.solver {
        Solver::Yasmin => {
            command.args(["--json", "--stats=2", "-q", &format!("--time-limit={limit}")]);
            if !configuration.options.iter().any(|option| option.starts_with("--device")) {
                command.arg(format!("--device={}", places.device));
            }
        }
        // clasp's limit is in whole seconds.
        Solver::Clasp => {
            command.args(["--outf=2", "--stats", "-q", &format!("--time-limit={}", limit.ceil())]);
        }
    }
    // clasp takes no more.
    let threads = threads.min(64).to_string();
    command.args(configuration.options.iter().map(|o| o.replace("{threads}", &threads)));
    command.args(&instance.options).arg(places.ground_program(instance)).arg(instance.models.to_string());
    command
}

/// The first line of what a solver says of itself.
fn version(solver: &Path) -> std::io::Result<String> {
    let said = Command::new(solver).arg("--version").output()?;
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    Ok(said.lines().next().unwrap_or("a solver that does not say its version").to_string())
}

/// A bar on standard error, which is not drawn unless that is a terminal.
fn progress(record: &Record) -> ProgressBar {
    let style = ProgressStyle::with_template("{pos}/{len} {wide_bar} {msg} {elapsed} (about {eta} left)")
        .unwrap_or(ProgressStyle::default_bar());
    let bar = ProgressBar::new((record.runs.len() + record.missing().len()) as u64).with_style(style);
    bar.set_position(record.runs.len() as u64);
    // What was run earlier took its time earlier.
    bar.reset_eta();
    bar.enable_steady_tick(Duration::from_millis(500));
    bar
}
