//! Symmetries that are broken while crews of other processes search along, or are about to come.

use super::{options, outcome, outcome_of, pigeons, symmetric_program, Outcome};
use crate::crew::remote::tests::cut::cut;
use crate::{assist, Goal, Helper, Options, ParallelMode, Peer, SolveError, Solver, Step, Symmetry};
use solver_gpu::hash::mix;
use solver_gpu::{Lit, Var};
use std::os::unix::net::UnixStream;
use std::sync::atomic::Ordering::SeqCst;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use yasmin_ground::program::{Program, ProgramBuilder};

/// Vertices of a random graph get colours, which are all alike. With costs, neighbours may have the same one.
fn colours(seed: u64, vertices: u64, edges: u64, colours: u64, has_costs: bool) -> Program {
    let mut program = ProgramBuilder::default();
    let has = |program: &mut ProgramBuilder, v: u64, c: u64| program.atom(1 + v * colours + c);
    for v in 0..vertices {
        let all: Vec<Var> = (0..colours).map(|c| has(&mut program, v, c)).collect();
        program.choice(&all, &[]).expect("small");
        let none: Vec<Lit> = all.iter().map(|&p| Lit::f(p)).collect();
        program.rule(None, &none).expect("small");
        for (i, &a) in all.iter().enumerate() {
            all[..i].iter().for_each(|&b| program.rule(None, &[Lit::t(a), Lit::t(b)]).expect("small"));
        }
    }
    let mut wrong = Vec::new();
    for edge in 0..edges {
        let random = mix(seed << 20 | edge);
        let (v, w) = (random % vertices, (random >> 32) % vertices);
        if v == w {
            continue;
        }
        let same = program.atom(1 + vertices * colours + edge);
        for c in 0..colours {
            let both = [v, w].map(|v| Lit::t(has(&mut program, v, c)));
            program.rule(has_costs.then_some(same), &both).expect("small");
        }
        wrong.push((Lit::t(same), i64::from(1 + random as i32 % 2)));
    }
    if has_costs {
        program.minimize(0, &wrong).expect("few");
    }
    program.build().expect("small")
}

/// Programs with symmetries. The search of some of them lasts.
fn program(number: u64) -> Program {
    match number % 4 {
        0 => colours(number, 15, 45, 3, true),
        1 => colours(number, 60, 270, 4, false),
        2 => pigeons(5 + number % 3, 5),
        _ => symmetric_program(number),
    }
}

fn case(number: u64) -> Options {
    let join_after = ["conflict:1", "conflict:20", "0"][number as usize % 3];
    Options {
        symmetry: Symmetry::Auto,
        symmetry_after: [0, 1, 30, 100][(number / 4) as usize % 4],
        parallel_mode: ParallelMode::Searchers(1 + number as usize % 2),
        join_after: join_after.parse().expect("known"),
        seed: number,
        ..options()
    }
}

type Away = JoinHandle<Result<(), SolveError>>;

/// Crews in a chain, each of which searches along on a thread of its own, and the stream to the first one.
fn away(number: u64, first: usize, beyond: usize, may_go: bool) -> (Vec<Away>, UnixStream) {
    away_in(&program(number), case(number), first, beyond, may_go)
}

fn away_in(
    program: &Program,
    options: Options,
    first: usize,
    beyond: usize,
    may_go: bool,
) -> (Vec<Away>, UnixStream) {
    let (here, there) = UnixStream::pair().expect("a stream");
    let next = (beyond > 0).then(|| away_in(program, options, first + 2, beyond - 1, false));
    let program = program.clone();
    let (mut crews, others) = match next {
        Some((crews, stream)) => (crews, vec![Peer { searchers: 2 * beyond as u32, ..peer(&stream, false) }]),
        None => (Vec::new(), Vec::new()),
    };
    crews.push(std::thread::spawn(move || {
        let (name, goal, home) = (format!("crew {first}"), Goal::default(), peer(&there, may_go));
        let helper = Helper { name, program, options, goal, home, others, before: first, proof: None };
        assist(helper).map(drop)
    }));
    (crews, here)
}

fn peer(stream: &UnixStream, may_go: bool) -> Peer {
    let again = || Box::new(stream.try_clone().expect("a stream"));
    Peer { may_go, ..Peer::new(again(), again()) }
}

/// What a search of a case must come to.
fn expected(number: u64) -> Outcome {
    outcome(&program(number), Options { seed: number, ..options() })
}

/// Whether the search has begun anew, and whether crews search along that have done so as well.
fn began_anew(solver: &Solver) -> (bool, bool) {
    let joined = solver.company.crew().is_some_and(|crew| crew.remotes > 0);
    let is_anew = solver.campaign.task.are_symmetries_broken();
    (is_anew, is_anew && joined)
}

#[test]
fn crews_begin_anew_with_the_solver() {
    let (mut anew, mut joined, mut busy) = (0, 0, 0);
    for number in 0..96 {
        let (goal, options) = (Goal::default(), case(number));
        let mut solver = Solver::with_goal(program(number), options, goal).expect("small");
        let beyond = number as usize / 2 % 3;
        let (crews, stream) = away(number, 2, beyond, false);
        match number / 16 % 2 {
            0 => solver.admit(peer(&stream, false), &|| false).expect("it is there"),
            _ => solver.admit_later(peer(&stream, false)).expect("it may come"),
        }
        drop(stream);
        assert_eq!(outcome_of(&mut solver).expect("working crews"), expected(number), "case {number}");
        let (is_anew, are_joined) = began_anew(&solver);
        anew += is_anew as u32;
        solver.stop_searchers();
        let statistics = solver.statistics();
        let rows = statistics.searchers.iter().filter(|of| of.device.starts_with("crew"));
        let rows: Vec<(&str, u64)> = rows.map(|of| (of.device.as_str(), of.conflicts)).collect();
        let names: Vec<String> = (0..=beyond).map(|i| format!("crew {}", 2 + 2 * i)).collect();
        let is_row = |(name, _): &(&str, u64)| names.iter().any(|known| known == name);
        assert!(rows.iter().all(is_row) && rows.len() <= names.len(), "case {number}: {rows:?}");
        if are_joined {
            joined += 1;
            busy += rows.iter().filter(|(_, conflicts)| *conflicts > 0).count();
        }
        drop(solver);
        for crew in crews {
            crew.join().expect("no panic").expect("it was let go");
        }
    }
    assert!(anew > 30 && joined > 2 && busy > 2, "{anew} began anew, {joined} with crews, {busy} busy");
}

/// In a search that lasts, each crew of a chain has conflicts in what is searched anew.
#[test]
fn crews_search_on_after_the_search_has_begun_anew() {
    let number = 1;
    let program = colours(number, 200, 940, 4, false);
    let options = Options { symmetry_after: 0, ..case(number) };
    let mut solver = Solver::new(program.clone(), options).expect("small");
    let (crews, stream) = away_in(&program, options, 2, 2, false);
    solver.admit(peer(&stream, false), &|| false).expect("it is there");
    drop(stream);
    solver.want(1);
    solver.asks_once();
    let conflicts = |solver: &Solver| -> Vec<u64> {
        let each = solver.statistics().searchers;
        each.iter().filter(|of| of.device.starts_with("crew")).map(|of| of.conflicts).collect()
    };
    // Crews beyond the first one tell what they have done at the end.
    while conflicts(&solver).first().is_none_or(|&conflicts| conflicts < 5000) {
        let since = Instant::now();
        let step = solver.next_answer(&|| since.elapsed() > Duration::from_millis(100));
        assert_eq!(step, Ok(Step::Interrupted), "nobody colours so many edges so soon");
    }
    solver.stop_searchers();
    let conflicts = conflicts(&solver);
    assert!(conflicts.len() == 3 && conflicts.iter().all(|&of| of > 0), "{conflicts:?} conflicts of crews");
    assert_eq!(began_anew(&solver), (true, true));
    drop(solver);
    for crew in crews {
        crew.join().expect("no panic").expect("it was let go");
    }
}

#[test]
fn a_crew_that_is_lost_while_the_search_begins_anew_loses_nothing() {
    let (mut lost, mut anew) = (0, 0);
    for number in 0..64 {
        let expected = expected(number);
        let mut total = 0;
        for turn in 0..4 {
            // First the whole stream passes.
            let left =
                if turn == 0 { usize::MAX } else { 1 + mix(number << 8 | turn) as usize % (total + 1) };
            let mut solver =
                Solver::with_goal(program(number), case(number), Goal::default()).expect("small");
            let (stays, first) = away(number, 2, 0, true);
            let (goes, second) = away(number, 4, 0, true);
            solver.admit(peer(&first, true), &|| false).expect("it is there");
            let (peer, came) = cut(&second, left);
            solver.admit_later(peer).expect("it may come");
            drop((first, second));
            match outcome_of(&mut solver) {
                Ok(outcome) => assert_eq!(outcome, expected, "case {number}, {left} bytes"),
                // A better answer set was known to be there, and was not told.
                Err(SolveError::Gone(_)) if turn > 0 && expected.0.is_some() => {}
                Err(why) => panic!("case {number}, {left} bytes: {why}"),
            }
            let statistics = solver.statistics();
            lost += statistics.searchers.iter().filter(|of| of.device.ends_with(", gone")).count();
            anew += began_anew(&solver).1 as u32;
            total = total.max(came.load(SeqCst));
            drop(solver);
            for crew in stays {
                crew.join().expect("no panic").expect("it was let go");
            }
            // It was cut off, or let go.
            goes.into_iter().for_each(|crew| drop(crew.join().expect("no panic")));
        }
    }
    assert!(lost > 20 && anew > 30, "{lost} crews were lost, {anew} searches began anew with crews");
}
