//! What a program has got before its next step, and atoms that come again.

use solver_gpu::{Lit, Var};

use super::{Output, ProgramBuilder, Size};

impl ProgramBuilder {
    /// A new atom in place of the one with that number, which keeps its rules and is hidden. What is shown if
    /// that atom alone holds is shown for the new one as well.
    pub fn renumbered(&mut self, number: u64) -> Var {
        let before = self.atom(number);
        if let Some(known) = self.small.get_mut(number as usize) {
            *known = 0;
        }
        self.large.remove(&number);
        self.program.numbers[before.0 as usize] = 0;
        let atom = self.atom(number);
        let is_its_own = |output: &&Output| output.condition[..] == [Lit::t(before)];
        let name = self.program.outputs.iter().rev().find(is_its_own).map(|output| output.name.clone());
        if let Some(name) = name {
            self.output(Output { name, condition: vec![Lit::t(atom)] });
        }
        atom
    }

    /// Whether an atom is external, and was not released.
    pub fn is_external(&self, atom: Var) -> bool {
        self.externals.contains_key(&atom.0)
    }

    /// The heads of the rules that came after the program had that size.
    pub fn heads_from(&self, from: Size) -> impl Iterator<Item = Var> + '_ {
        let p = self.present();
        let heads = p.heads[from.rules..self.size().rules].iter().filter_map(|head| head.atom());
        heads.chain(p.disjunctions[from.disjunctions..].iter().flat_map(|rule| rule.heads.iter().copied()))
    }
}
