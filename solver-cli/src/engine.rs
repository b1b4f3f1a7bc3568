//! What the command needs of a solver, so that the tests of the command can do without one.

use std::cell::OnceCell;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

use std::io::{BufWriter, Write};

use super::exit::Known;
use super::explain::Explainer;
use super::files::WholeFile;
use super::lemma_file::LemmaFile;
use super::proof_check::ProofCheck;
use super::proof_file;
use super::standard_output::StandardOutput;
use super::validated::{Request, Task};
use solver_host::device::{self, InUse};
use solver_host::input::ground::{self, pass_through, read_inputs, read_steps, Guard, Inputs, Later};
use solver_host::input::{self, InputError};
use solver_host::output::{Answer, Searchers, Trouble};
use solver_host::program::{DomainModification, Program, ProgramBuilder};
use solver_host::search::{
    self, AllSearched, Goal, Heuristic, Optimization, ProofSink, Solver, Statistics, Step,
};

/// What [`Engine::next`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// An answer set; it was handed to `show`.
    Answer,
    /// So many answer sets, none of which was handed out (see [`Engine::only_count`]).
    Counted(u64),
    /// There is no further one.
    Exhausted,
    /// `interrupt` said so.
    Interrupted,
}

/// Work done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Conflicts met.
    pub conflicts: u64,
    /// Decisions made.
    pub decisions: u64,
    /// Restarts made.
    pub restarts: u64,
}

/// A search for the answer sets of one program.
pub trait Engine {
    /// Looks for the next answer set, hands it to `show`, and stops soon after `interrupt` holds; it can go
    /// on then.
    fn next(
        &mut self,
        interrupt: &dyn Fn() -> bool,
        show: &mut dyn FnMut(&Answer),
    ) -> Result<Next, Box<dyn Error>>;

    /// Says how many answer sets are going to be asked for; 0: all.
    fn want(&mut self, _answers: u64) {}

    /// Says that nothing is going to be asked for besides what was said.
    fn asks_once(&mut self) {}

    /// Says that nobody looks at the answer sets, and only their number is wanted.
    fn only_count(&mut self) {}

    /// Bytes that showing an answer set may take.
    fn bytes_to_show(&self) -> usize {
        0
    }

    /// Ends a search by several searchers. Returns how many answer sets were counted since that was last
    /// said.
    fn stop_searchers(&mut self) -> u64 {
        0
    }

    /// How many searchers there were, and which of them ended the search, if there were several.
    fn searchers(&self) -> Option<Searchers> {
        None
    }

    /// What the user should know of the search, besides the results.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }

    /// What the user should know of the search once the search is over.
    fn late_warnings(&self) -> Vec<String> {
        Vec::new()
    }

    /// Ends the trace and the proof, if there are any. The proof concludes something if nothing is left to
    /// search.
    fn end_files(&mut self, _all: Option<AllSearched>) -> Result<(), Box<dyn Error>> {
        Ok(())
    }

    /// Writes what the search has learned. Afterwards nothing more can be searched for.
    fn write_lemmas(&mut self, _file: LemmaFile) -> Result<(), Box<dyn Error>> {
        Ok(())
    }

    /// Verifies the last answer set and what is claimed at the end, unless that was done or is not wanted.
    fn check_end(&mut self) -> Result<(), Box<dyn Error>>;

    /// Whether the program has minimize statements.
    fn minimizes(&self) -> bool;

    /// Whether the last answer set is known to be optimal.
    fn is_optimum_known(&self) -> bool;

    /// The statement that there is no further answer set, if that is known.
    fn all_searched(&self) -> Option<AllSearched>;

    /// What is proved of the optimum, priority by priority.
    fn lower_bound(&self) -> Vec<i128>;

    /// The work done so far.
    fn work(&self) -> Work;

    /// The statistics so far, by name.
    fn statistics(&self) -> Map<String, Value>;
}

impl Engine for Solver {
    fn next(
        &mut self,
        interrupt: &dyn Fn() -> bool,
        show: &mut dyn FnMut(&Answer),
    ) -> Result<Next, Box<dyn Error>> {
        Ok(match self.next_answer(interrupt)? {
            Step::Answer(answer) => {
                let minimized = answer.minimized(self.program());
                if !is_better(minimized, self.program())? {
                    // Another searcher has found a better one meanwhile.
                    return self.next(interrupt, show);
                }
                let values = OnceCell::new();
                show(&Answer {
                    atoms: &|| {
                        let mut names = answer.shown(self.program());
                        let values = values.get_or_init(|| answer.values(self.program()));
                        names.extend(values.iter().map(String::as_str));
                        names
                    },
                    costs: &match minimized {
                        Some(value) => vec![value.into()],
                        None => self.program().told_costs(&answer.costs),
                    },
                    consequences: answer.consequences,
                    is_optimal: answer.is_optimal,
                    is_next_at_hand: self.is_next_at_hand(),
                });
                Next::Answer
            }
            Step::Counted(more) => Next::Counted(more),
            Step::Exhausted => Next::Exhausted,
            Step::Interrupted => Next::Interrupted,
        })
    }

    fn want(&mut self, answers: u64) {
        Solver::want(self, answers);
    }

    fn asks_once(&mut self) {
        Solver::asks_once(self);
    }

    fn only_count(&mut self) {
        // Each answer set says how good the next has to be.
        if !self.program().minimizes_variable() {
            Solver::only_count(self);
        }
    }

    fn stop_searchers(&mut self) -> u64 {
        Solver::stop_searchers(self)
    }

    fn searchers(&self) -> Option<Searchers> {
        let swarm = Solver::statistics(self).swarm;
        let winner = swarm.winner.checked_sub(1);
        (swarm.searchers > 1).then_some(Searchers { searchers: swarm.searchers, winner })
    }

    fn warnings(&self) -> Vec<String> {
        Solver::warnings(self)
    }

    fn late_warnings(&self) -> Vec<String> {
        Solver::late_warnings(self)
    }

    fn bytes_to_show(&self) -> usize {
        // A reference in a growing array, and a copy of the name for what is printed last.
        const A_NAME: usize = 100;
        let names = self.program().outputs.iter().map(|output| &output.name);
        let variables = self.program().differences.iter().flat_map(|differences| &differences.names);
        names.chain(variables).map(|name| A_NAME + name.len()).sum()
    }

    fn end_files(&mut self, all: Option<AllSearched>) -> Result<(), Box<dyn Error>> {
        Solver::end_trace(self)?;
        Ok(Solver::end_proof(self, all)?)
    }

    fn write_lemmas(&mut self, file: LemmaFile) -> Result<(), Box<dyn Error>> {
        file.write(self)
    }

    fn check_end(&mut self) -> Result<(), Box<dyn Error>> {
        Ok(Solver::check_end(self)?)
    }

    fn minimizes(&self) -> bool {
        !self.program().minimize.is_empty() || self.program().minimizes_variable()
    }

    fn is_optimum_known(&self) -> bool {
        match self.program().minimizes_variable() {
            true => Solver::all_searched(self).is_some(),
            false => Solver::is_optimum_known(self),
        }
    }

    fn all_searched(&self) -> Option<AllSearched> {
        Solver::all_searched(self)
    }

    fn lower_bound(&self) -> Vec<i128> {
        self.program().told_costs(&Solver::lower_bound(self))
    }

    fn work(&self) -> Work {
        let Statistics { conflicts, decisions, restarts, .. } = Solver::statistics(self);
        Work { conflicts, decisions, restarts }
    }

    fn statistics(&self) -> Map<String, Value> {
        match serde_json::to_value(Solver::statistics(self)) {
            Ok(Value::Object(values)) => values,
            _ => Map::new(),
        }
    }
}

/// Whether an answer set has a lower value of the variable that is minimized, if one is, than all before.
/// Further ones have to have a lower one.
fn is_better(value: Option<i64>, program: &Program) -> Result<bool, Box<dyn Error>> {
    let minimized = program.differences.as_ref().and_then(|differences| differences.minimized.as_ref());
    match (minimized, value) {
        (None, _) => Ok(true),
        (Some(minimized), Some(value)) => Ok(minimized.improve(value)),
        (Some(_), None) => {
            let what = "--minimize-variable: an answer set does not bound the variable from below";
            Err(Known(Trouble::Usage, what.into()).into())
        }
    }
}

/// Opens what is to be read.
pub fn open(request: &Request) -> Result<Inputs, Box<dyn Error>> {
    Ok(Inputs::open(&request.files)?)
}

/// A program that was read.
pub enum Found {
    /// All of it. If that is asked for, there is also what says why the program has no answer set.
    Whole(Box<(Program, Option<Explainer>)>),
    /// The first of several steps, and where the others come from.
    Step(Box<(ProgramBuilder, input::Step)>, Box<Later>),
}

/// How long the second step of a program, or its end, is waited for before the first one is solved.
const PATIENCE: Duration = Duration::from_secs(1);

/// Reads the program that is asked for, grounding it if need be.
pub fn read(inputs: Inputs, request: &Request, guard: &Guard) -> Result<Found, Box<dyn Error>> {
    let inputs = if request.maxsat { inputs.with_soft_disjunctions()? } else { inputs };
    let mut explainer = None;
    let mut program = match request.task {
        Task::SolveGround if !inputs.is_ground() => inputs.read_ground()?,
        Task::Solve | Task::SolveGround => {
            let one_step = request.wants_one_step();
            let patience = one_step.is_none().then_some(PATIENCE);
            let builder = match (read_steps(inputs, &request.grounding, guard, patience)?, one_step) {
                (ground::Read::Whole(builder), _) => builder,
                (ground::Read::Step(first, later), None) => return Ok(Found::Step(Box::new(first), later)),
                (ground::Read::Step(..), Some(option)) => {
                    let what = format!(
                        "{option} is for programs of one step, and this one has several: leave {option} out"
                    );
                    return Err(Known(Trouble::Usage, what).into());
                }
            };
            explainer = request.explains.then(|| Explainer::new(builder.clone(), request));
            let built = if request.supported { builder.build_supported() } else { builder.build() };
            built.map_err(|error| InputError::new(&request.input_names[0], None, error.to_string(), ""))?
        }
        _ => {
            let program = read_inputs(inputs, &request.grounding, guard)?;
            // What is printed cannot be taken back.
            guard.conclude(None)?;
            program
        }
    };
    read_theory(&mut program, request)?;
    minimize_variable(&mut program, request)?;
    for (name, holds) in &request.assumptions {
        program.assume(name, *holds)?;
    }
    if !request.shows_auxiliary {
        program.hide_auxiliary();
    }
    if let Some(how) = request.domain.filter(|_| request.options.heuristic == Heuristic::Domain) {
        if request.records_domain && program.picks_more_than_atoms(&how) {
            return Err(Known(Trouble::Usage, DomainModification::PICKS_MORE.into()).into());
        }
        program.modify_domain(&how);
    }
    Ok(Found::Whole(Box::new((program, explainer))))
}

/// Reads the theory atoms, if there are any, as the request says.
fn read_theory(program: &mut Program, request: &Request) -> Result<(), Box<dyn Error>> {
    let Some(first) = program.theory.atoms.first() else { return Ok(()) };
    let options = [
        // What is simplified would not say any more which atoms are in heads.
        (request.task == Task::Simplify, "--pre"),
        (request.proof.is_some() && !request.reads_differences(), request.proof_option()),
        (request.trace.is_some(), "--trace"),
        (request.lemmas.is_some(), "--lemma-out"),
        (request.explains, "--explain"),
    ];
    if let Some((_, option)) = options.into_iter().find(|(is_asked, _)| *is_asked) {
        let atom = program.theory.text_of(first);
        let what = format!("{option} knows no theories, and the program has `{atom}`: leave {option} out");
        return Err(Known(Trouble::Usage, what).into());
    }
    if request.reads_differences() {
        program.read_differences()?;
    }
    Ok(())
}

/// Minimizes the integer variable that is to be.
fn minimize_variable(program: &mut Program, request: &Request) -> Result<(), Box<dyn Error>> {
    let Some(variable) = &request.minimized else { return Ok(()) };
    if !program.minimize.is_empty() {
        let what = "--minimize-variable and minimize statements are two goals: leave one of them out";
        return Err(Known(Trouble::Usage, what.into()).into());
    }
    Ok(program.minimize_variable(variable)?)
}

/// Lets the grounder print what it is asked for.
pub fn print_grounded(request: &Request, guard: &Guard) -> Result<(), Box<dyn Error>> {
    Ok(pass_through(&request.files, &request.grounding, guard)?)
}

/// Prints the program in aspif, simplified.
pub fn print_simplified(program: Program, request: &Request) -> Result<(), Box<dyn Error>> {
    let goal = Goal { optimization: Optimization::Ignore, ..Goal::default() };
    let simple = search::Task::new(program, &request.options, &goal)?.simplified();
    let mut to = BufWriter::new(StandardOutput::default());
    let written = simple.to_aspif(&mut to).and_then(|()| to.flush());
    Ok(written.map_err(Known::not_printed)?)
}

/// Finds out what the search will run on.
pub fn in_use(request: &Request) -> Result<InUse, Box<dyn Error>> {
    let options = &request.options;
    let mut used = device::in_use(options.device, options.setup())?;
    let stays_alone = request.trace.is_some() || request.records_domain;
    if used.no_gpu.is_none() && options.first_device() != options.device && !stays_alone {
        used.name = format!("cpu, which {} joins", used.name);
    }
    Ok(used)
}

/// The files that a search writes to.
#[derive(Default)]
pub struct Files {
    /// Where the search writes what it does.
    pub trace: Option<WholeFile>,
    /// Where the search writes what proves its results.
    pub proof: Option<ProofSink>,
    /// Where what the search has learned is written in the end.
    pub lemmas: Option<LemmaFile>,
}

/// Opens the files that the search is to write. A checker, if there is one, gets what proves the results.
pub fn open_files(request: &Request, check: Option<&Arc<ProofCheck>>) -> Result<Files, Box<dyn Error>> {
    let (trace, proof, lemmas) = (request.trace.as_ref(), request.proof.as_ref(), request.lemmas.as_ref());
    Ok(Files {
        trace: trace.map(|trace| WholeFile::create("trace", &trace.path)).transpose()?,
        proof: proof.map(|proof| proof_file::sink(proof, check.cloned())).transpose()?,
        lemmas: lemmas.map(LemmaFile::create).transpose()?,
    })
}

/// Prepares the search, which writes what it does, or what proves its results, to the files.
pub fn prepare(
    program: Program,
    request: &Request,
    trace: Option<WholeFile>,
    proof: Option<ProofSink>,
) -> Result<Solver, Box<dyn Error>> {
    let (options, goal) = (request.options, request.goal_of(&program));
    if let Some(sink) = proof {
        return Ok(Solver::proved(program, options, goal, sink)?);
    }
    let mut solver = match request.lemmas {
        Some(_) => Solver::with_lemmas(program, options, goal)?,
        None => Solver::with_goal(program, options, goal)?,
    };
    if request.records_domain {
        solver.record_domain()?;
    }
    if let Some((file, trace)) = trace.zip(request.trace.as_ref()) {
        solver.trace(Box::new(file), trace.limit)?;
    }
    Ok(solver)
}
