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
        step.told(|letter, first, lists| {
            self.step.push(letter as u8);
            self.numbers(first);
            for list in lists {
                let length = if matches!(step, Step::Sum { .. }) { list.len() / 2 } else { list.len() };
                match self.is_binary {
                    true => self.numbers(&[length as i64]).numbers(list),
                    false => self.numbers(list).numbers(&[0]),
                };
            }
        });
        if !self.is_binary {
            self.step.push(b'\n');
        }
        self.to.write_all(&self.step)
    }

    /// Makes sure that everything is written.
    pub fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
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
}
