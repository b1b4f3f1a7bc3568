//! Preprocessing: fewer and shorter nogoods over fewer variables, with the same answer sets.
//!
//! Main function: [`Prepared::preprocess`]. There are four steps, in this order, and each can be left out:
//!
//! 1. `probe` finds failed literals.
//! 2. `merge` finds equivalent literals.
//! 3. `subsume` finds nogoods that others make superfluous or shorter.
//! 4. `eliminate` resolves away auxiliary variables.
//!
//! Then `rebuild` numbers the variables that are left and translates everything else that refers to
//! variables.
//!
//! Preprocessing does on nogoods what simplification does on rules, wherever the nogoods come from. Three
//! things must be kept:
//!
//! - *The answer sets and their number.* Each step keeps the models over the atoms. An atom that is gone is a
//!   constant or another literal, and `atom_lit` says which. An auxiliary that is gone is the name of a
//!   conjunction, so it has one value in each answer set.
//! - *What unit propagation derives.* If `{l} + A` makes `l` false and `{¬l} + B` then makes a literal of `B`
//!   false, so does `A + B` alone. So where no candidate is applicable, the open atoms are still an unfounded
//!   set, and once all atoms are assigned, all variables are.
//! - *What others look at.* The foundedness check looks at atoms on loops and at bodies, sums at their
//!   literals, and Decision at candidates. See `roles`.
//!
//! Invariant: effort is bounded by a multiple of the nogoods' size, counted in steps of work and not in time.
//! So a program is always preprocessed to the same nogoods.

mod eliminate;
mod known;
mod merge;
mod probe;
mod rebuild;
mod roles;
mod sets;
mod steps;
mod subsume;
#[cfg(test)]
pub(super) mod tests;

pub use steps::Preprocess;

use std::time::Instant;

use solver_gpu::Var;

use super::prepared::{Prepared, Preprocessed};
use known::{Conflict, Known};
use rebuild::Left;
use roles::Roles;
use sets::Sets;
use yasmin_ground::program::Program;

impl Prepared {
    /// Takes the given steps. Nothing that is not in the program, such as projection, may have been added
    /// before.
    pub fn preprocess(mut self, program: &Program, steps: Preprocess) -> Prepared {
        if self.unsatisfiable || self.nogoods.is_empty() || steps == Preprocess::NONE {
            return self;
        }
        let mut done = self.preprocessed;
        let report = self.report;
        let mut known = Known::nothing(self.vars, std::mem::take(&mut self.meaning));
        let reduced = match reduce(&self, program, steps, &mut known, &mut done) {
            Ok(None) => Ok(self),
            Ok(Some(left)) => timed(&mut done.rebuild_seconds, || rebuild::rebuild(self, left, &mut known)),
            Err(Conflict) => Err(Conflict),
        };
        self = reduced.unwrap_or_else(|Conflict| Prepared { report, ..Prepared::unsatisfiable() });
        self.meaning = known.meaning;
        self.preprocessed = done;
        self.count_what_is_left();
        self
    }
}

/// Takes the steps. Returns what is left, or `None` if nothing has changed.
fn reduce(
    prepared: &Prepared,
    program: &Program,
    steps: Preprocess,
    known: &mut Known,
    done: &mut Preprocessed,
) -> Result<Option<Left>, Conflict> {
    let roles = Roles::of(prepared, program, known.meaning.is_wanted());
    if steps.failed {
        let probe = || probe::fail_literals(&prepared.nogoods, known);
        done.failed_literals = timed(&mut done.failed_seconds, probe)?;
    }
    if steps.equivalent {
        let merge = || merge::merge(&prepared.nogoods, known, &roles);
        done.equivalent_variables = timed(&mut done.equivalent_seconds, merge)?;
    }
    // Most large programs have no auxiliary to lose. Then nothing is copied or looked up.
    let needed = roles.needed(prepared, known);
    let eliminates =
        steps.eliminate && (0..prepared.vars).any(|v| !needed[v as usize] && known.is_left(Var(v)));
    if !steps.subsumed && !eliminates {
        return Ok((!known.is_nothing()).then_some(Left { sets: None, roles }));
    }
    let mut sets = Sets::resolved(&prepared.nogoods, known)?;
    if steps.subsumed {
        (done.subsumed_nogoods, done.strengthened_nogoods) = timed(&mut done.subsumed_seconds, || {
            sets.index(prepared.vars);
            subsume::subsume(&mut sets, prepared.vars, &mut known.meaning)
        })?;
    }
    if eliminates {
        done.eliminated_variables = timed(&mut done.eliminate_seconds, || {
            if !steps.subsumed {
                sets.index(prepared.vars);
            }
            eliminate::eliminate(&mut sets, known, &needed)
        })?;
    }
    let by_sets = done.subsumed_nogoods + done.strengthened_nogoods + done.eliminated_variables;
    Ok((by_sets > 0 || !known.is_nothing()).then_some(Left { sets: Some(sets), roles }))
}

fn timed<T>(seconds: &mut f64, work: impl FnOnce() -> Result<T, Conflict>) -> Result<T, Conflict> {
    let started = Instant::now();
    let result = work();
    *seconds = started.elapsed().as_secs_f64();
    result
}
