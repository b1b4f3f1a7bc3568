//! Compiles the kernels to PTX, for `solver-host/device`, unless the PTX that comes with the sources was made
//! from them. That package names this file by a link, and the files that are included here lie there.
//!
//! If this machine has an NVIDIA GPU and `ptxas`, the kernels are compiled to machine code for that GPU as
//! well, which takes some two minutes of processor time. For all other GPUs the driver compiles the PTX, when
//! it runs a kernel for the first time. The environment variable `YASMIN_GPU_ARCHS` names other architectures
//! (`sm_80,sm_90`), `native` for the GPUs of this machine, `all` for all GPUs that the PTX runs on, or
//! `none`.
//!
//! Without a toolchain that can do it the build goes on: the binary then solves on the CPU, and asking it for
//! the GPU gives the reason that is printed here.

use cuda_builder::machine::{Architecture, Assembler, PTXAS};
use cuda_builder::{unpack_shipped, CudaBuilder, CudaBuilderError, NvvmArch};
use ruzstd::encoding::{compress_to_vec, CompressionLevel};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::Mutex;

/// The most registers of a thread, as in `solver-host/device/src/gpu.rs`.
const REGISTERS: u32 = include!("src/registers.rs");
/// Names the GPUs to make machine code for.
const ARCHITECTURES: &str = "YASMIN_GPU_ARCHS";
/// The first minor version of each major version from 8 on, on which the PTX runs.
const ALL: [Architecture; 4] = [
    Architecture { major: 8, minor: 0 },
    Architecture { major: 9, minor: 0 },
    Architecture { major: 10, minor: 0 },
    Architecture { major: 12, minor: 0 },
];

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
            machine = machine_code(&ptx, &out);
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

/// The architectures to make machine code for, and what makes it.
fn wanted() -> Option<(Vec<Architecture>, Assembler)> {
    for name in [ARCHITECTURES, PTXAS, "CUDA_HOME", "CUDA_PATH", "PATH"] {
        println!("cargo::rerun-if-env-changed={name}");
    }
    let names = std::env::var(ARCHITECTURES).ok();
    let architectures = match names.as_deref() {
        None | Some("native") => Architecture::present(),
        Some("none") => Vec::new(),
        Some("all") => ALL.to_vec(),
        Some(names) => names
            .split(',')
            .map(|name| {
                let of = Architecture::named(name.trim());
                of.unwrap_or_else(|| panic!("{ARCHITECTURES}: `{name}` is no architecture; one is sm_90"))
            })
            .collect(),
    };
    if architectures.is_empty() {
        let asked = names.as_deref() == Some("native");
        assert!(!asked, "{ARCHITECTURES}=native: nvidia-smi tells of no GPU; name its architecture");
        return None;
    }
    const REMEDY: &str = "It is in a CUDA toolkit, and in the Python package nvidia-cuda-nvcc-cu12";
    match Assembler::find() {
        Some(assembler) => Some((architectures, assembler)),
        None if names.is_none() => {
            println!(
                "cargo::warning=built without machine code for this machine's GPU, whose driver compiles the kernels \
                 at their first run: there is no ptxas. {REMEDY}; the variable {PTXAS} says where"
            );
            None
        }
        None => panic!(
            "{ARCHITECTURES} wants machine code, and there is no ptxas. {REMEDY}; the variable {PTXAS} says where"
        ),
    }
}

/// Makes machine code of PTX: one file for each kernel and architecture.
fn machine_code(ptx: &Path, out: &Path) -> Vec<Code> {
    let Some((architectures, assembler)) = wanted() else { return Vec::new() };
    let text = std::fs::read_to_string(ptx).expect("the PTX was written");
    let kernels = entries(&text);
    let jobs: Vec<(Architecture, &str)> =
        architectures.iter().flat_map(|&of| kernels.iter().map(move |&kernel| (of, kernel))).collect();
    let make = |(of, kernel): (Architecture, &str)| -> Result<Code, CudaBuilderError> {
        let file = |ending: &str| out.join(format!("{kernel}.{of}.{ending}"));
        let (ptx, cubin, packed) = (file("ptx"), file("cubin"), file("cubin.zst"));
        let failed = |at: &Path, e| CudaBuilderError::Io(at.display().to_string(), e);
        std::fs::write(&ptx, entry(&text, kernel)).map_err(|e| failed(&ptx, e))?;
        assembler.assemble(&ptx, of, REGISTERS, &cubin)?;
        let code = std::fs::read(&cubin).map_err(|e| failed(&cubin, e))?;
        std::fs::write(&packed, compress_to_vec(&code[..], CompressionLevel::Fastest))
            .map_err(|e| failed(&packed, e))?;
        Ok(Code { of, kernel: kernel.into(), file: packed })
    };
    let (next, made) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, |n| n.get()) {
            scope.spawn(|| {
                while let Some(&job) = jobs.get(next.fetch_add(1, Relaxed)) {
                    let code = make(job).unwrap_or_else(|error| panic!("{error}"));
                    made.lock().expect("no thread has panicked").push(code);
                }
            });
        }
    });
    made.into_inner().expect("no thread has panicked")
}
