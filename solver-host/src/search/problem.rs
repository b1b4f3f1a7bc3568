//! A program made ready for searching: translated, simplified, and copied to a device.
//!
//! Main type: [`Problem`]. Any number of searches share one problem, on as many threads: see
//! [`Solver::of`](super::Solver::of).

use super::goal::Goal;
use super::options::{Decide, Heuristic, Options, SignDef};
use super::plan::Plan;
use super::upload::Uploaded;
use super::SolveError;
use crate::check::Checker;
use crate::device;
use crate::nogoods::{prepare, NogoodStore, Prepared, SumStore};
use crate::program::Program;
use solver_gpu::hash::mix;
use solver_gpu::{Lit, Var};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// A program on a device, for searches to share.
pub struct Problem {
    program: Program,
    /// Without nogoods, which are on the device, and without sums.
    pub(super) prepared: Prepared,
    /// The sums, for searches that add to them.
    pub(super) sums: SumStore,
    /// The plan that each search begins with.
    pub(super) plan: Plan,
    pub(super) uploaded: Arc<Uploaded>,
    /// Verifies answer sets. It is made for the first one that is verified.
    checker: OnceLock<Checker>,
    /// What the problem was prepared with.
    pub(super) options: Options,
    /// Seconds spent on translating and simplifying.
    pub(super) prepare_seconds: f64,
    /// Seconds spent on opening the device and copying the problem to it.
    pub(super) upload_seconds: f64,
}

impl Problem {
    /// Translates `program` for a goal, and copies the outcome to the device that `options` name.
    ///
    /// # Errors
    /// If the program has too many nogoods, there is no such device, or not enough memory.
    pub fn new(mut program: Program, options: &Options, goal: &Goal) -> Result<Problem, SolveError> {
        let started = Instant::now();
        let asked = Plan::prepare(&mut program, goal);
        let follows = options.heuristic == Heuristic::Domain;
        if follows {
            program.shorten_directives();
        }
        let mut prepared = prepare(&program, options.simplify, options.longest_head)?;
        if options.simplify {
            prepared = prepared.preprocess(&program, options.preprocess);
        }
        let decides_any = options.decide == Decide::Any;
        if decides_any {
            prepared.decide_any(first_sign(options));
        }
        let plan = Plan::new(&program, asked, &mut prepared, goal);
        if decides_any && options.sign_fix {
            prepared.prefer_first();
        }
        if follows {
            prepared.follow(&program);
        }
        let prepare_seconds = started.elapsed().as_secs_f64();
        let executor = device::open(options.first_device(), options.setup())?;
        let uploaded = Arc::new(Uploaded::new(executor, &prepared, decides_any)?);
        // They are on the device now.
        prepared.nogoods = NogoodStore::default();
        let sums = std::mem::take(&mut prepared.sums);
        let upload_seconds = started.elapsed().as_secs_f64() - prepare_seconds;
        let checker = OnceLock::new();
        let options = *options;
        Ok(Problem {
            program,
            prepared,
            sums,
            plan,
            uploaded,
            checker,
            options,
            prepare_seconds,
            upload_seconds,
        })
    }

    /// What verifies answer sets.
    pub(super) fn checker(&self) -> &Checker {
        self.checker.get_or_init(|| Checker::new(&self.program))
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The program without what preparing found to hold in every answer set, or in none. Of a program without answer
    /// sets nothing is simplified.
    pub fn simplified(&self) -> Program {
        self.program.simplified(|atom| match self.prepared.unsatisfiable {
            true => None,
            false => match self.prepared.literal_of(Lit::t(atom)) {
                Lit::TRUE => Some(true),
                Lit::FALSE => Some(false),
                _ => None,
            },
        })
    }

    /// What was copied to the device for the problem, and the memory that this takes there. Searches count
    /// their own.
    pub fn traffic(&self) -> device::Traffic {
        self.uploaded.traffic()
    }

    /// The first of the options that the problem was prepared with and that `options` say otherwise, by its
    /// name on the command line.
    pub(super) fn differs(&self, options: &Options) -> Option<&'static str> {
        let follows = |options: &Options| options.heuristic == Heuristic::Domain;
        [
            ("--device", self.options.device != options.device),
            ("--decide", self.options.decide != options.decide),
            ("--heuristic domain", follows(&self.options) != follows(options)),
            ("--sign-def", self.options.sign_def != options.sign_def),
            (
                "--sign-def=rnd and --seed",
                options.sign_def == SignDef::Rnd && self.options.seed != options.seed,
            ),
            ("--sign-fix", self.options.sign_fix != options.sign_fix),
            ("--no-simplify", self.options.simplify != options.simplify),
            ("--preprocess", self.options.preprocess != options.preprocess),
            ("--longest-head", self.options.longest_head != options.longest_head),
        ]
        .into_iter()
        .find(|&(_, differs)| differs)
        .map(|(name, _)| name)
    }
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
