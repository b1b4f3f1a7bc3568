//! Programs over a few atoms, and their answer sets by the definition.

use yasmin::External;

/// A set of atoms, as bits.
pub type Set = u32;
/// An atom by its place, and whether it is to hold.
pub type Lit = (usize, bool);

pub fn holds(set: Set, &(atom, is_positive): &Lit) -> bool {
    (set >> atom & 1 == 1) == is_positive
}

#[derive(Clone, Debug)]
pub struct Rule {
    pub is_choice: bool,
    pub heads: Vec<usize>,
    pub body: Vec<Lit>,
    /// A part of the body: the weights of these literals that hold add up to the bound or more.
    pub sum: Option<(i64, Vec<(Lit, i64)>)>,
}

impl Rule {
    /// Whether the body holds: what is negative of it in `set`, and what is positive in `model`.
    fn applies(&self, set: Set, model: Set) -> bool {
        let in_reduct = |lit: &Lit| if lit.1 { holds(model, lit) } else { holds(set, lit) };
        let weight = |terms: &[(Lit, i64)]| -> i64 {
            // A negative weight counts for the complement, as it does in the definition of the reduct.
            terms
                .iter()
                .map(|(lit, weight)| match weight {
                    0.. => {
                        if in_reduct(lit) {
                            *weight
                        } else {
                            0
                        }
                    }
                    _ => {
                        if in_reduct(&(lit.0, !lit.1)) {
                            0
                        } else {
                            *weight
                        }
                    }
                })
                .sum()
        };
        self.body.iter().all(in_reduct)
            && self.sum.as_ref().is_none_or(|(bound, terms)| weight(terms) >= *bound)
    }

    /// Whether the rule defines an atom, one of so many: the body can hold with the atom and without it, and needs no
    /// other head either. Each head of a choice is a rule of its own.
    fn defines(&self, atom: usize, atoms: usize) -> bool {
        let can_hold = |lit: Lit| (0..1 << atoms).any(|set| holds(set, &lit) && self.applies(set, set));
        let needs = |head: &usize| !can_hold((*head, false));
        let needs_one = if self.is_choice { needs(&atom) } else { self.heads.iter().any(needs) };
        self.heads.contains(&atom) && !needs_one && can_hold((atom, true))
    }
}

/// A program, and the values of its external atoms.
#[derive(Clone, Debug, Default)]
pub struct Spec {
    pub atoms: usize,
    pub rules: Vec<Rule>,
    pub externals: Vec<(usize, External)>,
    pub minimize: Vec<(Lit, i64)>,
    /// What a propagator demands: one of each has to hold.
    pub clauses: Vec<Vec<Lit>>,
}

impl Spec {
    fn is_model(&self, rules: &[Rule], set: Set, model: Set) -> bool {
        rules.iter().all(|rule| {
            !rule.applies(set, model)
                || match rule.is_choice {
                    // A chosen atom of the set needs no other reason.
                    true => rule.heads.iter().all(|&head| set >> head & 1 == 0 || model >> head & 1 == 1),
                    false => rule.heads.iter().any(|&head| model >> head & 1 == 1),
                }
        })
    }

    /// By definition: models of the program of which no part is a model of the reduct.
    pub fn answer_sets(&self) -> Vec<Set> {
        let mut rules = self.rules.clone();
        let is_defined = |atom: usize| self.rules.iter().any(|rule| rule.defines(atom, self.atoms));
        for &(atom, value) in self.externals.iter().filter(|(atom, _)| !is_defined(*atom)) {
            let fact =
                Rule { is_choice: value == External::Free, heads: vec![atom], body: vec![], sum: None };
            match value {
                External::Free | External::True => rules.push(fact),
                External::False | External::Release => {}
            }
        }
        let proper_parts = |set: Set| {
            let mut part = set;
            std::iter::from_fn(move || {
                (part > 0).then(|| {
                    part = (part - 1) & set;
                    part
                })
            })
        };
        (0..1 << self.atoms)
            .filter(|&set| self.clauses.iter().all(|clause| clause.iter().any(|lit| holds(set, lit))))
            .filter(|&set| self.is_model(&rules, set, set))
            .filter(|&set| !proper_parts(set).any(|part| self.is_model(&rules, set, part)))
            .collect()
    }

    pub fn costs(&self, set: Set) -> i64 {
        self.minimize.iter().map(|(lit, weight)| if holds(set, lit) { *weight } else { 0 }).sum()
    }
}
