//! A translation that grows with its program: only what is new is translated.
//!
//! Main function: [`Prepared::grown`]. What is new is a program by itself. Its *inputs* are the variables of
//! the translation before that the new rules are about, and are free in it. Its translation, simplified and
//! preprocessed alone, joins the one before: an input is the variable that it was, all other variables are
//! new. What the new rules say of inputs by themselves, that one has a value or that two are equal, becomes
//! nogoods.
//!
//! Invariants: the variables of atoms come before all others, so that new atoms move the auxiliaries
//! ([`Shift`]). No positive loop goes through old atoms and new ones, as old atoms get no further rules; so
//! new components are added to the old ones.

use super::foundedness::{Foundedness, NO_LOOP};
use super::limits::{Counts, TooLarge};
use super::prepared::{Prepared, Preprocessed, Report};
use super::store::{Collector, NogoodStore};
use super::sums::SumStore;
use solver_gpu::{Lit, Var};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use yasmin_ground::ids::RuleId;
use yasmin_ground::program::{Head, Program, Size};

/// What a program has grown by: atoms, rules for them, and constraints.
#[derive(Clone, Debug)]
pub struct Growth {
    /// The numbers of atoms, rules, disjunctions and weight constraints before and after.
    pub sizes: Range<Size>,
    /// The new external atoms that may be true or false.
    pub externals: Vec<Var>,
    /// The atoms that were external and free, and are false from now on.
    pub released: Vec<Var>,
}

/// Where the variables of a translation are after it has grown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shift {
    /// How many variables, the first ones, have the numbers that they had.
    pub kept: u32,
    /// How far the others have moved.
    pub by: u32,
}

impl Shift {
    /// The literal's new number. A constant stays what it is.
    pub fn of(self, lit: Lit) -> Lit {
        match lit.is_constant() || lit.var().0 < self.kept {
            true => lit,
            false => Lit::new(Var(lit.var().0 + self.by), !lit.is_false_sign()),
        }
    }
}

impl Prepared {
    /// The translation of a program that has grown from the program that `self` translates. Every variable is
    /// a candidate in both, and neither has what a goal adds. `program` is the whole program; `translate`
    /// translates and preprocesses what is new.
    ///
    /// # Errors
    /// If the program has too many nogoods.
    pub fn grown(
        &self,
        program: &Program,
        growth: &Growth,
        longest_head: u32,
        translate: impl FnOnce(&Program) -> Result<Prepared, TooLarge>,
    ) -> Result<Prepared, TooLarge> {
        let before = Counts::of(program, longest_head);
        before.check()?;
        if self.unsatisfiable {
            return Ok(self.clone().with_counts(program, before));
        }
        let new = New::of(self, program, growth);
        let added = translate(&new.program)?;
        let joined = match added.unsatisfiable {
            true => Prepared::unsatisfiable(),
            false => join(self, added, &new, growth),
        };
        Ok(joined.with_counts(program, before))
    }
}

/// What is new, as a program by itself.
struct New {
    /// The new atoms come first, in their order. After them come the inputs.
    program: Program,
    /// How many atoms are new.
    atoms: u32,
    /// The variable of each input.
    inputs: Vec<Var>,
}

/// The inputs that were met so far.
struct Inputs<'a> {
    before: &'a Prepared,
    /// The number of the first new atom in the whole program, and how many are new.
    first: u32,
    atoms: u32,
    of: HashMap<Var, u32>,
    vars: Vec<Var>,
}

impl Inputs<'_> {
    /// The literal of the new program for a literal of the whole one.
    fn of(&mut self, lit: Lit) -> Lit {
        if lit.var().0 >= self.first {
            return Lit::new(Var(lit.var().0 - self.first), !lit.is_false_sign());
        }
        let known = self.before.literal_of(lit);
        if known.is_constant() {
            return known;
        }
        let number = *self.of.entry(known.var()).or_insert_with(|| {
            self.vars.push(known.var());
            self.vars.len() as u32 - 1
        });
        Lit::new(Var(self.atoms + number), !known.is_false_sign())
    }

    /// The literals of a body but those that hold anyway. `None` if one never holds.
    fn body(&mut self, lits: &[Lit]) -> Option<Vec<Lit>> {
        let lits = lits.iter().map(|&lit| self.of(lit)).filter(|&lit| lit != Lit::TRUE);
        let lits: Vec<Lit> = lits.collect();
        (!lits.contains(&Lit::FALSE)).then_some(lits)
    }
}

impl New {
    fn of(before: &Prepared, program: &Program, growth: &Growth) -> New {
        let Range { start: from, end: to } = growth.sizes;
        let atoms = to.atoms - from.atoms;
        let mut inputs = Inputs { before, first: from.atoms, atoms, of: HashMap::new(), vars: Vec::new() };
        let mut new = Program { atoms, body_start: vec![0], ..Program::default() };
        for r in (from.rules..to.rules).map(RuleId::new) {
            if let Some(body) = inputs.body(program.body(r)) {
                let head = match program.head(r) {
                    Head::Constraint => Head::Constraint,
                    Head::Atom(p) => Head::Atom(Var(p.0 - from.atoms)),
                    Head::Choice(p) => Head::Choice(Var(p.0 - from.atoms)),
                };
                new.push(head, &body);
            }
        }
        for rule in &program.disjunctions[from.disjunctions..to.disjunctions] {
            if let Some(body) = inputs.body(program.body_lits_of(rule.body)) {
                let heads = rule.heads.iter().map(|p| Var(p.0 - from.atoms)).collect();
                new.push_disjunction(heads, &body);
            }
        }
        for sum in &program.sums[from.sums..to.sums] {
            let mut bound = sum.bound;
            let mut lits: Vec<(Lit, i64)> = Vec::with_capacity(sum.lits.len());
            for &(lit, weight) in &sum.lits {
                match inputs.of(lit) {
                    Lit::TRUE => bound = bound.saturating_sub(weight),
                    Lit::FALSE => {}
                    lit => lits.push((lit, weight)),
                }
            }
            let atom = Var(sum.atom.0 - from.atoms);
            new.sums.push(yasmin_ground::program::Sum { atom, bound, lits });
        }
        let externals = growth.externals.iter().map(|p| Var(p.0 - from.atoms));
        externals.for_each(|atom| new.push(Head::Choice(atom), &[]));
        let vars = inputs.vars;
        for input in 0..vars.len() as u32 {
            new.push(Head::Choice(Var(atoms + input)), &[]);
        }
        new.atoms += vars.len() as u32;
        New { program: new, atoms, inputs: vars }
    }
}

/// Joins what is new to what there was.
fn join(before: &Prepared, added: Prepared, new: &New, growth: &Growth) -> Prepared {
    let (of_inputs, equal) = inputs_of(&added, new);
    let is_new = |var: &u32| of_inputs[*var as usize].is_none();
    let atoms = (0..added.atom_vars).filter(is_new).count() as u32;
    let shift = Shift { kept: before.atom_vars, by: atoms };
    let (mut next_atom, mut next_other) = (before.atom_vars, before.vars + atoms);
    let of: Vec<Lit> = of_inputs
        .iter()
        .enumerate()
        .map(|(var, input)| match *input {
            Some(input) => shift.of(input),
            None => {
                let next = if (var as u32) < added.atom_vars { &mut next_atom } else { &mut next_other };
                *next += 1;
                Lit::t(Var(*next - 1))
            }
        })
        .collect();
    let joined = |lit: Lit| match lit.is_constant() {
        true => lit,
        false if lit.is_false_sign() => !of[lit.var().0 as usize],
        false => of[lit.var().0 as usize],
    };
    let vars = next_other;

    let mut nogoods = Collector::new(true);
    let mut row = Vec::new();
    for id in added.nogoods.ids() {
        row.clear();
        row.extend(added.nogoods.nogood(id).iter().map(|&lit| joined(lit)));
        nogoods.push(&row);
    }
    for (input, same) in equal {
        match joined(same) {
            Lit::TRUE => nogoods.push(&[!shift.of(input)]),
            Lit::FALSE => nogoods.push(&[shift.of(input)]),
            same => {
                nogoods.push(&[shift.of(input), !same]);
                nogoods.push(&[!shift.of(input), same]);
            }
        }
    }
    let mut is_contradictory = false;
    for &atom in &growth.released {
        match before.literal_of(Lit::t(atom)) {
            Lit::TRUE => is_contradictory = true,
            Lit::FALSE => {}
            lit => nogoods.push(&[shift.of(lit)]),
        }
    }
    if is_contradictory {
        return Prepared::unsatisfiable();
    }

    let atoms_before = before.atom_lit.iter().map(|&lit| shift.of(lit));
    let new_atoms = added.atom_lit[..new.atoms as usize].iter().map(|&lit| joined(lit));
    let atom_lit = Arc::new(atoms_before.chain(new_atoms).collect());
    let first = growth.sizes.start.atoms;
    let mut fixed_atoms = before.fixed_atoms.clone();
    let of_new = added.fixed_atoms.iter().filter(|(atom, _)| atom.0 < new.atoms);
    fixed_atoms.extend(of_new.map(|&(atom, var)| (Var(first + atom.0), of[var.0 as usize].var())));
    let mut bodies = before.bodies.clone();
    bodies.renumber(|lit| Some(shift.of(lit)));
    let mut sums = before.sums.clone();
    renumber(&mut sums, |lit| shift.of(lit));
    sums.append(&added.sums, joined);
    let atom_vars = next_atom;
    let foundedness = match (before.foundedness.clone(), added.foundedness) {
        (None, None) => None,
        (first, second) => {
            let mut all = first.unwrap_or_default();
            all.append(second.unwrap_or_default(), atom_vars, |lit| shift.of(lit), joined);
            Some(all)
        }
    };
    Prepared {
        atom_lit,
        fixed_atoms,
        vars,
        atom_vars,
        nogoods: Arc::new(NogoodStore::joined(
            &before.nogoods,
            |lit| shift.of(lit),
            &nogoods.finish(vars),
            vars,
        )),
        sums,
        foundedness,
        report: Report {
            bodies_after: before.report.bodies_after + added.report.bodies_after,
            components: before.report.components + added.report.components,
            ..Report::default()
        },
        preprocessed: both(before.preprocessed, added.preprocessed),
        meaning: before.meaning.clone(),
        bodies,
        ..Prepared::default()
    }
}

/// For each variable of the new program's translation the literal before that it is, if it is an input; and
/// inputs with literals of the new program's translation that they are equal to.
fn inputs_of(added: &Prepared, new: &New) -> (Vec<Option<Lit>>, Vec<(Lit, Lit)>) {
    let mut of: Vec<Option<Lit>> = vec![None; added.vars as usize];
    let mut equal = Vec::new();
    let is_on_loop = |var: Var| {
        let component = added.foundedness.as_ref().and_then(|check| check.component.get(var.0 as usize));
        component.is_some_and(|&component| component != NO_LOOP)
    };
    let fixed: HashMap<Var, Var> = added.fixed_atoms.iter().copied().collect();
    for (atom, &input) in (new.atoms..).map(Var).zip(&new.inputs) {
        let (input, lit) = (Lit::t(input), added.literal_of(Lit::t(atom)));
        // An input with a value may have a variable nevertheless.
        let own = if lit.is_constant() { fixed.get(&atom).map(|&var| Lit::t(var)) } else { Some(lit) };
        match own {
            Some(own) if of[own.var().0 as usize].is_none() && !is_on_loop(own.var()) => {
                of[own.var().0 as usize] = Some(input.signed_as(own));
                if lit.is_constant() {
                    equal.push((input, lit));
                }
            }
            _ => equal.push((input, lit)),
        }
    }
    (of, equal)
}

/// Gives the literals of sums other numbers.
fn renumber(sums: &mut SumStore, number: impl Fn(Lit) -> Lit) {
    sums.lits.iter_mut().chain(&mut sums.condition).for_each(|lit| *lit = number(*lit));
}

/// The counts and times of both translations.
fn both(first: Preprocessed, second: Preprocessed) -> Preprocessed {
    Preprocessed {
        symmetries: first.symmetries,
        symmetry_nogoods: first.symmetry_nogoods,
        failed_literals: first.failed_literals + second.failed_literals,
        equivalent_variables: first.equivalent_variables + second.equivalent_variables,
        subsumed_nogoods: first.subsumed_nogoods + second.subsumed_nogoods,
        strengthened_nogoods: first.strengthened_nogoods + second.strengthened_nogoods,
        eliminated_variables: first.eliminated_variables + second.eliminated_variables,
        symmetry_seconds: first.symmetry_seconds,
        failed_seconds: second.failed_seconds,
        equivalent_seconds: second.equivalent_seconds,
        subsumed_seconds: second.subsumed_seconds,
        eliminate_seconds: second.eliminate_seconds,
        rebuild_seconds: second.rebuild_seconds,
    }
}

impl Foundedness {
    /// Adds the rules of other loops. `old` and `new` give the literals of both their numbers, and of
    /// `atom_vars` variables each may be an atom on a loop.
    fn append(
        &mut self,
        more: Foundedness,
        atom_vars: u32,
        old: impl Fn(Lit) -> Lit,
        new: impl Fn(Lit) -> Lit,
    ) {
        let var = |number: &dyn Fn(Lit) -> Lit, var: u32| number(Lit::t(Var(var))).var().0;
        let count = self.atoms.iter().map(|&p| self.component[p as usize] + 1).max().unwrap_or(0);
        self.component.resize(atom_vars as usize, NO_LOOP);
        for &p in &more.atoms {
            self.component[var(&new, p) as usize] = count + more.component[p as usize];
        }
        self.body.iter_mut().for_each(|lit| *lit = old(*lit));
        for sum in &mut self.sums {
            sum.lits.iter_mut().for_each(|(lit, _)| *lit = old(*lit));
        }
        self.atoms.extend(more.atoms.iter().map(|&p| var(&new, p)));
        self.head.extend(more.head.iter().map(|&p| var(&new, p)));
        self.body.extend(more.body.iter().map(|&lit| new(lit)));
        if self.positive.start.is_empty() {
            self.positive.start.push(0);
        }
        let items = self.positive.items.len() as u32;
        self.positive.items.extend(more.positive.items.iter().map(|&p| var(&new, p)));
        self.positive.start.extend(more.positive.start.iter().skip(1).map(|at| items + at));
        self.index(atom_vars);
        self.sums.extend(more.sums.into_iter().map(|mut sum| {
            sum.atom = var(&new, sum.atom);
            sum.lits.iter_mut().for_each(|(lit, _)| *lit = new(*lit));
            sum
        }));
    }
}
