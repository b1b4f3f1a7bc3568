//! Numbers the variables that are left and translates a [`Prepared`] to them.
//!
//! Main function: [`rebuild`]. Program atoms come first, as before, and keep their order. A variable with a
//! known value is removed, unless it must stay (see `roles`): then a unit nogood gives the variable its
//! value.

use std::collections::HashSet;
use std::sync::Arc;

use solver_gpu::{Lit, Var};

use super::known::{Conflict, Known};
use super::roles::Roles;
use super::sets::Sets;
use crate::foundedness::Foundedness;
use crate::prepared::{Candidate, Prepared};
use crate::store::Collector;

/// The result of preprocessing.
pub(super) struct Left {
    /// The nogoods with known values and equivalences applied. `None` if these are all that has changed in
    /// the nogoods, and are still to be applied.
    pub sets: Option<Sets>,
    pub roles: Roles,
}

/// The same program over the variables that are left.
pub(super) fn rebuild(mut prepared: Prepared, left: Left, known: &mut Known) -> Result<Prepared, Conflict> {
    let numbers = Numbers::of(&prepared, &left, known);
    known.meaning.renumber(&numbers.of, GONE);
    let mut nogoods = Collector::new(true);
    for v in (0..prepared.vars).map(Var).filter(|&v| numbers.stays_known(&left, known, v)) {
        let lit = Lit::t(v);
        nogoods.push(&[numbers.own(if known.holds(lit) { !lit } else { lit })]);
    }
    let store = std::mem::take(&mut prepared.nogoods);
    let mut row = Vec::new();
    if let Some(sets) = &left.sets {
        for i in sets.ids() {
            row.clear();
            row.extend(sets.get(i).iter().map(|&lit| numbers.own(lit)));
            if !row.is_empty() {
                nogoods.push(&row);
            }
        }
    } else {
        let own: Vec<Lit> = (0..2 * prepared.vars).map(|i| numbers.own(known.resolve(Lit(i)))).collect();
        for i in store.ids() {
            row.clear();
            row.extend(store.nogood(i).iter().map(|lit| own[lit.index()]).filter(|&lit| lit != Lit::TRUE));
            if row.is_empty() {
                return Err(Conflict);
            }
            if !row.contains(&Lit::FALSE) {
                nogoods.push(&row);
                known.unify(&mut row);
            }
        }
    }
    drop(store);

    let known = &*known;
    let resolve = |lit: Lit| numbers.own(known.resolve(lit));
    let own_var = |lit: Lit| {
        (!lit.is_constant() && numbers.stays_known(&left, known, lit.var())).then(|| numbers.own(lit).var())
    };
    let fixed = (0..).map(Var).zip(prepared.atom_lit.iter()).filter_map(|(p, &lit)| Some((p, own_var(lit)?)));
    prepared.fixed_atoms = fixed.collect();
    Arc::make_mut(&mut prepared.atom_lit).iter_mut().for_each(|lit| *lit = resolve(*lit));
    prepared.bodies.renumber(|lit| {
        let lit = known.resolve(lit);
        let is_left = lit.is_constant() || numbers.of[lit.var().0 as usize] != GONE;
        is_left.then(|| numbers.own(lit))
    });
    for lit in prepared.sums.lits.iter_mut().chain(&mut prepared.sums.condition) {
        *lit = numbers.kept(known, *lit);
    }
    let mut known_candidates = HashSet::new();
    prepared.candidates.retain_mut(|c| {
        let (head, positive, body) = (resolve(Lit::t(c.head)), resolve(c.positive), resolve(c.body));
        if head.is_constant() || body.is_constant() || positive == Lit::FALSE {
            return false;
        }
        *c = Candidate { head: head.var(), positive, body };
        known_candidates.insert((head.var(), positive, body))
    });
    if let Some(check) = &mut prepared.foundedness {
        translate(check, &numbers, known);
    }
    prepared.nogoods = Arc::new(nogoods.finish(numbers.vars));
    (prepared.vars, prepared.atom_vars) = (numbers.vars, numbers.atom_vars);
    Ok(prepared)
}

/// Translates the foundedness check. Its atoms have variables of their own, and of a body only the value
/// matters.
fn translate(check: &mut Foundedness, numbers: &Numbers, known: &Known) {
    let number = |p: &mut u32| *p = numbers.of[*p as usize];
    let mut component = vec![u32::MAX; numbers.atom_vars as usize];
    for &p in &check.atoms {
        component[numbers.of[p as usize] as usize] = check.component[p as usize];
    }
    check.component = component;
    check.atoms.iter_mut().for_each(number);
    check.head.iter_mut().for_each(number);
    check.positive.items.iter_mut().for_each(number);
    for body in &mut check.body {
        *body = numbers.kept(known, *body);
    }
    check.index(numbers.atom_vars);
    for sum in &mut check.sums {
        number(&mut sum.atom);
        sum.lits.iter_mut().for_each(|(lit, _)| *lit = numbers.own(*lit));
    }
}

/// The new numbers of the variables.
struct Numbers {
    of: Vec<u32>,
    vars: u32,
    atom_vars: u32,
}

const GONE: u32 = u32::MAX;

impl Numbers {
    fn of(prepared: &Prepared, left: &Left, known: &Known) -> Numbers {
        let mut numbers = Numbers { of: vec![GONE; prepared.vars as usize], vars: 0, atom_vars: 0 };
        for v in (0..prepared.vars).map(Var) {
            if known.is_left(v) || numbers.stays_known(left, known, v) {
                numbers.of[v.0 as usize] = numbers.vars;
                numbers.vars += 1;
                numbers.atom_vars += (v.0 < prepared.atom_vars) as u32;
            }
        }
        numbers
    }

    /// Whether the variable stays although its value is known.
    fn stays_known(&self, left: &Left, known: &Known, v: Var) -> bool {
        let (Roles { stays, founds, sums, .. }, i) = (&left.roles, v.0 as usize);
        !known.is_open(Lit::t(v)) && (stays[i] || founds[i] || !sums.row(i).is_empty())
    }

    /// The literal that stands for `lit`, with its variable's new number. A literal whose value is known must
    /// have stayed: it still has a variable of its own.
    fn kept(&self, known: &Known, lit: Lit) -> Lit {
        let is_known = lit.is_constant() || !known.is_open(lit);
        self.own(if is_known { lit } else { known.resolve(lit) })
    }

    /// The literal with its variable's new number.
    fn own(&self, lit: Lit) -> Lit {
        match lit.is_constant() {
            true => lit,
            false => Lit::new(Var(self.of[lit.var().0 as usize]), !lit.is_false_sign()),
        }
    }
}
