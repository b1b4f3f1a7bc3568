//! Writes a program in aspif.
//!
//! Main function: [`Program::to_aspif`]. Reading what was written gives the same program, with its atoms
//! numbered in the order in which the text names them.

use std::io::{self, Write};

use solver_gpu::{Lit, Var};

use super::data::{Head, Program};
use crate::text;

impl Program {
    /// Writes the program in aspif. The atom `Var(i)` has number `i + 1` there.
    ///
    /// # Errors
    /// If writing fails.
    pub fn to_aspif(&self, to: &mut impl Write) -> io::Result<()> {
        let number = |p: Var| p.0 as i64 + 1;
        let literal = |l: Lit| l.signed(number(l.var()));
        let literals = |to: &mut dyn Write, literals: &[Lit]| {
            write!(to, " {}", literals.len())?;
            literals.iter().try_for_each(|&lit| write!(to, " {}", literal(lit)))
        };
        writeln!(to, "asp 1 0 0")?;
        for r in self.rule_ids() {
            match self.head(r) {
                Head::Atom(head) => write!(to, "1 0 1 {} 0", number(head))?,
                Head::Choice(head) => write!(to, "1 1 1 {} 0", number(head))?,
                Head::Constraint => write!(to, "1 0 0 0")?,
            }
            literals(to, self.body(r))?;
            writeln!(to)?;
        }
        for rule in &self.disjunctions {
            write!(to, "1 0 {}", rule.heads.len())?;
            rule.heads.iter().try_for_each(|&p| write!(to, " {}", number(p)))?;
            write!(to, " 0")?;
            literals(to, self.body_lits_of(rule.body))?;
            writeln!(to)?;
        }
        for sum in &self.sums {
            write!(to, "1 0 1 {} 1 {} {}", number(sum.atom), sum.bound, sum.lits.len())?;
            sum.lits.iter().try_for_each(|&(l, weight)| write!(to, " {} {weight}", literal(l)))?;
            writeln!(to)?;
        }
        for minimize in &self.minimize {
            write!(to, "2 {} {}", minimize.priority, minimize.lits.len())?;
            minimize.lits.iter().try_for_each(|&(l, weight)| write!(to, " {} {weight}", literal(l)))?;
            writeln!(to)?;
        }
        if let Some(atoms) = &self.projection {
            write!(to, "3 {}", atoms.len())?;
            atoms.iter().try_for_each(|&p| write!(to, " {}", number(p)))?;
            writeln!(to)?;
        }
        for h in &self.heuristics {
            let modifier = h.modifier as u32;
            write!(to, "7 {modifier} {} {} {}", number(h.atom), h.bias, h.priority)?;
            literals(to, &h.condition)?;
            writeln!(to)?;
        }
        for output in &self.outputs {
            let name = text::to_bytes(&output.name);
            write!(to, "4 {} ", name.len())?;
            to.write_all(&name)?;
            literals(to, &output.condition)?;
            writeln!(to)?;
        }
        self.theory.to_aspif(to, literal, number)?;
        writeln!(to, "0")
    }
}
