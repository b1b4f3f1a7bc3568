//! Machine code of kernels, compiled ahead of time by `ptxas`, so that the driver need not compile PTX at the
//! first run.
//!
//! Main type: [`Assembler`]. `ptxas` comes with a CUDA toolkit, and with the Python package
//! `nvidia-cuda-nvcc-cu12`. Machine code that comes with the sources lies in a folder with a folder for each
//! architecture ([`file()`]). A file there says which PTX it was made from ([`made_from`]).

#[cfg(feature = "shipped")]
use crate::shipped::in_hexadecimal;
use crate::{io_error, CudaBuilderError};
#[cfg(feature = "shipped")]
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::process::Command;
#[cfg(feature = "shipped")]
use std::{collections::BTreeMap, io::ErrorKind};

/// Environment variable with the path of `ptxas`.
pub const PTXAS: &str = "PTXAS";

/// The file that says which PTX machine code was made from: a line for each kernel, as `sha256sum` writes it.
#[cfg(feature = "shipped")]
pub const SUMS: &str = "ptx.sha256";

/// A hash (SHA-256) of a kernel's PTX, without lines that are comments.
#[cfg(feature = "shipped")]
pub fn sum(ptx: &str) -> String {
    let mut hash = Sha256::new();
    for line in ptx.lines().filter(|line| !line.starts_with("//")) {
        hash.update(line);
        hash.update("\n");
    }
    in_hexadecimal(hash)
}

/// For each kernel the hash of the PTX from which its machine code in a folder was made; none if there is no
/// such folder.
///
/// # Errors
/// If the file with the hashes cannot be read.
#[cfg(feature = "shipped")]
pub fn made_from(folder: &Path) -> Result<BTreeMap<String, String>, CudaBuilderError> {
    let file = folder.join(SUMS);
    let text = match std::fs::read_to_string(&file) {
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        text => text.map_err(|error| io_error(&file, error))?,
    };
    let rows = text.lines().filter_map(|line| line.split_once("  "));
    Ok(rows.map(|(sum, kernel)| (kernel.into(), sum.into())).collect())
}

/// A GPU's architecture: `sm_90` is of major version 9 and minor version 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Architecture {
    /// Machine code runs on no other major version.
    pub major: u32,
    /// Machine code runs on larger minor versions as well.
    pub minor: u32,
}

impl Architecture {
    /// Reads a name as `ptxas` has it, such as `sm_90`.
    pub fn named(name: &str) -> Option<Architecture> {
        let digits = name.strip_prefix("sm_")?;
        let (major, minor) = digits.split_at_checked(digits.len().checked_sub(1)?)?;
        Some(Architecture { major: major.parse().ok()?, minor: minor.parse().ok()? })
    }
}

/// The file with the machine code of a kernel, in a folder of machine code.
pub fn file(folder: &Path, of: Architecture, kernel: &str) -> PathBuf {
    folder.join(of.to_string()).join(format!("{kernel}.cubin.zst"))
}

impl std::fmt::Display for Architecture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "sm_{}{}", self.major, self.minor)
    }
}

/// A `ptxas`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assembler {
    program: PathBuf,
}

impl Assembler {
    /// Looks for `ptxas`: what the environment variable [`PTXAS`] names, then in `bin` of the folders that
    /// `CUDA_HOME` and `CUDA_PATH` name, then where programs are looked for.
    pub fn find() -> Option<Assembler> {
        let named = |name: &str| std::env::var_os(name).map(PathBuf::from);
        let in_toolkit =
            ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(named).map(|at| at.join("bin/ptxas"));
        let tried = named(PTXAS).into_iter().chain(in_toolkit).chain([PathBuf::from("ptxas")]);
        tried.map(|program| Assembler { program }).find(Assembler::runs)
    }

    /// The `ptxas` with this path.
    pub fn at(program: impl Into<PathBuf>) -> Assembler {
        Assembler { program: program.into() }
    }

    fn runs(&self) -> bool {
        Command::new(&self.program).arg("--version").output().is_ok_and(|output| output.status.success())
    }

    /// Compiles PTX for an architecture, with at most so many registers a thread. The machine code of all
    /// kernels is one file, a *cubin*.
    ///
    /// # Errors
    /// If `ptxas` does not run, or refuses the PTX or the architecture.
    pub fn assemble(
        &self,
        ptx: &Path,
        architecture: Architecture,
        registers: u32,
        cubin: &Path,
    ) -> Result<(), CudaBuilderError> {
        let output = Command::new(&self.program)
            .arg(format!("-arch={architecture}"))
            .arg(format!("-maxrregcount={registers}"))
            .arg(ptx)
            .arg("-o")
            .arg(cubin)
            .output()
            .map_err(|error| io_error(&self.program, error))?;
        match output.status.success() {
            true => Ok(()),
            false => {
                let said = [output.stdout, output.stderr].concat();
                let said = String::from_utf8_lossy(&said).trim().to_string();
                Err(CudaBuilderError::NotAssembled(architecture, said))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_architectures() {
        let of = |major, minor| Some(Architecture { major, minor });
        assert_eq!(Architecture::named("sm_90"), of(9, 0));
        assert_eq!(Architecture::named("sm_103"), of(10, 3));
        for wrong in ["", "sm_", "90", "sm_9x", "sm_é", "8.6", "gpu"] {
            assert_eq!(Architecture::named(wrong), None, "{wrong}");
        }
        assert_eq!(of(10, 3).map(|of| of.to_string()).as_deref(), Some("sm_103"));
    }

    #[cfg(feature = "shipped")]
    #[test]
    fn a_hash_tells_ptx_apart_and_not_its_comments() {
        let of_this = sum("// sources 1\n.version 7.0\nret;\n");
        assert_eq!(of_this, sum("// sources 2\n.version 7.0\nret;\n"));
        assert_ne!(of_this, sum(".version 7.0\nret\n;\n"));
        let folder = std::env::temp_dir().join(format!("made_from-{}", std::process::id()));
        assert_eq!(made_from(&folder).expect("no folder is no machine code").len(), 0);
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join(SUMS), format!("{of_this}  commit\n")).expect("a file");
        assert_eq!(made_from(&folder).expect("a file").get("commit"), Some(&of_this));
        std::fs::remove_dir_all(&folder).expect("the folder goes");
    }

    #[cfg(unix)]
    #[test]
    fn calls_ptxas_and_says_what_it_says() {
        use std::os::unix::fs::PermissionsExt;
        let folder = std::env::temp_dir().join(format!("ptxas-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let program = folder.join("ptxas");
        let text = "#!/bin/sh\necho \"$@\" > \"$5\"\n[ \"$1\" = -arch=sm_90 ] || { echo no such GPU >&2; exit 1; }\n";
        std::fs::write(&program, text).expect("a file");
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("its owner");
        let (ptx, cubin) = (folder.join("a.ptx"), folder.join("a.cubin"));
        let assembler = Assembler::at(&program);
        let of = |major, minor| Architecture { major, minor };
        assembler.assemble(&ptx, of(9, 0), 128, &cubin).expect("it succeeds");
        let called = std::fs::read_to_string(&cubin).expect("it was written");
        assert!(called.starts_with("-arch=sm_90 -maxrregcount=128 "), "{called}");
        let error = assembler.assemble(&ptx, of(7, 0), 128, &cubin).expect_err("no such GPU").to_string();
        assert!(error.contains("sm_70") && error.contains("no such GPU"), "{error}");
        let none = Assembler::at(folder.join("none")).assemble(&ptx, of(9, 0), 128, &cubin);
        assert!(matches!(none, Err(CudaBuilderError::Io(..))));
        std::fs::remove_dir_all(&folder).expect("the folder is there");
    }
}
