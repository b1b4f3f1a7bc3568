//! What a search stores of a learned nogood besides its literals.
//!
//! Main type: [`Record`]. Invariant: a record lies within one sector of a GPU's memory, and what propagation
//! reads of it comes first.

use super::state::words;
use cuda_std::array::Array;
use cuda_std::atomic::{SearchU32, SearchU64};

words! {
/// The words of one learned nogood. Its literals are in `learned_lit`, and its origin is in `learned_origin`.
#[repr(align(32))]
pub struct Record {
    /// The two watched literals. A nogood of one literal has the same literal twice.
    pub watch: SearchU64,
    /// The index in `learned_lit` of the first literal.
    pub start: SearchU32,
    /// The number of literals.
    pub len: SearchU32,
    /// Where the search for another literal to watch begins, which saves time: the index within the nogood, or
    /// any number. In a block of one thread: a literal of the nogood, which is tried before the search.
    pub from: SearchU32,
    /// The LBD (literal block distance).
    pub lbd: SearchU32,
    /// The activity: how often the nogood took part in learning. A deletion halves it.
    pub activity: SearchU32,
    /// The sum of constants of [`flag`]. In a block of one thread the higher bits are [`Record::cursor`].
    pub flags: SearchU32,
}
}

impl Record {
    /// The index within the nogood at which one thread begins to look for another literal to watch.
    #[cuda_std::inlined]
    pub fn cursor(&self) -> u32 {
        self.flags.now() >> 1
    }

    /// Changes [`Record::cursor`].
    #[cuda_std::inlined]
    pub fn set_cursor(&self, index: u32) {
        self.flags.store(self.flags.now() & flag::FOREIGN | index << 1);
    }
}

/// The flags of a learned nogood.
pub mod flag {
    /// The nogood is another searcher's, and no deletion has come since it was imported.
    pub const FOREIGN: u32 = 1;
}

const _: () = assert!(size_of::<Record>() == 32);

// SAFETY: the struct consists of integers, of which zeros are a value.
unsafe impl bytemuck::Zeroable for Record {}

/// What propagation reads of a record.
#[derive(Clone, Copy)]
pub struct Header {
    /// The value of [`Record::watch`].
    pub watch: u64,
    /// The values of [`Record::start`] and [`Record::len`].
    pub place: (u32, u32),
    /// The value of [`Record::from`].
    pub from: u32,
}

impl Record {
    /// The names of the words and the distances of the words from the beginning of the struct in bytes.
    pub const NAMES: &[(&str, usize)] = Self::WORDS;

    /// Reads what propagation needs. Other threads may change the watched literals and `from` meanwhile;
    /// `single_block` says that all of them are of the caller's block.
    #[cuda_std::inlined]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn header(&self, single_block: bool) -> Header {
        let (watch, place) = if single_block {
            // SAFETY: a record begins with two double words, and is aligned to them.
            let words: Array<u64> = unsafe { Array::from_raw((self as *const Record).cast_mut().cast(), 2) };
            let [watch, place] = words.two_in_block(0);
            (watch, (place as u32, (place >> 32) as u32))
        } else {
            (self.watch.load(), (self.start.now(), self.len.now()))
        };
        Header { watch, place, from: self.from.load_in(single_block) }
    }
}
