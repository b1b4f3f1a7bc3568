//! A search's block of memory: how large it is, and how it grows.
//!
//! Main type: [`Block`]. A block begins with what a template has (see [`super::upload`]). When the search
//! outgrows an array, its contents move to a larger block.
//!
//! Invariant: the arrays of [`Block::own`] lie in one allocation of the search's executor, as
//! [`Block::shape`] says.

use solver_gpu::deps::words_of;
use solver_gpu::kernels::rebuild_watches::entries;
use solver_gpu::layout::{Level, Own, Shape};
use solver_gpu::{Array, Lit};
use yasmin_device::{DeviceError, Executor};

/// Learned nogoods, and literals of learned nogoods, that there is room for to begin with.
const INITIAL_LEARNED: (usize, usize) = (4096, 1 << 16);
/// The same on the processor, where memory that was never written is only addresses, and to move costs time.
const INITIAL_ON_HOST: (usize, usize) = (1 << 14, 1 << 19);
/// Bytes of a block that are given back at once while the block moves.
const DISCARDED: u64 = 4 << 20;
/// Assumptions that there is room for to begin with.
pub const INITIAL_ASSUMED: usize = 64;
/// Words of a dependency bitmap to begin with, where each variable has one: 128 levels.
const INITIAL_WORDS: usize = 4;

/// Gives a shape the room for learned nogoods, lists of watches and levels that a search begins with.
///
/// If no variable has a bitmap, there is room for all levels that there can be. The few bitmaps of the slots
/// are smaller than other arrays of the slots, and a search that decides on every variable never moves.
pub fn with_initial_room(shape: Shape, threads: u32) -> Shape {
    let (learned, learned_lits) = if threads == 1 { INITIAL_ON_HOST } else { INITIAL_LEARNED };
    let all_words = words_of(Level(shape.vars as u32 + 2)) as usize;
    Shape {
        deps_words: if shape.tracked_vars == 0 { all_words } else { INITIAL_WORDS },
        learned,
        // Learning wants room for a nogood of all variables.
        learned_lits: learned_lits.max(4 * shape.vars),
        watch_entries: wanted_entries(0, shape.listed, shape.vars),
        ..shape
    }
}

/// Entries of the lists of watches of `learned` and `listed` nogoods over `vars` variables. Lists that grow
/// get four times as much room besides, and there is room for new ones.
pub fn wanted_entries(learned: usize, listed: usize, vars: usize) -> usize {
    5 * entries((learned + listed) as u32, vars as u32) as usize + INITIAL_LEARNED.1
}

/// What one search owns on its device.
pub struct Block {
    /// The sizes of the arrays.
    pub shape: Shape,
    /// The addresses of the arrays, as kernels get them.
    pub own: Own,
}

impl Block {
    /// A block of this shape, with what the template for the shape has, and zeros elsewhere.
    ///
    /// # Errors
    /// If the device has too little memory or fails.
    pub fn from_template(
        executor: &mut dyn Executor,
        shape: Shape,
        template: &Own,
    ) -> Result<Block, DeviceError> {
        let own = laid_out(executor, &shape)?;
        copy_contents(executor, template, &own)?;
        Ok(Block { shape, own })
    }

    /// Moves the search to a block of another shape. The contents of each array move as far as they fit; the
    /// rest is zeros. The block that was is freed.
    ///
    /// # Errors
    /// If the device has too little memory or fails.
    pub fn reshape(&mut self, executor: &mut dyn Executor, shape: Shape) -> Result<(), DeviceError> {
        let (before, own) = (self.own, laid_out(executor, &shape)?);
        let mut kept = before.base();
        each_extent(&before, &own, |from, to| {
            executor.copy_to_new(to.address(), from.address(), from.len().min(to.len()))?;
            // So that both blocks together take little more than one. The arrays lie in order. All threads
            // of a process wait while memory is taken from it.
            let end = from.address() + from.len() as u64;
            if end - kept >= DISCARDED {
                executor.discard(kept, (end - kept) as usize);
                kept = end;
            }
            Ok(())
        })?;
        (self.shape, self.own) = (shape, own);
        executor.free(before.base());
        Ok(())
    }

    /// The same as [`Block::reshape`], but the block that was stays: the caller frees it.
    ///
    /// # Errors
    /// As [`Block::reshape`].
    pub fn reshape_and_keep(
        &mut self,
        executor: &mut dyn Executor,
        shape: Shape,
    ) -> Result<Own, DeviceError> {
        let (before, own) = (self.own, laid_out(executor, &shape)?);
        copy_contents(executor, &before, &own)?;
        (self.shape, self.own) = (shape, own);
        Ok(before)
    }

    /// Makes room for `nogoods` learned nogoods of `lits` literals in all.
    ///
    /// # Errors
    /// As [`Block::reshape`].
    pub fn fit_learned(
        &mut self,
        executor: &mut dyn Executor,
        nogoods: usize,
        lits: u64,
    ) -> Result<(), DeviceError> {
        let (has_nogoods, has_lits) = (self.shape.learned, self.shape.learned_lits);
        if nogoods <= has_nogoods && lits <= has_lits as u64 {
            return Ok(());
        }
        if lits > u32::MAX as u64 / 2 {
            let bytes = 2 * lits as usize * size_of::<Lit>();
            return Err(DeviceError::OutOfMemory { device: executor.name(), bytes });
        }
        self.reshape(executor, with_room(self.shape, nogoods, lits as usize))
    }
}

/// The shape with room for so many learned nogoods of so many literals in all: as it is, or twice as much as is wanted.
pub fn with_room(shape: Shape, nogoods: usize, lits: usize) -> Shape {
    let grown = |has: usize, wanted: usize| if wanted > has { 2 * wanted } else { has };
    let (learned, learned_lits) = (grown(shape.learned, nogoods), grown(shape.learned_lits, lits));
    Shape { learned, learned_lits, ..shape }
}

/// A new block of this shape, zeroed.
fn laid_out(executor: &mut dyn Executor, shape: &Shape) -> Result<Own, DeviceError> {
    let own = Own::of_shape(shape);
    let base = executor.alloc(own.bytes())?;
    // SAFETY: the block is large enough, aligned and zeroed, and zeros are a value of all types in it.
    Ok(unsafe { own.laid_out(base) })
}

/// Copies the contents of each array as far as they fit.
fn copy_contents(executor: &mut dyn Executor, from: &Own, to: &Own) -> Result<(), DeviceError> {
    each_extent(from, to, |from, to| {
        executor.copy_to_new(to.address(), from.address(), from.len().min(to.len()))
    })
}

/// Calls `visit` with each array of two blocks.
fn each_extent(
    from: &Own,
    to: &Own,
    mut visit: impl FnMut(Array<u8>, Array<u8>) -> Result<(), DeviceError>,
) -> Result<(), DeviceError> {
    extents(from).into_iter().zip(extents(to)).try_for_each(|(from, to)| visit(from, to))
}

/// The arrays of a block as bytes, in order.
pub fn extents(own: &Own) -> Vec<Array<u8>> {
    let mut extents = Vec::new();
    own.each_array(|_, _, array| extents.push(array));
    extents
}
