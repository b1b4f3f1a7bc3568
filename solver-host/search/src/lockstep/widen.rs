//! What widen_deps must do: each row of the dependency bitmaps says in the wider bitmaps what it said in the
//! narrow ones.

use super::snapshot::Snapshot;
use solver_gpu::{Lit, Var};

/// Checks one launch. `narrow_deps` are the bitmaps as they were, with `narrow_words` words a row. Before the
/// launch the search's new block has everything in place but the rows of `deps`.
pub fn check(narrow_deps: Vec<u32>, narrow_words: u32, before: &Snapshot, after: &Snapshot) {
    let narrow = Snapshot { deps: narrow_deps, deps_words: narrow_words as usize, ..before.clone() };
    assert!(after.deps_words > narrow.deps_words);
    assert_eq!(&Snapshot { deps: after.deps.clone(), ..before.clone() }, after);
    assert_eq!(narrow.deps.len(), narrow.value.len() * narrow.deps_words);
    for p in 0..narrow.value.len() as u32 {
        assert_eq!(narrow.depends(Lit::t(Var(p))), after.depends(Lit::t(Var(p))));
    }
}
