//! Each step, accepted and refused with its reason.

mod common;

use common::told::{accepted, check, check_bytes, concluded, refused, COSTS, EXAMPLE};
use yasmin_check::proof::{Proof, ProofError, Step};
use yasmin_check::{program, Checker};

/// `a :- b.  b :- a.  {c}.  a :- c.`
const LOOP: &str = "asp 1 0 0\n1 0 1 1 0 1 2\n1 0 1 2 0 1 1\n1 1 1 3 0 0\n1 0 1 1 0 1 3\n0\n";
/// `a | b.  c :- a.  {d}.`
const OR: &str =
    "asp 1 0 0\n1 0 2 1 2 0 0\n1 0 1 3 0 1 1\n1 1 1 4 0 0\n4 1 a 1 1\n4 1 d 1 4\n4 2 _b 1 2\n0\n";

#[test]
fn the_example_of_the_page() {
    concluded(EXAMPLE, "d 4 1 2 0\nq 1 0\nn 0\ne 1\n", "the program has no answer set");
}

/// Checks steps after a choice between the atoms 1 to 6, and says how many of the steps were propagated.
#[track_caller]
fn propagated(steps: &str) -> u64 {
    let free = "asp 1 0 0\n1 1 6 1 2 3 4 5 6 0 0\n0\n";
    let proof = format!("p yasmin 1\nh 1 -2 0\nh 2 -3 0\nh 3 -4 0\n{steps}");
    check_bytes(free, proof.as_bytes()).expect("accepted").propagated()
}

#[test]
fn reasons() {
    // What is assumed has no serial number, so these are propagated.
    let known = "n 1 -2 0\nn 2 -3 0\nn 3 -4 0\n";
    assert_eq!(propagated(known), 3);
    assert_eq!(propagated(&format!("{known}b 1 2 3 0\nn 1 -4 0\n")), 3);
    // From the other end, too.
    assert_eq!(propagated(&format!("{known}b 3 2 1 0\nn 1 -4 0\nb 4 0\nn 1 -4 5 0\n")), 3);
    // An order in which one is not unit, one too few, one that is deleted, none, and numbers of nothing.
    for wrong in ["b 2 1 3", "b 1 2", "x 2\nb 1 2 3", "b", "b 9 -1 4 1000"] {
        assert_eq!(
            propagated(&format!("{known}{wrong} 0\nn 1 -4 0\n").replace("x 2 0", "x 2")),
            4,
            "{wrong}"
        );
    }
    // More than what is needed, and nothing is needed.
    assert_eq!(propagated(&format!("{known}b 1 1 3 2 3 3 0\nn 1 -4 0\n")), 3);
    assert_eq!(propagated(&format!("{known}b 0\nn 5 -5 0\n")), 3);
    let free = "asp 1 0 0\n1 1 2 1 2 0 0\n0\n";
    refused(free, "h 1 0\nb 1 0\nn 2 0\n", "n 2 0: propagation finds no conflict");
    refused(free, "b 1 0\nd 3 1 2 0\n", "a step `n` has to follow a step `b`");
    refused(free, "b 1 0\nb 1 0\n", "a step `n` has to follow a step `b`");
}

#[test]
fn definitions() {
    accepted(OR, "d 5 1 -2 0\nd 6 0\nd 7 1 -1 0\nn -6 0\nn 7 0\nn 5 2 0\nn -5 1 -2 0\n");
    // The definition is the body of a rule, or an earlier definition.
    accepted(EXAMPLE, "d 4 2 1 2 0\nq 1 0\nn 4 -3 0\nd 5 1 2 0\nn 5 -4 0\nn -5 4 0\n");
    refused(OR, "d 4 1 0\n", "d 4 1 0: 4 is no new variable");
    refused(OR, "d 5 1 0\nd 5 2 0\n", "5 is no new variable");
    refused(OR, "d 5 6 0\n", "the variable of 6 was not introduced");
    refused(OR, "d -5 1 0\n", "-5 is no new variable");
    refused(OR, "d 2147483648 1 0\n", "2147483648 is no new variable");
    accepted(OR, "d 2147483647 1 0\nn 2147483647 -1 0\n");
}

#[test]
fn sums() {
    // 5: `a` and `d`, or twice `c`.
    let sum = "s 5 4 2 1 2 4 3 3 3 3 0\n";
    accepted(OR, &format!("{sum}n 5 -1 0\n"));
    accepted(OR, &format!("{sum}n 5 2 -3 -1 0\nn -5 1 4 0\nn -5 3 0\n"));
    refused(OR, &format!("{sum}n -5 1 -4 -3 2 0\nn 5 1 0\n"), "n 5 1 0: propagation finds no conflict");
    // A literal that would reach the bound of a false sum is false; one that is needed for a true one holds.
    accepted(OR, "s 5 2 1 2 1 4 0\nd 6 -5 2 0\nn 6 4 0\nn 5 -4 0\nn 5 -2 0\n");
    accepted(OR, "s 5 0 1 1 0\nn -5 0\ns 6 2 1 1 0\nn 6 0\ns 7 1 0\nn 7 0\n");
    let large = i64::MAX;
    accepted(OR, &format!("s 5 9223372036854775807 {large} 1 {large} 3 0\nn 5 2 0\nn -5 1 0\n"));
    accepted(OR, &format!("s 5 9223372036854775807 {large} 1 {large} 3 {large} 3 0\nn 5 2 0\nn -5 1 0\n"));
    accepted(OR, "s 5 -9223372036854775808 1 1 0\nn -5 0\n");
    refused(OR, "s 5 1 -1 1 0\n", "the weight -1 is not positive");
}

#[test]
fn sums_that_exclude_each_other() {
    let free = "asp 1 0 0\n1 1 5 1 2 3 4 5 0 0\n0\n";
    // Three of four, and two of three of them: no literal follows from any two of these.
    let sums = "s 6 3 1 1 1 2 1 3 1 4 0\ns 7 2 1 1 1 2 1 3 0\n";
    accepted(free, &format!("{sums}n 6 -7 0\nn 6 -7 5 0\n"));
    refused(free, &format!("{sums}n -6 7 0\n"), "n -6 7 0: propagation finds no conflict");
    refused(free, &format!("{sums}n 6 7 0\n"), "propagation finds no conflict");
    // What holds counts: only two of the four are left.
    accepted(free, &format!("{sums}n -6 7 4 0\n"));
}

#[test]
fn nogoods() {
    accepted(OR, "n -1 -2 0\nn 1 2 0\nn 1 -3 0\nn 3 -1 0\nn 1 -1 0\nn 1 1 2 2 0\n");
    refused(OR, "n 4 0\n", "n 4 0: propagation finds no conflict");
    refused(OR, "n 9 0\n", "the variable of 9 was not introduced");
    refused(OR, "n -9223372036854775808 0\n", "was not introduced");
    // Atoms that the program does not name are false.
    let gap = "asp 1 0 0\n1 1 1 5 0 0\n0\n";
    accepted(gap, "n 3 0\nd 6 -3 0\nn -6 0\n");
}

#[test]
fn loop_nogoods() {
    accepted(LOOP, "u 1 -3 0 1 2 0\nn 2 -3 0\n");
    accepted(LOOP, "u 1 -3 0 1 2 2 0\n");
    refused(LOOP, "u 1 0 1 2 0\n", "the atom 1 may be founded by a rule from outside the set");
    // A nogood for each atom of the set.
    accepted(LOOP, "u -3 0 1 2 0\nx 2\nn 1 -3 0\nn 2 -3 0\n");
    refused(LOOP, "u -3 0 1 2 0\nx 3\n", "3");
    refused(LOOP, "u 0 1 2 0\n", "may be founded");
    refused(LOOP, "u 1 -3 0 1 0\n", "may be founded");
    refused(LOOP, "u 1 -3 0 1 7 0\n", "7 is no atom of the program");
    refused(LOOP, "d 4 1 0\nu 1 -3 0 1 4 0\n", "4 is no atom of the program");
    // `a :- 2 {b; c; d}.  b :- a.  {c; d}.`
    let sum = "asp 1 0 0\n1 0 1 1 1 2 3 2 1 3 1 4 1\n1 0 1 2 0 1 1\n1 1 2 3 4 0 0\n0\n";
    accepted(sum, "u 1 -3 0 1 2 0\nu -4 2 0 2 1 0\n");
    refused(sum, "u 1 0 1 2 0\n", "may be founded");
    // `a | b.  a :- b.  b :- a.  a | c :- b.`
    let cycle = "asp 1 0 0\n1 0 2 1 2 0 0\n1 0 1 1 0 1 2\n1 0 1 2 0 1 1\n1 0 2 1 3 0 1 2\n0\n";
    refused(cycle, "u 1 0 1 2 0\n", "may be founded");
    accepted(cycle, "u 3 0 3 0\n");
    // The edges from 0 to 1 and from 1 to 0, if `a` and `b`.
    let edges = "asp 1 0 0\n1 1 2 1 2 0 0\n8 0 1 1 1\n8 1 0 1 2\n0\n";
    accepted(edges, "u 1 2 7 0 7 8 5 6 0\nn 1 2 0\n");
    refused(edges, "u 1 7 0 7 8 5 6 0\n", "may be founded");
}

#[test]
fn deletions() {
    accepted(LOOP, "u 1 -3 0 1 2 0\nx 1\nx 1\n");
    refused(LOOP, "u 1 -3 0 1 2 0\nx 1\nn 2 -3 0\n", "propagation finds no conflict");
    refused(LOOP, "x 1\n", "no nogood has the serial number 1");
    refused(LOOP, "x 0\n", "no nogood has the serial number 0");
    refused(LOOP, "x -1\n", "no nogood has the serial number -1");
    // An answer set stays known.
    refused(OR, "q 1 0\na 2 0\nx 1\na 2 0\n", "a 2 0: ");
}

#[test]
fn many_deletions() {
    // 12 free atoms. The nogood of an answer set is accepted once more only while it is there.
    let program = program::read("p", b"asp 1 0 0\n1 1 12 1 2 3 4 5 6 7 8 9 10 11 12 0 0\n0\n").expect("read");
    let mut checker = Checker::new(program);
    checker.step(&Step::Question { kind: 1, bounds: Vec::new() }).expect("a question");
    let nogood = |set: i64| {
        let lits = (1..=12).map(|atom| if set >> (atom - 1) & 1 == 1 { atom } else { -atom });
        Step::Nogood(lits.collect())
    };
    let mut serial = 0;
    // For each answer set its serial number, while its nogood is there.
    let mut there = Vec::new();
    for round in 0..4 {
        for set in 1000 * round..1000 * (round + 1) {
            let atoms = (1..=12).filter(|atom| set >> (atom - 1) & 1 == 1).collect();
            checker.step(&Step::Answer(atoms)).expect("an answer set");
            serial += 1;
            there.push((set, Some(serial)));
        }
        for (set, own) in &mut there {
            if (*set * 0x9e37) >> 4 & 7 > round {
                if let Some(serial) = own.take() {
                    checker.step(&Step::Deletion(serial)).expect("a deletion");
                }
            }
        }
        for (set, own) in &there {
            let result = checker.step(&nogood(*set));
            assert_eq!(result.is_ok(), own.is_some(), "round {round}, set {set}: {result:?}");
            if result.is_ok() {
                serial += 1;
                checker.step(&Step::Deletion(serial)).expect("a deletion");
            }
        }
    }
    assert!(there.iter().filter(|(_, own)| own.is_some()).count() > 500);
}

#[test]
fn questions() {
    refused(OR, "q 9 0\n", "9 is no kind of question");
    refused(OR, "q 0 0\n", "0 is no kind of question");
    refused(COSTS, "q 4 1 1 1 0\n", "3 bounds for 2 priorities");
    accepted(COSTS, "q 4 0 0 0\nn 1 0\nn -2 0\nn 2 0\n");
    // What was found before the first question stays, and nothing else.
    accepted(LOOP, "u 1 -3 0 1 2 0\nq 1 0\nn 2 -3 0\nq 1 0\nn 2 -3 0\n");
    refused(LOOP, "q 1 0\nu 1 -3 0 1 2 0\nq 1 0\nn 2 -3 0\n", "propagation finds no conflict");
    accepted(COSTS, "q 1 0 0\nn 1 0\nd 3 -1 0\nd 4 -1 2 0\nn -4 0\nq 1 0\na 1 0\n");
    refused(COSTS, "q 1 0 0\nn 1 0\nd 3 -1 2 0\nq 1 0\nn -3 0\n", "propagation finds no conflict");
}

#[test]
fn a_literal_that_costs_all_of_a_priority_must_fit_the_next() {
    // `{a; b; c}.  :- not b, not c.` with costs 1 for `b` and `c` at priority 2, and 1 for each at
    // priority 1.
    let program = "asp 1 0 0\n1 1 3 1 2 3 0 0\n1 0 0 0 2 -2 -3\n2 1 3 1 1 2 1 3 1\n2 2 2 2 1 3 1\n0\n";
    accepted(program, "q 1 1 1 0\nn 1 0\na 2 0\na 3 0\n");
    refused(program, "q 1 1 2 0\nn 1 0\n", "propagation finds no conflict");
    accepted(program, "q 1 1 2 0\na 1 2 0\nn 2 3 0\n");
    // Only the first priority is bounded.
    refused(program, "q 1 1 0\nn 1 0\n", "propagation finds no conflict");
}

#[test]
fn answer_sets() {
    let all = "a 1 3 0\na 1 3 4 0\na 2 0\na 2 4 0\n";
    concluded(OR, &format!("q 1 0\n{all}n 1 0\nn 0\ne 1\n"), "the program has 4 answer sets, and no other");
    refused(OR, &format!("q 1 0\n{all}a 2 0\n"), "a 2 0: ");
    refused(OR, "a 2 0\n", "no question was asked");
    refused(OR, "q 1 0\na 5 0\n", "5 is no atom of the program");
    refused("asp 1 0 0\n1 1 1 5 0 0\n0\n", "q 1 0\na 4 0\n", "one of the atoms is not in the program");
    refused(OR, "q 1 0\na 1 2 3 0\n", "a 1 2 3 0: ");
    refused(OR, "q 1 0\na 4 0\n", "a 4 0: ");
    refused(LOOP, "q 1 0\na 1 2 0\n", "the atom 1 is unfounded");
    // `a | b.  a :- b.  b :- a.  c | d :- a.  c :- d.  d :- c, e.  {e}.`
    let cycle = "asp 1 0 0\n1 0 2 1 2 0 0\n1 0 1 1 0 1 2\n1 0 1 2 0 1 1\n1 0 2 3 4 0 1 1\n1 0 1 3 0 1 4\n\
                 1 0 1 4 0 2 3 5\n1 1 1 5 0 0\n0\n";
    accepted(cycle, "q 1 0\na 1 2 3 0\na 1 2 3 4 5 0\n");
    // A cycle of `c` and `d` that nothing needs.
    let free = "asp 1 0 0\n1 0 2 1 2 0 0\n1 0 1 1 0 1 2\n1 0 1 2 0 1 1\n1 0 2 1 3 0 1 2\n1 0 1 3 0 1 2\n0\n";
    accepted(free, "q 1 0\na 1 2 3 0\n");
    let pair =
        "asp 1 0 0\n1 0 2 1 2 0 0\n1 0 2 1 2 0 1 3\n1 0 1 1 0 2 2 3\n1 0 1 2 0 2 1 3\n1 1 1 3 0 0\n0\n";
    accepted(pair, "q 1 0\na 1 0\na 1 2 3 0\n");
    let more =
        "asp 1 0 0\n1 0 3 1 2 3 0 0\n1 0 1 1 0 1 2\n1 0 1 2 0 1 1\n1 0 1 1 0 1 3\n1 0 1 3 0 2 1 2\n0\n";
    accepted(more, "q 1 0\na 1 2 3 0\n");
    let not_minimal =
        "asp 1 0 0\n1 0 2 1 2 0 0\n1 0 2 1 3 0 1 2\n1 0 2 2 3 0 1 1\n1 0 1 2 0 1 3\n1 0 1 3 0 1 2\n0\n";
    refused(not_minimal, "q 1 0\na 1 2 3 0\n", "a 1 2 3 0: ");
    accepted(not_minimal, "q 1 0\na 2 3 0\n");
    refused(COSTS, "q 1 0 0\na 0\n", "a 0: ");
    accepted(COSTS, "q 1 0 0\na 2 0\n".replace("0 0", "0 1 0").as_str());
}

#[test]
fn projections_and_consequences() {
    let project = OR.replace("0\n4 1 a", "0\n3 1 3\n4 1 a");
    concluded(
        &project,
        "q 2 0\na 2 0\na 1 3 4 0\nn 0\ne 1\n",
        "the answer sets have 2 projections, no other",
    );
    concluded(OR, "q 2 0\na 2 0\ne 1\n", "the answer sets have 1 projection, no other");
    concluded(
        OR,
        "q 3 0\na 2 0\na 1 3 4 0\na 2 4 0\na 1 3 0\nn 1 0\nn 0\ne 1\n",
        "the answer sets show 4 sets of names, and no other",
    );
    concluded(OR, "q 5 0\na 2 0\na 1 3 4 0\ne 1\n", "the brave consequences of the answer sets are: a d _b");
    concluded(OR, "q 6 0\na 2 0\na 1 3 0\ne 1\n", "the cautious consequences of the answer sets are:");
    concluded(OR, "q 7 0\na 2 0\na 1 3 4 0\ne 1\n", "the brave consequences of the answer sets are: a d _b");
    refused(OR, "q 7 0\na 2 0\na 2 0\n", "a 2 0: ");
    refused(OR, "q 6 0\na 2 0\na 1 3 0\na 1 3 4 0\n", "nothing is left to look for");
    concluded(
        &project,
        "q 7 0\na 2 0\na 1 3 4 0\ne 1\n",
        "the brave consequences of the answer sets are: a d _b",
    );
}

#[test]
fn optima() {
    let optimum = "q 4 0\na 0\na 2 0\n";
    concluded(COSTS, &format!("{optimum}n 1 0\nn 0\ne 1\n"), "the optimal costs are 0 1");
    refused(COSTS, &format!("{optimum}a 1 2 0\n"), "a 1 2 0: ");
    refused(COSTS, "q 4 0\na 0\ne 1\n", "the question is not refuted");
    concluded(
        COSTS,
        &format!("{optimum}q 1 0 1 0\na 2 0\nn 0\ne 1\n"),
        "the program has 1 answer set with the optimal costs 0 1, and no other",
    );
    concluded(
        COSTS,
        "q 1 0 1 0\na 2 0\nn 0\ne 1\n",
        "the program has 1 answer set with costs of at most 0 1, and no other",
    );
    concluded(COSTS, "q 4 -1 0\nn 0\ne 1\n", "the program has no answer set with costs of at most -1");
    concluded(LOOP, "q 4 0\na 0\ne 1\n", "the program has an answer set, and no costs");
}

/// `{a; b; c; d}.  e :- 3 {a; b; c; d}.  :- not e.`, at costs of 2 for `a`, `b` and `c`, and of 3 for `d`.
const CORES: &str =
    "asp 1 0 0\n1 1 4 1 2 3 4 0 0\n1 0 1 5 1 3 4 1 1 2 1 3 1 4 1\n1 0 0 0 1 -5\n2 0 4 1 2 2 2 3 2 4 3\n0\n";

#[test]
fn rewritings() {
    let cores = "s 6 1 1 1 1 2 1 3 1 4 0\ns 7 2 1 4 1 3 1 2 1 1 0\ns 8 3 1 1 1 2 1 3 1 4 0\n";
    let moved = "r 1 2 6\nr 1 2 7\nr 1 2 8\n";
    let known = "n -8 0\nn -7 1 0\nn -7 0\nn -6 0\n";
    concluded(
        CORES,
        &format!("{cores}{moved}{known}q 4 0\na 1 2 3 5 0\nn 0\ne 1\n"),
        "the optimal costs are 6",
    );
    // Without the rewriting propagation alone does not find it.
    refused(CORES, &format!("{cores}{known}q 4 0\na 1 2 3 5 0\nn 0\n"), "propagation finds no conflict");
    concluded(
        CORES,
        &format!("{cores}{known}q 4 5 0\n{moved}n 0\ne 1\n"),
        "the program has no answer set with costs of at most 5",
    );
    // What costs beyond the bound is false: `d` costs one more than the others.
    accepted(CORES, &format!("{cores}{known}q 4 6 0\n{moved}n 4 0\nq 4 7 0\na 1 2 4 5 0\n"));
    refused(CORES, &format!("{cores}{known}q 4 7 0\n{moved}n 4 0\n"), "propagation finds no conflict");
    refused(CORES, &format!("{cores}r 1 3 6\n"), "a literal of the sum costs 2, and would lose 3");
    refused(CORES, &format!("{cores}r 1 2 6\nr 1 1 6\n"), "costs 0, and would lose 1");
    refused(CORES, &format!("{cores}r 1 1 7\n"), "the rest beyond 1 costs 0, and would lose 1");
    refused(CORES, &format!("{cores}r 1 2 6\nr 1 3 7\n"), "the rest beyond 1 costs 2, and would lose 3");
    refused(CORES, &format!("{cores}r 2 2 6\n"), "1 priorities, and no number 2");
    refused(CORES, &format!("{cores}r 0 2 6\n"), "no number 0");
    refused(CORES, &format!("{cores}r 1 0 6\n"), "the weight 0 is not positive");
    refused(CORES, "r 1 1 1\n", "1 is no variable of a step `s` with weights 1");
    refused(CORES, "s 6 1 1 1 2 2 0\nr 1 1 6\n", "6 is no variable of a step `s` with weights 1");
    refused(CORES, "s 6 0 1 1 0\nr 1 1 6\n", "the bound 0 of the sum is not positive");
    accepted(CORES, "s 6 1 1 1 1 1 0\nr 1 1 6\n");
    refused(CORES, "s 6 1 1 1 1 1 0\nr 1 2 6\n", "a literal of the sum costs 2, and would lose 4");
}

#[test]
fn least_costs() {
    // The costs are 2 a + 2 b + 2 c + 3 d, and 6 at least, which no nogood with these weights says.
    let six = "s 6 6 2 1 2 2 2 3 3 4 0\n";
    let known = "n -6 1 2 0\nn -6 1 0\nn -6 0\n";
    let none = "the program has no answer set with costs of at most 5";
    concluded(CORES, &format!("{six}q 4 5 0\n{known}l 1 6\nn 0\ne 1\n"), none);
    refused(CORES, &format!("{six}q 4 5 0\n{known}n 0\n"), "propagation finds no conflict");
    refused(CORES, &format!("{six}q 4 5 0\nl 1 6\n"), "6 may be false");
    refused(CORES, &format!("{six}{known}l 2 6\n"), "1 priorities, and no number 2");
    refused(CORES, "l 1 1\n", "1 is no variable of a step `s`");
    refused(CORES, "s 6 3 3 1 3 2 3 3 0\nn -6 0\nl 1 6\n", "a literal of the sum costs less than its weight");
    // What a rewriting has moved costs nothing any more.
    let moved = "s 7 1 1 1 1 2 1 3 1 4 0\nr 1 2 7\n";
    refused(CORES, &format!("{six}{moved}{known}l 1 6\n"), "a literal of the sum costs less than its weight");
    // What holds and is not in the sum costs besides: `d.  {a; b; c}.  e :- 2 {a; b; c}.  :- not e.` at the
    // same costs.
    let fact = "asp 1 0 0\n1 1 3 1 2 3 0 0\n1 0 1 4 0 0\n1 0 1 5 1 2 3 1 1 2 1 3 1\n1 0 0 0 1 -5\n\
                2 0 4 1 2 2 2 3 2 4 3\n0\n";
    let four = "s 6 4 2 1 2 2 2 3 0\nn -6 1 0\nn -6 0\n";
    concluded(fact, &format!("{four}q 4 6 0\nl 1 6\nn 0\ne 1\n"), &none.replace('5', "6"));
    refused(fact, &format!("{four}q 4 7 0\nl 1 6\nn 0\n"), "propagation finds no conflict");
    // A new question forgets it.
    accepted(CORES, &format!("{six}q 4 5 0\n{known}l 1 6\nn 0\nq 4 6 0\na 1 2 3 5 0\n"));
}

#[test]
fn assumptions() {
    concluded(
        OR,
        "h 2 0\nq 1 0\na 1 3 0\na 1 3 4 0\nn 0\ne 1\n",
        "assuming not _b: the program has 2 answer sets, and no other",
    );
    concluded(OR, "h -1 0\nh -2 0\nq 1 0\nn 0\ne 1\n", "assuming a, _b: the program has no answer set");
    concluded(
        OR,
        "d 5 1 -4 0\nh 5 2 0\nh -4 -2 0\nq 2 0\na 2 4 0\nn 0\ne 1\n",
        "assuming not all of {5, _b}, not all of {not d, not _b}: the answer sets have 1 projection, no other",
    );
    concluded(OR, "h 0\nq 1 0\ne 1\n", "assuming not all of {}: the program has no answer set");
    // What is assumed holds for each question.
    accepted(OR, "h -4 0\nq 1 0\nn -4 0\nq 1 0\nn -4 0\na 2 4 0\n");
    refused(OR, "h -4 0\nq 1 0\na 2 0\n", "the atom 4 must be true");
    refused(OR, "q 1 0\nh -4 0\n", "what is assumed comes before the first question");
    refused(OR, "h 7 0\n", "the variable of 7 was not introduced");
}

#[test]
fn ends() {
    assert_eq!(check(OR, "q 1 0\ne 0\nc the end\n\n"), Ok(None));
    assert_eq!(check(OR, ""), Ok(None));
    refused(OR, "e 1\n", "no question was asked");
    refused(OR, "q 1 0\ne 1\n", "the question is not refuted");
    refused(OR, "q 1 0\ne 0\nn 1 2 0\n", "the proof has ended before");
    refused(OR, "q 1 0\ne 0\ne 0\n", "the proof has ended before");
}

#[test]
fn texts() {
    let wrong = [
        ("n 1", "line 2: the step ends too early"),
        ("n 1 x 0", "`x` is no number of 64 bits"),
        ("n +1 0", "`+1` is no number"),
        ("n 9223372036854775808 0", "is no number of 64 bits"),
        ("\nn 1 0 2", "line 3: `2` is too much"),
        ("z 1 0", "`z` is the letter of no step"),
        ("nn 1 0", "`nn` is the letter of no step"),
        ("e 2", "`2` is too much"),
        ("s 5 1 1 0", "the step ends too early"),
        ("q 4 1", "the step ends too early"),
        ("q 4", "the step ends too early"),
        ("u 1 0", "the step ends too early"),
    ];
    for (proof, why) in wrong {
        refused(OR, proof, why);
    }
    accepted(OR, "c comment\n  \n\tn  1\t2 0 \r\n");
}

fn read(mut bytes: &[u8]) -> Result<Vec<Step>, ProofError> {
    let mut proof = Proof::new(&mut bytes);
    let mut steps = Vec::new();
    while let Some(step) = proof.step()? {
        steps.push(step);
    }
    Ok(steps)
}

#[test]
fn headers() {
    for bytes in
        [&b""[..], b"p yasmin 2\n", b"c\np yasmin 1\n", b"yasmin02\0", b"yasmin01", b"\xff\xfe", b"q 1 0\n"]
    {
        assert!(matches!(read(bytes), Err(ProofError::Header)), "{bytes:?}");
    }
    assert!(read(b"p yasmin 1").expect("no step").is_empty());
    assert!(read(b"yasmin01\0").expect("no step").is_empty());
}

#[test]
fn bytes() {
    let numbers = vec![0, 1, -1, 63, 64, -64, -65, i64::MAX, i64::MIN];
    let steps = vec![
        Step::Question { kind: 4, bounds: numbers.clone() },
        Step::Sum { var: 7, bound: i64::MIN, terms: vec![(1 << 62, -3), (1, 2)] },
        Step::Loop { lits: vec![], atoms: vec![1] },
        Step::End(true),
    ];
    assert_eq!(read(&common::to_binary(&steps)).expect("it can be read"), steps);
    assert_eq!(read(common::to_text(&steps).as_bytes()).expect("it can be read"), steps);
    let binary = |rest: &[u8]| read(&[b"yasmin01\0", rest].concat());
    // -1 is 1, 2 is 4, and a length comes first.
    assert_eq!(binary(&[b'n', 4, 1, 4]).expect("it can be read"), [Step::Nogood(vec![-1, 2])]);
    let nines = [&[b'x'][..], &[0xff; 9]].concat();
    assert_eq!(binary(&[&nines[..], &[1]].concat()).expect("it can be read"), [Step::Deletion(i64::MIN)]);
    for (rest, why) in [
        (&[b'n', 4, 1][..], "the step ends too early"),
        (b"n", "the step ends too early"),
        (&[b'n', 1], "-1 is no length of a list"),
        (b"z", "`z` is the letter of no step"),
        (&[0xff], "is the letter of no step"),
        (&[b'e', 4], "`2` is too much"),
        (&[b'n', 0xfe, 0xff, 0xff, 0xff, 0xff, 0x7f], "the step ends too early"),
        (&[&nines[..], &[2]].concat(), "is no number of 64 bits"),
        (&[&nines[..], &[0xff, 1]].concat(), "a number has more than 10 bytes"),
    ] {
        let error = binary(rest).expect_err("it cannot be read").to_string();
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn programs() {
    let error =
        |text: &str| program::read("file", text.as_bytes()).expect_err("it cannot be read").to_string();
    for (text, why) in [
        ("", "file:1: expected `asp 1 0 0`"),
        ("a :- b.", "gringo FILE"),
        ("asp 2 0 0\n", "the major version of aspif must be from 1 to 1"),
        ("asp 1 0 0\n1 0 1 0 0 0\n0\n", "file:2: an atom must be from 1 to 2147483647"),
        ("asp 1 0 0\n1 0 1 2147483648 0 0\n0\n", "an atom must be"),
        ("asp 1 0 0\n1 0 1 1 0 1\n0\n", "expected a literal, found the end of the line"),
        ("asp 1 0 0\n1 0 1 1 1 1 1 2 -1\n0\n", "a weight must be from 0"),
        (
            "asp 1 0 0\n1 0 1 1 1 1 1 2 9223372036854775808\n0\n",
            "a weight must be from 0 to 9223372036854775807",
        ),
        ("asp 1 0 0\n2 0 1 1 -9223372036854775808\n0\n", "a weight must be from -9223372036854775807"),
        ("asp 1 0 0\n9 1 0 3 sum\n9 5 1 0 0\n0\n", "theory"),
        ("asp 1 0 0\n", "found the end; is the file damaged or cut off?"),
        ("asp 1 0 0\n0\n1 0 1 1 0 0\n", "file:3: expected the end of the program"),
        ("asp 1 0 0\n4 99 a 0\n", "expected a string of 99 bytes, found the end"),
        ("asp 1 0 0\n8 0 1 1 2147483647\n0\n", "too many edges"),
        ("1 1 0 0\n7 1\n", "rules of type 7 are unknown"),
        ("1 1 1 2 1\n", "the number of negative literals must be from 0 to 1"),
        ("1 1 0 0\n0\n0\nB-\n", "expected `B+`"),
    ] {
        let error = error(text);
        assert!(error.contains(why), "{text:?}: {error}");
    }
    let smodels = "3 2 2 3 0 0\n1 4 2 1 2 3\n2 5 3 1 2 4 2 3\n5 6 4 3 1 4 2 3 1 2 3\n8 2 7 8 1 0 6\n6 0 3 1 4 2 3 5 1 7\n\
                   6 0 1 0 8 1\n91 9 1\n91 10 2\n92 11\n1 1 1 0 8\n0\n2 a\n3 b\n9 e\n0\nB+\n2\n0\nB-\n1\n0\nE\n10\n0\n1\n";
    accepted(smodels, "n -2 0\nn 1 0\nn 8 0\nn -9 0\nn 11 0\n");
}

#[test]
fn heads() {
    // `a | b :- not a.` is `b :- not a.`, and `a | b :- a.` says nothing.
    let program = "asp 1 0 0\n1 0 2 1 2 0 1 -1\n1 0 2 1 2 0 1 1\n0\n";
    accepted(program, "n 1 0\nn -2 0\n");
    // `{a; b} :- a.` and `{b} :- not b.` derive nothing.
    accepted("asp 1 0 0\n1 1 1 1 0 1 1\n1 1 1 2 0 1 -2\n0\n", "n 1 0\nn 2 0\n");
    // The literals of a body and the complements of other heads are a definition.
    let or = "asp 1 0 0\n1 1 2 1 2 0 0\n1 0 2 3 4 0 2 1 2\n0\n";
    accepted(or, "d 5 1 2 -4 0\nn 3 -5 0\nn -3 5 0\n");
}

/// Bytes of any sort make no panic.
#[test]
fn nothing_panics() {
    let random = &mut common::Random(1);
    let texts = [EXAMPLE, COSTS, LOOP, OR, CORES];
    let proofs =
        ["d 5 1 -2 0\nq 4 2 0\na 2 0\nx 1\ns 6 1 1 1 0\nr 1 1 6\nn 0\ne 1\n", "u 1 -3 0 1 2 0\nq 1 0\na 0\n"];
    for _ in 0..3000 {
        let mut program = random.pick(&texts).as_bytes().to_vec();
        let mut proof = format!("p yasmin 1\n{}", random.pick(&proofs)).into_bytes();
        if random.one_in(2) {
            proof = common::to_binary(&read(&proof).expect("it can be read"));
        }
        for bytes in [&mut program, &mut proof] {
            for _ in 0..random.range(0, 4) {
                let at = random.range(0, bytes.len() as i64 - 1) as usize;
                match random.range(0, 2) {
                    0 => bytes[at] = random.range(0, 255) as u8,
                    1 => bytes[at] = *random.pick(b"0123456789- \n"),
                    _ => bytes.truncate(at + 1),
                }
            }
        }
        let Ok(program) = program::read("p", &program) else { continue };
        let mut checker = Checker::new(program);
        let mut bytes = &proof[..];
        let mut proof = Proof::new(&mut bytes);
        while let Ok(Some(step)) = proof.step() {
            let _ = checker.step(&step);
        }
        let _ = checker.conclusion();
    }
}
