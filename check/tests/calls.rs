//! Calls: a question that is asked again and again, of the answer sets with some literals.

mod common;

use common::told::{accepted, called, refused, COSTS, EXAMPLE};

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
