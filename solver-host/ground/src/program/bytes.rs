//! A program as bytes, for another process of the same build.
//!
//! Main functions: [`Program::to_bytes`] and [`Program::of_bytes`]. Unlike aspif, the bytes keep the numbers of all atoms
//! and rules, so that both processes translate the program to the same nogoods.
//!
//! Invariant: what is read is the program that was written, or an error. The bytes have to come from [`Program::to_bytes`]:
//! that the numbers in them fit together is not checked.

use std::io;

use super::data::Program;

/// What the bytes begin with: the form of what follows.
const MARK: [u8; 8] = *b"yasmin 4";

impl Program {
    /// The program as bytes.
    ///
    /// # Errors
    /// If it is too large for this machine's numbers.
    pub fn to_bytes(&self) -> io::Result<Vec<u8>> {
        postcard::to_extend(self, MARK.to_vec()).map_err(io::Error::other)
    }

    /// The program that [`Program::to_bytes`] has written.
    ///
    /// # Errors
    /// If the bytes are no such program, or another version of yasmin has written them.
    pub fn of_bytes(bytes: &[u8]) -> io::Result<Program> {
        let wrong = || io::Error::new(io::ErrorKind::InvalidData, "the bytes are no program of this version");
        let bytes = bytes.strip_prefix(&MARK).ok_or_else(wrong)?;
        postcard::from_bytes(bytes).map_err(|_| wrong())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::data::Modifier::{Factor, False, Init, Level, Sign, True};
    use crate::program::data::{Digits, Heuristic, Output};
    use crate::program::ProgramBuilder;
    use solver_gpu::Lit;

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
        for modifier in [Level, Sign, Factor, Init, True, False] {
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
