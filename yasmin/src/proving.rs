//! Proofs of what several questions have been answered: [`ProofFiles`].

use solver_host::program::Program;
use solver_host::search::{Goal, Options, ProofFormat, ProofSink, SolveError, Solver};
use std::io::{self, Write};

/// Why propagators and proofs do not go together.
pub(crate) const PROPAGATED: &str =
    "a search with propagators cannot be proved: what they demand does not follow from the program";

/// Why difference constraints are not proved here.
const DIFFERENCES: &str =
    "difference constraints are proved by the command alone: write the program to a file, and say --proof";

/// What a ground program and a proof are written to.
pub struct ProofFiles {
    /// The ground program, in aspif.
    pub program: Box<dyn Write + Send>,
    /// The proof, in its binary form. Another thread may write it.
    pub proof: Box<dyn Write + Send>,
}

/// Opens the files of proofs, one after the other.
pub(crate) struct Proofs {
    open: Box<dyn FnMut(u64) -> io::Result<ProofFiles> + Send>,
    count: u64,
}

impl Proofs {
    pub fn new(open: impl FnMut(u64) -> io::Result<ProofFiles> + Send + 'static) -> Proofs {
        Proofs { open: Box::new(open), count: 0 }
    }

    /// A solver that is proved.
    pub fn solver(
        &mut self,
        mut program: Program,
        options: Options,
        goal: &Goal,
    ) -> Result<Solver, SolveError> {
        // Their atoms would stand in the program that is written.
        SolveError::refuse(program.differences.is_some(), DIFFERENCES)?;
        self.count += 1;
        program.number_by_place();
        let failed = |error: io::Error| SolveError::Proof(error.to_string());
        let mut files = (self.open)(self.count).map_err(failed)?;
        program.to_aspif(&mut files.program).and_then(|()| files.program.flush()).map_err(failed)?;
        let sink = ProofSink { to: files.proof, format: ProofFormat::Binary, part: None };
        Solver::proved(program, options, goal.clone(), sink)
    }
}
