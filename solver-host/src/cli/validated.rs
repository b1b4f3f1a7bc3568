//! What is asked for: the typed arguments, put together and turned into the library's terms.

use std::path::PathBuf;
use std::time::Duration;

use clap::error::ErrorKind;
use clap::CommandFactory;
use solver_host::output::Format;

use super::args::{self, Args};
use solver_host::device::DeviceKind;
use solver_host::search::{Heuristic, Learning, LoopCheck, Options, Restarts};

/// One run of the command.
#[derive(Clone, Debug)]
pub struct Request {
    /// What to read; `-` is standard input. Never empty.
    pub files: Vec<PathBuf>,
    /// How many answer sets to find at most; 0: all.
    pub models: u64,
    /// How to search.
    pub options: Options,
    /// How to print.
    pub format: Format,
    /// Whether to print statistics.
    pub stats: bool,
    /// How long the run may take, from the start of the process.
    pub time_limit: Option<Duration>,
}

impl Request {
    /// The names of the inputs as they are printed.
    pub fn input_names(&self) -> Vec<String> {
        let name = |file: &PathBuf| match file.to_string_lossy() {
            dash if dash == "-" => "stdin".to_string(),
            path => path.into_owned(),
        };
        self.files.iter().map(name).collect()
    }
}

impl TryFrom<Args> for Request {
    type Error = clap::Error;

    fn try_from(typed: Args) -> Result<Self, clap::Error> {
        // As with clasp, a positional argument that is a number is not a file but the number of answer sets.
        let mut models = typed.models;
        let mut files = Vec::new();
        for word in typed.files {
            match word.parse::<u64>() {
                Ok(_) if models.is_some() => {
                    let twice =
                        format!("the number of answer sets is given twice (for a file, type ./{word})");
                    return Err(Args::command().error(ErrorKind::ArgumentConflict, twice));
                }
                Ok(n) => models = Some(n),
                Err(_) => files.push(PathBuf::from(word)),
            }
        }
        if files.is_empty() {
            files.push("-".into());
        }
        if files.iter().filter(|file| file.as_os_str() == "-").count() > 1 {
            let twice = "standard input can be read only once";
            return Err(Args::command().error(ErrorKind::ArgumentConflict, twice));
        }
        let options = Options {
            learning: match typed.learning {
                args::Learning::Forward => Learning::Forward,
                args::Learning::Resolution => Learning::Resolution,
            },
            heuristic: match typed.heuristic {
                args::Heuristic::Occurrences => Heuristic::Occurrences,
                args::Heuristic::Positive => Heuristic::Positive,
                args::Heuristic::Negative => Heuristic::Negative,
                args::Heuristic::JeroslowWang => Heuristic::JeroslowWang,
                args::Heuristic::Activity => Heuristic::Activity,
            },
            conflicts: typed.conflicts,
            loop_check: match typed.loop_check {
                args::LoopCheck::Fixpoint => LoopCheck::Fixpoint,
                args::LoopCheck::Total => LoopCheck::Total,
            },
            restarts: match typed.restarts {
                args::Restarts::None => Restarts::None,
                args::Restarts::Luby(base) => Restarts::Luby(base),
                args::Restarts::Geometric(base, factor) => Restarts::Geometric(base, factor),
            },
            threads_per_block: typed.threads_per_block,
            seed: typed.seed,
            device: match typed.device {
                args::Device::Auto => DeviceKind::Auto,
                args::Device::Gpu => DeviceKind::Gpu,
                args::Device::Cpu => DeviceKind::Cpu,
                args::Device::Simt => DeviceKind::Simt,
            },
            simplify: !typed.no_simplify,
            keep_learned: typed.keep_learned,
        };
        Ok(Request {
            files,
            models: models.unwrap_or(1),
            options,
            format: if typed.json { Format::Json } else { Format::Text },
            stats: typed.stats,
            time_limit: typed.time_limit.filter(|limit| !limit.is_zero()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    fn request(line: &str) -> Result<Request, clap::Error> {
        Request::try_from(Args::try_parse_from(line.split_whitespace())?)
    }

    #[test]
    fn a_bare_number_is_the_number_of_answer_sets() {
        let all = request("yasmin f.aspif 0").expect("valid");
        assert_eq!((all.models, all.input_names()), (0, vec!["f.aspif".to_string()]));
        let three = request("yasmin 3").expect("valid");
        assert_eq!((three.models, three.input_names()), (3, vec!["stdin".to_string()]));
        assert_eq!(request("yasmin f.aspif").expect("valid").models, 1);
        assert!(request("yasmin -n 1 f.aspif 0").is_err());
        assert!(request("yasmin 1 2").is_err());
        assert!(request("yasmin - -").is_err());
    }

    #[test]
    fn the_defaults_are_the_librarys() {
        assert_eq!(request("yasmin").expect("valid").options, Options::default());
    }

    #[test]
    fn a_time_limit_of_zero_is_none() {
        assert_eq!(request("yasmin --time-limit 0").expect("valid").time_limit, None);
        let half = request("yasmin --time-limit 0.5").expect("valid");
        assert_eq!(half.time_limit, Some(Duration::from_millis(500)));
    }
}
