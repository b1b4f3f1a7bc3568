//! Tests of searches on the processor that run at once: several solvers of one problem, each on a thread of its own.
//!
//! `scripts/threads.sh` runs these tests under ThreadSanitizer, which tells of any two accesses to a word of which one
//! is a write, one is not atomic, and nothing says which comes first. The tests in [`races`] race on purpose. The
//! script expects ThreadSanitizer to name both places of each of them: else nobody knows what its silence is worth.
//!
//! Invariant: what the searchers find does not depend on how fast each of them is.

use super::lockstep::programs::{
    chain, founded_or_not, goal, options, pigeons, random_program, rich_program,
};
use super::{
    AnswerSet, Engine, Goal, Learning, Optimization, Options, Problem, Reasoning, Restarts, Solver, Step,
};
use cuda_std_alone::array::Array;
use cuda_std_alone::atomic::{SharedU32, SharedU64};
use cuda_std_alone::host::cpu;
use solver_gpu::Lit;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Barrier};
use std::thread;
use yasmin_device::{DeviceKind, Setup};
use yasmin_ground::program::Program;

/// How many searchers run at once.
const SEARCHERS: u64 = 4;

/// What the searchers of all programs did together, to see that they did all that there is to do.
#[derive(Default)]
struct Done {
    answers: u64,
    learned: u64,
    deleted: u64,
    restarts: u64,
    unfounded_sets: u64,
    optima: u64,
    sums: u64,
    launches: u64,
}

impl Done {
    fn add(&mut self, solver: &Solver) {
        let s = solver.statistics();
        self.answers += s.answer_sets;
        self.learned += s.learned;
        self.deleted += s.deleted;
        self.restarts += s.restarts;
        self.unfounded_sets += s.unfounded_sets;
        self.optima += solver.is_optimum_known() as u64;
        self.sums += (solver.lead.searcher.problem.uploaded.view.sums > 0) as u64;
        self.launches += s.launches;
    }
}

/// Options of a searcher of problem `i`: what preparing the problem depends on is the same for all its searchers.
fn options_of(i: u64, searcher: u64) -> Options {
    Options {
        seed: 100 * i + searcher,
        learning: [Learning::Resolution, Learning::Forward, Learning::Both][((i + searcher) % 3) as usize],
        restarts: [Restarts::Luby(2), Restarts::None, Restarts::Quality(2, 0.9), Restarts::Geometric(3, 1.5)]
            [(searcher % 4) as usize],
        keep_learned: [2, 2000][(searcher % 2) as usize],
        engine: if searcher == 3 { Engine::Host } else { Engine::Resident },
        ..options(i, DeviceKind::Cpu)
    }
}

/// What is found out of a problem, whichever way the search takes: answer sets as they are told apart, and costs.
pub(super) type Found = BTreeSet<(Vec<bool>, Vec<i64>)>;

/// Searches until there is nothing more to find.
pub(super) fn find(solver: &mut Solver, goal: &Goal) -> Found {
    let answers: Vec<AnswerSet> = solver.answers().map(|answer| answer.expect("a working device")).collect();
    found(&answers, solver.program(), goal)
}

/// What the answer sets that were told come to.
pub(super) fn found(answers: &[AnswerSet], program: &Program, goal: &Goal) -> Found {
    let last = answers.last().cloned();
    let all = |answer: &AnswerSet| (answer.atom_values(), answer.costs.clone());
    let projected = |answer: &AnswerSet| {
        let atoms = program.projection.iter().flatten();
        (atoms.map(|&atom| answer.holds(Lit::t(atom))).collect(), Vec::new())
    };
    if goal.reasoning != Reasoning::Enumerate {
        // The consequences are those that the last answer tells.
        return last.into_iter().map(|last| (last.printed.expect("consequences"), Vec::new())).collect();
    }
    if *goal == project() {
        return answers.iter().map(projected).collect();
    }
    match goal.optimization {
        Optimization::Opt if !program.minimize.is_empty() => {
            last.into_iter().map(|last| (Vec::new(), last.costs)).collect()
        }
        Optimization::OptN if !program.minimize.is_empty() => {
            answers.iter().filter(|answer| answer.is_optimal).map(all).collect()
        }
        _ => answers.iter().map(all).collect(),
    }
}

/// The goal of [`goal`] that projects.
pub(super) fn project() -> Goal {
    goal(4)
}

/// Runs a function for each searcher on a thread of its own. All begin at once.
fn at_once<T: Send>(search: impl Fn(u64) -> T + Sync) -> Vec<T> {
    let begin = Barrier::new(SEARCHERS as usize);
    thread::scope(|scope| {
        let searchers: Vec<_> = (0..SEARCHERS)
            .map(|searcher| {
                let (begin, search) = (&begin, &search);
                scope.spawn(move || {
                    begin.wait();
                    search(searcher)
                })
            })
            .collect();
        searchers.into_iter().map(|searcher| searcher.join().expect("no panic")).collect()
    })
}

/// Several searchers solve a problem at once. Each finds what a single one finds.
fn searchers_agree(i: u64, program: Program, goal: &Goal, done: &mut Done) {
    let problem = Arc::new(Problem::new(program, &options_of(i, 0), goal).expect("a small program"));
    let solver = |searcher| Solver::of(&problem, options_of(i, searcher)).expect("a working device");
    let expected = find(&mut solver(0), goal);
    // The solvers are made at once as well: the templates of their memory are made when they are first asked for.
    let found = at_once(|searcher| {
        let mut solver = solver(searcher);
        let found = find(&mut solver, goal);
        (found, solver)
    });
    for (searcher, (found, solver)) in found.into_iter().enumerate() {
        assert_eq!(found, expected, "problem {i}, searcher {searcher}, {goal:?}");
        done.add(&solver);
    }
    // Of one answer set it is not said which one is found first.
    let firsts = at_once(|searcher| solver(searcher).next_answer(&|| false).expect("a working device"));
    let is_any = *goal == Goal::default() && problem.program().minimize.is_empty();
    for first in firsts {
        match first {
            Step::Answer(answer) if is_any => {
                assert!(expected.contains(&(answer.atom_values(), answer.costs)), "problem {i}")
            }
            first => {
                assert_eq!(matches!(first, Step::Answer(_)), !expected.is_empty(), "problem {i}: {first:?}")
            }
        }
    }
}

/// The seeds are the same each day, as so few searches count on what they meet.
#[test]
fn searchers_on_threads_find_what_a_single_one_finds() {
    let mut done = Done::default();
    let plain = Goal::default();
    let named = [chain(9), founded_or_not(), pigeons(4, 4, 2), pigeons(6, 5, 0), pigeons(5, 5, 0)];
    for (i, program) in named.into_iter().enumerate() {
        searchers_agree(i as u64, program, &plain, &mut done);
    }
    for seed in 0..12 {
        searchers_agree(seed, random_program(seed), &plain, &mut done);
    }
    for seed in 0..36 {
        searchers_agree(seed, rich_program(seed), &goal(seed), &mut done);
        searchers_agree(seed, rich_program(seed), &plain, &mut done);
    }
    let Done { answers, learned, deleted, restarts, unfounded_sets, optima, sums, launches } = done;
    let counts = [
        (answers, 2000),
        (learned, 500),
        (deleted, 100),
        (restarts, 50),
        (unfounded_sets, 20),
        (optima, 20),
        (sums, 100),
        (launches, 1000),
    ];
    assert!(counts.iter().all(|(count, least)| count >= least), "too little was done: {counts:?}");
}

/// A program whose search does not end while a test runs.
fn endless() -> Arc<Problem> {
    let problem = Problem::new(pigeons(12, 11, 0), &options_of(0, 0), &Goal::default());
    Arc::new(problem.expect("a small program"))
}

/// A launch that would not end is stopped by another thread, by the word that both share. The other searchers of
/// the problem go on meanwhile.
#[test]
fn a_searcher_is_stopped_from_another_thread() {
    let problem = endless();
    let mut stopped = Solver::of(&problem, options_of(0, 0)).expect("a working device");
    // Only the word stops a launch.
    stopped.lead.searcher.memory.rounds_a_launch = u32::MAX;
    let word = stopped.lead.searcher.memory.search.launch.stop;
    let is_asked = AtomicBool::new(false);
    thread::scope(|scope| {
        let stopped = scope.spawn(|| {
            let step = stopped.next_answer(&|| is_asked.load(Relaxed));
            (step.expect("a working device"), stopped)
        });
        let others = [1, 2].map(|searcher| {
            let problem = &problem;
            scope.spawn(move || {
                let launches = AtomicU32::new(0);
                let mut solver = Solver::of(problem, options_of(0, searcher)).expect("a working device");
                solver.lead.searcher.memory.rounds_a_launch = 50;
                let step = solver.next_answer(&|| launches.fetch_add(1, Relaxed) >= 40);
                assert_eq!(step.expect("a working device"), Step::Interrupted);
                assert!(solver.statistics().conflicts > 0, "searcher {searcher} did not search");
            })
        });
        // What is wrong is said after the launch has been stopped: the scope waits for it.
        let others = others.map(|other| other.join());
        let has_ended = stopped.is_finished();
        is_asked.store(true, Relaxed);
        // A launch that begins clears the word, so the word is set until the search has returned.
        while !stopped.is_finished() {
            word.get(0u32).store_relaxed(1);
            thread::yield_now();
        }
        others.into_iter().for_each(|other| other.expect("no panic"));
        assert!(!has_ended, "only the word stops the launch");
        let (step, solver) = stopped.join().expect("no panic");
        assert_eq!(step, Step::Interrupted);
        assert!(solver.statistics().conflicts > 0, "the searcher did not search");
    });
}

/// Launches on several threads change words of the family that launches share, and lose no change: each launch is
/// alone in its grid, and the words are atomic nevertheless.
#[test]
fn launches_share_words() {
    let (count, most, bits, free) =
        (SharedU64::new(0), SharedU32::new(0), SharedU32::new(0), SharedU32::new(0));
    const TIMES: u32 = 2000;
    at_once(|searcher| {
        let searcher = searcher as u32;
        cpu(0, &|| {
            for i in 0..TIMES {
                count.fetch_add(1);
                most.fetch_max(4 * i + searcher);
                bits.fetch_or(1 << searcher);
                while free.compare_exchange_relaxed(2 * i, 2 * i + 1).is_err() {
                    if free.load_relaxed() > 2 * i {
                        break;
                    }
                }
                let _ = free.compare_exchange_relaxed(2 * i + 1, 2 * i + 2);
            }
        });
    });
    let of_all = SEARCHERS as u32 * TIMES;
    assert_eq!((count.into_inner(), most.into_inner()), (of_all as u64, of_all - 1));
    assert_eq!((bits.into_inner(), free.into_inner()), ((1 << SEARCHERS) - 1, 2 * TIMES));
}

/// A launch fills an array and then sets a word by a releasing store; another launch, which sees the word by an
/// acquiring load, reads the array. That is no race.
#[test]
fn a_launch_hands_an_array_over() {
    let mut memory = [0u64; 64];
    // SAFETY: `memory` outlives the launches, and is used by nobody else meanwhile.
    let array = unsafe { Array::from_raw(memory.as_mut_ptr(), memory.len()) };
    let is_full = SharedU32::new(0);
    thread::scope(|scope| {
        let reader = scope.spawn(|| {
            cpu(0, &|| {
                while is_full.load_acquire() == 0 {
                    thread::yield_now();
                }
                assert!((0..array.len()).all(|i| array.read(i) == 3 * i as u64));
            })
        });
        cpu(0, &|| {
            (0..array.len()).for_each(|i| array.write(i, 3 * i as u64));
            is_full.store_release(1);
        });
        reader.join().expect("no panic");
    });
}

/// Races on purpose. Without ThreadSanitizer they go unnoticed, so they are not run as ordinary tests.
mod races {
    use super::*;
    use cuda_std_alone::atomic::SearchU32;

    /// Runs two functions on two threads, without anything that says which comes first.
    fn beside(one: impl FnOnce() + Send, other: impl FnOnce() + Send) {
        let begin = Barrier::new(2);
        thread::scope(|scope| {
            let begin = &begin;
            scope.spawn(move || {
                begin.wait();
                one();
            });
            scope.spawn(move || {
                begin.wait();
                other();
            });
        });
    }

    #[inline(never)]
    fn one_writes(array: Array<u32>) {
        cpu(0, &|| array.write(1u32, 5));
    }

    #[inline(never)]
    fn other_reads(array: Array<u32>) {
        cpu(0, &|| assert!([0, 5].contains(&array.read(1u32))));
    }

    /// A launch writes the element of an array that another reads.
    #[test]
    #[ignore = "a race on purpose, for scripts/threads.sh"]
    fn an_element() {
        let mut memory = [0u32; 4];
        // SAFETY: `memory` outlives the launches. They race: that is the purpose.
        let array = unsafe { Array::from_raw(memory.as_mut_ptr(), memory.len()) };
        beside(|| one_writes(array), || other_reads(array));
    }

    #[inline(never)]
    fn one_counts(word: &SearchU32) {
        cpu(0, &|| {
            word.add(1);
        });
    }

    #[inline(never)]
    fn other_claims(word: &SearchU32) {
        cpu(0, &|| {
            let _ = word.claim(0, 7);
        });
    }

    /// Two launches change a word that belongs to one launch.
    #[test]
    #[ignore = "a race on purpose, for scripts/threads.sh"]
    fn a_word_of_one_launch() {
        let word = SearchU32::new(0);
        beside(|| one_counts(&word), || other_claims(&word));
    }

    /// The program's nogoods are written while a search reads them. The bytes are the same, so that the search is not
    /// led astray.
    #[test]
    #[ignore = "a race on purpose, for scripts/threads.sh"]
    fn the_problem() {
        let problem = endless();
        let mut solver = Solver::of(&problem, options_of(0, 0)).expect("a working device");
        let array = problem.uploaded.view.occurs_binary.bytes();
        let mut bytes = vec![0; array.len()];
        let mut writer =
            solver.lead.searcher.memory.executor().sibling(Setup::default()).expect("a working device");
        writer.download(array.address(), &mut bytes).expect("a working device");
        let rounds = AtomicU32::new(0);
        beside(
            || writer.upload(array.address(), &bytes).expect("a working device"),
            || {
                let step = solver.next_answer(&|| rounds.fetch_add(1, Relaxed) >= 2);
                assert_eq!(step.expect("a working device"), Step::Interrupted);
            },
        );
    }
}
