//! Who searches besides the solver's own searcher: [`Others`].

use crate::search::crew::Crew;

/// The searchers besides the solver's own.
pub enum Others {
    /// There are none.
    None,
    /// If the search lasts, this many searchers on the processor share it, and fleets as well if the flag is true.
    MayJoin(usize, bool),
    /// Fleets are to search from the beginning, and nobody searches on the processor.
    Fleets,
    /// They search.
    Crew(Box<Crew>),
}
