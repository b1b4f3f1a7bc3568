//! All tests of this crate in one binary, for each binary takes a while to link. A test's name begins with
//! the name of its file: `cargo test -p yasmin-tests --test all lemmas::`.
//!
//! Invariant: each file of this folder is named here; one of the tests counts them.

mod assumptions;
mod check;
mod claims;
mod clingo;
mod conformance;
mod differences;
mod domain;
mod floors;
mod lemmas;
mod mutants;
mod packages;
mod proofs;
mod ranks;
mod recipes;
mod references;
mod trace;

#[test]
fn each_file_is_a_module() {
    let own = include_str!("all.rs");
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut files = 0;
    for entry in std::fs::read_dir(folder).expect("the folder of this file") {
        let name = entry.expect("an entry").file_name().into_string().expect("UTF-8");
        let Some(module) = name.strip_suffix(".rs").filter(|&module| module != "all") else { continue };
        assert!(own.contains(&format!("\nmod {module};\n")), "the tests of {name} do not run");
        files += 1;
    }
    assert_eq!(files, own.matches("\nmod ").count());
}
