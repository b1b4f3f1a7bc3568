//! Writes the steps of a proof, as text or in the binary form: see `docs/proof.md`.
//!
//! Main types: [`Steps`], and [`ProofSink`], which takes them. Invariant: what was handed to the file ends
//! with a whole step.

use crate::options::ProofFormat;
use crate::SolveError;
use std::io::{self, Write};

/// Where a proof is written to.
pub struct ProofSink {
    /// What takes the bytes.
    pub to: Box<dyn Write + Send>,
    /// Text or bytes.
    pub format: ProofFormat,
    /// Which part of the proof this is, if each of several processes writes a part.
    pub part: Option<Part>,
}

/// A part of a proof that several processes write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The number of the part: 0 is the solver's, which has the questions and the end.
    pub number: u32,
    /// How many parts there may be.
    pub of: u32,
    /// A number that all parts of one proof have, and no other proof; at most [`Part::LARGEST_RUN`].
    pub run: u64,
}

impl Part {
    /// The largest number of a run.
    pub const LARGEST_RUN: u64 = i64::MAX as u64;

    /// Whether the part is the solver's.
    pub fn is_first(self) -> bool {
        self.number == 0
    }
}

/// Bytes that wait for the file at most, but for one step.
const WAITING: usize = 1 << 16;

/// The steps that were written so far.
pub struct Steps {
    to: Box<dyn Write + Send>,
    format: ProofFormat,
    /// What waits for the file: whole steps, and the one that is being written.
    bytes: Vec<u8>,
    /// The serial number of the last nogood.
    serial: u64,
    /// The clock of the last step that was written, and of those that come next, in a part of a proof.
    clock: Option<(u64, u64)>,
}

impl Steps {
    /// Begins a proof, or a part of one.
    ///
    /// # Errors
    /// If `to` cannot be written.
    pub fn new(ProofSink { mut to, format, part }: ProofSink) -> io::Result<Steps> {
        let head: &[u8] = match format {
            ProofFormat::Text => b"p yasmin 1\n",
            ProofFormat::Binary => b"yasmin01\0",
        };
        to.write_all(head)?;
        let mut steps = Steps { to, format, bytes: Vec::new(), serial: 0, clock: None };
        if let Some(Part { number, of, run }) = part {
            steps.letter(b'i').number(number).number(of).number(run as i64).end()?;
            steps.clock = Some((0, 0));
        }
        Ok(steps)
    }

    /// What comes next has this clock, if this is a part of a proof.
    pub fn set_clock(&mut self, clock: u64) {
        if let Some((_, next)) = &mut self.clock {
            *next = clock;
        }
    }

    /// From here on the proof has the part with this number, too.
    pub fn join(&mut self, part: u32) -> io::Result<()> {
        self.letter(b'j').number(part).end()
    }

    /// Nothing comes any more before the next question. Everything is in the file then.
    pub fn rest(&mut self) -> io::Result<()> {
        self.letter(b'y').end()?;
        self.flush()
    }

    /// `V` stands for the conjunction of the literals.
    pub fn define(&mut self, var: i32, lits: impl ExactSizeIterator<Item = i32>) -> io::Result<()> {
        self.letter(b'd').number(var).list(lits).end()
    }

    /// `V` stands for: the weights of the literals that hold add up to `bound` or more.
    pub fn sum(
        &mut self,
        var: i32,
        bound: i64,
        items: impl ExactSizeIterator<Item = (i64, i32)>,
    ) -> io::Result<()> {
        self.letter(b's').number(var).number(bound).length(items.len());
        for (weight, lit) in items {
            self.number(weight).number(lit);
        }
        self.end_of_list().end()
    }

    /// Not all of the literals hold. Returns the serial number of the nogood.
    pub fn nogood(&mut self, lits: impl ExactSizeIterator<Item = i32>) -> io::Result<u64> {
        self.letter(b'n').list(lits).end_with(1)
    }

    /// The nogood of the next step follows by these reasons, each of which is unit after those before.
    pub fn because(&mut self, reasons: &[i64]) -> io::Result<()> {
        self.letter(b'b').list(reasons.iter().copied()).end()
    }

    /// What is assumed besides the program: not all of the literals hold.
    pub fn assume(&mut self, lits: impl ExactSizeIterator<Item = i32>) -> io::Result<()> {
        self.letter(b'h').list(lits).end()
    }

    /// Not all of the literals hold, one of which is an atom of an unfounded set; if none is, none of the
    /// set's atoms holds if all literals do. Returns the serial number of the last nogood that the step adds.
    pub fn unfounded(
        &mut self,
        lits: impl ExactSizeIterator<Item = i32> + Clone,
        set: impl ExactSizeIterator<Item = i32> + Clone,
    ) -> io::Result<u64> {
        let has_one = lits.clone().any(|lit| set.clone().any(|atom| atom == lit));
        let nogoods = if has_one { 1 } else { set.len() as u64 };
        self.letter(b'u').list(lits).list(set).end_with(nogoods)
    }

    /// Difference constraints that are a cycle, in its order, exclude each other. Returns the serial
    /// number of the nogood.
    pub fn cycle(&mut self, numbers: impl ExactSizeIterator<Item = i64>) -> io::Result<u64> {
        self.letter(b'g').list(numbers).end_with(1)
    }

    /// What is looked for from here on.
    pub fn question(&mut self, kind: i64, bounds: &[i64]) -> io::Result<()> {
        self.letter(b'q').number(kind).list(bounds.iter().copied()).end()
    }

    /// The question is asked again, of the answer sets in which these literals hold.
    pub fn call(&mut self, lits: impl ExactSizeIterator<Item = i32>) -> io::Result<()> {
        self.letter(b'k').list(lits).end()
    }

    /// The call is over. With a conclusion these of its literals refute it.
    pub fn finish(&mut self, is_refuted: bool, core: impl ExactSizeIterator<Item = i32>) -> io::Result<()> {
        self.letter(b'f').number(is_refuted).list(core).end()
    }

    /// The atoms that are true in an answer set. Returns the serial number of the nogood that the answer set
    /// adds.
    pub fn answer(&mut self, atoms: impl ExactSizeIterator<Item = i32>) -> io::Result<u64> {
        self.letter(b'a').list(atoms).end_with(1)
    }

    /// Of the costs of a priority, counted from 1, the weight is paid for the variable of a sum instead of
    /// what the sum counts.
    pub fn rewrite(&mut self, priority: i64, weight: i64, var: i32) -> io::Result<()> {
        self.letter(b'r').number(priority).number(weight).number(var).end()
    }

    /// The costs of a priority, counted from 1, are at least what the sum of the variable has to reach,
    /// because the variable holds.
    pub fn least(&mut self, priority: i64, var: i32) -> io::Result<()> {
        self.letter(b'l').number(priority).number(var).end()
    }

    /// The nogood is not used again.
    pub fn delete(&mut self, serial: u64) -> io::Result<()> {
        self.letter(b'x').number(serial as i64).end()
    }

    /// The last step, which says whether everything that was asked is proved.
    pub fn conclude(&mut self, is_proved: bool) -> io::Result<()> {
        self.letter(b'e').number(is_proved).end()?;
        self.flush()
    }

    fn flush(&mut self) -> io::Result<()> {
        self.hand_over()?;
        self.to.flush()
    }

    /// Hands to the file what waits for it.
    fn hand_over(&mut self) -> io::Result<()> {
        self.to.write_all(&self.bytes)?;
        self.bytes.clear();
        Ok(())
    }

    /// Begins a step.
    fn letter(&mut self, letter: u8) -> &mut Self {
        if let Some((last, next)) = self.clock.filter(|(last, next)| last != next) {
            debug_assert!(last < next);
            self.clock = Some((next, next));
            self.bytes.push(b't');
            self.number(next as i64);
            self.end_of_step();
        }
        self.bytes.push(letter);
        self
    }

    fn end_of_step(&mut self) {
        if self.format == ProofFormat::Text {
            self.bytes.push(b'\n');
        }
    }

    fn number(&mut self, number: impl Into<i64>) -> &mut Self {
        let number = number.into();
        match self.format {
            ProofFormat::Text => {
                write!(self.bytes, " {number}").expect("memory takes all bytes");
            }
            ProofFormat::Binary => {
                // -1 is 1, 1 is 2, -2 is 3.
                let mut rest = ((number << 1) ^ (number >> 63)) as u64;
                while rest >= 0x80 {
                    self.bytes.push(rest as u8 | 0x80);
                    rest >>= 7;
                }
                self.bytes.push(rest as u8);
            }
        }
        self
    }

    fn list(&mut self, numbers: impl ExactSizeIterator<Item = impl Into<i64>>) -> &mut Self {
        self.length(numbers.len());
        for number in numbers {
            self.number(number);
        }
        self.end_of_list()
    }

    fn length(&mut self, length: usize) {
        if self.format == ProofFormat::Binary {
            self.number(length as i64);
        }
    }

    fn end_of_list(&mut self) -> &mut Self {
        match self.format {
            ProofFormat::Text => self.number(0),
            ProofFormat::Binary => self,
        }
    }

    /// Ends a step that adds this many nogoods. Returns the serial number of the last one.
    fn end_with(&mut self, nogoods: u64) -> io::Result<u64> {
        self.serial += nogoods;
        self.end().map(|()| self.serial)
    }

    /// Ends a step.
    fn end(&mut self) -> io::Result<()> {
        self.end_of_step();
        match self.bytes.len() < WAITING {
            true => Ok(()),
            false => self.hand_over(),
        }
    }
}

/// An error of the sink.
pub fn failed(error: io::Error) -> SolveError {
    SolveError::Proof(error.to_string())
}
