//! Proofs forged by somebody who has read the checker. Each tries another way to a conclusion that is not true.

mod common;

use common::told::{check, check_bytes, refused};

/// `{a; b}.`, at costs of 1 for `a` and 1 for `b`, and 1 for `a` at a lower priority.
const FREE: &str = "asp 1 0 0\n1 1 2 1 2 0 0\n2 1 2 1 1 2 1\n2 0 1 1 1\n4 1 a 1 1\n4 1 b 1 2\n0\n";
/// `a :- b.  b :- a.  {c}.  a :- c.`
const LOOP: &str = "asp 1 0 0\n1 0 1 1 0 1 2\n1 0 1 2 0 1 1\n1 1 1 3 0 0\n1 0 1 1 0 1 3\n0\n";
/// `a | b.  a :- b.  b :- a.  c | d :- a.`, whose answer sets `{a, b, c}` and `{a, b, d}` are founded by a head cycle.
const CYCLE: &str = "asp 1 0 0\n1 0 2 1 2 0 0\n1 0 1 1 0 1 2\n1 0 1 2 0 1 1\n1 0 2 3 4 0 1 1\n0\n";

#[test]
fn a_definition_that_contradicts_itself() {
    let why = "is no new variable";
    refused(FREE, "d 3 1 2 0\nd 3 -1 0\nq 1 0\nn 0\ne 1\n", why);
    refused(FREE, "d 1 -1 0\nq 1 0\nn 0\ne 1\n", why);
    refused(FREE, "s 2 3 1 1 0\nq 1 0\nn 0\ne 1\n", why);
    refused(FREE, "d 3 -3 0\nq 1 0\nn 0\ne 1\n", "the variable of -3 was not introduced");
    refused(FREE, "s 3 1 1 -4 0\nd 4 3 0\nq 1 0\nn 0\ne 1\n", "the variable of -4 was not introduced");
}

#[test]
fn a_sum_that_overflows() {
    // The weights add up to 2^64, the bound is -2^63, and only 0 or 64 bits would say that the sum cannot be reached.
    let heavy = "4611686018427387904 1 4611686018427387904 1 9223372036854775807 1 1 1";
    refused(FREE, &format!("s 3 -9223372036854775808 {heavy} 0\nn 3 0\n"), "propagation finds no conflict");
    refused(FREE, &format!("s 3 9223372036854775807 {heavy} 0\nn 3 0\n"), "propagation finds no conflict");
    refused(FREE, "n -9223372036854775808 0\n", "was not introduced");
    refused(FREE, "d -9223372036854775808 1 0\n", "is no new variable");
}

#[test]
fn an_answer_set_that_counts_twice() {
    refused(FREE, "q 1 0\na 1 0\na 1 1 0\n", "it was told before");
    refused(FREE, "q 1 0\na 1 0\nx 1\na 1 0\n", "it was told before");
    // Two answer sets with one projection: nothing is shown.
    refused(LOOP, "q 3 0\na 0\na 1 2 3 0\n", "nothing is left to look for");
}

#[test]
fn what_holds_for_one_question_only() {
    // Nothing costs less than 0, and a goal, a nogood and a floor of that question say so.
    let none = "q 4 -1 0\nn 0\n";
    refused(FREE, &format!("{none}q 1 0\nn 0\n"), "propagation finds no conflict");
    refused(FREE, &format!("s 3 1 1 1 1 2 0\nq 4 0 0\nn 1 0\nn 2 0\nq 1 0\n{}", "n 1 0\n"), "no conflict");
    // The costs of the first answer set are 2 and 1, not optimal, and no question has proved them so.
    let told = "q 4 0\na 1 2 0\nq 1 2 1 0\na 1 2 0\na 1 0\na 2 0\na 0\nn 0\ne 1\n";
    let conclusion = check(FREE, told);
    assert!(conclusion.expect("accepted").is_some_and(|conclusion| !conclusion.optimal));
}

#[test]
fn a_nogood_that_forgets_its_reason() {
    // The nogood of an answer set makes `b` follow. Without the nogood, the fact must not be there for another question.
    refused(FREE, "q 1 0\na 0\na 1 0\nn -2 0\nq 1 0\nn -2 0\n", "propagation finds no conflict");
    refused(FREE, "n -2 0\n", "propagation finds no conflict");
}

#[test]
fn costs_that_are_paid_twice() {
    let lists = "s 3 1 1 1 1 2 0\ns 4 1 1 2 1 1 0\ns 5 2 1 1 1 2 0\n";
    // Both variables stand for the same sum.
    refused(FREE, &format!("{lists}r 1 1 3\nr 1 1 4\n"), "a literal of the sum costs 0, and would lose 1");
    refused(FREE, &format!("{lists}r 1 1 5\n"), "the rest beyond 1 costs 0, and would lose 1");
    refused(FREE, &format!("{lists}r 1 1 3\nr 1 1 5\nr 1 1 5\n"), "the rest beyond 1 costs 0");
    // The second priority has no `b`.
    refused(FREE, &format!("{lists}r 2 1 3\n"), "a literal of the sum costs 0, and would lose 1");
    refused(FREE, &format!("{lists}r 1 9223372036854775807 3\n"), "would lose 9223372036854775807");
    refused(FREE, &format!("{lists}r 1 -1 3\n"), "the weight -1 is not positive");
    // A sum of one literal says what the literal says.
    let own = "s 6 1 1 3 0\nr 1 1 3\nr 1 1 6\n";
    refused(FREE, &format!("{lists}{own}r 1 1 6\n"), "a literal of the sum costs 0, and would lose 1");
    refused(FREE, &format!("{lists}{own}q 4 1 0\nn 0\n"), "propagation finds no conflict");
}

#[test]
fn a_floor_that_nothing_carries() {
    let sum = "s 3 2 1 1 1 2 0\n";
    refused(FREE, &format!("{sum}l 1 3\n"), "3 may be false");
    // It holds for the answer sets of another question only.
    refused(
        FREE,
        &format!("{sum}q 1 0\na 0\na 1 0\na 2 0\nn -3 1 0\nn -3 0\nq 4 1 0\nl 1 3\n"),
        "3 may be false",
    );
    // What is true in all that is looked for is a floor of these, and of no other question.
    let floor = format!("{sum}q 1 0\na 0\na 1 0\na 2 0\nn -3 1 0\nn -3 0\nl 1 3\n");
    refused(FREE, &format!("{floor}q 4 1 0\nn 0\n"), "propagation finds no conflict");
    // A literal that costs 1 must not count for 2.
    refused(FREE, "s 3 2 2 1 0\nn -3 1 0\nl 1 3\n", "3 may be false");
    refused(FREE, "s 3 0 2 1 0\nl 1 3\n", "a literal of the sum costs less than its weight");
}

#[test]
fn an_unfounded_set_that_is_founded() {
    refused(FREE, "u 0 1 0\n", "may be founded");
    refused(LOOP, "u 0 1 2 0\n", "may be founded");
    // The set is unfounded only if `c` is false, and the literal says that `c` is true.
    refused(LOOP, "u 3 0 1 2 0\n", "may be founded");
    // `a` and `b` found each other by their common rule, as there is a head cycle.
    refused(CYCLE, "u 1 2 0 1 2 0\n", "may be founded");
    refused(CYCLE, "u 0 1 2 3 4 0\n", "may be founded");
    refused(LOOP, "u 1 0 -1 0\n", "is no atom of the program");
    refused(LOOP, "u 1 0 4 0\n", "is no atom of the program");
    refused(LOOP, "d 4 1 3 0\nu 4 0 4 0\n", "is no atom of the program");
}

#[test]
fn an_answer_set_that_is_none() {
    refused(LOOP, "q 1 0\na 1 2 0\n", "unfounded");
    refused(LOOP, "q 1 0\na 3 0\n", "must be");
    refused(CYCLE, "q 1 0\na 1 0\n", "must be");
    refused(CYCLE, "q 1 0\na 1 2 3 4 0\n", "must be");
    refused(FREE, "q 4 1 0\na 1 2 0\n", "propagation finds a conflict");
    // The nogood of the step before would hide that this is one.
    refused(FREE, "q 1 0\nn 1 -1 0\nn 1 0\n", "propagation finds no conflict");
}

#[test]
fn an_end_that_is_none() {
    refused(FREE, "e 1\n", "no question was asked");
    refused(FREE, "q 1 0\na 0\ne 1\n", "the question is not refuted");
    refused(FREE, "q 1 0\ne 0\ne 1\n", "the proof has ended before");
    // The number 1, in more bytes than it needs or with more bits than there are.
    let long = b"yasmin01\0q\x02\x00e\x82\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00";
    assert!(check_bytes(FREE, long).is_err());
    // A list that is longer than any file.
    let endless = b"yasmin01\0n\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01\x02";
    assert!(check_bytes(FREE, endless).is_err());
}
