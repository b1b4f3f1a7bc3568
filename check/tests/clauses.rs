//! The completion as clauses, compared with brute force.

mod common;

use common::{all_hold, Body, Program, Random, Set};
use yasmin_check::clauses::Clauses;
use yasmin_check::program;
use yasmin_check::proof::Proof;
use yasmin_check::Checker;

/// The clauses of a program.
fn clauses(program: &Program) -> Vec<Vec<i32>> {
    let read = program::read("p", program.to_text().as_bytes()).expect("a program");
    let (mut checker, mut proof, mut formula) = (Checker::logging(read), Vec::new(), Vec::new());
    let clauses = Clauses::new(&mut checker, &mut proof, 0).expect("small sums");
    clauses.finish(&mut formula, checker.names()).expect("memory takes all bytes");
    let proof = String::from_utf8(proof).expect("UTF-8");
    let is_fact = |line: &str| line.split(' ').skip(1).take(2).any(|word| word == "0");
    assert!(proof.lines().all(is_fact), "nothing was proved yet: {proof}");
    let text = String::from_utf8(formula).expect("UTF-8");
    let mut lines = text.lines().skip_while(|line| line.starts_with("c "));
    let head = lines.next().expect("a head");
    let lits = |line: &str| -> Vec<i32> {
        let words = line.strip_suffix('0').expect("an end").split_whitespace();
        words.map(|word| word.parse().expect("a number")).collect()
    };
    let clauses: Vec<Vec<i32>> = lines.map(lits).collect();
    assert!(head.starts_with("p cnf ") && head.ends_with(&format!(" {}", clauses.len())), "{head}");
    clauses
}

/// Whether the clauses have a model in which the literals hold.
fn has_model(clauses: &[Vec<i32>], lits: &[i32]) -> bool {
    let mut lits = lits.to_vec();
    loop {
        let (mut choice, mut unit) = (None, None);
        for clause in clauses {
            if clause.iter().any(|lit| lits.contains(lit)) {
                continue;
            }
            let open: Vec<i32> = clause.iter().copied().filter(|lit| !lits.contains(&-lit)).collect();
            match open[..] {
                [] => return false,
                [lit] => unit = Some(lit),
                [lit, ..] => choice = Some(lit),
            }
        }
        match (unit, choice) {
            (Some(lit), _) => lits.push(lit),
            (None, None) => return true,
            (None, Some(lit)) => {
                return [lit, -lit].iter().any(|&lit| has_model(clauses, &[&lits[..], &[lit]].concat()))
            }
        }
    }
}

/// Whether no atom depends on itself.
fn is_tight(program: &Program) -> bool {
    let positive = |body: &Body| -> Vec<i64> {
        match body {
            Body::All(lits) => lits.iter().copied().filter(|&lit| lit > 0).collect(),
            Body::Sum(_, terms) => terms.iter().map(|&(lit, _)| lit).filter(|&lit| lit > 0).collect(),
        }
    };
    // An atom that only depends on what is done is done.
    let mut done: Vec<i64> = Vec::new();
    loop {
        let is_ready = |atom: &i64| {
            let rules = program.rules.iter().filter(|rule| rule.heads.contains(atom));
            rules.flat_map(|rule| positive(&rule.body)).all(|other| done.contains(&other))
        };
        let ready: Vec<i64> =
            (1..=program.atoms).filter(|atom| !done.contains(atom)).filter(is_ready).collect();
        if ready.is_empty() {
            return done.len() == program.atoms as usize && program.edges.is_empty();
        }
        done.extend(ready);
    }
}

#[test]
fn the_models_are_the_answer_sets() {
    let (mut tight, mut models, mut loops) = (0, 0, 0);
    for seed in yasmin_seeds::seeds(2000) {
        let random = &mut Random(seed ^ 0xc1 << 50);
        let program = if random.one_in(3) { Program::random_loops(random) } else { Program::random(random) };
        let (named, is_tight) = (program.named(), is_tight(&program));
        let (clauses, sets) = (clauses(&program), program.answer_sets());
        let subsets = (0..1u64 << named.len()).map(|bits| {
            (0..)
                .zip(&named)
                .filter(|&(at, _)| bits >> at & 1 == 1)
                .fold(0, |set: Set, (_, &atom)| set | 1 << atom)
        });
        for set in subsets {
            let lits: Vec<i32> = named
                .iter()
                .map(|&atom| (atom * program.stride) as i32 * if all_hold(&[atom], set) { 1 } else { -1 })
                .collect();
            let (is_model, is_answer) = (has_model(&clauses, &lits), sets.contains(&set));
            assert!(is_model || !is_answer, "seed {seed}: {set:b} is lost\n{}", program.to_text());
            assert!(is_answer || !is_model || !is_tight, "seed {seed}: {set:b}\n{}", program.to_text());
            models += usize::from(is_model && is_tight);
            loops += usize::from(is_model && !is_answer);
        }
        tight += usize::from(is_tight);
    }
    assert!(tight > 200 && models > 200 && loops > 50, "{tight} {models} {loops}");
}

/// An atom's number is its variable, however large, and takes no memory.
#[test]
fn an_atom_may_have_any_number() {
    let text = b"asp 1 0 0\n1 1 1 2000000000 0 0\n1 0 0 0 1 2000000000\n1 0 0 0 1 -2000000000\n0\n";
    let read = program::read("p", text).expect("a program");
    let (mut checker, mut proof, mut formula) = (Checker::logging(read), Vec::new(), Vec::new());
    let clauses = Clauses::new(&mut checker, &mut proof, 0).expect("no sums");
    clauses.finish(&mut formula, checker.names()).expect("memory takes all bytes");
    let formula = String::from_utf8(formula).expect("UTF-8");
    assert!(formula.lines().any(|line| line == "-2000000000 0"), "{formula}");
    let last = proof.strip_suffix(b" 0\n").expect("a lemma").rsplit(|&byte| byte == b'\n').next();
    let last = String::from_utf8(last.expect("a line").to_vec()).expect("UTF-8");
    // The empty clause comes last.
    assert_eq!(last.split(' ').nth(1), Some("0"), "{last}");
}

/// Two outputs of one condition, and an atom that projection statements name twice, tell answer sets apart
/// once.
#[test]
fn no_clause_has_a_literal_twice() {
    for (kind, statements) in [(3, "4 1 x 1 1\n4 1 y 1 1\n"), (2, "3 2 1 1\n")] {
        let program = format!("asp 1 0 0\n1 1 1 1 0 0\n{statements}0\n");
        let steps = format!("p yasmin 1\nq {kind} 0\na 0\na 1 0\ne 1\n");
        let read = program::read("p", program.as_bytes()).expect("a program");
        let (mut checker, mut lrat, mut formula) = (Checker::logging(read), Vec::new(), Vec::new());
        let mut clauses = Clauses::new(&mut checker, &mut lrat, 4).expect("no sums");
        let (mut from, mut answers) = (steps.as_bytes(), 0);
        let mut proof = Proof::new(&mut from);
        while let Some(step) = proof.step().expect("a step") {
            answers += usize::from(clauses.step(&mut checker, &step).expect("a right step"));
        }
        clauses.finish(&mut formula, checker.names()).expect("memory takes all bytes");
        assert_eq!(answers, 2, "{statements}");
        for line in [formula, lrat].iter().flat_map(|text| text.split(|&byte| byte == b'\n')) {
            let line = String::from_utf8_lossy(line);
            let words =
                line.split(' ').take_while(|&word| word != "0").skip(usize::from(line.contains(" 0 ")));
            let mut lits: Vec<&str> = words.collect();
            lits.sort_unstable();
            assert!(line.starts_with(['c', 'p']) || lits.windows(2).all(|pair| pair[0] != pair[1]), "{line}");
        }
    }
}
