//! What tests of the book have in common: main function [`compare`].

use std::path::{Path, PathBuf};

/// The folder of the book's pages.
pub fn book() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../book/src")
}

/// Compares a file of the book with what it should hold. With `UPDATE` in the environment, writes it.
pub fn compare(name: &str, wanted: &str) {
    let path = book().join(name);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(&path, wanted).expect("the file can be written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert!(
        found == wanted,
        "{} is out of date (UPDATE=1 cargo test -p lessons)\nit holds:\n{found}\nit should hold:\n{wanted}",
        path.display()
    );
}
