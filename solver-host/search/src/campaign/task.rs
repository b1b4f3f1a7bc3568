//! A program made ready for searching: translated and simplified for a goal. No device is needed for that.
//!
//! Main type: [`Task`].

use super::plan::{Phase, Plan};
use crate::goal::Goal;
use crate::options::{Decide, Heuristic, Options, SignDef, Symmetry};
use crate::SolveError;
use solver_gpu::hash::mix;
use solver_gpu::{Lit, Var};
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use yasmin_device::DeviceKind;
use yasmin_ground::check::Checker;
use yasmin_ground::program::Program;
use yasmin_nogoods::symmetry::{self, Found};
use yasmin_nogoods::{
    prepare, prepare_to_grow, prepare_to_prove, Auxiliaries, Growth, NogoodStore, Prepared, SumStore,
    TooLarge,
};

/// A program and a goal, ready to be uploaded and searched.
pub struct Task {
    program: Arc<Program>,
    /// What the translation says of the program. Once the task is uploaded, `prepared` has no nogoods and no
    /// sums.
    pub prepared: Prepared,
    /// The sums, for searches that add to them.
    pub sums: SumStore,
    /// The translation without what the goal adds, if it can grow with the program.
    pub before_goal: Option<Arc<Prepared>>,
    /// The nogoods, which stay on the host if what a search learns is to be compared with them.
    pub nogoods: Option<Arc<NogoodStore>>,
    /// Whether the translation has grown from that of a smaller program.
    pub has_grown: bool,
    /// The plan that each search begins with.
    pub plan: Plan,
    /// Verifies answer sets. It is made for the first one that is verified.
    checker: OnceLock<Checker>,
    /// See [`Task::mark`].
    mark: OnceLock<u64>,
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
    pub fn new(program: impl Into<Arc<Program>>, options: &Options, goal: &Goal) -> Result<Task, SolveError> {
        let translating = Translating::of(program, options, goal);
        match options.symmetry {
            Symmetry::Yes => translating.by(prepare, |program, prepared| {
                let found = symmetries_of(program, prepared, 1, &|| false);
                found.inspect(|found| found.exclude(prepared));
            }),
            Symmetry::Auto | Symmetry::No => translating.by(prepare, |_, _| {}),
        }
    }

    /// Looks for symmetries of the program as it is prepared for the goal. `None` if there are fewer than
    /// `least`, or if preparing has found that there is no answer set. `interrupt` ends the search for them.
    pub fn symmetries(&self, least: u32, interrupt: &dyn Fn() -> bool) -> Option<Found> {
        match self.is_unsatisfiable() {
            true => None,
            false => symmetries_of(&self.program, &self.prepared, least, interrupt),
        }
    }

    /// The same, without answer sets that one of `symmetries` of the program maps to others that stay.
    ///
    /// # Errors
    /// As for [`Task::new`].
    pub fn without_symmetries(
        program: impl Into<Arc<Program>>,
        options: &Options,
        goal: &Goal,
        symmetries: &Found,
    ) -> Result<Task, SolveError> {
        Translating::of(program, options, goal).by(prepare, |_, prepared| symmetries.exclude(prepared))
    }

    /// The same, of which each refutation can be proved.
    ///
    /// # Errors
    /// As for [`Task::new`].
    pub fn to_prove(program: Program, options: &Options, goal: &Goal) -> Result<Task, SolveError> {
        Translating::of(program, options, goal).by(prepare_to_prove, |_, _| {})
    }

    /// The same, of a program that may grow. If the program has grown, and `before` is the translation
    /// before, only what is new is translated, if that can be ([`Task::has_grown`]).
    ///
    /// # Errors
    /// As for [`Task::new`].
    pub fn to_grow(
        program: Arc<Program>,
        options: &Options,
        goal: &Goal,
        before: Option<(&Prepared, &Growth)>,
    ) -> Result<Task, SolveError> {
        let translating = Translating::of(program, options, goal);
        if !translating.can_grow() {
            return translating.by(prepare_to_grow, |_, _| {});
        }
        let Some((before, growth)) = before else {
            let prepared = translating.translated(prepare_to_grow, |_, _| {})?;
            return Ok(translating.growing(prepared, false));
        };
        let (auxiliaries, steps) = (options.auxiliaries(), options.preprocess);
        let translate =
            |new: &Program| prepare(new, true, auxiliaries).map(|prepared| prepared.preprocess(new, steps));
        let prepared = before.grown(&translating.program, growth, options.longest_head, translate)?;
        Ok(translating.growing(prepared, true))
    }

    /// The same, of which a search can tell what it has learned in terms of the program.
    ///
    /// # Errors
    /// As for [`Task::new`].
    pub fn with_lemmas(program: Program, options: &Options, goal: &Goal) -> Result<Task, SolveError> {
        let task = Translating::of(program, options, goal).by(prepare_to_grow, |_, _| {})?;
        Ok(Task { nogoods: Some(task.prepared.nogoods.clone()), ..task })
    }

    /// A task with another goal, of this program or another one that has grown from it. Only the growth is
    /// translated, if it is given and that can be; else the program as a whole.
    ///
    /// # Errors
    /// As for [`Task::new`].
    pub fn anew(
        &self,
        program: Arc<Program>,
        goal: &Goal,
        growth: Option<&Growth>,
    ) -> Result<Task, SolveError> {
        match (growth, &self.before_goal) {
            (Some(growth), Some(before)) => {
                Task::to_grow(program, &self.options, goal, Some((before, growth)))
            }
            _ => Task::new(program, &self.options, goal),
        }
    }

    /// Whether preparing the program has found that there is no answer set.
    pub fn is_unsatisfiable(&self) -> bool {
        self.prepared.unsatisfiable
    }

    /// Whether a literal over the program's atoms holds in every answer set, or in none, as far as preparing
    /// has found that. `None` if it does not, or if there is no answer set.
    pub fn fixed(&self, lit: Lit) -> Option<bool> {
        let lit = if self.is_unsatisfiable() { None } else { Some(self.prepared.literal_of(lit)) };
        lit.filter(|lit| lit.is_constant()).map(|lit| lit == Lit::TRUE)
    }

    /// Refuses literals about no atom of the program.
    ///
    /// # Errors
    /// [`SolveError::NoAtom`].
    pub fn check_atoms(&self, lits: &[Lit]) -> Result<(), SolveError> {
        match lits.iter().find(|lit| lit.var().0 >= self.program.atoms) {
            Some(lit) => Err(SolveError::NoAtom(lit.var().0)),
            None => Ok(()),
        }
    }

    /// Whether answer sets are excluded that a symmetry maps to others.
    pub fn are_symmetries_broken(&self) -> bool {
        self.prepared.preprocessed.symmetry_nogoods > 0
    }

    /// Frees what is on a device now and of no use elsewhere, and sets the sums aside.
    pub fn free_nogoods(&mut self) {
        let p = &mut self.prepared;
        p.nogoods = Arc::default();
        (p.candidates, p.preferred, p.directives) = (Vec::new(), Vec::new(), Vec::new());
        p.foundedness = None;
        self.sums = std::mem::take(&mut p.sums);
    }

    /// What verifies answer sets.
    pub fn checker(&self) -> &Checker {
        self.checker.get_or_init(|| Checker::new(&self.program))
    }

    /// A number by which two processes see whether they have prepared the same task: a hash of the program,
    /// and of what became of its atoms, sums, symmetries and goal. The sums must have been set aside
    /// ([`Task::free_nogoods`]).
    pub fn mark(&self) -> u64 {
        *self.mark.get_or_init(|| {
            let mut text = Vec::new();
            // A vector takes everything.
            let _ = self.program.to_aspif(&mut text);
            let counts = &self.prepared.preprocessed;
            let numbers = self.prepared.atom_lit.iter().chain(&self.sums.lits).map(|lit| lit.0 as u64);
            let sums = self.sums.weights.iter().chain(&self.sums.most).map(|&number| number as u64);
            let symmetries = [counts.symmetries, counts.symmetry_nogoods];
            let bytes = text.into_iter().chain(format!("{:?}", self.plan.goal()).into_bytes()).map(u64::from);
            let all = numbers.chain(sums).chain(symmetries).chain(bytes);
            all.fold(self.prepared.vars as u64, |mark, number| mix(mark ^ mix(number)))
        })
    }

    /// The program.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// Ends the task. Returns what is left of it for a task of the program after it has grown: the
    /// translation without what the goal adds, or else with it.
    pub fn into_translation(self) -> Arc<Prepared> {
        self.before_goal.unwrap_or_else(|| Arc::new(self.prepared))
    }

    /// The program without what preparing found to hold in every answer set, or in none. Of a program without
    /// answer sets nothing is simplified.
    pub fn simplified(&self) -> Program {
        simplified(&self.program, &self.prepared)
    }

    /// Where the problem is prepared, and where the search begins unless that is left to fleets. Fleets go
    /// from one answer set to a better one. If the strategy has a guide, that leads a searcher on the
    /// processor meanwhile.
    pub fn first_device(&self) -> DeviceKind {
        let options = &self.options;
        // A search that is proved has no fleet for a program with head cycles.
        let may_have_fleet = self.plan.phase() == Phase::Improve && self.program.disjunctions.is_empty();
        match may_have_fleet && options.guides_beside_fleets() {
            true => DeviceKind::Cpu,
            false => options.first_device(),
        }
    }

    /// The first of the options that the task was prepared with and that `options` say otherwise, by its
    /// field.
    pub fn differs(&self, options: &Options) -> Option<&'static str> {
        differs(&self.options, options)
    }
}

/// The first option by which two tasks are prepared otherwise, by its field.
pub fn differs(of: &Options, options: &Options) -> Option<&'static str> {
    let follows = |options: &Options| options.heuristic == Heuristic::Domain;
    [
        ("device", of.device != options.device),
        ("decide", of.decide != options.decide),
        ("heuristic", follows(of) != follows(options)),
        ("sign_def", of.sign_def != options.sign_def),
        ("seed", options.sign_def == SignDef::Rnd && of.seed != options.seed),
        ("sign_fix", of.sign_fix != options.sign_fix),
        ("simplify", of.simplify != options.simplify),
        ("preprocess", of.preprocess != options.preprocess),
        ("symmetry", (of.symmetry == Symmetry::Yes) != (options.symmetry == Symmetry::Yes)),
        ("longest_head", of.longest_head != options.longest_head),
        ("trans_ext", of.trans_ext != options.trans_ext),
    ]
    .into_iter()
    .find(|&(_, differs)| differs)
    .map(|(name, _)| name)
}

/// A task that is being made.
struct Translating<'a> {
    program: Arc<Program>,
    options: &'a Options,
    goal: &'a Goal,
    /// What [`Plan::prepare`] says.
    asked: Vec<bool>,
    /// Whether the goal has added something to the program.
    is_changed: bool,
    started: Instant,
}

impl<'a> Translating<'a> {
    fn of(program: impl Into<Arc<Program>>, options: &'a Options, goal: &'a Goal) -> Translating<'a> {
        let (started, mut program) = (Instant::now(), program.into());
        let size = program.size();
        let asked = Plan::prepare(&mut program, goal);
        if options.heuristic == Heuristic::Domain && program.has_long_directives() {
            Arc::make_mut(&mut program).shorten_directives();
        }
        Translating { is_changed: program.size() != size, program, options, goal, asked, started }
    }

    /// Whether a translation of the program can grow with it: decisions may be on any variable, so that
    /// nothing depends on which rules there are, and the program is as it was read.
    fn can_grow(&self) -> bool {
        let Options { simplify, decide, heuristic, .. } = *self.options;
        let is_advised = heuristic == Heuristic::Domain && !self.program.heuristics.is_empty();
        simplify && decide == Decide::Any && !self.is_changed && !is_advised
    }

    /// The program's translation, without what the goal adds. `exclude` may add nogoods.
    fn translated(
        &self,
        prepare: impl Fn(&Program, bool, Auxiliaries) -> Result<Prepared, TooLarge>,
        exclude: impl FnOnce(&Program, &mut Prepared),
    ) -> Result<Prepared, SolveError> {
        let Options { simplify, preprocess, .. } = *self.options;
        let mut prepared = prepare(&self.program, simplify, self.options.auxiliaries())?;
        if !prepared.unsatisfiable {
            exclude(&self.program, &mut prepared);
        }
        Ok(if simplify { prepared.preprocess(&self.program, preprocess) } else { prepared })
    }

    /// The task of a translation.
    fn by(
        self,
        prepare: impl Fn(&Program, bool, Auxiliaries) -> Result<Prepared, TooLarge>,
        exclude: impl FnOnce(&Program, &mut Prepared),
    ) -> Result<Task, SolveError> {
        let prepared = self.translated(prepare, exclude)?;
        Ok(self.task(prepared))
    }

    /// The task of a translation that may grow.
    fn growing(self, prepared: Prepared, has_grown: bool) -> Task {
        let before_goal = Some(Arc::new(prepared.clone()));
        Task { before_goal, has_grown, ..self.task(prepared) }
    }

    /// Adds what the goal asks for.
    fn task(self, mut prepared: Prepared) -> Task {
        let Translating { program, options, goal, asked, started, .. } = self;
        if options.decide == Decide::Any {
            prepared.decide_any(first_sign(options));
        }
        let plan = Plan::new(&program, asked, &mut prepared, goal);
        if options.decide == Decide::Any && options.sign_fix {
            prepared.prefer_first();
        }
        if options.heuristic == Heuristic::Domain {
            prepared.follow(&program);
        }
        Task {
            program,
            prepared,
            sums: SumStore::default(),
            before_goal: None,
            nogoods: None,
            has_grown: false,
            plan,
            checker: OnceLock::new(),
            mark: OnceLock::new(),
            options: *options,
            prepare_seconds: started.elapsed().as_secs_f64(),
        }
    }
}

/// See [`Task::symmetries`].
fn symmetries_of(
    program: &Program,
    prepared: &Prepared,
    least: u32,
    interrupt: &dyn Fn() -> bool,
) -> Option<Found> {
    let is_open = |atom: Var| !prepared.literal_of(Lit::t(atom)).is_constant();
    symmetry::find(simplified(program, prepared), is_open, least, interrupt)
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

/// What a decision makes a variable at first: true or not, by the variable and whether the variable is an
/// atom.
fn first_sign(options: &Options) -> impl Fn(Var, bool) -> bool {
    let (sign, seed) = (options.sign_def, options.seed);
    move |var, is_atom| match sign {
        SignDef::Asp => !is_atom,
        SignDef::Pos => true,
        SignDef::Neg => false,
        SignDef::Rnd => mix(mix(seed).wrapping_add(var.0 as u64)) & 1 == 1,
    }
}
