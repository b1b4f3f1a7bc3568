//! What a search's only block keeps in shared memory while it searches: the control words, and of the arrays that every step waits for as
//! many as there is room for. A load takes a tenth of the time there, and so does an atomic.
//!
//! An array's address says where it lies, shared or not, so whoever uses it need not know.

use crate::block::near;
use crate::layout::Own;
use crate::stride::over_block;
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

        /// The same search with its first `s.near` arrays in shared memory. Called by all threads of the only block.
        #[inline(always)]
        pub fn bring(s: &Search) -> Search {
            let (mut moved, mut i, mut at) = (*s, 0, 0);
            $(
                if i < s.near {
                    // SAFETY: the host launches with room for so many arrays (`fitting`), one behind the other, for this block alone.
                    moved.own.$name = unsafe { Array::from_raw(near().add(at).cast(), s.$name.len()) };
                    copy(s.$name, moved.$name);
                    at += bytes(s.$name);
                }
                i += 1;
            )*
            let _ = (i, at);
            thread::sync_threads();
            moved
        }

        /// Copies them back to where they were.
        #[inline(always)]
        pub fn give_back(moved: &Search, s: &Search) {
            thread::sync_threads();
            let mut i = 0;
            $(
                if i < s.near {
                    copy(moved.$name, s.$name);
                }
                i += 1;
            )*
            let _ = i;
        }
    };
}

// What is waited for most comes first.
near! { state value reason trail position round watch_len watch_at watch_room }

fn bytes<T>(array: Array<T>) -> usize {
    (array.len() * size_of::<T>()).next_multiple_of(ALIGNMENT)
}

/// Copies an array of 32-bit words or of structs made of them.
#[inline(always)]
fn copy<T>(from: Array<T>, to: Array<T>) {
    let words = (from.len() * size_of::<T>() / 4) as u32;
    let (from, to) = (from.address() as *mut u32, to.address() as *mut u32);
    for i in over_block(0, words) {
        // SAFETY: within both arrays, which are as long as each other; each word is copied by one thread while nobody else uses them.
        unsafe { *to.add(i as usize) = *from.add(i as usize) }
    }
}
