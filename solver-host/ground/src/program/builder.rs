//! Builds a program rule by rule.
//!
//! Main type: [`ProgramBuilder`]. The builder numbers atoms densely, settles externals and translates the
//! edges of a graph that must have no cycle.

mod defined;
mod minimized;
mod steps;
mod supported;
mod theory;
pub mod wide;

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::mem::take;
use std::sync::Arc;

use solver_gpu::{Lit, Var};

use super::data::{Disjunction, Head, Heuristic, Minimize, Output, Program, Size, Statements, Sum};
use crate::ids::{BodyId, RuleId};

/// The value that the program gives to an external atom (`#external a. [v]`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum External {
    /// The atom may be true or false.
    Free,
    /// The atom is true.
    True,
    /// The atom is false.
    False,
    /// The atom is no longer external, and is false if no rule derives it.
    Release,
}

/// The most that weights without their signs may add up to. The device compares counters of 64 bits, which
/// are from 0 to that number, with limits from -1 on, and the difference has to fit 64 bits as well.
pub const MOST_WEIGHT: i64 = i64::MAX - 1;

/// The most that weights of more than 64 bits may add up to without their signs.
pub const MOST_WIDE: i128 = 1 << 90;

/// A program is larger than can be solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// It has more literals than can be indexed.
    #[error("the program has more than 2^32 body literals or rules")]
    Literals,
    /// The weights of a sum, or those of one priority without their signs, add up to more than
    /// [`MOST_WEIGHT`].
    #[error("the weights add up to more than {MOST_WEIGHT}, which is 2^63 - 2")]
    Weights,
    /// The same for weights of more than 64 bits, and [`MOST_WIDE`].
    #[error("the weights add up to more than {}, which is 2^90", MOST_WIDE)]
    WideWeights,
}

/// Builds a [`Program`] from rules over atoms with numbers of any size.
///
/// ```
/// # use yasmin_ground::program::ProgramBuilder;
/// # use solver_gpu::Lit;
/// let mut program = ProgramBuilder::default();
/// let (p, q) = (program.atom(1), program.atom(1000));
/// program.rule(Some(p), &[Lit::f(q)])?;
/// let program = program.build()?;
/// assert_eq!((program.atoms, program.rules()), (2, 1));
/// # Ok::<(), yasmin_ground::program::BuildError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ProgramBuilder {
    program: Program,
    /// The dense number of each small atom, plus 1, or 0 for an atom that was not named yet.
    small: Vec<u32>,
    /// The dense numbers of large atoms.
    large: HashMap<u64, u32>,
    /// An upper bound of small atoms: a fixed number, plus 1 for each time that an atom was named. The memory
    /// of `small` is therefore in proportion to what was read, and one huge atom takes none of it.
    named: u64,
    /// The last value that the program gave to each external atom that was not released.
    externals: BTreeMap<u32, External>,
    /// The external atoms that were released.
    released: HashSet<u32>,
    /// The external atoms that a rule defines, among the first atoms and rules (see `settled`).
    defined: HashSet<u32>,
    /// How large the program was when `defined` was last brought up to date.
    settled: Size,
    /// For each node of the graph the atom that says that no cycle can be reached from the node, and for each
    /// edge of the node the atom that says so of the edge.
    nodes: BTreeMap<i64, (Var, Vec<Var>)>,
    /// For each edge the atom that says that the edge is present, and the atom that says that no cycle is
    /// reached over the edge.
    edges: Vec<[Var; 2]>,
    /// For each priority, highest first, where the program has what is minimized, and what the weights add up
    /// to without their signs.
    minimized: BTreeMap<Reverse<i32>, (usize, i64)>,
    /// The program, while it is lent. `program` is empty meanwhile.
    lent: Option<Lent>,
}

/// A program that is lent, with what [`ProgramBuilder::lend`] has added at its end.
#[derive(Clone, Debug)]
struct Lent {
    program: Arc<Program>,
    /// How large the program is without what was added.
    size: Size,
    /// How many bodies, literals of bodies and numbers of atoms it has without what was added.
    bodies: usize,
    body_lits: usize,
    numbers: usize,
}

impl Default for ProgramBuilder {
    fn default() -> Self {
        ProgramBuilder {
            program: Program { body_start: vec![0], ..Program::default() },
            small: Vec::new(),
            large: HashMap::new(),
            named: 1 << 12,
            externals: BTreeMap::new(),
            released: HashSet::new(),
            defined: HashSet::new(),
            settled: Size::default(),
            nodes: BTreeMap::new(),
            edges: Vec::new(),
            minimized: BTreeMap::new(),
            lent: None,
        }
    }
}

/// The external atoms that may be true or false, in order, with their values.
pub type Open = Vec<(Var, External)>;

/// What weights without their signs add up to, and `before`.
fn total(before: i64, lits: &[(Lit, i64)]) -> Result<i64, BuildError> {
    let all = lits.iter().try_fold(before, |all, (_, weight)| all.checked_add(weight.checked_abs()?));
    all.filter(|&all| all <= MOST_WEIGHT).ok_or(BuildError::Weights)
}

impl ProgramBuilder {
    /// The dense number of an atom. An atom that was not named before gets a new one.
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

    /// The dense number of an atom that is large or new. A large atom moves to the small ones once it is
    /// below the bound.
    #[cold]
    fn large_or_new(&mut self, number: u64) -> Var {
        let small = number < self.named;
        let known = match small {
            _ if self.large.is_empty() => None,
            true => self.large.remove(&number),
            false => self.large.get(&number).copied(),
        };
        let dense = known.unwrap_or(self.program.atoms);
        if known.is_none() {
            self.program.atoms += 1;
            self.program.statements.atoms += 1;
            self.program.numbers.resize(dense as usize, 0);
            // The readers refuse numbers of more than 31 bits.
            self.program.numbers.push(number as u32);
            self.program.largest_number = self.program.largest_number.max(number as u32);
        }
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

    /// Adds an atom that the input does not name.
    pub fn hidden(&mut self) -> Var {
        self.program.hidden()
    }

    /// Adds a rule. A rule without a head is a constraint.
    ///
    /// # Errors
    /// If there are too many literals to index.
    pub fn rule(&mut self, head: Option<Var>, body: &[Lit]) -> Result<(), BuildError> {
        self.program.statements.rules += 1;
        self.added_rule(head, body)
    }

    /// Adds a rule that was not read.
    fn added_rule(&mut self, head: Option<Var>, body: &[Lit]) -> Result<(), BuildError> {
        let body = self.body(body)?;
        self.add(head.map_or(Head::Constraint, Head::Atom), body)
    }

    /// Adds a choice rule: each of the heads may hold if the body holds.
    ///
    /// # Errors
    /// As [`Self::rule`].
    pub fn choice(&mut self, heads: &[Var], body: &[Lit]) -> Result<(), BuildError> {
        self.program.statements.rules += 1;
        self.program.statements.choices += 1;
        self.added_choice(heads, body)
    }

    /// Adds a choice rule that was not read.
    fn added_choice(&mut self, heads: &[Var], body: &[Lit]) -> Result<(), BuildError> {
        let body = self.body(body)?;
        heads.iter().try_for_each(|&p| self.add(Head::Choice(p), body))
    }

    /// Adds a disjunctive rule. With one head it is an ordinary rule, without heads a constraint.
    ///
    /// # Errors
    /// As [`Self::rule`].
    pub fn disjunction(&mut self, heads: &[Var], body: &[Lit]) -> Result<(), BuildError> {
        match heads {
            [] => self.rule(None, body),
            [head] => self.rule(Some(*head), body),
            _ => {
                self.program.statements.rules += 1;
                self.program.statements.disjunctions += 1;
                let body = self.body(body)?;
                self.program.disjunctions.push(Disjunction { heads: heads.to_vec(), body });
                Ok(())
            }
        }
    }

    /// Adds a weight constraint and returns the atom that stands for it. No weight is negative.
    ///
    /// # Errors
    /// If the weights add up to more than [`MOST_WEIGHT`].
    pub fn sum(&mut self, bound: i64, lits: Vec<(Lit, i64)>) -> Result<Var, BuildError> {
        total(0, &lits)?;
        let atom = self.hidden();
        self.program.sums.push(Sum { atom, bound, lits });
        Ok(atom)
    }

    /// Forgets the projection statement.
    pub fn remove_projection(&mut self) {
        self.program.projection = None;
    }

    /// How much was read or added.
    pub fn statements(&self) -> Statements {
        self.present().statements
    }

    /// Adds atoms to project on. An empty list makes the program project on nothing.
    pub fn project(&mut self, atoms: &[Var]) {
        self.program.projection.get_or_insert_default().extend_from_slice(atoms);
    }

    /// Gives an external atom a value. The last value counts, but a released atom stays released. If a rule
    /// defines the atom (`defined.rs`), the value has no effect.
    pub fn external(&mut self, atom: Var, value: External) {
        if self.released.contains(&atom.0) {
            return;
        }
        let known = match value {
            External::Release => {
                self.released.insert(atom.0);
                self.externals.remove(&atom.0)
            }
            value => self.externals.insert(atom.0, value),
        };
        if known.is_none() && atom.0 < self.settled.atoms {
            // Rules that were looked at may define the atom.
            self.settled = Size::default();
        }
    }

    /// Whether an external atom was released.
    pub fn is_released(&self, atom: Var) -> bool {
        self.released.contains(&atom.0)
    }

    /// Demands that a literal holds in every answer set.
    ///
    /// # Errors
    /// As [`Self::rule`].
    pub fn assume(&mut self, lit: Lit) -> Result<(), BuildError> {
        self.added_rule(None, &[!lit])
    }

    /// Adds a heuristic directive.
    pub fn heuristic(&mut self, heuristic: Heuristic) {
        self.program.heuristics.push(heuristic);
    }

    /// Adds an edge between two nodes of a graph that must have no cycle. The edge is present if the
    /// condition holds.
    ///
    /// A node's atom says that no cycle can be reached from the node: each of its edges is absent or leads to
    /// a node with that property. The atoms of nodes on a cycle are unfounded, so the program demands that
    /// all of these atoms hold.
    ///
    /// # Errors
    /// As [`Self::rule`].
    pub fn edge(&mut self, from: i64, to: i64, condition: &[Lit]) -> Result<(), BuildError> {
        let [edge, target, present] = [self.hidden(), self.node(to), self.hidden()];
        self.node(from);
        self.edges.push([present, edge]);
        self.nodes.get_mut(&from).expect("just made").1.push(edge);
        self.added_rule(Some(present), condition)?;
        self.added_rule(Some(edge), &[Lit::f(present)])?;
        self.added_rule(Some(edge), &[Lit::t(target)])
    }

    /// Numbers the atoms of edges and nodes after the largest number.
    fn number_graph(&mut self) {
        if self.edges.is_empty() {
            return;
        }
        let mut numbers = take(&mut self.program.numbers);
        numbers.resize(self.program.atoms as usize, 0);
        for (number, atom) in (self.program.largest_number + 1..).zip(self.graph_atoms()) {
            numbers[atom.0 as usize] = number;
        }
        self.program.numbers = numbers;
    }

    /// The atoms of edges and nodes, in the order of their numbers.
    fn graph_atoms(&self) -> impl Iterator<Item = Var> + '_ {
        let present = self.edges.iter().map(|edge| edge[0]);
        let reached = self.edges.iter().map(|edge| edge[1]);
        present.chain(reached).chain(self.nodes.values().map(|&(node, _)| node))
    }

    fn node(&mut self, node: i64) -> Var {
        if let Some((atom, _)) = self.nodes.get(&node) {
            return *atom;
        }
        let atom = self.hidden();
        self.nodes.insert(node, (atom, Vec::new()));
        atom
    }

    /// Adds a body and returns its number.
    fn body(&mut self, body: &[Lit]) -> Result<BodyId, BuildError> {
        let p = &mut self.program;
        p.body_lits.extend_from_slice(body);
        let end = u32::try_from(p.body_lits.len()).map_err(|_| BuildError::Literals)?;
        p.body_start.push(end);
        u32::try_from(p.body_start.len() - 2).map(BodyId).map_err(|_| BuildError::Literals)
    }

    fn add(&mut self, head: Head, body: BodyId) -> Result<(), BuildError> {
        let p = &mut self.program;
        if p.heads.len() >= u32::MAX as usize {
            return Err(BuildError::Literals);
        }
        p.heads.push(head);
        p.body_of.push(body);
        Ok(())
    }

    /// Makes `atoms` false in every answer set: a rule `a :- B` of such an atom becomes `:- B`. Then `a` has
    /// no rule, and is false without a constraint of its own.
    ///
    /// All rules and externals about `atoms` must have been added before. The externals are settled first,
    /// because an external with a rule has no effect, and the rule is gone afterwards. A free external is
    /// then false, and a true external makes the program contradictory.
    ///
    /// # Errors
    /// As [`Self::rule`].
    pub fn forbid(&mut self, atoms: &[Var]) -> Result<(), BuildError> {
        self.settle_externals()?;
        self.settled = Size::default();
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
        for mut rule in take(&mut p.disjunctions) {
            rule.heads.retain(|a| !forbidden[a.0 as usize]);
            match rule.heads[..] {
                [] => self.add(Head::Constraint, rule.body)?,
                [head] => self.add(Head::Atom(head), rule.body)?,
                _ => self.program.disjunctions.push(rule),
            }
        }
        Ok(())
    }

    /// Adds a name to print.
    pub fn output(&mut self, output: Output) {
        self.program.outputs.push(output);
    }

    /// Adds what to print if the condition of the output that was added last does not hold. Either each
    /// output of a program has such a name or none has.
    pub fn negation(&mut self, name: String) {
        self.program.negations.push(name);
    }

    /// Settles externals, translates the graph and returns the program.
    ///
    /// # Errors
    /// As [`Self::rule`].
    pub fn build(mut self) -> Result<Program, BuildError> {
        self.settle_externals()?;
        self.finish()
    }

    /// The program so far, in which each external atom may be true or false that no rule defines and that is
    /// not released. Returns these atoms with their values as well, in order: whoever asks for answer sets
    /// has to assume them.
    ///
    /// The program is not copied. Nothing may be added to it until the builder takes it back
    /// ([`ProgramBuilder::take_back`]).
    ///
    /// # Errors
    /// As [`Self::rule`].
    pub fn lend(&mut self) -> Result<(Arc<Program>, Open), BuildError> {
        self.sort_priorities();
        let p = &self.program;
        let (size, bodies, body_lits, numbers) = (p.size(), p.bodies(), p.body_lits.len(), p.numbers.len());
        let externals = take(&mut self.externals);
        let open = self.settle(&externals, true);
        self.externals = externals;
        let added = self.translate_graph();
        let program = Arc::new(take(&mut self.program));
        self.lent = Some(Lent { program: program.clone(), size, bodies, body_lits, numbers });
        match added.and(open) {
            Ok(open) => Ok((program, open)),
            Err(error) => {
                drop(program);
                self.take_back();
                Err(error)
            }
        }
    }

    /// Takes the program back that is lent, if it is, without what was added. It is copied if somebody else
    /// still has it.
    pub fn take_back(&mut self) {
        let Some(Lent { program, size, bodies, body_lits, numbers }) = self.lent.take() else { return };
        let mut p = Arc::unwrap_or_clone(program);
        p.heads.truncate(size.rules);
        p.body_of.truncate(size.rules);
        p.body_start.truncate(bodies + 1);
        p.body_lits.truncate(body_lits);
        p.numbers.truncate(numbers);
        for atom in self.graph_atoms() {
            if let Some(number) = p.numbers.get_mut(atom.0 as usize) {
                *number = 0;
            }
        }
        self.program = p;
    }

    /// The program so far, with what [`ProgramBuilder::lend`] has added while it is lent.
    fn present(&self) -> &Program {
        self.lent.as_ref().map_or(&self.program, |lent| &lent.program)
    }

    /// How many atoms there are so far.
    pub fn atoms(&self) -> u32 {
        self.present().atoms
    }

    /// Whether costs are one number of more than 64 bits, see [`Program::told_costs`].
    pub fn has_wide_costs(&self) -> bool {
        self.present().digits.is_some()
    }

    /// How large the program is so far, without what [`ProgramBuilder::build`] adds.
    pub fn size(&self) -> Size {
        self.lent.as_ref().map_or_else(|| self.program.size(), |lent| lent.size)
    }

    /// What is printed so far.
    pub fn outputs(&self) -> &[Output] {
        &self.present().outputs
    }

    /// Adds what says that the graph has no cycle.
    fn translate_graph(&mut self) -> Result<(), BuildError> {
        self.number_graph();
        let nodes = take(&mut self.nodes);
        let added = nodes.values().try_for_each(|(atom, edges)| {
            let body: Vec<Lit> = edges.iter().copied().map(Lit::t).collect();
            self.added_rule(Some(*atom), &body)?;
            self.assume(Lit::t(*atom))
        });
        self.nodes = nodes;
        added
    }

    fn finish(mut self) -> Result<Program, BuildError> {
        self.translate_graph()?;
        self.sort_priorities();
        // Nothing else is added but a few rules of an assumption or a goal.
        let p = &mut self.program;
        p.heads.shrink_to_fit();
        p.body_of.shrink_to_fit();
        p.body_start.shrink_to_fit();
        p.body_lits.shrink_to_fit();
        p.outputs.shrink_to_fit();
        Ok(self.program)
    }

    /// Gives the externals their values.
    fn settle_externals(&mut self) -> Result<(), BuildError> {
        let externals = take(&mut self.externals);
        self.settle(&externals, false).map(drop)
    }

    /// Gives externals their values, or lets them be free (`are_open`), but for those that a rule defines.
    /// Returns those that are free, with their values.
    fn settle(&mut self, externals: &BTreeMap<u32, External>, are_open: bool) -> Result<Open, BuildError> {
        let mut open = Vec::new();
        self.open_theory(externals)?;
        self.note_defined(externals);
        for (&atom, &value) in externals {
            match value {
                _ if self.defined.contains(&atom) => {}
                value if are_open => {
                    self.added_choice(&[Var(atom)], &[])?;
                    open.push((Var(atom), value));
                }
                External::Free => self.added_choice(&[Var(atom)], &[])?,
                External::True => self.added_rule(Some(Var(atom)), &[])?,
                External::False | External::Release => {}
            }
        }
        Ok(open)
    }

    /// Notes which externals have a rule that defines them, among the rules that were added since the last
    /// time.
    fn note_defined(&mut self, externals: &BTreeMap<u32, External>) {
        if externals.is_empty() {
            return;
        }
        let (p, from) = (&self.program, self.settled);
        let is_external = |head: &Var| externals.contains_key(&head.0);
        for r in (from.rules..p.rules()).map(RuleId::new) {
            if let Some(head) = p.head(r).atom().filter(is_external) {
                self.defined.extend(p.defined_by(&[head], p.body(r)).iter().map(|head| head.0));
            }
        }
        for rule in &p.disjunctions[from.disjunctions..] {
            if rule.heads.iter().any(is_external) {
                self.defined
                    .extend(p.defined_by(&rule.heads, p.body_lits_of(rule.body)).iter().map(|head| head.0));
            }
        }
        self.settled = p.size();
    }
}
