//! What can be typed, and what it does.
//!
//! Main type: [`Args`]; main function: [`execute`]. Invariant: an option's name, default and help are here and nowhere else.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use clap::{Parser, Subcommand};

use crate::generate::{facts, Family};
use crate::record::{replace, Record};
use crate::run::{run, Earlier, Places};
use crate::suite::Suite;
use crate::{check, ground, plot, report, Error};

const EXAMPLES: &str = "\
Examples:
  yasmin-bench run --suite data/bench/smoke.json --out results --device cpu
  yasmin-bench ground --suite data/bench/suite.json --out ground   # where there is gringo
  yasmin-bench run --suite data/bench/suite.json --ground ground --out results --resume
  yasmin-bench report results/results.json --out results
  yasmin-bench generate --family sat --size 100 --seed 7 --out sat-100.lp

Exit codes:
    0  all runs were made, and agree
    1  runs do not agree, or some failed: the report lists them
    2  bad usage
   65  an error, such as a bad suite file
  130  cut short: what was run until then is kept, and --resume goes on";

/// Times yasmin and clasp side by side on ground programs, and checks that they agree.
#[derive(Parser, Debug)]
#[command(name = "yasmin-bench", version, after_help = EXAMPLES, max_term_width = 100)]
pub struct Args {
    /// What to do
    #[command(subcommand)]
    pub task: Task,
}

/// What to do.
#[derive(Subcommand, Debug)]
pub enum Task {
    /// Run a suite: writes results.json, report.md and plots
    Run {
        /// The suite file
        #[arg(long, value_name = "FILE", default_value = "data/bench/suite.json")]
        suite: PathBuf,
        /// The folder of its ground programs; those that are not there are made with gringo [default: OUT/ground]
        #[arg(long, value_name = "FOLDER")]
        ground: Option<PathBuf>,
        /// The folder to write to
        #[arg(long, value_name = "FOLDER")]
        out: PathBuf,
        /// Go on with the results.json there: make the runs that it lacks
        #[arg(long)]
        resume: bool,
        /// Begin anew even if there is a results.json
        #[arg(long, conflicts_with = "resume")]
        replace: bool,
        /// What to ground with
        #[arg(long, value_name = "COMMAND", default_value = "gringo")]
        gringo: PathBuf,
        /// What to call as yasmin [default: beside this program, else by name]
        #[arg(long, value_name = "COMMAND")]
        yasmin: Option<PathBuf>,
        /// What to call as clasp; left out if it is not found
        #[arg(long, value_name = "COMMAND", default_value = "clasp")]
        clasp: PathBuf,
        /// What yasmin runs on, where a configuration does not say: auto, gpu, cpu or simt
        #[arg(long, value_name = "WHAT", default_value = "auto")]
        device: String,
        /// Only instances of these names or families
        #[arg(long, value_name = "NAME", value_delimiter = ',')]
        only: Vec<String>,
        /// Only configurations of these names
        #[arg(long, value_name = "NAME", value_delimiter = ',')]
        configurations: Vec<String>,
        /// How often to run everything, instead of as often as the suite says (from 1)
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        repetitions: Option<u32>,
        /// Seconds a run may take, instead of all that the suite says
        #[arg(long, value_name = "SECONDS", value_parser = seconds)]
        time_limit: Option<f64>,
    },
    /// Make a suite's ground programs, with gringo
    Ground {
        /// The suite file; encodings are looked for in its folder
        #[arg(long, value_name = "FILE", default_value = "data/bench/suite.json")]
        suite: PathBuf,
        /// The folder to write NAME.aspif to
        #[arg(long, value_name = "FOLDER")]
        out: PathBuf,
        /// What to ground with
        #[arg(long, value_name = "COMMAND", default_value = "gringo")]
        gringo: PathBuf,
        /// Only instances of these names or families
        #[arg(long, value_name = "NAME", value_delimiter = ',')]
        only: Vec<String>,
        /// Ground again what is there already
        #[arg(long)]
        again: bool,
    },
    /// Make the facts of one instance
    Generate {
        /// What kind
        #[arg(long)]
        family: Family,
        /// How large
        #[arg(long, value_name = "N")]
        size: usize,
        /// Which of those
        #[arg(long, value_name = "N", default_value_t = 0)]
        seed: u64,
        /// Where to write them [default: standard output]
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Write report.md and the plots of a results.json again
    Report {
        /// The results.json
        results: PathBuf,
        /// The folder to write to
        #[arg(long, value_name = "FOLDER")]
        out: PathBuf,
    },
}

/// How it ended, if nothing hindered it.
#[derive(Clone, Debug, PartialEq)]
pub enum Done {
    /// As it should.
    Well,
    /// Runs do not agree or failed, in these ways.
    Differs(Vec<String>),
    /// A signal came; what there was by then is kept.
    CutShort,
}

/// Does what was typed. Standard output carries generated facts only.
pub fn execute(args: Args) -> Result<Done, Error> {
    match args.task {
        Task::Generate { family, size, seed, out } => {
            let sizes = family.sizes();
            if !sizes.contains(&size) {
                let (from, to) = (sizes.start(), sizes.end());
                return Err(Error::Size(format!(
                    "{} has sizes from {from} to {to}, not {size}",
                    family.name()
                )));
            }
            let facts = facts(family, size, seed);
            match out {
                Some(file) => replace(&file, &facts)?,
                None => std::io::stdout()
                    .write_all(facts.as_bytes())
                    .map_err(|e| Error::file(Path::new("standard output"), e))?,
            }
            Ok(Done::Well)
        }
        Task::Ground { suite, out, gringo, only, again } => {
            let mut read = Suite::read(&suite)?;
            read.keep_instances(&only)?;
            grounded(&read, &suite, &out, &gringo, again)?;
            Ok(Done::Well)
        }
        Task::Report { results, out } => {
            let record = Record::read(&results)?;
            std::fs::create_dir_all(&out).map_err(|e| Error::file(&out, e))?;
            concluded(&record, &out)
        }
        Task::Run {
            suite,
            ground,
            out,
            resume,
            replace,
            gringo,
            yasmin,
            clasp,
            device,
            only,
            configurations,
            repetitions,
            time_limit,
        } => {
            let file = suite;
            let mut suite = Suite::read(&file)?;
            suite.keep_instances(&only)?;
            suite.keep_configurations(&configurations)?;
            if let Some(repetitions) = repetitions {
                suite.repetitions = repetitions as usize;
            }
            if let Some(seconds) = time_limit {
                suite.time_limit = seconds;
                suite.instances.iter_mut().for_each(|instance| instance.time_limit = None);
            }
            let yasmin = yasmin.unwrap_or_else(beside);
            let ground = ground.unwrap_or_else(|| out.join("ground"));
            grounded(&suite, &file, &ground, &gringo, false)?;
            let places = Places { ground, out, yasmin, clasp, device };
            let earlier = match (resume, replace) {
                (true, _) => Earlier::Resume,
                (_, true) => Earlier::Replace,
                _ => Earlier::Keep,
            };
            let record = run(suite, &places, earlier, &on_signal(), |difference| {
                eprintln!("DIFFERENT: {difference}")
            })?;
            concluded(&record, &places.out)
        }
    }
}

/// Makes the ground programs that are missing, or all. A suite file's encodings are in its folder.
fn grounded(suite: &Suite, file: &Path, out: &Path, gringo: &Path, again: bool) -> Result<(), Error> {
    let folder = file.parent().unwrap_or(Path::new("."));
    ground::ground(suite, folder, out, gringo, again, |name| eprintln!("grounding {name}"))
}

/// Writes what can be seen of a record, and judges it.
fn concluded(record: &Record, out: &Path) -> Result<Done, Error> {
    let differences = check::differences(record);
    replace(&out.join("report.md"), &report::markdown(record, &differences))?;
    plot::draw(record, out)?;
    Ok(match (differences.is_empty(), record.complete) {
        (false, _) => Done::Differs(differences),
        (true, false) => Done::CutShort,
        (true, true) => Done::Well,
    })
}

/// yasmin in this program's folder, or whatever is called that.
fn beside() -> PathBuf {
    let here = std::env::current_exe().ok().and_then(|path| Some(path.parent()?.join("yasmin")));
    here.filter(|path| path.is_file()).unwrap_or_else(|| "yasmin".into())
}

/// A flag that is set when a signal asks to stop.
fn on_signal() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let set = flag.clone();
    // Without a handler a signal ends the process, and results.json is still whole.
    let _ = ctrlc::set_handler(move || set.store(true, Ordering::Relaxed));
    flag
}

fn seconds(typed: &str) -> Result<f64, String> {
    let seconds: f64 = typed.parse().map_err(|_| "not a number".to_string())?;
    match seconds > 0.0 && seconds <= 1e6 {
        true => Ok(seconds),
        false => Err("must be more than 0, and at most a million".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        <Args as clap::CommandFactory>::command().debug_assert();
    }

    #[test]
    fn limits_are_positive() {
        assert_eq!(seconds("0.5"), Ok(0.5));
        assert!(["0", "-1", "NaN", "inf", "x"].iter().all(|typed| seconds(typed).is_err()));
    }
}
