//! The book's page of exercises is made from the table of exercises, and each exercise comes after its page.
//!
//! `UPDATE=1 cargo test -p exercises --test page` writes the page anew.

use exercises::list::EXERCISES;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

const BEGIN: &str = "\
# Exercises

Each exercise is a file in `course/exercises/src/` of the repository. Change the kernel, take out the line
that says \"Not solved yet\", and run the exercise's hidden test, for example that of exercise 1:

```sh
cargo xtask exercise 1
```

The test runs the kernel on the simulated GPU with several grids and in several orders of the threads, and on
the processor. It compares the result with a sequential program, and counts whether the kernel does what the
exercise is about. Each exercise is a crate of its own, without Rust's standard library. When the kernel is
right, it is compiled for a GPU, which takes a minute the first time. Solutions are in
`course/exercises/solutions/`.

This command tests one exercise after the other, whenever you save a file, and gives hints:

```sh
cargo xtask watch
```

A single hint comes from `cargo xtask hint 1`, and the second hint from `cargo xtask hint 1 2`.
";

fn book() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../book/src")
}

#[test]
fn the_page_is_made_from_the_table() {
    let mut page = String::from(BEGIN);
    for (number, exercise) in (1..).zip(EXERCISES) {
        let (title, path) = exercise.page;
        let _ = write!(
            page,
            "\n## {number}. {}\n\nAfter [{title}]({path}).\n\n```rust,ignore\n{{{{#include \
             ../../exercises/src/exercise_{number}.rs:kernel}}}}\n```\n",
            exercise.title
        );
        for (hint, text) in (1..).zip(exercise.hints) {
            let _ = write!(page, "\n<details><summary>Hint {hint}</summary>\n\n{text}\n\n</details>\n");
        }
    }
    let path = book().join("exercises.md");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, &page).expect("the file can be written");
    }
    let found = fs::read_to_string(&path).expect("the page");
    assert!(found == page, "{} is out of date: UPDATE=1 cargo test -p exercises --test page", path.display());
}

/// Nobody needs a page that comes later, and each page sends its readers to its exercises.
#[test]
fn exercises_come_in_the_order_of_their_pages() {
    let contents = fs::read_to_string(book().join("SUMMARY.md")).expect("the contents");
    let mut last = 0;
    for (number, exercise) in (1..).zip(EXERCISES) {
        let (title, path) = exercise.page;
        let at = contents.find(&format!("[{title}]({path})")).unwrap_or_else(|| panic!("no page {title}"));
        assert!(at >= last, "exercise {number} comes before the one before it");
        last = at;
        let page = fs::read_to_string(book().join(path)).expect("the page");
        assert!(page.contains(&format!("[exercise {number}](../exercises.md)")), "{path}: exercise {number}");
    }
}

/// A link to an exercise stands on the page after which the exercise comes, and nowhere else.
#[test]
fn no_page_sends_readers_to_an_exercise_of_another_page() {
    for entry in walk(&book()) {
        let text = fs::read_to_string(&entry).expect("a page");
        let name = entry.strip_prefix(book()).expect("a page").display().to_string();
        for link in text.split("[exercise ").skip(1) {
            let number: usize = link.split(']').next().and_then(|text| text.parse().ok()).expect("a number");
            assert_eq!(EXERCISES[number - 1].page.1, name, "exercise {number}");
        }
    }
}

/// All pages of the book.
fn walk(folder: &Path) -> Vec<PathBuf> {
    let mut pages = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            pages.extend(walk(&path));
        } else if path.extension().is_some_and(|extension| extension == "md") {
            pages.push(path);
        }
    }
    pages
}
