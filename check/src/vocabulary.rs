//! What the numbers of a proof stand for: variables of the program, and those that the proof has introduced.
//!
//! Main type: [`Vocabulary`].

use crate::numbers::MAX_NUMBER;
use crate::program::Program;
use crate::propagate::Engine;
use crate::rewriting::Rewriting;
use crate::trusted::definitions::Definitions;
use crate::trusted::lit::{Lit, Var};

/// The program, with the definitions of the proof so far.
#[derive(Debug)]
pub struct Vocabulary {
    /// The program.
    pub program: Program,
    /// What was defined.
    pub definitions: Definitions,
    rewriting: Rewriting,
}

impl Vocabulary {
    /// The variables of a program.
    pub fn new(program: Program) -> Vocabulary {
        Vocabulary { program, definitions: Definitions::default(), rewriting: Rewriting::default() }
    }

    /// The literal with a number.
    pub fn lit(&self, number: i64) -> Result<Lit, String> {
        self.program.lit(number).ok_or_else(|| format!("the variable of {number} was not introduced"))
    }

    /// The literals with these numbers.
    pub fn lits(&self, numbers: &[i64]) -> Result<Vec<Lit>, String> {
        numbers.iter().map(|&number| self.lit(number)).collect()
    }

    /// The atoms with the numbers, without those that are in no rule because the program does not name them.
    pub fn atoms(&self, numbers: &[i64]) -> Result<Vec<Var>, String> {
        let mut atoms = Vec::with_capacity(numbers.len());
        for &number in numbers {
            if !(1..=i64::from(self.program.last_number)).contains(&number) {
                return Err(format!("{number} is no atom of the program"));
            }
            let lit = self.lit(number)?;
            if lit != Lit::FALSE {
                atoms.push(lit.var());
            }
        }
        Ok(atoms)
    }

    /// Step `d`.
    pub fn define(&mut self, engine: &mut Engine, var: i64, lits: &[i64]) -> Result<(), String> {
        let lits = self.lits(lits)?;
        let lit = self.definitions.conjunction(engine, lits);
        engine.settle();
        self.introduce(var, lit)
    }

    /// Step `s`.
    pub fn sum(
        &mut self,
        engine: &mut Engine,
        var: i64,
        bound: i64,
        terms: &[(i64, i64)],
    ) -> Result<(), String> {
        let mut translated = Vec::with_capacity(terms.len());
        for &(weight, lit) in terms {
            if weight < 1 {
                return Err(format!("the weight {weight} is not positive"));
            }
            translated.push((self.lit(lit)?, i128::from(weight)));
        }
        let bound = i128::from(bound);
        let lit = self.definitions.sum(engine, bound, translated.clone());
        self.introduce(var, lit)?;
        self.rewriting.note(var, lit, bound, translated);
        Ok(())
    }

    /// Step `r`: the priority, the weight and the variable.
    pub fn rewrite(&mut self, engine: &mut Engine, step: [i64; 3]) -> Result<(), String> {
        self.rewriting.apply(engine, step)
    }

    /// Step `l`: the priority and the variable.
    pub fn least(&self, engine: &mut Engine, step: [i64; 2]) -> Result<(), String> {
        self.rewriting.least(engine, step)
    }

    /// Gives a literal to a new variable.
    fn introduce(&mut self, number: i64, lit: Lit) -> Result<(), String> {
        let is_new = |number: &u32| {
            let is_free = self.program.numbers.get(*number).is_none();
            is_free && (self.program.last_number + 1..=MAX_NUMBER).contains(number)
        };
        let new = u32::try_from(number).ok().filter(is_new);
        self.program.numbers.insert(new.ok_or_else(|| format!("{number} is no new variable"))?, lit);
        Ok(())
    }
}
