//! The book's page of exercises has each of them, and each exercise comes after its page.

use exercises::list::EXERCISES;
use std::fs;
use std::path::{Path, PathBuf};

fn book() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../book/src")
}

#[test]
fn the_page_has_the_file_and_the_hints_of_each_exercise() {
    let page = fs::read_to_string(book().join("exercises.md")).expect("the page");
    for (number, exercise) in (1..).zip(EXERCISES.iter()) {
        let head = format!("\n## {number}. {}\n", exercise.title);
        let listing = format!("\n{{{{#include ../../exercises/src/exercise_{number}.rs:kernel}}}}\n");
        assert!(page.contains(&head) && page.contains(&listing), "exercise {number}");
        assert!(
            exercise.hints.len() >= 2 && exercise.hints.iter().all(|hint| !hint.is_empty()),
            "exercise {number}"
        );
    }
    let hints: usize = EXERCISES.iter().map(|exercise| exercise.hints.len()).sum();
    assert_eq!((EXERCISES.len(), hints), (21, page.matches("<details>").count()));
}

/// Nobody needs a page that comes later, and each page sends its readers to its exercises.
#[test]
fn exercises_come_in_the_order_of_their_pages() {
    let contents = fs::read_to_string(book().join("SUMMARY.md")).expect("the contents");
    let mut last = 0;
    for (number, exercise) in (1..).zip(EXERCISES.iter()) {
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
