//! A program as bytes, for another process of the same build.
//!
//! Main functions: [`Program::to_bytes`] and [`Program::of_bytes`]. Unlike aspif, the bytes keep the numbers of all atoms
//! and rules, so that both processes translate the program to the same nogoods.
//!
//! Invariant: what is read is the program that was written, or an error. The bytes have to come from [`Program::to_bytes`]:
//! that the numbers in them fit together is not checked.

use std::io;

use serde::{Deserialize, Serialize};
use solver_gpu::{Lit, Var};

use super::data::{
    Digits, Disjunction, Head, Heuristic, Minimize, Modifier, Output, Program, Statements, Sum,
};
use crate::ids::BodyId;

/// What the bytes begin with: the form of what follows.
const MARK: [u8; 8] = *b"yasmin 2";

type PlainSum = (u32, i64, Vec<(u32, i64)>);
type PlainHeuristic = (u32, u8, i32, u32, Vec<u32>);

/// A program in plain numbers.
#[derive(Serialize, Deserialize)]
struct Plain {
    atoms: u32,
    numbers: Vec<u32>,
    largest_number: u32,
    /// Of each rule: 0 for a constraint, 1 for an atom, 2 for a choice; and the atom.
    heads: Vec<(u8, u32)>,
    body_of: Vec<u32>,
    body_start: Vec<u32>,
    body_lits: Vec<u32>,
    disjunctions: Vec<(Vec<u32>, u32)>,
    /// Of each sum: atom, bound, literals with their weights.
    sums: Vec<PlainSum>,
    minimize: Vec<(i32, Vec<(u32, i64)>)>,
    digits: Option<Digits>,
    projection: Option<Vec<u32>>,
    /// Of each directive: atom, modifier, bias, priority, condition.
    heuristics: Vec<PlainHeuristic>,
    outputs: Vec<(String, Vec<u32>)>,
    negations: Vec<String>,
    assumed: Vec<Vec<u32>>,
    statements: [u64; 5],
}

/// The modifiers, each at the place of its number.
const MODIFIERS: [Modifier; 6] =
    [Modifier::Level, Modifier::Sign, Modifier::Factor, Modifier::Init, Modifier::True, Modifier::False];

fn words(lits: &[Lit]) -> Vec<u32> {
    lits.iter().map(|lit| lit.0).collect()
}

fn lits(words: Vec<u32>) -> Vec<Lit> {
    words.into_iter().map(Lit).collect()
}

fn vars(words: Vec<u32>) -> Vec<Var> {
    words.into_iter().map(Var).collect()
}

impl From<&Program> for Plain {
    fn from(of: &Program) -> Plain {
        let head = |head: &Head| match *head {
            Head::Constraint => (0, 0),
            Head::Atom(p) => (1, p.0),
            Head::Choice(p) => (2, p.0),
        };
        let numbers = |vars: &[Var]| vars.iter().map(|p| p.0).collect::<Vec<_>>();
        let modifier = |of: Modifier| MODIFIERS.iter().position(|&one| one == of).unwrap_or_default() as u8;
        let Statements { rules, choices, disjunctions, minimizes, atoms } = of.statements;
        Plain {
            atoms: of.atoms,
            numbers: of.numbers.clone(),
            largest_number: of.largest_number,
            heads: of.heads.iter().map(head).collect(),
            body_of: of.body_of.iter().map(|body| body.index() as u32).collect(),
            body_start: of.body_start.clone(),
            body_lits: words(&of.body_lits),
            disjunctions: of
                .disjunctions
                .iter()
                .map(|rule| (numbers(&rule.heads), rule.body.index() as u32))
                .collect(),
            sums: of
                .sums
                .iter()
                .map(|sum| (sum.atom.0, sum.bound, sum.lits.iter().map(|&(l, w)| (l.0, w)).collect()))
                .collect(),
            minimize: of
                .minimize
                .iter()
                .map(|part| (part.priority, part.lits.iter().map(|&(l, w)| (l.0, w)).collect()))
                .collect(),
            digits: of.digits,
            projection: of.projection.as_deref().map(numbers),
            heuristics: of
                .heuristics
                .iter()
                .map(|h| (h.atom.0, modifier(h.modifier), h.bias, h.priority, words(&h.condition)))
                .collect(),
            outputs: of.outputs.iter().map(|of| (of.name.clone(), words(&of.condition))).collect(),
            negations: of.negations.clone(),
            assumed: of.assumed.iter().map(|nogood| words(nogood)).collect(),
            statements: [rules, choices, disjunctions, minimizes, atoms],
        }
    }
}

impl Plain {
    /// The program; none if a number stands for nothing.
    fn program(self) -> Option<Program> {
        let head = |(kind, atom): (u8, u32)| match kind {
            0 => Some(Head::Constraint),
            1 => Some(Head::Atom(Var(atom))),
            2 => Some(Head::Choice(Var(atom))),
            _ => None,
        };
        let body = |number: u32| BodyId::new(number as usize);
        let heuristic = |(atom, modifier, bias, priority, condition): PlainHeuristic| {
            let modifier = *MODIFIERS.get(modifier as usize)?;
            Some(Heuristic { atom: Var(atom), modifier, bias, priority, condition: lits(condition) })
        };
        let [rules, choices, disjunctions, minimizes, atoms] = self.statements;
        Some(Program {
            atoms: self.atoms,
            numbers: self.numbers,
            largest_number: self.largest_number,
            heads: self.heads.into_iter().map(head).collect::<Option<_>>()?,
            body_of: self.body_of.into_iter().map(body).collect(),
            body_start: self.body_start,
            body_lits: lits(self.body_lits),
            disjunctions: self
                .disjunctions
                .into_iter()
                .map(|(heads, of)| Disjunction { heads: vars(heads), body: body(of) })
                .collect(),
            sums: self
                .sums
                .into_iter()
                .map(|(atom, bound, lits)| Sum {
                    atom: Var(atom),
                    bound,
                    lits: lits.into_iter().map(|(l, w)| (Lit(l), w)).collect(),
                })
                .collect(),
            minimize: self
                .minimize
                .into_iter()
                .map(|(priority, lits)| Minimize {
                    priority,
                    lits: lits.into_iter().map(|(l, w)| (Lit(l), w)).collect(),
                })
                .collect(),
            digits: self.digits,
            projection: self.projection.map(vars),
            heuristics: self.heuristics.into_iter().map(heuristic).collect::<Option<_>>()?,
            outputs: self
                .outputs
                .into_iter()
                .map(|(name, condition)| Output { name, condition: lits(condition) })
                .collect(),
            negations: self.negations,
            assumed: self.assumed.into_iter().map(lits).collect(),
            statements: Statements { rules, choices, disjunctions, minimizes, atoms },
        })
    }
}

impl Program {
    /// The program as bytes.
    ///
    /// # Errors
    /// If it is too large for this machine's numbers.
    pub fn to_bytes(&self) -> io::Result<Vec<u8>> {
        postcard::to_extend(&Plain::from(self), MARK.to_vec()).map_err(io::Error::other)
    }

    /// The program that [`Program::to_bytes`] has written.
    ///
    /// # Errors
    /// If the bytes are no such program, or another version of yasmin has written them.
    pub fn of_bytes(bytes: &[u8]) -> io::Result<Program> {
        let wrong = || io::Error::new(io::ErrorKind::InvalidData, "the bytes are no program of this version");
        let plain = bytes.strip_prefix(&MARK).ok_or_else(wrong)?;
        let plain: Plain = postcard::from_bytes(plain).map_err(|_| wrong())?;
        plain.program().ok_or_else(wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::ProgramBuilder;

    /// A program with something of everything.
    fn program() -> Program {
        let mut b = ProgramBuilder::default();
        let [p, q, r, s] = [9, 4, 7, 12].map(|number| b.atom(number));
        let sum = b.sum(3, vec![(Lit::t(p), 1 << 40), (Lit::f(q), 1), (Lit::f(q), 1)]).expect("small");
        b.choice(&[p, q], &[]).expect("small");
        b.rule(Some(r), &[Lit::t(sum), Lit::f(s)]).expect("small");
        b.rule(None, &[Lit::t(p), Lit::t(q)]).expect("small");
        b.disjunction(&[s, r], &[Lit::f(p)]).expect("small");
        b.minimize(-2, &[(Lit::t(r), -5), (Lit::f(s), i64::MAX - 6)]).expect("64 bits");
        b.project(&[p, r]);
        b.assume(Lit::f(s)).expect("small");
        for modifier in MODIFIERS {
            let condition = vec![Lit::f(q)];
            b.heuristic(Heuristic { atom: r, modifier, bias: -3, priority: 2, condition });
        }
        b.output(Output { name: "r(\"ä\")".into(), condition: vec![Lit::t(r), Lit::f(q)] });
        let mut program = b.build().expect("small");
        program.digits = Some(Digits { bits: 50, base: -(1 << 70) });
        program.negations = vec!["-1".into()];
        program.assumed = vec![vec![Lit::t(s)]];
        program
    }

    #[test]
    fn what_is_written_is_read() {
        let program = program();
        let read = Program::of_bytes(&program.to_bytes().expect("small")).expect("what was written");
        // The form for people has all parts.
        assert_eq!(format!("{read:?}"), format!("{program:?}"));
        let Program { disjunctions, sums, minimize, heuristics, assumed, .. } = &program;
        let counts = [disjunctions.len(), sums.len(), minimize.len(), assumed.len(), heuristics.len()];
        assert_eq!((counts, program.projection.is_some()), ([1, 1, 1, 1, 6], true));
    }

    #[test]
    fn what_is_no_program_is_an_error() {
        let whole = program().to_bytes().expect("small");
        for len in 0..whole.len() {
            assert!(Program::of_bytes(&whole[..len]).is_err(), "{len} bytes");
        }
        let mut other = whole;
        other[7] += 1;
        assert!(Program::of_bytes(&other).is_err());
    }
}
