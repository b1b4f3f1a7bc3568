//! The sources of a program that is not ground: [`Source`].

use std::path::{Path, PathBuf};

use crate::text;

/// An input that is not ground, for the grounder.
pub enum Source {
    /// A file, which the grounder opens itself.
    File(PathBuf),
    /// A text from a stream that can be read only once.
    Text(Vec<u8>),
}

/// How an error names a file.
pub fn display_name(file: &Path) -> String {
    match file.to_str() {
        Some("-") => "standard input".into(),
        Some("") => "a file".into(),
        _ => text::of_os(file),
    }
}
