// What stands in the PTX of several kernels. The build script and the executor both include this file.

/// How a kernel begins.
const ENTRY: &str = "\n.visible .entry ";

/// The PTX of one kernel: what stands before all, and the kernel. All functions are inlined, so it needs
/// nothing else.
pub fn entry(ptx: &str, kernel: &str) -> String {
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

/// The names of all kernels.
#[allow(dead_code)] // Outside tests the executor knows the names.
fn entries(ptx: &str) -> Vec<&str> {
    ptx.split(ENTRY).skip(1).filter_map(|entry| entry.split_once('(')).map(|(name, _)| name).collect()
}
