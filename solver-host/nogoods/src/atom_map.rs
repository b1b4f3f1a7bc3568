//! From literals over the program's atoms to literals of the solver's variables.
//!
//! Main function: [`literal_of`]; [`Prepared::literal_of`](super::Prepared::literal_of) is the same for a
//! finished translation.

use solver_gpu::Lit;

/// The literal of the solver that stands for `lit`, a literal over the program's atoms or a constant. A
/// constant stands for itself.
///
/// `atom_lit` has the literal of the solver, or a constant, for each atom of the program.
#[inline]
pub(super) fn literal_of(atom_lit: &[Lit], lit: Lit) -> Lit {
    if lit.is_constant() {
        return lit;
    }
    atom_lit[lit.var().0 as usize].signed_as(lit)
}
