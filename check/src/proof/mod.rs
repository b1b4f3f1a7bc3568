//! The proof as a stream of steps.
//!
//! Main type: [`Proof`].

mod binary;
mod error;
mod step;
mod text;
mod write;

pub use error::ProofError;
pub use step::{Identity, Item, Mark, Step, THE_SUMS};
pub use write::Writer;

use std::fmt;
use std::io::{BufRead, Read};

use binary::Bytes;
use text::Line;

/// Where a step is in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub enum Place {
    /// The line of a text, from 1.
    Line(u64),
    /// The offset in a binary file, from 0.
    Byte(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line(line) => write!(f, "line {line}"),
            Place::Byte(byte) => write!(f, "byte {byte}"),
        }
    }
}

/// Where the steps of a whole proof come from.
pub trait Source {
    /// The next step; nothing at the end.
    ///
    /// # Errors
    /// If what comes next is no step, or does not belong there.
    fn step(&mut self) -> Result<Option<Step>, ProofError>;

    /// Where the last step is.
    fn place(&self) -> Place;

    /// The file of the last step, if the proof has several.
    fn file(&self) -> Option<&str> {
        None
    }
}

/// A proof that is read step by step.
pub struct Proof<'a> {
    from: Box<dyn BufRead + 'a>,
    /// Where the next step or line is. Nothing before the beginning was read.
    next: Option<Place>,
    /// Where the last step was.
    last: Place,
    line: Vec<u8>,
}

impl<'a> Proof<'a> {
    /// Begins to read.
    pub fn new(from: impl BufRead + 'a) -> Self {
        Proof { from: Box::new(from), next: None, last: Place::Line(1), line: Vec::new() }
    }

    /// Where the step is that was read last.
    pub fn place(&self) -> Place {
        self.last
    }

    /// Reads the next step of a whole proof; nothing at the end.
    ///
    /// # Errors
    /// If what comes next is no step, or if this is a part of a proof (see [`Merged`](crate::parts::Merged)).
    pub fn step(&mut self) -> Result<Option<Step>, ProofError> {
        match self.item()? {
            Some(Item::Step(step)) => Ok(Some(step)),
            Some(Item::Mark(_)) => Err(ProofError::IsPart),
            None => Ok(None),
        }
    }

    /// Whether nothing follows.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn is_at_end(&mut self) -> Result<bool, ProofError> {
        Ok(self.from.fill_buf()?.is_empty())
    }

    /// Reads the next step or mark; nothing at the end.
    ///
    /// # Errors
    /// If what comes next is neither.
    pub fn item(&mut self) -> Result<Option<Item>, ProofError> {
        let next = match self.next {
            Some(next) => next,
            None => self.header()?,
        };
        self.last = next;
        match next {
            Place::Line(mut line) => loop {
                self.last = Place::Line(line);
                self.line.clear();
                if self.from.read_until(b'\n', &mut self.line)? == 0 {
                    return Ok(None);
                }
                line += 1;
                self.next = Some(Place::Line(line));
                if let Some((letter, mut rest)) = Line::new(&self.line) {
                    let item = Item::read(letter, &mut rest)?;
                    return rest.end().map(|()| Some(item));
                }
            },
            Place::Byte(byte) => {
                let mut bytes = Bytes::new(&mut *self.from);
                let Some(letter) = bytes.next()? else { return Ok(None) };
                let item = Item::read(&[letter], &mut bytes)?;
                self.next = Some(Place::Byte(byte + bytes.count));
                Ok(Some(item))
            }
        }
    }

    /// Reads the first bytes, and knows the form by them.
    fn header(&mut self) -> Result<Place, ProofError> {
        let first = self.from.fill_buf()?.first().copied();
        let mut start = Vec::new();
        if first == binary::HEADER.first().copied() {
            (&mut *self.from).take(binary::HEADER.len() as u64).read_to_end(&mut start)?;
        } else {
            (&mut *self.from).take(1 << 10).read_until(b'\n', &mut start)?;
        }
        match &start[..] {
            binary::HEADER => Ok(Place::Byte(start.len() as u64)),
            line if line.trim_ascii() == text::HEADER.as_bytes() => Ok(Place::Line(2)),
            _ => Err(ProofError::Header),
        }
    }
}
