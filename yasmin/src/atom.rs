//! Atoms and literals of a program.

/// An atom of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Atom(pub(crate) solver_gpu::Var);

/// An atom or its complement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Literal(pub(crate) solver_gpu::Lit);

impl Atom {
    /// The number of the atom: below [`Control::atoms`](crate::Control::atoms), unless a search has named a
    /// variable that stands for no atom.
    pub fn index(self) -> u32 {
        self.0 .0
    }

    /// The atom with a number. A control refuses those that it does not have.
    pub fn with_index(index: u32) -> Atom {
        Atom(solver_gpu::Var(index.min(u32::MAX / 4)))
    }

    /// The literal that holds if the atom does.
    pub fn positive(self) -> Literal {
        Literal(solver_gpu::Lit::t(self.0))
    }
}

impl Literal {
    /// The atom.
    pub fn atom(self) -> Atom {
        Atom(self.0.var())
    }

    /// Whether the literal holds if its atom does.
    pub fn is_positive(self) -> bool {
        !self.0.is_false_sign()
    }
}

impl From<Atom> for Literal {
    fn from(atom: Atom) -> Literal {
        atom.positive()
    }
}

impl From<solver_gpu::Lit> for Literal {
    /// The literal as the parts of the solver have it.
    fn from(lit: solver_gpu::Lit) -> Literal {
        Literal(lit)
    }
}

impl std::ops::Not for Literal {
    type Output = Literal;

    fn not(self) -> Literal {
        Literal(!self.0)
    }
}
