//! `prepare` against brute force: the answer sets by definition, on random small programs, and on named ones.
//!
//! The reference shares nothing with the code under test: subsets of the atoms, the reduct, its least model.
//! Two readers of a [`Prepared`] are compared with it: [`solutions`] tries all assignments, and [`search`] is
//! the paper's procedure in its plainest form, which may choose from the candidates only.

use std::collections::BTreeSet;

use solver_gpu::{Lit, Var};

use super::preprocess::tests::choices;
use super::{prepare, prepare_simplified, Auxiliaries, Counted, Prepared, Preprocess, LONGEST_HEAD};
use yasmin_ground::ids::{BodyId, RuleId};
use yasmin_ground::program::{Head, Program, ProgramBuilder};

type Set = BTreeSet<u32>;

/// splitmix64: a seed gives the same programs everywhere.
pub(super) struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below `n`; 0 if there is none.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

/// Reads rules like `p :- q, not r.`, atoms numbered as they come.
pub(super) fn program(text: &str) -> Program {
    let mut names: Vec<String> = Vec::new();
    let mut atom = |name: &str| {
        let known = names.iter().position(|n| n == name).unwrap_or_else(|| {
            names.push(name.to_string());
            names.len() - 1
        });
        Var(known as u32)
    };
    let mut program = Program { body_start: vec![0], ..Program::default() };
    for rule in text.split('.').map(str::trim).filter(|rule| !rule.is_empty()) {
        let (head, body) = rule.split_once(":-").unwrap_or((rule, ""));
        let head = Some(head.trim()).filter(|head| !head.is_empty()).map(&mut atom);
        let lits = body.split(',').map(str::trim).filter(|lit| !lit.is_empty());
        let lits: Vec<Lit> = lits
            .map(|lit| match lit.strip_prefix("not ") {
                Some(name) => Lit::f(atom(name.trim())),
                None => Lit::t(atom(lit)),
            })
            .collect();
        program.push(head.map_or(Head::Constraint, Head::Atom), &lits);
    }
    program.atoms = names.len() as u32;
    program
}

/// Any rules at all: mostly decided by simplification.
fn random_rules(random: &mut Random) -> Program {
    let atoms = 1 + random.below(6);
    let (constraints, facts, negative) = (random.below(4), random.below(3), 2 + random.below(6));
    let mut program = Program { atoms: atoms as u32, body_start: vec![0], ..Program::default() };
    for _ in 0..random.below(3 * atoms + 2) {
        let head = (random.below(10) >= constraints).then(|| random.below(atoms));
        let length = if random.below(10) < facts { 0 } else { 1 + random.below(4) };
        let body: Vec<Lit> = (0..length)
            .map(|_| Lit::new(Var(random.below(atoms) as u32), random.below(10) >= negative))
            .collect();
        add_rule(&mut program, head, &body);
    }
    program
}

/// Choices (`a :- not b. b :- not a.`) over which there are positive loops, and constraints that force atoms
/// on them.
fn random_loops(random: &mut Random) -> Program {
    let (choices, derived) = (1 + random.below(2), 2 + random.below(3));
    let atoms = 2 * choices + derived;
    let mut program = Program { atoms: atoms as u32, body_start: vec![0], ..Program::default() };
    for a in 0..2 * choices {
        add_rule(&mut program, Some(a), &[Lit::f(Var(a as u32 ^ 1))]);
    }
    for _ in 0..2 + random.below(3 * derived) {
        let head = 2 * choices + random.below(derived);
        let body: Vec<Lit> = (0..1 + random.below(3))
            .map(|_| match random.below(5) {
                0 | 1 => Lit::t(Var(random.below(2 * choices) as u32)),
                2 => Lit::f(Var(random.below(atoms) as u32)),
                _ => Lit::t(Var((2 * choices + random.below(derived)) as u32)),
            })
            .collect();
        add_rule(&mut program, Some(head), &body);
    }
    for _ in 0..random.below(3) {
        let sign = random.below(3) == 0;
        let forced = Lit::new(Var((2 * choices + random.below(derived)) as u32), sign);
        let other = Lit::new(Var(random.below(atoms) as u32), random.below(2) == 0);
        add_rule(&mut program, None, &[forced, other][..1 + (random.below(3) == 0) as usize]);
    }
    program
}

fn add_rule(program: &mut Program, head: Option<usize>, body: &[Lit]) {
    program.push(head.map_or(Head::Constraint, |p| Head::Atom(Var(p as u32))), body);
}

/// All answer sets, by definition.
fn answer_sets(program: &Program) -> Vec<Set> {
    let subsets = (0..1u32 << program.atoms)
        .map(|bits| (0..program.atoms).filter(|p| bits >> p & 1 == 1).collect::<Set>());
    let mut found: Vec<Set> = subsets.filter(|set| is_answer_set(program, set)).collect();
    found.sort();
    found
}

fn is_answer_set(program: &Program, set: &Set) -> bool {
    let mut least = Set::new();
    loop {
        let before = least.len();
        for r in program.rule_ids() {
            let holds = program.body(r).iter().all(|lit| match lit.is_false_sign() {
                true => !set.contains(&lit.var().0),
                false => least.contains(&lit.var().0),
            });
            match program.head(r).atom() {
                Some(head) if holds => drop(least.insert(head.0)),
                _ => {}
            }
        }
        if least.len() == before {
            break;
        }
    }
    let satisfies = |r: RuleId| {
        program.head(r).atom().is_some()
            || !program.body(r).iter().all(|lit| set.contains(&lit.var().0) != lit.is_false_sign())
    };
    least == *set && program.rule_ids().all(satisfies)
}

/// A partial assignment.
#[derive(Clone)]
pub(super) struct Values(Vec<Option<bool>>);

impl Values {
    pub fn open(vars: u32) -> Values {
        Values(vec![None; vars as usize])
    }

    pub fn of(&self, lit: Lit) -> Option<bool> {
        self.0[lit.var().0 as usize].map(|value| value != lit.is_false_sign())
    }

    pub fn set(&mut self, lit: Lit) {
        self.0[lit.var().0 as usize] = Some(!lit.is_false_sign());
    }
}

/// Maps a total assignment back to the program's atoms if it passes the foundedness check.
fn read_back(prepared: &Prepared, values: &Values) -> Option<Set> {
    let holds = |lit: Lit| values.of(lit).expect("total");
    if let Some(check) = &prepared.foundedness {
        // Founded atoms, by the types' description only.
        let mut founded = Set::new();
        for _ in &check.atoms {
            for (r, &head) in check.head.iter().enumerate() {
                let body = check.body[r];
                if (body == Lit::TRUE || holds(body))
                    && check.positive.row(r).iter().all(|q| founded.contains(q))
                {
                    founded.insert(head);
                }
            }
        }
        let unfounded: Vec<Var> = check
            .atoms
            .iter()
            .filter(|&&p| holds(Lit::t(Var(p))) && !founded.contains(&p))
            .map(|&p| Var(p))
            .collect();
        assert_eq!(check.unfounded(holds), unfounded);
        if !unfounded.is_empty() {
            return None;
        }
    }
    let is_true = |lit: Lit| lit == Lit::TRUE || lit != Lit::FALSE && holds(lit);
    Some((0..prepared.atom_lit.len() as u32).filter(|&p| is_true(prepared.atom_lit[p as usize])).collect())
}

/// The sets that the nogoods and the check admit, one for each assignment.
pub(super) fn solutions(prepared: &Prepared) -> Vec<Set> {
    let mut found = Vec::new();
    if !prepared.unsatisfiable {
        let mut last = vec![Vec::new(); prepared.vars as usize];
        for id in prepared.nogoods.ids() {
            let nogood = prepared.nogoods.nogood(id);
            last[nogood.iter().map(|lit| lit.var().0).max().unwrap() as usize].push(nogood);
        }
        extend(prepared, &last, 0, &mut Values(vec![None; prepared.vars as usize]), &mut found);
    }
    found.sort();
    found
}

fn extend(prepared: &Prepared, last: &[Vec<&[Lit]>], var: usize, values: &mut Values, found: &mut Vec<Set>) {
    if var == last.len() {
        found.extend(read_back(prepared, values));
        return;
    }
    for value in [true, false] {
        values.0[var] = Some(value);
        let violated = |nogood: &&[Lit]| nogood.iter().all(|&lit| values.of(lit) == Some(true));
        if !last[var].iter().any(violated) {
            extend(prepared, last, var + 1, values, found);
        }
    }
    values.0[var] = None;
}

/// Algorithm 1 without learning: propagate, choose an applicable rule or refuse it, complete.
fn search(prepared: &Prepared, mut values: Values, found: &mut Vec<Set>) {
    if !propagate(prepared, &mut values) {
        return;
    }
    let open = |lit: Lit, values: &Values| values.of(lit).is_none();
    let applicable = prepared.candidates.iter().find(|c| {
        let positive = c.positive == Lit::TRUE || values.of(c.positive) == Some(true);
        positive && open(Lit::t(c.head), &values) && open(c.body, &values)
    });
    if let Some(c) = applicable {
        for decision in [c.body, !c.body] {
            let mut values = values.clone();
            values.set(decision);
            search(prepared, values, found);
        }
        return;
    }
    for atom in values.0.iter_mut().take(prepared.atom_vars as usize) {
        *atom = atom.or(Some(false));
    }
    if propagate(prepared, &mut values) {
        found.extend(read_back(prepared, &values));
    }
}

/// Unit propagation; false if a nogood is violated.
pub(super) fn propagate(prepared: &Prepared, values: &mut Values) -> bool {
    loop {
        let mut changed = false;
        for id in prepared.nogoods.ids() {
            let nogood = prepared.nogoods.nogood(id);
            let mut rest = nogood.iter().filter(|&&lit| values.of(lit) != Some(true));
            match (rest.next(), rest.next()) {
                (None, _) => return false,
                (Some(&lit), None) if values.of(lit).is_none() => {
                    values.set(!lit);
                    changed = true;
                }
                _ => {}
            }
        }
        if !changed {
            return true;
        }
    }
}

/// Compares all readings of `program` with its answer sets, and checks the invariants of the types.
fn check(program: &Program, note: &str) -> Vec<Set> {
    let expect = answer_sets(program);
    for simplify in [false, true] {
        let note = format!("{note}, simplify = {simplify}: {program:?}");
        let prepared = prepare(program, simplify, Auxiliaries::HEADS).unwrap();
        check_invariants(program, &prepared, simplify, &note);
        check_readings(&prepared, &expect, &note);
    }
    let simplified = prepare(program, true, Auxiliaries::HEADS).unwrap();
    for steps in choices() {
        let prepared = simplified.clone().preprocess(program, steps);
        check_readings(&prepared, &expect, &format!("{note}, {steps:?}: {program:?}"));
    }
    // Simplification that stops early leaves more to do, and loses nothing.
    check_readings(
        &prepare_simplified(program, Auxiliaries::HEADS, 1, Default::default()),
        &expect,
        &format!("{note}, one round: {program:?}"),
    );
    expect
}

fn check_readings(prepared: &Prepared, expect: &[Set], note: &str) {
    assert_eq!(solutions(prepared), expect, "{note}");
    let mut found = Vec::new();
    if !prepared.unsatisfiable {
        search(prepared, Values(vec![None; prepared.vars as usize]), &mut found);
        found.sort();
    }
    assert_eq!(found, expect, "search, {note}");
}

fn check_invariants(program: &Program, prepared: &Prepared, simplify: bool, note: &str) {
    let Prepared { nogoods, report, .. } = prepared;
    assert_eq!(report.nogoods_after, nogoods.len() as u64, "{note}");
    assert_eq!(report.literals_after, nogoods.lits.len() as u64, "{note}");
    assert_eq!(report.variables_after, prepared.vars as u64, "{note}");
    assert!(report.nogoods_after <= report.nogoods_before, "{note}");
    assert!(prepared.vars as u64 <= report.variables_before, "{note}");
    if prepared.unsatisfiable {
        assert!(nogoods.is_empty() && prepared.vars == 0 && prepared.atom_lit.is_empty(), "{note}");
        return;
    }
    let mut used = vec![false; prepared.vars as usize];
    for id in nogoods.ids() {
        let nogood = nogoods.nogood(id);
        assert!(!nogood.is_empty() && nogood.windows(2).all(|pair| pair[0] < pair[1]), "{note}");
        assert!(!simplify || nogood.windows(2).all(|pair| pair[0] != !pair[1]), "{note}");
        assert!(
            !simplify || nogoods.ids().take(id.index()).all(|other| nogoods.nogood(other) != nogood),
            "{note}"
        );
        nogood.iter().for_each(|lit| used[lit.var().0 as usize] = true);
    }
    for c in &prepared.candidates {
        assert!(c.head.0 < prepared.atom_vars && !c.body.is_constant() && c.positive != Lit::FALSE, "{note}");
        assert_eq!(prepared.candidates.iter().filter(|other| *other == c).count(), 1, "{note}");
    }
    assert_eq!(prepared.atom_lit.len(), program.atoms as usize, "{note}");
    let vars: Vec<u32> =
        prepared.atom_lit.iter().filter(|lit| !lit.is_constant()).map(|lit| lit.var().0).collect();
    assert_eq!(vars, (0..prepared.atom_vars).collect::<Vec<u32>>(), "{note}");
    if simplify {
        // What is true by units is folded, unless the check needs it.
        for unit in nogoods.ids().take(nogoods.units as usize) {
            let lit = nogoods.nogood(unit)[0];
            let on_loop = |check: &super::Foundedness| check.atoms.contains(&lit.var().0);
            assert!(lit.is_false_sign() && prepared.foundedness.as_ref().is_some_and(on_loop), "{note}");
        }
    } else {
        let counts = (report.nogoods_before, report.variables_before);
        assert_eq!(counts, (report.nogoods_after, report.variables_after), "{note}");
        assert_eq!(
            super::limits::Counts::of(program, LONGEST_HEAD).literals,
            report.literals_after,
            "{note}"
        );
        assert!(used.iter().all(|&used| used), "{note}");
        assert_eq!(
            prepared.candidates.len(),
            program.heads.iter().filter_map(|h| h.atom()).count(),
            "{note}"
        );
    }
    assert_eq!(report.components > 0, prepared.foundedness.is_some(), "{note}");
    let Some(check) = &prepared.foundedness else { return };
    assert_eq!(check.component.len(), prepared.atom_vars as usize, "{note}");
    for (r, &head) in check.head.iter().enumerate() {
        let own = check.component[head as usize];
        assert!((own as u64) < report.components, "{note}");
        for &q in check.positive.row(r) {
            assert_eq!(check.component[q as usize], own, "{note}");
            assert!(check.occurs_in.row(q as usize).contains(&(r as u32)), "{note}");
        }
    }
    assert_eq!(check.occurs_in.items.len(), check.positive.items.len(), "{note}");
}

#[test]
fn random_programs_have_their_answer_sets() {
    let (mut consistent, mut not_tight, mut with_units) = (0, 0, 0);
    for seed in yasmin_seeds::seeds(2000) {
        for (name, generate) in
            [("rules", random_rules as fn(&mut Random) -> Program), ("loops", random_loops)]
        {
            let program = generate(&mut Random(seed));
            consistent += !check(&program, &format!("{name}, seed {seed}")).is_empty() as u32;
            let prepared = prepare(&program, true, Auxiliaries::HEADS).unwrap();
            not_tight += prepared.foundedness.is_some() as u32;
            with_units += (prepared.nogoods.units > 0) as u32;
        }
    }
    println!("{consistent} consistent, {not_tight} not tight, {with_units} with true atoms on loops");
    assert!(consistent > 0 && not_tight > 0 && with_units > 0, "the generators have become too tame");
}

#[test]
fn what_is_left_of_small_programs() {
    // variables, nogoods, candidates, loops, answer sets
    let expect = |text: &str, expect: [usize; 5]| {
        let program = program(text);
        let sets = check(&program, text).len();
        let p = prepare(&program, true, Auxiliaries::HEADS).unwrap();
        let left = [p.vars as usize, p.nogoods.len(), p.candidates.len(), p.report.components as usize, sets];
        assert_eq!(left, expect, "{text}");
    };
    // Facts, and what follows from them.
    expect("", [0, 0, 0, 0, 1]);
    expect("a. b. c :- a, not d.", [0, 0, 0, 0, 1]);
    // One-literal bodies are their literal: {Fa, Fb} and {Ta, Tb}.
    expect("a :- not b. b :- not a.", [2, 2, 2, 0, 2]);
    expect("a :- not b. b :- not a. a :- not b, not b. b :- not a.", [2, 2, 2, 0, 2]);
    // c is a: {Fc, Ta} and {Tc, Fa}; no candidate, as it needs no choice.
    expect("a :- not b. b :- not a. c :- a.", [3, 4, 2, 0, 2]);
    // Two heads, one body: n = b with three nogoods of its own, and two a head.
    expect(
        "a :- not b. b :- not a. c :- not d. d :- not c. p :- not a, not c. q :- not c, not a.",
        [7, 11, 6, 0, 4],
    );
    // Equal only after a fact is gone.
    expect("f. a :- not b. b :- not a. p :- a, f. p :- a.", [3, 4, 2, 0, 2]);
    // A loop without a start, and rules that say nothing.
    expect("p :- q. q :- p.", [0, 0, 0, 0, 1]);
    expect("p :- p. q :- not p.", [0, 0, 0, 0, 1]);
    expect("p :- not p, q. q :- not r. r :- not q.", [0, 0, 0, 0, 1]);
    // A loop with a start that is a choice.
    expect("a :- not b. b :- not a. p :- q. q :- p. q :- a.", [4, 6, 2, 1, 2]);
    // The support of p is the long nogood of t <-> x, y.
    expect(
        "p :- x, y. p :- not x. p :- not y. :- not p. x :- not c. c :- not x. y :- not d. d :- not y.",
        [5, 7, 4, 0, 4],
    );
    // True atoms on a loop: units {Fp}, {Fq}, and s must found them, which is for the check to find out.
    expect("p :- q. q :- p. q :- s. s :- not r. r :- not s. :- not p.", [4, 4, 2, 1, 1]);
    // p's body becomes the constraint's when f is gone: p is false.
    expect("f. :- a, b, f. p :- a, b. a :- not c. c :- not a. b :- not d. d :- not b.", [4, 5, 4, 0, 3]);
    // Units that contradict each other.
    expect("a. :- a.", [0, 0, 0, 0, 0]);
    expect(":- not a. a :- b. b :- c, not d.", [0, 0, 0, 0, 0]);
    expect("a. :- a, not b.", [0, 0, 0, 0, 0]);
    expect("a :- not a.", [0, 0, 0, 0, 0]);
    expect("p :- q. q :- p. :- not p.", [0, 0, 0, 0, 0]);
}

#[test]
fn a_true_atom_on_a_loop_is_still_checked() {
    // The loop p, q is true by the constraint. Only r or s can found it: {p, q} alone must not pass.
    let text =
        "p :- q. q :- p. p :- r, not t. q :- s. r :- not u. u :- not r. s :- not v. v :- not s. :- not p.
                t :- not w. w :- not t.";
    let program = program(text);
    assert_eq!(check(&program, text).len(), 5);
    let prepared = prepare(&program, true, Auxiliaries::HEADS).unwrap();
    let loops = prepared.foundedness.as_ref().expect("not tight");
    assert_eq!((loops.atoms.len(), prepared.nogoods.units), (2, 2));
}

#[test]
fn an_empty_constraint_leaves_nothing() {
    let program = Program {
        heads: vec![Head::Constraint],
        body_of: vec![BodyId(0)],
        body_start: vec![0, 0],
        ..Program::default()
    };
    for simplify in [false, true] {
        assert!(prepare(&program, simplify, Auxiliaries::HEADS).unwrap().unsatisfiable);
    }
    check(&program, "empty constraint");
}

#[test]
fn the_plain_translation_is_the_paper_s() {
    let prepared = prepare(&program("p :- q, not r."), false, Auxiliaries::HEADS).unwrap();
    let names = ["p", "q", "r", "b", "t", "n"];
    let show =
        |lit: &Lit| format!("{}{}", if lit.is_false_sign() { "F" } else { "T" }, names[lit.var().0 as usize]);
    let shown: Vec<String> = prepared
        .nogoods
        .ids()
        .map(|id| prepared.nogoods.nogood(id).iter().map(show).collect::<Vec<_>>().join(" "))
        .collect();
    let expect =
        ["Tq", "Tr", "Tb Ft", "Tb Fn", "Fq Tt", "Tq Ft", "Tr Tn", "Fr Fn", "Fp Tb", "Tp Fb", "Fb Tt Tn"];
    assert_eq!(shown, expect);
    assert_eq!(
        (prepared.nogoods.units, prepared.nogoods.binary_end, prepared.nogoods.ternary_end),
        (2, 10, 11)
    );
}

#[test]
fn a_deep_chain_is_prepared() {
    let mut chain = Program { atoms: 1_000_000, body_start: vec![0], ..Program::default() };
    let mut rule = |head: u32, body: Lit| chain.push(Head::Atom(Var(head)), &[body]);
    rule(0, Lit::f(Var(1)));
    rule(1, Lit::f(Var(0)));
    (2..1_000_000).for_each(|p| rule(p, Lit::t(Var(p - 1))));
    let prepared = prepare(&chain, true, Auxiliaries::HEADS).unwrap();
    assert_eq!(
        (prepared.vars, prepared.nogoods.len(), prepared.foundedness.is_none()),
        (1_000_000, 1_999_998, true)
    );
    // All atoms but one are that one or its complement.
    let one = prepared.preprocess(&chain, Preprocess::ALL);
    assert_eq!((one.vars, one.nogoods.len(), one.preprocessed.equivalent_variables), (1, 0, 999_999));
    assert_eq!((one.atom_lit[0], one.atom_lit[1], one.atom_lit[999_999]), (Lit(0), Lit(1), Lit(1)));
}

/// Three of twelve atoms or more, beside `others` atoms.
fn three_of_twelve(others: u32, has_costs: bool) -> Program {
    let mut builder = ProgramBuilder::default();
    let atoms: Vec<Var> = (1..=u64::from(12 + others)).map(|number| builder.atom(number)).collect();
    let lits: Vec<(Lit, i64)> = atoms.iter().map(|&atom| (Lit::t(atom), 1)).collect();
    builder.choice(&atoms, &[]).unwrap();
    let enough = builder.sum(3, lits[..12].to_vec()).unwrap();
    builder.rule(None, &[Lit::f(enough)]).unwrap();
    if has_costs {
        builder.minimize(0, &lits).unwrap();
    }
    builder.build().unwrap()
}

#[test]
fn beside_costs_counts_get_few_variables() {
    let few = Auxiliaries { counts: Counted::Few, ..Auxiliaries::HEADS };
    // The tree's variables are counted as 3 times 12.
    for (others, has_costs, is_tree) in [(10, false, true), (400, true, false), (700, true, true)] {
        let prepared = prepare(&three_of_twelve(others, has_costs), true, few).unwrap();
        assert_eq!(prepared.sums.is_empty(), is_tree, "{others} {has_costs}");
        assert_eq!(prepared.vars > 12 + others, is_tree, "{others} {has_costs}");
    }
}
