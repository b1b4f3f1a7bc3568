//! A ground program, as read: rules over dense atoms, and what to print of an answer set.

use solver_gpu::{Lit, Var};
use std::collections::HashMap;
use std::io::{self, Write};

/// A ground normal program with constraints.
///
/// Atoms are `Var(0) .. Var(atoms)`, numbered densely in the order the input first names them. A body is a list of
/// literals: `Tp` stands for the atom `p`, `Fp` for `not p`. Bodies are stored in one array (CSR).
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// How many atoms there are.
    pub atoms: u32,
    /// The head of each rule; `None` for a constraint.
    pub heads: Vec<Option<Var>>,
    /// Body of rule `r`: `body_lits[body_start[r] .. body_start[r + 1]]`; one entry more than there are rules.
    pub body_start: Vec<u32>,
    /// The literals of all bodies.
    pub body_lits: Vec<Lit>,
    /// What to print, in the order of the input.
    pub outputs: Vec<Output>,
}

/// A name that is printed in every answer set in which all literals of its condition hold (none: always).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The text, as the grounder wrote it.
    pub name: String,
    /// A conjunction.
    pub condition: Vec<Lit>,
}

impl Program {
    /// The number of rules, constraints and facts included.
    pub fn rules(&self) -> usize {
        self.heads.len()
    }

    /// The body of rule `r`.
    pub fn body(&self, r: usize) -> &[Lit] {
        &self.body_lits[self.body_start[r] as usize..self.body_start[r + 1] as usize]
    }
}

impl Program {
    /// Writes the program in aspif; atom `Var(i)` is number `i + 1`.
    ///
    /// # Errors
    /// If writing fails.
    pub fn to_aspif(&self, to: &mut impl Write) -> io::Result<()> {
        let literals = |to: &mut dyn Write, literals: &[Lit]| {
            write!(to, " {}", literals.len())?;
            literals.iter().try_for_each(|lit| {
                let atom = lit.var().0 as i64 + 1;
                write!(to, " {}", if lit.is_false_sign() { -atom } else { atom })
            })
        };
        writeln!(to, "asp 1 0 0")?;
        for r in 0..self.rules() {
            match self.heads[r] {
                Some(head) => write!(to, "1 0 1 {} 0", head.0 + 1)?,
                None => write!(to, "1 0 0 0")?,
            }
            literals(to, self.body(r))?;
            writeln!(to)?;
        }
        for output in &self.outputs {
            write!(to, "4 {} {}", output.name.len(), output.name)?;
            literals(to, &output.condition)?;
            writeln!(to)?;
        }
        writeln!(to, "0")
    }
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
/// let program = program.build();
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
    /// How often an atom was named: atoms below this, and a few more, are small. So `small` takes memory in proportion to
    /// what was read, and a huge atom none.
    named: u64,
}

impl Default for ProgramBuilder {
    fn default() -> Self {
        let program = Program { body_start: vec![0], ..Program::default() };
        ProgramBuilder { program, small: Vec::new(), large: HashMap::new(), named: 1 << 12 }
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

    /// Adds a rule; without a head, a constraint.
    ///
    /// # Errors
    /// If there are too many literals to index.
    pub fn rule(&mut self, head: Option<Var>, body: &[Lit]) -> Result<(), TooManyLiterals> {
        let p = &mut self.program;
        p.body_lits.extend_from_slice(body);
        let end = u32::try_from(p.body_lits.len()).map_err(|_| TooManyLiterals)?;
        if p.heads.len() >= u32::MAX as usize {
            return Err(TooManyLiterals);
        }
        p.heads.push(head);
        p.body_start.push(end);
        Ok(())
    }

    /// Says that `atoms` are false in every answer set: a rule `a :- B` of such an atom becomes `:- B`. Then `a` has no
    /// rule, and is false without a constraint of its own.
    pub fn forbid(&mut self, atoms: &[Var]) {
        let mut forbidden = vec![false; self.program.atoms as usize];
        atoms.iter().for_each(|a| forbidden[a.0 as usize] = true);
        for head in &mut self.program.heads {
            *head = head.filter(|a| !forbidden[a.0 as usize]);
        }
    }

    /// Adds something to print.
    pub fn output(&mut self, output: Output) {
        self.program.outputs.push(output);
    }

    /// The program.
    pub fn build(self) -> Program {
        self.program
    }
}
