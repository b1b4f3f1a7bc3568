//! The book's pages show code that is compiled and outputs that are compared, and link to pages that are there.

use std::fs;
use std::path::{Path, PathBuf};

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../book/src")
}

/// All pages, each with its text.
fn pages() -> Vec<(PathBuf, String)> {
    fn collect(folder: &Path, into: &mut Vec<(PathBuf, String)>) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                collect(&path, into);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                let text = fs::read_to_string(&path).expect("a page");
                into.push((path, text));
            }
        }
    }
    let mut pages = Vec::new();
    collect(&source(), &mut pages);
    assert!(pages.len() > 25);
    pages
}

/// The fenced blocks of a page: what follows the fence, and the lines.
fn blocks(text: &str) -> Vec<(String, Vec<String>)> {
    let (mut blocks, mut open) = (Vec::new(), None);
    for line in text.lines() {
        match (line.strip_prefix("```"), open.take()) {
            (Some(kind), None) => open = Some((kind.to_string(), Vec::new())),
            (Some(_), Some(block)) => blocks.push(block),
            (None, Some((kind, mut lines))) => {
                lines.push(line.to_string());
                open = Some((kind, lines));
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a fence is open");
    blocks
}

/// What the part of a page between two marks is, for each place where they are.
fn between<'a>(mut text: &'a str, begin: &'a str, end: &'a str) -> impl Iterator<Item = &'a str> {
    std::iter::from_fn(move || {
        let (inside, rest) = text.split_once(begin)?.1.split_once(end)?;
        text = rest;
        Some(inside)
    })
}

/// What a page has in backquotes, outside of fenced blocks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.starts_with("```")).flat_map(|line| between(line, "`", "`"))
}

#[test]
fn listings_and_outputs_are_included() {
    for (page, text) in pages() {
        for (kind, lines) in blocks(&text) {
            match kind.as_str() {
                // A command; or a program that `mdbook test` runs.
                "sh" | "rust" => {}
                "rust,ignore" | "text" => assert!(
                    lines.len() == 1 && lines[0].starts_with("{{#include "),
                    "{}: a listing that is not included: {lines:?}",
                    page.display()
                ),
                _ => panic!("{}: a block of the kind {kind}", page.display()),
            }
        }
    }
}

#[test]
fn what_is_included_is_there() {
    for (page, text) in pages() {
        for include in between(&text, "{{#include ", "}}") {
            let (file, anchor) = include.split_once(':').map_or((include, None), |(f, a)| (f, Some(a)));
            let path = page.parent().expect("a folder").join(file);
            let content = fs::read_to_string(&path)
                .unwrap_or_else(|error| panic!("{}: {}: {error}", page.display(), path.display()));
            let marks = |mark: &str| match anchor {
                Some(anchor) => content.lines().any(|line| line.trim() == format!("// {mark}: {anchor}")),
                None => true,
            };
            assert!(marks("ANCHOR") && marks("ANCHOR_END"), "{}: no {include}", page.display());
        }
    }
}

#[test]
fn links_lead_to_files() {
    for (page, text) in pages() {
        for link in between(&text, "](", ")").filter(|link| !link.starts_with("http")) {
            let path = page.parent().expect("a folder").join(link.split('#').next().expect("a path"));
            assert!(path.exists(), "{}: {link}", page.display());
        }
    }
}

#[test]
fn every_page_is_in_the_table_of_contents() {
    let contents = fs::read_to_string(source().join("SUMMARY.md")).expect("the contents");
    for (page, _) in pages() {
        let name = page.strip_prefix(source()).expect("a page").display().to_string();
        assert!(name == "SUMMARY.md" || contents.contains(&format!("({name})")), "{name}");
    }
}

/// Errors of the simulation name pages of the book.
#[test]
fn pages_that_errors_name_are_there() {
    let contents = fs::read_to_string(source().join("SUMMARY.md")).expect("the contents");
    for (_, title, path) in cuda_launch::PAGES {
        assert!(contents.contains(&format!("[{title}]({path})")), "{title}");
    }
}

/// The last column of the table of names has names that kernels or hosts may use.
#[test]
fn translated_names_are_there() {
    let read = |page: &str| fs::read_to_string(source().join("reference").join(page)).expect("a page");
    let (names, lists) = (read("names.md"), read("methods.md") + &read("host.md"));
    let rows: Vec<&str> = names.lines().filter(|line| line.starts_with("| `")).collect();
    assert!(rows.len() > 30);
    for row in rows {
        let here = row.trim_end_matches(" |").rsplit(" | ").next().expect("a column");
        for name in quoted(here) {
            let word =
                name.split(['(', '<']).next().expect("a name").rsplit(['.', ':']).next().expect("a name");
            let others = [
                "#[kernel] pub unsafe fn f",
                "Array",
                "shared_array!",
                "println!",
                "{}",
                "Words",
                "launch!",
                "a",
            ];
            let is_listed = [format!("fn {word}("), format!("fn {word}<")].iter().any(|f| lists.contains(f));
            assert!(is_listed || others.contains(&word), "{name}: {row}");
        }
    }
}

/// Files that the text names in backquotes are there.
#[test]
fn named_files_are_there() {
    let repository = source().join("../../..");
    let mut number = 0;
    for (page, text) in pages() {
        for name in quoted(&text).filter(|name| name.contains('/') && !name.contains(char::is_whitespace)) {
            let is_ours = ["course/", "rust-cuda/", "solver-gpu/", "solver-host/", "docs/"]
                .iter()
                .any(|folder| name.starts_with(folder));
            assert!(!is_ours || repository.join(name).exists(), "{}: {name}", page.display());
            number += is_ours as u32;
        }
    }
    assert!(number > 10, "{number} files");
}

/// The dev container has the Rust of `Containerfile`, and does what the pages say.
#[test]
fn the_dev_container_is_ready_for_the_course() {
    let repository = source().join("../../..");
    let read = |name: &str| fs::read_to_string(repository.join(name)).expect("a file");
    let container: serde_json::Value =
        serde_json::from_str(&read(".devcontainer/devcontainer.json")).expect("JSON");
    let image = container["image"].as_str().expect("an image");
    assert!(read("Containerfile").contains(&format!("FROM {image} AS build")), "{image}");
    let does = container["postCreateCommand"].as_str().expect("a command");
    assert_eq!(does, "scripts/setup.sh --tests && cargo xtask book");
}
