//! `cargo xtask book`: builds the book, whose pages run the lessons, compiled to WebAssembly.
//!
//! Main functions: [`book`], and [`mark`], which mdbook calls for the text of the pages. Invariant: a page
//! that can run something has a `lessons.js` beside it that does.

use cuda_builder::toolchain::{self, Toolchain};
use data_encoding::BASE64;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

const TARGET: &str = "wasm32-unknown-unknown";

/// Builds the book in the folder `book` of the builds: pages that run the lessons, unless it is `plain`.
/// Returns what there is to say.
///
/// # Errors
/// If a tool is missing or fails: which one, and how to install it.
pub fn book(plain: bool) -> Result<String, String> {
    let to = super::builds().join("book");
    let mut mdbook = Command::new("mdbook");
    mdbook.arg("build").arg(super::repository().join("course/book")).arg("--dest-dir").arg(&to);
    if plain {
        run(&mut mdbook, "cargo install mdbook --version 0.5.4 --locked")?;
        return Ok(format!("{}: no page of it runs lessons", to.join("index.html").display()));
    }
    let module = module()?;
    let this = env::current_exe().map_err(|error| error.to_string())?;
    let marks = serde_json::json!({ "command": format!("\"{}\" mark", this.display()), "before": ["links"] });
    mdbook.env("MDBOOK_PREPROCESSOR__RUN", marks.to_string());
    mdbook.env("MDBOOK_OUTPUT__HTML__ADDITIONAL_JS", r#"["run.js"]"#);
    run(&mut mdbook, "cargo install mdbook --version 0.5.4 --locked")?;
    let script = format!("window.lessons = \"{}\";\n", BASE64.encode(&module));
    let file = to.join("lessons.js");
    fs::write(&file, script).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(format!("{}: its pages run the lessons", to.join("index.html").display()))
}

/// Runs a program, whose absence `remedy` mends.
fn run(command: &mut Command, remedy: &str) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{name} failed: {status}")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(format!("there is no {name}; install it: {remedy}"))
        }
        Err(error) => Err(format!("{name}: {error}")),
    }
}

/// Compiles the lessons to WebAssembly in which simulated threads can wait.
fn module() -> Result<Vec<u8>, String> {
    let builds = super::builds().join("browser");
    let mut cargo = cargo()?;
    cargo.current_dir(super::repository()).arg("--target-dir").arg(&builds);
    cargo.args(["--package", "lessons", "--lib", "--crate-type", "cdylib", "--profile", "browser"]);
    // The page gives each simulated thread a stack of its own.
    cargo.args(["--target", TARGET, "--", "-Clink-arg=--export=__stack_pointer"]);
    run(&mut cargo, "https://rustup.rs")?;
    let (compiled, ready) = (builds.join(TARGET).join("browser/lessons.wasm"), builds.join("lessons.wasm"));
    let mut optimise = Command::new("wasm-opt");
    // What Rust's target has, and every browser.
    let features = [
        "bulk-memory",
        "multivalue",
        "mutable-globals",
        "nontrapping-float-to-int",
        "reference-types",
        "sign-ext",
    ];
    optimise.args(features.map(|feature| format!("--enable-{feature}")));
    optimise.args(["--asyncify", "--pass-arg=asyncify-imports@simt.suspend", "-Os", "--strip-debug"]);
    optimise.arg(&compiled).arg("-o").arg(&ready);
    let remedy =
        "apt-get install binaryen, or npm install --global binaryen; or build pages that run nothing: \
                  cargo xtask book --plain";
    run(&mut optimise, remedy)?;
    fs::read(&ready).map_err(|error| format!("{}: {error}", ready.display()))
}

/// `cargo rustc` of a toolchain that can compile to WebAssembly: the active one, if it has the target, or one
/// that has the standard library's sources, as for kernels.
fn cargo() -> Result<Command, String> {
    let active = output("rustc", &["--print", "target-libdir", "--target", TARGET])?;
    if Path::new(&active).exists() {
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.arg("rustc");
        return Ok(cargo);
    }
    let Toolchain { rustc, cargo, .. } = toolchain::find().map_err(|_| {
        format!(
            "the active Rust does not compile to WebAssembly; install what is missing: rustup target add {TARGET}; or \
             build pages that run nothing: cargo xtask book --plain"
        )
    })?;
    let mut build = Command::new(cargo);
    build.args(["rustc", "-Zbuild-std=std,panic_abort"]).env("RUSTC", &rustc).env("RUSTC_BOOTSTRAP", "1");
    // Debian's Rust brings no linker for WebAssembly, and rustup's does.
    let sysroots = [output(&rustc, &["--print", "sysroot"])?, output("rustc", &["--print", "sysroot"])?];
    let hosts =
        sysroots.iter().filter_map(|sysroot| fs::read_dir(Path::new(sysroot).join("lib/rustlib")).ok());
    let linker =
        hosts.flatten().flatten().map(|host| host.path().join("bin/rust-lld")).find(|path| path.exists());
    if let Some(linker) = linker {
        build.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
    }
    Ok(build)
}

/// What a program prints.
fn output(program: impl AsRef<std::ffi::OsStr>, arguments: &[&str]) -> Result<String, String> {
    let program = program.as_ref();
    let output = Command::new(program).args(arguments).output();
    let output = output.map_err(|error| format!("{}: {error}", PathBuf::from(program).display()))?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().into())
}

/// Marks where a page can run something. This is a preprocessor of mdbook, before its own that includes
/// files: reads the book as JSON from standard input, and returns it with the marks.
///
/// # Errors
/// If standard input is no book.
pub fn mark() -> Result<String, String> {
    let (_, mut book): (serde_json::Value, serde_json::Value) =
        serde_json::from_reader(io::stdin().lock()).map_err(|error| error.to_string())?;
    mark_chapters(&mut book)?;
    Ok(book.to_string())
}

fn mark_chapters(part: &mut serde_json::Value) -> Result<(), String> {
    match part {
        serde_json::Value::Array(parts) => parts.iter_mut().try_for_each(mark_chapters),
        serde_json::Value::Object(parts) => {
            if let Some(serde_json::Value::String(content)) = parts.get_mut("content") {
                *content = marked(content)?;
            }
            parts.values_mut().try_for_each(mark_chapters)
        }
        _ => Ok(()),
    }
}

/// The page with marks: after a command of `lessons`, what a twin prints, or a lesson's listing. What can run
/// in several places of the page runs in the last one.
fn marked(page: &str) -> Result<String, String> {
    let mut after: Vec<Option<String>> = Vec::new();
    let (mut open, mut before) = (None::<&str>, "");
    for line in page.lines() {
        after.push(None);
        match (line.strip_prefix("```"), open) {
            (Some(kind), None) => open = Some(kind),
            (Some(_), Some(kind)) => {
                open = None;
                if let Some(command) = command(kind, before) {
                    let earlier = after.iter_mut().find(|other| other.as_ref() == Some(&command));
                    earlier.into_iter().for_each(|other| *other = None);
                    *after.last_mut().expect("this line") = Some(command);
                }
            }
            (None, _) => before = line,
        }
    }
    let mut text = String::new();
    for (line, command) in page.lines().zip(after) {
        text += line;
        text += "\n";
        if let Some(command) = command {
            text +=
                &format!("\n<div class=\"run\" data-command=\"{command}\">{}</div>\n", program(&command)?);
        }
    }
    Ok(text)
}

/// The command of `lessons` that a block of a page shows, by its kind and its line.
fn command(kind: &str, line: &str) -> Option<String> {
    let between = |begin: &str, end: &str| line.split_once(begin)?.1.split_once(end).map(|(name, _)| name);
    match kind {
        "sh" => line.strip_prefix("cargo run -p lessons -- ").map(String::from),
        "text" => between("/outputs/broken/", ".txt").map(|twin| format!("broken {twin}")),
        _ => {
            let lesson = between("/lessons/src/", ".rs")?;
            let list = include_str!("../../../course/book/src/outputs/list.txt");
            let is_lesson = list.lines().any(|line| line.split(' ').next() == Some(lesson));
            is_lesson.then(|| format!("run {lesson}"))
        }
    }
}

/// The program that a command solves, which readers may change.
fn program(command: &str) -> Result<String, String> {
    let Some(file) = command.strip_prefix("solve ") else { return Ok(String::new()) };
    let text =
        fs::read_to_string(super::repository().join(file)).map_err(|error| format!("{file}: {error}"))?;
    let rows = text.lines().count();
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('\n', "&#10;");
    Ok(format!("<textarea rows=\"{rows}\" spellcheck=\"false\" aria-label=\"program\">{text}</textarea>"))
}

#[cfg(test)]
mod tests {
    use super::marked;

    #[test]
    fn a_page_is_marked_where_something_runs_and_once_for_each_command() {
        let block = |kind: &str, line: &str| format!("```{kind}\n{line}\n```\n");
        let listing = block("rust,ignore", "{{#include ../../../lessons/src/scan.rs:scan_tile}}");
        let twin = block("rust,ignore", "{{#include ../../../lessons/src/broken/scan.rs:kernel}}");
        let other = block("rust,ignore", "{{#include ../../../lessons/src/lesson.rs:simulated}}");
        let said = block("text", "{{#include ../outputs/broken/scan.txt}}");
        let list = block("sh", "cargo run -p lessons -- list");
        let mark = |command: &str| format!("\n<div class=\"run\" data-command=\"{command}\"></div>\n");
        let page = [&*listing, &listing, &twin, &other, &said, &list].concat();
        let (lesson, broken) = (mark("run scan"), mark("broken scan"));
        let wanted = [&*listing, &listing, &lesson, &twin, &other, &said, &broken, &list, &mark("list")];
        assert_eq!(marked(&page).unwrap(), wanted.map(String::from).concat());
        let solve =
            marked(&block("sh", "cargo run -p lessons -- solve course/book/src/programs/odd.lp")).unwrap();
        assert!(solve.contains("<textarea rows=\"2\"") && solve.contains("&#10;"), "{solve}");
        assert!(marked(&block("sh", "cargo run -p lessons -- solve nowhere.lp"))
            .unwrap_err()
            .starts_with("nowhere.lp: "));
    }
}
