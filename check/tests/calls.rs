//! Calls: a question that is asked again and again, of the answer sets with some literals.

mod common;

use common::told::{accepted, called, refused, COSTS, EXAMPLE};

/// `{a}.  #minimize {5: a}.`
const OPTIONAL: &str = "asp 1 0 0\n1 1 1 1 0 0\n2 1 1 1 5\n4 1 a 1 1\n0\n";

/// `{a; b; c}.  :- a, b, c.`, with names.
const THREE: &str = "asp 1 0 0\n1 1 3 1 2 3 0 0\n1 0 0 0 3 1 2 3\n4 1 a 1 1\n4 1 b 1 2\n4 1 c 1 3\n0\n";

#[test]
fn calls() {
    let none = "assuming a, b, c: the program has no answer set";
    called(THREE, "q 1 0\nk 1 2 3 0\nf 1 1 2 3 0\ne 1\n", &[none]);
    // A call without a conclusion, and one whose answer sets are all that there are.
    let calls = "q 1 0\nk 1 0\na 1 0\nf 0 0\nk 2 3 0\na 2 3 0\nf 1 2 3 0\nk 1 2 3 0\nf 1 3 1 2 0\ne 1\n";
    let one = "assuming b, c: the program has 1 answer set, and no other";
    called(THREE, calls, &[one, "assuming c, a, b: the program has no answer set"]);
    // Without a step `e 1` nothing is proved.
    called(THREE, "q 1 0\nk 1 2 3 0\nf 1 1 2 3 0\n", &[]);
    called(THREE, "q 1 0\nk 1 2 3 0\nf 1 1 2 3 0\ne 0\n", &[]);
    called(THREE, "q 1 0\nk 1 0\nf 0 0\ne 1\n", &[]);
}

#[test]
fn calls_are_refused_that_are_not_refuted() {
    let why = "propagation finds no conflict";
    refused(THREE, "q 1 0\nk 1 2 0\nf 1 1 2 0\n", why);
    refused(THREE, "q 1 0\nk 1 2 3 0\nf 1 1 2 0\n", why);
    refused(THREE, "q 1 0\nk 1 2 0\na 1 2 0\nf 1 2 0\n", why);
    refused(THREE, "q 1 0\nk 1 2 0\nf 1 1 2 3 0\n", "the call does not assume 3");
    refused(THREE, "q 1 0\nf 1 0\n", "no call is under way");
    refused(THREE, "q 1 0\nk 1 2 3 0\nf 1 1 2 3 0\nf 1 0\n", "no call is under way");
    refused(THREE, "k 1 0\n", "no question was asked");
    refused(THREE, "q 1 0\nk 9 0\n", "9");
    refused(THREE, "q 1 0\nk 1 0\na 2 0\n", "assumes something else of 1");
    refused(THREE, "q 1 0\nk -1 0\na 1 0\n", "assumes something else of 1");
    refused(THREE, "q 1 0\nk 1 0\na 1 0\nf 0 0\na 1 2 0\n", "the call is over");
    refused(THREE, "q 1 0\nk 1 0\na 1 0\na 1 0\n", "told before");
}

#[test]
fn what_rests_on_an_answer_set_is_forgotten_after_a_call() {
    // After the answer set {b, c} its nogood says that one of b and c is false if a is.
    let first = "q 1 0\nk -1 0\na 2 3 0\nn -1 2 3 0\n";
    accepted(THREE, &format!("{first}f 0 0\nk 2 3 0\nf 0 0\ne 1\n"));
    refused(THREE, &format!("{first}f 1 -1 0\n"), "no conflict");
    refused(THREE, &format!("{first}f 0 0\nk 2 3 0\nf 1 2 3 0\n"), "no conflict");
    // The same answer set is news again.
    accepted(THREE, &format!("{first}f 0 0\nk 2 3 0\na 2 3 0\nf 1 2 3 0\ne 1\n"));
    // What was derived before the first answer set stays.
    let before = "d 4 1 2 0\nq 1 0\nk 4 0\nn 4 3 0\na 1 2 0\nf 1 4 0\n";
    called(
        THREE,
        &format!("{before}k 4 3 0\nf 1 4 3 0\ne 1\n"),
        &[
            "assuming 4: the program has 1 answer set, and no other",
            "assuming 4, c: the program has no answer set",
        ],
    );
}

#[test]
fn what_rests_on_bounds_stays_for_the_same_question() {
    // Costs of at most 0 at the first priority exclude `a` and demand `b`.
    let first = "q 1 0 0\nk 0\nn 1 0\nf 0 0\n";
    let none = "assuming a: the program has no answer set with costs of at most 0";
    called(COSTS, &format!("{first}k 1 0\nf 1 1 0\ne 1\n"), &[none]);
    // With bounds that propagation alone does not see through: `a` or `b` costs 1.
    let cover =
        "asp 1 0 0\n1 1 2 1 2 0 0\n1 0 0 0 2 -1 -2\n1 0 0 0 2 -1 2\n1 0 0 0 2 1 -2\n2 1 2 1 1 2 1\n0\n";
    let refuted = "q 1 1 0\nk 0\nn -1 0\nf 1 0\n";
    let none = "the program has no answer set with costs of at most 1";
    called(cover, &format!("{refuted}k 0\nf 1 0\ne 1\n"), &[none, none]);
    // For another question they count no more, nor does what an answer set has told.
    refused(cover, &format!("{refuted}q 1 0\nk 0\nf 1 0\n"), "no conflict");
    refused(cover, &format!("{refuted}q 1 2 0\nk 0\nf 1 0\n"), "no conflict");
    // For one within the bounds they do, and after that one again for the first one.
    let lower = format!("{refuted}q 4 0 0\nk 0\nf 1 0\nq 1 1 0\nk 0\nf 1 0\ne 1\n");
    called(cover, &lower, &[none, "the program has no answer set with costs of at most 0", none]);
    refused(cover, "q 1 1 0\nk 0\nf 0 0\nq 1 0 0\nn -1 0\nk 0\nf 0 0\nq 1 1 0\nk 0\nf 1 0\n", "no conflict");
    let told = "q 1 2 0\nk 0\na 1 2 0\nn -1 0\nf 1 0\nk 0\n";
    refused(cover, &format!("{told}f 1 0\n"), "no conflict");
}

#[test]
fn a_program_without_answer_sets_is_refuted_once() {
    let none = "the program has no answer set";
    let more = "assuming 1: the program has no answer set";
    let first = "d 4 1 2 0\nq 1 0\nk 0\n";
    called(EXAMPLE, &format!("{first}f 1 0\nk 1 0\nf 1 1 0\nq 6 0\nk 0\nf 1 0\ne 1\n"), &[none, more, none]);
    refused(EXAMPLE, &format!("{first}f 1 0\nk 1 0\na 1 2 0\n"), "nothing is left");
    // With answer sets, or for another call, the same says nothing of later calls.
    let all = "q 1 0\nk 1 2 0\na 1 2 0\nf 1 1 2 0\nk 1 2 3 0\n";
    refused(THREE, &format!("{all}f 1 0\n"), "no conflict");
    refused(THREE, "q 1 0\nk 1 2 3 0\nf 1 1 2 3 0\nk 1 2 0\nf 1 0\n", "no conflict");
}

#[test]
fn calls_for_an_optimum() {
    // Costs 1 for a and 2 for not b at priority 2, 1 for b at priority 1: with a the best costs are 1 1.
    let best = "assuming a: the optimal costs are 1 1";
    called(COSTS, "q 4 0\nk 1 0\na 1 2 0\nf 1 1 0\ne 1\n", &[best]);
    refused(COSTS, "q 4 0\nk 1 0\na 1 0\nf 1 1 0\n", "no conflict");
    // Without the assumption there is a better one, also after the call.
    let both = "q 4 0\nk 1 0\na 1 2 0\nf 1 1 0\nk 0\na 2 0\nf 1 0\ne 1\n";
    called(COSTS, both, &[best, "the optimal costs are 0 1"]);
    refused(COSTS, "q 4 0\nk 1 0\na 1 2 0\nf 1 1 0\nk 0\na 1 2 0\nf 1 0\n", "no conflict");
    // All optimal answer sets of a call.
    let all = "q 4 0\nk 1 0\na 1 2 0\nq 1 1 1 0\na 1 2 0\nf 1 1 0\ne 1\n";
    let one = "assuming a: the program has 1 answer set with the optimal costs 1 1, and no other";
    called(COSTS, all, &[one]);
    // For another call these costs are a bound like any other.
    let more = "q 4 0\nk 1 0\na 1 2 0\nq 1 1 1 0\na 1 2 0\nf 1 1 0\nk 0\na 2 0\na 1 2 0\nf 1 0\ne 1\n";
    let two = "the program has 2 answer sets with costs of at most 1 1, and no other";
    called(COSTS, more, &[one, two]);
}

#[test]
fn a_conclusion_names_what_its_optimum_rests_on() {
    // The optimum was refuted under `a`, and the question for all optimal answer sets needs no assumption.
    let rest = [
        (1, "the program has 1 answer set with the optimal costs 5, and no other"),
        (2, "the answer sets with the optimal costs 5 have 1 projection, no other"),
        (3, "the answer sets with the optimal costs 5 show 1 set of names, and no other"),
        (5, "the brave consequences of the answer sets with the optimal costs 5 are: a"),
        (6, "the cautious consequences of the answer sets with the optimal costs 5 are: a"),
    ];
    for (kind, what) in rest {
        // With kinds 1, 3 and 6 the answer set without `a` would be another one.
        let core = if [1, 3, 6].contains(&kind) { "1 " } else { "" };
        let proof = format!("q 4 0\nk 1 0\na 1 0\nq {kind} 5 0\na 1 0\nf 1 {core}0\ne 1\n");
        called(OPTIONAL, &proof, &[&format!("assuming a: {what}")]);
    }
    refused(OPTIONAL, "q 4 0\nk 1 0\na 1 0\nq 1 5 0\na 1 0\nf 1 0\n", "no conflict");
    // All literals of the call are named, also those that were not needed.
    let more = "q 4 0\nk 2 1 0\na 1 2 0\nq 2 1 1 0\na 1 2 0\nf 1 2 0\ne 1\n";
    called(
        COSTS,
        more,
        &["assuming b, a: the answer sets with the optimal costs 1 1 have 1 projection, no other"],
    );
    // An optimum that needs no assumption is one without.
    let none = "q 4 0\nk 2 0\na 2 0\nq 2 0 1 0\na 2 0\nf 1 0\ne 1\n";
    called(COSTS, none, &["the answer sets with the optimal costs 0 1 have 1 projection, no other"]);
}

#[test]
fn a_name_stands_for_one_literal() {
    // `b` is shown as `a`, too, and `c` is shown as `7`.
    let program = "asp 1 0 0\n1 1 3 1 2 3 0 0\n1 0 0 0 3 1 2 3\n4 1 a 1 1\n4 1 a 1 2\n4 1 7 1 3\n0\n";
    let what = "assuming 1, 2, 3: the program has no answer set";
    called(program, "q 1 0\nk 1 2 3 0\nf 1 1 2 3 0\ne 1\n", &[what]);
    // An atom that is in no rule is not what is always shown.
    let program = program.replace("4 1 7 1 3", "4 1 t 0");
    called(
        &program.replace("1 1 3 1 2 3", "1 1 3 1 2 4"),
        "q 1 0\nk 3 0\nf 1 3 0\ne 1\n",
        &["assuming 3: the program has no answer set"],
    );
}
