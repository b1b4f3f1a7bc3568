//! Compiles the kernels to PTX, if there is a toolchain that can do it.

fn main() {
    cuda_builder::embed_kernels();
}
