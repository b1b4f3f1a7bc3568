//! A search's own memory: all that kernels write, in one block.
//!
//! Each array is declared in one row of [`for_each_own_array`](crate::for_each_own_array): name, type,
//! length, first value, and by its group whether the resident search keeps a copy in shared memory. The
//! struct, the layout of the block, the shared-memory copy, the first values and the tests' snapshots are all
//! generated from that row.
//!
//! Invariant: the arrays lie in the block in the order of their rows, so the arrays of the group `shared` are
//! the beginning of the block.

use super::ids::{MAX_CONFLICTS, UNCLAIMED};
use super::slot::Learned;
use super::state::{GridCalls, State};
use crate::Lit;
use cuda_std::array::Array;

/// Arrays in a block begin at multiples of this many bytes: a memory sector's size, and more than any type
/// needs.
pub const ALIGNMENT: usize = 256;

/// Capacity of a list of watches to begin with, in entries.
pub const SPARE: u32 = 8;

/// Entries that find their lists of watches full at most, before `rebuild_watches` is needed.
pub const WATCH_QUEUE: usize = 4096;

/// The key of a chunk of candidates that has to be looked through (see [`crate::kernels::decide`]).
pub const UNKNOWN: u64 = u64::MAX;

/// The sizes that decide how long a search's arrays are, in elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// `V`: variables.
    pub vars: usize,
    /// `V` if dependency bitmaps are kept, else 0.
    pub tracked_vars: usize,
    /// `V` if the search rephases, else 0.
    pub rephased_vars: usize,
    /// `K`: conflict slots.
    pub slots: usize,
    /// Words of a row of dependency bitmaps.
    pub deps_words: usize,
    /// Input nogoods of more than three literals.
    pub long_nogoods: usize,
    /// Chunks of candidates whose best keys are kept.
    pub chunks: usize,
    /// Learned nogoods that there is room for.
    pub learned: usize,
    /// Literals of learned nogoods that there is room for.
    pub learned_lits: usize,
    /// Entries of all lists of watches.
    pub watch_entries: usize,
    /// Words of answer sets that the device keeps.
    pub answer_words: usize,
    /// `S`: sums.
    pub sums: usize,
    /// Items of sums.
    pub sum_items: usize,
    /// Counters of sums.
    pub counters: usize,
    /// `P` if the program has positive loops, else 0.
    pub founded_atoms: usize,
    /// Variables in non-trivial components.
    pub loop_atoms: usize,
    /// `R`: rules in positive loops.
    pub loop_rules: usize,
    /// Sums on positive loops.
    pub loop_sums: usize,
}

/// What a search's arrays hold at first where that depends on the program: a slice for each such array.
#[derive(Clone, Copy, Debug, Default)]
pub struct FirstValues<'a> {
    /// The first rank of each variable.
    pub rank: &'a [u32],
    /// The first two literals of each long input nogood, in one word.
    pub watch: &'a [u64],
    /// The weight of each sum's item.
    pub sum_weight: &'a [i64],
    /// What each counter may be at most.
    pub sum_most: &'a [i64],
}

/// Who writes first values into memory: the host.
pub trait Fill {
    /// Why writing failed.
    type Error;

    /// Sets all elements of an array to zeros.
    ///
    /// # Errors
    /// If the memory cannot be written.
    fn zero<T: bytemuck::Zeroable>(&mut self, array: Array<T>) -> Result<(), Self::Error>;

    /// Sets each element `i` of an array to `value(i)`.
    ///
    /// # Errors
    /// As [`Fill::zero`].
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
/// keeps its contents when the search starts over for another goal; an array that is filled for `each goal`
/// gets its first value again.
#[macro_export]
macro_rules! for_each_own_array {
    ($macro:ident) => {
        $macro! {
            // What every step waits for most comes first: as many of these arrays as find room have a copy in
            // shared memory.
            shared {
                /// One element: the control words, at the block's beginning.
                state: State, |_| 1, [zero], (once);
                /// `V`: the assignment. 0 is unassigned, `+level` is true, `-level` is false.
                value: i32, |s| s.vars, [zero], (each goal);
                /// `V`: the claim of each variable: its reason (a nogood id, or
                /// [`DECISION`](crate::layout::DECISION) or [`ALL_DECISIONS`](crate::layout::ALL_DECISIONS))
                /// times two plus the sign of the literal assigned.
                reason: u32, |s| s.vars, [|_, _| UNCLAIMED], (each goal);
                /// `V`: the trail, literals in the order assigned.
                trail: Lit, |s| s.vars, [zero], (once);
                /// `V`: the position of each variable on the trail.
                position: u32, |s| s.vars, [zero], (once);
                /// `V`: for each position of the trail, the position at which its round begins: the literals
                /// that were committed together. None of them is in another's reason.
                round_start: u32, |s| s.vars, [zero], (once);
                /// `2V`: how many learned nogoods watch each literal.
                watch_len: u32, |s| 2 * s.vars, [zero], (once);
                /// `2V`: where the list of each literal begins in `watch_list`.
                watch_at: u32, |s| 2 * s.vars, [|_, i| i as u32 * SPARE], (once);
                /// `2V`: how many entries each list has room for.
                watch_capacity: u32, |s| 2 * s.vars, [|_, _| SPARE], (once);
                /// `V + 2`: the length of the trail when each level was opened.
                trail_at: u32, |s| s.vars + 2, [zero], (once);
                /// `V + 2`: the decision literal of each level.
                decision_at: Lit, |s| s.vars + 2, [zero], (once);
                /// `V`: how much a decision on each variable is worth. Learning bumps ranks if activities are
                /// tracked.
                rank: u32, |s| s.vars, [|first, i| first.rank[i]], (once);
                /// `V`: 1 plus the sign that each variable had when it was last undone; 0 if it never was.
                saved_phase: u32, |s| s.vars, [zero], (once);
                /// `P`: 1 if the stability check found the atom founded when it last looked, else 0 between
                /// checks.
                founded: u32, |s| s.founded_atoms, [zero], (once);
                /// `P`: the rule that founds each founded atom.
                source: u32, |s| s.founded_atoms, [zero], (once);
                /// [`MAX_CONFLICTS`](crate::layout::MAX_CONFLICTS): ids of violated nogoods.
                conflict: u32, |_| MAX_CONFLICTS as usize, [zero], (once);
                /// `K`: what was learned from each conflict; the literals are in `slot_lits`.
                slot: Learned, |s| s.slots, [zero], (once);
                /// `loop_atoms`: founded atoms in the order found, then the atoms of an unfounded set.
                /// Scratch.
                queue: u32, |s| s.loop_atoms, [zero], (once);
                /// `loop_atoms`: atoms that may have lost their foundation. Scratch.
                lost: u32, |s| s.loop_atoms, [zero], (once);
                /// `R`: positive body atoms of each loop rule that are yet to be founded. Scratch.
                missing: u32, |s| s.loop_rules, [zero], (once);
                /// `K` rows of `V`: the nogood learned from each conflict, second highest and highest literal
                /// last.
                slot_lits: Lit, |s| s.slots * s.vars, [zero], (once);
                /// `V`: 1 plus the sign that each variable had in the longest assignment of this rephasing
                /// interval before a decision that led to a conflict, or 0. Decisions follow it first. Empty
                /// if the search never rephases.
                longest: u32, |s| s.rephased_vars, [zero], (once);
            }
            global {
                /// One element: the words by which the blocks of a grid call each other.
                grid_calls: GridCalls, |_| 1, [zero], (once);
                /// `V`: the saved phases while a rephasing interval goes without them. Empty if the search
                /// never rephases.
                kept_phase: u32, |s| s.rephased_vars, [zero], (once);
                /// `V` rows of `deps_words` words: bit `i` is set if the assignment of the variable depends
                /// on the decision of level `i + 2`. A row is valid up to the words of the variable's own
                /// level.
                deps: u32, |s| s.tracked_vars * s.deps_words, [zero], (once);
                /// `K` rows of `deps_words` words: the decisions that the conflict depends on (forward
                /// learning), or the levels of the learned literals (resolution).
                slot_deps: u32, |s| s.slots * s.deps_words, [zero], (once);
                /// `K` rows of `V` stamps: a variable is marked in this step if its stamp is the step's.
                mark: u32, |s| s.slots * s.vars, [zero], (once);
                /// Where the literals of each learned nogood begin in `learned_lit`.
                learned_start: u32, |s| s.learned, [zero], (once);
                /// How many literals each learned nogood has.
                learned_len: u32, |s| s.learned, [zero], (once);
                /// The distinct decision levels of each learned nogood's literals (literal block distance).
                learned_lbd: u32, |s| s.learned, [zero], (once);
                /// How often each learned nogood took part in learning; halved when some are deleted.
                learned_activity: u32, |s| s.learned, [zero], (once);
                /// The watched literals of each learned nogood, two in one word; the same literal twice for a
                /// unit.
                learned_watch: u64, |s| s.learned, [zero], (once);
                /// Where in each learned nogood the search for another literal to watch begins. Any number
                /// will do.
                learned_from: u32, |s| s.learned, [zero], (once);
                /// The lists of watches: learned nogoods, by index from 0, each with another literal (see
                /// [`crate::watches`]).
                watch_list: u64, |s| s.watch_entries, [zero], (once);
                /// The entries that found their lists full: a literal in the high half, an index in the low.
                watch_queue: u64, |_| WATCH_QUEUE, [zero], (once);
                /// Late nogoods: learned nogoods that may be unit although no watched literal is newly
                /// assigned.
                late: u32, |s| s.learned, [zero], (once);
                /// The literals of the learned nogoods, one nogood after the other.
                learned_lit: Lit, |s| s.learned_lits, [zero], (once);
                /// Scratch of `reduce_learned`, as long as `learned_lit`.
                spare_lit: Lit, |s| s.learned_lits, [zero], (once);
                /// The new index of each learned nogood that is kept. Scratch of `reduce_learned`.
                renamed: u32, |s| s.learned, [zero], (once);
                /// The watched literals of each input nogood from `ternary_end` on, two in one word.
                watch: u64, |s| s.long_nogoods, [|first, i| first.watch[i]], (once);
                /// The weight of each item of a sum, heaviest first in a counter; 0 if the item was taken
                /// out.
                sum_weight: i64, |s| s.sum_items, [|first, i| first.sum_weight[i]], (once);
                /// The weight of the items that hold, for each counter. Committed literals are counted, no
                /// others.
                sum_held: i64, |s| s.counters, [zero], (each goal);
                /// What each counter may be at most.
                sum_most: i64, |s| s.counters, [|first, i| first.sum_most[i]], (once);
                /// `S`: 1 if the sum is in the queue.
                sum_touched: u32, |s| s.sums, [|_, _| 1], (each goal);
                /// `S`: the sums to look at.
                sum_queue: u32, |s| s.sums, [|_, i| i as u32], (each goal);
                /// The key of the best applicable candidate of each chunk (see [`crate::kernels::decide`]),
                /// or a higher key. Empty where all candidates are looked at. (Not in shared memory: a 64-bit
                /// maximum is a loop there.)
                chunk_best: u64, |s| s.chunks, [|_, _| UNKNOWN], (each goal);
                /// What each sum on a loop still misses. Scratch.
                loop_sum_missing: i64, |s| s.loop_sums, [zero], (once);
                /// `answers_wanted` rows of a bit for each program atom: 1 if the atom is true.
                answers: u32, |s| s.answer_words, [zero], (once);
            }
        }
    };
}

/// Writes an array's first value.
macro_rules! fill_first {
    ($fill:ident, $array:expr, $first:ident, zero) => {
        $fill.zero($array)?
    };
    ($fill:ident, $array:expr, $first:ident, $value:expr) => {{
        let value: fn(&FirstValues, usize) -> _ = $value;
        $fill.each($array, |i| value($first, i))?
    }};
}

/// Writes an array's first value if a search that starts over needs it again.
macro_rules! fill_for_goal {
    ($fill:ident, $array:expr, $first:ident, [$($value:tt)*], (once)) => {};
    ($fill:ident, $array:expr, $first:ident, [$($value:tt)*], (each goal)) => {
        fill_first!($fill, $array, $first, $($value)*)
    };
}

/// The length of an array in a template: 0 if the array begins with zeros.
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
        shared { $($(#[$near_doc:meta])* $near:ident: $N:ty, $near_len:expr, [$($near_first:tt)*], $near_when:tt;)* }
        global { $($(#[$far_doc:meta])* $far:ident: $F:ty, $far_len:expr, [$($far_first:tt)*], $far_when:tt;)* }
    ) => {
        /// The arrays that one search owns, in one block of memory, and the width of the dependency bitmaps.
        ///
        /// The letters in the descriptions are lengths in elements: see [`Shape`]. A search that is to go on
        /// elsewhere, or twice, needs its block copied and its arrays moved ([`Own::moved`]).
        #[repr(C)]
        #[derive(Clone, Copy, Debug, Default)]
        pub struct Own {
            /// Words of a row of `deps` and of `slot_deps`.
            pub deps_words: u32,
            $($(#[$near_doc])* pub $near: Array<$N>,)*
            $($(#[$far_doc])* pub $far: Array<$F>,)*
        }

        impl Own {
            /// Arrays as long as `shape` says, which lie nowhere yet.
            pub fn of_shape(shape: &Shape) -> Own {
                let array = |len: fn(&Shape) -> usize| len(shape);
                Own {
                    deps_words: shape.deps_words as u32,
                    $($near: nowhere(array($near_len)),)*
                    $($far: nowhere(array($far_len)),)*
                }
            }

            /// The arrays of a template: as long as `shape` says, or empty where a search begins with zeros.
            /// They lie nowhere yet.
            pub fn of_template(shape: &Shape) -> Own {
                let array = |len: fn(&Shape) -> usize| len(shape);
                Own {
                    deps_words: shape.deps_words as u32,
                    $($near: nowhere(template_len!(array($near_len), $($near_first)*)),)*
                    $($far: nowhere(template_len!(array($far_len), $($far_first)*)),)*
                }
            }

            /// Calls `visit` with the name of each array and the array's bytes, in the order of the block.
            pub fn each_array(&self, mut visit: impl FnMut(&'static str, Array<u8>)) {
                $(visit(stringify!($near), self.$near.bytes());)*
                $(visit(stringify!($far), self.$far.bytes());)*
            }

            /// Moves each array to the address that `to` gives for the array's present address and its size
            /// in bytes.
            ///
            /// # Safety
            /// As [`Array::from_raw`], for each array that is used afterwards.
            #[inline(always)]
            unsafe fn relocate(&mut self, mut to: impl FnMut(u64, usize) -> u64) {
                // SAFETY: the caller's contract, for each array.
                unsafe {
                    $(self.$near = relocated(self.$near, &mut to);)*
                    $(self.$far = relocated(self.$far, &mut to);)*
                }
            }

            /// Writes the first values of all arrays.
            ///
            /// # Errors
            /// If `fill` cannot write.
            pub fn fill_first<F: Fill>(&self, first: &FirstValues, fill: &mut F) -> Result<(), F::Error> {
                $(fill_first!(fill, self.$near, first, $($near_first)*);)*
                $(fill_first!(fill, self.$far, first, $($far_first)*);)*
                Ok(())
            }

            /// Writes the first values of the arrays that each goal begins with.
            ///
            /// # Errors
            /// If `fill` cannot write.
            pub fn fill_for_goal<F: Fill>(&self, first: &FirstValues, fill: &mut F) -> Result<(), F::Error> {
                $(fill_for_goal!(fill, self.$near, first, [$($near_first)*], $near_when);)*
                $(fill_for_goal!(fill, self.$far, first, [$($far_first)*], $far_when);)*
                Ok(())
            }

            /// How many bytes at the beginning of the block have a copy in shared memory if there are `room`
            /// bytes for it: whole arrays.
            pub fn shared_copy_fitting(&self, room: usize) -> usize {
                let mut used = 0;
                $(
                    let bytes = aligned(self.$near);
                    if used + bytes > room {
                        return used;
                    }
                    used += bytes;
                )*
                used
            }

            /// The same arrays, those in the first `bytes` of the block as their copies from `copy` on.
            ///
            /// # Safety
            /// There must be a copy of so many bytes of the block at `copy`.
            #[inline(always)]
            pub unsafe fn with_shared_copy(&self, bytes: u32, copy: *mut u8) -> Own {
                let mut with = *self;
                $({
                    let at = (self.$near.address() - self.base()) as usize;
                    if at < bytes as usize {
                        // SAFETY: the caller's contract, as whole arrays have copies.
                        with.$near = unsafe { Array::from_raw(copy.add(at).cast(), self.$near.len()) };
                    }
                })*
                with
            }
        }
    };
}

for_each_own_array!(own);

/// An array of `len` elements that has to be laid out before anybody uses it.
fn nowhere<T>(len: usize) -> Array<T> {
    // SAFETY: `Own::of_shape` says that its arrays lie nowhere; `Own::laid_out` gives them an address.
    unsafe { Array::from_raw(core::ptr::null_mut(), len) }
}

/// The same array at the address that `to` gives for its present address and its size in bytes.
///
/// # Safety
/// As [`Array::from_raw`].
#[inline(always)]
unsafe fn relocated<T>(array: Array<T>, to: &mut impl FnMut(u64, usize) -> u64) -> Array<T> {
    let address = to(array.address(), array.len() * size_of::<T>());
    // SAFETY: the caller's contract.
    unsafe { Array::from_raw(address as *mut T, array.len()) }
}

/// The bytes that an array takes in a block.
fn aligned<T>(array: Array<T>) -> usize {
    (array.len() * size_of::<T>()).next_multiple_of(ALIGNMENT)
}

impl Own {
    /// The address at which the block begins.
    #[inline(always)]
    pub fn base(&self) -> u64 {
        self.state.address()
    }

    /// The size of a block that has room for all arrays, in bytes.
    pub fn bytes(&self) -> usize {
        let mut bytes = 0;
        self.each_array(|_, array| bytes += array.len().next_multiple_of(ALIGNMENT));
        bytes
    }

    /// The arrays, one after the other from `base` on.
    ///
    /// # Safety
    /// As [`Array::from_raw`], of a block of [`Own::bytes`] at `base`.
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

    /// The arrays of a block at `base` that is laid out as this one.
    ///
    /// # Safety
    /// As [`Array::from_raw`]: there must be such a block at `base`.
    #[inline(always)]
    pub unsafe fn moved(mut self, base: u64) -> Own {
        let by = base.wrapping_sub(self.base());
        // SAFETY: the caller's contract.
        unsafe { self.relocate(|address, _| address.wrapping_add(by)) };
        self
    }

    /// The control words.
    #[inline(always)]
    pub fn state(&self) -> &State {
        self.state.get(0u32)
    }

    /// The words by which the blocks of a grid call each other.
    #[inline(always)]
    pub fn grid_calls(&self) -> &GridCalls {
        self.grid_calls.get(0u32)
    }

    /// The current decision level.
    #[inline(always)]
    pub fn level(&self) -> u32 {
        self.state().level.now()
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec::Vec;

    /// A block of different sizes at an address that nobody uses.
    fn laid_out() -> Own {
        let shape = Shape { vars: 100, slots: 1, learned: 10, learned_lits: 40, ..Shape::default() };
        // SAFETY: nobody looks at what is there.
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
        assert_eq!(all, own.grid_calls.address() as usize - own.base() as usize, "the first of the others");
        // SAFETY: nobody looks at what is there.
        let near = unsafe { own.with_shared_copy(two as u32, (1 << 30) as *mut u8) };
        assert_eq!(near.value.address() - near.state.address(), own.value.address() - own.base());
        assert_eq!((near.state.address(), near.reason.address()), (1 << 30, own.reason.address()));
    }

    #[test]
    fn arrays_lie_one_after_the_other_and_keep_their_distances() {
        let own = laid_out();
        let (mut end, mut names) = (own.base(), Vec::new());
        own.each_array(|name, array| {
            assert_eq!(array.address(), end, "{name}");
            end += array.len().next_multiple_of(ALIGNMENT) as u64;
            names.push(name);
        });
        assert_eq!(end - own.base(), own.bytes() as u64);
        assert_eq!(names[..2], ["state", "value"]);
        // SAFETY: nobody looks at what is there.
        let moved = unsafe { own.moved(1 << 24) };
        assert_eq!(moved.answers.address() - moved.base(), own.answers.address() - own.base());
    }
}
