//! The file that `--trace` names.
//!
//! Main type: [`TraceFile`]. Invariant: the file ends with a whole line, also if the disk is full.

use std::error::Error;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// What a search is traced to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceRequest {
    /// The file.
    pub path: PathBuf,
    /// The most events; 0: any number.
    pub limit: u64,
}

/// A file of whole lines, each piece of which ends with a line.
pub struct TraceFile {
    file: File,
    written: u64,
}

impl TraceFile {
    /// Begins the file anew.
    ///
    /// # Errors
    /// If it cannot be written, with the file's name.
    pub fn create(path: &Path) -> Result<TraceFile, Box<dyn Error>> {
        let file = File::create(path).map_err(|error| {
            format!(
                "cannot write the trace {}: {error}; --trace wants a file that can be written",
                path.display()
            )
        })?;
        Ok(TraceFile { file, written: 0 })
    }
}

impl Write for TraceFile {
    /// Writes all of the bytes or none of them.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.file.write_all(bytes) {
            Ok(()) => {
                self.written += bytes.len() as u64;
                Ok(bytes.len())
            }
            Err(error) => {
                // A pipe or a device has no length.
                let _ = self.file.set_len(self.written);
                Err(error)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
