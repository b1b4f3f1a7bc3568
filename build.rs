//! Compiles the kernels to PTX, for `solver-host`, unless the PTX that comes with the sources was made from
//! them.
//!
//! If the environment variable `YASMIN_GPU_ARCHS` names architectures (`sm_80,sm_90`, or `native` for the
//! GPUs of this machine), `ptxas` compiles the PTX to machine code for these as well, which takes some two
//! minutes of processor time for each. For all other GPUs the driver compiles the PTX, when it runs a kernel
//! for the first time.
//!
//! Without a toolchain that can do it the build goes on: the binary then solves on the CPU, and asking it for
//! the GPU gives the reason that is printed here.

use cuda_builder::machine::{Architecture, Assembler, PTXAS};
use cuda_builder::{CudaBuilder, CudaBuilderError, NvvmArch};
use ruzstd::encoding::{compress_to_vec, CompressionLevel};
use std::path::{Path, PathBuf};

/// The most registers of a thread, as in `solver-host/src/device/gpu.rs`.
const REGISTERS: u32 = include!("solver-gpu/registers.rs");
/// Names the GPUs to make machine code for.
const ARCHITECTURES: &str = "YASMIN_GPU_ARCHS";

fn main() {
    println!("cargo::rustc-check-cfg=cfg(kernels)");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"))
        .join("..");
    println!("cargo::rerun-if-changed={}", root.join("build.rs").display());
    let built = CudaBuilder::new(root.join("solver-gpu"))
        .arch(NvvmArch::Compute80)
        .copy_to(out.join("solver_gpu.ptx"))
        .shipped(root.join("solver-gpu/solver_gpu.ptx.zst"))
        .build();
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
    let rows: Vec<String> = machine
        .iter()
        .map(|(of, file)| format!("(({}, {}), include_bytes!({file:?}).as_slice())", of.major, of.minor))
        .collect();
    std::fs::write(out.join("machine.rs"), format!("&[{}]", rows.join(", ")))
        .expect("OUT_DIR can be written");
}

/// Makes machine code of PTX: for each architecture a file, compressed by Zstandard.
fn machine_code(ptx: &Path, out: &Path) -> Vec<(Architecture, PathBuf)> {
    for name in [ARCHITECTURES, PTXAS, "CUDA_HOME", "CUDA_PATH", "PATH"] {
        println!("cargo::rerun-if-env-changed={name}");
    }
    let Ok(names) = std::env::var(ARCHITECTURES) else { return Vec::new() };
    let architectures = match &names[..] {
        "native" => Architecture::present(),
        names => names
            .split(',')
            .map(|name| {
                let of = Architecture::named(name.trim());
                of.unwrap_or_else(|| panic!("{ARCHITECTURES}: `{name}` is no architecture; one is sm_90"))
            })
            .collect(),
    };
    assert!(
        !architectures.is_empty(),
        "{ARCHITECTURES}=native: nvidia-smi tells of no GPU; name its architecture"
    );
    let assembler = Assembler::find().unwrap_or_else(|| {
        panic!(
            "{ARCHITECTURES} wants machine code, and there is no ptxas. It is in a CUDA toolkit, and in the \
             Python package nvidia-cuda-nvcc-cu12; the variable {PTXAS} says where"
        )
    });
    std::thread::scope(|scope| {
        let made: Vec<_> = architectures
            .iter()
            .map(|&of| {
                let assembler = &assembler;
                scope.spawn(move || {
                    let cubin = out.join(format!("{of}.cubin"));
                    assembler.assemble(ptx, of, REGISTERS, &cubin)?;
                    let code = std::fs::read(&cubin)
                        .map_err(|e| CudaBuilderError::Io(cubin.display().to_string(), e))?;
                    let packed = out.join(format!("{of}.cubin.zst"));
                    std::fs::write(&packed, compress_to_vec(&code[..], CompressionLevel::Fastest))
                        .map_err(|e| CudaBuilderError::Io(packed.display().to_string(), e))?;
                    Ok((of, packed))
                })
            })
            .collect();
        let joined = made.into_iter().map(|thread| thread.join().expect("no panic"));
        joined.collect::<Result<Vec<_>, CudaBuilderError>>().unwrap_or_else(|error| panic!("{error}"))
    })
}
