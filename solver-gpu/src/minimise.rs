//! Recursive minimisation of a learned nogood (Sörensson and Biere 2009).
//!
//! Main function: [`is_implied`]. A literal of the nogood may be dropped if it follows from the others. A
//! literal *follows* if it is in the nogood, or of level 1, or if it has a reason all of whose other literals
//! follow, and a level that the nogood has. A literal of another level cannot follow, unless it was derived
//! later than its reason allowed, and is not looked at.
//!
//! Each thread judges a literal, with a stack of its own: it goes from the literal to those of its reason,
//! and from these to those of their reasons. What a thread finds out of a variable is kept until the end of
//! the analysis, for all threads. A variable that follows is marked, and [`Marks::fail`] notes one that does
//! not follow. Two threads may look at the same variable at the same time. They find the same.
//!
//! Invariant: what follows does so from literals that were assigned before it. So a literal can be dropped
//! although others follow from it.

use crate::assign::{level_of, reason_of};
use crate::explanation::next_of_sum;
use crate::layout::{Level, NogoodId, TrailPosition};
use crate::levels::Levels;
use crate::marks::Marks;
use crate::nogood::{is_sum, nogood_of};
use crate::sums::{Needed, Reached};
use crate::threads::stride::{block_of_grid, is_single};
use crate::{Lit, Search};
use cuda_std::thread;

/// The literal with which a thread has begun, and those that it has gone to from there: a part of the array
/// `spare_lit`, which is free while a search learns. A step takes two words: a literal, and the index in its
/// reason of the next literal to look at. If the reason is a sum, two words before them say what the sum's counter
/// may still weigh.
struct Stack<'a> {
    s: &'a Search,
    /// The index of the first word.
    from: u32,
    /// How many pairs of words there is room for. A block of one thread has room for two pairs for each variable, as
    /// many as it may need: a search learns only if its store has room for four times as many literals as there
    /// are variables.
    room: u32,
    /// How many pairs there are.
    depth: u32,
}

impl<'a> Stack<'a> {
    /// The calling thread's empty stack.
    #[cuda_std::inlined]
    fn of_thread(s: &'a Search) -> Self {
        let (block, blocks) = block_of_grid(&s.launch);
        let (tid, threads) = (thread::thread_idx_x(), thread::block_dim_x());
        let room = s.own.spare_lit.len() as u32 / (2 * blocks * threads).max(1);
        Stack { s, from: (block * threads + tid) * 2 * room, room, depth: 0 }
    }

    /// Adds a step, if there is room.
    #[cuda_std::inlined]
    fn push(&mut self, lit: Lit, reached: Reached) -> bool {
        if self.depth + 2 > self.room {
            return false;
        }
        if is_sum(&self.s.problem, reason_of(&self.s.own, lit)) {
            self.push_pair(reached.left as u32, (reached.left >> 32) as u32);
        }
        self.push_pair(lit.0, reached.items);
        true
    }

    #[cuda_std::inlined]
    fn push_pair(&mut self, first: u32, second: u32) {
        let at = self.from + 2 * self.depth;
        self.s.own.spare_lit.write(at, Lit(first));
        self.s.own.spare_lit.write(at + 1, Lit(second));
        self.depth += 1;
    }

    /// Takes the last step away. There must be one.
    #[cuda_std::inlined]
    fn pop(&mut self) -> (Lit, Reached) {
        let (lit, items) = self.pop_pair();
        let (lit, mut left) = (Lit(lit), 0);
        if is_sum(&self.s.problem, reason_of(&self.s.own, lit)) {
            let (low, high) = self.pop_pair();
            left = i64::from(low) | i64::from(high) << 32;
        }
        (lit, Reached { items, left })
    }

    #[cuda_std::inlined]
    fn pop_pair(&mut self) -> (u32, u32) {
        self.depth -= 1;
        let at = self.from + 2 * self.depth;
        (self.s.own.spare_lit.read(at).0, self.s.own.spare_lit.read(at + 1).0)
    }
}

/// Whether `lit`, which is in the nogood, follows from the others. `marks` has the variables of the nogood,
/// and `levels` its levels. Each thread calls this for itself; other threads of the block may mark what
/// follows at the same time. A thread of several gives up if the way is longer than its part of `spare_lit`.
///
/// `found` is called with each literal that is found to follow by its reason.
#[cuda_std::inlined]
pub fn is_implied(s: &Search, marks: &Marks, levels: &Levels, lit: Lit, mut found: impl FnMut(Lit)) -> bool {
    let mut stack = Stack::of_thread(s);
    let (mut at, mut next) = (lit, Reached::NOTHING);
    if !has_reason(s, lit) {
        return false;
    }
    loop {
        let (lit, after) = next_open(s, marks, at, next);
        if lit == Lit::TRUE {
            found(at);
            if stack.depth == 0 {
                return true;
            }
            marks.add(true, at.var());
            (at, next) = stack.pop();
            continue;
        }
        let var = lit.var();
        if marks.has_failed(var) || !levels.has(level_of(&s.own, lit)) || !has_reason(s, lit) {
            // All on the way here need the literal.
            marks.fail(var);
            while stack.depth > 0 {
                marks.fail(at.var());
                (at, _) = stack.pop();
            }
            return false;
        }
        if !stack.push(at, after) {
            return false;
        }
        (at, next) = (lit, Reached::NOTHING);
    }
}

/// Whether the reason of `lit` is a nogood or a sum.
#[cuda_std::inlined]
fn has_reason(s: &Search, lit: Lit) -> bool {
    !matches!(reason_of(&s.own, lit), NogoodId::DECISION | NogoodId::ALL_DECISIONS)
}

/// The first literal in the reason of `lit` that is not known to follow, behind what was reached there, and what is
/// reached with it; [`Lit::TRUE`] if there is none. (An `Option` would take a register.)
#[cuda_std::inlined]
fn next_open(s: &Search, marks: &Marks, lit: Lit, reached: Reached) -> (Lit, Reached) {
    let reason = reason_of(&s.own, lit);
    let is_open = |other: Lit| {
        other.var() != lit.var() && level_of(&s.own, other) > Level::FIRST && !marks.has_by_now(other.var())
    };
    if is_sum(&s.problem, reason) {
        // A sum explains a literal by the items that held when the sum proposed it. Other nogoods do not
        // depend on time.
        let at = TrailPosition(s.own.position.atomic(lit.var().0).load());
        let mut needed = Needed::from(reason.sum_index(), s.own.round_start_of(at), lit, reached);
        let open = next_of_sum(&s.problem, &s.own, &mut needed, is_open);
        return (open, needed.reached);
    }
    let behind = |items: u32| Reached { items, left: 0 };
    let nogood = nogood_of(&s.problem, &s.own, reason);
    let mut i = reached.items;
    if is_single() {
        while i < nogood.len {
            let other = nogood.lit(i);
            i += 1;
            if is_open(other) {
                return (other, behind(i));
            }
        }
        return (Lit::TRUE, behind(i));
    }
    // A load takes a GPU as long as hundreds of additions, but many loads can be under way at once. So four
    // literals are loaded together.
    while i < nogood.len {
        let group = nogood.group_of(i);
        let lits = nogood.group(group, lit);
        let values = lits.map(|other| s.own.value.read_here(other.var().0));
        let marked = lits.map(|other| marks.has_by_now(other.var()));
        for k in 0..4 {
            let place = nogood.place(group, k as u32);
            let is_other = place >= i && place < nogood.len && lits[k].var() != lit.var();
            if is_other && values[k].unsigned_abs() > 1 && !marked[k] {
                return (lits[k], behind(place + 1));
            }
        }
        i = nogood.place(group + 1, 0);
    }
    (Lit::TRUE, behind(i))
}
