//! The strongly connected components of the positive dependency graph: from each head to the atoms of the positive
//! body.
//!
//! Main function: [`Components::new`] (Tarjan 1972, without recursion).

use crate::program::Program;
use crate::trusted::lit::Var;

/// The components.
#[derive(Debug)]
pub struct Components {
    /// For each variable its component.
    of: Vec<u32>,
    /// For each component whether an atom of it depends on itself.
    is_cyclic: Vec<bool>,
}

const NONE: u32 = u32::MAX;

impl Components {
    /// The components of a program. `rules_of` has the rules of each variable.
    pub fn new(program: &Program, rules_of: &[Vec<u32>]) -> Components {
        let variables = rules_of.len();
        let positive: Vec<Vec<Var>> = program.rules.iter().map(|rule| rule.body.positive()).collect();
        let mut this = Components { of: vec![NONE; variables], is_cyclic: Vec::new() };
        // When each variable was reached, and the earliest one that is known to be in its component.
        let (mut reached, mut low) = (vec![NONE; variables], vec![NONE; variables]);
        let mut is_loop = vec![false; variables];
        let mut clock = 0;
        let mut stack: Vec<usize> = Vec::new();
        // A variable, the place of a rule of it, and the place of an atom in the rule's body.
        let mut path: Vec<(usize, usize, usize)> = Vec::new();
        for start in 0..variables {
            if reached[start] == NONE {
                path.push((start, 0, 0));
            }
            while let Some(&(var, rule, atom)) = path.last() {
                if (rule, atom) == (0, 0) && reached[var] == NONE {
                    (reached[var], low[var]) = (clock, clock);
                    clock += 1;
                    stack.push(var);
                }
                let next = rules_of[var].get(rule).map(|&rule| positive[rule as usize].get(atom));
                let top = path.len() - 1;
                match next {
                    Some(Some(other)) => {
                        path[top].2 += 1;
                        let other = other.index();
                        is_loop[var] |= other == var;
                        if reached[other] == NONE {
                            path.push((other, 0, 0));
                        } else if this.of[other] == NONE {
                            low[var] = low[var].min(reached[other]);
                        }
                    }
                    Some(None) => path[top] = (var, rule + 1, 0),
                    None => {
                        path.pop();
                        if let Some(&(parent, ..)) = path.last() {
                            low[parent] = low[parent].min(low[var]);
                        }
                        if low[var] == reached[var] {
                            this.close(var, is_loop[var], &mut stack);
                        }
                    }
                }
            }
        }
        this
    }

    /// The variables on the stack down to `var` are a component.
    fn close(&mut self, var: usize, is_loop: bool, stack: &mut Vec<usize>) {
        let component = self.is_cyclic.len() as u32;
        let mut size = 0;
        while let Some(member) = stack.pop() {
            self.of[member] = component;
            size += 1;
            if member == var {
                break;
            }
        }
        self.is_cyclic.push(size > 1 || is_loop);
    }

    /// How many components there are.
    pub fn len(&self) -> usize {
        self.is_cyclic.len()
    }

    /// The component of a variable.
    pub fn of(&self, var: Var) -> usize {
        self.of[var.index()] as usize
    }

    /// Whether an atom of a component depends on itself.
    pub fn is_cyclic(&self, component: usize) -> bool {
        self.is_cyclic[component]
    }
}
