//! Stands in for reading until the parsers land: the same name and path.
//!
//! To wire: `sed -i 's/solver_host::pending::/solver_host::/'` on `solver-host/src/cli/engine.rs` and
//! `tests/src/conform.rs`, then delete this file and its line in `lib.rs`.
#![allow(missing_docs)]

pub mod input {
    use crate::program::Program;

    #[derive(Debug, thiserror::Error)]
    #[error("reading is not there yet")]
    pub struct InputError;

    pub fn read_files(_files: &[std::path::PathBuf]) -> Result<Program, InputError> {
        Err(InputError)
    }
}
