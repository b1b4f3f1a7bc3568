//! What a run does: it reads and prepares, and searches or does what else is asked for.
//!
//! Main function: [`work`].

use std::error::Error;
use std::panic::{catch_unwind, AssertUnwindSafe};

use solver_host::device::DeviceKind;
use solver_host::input::ground::Inputs;
use solver_host::output::{Failure, Trouble};

use super::asker::answer_all;
use super::engine::{in_use, open_files, prepare, print_grounded, print_simplified, read, Files, Found};
use super::exit::{self, Known};
use super::facets::tell_facets;
use super::questions::Asked;
use super::run::{search, Shared};
use super::session::Outcome;
use super::steps::solve_steps;
use super::validated::{Request, Task};
use super::Ending;

/// The worker: opens, reads, prepares, searches.
pub fn work(
    request: &Request,
    open: impl FnOnce() -> Result<Inputs, Box<dyn Error>>,
    shared: &Shared,
) -> Ending {
    // A panic is a bug of ours and has been reported on standard error; the document is still closed.
    let failure = match catch_unwind(AssertUnwindSafe(|| open_and_work(request, open, shared))) {
        Ok(Ok(ending)) => return ending,
        Ok(Err(error)) => exit::failure(error.as_ref()),
        Err(_) => Failure::new(Trouble::Doubt, "internal error"),
    };
    shared.session().finish(Outcome::failed(failure))
}

fn open_and_work(
    request: &Request,
    open: impl FnOnce() -> Result<Inputs, Box<dyn Error>>,
    shared: &Shared,
) -> Result<Ending, Box<dyn Error>> {
    let printed = |()| Ending::Done { code: 0, error: None, leaves_worker: false };
    if request.task == Task::Ground {
        return print_grounded(request, &shared.guard).map(printed);
    }
    // How the first lines are printed depends on the beginning of the input.
    let inputs = open()?;
    let check = shared.around.proof_check.as_ref();
    let Files { trace, proof, lemmas } = open_files(request, check)?;
    if let (Some(_), Some(_)) = (&request.lemmas, inputs.formula()) {
        let what = "--lemma-out is for logic programs, and the input is a formula: leave the option out";
        return Err(Known(Trouble::Usage, what.into()).into());
    }
    if let (Some(proof), Some(_)) = (&request.proof, inputs.formula()) {
        let what = "a formula in DIMACS, WCNF or OPB cannot be proved: write it as a program";
        return Err(Known(Trouble::Usage, format!("{}: {what}", proof.option())).into());
    }
    shared.session().begin(inputs.formula());
    // Finding a GPU takes some time, so that it is done here only for those who are told.
    if request.style.verbosity >= 2 {
        let device = in_use(request)?;
        shared.session().device(&device.name);
        if let Some(why) = device.no_gpu {
            shared.warn(&format!("--device auto: {why}; the search runs on the processor"));
        }
    }
    if request.asks_many() {
        let company = shared.around.company.as_deref().filter(|_| request.task == Task::Answer);
        if company.is_some() {
            shared.guard.copy();
        }
        let asked = Asked::read(inputs, request, &shared.guard)?;
        let elsewhere = company.map_or(Ok(Vec::new()), |company| company.asks(&shared.guard.copied()))?;
        shared.searches();
        let is_stopped = || shared.stopped().is_some();
        return match request.task {
            Task::Facets(counts) => tell_facets(asked, counts, request, &is_stopped),
            _ => answer_all(asked, request, (shared, elsewhere)),
        };
    }
    if check.is_some() {
        shared.guard.copy();
    }
    let (program, explainer) = match read(inputs, request, &shared.guard)? {
        Found::Whole(whole) => *whole,
        Found::Step(_, later) if shared.around.company.is_some() => return Err(later.refused().into()),
        Found::Step(first, later) => return solve_steps(*first, *later, request, shared),
    };
    if request.task == Task::Simplify {
        return print_simplified(program, request).map(printed);
    }
    if program.minimizes_variable() && request.options.device == DeviceKind::Auto {
        // Whoever has a GPU may wonder why it does nothing.
        if in_use(request)?.no_gpu.is_none() {
            shared.warn(
                "--device auto: an integer variable is minimized on the processor, and no GPU takes part",
            );
        }
    }
    shared.session().read();
    let company = shared.around.company.as_deref();
    company.map_or(Ok(()), |company| company.read(&program))?;
    check.map_or(Ok(()), |check| check.begin(&shared.guard.copied()))?;
    let mut engine = prepare(program, request, trace, proof)?;
    company.map_or(Ok(()), |company| company.prepared(&mut engine))?;
    shared.searches();
    Ok(search(engine, request, (explainer, lemmas), shared))
}
