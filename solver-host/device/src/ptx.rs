//! The kernels' PTX, and their machine code for some GPUs, compiled into the binary by `build.rs`.

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

/// Machine code of a kernel, compressed by Zstandard: the major and minor version of the architecture, the kernel's
/// name, the code.
type Row = ((u32, u32), &'static str, &'static [u8]);
#[cfg(kernels)]
const MACHINE: &[Row] = include!(concat!(env!("OUT_DIR"), "/machine.rs"));
/// There is none.
#[cfg(not(kernels))]
const MACHINE: &[Row] = &[];

/// Machine code of a kernel for a GPU of this architecture, if this build has some.
///
/// # Errors
/// If the machine code is damaged.
pub fn machine_code(architecture: (u32, u32), kernel: &str) -> Option<Result<Vec<u8>, String>> {
    let rows: Vec<&Row> = MACHINE.iter().filter(|(_, of, _)| *of == kernel).collect();
    let versions: Vec<(u32, u32)> = rows.iter().map(|&&(of, ..)| of).collect();
    let mut packed = rows[fitting(&versions, architecture)?].2;
    let damaged = |error: &dyn std::fmt::Display| format!("the kernels' machine code is damaged: {error}");
    let mut code = Vec::new();
    Some(match ruzstd::decoding::StreamingDecoder::new(&mut packed) {
        Ok(mut decoder) => match std::io::Read::read_to_end(&mut decoder, &mut code) {
            Ok(_) => Ok(code),
            Err(error) => Err(damaged(&error)),
        },
        Err(error) => Err(damaged(&error)),
    })
}

/// The index of the best architecture whose machine code runs on a GPU: machine code runs on GPUs of the same
/// major version and of its minor version or a larger one.
fn fitting(versions: &[(u32, u32)], (major, minor): (u32, u32)) -> Option<usize> {
    let runs = |&at: &usize| versions[at].0 == major && versions[at].1 <= minor;
    (0..versions.len()).filter(runs).max_by_key(|&at| versions[at].1)
}

include!("entries.rs");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kernel;

    #[test]
    fn machine_code_runs_on_its_major_version() {
        let versions = [(8, 0), (9, 0), (8, 6), (12, 0)];
        let fits = |gpu| fitting(&versions, gpu).map(|at| versions[at]);
        assert_eq!(fits((8, 0)), Some((8, 0)));
        assert_eq!(fits((8, 7)), Some((8, 6)));
        assert_eq!(fits((8, 9)), Some((8, 6)));
        assert_eq!(fits((9, 0)), Some((9, 0)));
        assert_eq!(fits((7, 5)), None);
        assert_eq!(fits((10, 0)), None);
    }

    /// Without it the first run on a GPU waits for the driver's compiler.
    #[test]
    fn all_kernels_have_machine_code_for_all_gpus_that_run_them() {
        let Ok(ptx) = kernels() else { return };
        for gpu in [(8, 0), (8, 6), (8, 9), (9, 0), (10, 0), (10, 3), (12, 0)] {
            for kernel in entries(ptx) {
                let code = machine_code(gpu, kernel).expect("cargo xtask kernels makes what is lacking");
                assert!(code.expect("it is whole").starts_with(b"\x7fELF"), "{kernel}");
            }
        }
    }

    #[test]
    fn a_kernel_is_taken_out() {
        let ptx = ".version 7.0\n.extern .shared x[];\n\n.visible .entry a(\n)\n{\n\t{ .reg b;\n}\n\tret;\n}\n\n.visible .entry ab(\n)\n{\n\tret;\n}\n";
        assert_eq!(
            entry(ptx, "ab"),
            ".version 7.0\n.extern .shared x[];\n\n.visible .entry ab(\n)\n{\n\tret;\n}\n"
        );
        assert_eq!(
            entry(ptx, "a"),
            ".version 7.0\n.extern .shared x[];\n\n.visible .entry a(\n)\n{\n\t{ .reg b;\n}\n\tret;\n}\n"
        );
    }

    /// Nothing stands between them that one of them might need.
    #[test]
    fn kernels_are_all_that_there_is() {
        let Ok(ptx) = kernels() else { return };
        assert_eq!(entries(ptx).len(), Kernel::of_gpu().count());
        let mut rest = ptx.to_string();
        let head = entry(ptx, "none");
        for kernel in Kernel::of_gpu() {
            let alone = entry(ptx, kernel.name());
            let entry = &alone[head.len()..];
            assert!(entry.ends_with("\n}\n"), "{} is not there", kernel.name());
            rest = rest.replace(entry, "");
        }
        let is_comment = |line: &str| line.trim().is_empty() || line.trim().starts_with("//");
        let left: Vec<&str> = rest[head.len()..].lines().filter(|line| !is_comment(line)).collect();
        assert_eq!(left, Vec::<&str>::new());
    }
}
