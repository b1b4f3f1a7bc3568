//! What follows from what.
//!
//! Main type: [`Record`]. Whatever is derived is a *node*: a nogood, what it makes hold without assumptions
//! (a *fact*), or a definition. Invariant: what a node follows from has smaller numbers.

use crate::proof::THE_SUMS;
use crate::trusted::lit::{Lit, Var};
use crate::trusted::{Cause, Handle, Known};

/// The number of a node.
pub type Node = u32;

/// What sums and the goal say at some place.
const SUMS: Node = 0;
/// The program.
const PROGRAM: Node = 1;

/// Where a node comes from.
#[derive(Clone, Copy, Debug, Default)]
struct Origin {
    /// The number of the step.
    step: u32,
    /// The serial number of a nogood, or 0.
    serial: u32,
    /// Where the list of what it follows from ends. It begins where that of the node before ends.
    end: usize,
}

/// See the module's documentation.
#[derive(Debug)]
pub struct Record {
    /// The number of the present step, from 1.
    pub step: u32,
    /// What the nogoods of the step follow from, in the order of propagation.
    pub because: Vec<Node>,
    /// What is wrong with the nogoods of the step, if they do not follow.
    pub wrong: Option<String>,
    /// The nodes that are wrong, and why.
    wrongs: Vec<(Node, String)>,
    nodes: Vec<Origin>,
    antecedents: Vec<Node>,
    /// For each serial number, from 1, the node.
    serials: Vec<Node>,
    /// The node of the nogoods and sums that are added.
    owner: Node,
    /// The nodes of nogoods by their handles, of sums by their numbers, and of facts by their variables.
    owners: Vec<Node>,
    sums: Vec<Node>,
    facts: Vec<Node>,
    /// For each variable whether it is looked for.
    is_seen: Vec<bool>,
    /// What is needed, and by which step.
    roots: Vec<(u32, Node)>,
}

impl Default for Record {
    fn default() -> Record {
        Record {
            step: 0,
            because: Vec::new(),
            wrong: None,
            wrongs: Vec::new(),
            nodes: vec![Origin::default(); 2],
            antecedents: Vec::new(),
            serials: Vec::new(),
            owner: PROGRAM,
            owners: Vec::new(),
            sums: Vec::new(),
            facts: Vec::new(),
            is_seen: Vec::new(),
            roots: Vec::new(),
        }
    }
}

impl Record {
    /// A step begins.
    pub fn begin(&mut self, step: u32) {
        (self.step, self.wrong, self.owner) = (step, None, PROGRAM);
        self.because.clear();
    }

    /// A node for what the step adds from here on.
    pub fn define(&mut self) -> Node {
        self.owner = self.nodes.len() as Node;
        self.antecedents.extend(&self.because);
        self.nodes.push(Origin { step: self.step, serial: 0, end: self.antecedents.len() });
        self.wrongs.extend(self.wrong.clone().map(|why| (self.owner, why)));
        self.owner
    }

    /// The same for a nogood, with the next serial number.
    pub fn name(&mut self) {
        let node = self.define();
        self.serials.push(node);
        self.nodes[node as usize].serial = self.serials.len() as u32;
    }

    /// The next serial number is that of nothing.
    pub fn skip(&mut self) {
        self.serials.push(PROGRAM);
    }

    /// What was explained in this step is needed in any case.
    pub fn need(&mut self) {
        self.roots.extend(self.because.iter().map(|&node| (self.step, node)));
    }

    /// A sum was added.
    pub fn own_sum(&mut self) {
        self.sums.push(self.owner);
    }

    /// A nogood was added.
    pub fn own(&mut self, handle: Handle) {
        // A nogood without room has no place here either.
        if handle != Handle::NOWHERE {
            self.owners.resize(self.owners.len().max(handle.index() + 1), PROGRAM);
            self.owners[handle.index()] = self.owner;
        }
    }

    /// The nodes of a cause itself. A nogood without a serial number cannot be a reason of a proof.
    fn of(&self, cause: Cause, to: &mut Vec<Node>) {
        match cause {
            Cause::Assumed => {}
            Cause::Nogood(handle) => {
                let node = self.owners.get(handle.index()).copied().unwrap_or(PROGRAM);
                to.push(node);
                to.extend((self.nodes[node as usize].serial == 0).then_some(PROGRAM));
            }
            Cause::Sum(number) => to.extend([self.sums[number as usize], SUMS]),
            Cause::Goal => to.push(SUMS),
        }
    }

    /// Records what follows without assumptions since this was last called, and a conflict.
    pub fn settle(&mut self, known: &Known<'_>, is_conflict: bool) {
        self.facts.resize(known.values.variables(), PROGRAM);
        let mut goal = None;
        for &lit in &known.values.trail()[known.base..] {
            let cause = known.values.cause_of(lit.var());
            self.facts[lit.var().index()] = match (cause, goal) {
                (Cause::Assumed, _) => continue,
                (Cause::Goal, Some(node)) => node,
                _ => self.fact(known, cause, Some(lit)),
            };
            goal = matches!(cause, Cause::Goal).then_some(self.facts[lit.var().index()]);
        }
        if is_conflict {
            let node = self.fact(known, known.values.cause, None);
            self.roots.push((self.step, node));
        }
    }

    /// A node for a literal that holds, or for a conflict.
    fn fact(&mut self, known: &Known<'_>, cause: Cause, lit: Option<Lit>) -> Node {
        let mut antecedents = std::mem::take(&mut self.antecedents);
        self.of(cause, &mut antecedents);
        let others = |var: Var| {
            if lit.is_none_or(|lit| lit.var() != var) {
                antecedents.push(self.facts[var.index()]);
            }
        };
        match cause {
            // What was kept does not go together.
            Cause::Assumed => known.values.trail().iter().map(|lit| lit.var()).for_each(others),
            _ => each(known, cause, others),
        }
        self.nodes.push(Origin { step: self.step, serial: 0, end: antecedents.len() });
        self.antecedents = antecedents;
        self.nodes.len() as Node - 1
    }

    /// Adds to what the step follows from: why `lits` have their values, and what else the cause names.
    pub fn explain(&mut self, known: &Known<'_>, cause: Cause, lits: impl Iterator<Item = Lit>) {
        let mut is_seen = std::mem::take(&mut self.is_seen);
        is_seen.resize(known.values.variables(), false);
        let (mut seen, mut chain) = (Vec::new(), Vec::new());
        let mut see = |is_seen: &mut [bool], var: Var| {
            is_seen[var.index()] = true;
            seen.push(var);
        };
        lits.filter(|&lit| !known.values.is_open(lit)).for_each(|lit| see(&mut is_seen, lit.var()));
        self.of(cause, &mut chain);
        each(known, cause, |var| see(&mut is_seen, var));
        let assumed = &known.values.trail()[known.base..];
        for var in assumed.iter().rev().map(|lit| lit.var()) {
            if is_seen[var.index()] {
                let cause = known.values.cause_of(var);
                self.of(cause, &mut chain);
                each(known, cause, |var| see(&mut is_seen, var));
            }
        }
        // What is left are facts.
        assumed.iter().for_each(|lit| is_seen[lit.var().index()] = false);
        for var in seen {
            if std::mem::take(&mut is_seen[var.index()]) {
                self.because.extend(self.facts.get(var.index()).filter(|&&fact| fact > PROGRAM));
            }
        }
        self.is_seen = is_seen;
        self.because.extend(chain.iter().rev());
    }

    /// What a node follows from.
    fn antecedents(&self, node: Node) -> &[Node] {
        &self.antecedents[self.nodes[node as usize - 1].end..self.nodes[node as usize].end]
    }

    /// For each node the last step that needs it, or 0. Nothing is needed if nothing is concluded.
    ///
    /// # Errors
    /// If a node is needed and wrong: the last one's step, and why.
    pub fn needed(&self, is_concluded: bool) -> Result<Vec<u32>, (u32, String)> {
        let mut last = vec![0; self.nodes.len()];
        if !is_concluded {
            return Ok(last);
        }
        let need = |last: &mut [u32], node: Node, step: u32| {
            let known = &mut last[node as usize];
            *known = step.max(*known);
        };
        self.roots.iter().for_each(|&(step, node)| need(&mut last, node, step));
        for node in (PROGRAM + 1..self.nodes.len() as Node).rev() {
            if last[node as usize] > 0 {
                let step = self.nodes[node as usize].step;
                self.antecedents(node).iter().for_each(|&node| need(&mut last, node, step));
            }
        }
        last[..=PROGRAM as usize].fill(0);
        match self.wrongs.iter().rfind(|(node, _)| last[*node as usize] > 0) {
            Some((node, why)) => Err((self.nodes[*node as usize].step, why.clone())),
            None => Ok(last),
        }
    }

    /// The node of a serial number.
    pub fn node(&self, serial: u32) -> Node {
        self.serials[serial as usize - 1]
    }

    /// The reasons of a nogood with a serial number, for a step `b`, if nogoods of the proof are enough.
    pub fn reasons(&self, serial: u32) -> Option<Vec<i64>> {
        let nodes = self.antecedents(self.node(serial));
        let mut reasons = Vec::new();
        for &node in nodes {
            match (node, self.nodes[node as usize].serial) {
                (PROGRAM, _) => return None,
                (SUMS, _) => reasons.push(THE_SUMS),
                (_, 0) => {}
                (_, serial) => reasons.push(serial.into()),
            }
        }
        reasons.dedup();
        Some(reasons)
    }
}

/// Looks at each variable by which a cause gives a value to another one, or is violated. Those that got their
/// values later are among them.
fn each(known: &Known<'_>, cause: Cause, mut see: impl FnMut(Var)) {
    let mut see = |lit: Lit| {
        if !known.values.is_open(lit) {
            see(lit.var());
        }
    };
    match cause {
        Cause::Assumed => {}
        Cause::Nogood(handle) => known.nogoods.lits(handle).iter().for_each(|&lit| see(lit)),
        Cause::Sum(number) => {
            let sum = known.sums.get(number);
            see(sum.var);
            sum.terms.iter().for_each(|&(lit, _)| see(lit));
        }
        Cause::Goal => known.goal.literals().filter(|&lit| known.values.is_true(lit)).for_each(see),
    }
}
