//! The import floors of a crate: which file imports which, and whether any files import each other in a
//! circle.
//!
//! Main functions: [`Crate::read`] and [`Crate::file_cycle`]. An import is a path
//! that starts with `crate::`, `super::` or `self::`, or with the name of a child module, in a `use`
//! declaration or elsewhere in the code. An item that a file only re-exports belongs to the file that defines
//! the item: `crate::Lit` is an import of `lit.rs`.
//!
//! Code that is compiled for tests alone does not count, nor does text in comments and strings.

mod cycle;
mod imports;
mod tokens;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{fs, io};

use imports::Modules;

/// The files of one crate and their imports.
#[derive(Debug)]
pub struct Crate {
    /// Each file with the files that it imports. Files are named by their paths within the source folder.
    imports: BTreeMap<String, BTreeSet<String>>,
}

impl Crate {
    /// Reads all `.rs` files in the source folder `root`.
    ///
    /// `own_name` is the name by which the crate's binary imports the library of the same folder
    /// (`solver_host`).
    ///
    /// # Errors
    /// If a file or folder cannot be read.
    pub fn read(root: &Path, own_name: &str) -> io::Result<Crate> {
        let files = rust_files(root)?;
        Ok(Crate::new(files.iter().map(|(name, text)| (&name[..], &text[..])), own_name))
    }

    /// The crate of the given files, each a path within the source folder and a text.
    pub fn new<'a>(files: impl Iterator<Item = (&'a str, &'a str)>, own_name: &str) -> Crate {
        let modules = Modules::new(files, own_name);
        Crate { imports: modules.imports() }
    }

    /// A cycle of files, as `a.rs -> b.rs -> a.rs`.
    pub fn file_cycle(&self) -> Option<String> {
        cycle::find(&self.imports).map(|files| files.join(" -> "))
    }

    /// The files that `file` imports.
    pub fn imports_of(&self, file: &str) -> Vec<&str> {
        self.imports.get(file).into_iter().flatten().map(String::as_str).collect()
    }
}

/// The paths within `root` and the texts of all `.rs` files there, in the order of their paths.
///
/// # Errors
/// If a file or folder cannot be read.
pub fn rust_files(root: &Path) -> io::Result<Vec<(String, String)>> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(root).expect("the folder is below the root");
                files.push((name.display().to_string(), fs::read_to_string(&path)?));
            }
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(files: &[(&str, &str)]) -> Crate {
        Crate::new(files.iter().copied(), "own")
    }

    #[test]
    fn a_cycle_is_found_and_named() {
        let found = of(&[
            ("lib.rs", "mod a; mod b; mod c;"),
            ("a.rs", "use crate::b::B;"),
            ("b.rs", "fn f() { crate::c::g() }"),
            ("c.rs", "use super::a;"),
        ]);
        assert_eq!(found.file_cycle().as_deref(), Some("a.rs -> b.rs -> c.rs -> a.rs"));
    }

    #[test]
    fn an_item_belongs_to_the_file_that_defines_it() {
        let found = of(&[
            ("lib.rs", "pub mod a; pub mod b; pub use a::{Lit, Var as V}; pub use a::deep as shallow;"),
            ("a/mod.rs", "mod inner; pub mod deep; pub use inner::*; pub struct Var; mod_like!();"),
            ("a/inner.rs", "pub(crate) struct Lit;"),
            ("a/deep.rs", "pub fn f() {}"),
            ("b.rs", "use crate::{Lit, V, shallow::f};"),
        ]);
        assert_eq!(found.imports_of("b.rs"), ["a/deep.rs", "a/inner.rs", "a/mod.rs"]);
        assert_eq!(found.file_cycle(), None);
    }

    #[test]
    fn an_item_of_another_crate_belongs_to_no_file() {
        let found = of(&[
            ("lib.rs", "mod a; pub use other::{A, b}; pub struct C;"),
            ("a.rs", "use crate::{b::B, A};"),
        ]);
        assert_eq!((found.imports_of("a.rs"), found.file_cycle()), (vec![], None));
    }

    #[test]
    fn nested_lists_self_and_paths_in_code_are_read() {
        let found = of(&[
            ("lib.rs", "mod a; mod b; mod c; mod d; mod e;"),
            (
                "a.rs",
                "use crate::{b::{self, X as _}, c};\n fn f(y: super::d::Y) -> own::e::Z { let crates = 1; }",
            ),
            ("b.rs", "pub struct X;"),
            ("c.rs", ""),
            ("d.rs", "pub struct Y;"),
            ("e.rs", "pub struct Z;"),
        ]);
        assert_eq!(found.imports_of("a.rs"), ["b.rs", "c.rs", "d.rs", "e.rs"]);
    }

    #[test]
    fn tests_comments_and_strings_do_not_count() {
        let found = of(&[
            ("lib.rs", "mod a; mod b; #[cfg(test)] mod only;"),
            ("a.rs", "use crate::b::B;"),
            (
                "b.rs",
                r###"//! See [`crate::a`].
                /* crate::a /* nested */ crate::a */
                fn f<'a>(x: &'a str) -> char { "crate::a \" crate::a"; r#"crate::a"#; '"' }
                #[cfg(test)]
                use crate::a::helper;
                #[cfg(all(test, unix))]
                #[allow(dead_code)]
                fn g() { crate::a::f() }
                #[cfg(test)]
                mod tests { use crate::a::*; fn f() { crate::a::g() } }
                "###,
            ),
            ("only.rs", "mod more; use crate::b; use crate::a;"),
            ("only/more.rs", "use crate::a;"),
        ]);
        assert_eq!(found.file_cycle(), None);
        assert_eq!(found.imports_of("b.rs"), [""; 0]);
        assert_eq!(found.imports_of("only/more.rs"), [""; 0]);
    }

    #[test]
    fn what_follows_code_for_tests_counts() {
        let found = of(&[
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "#[cfg(test)] mod tests { fn f() {} } use crate::b::B;"),
            ("b.rs", "#[cfg(not(test))] use crate::a::A;"),
        ]);
        assert_eq!(found.file_cycle().as_deref(), Some("a.rs -> b.rs -> a.rs"));
    }

    #[test]
    fn modules_within_a_file_belong_to_the_file() {
        let found = of(&[
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "pub mod codes { pub const X: u32 = super::Y; } pub const Y: u32 = 1;"),
            ("b.rs", "use crate::a::codes::X; mod inner { use super::super::a::Y; use super::Z; }"),
        ]);
        assert_eq!((found.imports_of("a.rs"), found.imports_of("b.rs")), (vec![], vec!["a.rs"]));
    }

    #[test]
    fn a_parent_and_its_children_are_a_cycle() {
        let found = of(&[
            ("lib.rs", "mod a;"),
            ("a/mod.rs", "mod b; pub struct A; fn f() { b::g() }"),
            ("a/b.rs", "use super::A; pub fn g() {}"),
        ]);
        assert_eq!(found.file_cycle().as_deref(), Some("a/b.rs -> a/mod.rs -> a/b.rs"));
    }

    #[test]
    fn who_may_see_an_item_is_no_import() {
        let found = of(&[
            ("lib.rs", "mod a;"),
            ("a/mod.rs", "mod b; fn f() { b::g() }"),
            ("a/b.rs", "pub(in crate::a) fn g() {} pub(super) fn h() {} pub(crate) struct S;"),
        ]);
        assert_eq!((found.file_cycle(), found.imports_of("a/b.rs")), (None, vec![]));
    }
}
