//! Whether a set of atoms is an answer set, by the definition.
//!
//! Main type: [`Definition`]. A set is an answer set if every rule is satisfied, and no smaller set satisfies the
//! reduct ([`Minimality`]). There are integers for which its difference constraints hold.

use crate::components::Components;
use crate::minimal::Minimality;
use crate::program::Program;
use crate::propagate::Engine;
use crate::trusted::differences::Difference;
use crate::trusted::lit::{Lit, Var};
use crate::trusted::Values;

/// The definition of an answer set, and the set of atoms that is looked at.
#[derive(Debug)]
pub struct Definition {
    minimality: Minimality,
    /// For each variable whether the set has it. Those of edges are left out.
    is_told: Vec<bool>,
}

impl Definition {
    /// The answer sets of a program with these components.
    pub fn new(program: &Program, components: &Components) -> Definition {
        Definition {
            minimality: Minimality::new(program, components),
            is_told: vec![false; program.variables as usize],
        }
    }

    /// Looks at a set of atoms from here on.
    pub fn tell(&mut self, atoms: &[Var]) {
        self.is_told.fill(false);
        atoms.iter().for_each(|atom| self.is_told[atom.index()] = true);
    }

    /// Whether a literal over atoms holds in the set.
    pub fn is_told(&self, lit: Lit) -> bool {
        self.is_told[lit.var().index()] == lit.is_positive()
    }

    /// The names that are shown.
    pub fn shown<'a>(&'a self, program: &'a Program) -> impl Iterator<Item = &'a str> {
        let outputs = program.outputs.iter().filter(|output| output.is_shown());
        let held = outputs.filter(|output| output.condition.iter().all(|&lit| self.is_told(lit)));
        held.map(|output| &output.name[..])
    }

    /// Assumes the set and propagates, so that all variables have a value. Literals of `first` are assumed one after
    /// the other; returns those that did not follow from the ones before. (No other set that is looked for has
    /// all of these: what follows from them holds in each.)
    pub fn assume(&self, program: &Program, engine: &mut Engine, first: &[Lit]) -> Result<Vec<Lit>, String> {
        let all = program.atoms.iter().map(|&(var, _)| Lit::new(var, self.is_told[var.index()]));
        let mut decisions = Vec::new();
        for &lit in first {
            if engine.values().is_open(lit) {
                decisions.push(lit);
                let _ = engine.assume(lit);
                engine.propagate().map_err(|_| "propagation finds a conflict")?;
            }
        }
        for lit in all {
            if engine.assume(lit).is_err() {
                let (number, value) = (program.number(lit.var()), !lit.is_positive());
                return Err(format!("the atom {number} must be {value}"));
            }
        }
        engine.propagate().map_err(|_| "propagation finds a conflict")?;
        Ok(decisions)
    }

    /// Checks the rules and the foundation of the set.
    pub fn check(&self, program: &Program, bodies: &[Lit], values: &Values) -> Result<(), String> {
        if values.trail().len() < values.variables() {
            return Err("not all variables have a value".into());
        }
        let is_true = |var: Var| values.is_true(Lit::new(var, true));
        let mut is_supported = vec![false; program.variables as usize];
        for (rule, &body) in program.rules.iter().zip(bodies) {
            let holds = rule.body.holds(|lit| values.is_true(lit));
            if holds != values.is_true(body) {
                return Err("a body has another value than its definition".into());
            }
            if !holds {
                continue;
            }
            let mut held = rule.heads.iter().copied().filter(|&head| is_true(head));
            if rule.is_choice {
                held.for_each(|head| is_supported[head.index()] = true);
                continue;
            }
            match (held.next(), held.next()) {
                (None, _) => return Err("a rule is not satisfied".into()),
                (Some(only), None) => is_supported[only.index()] = true,
                _ => {}
            }
        }
        for var in (1..program.variables).map(Var) {
            if is_true(var) && !is_supported[var.index()] {
                return Err(format!("the atom {} has no support", program.number(var)));
            }
        }
        match self.minimality.removable(program, values) {
            Some(var) => Err(format!("the atom {} is unfounded", program.number(var))),
            None if can_hold(&program.differences, values) => Ok(()),
            None => Err("the difference constraints exclude each other".into()),
        }
    }
}

/// Whether all constraints hold whose literals do, for some integers: whether the least ones that are not
/// negative are found (Bellman and Ford), which rise no more often than there are variables.
fn can_hold(differences: &[Difference], values: &Values) -> bool {
    let variables = differences.iter().map(|edge| edge.from.max(edge.to) as usize + 1).max().unwrap_or(0);
    let mut least = vec![0_i128; variables];
    (0..=variables).any(|_| {
        let mut is_quiet = true;
        for edge in differences.iter().filter(|edge| values.is_true(edge.lit)) {
            let demanded = least[edge.from as usize] - i128::from(edge.most);
            if least[edge.to as usize] < demanded {
                (least[edge.to as usize], is_quiet) = (demanded, false);
            }
        }
        is_quiet
    })
}
