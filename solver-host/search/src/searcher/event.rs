//! What a search has come to: [`Event`].

use crate::AnswerSet;

/// What a search has come to.
pub enum Event {
    /// It goes on when it is asked to.
    Paused,
    /// It has found an answer set, and goes on after [`Searcher::ask_for_next`](super::Searcher::ask_for_next), or under another goal.
    Answer(AnswerSet),
    /// Nothing is left to search under what it assumes.
    Exhausted,
    /// It is a searcher of a crew and waits for a cube.
    Idle,
    /// The check of an answer set was interrupted. The search finds the answer set again.
    Interrupted,
}
