//! Reads programs that may have to be grounded first, by a grounder that runs as a process of its own.
//!
//! Main function: [`read_inputs`]. The grounder's output is read while the grounder writes it. The grounder
//! opens files itself if they can be opened again; standard input and pipes are passed on to it. Programs with
//! scripts get a prelude that guards the scripts (`prelude`).
//!
//! Invariant: however reading fails, no thread waits for the grounder, the grounder does not run any more, and
//! no half of a kept program is left. [`Guard::stop`] ensures that from another thread. A grounder that lingers
//! after a whole program may run until [`Guard::conclude`] or [`Guard::stop`].

mod error;
mod grounder;
mod guard;
mod keep;
mod output;
mod prelude;
mod rest;
mod said;
mod scripts;
mod source;
mod steps;

use grounder::Grounder;
use guard::Counted;
pub use guard::{Guard, Reading};
use keep::Kept;
use output::{Output, Running, Written};
use prelude::{Prelude, Said};
use rest::Rest;
use scripts::Scripts;

use std::fs::File;
use std::io::{self, Cursor, Read as _, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::Duration;

use super::format::{self, InputFormat};
use super::lexer::Lexer;
use super::{aspif, InputError};
use crate::program::{Formula, Program, ProgramBuilder};
use crate::text;
pub use error::ReadError;
use source::{display_name, Source};
pub use steps::{Later, Read, Told};

/// How to ground a program that is not ground.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grounding {
    /// The grounder: a name, a path, or a command with arguments, as a shell splits them. If none is named, the
    /// grounder is `gringo` or `clingo`, the first that is on the path, else a Python that has clingo's package. A
    /// grounder with `clingo` in its name and without arguments is asked to ground only.
    pub grounder: Option<String>,
    /// Values of constants, each as `name=term`.
    pub constants: Vec<String>,
    /// Where to keep the ground program.
    pub keep: Option<PathBuf>,
    /// Whether difference constraints, `&diff`, are defined for a program that has some and does not define
    /// them.
    pub differences: bool,
    /// Further arguments for the grounder.
    pub arguments: Vec<String>,
}

/// An input that is not ground, as it was opened.
enum Opened {
    /// A file, which the grounder opens itself.
    File(PathBuf),
    /// A stream that can be read only once, by name, with the bytes that were read from it.
    Stream(String, Box<dyn io::Read + Send>),
}

/// How long reading waits for the end of a grounder that has written a whole program.
const PATIENCE: Duration = Duration::from_millis(100);

/// Reads what was opened: one ground program, or several sources that are grounded together. A grounder that lingers
/// after having written a whole program may still run: [`Guard::conclude`] waits for the grounder's end.
///
/// # Errors
/// If a file cannot be read, the grounder fails or there is none, or the ground program is not one that can
/// be solved.
pub fn read_inputs(inputs: Inputs, grounding: &Grounding, guard: &Guard) -> Result<Program, ReadError> {
    let first = inputs.first.clone();
    Ok(super::built(&first, read_builder(inputs, grounding, guard)?)?)
}

/// The same, for a program that is going to grow.
///
/// # Errors
/// As [`read_inputs`].
pub fn read_builder(
    inputs: Inputs,
    grounding: &Grounding,
    guard: &Guard,
) -> Result<ProgramBuilder, ReadError> {
    match read_steps(inputs, grounding, guard, None)? {
        Read::Whole(program) => Ok(program),
        Read::Step(_, later) => {
            guard.lock().end();
            Err(later.refused())
        }
    }
}

/// The same as [`read_builder`], for a program that may have several steps if there is some patience. Of one
/// that comes from standard input, the second step, or the end of the input, is waited for so long; then the
/// first is one of several.
///
/// # Errors
/// As [`read_inputs`].
pub fn read_steps(
    inputs: Inputs,
    grounding: &Grounding,
    guard: &Guard,
    patience: Option<Duration>,
) -> Result<Read, ReadError> {
    let Inputs { first, ground, formula, sources, are_soft } = inputs;
    let Some((name, stream)) = ground else {
        return read_grounded(&first, sources, grounding, guard);
    };
    if !sources.is_empty() {
        return Err(not_all_ground(&name).into());
    }
    for (is_given, option) in [
        (!grounding.constants.is_empty(), "--const"),
        (grounding.keep.is_some(), "--keep-ground"),
        (!grounding.arguments.is_empty(), "an option for the grounder"),
    ] {
        if is_given {
            return Err(ReadError::AlreadyGround { file: name, option });
        }
    }
    let is_standard_input = name == display_name(Path::new("-"));
    let mut lexer = Lexer::new(name, Counted { stream: Output::Given(stream), guard: guard.clone() });
    let (program, step) = super::begin_from(&mut lexer, formula, are_soft)?;
    match step {
        None => Ok(Read::Whole(program)),
        Some(step) => Ok(steps::given(lexer, program, step, (patience, is_standard_input))?),
    }
}

fn not_all_ground(ground: &str) -> InputError {
    let what = "this program is ground, and another is not";
    InputError::new(ground, None, what, "ground the sources together: `gringo FILE FILE | yasmin`")
}

/// What is to be read, told apart by its beginning.
pub struct Inputs {
    /// The name of the first input.
    first: String,
    /// The ground program, if one of the inputs is ground.
    ground: Option<(String, Box<dyn io::Read + Send>)>,
    /// What the ground program is, if it is a formula.
    formula: Option<Formula>,
    /// Whether each disjunction of a formula without weights is soft.
    are_soft: bool,
    /// All other inputs.
    sources: Vec<Opened>,
}

impl Inputs {
    /// What the input is, if it is a formula.
    pub fn formula(&self) -> Option<Formula> {
        self.formula
    }

    /// No inputs yet, of which the first has this name.
    fn none(first: String) -> Inputs {
        Inputs { first, ground: None, formula: None, are_soft: false, sources: Vec::new() }
    }

    /// The same formula, in which each disjunction is soft and weighs 1 if the formula has no weights.
    ///
    /// # Errors
    /// If the input is no formula in DIMACS.
    pub fn with_soft_disjunctions(self) -> Result<Inputs, InputError> {
        match self.formula {
            Some(Formula::Clauses) => Ok(Inputs { are_soft: true, ..self }),
            _ => {
                let remedy = "leave --parse-maxsat out";
                Err(InputError::new(&self.first, None, "this is no formula in DIMACS CNF or WCNF", remedy))
            }
        }
    }

    /// Whether one of the inputs is ground.
    pub fn is_ground(&self) -> bool {
        self.ground.is_some()
    }

    /// Reads the program, which has to be ground.
    ///
    /// # Errors
    /// If it is not, or not one that can be solved.
    pub fn read_ground(self) -> Result<Program, InputError> {
        match self.ground {
            Some((name, _)) if !self.sources.is_empty() => Err(not_all_ground(&name)),
            Some((name, stream)) => {
                let lexer = Lexer::new(&name, stream);
                super::built(&name, super::read_from(lexer, self.formula, self.are_soft)?)
            }
            None => {
                Err(InputError::new(&self.first, None, "this is no ground program", super::error::GROUND))
            }
        }
    }

    /// Reads the beginning of each file. No file, or `-`, stands for standard input.
    ///
    /// # Errors
    /// If a file cannot be read, or is no text, or two of them are ground.
    pub fn open(files: &[PathBuf]) -> Result<Inputs, ReadError> {
        let standard_input = [PathBuf::from("-")];
        let files = if files.is_empty() { &standard_input } else { files };
        let first = display_name(&files[0]);
        let mut inputs = Inputs::none(first);
        for file in files {
            let name = display_name(file);
            let (stream, is_regular) = open(file).map_err(|error| InputError::unreadable(&name, &error))?;
            inputs.add(name, stream, is_regular.then_some(file))?;
        }
        Ok(inputs)
    }

    /// What standard input would be if that were `stream`.
    ///
    /// # Errors
    /// If the stream cannot be read, or is no text.
    pub fn of_stream(stream: impl io::Read + Send + 'static) -> Result<Inputs, ReadError> {
        let name = display_name(Path::new("-"));
        let mut inputs = Inputs::none(name.clone());
        inputs.add(name, Box::new(stream), None)?;
        Ok(inputs)
    }

    /// Reads the beginning of one input, which is that file or can be read once.
    fn add(
        &mut self,
        name: String,
        mut stream: Box<dyn io::Read + Send>,
        file: Option<&PathBuf>,
    ) -> Result<(), ReadError> {
        let begun = format::begin(&mut stream);
        let (format, bytes) = begun.map_err(|error| InputError::unreadable(&name, &error))?;
        let stream: Box<dyn io::Read + Send> = Box::new(Cursor::new(bytes).chain(stream));
        match (format, file) {
            (InputFormat::Binary, _) => {
                let what = "this is neither a logic program nor a ground one";
                return Err(InputError::new(&name, None, what, "").into());
            }
            (InputFormat::ByteOrderMark, _) => {
                let what = "the file begins with a byte order mark, which no grounder reads";
                let remedy = r"save the file as UTF-8 without the mark: `sed -i '1s/^\xEF\xBB\xBF//' FILE`";
                return Err(InputError::new(&name, Some(1), what, remedy).into());
            }
            (InputFormat::Ground | InputFormat::Dimacs | InputFormat::PseudoBoolean, _) => {
                if self.ground.is_some() {
                    return Err(two_ground(&name).into());
                }
                self.formula = format.formula();
                self.ground = Some((name, stream));
            }
            (_, Some(file)) => self.sources.push(Opened::File(file.clone())),
            (_, None) => self.sources.push(Opened::Stream(name, stream)),
        }
        Ok(())
    }
}

/// Runs the grounder on the programs in `files`, with its output as ours: for output that is not to be solved.
///
/// # Errors
/// If a file cannot be read or is ground already, the grounder fails or there is none.
pub fn pass_through(files: &[PathBuf], grounding: &Grounding, guard: &Guard) -> Result<(), ReadError> {
    let Inputs { first, ground, sources, .. } = Inputs::open(files)?;
    if let Some((name, _)) = ground {
        let remedy = "leave out --text, --output and --mode=gringo, or name a logic program";
        return Err(InputError::new(&name, None, "this program is ground already", remedy).into());
    }
    let Started { name, remedy, .. } =
        start(&first, sources, grounding, guard, Use::Print).inspect_err(|_| guard.lock().end())?;
    let status = guard.wait()?;
    match status.success() {
        true => Ok(()),
        false => Err(guard.failed(name, status, remedy)),
    }
}

fn two_ground(second: &str) -> InputError {
    let what = "a second ground program: each numbers its atoms for itself";
    InputError::new(second, None, what, "ground the sources together: `gringo FILE FILE | yasmin`")
}

/// Opens a file. Returns the stream, and whether the file can be opened once more.
fn open(file: &Path) -> io::Result<(Box<dyn io::Read + Send>, bool)> {
    if file == Path::new("-") {
        return Ok((Box::new(io::stdin()), false));
    }
    if file == Path::new("") {
        let what = "the name is empty; name a file, or `-` for standard input";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    }
    let opened = File::open(file)?;
    let about = opened.metadata()?;
    match about.is_dir() {
        true => Err(io::ErrorKind::IsADirectory.into()),
        false => Ok((Box::new(opened), about.is_file())),
    }
}

/// Grounds the sources and reads the ground program.
fn read_grounded(
    first: &str,
    sources: Vec<Opened>,
    grounding: &Grounding,
    guard: &Guard,
) -> Result<Read, ReadError> {
    let kept = grounding.keep.as_deref().map(|path| Kept::create(path, guard)).transpose()?;
    let Started { name, stdout, said, remedy } =
        start(first, sources, grounding, guard, Use::Solve).inspect_err(|_| guard.lock().end())?;
    let stdout = stdout.expect("is piped");
    let written = Written { stdout, kept, failure: None, is_empty: true, has_ended: false };
    let stream = Counted { stream: Output::Written(written), guard: guard.clone() };
    let mut lexer = Lexer::shared(format!("output of {name}"), stream);
    let keep = grounding.keep.clone().unwrap_or_default();
    let mut grounder = Running { name, said, remedy, keep, guard: guard.clone() };
    let (mut program, step) = match super::begin_from(&mut lexer, None, false) {
        Ok(begun) => begun,
        Err(error) => return Err(grounder.concludes(&mut lexer, Err(error), false).expect_err("has failed")),
    };
    // Whether there are more steps, and whether what is kept is whole, is known at the end.
    match step {
        Some(step) => match lexer.first() {
            Ok(Some(_)) => {
                let later = Later::of_grounder(lexer, grounder)?;
                Ok(Read::Step((program, step), Box::new(later)))
            }
            read => {
                let read = read.and_then(|_| aspif::assume(&lexer, &mut program, &step));
                grounder.concludes(&mut lexer, read, true).map(|()| Read::Whole(program))
            }
        },
        None => match lexer.into_stream().stream {
            Output::Written(Written { stdout, kept: None, .. }) => {
                let rest = Rest::of(&grounder.name, stdout).inspect_err(|_| guard.lock().end())?;
                guard.lock().rest = Some(rest);
                guard.conclude(Some(PATIENCE))?;
                Ok(Read::Whole(program))
            }
            mut output => grounder.conclude(&mut output, Ok(()), false).map(|()| Read::Whole(program)),
        },
    }
}

/// What the ground program is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// The program is read from a pipe.
    Solve,
    /// The program goes to standard output.
    Print,
}

/// What to say if a grounder other than clingo fails, and the program has scripts.
const GRINGO_AND_SCRIPTS: &str = "; gringo does not let scripts look at atoms, and clingo does: \
    `python3 -m pip install clingo`, which yasmin takes by itself";

/// A grounder that was started.
struct Started {
    name: String,
    stdout: Option<ChildStdout>,
    said: Said,
    /// What an error says if the grounder fails.
    remedy: &'static str,
}

/// Starts the grounder. If that fails, the guard has to end what was started.
fn start(
    first: &str,
    sources: Vec<Opened>,
    grounding: &Grounding,
    guard: &Guard,
    purpose: Use,
) -> Result<Started, ReadError> {
    let mut grounder = grounder::find(grounding.grounder.as_deref(), first)?;
    let sources = sources.into_iter().map(settled).collect::<Result<Vec<_>, _>>()?;
    let scripts = Scripts::find(&sources, grounder.arguments());
    if grounding.grounder.is_none() && scripts.are_there() {
        grounder = grounder::for_scripts().unwrap_or(grounder);
    }
    let remedy = if scripts.are_there() && !grounder.is_clingo() { GRINGO_AND_SCRIPTS } else { "" };
    let lacks_differences = grounding.differences && scripts.lacks_differences();
    let (mut prelude, said) = Prelude::new(scripts, purpose == Use::Solve, &grounder, guard)?;
    if lacks_differences {
        prelude.define_differences(&grounder)?;
    }
    let mut command = command(&grounder, &prelude, &sources, grounding);
    command.stdout(if purpose == Use::Solve { Stdio::piped() } else { Stdio::inherit() });
    let (stdout, stdin) = guard.start(&mut command, &grounder.name)?;
    if let Some(stdin) = stdin {
        feed(stdin, sources);
    }
    Ok(Started { name: grounder.name, stdout, said, remedy })
}

/// Reads a stream to its end: scripts are looked for before the grounder starts.
fn settled(opened: Opened) -> Result<Source, InputError> {
    match opened {
        Opened::File(path) => Ok(Source::File(path)),
        Opened::Stream(name, mut stream) => {
            let mut text = Vec::new();
            match stream.read_to_end(&mut text) {
                Ok(_) => Ok(Source::Text(text)),
                Err(error) => Err(InputError::unreadable(&name, &error)),
            }
        }
    }
}

/// The grounder's command for these sources, without its standard output.
fn command(grounder: &Grounder, prelude: &Prelude, sources: &[Source], grounding: &Grounding) -> Command {
    let [before, after] = prelude.files();
    let mut command = grounder.command();
    command.args(grounding.constants.iter().map(|constant| text::to_os(&format!("--const={constant}"))));
    command.args(&grounding.arguments).args(before);
    prelude.pass_to(&mut command);
    let mut stdin = Stdio::null();
    for source in sources {
        match source {
            // A path that begins with `-` must not be taken for an option.
            Source::File(path) if path.as_os_str().as_bytes().starts_with(b"-") => {
                command.arg(Path::new(".").join(path))
            }
            Source::File(path) => command.arg(path),
            Source::Text(_) => {
                stdin = Stdio::piped();
                continue;
            }
        };
    }
    if sources.iter().any(|source| matches!(source, Source::Text(_))) {
        command.arg("-");
    }
    command.args(after).stdin(stdin).stderr(Stdio::piped());
    command
}

/// Passes the texts on to the grounder, from a thread of its own, as the grounder may write before it has
/// read everything.
fn feed(mut stdin: ChildStdin, sources: Vec<Source>) {
    let feed = move || -> io::Result<()> {
        let texts = sources.into_iter().filter_map(|source| match source {
            Source::Text(text) => Some(text),
            Source::File(_) => None,
        });
        for (n, text) in texts.enumerate() {
            if n > 0 {
                // Each source begins anew, as files do.
                stdin.write_all(b"\n#program base.\n")?;
            }
            stdin.write_all(&text)?;
        }
        Ok(())
    };
    // No thread waits for this one: the grounder may end without having read everything.
    let _ = thread::Builder::new().name("feed".into()).spawn(feed);
}

#[cfg(test)]
mod tests;
