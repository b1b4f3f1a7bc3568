//! How the solver's own search goes on: [`Resume`].

use crate::search::campaign::plan::AllSearched;

/// What to do first when the search goes on.
pub enum Resume {
    /// Nothing was searched yet.
    Start,
    /// An answer set was reported.
    AfterAnswer,
    /// The caller interrupted.
    Anywhere,
    /// Nothing is left to search.
    Over(AllSearched),
}
