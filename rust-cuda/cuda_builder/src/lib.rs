//! Compiles a crate of kernels to PTX, from a build script.
//!
//! Names and signatures are those of rust-cuda's `cuda_builder`, but the compiler is rustc with its own NVPTX backend: no
//! LLVM 7, no pinned nightly. What that needs beside a stable toolchain is the sources of `core`, see [`toolchain`].
//!
//! ```no_run
//! use cuda_builder::{CudaBuilder, NvvmArch};
//! let ptx = CudaBuilder::new("../kernels").arch(NvvmArch::Compute80).copy_to("kernels.ptx").build()?;
//! # Ok::<(), cuda_builder::CudaBuilderError>(())
//! ```
//!
//! A crate whose kernels and host program are one package needs one line in its build script: [`embed_kernels`].

mod check;
pub mod machine;
mod panics;
#[cfg(feature = "shipped")]
mod shipped;
pub mod toolchain;

#[cfg(feature = "shipped")]
pub use shipped::unpack as unpack_shipped;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The oldest GPU the kernels should run on. Newer ones run them too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NvvmArch {
    /// Volta.
    Compute70,
    /// Turing.
    Compute75,
    /// Ampere.
    Compute80,
    /// Ada.
    Compute89,
    /// Hopper.
    Compute90,
}

impl NvvmArch {
    /// As rustc names it.
    fn target_cpu(self) -> &'static str {
        match self {
            NvvmArch::Compute70 => "sm_70",
            NvvmArch::Compute75 => "sm_75",
            NvvmArch::Compute80 => "sm_80",
            NvvmArch::Compute89 => "sm_89",
            NvvmArch::Compute90 => "sm_90",
        }
    }
}

/// Why there is no PTX.
#[derive(Debug, thiserror::Error)]
pub enum CudaBuilderError {
    /// No Rust toolchain with the sources of `core` was found.
    #[error("{0}")]
    NoToolchain(toolchain::Missing),
    /// The compiler refused the crate.
    #[error("the kernels do not compile:\n{0}")]
    BuildFailed(String),
    /// `ptxas` refused PTX.
    #[error("ptxas makes no machine code for {0}: {1}")]
    NotAssembled(machine::Architecture, String),
    /// Kernels can panic: where, a line each.
    #[error(
        "kernels can panic, and no kernel on a GPU may (the book's page \"What kernels cannot use\" says what to \
         write instead):\n{0}"
    )]
    Panics(String),
    /// The PTX would not load, or would stop at run time.
    #[error("the PTX is not fit for use: {0}")]
    BadPtx(String),
    /// A file or a program could not be used.
    #[error("{0}: {1}")]
    Io(String, io::Error),
}

/// A crate to be compiled.
#[derive(Clone, Debug)]
pub struct CudaBuilder {
    path: PathBuf,
    arch: NvvmArch,
    copy_to: Option<PathBuf>,
    variables: Vec<(&'static str, String)>,
    #[cfg(feature = "shipped")]
    shipped: Option<PathBuf>,
}

/// How kernels are compiled. rustc's own jump threading (of MIR) does not know that barriers and shuffles are convergent: it copies them
/// into the arms of a branch, where the threads of a warp wait at different places, and the kernel hangs. LLVM's knows. Everything is
/// inlined: a call is not known to be convergent, and what is passed by reference would have to lie in local memory.
const KERNEL_FLAGS: &str =
    "--emit=asm -Clinker=true -Zmir-enable-passes=-JumpThreading -Cllvm-args=-inline-threshold=1000000";

/// What every crate of kernels would have to begin with: `#[kernel]` makes functions of the ABI `ptx-kernel`, `shared_array!` expands to
/// assembly, and there is no standard library on a GPU.
const CRATE_ATTRIBUTES: [&str; 2] =
    ["-Zcrate-attr=feature(abi_ptx,asm_experimental_arch)", "-Zcrate-attr=no_std"];

/// For the build script of a crate that has kernels in its library, and a program that launches them.
/// Compiles the kernels to PTX for Ampere and newer GPUs, and leaves the PTX for `cuda_launch::kernels!`, or
/// the reason why there is none. Without a suitable toolchain, and if a kernel can panic, the build goes on,
/// with a warning: the crate runs without a GPU.
///
/// The library's code for the host alone needs `#[cfg(not(target_arch = "nvptx64"))]`, and what it depends on is
/// a dependency of `[target.'cfg(not(target_arch = "nvptx64"))'.dependencies]`.
///
/// Kernels that do not compile are an error where `cuda_launch::kernels!` stands, and only if the crate
/// compiles for the host: otherwise the compiler says there what is wrong.
///
/// # Panics
/// If a file cannot be used, or PTX is not fit for use: a build script's way to fail.
pub fn embed_kernels() {
    if std::env::var_os("CARGO_CFG_TARGET_ARCH").is_some_and(|arch| arch == "nvptx64") {
        // This is the build of the kernels.
        return;
    }
    let folder = |name| PathBuf::from(std::env::var_os(name).unwrap_or_else(|| panic!("cargo sets {name}")));
    let out = folder("OUT_DIR");
    let ptx = out.join("kernels.ptx");
    println!("cargo::rerun-if-changed=build.rs");
    let kernels = match CudaBuilder::new(folder("CARGO_MANIFEST_DIR")).copy_to(&ptx).build() {
        Ok(_) => format!("Ok(include_str!({ptx:?}))"),
        Err(error @ (CudaBuilderError::NoToolchain(_) | CudaBuilderError::Panics(_))) => {
            let why = error.to_string();
            let mut lines = why.lines();
            println!("cargo::warning=built without kernels for the GPU: {}", lines.next().unwrap_or(""));
            lines.for_each(|line| println!("cargo::warning={line}"));
            format!("Err({why:?})")
        }
        // A constant is evaluated when all else has compiled.
        Err(error @ CudaBuilderError::BuildFailed(_)) => format!("panic!(\"{{}}\", {:?})", error.to_string()),
        Err(error) => panic!("{error}"),
    };
    let expression = format!("{{ const KERNELS: Result<&'static str, &'static str> = {kernels}; KERNELS }}");
    std::fs::write(out.join("kernels.rs"), expression).expect("a file in OUT_DIR");
}

impl CudaBuilder {
    /// The crate whose manifest lies in folder `path`.
    pub fn new(path: impl AsRef<Path>) -> Self {
        CudaBuilder {
            path: path.as_ref().into(),
            arch: NvvmArch::Compute80,
            copy_to: None,
            variables: Vec::new(),
            #[cfg(feature = "shipped")]
            shipped: None,
        }
    }

    /// What to compile for; Ampere if not called.
    pub fn arch(mut self, arch: NvvmArch) -> Self {
        self.arch = arch;
        self
    }

    /// Where to put a copy of the PTX.
    pub fn copy_to(mut self, path: impl AsRef<Path>) -> Self {
        self.copy_to = Some(path.as_ref().into());
        self
    }

    /// A variable of the environment for the crate's own build script.
    pub fn env(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    /// Where PTX lies that comes with the sources (see [`CudaBuilder::to_ship`]). It is taken if it was made from them: then
    /// no toolchain for kernels is needed.
    #[cfg(feature = "shipped")]
    pub fn shipped(mut self, path: impl AsRef<Path>) -> Self {
        self.shipped = Some(path.as_ref().into());
        self
    }

    /// The folders with what the PTX is made from, besides the compiler. `cuda_std` and its macros lie beside
    /// this package in the repository alone. As published they do not change.
    fn folders(&self) -> Vec<PathBuf> {
        let beside = ["../cuda_std", "../cuda_std_macros"];
        let beside = beside.map(|folder| Path::new(env!("CARGO_MANIFEST_DIR")).join(folder));
        std::iter::once(self.path.clone())
            .chain(beside.into_iter().filter(|folder| folder.exists()))
            .collect()
    }

    /// The file that says which version of `cuda_std` is used, if `cuda_std` does not lie beside this
    /// package.
    fn lock_file(&self) -> Option<PathBuf> {
        let path = self.path.canonicalize().ok().filter(|_| self.folders().len() == 1)?;
        path.ancestors().map(|folder| folder.join("Cargo.lock")).find(|lock| lock.exists())
    }

    /// The line with which shipped PTX begins, if it is made from the sources as they are.
    #[cfg(feature = "shipped")]
    fn first_line(&self) -> Result<String, CudaBuilderError> {
        let sources: Vec<_> = self.folders().iter().map(|folder| folder.join("src")).collect();
        shipped::first_line(&shipped::files_in(&sources)?, &self.flags())
    }

    /// Compiles PTX that is to be shipped, in a folder for builds. The first line of its text names the sources, the second
    /// line the compiler. The text is to be compressed by Zstandard.
    ///
    /// # Errors
    /// As [`CudaBuilder::build`].
    #[cfg(feature = "shipped")]
    pub fn to_ship(&self, builds: &Path) -> Result<String, CudaBuilderError> {
        let toolchain = toolchain::find().map_err(CudaBuilderError::NoToolchain)?;
        let ptx = self.compiled_in(&toolchain, builds)?;
        let text = std::fs::read_to_string(&ptx).map_err(|e| io_error(&ptx, e))?;
        Ok(format!("{}// compiler {}\n{text}", self.first_line()?, toolchain.version))
    }

    /// Compiles in a folder for builds, to see whether the crate is fit for a GPU.
    ///
    /// # Errors
    /// As [`CudaBuilder::build`].
    pub fn check(&self, builds: &Path) -> Result<(), CudaBuilderError> {
        let toolchain = toolchain::find().map_err(CudaBuilderError::NoToolchain)?;
        self.compiled_in(&toolchain, builds).map(drop)
    }

    /// Compiles; returns the path of the PTX. For a build script: needs `OUT_DIR`, tells cargo when to run again.
    ///
    /// # Errors
    /// If there is no toolchain for it, the crate does not compile, or its PTX has calls to panics or to functions that are
    /// not there.
    pub fn build(self) -> Result<PathBuf, CudaBuilderError> {
        // Not the whole folder: the folder of builds may lie in it.
        for folder in self.folders() {
            for part in ["src", "Cargo.toml"] {
                println!("cargo::rerun-if-changed={}", folder.join(part).display());
            }
        }
        if let Some(lock) = self.lock_file() {
            println!("cargo::rerun-if-changed={}", lock.display());
        }
        println!("cargo::rerun-if-env-changed={}", toolchain::OVERRIDE);
        #[cfg(feature = "shipped")]
        if let Some(file) = &self.shipped {
            println!("cargo::rerun-if-changed={}", file.display());
            let text = if file.exists() { shipped::read(file, &self.first_line()?)? } else { None };
            if let Some((to, text)) = self.copy_to.as_ref().zip(text) {
                std::fs::write(to, text).map_err(|e| io_error(to, e))?;
                return Ok(to.clone());
            }
        }
        // `target/PROFILE/build/PACKAGE-HASH/out`.
        let out_dir = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_else(|| "target".into()));
        let toolchain = toolchain::find().map_err(CudaBuilderError::NoToolchain)?;
        let ptx = self.compiled_in(&toolchain, out_dir.ancestors().nth(4).unwrap_or(&out_dir))?;
        match self.copy_to {
            Some(to) => {
                std::fs::copy(&ptx, &to).map_err(|e| io_error(&to, e))?;
                Ok(to)
            }
            None => Ok(ptx),
        }
    }

    /// Compiles in a folder for builds; returns the path of the PTX.
    fn compiled_in(
        &self,
        toolchain: &toolchain::Toolchain,
        builds: &Path,
    ) -> Result<PathBuf, CudaBuilderError> {
        let out = self.folder(toolchain, builds)?;
        self.compile(toolchain, &out, &[])?;
        let ptx = self.find(&out, ".s")?;
        let text = std::fs::read_to_string(&ptx).map_err(|e| io_error(&ptx, e))?;
        match check::check(&text) {
            Ok(()) => Ok(ptx),
            Err(why) => Err(self.explain(toolchain, &out, why)?),
        }
    }

    /// Why the PTX is refused: where kernels can panic, or else `why`. The crate is compiled once more, with
    /// line tables.
    fn explain(
        &self,
        toolchain: &toolchain::Toolchain,
        out: &Path,
        why: String,
    ) -> Result<CudaBuilderError, CudaBuilderError> {
        self.compile(toolchain, out, &["-Cdebuginfo=line-tables-only", "--emit=llvm-ir"])?;
        let ir = self.find(out, ".ll")?;
        let text = std::fs::read_to_string(&ir).map_err(|e| io_error(&ir, e))?;
        let folder = self.path.canonicalize().map_err(|e| io_error(&self.path, e))?;
        let places: Vec<String> = panics::places(&text, &folder).into_iter().collect();
        Ok(match places[..] {
            [] => CudaBuilderError::BadPtx(why),
            _ => CudaBuilderError::Panics(places.join("\n")),
        })
    }

    /// Where to compile: one folder for all profiles, as the PTX is the same, but one for each crate, toolchain and set of flags, as the name of the
    /// assembly file says nothing of these, and others may share the target folder.
    fn folder(&self, toolchain: &toolchain::Toolchain, builds: &Path) -> Result<PathBuf, CudaBuilderError> {
        let path = self.path.canonicalize().map_err(|e| io_error(&self.path, e))?;
        let mut hash = DefaultHasher::new();
        (path, &toolchain.rustc, self.flags()).hash(&mut hash);
        Ok(builds.join(format!("nvptx-{:016x}", hash.finish())))
    }

    /// What rustc is called with.
    fn flags(&self) -> String {
        format!("-Ctarget-cpu={} {KERNEL_FLAGS}", self.arch.target_cpu())
    }

    /// Runs cargo. The link step is left out (`true` stands in for the linker): the assembly of the crate, with `core` folded
    /// in by link-time optimisation, is the PTX. The crate alone is compiled with the flags `more`.
    fn compile(
        &self,
        toolchain: &toolchain::Toolchain,
        out: &Path,
        more: &[&str],
    ) -> Result<(), CudaBuilderError> {
        let mut cargo = Command::new(&toolchain.cargo);
        // What the outer cargo (or clippy, or rustup) set for the host's build must not reach the device's.
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy().into_owned();
            let inherited = ["CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_TARGET", "CARGO_MAKEFLAGS", "MAKEFLAGS"];
            let foreign = name.starts_with("RUST") && name != "RUSTUP_HOME"
                || name.starts_with("CLIPPY_")
                || name.starts_with("CARGO_PROFILE_")
                || name.starts_with("CARGO_TARGET_")
                || name.starts_with("CARGO_BUILD_")
                || inherited.contains(&name.as_str());
            if foreign {
                cargo.env_remove(&name);
            }
        }
        cargo
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .env("RUSTC", &toolchain.rustc)
            .env("RUSTC_BOOTSTRAP", "1")
            .env("RUSTFLAGS", self.flags())
            .env("CARGO_PROFILE_RELEASE_LTO", "fat")
            .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "1")
            .env("CARGO_PROFILE_RELEASE_PANIC", "abort")
            .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "3")
            .env("CARGO_PROFILE_RELEASE_DEBUG", "false")
            .env("CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS", "false")
            .args(["rustc", "--lib", "--release", "--crate-type", "cdylib", "-Zbuild-std=core"])
            .args(["--target", "nvptx64-nvidia-cuda"])
            .arg("--manifest-path")
            .arg(self.path.join("Cargo.toml"))
            .arg("--target-dir")
            .arg(out)
            .arg("--")
            .args(CRATE_ATTRIBUTES)
            .args(more);
        let output = cargo.output().map_err(|e| io_error(&toolchain.cargo, e))?;
        match output.status.success() {
            true => Ok(()),
            false => {
                Err(CudaBuilderError::BuildFailed(diagnostics(&String::from_utf8_lossy(&output.stderr))))
            }
        }
    }

    /// The newest file of the crate itself with this ending: `.s` for its assembly, `.ll` for LLVM's text.
    fn find(&self, out: &Path, ending: &str) -> Result<PathBuf, CudaBuilderError> {
        let manifest = self.path.join("Cargo.toml");
        let text = std::fs::read_to_string(&manifest).map_err(|e| io_error(&manifest, e))?;
        let name = library_name(&text)
            .ok_or_else(|| CudaBuilderError::BadPtx(format!("{} names no package", manifest.display())))?;
        let folder = out.join("nvptx64-nvidia-cuda/release/deps");
        let mut found: Vec<_> = std::fs::read_dir(&folder)
            .map_err(|e| io_error(&folder, e))?
            .filter_map(Result::ok)
            .map(|entry| entry.path())
            .filter(|path| {
                let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let stem = file.strip_suffix(ending).unwrap_or("");
                stem == name || stem.strip_prefix(&name).is_some_and(|rest| rest.starts_with('-'))
            })
            .collect();
        found.sort_by_key(|path| path.metadata().and_then(|m| m.modified()).ok());
        found
            .pop()
            .ok_or_else(|| CudaBuilderError::BadPtx(format!("no {name}*{ending} in {}", folder.display())))
    }
}

/// What cargo printed, without the crates that it compiled.
fn diagnostics(printed: &str) -> String {
    let is_progress = |line: &&str| {
        ["Compiling ", "Updating ", "Locking "].iter().any(|w| line.trim_start().starts_with(w))
    };
    printed.lines().filter(|line| !is_progress(line)).collect::<Vec<_>>().join("\n")
}

/// The name of a manifest's library, as file names have it: that of `[lib]`, or else of `[package]`.
fn library_name(manifest: &str) -> Option<String> {
    let name_in = |table: &str| {
        let mut lines = manifest.lines().map(str::trim).skip_while(|line| *line != table).skip(1);
        let name = lines.by_ref().take_while(|line| !line.starts_with('[')).find_map(|line| {
            let (key, value) = line.split_once('=')?;
            (key.trim() == "name").then(|| value.trim().trim_matches(['"', '\'']).replace('-', "_"))
        });
        name
    };
    name_in("[lib]").or_else(|| name_in("[package]"))
}

fn io_error(path: &Path, error: io::Error) -> CudaBuilderError {
    CudaBuilderError::Io(path.display().to_string(), error)
}

#[cfg(test)]
mod tests {
    use super::library_name;

    #[test]
    fn a_library_has_its_own_name_or_the_packages() {
        let package = "[package]\nname = \"my-kernels\"\nversion = \"1.0.0\"\n";
        assert_eq!(library_name(package).as_deref(), Some("my_kernels"));
        let library = format!("{package}\n[[bin]]\nname = \"b\"\n[lib]\npath = \"x.rs\"\nname = \"other\"\n");
        assert_eq!(library_name(&library).as_deref(), Some("other"));
        assert_eq!(library_name("[workspace]\n"), None);
    }
}
