//! Writes the steps of a proof, as text or in the binary form: see `docs/proof.md`.
//!
//! Main type: [`Steps`]. Invariant: what was handed to the file ends with a whole step.

use crate::search::options::ProofFormat;
use crate::search::SolveError;
use std::io::{self, Write};

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
}

impl Steps {
    /// Begins a proof.
    ///
    /// # Errors
    /// If `to` cannot be written.
    pub fn new(mut to: Box<dyn Write + Send>, format: ProofFormat) -> io::Result<Steps> {
        let head: &[u8] = match format {
            ProofFormat::Text => b"p yasmin 1\n",
            ProofFormat::Binary => b"yasmin01\0",
        };
        to.write_all(head)?;
        Ok(Steps { to, format, bytes: Vec::new(), serial: 0 })
    }

    /// `V` stands for the conjunction of the literals.
    pub fn define(&mut self, var: i32, lits: impl ExactSizeIterator<Item = i32>) -> io::Result<()> {
        self.letter(b'd');
        self.number(var as i64);
        self.list(lits);
        self.end()
    }

    /// `V` stands for: the weights of the literals that hold add up to `bound` or more.
    pub fn sum(
        &mut self,
        var: i32,
        bound: i64,
        items: impl ExactSizeIterator<Item = (i64, i32)>,
    ) -> io::Result<()> {
        self.letter(b's');
        self.number(var as i64);
        self.number(bound);
        self.length(items.len());
        for (weight, lit) in items {
            self.number(weight);
            self.number(lit as i64);
        }
        self.end_of_list();
        self.end()
    }

    /// Not all of the literals hold. Returns the serial number of the nogood.
    pub fn nogood(&mut self, lits: impl ExactSizeIterator<Item = i32>) -> io::Result<u64> {
        self.letter(b'n');
        self.list(lits);
        self.end()?;
        self.serial += 1;
        Ok(self.serial)
    }

    /// What is assumed besides the program: not all of the literals hold.
    pub fn assume(&mut self, lits: impl ExactSizeIterator<Item = i32>) -> io::Result<()> {
        self.letter(b'h');
        self.list(lits);
        self.end()
    }

    /// Not all of the literals hold, one of which is an atom of an unfounded set; if none is, none of the
    /// set's atoms holds if all literals do. Returns the serial number of the last nogood that the step adds.
    pub fn unfounded(
        &mut self,
        lits: impl ExactSizeIterator<Item = i32> + Clone,
        set: impl ExactSizeIterator<Item = i32> + Clone,
    ) -> io::Result<u64> {
        let has_one = lits.clone().any(|lit| set.clone().any(|atom| atom == lit));
        self.letter(b'u');
        self.list(lits);
        self.serial += if has_one { 1 } else { set.len() as u64 };
        self.list(set);
        self.end()?;
        Ok(self.serial)
    }

    /// What is looked for from here on.
    pub fn question(&mut self, kind: i64, bounds: &[i64]) -> io::Result<()> {
        self.letter(b'q');
        self.number(kind);
        self.length(bounds.len());
        bounds.iter().for_each(|&bound| self.number(bound));
        self.end_of_list();
        self.end()
    }

    /// The question is asked again, of the answer sets in which these literals hold.
    pub fn call(&mut self, lits: impl ExactSizeIterator<Item = i32>) -> io::Result<()> {
        self.letter(b'k');
        self.list(lits);
        self.end()
    }

    /// The call is over. With a conclusion these of its literals refute it.
    pub fn finish(&mut self, is_refuted: bool, core: impl ExactSizeIterator<Item = i32>) -> io::Result<()> {
        self.letter(b'f');
        self.number(i64::from(is_refuted));
        self.list(core);
        self.end()
    }

    /// The atoms that are true in an answer set. Returns the serial number of the nogood that the answer set
    /// adds.
    pub fn answer(&mut self, atoms: impl ExactSizeIterator<Item = i32>) -> io::Result<u64> {
        self.letter(b'a');
        self.list(atoms);
        self.end()?;
        self.serial += 1;
        Ok(self.serial)
    }

    /// Of the costs of a priority, counted from 1, the weight is paid for the variable of a sum instead of
    /// what the sum counts.
    pub fn rewrite(&mut self, priority: i64, weight: i64, var: i32) -> io::Result<()> {
        self.letter(b'r');
        [priority, weight, var as i64].into_iter().for_each(|number| self.number(number));
        self.end()
    }

    /// The costs of a priority, counted from 1, are at least what the sum of the variable has to reach,
    /// because the variable holds.
    pub fn least(&mut self, priority: i64, var: i32) -> io::Result<()> {
        self.letter(b'l');
        [priority, var as i64].into_iter().for_each(|number| self.number(number));
        self.end()
    }

    /// The nogood is not used again.
    pub fn delete(&mut self, serial: u64) -> io::Result<()> {
        self.letter(b'x');
        self.number(serial as i64);
        self.end()
    }

    /// The last step, which says whether everything that was asked is proved.
    pub fn conclude(&mut self, is_proved: bool) -> io::Result<()> {
        self.letter(b'e');
        self.number(is_proved as i64);
        self.end()?;
        self.hand_over()?;
        self.to.flush()
    }

    /// Hands to the file what waits for it.
    fn hand_over(&mut self) -> io::Result<()> {
        self.to.write_all(&self.bytes)?;
        self.bytes.clear();
        Ok(())
    }

    fn letter(&mut self, letter: u8) {
        self.bytes.push(letter);
    }

    fn number(&mut self, number: i64) {
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
    }

    fn list(&mut self, numbers: impl ExactSizeIterator<Item = i32>) {
        self.length(numbers.len());
        numbers.for_each(|number| self.number(number as i64));
        self.end_of_list();
    }

    fn length(&mut self, length: usize) {
        if self.format == ProofFormat::Binary {
            self.number(length as i64);
        }
    }

    fn end_of_list(&mut self) {
        if self.format == ProofFormat::Text {
            self.number(0);
        }
    }

    /// Ends a step.
    fn end(&mut self) -> io::Result<()> {
        if self.format == ProofFormat::Text {
            self.bytes.push(b'\n');
        }
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
