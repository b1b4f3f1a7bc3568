//! A solver and a crew in another process find what a single search finds.
//!
//! The other process is this test program, which runs one test again and finds an address in its environment.

use super::assist;
use crate::device::DeviceKind;
use crate::program::Program;
use crate::search::lockstep::programs::{goal, pigeons, rich_program};
use crate::search::solver::{Others, Step};
use crate::search::threads::find;
use crate::search::{Goal, Optimization, Options, ParallelMode, SolveError, Solver, When};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

/// Where the other process finds the address of this one, and the number of the case.
const ADDRESS: &str = "YASMIN_TEST_HOME";
const CASE: &str = "YASMIN_TEST_CASE";

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

/// Has another process search along in a case, by running the test with this name again.
fn helper(test: &str, number: u64, listener: &TcpListener) -> (Child, TcpStream) {
    let child = Command::new(std::env::current_exe().expect("a test program"))
        .args(["--exact", "--nocapture", test])
        .env(ADDRESS, listener.local_addr().expect("a socket").to_string())
        .env(CASE, number.to_string())
        .stdout(Stdio::null())
        .spawn()
        .expect("a process");
    (child, listener.accept().expect("the other process").0)
}

/// Searches along, if this is the other process. Returns whether it is.
fn is_other_process() -> bool {
    let Ok(address) = std::env::var(ADDRESS) else { return false };
    let number = std::env::var(CASE).expect("a case").parse().expect("a number");
    let stream = TcpStream::connect(address).expect("the first process");
    let ((from, to), (program, goal, options)) = (both(&stream), case(number));
    assist(program, options, &goal, from, to).expect("no failure");
    true
}

/// The name of a test of this module.
fn named(test: &str) -> String {
    format!("search::crew::remote::tests::{test}")
}

#[test]
fn crews_in_two_processes_find_what_one_search_finds() {
    if is_other_process() {
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").expect("a socket");
    let test = named("crews_in_two_processes_find_what_one_search_finds");
    let (mut found_away, mut spread) = (0, 0);
    for number in 0..14 {
        let (program, goal, options) = case(number);
        let single = Options { parallel_mode: ParallelMode::Searchers(1), ..options };
        let mut alone = Solver::with_goal(program.clone(), single, goal.clone()).expect("a small program");
        let expected = find(&mut alone, &goal);
        let (mut child, stream) = helper(&test, number, &listener);
        let mut solver = Solver::with_goal(program, options, goal.clone()).expect("a small program");
        let (from, to) = both(&stream);
        assert!(solver.admit(from, to, &|| false).expect("another crew"));
        let found = find(&mut solver, &goal);
        assert_eq!(found, expected, "case {number}: {goal:?}");
        assert_eq!(solver.is_optimum_known(), alone.is_optimum_known(), "case {number}");
        assert!(solver.all_searched().is_some(), "case {number}");
        if let Others::Crew(crew) = &solver.others {
            spread += 1;
            let away = crew.each_searcher().into_iter().find(|of| of.device == "another crew");
            found_away += away.expect("it is one of the crew").answer_sets;
        }
        drop(solver);
        drop(stream);
        assert!(child.wait().expect("a process").success(), "case {number}");
    }
    assert!(
        spread >= 8 && found_away > 20,
        "{spread} searches spread, {found_away} answer sets from elsewhere"
    );
}

#[test]
fn a_crew_that_goes_away_is_an_error_and_no_verdict() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a socket");
    let (program, goal, options) = case(0);
    let mut solver = Solver::with_goal(program, options, goal).expect("a small program");
    let mut away = TcpStream::connect(listener.local_addr().expect("a socket")).expect("this process");
    let (stream, _) = listener.accept().expect("this process");
    // Says that it is there, and nothing more.
    let mark = super::mark_of(&solver.campaign.task);
    super::Message::Hello(1, mark).write_to(&mut away).expect("a connection");
    let (from, to) = both(&stream);
    assert!(solver.admit(from, to, &|| false).expect("it is there"));
    drop(away);
    let step = solver.next_answer(&|| false);
    assert!(matches!(step, Err(SolveError::Crew(_))), "{step:?}");
    assert!(solver.all_searched().is_none());
}

/// Two ends of a connection within this process.
fn connection() -> [TcpStream; 2] {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a socket");
    let there = TcpStream::connect(listener.local_addr().expect("a socket")).expect("this process");
    [listener.accept().expect("this process").0, there]
}

/// What `run` returns, if it returns within half a minute.
fn in_time<T: Send + 'static>(run: impl FnOnce() -> T + Send + 'static) -> T {
    let (tell, told) = channel();
    std::thread::spawn(move || tell.send(run()));
    told.recv_timeout(Duration::from_secs(30)).expect("no wait without an end")
}

#[test]
fn a_crew_that_never_comes_is_waited_for_until_an_interrupt() {
    let [here, mut there] = connection();
    let (was_admitted, found) = in_time(move || {
        let (program, goal, options) = case(1);
        let mut solver = Solver::with_goal(program, options, goal.clone()).expect("a small program");
        let until = Instant::now() + Duration::from_millis(30);
        let (from, to) = both(&here);
        let was_admitted = solver.admit(from, to, &|| Instant::now() >= until).expect("no failure");
        assert!(Instant::now() >= until, "the interrupt is the end of the wait");
        (was_admitted, find(&mut solver, &goal))
    });
    assert!(!was_admitted);
    let (program, goal, options) = case(1);
    let mut alone = Solver::with_goal(program, options, goal.clone()).expect("a small program");
    assert_eq!(found, find(&mut alone, &goal));
    // A crew that comes later is told to go.
    let sizes = super::Sizes::of(&alone.campaign.task);
    let said = super::Message::read_from(&mut there, &sizes).expect("a connection");
    assert_eq!(said, Some(super::Message::Leave));
}

#[test]
fn a_crew_that_falls_silent_keeps_no_solver_from_its_end() {
    let [here, mut there] = connection();
    let step = in_time(move || {
        let (program, goal, options) = case(0);
        // Nothing is left when the search ends but what the other crew may have.
        let options = Options { parallel_mode: ParallelMode::Searchers(1), ..options };
        let mut solver = Solver::with_goal(program, options, goal).expect("a small program");
        let mark = super::mark_of(&solver.campaign.task);
        super::Message::Hello(1, mark).write_to(&mut there).expect("a connection");
        let (from, to) = both(&here);
        assert!(solver.admit(from, to, &|| false).expect("it is there"));
        let until = Instant::now() + Duration::from_millis(200);
        let step = solver.next_answer(&|| Instant::now() >= until);
        // This waits for the threads of the crew.
        drop(solver);
        (step, there)
    });
    assert!(matches!(step.0, Ok(Step::Interrupted)), "{:?}", step.0);
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
        assist(there, other, &other_goal, from, to)
    });
    let (stream, _) = listener.accept().expect("this process");
    let mut solver = Solver::with_goal(here, options, goal).expect("a small program");
    let (from, to) = both(&stream);
    let refused = solver.admit(from, to, &|| false);
    assert!(matches!(refused, Err(SolveError::Crew(_))), "{refused:?}");
    stream.shutdown(std::net::Shutdown::Both).expect("a connection");
    assert!(matches!(away.join().expect("no panic"), Err(SolveError::Crew(_))));
}
