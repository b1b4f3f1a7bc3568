//! What a search's block keeps in shared memory while it searches: the beginning of what the search owns, that is the control words, and of
//! the arrays that every step waits for as many as there is room for. A load takes a tenth of the time there, and so does an atomic.
//!
//! An array's address says where it lies, shared or not, so whoever uses it need not know.

use crate::block::{near, places};
use crate::layout::{Own, ALIGNMENT};
use crate::{Array, Search};
use cuda_std::thread;

macro_rules! near {
    ($($name:ident)*) => {
        /// How many bytes of what a search owns go into so much shared memory: whole arrays.
        pub fn fitting(own: &Own, room: usize) -> usize {
            let mut used = 0;
            for bytes in [$(bytes(own.$name),)*] {
                if used + bytes > room {
                    break;
                }
                used += bytes;
            }
            used
        }

        /// The same search, as one block's by itself, with the first `s.near` bytes of what it owns in shared memory. Called by all of its threads.
        #[inline(always)]
        pub fn moved(s: &Search) -> Search {
            let mut moved = *s;
            moved.by_itself = 1;
            (moved.memory, moved.room) = places();
            $({
                let at = (s.$name.address() - s.base()) as usize;
                if at < s.near as usize {
                    // SAFETY: the host launches with room for so much (`fitting`) in each block.
                    moved.own.$name = unsafe { Array::from_raw(near().add(at).cast(), s.$name.len()) };
                }
            })*
            moved
        }
    };
}

// The first arrays of `Own`, in its order. (Not `chunk_best`: a greatest value of 64 bits is a loop in shared memory.)
near! {
    state value reason trail position round watch_len watch_at watch_room trail_at decision_at rank phase founded source
    conflict slot queue lost missing slot_lits longest
}

fn bytes<T>(array: Array<T>) -> usize {
    (array.len() * size_of::<T>()).next_multiple_of(ALIGNMENT)
}

/// What a thread copies at once: sixteen bytes. (Not a struct, which the compiler would put into memory.)
type Piece = u128;

/// Copies so many bytes from the beginning of what a search owns to that of another. Called by all threads of a block.
#[inline(always)]
pub fn copy(bytes: u32, from: &Search, to: &Search) {
    let pieces = bytes / size_of::<Piece>() as u32;
    let (from, to) = (from.base() as *mut Piece, to.base() as *mut Piece);
    let threads = thread::block_dim_x();
    let mut i = thread::thread_idx_x();
    thread::sync_threads();
    // SAFETY: both begin at multiples of a piece and are as long as `fitting` said, which is a multiple of `ALIGNMENT`; each piece is
    // copied by one thread, while nobody else uses them.
    unsafe {
        while i + 7 * threads < pieces {
            let [at, bt, ct, dt, et, ft, gt, ht] =
                [0, 1, 2, 3, 4, 5, 6, 7].map(|k| (i + k * threads) as usize);
            // Eight under way, as each takes its time.
            let (a, b, c, d) = (*from.add(at), *from.add(bt), *from.add(ct), *from.add(dt));
            let (e, f, g, h) = (*from.add(et), *from.add(ft), *from.add(gt), *from.add(ht));
            (*to.add(at), *to.add(bt), *to.add(ct), *to.add(dt)) = (a, b, c, d);
            (*to.add(et), *to.add(ft), *to.add(gt), *to.add(ht)) = (e, f, g, h);
            i += 8 * threads;
        }
        while i < pieces {
            *to.add(i as usize) = *from.add(i as usize);
            i += threads;
        }
    }
    thread::sync_threads();
}

#[cfg(test)]
mod tests {
    use super::fitting;
    use crate::layout::{State, ALIGNMENT};
    use crate::{Array, Search};

    #[test]
    fn what_is_near_is_the_beginning() {
        let mut s = Search::default();
        // SAFETY: nobody looks at what is there.
        unsafe {
            s.own.place(|_, _| 0);
            s.own.state = Array::from_raw(core::ptr::null_mut(), 1);
            s.own.value = Array::from_raw(core::ptr::null_mut(), 100);
            s.own.reason = Array::from_raw(core::ptr::null_mut(), 100);
            s.own = s.own.laid_out(1 << 20);
        }
        let one = size_of::<State>().next_multiple_of(ALIGNMENT);
        let two = one + 2 * ALIGNMENT;
        assert_eq!(fitting(&s.own, one - 1), 0);
        assert_eq!(fitting(&s.own, two - 1), one);
        assert_eq!(fitting(&s.own, two), two);
        let all = fitting(&s.own, usize::MAX);
        assert_eq!(all, s.team.address() as usize - s.base() as usize, "the first of the others");
    }
}
