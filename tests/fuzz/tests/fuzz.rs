//! The fuzz targets on the corpus, and on a fixed number of inputs that are made of the corpus by changing it.
//!
//! Each day tries other inputs. `scripts/long.sh` tries more, guided by coverage.

use std::fs;
use std::panic::{catch_unwind, resume_unwind};
use std::path::Path;
use std::sync::mpsc::{channel, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::thread;

use yasmin_fuzz::mutate::{
    changed, Chance, ASPIF_WORDS, DIMACS_WORDS, OPB_WORDS, PROOF_WORDS, SMODELS_WORDS,
};
use yasmin_fuzz::{check, options, program, proof, Came, Verdict, LONGEST};

/// One target at a time: what is allocated is counted for the whole process.
static ALONE: Mutex<()> = Mutex::new(());

/// The inputs of a folder of the corpus, by name.
fn corpus(folder: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(folder);
    let files = fs::read_dir(&folder).expect("the folder is there");
    let mut files: Vec<_> = files.map(|file| file.expect("can be listed").path()).collect();
    files.sort();
    assert!(files.len() >= 5, "{} has too few files", folder.display());
    files.iter().map(|file| fs::read(file).expect("can be read")).collect()
}

/// Runs a target on the corpus and on `count` changed inputs, each made of a seed's file. An input that hangs fails the
/// test, too. Returns how many inputs came how far.
fn run(folder: &str, target: fn(&[u8]) -> Verdict, words: &[&str], count: u64) -> impl Fn(Came) -> usize {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let corpus = corpus(folder);
    let made = |seed: u64| {
        let mut chance = Chance::new(seed);
        let mut input = corpus[chance.below(corpus.len())].clone();
        let other = &corpus[chance.below(corpus.len())];
        for _ in 0..1 + chance.below(2) {
            input = changed(&input, other, words, &mut chance);
        }
        input
    };
    let inputs: Vec<Vec<u8>> = corpus.iter().cloned().chain(yasmin_seeds::seeds(count).map(made)).collect();
    let (results, inbox) = channel();
    let all = inputs.clone();
    // Not joined: a target that hangs never ends.
    thread::spawn(move || {
        for input in &all {
            if results.send(catch_unwind(|| check(target, input))).is_err() {
                return;
            }
        }
    });
    let mut came = Vec::new();
    for (place, input) in inputs.iter().enumerate() {
        match inbox.recv_timeout(6 * LONGEST) {
            Ok(Ok(far)) => came.push(far),
            Ok(Err(panic)) => {
                eprintln!("{folder}, input {place}: b\"{}\"", input.escape_ascii());
                resume_unwind(panic)
            }
            Err(RecvTimeoutError::Timeout) => {
                panic!("{folder}, input {place} hangs: b\"{}\"", input.escape_ascii())
            }
            Err(error) => panic!("{error}"),
        }
    }
    move |far| came.iter().filter(|&&it| it == far).count()
}

#[test]
fn aspif() {
    let came = run("aspif", program, ASPIF_WORDS, 50_000);
    assert!(came(Came::Solved) > 2000, "{} of 50_000 inputs are good", came(Came::Solved));
}

#[test]
fn smodels() {
    let came = run("smodels", program, SMODELS_WORDS, 50_000);
    assert!(came(Came::Solved) > 2000, "{} of 50_000 inputs are good", came(Came::Solved));
}

#[test]
fn dimacs() {
    let came = run("dimacs", program, DIMACS_WORDS, 20_000);
    assert!(came(Came::Solved) > 1000, "{} of 20_000 inputs are good", came(Came::Solved));
}

#[test]
fn opb() {
    let came = run("opb", program, OPB_WORDS, 20_000);
    assert!(came(Came::Accepted) > 1000, "{} of 20_000 inputs are good", came(Came::Accepted));
}

#[test]
fn proofs() {
    let came = run("proof", proof, PROOF_WORDS, 50_000);
    assert!(came(Came::Solved) > 2000, "{} of 50_000 proofs are accepted", came(Came::Solved));
}

#[test]
fn command_lines() {
    let came = run("options", options::command_line, options::words(), 5000);
    assert!(came(Came::Accepted) > 500, "{} of 5000 lines are good", came(Came::Accepted));
}

/// A target that accepts everything would pass as well.
#[test]
fn a_target_fails_where_something_is_wrong() {
    fn wrong(_: &[u8]) -> Verdict {
        Err("wrong".into())
    }
    // A panic prints where it was, which takes memory.
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let told = catch_unwind(|| check(wrong, b"a\n\xff")).expect_err("must panic");
    assert_eq!(told.downcast_ref::<String>().expect("a text"), "wrong; the input is b\"a\\n\\xff\"");
}
