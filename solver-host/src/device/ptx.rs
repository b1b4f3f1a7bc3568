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

/// How a kernel begins.
const ENTRY: &str = "\n.visible .entry ";

/// The PTX of one kernel: what stands before all, and the kernel. All functions are inlined, so it needs
/// nothing else.
pub fn of(ptx: &str, kernel: &str) -> String {
    let begin = format!("{ENTRY}{kernel}(");
    let entry = ptx.find(&begin).map_or("", |at| {
        let next = ptx[at + 1..].find(ENTRY).map_or(ptx.len(), |len| at + 1 + len);
        // The last brace: what was written as assembly may have some, too.
        let end = ptx[at..next].rfind("\n}\n").map_or(next, |len| at + len + 3);
        &ptx[at..end]
    });
    let head = &ptx[..ptx.find(ENTRY).unwrap_or(ptx.len())];
    [head, entry].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Kernel;

    #[test]
    fn a_kernel_is_taken_out() {
        let ptx = ".version 7.0\n.extern .shared x[];\n\n.visible .entry a(\n)\n{\n\t{ .reg b;\n}\n\tret;\n}\n\n.visible .entry ab(\n)\n{\n\tret;\n}\n";
        assert_eq!(
            of(ptx, "ab"),
            ".version 7.0\n.extern .shared x[];\n\n.visible .entry ab(\n)\n{\n\tret;\n}\n"
        );
        assert_eq!(
            of(ptx, "a"),
            ".version 7.0\n.extern .shared x[];\n\n.visible .entry a(\n)\n{\n\t{ .reg b;\n}\n\tret;\n}\n"
        );
    }

    /// Nothing stands between them that one of them might need.
    #[test]
    fn kernels_are_all_that_there_is() {
        let Ok(ptx) = kernels() else { return };
        let mut rest = ptx.to_string();
        let head = of(ptx, "none");
        for kernel in Kernel::ALL {
            let alone = of(ptx, kernel.name());
            let entry = &alone[head.len()..];
            assert!(entry.ends_with("\n}\n"), "{} is not there", kernel.name());
            rest = rest.replace(entry, "");
        }
        let is_comment = |line: &str| line.trim().is_empty() || line.trim().starts_with("//");
        let left: Vec<&str> = rest[head.len()..].lines().filter(|line| !is_comment(line)).collect();
        assert_eq!(left, Vec::<&str>::new());
    }
}
