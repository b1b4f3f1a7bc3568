//! The program's part of a search: arrays that kernels only read.
//!
//! A problem is uploaded once. All searches of one program read the same arrays, so a copy of this struct is
//! a few hundred bytes of addresses. Between two runs a problem may grow: its next *generation* has more
//! variables, rules and nogoods, and keeps the numbers of those that it had.

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
            /// Calls `visit` with the name of each array and the array's bytes.
            pub fn each_array(&self, mut visit: impl FnMut(&'static str, Array<u8>)) {
                $(visit(stringify!($name), self.$name.bytes());)*
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
        /// `N`: input nogoods have the ids `0 .. nogoods`.
        pub nogoods: u32,
        /// Input nogoods `0 .. units` have one literal.
        pub units: u32,
        /// Input nogoods `units .. binary_end` have two literals.
        pub binary_end: u32,
        /// Input nogoods `binary_end .. ternary_end` have three literals, and the rest have more.
        pub ternary_end: u32,
        /// `C`: rules or variables that Decision may choose.
        pub candidates: u32,
        /// Candidates before this one are chosen before all others: the atoms that count when projecting.
        pub first_candidates: u32,
        /// As many candidates after the first ones are atoms with heuristic directives; 0 if directives are
        /// ignored.
        pub advised: u32,
        /// 1: answer sets that differ only in atoms that are no first candidates count as the same.
        pub project: u32,
        /// `R`: rules that can take part in a positive loop; 0 if the program is tight.
        pub loop_rules: u32,
        /// Variables in non-trivial components of the positive dependency graph.
        pub loop_atoms: u32,
        /// `S`: sum nogoods (see [`crate::sums`]).
        pub sums: u32,
        /// Items of all sums together.
        pub sum_items: u32,
        /// Sums whose atoms are on positive loops.
        pub loop_sums: u32,
        /// Items of all sums on loops together.
        pub loop_items: u32,
    }
    arrays {
        /// `N + 1`: the row boundaries of `nogood_lits`. Input nogood `i` is
        /// `nogood_lits[nogood_start[i] .. nogood_start[i + 1]]`.
        pub nogood_start: Array<u32>,
        /// The literals of the input nogoods, one nogood after the other.
        pub nogood_lits: Array<Lit>,
        /// `2V + 1` row boundaries into `occurs_binary`, one row a literal.
        pub occurs_binary_start: Array<u32>,
        /// Of each binary nogood in a literal's row: the id (high half) and the other literal (low half).
        pub occurs_binary: Array<u64>,
        /// `2V + 1` row boundaries into `occurs_ternary` and `occurs_ternary_id`, one row a literal.
        pub occurs_ternary_start: Array<u32>,
        /// Of each ternary nogood in a literal's row: the two other literals.
        pub occurs_ternary: Array<u64>,
        /// Of each ternary nogood in a literal's row: the id.
        pub occurs_ternary_id: Array<u32>,
        /// `2V + 1` row boundaries into `occurs_long`, one row a literal.
        pub occurs_long_start: Array<u32>,
        /// Of each longer nogood in a literal's row: the id.
        pub occurs_long: Array<u32>,

        /// `S`: the condition of each sum, or [`Lit::TRUE`].
        pub sum_condition: Array<Lit>,
        /// `S + 1`: the items of sum `s` are `sum_start[s] .. sum_start[s + 1]`.
        pub sum_start: Array<u32>,
        /// The literal of each item.
        pub sum_lit: Array<Lit>,
        /// The counter that each item adds to.
        pub sum_counter: Array<u32>,
        /// The sum of each item.
        pub sum_of: Array<u32>,
        /// `S + 1`: the counters of sum `s` are `sum_counters[s] .. sum_counters[s + 1]`.
        pub sum_counters: Array<u32>,
        /// `2V + 1` row boundaries into `sum_occurs`, one row a literal; empty if there are no sums.
        pub sum_occurs_start: Array<u32>,
        /// The items of a literal, and as `sum_items + s` each sum `s` whose condition the literal is.
        pub sum_occurs: Array<u32>,

        /// `C`: the head of each candidate, a variable (see `Candidate` on the host).
        pub candidate_head: Array<u32>,
        /// `C`: `T t_r` of each candidate, which has to hold before the candidate is applicable, or
        /// [`Lit::TRUE`].
        pub candidate_positive: Array<Lit>,
        /// `C`: `T b_r` of each candidate, the literal that a decision makes true.
        pub candidate_body: Array<Lit>,
        /// `V`: the candidate that each variable is, or [`NONE`](super::NONE). Empty if candidates are rules.
        pub candidate_of: Array<u32>,
        /// `advised + 1`: the directives of advised candidate `i` are `directive_start[i] ..
        /// directive_start[i + 1]`.
        pub directive_start: Array<u32>,
        /// The modifier of each directive (see [`crate::advice::modifier`]).
        pub directive_kind: Array<u32>,
        /// The number that each directive gives: a level, a sign, a factor or an addition.
        pub directive_bias: Array<i32>,
        /// The priority of each directive. Of several directives for the same property of an atom, the one
        /// with the highest priority counts.
        pub directive_priority: Array<u32>,
        /// The condition of each directive, or [`Lit::TRUE`]. A directive is in force while its condition
        /// holds.
        pub directive_condition: Array<Lit>,
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
    }
}
}
