//! Proofs that were looked at backwards: what is left of right proofs is accepted and proves the same, and what is left of
//! others proves nothing wrong.
//!
//! `SEEDS=20000 cargo test --release -p yasmin-check --test trim` tries more, `SEED=7` only one.

mod common;

use common::proofs::{check, mutate, seeds, told, verify, World, Writer};
use common::{to_binary, to_text, Program, Random};
use yasmin_check::proof::Step;
use yasmin_check::trim::Plan;
use yasmin_check::Conclusion;

/// What is left of a proof.
fn trim(program: &Program, proof: &[u8]) -> Result<Vec<Step>, String> {
    let text = program.to_text();
    let read = yasmin_check::program::read("program", text.as_bytes()).expect("a program");
    let plan = Plan::new(read, proof).map_err(|rejection| rejection.to_string())?;
    let mut from = proof;
    let mut steps = plan.steps(&mut from);
    let mut left = Vec::new();
    while let Some(step) = steps.step().expect("it was read before") {
        left.push(step);
    }
    Ok(left)
}

/// Checks what is left of a proof. A wrong step that is left is the fault of the one who trims.
fn backward(program: &Program, steps: &[Step], seed: u64) -> Result<Option<Conclusion>, String> {
    let left = trim(program, to_text(steps).as_bytes())?;
    let result = check(program, &left);
    if let (Err(error), Ok(_)) = (&result, check(program, steps)) {
        panic!("seed {seed}: {error}\n{}\n{}\nleft:\n{}", program.to_text(), to_text(steps), to_text(&left));
    }
    result
}

/// A proof with steps that are of no use: random ones that the checker accepts, and then all that is left to show.
fn with_detours(program: &Program, random: &mut Random) -> Option<Vec<Step>> {
    let mut checker = program.checker();
    let world = World::new(program);
    let mut writer = Writer { world, random, steps: Vec::new(), serial: 0 };
    let mut answers = Vec::new();
    for round in 0..30 {
        let before = writer.world.clone();
        let Some(step) = writer.world.step(writer.random, round) else { continue };
        // The nogood of an answer set is needed in the end.
        if matches!(step, Step::Deletion(serial) if answers.contains(&serial)) {
            continue;
        }
        match checker.step(&step) {
            Ok(is_answer) => {
                writer.push(step);
                if is_answer {
                    answers.push(writer.serial);
                }
            }
            Err(_) => writer.world = before,
        }
    }
    if writer.world.kind == 0 {
        return None;
    }
    writer.refute();
    writer.push(Step::End(true));
    Some(writer.steps)
}

#[test]
fn what_is_left_proves_the_same_and_nothing_wrong() {
    let (mut accepted, mut refused, mut more_accepted, mut before, mut after) = (0, 0, 0, 0, 0);
    for seed in seeds() {
        let random = &mut Random(seed ^ 0x7 << 44);
        let program = match random.one_in(2) {
            true => Program::random(random),
            false => Program::random_loops(random),
        };
        if program.named().is_empty() {
            continue;
        }
        let steps = if random.one_in(3) {
            let world = World::new(&program);
            let mut writer = Writer { world, random, steps: Vec::new(), serial: 0 };
            writer.write();
            writer.steps
        } else {
            let Some(steps) = with_detours(&program, random) else { continue };
            steps
        };
        let whole = told(check(&program, &steps), &program, &steps, seed);
        told(verify(&program, whole.as_ref().expect("a conclusion")), &program, &steps, seed);
        let left = told(backward(&program, &steps, seed), &program, &steps, seed);
        assert_eq!(left, whole, "seed {seed}");
        let left = told(trim(&program, to_text(&steps).as_bytes()), &program, &steps, seed);
        assert_eq!(trim(&program, &to_binary(&steps)).as_ref(), Ok(&left), "seed {seed}");
        let nogoods = |steps: &[Step]| {
            steps.iter().filter(|step| matches!(step, Step::Nogood(_) | Step::Loop { .. })).count()
        };
        before += nogoods(&steps);
        after += nogoods(&left);
        for _ in 0..20 {
            let mut mutant = steps.clone();
            for _ in 0..random.range(1, 3) {
                mutate(&mut mutant, &program, random);
            }
            let whole = check(&program, &mutant);
            match backward(&program, &mutant, seed) {
                Ok(left) => {
                    if let Some(conclusion) = &left {
                        told(verify(&program, conclusion), &program, &mutant, seed);
                    }
                    match whole {
                        Ok(whole) => assert_eq!(left, whole, "seed {seed}"),
                        Err(_) => more_accepted += 1,
                    }
                    accepted += 1;
                }
                Err(error) => {
                    if whole.is_ok() {
                        told(Err(error), &program, &mutant, seed)
                    }
                    refused += 1;
                }
            }
        }
    }
    assert!(accepted > 100 && refused > 100 && more_accepted > 10, "{accepted} {refused} {more_accepted}");
    assert!(after < before, "{after} of {before} nogoods are left");
}
