//! Variables and signed literals: the one place that knows how a literal is encoded.
//!
//! A nogood is a set of literals; it is *violated* when all of them hold (paper, section 3). The literal
//! `Tp` holds when `p` is true, `Fp` when `p` is false.

/// A variable of the solver: an atom of the program or an auxiliary (`b_r`, `t_r`, `n_r`). Dense, from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(transparent)]
pub struct Var(pub u32);

/// A signed literal, encoded as `2 * variable + sign`; the sign is 0 for `T` and 1 for `F`.
///
/// ```
/// # use solver_gpu::{Lit, Var};
/// let p = Var(7);
/// assert_eq!(!Lit::t(p), Lit::f(p));
/// assert!(Lit::f(p).is_false_sign() && Lit::f(p).var() == p);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(transparent)]
pub struct Lit(pub u32);

impl Lit {
    /// The literal that always holds. It is no literal of any variable and never stands in a nogood.
    pub const TRUE: Lit = Lit(u32::MAX - 1);
    /// The literal that never holds: the complement of [`Lit::TRUE`].
    pub const FALSE: Lit = Lit(u32::MAX);

    /// `Tp`.
    #[inline(always)]
    pub const fn t(p: Var) -> Lit {
        Lit(p.0 << 1)
    }

    /// `Fp`.
    #[inline(always)]
    pub const fn f(p: Var) -> Lit {
        Lit(p.0 << 1 | 1)
    }

    /// `Tp` if `value`, else `Fp`.
    #[inline(always)]
    pub const fn new(p: Var, value: bool) -> Lit {
        Lit(p.0 << 1 | !value as u32)
    }

    /// The literal's variable. Meaningless for the two constants.
    #[inline(always)]
    pub const fn var(self) -> Var {
        Var(self.0 >> 1)
    }

    /// Whether this is `Fp` for some `p`.
    #[inline(always)]
    pub const fn is_false_sign(self) -> bool {
        self.0 & 1 == 1
    }

    /// Whether this is [`Lit::TRUE`] or [`Lit::FALSE`].
    #[inline(always)]
    pub const fn is_constant(self) -> bool {
        self.0 >= Self::TRUE.0
    }

    /// The literal as an index into tables with a row a literal.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl core::ops::Not for Lit {
    type Output = Lit;
    /// The same variable with the opposite sign.
    #[inline(always)]
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

/// Two literals in one word.
#[inline(always)]
pub const fn pack(a: Lit, b: Lit) -> u64 {
    (a.0 as u64) << 32 | b.0 as u64
}

/// The two literals of a word that [`pack`] made.
#[inline(always)]
pub const fn unpack(pair: u64) -> (Lit, Lit) {
    (Lit((pair >> 32) as u32), Lit(pair as u32))
}

// SAFETY: transparent over u32, of which every bit pattern is a value.
unsafe impl bytemuck::Zeroable for Lit {}
// SAFETY: as above.
unsafe impl bytemuck::Pod for Lit {}
