//! What accesses to memory cost a GPU's warps, by the place in the source. Main type: [`Costs`].
//!
//! The lanes of a simulated warp run one after the other, so nobody sees a warp's instruction. Lanes that
//! left the same barrier or warp operation are taken to run together until the next one: the n-th access of
//! each lane at a place is one access of the warp. If lanes skip passes of a loop that has no such meeting,
//! accesses are put together that a GPU makes one after the other.
//!
//! Two rules are those of NVIDIA's guide to best practices: global memory comes in sectors of 32 bytes, and
//! shared memory has 32 banks, each of which gives one word of 4 bytes in a step. Two are assumptions: an
//! access of 8 bytes for each lane goes by halves of the warp, one of 16 bytes by quarters; and lanes that
//! change one word take turns. Caches are not simulated. `scripts/nsight.py` compares with a GPU's counters.
//!
//! With `CUDA_STD_COSTS=FILE` in the environment, each launch whose accesses are checked appends its table to
//! `FILE`, unless the table is the one before it.

use super::evaluate::lanes_of;
use crate::operation::{Access, CHANGE};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::panic::Location;
use std::sync::{Mutex, OnceLock};

const SECTOR: usize = 32;
const BANKS: usize = 32;
/// The bytes of a word of a bank.
const WORD: usize = 4;

/// What the accesses at one place of the source to one kind of memory cost in a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// The kernel of the launch.
    pub kernel: &'static str,
    /// The place in the source.
    pub at: &'static Location<'static>,
    /// What is done: `read`, `write`, `atomic read`, `atomic write` or `atomic change`.
    pub access: &'static str,
    /// Whether the memory is a block's shared memory.
    pub is_shared: bool,
    /// How often warps did it.
    pub times: u64,
    /// How often fewer lanes took part than the warp has.
    pub fewer: u64,
    /// The sectors of global memory that the lanes touched, or the steps that the banks of shared memory
    /// took.
    pub cost: u64,
    /// The least cost of as many different bytes.
    pub best: u64,
    /// The turns that lanes took to change a word; 0 unless the access is an atomic change.
    pub turns: u64,
}

/// A place, what is done there, and whether in shared memory.
type Key = (&'static Location<'static>, &'static str, bool);

/// An access of a warp: the number of the meeting that its lanes left last, the place, and how often each
/// lane of it had come there since.
type Instruction = (u32, Key, u32);

/// What a lane of an access touches.
struct Touched {
    lane: u32,
    address: usize,
    bytes: usize,
}

/// A thread of the grid.
#[derive(Clone, Default)]
struct Lane {
    /// The number of the meeting that the thread left last.
    meeting: u32,
    /// How often the thread has been at each place since.
    times: HashMap<Key, u32>,
    /// How many accesses are still to come that belong to the last one.
    together: u32,
    last: Option<Instruction>,
}

/// What is counted of one launch.
pub(crate) struct Costs {
    /// The threads of a block.
    threads: u32,
    lanes: Vec<Lane>,
    /// By warp, the accesses in which some lane may still take part.
    open: Vec<HashMap<Instruction, Vec<Touched>>>,
    meetings: u32,
    rows: BTreeMap<Key, Cost>,
}

thread_local! {
    /// What was counted for the caller of [`costs`].
    static COUNTED: RefCell<Option<Vec<Cost>>> = const { RefCell::new(None) };
}

/// Does something, and counts what the checked launches in it cost that end without an error.
pub fn costs<T>(does: impl FnOnce() -> T) -> (T, Vec<Cost>) {
    COUNTED.set(Some(Vec::new()));
    let done = does();
    (done, COUNTED.take().unwrap_or_default())
}

/// The file for tables, and the last table in it.
fn file() -> Option<&'static Mutex<(File, String)>> {
    static FILE: OnceLock<Option<Mutex<(File, String)>>> = OnceLock::new();
    let open = || {
        let path = std::env::var_os("CUDA_STD_COSTS")?;
        let file = OpenOptions::new().create(true).append(true).open(&path);
        let file = file.unwrap_or_else(|error| panic!("CUDA_STD_COSTS: cannot write {path:?}: {error}"));
        Some(Mutex::new((file, String::new())))
    };
    FILE.get_or_init(open).as_ref()
}

impl Costs {
    /// What counts for a launch of `blocks` blocks of `threads` threads, if anybody wants to know.
    pub fn wanted(blocks: u32, threads: u32) -> Option<Self> {
        if file().is_none() && COUNTED.with_borrow(Option::is_none) {
            return None;
        }
        Some(Costs {
            threads,
            lanes: vec![Lane::default(); blocks as usize * threads as usize],
            open: (0..blocks * threads.div_ceil(32)).map(|_| HashMap::new()).collect(),
            meetings: 0,
            rows: BTreeMap::new(),
        })
    }

    /// The warp of a thread, and the number of lanes that the warp has.
    fn warp(&self, rank: usize) -> (usize, usize) {
        let (block, thread) = (rank as u32 / self.threads, rank as u32 % self.threads);
        let lanes = lanes_of(self.threads, thread / 32).count_ones() as usize;
        ((block * self.threads.div_ceil(32) + thread / 32) as usize, lanes)
    }

    /// The next accesses of a thread are one instruction.
    pub fn together(&mut self, rank: u32, accesses: u32) {
        let lane = &mut self.lanes[rank as usize];
        (lane.together, lane.last) = (accesses, None);
    }

    /// A thread accesses `bytes` bytes. In shared memory, an address is a distance from the array's
    /// beginning.
    pub fn access(
        &mut self,
        rank: u32,
        (address, bytes): (usize, usize),
        how: Access,
        is_shared: bool,
        at: &'static Location<'static>,
    ) {
        let (warp, size) = self.warp(rank as usize);
        let (lane, number) = (&mut self.lanes[rank as usize], rank % self.threads % 32);
        let instruction = lane.last.unwrap_or_else(|| {
            let key = (at, how.name(), is_shared);
            let times = lane.times.entry(key).or_default();
            *times += 1;
            (lane.meeting, key, *times)
        });
        lane.together = lane.together.saturating_sub(1);
        lane.last = (lane.together > 0).then_some(instruction);
        let is_whole = lane.together == 0;
        let all = self.open[warp].entry(instruction).or_default();
        match all.iter_mut().find(|touched| touched.lane == number) {
            Some(touched) => {
                touched.bytes = touched.bytes.max((address + bytes).saturating_sub(touched.address))
            }
            None => all.push(Touched { lane: number, address, bytes }),
        }
        if is_whole && all.len() == size {
            let all = self.open[warp].remove(&instruction).expect("it is open");
            self.close(instruction.1, &all, size);
        }
    }

    /// These threads, of one block, have waited for each other.
    pub fn meet(&mut self, members: impl Iterator<Item = usize>) {
        self.meetings += 1;
        let mut warps = BTreeMap::new();
        for rank in members {
            let lane = &mut self.lanes[rank];
            lane.meeting = self.meetings;
            lane.times.clear();
            warps.insert(self.warp(rank), rank - rank % self.threads as usize % 32);
        }
        for ((warp, size), first) in warps {
            let still: Vec<u32> = self.lanes[first..first + size].iter().map(|lane| lane.meeting).collect();
            self.close_all(warp, size, |meeting| !still.contains(&meeting));
        }
    }

    /// Counts the accesses of a warp whose lanes left a meeting that `is_over`.
    fn close_all(&mut self, warp: usize, size: usize, is_over: impl Fn(u32) -> bool) {
        let mut over = Vec::new();
        self.open[warp].retain(|&(meeting, key, _), all| {
            let keeps = !is_over(meeting);
            if !keeps {
                over.push((key, std::mem::take(all)));
            }
            keeps
        });
        over.into_iter().for_each(|(key, all)| self.close(key, &all, size));
    }

    /// Counts an access of a warp that has `size` lanes.
    fn close(&mut self, key: Key, all: &[Touched], size: usize) {
        let (at, access, is_shared) = key;
        let row = self.rows.entry(key).or_insert(Cost {
            kernel: "",
            at,
            access,
            is_shared,
            times: 0,
            fewer: 0,
            cost: 0,
            best: 0,
            turns: 0,
        });
        row.times += 1;
        row.fewer += (all.len() < size) as u64;
        row.cost += if is_shared { steps(all) } else { units(all.iter(), SECTOR).len() as u64 };
        row.best += units(all.iter(), 1).len().div_ceil(if is_shared { BANKS * WORD } else { SECTOR }) as u64;
        if access == CHANGE {
            let lanes = |word| all.iter().filter(|touched| touched.address / WORD == word).count() as u64;
            row.turns += units(all.iter(), WORD).into_iter().map(lanes).max().unwrap_or(0);
        }
    }

    /// The launch has ended: tells what it cost.
    pub fn end(mut self, kernel: &'static str) {
        for rank in 0..self.lanes.len() {
            let (warp, size) = self.warp(rank);
            self.close_all(warp, size, |_| true);
        }
        let rows: Vec<Cost> = self.rows.into_values().map(|row| Cost { kernel, ..row }).collect();
        if let Some(file) = file().filter(|_| !rows.is_empty()) {
            let blocks = self.lanes.len() as u32 / self.threads;
            let table = table(kernel, (blocks, self.threads), &rows);
            let (file, last) = &mut *file.lock().expect("no panic while locked");
            if *last != table {
                file.write_all(table.as_bytes()).expect("CUDA_STD_COSTS is writable");
                *last = table;
            }
        }
        COUNTED.with_borrow_mut(|counted| counted.iter_mut().for_each(|all| all.extend(&rows)));
    }
}

/// The pieces of memory that lanes touch, where each piece has `bytes` bytes.
fn units<'a>(lanes: impl Iterator<Item = &'a Touched>, bytes: usize) -> BTreeSet<usize> {
    lanes
        .flat_map(|touched| touched.address / bytes..=(touched.address + touched.bytes - 1) / bytes)
        .collect()
}

/// The steps that the banks of shared memory take.
fn steps(all: &[Touched]) -> u64 {
    let at_once = match all.iter().map(|touched| touched.bytes).max() {
        Some(0..=4) => 32,
        Some(5..=8) => 16,
        _ => 8,
    };
    let part = |number: u32| {
        let mut banks = [0; BANKS];
        let lanes = all.iter().filter(|touched| touched.lane / at_once == number);
        units(lanes, WORD).into_iter().for_each(|word| banks[word % BANKS] += 1);
        banks.into_iter().max().unwrap_or(0)
    };
    (0..32 / at_once).map(part).sum()
}

/// A launch's costs, for people.
fn table(kernel: &str, (blocks, threads): (u32, u32), rows: &[Cost]) -> String {
    let mut text = format!("kernel {kernel}, {blocks} blocks of {threads} threads\n");
    let mut line = |place: &str, access: &str, [times, fewer, cost, best]: [&str; 4]| {
        let _ = writeln!(text, "{place:>9}  {access:21} {times:>8} {fewer:>8} {cost:>16} {best:>8}");
    };
    line("place", "access", ["times", "fewer", "cost        ", "at best"]);
    for of_file in rows.chunk_by(|a, b| a.at.file() == b.at.file()) {
        line(of_file[0].at.file(), "", [""; 4]);
        for row in of_file {
            let place = format!("{}:{}", row.at.line(), row.at.column());
            let access = format!("{}, {}", row.access, if row.is_shared { "shared" } else { "global" });
            let [times, fewer, best] = [row.times, row.fewer, row.best].map(|number| number.to_string());
            let cost = format!("{} {}", row.cost, if row.is_shared { "steps  " } else { "sectors" });
            line(&place, &access, [&times, &fewer, &cost, &best]);
            if row.turns > 0 {
                line(&place, &access, [&times, &fewer, &format!("{} turns  ", row.turns), &times]);
            }
        }
    }
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}
