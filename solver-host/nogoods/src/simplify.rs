//! Finds values that hold in every answer set, by unit propagation on the completion and by unfounded atoms,
//! to a fixpoint.
//!
//! Main function: [`simplify`]. The completion is not written out: its nogoods are read off the rules. There
//! is one value for each atom and one for each body. The nogoods say (paper, section 2, with `b_r` the body):
//!
//! - A body is true if its literals are true. The literals of a true body are true.
//! - A body is false if one of its literals is false. If a body is false and all of its literals but one are
//!   true, that one is false.
//! - An atom is true if one of its bodies is true. The bodies of a false atom are false.
//! - An atom is false if its bodies are false. If an atom is true and all of its bodies but one are false,
//!   that one is true.
//! - The body of a constraint is false.
//!
//! A choice rule says only that its body can support its head (see [`RuleKind`]).
//!
//! The atom of a sum is true if the true literals reach the bound, and false if the literals that are not
//! false cannot reach it. If the value of the atom is known, a literal is known as well if the bound would be
//! missed without it, or reached with it.
//!
//! Invariant: `true` does not mean founded. In `p :- q. q :- p. q :- s. s :- not r. r :- not s. :- not p.`
//! propagation finds that `p` and `q` are true, and whether they have a foundation depends on `s`.
//! [`Simplified::derived`] marks the atoms that have a derivation from true bodies alone. All others must
//! stay visible to the foundedness check.
//!
//! A counter for each body (literals not yet true) and for each atom (bodies not yet false) makes one
//! fixpoint linear.

use solver_gpu::{Lit, Var};

use super::closure::{derivable, Usable};
use super::lit_set::is_tautological;
use super::meaning::{Meaning, Step};
use super::rows::{LitRows, UniqueRows};
use super::rule_kind::RuleKind;
use super::rules::{Links, Rules};
use yasmin_ground::ids::BodyId;

/// The value of an atom or a body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Value {
    Open,
    True,
    False,
}
use Value::{False, Open, True};

impl Value {
    /// The value of a literal whose variable has value `self`.
    fn of(self, lit: Lit) -> Value {
        match (self, lit.is_false_sign()) {
            (True, true) => False,
            (False, true) => True,
            (value, _) => value,
        }
    }
}

/// The program has no answer set.
pub(super) struct Conflict;

/// The values of the program's atoms and bodies, as far as they are known.
pub(super) struct Simplified {
    /// The value of each atom.
    pub atom: Vec<Value>,
    /// The value of each body.
    pub body: Vec<Value>,
    /// Whether each atom is true and has a derivation from true bodies.
    pub derived: Vec<bool>,
    /// The open literals of each undecided body.
    pub rests: Rests,
}

/// The rest of each body: the open literals of a body that is open, or of a body that is false though none of
/// its literals is false yet.
///
/// Most rests are the whole body. These are neither copied nor compared with each other.
pub(super) struct Rests {
    /// For each body the number of its rest, or [`NO_REST`]. Numbers below the number of bodies stand for
    /// whole bodies, the following numbers for the rows of `shorter`. Equal rests have one number.
    of: Vec<u32>,
    /// The rests that are shorter than their bodies.
    shorter: LitRows,
}

const NO_REST: u32 = u32::MAX;

impl Rests {
    /// The number of the rest of body `b`, if the body has one.
    pub fn of(&self, b: BodyId) -> Option<u32> {
        Some(self.of[b.index()]).filter(|&rest| rest != NO_REST)
    }

    /// The literals of the rest with number `rest`.
    pub fn row<'a>(&'a self, rules: &'a Rules, rest: u32) -> &'a [Lit] {
        match (rest as usize).checked_sub(self.of.len()) {
            None => rules.bodies.row(rest as usize),
            Some(shorter) => self.shorter.row(shorter),
        }
    }

    /// A bound that the numbers of all rests are below.
    pub fn end(&self) -> usize {
        self.of.len() + self.shorter.len()
    }
}

/// How many rounds there are at most. Unit propagation reaches its fixpoint in linear time, but may have to
/// do so again after each round of unfounded atoms or newly equal bodies. Few programs need a third round.
/// What is left undone at the limit is left to the search.
pub(super) const ROUNDS: usize = 16;

/// Assigns what follows without a decision, in at most `rounds` rounds.
pub(super) fn simplify(
    rules: &Rules,
    links: &Links,
    rounds: usize,
    meaning: &mut Meaning,
) -> Result<Simplified, Conflict> {
    let mut state = Propagation::new(rules, links, meaning);
    state.assign_initial()?;
    let mut round = 0;
    loop {
        state.propagate()?;
        round += 1;
        if round < rounds && state.falsify_unfounded()? {
            continue;
        }
        let rests = state.rests();
        if round < rounds && state.learn_from_equal_rests(&rests)? {
            continue;
        }
        let derived = derivable(rules, links, Certain(&state));
        return Ok(Simplified { atom: state.atom, body: state.body, derived, rests });
    }
}

/// A selection for [`derivable`]: derivations from true bodies and literals.
struct Certain<'a>(&'a Propagation<'a>);

impl Usable for Certain<'_> {
    fn body(&self, b: BodyId) -> bool {
        self.0.body[b.index()] == True
    }
    fn head(&self, p: u32, kind: RuleKind) -> bool {
        kind.founds() && (kind == RuleKind::Normal || self.0.atom[p as usize] == True)
    }
    fn counts(&self, lit: Lit) -> bool {
        self.0.value(lit) == True
    }
}

/// A selection for [`derivable`]: derivations from bodies and literals that are not false.
struct Possible<'a>(&'a Propagation<'a>);

impl Usable for Possible<'_> {
    fn body(&self, b: BodyId) -> bool {
        self.0.body[b.index()] != False
    }
    fn head(&self, _: u32, kind: RuleKind) -> bool {
        kind.founds()
    }
    fn counts(&self, lit: Lit) -> bool {
        self.0.value(lit) != False
    }
}

struct Propagation<'a> {
    rules: &'a Rules,
    links: &'a Links,
    atom: Vec<Value>,
    body: Vec<Value>,
    /// For each body the number of its literals that are not true. Assignments in `pending` are not counted
    /// yet.
    not_true: Vec<u32>,
    /// For each atom the number of its bodies that are not false. Assignments in `pending` are not counted
    /// yet.
    supports: Vec<u32>,
    /// For each sum the weight of its true literals, and the weight of its literals that are not false.
    /// Assignments in `pending` are not counted yet.
    sums: Vec<(i64, i64)>,
    pending: Vec<Assigned>,
    /// What takes note of values that do not follow by unit propagation.
    meaning: &'a mut Meaning,
}

enum Assigned {
    Atom(u32),
    Body(BodyId),
}

impl<'a> Propagation<'a> {
    fn new(rules: &'a Rules, links: &'a Links, meaning: &'a mut Meaning) -> Self {
        Propagation {
            rules,
            links,
            atom: vec![Open; rules.atoms as usize],
            body: vec![Open; rules.bodies.len()],
            not_true: rules.bodies.iter().map(|body| body.len() as u32).collect(),
            supports: (0..rules.atoms as usize).map(|p| links.rules_of.row(p).len() as u32).collect(),
            sums: rules.sums.iter().map(|sum| (0, sum.total())).collect(),
            pending: Vec::new(),
            meaning,
        }
    }

    /// Assigns facts, the bodies of constraints, and atoms without rules.
    fn assign_initial(&mut self) -> Result<(), Conflict> {
        for b in self.rules.body_ids() {
            if self.not_true[b.index()] == 0 {
                self.set_body(b, True)?;
            }
        }
        for &b in &self.rules.constraints {
            self.set_body(b, False)?;
            // Constraints may be most of the program. Propagating after each keeps `pending` short.
            self.propagate()?;
        }
        for p in 0..self.rules.atoms {
            if self.supports[p as usize] == 0 && self.rules.sum_of(p).is_none() {
                self.set_atom(p, False)?;
            }
        }
        Ok(())
    }

    fn propagate(&mut self) -> Result<(), Conflict> {
        while let Some(assigned) = self.pending.pop() {
            match assigned {
                Assigned::Atom(p) if self.atom[p as usize] == True => {
                    self.literal_is_true(Lit::t(Var(p)))?;
                    self.use_last_support(p)?;
                    self.use_bound(p)?;
                }
                Assigned::Atom(p) => {
                    self.literal_is_true(Lit::f(Var(p)))?;
                    for &r in self.links.rules_of.row(p as usize) {
                        if self.rules.kind[r.index()].forces() {
                            self.set_body(self.rules.body[r.index()], False)?;
                        }
                    }
                    self.use_bound(p)?;
                }
                Assigned::Body(b) if self.body[b.index()] == True => {
                    for &lit in self.rules.body_lits(b) {
                        self.set_literal(lit)?;
                    }
                    for (p, _) in self.links.heads(b).filter(|(_, kind)| kind.forces()) {
                        self.set_atom(p, True)?;
                    }
                }
                Assigned::Body(b) => {
                    self.falsify_last_literal(b)?;
                    for (p, _) in self.links.heads(b).filter(|(_, kind)| kind.supports()) {
                        self.supports[p as usize] -= 1;
                        if self.supports[p as usize] == 0 {
                            self.set_atom(p, False)?;
                        }
                        self.use_last_support(p)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn literal_is_true(&mut self, lit: Lit) -> Result<(), Conflict> {
        for &b in self.links.occurs.row((!lit).index()) {
            self.set_body(b, False)?;
        }
        for &b in self.links.occurs.row(lit.index()) {
            self.not_true[b.index()] -= 1;
            if self.not_true[b.index()] == 0 {
                self.set_body(b, True)?;
            }
            self.falsify_last_literal(b)?;
        }
        for (s, weight) in self.links.sums_with(!lit) {
            self.sums[s as usize].1 -= weight;
            self.check_sum(s)?;
        }
        for (s, weight) in self.links.sums_with(lit) {
            self.sums[s as usize].0 += weight;
            self.check_sum(s)?;
        }
        Ok(())
    }

    /// Assigns the atom of a sum if its value is certain, and what follows from the atom's value.
    fn check_sum(&mut self, s: u32) -> Result<(), Conflict> {
        let (atom, bound) = (self.rules.sums[s as usize].atom.0, self.rules.sums[s as usize].bound);
        let (certain, possible) = self.sums[s as usize];
        if certain >= bound {
            self.set_atom(atom, True)?;
        } else if possible < bound {
            self.set_atom(atom, False)?;
        }
        self.use_bound(atom)
    }

    /// Assigns the literals that decide whether a sum has the value of its atom `p`, if `p` is the atom of a
    /// sum and has a value. Heavy literals come first, so the loop ends at the first literal that does not
    /// decide.
    fn use_bound(&mut self, p: u32) -> Result<(), Conflict> {
        let (Some(s), value) = (self.rules.number_of_sum(p), self.atom[p as usize]) else { return Ok(()) };
        let (sum, (certain, possible)) = (&{ self.rules }.sums[s as usize], self.sums[s as usize]);
        let slack = match value {
            Open => return Ok(()),
            True => possible - sum.bound,
            False => sum.bound - 1 - certain,
        };
        for &(lit, _) in sum.lits.iter().take_while(|&&(_, weight)| weight > slack) {
            if self.value(lit) == Open {
                self.set_literal(if value == True { lit } else { !lit })?;
            }
        }
        Ok(())
    }

    /// Falsifies the last literal of a false body whose other literals are true. The counter lags behind the
    /// values, so the counter is only the reason to look. It reaches 1 only once, so a body is looked through
    /// at most twice.
    fn falsify_last_literal(&mut self, b: BodyId) -> Result<(), Conflict> {
        if self.body[b.index()] != False || self.not_true[b.index()] != 1 {
            return Ok(());
        }
        match self.rules.body_lits(b).iter().find(|&&lit| self.value(lit) != True) {
            Some(&lit) => self.set_literal(!lit),
            None => Err(Conflict),
        }
    }

    /// Makes the last body of a true atom true if the atom's other bodies are false. As above, the counter is
    /// only the reason to look.
    fn use_last_support(&mut self, p: u32) -> Result<(), Conflict> {
        if self.atom[p as usize] != True || self.supports[p as usize] != 1 {
            return Ok(());
        }
        let possible = self.rules.bodies_of(self.links, p).find(|&b| self.body[b.index()] != False);
        match possible {
            Some(b) => self.set_body(b, True),
            None => Err(Conflict),
        }
    }

    /// Falsifies the atoms that cannot be derived from bodies that are not false. Returns whether there are
    /// any.
    fn falsify_unfounded(&mut self) -> Result<bool, Conflict> {
        let founded = derivable(self.rules, self.links, Possible(self));
        if self.meaning.is_wanted() {
            let is_new = |&p: &u32| !founded[p as usize] && self.atom[p as usize] != False;
            let unfounded: Vec<Lit> = (0..self.rules.atoms).filter(is_new).map(|p| Lit::t(Var(p))).collect();
            if !unfounded.is_empty() {
                self.meaning.step(Step::Unfounded, &unfounded);
            }
        }
        for p in 0..self.rules.atoms {
            if !founded[p as usize] {
                self.set_atom(p, False)?;
            }
        }
        Ok(!self.pending.is_empty())
    }

    fn rests(&self) -> Rests {
        let bodies = &self.rules.bodies;
        let count = bodies.len() as u32;
        let mut shorter = UniqueRows::new();
        let mut rest = Vec::new();
        let of = self.rules.body_ids().map(|b| {
            let body = self.rules.body_lits(b);
            if self.body[b.index()] == True {
                return NO_REST;
            }
            if body.iter().all(|&lit| self.value(lit) == Open) {
                return b.0;
            }
            if body.iter().any(|&lit| self.value(lit) == False) {
                return NO_REST;
            }
            rest.clear();
            rest.extend(body.iter().filter(|&&lit| self.value(lit) == Open));
            debug_assert!(!is_tautological(&rest));
            count + shorter.intern(&rest)
        });
        let mut of: Vec<u32> = of.collect();
        // A shorter rest may be equal to another body that is whole.
        let mut number: Vec<u32> = (count..).take(shorter.rows.len()).collect();
        if !number.is_empty() {
            for b in (0..count).filter(|&b| of[b as usize] == b) {
                if let Some(rest) = shorter.find(bodies.row(b as usize)) {
                    number[rest as usize] = b;
                }
            }
            for rest in of.iter_mut().filter(|rest| **rest != NO_REST && **rest >= count) {
                *rest = number[(*rest - count) as usize];
            }
        }
        Rests { of, shorter: shorter.rows }
    }

    /// Uses that bodies with equal rests have equal values. Returns whether anything follows. Two examples,
    /// with `f` a fact:
    ///
    /// - `:- a, b, f. p :- a, b.` The body of `p` is false, as the constraint's body is false.
    /// - `p :- a, f. p :- a, g. :- not p.` Both bodies of `p` are `a`, so `a` must be true.
    fn learn_from_equal_rests(&mut self, rests: &Rests) -> Result<bool, Conflict> {
        // Without a shorter rest all rests are still different.
        if rests.shorter.len() > 0 {
            let rules = self.rules;
            let with_rest = || rules.body_ids().filter_map(|b| Some((b, rests.of(b)?)));
            let mut is_false = vec![false; rests.end()];
            for (b, rest) in with_rest() {
                is_false[rest as usize] |= self.body[b.index()] == False;
            }
            for (b, rest) in with_rest().filter(|&(_, rest)| is_false[rest as usize]) {
                if self.meaning.is_wanted() && self.body[b.index()] != False {
                    self.meaning.step(Step::Nogood, rests.row(rules, rest));
                    let body = self.meaning.define(rules.body_lits(b));
                    self.meaning.step(Step::Nogood, &[Lit::t(body)]);
                }
                self.set_body(b, False)?;
            }
        }
        for p in 0..self.atom.len() {
            if self.atom[p] != True || self.rules.sum_of(p as u32).is_some() {
                continue;
            }
            let bodies = || self.rules.bodies_of(self.links, p as u32);
            if bodies().any(|b| self.body[b.index()] == True) {
                continue;
            }
            let mut open = bodies().filter(|&b| self.body[b.index()] == Open);
            let Some(first) = open.next() else { return Err(Conflict) };
            let are_equal = open.all(|b| rests.of(b) == rests.of(first));
            if are_equal {
                let rest = rests.of(first).filter(|_| self.meaning.is_wanted());
                for &lit in rest.iter().flat_map(|&rest| rests.row(self.rules, rest)) {
                    self.meaning.step(Step::Nogood, &[!lit]);
                }
                self.set_body(first, True)?;
            }
        }
        Ok(!self.pending.is_empty())
    }

    fn value(&self, lit: Lit) -> Value {
        self.atom[lit.var().0 as usize].of(lit)
    }

    fn set_literal(&mut self, lit: Lit) -> Result<(), Conflict> {
        self.set_atom(lit.var().0, if lit.is_false_sign() { False } else { True })
    }

    fn set_atom(&mut self, p: u32, value: Value) -> Result<(), Conflict> {
        set(&mut self.atom[p as usize], value, &mut self.pending, Assigned::Atom(p))
    }

    fn set_body(&mut self, b: BodyId, value: Value) -> Result<(), Conflict> {
        set(&mut self.body[b.index()], value, &mut self.pending, Assigned::Body(b))
    }
}

fn set(place: &mut Value, value: Value, pending: &mut Vec<Assigned>, item: Assigned) -> Result<(), Conflict> {
    if *place == Open {
        *place = value;
        pending.push(item);
    } else if *place != value {
        return Err(Conflict);
    }
    Ok(())
}
