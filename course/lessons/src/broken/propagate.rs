//! Mistakes 14 and 15: a word is looked at and then written, in two steps.

use crate::propagate::{look_at, value_of, Finding, CONFLICT, OPEN, PROPOSED};
use cuda_std::array::Array;
use cuda_std::prelude::*;

// ANCHOR: plain
/// Proposes a value in two plain steps.
#[inline(always)]
fn claim_plainly(proposals: Array<u32>, variable: u32, value: u32) -> Result<u32, u32> {
    match proposals.read(variable) {
        OPEN => {
            proposals.write(variable, value);
            Ok(OPEN)
        }
        other => Err(other),
    }
}
// ANCHOR_END: plain

// ANCHOR: atomic
/// Proposes a value in two steps, each of which is atomic. Together they are not.
#[inline(always)]
fn claim_in_two_steps(proposals: Array<u32>, variable: u32, value: u32) -> Result<u32, u32> {
    match proposals.atomic(variable).load() {
        OPEN => {
            proposals.atomic(variable).store(value);
            Ok(OPEN)
        }
        other => Err(other),
    }
}
// ANCHOR_END: atomic

/// [`crate::propagate::propose`] with a claim of the caller's.
#[inline(always)]
fn propose(
    (starts, literals): (Array<u32>, Array<u32>),
    values: Array<u32>,
    found: Array<u32>,
    claim: impl Fn(u32, u32) -> Result<u32, u32>,
) {
    let nogoods = starts.len() as u32 - 1;
    let mut nogood = thread::index_1d();
    while nogood < nogoods {
        match look_at(starts, literals, values, nogood) {
            Finding::Nothing => {}
            Finding::Violated => found.atomic(CONFLICT).store(1),
            Finding::Unit(literal) => {
                let value = value_of(literal ^ 1);
                match claim(literal / 2, value) {
                    Ok(_) => {
                        found.atomic(PROPOSED).add(1);
                    }
                    Err(other) if other == value => {}
                    Err(_) => found.atomic(CONFLICT).store(1),
                }
            }
        }
        nogood += thread::block_dim_x() * thread::grid_dim_x();
    }
}

/// Proposes with plain steps.
///
/// # Safety
/// None: two threads may write one word.
#[kernel]
pub unsafe fn propose_plainly(
    starts: Array<u32>,
    literals: Array<u32>,
    values: Array<u32>,
    proposals: Array<u32>,
    found: Array<u32>,
) {
    propose((starts, literals), values, found, |variable, value| claim_plainly(proposals, variable, value));
}

/// Proposes with two atomic steps.
///
/// # Safety
/// None: two threads may both believe that they have won.
#[kernel]
pub unsafe fn propose_in_two_steps(
    starts: Array<u32>,
    literals: Array<u32>,
    values: Array<u32>,
    proposals: Array<u32>,
    found: Array<u32>,
) {
    propose((starts, literals), values, found, |variable, value| {
        claim_in_two_steps(proposals, variable, value)
    });
}
