//! The recipes of `CONTRIBUTING.md` fit the sources, and touch as few places as they say. So do the changes
//! of `tests/claim-mutants.txt`, which `scripts/claim-mutants.py` makes.
//!
//! Each recipe is a patch in `tests/recipes/`. `scripts/long.sh --only recipes` applies all of them to a copy
//! of the sources and checks the types.

use std::fs;
use std::path::{Path, PathBuf};

/// The recipes, each with the number of places that it touches.
const RECIPES: [(&str, usize); 3] = [("statistic", 2), ("option-host", 2), ("option-kernels", 3)];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A place that a patch changes: the file, and the lines there before the change.
struct Place {
    file: String,
    before: String,
}

/// The places that a patch in the unified format changes.
fn places(patch: &str) -> Vec<Place> {
    let (mut file, mut places) = (String::new(), Vec::<Place>::new());
    for line in patch.lines() {
        if let Some(name) = line.strip_prefix("+++ b/") {
            file = name.into();
        } else if line.starts_with("@@ ") {
            places.push(Place { file: file.clone(), before: String::new() });
        } else if let (Some(place), Some(kept)) = (places.last_mut(), line.strip_prefix([' ', '-'])) {
            // The next file begins with `---`.
            if !line.starts_with("--- ") {
                place.before += &format!("{kept}\n");
            }
        }
    }
    places
}

#[test]
fn recipes_fit_the_sources() {
    for (name, count) in RECIPES {
        let path = repository().join(format!("tests/recipes/{name}.patch"));
        let places = places(&fs::read_to_string(path).expect("the recipe is there"));
        assert_eq!(places.len(), count, "the places of {name}");
        for Place { file, before } in places {
            let text = fs::read_to_string(repository().join(&file)).expect("the recipe's file is there");
            assert_eq!(text.matches(&before).count(), 1, "{name} does not fit {file}:\n{before}");
        }
    }
    let there = fs::read_dir(repository().join("tests/recipes")).expect("the folder is there").count();
    assert_eq!(there, RECIPES.len(), "each recipe is tested");
}

/// What a source has between words does not count.
#[test]
fn changes_of_claims_fit_the_sources() {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let table = fs::read_to_string(repository().join("tests/claim-mutants.txt")).expect("the table is there");
    let mut wrong = Vec::new();
    for change in table.split("\n@ ").skip(1) {
        let mut lines = change.lines();
        let file = lines.next().expect("a change begins with the name of a file");
        let old = lines.filter_map(|line| line.strip_prefix("- ")).collect::<Vec<_>>().join(" ");
        let text = fs::read_to_string(repository().join(file)).unwrap_or_default();
        let times = words(&text).matches(&words(&old)).count();
        if times != 1 {
            wrong.push(format!("{file} has {times} times: {old}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
