//! A program that may grow, and solvers that are asked about it: [`Control`].

use crate::answer::Answer;
use crate::asked::{Asked, End, Progress};
use crate::atom::{Atom, Literal};
use crate::error::Error;
use crate::lent::lend;
use crate::past::{Past, Pasts, Translated};
use crate::prepared::{Asking, Assumed, Prepared, OWN};
use crate::proving::{Proofs, PROPAGATED};
use crate::question::Question;
use solver_gpu::{Lit, Var};
use solver_host::input::ground::{self, Grounding, Guard, Inputs};
use solver_host::input::{self, Message, MAX_ATOM};
use solver_host::program::{
    BuildError, DomainModification, External, Heuristic, Modifier, Output, Program, ProgramBuilder,
};
use solver_host::search::{
    self, Goal, Optimization, Options, Reasoning, SolveError, Statistics, Step, Wishes,
};
use std::collections::HashMap;
use std::io::{Cursor, Read};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

/// A program, and what is known of it.
///
/// Each goal that is asked for gets a solver, which lives on until the program grows: later questions with
/// the same goal, under any assumptions and values of external atoms, find the program prepared, and most of
/// what was learned. After the program has grown by rules for new atoms and by constraints, the next question
/// prepares only these, and the best of what was learned stays. (Goals about long conditions, directives of
/// the heuristic that are followed, and decisions on applicable rules alone need all of the program.) After
/// rules for external atoms all is prepared again, and the best stays; for other known atoms, nothing stays.
pub struct Control {
    pub(crate) builder: ProgramBuilder,
    pub(crate) options: Options,
    /// What the domain heuristic does to atoms without a directive.
    pub(crate) domain: Option<DomainModification>,
    /// The literal of each name that depends on one.
    names: HashMap<String, Lit>,
    /// How many of the outputs `names` knows.
    named: usize,
    pub(crate) prepared: Option<Prepared>,
    /// How many questions were asked, and how often the program has grown.
    pub(crate) turn: u64,
    /// What was known of the program before it has grown.
    pub(crate) past: Pasts,
    translated: Translated,
    /// Where proofs are written, if they are.
    pub(crate) proofs: Option<Proofs>,
    /// Why a proof that nobody asks for any more could not be ended.
    pub(crate) unproved: Option<SolveError>,
    /// The propagators, in the order in which they were registered.
    pub(crate) propagators: Vec<Registered>,
    messages: Vec<Message>,
    /// Whether theory atoms are difference constraints.
    pub(crate) reads_differences: bool,
}

/// What a propagator wishes for, before each search.
type Begin = dyn Fn(&mut Control) -> Result<Wishes, Error> + Send + Sync;

/// A propagator.
#[derive(Clone)]
pub(crate) struct Registered {
    pub(crate) propagator: Arc<Mutex<dyn search::Propagator>>,
    pub(crate) begin: Arc<Begin>,
}

impl Control {
    /// A control without a program: rules are added by methods.
    pub fn new(options: Options) -> Control {
        Control::of(ProgramBuilder::default(), options)
    }

    /// Reads a ground program, in aspif, the smodels format or DIMACS. Errors call the program `name`.
    ///
    /// # Errors
    /// If the stream cannot be read, or is no ground program.
    pub fn read(name: &str, stream: impl Read, options: Options) -> Result<Control, Error> {
        Ok(Control::of(input::read_builder(name, stream)?, options))
    }

    /// Grounds a program, by the grounder that is installed: `gringo`, `clingo`, or a Python that has
    /// clingo's package.
    ///
    /// # Errors
    /// If there is no grounder, or the program is wrong: the error has what the grounder says.
    pub fn from_text(text: &str, options: Options) -> Result<Control, Error> {
        let inputs = Inputs::of_stream(Cursor::new(text.as_bytes().to_vec()))?;
        Control::grounded(inputs, &Grounding::default(), options)
    }

    /// Grounds the program in files, or reads a ground one.
    ///
    /// # Errors
    /// As [`Control::from_text`], or if a file cannot be read.
    pub fn from_files(files: &[PathBuf], options: Options) -> Result<Control, Error> {
        Control::grounded(Inputs::open(files)?, &Grounding::default(), options)
    }

    fn grounded(inputs: Inputs, grounding: &Grounding, options: Options) -> Result<Control, Error> {
        let guard = Guard::quiet();
        let builder = ground::read_builder(inputs, grounding, &guard)?;
        guard.conclude(None)?;
        let mut control = Control::of(builder, options);
        control.messages = guard.messages();
        Ok(control)
    }

    /// A control of a program that was read or built with [`solver_host`].
    pub fn of(builder: ProgramBuilder, options: Options) -> Control {
        let names = HashMap::new();
        Control {
            builder,
            options,
            domain: None,
            names,
            named: 0,
            prepared: None,
            turn: 0,
            past: Pasts::default(),
            translated: Translated::default(),
            proofs: None,
            unproved: None,
            propagators: Vec::new(),
            messages: Vec::new(),
            reads_differences: false,
        }
    }

    /// What the grounder has said of the program that it has grounded, such as warnings.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// The literal on which a shown name depends. `None` if nothing is shown by that name, or it depends on
    /// several literals or on none.
    pub fn literal(&mut self, name: &str) -> Option<Literal> {
        for output in &self.builder.outputs()[self.named..] {
            if let [lit] = output.condition[..] {
                self.names.entry(output.name.clone()).or_insert(lit);
            }
        }
        self.named = self.builder.outputs().len();
        self.names.get(name).map(|&lit| Literal(lit))
    }

    /// The name that is shown if and only if a literal's atom holds. `None` if there is none. Bytes of a
    /// program that are no UTF-8 are as [`solver_host::text`] has them.
    pub fn name(&self, literal: Literal) -> Option<&str> {
        let atom = Lit::t(literal.atom().0);
        let named = self.builder.outputs().iter().find(|output| output.condition[..] == [atom]);
        named.map(|output| output.name.as_str())
    }

    /// The atom that a ground program calls by this number, from 1 to 2^28. An atom that was not named before
    /// is new.
    ///
    /// # Errors
    /// If the number is out of range.
    pub fn numbered(&mut self, number: u64) -> Result<Atom, Error> {
        if !(1..=MAX_ATOM).contains(&number) {
            return Err(Error::Number(number));
        }
        if let Some(known) = self.builder.known(number) {
            return Ok(Atom(known));
        }
        self.grows();
        Ok(Atom(self.builder.atom(number)))
    }

    /// A new atom. Without a rule it is false.
    pub fn atom(&mut self) -> Atom {
        self.grows();
        Atom(self.builder.hidden())
    }

    /// Adds a rule: one of the heads holds if the body does. Without heads it is a constraint. Nothing
    /// forbids rules for atoms that had rules when a question was asked before.
    ///
    /// # Errors
    /// If an atom is another control's, or there are too many rules.
    pub fn rule(&mut self, heads: &[Atom], body: &[Literal]) -> Result<(), Error> {
        let (heads, body) = (self.vars(heads)?, self.lits(body)?);
        self.grows_by(&heads);
        Ok(self.builder.disjunction(&heads, &body)?)
    }

    /// Adds a choice: each of the heads may hold if the body does.
    ///
    /// # Errors
    /// As [`Control::rule`].
    pub fn choice(&mut self, heads: &[Atom], body: &[Literal]) -> Result<(), Error> {
        let (heads, body) = (self.vars(heads)?, self.lits(body)?);
        self.grows_by(&heads);
        Ok(self.builder.choice(&heads, &body)?)
    }

    /// Adds an atom that holds if and only if the weights of the literals that hold add up to `bound` or
    /// more, for bodies of rules.
    ///
    /// # Errors
    /// As [`Control::rule`]; or if the weights without their signs add up to more than 2^63 - 2.
    pub fn sum(&mut self, bound: i64, terms: &[(Literal, i64)]) -> Result<Atom, Error> {
        let (mut bound, mut lits) = (i128::from(bound), Vec::new());
        for &(literal, weight) in terms {
            let lit = self.lit(literal)?;
            let size = weight.checked_abs().ok_or(BuildError::Weights)?;
            match weight {
                0 => {}
                1.. => lits.push((lit, size)),
                // `-w` for a literal is `w` for its complement, less `w`.
                _ => {
                    bound += i128::from(size);
                    lits.push((!lit, size));
                }
            }
        }
        // A bound beyond 64 bits is one that is always reached, or never.
        let bound = bound.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64;
        self.grows();
        Ok(Atom(self.builder.sum(bound, lits)?))
    }

    /// Adds literals with weights to what is minimized at a priority.
    ///
    /// # Errors
    /// As [`Control::rule`]; or if weights of the priority, without signs, add up to more than 2^63 - 2.
    pub fn minimize(&mut self, priority: i32, terms: &[(Literal, i64)]) -> Result<(), Error> {
        let mut lits = Vec::new();
        for &(literal, weight) in terms {
            lits.push((self.lit(literal)?, weight));
        }
        self.grows();
        Ok(self.builder.minimize(priority, &lits)?)
    }

    /// Makes an atom external, or gives an external atom another value, from the next question on. The value
    /// of an atom that a rule defines has no effect, and a released atom stays released.
    ///
    /// # Errors
    /// As [`Control::rule`].
    pub fn external(&mut self, atom: Atom, value: External) -> Result<(), Error> {
        let var = self.var(atom)?;
        if self.builder.is_released(var) {
            // It is false for ever.
            return Ok(());
        }
        self.builder.external(var, value);
        let known = self.prepared.as_mut().and_then(|Prepared { externals, .. }| {
            let at = externals.binary_search_by_key(&var, |&(external, _)| external).ok()?;
            Some(&mut externals[at])
        });
        match known {
            Some((_, known)) => *known = value,
            None => {
                self.grows();
                self.past.external(var);
            }
        }
        Ok(())
    }

    /// Whether a question may give the atom another value ([`Question::external`]): not if a rule defines it,
    /// or it was released.
    pub fn is_external(&self, atom: Atom) -> bool {
        let externals = self.prepared.as_ref().map(|prepared| &prepared.externals);
        externals.is_some_and(|all| all.binary_search_by_key(&atom.0, |&(external, _)| external).is_ok())
    }

    /// Shows a name in each answer set in which all literals hold.
    ///
    /// # Errors
    /// As [`Control::rule`].
    pub fn show(&mut self, name: &str, condition: &[Literal]) -> Result<(), Error> {
        let condition = self.lits(condition)?;
        self.grows();
        self.builder.output(Output { name: name.into(), condition });
        Ok(())
    }

    /// Adds atoms to project on.
    ///
    /// # Errors
    /// As [`Control::rule`].
    pub fn project(&mut self, atoms: &[Atom]) -> Result<(), Error> {
        let atoms = self.vars(atoms)?;
        self.grows();
        self.builder.project(&atoms);
        Ok(())
    }

    /// Forgets all that is minimized.
    pub fn remove_minimize(&mut self) {
        self.grows();
        self.builder.remove_minimize();
    }

    /// Forgets the atoms to project on.
    pub fn remove_project(&mut self) {
        self.grows();
        self.builder.remove_projection();
    }

    /// How many atoms there are, with those that stand for sums and edges.
    pub fn atoms(&self) -> u32 {
        self.builder.atoms()
    }

    /// How many rules were added or read.
    pub fn rules(&self) -> u64 {
        self.builder.statements().rules
    }

    /// How often the program was translated, as a whole and in part.
    pub fn translated(&self) -> Translated {
        self.translated
    }

    /// Adds an edge between two nodes of a graph that must have no cycle. The edge is there if all literals
    /// hold.
    ///
    /// # Errors
    /// As [`Control::rule`].
    pub fn edge(&mut self, from: i64, to: i64, condition: &[Literal]) -> Result<(), Error> {
        let condition = self.lits(condition)?;
        self.grows();
        // The atoms that stand for nodes get further rules.
        self.past.forget();
        Ok(self.builder.edge(from, to, &condition)?)
    }

    /// Adds a heuristic directive, which is in force while all literals hold and the options say so
    /// ([`Options::heuristic`]).
    ///
    /// # Errors
    /// As [`Control::rule`].
    pub fn heuristic(
        &mut self,
        atom: Atom,
        modifier: Modifier,
        bias: i32,
        priority: u32,
        condition: &[Literal],
    ) -> Result<(), Error> {
        let (atom, condition) = (self.var(atom)?, self.lits(condition)?);
        self.grows();
        self.builder.heuristic(Heuristic { atom, modifier, bias, priority, condition });
        Ok(())
    }

    /// Lets a propagator take part in all later searches.
    pub(crate) fn take_part(&mut self, registered: Registered) {
        // The solvers that there are have other options.
        self.grows();
        self.propagators.push(registered);
    }

    /// Asks the propagators what they wish for, before a search.
    fn wishes(&mut self) -> Result<Vec<Wishes>, Error> {
        self.propagators.clone().iter().map(|registered| (registered.begin)(self)).collect()
    }

    /// The place of the solver for a goal, which prepares the program unless there is one already.
    pub(crate) fn solver(&mut self, goal: &Goal, records_domain: bool) -> Result<usize, Error> {
        let options = self.options();
        let domain = self.domain_of(&options);
        let prepared = match &mut self.prepared {
            Some(prepared) => prepared,
            none => {
                if self.builder.has_wide_costs() {
                    return Err(BuildError::Weights.into());
                }
                let (mut program, externals) = lend(&mut self.builder, self.reads_differences)?;
                if let Some(how) = &domain {
                    Arc::make_mut(&mut program).modify_domain(how);
                }
                none.insert(Prepared::new(program, externals))
            }
        };
        let is_asked = |known: &Asking| known.goal == *goal && known.records_domain == records_domain;
        if let Some(at) = prepared.solvers.iter().position(is_asked) {
            return Ok(at);
        }
        let is_untold = records_domain && self.proofs.is_some();
        SolveError::refuse(is_untold, "domain recording excludes answer sets, which no proof tells")?;
        let picks_more = || domain.is_some_and(|how| prepared.program.picks_more_than_atoms(&how));
        SolveError::refuse(records_domain && picks_more(), DomainModification::PICKS_MORE)?;
        let program = prepared.program.clone();
        let mut solver = match &mut self.proofs {
            Some(proofs) => proofs.solver(Program::clone(&program), options, goal)?,
            None => self.past.solver(program, options, goal, (self.builder.size(), &prepared.externals))?,
        };
        let count =
            if solver.task().has_grown { &mut self.translated.new } else { &mut self.translated.whole };
        *count += 1;
        if records_domain {
            solver.record_domain()?;
        }
        prepared.solvers.push(Asking { goal: goal.clone(), records_domain, solver, was_asked: false });
        Ok(prepared.solvers.len() - 1)
    }

    /// What [`Control::solve`] does, for a caller who cannot let the answers borrow the control.
    ///
    /// # Errors
    /// As [`Control::solve`].
    pub fn ask(&mut self, question: &Question) -> Result<Asked, Error> {
        self.end_propagation()?;
        SolveError::refuse(self.proofs.is_some() && !self.propagators.is_empty(), PROPAGATED)?;
        let wishes = self.wishes()?;
        let Assumed { at, lits: assumed, excluded, own } = self.assumed_by(question)?;
        SolveError::refuse(own.is_some(), OWN)?;
        let prepared = self.prepared.as_mut().ok_or(Error::Superseded)?;
        let Asking { solver, was_asked, .. } = &mut prepared.solvers[at];
        let is_known = std::mem::replace(was_asked, true);
        self.turn += 1;
        if !self.propagators.is_empty() {
            let with_wishes =
                |(registered, wishes): (&Registered, Wishes)| (registered.propagator.clone(), wishes);
            solver.propagate_by(self.propagators.iter().zip(wishes).map(with_wishes).collect())?;
        }
        solver.want(question.limit);
        // What is learned on the way to one answer set holds for later questions if assumptions are kept
        // apart, even if there are none; and each of several questions is proved under what it assumes. An
        // optimum is found sooner without.
        let is_plain = question.goal.reasoning == Reasoning::Enumerate
            && (question.goal.optimization == Optimization::Ignore || solver.program().minimize.is_empty());
        let is_kept_apart = is_plain || question.records_domain || self.proofs.is_some();
        if is_known || !assumed.is_empty() || !excluded.is_empty() || is_kept_apart {
            solver.assume_without(&assumed, &excluded)?;
        }
        let lower_bound = solver.lower_bound();
        Ok(Asked { lower_bound, ..Asked::new(question, at, self.turn) })
    }

    /// Adds a clause to a question that is under way: one of the literals holds in each further answer.
    ///
    /// # Errors
    /// [`Error::Superseded`] if another question was asked since, or the program has grown;
    /// [`SolveError::Contradiction`] if several searchers search, or an
    /// optimum is not looked for by one better answer after the other; else if a literal is another
    /// control's, or memory runs out.
    pub fn add_clause(&mut self, asked: &Asked, clause: &[Literal]) -> Result<(), Error> {
        let lits = self.lits(clause)?;
        Ok(self.solver_of(asked)?.add_clause(&lits)?)
    }

    /// Tells the propagators that what is under way is over. Other searchers that call propagators return.
    ///
    /// # Errors
    /// Those of the propagators.
    pub fn end_propagation(&mut self) -> Result<(), Error> {
        for Asking { solver, .. } in self.prepared.iter_mut().flat_map(|prepared| &mut prepared.solvers) {
            solver.end_propagation()?;
        }
        Ok(())
    }

    /// Goes on with a question, until there is an answer, none comes any more, or `interrupt` says that it is
    /// enough for now. `interrupt` is asked every few milliseconds.
    ///
    /// # Errors
    /// [`Error::Superseded`] if another question was asked since, or the program has grown; else if the
    /// search fails.
    pub fn advance(&mut self, asked: &mut Asked, interrupt: &dyn Fn() -> bool) -> Result<Progress, Error> {
        let progress = self.advanced(asked, interrupt)?;
        if matches!(progress, Progress::Over) {
            self.end_propagation()?;
        }
        Ok(progress)
    }

    /// What [`Control::advance`] does to the search.
    fn advanced(&mut self, asked: &mut Asked, interrupt: &dyn Fn() -> bool) -> Result<Progress, Error> {
        if asked.end.is_some() {
            return Ok(Progress::Over);
        }
        let question = asked.question.clone();
        let solver = self.solver_of(asked)?;
        solver.interrupt_above(question.tells_bounds.then(|| asked.lower_bound.clone()));
        let advanced = if question.limit > 0 && asked.found >= question.limit {
            // What the last answer set claims is verified.
            solver.check_end().map(|()| match solver.all_searched() {
                Some(_) => Step::Exhausted,
                None => Step::Interrupted,
            })
        } else {
            solver.next_answer(&|| question.is_over() || interrupt())
        };
        asked.optimum = solver.optimum().map(<[i64]>::to_vec);
        let known = std::mem::replace(&mut asked.lower_bound, solver.lower_bound());
        let has_grown = question.tells_bounds && asked.lower_bound > known;
        let is_enough = question.limit > 0 && asked.found >= question.limit;
        match advanced {
            Ok(Step::Answer(set)) => {
                asked.found += 1;
                asked.last_costs.clone_from(&set.costs);
                Ok(Progress::Answer(Answer { set, program: solver.program().clone(), own: None }))
            }
            Ok(Step::Exhausted) => {
                asked.end = Some(End::Exhausted);
                if asked.found == 0 {
                    // Without assumptions nothing is needed but the program.
                    let core = solver.core().unwrap_or_default();
                    asked.core = Some(core.iter().map(|&lit| Literal(lit)).collect());
                }
                Ok(Progress::Over)
            }
            Ok(Step::Interrupted | Step::Counted(_)) if is_enough || question.is_over() => {
                asked.end = Some(End::Stopped);
                Ok(Progress::Over)
            }
            Ok(Step::Interrupted | Step::Counted(_)) if has_grown => Ok(Progress::Bound),
            Ok(Step::Interrupted | Step::Counted(_)) => Ok(Progress::Interrupted),
            Err(error) => {
                asked.end = Some(End::Failed);
                Err(error.into())
            }
        }
    }

    /// The statistics of all searches for the goal of a question so far, unless the program has grown since.
    pub fn statistics(&self, asked: &Asked) -> Option<Statistics> {
        Some(self.prepared.as_ref()?.solvers.get(asked.solver)?.solver.statistics())
    }

    /// Why fewer searchers search for an answer to a question than the options ask for, one sentence each;
    /// empty if the program has grown since.
    pub fn warnings(&self, asked: &Asked) -> Vec<String> {
        let asking = self.prepared.as_ref().and_then(|prepared| prepared.solvers.get(asked.solver));
        asking.map_or(Vec::new(), |of| [of.solver.warnings(), of.solver.late_warnings()].concat())
    }

    /// The program changes, so that the solvers end. What they have learned stays.
    pub(crate) fn grows(&mut self) {
        self.turn += 1;
        let Some(Prepared { program, externals, solvers, desk, owned }) = self.prepared.take() else {
            return;
        };
        drop((desk, owned));
        let is_plain = program.differences.is_none();
        drop(program);
        let size = self.builder.size();
        for Asking { goal, mut solver, .. } in solvers {
            // Nobody asks for more. An error of a propagator has no question to end.
            let _ = solver.end_propagation();
            if self.proofs.is_some() {
                let ended = solver.end_proof(None);
                self.unproved = self.unproved.take().or(ended.err());
            }
            // A device that fails will say so to the next question.
            if let (Ok(legacy), true) = (solver.leaving(), is_plain) {
                let externals = externals.iter().map(|&(atom, _)| atom).collect();
                self.past.note(Past { goal, legacy, size, externals, is_extended: true });
            }
        }
        self.builder.take_back();
    }

    /// The same, by something about these atoms.
    pub(crate) fn grows_by(&mut self, heads: &[Var]) {
        self.grows();
        self.past.grows_by(heads);
    }

    fn var(&self, Atom(var): Atom) -> Result<Var, Error> {
        let atoms = self.builder.atoms();
        (var.0 < atoms).then_some(var).ok_or(Error::UnknownAtom { index: var.0, atoms })
    }

    pub(crate) fn lit(&self, literal: Literal) -> Result<Lit, Error> {
        self.var(literal.atom()).map(|_| literal.0)
    }

    pub(crate) fn vars(&self, atoms: &[Atom]) -> Result<Vec<Var>, Error> {
        atoms.iter().map(|&atom| self.var(atom)).collect()
    }

    pub(crate) fn lits(&self, lits: &[Literal]) -> Result<Vec<Lit>, Error> {
        lits.iter().map(|&literal| self.lit(literal)).collect()
    }
}
