//! The program as nogoods: its completion (Clark 1978; Gebser, Kaufmann and Schaub, "Conflict-driven answer set
//! solving", 2012, section 3).
//!
//! Main function: [`Completion::new`].

use crate::program::{Body, Program};
use crate::propagate::Engine;
use crate::trusted::definitions::Definitions;
use crate::trusted::lit::{Lit, Var};

/// Where the rules are among the variables of the engine.
#[derive(Debug, Default)]
pub struct Completion {
    /// For each rule the literal that stands for its body.
    pub bodies: Vec<Lit>,
    /// For each output the literal that stands for its condition.
    pub conditions: Vec<Lit>,
    /// For each variable of the program the rules with it as a head.
    pub rules_of: Vec<Vec<u32>>,
}

impl Completion {
    /// Adds the nogoods of a program to an engine and propagates them.
    pub fn new(program: &Program, engine: &mut Engine, definitions: &mut Definitions) -> Completion {
        let variables = program.variables as usize;
        let mut this = Completion { rules_of: vec![Vec::new(); variables], ..Completion::default() };
        let mut supports: Vec<Vec<Lit>> = vec![Vec::new(); variables];
        for (rule, number) in program.rules.iter().zip(0..) {
            let body = match &rule.body {
                Body::All(lits) => definitions.conjunction(engine, lits.clone()),
                Body::Sum(bound, terms) => {
                    let terms = terms.iter().map(|&(lit, weight)| (lit, i128::from(weight))).collect();
                    definitions.sum(engine, i128::from(*bound), terms)
                }
            };
            this.bodies.push(body);
            let not_heads: Vec<Lit> = rule.heads.iter().map(|&head| Lit::new(head, false)).collect();
            if !rule.is_choice {
                engine.add_permanent([&[body], &not_heads[..]].concat());
            }
            for &head in &rule.heads {
                this.rules_of[head.index()].push(number);
                let support = if rule.is_choice || rule.heads.len() == 1 {
                    body
                } else {
                    let others: Vec<Lit> =
                        not_heads.iter().copied().filter(|lit| lit.var() != head).collect();
                    let support = match &rule.body {
                        Body::All(parts) => definitions.extended(engine, body, parts, &others),
                        Body::Sum(..) => definitions.conjunction(engine, [&[body], &others[..]].concat()),
                    };
                    // This follows from the rule, and lets propagation see it.
                    engine.add_permanent(vec![support, Lit::new(head, false)]);
                    support
                };
                supports[head.index()].push(!support);
            }
        }
        for (var, supports) in supports.into_iter().enumerate().skip(1) {
            let head = Lit::new(Var(var as u32), true);
            engine.add_permanent([&[head], &supports[..]].concat());
        }
        for output in &program.outputs {
            this.conditions.push(definitions.conjunction(engine, output.condition.clone()));
        }
        engine.settle();
        this
    }
}
