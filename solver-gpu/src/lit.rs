//! Variables and signed literals. This file alone knows how a literal is encoded.
//!
//! A nogood is a set of literals, and is *violated* when all its literals hold (paper, section 2). The
//! literal `Tp` holds when `p` is true, and `Fp` holds when `p` is false.
//!
//! Invariant: the two literals of a variable differ in the lowest bit only.

/// A variable of the solver: an atom of the program or an auxiliary variable (`b_r`, `t_r`, `n_r`). Variables
/// are numbered from 0 without gaps.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(transparent)]
pub struct Var(pub u32);

/// A signed literal, encoded as `2 * variable + sign`. The sign is 0 for `T` and 1 for `F`.
///
/// ```
/// # use solver_gpu::{Lit, Var};
/// let p = Var(7);
/// assert_eq!(!Lit::t(p), Lit::f(p));
/// assert!(Lit::f(p).is_false_sign() && Lit::f(p).var() == p);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(transparent)]
pub struct Lit(pub u32);

impl Lit {
    /// The literal that always holds. The literal belongs to no variable and is in no nogood.
    pub const TRUE: Lit = Lit(u32::MAX - 1);
    /// The literal that never holds: the complement of [`Lit::TRUE`].
    pub const FALSE: Lit = Lit(u32::MAX);

    /// Returns the literal `Tp`.
    #[cuda_std::inlined]
    pub const fn t(p: Var) -> Lit {
        Lit(p.0 << 1)
    }

    /// Returns the literal `Fp`.
    #[cuda_std::inlined]
    pub const fn f(p: Var) -> Lit {
        Lit(p.0 << 1 | 1)
    }

    /// Returns `Tp` if `value` is true, else `Fp`.
    #[cuda_std::inlined]
    pub const fn new(p: Var, value: bool) -> Lit {
        Lit(p.0 << 1 | !value as u32)
    }

    /// Returns the literal's variable. The result has no meaning for [`Lit::TRUE`] and [`Lit::FALSE`].
    #[cuda_std::inlined]
    pub const fn var(self) -> Var {
        Var(self.0 >> 1)
    }

    /// Returns this literal, or its complement if `other` is `Fp` for some `p`.
    #[cuda_std::inlined]
    pub const fn signed_as(self, other: Lit) -> Lit {
        Lit(self.0 ^ other.0 & 1)
    }

    /// Returns the number, or the negative of it if this is `Fp` for some `p`.
    #[cuda_std::inlined]
    pub const fn signed(self, number: i64) -> i64 {
        if self.is_false_sign() {
            -number
        } else {
            number
        }
    }

    /// Whether this is `Fp` for some `p`.
    #[cuda_std::inlined]
    pub const fn is_false_sign(self) -> bool {
        self.0 & 1 == 1
    }

    /// Whether this is [`Lit::TRUE`] or [`Lit::FALSE`].
    #[cuda_std::inlined]
    pub const fn is_constant(self) -> bool {
        self.0 >= Self::TRUE.0
    }

    /// Returns the literal's code as an index into tables with one row for each literal.
    #[cuda_std::inlined]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl core::ops::Not for Lit {
    type Output = Lit;
    /// Returns the complement: the literal of the same variable with the opposite sign.
    #[cuda_std::inlined]
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

/// Returns two literals in one word: `a` in the high half, `b` in the low half.
#[cuda_std::inlined]
pub const fn pack(a: Lit, b: Lit) -> u64 {
    (a.0 as u64) << 32 | b.0 as u64
}

/// Returns the two literals of a word that [`pack`] has made.
#[cuda_std::inlined]
pub const fn unpack(pair: u64) -> (Lit, Lit) {
    (Lit((pair >> 32) as u32), Lit(pair as u32))
}

// SAFETY: the type is a transparent `u32`, of which every bit pattern is a value.
unsafe impl bytemuck::Zeroable for Lit {}
// SAFETY: the type is a transparent `u32`, of which every bit pattern is a value.
unsafe impl bytemuck::Pod for Lit {}
