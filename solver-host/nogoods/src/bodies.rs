//! Which literal of the solver stands for a body: [`Bodies`].

use super::rows::LitRows;
use solver_gpu::Lit;

/// The literal of the solver for each body that has one, if somebody wants to know.
#[derive(Clone, Debug, Default)]
pub struct Bodies {
    is_wanted: bool,
    rows: LitRows,
    of: Vec<Lit>,
}

impl Bodies {
    /// Bodies that are to be noted.
    pub(super) fn wanted() -> Bodies {
        Bodies { is_wanted: true, ..Bodies::default() }
    }

    /// Notes the literals of bodies, unless nobody wants to know.
    pub(super) fn note<'a>(&mut self, bodies: impl Iterator<Item = (&'a [Lit], Lit)>) {
        if self.is_wanted {
            for (lits, of) in bodies.filter(|(_, of)| !of.is_constant()) {
                self.rows.push(lits);
                self.of.push(of);
            }
        }
    }

    /// The bodies, each with its literal.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&[Lit], Lit)> {
        self.rows.iter().zip(self.of.iter().copied())
    }

    /// Replaces the solver's literals by others. A body without one is forgotten.
    pub(super) fn renumber(&mut self, new: impl Fn(Lit) -> Option<Lit>) {
        let before = std::mem::replace(self, Bodies { is_wanted: self.is_wanted, ..Bodies::default() });
        self.note(before.rows.iter().zip(&before.of).filter_map(|(lits, &of)| Some((lits, new(of)?))));
    }
}
