//! Sets of literals as sorted lists without repetition.
//!
//! Main functions: [`load_set`] and [`is_tautological`]. Invariant: in a sorted list `Tp` and `Fp` are
//! neighbours.

use solver_gpu::Lit;

/// Makes `set` the sorted set of `lits`.
pub(super) fn load_set(set: &mut Vec<Lit>, lits: &[Lit]) {
    set.clear();
    match *lits {
        // Most are that short, or sets already.
        [a, b] if a != b => set.extend([a.min(b), a.max(b)]),
        _ => {
            set.extend_from_slice(lits);
            if !lits.windows(2).all(|pair| pair[0] < pair[1]) {
                set.sort_unstable();
                set.dedup();
            }
        }
    }
}

/// Whether a sorted set has a variable with both signs, so that it can never hold.
pub(super) fn is_tautological(sorted: &[Lit]) -> bool {
    sorted.windows(2).any(|pair| pair[0] == !pair[1])
}
