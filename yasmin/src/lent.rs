//! The program as solvers have it: [`lend`].

use crate::error::Error;
use solver_gpu::Var;
use solver_host::program::{External, Program, ProgramBuilder};
use std::sync::Arc;

/// External atoms that may be true or false, with their values.
pub(crate) type Externals = Vec<(Var, External)>;

/// The program as [`ProgramBuilder::lend`] has it, where theory atoms are difference constraints if they are
/// to be read so.
pub(crate) fn lend(
    builder: &mut ProgramBuilder,
    reads_differences: bool,
) -> Result<(Arc<Program>, Externals), Error> {
    let (mut program, externals) = builder.lend()?;
    if reads_differences && !program.theory.atoms.is_empty() {
        if let Err(error) = Arc::make_mut(&mut program).read_differences() {
            drop(program);
            builder.take_back();
            return Err(error.into());
        }
    }
    Ok((program, externals))
}
