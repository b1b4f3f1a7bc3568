//! Compiles the kernels to PTX, for `solver-host/device`, unless the PTX that comes with the sources was made
//! from them. That package names this file by a link, and the files that are included here lie there.
//!
//! Machine code of the kernels comes with the sources, too, so that no driver needs to compile them at the
//! first run. That of a kernel whose PTX is another one is left out, with a warning: the driver compiles the
//! PTX.
//!
//! Without a toolchain that can do it the build goes on: the binary then solves on the CPU, and asking it for
//! the GPU gives the reason that is printed here.

use cuda_builder::machine::{self, made_from, sum, Architecture};
use cuda_builder::{unpack_shipped, CudaBuilder, CudaBuilderError, NvvmArch};
use std::path::{Path, PathBuf};

include!("src/entries.rs");

/// The machine code of one kernel for one architecture.
struct Code {
    of: Architecture,
    kernel: String,
    /// Compressed by Zstandard.
    file: PathBuf,
}

fn main() {
    println!("cargo::rustc-check-cfg=cfg(kernels)");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let package =
        PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"));
    let (script, shipped) = (package.join("build.rs"), package.join("solver_gpu.ptx.zst"));
    println!("cargo::rerun-if-changed={}", script.display());
    let ptx = out.join("solver_gpu.ptx");
    let built = match script.is_symlink() {
        true => CudaBuilder::new(package.join("../../solver-gpu"))
            .arch(NvvmArch::Compute80)
            .copy_to(ptx)
            .shipped(shipped)
            .build(),
        // The package as it is published, which has a copy of this file. It wants one version of
        // `solver-gpu`, and `scripts/release.sh` has seen that the PTX was made from it.
        false => unpack_shipped(&shipped, &ptx).map(|()| ptx),
    };
    let mut machine = Vec::new();
    match built {
        Ok(ptx) => {
            println!("cargo::rustc-cfg=kernels");
            machine =
                machine_code(&ptx, &package.join("machine_code")).unwrap_or_else(|error| panic!("{error}"));
        }
        Err(CudaBuilderError::NoToolchain(missing)) => {
            println!("cargo::warning=built without kernels for the GPU: {missing}");
            println!("cargo::rustc-env=YASMIN_NO_KERNELS={missing}");
        }
        Err(error) => panic!("{error}"),
    }
    let row = |Code { of, kernel, file }: &Code| {
        format!("(({}, {}), {kernel:?}, include_bytes!({file:?}).as_slice())", of.major, of.minor)
    };
    let rows: Vec<String> = machine.iter().map(row).collect();
    std::fs::write(out.join("machine.rs"), format!("&[{}]", rows.join(", ")))
        .expect("OUT_DIR can be written");
}

/// The machine code in a folder that was made from this PTX: one file for each kernel and architecture.
fn machine_code(ptx: &Path, folder: &Path) -> Result<Vec<Code>, CudaBuilderError> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let text = std::fs::read_to_string(ptx).expect("the PTX was written");
    let made_from = made_from(folder)?;
    let is_made = |&kernel: &&str| made_from.get(kernel) == Some(&sum(&entry(&text, kernel)));
    let (made, not): (Vec<&str>, Vec<&str>) = entries(&text).into_iter().partition(is_made);
    if !not.is_empty() {
        println!(
            "cargo::warning=there is no machine code of {}, which the GPU's driver compiles when they first \
             run; cargo xtask kernels makes it",
            not.join(", ")
        );
    }
    let failed = |e| CudaBuilderError::Io(folder.display().to_string(), e);
    let mut all = Vec::new();
    for at in folder.read_dir().into_iter().flatten() {
        let at = at.map_err(failed)?.path();
        let name = at.file_name().and_then(|name| name.to_str());
        if let Some(of) = name.and_then(Architecture::named) {
            for &kernel in &made {
                all.push(Code { of, kernel: kernel.into(), file: machine::file(folder, of, kernel) });
            }
        }
    }
    Ok(all)
}
