//! Writes a proof, as text or in the binary form.
//!
//! Main type: [`Writer`].

use std::io::{self, Write};

use super::step::Step;
use super::{binary, text};

/// Writes step after step.
pub struct Writer<W> {
    to: W,
    is_binary: bool,
    step: Vec<u8>,
}

impl<W: Write> Writer<W> {
    /// Begins a proof.
    pub fn new(mut to: W, is_binary: bool) -> io::Result<Writer<W>> {
        if is_binary {
            to.write_all(binary::HEADER)?;
        } else {
            writeln!(to, "{}", text::HEADER)?;
        }
        Ok(Writer { to, is_binary, step: Vec::new() })
    }

    /// Writes a step.
    pub fn write(&mut self, step: &Step) -> io::Result<()> {
        self.step.clear();
        match step {
            Step::Assumption(lits) => self.begin(b'h').list(lits),
            Step::Definition { var, lits } => self.begin(b'd').numbers(&[*var]).list(lits),
            Step::Sum { var, bound, terms } => {
                let list: Vec<i64> = terms.iter().flat_map(|&(weight, lit)| [weight, lit]).collect();
                self.begin(b's').numbers(&[*var, *bound]).pairs(&list)
            }
            Step::Nogood(lits) => self.begin(b'n').list(lits),
            Step::Loop { lits, atoms } => self.begin(b'u').list(lits).list(atoms),
            Step::Question { kind, bounds } => self.begin(b'q').numbers(&[*kind]).list(bounds),
            Step::Call(lits) => self.begin(b'k').list(lits),
            Step::Finished { is_refuted, core } => {
                self.begin(b'f').numbers(&[i64::from(*is_refuted)]).list(core)
            }
            Step::Answer(atoms) => self.begin(b'a').list(atoms),
            Step::Rewriting { priority, weight, var } => {
                self.begin(b'r').numbers(&[*priority, *weight, *var])
            }
            Step::Least { priority, var } => self.begin(b'l').numbers(&[*priority, *var]),
            Step::Deletion(number) => self.begin(b'x').numbers(&[*number]),
            Step::End(is_concluded) => self.begin(b'e').numbers(&[i64::from(*is_concluded)]),
        };
        if !self.is_binary {
            self.step.push(b'\n');
        }
        self.to.write_all(&self.step)
    }

    /// Makes sure that everything is written.
    pub fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }

    fn begin(&mut self, letter: u8) -> &mut Self {
        self.step.push(letter);
        self
    }

    fn numbers(&mut self, numbers: &[i64]) -> &mut Self {
        for &number in numbers {
            if self.is_binary {
                let mut rest = (number << 1 ^ number >> 63) as u64;
                while rest > 0x7f {
                    self.step.push(rest as u8 | 0x80);
                    rest >>= 7;
                }
                self.step.push(rest as u8);
            } else {
                self.step.extend(format!(" {number}").bytes());
            }
        }
        self
    }

    fn pairs(&mut self, list: &[i64]) -> &mut Self {
        self.listed(list, list.len() / 2)
    }

    fn list(&mut self, list: &[i64]) -> &mut Self {
        self.listed(list, list.len())
    }

    fn listed(&mut self, list: &[i64], length: usize) -> &mut Self {
        if self.is_binary {
            self.numbers(&[length as i64]).numbers(list)
        } else {
            self.numbers(list).numbers(&[0])
        }
    }
}
