//! Every kernel, at every launch of real searches, against a plain sequential reference.
//!
//! A test puts a wrapper around a search's executor ([`executor::Lockstep`]). Before and after each launch
//! the wrapper copies all the memory of the search, and a reference that shares nothing with the kernels but
//! the layout says what must have changed, and that nothing else did. So each kernel is tested on the states
//! that searches really come to, on each executor. What holds of any copy, whichever kernel ran last, is in
//! [`invariants`]: this is checked each time, and also whenever the resident search, which takes all the
//! steps in one launch, returns. The answer sets of the resident search are compared with those of the search
//! from the host (see [`whole`]); whether searches are right as a whole is tested elsewhere.

mod arrays;
mod assign;
mod cover;
mod differences;
mod executor;
mod explain;
mod hard;
mod invariants;
mod learn;
mod look_ahead;
mod place;
pub(super) mod programs;
mod propagate;
mod snapshot;
mod stability;
mod sums;
mod told;
mod whole;
mod widen;
mod words;

use super::goal::Goal;
use super::{Heuristic, LoopCheck, Options, Problem, Restarts, Solver, Step, Task};
use crate::searcher::memory::Memory;
use cover::cover;
use differences::Constraints;
use executor::Lockstep;
use programs::{
    advised, chain, following, founded_or_not, goal, options, pigeons, random_program, rich_program, square,
};
use solver_gpu::{Lit, Var};
use std::sync::Arc;
use yasmin_device::DeviceKind;
use yasmin_ground::program::Program;
use yasmin_nogoods::{Directive, Foundedness};

/// What the references know of the prepared program and of the test.
pub struct Facts {
    candidates: Vec<(Var, Lit, Lit)>,
    preferred: Vec<u32>,
    directives: Vec<Directive>,
    foundedness: Option<Foundedness>,
    constraints: Constraints,
    /// Whether loop nogoods may be learned.
    has_loop_nogoods: bool,
    device: DeviceKind,
    /// Whether to learn from all violated nogoods, also those that the search did not look at any more.
    all_conflicts: bool,
}

impl Facts {
    /// The facts of a task whose nogoods are not on a device yet: they are freed then.
    fn new(task: &Task, options: &Options) -> Facts {
        let p = &task.prepared;
        Facts {
            candidates: p.candidates.iter().map(|c| (c.head, c.positive, c.body)).collect(),
            preferred: p.preferred.clone(),
            directives: p.directives.clone(),
            foundedness: p.foundedness.clone(),
            constraints: Constraints::of(task.program(), p),
            has_loop_nogoods: p.foundedness.is_some() || !task.program().disjunctions.is_empty(),
            device: options.device,
            all_conflicts: options.seed / 2 % 2 == 1,
        }
    }
}

/// A solver whose every launch is checked.
fn solver(program: &Program, goal: &Goal, options: Options) -> Solver {
    let task = Task::new(program.clone(), &options, goal).unwrap_or_else(|e| panic!("{options:?}: {e}"));
    let facts = Facts::new(&task, &options);
    let problem = Arc::new(Problem::of(task).unwrap_or_else(|e| panic!("{options:?}: {e}")));
    Solver::wrapped(&problem, options, |executor| Box::new(Lockstep::new(executor, facts)))
        .unwrap_or_else(|e| panic!("{options:?}: {e}"))
}

/// Searches in lockstep for up to `most` answer sets; returns how many there are.
fn search(program: &Program, options: Options, most: usize) -> usize {
    search_from(program, options, most, |_| {})
}

/// The same, after `begin` has changed the memory.
fn search_from(program: &Program, options: Options, most: usize, begin: impl Fn(&mut Memory)) -> usize {
    search_for(&Goal::default(), program, options, most, begin)
}

/// The same for a goal.
fn search_for(
    goal: &Goal,
    program: &Program,
    options: Options,
    most: usize,
    begin: impl Fn(&mut Memory),
) -> usize {
    let mut solver = solver(program, goal, options);
    begin(&mut solver.lead.searcher.memory);
    solver.lead.searcher.memory.write_state().expect("a working device");
    let mut found = 0;
    while found < most {
        match solver.next_answer(&|| false) {
            Ok(Step::Answer(_)) => found += 1,
            Ok(_) => break,
            Err(e) => panic!("{options:?}: {e}"),
        }
    }
    found
}

/// Searches that together make every kernel do something. The seeds are the same each day, because every kernel has to meet
/// each of its cases.
fn searches(device: DeviceKind, randoms: u64) {
    cover::begin();
    for seed in 0..randoms {
        search(&random_program(seed), options(seed, device), 40);
    }
    for i in 0..4 {
        assert_eq!(search(&pigeons(5, 4, 0), options(i, device), 1), 0);
        assert_eq!(search(&pigeons(4, 4, 2), options(i, device), usize::MAX), 24 * 4);
        assert_eq!(search(&chain(40), options(i + 4, device), 20), 20);
    }
    for i in 0..2 {
        search(&square(10, i), options(8 * i, device), 1);
    }
    let total = Options { loop_check: LoopCheck::Total, ..options(0, device) };
    assert_eq!(search(&founded_or_not(), total, usize::MAX), 2);
    for i in 0..2 {
        // More than 128 levels: the bitmaps are widened.
        let wide = Options { restarts: Restarts::None, conflicts: 4, ..options(i, device) };
        assert_eq!(search(&chain(300), wide, 3), 3);
    }
    for seed in 0..3 * randoms {
        let goal = goal(seed);
        let mut options = options(seed, device);
        if seed % 4 == 1 {
            options.heuristic = Heuristic::Domain;
        }
        search_for(&goal, &rich_program(seed), options, 40, |_| {});
    }
    for seed in 0..2 {
        search_for(&goal(seed), &advised(seed), following(seed, device), 20, |_| {});
    }
    told::searches(device, randoms);
    differences::searches(device, randoms);
    hard::searches(device);
    cover::report(device);
}

/// A test for each executor. The one for the GPU, and the one with many programs, are ignored where tests
/// usually run, and say so.
macro_rules! on_every_executor {
    ($($name:ident($randoms:expr) = $test:path;)*) => {$(
        mod $name {
            use super::*;

            #[test]
            fn cpu() {
                $test(DeviceKind::Cpu, 5 * $randoms);
            }

            #[test]
            fn simt() {
                $test(DeviceKind::Simt, $randoms);
            }

            #[test]
            #[ignore = "needs an NVIDIA GPU"]
            fn gpu() {
                $test(DeviceKind::Gpu(0), $randoms);
            }

            #[test]
            #[ignore = "takes minutes: scripts/long.sh --only races"]
            fn many_programs() {
                $test(DeviceKind::Cpu, 30 * $randoms);
                $test(DeviceKind::Simt, 3 * $randoms);
            }
        }
    )*};
}

on_every_executor! {
    every_launch_does_what_the_reference_says(40) = searches;
    the_resident_search_finds_the_same(20) = whole::searches;
    lookahead_measures_what_literals_lead_to(12) = look_ahead::searches;
    unfounded_sets_are_used_again(1) = hard::ladders;
    a_full_log_of_bounds_begins_anew(3) = differences::full_logs;
    a_search_goes_on_in_a_copy_of_its_block(12) = whole::moving_searches;
}
