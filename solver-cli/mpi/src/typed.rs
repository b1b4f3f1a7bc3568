//! What is typed for `yasmin-mpi` alone, apart from what is typed for `yasmin`.
//!
//! Main function: [`Typed::of`].

use std::ffi::OsString;
use std::time::Duration;

/// What `--help` says of these options.
pub const HELP: &str = "\
yasmin-mpi searches with many processes (ranks), on one machine or on many. Started by mpirun or srun it is
one of them. Started by itself it starts mpirun. All options are those of yasmin, below, and these:
  --ranks N               how many ranks mpirun starts; else mpirun decides
  --mpirun COMMAND        what to start, with its arguments [default: mpirun]
  --rank-timeout SECONDS  how long a rank may say nothing before it counts as lost [default: 30]
  --rank-children N       how many ranks get their work from each rank [default: 8]
  --rank-wait             let the search begin when rank 0's children are there; else it begins at once
  --rank-report           let each rank say on standard error what passed through it
With --proof FILE, rank 0 writes FILE, and rank R writes FILE.R on its own machine; `yasmin-check
PROGRAM FILE` reads all. Under Open MPI 5 (mpirun --with-ft ulfm) and without a proof, ranks go on without a
lost one.

";

/// The options of this command alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Typed {
    /// How many ranks to start, if that was said.
    pub ranks: Option<u32>,
    /// What to start them with.
    pub mpirun: String,
    /// How long a rank may be silent.
    pub timeout: Duration,
    /// How many ranks get their work from each.
    pub children: u32,
    /// Whether the search begins when rank 0's children are there.
    pub waits: bool,
    /// Whether each rank says what passed through it.
    pub reports: bool,
    /// Where rank 0 tells a launcher what is to be printed, if it prints nothing itself: the path of a
    /// socket.
    pub launcher: Option<String>,
    /// All other words, the program's name first.
    pub rest: Vec<OsString>,
}

impl Typed {
    /// Sorts the words out, the program's name first.
    ///
    /// # Errors
    /// A sentence, if one of these options lacks its value or has a wrong one.
    pub fn of(words: impl IntoIterator<Item = OsString>) -> Result<Typed, String> {
        let mut typed = Typed {
            ranks: None,
            mpirun: "mpirun".into(),
            timeout: Duration::from_secs(30),
            children: 8,
            waits: false,
            reports: false,
            launcher: None,
            rest: Vec::new(),
        };
        let mut words = words.into_iter();
        let mut only_files = false;
        while let Some(word) = words.next() {
            let text = word.to_str().filter(|_| !only_files).unwrap_or_default();
            only_files |= text == "--";
            let (name, value) = match text.split_once('=') {
                Some((name, value)) => (name, Some(value.to_string())),
                None => (text, None),
            };
            let mut value = || {
                let next = || words.next().and_then(|word| word.into_string().ok());
                value.clone().or_else(next).ok_or_else(|| format!("{name} needs a value"))
            };
            match name {
                "--ranks" => typed.ranks = Some(number(name, &value()?, 1)?),
                "--mpirun" => typed.mpirun = value()?,
                "--rank-timeout" => {
                    let seconds: f64 =
                        value()?.parse().ok().filter(|&s| (0.1..=1e6).contains(&s)).ok_or_else(|| {
                            format!("{name} expects a number of seconds from 0.1 to 1000000")
                        })?;
                    typed.timeout = Duration::from_secs_f64(seconds);
                }
                "--rank-children" => typed.children = number(name, &value()?, 1)?,
                "--rank-wait" => typed.waits = true,
                "--rank-report" => typed.reports = true,
                "--rank-launched" => typed.launcher = Some(value()?),
                _ => typed.rest.push(word),
            }
        }
        Ok(typed)
    }
}

fn number(name: &str, typed: &str, least: u32) -> Result<u32, String> {
    let number = typed.parse().ok().filter(|&n| n >= least && n <= 1 << 20);
    number.ok_or_else(|| format!("{name} expects a whole number from {least} to 1048576"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Result<Typed, String> {
        Typed::of(line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn the_rest_is_yasmins() {
        let typed =
            of("yasmin-mpi --ranks 4 f.lp -n 0 --rank-timeout=2.5 --rank-wait --rank-report -- --ranks")
                .expect("valid");
        assert_eq!(
            (typed.ranks, typed.timeout, typed.reports && typed.waits),
            (Some(4), Duration::from_millis(2500), true)
        );
        assert_eq!(typed.rest, ["yasmin-mpi", "f.lp", "-n", "0", "--", "--ranks"].map(OsString::from));
        assert_eq!((typed.children, typed.launcher, typed.mpirun.as_str()), (8, None, "mpirun"));
        let quoted = Typed::of(["yasmin-mpi", "--mpirun=mpirun -n 2"].map(OsString::from)).expect("valid");
        assert_eq!(quoted.mpirun, "mpirun -n 2");
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for line in [
            "y --ranks",
            "y --ranks 0",
            "y --ranks=x",
            "y --rank-timeout 0",
            "y --rank-timeout=nan",
            "y --mpirun",
        ] {
            assert!(of(line).is_err(), "{line}");
        }
    }
}
