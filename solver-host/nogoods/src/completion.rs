//! Writes the completion nogoods of a simplified program: the paper's translation with shared and folded
//! auxiliaries.
//!
//! Main function: [`complete`]. A conjunction of open literals is *named* by a literal:
//!
//! - A single literal names itself: `p :- not q.` has `n_r = b_r = Fq` and needs no variable.
//! - With positive literals only, `b_r` is `t_r`. With negative literals only, `b_r` is `n_r`.
//! - Otherwise `b_r` is a variable over `t_r` and `n_r`, and these two are named as above.
//! - Equal conjunctions have one name: `p :- a, b, not c. q :- a, b, not d.` share `t_r`.
//!
//! Invariants: values fixed by simplification are folded away. A true atom without a derivation stays a
//! variable (with the unit nogood `{Fp}`) if the atom is on a positive loop, because the foundedness check
//! must see it. Open atoms have the first variables, in the program's order. Paper, section 2.

use solver_gpu::{Lit, Var};
use std::sync::Arc;

use super::atom_map::literal_of;
use super::bodies::Bodies;
use super::counts::{self, Counted, Left};
use super::foundedness::Loops;
use super::meaning::{Meaning, Step};
use super::prepared::{Candidate, Prepared, Report};
use super::rows::UniqueRows;
use super::rule_kind::RuleKind;
use super::rules::{Links, Rule, Rules};
use super::simplify::{Simplified, Value};
use super::store::Collector;
use super::sums::{self, Form, Sum, SumStore};
use yasmin_ground::ids::BodyId;

/// Writes the nogoods, candidates and loops over what simplification left open.
pub(super) fn complete(
    rules: &Rules,
    links: &Links,
    known: &Simplified,
    (mut meaning, mut bodies): (Meaning, Bodies),
    counted: Counted,
) -> Prepared {
    let possible = |b: BodyId| known.body[b.index()] != Value::False;
    let unsure = |p: u32| known.atom[p as usize] != Value::False && !known.derived[p as usize];
    let loops = Loops::find(rules, possible, unsure);

    let atoms = number_atoms(rules, known, &loops);
    let mut names = Names::new(atoms.count, known.rests.end());
    // The bodies that were named, with their rests, and whether each was named before.
    let mut named = Vec::new();
    let mut name = |b: BodyId| {
        let rest = known.rests.of(b).expect("an open body has a rest");
        names.name(rest, known.rests.row(rules, rest), &atoms.lit);
        if meaning.is_wanted() {
            named.push((b, rest));
        }
    };
    let is_open = |b: BodyId| known.body[b.index()] == Value::Open;
    for p in 0..rules.atoms {
        if known.atom[p as usize] == Value::Open || needs_support(rules, links, known, p) || loops.contains(p)
        {
            rules.bodies_of(links, p).filter(|&b| is_open(b)).for_each(&mut name);
        }
    }
    let founding = || {
        rules.rules().filter(|r| r.kind == RuleKind::Founding && !atoms.lit[r.head as usize].is_constant())
    };
    founding().map(|r| r.body).filter(|&b| is_open(b)).for_each(&mut name);

    let mut nogoods = Collector::new(true);
    names.define(&mut nogoods);
    if meaning.is_wanted() {
        explain_names(rules, known, &atoms, &names, named, &mut meaning);
    }
    let mut candidates =
        complete_atoms((rules, links, known), &atoms, &names, &loops, &mut nogoods, &mut meaning);
    forbid_false_bodies(rules, known, &atoms.lit, &mut nogoods);
    for rule in founding().filter(|r| known.atom[r.head as usize] == Value::Open) {
        candidates.extend(found_by(&rule, known, &atoms, &names));
    }
    let mut sums = SumStore::default();
    let mut left = Vec::new();
    for (number, sum) in rules.sums.iter().enumerate() {
        let (atom, is_on_loop) = (atoms.lit[sum.atom.0 as usize], loops.contains(sum.atom.0));
        let rest = complete_sum(sum, &atoms, &mut nogoods, &mut candidates);
        left.extend(rest.map(|Sum { bound, lits, .. }| Left { number, lits, bound, atom, is_on_loop }));
    }
    let vars = atoms.count + names.conjunctions.rows.len() as u32;
    let vars = counts::write(left, counted, rules, vars, (&mut nogoods, &mut sums), &mut meaning);

    let body_lit = |b: BodyId| match known.body[b.index()] {
        Value::True => Lit::TRUE,
        _ => known.rests.of(b).and_then(|rest| names.of(rest)).map_or(Lit::FALSE, |(_, name)| name.whole),
    };
    bodies.note(rules.body_ids().map(|b| (rules.body_lits(b), body_lit(b))));
    let mut atom_lit = atoms.lit;
    let foundedness = loops.foundedness(rules, possible, &atoms.var, atoms.of_program, &atom_lit, body_lit);
    atom_lit.truncate(rules.program_atoms as usize);
    Prepared {
        foundedness,
        atom_lit: Arc::new(atom_lit),
        vars,
        atom_vars: atoms.of_program,
        nogoods: Arc::new(nogoods.finish(vars)),
        sums,
        candidates,
        report: Report {
            bodies_after: names.names.iter().filter(|name| !name.whole.is_constant()).count() as u64,
            components: loops.count as u64,
            ..Report::default()
        },
        meaning,
        bodies,
        ..Prepared::default()
    }
}

/// Tells what names stand for: all literals of a rest, whose positive and negative parts may have names of their own. A
/// body that is longer than its rest is false if the rest is.
fn explain_names(
    rules: &Rules,
    known: &Simplified,
    atoms: &Atoms,
    names: &Names,
    mut named: Vec<(BodyId, u32)>,
    meaning: &mut Meaning,
) {
    let first = meaning.fresh(names.conjunctions.rows.len() as u32);
    let with_var = (0..rules.atoms).filter(|&p| atoms.var[p as usize] != u32::MAX);
    let of_names = (first.0..).take(names.conjunctions.rows.len());
    meaning.set(with_var.chain(of_names).map(Var).collect());
    named.sort_unstable();
    named.dedup();
    let mut is_defined = vec![false; names.conjunctions.rows.len()];
    let mut define = |name: Lit, lits: &[Lit], meaning: &mut Meaning| {
        let number = name.var().0.wrapping_sub(names.first) as usize;
        if !name.is_constant()
            && number < is_defined.len()
            && !std::mem::replace(&mut is_defined[number], true)
        {
            meaning.step(Step::All(meaning.of(name).var()), lits);
            return true;
        }
        false
    };
    for (b, rest) in named {
        let Some((_, name)) = names.of(rest) else { continue };
        let row = known.rests.row(rules, rest);
        let [positive, negative] = [false, true]
            .map(|sign| row.iter().copied().filter(|l| l.is_false_sign() == sign).collect::<Vec<_>>());
        define(name.positive, &positive, meaning);
        if let Some(of_negative) = name.negative {
            define(of_negative, &negative, meaning);
        }
        if define(name.whole, row, meaning) {
            let parts: Vec<Lit> = [Some(name.positive), name.negative].into_iter().flatten().collect();
            meaning.is_conjunction(name.whole, &parts);
        }
        let body = rules.body_lits(b);
        let mut whole = meaning.of(name.whole);
        if body.len() > row.len() {
            let body = Lit::t(meaning.define(body));
            meaning.are_equal(body, whole);
            whole = body;
        }
        if let Some(flat) = meaning.without_auxiliaries(body) {
            let flat = Lit::t(meaning.define(&flat));
            meaning.are_equal(flat, whole);
        }
    }
}

/// The solver's view of the program's atoms.
struct Atoms {
    /// The literal of the solver, or the constant, that stands for each atom.
    lit: Vec<Lit>,
    /// The variable of each atom, or `u32::MAX` for an atom without a variable.
    var: Vec<u32>,
    /// How many atoms have a variable.
    count: u32,
    /// How many of the variables, the first ones, are those of the program's atoms. The others are those of
    /// auxiliary atoms.
    of_program: u32,
}

fn number_atoms(rules: &Rules, known: &Simplified, loops: &Loops) -> Atoms {
    let mut atoms = Atoms { lit: Vec::new(), var: vec![u32::MAX; known.atom.len()], count: 0, of_program: 0 };
    for (p, &value) in known.atom.iter().enumerate() {
        if value == Value::Open || loops.contains(p as u32) {
            atoms.var[p] = atoms.count;
            atoms.count += 1;
            atoms.of_program += (p < rules.program_atoms as usize) as u32;
        }
        atoms.lit.push(match value {
            Value::False => Lit::FALSE,
            Value::True if atoms.var[p] == u32::MAX => Lit::TRUE,
            _ => Lit::t(Var(atoms.var[p])),
        });
    }
    atoms
}

/// Whether an atom is true and no rule is known to apply, so that one of its open bodies must hold.
fn needs_support(rules: &Rules, links: &Links, known: &Simplified, p: u32) -> bool {
    known.atom[p as usize] == Value::True
        && rules.sum_of(p).is_none()
        && rules.bodies_of(links, p).all(|b| known.body[b.index()] != Value::True)
}

/// Pushes the nogoods of `p <-> b_1 or b_2 ..` for all atoms that are open or true. Returns the candidates
/// for Decision.
fn complete_atoms(
    (rules, links, known): (&Rules, &Links, &Simplified),
    atoms: &Atoms,
    names: &Names,
    loops: &Loops,
    nogoods: &mut Collector,
    meaning: &mut Meaning,
) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    // Different bodies may have the same rest. A rest counts once for each head.
    let mut last_head = vec![u32::MAX; names.names.len()];
    let mut support = Vec::new();
    for p in 0..rules.atoms {
        let var = Var(atoms.var[p as usize]);
        let is_open = known.atom[p as usize] == Value::Open;
        if !is_open && loops.contains(p) {
            nogoods.push(&[Lit::f(var)]);
        }
        if rules.sum_of(p).is_some() || (!is_open && !needs_support(rules, links, known, p)) {
            continue;
        }
        support.clear();
        let mut is_supported = false;
        let mut is_told = !meaning.is_in_file(Var(p));
        // Of rules with equal rests, rules that force the head say more than choices, so they come first.
        for forces in [true, false] {
            for &r in links.rules_of.row(p as usize) {
                let b = rules.body[r.index()];
                if rules.kind[r.index()].forces() != forces {
                    continue;
                }
                if known.body[b.index()] == Value::True && is_open {
                    // This is `{p} :- B.` with `B` true in every answer set.
                    is_supported = true;
                    candidates.push(Candidate { head: var, positive: Lit::TRUE, body: Lit::t(var) });
                    continue;
                }
                if known.body[b.index()] != Value::Open {
                    continue;
                }
                let (number, name) = names.of_body(known, b);
                if std::mem::replace(&mut last_head[number], p) == p {
                    is_told = true;
                    continue;
                }
                let body = name.whole;
                support.push(!body);
                if is_open && forces {
                    nogoods.push(&[Lit::f(var), body]);
                    if is_told {
                        meaning.nogood(&[Lit::f(var), body]);
                    }
                } else if is_open {
                    candidates.push(Candidate { head: var, positive: body, body: Lit::t(var) });
                }
                if is_open && name.negative.is_some() {
                    candidates.push(Candidate { head: var, positive: name.positive, body });
                }
            }
        }
        if is_open {
            support.push(Lit::t(var));
        }
        if !is_supported {
            nogoods.push(&support);
            if is_told {
                meaning.nogood(&support);
            }
        }
    }
    candidates
}

/// The decisions by which a rule may found its head without forcing the head. With `a | b.` on a loop both
/// atoms may be true, and then both bodies `not b` and `not a` are false. So the atoms themselves may be
/// chosen.
fn found_by(rule: &Rule, known: &Simplified, atoms: &Atoms, names: &Names) -> Vec<Candidate> {
    let head = Var(atoms.var[rule.head as usize]);
    let choose = |positive| Candidate { head, positive, body: Lit::t(head) };
    match known.body[rule.body.index()] {
        Value::True => vec![choose(Lit::TRUE)],
        Value::False => vec![],
        Value::Open => {
            let (_, name) = names.of_body(known, rule.body);
            let whole = Candidate { head, positive: name.positive, body: name.whole };
            [choose(name.whole)].into_iter().chain(name.negative.map(|_| whole)).collect()
        }
    }
}

/// What is left of a sum over its open literals, unless that is written as nogoods; and the decisions that found the sum:
/// each negative literal may be chosen to hold. The positive literals are founded by their own rules.
fn complete_sum(
    sum: &Sum,
    atoms: &Atoms,
    nogoods: &mut Collector,
    candidates: &mut Vec<Candidate>,
) -> Option<Sum> {
    let atom = atoms.lit[sum.atom.0 as usize];
    let mut bound = sum.bound;
    let lits = sum.lits.iter().map(|&(lit, weight)| (literal_of(&atoms.lit, lit), weight));
    let lits = lits.filter(|&(lit, weight)| {
        bound -= if lit == Lit::TRUE { weight } else { 0 };
        !lit.is_constant()
    });
    let lits = lits.collect();
    let mut push = |lits: &[Lit]| drop(nogoods.push_rest(lits));
    let mut left = None;
    match sums::reduced(sum.atom, bound, lits) {
        Form::Never => push(&[atom]),
        Form::All(lits) => {
            lits.iter().for_each(|&lit| push(&[atom, !lit]));
            push(&[&[!atom], &lits[..]].concat());
        }
        Form::Any(lits) => {
            lits.iter().for_each(|&lit| push(&[!atom, lit]));
            let complements: Vec<Lit> = lits.iter().map(|&lit| !lit).collect();
            push(&[&[atom], &complements[..]].concat());
        }
        Form::Sum(sum) => left = Some(sum),
    }
    if !atom.is_constant() {
        let negative = sum.lits.iter().filter(|(lit, _)| lit.is_false_sign());
        let negative = negative.map(|&(lit, _)| literal_of(&atoms.lit, lit)).filter(|lit| !lit.is_constant());
        candidates.extend(negative.map(|body| Candidate { head: atom.var(), positive: Lit::TRUE, body }));
    }
    left
}

/// Pushes the rests of constraints, and of the bodies of false atoms, as nogoods.
fn forbid_false_bodies(rules: &Rules, known: &Simplified, atom_lit: &[Lit], nogoods: &mut Collector) {
    let mut lits = Vec::new();
    let is_false = |&b: &BodyId| known.body[b.index()] == Value::False;
    for rest in rules.body_ids().filter(is_false).filter_map(|b| known.rests.of(b)) {
        lits.clear();
        lits.extend(known.rests.row(rules, rest).iter().map(|&lit| literal_of(atom_lit, lit)));
        nogoods.push(&lits);
    }
}

/// The literals that stand for the rests of bodies.
struct Names {
    /// For each rest the number of its name, plus 1, or 0 if the rest has no name.
    number: Vec<u32>,
    names: Vec<Name>,
    /// The distinct conjunctions. Row `i` has the literals whose conjunction is variable `first + i`.
    conjunctions: UniqueRows,
    first: u32,
    /// The literals of one part of a body, kept to reuse the memory.
    part: Vec<Lit>,
}

/// The literals that stand for a rest.
struct Name {
    /// `T b_r`, which stands for the whole rest.
    whole: Lit,
    /// `T t_r`, which stands for the positive part, or `Lit::TRUE` if there is no positive part.
    positive: Lit,
    /// `T n_r`, which stands for the negative part, if there is one.
    negative: Option<Lit>,
}

impl Names {
    fn new(first: u32, rests: usize) -> Names {
        Names {
            number: vec![0; rests],
            names: Vec::new(),
            conjunctions: UniqueRows::new(),
            first,
            part: Vec::new(),
        }
    }

    /// The name of a rest with the name's number, if the rest has been named.
    fn of(&self, rest: u32) -> Option<(usize, &Name)> {
        let number = (self.number[rest as usize] as usize).checked_sub(1)?;
        Some((number, &self.names[number]))
    }

    /// The name of the rest of an open body, with the name's number.
    fn of_body(&self, known: &Simplified, b: BodyId) -> (usize, &Name) {
        known.rests.of(b).and_then(|rest| self.of(rest)).expect("open bodies were named first")
    }

    fn name(&mut self, rest: u32, lits: &[Lit], atom_lit: &[Lit]) {
        if self.number[rest as usize] > 0 {
            return;
        }
        let [t, n] = [false, true].map(|is_negative| {
            let part = lits.iter().filter(|lit| lit.is_false_sign() == is_negative);
            self.part.clear();
            self.part.extend(part.map(|&lit| literal_of(atom_lit, lit)));
            conjunction(&mut self.conjunctions, self.first, &self.part)
        });
        let whole = match (t, n) {
            (_, Lit::TRUE) => t,
            (Lit::TRUE, _) => n,
            _ => conjunction(&mut self.conjunctions, self.first, &[t, n]),
        };
        self.names.push(Name { whole, positive: t, negative: Some(n).filter(|&n| n != Lit::TRUE) });
        self.number[rest as usize] = self.names.len() as u32;
    }

    /// Pushes the nogoods of `c <-> lits` for each conjunction: `{Fc} ∪ lits`, and `{Tc, ¬l}` for each `l` in
    /// `lits`.
    fn define(&self, nogoods: &mut Collector) {
        let mut long = Vec::new();
        for (i, lits) in self.conjunctions.rows.iter().enumerate() {
            let c = Lit::t(Var(self.first + i as u32));
            long.clear();
            long.extend_from_slice(lits);
            long.push(!c);
            nogoods.push(&long);
            lits.iter().for_each(|&lit| nogoods.push(&[c, !lit]));
        }
    }
}

/// The literal that stands for a conjunction. A conjunction of several literals has a variable of its own.
fn conjunction(known: &mut UniqueRows, first: u32, lits: &[Lit]) -> Lit {
    match lits {
        [] => Lit::TRUE,
        [lit] => *lit,
        _ => Lit::t(Var(first + known.intern(lits))),
    }
}
