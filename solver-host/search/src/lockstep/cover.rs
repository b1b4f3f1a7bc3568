//! What the searches must come to for the comparison to mean something: cases that are rare, or that kernels
//! treat apart.
//!
//! A reference calls [`cover`] where it meets a case; [`report`] fails if one of [`CASES`] was never met. So
//! a change to the programs or the options cannot quietly make a test empty.

use std::cell::RefCell;
use std::collections::BTreeMap;
use yasmin_device::{DeviceKind, Kernel};

/// Every case, by kernel.
const CASES: &[&str] = &[
    "a claim refused",
    "a violated nogood",
    "all assumptions hold",
    "a decision on an assumption",
    "a core of several",
    "a core of one",
    "a conflict of assumptions alone",
    "more conflicts than are kept",
    "both watches moved",
    "one watch of two that hold moved",
    "one watch moved",
    "a learned unit's literal",
    "a learned binary is unit",
    "a learned ternary is unit",
    "a learned long one is unit",
    "the last decision of a bitmap's word",
    "the first decision of a bitmap's second word",
    "all decisions fill several words",
    "a reason longer than a block",
    "a reason longer than a warp",
    "one item of a long sum is enough",
    "a bitmap longer than its reason",
    "a bitmap of several words",
    "a completion",
    "a restart within an enumeration",
    "a restart",
    "an answer set without decisions",
    "a decision flipped after an answer set",
    "a decision flipped after a conflict",
    "more conflicts than slots",
    "the two highest levels in different words",
    "different nogoods of one length",
    "a shorter conflict of a higher id",
    "a unique implication point alone",
    "a literal dropped that follows by several reasons",
    "a search of the trail over many windows",
    "a literal that follows from all decisions is resolved",
    "nothing learned at level 1",
    "a nogood learned twice",
    "a jump held up at the backtrack level",
    "the stamps begin again",
    "activities are scaled down",
    "the newer of equal nogoods kept",
    "a nogood that takes part kept before one that does not",
    "nogoods deleted before a restart was due",
    "a turn of phases over before a restart was due",
    "a reason kept in place",
    "a reason renamed",
    "a unit learned",
    "a binary learned",
    "a ternary learned",
    "a long one learned",
    "unfounded sets in several components",
    "a loop nogood violated",
    "a loop nogood unit",
    "a loop without external bodies",
    "a loop with external bodies",
    "a loop nogood of a sum",
    "an unfounded set that another one does not need",
    "an unfounded set of several atoms",
    "an external body that is false for good",
    "a told nogood violated",
    "a told nogood unit",
    "a told nogood open",
    "a told nogood satisfied",
    "a told nogood that a jump makes unit",
    "a told nogood that stays",
    "differences that contradict each other for good",
    "differences that contradict each other",
    "differences that exclude an open one",
    "bounds taken back",
    "a sum's condition refuted",
    "an item of a sum refuted",
    "a sum violated",
    "a claim refused to a sum",
    "counters that hand over",
    "an item that is not needed",
    "a bound that falls",
    "a goal of several counters",
    "something taken out of a goal",
    "nothing left to ask",
    "a projected decision flipped below others",
    "a choice among chunks",
    "a choice among chunks with directives",
    "a choice as it was before",
    "a choice against most learned nogoods",
    "a jump that saves no phases",
    "a choice as in the longest assignment",
    "a longer assignment without a conflict",
    "phases put aside",
    "phases of the longest assignment",
    "phases taken up again",
    "a choice as a directive says",
    "a choice as costs are less",
    "a late nogood",
    "a nogood late no more",
    "a learned nogood made smaller",
    "a learned nogood of fewer levels than it was",
    "lists of watches rebuilt",
    "a list of several parts",
];

/// The cases of lookahead, which searches of their own meet.
pub const LOOK_AHEAD: &[&str] = &["a probe measured", "a literal fails", "the best candidate divides"];

/// Cases of unfounded sets that are used again.
pub const SETS: &[&str] = &[
    "an unfounded set used again",
    "a true atom ends the use of an unfounded set",
    "an unfounded set used up",
];

/// Cases of the log of bounds.
pub const LOGS: &[&str] = &["bounds computed anew after a jump", "a full log of bounds"];

thread_local! {
    static MET: RefCell<BTreeMap<&'static str, u64>> = const { RefCell::new(BTreeMap::new()) };
    /// How often each kernel was checked, and how often it changed something.
    static LAUNCHED: RefCell<BTreeMap<&'static str, (u64, u64)>> = const { RefCell::new(BTreeMap::new()) };
}

/// Forgets what was met.
pub fn begin() {
    MET.set(BTreeMap::new());
    LAUNCHED.set(BTreeMap::new());
}

/// Notes that a case was met.
pub fn cover(case: &'static str) {
    assert!([CASES, LOOK_AHEAD, SETS, LOGS].concat().contains(&case), "{case:?} is not in the lists");
    MET.with_borrow_mut(|met| *met.entry(case).or_default() += 1);
}

/// Notes that a launch was checked, and whether the kernel has changed anything.
pub fn launched(kernel: Kernel, has_effect: bool) {
    LAUNCHED.with_borrow_mut(|launched| {
        let (times, changes) = launched.entry(kernel.name()).or_default();
        *times += 1;
        *changes += has_effect as u64;
    });
}

/// Fails if one of `cases` was never met.
pub fn report_only(cases: &[&str]) {
    let met = MET.take();
    assert!(cases.iter().all(|case| met.contains_key(case)), "of {cases:?} only these were met: {met:?}");
}

/// Prints how often each case was met, and how often each kernel was launched.
///
/// # Panics
/// If a kernel never had an effect. If a case was never met, where the order of threads is ours to decide. On
/// a GPU which conflicts are reported beside others varies.
pub fn report(device: DeviceKind) {
    let met = MET.take();
    for case in CASES {
        println!("{case}: {}", met.get(case).copied().unwrap_or_default());
    }
    let missing: Vec<&&str> = CASES.iter().filter(|c| !met.contains_key(*c)).collect();
    assert!(missing.is_empty() || device == DeviceKind::Gpu(0), "never met: {missing:?}");
    let launched = LAUNCHED.take();
    for kernel in Kernel::ALL {
        let (times, changes) = launched.get(kernel.name()).copied().unwrap_or_default();
        println!("{}: {times} launches, {changes} with an effect", kernel.name());
        if Kernel::SEARCHES.contains(kernel) {
            continue; // They take many steps: see `whole`.
        }
        if *kernel == Kernel::Trace {
            continue; // What it writes is replayed: see `search::searcher::trace::tests`.
        }
        if *kernel == Kernel::PropagateLong && device == DeviceKind::Cpu {
            continue; // One thread finds these nogoods through lists, as it finds learned ones.
        }
        let rearranges_only = *kernel == Kernel::WidenDeps;
        assert!(times > 0 && (changes > 0 || rearranges_only), "{} is not tested", kernel.name());
    }
}
