//! The check of a proof by another process, `yasmin-check`: `--check=all` with `--proof`.
//!
//! Main type: [`ProofCheck`].

use std::error::Error;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;
use solver_host::output::{Proved, Trouble};
use solver_host::search::Check;

use super::exit::Known;
use super::validated::Request;

/// The command.
const CHECKER: &str = "yasmin-check";

/// How often a check is asked whether it has ended.
const ASKED: Duration = Duration::from_millis(5);

/// A check that is due once the search is over.
pub struct ProofCheck {
    checker: PathBuf,
    /// Where the grounder's program is kept, if it is.
    kept: Option<PathBuf>,
    /// The input, if it is one file.
    file: Option<PathBuf>,
    proof: PathBuf,
}

impl ProofCheck {
    /// The check that a request asks for, if it asks for one.
    ///
    /// # Errors
    /// If the proof goes to standard output, or there is no checker.
    pub fn of(request: &Request) -> Result<Option<ProofCheck>, String> {
        let Some(proof) = request.proof.as_ref().filter(|_| request.options.check == Check::All) else {
            return Ok(None);
        };
        if proof.path.as_os_str() == "-" {
            return Err("--check=all has the proof read once more: give --proof a file".into());
        }
        let checker = find().map_err(|error| {
            format!("--check=all with --proof runs {CHECKER}, and that fails: {error}; put it beside yasmin, or say --check=auto")
        })?;
        let file = match &request.files[..] {
            [file] if file.as_os_str() != "-" => Some(file.clone()),
            _ => None,
        };
        let (kept, proof) = (request.grounding.keep.clone(), proof.path.clone());
        Ok(Some(ProofCheck { checker, kept, file, proof }))
    }

    /// The ground program, for the checker to read. `is_ground` says whether the input is ground.
    ///
    /// # Errors
    /// If it is in no file.
    pub fn ground(&self, is_ground: bool) -> Result<&Path, Known> {
        let (of, remedy) = match is_ground {
            true => (&self.file, "give it as one file"),
            false => (&self.kept, "say --keep-ground FILE"),
        };
        of.as_deref().ok_or_else(|| {
            let what = format!("--check=all with --proof has the ground program read once more: {remedy}");
            Known(Trouble::Usage, what)
        })
    }

    /// Checks the proof, which has a conclusion. `None` if `is_stopped` says so meanwhile.
    ///
    /// # Errors
    /// [`Trouble::Doubt`] if the proof is not accepted; else if the checker cannot be run, or cannot read a
    /// file.
    pub fn run(
        &self,
        ground: &Path,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Option<Proved>, Box<dyn Error>> {
        let mut command = Command::new(&self.checker);
        command.args([ground, &self.proof, Path::new("--json")]);
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let failed = |error: io::Error| {
            Known(Trouble::System, format!("cannot run {}: {error}", self.checker.display()))
        };
        let Some(told) = watched(child.map_err(failed)?, is_stopped).map_err(failed)? else {
            return Ok(None);
        };
        let told: Value = serde_json::from_slice(&told).map_err(|error| {
            Known(Trouble::System, format!("{} says no JSON: {error}", self.checker.display()))
        })?;
        let text = |name: &str| told[name].as_str().unwrap_or_default().to_string();
        match told["Verdict"].as_str() {
            Some("accepted") => {
                let seconds = told["Seconds"].as_f64().unwrap_or_default();
                Ok(Some(Proved { proved: text("Proved"), seconds }))
            }
            Some("error") => Err(Known(Trouble::System, format!("{CHECKER}: {}", text("Reason"))).into()),
            Some("refused") => Err(Known::doubt(&format!("the proof is refused: {}", text("Reason"))).into()),
            _ => Err(Known::doubt("the proof has no conclusion").into()),
        }
    }
}

/// The checker: beside this command, or where the shell finds it.
fn find() -> io::Result<PathBuf> {
    let beside =
        std::env::current_exe().ok().map(|own| own.with_file_name(CHECKER)).filter(|path| path.is_file());
    let checker = beside.unwrap_or_else(|| CHECKER.into());
    let ended =
        Command::new(&checker).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    match ended.success() {
        true => Ok(checker),
        false => Err(io::Error::other(format!("{} --version: {ended}", checker.display()))),
    }
}

/// What a process prints. `None` if `is_stopped` says so before the process has ended, which is then ended.
fn watched(mut child: Child, is_stopped: &dyn Fn() -> bool) -> io::Result<Option<Vec<u8>>> {
    let mut output = child.stdout.take().ok_or_else(|| io::Error::other("it has no output"))?;
    thread::scope(|scope| {
        let reader = thread::Builder::new().name("proof check".into()).spawn_scoped(scope, move || {
            let mut bytes = Vec::new();
            output.read_to_end(&mut bytes).map(|_| bytes)
        })?;
        while child.try_wait()?.is_none() {
            if is_stopped() {
                child.kill()?;
                child.wait()?;
                return Ok(None);
            }
            thread::sleep(ASKED);
        }
        reader
            .join()
            .unwrap_or_else(|_| Err(io::Error::other("the thread that reads its output has ended")))
            .map(Some)
    })
}
