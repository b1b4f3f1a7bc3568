//! From the statements of a file to a program: externals, assumptions, edges and heads become plain rules.
//!
//! Main type: [`Builder`].

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::data::{Body, Costs, Program, Rule};
use super::error::Wrong;
use super::theory::Theory;
use crate::numbers::MAX_NUMBER;
use crate::trusted::lit::{normalised, Lit, Var};

/// The value that a program gives to an external atom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum External {
    /// The atom may be true or false.
    Free,
    /// The atom is true.
    True,
    /// The atom is false.
    False,
    /// The atom is false, and stays so.
    Release,
}

/// Collects statements. Heads and bodies are as they were read, except that bodies are sorted.
#[derive(Debug, Default)]
pub struct Builder {
    /// The program so far, without costs.
    pub program: Program,
    /// What is minimized at each priority.
    pub costs: BTreeMap<i64, Vec<(Lit, i64)>>,
    /// Two nodes and a condition for each edge.
    pub edges: Vec<(i64, i64, Vec<Lit>)>,
    /// The statements of a theory.
    pub theory: Theory,
    externals: BTreeMap<Var, External>,
}

impl Builder {
    /// The atom with a number from 1 to [`MAX_NUMBER`].
    pub fn atom(&mut self, number: u32) -> Var {
        if let Some(lit) = self.program.numbers.get(number) {
            return lit.var();
        }
        let var = self.variable(number);
        self.program.atoms.push((var, number));
        self.program.last_atom = self.program.last_atom.max(number);
        var
    }

    /// A new variable with a number.
    fn variable(&mut self, number: u32) -> Var {
        // Variable 0 is not the program's.
        self.program.variables = self.program.variables.max(1) + 1;
        let var = Var(self.program.variables - 1);
        self.program.numbers.insert(number, Lit::new(var, true));
        var
    }

    /// Adds a rule.
    pub fn rule(&mut self, is_choice: bool, heads: Vec<Var>, mut body: Body) {
        if let Body::All(lits) = &mut body {
            lits.sort_unstable();
            lits.dedup();
        }
        self.program.rules.push(Rule { is_choice, heads, body });
    }

    /// Gives an external atom a value. The last one counts, but a released atom stays released.
    pub fn external(&mut self, atom: Var, value: External) {
        let told = self.externals.entry(atom).or_insert(value);
        if *told != External::Release {
            *told = value;
        }
    }

    /// Whether something is said of an atom as an external one.
    pub fn is_external(&self, atom: Var) -> bool {
        self.externals.contains_key(&atom)
    }

    /// Demands that a literal holds.
    pub fn assume(&mut self, lit: Lit) {
        self.rule(false, Vec::new(), Body::All(vec![!lit]));
    }

    /// The program.
    ///
    /// # Errors
    /// If edges and nodes, or difference constraints, need larger numbers than there are.
    pub fn build(mut self) -> Result<Program, Wrong> {
        self.open_theory();
        self.settle_externals();
        self.translate_differences()?;
        self.translate_edges().ok_or(("there are too many edges", "use smaller numbers for atoms"))?;
        let costs = std::mem::take(&mut self.costs);
        self.program.costs = costs.values().rev().map(|terms| Costs::of(terms)).collect();
        let rules = std::mem::take(&mut self.program.rules);
        self.program.rules = rules.into_iter().filter_map(with_settled_heads).collect();
        Ok(self.program)
    }

    fn settle_externals(&mut self) {
        let mut defined: HashSet<Var> = HashSet::new();
        for rule in &self.program.rules {
            // Each head of a choice is a rule of its own.
            let length = if rule.is_choice { 1 } else { rule.heads.len().max(1) };
            for heads in rule.heads.chunks(length) {
                if heads.iter().any(|head| self.externals.contains_key(head)) {
                    defined.extend(defined_heads(heads, &rule.body));
                }
            }
        }
        for (atom, value) in std::mem::take(&mut self.externals) {
            let is_choice = value == External::Free;
            if !defined.contains(&atom) && (is_choice || value == External::True) {
                self.rule(is_choice, vec![atom], Body::All(Vec::new()));
            }
        }
    }

    /// Adds the variables and rules of edges, see "Variables and literals" in `docs/proof.md`.
    fn translate_edges(&mut self) -> Option<()> {
        let edges = std::mem::take(&mut self.edges);
        let nodes: BTreeSet<i64> = edges.iter().flat_map(|&(from, to, _)| [from, to]).collect();
        let first = self.program.last_atom;
        let added = u32::try_from(2 * edges.len() + nodes.len()).ok()?;
        let last = first.checked_add(added).filter(|&last| last <= MAX_NUMBER)?;
        let vars: Vec<Var> = (first + 1..=last).map(|number| self.variable(number)).collect();
        self.program.last_number = last;
        let (present, rest) = vars.split_at(edges.len());
        let (safe, node_vars) = rest.split_at(edges.len());
        let node: BTreeMap<i64, Var> = nodes.iter().copied().zip(node_vars.iter().copied()).collect();
        let mut leaving: HashMap<i64, Vec<Lit>> = HashMap::new();
        for (k, (from, to, condition)) in edges.into_iter().enumerate() {
            self.rule(false, vec![present[k]], Body::All(condition));
            self.rule(false, vec![safe[k]], Body::All(vec![Lit::new(present[k], false)]));
            self.rule(false, vec![safe[k]], Body::All(vec![Lit::new(node[&to], true)]));
            leaving.entry(from).or_default().push(Lit::new(safe[k], true));
        }
        for (name, var) in node {
            let body = leaving.remove(&name).unwrap_or_default();
            self.rule(false, vec![var], Body::All(body));
            self.assume(Lit::new(var, true));
        }
        Some(())
    }
}

/// The heads that a rule can derive: the body can hold both if the head holds and if not. There are none if the
/// body needs one of the heads.
fn defined_heads<'a>(heads: &'a [Var], body: &'a Body) -> impl Iterator<Item = Var> + 'a {
    let needs_one = heads.iter().any(|&head| !can_hold(body, Lit::new(head, false)));
    heads.iter().copied().filter(move |&head| !needs_one && can_hold(body, Lit::new(head, true)))
}

/// Whether a body can hold if `given` does.
fn can_hold(body: &Body, given: Lit) -> bool {
    match body {
        Body::All(lits) => !lits.contains(&!given) && normalised(lits.clone()).is_some(),
        Body::Sum(bound, terms) => {
            // The most of each atom: its literal's weight or that of the complement.
            let mut most: HashMap<Var, [i128; 2]> = HashMap::new();
            for &(lit, weight) in terms.iter().filter(|(lit, _)| *lit != !given) {
                most.entry(lit.var()).or_default()[usize::from(lit.is_positive())] += i128::from(weight);
            }
            most.values().map(|[one, other]| one.max(other)).sum::<i128>() >= i128::from(*bound)
        }
    }
}

/// The rule without heads that it cannot derive. There is none if it derives nothing and forbids nothing.
fn with_settled_heads(mut rule: Rule) -> Option<Rule> {
    let mut seen = HashSet::new();
    if rule.heads.len() > 1 {
        rule.heads.retain(|&head| seen.insert(head));
    }
    if let Body::All(body) = &rule.body {
        let has = |head: Var, is_true: bool| body.binary_search(&Lit::new(head, is_true)).is_ok();
        if rule.is_choice {
            rule.heads.retain(|&head| !has(head, true));
        } else if rule.heads.iter().any(|&head| has(head, true)) {
            return None;
        }
        rule.heads.retain(|&head| !has(head, false));
    }
    (!rule.is_choice || !rule.heads.is_empty()).then_some(rule)
}
