//! A lesson: a complete little answer set solver, which one block runs in one launch.
//!
//! A variable stands for each atom and for each rule's body. The host makes the nogoods of the completion.
//! The kernel propagates, decides, and goes back to the last decision after a conflict or an answer set, so
//! that it finds all answer sets. An assignment of all variables is an answer set if its true atoms are the
//! least model of the reduct. The solver of this project does the same with learning, watched literals and
//! many searchers.

use crate::propagate::{look_at, value_of, Finding, FALSE, OPEN, TRUE};
use cuda_std::array::Array;
use cuda_std::prelude::*;

/// The head of a rule without a head: a constraint.
pub const NONE: u32 = u32::MAX;

// ANCHOR: program
/// The program, which kernels only read. Literals are those of [`crate::propagate`].
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Rows {
    /// Where each nogood begins, and where the last one ends.
    pub starts: Array<u32>,
    /// The literals of all nogoods.
    pub literals: Array<u32>,
    /// The atom that each rule derives, or [`NONE`].
    pub heads: Array<u32>,
    /// Where each rule's body begins, and where the last one ends.
    pub bodies: Array<u32>,
    /// The literals of all bodies.
    pub conditions: Array<u32>,
}

/// What the kernel writes.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Search {
    /// The value of each variable.
    pub values: Array<u32>,
    /// The value that is proposed for each variable.
    pub proposals: Array<u32>,
    /// The level at which each variable was assigned.
    pub levels: Array<u32>,
    /// The variable that was decided at each level.
    pub decisions: Array<u32>,
    /// Whether the least model of the reduct has each atom.
    pub derived: Array<u32>,
    /// The answer sets found, a row of values of all atoms for each.
    pub answers: Array<u32>,
    /// The number of answer sets, which may be greater than the number of rows.
    pub count: Array<u32>,
}
// ANCHOR_END: program

/// Calls `does` for the numbers below `n` that are the calling thread's.
#[inline(always)]
fn share(n: u32, mut does: impl FnMut(u32)) {
    let mut i = thread::thread_idx_x();
    while i < n {
        does(i);
        i += thread::block_dim_x();
    }
}

// ANCHOR: solve
/// Finds all answer sets.
///
/// # Safety
/// The arrays are those of one program, and all that `search` has is 0; the launch is one block.
#[kernel]
pub unsafe fn solve(rows: Rows, search: Search) {
    // SAFETY: one element; barriers are between plain accesses and atomic ones.
    let next = unsafe { Array::from_raw(shared_array![u32; 1], 1) };
    let (mut level, mut count) = (0, 0);
    loop {
        if propagate(rows, search, level) {
            let open = first_open(search, next);
            if open != u32::MAX {
                level += 1;
                decide(search, open, TRUE, level);
                search.decisions.write_once(level, open);
                thread::sync_threads();
                continue;
            }
            if is_stable(rows, search) {
                record(search, count);
                count += 1;
            }
        }
        if level == 0 {
            search.count.write_once(0, count);
            return;
        }
        // The last decision was tried: all that followed from it goes, and its complement comes.
        let decision = search.decisions.read(level);
        undo(search, level);
        level -= 1;
        decide(search, decision, FALSE, level);
        thread::sync_threads();
    }
}
// ANCHOR_END: solve

/// A plain write by one thread of the block.
trait WriteOnce {
    /// Sets element `i`.
    fn write_once(self, i: u32, value: u32);
}

impl WriteOnce for Array<u32> {
    #[inline(always)]
    fn write_once(self, i: u32, value: u32) {
        if thread::thread_idx_x() == 0 {
            self.write(i, value);
        }
    }
}

#[inline(always)]
fn decide(search: Search, variable: u32, value: u32, level: u32) {
    search.values.write_once(variable, value);
    search.levels.write_once(variable, level);
}

// ANCHOR: propagate
/// Assigns what follows. Returns whether no nogood is violated.
#[inline(always)]
fn propagate(rows: Rows, search: Search, level: u32) -> bool {
    loop {
        let (mut proposed, mut violated) = (0, 0);
        share(rows.starts.len() as u32 - 1, |nogood| {
            match look_at(rows.starts, rows.literals, search.values, nogood) {
                Finding::Nothing => {}
                Finding::Violated => violated = 1,
                Finding::Unit(literal) => {
                    let value = value_of(literal ^ 1);
                    match search.proposals.claim(literal / 2, OPEN, value) {
                        Err(other) if other != value => violated = 1,
                        _ => proposed = 1,
                    }
                }
            }
        });
        let violated = thread::sync_threads_or(violated) != 0;
        share(search.values.len() as u32, |variable| {
            let value = search.proposals.read(variable);
            if value != OPEN {
                search.proposals.write(variable, OPEN);
                search.values.write(variable, value);
                search.levels.write(variable, level);
            }
        });
        let proposed = thread::sync_threads_or(proposed) != 0;
        if violated || !proposed {
            return !violated;
        }
    }
}
// ANCHOR_END: propagate

/// The first variable that has no value, or `u32::MAX`.
#[inline(always)]
fn first_open(search: Search, next: Array<u32>) -> u32 {
    next.write_once(0, u32::MAX);
    thread::sync_threads();
    share(search.values.len() as u32, |variable| {
        if search.values.read(variable) == OPEN {
            next.atomic(0u32).min(variable);
        }
    });
    thread::sync_threads();
    let first = next.read(0u32);
    thread::sync_threads();
    first
}

// ANCHOR: stable
/// Whether the true atoms are the least model of the reduct: of the rules whose negated atoms are not true.
#[inline(always)]
fn is_stable(rows: Rows, search: Search) -> bool {
    share(search.derived.len() as u32, |atom| search.derived.write(atom, 0));
    thread::sync_threads();
    loop {
        let mut more = 0;
        share(rows.heads.len() as u32, |rule| {
            let (mut at, end) = (rows.bodies.read(rule), rows.bodies.read(rule + 1));
            let mut holds = rows.heads.read(rule) != NONE;
            while holds && at < end {
                let literal = rows.conditions.read(at);
                holds = match literal % 2 {
                    0 => search.derived.atomic(literal / 2).load() == 1,
                    _ => search.values.read(literal / 2) != TRUE,
                };
                at += 1;
            }
            if holds && search.derived.claim(rows.heads.read(rule), 0, 1).is_ok() {
                more = 1;
            }
        });
        if thread::sync_threads_or(more) == 0 {
            break;
        }
    }
    let mut differs = 0;
    share(search.derived.len() as u32, |atom| {
        differs |= ((search.values.read(atom) == TRUE) != (search.derived.read(atom) == 1)) as u32;
    });
    thread::sync_threads_or(differs) == 0
}
// ANCHOR_END: stable

/// Writes the answer set that was found, if there is a row for it.
#[inline(always)]
fn record(search: Search, count: u32) {
    let atoms = search.derived.len() as u32;
    if ((count + 1) * atoms) as usize <= search.answers.len() {
        share(atoms, |atom| search.answers.write(count * atoms + atom, search.values.read(atom)));
    }
}

/// Takes back what was assigned at `level`.
#[inline(always)]
fn undo(search: Search, level: u32) {
    thread::sync_threads();
    share(search.values.len() as u32, |variable| {
        if search.values.read(variable) != OPEN && search.levels.read(variable) == level {
            search.values.write(variable, OPEN);
        }
    });
    thread::sync_threads();
}

#[cfg(test)]
crate::lesson::on_every_device!(crate::solving::run);
