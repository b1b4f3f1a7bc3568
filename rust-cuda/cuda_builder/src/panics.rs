//! Where kernels can panic: function and line, from LLVM's text of a crate that was compiled with line
//! tables.
//!
//! Main function: [`places`]. Invariant: each place is in the crate's own sources, unless the panic has no
//! line there.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

/// Each place where a function of the crate in `folder` calls what does not return, for people: the line, the
/// function, the kernel, and what may happen there. `ir` is LLVM's text after all inlining.
pub fn places(ir: &str, folder: &Path) -> BTreeSet<String> {
    let metadata: HashMap<&str, &str> = ir.lines().filter_map(|line| line.split_once(" = ")).collect();
    let (mut places, mut kernel, mut called) = (BTreeSet::new(), None, "");
    let mut lines = ir.lines().peekable();
    while let Some(line) = lines.next() {
        if line.starts_with("define ") {
            // What core defines has no line table.
            kernel = line.contains("!dbg").then(|| between(line, "@", "(")).flatten();
        } else if let Some(name) = line.strip_prefix("; call ") {
            called = name;
        } else if let (Some(kernel), Some((_, at))) = (kernel, line.rsplit_once("!dbg ")) {
            let is_end = lines.peek().is_some_and(|next| next.trim_start().starts_with("unreachable"));
            if is_end && line.contains("call ") {
                let at = at.split(',').next().unwrap_or(at);
                places.extend(describe(&metadata, at, folder, kernel, called));
            }
        }
    }
    places
}

/// What a call at this location may be, for people.
fn describe(
    metadata: &HashMap<&str, &str>,
    location: &str,
    folder: &Path,
    kernel: &str,
    called: &str,
) -> Option<String> {
    // From the innermost function that was inlined to the kernel itself.
    let mut at = Some(location);
    let mut found = None;
    while let Some(location) = at.and_then(|at| metadata.get(at)) {
        let (function, file) = scope(metadata, field(location, "scope: ")?)?;
        let relative = Path::new(&file).strip_prefix(folder).ok().map(|path| path.display().to_string());
        let is_ours = relative.is_some();
        let place = format!(
            "{}:{}:{}",
            relative.unwrap_or(file),
            field(location, "line: ")?,
            field(location, "column: ").unwrap_or("1")
        );
        found = Some((place, function));
        if is_ours {
            break;
        }
        at = field(location, "inlinedAt: ");
    }
    let (place, function) = found?;
    let of = if function == kernel { String::new() } else { format!("function {function}, ") };
    Some(format!("{place}: {of}kernel {kernel}: {}", meaning(called)))
}

/// The function and the file's path of a scope: of a function, or of a block in one.
fn scope<'a>(metadata: &HashMap<&'a str, &'a str>, mut scope: &'a str) -> Option<(&'a str, String)> {
    loop {
        let text = metadata.get(scope)?;
        if text.contains("DISubprogram(") {
            let file = metadata.get(field(text, "file: ")?)?;
            let text_of = |name| between(file, name, "\"").unwrap_or("");
            let path = Path::new(text_of("directory: \"")).join(text_of("filename: \""));
            return Some((between(text, "name: \"", "\"")?, path.display().to_string()));
        }
        scope = field(text, "scope: ")?;
    }
}

/// What follows `name`, up to a comma or a bracket.
fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let rest = &text[text.find(name)? + name.len()..];
    rest.split([',', ')']).next()
}

fn between<'a>(text: &'a str, begin: &str, end: &str) -> Option<&'a str> {
    let rest = &text[text.find(begin)? + begin.len()..];
    rest.split(end).next()
}

/// What may happen where core's function is called.
fn meaning(called: &str) -> String {
    let what = match called.rsplit("::").next().unwrap_or(called) {
        "panic_bounds_check" => "an index may be past the end of a slice or an array of Rust",
        "panic_const_rem_by_zero" => "the divisor of % may be 0",
        "panic_const_div_by_zero" => "the divisor of / may be 0",
        "unwrap_failed" => "unwrap or expect may find nothing",
        "expect_failed" => "expect may find nothing",
        "panic_fmt" | "panic" | "panic_explicit" | "unreachable_display" => "panic! or an assertion",
        _ => "a call that does not return",
    };
    format!("{what} ({called})")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of what rustc 1.96 makes of a kernel `double` with `data.read((i + 1) % n)`, and of a kernel
    /// `lookup` that unwraps an `Option`.
    const IR: &str = r#"
define ptx_kernel void @double([2 x i64] %0, i32 noundef %n) unnamed_addr #0 !dbg !6 {
; call core::panicking::panic_const::panic_const_rem_by_zero
  tail call fastcc void @_RNvpanic_const_rem_by_zero() #6, !dbg !60
  unreachable, !dbg !60
  call void @of_another_kind(), !dbg !60
  ret void
}
define ptx_kernel void @lookup([2 x i64] %0) unnamed_addr #1 !dbg !90 {
; call core::option::unwrap_failed
  tail call fastcc void @_RNvunwrap_failed() #6, !dbg !133
  unreachable, !dbg !133
}
define internal fastcc void @_RNvunwrap_failed() unnamed_addr #3 {
; call core::panicking::panic
  tail call fastcc void @_RNvpanic() #6
  unreachable
}
!6 = distinct !DISubprogram(name: "double", scope: !8, file: !7, line: 10, type: !9)
!7 = !DIFile(filename: "src/lib.rs", directory: "/tmp/panics", checksumkind: CSK_MD5)
!43 = distinct !DILexicalBlock(scope: !6, file: !7, line: 12, column: 5)
!59 = distinct !DILexicalBlock(scope: !43, file: !7, line: 13, column: 5)
!60 = !DILocation(line: 15, column: 37, scope: !59)
!90 = distinct !DISubprogram(name: "lookup", scope: !8, file: !7, line: 28, type: !9)
!130 = distinct !DISubprogram(name: "helper", linkageName: "_RNvhelper", scope: !8, file: !7, line: 20)
!131 = !DILocation(line: 32, column: 19, scope: !90)
!133 = !DILocation(line: 1016, column: 21, scope: !134, inlinedAt: !138)
!134 = distinct !DISubprogram(name: "unwrap<u32>", scope: !136, file: !135, line: 1013)
!135 = !DIFile(filename: "/usr/lib/rustlib/option.rs", directory: "", checksumkind: CSK_MD5)
!138 = !DILocation(line: 22, column: 58, scope: !130, inlinedAt: !131)
"#;

    #[test]
    fn names_kernel_function_and_line() {
        let found: Vec<String> = places(IR, Path::new("/tmp/panics")).into_iter().collect();
        assert_eq!(
            found,
            [
                "src/lib.rs:15:37: kernel double: the divisor of % may be 0 \
                 (core::panicking::panic_const::panic_const_rem_by_zero)",
                "src/lib.rs:22:58: function helper, kernel lookup: unwrap or expect may find nothing \
                 (core::option::unwrap_failed)",
            ]
        );
    }

    #[test]
    fn a_panic_without_a_line_of_the_crate_has_that_of_the_kernel() {
        let found: Vec<String> = places(IR, Path::new("/another/crate")).into_iter().collect();
        assert!(found[1].starts_with("/tmp/panics/src/lib.rs:32:19: kernel lookup: "), "{found:?}");
        assert!(places("define void @k() !dbg !1 {\n  ret void\n}\n", Path::new("/")).is_empty());
    }
}
