//! The options of a control, as the command `yasmin` reads them: [`Options`].

use crate::failure::refused;
use pyo3::prelude::*;
use std::ffi::OsString;
use std::sync::{Mutex, PoisonError};
use yasmin::ParallelMode;
use yasmin_cli::validated::Request;
use yasmin_cli::{ControlOptions, Reader};

/// What a command reads and prints, besides its control: its files, its format as a number, which answer sets
/// are printed as a number, and how many seconds it may take.
type OfCommand = (Vec<String>, u8, u8, Option<f64>);

/// The options of a control, which can be changed between two searches. Names are those of clingo's
/// configuration, and `of` is the part of it: `asp`, `solve` or `solver`, or empty.
#[pyclass(frozen)]
pub struct Options(Mutex<ControlOptions>);

impl Options {
    /// What the options mean at present.
    pub fn request(&self) -> Request {
        self.now().request().clone()
    }

    fn now(&self) -> ControlOptions {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[pymethods]
impl Options {
    /// Reads arguments: those of a control, or with `is_command` those of the command `python3 -m yasmin`.
    #[new]
    fn new(arguments: Vec<OsString>, is_command: bool) -> PyResult<Options> {
        let reader = if is_command { Reader::Command } else { Reader::Control };
        Ok(Options(Mutex::new(ControlOptions::read(arguments, reader).map_err(refused)?)))
    }

    /// What to tell of options that are ignored, a line each.
    fn notes(&self) -> Vec<String> {
        self.request().notes
    }

    /// The arguments of the grounder.
    fn grounding(&self) -> Vec<String> {
        let grounding = self.request().grounding;
        let constants = grounding.constants.into_iter().map(|constant| format!("--const={constant}"));
        constants.chain(grounding.arguments).collect()
    }

    /// How many searchers there are on the processor; 1 if that was not said.
    fn threads(&self) -> usize {
        match self.request().options.parallel_mode {
            ParallelMode::Searchers(searchers) => searchers,
            _ => 1,
        }
    }

    /// What the command reads and prints.
    fn of_command(&self) -> OfCommand {
        let now = self.now();
        let Request { files, time_limit, .. } = now.request();
        let files = files.iter().map(|file| file.to_string_lossy().into_owned()).collect();
        (files, now.outf(), now.quiet(), time_limit.map(|limit| limit.as_secs_f64()))
    }

    /// The names of a part; `None` if there is no such part.
    #[staticmethod]
    fn keys(of: &str) -> Option<Vec<String>> {
        ControlOptions::keys(of)
    }

    /// What an option does; `None` if there is no such option.
    #[staticmethod]
    fn description(of: &str, name: &str) -> Option<String> {
        ControlOptions::description(of, name)
    }

    /// The value of an option as it is typed; `None` if it was not set and has none then.
    fn get(&self, of: &str, name: &str) -> Option<String> {
        self.now().get(of, name).flatten()
    }

    /// Sets an option; with `None` to what it is if nobody sets it. Returns what is to be told of it.
    fn set(&self, of: &str, name: &str, value: Option<&str>) -> PyResult<Vec<String>> {
        let mut now = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let new = now.with(of, name, value).map_err(refused)?;
        let mut notes = new.request().notes.clone();
        notes.retain(|note| !now.request().notes.contains(note));
        *now = new;
        Ok(notes)
    }
}
