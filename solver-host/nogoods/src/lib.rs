//! From a program to the nogoods of its completion (paper, section 2), simplified and laid out for the
//! device.
//!
//! Main function: [`prepare`]. Its result, [`Prepared`], is plain host data that is copied to the device as
//! it is.
//!
//! With simplification a program goes through these modules:
//!
//! 1. `rules` takes the bodies as sets and shares equal ones; `disjunctions` shifts disjunctive rules,
//!    long ones with the help of `head_tree`.
//! 2. `simplify` finds values that hold in every answer set; `closure` finds unfounded atoms for it.
//! 3. `completion` writes nogoods and candidates, `counts` those of counts; `components` and `foundedness` find the rules on positive
//!    loops.
//! 4. `store` lays the nogoods out.
//! 5. `preprocess` reduces the nogoods. It knows nothing of rules.
//!
//! Without simplification, `translate` writes the nogoods of the paper's section 2 word for word.

mod atom_map;
mod bodies;
mod closure;
mod completion;
mod components;
mod counts;
mod disjunctions;
mod foundedness;
mod growth;
mod head_tree;
mod implied;
mod lemmas;
mod limits;
mod lit_set;
mod meaning;
mod prepared;
mod preprocess;
mod rows;
mod rule_kind;
mod rules;
mod simplify;
mod store;
mod sums;
pub mod symmetry;
#[cfg(test)]
mod tests;
mod translate;

use bodies::Bodies;
pub use counts::{Auxiliaries, Counted};
pub use disjunctions::Shifted;
pub use disjunctions::LONGEST_HEAD;
pub use foundedness::{Foundedness, LoopSum};
pub use growth::{Growth, Shift};
pub use implied::Implied;
pub use lemmas::{Lemma, Named};
pub use limits::{TooLarge, MAX_IDS, MAX_LITERALS};
pub use meaning::{Meaning, Step};
pub use prepared::{Candidate, Directive, Prepared, Preprocessed, Report};
pub use preprocess::Preprocess;
pub use rows::Csr;
pub use store::NogoodStore;
pub use sums::distinct;
pub use sums::SumStore;
use yasmin_ground::program::Program;

/// Translates a program into nogoods, simplified or as the paper has it.
///
/// The answer sets are the total assignments that violate no nogood and, if there is a [`Foundedness`], in
/// which no true atom is unfounded; each answer set is one such assignment.
pub fn prepare(program: &Program, simplify: bool, auxiliaries: Auxiliaries) -> Result<Prepared, TooLarge> {
    prepare_with(program, simplify, auxiliaries, Meaning::default(), Bodies::default())
}

/// The same, and the result has the [`Meaning`] that a proof needs.
///
/// # Errors
/// As for [`prepare`].
pub fn prepare_to_prove(
    program: &Program,
    simplify: bool,
    auxiliaries: Auxiliaries,
) -> Result<Prepared, TooLarge> {
    prepare_with(program, simplify, auxiliaries, Meaning::wanted(program), Bodies::default())
}

/// The same, and the result knows its bodies, so that lemmas can be carried from it and to it.
///
/// # Errors
/// As for [`prepare`].
pub fn prepare_to_grow(
    program: &Program,
    simplify: bool,
    auxiliaries: Auxiliaries,
) -> Result<Prepared, TooLarge> {
    prepare_with(program, simplify, auxiliaries, Meaning::default(), Bodies::wanted())
}

fn prepare_with(
    program: &Program,
    simplify: bool,
    auxiliaries: Auxiliaries,
    meaning: Meaning,
    bodies: Bodies,
) -> Result<Prepared, TooLarge> {
    let before = limits::Counts::of(program, auxiliaries.longest_head);
    before.check()?;
    let prepared = match simplify {
        true => prepare_simplified(program, auxiliaries, simplify::ROUNDS, (meaning, bodies)),
        false => translate::translate(program, auxiliaries.longest_head, meaning),
    };
    Ok(prepared.with_counts(program, before))
}

fn prepare_simplified(
    program: &Program,
    auxiliaries: Auxiliaries,
    rounds: usize,
    (mut meaning, bodies): (Meaning, Bodies),
) -> Prepared {
    // What is learned of an optimum is mostly about costs, which stay sums. So only few new variables pay.
    let counted = match auxiliaries.counts {
        Counted::Few if !program.minimize.is_empty() => Counted::Rare,
        counted => counted,
    };
    let rules = rules::Rules::shared(program, auxiliaries.longest_head);
    let links = rules.links();
    rules.explain_long_heads(&mut meaning);
    rules.explain_constraints(&links, &mut meaning);
    match simplify::simplify(&rules, &links, rounds, &mut meaning) {
        Ok(known) => completion::complete(&rules, &links, &known, (meaning, bodies), counted),
        Err(simplify::Conflict) => Prepared { meaning, ..Prepared::unsatisfiable() },
    }
}
