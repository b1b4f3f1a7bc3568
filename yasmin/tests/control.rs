//! Controls on threads, deadlines, and what is refused.

use std::thread;
use std::time::Duration;
use yasmin::{
    Cancel, Control, DeviceKind, Error, External, Goal, GpuSearchers, Literal, OptStrategy, Options,
    ParallelMode, Progress, Projection, Question, Reasoning, SearcherThreads, Term, Usc, When,
};

/// `n` pigeons in `n - 1` holes, by methods.
fn pigeons(n: usize, options: Options) -> Control {
    let mut control = Control::new(options);
    let atoms: Vec<Vec<_>> = (0..n).map(|_| (1..n).map(|_| control.atom()).collect()).collect();
    for pigeon in &atoms {
        control.choice(pigeon, &[]).expect("atoms of the control");
        let none: Vec<Literal> = pigeon.iter().map(|atom| !atom.positive()).collect();
        control.rule(&[], &none).expect("atoms of the control");
    }
    for (i, one) in atoms.iter().enumerate() {
        for other in &atoms[..i] {
            for (here, there) in one.iter().zip(other) {
                control.rule(&[], &[here.positive(), there.positive()]).expect("atoms of the control");
            }
        }
    }
    control
}

/// How many answer sets there are.
fn count(control: &mut Control, question: &Question) -> usize {
    let answers: Result<Vec<_>, Error> = control.solve(question).expect("a question").collect();
    answers.expect("answers").len()
}

#[test]
fn a_control_made_here_is_used_there() {
    let mut control = pigeons(5, Options::on_processor());
    let there = thread::spawn(move || {
        assert_eq!(count(&mut control, &Question::new()), 0);
        control
    });
    let mut control = there.join().expect("no panic");
    assert_eq!(count(&mut control, &Question::new()), 0);
}

#[test]
fn a_hundred_controls_at_once() {
    let mut controls: Vec<Control> = (0..100).map(|n| pigeons(3 + n % 3, Options::on_processor())).collect();
    // All are half-way at the same time.
    let answers: Vec<_> =
        controls.iter_mut().map(|control| control.solve(&Question::new()).expect("a question")).collect();
    for mut answers in answers {
        assert!(answers.next().is_none());
        assert_eq!(answers.is_satisfiable(), Some(false));
    }
    thread::scope(|scope| {
        for control in &mut controls {
            scope.spawn(|| assert_eq!(count(control, &Question::new()), 0));
        }
    });
}

#[test]
fn a_search_ends_when_another_thread_says_so() {
    let mut control = pigeons(14, Options::on_processor());
    let cancel = Cancel::new();
    let question = Question::new().cancelled_by(&cancel);
    let mut answers = control.solve(&question).expect("a question");
    let other = thread::spawn({
        let cancel = cancel.clone();
        move || {
            thread::sleep(Duration::from_millis(50));
            cancel.cancel();
        }
    });
    assert!(answers.next().is_none());
    assert_eq!((answers.is_satisfiable(), answers.is_exhausted(), answers.core()), (None, false, None));
    assert!(answers.next().is_none(), "it is over");
    other.join().expect("no panic");
    // The same control answers another question afterwards.
    cancel.reset();
    let mut answers = control.solve(&question.within(Duration::from_millis(20))).expect("a question");
    assert!(answers.next().is_none());
    assert_eq!(answers.is_satisfiable(), None);
}

#[test]
fn a_deadline_that_has_passed_ends_at_once() {
    let mut control = pigeons(14, Options::on_processor());
    let mut answers = control.solve(&Question::new().within(Duration::ZERO)).expect("a question");
    assert!(answers.next().is_none());
    assert_eq!((answers.is_satisfiable(), answers.is_exhausted()), (None, false));
    // Forever is not too long to be said.
    let _ = Question::new().within(Duration::MAX);
}

#[test]
fn answers_outlive_the_control() {
    let mut control = Control::new(Options::on_processor());
    let a = control.atom();
    control.choice(&[a], &[]).expect("an atom of the control");
    control.show("f(1,x)", &[a.positive()]).expect("an atom of the control");
    let answers: Vec<_> = control
        .solve(&Question::new())
        .expect("a question")
        .map(|answer| answer.expect("an answer"))
        .collect();
    let younger = control.atom();
    drop(control);
    let with: Vec<_> = answers.iter().filter(|answer| answer.holds(a)).collect();
    assert_eq!((answers.len(), with.len()), (2, 1));
    assert!(with[0].contains("f(1,x)") && !with[0].holds(younger) && !with[0].holds(!younger.positive()));
    assert_eq!(with[0].terms().next(), Some(Term::function("f", [Term::Number(1), Term::function("x", [])])));
    assert_eq!((with[0].to_string(), format!("{:?}", with[0])), ("f(1,x)".into(), "[\"f(1,x)\"]".into()));
}

/// The options of a control of which other searchers search along from the beginning: on the processor, in a fleet, in
/// both, or nowhere.
fn each_way(fleets: DeviceKind) -> [Options; 4] {
    let one = Options::on_processor();
    let three = Options {
        parallel_mode: ParallelMode::Searchers(3),
        join_after: When::Milliseconds(0),
        share_lbd: 32,
        ..one
    };
    let fleet = Options {
        gpu_searchers: GpuSearchers::Searchers(2),
        searcher_threads: SearcherThreads::Threads(32),
        threads_per_block: 32,
        device: fleets,
        ..three
    };
    let both =
        Options { device: DeviceKind::Auto, join_device: fleets, open_after: When::Conflict(0), ..fleet };
    [one, three, fleet, both]
}

#[test]
fn what_is_learned_stays_and_nothing_is_prepared_again() {
    each_way(DeviceKind::Simt).into_iter().for_each(learned_stays);
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn what_fleets_of_the_gpu_learn_stays() {
    each_way(DeviceKind::Gpu(0)).into_iter().for_each(learned_stays);
}

fn learned_stays(options: Options) {
    // Simulated threads are slow.
    let n = if options.searcher_threads == SearcherThreads::Auto { 8 } else { 6 };
    let mut control = pigeons(n, options);
    let switch = control.atom();
    control.choice(&[switch], &[]).expect("an atom of the control");
    let mut conflicts = Vec::new();
    for call in 0..4 {
        let lit = if call % 2 == 0 { switch.positive() } else { !switch.positive() };
        let mut answers = control.solve(&Question::new().assume([lit])).expect("a question");
        assert!(answers.next().is_none());
        assert_eq!(answers.core(), Some(&[][..]), "the pigeons alone");
        let statistics = answers.statistics();
        conflicts.push((
            statistics.conflicts,
            statistics.prepare_seconds.to_bits(),
            statistics.bytes_to_device_setup,
        ));
    }
    // The empty core was found once. Nothing was searched after that.
    assert!(conflicts[0].0 > 30, "{conflicts:?}");
    assert!(conflicts.iter().all(|call| *call == conflicts[0]), "{conflicts:?}");

    // With a core that is not empty, the search goes on with what it has learned.
    let mut control = pigeons(n, options);
    let open = control.atom();
    control.external(open, External::False).expect("an atom of the control");
    let mut before = 0;
    let (mut took, mut uploaded) = (Vec::new(), Vec::new());
    for _ in 0..5 {
        let mut answers = control.solve(&Question::new()).expect("a question");
        assert!(answers.next().is_none());
        let statistics = answers.statistics();
        took.push(statistics.conflicts - before);
        before = statistics.conflicts;
        uploaded.push((statistics.prepare_seconds.to_bits(), statistics.bytes_to_device_setup));
        assert_eq!(
            answers.core(),
            Some(&[][..]),
            "the value of an external atom is no assumption of the user's"
        );
    }
    // Several searchers take turns at random.
    let most = if options.parallel_mode == ParallelMode::Searchers(1) { took[0] / 10 } else { took[0] / 2 };
    assert!(took[1..].iter().all(|&later| later <= most), "{options:?}: {took:?}");
    assert!(uploaded.iter().all(|call| *call == uploaded[0]), "{options:?}: {uploaded:?}");
}

#[test]
fn what_is_learned_stays_when_the_program_grows_by_new_atoms() {
    let ask = |control: &mut Control| {
        let mut answers = control.solve(&Question::new()).expect("a question");
        assert!(answers.next().is_none());
        answers.statistics().conflicts
    };
    // The program has an answer set if a pigeon may stay outside.
    let mut control = Control::new(Options::on_processor());
    let outside = control.atom();
    control.external(outside, External::False).expect("an atom of the control");
    let atoms: Vec<Vec<_>> = (0..8).map(|_| (0..7).map(|_| control.atom()).collect()).collect();
    for (i, one) in atoms.iter().enumerate() {
        control.choice(one, &[]).expect("atoms of the control");
        let mut none: Vec<Literal> = one.iter().map(|atom| !atom.positive()).collect();
        none.push(!outside.positive());
        control.rule(&[], &none).expect("atoms of the control");
        for other in &atoms[..i] {
            for (here, there) in one.iter().zip(other) {
                control.rule(&[], &[here.positive(), there.positive()]).expect("atoms of the control");
            }
        }
    }
    let first = ask(&mut control);
    let new = control.atom();
    control.rule(&[new], &[atoms[0][0].positive()]).expect("atoms of the control");
    let second = ask(&mut control);
    assert!(first > 100 && second <= first / 4, "{first} conflicts, then {second}");
    // There are answer sets once the external atom is true, and once a rule defines it.
    control.external(outside, External::True).expect("an atom of the control");
    let mut answers = control.solve(&Question::new().limit(1)).expect("a question");
    assert!(answers.next().is_some());
    control.external(outside, External::False).expect("an atom of the control");
    control.rule(&[outside], &[]).expect("an atom of the control");
    let mut answers = control.solve(&Question::new().limit(1)).expect("a question");
    assert!(answers.next().is_some(), "a rule defines the external atom");
    let fresh = control.atom();
    control.rule(&[], &[fresh.positive()]).expect("an atom of the control");
    assert!(control.solve(&Question::new().limit(1)).expect("a question").next().is_some());
    control.rule(&[fresh], &[]).expect("an atom of the control");
    assert!(control.solve(&Question::new().limit(1)).expect("a question").next().is_none());
}

#[test]
fn what_is_wrong_is_an_error() {
    let mut small = Control::new(Options::on_processor());
    let mut large = Control::new(Options::on_processor());
    let atom = small.atom();
    let other = (0..3).map(|_| large.atom()).last().expect("three");
    let unknown = |result: Result<(), Error>| {
        assert!(matches!(result, Err(Error::UnknownAtom { index: 2, atoms: 1 })), "{result:?}");
    };
    unknown(small.rule(&[other], &[]));
    unknown(small.choice(&[other], &[]));
    unknown(small.rule(&[], &[!other.positive()]));
    unknown(small.sum(1, &[(other.positive(), 1)]).map(drop));
    unknown(small.minimize(0, &[(other.positive(), 1)]));
    unknown(small.external(other, External::Free));
    unknown(small.show("x", &[other.positive()]));
    unknown(small.project(&[other]));
    unknown(small.edge(1, 2, &[other.positive()]));
    unknown(small.heuristic(other, yasmin::Modifier::Level, 1, 1, &[]));
    unknown(small.solve(&Question::new().assume([other])).map(drop));
    for weights in [[i64::MAX, 0], [i64::MIN, 0], [i64::MIN + 2, -1]] {
        let terms = weights.map(|weight| (atom.positive(), weight));
        let heavy = "the weights add up to more than 9223372036854775806, which is 2^63 - 2";
        assert_eq!(small.sum(0, &terms).expect_err("too heavy").to_string(), heavy);
        assert_eq!(small.minimize(0, &terms).expect_err("too heavy").to_string(), heavy);
    }
    // Bounds that are always reached, or never.
    let always = small.sum(i64::MIN, &[(atom.positive(), -1)]).expect("a bound");
    let never = small.sum(i64::MAX, &[(atom.positive(), -1)]).expect("a bound");
    let answers: Vec<_> = small.solve(&Question::new()).expect("a question").collect();
    let answer = answers[0].as_ref().expect("an answer");
    assert!(answers.len() == 1 && answer.holds(always) && !answer.holds(never));
    let wrong =
        Control::read("x", &b"asp 1 0 0\n9 9\n"[..], Options::on_processor()).err().expect("an error");
    assert!(wrong.to_string().starts_with("x:2"), "{wrong}");
    assert!(Control::from_text("a :- ", Options::on_processor()).is_err());
    assert!(Control::from_files(&["/no/such/file".into()], Options::on_processor()).is_err());
}

#[test]
fn what_a_grounder_says_is_in_the_error() {
    let (wrong, odd) = ("a :- b(.\n", "a :- b.\n");
    let error = match Control::from_text(odd, Options::on_processor()) {
        Err(error) => {
            assert_eq!(error.code(), "no-grounder", "{error}");
            eprintln!("SKIPPED: there is no grounder");
            return;
        }
        Ok(control) => {
            let said: Vec<String> = control.messages().iter().map(ToString::to_string).collect();
            assert!(
                said.iter().any(|said| said.contains("atom does not occur in any rule head")),
                "{said:?}"
            );
            Control::from_text(wrong, Options::on_processor()).err().expect("it is wrong")
        }
    };
    let text = error.to_string();
    assert_eq!(error.code(), "grounder-failed");
    assert!(text.lines().count() > 1 && text.contains("syntax error, unexpected"), "{text}");
    // And not on standard error: the test says it to itself.
    let this = std::env::current_exe().expect("a test");
    let ran = std::process::Command::new(this)
        .args(["--exact", "a_program_that_is_wrong", "--nocapture", "--ignored"])
        .output()
        .expect("it runs");
    assert!(ran.status.success());
    let printed = String::from_utf8_lossy(&ran.stderr);
    assert!(!printed.contains("syntax error") && !printed.contains("rule head"), "{printed}");
}

#[test]
#[ignore = "a part of the test above"]
fn a_program_that_is_wrong() {
    assert!(Control::from_text("a :- b(.\n", Options::on_processor()).is_err());
    assert!(Control::from_text("a :- b.\n", Options::on_processor()).is_ok());
}

#[test]
fn what_is_removed_may_come_again() {
    let mut control = Control::new(Options::on_processor());
    let [a, b] = [control.atom(), control.atom()];
    control.choice(&[a, b], &[]).expect("few");
    let goal = Goal { projection: Projection::Project, ..Goal::default() };
    for (atoms, answers) in [(&[a][..], 2), (&[a, b], 4), (&[], 1), (&[b], 2)] {
        control.remove_project();
        control.project(atoms).expect("atoms of the control");
        assert_eq!(count(&mut control, &Question::new().goal(goal.clone())), answers);
    }
    for (weight, best) in [(1, 0), (-2, -2), (3, 0)] {
        control.remove_minimize();
        assert_eq!(count(&mut control, &Question::new()), 4);
        control.minimize(0, &[(a.positive(), weight)]).expect("a small weight");
        let mut answers = control.solve(&Question::new()).expect("a question");
        assert!(answers.by_ref().all(|answer| answer.is_ok()));
        assert_eq!(answers.optimum(), Some(&[best][..]));
    }
}

#[test]
fn a_program_is_grounded() {
    let text = "#const n = 3. 1 {q(X,1..n)} 1 :- X = 1..n. :- q(X,Y), q(Z,Y), X < Z. #show q/2.";
    let mut control = match Control::from_text(text, Options::on_processor()) {
        Err(error) => {
            assert!(error.to_string().contains("grounder"), "{error}");
            eprintln!("SKIPPED: there is no grounder");
            return;
        }
        Ok(control) => control,
    };
    assert_eq!(count(&mut control, &Question::new()), 6);
    let first = control.literal("q(1,1)").expect("it is shown");
    assert_eq!(count(&mut control, &Question::new().assume([first])), 2);
    let goal = Goal { reasoning: Reasoning::Cautious, ..Goal::default() };
    let question =
        Question::new().assume([first, control.literal("q(2,2)").expect("it is shown")]).goal(goal);
    let last = control.solve(&question).expect("a question").last().expect("one").expect("an answer");
    assert_eq!(last.names().collect::<Vec<_>>(), ["q(1,1)", "q(2,2)", "q(3,3)"]);
    assert_eq!(control.literal("q(4,4)"), None);
}

#[test]
fn an_old_question_is_not_gone_on_with() {
    let mut control = pigeons(4, Options::on_processor());
    let question = Question::new().goal(Goal { reasoning: Reasoning::Brave, ..Goal::default() });
    let mut first = control.ask(&question).expect("a question");
    let mut second = control.ask(&Question::new()).expect("a question");
    assert!(matches!(control.advance(&mut first, &|| false), Err(Error::Superseded)));
    assert!(matches!(control.advance(&mut second, &|| false), Ok(Progress::Over)));
    assert_eq!(second.is_satisfiable(), Some(false));
    let mut third = control.ask(&Question::new().limit(1)).expect("a question");
    control.atom();
    assert!(matches!(control.advance(&mut third, &|| false), Err(Error::Superseded)));
    // A search that was interrupted goes on.
    let mut control = pigeons(8, Options::on_processor());
    let mut asked = control.ask(&Question::new()).expect("a question");
    let mut interruptions = 0;
    while let Progress::Interrupted = control.advance(&mut asked, &|| true).expect("a search") {
        interruptions += 1;
        if interruptions == 3 {
            break;
        }
    }
    assert!(matches!(control.advance(&mut asked, &|| false), Ok(Progress::Over)));
    assert_eq!(asked.is_satisfiable(), Some(false));
}

#[test]
fn lower_bounds_are_told_as_they_grow() {
    for searchers in [1, 2] {
        let opt_strategy = OptStrategy::Usc(Usc::default());
        let parallel_mode = ParallelMode::Searchers(searchers);
        let mut control = Control::new(Options { opt_strategy, parallel_mode, ..Options::on_processor() });
        // The fewest of a ring of eleven such that of two neighbours one is taken.
        let ring: Vec<_> = (0..11).map(|_| control.atom()).collect();
        control.choice(&ring, &[]).expect("atoms of the control");
        for (one, other) in ring.iter().zip(ring.iter().cycle().skip(1)) {
            let neither = [!one.positive(), !other.positive()];
            control.rule(&[], &neither).expect("atoms of the control");
        }
        let costs: Vec<_> = ring.iter().map(|atom| (atom.positive(), 1)).collect();
        control.minimize(0, &costs).expect("atoms of the control");
        // The last bound is known when the search ends, and so is no news by itself, unless others are
        // still to return.
        for (question, bounds) in [(Question::new().tell_bounds(), 5), (Question::new(), 0)] {
            let mut asked = control.ask(&question).expect("a question");
            let mut told = Vec::new();
            loop {
                match control.advance(&mut asked, &|| false).expect("a search") {
                    Progress::Bound => told.push(asked.lower_bound()[0]),
                    Progress::Answer(_) => {}
                    Progress::Over => break,
                    Progress::Interrupted => panic!("nobody interrupts"),
                }
            }
            let is_last_told = searchers > 1 && told.len() as i64 > bounds;
            assert_eq!(told, (1..=bounds + is_last_told as i64).collect::<Vec<_>>());
            assert!(bounds > 0 || told.is_empty());
            assert_eq!(asked.optimum(), Some(&[6][..]));
            assert!(bounds == 0 || asked.lower_bound() == [6]);
        }
    }
}

#[test]
fn what_preparing_finds_is_told_without_a_search() {
    let mut control = Control::new(Options::on_processor());
    let [a, b, c] = [control.atom(), control.atom(), control.atom()];
    control.choice(&[a, b], &[]).expect("few");
    control.rule(&[c], &[]).expect("few");
    control.rule(&[], &[b.positive()]).expect("few");
    let goal = Goal::default();
    let fixed: Vec<Option<bool>> = [a.positive(), b.positive(), !b.positive(), c.positive()]
        .into_iter()
        .map(|literal| control.fixed(&goal, literal).expect("an atom of the control"))
        .collect();
    assert_eq!(fixed, [None, Some(false), Some(true), Some(true)]);
    // The first question is not one after another.
    assert_eq!(control.solve(&Question::new()).expect("a question").count(), 2);
    control.rule(&[], &[c.positive()]).expect("few");
    assert_eq!(control.fixed(&goal, c.positive()).expect("an atom of the control"), None, "no answer set");
}
