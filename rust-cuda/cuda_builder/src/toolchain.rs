//! Which Rust can compile kernels: any from 1.95 on that has the sources of `core`.
//!
//! Looked for, in this order: the rustc that the environment variable [`OVERRIDE`] names; the active toolchain, if the
//! component `rust-src` is installed; `/usr/bin/rustc`, where Debian's packages put theirs and its sources.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Environment variable with the path of a rustc to use.
pub const OVERRIDE: &str = "CUDA_BUILDER_RUSTC";

/// The oldest minor version of Rust 1 that is known to work.
const OLDEST: u32 = 95;

/// A compiler and the cargo beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toolchain {
    /// Path of rustc.
    pub rustc: PathBuf,
    /// Path of cargo.
    pub cargo: PathBuf,
    /// What `rustc --version` prints. Two versions make different PTX from the same sources.
    pub version: String,
}

/// No toolchain will do: what was looked at and why not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    tried: Vec<String>,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "no Rust with the sources of `core` ({}); install them with `rustup component add rust-src`, or on Debian \
             with `apt-get install rustc-web cargo-web rust-web-src`",
            self.tried.join("; ")
        )
    }
}

/// Finds a toolchain.
///
/// # Errors
/// What was looked at, if none will do.
pub fn find() -> Result<Toolchain, Missing> {
    let mut tried = vec![];
    for (what, rustc) in candidates() {
        match examine(&rustc) {
            Ok(toolchain) => return Ok(toolchain),
            Err(why) => tried.push(format!("{what} {why}")),
        }
    }
    Err(Missing { tried })
}

fn candidates() -> Vec<(String, PathBuf)> {
    if let Some(path) = std::env::var_os(OVERRIDE) {
        return vec![(format!("{OVERRIDE}={}", path.to_string_lossy()), path.into())];
    }
    let active = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    vec![("the active toolchain".into(), active.into()), ("/usr/bin/rustc".into(), "/usr/bin/rustc".into())]
}

/// Whether this rustc is new enough and has the sources; finds its cargo.
fn examine(rustc: &Path) -> Result<Toolchain, String> {
    let output = |arguments: &[&str]| {
        let output = Command::new(rustc).args(arguments).output().map_err(|_| "does not run".to_string())?;
        if output.status.success() {
            Ok(String::from_utf8_lossy(&output.stdout).trim().to_string())
        } else {
            Err("does not run".to_string())
        }
    };
    let version = output(&["--version"])?;
    if minor(&version).is_none_or(|minor| minor < OLDEST) {
        return Err(format!("is {version}, older than 1.{OLDEST}"));
    }
    let sysroot = PathBuf::from(output(&["--print", "sysroot"])?);
    if !sysroot.join("lib/rustlib/src/rust/library/core/Cargo.toml").exists() {
        return Err("has no rust-src".into());
    }
    // A real rustc, not a launcher that would choose a toolchain by the working directory.
    let rustc = Some(sysroot.join("bin/rustc")).filter(|path| path.exists()).unwrap_or_else(|| rustc.into());
    let beside = rustc.parent().map(|folder| folder.join("cargo")).filter(|path| path.exists());
    let cargo =
        beside.or_else(|| std::env::var_os("CARGO").map(PathBuf::from)).unwrap_or_else(|| "cargo".into());
    Ok(Toolchain { rustc, cargo, version })
}

/// The `95` of `rustc 1.95.0 (...)`.
fn minor(version: &str) -> Option<u32> {
    version.strip_prefix("rustc 1.")?.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_versions() {
        assert_eq!(minor("rustc 1.95.0 (59807616e 2026-04-14)"), Some(95));
        assert_eq!(minor("rustc 1.97.0-nightly (abc 2026-05-01)"), Some(97));
        assert_eq!(minor("gcc 12"), None);
    }

    #[test]
    fn says_what_is_wrong() {
        assert_eq!(examine(Path::new("/nonexistent/rustc")), Err("does not run".into()));
        let text = Missing { tried: vec!["the active toolchain has no rust-src".into()] }.to_string();
        assert!(text.contains("rust-src") && text.contains("apt-get install rustc-web"), "{text}");
    }
}
