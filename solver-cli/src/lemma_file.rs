//! The file of `--lemma-out`: what the search has learned, as integrity constraints.
//!
//! Main function: [`LemmaFile::write`]. Invariant: the constraints, added to the program, exclude no answer
//! set.

use std::error::Error;
use std::io::{BufWriter, Write};

use solver_host::output::{write_lemmas, Trouble};
use solver_host::search::Solver;

use super::exit::Known;
use super::files::{LemmaRequest, WholeFile};

/// A file that lemmas are going to be written to.
pub struct LemmaFile {
    request: LemmaRequest,
    file: WholeFile,
}

impl LemmaFile {
    /// Begins the file anew.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn create(request: &LemmaRequest) -> Result<LemmaFile, Box<dyn Error>> {
        Ok(LemmaFile { request: request.clone(), file: WholeFile::create("lemma-out", &request.path)? })
    }

    /// Ends the search, and writes what it has learned.
    ///
    /// # Errors
    /// If the device fails or the file cannot be written.
    pub fn write(self, solver: &mut Solver) -> Result<(), Box<dyn Error>> {
        let LemmaFile { request, file } = self;
        let lemmas = solver.lemmas()?;
        let mut text = BufWriter::new(file);
        let written =
            write_lemmas(&request.style, &lemmas, solver.program(), &mut text).and_then(|()| text.flush());
        Ok(written.map_err(|error| Known(Trouble::Write, format!("cannot write the lemma-out: {error}")))?)
    }
}
