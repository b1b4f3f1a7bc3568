//! Small GPU kernels, from `y = a * x + y` to an answer set solver. The book explains them; each is a file
//! here, with its test on every device, and has a twin in [`broken`] with one mistake.
//!
//! `cargo run -p lessons -- list` lists the lessons. Each runs on the processor (`cpu`), on a simulated GPU
//! that names data races (`simt`), and on a GPU.

pub mod breadth;
pub mod compact;
pub mod first_uip;
pub mod grid_barrier;
pub mod grid_stride;
pub mod histogram;
pub mod matrix;
pub mod or_reduce;
pub mod panics;
pub mod propagate;
pub mod queue;
pub mod reduce;
pub mod rows;
pub mod saxpy;
pub mod scan;
pub mod solve;
#[cfg(not(target_arch = "nvptx64"))]
pub mod solving;
pub mod spring;
pub mod transpose;

#[cfg(not(target_arch = "nvptx64"))]
pub mod broken;
#[cfg(target_family = "wasm")]
mod browser;
#[cfg(not(target_arch = "nvptx64"))]
pub mod command;
#[cfg(not(target_arch = "nvptx64"))]
pub mod lesson;
#[cfg(not(target_arch = "nvptx64"))]
pub mod lessons;
#[cfg(not(target_arch = "nvptx64"))]
pub mod measure;
#[cfg(not(any(target_arch = "nvptx64", target_family = "wasm")))]
pub mod pictures;

/// The kernels' PTX, or why this build has none.
#[cfg(not(any(target_arch = "nvptx64", target_family = "wasm")))]
pub const KERNELS: Result<&str, &str> = cuda_launch::kernels!();

#[cfg(test)]
mod tests {
    /// A kernel that can panic does not stop the build: the build goes on without PTX. Sums and products that
    /// are fused or approximated would have other bits than on the processor.
    #[test]
    fn the_kernels_are_fit_for_a_gpu() {
        match super::KERNELS {
            Ok(ptx) => assert!(!ptx.contains("fma.") && !ptx.contains(".approx")),
            Err(why) => {
                assert!(why.starts_with("no Rust with the sources"), "{why}");
                eprintln!("SKIPPED: {why}");
            }
        }
    }
}
