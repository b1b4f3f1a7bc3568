//! What judges whether a nogood follows is small, and uses nothing that need not be trusted.

use std::fs;
use std::path::Path;

/// The most lines, with comments.
const MOST: usize = 1_200;

#[test]
fn what_judges_nogoods_is_small_and_stands_apart() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/trusted");
    let mut lines = 0;
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("it can be read").path();
        let text = fs::read_to_string(&path).expect("it can be read");
        lines += text.lines().count();
        // The costs of a program, and nothing else from outside the folder.
        let other = text.lines().find(|line| {
            let outside = line.trim_start().starts_with("use crate::");
            outside && *line != "use crate::program::Costs;" && !line.contains("crate::trusted::")
        });
        assert_eq!(other, None, "{}", path.display());
    }
    assert!((500..=MOST).contains(&lines), "there are {lines} lines");
}
