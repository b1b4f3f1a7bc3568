//! Proofs that were looked at backwards: what is left of right proofs is accepted and proves the same, and what is left of
//! others proves nothing wrong.
//!
//! `YASMIN_TIMES=70 cargo test --release -p yasmin-check --test trim` tries more.

mod common;

use common::proofs::{check, mutate, told, verify, World, Writer};
use common::{to_binary, to_text, Program, Random};
use yasmin_check::proof::Step;
use yasmin_check::Conclusion;

/// What is left of a proof.
fn trim(program: &Program, proof: &[u8]) -> Result<Vec<Step>, String> {
    common::told::left(&program.to_text(), proof)
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

/// Makes a nogood wrong that is not needed, if there is one.
fn spoil(steps: &mut [Step], left: &[Step], world: &World, random: &mut Random) {
    let mut wrong = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        let lits = world.lits(random, 4);
        if matches!(step, Step::Nogood(_)) && !left.contains(step) {
            let mut checker = world.program.checker();
            for step in &steps[..at] {
                checker.step(step).expect("a right proof");
            }
            let other = Step::Nogood(lits);
            if checker.step(&other).is_err_and(|why| why.starts_with("propagation finds no conflict")) {
                wrong.push((at, other));
            }
        }
    }
    if !wrong.is_empty() {
        let (at, step) = random.pick(&wrong).clone();
        steps[at] = step;
    }
}

#[test]
fn what_is_left_proves_the_same_and_nothing_wrong() {
    let (mut accepted, mut refused, mut more_accepted, mut before, mut after) = (0, 0, 0, 0, 0);
    for seed in yasmin_seeds::seeds(300) {
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
        let world = World::new(&program);
        let whole = told(check(&program, &steps), &program, &steps, seed);
        told(verify(&world, whole.as_ref().expect("a conclusion")), &program, &steps, seed);
        let left = told(backward(&program, &steps, seed), &program, &steps, seed);
        assert_eq!(left, whole, "seed {seed}");
        let left = told(trim(&program, to_text(&steps).as_bytes()), &program, &steps, seed);
        assert_eq!(trim(&program, &to_binary(&steps)).as_ref(), Ok(&left), "seed {seed}");
        let nogoods = |steps: &[Step]| {
            steps.iter().filter(|step| matches!(step, Step::Nogood(_) | Step::Loop { .. })).count()
        };
        before += nogoods(&steps);
        after += nogoods(&left);
        for number in 0..20 {
            let mut mutant = steps.clone();
            match number {
                0..4 => spoil(&mut mutant, &left, &world, random),
                _ => (0..random.range(1, 3)).for_each(|_| mutate(&mut mutant, &program, random)),
            }
            let whole = check(&program, &mutant);
            match backward(&program, &mutant, seed) {
                Ok(left) => {
                    if let Some(conclusion) = &left {
                        told(verify(&world, conclusion), &program, &mutant, seed);
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
    assert!(accepted > 100 && refused > 100 && more_accepted > 20, "{accepted} {refused} {more_accepted}");
    assert!(after < before, "{after} of {before} nogoods are left");
}

/// Three free atoms. With the first one, the second holds and does not; without it as well.
const REFUTED: &str =
    "asp 1 0 0\n1 1 3 1 2 3 0 0\n1 0 0 0 2 1 2\n1 0 0 0 2 1 -2\n1 0 0 0 2 -1 2\n1 0 0 0 2 -1 -2\n0\n";

/// What is left of a proof, without its first line, as text.
fn left(program: &str, proof: &str) -> Result<String, String> {
    let proof = format!("p yasmin 1\n{proof}");
    let left = common::told::left(program, proof.as_bytes())?;
    Ok(to_text(&left).replace("p yasmin 1\n", ""))
}

#[test]
fn steps_that_are_not_needed_are_left_out() {
    let proof = "d 4 2 3 0\nd 5 1 2 0\nq 1 0\nn 3 1 0\nn -4 1 0\nn 1 0\nx 1\nn -1 0\nn 2 0\nx 2\ne 1\n";
    assert_eq!(left(REFUTED, proof).as_deref(), Ok("q 1 0\nn 1 0\nx 1\ne 1\n"));
    // The definition of 4 is needed, as a step names it, and comes first.
    let proof = "q 1 0\nd 4 2 0\nd 5 4 3 0\nn 1 4 0\nn 1 0\ne 1\n";
    let program = &REFUTED.replace("1 0 0 0 2 1 -2\n", "1 0 0 0 2 1 -2\n1 0 0 0 1 -2\n");
    assert_eq!(left(program, proof).as_deref(), Ok("q 1 0\ne 1\n"));
}

#[test]
fn only_wrong_steps_that_are_needed_are_refused() {
    let proof = "q 1 0\nn 3 0\nn 1 0\ne 1\n";
    assert_eq!(left(REFUTED, proof).as_deref(), Ok("q 1 0\nn 1 0\nx 1\ne 1\n"));
    let free = "asp 1 0 0\n1 1 1 1 0 0\n0\n";
    let refused = left(free, "q 1 0\nn 1 0\nn -1 0\ne 1\n").expect_err("the atom may hold");
    assert_eq!(refused, "step 3 (line 4) is refused: propagation finds no conflict: n -1 0");
    let refused = left(free, "q 1 0\nn -1 0\ne 1\n").expect_err("the atom may hold");
    assert_eq!(
        refused,
        "step 3 (line 4) is refused: the question is not refuted: propagation finds no conflict: e 1"
    );
    let refused = left(free, "q 1 0\nn 2 0\n").expect_err("there is no such atom");
    assert_eq!(refused, "step 2 (line 3) is refused: the variable of 2 was not introduced: n 2 0");
    let refused = left(free, "q 1 0\nn 1\n").expect_err("it is no step");
    assert_eq!(refused, "step 2 (line 3) is refused: the step ends too early");
}

#[test]
fn without_a_conclusion_nothing_is_needed() {
    // No values of three atoms are left.
    let signs = (0..8).map(|set| [1, 2, 3].map(|atom| if set >> (atom - 1) & 1 == 1 { -atom } else { atom }));
    let constraints: String = signs.map(|[a, b, c]| format!("1 0 0 0 3 {a} {b} {c}\n")).collect();
    let program = format!("asp 1 0 0\n1 1 3 1 2 3 0 0\n{constraints}0\n");
    // The conflict depends on the third nogood, which follows from the first two.
    let nogoods = "n 1 2 0\nn 1 -2 0\nn 1 0\nn -1 2 0\nn -1 -2 0\n";
    assert_eq!(left(&program, &format!("{nogoods}e 0\n")).as_deref(), Ok("e 0\n"));
    assert_eq!(left(&program, &format!("{nogoods}q 1 0\ne 0\n")).as_deref(), Ok("q 1 0\ne 0\n"));
    let asked = left(&program, &format!("{nogoods}q 1 0\ne 1\n")).expect("it is right");
    assert!(asked.starts_with("n 1 2 0\n") && asked.ends_with("q 1 0\ne 1\n"), "{asked}");
}

#[test]
fn a_call_that_has_ended_keeps_what_it_needs() {
    // With the first atom one of the other two has no value left.
    let program = "asp 1 0 0\n1 1 3 1 2 3 0 0\n1 0 0 0 3 1 2 3\n1 0 0 0 3 1 2 -3\n\
        1 0 0 0 3 1 -2 3\n1 0 0 0 3 1 -2 -3\n0\n";
    let proof = "q 1 0\nk 1 0\nn 1 -2 0\nn 1 2 0\nf 1 1 0\nk 2 0\n";
    for end in ["e 0\n", "e 1\n", ""] {
        let kept = left(program, &format!("{proof}{end}")).expect("it is right");
        assert!(kept.contains("n 1 -2 0\n") || kept.contains("n 1 2 0\n"), "{kept}");
        assert_eq!(left(program, &kept).as_ref(), Ok(&kept));
    }
}

#[test]
fn a_question_forgets_nogoods_that_are_deleted_later() {
    // If the first nogood came back, `a 1 0` would be refused in the end.
    let free = "asp 1 0 0\n1 1 2 1 2 0 0\n0\n";
    let proof = "q 1 0\na 1 0\nq 1 0\nx 1\nq 1 0\na 2 0\na 0\na 1 2 0\na 1 0\ne 1\n";
    let kept = left(free, proof).expect("it is right");
    let told: Vec<&str> = kept.lines().filter(|line| line.starts_with(['q', 'a'])).collect();
    assert_eq!(told, ["q 1 0", "a 1 0", "q 1 0", "q 1 0", "a 2 0", "a 0", "a 1 2 0", "a 1 0"]);
    let second = kept.split("q 1 0\n").nth(3).expect("a third question");
    assert!(!second.contains("x 1\n"), "{kept}");
}
