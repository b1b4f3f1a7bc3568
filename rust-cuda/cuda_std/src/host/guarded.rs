//! Memory that notices when somebody writes beside it: what [`simt`](super::simt()) gives a block as shared memory.

use std::cell::{Cell, RefCell};
use std::panic::Location;

/// Words on either side that must not change.
const GUARD: usize = 4;
const CANARY: u128 = 0x5afe_c0de_5afe_c0de_5afe_c0de_5afe_c0de;

/// Bytes between two guards, aligned to 16.
pub(crate) struct Guarded {
    words: Box<[Cell<u128>]>,
    bytes: usize,
    /// Of the first word behind the bytes, or the last that they share: the bits that are not theirs.
    beyond: u128,
}

impl Guarded {
    pub fn new(bytes: usize) -> Self {
        let mut beyond = [0xff; 16];
        beyond[..bytes % 16].fill(0);
        let words = vec![Cell::new(CANARY); bytes.div_ceil(16) + 2 * GUARD];
        Guarded { words: words.into(), bytes, beyond: u128::from_ne_bytes(beyond) }
    }

    /// The first of the bytes. Valid as long as this is.
    pub fn pointer(&self) -> *mut u8 {
        // Cells: so writing through a pointer from a shared reference is right.
        self.words[GUARD..].as_ptr().cast_mut().cast()
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether everything around the bytes is as it was, including what rounding up to whole words added.
    pub fn intact(&self) -> bool {
        let (front, rest) = self.words.split_at(GUARD);
        let first = self.bytes / 16;
        let untouched = |words: &[Cell<u128>]| words.iter().all(|word| word.get() == CANARY);
        untouched(front) && (rest[first].get() ^ CANARY) & self.beyond == 0 && untouched(&rest[first + 1..])
    }
}

/// The shared arrays of a block, each made when it is first asked for.
#[derive(Default)]
pub(crate) struct Arrays(RefCell<Vec<Array>>);

struct Array {
    /// Address of the static that stands for the place in the source.
    site: usize,
    at: &'static Location<'static>,
    memory: Guarded,
}

impl Arrays {
    pub const fn new() -> Self {
        Arrays(RefCell::new(Vec::new()))
    }

    pub fn get(&self, site: usize, bytes: usize, at: &'static Location<'static>) -> *mut u8 {
        let mut arrays = self.0.borrow_mut();
        if let Some(array) = arrays.iter().find(|array| array.site == site) {
            return array.memory.pointer();
        }
        let memory = Guarded::new(bytes);
        let pointer = memory.pointer();
        arrays.push(Array { site, at, memory });
        pointer
    }

    /// An array that was written beside: its size, and where it was asked for.
    pub fn damaged(&self) -> Option<(usize, &'static Location<'static>)> {
        let arrays = self.0.borrow();
        arrays.iter().find(|array| !array.memory.intact()).map(|array| (array.memory.bytes(), array.at))
    }
}
