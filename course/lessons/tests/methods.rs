//! The book's pages "What kernels may call" and "What hosts may call" list all public functions and methods
//! of `cuda_std` and `cuda_launch`, as rustc itself sees them after it has expanded the macros.
//!
//! `UPDATE=1 cargo test -p lessons --test methods` writes the page anew.

mod support;

use quote::ToTokens;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::compare;
use syn::{Attribute, ImplItem, Item, Signature, Visibility};

/// The parts of the page: a module of `cuda_std`, a title, and what there is to say about all of it.
const PARTS: [(&str, &str, &str); 6] = [
    ("array", "Arrays: `cuda_std::array`", "An index is a `u32` or a `usize`."),
    (
        "thread",
        "Threads, barriers and fences: `cuda_std::thread`",
        "`_y` and `_z` are for grids of [more dimensions](../threads/matrix.md).",
    ),
    (
        "warp",
        "Warps: `cuda_std::warp`",
        "Every function takes the mask of the lanes that take part. `T` has 32 or 64 bits.",
    ),
    (
        "shared",
        "Shared memory: `cuda_std::shared`",
        "`shared_array![u32; 256]` is the address of an array of constant size, a `*mut u32`.",
    ),
    (
        "atomic",
        "Atomic words: `cuda_std::atomic`",
        "`Array::atomic` and `Words::atomic` give a word of the first three types.",
    ),
    (
        "float",
        "Arithmetic: `cuda_std::float`",
        "Each gives the same bits on every executor: see [Roots, powers, waves](../threads/arithmetic.md).",
    ),
];

/// How the page about kernels begins.
const KERNELS: &str = "\
# What kernels may call

A test wrote this page from the sources of `cuda_std`. `#[kernel]` and the macros `shared_array!` and [`println!`](../first/cannot.md#print) are the only other things that a kernel needs. Of Rust, a kernel may call what `core` has and [what cannot panic](../first/cannot.md).

The signature of a method that several types have is that of the first type.
";

/// The parts of the page about hosts.
const HOST_PARTS: [(&str, &str, &str); 3] = [
    (
        "device",
        "Devices",
        "What runs kernels. `launch!(device, grid, kernel(arguments))` is the short way to call `launch`. The fields of \
         a `Simulation` say how the simulated GPU runs.",
    ),
    ("grid", "Grids", "The shape of a launch."),
    (
        "memory",
        "Buffers",
        "Memory of a device. `upload`, `upload_constant` and `zeros` of the device make a buffer, whose `array` is a \
         kernel's argument. The memory is freed with the buffer's last clone.",
    ),
];

/// How the page about hosts begins.
const HOSTS: &str = "\
# What hosts may call

A test wrote this page from the sources of `cuda_launch`. [Run the kernel](../first/run.md) has an example.
";

/// Source text in which macros are expanded.
fn expanded(package: &[&str]) -> String {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let builds = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("expanded");
    let output = Command::new(env!("CARGO"))
        .current_dir(repository)
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_TARGET_DIR", builds)
        .args(["rustc", "--quiet", "--offline", "--lib"])
        .args(package)
        .args(["--", "-Zunpretty=expanded"])
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// A function or a method: whose it is (nothing for a function), its name, its signature, and a sentence.
#[derive(Clone, PartialEq, Eq)]
struct Call {
    of: String,
    signature: String,
    says: String,
}

/// The first sentence of a documentation comment.
fn sentence(attributes: &[Attribute]) -> String {
    let mut text = String::new();
    for attribute in attributes {
        let syn::Meta::NameValue(pair) = &attribute.meta else { continue };
        if let (true, syn::Expr::Lit(value)) = (pair.path.is_ident("doc"), &pair.value) {
            let syn::Lit::Str(line) = &value.lit else { continue };
            if line.value().trim().is_empty() {
                break;
            }
            let _ = write!(text, "{} ", line.value().trim());
        }
    }
    let end = text.find(". ").map_or(text.len(), |end| end + 1);
    // A link of rustdoc is none of the book's.
    let mut text = text[..end].trim().replace("[`", "`").replace("`]", "`");
    while let Some(begin) = text.find("`(crate::") {
        let end = begin + text[begin..].find(')').expect("a link has an end");
        text.replace_range(begin + 1..=end, "");
    }
    text
}

/// A signature on one line, as rustfmt would write it.
fn written(signature: &Signature) -> String {
    let function = syn::ItemFn {
        attrs: Vec::new(),
        vis: Visibility::Inherited,
        sig: signature.clone(),
        block: syn::parse_quote!({}),
    };
    let file = syn::File { shebang: None, attrs: Vec::new(), items: vec![Item::Fn(function)] };
    let text = prettyplease::unparse(&file);
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.trim_end_matches(" {}").replace("( ", "(").replace(", )", ")")
}

/// What is public in a module and in the modules that it re-exports all of. Those are private.
fn collect(items: &[Item], calls: &mut Vec<Call>) {
    let is_public = |visibility: &Visibility| matches!(visibility, Visibility::Public(_));
    let is_hidden = |name: &str| {
        let is_it = |of: &syn::ItemStruct| of.ident == name && !is_public(&of.vis);
        items.iter().any(|item| matches!(item, Item::Struct(of) if is_it(of)))
    };
    for item in items {
        match item {
            Item::Fn(function) if is_public(&function.vis) => calls.push(Call {
                of: String::new(),
                signature: written(&function.sig),
                says: sentence(&function.attrs),
            }),
            Item::Struct(of) if is_public(&of.vis) => {
                for field in of.fields.iter().filter(|field| is_public(&field.vis)) {
                    let (Some(name), of) = (&field.ident, of.ident.to_string()) else { continue };
                    let signature = format!("{name}: {}", field.ty.to_token_stream());
                    calls.push(Call { of, signature, says: sentence(&field.attrs) });
                }
            }
            Item::Impl(block) if block.trait_.is_none() => {
                let of = block.self_ty.to_token_stream().to_string().replace(' ', "");
                if is_hidden(&of) {
                    continue;
                }
                for member in &block.items {
                    if let ImplItem::Fn(method) = member {
                        if is_public(&method.vis) {
                            let (of, signature) = (of.clone(), written(&method.sig));
                            calls.push(Call { of, signature, says: sentence(&method.attrs) });
                        }
                    }
                }
            }
            Item::Mod(module) if matches!(module.vis, Visibility::Inherited) => {
                if let Some((_, items)) = &module.content {
                    if module.ident != "intrinsics" {
                        collect(items, calls);
                    }
                }
            }
            _ => {}
        }
    }
}

/// Methods that several types share, as one: the types, and the signature of the first.
fn merged(calls: Vec<Call>) -> Vec<(Vec<String>, Call)> {
    let name = |call: &Call| call.signature.split(['(', '<']).next().unwrap_or("").to_string();
    let mut merged: Vec<(Vec<String>, Call)> = Vec::new();
    for call in calls {
        let same = |(_, other): &(_, Call)| {
            !call.of.is_empty() && name(other) == name(&call) && other.says == call.says
        };
        match merged.iter_mut().find(|other| same(other)) {
            Some((types, _)) => types.push(call.of),
            None => merged.push((vec![call.of.clone()], call)),
        }
    }
    merged
}

/// A page of a crate's functions and methods: `parts` are its modules, and `begin` is how the page begins.
/// Returns the page and the number of its entries.
fn page_of(package: &[&str], parts: &[(&str, &str, &str)], begin: &str) -> (String, u32) {
    let file = syn::parse_file(&expanded(package)).expect("Rust");
    let (mut page, mut number) = (String::from(begin), 0);
    for (name, title, about) in parts {
        let module = file.items.iter().find_map(|item| match item {
            Item::Mod(module) if module.ident == name => module.content.as_ref(),
            _ => None,
        });
        let mut calls = Vec::new();
        collect(&module.expect("a module").1, &mut calls);
        let _ = write!(page, "\n## {title}\n\n{about}\n");
        let mut before = None;
        for (types, call) in merged(calls) {
            if before.as_ref() != Some(&types) {
                let names: Vec<String> =
                    types.iter().filter(|name| !name.is_empty()).map(|name| format!("`{name}`")).collect();
                let line = if names.is_empty() { "Functions".into() } else { names.join(", ") };
                let _ = write!(page, "\n**{line}**\n\n");
                before = Some(types);
            }
            assert!(!call.says.is_empty(), "{}", call.signature);
            let _ = writeln!(page, "- `{}`: {}", call.signature, call.says);
            number += 1;
        }
    }
    (page, number)
}

#[test]
fn the_page_lists_all_that_kernels_may_call() {
    let (page, number) = page_of(&["--package", "yasmin-cuda-std"], &PARTS, KERNELS);
    // A list that lost a module would be short.
    assert!(number > 80, "{number} calls");
    compare("reference/methods.md", &page);
}

#[test]
fn the_page_lists_all_that_hosts_may_call() {
    let package = ["--package", "yasmin-cuda-launch", "--features", "gpu"];
    let (page, number) = page_of(&package, &HOST_PARTS, HOSTS);
    assert!(number > 25, "{number} calls");
    compare("reference/host.md", &page);
}
