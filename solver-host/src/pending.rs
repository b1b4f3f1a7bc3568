//! Stands in for the library's search until it lands: the same names, and a solver that says that it is none.
#![allow(missing_docs, dead_code)]

use crate::program::Program;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DeviceKind {
    Auto,
    Gpu,
    Cpu,
    Simt,
}
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Learning {
    Forward,
    Resolution,
}
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Heuristic {
    Occurrences,
    Positive,
    Negative,
    JeroslowWang,
    Activity,
}
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Restarts {
    None,
    Luby(u32),
    Geometric(u32, f64),
}
#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub models: u64,
    pub learning: Learning,
    pub heuristic: Heuristic,
    pub conflicts: u32,
    pub restarts: Restarts,
    pub threads_per_block: u32,
    pub seed: u64,
    pub device: DeviceKind,
    pub simplify: bool,
}
pub enum Step {
    Answer(AnswerSet),
    Exhausted,
    Interrupted,
}
pub struct AnswerSet;
impl AnswerSet {
    pub fn shown<'a>(&self, _program: &'a Program) -> Vec<&'a str> {
        Vec::new()
    }
}
#[derive(Debug, thiserror::Error)]
#[error("the search is not there yet")]
pub struct SolveError;
#[derive(serde::Serialize)]
pub struct Statistics {}
pub struct Solver;
impl Solver {
    pub fn new(_program: Program, _options: Options) -> Result<Solver, SolveError> {
        Err(SolveError)
    }
    pub fn next_answer(&mut self, _interrupt: &dyn Fn() -> bool) -> Result<Step, SolveError> {
        Err(SolveError)
    }
    pub fn program(&self) -> &Program {
        unreachable!("no solver is ever made")
    }
    pub fn statistics(&self) -> &Statistics {
        &Statistics {}
    }
}
pub mod input {
    use super::*;
    pub fn read_files(_files: &[std::path::PathBuf]) -> Result<Program, SolveError> {
        Err(SolveError)
    }
}
