//! What the command needs of a solver, so that the tests of the command can do without one.

use std::error::Error;

use serde_json::{Map, Value};

use super::validated::Request;
use solver_host::input;
use solver_host::search::{Solver, Step};

/// What [`Engine::next`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// An answer set; it was handed to `show`.
    Answer,
    /// There is no further one.
    Exhausted,
    /// `interrupt` said so.
    Interrupted,
}

/// A search for the answer sets of one program.
pub trait Engine {
    /// Looks for the next answer set, hands the names of its atoms to `show`, and stops soon after `interrupt` holds.
    fn next(
        &mut self,
        interrupt: &dyn Fn() -> bool,
        show: &mut dyn FnMut(&[&str]),
    ) -> Result<Next, Box<dyn Error>>;

    /// The statistics so far, by name.
    fn statistics(&self) -> Map<String, Value>;
}

impl Engine for Solver {
    fn next(
        &mut self,
        interrupt: &dyn Fn() -> bool,
        show: &mut dyn FnMut(&[&str]),
    ) -> Result<Next, Box<dyn Error>> {
        Ok(match self.next_answer(interrupt)? {
            Step::Answer(answer) => {
                show(&answer.shown(self.program()));
                Next::Answer
            }
            Step::Exhausted => Next::Exhausted,
            Step::Interrupted => Next::Interrupted,
        })
    }

    fn statistics(&self) -> Map<String, Value> {
        match serde_json::to_value(self.statistics()) {
            Ok(Value::Object(values)) => values,
            _ => Map::new(),
        }
    }
}

/// Reads the program that is asked for and prepares the search.
pub fn prepare(request: &Request) -> Result<Solver, Box<dyn Error>> {
    let program = input::read_files(&request.files)?;
    Ok(Solver::new(program, request.options)?)
}
