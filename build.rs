//! Compiles the kernels to PTX, for `solver-host`, unless the PTX that comes with the sources was made from them.
//!
//! Without a toolchain that can do it the build goes on: the binary then solves on the CPU, and asking it for the GPU
//! gives the reason that is printed here.

use cuda_builder::{CudaBuilder, CudaBuilderError, NvvmArch};
use std::path::PathBuf;

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
    match built {
        Ok(_) => println!("cargo::rustc-cfg=kernels"),
        Err(CudaBuilderError::NoToolchain(missing)) => {
            println!("cargo::warning=built without kernels for the GPU: {missing}");
            println!("cargo::rustc-env=YASMIN_NO_KERNELS={missing}");
        }
        Err(error) => panic!("{error}"),
    }
}
