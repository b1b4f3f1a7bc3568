//! Removing nogoods from the store, which moves the others together.
//!
//! Main function: [`remove`]. Invariant: afterwards every reason and every late nogood is named by its new
//! index. The lists of watches have to be rebuilt.

use crate::layout::{flag, NogoodId, NONE};
use crate::threads::barrier::sync_block;
use crate::threads::block::block_scan;
use crate::threads::stride::{is_first, is_single, over_block};
use crate::threads::token::WholeBlock;
use crate::trace::note_deleted;
use crate::{Own, Search};
use cuda_std::thread;

/// Removes each learned nogood for whose index `keeps` is false, and gives the others new indices, in order.
/// Activities are halved. `keeps` must be true of all reasons of assigned literals.
///
/// Array `renamed` has the new index of each nogood afterwards, or [`NONE`]. Before, `keeps` may use it as
/// scratch. A barrier has to come before.
#[cuda_std::inlined]
pub fn remove(block: &mut WholeBlock, s: &Search, keeps: impl Fn(u32) -> bool) {
    let n = s.own.state().learned.now();
    compact(block, &s.own, n, keeps);
    rename_late(block, &s.own, |i| s.own.renamed.read(i));
    for at in over_block(block, 0, s.own.state().trail_len.now()) {
        let p = s.own.trail.read(at).var().0;
        let word = s.own.reason.read(p);
        if let Some(i) = NogoodId(word >> 1).learned_index_below(n) {
            s.own.reason.write(p, NogoodId::of_learned(s.own.renamed.read(i)).0 << 1 | word & 1);
        }
    }
    if is_first() {
        note_deleted(s, n);
    }
}

/// Moves each of the `n` nogoods that is `kept` to the beginning of the store, in order, and writes its new
/// index to `renamed`.
#[cuda_std::inlined]
fn compact(block: &mut WholeBlock, own: &Own, n: u32, kept: impl Fn(u32) -> bool) {
    let (state, tid, threads) = (own.state(), thread::thread_idx_x(), thread::block_dim_x());
    let (mut base, mut learned, mut lits) = (0, 0, 0);
    while base < n {
        let i = base + tid;
        let keep = i < n && kept(i);
        let (mut start, mut len, mut watch, mut lbd, mut activity, mut flags) = (0, 0, 0, 0, 0, 0);
        let mut from = 0;
        let mut origin = Default::default();
        if keep {
            let record = own.learned_record.get(i);
            (watch, start, len) = (record.watch.now(), record.start.now(), record.len.now());
            from = if is_single() { record.from.now() } else { 0 };
            (lbd, activity, flags) = (record.lbd.now(), record.activity.now(), record.flags.now());
            origin = own.learned_origin.read(i);
        }
        // The scan's barriers lie between this tile's reads and writes.
        let (before, total) = block_scan(block, (keep as u64) << 32 | len as u64);
        if keep {
            let (to, at) = (learned + (before >> 32) as u32, lits + before as u32);
            // The literals go to `spare_lit`, because their target in `learned_lit` may hold literals that no
            // thread has read yet.
            for j in 0..len {
                own.spare_lit.write(at + j, own.learned_lit.read(start + j));
            }
            let record = own.learned_record.get(to);
            record.watch.write(watch);
            record.start.write(at);
            record.len.write(len);
            record.lbd.write(lbd);
            record.activity.write(activity / 2);
            record.flags.write(flags & !flag::FOREIGN);
            if is_single() {
                record.from.write(from);
            }
            own.learned_origin.write(to, origin);
            own.renamed.write(i, to);
        } else if i < n {
            own.renamed.write(i, NONE);
        }
        learned += (total >> 32) as u32;
        lits += total as u32;
        base += threads;
    }
    sync_block(block);
    for i in over_block(block, 0, lits) {
        own.learned_lit.write(i, own.spare_lit.read(i));
    }
    if tid == 0 {
        state.learned.store(learned);
        state.learned_lits.store(lits);
        // The rebuilding of the lists does not need to know which nogoods were looked at.
        state.seen.store(0);
    }
}

/// Replaces each late nogood's index by `index` of it, and drops late nogoods for which that is [`NONE`], or
/// that are marked as [`NONE`] already. There is one block.
#[cuda_std::inlined]
pub fn rename_late(block: &mut WholeBlock, own: &Own, index: impl Fn(u32) -> u32) {
    let (n, tid) = (own.state().late.now(), thread::thread_idx_x());
    if n == 0 {
        return;
    }
    let (mut base, mut kept) = (0, 0);
    while base < n {
        let at = base + tid;
        let from = if at < n { own.late.read(at) } else { NONE };
        let to = if from != NONE { index(from) } else { NONE };
        let (before, total) = block_scan(block, (to != NONE) as u64);
        if to != NONE {
            own.late.write(kept + before as u32, to);
        }
        kept += total as u32;
        base += thread::block_dim_x();
    }
    // All threads have read the word before the scan.
    if tid == 0 {
        own.state().late.store(kept);
    }
    sync_block(block);
}
