//! Keeping the ground program in a file that is whole or not there.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use super::error::ReadError;
use super::guard::Guard;

/// A file that gets its name when it is whole.
pub(super) struct Kept {
    path: PathBuf,
    pub file: File,
    /// What it is called until then; none for a device or a pipe, which is written as it is.
    partial: Option<PathBuf>,
}

impl Kept {
    /// What is to become `path`.
    pub fn create(path: &Path, guard: &Guard) -> Result<Self, ReadError> {
        let failed = |error| ReadError::NotKept { path: path.to_path_buf(), error };
        // What a link points to is replaced, not the link.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        if fs::metadata(&path).is_ok_and(|about| !about.is_file()) {
            let file = File::options().write(true).open(&path).map_err(failed)?;
            return Ok(Kept { path, file, partial: None });
        }
        let mut name = path.file_name().unwrap_or_default().to_os_string();
        name.push(format!(".{}.part", std::process::id()));
        let partial = path.with_file_name(name);
        let file = File::create_new(&partial).map_err(failed)?;
        guard.lock().partial = Some(partial.clone());
        Ok(Kept { path, file, partial: Some(partial) })
    }

    /// Gives the file its name.
    pub fn commit(mut self, guard: &Guard) -> Result<(), ReadError> {
        let mut guarded = guard.lock();
        if guarded.stopped {
            return Err(ReadError::Stopped);
        }
        let written = self.file.flush().and_then(|()| match &self.partial {
            Some(partial) => fs::rename(partial, &self.path),
            None => Ok(()),
        });
        match written {
            Ok(()) => {
                guarded.partial = None;
                Ok(())
            }
            Err(error) => {
                guarded.end();
                Err(ReadError::NotKept { path: self.path, error })
            }
        }
    }
}
