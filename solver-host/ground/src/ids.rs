//! Numbers with a meaning: rules, bodies, nogoods, decision levels and positions on the trail.
//!
//! All of them are 32 bits wide, as on the device. A type of its own for each keeps one from being used as
//! another. Kernels and the arrays that are copied to the device have plain `u32`; a number gets its type
//! where it comes from there and loses the type where it goes there.
//!
//! Variables and literals have types of their own as well, [`solver_gpu::Var`] and [`solver_gpu::Lit`], which
//! kernels use too.

use serde::{Deserialize, Serialize};

/// Declares types of numbers, each with its documentation.
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
        #[repr(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// The number that belongs to an index into an array. There are fewer than 2^32 of everything
            /// that is numbered; an index beyond is cut off.
            #[inline(always)]
            pub const fn new(index: usize) -> $name {
                $name(index as u32)
            }

            /// The number as an index into an array.
            #[inline(always)]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// The number of a rule: an index into [`Program::heads`](crate::program::Program::heads), or into the
    /// rules with a head that the translation works on.
    RuleId;

    /// The number of a body. Rules with the same body may share its number.
    BodyId;

    /// The number of a term of a theory.
    TermId;

    /// The number of an element of a theory atom.
    ElementId;

    /// The number of a nogood in a store of nogoods, or in the sets that preprocessing works on.
    NogoodId;

    /// A decision level: 0 before the first decision, then one more for each decision.
    Level;

    /// A position on the trail: how many literals were assigned before.
    TrailPosition;
}
