//! A lesson: unit propagation over nogoods. A thread looks at a nogood, and a compare-and-swap decides
//! which thread assigns a variable.
//!
//! A literal is `2 * variable` if it says that the variable is true, and `2 * variable + 1` if it says
//! false. A nogood is a row of literals that must not all hold.

use cuda_std::array::Array;
use cuda_std::prelude::*;

/// The value of a variable: open, true, or false.
pub const OPEN: u32 = 0;
/// See [`OPEN`].
pub const TRUE: u32 = 1;
/// See [`OPEN`].
pub const FALSE: u32 = 2;

/// Words of `found`: how many variables were proposed, and whether a nogood is violated.
pub const PROPOSED: u32 = 0;
/// See [`PROPOSED`].
pub const CONFLICT: u32 = 1;

/// The value that makes a literal hold.
#[inline(always)]
pub fn value_of(literal: u32) -> u32 {
    TRUE + literal % 2
}

// ANCHOR: unit
/// What a nogood says about its literals.
pub enum Finding {
    /// One literal does not hold, or two are open: nothing follows.
    Nothing,
    /// All literals but this one, which is open, hold. So its complement follows.
    Unit(u32),
    /// All literals hold.
    Violated,
}

/// Looks at nogood `nogood`.
#[inline(always)]
pub fn look_at(starts: Array<u32>, literals: Array<u32>, values: Array<u32>, nogood: u32) -> Finding {
    let mut finding = Finding::Violated;
    let (mut at, end) = (starts.read(nogood), starts.read(nogood + 1));
    while at < end {
        let literal = literals.read(at);
        let value = values.read(literal / 2);
        if value == OPEN {
            match finding {
                Finding::Violated => finding = Finding::Unit(literal),
                _ => return Finding::Nothing,
            }
        } else if value != value_of(literal) {
            return Finding::Nothing;
        }
        at += 1;
    }
    finding
}
// ANCHOR_END: unit

// ANCHOR: propose
/// Proposes the literals that follow. A proposal is the value of its variable in `proposals`.
///
/// # Safety
/// `starts` and `literals` are nogoods over the variables of `values`; `proposals` has as many elements as
/// `values`, all [`OPEN`]; `found` has two elements; nobody else uses `proposals` and `found` during the
/// launch.
#[kernel]
pub unsafe fn propose(
    starts: Array<u32>,
    literals: Array<u32>,
    values: Array<u32>,
    proposals: Array<u32>,
    found: Array<u32>,
) {
    let nogoods = starts.len() as u32 - 1;
    let mut nogood = thread::index_1d();
    while nogood < nogoods {
        match look_at(starts, literals, values, nogood) {
            Finding::Nothing => {}
            Finding::Violated => found.atomic(CONFLICT).store(1),
            Finding::Unit(literal) => {
                // The complement of the literal. Many threads may propose for one variable at once: one wins.
                let value = value_of(literal ^ 1);
                match proposals.claim(literal / 2, OPEN, value) {
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
// ANCHOR_END: propose

// ANCHOR: commit
/// Makes the proposals part of the assignment.
///
/// # Safety
/// `values` and `proposals` are equally long, and nobody else uses them during the launch.
#[kernel]
pub unsafe fn commit(values: Array<u32>, proposals: Array<u32>) {
    let mut variable = thread::index_1d();
    while (variable as usize) < values.len() {
        let proposed = proposals.read(variable);
        if proposed != OPEN {
            values.write(variable, proposed);
            proposals.write(variable, OPEN);
        }
        variable += thread::block_dim_x() * thread::grid_dim_x();
    }
}
// ANCHOR_END: commit

#[cfg(not(target_arch = "nvptx64"))]
pub use host::{run, run_with, Propose};

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use super::*;
    use crate::lesson::{next_random, Outcome};
    use cuda_launch::{launch, Device, Error, Grid};

    /// A kernel with the arguments of [`propose`].
    pub type Propose = unsafe fn(Array<u32>, Array<u32>, Array<u32>, Array<u32>, Array<u32>);

    /// Random nogoods, as rows of literals. The first one says that variable 0 is true. If `seed` is even, no
    /// assignment violates none of them.
    fn random_nogoods(variables: u32, seed: u64) -> (Vec<u32>, Vec<u32>) {
        let (mut starts, mut literals, mut state) = (vec![0, 1], vec![1], seed);
        // Chains of implications, several of which end in each variable.
        for variable in 1..variables {
            for _ in 0..3 {
                literals.extend([2 * (next_random(&mut state) % variable), 2 * variable + 1]);
                starts.push(literals.len() as u32);
            }
        }
        for _ in 0..variables {
            let mut row = [0; 3].map(|_| next_random(&mut state) % (2 * variables));
            row[0] |= 1;
            literals.extend(row);
            starts.push(literals.len() as u32);
        }
        if seed.is_multiple_of(2) {
            // The last variable is false, which contradicts the chains.
            literals.push(2 * (variables - 1));
            starts.push(literals.len() as u32);
        }
        (starts, literals)
    }

    /// What follows, found one nogood after the other; and whether one is violated.
    fn propagate_in_order(starts: &[u32], literals: &[u32], values: &mut [u32]) -> bool {
        loop {
            let mut changed = false;
            for ends in starts.windows(2) {
                let row = &literals[ends[0] as usize..ends[1] as usize];
                let holds = |literal: u32| values[literal as usize / 2] == value_of(literal);
                let is_open = |literal: u32| values[literal as usize / 2] == OPEN;
                let open: Vec<u32> = row.iter().copied().filter(|&l| is_open(l)).collect();
                let rest_holds = row.iter().all(|&l| is_open(l) || holds(l));
                match (open.as_slice(), rest_holds) {
                    ([], true) => return true,
                    (&[literal], true) => {
                        values[literal as usize / 2] = value_of(literal ^ 1);
                        changed = true;
                    }
                    _ => {}
                }
            }
            if !changed {
                return false;
            }
        }
    }

    /// Propagates over random nogoods until nothing follows.
    ///
    /// # Errors
    /// Those of the device.
    pub fn run(device: &mut Device) -> Result<Outcome, Error> {
        let (mut found, mut expected) = (Vec::new(), Vec::new());
        for seed in [1, 2, 3] {
            let outcome = run_with(device, "propose", propose, seed)?;
            found.extend(outcome.found);
            expected.extend(outcome.expected);
        }
        Ok(Outcome { found, expected })
    }

    /// Does that with another kernel. The outcome is the number of variables that were proposed, and all
    /// values; or a single 1 if a nogood is violated.
    ///
    /// # Errors
    /// Those of the device.
    pub fn run_with(
        device: &mut Device,
        name: &'static str,
        kernel: Propose,
        seed: u64,
    ) -> Result<Outcome, Error> {
        let variables = 100;
        let rows = random_nogoods(variables, seed);
        let starts = device.upload_constant("starts", &rows.0)?;
        let literals = device.upload_constant("literals", &rows.1)?;
        let values = device.zeros::<u32>("values", variables as usize)?;
        let proposals = device.zeros::<u32>("proposals", variables as usize)?;
        let found = device.zeros::<u32>("found", 2)?;
        let (grid, mut proposed, mut is_violated) = (Grid::new(2, 64), 0, false);
        // ANCHOR: rounds
        loop {
            let arguments =
                (starts.array(), literals.array(), values.array(), proposals.array(), found.array());
            // SAFETY: the arrays are those of one set of nogoods; launches run one after the other.
            unsafe {
                device.launch(grid, name, kernel, arguments)?;
                launch!(device, grid, commit(values.array(), proposals.array()))?;
            }
            let round = device.download(&found)?;
            is_violated |= round[CONFLICT as usize] != 0;
            if is_violated || round[PROPOSED as usize] == proposed {
                break;
            }
            proposed = round[PROPOSED as usize];
        }
        // ANCHOR_END: rounds
        let mut in_order = vec![OPEN; variables as usize];
        let expected = match propagate_in_order(&rows.0, &rows.1, &mut in_order) {
            true => vec![1],
            false => {
                let assigned = in_order.iter().filter(|&&value| value != OPEN).count() as u32;
                [vec![assigned], in_order].concat()
            }
        };
        let found = match is_violated {
            true => vec![1],
            false => [vec![proposed], device.download(&values)?].concat(),
        };
        Ok(Outcome { found, expected })
    }
}

#[cfg(test)]
crate::lesson::on_every_device!(super::run);
