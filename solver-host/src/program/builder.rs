//! Builds a program rule by rule.
//!
//! Main type: [`ProgramBuilder`]. It numbers atoms densely, settles externals and translates the edges of a
//! graph that must have no cycle.

use std::collections::{BTreeMap, HashMap};

use solver_gpu::{Lit, Var};

use super::data::{Disjunction, Head, Heuristic, Minimize, Output, Program, Sum};
use crate::ids::BodyId;

/// What is said of an external atom (`#external a. [v]`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum External {
    /// May be true or false.
    Free,
    /// Is true.
    True,
    /// Is false.
    False,
    /// Is no external any more: false.
    Release,
}

/// A program has more literals than can be indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the program has more than 2^32 body literals or rules")]
pub struct TooManyLiterals;

/// Builds a [`Program`] from rules over atoms with numbers of any size.
///
/// ```
/// # use solver_host::program::ProgramBuilder;
/// # use solver_gpu::Lit;
/// let mut program = ProgramBuilder::default();
/// let (p, q) = (program.atom(1), program.atom(1000));
/// program.rule(Some(p), &[Lit::f(q)])?;
/// let program = program.build()?;
/// assert_eq!((program.atoms, program.rules()), (2, 1));
/// # Ok::<(), solver_host::program::TooManyLiterals>(())
/// ```
#[derive(Debug)]
pub struct ProgramBuilder {
    program: Program,
    /// Dense number of each small atom, plus 1; 0: not named yet.
    small: Vec<u32>,
    /// Dense numbers of the others.
    large: HashMap<u64, u32>,
    /// How often an atom was named: atoms below this, and a few more, are small. So `small` takes memory in
    /// proportion to what was read, and a huge atom none.
    named: u64,
    /// What was last said of each external atom.
    externals: BTreeMap<u32, External>,
    /// The atom that says of a node of the graph that no cycle can be reached from it, and its edges: the
    /// atom that says so of an edge.
    nodes: BTreeMap<i64, (Var, Vec<Var>)>,
}

impl Default for ProgramBuilder {
    fn default() -> Self {
        ProgramBuilder {
            program: Program { body_start: vec![0], ..Program::default() },
            small: Vec::new(),
            large: HashMap::new(),
            named: 1 << 12,
            externals: BTreeMap::new(),
            nodes: BTreeMap::new(),
        }
    }
}

impl ProgramBuilder {
    /// The dense number of an atom, which is new if it was not named before.
    pub fn atom(&mut self, number: u64) -> Var {
        self.named += 1;
        match self.small.get(number as usize) {
            Some(&known) if known > 0 => Var(known - 1),
            _ => self.large_or_new(number),
        }
    }

    /// The dense number of an atom that was named before.
    pub fn known(&self, number: u64) -> Option<Var> {
        match self.small.get(number as usize) {
            Some(&known) if known > 0 => Some(Var(known - 1)),
            _ => self.large.get(&number).map(|&dense| Var(dense)),
        }
    }

    /// An atom that is large or new. A large one moves to the small ones as soon as it counts as one.
    #[cold]
    fn large_or_new(&mut self, number: u64) -> Var {
        let small = number < self.named;
        let known = match small {
            _ if self.large.is_empty() => None,
            true => self.large.remove(&number),
            false => self.large.get(&number).copied(),
        };
        let dense = known.unwrap_or(self.program.atoms);
        self.program.atoms += known.is_none() as u32;
        if small {
            if number as usize >= self.small.len() {
                self.small.resize(number as usize + 1, 0);
            }
            self.small[number as usize] = dense + 1;
        } else if known.is_none() {
            self.large.insert(number, dense);
        }
        Var(dense)
    }

    /// An atom that the input does not name.
    pub fn hidden(&mut self) -> Var {
        self.program.hidden()
    }

    /// Adds a rule; without a head, a constraint.
    ///
    /// # Errors
    /// If there are too many literals to index.
    pub fn rule(&mut self, head: Option<Var>, body: &[Lit]) -> Result<(), TooManyLiterals> {
        let body = self.body(body)?;
        self.add(head.map_or(Head::Constraint, Head::Atom), body)
    }

    /// Adds a choice rule: each of the heads may hold if the body does.
    ///
    /// # Errors
    /// As [`Self::rule`].
    pub fn choice(&mut self, heads: &[Var], body: &[Lit]) -> Result<(), TooManyLiterals> {
        let body = self.body(body)?;
        heads.iter().try_for_each(|&p| self.add(Head::Choice(p), body))
    }

    /// Adds a disjunctive rule; with one head it is a rule like others, without any a constraint.
    ///
    /// # Errors
    /// As [`Self::rule`].
    pub fn disjunction(&mut self, heads: &[Var], body: &[Lit]) -> Result<(), TooManyLiterals> {
        match heads {
            [] => self.rule(None, body),
            [head] => self.rule(Some(*head), body),
            _ => {
                let body = self.body(body)?;
                self.program.disjunctions.push(Disjunction { heads: heads.to_vec(), body });
                Ok(())
            }
        }
    }

    /// Adds a weight constraint; returns the atom that stands for it.
    pub fn sum(&mut self, bound: i64, lits: Vec<(Lit, u32)>) -> Var {
        let atom = self.hidden();
        self.program.sums.push(Sum { atom, bound, lits });
        atom
    }

    /// Adds to what is minimized at a priority.
    pub fn minimize(&mut self, priority: i32, lits: &[(Lit, i32)]) {
        let levels = &mut self.program.minimize;
        let at = levels.partition_point(|level| level.priority > priority);
        if levels.get(at).is_none_or(|level| level.priority != priority) {
            levels.insert(at, Minimize { priority, lits: Vec::new() });
        }
        levels[at].lits.extend_from_slice(lits);
    }

    /// Adds atoms to project on; none says to project on nothing.
    pub fn project(&mut self, atoms: &[Var]) {
        self.program.projection.get_or_insert_default().extend_from_slice(atoms);
    }

    /// Says that `atom` is external. What was said last counts, but a released atom stays so; and nothing
    /// counts if a rule has the atom in its head.
    pub fn external(&mut self, atom: Var, value: External) {
        let known = self.externals.entry(atom.0).or_insert(value);
        if *known != External::Release {
            *known = value;
        }
    }

    /// Demands that a literal holds.
    ///
    /// # Errors
    /// As [`Self::rule`].
    pub fn assume(&mut self, lit: Lit) -> Result<(), TooManyLiterals> {
        self.rule(None, &[!lit])
    }

    /// Adds a heuristic directive.
    pub fn heuristic(&mut self, heuristic: Heuristic) {
        self.program.heuristics.push(heuristic);
    }

    /// Adds an edge between two nodes of a graph, which is there if the condition holds. The graph must have
    /// no cycle.
    ///
    /// A node's atom says that no cycle can be reached from it: all its edges are absent, or lead to such
    /// nodes. On a cycle these atoms are unfounded, so that requiring all of them says that there is none.
    ///
    /// # Errors
    /// As [`Self::rule`].
    pub fn edge(&mut self, from: i64, to: i64, condition: &[Lit]) -> Result<(), TooManyLiterals> {
        let [edge, target, present] = [self.hidden(), self.node(to), self.hidden()];
        self.node(from);
        self.nodes.get_mut(&from).expect("just made").1.push(edge);
        self.rule(Some(present), condition)?;
        self.rule(Some(edge), &[Lit::f(present)])?;
        self.rule(Some(edge), &[Lit::t(target)])
    }

    fn node(&mut self, node: i64) -> Var {
        if let Some((atom, _)) = self.nodes.get(&node) {
            return *atom;
        }
        let atom = self.hidden();
        self.nodes.insert(node, (atom, Vec::new()));
        atom
    }

    /// The number of a new body.
    fn body(&mut self, body: &[Lit]) -> Result<BodyId, TooManyLiterals> {
        let p = &mut self.program;
        p.body_lits.extend_from_slice(body);
        let end = u32::try_from(p.body_lits.len()).map_err(|_| TooManyLiterals)?;
        p.body_start.push(end);
        u32::try_from(p.body_start.len() - 2).map(BodyId).map_err(|_| TooManyLiterals)
    }

    fn add(&mut self, head: Head, body: BodyId) -> Result<(), TooManyLiterals> {
        let p = &mut self.program;
        if p.heads.len() >= u32::MAX as usize {
            return Err(TooManyLiterals);
        }
        p.heads.push(head);
        p.body_of.push(body);
        Ok(())
    }

    /// Says that `atoms` are false in every answer set: a rule `a :- B` of such an atom becomes `:- B`. Then
    /// `a` has no rule, and is false without a constraint of its own.
    ///
    /// Everything that is said of `atoms` comes before this, externals too: these are settled first, as one
    /// with a rule counts for nothing, and its rule is gone afterwards. An external that is free is then
    /// false, and one that is true contradicts.
    ///
    /// # Errors
    /// As [`Self::rule`].
    pub fn forbid(&mut self, atoms: &[Var]) -> Result<(), TooManyLiterals> {
        self.settle_externals()?;
        let mut forbidden = vec![false; self.program.atoms as usize];
        atoms.iter().for_each(|a| forbidden[a.0 as usize] = true);
        let p = &mut self.program;
        let mut kept = 0;
        for r in 0..p.heads.len() {
            let head = match p.heads[r] {
                Head::Choice(a) if forbidden[a.0 as usize] => continue,
                Head::Atom(a) if forbidden[a.0 as usize] => Head::Constraint,
                head => head,
            };
            (p.heads[kept], p.body_of[kept]) = (head, p.body_of[r]);
            kept += 1;
        }
        p.heads.truncate(kept);
        p.body_of.truncate(kept);
        for mut rule in std::mem::take(&mut p.disjunctions) {
            rule.heads.retain(|a| !forbidden[a.0 as usize]);
            match rule.heads[..] {
                [] => self.add(Head::Constraint, rule.body)?,
                [head] => self.add(Head::Atom(head), rule.body)?,
                _ => self.program.disjunctions.push(rule),
            }
        }
        Ok(())
    }

    /// Adds something to print.
    pub fn output(&mut self, output: Output) {
        self.program.outputs.push(output);
    }

    /// The program.
    ///
    /// # Errors
    /// As [`Self::rule`].
    pub fn build(mut self) -> Result<Program, TooManyLiterals> {
        self.settle_externals()?;
        for (_, (atom, edges)) in std::mem::take(&mut self.nodes) {
            let body: Vec<Lit> = edges.into_iter().map(Lit::t).collect();
            self.rule(Some(atom), &body)?;
            self.assume(Lit::t(atom))?;
        }
        Ok(self.program)
    }

    fn settle_externals(&mut self) -> Result<(), TooManyLiterals> {
        let p = &self.program;
        let heads = p.heads.iter().filter_map(|head| head.atom());
        for defined in heads.chain(p.disjunctions.iter().flat_map(|rule| rule.heads.iter().copied())) {
            if self.externals.is_empty() {
                break;
            }
            self.externals.remove(&defined.0);
        }
        for (atom, value) in std::mem::take(&mut self.externals) {
            match value {
                External::Free => self.choice(&[Var(atom)], &[])?,
                External::True => self.rule(Some(Var(atom)), &[])?,
                External::False | External::Release => {}
            }
        }
        Ok(())
    }
}
