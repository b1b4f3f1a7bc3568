//! Adds variables and sum nogoods to a search that goes on.
//!
//! Main function: [`Memory::extend`]. The search keeps its assignment of level 1, its learned nogoods, ranks
//! and phases, and nothing of the program is copied again: the search gets its own arrays of sums, and row
//! boundaries with a row for each new literal. Arrays have spare room, so that most extensions copy the sums
//! alone. New variables are no candidates of decisions: sums have to define them.
//!
//! Invariant: the variables and sums of the uploaded problem keep their numbers, and nothing but the literals
//! and sums that were added, and conditions of goals, mentions a new variable.

use crate::campaign::guide::{Addition, Additions};
use crate::searcher::memory::Memory;
use bytemuck::Pod;
use solver_gpu::layout::{Shape, NONE, UNCLAIMED};
use solver_gpu::{Array, Lit};
use yasmin_device::{DeviceError, Executor};
use yasmin_nogoods::SumStore;

/// New variables that there is room for when the first one comes.
const SPARE_VARIABLES: u32 = 64;

/// The sums of a search, and the arrays that replace those of its problem.
pub struct Extension {
    /// The sums of the uploaded problem, then those that were added.
    sums: SumStore,
    /// How many variables there is room for.
    room: u32,
    /// Whether the arrays of sums are as they are on the device.
    is_written: bool,
    arrays: Buffers,
}

/// A buffer for each array that is replaced.
struct Buffers([Buffer; Replaced::Count as usize]);

/// Memory of the search's executor that one array is written to, again and again.
#[derive(Clone, Copy, Default)]
struct Buffer {
    address: u64,
    bytes: usize,
}

/// An array of the problem that an [`Extension`] replaces: an index into its [`Buffers`].
#[derive(Clone, Copy)]
#[repr(usize)]
enum Replaced {
    BinaryStart,
    TernaryStart,
    LongStart,
    LoopBodiesStart,
    Preferred,
    CandidateOf,
    AdvisesStart,
    ArcsStart,
    Condition,
    SumStart,
    SumLit,
    SumCounter,
    SumOf,
    SumCounters,
    OccursStart,
    Occurs,
    /// How many there are.
    Count,
}

impl Extension {
    /// Nothing is added yet to a problem with these sums.
    pub fn new(sums: SumStore) -> Extension {
        Extension { sums, room: 0, is_written: false, arrays: Buffers(Default::default()) }
    }

    /// Lets a sum of the problem hold on condition of a literal, once the search is extended.
    pub fn condition(&mut self, sum: u32, lit: Lit) {
        self.sums.condition[sum as usize] = lit;
        self.is_written = false;
    }
}

impl Buffers {
    /// Copies `data` to the device, to where `which` was before if there is room.
    fn put<T: Pod>(
        &mut self,
        executor: &mut dyn Executor,
        which: Replaced,
        data: &[T],
    ) -> Result<Array<T>, DeviceError> {
        let buffer = &mut self.0[which as usize];
        if size_of_val(data) > buffer.bytes {
            let bytes = 2 * size_of_val(data);
            let address = executor.alloc(bytes)?;
            if buffer.bytes > 0 {
                executor.free(buffer.address);
            }
            *buffer = Buffer { address, bytes };
        }
        if data.is_empty() {
            return Ok(Array::default());
        }
        executor.upload(buffer.address, bytemuck::cast_slice(data))?;
        // SAFETY: allocated for at least as many elements, which have a value each; freed with the executor,
        // or when a larger array takes the place of this one in the search's problem.
        Ok(unsafe { Array::from_raw(buffer.address as *mut T, data.len()) })
    }
}

impl Memory {
    /// Adds variables and sums. The search must be at level 1.
    ///
    /// # Errors
    /// If the device has too little memory or fails.
    pub fn extend(&mut self, extension: &mut Extension, additions: &Additions) -> Result<(), DeviceError> {
        debug_assert_eq!(self.state.level.load(), 1, "an extension is for level 1");
        let wanted = self.search.problem.vars + additions.vars;
        if wanted > extension.room {
            let room = wanted + (wanted / 8).max(SPARE_VARIABLES);
            self.make_room_for_variables(extension, room)?;
            (extension.room, extension.is_written) = (room, false);
        }
        self.search.problem.vars = wanted;
        if extension.is_written && additions.sums.is_empty() {
            return self.write_state();
        }
        let had = (extension.sums.len(), extension.sums.lits.len(), extension.sums.most.len());
        for addition in &additions.sums {
            match addition {
                Addition::Nogood(condition, items, most) => {
                    extension.sums.push(*condition, items.iter().copied(), *most);
                }
                Addition::Defined(atom, bound, items) => extension.sums.define(*atom, *bound, items),
            }
        }
        self.write_sums(extension)?;
        extension.is_written = true;
        self.write_counters(&extension.sums, had)?;
        self.write_state()
    }

    /// Takes new variables back, of which no sum says anything, and which nothing that was learned mentions.
    ///
    /// # Errors
    /// If the device fails.
    pub fn shrink(&mut self, vars: u32) -> Result<(), DeviceError> {
        self.forget_watches(vars)?;
        self.search.problem.vars = vars;
        Ok(())
    }

    /// Goes back to the problem that was uploaded, without what was added. The caller starts the search over.
    ///
    /// # Errors
    /// If the device fails.
    pub fn drop_extension(&mut self, extension: Extension) -> Result<(), DeviceError> {
        let uploaded = self.uploaded_view();
        self.forget_watches(uploaded.vars)?;
        self.search.problem = uploaded;
        let buffers = extension.arrays.0.iter().filter(|buffer| buffer.bytes > 0);
        buffers.for_each(|buffer| self.executor_mut().free(buffer.address));
        Ok(())
    }

    /// Leaves the lists of watches of the variables from `vars` on without room. Lists are laid out anew for
    /// the variables that there are. A list of a variable that comes back would lie where others are then,
    /// and would have entries of the variable before.
    fn forget_watches(&mut self, vars: u32) -> Result<(), DeviceError> {
        let (from, to) = (2 * vars as usize, 2 * self.search.problem.vars as usize);
        let (own, none) = (self.search.own, vec![0u32; to - from]);
        self.write_at(own.watch_len, from, &none)?;
        self.write_at(own.watch_capacity, from, &none)
    }

    /// Makes the arrays with a row or an element for each variable long enough for `room` variables.
    fn make_room_for_variables(&mut self, extension: &mut Extension, room: u32) -> Result<(), DeviceError> {
        let had = self.search.problem.vars as usize;
        self.reshape(|shape| {
            let of = |has: usize| if has > 0 { room as usize } else { 0 };
            *shape = Shape {
                vars: room as usize,
                tracked_vars: of(shape.tracked_vars),
                rephased_vars: of(shape.rephased_vars),
                learned_lits: shape.learned_lits.max(2 * room as usize),
                ..*shape
            };
        })?;
        let reason = self.search.own.reason;
        self.write_at(reason, had, &vec![UNCLAIMED; room as usize - had])?;
        let v = self.search.problem;
        let starts = [
            (Replaced::BinaryStart, v.occurs_binary_start),
            (Replaced::TernaryStart, v.occurs_ternary_start),
            (Replaced::LongStart, v.occurs_long_start),
            (Replaced::LoopBodiesStart, v.loop_bodies_start),
        ];
        let mut put = Vec::new();
        // The new literals have empty rows.
        let end = |has: &[u32]| has.last().copied().unwrap_or(0);
        for (which, array) in starts {
            put.push(self.lengthened(extension, which, array, 2 * room as usize + 1, end)?);
        }
        let p = &mut self.search.problem;
        (p.occurs_binary_start, p.occurs_ternary_start, p.occurs_long_start) = (put[0], put[1], put[2]);
        p.loop_bodies_start = put[3];
        if !v.preferred.is_empty() {
            self.search.problem.preferred =
                self.lengthened(extension, Replaced::Preferred, v.preferred, room as usize, |_| 0)?;
        }
        if !v.candidate_of.is_empty() {
            self.search.problem.candidate_of =
                self.lengthened(extension, Replaced::CandidateOf, v.candidate_of, room as usize, |_| NONE)?;
        }
        if !v.advises_start.is_empty() {
            let len = 2 * room as usize + 1;
            self.search.problem.advises_start =
                self.lengthened(extension, Replaced::AdvisesStart, v.advises_start, len, end)?;
        }
        if !v.arc_occurs_start.is_empty() {
            let len = 2 * room as usize + 1;
            self.search.problem.arc_occurs_start =
                self.lengthened(extension, Replaced::ArcsStart, v.arc_occurs_start, len, end)?;
        }
        Ok(())
    }

    /// A copy of `array` of `len` elements, whose new elements are what `value` says of the old ones.
    fn lengthened(
        &mut self,
        extension: &mut Extension,
        which: Replaced,
        array: Array<u32>,
        len: usize,
        value: impl FnOnce(&[u32]) -> u32,
    ) -> Result<Array<u32>, DeviceError> {
        let mut elements = self.read(array, array.len())?;
        let value = value(&elements);
        elements.resize(len, value);
        extension.arrays.put(self.executor_mut(), which, &elements)
    }

    /// Writes the arrays of sums that kernels only read.
    fn write_sums(&mut self, extension: &mut Extension) -> Result<(), DeviceError> {
        let Extension { sums, room, arrays, .. } = extension;
        let (occurrences, executor) = (sums.occurrences(*room), self.executor_mut());
        let condition = arrays.put(executor, Replaced::Condition, &sums.condition)?;
        let start = arrays.put(executor, Replaced::SumStart, &sums.start)?;
        let lits = arrays.put(executor, Replaced::SumLit, &sums.lits)?;
        let counter_of = arrays.put(executor, Replaced::SumCounter, &sums.counter_of)?;
        let of = arrays.put(executor, Replaced::SumOf, &sums.sum_of_items())?;
        let counters = arrays.put(executor, Replaced::SumCounters, &sums.counters)?;
        let occurs_start = arrays.put(executor, Replaced::OccursStart, &occurrences.start)?;
        let occurs = arrays.put(executor, Replaced::Occurs, &occurrences.items)?;
        let v = &mut self.search.problem;
        (v.sums, v.sum_items) = (sums.len() as u32, sums.lits.len() as u32);
        (v.sum_condition, v.sum_start, v.sum_lit) = (condition, start, lits);
        (v.sum_counter, v.sum_of, v.sum_counters) = (counter_of, of, counters);
        (v.sum_occurs_start, v.sum_occurs) = (occurs_start, occurs);
        Ok(())
    }

    /// Writes what the search owns of the sums, items and counters from the numbers `had` on: their weights,
    /// what they have now and may have at most. The new sums are to be looked at.
    fn write_counters(&mut self, sums: &SumStore, had: (usize, usize, usize)) -> Result<(), DeviceError> {
        let (len, items, counters) = (sums.len(), sums.lits.len(), sums.most.len());
        let shape = self.shape();
        if len > shape.sums || items > shape.sum_items || counters > shape.counters {
            let grown = |has: usize, wanted: usize| if wanted > has { 2 * wanted } else { has };
            self.reshape(|shape| {
                shape.sums = grown(shape.sums, len);
                shape.sum_items = grown(shape.sum_items, items);
                shape.counters = grown(shape.counters, counters);
            })?;
        }
        let value = self.read(self.search.own.value, self.search.problem.vars as usize)?;
        let holds = |lit: Lit| match value[lit.var().0 as usize] {
            0 => false,
            value => (value < 0) == lit.is_false_sign(),
        };
        let mut held = vec![0; counters - had.2];
        for item in had.1..items {
            if holds(sums.lits[item]) {
                held[sums.counter_of[item] as usize - had.2] += sums.weights[item];
            }
        }
        let own = self.search.own;
        self.write_at(own.sum_weight, had.1, &sums.weights[had.1..])?;
        self.write_at(own.sum_held, had.2, &held)?;
        self.write_at(own.sum_most, had.2, &sums.most[had.2..])?;
        let new: Vec<u32> = (had.0 as u32..len as u32).collect();
        self.write_at(own.sum_touched, had.0, &vec![1u32; new.len()])?;
        let touched = self.state.touched.load();
        self.write_at(own.sum_queue, touched as usize, &new)?;
        self.state.touched.store(touched + new.len() as u32);
        Ok(())
    }
}
