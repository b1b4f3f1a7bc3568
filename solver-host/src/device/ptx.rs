//! The kernels' PTX, compiled into the binary by `build.rs`.

/// The PTX, or why this build has none.
#[cfg(kernels)]
pub fn kernels() -> Result<&'static str, &'static str> {
    Ok(include_str!(concat!(env!("OUT_DIR"), "/solver_gpu.ptx")))
}

/// The PTX, or why this build has none.
#[cfg(not(kernels))]
pub fn kernels() -> Result<&'static str, &'static str> {
    Err(concat!("this yasmin was built without kernels: ", env!("YASMIN_NO_KERNELS")))
}
