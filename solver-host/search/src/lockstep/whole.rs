//! The resident search against the search from the host, whose every launch is checked.

use super::{advised, following, goal, options, pigeons, random_program, rich_program, solver};
use crate::{AnswerSet, Engine, Goal, Options, Step};
use std::cell::Cell;
use std::collections::BTreeSet;
use yasmin_device::DeviceKind;
use yasmin_ground::program::Program;

/// Answer sets that are looked for at most.
const MOST: usize = 60;

/// Searches with pauses after few or many rounds.
pub fn searches(device: DeviceKind, randoms: u64) {
    for seed in 0..randoms {
        compare(&random_program(seed), &Goal::default(), options(seed, device), seed);
        compare(&rich_program(seed), &goal(seed), options(seed, device), seed);
    }
    for seed in 0..2 {
        compare(&advised(seed), &goal(seed), following(seed, device), seed);
    }
    for seed in 0..4 {
        compare(&pigeons(4, 4, 1), &Goal::default(), options(seed, device), seed);
    }
}

/// Whether a search goes on in a copy of its block, wherever that lies and whatever becomes of the block that
/// was.
pub fn moving_searches(device: DeviceKind, randoms: u64) {
    let mut all_moves = 0;
    for seed in 0..randoms {
        let (program, goal) = match seed % 2 {
            0 => (random_program(seed), Goal::default()),
            _ => (rich_program(seed), goal(seed)),
        };
        let options = Options { engine: Engine::Resident, ..options(seed, device) };
        let stays = find(&program, &goal, options, u32::MAX);
        let mut solver = solver(&program, &goal, options);
        solver.lead.searcher.memory.rounds_a_launch = 3;
        let (mut found, mut moves) = (Vec::new(), 0u32);
        while found.len() < MOST {
            // Later each time, as a search for a smaller model begins anew after an interruption.
            let left = Cell::new(moves + 1);
            let interrupt = || left.replace(left.get().saturating_sub(1)) == 0;
            match solver.next_answer(&interrupt).unwrap_or_else(|e| panic!("{options:?}: {e}")) {
                Step::Answer(answer) => found.push(shown(&answer, &program)),
                Step::Exhausted => break,
                Step::Counted(_) => panic!("nobody asked to count"),
                Step::Interrupted => {
                    solver.lead.searcher.memory.move_block().expect("a working device");
                    moves += 1;
                }
            }
        }
        all_moves += moves as u64;
        match device {
            // There a search repeats exactly.
            DeviceKind::Cpu => assert_eq!(stays.0, found, "{seed}"),
            _ => assert_eq!(stays.0.len(), found.len(), "{seed}"),
        }
    }
    assert!(all_moves >= 2 * randoms, "{all_moves} moves");
}

fn shown(answer: &AnswerSet, program: &Program) -> Found {
    (answer.shown(program).into_iter().map(str::to_string).collect(), answer.costs.clone())
}

/// What an answer set shows, and what it costs.
type Found = (Vec<String>, Vec<i64>);

fn compare(program: &Program, goal: &Goal, options: Options, seed: u64) {
    let rounds = [2, 7, 1000][seed as usize / 3 % 3];
    let resident = Options { engine: Engine::Resident, ..options };
    let (expected, is_all) = find(program, goal, options, u32::MAX);
    let (found, is_all_too) = find(program, goal, resident, rounds);
    assert_eq!(is_all, is_all_too, "{seed}");
    // Some answer sets are as good as others; of all there is one set only, of optimal ones one cost, of
    // consequences the last word.
    let sets = |found: &[Found]| found.iter().cloned().collect::<BTreeSet<_>>();
    let enumerates = goal.reasoning == Default::default() && program.minimize.is_empty();
    if is_all && enumerates && goal.projection == Default::default() {
        assert_eq!(sets(&expected), sets(&found), "{seed}");
        assert_eq!(expected.len(), found.len(), "{seed}");
    } else if is_all {
        assert_eq!(expected.last().map(|last| &last.1), found.last().map(|last| &last.1), "{seed}");
    }
}

fn find(program: &Program, goal: &Goal, options: Options, rounds: u32) -> (Vec<Found>, bool) {
    let mut solver = solver(program, goal, options);
    solver.lead.searcher.memory.rounds_a_launch = solver.lead.searcher.memory.rounds_a_launch.min(rounds);
    let mut found = Vec::new();
    while found.len() < MOST {
        let step = solver.next_answer(&|| false).unwrap_or_else(|e| panic!("{options:?}: {e}"));
        match step {
            Step::Answer(answer) => {
                found.push(shown(&answer, program));
            }
            Step::Exhausted => return (found, true),
            Step::Counted(_) => panic!("nobody asked to count"),
            Step::Interrupted => panic!("nobody interrupted"),
        }
    }
    (found, false)
}
