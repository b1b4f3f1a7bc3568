//! What the threads of a launch have done to each word of memory. Main type: [`Shadow`].
//!
//! Invariant: a cell stands for four bytes, or for one byte in pages in which some access was to less than an
//! aligned word. A cell of an earlier launch counts as empty.
//!
//! Source: FastTrack (Flanagan and Freund, PLDI 2009): the last write of a word is one mark. The reads are one
//! mark for as long as they are ordered, and several marks otherwise. Atomic accesses do not race with each
//! other, so cells keep them apart, in the same form.

use super::clocks::Clocks;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::panic::Location;

/// The bytes for which a page stands.
const PAGE: usize = 256;

/// The bytes for which a cell stands, unless its page is of bytes.
const WORD: usize = 4;

/// The most unordered marks that are kept in a list; more are kept in a table with a place for each thread.
const FEW: usize = 16;

/// An access: who, when, and where in the source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    pub thread: u32,
    /// The thread's clock; 0 in empty places of a table.
    pub clock: u32,
    pub at: &'static Location<'static>,
    /// The access is atomic for the threads of the block only.
    pub in_block: bool,
}

impl Mark {
    fn is_before(&self, thread: u32, clocks: &Clocks) -> bool {
        self.thread == thread || self.clock <= clocks.known(thread).clocks[self.thread as usize]
    }

    /// Whether whatever races with `self` from now on races with `newer` as well.
    fn gives_way(&self, newer: &Mark, clocks: &Clocks) -> bool {
        self.is_before(newer.thread, clocks) && (newer.in_block || !self.in_block)
    }
}

/// Accesses of one kind, of which no one that matters is missing.
#[derive(Clone, Default)]
pub(crate) enum Marks {
    #[default]
    None,
    One(Mark),
    Few(Vec<Mark>),
    /// A place for each thread; `known` is the number of a vector of clocks that knows all of them, or 0.
    Many {
        marks: Vec<Mark>,
        known: u64,
    },
}

impl Marks {
    /// Adds a mark, in place of those that happened before.
    fn add(&mut self, mark: Mark, clocks: &Clocks) {
        match self {
            Marks::None => *self = Marks::One(mark),
            Marks::One(old) if old.gives_way(&mark, clocks) => *old = mark,
            Marks::One(old) => *self = Marks::Few(vec![*old, mark]),
            Marks::Few(few) => {
                few.retain(|old| !old.gives_way(&mark, clocks));
                few.push(mark);
                if few.len() > FEW {
                    let mut marks = vec![Mark { clock: 0, ..mark }; clocks.len()];
                    for mark in few {
                        marks[mark.thread as usize] = *mark;
                    }
                    *self = Marks::Many { marks, known: 0 };
                }
            }
            Marks::Many { marks, known } => {
                marks[mark.thread as usize] = mark;
                *known = 0;
            }
        }
    }

    /// A mark that did not happen before what `thread` does now, among those that `counts` selects.
    fn unordered(&mut self, thread: u32, clocks: &Clocks, counts: impl Fn(&Mark) -> bool) -> Option<Mark> {
        let found = |mark: &&Mark| counts(mark) && !mark.is_before(thread, clocks);
        match self {
            Marks::None => None,
            Marks::One(mark) => Some(*mark).filter(|mark| found(&mark)),
            Marks::Few(few) => few.iter().find(found).copied(),
            Marks::Many { known, .. } if *known == clocks.known(thread).id => None,
            Marks::Many { marks, known } => {
                let not_empty = |mark: &&Mark| mark.clock > 0 && found(mark);
                let first = marks.iter().find(not_empty).copied();
                // The thread's own mark may be later than what its vector says.
                if first.is_none()
                    && marks.iter().all(|m| m.clock <= clocks.known(thread).clocks[m.thread as usize])
                {
                    *known = clocks.known(thread).id;
                }
                first
            }
        }
    }

    fn is_none(&self) -> bool {
        matches!(self, Marks::None)
    }
}

/// How a thread accesses memory, as far as races go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Read,
    Write,
    AtomicRead,
    AtomicWrite,
}

#[derive(Clone, Default)]
struct Cell {
    /// The number of the launch that the rest is about.
    launch: u32,
    write: Option<Mark>,
    reads: Marks,
    atomic_reads: Marks,
    atomic_writes: Marks,
}

impl Cell {
    /// Records an access, or returns the earlier access that it races with.
    fn access(&mut self, kind: Kind, mark: Mark, clocks: &Clocks) -> Option<(Kind, Mark)> {
        let thread = mark.thread;
        let far = |old: &Mark| {
            (old.in_block || mark.in_block) && clocks.block_of(old.thread) != clocks.block_of(thread)
        };
        let all = |_: &Mark| true;
        let write =
            self.write.filter(|write| !write.is_before(thread, clocks)).map(|mark| (Kind::Write, mark));
        if write.is_some() {
            return write;
        }
        let is_atomic = matches!(kind, Kind::AtomicRead | Kind::AtomicWrite);
        let writes = matches!(kind, Kind::Write | Kind::AtomicWrite);
        if !self.atomic_writes.is_none() {
            let found = match is_atomic {
                true => self.atomic_writes.unordered(thread, clocks, far),
                false => self.atomic_writes.unordered(thread, clocks, all),
            };
            if let Some(mark) = found {
                return Some((Kind::AtomicWrite, mark));
            }
        }
        if writes {
            if let Some(mark) = self.reads.unordered(thread, clocks, all) {
                return Some((Kind::Read, mark));
            }
            let found = match is_atomic {
                true => self.atomic_reads.unordered(thread, clocks, far),
                false => self.atomic_reads.unordered(thread, clocks, all),
            };
            if let Some(mark) = found {
                return Some((Kind::AtomicRead, mark));
            }
        }
        match kind {
            Kind::Read => self.reads.add(mark, clocks),
            Kind::AtomicRead => self.atomic_reads.add(mark, clocks),
            Kind::AtomicWrite => self.atomic_writes.add(mark, clocks),
            Kind::Write => *self = Cell { launch: self.launch, write: Some(mark), ..Cell::default() },
        }
        None
    }

    fn is_written(&self, launch: u32) -> bool {
        self.launch == launch && (self.write.is_some() || !self.atomic_writes.is_none())
    }
}

struct Page {
    /// The bytes for which a cell stands: 4 or 1.
    unit: usize,
    cells: Vec<Cell>,
}

/// Hashes page numbers, which are well spread already.
#[derive(Default)]
struct PageHasher(u64);

impl Hasher for PageHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, _: &[u8]) {
        unreachable!("page numbers are `usize`")
    }
    fn write_usize(&mut self, page: usize) {
        self.0 = (page as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(26);
    }
}

/// The marks of all memory that a launch accessed.
#[derive(Default)]
pub(crate) struct Shadow {
    pages: HashMap<usize, Page, BuildHasherDefault<PageHasher>>,
    launch: u32,
}

/// The most pages that are kept for the next launch.
const MOST_PAGES: usize = 1 << 15;

impl Shadow {
    /// Forgets all marks, for another launch.
    pub fn begin(&mut self) {
        if self.pages.len() > MOST_PAGES || self.launch == u32::MAX {
            self.pages.clear();
            self.launch = 0;
        }
        self.launch += 1;
    }

    /// Records an access to `bytes` bytes from `address` on. `asks_for_written` asks for words that some
    /// thread of the launch has written.
    pub fn access(
        &mut self,
        (address, bytes): (usize, usize),
        kind: Kind,
        mark: Mark,
        clocks: &Clocks,
        asks_for_written: bool,
    ) -> Result<(), Finding> {
        let (mut at, end) = (address, address + bytes);
        while at < end {
            let page_end = (at / PAGE + 1) * PAGE;
            let until = end.min(page_end);
            let launch = self.launch;
            let page = self.page(at, at % WORD != 0 || until % WORD != 0);
            let unit = page.unit;
            for cell in &mut page.cells[at % PAGE / unit..(until - 1) % PAGE / unit + 1] {
                if cell.launch != launch {
                    *cell = Cell { launch, ..Cell::default() };
                }
                if asks_for_written && !cell.is_written(launch) {
                    return Err(Finding::Unwritten);
                }
                if let Some((kind, other)) = cell.access(kind, mark, clocks) {
                    return Err(Finding::Race(kind, other));
                }
            }
            at = until;
        }
        Ok(())
    }

    /// Forgets the marks of these bytes.
    pub fn forget(&mut self, address: usize, bytes: usize) {
        for at in (address / WORD * WORD..address + bytes).step_by(WORD) {
            if let Some(page) = self.pages.get_mut(&(at / PAGE)) {
                let (first, unit) = (at % PAGE / page.unit, page.unit);
                page.cells[first..first + WORD / unit].fill(Cell::default());
            }
        }
    }

    fn page(&mut self, address: usize, is_fine: bool) -> &mut Page {
        let page = self
            .pages
            .entry(address / PAGE)
            .or_insert_with(|| Page { unit: WORD, cells: vec![Cell::default(); PAGE / WORD] });
        if is_fine && page.unit != 1 {
            page.unit = 1;
            page.cells = page.cells.iter().flat_map(|cell| vec![cell.clone(); WORD]).collect();
        }
        page
    }
}

/// What is wrong with an access.
#[derive(Debug)]
pub(crate) enum Finding {
    /// The access races with this one.
    Race(Kind, Mark),
    /// The access reads what nobody wrote.
    Unwritten,
}
