//! What the command says is true: cases that were once wrong, and random ones.
//!
//! `yasmin-conformance --claims N` and `scripts/long.sh --only claims` try more.

use solver_host::device::DeviceKind;
use yasmin_tests::claims::asked::{Mode, Projection, Reasoning};
use yasmin_tests::claims::known::Known;
use yasmin_tests::claims::part::{head_cycle, three_heads, Part};
use yasmin_tests::claims::program::Program;
use yasmin_tests::claims::{cases, Asked, Case, End, Kind, Subject};
use yasmin_tests::rich::program::{Body, Rich, Rule};

/// A program of one part, in aspif.
fn part(aspif: &str) -> Part {
    Part::Rich(yasmin_tests::rich::read(aspif.as_bytes()).expect("a small program"))
}

fn parts(parts: Vec<Part>) -> Subject {
    Subject::Parts(Program { parts })
}

fn free(atoms: u32) -> Part {
    Part::Free { atoms, shown: true }
}

fn case(subject: Subject, asked: Asked, options: &str) -> Case {
    let options = options.split_whitespace().map(String::from).collect();
    Case { subject, asked, end: End::Never, is_signal: false, options }
}

/// Runs a case so often; each run says what is true.
fn is_true(case: &Case, runs: usize) {
    for run in 0..runs {
        let outcome = case.run_with_patience();
        let out = String::from_utf8_lossy(&outcome.printed.out);
        let end = out.get(out.len().saturating_sub(1500)..).unwrap_or_default();
        assert!(outcome.wrong.is_empty(), "run {run}: {:?}\n{}{end}", outcome.wrong, case.told());
    }
}

/// When several searchers search: from the beginning, after a time, and at points that do not depend on time.
const JOINS: [&str; 8] = [
    "-t2 --device=cpu --join-after=0",
    "-t2 --device=cpu --join-after=1",
    "-t2 --device=cpu --join-after=phase:1",
    "-t2 --device=cpu --join-after=answer:1",
    "-t2 --device=cpu --join-after=answer:2",
    "-t3 --device=cpu --join-after=conflict:1",
    "-t3 --device=cpu --join-after=conflict:3",
    "-t7 --device=cpu --join-after=answer:30",
];

fn opt_n(reasoning: Reasoning) -> Asked {
    Asked { reasoning, mode: Mode::OptN, models: Some(0), ..Asked::default() }
}

/// `{b; c}. :- not b, not c.`, minimizing `b + 2 c`.
const WITH_COSTS: &str =
    "asp 1 0 0\n1 1 2 1 2 0 0\n1 0 0 0 2 -1 -2\n2 0 2 1 1 2 2\n4 1 b 1 1\n4 1 c 1 2\n0\n";

/// `{a(1..n)}. {b; c}. :- not b, not c.`, minimizing `b + 2 c`: half of a third of all are optimal.
fn one_of_two(atoms: u32) -> Subject {
    parts(vec![free(atoms), part(WITH_COSTS)])
}

/// A cover with costs of two kinds, beside atoms that cost nothing.
fn cover(atoms: u32) -> Subject {
    let rule = |choice, heads: Vec<i32>, body: Vec<i32>| Rule { choice, heads, body: Body::All(body) };
    let (b, c) = (|i: i32| i, |i: i32| 6 + i);
    let mut rules =
        vec![rule(true, (1..=12).collect(), vec![]), rule(false, vec![], (1..=6).map(|i| -b(i)).collect())];
    rules.extend((1..6).map(|i| rule(false, vec![], vec![b(i), b(i + 1)])));
    rules.push(rule(false, vec![], vec![b(1), b(3)]));
    rules.extend((1..4).map(|i| rule(false, vec![], vec![b(i), -c(i)])));
    rules.push(rule(false, vec![], vec![-b(2), -c(5)]));
    let minimize = vec![(0, (1..=6).flat_map(|i| [(b(i), 1), (c(i), 2)]).collect())];
    let outputs = (1..=12).map(|a| (format!("x{a}"), vec![a])).collect();
    parts(vec![free(atoms), Part::Rich(Rich { atoms: 12, rules, minimize, outputs, ..Rich::default() })])
}

#[test]
fn all_optimal_answer_sets_are_found_whoever_joins_when() {
    for join in JOINS {
        for subject in [one_of_two(8), cover(6)] {
            is_true(&case(subject, opt_n(Reasoning::Enumerate), join), 3);
        }
    }
    // Long enough for somebody to join by time.
    is_true(&case(one_of_two(13), opt_n(Reasoning::Enumerate), "-t2 --device=cpu --join-after=1"), 2);
}

#[test]
fn optimal_tours_and_their_consequences() {
    for reasoning in [Reasoning::Enumerate, Reasoning::Brave, Reasoning::Cautious] {
        for join in &JOINS[1..7] {
            is_true(&case(Subject::Known(Known::Tours11), opt_n(reasoning), join), 1);
        }
    }
}

#[test]
fn a_number_of_answer_sets_leaves_the_rest_open() {
    let tours = Subject::Known(Known::Tours12);
    for join in JOINS.iter().chain(&["-t1 --device=cpu"]) {
        let five = Asked { models: Some(5), ..Asked::default() };
        is_true(&case(tours.clone(), five, &format!("{join} --opt-strategy=bb")), 1);
        let good = Asked { opt_stop: Some(vec![170]), ..Asked::default() };
        is_true(&case(tours.clone(), good, &format!("{join} --opt-strategy=bb")), 1);
    }
    // `{a; b}. :- not b, not a.`, minimizing `2 a + b`.
    let pair = "asp 1 0 0\n1 1 2 1 2 0 0\n1 0 0 0 2 -2 -1\n2 0 2 2 2 1 1\n4 1 a 1 1\n4 1 b 1 2\n0\n";
    for join in JOINS {
        let good = Asked { opt_stop: Some(vec![3]), ..Asked::default() };
        let options = format!("{join} --no-simplify --opt-strategy=bb --seed=3");
        is_true(&case(parts(vec![part(pair)]), good, &options), 10);
    }
}

#[test]
fn a_number_of_consequences_leaves_the_rest_open() {
    // One of three at most.
    let three = "asp 1 0 0\n1 1 3 1 2 3 0 0\n1 0 0 0 2 1 2\n1 0 0 0 2 1 3\n1 0 0 0 2 2 3\n4 1 a 1 1\n4 1 b 1 2\n4 1 c 1 3\n0\n";
    for reasoning in [Reasoning::Brave, Reasoning::Cautious] {
        for join in JOINS {
            let asked = Asked { reasoning, models: Some(1), ..Asked::default() };
            is_true(&case(parts(vec![part(three)]), asked, join), 10);
        }
    }
}

#[test]
fn searches_that_check_minimality_on_the_host_are_cut_short() {
    let many = |program: Rich, number: usize| parts(vec![Part::Rich(program); number]);
    for join in JOINS {
        for (subject, models) in [(many(three_heads(), 5), 300), (many(head_cycle(), 5), 1000)] {
            let asked = |models| Asked { mode: Mode::Ignore, models: Some(models), ..Asked::default() };
            is_true(&case(subject.clone(), asked(models), join), 2);
            for (end, is_signal) in
                [(End::Answers(models), true), (End::Answers(7), false), (End::Polls(20), true)]
            {
                is_true(&Case { end, is_signal, ..case(subject.clone(), asked(0), join) }, 2);
            }
        }
        // `a | b. a :- c. c :- a. a :- b. b :- a.`
        let small = "asp 1 0 0\n1 0 2 1 2 0 1 3\n1 1 1 3 0 0\n1 0 1 1 0 1 2\n1 0 1 2 0 1 1\n4 1 a 1 1\n0\n";
        let one = Asked { models: Some(1), ..Asked::default() };
        is_true(&case(parts(vec![part(small)]), one, join), 10);
    }
}

#[test]
fn bounds_at_the_ends_of_numbers() {
    // A cost of 1 that is always paid.
    let one = "asp 1 0 0\n2 7 1 -8 1\n0\n";
    for mode in [Mode::Enum, Mode::Opt, Mode::OptN] {
        for bound in [i64::MIN, i64::MIN + 1, i64::MIN / 4, -1, 0, 1, i64::MAX / 4, i64::MAX - 1, i64::MAX] {
            for options in ["-t1 --device=cpu --no-simplify", "-t1 --device=cpu", "-t1 --device=simt"] {
                let asked = Asked { mode, bound: vec![bound], models: Some(0), ..Asked::default() };
                is_true(&case(parts(vec![part(one)]), asked, options), 1);
            }
        }
    }
}

/// Searchers of a launch find several answer sets at once. Those that say nothing new any more are not told.
#[test]
fn each_answer_set_says_something_new() {
    for reasoning in [Reasoning::Brave, Reasoning::Cautious] {
        for searchers in [2, 3, 7] {
            let asked = Asked { reasoning, mode: Mode::Ignore, models: Some(0), ..Asked::default() };
            let options =
                format!("--device=simt --gpu-searchers={searchers} --searcher-threads=32 --split-from=0");
            is_true(&case(parts(vec![free(9), part(WITH_COSTS)]), asked, &options), 3);
        }
    }
}

/// No searcher of a fleet begins with a cube, and all of them meet a conflict at level 1.
#[test]
fn a_fleet_that_propagates_nothing_asks_for_a_cube() {
    let text = "asp 1 0 0\n1 0 2 2 2 0 2 -2 4\n1 0 0 0 1 2\n1 0 1 4 1 0 1 3 1\n0\n";
    let options = "--device=simt --gpu-searchers=2 --searcher-threads=32 --preprocess=none --no-simplify \
                   --split-from=0";
    for reasoning in [Reasoning::Brave, Reasoning::Cautious] {
        let asked = Asked { reasoning, models: Some(0), ..Asked::default() };
        is_true(&case(parts(vec![part(text)]), asked, options), 1);
    }
}

/// A check of foundedness that finds nothing, and a jump right after it: no race between the two.
#[test]
fn a_jump_may_follow_a_check_that_finds_nothing() {
    let text = "asp 1 0 0\n1 1 1 3 0 0\n1 0 2 1 2 0 1 3\n1 0 1 1 0 2 2 4\n1 0 1 2 0 2 1 4\n1 0 1 4 0 2 1 2\n\
                1 1 1 4 0 0\n1 1 1 7 0 0\n1 0 2 5 6 0 1 7\n1 0 1 5 0 2 6 8\n1 0 1 6 0 2 5 8\n\
                1 0 1 8 0 2 5 6\n1 1 1 8 0 0\n1 1 1 11 0 0\n1 0 2 9 10 0 1 11\n1 0 1 9 0 2 10 12\n\
                1 0 1 10 0 2 9 12\n1 0 1 12 0 2 9 10\n1 1 1 12 0 0\n4 4 p0x1 1 1\n4 4 p0x2 1 2\n\
                4 4 p0x3 1 3\n4 4 p0x4 1 4\n4 4 p1x1 1 5\n4 4 p1x2 1 6\n4 4 p1x3 1 7\n4 4 p1x4 1 8\n\
                4 4 p2x1 1 9\n4 4 p2x2 1 10\n4 4 p2x3 1 11\n4 4 p2x4 1 12\n0\n";
    let options = "--learning=both --decide=applicable --heuristic=negative --sign-def=neg --conflicts=4 \
                   --restarts=quality,2,0.9 --rephase=1 --seed=96305433276326 \
                   --preprocess=subsumed,eliminate --opt-strategy=bb,dec --check=all --device=simt \
                   --parallel-mode=1 --portfolio=many --gpu-searchers=3 --searcher-threads=32 \
                   --join-device=simt --fleets=2 --share-length=0 --share-lbd=0 --import-every=1 \
                   --import-most=0 --split-from=10 --split-after=2 --cube-lookahead=3 --racers=1 \
                   --threads-per-block=32 --engine=resident --join-after=0";
    let asked = Asked { models: Some(0), ..Asked::default() };
    is_true(&case(parts(vec![part(text)]), asked, options), 1);
}

/// On the way to an optimum, answer sets differ in costs, even if none of the projected atoms does.
#[test]
fn the_first_answer_set_of_a_projection_need_not_be_optimal() {
    let text = "asp 1 0 0\n1 0 1 5 0 0\n1 1 0 1 2 4 -1 2 2 3 3 1 -7 1\n1 0 1 1 0 1 7\n1 0 1 2 1 1 2 4 2 -3 1\n\
                1 0 1 1 0 1 -3\n1 0 1 3 0 1 -1\n1 0 1 8 1 4 1 3 2\n1 0 1 7 0 2 2 -3\n\
                1 1 1 6 1 4 4 -4 3 1 2 4 2 1 1\n1 1 1 2 0 2 -3 -3\n1 0 1 8 0 0\n1 1 2 9 10 0 0\n1 0 0 0 1 -9\n\
                2 0 2 -3 -1 -5 1\n2 -1 3 9 -5 -4 -2 7 3\n2 0 6 5 -1 1 0 4 4 2 0 9 0 -3 5\n\
                2 1 5 10 1 3 4 -2 -1 5 2 10 5\n2 2 5 5 3 4 5 8 4 7 2 4 0\n2 1 6 1 3 1 3 10 1 3 3 10 3 6 0\n3 0\n0\n";
    for models in [1, 2, 3] {
        let projection = Projection::Auto;
        let asked = Asked { mode: Mode::Opt, projection, models: Some(models), ..Asked::default() };
        for strategy in ["auto", "turns,2", "bb", "bb,hier", "usc"] {
            for options in
                ["", " --learning=both --conflicts=4 --loop-check=total --preprocess=subsumed,eliminate"]
            {
                let options = format!("-t1 --device=cpu --seed={models} --opt-strategy={strategy}{options}");
                is_true(&case(parts(vec![part(text)]), asked.clone(), &options), 1);
            }
        }
    }
}

/// Random cases, others each day.
fn random(kind: Kind, count: usize) {
    let first = yasmin_seeds::seeds(count as u64).start;
    let tally = cases(kind, first, count, None, &mut |report| println!("{report}"));
    assert!(tally.failures.is_empty(), "{} of {} say what is not true", tally.failures.len(), tally.cases);
    // Runs that end by themselves and alone would say little.
    assert!(5 * tally.unfinished > tally.cases && 10 * tally.swarms > tally.cases, "{tally:?}");
}

#[test]
fn random_cases_on_all_machines() {
    random(Kind::on(DeviceKind::Auto), 600);
}

#[test]
fn random_cases_on_cpu() {
    random(Kind::on(DeviceKind::Cpu), 1500);
}

#[test]
fn random_cases_of_long_programs() {
    random(Kind { is_long: true, ..Kind::on(DeviceKind::Cpu) }, 60);
}

#[test]
fn what_is_said_of_programs_with_differences_is_true() {
    random(Kind { has_differences: true, ..Kind::on(DeviceKind::Cpu) }, 800);
}

/// `b :- not a. a :- not b. {c}. b :- d.` with a free external `d`: others join when a launch has just
/// refuted the guess that the search assumes.
#[test]
fn a_refutation_at_the_end_of_a_launch_is_not_forgotten() {
    const GUESSED: &str = "asp 1 0 0\n1 0 1 2 0 1 -1\n1 0 1 1 0 1 -2\n1 1 1 3 0 0\n1 0 1 2 0 1 4\n\
        2 0 2 3 -2 -1 1\n2 1 1 -3 -1\n2 0 1 -4 1\n5 4 0\n0\n";
    for strategy in ["bb,inc", "bb,hier", "bb,dec", "usc"] {
        let options =
            format!("--opt-strategy={strategy} --check=no -t2 --device=cpu --join-after=conflict:2");
        is_true(&case(parts(vec![part(GUESSED)]), opt_n(Reasoning::Cautious), &options), 20);
    }
}
