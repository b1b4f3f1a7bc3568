//! Compiles the kernels to PTX, if there is a toolchain that can do it.

fn main() {
    // A browser has no driver.
    if std::env::var_os("CARGO_CFG_TARGET_FAMILY").is_none_or(|family| family != "wasm") {
        cuda_builder::embed_kernels();
    }
}
