//! The PTX that comes with the sources is what they compile to.

use std::process::Command;

#[test]
#[ignore = "builds for itself: scripts/test.sh --all"]
fn builds_for_itself_the_shipped_kernels_are_those_of_the_sources() {
    let checked =
        Command::new(env!("CARGO_BIN_EXE_xtask")).args(["kernels", "--check"]).output().expect("it runs");
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
}
