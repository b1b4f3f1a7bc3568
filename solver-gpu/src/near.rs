//! What a search's block keeps in shared memory while it searches: the control words, and of the arrays that every step waits for as
//! many as there is room for. A load takes a tenth of the time there, and so does an atomic.
//!
//! An array's address says where it lies, shared or not, so whoever uses it need not know.

use crate::block::near;
use crate::layout::Own;
use crate::{Array, Search};
use cuda_std::thread;

/// Bytes that arrays begin at multiples of.
const ALIGNMENT: usize = 16;

macro_rules! near {
    ($($name:ident)*) => {
        /// Of so much shared memory, how many of the arrays find room in it, and how many bytes these take.
        pub fn fitting(own: &Own, room: usize) -> (u32, usize) {
            let (mut count, mut used) = (0, 0);
            for bytes in [$(bytes(own.$name),)*] {
                if used + bytes > room {
                    break;
                }
                used += bytes;
                count += 1;
            }
            (count, used)
        }

        /// The same search, as one block's by itself, with its first `s.near` arrays in shared memory.
        #[inline(always)]
        pub fn moved(s: &Search) -> Search {
            let (mut moved, mut i, mut at) = (*s, 0, 0);
            moved.by_itself = 1;
            $(
                if i < s.near {
                    // SAFETY: the host launches with room for so many arrays (`fitting`), one behind the other, in each block.
                    moved.own.$name = unsafe { Array::from_raw(near().add(at).cast(), s.$name.len()) };
                    at += bytes(s.$name);
                }
                i += 1;
            )*
            let _ = (i, at);
            moved
        }

        /// Copies the first `near` arrays of a search to where they are in another. Called by all threads of a block.
        #[inline(always)]
        pub fn copy(near: u32, from: &Search, to: &Search) {
            thread::sync_threads();
            let mut i = 0;
            $(
                if i < near {
                    copy_array(from.$name, to.$name);
                }
                i += 1;
            )*
            let _ = i;
            thread::sync_threads();
        }
    };
}

// What is waited for most comes first.
near! { state value reason trail position round watch_len watch_at watch_room }

fn bytes<T>(array: Array<T>) -> usize {
    (array.len() * size_of::<T>()).next_multiple_of(ALIGNMENT)
}

/// What a thread copies at once: sixteen bytes. (Not a struct, which the compiler would put into memory.)
type Piece = u128;

/// Copies an array of 32-bit words or of structs made of them.
#[inline(always)]
fn copy_array<T>(from: Array<T>, to: Array<T>) {
    let pieces = (bytes(from) / size_of::<Piece>()) as u32;
    let (from, to) = (from.address() as *mut Piece, to.address() as *mut Piece);
    let threads = thread::block_dim_x();
    let mut i = thread::thread_idx_x();
    // SAFETY: within both arrays, which are as long as each other and have room up to a multiple of a piece (`ALIGNMENT`,
    // `layout::ALIGNMENT`); each piece is copied by one thread while nobody else uses them.
    unsafe {
        while i + 3 * threads < pieces {
            let [at, bt, ct, dt] = [0, 1, 2, 3].map(|k| (i + k * threads) as usize);
            // Four under way, as each takes its time.
            let (a, b, c, d) = (*from.add(at), *from.add(bt), *from.add(ct), *from.add(dt));
            (*to.add(at), *to.add(bt), *to.add(ct), *to.add(dt)) = (a, b, c, d);
            i += 4 * threads;
        }
        while i < pieces {
            *to.add(i as usize) = *from.add(i as usize);
            i += threads;
        }
    }
}
