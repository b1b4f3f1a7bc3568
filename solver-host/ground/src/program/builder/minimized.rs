//! What a program minimizes, while it is built.
//!
//! Main function: [`ProgramBuilder::minimize`]. There may be as many priorities as literals, so they are put
//! in order once, when the program is done or lent.

use super::{total, BuildError, Minimize, ProgramBuilder};
use solver_gpu::Lit;
use std::cmp::Reverse;

impl ProgramBuilder {
    /// Adds literals with weights to what is minimized at a priority.
    ///
    /// # Errors
    /// If all weights of the priority, without their signs, add up to more than
    /// [`MOST_WEIGHT`](crate::program::MOST_WEIGHT). Nothing is added then.
    pub fn minimize(&mut self, priority: i32, lits: &[(Lit, i64)]) -> Result<(), BuildError> {
        let levels = &mut self.program.minimize;
        let known = self.minimized.get(&Reverse(priority)).copied();
        let (at, before) = known.unwrap_or((levels.len(), 0));
        self.minimized.insert(Reverse(priority), (at, total(before, lits)?));
        if known.is_none() {
            levels.push(Minimize { priority, lits: Vec::new() });
            self.program.statements.minimizes += 1;
        }
        levels[at].lits.extend_from_slice(lits);
        Ok(())
    }

    /// Puts what is minimized in the order of priorities.
    pub(super) fn sort_priorities(&mut self) {
        self.program.minimize.sort_unstable_by_key(|level| Reverse(level.priority));
        self.minimized.values_mut().zip(0..).for_each(|((at, _), sorted)| *at = sorted);
    }

    /// Forgets all that is minimized.
    pub fn remove_minimize(&mut self) {
        self.program.minimize.clear();
        self.minimized.clear();
        self.program.statements.minimizes = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use solver_gpu::Var;

    #[test]
    fn priorities_come_in_order_however_they_were_given() {
        let mut builder = ProgramBuilder::default();
        let lits: Vec<Lit> = (0..3).map(|_| Lit::t(builder.hidden())).collect();
        let told = |builder: &mut ProgramBuilder| {
            let (program, _) = builder.lend().expect("small");
            builder.take_back();
            let level = |level: &Minimize| (level.priority, level.lits.clone());
            program.minimize.iter().map(level).collect::<Vec<_>>()
        };
        for (priority, lit) in [(3, lits[0]), (5, lits[1]), (-1, lits[2]), (3, lits[2])] {
            builder.minimize(priority, &[(lit, 1)]).expect("small");
        }
        let three = vec![(lits[0], 1), (lits[2], 1)];
        let minimized = [(5, vec![(lits[1], 1)]), (3, three.clone()), (-1, vec![(lits[2], 1)])];
        assert_eq!(told(&mut builder), minimized);
        // Literals that come after the priorities were put in order.
        builder.minimize(4, &[(Lit::t(Var(0)), 2)]).expect("small");
        builder.minimize(5, &[(lits[0], 7)]).expect("small");
        let five = vec![(lits[1], 1), (lits[0], 7)];
        let four = vec![(Lit::t(Var(0)), 2)];
        assert_eq!(told(&mut builder)[..3], [(5, five), (4, four), (3, three)]);
        builder.remove_minimize();
        assert!(told(&mut builder).is_empty());
    }
}
