//! Kernels with a data race, and kernels that look as if they had one: what `simt` has to say of each.
//!
//! The cases stand in `races/*.rs`: each is a function that is the kernel, and a row in the table `CASES` of
//! its file. Main functions: [`run`], which alone launches kernels, and [`verdict`].
//!
//! In a kernel with an error, trailing comments mark the lines that the error may name: `//~ NAME first` and
//! `//~ NAME second` the two accesses of a race (in either order), `//~ NAME both` a line that has both
//! accesses, `//~ NAME here` the line of any other error. `NAME` is the case's name. Where several pairs race,
//! each access of each pair is marked.
//!
//! Invariant: a race is there under every schedule, unless its row says `sometimes`.

// What the cases do wrong is their subject: most of them break the contract of some unsafe function.
#![allow(clippy::undocumented_unsafe_blocks)]

use cuda_std::array::Array;
use cuda_std::atomic::SharedU32;
use cuda_std::host::{simt, Launch, Schedule, SimtError};
use cuda_std::shared::Words;
use cuda_std::{thread, warp};

macro_rules! case {
    ($expected:ident $kernel:ident, $grid:expr, $block:expr, $bytes:expr) => {
        case!($expected [$kernel] $kernel, $grid, $block, $bytes)
    };
    ($expected:ident [$($launch:ident),*] $name:ident, $grid:expr, $block:expr, $bytes:expr) => {
        $crate::Case {
            name: stringify!($name),
            grid: $grid,
            block: $block,
            shared_bytes: $bytes,
            launches: &[$($launch as fn(&$crate::Memory)),*],
            expected: $crate::Expected::$expected,
            sometimes: false,
            between_blocks: false,
            right: |_| true,
        }
    };
}

#[path = "races/between_blocks.rs"]
mod between_blocks;
#[path = "races/handovers.rs"]
mod handovers;
#[path = "races/handovers_right.rs"]
mod handovers_right;
#[path = "races/in_arrays.rs"]
mod in_arrays;
#[path = "races/in_shared.rs"]
mod in_shared;
#[path = "races/in_shared_right.rs"]
mod in_shared_right;
#[path = "races/in_warps.rs"]
mod in_warps;
#[path = "races/other_errors.rs"]
mod other_errors;

/// What `simt` has to say of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    /// Two accesses that nothing orders.
    Race,
    /// A race whose read comes first under some schedules: then nobody has written the shared memory.
    RaceOrUnwritten,
    /// A read of shared memory that nobody wrote in this launch.
    Unwritten,
    /// An access past the end.
    OutOfBounds,
    /// A wait that cannot end.
    Spin,
    /// No error.
    Nothing,
    /// No error. The executor of today never ends: it lets no other thread run while one loads a word in a
    /// loop.
    NothingLater,
}

/// A kernel, how it is launched, and what is expected.
struct Case {
    name: &'static str,
    grid: u32,
    block: u32,
    shared_bytes: usize,
    /// The kernels, mostly one, which are launched one after the other on the same arrays.
    launches: &'static [fn(&Memory)],
    expected: Expected,
    /// Whether the race is there only if a thread sees a certain value.
    sometimes: bool,
    /// Whether the two accesses are of different blocks.
    between_blocks: bool,
    /// Whether the arrays are right after the launches.
    right: fn(&Host) -> bool,
}

impl Case {
    /// The race is there only if a thread sees a certain value.
    const fn sometimes(self) -> Case {
        Case { sometimes: true, ..self }
    }

    /// The two accesses are of different blocks.
    const fn between_blocks(self) -> Case {
        Case { between_blocks: true, ..self }
    }

    /// After the launches `right` holds.
    const fn gives(self, right: fn(&Host) -> bool) -> Case {
        Case { right, ..self }
    }
}

/// The number of elements of the arrays of [`Memory`]. The memory of each is twice as long, so that an access
/// just past the end is no error of the host.
const LEN: usize = 256;

/// The host's memory that a case's kernels work on.
struct Host {
    /// 1, 2, 3 and so on.
    data: Vec<u32>,
    /// Zeros, as all that follow.
    out: Vec<u32>,
    flags: Vec<u32>,
    bytes: Vec<u8>,
    wide: Vec<u64>,
    words: Vec<SharedU32>,
}

impl Host {
    fn new() -> Self {
        Host {
            data: (1..).take(2 * LEN).collect(),
            out: vec![0; 2 * LEN],
            flags: vec![0; 2 * LEN],
            bytes: vec![0; 2 * LEN],
            wide: vec![0; 2 * LEN],
            words: (0..2 * LEN).map(|_| SharedU32::new(0)).collect(),
        }
    }

    fn memory(&mut self) -> Memory {
        fn array<T>(elements: &mut [T]) -> Array<T> {
            // SAFETY: the host's memory outlives the launches.
            unsafe { Array::from_raw(elements.as_mut_ptr(), LEN) }
        }
        Memory {
            data: array(&mut self.data),
            out: array(&mut self.out),
            flags: array(&mut self.flags),
            bytes: array(&mut self.bytes),
            wide: array(&mut self.wide),
            words: array(&mut self.words),
        }
    }
}

/// The arrays that a kernel works on, of [`LEN`] elements each.
struct Memory {
    data: Array<u32>,
    out: Array<u32>,
    flags: Array<u32>,
    bytes: Array<u8>,
    wide: Array<u64>,
    words: Array<SharedU32>,
}

/// The thread's index in its block.
fn tid() -> u32 {
    thread::thread_idx_x()
}

/// The block's index in the grid.
fn bid() -> u32 {
    thread::block_idx_x()
}

/// Sleeps until something holds.
fn until(holds: impl Fn() -> bool) {
    while !holds() {
        thread::nanosleep(100);
    }
}

/// Whether the thread is thread 0 of this block.
fn first_of(block: u32) -> bool {
    bid() == block && tid() == 0
}

/// Waits until flag `i` has reached `value`, by relaxed loads.
fn wait(m: &Memory, i: u32, value: u32) {
    until(|| m.flags.atomic(i).load() >= value);
}

/// Waits until word `i` has reached `value`, by acquiring loads.
fn wait_acquire(m: &Memory, i: u32, value: u32) {
    until(|| m.words.get(i).load_acquire() >= value);
}

/// The first `len` words of the block's shared memory.
fn words(len: usize) -> Words<u32> {
    // SAFETY: the cases ask for enough shared memory.
    unsafe { Words::at(0, len) }
}

/// The first `len` words of the block's shared memory, which the block has set to zero.
fn zeros(len: usize) -> Words<u32> {
    let words = words(len);
    let mut i = tid() as usize;
    while i < len {
        words.set(i, 0);
        i += thread::block_dim_x() as usize;
    }
    thread::sync_threads();
    words
}

/// Waits for the lanes of the mask.
#[track_caller]
fn sync_warp(mask: u32) {
    // SAFETY: the cases' masks are right, if not their accesses.
    unsafe { warp::sync_warp(mask) }
}

/// Runs a case's launches under a seed. Nothing else here launches a kernel.
fn run(case: &Case, host: &mut Host, seed: u64) -> Result<(), SimtError> {
    let memory = host.memory();
    for kernel in case.launches {
        let (schedule, seed) = Schedule::repetition(seed as u32, seed);
        let launch = Launch {
            shared_bytes: case.shared_bytes,
            schedule,
            seed,
            check: Some(&cuda_std::host::Memory::default()),
            ..Launch::new(case.name, case.grid, case.block)
        };
        simt(&launch, &|| kernel(&memory))?;
    }
    Ok(())
}

/// A file of cases: its name, its text, its table.
type File = (&'static str, &'static str, &'static [Case]);

const FILES: [File; 8] = [
    ("in_shared.rs", include_str!("races/in_shared.rs"), in_shared::CASES),
    ("in_shared_right.rs", include_str!("races/in_shared_right.rs"), in_shared_right::CASES),
    ("in_arrays.rs", include_str!("races/in_arrays.rs"), in_arrays::CASES),
    ("in_warps.rs", include_str!("races/in_warps.rs"), in_warps::CASES),
    ("between_blocks.rs", include_str!("races/between_blocks.rs"), between_blocks::CASES),
    ("handovers.rs", include_str!("races/handovers.rs"), handovers::CASES),
    ("handovers_right.rs", include_str!("races/handovers_right.rs"), handovers_right::CASES),
    ("other_errors.rs", include_str!("races/other_errors.rs"), other_errors::CASES),
];

/// The lines of the file, from 1 on, that a marker of `name` ends, each with the marker's further words.
fn markers(text: &'static str, name: &str) -> Vec<(usize, &'static str)> {
    let mut marked = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let mut words = line.split_once("//~").map_or("", |(_, marker)| marker).split_whitespace();
        if words.next() == Some(name) {
            marked.extend(words.map(|kind| (number, kind)));
        }
    }
    marked
}

/// The numbers that follow `word` in the text.
fn numbers_after(text: &str, word: &str) -> Vec<usize> {
    let number = |rest: &str| rest.split(|c: char| !c.is_ascii_digit()).next().unwrap_or("").parse().ok();
    text.split(word).skip(1).filter_map(number).collect()
}

/// Whether the text names a pair of a line of `first` and a line of `second`: a line that is both, twice.
fn names_pair(text: &str, file: &str, first: &[usize], second: &[usize]) -> bool {
    let named = numbers_after(text, &format!("{file}:"));
    let times = |line: usize| named.iter().filter(|&&n| n == line).count();
    first.iter().any(|&f| second.iter().any(|&s| times(f) > (f == s) as usize && times(s) > 0))
}

/// Why the outcome of a case is not what is expected of the case, if so.
fn verdict(file: &File, case: &Case, host: &Host, outcome: Result<(), SimtError>) -> Result<(), String> {
    let lines = |kinds: &[&str]| -> Vec<usize> {
        let marked = markers(file.1, case.name).into_iter();
        marked.filter(|(_, kind)| kinds.contains(kind)).map(|(line, _)| line).collect()
    };
    let text = match outcome {
        Ok(()) => String::new(),
        // A case's name is no part of what is said.
        Err(error) => error.to_string().replace(case.name, ""),
    };
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let here = || names_pair(&format!("{text} {text}"), file.0, &lines(&["here"]), &lines(&["here"]));
    let race = || {
        let (threads, blocks) = (numbers_after(&text, "thread "), numbers_after(&text, "block "));
        let differ = |numbers: &[usize]| numbers.iter().any(|n| *n != numbers[0]);
        // Threads of two blocks may have one index; threads of one block have not.
        let named =
            threads.len() >= 2 && if case.between_blocks { differ(&blocks) } else { differ(&threads) };
        let places = names_pair(&text, file.0, &lines(&["first", "both"]), &lines(&["second", "both"]));
        says(&["data race"]) && named && places
    };
    let unwritten = || says(&["wrote", "written"]) && !says(&["data race"]) && here();
    let fine = match case.expected {
        Expected::Race => race(),
        Expected::RaceOrUnwritten => race() || unwritten(),
        Expected::Unwritten => unwritten(),
        Expected::OutOfBounds => {
            says(&["index", "past", "beyond", "bytes"]) && !says(&["data race"]) && here()
        }
        Expected::Spin => says(&["wait", "sleep", "spin"]) && !says(&["data race"]) && here(),
        Expected::Nothing | Expected::NothingLater => text.is_empty() && (case.right)(host),
    };
    match (fine, text.as_str()) {
        (true, _) => Ok(()),
        (false, "") if text.is_empty() && case.expected == Expected::Nothing => Err("a wrong result".into()),
        (false, "") => Err("no error".into()),
        (false, text) => Err(format!("`{text}`")),
    }
}

/// Why the outcome would be wrong if a launch of the case ended with an error that says this.
fn judged(name: &str, block: u32, thread: u32, what: &str) -> Result<(), String> {
    let mut cases = FILES.iter().flat_map(|file| file.2.iter().map(move |case| (file, case)));
    let (file, case) = cases.find(|(_, case)| case.name == name).expect("a case of this name");
    let error = SimtError { kernel: case.name, block, thread, what: what.into() };
    verdict(file, case, &Host::new(), Err(error))
}

/// Runs the cases of which one of these is expected, each under several seeds, and lists what is wrong.
#[track_caller]
fn check(expected: &[Expected]) {
    let mut wrong = Vec::new();
    for file in &FILES {
        for case in file.2.iter().filter(|case| expected.contains(&case.expected)) {
            let seeds = if case.sometimes { 40 } else { 10 };
            let judge = |seed| {
                let mut host = Host::new();
                let outcome = run(case, &mut host, seed);
                // A race that no thread's values let happen is none.
                let unseen = case.sometimes && outcome.is_ok();
                (unseen, verdict(file, case, &host, outcome))
            };
            let judged: Vec<_> = (0..seeds).map(judge).collect();
            let told = judged.iter().any(|(_, verdict)| verdict.is_ok());
            for (seed, (unseen, verdict)) in judged.into_iter().enumerate() {
                if let Err(said) = verdict.or_else(|said| if unseen && told { Ok(()) } else { Err(said) }) {
                    wrong.push(format!("{} {} {:?}, seed {seed}: {said}", file.0, case.name, case.expected));
                    break;
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} cases are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn races_are_told_with_both_places() {
    check(&[Expected::Race, Expected::RaceOrUnwritten]);
}

#[test]
fn reads_of_unwritten_shared_memory_are_told() {
    check(&[Expected::Unwritten]);
}

#[test]
fn accesses_past_the_end_are_told() {
    check(&[Expected::OutOfBounds]);
}

#[test]
fn waits_that_cannot_end_are_told() {
    check(&[Expected::Spin]);
}

#[test]
fn innocent_kernels_give_no_error_and_the_right_result() {
    check(&[Expected::Nothing]);
}

#[test]
fn a_thread_that_loads_a_word_in_a_loop_lets_others_run() {
    check(&[Expected::NothingLater]);
}

/// A kernel with a race has no other error: it ends, without a panic, a divergent barrier or a wrong mask.
#[test]
fn kernels_with_a_race_have_no_other_error() {
    for file in &FILES {
        for case in file.2.iter().filter(|case| case.expected == Expected::Race) {
            for seed in 0..10 {
                if let Err(error) = run(case, &mut Host::new(), seed) {
                    assert!(error.what.contains("race"), "{}: {error}", case.name);
                }
            }
        }
    }
}

/// Names are unique, each error has its marked lines, each marker its case, and there are enough cases.
#[test]
fn every_error_has_its_lines() {
    let mut names: Vec<&str> = FILES.iter().flat_map(|file| file.2).map(|case| case.name).collect();
    let cases = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), cases, "two cases have one name");
    for (file, text, cases) in FILES {
        let mut used = 0;
        for case in cases {
            let marked = markers(text, case.name);
            let has = |kinds: &[&str]| marked.iter().any(|(_, kind)| kinds.contains(kind));
            let race = has(&["first", "both"]) && has(&["second", "both"]);
            let right = match case.expected {
                Expected::Race => race && !has(&["here"]),
                Expected::RaceOrUnwritten => race && has(&["here"]),
                Expected::Nothing | Expected::NothingLater => marked.is_empty(),
                _ => has(&["here"]) && !race,
            };
            assert!(right, "{file}: the lines of {}: {marked:?}", case.name);
            let mut lines: Vec<usize> = marked.iter().map(|(line, _)| *line).collect();
            lines.dedup();
            used += lines.len();
        }
        assert_eq!(text.matches("//~").count(), used, "{file}: a marker of no case");
        let lonely = text.lines().find(|line| line.trim_start().starts_with("//~"));
        assert_eq!(lonely, None, "{file}: a marker without an access on its line");
    }
    let count = |expected| FILES.iter().flat_map(|f| f.2).filter(|c| c.expected == expected).count();
    assert!(count(Expected::Race) >= 25 && count(Expected::Nothing) >= 17);
    assert!(
        count(Expected::Unwritten) >= 2 && count(Expected::OutOfBounds) >= 3 && count(Expected::Spin) >= 2
    );
}

/// An error that lacks a place, a thread or a block is not accepted.
#[test]
fn half_an_error_is_none() {
    let line = |file: usize, name: &str, kind: &str| {
        let of_kind = markers(FILES[file].1, name).into_iter().find(|marker| marker.1 == kind);
        format!("x/{}:{}:9", FILES[file].0, of_kind.expect("a marker").0)
    };
    let name = "block_sum_without_barrier";
    let (one, other) = (line(0, name, "first"), line(0, name, "second"));
    let race = |a: &str, b: &str| format!("data race: writes at {a}, and thread 0 reads at {b}");
    assert_eq!(judged(name, 0, 5, &race(&one, &other)), Ok(()));
    assert_eq!(judged(name, 0, 5, &race(&other, &one)), Ok(()));
    assert!(judged(name, 0, 0, &race(&one, &other)).is_err(), "one thread alone");
    assert!(judged(name, 0, 5, &race(&one, &one)).is_err(), "one place alone");
    assert!(judged(name, 0, 5, &race(&format!("{one}0"), &other)).is_ok(), "columns do not matter");
    assert!(judged(name, 0, 5, &race(&one.replace(":9", "0:9"), &other)).is_err(), "another line");
    assert!(judged(name, 0, 5, &race(&one, &other).replace("data race", "error")).is_err(), "no race");
    let name = "two_blocks_write_one_element";
    let both = line(4, name, "both");
    let race = |block: u32| format!("data race: writes at {both}; block {block}, thread 7 writes at {both}");
    assert_eq!(judged(name, 0, 7, &race(1)), Ok(()));
    assert!(judged(name, 1, 7, &race(1)).is_err(), "one block alone");
    assert!(judged(name, 0, 7, &race(1).replacen(&both, "", 1)).is_err(), "the place once");
    let name = "array_read";
    assert_eq!(judged(name, 0, 1, &format!("index 256 of 256, at {}", line(7, name, "here"))), Ok(()));
    assert!(judged(name, 0, 1, "index 256 of 256").is_err(), "no place");
    assert!(judged("block_sum", 0, 1, "race").is_err(), "no look-alike is accused");
}
