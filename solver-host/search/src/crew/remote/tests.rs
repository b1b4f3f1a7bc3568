//! A solver and a crew in another process find what a single search finds.
//!
//! The other process is this test program, which runs one test again and finds an address in its environment.

use super::{Link, Message};
use crate::crew::link::Patience;
use crate::crew::message::Sizes;
use yasmin_device::DeviceKind;
use yasmin_ground::program::Program;

use crate::lockstep::programs::{goal, pigeons, rich_program};
use crate::threads::find;
use crate::{assist, Helper, Peer};
use crate::{Goal, Optimization, Options, ParallelMode, Reasoning, SolveError, Solver, Step, When};
use solver_gpu::hash::mix;
use solver_gpu::{Lit, Var};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

pub mod cut;
mod losses;

/// Where the other process finds the address of this one, and the number of the case.
const ADDRESS: &str = "YASMIN_TEST_HOME";
const CASE: &str = "YASMIN_TEST_CASE";

/// And how many further processes get their work from it, each from the one before.
const BEYOND: &str = "YASMIN_TEST_BEYOND";

/// Both directions of a connection.
fn both(stream: &TcpStream) -> (Box<dyn Read + Send>, Box<dyn Write + Send>) {
    stream.set_nodelay(true).expect("a connection");
    let again = || Box::new(stream.try_clone().expect("a connection"));
    (again(), again())
}

/// Each case, small enough to be prepared in both processes.
fn case(number: u64) -> (Program, Goal, Options) {
    let options = Options {
        device: DeviceKind::Cpu,
        parallel_mode: ParallelMode::Searchers(2),
        join_after: When::Milliseconds(0),
        split_from: [0, 400][number as usize % 2],
        seed: number,
        ..Options::default()
    };
    match number {
        0 => (pigeons(7, 6, 0), Goal::default(), options),
        1 => (pigeons(6, 7, 2), Goal { optimization: Optimization::Ignore, ..Goal::default() }, options),
        _ => (rich_program(400 + number), goal(number), options),
    }
}

/// Has another process search along in a case, and so many beyond it, by running the test with this name again.
fn helper(test: &str, number: u64, beyond: u32, listener: &TcpListener) -> (Child, TcpStream) {
    let child = Command::new(std::env::current_exe().expect("a test program"))
        .args(["--exact", "--nocapture", test])
        .env(ADDRESS, listener.local_addr().expect("a socket").to_string())
        .env(CASE, number.to_string())
        .env(BEYOND, beyond.to_string())
        .stdout(Stdio::null())
        .spawn()
        .expect("a process");
    (child, listener.accept().expect("the other process").0)
}

/// Searches along, if this is the other process. Returns whether it is.
fn is_other_process(test: &str) -> bool {
    let Ok(address) = std::env::var(ADDRESS) else { return false };
    let number = std::env::var(CASE).expect("a case").parse().expect("a number");
    let stream = TcpStream::connect(address).expect("the first process");
    let ((from, to), (program, goal, options)) = (both(&stream), case(number));
    let home = Peer::new(from, to);
    let beyond: u32 = std::env::var(BEYOND).expect("how many").parse().expect("a number");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a socket");
    let next = (beyond > 0).then(|| helper(test, number, beyond - 1, &listener));
    let others = next.iter().map(|(_, stream)| {
        let (from, to) = both(stream);
        Peer { searchers: 2 * beyond, ..Peer::new(from, to) }
    });
    let (name, others, before) = (format!("away, with {beyond} beyond"), others.collect(), 2);
    assist(Helper { name, program, options, goal, home, others, before, proof: None }).expect("no failure");
    if let Some((mut child, stream)) = next {
        drop(stream);
        assert!(child.wait().expect("a process").success());
    }
    true
}

/// The name of a test of this module.
fn named(test: &str) -> String {
    format!("crew::remote::tests::{test}")
}

#[test]
fn crews_in_two_processes_find_what_one_search_finds() {
    let test = named("crews_in_two_processes_find_what_one_search_finds");
    if is_other_process(&test) {
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").expect("a socket");
    let (mut found_away, mut spread, mut spread_again) = (0, 0, 0);
    for number in 0..14 {
        let (program, goal, options) = case(number);
        let single = Options { parallel_mode: ParallelMode::Searchers(1), ..options };
        let mut alone = Solver::with_goal(program.clone(), single, goal.clone()).expect("a small program");
        let expected = find(&mut alone, &goal);
        let (mut child, stream) = helper(&test, number, 0, &listener);
        let mut solver = Solver::with_goal(program, options, goal.clone()).expect("a small program");
        let (from, to) = both(&stream);
        solver.admit(Peer::new(from, to), &|| false).expect("another crew");
        let found = find(&mut solver, &goal);
        assert_eq!(found, expected, "case {number}: {goal:?}");
        assert_eq!(solver.is_optimum_known(), alone.is_optimum_known(), "case {number}");
        assert!(solver.all_searched().is_some(), "case {number}");
        if let Some(crew) = solver.company.crew() {
            spread += 1;
            let away = crew.each_searcher().into_iter().find(|of| of.device.starts_with("away"));
            found_away += away.expect("it is one of the crew").answer_sets;
        }
        // Under assumptions as well, and with what was learned before.
        for turn in 0..4 {
            let lit = |i: u64| {
                let random = mix(100 * number + 10 * turn + i);
                let atom = Var(random as u32 % solver.program().atoms);
                if random >> 32 & 1 == 0 {
                    Lit::t(atom)
                } else {
                    Lit::f(atom)
                }
            };
            let assumed: Vec<Lit> = (0..turn).map(lit).collect();
            for one in [&mut solver, &mut alone] {
                one.assume(&assumed).expect("atoms of the program");
            }
            let told = format!("case {number}: {goal:?}, assumed {assumed:?}");
            assert_eq!(find(&mut solver, &goal), find(&mut alone, &goal), "{told}");
            assert_eq!(solver.core().is_some(), alone.core().is_some(), "{told}");
            if let Some(core) = solver.core().map(<[Lit]>::to_vec) {
                assert!(core.iter().all(|lit| assumed.contains(lit)), "{told}: {core:?}");
                alone.assume(&core).expect("atoms of the program");
                assert!(find(&mut alone, &goal).is_empty(), "{told}: {core:?} is no core");
            }
            spread_again += solver.company.crew().is_some() as u32;
        }
        drop(solver);
        drop(stream);
        assert!(child.wait().expect("a process").success(), "case {number}");
    }
    assert!(
        spread >= 8 && spread_again > 10 && found_away > 20,
        "{spread} and {spread_again} searches spread, {found_away} answer sets from elsewhere"
    );
}

/// Three processes in a chain, of which the last gets its work from the one in the middle, and comes when it comes.
#[test]
fn a_chain_of_crews_finds_what_one_search_finds() {
    let test = named("a_chain_of_crews_finds_what_one_search_finds");
    if is_other_process(&test) {
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").expect("a socket");
    let (mut found_away, mut rows) = (0, 0);
    for number in 0..14 {
        let (program, goal, options) = case(number);
        let single = Options { parallel_mode: ParallelMode::Searchers(1), ..options };
        let mut alone = Solver::with_goal(program.clone(), single, goal.clone()).expect("a small program");
        let expected = find(&mut alone, &goal);
        let (mut child, stream) = helper(&test, number, 2, &listener);
        let mut solver = Solver::with_goal(program, options, goal.clone()).expect("a small program");
        let (from, to) = both(&stream);
        match number % 4 {
            0 => solver.admit_later(Peer::new(from, to)).expect("a stream"),
            _ => solver.admit(Peer::new(from, to), &|| false).expect("another crew"),
        }
        assert_eq!(find(&mut solver, &goal), expected, "case {number}: {goal:?}");
        assert_eq!(solver.is_optimum_known(), alone.is_optimum_known(), "case {number}");
        assert!(solver.all_searched().is_some(), "case {number}");
        solver.stop_searchers();
        let each = solver.statistics().searchers;
        let away = each.iter().filter(|of| of.device.starts_with("away"));
        let counts: Vec<u64> = away.map(|of| of.answer_sets).collect();
        rows = rows.max(counts.len());
        found_away += counts.iter().sum::<u64>();
        drop(solver);
        drop(stream);
        assert!(child.wait().expect("a process").success(), "case {number}");
    }
    assert!(rows == 3 && found_away > 20, "{rows} crews at most, {found_away} answer sets from elsewhere");
}

/// If nobody wants to see answer sets, crews tell their number, however many crews are in the chain.
#[test]
fn crews_count_answer_sets_that_nobody_wants_to_see() {
    let test = named("crews_count_answer_sets_that_nobody_wants_to_see");
    if is_other_process(&test) {
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").expect("a socket");
    let (mut counted_away, mut told) = (0, 0);
    for number in 1..28 {
        let (program, goal, options) = case(number);
        if goal.reasoning != Reasoning::Enumerate {
            continue;
        }
        let single = Options { parallel_mode: ParallelMode::Searchers(1), ..options };
        let mut alone = Solver::with_goal(program.clone(), single, goal.clone()).expect("a small program");
        let expected = alone.answers().count() as u64;
        let (mut child, stream) = helper(&test, number, 1, &listener);
        let mut solver = Solver::with_goal(program, options, goal.clone()).expect("a small program");
        let (from, to) = both(&stream);
        solver.admit(Peer::new(from, to), &|| false).expect("another crew");
        solver.only_count();
        let mut all = 0;
        loop {
            match solver.next_answer(&|| false).expect("working crews") {
                Step::Answer(_) => (all, told) = (all + 1, told + 1),
                Step::Counted(more) => all += more,
                Step::Exhausted => break,
                step => panic!("{step:?}"),
            }
        }
        assert_eq!(solver.stop_searchers(), 0, "all were told before the search was over");
        let is_counted = matches!(goal.optimization, Optimization::Ignore);
        assert!(!is_counted || all == expected, "case {number}: {goal:?}: {all} and not {expected}");
        assert!(solver.all_searched().is_some(), "case {number}");
        let each = solver.statistics().searchers;
        let in_rows = each.iter().map(|of| of.answer_sets).sum::<u64>();
        assert!(!is_counted || each.is_empty() || in_rows == all, "case {number}: {in_rows} and not {all}");
        let away = each.iter().filter(|of| of.device.starts_with("away"));
        counted_away += if is_counted { away.map(|of| of.answer_sets).sum::<u64>() } else { 0 };
        drop(solver);
        drop(stream);
        assert!(child.wait().expect("a process").success(), "case {number}");
    }
    assert!(counted_away > 100, "{counted_away} answer sets were counted elsewhere, {told} told");
}

/// A solver, and the other end of a stream that has said that a crew is there, and says nothing more.
fn with_a_crew_that_says_hello() -> (Solver, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a socket");
    let (_, goal, options) = case(0);
    // The members alone would take minutes.
    let program = pigeons(11, 10, 0);
    let mut solver = Solver::with_goal(program, options, goal).expect("a small program");
    let mut away = TcpStream::connect(listener.local_addr().expect("a socket")).expect("this process");
    let (stream, _) = listener.accept().expect("this process");
    let mark = solver.campaign.task.mark();
    Message::Hello(1, 1, mark).write_to(&mut away).expect("a connection");
    let (from, to) = both(&stream);
    solver.admit(Peer::new(from, to), &|| false).expect("it is there");
    (solver, away)
}

/// The searchers of all crews together race for as long as so many searchers of one crew would.
#[test]
fn the_race_is_as_long_as_all_crews_together_make_it() {
    for (elsewhere, split_from) in [(0, 10_000), (15, 10_000), (63, 2_500), (1000, 400)] {
        let (mut here, away) = std::os::unix::net::UnixStream::pair().expect("a stream");
        let parallel_mode = ParallelMode::Searchers(1);
        let options = Options { parallel_mode, split_from: 10_000, ..case(0).2 };
        // The solver alone would take minutes.
        let mut solver = Solver::with_goal(pigeons(11, 10, 0), options, Goal::default()).expect("small");
        Message::Hello(1, 1, solver.campaign.task.mark()).write_to(&mut here).expect("room");
        let again = away.try_clone().expect("a stream");
        let peer = Peer { searchers: elsewhere, ..Peer::new(Box::new(again), Box::new(away)) };
        solver.admit(peer, &|| false).expect("it is there");
        solver.want(1);
        let sizes = Sizes::of(&solver.campaign.task);
        let begins = std::thread::spawn(move || Message::read_from(&mut here, || sizes));
        let step = solver.next_answer(&|| begins.is_finished());
        assert!(matches!(step, Ok(Step::Interrupted) | Err(SolveError::Gone(_))), "{step:?}");
        match begins.join().expect("no panic").expect("a message") {
            Some(Message::Begin(begin)) => assert_eq!(begin.split_from, split_from, "{elsewhere}"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_crew_that_goes_away_is_an_error_and_no_verdict() {
    let (mut solver, away) = with_a_crew_that_says_hello();
    drop(away);
    let step = solver.next_answer(&|| false);
    assert!(matches!(step, Err(SolveError::Gone(_))), "{step:?}");
    assert!(solver.all_searched().is_none());
}

#[test]
fn a_crew_that_says_nothing_is_not_waited_for() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a socket");
    let (program, goal, options) = case(0);
    let mut solver = Solver::with_goal(program, options, goal).expect("a small program");
    let _away = TcpStream::connect(listener.local_addr().expect("a socket")).expect("this process");
    let (stream, _) = listener.accept().expect("this process");
    let (from, to) = both(&stream);
    let asked = std::cell::Cell::new(0);
    let interrupt = || {
        asked.set(asked.get() + 1);
        asked.get() == 3
    };
    let refused = solver.admit(Peer::new(from, to), &interrupt);
    assert!(matches!(&refused, Err(SolveError::Crew(why)) if why.contains("in time")), "{refused:?}");
    // The search goes on by itself.
    assert!(matches!(solver.next_answer(&|| false), Ok(Step::Answer(_) | Step::Exhausted)));
}

/// A crew that says that it is there, and then neither speaks nor reads.
#[test]
fn a_crew_that_falls_silent_does_not_keep_the_solver() {
    let (mut solver, _away) = with_a_crew_that_says_hello();
    let asked = std::cell::Cell::new(0);
    let interrupt = || {
        asked.set(asked.get() + 1);
        asked.get() > 3
    };
    // The crew may hold a part of the search space, so that there is no verdict without it.
    let step = solver.next_answer(&interrupt);
    assert!(matches!(step, Ok(Step::Interrupted)), "{step:?}");
    assert!(solver.all_searched().is_none());
    drop(solver);
}

#[test]
fn an_end_that_does_not_read_is_an_error() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a socket");
    let (program, goal, options) = case(0);
    let solver = Solver::with_goal(program, options, goal).expect("a small program");
    let _away = TcpStream::connect(listener.local_addr().expect("a socket")).expect("this process");
    let (stream, _) = listener.accept().expect("this process");
    let (from, to) = both(&stream);
    let patience = Patience { reads: Some(Duration::from_millis(50)), ..Patience::default() };
    let mut link = Link::new(&solver.campaign.task, from, to, patience).expect("two threads");
    let long = || [Message::Nogoods(vec![0; 1 << 16])];
    let refused = (0..10_000).find_map(|_| link.say(long()).err()).expect("no room for all");
    assert!(refused.to_string().contains("does not read"), "{refused}");
    assert!(link.say([Message::Leave]).is_err());
}

/// An end that takes its time to return is waited for only so long, or as long as its stream lives.
#[test]
fn an_end_that_returns_late_is_waited_for_while_its_stream_lives() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a socket");
    let (program, goal, options) = case(0);
    let solver = Solver::with_goal(program, options, goal).expect("a small program");
    let link = |patience| {
        let away = TcpStream::connect(listener.local_addr().expect("a socket")).expect("this process");
        let (stream, _) = listener.accept().expect("this process");
        let (from, to) = both(&stream);
        (Link::new(&solver.campaign.task, from, to, patience).expect("two threads"), away)
    };
    let returns = Some(Duration::from_millis(50));
    let (impatient, _silent) = link(Patience { returns, ..Patience::default() });
    let late = impatient.hear_by(impatient.deadline());
    assert!(matches!(&late, Err(SolveError::Crew(why)) if why.contains("in time")), "{late:?}");
    let (patient, mut away) = link(Patience::WHILE_IT_LIVES);
    let speaks = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        Message::Ended(None).write_to(&mut away).expect("a connection");
    });
    assert_eq!(patient.hear_by(patient.deadline()).expect("it lives"), Message::Ended(None));
    speaks.join().expect("no panic");
    // Now the stream has ended.
    assert!(matches!(patient.hear_by(patient.deadline()), Err(SolveError::Gone(_))));
    let passed = patient.passed();
    assert!(passed.bytes_in > 4 && passed.bytes_out == 0 && passed.seconds >= 0.2, "{passed:?}");
}

#[test]
fn a_crew_with_another_program_is_refused() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a socket");
    let address = listener.local_addr().expect("a socket");
    // The programs have the same sizes.
    let programs = [pigeons(7, 6, 0), pigeons(7, 6, 1)];
    let (_, goal, options) = case(0);
    let [here, there] = programs;
    let (other_goal, other) = (goal.clone(), options);
    let away = std::thread::spawn(move || {
        let stream = TcpStream::connect(address).expect("this process");
        let (from, to) = both(&stream);
        let (home, others) = (Peer::new(from, to), Vec::new());
        let (name, program) = ("away".into(), there);
        assist(Helper {
            name,
            program,
            options: other,
            goal: other_goal,
            home,
            others,
            before: 2,
            proof: None,
        })
    });
    let (stream, _) = listener.accept().expect("this process");
    let mut solver = Solver::with_goal(here, options, goal).expect("a small program");
    let (from, to) = both(&stream);
    let refused = solver.admit(Peer::new(from, to), &|| false);
    assert!(matches!(refused, Err(SolveError::Crew(_))), "{refused:?}");
    stream.shutdown(std::net::Shutdown::Both).expect("a connection");
    assert!(matches!(away.join().expect("no panic"), Err(SolveError::Gone(_))));
}
