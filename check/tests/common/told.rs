//! Proofs as texts, and what the checker says of them.

use yasmin_check::proof::{Proof, Source, Step};
use yasmin_check::trim::Plan;
use yasmin_check::{program, Checker, Conclusion};

/// `{a; b}.  c :- a, b.  :- c.  :- not c.`
pub const EXAMPLE: &str = "asp 1 0 0\n1 1 2 1 2 0 0\n1 0 1 3 0 2 2 1\n1 0 0 0 1 -3\n1 0 0 0 1 3\n0\n";
/// `{a; b}.` with costs 1 for `a` and 2 for `not b` at priority 2, and 1 for `b` at priority 1.
pub const COSTS: &str = "asp 1 0 0\n1 1 2 1 2 0 0\n2 1 1 2 1\n2 2 2 1 1 -2 2\n4 1 a 1 1\n4 1 b 1 2\n0\n";

/// Checks a whole proof. Returns the checker after the last step.
pub fn check_bytes(program: &str, mut proof: &[u8]) -> Result<Checker, String> {
    let program = program::read("p", program.as_bytes()).map_err(|error| error.to_string())?;
    let mut checker = Checker::new(program);
    let mut proof = Proof::new(&mut proof);
    while let Some(step) = proof.step().map_err(|error| format!("{}: {error}", proof.place()))? {
        checker.step(&step).map_err(|error| format!("{step}: {error}"))?;
    }
    Ok(checker)
}

/// Checks a proof, given without its first line.
pub fn check(program: &str, proof: &str) -> Result<Option<Conclusion>, String> {
    check_bytes(program, format!("p yasmin 1\n{proof}").as_bytes()).map(|checker| checker.conclusion())
}

#[track_caller]
pub fn accepted(program: &str, proof: &str) {
    if let Err(error) = check(program, proof) {
        panic!("{error}");
    }
}

#[track_caller]
pub fn refused(program: &str, proof: &str, why: &str) {
    match check(program, proof) {
        Ok(conclusion) => panic!("{proof} is accepted, and proves {conclusion:?}"),
        Err(error) => assert!(error.contains(why), "{error}"),
    }
}

#[track_caller]
pub fn concluded(program: &str, proof: &str, what: &str) {
    let conclusion = check(program, proof).expect("accepted").expect("a conclusion");
    assert_eq!(conclusion.to_string(), what);
}

/// What is left of a proof without the steps that are not needed.
pub fn left(program: &str, proof: &[u8]) -> Result<Vec<Step>, String> {
    let program = program::read("p", program.as_bytes()).map_err(|error| error.to_string())?;
    let plan = Plan::new(program, proof).map_err(|rejection| rejection.to_string())?;
    let (mut steps, mut left) = (plan.steps(proof), Vec::new());
    while let Some(step) = steps.step().map_err(|error| error.to_string())? {
        left.push(step);
    }
    Ok(left)
}

/// What the calls of a proof have concluded, one in each line.
#[track_caller]
pub fn called(program: &str, proof: &str, what: &[&str]) {
    let proof = format!("p yasmin 1\n{proof}");
    let left = super::to_text(&left(program, proof.as_bytes()).expect("it is right"));
    for proof in [&proof, &left] {
        let checker = check_bytes(program, proof.as_bytes()).expect("accepted");
        assert_eq!(checker.conclusion(), None);
        let told: Vec<String> = checker.conclusions_of_calls().iter().map(ToString::to_string).collect();
        assert_eq!(told, what, "{proof}");
    }
}
