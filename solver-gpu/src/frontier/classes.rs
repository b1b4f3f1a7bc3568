//! Classes of nogoods by length, and the rows of each class: one row a literal.

use crate::watches::{about_list_len, list_len};
use crate::Lit;
use crate::{Own, Problem};
use cuda_std::array::Array;

/// The class of input nogoods of two literals.
pub const BINARY: u32 = 0;

/// The class of input nogoods of three literals.
pub const TERNARY: u32 = 1;

/// The class of input nogoods of more than three literals.
pub const LONG: u32 = 2;

/// The class of learned nogoods, in the lists of the literals that they watch.
pub const LEARNED: u32 = 3;

/// How many classes there are.
pub const CLASSES: u32 = 4;

/// The beginning and the end of the row of `lit` in a class.
#[cuda_std::inlined]
pub fn row(problem: &Problem, own: &Own, class: u32, lit: Lit) -> (u32, u32) {
    if class == LEARNED {
        let at = own.watch_at.read(lit.0);
        return (at, at + list_len(own, lit));
    }
    Class::of(problem, class).row(lit)
}

/// Where the rows of a class of input nogoods are.
#[derive(Clone, Copy)]
pub struct Class {
    /// Where each row begins, in entries.
    starts: Array<u32>,
    /// The entries, as bytes.
    entries: Array<u8>,
    /// The size of an entry, in bytes.
    size: u32,
}

impl Class {
    /// Where the rows of a class of input nogoods are: [`BINARY`], [`TERNARY`] or [`LONG`].
    #[cuda_std::inlined]
    pub fn of(problem: &Problem, class: u32) -> Class {
        // Spelled out: an array that is indexed by a variable would lie in slow local memory.
        let (starts, entries, size) = match class {
            BINARY => (problem.occurs_binary_start, problem.occurs_binary.bytes(), size_of::<u64>()),
            TERNARY => (problem.occurs_ternary_start, problem.occurs_ternary.bytes(), size_of::<u64>()),
            _ => (problem.occurs_long_start, problem.occurs_long.bytes(), size_of::<u32>()),
        };
        Class { starts, entries, size: size as u32 }
    }

    /// The beginning and the end of the row of `lit`.
    #[cuda_std::inlined]
    pub fn row(self, lit: Lit) -> (u32, u32) {
        (self.starts.read(lit.0), self.starts.read(lit.0 + 1))
    }

    /// Prefetches the beginning of a row, which may be empty.
    #[cuda_std::inlined]
    pub fn prefetch(self, start: u32) {
        self.entries.prefetch(start as usize * self.size as usize);
    }
}

/// The beginning and the end of the row of `lit` in a class; an empty row if the class is not among
/// `from_class .. to_class`.
#[cuda_std::inlined]
pub fn row_in_classes(
    problem: &Problem,
    own: &Own,
    class: u32,
    lit: Lit,
    (from_class, to_class): (u32, u32),
) -> (u32, u32) {
    if lit == Lit::TRUE || class < from_class || class >= to_class {
        return (0, 0);
    }
    match class {
        LEARNED => (0, about_list_len(own, lit)),
        class => row(problem, own, class, lit),
    }
}

/// The element of a class. (An array that is indexed by a variable would lie in slow local memory.)
#[cuda_std::inlined]
pub fn pick(of: &[u32; CLASSES as usize], class: u32) -> u32 {
    match class {
        BINARY => of[0],
        TERNARY => of[1],
        LONG => of[2],
        _ => of[3],
    }
}
