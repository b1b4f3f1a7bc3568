//! yasmin, an Answer Set Programming solver, as a library: ground once, and ask many questions.
//!
//! A [`Control`] holds a program, which may grow, and keeps what its searches have learned. A [`Question`]
//! says which answer sets are wanted: under which assumptions, how many, the best ones, what all of them have
//! in common, and for how long to search. The answers come one by one.
//!
//! ```
//! use yasmin::{Control, External, Options, Question};
//!
//! // `{a; b}. :- a, b.` as a grounder writes it. `Control::from_text` grounds.
//! let ground = "asp 1 0 0\n1 1 2 1 2 0 0\n1 0 0 0 2 1 2\n4 1 a 1 1\n4 1 b 1 2\n0\n";
//! let mut control = Control::read("example", ground.as_bytes(), Options::on_processor())?;
//! let [a, b] = [control.literal("a").unwrap(), control.literal("b").unwrap()];
//!
//! // All answer sets.
//! let mut found: Vec<String> = Vec::new();
//! for answer in control.solve(&Question::new())? {
//!     found.push(answer?.names().collect::<Vec<_>>().join(" "));
//! }
//! found.sort();
//! assert_eq!(found, ["", "a", "b"]);
//!
//! // Under assumptions that exclude each other.
//! let mut answers = control.solve(&Question::new().assume([a, b]))?;
//! assert!(answers.next().is_none());
//! assert_eq!(answers.core(), Some(&[a, b][..]));
//!
//! // The program grows: `c :- a, not e. #show c.`, where `e` is external.
//! let [c, e] = [control.atom(), control.atom()];
//! control.external(e, External::False)?;
//! control.rule(&[c], &[a, !e.positive()])?;
//! control.show("c", &[c.positive()])?;
//! let answer = control.solve(&Question::new().assume([a]).limit(1))?.next().unwrap()?;
//! assert_eq!(answer.names().collect::<Vec<_>>(), ["a", "c"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Everything that the interface names is here. [`solver_host`] has the parts that the solver is made of.

/// The examples of the pages are tests.
#[cfg(doctest)]
#[doc = include_str!("../library.md")]
#[doc = include_str!("../questions.md")]
pub struct Page;

mod answer;
mod answers;
mod asked;
mod atom;
mod cancel;
mod control;
mod cores;
mod error;
mod facets;
mod known;
mod lent;
mod many;
mod own;
mod past;
mod prepared;
mod propagator;
mod proved;
mod proving;
mod question;
mod rules;
mod settings;
mod steps;
mod term;
mod theory;

pub use answer::Answer;
pub use answers::Answers;
pub use asked::{Asked, Progress};
pub use atom::{Atom, Literal};
pub use cancel::Cancel;
pub use control::Control;
pub use cores::MinimalCores;
pub use error::Error;
pub use facets::{Facets, Holds};
pub use many::{Replies, Reply};
pub use past::Translated;
pub use propagator::{Assignment, Init, Propagating, Propagator};
pub use proving::ProofFiles;
pub use question::Question;
pub use solver_host::device::DeviceKind;
pub use solver_host::input::{Kind, Message};
pub use solver_host::program::{Brackets, DomainModification, External, Modifier};
pub use solver_host::search::{
    Check, Checks, Consequences, Decide, Descent, Engine, Failure, Goal, GpuMemory, GpuSearchers, Heuristic,
    Learning, LoopCheck, OptStrategy, Optimization, Options, ParallelMode, Portfolio, Preprocess, Projection,
    Racers, Reasoning, Restarts, SaveProgress, SearcherThreads, Shrink, SignDef, SolveError, Statistics,
    Symmetry, TransExt, Usc, Validity, When,
};
pub use solver_host::text;
pub use term::{Term, TermError, TermScan};
pub use theory::{TheoryElement, TheoryTerm};

// Solvers may be made on one thread and used on another.
const _: () = {
    const fn is_send<T: Send>() {}
    is_send::<Control>();
    is_send::<Answer>();
};
