//! What is known of a program before it has grown: [`Pasts`].

use solver_gpu::Var;
use solver_host::program::{External, Program, Size};
use solver_host::search::{Goal, Growth, Legacy, Options, SolveError, Solver};
use std::collections::HashSet;
use std::sync::Arc;

/// For how many goals what was known is kept while the program grows.
const GOALS: usize = 4;

/// How often a program was translated, for one goal or another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Translated {
    /// As a whole.
    pub whole: u64,
    /// Only what was new.
    pub new: u64,
}

/// What a solver has left.
pub(crate) struct Past {
    pub goal: Goal,
    pub legacy: Legacy,
    /// How large the program was.
    pub size: Size,
    /// The external atoms that could be true or false.
    pub externals: Vec<Var>,
    /// Whether the program has grown since by rules for new atoms and by constraints alone.
    pub is_extended: bool,
}

impl Past {
    /// What the program has grown by since.
    fn growth(&self, size: Size, externals: &[(Var, External)]) -> Growth {
        let open: HashSet<Var> = externals.iter().map(|&(atom, _)| atom).collect();
        Growth {
            sizes: self.size..size,
            externals: externals
                .iter()
                .map(|&(atom, _)| atom)
                .filter(|atom| atom.0 >= self.size.atoms)
                .collect(),
            released: self.externals.iter().copied().filter(|atom| !open.contains(atom)).collect(),
        }
    }
}

/// What the solvers of a program have left, at most one for a goal.
#[derive(Default)]
pub(crate) struct Pasts(Vec<Past>);

impl Pasts {
    /// Keeps what a solver has left.
    pub fn note(&mut self, past: Past) {
        self.0.push(past);
        // The latest stay.
        self.0.drain(..self.0.len().saturating_sub(GOALS));
    }

    /// Nothing that was known holds any more.
    pub fn forget(&mut self) {
        self.0.clear();
    }

    /// The program grows by something about these atoms. Unless all of them are new, what was prepared is not
    /// a part of what there is to prepare; unless they are new or external, what was learned may not hold any
    /// more.
    pub fn grows_by(&mut self, heads: &[Var]) {
        let is_old = |head: &&Var, past: &Past| head.0 < past.size.atoms;
        self.0.retain(|past| {
            heads.iter().filter(|head| is_old(head, past)).all(|head| past.externals.contains(head))
        });
        for past in &mut self.0 {
            past.is_extended &= !heads.iter().any(|head| is_old(&head, past));
        }
    }

    /// An atom becomes external, or an external atom gets another value or is released. Unless it is new or was
    /// external, what was learned may not hold any more.
    pub fn external(&mut self, atom: Var) {
        self.0.retain(|past| atom.0 >= past.size.atoms || past.externals.contains(&atom));
    }

    /// A solver for a goal, which begins with what is known.
    pub fn solver(
        &mut self,
        program: Arc<Program>,
        options: Options,
        goal: &Goal,
        (size, externals): (Size, &[(Var, External)]),
    ) -> Result<Solver, SolveError> {
        let mine = self.0.iter().position(|past| past.goal == *goal);
        let extended = mine.map(|at| &self.0[at]).filter(|past| past.is_extended);
        let growth = extended.map(|past| (&past.legacy, past.growth(size, externals)));
        let legacies: Vec<&Legacy> = self.0.iter().map(|past| &past.legacy).collect();
        let solver = Solver::of_grown(program, options, goal, growth, &legacies)?;
        if let Some(at) = mine {
            self.0.remove(at);
        }
        Ok(solver)
    }
}
