//! Programs of several steps: each step is solved as soon as it is read, by a call of the solver of its own.
//!
//! Main function: [`solve_steps`]. The program grows as that of the library does, so that what was learned
//! stays.

use std::error::Error;

use library::{Control, Literal, Question};
use solver_host::input::ground::{Later, Told};
use solver_host::input::Step;
use solver_host::output::{Ending as End, Stop, Trouble};
use solver_host::program::ProgramBuilder;

use super::exit::Known;
use super::run::{search_once, Shared};
use super::validated::Request;
use super::Ending;

/// Solves one step after the other, until there is no further one.
///
/// # Errors
/// If a step cannot be read or prepared.
pub fn solve_steps(
    (first, mut step): (ProgramBuilder, Step),
    mut later: Later,
    request: &Request,
    shared: &Shared,
) -> Result<Ending, Box<dyn Error>> {
    let mut control = Control::of(first, request.options);
    control.modify_domain(request.domain);
    refuse_theories(&control)?;
    let outcome = loop {
        shared.session().read();
        let assumed = step.assumptions.iter().map(|&lit| Literal::from(lit));
        let mut question = Question::new().assume(assumed).goal(request.goal.clone());
        question = question.limit(request.limit(control.minimizes()));
        if request.records_domain {
            question = question.record_domain();
        }
        let asked = control.ask(&question)?;
        shared.searches();
        let outcome = search_once(control.solver_of(&asked)?, request, shared);
        let found = shared.session().models();
        shared.session().end_call(&outcome);
        let is_cut =
            matches!(outcome.ending, End::Failed(_) | End::Stopped(Stop::Interrupted | Stop::TimeLimit));
        if is_cut || shared.session().is_over() {
            break outcome;
        }
        shared.reads();
        let is_exhausted = outcome.ending.is_all_searched();
        let satisfiable = if found > 0 { Some(true) } else { is_exhausted.then_some(false) };
        later.tell(Told { satisfiable, is_exhausted });
        step = match control.read_step(|program| later.next(program))? {
            Some(next) => next,
            None => break outcome,
        };
        refuse_theories(&control)?;
        shared.session().next_call();
    };
    let ending = shared.session().finish(outcome);
    Ok(shared.over(ending))
}

/// Refuses a program with theory atoms.
fn refuse_theories(control: &Control) -> Result<(), Known> {
    let Some(atom) = control.first_theory_atom() else { return Ok(()) };
    let what = format!("a program of several steps has no theories here: leave `{atom}` out");
    Err(Known(Trouble::Usage, what))
}
