//! The exercises as the book's page has them, in its order: titles, pages and hints. Main value:
//! [`EXERCISES`].

use std::sync::LazyLock;

/// An exercise.
pub struct Exercise {
    /// Its title, without a number.
    pub title: &'static str,
    /// The page of the book after which it comes: its title, and its path from the folder of the pages.
    pub page: (&'static str, &'static str),
    /// What to think of, from the first thought to nearly the solution.
    pub hints: Vec<&'static str>,
}

/// The book's page.
const PAGE: &str = include_str!("../../book/src/exercises.md");

/// All exercises; number 1 is the first.
pub static EXERCISES: LazyLock<Vec<Exercise>> = LazyLock::new(|| {
    let exercises = PAGE.split("\n## ").skip(1);
    exercises
        .map(|text| read(text).unwrap_or_else(|| panic!("the book has no such exercise: {text}")))
        .collect()
});

/// Reads the part of the page on an exercise: `N. TITLE`, `After [TITLE](PATH).`, and hints in `<details>`.
fn read(text: &'static str) -> Option<Exercise> {
    let (_, title) = text.lines().next()?.split_once(". ")?;
    let (page, _) = text.split_once("After [")?.1.split_once(").")?;
    let hints = text.split("</summary>").skip(1);
    let hints = hints.map(|hint| Some(hint.split_once("</details>")?.0.trim())).collect::<Option<_>>()?;
    Some(Exercise { title, page: page.split_once("](")?, hints })
}
