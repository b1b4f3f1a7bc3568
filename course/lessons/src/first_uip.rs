//! A lesson: what is learned from a conflict, by marking variables from the end of the trail to the first
//! UIP.
//!
//! The trail is the list of literals that hold, in the order in which they were assigned. Each has a
//! decision level, and a reason: the nogood from which it followed, or [`NONE`] for a decision. Of the
//! violated nogood, literals of the highest level are replaced by their reasons until one of that level is
//! left: the first unique implication point. See `first_uip` in the glossary of the solver.

use cuda_std::array::Array;
use cuda_std::prelude::*;

/// No reason.
pub const NONE: u32 = u32::MAX;

/// A search's assignment, as one kernel argument.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Trail {
    /// The literals that hold, the oldest one first.
    pub literals: Array<u32>,
    /// The decision level of each variable.
    pub levels: Array<u32>,
    /// The nogood from which each variable's value followed, or [`NONE`].
    pub reasons: Array<u32>,
}

/// Nogoods, as rows of literals.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Nogoods {
    /// Where each row begins, and where the last one ends.
    pub starts: Array<u32>,
    /// The literals of all rows.
    pub literals: Array<u32>,
}

// ANCHOR: mark
/// What the threads of the block write together.
#[derive(Clone, Copy)]
struct Analysis {
    /// The level of the conflict.
    top: u32,
    /// For each variable, whether it is marked.
    marks: Array<u32>,
    /// The number of marked variables of the level `top` that have not been replaced.
    open: Array<u32>,
    /// The number of learned literals, and then these literals.
    learned: Array<u32>,
}

/// Marks the variables of a nogood, but not `except`. A literal of the level `top` is counted, and one of a
/// lower level is learned. All threads of the block call this.
#[inline(always)]
fn mark(nogoods: Nogoods, trail: Trail, nogood: u32, except: u32, analysis: Analysis) {
    let Analysis { top, marks, open, learned } = analysis;
    let mut at = nogoods.starts.read(nogood) + thread::thread_idx_x();
    while at < nogoods.starts.read(nogood + 1) {
        let literal = nogoods.literals.read(at);
        let (variable, level) = (literal / 2, trail.levels.read(literal / 2));
        // What holds without a decision, at level 0, holds always.
        if variable != except && level > 0 && marks.claim(variable, 0, 1).is_ok() {
            if level == top {
                open.atomic(0u32).add(1);
            } else {
                let place = learned.atomic(0u32).add(1);
                learned.write(1 + place, literal);
            }
        }
        at += thread::block_dim_x();
    }
}
// ANCHOR_END: mark

// ANCHOR: kernel
/// Learns a nogood from the violated one: writes to `learned` the number of its literals, and then the
/// literals, of which the first UIP is the last one.
///
/// # Safety
/// The arrays describe one search, whose last decision led to the violation of `violated`; `marks` has a 0
/// for each variable, and `learned` is zeroed and has an element more than there are variables. The launch
/// is one block.
#[kernel]
pub unsafe fn first_uip(
    nogoods: Nogoods,
    trail: Trail,
    violated: u32,
    marks: Array<u32>,
    learned: Array<u32>,
) {
    // SAFETY: one element; a barrier is between plain accesses and atomic ones.
    let open = unsafe { Array::from_raw(shared_array![u32; 1], 1) };
    let t = thread::thread_idx_x();
    if t == 0 {
        open.write(0u32, 0);
    }
    thread::sync_threads();
    let mut at = trail.literals.len() as u32 - 1;
    // The violated nogood has a literal of the highest level; the trail's last literal has that level.
    let top = trail.levels.read(trail.literals.read(at) / 2);
    let analysis = Analysis { top, marks, open, learned };
    mark(nogoods, trail, violated, NONE, analysis);
    thread::sync_threads();
    loop {
        // Back to the next marked literal. Those of lower levels lie before all of the highest one.
        while marks.atomic(trail.literals.read(at) / 2).load() == 0 {
            at -= 1;
        }
        let literal = trail.literals.read(at);
        let is_last = open.read(0u32) == 1;
        // Everybody has read the number before it changes.
        thread::sync_threads();
        if is_last {
            if t == 0 {
                let place = learned.atomic(0u32).add(1);
                learned.write(1 + place, literal);
            }
            return;
        }
        if t == 0 {
            open.atomic(0u32).sub(1);
        }
        mark(nogoods, trail, trail.reasons.read(literal / 2), literal / 2, analysis);
        thread::sync_threads();
        at -= 1;
    }
}
// ANCHOR_END: kernel

#[cfg(not(target_arch = "nvptx64"))]
pub use host::{run, run_with, FirstUip};

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use super::*;
    use crate::lesson::{next_random, Outcome};
    use cuda_launch::{Device, Error, Grid};

    /// A kernel with the arguments of [`first_uip`].
    pub type FirstUip = unsafe fn(Nogoods, Trail, u32, Array<u32>, Array<u32>);

    /// The trail of a search that never was: `levels` decisions, each with literals that follow from
    /// earlier ones, and a violated nogood, which is the last row. All literals on the trail say "true".
    struct Search {
        starts: Vec<u32>,
        rows: Vec<u32>,
        trail: Vec<u32>,
        levels: Vec<u32>,
        reasons: Vec<u32>,
    }

    fn invented(levels: u32, a_level: u32, seed: u64) -> Search {
        let mut state = seed;
        let mut search =
            Search { starts: vec![0], rows: vec![], trail: vec![], levels: vec![], reasons: vec![] };
        let mut row = |rows: &mut Vec<u32>, literals: &[u32]| {
            rows.extend(literals);
            search.starts.push(rows.len() as u32);
        };
        let mut nogoods = 0;
        for level in 1..=levels {
            for place in 0..a_level {
                let variable = search.trail.len() as u32;
                search.trail.push(2 * variable);
                search.levels.push(level);
                if place == 0 {
                    search.reasons.push(NONE);
                    continue;
                }
                // The reason: literals before, one of them of the level, and the complement of the new one.
                let same_level = variable - 1 - next_random(&mut state) % place;
                let other = next_random(&mut state) % variable;
                let mut reason = vec![2 * same_level, 2 * variable + 1];
                if other != same_level {
                    reason.push(2 * other);
                }
                row(&mut search.rows, &reason);
                search.reasons.push(nogoods);
                nogoods += 1;
            }
        }
        let last = search.trail.len() as u32 - 1;
        row(&mut search.rows, &[2 * last, 2 * (last - 1), 2 * (next_random(&mut state) % a_level)]);
        search
    }

    /// The learned literals, found one after the other.
    fn first_uip_in_order(search: &Search) -> Vec<u32> {
        let row = |nogood: usize| {
            search.rows[search.starts[nogood] as usize..search.starts[nogood + 1] as usize].to_vec()
        };
        let mut nogood = row(search.starts.len() - 2);
        nogood.sort();
        nogood.dedup();
        let top = search.levels[*search.trail.last().expect("a decision") as usize / 2];
        loop {
            let of_top = |nogood: &[u32]| {
                nogood.iter().copied().filter(|&l| search.levels[l as usize / 2] == top).collect::<Vec<u32>>()
            };
            let candidates = of_top(&nogood);
            if candidates.len() == 1 {
                nogood.sort();
                return nogood;
            }
            // The latest of them: variables are numbered in the order of the trail.
            let latest = candidates.into_iter().max().expect("two literals of the level");
            let reason = row(search.reasons[latest as usize / 2] as usize);
            nogood.extend(reason.into_iter().filter(|&literal| literal != latest + 1));
            nogood.sort();
            nogood.dedup();
            nogood.retain(|&literal| literal != latest);
        }
    }

    /// Learns from several conflicts.
    ///
    /// # Errors
    /// Those of the device.
    pub fn run(device: &mut Device) -> Result<Outcome, Error> {
        run_with(device, "first_uip", first_uip)
    }

    /// Does that with another kernel.
    ///
    /// # Errors
    /// Those of the device.
    pub fn run_with(device: &mut Device, name: &'static str, kernel: FirstUip) -> Result<Outcome, Error> {
        let (mut found, mut expected) = (Vec::new(), Vec::new());
        for (levels, a_level, seed) in [(1, 2, 1), (3, 8, 2), (6, 20, 3), (5, 40, 4)] {
            let search = invented(levels, a_level, seed);
            let variables = search.trail.len();
            let starts = device.upload_constant("starts", &search.starts)?;
            let rows = device.upload_constant("literals", &search.rows)?;
            let on_trail = device.upload_constant("trail", &search.trail)?;
            let (levels, reasons) = (
                device.upload_constant("levels", &search.levels)?,
                device.upload_constant("reasons", &search.reasons)?,
            );
            let (marks, learned) =
                (device.zeros::<u32>("marks", variables)?, device.zeros::<u32>("learned", variables + 1)?);
            let nogoods = Nogoods { starts: starts.array(), literals: rows.array() };
            let trail =
                Trail { literals: on_trail.array(), levels: levels.array(), reasons: reasons.array() };
            let violated = search.starts.len() as u32 - 2;
            let arguments = (nogoods, trail, violated, marks.array(), learned.array());
            // SAFETY: the arrays are those of one search, and the grid is one block.
            unsafe { device.launch(Grid::new(1, 64), name, kernel, arguments) }?;
            let learned = device.download(&learned)?;
            let mut literals = learned[1..1 + learned[0] as usize].to_vec();
            literals.sort();
            found.extend(literals);
            expected.extend(first_uip_in_order(&search));
        }
        Ok(Outcome { found, expected })
    }
}

#[cfg(test)]
crate::lesson::on_every_device!(super::run);
