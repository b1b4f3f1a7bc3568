//! A clause as the nogood that forbids its complement.

use solver_gpu::Lit;

/// The nogood of a clause over literals of the search: their complements, each once. `None` if the clause
/// holds whatever is assigned.
pub fn nogood_of(clause: impl IntoIterator<Item = Lit>) -> Option<Vec<Lit>> {
    let mut nogood: Vec<Lit> = clause.into_iter().map(|lit| !lit).filter(|&lit| lit != Lit::TRUE).collect();
    nogood.sort_unstable();
    nogood.dedup();
    let is_satisfied =
        nogood.contains(&Lit::FALSE) || nogood.windows(2).any(|pair| pair[0].var() == pair[1].var());
    (!is_satisfied).then_some(nogood)
}
