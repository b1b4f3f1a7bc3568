//! Difference constraints that exclude each other. Each is an edge of a graph. Around a cycle the differences
//! add up to 0, so the numbers must not add up to less.

use super::lit::Lit;

/// What holds if a literal does: the value of `from` minus the value of `to` is at most `most`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The literal.
    pub lit: Lit,
    /// The first variable.
    pub from: u32,
    /// The second variable.
    pub to: u32,
    /// The largest difference.
    pub most: i64,
}

/// The literals of constraints that exclude each other. `numbers` are those of the constraints, from 1: each
/// begins with the variable that the one before ends with, and the first one with that of the last one.
///
/// # Errors
/// If they are no such cycle, or the numbers do not add up to less than 0.
pub fn cycle(differences: &[Difference], numbers: &[i64]) -> Result<Vec<Lit>, String> {
    let known = |&number: &i64| differences.get(usize::try_from(number).ok()?.checked_sub(1)?);
    let edges: Option<Vec<&Difference>> = numbers.iter().map(known).collect();
    let edges = edges.ok_or("one of the difference constraints is not there")?;
    if edges.iter().zip(edges.iter().cycle().skip(1)).any(|(edge, next)| edge.to != next.from) {
        return Err("the difference constraints are no cycle".into());
    }
    match edges.iter().map(|edge| i128::from(edge.most)).sum() {
        ..=-1_i128 => Ok(edges.iter().map(|edge| edge.lit).collect()),
        sum => Err(format!("the difference constraints allow {sum} around the cycle")),
    }
}
