//! Minimal cores: assumptions that exclude each other, and none of which can be left out.
//!
//! Main function: [`minimal_core`], for whoever can ask whether some assumptions exclude each other.

/// What becomes of a core without one of its literals.
pub enum WithoutOne<L> {
    /// These literals still exclude each other.
    Core(Vec<L>),
    /// The literals hold together.
    Holds,
    /// The search was stopped before that was known.
    Stopped,
}

/// Leaves one literal after the other out of a core. Returns what is left, in the same order, and whether
/// that is minimal: not if `ask` was stopped.
///
/// # Errors
/// Those of `ask`.
pub fn minimal_core<L: Copy + PartialEq, E>(
    core: Vec<L>,
    mut ask: impl FnMut(&[L]) -> Result<WithoutOne<L>, E>,
) -> Result<(Vec<L>, bool), E> {
    let (mut left, mut needed) = (core, Vec::new());
    let mut is_minimal = true;
    while let Some(tried) = left.pop() {
        match ask(&[&needed[..], &left[..]].concat())? {
            // Literals that were found to be needed are in every core of the rest.
            WithoutOne::Core(smaller) => left.retain(|lit| smaller.contains(lit)),
            WithoutOne::Holds => needed.push(tried),
            WithoutOne::Stopped => {
                left.push(tried);
                is_minimal = false;
                break;
            }
        }
    }
    left.extend(needed.into_iter().rev());
    Ok((left, is_minimal))
}
