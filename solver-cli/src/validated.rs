//! What is asked for: the typed arguments, put together and turned into the library's terms.

use std::path::PathBuf;
use std::time::Duration;

use clap::error::ErrorKind;
use clap::CommandFactory;
use solver_host::input::ground::Grounding;
use solver_host::output::{AtomText, Format, LemmaStyle, Quiet, Style};
use solver_host::program::{DomainModification, Program};

use super::args::{Args, EnumMode, FacetsAs, Theory};
use super::clingo::values::Bounds;
use super::clingo::values::{Deletion, GrounderOutput, LemmaDomain, Mode, SolveLimit};
use super::clingo::Accepted;
use super::files::{LemmaRequest, ProofRequest, TraceRequest};
use solver_host::device::DeviceKind;
use solver_host::search::{
    Check, Goal, Optimization, Options, ParallelMode, Projection, ProofFormat, Reasoning, Symmetry,
};
use solver_host::text;

/// One run of the command.
#[derive(Clone, Debug)]
pub struct Request {
    /// What to read; `-` is standard input. Never empty.
    pub files: Vec<PathBuf>,
    /// The names of the inputs as they are printed. As for clasp, standard input is `stdin` unless `-` was
    /// typed.
    pub input_names: Vec<String>,
    /// How to ground what is not ground.
    pub grounding: Grounding,
    /// How many answer sets to find at most, if that was said; 0: all.
    pub models: Option<u64>,
    /// Which answer sets to look for, if costs have 64 bits.
    pub goal: Goal,
    /// The largest costs that an answer set may have, as a user is told them.
    pub bound: Vec<i128>,
    /// Names that are to hold, or not to hold.
    pub assumptions: Vec<(String, bool)>,
    /// How to search.
    pub options: Options,
    /// Where to write what the search does.
    pub trace: Option<TraceRequest>,
    /// Where to write what proves the results.
    pub proof: Option<ProofRequest>,
    /// Where to write what the search has learned.
    pub lemmas: Option<LemmaRequest>,
    /// Whether to say why there is no answer set, if there is none.
    pub explains: bool,
    /// How to print.
    pub style: Style,
    /// Which statistics to print: 0: none, 1: the basic ones, 2: all.
    pub stats: u8,
    /// How long the run may take, from the start of the process.
    pub time_limit: Option<Duration>,
    /// What is done with the program.
    pub task: Task,
    /// Where questions are read from; `-` is standard input.
    pub questions: PathBuf,
    /// How many conflicts and restarts the search may take.
    pub solve_limit: Option<SolveLimit>,
    /// Costs at which an answer set ends the search, highest priority first.
    pub opt_stop: Option<Bounds>,
    /// What the domain heuristic does by default.
    pub domain: Option<DomainModification>,
    /// Whether each answer set excludes all that deviate from the domain heuristic as it does, or more.
    pub records_domain: bool,
    /// The integer variable to minimize, if one is.
    pub minimized: Option<String>,
    /// Whether supported models are looked for, and not answer sets alone.
    pub supported: bool,
    /// Whether each disjunction of a formula without weights is soft.
    pub maxsat: bool,
    /// Whether names that begin with an underscore are printed.
    pub shows_auxiliary: bool,
    /// Where default options are from, if there are any.
    pub defaults_from: Option<String>,
    /// What is told on standard error before the work begins, a line each.
    pub notes: Vec<String>,
}

/// What is done with a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// The program is solved, after it was grounded if need be.
    Solve,
    /// The program is solved and has to be ground.
    SolveGround,
    /// The grounder prints what it is asked for.
    Ground,
    /// The ground program is printed after it was simplified.
    Simplify,
    /// Many questions are answered.
    Answer,
    /// What is shown is told apart by the answer sets that it is in.
    Facets(FacetsAs),
}

impl Task {
    /// Whether a program is printed, and nothing is searched.
    pub fn prints_program(self) -> bool {
        matches!(self, Task::Ground | Task::Simplify)
    }
}

/// As many learned nogoods as can be kept.
const MOST_LEARNED: u32 = 1 << 28;

impl Request {
    /// Whether a program, or questions, are read from standard input.
    pub fn reads_input(&self) -> bool {
        self.files.iter().chain([&self.questions]).any(|file| file.as_os_str() == "-")
    }

    /// What is asked for by what was typed.
    ///
    /// # Errors
    /// If what was typed does not go together.
    pub fn new(typed: Args, accepted: Accepted) -> Result<Self, clap::Error> {
        let mut request = Request::try_from(typed)?;
        request.grounding.arguments.extend(accepted.grounder);
        request.notes = accepted.notes;
        Ok(request)
    }

    /// Whether the search writes to a file, which ends in order.
    pub fn writes_files(&self) -> bool {
        self.trace.is_some() || self.proof.is_some() || self.lemmas.is_some()
    }

    /// Whether a checker reads a proof along.
    pub fn checks_proof(&self) -> bool {
        self.proof.as_ref().is_some_and(|proof| proof.checked_by.is_some())
    }

    /// The option that asks for a proof, if there is to be one.
    pub fn proof_option(&self) -> &'static str {
        self.proof.as_ref().map_or("--proof", ProofRequest::option)
    }

    /// Whether theory atoms are difference constraints. Their language is defined for such a program.
    pub fn reads_differences(&self) -> bool {
        self.grounding.differences
    }

    /// Whether many questions are asked, or what one comes to is told by many.
    pub fn asks_many(&self) -> bool {
        matches!(self.task, Task::Answer | Task::Facets(_))
    }

    /// The option that is for programs of one step, if there is one.
    pub fn wants_one_step(&self) -> Option<&'static str> {
        let options = [
            (self.proof.is_some(), self.proof_option()),
            (self.trace.is_some(), "--trace"),
            (self.lemmas.is_some(), "--lemma-out"),
            (self.explains, "--explain"),
            (self.supported, "--supp-models"),
            (self.minimized.is_some(), "--minimize-variable"),
            (!self.assumptions.is_empty(), "--assume"),
            (self.options.symmetry == Symmetry::Yes, "--symmetry=yes"),
        ];
        options.into_iter().find_map(|(is_given, option)| is_given.then_some(option))
    }

    /// Whether something goes to standard output.
    pub fn prints(&self) -> bool {
        self.style.format != Format::None || self.task.prints_program() || self.task == Task::Answer
    }

    /// Which answer sets of a program to look for.
    pub fn goal_of(&self, program: &Program) -> Goal {
        Goal { bound: program.bound_of(&self.bound), ..self.goal.clone() }
    }

    /// Whether an optimum is looked for, in a program that minimizes or not.
    pub fn optimizes(&self, minimizes: bool) -> bool {
        minimizes && matches!(self.goal.optimization, Optimization::Opt | Optimization::OptN)
    }

    /// Whether the search may end before the best answer set is known to be the best: if only so many are
    /// wanted, whatever they are.
    pub fn leaves_optimum_open(&self, minimizes: bool) -> bool {
        self.optimizes(minimizes) && self.goal.optimization == Optimization::Opt && self.limit(minimizes) != 0
    }

    /// How many answer sets to find at most, in a program that minimizes or not; 0: all.
    pub fn limit(&self, minimizes: bool) -> u64 {
        let all = self.optimizes(minimizes) || self.goal.reasoning != Reasoning::Enumerate;
        self.models.unwrap_or(if all { 0 } else { 1 })
    }
}

impl TryFrom<Args> for Request {
    type Error = clap::Error;

    fn try_from(typed: Args) -> Result<Self, clap::Error> {
        let proof = proof_of(&typed)?;
        // As with clasp, a positional argument that is a number is not a file but the number of answer sets.
        let mut models = typed.models.and_then(|models| u64::try_from(models).ok());
        let mut files = Vec::new();
        for word in typed.files {
            match word.parse::<u64>() {
                Ok(_) if models.is_some() => {
                    let twice =
                        format!("the number of answer sets is given twice (for a file, type ./{word})");
                    refuse(Some(twice))?;
                }
                Ok(n) => models = Some(n),
                Err(_) => files.push(real(word.into())),
            }
        }
        let mut input_names: Vec<String> = files.iter().map(text::of_os).collect();
        if files.is_empty() {
            files.push("-".into());
            input_names.push("stdin".into());
        }
        let read = files.iter().chain(&typed.questions);
        let reads_twice = read.filter(|file| file.as_os_str() == "-").count() > 1;
        refuse(reads_twice.then(|| "standard input can be read only once".into()))?;
        let reasoning = match typed.enum_mode {
            EnumMode::Brave => Reasoning::Brave,
            EnumMode::Cautious => Reasoning::Cautious,
            _ if typed.brave => Reasoning::Brave,
            _ if typed.cautious => Reasoning::Cautious,
            EnumMode::Auto | EnumMode::Bt | EnumMode::Record | EnumMode::DomRec => Reasoning::Enumerate,
        };
        let format = match typed.outf {
            _ if typed.json_lines => Format::JsonLines,
            _ if typed.json => Format::Json,
            Some(1) => Format::Competition,
            Some(2) => Format::Json,
            Some(3) => Format::None,
            _ => Format::Text,
        };
        let has_default_quiet = typed.quiet.is_none();
        let quiet = typed.quiet.unwrap_or(Quiet::default_of(format));
        let clingo = typed.clingo;
        let mut grounder_arguments = Vec::new();
        if clingo.text {
            grounder_arguments.push("--text".to_string());
        }
        if let Some(GrounderOutput(format)) = &clingo.output {
            grounder_arguments.push(format!("--output={format}"));
        }
        let prints_ground = clingo.text || clingo.output.is_some();
        let task = match clingo.mode {
            _ if prints_ground => Task::Ground,
            Mode::Gringo => Task::Ground,
            _ if clingo.pre.is_some() => Task::Simplify,
            _ if typed.questions.is_some() => Task::Answer,
            Mode::Clingo if typed.facets.is_some() => Task::Facets(typed.facets.unwrap_or(FacetsAs::Kinds)),
            Mode::Clasp => Task::SolveGround,
            Mode::Clingo => Task::Solve,
        };
        let mut options = typed.options;
        if clingo.deletion == Some(Deletion::No) {
            options.keep_learned = MOST_LEARNED;
        }
        if options.check == Check::Proof {
            // The checker verifies each answer set of the proof.
            options.check = Check::Auto;
        }
        refuse(options.contradiction())?;
        let trace = typed.trace.map(|path| TraceRequest { path: real(path), limit: typed.trace_limit });
        refuse(trace.as_ref().and_then(|trace| refuses_trace(trace, task, &options)))?;
        let asks_hidden = clingo.out_hide_aux && reasoning != Reasoning::Enumerate;
        refuse(proof.as_ref().and_then(|proof| refuses_proof(proof.option(), task, asks_hidden, &options)))?;
        refuse(refuses_file("explain", task).filter(|_| typed.explain))?;
        let proved_by = proof.as_ref().map(ProofRequest::option);
        refuse(refuses_symmetry(proved_by, reasoning, typed.opt_mode.mode, &options))?;
        let lemmas = clingo.lemma_out.map(|path| LemmaRequest {
            path: real(path),
            style: LemmaStyle {
                most_lbd: clingo.lemma_out_lbd.unwrap_or(u32::MAX),
                most: clingo.lemma_out_max.unwrap_or(u64::MAX),
                shown_only: clingo.lemma_out_dom == Some(LemmaDomain::Output),
                as_text: clingo.lemma_out_txt,
            },
        });
        let is_assumed = !typed.assume.is_empty();
        refuse(lemmas.as_ref().and_then(|lemmas| refuses_lemmas(lemmas, task, is_assumed, &options)))?;
        let records_domain = typed.enum_mode == EnumMode::DomRec;
        let is_written = trace.is_some() || proof.is_some();
        let excludes = task == Task::Answer && records_domain;
        refuse(excludes.then(|| "--questions: each answer set excludes others with domRec".into()))?;
        let counts_facets = matches!(task, Task::Facets(_)) && models.is_some();
        let of_all = "--facets is about all answer sets: leave the number of them (-n) out";
        refuse(counts_facets.then(|| of_all.into()))?;
        refuse(refuses_recording(task, is_written, &options).filter(|_| records_domain))?;
        let is_plain = reasoning == Reasoning::Enumerate
            && typed.opt_mode.mode == Optimization::Opt
            && typed.opt_mode.bound.is_empty()
            && typed.project == Projection::No
            && !records_domain;
        let one_by_one =
            "--minimize-variable goes from answer set to answer set: leave other goals, bounds and projection out";
        refuse((typed.minimize_variable.is_some() && !is_plain).then(|| one_by_one.into()))?;
        let atoms = AtomText { separator: clingo.out_ifs, around: clingo.out_atomf };
        Ok(Request {
            files,
            input_names,
            grounding: Grounding {
                grounder: typed.grounder,
                constants: typed.constants,
                keep: typed.keep_ground.map(real),
                differences: typed.theory != Theory::None,
                arguments: grounder_arguments,
            },
            models,
            goal: Goal {
                reasoning,
                optimization: typed.opt_mode.mode,
                bound: Program::default().bound_of(&typed.opt_mode.bound),
                projection: typed.project,
            },
            bound: typed.opt_mode.bound,
            assumptions: typed.assume.into_iter().flat_map(|literals| literals.0).collect(),
            options,
            trace,
            proof,
            lemmas,
            explains: typed.explain,
            style: Style {
                format,
                quiet,
                has_default_quiet,
                verbosity: typed.verbose,
                progress: typed.progress,
                atoms,
            },
            stats: typed.stats.min(2),
            time_limit: typed.time_limit.filter(|limit| !limit.is_zero()),
            task,
            questions: typed.questions.map(real).unwrap_or_default(),
            solve_limit: clingo.solve_limit,
            opt_stop: clingo.opt_stop.and_then(|asked| asked.0),
            domain: clingo.dom_mod.and_then(|asked| asked.0),
            records_domain,
            minimized: typed.minimize_variable,
            supported: clingo.supp_models,
            maxsat: clingo.parse_maxsat,
            shows_auxiliary: !clingo.out_hide_aux,
            defaults_from: None,
            notes: Vec::new(),
        })
    }
}

/// The path that was typed: the words of the command line are strings as [`text`] has them.
pub fn real(typed: PathBuf) -> PathBuf {
    typed.to_str().map_or(typed.clone(), |typed| text::to_os(typed).into())
}

/// Fails if there is a reason why what was typed does not go together.
fn refuse(why: Option<String>) -> Result<(), clap::Error> {
    match why {
        Some(why) => Err(Args::command().error(ErrorKind::ArgumentConflict, why)),
        None => Ok(()),
    }
}

/// Why such a run writes no file of this sort, if so. `what` is the option's name without hyphens.
fn refuses_file(what: &str, task: Task) -> Option<String> {
    task.prints_program().then(|| format!("--{what} follows a search, and nothing is searched here"))
}

/// What is written of a proof, and who reads it along, if there is to be one.
///
/// # Errors
/// If something else is asked for that goes with no proof that is checked.
fn proof_of(typed: &Args) -> Result<Option<ProofRequest>, clap::Error> {
    let (option, clingo) = ("--check=proof", &typed.clingo);
    let checked_by = match typed.options.check {
        Check::Proof => Some(option),
        Check::All => Some("--check=all with --proof").filter(|_| typed.proof.is_some()),
        _ => None,
    };
    let others = [
        (typed.trace.is_some(), "--trace", "which follows a search in the place of a proof"),
        (clingo.supp_models, "--supp-models", "which need not be answer sets"),
        (clingo.parse_maxsat, "--parse-maxsat", "as formulas are not proved"),
        (clingo.lemma_out.is_some(), "--lemma-out", "which keeps lemmas in the place of a proof"),
        (typed.enum_mode == EnumMode::DomRec, "--enum-mode=domRec", "which excludes answer sets"),
        (typed.questions.is_some(), "--questions", "which makes many searches"),
        (typed.facets.is_some(), "--facets", "which makes many searches"),
    ];
    let other = others.into_iter().find(|(is_given, ..)| checked_by == Some(option) && *is_given);
    refuse(other.map(|(_, other, why)| {
        format!("{option} is not possible with {other}, {why}; leave out one of them")
    }))?;
    let path = typed.proof.clone().map(real);
    let is_asked = path.is_some() || checked_by.is_some();
    Ok(is_asked.then(|| ProofRequest {
        // What only the checker reads need not be text.
        format: if path.is_some() { typed.proof_format } else { ProofFormat::Binary },
        path,
        checked_by,
        is_compressed: typed.proof_compress,
        part: None,
    }))
}

/// Why such a run is not proved, if so. `option` asks for the proof, and `asks_hidden` says whether
/// consequences are asked for without auxiliary names.
fn refuses_proof(option: &str, task: Task, asks_hidden: bool, options: &Options) -> Option<String> {
    if let Some(why) = refuses_file(option.trim_start_matches('-'), task) {
        Some(why)
    } else if asks_hidden {
        Some(format!("{option}: consequences are proved of all names: leave --out-hide-aux out"))
    } else {
        options.opt_strategy.undone("proved").map(|why| format!("{option}: {why}"))
    }
}

/// Why the symmetries of a program are not broken in such a run, if they are to be.
fn refuses_symmetry(
    proved_by: Option<&str>,
    reasoning: Reasoning,
    optimization: Optimization,
    options: &Options,
) -> Option<String> {
    let proof =
        proved_by.map(|option| format!("{option}, which says nothing of answer sets that are excluded"));
    let with = match &proof {
        _ if options.symmetry != Symmetry::Yes => return None,
        Some(proof) => proof,
        _ if reasoning != Reasoning::Enumerate => "consequences, which follow from all answer sets",
        _ if optimization == Optimization::OptN => "--opt-mode=optN, which tells all optimal answer sets",
        _ => return None,
    };
    Some(format!("--symmetry=yes is not possible with {with}; leave out one of them"))
}

/// Why such a run writes no lemmas, if so. `is_assumed` says whether literals are assumed.
fn refuses_lemmas(lemmas: &LemmaRequest, task: Task, is_assumed: bool, options: &Options) -> Option<String> {
    if let Some(why) = refuses_file("lemma-out", task) {
        Some(why)
    } else if lemmas.path.as_os_str() == "-" {
        Some("--lemma-out wants a file, because standard output has the results".into())
    } else if is_assumed {
        Some(
            "--lemma-out: lemmas may rest on what --assume says: add that to the program as constraints"
                .into(),
        )
    } else if options.symmetry == Symmetry::Yes {
        Some("--lemma-out and --symmetry=yes, which excludes answer sets: leave out one of them".into())
    } else {
        None
    }
}

/// Why such a run does not record domain atoms, if so. `is_written` says whether it is traced or proved.
fn refuses_recording(task: Task, is_written: bool, options: &Options) -> Option<String> {
    let what = "--enum-mode=domRec";
    if task.prints_program() {
        Some(format!("{what} is about a search, and nothing is searched here"))
    } else if is_written {
        Some(format!(
            "{what} excludes answer sets, which no trace or proof tells: leave --trace and --proof out"
        ))
    } else if options.symmetry == Symmetry::Yes {
        Some(format!("{what} and --symmetry=yes each exclude answer sets; leave out one of them"))
    } else {
        names_several(options).map(|remedy| format!("{what} takes one searcher: {remedy}"))
    }
}

/// What to do for a search by one searcher, if the options name several.
fn names_several(options: &Options) -> Option<String> {
    if let ParallelMode::Searchers(n @ 2..) = options.parallel_mode {
        Some(format!("leave -t {n} out, or say -t 1"))
    } else if options.gpu_searchers.number().is_some_and(|n| n > 1) {
        Some(format!("leave --gpu-searchers {} out, or say 1", options.gpu_searchers))
    } else if let DeviceKind::Gpus(_) = options.device {
        Some("name one GPU, as in --device gpu:0".into())
    } else {
        None
    }
}

/// What to do for a search that can be traced, if the options name several searchers off the processor.
fn traces_no_fleet(options: &Options) -> Option<String> {
    match (options.parallel_mode, options.device) {
        (ParallelMode::Searchers(2..), DeviceKind::Auto | DeviceKind::Cpu) => {
            let threads = ParallelMode::Searchers(1);
            names_several(&Options { parallel_mode: threads, ..*options })
        }
        _ => names_several(options),
    }
}

/// Why such a run is not traced, if so.
fn refuses_trace(trace: &TraceRequest, task: Task, options: &Options) -> Option<String> {
    if let Some(why) = refuses_file("trace", task) {
        Some(why)
    } else if trace.path.as_os_str() == "-" {
        Some("--trace wants a file, because standard output has the results".into())
    } else if let Some(remedy) = traces_no_fleet(options) {
        Some(format!("--trace follows searchers on the processor, and one on other devices: {remedy}"))
    } else {
        options.opt_strategy.undone("traced")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args;
    use std::ffi::OsString;

    fn request(line: &str) -> Result<Request, clap::Error> {
        let (typed, accepted) = args::parse(line.split_whitespace().map(OsString::from))?;
        Request::new(typed, accepted)
    }

    #[test]
    fn a_bare_number_is_the_number_of_answer_sets() {
        let all = request("yasmin f.aspif 0").expect("valid");
        assert_eq!((all.models, all.input_names), (Some(0), vec!["f.aspif".to_string()]));
        let three = request("yasmin 3").expect("valid");
        assert_eq!((three.models, three.input_names), (Some(3), vec!["stdin".to_string()]));
        assert_eq!(request("yasmin f.aspif").expect("valid").models, None);
        assert!(request("yasmin -n 1 f.aspif 0").is_err());
        assert!(request("yasmin 1 2").is_err());
        assert!(request("yasmin - -").is_err());
    }

    #[test]
    fn the_defaults_are_the_librarys() {
        assert_eq!(request("yasmin").expect("valid").options, Options::default());
    }

    #[test]
    fn a_time_limit_of_zero_is_none() {
        assert_eq!(request("yasmin --time-limit 0").expect("valid").time_limit, None);
        let half = request("yasmin --time-limit 0.5").expect("valid");
        assert_eq!(half.time_limit, Some(Duration::from_millis(500)));
    }

    #[test]
    fn one_answer_set_unless_all_are_needed() {
        for (line, plain, minimizing) in [
            ("yasmin", 1, 0),
            ("yasmin --opt-mode=optN", 1, 0),
            ("yasmin --opt-mode=enum,3", 1, 1),
            ("yasmin --opt-mode=ignore", 1, 1),
            ("yasmin --brave", 0, 0),
            ("yasmin -e cautious --opt-mode=ignore", 0, 0),
            ("yasmin --brave 2", 2, 2),
            ("yasmin -n 3", 3, 3),
        ] {
            let asked = request(line).expect("valid");
            assert_eq!((asked.limit(false), asked.limit(true)), (plain, minimizing), "{line}");
        }
    }

    #[test]
    fn a_number_of_answer_sets_leaves_the_optimum_open() {
        for (line, is_open) in [
            ("yasmin", false),
            ("yasmin 0", false),
            ("yasmin 1", true),
            ("yasmin -n 2 --opt-mode=opt,7", true),
            ("yasmin 1 --opt-mode=optN", false),
            ("yasmin 1 --opt-mode=enum", false),
            ("yasmin 1 --opt-mode=ignore", false),
        ] {
            let asked = request(line).expect("valid");
            assert_eq!(
                (asked.leaves_optimum_open(true), asked.leaves_optimum_open(false)),
                (is_open, false),
                "{line}"
            );
        }
    }

    #[test]
    fn each_format_has_its_number() {
        for (line, format) in [
            ("yasmin", Format::Text),
            ("yasmin --outf=0", Format::Text),
            ("yasmin --outf=1", Format::Competition),
            ("yasmin --outf 2", Format::Json),
            ("yasmin --json", Format::Json),
            ("yasmin --json-lines", Format::JsonLines),
            ("yasmin --outf=3", Format::None),
        ] {
            assert_eq!(request(line).expect("valid").style, Style::new(format), "{line}");
        }
    }

    #[test]
    fn literals_of_all_assumptions_count() {
        let asked = request("yasmin --assume a,p(1,2) --assume b").expect("valid");
        let names: Vec<&str> = asked.assumptions.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["a", "p(1,2)", "b"]);
    }
}
