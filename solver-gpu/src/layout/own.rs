//! The memory of one search: the arrays of a single search that kernels write, in one block of memory.
//!
//! Each array is declared in one row of [`for_each_own_array`](crate::for_each_own_array), which states the
//! name, the type, the length and the first value. The group of the row says whether the resident search may
//! keep a copy of the array in shared memory. The struct [`Own`], the layout of the block, the shared-memory
//! copy, the first values and the snapshots of the tests are all generated from the rows.
//!
//! Invariant: the arrays lie in the block in the order of their rows, so the arrays of the group `shared` are
//! the beginning of the block.

use super::ids::{MAX_CONFLICTS, UNCLAIMED};
use super::origin::Origin;
use super::record::Record;
use super::slot::Learned;
use super::state::{State, TraceWords};
use crate::Lit;
use cuda_std::array::Array;
use cuda_std::atomic::SharedU32;

/// The number of blocks of a kernel that are done. Unlike all other words of a block of memory, several
/// blocks of threads change the word during one launch.
#[repr(transparent)]
#[derive(Debug, Default)]
pub struct BlocksDone(pub SharedU32);

// SAFETY: the struct is an integer, of which zeros are a value.
unsafe impl bytemuck::Zeroable for BlocksDone {}

/// The alignment of the arrays in a block, in bytes. It is a multiple of a memory sector's size and more than
/// any type needs.
pub const ALIGNMENT: usize = 256;

/// The first capacity of a watch list, in entries.
pub const SPARE: u32 = 8;

/// The capacity of `watch_queue`: the largest number of entries that may find their watch lists full before
/// `rebuild_watches` is needed.
pub const WATCH_QUEUE: usize = 4096;

/// The key of a chunk whose best candidate is not known (see [`crate::kernels::decide`]).
pub const UNKNOWN: u64 = u64::MAX;

/// The sizes from which the lengths of a search's arrays follow, in elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// `V`: the number of variables.
    pub vars: usize,
    /// `V` if dependency bitmaps are kept, else 0.
    pub tracked_vars: usize,
    /// `V` if the search rephases, else 0.
    pub rephased_vars: usize,
    /// `K`: the number of conflict slots.
    pub slots: usize,
    /// The number of 32-bit words in a row of dependency bitmaps.
    pub deps_words: usize,
    /// The number of input nogoods of more than three literals.
    pub long_nogoods: usize,
    /// The number of these that stand in lists of watches: all if one thread searches, else 0.
    pub listed: usize,
    /// The number of keys of chunks of candidates (see [`crate::tournament::keys_of`]).
    pub chunk_keys: usize,
    /// The capacity for learned nogoods.
    pub learned: usize,
    /// The capacity for literals of learned nogoods.
    pub learned_lits: usize,
    /// The capacity of all watch lists together, in entries.
    pub watch_entries: usize,
    /// The number of 32-bit words for answer sets that the device keeps.
    pub answer_words: usize,
    /// `S`: the number of sums.
    pub sums: usize,
    /// The number of items of all sums.
    pub sum_items: usize,
    /// The number of counters of all sums.
    pub counters: usize,
    /// `P`, the number of program atoms, if the program has positive loops, else 0.
    pub founded_atoms: usize,
    /// The number of variables in non-trivial components of the positive dependency graph.
    pub loop_atoms: usize,
    /// `R`: the number of rules in positive loops.
    pub loop_rules: usize,
    /// The number of sums on positive loops.
    pub loop_sums: usize,
    /// `B`: the number of bounds of difference constraints.
    pub bounds: usize,
    /// The number of entries of the log of bounds: at least
    /// [`LEAST_LOG`](crate::kernels::differences::LEAST_LOG) for each bound.
    pub bound_log: usize,
    /// The largest number of literals of a cube, or of assumptions.
    pub cube_lits: usize,
    /// The largest number of candidates of a lookahead, or 0 if the search is in no swarm.
    pub look_lits: usize,
    /// The number of words of the ring of a traced search: a power of two, or 0 if the search is not traced.
    pub trace_words: usize,
    /// The number of classes of shared nogoods, or 0 if the search is in no swarm.
    pub pool_classes: usize,
}

/// The first values that depend on the program: one slice for each array that has such values.
#[derive(Clone, Copy, Debug, Default)]
pub struct FirstValues<'a> {
    /// The first rank of each variable.
    pub rank: &'a [u32],
    /// The first two literals of each long input nogood, in one word.
    pub watch: &'a [u64],
    /// The weight of each item of a sum.
    pub sum_weight: &'a [i64],
    /// The largest value that each counter may have.
    pub sum_most: &'a [i64],
}

/// A way to write first values into memory. The host implements this trait.
pub trait Fill {
    /// The error that writing may return.
    type Error;

    /// Sets all elements of `array` to zeros.
    ///
    /// # Errors
    /// If the memory cannot be written.
    fn zero<T: bytemuck::Zeroable>(&mut self, array: Array<T>) -> Result<(), Self::Error>;

    /// Sets each element `i` of `array` to `value(i)`.
    ///
    /// # Errors
    /// If the memory cannot be written.
    fn each<T: bytemuck::Pod>(
        &mut self,
        array: Array<T>,
        value: impl Fn(usize) -> T,
    ) -> Result<(), Self::Error>;
}

/// Hands the rows of all arrays that a search owns to another macro.
///
/// A row is `name: Type, |shape| length, [first value], (when);`. The length is in elements. The first value
/// is `zero`, or a closure of the program's [`FirstValues`] and an index. An array that is filled `once`
/// keeps its contents when the search starts over for another goal. An array that is filled for `each goal`
/// gets its first value again.
#[macro_export]
macro_rules! for_each_own_array {
    ($macro:ident) => {
        $macro! {
            // The resident search copies the arrays of this group to shared memory, from the first on, as
            // long as they fit. The arrays for which steps wait most therefore come first.
            shared {
                /// The control words, at the block's beginning. The array has one element.
                state: State, |_| 1, [zero], (once);
                /// `V`: the assignment. 0 means unassigned, `+level` means true, and `-level` means false.
                value: i32, |s| s.vars, [zero], (each goal);
                /// `V`: the claim of each variable, or [`UNCLAIMED`](crate::layout::UNCLAIMED). A claim is
                /// the reason (a nogood id, [`DECISION`](crate::layout::DECISION) or
                /// [`ALL_DECISIONS`](crate::layout::ALL_DECISIONS)) times two plus the sign of the assigned
                /// literal.
                reason: u32, |s| s.vars, [|_, _| UNCLAIMED], (each goal);
                /// `V`: the trail, which holds the literals in the order of their assignment.
                trail: Lit, |s| s.vars, [zero], (once);
                /// `V`: the position of each variable on the trail.
                position: u32, |s| s.vars, [zero], (once);
                /// `V`: for each position on the trail, the position at which its round begins. The literals
                /// of a round were committed together, and none of them is in the reason of another.
                round_start: u32, |s| s.vars, [zero], (once);
                /// `2V`: the number of entries in the watch list of each literal. The number may exceed
                /// `watch_capacity` while entries wait in `watch_queue`.
                watch_len: u32, |s| 2 * s.vars, [zero], (once);
                /// `2V`: the index in `watch_list` at which the watch list of each literal begins.
                watch_at: u32, |s| 2 * s.vars, [|_, i| i as u32 * SPARE], (once);
                /// `2V`: the capacity of each watch list, in entries.
                watch_capacity: u32, |s| 2 * s.vars, [|_, _| SPARE], (once);
                /// `V + 2`: the length of the trail when each level was opened.
                trail_at: u32, |s| s.vars + 2, [zero], (once);
                /// `V + 2`: the decision literal of each level.
                decision_at: Lit, |s| s.vars + 2, [zero], (once);
                /// `V`: the rank of each variable as a decision: the bits of a float that is not negative.
                /// Learning bumps ranks if activities are tracked.
                rank: u32, |s| s.vars, [|first, i| first.rank[i]], (once);
                /// `V`: 1 plus the sign that each variable had when a jump that saves phases last undid it,
                /// or 0 if none did.
                saved_phase: u32, |s| s.vars, [zero], (once);
                /// `V`: in how many more of the nogoods learned here each variable stood as true than as false,
                /// modulo `2^32`.
                sign_score: u32, |s| s.vars, [zero], (once);
                /// `P`: whether each atom on a loop is founded: one of the constants of
                /// [`founded`](crate::layout::founded).
                founded: u32, |s| s.founded_atoms, [zero], (once);
                /// `P`: the rule that founds each founded atom.
                source: u32, |s| s.founded_atoms, [zero], (once);
                /// `S`: 1 if the sum is in `sum_queue`, else 0.
                sum_touched: u32, |s| s.sums, [|_, _| 1], (each goal);
                /// `S`: the queue of the touched sums.
                sum_queue: u32, |s| s.sums, [|_, i| i as u32], (each goal);
                /// [`MAX_CONFLICTS`](crate::layout::MAX_CONFLICTS): the ids of the violated nogoods.
                conflict: u32, |_| MAX_CONFLICTS as usize, [zero], (once);
                /// `K`: the description of the nogood learned from each conflict. The literals are in
                /// `slot_lits`.
                slot: Learned, |s| s.slots, [zero], (once);
                /// `loop_atoms`: the founded atoms in the order found, then the atoms of an unfounded set.
                /// Scratch of the stability check.
                queue: u32, |s| s.loop_atoms, [zero], (once);
                /// `loop_atoms`: the atoms that have lost their foundation. Scratch of the stability check.
                lost: u32, |s| s.loop_atoms, [zero], (once);
                /// `R`: the number of positive body atoms of each loop rule that are not yet founded. Scratch
                /// of the stability check.
                missing: u32, |s| s.loop_rules, [zero], (once);
                /// `K` rows of `V`: the literals of the nogood learned from each conflict. The literal of the
                /// second highest level and the literal of the highest level come last.
                slot_lits: Lit, |s| s.slots * s.vars, [zero], (once);
                /// `V`: 1 plus the sign that each variable had in the longest assignment of this rephasing
                /// interval, or 0. That assignment is the longest before a decision that led to a conflict.
                /// Decisions follow this array first. Empty if the search never rephases.
                longest: u32, |s| s.rephased_vars, [zero], (once);
            }
            // The arrays of this group always lie in global memory.
            global {
                /// The number of blocks of the running kernel that are done (see
                /// [`is_last_block`](crate::threads::block::is_last_block)). The array has one element, and
                /// always lies in global memory.
                blocks_done: BlocksDone, |_| 1, [zero], (once);
                /// `loop_atoms`: the atoms that the next stability check has to found, besides those whose
                /// sources have lost their bodies since the last check (see
                /// [`founded`](crate::layout::founded)).
                unfounded_atom: u32, |s| s.loop_atoms, [zero], (once);
                /// `V`: a backup of the saved phases for the rephasing intervals that ignore them. Empty if
                /// the search never rephases.
                kept_phase: u32, |s| s.rephased_vars, [zero], (once);
                /// `V` rows of `deps_words` words: the dependency bitmap of each variable. Bit `i` is set if
                /// the assignment of the variable depends on the decision of level `i + 2`. A row is valid up
                /// to the words of the variable's own level.
                deps: u32, |s| s.tracked_vars * s.deps_words, [zero], (once);
                /// `K` rows of `deps_words` words: the decisions on which each conflict depends (forward
                /// learning), or the levels of the learned literals (resolution).
                slot_deps: u32, |s| s.slots * s.deps_words, [zero], (once);
                /// `K` rows of `V` stamps: a variable is marked in this step if its stamp is the stamp of the
                /// step.
                mark: u32, |s| s.slots * s.vars, [zero], (once);
                /// The record of each learned nogood.
                learned_record: Record, |s| s.learned, [zero], (once);
                /// Where each learned nogood comes from.
                learned_origin: Origin, |s| s.learned, [zero], (once);
                /// The watch lists. An entry is the number of a nogood with another literal of the nogood
                /// (see [`crate::watches`]).
                watch_list: u64, |s| s.watch_entries, [zero], (once);
                /// The entries that found their watch lists full: the literal in the high half, the number of
                /// the nogood in the low half.
                watch_queue: u64, |_| WATCH_QUEUE, [zero], (once);
                /// The late nogoods: the learned nogoods that may be unit although no watched literal is
                /// newly assigned.
                late: u32, |s| s.learned, [zero], (once);
                /// The literals of the learned nogoods, one nogood after the other.
                learned_lit: Lit, |s| s.learned_lits, [zero], (once);
                /// Literals that a deletion moves, or that an import copies. Scratch, as long as
                /// `learned_lit`.
                spare_lit: Lit, |s| s.learned_lits, [zero], (once);
                /// The new index of each learned nogood that a deletion keeps, or
                /// [`NONE`](crate::layout::NONE).
                renamed: u32, |s| s.learned, [zero], (once);
                /// The watched literals of each long input nogood (from id `ternary_end` on), two in one
                /// word.
                watch: u64, |s| s.long_nogoods, [|first, i| first.watch[i]], (once);
                /// The index within each long input nogood in lists at which one thread begins to look for
                /// another literal to watch.
                cursor: u32, |s| s.listed, [zero], (once);
                /// The weight of each item of a sum, or 0 if the item was taken out. The items of a counter
                /// are in descending order of weight.
                sum_weight: i64, |s| s.sum_items, [|first, i| first.sum_weight[i]], (once);
                /// The value of each counter: the total weight of its items whose literals are committed.
                sum_held: i64, |s| s.counters, [zero], (each goal);
                /// The largest value that each counter may have.
                sum_most: i64, |s| s.counters, [|first, i| first.sum_most[i]], (once);
                /// The key of the best applicable candidate of each chunk (see [`crate::kernels::decide`]),
                /// or a higher key. Where a single thread decides, keys of these keys follow (see
                /// [`crate::tournament`]). Empty if each decision looks at all candidates. The array is not
                /// in shared memory, because a 64-bit atomic maximum is a loop there.
                chunk_best: u64, |s| s.chunk_keys, [|_, _| UNKNOWN], (each goal);
                /// The weight that each sum on a positive loop still lacks. Scratch of the stability check.
                loop_sum_missing: i64, |s| s.loop_sums, [zero], (once);
                /// `B`: the bounds of difference constraints (see [`crate::kernels::differences`]).
                bound: i64, |s| s.bounds, [zero], (once);
                /// `B`: what a round demands of each bound. Scratch, equal to `bound` between two rounds.
                bound_next: i64, |s| s.bounds, [zero], (once);
                /// `B`: the arc that demands each bound, or [`NONE`](crate::layout::NONE).
                bound_by: u32, |s| s.bounds, [zero], (once);
                /// `B`: the first arc that demands `bound_next`. Scratch, [`NONE`](crate::layout::NONE)
                /// between two rounds.
                bound_cause: u32, |s| s.bounds, [zero], (once);
                /// The bound of each entry of the log of bounds. The number of entries is the control word
                /// `logged`. The first entry stands for when the bounds were last computed anew.
                log_bound: u32, |s| s.bound_log, [zero], (once);
                /// What the bound of each entry was before.
                log_value: i64, |s| s.bound_log, [zero], (once);
                /// The arc that demanded the bound of each entry before.
                log_by: u32, |s| s.bound_log, [zero], (once);
                /// The number of literals that the check of each entry has taken into account.
                log_at: u32, |s| s.bound_log, [zero], (once);
                /// The literals of the searcher's cube. Their number is the control word `cube_len`.
                cube: Lit, |s| s.cube_lits, [zero], (once);
                /// The candidates of the searcher's lookahead. Their number is the control word `look_len`.
                look: Lit, |s| s.look_lits, [zero], (once);
                /// The literals of the cube that the last refutation needs, assumptions among them.
                /// Their number is the control word `core_len`.
                core: Lit, |s| s.cube_lits, [zero], (once);
                /// The number of nogoods of each class of the pool that the searcher has looked at.
                pool_seen: u32, |s| s.pool_classes, [zero], (once);
                /// `answers_wanted` rows of bits, one bit for each program atom: 1 if the atom is true in the
                /// answer set.
                answers: u32, |s| s.answer_words, [zero], (once);
                /// How far the trace is. The array has one element if the search is traced, else none.
                trace: TraceWords, |s| (s.trace_words > 0) as usize, [zero], (once);
                /// The ring of a traced search: what the search did and the host has not read yet (see
                /// [`crate::trace`]).
                trace_ring: u32, |s| s.trace_words, [zero], (once);
            }
        }
    };
}

/// Writes the first values of one array.
macro_rules! fill_first {
    ($fill:ident, $array:expr, $first:ident, zero) => {
        $fill.zero($array)?
    };
    ($fill:ident, $array:expr, $first:ident, $value:expr) => {{
        let value: fn(&FirstValues, usize) -> _ = $value;
        $fill.each($array, |i| value($first, i))?
    }};
}

/// Writes the first values of one array if a search that starts over for another goal needs them again.
macro_rules! fill_for_goal {
    ($fill:ident, $array:expr, $first:ident, [$($value:tt)*], (once)) => {};
    ($fill:ident, $array:expr, $first:ident, [$($value:tt)*], (each goal)) => {
        fill_first!($fill, $array, $first, $($value)*)
    };
}

/// The length in elements of one array in a template: 0 if the array begins with zeros.
macro_rules! template_len {
    ($len:expr, zero) => {
        0
    };
    ($len:expr, $value:expr) => {
        $len
    };
}

/// Declares [`Own`] from the rows.
macro_rules! own {
    (
        shared {$(
            $(#[$shared_doc:meta])*
            $shared:ident: $S:ty, $shared_len:expr, [$($shared_first:tt)*], $shared_when:tt;
        )*}
        global {$(
            $(#[$global_doc:meta])*
            $global:ident: $G:ty, $global_len:expr, [$($global_first:tt)*], $global_when:tt;
        )*}
    ) => {
        /// The arrays that one search owns, in one block of memory, and the width of the dependency bitmaps.
        ///
        /// The letters in the descriptions are lengths in elements (see [`Shape`]). To continue a search in
        /// another block, or in two blocks, the host copies the block and moves the arrays with
        /// [`Own::moved`].
        #[repr(C)]
        #[derive(Clone, Copy, Debug, Default)]
        pub struct Own {
            /// The number of 32-bit words in a row of `deps` and of `slot_deps`.
            pub deps_words: u32,
            $($(#[$shared_doc])* pub $shared: Array<$S>,)*
            $($(#[$global_doc])* pub $global: Array<$G>,)*
        }

        impl Own {
            /// Returns arrays with the lengths that follow from `shape`. The arrays have no memory yet; see
            /// [`Own::laid_out`].
            pub fn of_shape(shape: &Shape) -> Own {
                let array = |len: fn(&Shape) -> usize| len(shape);
                Own {
                    deps_words: shape.deps_words as u32,
                    $($shared: nowhere(array($shared_len)),)*
                    $($global: nowhere(array($global_len)),)*
                }
            }

            /// Returns the arrays of a template: an array that begins with zeros is empty, and every other
            /// array has the length that follows from `shape`. The arrays have no memory yet; see
            /// [`Own::laid_out`].
            pub fn of_template(shape: &Shape) -> Own {
                let array = |len: fn(&Shape) -> usize| len(shape);
                Own {
                    deps_words: shape.deps_words as u32,
                    $($shared: nowhere(template_len!(array($shared_len), $($shared_first)*)),)*
                    $($global: nowhere(template_len!(array($global_len), $($global_first)*)),)*
                }
            }

            /// Calls `visit` with the name of each array, the size of the array's elements and the array's
            /// bytes, in the order of the block.
            pub fn each_array(&self, mut visit: impl FnMut(&'static str, usize, Array<u8>)) {
                $(visit(stringify!($shared), self.$shared.element_bytes(), self.$shared.bytes());)*
                $(visit(stringify!($global), self.$global.element_bytes(), self.$global.bytes());)*
            }

            /// Moves each array to the address that `to` returns for the array's present address and its size
            /// in bytes.
            ///
            /// # Safety
            /// Each array that is used afterwards must satisfy the contract of [`Array::from_raw`].
            #[cuda_std::inlined]
            unsafe fn relocate(&mut self, mut to: impl FnMut(u64, usize) -> u64) {
                // SAFETY: the caller's contract, for each array.
                unsafe {
                    $(self.$shared = relocated(self.$shared, &mut to);)*
                    $(self.$global = relocated(self.$global, &mut to);)*
                }
            }

            /// Writes the first values of all arrays.
            ///
            /// # Errors
            /// If `fill` cannot write.
            pub fn fill_first<F: Fill>(&self, first: &FirstValues, fill: &mut F) -> Result<(), F::Error> {
                $(fill_first!(fill, self.$shared, first, $($shared_first)*);)*
                $(fill_first!(fill, self.$global, first, $($global_first)*);)*
                Ok(())
            }

            /// Writes the first values of the arrays that every goal needs again.
            ///
            /// # Errors
            /// If `fill` cannot write.
            pub fn fill_for_goal<F: Fill>(&self, first: &FirstValues, fill: &mut F) -> Result<(), F::Error> {
                $(fill_for_goal!(fill, self.$shared, first, [$($shared_first)*], $shared_when);)*
                $(fill_for_goal!(fill, self.$global, first, [$($global_first)*], $global_when);)*
                Ok(())
            }

            /// Returns the number of bytes at the beginning of the block that the resident search copies to
            /// shared memory, if `capacity` bytes of shared memory are free. Only whole arrays are copied.
            pub fn shared_copy_fitting(&self, capacity: usize) -> usize {
                let mut used = 0;
                $(
                    let bytes = aligned(self.$shared);
                    if used + bytes > capacity {
                        return used;
                    }
                    used += bytes;
                )*
                used
            }

            /// Returns the same arrays, except that each array in the first `bytes` bytes of the block is
            /// replaced by its copy. The copies begin at address `copy`.
            ///
            /// # Safety
            /// At `copy` there must be memory for `bytes` bytes, which must hold a copy of the beginning of
            /// the block when the arrays are read. `bytes` must come from [`Own::shared_copy_fitting`].
            #[cuda_std::inlined]
            pub unsafe fn with_shared_copy(&self, bytes: u32, copy: *mut u8) -> Own {
                let mut with = *self;
                $({
                    let at = (self.$shared.address() - self.base()) as usize;
                    if at < bytes as usize {
                        // SAFETY: by the caller's contract whole arrays have copies, and this array begins
                        // within them.
                        with.$shared = unsafe { Array::from_raw(copy.add(at).cast(), self.$shared.len()) };
                    }
                })*
                with
            }
        }
    };
}

for_each_own_array!(own);

/// Returns an array of `len` elements without memory, which must be laid out before it is used.
pub(super) fn nowhere<T>(len: usize) -> Array<T> {
    // SAFETY: nobody uses the array before `Own::laid_out` has given it an address, as `Own::of_shape` says.
    unsafe { Array::from_raw(core::ptr::null_mut(), len) }
}

/// Returns `array` at the address that `to` returns for the array's present address and its size in bytes.
///
/// # Safety
/// The array at the new address must satisfy the contract of [`Array::from_raw`].
#[cuda_std::inlined]
unsafe fn relocated<T>(array: Array<T>, to: &mut impl FnMut(u64, usize) -> u64) -> Array<T> {
    let address = to(array.address(), array.len() * size_of::<T>());
    // SAFETY: the caller's contract.
    unsafe { Array::from_raw(address as *mut T, array.len()) }
}

/// The number of bytes that an array takes in a block, with the bytes up to the next multiple of
/// [`ALIGNMENT`].
fn aligned<T>(array: Array<T>) -> usize {
    (array.len() * size_of::<T>()).next_multiple_of(ALIGNMENT)
}

impl Own {
    /// The address at which the block begins.
    #[cuda_std::inlined]
    pub fn base(&self) -> u64 {
        self.state.address()
    }

    /// The size in bytes of a block that holds all arrays.
    pub fn bytes(&self) -> usize {
        let mut bytes = 0;
        self.each_array(|_, _, array| bytes += array.len().next_multiple_of(ALIGNMENT));
        bytes
    }

    /// Returns the arrays laid out one after the other from address `base` on.
    ///
    /// # Safety
    /// At `base` there must be a block of [`Own::bytes`] bytes whose arrays satisfy the contract of
    /// [`Array::from_raw`].
    pub unsafe fn laid_out(mut self, base: u64) -> Own {
        let mut at = base;
        // SAFETY: the caller's contract.
        unsafe {
            self.relocate(|_, size| {
                let here = at;
                at += size.next_multiple_of(ALIGNMENT) as u64;
                here
            });
        }
        self
    }

    /// Returns the arrays of the block at address `base`, which has the same layout as this block.
    ///
    /// # Safety
    /// At `base` there must be such a block, whose arrays satisfy the contract of [`Array::from_raw`].
    #[cuda_std::inlined]
    pub unsafe fn moved(mut self, base: u64) -> Own {
        let by = base.wrapping_sub(self.base());
        // SAFETY: the caller's contract.
        unsafe { self.relocate(|address, _| address.wrapping_add(by)) };
        self
    }

    /// The control words.
    #[cuda_std::inlined]
    pub fn state(&self) -> &State {
        self.state.get(0u32)
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec::Vec;

    /// A block of arrays of different lengths at an address that nobody uses.
    fn laid_out() -> Own {
        let shape = Shape { vars: 100, slots: 1, learned: 10, learned_lits: 40, ..Shape::default() };
        // SAFETY: the test uses addresses only, and reads and writes nothing there.
        unsafe { Own::of_shape(&shape).laid_out(1 << 20) }
    }

    #[test]
    fn the_shared_copy_is_the_beginning_of_the_block() {
        let own = laid_out();
        let one = size_of::<State>().next_multiple_of(ALIGNMENT);
        let two = one + 2 * ALIGNMENT;
        assert_eq!(own.shared_copy_fitting(one - 1), 0);
        assert_eq!(own.shared_copy_fitting(two - 1), one);
        assert_eq!(own.shared_copy_fitting(two), two);
        let all = own.shared_copy_fitting(usize::MAX);
        assert_eq!(all, own.blocks_done.address() as usize - own.base() as usize, "the first of the others");
        // SAFETY: the test uses addresses only, and reads and writes nothing there.
        let with_copy = unsafe { own.with_shared_copy(two as u32, (1 << 30) as *mut u8) };
        assert_eq!(with_copy.value.address() - with_copy.state.address(), own.value.address() - own.base());
        assert_eq!((with_copy.state.address(), with_copy.reason.address()), (1 << 30, own.reason.address()));
    }

    #[test]
    fn arrays_lie_one_after_the_other_and_keep_their_distances() {
        let own = laid_out();
        let (mut end, mut names) = (own.base(), Vec::new());
        own.each_array(|name, _, array| {
            assert_eq!(array.address(), end, "{name}");
            end += array.len().next_multiple_of(ALIGNMENT) as u64;
            names.push(name);
        });
        assert_eq!(end - own.base(), own.bytes() as u64);
        assert_eq!(names[..2], ["state", "value"]);
        // SAFETY: the test uses addresses only, and reads and writes nothing there.
        let moved = unsafe { own.moved(1 << 24) };
        assert_eq!(moved.answers.address() - moved.base(), own.answers.address() - own.base());
    }
}
