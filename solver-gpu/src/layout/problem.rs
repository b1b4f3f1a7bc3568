//! The program's part of a search: arrays that kernels only read.
//!
//! The host uploads a problem once. All searches of one program read the same arrays, so a copy of
//! [`Problem`] is a few hundred bytes of addresses.
//!
//! Invariant: kernels write nothing there.

use crate::Lit;
use cuda_std::array::Array;

/// Declares [`Problem`] from its rows, and the method that visits all its arrays.
macro_rules! problem {
    (
        $(#[$attribute:meta])*
        pub struct $Problem:ident {
            counts { $($(#[$count_doc:meta])* pub $count:ident: u32,)* }
            arrays { $($(#[$doc:meta])* pub $name:ident: Array<$T:ty>,)* }
        }
    ) => {
        $(#[$attribute])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug, Default)]
        pub struct $Problem {
            $($(#[$count_doc])* pub $count: u32,)*
            $($(#[$doc])* pub $name: Array<$T>,)*
        }

        impl $Problem {
            /// Calls `visit` with the name of each array, the size of the array's elements and the array's
            /// bytes.
            pub fn each_array(&self, mut visit: impl FnMut(&'static str, usize, Array<u8>)) {
                $(visit(stringify!($name), self.$name.element_bytes(), self.$name.bytes());)*
            }

            /// Returns the same problem with all its arrays elsewhere: at the addresses that `place` says for the
            /// bytes of each.
            ///
            /// # Errors
            /// As `place`.
            ///
            /// # Safety
            /// At each address there must be a copy of the array, for as long as the result is used.
            pub unsafe fn moved<E>(&self, mut place: impl FnMut(Array<u8>) -> Result<u64, E>) -> Result<$Problem, E> {
                let mut moved = *self;
                // SAFETY: as the caller says.
                $(moved.$name = unsafe { Array::from_raw(place(self.$name.bytes())? as *mut _, self.$name.len()) };)*
                Ok(moved)
            }
        }
    };
}

problem! {
/// The counts and arrays of one program.
///
/// The letters in the descriptions are lengths in elements: `V` variables of which `P` are program atoms, `N`
/// input nogoods, `C` candidates of decisions, `R` rules in positive loops, `S` sum nogoods.
pub struct Problem {
    counts {
        /// `V`: the number of variables, which are numbered `0 .. vars`.
        pub vars: u32,
        /// `P`: the number of program atoms, which are the variables `0 .. atom_vars`.
        pub atom_vars: u32,
        /// `N`: the number of input nogoods, which have the ids `0 .. nogoods`.
        pub nogoods: u32,
        /// The number of input nogoods of one literal, which have the ids `0 .. units`.
        pub units: u32,
        /// The end of the binary input nogoods, which have the ids `units .. binary_end`.
        pub binary_end: u32,
        /// The end of the ternary input nogoods, which have the ids `binary_end .. ternary_end`. The input
        /// nogoods from `ternary_end` on are long.
        pub ternary_end: u32,
        /// `C`: the number of rules or variables that Decision may choose.
        pub candidates: u32,
        /// The number of first candidates. Decision chooses a first candidate before all others; with
        /// projection the first candidates are the atoms on which answer sets are projected.
        pub first_candidates: u32,
        /// The number of atoms with heuristic directives, which follow the first candidates; 0 if directives
        /// are ignored.
        pub advised: u32,
        /// 1 if answer sets that agree on the first candidates count as one, else 0.
        pub project: u32,
        /// `R`: the number of rules that can take part in a positive loop; 0 if the program is tight.
        pub loop_rules: u32,
        /// The number of variables in non-trivial components of the positive dependency graph.
        pub loop_atoms: u32,
        /// `S`: the number of sum nogoods (see [`crate::sums`]).
        pub sums: u32,
        /// The number of items of all sums together.
        pub sum_items: u32,
        /// The number of sums whose atoms are on positive loops.
        pub loop_sums: u32,
        /// The number of items of all sums on positive loops together.
        pub loop_items: u32,
        /// The number of arcs of difference constraints (see [`crate::kernels::differences`]).
        pub arcs: u32,
        /// `B`: the number of bounds: the lower bound of each node of the difference constraints, then the
        /// upper bound of each, negated.
        pub bounds: u32,
    }
    arrays {
        /// `N + 1`: the row boundaries of `nogood_lits`. Input nogood `i` is
        /// `nogood_lits[nogood_start[i] .. nogood_start[i + 1]]`.
        pub nogood_start: Array<u32>,
        /// The literals of the input nogoods, one nogood after the other.
        pub nogood_lits: Array<Lit>,
        /// `2V + 1`: the row boundaries of `occurs_binary`, with one row for each literal.
        pub occurs_binary_start: Array<u32>,
        /// The binary nogoods in the row of each literal: the id in the high half, the other literal in the
        /// low half.
        pub occurs_binary: Array<u64>,
        /// `2V + 1`: the row boundaries of `occurs_ternary` and `occurs_ternary_id`, with one row for each
        /// literal.
        pub occurs_ternary_start: Array<u32>,
        /// The two other literals of each ternary nogood in the row of a literal.
        pub occurs_ternary: Array<u64>,
        /// The id of each ternary nogood in the row of a literal.
        pub occurs_ternary_id: Array<u32>,
        /// `2V + 1`: the row boundaries of `occurs_long`, with one row for each literal.
        pub occurs_long_start: Array<u32>,
        /// The id of each long nogood in the row of a literal.
        pub occurs_long: Array<u32>,

        /// `S`: the condition of each sum, or [`Lit::TRUE`] if the sum has no condition.
        pub sum_condition: Array<Lit>,
        /// `S + 1`: the boundaries of the items. The items of sum `s` are `sum_start[s] .. sum_start[s + 1]`.
        pub sum_start: Array<u32>,
        /// The literal of each item.
        pub sum_lit: Array<Lit>,
        /// The counter to which each item adds its weight.
        pub sum_counter: Array<u32>,
        /// The sum to which each item belongs.
        pub sum_of: Array<u32>,
        /// `S + 1`: the boundaries of the counters. The counters of sum `s` are
        /// `sum_counters[s] .. sum_counters[s + 1]`.
        pub sum_counters: Array<u32>,
        /// `2V + 1`: the row boundaries of `sum_occurs`, with one row for each literal. Empty if there are no
        /// sums.
        pub sum_occurs_start: Array<u32>,
        /// The items and conditions in the row of each literal: an item by its number, and the condition of
        /// sum `s` as `sum_items + s`.
        pub sum_occurs: Array<u32>,

        /// `C`: the variable that is the head of each candidate (see `Candidate` on the host).
        pub candidate_head: Array<u32>,
        /// `C`: the literal `T t_r` of each candidate, which must hold before the candidate is applicable, or
        /// [`Lit::TRUE`].
        pub candidate_positive: Array<Lit>,
        /// `C`: the literal `T b_r` of each candidate, which a decision makes true.
        pub candidate_body: Array<Lit>,
        /// `V`: the candidate that each variable is, or [`NONE`](super::NONE). Empty if candidates are rules.
        pub candidate_of: Array<u32>,
        /// `3 advised + 1`: the row boundaries of `directive_bias` and `directive_condition`, with
        /// [`PARTS`](crate::advice::PARTS) rows for each advised candidate.
        pub directive_start: Array<u32>,
        /// The number that each directive gives: a level, a sign or a factor.
        pub directive_bias: Array<i32>,
        /// The condition of each directive, or [`Lit::TRUE`]. A directive is in force while its condition
        /// holds. Of a row, the first directive in force counts.
        pub directive_condition: Array<Lit>,
        /// `2V + 1`: the row boundaries of `advises`, with one row for each literal. Empty if candidates are
        /// rules, or nothing is advised.
        pub advises_start: Array<u32>,
        /// The candidates whose level or factor depends on the literal: it is the condition of a directive.
        pub advises: Array<u32>,
        /// `V`: 1 plus the sign with which decisions always assign the variable, or 0 if no sign is fixed.
        /// Empty if all elements are 0.
        pub preferred: Array<u32>,

        /// `loop_atoms`: the variables in non-trivial components.
        pub loop_atom: Array<u32>,
        /// `P`: the component of each program atom, or [`NONE`](super::NONE) outside the non-trivial
        /// components.
        pub component: Array<u32>,
        /// `R`: the head of each loop rule.
        pub loop_head: Array<u32>,
        /// `R`: the literal `T b_r` of each loop rule, or [`Lit::TRUE`].
        pub loop_body: Array<Lit>,
        /// `R + 1`: the row boundaries of `loop_positive`, with one row for each loop rule.
        pub loop_positive_start: Array<u32>,
        /// The positive body atoms of each loop rule that are in the component of the rule's head.
        pub loop_positive: Array<u32>,
        /// `P + 1`: the row boundaries of `loop_occurs`, with one row for each atom.
        pub loop_occurs_start: Array<u32>,
        /// The loop rules whose rows of `loop_positive` contain the atom.
        pub loop_occurs: Array<u32>,
        /// `P + 1`: the row boundaries of `loop_rules_of`, with one row for each atom.
        pub loop_rules_start: Array<u32>,
        /// The loop rules of which the atom is the head.
        pub loop_rules_of: Array<u32>,
        /// `2V + 1`: the row boundaries of `loop_bodies`, with one row for each literal.
        pub loop_bodies_start: Array<u32>,
        /// The loop rules whose `loop_body` is the literal.
        pub loop_bodies: Array<u32>,
        /// The variable of each loop sum's atom.
        pub loop_sum_atom: Array<u32>,
        /// The weight that the items of each loop sum must reach.
        pub loop_sum_bound: Array<i64>,
        /// `loop_sums + 1`: the boundaries of the loop items. The items of loop sum `s` are
        /// `loop_sum_start[s] .. loop_sum_start[s + 1]`.
        pub loop_sum_start: Array<u32>,
        /// The end of each loop sum's inner items. The items of a loop sum before this item need a
        /// foundation.
        pub loop_sum_inner: Array<u32>,
        /// The literal of each loop sum's item.
        pub loop_item_lit: Array<Lit>,
        /// The weight of each loop sum's item.
        pub loop_item_weight: Array<i64>,
        /// The loop sum of each item.
        pub loop_item_sum: Array<u32>,
        /// `P + 1`: the row boundaries of `loop_item_occurs`, with one row for each atom.
        pub loop_item_occurs_start: Array<u32>,
        /// The loop items that need the atom's foundation.
        pub loop_item_occurs: Array<u32>,

        /// `B + 1`: the boundaries of the arcs. The arcs from bound `b` are `arc_start[b] .. arc_start[b +
        /// 1]`.
        pub arc_start: Array<u32>,
        /// The bound from which each arc leads.
        pub arc_from: Array<u32>,
        /// The bound to which each arc leads.
        pub arc_to: Array<u32>,
        /// What each arc adds: the bound that the arc leads to is at least the sum.
        pub arc_adds: Array<i64>,
        /// The literal of each arc, or [`Lit::TRUE`] if the arc always holds.
        pub arc_lit: Array<Lit>,
        /// `2V + 1`: the row boundaries of `arc_occurs`, with one row for each literal.
        pub arc_occurs_start: Array<u32>,
        /// The arcs of each literal.
        pub arc_occurs: Array<u32>,
        /// `B`: what each bound is at least without any literal.
        pub bound_first: Array<i64>,
    }
}
}
