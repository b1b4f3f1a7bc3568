//! Watch lists: for each literal, the nogoods that watch the literal. All lists lie in one array.
//!
//! The nogoods in lists are the learned ones and, where one thread searches, the input nogoods of more than
//! three literals as well ([`listed_inputs`]). A nogood is named by its *number*: the index of a learned
//! nogood, or [`INPUT`] and the index of an input nogood among those.
//!
//! `propagate_learned` visits the lists of the frontier's literals and appends to other lists. A list may
//! also hold nogoods that have stopped watching its literal; a visit of the list removes their entries. A
//! list is visited only in the round after its literal joined the assignment. No thread appends to the list
//! in that round, because a literal that a nogood begins to watch does not hold. Appending takes one atomic
//! addition.
//!
//! An entry also has another literal of the nogood: the other watched literal at the time when the entry was
//! made. If that literal is falsified, the nogood cannot be unit or violated, and the visit skips it.
//!
//! An entry whose list is full goes to the end of a queue. At the end of the kernel, when no other block
//! runs, [`settle`] moves each such list to the unused end of the array, where the list gets a larger
//! capacity. If the array is used up, `settle` sets `unlisted`. Then every round looks at all nogoods that
//! belong into lists, and the search launches `rebuild_watches` next.
//!
//! Invariant: between kernels, while `unlisted` is 0, each nogood that belongs into lists is in those of its
//! two watched literals.

use crate::layout::SPARE;
use crate::lit::unpack;
use crate::threads::barrier::sync_block;
use crate::threads::stride::{is_first, over_block};
use crate::threads::token::WholeBlock;
use crate::Lit;
use crate::Own;
use cuda_std::atomic::SearchU64;

/// Returns the capacity that a list of `len` entries gets, in entries.
#[cuda_std::inlined]
pub const fn capacity_for(len: u32) -> u32 {
    len + len / 2 + SPARE
}

/// The bit of a nogood's number that says that the nogood is an input nogood.
pub const INPUT: u32 = 1 << 31;

/// The number of input nogoods that stand in lists.
#[cuda_std::inlined]
pub fn listed_inputs(own: &Own) -> u32 {
    own.cursor.len() as u32
}

/// The number of each nogood that belongs into lists, for `0 .. learned + listed_inputs`.
#[cuda_std::inlined]
pub fn number_of(index: u32, learned: u32) -> u32 {
    match index.checked_sub(learned) {
        Some(input) => INPUT | input,
        None => index,
    }
}

/// The pair of literals that the nogood with number `i` watches, where other threads may change it.
#[cuda_std::inlined]
pub fn pair_of(own: &Own, i: u32) -> &SearchU64 {
    match i & INPUT {
        0 => &own.learned_record.get(i).watch,
        _ => own.watch.atomic(i & !INPUT),
    }
}

/// Returns the entry for the nogood with number `i` with `other`, the nogood's other watched literal.
#[cuda_std::inlined]
pub const fn entry(i: u32, other: Lit) -> u64 {
    (other.0 as u64) << 32 | i as u64
}

/// Returns the number of the nogood and the other literal of an entry.
#[cuda_std::inlined]
pub const fn of_entry(entry: u64) -> (u32, Lit) {
    (entry as u32, Lit((entry >> 32) as u32))
}

/// Calls `f` with each watched literal of the nogood with number `i` and with the other one.
///
/// A unit has one watched literal, which then is the other one as well. May be called by any thread.
#[cuda_std::inlined]
pub fn each_watch(own: &Own, i: u32, f: impl Fn(Lit, Lit)) {
    let (a, b) = unpack(pair_of(own, i).now());
    f(a, b);
    if a != b {
        f(b, a);
    }
}

/// Appends the nogood with number `i`, which watches `lit` and `other`, to the list of `lit`, or to the queue
/// if the list is full. Any thread may call this while the list is not visited.
#[cuda_std::inlined]
pub fn append(own: &Own, lit: Lit, i: u32, other: Lit) {
    let (capacity, from) = (own.watch_capacity.read(lit.0), own.watch_at.read(lit.0));
    let at = own.watch_len.atomic(lit.0).add(1);
    if at < capacity {
        own.watch_list.write(from + at, entry(i, other));
        return;
    }
    let state = own.state();
    let at = state.queued.add(1);
    if (at as usize) < own.watch_queue.len() {
        own.watch_queue.write(at, (lit.0 as u64) << 32 | i as u64);
    } else {
        state.unlisted.store(1);
    }
}

/// Sets the length of the list of `lit` to `len` entries, after a visit has removed entries. Called by one
/// thread, while no other thread uses the list.
#[cuda_std::inlined]
pub fn cut(own: &Own, lit: Lit, len: u32) {
    own.watch_len.atomic(lit.0).store(len);
}

/// Puts `entry` back at the end of the list of `lit`, from which a visit has taken it. Other lanes of the
/// warp may put entries back into the same list at the same time.
#[cuda_std::inlined]
pub fn put_back(own: &Own, lit: Lit, entry: u64) {
    let at = own.watch_len.atomic(lit.0).add(1);
    own.watch_list.write(own.watch_at.read(lit.0) + at, entry);
}

/// Returns the number of entries in the list of `lit`, which no other thread may be changing.
#[cuda_std::inlined]
pub fn list_len(own: &Own, lit: Lit) -> u32 {
    own.watch_len.read(lit.0).min(own.watch_capacity.read(lit.0))
}

/// Returns the number of entries in the list of `lit` before or after the changes that other threads make at
/// the same time.
#[cuda_std::inlined]
pub fn about_list_len(own: &Own, lit: Lit) -> u32 {
    own.watch_len.atomic(lit.0).load().min(own.watch_capacity.read(lit.0))
}

/// Moves the entries of the queue into their lists, and enlarges the lists that are full. Only one
/// block runs, and the writes of all other blocks are visible.
#[cuda_std::inlined]
pub fn settle(block: &mut WholeBlock, own: &Own) {
    let state = own.state();
    let n = state.queued.now().min(own.watch_queue.len() as u32);
    for at in 0..n {
        let word = own.watch_queue.read(at);
        let (lit, i) = ((word >> 32) as u32, word as u32);
        let capacity = own.watch_capacity.read(lit);
        // Each thread that queued an entry has also added 1 to the length, which may exceed the capacity
        // therefore.
        let len = own.watch_len.atomic(lit).now().min(capacity);
        sync_block(block);
        let fits = len < capacity || enlarge(block, own, lit, capacity);
        if is_first() {
            if fits {
                let (a, b) = unpack(pair_of(own, i).now());
                let other = if a == Lit(lit) { b } else { a };
                own.watch_list.write(own.watch_at.read(lit) + len, entry(i, other));
                own.watch_len.atomic(lit).store(len + 1);
            } else {
                state.unlisted.store(1);
            }
        }
        sync_block(block);
    }
    if n > 0 && is_first() {
        state.queued.store(0);
    }
}

/// Moves the full list of the literal with code `lit` and capacity `capacity` to the end of the array, where
/// the list gets more than twice the capacity. Returns false if the array is used up.
#[cuda_std::inlined]
fn enlarge(block: &mut WholeBlock, own: &Own, lit: u32, capacity: u32) -> bool {
    let end = &own.state().watch_end;
    let (from, to, wanted) = (own.watch_at.read(lit), end.now(), capacity_for(2 * capacity));
    if to as usize + wanted as usize > own.watch_list.len() {
        return false;
    }
    for at in over_block(block, 0, capacity) {
        own.watch_list.write(to + at, own.watch_list.read(from + at));
    }
    sync_block(block);
    if is_first() {
        own.watch_at.write(lit, to);
        own.watch_capacity.write(lit, wanted);
        end.store(to + wanted);
    }
    true
}
