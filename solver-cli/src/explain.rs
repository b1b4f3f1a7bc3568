//! Why a program has no answer set: `--explain`.
//!
//! Main type: [`Explainer`]. The program is solved anew, by one searcher, under the values of its external
//! atoms and what was assumed, until none of these can be left out.

use std::error::Error;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use library::{Cancel, Control, Literal, Options, Question, Symmetry};
use solver_host::program::ProgramBuilder;

use super::validated::Request;

/// How often it is asked whether it is time to stop.
const ASKED: Duration = Duration::from_millis(20);

/// What the program is made of, and what is assumed.
pub struct Explainer {
    builder: ProgramBuilder,
    assumptions: Vec<(String, bool)>,
    options: Options,
}

impl Explainer {
    /// Of a program that was read.
    pub fn new(builder: ProgramBuilder, request: &Request) -> Explainer {
        let options = Options { symmetry: Symmetry::No, ..request.options };
        Explainer { builder, assumptions: request.assumptions.clone(), options }
    }

    /// Literals that exclude each other, and of which none can be left out. `None` if the search was stopped.
    ///
    /// # Errors
    /// If the search fails.
    pub fn explain(
        self,
        is_stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<Vec<String>>, Box<dyn Error>> {
        let mut control = Control::of(self.builder, self.options);
        let assumed: Vec<Literal> = self
            .assumptions
            .iter()
            .filter_map(|(name, holds)| {
                let literal = control.literal(name)?;
                Some(if *holds { literal } else { !literal })
            })
            .collect();
        let cancel = Cancel::new();
        let question = Question::new().assume(assumed).cancelled_by(&cancel);
        let found = thread::scope(|scope| {
            let (ended, ends) = mpsc::channel::<()>();
            let (control, question) = (&mut control, &question);
            let searching = scope.spawn(move || {
                let _ended = ended;
                control.explain(question)
            });
            while ends.recv_timeout(ASKED) == Err(RecvTimeoutError::Timeout) {
                if is_stopped() {
                    cancel.cancel();
                }
            }
            searching.join()
        });
        let Some(found) = found.map_err(|_| "internal error: the search for an explanation has failed")??
        else {
            return Ok(None);
        };
        let named = |&literal: &Literal| {
            let name = control.name(literal).unwrap_or("an external atom that is not shown");
            if literal.is_positive() {
                name.to_string()
            } else {
                format!("not {name}")
            }
        };
        Ok(Some(found.iter().map(named).collect()))
    }
}
