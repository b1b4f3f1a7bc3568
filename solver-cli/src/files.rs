//! The files that `--trace`, `--proof` and `--lemma-out` name.
//!
//! Main types: [`WholeFile`], and [`ProofRequest`], whose file is written by a thread of its own
//! (`proof_file.rs`).
//! Invariant: such a file ends with a whole piece (a line, a step) of what was written, also if the disk is full.

use std::error::Error;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use solver_host::output::{LemmaStyle, Trouble};
use solver_host::search::{Part, ProofFormat};
use solver_host::text;

use super::exit::Known;

/// What a search is traced to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceRequest {
    /// The file.
    pub path: PathBuf,
    /// The most events; 0: any number.
    pub limit: u64,
}

/// What a proof is written to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProofRequest {
    /// The file; `-` is standard output. Without one the proof is only checked.
    pub path: Option<PathBuf>,
    /// What asks for a checker that reads along, if something does.
    pub checked_by: Option<&'static str>,
    /// Text or bytes.
    pub format: ProofFormat,
    /// Whether the file is compressed; what the checker reads is not.
    pub is_compressed: bool,
    /// Which part of the proof the file has, if several processes write a part each.
    pub part: Option<Part>,
}

impl ProofRequest {
    /// The request for the part with this number, in a file with the number after the name. The first part is
    /// in the file of this name.
    pub fn of_part(&self, part: Part) -> ProofRequest {
        let mut path = self.path.clone();
        if let Some(path) = path.as_mut().filter(|_| !part.is_first()) {
            path.as_mut_os_string().push(format!(".{}", part.number));
        }
        ProofRequest { path, part: Some(part), ..self.clone() }
    }

    /// Whether the proof goes to standard output.
    pub fn is_printed(&self) -> bool {
        self.path.as_ref().is_some_and(|path| path.as_os_str() == "-")
    }

    /// The option that asks for a proof.
    pub fn option(&self) -> &'static str {
        match self.path {
            Some(_) => "--proof",
            None => "--check=proof",
        }
    }
}

/// Which lemmas are written, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LemmaRequest {
    /// The file.
    pub path: PathBuf,
    /// Which lemmas, and how.
    pub style: LemmaStyle,
}

/// A file of whole pieces.
pub struct WholeFile {
    file: File,
    /// What errors call it: who hears of them may be another process.
    name: String,
    written: u64,
}

impl WholeFile {
    /// Begins the file anew. `what` is what will be in the file: the name of the option that names it, without hyphens.
    ///
    /// # Errors
    /// If it cannot be written, with the file's name.
    pub fn create(what: &str, path: &Path) -> Result<WholeFile, Box<dyn Error>> {
        let file = File::create(path).map_err(|error| {
            let file = text::of_os(path);
            let told =
                format!("cannot write the {what} {file}: {error}; --{what} wants a file that can be written");
            Known(Trouble::Write, told)
        })?;
        Ok(WholeFile::of(file, text::of_os(path)))
    }

    /// Goes on with an open file, in which nothing was written yet and which errors call by this name.
    pub fn of(file: File, name: String) -> WholeFile {
        WholeFile { file, name, written: 0 }
    }
}

impl Write for WholeFile {
    /// Writes all of the bytes or none of them. An error names the file.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.file.write_all(bytes) {
            Ok(()) => {
                self.written += bytes.len() as u64;
                Ok(bytes.len())
            }
            Err(error) => {
                // A pipe or a device has no length.
                let _ = self.file.set_len(self.written);
                Err(io::Error::new(error.kind(), format!("{}: {error}", self.name)))
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
