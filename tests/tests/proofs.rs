//! What the command says is proved: random programs, and proofs that are none.
//!
//! `yasmin-conformance --proofs N` and `scripts/long.sh --only proofs` try more.

use std::ffi::OsString;
use std::fs;

use solver_host::device::DeviceKind;
use yasmin_cli::run_in_memory;
use yasmin_tests::calls;
use yasmin_tests::claims::Kind;
use yasmin_tests::proofs::{accept, cases, changes, Scratch};
use yasmin_tests::random::Random;
use yasmin_tests::rich::{self, Meaning};

use super::trace::pigeons_text;

/// Proves the results of so many random programs. Most of them conclude something.
fn are_proved(device: DeviceKind, is_long: bool, has_differences: bool, count: usize) {
    let first = yasmin_seeds::seeds(count as u64).start;
    let joins = if let DeviceKind::Gpu(_) = device { device } else { DeviceKind::Simt };
    let tally = cases(Kind { device, joins, is_long, has_differences }, first, count, &mut |report| {
        eprintln!("{report}")
    });
    assert!(tally.failures.is_empty(), "{} of {} are wrong", tally.failures.len(), tally.cases);
    assert!(3 * tally.proved > tally.cases, "{} of {}", tally.proved, tally.cases);
}

#[test]
fn random_programs_are_proved() {
    are_proved(DeviceKind::Cpu, false, false, 4000);
}

#[test]
fn random_programs_with_differences_are_proved() {
    are_proved(DeviceKind::Cpu, false, true, 1500);
    are_proved(DeviceKind::Cpu, true, true, 15);
}

#[test]
fn long_searches_are_proved() {
    are_proved(DeviceKind::Cpu, true, false, 40);
}

#[test]
fn random_programs_are_proved_on_the_simulated_gpu() {
    are_proved(DeviceKind::Simt, false, false, 60);
    // Searchers of the simulated GPU join those of the processor.
    are_proved(DeviceKind::Auto, false, false, 100);
}

#[test]
#[ignore = "needs a GPU"]
fn random_programs_are_proved_on_the_gpu() {
    are_proved(DeviceKind::Gpu(0), false, false, 2000);
}

/// What becomes of the nogoods in a proof that so many pigeons do not fit.
struct Kept {
    /// How many were learned.
    learned: usize,
    /// How many of them are not deleted.
    left: usize,
    /// How many were deleted that searchers have shown to others: short ones, which all are.
    shown: usize,
}

fn kept(words: &[&str], pigeons: usize) -> Kept {
    let (text, file) = (pigeons_text(pigeons), Scratch::new("proof"));
    let proof = format!("--proof={}", file.path().display());
    let words = ["yasmin", "--quiet", "--join-after=0", &proof].into_iter().chain(words.iter().copied());
    run_in_memory(words.map(OsString::from), text.clone().into_bytes(), |_| None).expect("a valid line");
    let proof = fs::read_to_string(file.path()).expect("a proof");
    let (conclusion, _) = accept(text.as_bytes(), proof.as_bytes()).expect("a right proof");
    assert_eq!(conclusion.map(|told| told.answer_sets), Some(0));
    let literals = |line: &str| line.split(' ').count() - 2;
    let learned: Vec<usize> =
        proof.lines().filter(|line| line.starts_with(['n', 'u'])).map(literals).collect();
    let deleted = proof.lines().filter_map(|line| line.strip_prefix("x "));
    let deleted: Vec<usize> = deleted.map(|serial| serial.parse().expect("a number")).collect();
    let shown = deleted.iter().filter(|&&serial| learned[serial - 1] <= 6).count();
    Kept { learned: learned.len(), left: learned.len() - deleted.len(), shown }
}

#[test]
fn nogoods_that_searchers_have_shown_are_deleted() {
    let several = kept(&["--device=cpu", "-t4", "--keep-learned=50"], 9);
    assert!(several.learned > 10_000, "{}", several.learned);
    assert!(several.shown > 20, "{} of {}", several.shown, several.learned);
    assert!(4 * several.left < several.learned, "{} of {}", several.left, several.learned);
    let fleet = kept(&["--device=simt", "--gpu-searchers=3", "--keep-learned=5", "--import-every=1"], 6);
    assert!(fleet.shown > 0, "{} of {}", fleet.shown, fleet.learned);
    // Nogoods pass from the pool of a fleet to that of others, and back.
    let beside = ["--device=auto", "--gpu-searchers=3", "-t3", "--open-after=0", "--keep-learned=20"];
    kept(&beside, 6);
}

/// Counts with auxiliary variables, of literals of which some are known.
#[test]
fn counts_are_proved() {
    for seed in 0..300 {
        let random = &mut Random::new(seed);
        // The first atoms are open, the next two are true, two are false, and the last one has a count as its body.
        let open = 4 + random.below(5);
        let list = |numbers: &mut dyn Iterator<Item = usize>| {
            numbers.map(|number| format!(" {number}")).collect::<String>()
        };
        let mut text = format!("asp 1 0 0\n1 1 {open}{} 0 0\n", list(&mut (1..=open)));
        text += &format!("1 0 1 {} 0 0\n1 0 1 {} 0 0\n", open + 1, open + 2);
        let mut count = |head: &str, random: &mut Random| {
            let lits: Vec<i64> = (1..=open as i64 + 4)
                .filter_map(|atom| {
                    let sign = if random.chance(30) { -1 } else { 1 };
                    random.chance(80).then_some(sign * atom)
                })
                .collect();
            let bound = 1 + random.below(lits.len().max(1));
            let body: String = lits.iter().map(|lit| format!(" {lit} 1")).collect();
            text += &format!("1 0 {head} 1 {bound} {}{body}\n", lits.len());
            (bound, lits)
        };
        let constraints = [count("0", random), count("0", random)];
        count(&format!("1 {}", open + 5), random);
        text += "0\n";
        let holds = |set: usize, lit: i64| {
            let atom = lit.unsigned_abs() as usize - 1;
            (lit > 0) == if atom < open { set >> atom & 1 == 1 } else { atom < open + 2 }
        };
        let is_answer = |set: &usize| {
            constraints
                .iter()
                .all(|(bound, lits)| lits.iter().filter(|&&lit| holds(*set, lit)).count() < *bound)
        };
        let expected = (0..1usize << open).filter(is_answer).count() as u64;
        let file = std::env::temp_dir().join(format!("yasmin-{}-counts-{seed}.proof", std::process::id()));
        let which = ["all", "integ"][seed as usize % 2];
        let words: [OsString; 5] = [
            "yasmin".into(),
            "0".into(),
            "-t1".into(),
            format!("--trans-ext={which}").into(),
            format!("--proof={}", file.display()).into(),
        ];
        run_in_memory(words.to_vec(), text.clone().into_bytes(), |_| None).expect("a valid line");
        let proof = fs::read(&file).expect("a proof");
        let _ = fs::remove_file(&file);
        let (conclusion, _) = accept(text.as_bytes(), &proof[..])
            .unwrap_or_else(|why| panic!("seed {seed}, {which}: {why}\n{text}"));
        let told = conclusion.unwrap_or_else(|| panic!("seed {seed}, {which}: no conclusion\n{text}"));
        assert_eq!(told.answer_sets, expected, "seed {seed}, {which}\n{text}");
    }
}

/// Weights and costs of 64 bits, by cores, by guesses and from one answer set to a better one.
#[test]
fn heavy_costs_are_proved() {
    let mut beyond = 0;
    for seed in 0..600 {
        let program = rich::generate_heavy(seed);
        let meaning = Meaning::of(&program);
        let strategy = ["bb", "usc", "bb,hier", "bb,inc", "bb,dec"][seed as usize % 5];
        let searchers = 1 + seed / 5 % 2;
        let (text, optimum) = (program.to_aspif(), meaning.optimum());
        let file = std::env::temp_dir().join(format!("yasmin-{}-heavy-{seed}.proof", std::process::id()));
        let words: Vec<OsString> = [
            "yasmin".into(),
            "--device=cpu".into(),
            format!("-t{searchers}"),
            format!("--opt-strategy={strategy}"),
            format!("--proof={}", file.display()),
        ]
        .iter()
        .map(OsString::from)
        .collect();
        let printed = run_in_memory(words, text.clone().into_bytes(), |_| None).expect("a valid line");
        let proof = fs::read(&file).expect("a proof");
        let _ = fs::remove_file(&file);
        let (conclusion, _) = accept(text.as_bytes(), &proof[..])
            .unwrap_or_else(|why| panic!("seed {seed}, {strategy}: {why}\n{text}"));
        let told = conclusion.unwrap_or_else(|| panic!("seed {seed}, {strategy}: no conclusion\n{text}"));
        let costs = optimum.map(|costs| costs.iter().copied().map(i128::from).collect::<Vec<_>>());
        assert_eq!(told.costs, costs, "seed {seed}, {strategy}\n{text}");
        assert_eq!(printed.code, if optimum.is_some() { 30 } else { 20 }, "seed {seed}");
        beyond += usize::from(optimum.is_some_and(|costs| costs.iter().any(|cost| cost.abs() >= 1 << 53)));
    }
    assert!(beyond > 100, "{beyond} have costs of more than 53 bits");
}

#[test]
fn a_proof_without_a_step_is_refused() {
    let pigeons = include_bytes!("../../data/pigeons.aspif");
    let claimed = b"p yasmin 1\nq 1 0\nn 0\ne 1\n";
    let refused = accept(pigeons, &claimed[..]).expect_err("the pigeons do not fit by propagation alone");
    assert!(refused.contains("propagation finds no conflict"), "{refused}");
    let silent = b"p yasmin 1\nq 1 0\ne 0\n";
    assert!(accept(pigeons, &silent[..]).expect("nothing is claimed").0.is_none());
}

#[test]
fn proofs_that_were_changed_prove_nothing_wrong() {
    for has_differences in [false, true] {
        let kind = Kind { has_differences, ..Kind::on(DeviceKind::Cpu) };
        let changed = changes(kind, yasmin_seeds::seeds(400).start, 400);
        assert!(changed.failures.is_empty(), "{}", changed.failures[0]);
        assert!(changed.refused > 300 && changed.accepted > 100, "{changed:?}");
    }
}

#[test]
fn what_several_questions_are_answered_is_proved() {
    let first = yasmin_seeds::seeds(400).start;
    let tally = calls::cases(&[DeviceKind::Cpu], first, 400, &mut |report| eprintln!("{report}"));
    assert!(tally.failures.is_empty(), "{} of {} are wrong", tally.failures.len(), tally.sequences);
    assert!(tally.proofs > 400 && tally.among_optimal > 100, "{tally:?}");
    assert!(tally.changed.iter().all(|&count| count > 500), "{tally:?}");
}

/// A bound was reached at one priority, and a learned nogood says what exceeds the next one.
#[test]
fn nogoods_of_costs_of_several_priorities_are_proved() {
    for seed in [2_218_500_586, 2_118_500_333] {
        let tally = calls::cases(&[DeviceKind::Cpu], seed, 1, &mut |report| eprintln!("{report}"));
        assert!(tally.failures.is_empty() && tally.among_optimal > 0, "seed {seed}: {tally:?}");
    }
}

/// Names that are assumed to be printed, or not, are part of the proof.
#[test]
fn what_is_assumed_is_proved() {
    let (mut left_out, mut several, mut named) = (0, 0, 0);
    for seed in yasmin_seeds::seeds(400) {
        let program = if seed % 4 == 3 { rich::generate_external(seed) } else { rich::generate(seed) };
        if program.outputs.is_empty() || !program.minimize.is_empty() || program.projection.is_some() {
            continue;
        }
        let random = &mut Random::new(seed);
        let mut assumed: Vec<(String, bool)> = Vec::new();
        for _ in 0..1 + random.below(2) {
            let (name, _) = &program.outputs[random.below(program.outputs.len())];
            if !assumed.iter().any(|(other, _)| other == name) {
                assumed.push((name.clone(), random.chance(50)));
            }
        }
        let words =
            assumed.iter().map(|(name, holds)| if *holds { name.clone() } else { format!("not {name}") });
        let words = words.collect::<Vec<_>>().join(",");
        let meaning = Meaning::of(&program);
        let printed = meaning.answer_sets.iter().map(|&set| rich::printed(&program, set));
        let agrees =
            |printed: &Vec<String>| assumed.iter().all(|(name, holds)| printed.contains(name) == *holds);
        let expected = printed.filter(agrees).count();
        left_out += meaning.answer_sets.len() - expected;
        several += usize::from(expected > 1);
        let text = program.to_aspif();
        let file = std::env::temp_dir().join(format!("yasmin-{}-assumed-{seed}.proof", std::process::id()));
        let searchers = 1 + seed % 2;
        let arguments = [
            "yasmin".into(),
            "--device=cpu".into(),
            format!("-t{searchers}"),
            "-n0".into(),
            format!("--assume={words}"),
            format!("--proof={}", file.display()),
        ];
        let words: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        let printed = run_in_memory(words, text.clone().into_bytes(), |_| None).expect("a valid line");
        let proof = fs::read(&file).expect("a proof");
        let _ = fs::remove_file(&file);
        let accepted = accept(text.as_bytes(), &proof[..]);
        let told = |why: &str| {
            panic!("seed {seed}: {why}\n{arguments:?}\n{text}\n{}", String::from_utf8_lossy(&proof))
        };
        let Ok((Some(conclusion), _)) = accepted else { return told(&format!("{accepted:?}")) };
        // A name that is always printed is assumed without a step.
        named += usize::from(!conclusion.assumed.is_empty());
        if conclusion.answer_sets != expected as u64 {
            told(&format!("{conclusion}, and there are {expected}"));
        }
        assert_eq!(printed.code, if expected > 0 { 30 } else { 20 }, "seed {seed}");
    }
    assert!(left_out > 100 && several > 20 && named > 100, "{left_out} {several} {named}");
}
