//! Runs a suite: repetition by repetition, instance by instance, one configuration after the other.
//!
//! Main function: [`run`]. Configurations take turns on the same ground program, so that what slows the machine down for a
//! while slows all of them; ratios are taken within a repetition. Nothing runs beside a solver.
//!
//! Invariant: after each run, `results.json` holds all runs so far. A run that was cut short is not one of them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use indicatif::{ProgressBar, ProgressStyle};

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

/// Runs the suite until it is done or `stop` is set, and returns what was written.
pub fn run(mut suite: Suite, places: &Places, stop: &AtomicBool) -> Result<Record, Error> {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    let mut versions = Vec::new();
    let mut notes = Vec::new();
    match version(&places.yasmin) {
        Ok(said) => versions.push(said),
        Err(error) => {
            let needed = suite.configurations.iter().any(|c| c.solver == Solver::Yasmin);
            if needed {
                return Err(Error::Call(places.yasmin.display().to_string(), error));
            }
        }
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
    std::fs::create_dir_all(&places.out).map_err(|e| Error::file(&places.out, e))?;
    let began = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
    let mut record = Record { complete: false, began, threads, versions, notes, suite, runs: Vec::new() };
    let file = places.out.join("results.json");
    record.write(&file)?;
    let bar = progress(&record.suite);
    let suite = record.suite.clone();
    for repetition in 0..suite.repetitions {
        for instance in &suite.instances {
            for configuration in &suite.configurations {
                bar.set_message(format!("{} {}", instance.name, configuration.name));
                let mut command = command(configuration, instance, suite.time_limit, places, threads);
                let limit = Duration::from_secs_f64(instance.time_limit.unwrap_or(suite.time_limit));
                let ended = match stop.load(Ordering::Relaxed) {
                    true => None,
                    false => Some(call(&mut command, limit + GRACE, stop).map_err(|e| {
                        Error::Call(places.solver(configuration.solver).display().to_string(), e)
                    })?),
                };
                let Some(ended) = ended.filter(|ended| !ended.stopped) else {
                    bar.abandon_with_message("cut short");
                    return Ok(record);
                };
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
            }
        }
    }
    record.complete = true;
    record.write(&file)?;
    bar.finish_and_clear();
    Ok(record)
}

/// The call of a solver.
fn command(
    configuration: &Configuration,
    instance: &Instance,
    limit: f64,
    places: &Places,
    threads: usize,
) -> Command {
    let limit = instance.time_limit.unwrap_or(limit);
    let mut command = Command::new(places.solver(configuration.solver));
    match configuration.solver {
        Solver::Yasmin => {
            command.args(["--json", "--stats", "-q", &format!("--time-limit={limit}")]);
            if !configuration.options.iter().any(|option| option.starts_with("--device")) {
                command.arg(format!("--device={}", places.device));
            }
        }
        // clasp's limit is in whole seconds.
        Solver::Clasp => {
            command.args(["--outf=2", "--stats", "-q", &format!("--time-limit={}", limit.ceil())]);
        }
    }
    command.args(configuration.options.iter().map(|o| o.replace("{threads}", &threads.to_string())));
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
fn progress(suite: &Suite) -> ProgressBar {
    let runs = suite.repetitions * suite.instances.len() * suite.configurations.len();
    let style = ProgressStyle::with_template("{pos}/{len} {wide_bar} {msg} {elapsed} (about {eta} left)")
        .unwrap_or(ProgressStyle::default_bar());
    let bar = ProgressBar::new(runs as u64).with_style(style);
    bar.enable_steady_tick(Duration::from_millis(500));
    bar
}
