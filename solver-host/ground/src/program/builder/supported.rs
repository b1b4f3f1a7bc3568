//! Makes a program whose answer sets are the supported models of the program that was read.
//!
//! Main function: [`ProgramBuilder::build_supported`]. In a supported model each true atom has a rule whose
//! body holds, and whose other heads are false (Apt, Blair and Walker 1988). The positive literal `q` of a
//! rule's body becomes `not n`, with an atom `n` of its own and the rule `n :- not q`. Then no atom is
//! founded by another atom, so that an atom with a support is founded as well, and every supported model is
//! an answer set.
//!
//! Invariant: a rule whose body contains a head of the rule stays as it is. Such a rule supports nothing, as
//! for clasp.

use std::collections::{HashMap, HashSet};
use std::mem::take;

use solver_gpu::{Lit, Var};

use super::{BuildError, ProgramBuilder};
use crate::ids::BodyId;
use crate::program::data::{Disjunction, Program};

impl ProgramBuilder {
    /// Settles externals, translates the graph and returns the program whose answer sets are the supported
    /// models.
    ///
    /// # Errors
    /// As [`Self::build`].
    pub fn build_supported(mut self) -> Result<Program, BuildError> {
        self.settle_externals()?;
        self.let_loops_support()?;
        self.finish()
    }

    fn let_loops_support(&mut self) -> Result<(), BuildError> {
        let old = self.program.clone();
        // A graph has no cycle because its atoms have to be founded.
        let of_graph = self.edges.iter().flatten().chain(self.nodes.values().map(|(node, _)| node));
        let mut kept: HashSet<Var> = of_graph.copied().collect();
        // What a weight constraint counts is replaced below.
        kept.extend(old.sums.iter().map(|sum| sum.atom));
        let mut cut = Cut { kept, opposites: HashMap::new() };

        let program = &mut self.program;
        (program.body_start, program.body_lits) = (vec![0], Vec::new());
        (program.heads, program.body_of) = (Vec::new(), Vec::new());
        let disjunctions = take(&mut program.disjunctions);
        let mut bodies: HashMap<(BodyId, bool), BodyId> = HashMap::new();
        let mut body_of = |builder: &mut Self, body: BodyId, heads: &[Var]| {
            let lits = old.body_lits_of(body);
            let is_about_itself = heads.iter().any(|&head| lits.contains(&Lit::t(head)));
            let is_cut =
                !heads.is_empty() && !is_about_itself && !heads.iter().any(|head| cut.kept.contains(head));
            if let Some(&known) = bodies.get(&(body, is_cut)) {
                return Ok(known);
            }
            let of = |lit: &Lit| if is_cut { cut.opposite(&mut builder.program, *lit) } else { *lit };
            let lits: Vec<Lit> = lits.iter().map(of).collect();
            let made = builder.body(&lits)?;
            bodies.insert((body, is_cut), made);
            Ok(made)
        };
        for r in old.rule_ids() {
            let heads: Vec<Var> = old.head(r).atom().into_iter().collect();
            let body = body_of(self, old.body_of[r.index()], &heads)?;
            self.add(old.head(r), body)?;
        }
        for Disjunction { heads, body } in disjunctions {
            let body = body_of(self, body, &heads)?;
            self.program.disjunctions.push(Disjunction { heads, body });
        }
        for sum in 0..self.program.sums.len() {
            let mut lits = take(&mut self.program.sums[sum].lits);
            lits.iter_mut().for_each(|(lit, _)| *lit = cut.opposite(&mut self.program, *lit));
            self.program.sums[sum].lits = lits;
        }
        let mut opposites: Vec<(Var, Var)> = cut.opposites.into_iter().collect();
        opposites.sort_unstable();
        opposites
            .into_iter()
            .try_for_each(|(atom, opposite)| self.added_rule(Some(opposite), &[Lit::f(atom)]))
    }
}

/// The atoms whose positive literals are replaced.
struct Cut {
    /// Atoms whose literals, and whose rules, stay as they are.
    kept: HashSet<Var>,
    /// For each atom that occurs in a positive literal the atom that holds if the other one does not.
    opposites: HashMap<Var, Var>,
}

impl Cut {
    /// A literal that holds if `lit` does, and needs no foundation.
    fn opposite(&mut self, program: &mut Program, lit: Lit) -> Lit {
        if lit.is_false_sign() || self.kept.contains(&lit.var()) {
            return lit;
        }
        Lit::f(*self.opposites.entry(lit.var()).or_insert_with(|| program.hidden()))
    }
}
