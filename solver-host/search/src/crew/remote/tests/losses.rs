//! A crew is lost at any time, and the search finds what a single search finds.
//!
//! The crew's stream ends after so many bytes have come from it, or have gone to it.

use super::cut::cut;
use super::{pigeons, Message};
use crate::crew::message::Sizes;
use crate::lockstep::programs::goal;
use crate::threads::{find, found};
use crate::{assist, AnswerSet, Helper, Peer};
use crate::{Goal, Optimization, Options, ParallelMode, Reasoning, SolveError, Solver, Step, When};
use solver_gpu::hash::mix;
use solver_gpu::{Lit, Var};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use yasmin_device::DeviceKind;
use yasmin_ground::program::{Minimize, Output, Program};

/// A program that takes a while, whatever is asked of it, and what is asked.
fn case(number: u64) -> (Program, Goal, Options) {
    let random = |i: u64| mix(number << 20 | i);
    let mut program = pigeons(4 + number % 3, 5, 1 + number % 2);
    let atoms = program.atoms;
    let lits =
        (0..atoms).map(|atom| (Lit::t(Var(atom)), i64::from(random(atom as u64) as i32 % 3))).collect();
    program.minimize = vec![Minimize { priority: 0, lits }];
    program.outputs = (0..atoms)
        .map(|atom| Output { name: format!("a{atom}"), condition: vec![Lit::t(Var(atom))] })
        .collect();
    program.projection =
        Some((0..atoms).filter(|&atom| random(atom as u64) >> 40 & 3 > 0).map(Var).collect());
    let options = Options {
        device: DeviceKind::Cpu,
        parallel_mode: ParallelMode::Searchers(1 + number as usize % 2),
        join_after: When::Milliseconds(0),
        split_from: [0, 100][number as usize % 2],
        seed: number,
        ..Options::default()
    };
    (program, goal(number / 6), options)
}

/// A crew that searches along on a thread of its own, and the solver's end of the stream, which ends after
/// `left` bytes in each direction. Returns how many bytes have passed, too.
type Crew = (JoinHandle<Result<(), SolveError>>, Peer, Arc<AtomicUsize>);

fn crew(number: u64, before: usize, left: usize) -> Crew {
    let (here, there) = UnixStream::pair().expect("a stream");
    let away = std::thread::spawn(move || {
        let (program, goal, options) = case(number);
        let again = there.try_clone().expect("a stream");
        let home = Peer { may_go: true, ..Peer::new(Box::new(again), Box::new(there)) };
        let (name, others) = (format!("crew {before}"), Vec::new());
        assist(Helper { name, program, options, goal, home, others, before, proof: None }).map(drop)
    });
    let (peer, passed) = cut(&here, left);
    (away, peer, passed)
}

/// What a search tells with two crews, of which the second one is lost after `left` bytes, and how many bytes
/// came from that one. Tells whether the crew was lost, too.
fn with_crews(
    number: u64,
    wanted: u64,
    left: usize,
) -> (Result<Vec<AnswerSet>, SolveError>, Solver, usize, bool) {
    let (program, goal, options) = case(number);
    let mut solver = Solver::with_goal(program, options, goal).expect("a small program");
    solver.want(wanted);
    let (stays, first, _) = crew(number, 2, usize::MAX);
    let (goes, second, passed) = crew(number, 4, left);
    solver.admit(first, &|| false).expect("it is there");
    solver.admit_later(second).expect("it may come");
    let mut answers = Vec::new();
    let told = loop {
        match solver.next_answer(&|| false) {
            Ok(Step::Answer(answer)) => answers.push(answer),
            Ok(Step::Exhausted) => break Ok(answers),
            Ok(step) => panic!("{step:?}"),
            Err(why) => break Err(why),
        }
        if wanted > 0 && answers.len() as u64 == wanted {
            break Ok(answers);
        }
    };
    let all_searched = solver.all_searched().is_some();
    assert!(told.is_ok() || !all_searched, "no verdict after an error");
    let statistics = solver.statistics();
    let gone = statistics.searchers.iter().any(|of| of.device.ends_with(", gone"));
    let passed = passed.load(SeqCst);
    let (program, goal, options) = case(number);
    // Lets both crews go.
    drop(std::mem::replace(&mut solver, Solver::with_goal(program, options, goal).expect("a small program")));
    stays.join().expect("no panic").expect("it was let go");
    // It was cut off, or let go.
    let _ = goes.join().expect("no panic");
    (told, solver, passed, gone)
}

#[test]
fn a_lost_crew_loses_nothing() {
    let (mut lost, mut untold) = (0, 0);
    for number in 0..72 {
        let (program, goal, options) = case(number);
        let single = Options { parallel_mode: ParallelMode::Searchers(1), ..options };
        let mut alone = Solver::with_goal(program.clone(), single, goal.clone()).expect("a small program");
        let alone: Vec<AnswerSet> = alone.answers().map(|answer| answer.expect("a working device")).collect();
        let is_told_once = goal.reasoning == Reasoning::Enumerate
            && matches!(goal.optimization, Optimization::Ignore | Optimization::Enum);
        let mut total = 0;
        for turn in 0..4 {
            // First the whole stream passes.
            let left =
                if turn == 0 { usize::MAX } else { 1 + mix(number << 8 | turn) as usize % (total + 1) };
            let (told, _, passed, gone) = with_crews(number, 0, left);
            total = total.max(passed);
            lost += gone as u32;
            match told {
                Ok(told) => {
                    let is_same = found(&told, &program, &goal) == found(&alone, &program, &goal);
                    assert!(is_same, "case {number}, {left} bytes: {goal:?}");
                    assert!(
                        !is_told_once || told.len() == alone.len(),
                        "case {number}, {left} bytes: repeats"
                    );
                }
                // An answer set was known to be there, and was not told.
                Err(SolveError::Gone(_)) if !is_told_once && turn > 0 => untold += 1,
                Err(why) => panic!("case {number}, {left} bytes: {why}"),
            }
            if turn == 3 && is_told_once && alone.len() > 3 {
                let wanted = 1 + mix(number) % 4;
                let told = with_crews(number, wanted, left).0.expect("answer sets");
                let distinct: std::collections::BTreeSet<_> =
                    told.iter().map(|answer| answer.atom_values()).collect();
                assert_eq!(distinct.len() as u64, wanted, "case {number}, {left} bytes");
            }
        }
    }
    assert!(lost > 72 && untold < lost / 4, "{lost} crews were lost; of {untold} an answer set was not told");
}

/// A crew that says hello, is given cubes, and is gone: the others search them.
#[test]
fn a_crew_that_only_takes_is_replaced() {
    let mut taken = 0;
    for number in 0..24 {
        let (program, goal, options) = case(number);
        let single = Options { parallel_mode: ParallelMode::Searchers(1), ..options };
        let mut alone = Solver::with_goal(program.clone(), single, goal.clone()).expect("a small program");
        let expected = find(&mut alone, &goal);
        let mut solver = Solver::with_goal(program, options, goal.clone()).expect("a small program");
        let (here, mut there) = UnixStream::pair().expect("a stream");
        let (hello, sizes) = (solver.campaign.task.mark(), Sizes::of(&solver.campaign.task));
        let again = here.try_clone().expect("a stream");
        // It goes when nothing comes any more, too.
        there.set_read_timeout(Some(Duration::from_millis(100))).expect("a stream");
        let takes = std::thread::spawn(move || {
            let say = [Message::Hello(1, 1, hello), Message::Wants(20)];
            say.iter().for_each(|message| message.write_to(&mut there).expect("room"));
            let (mut cubes, most) = (0, 1 + number % 5);
            while let Ok(Some(message)) = Message::read_from(&mut there, || sizes) {
                cubes += matches!(message, Message::Cube(_)) as u64;
                if cubes == most || message == Message::End {
                    break;
                }
            }
            cubes
        });
        let peer = Peer { may_go: true, ..Peer::new(Box::new(again), Box::new(here)) };
        solver.admit(peer, &|| false).expect("it is there");
        let found = find(&mut solver, &goal);
        assert!(found == expected, "case {number}");
        assert!(solver.all_searched().is_some(), "case {number}");
        taken += takes.join().expect("no panic");
    }
    assert!(taken > 8, "{taken} cubes were taken");
}
