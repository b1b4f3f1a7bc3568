//! Difference constraints: what the checker reads of them, and which cycles it accepts.

mod common;

use common::told::{accepted, check, check_bytes, concluded, refused};
use common::{to_binary, to_text, Random};
use yasmin_check::program;
use yasmin_check::proof::Step;

/// An atom of `&diff{u - v} OPERATOR number` with terms of its own. `ends` are the symbols of `u` and `v`.
fn atom(place: usize, atom: i64, name: &str, ends: [&str; 2], operator: &str, number: i64) -> String {
    let id = |part: usize| 8 * place + part;
    let symbol = |part: usize, text: &str| match text {
        "0" => format!("9 0 {} 0\n", id(part)),
        _ => format!("9 1 {} {} {text}\n", id(part), text.len()),
    };
    let symbols =
        [symbol(0, name), symbol(1, "-"), symbol(2, operator), symbol(3, ends[0]), symbol(4, ends[1])];
    format!(
        "{}9 2 {} {} 2 {} {}\n9 0 {} {number}\n9 4 {place} 1 {} 0\n9 6 {atom} {} 1 {place} {} {}\n",
        symbols.concat(),
        id(5),
        id(1),
        id(3),
        id(4),
        id(6),
        id(5),
        id(0),
        id(2),
        id(6)
    )
}

/// `{a; b}. &diff{x - y} <= -1 :- a. &diff{y - x} <= 0 :- b.`
fn two() -> String {
    format!(
        "asp 1 0 0\n1 1 2 1 2 0 0\n1 0 1 3 0 1 1\n1 0 1 4 0 1 2\n{}{}0\n",
        atom(0, 3, "diff", ["x", "y"], "<=", -1),
        atom(1, 4, "diff", ["y", "x"], "<=", 0)
    )
}

#[test]
fn a_cycle_excludes_its_constraints() {
    concluded(
        &two(),
        "q 1 0\na 1 3 0\na 0\ng 1 2 0\na 2 4 0\nn 0\ne 1\n",
        "the program has 3 answer sets, and no other",
    );
    refused(&two(), "q 1 0\na 1 2 3 4 0\n", "the difference constraints exclude each other");
    refused(&two(), "q 1 0\nn 1 2 0\n", "propagation finds no conflict");
    accepted(&two(), "q 1 0\ng 2 1 0\nb 1 0\nn 4 3 0\nx 1\nn 1 2 0\n");
    for (cycle, why) in [
        ("", "allow 0 around the cycle"),
        ("1", "are no cycle"),
        ("1 1 2", "are no cycle"),
        ("1 3", "is not there"),
        ("1 -2", "is not there"),
    ] {
        refused(&two(), &format!("g {cycle} 0\n"), why);
    }
    // Twice around is as good.
    accepted(&two(), "g 1 2 1 2 0\n");
}

/// How many answer sets the checker accepts of all sets of atoms `1 ..= atoms`.
fn answers(text: &str, atoms: u32) -> usize {
    let is_answer = |set: &u32| {
        let held: String =
            (1..=atoms).filter(|atom| set >> (atom - 1) & 1 == 1).map(|a| format!("{a} ")).collect();
        check(text, &format!("q 1 0\na {held}0\n")).is_ok()
    };
    (0..1 << atoms).filter(is_answer).count()
}

#[test]
fn each_operator_means_what_it_says() {
    // With `x` fixed by `&diff{x - 0} = 2.`, the atom 1 of a body, or of a head that a choice asks for.
    for (operator, holds) in [
        ("<=", [0, 1, 1]),
        ("<", [0, 0, 1]),
        (">=", [1, 1, 0]),
        (">", [1, 0, 0]),
        ("=", [0, 1, 0]),
        ("!=", [1, 0, 1]),
    ] {
        for (number, holds) in (1..).zip(holds) {
            let fixed = atom(0, 0, "diff", ["x", "0"], "=", 2);
            let body = format!("asp 1 0 0\n{}{fixed}0\n", atom(1, 1, "diff", ["x", "0"], operator, number));
            let sides = if matches!(operator, "=" | "!=") { 2 } else { 0 };
            assert_eq!(answers(&body, 1 + sides), 1, "{operator} {number}");
            let wanted = body.replace("asp 1 0 0\n", "asp 1 0 0\n1 0 0 0 1 -1\n");
            assert_eq!(answers(&wanted, 1 + sides), holds, "{operator} {number}");
            let head = format!(
                "asp 1 0 0\n1 1 1 2 0 0\n1 0 1 1 0 1 2\n{}{fixed}0\n",
                atom(1, 1, "diff", ["x", "0"], operator, number)
            );
            let sides = if operator == "!=" { 2 } else { 0 };
            assert_eq!(answers(&head, 2 + sides), 1 + holds, "{operator} {number}");
            // An atom of a head and a body is two: the one of the body holds if the constraint does.
            let both = head.replace("1 1 1 2 0 0\n", "1 1 1 2 0 0\n1 0 1 3 0 1 1\n");
            let sides = sides + if matches!(operator, "=" | "!=") { 2 } else { 0 };
            assert_eq!(answers(&both, 4 + sides), 1 + holds, "{operator} {number}");
        }
    }
}

#[test]
fn what_is_no_difference_is_refused() {
    let of = |text: &str| program::read("p", text.as_bytes()).map(|_| ()).map_err(|error| error.to_string());
    let good = format!("asp 1 0 0\n{}0\n", atom(0, 1, "diff", ["x", "y"], "<=", 3));
    assert_eq!(of(&good), Ok(()));
    for (old, new, why) in [
        ("diff", "sums", "but for difference constraints `&diff`"),
        ("2 <=", "2 ==", "operator"),
        ("9 1 1 1 -", "9 1 1 1 +", "the difference of two variables"),
        ("9 1 1 1 -", "9 1 1 1 *", "multiplies variables"),
        ("9 1 1 1 -", "9 1 1 1 /", "neither a number nor a variable"),
        ("9 4 0 1 5 0", "9 4 0 1 5 1 1", "without a condition"),
        ("9 4 0 1 5 0", "9 4 0 2 5 5 0", "one element"),
        ("9 6 1 0 1 0 2 6", "9 5 1 0 1 0", "has the form"),
        ("9 1 3 1 x", "9 1 3 5 \"1.5\"", "not whole"),
        ("9 2 5 1 2 3 4", "9 2 5 1 2 3 9", "before it is defined"),
        ("9 2 5 1", "9 3 5 1", "no theory statement 3"),
    ] {
        let text = good.replace(old, new);
        assert_ne!(text, good, "{old}");
        let error = of(&text).expect_err(new);
        assert!(error.contains(why), "{new}: {error}");
    }
    let large: String =
        (0..2000).map(|at| atom(at, 0, "diff", ["x", "y"], "<=", i64::from(i32::MAX))).collect();
    assert_eq!(of(&format!("asp 1 0 0\n{large}0\n")), Ok(()));
    // Names are evaluated: `x(1+1)` is `x(2)`.
    let names =
        "9 1 30 1 +\n9 0 31 1\n9 0 32 2\n9 1 35 1 x\n9 2 33 30 2 31 31\n9 2 3 35 1 33\n9 2 4 35 1 32\n";
    let same = good.replace("9 1 3 1 x\n9 1 4 1 y\n", names);
    assert!(same != good && answers(&same, 1) == 1, "a difference of nothing holds");
}

/// Programs `{..}. &diff{u - v} <= k :- ..` and lists of constraints: an accepted one is impossible, and each
/// simple cycle with a negative sum is accepted.
#[test]
fn accepted_cycles_are_impossible() {
    let mut counts = [0; 2];
    for seed in 0..300 {
        let random = &mut Random(seed);
        let edges: Vec<(i64, i64, i64)> =
            (0..6).map(|_| (random.range(0, 3), random.range(0, 3), random.range(-3, 3))).collect();
        let name = |node: i64| ["0", "x", "y", "z"][node as usize];
        let mut text = String::from("asp 1 0 0\n1 1 6 11 12 13 14 15 16 0 0\n");
        for (at, &(from, to, most)) in (0..).zip(&edges) {
            text += &format!("1 0 1 {} 0 1 {}\n", at + 1, at + 11);
            text += &atom(at as usize, at + 1, "__diff_h", [name(from), name(to)], "<=", most);
        }
        text += "0\n";
        // A constraint about nothing is none, so that the others have the numbers before.
        let numbered: Vec<(i64, i64, i64)> =
            edges.iter().copied().filter(|(from, to, _)| from != to).collect();
        for _ in 0..60 {
            let length = random.range(1, 4);
            let list: Vec<i64> = (0..length).map(|_| random.range(1, numbered.len().max(1) as i64)).collect();
            let of = |at: usize| numbered.get(list[at % list.len()] as usize - 1).copied();
            let are_there = (0..list.len()).all(|at| of(at).is_some());
            let follow = || {
                (0..list.len()).all(|at| of(at).zip(of(at + 1)).is_some_and(|(one, next)| one.1 == next.0))
            };
            let sum = || (0..list.len()).filter_map(of).map(|(.., most)| most).sum::<i64>();
            let proof = [Step::Cycle(list.clone())];
            let is_accepted = check_bytes(&text, to_text(&proof).as_bytes()).is_ok();
            assert_eq!(is_accepted, check_bytes(&text, &to_binary(&proof)).is_ok());
            assert_eq!(is_accepted, are_there && follow() && sum() < 0, "seed {seed}: {list:?} of {edges:?}");
            counts[usize::from(is_accepted)] += 1;
            let holds = |values: &[i64; 4]| {
                (0..list.len())
                    .filter_map(of)
                    .all(|(from, to, most)| values[from as usize] - values[to as usize] <= most)
            };
            if is_accepted {
                let digit = |index: i64, at: u32| index / 19_i64.pow(at) % 19 - 9;
                let possible =
                    (0..19_i64.pow(3)).find(|&i| holds(&[0, digit(i, 0), digit(i, 1), digit(i, 2)]));
                assert_eq!(possible, None, "seed {seed}: {list:?} of {edges:?}");
            }
        }
    }
    assert!(counts.iter().all(|&count| count > 100), "{counts:?}");
}
