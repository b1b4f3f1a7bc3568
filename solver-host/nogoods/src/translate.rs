//! The paper's translation word for word, for teaching and as the yardstick of the simplified translation.
//!
//! Main function: [`translate`]. Each rule gets its `b_r`, `t_r` and `n_r`. Facts get them too: `p.` yields
//! `{F t_r}` and `{F n_r}`. What the paper leaves out is added in its manner: the head of a choice rule has
//! no `{Fp, T b_r}`, and a sum is two sum nogoods.
//!
//! Invariant: the nogoods are exactly those of paper, section 2, and as many as
//! [`Counts`](super::limits::Counts) computes. Rule `r` with a head has three variables from `atoms + 3 r`
//! on: b, t and n.

use solver_gpu::{Lit, Var};
use std::sync::Arc;

use super::foundedness::Loops;
use super::meaning::{Meaning, Step};
use super::prepared::{Candidate, Prepared, Report};
use super::rule_kind::RuleKind;
use super::rules::{Rule, Rules};
use super::store::Collector;
use super::sums::SumStore;
use yasmin_ground::program::Program;

/// Translates without simplification.
/// Disjunctive heads of more than `longest_head` atoms get auxiliary atoms.
pub(super) fn translate(program: &Program, longest_head: u32, mut meaning: Meaning) -> Prepared {
    let rules = Rules::as_written(program, longest_head);
    rules.explain_long_heads(&mut meaning);
    if meaning.is_wanted() {
        meaning.fresh(3 * rules.head.len() as u32);
        meaning.set((0..meaning.vars()).map(Var).collect());
    }
    let mut nogoods = Collector::new(false);
    let mut candidates = Vec::new();
    // The body with the same number as a rule is the rule's own.
    let mut b_of = vec![Lit::FALSE; rules.bodies.len()];
    let mut long = Vec::new();

    for Rule { id: r, head: p, body, kind } in rules.rules() {
        let [b, t, n] = [0, 1, 2].map(|i| Lit::t(Var(rules.atoms + 3 * r.0 + i)));
        b_of[body.index()] = b;
        let body = rules.body_lits(body);

        // b_r <-> t_r and n_r
        nogoods.push(&[!b, t, n]);
        nogoods.push(&[b, !t]);
        nogoods.push(&[b, !n]);
        // t_r <-> the positive body, n_r <-> the negative body
        for (part, is_negative) in [(t, false), (n, true)] {
            let lits = body.iter().copied().filter(|lit| lit.is_false_sign() == is_negative);
            lits.clone().for_each(|lit| nogoods.push(&[part, !lit]));
            long.clear();
            long.push(!part);
            long.extend(lits);
            nogoods.push(&long);
            meaning.step(Step::All(part.var()), &long[1..]);
        }
        meaning.step(Step::All(b.var()), body);
        meaning.is_conjunction(b, &[t, n]);
        if let Some(flat) = meaning.without_auxiliaries(body) {
            let flat = Lit::t(meaning.define(&flat));
            meaning.are_equal(flat, b);
        }
        // p <- b_r
        let head = Var(p);
        if kind.forces() {
            nogoods.push(&[Lit::f(head), b]);
            if !meaning.is_in_file(head) {
                meaning.nogood(&[Lit::f(head), b]);
            }
        }
        if matches!(kind, RuleKind::Choice | RuleKind::Founding) {
            candidates.push(Candidate { head, positive: b, body: Lit::t(head) });
        }
        // The atoms of the program decide an auxiliary atom.
        if p < rules.program_atoms {
            candidates.push(Candidate { head, positive: t, body: b });
        }
    }
    // p -> some b_r
    let links = rules.links();
    let mut sums = SumStore::default();
    for p in 0..rules.atoms {
        if let Some(sum) = rules.sum_of(p) {
            sums.define(Lit::t(Var(p)), sum.bound, &sum.lits);
            let negative = sum.lits.iter().filter(|(lit, _)| lit.is_false_sign());
            let chosen = |&(body, _): &(Lit, i64)| Candidate { head: Var(p), positive: Lit::TRUE, body };
            candidates.extend(negative.map(chosen));
            continue;
        }
        long.clear();
        long.push(Lit::t(Var(p)));
        long.extend(rules.bodies_of(&links, p).map(|body| !b_of[body.index()]));
        nogoods.push(&long);
        if !meaning.is_in_file(Var(p)) {
            meaning.nogood(&long);
        }
    }
    let mut unsatisfiable = false;
    for &body in &rules.constraints {
        let body = rules.body_lits(body);
        unsatisfiable |= body.is_empty();
        nogoods.push(body);
    }
    if unsatisfiable {
        return Prepared { meaning, ..Prepared::unsatisfiable() };
    }

    let loops = Loops::find(&rules, |_| true, |_| true);
    let same: Vec<u32> = (0..rules.program_atoms).collect();
    let atom_lit: Vec<Lit> = same.iter().map(|&p| Lit::t(Var(p))).collect();
    let vars = rules.atoms + 3 * rules.head.len() as u32;
    Prepared {
        vars,
        atom_vars: rules.program_atoms,
        nogoods: nogoods.finish(vars).into(),
        sums,
        candidates,
        foundedness: loops.foundedness(
            &rules,
            |_| true,
            &same,
            rules.program_atoms,
            &atom_lit,
            |body| b_of[body.index()],
        ),
        atom_lit: Arc::new(atom_lit),
        report: Report {
            bodies_after: rules.head.len() as u64,
            components: loops.count as u64,
            ..Report::default()
        },
        meaning,
        ..Prepared::default()
    }
}
