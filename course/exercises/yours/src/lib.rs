//! One exercise, alone: whatever the state of the others, it compiles, and as any crate of kernels it has no
//! standard library, on the host neither. `cargo xtask exercise N` says which exercise.
#![cfg_attr(not(target_arch = "nvptx64"), no_std)]

include!(concat!(env!("OUT_DIR"), "/kernels.rs"));
