//! A program made ready for searching: translated and simplified for a goal. No device is needed for that.
//!
//! Main type: [`Task`].

use super::plan::Plan;
use crate::check::Checker;
use crate::nogoods::{
    prepare, prepare_to_grow, prepare_to_prove, Lemma, NogoodStore, Prepared, SumStore, TooLarge,
};
use crate::program::Program;
use crate::search::goal::Goal;
use crate::search::options::{Decide, Heuristic, Options, SignDef, Symmetry};
use crate::search::SolveError;
use crate::symmetry::break_symmetries;
use solver_gpu::hash::mix;
use solver_gpu::{Lit, Var};
use std::sync::OnceLock;
use std::time::Instant;

/// A program and a goal, ready to be uploaded and searched.
pub struct Task {
    program: Program,
    /// What the translation says of the program. Once the task is uploaded, `prepared` has no nogoods and no sums.
    pub prepared: Prepared,
    /// The sums, for searches that add to them.
    pub sums: SumStore,
    /// The plan that each search begins with.
    pub plan: Plan,
    /// Verifies answer sets. It is made for the first one that is verified.
    checker: OnceLock<Checker>,
    /// What the task was prepared with.
    pub options: Options,
    /// Seconds spent on translating and simplifying.
    pub prepare_seconds: f64,
}

impl Task {
    /// Translates `program` for a goal.
    ///
    /// # Errors
    /// If the program has too many nogoods.
    pub fn new(program: Program, options: &Options, goal: &Goal) -> Result<Task, SolveError> {
        let symmetries = (options.symmetry == Symmetry::Yes).then_some((1, &(|| false) as &dyn Fn() -> bool));
        Task::with(program, options, goal, prepare, &[], symmetries)
    }

    /// The same, without answer sets that a symmetry of the program maps to others that stay, if there are at
    /// least `least` symmetries. `interrupt` ends the search for them.
    ///
    /// # Errors
    /// As for [`Task::new`].
    pub fn without_symmetries(
        program: Program,
        options: &Options,
        goal: &Goal,
        least: u32,
        interrupt: &dyn Fn() -> bool,
    ) -> Result<Task, SolveError> {
        Task::with(program, options, goal, prepare, &[], Some((least, interrupt)))
    }

    /// The same, of which each refutation can be proved.
    ///
    /// # Errors
    /// As for [`Task::new`].
    pub fn to_prove(program: Program, options: &Options, goal: &Goal) -> Result<Task, SolveError> {
        Task::with(program, options, goal, prepare_to_prove, &[], None)
    }

    /// The same, of a program that may grow, with what was learned about it before it has grown.
    ///
    /// # Errors
    /// As for [`Task::new`].
    pub fn to_grow(
        program: Program,
        options: &Options,
        goal: &Goal,
        lemmas: &[Lemma],
    ) -> Result<Task, SolveError> {
        Task::with(program, options, goal, prepare_to_grow, lemmas, None)
    }

    fn with(
        mut program: Program,
        options: &Options,
        goal: &Goal,
        prepare: impl Fn(&Program, bool, u32) -> Result<Prepared, TooLarge>,
        lemmas: &[Lemma],
        symmetries: Option<(u32, &dyn Fn() -> bool)>,
    ) -> Result<Task, SolveError> {
        let started = Instant::now();
        let asked = Plan::prepare(&mut program, goal);
        let follows = options.heuristic == Heuristic::Domain;
        if follows {
            program.shorten_directives();
        }
        let mut prepared = prepare(&program, options.simplify, options.longest_head)?;
        if let Some((least, interrupt)) = symmetries.filter(|_| !prepared.unsatisfiable) {
            let simplified = simplified(&program, &prepared);
            break_symmetries(&simplified, &mut prepared, least, interrupt);
        }
        if options.simplify {
            prepared = prepared.preprocess(&program, options.preprocess);
        }
        if options.decide == Decide::Any {
            prepared.decide_any(first_sign(options));
        }
        let plan = Plan::new(&program, asked, &mut prepared, goal);
        if options.decide == Decide::Any && options.sign_fix {
            prepared.prefer_first();
        }
        if follows {
            prepared.follow(&program);
        }
        prepared.learn(lemmas);
        let prepare_seconds = started.elapsed().as_secs_f64();
        let (sums, checker, options) = (SumStore::default(), OnceLock::new(), *options);
        Ok(Task { program, prepared, sums, plan, checker, options, prepare_seconds })
    }

    /// Whether answer sets are excluded that a symmetry maps to others.
    pub fn are_symmetries_broken(&self) -> bool {
        self.prepared.preprocessed.symmetry_nogoods > 0
    }

    /// Frees the nogoods, which are on a device now, and sets the sums aside.
    pub fn free_nogoods(&mut self) {
        self.prepared.nogoods = NogoodStore::default();
        self.sums = std::mem::take(&mut self.prepared.sums);
    }

    /// What verifies answer sets.
    pub fn checker(&self) -> &Checker {
        self.checker.get_or_init(|| Checker::new(&self.program))
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The program without what preparing found to hold in every answer set, or in none. Of a program without answer
    /// sets nothing is simplified.
    pub fn simplified(&self) -> Program {
        simplified(&self.program, &self.prepared)
    }

    /// The first of the options that the task was prepared with and that `options` say otherwise, by its
    /// field.
    pub fn differs(&self, options: &Options) -> Option<&'static str> {
        let follows = |options: &Options| options.heuristic == Heuristic::Domain;
        [
            ("device", self.options.device != options.device),
            ("decide", self.options.decide != options.decide),
            ("heuristic", follows(&self.options) != follows(options)),
            ("sign_def", self.options.sign_def != options.sign_def),
            ("seed", options.sign_def == SignDef::Rnd && self.options.seed != options.seed),
            ("sign_fix", self.options.sign_fix != options.sign_fix),
            ("simplify", self.options.simplify != options.simplify),
            ("preprocess", self.options.preprocess != options.preprocess),
            ("symmetry", (self.options.symmetry == Symmetry::Yes) != (options.symmetry == Symmetry::Yes)),
            ("longest_head", self.options.longest_head != options.longest_head),
        ]
        .into_iter()
        .find(|&(_, differs)| differs)
        .map(|(name, _)| name)
    }
}

/// See [`Task::simplified`].
fn simplified(program: &Program, prepared: &Prepared) -> Program {
    program.simplified(|atom| match prepared.unsatisfiable {
        true => None,
        false => match prepared.literal_of(Lit::t(atom)) {
            Lit::TRUE => Some(true),
            Lit::FALSE => Some(false),
            _ => None,
        },
    })
}

/// What a decision makes a variable at first: true or not, by the variable and whether the variable is an atom.
fn first_sign(options: &Options) -> impl Fn(Var, bool) -> bool {
    let (sign, seed) = (options.sign_def, options.seed);
    move |var, is_atom| match sign {
        SignDef::Asp => !is_atom,
        SignDef::Pos => true,
        SignDef::Neg => false,
        SignDef::Rnd => mix(mix(seed).wrapping_add(var.0 as u64)) & 1 == 1,
    }
}
