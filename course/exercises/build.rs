//! Compiles the solutions to PTX, if the feature `gpu` asks for it.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var_os("CARGO_FEATURE_GPU").is_some() {
        println!("cargo::rerun-if-changed=solutions");
        cuda_builder::embed_kernels();
    }
}
