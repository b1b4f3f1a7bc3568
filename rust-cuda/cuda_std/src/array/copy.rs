//! Copying memory by a whole block. Main function: [`copy_by_block`].

use crate::thread;
use crate::touch::touch;

/// The sixteen bytes that a thread copies at once. (A struct would be put into memory by the compiler.)
type Piece = u128;

/// Copies `bytes` bytes from the address `from` to the address `to`. Called by all threads of a block, which
/// synchronise before and after.
///
/// # Safety
/// Both addresses and `bytes` are multiples of 16. `bytes` initialised bytes are at `from`, as many are at
/// `to`, and they do not overlap. No other block uses them meanwhile.
#[inline(always)]
#[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
pub unsafe fn copy_by_block(from: u64, to: u64, bytes: u32) {
    let pieces = bytes / size_of::<Piece>() as u32;
    let (from, to) = (from as *mut Piece, to as *mut Piece);
    let (mut i, threads) = (thread::number_in_block(), thread::threads_of_block());
    thread::sync_threads();
    // SAFETY: the caller's contract; each piece is copied by one thread, between two barriers.
    unsafe {
        while i + 7 * threads < pieces {
            let [at, bt, ct, dt, et, ft, gt, ht] =
                [0, 1, 2, 3, 4, 5, 6, 7].map(|k| (i + k * threads) as usize);
            #[cfg(not(target_arch = "nvptx64"))]
            for k in [at, bt, ct, dt, et, ft, gt, ht] {
                touch!(from.add(k), Read);
                touch!(to.add(k), Write);
            }
            // Eight loads are under way at once, as each takes long to arrive.
            let (a, b, c, d) = (*from.add(at), *from.add(bt), *from.add(ct), *from.add(dt));
            let (e, f, g, h) = (*from.add(et), *from.add(ft), *from.add(gt), *from.add(ht));
            (*to.add(at), *to.add(bt), *to.add(ct), *to.add(dt)) = (a, b, c, d);
            (*to.add(et), *to.add(ft), *to.add(gt), *to.add(ht)) = (e, f, g, h);
            i += 8 * threads;
        }
        while i < pieces {
            touch!(from.add(i as usize), Read);
            touch!(to.add(i as usize), Write);
            *to.add(i as usize) = *from.add(i as usize);
            i += threads;
        }
    }
    thread::sync_threads();
}

#[cfg(test)]
mod tests {
    use super::copy_by_block;
    use crate::host::{cpu, simt, Launch};
    use std::cell::UnsafeCell;

    #[test]
    fn every_piece_is_copied_and_nothing_else() {
        for (pieces, threads) in [(0, 32), (1, 32), (31, 1), (255, 32), (256, 32), (257, 32), (1000, 64)] {
            let from: Vec<u128> = (1..).take(pieces + 1).collect();
            let to = UnsafeCell::new(vec![0u128; pieces + 1]);
            let kernel = || {
                // SAFETY: both hold one piece more than is copied, and nobody else uses them meanwhile.
                unsafe {
                    copy_by_block(from.as_ptr() as u64, (*to.get()).as_mut_ptr() as u64, 16 * pieces as u32)
                }
            };
            match threads {
                1 => cpu(0, &kernel),
                _ => {
                    let launch = Launch { seed: 7, ..Launch::new("copy", 1, threads) };
                    simt(&launch, &kernel).expect("no errors")
                }
            }
            let to = to.into_inner();
            assert_eq!(
                (&to[..pieces], to[pieces]),
                (&from[..pieces], 0),
                "{pieces} pieces, {threads} threads"
            );
        }
    }
}
