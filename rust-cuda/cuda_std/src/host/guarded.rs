//! Memory that notices writes close to it: [`simt`](super::simt()) gives a block such memory as its shared
//! memory.
//!
//! Main types: [`Guarded`], and [`Arrays`] for the block's arrays of constant size.

use std::cell::{Cell, RefCell};
use std::panic::Location;

/// The number of words before and after the memory that must not change.
const GUARD: usize = 4;
/// The bytes before and after the memory that belong to nothing else.
pub(crate) const GUARD_BYTES: usize = GUARD * 16;
/// The most bytes of shared memory that a block of a GPU can have, on compute capability 9.0.
pub const MOST_SHARED: usize = 227 * 1024;
/// The most of them that can be in arrays of constant size.
pub(crate) const MOST_STATIC: usize = 48 * 1024;
const CANARY: u128 = 0x5afe_c0de_5afe_c0de_5afe_c0de_5afe_c0de;

/// Bytes between two guards, aligned to 16 bytes.
pub(crate) struct Guarded {
    words: Box<[Cell<u128>]>,
    bytes: usize,
    /// The guard's bits in the word that holds the first byte after the memory.
    beyond: u128,
}

impl Guarded {
    pub fn new(bytes: usize) -> Self {
        let mut beyond = [0xff; 16];
        beyond[..bytes % 16].fill(0);
        let words = vec![Cell::new(CANARY); bytes.div_ceil(16) + 2 * GUARD];
        Guarded { words: words.into(), bytes, beyond: u128::from_ne_bytes(beyond) }
    }

    /// The address of the first byte. The address is valid as long as `self` is.
    pub fn pointer(&self) -> *mut u8 {
        // The words are cells: to write through a pointer from a shared reference is sound.
        self.words[GUARD..].as_ptr().cast_mut().cast()
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The bytes as they are now.
    fn content(&self) -> &[u8] {
        // SAFETY: so many bytes are there; no kernel runs while somebody looks at them.
        unsafe { std::slice::from_raw_parts(self.pointer(), self.bytes) }
    }

    /// Whether the guards are unchanged, and also the bytes that rounding up to whole words added.
    pub fn intact(&self) -> bool {
        let (front, rest) = self.words.split_at(GUARD);
        let first = self.bytes / 16;
        let untouched = |words: &[Cell<u128>]| words.iter().all(|word| word.get() == CANARY);
        untouched(front) && (rest[first].get() ^ CANARY) & self.beyond == 0 && untouched(&rest[first + 1..])
    }
}

/// The shared arrays of a block. Each is made when a thread first asks for it.
#[derive(Default)]
pub(crate) struct Arrays(RefCell<Vec<Array>>);

struct Array {
    /// The address of the static that stands for the place in the source.
    site: usize,
    at: &'static Location<'static>,
    memory: Guarded,
    /// The bytes of an element.
    element: usize,
    /// What the bytes were when they were last looked at.
    seen: Vec<u8>,
}

impl Arrays {
    pub const fn new() -> Self {
        Arrays(RefCell::new(Vec::new()))
    }

    /// The bytes of all arrays.
    pub fn bytes(&self) -> usize {
        self.0.borrow().iter().map(|array| array.memory.bytes()).sum()
    }

    pub fn get(&self, site: usize, bytes: usize, element: usize, at: &'static Location<'static>) -> *mut u8 {
        let mut arrays = self.0.borrow_mut();
        if let Some(array) = arrays.iter().find(|array| array.site == site) {
            return array.memory.pointer();
        }
        let memory = Guarded::new(bytes);
        let pointer = memory.pointer();
        let seen = memory.content().to_vec();
        arrays.push(Array { site, at, memory, element, seen });
        pointer
    }

    /// Looks at the arrays, since they were last looked at written at these addresses, each with a number of
    /// bytes. Returns an element that was written elsewhere, its bytes, and the place in the source of its
    /// array.
    pub fn written_unseen(
        &self,
        known: &[(usize, usize)],
    ) -> Option<(usize, usize, &'static Location<'static>)> {
        for Array { memory, element, at: place, seen, .. } in self.0.borrow_mut().iter_mut() {
            let (first, now) = (memory.pointer() as usize, memory.content());
            for &(address, bytes) in known {
                let at = address.wrapping_sub(first);
                if at < now.len() {
                    let end = now.len().min(at + bytes);
                    seen[at..end].copy_from_slice(&now[at..end]);
                }
            }
            if now != seen.as_slice() {
                let at = (0..now.len()).find(|&at| now[at] != seen[at])?;
                return Some((at / *element, *element, place));
            }
        }
        None
    }

    /// An array whose guards were written: its size in bytes, and the place in the source that asked for it.
    pub fn damaged(&self) -> Option<(usize, &'static Location<'static>)> {
        let arrays = self.0.borrow();
        arrays.iter().find(|array| !array.memory.intact()).map(|array| (array.memory.bytes(), array.at))
    }
}
