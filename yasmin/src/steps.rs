//! Programs that are read step by step, and searched by somebody else: what the command needs of a
//! [`Control`].

use crate::asked::Asked;
use crate::control::Control;
use crate::error::Error;
use solver_gpu::Var;
use solver_host::input::Step;
use solver_host::program::ProgramBuilder;
use solver_host::search::Solver;

impl Control {
    /// Adds a step that is read from a ground program: see
    /// [`Later::next`](solver_host::input::ground::Later::next), whose atoms are those of the builder that
    /// the control was made of. Returns what the step says besides, if there was one.
    ///
    /// # Errors
    /// Those of reading.
    pub fn read_step<E>(
        &mut self,
        read: impl FnOnce(&mut ProgramBuilder) -> Result<Option<Step>, E>,
    ) -> Result<Option<Step>, E> {
        self.grows();
        let before = self.builder.size();
        let Some(step) = read(&mut self.builder)? else { return Ok(None) };
        let heads: Vec<Var> = self.builder.heads_from(before).collect();
        self.past.grows_by(&heads);
        step.externals.iter().for_each(|&atom| self.past.external(atom));
        if step.has_edges {
            // The atoms that stand for nodes get further rules.
            self.past.forget();
        }
        Ok(Some(step))
    }

    /// The solver that answers a question, for a caller that goes on with it by itself.
    ///
    /// # Errors
    /// [`Error::Superseded`] if another question was asked since, or the program has grown.
    pub fn solver_of(&mut self, asked: &Asked) -> Result<&mut Solver, Error> {
        let is_present = asked.turn == self.turn;
        let prepared = self.prepared.as_mut().filter(|_| is_present).ok_or(Error::Superseded)?;
        Ok(&mut prepared.solvers.get_mut(asked.solver).ok_or(Error::Superseded)?.solver)
    }

    /// Whether the program minimizes anything.
    pub fn minimizes(&self) -> bool {
        self.builder.statements().minimizes > 0
    }

    /// The first theory atom, as a logic program has it, if there is one.
    pub fn first_theory_atom(&self) -> Option<String> {
        self.builder.first_theory_atom()
    }
}
